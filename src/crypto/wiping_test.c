// Memory that held secrets is overwritten before anybody else gets it.
#include "crypto/wiping.h"

#include "base/arena.h"
#include "base/memory.h"
#include "deft/buffer.h"
#include "support/allocator.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

// Looks at what is given back.
typedef struct witness {
    size_t freed;   // bytes so far
    size_t secrets; // bytes of these that were not zero
} witness;

static void *watch(void *context, void *pointer, size_t old_size, size_t size)
{
    witness *seen = context;
    if (pointer == NULL) {
        return malloc(size);
    }
    assert_int_equal(size, 0); // nothing is resized where it is
    for (size_t i = 0; i < old_size; i++) {
        seen->secrets += ((const char *)pointer)[i] != '\0' ? 1 : 0;
    }
    seen->freed += old_size;
    free(pointer);
    return NULL;
}

static void what_grows_leaves_nothing_behind(void **state)
{
    witness              seen   = {.freed = 0};
    const deft_allocator base   = {.resize = watch, .context = &seen};
    const deft_allocator wiping = deft__wiping_allocator(&base);
    deft_buffer          buffer;
    (void)state;
    deft_buffer_init(&buffer, &wiping);
    for (size_t i = 0; i < 1000; i++) {
        deft_buffer_append_text(&buffer, "secret");
    }
    assert_int_equal(buffer.status, DEFT_OK);
    assert_int_equal(buffer.size, 6000);
    assert_memory_equal(buffer.data + 5994, "secret", 6);
    assert_true(seen.freed > 0);
    deft_buffer_clear(&buffer);
    assert_true(seen.freed > 6000);
    assert_int_equal(seen.secrets, 0);
}

static void an_arena_leaves_nothing_behind(void **state)
{
    witness              seen   = {.freed = 0};
    const deft_allocator base   = {.resize = watch, .context = &seen};
    const deft_allocator wiping = deft__wiping_allocator(&base);
    deft__arena          arena;
    deft_view            copy;
    (void)state;
    deft__arena_init(&arena, &wiping);
    assert_true(deft__arena_copy(&arena, deft_view_of("Bearer secret"), &copy));
    deft__arena_clear(&arena);
    assert_true(seen.freed >= 13);
    assert_int_equal(seen.secrets, 0);
}

static bool grow_and_shrink(const deft_allocator *allocator, void *context)
{
    const deft_allocator wiping = deft__wiping_allocator(allocator);
    char                *text   = deft__resize(&wiping, NULL, 0, 4);
    (void)context;
    if (text == NULL) {
        return false;
    }
    memcpy(text, "abcd", 4);
    size_t size  = 4;
    char  *other = deft__resize(&wiping, text, 4, 2);
    // Where there is no memory the old one stays as it is.
    text = other != NULL ? other : text;
    size = other != NULL ? 2 : 4;
    assert_memory_equal(text, "ab", 2);
    deft__free(&wiping, text, size);
    return other != NULL;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(grow_and_shrink, NULL) > 0);
    assert_true(grow_and_shrink(NULL, NULL)); // the heap
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_leaves_nothing_behind),
        cmocka_unit_test(an_arena_leaves_nothing_behind),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
