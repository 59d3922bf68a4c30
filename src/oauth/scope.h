// scope.h - what a login is allowed to do: words with blanks between them (RFC 6749, section 3.3). A
// set of them is kept as such a text, each word once, in the order in which they came.
#ifndef DEFT_OAUTH_SCOPE_H
#define DEFT_OAUTH_SCOPE_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdbool.h>

// Bytes of one set. What does not fit is left out, as is what is no word of a scope.
#define DEFT__OAUTH_SCOPE_SIZE_MAX 4096u

// The next word; takes it off `rest`. False at the end.
bool deft__oauth_scope_next(deft_view *rest, deft_view *word);

void deft__oauth_scope_add(deft_buffer *set, deft_view scopes); // those that are not there yet
bool deft__oauth_scope_has_all(deft_view set, deft_view scopes);

#endif
