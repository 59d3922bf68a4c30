// tls_private.h - what tls.c and tls_session.c share.
#ifndef DEFT_IO_TLS_PRIVATE_H
#define DEFT_IO_TLS_PRIVATE_H

#include "io/tls.h"

#include <openssl/ssl.h>
#include <sys/stat.h>

// A file as it was when it was looked at. All zeros: it was not there.
typedef struct deft__tls_stamp {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t  changed_s;
    int64_t  changed_ns;
} deft__tls_stamp;

enum {
    DEFT__TLS_FILES = 3 // certificate, key, client_ca
};

typedef struct deft__tls_stamps {
    deft__tls_stamp files[DEFT__TLS_FILES];
} deft__tls_stamps;

struct deft__tls {
    const deft_allocator *allocator;
    deft__tls_options     options;
    SSL_CTX              *context; // a session keeps its own alive
    deft__tls_stamps      read;    // the files when they were last read, good or not
    deft__tls_stamps      seen;    // the files when they were last looked at
};

#endif
