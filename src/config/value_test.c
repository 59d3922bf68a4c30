// Every key with what it takes and what it does not, in a file and as text. Proves A4, and E1 and
// E2 as far as values go.
#include "deft/config.h"

#include "support/config.h"

// In a file the value stands behind the key; as text it is what a person types.
static const struct {
    const char *key;
    const char *json;  // in a file
    const char *text;  // by deft_config_set; NULL: not tried
    const char *value; // as the entry shows it; NULL: it is refused
} cases[] = {
    {"preset", "\"kiro\"", "kiro", "kiro"},
    {"preset", "\"Claude-Code\"", "CLAUDE-CODE", "claude-code"},
    {"preset", "\"claude\"", "claude", NULL},
    {"preset", "1", "1", NULL},
    {"preset", "null", "", NULL},
    {"noMcp", "true", "yes", "true"},
    {"noMcp", "false", "0", "false"},
    {"noMcp", "false", "Off", "false"},
    {"noMcp", "true", " TRUE ", "true"},
    {"noMcp", "\"true\"", "maybe", NULL},
    {"noMcp", "1", "2", NULL},
    {"toolSearch.minCharacters", "10000", "10000", "10000"},
    {"toolSearch.minCharacters", "0", "0", "0"},
    {"toolSearch.minCharacters", "1e4", "1e4", "10000"},
    {"toolSearch.minCharacters", "null", "", ""},
    {"toolSearch.minCharacters", "null", "none", ""},
    {"toolSearch.minCharacters", "-1", "-1", NULL},
    {"toolSearch.minCharacters", "0.5", "0.5", NULL},
    {"toolSearch.minCharacters", "\"10000\"", "ten", NULL},
    {"toolSearch.minCharacters", "1000000000001", "1000000000001", NULL},
    {"toolSearch.minTokens", "50000", "50000", "50000"},
    {"toolSearch.minTokens", "null", "null", ""},
    {"toolSearch.minTokens", "true", "true", NULL},
    {"toolSearch.minPct", "5", "5", "5"},
    {"toolSearch.minPct", "0", "0", "0"},
    {"toolSearch.minPct", "100", "100", "100"},
    {"toolSearch.minPct", "12.25", "12.25", "12.25"},
    {"toolSearch.minPct", "33.333333", "33.333333", "33.33"},
    {"toolSearch.minPct", "null", "none", ""},
    {"toolSearch.minPct", "100.01", "100.01", NULL},
    {"toolSearch.minPct", "\"lots\"", "lots", NULL},
    {"toolSearch.minPct", "[5]", "[5]", NULL},
    {"toolSearch.minPct", "{}", "5%", NULL},
    {"toolSearch.contextWindow", "200000", "200000", "200000"},
    {"toolSearch.contextWindow", "0", "0", "0"},
    {"toolSearch.contextWindow", "-1", "-1", NULL},
    {"toolSearch.contextWindow", "null", "", NULL},
    {"toolSearch.tokenFamily", "\"claude\"", "claude", "claude"},
    {"toolSearch.tokenFamily", "\"gpt\"", "gpt", NULL},
    {"toolSearch.measuredForm", "\"openai\"", "OpenAI", "openai"},
    {"toolSearch.measuredForm", "\"xml\"", "xml", NULL},
    {"toolSearch.defer", "\"overflow\"", "overflow", "overflow"},
    {"toolSearch.defer", "true", "some", NULL},
    {"toolSearch.coreTools", "[\"a\", \"b\"]", "a, b", "a,b"},
    {"toolSearch.coreTools", "[]", "none", "none"},
    {"toolSearch.coreTools", "null", "", ""},
    {"toolSearch.coreTools", "[\"a,b\", \"none\"]", "[\"a,b\", \"none\"]", "[\"a,b\",\"none\"]"},
    {"toolSearch.coreTools", "[\"none\"]", "[\"none\"]", "[\"none\"]"},
    {"toolSearch.coreTools", "[\"a\\tb\"]", "[\"a\\tb\"]", "[\"a\\tb\"]"},
    {"toolSearch.coreTools", "\"a\"", "a,,b", NULL},
    {"toolSearch.coreTools", "[1]", "[1]", NULL},
    {"toolSearch.coreTools", "[\"\"]", "[\"\"]", NULL},
    {"toolSearch.coreTools", "{}", "[[[[[[]]]]]]", NULL},
    {"toolSearch.coreTools", "true", "a,\xFF", NULL},
    {"toolSearch.servers", "{\"a\": true, \"b\": false}", "a=deferred,b=pinned",
     "a=deferred,b=pinned"},
    {"toolSearch.servers", "{\"b*\": true, \"a\": \"Pinned\"}", "a=false,b*=TRUE",
     "a=pinned,b*=deferred"},
    {"toolSearch.servers", "{}", "", ""},
    {"toolSearch.servers", "null", "none", ""},
    {"toolSearch.servers", "[\"x,y=pinned\"]", "[\"x,y=pinned\"]", "[\"x,y=pinned\"]"},
    {"toolSearch.servers", "[\"a=b=pinned\"]", "a=b=pinned", "a=b=pinned"},
    {"toolSearch.servers", "{\"a\": 1}", "a", NULL},
    {"toolSearch.servers", "{\"a\": \"loose\"}", "a=loose", NULL},
    {"toolSearch.servers", "{\"\": true}", "=pinned", NULL},
    {"toolSearch.servers", "[\"a\"]", "a=", NULL},
    {"toolSearch.servers", "true", "true", NULL},
    {"toolSearch.tools", "{\"s::a_*\": {\"deferLoading\": true}}", "s::a_*=deferred",
     "s::a_*=deferred"},
    {"toolSearch.tools", "{\"a\": {\"alwaysLoad\": true}}", "a=pinned", "a=pinned"},
    {"toolSearch.tools", "{\"a\": {\"deferLoading\": 1}}", "a=1", NULL},
    {"toolSearch.tools", "{\"a\": {\"alwaysLoad\": \"x\"}}", "a=x", NULL},
    {"toolSearch.searchName", "\"find_tools\"", "find_tools", "find_tools"},
    {"toolSearch.searchName", "\"ToolSearch\"", "ToolSearch", "ToolSearch"},
    {"toolSearch.searchName", "\"two words\"", "two words", NULL},
    {"toolSearch.searchName", "\"\"", "", NULL},
    {"toolSearch.searchName", "3", "a.b", NULL},
    {"toolSearch.searchName",
     "\"a123456789b123456789c123456789d123456789e123456789f123456789g12345\"",
     "a123456789b123456789c123456789d123456789e123456789f123456789g12345", NULL},
    {"toolSearch.describeName", "\"d-1\"", "d-1", "d-1"},
    {"toolSearch.describeName", "[\"d\"]", "d!", NULL},
    {"toolSearch.callName", "\"c_2\"", "c_2", "c_2"},
    {"toolSearch.callName", "null", " ", NULL},
    {"toolSearch.searchParameters", "[\"query\"]", "query", "query"},
    {"toolSearch.searchParameters", "[\"max_results\", \"tool_id\", \"query\"]",
     "max_results,tool_id,query", "query,tool_id,max_results"},
    {"toolSearch.searchParameters", "[\"limit\"]", "limit", NULL},
    {"toolSearch.searchParameters", "[]", "none", NULL},
    {"toolSearch.searchParameters", "[\"query\", \"top\"]", "query,top", NULL},
    {"toolSearch.searchParameters", "\"query\"", "", NULL},
    {"toolSearch.listing", "\"names\"", "names", "names"},
    {"toolSearch.listing", "\"none\"", "none", "none"},
    {"toolSearch.listing", "\"all\"", "all", NULL},
    {"toolSearch.listingBudgetTokens", "0", "0", "0"},
    {"toolSearch.listingBudgetTokens", "-5", "-5", NULL},
    {"toolSearch.listingDescriptionBytes", "512", "512", "512"},
    {"toolSearch.listingDescriptionBytes", "1048577", "1048577", NULL},
    {"toolSearch.listingInstructionsBytes", "1048576", "1048576", "1048576"},
    {"toolSearch.listingInstructionsBytes", "\"2k\"", "2k", NULL},
    {"toolSearch.ranking", "\"keyword\"", "keyword", "keyword"},
    {"toolSearch.ranking", "\"best\"", "best", NULL},
    {"toolSearch.resultsDefault", "8", "8", "8"},
    {"toolSearch.resultsDefault", "0", "0", NULL},
    {"toolSearch.resultsDefault", "1001", "1001", NULL},
    {"toolSearch.resultsMax", "25", "25", "25"},
    {"toolSearch.resultsMax", "2.5", "2.5", NULL},
    {"toolSearch.matchingThreshold", "1.5", "1.5", "1.5"},
    {"toolSearch.matchingThreshold", "0", "0", "0"},
    {"toolSearch.matchingThreshold", "1000.001", "1000.001", NULL},
    {"toolSearch.fallbackList", "false", "no", "false"},
    {"toolSearch.fallbackList", "0", "never", NULL},
    {"toolSearch.resultBudgetTokens", "4000", "4000", "4000"},
    {"toolSearch.resultBudgetTokens", "\"4k\"", "4k", NULL},
    {"toolSearch.style", "\"bridge\"", "bridge", "bridge"},
    {"toolSearch.style", "\"magic\"", "magic", NULL},
    {"toolSearch.keepLoadedTools", "false", "false", "false"},
    {"toolSearch.keepLoadedTools", "\"no\"", "perhaps", NULL},
};

// A refusal names the place, the key, what was found and what is accepted.
static void check_refused(deft_status status, const deft_error *error, const char *place)
{
    assert_true(status == DEFT_INVALID || status == DEFT_CONFLICT);
    assert_true(strncmp(error->message, place, strlen(place)) == 0);
    assert_non_null(strstr(error->message, "accepted: "));
}

static void every_key_in_a_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        char         text[300];
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = test_config_new();
        (void)snprintf(text, sizeof text, "{\n\n\"%s\": %s}", cases[i].key, cases[i].json);
        print_message("  %s\n", text + 3);
        const deft_status status = deft_config_add_file(
            config, DEFT_LAYER_PROJECT_FILE, deft_view_of("f.json"), deft_view_of(text), &error);
        if (cases[i].value == NULL) {
            check_refused(status, &error, "f.json:3: ");
            assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
            assert_int_equal(test_config_find(config, cases[i].key).layer, DEFT_LAYER_DEFAULT);
        } else {
            assert_ok(status, error);
            assert_ok(deft_config_resolve(config, &error), error);
            const deft_config_entry entry = test_config_find(config, cases[i].key);
            assert_view_equal(entry.value, cases[i].value);
            if (strstr(entry.key, "toolSearch.servers") == NULL || entry.value.size > 0) {
                assert_int_equal(entry.layer, DEFT_LAYER_PROJECT_FILE);
                assert_view_equal(entry.place, "f.json");
                assert_int_equal(entry.line, 3);
            }
        }
        deft_config_free(config);
    }
}

static void every_key_as_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = test_config_new();
        print_message("  %s %s\n", cases[i].key, cases[i].text);
        const deft_status status =
            deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of(cases[i].key),
                            deft_view_of(cases[i].text), deft_view_of("--flag"), &error);
        if (cases[i].value == NULL) {
            check_refused(status, &error, "--flag is \"");
        } else {
            assert_ok(status, error);
            assert_ok(deft_config_resolve(config, &error), error);
            const deft_config_entry entry = test_config_find(config, cases[i].key);
            assert_view_equal(entry.value, cases[i].value);
        }
        deft_config_free(config);
    }
}

// A4: every value in every place that a mode is read from.
static const struct {
    const char *value;
    const char *in_file;    // "mode percent"; NULL: refused
    const char *in_call;    // deft_config_add_value
    const char *in_set;     // deft_config_set
    const char *in_own;     // DEFT_ENABLED
    const char *in_claudes; // ENABLE_TOOL_SEARCH
} modes[] = {
    {"true", "auto 10", "auto 10", "auto 10", "auto 10", "on 10"},
    {"false", "off 10", "off 10", "off 10", "off 10", "off 10"},
    {"on", "on 10", "on 10", "on 10", "on 10", "on 10"},
    {"off", "off 10", "off 10", "off 10", "off 10", "off 10"},
    {"auto", "auto 10", "auto 10", "auto 10", "auto 10", "auto 10"},
    {"auto:5", "auto 5", "auto 5", "auto 5", "auto 5", "auto 5"},
    {"auto:0", "auto 0", "auto 0", "auto 0", "auto 0", "auto 0"},
    {"auto:100", "auto 100", "auto 100", "auto 100", "auto 100", "auto 100"},
    {"auto:7.5", "auto 7.5", "auto 7.5", "auto 7.5", "auto 7.5", "auto 7.5"},
    {"AUTO:5", "auto 5", "auto 5", "auto 5", "auto 5", "auto 5"},
    {"True", "auto 10", "auto 10", "auto 10", "auto 10", "on 10"},
    {"On", "on 10", "on 10", "on 10", "on 10", "on 10"},
    {"1", NULL, NULL, "auto 10", "auto 10", "on 10"},
    {"0", NULL, NULL, "off 10", "off 10", "off 10"},
    {"yes", NULL, NULL, "auto 10", "auto 10", "on 10"},
    {"no", NULL, NULL, "off 10", "off 10", "off 10"},
    {"auto:101", NULL, NULL, NULL, NULL, NULL},
    {"auto:", NULL, NULL, NULL, NULL, NULL},
    {"auto:x", NULL, NULL, NULL, NULL, NULL},
    {"auto:-1", NULL, NULL, NULL, NULL, NULL},
    {"auto5", NULL, NULL, NULL, NULL, NULL},
    {"maybe", NULL, NULL, NULL, NULL, NULL},
    {"2", NULL, NULL, NULL, NULL, NULL},
};

static void check_mode(deft_config *config, deft_status status, const char *wanted,
                       const deft_error *error)
{
    if (wanted == NULL) {
        assert_int_equal(status, DEFT_INVALID);
        assert_non_null(strstr(error->message,
                               "accepted: true, false, \"on\", \"off\", \"auto\" or "
                               "\"auto:N\" with N from 0 to 100"));
    } else {
        char got[40];
        assert_ok(status, *error);
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        const deft_config_entry mode    = test_config_find(config, "toolSearch.enabled");
        const deft_config_entry percent = test_config_find(config, "toolSearch.minPct");
        (void)snprintf(got, sizeof got, "%.*s %.*s", (int)mode.value.size, mode.value.data,
                       (int)percent.value.size, percent.value.data);
        assert_string_equal(got, wanted);
    }
    deft_config_free(config);
}

static bool is_json_bool(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

static void modes_by_place(void **state)
{
    (void)state;
    const deft_view here = deft_view_of("here");
    for (size_t i = 0; i < array_size(modes); i++) {
        case_name(modes[i].value);
        const deft_view value = deft_view_make(modes[i].value, strlen(modes[i].value));
        for (int is_quoted = is_json_bool(modes[i].value) ? 0 : 1; is_quoted < 2; is_quoted++) {
            char        json[40];
            char        file[80];
            deft_error  error = DEFT_ERROR_INIT;
            const char *quote = is_quoted == 1 ? "\"" : "";
            (void)snprintf(json, sizeof json, "%s%s%s", quote, modes[i].value, quote);
            (void)snprintf(file, sizeof file, "{\"toolSearch\": {\"enabled\": %s}}", json);

            deft_config *config = test_config_new();
            deft_status  status = deft_config_add_file(config, DEFT_LAYER_USER_FILE, here,
                                                       deft_view_of(file), &error);
            check_mode(config, status, modes[i].in_file, &error);

            config = test_config_new();
            status = deft_config_add_value(config, DEFT_LAYER_COMMAND_LINE, here,
                                           deft_view_of(json), &error);
            check_mode(config, status, modes[i].in_call, &error);
        }

        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = test_config_new();
        deft_status  status = deft_config_set(config, DEFT_LAYER_USER_FILE,
                                              deft_view_of("toolSearch.mode"), value, here, &error);
        check_mode(config, status, modes[i].in_set, &error);

        config = test_config_new();
        status = deft_config_add_variable(config, deft_view_of("DEFT_ENABLED"), value, &error);
        check_mode(config, status, modes[i].in_own, &error);

        config = test_config_new();
        status =
            deft_config_add_variable(config, deft_view_of("ENABLE_TOOL_SEARCH"), value, &error);
        check_mode(config, status, modes[i].in_claudes, &error);
    }
}

// Unset, the variable decides nothing; what Claude does without it is in Claude's presets.
static void an_unset_variable_decides_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        const char *mode;
    } presets[] = {{"deft", "auto"},     {"pizzapi", "off"},    {"praisonai", "off"},
                   {"claude-sdk", "on"}, {"claude-code", "on"}, {"kiro", "off"}};
    for (size_t i = 0; i < array_size(presets); i++) {
        deft_config *config = test_config_new();
        assert_int_equal(deft_config_add_variable(config, deft_view_of("DEFT_PRESET"),
                                                  deft_view_of(presets[i].preset), NULL),
                         DEFT_OK);
        assert_int_equal(deft_config_add_variable(config, deft_view_of("ENABLE_TOOL_SEARCH"),
                                                  deft_view_of(""), NULL),
                         DEFT_OK);
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        assert_view_equal(test_config_find(config, "toolSearch.enabled").value, presets[i].mode);
        deft_config_free(config);
    }
}

// PraisonAI is off without a word, and auto with a dictionary that does not say.
static void a_dictionary_alone_means_auto_for_praisonai(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *mode;
    } files[] = {
        {"{}", "off"},
        {"{\"preset\": \"praisonai\"}", "off"},
        {"{\"toolSearch.minPct\": 5}", "off"},
        {"{\"tool_search\": {}}", "auto"},
        {"{\"tool_search\": {\"threshold_pct\": 5}}", "auto"},
        {"{\"threshold_pct\": 5}", "auto"},
        {"{\"threshold_pct\": 5, \"enabled\": false}", "off"},
        {"{\"tool_search\": {\"enabled\": \"on\"}}", "on"},
    };
    for (size_t i = 0; i < array_size(files); i++) {
        deft_config *config = test_config_new();
        case_name(files[i].text);
        assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("preset"),
                                         deft_view_of("praisonai"), deft_view_of("--preset"), NULL),
                         DEFT_OK);
        assert_int_equal(deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"),
                                              deft_view_of(files[i].text), NULL),
                         DEFT_OK);
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        assert_view_equal(test_config_find(config, "toolSearch.enabled").value, files[i].mode);
        deft_config_free(config);
    }
}

// E4: what a program hands over.
static void values_of_a_host(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *json;
        const char *mode; // NULL: refused
        const char *message;
    } values[] = {
        {"a bool", "true", "auto", ""},
        {"a word", "\"on\"", "on", ""},
        {"an object", "{\"enabled\": \"on\", \"minPct\": 3}", "on", ""},
        {"an object with a preset", "{\"preset\": \"kiro\", \"enabled\": true}", "auto", ""},
        {"an empty object", "{}", "auto", ""},
        {"a number", "3", NULL,
         "Agent: toolSearch is 3; accepted: true, false, \"on\", \"off\", \"auto\" or \"auto:N\" "
         "with N from 0 to 100"},
        {"comments are for files", "{} // x", NULL, "Agent: "},
        {"nothing at all", "", NULL, "Agent: "},
        {"a bad key", "{\"minPct\": true}", NULL,
         "Agent: toolSearch.minPct is true; accepted: a number from 0 to 100, or null for none"},
    };
    for (size_t i = 0; i < array_size(values); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = test_config_new();
        case_name(values[i].name);
        const deft_status status =
            deft_config_add_value(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("Agent"),
                                  deft_view_of(values[i].json), &error);
        if (values[i].mode == NULL) {
            assert_int_equal(status, DEFT_INVALID);
            assert_true(strncmp(error.message, values[i].message, strlen(values[i].message)) == 0);
        } else {
            assert_ok(status, error);
            assert_ok(deft_config_resolve(config, &error), error);
            const deft_config_entry entry = test_config_find(config, "toolSearch.enabled");
            assert_view_equal(entry.value, values[i].mode);
            assert_int_equal(entry.line, 0);
        }
        deft_config_free(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_in_a_file),
        cmocka_unit_test(every_key_as_text),
        cmocka_unit_test(modes_by_place),
        cmocka_unit_test(an_unset_variable_decides_nothing),
        cmocka_unit_test(a_dictionary_alone_means_auto_for_praisonai),
        cmocka_unit_test(values_of_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
