// Two tokens before one gateway, on every path that there is: one may reach everything, the other some
// of it. What the second may not reach is answered as what does not exist, byte for byte. Then limits,
// and tokens that come and go while sessions are open.
#include "web/web.h"

#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

#define SERVER_COUNT 2

typedef struct visitor {
    deft__web_connection *connection;
    deft_buffer           got;
    bool                  is_closed;
} visitor;

static struct {
    deft__gateway      *gateway;
    deft__web          *web;
    deft__manifest     *manifests[SERVER_COUNT];
    deft__snapshot_job *job;
    deft_settings       settings;
    uint32_t            lives[SERVER_COUNT];
    bool                is_starting[SERVER_COUNT];
    char                asked[4096]; // the last line that a server got
    char                journal[512];
    uint64_t            now_ms;
    unsigned char       random;
    visitor             visitors[4];
} stage;

// --- Hosts. ---

static void server_start(void *context, size_t server, uint32_t life)
{
    (void)context;
    stage.lives[server]       = life;
    stage.is_starting[server] = true;
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

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    (void)context;
    stage.job = job;
}

static void journal(void *context, const deft__journal_entry *entry)
{
    (void)context;
    (void)snprintf(stage.journal, sizeof stage.journal, "%.*s: %.*s", (int)entry->token.size,
                   entry->token.data, (int)entry->tool.size, entry->tool.data);
}

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
        } else if (stage.is_starting[0] || stage.is_starting[1]) {
            const size_t server       = stage.is_starting[0] ? 0 : 1;
            stage.is_starting[server] = false;
            deft__link_opened(deft__gateway_link(stage.gateway, server), stage.lives[server]);
        } else if (deft__gateway_next(stage.gateway) <= stage.now_ms) {
            deft__gateway_advance(stage.gateway, stage.now_ms);
        } else {
            return;
        }
    }
}

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

static void open_web_with(const deft_allocator *allocator, uint32_t failures_per_second)
{
    static const char *const names[] = {"alpha", "delta"};
    static const char *const texts[] = {MANIFEST("alpha"), MANIFEST("delta")};
    const deft__gateway_host host    = {.server_start   = server_start,
                                        .server_send    = server_send,
                                        .server_stop    = server_stop,
                                        .snapshot_build = snapshot_build,
                                        .journal        = journal};
    const deft__web_host    web_host = {.send = web_send, .close = web_close, .random = web_random};
    const deft__web_options options  = {.failures_per_second = failures_per_second};
    deft__gateway_server    servers[2] = {{.is_fresh = true}, {.is_fresh = true}};
    memset(&stage, 0, sizeof stage);
    stage.now_ms = 1000;
    deft_settings_init(&stage.settings, DEFT_PRESET_DEFT);
    stage.settings.mode = DEFT_MODE_ON;
    for (size_t i = 0; i < SERVER_COUNT; i++) {
        stage.manifests[i]  = deft__manifest_new(deft_view_of(texts[i]), NULL, NULL);
        servers[i].name     = deft_view_of(names[i]);
        servers[i].manifest = stage.manifests[i];
    }
    const deft__gateway_options gateway = {.settings     = &stage.settings,
                                           .servers      = servers,
                                           .server_count = SERVER_COUNT,
                                           .naming       = DEFT_NAMING_WIRE};
    stage.gateway = deft__gateway_new(&gateway, &host, stage.now_ms, NULL, NULL);
    stage.web = deft__web_new(stage.gateway, &options, &web_host, stage.now_ms, allocator, NULL);
    for (size_t i = 0; i < sizeof stage.visitors / sizeof stage.visitors[0]; i++) {
        deft_buffer_init(&stage.visitors[i].got, NULL);
    }
    deft__gateway_start(stage.gateway);
    if (stage.web != NULL) {
        deft__web_tick(stage.web, stage.now_ms, 0);
        settle();
    }
}

static void open_web_strictly(uint32_t failures_per_second)
{
    const deft__token tokens[] = {token_of("whole"), token_of("some")};
    open_web_with(NULL, failures_per_second);
    assert_int_equal(deft__web_set_tokens(stage.web, tokens, 2, NULL), DEFT_OK);
}

static void open_web(void)
{
    open_web_strictly(0);
}

static void close_web(void)
{
    deft__web_free(stage.web);
    deft__gateway_free(stage.gateway);
    for (size_t i = 0; i < SERVER_COUNT; i++) {
        deft__manifest_release(stage.manifests[i]);
    }
    for (size_t i = 0; i < sizeof stage.visitors / sizeof stage.visitors[0]; i++) {
        deft_buffer_clear(&stage.visitors[i].got);
    }
}

static const char *said(size_t place)
{
    visitor *one = &stage.visitors[place];
    settle();
    deft_buffer_append_byte(&one->got, '\0');
    one->got.size--;
    return one->got.data;
}

static const char *ask(size_t place, const char *bytes)
{
    visitor *one = &stage.visitors[place];
    deft_buffer_reset(&one->got);
    if (one->connection == NULL) {
        one->connection = deft__web_connect(stage.web, one);
        one->is_closed  = false;
    }
    if (one->connection == NULL) {
        return "";
    }
    deft__web_receive(one->connection, deft_view_of(bytes));
    return said(place);
}

static void leave(size_t place)
{
    visitor *one = &stage.visitors[place];
    if (one->connection != NULL) {
        deft__web_disconnect(one->connection);
        one->connection = NULL;
    }
    settle();
}

static const char *get(size_t place, const char *token, const char *path)
{
    static char text[512];
    (void)snprintf(text, sizeof text,
                   "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path,
                   token);
    return ask(place, text);
}

static const char *post(size_t place, const char *token, const char *path, const char *headers,
                        const char *body)
{
    static char text[8192];
    (void)snprintf(text, sizeof text,
                   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\nAuthorization: Bearer %s\r\n"
                   "%sContent-Length: %zu\r\n\r\n%s",
                   path, token, headers, strlen(body), body);
    return ask(place, text);
}

// One modern request; `name` is what Mcp-Name says, NULL: nothing.
static const char *send_modern(size_t place, const char *token, const char *path,
                               const char *method, const char *name, const char *params)
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
    return post(place, token, path, headers, body);
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
    const char *text = send_modern(0, token, path, asked[row].method,
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
    leave(0);
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
        if (stage.lives[1] != 0 || strcmp(hidden, missing) != 0) {
            fail_msg("%s: hidden\n%s\nmissing\n%s", asked[i].name, hidden, missing);
        }
        // It is there for the other one, or this would prove nothing.
        answer_for(i, "whole", asked[i].hidden, hidden, sizeof hidden);
        answer_for(i, "whole", asked[i].missing, missing, sizeof missing);
        if (strcmp(hidden, missing) == 0) {
            fail_msg("%s: it is not there at all\n%s", asked[i].name, hidden);
        }
        close_web();
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
        const char *text = send_modern(0, "whole", lists[i].path, lists[i].method, lists[i].named,
                                       lists[i].params);
        hold(text, lists[i].seen);
        hold(text, "delta");
        text =
            send_modern(0, "some", lists[i].path, lists[i].method, lists[i].named, lists[i].params);
        hold(text, lists[i].seen);
        lack(text, "delta");
        lack(text, "_wipe");
        close_web();
    }
}

static void one_server_alone_obeys_the_token_too(void **state)
{
    (void)state;
    open_web();
    const char *text = send_modern(0, "some", "/mcp/alpha", "tools/list", NULL, "");
    hold(text, "\"alpha_look\"");
    lack(text, "_wipe");
    hold(send_modern(0, "whole", "/mcp/alpha", "tools/list", NULL, ""), "alpha_wipe");
    hold(send_modern(0, "whole", "/mcp/delta", "tools/list", NULL, ""), "delta_look");
    close_web();
}

static void a_stream_tells_of_what_may_be_reached(void **state)
{
    (void)state;
    open_web();
    // Both listen for both resources.
    const char *wanted = "\"notifications\":{\"toolsListChanged\":true,"
                         "\"resourceSubscriptions\":[\"alpha:1\",\"delta:1\"]}";
    hold(send_modern(0, "whole", "/mcp", "subscriptions/listen", NULL, wanted), "acknowledged");
    hold(send_modern(1, "some", "/mcp", "subscriptions/listen", NULL, wanted), "acknowledged");
    for (size_t i = 0; i < SERVER_COUNT; i++) {
        char line[256];
        (void)snprintf(line, sizeof line,
                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
                       "\"2025-11-25\",\"capabilities\":{\"resources\":{\"subscribe\":true}},"
                       "\"serverInfo\":{}}}");
        deft__link_received(deft__gateway_link(stage.gateway, i), stage.lives[i],
                            deft_view_of(line));
        settle();
        (void)snprintf(line, sizeof line,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
                       "\"params\":{\"uri\":\"%s:1\"}}",
                       i == 0 ? "alpha" : "delta");
        deft_buffer_reset(&stage.visitors[0].got);
        deft_buffer_reset(&stage.visitors[1].got);
        deft__link_received(deft__gateway_link(stage.gateway, i), stage.lives[i],
                            deft_view_of(line));
        hold(said(0), i == 0 ? "alpha:1" : "delta:1");
        if (i == 0) {
            hold(said(1), "alpha:1");
        } else {
            assert_string_equal(said(1), "");
        }
    }
    close_web();
}

static void metrics_are_ones_own_where_not_all_may_be_reached(void **state)
{
    (void)state;
    open_web();
    (void)send_modern(0, "whole", "/mcp", "tools/list", NULL, "");
    const char *text = get(0, "whole", "/metrics");
    hold(text, "deft_tools 4\n");
    hold(text, "deft_token_calls_total{token=\"whole\"} 1\n");
    hold(text, "deft_token_calls_total{token=\"some\"} 0\n");
    hold(text, "deft_token_refused_total{token=\"some\",reason=\"rate\"} 0\n");
    text = get(0, "some", "/metrics");
    hold(text, "deft_token_calls_total{token=\"some\"} 0\n");
    lack(text, "whole");
    lack(text, "deft_tools");
    close_web();
}

static void the_journal_names_the_token(void **state)
{
    (void)state;
    open_web();
    (void)send_modern(0, "some", "/mcp", "tools/call", "tool_search",
                      "\"name\":\"tool_search\",\"arguments\":{\"query\":\"look\"}");
    assert_string_equal(stage.journal, "some: ");
    close_web();
}

// --- Limits. ---

static void set_limits(uint32_t per_minute, uint32_t at_once, uint32_t sessions)
{
    deft__token tokens[]       = {token_of("whole"), token_of("some")};
    tokens[1].calls_per_minute = per_minute;
    tokens[1].concurrent_calls = at_once;
    tokens[1].sessions         = sessions;
    assert_int_equal(deft__web_set_tokens(stage.web, tokens, 2, NULL), DEFT_OK);
}

static const char *list_tools(size_t place, const char *token)
{
    return send_modern(place, token, "/mcp", "tools/list", NULL, "");
}

static void too_many_in_a_minute_are_refused(void **state)
{
    (void)state;
    open_web();
    set_limits(2, 0, 0);
    hold(list_tools(0, "some"), " 200 ");
    hold(list_tools(0, "some"), " 200 ");
    const char *text = list_tools(0, "some");
    hold(text, " 429 Too Many Requests\r\n");
    hold(text, "Retry-After: 30\r\n");
    hold(text, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":429,\"message\":");
    hold(text, "callsPerMinute");
    assert_false(stage.visitors[0].is_closed);
    // Others are not concerned, and time heals.
    hold(list_tools(1, "whole"), " 200 ");
    stage.now_ms += 30000;
    deft__web_tick(stage.web, stage.now_ms, 30);
    hold(list_tools(0, "some"), " 200 ");
    hold(list_tools(0, "some"), " 429 ");
    hold(get(0, "some", "/metrics"),
         "deft_token_refused_total{token=\"some\",reason=\"rate\"} 2\n");
    // Limits change while it is in force; what was taken stays taken.
    set_limits(60, 0, 0);
    stage.now_ms += 1000;
    deft__web_tick(stage.web, stage.now_ms, 31);
    hold(list_tools(0, "some"), " 200 ");
    hold(list_tools(0, "some"), " 429 ");
    close_web();
}

#define CALL "\"name\":\"alpha__alpha_look\",\"arguments\":{}"

static void too_many_at_once_are_refused(void **state)
{
    (void)state;
    open_web();
    set_limits(0, 1, 0);
    assert_string_equal(send_modern(0, "some", "/mcp", "tools/call", "alpha__alpha_look", CALL),
                        "");
    const char *text = list_tools(1, "some");
    hold(text, " 429 ");
    hold(text, "Retry-After: 1\r\n");
    hold(text, "concurrentCalls");
    // A stream that only listens is none; nor is a ping.
    hold(send_modern(2, "some", "/mcp", "subscriptions/listen", NULL,
                     "\"notifications\":{\"toolsListChanged\":true}"),
         " 429 ");
    leave(0); // it is cancelled
    hold(list_tools(1, "some"), " 200 ");
    hold(send_modern(2, "some", "/mcp", "subscriptions/listen", NULL,
                     "\"notifications\":{\"toolsListChanged\":true}"),
         " 200 ");
    hold(list_tools(1, "some"), " 200 ");
    hold(list_tools(1, "some"), " 200 ");
    hold(get(1, "some", "/metrics"), "deft_token_open_calls{token=\"some\"} 0\n");
    close_web();
}

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define PING    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"
#define SESSION "Mcp-Session-Id: 01010101010101010101010101010101\r\n"

static void sessions_of_a_token_are_its_own_and_counted(void **state)
{
    (void)state;
    open_web();
    set_limits(0, 0, 1);
    hold(post(0, "some", "/mcp", "", INITIALIZE), "Mcp-Session-Id: 0101");
    hold(post(0, "some", "/mcp", "", INITIALIZE), " 503 ");
    hold(post(0, "some", "/mcp", SESSION, PING), " 200 ");
    // Another's session is nobody's, on every method.
    hold(post(1, "whole", "/mcp", SESSION, PING), " 404 ");
    hold(ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                "Authorization: Bearer whole\r\n" SESSION "\r\n"),
         " 404 ");
    hold(ask(1, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer whole\r\n" SESSION
                "\r\n"),
         " 404 ");
    hold(ask(0, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer some\r\n" SESSION
                "\r\n"),
         " 204 ");
    hold(post(0, "some", "/mcp", "", INITIALIZE), "Mcp-Session-Id: 02");
    close_web();
}

// --- Tokens that come and go. ---

static void a_token_that_is_taken_away_takes_everything_with_it(void **state)
{
    const deft__token whole = token_of("whole");
    (void)state;
    open_web();
    hold(post(0, "some", "/mcp", "", INITIALIZE), " 200 ");
    hold(ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                "Authorization: Bearer some\r\n" SESSION "\r\n"),
         "text/event-stream");
    assert_string_equal(send_modern(2, "some", "/mcp", "tools/call", "alpha__alpha_look", CALL),
                        "");
    hold(post(3, "whole", "/mcp", "", INITIALIZE), "Mcp-Session-Id: 02");
    assert_int_equal(deft__web_set_tokens(stage.web, &whole, 1, NULL), DEFT_OK);
    settle();
    assert_true(stage.visitors[1].is_closed); // its stream
    assert_true(stage.visitors[2].is_closed); // its call
    assert_int_equal(deft__web_open_count(stage.web), 0);
    hold(post(0, "some", "/mcp", SESSION, PING), " 401 ");
    // Given again it begins anew, and the other one was never disturbed.
    set_limits(0, 0, 0);
    hold(post(0, "some", "/mcp", SESSION, PING), " 404 ");
    hold(post(3, "whole", "/mcp", "Mcp-Session-Id: 02020202020202020202020202020202\r\n", PING),
         " 200 ");
    // Without any token nobody may; that does not open the door.
    assert_int_equal(deft__web_set_tokens(stage.web, NULL, 0, NULL), DEFT_OK);
    hold(get(0, "whole", "/metrics"), " 401 ");
    hold(ask(1, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), " 401 ");
    close_web();
}

static void a_token_that_may_reach_other_things_begins_anew(void **state)
{
    deft__token tokens[] = {token_of("whole"), token_of("some")};
    (void)state;
    open_web();
    hold(post(0, "some", "/mcp", "", INITIALIZE), " 200 ");
    tokens[1].restriction.denied_count = 0;
    assert_int_equal(deft__web_set_tokens(stage.web, tokens, 2, NULL), DEFT_OK);
    hold(post(0, "some", "/mcp", SESSION, PING), " 404 ");
    hold(send_modern(0, "some", "/mcp/all", "tools/list", NULL, ""), "alpha_wipe");
    close_web();
}

static void a_token_expires_with_what_it_has_open(void **state)
{
    deft__token token = token_of("some");
    (void)state;
    token.expires_s = 100;
    open_web();
    assert_int_equal(deft__web_set_tokens(stage.web, &token, 1, NULL), DEFT_OK);
    hold(post(0, "some", "/mcp", "", INITIALIZE), " 200 ");
    hold(ask(1, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                "Authorization: Bearer some\r\n" SESSION "\r\n"),
         "text/event-stream");
    deft__web_tick(stage.web, stage.now_ms, 99);
    assert_false(stage.visitors[1].is_closed);
    deft__web_tick(stage.web, stage.now_ms, 100);
    assert_true(stage.visitors[1].is_closed);
    hold(post(0, "some", "/mcp", SESSION, PING), "error=\"invalid_token\"");
    close_web();
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
        const char *answer = ask(0, text);
        if (strstr(answer, " 401 Unauthorized\r\n") == NULL ||
            strstr(answer, strangers[i].challenge) == NULL) {
            fail_msg("%s: %s", strangers[i].name, answer);
        }
        close_web();
    }
}

static void guessing_is_slowed_down_and_good_tokens_are_not(void **state)
{
    (void)state;
    open_web_strictly(2); // a second
    hold(get(0, "guess1", "/metrics"), " 401 ");
    hold(get(0, "guess2", "/metrics"), " 401 ");
    const char *text = get(0, "guess3", "/metrics");
    hold(text, " 429 ");
    hold(text, "Retry-After: 1\r\n");
    assert_true(stage.visitors[0].is_closed);
    hold(get(1, "whole", "/metrics"), "deft_http_unauthorized_total 3\n");
    stage.now_ms += 500;
    deft__web_tick(stage.web, stage.now_ms, 1);
    hold(get(0, "guess4", "/metrics"), " 401 ");
    hold(get(0, "guess5", "/metrics"), " 429 ");
    close_web();
}

static void too_many_tokens_change_nothing(void **state)
{
    static deft__token many[DEFT__TOKENS_MAX + 1];
    deft_error         error = DEFT_ERROR_INIT;
    (void)state;
    open_web();
    assert_int_equal(deft__web_set_tokens(stage.web, many, DEFT__TOKENS_MAX + 1, &error),
                     DEFT_LIMIT);
    hold(list_tools(0, "some"), " 200 ");
    close_web();
}

// Without memory the old list stays in force.
static void every_allocation_may_fail(void **state)
{
    const deft__token old[] = {token_of("whole")};
    const deft__token new[] = {token_of("some"), token_of("other")};
    test_allocator allocator;
    size_t         fail_at = 0;
    deft_status    status;
    (void)state;
    do {
        test_allocator_init(&allocator);
        open_web_with(&allocator.allocator, 0);
        assert_int_equal(deft__web_set_tokens(stage.web, old, 1, NULL), DEFT_OK);
        allocator.fail_at = allocator.requests + ++fail_at;
        status            = deft__web_set_tokens(stage.web, new, 2, NULL);
        allocator.fail_at = 0;
        hold(list_tools(0, status == DEFT_OK ? "some" : "whole"), " 200 ");
        close_web();
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
