// A listing that is wanted again is the same, and is written anew where anything differs. Proves B4, B5.
#include "core/listing/listed.h"

#include "support/allocator.h"
#include "support/scene.h"
#include "support/test.h"

static void make_scene(test_scene *scene)
{
    test_scene_init(scene, DEFT_PRESET_DEFT);
    test_scene_add_json(scene, "github", DEFT_SERVER_MCP,
                        "{\"instructions\":\"Work with repositories.\",\"tools\":["
                        "{\"name\":\"create_issue\",\"description\":\"Creates an issue.\","
                        "\"inputSchema\":{}}]}");
    scene->settings.mode                  = DEFT_MODE_ON;
    scene->settings.listing               = DEFT_LISTING_FULL;
    scene->settings.listing_budget_tokens = 0;
    test_scene_plan(scene);
}

// That what is kept is what is written without keeping.
static void expect_same(deft__listed *listed, const test_scene *scene, deft_plan *plan)
{
    deft_view   text = deft_view_make(NULL, 0);
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_listing_write(plan, &scene->settings, &out, NULL), DEFT_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(deft__listed_get(listed, plan, &scene->settings, &text));
        assert_true(deft_view_equal(text, deft_buffer_view(&out)));
    }
    deft_buffer_clear(&out);
}

static void it_is_what_would_be_written(void **state)
{
    (void)state;
    test_scene   scene;
    test_scene   other;
    deft__listed listed;
    make_scene(&scene);
    make_scene(&other);
    deft__listed_init(&listed, NULL);
    expect_same(&listed, &scene, scene.plan);
    const char *data = listed.text.data;
    expect_same(&listed, &scene, scene.plan);
    assert_ptr_equal(listed.text.data, data); // not written again
    scene.settings.listing = DEFT_LISTING_NAMES;
    expect_same(&listed, &scene, scene.plan);
    scene.settings.listing_instructions_size_max = 8;
    expect_same(&listed, &scene, scene.plan);
    scene.settings.listing = DEFT_LISTING_FULL;
    expect_same(&listed, &scene, scene.plan);
    scene.settings.listing_description_size_max = 8;
    expect_same(&listed, &scene, scene.plan);
    scene.settings.listing_budget_tokens = 3;
    expect_same(&listed, &scene, scene.plan);
    expect_same(&listed, &scene, other.plan);
    test_scene_clear(&other); // the plan stays as long as its listing
    deft__listed_clear(&listed);
    test_scene_clear(&scene);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    const test_scene *scene = context;
    deft_view         text;
    deft__listed      listed;
    deft__listed_init(&listed, allocator);
    const bool has_memory = deft__listed_get(&listed, scene->plan, &scene->settings, &text);
    deft__listed_clear(&listed);
    return has_memory;
}

static void memory_may_end(void **state)
{
    (void)state;
    test_scene scene;
    make_scene(&scene);
    assert_true(test_every_allocation_fails(attempt, &scene) >= 2);
    test_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_would_be_written),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
