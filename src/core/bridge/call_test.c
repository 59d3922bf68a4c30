// tool_call, unwrapped. Proves D3, D4 and a part of D2.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *called;
    const char *arguments;
    const char *tool;
    const char *unwrapped; // arguments
} cases[] = {
    {"as it should be", "tool_call",
     "{\"tool_name\":\"github::create_issue\",\"tool_args\":{\"repo\": \"a/b\", \"n\":1e400}}",
     "github::create_issue", "{\"repo\": \"a/b\", \"n\":1e400}"},
    {"a wire name", "tool_call", "{\"tool_name\":\"github__create_issue\",\"tool_args\":{}}",
     "github::create_issue", "{}"},
    {"a name as hosts write it", "tool_call",
     "{\"tool_name\":\"mcp__github__create_issue\",\"tool_args\":{}}", "github::create_issue",
     "{}"},
    {"a unique bare name", "tool_call", "{\"tool_name\":\"create_issue\",\"tool_args\":{}}",
     "github::create_issue", "{}"},
    {"a pinned tool works too", "tool_call",
     "{\"tool_name\":\"files::read_file\",\"tool_args\":{\"path\":\"x\"}}", "files::read_file",
     "{\"path\":\"x\"}"},
    {"no arguments", "tool_call", "{\"tool_name\":\"slack::search\"}", "slack::search", "{}"},
    {"null for arguments", "tool_call", "{\"tool_name\":\"slack::search\",\"tool_args\":null}",
     "slack::search", "{}"},
    {"an empty text for arguments", "tool_call",
     "{\"tool_name\":\"slack::search\",\"tool_args\":\"\"}", "slack::search", "{}"},
    {"arguments as text", "tool_call",
     "{\"tool_name\":\"slack::search\",\"tool_args\":\"{\\\"q\\\": \\\"x\\\"}\"}", "slack::search",
     "{\"q\": \"x\"}"},
    {"all of it as text", "tool_call",
     "\"{\\\"tool_name\\\":\\\"slack::search\\\",\\\"tool_args\\\":{\\\"q\\\":1}}\"",
     "slack::search", "{\"q\":1}"},
    {"another word for arguments", "tool_call",
     "{\"name\":\"slack::search\",\"arguments\":{\"q\":1}}", "slack::search", "{\"q\":1}"},
    {"the bridge through itself", "tool_call",
     "{\"tool_name\":\"tool_call\",\"tool_args\":{\"tool_name\":\"slack::search\","
     "\"tool_args\":{\"q\":1}}}",
     "slack::search", "{\"q\":1}"},
    {"through itself, as hosts write it, and as text", "tool_call",
     "{\"tool_name\":\"mcp__deft__tool_call\",\"tool_args\":\"{\\\"tool_name\\\":\\\"slack::search"
     "\\\",\\\"tool_args\\\":{\\\"q\\\":1}}\"}",
     "slack::search", "{\"q\":1}"},
    {"arguments beside the name", "tool_call",
     "{\"a\\u0062\":1,\"tool_name\":\"slack::search\",\"q\":[1, 2]}", "slack::search",
     "{\"a\\u0062\":1,\"q\":[1, 2]}"},
    {"the name among the arguments", "tool_call",
     "{\"tool_args\":{\"tool_name\":\"slack::search\",\"q\":1}}", "slack::search", "{\"q\":1}"},
    {"the whole call among the arguments", "tool_call",
     "{\"tool_args\":{\"tool_name\":\"slack::search\",\"tool_args\":{\"q\":1}}}", "slack::search",
     "{\"q\":1}"},
    {"the name as the only member", "tool_call", "{\"slack::search\":{\"q\":1}}", "slack::search",
     "{\"q\":1}"},
    {"called directly", "slack::search", "{\"q\":1}", "slack::search", "{\"q\":1}"},
    {"called directly by wire name", "slack__search", "{\"q\":1}", "slack::search", "{\"q\":1}"},
    {"called directly without anything", "slack__search", "", "slack::search", "{}"},
    {"called directly with the bridge's arguments", "slack__send_message",
     "{\"tool_name\":\"slack::send_message\",\"tool_args\":{\"text\":\"x\"}}",
     "slack::send_message", "{\"text\":\"x\"}"},
    {"but a tool may mean these names itself", "github__search",
     "{\"tool_name\":\"github::search\",\"tool_args\":{\"text\":\"x\"}}", "github::search",
     "{\"tool_name\":\"github::search\",\"tool_args\":{\"text\":\"x\"}}"},
    {"or speak of another tool", "slack__send_message",
     "{\"tool_name\":\"slack::search\",\"tool_args\":{\"text\":\"x\"}}", "slack::send_message",
     "{\"tool_name\":\"slack::search\",\"tool_args\":{\"text\":\"x\"}}"},
};

static void the_real_tool_and_its_arguments(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_meeting meeting;
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        meeting.scene.settings.is_argument_checked = false; // fit_test.c has that
        test_meeting_start(&meeting);
        const deft_tool_id tool       = test_scene_tool(&meeting.scene, cases[i].tool);
        const bool         is_visible = deft_session_is_visible(meeting.session, tool);
        assert_int_equal(test_meeting_call(&meeting, cases[i].called, cases[i].arguments), DEFT_OK);
        assert_int_equal(meeting.call.tool.index, tool.index);
        assert_view_equal(deft_buffer_view(&meeting.call.arguments), cases[i].unwrapped);

        // Never searched for, loaded all the same, and marked: no search did it.
        assert_true(deft_session_is_visible(meeting.session, tool));
        assert_int_equal(deft_session_is_loaded(meeting.session, tool), !is_visible);
        assert_int_equal(meeting.answer.loaded_count, is_visible ? 0 : 1);
        size_t                count = 0;
        const deft_seen_tool *seen  = deft_session_visible(meeting.session, &count);
        assert_int_equal(seen[count - 1].search, 0);
        test_meeting_clear(&meeting);
    }
}

static const struct {
    const char *name;
    const char *called;
    const char *arguments;
    deft_status status;
    const char *text;
} refusals[] = {
    {"a near miss", "tool_call", "{\"tool_name\":\"github::create_isue\"}", DEFT_NOT_FOUND,
     "No tool is called 'github::create_isue'. The closest name is github::create_issue. Find "
     "tools with tool_search."},
    {"a near miss, called directly", "create_isue", "{}", DEFT_NOT_FOUND,
     "The closest name is github::create_issue."},
    {"nothing near", "tool_call", "{\"tool_name\":\"zebra\"}", DEFT_NOT_FOUND,
     "No tool is called 'zebra'. Find tools with tool_search."},
    {"a name of two servers", "tool_call", "{\"tool_name\":\"search\"}", DEFT_CONFLICT,
     "say which one by its id: github::search, slack::search."},
    {"no name", "tool_call", "{\"tool_args\":{\"q\":1}}", DEFT_INVALID,
     "'tool_name' was not given. Send {\"tool_name\": \"server::tool\", \"tool_args\": {...}}"},
    {"nothing", "tool_call", "", DEFT_INVALID, "'tool_name' was not given."},
    {"a name that is no text", "tool_call", "{\"tool_name\":7}", DEFT_INVALID,
     "'tool_name' is a number, it must be a string."},
    {"arguments that are a list", "tool_call",
     "{\"tool_name\":\"slack::search\",\"tool_args\":[1]}", DEFT_INVALID,
     "The arguments are an array, not an object."},
    {"arguments that are a number", "slack::search", "5", DEFT_INVALID,
     "The arguments are a number, not an object."},
    {"arguments that are no JSON", "tool_call", "{\"tool_name\"", DEFT_INVALID,
     "The arguments are not valid JSON"},
    {"arguments as text that is no JSON", "tool_call",
     "{\"tool_name\":\"slack::search\",\"tool_args\":\"q=1\"}", DEFT_INVALID,
     "The arguments are not valid JSON"},
    {"the search tool through the call tool", "tool_call",
     "{\"tool_name\":\"tool_search\",\"tool_args\":{\"query\":\"x\"}}", DEFT_INVALID,
     "'tool_search' is called directly, not through 'tool_call'."},
    {"nested without end", "tool_call",
     "{\"tool_args\":{\"tool_args\":{\"tool_args\":{\"tool_args\":{\"tool_args\":{\"tool_args\":{"
     "\"tool_args\":{\"tool_args\":{\"tool_args\":{\"tool_args\":{}}}}}}}}}}}",
     DEFT_INVALID, "The call is wrapped more than 8 times, or has no 'tool_name'."},
};

static void what_is_refused_says_what_is_near(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(refusals); i++) {
        case_name(refusals[i].name);
        assert_int_equal(test_meeting_call(&meeting, refusals[i].called, refusals[i].arguments),
                         refusals[i].status);
        assert_true(meeting.answer.is_error);
        assert_true(test_answer_has(&meeting.answer, refusals[i].text));
        assert_true(meeting.answer.structured.size > 0);
        assert_int_equal(meeting.call.arguments.size, 0);
    }
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file");
    test_meeting_clear(&meeting);
}

static void a_tool_that_is_gone_is_told_of(void **state)
{
    (void)state;
    test_meeting meeting;
    test_scene   later;
    deft_error   error = DEFT_ERROR_INIT;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"tool_id\":\"slack::search\"}");
    test_scene_init(&later, DEFT_PRESET_DEFT);
    test_scene_add(&later, "github", DEFT_SERVER_MCP, "create_issue");
    test_scene_plan(&later);
    assert_ok(deft_session_update(meeting.session, later.plan, &error), error);
    assert_int_equal(test_meeting_call(&meeting, "slack__search", "{}"), DEFT_NOT_FOUND);
    assert_true(test_answer_has(
        &meeting.answer,
        "The tool 'slack__search' is no longer there: its server is gone or dropped it."));
    // Nothing is deferred now, so there is nothing to search for.
    assert_true(test_answer_lacks(&meeting.answer, "Find tools with"));
    test_meeting_clear(&meeting);
    test_scene_clear(&later);
}

static void what_is_restricted_is_not_there(void **state)
{
    (void)state;
    const deft_view        servers[]   = {DEFT_VIEW_INIT("slack"), DEFT_VIEW_INIT("f*")};
    const deft_view        tools[]     = {DEFT_VIEW_INIT("*::read_*"), DEFT_VIEW_INIT("search")};
    const deft_restriction restriction = {.servers      = servers,
                                          .server_count = array_size(servers),
                                          .tools        = tools,
                                          .tool_count   = array_size(tools)};
    test_meeting           meeting;
    deft_buffer            saved;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"select:list_channels,list_issues,slack::search\"}");
    deft_buffer_init(&saved, NULL);
    assert_int_equal(deft_session_save(meeting.session, &saved), DEFT_OK);
    test_meeting_restore(&meeting, deft_buffer_view(&saved), &restriction);
    test_meeting_expect_visible(&meeting, "files::read_file *slack::search");

    // Not by search, not by name, not by a hint; and a bare name is clear now.
    test_meeting_search(&meeting, "{\"query\":\"list issues channels create\"}");
    assert_int_equal(meeting.answer.found_count, 0);
    assert_true(test_answer_lacks(&meeting.answer, "issue."));
    assert_true(test_answer_lacks(&meeting.answer, "::list_"));
    test_meeting_search(&meeting, "{\"tool_id\":\"github::create_issue\"}");
    assert_true(test_answer_has(&meeting.answer, "No tool is called 'github::create_issue'."));
    assert_true(test_answer_lacks(&meeting.answer, "closest"));
    test_meeting_search(&meeting, "{\"query\":\"select:github::create_issue\"}");
    assert_int_equal(meeting.answer.found_count, 0);
    test_meeting_describe(&meeting, "{\"tool_name\":\"github::create_issue\"}");
    assert_true(test_answer_has(&meeting.answer, "No tool is called 'github::create_issue'."));
    assert_int_equal(test_meeting_call(&meeting, "github::create_issue", "{}"), DEFT_NOT_FOUND);
    assert_true(test_answer_has(&meeting.answer, "No tool is called 'github::create_issue'."));
    assert_int_equal(test_meeting_call(&meeting, "list_channels", "{}"), DEFT_NOT_FOUND);
    assert_int_equal(test_meeting_call(&meeting, "write_file", "{}"), DEFT_NOT_FOUND);
    assert_int_equal(test_meeting_call(&meeting, "search", "{}"), DEFT_OK);
    test_meeting_expect_visible(&meeting, "files::read_file *slack::search");

    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(deft_session_load(meeting.session,
                                       test_scene_tool(&meeting.scene, "github::list_issues"), 0,
                                       NULL, &error),
                     DEFT_NOT_FOUND);
    deft_buffer_clear(&saved);
    test_meeting_clear(&meeting);
}

static bool try_call(const deft_allocator *allocator, void *context)
{
    static const char *const arguments[] = {
        ("{\"tool_name\":\"tool_call\",\"tool_args\":\"{\\\"tool_name\\\":\\\"slack::search\\\","
         "\\\"q\\\":1}\"}"),
        "{\"slack::se\\u0061rch\":{\"q\":1}}",
        "{\"tool_name\":\"slack::list_channels\"}",
    };
    test_meeting *meeting = context;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_session *session =
        deft_session_new(meeting->scene.plan, &meeting->scene.settings, allocator, &error);
    deft_status status = session != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    deft_answer answer;
    deft_call   call;
    deft_answer_init(&answer, allocator);
    deft_call_init(&call, allocator);
    for (size_t i = 0; status == DEFT_OK && i < array_size(arguments); i++) {
        status = deft_bridge_call(session, &meeting->scene.settings, deft_view_of("tool_call"),
                                  deft_view_of(arguments[i]), &call, &answer, &error);
    }
    if (status == DEFT_OK) {
        status = deft_bridge_call(session, &meeting->scene.settings, deft_view_of("nobody"),
                                  deft_view_of("{}"), &call, &answer, &error);
        status = status == DEFT_NOT_FOUND ? DEFT_OK : status;
    }
    if (status == DEFT_OK) {
        status = deft_bridge_call(session, &meeting->scene.settings, deft_view_of("search"),
                                  deft_view_of("{}"), &call, &answer, &error);
        status = status == DEFT_CONFLICT ? DEFT_OK : status;
    }
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_call_clear(&call);
    deft_answer_clear(&answer);
    deft_session_free(session);
    return status == DEFT_OK;
}

static const struct {
    const char *name;
    const char *called;
    const char *arguments;
    const char *asked;
} asked_for[] = {
    {"a tool", "tool_call", "{\"tool_name\":\"slack__search\"}", "slack::search"},
    {"a tool with wrong arguments", "slack::search", "5", "slack::search"},
    {"no tool", "tool_call", "{\"tool_name\":\"zebra\"}", "zebra"},
    {"no tool, directly", "zebra", "{}", "zebra"},
    {"several tools", "tool_call", "{\"tool_name\":\"search\"}", "search"},
    {"no name", "tool_call", "{}", "tool_call"},
};

static void what_was_asked_for_is_known_also_when_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(asked_for); i++) {
        print_message("  %s\n", asked_for[i].name);
        test_meeting meeting;
        deft_error   error = DEFT_ERROR_INIT;
        deft_call    call;
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        test_meeting_start(&meeting);
        deft_call_init(&call, NULL);
        (void)deft_bridge_call(
            meeting.session, &meeting.scene.settings, deft_view_of(asked_for[i].called),
            deft_view_of(asked_for[i].arguments), &call, &meeting.answer, &error);
        assert_view_equal(deft_buffer_view(&call.asked), asked_for[i].asked);
        deft_call_clear(&call);
        test_meeting_clear(&meeting);
    }
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    assert_true(test_every_allocation_fails(try_call, &meeting) > 10);
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_tool_and_its_arguments),
        cmocka_unit_test(what_is_refused_says_what_is_near),
        cmocka_unit_test(a_tool_that_is_gone_is_told_of),
        cmocka_unit_test(what_is_restricted_is_not_there),
        cmocka_unit_test(what_was_asked_for_is_known_also_when_refused),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
