// callTools by-effect: a second call tool that reaches only what says of itself that it changes
// nothing, for clients that approve by the name of the tool. Proves D3.
#include "support/meeting.h"
#include "support/test.h"

static const char shelf[] =
    "[{\"name\":\"look\",\"description\":\"Look at a book.\",\"inputSchema\":{},"
    "\"annotations\":{\"readOnlyHint\":true}},"
    "{\"name\":\"burn\",\"description\":\"Burn a book.\",\"inputSchema\":{},"
    "\"annotations\":{\"readOnlyHint\":false}},"
    "{\"name\":\"odd\",\"description\":\"Burn and look at a book.\",\"inputSchema\":{},"
    "\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":true}},"
    "{\"name\":\"silent\",\"description\":\"A book that says nothing.\",\"inputSchema\":{}}]";

static void start(test_meeting *meeting, deft_call_tools tools)
{
    test_meeting_init(meeting, DEFT_PRESET_DEFT);
    test_scene_add_json(&meeting->scene, "shelf", DEFT_SERVER_MCP, shelf);
    meeting->scene.settings.call_tools = tools;
    test_meeting_start(meeting);
}

static const struct {
    const char *name;
    const char *called;
    const char *arguments;
    const char *refusal; // NULL: it is called
} cases[] = {
    {"what is read-only", "tool_call_read_only", "{\"tool_name\":\"shelf::look\"}", NULL},
    {"the same through the other one", "tool_call", "{\"tool_name\":\"shelf::look\"}", NULL},
    {"as hosts write it", "mcp__deft__tool_call_read_only", "{\"tool_name\":\"shelf::look\"}",
     NULL},
    {"what is not", "tool_call_read_only", "{\"tool_name\":\"shelf::burn\"}",
     "'shelf::burn' is not marked as read-only; call it through 'tool_call'."},
    {"the same through the other one, which may", "tool_call", "{\"tool_name\":\"shelf::burn\"}",
     NULL},
    {"what says nothing", "tool_call_read_only", "{\"tool_name\":\"shelf::silent\"}",
     "'shelf::silent' is not marked as read-only"},
    {"what contradicts itself", "tool_call_read_only", "{\"tool_name\":\"shelf::odd\"}",
     "'shelf::odd' is not marked as read-only"},
    {"as hosts write it, and not", "mcp__deft__tool_call_read_only",
     "{\"tool_name\":\"shelf::burn\"}", "'shelf::burn' is not marked as read-only"},
    {"by wrapping the other one", "tool_call_read_only",
     "{\"tool_name\":\"tool_call\",\"tool_args\":{\"tool_name\":\"shelf::burn\"}}",
     "'shelf::burn' is not marked as read-only"},
    {"wrapped by the other one", "tool_call",
     "{\"tool_name\":\"tool_call_read_only\",\"tool_args\":{\"tool_name\":\"shelf::burn\"}}",
     "'shelf::burn' is not marked as read-only"},
    {"by the name as the only member", "tool_call_read_only", "{\"shelf::burn\":{}}",
     "'shelf::burn' is not marked as read-only"},
    {"called directly", "shelf::burn", "{}", NULL},
};

static void only_what_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        test_meeting meeting;
        case_name(cases[i].name);
        start(&meeting, DEFT_CALL_TOOLS_BY_EFFECT);
        const deft_status status = test_meeting_call(&meeting, cases[i].called, cases[i].arguments);
        if (cases[i].refusal == NULL) {
            assert_int_equal(status, DEFT_OK);
        } else {
            assert_int_equal(status, DEFT_INVALID);
            assert_true(meeting.answer.is_error);
            assert_true(test_answer_has(&meeting.answer, cases[i].refusal));
            assert_true(test_answer_lacks(&meeting.answer, "Send {"));
            test_meeting_expect_visible(&meeting, "files::read_file files::write_file");
        }
        test_meeting_clear(&meeting);
    }
}

static void without_it_the_name_is_nobodys(void **state)
{
    (void)state;
    test_meeting meeting;
    start(&meeting, DEFT_CALL_TOOLS_ONE);
    assert_int_equal(
        test_meeting_call(&meeting, "tool_call_read_only", "{\"tool_name\":\"shelf::look\"}"),
        DEFT_NOT_FOUND);
    test_meeting_search(&meeting, "{\"query\":\"look at a book\"}");
    assert_true(test_answer_lacks(&meeting.answer, "read-only"));
    test_meeting_clear(&meeting);
}

static void a_search_says_which_one_to_call(void **state)
{
    (void)state;
    test_meeting meeting;
    start(&meeting, DEFT_CALL_TOOLS_BY_EFFECT);
    test_meeting_search(&meeting, "{\"query\":\"select:shelf::look,shelf::burn,shelf::odd\"}");
    assert_true(test_answer_has(
        &meeting.answer, "Call one with tool_call, or with tool_call_read_only where it says "
                         "read-only: tool_name is its id"));
    assert_true(test_answer_has(&meeting.answer, "shelf::look (read-only): Look at a book."));
    assert_true(test_answer_has(&meeting.answer, "shelf::burn: Burn a book."));
    assert_true(test_answer_has(&meeting.answer, "shelf::odd: Burn and look at a book."));
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_changes_nothing),
        cmocka_unit_test(without_it_the_name_is_nobodys),
        cmocka_unit_test(a_search_says_which_one_to_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
