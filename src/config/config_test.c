// Layers, origins, variables and flags. Proves E2, E3 and A11.
#include "deft/config.h"

#include "support/config.h"

// Every pair of layers: the stronger one wins, in whatever order they are added.
static void add_layer(deft_config *config, deft_layer layer)
{
    char text[80];
    switch (layer) {
    case DEFT_LAYER_DEFAULT:
        return;
    case DEFT_LAYER_PRESET:
        assert_int_equal(
            test_config_add(config, DEFT_LAYER_USER_FILE, "p", "{\"preset\":\"kiro\"}", NULL),
            DEFT_OK);
        return;
    case DEFT_LAYER_USER_FILE:
    case DEFT_LAYER_PROJECT_FILE:
        (void)snprintf(text, sizeof text, "{\"toolSearch\":\n{\"minPct\": %d}}", (int)layer + 20);
        assert_int_equal(test_config_add(config, layer,
                                         layer == DEFT_LAYER_USER_FILE ? "user" : "project", text,
                                         NULL),
                         DEFT_OK);
        return;
    case DEFT_LAYER_ENVIRONMENT:
        assert_int_equal(deft_config_add_variable(config, deft_view_of("DEFT_MIN_PCT"),
                                                  deft_view_of("24"), NULL),
                         DEFT_OK);
        return;
    case DEFT_LAYER_COMMAND_LINE:
        assert_int_equal(deft_config_set(config, layer, deft_view_of("toolSearch.minPct"),
                                         deft_view_of("25"), deft_view_of("--min-pct"), NULL),
                         DEFT_OK);
        return;
    }
}

static void stronger_layers_win(void **state)
{
    (void)state;
    static const char *const wanted[] = {"10 from default",
                                         "5 from preset kiro",
                                         "22 from user:2",
                                         "23 from project:2",
                                         "24 from the environment variable DEFT_MIN_PCT",
                                         "25 from --min-pct"};
    for (unsigned first = 0; first <= DEFT_LAYER_COMMAND_LINE; first++) {
        for (unsigned second = 0; second <= DEFT_LAYER_COMMAND_LINE; second++) {
            deft_config *config = test_config_new();
            add_layer(config, (deft_layer)first);
            add_layer(config, (deft_layer)second);
            assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
            test_config_hold(config, "toolSearch.minPct", wanted[first > second ? first : second]);
            deft_config_free(config);
        }
    }
}

static void later_files_of_a_layer_win_by_key(void **state)
{
    (void)state;
    deft_config *config = test_config_new();
    assert_int_equal(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "one",
                                     "{\"toolSearch\": {\"minPct\": 1, \"minTokens\": 11}}", NULL),
                     DEFT_OK);
    assert_int_equal(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "two",
                                     "{\"toolSearch\": {\"minPct\": 2}}", NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.minPct", "2 from two:1");
    test_config_hold(config, "toolSearch.minTokens", "11 from one:1");

    // Resolving again after more was added takes it in.
    assert_int_equal(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "three",
                                     "{\"toolSearch\": \"auto:3\"}", NULL),
                     DEFT_OK);
    test_config_hold(config, "toolSearch.minPct", "2 from two:1");
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.minPct", "3 from three:1");
    deft_config_free(config);
}

static const struct {
    const char *name;
    const char *variables[6]; // NAME=value, in this order
    const char *key;
    const char *wanted;
} variable_cases[] = {
    {"Claude's variable alone",
     {"ENABLE_TOOL_SEARCH=true"},
     "toolSearch.enabled",
     "on from the environment variable ENABLE_TOOL_SEARCH"},
    {"ours wins over Claude's",
     {"DEFT_ENABLED=off", "ENABLE_TOOL_SEARCH=true"},
     "toolSearch.enabled",
     "off from the environment variable DEFT_ENABLED"},
    {"in any order",
     {"ENABLE_TOOL_SEARCH=true", "DEFT_ENABLED=off"},
     "toolSearch.enabled",
     "off from the environment variable DEFT_ENABLED"},
    {"a percent said outright wins over one that follows",
     {"DEFT_MIN_PCT=7", "DEFT_ENABLED=auto:5"},
     "toolSearch.minPct",
     "7 from the environment variable DEFT_MIN_PCT"},
    {"our percent wins over Claude's",
     {"DEFT_ENABLED=auto:5", "ENABLE_TOOL_SEARCH=auto:6"},
     "toolSearch.minPct",
     "5 from the environment variable DEFT_ENABLED"},
    {"Kiro's threshold",
     {"KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD=2.25"},
     "toolSearch.matchingThreshold",
     "2.25 from the environment variable KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD"},
    {"our threshold wins over Kiro's",
     {"DEFT_MATCHING_THRESHOLD=1", "KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD=2"},
     "toolSearch.matchingThreshold",
     "1 from the environment variable DEFT_MATCHING_THRESHOLD"},
    {"no servers at all",
     {"DEFT_NO_MCP=1"},
     "noMcp",
     "true from the environment variable DEFT_NO_MCP"},
    {"no servers at all, in PizzaPi's word",
     {"PIZZAPI_NO_MCP=1"},
     "noMcp",
     "true from the environment variable PIZZAPI_NO_MCP"},
    {"ours takes PizzaPi's back",
     {"DEFT_NO_MCP=0", "PIZZAPI_NO_MCP=1"},
     "noMcp",
     "false from the environment variable DEFT_NO_MCP"},
    {"an empty variable is not set",
     {"DEFT_MIN_PCT=", "PATH=/bin", "HOME="},
     "toolSearch.minPct",
     "10 from default"},
    {"a preset from the environment",
     {"DEFT_PRESET=pizzapi"},
     "toolSearch.minCharacters",
     "10000 from preset pizzapi"},
};

static void variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(variable_cases); i++) {
        deft_config *config = test_config_new();
        case_name(variable_cases[i].name);
        for (size_t j = 0; variable_cases[i].variables[j] != NULL; j++) {
            const char *text   = variable_cases[i].variables[j];
            const char *equals = strchr(text, '=');
            assert_int_equal(deft_config_add_variable(config,
                                                      deft_view_make(text, (size_t)(equals - text)),
                                                      deft_view_of(equals + 1), NULL),
                             DEFT_OK);
        }
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        test_config_hold(config, variable_cases[i].key, variable_cases[i].wanted);
        assert_int_equal(deft_config_warning_count(config), 0);
        deft_config_free(config);
    }
}

static void flags_explicit_and_last(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *value;
    } flags[]           = {{"minPct", "7"},     {"toolSearch.mode", "auto:5"}, {"style", "load"},
                           {"style", "bridge"}, {"maxResults", "8"},           {"no_such", "1"}};
    deft_config *config = test_config_new();
    deft_error   error  = DEFT_ERROR_INIT;
    for (size_t i = 0; i < array_size(flags); i++) {
        const deft_status status =
            deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of(flags[i].key),
                            deft_view_of(flags[i].value), deft_view_of("--flag"), &error);
        assert_int_equal(status, i + 1 < array_size(flags) ? DEFT_OK : DEFT_NOT_FOUND);
    }
    assert_string_equal(error.message, "unknown key no_such");
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.minPct", "7 from --flag");
    test_config_hold(config, "toolSearch.style", "bridge from --flag");
    test_config_hold(config, "toolSearch.resultsDefault", "8 from --flag");
    test_config_hold(config, "toolSearch.resultsMax", "8 from --flag");
    assert_true(deft_config_settings(config)->results_max == 8);
    deft_config_free(config);
}

// The last of two counts, as the warning says.
static void the_last_one_counts(void **state)
{
    (void)state;
    deft_config *config = test_config_new();
    assert_int_equal(
        test_config_add(config, DEFT_LAYER_USER_FILE, "f",
                        "{\"toolSearch\": {\"minTokens\": 1},\n"
                        "\"toolSearch\": {\"minPct\": 1, \"minPct\": 2, \"tools\": {\"a\": true},"
                        " \"tools\": {\"a\": true, \"b\": true, \"b\": false}}}",
                        NULL),
        DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.minTokens", " from default");
    test_config_hold(config, "toolSearch.minPct", "2 from f:2");
    test_config_hold(config, "toolSearch.tools", "a=deferred,b=pinned from f:2");
    deft_config_free(config);
}

static void entries_before_and_after(void **state)
{
    (void)state;
    deft_config      *config = test_config_new();
    deft_config_entry entry;
    deft_error        error = DEFT_ERROR_INIT;
    assert_int_equal(deft_config_settings(config)->mode, DEFT_MODE_AUTO);
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        entry = deft_config_entry_at(config, i);
        assert_non_null(entry.key);
        assert_non_null(entry.accepts);
        assert_non_null(entry.description);
        assert_int_equal(entry.value.size, 0);
    }
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        assert_int_equal(deft_config_entry_at(config, i).layer, DEFT_LAYER_DEFAULT);
    }
    assert_int_equal(
        deft_config_find_entry(config, deft_view_of("toolSearch.minPtc"), &entry, &error),
        DEFT_NOT_FOUND);
    assert_string_equal(error.message,
                        "unknown key toolSearch.minPtc; did you mean toolSearch.minPct?");
    assert_int_equal(deft_config_find_entry(config, deft_view_of("tokenThreshold"), &entry, &error),
                     DEFT_OK);
    assert_string_equal(entry.key, "toolSearch.minCharacters");
    deft_config_free(config);
    deft_config_free(NULL);
}

static void origins_without_a_name(void **state)
{
    (void)state;
    deft_config *config = test_config_new();
    assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("minPct"),
                                     deft_view_of("1"), deft_view_of(""), NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_set(config, DEFT_LAYER_USER_FILE, deft_view_of("minTokens"),
                                     deft_view_of("1"), deft_view_of(""), NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.minPct", "1 from the command line");
    test_config_hold(config, "toolSearch.minTokens", "1 from a file");

    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("minPct"),
                                     deft_view_of("x"), deft_view_of(""), &error),
                     DEFT_INVALID);
    assert_string_equal(error.message, "toolSearch.minPct is \"x\"; accepted: a number from 0 to "
                                       "100, or null for none");
    assert_int_equal(test_config_add(config, DEFT_LAYER_USER_FILE, "", "{\"preset\": 1}", &error),
                     DEFT_INVALID);
    assert_string_equal(error.message, "preset is 1; accepted: deft, pizzapi, praisonai, "
                                       "claude-sdk, claude-code or kiro");
    deft_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stronger_layers_win),
        cmocka_unit_test(later_files_of_a_layer_win_by_key),
        cmocka_unit_test(variables),
        cmocka_unit_test(flags_explicit_and_last),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(entries_before_and_after),
        cmocka_unit_test(origins_without_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
