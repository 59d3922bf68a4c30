// The definitions of the bridge's tools. Proves B1.
#include "support/allocator.h"
#include "support/scene.h"
#include "support/test.h"

#include "deft/bridge.h"
#include "json/reader.h"

typedef struct definition {
    deft_buffer text;
    deft__json  document;
} definition;

static deft__json_value write(definition *made, const deft_settings *settings,
                              deft_bridge_tool tool, deft_form form, const char *listing)
{
    deft_error error = DEFT_ERROR_INIT;
    deft_buffer_init(&made->text, NULL);
    deft__json_init(&made->document, NULL);
    assert_int_equal(
        deft_bridge_write_definition(settings, tool, form, deft_view_of(listing), &made->text),
        DEFT_OK);
    assert_ok(deft__json_parse(&made->document, deft_buffer_view(&made->text), NULL, &error),
              error);
    return deft__json_root(&made->document);
}

static void clear(definition *made)
{
    deft__json_clear(&made->document);
    deft_buffer_clear(&made->text);
}

static deft_view text_of(deft__json_value value, deft_buffer *scratch)
{
    deft_buffer_reset(scratch);
    return deft__json_string(value, scratch);
}

static bool is_part(deft_view whole, const char *part)
{
    const deft_view wanted = deft_view_of(part);
    for (size_t i = 0; i + wanted.size <= whole.size; i++) {
        if (deft_view_equal(deft_view_slice(whole, i, wanted.size), wanted)) {
            return true;
        }
    }
    return false;
}

static void every_form_of_every_tool(void **state)
{
    (void)state;
    static const char *const names[] = {"tool_search", "tool_describe", "tool_call",
                                        "tool_call_read_only"};
    static const char *const hints[] = {
        "{\"title\":\"Search for tools\",\"readOnlyHint\":true,\"destructiveHint\":false,"
        "\"openWorldHint\":false}",
        "{\"title\":\"Describe tools\",\"readOnlyHint\":true,\"destructiveHint\":false,"
        "\"openWorldHint\":false}",
        "{\"title\":\"Call a tool\",\"readOnlyHint\":false,\"destructiveHint\":true,"
        "\"openWorldHint\":true}",
        "{\"title\":\"Call a read-only tool\",\"readOnlyHint\":true,\"destructiveHint\":false,"
        "\"openWorldHint\":true}",
    };
    deft_settings settings;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    for (unsigned tool = 0; tool < array_size(names); tool++) {
        definition       made;
        deft__json_value root = write(&made, &settings, (deft_bridge_tool)tool, DEFT_FORM_MCP, "");
        assert_true(
            deft__json_string_equals(deft__json_member(root, "name"), deft_view_of(names[tool])));
        assert_true(deft__json_is(deft__json_member(root, "title"), DEFT__JSON_STRING));
        assert_true(deft__json_is(deft__json_member(root, "inputSchema"), DEFT__JSON_OBJECT));
        // Searching and describing change nothing, so no client needs to ask; a call may do
        // anything, and gives back what the tool gives.
        const bool is_call = tool >= DEFT_BRIDGE_CALL;
        assert_view_equal(deft__json_raw(deft__json_member(root, "annotations")), hints[tool]);
        assert_true(deft__json_is(deft__json_member(root, "outputSchema"),
                                  is_call ? DEFT__JSON_NONE : DEFT__JSON_OBJECT));
        assert_true(deft__json_is(
            deft__json_member(deft__json_member(root, "_meta"), "anthropic/alwaysLoad"),
            DEFT__JSON_TRUE));
        assert_true(deft__json_is(
            deft__json_member(deft__json_member(root, "_meta"), "anthropic/searchHint"),
            DEFT__JSON_STRING));
        clear(&made);

        root = write(&made, &settings, (deft_bridge_tool)tool, DEFT_FORM_OPENAI, "");
        assert_true(
            deft__json_string_equals(deft__json_member(root, "type"), deft_view_of("function")));
        const deft__json_value function = deft__json_member(root, "function");
        assert_true(deft__json_string_equals(deft__json_member(function, "name"),
                                             deft_view_of(names[tool])));
        assert_true(deft__json_is(deft__json_member(function, "parameters"), DEFT__JSON_OBJECT));
        assert_int_equal(deft__json_count(function), 3);
        clear(&made);

        root = write(&made, &settings, (deft_bridge_tool)tool, DEFT_FORM_ANTHROPIC, "");
        assert_true(deft__json_is(deft__json_member(root, "input_schema"), DEFT__JSON_OBJECT));
        assert_int_equal(deft__json_count(root), 3);
        clear(&made);
    }
}

static const struct {
    const char *name;
    deft_preset preset;
    const char *tool;       // the search tool's name
    const char *parameters; // its parameters, joined with one space
    const char *required;   // "" when there is a choice
} presets[] = {
    {"deft", DEFT_PRESET_DEFT, "tool_search", "query tool_id max_results", ""},
    {"PizzaPi", DEFT_PRESET_PIZZAPI, "search_tools", "query", "query"},
    {"PraisonAI", DEFT_PRESET_PRAISONAI, "tool_search", "query limit", "query"},
    {"Claude Code", DEFT_PRESET_CLAUDE_CODE, "ToolSearch", "query max_results", "query"},
    {"Kiro", DEFT_PRESET_KIRO, "tool_search", "query tool_id max_results", ""},
};

static void parameters_are_those_of_the_preset(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(presets); i++) {
        case_name(presets[i].name);
        deft_settings settings;
        definition    made;
        deft_buffer   joined;
        deft_buffer   scratch;
        deft_buffer_init(&joined, NULL);
        deft_buffer_init(&scratch, NULL);
        deft_settings_init(&settings, presets[i].preset);
        const deft__json_value root =
            write(&made, &settings, DEFT_BRIDGE_SEARCH, DEFT_FORM_ANTHROPIC, "");
        assert_true(deft__json_string_equals(deft__json_member(root, "name"),
                                             deft_view_of(presets[i].tool)));
        const deft__json_value schema = deft__json_member(root, "input_schema");
        deft__json_iterator    each   = deft__json_iterate(deft__json_member(schema, "properties"));
        while (deft__json_next(&each)) {
            deft_buffer_append_text(&joined, joined.size > 0 ? " " : "");
            deft_buffer_append(&joined, text_of(each.name, &scratch));
        }
        assert_view_equal(deft_buffer_view(&joined), presets[i].parameters);

        const deft__json_value required = deft__json_member(schema, "required");
        assert_int_equal(deft__json_count(required), presets[i].required[0] != '\0' ? 1 : 0);
        each = deft__json_iterate(required);
        while (deft__json_next(&each)) {
            assert_view_equal(text_of(each.value, &scratch), presets[i].required);
        }
        clear(&made);
        deft_buffer_clear(&scratch);
        deft_buffer_clear(&joined);
    }
}

static void an_id_alone_can_be_asked_for(void **state)
{
    (void)state;
    deft_settings settings;
    definition    made;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.search_parameters = DEFT_PARAMETER_TOOL_ID;
    const deft__json_value root =
        write(&made, &settings, DEFT_BRIDGE_SEARCH, DEFT_FORM_ANTHROPIC, "");
    assert_view_equal(
        deft__json_raw(deft__json_member(deft__json_member(root, "input_schema"), "required")),
        "[\"tool_id\"]");
    clear(&made);
}

static void the_description_tells_how_and_what(void **state)
{
    (void)state;
    deft_settings settings;
    definition    made;
    deft_buffer   scratch;
    deft_buffer_init(&scratch, NULL);
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    deft__json_value root = write(&made, &settings, DEFT_BRIDGE_SEARCH, DEFT_FORM_MCP,
                                  "github::create_issue: \"Creates\"\n");
    deft_view        text = text_of(deft__json_member(root, "description"), &scratch);
    assert_true(is_part(text, "search before you say that something cannot be done"));
    assert_true(is_part(text, "server:NAME"));
    assert_true(is_part(text, "Call a tool that was found with tool_call."));
    assert_true(is_part(text, "\n\nWhat can be found:\ngithub::create_issue: \"Creates\"\n"));
    clear(&made);

    settings.style   = DEFT_STYLE_LOAD;
    settings.ranking = DEFT_RANKING_KEYWORD;
    root             = write(&made, &settings, DEFT_BRIDGE_SEARCH, DEFT_FORM_MCP, "");
    text             = text_of(deft__json_member(root, "description"), &scratch);
    assert_true(is_part(text, "join your list; call them directly."));
    assert_false(is_part(text, "server:NAME"));
    assert_false(is_part(text, "What can be found"));
    clear(&made);
    deft_buffer_clear(&scratch);
}

static void the_settings_may_say_it_in_their_own_words(void **state)
{
    (void)state;
    static const struct {
        deft_bridge_tool tool;
        const char      *description;
    } wanted[] = {
        {DEFT_BRIDGE_SEARCH, "Look here.\n\nWhat can be found:\na listing"},
        {DEFT_BRIDGE_DESCRIBE, "Ask here."},
        {DEFT_BRIDGE_CALL, "Go here."},
        {DEFT_BRIDGE_CALL_READ_ONLY,
         "Go here. Only for tools that are read-only; for others use tool_call."},
    };
    deft_settings settings;
    deft_buffer   scratch;
    deft_buffer_init(&scratch, NULL);
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.search_description   = deft_view_of("Look here.");
    settings.describe_description = deft_view_of("Ask here.");
    settings.call_description     = deft_view_of("Go here.");
    for (size_t i = 0; i < array_size(wanted); i++) {
        definition             made;
        const deft__json_value root =
            write(&made, &settings, wanted[i].tool, DEFT_FORM_MCP, "a listing");
        assert_view_equal(text_of(deft__json_member(root, "description"), &scratch),
                          wanted[i].description);
        clear(&made);
    }
    deft_buffer_clear(&scratch);
}

static void a_model_gets_those_that_it_needs(void **state)
{
    (void)state;
    deft_settings    settings;
    deft_bridge_tool tools[DEFT_BRIDGE_TOOLS_MAX];
    deft_bridge_tool tool = DEFT_BRIDGE_SEARCH;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    assert_int_equal(deft_bridge_tools(&settings, tools), 3);
    assert_int_equal(tools[0], DEFT_BRIDGE_SEARCH);
    assert_int_equal(tools[1], DEFT_BRIDGE_DESCRIBE);
    assert_int_equal(tools[2], DEFT_BRIDGE_CALL);
    assert_false(deft_bridge_from_name(&settings, deft_view_of("tool_call_read_only"), &tool));

    settings.call_tools = DEFT_CALL_TOOLS_BY_EFFECT;
    assert_int_equal(deft_bridge_tools(&settings, tools), 4);
    assert_int_equal(tools[3], DEFT_BRIDGE_CALL_READ_ONLY);
    assert_true(deft_bridge_from_name(&settings, deft_view_of("tool_call_read_only"), &tool));
    assert_int_equal(tool, DEFT_BRIDGE_CALL_READ_ONLY);

    settings.style = DEFT_STYLE_LOAD;
    assert_int_equal(deft_bridge_tools(&settings, tools), 1);
    assert_int_equal(tools[0], DEFT_BRIDGE_SEARCH);
}

static void names_are_recognised(void **state)
{
    (void)state;
    deft_settings    settings;
    deft_bridge_tool tool = DEFT_BRIDGE_CALL;
    deft_settings_init(&settings, DEFT_PRESET_PIZZAPI);
    assert_true(deft_bridge_from_name(&settings, deft_view_of("search_tools"), &tool));
    assert_int_equal(tool, DEFT_BRIDGE_SEARCH);
    assert_true(deft_bridge_from_name(&settings, deft_view_of("tool_describe"), &tool));
    assert_int_equal(tool, DEFT_BRIDGE_DESCRIBE);
    assert_true(deft_bridge_from_name(&settings, deft_view_of("tool_call"), &tool));
    assert_int_equal(tool, DEFT_BRIDGE_CALL);
    assert_false(deft_bridge_from_name(&settings, deft_view_of("tool_search"), &tool));
    assert_false(deft_bridge_from_name(&settings, deft_view_of(""), &tool));
}

static void check(test_scene *scene, const char *server, deft_server_kind kind, const char *name,
                  deft_style style, deft_status wanted, const char *message)
{
    deft_error error = DEFT_ERROR_INIT;
    test_scene_init(scene, DEFT_PRESET_DEFT);
    scene->settings.mode  = DEFT_MODE_ON;
    scene->settings.style = style;
    test_scene_add(scene, server, kind, name);
    test_scene_plan(scene);
    assert_int_equal(deft_bridge_check_names(&scene->settings, scene->plan, &error), wanted);
    assert_non_null(strstr(error.message, message));
    test_scene_clear(scene);
}

static void names_that_collide_are_found(void **state)
{
    (void)state;
    test_scene scene;
    check(&scene, "", DEFT_SERVER_BUILTIN, "tool_call", DEFT_STYLE_BRIDGE, DEFT_CONFLICT,
          "tool 'tool_call' has the name of the bridge's tool 'tool_call'; set toolSearch.callName "
          "to another name");
    check(&scene, "other", DEFT_SERVER_BUILTIN, "tool_search", DEFT_STYLE_BRIDGE, DEFT_CONFLICT,
          "set toolSearch.searchName to another name");
    check(&scene, "other", DEFT_SERVER_BUILTIN, "tool_describe", DEFT_STYLE_BRIDGE, DEFT_CONFLICT,
          "set toolSearch.describeName to another name");
    check(&scene, "other", DEFT_SERVER_MCP, "tool_search", DEFT_STYLE_BRIDGE, DEFT_OK, "");
    check(&scene, "other", DEFT_SERVER_MCP, "tool_search", DEFT_STYLE_LOAD, DEFT_CONFLICT,
          "tool 'other::tool_search'");
    check(&scene, "other", DEFT_SERVER_BUILTIN, "fine", DEFT_STYLE_BRIDGE, DEFT_OK, "");

    deft_error error = DEFT_ERROR_INIT;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_plan(&scene);
    scene.settings.describe_name = scene.settings.search_name;
    assert_int_equal(deft_bridge_check_names(&scene.settings, scene.plan, &error), DEFT_CONFLICT);
    assert_non_null(strstr(error.message, "two of the bridge's tools are called 'tool_search'"));
    scene.settings.describe_name = scene.settings.call_name;
    assert_int_equal(deft_bridge_check_names(&scene.settings, scene.plan, &error), DEFT_CONFLICT);
    scene.settings.describe_name       = deft_view_of("tool_describe");
    scene.settings.call_read_only_name = scene.settings.call_name;
    assert_int_equal(deft_bridge_check_names(&scene.settings, scene.plan, &error), DEFT_OK);
    scene.settings.call_tools = DEFT_CALL_TOOLS_BY_EFFECT;
    assert_int_equal(deft_bridge_check_names(&scene.settings, scene.plan, &error), DEFT_CONFLICT);
    test_scene_clear(&scene);

    test_scene_init(&scene, DEFT_PRESET_DEFT);
    scene.settings.call_tools = DEFT_CALL_TOOLS_BY_EFFECT;
    test_scene_add(&scene, "", DEFT_SERVER_BUILTIN, "tool_call_read_only");
    test_scene_plan(&scene);
    assert_int_equal(deft_bridge_check_names(&scene.settings, scene.plan, &error), DEFT_CONFLICT);
    assert_non_null(strstr(error.message, "set toolSearch.callReadOnlyName to another name"));
    test_scene_clear(&scene);
}

static bool try_write(const deft_allocator *allocator, void *context)
{
    deft_status status = DEFT_OK;
    for (unsigned tool = 0; status == DEFT_OK && tool < DEFT_BRIDGE_TOOLS_MAX; tool++) {
        deft_buffer out;
        deft_buffer_init(&out, allocator);
        deft_buffer_append_text(&out, "before");
        status = out.status == DEFT_OK
                     ? deft_bridge_write_definition(context, (deft_bridge_tool)tool, DEFT_FORM_MCP,
                                                    deft_view_of("a listing"), &out)
                     : out.status;
        assert_true(status == DEFT_OK || out.size <= strlen("before"));
        deft_buffer_clear(&out);
    }
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    deft_settings settings;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    assert_true(test_every_allocation_fails(try_write, &settings) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_every_tool),
        cmocka_unit_test(parameters_are_those_of_the_preset),
        cmocka_unit_test(an_id_alone_can_be_asked_for),
        cmocka_unit_test(the_description_tells_how_and_what),
        cmocka_unit_test(the_settings_may_say_it_in_their_own_words),
        cmocka_unit_test(a_model_gets_those_that_it_needs),
        cmocka_unit_test(names_are_recognised),
        cmocka_unit_test(names_that_collide_are_found),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
