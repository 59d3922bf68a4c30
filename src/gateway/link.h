// link.h - one server: its life, and our conversation with it. A link starts the server when it is
// needed, finds out which era it speaks, learns its lists, sends requests under ids of its own,
// and sees to it that each request ends exactly once: with the server's answer, or with a sentence
// that says why there is none. It is fed: bytes, deaths and time come in through calls, and what it
// wants done goes out through a driver.
//
// A link belongs to one thread. Callbacks may call back into the link, but not free it.
#ifndef DEFT_GATEWAY_LINK_H
#define DEFT_GATEWAY_LINK_H

#include "deft/buffer.h"
#include "gateway/manifest.h"
#include "gateway/timers.h"
#include "mcp/message.h"

typedef struct deft__link     deft__link;
typedef struct deft__exchange deft__exchange; // one request on its way

typedef enum deft__link_state {
    DEFT__LINK_CONFIGURED, // known by name only
    DEFT__LINK_KNOWN,      // its manifest is there; it does not run
    DEFT__LINK_STARTING,
    DEFT__LINK_READY,
    DEFT__LINK_FAILED,      // with a reason, and a time when it is tried again
    DEFT__LINK_DISABLED,    // by configuration
    DEFT__LINK_QUARANTINED, // by the user: neither searched nor called
    DEFT__LINK_UNAUTHORIZED // it wants a login; with a reason, and tried again as when it failed
} deft__link_state;

const char *deft__link_state_name(deft__link_state state); // "configured", "known", ...

// Zero in a field means the default.
typedef struct deft__link_options {
    uint32_t      calls_max;        // requests at the server at once; 64
    uint32_t      queue_max;        // requests that wait; 1,024. More are refused
    uint64_t      probe_timeout_ms; // silence to server/discover means legacy; 2,000
    uint64_t      start_timeout_ms; // from start to the end of the handshake; 30,000
    uint64_t      call_timeout_ms;  // a request without answer or progress; 60,000
    uint64_t      call_time_max_ms; // a request, progress or not; 3,600,000
    uint64_t      idle_stop_ms;     // a server without requests is stopped; 600,000
    uint64_t      backoff_min_ms;   // before a server that failed is started again; 1,000
    uint64_t      backoff_max_ms;   // 300,000
    uint64_t      list_pages_max;   // of one list; 1,000
    size_t        list_size_max;    // bytes of one server's lists; DEFT__MANIFEST_SIZE_MAX
    deft__mcp_era era;              // UNKNOWN: probe, unless the manifest's era is fresh
    bool          is_disabled;
    // It is reached over a network: that it is gone or silent says nothing of its era.
    bool is_remote;
} deft__link_options;

// What a link does to the outside. A number tells one life of the server from the next: what comes
// back with an old number is ignored. From inside these functions the driver may tell of an end
// (deft__link_closed) but hand in no message: deft__link_received does not nest.
typedef struct deft__link_driver {
    void *context;
    // Start the server. Answer later with deft__link_opened(), or deft__link_closed() with why not.
    void (*start)(void *context, deft__link *link, uint32_t life);
    // Send one message: a line without its end.
    void (*send)(void *context, deft__link *link, uint32_t life, deft_view line);
    // Stop it politely, then less so. deft__link_closed() tells that it is gone; a new life may
    // start before.
    void (*stop)(void *context, deft__link *link, uint32_t life);
} deft__link_driver;

// What the link tells its gateway.
typedef struct deft__link_listener {
    void *context;
    void (*changed)(void *context, deft__link *link); // its state
    // New lists, complete, different from the last. Also called when they arrive for the first time.
    void (*learned)(void *context, deft__link *link, deft__manifest *manifest); // borrowed
    // The lists were fetched and are what they were: the manifest is fresh again. May be NULL.
    void (*confirmed)(void *context, deft__link *link);
    // A notification that is for clients: notifications/message, notifications/resources/updated, and
    // any that we do not know. Progress and cancelled go to their exchange.
    void (*notified)(void *context, deft__link *link, const deft__mcp_message *message);
    // The server asks the client's user something (sampling, elicitation, roots), or something that
    // we do not know. `exchange` is the request it belongs to as far as can be told (NULL: none is
    // open). Answer once, now or later, with deft__link_answer() or deft__link_refuse(). `ask` is a
    // number of the link's. ping is answered by the link itself.
    void (*asked)(void *context, deft__link *link, uint64_t ask, deft__exchange *exchange,
                  const deft__mcp_message *message);
    // The server takes back what it asked, or is gone: no answer is wanted any more.
    void (*unasked)(void *context, deft__link *link, uint64_t ask);
} deft__link_listener;

// How a request ended.
typedef enum deft__ending {
    DEFT__ENDING_RESULT,    // message is the server's result
    DEFT__ENDING_ERROR,     // message is the server's error
    DEFT__ENDING_FAILED,    // the server could not be started, died, or answered nonsense
    DEFT__ENDING_TIMEOUT,   // it was too slow; it has been told to stop
    DEFT__ENDING_CANCELLED, // deft__exchange_cancel()
    DEFT__ENDING_CLOSED     // the link is being freed
} deft__ending;

typedef struct deft__outcome {
    deft__ending             ending;
    const deft__mcp_message *message; // RESULT and ERROR; borrowed for the call
    deft_view                reason;  // the others: one sentence for a person or a model; borrowed
} deft__outcome;

typedef struct deft__exchange_options {
    const char *method;
    deft_view   members;      // of params, raw, without braces and without _meta; may be empty
    deft_view   meta;         // members of _meta to pass on, raw, without braces; may be empty
    deft_view   capabilities; // raw ClientCapabilities of the asking client, for modern servers;
                              // empty: {}
    deft_view log_level;      // for modern servers; empty: none
    bool      wants_progress;
    bool      is_lasting; // call_time_max_ms does not hold: a subscription
    uint64_t  timeout_ms; // 0: the link's
    // Exactly once, and never before deft__link_request() has returned.
    void (*finish)(void *context, deft__exchange *exchange, const deft__outcome *outcome);
    // For each notifications/progress of this request, where wants_progress; may be NULL.
    void (*progress)(void *context, deft__exchange *exchange, const deft__mcp_message *message);
    void *context;
} deft__exchange_options;

// Name, options and manifest (NULL: none; its era is believed while is_fresh) are kept. `timers`,
// `driver` and `listener` must outlive the link. `client_info` (raw object) and `capabilities`
// (DEFT__MCP_CLIENT_ bits) are what we declare to the server. New: free with deft__link_free().
deft__link *deft__link_new(deft_view name, const deft__link_options *options,
                           const deft__link_driver *driver, const deft__link_listener *listener,
                           deft__timers *timers, deft__manifest *manifest, bool is_fresh,
                           deft_view client_info, unsigned capabilities,
                           const deft_allocator *allocator, deft_error *error);

// The manifest of a link that was made without one, before anything is asked of it. Retained. Its
// listener is not told.
void deft__link_adopt(deft__link *link, deft__manifest *manifest, bool is_fresh);

// Ends every exchange (CLOSED) and frees; the driver is not called: stop it first.
void deft__link_free(deft__link *link); // NULL is fine

deft_view        deft__link_name(const deft__link *link); // borrowed, as are the next ones
deft__link_state deft__link_state_of(const deft__link *link);
deft__manifest  *deft__link_manifest(const deft__link *link); // NULL: none yet
deft_view        deft__link_reason(const deft__link *link); // why it failed; empty where it did not
// FAILED and UNAUTHORIZED: when it is tried again.
uint64_t      deft__link_retry_at_ms(const deft__link *link);
deft__mcp_era deft__link_era(const deft__link *link);
size_t        deft__link_open_count(const deft__link *link); // requests waiting and sent
// Lines and messages of the server that were passed over: no JSON, no message, answers to nothing.
uint64_t deft__link_ignored_count(const deft__link *link);
void    *deft__link_tag(const deft__link *link); // the owner's, to find its own things by
void     deft__link_set_tag(deft__link *link, void *tag);

// Sends a request, starting the server where it does not run. What the options point to is copied.
// NULL: it is refused at once and `finish` is never called: DEFT_LIMIT, the queue is full;
// DEFT_CONFLICT, the server is disabled, quarantined, or failed and not yet to be tried again (the
// message says when); DEFT_OUT_OF_MEMORY.
deft__exchange *deft__link_request(deft__link *link, const deft__exchange_options *options,
                                   deft_error *error);

// Takes a request back: tells the server, and ends it (CANCELLED, from within this call). `reason`
// may be empty.
void        deft__exchange_cancel(deft__exchange *exchange, deft_view reason);
deft__link *deft__exchange_link(const deft__exchange *exchange);
void       *deft__exchange_context(const deft__exchange *exchange);

// Sends a notification where the server runs; else it is dropped.
void deft__link_notify(deft__link *link, const char *method, deft_view params);

// Starts it, learns its lists, and stops it again when idle. For servers without a manifest, or with
// an old one. Nothing happens where it runs or is not to be tried yet. Where it fails, it is tried
// again by itself at deft__link_retry_at_ms(): nobody can call a server whose tools are not known.
void deft__link_discover(deft__link *link);

// Stops it; open requests fail. It starts again with the next request.
void deft__link_stop(deft__link *link, deft_view reason);

// What it failed for is seen to: it may be tried again at once, and is where it was being learned.
void deft__link_retry(deft__link *link);

void deft__link_set_quarantined(deft__link *link, bool is_quarantined);

// What we declare to the server from its next start on: DEFT__MCP_CLIENT_ bits.
void deft__link_set_capabilities(deft__link *link, unsigned capabilities);

// Answers what the server asked: `result` is raw JSON. Unknown numbers are ignored.
void deft__link_answer(deft__link *link, uint64_t ask, deft_view result);
void deft__link_refuse(deft__link *link, uint64_t ask, int64_t code, deft_view message);

// From the driver.
void deft__link_opened(deft__link *link, uint32_t life);
void deft__link_received(deft__link *link, uint32_t life, deft_view line);
// A line was longer than the transport allows, and was skipped.
void deft__link_overflowed(deft__link *link, uint32_t life);
// The server is gone, or could not be started: `reason` is a clause ("exited with status 1: no API
// key", "command 'npx' was not found").
void deft__link_closed(deft__link *link, uint32_t life, deft_view reason);
// The request with this id (a JSON token) will get no answer, for a reason that concerns no other:
// a clause again ("broke off its answer"). Not during the handshake.
void deft__link_unanswered(deft__link *link, uint32_t life, deft_view id, deft_view reason);
// The server wants a login before anything else. It is gone, as far as we are concerned: the driver
// is not told to stop it. The link is UNAUTHORIZED then, and `reason` is a clause as above.
void deft__link_unauthorized(deft__link *link, uint32_t life, deft_view reason);

#endif
