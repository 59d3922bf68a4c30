// The best so far: which tools stay, whatever the order they come in. Proves parts of C9.
#include "core/ranking/best.h"

#include "support/random.h"
#include "support/test.h"

#define TOOLS 200u

static bool is_odd(void *context, uint32_t tool)
{
    (void)context;
    return tool % 2 == 1;
}

// Whether tool `a` ranks before `b`.
static bool is_before(const uint32_t *scores, uint32_t a, uint32_t b)
{
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
}

static void the_best_stay(void **state)
{
    (void)state;
    test_random random = {.state = 5};
    for (int round = 0; round < 200; round++) {
        uint32_t     scores[TOOLS];
        uint32_t     order[TOOLS];
        uint64_t     keys[TOOLS];
        const size_t max  = 1 + test_random_below(&random, TOOLS);
        const bool   some = test_random_once_in(&random, 2);
        deft__best   best = {.keys = keys, .max = max, .is_allowed = some ? is_odd : NULL};
        for (uint32_t i = 0; i < TOOLS; i++) {
            scores[i]       = 1 + (uint32_t)test_random_below(&random, 50);
            const size_t at = test_random_below(&random, i + 1); // tools come in any order
            order[i]        = order[at];
            order[at]       = i;
        }
        for (uint32_t i = 0; i < TOOLS; i++) {
            const uint32_t coverage = order[i] % 4001;
            deft__best_offer(&best, order[i], coverage << DEFT__SCORE_BITS | scores[order[i]]);
        }
        size_t allowed = some ? TOOLS / 2 : TOOLS;
        assert_int_equal(best.count, allowed < max ? allowed : max);
        for (size_t i = 0; i < best.count; i++) {
            const uint32_t tool   = deft__best_tool(keys[i]);
            size_t         better = 0;
            for (uint32_t other = 0; other < TOOLS; other++) {
                better += (!some || other % 2 == 1) && is_before(scores, other, tool);
            }
            assert_true(better < max);
            assert_true(!some || tool % 2 == 1);
            assert_int_equal(deft__best_score(keys[i]), scores[tool]);
            assert_int_equal(deft__best_coverage(keys[i]), tool % 4001);
            assert_true(scores[tool] >= deft__best_bar(&best));
        }
    }
}

static void the_bar_is_the_worst_of_a_full_heap(void **state)
{
    (void)state;
    uint64_t   keys[2];
    deft__best best = {.keys = keys, .max = 2};
    assert_int_equal(deft__best_bar(&best), 1);
    deft__best_offer(&best, 7, 100);
    assert_int_equal(deft__best_bar(&best), 1);
    deft__best_offer(&best, 9, DEFT__SCORE_MASK);
    assert_int_equal(deft__best_bar(&best), 100);
    deft__best_offer(&best, 8, 100); // later in the catalog than the equal one that is in
    assert_int_equal(deft__best_tool(keys[0]), 7);
    deft__best_offer(&best, 6, 100);
    assert_int_equal(deft__best_tool(keys[0]), 6);
    deft__best_offer(&best, UINT32_MAX, 101);
    assert_int_equal(deft__best_tool(keys[0]), UINT32_MAX);
    assert_int_equal(deft__best_bar(&best), 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_stay),
        cmocka_unit_test(the_bar_is_the_worst_of_a_full_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
