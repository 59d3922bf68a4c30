// sealed.h - the file of logins as text that only the keyring's key opens:
//
//     {"version":2,"sealedWith":"keyring","box":"base64 of crypto/box.h"}
//
// To a deft that does not know of it, it is a file of a newer one, which is left as it is.
#ifndef DEFT_STORE_SEALED_H
#define DEFT_STORE_SEALED_H

#include "crypto/box.h"

bool deft__sealed_is(deft_view text);

// Appends what is inside. DEFT_INVALID: it is damaged, or of another key; the message is a clause behind the
// file's name.
deft_status deft__sealed_read(deft_view text, const deft__box_key *key, deft_buffer *out,
                              deft_error *error);

// Appends the sealed form of `text`. A nonce is random, and used once. False: no memory.
bool deft__sealed_write(deft_view text, const deft__box_key *key,
                        const uint8_t nonce[DEFT__BOX_NONCE_BYTES], deft_buffer *out);

#endif
