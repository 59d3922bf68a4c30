#include "support/random_scene.h"

#include "support/test.h"
#include "json/writer.h"

static const char *const server_names[] = {"alpha", "beta", "gamma", "delta", "epsilon", ""};

static void write_description(deft__json_writer *writer, test_random *random)
{
    static const char *const words[] = {"Lists things. ", "Takes\nlines, ", "e.g. this ",
                                        "\x01hidden ",    "\xC3\xBCx ",     "and so on "};
    deft_buffer              text;
    deft_buffer_init(&text, NULL);
    for (size_t i = test_random_below(random, 60); i > 0; i--) {
        deft_buffer_append_text(&text, words[test_random_below(random, array_size(words))]);
    }
    deft__json_name(writer, "description");
    deft__json_write_string(writer, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

static void write_tool(deft__json_writer *writer, test_random *random, size_t number)
{
    char name[24];
    if (test_random_once_in(random, 6)) {
        size_t           count = 0;
        const deft_view *core  = deft_core_tools(&count);
        const deft_view  drawn = core[test_random_below(random, count)];
        snprintf(name, sizeof name, "%.*s", (int)drawn.size, drawn.data);
    } else {
        snprintf(name, sizeof name, "%szaq%03zu", test_random_once_in(random, 4) ? "mcp_" : "",
                 number);
    }
    deft__json_begin_object(writer);
    deft__json_name(writer, "name");
    deft__json_write_text(writer, name);
    if (!test_random_once_in(random, 5)) {
        write_description(writer, random);
    }
    deft__json_name(writer, "inputSchema");
    deft__json_write_raw(writer, deft_view_of("{\"type\":\"object\"}"));
    if (test_random_once_in(random, 6)) {
        deft__json_name(writer, "deferrable");
        deft__json_write_bool(writer, true);
    }
    if (test_random_once_in(random, 8)) {
        deft__json_name(writer, "_meta");
        deft__json_write_raw(writer, deft_view_of("{\"anthropic/alwaysLoad\":true}"));
    }
    deft__json_end_object(writer);
}

static void add_server(test_scene *scene, test_random *random, size_t place)
{
    deft_buffer       text;
    deft__json_writer writer;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&writer, &text);
    deft__json_begin_object(&writer);
    if (test_random_once_in(random, 2)) {
        deft__json_name(&writer, "instructions");
        deft__json_write_text(&writer, "Use these\ntools. They are good.");
    }
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    for (size_t i = 0, count = test_random_below(random, 15); i < count; i++) {
        write_tool(&writer, random, place * 100 + i);
    }
    deft__json_end_array(&writer);
    deft__json_end_object(&writer);
    deft_buffer_append_byte(&text, '\0');
    assert_int_equal(text.status, DEFT_OK);
    test_scene_add_json(scene, server_names[place],
                        test_random_once_in(random, 2)
                            ? DEFT_SERVER_MCP
                            : (deft_server_kind)test_random_below(random, 3),
                        text.data);
    deft_buffer_clear(&text);
}

static size_t draw_rules(test_random *random, const char *const *patterns, size_t count,
                         deft_rule *rules)
{
    const size_t rule_count =
        test_random_once_in(random, 3) ? 0 : test_random_below(random, TEST_RANDOM_RULES_MAX);
    for (size_t i = 0; i < rule_count; i++) {
        rules[i] = (deft_rule){
            .pattern     = deft_view_of(patterns[test_random_below(random, count)]),
            .is_deferred = test_random_once_in(random, 2),
        };
    }
    return rule_count;
}

// Unset, nothing, or up to a half more than what is measured.
static deft_threshold draw_threshold(test_random *random, uint64_t measured)
{
    deft_threshold threshold = {.is_set = !test_random_once_in(random, 3)};
    if (threshold.is_set && !test_random_once_in(random, 5)) {
        threshold.value = test_random_below(random, (size_t)measured * 3 / 2 + 1);
    }
    return threshold;
}

static void draw_settings(test_random_scene *drawn, test_random *random)
{
    static const char *const server_patterns[] = {"alpha", "b*", "*", "?amma", "none", "epsilon"};
    static const char *const tool_patterns[]   = {"zaq001",    "zaq*5",    "alpha::*", "*::zaq10?",
                                                  "read_file", "mcp_zaq*", "*_file",   "beta::x"};
    deft_settings           *settings          = &drawn->scene.settings;

    settings->mode         = (deft_mode)test_random_below(random, 3);
    settings->defer        = (deft_defer)test_random_below(random, 2);
    settings->server_rules = drawn->server_rules;
    settings->tool_rules   = drawn->tool_rules;
    settings->server_rule_count =
        draw_rules(random, server_patterns, array_size(server_patterns), drawn->server_rules);
    settings->tool_rule_count =
        draw_rules(random, tool_patterns, array_size(tool_patterns), drawn->tool_rules);

    drawn->core[0]              = deft_view_of("zaq002");
    drawn->core[1]              = deft_view_of("gamma::*");
    settings->is_core_tools_set = test_random_once_in(random, 2);
    settings->core_tools        = drawn->core;
    settings->core_tool_count   = test_random_below(random, 3);

    test_scene_measure(&drawn->scene);
    const deft_size total           = deft_sizes_total(drawn->scene.sizes);
    settings->threshold_characters  = draw_threshold(random, total.characters);
    settings->threshold_tokens      = draw_threshold(random, total.tokens);
    settings->context_window_tokens = 10000; // a hundredth of a percent is a token
    settings->threshold_permyriad   = draw_threshold(random, total.tokens);
}

void test_random_scene_init(test_random_scene *random_scene, test_random *random)
{
    test_scene_init(&random_scene->scene, DEFT_PRESET_DEFT);
    for (size_t i = 0; i < array_size(server_names); i++) {
        if (!test_random_once_in(random, 3)) {
            add_server(&random_scene->scene, random, i);
        }
    }
    draw_settings(random_scene, random);
}

void test_random_scene_clear(test_random_scene *random_scene)
{
    test_scene_clear(&random_scene->scene);
}
