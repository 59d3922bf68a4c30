#include "oauth/login_private.h"
#include "json/writer.h"

static void use_client(deft__oauth *oauth, deft_view id, deft_view secret,
                       deft__oauth_method method)
{
    oauth->login.method              = method;
    oauth->login.is_registered       = false;
    oauth->login.client_expires_at_s = 0;
    if (!deft__kept_set(&oauth->login, DEFT__KEPT_CLIENT_ID, id) ||
        !deft__kept_set(&oauth->login, DEFT__KEPT_CLIENT_SECRET, secret)) {
        deft__oauth_fail_memory(oauth);
    } else {
        deft__oauth_ask_person(oauth);
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
        deft__oauth_fail(oauth,
                         "%s takes no client secret, neither as client_secret_basic nor as "
                         "client_secret_post; leave clientSecret out",
                         deft__oauth_show_origin(&name, oauth->server.issuer));
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
    deft__oauth_clear_request(oauth);
    // A program on someone's machine keeps no secret well, so we ask for none where that is allowed.
    oauth->login.method = takes(oauth, DEFT__OAUTH_METHOD_NONE)    ? DEFT__OAUTH_METHOD_NONE
                          : takes(oauth, DEFT__OAUTH_METHOD_BASIC) ? DEFT__OAUTH_METHOD_BASIC
                          : takes(oauth, DEFT__OAUTH_METHOD_POST)  ? DEFT__OAUTH_METHOD_POST
                                                                   : DEFT__OAUTH_METHOD_NONE;
    deft_buffer_append(&oauth->url, oauth->server.registration_endpoint);
    deft__json_writer_init(&json, &oauth->body);
    write_registration(oauth, &json);
    deft__oauth_send(oauth, DEFT__OAUTH_AT_REGISTER);
}

void deft__oauth_take_client(deft__oauth *oauth, int status, deft_view body)
{
    deft_error   said = DEFT_ERROR_INIT;
    deft__quoted name;
    const char  *who = deft__oauth_show_origin(&name, oauth->server.registration_endpoint);
    if (status == 400 && oauth->scope.size > 0 && !oauth->is_unscoped) {
        // Some want to know the scope beforehand; others know none but their own.
        oauth->is_unscoped = true;
        register_client(oauth);
        return;
    }
    if (status != 201 && status != 200) {
        (void)deft__oauth_describe(status, body, "", oauth->allocator, &said);
        deft__oauth_fail(
            oauth, "%s does not register deft: %s; register it there yourself and set clientId",
            who, said.message);
        return;
    }
    const deft_status read     = deft__oauth_read_client(body, &oauth->login, &said);
    oauth->login.is_registered = true;
    if (read == DEFT_OUT_OF_MEMORY) {
        deft__oauth_fail_memory(oauth);
    } else if (read != DEFT_OK) {
        deft__oauth_fail(oauth, "the registration at %s %s", who, said.message);
    } else {
        deft__oauth_ask_person(oauth);
    }
}

static bool is_first_use(const deft__oauth *oauth)
{
    const deft__kept_login *kept = oauth->options.kept;
    return kept == NULL || deft__kept_get(kept, DEFT__KEPT_ISSUER).size == 0 ||
           deft_view_equal(deft__kept_get(kept, DEFT__KEPT_ISSUER), oauth->server.issuer);
}

void deft__oauth_choose_client(deft__oauth *oauth)
{
    const deft__oauth_options *options = &oauth->options;
    deft__quoted               name;
    const char                *who = deft__oauth_show_origin(&name, oauth->server.issuer);
    if (options->client_id.size > 0 && options->issuer.size > 0 &&
        !deft_view_equal(options->issuer, oauth->server.issuer)) {
        deft__oauth_fail(oauth,
                         "the server now wants logins from %s, and its clientId is configured for "
                         "another issuer",
                         who);
    } else if (options->client_id.size > 0 && options->issuer.size == 0 && !is_first_use(oauth)) {
        // A client of one authorization server is not to be shown to another, whoever says so.
        deft__oauth_fail(
            oauth,
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
        deft__oauth_fail(
            oauth,
            "%s registers no clients: register deft there yourself, and set clientId at the "
            "server's oauth",
            who);
    }
}
