// tls.h - what a server shows to those who want to speak in private: its certificate, and the key that
// proves it. A stream that is made with one (stream.h) is encrypted; nobody above sees a difference.
//
// TLS 1.2 and 1.3, forward secrecy only, no renegotiation, no compression, ALPN "http/1.1". The files
// are looked at now and then: streams that are made after they have changed show the new certificate,
// open ones go on with the one that they began with.
#ifndef DEFT_IO_TLS_H
#define DEFT_IO_TLS_H

#include "deft/allocator.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdint.h>

// A certificate, a key, or all certificates that are trusted. Those of a system have 220 KiB.
#define DEFT__TLS_FILE_SIZE_MAX (4u * 1024 * 1024)

// How long a peer may take to shake hands.
#define DEFT__TLS_HANDSHAKE_MS 10000u

typedef struct deft__tls deft__tls;

// Texts are borrowed: they must outlive the object.
typedef struct deft__tls_options {
    const char *certificate; // PEM: the server's own first, then those that it was signed with
    const char *key;         // PEM, without a passphrase, not readable by everybody
    const char *client_ca; // PEM: peers must have a certificate signed by one of these. NULL: none
    uint64_t    handshake_ms; // 0: DEFT__TLS_HANDSHAKE_MS
    // What a peer gets that speaks in plain text (its first byte is a capital letter), before it is
    // hung up on. May be empty.
    deft_view plain_answer;
} deft__tls_options;

// Reads the files. New: free with deft__tls_free(). NULL on failure; the message names the file and
// says what to do.
deft__tls *deft__tls_new(const deft__tls_options *options, const deft_allocator *allocator,
                         deft_error *error);
void       deft__tls_free(deft__tls *tls); // open streams go on. NULL is fine

typedef enum deft__tls_news {
    DEFT__TLS_SAME,
    DEFT__TLS_RENEWED, // new streams show what is in the files now
    DEFT__TLS_BROKEN   // the files have changed and are no good: what was shown is shown still
} deft__tls_news;

// Looks whether the files have changed, by identity, size and time. They are read when they have
// been the same for two looks in a row, so that a key is not taken for that of the certificate
// before it. What is no good is said once.
deft__tls_news deft__tls_look(deft__tls *tls, deft_error *error);

// The certificate that is shown cannot be used at this time (seconds since 1970): NULL, "has expired"
// or "is not valid yet".
const char *deft__tls_complaint(const deft__tls *tls, int64_t date_s);

#endif
