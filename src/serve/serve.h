// serve.h - the gateway at work: it joins the gateway, which only decides, to processes, files,
// threads and time. Servers are child processes, the agent is at two descriptors, indexes are built
// on another thread, what is learned goes to the store, and other processes of the same user may ask
// through a control socket (control.h).
#ifndef DEFT_SERVE_SERVE_H
#define DEFT_SERVE_SERVE_H

#include "deft/buffer.h"
#include "deft/config.h"
#include "deft/model.h"
#include "store/store.h"
#include "web/access.h"

// Zero in a field means the default.
typedef struct deft__serve_options {
    const deft_config *config;      // resolved; must outlive the call, as must all that follows
    const char *const *environment; // ours: "NAME=value", NULL last
    const deft_model  *model;       // of what words mean; NULL: words alone
    const char        *logins;      // the file of logins (store/logins.h); NULL: there are none
    deft__store *store; // NULL: nothing is kept. Used from one thread at a time, during the call

    // Something that a person should know, one line without its end: the disk is full, a server has
    // failed for good. For stderr. NULL: nobody is told.
    void (*note)(void *context, deft_view line);
    // A server became known, or failed, while others are still being learned. NULL: nobody is told.
    void (*progress)(void *context, size_t done, size_t total, deft_view server);
    void *context;

    // deft__serve_run only.
    int         input;             // what the agent says; a descriptor
    int         output;            // where it is answered
    const char *control_directory; // where the control socket is made; NULL: there is none
    uint64_t    grace_ms;          // open calls may still end when the agent says no more; 5,000

    // deft__serve_http only: it sets the first one itself.
    bool        is_shared; // by agents that can do different things
    const char *address;   // in numbers; NULL: 127.0.0.1
    uint16_t    port;      // 0: any that is free
    // A socket that listens there already, and stays open in the process that handed it over
    // (deft__socket_adopt): at the end others take who comes, and nobody is refused. 0: none.
    int                handed_over;
    const deft__token *tokens; // one of these must be shown
    size_t             token_count;
    bool               is_token_needed; // also where there are none, as yet
    // Asked every second: true where there are other tokens now, borrowed until the next time. NULL:
    // they stay as they are.
    bool (*tokens_changed)(void *context, const deft__token **tokens, size_t *count);
    // PEM files; NULL: no TLS (see io/tls.h). They are looked at every second.
    const char *tls_certificate;
    const char *tls_key;
    const char *tls_client_ca; // who must have signed agents' certificates; NULL: they need none
    // It listens now, at this port. NULL: nobody is told.
    void (*listening)(void *context, uint16_t port);
} deft__serve_options;

// Serves the agent at `input` and `output` until it says no more, is gone, or a signal says so; then
// stops every server, politely, all at once. A second signal ends the process on the spot (status
// 130 or 143). DEFT_CONFLICT: a bridge tool has the name of a tool that is visible; DEFT_INVALID: the
// loop or the descriptors are no good.
deft_status deft__serve_run(const deft__serve_options *options, deft_error *error);

// Serves any number of agents over HTTP, until a signal says so. DEFT_CONFLICT also where the address
// can be reached from other machines and there are no tokens.
deft_status deft__serve_http(const deft__serve_options *options, deft_error *error);

// Answers one request of control.h without a running gateway: over the same configuration and store,
// starting only the servers that it takes, and stopping them again. `params` is a raw JSON object or
// empty; `result`, raw JSON, is appended. Failures are those of deft__control_ask().
deft_status deft__serve_alone(const deft__serve_options *options, const char *method,
                              deft_view params, deft_buffer *result, deft_error *error);

#endif
