// Vectors: the wide loops give the bits of the plain ones, and lengths and cosines are what they
// should be.
#include "core/semantic/vector.h"

#include "support/random.h"
#include "support/test.h"

#define DIMENSIONS 256u

static void fill(test_random *random, int8_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (int8_t)((int)test_random_below(random, 256) - 128);
    }
}

static void wide_products_are_the_plain_ones(void **state)
{
    (void)state;
    test_random random = {1};
    int8_t      a[DIMENSIONS];
    int8_t      b[DIMENSIONS];
    for (size_t round = 0; round < 200; round++) {
        const size_t count = 64 * (1 + test_random_below(&random, 4));
        fill(&random, a, DIMENSIONS);
        fill(&random, b, DIMENSIONS);
        assert_int_equal(deft__dot(a, b, count), deft__dot_plain(a, b, count));
        assert_int_equal(deft__dot_avx2(a, b, count), deft__dot_plain(a, b, count));
    }
    memset(a, -128, sizeof a);
    assert_int_equal(deft__dot(a, a, DIMENSIONS), 128 * 128 * 256);
}

static void products_with_many_are_those_with_each(void **state)
{
    (void)state;
    test_random   random = {4};
    int8_t        one[DIMENSIONS];
    int8_t        rows[21][DIMENSIONS];
    const int8_t *others[21];
    int32_t       products[21];
    for (size_t round = 0; round < 100; round++) {
        const size_t count       = 64 * (1 + test_random_below(&random, 4));
        const size_t other_count = test_random_below(&random, array_size(others) + 1);
        fill(&random, one, DIMENSIONS);
        for (size_t i = 0; i < array_size(others); i++) {
            fill(&random, rows[i], DIMENSIONS);
            others[i] = rows[i];
        }
        deft__dot_each(one, others, other_count, count, products);
        for (size_t i = 0; i < other_count; i++) {
            assert_int_equal(products[i], deft__dot_plain(one, others[i], count));
        }
    }
    memset(one, -128, sizeof one);
    memset(rows, -128, sizeof rows);
    deft__dot_each(one, others, 5, DIMENSIONS, products);
    assert_int_equal(products[0], 128 * 128 * 256);
    assert_int_equal(products[4], 128 * 128 * 256);
}

static void wide_shrinking_is_the_plain_one(void **state)
{
    (void)state;
    test_random random = {5};
    int32_t     numbers[DIMENSIONS];
    int8_t      wide[DIMENSIONS];
    int8_t      plain[DIMENSIONS];
    for (size_t round = 0; round < 200; round++) {
        const size_t   count = 64 * (1 + test_random_below(&random, 4));
        const unsigned bits  = (unsigned)test_random_below(&random, 32);
        for (size_t i = 0; i < count; i++) {
            numbers[i] = (int32_t)(uint32_t)test_random_next(&random) >> bits;
        }
        numbers[test_random_below(&random, count)] = round == 0 ? INT32_MIN : 1;
        const uint32_t largest                     = deft__largest_plain(numbers, count);
        const uint64_t step                        = (UINT64_C(127) << 32) / largest;
        assert_int_equal(deft__largest(numbers, count), largest);
        assert_int_equal(deft__shrink(numbers, count, step, wide),
                         deft__shrink_plain(numbers, count, step, plain));
        assert_memory_equal(wide, plain, count);
    }
}

static void wide_sums_are_the_plain_ones(void **state)
{
    (void)state;
    test_random random            = {2};
    int32_t     wide[DIMENSIONS]  = {0};
    int32_t     plain[DIMENSIONS] = {0};
    int8_t      row[DIMENSIONS];
    for (size_t round = 0; round < 200; round++) {
        const int32_t scale = (int32_t)test_random_below(&random, DEFT__MODEL_SCALE_MAX + 1);
        fill(&random, row, DIMENSIONS);
        deft__sum_add(wide, row, scale, DIMENSIONS);
        deft__sum_add_plain(plain, row, scale, DIMENSIONS);
    }
    assert_memory_equal(wide, plain, sizeof wide);
}

static void wide_distances_are_the_plain_ones(void **state)
{
    (void)state;
    test_random random = {3};
    uint64_t    signs[43 * 4];
    uint64_t    wanted[4];
    uint16_t    wide[43];
    uint16_t    plain[43];
    for (size_t round = 0; round < 100; round++) {
        const size_t words = 1 + test_random_below(&random, 4);
        const size_t count = test_random_below(&random, 44);
        for (size_t i = 0; i < array_size(signs); i++) {
            signs[i] = test_random_next(&random);
        }
        for (size_t i = 0; i < array_size(wanted); i++) {
            wanted[i] = test_random_next(&random);
        }
        deft__count_differing(signs, count, wanted, words, wide);
        deft__count_differing_plain(signs, count, wanted, words, plain);
        assert_memory_equal(wide, plain, count * sizeof *wide);
        deft__count_differing_popcnt(signs, count, wanted, words, wide);
        assert_memory_equal(wide, plain, count * sizeof *wide);
    }
}

static void wide_lists_are_the_plain_ones(void **state)
{
    (void)state;
    test_random random = {6};
    uint16_t    distances[300];
    uint32_t    wide[64];
    uint32_t    plain[64];
    for (size_t round = 0; round < 200; round++) {
        const size_t count  = test_random_below(&random, array_size(distances) + 1);
        const size_t near   = 1 + test_random_below(&random, 20); // one of so many
        size_t       listed = 0;
        for (size_t i = 0; i < count; i++) {
            distances[i] = test_random_once_in(&random, near) ? 80 : 81;
        }
        for (size_t at = 0; at < count;) {
            size_t       same   = at;
            size_t       narrow = at;
            const size_t found = deft__list_near(distances, &at, count, 80, wide, array_size(wide));
            assert_int_equal(found, deft__list_near_plain(distances, &same, count, 80, plain,
                                                          array_size(plain)));
            assert_int_equal(at, same);
            assert_memory_equal(wide, plain, found * sizeof *wide);
            assert_int_equal(
                deft__list_near_avx2(distances, &narrow, count, 80, wide, array_size(wide)), found);
            assert_int_equal(narrow, same);
            assert_memory_equal(wide, plain, found * sizeof *wide);
            listed += found;
        }
        for (size_t i = 0; i < count; i++) {
            listed -= distances[i] == 80;
        }
        assert_int_equal(listed, 0);
    }
}

static void a_root_is_the_largest_whole_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t    value;
        uint32_t    root;
    } cases[] = {
        {"nothing", 0, 0},         {"one", 1, 1},
        {"below a square", 24, 4}, {"a square", 25, 5},
        {"above a square", 26, 5}, {"the largest there is", UINT64_MAX, UINT32_MAX},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        assert_int_equal(deft__root(cases[i].value), cases[i].root);
    }
}

static void a_vector_keeps_the_direction_of_its_sum(void **state)
{
    (void)state;
    deft__sum    sum = {{0}};
    deft__vector vector;
    deft__vector same;
    deft__vector_from(&vector, &sum, DIMENSIONS);
    assert_int_equal(vector.length, 0);
    assert_int_equal(deft__cosine(5, vector.length, 16), 0);

    sum.numbers[0] = 3000000;
    sum.numbers[1] = -4000000;
    deft__vector_from(&vector, &sum, DIMENSIONS);
    assert_int_equal(vector.numbers[0], 95);
    assert_int_equal(vector.numbers[1], -127);
    assert_int_equal(vector.length, 2537); // 16 times the root of 95 and 127 squared
    sum.numbers[0] *= 100;
    sum.numbers[1] *= 100;
    deft__vector_from(&same, &sum, DIMENSIONS);
    assert_in_range(deft__cosine(deft__dot(vector.numbers, same.numbers, DIMENSIONS), vector.length,
                                 same.length),
                    DEFT__COSINE_ONE - 1, DEFT__COSINE_ONE + 1);
    uint64_t signs[DIMENSIONS / 64];
    deft__signs_of(vector.numbers, DIMENSIONS, signs);
    assert_int_equal(signs[0], 2);
    assert_int_equal(signs[3], 0);
}

static void a_long_field_counts_more_but_not_as_much_more(void **state)
{
    (void)state;
    deft__sum small      = {{0}};
    deft__sum large      = {{0}};
    deft__sum from_small = {{0}};
    deft__sum from_large = {{0}};
    small.numbers[0]     = 1000000;
    large.numbers[0]     = 100000000;
    deft__sum_merge(&from_small, &small, 256, DIMENSIONS);
    deft__sum_merge(&from_large, &large, 256, DIMENSIONS);
    assert_in_range(from_large.numbers[0] / from_small.numbers[0], 9, 10);
    deft__sum_merge(&from_small, &(deft__sum){{0}}, 256, DIMENSIONS); // nothing adds nothing
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(wide_products_are_the_plain_ones),
        cmocka_unit_test(products_with_many_are_those_with_each),
        cmocka_unit_test(wide_shrinking_is_the_plain_one),
        cmocka_unit_test(wide_sums_are_the_plain_ones),
        cmocka_unit_test(wide_distances_are_the_plain_ones),
        cmocka_unit_test(wide_lists_are_the_plain_ones),
        cmocka_unit_test(a_root_is_the_largest_whole_one),
        cmocka_unit_test(a_vector_keeps_the_direction_of_its_sum),
        cmocka_unit_test(a_long_field_counts_more_but_not_as_much_more),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
