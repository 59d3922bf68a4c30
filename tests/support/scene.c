#include "support/scene.h"

#include "support/test.h"
#include "json/writer.h"

void test_scene_init(test_scene *scene, deft_preset preset)
{
    deft_error error = DEFT_ERROR_INIT;
    *scene           = (test_scene){.builder = deft_catalog_builder_new(NULL, NULL, &error)};
    assert_non_null(scene->builder);
    deft_settings_init(&scene->settings, preset);
}

void test_scene_clear(test_scene *scene)
{
    deft_plan_release(scene->plan);
    deft_sizes_free(scene->sizes);
    deft_catalog_release(scene->catalog);
    deft_catalog_builder_free(scene->builder);
    *scene = (test_scene){.builder = NULL};
}

static void add(test_scene *scene, const char *server, deft_server_kind kind, deft_view text)
{
    deft_error        error  = DEFT_ERROR_INIT;
    const deft_source source = {.label       = deft_view_of("scene"),
                                .server      = deft_view_of(server),
                                .is_kind_set = true,
                                .kind        = kind};
    assert_ok(deft_catalog_builder_add(scene->builder, &source, text, &error), error);
}

void test_scene_add_json(test_scene *scene, const char *server, deft_server_kind kind,
                         const char *json)
{
    add(scene, server, kind, deft_view_of(json));
}

static void write_tool(deft__json_writer *writer, deft_view name)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "name");
    deft__json_write_string(writer, name);
    deft__json_name(writer, "description");
    deft__json_write_text(writer, "Does what its name says.");
    deft__json_name(writer, "inputSchema");
    deft__json_write_raw(writer, deft_view_of("{\"type\":\"object\",\"properties\":{}}"));
    deft__json_end_object(writer);
}

void test_scene_add(test_scene *scene, const char *server, deft_server_kind kind, const char *names)
{
    deft_buffer       text;
    deft__json_writer writer;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&writer, &text);
    deft__json_begin_array(&writer);
    for (const char *at = names; *at != '\0';) {
        const size_t size = strcspn(at, " ");
        write_tool(&writer, deft_view_make(at, size));
        at += size + strspn(at + size, " ");
    }
    deft__json_end_array(&writer);
    assert_int_equal(text.status, DEFT_OK);
    add(scene, server, kind, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

void test_scene_add_sized(test_scene *scene, const char *server, const char *name,
                          size_t characters)
{
    const size_t fixed = strlen(name) + strlen("{}");
    assert_true(characters >= fixed);
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[{\"name\":\"");
    deft_buffer_append_text(&text, name);
    deft_buffer_append_text(&text, "\",\"description\":\"");
    for (size_t i = fixed; i < characters; i++) {
        deft_buffer_append_byte(&text, 'x');
    }
    deft_buffer_append_text(&text, "\",\"inputSchema\":{}}]");
    assert_int_equal(text.status, DEFT_OK);
    add(scene, server, DEFT_SERVER_MCP, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

void test_scene_measure(test_scene *scene)
{
    deft_error error = DEFT_ERROR_INIT;
    if (scene->catalog == NULL) {
        scene->catalog = deft_catalog_builder_finish(scene->builder, &error);
        assert_ok(error.status, error);
        assert_non_null(scene->catalog);
    }
    deft_sizes_free(scene->sizes);
    scene->sizes = deft_sizes_new(scene->catalog, scene->settings.measured_form,
                                  scene->settings.token_family, NULL, &error);
    assert_ok(error.status, error);
    assert_non_null(scene->sizes);
}

void test_scene_plan(test_scene *scene)
{
    deft_error error = DEFT_ERROR_INIT;
    test_scene_measure(scene);
    deft_plan_release(scene->plan);
    scene->plan =
        deft_plan_new(scene->catalog, scene->sizes, &scene->settings, &scene->usage, NULL, &error);
    assert_ok(error.status, error);
    assert_non_null(scene->plan);
}

deft_tool_id test_scene_tool(const test_scene *scene, const char *id)
{
    deft_tool_id tool = {0};
    if (!deft_catalog_find(scene->catalog, deft_view_of(id), &tool)) {
        fail_msg("the scene has no tool '%s'", id);
    }
    return tool;
}

deft_decision test_scene_decision(const test_scene *scene, const char *id)
{
    return deft_plan_decision(scene->plan, test_scene_tool(scene, id));
}
