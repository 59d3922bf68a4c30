// challenge.h - what a server asks for when it answers 401 or 403: the WWW-Authenticate header (RFC
// 9110, section 11.6). One value may hold several challenges, and a comma separates challenges,
// parameters, and words inside quotes alike.
#ifndef DEFT_HTTP_CHALLENGE_H
#define DEFT_HTTP_CHALLENGE_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>

typedef struct deft__http_challenge {
    deft_view scheme;     // "Bearer", in any case
    deft_view token;      // what follows the scheme alone, as in "Negotiate abc=="; else empty
    deft_view parameters; // the text of its parameters: see deft__http_challenge_parameter
} deft__http_challenge;

// The next challenge of a header's value; takes it off `rest`. Borrows. DEFT_NOT_FOUND: there is no
// more. DEFT_INVALID: what follows is malformed; `rest` is then empty.
deft_status deft__http_challenge_next(deft_view *rest, deft__http_challenge *challenge);

// Appends a parameter's value, without quotes and escapes: `resource_metadata`, `scope`, `error`.
// False: there is none of this name. The first counts where a name is repeated.
bool deft__http_challenge_parameter(const deft__http_challenge *challenge, const char *name,
                                    deft_buffer *value);

#endif
