// arguments.h - the arguments of a tool call as people type them: one JSON object, or key=value.
#ifndef DEFT_CLI_ARGUMENTS_H
#define DEFT_CLI_ARGUMENTS_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

// Appends the arguments as one JSON object. `words` are
//
//     nothing             {}
//     {"a": 1}            one word, an object
//     a=1 b=text c=[2]    a value that is JSON is taken as that, anything else is a string
//     d:=001              always a string
//
// The name ends at the first '='. DEFT_INVALID with the word and what is accepted; DEFT_DUPLICATE: a
// name is there twice.
deft_status deft__arguments_write(const char *const *words, size_t count, deft_buffer *out,
                                  deft_error *error);

// The same for a text that must be a JSON object.
deft_status deft__arguments_write_json(deft_view text, deft_buffer *out, deft_error *error);

#endif
