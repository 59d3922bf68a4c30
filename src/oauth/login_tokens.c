#include "http/base64.h"
#include "oauth/login_private.h"

#include <string.h>

#define REFUSAL_SIZE_MAX 4096u

// --- The form. ------------------------------------------------------------------------------------

static void add(deft__oauth *oauth, const char *name, deft_view value)
{
    deft__oauth_form_add(&oauth->body, 0, name, value);
}

static void add_kept(deft__oauth *oauth, const char *name, deft__kept_text text)
{
    if (oauth->login.texts[text].size > 0) {
        add(oauth, name, deft__kept_get(&oauth->login, text));
    }
}

// Who we are, as the client's method has it.
static void add_client(deft__oauth *oauth)
{
    deft_buffer pair;
    if (oauth->login.method != DEFT__OAUTH_METHOD_BASIC) {
        add_kept(oauth, "client_id", DEFT__KEPT_CLIENT_ID);
    }
    if (oauth->login.method == DEFT__OAUTH_METHOD_POST) {
        add_kept(oauth, "client_secret", DEFT__KEPT_CLIENT_SECRET);
    } else if (oauth->login.method == DEFT__OAUTH_METHOD_BASIC) {
        deft_buffer_init(&pair, oauth->allocator);
        deft_buffer_reserve(&pair, 3 * (oauth->login.texts[DEFT__KEPT_CLIENT_ID].size +
                                        oauth->login.texts[DEFT__KEPT_CLIENT_SECRET].size) +
                                       1);
        deft__oauth_escape(&pair, deft__kept_get(&oauth->login, DEFT__KEPT_CLIENT_ID));
        deft_buffer_append_byte(&pair, ':');
        deft__oauth_escape(&pair, deft__kept_get(&oauth->login, DEFT__KEPT_CLIENT_SECRET));
        deft_buffer_reserve(&oauth->authorization, 2 * pair.size + 16);
        deft_buffer_append_text(&oauth->authorization, "Basic ");
        deft__base64_write(&oauth->authorization, deft_buffer_view(&pair));
        oauth->authorization.status =
            pair.status != DEFT_OK ? pair.status : oauth->authorization.status;
        deft__kept_wipe(&pair);
    }
}

static void begin_form(deft__oauth *oauth, deft__kept_text place, deft_view code)
{
    size_t size = code.size + oauth->verifier.size + oauth->options.redirect_uri.size + 100;
    for (size_t i = 0; i < DEFT__KEPT_TEXT_COUNT; i++) {
        size += oauth->login.texts[i].size;
    }
    deft__oauth_clear_request(oauth);
    // In one piece, to leave no copies behind, however much is escaped.
    deft_buffer_reserve(&oauth->body, 3 * size);
    deft_buffer_append(&oauth->url, deft__kept_get(&oauth->login, place));
}

// --- Tokens. --------------------------------------------------------------------------------------

void deft__oauth_ask_tokens(deft__oauth *oauth, deft_view code)
{
    begin_form(oauth, DEFT__KEPT_TOKEN_ENDPOINT, code);
    add(oauth, "grant_type", deft_view_of("authorization_code"));
    add(oauth, "code", code);
    add(oauth, "redirect_uri", oauth->options.redirect_uri);
    add(oauth, "code_verifier", deft_buffer_view(&oauth->verifier));
    add_kept(oauth, "resource", DEFT__KEPT_RESOURCE);
    add_client(oauth);
    deft__oauth_send(oauth, DEFT__OAUTH_AT_TOKENS);
}

void deft__oauth_ask_renewal(deft__oauth *oauth)
{
    begin_form(oauth, DEFT__KEPT_TOKEN_ENDPOINT, deft_view_of(NULL));
    add(oauth, "grant_type", deft_view_of("refresh_token"));
    add_kept(oauth, "refresh_token", DEFT__KEPT_REFRESH_TOKEN);
    add_kept(oauth, "resource", DEFT__KEPT_RESOURCE);
    add_client(oauth);
    deft__oauth_send(oauth, DEFT__OAUTH_AT_TOKENS);
}

// Whether any of our secrets stands in what a server says.
static bool has_secret(const deft__oauth *oauth, deft_view body)
{
    static const deft__kept_text secrets[] = {DEFT__KEPT_CLIENT_SECRET, DEFT__KEPT_ACCESS_TOKEN,
                                              DEFT__KEPT_REFRESH_TOKEN};
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        const deft_view secret = deft__kept_get(&oauth->login, secrets[i]);
        for (size_t at = 0; secret.size > 0 && at + secret.size <= body.size; at++) {
            if (memcmp(body.data + at, secret.data, secret.size) == 0) {
                return true;
            }
        }
    }
    return false;
}

// What it says when it says no; nothing of it where it repeats a secret, or is longer than that is looked
// for: refusals are short.
static void describe(const deft__oauth *oauth, int status, deft_view body, deft_error *said)
{
    const bool is_shown = body.size <= REFUSAL_SIZE_MAX && !has_secret(oauth, body);
    (void)deft__oauth_describe(status, is_shown ? body : deft_view_of(NULL), "", oauth->allocator,
                               said);
}

void deft__oauth_take_tokens(deft__oauth *oauth, int status, deft_view body)
{
    deft_error   said = DEFT_ERROR_INIT;
    deft__quoted name;
    if (status != 200) {
        describe(oauth, status, body, &said);
        oauth->is_refused = status >= 400 && status < 500 && status != 408 && status != 429;
        deft__oauth_fail(oauth, "%s gave no token: %s",
                         deft__oauth_show_origin(
                             &name, deft__kept_get(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT)),
                         said.message);
        return;
    }
    const deft_status read =
        deft__oauth_read_tokens(body, oauth->options.now_s, &oauth->login, &said);
    if (read == DEFT_OUT_OF_MEMORY) {
        deft__oauth_fail_memory(oauth);
    } else if (read != DEFT_OK) {
        deft__oauth_fail(oauth, "the answer of %s %s",
                         deft__oauth_show_origin(
                             &name, deft__kept_get(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT)),
                         said.message);
    } else {
        deft__kept_wipe(&oauth->login.texts[DEFT__KEPT_WANTED]);
        oauth->at = DEFT__OAUTH_AT_END;
    }
}

// --- Tokens that are given back. ------------------------------------------------------------------

static void revoke(deft__oauth *oauth, deft__kept_text token)
{
    oauth->revoked = token;
    begin_form(oauth, DEFT__KEPT_REVOCATION_ENDPOINT, deft_view_of(NULL));
    add_kept(oauth, "token", token);
    add(oauth, "token_type_hint",
        deft_view_of(token == DEFT__KEPT_REFRESH_TOKEN ? "refresh_token" : "access_token"));
    add_client(oauth);
    deft__oauth_send(oauth, DEFT__OAUTH_AT_REVOKE);
}

void deft__oauth_ask_revocation(deft__oauth *oauth)
{
    // The one that lasts first: whoever takes it back ends what came from it, too, as a rule.
    revoke(oauth, oauth->login.texts[DEFT__KEPT_REFRESH_TOKEN].size > 0 ? DEFT__KEPT_REFRESH_TOKEN
                                                                        : DEFT__KEPT_ACCESS_TOKEN);
}

void deft__oauth_take_revocation(deft__oauth *oauth, int status, deft_view body)
{
    deft_error   said = DEFT_ERROR_INIT;
    deft__quoted name;
    // A token that is not known there is revoked already: that is no failure (RFC 7009, section 2.2).
    if ((status < 200 || status > 299) && oauth->error.status == DEFT_OK) {
        describe(oauth, status, body, &said);
        (void)deft__fail(&oauth->error, DEFT_INVALID, 0, "%s did not revoke the %s token: %s",
                         deft__oauth_show_origin(&name, deft_buffer_view(&oauth->url)),
                         oauth->revoked == DEFT__KEPT_REFRESH_TOKEN ? "refresh" : "access",
                         said.message);
    }
    if (oauth->revoked == DEFT__KEPT_REFRESH_TOKEN &&
        oauth->login.texts[DEFT__KEPT_ACCESS_TOKEN].size > 0) {
        revoke(oauth, DEFT__KEPT_ACCESS_TOKEN);
    } else {
        oauth->at         = DEFT__OAUTH_AT_END;
        oauth->has_failed = oauth->error.status != DEFT_OK;
    }
}
