// fold.h - upper and lower case made equal, one character at a time. ASCII, Latin, Greek, Cyrillic
// and full-width letters; a folded character has as many bytes as before, so text is folded in
// place.
#ifndef DEFT_CORE_INDEX_FOLD_H
#define DEFT_CORE_INDEX_FOLD_H

#include "deft/view.h"

#include <stdint.h>

// The lower-case form of a character; a character without one is its own.
uint32_t deft__fold_code(uint32_t code);

// Writes `text` folded to `out`, which has room for text.size bytes. Bytes that are not UTF-8 stay
// as they are. NUL becomes a space, so the result can be ended with one.
void deft__fold_text(deft_view text, char *out);

#endif
