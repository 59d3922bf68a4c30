// kept.h - what is kept of a login, and the text that it is kept in. There is one entry for each server,
// found by the URL that the configuration has for it; a token in it is for that server and no other.
//
//     {"version": 1, "logins": [{"endpoint": "https://...", "issuer": ..., "accessToken": ...}]}
//
// Secrets are overwritten before their memory is given back.
#ifndef DEFT_OAUTH_KEPT_H
#define DEFT_OAUTH_KEPT_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "json/reader.h"

#include <stdint.h>

// Bytes of the whole text: some thousand logins.
#define DEFT__KEPT_SIZE_MAX (4u * 1024 * 1024)

// How we prove to an authorization server who we are.
typedef enum deft__oauth_method {
    DEFT__OAUTH_METHOD_NONE, // by our id alone
    DEFT__OAUTH_METHOD_BASIC,
    DEFT__OAUTH_METHOD_POST
} deft__oauth_method;

const char *deft__oauth_method_name(deft__oauth_method method); // "client_secret_basic"
// False: none that we know.
bool deft__oauth_method_read(deft_view name, deft__oauth_method *method);

typedef enum deft__kept_text {
    DEFT__KEPT_ENDPOINT, // the server's URL: the key
    DEFT__KEPT_WANTED,   // the last challenge that has not been met: a WWW-Authenticate header
    DEFT__KEPT_RESOURCE, // what the token is for, as the server calls itself
    DEFT__KEPT_ISSUER,   // who gave it
    DEFT__KEPT_TOKEN_ENDPOINT,
    DEFT__KEPT_REVOCATION_ENDPOINT, // empty: there is none
    DEFT__KEPT_CLIENT_ID,
    DEFT__KEPT_CLIENT_SECRET,
    DEFT__KEPT_REDIRECT,      // that the client was registered with
    DEFT__KEPT_SCOPE,         // that was asked for, and given
    DEFT__KEPT_ACCESS_TOKEN,  // empty: there is no login
    DEFT__KEPT_REFRESH_TOKEN, // empty: none was given
    DEFT__KEPT_TEXT_COUNT
} deft__kept_text;

typedef struct deft__kept_login {
    deft_buffer        texts[DEFT__KEPT_TEXT_COUNT];
    deft__oauth_method method;
    bool               is_registered;       // the client, by us; otherwise it was configured
    uint64_t           client_expires_at_s; // since 1970; 0: never
    uint64_t           expires_at_s;        // the access token; 0: nobody said
} deft__kept_login;

void deft__kept_init(deft__kept_login *login, const deft_allocator *allocator);
void deft__kept_clear(deft__kept_login *login);

deft_view deft__kept_get(const deft__kept_login *login, deft__kept_text text);
// Replaces a text; the old one is overwritten. False: no memory.
bool deft__kept_set(deft__kept_login *login, deft__kept_text text, deft_view value);
bool deft__kept_copy(deft__kept_login *to, const deft__kept_login *from); // false: no memory

// Forgets the tokens, and who gave them; `wanted` and the client stay.
void deft__kept_drop_tokens(deft__kept_login *login);

// The entry for `endpoint` in `text`. DEFT_NOT_FOUND: there is none. DEFT_INVALID: the text is not of
// this kind, or of a newer deft; the message is a clause behind the file's name.
deft_status deft__kept_find(deft_view text, deft_view endpoint, deft__kept_login *login,
                            deft_error *error);

// Appends `text` with this entry in the place of the one for its endpoint. With `login` NULL the one
// for `endpoint` is left out. An empty text is one without entries. DEFT_INVALID as above;
// DEFT_LIMIT: it would be larger than DEFT__KEPT_SIZE_MAX.
deft_status deft__kept_replace(deft_view text, deft_view endpoint, const deft__kept_login *login,
                               deft_buffer *out, deft_error *error);

// Overwrites a buffer's bytes and gives its memory back.
void deft__kept_wipe(deft_buffer *buffer);

#endif
