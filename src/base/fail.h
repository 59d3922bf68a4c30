// fail.h - fills a deft_error. Used as `return deft__fail(error, DEFT_INVALID, offset, "...")`.
#ifndef DEFT_BASE_FAIL_H
#define DEFT_BASE_FAIL_H

#include "deft/error.h"
#include "deft/view.h"

#include <stdarg.h>

// Writes status, offset and a printf-style sentence into `error` (NULL is fine) and returns
// `status`. A message that does not fit is cut on a character boundary and ends in "...".
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
deft_status
deft__fail(deft_error *error, deft_status status, size_t offset, const char *format, ...);

// The same for a function that has such arguments itself.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
deft_status
deft__fail_with(deft_error *error, deft_status status, size_t offset, const char *format,
                va_list arguments);

// The usual failure: no memory. Needs none itself.
deft_status deft__fail_memory(deft_error *error);

// Text from outside inside a message: `"tool '%s'", deft__quote(&quoted, name)`. Cut to fit,
// control characters and broken UTF-8 shown as '?', so a message is always one printable line.
typedef struct deft__quoted {
    char text[100];
} deft__quoted;

const char *deft__quote(deft__quoted *quoted, deft_view text);

#endif
