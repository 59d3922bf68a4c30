#define _GNU_SOURCE
#include "soak/caller.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENT_SIZE_MAX (16u * 1024 * 1024)

enum {
    STATE_HEAD,
    STATE_BODY,
    STATE_CHUNK_LINE,
    STATE_CHUNK,
    STATE_CHUNK_END,
    STATE_LAST_LINE
};

void caller_init(caller *self, void (*hear)(caller *self, caller_news news, deft_view data),
                 void   *context)
{
    *self = (caller){.descriptor = -1, .hear = hear, .context = context};
    deft_buffer_init(&self->in, NULL);
    deft_buffer_init(&self->body, NULL);
    deft__sse_reader_init(&self->sse, EVENT_SIZE_MAX, NULL);
}

bool caller_connect(caller *self, uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on     = 1;
    self->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (self->descriptor < 0) {
        return false;
    }
    (void)setsockopt(self->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(self->descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        caller_close(self);
        return false;
    }
    self->state = STATE_HEAD;
    deft_buffer_clear(&self->in);
    deft_buffer_clear(&self->body);
    return true;
}

void caller_close(caller *self)
{
    if (self->descriptor >= 0) {
        (void)close(self->descriptor);
        self->descriptor = -1;
    }
}

void caller_reset(caller *self)
{
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    if (self->descriptor >= 0) {
        (void)setsockopt(self->descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
    caller_close(self);
}

void caller_clear(caller *self)
{
    caller_close(self);
    deft_buffer_clear(&self->in);
    deft_buffer_clear(&self->body);
    deft__sse_reader_clear(&self->sse);
}

bool caller_send(caller *self, deft_view bytes)
{
    return self->descriptor >= 0 && send(self->descriptor, bytes.data, bytes.size,
                                         MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes.size;
}

bool caller_post(caller *self, const char *path, const char *headers, deft_view body)
{
    char        size[32];
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    (void)snprintf(size, sizeof size, "%zu\r\n\r\n", body.size);
    deft_buffer_append_text(&text, "POST ");
    deft_buffer_append_text(&text, path);
    deft_buffer_append_text(&text, " HTTP/1.1\r\nHost: localhost\r\n"
                                   "Accept: application/json, text/event-stream\r\n"
                                   "Content-Type: application/json\r\n");
    deft_buffer_append_text(&text, headers);
    deft_buffer_append_text(&text, "Content-Length: ");
    deft_buffer_append_text(&text, size);
    deft_buffer_append(&text, body);
    const bool is_sent = caller_send(self, deft_buffer_view(&text));
    deft_buffer_clear(&text);
    return is_sent;
}

// --- Reading. -----------------------------------------------------------------------------------

static void wrong(caller *self, const char *what)
{
    self->hear(self, CALLER_WRONG, deft_view_of(what));
}

static bool has_name(deft_view line, const char *name)
{
    return line.size > strlen(name) && strncasecmp(line.data, name, strlen(name)) == 0;
}

static deft_view value_of(deft_view line)
{
    const char  *colon = memchr(line.data, ':', line.size);
    const size_t start = colon != NULL ? (size_t)(colon - line.data) + 1 : line.size;
    deft_view    value = deft_view_slice(line, start, line.size);
    while (value.size > 0 && value.data[0] == ' ') {
        value = deft_view_slice(value, 1, value.size);
    }
    return value;
}

static void take_header(caller *self, deft_view line, bool *is_chunked)
{
    const deft_view value = value_of(line);
    if (has_name(line, "content-length:")) {
        self->left = strtoll(value.data, NULL, 10);
    } else if (has_name(line, "transfer-encoding:")) {
        *is_chunked = true;
    } else if (has_name(line, "content-type:")) {
        self->is_events = deft_view_starts_with(value, deft_view_of("text/event-stream"));
    } else if (has_name(line, "connection:")) {
        self->is_last = has_name(value, "clos");
    } else if (has_name(line, "mcp-session-id:") && value.size < sizeof self->session) {
        memcpy(self->session, value.data, value.size);
        self->session[value.size] = '\0';
    }
}

// Takes a line without its end off `in`, beginning at `at`; false: it is not there yet.
static bool next_line(const caller *self, size_t *at, deft_view *line)
{
    const char *start = self->in.data + *at;
    const char *end   = self->in.size > *at ? memchr(start, '\n', self->in.size - *at) : NULL;
    if (end == NULL) {
        return false;
    }
    const size_t size = (size_t)(end - start);
    *line = deft_view_make(start, size > 0 && start[size - 1] == '\r' ? size - 1 : size);
    *at += size + 1;
    return true;
}

static bool take_head(caller *self, size_t *at)
{
    size_t    next       = *at;
    bool      is_chunked = false;
    deft_view line;
    if (memmem(self->in.data + *at, self->in.size - *at, "\r\n\r\n", 4) == NULL ||
        !next_line(self, &next, &line)) {
        return false;
    }
    if (line.size < 12 || memcmp(line.data, "HTTP/1.1 ", 9) != 0) {
        wrong(self, "no status line");
        return false;
    }
    self->status    = (int)strtol(line.data + 9, NULL, 10);
    self->left      = self->status == 204 || self->status == 100 ? 0 : -1;
    self->is_events = false;
    self->is_last   = false;
    while (next_line(self, &next, &line) && line.size > 0) {
        take_header(self, line, &is_chunked);
    }
    *at         = next;
    self->state = is_chunked ? STATE_CHUNK_LINE : STATE_BODY;
    deft_buffer_reset(&self->body);
    deft__sse_reader_clear(&self->sse);
    self->hear(self, CALLER_HEAD, deft_view_of(NULL));
    return true;
}

static void take_bytes(caller *self, deft_view bytes)
{
    deft__sse_event event;
    if (!self->is_events) {
        deft_buffer_append(&self->body, bytes);
        return;
    }
    // What was borrowed by the reader is copied, for `hear` may do anything.
    deft__sse_reader_feed(&self->sse, bytes);
    while (self->descriptor >= 0 && deft__sse_reader_next(&self->sse, &event) == DEFT_OK) {
        if (event.id.size > 0 && event.id.size < sizeof self->last_id) {
            memcpy(self->last_id, event.id.data, event.id.size);
            self->last_id[event.id.size] = '\0';
        }
        self->hear(self, CALLER_EVENT, event.data);
    }
}

static void end_answer(caller *self)
{
    self->state = STATE_HEAD;
    self->hear(self, CALLER_END, deft_buffer_view(&self->body));
}

static bool take_piece(caller *self, size_t *at)
{
    const size_t there = self->in.size - *at;
    const size_t size  = self->left >= 0 && (size_t)self->left < there ? (size_t)self->left : there;
    const deft_view bytes = deft_view_make(self->in.data + *at, size);
    *at += size;
    self->left -= self->left >= 0 ? (int64_t)size : 0;
    const bool is_whole = self->left == 0;
    const bool is_chunk = self->state == STATE_CHUNK;
    take_bytes(self, bytes);
    if (self->descriptor >= 0 && is_whole && is_chunk) {
        self->state = STATE_CHUNK_END;
    } else if (self->descriptor >= 0 && is_whole) {
        end_answer(self);
    }
    return is_whole;
}

// One step; false: more bytes are needed first.
static bool step(caller *self, size_t *at)
{
    deft_view line;
    switch (self->state) {
    case STATE_HEAD:
        return self->in.size > *at && take_head(self, at);
    case STATE_BODY:
    case STATE_CHUNK:
        return (self->left == 0 || self->in.size > *at) && take_piece(self, at);
    case STATE_CHUNK_LINE:
        if (!next_line(self, at, &line)) {
            return false;
        }
        self->left  = strtoll(line.data, NULL, 16);
        self->state = self->left > 0 ? STATE_CHUNK : STATE_LAST_LINE;
        return true;
    case STATE_CHUNK_END:
        self->state = STATE_CHUNK_LINE;
        return next_line(self, at, &line) || (self->state = STATE_CHUNK_END, false);
    default:
        if (!next_line(self, at, &line)) {
            return false;
        }
        end_answer(self);
        return true;
    }
}

void caller_read(caller *self)
{
    static char   bytes[256 * 1024];
    const ssize_t size = recv(self->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    size_t        at   = 0;
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (size <= 0) {
        const bool is_whole = self->state == STATE_BODY && self->left < 0;
        caller_close(self);
        if (is_whole) {
            self->hear(self, CALLER_END, deft_buffer_view(&self->body));
        }
        self->hear(self, CALLER_GONE, deft_view_of(NULL));
        return;
    }
    deft_buffer_append(&self->in, deft_view_make(bytes, (size_t)size));
    while (self->descriptor >= 0 && step(self, &at)) {
    }
    if (self->descriptor < 0 || at == self->in.size) {
        deft_buffer_clear(&self->in);
    } else if (at > 0) {
        memmove(self->in.data, self->in.data + at, self->in.size - at);
        deft_buffer_truncate(&self->in, self->in.size - at);
    }
}
