// Finding a number by a text.
#include "base/map.h"

#include "support/allocator.h"
#include "support/test.h"

static void what_was_put_is_found(void **state)
{
    (void)state;
    deft__map map;
    deft__map_init(&map, 1, NULL);
    uint32_t value = 42;
    assert_false(deft__map_find(&map, deft_view_of("github"), &value));

    assert_true(deft__map_put(&map, deft_view_of("github"), 1));
    assert_true(deft__map_put(&map, deft_view_of("gitlab"), 2));
    assert_true(deft__map_find(&map, deft_view_of("github"), &value));
    assert_int_equal(value, 1);
    assert_true(deft__map_find(&map, deft_view_of("gitlab"), &value));
    assert_int_equal(value, 2);
    assert_false(deft__map_find(&map, deft_view_of("git"), &value));
    assert_int_equal(value, 2); // untouched
    deft__map_clear(&map);
}

static void a_second_value_replaces_the_first(void **state)
{
    (void)state;
    deft__map map;
    deft__map_init(&map, 0, NULL);
    uint32_t value = 0;
    assert_true(deft__map_put(&map, deft_view_of("tool"), 1));
    assert_true(deft__map_put(&map, deft_view_of("tool"), 9));
    assert_int_equal(map.count, 1);
    assert_true(deft__map_find(&map, deft_view_of("tool"), &value));
    assert_int_equal(value, 9);
    deft__map_clear(&map);
}

static void the_empty_text_and_bytes_of_zero_are_keys(void **state)
{
    (void)state;
    deft__map map;
    deft__map_init(&map, 0, NULL);
    uint32_t value = 0;
    assert_true(deft__map_put(&map, deft_view_make(NULL, 0), 5));
    assert_true(deft__map_put(&map, deft_view_make("\0", 1), 6));
    assert_true(deft__map_put(&map, deft_view_make("\0\0", 2), 7));
    assert_true(deft__map_find(&map, deft_view_of(""), &value));
    assert_int_equal(value, 5);
    assert_true(deft__map_find(&map, deft_view_make(NULL, 0), &value));
    assert_int_equal(value, 5);
    assert_true(deft__map_find(&map, deft_view_make("\0", 1), &value));
    assert_int_equal(value, 6);
    assert_int_equal(map.count, 3);
    deft__map_clear(&map);
}

// Ten thousand keys "0000" .. "9999" under the seed in `context`, each found again.
static bool fill(const deft_allocator *allocator, void *context)
{
    const uint64_t seed = *(const uint64_t *)context;
    enum {
        count = 10000
    };
    static char keys[count][5];
    deft__map   map;
    deft__map_init(&map, seed, allocator);

    bool is_successful = true;
    for (uint32_t i = 0; i < count && is_successful; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%04u", (unsigned)i % 10000u);
        is_successful = deft__map_put(&map, deft_view_make(keys[i], 4), i);
        // Also after a failure what is in the map is still found.
        uint32_t value = 0;
        assert_int_equal(deft__map_find(&map, deft_view_make(keys[i], 4), &value), is_successful);
        assert_true(i == 0 || deft__map_find(&map, deft_view_make(keys[i / 2], 4), &value) ||
                    !is_successful);
    }
    if (is_successful) {
        assert_int_equal(map.count, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = count;
            assert_true(deft__map_find(&map, deft_view_make(keys[i], 4), &value));
            assert_int_equal(value, i);
        }
        uint32_t value = 0;
        assert_false(deft__map_find(&map, deft_view_of("10000"), &value));
    }
    deft__map_clear(&map);
    assert_null(map.slots);
    assert_true(map.seed == seed);
    return is_successful;
}

static void many_keys_whatever_the_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        assert_true(fill(NULL, &seed));
    }
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    uint64_t seed = 3;
    // 16 slots, 32, ... 32768: twelve requests.
    assert_int_equal(test_every_allocation_fails(fill, &seed), 12);
}

static void a_zeroed_map_is_an_empty_one(void **state)
{
    (void)state;
    deft__map map   = {0};
    uint32_t  value = 0;
    assert_false(deft__map_find(&map, deft_view_of("x"), &value));
    deft__map_clear(&map);
    assert_true(deft__map_put(&map, deft_view_of("x"), 1));
    assert_true(deft__map_find(&map, deft_view_of("x"), &value));
    deft__map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found),
        cmocka_unit_test(a_second_value_replaces_the_first),
        cmocka_unit_test(the_empty_text_and_bytes_of_zero_are_keys),
        cmocka_unit_test(many_keys_whatever_the_seed),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(a_zeroed_map_is_an_empty_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
