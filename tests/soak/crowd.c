// The soak's clients: what each asks, what it takes for an answer, and how it misbehaves. Whatever is not
// as it must be ends the program.
#define _GNU_SOURCE
#include "soak/soak.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#define ANSWER_MS  100000 // a call whose server is gone fails after 60 s
#define SILENCE_MS 45000  // a request that does not get on is cut off after 30 s

const char *const soak_names[ASK_COUNT] = {"nothing", "initialize", "initialized", "near",
                                           "far",     "stream",     "cut",         "tell",
                                           "search",  "list",       "ping",        "delete"};

int64_t soak_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// splitmix64
uint64_t soak_random(soak *self, uint64_t below)
{
    uint64_t z = self->random += 0x9E3779B97F4A7C15u;
    z          = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z          = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % below;
}

static void fail(const client *one, const char *what, deft_view data)
{
    (void)printf("client %td (%s), asking %s as %llu for %lld ms, status %d: %.*s\n",
                 one - one->soak->clients, one->is_modern ? "modern" : "legacy",
                 soak_names[one->asking], (unsigned long long)one->number,
                 (long long)(soak_now_ms() - one->asked_ms), one->line.status,
                 (int)(data.size < 2000 ? data.size : 2000), data.data);
    serving_fail(&one->soak->server, what);
}

// --- Answers. -------------------------------------------------------------------------------------

static void rest(client *one)
{
    soak *self  = one->soak;
    one->due_ms = self->now_ms + (int64_t)soak_random(self, 2 * (uint64_t)self->pace_ms + 1);
}

static bool is_echo(ask_kind asking)
{
    return asking == ASK_NEAR || asking == ASK_FAR || asking == ASK_STREAM || asking == ASK_CUT ||
           asking == ASK_TELL;
}

// Whether a message is the answer to what was asked, and right. Errors are answers, too: a server may
// have been killed.
static void take_message(client *one, deft_view text)
{
    soak      *self = one->soak;
    deft__json document;
    char       wanted[64];
    deft__json_init(&document, NULL);
    if (deft__json_parse(&document, text, NULL, NULL) != DEFT_OK) {
        fail(one, "what came is not JSON", text);
    }
    const deft__json_value message = deft__json_root(&document);
    const deft_view        id      = deft__json_raw(deft__json_member(message, "id"));
    if (deft__json_is(deft__json_member(message, "method"), DEFT__JSON_STRING)) {
        deft__json_clear(&document); // a notice beside it
        return;
    }
    (void)snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)one->number);
    if (!deft_view_equals(id, wanted)) {
        fail(one, "an answer is somebody else's", text);
    }
    one->answers++;
    const deft__json_value result = deft__json_member(message, "result");
    const bool             is_ok  = deft__json_is(result, DEFT__JSON_OBJECT) &&
                       !deft__json_is(deft__json_member(result, "isError"), DEFT__JSON_TRUE);
    if (is_ok && is_echo(one->asking)) {
        deft__json_iterator content = deft__json_iterate(deft__json_member(result, "content"));
        (void)snprintf(wanted, sizeof wanted, "{\"text\":\"%llu\"}",
                       (unsigned long long)one->number);
        if (!deft__json_next(&content) ||
            !deft__json_string_equals(deft__json_member(content.value, "text"),
                                      deft_view_of(wanted))) {
            fail(one, "an answer has another call's text", text);
        }
    }
    if (!is_ok) {
        self->failed[one->asking]++;
    } else if (self->sample_count[one->asking] < SOAK_SAMPLES_MAX) {
        self->samples[one->asking][self->sample_count[one->asking]++] =
            (uint32_t)(self->now_ms - one->asked_ms);
    }
    deft__json_clear(&document);
}

static void take_end(client *one, deft_view body)
{
    if (one->asking == ASK_NOTHING) {
        fail(one, "there is an answer that nobody asked for", body);
    }
    const bool is_told = one->asking == ASK_INITIALIZED || one->asking == ASK_DELETE;
    if (!is_told && !one->line.is_events) {
        take_message(one, body);
    }
    if (is_told ? one->line.status / 100 != 2 : one->answers != 1) {
        fail(one, is_told ? "it was refused" : "there is not exactly one answer", body);
    }
    if (one->asking == ASK_DELETE) {
        one->line.session[0] = '\0';
    }
    if (one->has_closed || one->line.is_last) {
        caller_close(&one->line);
    }
    one->asking     = ASK_NOTHING;
    one->has_closed = false;
    rest(one);
}

static void hear(caller *line, caller_news news, deft_view data)
{
    client *one = line->context;
    switch (news) {
    case CALLER_HEAD:
        if (one->asking == ASK_NOTHING && !one->is_silent) {
            fail(one, "there is an answer that nobody asked for", data);
        }
        break;
    case CALLER_EVENT:
        take_message(one, data);
        break;
    case CALLER_END:
        if (one->is_silent) {
            break; // it is told that it took too long, or was wrong
        }
        take_end(one, data);
        break;
    case CALLER_GONE:
        if (one->asking != ASK_NOTHING && !one->has_closed) {
            fail(one, "the connection was closed without an answer", data);
        }
        one->asking    = ASK_NOTHING;
        one->is_silent = one->has_closed = false;
        rest(one);
        break;
    case CALLER_WRONG:
        fail(one, "what came is not HTTP", data);
    }
}

static void hear_stream(caller *line, caller_news news, deft_view data)
{
    client *one = line->context;
    if (news == CALLER_EVENT) {
        one->soak->events++;
    } else if (news == CALLER_HEAD && line->status == 409) {
        caller_close(line); // the one before it is not yet missed: later
    } else if (news != CALLER_HEAD) {
        fail(one, "a session's stream was closed", data);
    } else if (line->status != 200) {
        fail(one, "a session's stream was refused", data);
    }
}

// --- Requests. ------------------------------------------------------------------------------------

static void connect_line(client *one, caller *line)
{
    soak              *self  = one->soak;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = line};
    if (!caller_connect(line, self->port) ||
        epoll_ctl(self->waiting, EPOLL_CTL_ADD, line->descriptor, &event) != 0) {
        fail(one, "there is no connection", deft_view_of(NULL));
    }
}

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"soak\",\"version\":\"1\"},"                \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void write_headers(const client *one, const char *method, const char *name, char text[512])
{
    int size = 0;
    if (one->is_modern) {
        size =
            snprintf(text, 512, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n", method);
    } else if (one->line.session[0] != '\0') {
        size = snprintf(text, 512, "Mcp-Session-Id: %s\r\n", one->line.session);
    }
    if (one->is_modern && name[0] != '\0') {
        (void)snprintf(text + size, 512 - (size_t)size, "Mcp-Name: %s\r\n", name);
    }
}

// Sends a request, or a notification; `params` are members, or nothing.
static void ask(client *one, ask_kind asking, const char *method, const char *name,
                const char *params)
{
    soak *self         = one->soak;
    char  headers[512] = "";
    char  body[1024];
    one->number   = ++self->numbers;
    one->asking   = asking;
    one->answers  = 0;
    one->asked_ms = self->now_ms;
    self->asked[asking]++;
    write_headers(one, method, name, headers);
    int size = snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",");
    if (asking != ASK_INITIALIZED) {
        size += snprintf(body + size, sizeof body - (size_t)size, "\"id\":%llu,",
                         (unsigned long long)one->number);
    }
    (void)snprintf(body + size, sizeof body - (size_t)size,
                   "\"method\":\"%s\",\"params\":{%s%s%s}}", method, one->is_modern ? META : "",
                   one->is_modern && params[0] != '\0' ? "," : "", params);
    if (!caller_post(&one->line, "/mcp", headers, deft_view_of(body))) {
        fail(one, "a request could not be sent", deft_view_of(NULL));
    }
}

static void ask_tool(client *one, ask_kind asking, const char *prefix, size_t place,
                     const char *tool)
{
    char name[64];
    char params[256];
    (void)snprintf(name, sizeof name, "%s%zu__%s", prefix, place, tool);
    (void)snprintf(params, sizeof params, "\"name\":\"%s\",\"arguments\":{\"text\":\"%llu\"}", name,
                   (unsigned long long)one->soak->numbers + 1);
    ask(one, asking, "tools/call", name, params);
}

static void ask_something(client *one)
{
    soak          *self = one->soak;
    const uint64_t what = soak_random(self, 100);
    const size_t   near = (size_t)soak_random(self, self->near_count);
    const size_t   far  = (size_t)soak_random(self, self->far_count);
    if (soak_random(self, 1000) == 0) {
        ask_tool(one, ASK_TELL, "n", near - near % 10, "tell");
    } else if (what < 45) {
        ask_tool(one, ASK_NEAR, "n", near, "echo");
    } else if (what < 75) {
        ask_tool(one, ASK_FAR, "f", far, "echo");
    } else if (what < 82) {
        ask_tool(one, ASK_STREAM, "f", far, "stream");
    } else if (what < 85) {
        ask_tool(one, ASK_CUT, "f", far, "cut");
    } else if (what < 93) {
        ask(one, ASK_SEARCH, "tools/call", "tool_search",
            "\"name\":\"tool_search\",\"arguments\":{\"query\":\"answer a call\"}");
    } else if (what < 96) {
        ask(one, ASK_LIST, "tools/list", "", "");
    } else {
        ask(one, ASK_PING, one->is_modern ? "server/discover" : "ping", "", "");
    }
}

static void open_stream(client *one, bool is_back)
{
    char text[512];
    connect_line(one, &one->stream);
    (void)snprintf(text, sizeof text,
                   "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                   "Mcp-Session-Id: %s\r\n%s%s%s\r\n",
                   one->line.session,
                   is_back && one->stream.last_id[0] != '\0' ? "Last-Event-ID: " : "",
                   is_back ? one->stream.last_id : "",
                   is_back && one->stream.last_id[0] != '\0' ? "\r\n" : "");
    if (!caller_send(&one->stream, deft_view_of(text))) {
        fail(one, "a stream could not be asked for", deft_view_of(NULL));
    }
}

// --- Rudeness. ------------------------------------------------------------------------------------

// Takes the connections away; the session stays, for a client that comes back.
static void hang_up(client *one, bool is_reset)
{
    (is_reset ? caller_reset : caller_close)(&one->line);
    (is_reset ? caller_reset : caller_close)(&one->stream);
    one->asking    = ASK_NOTHING;
    one->is_silent = one->is_deaf = one->has_closed = false;
    rest(one);
}

static void send_half(client *one)
{
    static const char *const halves[] = {
        "POST /mcp HT", "POST /mcp HTTP/1.1\r\nHost: local",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n{\"jsonrpc\":",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"json"};
    (void)caller_send(&one->line, deft_view_of(halves[soak_random(one->soak, 4)]));
    one->is_silent = true;
    one->asked_ms  = one->soak->now_ms;
}

static void be_rude(client *one)
{
    soak *self = one->soak;
    switch (soak_random(self, 6)) {
    case 0: // in the middle of a call
        self->resets++;
        ask_something(one);
        hang_up(one, true);
        break;
    case 1: // of a call that would not end, a little later
        self->resets++;
        ask_tool(one, ASK_NEAR, "n", (size_t)soak_random(self, self->near_count), "hang");
        one->has_closed = true;
        one->due_ms     = self->now_ms + (int64_t)soak_random(self, 500);
        break;
    case 2:
        self->silences++;
        send_half(one);
        break;
    case 3: // it says no more, and the other side cannot know whether it still reads
        self->half_closes++;
        ask_something(one);
        (void)shutdown(one->line.descriptor, SHUT_WR);
        one->has_closed = true;
        one->due_ms     = self->now_ms + 5000;
        break;
    case 4: // answers come and nobody reads them
        self->deaf++;
        ask_something(one);
        (void)epoll_ctl(self->waiting, EPOLL_CTL_DEL, one->line.descriptor, NULL);
        one->is_deaf = true;
        one->due_ms  = self->now_ms + (int64_t)soak_random(self, 5000);
        break;
    default:
        self->leaves++;
        hang_up(one, false);
        break;
    }
}

// --- What a client does. --------------------------------------------------------------------------

static void leave(client *one)
{
    char text[256];
    if (one->line.session[0] == '\0') {
        hang_up(one, false);
        return;
    }
    caller_close(&one->stream);
    one->asking   = ASK_DELETE;
    one->asked_ms = one->soak->now_ms;
    (void)snprintf(text, sizeof text,
                   "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n\r\n",
                   one->line.session);
    if (!caller_send(&one->line, deft_view_of(text))) {
        fail(one, "a session could not be ended", deft_view_of(NULL));
    }
}

static void begin(client *one)
{
    soak *self = one->soak;
    if (one->line.session[0] != '\0' && soak_random(self, 2) == 0) {
        leave(one);
    } else if (one->line.session[0] == '\0' && !one->is_modern) {
        ask(one, ASK_INITIALIZE, "initialize", "",
            "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
            "\"clientInfo\":{\"name\":\"soak\",\"version\":\"1\"}");
    } else {
        ask_something(one);
    }
}

static void act(client *one)
{
    soak      *self        = one->soak;
    const bool has_session = one->line.session[0] != '\0';
    if (self->is_ending && !has_session) {
        hang_up(one, false);
    } else if (one->line.descriptor < 0) {
        connect_line(one, &one->line);
        if (self->is_ending) {
            leave(one);
        } else {
            begin(one);
        }
    } else if (self->is_ending) {
        leave(one);
    } else if (!one->is_modern && !has_session) {
        begin(one);
    } else if (has_session && one->stream.descriptor < 0 && soak_random(self, 8) == 0) {
        open_stream(one, soak_random(self, 2) == 0);
        ask(one, ASK_INITIALIZED, "notifications/initialized", "", "");
    } else if (one->stream.descriptor >= 0 && soak_random(self, 50) == 0) {
        self->resumed++;
        caller_reset(&one->stream); // it may be opened again a moment later
        rest(one);
    } else if (soak_random(self, 100) < 5) {
        be_rude(one);
    } else {
        ask_something(one);
    }
}

bool soak_client_is_away(const client *one)
{
    return one->line.descriptor < 0 && one->stream.descriptor < 0 && one->line.session[0] == '\0';
}

void soak_client_look(client *one)
{
    soak *self = one->soak;
    if (one->is_silent) {
        if (self->now_ms - one->asked_ms > SILENCE_MS) {
            fail(one, "who falls silent in a request is not cut off", deft_view_of(NULL));
        }
        if (self->is_ending) {
            hang_up(one, false);
        }
    } else if (one->is_deaf || one->has_closed) {
        if (self->now_ms >= one->due_ms) {
            hang_up(one, soak_random(self, 2) == 0);
        }
    } else if (one->asking != ASK_NOTHING) {
        if (self->now_ms - one->asked_ms > ANSWER_MS) {
            fail(one, "there is no answer", deft_view_of(NULL));
        }
    } else if (self->now_ms >= one->due_ms && !(self->is_ending && soak_client_is_away(one))) {
        act(one);
    }
}

void soak_client_init(client *one, soak *self, bool is_modern)
{
    one->soak      = self;
    one->is_modern = is_modern;
    caller_init(&one->line, hear, one);
    caller_init(&one->stream, hear_stream, one);
    rest(one);
}
