// What is kept of logins: written, found again, replaced, forgotten.
#include "oauth/kept.h"

#include "support/allocator.h"
#include "support/test.h"

static void fill(deft__kept_login *login, const char *endpoint, const char *token)
{
    assert_true(deft__kept_set(login, DEFT__KEPT_ENDPOINT, deft_view_of(endpoint)));
    assert_true(deft__kept_set(login, DEFT__KEPT_ACCESS_TOKEN, deft_view_of(token)));
    assert_true(deft__kept_set(login, DEFT__KEPT_CLIENT_SECRET, deft_view_of("quote \" me")));
    login->method              = DEFT__OAUTH_METHOD_POST;
    login->is_registered       = true;
    login->expires_at_s        = 1000;
    login->client_expires_at_s = 2000;
}

static void put(deft_buffer *text, const deft__kept_login *login, const char *endpoint)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_ok(
        deft__kept_replace(deft_buffer_view(text), deft_view_of(endpoint), login, &out, &error),
        error);
    deft_buffer_clear(text);
    *text = out;
}

static void logins_are_found_by_their_endpoint(void **state)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_login read;
    deft_buffer      text;
    (void)state;
    deft__kept_init(&login, NULL);
    deft__kept_init(&read, NULL);
    deft_buffer_init(&text, NULL);
    assert_int_equal(
        deft__kept_find(deft_buffer_view(&text), deft_view_of("https://a/mcp"), &read, &error),
        DEFT_NOT_FOUND);
    fill(&login, "https://a/mcp", "first");
    put(&text, &login, "https://a/mcp");
    fill(&login, "https://b/mcp", "second");
    put(&text, &login, "https://b/mcp");
    fill(&login, "https://a/mcp", "third");
    put(&text, &login, "https://a/mcp");
    assert_view_equal(
        deft_buffer_view(&text),
        "{\"version\":1,\"logins\":[{\"endpoint\":\"https://b/mcp\",\"clientSecret\":\"quote \\\" "
        "me\",\"accessToken\":\"second\",\"method\":\"client_secret_post\",\"registered\":true,"
        "\"clientExpiresAt\":2000,\"expiresAt\":1000},{\"endpoint\":\"https://a/mcp\","
        "\"clientSecret\":\"quote \\\" me\",\"accessToken\":\"third\",\"method\":"
        "\"client_secret_post\",\"registered\":true,\"clientExpiresAt\":2000,\"expiresAt\":1000}]"
        "}");

    assert_ok(
        deft__kept_find(deft_buffer_view(&text), deft_view_of("https://b/mcp"), &read, &error),
        error);
    assert_view_equal(deft__kept_get(&read, DEFT__KEPT_ACCESS_TOKEN), "second");
    assert_view_equal(deft__kept_get(&read, DEFT__KEPT_CLIENT_SECRET), "quote \" me");
    assert_view_equal(deft__kept_get(&read, DEFT__KEPT_REFRESH_TOKEN), "");
    assert_int_equal(read.method, DEFT__OAUTH_METHOD_POST);
    assert_true(read.is_registered);
    assert_int_equal(read.expires_at_s, 1000);
    assert_int_equal(read.client_expires_at_s, 2000);
    deft__kept_drop_tokens(&read);
    assert_view_equal(deft__kept_get(&read, DEFT__KEPT_ACCESS_TOKEN), "");
    assert_view_equal(deft__kept_get(&read, DEFT__KEPT_CLIENT_SECRET), "quote \" me");

    put(&text, NULL, "https://b/mcp");
    assert_int_equal(
        deft__kept_find(deft_buffer_view(&text), deft_view_of("https://b/mcp"), &read, &error),
        DEFT_NOT_FOUND);
    put(&text, NULL, "https://a/mcp");
    assert_view_equal(deft_buffer_view(&text), "{\"version\":1,\"logins\":[]}");
    deft_buffer_clear(&text);
    deft__kept_clear(&login);
    deft__kept_clear(&read);
}

static const struct {
    const char *name;
    const char *text;
    const char *clause;
} bad[] = {
    {"no JSON", "token", "'t' at byte 0"},
    {"no object", "[]", "is not a file of logins"},
    {"no version", "{\"logins\":[]}", "is not a file of logins"},
    {"no logins", "{\"version\":1,\"logins\":{}}", "is not a file of logins"},
    {"of a newer deft", "{\"version\":2,\"logins\":[]}",
     "is of a newer deft, and is left as it is"},
};

static void what_is_not_ours_is_left_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_error       error = DEFT_ERROR_INIT;
        deft__kept_login read;
        deft_buffer      out;
        case_name(bad[i].name);
        deft__kept_init(&read, NULL);
        deft_buffer_init(&out, NULL);
        assert_int_equal(
            deft__kept_find(deft_view_of(bad[i].text), deft_view_of("https://a"), &read, &error),
            DEFT_INVALID);
        if (i > 0) {
            assert_string_equal(error.message, bad[i].clause);
        }
        assert_int_equal(deft__kept_replace(deft_view_of(bad[i].text), deft_view_of("https://a"),
                                            NULL, &out, &error),
                         DEFT_INVALID);
        assert_int_equal(out.size, 0);
        deft_buffer_clear(&out);
        deft__kept_clear(&read);
    }
}

static bool keep_and_find(const deft_allocator *allocator, void *context)
{
    static const char text[] = "{\"version\":1,\"logins\":[{\"endpoint\":\"https:\\/\\/a\","
                               "\"accessToken\":\"t\\u0041\"},{\"endpoint\":\"https://b\"}]}";
    deft__kept_login  login;
    deft__kept_login  copy;
    deft_buffer       out;
    (void)context;
    deft__kept_init(&login, allocator);
    deft__kept_init(&copy, allocator);
    deft_buffer_init(&out, allocator);
    const bool is_done =
        deft__kept_find(deft_view_of(text), deft_view_of("https://a"), &login, NULL) == DEFT_OK &&
        deft__kept_copy(&copy, &login) &&
        deft__kept_replace(deft_view_of(text), deft_view_of("https://a"), &copy, &out, NULL) ==
            DEFT_OK;
    if (is_done) {
        assert_view_equal(deft__kept_get(&copy, DEFT__KEPT_ACCESS_TOKEN), "tA");
    }
    deft__kept_clear(&login);
    deft__kept_clear(&copy);
    deft__kept_wipe(&out);
    return is_done;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(keep_and_find, NULL) > 0);
}

// What could not be read again is not written: it would be the end of all logins.
static void a_file_does_not_outgrow_what_is_read(void **state)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft_buffer      text;
    deft_buffer      out;
    deft_status      status = DEFT_OK;
    (void)state;
    deft__kept_init(&login, NULL);
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&out, NULL);
    // Control characters: six bytes each in the file.
    assert_true(deft_buffer_reserve(&text, 65536));
    memset(text.data, 1, 65536);
    text.size = 65536;
    assert_true(deft__kept_set(&login, DEFT__KEPT_WANTED, deft_buffer_view(&text)));
    deft_buffer_reset(&text);
    for (char name[] = "https://a"; status == DEFT_OK; name[8]++) {
        assert_true(name[8] < 'z');
        assert_true(deft__kept_set(&login, DEFT__KEPT_ENDPOINT, deft_view_of(name)));
        deft_buffer_reset(&out);
        status =
            deft__kept_replace(deft_buffer_view(&text), deft_view_of(name), &login, &out, &error);
        if (status == DEFT_OK) {
            assert_true(out.size < DEFT__KEPT_SIZE_MAX);
            deft_buffer_reset(&text);
            deft_buffer_append(&text, deft_buffer_view(&out));
        }
    }
    assert_int_equal(status, DEFT_LIMIT);
    assert_string_equal(error.message, "would be larger than 4 MiB, and is left as it is: end a "
                                       "login first, with 'deft logout'");
    assert_int_equal(
        deft__kept_find(deft_buffer_view(&text), deft_view_of("https://a"), &login, NULL), DEFT_OK);
    deft__kept_clear(&login);
    deft_buffer_clear(&text);
    deft_buffer_clear(&out);
}

static void methods_have_names(void **state)
{
    deft__oauth_method method = DEFT__OAUTH_METHOD_NONE;
    (void)state;
    for (unsigned i = DEFT__OAUTH_METHOD_NONE; i <= DEFT__OAUTH_METHOD_POST; i++) {
        const char *name = deft__oauth_method_name((deft__oauth_method)i);
        assert_true(deft__oauth_method_read(deft_view_of(name), &method));
        assert_int_equal(method, i);
    }
    assert_false(deft__oauth_method_read(deft_view_of("private_key_jwt"), &method));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logins_are_found_by_their_endpoint),
        cmocka_unit_test(what_is_not_ours_is_left_alone),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_file_does_not_outgrow_what_is_read),
        cmocka_unit_test(methods_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
