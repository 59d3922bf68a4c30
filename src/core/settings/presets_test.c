// Each preset at work: the sentences of the product's document, in their order, as plans and
// listings show them. What only a setting can show is in settings_test.c. Proves E6 as far as the
// core carries it, and A2 to A8, B2 to B4 with each product's own values.
#include "deft/listing.h"

#include "support/scene.h"
#include "support/test.h"

static bool is_deferred(const test_scene *scene, const char *id)
{
    return test_scene_decision(scene, id).place == DEFT_PLACE_DEFERRED;
}

static bool is_active(const test_scene *scene)
{
    return deft_plan_summary_of(scene->plan)->is_active;
}

static size_t deferred_count(const test_scene *scene)
{
    return deft_plan_summary_of(scene->plan)->deferred_count;
}

// Makes the percent threshold lie `tokens` above what is measured (below: negative).
static void set_window(test_scene *scene, int tokens)
{
    test_scene_measure(scene);
    const int64_t measured = (int64_t)deft_sizes_total(scene->sizes).tokens;
    const int64_t percent  = (int64_t)scene->settings.threshold_permyriad.value;
    // Rounded up, so that the threshold is not a token less than asked for.
    const int64_t window                  = ((measured + tokens) * 10000 + percent - 1) / percent;
    scene->settings.context_window_tokens = (uint64_t)window;
}

static void assert_listing(const test_scene *scene, const char *text)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_listing_write(scene->plan, &scene->settings, &out, NULL), DEFT_OK);
    assert_view_equal(deft_buffer_view(&out), text);
    deft_buffer_clear(&out);
}

// "measures the total character count of all MCP tool definitions (name + description + JSON
// schema). If the total exceeds tokenThreshold, all MCP tools are removed [...] Built-in tools
// (read, bash, edit, write, etc.) are never deferred."
static void pizzapi_threshold(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool        is_enabled;
        size_t      characters; // of the second tool; the first has 4,000
        size_t      deferred;
    } cases[] = {
        {"enabled: false is the default", false, 60000, 0},
        {"9,999 characters do not exceed 10,000", true, 5999, 0},
        {"10,000 do not either", true, 6000, 0},
        {"10,001 do, and then all are removed", true, 6001, 2},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_PIZZAPI);
        test_scene_add(&scene, "", DEFT_SERVER_BUILTIN, "read bash edit write");
        test_scene_add_sized(&scene, "github", "create_issue", 4000);
        test_scene_add_sized(&scene, "slack", "send_message", cases[i].characters);
        scene.settings.mode = cases[i].is_enabled ? DEFT_MODE_AUTO : scene.settings.mode;
        test_scene_plan(&scene);
        assert_int_equal(deferred_count(&scene), cases[i].deferred);
        assert_int_equal(is_active(&scene), cases[i].deferred > 0);
        assert_false(is_deferred(&scene, "bash"));
        assert_listing(&scene, ""); // search_tools is all that the agent receives
        test_scene_clear(&scene);
    }
}

// "You can force individual MCP servers to always defer (or never defer) their tools, regardless of
// whether the global threshold is exceeded": the document's github and essential-db.
static void pizzapi_defer_loading(void **state)
{
    (void)state;
    static const deft_rule rules[] = {{DEFT_VIEW_INIT("github"), true},
                                      {DEFT_VIEW_INIT("essential-db"), false}};
    for (int is_over = 0; is_over <= 1; is_over++) {
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_PIZZAPI);
        test_scene_add_sized(&scene, "github", "a", 100);
        test_scene_add_sized(&scene, "essential-db", "a", 100);
        test_scene_add_sized(&scene, "other", "a", is_over ? 9801 : 9800);
        scene.settings.mode              = DEFT_MODE_AUTO;
        scene.settings.server_rules      = rules;
        scene.settings.server_rule_count = array_size(rules);
        test_scene_plan(&scene);
        assert_true(is_deferred(&scene, "github::a"));
        assert_false(is_deferred(&scene, "essential-db::a"));
        assert_int_equal(is_deferred(&scene, "other::a"), is_over);

        // deferLoading is a part of tool search: off, everything is visible.
        scene.settings.mode = DEFT_MODE_OFF;
        test_scene_plan(&scene);
        assert_false(is_deferred(&scene, "github::a"));
        test_scene_clear(&scene);
    }
}

// The document's last configuration: filesystem always in context, jira and slack always deferred,
// github and linear "only if the combined tool definitions exceed 8,000 characters".
static void pizzapi_example(void **state)
{
    (void)state;
    static const deft_rule rules[] = {{DEFT_VIEW_INIT("filesystem"), false},
                                      {DEFT_VIEW_INIT("jira"), true},
                                      {DEFT_VIEW_INIT("slack"), true}};
    for (int is_over = 0; is_over <= 1; is_over++) {
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_PIZZAPI);
        test_scene_add_sized(&scene, "filesystem", "read_file", 1000);
        test_scene_add_sized(&scene, "github", "create_issue", 2000);
        test_scene_add_sized(&scene, "jira", "create_issue", 2000);
        test_scene_add_sized(&scene, "slack", "send_message", 1000);
        test_scene_add_sized(&scene, "linear", "create_issue", is_over ? 2001 : 2000);
        scene.settings.mode                 = DEFT_MODE_AUTO;
        scene.settings.threshold_characters = (deft_threshold){true, 8000};
        scene.settings.server_rules         = rules;
        scene.settings.server_rule_count    = array_size(rules);
        test_scene_plan(&scene);
        assert_false(is_deferred(&scene, "filesystem::read_file"));
        assert_true(is_deferred(&scene, "jira::create_issue"));
        assert_true(is_deferred(&scene, "slack::send_message"));
        assert_int_equal(is_deferred(&scene, "github::create_issue"), is_over);
        assert_int_equal(is_deferred(&scene, "linear::create_issue"), is_over);
        assert_true(is_active(&scene));
        test_scene_clear(&scene);
    }
}

static const char praisonai_core[] =
    "read_file write_file list_files get_file_info copy_file move_file delete_file "
    "execute_command list_processes kill_process get_system_info "
    "search_web web_search internet_search web_crawl crawl_web "
    "schedule_add schedule_list schedule_remove store_memory search_memory clarify";

// "Auto only activates when deferrable schema tokens cross threshold": threshold_pct 10 by default,
// 15 and 5 in its examples.
static void praisonai_threshold(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        deft_mode   mode;
        uint64_t    permyriad;
        int         distance; // of the threshold from what is measured, in tokens
        bool        is_active;
    } cases[] = {
        {"off: disabled", DEFT_MODE_OFF, 1000, -1, false},
        {"auto: below 10 %", DEFT_MODE_AUTO, 1000, 1, false},
        {"auto: at 10 %", DEFT_MODE_AUTO, 1000, 0, false},
        {"auto: past 10 %", DEFT_MODE_AUTO, 1000, -1, true},
        {"auto: at 15 %", DEFT_MODE_AUTO, 1500, 0, false},
        {"auto: past 15 %", DEFT_MODE_AUTO, 1500, -1, true},
        {"auto: at 5 %", DEFT_MODE_AUTO, 500, 0, false},
        {"auto: past 5 %", DEFT_MODE_AUTO, 500, -1, true},
        {"on: always bridge, regardless of count", DEFT_MODE_ON, 1000, 1, true},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_PRAISONAI);
        test_scene_add(&scene, "slack", DEFT_SERVER_MCP, "slack_search slack_history");
        test_scene_add_sized(&scene, "drive", "find", 5000);
        scene.settings.mode                      = cases[i].mode;
        scene.settings.threshold_permyriad.value = cases[i].permyriad;
        set_window(&scene, cases[i].distance);
        test_scene_plan(&scene);
        assert_int_equal(is_active(&scene), cases[i].is_active);
        assert_int_equal(deferred_count(&scene), cases[i].is_active ? 3 : 0);
        assert_listing(&scene, ""); // three bridge tools, no list
        test_scene_clear(&scene);
    }
}

// "Core vs Deferrable Tools": core, then marked, then unknown.
static void praisonai_classes(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_PRAISONAI);
    test_scene_add(&scene, "host", DEFT_SERVER_HOST, praisonai_core);
    test_scene_add(&scene, "server", DEFT_SERVER_MCP, praisonai_core);
    test_scene_add(&scene, "mcp", DEFT_SERVER_MCP, "plain");
    test_scene_add(&scene, "custom", DEFT_SERVER_HOST, "unknown mcp_prefixed");
    test_scene_add_json(&scene, "custom", DEFT_SERVER_HOST,
                        "[{\"name\":\"marked\",\"deferrable\":true,\"inputSchema\":{}}]");
    scene.settings.mode = DEFT_MODE_ON;
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->pinned_count, 2 * 22);
    assert_true(is_deferred(&scene, "mcp::plain"));
    assert_true(is_deferred(&scene, "custom::marked"));
    assert_true(is_deferred(&scene, "custom::mcp_prefixed"));
    assert_false(is_deferred(&scene, "custom::unknown"));

    // core_tools: "Override the default set of tools that never defer."
    const deft_view core             = deft_view_of("plain");
    scene.settings.is_core_tools_set = true;
    scene.settings.core_tools        = &core;
    scene.settings.core_tool_count   = 1;
    test_scene_plan(&scene);
    assert_false(is_deferred(&scene, "mcp::plain"));
    assert_true(is_deferred(&scene, "server::read_file"));
    assert_false(is_deferred(&scene, "host::read_file")); // unknown now, so visible
    test_scene_clear(&scene);
}

// The table of ENABLE_TOOL_SEARCH, for both of Claude's presets: `mode` and N are what the variable
// means there.
static void claude_modes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        deft_preset preset;
        deft_mode   mode;
        uint64_t    permyriad;
        int         distance; // of the threshold from what is measured, in tokens
        size_t      deferred; // of three tools of one size
    } cases[] = {
        {"SDK, unset or true: always on", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_ON, 1000, 1, 3},
        {"SDK, auto: under 10 %", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_AUTO, 1000, 1, 0},
        {"SDK, auto: at 10 %", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_AUTO, 1000, 0, 0},
        {"SDK, auto: they exceed 10 %", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_AUTO, 1000, -1, 3},
        {"SDK, auto:5: at 5 %", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_AUTO, 500, 0, 0},
        {"SDK, auto:5: they exceed 5 %", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_AUTO, 500, -1, 3},
        {"SDK, false: all are loaded", DEFT_PRESET_CLAUDE_SDK, DEFT_MODE_OFF, 1000, -1, 0},
        {"Code, unset: everything deferred", DEFT_PRESET_CLAUDE_CODE, DEFT_MODE_ON, 1000, 1, 3},
        {"Code, auto: all fit", DEFT_PRESET_CLAUDE_CODE, DEFT_MODE_AUTO, 1000, 0, 0},
        {"Code, auto: the overflow", DEFT_PRESET_CLAUDE_CODE, DEFT_MODE_AUTO, 1000, -1, 1},
        {"Code, auto:5: all fit", DEFT_PRESET_CLAUDE_CODE, DEFT_MODE_AUTO, 500, 0, 0},
        {"Code, auto:5: the overflow", DEFT_PRESET_CLAUDE_CODE, DEFT_MODE_AUTO, 500, -1, 1},
        {"Code, false: everything upfront", DEFT_PRESET_CLAUDE_CODE, DEFT_MODE_OFF, 1000, -1, 0},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_scene scene;
        test_scene_init(&scene, cases[i].preset);
        test_scene_add(&scene, "a", DEFT_SERVER_MCP, "one two");
        test_scene_add(&scene, "b", DEFT_SERVER_MCP, "one");
        scene.settings.mode                      = cases[i].mode;
        scene.settings.threshold_permyriad.value = cases[i].permyriad;
        set_window(&scene, cases[i].distance);
        test_scene_plan(&scene);
        assert_int_equal(deferred_count(&scene), cases[i].deferred);
        test_scene_clear(&scene);
    }
}

static void claude_ends_of_the_scale(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
    test_scene_add(&scene, "a", DEFT_SERVER_MCP, "one two");
    scene.settings.mode                      = DEFT_MODE_AUTO;
    scene.settings.threshold_permyriad.value = 0; // auto:0
    test_scene_plan(&scene);
    assert_int_equal(deferred_count(&scene), 2);

    scene.settings.threshold_permyriad.value = 10000; // auto:100
    test_scene_plan(&scene);
    assert_int_equal(deferred_count(&scene), 0);
    test_scene_clear(&scene);
}

static const char claude_github[] =
    "{\"instructions\":\"Issues and pull requests.\\nSearch before you create.\","
    "\"tools\":[{\"name\":\"create_issue\",\"inputSchema\":{}},"
    "{\"name\":\"list_issues\",\"inputSchema\":{}}]}";

// "The agent receives a summary of available tools"; "listing available tool categories".
static void claude_sdk_summary(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_CLAUDE_SDK);
    test_scene_add_json(&scene, "github", DEFT_SERVER_MCP, claude_github);
    test_scene_plan(&scene);
    assert_int_equal(deferred_count(&scene), 2);
    assert_listing(&scene, "github (2 tools): issue - Issues and pull requests\n");
    test_scene_clear(&scene);
}

// "only the tool names and each server's instructions (truncated at 2KB) enter context"; and
// "exempt it with alwaysLoad in its configuration".
static void claude_code_upfront(void **state)
{
    (void)state;
    const deft_rule always_load = {deft_view_of("github"), false};
    test_scene      scene;
    test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
    test_scene_add_json(&scene, "github", DEFT_SERVER_MCP, claude_github);
    test_scene_add(&scene, "notion", DEFT_SERVER_MCP, "find_page");
    test_scene_plan(&scene);
    assert_listing(&scene, "github: Issues and pull requests. Search before you create.\n"
                           "  create_issue, list_issues\n"
                           "notion:\n"
                           "  find_page\n");

    scene.settings.server_rules      = &always_load;
    scene.settings.server_rule_count = 1;
    test_scene_plan(&scene);
    assert_false(is_deferred(&scene, "github::create_issue"));
    assert_listing(&scene, "notion:\n"
                           "  find_page\n");
    test_scene_clear(&scene);
}

static void claude_code_long_instructions(void **state)
{
    (void)state;
    deft_buffer json;
    deft_buffer out;
    deft_buffer_init(&json, NULL);
    deft_buffer_init(&out, NULL);
    deft_buffer_append_text(&json, "{\"instructions\":\"");
    for (int i = 0; i < 3000; i++) {
        deft_buffer_append_byte(&json, 'x');
    }
    deft_buffer_append_text(&json, "\",\"tools\":[{\"name\":\"t\",\"inputSchema\":{}}]}");
    deft_buffer_append_byte(&json, '\0');
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
    test_scene_add_json(&scene, "s", DEFT_SERVER_MCP, json.data);
    test_scene_plan(&scene);
    assert_int_equal(deft_listing_write(scene.plan, &scene.settings, &out, NULL), DEFT_OK);
    assert_int_equal(out.size, strlen("s: ") + 2048 + strlen("\n  t\n"));
    deft_buffer_clear(&json);
    deft_buffer_clear(&out);
    test_scene_clear(&scene);
}

// minTokens 50000 and minPct 5, OR logic, both at 0; 50,000 tokens are 199,957 characters of CHARS4.
static void kiro_thresholds(void **state)
{
    (void)state;
    enum {
        CHARACTERS_OF_50000_TOKENS = 4 * 50000 - 43
    };
    static const struct {
        const char *name;
        bool        is_enabled;
        size_t      characters; // of the only tool
        uint64_t    window;
        uint64_t    min_tokens;
        uint64_t    min_percent;
        deft_cause  cause;
    } cases[] = {
        {"disabled by default", false, 400000, 200000, 50000, 5, DEFT_CAUSE_MODE_OFF},
        {"50,000 tokens do not exceed it", true, CHARACTERS_OF_50000_TOKENS, 1000000, 50000, 5,
         DEFT_CAUSE_BELOW_THRESHOLD},
        {"50,001 do, though less than 5 %", true, CHARACTERS_OF_50000_TOKENS + 1, 9000000, 50000, 5,
         DEFT_CAUSE_TOKENS},
        {"5 % do not exceed it", true, 4 * 10000 - 43, 200000, 50000, 5,
         DEFT_CAUSE_BELOW_THRESHOLD},
        {"a token more does, though less than 50,000", true, 4 * 10000 - 42, 200000, 50000, 5,
         DEFT_CAUSE_PERCENT},
        {"both at 0: whenever any MCP tools are present", true, 10, 200000, 0, 0,
         DEFT_CAUSE_TOKENS},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_KIRO);
        test_scene_add(&scene, "", DEFT_SERVER_BUILTIN, "fs_read execute_bash");
        test_scene_add_sized(&scene, "s", "t", cases[i].characters);
        scene.settings.token_family              = DEFT_TOKENS_CHARS4;
        scene.settings.context_window_tokens     = cases[i].window;
        scene.settings.threshold_tokens.value    = cases[i].min_tokens;
        scene.settings.threshold_permyriad.value = 100 * cases[i].min_percent;
        scene.settings.mode = cases[i].is_enabled ? DEFT_MODE_AUTO : scene.settings.mode;
        test_scene_plan(&scene);
        assert_int_equal(deft_plan_summary_of(scene.plan)->cause, cases[i].cause);
        assert_int_equal(is_active(&scene), cases[i].cause == DEFT_CAUSE_TOKENS ||
                                                cases[i].cause == DEFT_CAUSE_PERCENT);
        test_scene_clear(&scene);
    }
}

// "It has no effect if you only use built-in tools."
static void kiro_without_servers(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_KIRO);
    test_scene_add(&scene, "", DEFT_SERVER_BUILTIN, "fs_read execute_bash");
    scene.settings.mode                      = DEFT_MODE_AUTO;
    scene.settings.threshold_tokens.value    = 0;
    scene.settings.threshold_permyriad.value = 0;
    test_scene_plan(&scene);
    assert_false(is_active(&scene));
    assert_int_equal(deft_plan_summary_of(scene.plan)->cause, DEFT_CAUSE_NOTHING_DEFERRABLE);
    test_scene_clear(&scene);
}

// "a compact list of server_name::tool_name: description entries"; the cut at 1 KB is in
// listing_test.c.
static void kiro_list(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_KIRO);
    test_scene_add_json(&scene, "builder-mcp", DEFT_SERVER_MCP,
                        "[{\"name\":\"InternalSearch\",\"description\":\"Searches documents.\","
                        "\"inputSchema\":{}}]");
    scene.settings.mode                      = DEFT_MODE_AUTO;
    scene.settings.threshold_tokens.value    = 0;
    scene.settings.threshold_permyriad.value = 0;
    test_scene_plan(&scene);
    assert_listing(&scene, "builder-mcp::InternalSearch: Searches documents.\n");
    test_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pizzapi_threshold),
        cmocka_unit_test(pizzapi_defer_loading),
        cmocka_unit_test(pizzapi_example),
        cmocka_unit_test(praisonai_threshold),
        cmocka_unit_test(praisonai_classes),
        cmocka_unit_test(claude_modes),
        cmocka_unit_test(claude_ends_of_the_scale),
        cmocka_unit_test(claude_sdk_summary),
        cmocka_unit_test(claude_code_upfront),
        cmocka_unit_test(claude_code_long_instructions),
        cmocka_unit_test(kiro_thresholds),
        cmocka_unit_test(kiro_without_servers),
        cmocka_unit_test(kiro_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
