// thread_server.h - a server on a thread of its own that gives everyone the same answer: bytes of any
// kind, after the first that it hears. With TLS or without. For tests that need the loop for themselves.
#ifndef DEFT_TESTS_THREAD_SERVER_H
#define DEFT_TESTS_THREAD_SERVER_H

#include "deft/view.h"

#include <openssl/types.h>
#include <pthread.h>

typedef struct test_thread_server {
    deft_view answer; // set this, and `tls`, before the start
    SSL_CTX  *tls;    // NULL: none
    int       port;   // on 127.0.0.1
    int       descriptor;
    pthread_t thread;
} test_thread_server;

void test_thread_server_start(test_thread_server *server);
void test_thread_server_stop(test_thread_server *server); // `tls` is freed, too

// A key and a certificate for 127.0.0.1 that it signed itself, which is also written to `path` for those
// who are to trust it.
SSL_CTX *test_identity_new(const char *path);

#endif
