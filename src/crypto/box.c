#include "crypto/box.h"

#include "crypto/digest.h"

#include <limits.h>
#include <openssl/evp.h>

// libcrypto counts in ints.
static bool is_countable(size_t size)
{
    return size <= INT_MAX;
}

bool deft__box_seal(const deft__box_key *key, const uint8_t nonce[DEFT__BOX_NONCE_BYTES],
                    deft_view text, deft_buffer *out)
{
    uint8_t         tag[DEFT__BOX_TAG_BYTES];
    int             size    = 0;
    int             rest    = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    deft_buffer_append(out, deft_view_make((const char *)nonce, DEFT__BOX_NONCE_BYTES));
    const bool is_sealed =
        context != NULL && is_countable(text.size) &&
        deft_buffer_reserve(out, text.size + DEFT__BOX_TAG_BYTES) &&
        EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1 &&
        EVP_EncryptUpdate(context, (unsigned char *)out->data + out->size, &size,
                          (const unsigned char *)text.data, (int)text.size) == 1 &&
        EVP_EncryptFinal_ex(context, (unsigned char *)out->data + out->size + size, &rest) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, DEFT__BOX_TAG_BYTES, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    if (is_sealed) {
        out->size += (size_t)(size + rest);
        deft_buffer_append(out, deft_view_make((const char *)tag, sizeof tag));
    }
    return is_sealed && out->status == DEFT_OK;
}

deft_status deft__box_open(const deft__box_key *key, deft_view box, deft_buffer *out)
{
    if (box.size < DEFT__BOX_NONCE_BYTES + DEFT__BOX_TAG_BYTES || !is_countable(box.size)) {
        return DEFT_INVALID;
    }
    const deft_view inside = deft_view_slice(
        box, DEFT__BOX_NONCE_BYTES, box.size - DEFT__BOX_NONCE_BYTES - DEFT__BOX_TAG_BYTES);
    uint8_t         tag[DEFT__BOX_TAG_BYTES];
    int             size    = 0;
    int             rest    = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    memcpy(tag, box.data + box.size - sizeof tag, sizeof tag);
    if (context == NULL || !deft_buffer_reserve(out, inside.size + 1) ||
        EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes,
                           (const unsigned char *)box.data) != 1) {
        EVP_CIPHER_CTX_free(context);
        return DEFT_OUT_OF_MEMORY;
    }
    unsigned char *to  = (unsigned char *)out->data + out->size;
    const bool is_open = EVP_DecryptUpdate(context, to, &size, (const unsigned char *)inside.data,
                                           (int)inside.size) == 1 &&
                         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, sizeof tag, tag) == 1 &&
                         EVP_DecryptFinal_ex(context, to + size, &rest) == 1;
    EVP_CIPHER_CTX_free(context);
    if (!is_open) {
        deft__wipe(to, inside.size); // nobody has vouched for it
        return DEFT_INVALID;
    }
    out->size += (size_t)(size + rest);
    return DEFT_OK;
}
