// Proves C3.
#include "gateway/answers.h"

#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static void what_was_answered_is_answered_again(void **state)
{
    static deft__answers answers;
    (void)state;
    deft__answers_init(&answers, 7, NULL);
    assert_null(deft__answers_find(&answers, deft_view_of("{\"query\":\"a\"}")));
    deft__answers_keep(&answers, deft_view_of("{\"query\":\"a\"}"), deft_view_of("{\"x\":1}"), 3,
                       5);
    assert_non_null(deft__answers_find(&answers, deft_view_of("{\"query\":\"a\"}")));
    const deft__known_answer *one = deft__answers_find(&answers, deft_view_of("{\"query\":\"a\"}"));
    assert_true(deft_view_equals(deft__known_result(one), "{\"x\":1}"));
    assert_int_equal(one->found_count, 3);
    assert_int_equal(one->text_size, 5);
    assert_null(deft__answers_find(&answers, deft_view_of("{\"query\":\"b\"}")));
    deft__answers_clear(&answers);
    assert_null(deft__answers_find(&answers, deft_view_of("{\"query\":\"a\"}")));
}

static void there_are_never_more_than_there_is_room_for(void **state)
{
    static deft__answers answers;
    size_t               kept = 0;
    char                 text[32];
    (void)state;
    deft__answers_init(&answers, 7, NULL);
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        deft__answers_keep(&answers, deft_view_of(text), deft_view_of(text), (size_t)i, 1);
        assert_non_null(deft__answers_find(&answers, deft_view_of(text)));
    }
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        const deft__known_answer *one = deft__answers_find(&answers, deft_view_of(text));
        if (one != NULL) {
            assert_true(deft_view_equals(deft__known_result(one), text));
            kept++;
        }
    }
    assert_in_range(kept, DEFT__ANSWERS_MAX / 2, DEFT__ANSWERS_MAX);
    deft__answers_clear(&answers);
}

static void a_few_that_are_asked_in_turn_stay(void **state)
{
    static deft__answers answers;
    char                 text[32];
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        deft__answers_init(&answers, seed, NULL);
        for (int i = 0; i < 50; i++) {
            (void)snprintf(text, sizeof text, "%d", i);
            deft__answers_keep(&answers, deft_view_of(text), deft_view_of(text), 1, 1);
        }
        for (int i = 0; i < 50; i++) {
            (void)snprintf(text, sizeof text, "%d", i);
            assert_non_null(deft__answers_find(&answers, deft_view_of(text)));
        }
        deft__answers_clear(&answers);
    }
}

static void what_is_too_large_is_not_kept(void **state)
{
    static deft__answers answers;
    static char          large[DEFT__ANSWER_SIZE_MAX + 1];
    const deft_view      small = deft_view_of("small");
    (void)state;
    memset(large, 'x', sizeof large);
    deft__answers_init(&answers, 7, NULL);
    deft__answers_keep(&answers, small, deft_view_make(large, sizeof large), 1, 1);
    assert_null(deft__answers_find(&answers, small));
    deft__answers_keep(&answers, small, deft_view_make(large, sizeof large - 1), 1, 1);
    assert_non_null(deft__answers_find(&answers, small));
    const deft_view longer = deft_view_make(large, DEFT__ANSWER_QUESTION_MAX + 1);
    deft__answers_keep(&answers, longer, small, 1, 1);
    assert_null(deft__answers_find(&answers, longer));
    deft__answers_keep(&answers, deft_view_of(""), small, 1, 1);
    assert_null(deft__answers_find(&answers, deft_view_of("")));
    deft__answers_clear(&answers);
}

static void large_ones_leave_room_for_fewer(void **state)
{
    static deft__answers answers;
    static char          large[DEFT__ANSWER_SIZE_MAX];
    const size_t         room = DEFT__ANSWERS_SIZE_MAX / (DEFT__ANSWER_SIZE_MAX + 8);
    size_t               kept = 0;
    char                 text[32];
    (void)state;
    memset(large, 'x', sizeof large);
    deft__answers_init(&answers, 7, NULL);
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        deft__answers_keep(&answers, deft_view_of(text), deft_view_make(large, sizeof large), 1, 1);
        assert_non_null(deft__answers_find(&answers, deft_view_of(text)));
        assert_true(answers.size <= DEFT__ANSWERS_SIZE_MAX);
    }
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        kept += deft__answers_find(&answers, deft_view_of(text)) != NULL;
    }
    assert_in_range(kept, room / 2, room);
    deft__answers_clear(&answers);
    assert_int_equal(answers.size, 0);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    static deft__answers answers;
    (void)context;
    deft__answers_init(&answers, 7, allocator);
    deft__answers_keep(&answers, deft_view_of("q"), deft_view_of("a"), 1, 1);
    const bool is_kept = deft__answers_find(&answers, deft_view_of("q")) != NULL;
    deft__answers_clear(&answers);
    return is_kept;
}

static void memory_may_end(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_answered_is_answered_again),
        cmocka_unit_test(there_are_never_more_than_there_is_room_for),
        cmocka_unit_test(a_few_that_are_asked_in_turn_stay),
        cmocka_unit_test(what_is_too_large_is_not_kept),
        cmocka_unit_test(large_ones_leave_room_for_fewer),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
