// Asking for memory, and sizes that do not fit into a size_t.
#include "base/memory.h"

#include "support/allocator.h"
#include "support/test.h"

static void new_memory_is_zero(void **state)
{
    (void)state;
    test_allocator counting;
    test_allocator_init(&counting);

    const deft_allocator *const allocators[] = {NULL, &counting.allocator};
    for (size_t i = 0; i < array_size(allocators); i++) {
        unsigned char *bytes = deft__new(allocators[i], 1000);
        assert_non_null(bytes);
        for (size_t at = 0; at < 1000; at++) {
            assert_int_equal(bytes[at], 0);
        }
        deft__free(allocators[i], bytes, 1000);
    }
    assert_int_equal(counting.requests, 1);
    assert_int_equal(counting.blocks, 0);
}

static void resizing_keeps_the_content(void **state)
{
    (void)state;
    char *text = deft__resize(NULL, NULL, 0, 4);
    assert_non_null(text);
    memcpy(text, "tool", 4);
    text = deft__resize(NULL, text, 4, 4000);
    assert_non_null(text);
    assert_memory_equal(text, "tool", 4);
    assert_null(deft__resize(NULL, text, 4000, 0));
}

static void freeing_nothing_asks_nobody(void **state)
{
    (void)state;
    deft__free(NULL, NULL, 0);
    // An allocator without a function would crash if it were asked.
    const deft_allocator untouchable = {0};
    deft__free(&untouchable, NULL, 10);
}

static void no_memory_is_null(void **state)
{
    (void)state;
    test_allocator failing;
    test_allocator_init(&failing);
    failing.fail_at = 1;
    assert_null(deft__new(&failing.allocator, 8));
}

static const struct {
    const char *name;
    size_t      a;
    size_t      b;
    bool        adds;
    bool        multiplies;
} sizes[] = {
    {"small numbers", 3, 4, true, true},
    {"zero and the largest", 0, SIZE_MAX, true, true},
    {"the largest and zero", SIZE_MAX, 0, true, true},
    {"the largest and one", SIZE_MAX, 1, false, true},
    {"the largest and two", SIZE_MAX, 2, false, false},
    {"half and two", SIZE_MAX / 2, 2, true, true},
    {"half and one, and two", SIZE_MAX / 2 + 1, 2, true, false},
    {"half and half", SIZE_MAX / 2, SIZE_MAX / 2, true, false},
};

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(sizes); i++) {
        case_name(sizes[i].name);
        size_t sum     = 42;
        size_t product = 42;
        assert_int_equal(deft__add_size(sizes[i].a, sizes[i].b, &sum), sizes[i].adds);
        assert_int_equal(deft__multiply_size(sizes[i].a, sizes[i].b, &product),
                         sizes[i].multiplies);
        assert_true(sum == (sizes[i].adds ? sizes[i].a + sizes[i].b : 42));
        assert_true(product == (sizes[i].multiplies ? sizes[i].a * sizes[i].b : 42));
    }
}

// A list of a thousand numbers, one append at a time.
static bool append_numbers(const deft_allocator *allocator, void *context)
{
    size_t *requests_max = context;
    void   *items        = NULL;
    size_t  capacity     = 0;
    size_t  count        = 0;
    size_t  grown        = 0;
    while (count < 1000) {
        const size_t before = capacity;
        if (!deft__grow(allocator, &items, &capacity, count, sizeof(uint32_t))) {
            assert_int_equal(capacity, before); // unchanged, and still ours to free
            break;
        }
        grown += capacity != before;
        ((uint32_t *)items)[count] = (uint32_t)count;
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(((uint32_t *)items)[i], i);
    }
    deft__free(allocator, items, capacity * sizeof(uint32_t));
    *requests_max = grown;
    return count == 1000;
}

static void a_list_grows_by_doubling(void **state)
{
    (void)state;
    size_t grown = 0;
    // 8, 16, ... 1024: eight requests, each of which fails once.
    assert_int_equal(test_every_allocation_fails(append_numbers, &grown), 8);
    assert_int_equal(grown, 8);
}

static void a_list_cannot_grow_past_all_memory(void **state)
{
    (void)state;
    char   item     = 'x';
    void  *items    = &item; // never touched: the sizes alone decide
    size_t capacity = SIZE_MAX / 2 + 1;
    assert_false(deft__grow(NULL, &items, &capacity, capacity, 1));
    capacity = SIZE_MAX / 8;
    assert_false(deft__grow(NULL, &items, &capacity, capacity, 8));
    assert_ptr_equal(items, &item);
    assert_true(capacity == SIZE_MAX / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_memory_is_zero),
        cmocka_unit_test(resizing_keeps_the_content),
        cmocka_unit_test(freeing_nothing_asks_nobody),
        cmocka_unit_test(no_memory_is_null),
        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(a_list_grows_by_doubling),
        cmocka_unit_test(a_list_cannot_grow_past_all_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
