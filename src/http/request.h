// request.h - requests out of a stream of bytes. Bytes go in as they arrive, cut anywhere; a head,
// pieces of its body and its end come out as events. A request that comes in one piece is not
// copied, and between requests nothing is held but this struct: an idle connection costs what
// sizeof says.
//
//     deft__http_reader_feed(&reader, bytes);
//     while ((kind = deft__http_reader_next(&reader, &event)) != DEFT__HTTP_MORE) { ... }
//
// Requests may follow one another in the same bytes (pipelining). Whoever answers later keeps the
// order by not asking for the next event until the answer is out, see deft__http_reader_hold.
#ifndef DEFT_HTTP_REQUEST_H
#define DEFT_HTTP_REQUEST_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "http/head.h"

// The request line and all headers, with their line ends. nginx and Go: 32 KiB and 1 MiB; Node: 16.
#define DEFT__HTTP_HEAD_SIZE_MAX (32u * 1024)
// The line before a chunk, of which the size takes at most 16 bytes and the rest is extensions...
#define DEFT__HTTP_CHUNK_LINE_SIZE_MAX 256
// ...and all extensions of one body, so that a body is not mostly extensions.
#define DEFT__HTTP_EXTENSIONS_SIZE_MAX (4u * 1024)
// Headers behind a chunked body. They are checked and dropped: nothing here has a use for them.
#define DEFT__HTTP_TRAILERS_SIZE_MAX (8u * 1024)
// Empty lines before a request; old clients send one after a body (RFC 9112, section 2.2).
#define DEFT__HTTP_EMPTY_LINES_MAX 4

typedef struct deft__http_reader {
    deft_buffer waiting; // the start of something whose end has not come, or what is held
    size_t      used;    // bytes of `waiting` that are used up
    deft_view   input;   // borrowed: what was fed and not yet used, where nothing waits
    uint64_t    body_size_max;
    uint64_t    body_left;     // bytes of the body, or of the current chunk, still to come
    uint64_t    body_size;     // bytes of a chunked body so far
    uint32_t    head_size_max; // DEFT__HTTP_HEAD_SIZE_MAX, unless set after init; at most 1 MiB
    uint32_t    line_at;       // in a head: where the first line begins that is not read yet
    uint32_t    scanned;       // bytes without a line end, not to be looked at again
    uint32_t    extra_size;    // bytes of extensions, later of trailers
    uint8_t     header_count;  // in a head or trailers, so far
    uint8_t     empty_lines;   // before a request
    uint8_t     state;         // private to request.c
    bool        is_last;       // the request says that none follows it
} deft__http_reader;

typedef enum deft__http_event_kind {
    DEFT__HTTP_MORE,   // all that was fed is used up, or kept: feed more
    DEFT__HTTP_HEAD,   // a request begins: event.head
    DEFT__HTTP_BODY,   // a piece of its body: event.body, not empty
    DEFT__HTTP_END,    // it is complete; the next event is another request's
    DEFT__HTTP_REFUSED // answer event.refusal and close; nothing follows
} deft__http_event_kind;

// One for all connections of a loop: it is too large to keep one for each. What it holds stays as
// it is until a call for the same reader changes it: at HEAD the head, at BODY and END also the
// head from before, unless there was a MORE in between. Its views are borrowed: valid until that
// reader returns MORE, is fed or held. deft__http_head_copy keeps a head for longer.
typedef struct deft__http_event {
    deft__http_head    head;
    deft_view          body;
    deft__http_refusal refusal;
    deft__http_header  headers[DEFT__HTTP_HEADERS_MAX]; // head.headers points here
} deft__http_event;

void deft__http_reader_init(deft__http_reader *reader, uint64_t body_size_max,
                            const deft_allocator *allocator);
void deft__http_reader_clear(deft__http_reader *reader);

// Hands `bytes` in. They are borrowed until deft__http_reader_next has returned DEFT__HTTP_MORE or
// deft__http_reader_hold was called, and only then may more be fed.
void deft__http_reader_feed(deft__http_reader *reader, deft_view bytes);

// The next event. Out of memory is a refusal with status 503.
deft__http_event_kind deft__http_reader_next(deft__http_reader *reader, deft__http_event *event);

// Copies what was fed and not yet used, so that the bytes may go while a request is answered.
// Whoever holds should stop reading from the connection when deft__http_reader_held grows.
void   deft__http_reader_hold(deft__http_reader *reader);
size_t deft__http_reader_held(const deft__http_reader *reader);

// Between two requests, with nothing of the next one here: the connection may be closed without
// anybody losing anything.
bool deft__http_reader_is_idle(const deft__http_reader *reader);

#endif
