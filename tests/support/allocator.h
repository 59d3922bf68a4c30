// allocator.h - an allocator that fails on command and knows what was not given back.
#ifndef DEFT_TESTS_ALLOCATOR_H
#define DEFT_TESTS_ALLOCATOR_H

#include "deft/allocator.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct test_allocator {
    deft_allocator allocator; // pass &x.allocator
    size_t         fail_at;   // the request that fails, counted from 1; 0: none does
    size_t         requests;  // so far; giving memory back does not count
    size_t         blocks;    // alive now
    size_t         bytes;     // alive now
    size_t         bytes_max; // the most that were alive at once
} test_allocator;

void test_allocator_init(test_allocator *allocator);

// Runs `attempt` with the 1st request failing, then the 2nd, and so on until it succeeds without
// a failed request. `attempt` returns true on success and false on a clean out-of-memory failure,
// and must give back all it took in both cases. Fails the test when something leaks, or when it
// never succeeds. Returns how many requests failed in all.
size_t test_every_allocation_fails(bool (*attempt)(const deft_allocator *allocator, void *context),
                                   void *context);

#endif
