#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

bool deft__sha256(deft_view bytes, deft__digest *digest)
{
    *digest = (deft__digest){{0}};
    return EVP_Digest(bytes.data, bytes.size, digest->bytes, NULL, EVP_sha256(), NULL) == 1;
}

bool deft__hmac_sha256(deft_view key, deft_view bytes, deft__digest *digest)
{
    *digest = (deft__digest){{0}};
    // An empty key must still be an address: NULL would mean "the key of the call before".
    const char *start = key.size == 0 ? "" : key.data;
    return key.size <= INT32_MAX &&
           HMAC(EVP_sha256(), start, (int)key.size, (const unsigned char *)bytes.data, bytes.size,
                digest->bytes, NULL) != NULL;
}

bool deft__same_secret(deft_view one, deft_view other)
{
    return one.size == other.size &&
           (one.size == 0 || CRYPTO_memcmp(one.data, other.data, one.size) == 0);
}

// Read anew for each call, so that nobody can know what it does. OPENSSL_cleanse() takes four times as long,
// which shows where libcurl's buffers are wiped with every request.
static void *(*const volatile fill)(void *, int, size_t) = memset;

void deft__wipe(void *bytes, size_t size)
{
    if (size > 0) {
        (void)fill(bytes, 0, size);
    }
}
