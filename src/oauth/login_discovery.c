#include "http/challenge.h"
#include "http/syntax.h"
#include "oauth/login_private.h"
#include "oauth/scope.h"

// --- The authorization server. --------------------------------------------------------------------

static bool bearer_of(deft_view challenges, deft__http_challenge *challenge)
{
    while (deft__http_challenge_next(&challenges, challenge) == DEFT_OK) {
        if (deft__http_same_text(challenge->scheme, "Bearer")) {
            return true;
        }
    }
    return false;
}

static void choose_scope(deft__oauth *oauth)
{
    const deft__oauth_options *options = &oauth->options;
    deft__http_challenge       challenge;
    deft_buffer                named;
    deft_buffer                cause;
    deft_buffer_init(&named, oauth->allocator);
    deft_buffer_init(&cause, oauth->allocator);
    if (bearer_of(options->challenge, &challenge)) {
        (void)deft__http_challenge_parameter(&challenge, "scope", &named);
        (void)deft__http_challenge_parameter(&challenge, "error", &cause);
    }
    const bool is_more = deft_view_equals(deft_buffer_view(&cause), "insufficient_scope");
    deft__oauth_scope_add(&oauth->scope, options->scope);
    if ((options->scope.size == 0 || is_more) && options->kept != NULL &&
        deft_view_equal(deft__kept_get(options->kept, DEFT__KEPT_ISSUER), oauth->server.issuer)) {
        // What was asked for before is not lost when more is asked for.
        deft__oauth_scope_add(&oauth->scope, deft__kept_get(options->kept, DEFT__KEPT_SCOPE));
    }
    if (options->scope.size == 0 || is_more) {
        deft__oauth_scope_add(&oauth->scope,
                              named.size > 0 ? deft_buffer_view(&named) : oauth->resource.scopes);
    }
    if (oauth->scope.size > 0 && oauth->server.has_offline_access) {
        deft__oauth_scope_add(&oauth->scope, deft_view_of("offline_access"));
    }
    if (named.status != DEFT_OK || cause.status != DEFT_OK || oauth->scope.status != DEFT_OK ||
        !deft__kept_set(&oauth->login, DEFT__KEPT_SCOPE, deft_buffer_view(&oauth->scope))) {
        deft__oauth_fail_memory(oauth);
    }
    deft_buffer_clear(&named);
    deft_buffer_clear(&cause);
}

// Everything is known of it: on to the client.
static void use_server(deft__oauth *oauth)
{
    const deft__oauth_server *server   = &oauth->server;
    const deft_view           places[] = {server->authorization_endpoint, server->token_endpoint,
                                          server->registration_endpoint};
    deft__quoted              name;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].size > 0 && !deft__oauth_url_is_safe(places[i], oauth->is_local)) {
            deft__oauth_fail(oauth,
                             "the login leads to '%s', which is neither https nor on this machine",
                             deft__quote(&name, places[i]));
            return;
        }
    }
    if (!server->has_s256) {
        deft__oauth_fail(oauth,
                         "%s does not offer PKCE with S256, without which a code could be stolen",
                         deft__oauth_show_origin(&name, server->issuer));
        return;
    }
    // Without it a login is as good; it only cannot be taken back.
    const deft_view revocation =
        deft__oauth_url_is_safe(server->revocation_endpoint, oauth->is_local)
            ? server->revocation_endpoint
            : deft_view_of(NULL);
    choose_scope(oauth);
    if (oauth->at != DEFT__OAUTH_AT_END &&
        (!deft__kept_set(&oauth->login, DEFT__KEPT_RESOURCE, oauth->resource.resource) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_ISSUER, server->issuer) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT, server->token_endpoint) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_REVOCATION_ENDPOINT, revocation) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_REDIRECT, oauth->options.redirect_uri))) {
        deft__oauth_fail_memory(oauth);
    }
    if (oauth->at != DEFT__OAUTH_AT_END) {
        deft__oauth_choose_client(oauth);
    }
}

// The places of a document, in the order of the specification; false: there are no more.
static bool write_server_place(deft__oauth *oauth, unsigned attempt)
{
    static const struct {
        deft__oauth_known place;
        const char       *name;
    } places[] = {
        {DEFT__OAUTH_KNOWN_INSERTED, "oauth-authorization-server"},
        {DEFT__OAUTH_KNOWN_INSERTED, "openid-configuration"},
        {DEFT__OAUTH_KNOWN_APPENDED, "openid-configuration"},
    };
    const deft_view issuer = oauth->resource.issuer;
    const unsigned  count  = oauth->is_old ? 1 : deft__oauth_url_has_path(issuer) ? 3 : 2;
    if (attempt >= count) {
        return false;
    }
    deft__oauth_url_write_known(issuer, places[attempt].place, places[attempt].name, &oauth->url);
    return true;
}

// 2025-03-26: where nothing is said, the endpoints are at the root.
static void use_default_server(deft__oauth *oauth)
{
    static const char *const paths[]  = {"/authorize", "/token", "/register"};
    deft_view *const         places[] = {&oauth->server.authorization_endpoint,
                                         &oauth->server.token_endpoint,
                                         &oauth->server.registration_endpoint};
    deft_buffer              url;
    bool                     is_written = true;
    deft_buffer_init(&url, oauth->allocator);
    oauth->server = (deft__oauth_server){.issuer  = oauth->resource.issuer,
                                         .methods = 1u << DEFT__OAUTH_METHOD_NONE |
                                                    1u << DEFT__OAUTH_METHOD_BASIC |
                                                    1u << DEFT__OAUTH_METHOD_POST,
                                         .has_s256 = true};
    for (size_t i = 0; is_written && i < 3; i++) {
        deft_buffer_reset(&url);
        deft_buffer_append(&url, oauth->resource.issuer);
        deft_buffer_append_text(&url, paths[i]);
        is_written = url.status == DEFT_OK &&
                     deft__arena_copy(&oauth->arena, deft_buffer_view(&url), places[i]);
    }
    deft_buffer_clear(&url);
    if (is_written) {
        use_server(oauth);
    } else {
        deft__oauth_fail_memory(oauth);
    }
}

static void ask_server(deft__oauth *oauth)
{
    deft__quoted name;
    deft__oauth_clear_request(oauth);
    if (write_server_place(oauth, oauth->attempt)) {
        deft__oauth_send(oauth, DEFT__OAUTH_AT_SERVER);
    } else if (oauth->is_old) {
        use_default_server(oauth);
    } else {
        deft__oauth_fail(
            oauth,
            "the authorization server '%s' does not say how it works: it has no metadata at "
            "any of the places where they belong",
            deft__quote(&name, oauth->resource.issuer));
    }
}

static bool is_its_name(const deft__oauth *oauth)
{
    const deft_view said = oauth->server.issuer;
    const deft_view used = oauth->resource.issuer;
    // Nobody named the issuer of an old server: it is the origin, with or without a slash.
    return deft_view_equal(said, used) ||
           (oauth->is_old && said.size == used.size + 1 && deft_view_starts_with(said, used) &&
            said.data[used.size] == '/');
}

void deft__oauth_take_server(deft__oauth *oauth, int status, deft_view body)
{
    deft_error   said = DEFT_ERROR_INIT;
    deft__quoted name;
    deft__quoted other;
    if (status != 200) {
        oauth->attempt++;
        ask_server(oauth);
        return;
    }
    const deft_status read = deft__oauth_read_server(body, &oauth->arena, &oauth->server, &said);
    if (read == DEFT_OUT_OF_MEMORY) {
        deft__oauth_fail_memory(oauth);
    } else if (read != DEFT_OK) {
        oauth->attempt++; // a page for people, most often, that stands at every address
        ask_server(oauth);
    } else if (!is_its_name(oauth)) {
        deft__oauth_fail(oauth, "the metadata of '%s' are those of '%s', and were not used",
                         deft__quote(&name, oauth->resource.issuer),
                         deft__quote(&other, oauth->server.issuer));
    } else {
        use_server(oauth);
    }
}

// --- The server. ----------------------------------------------------------------------------------

static void go_old(deft__oauth *oauth)
{
    const deft_view endpoint = oauth->options.endpoint;
    oauth->is_old            = true;
    oauth->attempt           = 0;
    oauth->resource =
        (deft__oauth_resource){.resource = endpoint, .issuer = deft__oauth_url_origin(endpoint)};
    ask_server(oauth);
}

static bool write_resource_place(deft__oauth *oauth)
{
    const deft_view      endpoint = oauth->options.endpoint;
    deft__http_challenge challenge;
    if (bearer_of(oauth->options.challenge, &challenge) &&
        deft__http_challenge_parameter(&challenge, "resource_metadata", &oauth->url)) {
        return oauth->attempt == 0;
    }
    if (oauth->attempt == 0 && deft__oauth_url_has_path(endpoint)) {
        deft__oauth_url_write_known(endpoint, DEFT__OAUTH_KNOWN_INSERTED,
                                    "oauth-protected-resource", &oauth->url);
        return true;
    }
    deft__oauth_url_write_known(endpoint, DEFT__OAUTH_KNOWN_ROOT, "oauth-protected-resource",
                                &oauth->url);
    return oauth->attempt < (deft__oauth_url_has_path(endpoint) ? 2u : 1u);
}

void deft__oauth_ask_resource(deft__oauth *oauth)
{
    deft__oauth_clear_request(oauth);
    if (write_resource_place(oauth)) {
        deft__oauth_send(oauth, DEFT__OAUTH_AT_RESOURCE);
    } else {
        go_old(oauth);
    }
}

void deft__oauth_take_resource(deft__oauth *oauth, int status, deft_view body)
{
    deft_error           said = DEFT_ERROR_INIT;
    deft__quoted         name;
    deft__http_challenge challenge;
    deft_buffer          named;
    deft_buffer_init(&named, oauth->allocator);
    const bool is_named = bearer_of(oauth->options.challenge, &challenge) &&
                          deft__http_challenge_parameter(&challenge, "resource_metadata", &named);
    deft_buffer_clear(&named);
    const deft_status read =
        status == 200 ? deft__oauth_read_resource(body, &oauth->arena, &oauth->resource, &said)
                      : deft__fail(&said, DEFT_NOT_FOUND, 0, "could not be had (HTTP %d)", status);
    if (read == DEFT_OUT_OF_MEMORY) {
        deft__oauth_fail_memory(oauth);
    } else if (read != DEFT_OK && is_named) {
        deft__oauth_fail(oauth, "what the server says about logins, at %s, %s",
                         deft__oauth_show_origin(&name, deft_buffer_view(&oauth->url)),
                         said.message);
    } else if (read != DEFT_OK) {
        oauth->attempt++;
        deft__oauth_ask_resource(oauth);
    } else if (!deft__oauth_url_covers(oauth->resource.resource, oauth->options.endpoint)) {
        deft__oauth_fail(
            oauth,
            "the server says that it is '%s', which it is not: a token for that must not be "
            "sent to it",
            deft__quote(&name, oauth->resource.resource));
    } else {
        oauth->attempt = 0;
        ask_server(oauth);
    }
}
