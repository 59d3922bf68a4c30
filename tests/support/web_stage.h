// web_stage.h - the web before a gateway with two servers that are played by the test: bytes in, bytes
// out, and time as the test wants it. No socket is opened.
#ifndef DEFT_TESTS_WEB_STAGE_H
#define DEFT_TESTS_WEB_STAGE_H

#include "web/web.h"

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

// The handshake of a legacy client, and the session that the first one gets.
#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"t\","         \
    "\"version\":\"1\"}}}"
#define SESSION "Mcp-Session-Id: 01010101010101010101010101010101\r\n"

// One connection, and what came back on it.
typedef struct test_web_visitor {
    deft__web_connection *connection;
    deft_buffer           got;
    bool                  is_closed;
} test_web_visitor;

#define TEST_WEB_SERVERS 2 // alpha and delta, with tools NAME_look and NAME_wipe

typedef struct test_web_stage {
    deft__gateway      *gateway;
    deft__web          *web;
    deft__manifest     *manifests[TEST_WEB_SERVERS];
    deft__snapshot_job *job;
    deft_settings       settings;
    uint32_t            lives[TEST_WEB_SERVERS];
    bool                is_starting[TEST_WEB_SERVERS];
    char                asked[4096]; // the last line that a server got
    char                journal[512];
    uint64_t            now_ms;
    unsigned char       random;
    test_web_visitor    visitors[4];
} test_web_stage;

extern test_web_stage test_web;

// `allocator` is the web's alone. The web is NULL where that fails.
void test_web_open(const deft__web_options *options, const deft_allocator *allocator);
void test_web_open_plain(void); // as it comes
// The same, with nothing known of one server yet.
void test_web_open_unknown(const deft__web_options *options, size_t server);
void test_web_close(void);
void test_web_settle(void); // everything that is due

// Hands bytes to a connection, opening it first where it is closed; what came back since.
const char *test_web_ask(size_t place, const char *bytes);
const char *test_web_said(size_t place);
void        test_web_leave(size_t place); // the peer is gone

// Requests, with a token or with "", which is none. A web without tokens takes any.
const char *test_web_get(size_t place, const char *token, const char *path);
const char *test_web_post(size_t place, const char *token, const char *path, const char *headers,
                          const char *body);
// One modern request with id 7; `name` is what Mcp-Name says, NULL: nothing.
const char *test_web_modern(size_t place, const char *token, const char *path, const char *method,
                            const char *name, const char *params);

// Fails the test unless `part` is in `text`, or is not.
void test_web_hold(const char *text, const char *part);
void test_web_lack(const char *text, const char *part);

// A server answers the last line that any of them got, or says something.
void test_web_answer(size_t server, const char *method, const char *result);
void test_web_say(size_t server, const char *line);
void test_web_start(size_t server); // answers the handshake

#endif
