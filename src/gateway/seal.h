// seal.h - what a client keeps for us and hands back: the requestState of a call that asked it for
// something. The client must not be able to make one up, to use one for another call or another
// principal, or to bring one back for ever:
//
//     deft.s.SERVER.EXPIRES.MAC.TEXT    a modern server's own requestState is TEXT (raw JSON)
//     deft.p.NUMBER.EXPIRES.MAC.        the parked call NUMBER
//
// MAC is HMAC-SHA256 in hexadecimal, under a key that lives as long as the gateway, over all of it
// and over what the call is bound to. EXPIRES is a time of the gateway's clock, in milliseconds.
//
// Arguments are not bound: a parked call goes on with those that it began with, and what a server's
// own state is good for is that server's to say.
#ifndef DEFT_GATEWAY_SEAL_H
#define DEFT_GATEWAY_SEAL_H

#include "deft/buffer.h"
#include "deft/error.h"

#include <stdint.h>

enum {
    DEFT__SEAL_KEY_BYTES = 32
};

typedef struct deft__seal_key {
    uint8_t bytes[DEFT__SEAL_KEY_BYTES]; // random
} deft__seal_key;

typedef enum deft__seal_kind {
    DEFT__SEAL_SERVER = 's',
    DEFT__SEAL_PARKED = 'p'
} deft__seal_kind;

typedef struct deft__sealed {
    deft__seal_kind kind;
    uint64_t        number; // the server's place, or of the parked call
    uint64_t        expires_ms;
    deft_view       text;
} deft__sealed;

// The call that a state is good for.
typedef struct deft__seal_binding {
    uint64_t    principal; // whose call it is
    uint32_t    server;    // which gets it
    const char *method;
    deft_view   subject; // the tool, prompt or resource
} deft__seal_binding;

// Appends the state. Sticky in `out`, as its other calls.
void deft__seal_write(const deft__seal_key *key, const deft__sealed *sealed,
                      const deft__seal_binding *binding, deft_buffer *out);

// DEFT_INVALID: it is none of ours, or not for this call. DEFT_LIMIT: it was, and is too old.
// The text is borrowed from `state`.
deft_status deft__seal_read(const deft__seal_key *key, deft_view state,
                            const deft__seal_binding *binding, uint64_t now_ms,
                            const deft_allocator *allocator, deft__sealed *sealed);

#endif
