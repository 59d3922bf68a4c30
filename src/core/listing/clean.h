// clean.h - a server's text on its way into a listing. It becomes part of one line: line ends and
// other control characters turn into spaces, characters that hide or reorder text are dropped, and
// bytes that are not UTF-8 show as U+FFFD. So no server can write a line in another's name.
#ifndef DEFT_CORE_LISTING_CLEAN_H
#define DEFT_CORE_LISTING_CLEAN_H

#include "deft/buffer.h"

// Appends `text` in at most `size_max` bytes; where it is cut, on a character boundary, it ends in
// an ellipsis (within the limit too).
void deft__clean_append(deft_buffer *out, deft_view text, size_t size_max);

// Characters of a text that says only what it is about.
#define DEFT__CLEAN_SHORT_LENGTH_MAX 80

// Appends the first sentence of `text` without its full stop, or its first words and an ellipsis
// where that is longer than 80 characters; in at most `size_max` bytes.
void deft__clean_append_short(deft_buffer *out, deft_view text, size_t size_max);

#endif
