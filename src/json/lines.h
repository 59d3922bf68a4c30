// lines.h - cuts a stream of bytes into lines, for transports where a line is a message. Bytes go
// in as they arrive, also one at a time; whole lines come out. A line ends at LF; one CR before it
// is dropped; empty lines are skipped.
#ifndef DEFT_JSON_LINES_H
#define DEFT_JSON_LINES_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>

typedef struct deft__lines {
    deft_buffer waiting;        // the start of a line whose end has not come yet
    deft_view   input;          // borrowed: what was fed and not yet handed out
    size_t      line_size_max;  // bytes, without the line end
    bool        is_skipping;    // inside a line that was given up
    bool        is_waiting_out; // private: `waiting` was handed out as a line
} deft__lines;

// `line_size_max` 0: the default, DEFT__JSON_SIZE_MAX of reader.h.
void deft__lines_init(deft__lines *lines, size_t line_size_max, const deft_allocator *allocator);
void deft__lines_clear(deft__lines *lines);

// Hands `bytes` in. They are borrowed until deft__lines_next has returned DEFT_NOT_FOUND, and only
// then may the next ones be fed.
void deft__lines_feed(deft__lines *lines, deft_view bytes);

// The next whole line. DEFT_OK: `line` is one, borrowed until the next call (from what was fed, if
// all of it came at once). DEFT_NOT_FOUND: all
// that was fed is used up; feed more. DEFT_LIMIT: a line was longer than line_size_max; it is
// skipped to its end and the next call goes on behind it. DEFT_OUT_OF_MEMORY: likewise skipped.
deft_status deft__lines_next(deft__lines *lines, deft_view *line);

// At the end of the stream: what is left without a line end; empty when nothing is. Borrowed until
// the next call.
deft_view deft__lines_rest(const deft__lines *lines);

#endif
