// Proves A2. Remote servers: what goes wrong, what cannot be reached, and the end, at any moment.
#include "transport/remote.h"

#include "support/allocator.h"
#include "support/remote_play.h"
#include "support/thread_server.h"

// Messages here are put together of parts, on purpose.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)

// --- What goes wrong. -----------------------------------------------------------------------------

static const test_conversation faults[] = {
    {.name    = "half an answer",
     .answers = ANSWERS{{"POST /mcp", NULL, "200 json cut\n\n{'jsonrpc'", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: broke off its answer", NULL}},
    {.name    = "half an answer, and a reset",
     .answers = ANSWERS{{"POST /mcp", NULL, "200 json reset\n\n{'jsonrpc'", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: broke off its answer", NULL}},
    {.name    = "half a stream",
     .answers = ANSWERS{{"POST /mcp", NULL, "200 sse cut\n\ndata: {'jsonrpc'", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: broke off its answer", NULL}},
    {.name    = "chunks of garbage",
     .answers = ANSWERS{{"POST /mcp", NULL,
                         "raw\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                         "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
                         false},
                        END},
     .steps   = STEPS{CALL, "unanswered 3: broke off its answer", NULL}},
    {.name    = "no HTTP at all",
     .answers = ANSWERS{{"POST /mcp", NULL, "raw\nSSH-2.0-OpenSSH_9.2\r\n", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: did not answer in HTTP", NULL}},
    {.name    = "JSON that is none",
     .answers = ANSWERS{{"POST /mcp", NULL, "200 json\n\n{'jsonrpc':", false}, END},
     .steps   = STEPS{CALL, "< {'jsonrpc':",
                    "unanswered 3: answered with something else than a result or an error", NULL}},
    {.name = "an answer to something else",
     .answers =
         ANSWERS{{"POST /mcp", NULL, "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "< {'jsonrpc':'2.0','id':4,'result':{}}",
                    "unanswered 3: answered with something else than a result or an error", NULL}},
    {.name    = "an answer of the right id that is malformed is for the link to judge",
     .answers = ANSWERS{{"POST /mcp", NULL, "200 json\n\n{'jsonrpc':'2.0','id':3}", false}, END},
     .steps   = STEPS{CALL, "< {'jsonrpc':'2.0','id':3}", NULL}},
    {.name    = "no answer at all",
     .answers = ANSWERS{{"POST /mcp", NULL, "202 none\n\n", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: took the request and sent no answer", NULL}},
    {.name             = "an answer that is too large",
     .message_size_max = 20,
     .answers =
         ANSWERS{{"POST /mcp", NULL, "200 json\n\n{'jsonrpc':'2.0','id':3,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "unanswered 3: sent an answer that is too large", NULL}},
    {.name             = "an event that is too large",
     .message_size_max = 20,
     .answers          = ANSWERS{{"POST /mcp", NULL,
                                  "200 sse\n\ndata: {'jsonrpc':'2.0','id':3,'result':{}}\n\n", false},
                        END},
     .steps = STEPS{CALL, "unanswered 3: sent a message that is too long to be read", NULL}},
    {.name = "one call fails, the others go on",
     .answers =
         ANSWERS{{"POST /mcp", "'a'", "500 json\n\n{'error':{'message':'boom'}}", false},
                 {"POST /mcp", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "unanswered 3: answered with HTTP 500: boom", CALL_AGAIN,
                    "< {'jsonrpc':'2.0','id':4,'result':{}}", NULL}},
    {.name    = "an error page that repeats our key",
     .answers = ANSWERS{{"POST /mcp", NULL, "403 text\n\nbad key " TOKEN " for you", false}, END},
     .steps = STEPS{CALL, "unanswered 3: answered with HTTP 403: bad key [secret] for you", NULL}},
    {.name    = "an error under a status",
     .answers = ANSWERS{{"POST /mcp", NULL,
                         "404 json\n\n{'jsonrpc':'2.0','id':3,'error':{'code':-32601,'message':"
                         "'no'}}",
                         false},
                        END},
     .steps =
         STEPS{CALL, "< {'jsonrpc':'2.0','id':3,'error':{'code':-32601,'message':'no'}}", NULL}},
    {.name    = "a call is sent once, though the connection was used before and now is closed",
     .answers = ANSWERS{{"POST /mcp", "'a'", "200 json\n\n" DONE, false},
                        {"POST /mcp", "'b'", "raw\n", true},
                        END},
     .steps =
         STEPS{CALL, "< " DONE, CALL_AGAIN, "unanswered 4: closed the connection without an answer",
               "heard 1 POST /mcp|'b'", NULL}},
    {.name    = "but a list may be asked for again",
     .answers = ANSWERS{{"POST /mcp", "'a'", "200 json\n\n" DONE, false},
                        {"POST /mcp", "tools/list", "raw\n", false},
                        {"POST /mcp", "tools/list",
                         "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{}}", false},
                        END},
     .steps   = STEPS{CALL, "< " DONE, "> {'jsonrpc':'2.0','id':5,'method':'tools/list'}",
                    "< {'jsonrpc':'2.0','id':5,'result':{}}", NULL}},
    {.name    = "a login is wanted",
     .answers = ANSWERS{{"POST /mcp", NULL,
                         "401 none\nWWW-Authenticate: Bearer resource_metadata=\"x\"\n"
                         "WWW-Authenticate: Basic realm=\"y\"\n\n",
                         false},
                        END},
     .steps   = STEPS{DISCOVER,
                    "login: wants a login (HTTP 401): run 'deft login github'|Bearer "
                      "resource_metadata=\"x\", Basic realm=\"y\"",
                    NULL}},
    {.name = "more rights are wanted",
     .answers =
         ANSWERS{{"POST /mcp", NULL,
                  "403 none\nWWW-Authenticate: Bearer error=\"insufficient_scope\"\n\n", false},
                 END},
     .steps = STEPS{CALL, "unanswered 3: wants a login (HTTP 403): run 'deft login github'", NULL}},
    {.name = "more rights are wanted for anything at all",
     .answers =
         ANSWERS{{"POST /mcp", NULL,
                  "403 none\nWWW-Authenticate: Bearer error=\"insufficient_scope\"\n\n", false},
                 END},
     .steps = STEPS{DISCOVER,
                    "login: wants a login (HTTP 403): run 'deft login github'|Bearer "
                    "error=\"insufficient_scope\"",
                    NULL}},
    {.name = "a notification that is refused is nobody's business",
     .answers =
         ANSWERS{{"POST /mcp", "cancelled", "500 none\n\n", false},
                 {"POST /mcp", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CANCEL, CALL_AGAIN, "< {'jsonrpc':'2.0','id':4,'result':{}}", NULL}},
    {.name    = "silence, and then we leave",
     .answers = ANSWERS{{"POST /mcp", NULL, "silence", false}, END},
     .steps   = STEPS{CALL, "heard 1 POST /mcp|tools/call", "stop", "closed: was stopped", NULL}},
    {.name    = "the server goes while it is asked",
     .answers = ANSWERS{{"POST /mcp", NULL, "silence", false}, END},
     .steps   = STEPS{CALL, "heard 1 POST /mcp|tools/call", "vanish",
                    "unanswered 3: closed the connection without an answer", CALL_AGAIN,
                    "closed: could not be reached: the connection was refused", NULL}},
};

static void what_goes_wrong(void **state)
{
    (void)state;
    test_play_all(faults, array_size(faults));
}

// NOLINTEND(bugprone-suspicious-missing-comma)

static void it_can_be_freed_from_any_callback(void **state)
{
    (void)state;
    const test_conversation cases[] = {
        {.answers = ANSWERS{{"POST /mcp", NULL, "200 json\n\n" DONE, false}, END},
         .steps   = STEPS{CALL, "< " DONE}},
        {.answers =
             ANSWERS{{"POST /mcp", NULL, "200 sse\n\ndata: " DONE "\n\ndata: " DONE "\n\n", false},
                     END},
         .steps = STEPS{CALL, "< " DONE}},
        {.answers = ANSWERS{{"POST /mcp", NULL, "500 none\n\n", false}, END},
         .steps   = STEPS{CALL, "unanswered 3: answered with HTTP 500"}},
        {.answers = ANSWERS{{"POST /mcp", NULL, "401 none\n\n", false}, END},
         .steps   = STEPS{CALL, "login: wants a login (HTTP 401): run 'deft login github'|"}},
        {.answers   = ANSWERS{{"GET /mcp", NULL, "405 none\n\n", false}, END},
         .transport = DEFT_TRANSPORT_SSE,
         .steps     = STEPS{DISCOVER, "unanswered 1: speaks HTTP+SSE, which is legacy"}},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        test_play one;
        test_play_init(&one, &cases[i]);
        one.frees = true;
        test_play_step(&one, cases[i].steps[0]);
        test_play_step(&one, cases[i].steps[1]);
        assert_null(one.remote);
        test_play_clear(&one);
    }
}

static const struct {
    const char *name;
    const char *url;
    deft_pair   header;
    const char *message;
} bad[] = {
    {"no address",
     "",
     {{0}, {0}},
     "cannot be reached: its url is not http:// or https:// with a host and without a user name "
     "(credentials go into headers)"},
    {"another protocol",
     "ftp://example.com/",
     {{0}, {0}},
     "cannot be reached: its url is not http:// or https:// with a host and without a user name "
     "(credentials go into headers)"},
    {"a user name",
     "https://me:secret@example.com/",
     {{0}, {0}},
     "cannot be reached: its url is not http:// or https:// with a host and without a user name "
     "(credentials go into headers)"},
    {"a variable that is not set",
     "https://example.com/${NO_SUCH}",
     {{0}, {0}},
     "url of server 'github': the variable NO_SUCH is not set; set it, or write "
     "${NO_SUCH:-default}"},
    {"a header with a line end",
     "https://example.com/",
     {DEFT_VIEW_INIT("X"), DEFT_VIEW_INIT("a\r\nHost: b")},
     "cannot be asked: header 'X' holds a line end or control character"},
    {"a header without a name",
     "https://example.com/",
     {DEFT_VIEW_INIT(""), DEFT_VIEW_INIT("a")},
     "cannot be asked: '' in its headers is no name of a header"},
};

static void configurations_that_are_no_good(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    for (size_t i = 0; i < array_size(bad); i++) {
        case_name(bad[i].name);
        deft_error                 error   = DEFT_ERROR_INIT;
        const deft_server_config   server  = {.name         = DEFT_VIEW_INIT("github"),
                                              .transport    = DEFT_TRANSPORT_HTTP,
                                              .url          = deft_view_of(bad[i].url),
                                              .headers      = &bad[i].header,
                                              .header_count = bad[i].header.value.size > 0 ? 1 : 0};
        const deft__remote_options options = {.server      = &server,
                                              .environment = test_play_environment};
        assert_null(deft__remote_start(loop, &options, &error));
        assert_string_equal(error.message, bad[i].message);
    }
    deft__loop_free(loop);
}

static void only_plain_http_over_a_network_is_open(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool        is_open;
    } cases[] = {
        {"http://example.com/mcp", true},     {"https://example.com/mcp", false},
        {"http://127.0.0.1:8080/mcp", false}, {"http://localhost/mcp", false},
        {"http://[::1]:1/mcp", false},        {"http://10.0.0.1/mcp", true},
    };
    deft__loop *loop = test_loop_new();
    for (size_t i = 0; i < array_size(cases); i++) {
        const deft_server_config   server  = {.name      = DEFT_VIEW_INIT("github"),
                                              .transport = DEFT_TRANSPORT_HTTP,
                                              .url       = deft_view_of(cases[i].url)};
        const deft__remote_options options = {.server      = &server,
                                              .environment = test_play_environment};
        deft__remote              *remote  = deft__remote_start(loop, &options, NULL);
        assert_non_null(remote);
        assert_int_equal(deft__remote_is_open(remote), cases[i].is_open);
        deft__remote_free(remote);
    }
    deft__loop_free(loop);
}

static void a_server_that_takes_nothing_is_given_up(void **state)
{
    (void)state;
    const test_conversation now = {.answers = ANSWERS{{"POST /mcp", NULL, "silence", true}, END},
                                   .steps   = STEPS{NULL}};
    test_play               one;
    test_play_init(&one, &now);
    deft_buffer line;
    deft_buffer_init(&line, NULL);
    deft_buffer_append_text(&line,
                            "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\",\"params\":{\"x\":\"");
    while (line.size < (60u << 20)) {
        deft_buffer_append_text(&line, "................................................");
    }
    deft_buffer_append_text(&line, "\"}}");
    deft__remote_send(one.remote, deft_buffer_view(&line));
    deft__remote_send(one.remote, deft_buffer_view(&line));
    deft__remote_send(one.remote, deft_buffer_view(&line));
    deft__remote_send(one.remote, deft_buffer_view(&line));
    deft_buffer_clear(&line);
    test_play_step(&one, "closed: does not take what is sent to it");
    test_play_clear(&one);
}

// --- Memory. --------------------------------------------------------------------------------------

typedef struct trial {
    deft__loop *loop;
    bool        is_answered;
} trial;

static void trial_received(void *context, deft_view line)
{
    trial *one = context;
    assert_true(line.size > 0);
    one->is_answered = true;
    deft__loop_stop(one->loop);
}

static void trial_overflowed(void *context)
{
    fail_msg("%s", context != NULL ? "nothing is too long here" : "");
}

static void trial_unanswered(void *context, deft_view id, deft_view reason)
{
    const trial *one = context;
    assert_true(id.size > 0 && reason.size > 0);
    deft__loop_stop(one->loop);
}

static void trial_closed(void *context, deft_view reason)
{
    const trial *one = context;
    assert_true(reason.size > 0);
    deft__loop_stop(one->loop);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    static const char line[] =
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"a\","
        "\"arguments\":{\"x\":\"\\u0079\"},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\"}}}";
    static const char tools[] =
        "[{\"name\":\"a\",\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"string\","
        "\"x-mcp-header\":\"X\"}}}}]";
    trial                    one     = {.loop = deft__loop_new(allocator, NULL)};
    deft__fetcher           *fetcher = NULL;
    deft__remote            *remote  = NULL;
    const deft_server_config server  = {.name      = DEFT_VIEW_INIT("github"),
                                        .transport = DEFT_TRANSPORT_HTTP,
                                        .url       = deft_view_of(context)};
    if (one.loop == NULL) {
        return false;
    }
    fetcher = deft__fetcher_new(one.loop, NULL, 0, NULL);
    if (fetcher != NULL) {
        const deft__remote_options options = {
            .server      = &server,
            .environment = test_play_environment,
            .tools       = deft_view_of(tools),
            .fetcher     = fetcher,
            .context     = &one,
            .received    = trial_received,
            .overflowed  = trial_overflowed,
            .unanswered  = trial_unanswered,
            .closed      = trial_closed,
        };
        remote = deft__remote_start(one.loop, &options, NULL);
    }
    if (remote != NULL) {
        deft__remote_send(remote, deft_view_of(line));
        deft__loop_run(one.loop);
    }
    deft__remote_free(remote);
    deft__fetcher_free(fetcher);
    deft__loop_free(one.loop);
    return one.is_answered;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    test_thread_server server = {
        .answer = DEFT_VIEW_INIT("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Content-Length: 36\r\n\r\n"
                                 "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}")};
    char url[100];
    test_thread_server_start(&server);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/mcp", server.port);
    assert_true(test_every_allocation_fails(attempt, url) >= 10);
    test_thread_server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_wrong),
        cmocka_unit_test(it_can_be_freed_from_any_callback),
        cmocka_unit_test(configurations_that_are_no_good),
        cmocka_unit_test(only_plain_http_over_a_network_is_open),
        cmocka_unit_test(a_server_that_takes_nothing_is_given_up),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
