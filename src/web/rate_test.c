// How many a minute, by the millisecond.
#include "web/rate.h"

#include "support/test.h"

static void a_burst_and_then_a_steady_flow(void **state)
{
    deft__rate rate;
    uint64_t   wait_s;
    (void)state;
    deft__rate_init(&rate, 60, 3, 1000);
    for (int i = 0; i < 3; i++) {
        assert_true(deft__rate_take(&rate, 1000, &wait_s));
        assert_int_equal(wait_s, 0);
    }
    assert_false(deft__rate_take(&rate, 1000, &wait_s));
    assert_int_equal(wait_s, 1);
    assert_false(deft__rate_take(&rate, 1999, &wait_s));
    assert_int_equal(wait_s, 1);
    assert_true(deft__rate_take(&rate, 2000, &wait_s));
    assert_false(deft__rate_take(&rate, 2000, &wait_s));
    // A clock that goes back gives nothing, and takes nothing.
    assert_false(deft__rate_take(&rate, 5, &wait_s));
}

static void the_wait_is_told_in_whole_seconds(void **state)
{
    deft__rate rate;
    uint64_t   wait_s;
    (void)state;
    deft__rate_init(&rate, 1, 1, 0);
    assert_true(deft__rate_take(&rate, 0, &wait_s));
    assert_false(deft__rate_take(&rate, 1, &wait_s));
    assert_int_equal(wait_s, 60);
    assert_false(deft__rate_take(&rate, 59001, &wait_s));
    assert_int_equal(wait_s, 1);
    assert_true(deft__rate_take(&rate, 60000, &wait_s));
}

static void a_long_sleep_fills_it_and_no_more(void **state)
{
    deft__rate rate;
    uint64_t   wait_s;
    (void)state;
    deft__rate_init(&rate, UINT32_MAX, 2, 0);
    assert_true(deft__rate_take(&rate, 0, &wait_s));
    assert_true(deft__rate_take(&rate, 0, &wait_s));
    assert_false(deft__rate_take(&rate, 0, &wait_s));
    assert_int_equal(wait_s, 1);
    assert_true(deft__rate_take(&rate, UINT64_MAX, &wait_s));
    assert_true(deft__rate_take(&rate, UINT64_MAX, &wait_s));
    assert_false(deft__rate_take(&rate, UINT64_MAX, &wait_s));
}

static void no_limit_is_none_and_limits_may_change(void **state)
{
    deft__rate rate;
    uint64_t   wait_s;
    (void)state;
    deft__rate_init(&rate, 0, 0, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(deft__rate_take(&rate, 0, &wait_s));
    }
    deft__rate_change(&rate, 60, 2, 10);
    assert_true(deft__rate_take(&rate, 10, &wait_s));
    // Less from now on: what is over the new burst is gone, what was taken does not come back.
    deft__rate_change(&rate, 60, 1, 10);
    assert_true(deft__rate_take(&rate, 10, &wait_s));
    deft__rate_change(&rate, 60, 9, 10);
    assert_false(deft__rate_take(&rate, 10, &wait_s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_and_then_a_steady_flow),
        cmocka_unit_test(the_wait_is_told_in_whole_seconds),
        cmocka_unit_test(a_long_sleep_fills_it_and_no_more),
        cmocka_unit_test(no_limit_is_none_and_limits_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
