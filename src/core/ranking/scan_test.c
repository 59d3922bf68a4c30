// The wide loops give the same bits as the plain ones. Proves a part of C9.
#include "core/ranking/scan.h"

#include "support/test.h"

// A small generator with a fixed seed: the same numbers on every run.
static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Every test is run with each width, against the plain one.
static const deft__scans *scans;
static const deft__scans *plain_scans;

static int use_width(deft__width width)
{
    scans       = deft__scans_of(width);
    plain_scans = deft__scans_of(DEFT__WIDTH_PLAIN);
    return 0;
}

static int use_avx2(void **state)
{
    (void)state;
    return use_width(DEFT__WIDTH_AVX2);
}

static int use_avx512(void **state)
{
    (void)state;
    return use_width(DEFT__WIDTH_AVX512);
}

static void scanning_all_finds_all(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 500; round++) {
        uint16_t       values[133];
        uint16_t       wide[133];
        uint16_t       plain[133];
        const size_t   count    = next_number(&seed) % (array_size(values) + 1);
        const uint32_t least    = 1 + next_number(&seed) % UINT16_MAX;
        size_t         expected = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = (uint16_t)next_number(&seed);
            expected += values[i] >= least;
        }
        const size_t found = scans->all(values, count, least, wide);
        assert_int_equal(found, expected);
        assert_int_equal(plain_scans->all(values, count, least, plain), found);
        assert_memory_equal(wide, plain, found * sizeof wide[0]);
    }
}

static void the_nth_largest_leaves_few_too_many(void **state)
{
    (void)state;
    static uint16_t values[40000];
    uint32_t        seed = 5;
    for (int round = 0; round < 300; round++) {
        const size_t count =
            next_number(&seed) % (round % 50 == 0 ? array_size(values) : (size_t)300);
        const size_t   nth  = 1 + next_number(&seed) % 60;
        const uint32_t most = 1 + next_number(&seed) % UINT16_MAX;
        for (size_t i = 0; i < count; i++) {
            values[i] = (uint16_t)(next_number(&seed) % (most + 1));
        }
        const uint32_t nth_largest = scans->nth_largest(values, count, nth);
        size_t         reaching    = 0;
        size_t         above       = 0;
        for (size_t i = 0; i < count; i++) {
            reaching += values[i] >= nth_largest;
            above += values[i] > nth_largest;
        }
        assert_int_equal(nth_largest, plain_scans->nth_largest(values, count, nth));
        assert_true(reaching >= nth || count < nth);
        assert_true(count <= nth || above < nth + nth / 8 + 1);
    }
    for (size_t i = 0; i < array_size(values); i++) {
        values[i] = UINT16_MAX;
    }
    assert_int_equal(scans->nth_largest(values, array_size(values), 3), UINT16_MAX);
    assert_int_equal(scans->nth_largest(values, 3, 3), 0);
    assert_int_equal(scans->nth_largest(values, 0, 3), 0);
}

static void ranks_put_keys_in_order(void **state)
{
    (void)state;
    uint32_t seed = 13;
    for (int round = 0; round < 300; round++) {
        uint64_t     keys[70];
        uint16_t     wide[70];
        uint16_t     plain[70];
        bool         is_taken[70] = {false};
        const size_t count        = next_number(&seed) % (array_size(keys) + 1);
        for (size_t i = 0; i < count; i++) {
            // All differ, by what is high in them or by what is low.
            keys[i] =
                ((uint64_t)next_number(&seed) % 9 << next_number(&seed) % 54) * 128 + i * 7919 % 71;
        }
        scans->rank_all(keys, count, wide);
        plain_scans->rank_all(keys, count, plain);
        assert_memory_equal(wide, plain, count * sizeof wide[0]);
        for (size_t i = 0; i < count; i++) {
            assert_true(wide[i] < count && !is_taken[wide[i]]);
            is_taken[wide[i]] = true;
            for (size_t k = 0; k < count; k++) {
                assert_true((keys[k] > keys[i]) == (wide[k] < wide[i]));
            }
        }
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
            assert_int_equal(scans->letters(letters, from, count, wanted, most), expected);
            assert_int_equal(plain_scans->letters(letters, from, count, wanted, most), expected);
        }
    }
}

static void bounds_add_up_alike(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 500; round++) {
        uint8_t        maxima[100];
        uint16_t       wide[100];
        uint16_t       plain[100];
        const size_t   count  = next_number(&seed) % (array_size(maxima) + 1);
        const uint16_t weight = (uint16_t)next_number(&seed);
        for (size_t i = 0; i < count; i++) {
            maxima[i] = (uint8_t)next_number(&seed);
            wide[i] = plain[i] = (uint16_t)next_number(&seed); // half of them reach the top
        }
        scans->add_bounds(wide, maxima, count, weight);
        plain_scans->add_bounds(plain, maxima, count, weight);
        assert_memory_equal(wide, plain, count * sizeof wide[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scanning_all_finds_all),
        cmocka_unit_test(the_nth_largest_leaves_few_too_many),
        cmocka_unit_test(ranks_put_keys_in_order),
        cmocka_unit_test(words_with_nearly_the_same_letters_are_found),
        cmocka_unit_test(bounds_add_up_alike),
    };
    return cmocka_run_group_tests_name("avx2", tests, use_avx2, NULL) +
           cmocka_run_group_tests_name("avx512", tests, use_avx512, NULL);
}
