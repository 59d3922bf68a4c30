// login.h - getting a token for a server: the whole conversation between the server, its authorization
// server and a person, as a machine that is fed. It says what it wants next (a document fetched, a form
// posted, a page shown to a person), the host does that and hands the answer in, and at the end there is
// a login to keep, or a sentence that says why there is none.
//
//     protected-resource metadata   the challenge names it; else well-known places; else it is a server
//                                   of 2025-03-26, and its own origin is the authorization server
//     authorization-server metadata well-known places of the issuer, whose name it must bear
//     client                        configured, a client-id metadata document, kept, or registered
//     authorization                 in a browser: PKCE (S256), resource, state, iss (RFC 9207)
//     tokens                        for the code; later, for the refresh token; at the end, given back
//
// No I/O, no clock, no randomness: all of that comes in.
#ifndef DEFT_OAUTH_LOGIN_H
#define DEFT_OAUTH_LOGIN_H

#include "oauth/kept.h"

typedef struct deft__oauth deft__oauth;

// Bytes of randomness that one login takes.
#define DEFT__OAUTH_RANDOM_SIZE 64u

typedef struct deft__oauth_options {
    deft_view endpoint;  // the server's URL, as configured
    deft_view challenge; // its WWW-Authenticate; may be empty
    // What a person or the configuration wants; empty: as the server says. Where the challenge is
    // about a scope that is missing, that is asked for, too.
    deft_view scope;
    deft_view redirect_uri; // where the browser is to come back to
    // Configured for this server; empty: none. A secret without an issuer goes to the issuer that
    // `kept` knows, or to the first one there is.
    deft_view client_id;
    deft_view client_secret;
    deft_view issuer;
    deft_view metadata_url; // of a client-id metadata document of ours; empty: there is none
    // What is kept of the last login: its client is used again with the same issuer and redirect, and
    // its scope is asked for again along with the challenge's. NULL: nothing.
    const deft__kept_login *kept;
    deft_view               random; // DEFT__OAUTH_RANDOM_SIZE bytes that nobody can guess
    uint64_t                now_s;  // since 1970
} deft__oauth_options;

// All of it is copied. New: free it. DEFT_INVALID: the endpoint or another address is no good.
deft__oauth *deft__oauth_new(const deft__oauth_options *options, const deft_allocator *allocator,
                             deft_error *error);

// The same for a login that is there already: asks for new tokens with its refresh token, which it must
// have. No person is needed.
deft__oauth *deft__oauth_new_renewal(const deft__kept_login *login, uint64_t now_s,
                                     const deft_allocator *allocator, deft_error *error);

// The same for a login that is to end: tells its authorization server that the tokens are not good any
// more (RFC 7009), the refresh token first. NULL with DEFT_NOT_FOUND: that has no place for it, or there
// are no tokens.
deft__oauth *deft__oauth_new_revocation(const deft__kept_login *login,
                                        const deft_allocator *allocator, deft_error *error);

void deft__oauth_free(deft__oauth *oauth); // overwrites its secrets. NULL is fine

typedef enum deft__oauth_step {
    DEFT__OAUTH_FETCH, // do the request, then deft__oauth_answered() or deft__oauth_unanswered()
    DEFT__OAUTH_SHOW,  // show the page to a person, then deft__oauth_redirected()
    DEFT__OAUTH_DONE,  // there is a login; or, at the end of one, there is none any more
    DEFT__OAUTH_FAILED // it did not come to that
} deft__oauth_step;

deft__oauth_step deft__oauth_step_of(const deft__oauth *oauth);

// FETCH. Borrowed until the machine goes on, as are all views here. Redirects are not to be followed.
typedef struct deft__oauth_request {
    bool      is_post;
    deft_view url;           // checked: https, or this machine
    deft_view type;          // of the body; empty: there is none
    deft_view body;          // may hold secrets
    deft_view authorization; // the header's value, a secret; empty: none
} deft__oauth_request;

deft__oauth_request deft__oauth_request_of(const deft__oauth *oauth);

// Whatever the status. A body is read up to DEFT__OAUTH_ANSWER_SIZE_MAX (answers.h).
void deft__oauth_answered(deft__oauth *oauth, int status, deft_view body);
void deft__oauth_unanswered(deft__oauth *oauth, deft_view clause); // "could not be reached: ..."

// SHOW: the page.
deft_view deft__oauth_page(const deft__oauth *oauth);
// The browser came back with this query (without '?'). False: it was not meant for this login (its
// state is another), and nothing has changed.
bool deft__oauth_redirected(deft__oauth *oauth, deft_view query);

// DONE: what to keep.
const deft__kept_login *deft__oauth_login(const deft__oauth *oauth);

// FAILED: one sentence. `is_refused`: the authorization server has said no, and will say it again; else
// it could not be asked, and what was kept may still be good.
const char *deft__oauth_failure(const deft__oauth *oauth, bool *is_refused);

#endif
