// Two tokens before one gateway, on every path that there is: one may reach everything, the other some
// of it. What the second may not reach is answered as what does not exist, byte for byte. Then limits,
// and tokens that come and go while sessions are open.
#include "web/access.h"

#include "support/allocator.h"
#include "support/test.h"
#include "support/web_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const deft_view alpha_only[] = {DEFT_VIEW_INIT("alpha")};
static const deft_view no_wiping[]  = {DEFT_VIEW_INIT("alpha::*_wipe")};

// "whole" for everything, "some" for one server without one of its tools; limits are given.
static deft__token token_of(const char *name)
{
    deft__token token = {.name = deft_view_of(name)};
    assert_true(deft__sha256(deft_view_of(name), &token.digest));
    if (strcmp(name, "some") == 0) {
        token.restriction = (deft_restriction){
            .servers = alpha_only, .server_count = 1, .denied = no_wiping, .denied_count = 1};
    }
    return token;
}

static void open_web_strictly(uint32_t failures_per_second)
{
    const deft__token       tokens[] = {token_of("whole"), token_of("some")};
    const deft__web_options options  = {.failures_per_second = failures_per_second};
    test_web_open(&options, NULL);
    assert_int_equal(deft__web_set_tokens(test_web.web, tokens, 2, NULL), DEFT_OK);
}

static void open_web(void)
{
    open_web_strictly(0);
}

// --- What does not exist for one. ---

// `#` stands for a name: one that is there but hidden from "some", and one that is nowhere.
static const struct {
    const char *name;
    const char *path;
    const char *method;
    const char *named; // Mcp-Name; NULL: none
    const char *params;
    const char *hidden;
    const char *missing;
} asked[] = {
    {"a tool of a hidden server, by its listed name", "/mcp", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "delta__delta_look", "gamma__gamma_look"},
    {"a tool of a hidden server, by its id", "/mcp", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "delta::delta_look", "gamma::gamma_look"},
    {"a tool of a hidden server, by its bare name", "/mcp", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "delta_look", "gamma_look"},
    {"a tool that is denied, by its listed name", "/mcp", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "alpha__alpha_wipe", "alpha__alpha_wixe"},
    {"a tool that is denied, by its id", "/mcp", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "alpha::alpha_wipe", "alpha::alpha_wixe"},
    {"the call tool, for a hidden server", "/mcp", "tools/call", "tool_call",
     "\"name\":\"tool_call\",\"arguments\":{\"tool_name\":\"#\"}", "delta::delta_look",
     "gamma::gamma_look"},
    {"the call tool, for a tool that is denied", "/mcp", "tools/call", "tool_call",
     "\"name\":\"tool_call\",\"arguments\":{\"tool_name\":\"#\"}", "alpha::alpha_wipe",
     "alpha::alpha_wixe"},
    {"describing a hidden server's", "/mcp", "tools/call", "tool_describe",
     "\"name\":\"tool_describe\",\"arguments\":{\"tool_name\":\"#\"}", "delta::delta_look",
     "gamma::gamma_look"},
    {"describing one that is denied", "/mcp", "tools/call", "tool_describe",
     "\"name\":\"tool_describe\",\"arguments\":{\"tool_name\":\"#\"}", "alpha::alpha_wipe",
     "alpha::alpha_wixe"},
    {"selecting a hidden server's", "/mcp", "tools/call", "tool_search",
     "\"name\":\"tool_search\",\"arguments\":{\"query\":\"select:#\"}", "delta::delta_look",
     "gamma::gamma_look"},
    {"searching for words that a hidden server alone has", "/mcp", "tools/call", "tool_search",
     "\"name\":\"tool_search\",\"arguments\":{\"query\":\"#\"}", "delta", "gamma"},
    {"searching in a hidden server", "/mcp", "tools/call", "tool_search",
     "\"name\":\"tool_search\",\"arguments\":{\"query\":\"server:# look\"}", "delta", "gamma"},
    {"searching by id", "/mcp", "tools/call", "tool_search",
     "\"name\":\"tool_search\",\"arguments\":{\"tool_id\":\"#\"}", "delta::delta_look",
     "gamma::gamma_look"},
    {"a prompt", "/mcp", "prompts/get", "#", "\"name\":\"#\"", "delta__greet", "gamma__greet"},
    {"a resource", "/mcp", "resources/read", "#", "\"uri\":\"#\"", "delta:1", "gamma:1"},
    {"a resource of a template", "/mcp", "resources/read", "#", "\"uri\":\"#\"", "delta:77",
     "gamma:77"},
    {"completing a prompt's argument", "/mcp", "completion/complete", NULL,
     "\"ref\":{\"type\":\"ref/"
     "prompt\",\"name\":\"#\"},\"argument\":{\"name\":\"x\",\"value\":\"\"}",
     "delta__greet", "gamma__greet"},
    {"completing a template", "/mcp", "completion/complete", NULL,
     "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"#\"},"
     "\"argument\":{\"name\":\"id\",\"value\":\"\"}",
     "delta:{id}", "gamma:{id}"},
    {"everything listed: a tool of a hidden server", "/mcp/all", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "delta__delta_look", "gamma__gamma_look"},
    {"everything listed: a tool that is denied", "/mcp/all", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "alpha__alpha_wipe", "alpha__alpha_wixe"},
    {"one server: its own denied tool", "/mcp/alpha", "tools/call", "#",
     "\"name\":\"#\",\"arguments\":{}", "alpha_wipe", "alpha_wixe"},
    {"a hidden server's endpoint", "/mcp/#", "tools/list", NULL, "", "delta", "gamma"},
    {"a call at a hidden server's endpoint", "/mcp/#", "tools/call", "x",
     "\"name\":\"x\",\"arguments\":{}", "delta", "gamma"},
};

static void fill(char *out, size_t size, const char *pattern, const char *name)
{
    size_t at = 0;
    for (; *pattern != '\0' && at + 1 < size; pattern++) {
        if (*pattern == '#') {
            at += (size_t)snprintf(out + at, size - at, "%s", name);
        } else {
            out[at++] = *pattern;
        }
    }
    out[at] = '\0';
}

// The answer for one name, with the name itself taken out.
static void answer_for(size_t row, const char *token, const char *name, char *out, size_t size)
{
    char path[64];
    char named[128];
    char params[512];
    fill(path, sizeof path, asked[row].path, name);
    fill(named, sizeof named, asked[row].named != NULL ? asked[row].named : "", name);
    fill(params, sizeof params, asked[row].params, name);
    const char *text = test_web_modern(0, token, path, asked[row].method,
                                       asked[row].named != NULL ? named : NULL, params);
    size_t      at   = 0;
    while (*text != '\0' && at + 1 < size) {
        if (strncmp(text, name, strlen(name)) == 0) {
            out[at++] = '#';
            text += strlen(name);
        } else {
            out[at++] = *text++;
        }
    }
    out[at] = '\0';
    test_web_leave(0);
}

static void what_is_hidden_is_answered_as_what_does_not_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        static char hidden[8192];
        static char missing[8192];
        open_web();
        answer_for(i, "some", asked[i].hidden, hidden, sizeof hidden);
        answer_for(i, "some", asked[i].missing, missing, sizeof missing);
        // No answer yet: the one server that it may reach is asked, and not the hidden one.
        if (test_web.lives[1] != 0 || strcmp(hidden, missing) != 0) {
            fail_msg("%s: hidden\n%s\nmissing\n%s", asked[i].name, hidden, missing);
        }
        // It is there for the other one, or this would prove nothing.
        answer_for(i, "whole", asked[i].hidden, hidden, sizeof hidden);
        answer_for(i, "whole", asked[i].missing, missing, sizeof missing);
        if (strcmp(hidden, missing) == 0) {
            fail_msg("%s: it is not there at all\n%s", asked[i].name, hidden);
        }
        test_web_close();
    }
}

// --- Lists. ---

static const struct {
    const char *name;
    const char *path;
    const char *method;
    const char *named;
    const char *params;
    const char *seen; // by both
} lists[] = {
    {"tools with search", "/mcp", "tools/list", NULL, "", "alpha"},
    {"all tools", "/mcp/all", "tools/list", NULL, "", "alpha__alpha_look"},
    {"prompts", "/mcp", "prompts/list", NULL, "", "alpha__greet"},
    {"resources", "/mcp", "resources/list", NULL, "", "alpha:1"},
    {"templates", "/mcp", "resources/templates/list", NULL, "", "alpha:{id}"},
    {"a search for everything", "/mcp", "tools/call", "tool_search",
     "\"name\":\"tool_search\",\"arguments\":{\"query\":\"look wipe things alpha delta\"}",
     "alpha::alpha_look"},
    {"a search that finds nothing lists what there is", "/mcp", "tools/call", "tool_search",
     "\"name\":\"tool_search\",\"arguments\":{\"query\":\"zzzz\"}", "alpha"},
    {"the state of tool search", "/mcp", "prompts/get", "tool-search", "\"name\":\"tool-search\"",
     "alpha"},
};

static void lists_have_what_a_token_may_reach(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        open_web();
        const char *text = test_web_modern(0, "whole", lists[i].path, lists[i].method,
                                           lists[i].named, lists[i].params);
        test_web_hold(text, lists[i].seen);
        test_web_hold(text, "delta");
        text = test_web_modern(0, "some", lists[i].path, lists[i].method, lists[i].named,
                               lists[i].params);
        test_web_hold(text, lists[i].seen);
        test_web_lack(text, "delta");
        test_web_lack(text, "_wipe");
        test_web_close();
    }
}

static void one_server_alone_obeys_the_token_too(void **state)
{
    (void)state;
    open_web();
    const char *text = test_web_modern(0, "some", "/mcp/alpha", "tools/list", NULL, "");
    test_web_hold(text, "\"alpha_look\"");
    test_web_lack(text, "_wipe");
    test_web_hold(test_web_modern(0, "whole", "/mcp/alpha", "tools/list", NULL, ""), "alpha_wipe");
    test_web_hold(test_web_modern(0, "whole", "/mcp/delta", "tools/list", NULL, ""), "delta_look");
    test_web_close();
}

static void a_stream_tells_of_what_may_be_reached(void **state)
{
    (void)state;
    open_web();
    // Both listen for both resources.
    const char *wanted = "\"notifications\":{\"toolsListChanged\":true,"
                         "\"resourceSubscriptions\":[\"alpha:1\",\"delta:1\"]}";
    test_web_hold(test_web_modern(0, "whole", "/mcp", "subscriptions/listen", NULL, wanted),
                  "acknowledged");
    test_web_hold(test_web_modern(1, "some", "/mcp", "subscriptions/listen", NULL, wanted),
                  "acknowledged");
    for (size_t i = 0; i < TEST_WEB_SERVERS; i++) {
        char line[256];
        (void)snprintf(line, sizeof line,
                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
                       "\"2025-11-25\",\"capabilities\":{\"resources\":{\"subscribe\":true}},"
                       "\"serverInfo\":{}}}");
        deft__link_received(deft__gateway_link(test_web.gateway, i), test_web.lives[i],
                            deft_view_of(line));
        test_web_settle();
        (void)snprintf(line, sizeof line,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
                       "\"params\":{\"uri\":\"%s:1\"}}",
                       i == 0 ? "alpha" : "delta");
        deft_buffer_reset(&test_web.visitors[0].got);
        deft_buffer_reset(&test_web.visitors[1].got);
        deft__link_received(deft__gateway_link(test_web.gateway, i), test_web.lives[i],
                            deft_view_of(line));
        test_web_hold(test_web_said(0), i == 0 ? "alpha:1" : "delta:1");
        if (i == 0) {
            test_web_hold(test_web_said(1), "alpha:1");
        } else {
            assert_string_equal(test_web_said(1), "");
        }
    }
    test_web_close();
}

static void metrics_are_ones_own_where_not_all_may_be_reached(void **state)
{
    (void)state;
    open_web();
    (void)test_web_modern(0, "whole", "/mcp", "tools/list", NULL, "");
    const char *text = test_web_get(0, "whole", "/metrics");
    test_web_hold(text, "deft_tools 4\n");
    test_web_hold(text, "deft_token_calls_total{token=\"whole\"} 1\n");
    test_web_hold(text, "deft_token_calls_total{token=\"some\"} 0\n");
    test_web_hold(text, "deft_token_refused_total{token=\"some\",reason=\"rate\"} 0\n");
    text = test_web_get(0, "some", "/metrics");
    test_web_hold(text, "deft_token_calls_total{token=\"some\"} 0\n");
    test_web_lack(text, "whole");
    test_web_lack(text, "deft_tools");
    test_web_close();
}

// Prometheus' text format: each metric is announced once, with what it is and its kind, and its lines follow.
static void metrics_are_in_the_format_of_prometheus(void **state)
{
    (void)state;
    open_web();
    const char *text = test_web_get(0, "whole", "/metrics");
    test_web_hold(text, "\r\nContent-Type: text/plain; version=0.0.4\r\n");
    int count = 0;
    for (text = strstr(text, "\r\n\r\n") + 4; *text != '\0'; count++) {
        char name[64], again[64], kind[16], help[80];
        int  used = 0;
        assert_int_equal(sscanf(text, "# HELP %63[a-z_] %*[^\n]\n# TYPE %63[a-z_] %15[a-z]\n%n",
                                name, again, kind, &used),
                         3);
        text += used;
        assert_string_equal(again, name);
        (void)snprintf(help, sizeof help, "# HELP %s ", name);
        assert_null(strstr(text, help));
        const bool is_total = strcmp(name + strlen(name) - 6, "_total") == 0;
        assert_string_equal(kind, is_total ? "counter" : "gauge");
        assert_int_equal(strncmp(text, name, strlen(name)), 0);
        for (; strncmp(text, name, strlen(name)) == 0; text = strchr(text, '\n') + 1) {
            const char *rest = text + strlen(name);
            rest             = *rest == '{' ? strstr(rest, "\"} ") + 2 : rest;
            assert_int_equal(*rest, ' ');
            assert_true(strspn(rest + 1, "0123456789") > 0);
            assert_int_equal(rest[1 + strspn(rest + 1, "0123456789")], '\n');
        }
    }
    assert_int_equal(count, 12);
    test_web_close();
}

static void the_journal_names_the_token(void **state)
{
    (void)state;
    open_web();
    (void)test_web_modern(0, "some", "/mcp", "tools/call", "tool_search",
                          "\"name\":\"tool_search\",\"arguments\":{\"query\":\"look\"}");
    assert_string_equal(test_web.journal, "some: ");
    test_web_close();
}

// --- Limits. ---

static void set_limits(uint32_t per_minute, uint32_t at_once, uint32_t sessions)
{
    deft__token tokens[]       = {token_of("whole"), token_of("some")};
    tokens[1].calls_per_minute = per_minute;
    tokens[1].concurrent_calls = at_once;
    tokens[1].sessions         = sessions;
    assert_int_equal(deft__web_set_tokens(test_web.web, tokens, 2, NULL), DEFT_OK);
}

static const char *list_tools(size_t place, const char *token)
{
    return test_web_modern(place, token, "/mcp", "tools/list", NULL, "");
}

static void too_many_in_a_minute_are_refused(void **state)
{
    (void)state;
    open_web();
    set_limits(2, 0, 0);
    test_web_hold(list_tools(0, "some"), " 200 ");
    test_web_hold(list_tools(0, "some"), " 200 ");
    const char *text = list_tools(0, "some");
    test_web_hold(text, " 429 Too Many Requests\r\n");
    test_web_hold(text, "Retry-After: 30\r\n");
    test_web_hold(text, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":429,\"message\":");
    test_web_hold(text, "callsPerMinute");
    assert_false(test_web.visitors[0].is_closed);
    // Others are not concerned, and time heals.
    test_web_hold(list_tools(1, "whole"), " 200 ");
    test_web.now_ms += 30000;
    deft__web_tick(test_web.web, test_web.now_ms, 30);
    test_web_hold(list_tools(0, "some"), " 200 ");
    test_web_hold(list_tools(0, "some"), " 429 ");
    test_web_hold(test_web_get(0, "some", "/metrics"),
                  "deft_token_refused_total{token=\"some\",reason=\"rate\"} 2\n");
    // Limits change while it is in force; what was taken stays taken.
    set_limits(60, 0, 0);
    test_web.now_ms += 1000;
    deft__web_tick(test_web.web, test_web.now_ms, 31);
    test_web_hold(list_tools(0, "some"), " 200 ");
    test_web_hold(list_tools(0, "some"), " 429 ");
    test_web_close();
}

#define CALL "\"name\":\"alpha__alpha_look\",\"arguments\":{}"

static void too_many_at_once_are_refused(void **state)
{
    (void)state;
    open_web();
    set_limits(0, 1, 0);
    assert_string_equal(test_web_modern(0, "some", "/mcp", "tools/call", "alpha__alpha_look", CALL),
                        "");
    const char *text = list_tools(1, "some");
    test_web_hold(text, " 429 ");
    test_web_hold(text, "Retry-After: 1\r\n");
    test_web_hold(text, "concurrentCalls");
    // A stream that only listens is none; nor is a ping.
    test_web_hold(test_web_modern(2, "some", "/mcp", "subscriptions/listen", NULL,
                                  "\"notifications\":{\"toolsListChanged\":true}"),
                  " 429 ");
    test_web_leave(0); // it is cancelled
    test_web_hold(list_tools(1, "some"), " 200 ");
    test_web_hold(test_web_modern(2, "some", "/mcp", "subscriptions/listen", NULL,
                                  "\"notifications\":{\"toolsListChanged\":true}"),
                  " 200 ");
    test_web_hold(list_tools(1, "some"), " 200 ");
    test_web_hold(list_tools(1, "some"), " 200 ");
    test_web_hold(test_web_get(1, "some", "/metrics"), "deft_token_open_calls{token=\"some\"} 0\n");
    test_web_close();
}

#define PING "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"

static void sessions_of_a_token_are_its_own_and_counted(void **state)
{
    (void)state;
    open_web();
    set_limits(0, 0, 1);
    test_web_hold(test_web_post(0, "some", "/mcp", "", INITIALIZE), "Mcp-Session-Id: 0101");
    test_web_hold(test_web_post(0, "some", "/mcp", "", INITIALIZE), " 503 ");
    test_web_hold(test_web_post(0, "some", "/mcp", SESSION, PING), " 200 ");
    // Another's session is nobody's, on every method.
    test_web_hold(test_web_post(1, "whole", "/mcp", SESSION, PING), " 404 ");
    test_web_hold(
        test_web_ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                        "Authorization: Bearer whole\r\n" SESSION "\r\n"),
        " 404 ");
    test_web_hold(
        test_web_ask(
            1, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer whole\r\n" SESSION
               "\r\n"),
        " 404 ");
    test_web_hold(
        test_web_ask(
            0, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer some\r\n" SESSION
               "\r\n"),
        " 204 ");
    test_web_hold(test_web_post(0, "some", "/mcp", "", INITIALIZE), "Mcp-Session-Id: 02");
    test_web_close();
}

// --- Tokens that come and go. ---

static void a_token_that_is_taken_away_takes_everything_with_it(void **state)
{
    const deft__token whole = token_of("whole");
    (void)state;
    open_web();
    test_web_hold(test_web_post(0, "some", "/mcp", "", INITIALIZE), " 200 ");
    test_web_hold(
        test_web_ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                        "Authorization: Bearer some\r\n" SESSION "\r\n"),
        "text/event-stream");
    assert_string_equal(test_web_modern(2, "some", "/mcp", "tools/call", "alpha__alpha_look", CALL),
                        "");
    test_web_hold(test_web_post(3, "whole", "/mcp", "", INITIALIZE), "Mcp-Session-Id: 02");
    assert_int_equal(deft__web_set_tokens(test_web.web, &whole, 1, NULL), DEFT_OK);
    test_web_settle();
    assert_true(test_web.visitors[1].is_closed); // its stream
    assert_true(test_web.visitors[2].is_closed); // its call
    assert_int_equal(deft__web_open_count(test_web.web), 0);
    test_web_hold(test_web_post(0, "some", "/mcp", SESSION, PING), " 401 ");
    // Given again it begins anew, and the other one was never disturbed.
    set_limits(0, 0, 0);
    test_web_hold(test_web_post(0, "some", "/mcp", SESSION, PING), " 404 ");
    test_web_hold(test_web_post(3, "whole", "/mcp",
                                "Mcp-Session-Id: 02020202020202020202020202020202\r\n", PING),
                  " 200 ");
    // Without any token nobody may; that does not open the door.
    assert_int_equal(deft__web_set_tokens(test_web.web, NULL, 0, NULL), DEFT_OK);
    test_web_hold(test_web_get(0, "whole", "/metrics"), " 401 ");
    test_web_hold(test_web_ask(1, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), " 401 ");
    test_web_close();
}

static void a_token_that_may_reach_other_things_begins_anew(void **state)
{
    deft__token tokens[] = {token_of("whole"), token_of("some")};
    (void)state;
    open_web();
    test_web_hold(test_web_post(0, "some", "/mcp", "", INITIALIZE), " 200 ");
    tokens[1].restriction.denied_count = 0;
    assert_int_equal(deft__web_set_tokens(test_web.web, tokens, 2, NULL), DEFT_OK);
    test_web_hold(test_web_post(0, "some", "/mcp", SESSION, PING), " 404 ");
    test_web_hold(test_web_modern(0, "some", "/mcp/all", "tools/list", NULL, ""), "alpha_wipe");
    test_web_close();
}

static void a_token_expires_with_what_it_has_open(void **state)
{
    deft__token token = token_of("some");
    (void)state;
    token.expires_s = 100;
    open_web();
    assert_int_equal(deft__web_set_tokens(test_web.web, &token, 1, NULL), DEFT_OK);
    test_web_hold(test_web_post(0, "some", "/mcp", "", INITIALIZE), " 200 ");
    test_web_hold(
        test_web_ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                        "Authorization: Bearer some\r\n" SESSION "\r\n"),
        "text/event-stream");
    deft__web_tick(test_web.web, test_web.now_ms, 99);
    assert_false(test_web.visitors[1].is_closed);
    deft__web_tick(test_web.web, test_web.now_ms, 100);
    assert_true(test_web.visitors[1].is_closed);
    test_web_hold(test_web_post(0, "some", "/mcp", SESSION, PING), "error=\"invalid_token\"");
    test_web_close();
}

static const struct {
    const char *name;
    const char *header;
    const char *challenge;
} strangers[] = {
    {"no token", "", "WWW-Authenticate: Bearer realm=\"deft\"\r\n"},
    {"another scheme", "Authorization: Basic d2hvbGU=\r\n",
     "WWW-Authenticate: Bearer realm=\"deft\"\r\n"},
    {"a token that is nobody's", "Authorization: Bearer wholex\r\n",
     "WWW-Authenticate: Bearer realm=\"deft\", error=\"invalid_token\","},
    {"the digest in place of the token",
     "Authorization: Bearer 0fd5e5ea0fd5e5ea0fd5e5ea0fd5e5ea0fd5e5ea0fd5e5ea0fd5e5ea0fd5e5ea\r\n",
     "error=\"invalid_token\","},
    {"two of them", "Authorization: Bearer whole\r\nAuthorization: Bearer whole\r\n",
     "WWW-Authenticate: Bearer realm=\"deft\"\r\n"},
};

static void who_has_no_good_token_is_told_what_is_wanted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        char text[512];
        open_web();
        (void)snprintf(text, sizeof text, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
                       strangers[i].header);
        const char *answer = test_web_ask(0, text);
        if (strstr(answer, " 401 Unauthorized\r\n") == NULL ||
            strstr(answer, strangers[i].challenge) == NULL) {
            fail_msg("%s: %s", strangers[i].name, answer);
        }
        test_web_close();
    }
}

static void guessing_is_slowed_down_and_good_tokens_are_not(void **state)
{
    (void)state;
    open_web_strictly(2); // a second
    test_web_hold(test_web_get(0, "guess1", "/metrics"), " 401 ");
    test_web_hold(test_web_get(0, "guess2", "/metrics"), " 401 ");
    const char *text = test_web_get(0, "guess3", "/metrics");
    test_web_hold(text, " 429 ");
    test_web_hold(text, "Retry-After: 1\r\n");
    assert_true(test_web.visitors[0].is_closed);
    test_web_hold(test_web_get(1, "whole", "/metrics"), "deft_http_unauthorized_total 3\n");
    test_web.now_ms += 500;
    deft__web_tick(test_web.web, test_web.now_ms, 1);
    test_web_hold(test_web_get(0, "guess4", "/metrics"), " 401 ");
    test_web_hold(test_web_get(0, "guess5", "/metrics"), " 429 ");
    test_web_close();
}

static void too_many_tokens_change_nothing(void **state)
{
    static deft__token many[DEFT__TOKENS_MAX + 1];
    deft_error         error = DEFT_ERROR_INIT;
    (void)state;
    open_web();
    assert_int_equal(deft__web_set_tokens(test_web.web, many, DEFT__TOKENS_MAX + 1, &error),
                     DEFT_LIMIT);
    test_web_hold(list_tools(0, "some"), " 200 ");
    test_web_close();
}

// Without memory the old list stays in force.
static void every_allocation_may_fail(void **state)
{
    const deft__token old[]         = {token_of("whole")};
    const deft__token new[]         = {token_of("some"), token_of("other")};
    const deft__web_options options = {.host_count = 0};
    test_allocator          allocator;
    size_t                  fail_at = 0;
    deft_status             status;
    (void)state;
    do {
        test_allocator_init(&allocator);
        test_web_open(&options, &allocator.allocator);
        assert_int_equal(deft__web_set_tokens(test_web.web, old, 1, NULL), DEFT_OK);
        allocator.fail_at = allocator.requests + ++fail_at;
        status            = deft__web_set_tokens(test_web.web, new, 2, NULL);
        allocator.fail_at = 0;
        test_web_hold(list_tools(0, status == DEFT_OK ? "some" : "whole"), " 200 ");
        test_web_close();
        assert_int_equal(allocator.blocks, 0);
    } while (status == DEFT_OUT_OF_MEMORY);
    assert_int_equal(status, DEFT_OK);
    assert_true(fail_at > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_hidden_is_answered_as_what_does_not_exist),
        cmocka_unit_test(lists_have_what_a_token_may_reach),
        cmocka_unit_test(one_server_alone_obeys_the_token_too),
        cmocka_unit_test(a_stream_tells_of_what_may_be_reached),
        cmocka_unit_test(metrics_are_ones_own_where_not_all_may_be_reached),
        cmocka_unit_test(metrics_are_in_the_format_of_prometheus),
        cmocka_unit_test(the_journal_names_the_token),
        cmocka_unit_test(too_many_in_a_minute_are_refused),
        cmocka_unit_test(too_many_at_once_are_refused),
        cmocka_unit_test(sessions_of_a_token_are_its_own_and_counted),
        cmocka_unit_test(a_token_that_is_taken_away_takes_everything_with_it),
        cmocka_unit_test(a_token_that_may_reach_other_things_begins_anew),
        cmocka_unit_test(a_token_expires_with_what_it_has_open),
        cmocka_unit_test(who_has_no_good_token_is_told_what_is_wanted),
        cmocka_unit_test(guessing_is_slowed_down_and_good_tokens_are_not),
        cmocka_unit_test(too_many_tokens_change_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
