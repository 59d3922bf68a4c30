// Building an index. Proves a part of C7.
#include "core/index/index.h"

#include "support/allocator.h"
#include "support/scene.h"
#include "support/test.h"

static const char tools[] =
    "[{\"name\":\"create_issue\",\"description\":\"Creates an issue; an issue needs a title.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\","
    "\"description\":\"Heading of it\"},\"Body\":{\"type\":\"string\"}}}},"
    "{\"name\":\"listIssues\",\"description\":\"Lists every issue.\",\"inputSchema\":{}}]";

static size_t posting_count(const deft_index *index, const char *term)
{
    size_t count = 0;
    deft__index_postings(index, deft_view_of(term), &count);
    return count;
}

static void terms_lead_to_tools(void **state)
{
    (void)state;
    test_scene scene;
    deft_error error = DEFT_ERROR_INIT;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&scene, "GitHub", DEFT_SERVER_MCP, tools);
    test_scene_measure(&scene);
    deft_index *index = deft_index_new(scene.catalog, NULL, &error);
    assert_non_null(index);

    assert_int_equal(index->document_count, 2);
    assert_int_equal(posting_count(index, "issue"), 2);
    assert_int_equal(posting_count(index, "issues"), 1);
    assert_int_equal(posting_count(index, "hub"), 2);     // the server's name
    assert_int_equal(posting_count(index, "heading"), 1); // a parameter's description
    assert_int_equal(posting_count(index, "body"), 0);    // a parameter's name
    assert_int_equal(posting_count(index, "nothing"), 0);

    size_t               count    = 0;
    const deft__posting *postings = deft__index_postings(index, deft_view_of("issue"), &count);
    assert_int_equal(postings[0].tool, 0);
    assert_int_equal(postings[0].count, 3);
    assert_int_equal(postings[1].tool, 1);
    assert_int_equal(postings[1].count, 1);

    assert_view_equal(index->documents[0].parameters, "title body");
    assert_view_equal(index->documents[1].name, "listissues");
    assert_int_equal(index->documents[0].length, 2 + 2 + 8 + 3);
    assert_int_equal(index->documents[1].length, 2 + 2 + 3);

    deft_index_free(index);
    test_scene_clear(&scene);
}

static void an_empty_catalog_has_an_index(void **state)
{
    (void)state;
    test_scene scene;
    deft_error error = DEFT_ERROR_INIT;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_measure(&scene);
    deft_index *index = deft_index_new(scene.catalog, NULL, &error);
    assert_non_null(index);
    assert_int_equal(posting_count(index, "issue"), 0);
    deft_index_free(index);
    test_scene_clear(&scene);
}

static void a_long_description_is_indexed_in_part(void **state)
{
    (void)state;
    test_scene  scene;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[{\"name\":\"x\",\"description\":\"first ");
    for (int i = 0; i < 3000; i++) {
        deft_buffer_append_text(&text, "more ");
    }
    deft_buffer_append_text(&text, "last\",\"inputSchema\":{}}]");
    deft_buffer_append_byte(&text, '\0');
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&scene, "s", DEFT_SERVER_MCP, text.data);
    test_scene_measure(&scene);
    deft_index *index = deft_index_new(scene.catalog, NULL, &error);
    assert_non_null(index);
    assert_int_equal(posting_count(index, "first"), 1);
    assert_int_equal(posting_count(index, "last"), 0);
    deft_index_free(index);
    test_scene_clear(&scene);
    deft_buffer_clear(&text);
}

static bool build(const deft_allocator *allocator, void *context)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_index *index = deft_index_new(context, allocator, &error);
    assert_true(index != NULL || error.status == DEFT_OUT_OF_MEMORY);
    deft_index_free(index);
    return index != NULL;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&scene, "GitHub", DEFT_SERVER_MCP, tools);
    test_scene_measure(&scene);
    assert_true(test_every_allocation_fails(build, scene.catalog) > 3);
    deft_index_free(NULL);
    test_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_lead_to_tools),
        cmocka_unit_test(an_empty_catalog_has_an_index),
        cmocka_unit_test(a_long_description_is_indexed_in_part),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
