// key.h - what a manifest is kept under: a hash of all that decides what a server offers. Another
// command, another argument, another token: another key, so what one user may see is never taken for
// what another may.
//
// It is an HMAC-SHA-256 under a secret of the store's own. So values of variables and headers, which
// hold tokens and passwords, are in no file, and nobody who reads a key can try out what they were
// without the store.
#ifndef DEFT_STORE_KEY_H
#define DEFT_STORE_KEY_H

#include "deft/config.h"
#include "store/store.h"

typedef struct deft__store_key {
    unsigned char bytes[32];
} deft__store_key;

// `server` as it is going to be started: with ${VAR} replaced. The order of variables and headers
// counts. Without a store the key is zero. False: no memory.
bool deft__store_key_of(const deft__store *store, const deft_server_config *server,
                        deft__store_key *key);

#endif
