// soak DEFT FAULT FAR [seconds=N] [waves=N] [clients=N] [servers=N] [seed=N] [pace=MS]
//
// deft over HTTP in bad company, for as long as one likes: clients of both eras that call, search, listen,
// leave in the middle, reset their connections, fall silent in the middle of a request or go on without
// reading; servers as child processes and over HTTP that are killed, stopped for a while and started
// again, and cut their answers short.
//
// What must hold: every request has exactly one answer, its own, unless the client itself broke the
// connection; a stream stays open as long as its client wants it; who falls silent in a request is
// cut off. After each wave everybody leaves, and deft has no connection, session or open request left,
// as many descriptors as after the first wave, and no more memory. At its end it exits with 0, which with
// a sanitizer means that nothing leaked. What happens is chosen by the seed; when, by the machine.
#define _GNU_SOURCE
#include "faults/serving.h"
#include "soak/caller.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_MAX   10000
#define SERVERS_MAX   200
#define SAMPLES_MAX   4000000
#define ANSWER_MS     100000 // a call whose server is gone fails after 60 s
#define SILENCE_MS    45000  // a request that does not get on is cut off after 30 s
#define SETTLE_MS     150000
#define KILL_EVERY_MS 400

// --- What there is. -------------------------------------------------------------------------------

typedef enum ask_kind {
    ASK_NOTHING,
    ASK_INITIALIZE,
    ASK_INITIALIZED,
    ASK_NEAR,   // echo, of a child process
    ASK_FAR,    // echo, over HTTP
    ASK_STREAM, // the same, as events
    ASK_CUT,    // a server that breaks off
    ASK_TELL,   // a server that has something to say to all, and has another tool from then on
    ASK_SEARCH,
    ASK_LIST,
    ASK_PING,
    ASK_DELETE,
    ASK_COUNT
} ask_kind;

static const char *const asking_names[ASK_COUNT] = {
    "nothing", "initialize", "initialized", "near", "far",  "stream",
    "cut",     "tell",       "search",      "list", "ping", "delete"};

typedef struct soak soak;

typedef struct client {
    soak    *soak;
    caller   line;   // for requests
    caller   stream; // a legacy session's own
    bool     is_modern;
    bool     is_silent;  // it has sent half a request and waits to be cut off
    bool     is_deaf;    // it does not read
    bool     has_closed; // its side, while it waits for an answer
    ask_kind asking;
    unsigned answers; // to what it asks
    uint64_t number;  // of the request
    int64_t  asked_ms;
    int64_t  due_ms; // when it does the next thing
} client;

typedef struct far_server {
    pid_t    process; // 0: it is down
    uint16_t port;
    bool     is_modern;
    int64_t  due_ms; // when it is started again
} far_server;

struct soak {
    serving     server;
    uint16_t    port;
    int         waiting; // epoll
    uint64_t    random;
    int64_t     now_ms;
    bool        is_ending; // nobody begins anything
    long        seconds, waves, client_count, server_count, pace_ms;
    size_t      near_count, far_count;
    client     *clients;
    far_server  fars[SERVERS_MAX];
    pid_t       stopped; // a server that sleeps; 0: none
    const char *deft, *fault, *far;
    uint64_t    numbers;
    // Counted.
    uint64_t  asked[ASK_COUNT], failed[ASK_COUNT];
    uint64_t  resets, silences, half_closes, deaf, leaves, resumed, events, kills, stops;
    uint32_t *samples[ASK_COUNT]; // milliseconds of answers that were right
    size_t    sample_count[ASK_COUNT];
};

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// splitmix64
static uint64_t next_random(soak *self, uint64_t below)
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
                 asking_names[one->asking], (unsigned long long)one->number,
                 (long long)(now_ms() - one->asked_ms), one->line.status,
                 (int)(data.size < 2000 ? data.size : 2000), data.data);
    serving_fail(&one->soak->server, what);
}

// --- Answers. -------------------------------------------------------------------------------------

static void rest(client *one)
{
    soak *self  = one->soak;
    one->due_ms = self->now_ms + (int64_t)next_random(self, 2 * (uint64_t)self->pace_ms + 1);
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
    } else if (self->sample_count[one->asking] < SAMPLES_MAX) {
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
    const uint64_t what = next_random(self, 100);
    const size_t   near = (size_t)next_random(self, self->near_count);
    const size_t   far  = (size_t)next_random(self, self->far_count);
    if (next_random(self, 1000) == 0) {
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
    (void)caller_send(&one->line, deft_view_of(halves[next_random(one->soak, 4)]));
    one->is_silent = true;
    one->asked_ms  = one->soak->now_ms;
}

static void be_rude(client *one)
{
    soak *self = one->soak;
    switch (next_random(self, 6)) {
    case 0: // in the middle of a call
        self->resets++;
        ask_something(one);
        hang_up(one, true);
        break;
    case 1: // of a call that would not end, a little later
        self->resets++;
        ask_tool(one, ASK_NEAR, "n", (size_t)next_random(self, self->near_count), "hang");
        one->has_closed = true;
        one->due_ms     = self->now_ms + (int64_t)next_random(self, 500);
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
        one->due_ms  = self->now_ms + (int64_t)next_random(self, 5000);
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
    if (one->line.session[0] != '\0' && next_random(self, 2) == 0) {
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
    } else if (has_session && one->stream.descriptor < 0 && next_random(self, 8) == 0) {
        open_stream(one, next_random(self, 2) == 0);
        ask(one, ASK_INITIALIZED, "notifications/initialized", "", "");
    } else if (one->stream.descriptor >= 0 && next_random(self, 50) == 0) {
        self->resumed++;
        caller_reset(&one->stream); // it may be opened again a moment later
        rest(one);
    } else if (next_random(self, 100) < 5) {
        be_rude(one);
    } else {
        ask_something(one);
    }
}

static bool is_away(const client *one)
{
    return one->line.descriptor < 0 && one->stream.descriptor < 0 && one->line.session[0] == '\0';
}

static void look_after(client *one)
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
            hang_up(one, next_random(self, 2) == 0);
        }
    } else if (one->asking != ASK_NOTHING) {
        if (self->now_ms - one->asked_ms > ANSWER_MS) {
            fail(one, "there is no answer", deft_view_of(NULL));
        }
    } else if (self->now_ms >= one->due_ms && !(self->is_ending && is_away(one))) {
        act(one);
    }
}

// --- Servers. -------------------------------------------------------------------------------------

static void start_far(soak *self, far_server *one)
{
    char port[16];
    int  out[2];
    (void)snprintf(port, sizeof port, "port=%u", (unsigned)one->port);
    if (pipe(out) != 0) {
        serving_fail(&self->server, "there is no pipe");
    }
    one->process = fork();
    if (one->process == 0) {
        (void)dup2(out[1], STDOUT_FILENO);
        for (int i = 3; i < 65536; i++) {
            (void)close(i);
        }
        (void)execl(self->far, self->far, port, one->is_modern ? "modern" : (char *)NULL,
                    (char *)NULL);
        _exit(127);
    }
    (void)close(out[1]);
    char          text[16] = "";
    const ssize_t size     = read(out[0], text, sizeof text - 1);
    (void)close(out[0]);
    if (size <= 0) {
        serving_fail(&self->server, "a server over HTTP does not start");
    }
    one->port = (uint16_t)strtoul(text, NULL, 10);
}

static void kill_far(soak *self)
{
    far_server *one = &self->fars[next_random(self, self->far_count)];
    if (one->process > 0) {
        (void)kill(one->process, SIGKILL);
        (void)waitpid(one->process, NULL, 0);
        one->process = 0;
        one->due_ms  = self->now_ms + (int64_t)next_random(self, 2000);
        self->kills++;
    }
}

static void kill_near(soak *self, bool is_stop)
{
    pid_t        children[4 * SERVERS_MAX];
    const size_t count = serving_children(self->server.process, children, 4 * SERVERS_MAX);
    if (count == 0) {
        return;
    }
    const pid_t process = children[next_random(self, count)];
    if (is_stop) {
        self->stopped = process;
        self->stops++;
        (void)kill(process, SIGSTOP);
    } else {
        (void)kill(process, SIGKILL);
        self->kills++;
    }
}

static void disturb(soak *self)
{
    for (size_t i = 0; i < self->far_count; i++) {
        if (self->fars[i].process == 0 && self->now_ms >= self->fars[i].due_ms) {
            start_far(self, &self->fars[i]);
        }
    }
}

static void disturb_more(soak *self)
{
    if (self->stopped != 0) {
        (void)kill(self->stopped, SIGCONT);
        self->stopped = 0;
    }
    switch (next_random(self, 4)) {
    case 0:
        kill_far(self);
        break;
    case 1:
        kill_near(self, true);
        break;
    default:
        kill_near(self, false);
        break;
    }
}

static void configure(soak *self)
{
    deft_buffer text;
    char        one[512];
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"toolSearch\":{\"enabled\":\"on\"},\"mcpServers\":{");
    for (size_t i = 0; i < self->near_count; i++) {
        (void)snprintf(one, sizeof one, "%s\"n%zu\":{\"command\":\"%s\",\"args\":[%s]}",
                       i > 0 ? "," : "", i, self->fault,
                       i % 10 == 0  ? "\"loud\""
                       : i % 2 == 0 ? ""
                                    : "\"modern\"");
        deft_buffer_append_text(&text, one);
    }
    for (size_t i = 0; i < self->far_count; i++) {
        self->fars[i].is_modern = i % 2 == 1;
        start_far(self, &self->fars[i]);
        (void)snprintf(one, sizeof one,
                       ",\"f%zu\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:%u/mcp\"}", i,
                       (unsigned)self->fars[i].port);
        deft_buffer_append_text(&text, one);
    }
    deft_buffer_append_text(&text, "}}");
    deft_buffer_append_byte(&text, '\0');
    serving_configure(&self->server, text.data);
    deft_buffer_clear(&text);
}

// --- Waves. ---------------------------------------------------------------------------------------

static void turn(soak *self)
{
    struct epoll_event ready[256];
    const int          count = epoll_wait(self->waiting, ready, 256, 5);
    self->now_ms             = now_ms();
    for (int i = 0; i < count; i++) {
        caller *line = ready[i].data.ptr;
        if (line->descriptor >= 0) {
            caller_read(line);
        }
    }
    for (long i = 0; i < self->client_count; i++) {
        look_after(&self->clients[i]);
    }
    disturb(self);
}

static size_t away_count(const soak *self)
{
    size_t count = 0;
    for (long i = 0; i < self->client_count; i++) {
        count += is_away(&self->clients[i]) ? 1 : 0;
    }
    return count;
}

// Numbers that deft tells of itself.
typedef struct numbers {
    caller line;
    bool   is_there;
    size_t connections, sessions, open;
} numbers;

static size_t metric(deft_view text, const char *name)
{
    const char *found = memmem(text.data, text.size, name, strlen(name));
    return found != NULL ? strtoul(found + strlen(name), NULL, 10) : SIZE_MAX;
}

static void hear_numbers(caller *line, caller_news news, deft_view data)
{
    numbers *self = line->context;
    if (news == CALLER_END) {
        self->connections = metric(data, "\ndeft_http_connections ");
        self->sessions    = metric(data, "\ndeft_sessions ");
        self->open        = metric(data, "\ndeft_http_open_requests ");
        self->is_there    = true;
    }
}

static numbers ask_numbers(soak *self)
{
    numbers       it  = {.is_there = false};
    const int64_t end = now_ms() + SETTLE_MS;
    caller_init(&it.line, hear_numbers, &it);
    if (!caller_connect(&it.line, self->port) ||
        !caller_send(&it.line, deft_view_of("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))) {
        serving_fail(&self->server, "it does not take connections any more");
    }
    while (!it.is_there) {
        struct pollfd ready = {.fd = it.line.descriptor, .events = POLLIN};
        if (poll(&ready, 1, 1000) > 0) {
            caller_read(&it.line);
        }
        if (now_ms() > end || it.line.descriptor < 0) {
            serving_fail(&self->server, "it does not tell its numbers");
        }
    }
    caller_clear(&it.line);
    return it;
}

static size_t descriptor_count(const soak *self, const char *kind)
{
    char   path[64];
    char   link[512];
    char   target[64];
    size_t count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)self->server.process);
    DIR           *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        (void)snprintf(link, sizeof link, "%s/%s", path, entry->d_name);
        const ssize_t size = readlink(link, target, sizeof target - 1);
        count += size > 0 && strncmp(target, kind, strlen(kind)) == 0 ? 1 : 0;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

// Everybody goes, and deft has to notice.
static void end_wave(soak *self)
{
    const int64_t end = now_ms() + SETTLE_MS;
    self->is_ending   = true;
    if (self->stopped != 0) {
        (void)kill(self->stopped, SIGCONT);
        self->stopped = 0;
    }
    while (away_count(self) < (size_t)self->client_count) {
        turn(self);
        if (self->now_ms > end) {
            serving_fail(&self->server, "clients cannot leave");
        }
    }
    for (;;) {
        const numbers it = ask_numbers(self);
        if (it.connections == 1 && it.sessions == 0 && it.open <= 1) {
            break;
        }
        if (now_ms() > end) {
            (void)printf("%zu connections, %zu sessions, %zu open requests\n", it.connections,
                         it.sessions, it.open);
            serving_fail(&self->server, "something is left of clients that are gone");
        }
        turn(self);
    }
    self->is_ending = false;
}

static void play_wave(soak *self, int64_t length_ms)
{
    const int64_t end       = now_ms() + length_ms;
    int64_t       next_kill = now_ms() + KILL_EVERY_MS;
    while (self->now_ms < end) {
        turn(self);
        if (self->now_ms >= next_kill) {
            next_kill = self->now_ms + KILL_EVERY_MS;
            disturb_more(self);
        }
    }
    end_wave(self);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void report(soak *self)
{
    for (int i = ASK_INITIALIZE; i < ASK_COUNT; i++) {
        const size_t count = self->sample_count[i];
        qsort(self->samples[i], count, sizeof(uint32_t), compare);
        (void)printf("  %-12s %8llu asked, %6llu answered with an error", asking_names[i],
                     (unsigned long long)self->asked[i], (unsigned long long)self->failed[i]);
        if (count > 0) {
            (void)printf(", p50 %u ms, p99 %u ms, longest %u ms", self->samples[i][count / 2],
                         self->samples[i][count * 99 / 100], self->samples[i][count - 1]);
        }
        (void)printf("\n");
    }
    (void)printf("  clients: %llu resets in a call, %llu silent in a request, %llu half closed, "
                 "%llu deaf, %llu gone and back, %llu streams reset, %llu events\n"
                 "  servers: %llu killed, %llu stopped for a while\n",
                 (unsigned long long)self->resets, (unsigned long long)self->silences,
                 (unsigned long long)self->half_closes, (unsigned long long)self->deaf,
                 (unsigned long long)self->leaves, (unsigned long long)self->resumed,
                 (unsigned long long)self->events, (unsigned long long)self->kills,
                 (unsigned long long)self->stops);
}

static void play(soak *self)
{
    size_t first_kb = 0, first_sockets = 0;
    for (long wave = 0; wave < self->waves; wave++) {
        play_wave(self, self->seconds * 1000 / self->waves);
        const size_t kb      = serving_resident_kb(&self->server);
        const size_t sockets = descriptor_count(self, "socket:");
        (void)printf(
            "  wave %ld: %llu requests so far; nobody left; %zu kB, %zu sockets, %zu pipes\n",
            wave + 1, (unsigned long long)self->numbers, kb, sockets,
            descriptor_count(self, "pipe:"));
        (void)fflush(stdout);
        first_kb      = wave == 0 ? kb : first_kb;
        first_sockets = wave == 0 ? sockets : first_sockets;
        // Connections to servers over HTTP stay open for a while, so sockets may differ by as many.
        if (sockets > first_sockets + 4 * self->far_count) {
            serving_fail(&self->server, "descriptors are left");
        }
        if (kb > first_kb * 5 / 4 + 8192) {
            serving_fail(&self->server, "memory grows from wave to wave");
        }
    }
}

// --- The start. -----------------------------------------------------------------------------------

static bool take_option(soak *self, const char *word)
{
    const struct {
        const char *name;
        long       *value;
        long        max;
    } options[] = {{"seconds=", &self->seconds, 86400},
                   {"waves=", &self->waves, 1000},
                   {"clients=", &self->client_count, CLIENTS_MAX},
                   {"servers=", &self->server_count, SERVERS_MAX},
                   {"pace=", &self->pace_ms, 60000}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strncmp(word, options[i].name, strlen(options[i].name)) == 0) {
            *options[i].value = strtol(word + strlen(options[i].name), NULL, 10);
            return *options[i].value > 0 && *options[i].value <= options[i].max;
        }
    }
    if (strncmp(word, "seed=", 5) == 0) {
        self->random = strtoull(word + 5, NULL, 10);
        return true;
    }
    return false;
}

static void prepare(soak *self)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    // What a sanitizer keeps back of freed memory is not ours.
    (void)setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 0);
    self->far_count  = (size_t)self->server_count * 2 / 5;
    self->far_count  = self->far_count > 0 ? self->far_count : 1;
    self->near_count = (size_t)self->server_count - self->far_count;
    self->waiting    = epoll_create1(EPOLL_CLOEXEC);
    self->clients    = calloc((size_t)self->client_count, sizeof *self->clients);
    for (int i = 0; i < ASK_COUNT; i++) {
        self->samples[i] = malloc(SAMPLES_MAX * sizeof(uint32_t));
    }
    self->now_ms = now_ms();
    serving_adopt();
    serving_init(&self->server);
    configure(self);
    serving_discover(&self->server, self->deft);
    self->port = serving_start_http(&self->server, self->deft);
    for (long i = 0; i < self->client_count; i++) {
        client *one    = &self->clients[i];
        one->soak      = self;
        one->is_modern = i % 2 == 1;
        caller_init(&one->line, hear, one);
        caller_init(&one->stream, hear_stream, one);
        rest(one);
    }
}

int main(int argc, char **argv)
{
    static soak self    = {.seconds      = 600,
                           .waves        = 5,
                           .client_count = 1000,
                           .server_count = 50,
                           .pace_ms      = 1000,
                           .random       = 0};
    bool        is_fine = argc >= 4;
    for (int i = 4; i < argc; i++) {
        is_fine = is_fine && take_option(&self, argv[i]);
    }
    if (!is_fine || self.server_count < 2) {
        (void)fprintf(stderr, "usage: soak DEFT FAULT FAR [seconds=600] [waves=5] [clients=1000] "
                              "[servers=50] [seed=N] [pace=1000]\n");
        return 2;
    }
    self.deft  = argv[1];
    self.fault = argv[2];
    self.far   = argv[3];
    if (self.random == 0) {
        self.random = (uint64_t)now_ms();
    }
    (void)printf("soak: %ld s, %ld clients, %ld servers, seed=%llu\n", self.seconds,
                 self.client_count, self.server_count, (unsigned long long)self.random);
    (void)fflush(stdout);
    prepare(&self);
    play(&self);
    serving_terminate(&self.server);
    report(&self);
    for (size_t i = 0; i < self.far_count; i++) {
        if (self.fars[i].process > 0) {
            (void)kill(self.fars[i].process, SIGKILL);
            (void)waitpid(self.fars[i].process, NULL, 0);
        }
    }
    if (serving_end_orphans() > 0) {
        (void)printf("FAIL processes were left behind\n");
        return 1;
    }
    return 0;
}
