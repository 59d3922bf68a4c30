// guard.h - input laid against a page that may not be touched: reading one byte past its end, or
// before its start, stops the test at once.
#ifndef DEFT_TESTS_GUARD_H
#define DEFT_TESTS_GUARD_H

#include "deft/view.h"

typedef struct test_guard {
    void  *mapping;
    size_t mapping_size;
} test_guard;

// A copy of `text` that ends exactly where the forbidden page begins.
deft_view test_guard_copy(test_guard *guard, deft_view text);
void      test_guard_clear(test_guard *guard);

#endif
