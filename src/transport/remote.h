// remote.h - an MCP server somewhere else: each message is a POST, and what comes back, as JSON or as a
// stream of events, becomes lines again. It speaks Streamable HTTP in both eras and, where a server
// knows nothing else, the HTTP+SSE of 2024-11-05. Which era it is the messages say: the link decides.
//
// Towards the link it behaves like a child process (child.h), with two things more: one request alone
// can fail, and a server can want a login.
#ifndef DEFT_TRANSPORT_REMOTE_H
#define DEFT_TRANSPORT_REMOTE_H

#include "deft/config.h"
#include "io/loop.h"
#include "transport/fetch.h"

typedef struct deft__remote deft__remote;

typedef struct deft__remote_options {
    const deft_server_config *server;      // only read during the call, as are the next two
    const char *const        *environment; // ours, "NAME=value", NULL last
    deft_view                 tools;   // definitions that are known already: a raw array; or empty
    deft__fetcher            *fetcher; // must outlive the remote

    // None of these is called from within a call of this header. Views are borrowed for the call.
    void *context;
    void (*received)(void *context, deft_view line); // one message; may hold line ends
    void (*overflowed)(void *context); // a message was too long (or there was no memory): skipped
    // The request with this id (a JSON token) gets no answer; `reason` is a clause.
    void (*unanswered)(void *context, deft_view id, deft_view reason);
    // Once, either of them: it is gone, or wants a login (`challenge` is its WWW-Authenticate, maybe
    // empty). `reason` is a clause: "could not be reached: the connection was refused". Free it then,
    // or later.
    void (*closed)(void *context, deft_view reason);
    void (*unauthorized)(void *context, deft_view reason, deft_view challenge);
    // Bearer tokens, where somebody sees to them; NULL: nobody does. A server that has an
    // Authorization in its headers is never asked about. The token for the next request, and a number
    // that tells it from others; empty: none. False: it is being renewed, deft__remote_renewed() tells.
    bool (*token)(void *context, deft_view *token, uint32_t *number);
    // The server has refused a request that had this token. True: there is or will be another, which
    // deft__remote_renewed() tells, and the request is sent again. That happens once: with `is_last` it
    // is refused for good. `clause` may be written: what a person is told instead of "wants a login".
    bool (*refused)(void *context, int status, deft_view challenge, uint32_t number, bool is_last,
                    deft_buffer *clause);
    // Something that a person should know, as a clause; may be NULL.
    void (*noted)(void *context, deft_view clause);

    size_t   message_size_max; // 0: 64 MiB
    size_t   queue_max;        // bytes of messages that are on their way; 0: 128 MiB
    uint64_t retry_ms;         // before a lost stream is asked for again; 0: 1,000
    uint64_t held_ms;          // a call with headers that were refused waits for the list; 0: 5,000
    uint64_t goodbye_ms;       // a server has to take note of our leaving; 0: 2,000
} deft__remote_options;

// Nothing is sent yet. New: free it. NULL: the configuration is no good; the message is a clause that
// says why.
deft__remote *deft__remote_start(deft__loop *loop, const deft__remote_options *options,
                                 deft_error *error);

// Whether it is spoken to over a network without TLS.
bool deft__remote_is_open(const deft__remote *remote);

// Tokens that were waited for are there, or will not come. Not from within a callback.
void deft__remote_renewed(deft__remote *remote);

void deft__remote_send(deft__remote *remote, deft_view line); // copied
void deft__remote_stop(deft__remote *remote); // politely; `closed` tells when it is done
void deft__remote_stop_within(deft__remote *remote, uint64_t goodbye_ms); // also while stopping
void deft__remote_free(
    deft__remote *remote); // also from a callback; none comes any more. NULL is fine

#endif
