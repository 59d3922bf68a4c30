// What a server said of itself: read once, shared, never changed.
#include "gateway/manifest.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const char *const whole =
    "{\"server\":\"github\",\"protocolVersion\":\"2025\\u002d06-18\",\"capabilities\":{\"tools\":{"
    "\"listChanged\":true},\"prompts\":{}},\"serverInfo\":{\"name\": \"x\"},\"instructions\":"
    "\"Be \\\"kind\\\"\",\"tools\":[{\"name\":\"a\"}, {\"name\":\"b\"}],\"prompts\":[{}],"
    "\"resources\":[1],\"resourceTemplates\":[ ]}";

static void a_whole_one(void **state)
{
    (void)state;
    deft_error      error    = DEFT_ERROR_INIT;
    deft__manifest *manifest = deft__manifest_new(deft_view_of(whole), NULL, &error);
    assert_non_null(manifest);
    assert_view_equal(manifest->text, whole);
    assert_view_equal(manifest->version, "2025-06-18");
    assert_int_equal(manifest->era, DEFT__MCP_ERA_LEGACY);
    assert_int_equal(manifest->capabilities, DEFT__MCP_SERVER_TOOLS |
                                                 DEFT__MCP_SERVER_TOOLS_CHANGED |
                                                 DEFT__MCP_SERVER_PROMPTS);
    assert_view_equal(manifest->tools, "[{\"name\":\"a\"}, {\"name\":\"b\"}]");
    assert_view_equal(manifest->prompts, "[{}]");
    assert_view_equal(manifest->resources, "[1]");
    assert_view_equal(manifest->templates, "[ ]");
    assert_view_equal(manifest->instructions, "\"Be \\\"kind\\\"\"");
    assert_view_equal(manifest->server_info, "{\"name\": \"x\"}");
    assert_int_equal(manifest->tool_count, 2);
    // It keeps its own copy.
    assert_true(manifest->text.data != whole);
    assert_ptr_equal(deft__manifest_retain(manifest), manifest);
    deft__manifest_release(manifest);
    assert_view_equal(manifest->text, whole);
    deft__manifest_release(manifest);
    deft__manifest_release(NULL);
}

static const struct {
    const char   *name;
    const char   *text;
    const char   *tools;
    size_t        tool_count;
    deft__mcp_era era;
} cases[] = {
    {"nothing", "{}", "[]", 0, DEFT__MCP_ERA_UNKNOWN},
    {"space around it", " {\"tools\": [ 1 ]} ", "[ 1 ]", 1, DEFT__MCP_ERA_UNKNOWN},
    {"members of wrong kinds are absent",
     "{\"tools\":{\"a\":1},\"protocolVersion\":3,\"prompts\":null,\"serverInfo\":[],"
     "\"instructions\":{},\"capabilities\":[]}",
     "[]", 0, DEFT__MCP_ERA_UNKNOWN},
    {"of two members the last counts", "{\"tools\":[1,2],\"tools\":[3]}", "[3]", 1,
     DEFT__MCP_ERA_UNKNOWN},
    {"a wrong one after a right one counts too", "{\"tools\":[1,2],\"tools\":3}", "[]", 0,
     DEFT__MCP_ERA_UNKNOWN},
    {"a modern version", "{\"protocolVersion\":\"2026-07-28\"}", "[]", 0, DEFT__MCP_ERA_MODERN},
    {"a version that nobody speaks", "{\"protocolVersion\":\"2099-01-01\"}", "[]", 0,
     DEFT__MCP_ERA_UNKNOWN},
};

static void less_than_a_whole_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_guard      guard;
        const deft_view text     = test_guard_copy(&guard, deft_view_of(cases[i].text));
        deft__manifest *manifest = deft__manifest_new(text, NULL, NULL);
        test_guard_clear(&guard);
        assert_non_null(manifest);
        assert_view_equal(manifest->tools, cases[i].tools);
        assert_int_equal(manifest->tool_count, cases[i].tool_count);
        assert_int_equal(manifest->era, cases[i].era);
        assert_view_equal(manifest->server_info, "{}");
        assert_int_equal(manifest->instructions.size, 0);
        assert_int_equal(manifest->capabilities, 0);
        deft__manifest_release(manifest);
    }
}

static const char *const refused[] = {"",    " ",       "[]", "null", "\"x\"", "{", "{\"tools\":[}",
                                      "{}x", "\xff\xfe"};

static void what_is_no_manifest(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(refused); i++) {
        case_name(refused[i]);
        deft_error error = DEFT_ERROR_INIT;
        assert_null(deft__manifest_new(deft_view_of(refused[i]), NULL, &error));
        assert_int_equal(error.status, DEFT_INVALID);
        assert_true(error.message[0] != '\0');
    }
}

// A quarter of a gigabyte of tokens would be 32 times the text.
static void a_text_of_nothing_but_numbers_is_refused(void **state)
{
    (void)state;
    deft_buffer text;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"tools\":[1");
    for (size_t i = 0; i < 8u * 1024 * 1024; i++) {
        deft_buffer_append_text(&text, ",1");
    }
    deft_buffer_append_text(&text, "]}");
    assert_null(deft__manifest_new(deft_buffer_view(&text), NULL, &error));
    assert_int_equal(error.status, DEFT_LIMIT);
    deft_buffer_clear(&text);
}

static void the_same_is_equal(void **state)
{
    (void)state;
    deft__manifest *a = deft__manifest_new(deft_view_of(whole), NULL, NULL);
    deft__manifest *b = deft__manifest_new(deft_view_of(whole), NULL, NULL);
    deft__manifest *c = deft__manifest_new(deft_view_of("{}"), NULL, NULL);
    assert_true(deft__manifest_equal(a, b));
    assert_false(deft__manifest_equal(a, c));
    deft__manifest_release(a);
    deft__manifest_release(b);
    deft__manifest_release(c);
}

static bool read_one(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_error      error    = DEFT_ERROR_INIT;
    deft__manifest *manifest = deft__manifest_new(deft_view_of(whole), allocator, &error);
    assert_true(manifest != NULL || error.status == DEFT_OUT_OF_MEMORY);
    const bool is_read = manifest != NULL;
    deft__manifest_release(manifest);
    return is_read;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(read_one, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_one),
        cmocka_unit_test(less_than_a_whole_one),
        cmocka_unit_test(what_is_no_manifest),
        cmocka_unit_test(a_text_of_nothing_but_numbers_is_refused),
        cmocka_unit_test(the_same_is_equal),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
