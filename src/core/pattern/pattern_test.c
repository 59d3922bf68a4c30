// Patterns from outside match, do not, or are told to be too costly; none of them takes forever.
// Proves a part of C8.
#include "core/pattern/pattern.h"

#include "support/allocator.h"
#include "support/test.h"

static const deft__pattern_options plain = {
    .steps_max = 20000, .depth_max = 500, .heap_kibi_max = 256};
static const deft__pattern_options caseless = {
    .steps_max = 20000, .depth_max = 500, .heap_kibi_max = 256, .is_caseless = true};
static const deft__pattern_options not_empty = {
    .steps_max = 20000, .depth_max = 500, .heap_kibi_max = 256, .is_not_empty = true};
static const deft__pattern_options ecma = {
    .steps_max = 20000, .depth_max = 500, .heap_kibi_max = 256, .is_ecma = true};

static const struct {
    const char                  *name;
    const char                  *pattern;
    const deft__pattern_options *options;
    const char                  *text;
    deft_status                  status; // of the match
    bool                         is_match;
} cases[] = {
    {"anywhere in the text", "b+", &plain, "abbc", DEFT_OK, true},
    {"nowhere", "x", &plain, "abbc", DEFT_OK, false},
    {"upper and lower case differ", "B", &plain, "abbc", DEFT_OK, false},
    {"or do not", "B", &caseless, "abbc", DEFT_OK, true},
    {"characters, not bytes", "^.$", &plain, "\xC3\xA9", DEFT_OK, true},
    {"nothing matches in nothing", "x*", &plain, "", DEFT_OK, true},
    {"unless it may not", "x*", &not_empty, "", DEFT_OK, false},
    {"nor elsewhere", "x*", &not_empty, "ab", DEFT_OK, false},
    {"as JavaScript writes it", "\\u0041", &ecma, "A", DEFT_OK, true},
    {"bytes that are no text", "a", &plain,
     "\xFF"
     "a",
     DEFT_OK, true},
    {"too many steps", "^(a|aa)+$", &plain,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", DEFT_LIMIT, false},
};

static void patterns_match_or_do_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft__pattern pattern;
        deft_error    error    = DEFT_ERROR_INIT;
        bool          is_match = !cases[i].is_match;
        case_name(cases[i].name);
        assert_ok(deft__pattern_init(&pattern, deft_view_of(cases[i].pattern), cases[i].options,
                                     NULL, &error),
                  error);
        assert_int_equal(
            deft__pattern_match(&pattern, deft_view_of(cases[i].text), &is_match, &error),
            cases[i].status);
        assert_int_equal(is_match, cases[i].is_match);
        deft__pattern_clear(&pattern);
        deft__pattern_clear(&pattern);
    }
}

static void a_broken_pattern_says_where(void **state)
{
    (void)state;
    deft__pattern pattern;
    deft_error    error = DEFT_ERROR_INIT;
    assert_int_equal(deft__pattern_init(&pattern, deft_view_of("ab(c"), &plain, NULL, &error),
                     DEFT_INVALID);
    assert_int_equal(error.offset, 4);
    assert_non_null(strstr(error.message, "the pattern is not valid at character 4: "));
    deft__pattern_clear(&pattern);
}

static bool match_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__pattern pattern;
    bool          is_match = false;
    deft_status   status =
        deft__pattern_init(&pattern, deft_view_of("(a|b)+c"), &plain, allocator, NULL);
    if (status == DEFT_OK) {
        status = deft__pattern_match(&pattern, deft_view_of("ababababc"), &is_match, NULL);
    }
    deft__pattern_clear(&pattern);
    assert_true(status == DEFT_OUT_OF_MEMORY || is_match);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(match_with, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_or_do_not),
        cmocka_unit_test(a_broken_pattern_says_where),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
