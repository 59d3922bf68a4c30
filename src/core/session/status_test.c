// What a session says about itself. Proves D6 and a part of B5.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"

#include "json/reader.h"

static bool has(deft_view whole, const char *part)
{
    const deft_view wanted = deft_view_of(part);
    for (size_t i = 0; i + wanted.size <= whole.size; i++) {
        if (deft_view_equal(deft_view_slice(whole, i, wanted.size), wanted)) {
            return true;
        }
    }
    print_error("not there: \"%s\"\n%.*s\n", part, (int)whole.size, whole.data);
    return false;
}

static void begin(test_meeting *meeting)
{
    test_meeting_init(meeting, DEFT_PRESET_DEFT);
    meeting->scene.settings.token_family = DEFT_TOKENS_CHARS4;
    test_meeting_start(meeting);
}

static const char *const active_lines[] = {
    "Tool search is active: ",
    "Thresholds: 10 % of 200000 tokens (20000)\n",
    "Measured: 6 tools, ",
    "Visible: 4 tools, ",
    "Deferred: 4 tools, ",
    "Listing: level full, ",
    " of 6 deferred tools\n",
    "Searches: 1; turns ended: 1; loaded tools are kept\n",
    "\nfiles: 2 upfront, 0 loaded, 0 deferred\n",
    "\ngithub: 0 upfront, 1 loaded, 2 deferred\n  create_issue: search 1 \"create the issue\"\n",
    "\nslack: 0 upfront, 1 loaded, 2 deferred\n  search: direct call\n",
};

static void status_for_a_person(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  out;
    begin(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"create the\\u001b\\nissue\",\"max_results\":1}");
    assert_int_equal(test_meeting_call(&meeting, "slack::search", "{}"), DEFT_OK);
    deft_session_end_turn(meeting.session);
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_session_write_status(meeting.session, &out), DEFT_OK);
    for (size_t i = 0; i < array_size(active_lines); i++) {
        assert_true(has(deft_buffer_view(&out), active_lines[i]));
    }
    deft_buffer_clear(&out);
    test_meeting_clear(&meeting);
}

static uint64_t number(deft__json_value object, const char *name)
{
    uint64_t value = 0;
    assert_int_equal(deft__json_uint64(deft__json_member(object, name), &value), DEFT_OK);
    return value;
}

static deft__json_value item(deft__json_value array, size_t place)
{
    deft__json_iterator i = deft__json_iterate(array);
    for (size_t at = 0; at <= place; at++) {
        assert_true(deft__json_next(&i));
    }
    return i.value;
}

static void status_for_a_program(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  out;
    deft__json   document;
    deft_error   error = DEFT_ERROR_INIT;
    begin(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"create issue\",\"max_results\":1}");
    deft_session_end_turn(meeting.session);
    deft_buffer_init(&out, NULL);
    deft__json_init(&document, NULL);
    assert_int_equal(deft_session_write_status_json(meeting.session, &out), DEFT_OK);
    assert_ok(deft__json_parse(&document, deft_buffer_view(&out), NULL, &error), error);

    const deft__json_value root = deft__json_root(&document);
    assert_true(deft__json_is(deft__json_member(root, "active"), DEFT__JSON_TRUE));
    assert_view_equal(deft__json_raw(deft__json_member(root, "cause")), "\"mode-on\"");
    assert_true(deft__json_is(deft__json_member(root, "reason"), DEFT__JSON_STRING));
    assert_view_equal(
        deft__json_raw(deft__json_member(root, "thresholds")),
        "{\"characters\":null,\"tokens\":null,\"percent\":10,\"percentTokens\":20000}");
    const deft_plan_summary *summary  = deft_plan_summary_of(meeting.scene.plan);
    const deft__json_value   measured = deft__json_member(root, "measured");
    assert_int_equal(number(measured, "tools"), summary->deferrable_count);
    assert_int_equal(number(measured, "tokens"), summary->measured.tokens);
    assert_int_equal(number(measured, "characters"), summary->measured.characters);
    const deft__json_value visible  = deft__json_member(root, "visible");
    const deft__json_value deferred = deft__json_member(root, "deferred");
    assert_int_equal(number(visible, "tools"), 3);
    assert_int_equal(number(deferred, "tools"), 5);
    assert_int_equal(number(visible, "tokens") + number(deferred, "tokens"), summary->total.tokens);
    assert_int_equal(number(root, "loaded"), 1);
    assert_int_equal(number(root, "turns"), 1);
    assert_int_equal(number(root, "searchCount"), 1);
    assert_int_equal(number(deft__json_member(root, "listing"), "tools"), 6);
    assert_view_equal(deft__json_raw(deft__json_member(root, "searches")),
                      "[{\"number\":1,\"query\":\"create issue\"}]");
    assert_view_equal(deft__json_raw(deft__json_member(root, "gone")), "[]");
    assert_view_equal(deft__json_raw(item(deft__json_member(root, "servers"), 1)),
                      "{\"name\":\"github\",\"upfront\":0,\"deferred\":2,"
                      "\"loaded\":[{\"id\":\"github::create_issue\",\"search\":1}]}");
    deft__json_clear(&document);
    deft_buffer_clear(&out);
    test_meeting_clear(&meeting);
}

static void status_when_not_active(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  out;
    test_meeting_init(&meeting, DEFT_PRESET_PIZZAPI);
    meeting.scene.settings.mode             = DEFT_MODE_OFF;
    meeting.scene.settings.threshold_tokens = (deft_threshold){true, 7};
    meeting.scene.settings.is_loaded_kept   = false;
    test_meeting_start(&meeting);
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_session_write_status(meeting.session, &out), DEFT_OK);
    assert_true(has(deft_buffer_view(&out), "Tool search is inactive: "));
    assert_true(has(deft_buffer_view(&out), "Thresholds: 10000 characters, 7 tokens\n"));
    assert_true(has(deft_buffer_view(&out), "Listing: level none, 0 tokens, names 0 of 0"));
    assert_true(has(deft_buffer_view(&out), "dropped at the end of a turn\n"));
    deft_buffer_reset(&out);
    assert_int_equal(deft_session_write_status_json(meeting.session, &out), DEFT_OK);
    assert_true(has(deft_buffer_view(&out), "\"active\":false"));
    assert_true(has(deft_buffer_view(&out), "\"characters\":10000,\"tokens\":7,\"percent\":null"));
    deft_buffer_clear(&out);
    test_meeting_clear(&meeting);
}

static void thresholds_are_told_exactly(void **state)
{
    (void)state;
    static const struct {
        uint64_t    permyriad;
        const char *text;
    } cases[] = {
        {1, "Thresholds: 0.01 % of"},
        {110, "Thresholds: 1.1 % of"},
        {1234, "Thresholds: 12.34 % of"},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        test_meeting meeting;
        deft_buffer  out;
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        meeting.scene.settings.threshold_permyriad.value = cases[i].permyriad;
        test_meeting_start(&meeting);
        deft_buffer_init(&out, NULL);
        assert_int_equal(deft_session_write_status(meeting.session, &out), DEFT_OK);
        assert_true(has(deft_buffer_view(&out), cases[i].text));
        deft_buffer_clear(&out);
        test_meeting_clear(&meeting);
    }
}

static void what_is_gone_and_what_is_forbidden(void **state)
{
    (void)state;
    const deft_view        servers[]   = {DEFT_VIEW_INIT("slack"), DEFT_VIEW_INIT("new")};
    const deft_restriction restriction = {.servers = servers, .server_count = array_size(servers)};
    test_meeting           meeting;
    test_scene             later;
    deft_buffer            saved;
    deft_buffer            out;
    deft_error             error = DEFT_ERROR_INIT;
    begin(&meeting);
    assert_int_equal(test_meeting_call(&meeting, "slack::search", "{}"), DEFT_OK);
    assert_int_equal(test_meeting_call(&meeting, "slack::list_channels", "{}"), DEFT_OK);
    deft_buffer_init(&saved, NULL);
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_session_save(meeting.session, &saved), DEFT_OK);
    test_meeting_restore(&meeting, deft_buffer_view(&saved), &restriction);
    test_scene_init(&later, DEFT_PRESET_DEFT);
    test_scene_add(&later, "github", DEFT_SERVER_MCP, "create_issue");
    test_scene_add(&later, "new", DEFT_SERVER_MCP, "tool");
    test_scene_plan(&later);
    assert_ok(deft_session_update(meeting.session, later.plan, &error), error);

    assert_int_equal(deft_session_write_status(meeting.session, &out), DEFT_OK);
    assert_true(has(deft_buffer_view(&out),
                    "Gone, but still in the list: slack::search, slack::list_channels\n"));
    assert_true(has(deft_buffer_view(&out), "\n\nnew: 1 upfront, 0 loaded, 0 deferred\n"));
    assert_true(has(deft_buffer_view(&out), "Tool search is not active.\n"));
    assert_false(has(deft_buffer_view(&out), "Measured"));
    deft_buffer_reset(&out);
    assert_int_equal(deft_session_write_status_json(meeting.session, &out), DEFT_OK);
    assert_true(
        has(deft_buffer_view(&out), "\"gone\":[\"slack::search\",\"slack::list_channels\"]"));
    assert_true(has(deft_buffer_view(&out), "\"servers\":[{\"name\":\"new\""));
    deft_buffer_clear(&out);
    deft_buffer_clear(&saved);
    test_meeting_clear(&meeting);
    test_scene_clear(&later);
}

static bool try_status(const deft_allocator *allocator, void *context)
{
    const test_meeting *meeting = context;
    deft_error          error   = DEFT_ERROR_INIT;
    deft_session       *session =
        deft_session_new(meeting->scene.plan, &meeting->scene.settings, allocator, &error);
    deft_buffer out;
    deft_buffer_init(&out, allocator);
    deft_status status = session != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    if (status == DEFT_OK) {
        status = deft_session_load(session, (deft_tool_id){3}, 0, NULL, &error);
    }
    if (status == DEFT_OK) {
        status = deft_session_write_status(session, &out);
        assert_true(status == DEFT_OK || out.size == 0);
    }
    if (status == DEFT_OK) {
        const size_t size = out.size;
        status            = deft_session_write_status_json(session, &out);
        assert_true(status == DEFT_OK || out.size == size);
    }
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_buffer_clear(&out);
    deft_session_free(session);
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_meeting meeting;
    begin(&meeting);
    assert_true(test_every_allocation_fails(try_status, &meeting) > 5);
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_for_a_person),
        cmocka_unit_test(status_for_a_program),
        cmocka_unit_test(status_when_not_active),
        cmocka_unit_test(thresholds_are_told_exactly),
        cmocka_unit_test(what_is_gone_and_what_is_forbidden),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
