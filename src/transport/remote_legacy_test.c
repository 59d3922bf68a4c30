// Proves A2. Streamable HTTP of legacy servers: sessions, the stream of notifications, and going on with
// streams that broke off.
#include "transport/remote.h"

#include "support/remote_play.h"

// Messages here are put together of parts, on purpose.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)

// --- Streamable HTTP, legacy. ---------------------------------------------------------------------

static const test_conversation legacy[] = {
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
    test_play_all(legacy, array_size(legacy));
}

// --- The stream of notifications, and going on with streams. --------------------------------------

static const test_conversation streams[] = {
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
    test_play_all(streams, array_size(streams));
}

// NOLINTEND(bugprone-suspicious-missing-comma)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamable_http_of_legacy_servers),
        cmocka_unit_test(streams_of_legacy_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
