#include "oauth/kept.h"

#include "base/fail.h"
#include "crypto/digest.h"
#include "json/writer.h"

#define VERSION 1u

static const char *const names[DEFT__KEPT_TEXT_COUNT] = {
    [DEFT__KEPT_ENDPOINT]            = "endpoint",
    [DEFT__KEPT_WANTED]              = "wanted",
    [DEFT__KEPT_RESOURCE]            = "resource",
    [DEFT__KEPT_ISSUER]              = "issuer",
    [DEFT__KEPT_TOKEN_ENDPOINT]      = "tokenEndpoint",
    [DEFT__KEPT_REVOCATION_ENDPOINT] = "revocationEndpoint",
    [DEFT__KEPT_CLIENT_ID]           = "clientId",
    [DEFT__KEPT_CLIENT_SECRET]       = "clientSecret",
    [DEFT__KEPT_REDIRECT]            = "redirectUri",
    [DEFT__KEPT_SCOPE]               = "scope",
    [DEFT__KEPT_ACCESS_TOKEN]        = "accessToken",
    [DEFT__KEPT_REFRESH_TOKEN]       = "refreshToken",
};

static const char *const method_names[] = {
    [DEFT__OAUTH_METHOD_NONE]  = "none",
    [DEFT__OAUTH_METHOD_BASIC] = "client_secret_basic",
    [DEFT__OAUTH_METHOD_POST]  = "client_secret_post",
};

const char *deft__oauth_method_name(deft__oauth_method method)
{
    return method_names[method];
}

bool deft__oauth_method_read(deft_view name, deft__oauth_method *method)
{
    for (size_t i = 0; i < sizeof method_names / sizeof method_names[0]; i++) {
        if (deft_view_equals(name, method_names[i])) {
            *method = (deft__oauth_method)i;
            return true;
        }
    }
    return false;
}

// --- One login. -----------------------------------------------------------------------------------

void deft__kept_wipe(deft_buffer *buffer)
{
    if (buffer->capacity > 0) {
        deft__wipe(buffer->data, buffer->capacity);
    }
    deft_buffer_clear(buffer);
}

void deft__kept_init(deft__kept_login *login, const deft_allocator *allocator)
{
    *login = (deft__kept_login){.method = DEFT__OAUTH_METHOD_NONE};
    for (size_t i = 0; i < DEFT__KEPT_TEXT_COUNT; i++) {
        deft_buffer_init(&login->texts[i], allocator);
    }
}

void deft__kept_clear(deft__kept_login *login)
{
    for (size_t i = 0; i < DEFT__KEPT_TEXT_COUNT; i++) {
        deft__kept_wipe(&login->texts[i]);
    }
    deft__kept_init(login, login->texts[0].allocator);
}

deft_view deft__kept_get(const deft__kept_login *login, deft__kept_text text)
{
    return deft_buffer_view(&login->texts[text]);
}

bool deft__kept_set(deft__kept_login *login, deft__kept_text text, deft_view value)
{
    deft_buffer  old    = login->texts[text];
    deft_buffer *buffer = &login->texts[text];
    deft_buffer_init(buffer, old.allocator);
    // In one piece: a buffer that grows leaves its old bytes behind.
    deft_buffer_reserve(buffer, value.size);
    deft_buffer_append(buffer, value);
    deft__kept_wipe(&old); // now: `value` may have been part of it
    return buffer->status == DEFT_OK;
}

bool deft__kept_copy(deft__kept_login *to, const deft__kept_login *from)
{
    bool is_copied = true;
    for (size_t i = 0; is_copied && i < DEFT__KEPT_TEXT_COUNT; i++) {
        is_copied =
            deft__kept_set(to, (deft__kept_text)i, deft__kept_get(from, (deft__kept_text)i));
    }
    to->method              = from->method;
    to->is_registered       = from->is_registered;
    to->client_expires_at_s = from->client_expires_at_s;
    to->expires_at_s        = from->expires_at_s;
    return is_copied;
}

void deft__kept_drop_tokens(deft__kept_login *login)
{
    deft__kept_wipe(&login->texts[DEFT__KEPT_ACCESS_TOKEN]);
    deft__kept_wipe(&login->texts[DEFT__KEPT_REFRESH_TOKEN]);
    login->expires_at_s = 0;
}

// --- All of them. ---------------------------------------------------------------------------------

static deft_status parse(deft__json *document, deft_view text, deft__json_value *logins,
                         deft_error *error)
{
    const deft__json_limits limits  = {.size_max = DEFT__KEPT_SIZE_MAX, .depth_max = 16};
    uint64_t                version = 0;
    const deft_status       status  = deft__json_parse(document, text, &limits, error);
    if (status != DEFT_OK) {
        return status;
    }
    const deft__json_value root = deft__json_root(document);
    *logins                     = deft__json_member(root, "logins");
    if (deft__json_uint64(deft__json_member(root, "version"), &version) != DEFT_OK ||
        !deft__json_is(*logins, DEFT__JSON_ARRAY)) {
        return deft__fail(error, DEFT_INVALID, 0, "is not a file of logins");
    }
    if (version != VERSION) {
        return deft__fail(error, DEFT_INVALID, 0, "is of a newer deft, and is left as it is");
    }
    return DEFT_OK;
}

static bool is_for(deft__json_value entry, deft_view endpoint)
{
    return deft__json_string_equals(deft__json_member(entry, names[DEFT__KEPT_ENDPOINT]), endpoint);
}

static deft_status read_entry(deft__json_value entry, deft__kept_login *login)
{
    deft_buffer scratch;
    bool        is_read = true;
    deft_buffer_init(&scratch, login->texts[0].allocator);
    for (size_t i = 0; is_read && i < DEFT__KEPT_TEXT_COUNT; i++) {
        deft_buffer_reset(&scratch);
        const deft_view text = deft__json_string(deft__json_member(entry, names[i]), &scratch);
        is_read = scratch.status == DEFT_OK && deft__kept_set(login, (deft__kept_text)i, text);
    }
    deft__kept_wipe(&scratch);
    if (!is_read) {
        return DEFT_OUT_OF_MEMORY;
    }
    deft_buffer_init(&scratch, login->texts[0].allocator);
    login->method = DEFT__OAUTH_METHOD_NONE;
    (void)deft__oauth_method_read(deft__json_string(deft__json_member(entry, "method"), &scratch),
                                  &login->method);
    deft_buffer_clear(&scratch);
    login->is_registered = deft__json_is(deft__json_member(entry, "registered"), DEFT__JSON_TRUE);
    login->client_expires_at_s = 0;
    login->expires_at_s        = 0;
    (void)deft__json_uint64(deft__json_member(entry, "clientExpiresAt"),
                            &login->client_expires_at_s);
    (void)deft__json_uint64(deft__json_member(entry, "expiresAt"), &login->expires_at_s);
    return DEFT_OK;
}

deft_status deft__kept_find(deft_view text, deft_view endpoint, deft__kept_login *login,
                            deft_error *error)
{
    deft__json       document;
    deft__json_value logins;
    if (text.size == 0) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "holds no login for it");
    }
    deft__json_init(&document, login->texts[0].allocator);
    deft_status status = parse(&document, text, &logins, error);
    if (status == DEFT_OK) {
        status                = DEFT_NOT_FOUND;
        deft__json_iterator i = deft__json_iterate(logins);
        while (status == DEFT_NOT_FOUND && deft__json_next(&i)) {
            status = is_for(i.value, endpoint) ? read_entry(i.value, login) : DEFT_NOT_FOUND;
        }
        if (status == DEFT_NOT_FOUND) {
            (void)deft__fail(error, status, 0, "holds no login for it");
        } else if (status != DEFT_OK) {
            (void)deft__fail_memory(error);
        }
    }
    deft__json_clear(&document);
    return status;
}

static void write_entry(deft__json_writer *json, const deft__kept_login *login)
{
    deft__json_begin_object(json);
    for (size_t i = 0; i < DEFT__KEPT_TEXT_COUNT; i++) {
        if (login->texts[i].size > 0) {
            deft__json_name(json, names[i]);
            deft__json_write_string(json, deft_buffer_view(&login->texts[i]));
        }
    }
    deft__json_name(json, "method");
    deft__json_write_text(json, deft__oauth_method_name(login->method));
    deft__json_name(json, "registered");
    deft__json_write_bool(json, login->is_registered);
    if (login->client_expires_at_s > 0) {
        deft__json_name(json, "clientExpiresAt");
        deft__json_write_uint64(json, login->client_expires_at_s);
    }
    if (login->expires_at_s > 0) {
        deft__json_name(json, "expiresAt");
        deft__json_write_uint64(json, login->expires_at_s);
    }
    deft__json_end_object(json);
}

deft_status deft__kept_replace(deft_view text, deft_view endpoint, const deft__kept_login *login,
                               deft_buffer *out, deft_error *error)
{
    deft__json        document;
    deft__json_writer json;
    deft__json_value  logins = {0};
    deft__json_init(&document, out->allocator);
    const deft_status status = text.size > 0 ? parse(&document, text, &logins, error) : DEFT_OK;
    if (status == DEFT_OK) {
        deft_buffer_reserve(out, text.size + 16u * 1024); // at once, to leave no copies behind
        deft__json_writer_init(&json, out);
        deft__json_begin_object(&json);
        deft__json_name(&json, "version");
        deft__json_write_uint64(&json, VERSION);
        deft__json_name(&json, "logins");
        deft__json_begin_array(&json);
        if (text.size > 0) {
            deft__json_iterator i = deft__json_iterate(logins);
            while (deft__json_next(&i)) {
                if (!is_for(i.value, endpoint)) {
                    deft__json_write_raw(&json, deft__json_raw(i.value));
                }
            }
        }
        if (login != NULL) {
            write_entry(&json, login);
        }
        deft__json_end_array(&json);
        deft__json_end_object(&json);
    }
    deft__json_clear(&document);
    if (status == DEFT_OK && out->status != DEFT_OK) {
        return deft__fail_memory(error);
    }
    if (status == DEFT_OK && out->size >= DEFT__KEPT_SIZE_MAX) { // and a line's end
        return deft__fail(error, DEFT_LIMIT, 0,
                          "would be larger than %u MiB, and is left as it is: end a login first, "
                          "with 'deft logout'",
                          DEFT__KEPT_SIZE_MAX >> 20);
    }
    return status;
}
