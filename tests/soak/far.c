// far.c - an MCP server over HTTP for the soak and for benchmarks: plain, fast, and as rude as it is told
// to be. It holds no state but the name of its one session, which is another one after each start.
//
//   far [modern] [port=N]     prints the port that it listens on, then serves until it is killed
//
//   tool     answers
//     echo     with its arguments, as text
//     stream   the same, as events: a message of its log first
//     cut      half, and closes the connection
//     hang     not at all
#define _GNU_SOURCE
#include "http/request.h"
#include "http/response.h"
#include "http/sse.h"
#include "json/reader.h"
#include "json/writer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BODY_SIZE_MAX (16u * 1024 * 1024)

static const char *const tools[] = {"echo", "stream", "cut", "hang"};

typedef struct guest {
    int               descriptor;
    deft__http_reader reader;
    deft_buffer       body;
    deft__http_head   head;        // only what is needed of it: its views are gone
    bool              has_session; // the request named ours
    bool              is_over;
} guest;

typedef struct far {
    bool             is_modern;
    uint16_t         port;
    char             session[24];
    int              waiting; // epoll
    deft__http_event event;
    deft__json       document;
    deft_buffer      out;
    deft_buffer      text; // one message
} far;

// --- Answers. -----------------------------------------------------------------------------------

static void send_out(const far *self, guest *one)
{
    // An answer is small: a socket that does not take it has nobody who reads.
    const ssize_t sent = send(one->descriptor, self->out.data, self->out.size, MSG_NOSIGNAL);
    one->is_over       = one->is_over || sent != (ssize_t)self->out.size;
}

static void start(far *self, const guest *one, int status)
{
    deft_buffer_reset(&self->out);
    deft__http_start(&self->out, status, deft_view_of(NULL));
    deft__http_connection(&self->out, &one->head, false);
}

static void answer_plain(far *self, guest *one, int status)
{
    start(self, one, status);
    if (status == 204) {
        deft__http_no_body(&self->out);
    } else {
        deft__http_body(&self->out, NULL, deft_view_of(NULL), false);
    }
    send_out(self, one);
}

static void begin_message(far *self, deft__json_writer *writer, deft_view id, bool is_error)
{
    deft_buffer_reset(&self->text);
    deft__json_writer_init(writer, &self->text);
    deft__json_begin_object(writer);
    deft__json_name(writer, "jsonrpc");
    deft__json_write_text(writer, "2.0");
    deft__json_name(writer, "id");
    deft__json_write_raw(writer, id);
    deft__json_name(writer, is_error ? "error" : "result");
    deft__json_begin_object(writer);
    if (self->is_modern && !is_error) {
        deft__json_name(writer, "resultType");
        deft__json_write_text(writer, "complete");
    }
}

static void end_message(deft__json_writer *writer)
{
    deft__json_end_object(writer);
    deft__json_end_object(writer);
}

static void send_message(far *self, guest *one, int status, bool is_naming_session)
{
    start(self, one, status);
    if (is_naming_session) {
        deft__http_header_text(&self->out, "Mcp-Session-Id", deft_view_of(self->session));
    }
    deft__http_body(&self->out, "application/json", deft_buffer_view(&self->text), false);
    send_out(self, one);
}

static void send_events(far *self, guest *one)
{
    deft_buffer events;
    deft_buffer_init(&events, NULL);
    deft__sse_write(&events,
                    &(deft__sse_event){
                        .data = deft_view_of("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                                             "message\",\"params\":{\"level\":\"debug\",\"data\":"
                                             "\"on its way\"}}")});
    deft__sse_write(&events, &(deft__sse_event){.data = deft_buffer_view(&self->text)});
    start(self, one, 200);
    deft__http_events(&self->out, 1);
    deft__http_chunk(&self->out, deft_buffer_view(&events), 1);
    deft__http_last_chunk(&self->out, 1);
    send_out(self, one);
    deft_buffer_clear(&events);
}

static void refuse(far *self, guest *one, deft_view id, int status, int code, const char *message)
{
    deft__json_writer writer;
    begin_message(self, &writer, id, true);
    deft__json_name(&writer, "code");
    deft__json_write_int64(&writer, code);
    deft__json_name(&writer, "message");
    deft__json_write_text(&writer, message);
    end_message(&writer);
    send_message(self, one, status, false);
}

// --- The protocol. ------------------------------------------------------------------------------

static void write_caching(const far *self, deft__json_writer *writer)
{
    if (self->is_modern) {
        deft__json_name(writer, "ttlMs");
        deft__json_write_int64(writer, 600000);
        deft__json_name(writer, "cacheScope");
        deft__json_write_text(writer, "private");
    }
}

static void answer_begin(far *self, guest *one, deft_view id)
{
    deft__json_writer writer;
    begin_message(self, &writer, id, false);
    if (self->is_modern) {
        deft__json_name(&writer, "supportedVersions");
        deft__json_write_raw(&writer, deft_view_of("[\"2026-07-28\"]"));
    } else {
        deft__json_name(&writer, "protocolVersion");
        deft__json_write_text(&writer, "2025-11-25");
    }
    deft__json_name(&writer, "capabilities");
    deft__json_write_raw(&writer, deft_view_of("{\"tools\":{}}"));
    deft__json_name(&writer, "serverInfo");
    deft__json_write_raw(&writer, deft_view_of("{\"name\":\"far\",\"version\":\"1\"}"));
    write_caching(self, &writer);
    end_message(&writer);
    send_message(self, one, 200, !self->is_modern);
}

static void answer_list(far *self, guest *one, deft_view id)
{
    deft__json_writer writer;
    begin_message(self, &writer, id, false);
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        deft__json_begin_object(&writer);
        deft__json_name(&writer, "name");
        deft__json_write_text(&writer, tools[i]);
        deft__json_name(&writer, "description");
        deft__json_write_text(&writer, "Answers a call from far away.");
        deft__json_name(&writer, "inputSchema");
        deft__json_write_raw(&writer, deft_view_of("{\"type\":\"object\",\"properties\":"
                                                   "{\"text\":{\"type\":\"string\"}}}"));
        deft__json_end_object(&writer);
    }
    deft__json_end_array(&writer);
    write_caching(self, &writer);
    end_message(&writer);
    send_message(self, one, 200, false);
}

static void answer_call(far *self, guest *one, deft_view id, deft__json_value params)
{
    const deft__json_value name = deft__json_member(params, "name");
    deft__json_writer      writer;
    begin_message(self, &writer, id, false);
    deft__json_name(&writer, "content");
    deft__json_begin_array(&writer);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "type");
    deft__json_write_text(&writer, "text");
    deft__json_name(&writer, "text");
    deft__json_write_string(&writer, deft__json_raw(deft__json_member(params, "arguments")));
    deft__json_end_object(&writer);
    deft__json_end_array(&writer);
    end_message(&writer);
    if (deft__json_string_equals(name, deft_view_of("stream"))) {
        send_events(self, one);
    } else if (deft__json_string_equals(name, deft_view_of("cut"))) {
        start(self, one, 200);
        deft__http_body(&self->out, "application/json", deft_buffer_view(&self->text), false);
        deft_buffer_truncate(&self->out, self->out.size - self->text.size / 2);
        send_out(self, one);
        one->is_over = true;
    } else if (!deft__json_string_equals(name, deft_view_of("hang"))) {
        send_message(self, one, 200, false);
    }
}

static void take_message(far *self, guest *one)
{
    if (deft__json_parse(&self->document, deft_buffer_view(&one->body), NULL, NULL) != DEFT_OK) {
        answer_plain(self, one, 400);
        return;
    }
    const deft__json_value message  = deft__json_root(&self->document);
    const deft__json_value method   = deft__json_member(message, "method");
    const deft_view        id       = deft__json_raw(deft__json_member(message, "id"));
    const bool             is_begin = deft__json_string_equals(
                    method, deft_view_of(self->is_modern ? "server/discover" : "initialize"));
    if (id.size == 0) {
        answer_plain(self, one, 202);
    } else if (is_begin) {
        answer_begin(self, one, id);
    } else if (!self->is_modern && !one->has_session) {
        refuse(self, one, id,
               deft__json_string_equals(method, deft_view_of("server/discover")) ? 400 : 404,
               -32001, "there is no such session");
    } else if (deft__json_string_equals(method, deft_view_of("tools/list"))) {
        answer_list(self, one, id);
    } else if (deft__json_string_equals(method, deft_view_of("tools/call"))) {
        answer_call(self, one, id, deft__json_member(message, "params"));
    } else if (deft__json_string_equals(method, deft_view_of("ping"))) {
        deft__json_writer writer;
        begin_message(self, &writer, id, false);
        end_message(&writer);
        send_message(self, one, 200, false);
    } else {
        refuse(self, one, id, 404, -32601, "Method not found");
    }
}

static void take_request(far *self, guest *one)
{
    if (one->head.method == DEFT__HTTP_METHOD_POST) {
        take_message(self, one);
    } else {
        answer_plain(self, one, one->head.method == DEFT__HTTP_METHOD_DELETE ? 204 : 405);
    }
    deft_buffer_reset(&one->body);
    one->is_over = one->is_over || !one->head.is_kept_alive;
}

// --- Connections. -------------------------------------------------------------------------------

static void take_head(far *self, guest *one)
{
    deft_view session = {NULL, 0};
    (void)deft__http_find(&self->event.head, "Mcp-Session-Id", &session);
    one->has_session = deft_view_equals(session, self->session);
    one->head        = (deft__http_head){.method        = self->event.head.method,
                                         .minor         = self->event.head.minor,
                                         .is_kept_alive = self->event.head.is_kept_alive};
    if (self->event.head.expects_continue) {
        deft_buffer_reset(&self->out);
        deft__http_continue(&self->out);
        send_out(self, one);
    }
}

static void read_guest(far *self, guest *one)
{
    static char   bytes[65536];
    const ssize_t size = recv(one->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    one->is_over = size <= 0;
    if (!one->is_over) {
        deft__http_reader_feed(&one->reader, deft_view_make(bytes, (size_t)size));
    }
    while (!one->is_over) {
        switch (deft__http_reader_next(&one->reader, &self->event)) {
        case DEFT__HTTP_MORE:
            return;
        case DEFT__HTTP_HEAD:
            take_head(self, one);
            break;
        case DEFT__HTTP_BODY:
            deft_buffer_append(&one->body, self->event.body);
            break;
        case DEFT__HTTP_END:
            take_request(self, one);
            break;
        case DEFT__HTTP_REFUSED:
            one->is_over = true;
            break;
        }
    }
    (void)close(one->descriptor);
    deft__http_reader_clear(&one->reader);
    deft_buffer_clear(&one->body);
    free(one);
}

static void let_in(far *self, int listener)
{
    const int          on         = 1;
    const int          descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    guest             *one        = descriptor >= 0 ? calloc(1, sizeof *one) : NULL;
    struct epoll_event event      = {.events = EPOLLIN, .data.ptr = one};
    if (one == NULL) {
        return;
    }
    one->descriptor = descriptor;
    deft__http_reader_init(&one->reader, BODY_SIZE_MAX, NULL);
    deft_buffer_init(&one->body, NULL);
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (epoll_ctl(self->waiting, EPOLL_CTL_ADD, descriptor, &event) != 0) {
        (void)close(descriptor);
        free(one);
    }
}

static int listen_at(uint16_t *port)
{
    const int          on         = 1;
    const int          descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t          size       = sizeof(struct sockaddr_in);
    struct sockaddr_in address    = {
           .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, (const struct sockaddr *)&address, size) != 0 ||
        listen(descriptor, 1024) != 0 ||
        getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) {
        perror("far: listen");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return descriptor;
}

int main(int argc, char **argv)
{
    static far      self;
    struct timespec now;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "modern") == 0) {
            self.is_modern = true;
        } else if (strncmp(argv[i], "port=", 5) == 0) {
            self.port = (uint16_t)strtoul(argv[i] + 5, NULL, 10);
        } else {
            (void)fprintf(stderr, "usage: far [modern] [port=N]\n");
            return 2;
        }
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would be left to end it
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(self.session, sizeof self.session, "%d-%ld", (int)getpid(), now.tv_nsec);
    deft__json_init(&self.document, NULL);
    deft_buffer_init(&self.out, NULL);
    deft_buffer_init(&self.text, NULL);
    const int          listener = listen_at(&self.port);
    struct epoll_event event    = {.events = EPOLLIN, .data.ptr = NULL};
    self.waiting                = epoll_create1(EPOLL_CLOEXEC);
    (void)epoll_ctl(self.waiting, EPOLL_CTL_ADD, listener, &event);
    (void)printf("%u\n", (unsigned)self.port);
    (void)fflush(stdout);
    for (;;) {
        struct epoll_event ready[64];
        const int          count = epoll_wait(self.waiting, ready, 64, -1);
        for (int i = 0; i < count; i++) {
            if (ready[i].data.ptr == NULL) {
                let_in(&self, listener);
            } else {
                read_guest(&self, ready[i].data.ptr);
            }
        }
    }
}
