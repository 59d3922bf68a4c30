// expand.h - from the words of a query to weighted terms of an index: stems, exact forms, words
// that mean nearly the same, and near misses for words that no tool has.
#ifndef DEFT_CORE_RANKING_EXPAND_H
#define DEFT_CORE_RANKING_EXPAND_H

#include "core/index/image.h"
#include "core/index/synonyms.h"
#include "deft/analyzer.h"

#define DEFT__QUERY_WORDS_MAX 64u  // words of a query that count
#define DEFT__WEIGHTED_MAX    256u // terms they may become

// One term to look for.
typedef struct deft__weighted {
    uint32_t term;
    uint32_t weight; // what an impact of 256 would be worth
    uint32_t mass;   // its part of what the query asks for; 0 for expansions
    uint32_t word;   // the query word it stands for
} deft__weighted;

typedef struct deft__query_word {
    deft_view text;      // borrowed from the analyzer
    uint32_t  stem;      // term; DEFT__NONE: no tool has it
    uint32_t  corrected; // word of the index taken in its place; DEFT__NONE: none
    uint32_t  value;     // 256 for a full word, less for those that carry no need
} deft__query_word;

typedef struct deft__expansion {
    deft__query_word words[DEFT__QUERY_WORDS_MAX]; // all different
    size_t           word_count;
    deft__weighted   terms[DEFT__WEIGHTED_MAX]; // all different
    size_t           term_count;
    uint64_t         mass_known;   // of the words that some tool has
    uint64_t         mass_unknown; // of those that none has
} deft__expansion;

// Analyses `text` and weighs its words for `image`. DEFT_OUT_OF_MEMORY is the only failure.
deft_status deft__expand(deft__expansion *expansion, const deft__image *image,
                         const deft__synonyms *synonyms, deft_analyzer *analyzer, deft_view text);

#endif
