// login.h - `deft login SERVER`: asks the server what it wants, talks to its authorization server, sends
// a person to a page and waits until the browser comes back. The login is then kept in the file of
// logins, where gateways find it.
#ifndef DEFT_SERVE_LOGIN_H
#define DEFT_SERVE_LOGIN_H

#include "io/loop.h"
#include "serve/serve.h"
#include "transport/fetch.h"

typedef enum deft__login_keyring {
    DEFT__KEYRING_AS_IT_IS, // the file stays what it is
    DEFT__KEYRING_USED,
    DEFT__KEYRING_UNUSED
} deft__login_keyring;

typedef struct deft__login_options {
    const deft__serve_options *serve;  // config, environment, logins, note
    deft_view                  server; // by name
    deft_view                  scope;  // wins over the configuration's; empty: that counts
    deft_view                  client_id;
    uint64_t                   timeout_ms; // for the person; 0: 600,000
    // Where the address at which the browser ended up is typed in, a line of a descriptor; else -1.
    int paste;
    // What is kept is sealed with a key of the system's keyring, where there is one; or is not.
    deft__login_keyring keyring;
    // Show this page to a person. Once.
    void (*show)(void *context, deft_view url);
    void *context;
} deft__login_options;

// DEFT_NOT_FOUND: no such server. DEFT_CONFLICT: it needs no login, or has other credentials. Otherwise
// the message says what went wrong.
deft_status deft__serve_login(const deft__login_options *options, deft_error *error);

// Forgets the login of a server, and the client that was registered for it; then its authorization
// server is told that the tokens are not good any more. Where that does not come about a note says so
// (`note` of the options), and the login is forgotten all the same. DEFT_NOT_FOUND: there is no such
// server, or nothing was kept.
deft_status deft__serve_logout(const deft__serve_options *options, deft_view server,
                               deft_error *error);

// --- For both, in login.c. ---

// The server of that name, where one can log in to it. Failures as above.
deft_status deft__login_find_server(const deft_config *config, deft_view name,
                                    const deft_server_config **server, deft_error *error);
// What its authorization server is asked with; `server_ca` is the server's own file of certificates, or
// empty. New: free it. NULL on failure.
deft__fetcher *deft__login_fetcher(deft__loop *loop, const deft__serve_options *options,
                                   deft_view server_ca, deft_error *error);

#endif
