// Arguments are checked before the call, and a model that got them wrong is told how to get them
// right. Proves a part of D2 and D4.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"
#include "json/reader.h"

static const struct {
    const char *name;
    const char *tool;
    const char *arguments;
    const char *text; // at the start of the answer; NULL: it is called
} cases[] = {
    {"as it should be", "github::create_issue", "{\"repo\":\"a/b\",\"title\":\"x\"}", NULL},
    {"more than is known", "github::create_issue",
     "{\"repo\":\"a/b\",\"title\":\"x\",\"labels\":[]}", NULL},
    {"a wrong type", "github::create_issue", "{\"repo\":\"a/b\",\"title\":{}}",
     "The arguments do not fit github::create_issue. 'title' is an object; accepted: a string. The "
     "tool was not called; call it again with this set right.\n"
     "Input schema: "
     "{\"type\":\"object\",\"properties\":{\"repo\":{\"type\":\"string\",\"description\":"},
    {"a near name", "github::create_issue", "{\"repo\":\"a/b\",\"titel\":\"x\"}",
     "The arguments do not fit github::create_issue. 'title' is required and was not given; "
     "'titel' "
     "was given, did you mean 'title'? The tool was not called"},
    {"nothing at all", "slack::send_message", "{}",
     "The arguments do not fit slack::send_message. 'channel' is required and was not given. "
     "'text' "
     "is required and was not given. The tool"},
    {"a wrong word", "github::list_issues", "{\"state\":\"opne\"}",
     "The arguments do not fit github::list_issues. 'state' is \"opne\"; accepted: \"open\", "
     "\"closed\"; did you mean 'open'? The tool"},
    {"a schema without anything", "slack::list_channels", "{\"a\":1}", NULL},
};

static void arguments_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_meeting meeting;
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        test_meeting_start(&meeting);
        const deft_status status = test_meeting_call(&meeting, cases[i].tool, cases[i].arguments);
        if (cases[i].text == NULL) {
            assert_int_equal(status, DEFT_OK);
            assert_view_equal(deft_buffer_view(&meeting.call.arguments), cases[i].arguments);
        } else {
            assert_int_equal(status, DEFT_INVALID);
            assert_true(meeting.answer.is_error);
            assert_true(test_answer_has(&meeting.answer, cases[i].text));
            // Nothing has changed: what was not called is not loaded.
            test_meeting_expect_visible(&meeting, "files::read_file files::write_file");
            assert_int_equal(meeting.call.arguments.size, 0);
        }
        test_meeting_clear(&meeting);
    }
}

static void for_programs(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    assert_int_equal(
        test_meeting_call(&meeting, "github::create_issue", "{\"repo\":1,\"titel\":2}"),
        DEFT_INVALID);
    deft__json document;
    deft__json_init(&document, NULL);
    assert_int_equal(
        deft__json_parse(&document, deft_buffer_view(&meeting.answer.structured), NULL, NULL),
        DEFT_OK);
    const deft__json_value root = deft__json_root(&document);
    assert_true(deft__json_string_equals(deft__json_member(root, "tool"),
                                         deft_view_of("github::create_issue")));
    assert_view_equal(
        deft__json_raw(deft__json_member(root, "problems")),
        "[{\"path\":\"title\",\"message\":\"is required and was not given; 'titel' was "
        "given, did you mean 'title'?\",\"nearest\":\"titel\"},"
        "{\"path\":\"repo\",\"message\":\"is 1; accepted: a string\"}]");
    assert_true(deft__json_is(deft__json_member(root, "inputSchema"), DEFT__JSON_OBJECT));
    deft__json_clear(&document);
    test_meeting_clear(&meeting);
}

static void a_long_schema_is_left_to_describe(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.result_budget_tokens = 5;
    test_meeting_start(&meeting);
    assert_int_equal(test_meeting_call(&meeting, "github::create_issue", "{}"), DEFT_INVALID);
    assert_true(test_answer_has(&meeting.answer,
                                "Its schema is too long for an answer; see tool_describe."));
    assert_true(test_answer_lacks(&meeting.answer, "Input schema"));
    test_meeting_clear(&meeting);

    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.result_budget_tokens = 0; // no budget
    test_meeting_start(&meeting);
    assert_int_equal(test_meeting_call(&meeting, "github::create_issue", "{}"), DEFT_INVALID);
    assert_true(test_answer_has(&meeting.answer, "Input schema"));
    test_meeting_clear(&meeting);
}

static void a_text_that_is_wanted_stays_one(void **state)
{
    (void)state;
    for (int is_repaired = 0; is_repaired < 2; is_repaired++) {
        test_meeting meeting;
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        meeting.scene.settings.is_argument_repaired = is_repaired == 1;
        test_meeting_start(&meeting);
        assert_int_equal(
            test_meeting_call(&meeting, "files::write_file", "{\"path\":\"x\",\"text\":\"5\"}"),
            DEFT_OK);
        assert_view_equal(deft_buffer_view(&meeting.call.arguments),
                          "{\"path\":\"x\",\"text\":\"5\"}");
        assert_view_equal(deft_buffer_view(&meeting.call.repaired), "");
        test_meeting_clear(&meeting);
    }
}

static const char counting[] =
    "[{\"name\":\"count\",\"description\":\"Counts\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"from\":{\"type\":\"integer\"},\"is_fast\":{\"type\":\"boolean\"}}}}]";

static void what_models_do_wrong_is_set_right(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool        is_checked;
        bool        is_repaired;
        deft_status status;
        const char *arguments;
        const char *repaired;
    } asked[] = {
        {"set right", true, true, DEFT_OK, "{\"from\":5,\"is_fast\":true}", "'from', 'is_fast'"},
        {"set right without a check", false, true, DEFT_OK, "{\"from\":5,\"is_fast\":true}",
         "'from', 'is_fast'"},
        {"told only", true, false, DEFT_INVALID, "", ""},
        {"neither", false, false, DEFT_OK, "{\"from\":\"5\",\"is_fast\":\"True\"}", ""},
    };
    for (size_t i = 0; i < array_size(asked); i++) {
        test_meeting meeting;
        case_name(asked[i].name);
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        test_scene_add_json(&meeting.scene, "clock", DEFT_SERVER_MCP, counting);
        meeting.scene.settings.is_argument_checked  = asked[i].is_checked;
        meeting.scene.settings.is_argument_repaired = asked[i].is_repaired;
        test_meeting_start(&meeting);
        assert_int_equal(test_meeting_call(&meeting, "tool_call",
                                           "{\"tool_name\":\"clock::count\",\"tool_args\":"
                                           "{\"from\":\"5\",\"is_fast\":\"True\"}}"),
                         asked[i].status);
        assert_view_equal(deft_buffer_view(&meeting.call.arguments), asked[i].arguments);
        assert_view_equal(deft_buffer_view(&meeting.call.repaired), asked[i].repaired);
        test_meeting_clear(&meeting);
    }
}

static bool try_calls(const deft_allocator *allocator, void *context)
{
    static const struct {
        const char *tool;
        const char *arguments;
        deft_status status;
    } calls[] = {
        {"clock::count", "{\"from\":\"5\"}", DEFT_OK},
        {"github::create_issue", "{\"repo\":1,\"titel\":2}", DEFT_INVALID},
        {"github::list_issues", "{\"state\":\"opne\"}", DEFT_INVALID},
    };
    test_meeting *meeting = context;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_session *session =
        deft_session_new(meeting->scene.plan, &meeting->scene.settings, allocator, &error);
    bool        is_good = session != NULL;
    deft_answer answer;
    deft_call   call;
    deft_answer_init(&answer, allocator);
    deft_call_init(&call, allocator);
    for (size_t i = 0; is_good && i < array_size(calls); i++) {
        const deft_status status =
            deft_bridge_call(session, &meeting->scene.settings, deft_view_of(calls[i].tool),
                             deft_view_of(calls[i].arguments), &call, &answer, &error);
        assert_true(status == calls[i].status || status == DEFT_OUT_OF_MEMORY);
        is_good = status == calls[i].status;
    }
    deft_call_clear(&call);
    deft_answer_clear(&answer);
    deft_session_free(session);
    return is_good;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_scene_add_json(&meeting.scene, "clock", DEFT_SERVER_MCP, counting);
    test_meeting_start(&meeting);
    assert_true(test_every_allocation_fails(try_calls, &meeting) > 20);
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(for_programs),
        cmocka_unit_test(a_long_schema_is_left_to_describe),
        cmocka_unit_test(a_text_that_is_wanted_stays_one),
        cmocka_unit_test(what_models_do_wrong_is_set_right),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
