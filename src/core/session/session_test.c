// One client's visible tools. Proves A10, B6, D1, D5 and a part of D6.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"

#define FILES "files::read_file files::write_file"

static void begin(test_meeting *meeting, bool is_loaded_kept)
{
    test_meeting_init(meeting, DEFT_PRESET_DEFT);
    meeting->scene.settings.is_loaded_kept = is_loaded_kept;
    test_meeting_start(meeting);
}

static void load(test_meeting *meeting, const char *id, uint32_t search, bool is_new)
{
    deft_error error   = DEFT_ERROR_INIT;
    bool       is_told = !is_new;
    assert_ok(deft_session_load(meeting->session, test_scene_tool(&meeting->scene, id), search,
                                &is_told, &error),
              error);
    assert_int_equal(is_told, is_new);
}

// A scene with other servers; `files`, `github` and `slack` may be NULL: not connected.
static void plan(test_scene *scene, const char *files, const char *github, const char *slack)
{
    static const deft_rule rules[] = {{DEFT_VIEW_INIT("files"), false}};
    test_scene_init(scene, DEFT_PRESET_DEFT);
    scene->settings.mode              = DEFT_MODE_ON;
    scene->settings.server_rules      = rules;
    scene->settings.server_rule_count = array_size(rules);
    if (files != NULL) {
        test_scene_add(scene, "files", DEFT_SERVER_MCP, files);
    }
    if (github != NULL) {
        test_scene_add(scene, "github", DEFT_SERVER_MCP, github);
    }
    if (slack != NULL) {
        test_scene_add(scene, "slack", DEFT_SERVER_MCP, slack);
    }
    test_scene_plan(scene);
}

static void update(test_meeting *meeting, const test_scene *scene)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft_session_update(meeting->session, scene->plan, &error), error);
}

static void found_tools_are_appended(void **state)
{
    (void)state;
    test_meeting meeting;
    begin(&meeting, true);
    test_meeting_expect_visible(&meeting, FILES);
    assert_int_equal(deft_session_record_search(meeting.session, deft_view_of("search")), 1);
    load(&meeting, "slack::search", 1, true);
    load(&meeting, "github::create_issue", 0, true);
    load(&meeting, "slack::search", 1, false);
    load(&meeting, "files::read_file", 1, false);
    test_meeting_expect_visible(&meeting, FILES " *slack::search *github::create_issue");

    const deft_tool_id found = test_scene_tool(&meeting.scene, "slack::search");
    const deft_tool_id fixed = test_scene_tool(&meeting.scene, "files::read_file");
    const deft_tool_id other = test_scene_tool(&meeting.scene, "github::search");
    assert_true(deft_session_is_visible(meeting.session, found));
    assert_true(deft_session_is_loaded(meeting.session, found));
    assert_true(deft_session_is_visible(meeting.session, fixed));
    assert_false(deft_session_is_loaded(meeting.session, fixed));
    assert_false(deft_session_is_visible(meeting.session, other));
    assert_false(deft_session_is_visible(meeting.session, (deft_tool_id){1000}));
    assert_true(deft_session_is_allowed(meeting.session, other));
    assert_false(deft_session_is_allowed(meeting.session, (deft_tool_id){1000}));
    test_meeting_clear(&meeting);
}

static void what_cannot_be_loaded(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_error   error = DEFT_ERROR_INIT;
    begin(&meeting, true);
    assert_int_equal(deft_session_load(meeting.session, (deft_tool_id){1000}, 0, NULL, &error),
                     DEFT_NOT_FOUND);
    const deft_tool_id tool = test_scene_tool(&meeting.scene, "slack::search");
    assert_int_equal(deft_session_load(meeting.session, tool, 1, NULL, &error), DEFT_INVALID);
    assert_string_equal(error.message, "search 1 was never made; the last one is 0");
    test_meeting_expect_visible(&meeting, FILES);
    test_meeting_clear(&meeting);
}

static void keepLoadedTools(void **state)
{
    (void)state;
    test_meeting meeting;
    begin(&meeting, true);
    load(&meeting, "slack::search", 0, true);
    assert_int_equal(deft_session_end_turn(meeting.session), 0);
    test_meeting_expect_visible(&meeting, FILES " *slack::search");
    test_meeting_clear(&meeting);

    begin(&meeting, false);
    load(&meeting, "slack::search", 0, true);
    load(&meeting, "github::search", 0, true);
    assert_int_equal(deft_session_end_turn(meeting.session), 2);
    test_meeting_expect_visible(&meeting, FILES);
    assert_int_equal(deft_session_end_turn(meeting.session), 0);
    load(&meeting, "github::search", 0, true); // deferred again, and found again
    test_meeting_expect_visible(&meeting, FILES " *github::search");
    test_meeting_clear(&meeting);
}

static void compaction_defers_again(void **state)
{
    (void)state;
    const deft_view names[] = {
        DEFT_VIEW_INIT("github::create_issue"), // an id
        DEFT_VIEW_INIT("slack__send_message"),  // a wire name
        DEFT_VIEW_INIT("search"),               // a bare name, of two servers
        DEFT_VIEW_INIT("files::read_file"),     // not loaded, but visible from the start
        DEFT_VIEW_INIT("slack::list_channels"), // not loaded
        DEFT_VIEW_INIT("nobody"),               // unknown
        DEFT_VIEW_INIT(""),
    };
    test_meeting meeting;
    begin(&meeting, true);
    load(&meeting, "github::create_issue", 0, true);
    load(&meeting, "github::list_issues", 0, true);
    load(&meeting, "slack::send_message", 0, true);
    load(&meeting, "slack::search", 0, true);
    load(&meeting, "github::search", 0, true);
    assert_int_equal(deft_session_report_compaction(meeting.session, names, array_size(names)), 4);
    test_meeting_expect_visible(&meeting, FILES " *github::list_issues");
    assert_int_equal(deft_session_report_compaction(meeting.session, names, array_size(names)), 0);
    assert_int_equal(deft_session_report_compaction(meeting.session, NULL, 0), 0);
    load(&meeting, "slack::search", 0, true);
    test_meeting_expect_visible(&meeting, FILES " *github::list_issues *slack::search");
    test_meeting_clear(&meeting);
}

static void servers_come_and_go(void **state)
{
    (void)state;
    test_meeting meeting;
    test_scene   scenes[4];
    begin(&meeting, true);
    load(&meeting, "slack::search", 0, true);

    // slack goes: its tool stays in the list, marked. files has one tool more: appended.
    plan(&scenes[0], "read_file write_file move_it", "create_issue", NULL);
    update(&meeting, &scenes[0]);
    test_meeting_expect_visible(&meeting, FILES " -slack::search files::move_it");

    // slack comes back: it is the loaded tool it was, in its place.
    plan(&scenes[1], "move_it read_file write_file", "create_issue", "other search");
    update(&meeting, &scenes[1]);
    test_meeting_expect_visible(&meeting, FILES " *slack::search files::move_it");

    // Everything goes.
    plan(&scenes[2], NULL, NULL, NULL);
    update(&meeting, &scenes[2]);
    test_meeting_expect_visible(
        &meeting, "-files::read_file -files::write_file -slack::search -files::move_it");
    const deft_view names[] = {DEFT_VIEW_INIT("search")};
    assert_int_equal(deft_session_report_compaction(meeting.session, names, 1), 1);

    // A reset is a new start.
    deft_error error = DEFT_ERROR_INIT;
    plan(&scenes[3], "write_file", NULL, "search");
    assert_ok(deft_session_reset(meeting.session, scenes[3].plan, &error), error);
    test_meeting_expect_visible(&meeting, "files::write_file");
    assert_ptr_equal(deft_session_plan(meeting.session), scenes[3].plan);

    test_meeting_clear(&meeting);
    for (size_t i = 0; i < array_size(scenes); i++) {
        test_scene_clear(&scenes[i]);
    }
}

static void a_decision_never_hides_what_is_seen(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_error   error = DEFT_ERROR_INIT;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.mode           = DEFT_MODE_OFF;
    meeting.scene.settings.is_loaded_kept = false;
    test_meeting_start(&meeting);
    size_t before = 0;
    size_t after  = 0;
    deft_session_visible(meeting.session, &before);
    assert_int_equal(before, 8);
    const uint64_t hash = deft_session_prefix_hash(meeting.session, before);

    // A new decision defers nearly everything; what the model has, it keeps, also past a turn.
    meeting.scene.settings.mode = DEFT_MODE_ON;
    test_scene_plan(&meeting.scene);
    assert_ok(deft_session_update(meeting.session, meeting.scene.plan, &error), error);
    assert_int_equal(deft_session_end_turn(meeting.session), 0);
    deft_session_visible(meeting.session, &after);
    assert_int_equal(after, before);
    assert_int_equal(deft_session_prefix_hash(meeting.session, before), hash);

    // Until it asks.
    assert_ok(deft_session_reset(meeting.session, meeting.scene.plan, &error), error);
    test_meeting_expect_visible(&meeting, FILES);

    // And what the plan shows is no longer merely loaded: no turn takes it away.
    load(&meeting, "slack::search", 0, true);
    meeting.scene.settings.mode = DEFT_MODE_OFF;
    test_scene_plan(&meeting.scene);
    assert_ok(deft_session_update(meeting.session, meeting.scene.plan, &error), error);
    assert_int_equal(deft_session_end_turn(meeting.session), 0);
    test_meeting_expect_visible(&meeting,
                                FILES " slack::search github::create_issue github::list_issues "
                                      "github::search slack::send_message slack::list_channels");
    test_meeting_clear(&meeting);
}

static void write_tools(const test_meeting *meeting, deft_form form, deft_naming naming,
                        deft_buffer *out)
{
    deft_buffer_init(out, NULL);
    assert_int_equal(deft_session_write_tools(meeting->session, form, naming, out), DEFT_OK);
}

static void a_changed_definition_keeps_its_old_bytes(void **state)
{
    (void)state;
    test_meeting meeting;
    test_scene   later;
    deft_buffer  before;
    deft_buffer  after;
    deft_error   error = DEFT_ERROR_INIT;
    begin(&meeting, true);
    load(&meeting, "github::create_issue", 0, true);
    write_tools(&meeting, DEFT_FORM_MCP, DEFT_NAMING_PLAIN, &before);
    const uint64_t hash = deft_session_prefix_hash(meeting.session, 3);

    plan(&later, "read_file write_file", "create_issue", NULL); // other descriptions and schemas
    update(&meeting, &later);
    write_tools(&meeting, DEFT_FORM_MCP, DEFT_NAMING_PLAIN, &after);
    assert_true(deft_view_equal(deft_buffer_view(&before), deft_buffer_view(&after)));
    assert_int_equal(deft_session_prefix_hash(meeting.session, 3), hash);
    assert_true(
        deft_session_is_loaded(meeting.session, test_scene_tool(&later, "github::create_issue")));
    deft_buffer_clear(&after);

    // The old catalogs are kept as long as their bytes are, and not longer.
    test_scene_clear(&meeting.scene);
    test_scene_init(&meeting.scene, DEFT_PRESET_DEFT);
    write_tools(&meeting, DEFT_FORM_MCP, DEFT_NAMING_PLAIN, &after);
    assert_true(deft_view_equal(deft_buffer_view(&before), deft_buffer_view(&after)));

    assert_ok(deft_session_reset(meeting.session, later.plan, &error), error);
    assert_int_not_equal(deft_session_prefix_hash(meeting.session, 3), hash);
    deft_buffer_clear(&after);
    deft_buffer_clear(&before);
    test_meeting_clear(&meeting);
    test_scene_clear(&later);
}

static void bytes_already_sent_stay(void **state)
{
    (void)state;
    static const deft_form forms[] = {DEFT_FORM_MCP, DEFT_FORM_OPENAI, DEFT_FORM_ANTHROPIC};
    for (size_t i = 0; i < array_size(forms); i++) {
        test_meeting meeting;
        deft_buffer  before;
        deft_buffer  after;
        begin(&meeting, true);
        const uint64_t hash = deft_session_prefix_hash(meeting.session, 2);
        assert_int_equal(deft_session_prefix_hash(meeting.session, 100), hash);
        assert_int_not_equal(deft_session_prefix_hash(meeting.session, 1), hash);
        write_tools(&meeting, forms[i], DEFT_NAMING_WIRE, &before);
        load(&meeting, "slack::search", 0, true);
        write_tools(&meeting, forms[i], DEFT_NAMING_WIRE, &after);
        // All but the closing bracket.
        assert_true(deft_view_starts_with(deft_buffer_view(&after),
                                          deft_view_make(before.data, before.size - 1)));
        assert_int_equal(deft_session_prefix_hash(meeting.session, 2), hash);
        deft_buffer_clear(&after);
        deft_buffer_clear(&before);
        test_meeting_clear(&meeting);
    }
}

static void nothing_visible_is_an_empty_list(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  out;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.server_rule_count = 0;
    test_meeting_start(&meeting);
    test_meeting_expect_visible(&meeting, FILES); // these are in the core set
    meeting.scene.settings.is_core_tools_set = true;
    test_scene_plan(&meeting.scene);
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft_session_reset(meeting.session, meeting.scene.plan, &error), error);
    write_tools(&meeting, DEFT_FORM_MCP, DEFT_NAMING_ID, &out);
    assert_view_equal(deft_buffer_view(&out), "[]");
    deft_buffer_clear(&out);
    test_meeting_clear(&meeting);
}

// Many tools: nothing here may take more than linear time.
static void many_tools(void **state)
{
    (void)state;
    test_scene  scene;
    test_scene  again;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer names;
    deft_buffer_init(&names, NULL);
    for (uint64_t i = 0; i < 20000; i++) {
        deft_buffer_append_text(&names, i > 0 ? " t" : "t");
        deft_buffer_append_u64(&names, i);
    }
    deft_buffer_append_byte(&names, '\0');
    plan(&scene, NULL, names.data, names.data);
    plan(&again, NULL, names.data, names.data);
    deft_session *session = deft_session_new(scene.plan, &scene.settings, NULL, &error);
    assert_non_null(session);
    for (uint32_t i = 0; i < 40000; i++) {
        assert_ok(deft_session_load(session, (deft_tool_id){i}, 0, NULL, &error), error);
    }
    assert_ok(deft_session_update(session, again.plan, &error), error);
    size_t count = 0;
    deft_session_visible(session, &count);
    assert_int_equal(count, 40000);
    deft_buffer saved;
    deft_buffer_init(&saved, NULL);
    assert_int_equal(deft_session_save(session, &saved), DEFT_OK);
    deft_session *restored = deft_session_restore(scene.plan, &scene.settings,
                                                  deft_buffer_view(&saved), NULL, NULL, &error);
    assert_non_null(restored);
    deft_session_visible(restored, &count);
    assert_int_equal(count, 40000);
    deft_buffer_clear(&saved);
    deft_session_free(restored);
    deft_session_free(session);
    deft_buffer_clear(&names);
    test_scene_clear(&again);
    test_scene_clear(&scene);
}

typedef struct two_plans {
    test_scene first;
    test_scene second;
} two_plans;

static bool try_session(const deft_allocator *allocator, void *context)
{
    const two_plans *plans = context;
    deft_error       error = DEFT_ERROR_INIT;
    deft_session    *session =
        deft_session_new(plans->first.plan, &plans->first.settings, allocator, &error);
    deft_buffer out;
    deft_buffer_init(&out, allocator);
    deft_status status = session != NULL ? DEFT_OK : error.status;
    if (status == DEFT_OK && deft_session_record_search(session, deft_view_of("x")) == 0) {
        status = DEFT_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; status == DEFT_OK && i < 10; i++) {
        status = deft_session_load(session, (deft_tool_id){i}, 1, NULL, &error);
    }
    if (status == DEFT_OK) {
        const uint64_t hash = deft_session_prefix_hash(session, 10);
        status              = deft_session_update(session, plans->second.plan, &error);
        assert_int_equal(deft_session_prefix_hash(session, 10), hash);
    }
    if (status == DEFT_OK) {
        status = deft_session_write_tools(session, DEFT_FORM_OPENAI, DEFT_NAMING_WIRE, &out);
        assert_true(status == DEFT_OK || out.size == 0);
    }
    if (status == DEFT_OK) {
        status = deft_session_reset(session, plans->second.plan, &error);
    }
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_buffer_clear(&out);
    deft_session_free(session);
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    two_plans plans;
    plan(&plans.first, "a b", "c d e f g", "h i j k l");
    plan(&plans.second, "b a", "d e", "i j k new");
    assert_true(test_every_allocation_fails(try_session, &plans) > 10);
    deft_session_free(NULL);
    test_scene_clear(&plans.second);
    test_scene_clear(&plans.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_tools_are_appended),
        cmocka_unit_test(what_cannot_be_loaded),
        cmocka_unit_test(keepLoadedTools),
        cmocka_unit_test(compaction_defers_again),
        cmocka_unit_test(servers_come_and_go),
        cmocka_unit_test(a_decision_never_hides_what_is_seen),
        cmocka_unit_test(a_changed_definition_keeps_its_old_bytes),
        cmocka_unit_test(bytes_already_sent_stay),
        cmocka_unit_test(nothing_visible_is_an_empty_list),
        cmocka_unit_test(many_tools),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
