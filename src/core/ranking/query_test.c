// What a query's text asks for. Proves C10.
#include "core/ranking/query.h"

#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *words;
    const char *names;    // joined with |
    const char *servers;  // joined with |
    const char *required; // joined with |
} cases[] = {
    {"plain words", "create issue", "create issue", "", "", ""},
    {"white space around and between", "  create \t\n issue ", "create issue", "", "", ""},
    {"nothing", "", "", "", "", ""},
    {"one name to select", "select:create_issue", "", "create_issue", "", ""},
    {"several names", "select:a, b ,c", "", "a|b|c", "", ""},
    {"an id has colons", "select:github::create_issue", "", "github::create_issue", "", ""},
    {"names in quotes", "select:\"a\", 'b'", "", "a|b", "", ""},
    {"names that are missing", "select:,,a,", "", "a", "", ""},
    {"nothing selected", "select:", "", "", "", ""},
    {"a server", "server:github create issue", "create issue", "", "github", ""},
    {"a server in the middle", "create server:github issue", "create issue", "", "github", ""},
    {"two servers", "server:a server:b x", "x", "", "a|b", ""},
    {"a server with a space", "server:\"my hub\" issue", "issue", "", "my hub", ""},
    {"a server whose quote stays open", "server:\"my hub", "", "", "\"my hub", ""},
    {"server: alone is a word", "server: x", "server: x", "", "", ""},
    {"a required word is a word too", "+slack message", "slack message", "", "", "slack"},
    {"two required words", "+slack +message now", "slack message now", "", "", "slack|message"},
    {"a number may have a sign", "call +49 at -5 degrees", "call +49 at -5 degrees", "", "", ""},
    {"a plus alone is a word", "a + b", "a + b", "", "", ""},
    {"a plus inside stays", "c++ x", "c++ x", "", "", ""},
    {"select: only at the start", "x select:a", "x select:a", "", "", ""},
};

static void check_list(const deft_view *items, size_t count, const char *wanted)
{
    char   joined[256];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            joined[size++] = '|';
        }
        memcpy(joined + size, items[i].data, items[i].size);
        size += items[i].size;
    }
    assert_view_equal(deft_view_make(joined, size), wanted);
}

static void reading(void **state)
{
    (void)state;
    deft__query query;
    deft_error  error = DEFT_ERROR_INIT;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        assert_ok(deft__query_parse(&query, deft_view_of(cases[i].text), &error), error);
        assert_view_equal(deft_view_make(query.words, query.words_size), cases[i].words);
        check_list(query.names, query.name_count, cases[i].names);
        check_list(query.servers, query.server_count, cases[i].servers);
        check_list(query.required, query.required_count, cases[i].required);
    }
}

static void plain_reading_knows_only_select(void **state)
{
    (void)state;
    deft__query query;
    deft_error  error = DEFT_ERROR_INIT;
    const char *text  = "  server:github +create  issue ";
    assert_ok(deft__query_parse_plain(&query, deft_view_of(text), &error), error);
    assert_view_equal(deft_view_make(query.words, query.words_size),
                      "server:github +create  issue");
    assert_int_equal(query.server_count + query.required_count, 0);

    assert_ok(deft__query_parse_plain(&query, deft_view_of("select:a,b"), &error), error);
    assert_true(query.is_selection);
    assert_int_equal(query.name_count, 2);
}

static const struct {
    const char *name;
    const char *start;
    const char *part; // repeated
    size_t      accepted;
} limits[] = {
    {"names to select", "select:", "a,", DEFT_QUERY_NAMES_MAX},
    {"servers", "", "server:a ", DEFT_QUERY_SERVERS_MAX},
    {"required words", "", "+a ", DEFT_QUERY_TERMS_MAX},
    {"bytes", "", "x", DEFT_QUERY_SIZE_MAX},
};

static void limits_are_named(void **state)
{
    (void)state;
    deft__query query;
    for (size_t i = 0; i < array_size(limits); i++) {
        case_name(limits[i].name);
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer text;
        deft_buffer_init(&text, NULL);
        deft_buffer_append_text(&text, limits[i].start);
        for (size_t n = 0; n < limits[i].accepted; n++) {
            deft_buffer_append_text(&text, limits[i].part);
        }
        assert_ok(deft__query_parse(&query, deft_buffer_view(&text), &error), error);
        deft_buffer_append_text(&text, limits[i].part);
        assert_int_equal(deft__query_parse(&query, deft_buffer_view(&text), &error), DEFT_LIMIT);
        assert_true(strlen(error.message) > 0);
        deft_buffer_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(plain_reading_knows_only_select),
        cmocka_unit_test(limits_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
