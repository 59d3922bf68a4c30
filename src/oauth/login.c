#include "oauth/login.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/memory.h"
#include "crypto/digest.h"
#include "http/base64.h"
#include "http/challenge.h"
#include "http/syntax.h"
#include "oauth/answers.h"
#include "oauth/scope.h"
#include "oauth/url.h"
#include "json/writer.h"

#include <stdio.h>

typedef enum phase {
    PHASE_RESOURCE, // each of these waits for an answer
    PHASE_SERVER,
    PHASE_REGISTER,
    PHASE_PERSON,
    PHASE_TOKENS,
    PHASE_OVER
} phase;

struct deft__oauth {
    const deft_allocator *allocator;
    deft__arena           arena; // options, and what documents say
    deft__oauth_options   options;
    deft__kept_login      login; // as it comes together
    deft__kept_login      kept;  // what options.kept points to, if it does
    deft__oauth_resource  resource;
    deft__oauth_server    server;

    phase       at;
    unsigned    attempt;       // of the places where a document may be
    bool        is_old;        // 2025-03-26: no metadata of the resource
    bool        is_renewal;    //
    bool        is_local;      // the server is on this machine, so others may be
    bool        is_unscoped;   // registered without a scope
    bool        is_refused;    //
    bool        has_failed;    //
    deft_buffer url;           // of the request, or the page
    deft_buffer body;          // of the request: a secret
    deft_buffer authorization; // the same
    deft_buffer scope;         // that is asked for
    deft_buffer verifier;      // secrets, both
    deft_buffer state;         //
    deft_buffer secret;        // of the configured client
    deft_error  error;
};

// --- The end. -------------------------------------------------------------------------------------

static void fail_for_memory(deft__oauth *oauth)
{
    (void)deft__fail_memory(&oauth->error);
    oauth->at         = PHASE_OVER;
    oauth->has_failed = true;
}

// Where `name` stands for a place of a stranger's, only its origin is told.
#define FAIL(oauth, ...)                                                                           \
    do {                                                                                           \
        (void)deft__fail(&(oauth)->error, DEFT_INVALID, 0, __VA_ARGS__);                           \
        (oauth)->at         = PHASE_OVER;                                                          \
        (oauth)->has_failed = true;                                                                \
    } while (0)

static const char *show_origin(deft__quoted *quoted, deft_view url)
{
    return deft__quote(quoted, deft__oauth_url_origin(url));
}

// --- Requests. ------------------------------------------------------------------------------------

static void clear_request(deft__oauth *oauth)
{
    deft__kept_wipe(&oauth->url);
    deft__kept_wipe(&oauth->body);
    deft__kept_wipe(&oauth->authorization);
}

// The next step is the request that was written, if there was memory for it and it may be sent.
static void request(deft__oauth *oauth, phase at)
{
    deft__quoted name;
    if (oauth->url.status != DEFT_OK || oauth->body.status != DEFT_OK ||
        oauth->authorization.status != DEFT_OK) {
        fail_for_memory(oauth);
    } else if (!deft__oauth_url_is_safe(deft_buffer_view(&oauth->url), oauth->is_local)) {
        FAIL(oauth, "the login leads to '%s', which is neither https nor on this machine",
             deft__quote(&name, deft_buffer_view(&oauth->url)));
    } else {
        oauth->at = at;
    }
}

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

static void begin_form(deft__oauth *oauth, deft_view code)
{
    size_t size = code.size + oauth->verifier.size + oauth->options.redirect_uri.size + 100;
    for (size_t i = 0; i < DEFT__KEPT_TEXT_COUNT; i++) {
        size += oauth->login.texts[i].size;
    }
    clear_request(oauth);
    // In one piece, to leave no copies behind, however much is escaped.
    deft_buffer_reserve(&oauth->body, 3 * size);
    deft_buffer_append(&oauth->url, deft__kept_get(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT));
}

// --- The last step: tokens. -----------------------------------------------------------------------

static void ask_for_tokens(deft__oauth *oauth, deft_view code)
{
    begin_form(oauth, code);
    add(oauth, "grant_type", deft_view_of("authorization_code"));
    add(oauth, "code", code);
    add(oauth, "redirect_uri", oauth->options.redirect_uri);
    add(oauth, "code_verifier", deft_buffer_view(&oauth->verifier));
    add_kept(oauth, "resource", DEFT__KEPT_RESOURCE);
    add_client(oauth);
    request(oauth, PHASE_TOKENS);
}

static void renew(deft__oauth *oauth)
{
    begin_form(oauth, deft_view_of(NULL));
    add(oauth, "grant_type", deft_view_of("refresh_token"));
    add_kept(oauth, "refresh_token", DEFT__KEPT_REFRESH_TOKEN);
    add_kept(oauth, "resource", DEFT__KEPT_RESOURCE);
    add_client(oauth);
    request(oauth, PHASE_TOKENS);
}

static void take_tokens(deft__oauth *oauth, int status, deft_view body)
{
    deft_error   said = DEFT_ERROR_INIT;
    deft__quoted name;
    if (status != 200) {
        (void)deft__oauth_describe(status, body, "", oauth->allocator, &said);
        oauth->is_refused = status >= 400 && status < 500 && status != 408 && status != 429;
        FAIL(oauth, "%s gave no token: %s",
             show_origin(&name, deft__kept_get(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT)),
             said.message);
        return;
    }
    const deft_status read =
        deft__oauth_read_tokens(body, oauth->options.now_s, &oauth->login, &said);
    if (read == DEFT_OUT_OF_MEMORY) {
        fail_for_memory(oauth);
    } else if (read != DEFT_OK) {
        FAIL(oauth, "the answer of %s %s",
             show_origin(&name, deft__kept_get(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT)),
             said.message);
    } else {
        deft__kept_wipe(&oauth->login.texts[DEFT__KEPT_WANTED]);
        oauth->at = PHASE_OVER;
    }
}

// --- The person. ----------------------------------------------------------------------------------

static void add_parameter(deft__oauth *oauth, size_t start, const char *name, deft_view value)
{
    deft__oauth_form_add(&oauth->url, start, name, value);
}

static void ask_person(deft__oauth *oauth)
{
    deft__digest digest;
    deft_buffer  challenge;
    clear_request(oauth);
    const deft_view page = oauth->server.authorization_endpoint;
    deft_buffer_append(&oauth->url, page);
    deft_buffer_append_byte(&oauth->url,
                            page.size > 0 && memchr(page.data, '?', page.size) != NULL ? '&' : '?');
    const size_t start = oauth->url.size;
    deft_buffer_init(&challenge, oauth->allocator);
    if (!deft__sha256(deft_buffer_view(&oauth->verifier), &digest)) {
        fail_for_memory(oauth);
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
        fail_for_memory(oauth);
    } else {
        oauth->at = PHASE_PERSON; // the address was checked with the others of its document
    }
}

// RFC 9207: an `iss` that is there must be the one, letter for letter, and one that was promised must be
// there. What else the answer says is not even shown then.
static bool is_from_issuer(deft__oauth *oauth, const deft__oauth_redirect *redirect)
{
    if (!redirect->has_issuer && oauth->server.names_itself) {
        FAIL(oauth, "the answer does not say who it is from (iss), although that was promised; it "
                    "may be forged, and nothing was sent");
        return false;
    }
    if (redirect->has_issuer && !deft_view_equal(redirect->issuer, oauth->server.issuer)) {
        FAIL(oauth, "the answer is from another authorization server than the one that was asked "
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
        FAIL(oauth, "the login was refused: %s%s%s", deft__quote(&first, redirect->error),
             redirect->description.size > 0 ? ", " : "",
             deft__quote(&second, redirect->description));
    } else if (redirect->code.size == 0) {
        FAIL(oauth, "the answer holds neither a code nor an error");
    } else {
        ask_for_tokens(oauth, redirect->code);
    }
}

bool deft__oauth_redirected(deft__oauth *oauth, deft_view query)
{
    deft__oauth_redirect redirect;
    deft__arena          arena; // of its own: anybody may come any number of times
    deft__arena_init(&arena, oauth->allocator);
    const bool is_ours = oauth->at == PHASE_PERSON &&
                         deft__oauth_read_redirect(query, &arena, &redirect, NULL) == DEFT_OK &&
                         deft__same_secret(redirect.state, deft_buffer_view(&oauth->state));
    if (is_ours) {
        take_redirect(oauth, &redirect);
    }
    deft__arena_clear(&arena);
    return is_ours;
}

// --- The client. ----------------------------------------------------------------------------------

static void use_client(deft__oauth *oauth, deft_view id, deft_view secret,
                       deft__oauth_method method)
{
    oauth->login.method              = method;
    oauth->login.is_registered       = false;
    oauth->login.client_expires_at_s = 0;
    if (!deft__kept_set(&oauth->login, DEFT__KEPT_CLIENT_ID, id) ||
        !deft__kept_set(&oauth->login, DEFT__KEPT_CLIENT_SECRET, secret)) {
        fail_for_memory(oauth);
    } else {
        ask_person(oauth);
    }
}

static bool takes(const deft__oauth *oauth, deft__oauth_method method)
{
    return (oauth->server.methods & 1u << method) != 0;
}

static void use_configured(deft__oauth *oauth)
{
    const deft__oauth_options *options = &oauth->options;
    deft__quoted               name;
    if (options->client_secret.size == 0) {
        use_client(oauth, options->client_id, deft_view_of(NULL), DEFT__OAUTH_METHOD_NONE);
    } else if (takes(oauth, DEFT__OAUTH_METHOD_BASIC)) {
        use_client(oauth, options->client_id, options->client_secret, DEFT__OAUTH_METHOD_BASIC);
    } else if (takes(oauth, DEFT__OAUTH_METHOD_POST)) {
        use_client(oauth, options->client_id, options->client_secret, DEFT__OAUTH_METHOD_POST);
    } else {
        FAIL(oauth,
             "%s takes no client secret, neither as client_secret_basic nor as "
             "client_secret_post; leave clientSecret out",
             show_origin(&name, oauth->server.issuer));
    }
}

// A client that we registered once is good for the same issuer and the same redirect.
static bool has_kept_client(const deft__oauth *oauth)
{
    const deft__kept_login *kept = oauth->options.kept;
    return kept != NULL && kept->is_registered &&
           deft_view_equal(deft__kept_get(kept, DEFT__KEPT_ISSUER), oauth->server.issuer) &&
           deft_view_equal(deft__kept_get(kept, DEFT__KEPT_REDIRECT),
                           oauth->options.redirect_uri) &&
           (kept->client_expires_at_s == 0 || kept->client_expires_at_s > oauth->options.now_s);
}

static void use_kept(deft__oauth *oauth)
{
    const deft__kept_login *kept = oauth->options.kept;
    const uint64_t          ends = kept->client_expires_at_s;
    use_client(oauth, deft__kept_get(kept, DEFT__KEPT_CLIENT_ID),
               deft__kept_get(kept, DEFT__KEPT_CLIENT_SECRET), kept->method);
    oauth->login.is_registered       = true;
    oauth->login.client_expires_at_s = ends;
}

static void write_array(deft__json_writer *json, const char *name, const char *one,
                        const char *other)
{
    deft__json_name(json, name);
    deft__json_begin_array(json);
    deft__json_write_text(json, one);
    if (other != NULL) {
        deft__json_write_text(json, other);
    }
    deft__json_end_array(json);
}

static void write_registration(deft__oauth *oauth, deft__json_writer *json)
{
    deft__json_begin_object(json);
    deft__json_name(json, "client_name");
    deft__json_write_text(json, "deft");
    deft__json_name(json, "application_type");
    deft__json_write_text(json, "native");
    deft__json_name(json, "redirect_uris");
    deft__json_begin_array(json);
    deft__json_write_string(json, oauth->options.redirect_uri);
    deft__json_end_array(json);
    write_array(json, "grant_types", "authorization_code", "refresh_token");
    write_array(json, "response_types", "code", NULL);
    deft__json_name(json, "token_endpoint_auth_method");
    deft__json_write_text(json, deft__oauth_method_name(oauth->login.method));
    if (oauth->scope.size > 0 && !oauth->is_unscoped) {
        deft__json_name(json, "scope");
        deft__json_write_string(json, deft_buffer_view(&oauth->scope));
    }
    deft__json_end_object(json);
}

static void register_client(deft__oauth *oauth)
{
    deft__json_writer json;
    clear_request(oauth);
    // A program on someone's machine keeps no secret well, so we ask for none where that is allowed.
    oauth->login.method = takes(oauth, DEFT__OAUTH_METHOD_NONE)    ? DEFT__OAUTH_METHOD_NONE
                          : takes(oauth, DEFT__OAUTH_METHOD_BASIC) ? DEFT__OAUTH_METHOD_BASIC
                          : takes(oauth, DEFT__OAUTH_METHOD_POST)  ? DEFT__OAUTH_METHOD_POST
                                                                   : DEFT__OAUTH_METHOD_NONE;
    deft_buffer_append(&oauth->url, oauth->server.registration_endpoint);
    deft__json_writer_init(&json, &oauth->body);
    write_registration(oauth, &json);
    request(oauth, PHASE_REGISTER);
}

static void take_client(deft__oauth *oauth, int status, deft_view body)
{
    deft_error   said = DEFT_ERROR_INIT;
    deft__quoted name;
    const char  *who = show_origin(&name, oauth->server.registration_endpoint);
    if (status == 400 && oauth->scope.size > 0 && !oauth->is_unscoped) {
        // Some want to know the scope beforehand; others know none but their own.
        oauth->is_unscoped = true;
        register_client(oauth);
        return;
    }
    if (status != 201 && status != 200) {
        (void)deft__oauth_describe(status, body, "", oauth->allocator, &said);
        FAIL(oauth, "%s does not register deft: %s; register it there yourself and set clientId",
             who, said.message);
        return;
    }
    const deft_status read     = deft__oauth_read_client(body, &oauth->login, &said);
    oauth->login.is_registered = true;
    if (read == DEFT_OUT_OF_MEMORY) {
        fail_for_memory(oauth);
    } else if (read != DEFT_OK) {
        FAIL(oauth, "the registration at %s %s", who, said.message);
    } else {
        ask_person(oauth);
    }
}

static bool is_first_use(const deft__oauth *oauth)
{
    const deft__kept_login *kept = oauth->options.kept;
    return kept == NULL || deft__kept_get(kept, DEFT__KEPT_ISSUER).size == 0 ||
           deft_view_equal(deft__kept_get(kept, DEFT__KEPT_ISSUER), oauth->server.issuer);
}

static void choose_client(deft__oauth *oauth)
{
    const deft__oauth_options *options = &oauth->options;
    deft__quoted               name;
    const char                *who = show_origin(&name, oauth->server.issuer);
    if (options->client_id.size > 0 && options->issuer.size > 0 &&
        !deft_view_equal(options->issuer, oauth->server.issuer)) {
        FAIL(oauth,
             "the server now wants logins from %s, and its clientId is configured for "
             "another issuer",
             who);
    } else if (options->client_id.size > 0 && options->issuer.size == 0 && !is_first_use(oauth)) {
        // A client of one authorization server is not to be shown to another, whoever says so.
        FAIL(oauth,
             "the server now wants logins from %s, and its clientId was used with another "
             "issuer: set oauth.issuer, or forget the old login with 'deft logout'",
             who);
    } else if (options->client_id.size > 0) {
        use_configured(oauth);
    } else if (options->metadata_url.size > 0 && oauth->server.reads_client_ids) {
        use_client(oauth, options->metadata_url, deft_view_of(NULL), DEFT__OAUTH_METHOD_NONE);
    } else if (has_kept_client(oauth)) {
        use_kept(oauth);
    } else if (oauth->server.registration_endpoint.size > 0) {
        register_client(oauth);
    } else {
        FAIL(oauth,
             "%s registers no clients: register deft there yourself, and set clientId at the "
             "server's oauth",
             who);
    }
}

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
        fail_for_memory(oauth);
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
            FAIL(oauth, "the login leads to '%s', which is neither https nor on this machine",
                 deft__quote(&name, places[i]));
            return;
        }
    }
    if (!server->has_s256) {
        FAIL(oauth, "%s does not offer PKCE with S256, without which a code could be stolen",
             show_origin(&name, server->issuer));
        return;
    }
    choose_scope(oauth);
    if (oauth->at != PHASE_OVER &&
        (!deft__kept_set(&oauth->login, DEFT__KEPT_RESOURCE, oauth->resource.resource) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_ISSUER, server->issuer) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_TOKEN_ENDPOINT, server->token_endpoint) ||
         !deft__kept_set(&oauth->login, DEFT__KEPT_REDIRECT, oauth->options.redirect_uri))) {
        fail_for_memory(oauth);
    }
    if (oauth->at != PHASE_OVER) {
        choose_client(oauth);
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
        fail_for_memory(oauth);
    }
}

static void ask_server(deft__oauth *oauth)
{
    deft__quoted name;
    clear_request(oauth);
    if (write_server_place(oauth, oauth->attempt)) {
        request(oauth, PHASE_SERVER);
    } else if (oauth->is_old) {
        use_default_server(oauth);
    } else {
        FAIL(oauth,
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

static void take_server(deft__oauth *oauth, int status, deft_view body)
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
        fail_for_memory(oauth);
    } else if (read != DEFT_OK) {
        oauth->attempt++; // a page for people, most often, that stands at every address
        ask_server(oauth);
    } else if (!is_its_name(oauth)) {
        FAIL(oauth, "the metadata of '%s' are those of '%s', and were not used",
             deft__quote(&name, oauth->resource.issuer), deft__quote(&other, oauth->server.issuer));
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

static void ask_resource(deft__oauth *oauth)
{
    clear_request(oauth);
    if (write_resource_place(oauth)) {
        request(oauth, PHASE_RESOURCE);
    } else {
        go_old(oauth);
    }
}

static void take_resource(deft__oauth *oauth, int status, deft_view body)
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
        fail_for_memory(oauth);
    } else if (read != DEFT_OK && is_named) {
        FAIL(oauth, "what the server says about logins, at %s, %s",
             show_origin(&name, deft_buffer_view(&oauth->url)), said.message);
    } else if (read != DEFT_OK) {
        oauth->attempt++;
        ask_resource(oauth);
    } else if (!deft__oauth_url_covers(oauth->resource.resource, oauth->options.endpoint)) {
        FAIL(oauth,
             "the server says that it is '%s', which it is not: a token for that must not be "
             "sent to it",
             deft__quote(&name, oauth->resource.resource));
    } else {
        oauth->attempt = 0;
        ask_server(oauth);
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
    ask_resource(oauth);
    return oauth;
}

deft__oauth *deft__oauth_new_renewal(const deft__kept_login *login, uint64_t now_s,
                                     const deft_allocator *allocator, deft_error *error)
{
    deft__oauth *oauth = make(allocator, now_s, error);
    if (oauth == NULL) {
        return NULL;
    }
    oauth->is_renewal = true;
    oauth->is_local   = deft__oauth_url_is_loopback(deft__kept_get(login, DEFT__KEPT_ENDPOINT));
    if (!deft__kept_copy(&oauth->login, login)) {
        deft__oauth_free(oauth);
        (void)deft__fail_memory(error);
        return NULL;
    }
    renew(oauth);
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
    } else if (oauth->at == PHASE_OVER) {
        return DEFT__OAUTH_DONE;
    } else {
        return oauth->at == PHASE_PERSON ? DEFT__OAUTH_SHOW : DEFT__OAUTH_FETCH;
    }
}

deft__oauth_request deft__oauth_request_of(const deft__oauth *oauth)
{
    return (deft__oauth_request){
        .is_post       = oauth->at == PHASE_REGISTER || oauth->at == PHASE_TOKENS,
        .url           = deft_buffer_view(&oauth->url),
        .type          = deft_view_of(oauth->at == PHASE_REGISTER ? "application/json"
                                      : oauth->at == PHASE_TOKENS ? "application/x-www-form-urlencoded"
                                                                  : NULL),
        .body          = deft_buffer_view(&oauth->body),
        .authorization = deft_buffer_view(&oauth->authorization),
    };
}

void deft__oauth_answered(deft__oauth *oauth, int status, deft_view body)
{
    switch (oauth->at) {
    case PHASE_RESOURCE:
        take_resource(oauth, status, body);
        break;
    case PHASE_SERVER:
        take_server(oauth, status, body);
        break;
    case PHASE_REGISTER:
        take_client(oauth, status, body);
        break;
    case PHASE_TOKENS:
        take_tokens(oauth, status, body);
        break;
    case PHASE_PERSON:
    case PHASE_OVER:
    default:
        break; // nothing was asked
    }
}

void deft__oauth_unanswered(deft__oauth *oauth, deft_view clause)
{
    deft__quoted name;
    if (oauth->at != PHASE_OVER && oauth->at != PHASE_PERSON) {
        FAIL(oauth, "%s %.*s", show_origin(&name, deft_buffer_view(&oauth->url)), (int)clause.size,
             clause.size > 0 ? clause.data : "");
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
