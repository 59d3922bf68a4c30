// text.h - text for a terminal. Catalogs and files are written by others: a name or a description
// may hold escape sequences that move the cursor, recolour or rewrite what is on the screen, or
// marks that turn the reading direction. Whatever is shown goes through here first.
#ifndef DEFT_CLI_TEXT_H
#define DEFT_CLI_TEXT_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdint.h>

// Appends `text` with control characters, direction marks and bytes that are not UTF-8 written out
// as \x1b or \u202e. `line`: as one line, runs of white space as one space. `text`: line ends and
// tabs stay.
void deft__append_safe_line(deft_buffer *out, deft_view text);
void deft__append_safe_text(deft_buffer *out, deft_view text);

// Safe text, cut to `width` columns with an ellipsis where it is longer; and the same for text that
// becomes a safe line first.
void deft__append_cut(deft_buffer *out, deft_view safe, size_t width);
void deft__append_cut_line(deft_buffer *out, deft_view text, size_t width);

// The same for JSON: what a terminal could act on is written as \u escapes, so the value is the
// same. JSON itself already forbids control characters below space.
void deft__append_safe_json(deft_buffer *out, deft_view json);

// How many columns a line of safe text takes: East Asian wide characters and emoji two, combining
// marks none, all others one.
size_t deft__text_width(deft_view text);

// The bytes of the longest start of `text` that takes at most `width` columns.
size_t deft__text_cut(deft_view text, size_t width);

// 1234567 as "1,234,567".
void deft__append_number(deft_buffer *out, uint64_t number);

// part / whole as "12.2 %"; "0.0 %" when whole is 0.
void deft__append_percent(deft_buffer *out, uint64_t part, uint64_t whole);

// `count` and the word for it: "1 tool", "1,204 tools".
void deft__append_count(deft_buffer *out, uint64_t count, const char *one, const char *many);

// Paragraphs (an empty line between them) wrapped at 80 columns behind `indent` spaces.
void deft__append_wrapped(deft_buffer *out, const char *text, size_t indent);

#endif
