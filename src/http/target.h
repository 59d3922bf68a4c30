// target.h - where a request is for: hosts with ports, paths, queries, percent signs. The strict
// forms only: what a browser or an SDK sends passes, what could be read in two ways does not.
#ifndef DEFT_HTTP_TARGET_H
#define DEFT_HTTP_TARGET_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>

// A host with an optional port: `deft.local`, `127.0.0.1:8080`, `[::1]:8080`. Borrows.
typedef struct deft__http_authority {
    deft_view host;    // without the brackets of an IPv6 address; never empty
    int       port;    // 0 to 65535; -1 where none is written
    bool      is_ipv6; // it came in brackets
} deft__http_authority;

// False: not well formed. User names, empty hosts, empty ports and IPv6 zones are not accepted.
bool deft__http_read_authority(deft_view text, deft__http_authority *authority);

// `scheme://authority` with http or https, and what follows. False: not well formed.
bool deft__http_read_url(deft_view text, bool *is_https, deft__http_authority *authority,
                         deft_view *rest);

// The next segment of a path, still escaped, without slashes; takes it off `path`. "/mcp/a%20b"
// gives "mcp" and "a%20b"; "/mcp/" gives "mcp" and "". False at the end.
bool deft__http_path_next(deft_view *path, deft_view *segment);

// Appends one segment, or one name or value of a query, without its percent signs. DEFT_INVALID: a
// '%' without two hex digits, a NUL or control byte, bytes that are not UTF-8, or, in a segment, a
// hidden slash or a dot segment ("%2F", "..", "%2e%2e"), with which a path would mean another.
deft_status deft__http_unescape_segment(deft_buffer *out, deft_view segment, deft_error *error);
deft_status deft__http_unescape_query(deft_buffer *out, deft_view text, deft_error *error);

// The next `name=value` of a query, still escaped; takes it off `query`. False at the end.
bool deft__http_query_next(deft_view *query, deft_view *name, deft_view *value);

#endif
