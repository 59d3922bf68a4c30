// Any bytes into the line splitter. The first byte seeds how the rest is cut into pieces and the
// second is the limit; whatever the cut, the same lines come out as from feeding all at once.
#include "fuzz/fuzz.h"
#include "json/lines.h"

// Everything that comes out, as text: lines between brackets, `!` for one over the limit.
static void drain(deft__lines *lines, deft_buffer *out)
{
    deft_view   line   = {0};
    deft_status status = DEFT_OK;
    while ((status = deft__lines_next(lines, &line)) != DEFT_NOT_FOUND) {
        if (status == DEFT_OK) {
            check(line.size > 0 && line.size <= lines->line_size_max);
            check(memchr(line.data, '\n', line.size) == NULL);
            deft_buffer_append_byte(out, '[');
            deft_buffer_append(out, line);
            deft_buffer_append_byte(out, ']');
        } else {
            check(status == DEFT_LIMIT);
            deft_buffer_append_byte(out, '!');
        }
    }
}

// Feeds `text` in pieces of 1 to 8 bytes chosen by `seed`; all at once when it is 0.
static void split(deft_view text, uint32_t seed, size_t line_size_max, deft_buffer *out)
{
    const bool  is_whole = seed == 0;
    deft__lines lines;
    deft__lines_init(&lines, line_size_max, NULL);
    for (size_t at = 0; at < text.size;) {
        seed             = seed * 1664525u + 1013904223u;
        const size_t cut = 1 + (seed >> 29);
        // A copy of the exact size, freed once it is used up: a stale view shows at once.
        const deft_view piece = deft_view_slice(text, at, is_whole ? text.size : cut);
        char           *copy  = malloc(piece.size);
        check(copy != NULL);
        memcpy(copy, piece.data, piece.size);
        deft__lines_feed(&lines, deft_view_make(copy, piece.size));
        drain(&lines, out);
        free(copy);
        at += piece.size;
    }
    deft_buffer_append_byte(out, '|');
    deft_buffer_append(out, deft__lines_rest(&lines));
    check(out->status == DEFT_OK);
    deft__lines_clear(&lines);
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
