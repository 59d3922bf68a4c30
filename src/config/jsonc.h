// jsonc.h - JSON with comments and trailing commas, made plain JSON: what is not JSON is replaced
// by blanks, so every byte stays at its offset and every line keeps its number. Only for
// configuration files; nothing from a server or a model is read this leniently.
#ifndef DEFT_CONFIG_JSONC_H
#define DEFT_CONFIG_JSONC_H

#include "deft/error.h"

#include <stddef.h>

// Blanks a byte order mark, `//` and `/* */` comments, and the comma before a closing bracket, in
// place. Strings stay untouched. DEFT_INVALID, with its offset, for a comment that never ends;
// whatever else is wrong is left for the JSON reader to say.
deft_status deft__jsonc_blank(char *text, size_t size, deft_error *error);

// The first byte at or after `at` that is neither white space nor part of a comment. `at` must not
// be inside a string or a comment, and every comment must end.
size_t deft__jsonc_skip(const char *text, size_t size, size_t at);

#endif
