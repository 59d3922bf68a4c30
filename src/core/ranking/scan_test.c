// The wide loops give the same bits as the plain ones. Proves a part of C9.
#include "core/ranking/scan.h"

#include "support/test.h"

// A small generator with a fixed seed: the same numbers on every run.
static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void scanning_finds_the_first_that_is_large_enough(void **state)
{
    (void)state;
    uint32_t seed = 1;
    uint32_t values[133];
    for (int round = 0; round < 2000; round++) {
        const size_t   count = next_number(&seed) % (array_size(values) + 1);
        const uint32_t mask  = (1u << 20) - 1;
        const uint32_t least = 1 + next_number(&seed) % 1000;
        for (size_t i = 0; i < count; i++) {
            // High bits are another number's business and must not count.
            values[i] = next_number(&seed) % 1001 | next_number(&seed) << 20;
        }
        for (size_t from = 0; from <= count; from += 1 + next_number(&seed) % 9) {
            assert_int_equal(deft__scan(values, from, count, mask, least),
                             deft__scan_plain(values, from, count, mask, least));
        }
    }
}

static void scanning_all_finds_all(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 500; round++) {
        uint32_t       values[133];
        uint16_t       wide[133];
        uint16_t       plain[133];
        const size_t   count = next_number(&seed) % (array_size(values) + 1);
        const uint32_t mask  = (1u << 20) - 1;
        const uint32_t least = 1 + next_number(&seed) % 1000;
        for (size_t i = 0; i < count; i++) {
            values[i] = next_number(&seed) % 1001 | next_number(&seed) << 20;
        }
        const size_t found = deft__scan_all(values, count, mask, least, wide);
        assert_int_equal(deft__scan_all_plain(values, count, mask, least, plain), found);
        assert_memory_equal(wide, plain, found * sizeof wide[0]);
        size_t expected = 0;
        for (size_t i = 0; i < count; i++) {
            expected += (values[i] & mask) >= least;
        }
        assert_int_equal(found, expected);
    }
}

static void words_with_nearly_the_same_letters_are_found(void **state)
{
    (void)state;
    uint32_t seed = 9;
    for (int round = 0; round < 500; round++) {
        uint32_t       letters[100];
        const size_t   count  = next_number(&seed) % (array_size(letters) + 1);
        const uint32_t wanted = next_number(&seed) * 257;
        const unsigned most   = next_number(&seed) % 33;
        for (size_t i = 0; i < count; i++) {
            letters[i] = next_number(&seed) * 257;
        }
        for (size_t from = 0; from <= count; from++) {
            size_t expected = from;
            while (expected < count &&
                   (unsigned)__builtin_popcount(letters[expected] ^ wanted) > most) {
                expected++;
            }
            assert_int_equal(deft__scan_letters(letters, from, count, wanted, most), expected);
            assert_int_equal(deft__scan_letters_plain(letters, from, count, wanted, most),
                             expected);
        }
    }
}

static void nothing_is_found_in_nothing(void **state)
{
    (void)state;
    const uint32_t values[4] = {0, 0, 0, 0};
    assert_int_equal(deft__scan(values, 0, 0, UINT32_MAX >> 1, 1), 0);
    assert_int_equal(deft__scan(values, 0, 4, UINT32_MAX >> 1, 1), 4);
    assert_int_equal(deft__scan(values, 4, 4, UINT32_MAX >> 1, 1), 4);
}

static void bounds_add_up_alike(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 500; round++) {
        uint8_t        maxima[100];
        uint32_t       wide[100];
        uint32_t       plain[100];
        const size_t   count  = next_number(&seed) % (array_size(maxima) + 1);
        const uint32_t weight = next_number(&seed) % 8192;
        for (size_t i = 0; i < count; i++) {
            maxima[i] = (uint8_t)next_number(&seed);
            wide[i] = plain[i] = next_number(&seed) % 100000;
        }
        deft__add_bounds(wide, maxima, count, weight);
        deft__add_bounds_plain(plain, maxima, count, weight);
        assert_memory_equal(wide, plain, count * sizeof wide[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scanning_finds_the_first_that_is_large_enough),
        cmocka_unit_test(scanning_all_finds_all),
        cmocka_unit_test(words_with_nearly_the_same_letters_are_found),
        cmocka_unit_test(nothing_is_found_in_nothing),
        cmocka_unit_test(bounds_add_up_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
