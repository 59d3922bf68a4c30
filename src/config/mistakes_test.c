// What is wrong in files and variables is told with its place, changes nothing, and stays cheap. Proves
// E1 (unknown keys) and A6 (contradictions).
#include "deft/config.h"

#include "support/config.h"

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
        deft_config *config = test_config_new();
        case_name(bad_files[i].name);
        assert_int_equal(
            test_config_add(config, DEFT_LAYER_USER_FILE, "f.json", bad_files[i].text, &error),
            bad_files[i].status);
        assert_true(
            strncmp(error.message, bad_files[i].message, strlen(bad_files[i].message)) == 0 ||
            (print_error("got  %s\nwant %s\n", error.message, bad_files[i].message), false));
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        assert_int_equal(deft_config_server_count(config), 0);
        assert_int_equal(deft_config_warning_count(config), 0);
        test_config_hold(config, "toolSearch.minPct", "10 from default");
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
        deft_config *config = test_config_new();
        case_name(joined[i].name);
        assert_ok(test_config_add(config, DEFT_LAYER_USER_FILE, "user", joined[i].user, &error),
                  error);
        if (joined[i].project != NULL) {
            assert_ok(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "project", joined[i].project,
                                      &error),
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
    deft_config *config = test_config_new();
    assert_int_equal(test_config_add(config, DEFT_LAYER_USER_FILE, "user",
                                     "{\"toolSearch\": {\"resultsMax\": 3}}", NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.resultsDefault", "3 from user:1");
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
        deft_config *config = test_config_new();
        case_name(warned[i].name);
        assert_ok(test_config_add(config, DEFT_LAYER_USER_FILE, "f", warned[i].text, &error),
                  error);
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

static void a_slip_in_a_variable_is_told(void **state)
{
    (void)state;
    deft_config *config = test_config_new();
    assert_int_equal(deft_config_add_variable(config, deft_view_of("DEFT_MIN_PTC"),
                                              deft_view_of("secret"), NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_warning_count(config), 1);
    assert_view_equal(deft_config_warning(config, 0)->message,
                      "unknown variable DEFT_MIN_PTC; did you mean DEFT_MIN_PCT?");
    deft_config_free(config);
}

static void limits(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);

    // A file of 16 MiB and one byte.
    deft_config *config = test_config_new();
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
    assert_int_equal(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "g",
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

    deft_config *config = test_config_new();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_told_and_change_nothing),
        cmocka_unit_test(contradictions_of_the_whole),
        cmocka_unit_test(a_lowered_maximum_takes_the_default_along),
        cmocka_unit_test(warnings),
        cmocka_unit_test(a_slip_in_a_variable_is_told),
        cmocka_unit_test(limits),
        cmocka_unit_test(hostile_files_stay_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
