#include "support/web_server.h"

#include "base/memory.h"
#include "io/poll.h"
#include "io/stream.h"
#include "support/test.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWERS_MAX 64u

typedef struct visitor {
    struct visitor  *next;
    test_web_server *server;
    deft__stream    *stream;
    int              descriptor;
    deft_buffer      input;
    deft_buffer      request; // the last one
    deft_buffer      unsent;  // one byte at a time
    size_t           sent;
    deft__task       step;
    bool             is_open; // its answer is not finished
    bool             resets;  // in the next turn of the loop
} visitor;

struct test_web_server {
    deft__loop            *loop;
    const test_web_answer *answers;
    bool                   is_used[ANSWERS_MAX];
    int                    descriptor;
    int                    port;
    deft__poll            *poll;
    visitor               *visitors; // newest first; those that have left too
    deft_buffer            heard;    // requests, a NUL after each
};

// --- Text. ----------------------------------------------------------------------------------------

static bool has(deft_view text, const char *wanted)
{
    const size_t size = strlen(wanted);
    for (size_t i = 0; i + size <= text.size; i++) {
        size_t same = 0;
        while (same < size && (text.data[i + same] == wanted[same] ||
                               (wanted[same] == '\'' && text.data[i + same] == '"'))) {
            same++;
        }
        if (same == size) {
            return true;
        }
    }
    return false;
}

static bool fits(deft_view text, const char *request, const char *holds)
{
    return deft_view_starts_with(text, deft_view_of(request)) &&
           (holds == NULL || has(text, holds));
}

static void append_quoted(deft_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        deft_buffer_append_byte(out, (char)(*text == '\'' ? '"' : *text));
    }
}

static bool take_line(const char **text, char *line, size_t size)
{
    const size_t length = strcspn(*text, "\n");
    assert_true(length < size);
    memcpy(line, *text, length);
    line[length] = '\0';
    *text += length + ((*text)[length] == '\n' ? 1 : 0);
    return length > 0;
}

// --- Visitors. ------------------------------------------------------------------------------------

static void dismiss(visitor *one)
{
    deft__loop_undefer(one->server->loop, &one->step);
    deft__stream_close(one->stream);
    one->stream  = NULL;
    one->is_open = false;
}

static void reset(visitor *one)
{
    const struct linger rude = {.l_onoff = 1, .l_linger = 0};
    setsockopt(one->descriptor, SOL_SOCKET, SO_LINGER, &rude, sizeof rude);
    dismiss(one);
}

static void step(void *context)
{
    visitor *one = context;
    if (one->resets) {
        reset(one);
        return;
    }
    deft__stream_write(one->stream, deft_view_make(one->unsent.data + one->sent, 1));
    one->sent++;
    if (one->sent < one->unsent.size) {
        deft__loop_defer(one->server->loop, &one->step);
    }
}

static const char *type_of(const char *kind)
{
    return has(deft_view_of(kind), "json")   ? "application/json"
           : has(deft_view_of(kind), "sse")  ? "text/event-stream"
           : has(deft_view_of(kind), "html") ? "text/html"
           : has(deft_view_of(kind), "text") ? "text/plain"
                                             : NULL;
}

static void write_head(deft_buffer *out, const char **answer, const char *kind)
{
    char        line[400];
    const char *type = type_of(kind);
    deft_buffer_append_text(out, "HTTP/1.1 ");
    deft_buffer_append(out, deft_view_make(kind, 3));
    deft_buffer_append_text(out, " Whatever\r\n");
    if (type != NULL) {
        deft_buffer_append_text(out, "Content-Type: ");
        deft_buffer_append_text(out, type);
        deft_buffer_append_text(out, "\r\n");
    }
    while (take_line(answer, line, sizeof line)) {
        deft_buffer_append_text(out, line);
        deft_buffer_append_text(out, "\r\n");
    }
}

static void write_chunk(deft_buffer *out, const char *text)
{
    char size[20];
    if (*text != '\0') {
        snprintf(size, sizeof size, "%zx\r\n", strlen(text));
        deft_buffer_append_text(out, size);
        append_quoted(out, text);
        deft_buffer_append_text(out, "\r\n");
    }
}

static void answer_with(visitor *one, const char *answer)
{
    char        kind[100];
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    take_line(&answer, kind, sizeof kind);
    const deft_view words = deft_view_of(kind);
    if (deft_view_equals(words, "silence")) {
        return;
    } else if (deft_view_equals(words, "raw")) {
        deft_buffer_append_text(&out, answer);
        deft__stream_write(one->stream, deft_buffer_view(&out));
        deft__stream_finish(one->stream);
        deft_buffer_clear(&out);
        return;
    }
    write_head(&out, &answer, kind);
    one->is_open = has(words, " open");
    if (one->is_open) {
        deft_buffer_append_text(&out, "Transfer-Encoding: chunked\r\n\r\n");
        write_chunk(&out, answer);
    } else {
        const bool is_short = has(words, " cut") || has(words, " reset");
        deft_buffer_append_text(&out, "Content-Length: ");
        deft_buffer_append_u64(&out, strlen(answer) * (is_short ? 2 : 1));
        deft_buffer_append_text(&out, "\r\n\r\n");
        append_quoted(&out, answer);
    }
    if (has(words, " split")) {
        deft_buffer_reset(&one->unsent);
        deft_buffer_append(&one->unsent, deft_buffer_view(&out));
        one->sent = 0;
        deft__loop_defer(one->server->loop, &one->step);
    } else {
        deft__stream_write(one->stream, deft_buffer_view(&out));
        if (has(words, " cut")) {
            deft__stream_finish(one->stream);
        }
    }
    deft_buffer_clear(&out);
    if (has(words, " reset")) {
        one->resets = true;
        deft__loop_defer(one->server->loop, &one->step);
    }
}

static void take_request(visitor *one)
{
    test_web_server *server  = one->server;
    const deft_view  request = deft_buffer_view(&one->request);
    deft_buffer_append(&server->heard, request);
    deft_buffer_append_byte(&server->heard, '\0');
    for (size_t i = 0; server->answers[i].request != NULL; i++) {
        const test_web_answer *answer = &server->answers[i];
        assert_true(i < ANSWERS_MAX);
        if (!server->is_used[i] && fits(request, answer->request, answer->holds)) {
            server->is_used[i] = !answer->is_always;
            answer_with(one, answer->answer);
            return;
        }
    }
    fail_msg("no answer for: %.*s", (int)request.size, request.data);
}

// The size of the whole request at the start of `input`; 0: it is not whole yet.
static size_t request_size(deft_view input)
{
    size_t head = 0;
    while (head + 4 <= input.size && memcmp(input.data + head, "\r\n\r\n", 4) != 0) {
        head++;
    }
    if (head + 4 > input.size) {
        return 0;
    }
    size_t            body   = 0;
    static const char name[] = "Content-Length: ";
    for (size_t i = 0; i + sizeof name < head; i++) {
        if (memcmp(input.data + i, name, sizeof name - 1) == 0) {
            body = strtoul(input.data + i + sizeof name - 1, NULL, 10);
        }
    }
    return head + 4 + body <= input.size ? head + 4 + body : 0;
}

static void visitor_read(void *context, deft_view bytes)
{
    visitor *one = context;
    size_t   size;
    deft_buffer_append(&one->input, bytes);
    while (one->stream != NULL && (size = request_size(deft_buffer_view(&one->input))) > 0) {
        deft_buffer_reset(&one->request);
        deft_buffer_append(&one->request, deft_view_make(one->input.data, size));
        memmove(one->input.data, one->input.data + size, one->input.size - size);
        deft_buffer_truncate(&one->input, one->input.size - size);
        take_request(one);
    }
}

static void visitor_ended(void *context, deft__stream_end end, int code)
{
    (void)end;
    (void)code;
    dismiss(context);
}

static void accept_one(void *context, unsigned events)
{
    (void)events;
    test_web_server *server = context;
    deft_error       error  = DEFT_ERROR_INIT;
    visitor         *one    = deft__new(NULL, sizeof *one);
    one->server             = server;
    one->descriptor         = accept(server->descriptor, NULL, NULL);
    assert_true(one->descriptor >= 0);
    deft_buffer_init(&one->input, NULL);
    deft_buffer_init(&one->request, NULL);
    deft_buffer_init(&one->unsent, NULL);
    deft__task_init(&one->step, step, one);
    const deft__stream_options options = {
        .context = one, .read = visitor_read, .ended = visitor_ended};
    one->stream      = deft__stream_new(server->loop, one->descriptor, &options, &error);
    one->next        = server->visitors;
    server->visitors = one;
    assert_non_null(one->stream);
}

// --- The server. ----------------------------------------------------------------------------------

test_web_server *test_web_server_new(deft__loop *loop, const test_web_answer *answers)
{
    test_web_server   *server  = deft__new(NULL, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t          size    = sizeof address;
    address.sin_addr.s_addr    = htonl(INADDR_LOOPBACK);
    server->loop               = loop;
    server->answers            = answers;
    server->descriptor         = socket(AF_INET, SOCK_STREAM, 0);
    deft_buffer_init(&server->heard, NULL);
    assert_true(server->descriptor >= 0);
    assert_int_equal(bind(server->descriptor, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->descriptor, 64), 0);
    assert_int_equal(getsockname(server->descriptor, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    server->poll = deft__poll_new(loop, server->descriptor, accept_one, server);
    assert_non_null(server->poll);
    deft__poll_watch(server->poll, DEFT__POLL_READABLE);
    return server;
}

void test_web_server_close(test_web_server *server)
{
    for (visitor *one = server->visitors; one != NULL; one = one->next) {
        dismiss(one);
    }
    if (server->poll != NULL) {
        deft__poll_free(server->poll);
        close(server->descriptor);
        server->poll = NULL;
    }
}

void test_web_server_free(test_web_server *server)
{
    test_web_server_close(server);
    while (server->visitors != NULL) {
        visitor *one     = server->visitors;
        server->visitors = one->next;
        deft_buffer_clear(&one->input);
        deft_buffer_clear(&one->request);
        deft_buffer_clear(&one->unsent);
        deft__free(NULL, one, sizeof *one);
    }
    deft_buffer_clear(&server->heard);
    deft__free(NULL, server, sizeof *server);
}

int test_web_server_port(const test_web_server *server)
{
    return server->port;
}

static visitor *find_open(const test_web_server *server, const char *request)
{
    visitor *one = server->visitors;
    while (one != NULL && !(one->is_open && fits(deft_buffer_view(&one->request), request, NULL))) {
        one = one->next;
    }
    return one;
}

bool test_web_server_push(test_web_server *server, const char *request, const char *bytes)
{
    visitor    *one = find_open(server, request);
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    if (one != NULL) {
        write_chunk(&out, bytes);
        deft__stream_write(one->stream, deft_buffer_view(&out));
    }
    deft_buffer_clear(&out);
    return one != NULL;
}

bool test_web_server_hang_up(test_web_server *server, const char *request)
{
    visitor *one = find_open(server, request);
    if (one != NULL) {
        deft__stream_write(one->stream, deft_view_of("0\r\n\r\n"));
        one->is_open = false;
    }
    return one != NULL;
}

size_t test_web_server_count(const test_web_server *server, const char *request, const char *holds)
{
    size_t count = 0;
    size_t at    = 0;
    while (at < server->heard.size) {
        const deft_view one = deft_view_of(server->heard.data + at);
        count += fits(one, request, holds) ? 1 : 0;
        at += one.size + 1;
    }
    return count;
}

deft_view test_web_server_heard(const test_web_server *server)
{
    return deft_buffer_view(&server->heard);
}
