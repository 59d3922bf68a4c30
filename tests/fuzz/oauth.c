// Any bytes as every document of a login, as the answer to each of its requests, as the query that a
// browser comes back with, and as the file of logins. Nothing that is shown or sent holds a line end, no
// address that is asked is unsafe, and what was kept is found again.
#include "fuzz/fuzz.h"
#include "oauth/answers.h"
#include "oauth/kept.h"
#include "oauth/login.h"
#include "oauth/scope.h"
#include "oauth/url.h"

static void check_printable(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        check(text.data[i] > 0x20 && text.data[i] < 0x7f);
    }
}

static void check_documents(deft_view text)
{
    deft__arena          arena;
    deft__kept_login     login;
    deft__oauth_resource resource;
    deft__oauth_server   server;
    deft__oauth_redirect redirect;
    deft_error           error = DEFT_ERROR_INIT;
    deft__arena_init(&arena, NULL);
    deft__kept_init(&login, NULL);
    if (deft__oauth_read_resource(text, &arena, &resource, &error) == DEFT_OK) {
        check(resource.resource.size > 0 && resource.issuer.size > 0);
        check_printable(resource.resource);
        check_printable(resource.issuer);
        check(deft__oauth_scope_has_all(resource.scopes, resource.scopes));
    }
    if (deft__oauth_read_server(text, &arena, &server, &error) == DEFT_OK) {
        check_printable(server.issuer);
        check_printable(server.authorization_endpoint);
        check_printable(server.token_endpoint);
        check_printable(server.registration_endpoint);
        check_printable(server.revocation_endpoint);
    }
    if (deft__oauth_read_client(text, &login, &error) == DEFT_OK) {
        check_printable(deft__kept_get(&login, DEFT__KEPT_CLIENT_ID));
    }
    if (deft__oauth_read_tokens(text, 1000, &login, &error) == DEFT_OK) {
        check(deft__kept_get(&login, DEFT__KEPT_ACCESS_TOKEN).size > 0);
        check_printable(deft__kept_get(&login, DEFT__KEPT_ACCESS_TOKEN));
        check(login.expires_at_s == 0 || login.expires_at_s > 1000);
    }
    (void)deft__oauth_describe(400, text, "x", NULL, &error);
    (void)deft__oauth_read_redirect(text, &arena, &redirect, &error);
    deft__kept_clear(&login);
    deft__arena_clear(&arena);
}

static void check_urls(deft_view text)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    if (deft__oauth_url_is_safe(text, false)) {
        check(deft__oauth_url_is_safe(text, true));
        check(deft__oauth_url_covers(text, text));
        check_printable(text);
        deft__oauth_url_write_known(text, DEFT__OAUTH_KNOWN_INSERTED, "x", &out);
        check(deft__oauth_url_covers(deft__oauth_url_origin(text), deft_buffer_view(&out)));
    }
    deft_buffer_clear(&out);
}

// The input is cut at its NULs, and each piece answers one request.
static void check_login(deft_view text)
{
    static const char random[DEFT__OAUTH_RANDOM_SIZE + 1] = "0123456789012345678901234567890123456"
                                                            "789012345678901234567890123";
    deft__oauth_options options                           = {
                                  .endpoint     = DEFT_VIEW_INIT("https://h/mcp"),
                                  .redirect_uri = DEFT_VIEW_INIT("http://127.0.0.1:7/callback"),
                                  .random       = {random, DEFT__OAUTH_RANDOM_SIZE},
                                  .now_s        = 1000,
    };
    const char *end = memchr(text.data, '\0', text.size);
    options.challenge =
        end != NULL ? deft_view_slice(text, 0, (size_t)(end - text.data)) : deft_view_of(NULL);
    text               = deft_view_slice(text, options.challenge.size, text.size);
    deft__oauth *oauth = deft__oauth_new(&options, NULL, NULL);
    check(oauth != NULL);
    for (unsigned steps = 0; steps < 64; steps++) {
        text = deft_view_slice(text, 1, text.size);
        end  = text.size > 0 ? memchr(text.data, '\0', text.size) : NULL;
        const deft_view piece =
            deft_view_slice(text, 0, end != NULL ? (size_t)(end - text.data) : text.size);
        text = deft_view_slice(text, piece.size, text.size);
        if (deft__oauth_step_of(oauth) == DEFT__OAUTH_FETCH) {
            const deft__oauth_request request = deft__oauth_request_of(oauth);
            check(deft__oauth_url_is_safe(request.url, false));
            check(request.authorization.size == 0 || request.is_post);
            deft__oauth_answered(oauth, piece.size > 0 ? 200 : 404, piece);
        } else if (deft__oauth_step_of(oauth) == DEFT__OAUTH_SHOW) {
            check_printable(deft__oauth_page(oauth));
            (void)deft__oauth_redirected(oauth, piece);
            deft__oauth_redirected(
                oauth, deft_view_of("code=c&state=MjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM"));
        } else {
            break;
        }
    }
    deft__oauth_free(oauth);
}

static void check_kept(deft_view text)
{
    deft__kept_login login;
    deft__kept_login again;
    deft_buffer      out;
    deft__kept_init(&login, NULL);
    deft__kept_init(&again, NULL);
    deft_buffer_init(&out, NULL);
    const deft_view endpoint = deft_view_of("https://h/mcp");
    if (deft__kept_find(text, endpoint, &login, NULL) == DEFT_OK) {
        check(deft__kept_replace(text, endpoint, &login, &out, NULL) == DEFT_OK);
        check(deft__kept_find(deft_buffer_view(&out), endpoint, &again, NULL) == DEFT_OK);
        check(login.method == again.method && login.expires_at_s == again.expires_at_s);
        check(deft_view_equal(deft__kept_get(&login, DEFT__KEPT_ENDPOINT),
                              deft__kept_get(&again, DEFT__KEPT_ENDPOINT)));
    }
    deft_buffer_clear(&out);
    deft__kept_clear(&login);
    deft__kept_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view text = deft_view_make((const char *)data, size);
    if (size > 0) {
        check_documents(text);
        check_urls(text);
        check_login(text);
        check_kept(text);
    }
    return 0;
}
