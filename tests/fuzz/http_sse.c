// Any bytes into the reader of events, cut in two ways: the same events come out. What came out is
// written and read again, and is still the same.
#include "fuzz/fuzz.h"
#include "http/sse.h"

#include <string.h>

static void write_event(const deft__sse_event *event, deft_buffer *out)
{
    deft_buffer_append_byte(out, '[');
    deft_buffer_append(out, event->type);
    deft_buffer_append_byte(out, '|');
    deft_buffer_append(out, event->id);
    deft_buffer_append_byte(out, '|');
    deft_buffer_append(out, event->data);
    deft_buffer_append_byte(out, ']');
}

// An event that is written reads as itself, but for an id that was there before.
static void check_round(const deft__sse_event *event)
{
    deft_buffer      bytes;
    deft__sse_reader reader;
    deft__sse_event  again;
    deft_buffer_init(&bytes, NULL);
    deft__sse_write(&bytes, event);
    if (event->type.size > 0 && memchr(event->type.data, '\0', event->type.size) != NULL) {
        check(bytes.status == DEFT_INVALID); // a NUL may be read in a type, but is not written
    } else {
        check(bytes.status == DEFT_OK);
        deft__sse_reader_init(&reader, event->data.size, NULL);
        deft__sse_reader_feed(&reader, deft_buffer_view(&bytes));
        check(deft__sse_reader_next(&reader, &again) == DEFT_OK);
        check(deft_view_equal(again.type, event->type));
        check(deft_view_equal(again.id, event->id));
        check(deft_view_equal(again.data, event->data));
        check(deft__sse_reader_next(&reader, &again) == DEFT_NOT_FOUND);
        deft__sse_reader_clear(&reader);
    }
    deft_buffer_clear(&bytes);
}

static void drain(deft__sse_reader *reader, deft_buffer *out)
{
    deft__sse_event event;
    deft_status     status;
    while ((status = deft__sse_reader_next(reader, &event)) != DEFT_NOT_FOUND) {
        if (status == DEFT_OK) {
            check(event.data.size > 0 && event.data.size <= reader->data_size_max);
            check(memchr(event.data.data, '\r', event.data.size) == NULL);
            check(event.id.size == 0 || memchr(event.id.data, '\0', event.id.size) == NULL);
            check_round(&event);
            write_event(&event, out);
        } else {
            check(status == DEFT_LIMIT);
            deft_buffer_append_byte(out, '!');
        }
    }
}

// Feeds `text` in pieces of 1 to 8 bytes chosen by `seed`; all at once when it is 0.
static void split(deft_view text, uint32_t seed, size_t data_size_max, deft_buffer *out)
{
    const bool       is_whole = seed == 0;
    deft__sse_reader reader;
    deft__sse_reader_init(&reader, data_size_max, NULL);
    for (size_t at = 0; at < text.size;) {
        seed                  = seed * 1664525u + 1013904223u;
        const size_t    cut   = 1 + (seed >> 29);
        const deft_view piece = deft_view_slice(text, at, is_whole ? text.size : cut);
        // A copy of the exact size, freed once it is used up: a stale view shows at once.
        char *copy = malloc(piece.size);
        check(copy != NULL);
        memcpy(copy, piece.data, piece.size);
        deft__sse_reader_feed(&reader, deft_view_make(copy, piece.size));
        drain(&reader, out);
        free(copy);
        at += piece.size;
    }
    deft_buffer_append_byte(out, '#');
    deft_buffer_append(out, deft__sse_reader_last_id(&reader));
    deft_buffer_append_byte(out, '~');
    deft_buffer_append_u64(out, reader.retry_ms);
    check(out->status == DEFT_OK);
    deft__sse_reader_clear(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const deft_view text = deft_view_make((const char *)data + 2, size - 2);
    deft_buffer     whole;
    deft_buffer     pieces;
    deft_buffer_init(&whole, NULL);
    deft_buffer_init(&pieces, NULL);
    split(text, 0, data[1], &whole);
    split(text, data[0] + 1u, data[1], &pieces);
    check(deft_view_equal(deft_buffer_view(&whole), deft_buffer_view(&pieces)));
    deft_buffer_clear(&pieces);
    deft_buffer_clear(&whole);
    return 0;
}
