// Names by pattern, as rules for servers and tools use them. Proves a part of A6.
#include "base/glob.h"

#include "support/test.h"

static const struct {
    const char *name;
    const char *pattern;
    const char *text;
    bool        is_match;
} cases[] = {
    {"a name fits itself", "create_issue", "create_issue", true},
    {"a name does not fit a longer one", "create_issue", "create_issues", false},
    {"a name does not fit a shorter one", "create_issue", "create_issu", false},
    {"a star fits everything", "*", "anything", true},
    {"a star fits nothing too", "*", "", true},
    {"nothing fits only nothing", "", "x", false},
    {"a star at the end", "create_*", "create_issue", true},
    {"a star at the start", "*_issue", "create_issue", true},
    {"a star in the middle", "create_*_request", "create_pull_request", true},
    {"two stars", "*pull*", "create_pull_request", true},
    {"a star goes back as far as needed", "*ab", "aabab", true},
    {"a star cannot invent letters", "*ab", "aaba", false},
    {"a question mark fits one character", "list_?", "list_x", true},
    {"a question mark needs one character", "list_?", "list_", false},
    {"stars in a row", "a**b", "ab", true},
};

static void patterns(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        assert_int_equal(
            deft__glob_match(deft_view_of(cases[i].pattern), deft_view_of(cases[i].text)),
            cases[i].is_match);
    }
}

static void many_stars_stay_cheap(void **state)
{
    (void)state;
    char pattern[200];
    char text[10000];
    for (size_t i = 0; i + 1 < sizeof pattern; i += 2) {
        pattern[i]     = '*';
        pattern[i + 1] = 'a';
    }
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 'b';
    assert_false(deft__glob_match(deft_view_make(pattern, sizeof pattern),
                                  deft_view_make(text, sizeof text)));
}

static void what_counts_as_a_pattern(void **state)
{
    (void)state;
    assert_true(deft__glob_is_pattern(deft_view_of("a*")));
    assert_true(deft__glob_is_pattern(deft_view_of("?")));
    assert_false(deft__glob_is_pattern(deft_view_of("plain-name_1")));
    assert_false(deft__glob_is_pattern(deft_view_of("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(many_stars_stay_cheap),
        cmocka_unit_test(what_counts_as_a_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
