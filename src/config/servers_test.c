// Servers as files configure them. Proves a part of E1.
#include "deft/config.h"

#include "support/config.h"

// An agent's file names the gateway itself; behind itself it would start itself without end.
static void the_gateway_is_not_behind_itself(void **state)
{
    (void)state;
    deft_config *config = test_config_new();
    assert_int_equal(
        test_config_add(
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
    deft_config *config = test_config_new();
    assert_int_equal(
        test_config_add(
            config, DEFT_LAYER_PROJECT_FILE, "project",
            "{\"mcpServers\": {\"b\": {\"url\": \"https://x\"}, \"c\": {\"command\": \"c\"}}}",
            NULL),
        DEFT_OK);
    assert_int_equal(
        test_config_add(config, DEFT_LAYER_USER_FILE, "user",
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

// What entries say of their servers' tools, sorted, without those that say nothing or were
// replaced.
static void tools_of_servers(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = test_config_new();
    assert_ok(test_config_add(config, DEFT_LAYER_USER_FILE, "user",
                              "{\"mcpServers\": {"
                              "\"z\": {\"command\": \"z\", \"includeTools\": []},"
                              "\"plain\": {\"command\": \"p\", \"excludeTools\": []},"
                              "\"gone\": {\"command\": \"g\", \"excludeTools\": [\"t\"]},"
                              "\"ab\": {\"command\": \"a\", \"disabledTools\": [\"t\", \"u(1)\"]},"
                              "\"a\": {\"command\": \"a\", \"tools\": [\"*\"]}}}",
                              &error),
              error);
    assert_ok(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "project",
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
        deft_config *config = test_config_new();
        char         text[200];
        case_name(uses[i].name);
        (void)snprintf(text, sizeof text, "{\"mcpServers\": {\"s\": {\"command\": \"s\"%s}}}",
                       uses[i].members);
        assert_ok(test_config_add(config, DEFT_LAYER_USER_FILE, "f", text, &error), error);
        assert_ok(deft_config_resolve(config, &error), error);
        assert_int_equal(deft_config_warning_count(config), 0);
        const deft_server_config *server = deft_config_server(config, 0);
        assert_int_equal(server->call_timeout_ms, uses[i].call_ms);
        assert_int_equal(server->start_timeout_ms, uses[i].start_ms);
        assert_int_equal(server->era, uses[i].era);
        deft_config_free(config);
    }
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
        deft_config *config = test_config_new();
        (void)test_config_add(config, DEFT_LAYER_USER_FILE, "f", files[i], &error);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gateway_is_not_behind_itself),
        cmocka_unit_test(servers_replace_whole),
        cmocka_unit_test(tools_of_servers),
        cmocka_unit_test(times_and_eras_of_servers),
        cmocka_unit_test(secrets_stay_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
