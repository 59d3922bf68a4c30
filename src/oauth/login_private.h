// login_private.h - the inside of a login, shared by the files behind login.h and by no one else.
//
//   login.c             the machine: made, fed, read, freed
//   login_discovery.c   which authorization server, and which scope
//   login_client.c      who we are there: configured, kept, or registered
//   login_person.c      the page, and the browser that comes back from it
//   login_tokens.c      tokens for a code, or for a refresh token, and tokens given back
//
// Each asks for the next one: what a file is entered by is declared here under its name. A function
// that returns void leaves the machine in its next phase, or over.
#ifndef DEFT_OAUTH_LOGIN_PRIVATE_H
#define DEFT_OAUTH_LOGIN_PRIVATE_H

#include "base/arena.h"
#include "base/fail.h"
#include "oauth/answers.h"
#include "oauth/login.h"
#include "oauth/url.h"

typedef enum deft__oauth_phase {
    DEFT__OAUTH_AT_RESOURCE, // waits for an answer, as do all but the person's
    DEFT__OAUTH_AT_SERVER,
    DEFT__OAUTH_AT_REGISTER,
    DEFT__OAUTH_AT_PERSON,
    DEFT__OAUTH_AT_TOKENS,
    DEFT__OAUTH_AT_REVOKE,
    DEFT__OAUTH_AT_END
} deft__oauth_phase;

struct deft__oauth {
    const deft_allocator *allocator;
    deft__arena           arena; // options, and what documents say
    deft__oauth_options   options;
    deft__kept_login      login; // as it comes together
    deft__kept_login      kept;  // what options.kept points to, if it does
    deft__oauth_resource  resource;
    deft__oauth_server    server;

    deft__oauth_phase at;
    unsigned          attempt;       // of the places where a document may be
    bool              is_old;        // 2025-03-26: no metadata of the resource
    bool              is_local;      // the server is on this machine, so others may be
    bool              is_unscoped;   // registered without a scope
    bool              is_refused;    // deft__oauth_failure()
    deft__kept_text   revoked;       // which token is being given back
    bool              has_failed;    // then `error` says why
    deft_buffer       url;           // of the request, or the page
    deft_buffer       body;          // of the request: a secret
    deft_buffer       authorization; // the same
    deft_buffer       scope;         // that is asked for
    deft_buffer       verifier;      // of PKCE: a secret
    deft_buffer       state;         // that the browser must bring back: a secret
    deft_buffer       secret;        // of the configured client
    deft_error        error;
};

// login.c: the end, with a sentence. Of a stranger's address only the origin is told.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void deft__oauth_fail(deft__oauth *oauth, const char *format, ...);
void        deft__oauth_fail_memory(deft__oauth *oauth);
const char *deft__oauth_show_origin(deft__quoted *quoted, deft_view url);

// login.c: the request is written to `url`, `body` and `authorization` after clearing them; then it is
// the next step, if there was memory for it and it may be sent.
void deft__oauth_clear_request(deft__oauth *oauth);
void deft__oauth_send(deft__oauth *oauth, deft__oauth_phase at);

// login_discovery.c
void deft__oauth_ask_resource(deft__oauth *oauth);
void deft__oauth_take_resource(deft__oauth *oauth, int status, deft_view body);
void deft__oauth_take_server(deft__oauth *oauth, int status, deft_view body);

// login_client.c
void deft__oauth_choose_client(deft__oauth *oauth);
void deft__oauth_take_client(deft__oauth *oauth, int status, deft_view body);

// login_person.c, and deft__oauth_redirected()
void deft__oauth_ask_person(deft__oauth *oauth);

// login_tokens.c
void deft__oauth_ask_tokens(deft__oauth *oauth, deft_view code);
void deft__oauth_ask_renewal(deft__oauth *oauth);
void deft__oauth_take_tokens(deft__oauth *oauth, int status, deft_view body);
void deft__oauth_ask_revocation(deft__oauth *oauth);
void deft__oauth_take_revocation(deft__oauth *oauth, int status, deft_view body);

#endif
