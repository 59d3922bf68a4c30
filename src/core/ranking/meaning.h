// meaning.h - what a query means, and which tools mean something alike. A long query is also read in
// windows of eight words: one of several needs, or the one sentence that matters, is then not lost in
// the sum of all.
#ifndef DEFT_CORE_RANKING_MEANING_H
#define DEFT_CORE_RANKING_MEANING_H

#include "core/ranking/best.h"
#include "core/ranking/expand.h"
#include "core/semantic/vector.h"

#define DEFT__MEANT_MAX      64u  // tools that are found by meaning
#define DEFT__READ_TERMS_MAX 128u // terms of a query that are read
#define DEFT__READ_ROWS_MAX  32u  // different rows that names are compared with
#define DEFT__WINDOW_STEP    4u
#define DEFT__WINDOWS_MAX    (DEFT__READ_TERMS_MAX / DEFT__WINDOW_STEP)
#define DEFT__ROW_CACHE_SIZE 256u // a power of two

// How like the words of a query are to one word of a name.
typedef struct deft__row_likeness {
    uint64_t question; // whose words: the number of the query
    uint32_t row;
    uint32_t largest;
    int16_t  cosines[DEFT__READ_ROWS_MAX];
} deft__row_likeness;

// Tools that are compared with the query at a time.
#define DEFT__COMPARED_MAX 1024u

typedef struct deft__compared {
    uint32_t      tools[DEFT__COMPARED_MAX];
    const int8_t *vectors[DEFT__COMPARED_MAX];
    int32_t       products[DEFT__COMPARED_MAX];
    uint32_t      scores[DEFT__COMPARED_MAX];
    uint16_t      coarse[DEFT__COMPARED_MAX]; // the scores' higher bits
} deft__compared;

// Working memory. Without a model everything is empty.
typedef struct deft__meaning {
    const deft_model     *model; // borrowed; NULL: none
    const deft__image    *image; // borrowed
    const deft_allocator *allocator;
    uint16_t             *distances; // per tool, where there are many
    deft__compared        compared;

    uint64_t     question;    // the number of the query, from 1
    bool         has_windows; // there are terms enough
    size_t       term_count;  // of the query that were read
    deft__vector whole;
    deft__vector windows[DEFT__WINDOWS_MAX];
    size_t       window_count; // 0: the whole is the only one
    deft__sum
        sums[DEFT__WINDOWS_MAX + 1]; // of the steps, then the windows, and of the whole behind them
    uint32_t rows[DEFT__READ_ROWS_MAX]; // of its words, all different
    size_t   row_count;
    uint64_t weights[DEFT__READ_ROWS_MAX]; // what each of the rows says
    uint64_t weight;                       // and all of them together

    const int8_t *row_numbers[DEFT__READ_ROWS_MAX]; // of the rows
    const int8_t *readings[DEFT__WINDOWS_MAX + 1];  // the whole, and the windows behind it

    deft__row_likeness cache[DEFT__ROW_CACHE_SIZE]; // by row
} deft__meaning;

deft_status deft__meaning_init(deft__meaning *meaning, const deft_model *model,
                               const deft__image *image, const deft_allocator *allocator);
void        deft__meaning_clear(deft__meaning *meaning);

// Reads the query that was expanded last. A word that no tool has counts as what it was taken for.
void deft__meaning_read(deft__meaning *meaning, const deft__expansion *expansion,
                        deft_analyzer *analyzer);

// The tools nearest to the whole query, at most DEFT__MEANT_MAX of those that are allowed, in no
// order. Above some size only those whose signs agree best are looked at.
size_t deft__meaning_find(deft__meaning *meaning, uint32_t tools[DEFT__MEANT_MAX],
                          bool (*is_allowed)(void *context, uint32_t tool), void *context);

// How like a tool is to the query read last; all in 1/DEFT__COSINE_ONE.
typedef struct deft__likeness {
    int32_t whole;  // of its vector to the query's
    int32_t window; // to the nearest window's
    int32_t name;   // how much of its name the query has, word by word, by likeness
    int32_t query;  // how much of the query its name has
} deft__likeness;

deft__likeness deft__meaning_of(deft__meaning *meaning, uint32_t tool);

#endif
