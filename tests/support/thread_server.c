#include "support/thread_server.h"

#include "support/test.h"

#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

static void serve_plain(const test_thread_server *server, int peer)
{
    char    request[4096];
    ssize_t sent = 0;
    if (read(peer, request, sizeof request) > 0) {
        sent = write(peer, server->answer.data, server->answer.size);
    }
    (void)sent; // it may have left
}

static void serve_tls(const test_thread_server *server, int peer)
{
    char request[4096];
    SSL *tls = SSL_new(server->tls);
    SSL_set_fd(tls, peer);
    if (SSL_accept(tls) == 1 && SSL_read(tls, request, sizeof request) > 0) {
        SSL_write(tls, server->answer.data, (int)server->answer.size);
        SSL_shutdown(tls);
    }
    SSL_free(tls);
}

static void *serve_all(void *context)
{
    const test_thread_server *server = context;
    int                       peer;
    while ((peer = accept(server->descriptor, NULL, NULL)) >= 0) {
        if (server->tls != NULL) {
            serve_tls(server, peer);
        } else {
            serve_plain(server, peer);
        }
        close(peer);
    }
    return NULL;
}

void test_thread_server_start(test_thread_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t          size    = sizeof address;
    address.sin_addr.s_addr    = htonl(INADDR_LOOPBACK);
    server->descriptor         = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server->descriptor, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->descriptor, 8), 0);
    assert_int_equal(getsockname(server->descriptor, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve_all, server), 0);
}

void test_thread_server_stop(test_thread_server *server)
{
    shutdown(server->descriptor, SHUT_RDWR); // wakes it up
    pthread_join(server->thread, NULL);
    close(server->descriptor);
    SSL_CTX_free(server->tls);
}

SSL_CTX *test_identity_new(const char *path)
{
    SSL_CTX        *tls         = SSL_CTX_new(TLS_server_method());
    EVP_PKEY       *key         = EVP_EC_gen("P-256");
    X509           *certificate = X509_new();
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1");
    X509_NAME      *name  = X509_get_subject_name(certificate);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_set_version(certificate, 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"deft test", -1, -1,
                               0);
    X509_set_issuer_name(certificate, name);
    X509_add_ext(certificate, names, -1);
    X509_set_pubkey(certificate, key);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(tls, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(tls, key), 1);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    (void)fclose(file);
    X509_EXTENSION_free(names);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return tls;
}
