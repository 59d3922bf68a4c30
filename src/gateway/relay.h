// relay.h - a client's request on its way to a server and back. A relay answers its client exactly
// once: with what the server said, carried over into the client's era, or with a sentence that says
// why nothing came. Tool calls pass the user's hooks first and leave a line in the journal.
#ifndef DEFT_GATEWAY_RELAY_H
#define DEFT_GATEWAY_RELAY_H

#include "gateway/private.h"

typedef enum deft__relay_kind {
    DEFT__RELAY_CALL,      // tools/call
    DEFT__RELAY_PROMPT,    // prompts/get
    DEFT__RELAY_READ,      // resources/read
    DEFT__RELAY_COMPLETE,  // completion/complete
    DEFT__RELAY_SUBSCRIBE, // resources/subscribe and unsubscribe: the answer is empty
    DEFT__RELAY_WATCH      // subscriptions/listen at a server, for a client's subscription
} deft__relay_kind;

struct deft__relay {
    deft__gateway   *gateway;
    deft__client    *client;    // NULL: nobody waits any more
    uint64_t         principal; // whose it is, also while it is parked
    deft__relay     *next, *previous;
    deft__relay_kind kind;
    uint32_t         server;
    const char      *method;
    deft__exchange  *exchange; // NULL: not sent yet, or over
    deft__arena      arena;    // of the texts below
    deft_view        id;       // of the client's request, raw; empty: it has its answer
    deft_view        token;    // of its progress, raw; empty: it wants none
    deft_view        members;  // of params, as the server gets them
    deft_view        meta;
    deft_view        capabilities; // raw, what the client can do for this request
    unsigned         capability_bits;
    deft_view        log_level;
    deft_view        tool;      // "server::tool"; or the key of a prompt or resource, as shown
    deft_view        arguments; // raw
    uint64_t         started_ms;
    uint64_t         hook; // the number of the hook that is asked; 0: none

    // While the server asks something (ask.c).
    deft__question *questions;   // that belong to this relay
    deft_buffer     responses;   // members of inputResponses so far
    deft_view       state;       // the server's requestState, raw; empty: none
    uint32_t        round_count; // of questions
    uint64_t        parked;      // its number among the parked ones; 0: it is not
    deft__timer     expiry;      // of a parked one
    deft_buffer     held;        // a result that came while it was parked
};

// What a relay is made from; copied. `message` is the client's request.
typedef struct deft__relay_options {
    deft__relay_kind kind;
    uint32_t         server;
    const char      *method;
    deft_view        members;
    deft_view        tool;
    deft_view        arguments;
} deft__relay_options;

// Starts a relay for the client's request, or answers at once why not.
void deft__relay_start(deft__client *client, const deft__mcp_message *message,
                       const deft__relay_options *options);

// Wants to hear of changes of a resource, whichever way its server tells of them; `key` is what that
// server calls it, `uri` what the client does. Nothing is answered to the client.
void deft__relay_watch(deft__client *client, uint32_t server, deft_view key, deft_view uri);
// No longer; nothing happens where it was not watched so.
void deft__relay_unwatch(deft__client *client, deft_view uri);

// Sends it (again, with what was answered) to its server.
void deft__relay_send(deft__relay *relay);

// Answers the client with a failure in a sentence and ends the relay.
void deft__relay_fail(deft__relay *relay, const char *outcome, deft_view reason);

// Answers the client's open request with `result`, raw JSON for its era. The relay goes on.
void deft__relay_answer(deft__relay *relay, deft_view result);

// The client cancels its request with this id; false when there is none such.
bool deft__relay_cancel(deft__client *client, deft_view id, deft_view reason);

// The client is gone: nothing of it is waited for any more.
void deft__relay_abandon_all(deft__client *client);

// Ends a relay without an answer and frees it.
void deft__relay_free(deft__relay *relay);

// The relay behind an exchange; NULL where it is none's.
deft__relay *deft__relay_of(const deft__exchange *exchange);

#endif
