// What HTTP clients get: sessions and streams of the legacy era, single requests of the modern one,
// and everything that is refused. Bytes in, bytes out; no socket is opened.
#include "web/web.h"

#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANIFEST                                                                                   \
    "{\"server\":\"tracker\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"  \
    "\"serverInfo\":{},\"tools\":[{\"name\":\"list_issues\",\"description\":\"List issues.\","     \
    "\"inputSchema\":{\"type\":\"object\"}}]}"

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"t\","         \
    "\"version\":\"1\"}}}"

#define CONNECTIONS_MAX 4

typedef struct visitor {
    deft__web_connection *connection;
    deft_buffer           got;
    bool                  is_closed;
} visitor;

static struct {
    deft__gateway      *gateway;
    deft__web          *web;
    deft__manifest     *manifest;
    deft__snapshot_job *job;
    deft_settings       settings;
    uint32_t            life;
    bool                is_starting;
    char                asked[4096]; // the last line that the server got
    uint64_t            now_ms;
    unsigned char       random;
    visitor             visitors[CONNECTIONS_MAX];
} stage;

// --- The gateway's host. ---

static void server_start(void *context, size_t server, uint32_t life)
{
    (void)context;
    (void)server;
    stage.life        = life;
    stage.is_starting = true;
}

static void server_send(void *context, size_t server, uint32_t life, deft_view line)
{
    (void)context;
    (void)server;
    (void)life;
    (void)snprintf(stage.asked, sizeof stage.asked, "%.*s", (int)line.size, line.data);
}

static void server_stop(void *context, size_t server, uint32_t life)
{
    (void)context;
    (void)server;
    (void)life;
}

static void client_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    (void)context;
    (void)client;
    (void)about;
    (void)line;
    fail_msg("every client has a way of its own");
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    (void)context;
    stage.job = job;
}

// --- The web's host. ---

static void web_send(void *context, void *tag, deft_view bytes)
{
    (void)context;
    deft_buffer_append(&((visitor *)tag)->got, bytes);
}

static void web_close(void *context, void *tag)
{
    visitor *one = tag;
    (void)context;
    one->is_closed  = true;
    one->connection = NULL;
}

static void web_random(void *context, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, ++stage.random, size);
}

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
    assert_int_equal(deft__web_set_tokens(stage.web, tokens, 2, NULL), DEFT_OK);
}

// --- The play. ---

static void settle(void)
{
    for (int i = 0; i < 100; i++) {
        deft__web_run(stage.web);
        if (stage.job != NULL) {
            deft__snapshot_job *job = stage.job;
            stage.job               = NULL;
            deft__snapshot_job_run(job);
            deft__gateway_snapshot_built(stage.gateway, job);
        } else if (stage.is_starting) {
            stage.is_starting = false;
            deft__link_opened(deft__gateway_link(stage.gateway, 0), stage.life);
        } else if (deft__gateway_next(stage.gateway) <= stage.now_ms) {
            deft__gateway_advance(stage.gateway, stage.now_ms);
        } else {
            return;
        }
    }
}

static void open_web_with(const deft__web_options *options, bool is_guarded,
                          const deft_allocator *allocator)
{
    const deft__gateway_host host = {.server_start   = server_start,
                                     .server_send    = server_send,
                                     .server_stop    = server_stop,
                                     .client_send    = client_send,
                                     .snapshot_build = snapshot_build};
    const deft__web_host web_host = {.send = web_send, .close = web_close, .random = web_random};
    stage.now_ms                  = 1000;
    stage.random                  = 0;
    deft_settings_init(&stage.settings, DEFT_PRESET_DEFT);
    stage.manifest                    = deft__manifest_new(deft_view_of(MANIFEST), NULL, NULL);
    const deft__gateway_server server = {
        .name = deft_view_of("tracker"), .manifest = stage.manifest, .is_fresh = true};
    const deft__gateway_options gateway = {.settings     = &stage.settings,
                                           .servers      = &server,
                                           .server_count = 1,
                                           .naming       = DEFT_NAMING_WIRE};
    stage.gateway = deft__gateway_new(&gateway, &host, stage.now_ms, NULL, NULL);
    stage.web     = deft__web_new(stage.gateway, options, &web_host, stage.now_ms, allocator, NULL);
    deft__gateway_start(stage.gateway);
    if (stage.web != NULL && is_guarded) {
        set_tokens();
    }
    if (stage.web != NULL) {
        deft__web_tick(stage.web, stage.now_ms, 0);
        settle();
    }
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        deft_buffer_init(&stage.visitors[i].got, NULL);
    }
}

static void open_web(const deft__web_options *options, bool is_guarded)
{
    open_web_with(options, is_guarded, NULL);
}

static void close_web(void)
{
    deft__web_free(stage.web);
    deft__gateway_free(stage.gateway);
    deft__manifest_release(stage.manifest);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        deft_buffer_clear(&stage.visitors[i].got);
    }
    memset(&stage, 0, sizeof stage);
}

// Sends bytes on a connection; what came back since the last time is the answer.
static const char *ask(size_t place, const char *bytes)
{
    visitor *one = &stage.visitors[place];
    deft_buffer_reset(&one->got);
    if (one->connection == NULL) {
        one->connection = deft__web_connect(stage.web, one);
        one->is_closed  = false;
    }
    if (one->connection == NULL) {
        return ""; // no memory
    }
    deft__web_receive(one->connection, deft_view_of(bytes));
    settle();
    deft_buffer_append_byte(&one->got, '\0');
    one->got.size--; // more may follow
    return one->got.data;
}

static const char *said(size_t place)
{
    visitor *one = &stage.visitors[place];
    settle();
    deft_buffer_append_byte(&one->got, '\0');
    one->got.size--; // more may follow
    return one->got.data;
}

static const char *post(size_t place, const char *path, const char *headers, const char *body)
{
    static char text[8192];
    (void)snprintf(text, sizeof text,
                   "POST %s HTTP/1.1\r\nHost: localhost:80\r\nContent-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n%sContent-Length: %zu\r\n\r\n%s",
                   path, headers, strlen(body), body);
    return ask(place, text);
}

static void hold(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' is not in:\n%s", part, text);
    }
}

static void lack(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("'%s' is in:\n%s", part, text);
    }
}

static void answer_server(const char *method, const char *result)
{
    char        line[1024];
    const char *id = strstr(stage.asked, "\"id\":");
    hold(stage.asked, method);
    (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":%s}",
                   strtoul(id + 5, NULL, 10), result);
    deft__link_received(deft__gateway_link(stage.gateway, 0), stage.life, deft_view_of(line));
    settle();
}

static void start_server(void)
{
    answer_server("initialize",
                  "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                  "\"serverInfo\":{}}");
}

#define SESSION "Mcp-Session-Id: 01010101010101010101010101010101\r\n"

// --- Tests. ---

static const struct {
    const char *name;
    const char *request;
    const char *answer; // must be in it
    bool        is_closed;
} refusals[] = {
    {"anybody may ask whether it lives", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
     "200 OK", false},
    {"a Host of others", "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403", false},
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
    {"numbers for the curious", "GET /metrics HTTP/1.1\r\nHost: [::1]:1\r\n\r\n", "deft_tools 1\n",
     false},
    {"HEAD has no body", "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "Content-Length: 3",
     false},
};

static void what_is_wrong_is_refused(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        open_web(&options, false);
        const char *text = ask(0, refusals[i].request);
        if (strstr(text, refusals[i].answer) == NULL ||
            stage.visitors[0].is_closed != refusals[i].is_closed) {
            fail_msg("%s: %s", refusals[i].name, text);
        }
        close_web();
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
     "tracker__list_issues"},
    {"a modern notification", "MCP-Protocol-Version: 2026-07-28\r\n",
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" META "}}", "202",
     ""},
};

static void posts_are_told_apart(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    for (size_t i = 0; i < sizeof posts / sizeof posts[0]; i++) {
        const char *text = post(0, "/mcp", posts[i].headers, posts[i].body);
        if (strncmp(text + 9, posts[i].status, 3) != 0 || strstr(text, posts[i].part) == NULL) {
            fail_msg("%s: %s", posts[i].name, text);
        }
    }
    close_web();
}

static void a_session_lives_until_it_is_deleted(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp", "", INITIALIZE), "Mcp-Session-Id: 01010101010101010101010101010101");
    hold(post(0, "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
         "202 Accepted");
    hold(post(0, "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
         "tracker__list_issues");
    hold(post(0, "/mcp", SESSION "MCP-Protocol-Version: 1999-01-01\r\n",
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
         " 400 ");
    // It belongs to the path that it began with.
    hold(post(0, "/mcp/all", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
         " 404 ");
    hold(ask(0, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" SESSION "\r\n"), " 204 ");
    hold(post(0, "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"), " 404 ");
    // Or until nobody has used it for an hour.
    hold(post(0, "/mcp", "", INITIALIZE), "02020202020202020202020202020202");
    stage.now_ms += 3600u * 1000 + 1;
    deft__web_tick(stage.web, stage.now_ms, 3600);
    hold(post(1, "/mcp", "Mcp-Session-Id: 02020202020202020202020202020202\r\n",
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
         " 404 ");
    close_web();
}

static void a_call_streams_where_something_comes_before_its_answer(void **state)
{
    const deft__web_options options = {.host_count = 0};
    char                    line[256];
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp/tracker", "", INITIALIZE), "200 OK");
    (void)post(0, "/mcp/tracker", SESSION,
               "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"list_issues\",\"_meta\":{\"progressToken\":9}}}");
    start_server();
    const unsigned long id = strtoul(strstr(stage.asked, "\"id\":") + 5, NULL, 10);
    (void)snprintf(line, sizeof line,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                   "\"progressToken\":%lu,\"progress\":1}}",
                   id);
    deft__link_received(deft__gateway_link(stage.gateway, 0), stage.life, deft_view_of(line));
    hold(said(0), "Content-Type: text/event-stream");
    hold(said(0), "\"progressToken\":9");
    // The connection breaks; the client comes back for the rest.
    deft__web_disconnect(stage.visitors[0].connection);
    stage.visitors[0].connection = NULL;
    answer_server("tools/call", "{\"content\":[]}");
    const char *text = ask(1, "GET /mcp/tracker HTTP/1.1\r\nHost: localhost\r\nAccept: "
                              "text/event-stream\r\nLast-Event-ID: 2-1\r\n" SESSION "\r\n");
    hold(text, "id: 2-2");
    hold(text, "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"content\":[]}}");
    close_web();
}

static void a_server_asks_through_the_stream_and_is_answered_by_a_post(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp", "", INITIALIZE), "200 OK");
    (void)post(0, "/mcp", SESSION,
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"tracker__list_issues\"}}");
    start_server();
    deft__link_received(
        deft__gateway_link(stage.gateway, 0), stage.life,
        deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":"
                     "\"elicitation/create\",\"params\":{\"message\":\"Which?\"}}"));
    hold(said(0), "\"method\":\"elicitation/create\"");
    hold(post(1, "/mcp", SESSION,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\"}}"),
         "202");
    hold(stage.asked, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"action\":\"accept\"}}");
    close_web();
}

static void a_session_has_one_stream_of_its_own(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp", "", INITIALIZE), "200 OK");
    const char *stream =
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION "\r\n";
    hold(ask(1, stream), "text/event-stream");
    hold(ask(2, stream), " 409 ");
    hold(post(0, "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}"),
         "200");
    // Silence is broken by a comment.
    stage.now_ms += 20000;
    deft_buffer_reset(&stage.visitors[1].got);
    deft__web_tick(stage.web, stage.now_ms, 20);
    hold(said(1), ":");
    // When it is closed another may be opened.
    deft__web_disconnect(stage.visitors[1].connection);
    stage.visitors[1].connection = NULL;
    settle();
    hold(ask(2, stream), "text/event-stream");
    close_web();
}

static void tell(const char *text)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
             "{\"level\":\"info\",\"data\":\"%s\"}}",
             text);
    deft__link_received(deft__gateway_link(stage.gateway, 0), stage.life, deft_view_of(line));
}

// It is the same stream, so what was said meanwhile is said now, and it stays open.
static void a_sessions_own_stream_goes_on_for_who_comes_back(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp", "", INITIALIZE), "200 OK");
    (void)post(0, "/mcp", SESSION,
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"tracker__list_issues\"}}");
    start_server();
    answer_server("tools/call", "{\"content\":[]}");
    hold(ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION
                "\r\n"),
         "text/event-stream");
    tell("one");
    hold(said(1), "id: 3-1");
    deft__web_disconnect(stage.visitors[1].connection);
    stage.visitors[1].connection = NULL;
    settle();
    tell("two");
    const char *back = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                       "Last-Event-ID: 3-1\r\n" SESSION "\r\n";
    hold(ask(2, back), "id: 3-2");
    hold(said(2), "two");
    lack(said(2), "one");
    tell("three");
    hold(said(2), "id: 3-3");
    // From elsewhere, while nobody has noticed that the connection before is dead.
    back = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
           "Last-Event-ID: 3-2\r\n" SESSION "\r\n";
    hold(ask(3, back), "id: 3-3");
    hold(said(2), "0\r\n\r\n");
    tell("four");
    hold(said(3), "id: 3-4");
    lack(said(2), "four");
    // Opened without an id, and then with one from before that: it is one stream all the time.
    deft__web_disconnect(stage.visitors[3].connection);
    stage.visitors[3].connection = NULL;
    settle();
    lack(ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" SESSION
                "\r\n"),
         "four");
    deft_buffer_reset(&stage.visitors[2].got);
    hold(ask(2, back), "id: 3-4");
    tell("five");
    hold(said(2), "id: 3-5");
    lack(said(1), "five");
    close_web();
}

static void a_modern_client_that_leaves_has_cancelled(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    (void)post(0, "/mcp",
               "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
               "Mcp-Name: tracker__list_issues\r\n",
               "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"tracker__list_issues\"," META "}}");
    start_server();
    hold(stage.asked, "tools/call");
    deft__web_disconnect(stage.visitors[0].connection);
    stage.visitors[0].connection = NULL;
    settle();
    hold(stage.asked, "notifications/cancelled");
    close_web();
}

static void tokens_open_what_they_may(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, true);
    hold(ask(0, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), "200 OK");
    hold(ask(0, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), "401");
    hold(post(0, "/mcp", "Authorization: Bearer bad\r\n", INITIALIZE), "WWW-Authenticate: Bearer");
    hold(post(1, "/mcp", "Authorization: Bearer good\r\n", INITIALIZE), "200 OK");
    hold(post(1, "/mcp", "Authorization: Bearer good\r\n" SESSION,
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
         "tracker__list_issues");
    // Another's session is nobody's.
    hold(post(1, "/mcp", "Authorization: Bearer poor\r\n" SESSION,
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
         "404");
    const char *text =
        post(1, "/mcp",
             "Authorization: Bearer poor\r\nMCP-Protocol-Version: 2026-07-28\r\n"
             "Mcp-Method: tools/list\r\n",
             "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META "}}");
    hold(text, "\"tools\":[]");
    close_web();
}

static void requests_sent_ahead_are_answered_in_turn(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    const char *text   = ask(0, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                  "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                  "GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n");
    const char *second = strstr(text, " 404 ");
    assert_non_null(second);
    assert_true(strstr(text, " 200 ") < second);
    hold(second, " 200 ");
    assert_true(stage.visitors[0].is_closed); // HTTP/1.0
    close_web();
}

static void a_web_that_ends_lets_open_requests_finish(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp", "", INITIALIZE), "200 OK");
    (void)post(0, "/mcp", SESSION,
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"tracker__list_issues\"}}");
    start_server();
    deft__web_drain(stage.web);
    assert_int_equal(deft__web_open_count(stage.web), 1);
    hold(post(1, "/mcp", SESSION, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}"), "503");
    answer_server("tools/call", "{\"content\":[]}");
    hold(said(0), "\"id\":2,\"result\"");
    assert_int_equal(deft__web_open_count(stage.web), 0);
    close_web();
}

static void pages_of_allowed_origins_may_use_it(void **state)
{
    const deft_view         origin  = deft_view_of("https://app.example");
    const deft__web_options options = {.origins = &origin, .origin_count = 1};
    (void)state;
    open_web(&options, false);
    hold(ask(0, "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\r\n"),
         "Access-Control-Allow-Headers");
    hold(post(0, "/mcp", "Origin: https://app.example\r\n", INITIALIZE),
         "Access-Control-Allow-Origin: https://app.example");
    close_web();
}

static void what_is_too_slow_is_closed(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    (void)ask(0, "POST /mcp HTTP/1.1\r\nHost: loc");
    (void)ask(1, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stage.now_ms += 30001;
    deft__web_tick(stage.web, stage.now_ms, 30);
    assert_true(stage.visitors[0].is_closed);
    assert_false(stage.visitors[1].is_closed);
    stage.now_ms += 120000;
    deft__web_tick(stage.web, stage.now_ms, 150);
    assert_true(stage.visitors[1].is_closed);
    close_web();
}

// --- Arrays of messages. ---

#define INITIALIZE_OLD                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define NOTICE   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}"
#define CALL(id)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":"           \
    "\"tracker__list_issues\",\"_meta\":{\"progressToken\":9}}}"
#define STREAM_END "\r\n0\r\n\r\n"

static void open_old_session(bool is_guarded)
{
    const deft__web_options options = {.host_count = 0};
    open_web(&options, is_guarded);
    hold(post(0, "/mcp", is_guarded ? "Authorization: Bearer good\r\n" : "", INITIALIZE_OLD),
         "200 OK");
}

static void an_array_is_answered_one_by_one(void **state)
{
    (void)state;
    open_old_session(false);
    const char *text =
        post(0, "/mcp", SESSION, " [" PING("2") ", " NOTICE "\n," PING("\"3\"") "] ");
    hold(text, "Content-Type: text/event-stream");
    hold(text, "data: " PONG("2"));
    hold(text, "data: " PONG("\"3\""));
    hold(text, STREAM_END);
    // The connection is as good as new.
    hold(post(0, "/mcp", SESSION, PING("4")), PONG("4"));
    close_web();
}

static void what_takes_longer_comes_later(void **state)
{
    (void)state;
    open_old_session(false);
    hold(post(0, "/mcp", SESSION, "[" CALL("\"c\"") "," PING("2") "]"), PONG("2"));
    assert_null(strstr(said(0), STREAM_END));
    start_server();
    answer_server("tools/call", "{\"content\":[]}");
    hold(said(0), "data: {\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"content\":[]}}");
    hold(said(0), STREAM_END);
    close_web();
}

static void what_is_cancelled_in_an_array_is_not_waited_for(void **state)
{
    static const char cancelled[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                    "\"params\":{\"requestId\":2}}";
    char              text[600];
    (void)state;
    open_old_session(false);
    (void)snprintf(text, sizeof text, "[" CALL("2") ",%s," PING("3") "]", cancelled);
    hold(post(0, "/mcp", SESSION, text), PONG("3"));
    hold(said(0), STREAM_END);
    hold(post(0, "/mcp", SESSION, "[" CALL("2") "]"), "text/event-stream");
    (void)snprintf(text, sizeof text, "[%s]", cancelled);
    hold(post(1, "/mcp", SESSION, text), "202");
    hold(said(0), STREAM_END);
    close_web();
}

static void an_array_without_requests_is_taken_note_of(void **state)
{
    (void)state;
    open_old_session(false);
    hold(post(0, "/mcp", SESSION, "[" NOTICE "," NOTICE "]"), "202");
    hold(post(0, "/mcp", SESSION,
              "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":8,"
              "\"error\":{\"code\":1,\"message\":\"no\"}}]"),
         "202");
    close_web();
}

// Who was cut off comes back for the rest of it.
static void an_array_can_be_come_back_for(void **state)
{
    (void)state;
    open_old_session(false);
    hold(post(0, "/mcp", SESSION, "[" PING("2") "," CALL("3") "]"), "id: 2-1");
    deft__web_disconnect(stage.visitors[0].connection);
    stage.visitors[0].connection = NULL;
    start_server();
    answer_server("tools/call", "{\"content\":[]}");
    const char *text = ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: "
                              "text/event-stream\r\nLast-Event-ID: 2-1\r\n" SESSION "\r\n");
    hold(text, "id: 2-2");
    hold(text, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}");
    close_web();
}

// The requests of an array have streams of their own that nobody was told of, with numbers that are
// easy to guess.
static void a_part_of_an_array_cannot_be_come_back_for(void **state)
{
    (void)state;
    open_old_session(false);
    hold(post(0, "/mcp", SESSION, "[" PING("2") "," CALL("3") "]"), "id: 2-1");
    hold(ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: "
                "text/event-stream\r\nLast-Event-ID: 4-0\r\n" SESSION "\r\n"),
         "text/event-stream"); // a stream of the session's own
    start_server();
    answer_server("tools/call", "{\"content\":[]}");
    hold(said(0), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}");
    hold(said(0), STREAM_END);
    deft__web_disconnect(stage.visitors[1].connection);
    stage.visitors[1].connection = NULL;
    close_web();
}

static const struct {
    const char *name;
    const char *body;
    const char *part;
} bad_arrays[] = {
    {"an empty one", "[]", "-32600"},
    {"one that is not closed", "[" PING("2"), "-32700"},
    {"a number in it", "[" PING("2") ",7]", "message 2 of the array: "},
    {"an array in it", "[[" PING("2") "]]", "message 1 of the array: "},
    {"an object that is no message", "[" PING("2") ",{\"id\":3}]", "message 2 of the array: "},
    {"requests and answers", "[" PING("2") ",{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]",
     "message 2 of the array: an array holds requests and notifications, or answers, not both"},
    {"answers and notices", "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}," NOTICE "]",
     "or answers, not both"},
    {"the same id twice", "[" PING("2") "," PING("2") "]", "is that of another request"},
    {"a handshake", "[" INITIALIZE_OLD "]", "initialize stands alone"},
    {"a modern request",
     "[" PING("2") ",{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{" META
                   "}}]",
     "of a version that has no arrays"},
};

static const char *write_pings(char *text, int count)
{
    size_t size = (size_t)sprintf(text, "[");
    for (int i = 0; i < count; i++) {
        size += (size_t)sprintf(text + size, "%s" PING("%d"), i > 0 ? "," : "", i);
    }
    (void)sprintf(text + size, "]");
    return text;
}

static void an_array_that_is_wrong_anywhere_is_refused_whole(void **state)
{
    (void)state;
    char *many = malloc(101 * 64);
    open_old_session(false);
    for (size_t i = 0; i < array_size(bad_arrays); i++) {
        case_name(bad_arrays[i].name);
        const char *text = post(0, "/mcp", SESSION, bad_arrays[i].body);
        hold(text, " 400 ");
        hold(text, bad_arrays[i].part);
        assert_null(strstr(text, PONG("2")));
    }
    hold(post(0, "/mcp", SESSION, write_pings(many, 101)),
         "message 101 of the array: is one too many");
    hold(post(0, "/mcp", SESSION, write_pings(many, 100)), PONG("99"));
    free(many);
    close_web();
}

static void arrays_are_of_one_version_alone(void **state)
{
    const deft__web_options options = {.host_count = 0};
    (void)state;
    open_web(&options, false);
    hold(post(0, "/mcp", "", INITIALIZE), "200 OK");
    hold(post(0, "/mcp", SESSION, "[" PING("2") "]"), "only sessions of version 2025-03-26");
    hold(post(0, "/mcp", "", "[" PING("2") "]"), "only sessions of version 2025-03-26");
    hold(post(0, "/mcp", "MCP-Protocol-Version: 2026-07-28\r\n", "[" PING("2") "]"), " 400 ");
    hold(post(0, "/mcp", "Mcp-Session-Id: 1\r\n", "[" PING("2") "]"), " 404 ");
    close_web();
    open_old_session(false);
    hold(ask(1, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Accept: application/json\r\n" SESSION "Content-Length: 42\r\n\r\n[" PING("2") "]"),
         " 406 ");
    close_web();
}

// Each request of an array counts; where there are too many nothing of it is done.
static void an_array_is_no_way_around_limits(void **state)
{
    deft__token tokens[] = {{.name = deft_view_of("good"), .concurrent_calls = 2}};
    (void)state;
    open_old_session(true);
    assert_true(deft__sha256(deft_view_of("good"), &tokens[0].digest));
    assert_int_equal(deft__web_set_tokens(stage.web, tokens, 1, NULL), DEFT_OK);
#define WITH_TOKEN "Authorization: Bearer good\r\n" SESSION
    hold(post(0, "/mcp", WITH_TOKEN, "[" CALL("2") "," CALL("3") "," CALL("4") "]"), " 429 ");
    assert_string_equal(stage.asked, "");
    hold(post(0, "/mcp", WITH_TOKEN, "[" CALL("2") "," CALL("3") "]"), "text/event-stream");
    hold(post(1, "/mcp", WITH_TOKEN, CALL("5")), " 429 ");
    start_server();
    close_web();
}

static void memory_for_an_array_may_end(void **state)
{
    const deft__web_options options = {.host_count = 0};
    test_allocator          allocator;
    size_t                  fail_at = 0;
    (void)state;
    do {
        test_allocator_init(&allocator);
        allocator.fail_at = ++fail_at;
        open_web_with(&options, false, &allocator.allocator);
        if (stage.web != NULL) {
            (void)post(0, "/mcp", "", INITIALIZE_OLD);
            const char *text =
                post(0, "/mcp", SESSION, "[" PING("2") "," CALL("3") "," PING("4") "]");
            hold(text, allocator.requests < fail_at ? PONG("4") : "");
        }
        close_web();
        assert_int_equal(allocator.blocks, 0);
    } while (allocator.requests >= fail_at);
    assert_true(fail_at > 20);
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
        open_web_with(&options, false, &allocator.allocator);
        if (stage.web != NULL) {
            (void)post(0, "/mcp/tracker", "", INITIALIZE);
            (void)ask(1, "GET /mcp/tracker HTTP/1.1\r\nHost: localhost\r\n"
                         "Accept: text/event-stream\r\n" SESSION "\r\n");
            (void)post(0, "/mcp/tracker", SESSION,
                       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
            (void)post(
                2, "/mcp",
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                "Mcp-Name: tool_search\r\n",
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                "\"tool_search\",\"arguments\":{\"query\":\"issues\"}," META "}}");
            (void)ask(0, "DELETE /mcp/tracker HTTP/1.1\r\nHost: localhost\r\n" SESSION "\r\n");
            const char *text = ask(3, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            hold(text, allocator.requests < fail_at ? "200 OK" : "");
        }
        close_web();
        assert_int_equal(allocator.blocks, 0);
    } while (allocator.requests >= fail_at);
    assert_true(fail_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(posts_are_told_apart),
        cmocka_unit_test(a_session_lives_until_it_is_deleted),
        cmocka_unit_test(a_call_streams_where_something_comes_before_its_answer),
        cmocka_unit_test(a_server_asks_through_the_stream_and_is_answered_by_a_post),
        cmocka_unit_test(a_session_has_one_stream_of_its_own),
        cmocka_unit_test(a_sessions_own_stream_goes_on_for_who_comes_back),
        cmocka_unit_test(a_modern_client_that_leaves_has_cancelled),
        cmocka_unit_test(tokens_open_what_they_may),
        cmocka_unit_test(requests_sent_ahead_are_answered_in_turn),
        cmocka_unit_test(a_web_that_ends_lets_open_requests_finish),
        cmocka_unit_test(pages_of_allowed_origins_may_use_it),
        cmocka_unit_test(what_is_too_slow_is_closed),
        cmocka_unit_test(an_array_is_answered_one_by_one),
        cmocka_unit_test(what_takes_longer_comes_later),
        cmocka_unit_test(what_is_cancelled_in_an_array_is_not_waited_for),
        cmocka_unit_test(an_array_without_requests_is_taken_note_of),
        cmocka_unit_test(an_array_can_be_come_back_for),
        cmocka_unit_test(a_part_of_an_array_cannot_be_come_back_for),
        cmocka_unit_test(an_array_that_is_wrong_anywhere_is_refused_whole),
        cmocka_unit_test(arrays_are_of_one_version_alone),
        cmocka_unit_test(an_array_is_no_way_around_limits),
        cmocka_unit_test(memory_for_an_array_may_end),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
