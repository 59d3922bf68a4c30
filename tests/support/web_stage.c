#include "support/web_stage.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

test_web_stage test_web;

// Both servers have the same of everything, under names of the same length.
#define MANIFEST(name)                                                                             \
    "{\"server\":\"" name "\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"  \
    "\"prompts\":{},\"resources\":{},\"completions\":{}},\"serverInfo\":{},\"tools\":["            \
    "{\"name\":\"" name "_look\",\"description\":\"Look for " name " things.\","                   \
    "\"inputSchema\":{\"type\":\"object\"}},"                                                      \
    "{\"name\":\"" name "_wipe\",\"description\":\"Wipe " name " things away.\","                  \
    "\"inputSchema\":{\"type\":\"object\"}}],"                                                     \
    "\"prompts\":[{\"name\":\"greet\"}],\"resources\":[{\"uri\":\"" name ":1\",\"name\":\"r\"}],"  \
    "\"resourceTemplates\":[{\"uriTemplate\":\"" name ":{id}\",\"name\":\"t\"}]}"

// --- Hosts. ---

static void server_start(void *context, size_t server, uint32_t life)
{
    (void)context;
    test_web.lives[server]       = life;
    test_web.is_starting[server] = true;
}

static void server_send(void *context, size_t server, uint32_t life, deft_view line)
{
    (void)context;
    (void)server;
    (void)life;
    (void)snprintf(test_web.asked, sizeof test_web.asked, "%.*s", (int)line.size, line.data);
}

static void server_stop(void *context, size_t server, uint32_t life)
{
    (void)context;
    (void)server;
    (void)life;
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    (void)context;
    test_web.job = job;
}

static void journal(void *context, const deft__journal_entry *entry)
{
    (void)context;
    (void)snprintf(test_web.journal, sizeof test_web.journal, "%.*s: %.*s", (int)entry->token.size,
                   entry->token.data, (int)entry->tool.size, entry->tool.data);
}

static void web_send(void *context, void *tag, deft_view bytes)
{
    (void)context;
    deft_buffer_append(&((test_web_visitor *)tag)->got, bytes);
}

static void web_close(void *context, void *tag)
{
    test_web_visitor *one = tag;
    (void)context;
    one->is_closed  = true;
    one->connection = NULL;
}

static void web_random(void *context, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, ++test_web.random, size);
}

// --- The play. ---

void test_web_settle(void)
{
    for (int i = 0; i < 100; i++) {
        deft__web_run(test_web.web);
        if (test_web.job != NULL) {
            deft__snapshot_job *job = test_web.job;
            test_web.job            = NULL;
            deft__snapshot_job_run(job);
            deft__gateway_snapshot_built(test_web.gateway, job);
        } else if (test_web.is_starting[0] || test_web.is_starting[1]) {
            const size_t server          = test_web.is_starting[0] ? 0 : 1;
            test_web.is_starting[server] = false;
            deft__link_opened(deft__gateway_link(test_web.gateway, server), test_web.lives[server]);
        } else if (deft__gateway_next(test_web.gateway) <= test_web.now_ms) {
            deft__gateway_advance(test_web.gateway, test_web.now_ms);
        } else {
            return;
        }
    }
}

static void open_without(const deft__web_options *options, size_t unknown,
                         const deft_allocator *allocator)
{
    static const char *const names[] = {"alpha", "delta"};
    static const char *const texts[] = {MANIFEST("alpha"), MANIFEST("delta")};
    const deft__gateway_host host    = {.server_start   = server_start,
                                        .server_send    = server_send,
                                        .server_stop    = server_stop,
                                        .snapshot_build = snapshot_build,
                                        .journal        = journal};
    const deft__web_host web_host    = {.send = web_send, .close = web_close, .random = web_random};
    deft__gateway_server servers[2]  = {{.is_fresh = true}, {.is_fresh = true}};
    memset(&test_web, 0, sizeof test_web);
    test_web.now_ms = 1000;
    deft_settings_init(&test_web.settings, DEFT_PRESET_DEFT);
    test_web.settings.mode = DEFT_MODE_ON;
    for (size_t i = 0; i < TEST_WEB_SERVERS; i++) {
        if (i != unknown) {
            test_web.manifests[i] = deft__manifest_new(deft_view_of(texts[i]), NULL, NULL);
        }
        servers[i].name     = deft_view_of(names[i]);
        servers[i].manifest = test_web.manifests[i];
    }
    const deft__gateway_options gateway = {.settings     = &test_web.settings,
                                           .servers      = servers,
                                           .server_count = TEST_WEB_SERVERS,
                                           .naming       = DEFT_NAMING_WIRE};
    test_web.gateway = deft__gateway_new(&gateway, &host, test_web.now_ms, NULL, NULL);
    test_web.web =
        deft__web_new(test_web.gateway, options, &web_host, test_web.now_ms, allocator, NULL);
    for (size_t i = 0; i < sizeof test_web.visitors / sizeof test_web.visitors[0]; i++) {
        deft_buffer_init(&test_web.visitors[i].got, NULL);
    }
    if (unknown < TEST_WEB_SERVERS) {
        deft__gateway_discover(test_web.gateway); // as a gateway over HTTP does, for whoever comes
    }
    deft__gateway_start(test_web.gateway);
    if (test_web.web != NULL) {
        deft__web_tick(test_web.web, test_web.now_ms, 0);
        test_web_settle();
    }
}

void test_web_open(const deft__web_options *options, const deft_allocator *allocator)
{
    open_without(options, TEST_WEB_SERVERS, allocator);
}

void test_web_open_plain(void)
{
    const deft__web_options options = {.host_count = 0};
    test_web_open(&options, NULL);
}

void test_web_open_unknown(const deft__web_options *options, size_t server)
{
    open_without(options, server, NULL);
}

void test_web_close(void)
{
    deft__web_free(test_web.web);
    deft__gateway_free(test_web.gateway);
    for (size_t i = 0; i < TEST_WEB_SERVERS; i++) {
        deft__manifest_release(test_web.manifests[i]);
    }
    for (size_t i = 0; i < sizeof test_web.visitors / sizeof test_web.visitors[0]; i++) {
        deft_buffer_clear(&test_web.visitors[i].got);
    }
}

const char *test_web_said(size_t place)
{
    test_web_visitor *one = &test_web.visitors[place];
    test_web_settle();
    deft_buffer_append_byte(&one->got, '\0');
    one->got.size--;
    return one->got.data;
}

const char *test_web_ask(size_t place, const char *bytes)
{
    test_web_visitor *one = &test_web.visitors[place];
    deft_buffer_reset(&one->got);
    if (one->connection == NULL) {
        one->connection = deft__web_connect(test_web.web, one);
        one->is_closed  = false;
    }
    if (one->connection == NULL) {
        return "";
    }
    deft__web_receive(one->connection, deft_view_of(bytes));
    return test_web_said(place);
}

void test_web_leave(size_t place)
{
    test_web_visitor *one = &test_web.visitors[place];
    if (one->connection != NULL) {
        deft__web_disconnect(one->connection);
        one->connection = NULL;
    }
    test_web_settle();
}

const char *test_web_get(size_t place, const char *token, const char *path)
{
    static char text[512];
    (void)snprintf(text, sizeof text,
                   "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path,
                   token);
    return test_web_ask(place, text);
}

const char *test_web_post(size_t place, const char *token, const char *path, const char *headers,
                          const char *body)
{
    static char text[8192];
    const bool  has_token = token[0] != '\0';
    (void)snprintf(text, sizeof text,
                   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n%s%s%s"
                   "%sContent-Length: %zu\r\n\r\n%s",
                   path, has_token ? "Authorization: Bearer " : "", token, has_token ? "\r\n" : "",
                   headers, strlen(body), body);
    return test_web_ask(place, text);
}

// One modern request; `name` is what Mcp-Name says, NULL: nothing.
const char *test_web_modern(size_t place, const char *token, const char *path, const char *method,
                            const char *name, const char *params)
{
    char headers[512];
    char body[2048];
    char named[256] = "";
    if (name != NULL) {
        (void)snprintf(named, sizeof named, "Mcp-Name: %s\r\n", name);
    }
    (void)snprintf(headers, sizeof headers,
                   "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s", method, named);
    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":{%s%s" META "}}",
                   method, params, params[0] != '\0' ? "," : "");
    return test_web_post(place, token, path, headers, body);
}

void test_web_hold(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' is not in:\n%s", part, text);
    }
}

void test_web_lack(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("'%s' is in:\n%s", part, text);
    }
}

void test_web_say(size_t server, const char *line)
{
    deft__link_received(deft__gateway_link(test_web.gateway, server), test_web.lives[server],
                        deft_view_of(line));
    test_web_settle();
}

void test_web_answer(size_t server, const char *method, const char *result)
{
    char        line[1024];
    const char *id = strstr(test_web.asked, "\"id\":");
    test_web_hold(test_web.asked, method);
    (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":%s}",
                   id != NULL ? strtoul(id + 5, NULL, 10) : 0, result);
    test_web_say(server, line);
}

void test_web_start(size_t server)
{
    test_web_answer(server, "initialize",
                    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
                    "\"prompts\":{},\"resources\":{},\"completions\":{}},\"serverInfo\":{}}");
}
