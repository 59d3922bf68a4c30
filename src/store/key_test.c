// What a manifest is kept under: every part of a configuration counts, and none can be read back.
#include "store/key.h"

#include "store/database.h"
#include "support/test.h"

static const deft_view arguments[]       = {DEFT_VIEW_INIT("-y"), DEFT_VIEW_INIT("server-github")};
static const deft_view other_arguments[] = {DEFT_VIEW_INIT("-yserver-github")};
static const deft_pair environment[]     = {{DEFT_VIEW_INIT("TOKEN"), DEFT_VIEW_INIT("s3cret")}};
static const deft_pair other_values[]    = {{DEFT_VIEW_INIT("TOKEN"), DEFT_VIEW_INIT("other")}};
static const deft_pair other_names[]     = {{DEFT_VIEW_INIT("TOKENS"), DEFT_VIEW_INIT("3cret")}};

#define SERVER                                                                                     \
    .name = DEFT_VIEW_INIT("github"), .command = DEFT_VIEW_INIT("npx"), .arguments = arguments,    \
    .argument_count = 2, .environment = environment, .environment_count = 1

static const deft_server_config server = {SERVER};

// One difference each.
static const struct {
    const char        *name;
    deft_server_config server;
} cases[] = {
    {"another name",
     {.name              = DEFT_VIEW_INIT("git"),
      .command           = DEFT_VIEW_INIT("npx"),
      .arguments         = arguments,
      .argument_count    = 2,
      .environment       = environment,
      .environment_count = 1}},
    {"another command",
     {.name              = DEFT_VIEW_INIT("github"),
      .command           = DEFT_VIEW_INIT("bunx"),
      .arguments         = arguments,
      .argument_count    = 2,
      .environment       = environment,
      .environment_count = 1}},
    {"one argument less",
     {.name              = DEFT_VIEW_INIT("github"),
      .command           = DEFT_VIEW_INIT("npx"),
      .arguments         = arguments,
      .argument_count    = 1,
      .environment       = environment,
      .environment_count = 1}},
    {"two arguments as one",
     {.name              = DEFT_VIEW_INIT("github"),
      .command           = DEFT_VIEW_INIT("npx"),
      .arguments         = other_arguments,
      .argument_count    = 1,
      .environment       = environment,
      .environment_count = 1}},
    {"another value of a variable",
     {.name              = DEFT_VIEW_INIT("github"),
      .command           = DEFT_VIEW_INIT("npx"),
      .arguments         = arguments,
      .argument_count    = 2,
      .environment       = other_values,
      .environment_count = 1}},
    {"a letter moved from a value to a name",
     {.name              = DEFT_VIEW_INIT("github"),
      .command           = DEFT_VIEW_INIT("npx"),
      .arguments         = arguments,
      .argument_count    = 2,
      .environment       = other_names,
      .environment_count = 1}},
    {"a header instead of a variable",
     {.name           = DEFT_VIEW_INIT("github"),
      .command        = DEFT_VIEW_INIT("npx"),
      .arguments      = arguments,
      .argument_count = 2,
      .headers        = environment,
      .header_count   = 1}},
    {"a directory", {SERVER, .directory = DEFT_VIEW_INIT("/srv")}},
    {"a url", {SERVER, .url = DEFT_VIEW_INIT("http://localhost/mcp")}},
    {"another transport", {SERVER, .transport = DEFT_TRANSPORT_HTTP}},
};

static bool equal(const deft__store_key *a, const deft__store_key *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void every_difference_counts(void **state)
{
    (void)state;
    const deft__store store = {.secret = {1, 2, 3}};
    deft__store_key   key;
    deft__store_key   again;
    assert_true(deft__store_key_of(&store, &server, &key));
    assert_true(deft__store_key_of(&store, &server, &again));
    assert_true(equal(&key, &again));
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__store_key other;
        assert_true(deft__store_key_of(&store, &cases[i].server, &other));
        assert_false(equal(&key, &other));
    }
}

static void what_does_not_change_the_offer_does_not_count(void **state)
{
    (void)state;
    const deft__store        store = {.secret = {1, 2, 3}};
    const deft_server_config moved = {SERVER, .is_disabled = true,
                                      .place = DEFT_VIEW_INIT("other.json"), .line = 7};
    deft__store_key          key;
    deft__store_key          other;
    assert_true(deft__store_key_of(&store, &server, &key));
    assert_true(deft__store_key_of(&store, &moved, &other));
    assert_true(equal(&key, &other));
}

static void another_store_gives_another_key(void **state)
{
    (void)state;
    const deft__store one = {.secret = {1}};
    const deft__store two = {.secret = {2}};
    deft__store_key   key;
    deft__store_key   other;
    assert_true(deft__store_key_of(&one, &server, &key));
    assert_true(deft__store_key_of(&two, &server, &other));
    assert_false(equal(&key, &other));
}

static void without_a_store_the_key_is_zero(void **state)
{
    (void)state;
    const deft__store_key zero = {{0}};
    deft__store_key       key  = {{9}};
    assert_true(deft__store_key_of(NULL, &server, &key));
    assert_true(equal(&key, &zero));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_counts),
        cmocka_unit_test(what_does_not_change_the_offer_does_not_count),
        cmocka_unit_test(another_store_gives_another_key),
        cmocka_unit_test(without_a_store_the_key_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
