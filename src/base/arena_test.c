// Memory that is freed all at once.
#include "base/arena.h"

#include "support/allocator.h"
#include "support/test.h"

#include <stdalign.h>

static void pieces_are_zeroed_and_aligned_and_apart(void **state)
{
    (void)state;
    deft__arena arena;
    deft__arena_init(&arena, NULL);

    // Sizes that cross the end of a block, and one that is larger than a block.
    static const size_t sizes[] = {1, 0, 17, 5000, 12000, 3, 100000, 64};
    unsigned char      *pieces[array_size(sizes)];
    for (size_t i = 0; i < array_size(sizes); i++) {
        pieces[i] = deft__arena_alloc(&arena, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(pieces[i][at], 0);
        }
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < array_size(sizes); i++) {
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(pieces[i][at], i + 1);
        }
    }
    deft__arena_clear(&arena);
}

static void clearing_gives_everything_back(void **state)
{
    (void)state;
    test_allocator counting;
    test_allocator_init(&counting);
    deft__arena arena;
    deft__arena_init(&arena, &counting.allocator);
    assert_int_equal(counting.requests, 0); // nothing is taken before it is needed

    for (int round = 0; round < 2; round++) {
        assert_non_null(deft__arena_alloc(&arena, 40000));
        assert_non_null(deft__arena_alloc(&arena, 40000));
        assert_int_equal(arena.size, counting.bytes);
        deft__arena_clear(&arena); // and the arena is usable again
        assert_int_equal(arena.size, 0);
        assert_int_equal(counting.blocks, 0);
        assert_int_equal(counting.bytes, 0);
    }
    deft__arena_clear(&arena);
    assert_int_equal(counting.requests, 4);
}

static void many_small_pieces_take_few_blocks(void **state)
{
    (void)state;
    test_allocator counting;
    test_allocator_init(&counting);
    deft__arena arena;
    deft__arena_init(&arena, &counting.allocator);
    for (int i = 0; i < 100000; i++) {
        assert_non_null(deft__arena_alloc(&arena, 16));
    }
    // 1.6 MB from one block of a kilobyte, then as much as there is already: 1 kB * 2^11 is enough.
    assert_in_range(counting.requests, 1, 12);
    assert_in_range(counting.bytes, 1600000, 3300000);
    deft__arena_clear(&arena);
}

static void an_array_is_counted_in_items(void **state)
{
    (void)state;
    deft__arena arena;
    deft__arena_init(&arena, NULL);
    uint64_t *numbers = deft__arena_array(&arena, 100, sizeof *numbers);
    assert_non_null(numbers);
    numbers[99] = 1;
    assert_int_equal(numbers[0], 0);
    deft__arena_clear(&arena);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    deft__arena arena;
    deft__arena_init(&arena, NULL);
    deft_view copy = {0};
    assert_null(deft__arena_alloc(&arena, SIZE_MAX));
    assert_null(deft__arena_alloc(&arena, SIZE_MAX - 2 * alignof(max_align_t)));
    assert_null(deft__arena_array(&arena, SIZE_MAX / 2, 3));
    assert_false(deft__arena_copy(&arena, deft_view_make("x", SIZE_MAX), &copy));
    assert_null(copy.data);
    assert_null(arena.blocks);
}

static void a_copy_is_its_own_and_ends_in_nul(void **state)
{
    (void)state;
    deft__arena arena;
    deft__arena_init(&arena, NULL);
    char      text[] = "list_issues";
    deft_view copy   = {0};
    assert_true(deft__arena_copy(&arena, deft_view_of(text), &copy));
    text[0] = 'X';
    assert_view_equal(copy, "list_issues");
    assert_string_equal(copy.data, "list_issues");

    assert_true(deft__arena_copy(&arena, deft_view_make(NULL, 0), &copy));
    assert_string_equal(copy.data, "");
    assert_int_equal(copy.size, 0);
    deft__arena_clear(&arena);
}

static bool fill(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__arena arena;
    deft__arena_init(&arena, allocator);
    deft_view  copy          = {0};
    const bool is_successful = deft__arena_alloc(&arena, 10000) != NULL &&
                               deft__arena_array(&arena, 1000, 10) != NULL &&
                               deft__arena_copy(&arena, deft_view_of("text"), &copy) &&
                               deft__arena_alloc(&arena, 100000) != NULL;
    deft__arena_clear(&arena);
    return is_successful;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation_fails(fill, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_and_aligned_and_apart),
        cmocka_unit_test(clearing_gives_everything_back),
        cmocka_unit_test(many_small_pieces_take_few_blocks),
        cmocka_unit_test(an_array_is_counted_in_items),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(a_copy_is_its_own_and_ends_in_nul),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
