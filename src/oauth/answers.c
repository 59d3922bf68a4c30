#include "oauth/answers.h"

#include "base/fail.h"
#include "http/syntax.h"
#include "http/target.h"
#include "oauth/scope.h"
#include "oauth/url.h"
#include "json/reader.h"

// Longer than any lifetime that means something, and safe to add to a time.
#define LIFETIME_MAX_S (100u * 365 * 24 * 60 * 60)

#define QUERY_SIZE_MAX 8192u

static deft_status parse(deft__json *document, deft_view body, deft_error *error)
{
    const deft__json_limits limits = {
        .size_max = DEFT__OAUTH_ANSWER_SIZE_MAX, .depth_max = 32, .tokens_max = 16384};
    const deft_status status = deft__json_parse(document, body, &limits, NULL);
    if (status == DEFT_OUT_OF_MEMORY) {
        return deft__fail_memory(error);
    }
    if (status != DEFT_OK || !deft__json_is(deft__json_root(document), DEFT__JSON_OBJECT)) {
        return deft__fail(error, DEFT_INVALID, 0, "is not a JSON object");
    }
    return DEFT_OK;
}

// A text of at most `size_max` visible ASCII characters, into `arena`; empty where there is none of
// that kind. False: no memory.
static bool copy_text(deft__json_value value, size_t size_max, deft__arena *arena, deft_view *text)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, arena->allocator);
    const deft_view said  = deft__json_string(value, &scratch);
    const bool      is_ok = said.size > 0 && said.size <= size_max;
    bool            fits  = scratch.status == DEFT_OK;
    for (size_t i = 0; is_ok && i < said.size; i++) {
        if (said.data[i] < 0x21 || said.data[i] > 0x7e) {
            deft_buffer_clear(&scratch);
            *text = deft_view_of(NULL);
            return fits;
        }
    }
    *text = deft_view_of(NULL);
    fits  = fits && (!is_ok || deft__arena_copy(arena, said, text));
    deft_buffer_clear(&scratch);
    return fits;
}

// --- Metadata. ------------------------------------------------------------------------------------

// Every word of an array, as one text.
static bool copy_scopes(deft__json_value array, deft__arena *arena, deft_view *scopes)
{
    deft_buffer set;
    deft_buffer scratch;
    deft_buffer_init(&set, arena->allocator);
    deft_buffer_init(&scratch, arena->allocator);
    deft__json_iterator i = deft__json_iterate(array);
    while (deft__json_is(array, DEFT__JSON_ARRAY) && deft__json_next(&i)) {
        deft_buffer_reset(&scratch);
        deft__oauth_scope_add(&set, deft__json_string(i.value, &scratch));
    }
    const bool is_copied = set.status == DEFT_OK && scratch.status == DEFT_OK &&
                           deft__arena_copy(arena, deft_buffer_view(&set), scopes);
    deft_buffer_clear(&set);
    deft_buffer_clear(&scratch);
    return is_copied;
}

static deft__json_value first_of(deft__json_value array)
{
    deft__json_iterator i = deft__json_iterate(array);
    if (deft__json_is(array, DEFT__JSON_ARRAY) && deft__json_next(&i)) {
        return i.value;
    }
    return (deft__json_value){0};
}

deft_status deft__oauth_read_resource(deft_view body, deft__arena *arena,
                                      deft__oauth_resource *resource, deft_error *error)
{
    deft__json           document;
    deft__oauth_resource read = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    deft__json_init(&document, arena->allocator);
    deft_status status = parse(&document, body, error);
    if (status == DEFT_OK) {
        const deft__json_value root    = deft__json_root(&document);
        const deft__json_value servers = deft__json_member(root, "authorization_servers");
        if (!copy_text(deft__json_member(root, "resource"), DEFT__OAUTH_URL_SIZE_MAX, arena,
                       &read.resource) ||
            (deft__json_count(servers) > 0 &&
             !copy_text(first_of(servers), DEFT__OAUTH_URL_SIZE_MAX, arena, &read.issuer)) ||
            !copy_scopes(deft__json_member(root, "scopes_supported"), arena, &read.scopes)) {
            status = deft__fail_memory(error);
        } else if (read.resource.size == 0) {
            status = deft__fail(error, DEFT_INVALID, 0, "does not say which resource it is of");
        } else if (read.issuer.size == 0) {
            status = deft__fail(error, DEFT_INVALID, 0, "names no authorization server");
        } else {
            *resource = read;
        }
    }
    deft__json_clear(&document);
    return status;
}

static bool array_has(deft__json_value array, const char *text)
{
    deft__json_iterator i = deft__json_iterate(array);
    while (deft__json_is(array, DEFT__JSON_ARRAY) && deft__json_next(&i)) {
        if (deft__json_string_equals(i.value, deft_view_of(text))) {
            return true;
        }
    }
    return false;
}

static unsigned methods_of(deft__json_value array)
{
    unsigned methods = 0;
    if (!deft__json_is(array, DEFT__JSON_ARRAY)) {
        return 1u << DEFT__OAUTH_METHOD_BASIC; // as RFC 8414 has it
    }
    for (unsigned i = DEFT__OAUTH_METHOD_NONE; i <= DEFT__OAUTH_METHOD_POST; i++) {
        if (array_has(array, deft__oauth_method_name((deft__oauth_method)i))) {
            methods |= 1u << i;
        }
    }
    return methods;
}

static deft_status read_server(deft__json_value root, deft__arena *arena,
                               deft__oauth_server *server, deft_error *error)
{
    const struct {
        const char *name;
        deft_view  *text;
        bool        is_needed;
    } texts[] = {
        {"issuer", &server->issuer, true},
        {"authorization_endpoint", &server->authorization_endpoint, true},
        {"token_endpoint", &server->token_endpoint, true},
        {"registration_endpoint", &server->registration_endpoint, false},
        {"revocation_endpoint", &server->revocation_endpoint, false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!copy_text(deft__json_member(root, texts[i].name), DEFT__OAUTH_URL_SIZE_MAX, arena,
                       texts[i].text)) {
            return deft__fail_memory(error);
        }
        if (texts[i].is_needed && texts[i].text->size == 0) {
            return deft__fail(error, DEFT_INVALID, 0, "has no %s", texts[i].name);
        }
    }
    server->methods = methods_of(deft__json_member(root, "token_endpoint_auth_methods_supported"));
    server->has_s256 =
        array_has(deft__json_member(root, "code_challenge_methods_supported"), "S256");
    server->has_offline_access =
        array_has(deft__json_member(root, "scopes_supported"), "offline_access");
    server->names_itself = deft__json_is(
        deft__json_member(root, "authorization_response_iss_parameter_supported"), DEFT__JSON_TRUE);
    server->reads_client_ids = deft__json_is(
        deft__json_member(root, "client_id_metadata_document_supported"), DEFT__JSON_TRUE);
    return DEFT_OK;
}

deft_status deft__oauth_read_server(deft_view body, deft__arena *arena, deft__oauth_server *server,
                                    deft_error *error)
{
    deft__json         document;
    deft__oauth_server read = {.methods = 0};
    deft__json_init(&document, arena->allocator);
    deft_status status = parse(&document, body, error);
    if (status == DEFT_OK) {
        status = read_server(deft__json_root(&document), arena, &read, error);
    }
    if (status == DEFT_OK) {
        *server = read;
    }
    deft__json_clear(&document);
    return status;
}

// --- Clients and tokens. --------------------------------------------------------------------------

typedef enum taken {
    TAKEN,
    TAKEN_NONE,
    TAKEN_BAD, // no text, too long, or with characters that it must not have
    TAKEN_NO_MEMORY
} taken;

// A member that is a secret, or may go into a header.
static taken take(deft__json_value value, char from, size_t size_max, deft__kept_login *login,
                  deft__kept_text text)
{
    deft_buffer scratch;
    taken       result = TAKEN;
    if (deft__json_is(value, DEFT__JSON_NONE) || deft__json_is(value, DEFT__JSON_NULL)) {
        return TAKEN_NONE;
    }
    deft_buffer_init(&scratch, login->texts[0].allocator);
    const deft_view said = deft__json_string(value, &scratch);
    for (size_t i = 0; i < said.size; i++) {
        result = said.data[i] < from || said.data[i] > 0x7e ? TAKEN_BAD : result;
    }
    if (scratch.status != DEFT_OK) {
        result = TAKEN_NO_MEMORY;
    } else if (said.size == 0 || said.size > size_max) {
        result = TAKEN_BAD;
    } else if (result == TAKEN && !deft__kept_set(login, text, said)) {
        result = TAKEN_NO_MEMORY;
    }
    deft__kept_wipe(&scratch);
    return result;
}

static deft_status read_client(deft__json_value root, deft__kept_login *login, deft_error *error)
{
    deft_buffer scratch;
    const taken id = take(deft__json_member(root, "client_id"), 0x21, DEFT__OAUTH_TOKEN_SIZE_MAX,
                          login, DEFT__KEPT_CLIENT_ID);
    deft__kept_wipe(&login->texts[DEFT__KEPT_CLIENT_SECRET]);
    const taken secret = take(deft__json_member(root, "client_secret"), 0x20,
                              DEFT__OAUTH_TOKEN_SIZE_MAX, login, DEFT__KEPT_CLIENT_SECRET);
    if (id == TAKEN_NO_MEMORY || secret == TAKEN_NO_MEMORY) {
        return deft__fail_memory(error);
    }
    if (id != TAKEN || secret == TAKEN_BAD) {
        return deft__fail(error, DEFT_INVALID, 0, "has no usable %s",
                          id != TAKEN ? "client_id" : "client_secret");
    }
    login->client_expires_at_s = 0;
    (void)deft__json_uint64(deft__json_member(root, "client_secret_expires_at"),
                            &login->client_expires_at_s);
    deft_buffer_init(&scratch, login->texts[0].allocator);
    const deft__json_value method = deft__json_member(root, "token_endpoint_auth_method");
    const bool             is_known =
        !deft__json_is(method, DEFT__JSON_STRING) ||
        deft__oauth_method_read(deft__json_string(method, &scratch), &login->method);
    deft_buffer_clear(&scratch);
    if (!is_known) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "wants a token_endpoint_auth_method that deft does not know");
    }
    if (login->method != DEFT__OAUTH_METHOD_NONE && secret != TAKEN) {
        return deft__fail(error, DEFT_INVALID, 0, "has no client_secret, and wants one");
    }
    return DEFT_OK;
}

deft_status deft__oauth_read_client(deft_view body, deft__kept_login *login, deft_error *error)
{
    deft__json document;
    deft__json_init(&document, login->texts[0].allocator);
    deft_status status = parse(&document, body, error);
    if (status == DEFT_OK) {
        status = read_client(deft__json_root(&document), login, error);
    }
    deft__json_clear(&document);
    return status;
}

static deft_status read_tokens(deft__json_value root, uint64_t now_s, deft__kept_login *login,
                               deft_error *error)
{
    deft_buffer scratch;
    uint64_t    lifetime_s = 0;
    deft_buffer_init(&scratch, login->texts[0].allocator);
    const bool is_bearer = deft__http_same_text(
        deft__json_string(deft__json_member(root, "token_type"), &scratch), "Bearer");
    deft_buffer_clear(&scratch);
    if (!is_bearer) {
        return deft__fail(error, DEFT_INVALID, 0, "holds no token of the type Bearer");
    }
    const taken access = take(deft__json_member(root, "access_token"), 0x21,
                              DEFT__OAUTH_TOKEN_SIZE_MAX, login, DEFT__KEPT_ACCESS_TOKEN);
    const taken renew  = take(deft__json_member(root, "refresh_token"), 0x20,
                              DEFT__OAUTH_TOKEN_SIZE_MAX, login, DEFT__KEPT_REFRESH_TOKEN);
    const taken scope  = login->texts[DEFT__KEPT_SCOPE].size > 0
                             ? TAKEN_NONE
                             : take(deft__json_member(root, "scope"), 0x20,
                                    DEFT__OAUTH_SCOPE_SIZE_MAX, login, DEFT__KEPT_SCOPE);
    if (access == TAKEN_NO_MEMORY || renew == TAKEN_NO_MEMORY || scope == TAKEN_NO_MEMORY) {
        return deft__fail_memory(error);
    }
    if (access != TAKEN || renew == TAKEN_BAD) {
        return deft__fail(error, DEFT_INVALID, 0, "holds no usable %s",
                          access != TAKEN ? "access_token" : "refresh_token");
    }
    login->expires_at_s = 0;
    if (deft__json_uint64(deft__json_member(root, "expires_in"), &lifetime_s) == DEFT_OK &&
        lifetime_s > 0) {
        login->expires_at_s = now_s + (lifetime_s < LIFETIME_MAX_S ? lifetime_s : LIFETIME_MAX_S);
    }
    return DEFT_OK;
}

deft_status deft__oauth_read_tokens(deft_view body, uint64_t now_s, deft__kept_login *login,
                                    deft_error *error)
{
    deft__json document;
    deft__json_init(&document, login->texts[0].allocator);
    deft_status status = parse(&document, body, error);
    if (status == DEFT_OK) {
        status = read_tokens(deft__json_root(&document), now_s, login, error);
    }
    deft__json_clear(&document);
    return status;
}

bool deft__oauth_describe(int status, deft_view body, const char *code,
                          const deft_allocator *allocator, deft_error *error)
{
    deft__json   document;
    deft_buffer  scratch;
    deft__quoted first;
    deft__quoted second;
    bool         is_it = false;
    deft__json_init(&document, allocator);
    deft_buffer_init(&scratch, allocator);
    (void)deft__fail(error, DEFT_INVALID, 0, "HTTP %d", status);
    if (parse(&document, body, NULL) == DEFT_OK) {
        const deft__json_value root   = deft__json_root(&document);
        const deft__json_value reason = deft__json_member(root, "error");
        const deft_view        said   = deft__json_string(reason, &scratch);
        is_it                         = deft_view_equals(said, code);
        if (said.size > 0) {
            deft__quote(&first, said);
            deft_buffer_reset(&scratch);
            const deft_view more =
                deft__json_string(deft__json_member(root, "error_description"), &scratch);
            (void)deft__fail(error, DEFT_INVALID, 0, "HTTP %d: %s%s%s", status, first.text,
                             more.size > 0 ? ", " : "", deft__quote(&second, more));
        }
    }
    deft__json_clear(&document);
    deft_buffer_clear(&scratch);
    return is_it;
}

// --- The redirect. --------------------------------------------------------------------------------

deft_status deft__oauth_read_redirect(deft_view query, deft__arena *arena,
                                      deft__oauth_redirect *redirect, deft_error *error)
{
    deft__oauth_redirect read = {.has_issuer = false};
    struct {
        const char *name;
        deft_view  *text;
        bool        is_there;
    } texts[] = {
        {"code", &read.code, false},
        {"state", &read.state, false},
        {"iss", &read.issuer, false},
        {"error", &read.error, false},
        {"error_description", &read.description, false},
    };
    deft_view   name;
    deft_view   value;
    deft_buffer plain;
    deft_status status = DEFT_OK;
    if (query.size > QUERY_SIZE_MAX) {
        return deft__fail(error, DEFT_LIMIT, 0, "is longer than %u bytes", QUERY_SIZE_MAX);
    }
    deft_buffer_init(&plain, arena->allocator);
    while (status == DEFT_OK && deft__http_query_next(&query, &name, &value)) {
        for (size_t i = 0; status == DEFT_OK && i < sizeof texts / sizeof texts[0]; i++) {
            if (!deft_view_equals(name, texts[i].name)) {
                continue;
            }
            deft_buffer_reset(&plain);
            if (texts[i].is_there) {
                status = deft__fail(error, DEFT_INVALID, 0, "has '%s' twice", texts[i].name);
            } else {
                status = deft__http_unescape_query(&plain, value, error);
            }
            texts[i].is_there = true;
            if (status == DEFT_OK &&
                !deft__arena_copy(arena, deft_buffer_view(&plain), texts[i].text)) {
                status = deft__fail_memory(error);
            }
        }
    }
    deft__kept_wipe(&plain);
    if (status == DEFT_OK) {
        read.has_issuer = texts[2].is_there;
        *redirect       = read;
    }
    return status;
}
