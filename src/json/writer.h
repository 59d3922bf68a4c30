// writer.h - writes JSON into a buffer. Commas and quotes are put by the writer; the structure is
// the caller's: begin, members, end. Like the buffer it is sticky: write on, check once. What is
// already JSON is spliced in unchanged with `raw`.
#ifndef DEFT_JSON_WRITER_H
#define DEFT_JSON_WRITER_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__json_writer {
    deft_buffer *out; // borrowed
    bool         needs_comma;
} deft__json_writer;

// Appends to `out` after what is there.
void deft__json_writer_init(deft__json_writer *writer, deft_buffer *out);

void deft__json_begin_object(deft__json_writer *writer);
void deft__json_end_object(deft__json_writer *writer);
void deft__json_begin_array(deft__json_writer *writer);
void deft__json_end_array(deft__json_writer *writer);

// The name of the next value, inside an object.
void               deft__json_name_view(deft__json_writer *writer, deft_view name);
static inline void deft__json_name(deft__json_writer *writer, const char *name)
{
    deft__json_name_view(writer, deft_view_of(name)); // most are literals, and measured here
}

// A string; escapes what JSON requires, and writes U+FFFD for bytes that are not UTF-8.
void deft__json_write_string(deft__json_writer *writer, deft_view text);
void deft__json_write_text(deft__json_writer *writer, const char *text); // up to its NUL
void deft__json_write_int64(deft__json_writer *writer, int64_t number);
void deft__json_write_uint64(deft__json_writer *writer, uint64_t number);
void deft__json_write_double(deft__json_writer *writer,
                             double number); // shortest that reads back; not finite: null
void deft__json_write_bool(deft__json_writer *writer, bool value);
void deft__json_write_null(deft__json_writer *writer);

// Splices one JSON value in, byte for byte. `raw` must be valid JSON (a slice from a reader).
void deft__json_write_raw(deft__json_writer *writer, deft_view raw);

// The same without line ends outside of strings, for transports where a line is a message. In
// valid JSON a raw line end can only be white space between tokens, so the value is unchanged.
void deft__json_write_raw_line(deft__json_writer *writer, deft_view raw);

// The same without any white space between tokens.
void deft__json_write_raw_compact(deft__json_writer *writer, deft_view raw);

#endif
