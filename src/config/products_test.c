// The files of other products load unchanged, and mean here what they mean there. Proves E1, E4,
// E6, and A6 as far as files say it.
#include "deft/config.h"

#include "support/test.h"

// What is wanted of a file: entries as "key value", servers as lines, warnings by number.
typedef struct product_case {
    const char *name;
    const char *file;
    const char *text;
    const char *entries[12]; // "toolSearch.minPct=5"
    const char *servers[8];  // see describe_server
    const char *warnings[4]; // "line: message"
} product_case;

static const product_case cases[] = {
    {"PizzaPi: every key of its table",
     "config.json",
     "{\n"
     "  \"toolSearch\": {\n"
     "    \"enabled\": true,\n"
     "    \"tokenThreshold\": 8000,\n"
     "    \"maxResults\": 8,\n"
     "    \"keepLoadedTools\": false\n"
     "  }\n"
     "}\n",
     {"toolSearch.enabled=auto", "toolSearch.minCharacters=8000", "toolSearch.resultsMax=8",
      "toolSearch.resultsDefault=8", "toolSearch.keepLoadedTools=false"},
     {NULL},
     {NULL}},
    {"PizzaPi: servers that always, never or perhaps defer",
     "config.json",
     "{\"toolSearch\": {\"enabled\": true, \"tokenThreshold\": 10000},\n"
     " \"mcpServers\": {\n"
     "  \"tickets\": {\"command\": \"tickets-server\", \"deferLoading\": true},\n"
     "  \"database\": {\"command\": \"database-server\", \"deferLoading\": false},\n"
     "  \"files\": {\"command\": \"files-server\", \"args\": [\"--root\", \"/\"],\n"
     "            \"env\": {\"LEVEL\": \"debug\"}}\n"
     " }}",
     {"toolSearch.servers=tickets=deferred,database=pinned", "toolSearch.minCharacters=10000"},
     {"3 tickets stdio tickets-server deferred", "4 database stdio database-server pinned",
      "5 files stdio files-server [--root] [/] LEVEL=debug"},
     {NULL}},
    {"PizzaPi: switched off",
     "config.json",
     "{\"toolSearch\": {\"enabled\": false}}",
     {"toolSearch.enabled=off"},
     {NULL},
     {NULL}},
    {"Kiro: dotted settings among settings that are not ours",
     "cli.json",
     "{\n"
     "  \"chat.defaultModel\": \"some-model\",\n"
     "  \"toolSearch.enabled\": true,\n"
     "  \"toolSearch.minPct\": 0,\n"
     "  \"toolSearch.minTokens\": 50000,\n"
     "  \"telemetry.enabled\": false\n"
     "}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=0", "toolSearch.minTokens=50000"},
     {NULL},
     {NULL}},
    {"Kiro: the same nested",
     "cli.json",
     "{\"toolSearch\": {\"enabled\": true, \"minPct\": 2.5, \"minTokens\": 0}}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=2.5", "toolSearch.minTokens=0"},
     {NULL},
     {NULL}},
    {"Kiro: servers with what only Kiro knows",
     "mcp.json",
     "{\"mcpServers\": {\"notes\": {\"command\": \"notes\", \"args\": [], \"timeout\": 120000,\n"
     " \"disabled\": true, \"autoApprove\": [\"read\"], \"disabledTools\": []}}}",
     {NULL},
     {"1 notes stdio notes disabled"},
     {NULL}},
    {"Copilot CLI: tools that are never deferred, and those that may be used",
     "mcp-config.json",
     "{\"mcpServers\": {\"a\": {\"type\": \"local\", \"command\": \"a\", \"tools\": [\"*\"],\n"
     " \"deferTools\": \"never\"}, \"b\": {\"command\": \"b\", \"deferTools\": \"auto\"}}}",
     {"toolSearch.servers=a=pinned"},
     {"1 a stdio a pinned", "2 b stdio b"},
     {NULL}},
    {"Claude: .mcp.json with every transport",
     ".mcp.json",
     "{\"mcpServers\": {\n"
     "  \"a\": {\"type\": \"stdio\", \"command\": \"a\", \"env\": {\"K\": \"${K:-none}\"}},\n"
     "  \"b\": {\"type\": \"http\", \"url\": \"https://b.example/mcp\", \"alwaysLoad\": true,\n"
     "        \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"}},\n"
     "  \"c\": {\"type\": \"sse\", \"url\": \"https://c.example/sse\"},\n"
     "  \"d\": {\"type\": \"streamable-http\", \"url\": \"https://d.example\"},\n"
     "  \"e\": {\"url\": \"https://e.example\", \"alwaysLoad\": false}\n"
     "}}",
     {"toolSearch.servers=b=pinned"},
     {"2 a stdio a K=${K:-none}",
      "3 b http https://b.example/mcp Authorization:Bearer ${TOKEN} pinned",
      "5 c sse https://c.example/sse", "6 d http https://d.example", "7 e http https://e.example"},
     {NULL}},
    {"Claude: settings with an env block, where true means on",
     "settings.json",
     "{\n"
     "  \"permissions\": {\"allow\": []},\n"
     "  \"env\": {\"ANTHROPIC_API_KEY\": \"secret\", \"ENABLE_TOOL_SEARCH\": \"true\"}\n"
     "}",
     {"toolSearch.enabled=on"},
     {NULL},
     {NULL}},
    {"Claude: auto with a percent in the env block",
     "settings.json",
     "{\"env\": {\"ENABLE_TOOL_SEARCH\": \"auto:5\"}}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=5"},
     {NULL},
     {NULL}},
    {"PraisonAI: its dictionary on its own",
     "praison.json",
     "{\"enabled\": \"auto\", \"threshold_pct\": 15.0, \"search_default_limit\": 8,\n"
     " \"max_search_limit\": 25, \"core_tools\": [\"read_file\", \"clarify\"]}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=15", "toolSearch.resultsDefault=8",
      "toolSearch.resultsMax=25", "toolSearch.coreTools=read_file,clarify"},
     {NULL},
     {NULL}},
    {"PraisonAI: under tool_search",
     "praison.json",
     "{\"tool_search\": {\"enabled\": true, \"threshold_pct\": 5, \"core_tools\": null}}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=5", "toolSearch.coreTools="},
     {NULL},
     {NULL}},
    {"PraisonAI: under toolSearch, with no core tools at all",
     "praison.json",
     "{\"toolSearch\": {\"enabled\": \"on\", \"core_tools\": []}}",
     {"toolSearch.enabled=on", "toolSearch.coreTools=none"},
     {NULL},
     {NULL}},
    {"PraisonAI: a bare word",
     "praison.json",
     "{\"tool_search\": \"on\"}",
     {"toolSearch.enabled=on"},
     {NULL},
     {NULL}},
    {"VS Code: servers and inputs, with comments",
     "mcp.json",
     "{\n"
     "  // asked once\n"
     "  \"inputs\": [{\"type\": \"promptString\", \"id\": \"key\", \"password\": true}],\n"
     "  \"servers\": {\n"
     "    \"search\": {\n"
     "      \"type\": \"stdio\", /* here */ \"command\": \"npx\", \"args\": [\"-y\", "
     "\"search\",],\n"
     "      \"env\": {\"KEY\": \"${input:key}\", \"N\": 3, \"GONE\": null},\n"
     "      \"envFile\": \"${workspaceFolder}/.env\",\n"
     "    },\n"
     "  },\n"
     "}\n",
     {NULL},
     {"5 search stdio npx [-y] [search] KEY=${input:key} N=3"},
     {"8: servers.search.envFile is not read; put its variables into env"}},
    {"VS Code: servers inside its settings",
     "settings.json",
     "{\"editor.fontSize\": 12, \"mcp\": {\"inputs\": [], \"servers\": {\"x\": {\"command\": "
     "\"x\"}}}}",
     {NULL},
     {"1 x stdio x"},
     {NULL}},
    {"Codex: servers of config.toml",
     "config.toml",
     "model = \"some-model\"\n"
     "[mcp_servers.docs]\n"
     "command = \"docs\"\n"
     "args = [\"--fast\", 'x y']\n"
     "cwd = \"/srv\"\n"
     "startup_timeout_sec = 20\n"
     "enabled_tools = [\"a\"]\n"
     "[mcp_servers.docs.env]\n"
     "KEY = \"v\"\n"
     "[mcp_servers.remote]\n"
     "url = \"https://r.example/mcp\"\n"
     "bearer_token_env_var = \"R_TOKEN\"\n"
     "http_headers = { \"X-Region\" = \"eu\" }\n"
     "env_http_headers = { \"X-Key\" = \"R_KEY\" }\n"
     "enabled = false\n",
     {NULL},
     {"2 docs stdio docs [--fast] [x y] KEY=v in /srv",
      "10 remote http https://r.example/mcp X-Region:eu X-Key:${R_KEY} "
      "Authorization:Bearer ${R_TOKEN} disabled"},
     {NULL}},
    {"Codex: by its content, whatever the name",
     "config",
     "# a comment\n[mcp_servers.\"my server\"]\ncommand = \"x\"\n",
     {NULL},
     {"2 my server stdio x"},
     {NULL}},
    {"opencode: local and remote servers",
     "opencode.json",
     "{\"$schema\": \"x\", \"mcp\": {\n"
     " \"l\": {\"type\": \"local\", \"command\": [\"run\", \"it\"], \"environment\": {\"A\": "
     "\"1\"}, \"enabled\": true},\n"
     " \"r\": {\"type\": \"remote\", \"url\": \"https://r.example\", \"enabled\": false}}}",
     {NULL},
     {"2 l stdio run [it] A=1", "3 r http https://r.example disabled"},
     {NULL}},
    {"Gemini CLI: httpUrl and trust",
     "settings.json",
     "{\"security\": {}, \"mcpServers\": {\"g\": {\"httpUrl\": \"https://g.example\", \"trust\": "
     "true}}, \"mcp\": {\"allowed\": [\"g\"]}}",
     {NULL},
     {"1 g http https://g.example"},
     {NULL}},
    {"Qwen Code: alwaysLoadTools",
     "settings.json",
     "{\"mcpServers\": {\"q\": {\"command\": \"q\", \"alwaysLoadTools\": true}}}",
     {"toolSearch.servers=q=pinned"},
     {"1 q stdio q pinned"},
     {NULL}},
    {"deft: everything in one file",
     "deft.json",
     "{\n"
     "  \"preset\": \"kiro\", // and then some\n"
     "  \"noMcp\": false,\n"
     "  \"toolSearch\": {\n"
     "    \"mode\": \"auto:7.5\",\n"
     "    \"servers\": {\"git*\": true, \"memory\": {\"alwaysLoad\": true}},\n"
     "    \"tools\": {\"*::delete_*\": \"deferred\", \"web::fetch\": {\"deferLoading\": false}},\n"
     "    \"searchParameters\": [\"query\", \"limit\"],\n"
     "  },\n"
     "  \"mcpServers\": {\n"
     "    \"github\": {\"command\": \"gh\", \"tools\": {\"create_*\": {\"deferLoading\": "
     "false}}},\n"
     "  },\n"
     "}\n",
     {"preset=kiro", "toolSearch.enabled=auto", "toolSearch.minPct=7.5",
      "toolSearch.minTokens=50000", "toolSearch.servers=memory=pinned,git*=deferred",
      "toolSearch.tools=github::create_*=pinned,web::fetch=pinned,*::delete_*=deferred",
      "toolSearch.searchParameters=query,limit"},
     {"11 github stdio gh"},
     {NULL}},
    {"deft: tool search as one word",
     "deft.json",
     "{\"toolSearch\": \"auto:5\"}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=5"},
     {NULL},
     {NULL}},
    {"deft: tool search as a bool",
     "deft.json",
     "{\"toolSearch\": true}",
     {"toolSearch.enabled=auto", "toolSearch.minPct=10"},
     {NULL},
     {NULL}},
    {"deft: rules in an order of one's own",
     "deft.json",
     "{\"toolSearch\": {\"tools\": [\"a_*=pinned\", \"a_b=deferred\"]}}",
     {"toolSearch.tools=a_*=pinned,a_b=deferred"},
     {NULL},
     {NULL}},
    {"an empty file sets nothing", "deft.json", " \n", {"toolSearch.enabled=auto"}, {NULL}, {NULL}},
    {"a file of comments sets nothing",
     "deft.json",
     "// nothing yet\n/* really */",
     {"toolSearch.enabled=auto"},
     {NULL},
     {NULL}},
    {"a byte order mark is no obstacle",
     "deft.json",
     "\xEF\xBB\xBF{\"toolSearch\": \"on\"}",
     {"toolSearch.enabled=on"},
     {NULL},
     {NULL}},
};

// "line name transport command [argument]... NAME=value... header:value... in DIR disabled pinned"
static void describe_server(const deft_server_config *server, deft_buffer *out)
{
    static const char *const transports[] = {"stdio", "http", "sse"};
    deft_buffer_append_u64(out, server->line);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, server->name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_text(out, transports[server->transport]);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, server->command);
    deft_buffer_append(out, server->url);
    for (size_t i = 0; i < server->argument_count; i++) {
        deft_buffer_append_text(out, " [");
        deft_buffer_append(out, server->arguments[i]);
        deft_buffer_append_byte(out, ']');
    }
    for (size_t i = 0; i < server->environment_count; i++) {
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append(out, server->environment[i].name);
        deft_buffer_append_byte(out, '=');
        deft_buffer_append(out, server->environment[i].value);
    }
    for (size_t i = 0; i < server->header_count; i++) {
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append(out, server->headers[i].name);
        deft_buffer_append_byte(out, ':');
        deft_buffer_append(out, server->headers[i].value);
    }
    if (server->directory.size > 0) {
        deft_buffer_append_text(out, " in ");
        deft_buffer_append(out, server->directory);
    }
    deft_buffer_append_text(out, server->is_disabled ? " disabled" : "");
    if (server->is_defer_set) {
        deft_buffer_append_text(out, server->is_deferred ? " deferred" : " pinned");
    }
}

static void check_entries(const deft_config *config, const char *const *wanted)
{
    for (size_t i = 0; wanted[i] != NULL; i++) {
        const char       *equals = strchr(wanted[i], '=');
        deft_config_entry entry;
        deft_error        error = DEFT_ERROR_INIT;
        assert_ok(deft_config_find_entry(config,
                                         deft_view_make(wanted[i], (size_t)(equals - wanted[i])),
                                         &entry, &error),
                  error);
        assert_view_equal(entry.value, equals + 1);
    }
}

static void check_servers(const deft_config *config, const char *file, const char *const *wanted)
{
    size_t      count = 0;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (; wanted[count] != NULL; count++) {
        deft_buffer_reset(&text);
        assert_true(count < deft_config_server_count(config));
        const deft_server_config *server = deft_config_server(config, count);
        describe_server(server, &text);
        assert_view_equal(deft_buffer_view(&text), wanted[count]);
        assert_view_equal(server->place, file);
    }
    assert_int_equal(deft_config_server_count(config), count);
    deft_buffer_clear(&text);
}

static void check_warnings(const deft_config *config, const char *const *wanted)
{
    size_t      count = 0;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (size_t i = 0; i < deft_config_warning_count(config); i++) {
        const deft_warning *warning = deft_config_warning(config, i);
        deft_buffer_reset(&text);
        deft_buffer_append_u64(&text, warning->line);
        deft_buffer_append_text(&text, ": ");
        deft_buffer_append(&text, warning->message);
        assert_view_equal(deft_buffer_view(&text), wanted[count] != NULL ? wanted[count] : "none");
        count++;
    }
    assert_null(wanted[count]);
    deft_buffer_clear(&text);
}

static void files_of_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = deft_config_new(NULL, &error);
        case_name(cases[i].name);
        assert_ok(deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of(cases[i].file),
                                       deft_view_of(cases[i].text), &error),
                  error);
        assert_ok(deft_config_resolve(config, &error), error);
        check_entries(config, cases[i].entries);
        check_servers(config, cases[i].file, cases[i].servers);
        check_warnings(config, cases[i].warnings);
        deft_config_free(config);
    }
}

// What each preset changes, key by key; everything else stays at deft's default.
static const struct {
    const char *preset;
    const char *entries[14];
} presets[] = {
    {"deft",
     {"toolSearch.enabled=auto", "toolSearch.minPct=10", "toolSearch.contextWindow=200000",
      "toolSearch.resultsDefault=5", "toolSearch.resultsMax=20",
      "toolSearch.searchName=tool_search", "toolSearch.keepLoadedTools=true",
      "toolSearch.minTokens=", "toolSearch.minCharacters="}},
    {"pizzapi",
     {"toolSearch.enabled=off", "toolSearch.minCharacters=10000",
      "toolSearch.minPct=", "toolSearch.minTokens=", "toolSearch.searchName=search_tools",
      "toolSearch.searchParameters=query", "toolSearch.listing=none", "toolSearch.ranking=keyword",
      "toolSearch.resultsDefault=5", "toolSearch.resultsMax=5", "toolSearch.style=load",
      "toolSearch.keepLoadedTools=true", "toolSearch.fallbackList=true"}},
    {"praisonai",
     {"toolSearch.enabled=off", "toolSearch.minPct=10", "toolSearch.searchName=tool_search",
      "toolSearch.describeName=tool_describe", "toolSearch.callName=tool_call",
      "toolSearch.searchParameters=query,limit", "toolSearch.ranking=bm25",
      "toolSearch.resultsDefault=5", "toolSearch.resultsMax=20", "toolSearch.style=bridge",
      "toolSearch.coreTools="}},
    {"claude-sdk",
     {"toolSearch.enabled=on", "toolSearch.minPct=10", "toolSearch.listing=categories",
      "toolSearch.resultsMax=5", "toolSearch.style=load", "toolSearch.defer=all",
      "toolSearch.coreTools=none"}},
    {"claude-code",
     {"toolSearch.enabled=on", "toolSearch.minPct=10", "toolSearch.searchName=ToolSearch",
      "toolSearch.listing=names", "toolSearch.listingInstructionsBytes=2048",
      "toolSearch.defer=overflow", "toolSearch.style=load"}},
    {"kiro",
     {"toolSearch.enabled=off", "toolSearch.minPct=5", "toolSearch.minTokens=50000",
      "toolSearch.searchParameters=query,tool_id,max_results", "toolSearch.listing=full",
      "toolSearch.listingDescriptionBytes=1024", "toolSearch.ranking=bm25",
      "toolSearch.matchingThreshold=1.5", "toolSearch.resultsDefault=5", "toolSearch.style=load"}},
};

static void presets_by_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(presets); i++) {
        deft_error   error  = DEFT_ERROR_INIT;
        deft_config *config = deft_config_new(NULL, &error);
        case_name(presets[i].preset);
        assert_ok(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("preset"),
                                  deft_view_of(presets[i].preset), deft_view_of("--preset"),
                                  &error),
                  error);
        assert_ok(deft_config_resolve(config, &error), error);
        check_entries(config, presets[i].entries);

        // A preset is exactly deft_settings_init: the two must not drift apart.
        deft_preset   preset = DEFT_PRESET_DEFT;
        deft_settings wanted;
        assert_true(deft_preset_from_name(deft_view_of(presets[i].preset), &preset));
        deft_settings_init(&wanted, preset);
        const deft_settings *got = deft_config_settings(config);
        assert_int_equal(got->preset, wanted.preset);
        assert_int_equal(got->mode, wanted.mode);
        assert_int_equal(got->is_core_tools_set, wanted.is_core_tools_set);
        assert_int_equal(got->listing_budget_tokens, wanted.listing_budget_tokens);
        assert_int_equal(got->is_fallback_listed, wanted.is_fallback_listed);
        deft_config_free(config);
    }
}

// The raw object of a server is handed on for whoever knows more of it; it is plain JSON.
static void raw_servers_are_plain_json(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = deft_config_new(NULL, &error);
    assert_ok(
        deft_config_add_file(
            config, DEFT_LAYER_USER_FILE, deft_view_of("f.json"),
            deft_view_of("{\"mcpServers\": {\"x\": {\"command\": \"x\", // why\n\"a\": 1,}}}"),
            &error),
        error);
    assert_ok(deft_config_resolve(config, &error), error);
    assert_view_equal(deft_config_server(config, 0)->raw,
                      "{\"command\": \"x\",       \n\"a\": 1 }");
    deft_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_products),
        cmocka_unit_test(presets_by_word),
        cmocka_unit_test(raw_servers_are_plain_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
