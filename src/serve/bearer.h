// bearer.h - the token that one remote server is shown: taken from the file of logins, renewed before it
// expires or when the server refuses it, by one process at a time and once for all who wait. Where it
// cannot be renewed a person has to log in, and what the server asked for is kept for that.
#ifndef DEFT_SERVE_BEARER_H
#define DEFT_SERVE_BEARER_H

#include "deft/buffer.h"
#include "io/loop.h"
#include "transport/fetch.h"

typedef struct deft__bearer deft__bearer;

typedef struct deft__bearer_options {
    const char    *path;     // of the file of logins; copied, as are the next three
    deft_view      name;     // the server's, for sentences
    deft_view      endpoint; // its URL
    deft_view      ca;       // a file with the only certificates to trust there; or empty
    deft__fetcher *fetcher;  // must outlive the bearer
    // Whoever waited for a token may ask again. Not from within a call of this header.
    void (*renewed)(void *context);
    // Something that a person should know, as a clause; may be NULL.
    void (*noted)(void *context, deft_view clause);
    void *context;
} deft__bearer_options;

// New: free it. NULL: no memory.
deft__bearer *deft__bearer_new(deft__loop *loop, const deft__bearer_options *options);
void          deft__bearer_free(deft__bearer *bearer); // NULL is fine

// Both as in transport/remote.h.
bool deft__bearer_token(deft__bearer *bearer, deft_view *token, uint32_t *number);
bool deft__bearer_refused(deft__bearer *bearer, int status, deft_view challenge, uint32_t number,
                          bool is_last, deft_buffer *clause);

// The file has changed: a person has logged in or out.
void deft__bearer_reload(deft__bearer *bearer);

#endif
