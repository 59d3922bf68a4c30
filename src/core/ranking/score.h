// score.h - the best tools for an expanded query. Exact: what it does not look at could not have got
// in.
#ifndef DEFT_CORE_RANKING_SCORE_H
#define DEFT_CORE_RANKING_SCORE_H

#include "core/ranking/best.h"
#include "core/ranking/expand.h"
#include "core/ranking/rows.h"

// Postings of rare terms that are summed up before any block is looked at; beyond, they are searched for
// in each block.
#define DEFT__RARE_POSTINGS_MAX 2048u

// A term without blocks.
typedef struct deft__sparse_term {
    const uint32_t *postings;
    uint32_t        count;
    uint16_t        weight;
    uint16_t        mass; // what having it adds to a tool's coverage
} deft__sparse_term;

// Working memory.
typedef struct deft__scorer {
    const deft__image    *image; // borrowed
    const deft_allocator *allocator;
    uint16_t             *bounds; // per block: no tool in it has a higher score; UINT16_MAX: any
    uint16_t             *rare_bounds; // the part of it that comes from terms without rows
    uint32_t             *listed;      // blocks that are scored next
    bool                  is_wide;     // 16 bits do not hold every sum
    deft__row_term        dense[DEFT__WEIGHTED_MAX]; // with blocks, those that weigh most first
    size_t                dense_count;
    deft__sparse_term     sparse[DEFT__WEIGHTED_MAX]; // without
    size_t                sparse_count;
    size_t                summed_count; // of them, the first ones: those in `loose`
    deft__row_sums       *loose;        // per block, of postings that are in no row; 0 between runs
} deft__scorer;

deft_status deft__scorer_init(deft__scorer *scorer, const deft__image *image,
                              const deft_allocator *allocator);
void        deft__scorer_clear(deft__scorer *scorer);

// Offers to `best` every tool that may be better than the worst one there.
void deft__scorer_run(deft__scorer *scorer, const deft__expansion *expansion, deft__best *best);

#endif
