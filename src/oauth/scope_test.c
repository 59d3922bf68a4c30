// Scopes: words, each once.
#include "oauth/scope.h"

#include "support/test.h"

static const struct {
    const char *name;
    const char *set;
    const char *more;
    const char *both;
    bool        has_all; // the set had them before
} cases[] = {
    {"nothing and nothing", "", "", "", true},
    {"the first", "", "a b", "a b", false},
    {"one more", "a b", "c", "a b c", false},
    {"one of them", "a b", "b", "a b", true},
    {"twice in one", "", "a a", "a", false},
    {"blanks", "a", "  b   c ", "a b c", false},
    {"a part of a word is another", "mcp:basic", "mcp", "mcp:basic mcp", false},
    {"what is no word is left out", "a", "b\"c d\\e \xc3\xa9 f", "a f", false},
    {"case counts", "a", "A", "a A", false},
};

static void scopes_are_joined(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_buffer set;
        case_name(cases[i].name);
        deft_buffer_init(&set, NULL);
        deft__oauth_scope_add(&set, deft_view_of(cases[i].set));
        assert_int_equal(
            deft__oauth_scope_has_all(deft_buffer_view(&set), deft_view_of(cases[i].more)),
            cases[i].has_all);
        deft__oauth_scope_add(&set, deft_view_of(cases[i].more));
        assert_view_equal(deft_buffer_view(&set), cases[i].both);
        deft_buffer_clear(&set);
    }
}

static void a_set_has_a_limit(void **state)
{
    deft_buffer set;
    char        word[16];
    (void)state;
    deft_buffer_init(&set, NULL);
    for (unsigned i = 0; i < 2000; i++) {
        (void)snprintf(word, sizeof word, "scope%u", i);
        deft__oauth_scope_add(&set, deft_view_of(word));
    }
    assert_in_range(set.size, DEFT__OAUTH_SCOPE_SIZE_MAX - 16, DEFT__OAUTH_SCOPE_SIZE_MAX);
    deft_buffer_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_are_joined),
        cmocka_unit_test(a_set_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
