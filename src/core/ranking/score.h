// score.h - the best tools for an expanded query. Exact: what it does not look at could not have got
// in.
#ifndef DEFT_CORE_RANKING_SCORE_H
#define DEFT_CORE_RANKING_SCORE_H

#include "core/ranking/best.h"
#include "core/ranking/expand.h"

// Postings of rare terms that a query may have; beyond, they are searched for in each block.
#define DEFT__RARE_POSTINGS_MAX 2048u

// What one posting of a rare term adds, in the chain of its block.
typedef struct deft__rare_posting {
    uint32_t place;
    uint32_t gain;
    uint32_t next; // in the array, from 1; 0: no more
} deft__rare_posting;

// One term to look for.
typedef struct deft__scored_term {
    const uint32_t *postings;
    deft__bounds    bounds; // none: maxima NULL
    uint32_t        count;  // postings
    uint32_t        weight;
    uint32_t        mass; // its share of the query's mass, where a sum has it
} deft__scored_term;

// Working memory.
typedef struct deft__scorer {
    const deft__image    *image; // borrowed
    const deft_allocator *allocator;
    uint32_t             *bounds; // per block: no tool in it has a higher score
    uint32_t             *first;  // blocks that are scored first
    deft__scored_term     terms[DEFT__WEIGHTED_MAX];
    size_t                term_count;
    uint16_t             *chains; // per block: its first rare posting, from 1; 0 between runs
    deft__rare_posting    rare[DEFT__RARE_POSTINGS_MAX];
    uint32_t              rare_count;
} deft__scorer;

deft_status deft__scorer_init(deft__scorer *scorer, const deft__image *image,
                              const deft_allocator *allocator);
void        deft__scorer_clear(deft__scorer *scorer);

// Offers to `best` every tool that may be better than the worst one there.
void deft__scorer_run(deft__scorer *scorer, const deft__expansion *expansion, deft__best *best);

#endif
