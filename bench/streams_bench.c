// What it costs to wait: thousands of connections with a stream of events on which nothing is said. The
// memory of the process before and after, divided; how long until a notice has reached all of them;
// and how long until it is noticed that all have hung up. What the kernel keeps for a socket is not
// in it: that is the same for every server.
#define _GNU_SOURCE
#include "bench/bench.h"
#include "faults/serving.h"
#include "soak/caller.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define STREAMS  5000
#define LIMIT_MS 30000

typedef struct crowd crowd;

typedef struct listener {
    caller   caller;
    crowd   *crowd;
    unsigned step;    // answers it has had
    bool     is_open; // its stream is
    unsigned heard;   // notices
} listener;

struct crowd {
    serving     server;
    uint16_t    port;
    int         waiting; // epoll
    listener   *listeners;
    size_t      open_count;
    size_t      heard_count;
    const char *notice; // a word of it
    void (*next)(listener *one);
};

static void fail(const crowd *self, const char *what)
{
    serving_fail(&self->server, what);
}

// --- The manners of listening. --------------------------------------------------------------------

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"               \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void post(listener *one, const char *headers, const char *body)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s%s%s%s", headers,
                   one->caller.session[0] != '\0' ? "Mcp-Session-Id: " : "", one->caller.session,
                   one->caller.session[0] != '\0' ? "\r\n" : "");
    if (!caller_post(&one->caller, "/mcp", text, deft_view_of(body))) {
        fail(one->crowd, "a request could not be sent");
    }
}

static void next_modern(listener *one)
{
    post(one, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n",
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{" META
         ",\"notifications\":{\"toolsListChanged\":true}}}");
}

static void open_stream(listener *one)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                   "Mcp-Session-Id: %s\r\n\r\n",
                   one->caller.session);
    if (!caller_send(&one->caller, deft_view_of(text))) {
        fail(one->crowd, "a request could not be sent");
    }
}

static void next_legacy_of(listener *one, bool has_list)
{
    static const char *const bodies[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}"
        "}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"};
    if (one->step < (has_list ? 3 : 2)) {
        post(one, "", bodies[one->step]);
    } else {
        open_stream(one);
    }
}

static void next_legacy(listener *one)
{
    next_legacy_of(one, false);
}

static void next_listed(listener *one)
{
    next_legacy_of(one, true);
}

// --- What they hear. ------------------------------------------------------------------------------

static void hear(caller *from, caller_news news, deft_view data)
{
    listener *one  = from->context;
    crowd    *self = one->crowd;
    switch (news) {
    case CALLER_HEAD:
        if (from->status >= 300) {
            fail(self, "a request was refused");
        }
        if (from->is_events && !one->is_open) {
            one->is_open = true;
            self->open_count++;
        }
        break;
    case CALLER_EVENT:
        if (memmem(data.data, data.size, self->notice, strlen(self->notice)) != NULL) {
            self->heard_count += one->heard == 0 ? 1 : 0;
            one->heard++;
        }
        break;
    case CALLER_END:
        one->step++;
        self->next(one);
        break;
    case CALLER_GONE:
    case CALLER_WRONG:
        fail(self, "a stream has ended");
    }
}

static void wait_until(crowd *self, const size_t *count, size_t wanted)
{
    struct epoll_event events[256];
    const double       end = bench_wall_seconds() + LIMIT_MS / 1000.0;
    while (*count < wanted) {
        const int ready = epoll_wait(self->waiting, events, 256, 1000);
        for (int i = 0; i < ready; i++) {
            caller_read(events[i].data.ptr);
        }
        if (bench_wall_seconds() > end) {
            fail(self, "it takes too long");
        }
    }
}

// --- What is measured. ----------------------------------------------------------------------------

static listener *add_listener(crowd *self, size_t place)
{
    listener          *one   = &self->listeners[place];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &one->caller};
    *one                     = (listener){.crowd = self};
    caller_init(&one->caller, hear, one);
    if (!caller_connect(&one->caller, self->port) ||
        epoll_ctl(self->waiting, EPOLL_CTL_ADD, one->caller.descriptor, &event) != 0) {
        fail(self, "there is no connection");
    }
    return one;
}

// One request on a connection of its own, answered; the answer's body.
typedef struct question {
    caller      caller;
    size_t      answered;
    deft_buffer body;
} question;

static void hear_answer(caller *self, caller_news news, deft_view data)
{
    question *one = self->context;
    if (news == CALLER_END) {
        deft_buffer_append(&one->body, data);
        one->answered++;
    }
}

static void ask(crowd *self, const char *request, deft_view body, deft_buffer *answer)
{
    question one = {.answered = 0};
    caller_init(&one.caller, hear_answer, &one);
    deft_buffer_init(&one.body, NULL);
    if (!caller_connect(&one.caller, self->port) ||
        !(body.size > 0 ? caller_post(&one.caller, "/mcp", request, body)
                        : caller_send(&one.caller, deft_view_of(request)))) {
        fail(self, "there is no connection");
    }
    while (one.answered == 0) {
        struct pollfd ready = {.fd = one.caller.descriptor, .events = POLLIN};
        if (poll(&ready, 1, LIMIT_MS) <= 0) {
            fail(self, "it does not answer");
        }
        caller_read(&one.caller);
    }
    if (answer != NULL) {
        deft_buffer_append(answer, deft_buffer_view(&one.body));
    }
    deft_buffer_clear(&one.body);
    caller_clear(&one.caller);
}

static size_t connections(crowd *self)
{
    static const char name[] = "\ndeft_http_connections ";
    deft_buffer       text;
    deft_buffer_init(&text, NULL);
    ask(self, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", deft_view_of(NULL), &text);
    deft_buffer_append_byte(&text, '\0');
    const char  *found = strstr(text.data, name);
    const size_t count = found != NULL ? strtoul(found + sizeof name - 1, NULL, 10) : 0;
    deft_buffer_clear(&text);
    return count;
}

static void tell(crowd *self)
{
    ask(self, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: s__tell\r\n",
        deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" META
                     ",\"name\":\"s__tell\",\"arguments\":{\"text\":\"x\"}}}"),
        NULL);
}

static void measure(const char *name, const char *deft, const char *fault, const char *notice,
                    void (*next)(listener *one))
{
    crowd self = {.notice = notice, .next = next};
    char  text[1024];
    serving_init(&self.server);
    (void)snprintf(text, sizeof text,
                   "{\"toolSearch\":{\"enabled\":\"on\"},"
                   "\"mcpServers\":{\"s\":{\"command\":\"%s\",\"args\":[\"loud\"]}}}",
                   fault);
    serving_configure(&self.server, text);
    self.port      = serving_start_http(&self.server, deft);
    self.waiting   = epoll_create1(EPOLL_CLOEXEC);
    self.listeners = calloc(STREAMS, sizeof *self.listeners);
    if (self.listeners == NULL) {
        fail(&self, "there is no memory");
    }
    tell(&self); // every server is there, and every path has been used once
    (void)connections(&self);
    const size_t before = serving_resident_kb(&self.server);
    for (size_t i = 0; i < STREAMS; i++) {
        next(add_listener(&self, i));
        wait_until(&self, &self.open_count, i + 1);
    }
    const size_t after = serving_resident_kb(&self.server);
    double       start = bench_wall_seconds();
    tell(&self);
    wait_until(&self, &self.heard_count, STREAMS);
    const double told = bench_wall_seconds() - start;
    start             = bench_wall_seconds();
    for (size_t i = 0; i < STREAMS; i++) {
        caller_clear(&self.listeners[i].caller);
    }
    while (connections(&self) > 1) {
        if (bench_wall_seconds() - start > LIMIT_MS / 1000.0) {
            fail(&self, "it does not notice that they are gone");
        }
    }
    (void)printf("  %-34s %5.0f bytes each (%zu -> %zu kB); a notice reaches all in %4.0f ms; "
                 "gone is noticed in %4.0f ms\n",
                 name, (double)(after - before) * 1024 / STREAMS, before, after, told * 1e3,
                 (bench_wall_seconds() - start) * 1e3);
    free(self.listeners);
    serving_terminate(&self.server);
}

int main(void)
{
    struct rlimit limit;
    const char   *deft  = DEFT_BENCH_PROGRAM;
    const char   *fault = DEFT_BENCH_ECHO;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max < STREAMS + 100) {
        (void)printf("%d open files are needed: see ulimit -Hn\n", STREAMS + 100);
        return 1;
    }
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    serving_adopt();
    bench_head("streams");
    (void)printf("%d streams that nothing is said on, over HTTP\n", STREAMS);
    measure("modern, subscriptions/listen", deft, fault, "list_changed", next_modern);
    measure("legacy session and its GET", deft, fault, "told", next_legacy);
    measure("the same, tools listed before", deft, fault, "told", next_listed);
    (void)serving_end_orphans();
    return 0;
}
