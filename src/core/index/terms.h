// terms.h - text to terms: what is compared between a query and a tool. Words are split where
// identifiers are: at `_`, `-`, `.`, `/` and everything else that is no letter or digit, between
// lower and upper case, before the last capital of an acronym, and between letters and digits.
// Terms are folded to lower case; nothing is stemmed.
#ifndef DEFT_CORE_INDEX_TERMS_H
#define DEFT_CORE_INDEX_TERMS_H

#include "deft/view.h"

#include <stdbool.h>

// Bytes of a term; what is longer (a hash, a base64 text) is compared by its start.
#define DEFT__TERM_SIZE_MAX 64u

typedef struct deft__terms {
    deft_view text; // borrowed
    size_t    at;
    char      term[DEFT__TERM_SIZE_MAX];
} deft__terms;

void deft__terms_init(deft__terms *terms, deft_view text);

// The next term; false at the end. Borrowed: valid until the next call.
bool deft__terms_next(deft__terms *terms, deft_view *term);

#endif
