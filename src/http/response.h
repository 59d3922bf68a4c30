// response.h - writes answers. A head is started, gets headers, and ends with the kind of body it
// announces; then come the bytes. Everything is appended to a buffer of the caller's, which is
// sticky: one look at its status at the end. A header that could begin another line is not written
// but makes the buffer fail with DEFT_INVALID, whoever its value came from.
//
//     deft__http_start(out, 200, date);
//     deft__http_header_text(out, "Mcp-Session-Id", id);
//     deft__http_connection(out, &head, is_stopping);
//     deft__http_body(out, "application/json", body, head.method == DEFT__HTTP_METHOD_HEAD);
#ifndef DEFT_HTTP_RESPONSE_H
#define DEFT_HTTP_RESPONSE_H

#include "deft/buffer.h"
#include "deft/view.h"
#include "http/head.h"

#include <stdbool.h>
#include <stdint.h>

// "OK", "Not Found", ...; "Unknown" for a number without a name here.
const char *deft__http_reason(int status);

// The size of a date with its NUL: "Sun, 06 Nov 1994 08:49:37 GMT".
#define DEFT__HTTP_DATE_SIZE 30

// Writes the date of a moment, in seconds since 1970 (0 to the year 9999).
void deft__http_date(int64_t seconds, char date[DEFT__HTTP_DATE_SIZE]);

// The status line, and the Date header where `date` is not empty. A server with a clock sends one.
void deft__http_start(deft_buffer *out, int status, deft_view date);

// One header. The name is a token.
void deft__http_header_text(deft_buffer *out, const char *name, deft_view value);

// The Connection header, where the client needs it: `close` when the connection ends with this
// answer, because the client asked for it or `is_closing` says so; `keep-alive` for HTTP/1.0.
void deft__http_connection(deft_buffer *out, const deft__http_head *head, bool is_closing);

// Ends the head with the size of `body` and appends the body, unless `is_head`: the answer to a
// HEAD request has the same head and no body. `type` NULL: none, as for an empty body.
void deft__http_body(deft_buffer *out, const char *type, deft_view body, bool is_head);

// Ends the head of an answer that never has a body and does not say its size: 204, 304.
void deft__http_no_body(deft_buffer *out);

// Ends the head of an answer whose size is not known yet. In HTTP/1.1 its pieces are chunks; an
// HTTP/1.0 client gets them plain and the end of the connection is the end of the body: then the
// head must say `close` (deft__http_connection with is_closing).
void deft__http_chunked(deft_buffer *out, const char *type, int minor);

// The same for a stream of events, with the headers that keep proxies from holding events back.
void deft__http_events(deft_buffer *out, int minor);

// One piece, and the end. An empty piece writes nothing, since an empty chunk would be the end.
void deft__http_chunk(deft_buffer *out, deft_view bytes, int minor);
void deft__http_last_chunk(deft_buffer *out, int minor);

// "100 Continue", for a head that expects it.
void deft__http_continue(deft_buffer *out);

// A whole answer to a request that was refused: its reason as text, and `close`.
void deft__http_refuse(deft_buffer *out, const deft__http_refusal *refusal, deft_view date);

#endif
