// fetch.h - requests to web servers, on the loop. It stands in front of libcurl, whose names nobody else
// sees: HTTP/1.1, TLS that is always verified, proxies and certificates as the environment says,
// connections that are used again.
//
// libcurl lets nobody call it from within its own callbacks. So those only take notes, and what they
// noted is told afterwards: callbacks of this header may do anything.
#ifndef DEFT_TRANSPORT_FETCH_H
#define DEFT_TRANSPORT_FETCH_H

#include "deft/buffer.h"
#include "deft/config.h"
#include "io/loop.h"

// Bytes of all headers of one answer.
#define DEFT__FETCH_HEAD_SIZE_MAX (64u * 1024)

typedef struct deft__fetcher deft__fetcher;
typedef struct deft__fetch   deft__fetch; // one request

// New: free it. NULL on failure. Of `environment` (ours, only read during the call) CURL_CA_BUNDLE,
// SSL_CERT_FILE and SSL_CERT_DIR say which certificates are trusted. A server that cannot be reached
// within `connect_timeout_ms` (0: 15,000) counts as down.
deft__fetcher *deft__fetcher_new(deft__loop *loop, const char *const *environment,
                                 uint64_t connect_timeout_ms, deft_error *error);
// Trusts the certificates of this file, too, in place of those that the environment names. False: no
// memory.
bool deft__fetcher_trust(deft__fetcher *fetcher, deft_view file);
void deft__fetcher_free(deft__fetcher *fetcher); // every fetch must have been freed. NULL is fine

typedef enum deft__fetch_end {
    DEFT__FETCH_WHOLE,       // the answer is complete
    DEFT__FETCH_UNREACHABLE, // the request was never sent
    DEFT__FETCH_BROKEN,      // it was, and the answer, if any, is not complete
    DEFT__FETCH_LIMIT        // the headers or the body are too large (or there is no memory)
} deft__fetch_end;

typedef struct deft__fetch_options {
    const char      *method;
    const char      *url;
    const deft_pair *headers;
    size_t           header_count;
    deft_view        body;     // of a POST; unlike the others not copied: it must outlive the fetch
    const char      *ca;       // a file with the only certificates to trust; NULL: the fetcher's
    size_t           size_max; // bytes of the answer's body; 0: any number, for streams
    // A connection that is used again may turn out to be closed. Then the request is sent once more,
    // unless it is one that must not be: the server may have begun with it.
    bool is_once;

    // None of these is called from within a call of this header.
    void *context;
    void (*answered)(void *context);              // status and headers are there: see below
    void (*read)(void *context, deft_view bytes); // of the body; borrowed for the call
    // Once. `clause` says what is wrong: "could not be reached: connection refused". Empty: WHOLE.
    void (*ended)(void *context, deft__fetch_end end, deft_view clause);
} deft__fetch_options;

// New: free it. NULL: no memory.
deft__fetch *deft__fetch_new(deft__fetcher *fetcher, const deft__fetch_options *options);
void deft__fetch_free(deft__fetch *fetch); // breaks it off; no callback any more. NULL is fine

// From `answered` on. Borrowed until the fetch is freed.
int       deft__fetch_status(const deft__fetch *fetch);                   // 200, 404 ...
deft_view deft__fetch_header(const deft__fetch *fetch, const char *name); // the first; empty: none
// The same header from all places where it stands, joined with ", ".
void deft__fetch_write_header(const deft__fetch *fetch, const char *name, deft_buffer *out);
// Where a redirecting answer points to, as a whole URL; empty: nowhere.
deft_view deft__fetch_redirect(const deft__fetch *fetch);

#endif
