#include "serve/landing.h"

#include "base/memory.h"
#include "http/headers.h"
#include "http/request.h"
#include "http/response.h"
#include "io/socket.h"
#include "io/stream.h"

#include <unistd.h>

#define PATH "/callback"

// A browser opens two or three.
#define VISITORS_MAX  16u
#define BODY_SIZE_MAX 1024u

static const char done_page[] = "<!doctype html><meta charset=utf-8><title>deft</title><p>deft has "
                                "the answer. You can close this "
                                "page: the terminal says how it went.\n";
static const char wrong_page[] =
    "<!doctype html><meta charset=utf-8><title>deft</title><p>This is not the answer that deft "
    "waits "
    "for. Go back to the terminal and open the address that is shown there.\n";

typedef struct visitor {
    struct visitor   *next;
    deft__landing    *landing;
    deft__stream     *stream;
    deft__http_reader reader;
    bool              is_answered;
} visitor;

struct deft__landing {
    deft__loop     *loop;
    deft__listener *listener;
    visitor        *visitors;
    size_t          visitor_count;
    bool (*came)(void *context, deft_view query);
    void            *context;
    deft__http_event event; // for all of them
};

static void forget(visitor *one)
{
    deft__landing *landing = one->landing;
    visitor      **place   = &landing->visitors;
    while (*place != one) {
        place = &(*place)->next;
    }
    *place = one->next;
    landing->visitor_count--;
    deft__stream_close(one->stream);
    deft__http_reader_clear(&one->reader);
    deft__free(deft__loop_allocator(landing->loop), one, sizeof *one);
}

static void answer(visitor *one, int status, const char *page, bool is_head)
{
    deft_buffer out;
    deft_buffer_init(&out, deft__loop_allocator(one->landing->loop));
    deft__http_start(&out, status, deft_view_of(NULL));
    // The address holds a code: it is to stand nowhere else.
    deft__http_header_text(&out, "Cache-Control", deft_view_of("no-store"));
    deft__http_header_text(&out, "Referrer-Policy", deft_view_of("no-referrer"));
    deft__http_header_text(&out, "Content-Security-Policy", deft_view_of("default-src 'none'"));
    deft__http_header_text(&out, "Connection", deft_view_of("close"));
    deft__http_body(&out, "text/html; charset=utf-8", deft_view_of(page), is_head);
    if (out.status == DEFT_OK) {
        deft__stream_write(one->stream, deft_buffer_view(&out));
    }
    deft_buffer_clear(&out);
    deft__stream_finish(one->stream);
    one->is_answered = true;
}

static void refuse(visitor *one, const deft__http_refusal *refusal)
{
    deft_buffer out;
    deft_buffer_init(&out, deft__loop_allocator(one->landing->loop));
    deft__http_refuse(&out, refusal, deft_view_of(NULL));
    deft__stream_write(one->stream, deft_buffer_view(&out));
    deft_buffer_clear(&out);
    deft__stream_finish(one->stream);
    one->is_answered = true;
}

// A page elsewhere could make a browser ask us by a name of its own; then it is not for us.
static bool is_for_us(const deft__http_head *head)
{
    return deft__http_is_loopback(&head->host) && deft_view_equals(head->path, PATH);
}

static void serve(visitor *one, const deft__http_head *head)
{
    const bool is_get  = head->method == DEFT__HTTP_METHOD_GET;
    const bool is_head = head->method == DEFT__HTTP_METHOD_HEAD;
    if (!is_for_us(head)) {
        answer(one, 404, wrong_page, is_head);
    } else if (!is_get) {
        answer(one, 405, wrong_page, is_head);
    } else if (one->landing->came(one->landing->context, head->query)) {
        answer(one, 200, done_page, false);
    } else {
        answer(one, 400, wrong_page, false);
    }
}

static void read_bytes(void *context, deft_view bytes)
{
    visitor          *one   = context;
    deft__http_event *event = &one->landing->event;
    if (one->is_answered) {
        return; // one request each
    }
    deft__http_reader_feed(&one->reader, bytes);
    deft__http_event_kind kind = deft__http_reader_next(&one->reader, event);
    while (kind != DEFT__HTTP_MORE && !one->is_answered) {
        if (kind == DEFT__HTTP_HEAD) {
            serve(one, &event->head);
        } else if (kind == DEFT__HTTP_REFUSED) {
            refuse(one, &event->refusal);
        } else {
            kind = deft__http_reader_next(&one->reader, event);
        }
    }
    if (one->is_answered) {
        deft__http_reader_hold(&one->reader);
    }
}

static void ended(void *context, deft__stream_end end, int code)
{
    (void)end;
    (void)code;
    forget(context);
}

// Whoever has been here longest without asking is not the one: they must not keep the browser out.
static void forget_oldest(const deft__landing *landing)
{
    visitor *oldest = landing->visitors;
    while (oldest->next != NULL) {
        oldest = oldest->next;
    }
    forget(oldest);
}

static void accepted(void *context, int descriptor)
{
    deft__landing        *landing   = context;
    const deft_allocator *allocator = deft__loop_allocator(landing->loop);
    if (landing->visitor_count == VISITORS_MAX) {
        forget_oldest(landing);
    }
    visitor *one = deft__new(allocator, sizeof *one);
    if (one == NULL) {
        close(descriptor);
        return;
    }
    const deft__stream_options options = {.context = one, .read = read_bytes, .ended = ended};
    one->landing                       = landing;
    one->stream = deft__stream_new(landing->loop, descriptor, &options, NULL);
    if (one->stream == NULL) {
        deft__free(allocator, one, sizeof *one);
        return;
    }
    deft__http_reader_init(&one->reader, BODY_SIZE_MAX, allocator);
    one->next         = landing->visitors;
    landing->visitors = one;
    landing->visitor_count++;
}

deft__landing *deft__landing_new(deft__loop *loop, uint16_t                          port,
                                 bool (*came)(void *context, deft_view query), void *context,
                                 deft_error *error)
{
    deft__landing *landing = deft__new(deft__loop_allocator(loop), sizeof *landing);
    if (landing == NULL) {
        return NULL;
    }
    landing->loop     = loop;
    landing->came     = came;
    landing->context  = context;
    landing->listener = deft__listener_new_tcp(loop, "127.0.0.1", port, accepted, landing, error);
    if (landing->listener == NULL) {
        deft__landing_free(landing);
        return NULL;
    }
    return landing;
}

void deft__landing_free(deft__landing *landing)
{
    if (landing == NULL) {
        return;
    }
    while (landing->visitors != NULL) {
        forget(landing->visitors);
    }
    deft__listener_close(landing->listener);
    deft__free(deft__loop_allocator(landing->loop), landing, sizeof *landing);
}

uint16_t deft__landing_port(const deft__landing *landing)
{
    return deft__listener_port(landing->listener);
}

void deft__landing_write_url(const deft__landing *landing, deft_buffer *out)
{
    deft_buffer_append_text(out, "http://127.0.0.1:");
    deft_buffer_append_u64(out, deft__landing_port(landing));
    deft_buffer_append_text(out, PATH);
}
