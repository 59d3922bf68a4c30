#include "support/allocator.h"

#include "support/test.h"

#include <stdlib.h>

static void *test_resize(void *context, void *pointer, size_t old_size, size_t size)
{
    test_allocator *self = context;
    if (size == 0) {
        if (pointer != NULL) {
            self->blocks--;
            self->bytes -= old_size;
            free(pointer);
        }
        return NULL;
    }
    self->requests++;
    if (self->requests == self->fail_at) {
        return NULL;
    }
    // Always a new place, so that a stale pointer is seen by the address sanitizer.
    void *moved = malloc(size);
    if (moved == NULL) {
        return NULL;
    }
    if (pointer != NULL) {
        memcpy(moved, pointer, old_size < size ? old_size : size);
        free(pointer);
        self->bytes -= old_size;
    } else {
        self->blocks++;
    }
    self->bytes += size;
    if (self->bytes > self->bytes_max) {
        self->bytes_max = self->bytes;
    }
    return moved;
}

void test_allocator_init(test_allocator *allocator)
{
    *allocator = (test_allocator){.allocator = {.resize = test_resize, .context = NULL}};
    allocator->allocator.context = allocator;
}

size_t test_every_allocation_fails(bool (*attempt)(const deft_allocator *allocator, void *context),
                                   void *context)
{
    const size_t attempts_max = 100000;
    for (size_t fail_at = 1; fail_at <= attempts_max; fail_at++) {
        test_allocator failing;
        test_allocator_init(&failing);
        failing.fail_at          = fail_at;
        const bool is_successful = attempt(&failing.allocator, context);
        if (failing.blocks != 0 || failing.bytes != 0) {
            fail_msg("request %zu failed: %zu blocks, %zu bytes not given back", fail_at,
                     failing.blocks, failing.bytes);
        }
        if (failing.requests < fail_at) {
            assert_true(is_successful);
            return fail_at - 1;
        }
        if (is_successful) {
            fail_msg("request %zu failed and the call claimed success", fail_at);
        }
    }
    fail_msg("no success after %zu attempts", attempts_max);
    return 0;
}
