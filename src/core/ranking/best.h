// best.h - the best tools so far. Each is one number that orders as the tools do: the higher score
// first, and of two equals the earlier tool.
//
//     63 ........ 44   43 ........ 12   11 ....... 0
//     score            ~tool            coverage
#ifndef DEFT_CORE_RANKING_BEST_H
#define DEFT_CORE_RANKING_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is summed up for a tool: its score in the low bits and, above them, how much of the query's
// mass it covers. Adding both at once costs the same as adding one.
#define DEFT__SCORE_BITS 20u
#define DEFT__SCORE_MASK ((UINT32_C(1) << DEFT__SCORE_BITS) - 1)

// Once it is full, a heap with the worst one on top.
typedef struct deft__best {
    uint64_t *keys; // room for `max`
    size_t    count;
    size_t    max;
    // Asked before a tool is taken in; NULL: all are allowed.
    bool (*is_allowed)(void *context, uint32_t tool);
    void *context;
} deft__best;

// The score below which no tool gets in. One that equals it may, by coming earlier in the catalog.
static inline uint32_t deft__best_bar(const deft__best *best)
{
    return best->count < best->max ? 1 : (uint32_t)(best->keys[0] >> 44);
}

// Takes a tool in if it is better than the worst.
void deft__best_offer(deft__best *best, uint32_t tool, uint32_t sum);

static inline uint32_t deft__best_tool(uint64_t key)
{
    return ~(uint32_t)(key >> 12);
}

static inline uint32_t deft__best_score(uint64_t key)
{
    return (uint32_t)(key >> 44);
}

static inline uint32_t deft__best_coverage(uint64_t key)
{
    return (uint32_t)(key & 0xFFF);
}

#endif
