// learning.h - what was learned, while a query is weighed against it.
#ifndef DEFT_CORE_RANKING_LEARNING_H
#define DEFT_CORE_RANKING_LEARNING_H

#include "core/ranking/expand.h"
#include "deft/learning.h"

// Working memory of a searcher. All zero: nothing is learned.
typedef struct deft__learned {
    const deft_learning *learning; // borrowed
    uint32_t            *shared;   // per use: the weight of the words that it shares with the query
    uint32_t            *uses;     // those that share any
    uint64_t            *evidence; // per tool
    size_t               use_count;
    size_t               tool_count;
} deft__learned;

// Room for `learning`, which may be NULL. DEFT_OUT_OF_MEMORY: all is as before.
deft_status deft__learned_set(deft__learned *learned, const deft_learning *learning,
                              const deft_allocator *allocator);
void        deft__learned_clear(deft__learned *learned, const deft_allocator *allocator);

// Weighs what was learned for a query; until the next one deft__learned_lift gives what a tool gains
// by it, in 1/1000 of its score.
void     deft__learned_weigh(deft__learned *learned, const deft__image *image,
                             const deft__expansion *expansion);
uint64_t deft__learned_lift(const deft__learned *learned, uint32_t tool);

#endif
