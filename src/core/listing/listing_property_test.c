// What holds for every listing, tried on 1,500 random scenes. Proves B5 and B6 as properties.
#include "deft/listing.h"

#include "support/random_scene.h"
#include "support/test.h"

enum {
    SCENES = 1500
};

static bool contains(deft_view text, deft_view part)
{
    for (size_t at = 0; at + part.size <= text.size; at++) {
        if (memcmp(text.data + at, part.data, part.size) == 0) {
            return true;
        }
    }
    return false;
}

// Names every deferred tool or none, as the level says, and never another. Random tools have names
// of their own, so finding one in the text is finding that tool; core names are left out.
static void check_names(const test_scene *scene, deft_view text, const deft_listing_report *report)
{
    const bool is_naming = report->level <= DEFT_LISTING_NAMES;
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_tool *tool = deft_catalog_tool(scene->catalog, (deft_tool_id){i});
        const bool       is_deferred =
            deft_plan_decision(scene->plan, (deft_tool_id){i}).place == DEFT_PLACE_DEFERRED;
        if (contains(tool->name, deft_view_of("zaq"))) {
            assert_true(contains(text, tool->name) ? is_deferred : !is_deferred || !is_naming);
        }
    }
    assert_int_equal(report->named_count, is_naming ? report->tool_count : 0);
    assert_int_equal(report->tool_count, deft_plan_summary_of(scene->plan)->deferred_count);
}

static size_t count_lines(deft_view text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.size; i++) {
        lines += text.data[i] == '\n';
    }
    return lines;
}

static void check_shape(const deft_settings *settings, deft_view text,
                        const deft_listing_report *report)
{
    assert_int_equal(report->tokens, deft_tokens_estimate(text, settings->token_family));
    assert_true(settings->listing_budget_tokens == 0 ||
                report->tokens <= settings->listing_budget_tokens);
    assert_true(report->level >= settings->listing);
    assert_true(text.size == 0 || text.data[text.size - 1] == '\n');
    assert_true(text.size > 0 || report->level == DEFT_LISTING_NONE || report->tool_count == 0);
    if (report->level <= DEFT_LISTING_SHORT) {
        assert_int_equal(count_lines(text), report->tool_count);
    }
}

static void listings_of_random_scenes(void **state)
{
    (void)state;
    test_random random = {.state = 2};
    size_t      levels[DEFT_LISTING_NONE + 1];
    memset(levels, 0, sizeof levels);
    for (int i = 0; i < SCENES; i++) {
        test_random_scene drawn;
        test_random_scene_init(&drawn, &random);
        test_scene *scene = &drawn.scene;
        test_scene_plan(scene);

        deft_listing_level before = DEFT_LISTING_NONE;
        scene->settings.listing   = (deft_listing_level)test_random_below(&random, 6);
        // From tight to generous: a larger budget never says less.
        for (uint64_t budget = 1 + test_random_below(&random, 20); budget < 20000; budget *= 3) {
            deft_buffer         out;
            deft_buffer         again;
            deft_listing_report report = {.level = DEFT_LISTING_FULL};
            deft_buffer_init(&out, NULL);
            deft_buffer_init(&again, NULL);
            scene->settings.listing_budget_tokens = budget;
            assert_int_equal(deft_listing_write(scene->plan, &scene->settings, &out, &report),
                             DEFT_OK);
            assert_int_equal(deft_listing_write(scene->plan, &scene->settings, &again, NULL),
                             DEFT_OK);
            assert_true(deft_view_equal(deft_buffer_view(&out), deft_buffer_view(&again)));
            check_shape(&scene->settings, deft_buffer_view(&out), &report);
            check_names(scene, deft_buffer_view(&out), &report);
            assert_true(report.level <= before);
            before = report.level;
            levels[report.level]++;
            deft_buffer_clear(&out);
            deft_buffer_clear(&again);
        }
        test_random_scene_clear(&drawn);
    }
    for (size_t i = 0; i < array_size(levels); i++) {
        print_message("  %s: %zu\n", deft_listing_level_name((deft_listing_level)i), levels[i]);
        assert_true(levels[i] > 0); // the scenes reach every level
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_of_random_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
