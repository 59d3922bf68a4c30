// login.h - `deft login SERVER`: asks the server what it wants, talks to its authorization server, sends
// a person to a page and waits until the browser comes back. The login is then kept in the file of
// logins, where gateways find it.
#ifndef DEFT_SERVE_LOGIN_H
#define DEFT_SERVE_LOGIN_H

#include "serve/serve.h"

typedef struct deft__login_options {
    const deft__serve_options *serve;  // config, environment, logins, note
    deft_view                  server; // by name
    deft_view                  scope;  // wins over the configuration's; empty: that counts
    deft_view                  client_id;
    uint64_t                   timeout_ms; // for the person; 0: 600,000
    // Where the address at which the browser ended up is typed in, a line of a descriptor; else -1.
    int paste;
    // Show this page to a person. Once.
    void (*show)(void *context, deft_view url);
    void *context;
} deft__login_options;

// DEFT_NOT_FOUND: no such server. DEFT_CONFLICT: it needs no login, or has other credentials. Otherwise
// the message says what went wrong.
deft_status deft__serve_login(const deft__login_options *options, deft_error *error);

// Forgets the login of a server, and the client that was registered for it. DEFT_NOT_FOUND: there is no
// such server, or nothing was kept.
deft_status deft__serve_logout(const deft__serve_options *options, deft_view server,
                               deft_error *error);

#endif
