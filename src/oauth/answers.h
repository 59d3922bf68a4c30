// answers.h - the documents of a login, read: what a server says of itself (RFC 9728), what an
// authorization server does (RFC 8414, OpenID Connect Discovery), a registered client (RFC 7591) and
// tokens (RFC 6749). All of it is a stranger's text: types and sizes are checked, and addresses are
// not yet safe to use.
#ifndef DEFT_OAUTH_ANSWERS_H
#define DEFT_OAUTH_ANSWERS_H

#include "base/arena.h"
#include "deft/error.h"
#include "oauth/kept.h"

// Bytes of any of these documents. The largest seen is a twentieth of it.
#define DEFT__OAUTH_ANSWER_SIZE_MAX (256u * 1024)
// Of one token, or secret, or id.
#define DEFT__OAUTH_TOKEN_SIZE_MAX (16u * 1024)

typedef struct deft__oauth_resource {
    deft_view resource; // never empty, as is the next
    deft_view issuer;   // the first of authorization_servers
    deft_view scopes;   // scopes_supported, as one text
} deft__oauth_resource;

// Texts are in `arena`. DEFT_INVALID with a clause: "is not JSON".
deft_status deft__oauth_read_resource(deft_view body, deft__arena *arena,
                                      deft__oauth_resource *resource, deft_error *error);

typedef struct deft__oauth_server {
    deft_view issuer;
    deft_view authorization_endpoint;
    deft_view token_endpoint;
    deft_view registration_endpoint; // empty: it registers nobody
    deft_view revocation_endpoint;   // empty: it takes no token back
    unsigned  methods;               // bits of 1 << deft__oauth_method
    bool      has_s256;              // code_challenge_methods_supported
    bool      has_offline_access;    // scopes_supported
    bool      names_itself;          // authorization_response_iss_parameter_supported
    bool      reads_client_ids;      // client_id_metadata_document_supported
} deft__oauth_server;

deft_status deft__oauth_read_server(deft_view body, deft__arena *arena, deft__oauth_server *server,
                                    deft_error *error);

// Into the client's texts of `login`; its method stays what it was unless the answer names one.
deft_status deft__oauth_read_client(deft_view body, deft__kept_login *login, deft_error *error);

// Into tokens and expiry of `login`. A refresh token that the answer lacks stays as it was, and so does a
// scope: what was asked for counts, unless nothing was.
deft_status deft__oauth_read_tokens(deft_view body, uint64_t now_s, deft__kept_login *login,
                                    deft_error *error);

// What an endpoint says when it says no: "HTTP 400: invalid_grant, the token is used up", cleaned and
// cut. True: `error` of the answer is `code`.
bool deft__oauth_describe(int status, deft_view body, const char *code,
                          const deft_allocator *allocator, deft_error *error);

// The parameters with which the browser comes back.
typedef struct deft__oauth_redirect {
    deft_view code; // empty where it is not there, as are the others
    deft_view state;
    deft_view issuer;
    deft_view error;
    deft_view description;
    bool      has_issuer;
} deft__oauth_redirect;

// Texts are in `arena`. DEFT_INVALID: malformed, too long, or a parameter is there twice.
deft_status deft__oauth_read_redirect(deft_view query, deft__arena *arena,
                                      deft__oauth_redirect *redirect, deft_error *error);

#endif
