// arguments.h - what a model sent along with a call, made readable: an object, whether it came as
// one, as nothing at all, or as a string that holds one.
#ifndef DEFT_CORE_BRIDGE_ARGUMENTS_H
#define DEFT_CORE_BRIDGE_ARGUMENTS_H

#include "base/arena.h"
#include "deft/error.h"
#include "json/reader.h"

typedef struct deft__arguments {
    deft__json       document;
    deft__json_value object;  // of the last read; always an object after DEFT_OK
    deft_buffer      scratch; // for decoding
    deft__arena      arena;   // decoded text, until clear
} deft__arguments;

void deft__arguments_init(deft__arguments *arguments, const deft_allocator *allocator);
void deft__arguments_clear(deft__arguments *arguments);

// Reads `text`; it may be called again, also for a part of what was read before. DEFT_INVALID or
// DEFT_LIMIT, with one sentence for the model, when it is no object by any reading.
deft_status deft__arguments_read(deft__arguments *arguments, deft_view text, deft_error *error);

// A string's text, kept until clear. The empty view when `value` is not a string. False: no
// memory.
bool deft__arguments_string(deft__arguments *arguments, deft__json_value value, deft_view *text);

// A string or, in place of one, nothing: absent, null and "" are all the empty view. DEFT_INVALID,
// naming the parameter, for any other kind.
deft_status deft__arguments_text(deft__arguments *arguments, const char *name, deft_view *text,
                                 deft_error *error);

// Whether a value is there at all: null counts as absent, as models mean it.
bool deft__arguments_has(deft__json_value value);

#endif
