// url.h - addresses on the way to a login: which of them may be asked at all, where the well-known
// documents of a place are, and what goes into a query or a form. Strangers name most of these
// addresses, so each is looked at before it is used. Nothing here fetches.
#ifndef DEFT_OAUTH_URL_H
#define DEFT_OAUTH_URL_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdbool.h>

// No address of a real authorization server comes near it.
#define DEFT__OAUTH_URL_SIZE_MAX 2048u

// http or https with a host, without a user name or fragment, visible ASCII, and on the way encrypted;
// http is fine on this machine alone (loopback), and only where `allows_loopback`: a server far away
// has no business with what listens here.
bool deft__oauth_url_is_safe(deft_view url, bool allows_loopback);

bool deft__oauth_url_is_loopback(deft_view url);

// Scheme, host and port, as written.
deft_view deft__oauth_url_origin(deft_view url);

// Whether a token for `resource` is one for `endpoint`: the same origin, and a path that is the same
// or lies above it.
bool deft__oauth_url_covers(deft_view resource, deft_view endpoint);

// Where the document called `name` of the place at `url` may be.
typedef enum deft__oauth_known {
    DEFT__OAUTH_KNOWN_INSERTED, // https://h/.well-known/NAME/path
    DEFT__OAUTH_KNOWN_APPENDED, // https://h/path/.well-known/NAME
    DEFT__OAUTH_KNOWN_ROOT      // https://h/.well-known/NAME
} deft__oauth_known;

void deft__oauth_url_write_known(deft_view url, deft__oauth_known where, const char *name,
                                 deft_buffer *out);
bool deft__oauth_url_has_path(deft_view url); // more than a slash

// Appends NAME=VALUE, escaped, with a '&' in front where something else than `start` bytes is there.
void deft__oauth_form_add(deft_buffer *out, size_t start, const char *name, deft_view value);
void deft__oauth_escape(deft_buffer *out, deft_view text);

// base64url without padding (RFC 4648, section 5).
void deft__oauth_base64url(deft_buffer *out, deft_view bytes);

#endif
