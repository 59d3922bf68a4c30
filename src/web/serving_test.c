// What a server over HTTP owes its clients and itself, one clause a test: bounds on everything that a
// peer can grow or delay, browsers by configuration, calls that end with who asked for them.
#include "web/web.h"

#include "support/test.h"
#include "support/web_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":"                \
    "\"alpha__alpha_look\",\"arguments\":{},\"_meta\":{\"progressToken\":\"p\"}}}"
#define HEALTH "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define READY  "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define STREAM                                                                                     \
    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION "\r\n"

static void pass(uint64_t ms)
{
    test_web.now_ms += ms;
    deft__web_tick(test_web.web, test_web.now_ms, (int64_t)(test_web.now_ms / 1000));
    test_web_settle();
}

static void start_alpha(void)
{
    test_web_start(0);
    test_web_hold(test_web.asked, "tools/call");
}

// --- Bounds. ---

static void a_header_block_has_a_limit(void **state)
{
    const deft__web_options options = {.head_size_max = 1024};
    char                    text[2048];
    (void)state;
    test_web_open(&options, NULL);
    test_web_hold(test_web_ask(0, HEALTH), " 200 ");
    (void)snprintf(text, sizeof text,
                   "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: %01000d\r\n\r\n", 7);
    test_web_hold(test_web_ask(0, text), " 431 ");
    assert_true(test_web.visitors[0].is_closed);
    test_web_close();
}

static void a_body_has_a_limit(void **state)
{
    const deft__web_options options = {.body_size_max = 1000};
    (void)state;
    test_web_open(&options, NULL);
    test_web_hold(test_web_ask(0, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                  "application/json\r\nContent-Length: 1001\r\n\r\n"),
                  " 413 ");
    assert_true(test_web.visitors[0].is_closed);
    // Also one that does not say so beforehand.
    test_web_hold(test_web_ask(1, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                  "application/json\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n"),
                  " 413 ");
    assert_true(test_web.visitors[1].is_closed);
    test_web_close();
}

static void a_connection_has_so_many_requests(void **state)
{
    const deft__web_options options = {.requests_max = 2};
    (void)state;
    test_web_open(&options, NULL);
    test_web_lack(test_web_ask(0, HEALTH), "Connection: close");
    test_web_hold(test_web_ask(0, HEALTH), "Connection: close");
    assert_true(test_web.visitors[0].is_closed);
    test_web_hold(test_web_ask(0, HEALTH), " 200 "); // another connection
    test_web_close();
}

static void who_trickles_a_request_is_cut_off(void **state)
{
    (void)state;
    test_web_open_plain();
    (void)test_web_ask(0, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ");
    for (int i = 0; i < 14; i++) {
        pass(20000); // never silent for long
        (void)test_web_ask(0, "x");
        assert_false(test_web.visitors[0].is_closed);
    }
    pass(20001);
    assert_true(test_web.visitors[0].is_closed);
    test_web_close();
}

static void who_waits_for_an_answer_is_not_slow(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    start_alpha();
    pass(50000);
    assert_false(test_web.visitors[0].is_closed);
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "\"id\":5,\"result\"");
    test_web_close();
}

static void requests_ahead_of_an_answer_are_held_up_to_a_limit(void **state)
{
    const deft__web_options options = {.held_size_max = 256};
    (void)state;
    test_web_open(&options, NULL);
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    start_alpha();
    assert_string_equal(test_web_ask(0, HEALTH), ""); // in its turn
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "\"id\":5,\"result\"");
    test_web_hold(test_web_said(0), "ok\n");
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    for (int i = 0; i < 8 && !test_web.visitors[0].is_closed; i++) {
        (void)test_web_ask(0, HEALTH);
    }
    assert_true(test_web.visitors[0].is_closed);
    test_web_close();
}

static void sessions_have_a_limit(void **state)
{
    const deft__web_options options = {.sessions_max = 1};
    (void)state;
    test_web_open(&options, NULL);
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 503 ");
    test_web_close();
}

// --- Bodies. ---

static void a_body_may_come_in_chunks(void **state)
{
    char text[1024];
    (void)state;
    test_web_open_plain();
    (void)snprintf(text, sizeof text,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n10\r\n%.16s\r\n%zx\r\n%s\r\n0\r\n\r\n" HEALTH,
                   INITIALIZE, strlen(INITIALIZE) - 16, &INITIALIZE[16]);
    const char *answer = test_web_ask(0, text);
    test_web_hold(answer, "\"id\":1,\"result\"");
    test_web_hold(answer, "ok\n"); // what follows it is another request
    test_web_close();
}

static void who_asks_before_it_sends_is_told_to_go_on(void **state)
{
    char text[512];
    (void)state;
    test_web_open_plain();
    (void)snprintf(text, sizeof text,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Expect: 100-continue\r\nContent-Length: %zu\r\n\r\n",
                   strlen(INITIALIZE));
    test_web_hold(test_web_ask(0, text), "HTTP/1.1 100 Continue\r\n");
    test_web_hold(test_web_ask(0, INITIALIZE), " 200 ");
    // And who may not is told so instead.
    test_web_hold(test_web_ask(1, "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nExpect: "
                                  "100-continue\r\nContent-Length: 5\r\n\r\n"),
                  "HTTP/1.1 403 ");
    test_web_close();
}

static void an_old_client_gets_a_stream_that_ends_with_the_connection(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    const char *text = test_web_ask(1, "GET /mcp HTTP/1.0\r\nHost: localhost\r\nAccept: "
                                       "text/event-stream\r\n" SESSION "\r\n");
    test_web_hold(text, " 200 ");
    test_web_lack(text, "chunked");
    test_web_hold(test_web_ask(0, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" SESSION "\r\n"),
                  " 204 ");
    assert_true(test_web.visitors[1].is_closed);
    test_web_close();
}

// --- Browsers. ---

#define PREFLIGHT(origin)                                                                          \
    "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: " origin                                  \
    "\r\nAccess-Control-Request-Method: POST\r\n\r\n"

static const struct {
    const char *name;
    bool        is_cors_off;
    const char *request;
    const char *status;
    const char *there; // in the answer; NULL: nothing in particular
    const char *gone;  // not in the answer; NULL: nothing in particular
} browsers[] = {
    {"preflight of a listed page", false, PREFLIGHT("https://app.example"), " 204 ",
     "Access-Control-Allow-Methods: POST, GET, DELETE\r\n", NULL},
    {"it may be told of limits", false, PREFLIGHT("https://app.example"), " 204 ",
     "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate, Retry-After\r\n", NULL},
    {"preflight of another page", false, PREFLIGHT("https://evil.example"), " 403 ", NULL,
     "Access-Control"},
    {"preflight of a page of this machine that is not listed", false,
     PREFLIGHT("http://localhost:3000"), " 405 ", NULL, "Access-Control"},
    {"which may ask, and is not shown the answer", false,
     "GET /readyz HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\n\r\n", " 200 ",
     "Vary: Origin\r\n", "Access-Control"},
    {"a page that hides where it is from", false, PREFLIGHT("null"), " 403 ", NULL,
     "Access-Control"},
    {"a listed page where CORS is off", true, PREFLIGHT("https://app.example"), " 405 ", NULL,
     "Access-Control"},
    {"its requests are served, and not shown", true,
     "GET /readyz HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\r\n", " 200 ",
     NULL, "Access-Control"},
    {"HEAD is GET without the body", false, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
     " 200 ", "Content-Length: ", "deft_"},
    {"but not at /mcp", false, "HEAD /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", " 405 ",
     "Allow: POST, GET, DELETE\r\n", "jsonrpc"},
};

static void browsers_are_served_by_configuration(void **state)
{
    const deft_view origin = deft_view_of("https://app.example");
    (void)state;
    for (size_t i = 0; i < sizeof browsers / sizeof browsers[0]; i++) {
        const deft__web_options options = {
            .origins = &origin, .origin_count = 1, .is_cors_off = browsers[i].is_cors_off};
        test_web_open(&options, NULL);
        const char *text = test_web_ask(0, browsers[i].request);
        if (strstr(text, browsers[i].status) == NULL ||
            (browsers[i].there != NULL && strstr(text, browsers[i].there) == NULL) ||
            (browsers[i].gone != NULL && strstr(text, browsers[i].gone) != NULL)) {
            fail_msg("%s: %s", browsers[i].name, text);
        }
        test_web_close();
    }
}

// --- Secrets. ---

#define SECRET "open-sesame"

// Looks for the secret in all that is given back, and at what a buffer leaves behind when it grows.
static void *look_for_secret(void *context, void *pointer, size_t old_size, size_t size)
{
    size_t *found = context;
    for (size_t i = 0; pointer != NULL && i + sizeof SECRET - 1 <= old_size; i++) {
        *found += memcmp((const char *)pointer + i, SECRET, sizeof SECRET - 1) == 0 ? 1 : 0;
    }
    void *made = size > 0 ? malloc(size) : NULL;
    if (made != NULL && pointer != NULL) {
        memcpy(made, pointer, old_size < size ? old_size : size);
    }
    if (size == 0 || made != NULL) {
        free(pointer);
    }
    return made;
}

static void a_token_does_not_stay_in_memory(void **state)
{
    static const char request[] =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " SECRET "\r\n\r\n";
    size_t                  found    = 0;
    const deft_allocator    witness  = {.resize = look_for_secret, .context = &found};
    const deft__web_options options  = {.host_count = 0};
    char                    piece[2] = "";
    const char             *text     = "";
    (void)state;
    test_web_open(&options, &witness);
    test_web_hold(test_web_ask(0, request), " 200 ");
    for (const char *at = request; *at != '\0'; at++) { // byte by byte, so that it is held
        piece[0] = *at;
        text     = test_web_ask(1, piece);
    }
    test_web_hold(text, " 200 ");
    (void)test_web_ask(2,
                       "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " SECRET);
    test_web_leave(2); // before it has said all
    test_web_close();
    assert_int_equal(found, 0);
}

// --- Calls and who asked for them. ---

#define MODERN_CALL "\"name\":\"alpha__alpha_look\",\"arguments\":{}"

// A modern call at the first place, whose answer has begun as events.
static void begin_streaming_call(void)
{
    char line[256];
    (void)test_web_post(
        0, "", "/mcp",
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: "
        "alpha__alpha_look\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{" MODERN_CALL
        ",\"_meta\":{\"progressToken\":9,\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    start_alpha();
    (void)snprintf(line, sizeof line,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                   "\"progressToken\":%lu,\"progress\":1}}",
                   strtoul(strstr(test_web.asked, "\"id\":") + 5, NULL, 10));
    test_web_say(0, line);
    test_web_hold(test_web_said(0), "Transfer-Encoding: chunked");
    test_web_hold(test_web_said(0), "\"progressToken\":9");
}

static void a_modern_call_streams_where_it_has_something_to_say(void **state)
{
    (void)state;
    test_web_open_plain();
    begin_streaming_call();
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "\"id\":7,\"result\"");
    test_web_hold(test_web_said(0), "0\r\n\r\n"); // the end of the stream, not of the connection
    assert_false(test_web.visitors[0].is_closed);
    test_web_close();
}

static void a_session_that_ends_cancels_its_calls(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    start_alpha();
    test_web_leave(0);
    test_web_lack(test_web.asked, "cancelled"); // it may come back for the answer
    test_web_hold(test_web_ask(1, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" SESSION "\r\n"),
                  " 204 ");
    test_web_hold(test_web.asked, "notifications/cancelled");
    test_web_hold(test_web_post(1, "", "/mcp", SESSION, CALL), " 404 ");
    test_web_close();
}

static void a_call_that_its_client_cancels_ends_its_stream(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    start_alpha();
    test_web_hold(test_web_post(1, "", "/mcp", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                "\"params\":{\"requestId\":5}}"),
                  " 202 ");
    test_web_hold(test_web.asked, "notifications/cancelled");
    // Nobody will answer it any more: the connection is free again, or closed.
    assert_int_equal(deft__web_open_count(test_web.web), 0);
    test_web_hold(test_web_ask(0, HEALTH), "ok\n");
    test_web_close();
}

// --- Streams that break off. ---

static void what_was_missed_on_a_sessions_own_stream_is_sent_again(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    start_alpha();
    test_web_hold(test_web_ask(1, STREAM), "text/event-stream");
    test_web_say(0, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
                    "\"level\":\"error\",\"data\":\"one\"}}");
    test_web_hold(test_web_said(1), "\"one\"");
    test_web_hold(test_web_said(1), "id: 3-1");
    test_web_leave(1);
    test_web_say(0, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
                    "\"level\":\"error\",\"data\":\"two\"}}");
    // Opened anew it has what was said meanwhile, once.
    const char *text = test_web_ask(2, STREAM);
    test_web_hold(text, "\"two\"");
    test_web_lack(text, "\"one\"");
    // An id that is none of ours opens a stream, too, and one of another session's says nothing.
    test_web_leave(2);
    test_web_hold(test_web_ask(3, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: "
                                  "text/event-stream\r\nLast-Event-ID: 99-7\r\n" SESSION "\r\n"),
                  " 200 ");
    test_web_close();
}

static void a_stopping_web_refuses_politely(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_modern(2, "", "/mcp", "subscriptions/listen", NULL,
                                  "\"notifications\":{\"toolsListChanged\":true}"),
                  "acknowledged");
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    deft__web_drain(test_web.web);
    test_web_hold(test_web_said(2),
                  "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"resultType\":\"complete\"");
    test_web_hold(test_web_said(2), "\r\n0\r\n\r\n"); // nothing follows
    test_web_lack(test_web_said(2), "cancelled");
    const char *text = test_web_post(0, "", "/mcp", SESSION, CALL);
    test_web_hold(text, " 503 ");
    test_web_hold(text, "Retry-After: 5\r\n");
    test_web_hold(text, "Connection: close\r\n");
    assert_true(test_web.visitors[0].is_closed);
    test_web_hold(test_web_ask(1, HEALTH), " 200 "); // it lives
    text = test_web_ask(1, READY);                   // but sends nobody here
    test_web_hold(text, " 503 ");
    test_web_hold(text, "stopping\n");
    test_web_close();
}

static void a_call_that_streams_is_waited_for_and_endless_streams_are_not(void **state)
{
    (void)state;
    test_web_open_plain();
    begin_streaming_call();
    test_web_hold(test_web_post(1, "", "/mcp", "", INITIALIZE), " 200 ");
    test_web_hold(test_web_ask(2, STREAM), " 200 ");
    deft__web_drain(test_web.web);
    test_web_settle();
    assert_int_equal(deft__web_open_count(test_web.web), 0); // it has begun
    assert_false(deft__web_is_done(test_web.web));           // and not ended
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "\"id\":7,\"result\"");
    assert_true(deft__web_is_done(test_web.web));
    assert_false(test_web.visitors[2].is_closed);
    test_web_close();
}

static void what_is_handed_over_is_refused_nothing(void **state)
{
    (void)state;
    test_web_open_plain();
    test_web_hold(test_web_post(0, "", "/mcp", "", INITIALIZE), " 200 ");
    test_web_hold(test_web_ask(1, HEALTH), " 200 ");
    test_web_hold(test_web_ask(2, READY), " 200 ");
    pass(900);
    deft__web_hand_over(test_web.web);
    test_web_settle();
    assert_false(deft__web_is_done(test_web.web));
    // Who still asks is answered, for the last time on this connection.
    const char *text = test_web_ask(2, READY);
    test_web_hold(text, " 200 ");
    test_web_hold(text, "Connection: close\r\n");
    assert_true(test_web.visitors[2].is_closed);
    (void)test_web_post(0, "", "/mcp", SESSION, CALL);
    start_alpha();
    pass(1000);
    assert_false(test_web.visitors[1].is_closed);
    pass(1);
    assert_true(test_web.visitors[1].is_closed); // it had its second
    assert_false(deft__web_is_done(test_web.web));
    test_web_answer(0, "tools/call", "{\"content\":[]}");
    test_web_hold(test_web_said(0), "\"id\":5,\"result\"");
    assert_true(test_web.visitors[0].is_closed);
    assert_true(deft__web_is_done(test_web.web));
    test_web_close();
}

// Ends the process of alpha.
static void end_alpha(void)
{
    deft__link_closed(deft__gateway_link(test_web.gateway, 0), test_web.lives[0],
                      deft_view_of("exited with status 1"));
    test_web_settle();
}

// Nothing is kept of alpha: it must be asked first. It leaves when it hears the first question of the
// modern era, as some do, and is started again.
static void it_is_ready_when_all_servers_are_known_or_have_failed(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        test_web_open_unknown(&options, 0);
        const char *text = test_web_ask(0, READY);
        test_web_hold(text, " 503 ");
        test_web_hold(text, "starting\n");
        test_web_hold(test_web_ask(0, HEALTH), " 200 ");
        test_web_hold(test_web.asked, "server/discover");
        end_alpha();
        test_web_hold(test_web_ask(0, READY), " 503 ");
        if (fails) {
            end_alpha();
        } else {
            test_web_answer(0, "initialize",
                            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                            "\"serverInfo\":{}}");
            test_web_hold(test_web_ask(0, READY), " 503 ");
            test_web_answer(0, "tools/list", "{\"tools\":[]}");
        }
        pass(1000);
        test_web_hold(test_web_ask(0, READY), " 200 ");
        test_web_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_block_has_a_limit),
        cmocka_unit_test(a_body_has_a_limit),
        cmocka_unit_test(a_connection_has_so_many_requests),
        cmocka_unit_test(who_trickles_a_request_is_cut_off),
        cmocka_unit_test(who_waits_for_an_answer_is_not_slow),
        cmocka_unit_test(requests_ahead_of_an_answer_are_held_up_to_a_limit),
        cmocka_unit_test(sessions_have_a_limit),
        cmocka_unit_test(a_body_may_come_in_chunks),
        cmocka_unit_test(who_asks_before_it_sends_is_told_to_go_on),
        cmocka_unit_test(an_old_client_gets_a_stream_that_ends_with_the_connection),
        cmocka_unit_test(browsers_are_served_by_configuration),
        cmocka_unit_test(a_token_does_not_stay_in_memory),
        cmocka_unit_test(a_modern_call_streams_where_it_has_something_to_say),
        cmocka_unit_test(a_session_that_ends_cancels_its_calls),
        cmocka_unit_test(a_call_that_its_client_cancels_ends_its_stream),
        cmocka_unit_test(what_was_missed_on_a_sessions_own_stream_is_sent_again),
        cmocka_unit_test(a_stopping_web_refuses_politely),
        cmocka_unit_test(a_call_that_streams_is_waited_for_and_endless_streams_are_not),
        cmocka_unit_test(what_is_handed_over_is_refused_nothing),
        cmocka_unit_test(it_is_ready_when_all_servers_are_known_or_have_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
