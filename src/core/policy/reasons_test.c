// Why each tool is where it is, and why tool search is active or not, in words for people. Proves a
// part of A3 and A9 (it says so) and of D6.
#include "deft/policy.h"

#include "support/allocator.h"
#include "support/scene.h"
#include "support/test.h"

static const deft_rule tool_rules[]   = {{DEFT_VIEW_INIT("git::*"), false},
                                         {DEFT_VIEW_INIT("never"), true}};
static const deft_rule server_rules[] = {{DEFT_VIEW_INIT("jira"), true},
                                         {DEFT_VIEW_INIT("files"), false}};

static void make_scene(test_scene *scene, deft_mode mode)
{
    test_scene_init(scene, DEFT_PRESET_DEFT);
    test_scene_add(scene, "git", DEFT_SERVER_MCP, "log");
    test_scene_add(scene, "jira", DEFT_SERVER_MCP, "comment");
    test_scene_add(scene, "files", DEFT_SERVER_MCP, "tail");
    test_scene_add(scene, "web", DEFT_SERVER_MCP, "open never web_search");
    test_scene_add(scene, "own", DEFT_SERVER_HOST, "plan");
    test_scene_add(scene, "", DEFT_SERVER_BUILTIN, "bash");
    test_scene_add_json(scene, "meta", DEFT_SERVER_MCP,
                        "[{\"name\":\"here\",\"inputSchema\":{\"type\":\"object\"},"
                        "\"_meta\":{\"anthropic/alwaysLoad\":true}}]");
    scene->settings.mode              = mode;
    scene->settings.tool_rules        = tool_rules;
    scene->settings.tool_rule_count   = array_size(tool_rules);
    scene->settings.server_rules      = server_rules;
    scene->settings.server_rule_count = array_size(server_rules);
}

static void assert_explained(const test_scene *scene, const char *id, const char *sentence)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_plan_explain(scene->plan, test_scene_tool(scene, id), &out), DEFT_OK);
    assert_view_equal(deft_buffer_view(&out), sentence);
    deft_buffer_clear(&out);
}

static void assert_cause(const test_scene *scene, const char *sentence)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_plan_explain_cause(scene->plan, &out), DEFT_OK);
    assert_view_equal(deft_buffer_view(&out), sentence);
    deft_buffer_clear(&out);
}

static const struct {
    const char *tool;
    const char *sentence;
} sentences[] = {
    {"git::log", "pinned by rule 'git::*'"},
    {"web::never", "deferred by rule 'never'"},
    {"jira::comment", "deferred by the rule for server 'jira'"},
    {"files::tail", "pinned by the rule for server 'files'"},
    {"web::web_search", "pinned by the core set, entry 'web_search'"},
    {"own::plan", "visible: neither from an MCP server nor marked deferrable"},
    {"bash", "pinned: a built-in tool is never deferred"},
    {"meta::here", "pinned: its definition asks for it (anthropic/alwaysLoad)"},
    {"web::open", "deferred: tool search is on"},
};

static void decisions_are_explained(void **state)
{
    (void)state;
    test_scene scene;
    make_scene(&scene, DEFT_MODE_ON);
    test_scene_plan(&scene);
    for (size_t i = 0; i < array_size(sentences); i++) {
        assert_explained(&scene, sentences[i].tool, sentences[i].sentence);
    }
    assert_cause(&scene, "active: tool search is on for every tool that is not pinned");

    scene.settings.mode = DEFT_MODE_OFF;
    test_scene_plan(&scene);
    assert_explained(&scene, "web::never", "visible: tool search is off");
    assert_cause(&scene, "inactive: tool search is off, every tool is visible");

    scene.settings.mode = DEFT_MODE_AUTO;
    test_scene_plan(&scene);
    assert_explained(&scene, "web::open",
                     "visible: the definitions together do not exceed the threshold");

    scene.settings.threshold_permyriad.value = 0;
    test_scene_plan(&scene);
    assert_explained(&scene, "web::open",
                     "deferred: the definitions together exceed the threshold");
    test_scene_clear(&scene);
}

// One tool of exactly this many characters and no threshold yet.
static void make_sized(test_scene *scene, size_t characters)
{
    test_scene_init(scene, DEFT_PRESET_DEFT);
    scene->settings.token_family               = DEFT_TOKENS_CHARS4;
    scene->settings.threshold_permyriad.is_set = false;
    test_scene_add_sized(scene, "s", "t", characters);
    test_scene_measure(scene);
    assert_int_equal(deft_sizes_total(scene->sizes).characters, characters);
}

static void sizes_are_for_people(void **state)
{
    (void)state;
    test_scene scene;
    make_sized(&scene, 49000);
    const uint64_t tokens = deft_sizes_total(scene.sizes).tokens;
    assert_int_equal(tokens, 12261); // 49,000 characters and 43 of JSON around them

    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: no threshold is set");

    scene.settings.threshold_characters = (deft_threshold){true, 1000000};
    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: 49,000 characters, the threshold is 1,000,000");

    scene.settings.threshold_permyriad   = (deft_threshold){true, 1000};
    scene.settings.threshold_tokens      = (deft_threshold){true, 50007};
    scene.settings.context_window_tokens = 200000;
    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: 49,000 characters, the threshold is 1,000,000; 12,261 tokens, "
                         "the threshold is 50,007; 12,261 tokens are 6.13 % of the 200,000-token "
                         "window, the threshold is 10 %");

    scene.settings.threshold_characters.value = 48999;
    test_scene_plan(&scene);
    assert_cause(&scene, "active: 49,000 characters, the threshold is 48,999");

    scene.settings.threshold_characters.is_set = false;
    scene.settings.threshold_tokens.value      = tokens - 1;
    test_scene_plan(&scene);
    assert_cause(&scene, "active: 12,261 tokens, the threshold is 12,260");

    scene.settings.threshold_tokens.is_set = false;
    scene.settings.threshold_permyriad     = (deft_threshold){true, 550};
    test_scene_plan(&scene);
    assert_cause(&scene, "active: 12,261 tokens are 6.13 % of the 200,000-token window, "
                         "the threshold is 5.5 %");
    test_scene_clear(&scene);
}

static void a_narrow_miss_is_told(void **state)
{
    (void)state;
    test_scene scene;
    make_sized(&scene, 49000);
    scene.settings.threshold_permyriad   = (deft_threshold){true, 1005};
    scene.settings.context_window_tokens = 121995; // 10.05 % of it are 12,260.5 tokens
    test_scene_plan(&scene);
    assert_cause(&scene, "active: 12,261 tokens are just over 10.05 % of the 121,995-token window, "
                         "the threshold is 10.05 %");

    scene.settings.context_window_tokens = 0;
    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: 12,261 tokens in a context window of unknown size, "
                         "the threshold is 10.05 %");

    scene.settings.context_window_tokens = UINT64_MAX;
    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: 12,261 tokens are 0 % of the 18,446,744,073,709,551,615-token "
                         "window, the threshold is 10.05 %");
    test_scene_clear(&scene);
}

static void other_causes(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: there is no tool that may be deferred");
    test_scene_clear(&scene);

    make_sized(&scene, 100);
    scene.settings.threshold_characters = (deft_threshold){true, 100};
    scene.settings.server_rules         = &(deft_rule){deft_view_of("s"), true};
    scene.settings.server_rule_count    = 1;
    test_scene_plan(&scene);
    assert_cause(&scene,
                 "active: 1 tool deferred by rules alone; 100 characters, the threshold is 100");

    scene.settings.mode         = DEFT_MODE_ON;
    scene.settings.server_rules = &(deft_rule){deft_view_of("s"), false};
    test_scene_plan(&scene);
    assert_cause(&scene, "inactive: every tool that may be deferred is pinned");
    test_scene_clear(&scene);
}

static void what_overflows_is_explained_by_its_size(void **state)
{
    (void)state;
    test_scene scene;
    make_sized(&scene, 1000);
    scene.settings.defer                = DEFT_DEFER_OVERFLOW;
    scene.settings.threshold_characters = (deft_threshold){true, 999};
    test_scene_plan(&scene);
    assert_explained(&scene, "s::t", "deferred: there was no room left for its 1,000 characters");

    scene.settings.threshold_tokens = (deft_threshold){true, 1};
    test_scene_plan(&scene);
    assert_explained(&scene, "s::t", "deferred: there was no room left for its 261 tokens");
    test_scene_clear(&scene);

    test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, "a b");
    test_scene_measure(&scene);
    scene.settings.mode                 = DEFT_MODE_AUTO;
    scene.settings.threshold_permyriad  = (deft_threshold){.is_set = false};
    scene.settings.threshold_characters = (deft_threshold){true, 80};
    test_scene_plan(&scene);
    assert_explained(&scene, "s::a", "visible: there was room for its 58 characters");
    test_scene_clear(&scene);
}

static void every_value_has_a_word(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= DEFT_PLACE_DEFERRED; i++) {
        assert_string_not_equal(deft_place_name((deft_place)i), "unknown");
    }
    for (unsigned i = 0; i <= DEFT_REASON_OVERFLOWS; i++) {
        assert_string_not_equal(deft_reason_name((deft_reason)i), "unknown");
    }
    for (unsigned i = 0; i <= DEFT_CAUSE_ALL_PINNED; i++) {
        assert_string_not_equal(deft_cause_name((deft_cause)i), "unknown");
    }
    assert_string_equal(deft_place_name((deft_place)99), "unknown");
    assert_string_equal(deft_reason_name((deft_reason)99), "unknown");
    assert_string_equal(deft_cause_name((deft_cause)99), "unknown");
}

static bool explain_once(const deft_allocator *allocator, void *context)
{
    const test_scene *scene = context;
    deft_buffer       out;
    deft_buffer_init(&out, allocator);
    const deft_status cause = deft_plan_explain_cause(scene->plan, &out);
    const deft_status tool  = deft_plan_explain(scene->plan, (deft_tool_id){0}, &out);
    deft_buffer_clear(&out);
    assert_true(cause == DEFT_OK || cause == DEFT_OUT_OF_MEMORY);
    return tool == DEFT_OK;
}

static void without_memory(void **state)
{
    (void)state;
    test_scene scene;
    make_scene(&scene, DEFT_MODE_AUTO);
    test_scene_plan(&scene);
    assert_true(test_every_allocation_fails(explain_once, &scene) >= 2);
    test_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_are_explained),
        cmocka_unit_test(sizes_are_for_people),
        cmocka_unit_test(a_narrow_miss_is_told),
        cmocka_unit_test(other_causes),
        cmocka_unit_test(what_overflows_is_explained_by_its_size),
        cmocka_unit_test(every_value_has_a_word),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
