// How deft logs in to a server, as its entry says it; and what others keep under the same name.
#include "deft/config.h"

#include "support/allocator.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *oauth;   // JSON, ' for "
    const char *said;    // id|secret|issuer|scope|url|port
    const char *message; // NULL: it is fine
} cases[] = {
    {"nothing", "{}", "|||||0", NULL},
    {"everything",
     "{'clientId':'c','clientSecret':'${S}','issuer':'https://as','scope':'a b',"
     "'clientIdMetadataUrl':'https://me/c.json','callbackPort':8765}",
     "c|${S}|https://as|a b|https://me/c.json|8765", NULL},
    {"scopes as a list", "{'scopes':['a',1,'b']}", "|||a b||0", NULL},
    {"a scope wins over a list", "{'scope':'x','scopes':['a']}", "|||x||0", NULL},
    {"null is nothing", "{'clientId':null}", "|||||0", NULL},
    {"what others keep there", "{'enabled':true,'authorizationUrl':'https://as'}", "|||||0", NULL},
    {"no object", "true", "|||||0", NULL},
    {"an id of the wrong kind", "{'clientId':7}", NULL,
     "f.json:1: mcpServers.x.oauth.clientId is a number; accepted: a string"},
    {"a secret of the wrong kind is not shown", "{'clientSecret':['s3cret']}", NULL,
     "f.json:1: mcpServers.x.oauth.clientSecret is an array; accepted: a string"},
    {"no port", "{'callbackPort':70000}", NULL,
     "f.json:1: mcpServers.x.oauth.callbackPort is no port; accepted: 1 to 65535"},
    {"port 0", "{'callbackPort':0}", NULL,
     "f.json:1: mcpServers.x.oauth.callbackPort is no port; accepted: 1 to 65535"},
};

static deft_config *read(const char *oauth, const deft_allocator *allocator, deft_error *error)
{
    deft_buffer  text;
    deft_config *config = deft_config_new(allocator, error);
    if (config == NULL) {
        return NULL;
    }
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"mcpServers\":{\"x\":{\"url\":\"https://h\",\"oauth\":");
    for (; *oauth != '\0'; oauth++) {
        deft_buffer_append_byte(&text, (char)(*oauth == '\'' ? '"' : *oauth));
    }
    deft_buffer_append_text(&text, "}}}");
    if (deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f.json"),
                             deft_buffer_view(&text), error) != DEFT_OK ||
        deft_config_resolve(config, error) != DEFT_OK) {
        deft_config_free(config);
        config = NULL;
    }
    deft_buffer_clear(&text);
    return config;
}

static void logins_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_error   error = DEFT_ERROR_INIT;
        deft_config *config;
        char         said[400];
        case_name(cases[i].name);
        config = read(cases[i].oauth, NULL, &error);
        if (cases[i].message != NULL) {
            assert_null(config);
            assert_string_equal(error.message, cases[i].message);
            continue;
        }
        assert_non_null(config);
        assert_int_equal(deft_config_warning_count(config), 0);
        const deft_server_login *login = &deft_config_server(config, 0)->login;
        snprintf(said, sizeof said, "%.*s|%.*s|%.*s|%.*s|%.*s|%u", (int)login->client_id.size,
                 login->client_id.data, (int)login->client_secret.size, login->client_secret.data,
                 (int)login->issuer.size, login->issuer.data, (int)login->scope.size,
                 login->scope.data, (int)login->metadata_url.size, login->metadata_url.data,
                 (unsigned)login->callback_port);
        assert_string_equal(said, cases[i].said);
        deft_config_free(config);
    }
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_config *config =
        read("{'clientId':'c\\u0041','scopes':['a\\u0041','b']}", allocator, NULL);
    const bool is_read = config != NULL;
    deft_config_free(config);
    return is_read;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logins_are_read),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
