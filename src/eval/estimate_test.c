// Intervals and comparisons: what must hold of them, and figures worked out by hand.
#include "eval/estimate.h"

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#define MANY 400u

// Scores of 0 or 1 in every metric: 1 with a chance of `percent`.
static void coins(deft__scores *scores, size_t count, size_t percent, uint64_t seed)
{
    test_random random = {seed};
    for (size_t i = 0; i < count; i++) {
        const double value = test_random_below(&random, 100) < percent;
        for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
            scores[i].of[m] = value;
        }
    }
}

static void the_mean_is_the_mean(void **state)
{
    (void)state;
    const deft__scores scores[] = {{{0, 1}}, {{0.5, 1}}, {{1, 1}}, {{0.5, 1}}};
    deft__estimate     estimates[DEFT__METRIC_COUNT];
    deft_error         error = DEFT_ERROR_INIT;
    assert_ok(deft__eval_estimate(scores, 4, 1, estimates, NULL, &error), error);
    assert_true(estimates[0].mean == 0.5);
    assert_true(estimates[0].low >= 0 && estimates[0].low < 0.5);
    assert_true(estimates[0].high > 0.5 && estimates[0].high <= 1);
    // Where all are equal there is nothing to be unsure of.
    assert_true(estimates[1].mean == 1 && estimates[1].low == 1 && estimates[1].high == 1);
}

static void means_of_nothing_are_zero(void **state)
{
    (void)state;
    double means[DEFT__METRIC_COUNT];
    deft__eval_means(NULL, 0, means);
    assert_true(means[DEFT__METRIC_MRR] == 0);
}

// The interval of a share is near p +- 1.96 sqrt(p (1 - p) / n).
static void the_interval_is_as_wide_as_the_normal_one(void **state)
{
    (void)state;
    static deft__scores scores[MANY];
    deft__estimate      estimates[DEFT__METRIC_COUNT];
    deft_error          error = DEFT_ERROR_INIT;
    coins(scores, MANY, 70, 7);
    assert_ok(deft__eval_estimate(scores, MANY, 1, estimates, NULL, &error), error);
    const double p    = estimates[0].mean;
    const double half = 1.96 * sqrt(p * (1 - p) / MANY);
    assert_true(fabs(estimates[0].low - (p - half)) < 0.006);
    assert_true(fabs(estimates[0].high - (p + half)) < 0.006);
}

static void the_same_seed_gives_the_same_interval(void **state)
{
    (void)state;
    static deft__scores scores[MANY];
    deft__estimate      once[DEFT__METRIC_COUNT], again[DEFT__METRIC_COUNT];
    deft_error          error = DEFT_ERROR_INIT;
    coins(scores, MANY, 30, 3);
    assert_ok(deft__eval_estimate(scores, MANY, 5, once, NULL, &error), error);
    assert_ok(deft__eval_estimate(scores, MANY, 5, again, NULL, &error), error);
    assert_memory_equal(once, again, sizeof once);
}

static void a_ranking_does_not_differ_from_itself(void **state)
{
    (void)state;
    static deft__scores scores[MANY];
    deft__difference    differences[DEFT__METRIC_COUNT];
    deft_error          error = DEFT_ERROR_INIT;
    coins(scores, MANY, 50, 1);
    assert_ok(deft__eval_compare(scores, scores, MANY, 1, differences, NULL, &error), error);
    assert_true(differences[0].estimate.mean == 0);
    assert_true(differences[0].p == 1);
    assert_int_equal(differences[0].wins, 0);
    assert_int_equal(differences[0].losses, 0);
}

// Eight wins and no loss: 2 of the 256 ways to throw eight coins are as far from the middle.
static void eight_wins_of_eight(void **state)
{
    (void)state;
    deft__scores     first[8], second[8];
    deft__difference differences[DEFT__METRIC_COUNT];
    deft_error       error = DEFT_ERROR_INIT;
    coins(first, 8, 0, 1);
    coins(second, 8, 100, 1);
    assert_ok(deft__eval_compare(first, second, 8, 1, differences, NULL, &error), error);
    assert_true(differences[0].estimate.mean == 1);
    assert_int_equal(differences[0].wins, 8);
    assert_true(fabs(differences[0].p - 2.0 / 256) < 0.003);
}

static void a_difference_has_a_direction(void **state)
{
    (void)state;
    static deft__scores first[MANY], second[MANY];
    deft__difference    there[DEFT__METRIC_COUNT], back[DEFT__METRIC_COUNT];
    deft_error          error = DEFT_ERROR_INIT;
    coins(first, MANY, 40, 1);
    coins(second, MANY, 60, 2);
    assert_ok(deft__eval_compare(first, second, MANY, 1, there, NULL, &error), error);
    assert_ok(deft__eval_compare(second, first, MANY, 1, back, NULL, &error), error);
    assert_true(there[0].estimate.low > 0.05 && there[0].p < 0.001);
    assert_true(fabs(there[0].estimate.mean + back[0].estimate.mean) < 1e-12);
    assert_true(fabs(there[0].estimate.low + back[0].estimate.high) < 1e-12);
    assert_int_equal(there[0].wins, back[0].losses);
}

// Under no true difference p is below 0.05 about once in twenty times.
static void p_is_honest(void **state)
{
    (void)state;
    deft__scores     first[60], second[60];
    deft__difference differences[DEFT__METRIC_COUNT];
    deft_error       error = DEFT_ERROR_INIT;
    size_t           below = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        coins(first, 60, 50, 2 * seed);
        coins(second, 60, 50, 2 * seed + 1);
        assert_ok(deft__eval_compare(first, second, 60, 1, differences, NULL, &error), error);
        below += differences[0].p < 0.05;
    }
    assert_in_range(below, 0, 6);
}

static bool compare(const deft_allocator *allocator, void *context)
{
    deft__difference   differences[DEFT__METRIC_COUNT];
    deft_error         error = DEFT_ERROR_INIT;
    const deft__scores first = {{0}}, second = {{1}};
    (void)context;
    const deft_status status =
        deft__eval_compare(&first, &second, 1, 1, differences, allocator, &error);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    return status == DEFT_OK;
}

static void no_memory_is_said(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation_fails(compare, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_the_mean),
        cmocka_unit_test(means_of_nothing_are_zero),
        cmocka_unit_test(the_interval_is_as_wide_as_the_normal_one),
        cmocka_unit_test(the_same_seed_gives_the_same_interval),
        cmocka_unit_test(a_ranking_does_not_differ_from_itself),
        cmocka_unit_test(eight_wins_of_eight),
        cmocka_unit_test(a_difference_has_a_direction),
        cmocka_unit_test(p_is_honest),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
