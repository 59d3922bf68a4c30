// expand.h - from the words of a query to weighted terms of an index: stems, exact forms, words
// that mean nearly the same, and near misses for words that no tool has.
#ifndef DEFT_CORE_RANKING_EXPAND_H
#define DEFT_CORE_RANKING_EXPAND_H

#include "core/index/image.h"
#include "core/index/synonyms.h"
#include "deft/analyzer.h"
#include "deft/explain.h"

#define DEFT__QUERY_WORDS_MAX 64u  // words of a query that count
#define DEFT__WEIGHTED_MAX    256u // terms they may become

// One term to look for.
typedef struct deft__weighted {
    uint32_t term;
    uint32_t weight; // what an impact of 256 would be worth
    uint32_t mass;   // its part of what the query asks for; 0 for expansions
    uint32_t word;   // the query word it stands for

    // How the two came together; DEFT_MATCH_WORD also for another form of the word.
    deft_match match;
} deft__weighted;

typedef struct deft__query_word {
    deft_view text;      // borrowed from the analyzer
    uint32_t  stem;      // term; DEFT__NONE: no tool has it
    uint32_t  corrected; // word of the index taken in its place; DEFT__NONE: none
    uint32_t  value;     // 256 for a full word, less for those that carry no need
    bool      is_whole;  // an identifier whose parts are words of the query too
} deft__query_word;

typedef struct deft__expansion {
    deft__query_word words[DEFT__QUERY_WORDS_MAX]; // all different
    size_t           word_count;
    deft__weighted   terms[DEFT__WEIGHTED_MAX]; // all different
    size_t           term_count;
    uint64_t         seen[4];  // one bit of 256 for each of them, by a hash of its number
    const deft_term *sequence; // the text as it was split; borrowed from the analyzer
    size_t           sequence_count;
    uint64_t         mass_known;   // of the words that some tool has
    uint64_t         mass_unknown; // of those that none has
} deft__expansion;

// How much of the query a term is, in 1/DEFT__COVERAGE_FULL. Those of all terms add up to at most
// that.
#define DEFT__COVERAGE_FULL 4000u
static inline uint32_t deft__coverage_of(const deft__expansion *expansion,
                                         const deft__weighted  *weighted)
{
    return expansion->mass_known > 0
               ? (uint32_t)((uint64_t)weighted->mass * DEFT__COVERAGE_FULL / expansion->mass_known)
               : 0;
}

// The words of `image` nearest to one that it lacks, at most `max`, best first: by letters to
// change, then by how many tools have them. Those that start with it or that it starts with come
// last. `is_shown` (NULL: all are) is asked for each that would be taken.
size_t deft__near_words(const deft__image *image, deft_view word, uint32_t *words, size_t max,
                        bool (*is_shown)(void *context, uint32_t word), void *context);

// Analyses `text` and weighs its words for `image`. The weights add up to what DEFT__SCORE_BITS hold
// at most. DEFT_OUT_OF_MEMORY is the only failure.
deft_status deft__expand(deft__expansion *expansion, const deft__image *image,
                         const deft__synonyms *synonyms, deft_analyzer *analyzer, deft_view text);

#endif
