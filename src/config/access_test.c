// Tokens of http.tokens: what is read, what is refused, and how files are edited.
#include "deft/config.h"

#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define SHA "00112233445566778899aAbBcCdDeEfF00112233445566778899aabbccddeeff"
#define ONE "{\"name\":\"ci\",\"sha256\":\"" SHA "\""

static deft_status read_files(const char *user, const char *project,
                              const deft_allocator *allocator, deft_config **config,
                              deft_error *error)
{
    deft_status status = DEFT_OUT_OF_MEMORY;
    *config            = deft_config_new(allocator, error);
    if (*config != NULL) {
        status = deft_config_add_file(*config, DEFT_LAYER_USER_FILE, deft_view_of("user.json"),
                                      deft_view_of(user), error);
    }
    if (status == DEFT_OK && project != NULL) {
        status = deft_config_add_file(*config, DEFT_LAYER_PROJECT_FILE, deft_view_of("deft.json"),
                                      deft_view_of(project), error);
    }
    return status == DEFT_OK ? deft_config_resolve(*config, error) : status;
}

static void a_token_has_everything_that_was_written(void **state)
{
    deft_config *config;
    deft_error   error = DEFT_ERROR_INIT;
    (void)state;
    assert_ok(read_files("{\"http\":{\"cors\":false,\"tokens\":[\n" ONE
                         ",\"servers\":[\"git*\",\"x\"],\"tools\":[\"git*::get_*\"],"
                         "\"deny\":[\"*::delete_*\"],\"callsPerMinute\":60,\"concurrentCalls\":4,"
                         "\"sessions\":2,\"expires\":\"2027-01-31T12:00:01Z\"}]}}",
                         NULL, NULL, &config, &error),
              error);
    assert_int_equal(deft_config_token_count(config), 1);
    assert_true(deft_config_has_tokens(config));
    assert_int_equal(deft_config_warning_count(config), 0);
    assert_false(deft_config_settings(config)->is_http_cors_on);
    const deft_token_config *token = deft_config_token(config, 0);
    assert_view_equal(token->name, "ci");
    assert_int_equal(token->sha256[0], 0x00);
    assert_int_equal(token->sha256[10], 0xaa);
    assert_int_equal(token->sha256[31], 0xff);
    assert_int_equal(token->server_count, 2);
    assert_view_equal(token->servers[1], "x");
    assert_int_equal(token->tool_count, 1);
    assert_view_equal(token->tools[0], "git*::get_*");
    assert_int_equal(token->denied_count, 1);
    assert_view_equal(token->denied[0], "*::delete_*");
    assert_int_equal(token->calls_per_minute, 60);
    assert_int_equal(token->concurrent_calls, 4);
    assert_int_equal(token->sessions, 2);
    assert_int_equal(token->expires_s, 1801396801);
    assert_view_equal(token->place, "user.json");
    assert_int_equal(token->line, 2);
    deft_config_free(config);
}

static const struct {
    const char *name;
    const char *tokens; // of http.tokens
    const char *part;   // of the message
} refused[] = {
    {"no list", "{}", "accepted: an array"},
    {"no object", "[7]", "http.tokens[0] is a number"},
    {"no name", "[{\"sha256\":\"" SHA "\"}]", "needs a name and a sha256"},
    {"no digest", "[{\"name\":\"a\"}]", "needs a name and a sha256"},
    {"a name that metrics could not show", "[{\"name\":\"a\\\"b\",\"sha256\":\"" SHA "\"}]",
     "letters, digits"},
    {"an empty name", "[{\"name\":\"\",\"sha256\":\"" SHA "\"}]", "letters, digits"},
    {"a name that is a number", "[{\"name\":5,\"sha256\":\"" SHA "\"}]", "letters, digits"},
    {"a digest that is too short", "[{\"name\":\"a\",\"sha256\":\"00\"}]", "64 hexadecimal"},
    {"a digest of other letters",
     "[{\"name\":\"a\",\"sha256\":"
     "\"g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}]",
     "64 hexadecimal"},
    {"a slip of the pen in what is denied", "[" ONE ",\"denny\":[\"x\"]}]", "'denny' is not known"},
    {"a list that allows nothing", "[" ONE ",\"tools\":[]}]", "leave it out for all"},
    {"one pattern without its list", "[" ONE ",\"servers\":\"x\"}]", "an array of names"},
    {"an empty pattern", "[" ONE ",\"deny\":[\"\"]}]", "an array of names"},
    {"a pattern that is none", "[" ONE ",\"deny\":[null]}]", "an array of names"},
    {"no calls at all", "[" ONE ",\"callsPerMinute\":0}]", "from 1 to 1000000"},
    {"half a call", "[" ONE ",\"concurrentCalls\":0.5}]", "from 1 to 1000000"},
    {"too many sessions", "[" ONE ",\"sessions\":1000001}]", "from 1 to 1000000"},
    {"a day that is not", "[" ONE ",\"expires\":\"2027-02-29\"}]", "a day, \"2027-01-31\""},
    {"a moment without its place", "[" ONE ",\"expires\":\"2027-02-28T00:00:00\"}]", "a day"},
    {"a date that is a number", "[" ONE ",\"expires\":5}]", "a day"},
    {"two of one name", "[" ONE "}," ONE "}]", "two tokens are called 'ci'"},
    {"one digest under two names", "[" ONE "},{\"name\":\"b\",\"sha256\":\"" SHA "\"}]",
     "'ci' and 'b' have the same sha256"},
};

static void what_would_open_a_door_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(refused); i++) {
        char         text[1024];
        deft_config *config;
        deft_error   error = DEFT_ERROR_INIT;
        (void)snprintf(text, sizeof text, "{\"http\":{\"tokens\":%s}}", refused[i].tokens);
        if (read_files(text, NULL, NULL, &config, &error) == DEFT_OK ||
            strstr(error.message, refused[i].part) == NULL ||
            strstr(error.message, "00112233") != NULL) {
            fail_msg("%s: %s", refused[i].name, error.message);
        }
        deft_config_free(config);
    }
}

static void the_strongest_of_a_name_counts(void **state)
{
    deft_config *config;
    deft_error   error = DEFT_ERROR_INIT;
    (void)state;
    assert_ok(read_files("{\"http\":{\"tokens\":[" ONE "},{\"name\":\"b\",\"sha256\":"
                         "\"10112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}]}}",
                         "{\"toolSearch\":{\"http\":{\"tokens\":[" ONE ",\"sessions\":9}]}}}", NULL,
                         &config, &error),
              error);
    assert_int_equal(deft_config_token_count(config), 2);
    assert_int_equal(deft_config_token(config, 0)->sessions, 9);
    assert_view_equal(deft_config_token(config, 0)->place, "deft.json");
    assert_view_equal(deft_config_token(config, 1)->name, "b");
    deft_config_free(config);
    // An empty list is a list: tokens are wanted, and there are none.
    assert_ok(read_files("{\"http\":{\"tokens\":[]}}", NULL, NULL, &config, &error), error);
    assert_true(deft_config_has_tokens(config));
    assert_int_equal(deft_config_token_count(config), 0);
    deft_config_free(config);
    assert_ok(read_files("{}", NULL, NULL, &config, &error), error);
    assert_false(deft_config_has_tokens(config));
    deft_config_free(config);
}

static const struct {
    const char *text;
    int64_t     seconds; // -1: none
} dates[] = {
    {"1970-01-01", 0},
    {"2000-02-29", 951782400},
    {"2026-11-15T16:00:00Z", 1794758400},
    {"9999-12-31T23:59:59Z", 253402300799},
    {"1969-12-31", -1},
    {"2100-02-29", -1},
    {"2026-13-01", -1},
    {"2026-00-10", -1},
    {"2026-11-15T24:00:00Z", -1},
    {"2026-11-15T16:00:00+01:00", -1},
    {"2026/11/15", -1},
    {"20261115", -1},
    {"", -1},
};

static void dates_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(dates); i++) {
        int64_t    seconds = -1;
        const bool is_date = deft_config_parse_date(deft_view_of(dates[i].text), &seconds);
        if (is_date != (dates[i].seconds >= 0) || seconds != dates[i].seconds) {
            fail_msg("%s: %lld", dates[i].text, (long long)seconds);
        }
    }
}

// --- Editing. ---

#define ENTRY                                                                                      \
    "{\"name\": \"n\", \"sha256\": "                                                               \
    "\"0000000000000000000000000000000000000000000000000000000000000000\"}"

static const struct {
    const char *name;
    const char *text;
    const char *result;
} added[] = {
    {"nothing becomes a file", "",
     "{\n  \"http\": {\n    \"tokens\": [\n      " ENTRY "\n    ]\n  }\n}\n"},
    {"comments stay on top", "// mine",
     "// mine\n{\n  \"http\": {\n    \"tokens\": [\n      " ENTRY "\n    ]\n  }\n}\n"},
    {"a group joins a file", "{\n  \"preset\": \"kiro\" // why\n}\n",
     "{\n  \"preset\": \"kiro\", // why\n  \"http\": {\n    \"tokens\": [\n      " ENTRY
     "\n    ]\n  }\n}\n"},
    {"a list joins a group", "{\n\t\"http\": {\n\t\t\"cors\": true\n\t}\n}\n",
     "{\n\t\"http\": {\n\t\t\"cors\": true,\n\t\t\"tokens\": [\n\t\t\t" ENTRY "\n\t\t]\n\t}\n}\n"},
    {"all on one line", "{\"http\": {\"cors\": true}}",
     "{\"http\": {\"cors\": true, \"tokens\": [" ENTRY "]}}"},
    {"an entry joins an empty list", "{\n  \"http\": {\n    \"tokens\": []\n  }\n}\n",
     "{\n  \"http\": {\n    \"tokens\": [\n      " ENTRY "\n    ]\n  }\n}\n"},
    {"an entry joins others",
     "{\n  \"http\": {\n    \"tokens\": [\n      {\"name\": \"a\"} // its owner\n    ]\n  }\n}\n",
     "{\n  \"http\": {\n    \"tokens\": [\n      {\"name\": \"a\"}, // its owner\n      " ENTRY
     "\n    ]\n  }\n}\n"},
};

static void a_token_is_added_and_nothing_else_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(added); i++) {
        const deft_token_config token = {.name = deft_view_of("n")};
        deft_error              error = DEFT_ERROR_INIT;
        deft_buffer             out;
        deft_buffer_init(&out, NULL);
        print_message("  %s\n", added[i].name);
        assert_ok(deft_config_add_token(deft_view_of(added[i].text), &token, deft_view_of(NULL),
                                        &out, &error),
                  error);
        assert_view_equal(deft_buffer_view(&out), added[i].result);
        deft_buffer_clear(&out);
    }
}

static const struct {
    const char *name;
    const char *text;
    const char *result;
} removed[] = {
    {"the only one", "{\"http\": {\"tokens\": [{\"name\": \"n\"}]}}",
     "{\"http\": {\"tokens\": []}}"},
    {"the first", "{\"http\": {\"tokens\": [{\"name\": \"n\"}, {\"name\": \"b\"}]}}",
     "{\"http\": {\"tokens\": [{\"name\": \"b\"}]}}"},
    {"the last", "{\"http\": {\"tokens\": [{\"name\": \"a\"}, {\"name\": \"n\"}]}}",
     "{\"http\": {\"tokens\": [{\"name\": \"a\"} ]}}"},
    {"a line, with what is said of it",
     "{\"http\": {\"tokens\": [\n  {\"name\": \"a\"}, // one\n  {\"name\": \"n\"}, // two\n  "
     "{\"name\": \"b\"} // three\n]}}\n",
     "{\"http\": {\"tokens\": [\n  {\"name\": \"a\"}, // one\n  {\"name\": \"b\"} // "
     "three\n]}}\n"},
    {"the last line, and the comma before it",
     "{\"http\": {\"tokens\": [\r\n  {\"name\": \"a\"}, // one\r\n  {\"name\": \"n\"}\r\n]}}\r\n",
     "{\"http\": {\"tokens\": [\r\n  {\"name\": \"a\"} // one\r\n]}}\r\n"},
    {"several lines",
     "{\"http\": {\"tokens\": [\n  {\n    \"name\": \"n\"\n  },\n  {\"name\": "
     "\"b\"}\n]}}",
     "{\"http\": {\"tokens\": [\n  {\"name\": \"b\"}\n]}}"},
};

static void a_token_is_removed_and_nothing_else_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(removed); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        print_message("  %s\n", removed[i].name);
        assert_ok(deft_config_remove_token(deft_view_of(removed[i].text), deft_view_of("n"), &out,
                                           &error),
                  error);
        assert_view_equal(deft_buffer_view(&out), removed[i].result);
        deft_buffer_clear(&out);
    }
}

static void what_cannot_be_edited_is_told(void **state)
{
    const deft_token_config token = {.name = deft_view_of("n")};
    deft_error              error = DEFT_ERROR_INIT;
    deft_buffer             out;
    (void)state;
    deft_buffer_init(&out, NULL);
    assert_int_equal(
        deft_config_add_token(deft_view_of("{\"http\":{\"tokens\":[{\"name\":\"n\"}]}}"), &token,
                              deft_view_of(NULL), &out, &error),
        DEFT_CONFLICT);
    assert_int_equal(deft_config_remove_token(deft_view_of(""), deft_view_of("n"), &out, &error),
                     DEFT_NOT_FOUND);
    assert_int_equal(deft_config_remove_token(deft_view_of("{"), deft_view_of("n"), &out, &error),
                     DEFT_INVALID);
    assert_int_equal(deft_config_add_token(deft_view_of("[mcp_servers.x]\ncommand = \"y\"\n"),
                                           &token, deft_view_of(NULL), &out, &error),
                     DEFT_INVALID);
    assert_int_equal(out.size, 0);
    deft_buffer_clear(&out);
}

static bool try_all(const deft_allocator *allocator, void *context)
{
    const deft_view         patterns[] = {deft_view_of("a*"), deft_view_of("b")};
    const deft_token_config token      = {
             .name = deft_view_of("n"), .servers = patterns, .server_count = 2, .calls_per_minute = 5};
    deft_config *config = NULL;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_buffer  with;
    deft_buffer  without;
    (void)context;
    deft_buffer_init(&with, allocator);
    deft_buffer_init(&without, allocator);
    deft_status status = deft_config_add_token(deft_view_of("{\"http\":{}}"), &token,
                                               deft_view_of("2027-01-31"), &with, &error);
    if (status == DEFT_OK) {
        deft_buffer_append_byte(&with, '\0');
        status = with.status == DEFT_OK ? read_files(with.data, NULL, allocator, &config, &error)
                                        : DEFT_OUT_OF_MEMORY;
    }
    if (status == DEFT_OK) {
        assert_int_equal(deft_config_token(config, 0)->server_count, 2);
        assert_int_equal(deft_config_token(config, 0)->expires_s, 1801353600);
        status = deft_config_remove_token(deft_view_make(with.data, with.size - 1),
                                          deft_view_of("n"), &without, &error);
    }
    if (status != DEFT_OK) {
        assert_int_equal(status, DEFT_OUT_OF_MEMORY);
    }
    deft_config_free(config);
    deft_buffer_clear(&with);
    deft_buffer_clear(&without);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(try_all, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_has_everything_that_was_written),
        cmocka_unit_test(what_would_open_a_door_is_an_error),
        cmocka_unit_test(the_strongest_of_a_name_counts),
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(a_token_is_added_and_nothing_else_changes),
        cmocka_unit_test(a_token_is_removed_and_nothing_else_changes),
        cmocka_unit_test(what_cannot_be_edited_is_told),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
