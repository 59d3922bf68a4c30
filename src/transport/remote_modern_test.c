// Proves A2. Streamable HTTP of modern servers: headers that say what the body says, and what is learned
// for them.
#include "transport/remote.h"

#include "support/remote_play.h"

// Messages here are put together of parts, on purpose.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)

#define MISMATCH "{'jsonrpc':'2.0','id':3,'error':{'code':-32020,'message':'Header mismatch'}}"

static const char mirrored[] =
    "[{'name':'a','inputSchema':{'properties':{"
    "'region':{'type':'string','x-mcp-header':'Region'},"
    "'deep':{'type':'object','properties':{'n':{'type':'integer','x-mcp-header':'N'}}},"
    "'dry':{'type':'boolean','x-mcp-header':'Dry'}}}}]";

static const test_conversation modern[] = {
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
    test_play_all(modern, array_size(modern));
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
    const test_conversation now = {
        .answers = ANSWERS{{"POST /mcp", "tools/list", answer.data, false},
                           {"POST /mcp", "tools/list",
                            "200 json\n\n{'jsonrpc':'2.0','id':5,'result':{'tools':[]}}", false},
                           {"POST /mcp", "tools/call", "200 json\n\n" DONE, true},
                           END},
        .steps   = STEPS{NULL}};
    test_play one;
    test_play_init(&one, &now);
    test_play_step(&one, LIST);
    one.step = "< ";
    deft__loop_defer(one.loop, &one.look);
    test_loop_run(one.loop);
    one.seen = one.events.size; // it is long
    test_play_step(&one, CALL_OF("t4999", "{'x':'y'}"));
    test_play_step(&one, "< " DONE);
    test_play_step(&one, "heard 1 POST /mcp|Mcp-Param-Quite");
    test_play_step(&one, LIST);
    test_play_step(&one, "< {'jsonrpc':'2.0','id':5,'result':{'tools':[]}}");
    test_play_step(&one, CALL_OF("t4999", "{'x':'y'}"));
    test_play_step(&one, "< " DONE);
    test_play_step(&one, "heard 1 POST /mcp|Mcp-Param-Quite");
    test_play_clear(&one);
    deft_buffer_clear(&answer);
}

// NOLINTEND(bugprone-suspicious-missing-comma)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamable_http_of_modern_servers),
        cmocka_unit_test(tools_that_are_gone_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
