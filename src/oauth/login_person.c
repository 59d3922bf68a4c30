#include "crypto/digest.h"
#include "oauth/login_private.h"

static void add_parameter(deft__oauth *oauth, size_t start, const char *name, deft_view value)
{
    deft__oauth_form_add(&oauth->url, start, name, value);
}

void deft__oauth_ask_person(deft__oauth *oauth)
{
    deft__digest digest;
    deft_buffer  challenge;
    deft__oauth_clear_request(oauth);
    const deft_view page = oauth->server.authorization_endpoint;
    deft_buffer_append(&oauth->url, page);
    deft_buffer_append_byte(&oauth->url,
                            page.size > 0 && memchr(page.data, '?', page.size) != NULL ? '&' : '?');
    const size_t start = oauth->url.size;
    deft_buffer_init(&challenge, oauth->allocator);
    if (!deft__sha256(deft_buffer_view(&oauth->verifier), &digest)) {
        deft__oauth_fail_memory(oauth);
        return;
    }
    deft__oauth_base64url(&challenge,
                          deft_view_make((const char *)digest.bytes, sizeof digest.bytes));
    add_parameter(oauth, start, "response_type", deft_view_of("code"));
    add_parameter(oauth, start, "client_id", deft__kept_get(&oauth->login, DEFT__KEPT_CLIENT_ID));
    add_parameter(oauth, start, "redirect_uri", oauth->options.redirect_uri);
    add_parameter(oauth, start, "code_challenge", deft_buffer_view(&challenge));
    add_parameter(oauth, start, "code_challenge_method", deft_view_of("S256"));
    add_parameter(oauth, start, "state", deft_buffer_view(&oauth->state));
    add_parameter(oauth, start, "resource", deft__kept_get(&oauth->login, DEFT__KEPT_RESOURCE));
    if (oauth->scope.size > 0) {
        add_parameter(oauth, start, "scope", deft_buffer_view(&oauth->scope));
    }
    if (oauth->server.has_offline_access && oauth->scope.size > 0) {
        // OpenID Connect, section 11: without it offline_access is to be ignored.
        add_parameter(oauth, start, "prompt", deft_view_of("consent"));
    }
    oauth->url.status = challenge.status != DEFT_OK ? challenge.status : oauth->url.status;
    deft_buffer_clear(&challenge);
    if (oauth->url.status != DEFT_OK) {
        deft__oauth_fail_memory(oauth);
    } else {
        // The address was checked with the others of its document.
        oauth->at = DEFT__OAUTH_AT_PERSON;
    }
}

// RFC 9207: an `iss` that is there must be the one, letter for letter, and one that was promised must be
// there. What else the answer says is not even shown then.
static bool is_from_issuer(deft__oauth *oauth, const deft__oauth_redirect *redirect)
{
    if (!redirect->has_issuer && oauth->server.names_itself) {
        deft__oauth_fail(
            oauth, "the answer does not say who it is from (iss), although that was promised; it "
                   "may be forged, and nothing was sent");
        return false;
    }
    if (redirect->has_issuer && !deft_view_equal(redirect->issuer, oauth->server.issuer)) {
        deft__oauth_fail(
            oauth, "the answer is from another authorization server than the one that was asked "
                   "(iss); nothing was sent");
        return false;
    }
    return true;
}

static void take_redirect(deft__oauth *oauth, const deft__oauth_redirect *redirect)
{
    deft__quoted first;
    deft__quoted second;
    if (!is_from_issuer(oauth, redirect)) {
        return;
    }
    if (redirect->error.size > 0) {
        deft__oauth_fail(oauth, "the login was refused: %s%s%s",
                         deft__quote(&first, redirect->error),
                         redirect->description.size > 0 ? ", " : "",
                         deft__quote(&second, redirect->description));
    } else if (redirect->code.size == 0) {
        deft__oauth_fail(oauth, "the answer holds neither a code nor an error");
    } else {
        deft__oauth_ask_tokens(oauth, redirect->code);
    }
}

bool deft__oauth_redirected(deft__oauth *oauth, deft_view query)
{
    deft__oauth_redirect redirect;
    deft__arena          arena; // of its own: anybody may come any number of times
    deft__arena_init(&arena, oauth->allocator);
    const bool is_ours = oauth->at == DEFT__OAUTH_AT_PERSON &&
                         deft__oauth_read_redirect(query, &arena, &redirect, NULL) == DEFT_OK &&
                         deft__same_secret(redirect.state, deft_buffer_view(&oauth->state));
    if (is_ours) {
        take_redirect(oauth, &redirect);
    }
    deft__arena_clear(&arena);
    return is_ours;
}
