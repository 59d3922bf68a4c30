// What HTTP clients get: single requests, and everything that is refused. Bytes in, bytes out; no socket
// is opened.
#include "web/web.h"

#include "support/allocator.h"
#include "support/test.h"
#include "support/web_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two tokens: one for everything, one for what does not exist.
static void set_tokens(void)
{
    static const deft_view patterns[] = {DEFT_VIEW_INIT("nothing::*")};
    deft__token            tokens[]   = {
                     {.name = deft_view_of("good")},
                     {.name = deft_view_of("poor"), .restriction = {.tools = patterns, .tool_count = 1}},
    };
    assert_true(deft__sha256(deft_view_of("good"), &tokens[0].digest));
    assert_true(deft__sha256(deft_view_of("poor"), &tokens[1].digest));
    assert_int_equal(deft__web_set_tokens(test_web.web, tokens, 2, NULL), DEFT_OK);
}

static const struct {
    const char *name;
    const char *request;
    const char *answer; // must be in it
    bool        is_closed;
} refusals[] = {
    {"anybody may ask whether it lives", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
     "200 OK", false},
    {"a Host of others", "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403", false},
    {"a Host of others before a path that is not there",
     "GET /other HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403", false},
    {"a Host of others before a method that is not taken",
     "PUT /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403", false},
    {"an Origin of others before a form",
     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Type: text/plain\r\n"
     "Content-Length: 2\r\n\r\n{}",
     "403", true},
    {"an Origin of others",
     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Length: "
     "2\r\n\r\n{}",
     "403", true},
    {"no such path", "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", "404", false},
    {"a path that climbs", "GET /mcp/%2e%2e HTTP/1.1\r\nHost: localhost\r\n\r\n", "404", false},
    {"a form",
     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: "
     "2\r\n\r\n{}",
     "415", true},
    {"a stream without a session", "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "405", false},
    {"another method", "PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "405", false},
    {"preflight where no origin is allowed", "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
     "405", false},
    {"POST where GET is wanted",
     "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "405", false},
    {"bytes that are no HTTP", "hello\r\n\r\n", "400", true},
    {"numbers for the curious", "GET /metrics HTTP/1.1\r\nHost: [::1]:1\r\n\r\n", "deft_tools 4\n",
     false},
    {"HEAD has no body", "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "Content-Length: 3",
     false},
};

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        test_web_open_plain();
        const char *text = test_web_ask(0, refusals[i].request);
        if (strstr(text, refusals[i].answer) == NULL ||
            test_web.visitors[0].is_closed != refusals[i].is_closed) {
            fail_msg("%s: %s", refusals[i].name, text);
        }
        test_web_close();
    }
}

static const struct {
    const char *name;
    const char *headers;
    const char *body;
    const char *status;
    const char *part;
} posts[] = {
    {"no JSON", "", "{", "400", "-32700"},
    {"no message", "", "{\"jsonrpc\":\"2.0\",\"id\":4}", "400", "-32600"},
    {"an array", "", "[{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}]", "400", "-32600"},
    {"an empty array", "", "[]", "400", "-32600"},
    {"no session", "", "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}", "400",
     "Mcp-Session-Id"},
    {"a session that never was", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}",
     "404", "no such session"},
    {"modern by its header only", "MCP-Protocol-Version: 2026-07-28\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}", "400", "-32602"},
    {"modern without its header", "",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META "}}", "400",
     "-32020"},
    {"modern with another method in the header",
     "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ping\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META "}}", "400",
     "-32020"},
    {"modern without the name", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"," META
     "}}",
     "400", "-32020"},
    {"modern with its name in base64",
     "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: =?base64?w6k=?=\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
     "call\",\"params\":{\"name\":\"\xC3\xA9\"," META "}}",
     "200", "-32602"},
    {"modern and of a version to come",
     "MCP-Protocol-Version: 2031-01-01\r\nMcp-Method: tools/list\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
     "\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\","
     "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
     "400", "-32022"},
    {"modern and unheard of", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ping\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"params\":{" META "}}", "404", "-32601"},
    {"modern and well", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n",
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META "}}", "200",
     "alpha::alpha_look"},
    {"a modern notification", "MCP-Protocol-Version: 2026-07-28\r\n",
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" META "}}", "202",
     ""},
};

static void posts_are_told_apart(void **state)
{
    (void)state;
    test_web_open_plain();
    for (size_t i = 0; i < sizeof posts / sizeof posts[0]; i++) {
        const char *text = test_web_post(0, "", "/mcp", posts[i].headers, posts[i].body);
        if (strncmp(text + 9, posts[i].status, 3) != 0 || strstr(text, posts[i].part) == NULL) {
            fail_msg("%s: %s", posts[i].name, text);
        }
    }
    test_web_close();
}

static void tokens_open_what_they_may(void **state)
{
    (void)state;
    test_web_open_plain();
    set_tokens();
    test_web_hold(test_web_ask(0, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), "200 OK");
    test_web_hold(test_web_ask(0, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), "401");
    test_web_hold(test_web_ask(0, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403");
    test_web_hold(test_web_post(0, "bad", "/mcp", "", INITIALIZE), "WWW-Authenticate: Bearer");
    test_web_hold(test_web_post(1, "good", "/mcp", "", INITIALIZE), "200 OK");
    test_web_hold(test_web_post(1, "good", "/mcp", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
                  "alpha::alpha_look");
    // Another's session is nobody's.
    test_web_hold(test_web_post(1, "poor", "/mcp", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
                  "404");
    const char *text = test_web_post(
        1, "poor", "/mcp/all",
        "MCP-Protocol-Version: 2026-07-28\r\n"
        "Mcp-Method: tools/list\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META "}}");
    test_web_hold(text, "\"tools\":[]");
    test_web_close();
}

static void requests_sent_ahead_are_answered_in_turn(void **state)
{
    (void)state;
    test_web_open_plain();
    const char *text   = test_web_ask(0, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                           "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                           "GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n");
    const char *second = strstr(text, " 404 ");
    assert_non_null(second);
    assert_true(strstr(text, " 200 ") < second);
    test_web_hold(second, " 200 ");
    assert_true(test_web.visitors[0].is_closed); // HTTP/1.0
    test_web_close();
}

static void pages_of_allowed_origins_may_use_it(void **state)
{
    const deft_view         origin  = deft_view_of("https://app.example");
    const deft__web_options options = {.origins = &origin, .origin_count = 1};
    (void)state;
    test_web_open(&options, NULL);
    test_web_hold(
        test_web_ask(
            0, "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\r\n"),
        "Access-Control-Allow-Headers");
    test_web_hold(test_web_post(0, "", "/mcp", "Origin: https://app.example\r\n", INITIALIZE),
                  "Access-Control-Allow-Origin: https://app.example");
    test_web_close();
}

static void what_is_too_slow_is_closed(void **state)
{
    (void)state;
    test_web_open_plain();
    (void)test_web_ask(0, "POST /mcp HTTP/1.1\r\nHost: loc");
    (void)test_web_ask(1, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    test_web.now_ms += 30001;
    deft__web_tick(test_web.web, test_web.now_ms, 30);
    assert_true(test_web.visitors[0].is_closed);
    assert_false(test_web.visitors[1].is_closed);
    test_web.now_ms += 120000;
    deft__web_tick(test_web.web, test_web.now_ms, 150);
    assert_true(test_web.visitors[1].is_closed);
    test_web_close();
}

// Without memory a request fails, or its connection; nothing leaks, and the next one is served.
static void every_allocation_may_fail(void **state)
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
            (void)test_web_post(0, "", "/mcp/alpha", "", INITIALIZE);
            (void)test_web_ask(1, "GET /mcp/alpha HTTP/1.1\r\nHost: localhost\r\n"
                                  "Accept: text/event-stream\r\n" SESSION "\r\n");
            (void)test_web_post(0, "", "/mcp/alpha", SESSION,
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
            (void)test_web_post(
                2, "", "/mcp",
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                "Mcp-Name: tool_search\r\n",
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                "\"tool_search\",\"arguments\":{\"query\":\"issues\"}," META "}}");
            (void)test_web_ask(0,
                               "DELETE /mcp/alpha HTTP/1.1\r\nHost: localhost\r\n" SESSION "\r\n");
            const char *text = test_web_ask(3, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            test_web_hold(text, allocator.requests < fail_at ? "200 OK" : "");
        }
        test_web_close();
        assert_int_equal(allocator.blocks, 0);
    } while (allocator.requests >= fail_at);
    assert_true(fail_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(posts_are_told_apart),
        cmocka_unit_test(tokens_open_what_they_may),
        cmocka_unit_test(requests_sent_ahead_are_answered_in_turn),
        cmocka_unit_test(pages_of_allowed_origins_may_use_it),
        cmocka_unit_test(what_is_too_slow_is_closed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
