// gateway.h - one MCP server in front of all the others. It joins links to servers with clients
// (agents), over what the servers offer together. The gateway does no I/O: messages, deaths and
// time come in through calls, and what it wants done goes out through its host. The same calls
// give the same answers, so a whole conversation with servers, faults and hours can be a test.
//
// Everything belongs to one thread, but for deft__snapshot_job_run().
#ifndef DEFT_GATEWAY_GATEWAY_H
#define DEFT_GATEWAY_GATEWAY_H

#include "deft/session.h"
#include "gateway/link.h"
#include "gateway/seal.h"
#include "gateway/snapshot.h"

typedef struct deft__gateway      deft__gateway;
typedef struct deft__client       deft__client;       // one agent's connection
typedef struct deft__snapshot_job deft__snapshot_job; // work for another thread

// One line of the journal. Views are borrowed for the call.
typedef enum deft__journal_kind {
    DEFT__JOURNAL_SEARCH,
    DEFT__JOURNAL_DESCRIBE,
    DEFT__JOURNAL_CALL
} deft__journal_kind;

typedef struct deft__journal_entry {
    deft__journal_kind kind;
    deft_view          client;        // its clientInfo.name; may be empty
    deft_view          token;         // the name of the token that it came with; may be empty
    deft_view          tool;          // "server::tool", the real one; a search: empty
    deft_view          text;          // a search: the query; a call: its arguments as JSON
    uint64_t           argument_size; // bytes
    uint64_t           result_size;   // bytes
    uint64_t           duration_ms;
    uint32_t           found_count; // a search: tools found
    const char        *outcome; // "ok", "tool-error", "error", "failed", "timeout", "cancelled",
                                // "refused", "not-found"
    deft_view reason;           // one sentence where it is not ok; may be empty
} deft__journal_entry;

// A command that the user wants asked before or told after a call.
typedef struct deft__hook {
    uint64_t  number; // for deft__gateway_hook_finished()
    bool      is_before;
    deft_view command; // for the shell
    deft_view input;   // JSON for its stdin
    uint64_t  timeout_ms;
} deft__hook;

// What a gateway asks for. None of these may call back into the gateway before it has returned.
typedef struct deft__gateway_host {
    void *context;
    // As in deft__link_driver; `server` is the place in the configuration. Answer through
    // deft__link_opened() and its like, on deft__gateway_link().
    void (*server_start)(void *context, size_t server, uint32_t life);
    void (*server_send)(void *context, size_t server, uint32_t life, deft_view line);
    void (*server_stop)(void *context, size_t server, uint32_t life);
    // One message to a client: a line without its end. `about` is the raw id of the client's request
    // that it answers or belongs to; empty: none. The client must not be closed from within.
    void (*client_send)(void *context, deft__client *client, deft_view about, deft_view line);
    // Run the job, on any thread, then call deft__gateway_snapshot_built() on this one.
    void (*snapshot_build)(void *context, deft__snapshot_job *job);
    // Run a hook; answer later with deft__gateway_hook_finished(). NULL: there are no hooks.
    void (*hook_run)(void *context, const deft__hook *hook);
    // Keep what was learned, or turned out to be true still, for the next start. May be NULL, as may
    // the next ones.
    void (*manifest_learned)(void *context, size_t server, deft__manifest *manifest);
    void (*journal)(void *context, const deft__journal_entry *entry);
    // A server's state changed; for progress displays.
    void (*server_changed)(void *context, size_t server);
} deft__gateway_host;

typedef struct deft__gateway_server {
    deft_view          name;
    deft__link_options options;
    deft__manifest    *manifest; // as kept; NULL: none. Retained.
    bool               is_fresh; // it needs no refresh yet, and its era is believed
} deft__gateway_server;

typedef struct deft__gateway_options {
    const deft_settings        *settings; // borrowed: must outlive the gateway
    const deft_model           *model;    // likewise; NULL: words alone
    const deft__gateway_server *servers;  // copied
    size_t                      server_count;
    const deft_usage           *usage; // NULL: none
    deft_naming naming;                // of listed tools and prompts: WIRE, or PLAIN for one server
    uint64_t    first_wait_ms;         // how long the first list waits for unknown servers; 700
    uint64_t    clients_max;           // 10,000
    uint64_t    discoveries_max;       // servers that are started at once for their lists; 8
    uint64_t    refresh_age_ms;        // servers are asked for their lists again; default 24 hours
    unsigned    declared; // DEFT__MCP_CLIENT_ bits that servers are told; 0: the first client's own
    uint64_t    seed;     // random: names that peers choose are hashed with it
    deft__seal_key key;   // random: state that clients hand back is sealed with it
} deft__gateway_options;

// New: free with deft__gateway_free(). NULL on failure; DEFT_CONFLICT: a bridge tool has the name
// of a tool that is visible; the message says what to set.
deft__gateway *deft__gateway_new(const deft__gateway_options *options,
                                 const deft__gateway_host *host, uint64_t now_ms,
                                 const deft_allocator *allocator, deft_error *error);
void           deft__gateway_free(deft__gateway *gateway); // NULL is fine

// What is kept of a server, where that took time to read: before deft__gateway_start(). Retained.
void deft__gateway_adopt(deft__gateway *gateway, size_t server, deft__manifest *manifest,
                         bool is_fresh);

// Builds the first snapshot (through the host) from the manifests at hand. Clients may come before; what
// needs a server or a catalog then waits.
void deft__gateway_start(deft__gateway *gateway);

// Starts every server that has no manifest, or an old one, to learn its lists; before
// deft__gateway_start() it is put off until then. The first client that
// says more than `server/discover` does this too: some agents start a gateway only to ask which
// era it speaks, and then kill it.
void deft__gateway_discover(deft__gateway *gateway);

// Whether nothing is being learned or built: every server is known, or has failed.
bool deft__gateway_is_settled(const deft__gateway *gateway);

// Time: call advance when the next timer is due, and before handing anything else in.
void     deft__gateway_advance(deft__gateway *gateway, uint64_t now_ms);
uint64_t deft__gateway_next(const deft__gateway *gateway); // UINT64_MAX: nothing is due

size_t      deft__gateway_server_count(const deft__gateway *gateway);
deft__link *deft__gateway_link(const deft__gateway *gateway, size_t server);
// The snapshot in force; NULL: the first is not built yet. Borrowed until the next call; retain it to
// keep it.
deft__snapshot *deft__gateway_snapshot(const deft__gateway *gateway);

// What a client is shown. Zero in a field means the default.
typedef struct deft__client_options {
    void *tag; // the host's
    // Where its lines go, as host.client_send; NULL: there.
    void (*send)(void *tag, deft_view about, deft_view line);
    deft_view token;     // what its token is called; empty: it has none. Must outlive the client.
    uint64_t  principal; // whose it is: what one is given cannot be handed back by another
    bool is_everything;  // every tool is listed, none deferred: for hosts that search themselves
    bool is_person; // at a command line: messages say 'deft search', not what a model would call
    deft_view               server; // only what this server has, under its own names, none deferred
    const deft_restriction *restriction; // what it may reach; NULL: all. Copied.
} deft__client_options;

// `options` NULL: the defaults. NULL on failure: DEFT_LIMIT, there are too many; DEFT_NOT_FOUND,
// there is no such server; DEFT_OUT_OF_MEMORY.
deft__client *deft__client_open(deft__gateway *gateway, const deft__client_options *options,
                                deft_error *error);
void         *deft__client_tag(const deft__client *client);
void          deft__client_receive(deft__client *client, deft_view line);
// Whether it may send arrays of messages: its version is 2025-03-26.
bool deft__client_takes_arrays(const deft__client *client);
void deft__client_overflowed(deft__client *client); // a line was too long and was skipped
// The client is gone: its calls are cancelled; nothing is sent to it any more.
void   deft__client_close(deft__client *client);
size_t deft__client_open_count(const deft__client *client); // requests not yet answered
// Where an error that it was given last for a call is ours, not the tool's: how the call ended, in the
// words of the journal; "refused": the tool was not called. NULL: a tool has answered.
const char *deft__client_failure(const deft__client *client);

// Jobs: run is safe on another thread; built gives the job back, on the gateway's thread.
void deft__snapshot_job_run(deft__snapshot_job *job);
// Before it is run: an image from last time, which may fit. Retained; NULL: none.
void deft__snapshot_job_set_image(deft__snapshot_job *job, deft__bytes *image);
void deft__gateway_snapshot_built(deft__gateway *gateway, deft__snapshot_job *job);

// How a hook ended: `exit_code` 0 lets the call through, 2 refuses it with `message` (what it wrote
// to stderr) to the model, anything else and a timeout (-1) refuse it with our own words.
void deft__gateway_hook_finished(deft__gateway *gateway, uint64_t number, int exit_code,
                                 deft_view message);

// The gateway is about to stop: what modern clients listen for is over, and they are told so.
void deft__gateway_end_listens(deft__gateway *gateway);

// Re-measures and re-decides for every client and forgets what was loaded (D6).
void deft__gateway_reset(deft__gateway *gateway);

// Status for a person and for a program (D6): clients, what is deferred and loaded, servers.
deft_status deft__gateway_write_status(const deft__gateway *gateway, deft_buffer *out);
deft_status deft__gateway_write_status_json(const deft__gateway *gateway, deft_buffer *out);

// A JSON array, one object a server: name, state, era, version, tools, tokens, manifest, reason,
// retryInMs, open.
deft_status deft__gateway_write_servers(const deft__gateway *gateway, deft_buffer *out);

#endif
