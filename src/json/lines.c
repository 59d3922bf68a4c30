#include "json/lines.h"

#include "json/reader.h"

#include <assert.h>

// What is kept between lines for the next one. A stream that once carried a huge line should not
// hold that memory for the hours in which it carries small ones.
#define WAITING_KEPT_MAX (64u * 1024)

void deft__lines_init(deft__lines *lines, size_t line_size_max, const deft_allocator *allocator)
{
    *lines =
        (deft__lines){.line_size_max = line_size_max > 0 ? line_size_max : DEFT__JSON_SIZE_MAX};
    deft_buffer_init(&lines->waiting, allocator);
}

void deft__lines_clear(deft__lines *lines)
{
    deft_buffer_clear(&lines->waiting);
    deft__lines_init(lines, lines->line_size_max, lines->waiting.allocator);
}

void deft__lines_feed(deft__lines *lines, deft_view bytes)
{
    assert(lines->input.size == 0); // what was fed before is used up
    lines->input = bytes;
}

static void forget_waiting(deft__lines *lines)
{
    if (lines->waiting.capacity > WAITING_KEPT_MAX) {
        deft_buffer_clear(&lines->waiting);
    } else {
        deft_buffer_reset(&lines->waiting);
    }
    lines->is_waiting_out = false;
}

// Whether the last byte is a CR, which may turn out to belong to the line end.
static bool ends_in_cr(deft_view text)
{
    return text.size > 0 && text.data[text.size - 1] == '\r';
}

static deft_view without_cr(deft_view line)
{
    return deft_view_slice(line, 0, line.size - (ends_in_cr(line) ? 1 : 0));
}

// Puts `piece` behind what waits. On failure nothing waits any more.
static deft_status join(deft__lines *lines, deft_view piece)
{
    const bool   ends_cr = ends_in_cr(piece.size > 0 ? piece : deft_buffer_view(&lines->waiting));
    const size_t size    = lines->waiting.size + piece.size - (ends_cr ? 1 : 0);
    deft_status  status  = DEFT_LIMIT;
    if (size <= lines->line_size_max) {
        deft_buffer_append(&lines->waiting, piece);
        status = lines->waiting.status;
    }
    if (status != DEFT_OK) {
        forget_waiting(lines);
    }
    return status;
}

// The next piece of the input, up to a line end or all of it; takes it off the input.
static deft_view take_piece(deft__lines *lines, bool *is_ended)
{
    const deft_view input   = lines->input;
    const char     *newline = memchr(input.data, '\n', input.size);
    const size_t    size    = newline != NULL ? (size_t)(newline - input.data) : input.size;
    lines->input            = deft_view_slice(input, size + 1, input.size);
    *is_ended               = newline != NULL;
    return deft_view_slice(input, 0, size);
}

deft_status deft__lines_next(deft__lines *lines, deft_view *line)
{
    if (lines->is_waiting_out) {
        forget_waiting(lines);
    }
    while (lines->input.size > 0) {
        bool            is_ended = false;
        const deft_view piece    = take_piece(lines, &is_ended);
        if (lines->is_skipping) {
            lines->is_skipping = !is_ended;
            continue;
        }

        // A line that came in one piece is handed out from where it is.
        deft_view whole = piece;
        if (!is_ended || lines->waiting.size > 0) {
            const deft_status status = join(lines, piece);
            if (status != DEFT_OK) {
                lines->is_skipping = !is_ended;
                return status;
            }
            whole                 = deft_buffer_view(&lines->waiting);
            lines->is_waiting_out = is_ended;
        }
        if (is_ended) {
            whole = without_cr(whole);
            if (whole.size > lines->line_size_max) {
                return DEFT_LIMIT;
            } else if (whole.size > 0) {
                *line = whole;
                return DEFT_OK;
            } else if (lines->is_waiting_out) {
                forget_waiting(lines);
            }
        }
    }
    return DEFT_NOT_FOUND;
}

deft_view deft__lines_rest(const deft__lines *lines)
{
    return lines->is_waiting_out ? deft_view_make(NULL, 0) : deft_buffer_view(&lines->waiting);
}
