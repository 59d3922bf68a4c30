// ask.h - questions of servers for a client's user: sampling, elicitation, roots. A legacy server
// asks with a request while a call runs; a modern one answers the call with what it needs to know
// and wants it repeated with the answers. A legacy client takes requests; a modern one takes such
// answers. So there are four ways (mcp: "bridging"):
//
//     client   server    what happens
//     legacy   legacy    the request goes on under an id of ours, its answer comes back
//     legacy   modern    each question becomes a request; the call is repeated with the answers
//     modern   modern    the questions go on; the server's state travels sealed inside ours
//     modern   legacy    the call is parked: the client gets the question as its answer, and takes
//                        the call up again with it
#ifndef DEFT_GATEWAY_ASK_H
#define DEFT_GATEWAY_ASK_H

#include "gateway/relay.h"

// How often a server may ask for one call, and how long a parked call waits to be taken up again.
#define DEFT__ASK_ROUNDS_MAX 16u
#define DEFT__PARKED_MAX     1024u
#define DEFT__PARKED_MS      (10u * 60 * 1000)

// How long a modern server's state, sealed into ours, can be brought back: a person may take a while
// to answer, and what is older than that was kept for another reason.
#define DEFT__STATE_MS (60u * 60 * 1000)

struct deft__question {
    deft__question *next;  // of its client (legacy), or of its relay (parked)
    deft__relay    *relay; // NULL: it belongs to no call
    deft__link     *link;  // a legacy server's: who asked, under which number
    uint64_t        ask;
    uint64_t        id;   // ours: of the request to the client, or in the key of a parked one
    deft_buffer     key;  // a modern server's: the question's key, decoded
    deft_buffer     text; // a parked one's: {"method": ..., "params": ...}
};

// From links.
void deft__gateway_asked(void *context, deft__link *link, uint64_t ask, deft__exchange *exchange,
                         const deft__mcp_message *message);
void deft__gateway_unasked(void *context, deft__link *link, uint64_t ask);

// A modern server's result that wants input. The relay goes on, or is ended.
void deft__ask_round(deft__relay *relay, deft__json_value result);

// A client's answer to a request of ours (RESULT or ERROR).
void deft__client_answered(deft__client *client, const deft__mcp_message *message);

// A modern client repeats a call: `message` has a requestState, which must be for this method of
// this server. True when it has been taken care of; false: an ordinary call. A server's own state and
// inputResponses are appended to `members`, to be sent on.
bool deft__ask_resume(deft__client *client, const deft__mcp_message *message, const char *method,
                      uint32_t server, deft_view tool, deft_buffer *members);

// Forgets the questions of a relay that ends: servers are refused, clients told.
void deft__ask_forget(deft__relay *relay);
// The same for a client that is gone.
void deft__ask_forget_client(deft__client *client);
void deft__gateway_drop_parked(deft__gateway *gateway);

#endif
