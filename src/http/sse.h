// sse.h - server-sent events, written and read (WHATWG HTML, section 9.2). Reading is fed with
// bytes as they arrive, cut anywhere; the bytes of a long event are copied once.
#ifndef DEFT_HTTP_SSE_H
#define DEFT_HTTP_SSE_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__sse_event {
    deft_view type; // empty: "message"
    deft_view id;   // reading: the last one seen, of this event or of an earlier one
    deft_view data; // reading: never empty
} deft__sse_event;

// Appends one event. Line ends in the data start a new `data:` line; all of them are read back as
// LF. The empty id is not written. A line end or NUL in type or id makes the buffer fail with
// DEFT_INVALID.
void deft__sse_write(deft_buffer *out, const deft__sse_event *event);

// An event of an id and a pause before reconnecting, without data: nothing is dispatched, both are
// remembered. Either may be left out: an empty id, a pause of 0.
void deft__sse_write_priming(deft_buffer *out, deft_view id, uint32_t retry_ms);

// A comment, which keeps a quiet stream open. One line: an empty text is fine.
void deft__sse_write_comment(deft_buffer *out, const char *text);

// An event with a longer type is given up like one with too much data. A longer id is as if it were
// not there.
#define DEFT__SSE_NAME_SIZE_MAX 1024

typedef struct deft__sse_reader {
    deft_view   input; // borrowed: what was fed and not yet used
    deft_buffer type;
    deft_buffer data;
    deft_buffer id;      // the last one of a finished event
    deft_buffer id_next; // of the event that is not finished
    size_t      data_size_max;
    size_t      id_kept;   // bytes of id_next that are whole; behind them, one that is coming
    uint64_t    number;    // of a `retry:` so far
    uint32_t    retry_ms;  // the pause that the server asks for; 0: it did not
    deft_status failure;   // why the event is given up
    char        name[8];   // the field's name so far
    uint8_t     name_size; // 8: longer than any that is known
    uint8_t     field;     // private to sse.c, like the rest
    uint8_t     bom_size;
    uint8_t     digits;
    bool        is_in_value;
    bool        is_value_begun;
    bool        is_after_cr;
    bool        has_data;
    bool        has_id;
    bool        is_out;
} deft__sse_reader;

void deft__sse_reader_init(deft__sse_reader *reader, size_t data_size_max,
                           const deft_allocator *allocator);
void deft__sse_reader_clear(deft__sse_reader *reader);

// Hands `bytes` in. They are borrowed until deft__sse_reader_next has returned DEFT_NOT_FOUND, and
// only then may the next ones be fed.
void deft__sse_reader_feed(deft__sse_reader *reader, deft_view bytes);

// The next event that has data. DEFT_OK: its views are borrowed until the next call. DEFT_NOT_FOUND:
// feed more; an event without its empty line at the end of the stream is none. DEFT_LIMIT and
// DEFT_OUT_OF_MEMORY: an event was given up; the next call goes on behind it.
deft_status deft__sse_reader_next(deft__sse_reader *reader, deft__sse_event *event);

// What to send as Last-Event-ID when reconnecting; empty: nothing. Borrowed until the next call.
deft_view deft__sse_reader_last_id(const deft__sse_reader *reader);

#endif
