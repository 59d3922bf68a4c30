// head.h - what the head of a request says: the request line and the headers, and how the body is
// framed. Everything borrows from the bytes that it was read from.
#ifndef DEFT_HTTP_HEAD_H
#define DEFT_HTTP_HEAD_H

#include "base/arena.h"
#include "deft/error.h"
#include "deft/view.h"
#include "http/target.h"

#include <stdbool.h>
#include <stdint.h>

// Node takes 2,000 headers; browsers send about 20 and the SDKs 10. They are 3.2 kB of an event.
#define DEFT__HTTP_HEADERS_MAX 100
// Names of methods, for the ones that we do not know.
#define DEFT__HTTP_METHOD_SIZE_MAX 32
#define DEFT__HTTP_TARGET_SIZE_MAX (8u * 1024)

typedef enum deft__http_method {
    DEFT__HTTP_METHOD_OTHER, // `method_name` has it: 405 or 501 is for whoever knows the path
    DEFT__HTTP_METHOD_GET,
    DEFT__HTTP_METHOD_HEAD,
    DEFT__HTTP_METHOD_POST,
    DEFT__HTTP_METHOD_DELETE,
    DEFT__HTTP_METHOD_OPTIONS
} deft__http_method;

typedef struct deft__http_header {
    deft_view name;  // a token, as it was written
    deft_view value; // trimmed; no control bytes but tab
} deft__http_header;

typedef struct deft__http_head {
    deft__http_method        method;
    deft_view                method_name; // as it was written: methods are case-sensitive
    deft_view                path;        // starts with '/', still escaped; "*" for OPTIONS *
    deft_view                query;       // behind the '?', still escaped
    deft__http_authority     host;  // the Host header; host.host is empty where HTTP/1.0 has none
    int                      minor; // HTTP/1.minor: 0 or 1
    bool                     is_kept_alive;    // the client will send more on this connection
    bool                     is_chunked;       // the body's size is not known beforehand
    bool                     expects_continue; // waits for "100 Continue" before it sends the body
    uint64_t                 body_size;        // bytes; 0 for a chunked body
    const deft__http_header *headers;          // in the order in which they came
    size_t                   header_count;
} deft__http_head;

// Why a request is not served, and with which status. After one the connection is closed: where
// the next request would begin can no longer be trusted.
typedef struct deft__http_refusal {
    int         status;
    const char *reason; // one sentence; lives forever
} deft__http_refusal;

// The value of the header of this name, however its letters are written. DEFT_NOT_FOUND: there is
// none. DEFT_DUPLICATE: there are several, so that none can be trusted; `value` is untouched.
deft_status deft__http_find(const deft__http_head *head, const char *name, deft_view *value);

// A copy whose text and headers live in `arena`. False when there is no memory.
bool deft__http_head_copy(const deft__http_head *head, deft__arena *arena, deft__http_head *copy);

// --- For the reader (request.c), which finds the lines. They come without their line ends. --------

// False: refused. `line` is the first line.
bool deft__http_read_request_line(deft_view line, deft__http_head *head,
                                  deft__http_refusal *refusal);

// Whether bytes that are, or may become, a request line begin with a method.
bool deft__http_check_method(deft_view line, deft__http_refusal *refusal);

bool deft__http_read_header(deft_view line, deft__http_header *header, deft__http_refusal *refusal);

// What the headers say together: host, framing, connection. Called when all are there.
bool deft__http_finish_head(deft__http_head *head, deft__http_refusal *refusal);

#endif
