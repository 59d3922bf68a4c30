// digest.h - SHA-256, HMAC and comparison in constant time, by libcrypto. It computes and nothing
// else: no clock, no files, no randomness, so that code below the line may use it.
#ifndef DEFT_CRYPTO_DIGEST_H
#define DEFT_CRYPTO_DIGEST_H

#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DEFT__DIGEST_BYTES = 32
};

typedef struct {
    uint8_t bytes[DEFT__DIGEST_BYTES];
} deft__digest;

// Both are false when libcrypto has no memory, and then the digest is all zeros: never compare it.
bool deft__sha256(deft_view bytes, deft__digest *digest);
bool deft__hmac_sha256(deft_view key, deft_view bytes, deft__digest *digest);

// Takes as long for bytes that differ at once as for the same ones. Sizes are no secret.
bool deft__same_secret(deft_view one, deft_view other);

// Overwrites what is secret before its memory is given back; the compiler cannot leave it out.
void deft__wipe(void *bytes, size_t size);

#endif
