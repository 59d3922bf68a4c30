// Layers, origins, errors, warnings and limits. Proves E1, E2, E3, A6 (contradictions) and A11.
#include "deft/config.h"

#include "support/test.h"

static deft_config *new_config(void)
{
    deft_config *config = deft_config_new(NULL, NULL);
    assert_non_null(config);
    return config;
}

static deft_status add_file(deft_config *config, deft_layer layer, const char *name,
                            const char *text, deft_error *error)
{
    return deft_config_add_file(config, layer, deft_view_of(name), deft_view_of(text), error);
}

static deft_config_entry find(const deft_config *config, const char *key)
{
    deft_config_entry entry;
    assert_int_equal(deft_config_find_entry(config, deft_view_of(key), &entry, NULL), DEFT_OK);
    return entry;
}

// "value from origin"
static void assert_entry(const deft_config *config, const char *key, const char *wanted)
{
    const deft_config_entry entry = find(config, key);
    deft_buffer             text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append(&text, entry.value);
    deft_buffer_append_text(&text, " from ");
    assert_int_equal(deft_config_write_origin(&entry, &text), DEFT_OK);
    assert_view_equal(deft_buffer_view(&text), wanted);
    deft_buffer_clear(&text);
}

// Every pair of layers: the stronger one wins, in whatever order they are added.
static void add_layer(deft_config *config, deft_layer layer)
{
    char text[80];
    switch (layer) {
    case DEFT_LAYER_DEFAULT:
        return;
    case DEFT_LAYER_PRESET:
        assert_int_equal(add_file(config, DEFT_LAYER_USER_FILE, "p", "{\"preset\":\"kiro\"}", NULL),
                         DEFT_OK);
        return;
    case DEFT_LAYER_USER_FILE:
    case DEFT_LAYER_PROJECT_FILE:
        (void)snprintf(text, sizeof text, "{\"toolSearch\":\n{\"minPct\": %d}}", (int)layer + 20);
        assert_int_equal(
            add_file(config, layer, layer == DEFT_LAYER_USER_FILE ? "user" : "project", text, NULL),
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
            deft_config *config = new_config();
            add_layer(config, (deft_layer)first);
            add_layer(config, (deft_layer)second);
            assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
            assert_entry(config, "toolSearch.minPct", wanted[first > second ? first : second]);
            deft_config_free(config);
        }
    }
}

static void later_files_of_a_layer_win_by_key(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(add_file(config, DEFT_LAYER_PROJECT_FILE, "one",
                              "{\"toolSearch\": {\"minPct\": 1, \"minTokens\": 11}}", NULL),
                     DEFT_OK);
    assert_int_equal(
        add_file(config, DEFT_LAYER_PROJECT_FILE, "two", "{\"toolSearch\": {\"minPct\": 2}}", NULL),
        DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.minPct", "2 from two:1");
    assert_entry(config, "toolSearch.minTokens", "11 from one:1");

    // Resolving again after more was added takes it in.
    assert_int_equal(
        add_file(config, DEFT_LAYER_PROJECT_FILE, "three", "{\"toolSearch\": \"auto:3\"}", NULL),
        DEFT_OK);
    assert_entry(config, "toolSearch.minPct", "2 from two:1");
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.minPct", "3 from three:1");
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
        deft_config *config = new_config();
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
        assert_entry(config, variable_cases[i].key, variable_cases[i].wanted);
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
    deft_config *config = new_config();
    deft_error   error  = DEFT_ERROR_INIT;
    for (size_t i = 0; i < array_size(flags); i++) {
        const deft_status status =
            deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of(flags[i].key),
                            deft_view_of(flags[i].value), deft_view_of("--flag"), &error);
        assert_int_equal(status, i + 1 < array_size(flags) ? DEFT_OK : DEFT_NOT_FOUND);
    }
    assert_string_equal(error.message, "unknown key no_such");
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.minPct", "7 from --flag");
    assert_entry(config, "toolSearch.style", "bridge from --flag");
    assert_entry(config, "toolSearch.resultsDefault", "8 from --flag");
    assert_entry(config, "toolSearch.resultsMax", "8 from --flag");
    assert_true(deft_config_settings(config)->results_max == 8);
    deft_config_free(config);
}

// An agent's file names the gateway itself; behind itself it would start itself without end.
static void the_gateway_is_not_behind_itself(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(
        add_file(
            config, DEFT_LAYER_PROJECT_FILE, ".mcp.json",
            "{\"mcpServers\": {\"deft\": {\"command\": \"deft\", \"args\": [\"serve\"]},"
            "\"tools\": {\"command\": \"/opt/bin/deft\", \"args\": [\"serve\"], \"deferLoading\":"
            " true}, \"other\": {\"command\": \"deft\", \"args\": [\"serve\", \"--config\", "
            "\"o\"]},"
            "\"redeft\": {\"command\": \"redeft\", \"args\": [\"serve\"]}}}",
            NULL),
        DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_int_equal(deft_config_server_count(config), 2);
    assert_view_equal(deft_config_server(config, 0)->name, "other");
    assert_view_equal(deft_config_server(config, 1)->name, "redeft");
    assert_int_equal(deft_config_settings(config)->server_rule_count, 0);
    deft_config_free(config);
}

static void servers_replace_whole(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(
        add_file(config, DEFT_LAYER_PROJECT_FILE, "project",
                 "{\"mcpServers\": {\"b\": {\"url\": \"https://x\"}, \"c\": {\"command\": \"c\"}}}",
                 NULL),
        DEFT_OK);
    assert_int_equal(add_file(config, DEFT_LAYER_USER_FILE, "user",
                              "{\"mcpServers\": {\"a\": {\"command\": \"a\"}, \"b\": {\"command\": "
                              "\"b\", \"env\": {\"X\": \"1\"}, \"deferLoading\": true, \"tools\": "
                              "{\"t\": true}}}}",
                              NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_server_count(config), 0); // not before resolve
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_int_equal(deft_config_server_count(config), 3);
    assert_view_equal(deft_config_server(config, 0)->name, "a");
    assert_view_equal(deft_config_server(config, 1)->name, "b");
    assert_view_equal(deft_config_server(config, 1)->url, "https://x");
    assert_view_equal(deft_config_server(config, 1)->place, "project");
    assert_int_equal(deft_config_server(config, 1)->environment_count, 0);
    assert_view_equal(deft_config_server(config, 2)->name, "c");
    // The rules of a server go with it.
    assert_int_equal(deft_config_settings(config)->server_rule_count, 0);
    assert_int_equal(deft_config_settings(config)->tool_rule_count, 0);
    deft_config_free(config);
}

static void stronger_rules_come_first(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(
        add_file(config, DEFT_LAYER_USER_FILE, "user",
                 "{\"toolSearch\": {\"tools\": {\"x\": true, \"y_*\": true, \"z\": true}},\n"
                 "\"mcpServers\": {\"s\": {\"command\": \"s\", \"tools\": {\"u\": true}}}}",
                 NULL),
        DEFT_OK);
    assert_int_equal(add_file(config, DEFT_LAYER_PROJECT_FILE, "project",
                              "{\"toolSearch\": {\"tools\": {\"x\": false}}}", NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("tools"),
                                     deft_view_of("*=pinned,z=pinned"), deft_view_of("--set"),
                                     NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.tools",
                 "*=pinned,z=pinned,x=pinned,s::u=deferred,y_*=deferred from --set");
    deft_config_free(config);
}

static const struct {
    const char *name;
    const char *text;
    deft_status status;
    const char *message;
} bad_files[] = {
    {"a text that is none", "{\"hooks\": {\n\"beforeCall\": []}}", DEFT_INVALID,
     "f.json:2: hooks.beforeCall is []; accepted: a command for the shell, or null for none"},
    {"a denial that is no list", "{\"permissions\": {\"deny\": \"x\"}}", DEFT_INVALID,
     "f.json:1: permissions.deny is \"x\"; accepted: an array of tools as server::tool"},
    {"a time of no length", "{\"gateway\": {\"callTimeoutMs\": 0}}", DEFT_INVALID,
     "f.json:1: gateway.callTimeoutMs is 0; accepted: milliseconds, a whole number from 1 to"},
    {"a server's time", "{\"mcpServers\": {\"s\": {\"command\": \"s\", \"timeout\": \"long\"}}}",
     DEFT_INVALID, "f.json:1: mcpServers.s.timeout is no time; accepted: a number above 0"},
    {"a server's other time",
     "{\"mcpServers\": {\"s\": {\"command\": \"s\", \"tool_timeout_sec\": 0}}}", DEFT_INVALID,
     "f.json:1: mcpServers.s.tool_timeout_sec is no time; accepted: a number above 0"},
    {"a server's era", "{\"mcpServers\": {\"s\": {\"command\": \"s\", \"era\": \"old\"}}}",
     DEFT_INVALID, "f.json:1: mcpServers.s.era is \"old\"; accepted: auto, legacy or modern"},
    {"a server's tools", "{\"mcpServers\": {\"s\": {\"command\": \"s\", \"includeTools\": 1}}}",
     DEFT_INVALID,
     "f.json:1: mcpServers.s.includeTools has a number; accepted: an array of tool names or "
     "patterns"},
    {"a tool that is none",
     "{\"mcpServers\": {\"s\": {\"command\": \"s\", \"disabled_tools\": [1]}}}", DEFT_INVALID,
     "f.json:1: mcpServers.s.disabled_tools has a number; accepted: an array of tool names or "
     "patterns"},
    {"a word for a percent", "{\n \"toolSearch\": {\n  \"minPct\": \"lots\"}}", DEFT_INVALID,
     "f.json:3: toolSearch.minPct is \"lots\"; accepted: a number from 0 to 100, or null for none"},
    {"a dotted key", "{\"toolSearch.enabled\":\n 7}", DEFT_INVALID,
     "f.json:2: toolSearch.enabled is 7; accepted: true, false, \"on\", \"off\", \"auto\" or "
     "\"auto:N\" with N from 0 to 100"},
    {"a long value is cut", "{\"preset\": \"a very long word that goes on and on and on and on\"}",
     DEFT_INVALID,
     "f.json:1: preset is \"a very long word that goes on and on and on and...; accepted: deft, "
     "pizzapi, praisonai, claude-sdk, claude-code or kiro"},
    {"a variable of Claude's", "{\"env\": {\n\"ENABLE_TOOL_SEARCH\": \"maybe\"}}", DEFT_INVALID,
     "f.json:2: env.ENABLE_TOOL_SEARCH is \"maybe\"; accepted: true, false, \"on\", \"off\", "
     "\"auto\" or \"auto:N\" with N from 0 to 100"},
    {"not an object", "true", DEFT_INVALID, "f.json:1: the file holds true; accepted: an object"},
    {"not JSON", "{\n\n nope}", DEFT_INVALID, "f.json:3: "},
    {"half a comment", "{} /* x", DEFT_INVALID, "f.json:1: a comment that never ends"},
    {"bad TOML", "# x\n[a\n", DEFT_INVALID, "f.json:2: the header of a table ends in ]"},
    {"a bad server of TOML", "[mcp_servers.x]\ncommand = \"x\"\nargs = 3\n", DEFT_INVALID,
     "f.json:3: mcp_servers.x.args is a number; accepted: an array of strings"},
    {"servers that are none", "{\"mcpServers\": []}", DEFT_INVALID,
     "f.json:1: mcpServers is an array; accepted: an object of servers"},
    {"a server that is none", "{\"mcpServers\": {\"x\":\n \"x\"}}", DEFT_INVALID,
     "f.json:2: mcpServers.x is a string; accepted: an object"},
    {"a server without a name", "{\"servers\": {\"\": {\"command\": \"x\"}}}", DEFT_INVALID,
     "f.json:1: servers has a server called ''; accepted: 1 to 128 bytes without :: and control "
     "characters"},
    {"a server that looks like a tool", "{\"mcpServers\": {\"a::b\": {\"command\": \"x\"}}}",
     DEFT_INVALID,
     "f.json:1: mcpServers has a server called 'a::b'; accepted: 1 to 128 bytes without :: and "
     "control characters"},
    {"a server that nearly looks like one", "{\"mcpServers\": {\"a:\": {\"command\": \"x\"}}}",
     DEFT_INVALID, "f.json:1: mcpServers has a server called 'a:'; accepted: "},
    {"a server with a line end", "{\"mcpServers\": {\"a\\n\": {\"command\": \"x\"}}}", DEFT_INVALID,
     "f.json:1: mcpServers has a server called 'a?'; accepted: "},
    {"a server without anything", "{\"mcpServers\": {\"x\": {}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x has no command; accepted: command and args, or url"},
    {"a server without its url", "{\"mcpServers\": {\"x\": {\"type\": \"http\"}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x has no url; accepted: url and headers"},
    {"an unknown transport", "{\"mcpServers\": {\"x\": {\"type\": \"ws\", \"url\": \"y\"}}}",
     DEFT_INVALID,
     "f.json:1: mcpServers.x.type is \"ws\"; accepted: stdio, http, streamable-http or sse"},
    {"a transport that is no word", "{\"mcpServers\": {\"x\": {\"type\": 1, \"url\": \"y\"}}}",
     DEFT_INVALID,
     "f.json:1: mcpServers.x.type is 1; accepted: stdio, http, streamable-http or sse"},
    {"an empty command", "{\"mcpServers\": {\"x\": {\"command\": \"\"}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x.command is empty; accepted: a string"},
    {"a command that is none", "{\"mcpServers\": {\"x\": {\"command\": 1}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x.command is a number; accepted: a string"},
    {"a command of nothing", "{\"mcpServers\": {\"x\": {\"command\": []}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x.command is empty; accepted: a string"},
    {"arguments that are none", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"args\": [[]]}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.args is an array; accepted: a string"},
    {"an environment that is none", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"env\": []}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.env is an array; accepted: an object of strings"},
    {"certificates that are none", "{\"mcpServers\": {\"x\": {\"url\": \"x\", \"ca\": 1}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.ca is a number; accepted: a string"},
    {"a directory that is none", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"cwd\": {}}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.cwd is an object; accepted: a string"},
    {"a switch that is none", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"disabled\": 1}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.disabled is a number; accepted: true or false"},
    {"another switch", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"enabled\": \"y\"}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.enabled is a string; accepted: true or false"},
    {"a deferral that is none",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"deferLoading\": \"yes\"}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x.deferLoading is a string; accepted: true or false"},
    {"a pin that is none", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"alwaysLoad\": 1}}}",
     DEFT_INVALID, "f.json:1: mcpServers.x.alwaysLoad is a number; accepted: true or false"},
    {"rules of a server that are none",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"tools\": true}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x.tools is true; accepted: an object of tool names or patterns"},
    {"a rule of a server that is none",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"tools\": {\"t\": 5}}}}", DEFT_INVALID,
     "f.json:1: mcpServers.x.tools.t is 5; accepted: true or \"deferred\", false or \"pinned\", or "
     "an object with deferLoading"},
    {"a server with rules and a star",
     "{\"mcpServers\": {\"x*\": {\"command\": \"x\", "
     "\"alwaysLoad\": true}}}",
     DEFT_INVALID,
     "f.json:1: mcpServers.x*: a server with rules of its own has no * or ? in its name"},
    {"a header variable that is none",
     "[mcp_servers.x]\nurl = \"y\"\nbearer_token_env_var = \"no name\"", DEFT_INVALID,
     "f.json:3: mcp_servers.x.bearer_token_env_var names no environment variable; accepted: "
     "letters, digits and _"},
    {"header variables that are none", "[mcp_servers.x]\nurl = \"y\"\nenv_http_headers = 1",
     DEFT_INVALID,
     "f.json:3: mcp_servers.x.env_http_headers is a number; accepted: a table of variable names"},
    {"a header variable that is a number",
     "[mcp_servers.x]\nurl = \"y\"\nenv_http_headers = { a = 1 }", DEFT_INVALID,
     "f.json:3: mcp_servers.x.env_http_headers is a number; accepted: the name of an environment "
     "variable"},

    // Contradictions that one object holds.
    {"deferred and always loaded",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\",\n\"deferLoading\": true,\n\"alwaysLoad\": "
     "true}}}",
     DEFT_CONFLICT,
     "f.json:2: mcpServers.x: deferLoading true (line 2) and alwaysLoad true (line 3) contradict "
     "one another; keep one of them"},
    {"never deferred and not always loaded",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\",\n\"alwaysLoad\": false,\n\"deferLoading\": "
     "false}}}",
     DEFT_CONFLICT,
     "f.json:3: mcpServers.x: deferLoading false (line 3) and alwaysLoad false (line 2) contradict "
     "one another; keep one of them"},
    {"a tool both ways",
     "{\"toolSearch\": {\"tools\": {\"t\": {\"deferLoading\": true, \"alwaysLoad\": true}}}}",
     DEFT_CONFLICT,
     "f.json:1: toolSearch.tools.t: deferLoading true (line 1) and alwaysLoad true (line 1) "
     "contradict one another; keep one of them"},
    {"a command and a url", "{\"mcpServers\": {\"x\": {\"command\": \"x\",\n\"url\": \"y\"}}}",
     DEFT_CONFLICT,
     "f.json:2: mcpServers.x has both command (line 1) and url (line 2); keep one of them, or add "
     "type"},
    {"on and off",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\",\n\"disabled\": true,\n\"enabled\": true}}}",
     DEFT_CONFLICT,
     "f.json:2: mcpServers.x: disabled (line 2) and enabled (line 3) contradict one another; keep "
     "one of them"},
};

static void bad_files_are_told_and_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bad_files); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = new_config();
        case_name(bad_files[i].name);
        assert_int_equal(
            add_file(config, DEFT_LAYER_USER_FILE, "f.json", bad_files[i].text, &error),
            bad_files[i].status);
        assert_true(
            strncmp(error.message, bad_files[i].message, strlen(bad_files[i].message)) == 0 ||
            (print_error("got  %s\nwant %s\n", error.message, bad_files[i].message), false));
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        assert_int_equal(deft_config_server_count(config), 0);
        assert_int_equal(deft_config_warning_count(config), 0);
        assert_entry(config, "toolSearch.minPct", "10 from default");
        deft_config_free(config);
    }
}

// Contradictions that show only when everything is joined.
static const struct {
    const char *name;
    const char *user;
    const char *project; // may be NULL
    deft_status status;
    const char *message;
} joined[] = {
    {"two call tools of one name",
     "{\"toolSearch\": {\"callReadOnlyName\": \"tool_call\",\n\"callTools\": \"by-effect\"}}", NULL,
     DEFT_CONFLICT,
     "toolSearch.callName (default) and toolSearch.callReadOnlyName (user:1) are both 'tool_call'; "
     "each tool needs a name of its own"},
    {"a second call tool that is not there",
     "{\"toolSearch\": {\"callReadOnlyName\": \"tool_call\"}}", NULL, DEFT_OK, ""},
    {"more by default than at most",
     "{\"toolSearch\": {\n\"resultsDefault\": 8,\n\"resultsMax\": 5}}", NULL, DEFT_CONFLICT,
     "toolSearch.resultsDefault is 8 (user:2) but toolSearch.resultsMax is only 5 (user:3); lower "
     "one or raise the other"},
    {"more by default than the default maximum", "{\"toolSearch\": {\"resultsDefault\": 30}}", NULL,
     DEFT_CONFLICT,
     "toolSearch.resultsDefault is 30 (user:1) but toolSearch.resultsMax is only 20 (default); "
     "lower one or raise the other"},
    {"a stronger maximum lowers the default", "{\"toolSearch\": {\"resultsDefault\": 8}}",
     "{\"toolSearch\": {\"resultsMax\": 3}}", DEFT_OK, ""},
    {"a percent said twice", "{\"toolSearch\": {\"enabled\": \"auto:5\",\n\"minPct\": 20}}", NULL,
     DEFT_CONFLICT,
     "toolSearch.enabled (user:1) and toolSearch.minPct (user:2) contradict one another; keep one "
     "of them"},
    {"a percent said twice alike", "{\"toolSearch\": {\"enabled\": \"auto:5\", \"minPct\": 5}}",
     NULL, DEFT_OK, ""},
    {"a percent said by a stronger file", "{\"toolSearch\": {\"enabled\": \"auto:5\"}}",
     "{\"toolSearch\": {\"minPct\": 20}}", DEFT_OK, ""},
    {"one key under two names", "{\"toolSearch\": {\"minPct\": 1,\n\"threshold_pct\": 2}}", NULL,
     DEFT_CONFLICT,
     "toolSearch.minPct (user:1) and toolSearch.threshold_pct (user:2) contradict one another; "
     "keep one of them"},
    {"one key nested and dotted", "{\"toolSearch\": {\"minPct\": 1},\n\"toolSearch.minPct\": 2}",
     NULL, DEFT_CONFLICT,
     "toolSearch.minPct (user:1) and toolSearch.minPct (user:2) contradict one another; keep one "
     "of them"},
    {"a list under two names",
     "{\"toolSearch\": {\"coreTools\": [\"a\"],\n\"core_tools\": [\"b\"]}}", NULL, DEFT_CONFLICT,
     "toolSearch.coreTools (user:1) and toolSearch.core_tools (user:2) contradict one another; "
     "keep one of them"},
    {"PizzaPi's maximum beside a default of its own",
     "{\"toolSearch\": {\"search_default_limit\": 3, \"maxResults\": 8}}", NULL, DEFT_OK, ""},
    {"two tools of one name", "{\"toolSearch\": {\"callName\": \"tool_search\"}}", NULL,
     DEFT_CONFLICT,
     "toolSearch.searchName (default) and toolSearch.callName (user:1) are both 'tool_search'; "
     "each tool needs a name of its own"},
    {"one parameter under two names",
     "{\"toolSearch\": {\"searchParameters\": [\"query\", \"limit\", \"max_results\"]}}", NULL,
     DEFT_CONFLICT,
     "toolSearch.searchParameters (user:1) has both max_results and limit, which are one; keep "
     "one"},
    {"a server both ways in one file",
     "{\"toolSearch\": {\n\"servers\": {\"x\": true}},\n\"mcpServers\": {\n\"x\": {\"command\": "
     "\"x\", \"alwaysLoad\": true}}}",
     NULL, DEFT_CONFLICT, "'x' is pinned in user:4 and deferred in user:2; keep one of them"},
    {"a server both ways in two files",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"alwaysLoad\": true}}}",
     "{\"toolSearch\": {\"servers\": {\"x\": true}}}", DEFT_OK, ""},
};

static void contradictions_of_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(joined); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = new_config();
        case_name(joined[i].name);
        assert_ok(add_file(config, DEFT_LAYER_USER_FILE, "user", joined[i].user, &error), error);
        if (joined[i].project != NULL) {
            assert_ok(
                add_file(config, DEFT_LAYER_PROJECT_FILE, "project", joined[i].project, &error),
                error);
        }
        assert_int_equal(deft_config_resolve(config, &error), joined[i].status);
        assert_string_equal(error.message, joined[i].message);
        deft_config_free(config);
    }
}

static void a_lowered_maximum_takes_the_default_along(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(add_file(config, DEFT_LAYER_USER_FILE, "user",
                              "{\"toolSearch\": {\"resultsMax\": 3}}", NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.resultsDefault", "3 from user:1");
    assert_int_equal(deft_config_settings(config)->results_default, 3);
    deft_config_free(config);
}

static const struct {
    const char *name;
    const char *text;
    const char *warning; // "line: message"; NULL: none
} warned[] = {
    {"a slip in the group", "{\"toolSearch\": {\n\"minPtc\": 5}}",
     "2: unknown key toolSearch.minPtc; did you mean toolSearch.minPct?"},
    {"nothing near", "{\"toolSearch\": {\"zzzzzzzz\": 5}}", "1: unknown key toolSearch.zzzzzzzz"},
    {"a slip in the group's name", "{\n\n\"toolSerch\": true}",
     "3: unknown key toolSerch; did you mean toolSearch?"},
    {"a slip in a dotted key", "{\"toolSearch.minTokns\": 5}",
     "1: unknown key toolSearch.minTokns; did you mean toolSearch.minTokens?"},
    {"a key that lost its group", "{\"minPct\": 5}",
     "1: unknown key minPct; did you mean toolSearch.minPct?"},
    {"a slip in a server", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"argz\": []}}}",
     "1: unknown key mcpServers.x.argz; did you mean args?"},
    {"a slip in a deferral", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"deferLoadin\": 1}}}",
     "1: unknown key mcpServers.x.deferLoadin; did you mean deferLoading?"},
    {"nothing near in a server", "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"qqqqq\": []}}}",
     "1: unknown key mcpServers.x.qqqqq"},
    {"a slip in a rule", "{\"toolSearch\": {\"tools\": {\"t\": {\"defer\": true}}}}",
     "1: unknown key toolSearch.tools.t.defer; known are deferLoading and alwaysLoad"},
    {"a name twice", "{\"toolSearch\": {\"minPct\": 1,\n\"minPct\": 2}}",
     "2: \"minPct\" is there twice in one object; the last one counts"},
    {"a group twice", "{\"toolSearch\": {\"minPct\": 1},\n\"toolSearch\": {\"minPct\": 2}}",
     "2: \"toolSearch\" is there twice in one object; the last one counts"},
    {"rules twice", "{\"toolSearch\": {\"tools\": {\"a\": true},\n\"tools\": {\"a\": false}}}",
     "2: \"tools\" is there twice in one object; the last one counts"},
    {"a rule twice", "{\"toolSearch\": {\"tools\": {\"a\": true,\n\"a\": false}}}",
     "2: \"a\" is there twice in one object; the last one counts"},
    {"a server twice",
     "{\"mcpServers\": {\"x\": {\"command\": \"x\"},\n\"x\": {\"command\": \"y\"}}}",
     "2: \"x\" is there twice in one object; the last one counts"},
    {"no threshold", "{\"toolSearch\": {\n\"enabled\": \"auto\", \"minPct\": null}}",
     "2: toolSearch.enabled is auto but no threshold is set, so no tool is deferred; set "
     "toolSearch.minPct"},
    {"an unknown member", "{\"somethingElse\": 1}", "1: unknown key somethingElse"},
    {"a slip inside a group", "{\"journal\": {\n\"enable\": true}}",
     "2: unknown key journal.enable; did you mean journal.enabled?"},
    {"a slip inside a group of toolSearch", "{\"toolSearch\": {\"descriptions\": {\"serch\": 1}}}",
     "1: unknown key toolSearch.descriptions.serch; did you mean toolSearch.descriptions.search?"},
    {"a slip among another program's hooks", "{\"hooks\": {\"Stop\": [], \"befoeCall\": \"x\"}}",
     "1: unknown key hooks.befoeCall; did you mean hooks.beforeCall?"},
    {"Claude's permissions and hooks",
     "{\"permissions\": {\"allow\": [\"Bash(npm run *)\", \"mcp__github__get_me\"], \"deny\": "
     "[\"Read\"]}, \"hooks\": {\"PreToolUse\": []}}",
     NULL},
    {"Claude's permissions by their other members",
     "{\"permissions\": {\"defaultMode\": \"plan\", \"allow\": []}}", NULL},
    {"permissions of two kinds", "{\n\"permissions\": {\"allow\": [\"Bash\", \"github::*\"]}}",
     "2: permissions.allow is taken for Claude Code's and not read; put deft's into "
     "toolSearch.permissions"},
    {"permissions of no kind", "{\"permissions\": {\"forbid\": []}, \"hooks\": true}", NULL},
    {"what others keep in the same file", "{\"$schema\": \"x\", \"permissions\": {}, \"a.b\": 1}",
     NULL},
};

static void warnings(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(warned); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = new_config();
        case_name(warned[i].name);
        assert_ok(add_file(config, DEFT_LAYER_USER_FILE, "f", warned[i].text, &error), error);
        assert_ok(deft_config_resolve(config, &error), error);
        assert_int_equal(deft_config_warning_count(config), warned[i].warning != NULL ? 1 : 0);
        if (warned[i].warning != NULL) {
            const deft_warning *warning = deft_config_warning(config, 0);
            char                text[300];
            (void)snprintf(text, sizeof text, "%zu: %.*s", warning->line,
                           (int)warning->message.size, warning->message.data);
            assert_string_equal(text, warned[i].warning);
            assert_view_equal(warning->place, "f");
        }
        deft_config_free(config);
    }
}

// The last of two counts, as the warning says.
static void the_last_one_counts(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(
        add_file(config, DEFT_LAYER_USER_FILE, "f",
                 "{\"toolSearch\": {\"minTokens\": 1},\n"
                 "\"toolSearch\": {\"minPct\": 1, \"minPct\": 2, \"tools\": {\"a\": true},"
                 " \"tools\": {\"a\": true, \"b\": true, \"b\": false}}}",
                 NULL),
        DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.minTokens", " from default");
    assert_entry(config, "toolSearch.minPct", "2 from f:2");
    assert_entry(config, "toolSearch.tools", "a=deferred,b=pinned from f:2");
    deft_config_free(config);
}

// Denials of all layers add up; what is allowed is up to the strongest.
static void permissions_of_layers(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = new_config();
    assert_ok(add_file(config, DEFT_LAYER_USER_FILE, "user",
                       "{\"permissions\": {\"deny\": [\"a::*\", \"b::c\"], \"allow\": [\"x\"]}}",
                       &error),
              error);
    assert_ok(add_file(config, DEFT_LAYER_PROJECT_FILE, "project",
                       "{\"permissions\": {\"deny\": [\"b::c\", \"d\"], \"allow\": [\"*\"]}}",
                       &error),
              error);
    assert_ok(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("permissions.deny"),
                              deft_view_of("none"), deft_view_of("--set"), &error),
              error);
    assert_ok(deft_config_resolve(config, &error), error);
    assert_entry(config, "permissions.deny", "b::c,d,a::* from project:1");
    assert_entry(config, "permissions.allow", "* from project:1");
    deft_config_free(config);
}

// Claude's own: what it allows is not for us, what it denies is denied.
static void permissions_of_claude(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = new_config();
    assert_ok(add_file(config, DEFT_LAYER_USER_FILE, "settings.json",
                       "{\"permissions\": {\"allow\": [\"Bash(git *)\", \"mcp__a__b\"],\n"
                       "\"deny\": [\"Read\", \"github::delete\"]}}",
                       &error),
              error);
    assert_ok(deft_config_resolve(config, &error), error);
    assert_int_equal(deft_config_warning_count(config), 0);
    assert_int_equal(deft_config_settings(config)->allowed_tool_count, 0);
    assert_entry(config, "permissions.deny", "Read,github::delete from settings.json:2");
    deft_config_free(config);
}

// What entries say of their servers' tools, sorted, without those that say nothing or were
// replaced.
static void tools_of_servers(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = new_config();
    assert_ok(add_file(config, DEFT_LAYER_USER_FILE, "user",
                       "{\"mcpServers\": {"
                       "\"z\": {\"command\": \"z\", \"includeTools\": []},"
                       "\"plain\": {\"command\": \"p\", \"excludeTools\": []},"
                       "\"gone\": {\"command\": \"g\", \"excludeTools\": [\"t\"]},"
                       "\"ab\": {\"command\": \"a\", \"disabledTools\": [\"t\", \"u(1)\"]},"
                       "\"a\": {\"command\": \"a\", \"tools\": [\"*\"]}}}",
                       &error),
              error);
    assert_ok(add_file(config, DEFT_LAYER_PROJECT_FILE, "project",
                       "{\"mcpServers\": {\"gone\": {\"command\": \"g\"}}}", &error),
              error);
    assert_ok(deft_config_resolve(config, &error), error);
    const deft_settings *settings = deft_config_settings(config);
    assert_int_equal(settings->server_tools_count, 3);
    assert_view_equal(settings->server_tools[0].server, "a");
    assert_true(settings->server_tools[0].is_included_set);
    assert_view_equal(settings->server_tools[0].included[0], "*");
    assert_view_equal(settings->server_tools[1].server, "ab");
    assert_false(settings->server_tools[1].is_included_set);
    assert_int_equal(settings->server_tools[1].excluded_count, 2);
    assert_view_equal(settings->server_tools[1].excluded[1], "u");
    assert_view_equal(settings->server_tools[2].server, "z");
    assert_true(settings->server_tools[2].is_included_set);
    assert_int_equal(settings->server_tools[2].included_count, 0);
    deft_config_free(config);
}

static const struct {
    const char *name;
    const char *members;
    uint64_t    call_ms;
    uint64_t    start_ms;
    deft_era    era;
} uses[] = {
    {"nothing is said", "", 0, 0, DEFT_ERA_AUTO},
    {"Cline and Roo: seconds", ", \"timeout\": 60", 60000, 0, DEFT_ERA_AUTO},
    {"Cline: an hour", ", \"timeout\": 3600, \"autoApprove\": []", 3600000, 0, DEFT_ERA_AUTO},
    {"Kiro: milliseconds", ", \"timeout\": 120000, \"autoApprove\": []", 120000, 0, DEFT_ERA_AUTO},
    {"Gemini CLI: milliseconds", ", \"timeout\": 3000", 3000, 0, DEFT_ERA_AUTO},
    {"opencode: until it shows its tools", ", \"type\": \"local\", \"timeout\": 5000", 0, 5000,
     DEFT_ERA_AUTO},
    {"Codex: seconds, with a fraction", ", \"tool_timeout_sec\": 1.5, \"startup_timeout_sec\": 20",
     1500, 20000, DEFT_ERA_AUTO},
    {"Codex: milliseconds", ", \"startup_timeout_ms\": 250", 0, 250, DEFT_ERA_AUTO},
    {"our own words win", ", \"timeout\": 60, \"callTimeoutMs\": 5, \"startTimeoutMs\": 6", 5, 6,
     DEFT_ERA_AUTO},
    {"an era", ", \"era\": \"legacy\"", 0, 0, DEFT_ERA_LEGACY},
    {"the other era", ", \"era\": \"Modern\"", 0, 0, DEFT_ERA_MODERN},
    {"no era in particular", ", \"era\": \"auto\"", 0, 0, DEFT_ERA_AUTO},
};

static void times_and_eras_of_servers(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(uses); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = new_config();
        char         text[200];
        case_name(uses[i].name);
        (void)snprintf(text, sizeof text, "{\"mcpServers\": {\"s\": {\"command\": \"s\"%s}}}",
                       uses[i].members);
        assert_ok(add_file(config, DEFT_LAYER_USER_FILE, "f", text, &error), error);
        assert_ok(deft_config_resolve(config, &error), error);
        assert_int_equal(deft_config_warning_count(config), 0);
        const deft_server_config *server = deft_config_server(config, 0);
        assert_int_equal(server->call_timeout_ms, uses[i].call_ms);
        assert_int_equal(server->start_timeout_ms, uses[i].start_ms);
        assert_int_equal(server->era, uses[i].era);
        deft_config_free(config);
    }
}

static void a_slip_in_a_variable_is_told(void **state)
{
    (void)state;
    deft_config *config = new_config();
    assert_int_equal(deft_config_add_variable(config, deft_view_of("DEFT_MIN_PTC"),
                                              deft_view_of("secret"), NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_warning_count(config), 1);
    assert_view_equal(deft_config_warning(config, 0)->message,
                      "unknown variable DEFT_MIN_PTC; did you mean DEFT_MIN_PCT?");
    deft_config_free(config);
}

// What may be secret is in no message, warning or entry.
static void secrets_stay_secret(void **state)
{
    (void)state;
    static const char *const files[] = {
        "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"env\": {\"K\": [\"s3cret\"]}}}}",
        "{\"mcpServers\": {\"x\": {\"url\": \"y\", \"headers\": {\"K\": {\"s3cret\": 1}}}}}",
        "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"args\": {\"s3cret\": 1}}}}",
        "{\"mcpServers\": {\"x\": {\"url\": [\"s3cret\"]}}}",
        "{\"mcpServers\": {\"x\": {\"command\": [[\"s3cret\"]]}}}",
        "{\"mcpServers\": {\"x\": {\"url\": \"y\", \"headers\": \"s3cret\"}}}",
        "[mcp_servers.x]\nurl = \"y\"\nbearer_token_env_var = \"s3cret value\"\n",
        ("{\"env\": {\"SOME_KEY\": \"s3cret\"}, \"mcpServers\": {\"x\": {\"command\": \"x\","
         " \"env\": {\"A\": \"s3cret\"}, \"tokn\": \"s3cret\", \"envFile\": \"s3cret\"}}}"),
    };
    for (size_t i = 0; i < array_size(files); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = new_config();
        (void)add_file(config, DEFT_LAYER_USER_FILE, "f", files[i], &error);
        assert_null(strstr(error.message, "s3cret"));
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        for (size_t j = 0; j < deft_config_warning_count(config); j++) {
            const deft_view message = deft_config_warning(config, j)->message;
            assert_null(strstr(message.data, "s3cret")); // ends in NUL, being a copy
        }
        for (size_t j = 0; j < deft_config_entry_count(config); j++) {
            assert_null(strstr(deft_config_entry_at(config, j).value.data, "s3cret"));
        }
        deft_config_free(config);
    }
}

static void limits(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);

    // A file of 16 MiB and one byte.
    deft_config *config = new_config();
    assert_true(deft_buffer_reserve(&text, 16u * 1024 * 1024 + 1));
    memset(text.data, ' ', 16u * 1024 * 1024 + 1);
    const deft_view large = deft_view_make(text.data, 16u * 1024 * 1024 + 1);
    assert_int_equal(
        deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"), large, &error),
        DEFT_LIMIT);
    assert_string_equal(error.message, "f: 16777217 bytes, with a limit of 16777216");

    // 65 arrays in one another.
    deft_buffer_reset(&text);
    deft_buffer_append_text(&text, "{\"a\":");
    for (size_t i = 0; i < 10000; i++) {
        deft_buffer_append_byte(&text, '[');
    }
    assert_int_equal(deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"),
                                          deft_buffer_view(&text), &error),
                     DEFT_LIMIT);

    // 10,001 servers.
    for (size_t count = 10000; count <= 10001; count++) {
        deft_buffer_reset(&text);
        deft_buffer_append_text(&text, "{\"mcpServers\": {");
        for (size_t i = 0; i < count; i++) {
            deft_buffer_append_text(&text, i > 0 ? ",\n\"s" : "\n\"s");
            deft_buffer_append_u64(&text, i);
            deft_buffer_append_text(&text, "\": {\"command\": \"x\", \"deferLoading\": true}");
        }
        deft_buffer_append_text(&text, "}}");
        assert_int_equal(deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"),
                                              deft_buffer_view(&text), &error),
                         count == 10000 ? DEFT_OK : DEFT_LIMIT);
    }
    assert_string_equal(error.message, "f:10002: more than 10000 servers");
    assert_ok(deft_config_resolve(config, &error), error);
    assert_int_equal(deft_config_server_count(config), 10000);
    assert_int_equal(deft_config_settings(config)->server_rule_count, 10000);
    assert_int_equal(add_file(config, DEFT_LAYER_PROJECT_FILE, "g",
                              "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}", NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, &error), DEFT_LIMIT);
    assert_string_equal(error.message, "10001 servers in all files, with a limit of 10000");
    deft_config_free(config);
    deft_buffer_clear(&text);
}

// A file made to be slow or large to tell about.
static void hostile_files_stay_cheap(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);

    deft_config *config = new_config();
    deft_buffer_append_text(&text, "{\"toolSearch\": {");
    for (size_t i = 0; i < 100000; i++) {
        deft_buffer_append_text(&text, "\"unknown_with_a_long_name");
        deft_buffer_append_u64(&text, i);
        deft_buffer_append_text(&text, "\": 1,\n");
    }
    deft_buffer_append_text(&text, "}}");
    assert_ok(deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"),
                                   deft_buffer_view(&text), &error),
              error);
    assert_int_equal(deft_config_warning_count(config), 101);
    assert_view_equal(deft_config_warning(config, 100)->message,
                      "there is more of this kind, which is not shown");

    deft_buffer_reset(&text);
    deft_buffer_append_text(&text, "{\"toolSearch\": {");
    for (size_t i = 0; i < 10000; i++) {
        deft_buffer_append_text(&text, "\"minPct\": 1,\n");
    }
    deft_buffer_append_text(&text, "}}");
    assert_int_equal(deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"),
                                          deft_buffer_view(&text), &error),
                     DEFT_LIMIT);
    assert_string_equal(error.message, "f:1001: more than 1000 settings in one file");
    deft_config_free(config);
    deft_buffer_clear(&text);
}

static void entries_before_and_after(void **state)
{
    (void)state;
    deft_config      *config = new_config();
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
    deft_config *config = new_config();
    assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("minPct"),
                                     deft_view_of("1"), deft_view_of(""), NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_set(config, DEFT_LAYER_USER_FILE, deft_view_of("minTokens"),
                                     deft_view_of("1"), deft_view_of(""), NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    assert_entry(config, "toolSearch.minPct", "1 from the command line");
    assert_entry(config, "toolSearch.minTokens", "1 from a file");

    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("minPct"),
                                     deft_view_of("x"), deft_view_of(""), &error),
                     DEFT_INVALID);
    assert_string_equal(error.message, "toolSearch.minPct is \"x\"; accepted: a number from 0 to "
                                       "100, or null for none");
    assert_int_equal(add_file(config, DEFT_LAYER_USER_FILE, "", "{\"preset\": 1}", &error),
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
        cmocka_unit_test(the_gateway_is_not_behind_itself),
        cmocka_unit_test(servers_replace_whole),
        cmocka_unit_test(stronger_rules_come_first),
        cmocka_unit_test(bad_files_are_told_and_change_nothing),
        cmocka_unit_test(contradictions_of_the_whole),
        cmocka_unit_test(a_lowered_maximum_takes_the_default_along),
        cmocka_unit_test(warnings),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(permissions_of_layers),
        cmocka_unit_test(permissions_of_claude),
        cmocka_unit_test(tools_of_servers),
        cmocka_unit_test(times_and_eras_of_servers),
        cmocka_unit_test(a_slip_in_a_variable_is_told),
        cmocka_unit_test(secrets_stay_secret),
        cmocka_unit_test(limits),
        cmocka_unit_test(hostile_files_stay_cheap),
        cmocka_unit_test(entries_before_and_after),
        cmocka_unit_test(origins_without_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
