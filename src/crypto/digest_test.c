// Digests are those of FIPS 180-4 and RFC 4231.
#include "crypto/digest.h"

#include "support/test.h"

#include <stdio.h>

static void assert_digest(const deft__digest *digest, const char *expected)
{
    char hex[2 * DEFT__DIGEST_BYTES + 1];
    for (size_t i = 0; i < DEFT__DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest->bytes[i]);
    }
    assert_string_equal(hex, expected);
}

static void published_digests(void **state)
{
    (void)state;
    deft__digest digest;
    assert_true(deft__sha256(deft_view_make(NULL, 0), &digest));
    assert_digest(&digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_true(deft__sha256(deft_view_of("abc"), &digest));
    assert_digest(&digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(deft__hmac_sha256(deft_view_of("Jefe"),
                                  deft_view_of("what do ya want for nothing?"), &digest));
    assert_digest(&digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

static void an_empty_key_is_a_key(void **state)
{
    (void)state;
    deft__digest with_key;
    deft__digest empty;
    assert_true(deft__hmac_sha256(deft_view_of("key"), deft_view_of("text"), &with_key));
    assert_true(deft__hmac_sha256(deft_view_make(NULL, 0), deft_view_of(""), &empty));
    assert_digest(&empty, "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

static void secrets_are_the_same_or_not(void **state)
{
    (void)state;
    assert_true(deft__same_secret(deft_view_of("abc"), deft_view_of("abc")));
    assert_false(deft__same_secret(deft_view_of("abc"), deft_view_of("abd")));
    assert_false(deft__same_secret(deft_view_of("abc"), deft_view_of("abcd")));
    assert_true(deft__same_secret(deft_view_make(NULL, 0), deft_view_of("")));
}

static void wiped_bytes_are_zero(void **state)
{
    (void)state;
    char secret[] = "secret";
    deft__wipe(secret, sizeof secret);
    for (size_t i = 0; i < sizeof secret; i++) {
        assert_int_equal(secret[i], 0);
    }
    deft__wipe(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_digests),
        cmocka_unit_test(an_empty_key_is_a_key),
        cmocka_unit_test(secrets_are_the_same_or_not),
        cmocka_unit_test(wiped_bytes_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
