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

#define DEFT__SESSION_ID_SIZE 32u   // hexadecimal digits: 128 bits
#define DEFT__SESSION_BUCKETS 4096u // three digits of an id, which is random

typedef struct deft__web_session deft__web_session;
typedef struct deft__web_stream  deft__web_stream;
typedef struct deft__web_request deft__web_request;

// A request, from its head to its answer.
struct deft__web_request {
    deft__arena          arena;
    deft__http_head      head; // in the arena
    deft_buffer          body;
    deft__web_principal *principal;
    bool                 is_everything; // by its path
    deft_view            server;        // by its path; empty: all
    bool                 is_counted;    // as a call of the principal, until a stream is
    deft__web_stream    *stream;        // what answers it; NULL: nothing yet
    bool                 is_streaming;  // its answer has begun, as events
};

struct deft__web_connection {
    deft__web            *web;
    void                 *tag;
    deft__web_connection *next, *previous;
    deft__http_reader     reader;
    deft__web_request    *request;       // being read or answered; NULL: none
    uint64_t              heard_ms;      // when it last made progress
    uint64_t              began_ms;      // when the request began that is being read
    uint32_t              request_count; // so far
    bool                  is_ready;      // in the web's list of those that can go on
    bool                  is_busy;       // its request is complete and waits for the answer
    deft__web_connection *next_ready;
};

// The answer to one request of the protocol, or a session's own stream (GET). It outlives its
// connection where the client may come back for it.
struct deft__web_stream {
    deft__web            *web;
    deft__web_stream     *next, *previous; // of its session; of the web, where there is none
    deft__web_session    *session;         // NULL: modern
    deft__client         *client;          // modern: its own
    deft__web_principal  *principal;       // whose call it is; NULL: it is none, or over
    deft__web_connection *connection;      // NULL: nobody listens now
    deft_buffer           id;              // of the request, raw; empty: a session's own stream
    uint64_t              number;          // in event ids
    uint64_t              event_count;
    bool                  is_over;   // answered
    bool                  is_listen; // subscriptions/listen: it has no answer
};

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
    char                 id[DEFT__SESSION_ID_SIZE + 1];
    deft__client        *client;
    deft__web_principal *principal;
    bool                 is_everything; // by the path it began with
    deft_buffer          server;
    deft__web_stream    *streams;
    deft__web_stream    *own; // GET; NULL: none is open
    deft__web_event     *events;
    deft__web_event    **events_end;
    size_t               event_count;
    size_t               event_size;
    uint64_t             used_ms;
    bool                 is_announced; // its id was sent
    bool                 is_over;
};

struct deft__web {
    const deft_allocator *allocator;
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
    size_t                open_count;
    uint64_t              request_count; // so far
    bool                  is_draining;
    bool                  is_ready;  // every server was known once, or had failed
    bool                  has_ended; // streams or sessions are to be freed
    deft__http_event      event;     // shared by all connections
    deft__mcp_reader      reader;    // of bodies
    deft_buffer           out;       // what goes to a connection
    deft_buffer           text;      // one event, or one body
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

// --- stream.c: what is answered. ---

deft__web_stream *deft__web_stream_new(deft__web *web, deft__web_session *session, deft_view id,
                                       deft__web_connection *connection);
// Its connection is gone: a legacy client may come back, a modern one has cancelled.
void deft__web_stream_detach(deft__web_stream *stream);
// Lines of the gateway, for clients of sessions and of modern requests.
void deft__web_session_hear(void *tag, deft_view about, deft_view line);
void deft__web_modern_hear(void *tag, deft_view about, deft_view line);
// Frees what has ended.
void deft__web_sweep(deft__web *web);
void deft__web_stream_free(deft__web_stream *stream);

// --- sessions.c ---

deft__web_session *deft__web_session_new(deft__web *web, const deft__web_request *request,
                                         deft_error *error);
deft__web_session *deft__web_session_find(deft__web *web, deft_view id);
void               deft__web_session_free(deft__web_session *session);
// Keeps an event for those who come back; the oldest goes.
void deft__web_session_keep(deft__web_session *session, const deft__web_stream *stream,
                            deft_view data);
// A client comes back with the id of the last event that it has seen. False: no such stream.
bool deft__web_session_resume(deft__web_session *session, deft__web_connection *connection,
                              deft_view last_id);
// Its own stream is open: what waited goes out.
void deft__web_session_open(deft__web_session *session, deft__web_connection *connection);
void deft__web_write_event_id(const deft__web_stream *stream, uint64_t number, deft_buffer *out);

#endif
