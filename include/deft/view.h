// view.h - text as a pointer and a size. A view borrows: whoever made the bytes keeps them, and
// the comment of the function that returns a view says until when. Nothing here ends in NUL, and
// bytes of any value are allowed inside.
#ifndef DEFT_VIEW_H
#define DEFT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_view {
    const char *data; // may be NULL when size is 0
    size_t      size; // bytes
} deft_view;

// A view of a string literal, usable in static tables.
#define DEFT_VIEW_INIT(literal)                                                                    \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

// A view of a NUL-terminated string; NULL gives the empty view.
static inline deft_view deft_view_of(const char *text)
{
    deft_view view = {text, text != NULL ? strlen(text) : 0};
    return view;
}

static inline deft_view deft_view_make(const char *data, size_t size)
{
    deft_view view = {data, size};
    return view;
}

static inline bool deft_view_equal(deft_view a, deft_view b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool deft_view_equals(deft_view a, const char *text)
{
    return deft_view_equal(a, deft_view_of(text));
}

static inline bool deft_view_starts_with(deft_view view, deft_view prefix)
{
    return view.size >= prefix.size &&
           (prefix.size == 0 || memcmp(view.data, prefix.data, prefix.size) == 0);
}

// The bytes from `from` (clamped) up to `from + size` (clamped).
static inline deft_view deft_view_slice(deft_view view, size_t from, size_t size)
{
    const size_t start = from < view.size ? from : view.size;
    const size_t left  = view.size - start;
    // Not NULL + 0: C does not define even that.
    return deft_view_make(start > 0 ? view.data + start : view.data, size < left ? size : left);
}

#ifdef __cplusplus
}
#endif
#endif
