// private.h - what the web holds, for the files of this folder.
#ifndef DEFT_WEB_PRIVATE_H
#define DEFT_WEB_PRIVATE_H

#include "base/arena.h"
#include "http/request.h"
#include "http/response.h"
#include "http/sse.h"
#include "mcp/era.h"
#include "web/web.h"
#include "json/writer.h"

#define DEFT__SESSION_KEY_SIZE 16u   // bytes, random
#define DEFT__SESSION_ID_SIZE  32u   // the same in hexadecimal digits
#define DEFT__SESSION_BUCKETS  4096u // three digits of an id, which is random

// Messages of one array (batch.c). Whoever sends more is not in a hurry.
#define DEFT__WEB_BATCH_MAX 100u

typedef struct deft__web_session deft__web_session;
typedef struct deft__web_stream  deft__web_stream;
typedef struct deft__web_request deft__web_request;

// A request, from its head to its answer, or to the first event of it.
struct deft__web_request {
    deft__arena          arena;
    deft__http_head      head; // in the arena
    deft_buffer          body;
    deft__web_principal *principal;
    bool                 is_counted;    // as a call of the principal, until a stream is
    bool                 is_everything; // by its path
    deft_view            server;        // by its path; empty: all
};

// What is open for hours is a connection, a stream, a session and the gateway's client of it; they
// are kept small, and hold nothing but this while nothing happens (bench/streams_bench.c).

struct deft__web_connection {
    deft__web            *web;
    void                 *tag;
    deft__web_connection *next, *previous;
    deft__http_reader    *reader;  // NULL: nothing is being read
    deft__web_request    *request; // being read or answered; NULL: none, or its answer streams
    deft__web_stream     *stream;  // what answers it; NULL: nothing yet
    deft__web_connection *next_ready;
    uint32_t              request_count; // so far
    uint32_t              began_ms;      // when the request began that is being read; as heard_ms
    uint32_t              heard_ms;      // when it last made progress; of the time, the lower half
    uint8_t               minor;         // of the request, HTTP/1.minor
    bool                  is_ready : 1;  // in the web's list of those that can go on
    bool                  is_busy : 1;   // its request is complete and waits for the answer
    bool                  is_streaming : 1;  // the answer has begun, as events
    bool                  is_kept_alive : 1; // another request may follow
};

// The answer to one request of the protocol, or a session's own stream (GET). It outlives its
// connection where the client may come back for it.
struct deft__web_stream {
    deft__web           *web;
    deft__web_stream    *next, *previous; // of its session; of the web, where there is none
    deft__web_session   *session;         // NULL: modern
    deft__client        *client;          // modern: its own
    deft__web_principal *principal;       // whose it is
    union {
        deft__web_connection *connection; // NULL: nobody listens now
        deft__web_stream     *next_over;  // once it is over: in the web's list of these
    };
    deft__web_stream *lead;   // of a request in an array: what carries its answer; NULL: itself
    uint64_t          number; // in event ids
    uint64_t          event_count;
    uint32_t          id_size;
    uint32_t          part_count;     // of a lead: requests without an answer
    bool              is_over : 1;    // answered
    bool              is_counted : 1; // as a call of the principal
    bool              is_listen : 1;  // subscriptions/listen: it has no answer
    char              id[];           // of the request, raw; empty: a session's own stream
};

// Events that may be sent again, of one session.
typedef struct deft__web_replay {
    struct deft__web_event  *events;
    struct deft__web_event **end;
    size_t                   count;
    size_t                   size; // bytes of data
} deft__web_replay;

// An event that may be sent again.
typedef struct deft__web_event {
    struct deft__web_event *next;
    uint64_t                stream;
    uint64_t                number;
    deft_buffer             data;
} deft__web_event;

struct deft__web_session {
    deft__web           *web;
    deft__web_session   *next, *previous;
    deft__web_session   *next_same; // in its bucket
    deft__client        *client;
    deft__web_stream    *streams;
    deft__web_stream    *own;        // GET; NULL: none is open
    deft__web_replay    *replay;     // NULL: there was nothing to keep yet
    uint64_t             own_number; // of its own stream, however often it is opened; 0: never yet
    uint64_t             own_event_count; // that stream has had, up to when it broke off
    deft__web_principal *principal;
    uint64_t             used_ms;
    unsigned char        key[DEFT__SESSION_KEY_SIZE]; // its id, in bytes
    uint32_t             server_size;
    bool                 is_everything : 1; // by the path it began with
    bool                 is_announced : 1;  // its id was sent
    bool                 is_over : 1;
    char                 server[]; // by the path it began with
};

struct deft__web {
    const deft_allocator *allocator;
    deft_allocator        wiping; // for heads that wait for their end: a token may stand in them
    deft__gateway        *gateway;
    deft__web_options     options;
    deft__arena           lists; // of the options
    deft__web_host        host;
    uint64_t              now_ms;
    int64_t               date_s;
    deft__access          access;
    char                  date[DEFT__HTTP_DATE_SIZE];
    deft__web_connection *connections;
    size_t                connection_count;
    deft__web_connection *ready;
    deft__web_session    *sessions;
    size_t                session_count;
    deft__web_session    *buckets[DEFT__SESSION_BUCKETS]; // by the first digits of the id
    deft__web_stream     *streams;                        // modern
    uint64_t              numbers;
    deft__http_reader    *spare_reader; // of the connection that began to stream last; NULL: none
    size_t                open_count;
    uint64_t              request_count; // so far
    bool                  is_draining;
    bool                  is_handed_over; // is_draining, and another process takes who comes
    bool                  is_ready;       // every server was known once, or had failed
    deft__web_stream     *over;           // streams to be freed
    bool                  has_ended;      // sessions are to be freed
    deft__http_event      event;          // shared by all connections
    deft__mcp_reader      reader;         // of bodies
    deft_buffer           out;            // what goes to a connection
    deft_buffer           text;           // one event, or one body
};

// --- web.c: answers. ---

// An answer without a stream: status, a body of this type (NULL: none), and one more header where
// `header` is not NULL. The request is over then.
void deft__web_answer(deft__web_connection *connection, int status, const char *type,
                      deft_view body, const char *header, deft_view value);
// The same with an error of the protocol.
void deft__web_fail(deft__web_connection *connection, int status, deft_view id, int64_t code,
                    deft_view message, deft_view data);
// To a browser: it may send what it wants to send.
void deft__web_answer_preflight(deft__web_connection *connection);
// Begins a stream of events as the answer.
void deft__web_begin_events(deft__web_connection *connection, const char *header, deft_view value);
void deft__web_send_event(deft__web_connection *connection, const deft__sse_event *event);
// Ends it. The request is over then.
void deft__web_end_events(deft__web_connection *connection);

// Ends everything that belongs to a principal, at once.
void deft__web_end_principal(deft__web *web, const deft__web_principal *principal);

// --- admit.c: who asks, and whether it may ask now. ---

// False after answering: nobody's token.
bool deft__web_find_principal(deft__web_connection *connection);
// Counts a call of the request's principal. False after answering: it has too many.
bool deft__web_admit(deft__web_connection *connection, const deft__mcp_message *message);

// --- metrics.c ---

void deft__web_answer_metrics(deft__web_connection *connection);

// --- request.c: what is asked. ---

// The head is there. False: it has been answered, and what follows it is of no interest.
bool deft__web_take_head(deft__web_connection *connection);
// All of it is there.
void deft__web_take_request(deft__web_connection *connection);

// --- batch.c ---

// The body is an array, which `web->reader` has taken, for a session that knows arrays.
void deft__web_take_batch(deft__web_connection *connection, deft__web_session *session);

// --- stream.c: what is answered. ---

deft__web_stream *deft__web_stream_new(deft__web *web, deft__web_session *session, deft_view id,
                                       deft__web_connection *connection);
// The same for one request of an array, whose answer `lead` carries.
deft__web_stream *deft__web_part_new(deft__web_stream *lead, deft_view id);
// Its connection is gone: a legacy client may come back, a modern one has cancelled.
void deft__web_stream_detach(deft__web_stream *stream);
// Lines of the gateway, for clients of sessions and of modern requests.
void deft__web_session_hear(void *tag, deft_view about, deft_view line);
void deft__web_modern_hear(void *tag, deft_view about, deft_view line);
// A request that its client has cancelled is not answered any more: what waits for that ends.
void deft__web_session_cancel(deft__web_session *session, deft_view id);
// Frees what has ended.
void deft__web_sweep(deft__web *web);
void deft__web_stream_free(deft__web_stream *stream);

// --- sessions.c ---

deft__web_session *deft__web_session_new(deft__web *web, const deft__web_request *request,
                                         deft_error *error);
deft__web_session *deft__web_session_find(deft__web *web, deft_view id);
void deft__web_session_id(const deft__web_session *session, char id[DEFT__SESSION_ID_SIZE + 1]);
void deft__web_session_free(deft__web_session *session);
// Keeps an event for those who come back; the oldest goes.
void deft__web_session_keep(deft__web_session *session, const deft__web_stream *stream,
                            deft_view data);
// A client comes back with the id of the last event that it has seen. False: no such stream.
bool deft__web_session_resume(deft__web_session *session, deft__web_connection *connection,
                              deft_view last_id);
// Opens its own stream, or opens it again: it goes on under the same number. NULL: no memory.
deft__web_stream *deft__web_session_own(deft__web_session    *session,
                                        deft__web_connection *connection);
// Its own stream is open: what waited goes out.
void deft__web_session_open(deft__web_session *session, deft__web_connection *connection);
void deft__web_write_event_id(const deft__web_stream *stream, uint64_t number, deft_buffer *out);

#endif
