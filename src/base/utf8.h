// utf8.h - UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF.
#ifndef DEFT_BASE_UTF8_H
#define DEFT_BASE_UTF8_H

#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

// Decodes the character that starts at byte `at` (< text.size). Returns its size in bytes, 1 to 4;
// 0 when the bytes there are not UTF-8, and `code` is then untouched.
size_t deft__utf8_decode(deft_view text, size_t at, uint32_t *code);

// Writes `code` as 1 to 4 bytes and returns how many. A surrogate or a code past U+10FFFF is
// written as U+FFFD.
size_t deft__utf8_encode(uint32_t code, char out[4]);

// The first byte that is not UTF-8; text.size when all is well.
size_t deft__utf8_valid_size(deft_view text);

// Characters (code points) in `text`; a byte that is not UTF-8 counts as one.
size_t deft__utf8_length(deft_view text);

// The largest size <= `size_max` that does not cut a character in two.
size_t deft__utf8_cut(deft_view text, size_t size_max);

#endif
