// fusion.h - words against meaning. How much either counts depends on how much of the query the words
// explain: where a tool has nearly all of it, meaning only breaks ties; where accidental words are all
// there is, meaning decides.
#ifndef DEFT_CORE_RANKING_FUSION_H
#define DEFT_CORE_RANKING_FUSION_H

#include "core/ranking/expand.h"
#include "core/ranking/meaning.h"

// What the candidates of one query have in common.
typedef struct deft__fusion {
    uint64_t asked;     // the query's mass, known and unknown
    uint64_t known;     // that of the words that some tool has
    uint64_t length;    // of the query in full words, up to some, in 1/1024 of them
    uint64_t best;      // by words, of all candidates
    uint64_t explained; // the largest share of the query's mass that a candidate has, in 1/1024
} deft__fusion;

void deft__fusion_begin(deft__fusion *fusion, const deft__expansion *expansion);

// Notes a candidate that words found; all of them before the first is fused.
void deft__fusion_see(deft__fusion *fusion, uint64_t words, uint32_t coverage);

// What speaks for a tool, in 1/1024 of a point.
typedef struct deft__fused {
    int64_t words;
    int64_t meaning;
    int32_t likeness; // of the tool to the query, in 1/DEFT__COSINE_ONE
} deft__fused;

// `words` and `name` are those of the closer look, `coverage` in 1/DEFT__COVERAGE_FULL.
deft__fused deft__fuse(const deft__fusion *fusion, uint64_t words, uint32_t coverage, uint64_t name,
                       const deft__likeness *likeness);

// The same as a final score: a point is one unit of deft__score_of. At least the smallest there is.
uint64_t deft__fused_final(deft__fused fused);

#endif
