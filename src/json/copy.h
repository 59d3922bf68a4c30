// copy.h - the inner loops of the writer: text copied into a string with the escapes it needs, and JSON
// copied without the white space between its parts. With SSE2 sixteen bytes are looked at in one step
// and the runs between what is changed are copied in one more. The plain forms say what is meant.
#ifndef DEFT_JSON_COPY_H
#define DEFT_JSON_COPY_H

#include "json/scan.h"

#include <stddef.h>

// What may be written behind the last byte that counts.
#define DEFT__COPY_SLACK 16u

// What is behind the backslash of a byte's escape; 0 for a byte that has no such escape.
char deft__copy_escape(char byte);

// Copies the bytes from `*at` on to `to`, each that needs it escaped with a backslash and one more byte.
// Stops at `end`, at a byte that is not ASCII or has no such escape, and a block before the end where
// it is not worth the while: that is for the caller. `*at` becomes where it stopped. Returns the end of what
// it wrote: at most two bytes for each, and room for DEFT__COPY_SLACK more is needed.
char *deft__copy_escaped(const char **at, const char *end, char *to);

// Copies JSON without the white space outside of its strings. There must be room for all of it and
// DEFT__COPY_SLACK more. Returns the end of what it wrote.
char *deft__copy_compact(const char *at, const char *end, char *to);

// The plain forms, for tests to compare with.
char *deft__copy_escaped_plain(const char **at, const char *end, char *to);
char *deft__copy_compact_plain(const char *at, const char *end, char *to);

#endif
