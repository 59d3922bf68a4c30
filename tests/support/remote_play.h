// remote_play.h - a remote server, played by one of ours that answers whatever it is told to: a case is
// a table of answers and a list of steps. What a step says is done, or is what must happen next.
//
//     > LINE                  we send it; ' stands for "
//     stop                    we leave
//     renewed                 there is a new token
//     push REQUEST|BYTES      the server says more on an open stream
//     hang up REQUEST         it ends the stream
//     vanish                  it is gone
//     heard N REQUEST|TEXT    it has been asked so, N times by now
//     open REQUEST            it has such a stream open
//
//     < LINE                  we receive it
//     unanswered ID: CLAUSE, closed: CLAUSE, login: CLAUSE|CHALLENGE, overflowed, noted: CLAUSE,
//     refused STATUS of TOKEN: CHALLENGE
#ifndef DEFT_TESTS_REMOTE_PLAY_H
#define DEFT_TESTS_REMOTE_PLAY_H

#include "support/waiting.h"
#include "support/web_server.h"
#include "transport/remote.h"

typedef struct test_play {
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
} test_play;

typedef struct test_conversation {
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
} test_conversation;

#define TOKEN "t0ps3cret-value"                   // no event may show it
extern const char *const test_play_environment[]; // has it as TOKEN, and a header needs it

void test_play_init(test_play *one, const test_conversation *now);
void test_play_step(test_play *one, const char *step);
void test_play_clear(test_play *one); // fails where something has happened that no step speaks of

// Plays one conversation after the other.
void test_play_all(const test_conversation *cases, size_t count);

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
#define STEPS (const char *const[])

// A modern server.
#define DISCOVERED                                                                                 \
    "{'jsonrpc':'2.0','id':1,'result':{'supportedVersions':['2026-07-28'],'capabilities':{}}}"
#define CALL_OF(name, arguments)                                                                   \
    "> {'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'" name                      \
    "','arguments':" arguments "," META "}}"
#define LIST "> {'jsonrpc':'2.0','id':5,'method':'tools/list','params':{" META "}}"

#endif
