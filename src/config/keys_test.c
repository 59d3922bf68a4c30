// The table of keys: names, places, variables, suggestions. Proves a part of E1 and E2.
#include "config/keys.h"

#include "support/test.h"

static void every_key_is_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        const deft__key_info *info = deft__key_info_of((deft__key)i);
        deft__key_match       match;
        deft__key_variable    variable;
        char                  name[DEFT__VARIABLE_SIZE_MAX];
        assert_non_null(info->name);
        case_name(info->name);
        assert_true(strlen(info->accepts) > 0 && strlen(info->accepts) < 100);
        assert_true(strlen(info->description) > 0 && strlen(info->description) < 80);

        assert_true(deft__key_find(DEFT__PLACE_PATH, deft_view_of(info->name), &match));
        assert_int_equal(match.key, i);
        assert_true(deft__key_find(DEFT__PLACE_ROOT, deft_view_of(info->name), &match));
        assert_int_equal(match.key, i);

        deft__key_variable_name((deft__key)i, name);
        assert_true(deft__key_find_variable(deft_view_of(name), &variable));
        assert_int_equal(variable.key, i);
        assert_false(variable.is_foreign || variable.is_true_on);

        // What a message offers is what there is.
        for (unsigned j = 0; j < info->word_count; j++) {
            assert_non_null(strstr(info->accepts, info->word(j)));
        }
        assert_true(info->kind != DEFT__KIND_ENUM ||
                    strcmp(info->word(info->word_count), "unknown") == 0);
    }
}

static const struct {
    const char     *name;
    deft__key_place place;
    bool            is_known;
    deft__key       key;
} finds[] = {
    {"preset", DEFT__PLACE_ROOT, true, DEFT__KEY_PRESET},
    {"preset", DEFT__PLACE_GROUP, true, DEFT__KEY_PRESET},
    {"toolSearch.minPct", DEFT__PLACE_ROOT, true, DEFT__KEY_MIN_PCT},
    {"tool_search.minPct", DEFT__PLACE_ROOT, true, DEFT__KEY_MIN_PCT},
    {"minPct", DEFT__PLACE_ROOT, false, DEFT__KEY_COUNT},
    {"minPct", DEFT__PLACE_GROUP, true, DEFT__KEY_MIN_PCT},
    {"minPct", DEFT__PLACE_PATH, true, DEFT__KEY_MIN_PCT},
    {"threshold_pct", DEFT__PLACE_ROOT, true, DEFT__KEY_MIN_PCT},
    {"threshold_pct", DEFT__PLACE_GROUP, true, DEFT__KEY_MIN_PCT},
    {"tokenThreshold", DEFT__PLACE_ROOT, false, DEFT__KEY_COUNT},
    {"tokenThreshold", DEFT__PLACE_GROUP, true, DEFT__KEY_MIN_CHARACTERS},
    {"enabled", DEFT__PLACE_ROOT, true, DEFT__KEY_ENABLED},
    {"mode", DEFT__PLACE_GROUP, true, DEFT__KEY_ENABLED},
    {"maxResults", DEFT__PLACE_GROUP, true, DEFT__KEY_RESULTS_MAX},
    {"toolSearch.preset", DEFT__PLACE_PATH, true, DEFT__KEY_PRESET},
    {"toolSearch.minpct", DEFT__PLACE_PATH, false, DEFT__KEY_COUNT},
    {"toolSearch.", DEFT__PLACE_PATH, false, DEFT__KEY_COUNT},
    {"permissions.deny", DEFT__PLACE_ROOT, true, DEFT__KEY_PERMISSIONS_DENY},
    {"permissions.deny", DEFT__PLACE_GROUP, true, DEFT__KEY_PERMISSIONS_DENY},
    {"toolSearch.permissions.deny", DEFT__PLACE_PATH, true, DEFT__KEY_PERMISSIONS_DENY},
    {"descriptions.search", DEFT__PLACE_GROUP, true, DEFT__KEY_SEARCH_DESCRIPTION},
    {"descriptions.search", DEFT__PLACE_ROOT, false, DEFT__KEY_COUNT},
    {"descriptions.search", DEFT__PLACE_PATH, true, DEFT__KEY_SEARCH_DESCRIPTION},
    {"permissions", DEFT__PLACE_ROOT, false, DEFT__KEY_COUNT},
    {"callTools", DEFT__PLACE_PATH, true, DEFT__KEY_CALL_TOOLS},
    {"", DEFT__PLACE_PATH, false, DEFT__KEY_COUNT},
};

static void names_are_found_in_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(finds); i++) {
        deft__key_match match = {.key = DEFT__KEY_COUNT};
        case_name(finds[i].name);
        assert_int_equal(deft__key_find(finds[i].place, deft_view_of(finds[i].name), &match),
                         finds[i].is_known);
        assert_int_equal(match.key, finds[i].key);
    }
}

static void groups_are_known_in_their_place(void **state)
{
    (void)state;
    static const struct {
        const char     *name;
        deft__key_place place;
        bool            is_group;
    } groups[] = {
        {"permissions", DEFT__PLACE_ROOT, true},      {"permissions", DEFT__PLACE_GROUP, true},
        {"descriptions", DEFT__PLACE_GROUP, true},    {"descriptions", DEFT__PLACE_ROOT, false},
        {"gateway", DEFT__PLACE_ROOT, true},          {"gate", DEFT__PLACE_ROOT, false},
        {"gateway.", DEFT__PLACE_ROOT, false},        {"", DEFT__PLACE_ROOT, false},
        {"journal.enabled", DEFT__PLACE_ROOT, false},
    };
    for (size_t i = 0; i < array_size(groups); i++) {
        case_name(groups[i].name);
        assert_int_equal(deft__key_is_group(groups[i].place, deft_view_of(groups[i].name)),
                         groups[i].is_group);
    }
}

static const struct {
    const char     *name;
    deft__key_place place;
    const char     *nearest; // NULL: nothing is near
} suggestions[] = {
    {"minPtc", DEFT__PLACE_GROUP, "toolSearch.minPct"},
    {"min_pct", DEFT__PLACE_GROUP, "toolSearch.minPct"},
    {"minPercent", DEFT__PLACE_GROUP, "toolSearch.minPct"},
    {"MINTOKENS", DEFT__PLACE_GROUP, "toolSearch.minTokens"},
    {"maxResult", DEFT__PLACE_GROUP, "toolSearch.resultsMax"},
    {"keepLoaded", DEFT__PLACE_GROUP, "toolSearch.keepLoadedTools"},
    {"enable", DEFT__PLACE_GROUP, "toolSearch.enabled"},
    {"zzzzzz", DEFT__PLACE_GROUP, NULL},
    {"", DEFT__PLACE_GROUP, NULL},
    {"toolSerch.minPct", DEFT__PLACE_ROOT, "toolSearch.minPct"},
    {"toolsearch.minPtc", DEFT__PLACE_ROOT, "toolSearch.minPct"},
    {"toolSearch.minPtc", DEFT__PLACE_ROOT, "toolSearch.minPct"},
    {"telemetry.enabled", DEFT__PLACE_ROOT, NULL},
    {"chat.minPct", DEFT__PLACE_ROOT, NULL},
    {"minPct", DEFT__PLACE_ROOT, "toolSearch.minPct"},
    {"toolSerch", DEFT__PLACE_ROOT, "toolSearch"},
    {"mcpServer", DEFT__PLACE_ROOT, "mcpServers"},
    {"mcp_servers2", DEFT__PLACE_ROOT, "mcpServers"},
    {"Preset", DEFT__PLACE_ROOT, "preset"},
    {"threshold_pc", DEFT__PLACE_ROOT, "toolSearch.minPct"},
    {"toolSearch.minPtc", DEFT__PLACE_PATH, "toolSearch.minPct"},
    {"minPtc", DEFT__PLACE_PATH, "toolSearch.minPct"},
    {"prest", DEFT__PLACE_PATH, "preset"},
    {"toolSearch.thresholdPercent", DEFT__PLACE_PATH, "toolSearch.minPct"},
    {"permisions", DEFT__PLACE_ROOT, "permissions"},
    {"permisions.deny", DEFT__PLACE_ROOT, "permissions.deny"},
    {"journal.enable", DEFT__PLACE_ROOT, "journal.enabled"},
    {"hooks.beforCall", DEFT__PLACE_ROOT, "hooks.beforeCall"},
    {"hooks.PreToolUse", DEFT__PLACE_ROOT, NULL},
    {"permissions.ask", DEFT__PLACE_ROOT, NULL},
    {"descriptions.serch", DEFT__PLACE_GROUP, "toolSearch.descriptions.search"},
    {"descriptions.serch", DEFT__PLACE_PATH, "toolSearch.descriptions.search"},
    {"toolSearch.descriptions.serch", DEFT__PLACE_PATH, "toolSearch.descriptions.search"},
    {"gateway.callTimeout", DEFT__PLACE_PATH, "gateway.callTimeoutMs"},
    {"callTools", DEFT__PLACE_ROOT, "toolSearch.callTools"},
};

static void the_nearest_key_is_offered(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(suggestions); i++) {
        case_name(suggestions[i].name);
        const char *nearest =
            deft__key_nearest(suggestions[i].place, deft_view_of(suggestions[i].name));
        if (suggestions[i].nearest == NULL) {
            assert_null(nearest);
        } else {
            assert_non_null(nearest);
            assert_string_equal(nearest, suggestions[i].nearest);
        }
    }
}

static void variables_are_known(void **state)
{
    (void)state;
    static const struct {
        const char        *name;
        deft__key_variable variable;
    } known[] = {
        {"ENABLE_TOOL_SEARCH", {DEFT__KEY_ENABLED, true, true}},
        {"DEFT_ENABLED", {DEFT__KEY_ENABLED, false, false}},
        {"DEFT_NO_MCP", {DEFT__KEY_NO_MCP, false, false}},
        {"PIZZAPI_NO_MCP", {DEFT__KEY_NO_MCP, true, false}},
        {"DEFT_MATCHING_THRESHOLD", {DEFT__KEY_MATCHING_THRESHOLD, false, false}},
        {"KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD", {DEFT__KEY_MATCHING_THRESHOLD, true, false}},
        {"DEFT_PRESET", {DEFT__KEY_PRESET, false, false}},
        {"DEFT_MIN_PCT", {DEFT__KEY_MIN_PCT, false, false}},
        {"DEFT_PERMISSIONS_DENY", {DEFT__KEY_PERMISSIONS_DENY, false, false}},
        {"DEFT_DESCRIPTIONS_SEARCH", {DEFT__KEY_SEARCH_DESCRIPTION, false, false}},
        {"DEFT_GATEWAY_CALL_TIMEOUT_MS", {DEFT__KEY_CALL_TIMEOUT, false, false}},
        {"DEFT_LISTING_INSTRUCTIONS_BYTES", {DEFT__KEY_LISTING_INSTRUCTIONS_BYTES, false, false}},
    };
    deft__key_variable variable;
    for (size_t i = 0; i < array_size(known); i++) {
        case_name(known[i].name);
        assert_true(deft__key_find_variable(deft_view_of(known[i].name), &variable));
        assert_int_equal(variable.key, known[i].variable.key);
        assert_int_equal(variable.is_foreign, known[i].variable.is_foreign);
        assert_int_equal(variable.is_true_on, known[i].variable.is_true_on);
    }
    assert_false(deft__key_find_variable(deft_view_of("PATH"), &variable));
    assert_false(deft__key_find_variable(deft_view_of("deft_preset"), &variable));

    assert_int_equal(deft__key_nearest_variable(deft_view_of("DEFT_MIN_PTC")), DEFT__KEY_MIN_PCT);
    assert_int_equal(deft__key_nearest_variable(deft_view_of("DEFT_CONFIG")), DEFT__KEY_COUNT);
    assert_int_equal(deft__key_nearest_variable(deft_view_of("MIN_PCT")), DEFT__KEY_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_whole),
        cmocka_unit_test(names_are_found_in_their_place),
        cmocka_unit_test(groups_are_known_in_their_place),
        cmocka_unit_test(the_nearest_key_is_offered),
        cmocka_unit_test(variables_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
