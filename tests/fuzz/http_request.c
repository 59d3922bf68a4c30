// Any bytes into the request reader. The first byte seeds how the rest is cut into pieces; whatever
// the cut, the same heads, bodies, ends and refusals come out as from feeding all at once. In between
// the reader is told to hold what it has, as for an answer that takes its time.
#include "fuzz/fuzz.h"
#include "http/request.h"
#include "http/syntax.h"

#define BODY_SIZE_MAX 4096

static void write_head(const deft__http_head *head, deft_buffer *out)
{
    check(head->path.size > 0 && (head->path.data[0] == '/' || head->path.data[0] == '*'));
    check(deft__http_all(head->path, DEFT__HTTP_TARGET));
    check(head->minor == 0 || head->host.host.size > 0);
    check(!head->is_chunked || head->body_size == 0);
    check(head->body_size <= BODY_SIZE_MAX);
    deft_buffer_append_byte(out, '\n');
    deft_buffer_append(out, head->method_name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, head->path);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, head->query);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, head->host.host);
    deft_buffer_append_u64(out, (unsigned)head->host.port + 1u);
    deft_buffer_append_byte(out, head->minor == 0 ? '0' : '1');
    deft_buffer_append_byte(out, head->is_kept_alive ? 'k' : 'c');
    deft_buffer_append_byte(out, head->is_chunked ? 'p' : 'w');
    deft_buffer_append_byte(out, head->expects_continue ? 'e' : 'n');
    deft_buffer_append_u64(out, head->body_size);
    for (size_t i = 0; i < head->header_count; i++) {
        check(deft__http_all(head->headers[i].name, DEFT__HTTP_TOKEN));
        check(deft__http_is_value(head->headers[i].value));
        deft_buffer_append(out, head->headers[i].name);
        deft_buffer_append_byte(out, ':');
        deft_buffer_append(out, head->headers[i].value);
        deft_buffer_append_byte(out, ';');
    }
}

// Takes every event. `is_holding`: lets go of the bytes after each request.
static void drain(deft__http_reader *reader, bool is_holding, deft_buffer *out)
{
    deft__http_event      event;
    deft__http_event_kind kind;
    memset(&event, 0xff, sizeof event);
    while ((kind = deft__http_reader_next(reader, &event)) != DEFT__HTTP_MORE) {
        if (kind == DEFT__HTTP_HEAD) {
            write_head(&event.head, out);
        } else if (kind == DEFT__HTTP_BODY) {
            check(event.body.size > 0);
            deft_buffer_append(out, event.body);
        } else if (kind == DEFT__HTTP_END) {
            deft_buffer_append_byte(out, '.');
            if (is_holding) {
                deft__http_reader_hold(reader);
            }
        } else {
            check(event.refusal.status >= 400 && event.refusal.status != 503);
            deft_buffer_append_byte(out, '!');
            deft_buffer_append_u64(out, (uint64_t)event.refusal.status);
        }
    }
}

// Feeds `text` in pieces of 1 to 64 bytes chosen by `seed`, small ones more often; all at once when
// it is 0.
static void split(deft_view text, uint32_t seed, deft_buffer *out)
{
    const bool        is_whole = seed == 0;
    deft__http_reader reader;
    deft__http_reader_init(&reader, BODY_SIZE_MAX, NULL);
    for (size_t at = 0; at < text.size;) {
        seed                  = seed * 1664525u + 1013904223u;
        const size_t    cut   = 1 + ((seed >> 26) & (seed >> 20));
        const deft_view piece = deft_view_slice(text, at, is_whole ? text.size : cut);
        // A copy of the exact size, freed once it is used up: a stale view shows at once.
        char *copy = malloc(piece.size);
        check(copy != NULL);
        memcpy(copy, piece.data, piece.size);
        deft__http_reader_feed(&reader, deft_view_make(copy, piece.size));
        drain(&reader, !is_whole && (seed & 0x10000) != 0, out);
        free(copy);
        at += piece.size;
    }
    deft_buffer_append_text(out, deft__http_reader_is_idle(&reader) ? "" : "...");
    check(out->status == DEFT_OK);
    check(deft__http_reader_held(&reader) <= DEFT__HTTP_HEAD_SIZE_MAX);
    deft__http_reader_clear(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    const deft_view text = deft_view_make((const char *)data + 1, size - 1);
    deft_buffer     whole;
    deft_buffer     pieces;
    deft_buffer_init(&whole, NULL);
    deft_buffer_init(&pieces, NULL);
    split(text, 0, &whole);
    split(text, data[0] + 1u, &pieces);
    check(deft_view_equal(deft_buffer_view(&whole), deft_buffer_view(&pieces)));
    deft_buffer_clear(&pieces);
    deft_buffer_clear(&whole);
    return 0;
}
