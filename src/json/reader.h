// reader.h - strict JSON (RFC 8259) over bytes, into a tape. The text stays where it is: a value
// is a slice of it, so whatever is passed on is passed on byte for byte, numbers included. The
// tape is one array of 16-byte tokens that a document keeps and uses again for the next text.
//
// Values are small handles, passed by value; they are valid as long as the document is not parsed
// into again and the text stays in place. A document belongs to one thread; once parsed it is
// only read, so threads may then share it.
#ifndef DEFT_JSON_READER_H
#define DEFT_JSON_READER_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum deft__json_kind {
    DEFT__JSON_NONE, // there is no such value: what a failed lookup gives
    DEFT__JSON_NULL,
    DEFT__JSON_FALSE,
    DEFT__JSON_TRUE,
    DEFT__JSON_NUMBER,
    DEFT__JSON_STRING,
    DEFT__JSON_ARRAY,
    DEFT__JSON_OBJECT
} deft__json_kind;

// Zero in a field means the default. A token takes 16 bytes, and a text can hold one for every
// second byte: eight times its size. Where a stranger chooses the text, tokens_max bounds that.
typedef struct deft__json_limits {
    uint32_t size_max;   // bytes of text; default 64 MiB, never above 1 GiB
    uint32_t depth_max;  // arrays and objects inside one another; default 128, at most 1024
    uint32_t tokens_max; // values and member names; default: what size_max bytes can hold
} deft__json_limits;

#define DEFT__JSON_SIZE_MAX  (64u * 1024 * 1024)
#define DEFT__JSON_DEPTH_MAX 128u

typedef struct deft__json_token deft__json_token;

typedef struct deft__json {
    deft_view             text; // borrowed: what was parsed last
    deft__json_token     *tokens;
    size_t                count;
    size_t                capacity;
    const deft_allocator *allocator;
} deft__json;

typedef struct deft__json_value {
    const deft__json *document;
    uint32_t          token;
} deft__json_value;

void deft__json_init(deft__json *document, const deft_allocator *allocator);
void deft__json_clear(deft__json *document);

// Parses all of `text` as one JSON value with white space around it. `limits` NULL: the defaults.
// On failure `error` holds the byte offset and the reason of the first thing that is wrong, and
// the document has no values. DEFT_INVALID, DEFT_LIMIT or DEFT_OUT_OF_MEMORY.
deft_status deft__json_parse(deft__json *document, deft_view text, const deft__json_limits *limits,
                             deft_error *error);

// The value that the text holds; kind NONE when nothing was parsed.
deft__json_value deft__json_root(const deft__json *document);

deft__json_kind deft__json_kind_of(deft__json_value value);
const char *deft__json_kind_name(deft__json_kind kind); // "a string", "an object", ... for errors
bool        deft__json_is(deft__json_value value, deft__json_kind kind);

// The value's own bytes in the text, quotes and brackets included. Empty for NONE.
deft_view deft__json_raw(deft__json_value value);
size_t    deft__json_offset(deft__json_value value); // of its first byte in the text

// Items of an array or members of an object; 0 for anything else.
size_t deft__json_count(deft__json_value value);

// Walks an array or an object:
//
//     deft__json_iterator i = deft__json_iterate(value);
//     while (deft__json_next(&i)) { i.name (objects only), i.value }
typedef struct deft__json_iterator {
    deft__json_value name;  // member name; kind NONE in an array
    deft__json_value value; // the current one
    uint32_t         next;  // private
    uint32_t         left;  // private
    bool             is_object;
} deft__json_iterator;

deft__json_iterator deft__json_iterate(deft__json_value container);
bool                deft__json_next(deft__json_iterator *iterator);

// The member called `name`, found by looking at each; the last one where it is there twice (as
// JavaScript has it). Kind NONE when there is none or `object` is not an object. Escapes in names
// are understood.
deft__json_value deft__json_member(deft__json_value object, const char *name);
deft__json_value deft__json_member_view(deft__json_value object, deft_view name);

// Finds a name that an object has twice; `name` is its second place. False when all differ.
// Near linear in the number of members however they are chosen; may need memory for large
// objects: when there is none it says false and `status` (may be NULL) is DEFT_OUT_OF_MEMORY.
bool deft__json_find_duplicate(deft__json_value object, deft__json_value *name,
                               deft_status *status);

// A string without its quotes and escapes. Borrowed from the text when it holds no escape; else
// decoded into `scratch` (appended; the view is valid until scratch changes). A lone surrogate
// becomes U+FFFD. Not a string: the empty view. No memory: the empty view, scratch->status tells.
deft_view deft__json_string(deft__json_value value, deft_buffer *scratch);

// Whether a string, its escapes decoded, is exactly `text`. Allocates nothing.
bool deft__json_string_equals(deft__json_value value, deft_view text);

// Numbers are kept as text and read on demand. DEFT_INVALID: not a number, or has a fraction
// where an integer is asked for (1.0 and 1e2 count as integers); DEFT_LIMIT: out of range.
deft_status deft__json_int64(deft__json_value value, int64_t *number);
deft_status deft__json_uint64(deft__json_value value, uint64_t *number);
deft_status deft__json_double(deft__json_value value,
                              double          *number); // correctly rounded, any locale

// Line (from 1) and column in bytes (from 1) of an offset, for messages to people.
void deft__json_place(deft_view text, size_t offset, size_t *line, size_t *column);

#endif
