// random.h - numbers for property tests, the same ones in every run on every machine (SplitMix64).
#ifndef DEFT_TESTS_RANDOM_H
#define DEFT_TESTS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_random {
    uint64_t state; // start with any number: a seed
} test_random;

uint64_t test_random_next(test_random *random);

// From 0 up to, not including, `limit` (> 0).
size_t test_random_below(test_random *random, size_t limit);

// True once in `times`.
bool test_random_once_in(test_random *random, size_t times);

#endif
