// One key set in a text, everything else as it was. Proves E2.
#include "deft/config.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *key;
    const char *value;
    const char *result;
} cases[] = {
    {"nothing becomes a file", "", "toolSearch.minPct", "0",
     "{\n  \"toolSearch\": {\n    \"minPct\": 0\n  }\n}\n"},
    {"white space becomes a file", " \n", "preset", "kiro", " \n{\n  \"preset\": \"kiro\"\n}\n"},
    {"comments stay on top", "// mine", "preset", "kiro",
     "// mine\n{\n  \"preset\": \"kiro\"\n}\n"},
    {"an empty object is filled", "{}", "toolSearch.minPct", "5",
     "{\n  \"toolSearch\": {\n    \"minPct\": 5\n  }\n}"},
    {"an empty group is filled", "{\n  \"toolSearch\": {}\n}\n", "minPct", "5",
     "{\n  \"toolSearch\": {\n    \"minPct\": 5\n  }\n}\n"},
    {"a value is replaced where it stands",
     "{\n  // keep me\n  \"toolSearch\": {\"minPct\": 5, /* me too */ \"enabled\": true},\n}\n",
     "toolSearch.minPct", "12.5",
     "{\n  // keep me\n  \"toolSearch\": {\"minPct\": 12.5, /* me too */ \"enabled\": true},\n}\n"},
    {"under its dotted name", "{\"toolSearch.minPct\": 5}", "toolSearch.minPct", "6",
     "{\"toolSearch.minPct\": 6}"},
    {"under another product's name", "{\"tool_search\": {\"threshold_pct\": 15.0}}",
     "toolSearch.minPct", "6", "{\"tool_search\": {\"threshold_pct\": 6}}"},
    {"under PraisonAI's name at the top", "{\"threshold_pct\": 15.0}", "minPct", "6",
     "{\"threshold_pct\": 6}"},
    {"the last of two", "{\"toolSearch\": {\"minPct\": 1, \"minPct\": 2}}", "minPct", "3",
     "{\"toolSearch\": {\"minPct\": 1, \"minPct\": 3}}"},
    {"an escaped name is the same name", "{\"toolSearch\": {\"min\\u0050ct\": 1}}", "minPct", "3",
     "{\"toolSearch\": {\"min\\u0050ct\": 3}}"},
    {"a bad value is replaced", "{\"toolSearch\": {\"minPct\": \"lots\"}}", "minPct", "3",
     "{\"toolSearch\": {\"minPct\": 3}}"},
    {"a member joins its line", "{\"toolSearch\": {\"enabled\": true}}", "minPct", "3",
     "{\"toolSearch\": {\"enabled\": true, \"minPct\": 3}}"},
    {"a member joins its lines", "{\n\t\"toolSearch\": {\n\t\t\"enabled\": true\n\t}\n}\n",
     "minPct", "3", "{\n\t\"toolSearch\": {\n\t\t\"enabled\": true,\n\t\t\"minPct\": 3\n\t}\n}\n"},
    {"a trailing comma is enough", "{\n  \"toolSearch\": {\n    \"enabled\": true,\n  },\n}\n",
     "minPct", "3", "{\n  \"toolSearch\": {\n    \"enabled\": true,\n    \"minPct\": 3\n  },\n}\n"},
    {"a comment behind the last member stays with it",
     "{\n  \"toolSearch\": {\n    \"enabled\": true // why, not\n  }\n}\n", "minPct", "3",
     "{\n  \"toolSearch\": {\n    \"enabled\": true, // why, not\n    \"minPct\": 3\n  }\n}\n"},
    {"a comment before a trailing comma", "{\"toolSearch\": {\"enabled\": true /*,*/ ,}}", "minPct",
     "3", "{\"toolSearch\": {\"enabled\": true /*,*/ , \"minPct\": 3}}"},
    {"a group of comments", "{\"toolSearch\": { // none yet\n}}", "minPct", "3",
     "{\"toolSearch\": { // none yet\n  \"minPct\": 3\n}}"},
    {"a group joins a file", "{\n    \"mcpServers\": {}\n}\n", "minPct", "3",
     "{\n    \"mcpServers\": {},\n    \"toolSearch\": {\n      \"minPct\": 3\n    }\n}\n"},
    {"a group joins a line", "{\"preset\": \"kiro\"}", "minPct", "3",
     "{\"preset\": \"kiro\", \"toolSearch\": {\"minPct\": 3}}"},
    {"a last member that shares its line", "{\n    \"a.x\": 1, \"a.y\": 2\n}\n", "noMcp", "no",
     "{\n    \"a.x\": 1, \"a.y\": 2,\n    \"noMcp\": false\n}\n"},
    {"a key with a group of its own", "", "journal.rowsMax", "7",
     "{\n  \"journal\": {\"rowsMax\": 7}\n}\n"},
    {"permissions go where nobody else's are", "", "permissions.deny", "a::*,mcp__b",
     "{\n  \"toolSearch\": {\n    \"permissions\": {\"deny\": [\"a::*\",\"mcp__b\"]}\n  }\n}\n"},
    {"but stay where they are", "{\"permissions\": {\"allow\": [\"a\"]}}", "permissions.allow", "b",
     "{\"permissions\": {\"allow\": [\"b\"]}}"},
    {"and are not mixed with Claude's", "{\"permissions\": {\"allow\": [\"Bash\"]}}",
     "permissions.allow", "b",
     "{\"permissions\": {\"allow\": [\"Bash\"]}, \"toolSearch\": {\"permissions\": {\"allow\": "
     "[\"b\"]}}}"},
    {"what is denied is denied, whoever wrote it", "{\"permissions\": {\"deny\": [\"Bash\"]}}",
     "permissions.deny", "Read", "{\"permissions\": {\"deny\": [\"Read\"]}}"},
    {"a key joins its own group", "{\"journal\": {\"enabled\": true}}", "journal.rowsMax", "7",
     "{\"journal\": {\"enabled\": true, \"rowsMax\": 7}}"},
    {"a value in a group of its own", "{\"journal\": {\"rowsMax\": 9}, \"noMcp\": true}",
     "journal.rowsMax", "7", "{\"journal\": {\"rowsMax\": 7}, \"noMcp\": true}"},
    {"a value under its dotted name", "{\"journal.rowsMax\": 9}", "journal.rowsMax", "7",
     "{\"journal.rowsMax\": 7}"},
    {"a group inside toolSearch", "{\"toolSearch\": {\"permissions\": {}}}", "permissions.deny",
     "a", "{\"toolSearch\": {\"permissions\": {\n  \"deny\": [\"a\"]\n}}}"},
    {"a group of toolSearch", "{\"toolSearch\": {\"minPct\": 1}}", "toolSearch.descriptions.search",
     "Look here \"first\"",
     "{\"toolSearch\": {\"minPct\": 1, \"descriptions\": {\"search\": \"Look here "
     "\\\"first\\\"\"}}}"},
    {"a group of that name elsewhere is not it", "{\"descriptions\": {}}", "descriptions.search",
     "Look", "{\"descriptions\": {}, \"toolSearch\": {\"descriptions\": {\"search\": \"Look\"}}}"},
    {"a group of a dotted file", "{\"toolSearch.minPct\": 1}", "descriptions.search", "Look",
     "{\"toolSearch.minPct\": 1, \"toolSearch.descriptions.search\": \"Look\"}"},
    {"a text is unset", "{\"hooks\": {\"beforeCall\": \"x\"}}", "hooks.beforeCall", "",
     "{\"hooks\": {\"beforeCall\": null}}"},
    {"a dotted file stays dotted", "{\n  \"toolSearch.enabled\": true\n}\n", "minPct", "3",
     "{\n  \"toolSearch.enabled\": true,\n  \"toolSearch.minPct\": 3\n}\n"},
    {"a word becomes a group", "{\n  \"toolSearch\": true\n}\n", "minPct", "3",
     "{\n  \"toolSearch\": {\n    \"enabled\": true,\n    \"minPct\": 3\n  }\n}\n"},
    {"a word is the mode", "{\"toolSearch\": true}", "toolSearch.enabled", "on",
     "{\"toolSearch\": \"on\"}"},
    {"a key at the top", "{\n  \"toolSearch\": true\n}\n", "noMcp", "yes",
     "{\n  \"toolSearch\": true,\n  \"noMcp\": true\n}\n"},
    {"a percent in the mode gives way to the percent",
     "{\"toolSearch\": {\"enabled\": \"auto:5\"}}", "minPct", "7",
     "{\"toolSearch\": {\"enabled\": \"auto\", \"minPct\": 7}}"},
    {"a percent goes where the percent is", "{\"toolSearch\": {\"minPct\": 7, \"enabled\": true}}",
     "enabled", "auto:5", "{\"toolSearch\": {\"minPct\": 5, \"enabled\": \"auto\"}}"},
    {"a percent goes where the percent is, without a mode", "{\"toolSearch\": {\"minPct\": 7}}",
     "enabled", "auto:5", "{\"toolSearch\": {\"minPct\": 5, \"enabled\": \"auto\"}}"},
    {"a word with a percent becomes a group", "{\"toolSearch\": \"auto:5\"}", "minPct", "7",
     "{\"toolSearch\": {\"enabled\": \"auto\", \"minPct\": 7}}"},
    {"a percent stays in the mode", "{}", "enabled", "auto:5",
     "{\n  \"toolSearch\": {\n    \"enabled\": \"auto:5\"\n  }\n}"},
    {"off is false", "{\"toolSearch\": {\"enabled\": true}}", "enabled", "off",
     "{\"toolSearch\": {\"enabled\": false}}"},
    {"true is auto", "{\"toolSearch\": {\"enabled\": false}}", "enabled", "true",
     "{\"toolSearch\": {\"enabled\": \"auto\"}}"},
    {"a threshold is taken away", "{\"toolSearch\": {\"minPct\": 7}}", "minPct", "none",
     "{\"toolSearch\": {\"minPct\": null}}"},
    {"a list", "{\"toolSearch\": {\"coreTools\": [ // x\n]}}", "coreTools", "a,b",
     "{\"toolSearch\": {\"coreTools\": [\"a\",\"b\"]}}"},
    {"no list", "{\"toolSearch\": {\"coreTools\": []}}", "coreTools", "",
     "{\"toolSearch\": {\"coreTools\": null}}"},
    {"an empty list", "{\"toolSearch\": {\"coreTools\": null}}", "coreTools", "none",
     "{\"toolSearch\": {\"coreTools\": []}}"},
    {"rules keep their order", "{\"toolSearch\": {\"tools\": {}}}", "tools", "b*=pinned,a=deferred",
     "{\"toolSearch\": {\"tools\": [\"b*=pinned\",\"a=deferred\"]}}"},
    {"parameters", "{\"toolSearch\": {}}", "searchParameters", "query,limit",
     "{\"toolSearch\": {\n  \"searchParameters\": [\"query\",\"limit\"]\n}}"},
    {"a decimal", "{\"toolSearch\": {\"matchingThreshold\": 1}}", "matchingThreshold", "1.5",
     "{\"toolSearch\": {\"matchingThreshold\": 1.5}}"},
    {"the name that was typed", "{\"toolSearch\": {\"enabled\": true}}", "tokenThreshold", "9000",
     "{\"toolSearch\": {\"enabled\": true, \"tokenThreshold\": 9000}}"},
    {"a byte order mark stays", "\xEF\xBB\xBF{\"preset\": \"deft\"}", "preset", "kiro",
     "\xEF\xBB\xBF{\"preset\": \"kiro\"}"},
    {"Windows line ends around it stay", "{\r\n  \"preset\": \"deft\"\r\n}\r\n", "noMcp", "true",
     "{\r\n  \"preset\": \"deft\",\n  \"noMcp\": true\r\n}\r\n"},
};

// What the file means for the key, before and after.
static deft_config_entry load(deft_config *config, deft_view text, const char *key)
{
    deft_config_entry entry = {.key = NULL};
    deft_error        error = DEFT_ERROR_INIT;
    assert_ok(
        deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f.json"), text, &error),
        error);
    assert_ok(deft_config_resolve(config, &error), error);
    assert_int_equal(deft_config_find_entry(config, deft_view_of(key), &entry, NULL), DEFT_OK);
    return entry;
}

static void one_key_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        test_guard      guard;
        const deft_view text  = test_guard_copy(&guard, deft_view_of(cases[i].text));
        deft_error      error = DEFT_ERROR_INIT;
        deft_buffer     once;
        deft_buffer     twice;
        deft_buffer_init(&once, NULL);
        deft_buffer_init(&twice, NULL);
        case_name(cases[i].name);
        assert_ok(deft_config_edit(text, deft_view_of(cases[i].key), deft_view_of(cases[i].value),
                                   &once, &error),
                  error);
        assert_view_equal(deft_buffer_view(&once), cases[i].result);

        // Again changes nothing.
        assert_ok(deft_config_edit(deft_buffer_view(&once), deft_view_of(cases[i].key),
                                   deft_view_of(cases[i].value), &twice, &error),
                  error);
        assert_view_equal(deft_buffer_view(&twice), cases[i].result);

        // The file says what was set, as the command line would.
        deft_config *from_file = deft_config_new(NULL, NULL);
        deft_config *from_flag = deft_config_new(NULL, NULL);
        assert_ok(deft_config_set(from_flag, DEFT_LAYER_USER_FILE, deft_view_of(cases[i].key),
                                  deft_view_of(cases[i].value), deft_view_of("f"), &error),
                  error);
        const deft_config_entry read  = load(from_file, deft_buffer_view(&once), cases[i].key);
        const deft_config_entry typed = load(from_flag, deft_view_of(""), cases[i].key);
        assert_true(deft_view_equal(read.value, typed.value));
        assert_int_equal(read.layer, DEFT_LAYER_USER_FILE);
        deft_config_free(from_file);
        deft_config_free(from_flag);
        deft_buffer_clear(&once);
        deft_buffer_clear(&twice);
        test_guard_clear(&guard);
    }
}

static const struct {
    const char *name;
    const char *text;
    const char *key;
    const char *value;
    deft_status status;
    const char *message;
} refused[] = {
    {"an unknown key", "{}", "toolSearch.minPtc", "1", DEFT_NOT_FOUND,
     "unknown key toolSearch.minPtc; did you mean toolSearch.minPct?"},
    {"a bad value", "{}", "toolSearch.minPct", "lots", DEFT_INVALID,
     "toolSearch.minPct is \"lots\"; accepted: a number from 0 to 100, or null for none"},
    {"a text that is no JSON", "{\n\"a\": nope}", "minPct", "1", DEFT_INVALID, "line 2: "},
    {"a comment that never ends", "{} /*", "minPct", "1", DEFT_INVALID,
     "line 1: a comment that never ends"},
    {"a text that is no object", "[1]", "minPct", "1", DEFT_INVALID,
     "this is TOML, which is only read; settings are kept in a JSON file"},
    {"a text that is a number", "7", "minPct", "1", DEFT_INVALID,
     "the file holds a number; accepted: an object"},
    {"what would be taken for Claude's", "{\"permissions\": {\"allow\": [\"a\"]}}",
     "permissions.allow", "b,Bash", DEFT_CONFLICT,
     "'Bash' looks like a rule of Claude Code's in permissions.allow at the top of a file; move "
     "permissions into toolSearch"},
    {"TOML", "[mcp_servers.x]\ncommand = \"x\"\n", "minPct", "1", DEFT_INVALID,
     "this is TOML, which is only read; settings are kept in a JSON file"},
};

static void what_cannot_be_changed(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(refused); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, "before");
        case_name(refused[i].name);
        assert_int_equal(deft_config_edit(deft_view_of(refused[i].text),
                                          deft_view_of(refused[i].key),
                                          deft_view_of(refused[i].value), &out, &error),
                         refused[i].status);
        assert_memory_equal(error.message, refused[i].message, strlen(refused[i].message));
        assert_view_equal(deft_buffer_view(&out), "before");
        deft_buffer_clear(&out);
    }
}

static void a_text_too_large(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer out;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&out, NULL);
    const size_t size = 16u * 1024 * 1024 + 1;
    assert_true(deft_buffer_reserve(&text, size));
    memset(text.data, ' ', size);
    assert_int_equal(deft_config_edit(deft_view_make(text.data, size), deft_view_of("preset"),
                                      deft_view_of("kiro"), &out, &error),
                     DEFT_LIMIT);
    deft_buffer_clear(&text);
    deft_buffer_clear(&out);
}

// One long line of many members must not cost the line's length for each of them.
static void a_long_line_stays_cheap(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer out;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&out, NULL);
    deft_buffer_append_text(&text, "{\"a\": 1");
    for (size_t i = 0; i < 200000; i++) {
        deft_buffer_append_text(&text, ", \"b\": 1");
    }
    deft_buffer_append_text(&text, "}");
    assert_ok(deft_config_edit(deft_buffer_view(&text), deft_view_of("preset"),
                               deft_view_of("kiro"), &out, &error),
              error);
    assert_int_equal(out.size, text.size + strlen(", \"preset\": \"kiro\""));
    deft_buffer_clear(&text);
    deft_buffer_clear(&out);
}

static bool edit_with(const deft_allocator *allocator, void *context)
{
    const size_t i = *(const size_t *)context;
    deft_buffer  out;
    deft_buffer_init(&out, allocator);
    const deft_status status =
        deft_config_edit(deft_view_of(cases[i].text), deft_view_of(cases[i].key),
                         deft_view_of(cases[i].value), &out, NULL);
    assert_true(status == DEFT_OK || (status == DEFT_OUT_OF_MEMORY && out.size == 0));
    deft_buffer_clear(&out);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        assert_true(test_every_allocation_fails(edit_with, &i) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_key_changes),           cmocka_unit_test(what_cannot_be_changed),
        cmocka_unit_test(a_text_too_large),          cmocka_unit_test(a_long_line_stays_cheap),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
