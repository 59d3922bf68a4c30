// Names as they are written outside: what stays, what gets a hash, and that no two are the same.
#include "core/catalog/wire.h"

#include "support/random.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *server;
    const char *local;
    const char *id;
    const char *wire;
} cases[] = {
    {"plain names are joined", "github", "create_issue", "github::create_issue",
     "github__create_issue"},
    {"without a server it is the name", "", "create_issue", "create_issue", "create_issue"},
    {"digits, dashes and upper case stay", "S-1", "T_2", "S-1::T_2", "S-1__T_2"},
    {"an underscore before the server", "_s", "t", "_s::t", "_s__t"},
    {"an underscore behind the tool", "s", "t_", "s::t_", "s__t_"},
    {"an underscore before a tool without a server", "", "_t", "_t", "_t"},
    {"64 bytes fit", "server", "tool456789012345678901234567890123456789012345678901234x",
     "server::tool456789012345678901234567890123456789012345678901234x",
     "server__tool456789012345678901234567890123456789012345678901234x"},
    {"a replaced character", "my.server", "t", "my.server::t", "my_server__t___"},
    {"a space", "s", "a b", "s::a b", "s__a_b___"},
    {"a character of two bytes", "s", "\xc3\xa9", "s::\xc3\xa9", "s______"},
    {"a character of two UTF-16 units", "s", "\xf0\x9f\x98\x80x", "s::\xf0\x9f\x98\x80x",
     "s____x___"},
    {"two underscores in the server", "a__b", "c", "a__b::c", "a__b__c___"},
    {"two underscores in the tool", "a", "b__c", "a::b__c", "a__b__c___"},
    {"an underscore behind the server", "a_", "b", "a_::b", "a___b___"},
    {"an underscore before the tool", "a", "_b", "a::_b", "a___b___"},
    {"two underscores without a server", "", "a__b", "a__b", "a__b___"},
    {"a long tool keeps its start", "server",
     "tool4567890123456789012345678901234567890123456789012345678901234567890",
     "server::tool4567890123456789012345678901234567890123456789012345678901234567890",
     "server__tool456789012345678901234567890123456789012___"},
    {"a long server leaves room for the tool", "server78901234567890123456789012345678901234567890",
     "create_issue_comment",
     "server78901234567890123456789012345678901234567890::"
     "create_issue_comment",
     "server78901234567890123456789__create_issue_comment___"},
    {"65 bytes without a server", "",
     "tool56789012345678901234567890123456789012345678901234567890123456",
     "tool56789012345678901234567890123456789012345678901234567890123456",
     "tool56789012345678901234567890123456789012345678901___"},
};

static deft_view make(deft__wire_name *wire, const char *server, const char *local, const char *id,
                      unsigned attempt)
{
    deft__wire_name_make(wire, deft_view_of(server), deft_view_of(local), deft_view_of(id),
                         attempt);
    return deft_view_make(wire->text, wire->size);
}

static void assert_well_formed(deft_view wire)
{
    assert_in_range(wire.size, 1, DEFT__WIRE_SIZE_MAX);
    for (size_t i = 0; i < wire.size; i++) {
        assert_non_null(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
                               wire.data[i]));
    }
}

static void names_outside(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__wire_name wire;
        const deft_view made = make(&wire, cases[i].server, cases[i].local, cases[i].id, 0);
        const deft_view want = deft_view_of(cases[i].wire);
        assert_well_formed(made);
        if (want.size >= 3 && strcmp(cases[i].wire + want.size - 3, "___") == 0) {
            const size_t hash_size = 10;
            assert_int_equal(made.size, want.size + hash_size);
            assert_view_equal(deft_view_slice(made, 0, want.size), cases[i].wire);
        } else {
            assert_view_equal(made, cases[i].wire);
        }
    }
}

static void a_name_never_changes(void **state)
{
    (void)state;
    // Clients keep these: a change of the hash would be a change of every one of them.
    deft__wire_name wire;
    assert_view_equal(make(&wire, "my.server", "do it", "my.server::do it", 0),
                      "my_server__do_it___2e1fb40625");
    assert_view_equal(make(&wire, "my.server", "do it", "my.server::do it", 1),
                      "my_server__do_it___12bf797f76563399");
}

static void other_attempts_give_other_names(void **state)
{
    (void)state;
    deft__wire_name first;
    deft__wire_name second;
    for (unsigned attempt = 0; attempt < 5; attempt++) {
        const deft_view a = make(&first, "a.b", "c", "a.b::c", attempt);
        const deft_view b = make(&second, "a.b", "c", "a.b::c", attempt + 1);
        assert_well_formed(a);
        assert_false(deft_view_equal(a, b));
    }
    // Even a plain name gets out of the way when it is asked to.
    assert_view_equal(deft_view_slice(make(&first, "a", "b", "a::b", 1), 0, 7), "a__b___");
}

// A short name of letters that make trouble.
static void random_name(test_random *random, char out[8])
{
    static const char letters[] = "ab_.";
    const size_t      size      = 1 + test_random_below(random, 6);
    for (size_t i = 0; i < size; i++) {
        out[i] = letters[test_random_below(random, sizeof letters - 1)];
    }
    out[size] = '\0';
}

static void different_ids_have_different_names(void **state)
{
    (void)state;
    test_random random = {.state = 7};
    for (size_t i = 0; i < 200000; i++) {
        char            server[2][8] = {"", ""};
        char            local[2][8];
        char            id[2][64];
        deft__wire_name wire[2];
        for (size_t k = 0; k < 2; k++) {
            if (!test_random_once_in(&random, 3)) {
                random_name(&random, server[k]);
            }
            random_name(&random, local[k]);
            snprintf(id[k], sizeof id[k], "%s%s%s", server[k], server[k][0] != '\0' ? "::" : "",
                     local[k]);
            make(&wire[k], server[k], local[k], id[k], 0);
        }
        assert_int_equal(strcmp(id[0], id[1]) == 0,
                         wire[0].size == wire[1].size &&
                             memcmp(wire[0].text, wire[1].text, wire[0].size) == 0);
    }
}

static void letters_outside_become_underscores(void **state)
{
    (void)state;
    char            out[32];
    deft__loose_key key;
    const deft_view text = deft_view_of("A.b::c-D/\xc3\xa9\xf0\x9f\x98\x80\xff");
    assert_view_equal(deft_view_make(out, deft__wire_sanitize(text, out)), "A_b__c-D_____");
    assert_view_equal(deft__loose_key_make(&key, text), "a_b__c-d_____");
    assert_true(deft__wire_equal_folded(deft_view_of("aB-1"), deft_view_of("Ab-1")));
    assert_false(deft__wire_equal_folded(deft_view_of("aB-1"), deft_view_of("Ab_1")));
    assert_false(deft__wire_equal_folded(deft_view_of("a"), deft_view_of("ab")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_outside),
        cmocka_unit_test(a_name_never_changes),
        cmocka_unit_test(other_attempts_give_other_names),
        cmocka_unit_test(different_ids_have_different_names),
        cmocka_unit_test(letters_outside_become_underscores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
