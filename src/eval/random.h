// random.h - numbers that look random and are the same everywhere (SplitMix64 by Steele, Lea and
// Flood), so that an interval is the same in every run.
#ifndef DEFT_EVAL_RANDOM_H
#define DEFT_EVAL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct deft__eval_random {
    uint64_t state; // start with any number: a seed
} deft__eval_random;

static inline uint64_t deft__eval_random_next(deft__eval_random *random)
{
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t value = random->state;
    value          = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value          = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

// From 0 up to, not including, `limit` (> 0). The bias of the division is below limit / 2^32.
static inline size_t deft__eval_random_below(deft__eval_random *random, size_t limit)
{
    return (size_t)(((deft__eval_random_next(random) >> 32) * (uint64_t)limit) >> 32);
}

#endif
