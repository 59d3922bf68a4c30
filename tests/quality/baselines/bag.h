// bag.h - tools as bags of words, and Okapi BM25 over them.
#ifndef DEFT_TESTS_QUALITY_BAG_H
#define DEFT_TESTS_QUALITY_BAG_H

#include "base/arena.h"
#include "base/map.h"
#include "quality/baselines/words.h"

typedef struct bag_posting {
    uint32_t tool;
    uint32_t frequency;
} bag_posting;

typedef struct bag_term {
    bag_posting *postings; // by rising tool
    size_t       count;    // in how many tools it is
    size_t       capacity;
} bag_term;

typedef struct quality_bag {
    deft__arena arena;
    deft__map   numbers; // word to term
    bag_term   *terms;
    size_t      term_count;
    size_t      term_capacity;
    double     *lengths; // of each tool, in words
    size_t      tool_count;
    double      average; // length
} quality_bag;

void bag_init(quality_bag *bag, size_t tool_count);
void bag_clear(quality_bag *bag);

// Adds words to a tool; tools come in rising order. Then, once: bag_finish.
void bag_add(quality_bag *bag, uint32_t tool, const quality_words *words);
void bag_finish(quality_bag *bag);

// The term of a word; NULL when no tool has it.
const bag_term *bag_find(const quality_bag *bag, deft_view word);

typedef enum idf_kind {
    IDF_POSITIVE, // ln(1 + (N - df + 1/2) / (df + 1/2))
    IDF_SIGNED    // ln((N - df + 1/2) / (df + 1/2)): below 0 for words in more than half
} idf_kind;

typedef struct quality_okapi {
    double   k1;
    double   b;
    idf_kind idf;
} quality_okapi;

double bag_idf(const quality_bag *bag, const bag_term *term, idf_kind kind);

// Adds to `scores` what each word of the query is worth; repeated words count again.
void bag_score(const quality_bag *bag, const quality_words *query, const quality_okapi *okapi,
               double *scores);

#endif
