#include "oauth/login.h"

#include "base/memory.h"
#include "oauth/login_private.h"

#include <stdarg.h>

// --- The end. -------------------------------------------------------------------------------------

void deft__oauth_fail_memory(deft__oauth *oauth)
{
    (void)deft__fail_memory(&oauth->error);
    oauth->at         = DEFT__OAUTH_AT_END;
    oauth->has_failed = true;
}

void deft__oauth_fail(deft__oauth *oauth, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)deft__fail_with(&oauth->error, DEFT_INVALID, 0, format, arguments);
    va_end(arguments);
    oauth->at         = DEFT__OAUTH_AT_END;
    oauth->has_failed = true;
}

const char *deft__oauth_show_origin(deft__quoted *quoted, deft_view url)
{
    return deft__quote(quoted, deft__oauth_url_origin(url));
}

// --- Requests. ------------------------------------------------------------------------------------

void deft__oauth_clear_request(deft__oauth *oauth)
{
    deft__kept_wipe(&oauth->url);
    deft__kept_wipe(&oauth->body);
    deft__kept_wipe(&oauth->authorization);
}

void deft__oauth_send(deft__oauth *oauth, deft__oauth_phase at)
{
    deft__quoted name;
    if (oauth->url.status != DEFT_OK || oauth->body.status != DEFT_OK ||
        oauth->authorization.status != DEFT_OK) {
        deft__oauth_fail_memory(oauth);
    } else if (!deft__oauth_url_is_safe(deft_buffer_view(&oauth->url), oauth->is_local)) {
        deft__oauth_fail(oauth,
                         "the login leads to '%s', which is neither https nor on this machine",
                         deft__quote(&name, deft_buffer_view(&oauth->url)));
    } else {
        oauth->at = at;
    }
}

// --- The machine. ---------------------------------------------------------------------------------

static deft__oauth *make(const deft_allocator *allocator, uint64_t now_s, deft_error *error)
{
    deft__oauth *oauth = deft__new(allocator, sizeof *oauth);
    if (oauth == NULL) {
        (void)deft__fail_memory(error);
        return NULL;
    }
    oauth->allocator     = allocator;
    oauth->options.now_s = now_s;
    deft__arena_init(&oauth->arena, allocator);
    deft__kept_init(&oauth->login, allocator);
    deft__kept_init(&oauth->kept, allocator);
    deft_buffer *const buffers[] = {&oauth->url,   &oauth->body,     &oauth->authorization,
                                    &oauth->scope, &oauth->verifier, &oauth->state,
                                    &oauth->secret};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        deft_buffer_init(buffers[i], allocator);
    }
    return oauth;
}

static bool copy_options(deft__oauth *oauth, const deft__oauth_options *options)
{
    deft__oauth_options *own = &oauth->options;
    *own                     = *options;
    if (!deft__arena_copy(&oauth->arena, options->endpoint, &own->endpoint) ||
        !deft__arena_copy(&oauth->arena, options->challenge, &own->challenge) ||
        !deft__arena_copy(&oauth->arena, options->scope, &own->scope) ||
        !deft__arena_copy(&oauth->arena, options->redirect_uri, &own->redirect_uri) ||
        !deft__arena_copy(&oauth->arena, options->client_id, &own->client_id) ||
        !deft__arena_copy(&oauth->arena, options->issuer, &own->issuer) ||
        !deft__arena_copy(&oauth->arena, options->metadata_url, &own->metadata_url)) {
        return false;
    }
    if (options->kept != NULL) {
        own->kept = &oauth->kept;
        if (!deft__kept_copy(&oauth->kept, options->kept)) {
            return false;
        }
    }
    deft_buffer_reserve(&oauth->secret, options->client_secret.size);
    deft_buffer_append(&oauth->secret, options->client_secret);
    own->client_secret = deft_buffer_view(&oauth->secret);
    deft__oauth_base64url(&oauth->verifier, deft_view_slice(options->random, 0, 32));
    deft__oauth_base64url(&oauth->state, deft_view_slice(options->random, 32, 32));
    own->random = deft_view_of(NULL);
    return oauth->verifier.status == DEFT_OK && oauth->state.status == DEFT_OK &&
           oauth->secret.status == DEFT_OK &&
           deft__kept_set(&oauth->login, DEFT__KEPT_ENDPOINT, options->endpoint);
}

deft__oauth *deft__oauth_new(const deft__oauth_options *options, const deft_allocator *allocator,
                             deft_error *error)
{
    deft__quoted name;
    const bool   is_local = deft__oauth_url_is_loopback(options->endpoint);
    if (!deft__oauth_url_is_safe(options->endpoint, true)) {
        (void)deft__fail(
            error, DEFT_INVALID, 0,
            "a login needs https: a token that is sent to '%s' could be read on the way",
            deft__quote(&name, deft__oauth_url_origin(options->endpoint)));
        return NULL;
    }
    if (options->metadata_url.size > 0 && !(deft__oauth_url_is_safe(options->metadata_url, false) &&
                                            deft__oauth_url_has_path(options->metadata_url))) {
        (void)deft__fail(
            error, DEFT_INVALID, 0,
            "'%s' is no address of a client-id metadata document: it wants https and a "
            "path",
            deft__quote(&name, options->metadata_url));
        return NULL;
    }
    deft__oauth *oauth = make(allocator, options->now_s, error);
    if (oauth == NULL) {
        return NULL;
    }
    oauth->is_local = is_local;
    if (!copy_options(oauth, options)) {
        deft__oauth_free(oauth);
        (void)deft__fail_memory(error);
        return NULL;
    }
    deft__oauth_ask_resource(oauth);
    return oauth;
}

// For a login that is there already.
static deft__oauth *new_for(const deft__kept_login *login, uint64_t now_s,
                            const deft_allocator *allocator, deft_error *error)
{
    deft__oauth *oauth = make(allocator, now_s, error);
    if (oauth == NULL) {
        return NULL;
    }
    oauth->is_local = deft__oauth_url_is_loopback(deft__kept_get(login, DEFT__KEPT_ENDPOINT));
    if (!deft__kept_copy(&oauth->login, login)) {
        deft__oauth_free(oauth);
        (void)deft__fail_memory(error);
        return NULL;
    }
    return oauth;
}

deft__oauth *deft__oauth_new_renewal(const deft__kept_login *login, uint64_t now_s,
                                     const deft_allocator *allocator, deft_error *error)
{
    deft__oauth *oauth = new_for(login, now_s, allocator, error);
    if (oauth != NULL) {
        deft__oauth_ask_renewal(oauth);
    }
    return oauth;
}

deft__oauth *deft__oauth_new_revocation(const deft__kept_login *login,
                                        const deft_allocator *allocator, deft_error *error)
{
    deft__quoted name;
    if (login->texts[DEFT__KEPT_ACCESS_TOKEN].size == 0 &&
        login->texts[DEFT__KEPT_REFRESH_TOKEN].size == 0) {
        (void)deft__fail(error, DEFT_NOT_FOUND, 0, "there are no tokens");
        return NULL;
    }
    if (login->texts[DEFT__KEPT_REVOCATION_ENDPOINT].size == 0) {
        (void)deft__fail(error, DEFT_NOT_FOUND, 0, "%s has no place to revoke tokens",
                         deft__oauth_show_origin(&name, deft__kept_get(login, DEFT__KEPT_ISSUER)));
        return NULL;
    }
    deft__oauth *oauth = new_for(login, 0, allocator, error);
    if (oauth != NULL) {
        deft__oauth_ask_revocation(oauth);
    }
    return oauth;
}

void deft__oauth_free(deft__oauth *oauth)
{
    if (oauth == NULL) {
        return;
    }
    deft_buffer *const buffers[] = {&oauth->url,   &oauth->body,     &oauth->authorization,
                                    &oauth->scope, &oauth->verifier, &oauth->state,
                                    &oauth->secret};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        deft__kept_wipe(buffers[i]);
    }
    deft__kept_clear(&oauth->login);
    deft__kept_clear(&oauth->kept);
    deft__arena_clear(&oauth->arena);
    deft__free(oauth->allocator, oauth, sizeof *oauth);
}

deft__oauth_step deft__oauth_step_of(const deft__oauth *oauth)
{
    if (oauth->has_failed) {
        return DEFT__OAUTH_FAILED;
    } else if (oauth->at == DEFT__OAUTH_AT_END) {
        return DEFT__OAUTH_DONE;
    } else {
        return oauth->at == DEFT__OAUTH_AT_PERSON ? DEFT__OAUTH_SHOW : DEFT__OAUTH_FETCH;
    }
}

deft__oauth_request deft__oauth_request_of(const deft__oauth *oauth)
{
    const bool is_form = oauth->at == DEFT__OAUTH_AT_TOKENS || oauth->at == DEFT__OAUTH_AT_REVOKE;
    return (deft__oauth_request){
        .is_post       = oauth->at == DEFT__OAUTH_AT_REGISTER || is_form,
        .url           = deft_buffer_view(&oauth->url),
        .type          = deft_view_of(oauth->at == DEFT__OAUTH_AT_REGISTER ? "application/json"
                                      : is_form ? "application/x-www-form-urlencoded"
                                                : NULL),
        .body          = deft_buffer_view(&oauth->body),
        .authorization = deft_buffer_view(&oauth->authorization),
    };
}

void deft__oauth_answered(deft__oauth *oauth, int status, deft_view body)
{
    switch (oauth->at) {
    case DEFT__OAUTH_AT_RESOURCE:
        deft__oauth_take_resource(oauth, status, body);
        break;
    case DEFT__OAUTH_AT_SERVER:
        deft__oauth_take_server(oauth, status, body);
        break;
    case DEFT__OAUTH_AT_REGISTER:
        deft__oauth_take_client(oauth, status, body);
        break;
    case DEFT__OAUTH_AT_TOKENS:
        deft__oauth_take_tokens(oauth, status, body);
        break;
    case DEFT__OAUTH_AT_REVOKE:
        deft__oauth_take_revocation(oauth, status, body);
        break;
    case DEFT__OAUTH_AT_PERSON:
    case DEFT__OAUTH_AT_END:
    default:
        break; // nothing was asked
    }
}

void deft__oauth_unanswered(deft__oauth *oauth, deft_view clause)
{
    deft__quoted name;
    if (oauth->at != DEFT__OAUTH_AT_END && oauth->at != DEFT__OAUTH_AT_PERSON) {
        deft__oauth_fail(oauth, "%s %.*s",
                         deft__oauth_show_origin(&name, deft_buffer_view(&oauth->url)),
                         (int)clause.size, clause.size > 0 ? clause.data : "");
    }
}

deft_view deft__oauth_page(const deft__oauth *oauth)
{
    return deft_buffer_view(&oauth->url);
}

const deft__kept_login *deft__oauth_login(const deft__oauth *oauth)
{
    return &oauth->login;
}

const char *deft__oauth_failure(const deft__oauth *oauth, bool *is_refused)
{
    if (is_refused != NULL) {
        *is_refused = oauth->is_refused;
    }
    return oauth->error.message;
}
