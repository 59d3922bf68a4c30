// Places: neighbours by name. Proves a part of C9.
#include "core/index/place.h"

#include "support/random.h"
#include "support/test.h"

static void the_lowest_keys_are_kept_in_order(void **state)
{
    (void)state;
    deft__placing  placing = {.number = 1};
    size_t         count   = 0;
    const uint32_t keys[]  = {9, 4, 7, 8, 5, 10, 4};
    for (size_t i = 0; i < array_size(keys); i++) {
        deft__placing_add(&placing, &count, keys[i]);
    }
    assert_int_equal(count, DEFT__PLACING_KEYS);
    static const uint32_t expected[] = {4, 4, 5, 7};
    assert_memory_equal(placing.keys, expected, sizeof expected);
}

static void items_are_sorted_by_keys_and_then_by_number(void **state)
{
    (void)state;
    test_random random = {.state = 3};
    for (size_t count = 0; count < 70; count++) {
        deft__placing items[70] = {{{0}, 0}};
        deft__placing spare[70];
        for (uint32_t i = 0; i < count; i++) {
            size_t keys     = 0;
            items[i].number = i;
            while (keys < test_random_below(&random, DEFT__PLACING_KEYS + 1)) {
                deft__placing_add(&items[i], &keys, 1 + (uint32_t)test_random_below(&random, 3));
            }
        }
        const deft__placing *sorted = deft__sort_placings(items, spare, count);
        for (size_t i = 1; i < count; i++) {
            int k = 0;
            while (k < DEFT__PLACING_KEYS && sorted[i - 1].keys[k] == sorted[i].keys[k]) {
                k++;
            }
            assert_true(k < DEFT__PLACING_KEYS ? sorted[i - 1].keys[k] < sorted[i].keys[k]
                                               : sorted[i - 1].number < sorted[i].number);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_keys_are_kept_in_order),
        cmocka_unit_test(items_are_sorted_by_keys_and_then_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
