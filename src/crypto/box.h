// box.h - text that only who has the key can read, and nobody can change unnoticed: AES-256-GCM, by
// libcrypto.
#ifndef DEFT_CRYPTO_BOX_H
#define DEFT_CRYPTO_BOX_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdint.h>

enum {
    DEFT__BOX_KEY_BYTES   = 32,
    DEFT__BOX_NONCE_BYTES = 12,
    DEFT__BOX_TAG_BYTES   = 16
};

typedef struct deft__box_key {
    uint8_t bytes[DEFT__BOX_KEY_BYTES]; // random
} deft__box_key;

// Appends the nonce, what the text has become, and a tag. A nonce is random, and used once with a key:
// some billion of these are safe. False: no memory.
bool deft__box_seal(const deft__box_key *key, const uint8_t nonce[DEFT__BOX_NONCE_BYTES],
                    deft_view text, deft_buffer *out);

// Appends the text. DEFT_INVALID: it was sealed with another key, or is not as it was; then, as without
// memory, nothing is appended.
deft_status deft__box_open(const deft__box_key *key, deft_view box, deft_buffer *out);

#endif
