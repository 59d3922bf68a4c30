#include "support/authority.h"

#include "support/test.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

static void add_extension(X509 *certificate, X509 *issuer, int kind, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

static X509 *new_certificate(const char *subject, long lifetime_s, EVP_PKEY *key)
{
    X509      *certificate = X509_new();
    X509_NAME *name        = X509_get_subject_name(certificate);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_set_version(certificate, 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), lifetime_s);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)subject, -1, -1, 0);
    X509_set_pubkey(certificate, key);
    return certificate;
}

void test_authority_init(test_authority *authority)
{
    authority->key         = EVP_EC_gen("P-256");
    authority->certificate = new_certificate("deft test authority", 3600, authority->key);
    X509 *own              = authority->certificate;
    X509_set_issuer_name(own, X509_get_subject_name(own));
    add_extension(own, own, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(own, own, NID_key_usage, "critical,keyCertSign");
    add_extension(own, own, NID_subject_key_identifier, "hash");
    assert_true(X509_sign(own, authority->key, EVP_sha256()) > 0);
}

void test_authority_clear(test_authority *authority)
{
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

void test_authority_write(const test_authority *authority, const char *path)
{
    FILE *file = open_file(path);
    assert_int_equal(PEM_write_X509(file, authority->certificate), 1);
    assert_int_equal(fclose(file), 0);
}

void test_authority_issue(const test_authority *authority, const char *subject, const char *names,
                          long lifetime_s, bool is_chained, const char *certificate,
                          const char *key)
{
    EVP_PKEY *own  = EVP_EC_gen("P-256");
    X509     *made = new_certificate(subject, lifetime_s, own);
    X509_set_issuer_name(made, X509_get_subject_name(authority->certificate));
    add_extension(made, authority->certificate, NID_subject_alt_name, names);
    add_extension(made, authority->certificate, NID_authority_key_identifier, "keyid");
    assert_true(X509_sign(made, authority->key, EVP_sha256()) > 0);
    FILE *file = open_file(certificate);
    assert_int_equal(PEM_write_X509(file, made), 1);
    if (is_chained) {
        assert_int_equal(PEM_write_X509(file, authority->certificate), 1);
    }
    assert_int_equal(fclose(file), 0);
    file = open_file(key);
    assert_int_equal(PEM_write_PrivateKey(file, own, NULL, NULL, 0, NULL, NULL), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(key, 0600), 0);
    X509_free(made);
    EVP_PKEY_free(own);
}
