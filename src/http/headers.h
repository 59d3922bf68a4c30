// headers.h - what single headers say: which media types a client accepts and sends, which host and
// origin it comes from, which token it shows, and the headers of MCP (the modern transport's mirror of
// what is in the body). Pure functions over values; everything borrows.
#ifndef DEFT_HTTP_HEADERS_H
#define DEFT_HTTP_HEADERS_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "http/head.h"

// --- Media types. ---------------------------------------------------------------------------------

// Whether `value`, as in Content-Type, is this type ("application/json"), whatever its parameters.
// False also where the value is malformed.
bool deft__http_is_media_type(deft_view value, const char *type);

// The value of a parameter, with its quotes if it has any (deft__http_unquote takes them off).
// False: there is none of this name.
bool deft__http_media_parameter(deft_view value, const char *name, deft_view *parameter);

// Content-Type of a JSON body: application/json, in UTF-8 where it names a charset at all.
bool deft__http_is_json(deft_view value);

// Whether the Accept headers together allow `type` ("text/event-stream"): the most specific range
// that fits decides, and `q=0` is a no. Without an Accept header everything is allowed.
bool deft__http_accepts(const deft__http_head *head, const char *type);

// --- Who asks. ------------------------------------------------------------------------------------

// localhost, 127.0.0.1 or [::1].
bool deft__http_is_loopback(const deft__http_authority *host);

// Whether a Host may be served: loopback where `allows_loopback`, and those of `names`: a host alone
// ("deft.example.com", any port) or with its port ("deft.example.com:8443"). Case does not matter.
bool deft__http_allows_host(const deft__http_authority *host, bool allows_loopback,
                            const deft_view *names, size_t count);

// Whether a web page of this Origin may use us: pages from loopback where `allows_loopback`, and
// those of `origins`, each "https://app.example.com" with its port unless it is the default one.
// "null", which any page can send, and what is malformed is never allowed.
bool deft__http_allows_origin(deft_view origin, bool allows_loopback, const deft_view *origins,
                              size_t count);

// The token of "Bearer TOKEN". DEFT_NOT_FOUND: another scheme. DEFT_INVALID: no token, or not one.
deft_status deft__http_bearer(deft_view authorization, deft_view *token);

// --- MCP. -----------------------------------------------------------------------------------------

// The headers that the transports of both eras know; empty where there is none. `is_present` says
// for those where empty is not the same as missing.
typedef struct deft__http_mcp_headers {
    deft_view protocol_version; // MCP-Protocol-Version
    deft_view method;           // Mcp-Method
    deft_view name;             // Mcp-Name, as it was sent: see deft__http_mcp_decode
    deft_view session_id;       // Mcp-Session-Id: visible ASCII
    deft_view last_event_id;    // Last-Event-ID
    bool      has_name;
    bool      has_method;
} deft__http_mcp_headers;

// DEFT_DUPLICATE: one of them came twice. DEFT_INVALID: a session id of other than visible ASCII.
// The error names the header.
deft_status deft__http_read_mcp_headers(const deft__http_head  *head,
                                        deft__http_mcp_headers *headers, deft_error *error);

// The next `Mcp-Param-NAME` header from `*at` on (start with 0): the name behind the prefix and the
// value as it was sent. False at the end.
bool deft__http_mcp_parameter_next(const deft__http_head *head, size_t *at, deft_view *name,
                                   deft_view *value);

// The text that an Mcp-Name or Mcp-Param value stands for: itself, or what is base64 inside
// `=?base64?...?=`. `room` holds decoded text and must outlive `text`. DEFT_INVALID: bad base64, not
// UTF-8, or bytes that should have been sent as base64.
deft_status deft__http_mcp_decode(deft_view value, deft_buffer *room, deft_view *text,
                                  deft_error *error);

// Appends `text` as such a value: itself where that is safe, else as base64.
void deft__http_mcp_encode(deft_buffer *out, deft_view text);

#endif
