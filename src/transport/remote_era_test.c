// Proves A2. Which era a remote server is of, and which transport it speaks.
#include "transport/remote.h"

#include "support/remote_play.h"

// Messages here are put together of parts, on purpose.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)

#define OLD_STREAM "200 sse open\n\nevent: endpoint\ndata: /message?sessionId=7\n\n"

static const test_conversation probes[] = {
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
    test_play_all(probes, array_size(probes));
}

// NOLINTEND(bugprone-suspicious-missing-comma)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eras_and_transports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
