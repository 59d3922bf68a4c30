// Rules and permissions of several layers. Proves a part of A6 and E1.
#include "deft/config.h"

#include "support/config.h"

static void stronger_rules_come_first(void **state)
{
    (void)state;
    deft_config *config = test_config_new();
    assert_int_equal(
        test_config_add(config, DEFT_LAYER_USER_FILE, "user",
                        "{\"toolSearch\": {\"tools\": {\"x\": true, \"y_*\": true, \"z\": true}},\n"
                        "\"mcpServers\": {\"s\": {\"command\": \"s\", \"tools\": {\"u\": true}}}}",
                        NULL),
        DEFT_OK);
    assert_int_equal(test_config_add(config, DEFT_LAYER_PROJECT_FILE, "project",
                                     "{\"toolSearch\": {\"tools\": {\"x\": false}}}", NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("tools"),
                                     deft_view_of("*=pinned,z=pinned"), deft_view_of("--set"),
                                     NULL),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
    test_config_hold(config, "toolSearch.tools",
                     "*=pinned,z=pinned,x=pinned,s::u=deferred,y_*=deferred from --set");
    deft_config_free(config);
}

// Denials of all layers add up; what is allowed is up to the strongest.
static void permissions_of_layers(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = test_config_new();
    assert_ok(
        test_config_add(config, DEFT_LAYER_USER_FILE, "user",
                        "{\"permissions\": {\"deny\": [\"a::*\", \"b::c\"], \"allow\": [\"x\"]}}",
                        &error),
        error);
    assert_ok(test_config_add(
                  config, DEFT_LAYER_PROJECT_FILE, "project",
                  "{\"permissions\": {\"deny\": [\"b::c\", \"d\"], \"allow\": [\"*\"]}}", &error),
              error);
    assert_ok(deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("permissions.deny"),
                              deft_view_of("none"), deft_view_of("--set"), &error),
              error);
    assert_ok(deft_config_resolve(config, &error), error);
    test_config_hold(config, "permissions.deny", "b::c,d,a::* from project:1");
    test_config_hold(config, "permissions.allow", "* from project:1");
    deft_config_free(config);
}

// Claude's own: what it allows is not for us, what it denies is denied.
static void permissions_of_claude(void **state)
{
    (void)state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = test_config_new();
    assert_ok(test_config_add(config, DEFT_LAYER_USER_FILE, "settings.json",
                              "{\"permissions\": {\"allow\": [\"Bash(git *)\", \"mcp__a__b\"],\n"
                              "\"deny\": [\"Read\", \"github::delete\"]}}",
                              &error),
              error);
    assert_ok(deft_config_resolve(config, &error), error);
    assert_int_equal(deft_config_warning_count(config), 0);
    assert_int_equal(deft_config_settings(config)->allowed_tool_count, 0);
    test_config_hold(config, "permissions.deny", "Read,github::delete from settings.json:2");
    deft_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stronger_rules_come_first),
        cmocka_unit_test(permissions_of_layers),
        cmocka_unit_test(permissions_of_claude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
