// authority.h - certificates that are made while a test runs: an authority of its own, and what it signs.
#ifndef DEFT_TESTS_AUTHORITY_H
#define DEFT_TESTS_AUTHORITY_H

#include <openssl/types.h>
#include <stdbool.h>

typedef struct test_authority {
    EVP_PKEY *key;
    X509     *certificate;
} test_authority;

void test_authority_init(test_authority *authority);
void test_authority_clear(test_authority *authority);

// Writes its certificate, for those who are to trust it.
void test_authority_write(const test_authority *authority, const char *path);

// Signs a certificate for `names` ("DNS:localhost,IP:127.0.0.1") that is called `subject` and good
// from now until `lifetime_s` later; its key is readable by its owner alone. With `is_chained` the
// authority's own certificate stands behind it.
void test_authority_issue(const test_authority *authority, const char *subject, const char *names,
                          long lifetime_s, bool is_chained, const char *certificate,
                          const char *key);

#endif
