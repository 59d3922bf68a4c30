// Sessions and streams over HTTP: how long they live, what goes over which, and who comes back for the
// rest.
#include "web/web.h"

#include "support/test.h"
#include "support/web_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A session whose client waits for a tool of a server that runs.
static void open_with_a_call(void)
{
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), "200 OK");
    (void)test_web_post(
        0, "", "/mcp", SESSION,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"alpha__alpha_look\"}}");
    test_web_start(0);
}

static void a_session_lives_until_it_is_deleted(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE),
                  "Mcp-Session-Id: 01010101010101010101010101010101");
    test_web_hold(test_web_post(0, "", "/mcp", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
                  "202 Accepted");
    test_web_hold(test_web_post(0, "", "/mcp", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
                  "alpha::alpha_look");
    test_web_hold(test_web_post(0, "", "/mcp", SESSION "MCP-Protocol-Version: 1999-01-01\r\n",
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
                  " 400 ");
    // It belongs to the path that it began with.
    test_web_hold(test_web_post(0, "", "/mcp/all", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
                  " 404 ");
    test_web_hold(test_web_ask(0, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" SESSION "\r\n"),
                  " 204 ");
    test_web_hold(
        test_web_post(0, "", "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
        " 404 ");
    // Or until nobody has used it for an hour.
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), "02020202020202020202020202020202");
    test_web.now_ms += 3600u * 1000 + 1;
    deft__web_tick(test_web.web, test_web.now_ms, 3600);
    test_web_hold(test_web_post(1, "", "/mcp",
                                "Mcp-Session-Id: 02020202020202020202020202020202\r\n",
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
                  " 404 ");
    test_web_close();
}

static void a_call_streams_where_something_comes_before_its_answer(void **state)
{
    char line[256];
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp/alpha", "", INITIALIZE), "200 OK");
    (void)test_web_post(
        0, "", "/mcp/alpha", SESSION,
        "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"alpha_look\",\"_meta\":{\"progressToken\":9}}}");
    test_web_start(0);
    const unsigned long id = strtoul(strstr(test_web.asked, "\"id\":") + 5, NULL, 10);
    (void)snprintf(line, sizeof line,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                   "\"progressToken\":%lu,\"progress\":1}}",
                   id);
    test_web_say(0, line);
    test_web_hold(test_web_said(0), "Content-Type: text/event-stream");
    test_web_hold(test_web_said(0), "\"progressToken\":9");
    // The connection breaks; the client comes back for the rest.
    test_web_leave(0);
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    const char *text =
        test_web_ask(1, "GET /mcp/alpha HTTP/1.1\r\nHost: localhost\r\nAccept: "
                        "text/event-stream\r\nLast-Event-ID: 2-1\r\n" SESSION "\r\n");
    test_web_hold(text, "id: 2-2");
    test_web_hold(text, "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"content\":[]}}");
    test_web_close();
}

static void a_server_asks_through_the_stream_and_is_answered_by_a_post(void **state)
{
    (void)state;
    open_with_a_call();
    test_web_say(0, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\","
                    "\"params\":{\"message\":\"Which?\"}}");
    test_web_hold(test_web_said(0), "\"method\":\"elicitation/create\"");
    test_web_hold(
        test_web_post(1, "", "/mcp", SESSION,
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\"}}"),
        "202");
    test_web_hold(test_web.asked,
                  "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"action\":\"accept\"}}");
    test_web_close();
}

static void a_session_has_one_stream_of_its_own(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), "200 OK");
    const char *stream =
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION "\r\n";
    test_web_hold(test_web_ask(1, stream), "text/event-stream");
    test_web_hold(test_web_ask(2, stream), " 409 ");
    test_web_hold(test_web_post(0, "", "/mcp", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}"),
                  "200");
    // Silence is broken by a comment.
    test_web.now_ms += 20000;
    deft_buffer_reset(&test_web.visitors[1].got);
    deft__web_tick(test_web.web, test_web.now_ms, 20);
    test_web_hold(test_web_said(1), ":");
    // When it is closed another may be opened.
    test_web_leave(1);
    test_web_hold(test_web_ask(2, stream), "text/event-stream");
    test_web_close();
}

static void tell(const char *text)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
             "{\"level\":\"info\",\"data\":\"%s\"}}",
             text);
    test_web_say(0, line);
}

// It is the same stream, so what was said meanwhile is said now, and it stays open.
static void a_sessions_own_stream_goes_on_for_who_comes_back(void **state)
{
    (void)state;
    open_with_a_call();
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(
        test_web_ask(1,
                     "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION
                     "\r\n"),
        "text/event-stream");
    tell("one");
    test_web_hold(test_web_said(1), "id: 3-1");
    test_web_leave(1);
    tell("two");
    const char *back = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                       "Last-Event-ID: 3-1\r\n" SESSION "\r\n";
    test_web_hold(test_web_ask(2, back), "id: 3-2");
    test_web_hold(test_web_said(2), "two");
    test_web_lack(test_web_said(2), "one");
    tell("three");
    test_web_hold(test_web_said(2), "id: 3-3");
    // From elsewhere, while nobody has noticed that the connection before is dead.
    back = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
           "Last-Event-ID: 3-2\r\n" SESSION "\r\n";
    test_web_hold(test_web_ask(3, back), "id: 3-3");
    test_web_hold(test_web_said(2), "0\r\n\r\n");
    tell("four");
    test_web_hold(test_web_said(3), "id: 3-4");
    test_web_lack(test_web_said(2), "four");
    // Opened without an id, and then with one from before that: it is one stream all the time.
    test_web_leave(3);
    test_web_lack(
        test_web_ask(1,
                     "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION
                     "\r\n"),
        "four");
    deft_buffer_reset(&test_web.visitors[2].got);
    test_web_hold(test_web_ask(2, back), "id: 3-4");
    tell("five");
    test_web_hold(test_web_said(2), "id: 3-5");
    test_web_lack(test_web_said(1), "five");
    test_web_close();
}

static void a_modern_client_that_leaves_has_cancelled(void **state)
{
    (void)state;
    test_web_open_plain();
    (void)test_web_post(
        0, "", "/mcp",
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
        "Mcp-Name: alpha__alpha_look\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"alpha__alpha_look\"," META "}}");
    test_web_start(0);
    test_web_hold(test_web.asked, "tools/call");
    test_web_leave(0);
    test_web_hold(test_web.asked, "notifications/cancelled");
    test_web_close();
}

static void a_web_that_ends_lets_open_requests_finish(void **state)
{
    (void)state;
    open_with_a_call();
    deft__web_drain(test_web.web);
    assert_int_equal(deft__web_open_count(test_web.web), 1);
    test_web_hold(
        test_web_post(1, "", "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}"),
        "503");
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "\"id\":2,\"result\"");
    assert_int_equal(deft__web_open_count(test_web.web), 0);
    test_web_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_lives_until_it_is_deleted),
        cmocka_unit_test(a_call_streams_where_something_comes_before_its_answer),
        cmocka_unit_test(a_server_asks_through_the_stream_and_is_answered_by_a_post),
        cmocka_unit_test(a_session_has_one_stream_of_its_own),
        cmocka_unit_test(a_sessions_own_stream_goes_on_for_who_comes_back),
        cmocka_unit_test(a_modern_client_that_leaves_has_cancelled),
        cmocka_unit_test(a_web_that_ends_lets_open_requests_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
