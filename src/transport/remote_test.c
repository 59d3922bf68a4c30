// Proves A2. Remote servers, played by a server of ours that answers whatever it is told to: a case is
// a table of answers and a list of steps. What a step says is done, or is what must happen next.
//
//     > LINE                  we send it; ' stands for "
//     stop                    we leave
//     push REQUEST|BYTES      the server says more on an open stream
//     hang up REQUEST         it ends the stream
//     vanish                  it is gone
//     heard N REQUEST|TEXT    it has been asked so, N times by now
//     open REQUEST            it has such a stream open
//
//     < LINE                  we receive it
//     unanswered ID: CLAUSE, closed: CLAUSE, login: CLAUSE|CHALLENGE, overflowed, noted: CLAUSE
#include "transport/remote.h"

#include "support/allocator.h"
#include "support/thread_server.h"
#include "support/waiting.h"
#include "support/web_server.h"

#include <stdlib.h>

#define TOKEN "t0ps3cret-value"

static const char *const environment[] = {"TOKEN=" TOKEN, NULL};

typedef struct play {
    deft__loop      *loop;
    deft__fetcher   *fetcher;
    test_web_server *server;
    deft__remote    *remote;
    deft__task       look;
    const char      *step;
    deft_buffer      events; // what happened, a NUL after each
    size_t           seen;   // of those
    bool             is_closed;
    bool             frees; // the remote, from within the next callback

    const char *const *tokens; // one after the other, NULL last; NULL: nobody sees to any
    uint32_t           token;
    bool               is_token_late;
} play;

// --- What happens. --------------------------------------------------------------------------------

static void happen(play *one, const char *what, deft_view a, const char *between, deft_view b)
{
    deft_buffer_append_text(&one->events, what);
    deft_buffer_append(&one->events, a);
    deft_buffer_append_text(&one->events, between);
    deft_buffer_append(&one->events, b);
    deft_buffer_append_byte(&one->events, '\0');
    if (one->frees) {
        deft__remote_free(one->remote);
        one->remote = NULL;
    }
}

static const deft_view nothing;

static void received(void *context, deft_view line)
{
    happen(context, "< ", line, "", nothing);
}

static void overflowed(void *context)
{
    happen(context, "overflowed", nothing, "", nothing);
}

static void unanswered(void *context, deft_view id, deft_view reason)
{
    happen(context, "unanswered ", id, ": ", reason);
}

static void closed(void *context, deft_view reason)
{
    play *one = context;
    assert_false(one->is_closed);
    one->is_closed = true;
    happen(one, "closed: ", reason, "", nothing);
}

static void unauthorized(void *context, deft_view reason, deft_view challenge)
{
    play *one = context;
    assert_false(one->is_closed);
    one->is_closed = true;
    happen(one, "login: ", reason, "|", challenge);
}

static void noted(void *context, deft_view clause)
{
    happen(context, "noted: ", clause, "", nothing);
}

static bool give_token(void *context, deft_view *token, uint32_t *number)
{
    const play *one = context;
    if (one->is_token_late) {
        return false;
    }
    *token  = deft_view_of(one->tokens[one->token]);
    *number = one->token;
    return true;
}

static bool refused(void *context, int status, deft_view challenge, uint32_t number, bool is_last,
                    deft_buffer *clause)
{
    play *one = context;
    char  what[64];
    snprintf(what, sizeof what, "refused %d of %u%s: ", status, (unsigned)number,
             is_last ? " for good" : "");
    happen(one, what, challenge, "", nothing);
    if (is_last || one->tokens[one->token + 1] == NULL) {
        deft_buffer_append_text(clause, status == 403 ? "wants more" : "");
        return false;
    }
    one->token++;
    return true;
}

// --- Steps. ---------------------------------------------------------------------------------------

static bool takes(const char **text, const char *word)
{
    const size_t size    = strlen(word);
    const bool   is_word = strncmp(*text, word, size) == 0;
    *text += is_word ? size : 0;
    return is_word;
}

// "a|b": cuts at the bar.
static const char *cut(char *text)
{
    char *bar = strchr(text, '|');
    assert_non_null(bar);
    *bar = '\0';
    return bar + 1;
}

// Whether a step is done, or what it waits for has happened.
static bool is_done(play *one)
{
    const char *step = one->step;
    char        text[2000];
    snprintf(text, sizeof text, "%s", step);
    const char *rest = text;
    if (takes(&rest, "heard ")) {
        char        *end    = NULL;
        const size_t wanted = strtoul(rest, &end, 10);
        const char  *holds  = cut(end + 1);
        return test_web_server_count(one->server, end + 1, holds) == wanted;
    } else if (takes(&rest, "push ")) {
        char       *request = text + (rest - text);
        const char *bytes   = cut(request);
        return test_web_server_push(one->server, request, bytes);
    } else if (takes(&rest, "hang up ")) {
        return test_web_server_hang_up(one->server, rest);
    } else if (takes(&rest, "open ")) {
        return test_web_server_push(one->server, rest, "");
    }
    return one->seen < one->events.size;
}

static void look(void *context)
{
    play *one = context;
    if (is_done(one)) {
        deft__loop_stop(one->loop);
    } else {
        deft__loop_defer(one->loop, &one->look);
    }
}

static void expect_event(play *one, const char *wanted)
{
    const char *got = one->events.data + one->seen;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (const char *byte = wanted; *byte != '\0'; byte++) {
        deft_buffer_append_byte(&text, (char)(*byte == '\'' && wanted[0] == '<' ? '"' : *byte));
    }
    deft_buffer_append_byte(&text, '\0');
    assert_string_equal(got, text.data);
    one->seen += strlen(got) + 1;
    deft_buffer_clear(&text);
}

static void send_line(play *one, const char *line)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (; *line != '\0'; line++) {
        deft_buffer_append_byte(&text, (char)(*line == '\'' ? '"' : *line));
    }
    deft__remote_send(one->remote, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

static bool is_event(const char *step)
{
    static const char *const words[] = {"< ",         "unanswered ", "closed: ", "login",
                                        "overflowed", "noted: ",     "refused "};
    for (size_t i = 0; i < array_size(words); i++) {
        if (strncmp(step, words[i], strlen(words[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void do_step(play *one, const char *step)
{
    const char *rest = step;
    one->step        = step;
    if (takes(&rest, "> ")) {
        send_line(one, rest);
    } else if (takes(&rest, "stop")) {
        deft__remote_stop(one->remote);
    } else if (takes(&rest, "renewed")) {
        one->is_token_late = false;
        deft__remote_renewed(one->remote);
    } else if (takes(&rest, "vanish")) {
        test_web_server_close(one->server);
    } else {
        deft__loop_defer(one->loop, &one->look);
        test_loop_run(one->loop);
        if (is_event(step)) {
            expect_event(one, step);
        }
    }
}

// --- Playing. -------------------------------------------------------------------------------------

typedef struct conversation {
    const char            *name;
    const test_web_answer *answers;
    const char *const     *steps;
    const char            *path;   // NULL: /mcp
    const char            *tools;  // that are known already
    const char *const     *tokens; // that are had one after the other
    size_t                 message_size_max;
    deft_transport_kind    transport;
    bool                   is_hasty; // what is waited for is not waited for long
    bool                   is_token_late;
} conversation;

static void init(play *one, const conversation *now)
{
    deft_error error = DEFT_ERROR_INIT;
    *one =
        (play){.loop = test_loop_new(), .tokens = now->tokens, .is_token_late = now->is_token_late};
    deft_buffer_init(&one->events, NULL);
    deft__task_init(&one->look, look, one);
    one->fetcher = deft__fetcher_new(one->loop, environment, 0, &error);
    one->server  = test_web_server_new(one->loop, now->answers);
    assert_non_null(one->fetcher);

    static const deft_pair headers[] = {
        {DEFT_VIEW_INIT("X-Key"), DEFT_VIEW_INIT("${TOKEN}")},
        {DEFT_VIEW_INIT("Accept"), DEFT_VIEW_INIT("not/yours")},
        {DEFT_VIEW_INIT("mcp-method"), DEFT_VIEW_INIT("nor this")},
    };
    char url[200];
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", test_web_server_port(one->server),
             now->path != NULL ? now->path : "/mcp");
    deft_buffer tools;
    deft_buffer_init(&tools, NULL);
    for (const char *byte = now->tools; byte != NULL && *byte != '\0'; byte++) {
        deft_buffer_append_byte(&tools, (char)(*byte == '\'' ? '"' : *byte));
    }
    const deft_server_config server = {
        .name      = DEFT_VIEW_INIT("github"),
        .transport = now->transport != DEFT_TRANSPORT_STDIO ? now->transport : DEFT_TRANSPORT_HTTP,
        .url       = deft_view_of(url),
        .headers   = headers,
        .header_count = array_size(headers),
    };
    const deft__remote_options options = {
        .server           = &server,
        .environment      = environment,
        .tools            = deft_buffer_view(&tools),
        .fetcher          = one->fetcher,
        .context          = one,
        .received         = received,
        .overflowed       = overflowed,
        .unanswered       = unanswered,
        .closed           = closed,
        .unauthorized     = unauthorized,
        .noted            = noted,
        .token            = now->tokens != NULL ? give_token : NULL,
        .refused          = now->tokens != NULL ? refused : NULL,
        .message_size_max = now->message_size_max,
        .retry_ms         = 10,
        .held_ms          = now->is_hasty ? 1 : 0,
    };
    one->remote = deft__remote_start(one->loop, &options, &error);
    if (one->remote == NULL) {
        fail_msg("%s", error.message);
    }
    deft_buffer_clear(&tools);
}

static void clear(play *one)
{
    deft__remote_free(one->remote);
    deft__loop_undefer(one->loop, &one->look);
    test_web_server_free(one->server);
    deft__fetcher_free(one->fetcher);
    deft__loop_free(one->loop);
    if (one->seen != one->events.size) {
        fail_msg("and then: %s", one->events.data + one->seen);
    }
    deft_buffer_clear(&one->events);
}

static void play_all(const conversation *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        case_name(cases[i].name);
        play one;
        init(&one, &cases[i]);
        for (const char *const *step = cases[i].steps; *step != NULL; step++) {
            do_step(&one, *step);
        }
        // No secret is in what people read.
        for (size_t at = 0; at + strlen(TOKEN) <= one.events.size; at++) {
            assert_memory_not_equal(one.events.data + at, TOKEN, strlen(TOKEN));
        }
        clear(&one);
    }
}

// --- Messages. ------------------------------------------------------------------------------------

#define META                                                                                       \
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                             \
    "'io.modelcontextprotocol/clientCapabilities':{}}"
#define DISCOVER "> {'jsonrpc':'2.0','id':1,'method':'server/discover','params':{" META "}}"
#define INITIALIZE                                                                                 \
    "> {'jsonrpc':'2.0','id':2,'method':'initialize','params':{'protocolVersion':'2025-11-25'}}"
#define INITIALIZED "> {'jsonrpc':'2.0','method':'notifications/initialized'}"
#define AGREED                                                                                     \
    "{'jsonrpc':'2.0','id':2,'result':{'protocolVersion':'2025-06-18','capabilities':{}}}"
#define CALL       "> {'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'a'}}"
#define CALL_AGAIN "> {'jsonrpc':'2.0','id':4,'method':'tools/call','params':{'name':'b'}}"
#define CALL_MODERN                                                                                \
    "> {'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'a'," META "}}"
#define CANCEL  "> {'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':3}}"
#define DONE    "{'jsonrpc':'2.0','id':3,'result':{}}"
#define CHANGED "{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}"

// A legacy server up to the end of its handshake.
#define GREETS                                                                                     \
    {"POST /mcp", "'initialize'", "200 json\nMcp-Session-Id: s1\n\n" AGREED, false},               \
    {                                                                                              \
        "POST /mcp", "notifications/initialized", "202 none\n\n", false                            \
    }
#define GREETED INITIALIZE, "< " AGREED, INITIALIZED, "heard 1 GET /mcp|Mcp-Session-Id: s1"
#define NO_STREAM                                                                                  \
    {                                                                                              \
        "GET /mcp", NULL, "405 none\n\n", true                                                     \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, NULL, false                                                                    \
    }
#define ANSWERS (const test_web_answer[])
#define STEPS   (const char *const[])

// Messages here are put together of parts, on purpose.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)

// --- Streamable HTTP, legacy. ---------------------------------------------------------------------

static const conversation legacy[] = {
    {.name    = "a handshake with a session, a call, and a goodbye",
     .answers = ANSWERS{GREETS,
                        NO_STREAM,
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, false},
                        {"DELETE /mcp", NULL, "200 none\n\n", false},
                        END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, "heard 0 POST /mcp|Accept: not/yours",
                    "heard 0 POST /mcp|nor this",
                    "heard 3 POST /mcp|Accept: application/json, text/event-stream",
                    "heard 3 POST /mcp|Content-Type: application/json",
                    "heard 3 POST /mcp|X-Key: " TOKEN, "heard 2 POST /mcp|Mcp-Session-Id: s1",
                    "heard 2 POST /mcp|MCP-Protocol-Version: 2025-06-18",
                    "heard 0 POST /mcp|Mcp-Name", "heard 1 GET /mcp|Accept: text/event-stream",
                    "stop", "closed: was stopped", "heard 1 DELETE /mcp|Mcp-Session-Id: s1",
                    "heard 1 DELETE /mcp|MCP-Protocol-Version: 2025-06-18", NULL}},
    {.name    = "a goodbye that nobody answers is given up",
     .answers = ANSWERS{GREETS, NO_STREAM, {"DELETE /mcp", NULL, "raw\nwhat?", false}, END},
     .steps   = STEPS{GREETED, "stop", "closed: was stopped", NULL}},
    {.name    = "a server without sessions",
     .answers = ANSWERS{{"POST /mcp", "'initialize'", "200 json\n\n" AGREED, false},
                        {"POST /mcp", "notifications/initialized", "202 none\n\n", false},
                        NO_STREAM,
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, false},
                        END},
     .steps   = STEPS{INITIALIZE, "< " AGREED, INITIALIZED, CALL, "< " DONE,
                    "heard 0 POST /mcp|Mcp-Session-Id", "stop", "closed: was stopped", NULL}},
    {.name    = "nothing overtakes notifications/initialized",
     .answers = ANSWERS{{"POST /mcp", "'initialize'", "200 json\n\n" AGREED, false},
                        {"POST /mcp", "notifications/initialized", "silence", false},
                        END},
     .steps   = STEPS{INITIALIZE, "< " AGREED, INITIALIZED, CALL,
                    "heard 1 POST /mcp|notifications/initialized", "heard 0 POST /mcp|tools/call",
                    "stop", "closed: was stopped", "heard 0 POST /mcp|tools/call", NULL}},
    {.name    = "but an answer to it that is left open holds nobody up",
     .answers = ANSWERS{{"POST /mcp", "'initialize'", "200 json\n\n" AGREED, false},
                        {"POST /mcp", "notifications/initialized", "200 sse open\n\n", false},
                        NO_STREAM,
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, false},
                        END},
     .steps   = STEPS{INITIALIZE, "< " AGREED, INITIALIZED, CALL, "< " DONE, NULL}},
    {.name = "what still waits is cancelled without a word",
     .answers =
         ANSWERS{{"POST /mcp", "'initialize'", "200 json\n\n" AGREED, false},
                 {"POST /mcp", "notifications/initialized", "202 none\n\n", false},
                 NO_STREAM,
                 {"POST /mcp", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{INITIALIZE, "< " AGREED, INITIALIZED, CALL, CANCEL, CALL_AGAIN,
                    "< {'jsonrpc':'2.0','id':4,'result':{}}", "heard 0 POST /mcp|'a'",
                    "heard 0 POST /mcp|cancelled", NULL}},
    {.name    = "an answer as a stream, with other things before it",
     .answers = ANSWERS{GREETS,
                        NO_STREAM,
                        {"POST /mcp", "tools/call",
                         "200 sse\n\n: hello\n\nevent: message\ndata: " CHANGED
                         "\n\nevent: other\ndata: no\n\ndata: {'jsonrpc':'2.0','id':3,\ndata: "
                         "'result':{}}\n\n",
                         false},
                        END},
     .steps = STEPS{GREETED, CALL, "< " CHANGED, "< {'jsonrpc':'2.0','id':3,\n'result':{}}", NULL}},
    {.name = "a stream that comes byte by byte",
     .answers =
         ANSWERS{GREETS,
                 NO_STREAM,
                 {"POST /mcp", "tools/call",
                  "200 sse split\n\nid: 1\r\ndata: " CHANGED "\r\n\r\ndata: " DONE "\r\n\r\n",
                  false},
                 END},
     .steps = STEPS{GREETED, CALL, "< " CHANGED, "< " DONE, NULL}},
    {.name    = "a server that leaves the stream open behind its answer",
     .answers = ANSWERS{GREETS,
                        NO_STREAM,
                        {"POST /mcp", "tools/call", "200 sse open\n\ndata: " DONE "\n\n", false},
                        {"DELETE /mcp", NULL, "200 none\n\n", false},
                        END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, "stop", "closed: was stopped", NULL}},
    {.name = "an answer in an array, written over several lines",
     .answers =
         ANSWERS{GREETS,
                 NO_STREAM,
                 {"POST /mcp", "tools/call", "200 json\n\n[\n" CHANGED ",\n" DONE "\n]\n", false},
                 END},
     .steps = STEPS{GREETED, CALL, "< [\n" CHANGED ",\n" DONE "\n]\n", NULL}},
    {.name = "the server asks in the stream of a call, and is answered with a request of its own",
     .answers =
         ANSWERS{GREETS,
                 NO_STREAM,
                 {"POST /mcp", "tools/call",
                  "200 sse open\n\ndata: {'jsonrpc':'2.0','id':'q','method':'ping'}\n\n", false},
                 {"POST /mcp", "'id':'q','result'", "202 none\n\n", false},
                 END},
     .steps = STEPS{GREETED, CALL, "< {'jsonrpc':'2.0','id':'q','method':'ping'}",
                    "> {'jsonrpc':'2.0','id':'q','result':{}}", "heard 1 POST /mcp|'q'",
                    "push POST /mcp|data: " DONE "\n\n", "< " DONE, NULL}},
    {.name    = "a legacy call is cancelled with a message, and its stream is closed then",
     .answers = ANSWERS{GREETS,
                        NO_STREAM,
                        {"POST /mcp", "tools/call", "200 sse open\n\n: wait\n\n", false},
                        {"POST /mcp", "notifications/cancelled", "202 none\n\n", false},
                        {"DELETE /mcp", NULL, "200 none\n\n", false},
                        END},
     .steps =
         STEPS{GREETED, CALL, "heard 1 POST /mcp|tools/call", CANCEL,
               "heard 1 POST /mcp|notifications/cancelled", "stop", "closed: was stopped", NULL}},
    {.name    = "the session is gone: the server was started anew",
     .answers = ANSWERS{GREETS,
                        NO_STREAM,
                        {"POST /mcp", "tools/call",
                         "404 json\n\n{'jsonrpc':'2.0','id':null,"
                         "'error':{'code':-32001,'message':'Session not "
                         "found'}}",
                         false},
                        END},
     .steps   = STEPS{GREETED, CALL, "closed: does not know our session any more", NULL}},
    {.name = "a session id that cannot be sent back",
     .answers =
         ANSWERS{{"POST /mcp", "'initialize'", "200 json\nMcp-Session-Id: a b\n\n" AGREED, false},
                 END},
     .steps = STEPS{INITIALIZE, "closed: gave a session id that cannot be sent back", NULL}},
};

static void streamable_http_of_legacy_servers(void **state)
{
    (void)state;
    play_all(legacy, array_size(legacy));
}

// --- The stream of notifications, and going on with streams. --------------------------------------

static const conversation streams[] = {
    {.name    = "what a server says unasked",
     .answers = ANSWERS{GREETS, {"GET /mcp", NULL, "200 sse open\n\n: hello\n\n", false}, END},
     .steps   = STEPS{GREETED, "push GET /mcp|data: " CHANGED "\n\n", "< " CHANGED, NULL}},
    {.name = "its stream is asked for again where it broke off",
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", "Last-Event-ID: e7", "200 sse open\n\n", false},
                 {"GET /mcp", NULL, "200 sse\n\nretry: 1\n\nid: e7\ndata: " CHANGED "\n\n", false},
                 END},
     .steps = STEPS{GREETED, "< " CHANGED, "push GET /mcp|data: " CHANGED "\n\n", "< " CHANGED,
                    "heard 2 GET /mcp|", NULL}},
    {.name = "and again after a failure",
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", NULL, "200 sse\n\nretry: 1\n\nid: e7\ndata: " CHANGED "\n\n", false},
                 {"GET /mcp", "Last-Event-ID: e7", "503 text\n\nlater", false},
                 {"GET /mcp", "Last-Event-ID: e7", "200 sse reset\n\n: x", false},
                 {"GET /mcp", "Last-Event-ID: e7", "200 sse open\n\n", false},
                 END},
     .steps = STEPS{GREETED, "< " CHANGED, "heard 4 GET /mcp|", NULL}},
    {.name    = "until the server does not know the session any more",
     .answers = ANSWERS{GREETS,
                        {"GET /mcp", NULL, "200 sse\n\nretry: 1\n\n", false},
                        {"GET /mcp", NULL, "404 none\n\n", false},
                        END},
     .steps   = STEPS{GREETED, "closed: does not know our session any more", NULL}},
    {.name    = "or does not want it any more",
     .answers = ANSWERS{GREETS,
                        {"GET /mcp", NULL, "200 sse\n\nretry: 1\n\n", false},
                        {"GET /mcp", NULL, "405 none\n\n", false},
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, false},
                        END},
     .steps   = STEPS{GREETED, "heard 2 GET /mcp|", CALL, "< " DONE, NULL}},
    {.name = "an answer goes on in a GET: the server may end the stream early",
     .answers =
         ANSWERS{
             GREETS,
             {"GET /mcp", "Last-Event-ID: e2", "200 sse\n\ndata: " DONE "\n\n", false},
             {"GET /mcp", "Last-Event-ID: e1", "200 sse\n\nid: e2\ndata: " CHANGED "\n\n", false},
             {"GET /mcp", NULL, "405 none\n\n", false},
             {"POST /mcp", "tools/call", "200 sse\n\nid: e1\nretry: 1\ndata: \n\n", false},
             END},
     .steps = STEPS{GREETED, CALL, "< " CHANGED, "< " DONE, "heard 1 POST /mcp|tools/call",
                    "heard 3 GET /mcp|Mcp-Session-Id: s1", NULL}},
    {.name    = "also after a reset, and a server that is busy",
     .answers = ANSWERS{GREETS,
                        {"GET /mcp", "Last-Event-ID", "503 none\n\n", false},
                        {"GET /mcp", "Last-Event-ID", "200 sse\n\ndata: " DONE "\n\n", false},
                        {"GET /mcp", NULL, "405 none\n\n", false},
                        {"POST /mcp", "tools/call", "200 sse reset\n\nid: e1\nretry: 1\ndata: \n\n",
                         false},
                        END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, NULL}},
    {.name = "but not for ever",
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", "Last-Event-ID", "raw\nHTTP/1.1 200 OK\r\n", true},
                 {"GET /mcp", NULL, "405 none\n\n", false},
                 {"POST /mcp", "tools/call", "200 sse\n\nid: e1\nretry: 1\ndata: \n\n", false},
                 END},
     .steps = STEPS{GREETED, CALL, "unanswered 3: broke off its answer",
                    "heard 6 GET /mcp|Last-Event-ID", NULL}},
    {.name = "nor where the server does not know how",
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", NULL, "405 none\n\n", true},
                 {"POST /mcp", "tools/call", "200 sse\n\nid: e1\nretry: 1\ndata: \n\n", false},
                 END},
     .steps = STEPS{GREETED, CALL, "unanswered 3: answered with HTTP 405", NULL}},
    {.name = "nor where the session is gone",
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", "Last-Event-ID", "404 none\n\n", true},
                 {"GET /mcp", NULL, "405 none\n\n", true},
                 {"POST /mcp", "tools/call", "200 sse\n\nid: e1\nretry: 1\ndata: \n\n", false},
                 END},
     .steps = STEPS{GREETED, CALL, "closed: does not know our session any more", NULL}},
    {.name = "a call that is gone on with can be cancelled",
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", NULL, "405 none\n\n", true},
                 {"POST /mcp", "tools/call", "200 sse\n\nid: e1\nretry: 60000\ndata: \n\n", false},
                 {"POST /mcp", "cancelled", "202 none\n\n", false},
                 {"DELETE /mcp", NULL, "200 none\n\n", false},
                 END},
     .steps = STEPS{GREETED, CALL, "heard 1 POST /mcp|tools/call", CANCEL,
                    "heard 1 POST /mcp|cancelled", "stop", "closed: was stopped", NULL}},
};

static void streams_of_legacy_servers(void **state)
{
    (void)state;
    play_all(streams, array_size(streams));
}

// --- Streamable HTTP, modern. ---------------------------------------------------------------------

#define DISCOVERED                                                                                 \
    "{'jsonrpc':'2.0','id':1,'result':{'supportedVersions':['2026-07-28'],'capabilities':{}}}"
#define CALL_OF(name, arguments)                                                                   \
    "> {'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'" name                      \
    "','arguments':" arguments "," META "}}"
#define LIST "> {'jsonrpc':'2.0','id':5,'method':'tools/list','params':{" META "}}"

#define MISMATCH "{'jsonrpc':'2.0','id':3,'error':{'code':-32020,'message':'Header mismatch'}}"

static const char mirrored[] =
    "[{'name':'a','inputSchema':{'properties':{"
    "'region':{'type':'string','x-mcp-header':'Region'},"
    "'deep':{'type':'object','properties':{'n':{'type':'integer','x-mcp-header':'N'}}},"
    "'dry':{'type':'boolean','x-mcp-header':'Dry'}}}}]";

static const conversation modern[] = {
    {.name    = "headers that say what the body says",
     .answers = ANSWERS{{"POST /mcp", "server/discover", "200 json\n\n" DISCOVERED, false},
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, false},
                        END},
     .steps   = STEPS{DISCOVER, "< " DISCOVERED, CALL_MODERN, "< " DONE,
                    "heard 2 POST /mcp|MCP-Protocol-Version: 2026-07-28",
                    "heard 1 POST /mcp|Mcp-Method: server/discover",
                    "heard 1 POST /mcp|Mcp-Method: tools/call", "heard 1 POST /mcp|Mcp-Name: a\r\n",
                    "heard 0 POST /mcp|Mcp-Session-Id", "heard 0 GET /mcp|", "stop",
                    "closed: was stopped", NULL}},
    {.name    = "a session id of a modern server means nothing",
     .answers = ANSWERS{{"POST /mcp", "server/discover",
                         "200 json\nMcp-Session-Id: s1\n\n" DISCOVERED, false},
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, false},
                        END},
     .steps   = STEPS{DISCOVER, "< " DISCOVERED, CALL_MODERN, "< " DONE,
                    "heard 0 POST /mcp|Mcp-Session-Id", NULL}},
    {.name    = "names that do not fit a header",
     .answers = ANSWERS{{"POST /mcp", "tools/call", "200 json\n\n" DONE, false}, END},
     .steps   = STEPS{CALL_OF("gr\xC3\xB6\xC3\x9F"
                                "e",
                              "{}"),
                    "< " DONE, "heard 1 POST /mcp|Mcp-Name: =?base64?Z3LDtsOfZQ==?=\r\n", NULL}},
    {.name    = "the name of a resource is its address",
     .answers = ANSWERS{{"POST /mcp", "resources/read", "200 json\n\n" DONE, false}, END},
     .steps   = STEPS{"> {'jsonrpc':'2.0','id':3,'method':'resources/read','params':{'uri':"
                      "'file:///a'," META "}}",
                    "< " DONE, "heard 1 POST /mcp|Mcp-Name: file:///a\r\n", NULL}},
    {.name    = "parameters that want headers, known from last time",
     .tools   = mirrored,
     .answers = ANSWERS{{"POST /mcp", "tools/call", "200 json\n\n" DONE, true}, END},
     .steps =
         STEPS{CALL_OF("a", "{'region':'eu west ','deep':{'n':42},'dry':true}"), "< " DONE,
               "heard 1 POST /mcp|Mcp-Param-Region: =?base64?ZXUgd2VzdCA=?=\r\n",
               "heard 1 POST /mcp|Mcp-Param-N: 42\r\n", "heard 1 POST /mcp|Mcp-Param-Dry: true\r\n",
               CALL_OF("a", "{'region':null,'deep':7}"), "< " DONE, "heard 1 POST /mcp|Mcp-Param",
               CALL_OF("b", "{'region':'eu'}"), "< " DONE, "heard 1 POST /mcp|Mcp-Param",
               CALL_OF("a", "{'region':'eu'}"), "< " DONE,
               "heard 1 POST /mcp|Mcp-Param-Region: eu\r\n", NULL}},
    {.name = "parameters that want headers, from a list; a tool that breaks the rules is left out",
     .answers = ANSWERS{{"POST /mcp", "tools/list",
                         "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[{'name':'bad',"
                         "'inputSchema':{'properties':{'x':{'type':'number','x-mcp-header':'X'}}}},"
                         "{'name':'a','inputSchema':{'properties':{'x':{'type':'string',"
                         "'x-mcp-header':'X'}}}}],'ttlMs':0}}",
                         false},
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, true},
                        END},
     .steps =
         STEPS{LIST,
               "noted: has a tool 'bad' that is left out: x-mcp-header 'X' is of a parameter that "
               "is no string, integer or boolean",
               "< {'jsonrpc':'2.0','id':5,'result':{'tools':[{'name':'a','inputSchema':{"
               "'properties':{'x':{'type':'string','x-mcp-header':'X'}}}}],'ttlMs':0}}",
               CALL_OF("a", "{'x':'y'}"), "< " DONE, "heard 1 POST /mcp|Mcp-Param-X: y\r\n", NULL}},
    {.name    = "a list that comes later counts",
     .tools   = mirrored,
     .answers = ANSWERS{{"POST /mcp", "tools/list",
                         "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[{'name':'a'},"
                         "{'name':'b','inputSchema':{'properties':{'region':{'type':'string',"
                         "'x-mcp-header':'R'}}}}]}}",
                         false},
                        {"POST /mcp", "tools/list",
                         "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':7}}", false},
                        {"POST /mcp", "tools/call", "200 json\n\n" DONE, true},
                        END},
     .steps =
         STEPS{LIST,
               "< {'jsonrpc':'2.0','id':5,'result':{'tools':[{'name':'a'},{'name':'b',"
               "'inputSchema':{'properties':{'region':{'type':'string','x-mcp-header':'R'}}}}]"
               "}}",
               CALL_OF("a", "{'region':'eu'}"), "< " DONE, "heard 0 POST /mcp|Mcp-Param",
               CALL_OF("b", "{'region':'eu'}"), "< " DONE, "heard 1 POST /mcp|Mcp-Param-R: eu\r\n",
               LIST, "< {'jsonrpc':'2.0','id':5,'result':{'tools':7}}", NULL}},
    {.name =
         "headers that the server finds wrong: the list is fetched again, and the call sent again",
     .answers =
         ANSWERS{
             {"POST /mcp", "Mcp-Param-R: eu", "200 json\n\n" DONE, false},
             {"POST /mcp", "tools/call", "400 json\n\n" MISMATCH, false},
             {"POST /mcp", "'cursor'",
              "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[{'name':'b',"
              "'inputSchema':{'properties':{'region':{'type':'string','x-mcp-header':'R'}}}}]}}",
              false},
             {"POST /mcp", "tools/list",
              "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[],'nextCursor':'2'}}", false},
             END},
     .steps =
         STEPS{CALL_OF("b", "{'region':'eu'}"), "< " CHANGED, LIST,
               "< {'jsonrpc':'2.0','id':5,'result':{'tools':[],'nextCursor':'2'}}",
               "heard 1 POST /mcp|tools/call",
               "> {'jsonrpc':'2.0','id':5,'method':'tools/list','params':{'cursor':'2'," META "}}",
               "< {'jsonrpc':'2.0','id':5,'result':{'tools':[{'name':'b','inputSchema':{"
               "'properties':{'region':{'type':'string','x-mcp-header':'R'}}}}]}}",
               "< " DONE, "heard 2 POST /mcp|tools/call", NULL}},
    {.name    = "headers that the server finds wrong twice: that is its answer",
     .answers = ANSWERS{{"POST /mcp", "tools/call", "400 json\n\n" MISMATCH, true},
                        {"POST /mcp", "tools/list",
                         "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[]}}", false},
                        END},
     .steps =
         STEPS{CALL_MODERN, "< " CHANGED, LIST, "< {'jsonrpc':'2.0','id':5,'result':{'tools':[]}}",
               "< " MISMATCH, "heard 2 POST /mcp|tools/call", NULL}},
    {.name     = "headers that the server finds wrong, and nobody fetches the list",
     .is_hasty = true,
     .answers  = ANSWERS{{"POST /mcp", "tools/call", "400 json\n\n" MISMATCH, true}, END},
     .steps =
         STEPS{CALL_MODERN, "< " CHANGED, "< " MISMATCH, "heard 2 POST /mcp|tools/call", NULL}},
    {.name    = "a call that waits for the list is cancelled",
     .answers = ANSWERS{{"POST /mcp", "server/discover", "200 json\n\n" DISCOVERED, false},
                        {"POST /mcp", "'a'", "400 json\n\n" MISMATCH, false},
                        {"POST /mcp", "'b'", "200 json\n\n" DONE, false},
                        {"POST /mcp", "tools/list",
                         "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[]}}", false},
                        END},
     .steps   = STEPS{DISCOVER, "< " DISCOVERED, CALL_MODERN, "< " CHANGED, CANCEL, LIST,
                    "< {'jsonrpc':'2.0','id':5,'result':{'tools':[]}}", CALL_OF("b", "{}"),
                    "< " DONE, "heard 2 POST /mcp|tools/call", NULL}},
    {.name    = "a modern call is cancelled by closing its stream",
     .answers = ANSWERS{{"POST /mcp", "server/discover", "200 json\n\n" DISCOVERED, false},
                        {"POST /mcp", "'a'", "200 sse open\n\n: wait\n\n", false},
                        {"POST /mcp", "'b'", "200 json\n\n" DONE, false},
                        END},
     .steps = STEPS{DISCOVER, "< " DISCOVERED, CALL_MODERN, "heard 1 POST /mcp|'a'", CANCEL, CANCEL,
                    CALL_OF("b", "{}"), "< " DONE, "heard 0 POST /mcp|cancelled", NULL}},
    {.name = "a modern stream that breaks off is not gone on with",
     .answers =
         ANSWERS{{"POST /mcp", "tools/call", "200 sse\n\nid: 1\ndata: " CHANGED "\n\n", false},
                 END},
     .steps = STEPS{CALL_MODERN, "< " CHANGED, "unanswered 3: broke off its answer", NULL}},
    {.name    = "a notification carries its method",
     .answers = ANSWERS{{"POST /mcp", "server/discover", "200 json\n\n" DISCOVERED, false},
                        {"POST /mcp", "roots", "202 none\n\n", false},
                        END},
     .steps   = STEPS{DISCOVER, "< " DISCOVERED,
                    "> {'jsonrpc':'2.0','method':'notifications/roots/list_changed'}",
                    "heard 1 POST /mcp|Mcp-Method: notifications/roots/list_changed", NULL}},
};

static void streamable_http_of_modern_servers(void **state)
{
    (void)state;
    play_all(modern, array_size(modern));
}

// --- Which era, and which transport. --------------------------------------------------------------

#define OLD_STREAM "200 sse open\n\nevent: endpoint\ndata: /message?sessionId=7\n\n"

static const conversation probes[] = {
    {.name    = "a legacy server does not know what it is asked, as server-everything says it",
     .answers = ANSWERS{{"POST /mcp", "server/discover",
                         "400 json\n\n{'jsonrpc':'2.0','error':{'code':-32000,'message':'Bad "
                         "Request: Server not initialized'},'id':null}",
                         false},
                        END},
     .steps   = STEPS{DISCOVER,
                    "< {'jsonrpc':'2.0','id':1,'error':{'code':-32000,'message':'Bad Request: "
                      "Server not initialized'}}",
                    NULL}},
    {.name = "a modern server speaks another version",
     .answers =
         ANSWERS{{"POST /mcp", "server/discover",
                  "400 json\n\n{'jsonrpc':'2.0','id':1,'error':{'code':-32022,'message':'no',"
                  "'data':{'supported':['2027-01-01']}}}",
                  false},
                 END},
     .steps = STEPS{DISCOVER,
                    "< {'jsonrpc':'2.0','id':1,'error':{'code':-32022,'message':'no','data':{"
                    "'supported':['2027-01-01']}}}",
                    NULL}},
    {.name    = "a page of a framework",
     .answers = ANSWERS{{"POST /mcp", NULL, "404 html\n\n<html>", false}, END},
     .steps   = STEPS{DISCOVER, "unanswered 1: answered with HTTP 404", NULL}},
    {.name    = "500 may be a legacy server too",
     .answers = ANSWERS{{"POST /mcp", NULL, "500 text\n\n  oh no\nat line 7", false}, END},
     .steps   = STEPS{DISCOVER, "unanswered 1: answered with HTTP 500: oh no at line 7", NULL}},
    {.name    = "503 is an outage",
     .answers = ANSWERS{{"POST /mcp", NULL, "503 html\nRetry-After: 30\n\n<html>", false}, END},
     .steps   = STEPS{DISCOVER, "closed: answered with HTTP 503, to be tried again in 30 s", NULL}},
    {.name    = "so is a connection that breaks",
     .answers = ANSWERS{{"POST /mcp", NULL, "raw\n", false}, END},
     .steps   = STEPS{DISCOVER, "closed: closed the connection without an answer", NULL}},
    {.name    = "and nobody at home",
     .answers = ANSWERS{END},
     .steps = STEPS{"vanish", DISCOVER, "closed: could not be reached: the connection was refused",
                    NULL}},
    {.name    = "HTTP+SSE, since initialize is not known either",
     .answers = ANSWERS{{"POST /mcp", "discover", "404 none\n\n", false},
                        {"POST /mcp", "'initialize'", "404 none\n\n", false},
                        {"GET /mcp", NULL, OLD_STREAM, false},
                        {"POST /message?sessionId=7", NULL, "202 none\n\n", true},
                        END},
     .steps   = STEPS{DISCOVER, "unanswered 1: answered with HTTP 404", INITIALIZE,
                    "heard 1 POST /message?sessionId=7|'initialize'",
                    "push GET /mcp|event: message\ndata: " AGREED "\n\n", "< " AGREED, INITIALIZED,
                    CALL, "heard 1 POST /message|tools/call",
                    "push GET /mcp|event: message\ndata: " DONE "\n\n", "< " DONE, CANCEL,
                    "heard 1 POST /message|cancelled", "heard 1 GET /mcp|X-Key: " TOKEN,
                    "hang up GET /mcp", "closed: closed its stream of events", NULL}},
    {.name    = "neither: the first refusal is what counts",
     .answers = ANSWERS{{"POST /mcp", "'initialize'", "400 text\n\nno such thing", false},
                        {"GET /mcp", NULL, "405 none\n\n", false},
                        END},
     .steps   = STEPS{INITIALIZE, "closed: answered with HTTP 400: no such thing", NULL}},
    {.name    = "initialize is refused with an error",
     .answers = ANSWERS{{"POST /mcp", "'initialize'",
                         "400 json\n\n{'jsonrpc':'2.0','id':2,'error':{'code':-32602,'message':"
                         "'version'}}",
                         false},
                        END},
     .steps =
         STEPS{INITIALIZE, "< {'jsonrpc':'2.0','id':2,'error':{'code':-32602,'message':'version'}}",
               NULL}},
    {.name    = "initialize gets a page of something else",
     .answers = ANSWERS{{"POST /mcp", "'initialize'", "200 html\n\n<html>", false}, END},
     .steps   = STEPS{INITIALIZE,
                    "closed: answered with text/html instead of JSON: is its url right?", NULL}},
    {.name      = "HTTP+SSE by configuration: nothing is probed",
     .transport = DEFT_TRANSPORT_SSE,
     .path      = "/sse?k=1",
     .answers   = ANSWERS{{"GET /sse?k=1", NULL,
                           "200 sse open\n\nevent: endpoint\ndata: message?id=7\n\n", false},
                        {"POST /message?id=7", NULL, "202 none\n\n", true},
                        END},
     .steps     = STEPS{DISCOVER, INITIALIZE, "unanswered 1: speaks HTTP+SSE, which is legacy",
                    "heard 1 POST /message?id=7|'initialize'", "push GET /sse|data: " AGREED "\n\n",
                    "< " AGREED, "stop", "closed: was stopped", NULL}},
    {.name      = "an endpoint elsewhere is refused",
     .transport = DEFT_TRANSPORT_SSE,
     .answers =
         ANSWERS{{"GET /mcp", NULL,
                  "200 sse open\n\nevent: endpoint\ndata: http://127.0.0.2/message\n\n", false},
                 END},
     .steps = STEPS{INITIALIZE, "closed: wants its messages sent to another origin", NULL}},
    {.name      = "a stream of events that is none",
     .transport = DEFT_TRANSPORT_SSE,
     .answers   = ANSWERS{{"GET /mcp", NULL, "200 html\n\n<html>", false}, END},
     .steps     = STEPS{INITIALIZE,
                    "closed: answered with text/html instead of JSON: is its url right?", NULL}},
    {.name      = "a message that HTTP+SSE does not take",
     .transport = DEFT_TRANSPORT_SSE,
     .answers   = ANSWERS{{"GET /mcp", NULL, OLD_STREAM, false},
                        {"POST /message", NULL, "413 text\n\ntoo large", false},
                        END},
     .steps     = STEPS{CALL, "unanswered 3: answered with HTTP 413: too large", NULL}},
    {.name             = "a message too long for us, on the one stream there is",
     .transport        = DEFT_TRANSPORT_SSE,
     .message_size_max = 10,
     .answers = ANSWERS{{"GET /mcp", NULL, "200 sse open\n\nevent: endpoint\ndata: /m\n\n", false},
                        {"POST /m", NULL, "202 none\n\n", false},
                        END},
     .steps   = STEPS{CALL, "heard 1 POST /m|tools/call", "push GET /mcp|data: 12345678901\n\n",
                    "overflowed", NULL}},
};

static void eras_and_transports(void **state)
{
    (void)state;
    play_all(probes, array_size(probes));
}

// --- What goes wrong. -----------------------------------------------------------------------------

static const conversation faults[] = {
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
    play_all(faults, array_size(faults));
}

// --- Tokens. --------------------------------------------------------------------------------------

#define REFUSES(token)                                                                             \
    {                                                                                              \
        "POST /mcp", "Authorization: Bearer " token,                                               \
            "401 none\nWWW-Authenticate: Bearer realm=x\n\n", false                                \
    }
#define TAKES(token)                                                                               \
    {                                                                                              \
        "POST /mcp", "Authorization: Bearer " token, "200 json\n\n" DONE, false                    \
    }
#define TOKENS (const char *const[])

static const conversation token_cases[] = {
    {.name    = "a token goes along with everything",
     .tokens  = TOKENS{"t1", NULL},
     .answers = ANSWERS{GREETS, NO_STREAM, TAKES("t1"), END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, "heard 3 POST /mcp|Authorization: Bearer t1",
                    "heard 1 GET /mcp|Authorization: Bearer t1", NULL}},
    {.name    = "none is none",
     .tokens  = TOKENS{"", NULL},
     .answers = ANSWERS{{"POST /mcp", NULL, "200 json\n\n" DONE, false}, END},
     .steps   = STEPS{CALL, "< " DONE, "heard 0 POST /mcp|Authorization", NULL}},
    {.name    = "one that is refused is replaced, and the call is sent again",
     .tokens  = TOKENS{"t1", "t2", NULL},
     .answers = ANSWERS{REFUSES("t1"), TAKES("t2"), END},
     .steps   = STEPS{CALL, "refused 401 of 0: Bearer realm=x", "renewed", "< " DONE,
                    "heard 2 POST /mcp|'a'", NULL}},
    {.name    = "but only once",
     .tokens  = TOKENS{"t1", "t2", "t3", NULL},
     .answers = ANSWERS{REFUSES("t1"), REFUSES("t2"), END},
     .steps =
         STEPS{CALL, "refused 401 of 0: Bearer realm=x", "renewed",
               "refused 401 of 1 for good: Bearer realm=x",
               "login: wants a login (HTTP 401): run 'deft login github'|Bearer realm=x", NULL}},
    {.name    = "there is no other",
     .tokens  = TOKENS{"t1", NULL},
     .answers = ANSWERS{REFUSES("t1"), END},
     .steps =
         STEPS{CALL, "refused 401 of 0: Bearer realm=x",
               "login: wants a login (HTTP 401): run 'deft login github'|Bearer realm=x", NULL}},
    {.name          = "one that is late is waited for",
     .tokens        = TOKENS{"t1", NULL},
     .is_token_late = true,
     .answers       = ANSWERS{TAKES("t1"), END},
     .steps         = STEPS{CALL, "heard 0 POST /mcp|", "renewed", "< " DONE, NULL}},
    {.name          = "a call that waits for one can be taken back",
     .tokens        = TOKENS{"t1", NULL},
     .is_token_late = true,
     .answers       = ANSWERS{END},
     .steps         = STEPS{CALL_MODERN, CANCEL, "renewed", "heard 0 POST /mcp|", "stop",
                    "closed: was stopped", NULL}},
    {.name   = "a call that lacks rights fails alone, in the words of whoever sees to tokens",
     .tokens = TOKENS{"t1", NULL},
     .answers =
         ANSWERS{{"POST /mcp", "'a'",
                  "403 none\nWWW-Authenticate: Bearer error=insufficient_scope\n\n", false},
                 {"POST /mcp", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "refused 403 of 0: Bearer error=insufficient_scope",
                    "unanswered 3: wants more", CALL_AGAIN,
                    "< {'jsonrpc':'2.0','id':4,'result':{}}", NULL}},
    {.name   = "a stream that was open is asked for again with another token",
     .tokens = TOKENS{"t1", "t2", NULL},
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", "Authorization: Bearer t2", "200 sse open\n\n", false},
                 {"GET /mcp", "Bearer t1", "200 sse\n\nretry: 1\n\nid: e7\ndata: " CHANGED "\n\n",
                  false},
                 {"GET /mcp", "Bearer t1", "401 none\nWWW-Authenticate: Bearer realm=x\n\n", false},
                 END},
     .steps =
         STEPS{GREETED, "< " CHANGED, "refused 401 of 0: Bearer realm=x", "renewed",
               "open GET /mcp", "heard 1 GET /mcp|Bearer t2", "push GET /mcp|data: " CHANGED "\n\n",
               "< " CHANGED, "heard 2 GET /mcp|Last-Event-ID: e7", NULL}},
    {.name    = "or no more, where there is none, and calls go on",
     .tokens  = TOKENS{"t1", NULL},
     .answers = ANSWERS{GREETS,
                        {"GET /mcp", NULL, "200 sse\n\nretry: 1\n\n", false},
                        {"GET /mcp", NULL, "401 none\n\n", false},
                        TAKES("t1"),
                        END},
     .steps   = STEPS{GREETED, "refused 401 of 0: ", CALL, "< " DONE, "heard 2 GET /mcp|", NULL}},
    {.name    = "a stream that was never open is worth no other token",
     .tokens  = TOKENS{"t1", "t2", NULL},
     .answers = ANSWERS{GREETS, {"GET /mcp", NULL, "401 none\n\n", false}, TAKES("t1"), END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, "heard 1 GET /mcp|", NULL}},
    {.name    = "an error that repeats the token is not shown",
     .tokens  = TOKENS{"t0ken-of-ours", NULL},
     .answers = ANSWERS{{"POST /mcp", NULL, "500 text\n\nbad t0ken-of-ours", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: answered with HTTP 500", NULL}},
};

static void tokens_are_shown_and_renewed(void **state)
{
    (void)state;
    play_all(token_cases, array_size(token_cases));
}

// --- Redirects. -----------------------------------------------------------------------------------

static const conversation redirects[] = {
    {.name = "within the server: the same request goes there, and the next ones directly",
     .answers =
         ANSWERS{{"POST /mcp ", NULL, "308 none\nLocation: /mcp/\n\n", false},
                 {"POST /mcp/", "'a'", "200 json\n\n" DONE, false},
                 {"POST /mcp/", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "< " DONE, CALL_AGAIN, "< {'jsonrpc':'2.0','id':4,'result':{}}",
                    "heard 1 POST /mcp |", "heard 2 POST /mcp/|X-Key: " TOKEN, NULL}},
    {.name = "for this time only",
     .answers =
         ANSWERS{{"POST /mcp ", NULL, "307 none\nLocation: /other\n\n", true},
                 {"POST /other", "'a'", "200 json\n\n" DONE, false},
                 {"POST /other", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "< " DONE, CALL_AGAIN, "< {'jsonrpc':'2.0','id':4,'result':{}}",
                    "heard 2 POST /mcp |", NULL}},
    {.name    = "in circles",
     .answers = ANSWERS{{"POST /mcp", NULL, "307 none\nLocation: /mcp\n\n", true}, END},
     .steps   = STEPS{CALL, "unanswered 3: redirects in circles", "heard 6 POST /mcp|", NULL}},
    {.name = "elsewhere, where our key must not go",
     .answers =
         ANSWERS{{"POST /mcp", NULL, "307 none\nLocation: http://127.0.0.2:9/mcp\n\n", true}, END},
     .steps =
         STEPS{CALL, "unanswered 3: redirects to http://127.0.0.2:9: set its url to where it is",
               DISCOVER, "closed: redirects to http://127.0.0.2:9: set its url to where it is",
               NULL}},
    {.name = "to something else than HTTP",
     .answers =
         ANSWERS{{"POST /mcp", NULL, "302 none\nLocation: file:///etc/passwd\n\n", true}, END},
     .steps = STEPS{CALL,
                    "unanswered 3: redirects to an address that cannot be read: set its url to "
                    "where it is",
                    NULL}},
    {.name    = "303 says that the answer is elsewhere, which it is not",
     .answers = ANSWERS{{"POST /mcp", NULL, "303 none\nLocation: /mcp\n\n", true}, END},
     .steps   = STEPS{CALL, "unanswered 3: answered with HTTP 303", NULL}},
    {.name    = "of a stream",
     .answers = ANSWERS{GREETS,
                        {"GET /mcp ", NULL, "307 none\nLocation: /mcp/stream\n\n", false},
                        {"GET /mcp/stream", NULL, "200 sse open\n\ndata: " CHANGED "\n\n", false},
                        END},
     .steps   = STEPS{INITIALIZE, "< " AGREED, INITIALIZED, "< " CHANGED, NULL}},
    {.name      = "of the one stream there is, elsewhere",
     .transport = DEFT_TRANSPORT_SSE,
     .answers =
         ANSWERS{{"GET /mcp", NULL, "307 none\nLocation: https://example.com/sse\n\n", false}, END},
     .steps = STEPS{"closed: redirects to https://example.com: set its url to where it is", NULL}},
};

static void redirects_stay_at_home(void **state)
{
    (void)state;
    play_all(redirects, array_size(redirects));
}

// NOLINTEND(bugprone-suspicious-missing-comma)

// --- The rest. ------------------------------------------------------------------------------------

static void it_can_be_freed_from_any_callback(void **state)
{
    (void)state;
    const conversation cases[] = {
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
        play one;
        init(&one, &cases[i]);
        one.frees = true;
        do_step(&one, cases[i].steps[0]);
        do_step(&one, cases[i].steps[1]);
        assert_null(one.remote);
        clear(&one);
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
        const deft__remote_options options = {.server = &server, .environment = environment};
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
        const deft__remote_options options = {.server = &server, .environment = environment};
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
    const conversation now = {.answers = ANSWERS{{"POST /mcp", NULL, "silence", true}, END},
                              .steps   = STEPS{NULL}};
    play               one;
    init(&one, &now);
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
    do_step(&one, "closed: does not take what is sent to it");
    clear(&one);
}

// A server that changes its tools all the time must not make us remember them all.
static void tools_that_are_gone_are_forgotten(void **state)
{
    (void)state;
    deft_buffer answer;
    deft_buffer_init(&answer, NULL);
    deft_buffer_append_text(&answer, "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[");
    for (size_t i = 0; i < 5000; i++) {
        deft_buffer_append_text(&answer, i > 0 ? ",{'name':'t" : "{'name':'t");
        deft_buffer_append_u64(&answer, i);
        deft_buffer_append_text(&answer, "','inputSchema':{'properties':{'x':{'type':'string',"
                                         "'x-mcp-header':'Quite-A-Long-Name-For-A-Header-That-"
                                         "Takes-Some-Room-In-The-Memory-Of-Who-Remembers-It'}}}}");
    }
    deft_buffer_append_text(&answer, "]}}");
    deft_buffer_append_byte(&answer, '\0');
    const conversation now = {
        .answers = ANSWERS{{"POST /mcp", "tools/list", answer.data, false},
                           {"POST /mcp", "tools/list",
                            "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[]}}", false},
                           {"POST /mcp", "tools/call", "200 json\n\n" DONE, true},
                           END},
        .steps   = STEPS{NULL}};
    play one;
    init(&one, &now);
    do_step(&one, LIST);
    one.step = "< ";
    deft__loop_defer(one.loop, &one.look);
    test_loop_run(one.loop);
    one.seen = one.events.size; // it is long
    do_step(&one, CALL_OF("t4999", "{'x':'y'}"));
    do_step(&one, "< " DONE);
    do_step(&one, "heard 1 POST /mcp|Mcp-Param-Quite");
    do_step(&one, LIST);
    do_step(&one, "< {'jsonrpc':'2.0','id':5,'result':{'tools':[]}}");
    do_step(&one, CALL_OF("t4999", "{'x':'y'}"));
    do_step(&one, "< " DONE);
    do_step(&one, "heard 1 POST /mcp|Mcp-Param-Quite");
    clear(&one);
    deft_buffer_clear(&answer);
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
            .environment = environment,
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
    // Ours are on loopback, and a proxy is not asked for those; but this must not depend on it.
    unsetenv("http_proxy");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamable_http_of_legacy_servers),
        cmocka_unit_test(streams_of_legacy_servers),
        cmocka_unit_test(streamable_http_of_modern_servers),
        cmocka_unit_test(eras_and_transports),
        cmocka_unit_test(what_goes_wrong),
        cmocka_unit_test(tokens_are_shown_and_renewed),
        cmocka_unit_test(redirects_stay_at_home),
        cmocka_unit_test(it_can_be_freed_from_any_callback),
        cmocka_unit_test(configurations_that_are_no_good),
        cmocka_unit_test(only_plain_http_over_a_network_is_open),
        cmocka_unit_test(a_server_that_takes_nothing_is_given_up),
        cmocka_unit_test(tools_that_are_gone_are_forgotten),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
