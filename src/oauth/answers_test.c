// The documents of a login, as servers write them and as they should not.
#include "oauth/answers.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

// In all of these ' stands for ".
static deft_view unquote(test_guard *guard, const char *text, deft_buffer *scratch)
{
    deft_buffer_reset(scratch);
    for (; *text != '\0'; text++) {
        deft_buffer_append_byte(scratch, *text == '\'' ? '"' : *text);
    }
    return test_guard_copy(guard, deft_buffer_view(scratch));
}

typedef void (*describe_function)(deft_view body, deft_buffer *out);

static void describe_resource(deft_view body, deft_buffer *out)
{
    deft_error           error = DEFT_ERROR_INIT;
    deft__arena          arena;
    deft__oauth_resource resource;
    deft__arena_init(&arena, NULL);
    if (deft__oauth_read_resource(body, &arena, &resource, &error) == DEFT_OK) {
        deft_buffer_append(out, resource.resource);
        deft_buffer_append_byte(out, '|');
        deft_buffer_append(out, resource.issuer);
        deft_buffer_append_byte(out, '|');
        deft_buffer_append(out, resource.scopes);
    } else {
        deft_buffer_append_text(out, error.message);
    }
    deft__arena_clear(&arena);
}

static void describe_server(deft_view body, deft_buffer *out)
{
    deft_error         error = DEFT_ERROR_INIT;
    deft__arena        arena;
    deft__oauth_server server;
    deft__arena_init(&arena, NULL);
    if (deft__oauth_read_server(body, &arena, &server, &error) == DEFT_OK) {
        deft_buffer_append(out, server.issuer);
        deft_buffer_append_byte(out, '|');
        deft_buffer_append(out, server.registration_endpoint);
        deft_buffer_append_byte(out, '|');
        deft_buffer_append_u64(out, server.methods);
        deft_buffer_append_text(out, server.has_s256 ? " s256" : "");
        deft_buffer_append_text(out, server.has_offline_access ? " offline" : "");
        deft_buffer_append_text(out, server.names_itself ? " iss" : "");
        deft_buffer_append_text(out, server.reads_client_ids ? " cimd" : "");
    } else {
        deft_buffer_append_text(out, error.message);
    }
    deft__arena_clear(&arena);
}

static void describe_client(deft_view body, deft_buffer *out)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    if (deft__oauth_read_client(body, &login, &error) == DEFT_OK) {
        deft_buffer_append(out, deft__kept_get(&login, DEFT__KEPT_CLIENT_ID));
        deft_buffer_append_byte(out, '|');
        deft_buffer_append(out, deft__kept_get(&login, DEFT__KEPT_CLIENT_SECRET));
        deft_buffer_append_byte(out, '|');
        deft_buffer_append_text(out, deft__oauth_method_name(login.method));
        deft_buffer_append_byte(out, '|');
        deft_buffer_append_u64(out, login.client_expires_at_s);
    } else {
        deft_buffer_append_text(out, error.message);
    }
    deft__kept_clear(&login);
}

static void describe_tokens(deft_view body, deft_buffer *out)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    assert_true(deft__kept_set(&login, DEFT__KEPT_REFRESH_TOKEN, deft_view_of("old")));
    if (deft__oauth_read_tokens(body, 1000, &login, &error) == DEFT_OK) {
        deft_buffer_append(out, deft__kept_get(&login, DEFT__KEPT_ACCESS_TOKEN));
        deft_buffer_append_byte(out, '|');
        deft_buffer_append(out, deft__kept_get(&login, DEFT__KEPT_REFRESH_TOKEN));
        deft_buffer_append_byte(out, '|');
        deft_buffer_append(out, deft__kept_get(&login, DEFT__KEPT_SCOPE));
        deft_buffer_append_byte(out, '|');
        deft_buffer_append_u64(out, login.expires_at_s);
    } else {
        deft_buffer_append_text(out, error.message);
    }
    deft__kept_clear(&login);
}

static void describe_refusal(deft_view body, deft_buffer *out)
{
    deft_error error = DEFT_ERROR_INIT;
    const bool is_it = deft__oauth_describe(400, body, "invalid_grant", NULL, &error);
    deft_buffer_append_text(out, error.message);
    deft_buffer_append_text(out, is_it ? "!" : "");
}

static void describe_redirect(deft_view query, deft_buffer *out)
{
    deft_error           error = DEFT_ERROR_INIT;
    deft__arena          arena;
    deft__oauth_redirect redirect;
    deft__arena_init(&arena, NULL);
    if (deft__oauth_read_redirect(query, &arena, &redirect, &error) == DEFT_OK) {
        const deft_view parts[] = {redirect.code, redirect.state, redirect.issuer, redirect.error,
                                   redirect.description};
        for (size_t i = 0; i < array_size(parts); i++) {
            deft_buffer_append_text(out, i > 0 ? "|" : "");
            deft_buffer_append(out, parts[i]);
        }
        deft_buffer_append_text(out, redirect.has_issuer ? " iss" : "");
    } else {
        deft_buffer_append_text(out, error.message);
    }
    deft__arena_clear(&arena);
}

static const struct {
    const char       *name;
    describe_function describe;
    const char       *body;
    const char       *said;
} cases[] = {
    // Protected-resource metadata.
    {"a resource", describe_resource,
     "{'resource':'https://h/mcp','authorization_servers':['https://as','https://b'],"
     "'scopes_supported':['a','b']}",
     "https://h/mcp|https://as|a b"},
    {"no scopes", describe_resource,
     "{'resource':'https://h','authorization_servers':['https://as']}", "https://h|https://as|"},
    {"scopes that are none", describe_resource,
     "{'resource':'https://h','authorization_servers':['https://as'],'scopes_supported':[1,'a b',"
     "null]}",
     "https://h|https://as|a b"},
    {"no resource", describe_resource, "{'authorization_servers':['https://as']}",
     "does not say which resource it is of"},
    {"no authorization server", describe_resource,
     "{'resource':'https://h','authorization_servers':[]}", "names no authorization server"},
    {"an object of authorization servers", describe_resource,
     "{'resource':'https://h','authorization_servers':{'a':'b'}}", "names no authorization server"},
    {"a resource with a line end", describe_resource,
     "{'resource':'https://h\\r\\n','authorization_servers':['https://as']}",
     "does not say which resource it is of"},
    {"an array", describe_resource, "[]", "is not a JSON object"},
    {"a page", describe_resource, "<html>", "is not a JSON object"},
    {"nothing", describe_resource, "", "is not a JSON object"},
    // Authorization-server metadata.
    {"a server", describe_server,
     "{'issuer':'https://as','authorization_endpoint':'https://as/a','token_endpoint':'https://as/"
     "t','registration_endpoint':'https://as/r','code_challenge_methods_supported':['plain',"
     "'S256'],'scopes_supported':['a','offline_access'],"
     "'token_endpoint_auth_methods_supported':['none','client_secret_post','private_key_jwt'],"
     "'authorization_response_iss_parameter_supported':true,"
     "'client_id_metadata_document_supported':true}",
     "https://as|https://as/r|5 s256 offline iss cimd"},
    {"the least of a server", describe_server,
     "{'issuer':'https://as','authorization_endpoint':'https://as/a','token_endpoint':'https://as/"
     "t'}",
     "https://as||2"},
    {"no issuer", describe_server,
     "{'authorization_endpoint':'https://as/a','token_endpoint':'https://as/t'}", "has no issuer"},
    {"no token endpoint", describe_server,
     "{'issuer':'https://as','authorization_endpoint':'https://as/a'}", "has no token_endpoint"},
    {"a token endpoint of the wrong kind", describe_server,
     "{'issuer':'https://as','authorization_endpoint':'https://as/a','token_endpoint':1}",
     "has no token_endpoint"},
    // Registered clients.
    {"a public client", describe_client, "{'client_id':'c'}", "c||none|0"},
    {"a client with a secret", describe_client,
     "{'client_id':'c','client_secret':'s t','token_endpoint_auth_method':'client_secret_basic',"
     "'client_secret_expires_at':5}",
     "c|s t|client_secret_basic|5"},
    {"a secret that is not wanted", describe_client,
     "{'client_id':'c','client_secret':'s','token_endpoint_auth_method':'none'}", "c|s|none|0"},
    {"no id", describe_client, "{'client_secret':'s'}", "has no usable client_id"},
    {"an id with a blank", describe_client, "{'client_id':'a b'}", "has no usable client_id"},
    {"an empty secret", describe_client, "{'client_id':'c','client_secret':''}",
     "has no usable client_secret"},
    {"no secret where one is wanted", describe_client,
     "{'client_id':'c','token_endpoint_auth_method':'client_secret_post'}",
     "has no client_secret, and wants one"},
    {"a method that is not known", describe_client,
     "{'client_id':'c','token_endpoint_auth_method':'private_key_jwt'}",
     "wants a token_endpoint_auth_method that deft does not know"},
    // Tokens.
    {"a token", describe_tokens, "{'access_token':'t','token_type':'bearer'}", "t|old||0"},
    {"everything", describe_tokens,
     "{'access_token':'t','token_type':'Bearer','expires_in':60,'refresh_token':'r','scope':'a b'}",
     "t|r|a b|1060"},
    {"an expiry that is none", describe_tokens,
     "{'access_token':'t','token_type':'Bearer','expires_in':'soon'}", "t|old||0"},
    {"an expiry in the next age", describe_tokens,
     "{'access_token':'t','token_type':'Bearer','expires_in':18446744073709551615}",
     "t|old||3153601000"},
    {"no token", describe_tokens, "{'token_type':'Bearer'}", "holds no usable access_token"},
    {"a token that would end its header", describe_tokens,
     "{'access_token':'t\\r\\nX: y','token_type':'Bearer'}", "holds no usable access_token"},
    {"a token of another type", describe_tokens, "{'access_token':'t','token_type':'DPoP'}",
     "holds no token of the type Bearer"},
    {"a token of no type", describe_tokens, "{'access_token':'t'}",
     "holds no token of the type Bearer"},
    {"a refresh token of the wrong kind", describe_tokens,
     "{'access_token':'t','token_type':'Bearer','refresh_token':7}",
     "holds no usable refresh_token"},
    // Refusals.
    {"a reason", describe_refusal, "{'error':'invalid_grant'}", "HTTP 400: invalid_grant!"},
    {"a reason with words", describe_refusal,
     "{'error':'invalid_client','error_description':'who\\u0007 are you'}",
     "HTTP 400: invalid_client, who? are you"},
    {"no reason", describe_refusal, "<html>", "HTTP 400"},
    // Redirects.
    {"a code", describe_redirect, "code=a%20b&state=s", "a b|s|||"},
    {"an issuer", describe_redirect, "state=s&iss=https%3A%2F%2Fas&code=c", "c|s|https://as|| iss"},
    {"an empty issuer is one", describe_redirect, "code=c&iss=", "c|||| iss"},
    {"an error", describe_redirect, "error=access_denied&error_description=no+way&state=s",
     "|s||access_denied|no way"},
    {"others are passed over", describe_redirect, "x=y&code=c&&session_state=1", "c||||"},
    {"a code twice", describe_redirect, "code=a&code=b", "has 'code' twice"},
    {"a state twice", describe_redirect, "code=a&state=b&state=b", "has 'state' twice"},
    {"a bad escape", describe_redirect, "code=%zz", "'%' wants two hex digits behind it"},
    {"a control character", describe_redirect, "code=%00",
     "a control character is not allowed here"},
    {"no query", describe_redirect, "", "||||"},
};

static void documents_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        test_guard  guard;
        deft_buffer scratch;
        deft_buffer out;
        case_name(cases[i].name);
        deft_buffer_init(&scratch, NULL);
        deft_buffer_init(&out, NULL);
        const bool      is_json = cases[i].describe != describe_redirect;
        const deft_view body    = is_json ? unquote(&guard, cases[i].body, &scratch)
                                          : test_guard_copy(&guard, deft_view_of(cases[i].body));
        cases[i].describe(body, &out);
        assert_view_equal(deft_buffer_view(&out), cases[i].said);
        test_guard_clear(&guard);
        deft_buffer_clear(&scratch);
        deft_buffer_clear(&out);
    }
}

static void what_is_too_long_is_refused(void **state)
{
    deft_buffer      text;
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    (void)state;
    deft__kept_init(&login, NULL);
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"token_type\":\"Bearer\",\"access_token\":\"");
    for (size_t i = 0; i <= DEFT__OAUTH_TOKEN_SIZE_MAX; i++) {
        deft_buffer_append_byte(&text, 'a');
    }
    deft_buffer_append_text(&text, "\"}");
    assert_int_equal(deft__oauth_read_tokens(deft_buffer_view(&text), 0, &login, &error),
                     DEFT_INVALID);
    assert_string_equal(error.message, "holds no usable access_token");
    while (text.size <= DEFT__OAUTH_ANSWER_SIZE_MAX) {
        deft_buffer_append_byte(&text, ' ');
    }
    assert_int_equal(deft__oauth_read_tokens(deft_buffer_view(&text), 0, &login, &error),
                     DEFT_INVALID);
    assert_string_equal(error.message, "is not a JSON object");
    deft__arena          arena;
    deft__oauth_redirect redirect;
    deft__arena_init(&arena, NULL);
    assert_int_equal(deft__oauth_read_redirect(deft_buffer_view(&text), &arena, &redirect, &error),
                     DEFT_LIMIT);
    deft__arena_clear(&arena);
    deft_buffer_clear(&text);
    deft__kept_clear(&login);
}

static bool read_all(const deft_allocator *allocator, void *context)
{
    static const char resource[] =
        "{\"resource\":\"https://h\",\"authorization_servers\":[\"https:\\/\\/as\"],"
        "\"scopes_supported\":[\"a\\u0041\"]}";
    static const char server[] = "{\"issuer\":\"https:\\/\\/as\",\"authorization_endpoint\":"
                                 "\"https://as/a\",\"token_endpoint\":\"https://as/t\"}";
    static const char client[] = "{\"client_id\":\"c\\u0041\",\"client_secret\":\"s\\u0041\","
                                 "\"token_endpoint_auth_method\":\"client_secret_p\\u006fst\"}";
    static const char tokens[] = "{\"access_token\":\"t\\u0041\",\"token_type\":\"Bear\\u0065r\","
                                 "\"refresh_token\":\"r\",\"scope\":\"a\"}";
    deft__arena       arena;
    deft__kept_login  login;
    deft__oauth_resource read;
    deft__oauth_server   known;
    deft__oauth_redirect redirect;
    (void)context;
    deft__arena_init(&arena, allocator);
    deft__kept_init(&login, allocator);
    const bool is_done =
        deft__oauth_read_resource(deft_view_of(resource), &arena, &read, NULL) == DEFT_OK &&
        deft__oauth_read_server(deft_view_of(server), &arena, &known, NULL) == DEFT_OK &&
        deft__oauth_read_client(deft_view_of(client), &login, NULL) == DEFT_OK &&
        deft__oauth_read_tokens(deft_view_of(tokens), 0, &login, NULL) == DEFT_OK &&
        deft__oauth_read_redirect(deft_view_of("code=%41"), &arena, &redirect, NULL) == DEFT_OK;
    deft__arena_clear(&arena);
    deft__kept_clear(&login);
    return is_done;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(read_all, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_read),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
