// Arrays of messages: the batches of version 2025-03-26, answered one by one.
#include "web/web.h"

#include "support/allocator.h"
#include "support/test.h"
#include "support/web_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INITIALIZE_OLD                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define NOTICE   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}"
#define CALL(id)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":"           \
    "\"alpha__alpha_look\",\"_meta\":{\"progressToken\":9}}}"
#define STREAM_END "\r\n0\r\n\r\n"

static void open_old_session(void)
{
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE_OLD), "200 OK");
}

static void an_array_is_answered_one_by_one(void **state)
{
    (void)state;
    open_old_session();
    const char *text =
        test_web_post(0, "", "/mcp", SESSION, " [" PING("2") ", " NOTICE "\n," PING("\"3\"") "] ");
    test_web_hold(text, "Content-Type: text/event-stream");
    test_web_hold(text, "data: " PONG("2"));
    test_web_hold(text, "data: " PONG("\"3\""));
    test_web_hold(text, STREAM_END);
    // The connection is as good as new.
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, PING("4")), PONG("4"));
    test_web_close();
}

static void what_takes_longer_comes_later(void **state)
{
    (void)state;
    open_old_session();
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, "[" CALL("\"c\"") "," PING("2") "]"),
                  PONG("2"));
    assert_null(strstr(test_web_said(0), STREAM_END));
    test_web_start(0);
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0),
                  "data: {\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"content\":[]}}");
    test_web_hold(test_web_said(0), STREAM_END);
    test_web_close();
}

static void what_is_cancelled_in_an_array_is_not_waited_for(void **state)
{
    static const char cancelled[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                    "\"params\":{\"requestId\":2}}";
    char              text[600];
    (void)state;
    open_old_session();
    (void)snprintf(text, sizeof text, "[" CALL("2") ",%s," PING("3") "]", cancelled);
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, text), PONG("3"));
    test_web_hold(test_web_said(0), STREAM_END);
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, "[" CALL("2") "]"), "text/event-stream");
    (void)snprintf(text, sizeof text, "[%s]", cancelled);
    test_web_hold(test_web_post(1, "", "/mcp", SESSION, text), "202");
    test_web_hold(test_web_said(0), STREAM_END);
    test_web_close();
}

static void an_array_without_requests_is_taken_note_of(void **state)
{
    (void)state;
    open_old_session();
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, "[" NOTICE "," NOTICE "]"), "202");
    test_web_hold(
        test_web_post(0, "", "/mcp", SESSION,
                      "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":8,"
                      "\"error\":{\"code\":1,\"message\":\"no\"}}]"),
        "202");
    test_web_close();
}

// Who was cut off comes back for the rest of it.
static void an_array_can_be_come_back_for(void **state)
{
    (void)state;
    open_old_session();
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, "[" PING("2") "," CALL("3") "]"),
                  "id: 2-1");
    test_web_leave(0);
    test_web_start(0);
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    const char *text =
        test_web_ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: "
                        "text/event-stream\r\nLast-Event-ID: 2-1\r\n" SESSION "\r\n");
    test_web_hold(text, "id: 2-2");
    test_web_hold(text, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}");
    test_web_close();
}

// The requests of an array have streams of their own that nobody was told of, with numbers that are
// easy to guess.
static void a_part_of_an_array_cannot_be_come_back_for(void **state)
{
    (void)state;
    open_old_session();
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, "[" PING("2") "," CALL("3") "]"),
                  "id: 2-1");
    test_web_hold(test_web_ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: "
                                  "text/event-stream\r\nLast-Event-ID: 4-0\r\n" SESSION "\r\n"),
                  "text/event-stream"); // a stream of the session's own
    test_web_start(0);
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}");
    test_web_hold(test_web_said(0), STREAM_END);
    test_web_leave(1);
    test_web_close();
}

static const struct {
    const char *name;
    const char *body;
    const char *part;
} bad_arrays[] = {
    {"an empty one", "[]", "-32600"},
    {"one that is not closed", "[" PING("2"), "-32700"},
    {"a number in it", "[" PING("2") ",7]", "message 2 of the array: "},
    {"an array in it", "[[" PING("2") "]]", "message 1 of the array: "},
    {"an object that is no message", "[" PING("2") ",{\"id\":3}]", "message 2 of the array: "},
    {"requests and answers", "[" PING("2") ",{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]",
     "message 2 of the array: an array holds requests and notifications, or answers, not both"},
    {"answers and notices", "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}," NOTICE "]",
     "or answers, not both"},
    {"the same id twice", "[" PING("2") "," PING("2") "]", "is that of another request"},
    {"a handshake", "[" INITIALIZE_OLD "]", "initialize stands alone"},
    {"a modern request",
     "[" PING("2") ",{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META
                   "}}]",
     "of a version that has no arrays"},
};

static const char *write_pings(char *text, int count)
{
    size_t size = (size_t)sprintf(text, "[");
    for (int i = 0; i < count; i++) {
        size += (size_t)sprintf(text + size, "%s" PING("%d"), i > 0 ? "," : "", i);
    }
    (void)sprintf(text + size, "]");
    return text;
}

static void an_array_that_is_wrong_anywhere_is_refused_whole(void **state)
{
    (void)state;
    char *many = malloc(101 * 64);
    open_old_session();
    for (size_t i = 0; i < array_size(bad_arrays); i++) {
        case_name(bad_arrays[i].name);
        const char *text = test_web_post(0, "", "/mcp", SESSION, bad_arrays[i].body);
        test_web_hold(text, " 400 ");
        test_web_hold(text, bad_arrays[i].part);
        assert_null(strstr(text, PONG("2")));
    }
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, write_pings(many, 101)),
                  "message 101 of the array: is one too many");
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, write_pings(many, 100)), PONG("99"));
    free(many);
    test_web_close();
}

static void arrays_are_of_one_version_alone(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), "200 OK");
    test_web_hold(test_web_post(0, "", "/mcp", SESSION, "[" PING("2") "]"),
                  "only sessions of version 2025-03-26");
    test_web_hold(test_web_post(0, "", "/mcp", "", "[" PING("2") "]"),
                  "only sessions of version 2025-03-26");
    test_web_hold(
        test_web_post(0, "", "/mcp", "MCP-Protocol-Version: 2026-07-28\r\n", "[" PING("2") "]"),
        " 400 ");
    test_web_hold(test_web_post(0, "", "/mcp", "Mcp-Session-Id: 1\r\n", "[" PING("2") "]"),
                  " 404 ");
    test_web_close();
    open_old_session();
    test_web_hold(
        test_web_ask(
            1, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               "Accept: application/json\r\n" SESSION "Content-Length: 42\r\n\r\n[" PING("2") "]"),
        " 406 ");
    test_web_close();
}

// Each request of an array counts; where there are too many nothing of it is done.
static void an_array_is_no_way_around_limits(void **state)
{
    deft__token tokens[] = {{.name = deft_view_of("good"), .concurrent_calls = 2}};
    (void)state;
    test_web_open_plain();
    assert_true(deft__sha256(deft_view_of("good"), &tokens[0].digest));
    assert_int_equal(deft__web_set_tokens(test_web.web, tokens, 1, NULL), DEFT_OK);
    test_web_hold(test_web_post(0, "good", "/mcp", "", INITIALIZE_OLD), "200 OK");
    test_web_hold(
        test_web_post(0, "good", "/mcp", SESSION, "[" CALL("2") "," CALL("3") "," CALL("4") "]"),
        " 429 ");
    assert_string_equal(test_web.asked, "");
    test_web_hold(test_web_post(0, "good", "/mcp", SESSION, "[" CALL("2") "," CALL("3") "]"),
                  "text/event-stream");
    test_web_hold(test_web_post(1, "good", "/mcp", SESSION, CALL("5")), " 429 ");
    test_web_start(0);
    test_web_close();
}

static void memory_for_an_array_may_end(void **state)
{
    const deft__web_options options = {.host_count = 0};
    test_allocator          allocator;
    size_t                  fail_at = 0;
    (void)state;
    do {
        test_allocator_init(&allocator);
        allocator.fail_at = ++fail_at;
        test_web_open(&options, &allocator.allocator);
        if (test_web.web != NULL) {
            (void)test_web_post(0, "", "/mcp", "", INITIALIZE_OLD);
            const char *text = test_web_post(0, "", "/mcp", SESSION,
                                             "[" PING("2") "," CALL("3") "," PING("4") "]");
            test_web_hold(text, allocator.requests < fail_at ? PONG("4") : "");
        }
        test_web_close();
        assert_int_equal(allocator.blocks, 0);
    } while (allocator.requests >= fail_at);
    assert_true(fail_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_answered_one_by_one),
        cmocka_unit_test(what_takes_longer_comes_later),
        cmocka_unit_test(what_is_cancelled_in_an_array_is_not_waited_for),
        cmocka_unit_test(an_array_without_requests_is_taken_note_of),
        cmocka_unit_test(an_array_can_be_come_back_for),
        cmocka_unit_test(a_part_of_an_array_cannot_be_come_back_for),
        cmocka_unit_test(an_array_that_is_wrong_anywhere_is_refused_whole),
        cmocka_unit_test(arrays_are_of_one_version_alone),
        cmocka_unit_test(an_array_is_no_way_around_limits),
        cmocka_unit_test(memory_for_an_array_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
