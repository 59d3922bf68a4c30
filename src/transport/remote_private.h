// remote_private.h - the inside of a remote server, shared by the files behind remote.h.
//
//   remote.c          the object: starting, stopping, and how it ends
//   remote_send.c     what a message is, when it may go out, and what cancels what
//   remote_header.c   the headers of each request
//   remote_flow.c     one request, its answer as JSON or events, and going on where it broke off
//   remote_event.c    streams that we open: notifications, and HTTP+SSE
//   remote_word.c     what went wrong, in words
//   remote_learn.c    what passes by and matters here: the session, parameters that want headers
//
// Everything comes from the loop through the callbacks of a fetch. A callback of ours may stop or free
// the remote; whoever called it looks at deft__flow.is_dropped before it goes on.
#ifndef DEFT_TRANSPORT_REMOTE_PRIVATE_H
#define DEFT_TRANSPORT_REMOTE_PRIVATE_H

#include "base/map.h"
#include "http/sse.h"
#include "mcp/message.h"
#include "mcp/mirror.h"
#include "transport/environment.h"
#include "transport/remote.h"

// Of what a server says about an error, in our sentences.
#define DEFT__REMOTE_SAID_MAX 120u
// Bytes of an answer that is not wanted: an error page.
#define DEFT__REMOTE_PAGE_MAX (64u * 1024)

#define DEFT__REMOTE_REDIRECTS_MAX 5u

typedef enum deft__flow_kind {
    DEFT__FLOW_MESSAGE, // a POST, and the GETs that go on with its answer
    DEFT__FLOW_EVENTS,  // a GET: what the server says without being asked; or everything it says
    DEFT__FLOW_GOODBYE  // a DELETE: the session is over
} deft__flow_kind;

// What a message is for.
typedef enum deft__flow_role {
    DEFT__FLOW_OTHER,
    DEFT__FLOW_DISCOVER,
    DEFT__FLOW_INITIALIZE,
    DEFT__FLOW_INITIALIZED,
    DEFT__FLOW_LIST, // of tools
    DEFT__FLOW_CALL,
    DEFT__FLOW_CANCEL
} deft__flow_role;

// What is made of the bytes of an answer.
typedef enum deft__flow_form {
    DEFT__FLOW_NOTHING, // not answered yet, or nothing
    DEFT__FLOW_JSON,
    DEFT__FLOW_STREAM,
    DEFT__FLOW_PAGE // an error, or something else that is not for us
} deft__flow_form;

typedef struct deft__flow {
    struct deft__flow *previous; // of the remote's flows, or of those that wait
    struct deft__flow *next;
    deft__remote      *remote;
    deft__flow_kind    kind;
    deft__flow_role    role;

    // The message.
    deft_buffer line;
    deft_view   id; // of a request, or of what is to be cancelled: a JSON token, in `line`
    bool        is_request;
    bool        is_modern;
    bool        is_first; // LIST: not of a later page

    // What comes back.
    deft__fetch     *fetch;
    deft_buffer      url; // where a redirect led; empty: the remote's
    deft__flow_form  form;
    deft_buffer      body;
    deft__sse_reader events;
    deft_buffer      last_id;  // of an event: where to go on; empty: nowhere
    uint32_t         retry_ms; // as the server wants it; 0: it did not say
    deft__alarm     *alarm; // for the next attempt, or the end of a stream that should have ended
    unsigned         redirects;
    unsigned         failures;      // in a row
    bool             has_events;    // `events` was made
    bool             is_answered;   // the answer to the request has passed by
    bool             is_too_long;   // something was given up that may have been it
    bool             is_resuming;   // a GET goes on with what a POST began
    bool             was_open;      // EVENTS: it has worked before
    bool             is_mismatched; // CALL: its headers were, once
    bool             is_held;       // CALL: until the list of tools has been fetched again
    bool             is_parked;     // waits for a token
    bool     was_refused; // for its token, and was sent again; EVENTS: since it was last open
    uint32_t token_number;

    bool is_busy;    // inside one of its callbacks
    bool is_dropped; // and was dropped meanwhile
} deft__flow;

typedef struct deft__flow_ring {
    deft__flow *first;
    deft__flow *last;
} deft__flow_ring;

// Parameters of one tool.
typedef struct deft__remote_tool {
    const deft__mcp_mirror *mirrors;
    size_t                  count;
} deft__remote_tool;

struct deft__remote {
    const deft_allocator *allocator;
    deft__loop           *loop;
    deft__remote_options  options;  // with defaults; what is only read during the start is not kept
    deft__launch          launch;   // url and headers
    deft_buffer           url;      // where messages go
    deft_buffer           session;  // Mcp-Session-Id; empty: none
    deft_buffer           version;  // that initialize agreed on; empty: not yet
    deft_buffer           modern;   // the version of the last modern request
    deft_buffer           token;    // of the last request: a secret; empty: none
    deft__mcp_reader      sending;  // reads what is sent
    deft__mcp_reader      arriving; // and what comes

    deft__flow_ring flows;   // on their way
    deft__flow_ring waiting; // until the handshake is through
    deft__flow_ring local;   // answered here, without the server
    size_t          queued_size;
    deft__flow     *events; // EVENTS, where there is one

    // Tools whose parameters want headers.
    deft__map          names;
    deft__arena        arena;
    deft__remote_tool *tools;
    size_t             tool_count;
    size_t             tool_capacity;

    unsigned     calling; // inside a callback of the loop's
    deft__task   soon;    // answers `local`, and tells the end
    deft__alarm *goodbye;
    bool         is_open;         // over a network, without TLS
    bool         is_old;          // HTTP+SSE
    bool         has_endpoint;    // and it has told us where to post
    bool         is_list_new;     // the last page of a list of tools has come
    bool         is_holding;      // until the server has taken note that the handshake is over
    bool         is_stopping;     // nothing more is sent or received
    bool         is_over;         // `reason` is to be told
    bool         is_login_wanted; // along with `challenge`
    bool         is_told;
    bool         is_freed; // from within a callback
    char         reason[DEFT_ERROR_MESSAGE_SIZE];
    char refusal[DEFT_ERROR_MESSAGE_SIZE]; // how initialize was refused, before HTTP+SSE was tried
    deft_buffer challenge;
};

// --- remote.c

// It is over, for this reason: everything is dropped, and the owner is told soon.
void deft__remote_end(deft__remote *remote, deft_view clause);
void deft__remote_end_for_memory(deft__remote *remote);

// Around everything that the loop tells: callbacks may free the remote, which then lasts until leave.
void deft__remote_enter(deft__remote *remote);
void deft__remote_leave(deft__remote *remote);

// --- remote_send.c

// Sends what waits, as far as it may.
void        deft__remote_pump(deft__remote *remote);
deft__flow *deft__remote_find(const deft__remote *remote, deft_view id); // NULL: none on its way

// --- remote_header.c

// The headers of a flow's next request, in `arena`. For a message, `remote->sending` has just read it.
// False: no memory.
bool deft__flow_headers(const deft__flow *flow, const deft__mcp_message *message,
                        deft__arena *arena, const deft_pair **headers, size_t *count);

// --- remote_flow.c

deft__flow *deft__flow_new(deft__remote   *remote,
                           deft__flow_kind kind); // in no ring. NULL: no memory
void        deft__flow_append(deft__flow_ring *ring, deft__flow *flow);
void        deft__flow_remove(deft__flow_ring *ring, deft__flow *flow);
void        deft__flow_free(deft__flow *flow); // one that is in no ring
void        deft__flow_drop(deft__flow *flow); // one that is on its way

// Sends a flow that is in `remote->flows`. `message` as above; NULL: it is read again.
void deft__flow_start(deft__flow *flow, const deft__mcp_message *message);
// The same after the pause that the server asked for, or one that grows with failures.
void deft__flow_start_later(deft__flow *flow);
// It has got what it will get: an answer, or none for this reason.
void deft__flow_finish(deft__flow *flow);
void deft__flow_fail(deft__flow *flow, deft_view clause);
// Where the answer is a redirect: goes there, or fails. False: it is none.
bool deft__flow_follow(deft__flow *flow);

// --- remote_event.c

void deft__remote_listen(deft__remote *remote); // opens the stream of notifications
void deft__remote_go_old(deft__remote *remote, deft__flow *initialize); // tries HTTP+SSE
void deft__events_answered(deft__flow *flow);
void deft__events_take(deft__flow *flow, const deft__sse_event *event);
void deft__events_ended(deft__flow *flow, deft__fetch_end end, deft_view clause);

// --- remote_word.c

// "answered with HTTP 503: try later", of a flow whose answer is a page.
void deft__flow_describe(const deft__flow *flow, deft_error *error);
// Whether the configuration says who we are, so that tokens are none of our business.
bool deft__remote_has_credentials(const deft__remote *remote);
// Whether the answer refuses our token and another one is had, or comes: the flow waits for that, and is
// sent again. Once; otherwise `clause` may say what a person is told.
bool deft__flow_take_renewal(deft__flow *flow, deft_buffer *clause);
// Sees to an answer about who we are: waits for another token, fails this request for want of rights, or
// ends the remote since it wants a login. False: the answer is none of that kind.
bool deft__flow_take_login(deft__flow *flow);

// --- remote_learn.c

// Looks at a message before it is handed on. `text` may be replaced by one in `room`: definitions that
// must not be used over HTTP are taken out.
void deft__flow_learn(deft__flow *flow, deft_view *text, deft_buffer *room);
// What is known already: a raw array. False: no memory.
bool                     deft__remote_learn_tools(deft__remote *remote, deft_view tools);
const deft__remote_tool *deft__remote_find_tool(const deft__remote *remote, deft_view name);

#endif
