// A list of patterns, the first that fits decides. Proves a part of A6.
#include "core/policy/rules.h"

#include "support/allocator.h"
#include "support/test.h"

#define NONE UINT32_MAX

static const struct {
    const char *name;
    const char *patterns[4];
    const char *tool; // its name
    const char *id;
    uint32_t    place; // of the pattern that fits
} cases[] = {
    {"no rule fits nothing", {NULL}, "log", "git::log", NONE},
    {"a name fits on any server", {"log"}, "log", "git::log", 0},
    {"an id fits one server's tool", {"svn::log", "git::log"}, "log", "git::log", 1},
    {"a name is not a server", {"git"}, "log", "git::log", NONE},
    {"a pattern without a server is about names", {"git*"}, "log", "git::log", NONE},
    {"a pattern with a server is about ids", {"g*::l?g"}, "log", "git::log", 0},
    {"all tools of a server", {"git::*"}, "log", "git::log", 0},
    {"all tools of another server", {"svn::*"}, "log", "git::log", NONE},
    {"everything", {"*"}, "log", "git::log", 0},
    {"the first of two names", {"log", "log"}, "log", "git::log", 0},
    {"a name before a pattern", {"log", "*"}, "log", "git::log", 0},
    {"a pattern before a name", {"*", "log"}, "log", "git::log", 0},
    {"a pattern that does not fit is passed over", {"x*", "l*"}, "log", "git::log", 1},
    {"an id before a name", {"git::log", "log"}, "log", "git::log", 0},
    {"a name before an id", {"log", "git::log"}, "log", "git::log", 0},
    {"a tool without a server", {"log"}, "log", "log", 0},
    {"a tool cannot pass for another server's", {"git::log"}, "git::log", "x::git::log", NONE},
    {"an empty pattern fits no tool", {""}, "log", "git::log", NONE},
};

static void first_fitting_pattern(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__arena arena;
        deft__rules rules;
        deft__arena_init(&arena, NULL);
        assert_true(deft__rules_init(&rules, array_size(cases[i].patterns), &arena));
        for (size_t p = 0; p < array_size(cases[i].patterns) && cases[i].patterns[p]; p++) {
            assert_true(deft__rules_add(&rules, deft_view_of(cases[i].patterns[p])));
        }
        uint32_t   place    = NONE;
        const bool is_found = deft__rules_find(&rules, deft_view_of(cases[i].tool),
                                               deft_view_of(cases[i].id), &place);
        assert_int_equal(is_found, cases[i].place != NONE);
        assert_int_equal(place, cases[i].place);
        deft__rules_clear(&rules);
        deft__arena_clear(&arena);
    }
}

static bool add_many(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__arena arena;
    deft__rules rules;
    char        name[16];
    deft__arena_init(&arena, allocator);
    bool is_added = deft__rules_init(&rules, 3000, &arena);
    for (int i = 0; i < 3000 && is_added; i++) {
        const int size = snprintf(name, sizeof name, i % 2 == 0 ? "tool_%d" : "*_%d", i);
        is_added       = deft__rules_add(&rules, deft_view_make(name, (size_t)size));
    }
    deft__rules_clear(&rules);
    deft__arena_clear(&arena);
    return is_added;
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(add_many, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fitting_pattern),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
