// tool_describe. Proves a part of D2.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"

#define LIST_CHANNELS                                                                              \
    "{\"type\":\"function\",\"function\":{\"name\":\"slack__list_channels\","                      \
    "\"description\":\"List the channels.\",\"parameters\":{}}}"

static const struct {
    const char *name;
    const char *arguments;
    const char *text;
    size_t      found;
} cases[] = {
    {"OpenAI's form by default", "{\"tool_name\":\"slack::list_channels\"}", LIST_CHANNELS "\n", 1},
    {"by wire name", "{\"tool_name\":\"slack__list_channels\"}", LIST_CHANNELS "\n", 1},
    {"by a unique bare name", "{\"tool_name\":\"list_channels\"}", LIST_CHANNELS "\n", 1},
    {"in MCP's form", "{\"tool_name\":\"list_channels\",\"form\":\"mcp\"}",
     "{\"name\":\"slack__list_channels\",\"description\":\"List the channels.\",\"inputSchema\":{}}"
     "\n",
     1},
    {"in Anthropic's form", "{\"tool_name\":\"list_channels\",\"form\":\"anthropic\"}",
     "{\"name\":\"slack__list_channels\",\"description\":\"List the "
     "channels.\",\"input_schema\":{}}\n",
     1},
    {"several separated by commas", "{\"tool_name\":\"slack::list_channels, slack::search\"}",
     LIST_CHANNELS "\n{\"type\":\"function\",\"function\":{\"name\":\"slack__search\","
                   "\"description\":\"Search messages.\",\"parameters\":{}}}\n",
     2},
    {"several as a list", "{\"tool_names\":[\"slack::list_channels\",\"slack::search\"]}",
     LIST_CHANNELS "\n{\"type\":\"function\",\"function\":{\"name\":\"slack__search\","
                   "\"description\":\"Search messages.\",\"parameters\":{}}}\n",
     2},
    {"the same twice is told once", "{\"tool_name\":\"list_channels,list_channels\"}",
     LIST_CHANNELS "\n", 1},
    {"one of them unknown", "{\"tool_name\":\"list_channels,list_chanels\"}",
     LIST_CHANNELS
     "\nNo tool is called 'list_chanels'. The closest name is slack::list_channels.\n",
     1},
};

static void definitions(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_meeting_describe(&meeting, cases[i].arguments);
        assert_false(meeting.answer.is_error);
        assert_view_equal(deft_buffer_view(&meeting.answer.text), cases[i].text);
        assert_int_equal(meeting.answer.found_count, cases[i].found);
    }
    // Looking is not loading.
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file");
    test_meeting_clear(&meeting);
}

static const struct {
    const char *name;
    const char *arguments;
    const char *text;
} refusals[] = {
    {"no name", "{}", "'tool_name' was not given. Send {\"tool_name\": \"server::tool\"}"},
    {"an empty name", "{\"tool_name\":\" , \"}", "'tool_name' was not given."},
    {"an empty list", "{\"tool_name\":[]}", "'tool_name' was not given."},
    {"a number", "{\"tool_name\":5}", "'tool_name' is neither a string nor a list of strings."},
    {"a list with a number", "{\"tool_name\":[\"search\",5]}",
     "'tool_name' is neither a string nor a list of strings."},
    {"a form that is none", "{\"tool_name\":\"list_channels\",\"form\":\"xml\"}",
     "'form' is 'xml'; openai, mcp and anthropic are accepted."},
    {"only an unknown name", "{\"tool_name\":\"list_chanels\"}",
     "No tool is called 'list_chanels'. The closest name is slack::list_channels."},
    {"a name of two servers", "{\"tool_name\":\"search\"}",
     "say which one by its id: github::search, slack::search."},
    {"many unknown names", "{\"tool_name\":\"a,b,c,d\"}", "No tool is called 'd'."},
    {"too many names", "{\"tool_name\":\"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21\"}",
     "More than 20 tools were asked for at once."},
};

static void what_is_refused(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(refusals); i++) {
        case_name(refusals[i].name);
        test_meeting_describe(&meeting, refusals[i].arguments);
        assert_true(meeting.answer.is_error);
        assert_int_equal(meeting.answer.found_count, 0);
        assert_true(test_answer_has(&meeting.answer, refusals[i].text));
    }
    test_meeting_clear(&meeting);
}

static void programs_get_an_object(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_describe(&meeting, "{\"tool_name\":\"list_channels,nobody\"}");
    assert_view_equal(deft_buffer_view(&meeting.answer.structured),
                      "{\"tools\":[" LIST_CHANNELS "],\"unknown\":[\"nobody\"]}");
    test_meeting_clear(&meeting);
}

static bool try_describe(const deft_allocator *allocator, void *context)
{
    static const char *const arguments[] = {
        "{\"tool_name\":\"slack::\\u0073earch, nob\\u006fdy\",\"form\":\"mcp\"}",
        "{\"tool_name\":[\"nobody\"]}",
        "{\"form\":\"x\"}",
    };
    test_meeting *meeting = context;
    deft_status   status  = DEFT_OK;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_answer   answer;
    deft_answer_init(&answer, allocator);
    for (size_t i = 0; status == DEFT_OK && i < array_size(arguments); i++) {
        status = deft_bridge_describe(meeting->session, &meeting->scene.settings,
                                      deft_view_of(arguments[i]), &answer, &error);
    }
    assert_true(status == DEFT_OK || (status == DEFT_OUT_OF_MEMORY && answer.text.size == 0));
    deft_answer_clear(&answer);
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    assert_true(test_every_allocation_fails(try_describe, &meeting) > 5);
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(programs_get_an_object),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
