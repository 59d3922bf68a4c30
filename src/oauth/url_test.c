// Addresses of logins: which may be used, where documents lie, what a form looks like.
#include "oauth/url.h"

#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *url;
    bool        is_safe;       // for a server far away
    bool        is_safe_local; // for one on this machine
} addresses[] = {
    {"https", "https://as.example.com/authorize", true, true},
    {"https with a port and a query", "https://as.example.com:8443/a?b=c", true, true},
    {"https to this machine", "https://localhost/a", false, true},
    {"http to this machine", "http://127.0.0.1:3000/token", false, true},
    {"http to this machine by name", "http://localhost:3000", false, true},
    {"http to this machine in IPv6", "http://[::1]:3000/", false, true},
    {"http elsewhere", "http://as.example.com/token", false, false},
    {"http to another address of loopback", "http://127.0.0.2/token", false, false},
    {"a name that only begins like it", "http://localhost.evil.example/", false, false},
    {"a user name", "https://user@as.example.com/", false, false},
    {"a user name that looks like a host", "https://as.example.com:443@evil.example/", false,
     false},
    {"a fragment", "https://as.example.com/#x", false, false},
    {"a script", "javascript:alert(1)", false, false},
    {"a file", "file:///etc/passwd", false, false},
    {"no host", "https:///authorize", false, false},
    {"no scheme", "as.example.com/authorize", false, false},
    {"a blank", "https://as.example.com/a b", false, false},
    {"a line end", "https://as.example.com/a\r\nX: y", false, false},
    {"an accent", "https://as.example.com/\xc3\xa9", false, false},
    {"port 0", "https://as.example.com:0/", false, false},
    {"nothing", "", false, false},
};

static void strangers_addresses_are_looked_at(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(addresses); i++) {
        test_guard guard;
        case_name(addresses[i].name);
        const deft_view url = test_guard_copy(&guard, deft_view_of(addresses[i].url));
        assert_int_equal(deft__oauth_url_is_safe(url, false), addresses[i].is_safe);
        assert_int_equal(deft__oauth_url_is_safe(url, true), addresses[i].is_safe_local);
        test_guard_clear(&guard);
    }
    char longest[DEFT__OAUTH_URL_SIZE_MAX + 2];
    memset(longest, 'a', sizeof longest);
    memcpy(longest, "https://h/", 10);
    assert_true(deft__oauth_url_is_safe(deft_view_make(longest, sizeof longest - 2), false));
    assert_false(deft__oauth_url_is_safe(deft_view_make(longest, sizeof longest - 1), false));
}

static const struct {
    const char *name;
    const char *resource;
    const char *endpoint;
    bool        covers;
} pairs[] = {
    {"the same", "https://h/mcp", "https://h/mcp", true},
    {"the origin", "https://h", "https://h/mcp", true},
    {"the origin with a slash", "https://h/", "https://h/mcp", true},
    {"a folder above", "https://h/a", "https://h/a/mcp", true},
    {"a slash more", "https://h/mcp/", "https://h/mcp", true},
    {"the default port, written", "https://h:443/mcp", "https://h/mcp", true},
    {"another case of the host", "https://H/mcp", "https://h/mcp", true},
    {"the query does not count", "https://h/mcp", "https://h/mcp?key=1", true},
    {"a path that only begins so", "https://h/mc", "https://h/mcp", false},
    {"a path below", "https://h/mcp/x", "https://h/mcp", false},
    {"another case of the path", "https://h/MCP", "https://h/mcp", false},
    {"another host", "https://evil.example/mcp", "https://h/mcp", false},
    {"another port", "https://h:8443/mcp", "https://h/mcp", false},
    {"another scheme", "http://h/mcp", "https://h/mcp", false},
    {"no address", "urn:mcp", "https://h/mcp", false},
    {"no endpoint", "https://h/mcp", "", false},
};

static void a_token_is_for_what_lies_below_its_resource(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(pairs); i++) {
        case_name(pairs[i].name);
        assert_int_equal(deft__oauth_url_covers(deft_view_of(pairs[i].resource),
                                                deft_view_of(pairs[i].endpoint)),
                         pairs[i].covers);
    }
}

static const struct {
    const char       *name;
    const char       *url;
    deft__oauth_known place;
    const char       *known;
} places[] = {
    {"inserted", "https://h/a/mcp", DEFT__OAUTH_KNOWN_INSERTED, "https://h/.well-known/x/a/mcp"},
    {"inserted, no path", "https://h", DEFT__OAUTH_KNOWN_INSERTED, "https://h/.well-known/x"},
    {"inserted, a slash", "https://h/", DEFT__OAUTH_KNOWN_INSERTED, "https://h/.well-known/x"},
    {"inserted, a slash at the end", "https://h/a/", DEFT__OAUTH_KNOWN_INSERTED,
     "https://h/.well-known/x/a"},
    {"appended", "https://h:1/t1", DEFT__OAUTH_KNOWN_APPENDED, "https://h:1/t1/.well-known/x"},
    {"at the root", "https://h/a/mcp?b=c", DEFT__OAUTH_KNOWN_ROOT, "https://h/.well-known/x"},
    {"without the query", "https://h/a?b=c", DEFT__OAUTH_KNOWN_INSERTED,
     "https://h/.well-known/x/a"},
};

static void documents_have_their_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(places); i++) {
        deft_buffer out;
        case_name(places[i].name);
        deft_buffer_init(&out, NULL);
        deft__oauth_url_write_known(deft_view_of(places[i].url), places[i].place, "x", &out);
        assert_view_equal(deft_buffer_view(&out), places[i].known);
        deft_buffer_clear(&out);
    }
    assert_true(deft__oauth_url_has_path(deft_view_of("https://h/a")));
    assert_false(deft__oauth_url_has_path(deft_view_of("https://h/?a")));
    assert_false(deft__oauth_url_has_path(deft_view_of("nothing")));
    assert_view_equal(deft__oauth_url_origin(deft_view_of("https://h:1/a")), "https://h:1");
    assert_view_equal(deft__oauth_url_origin(deft_view_of("nothing")), "");
    assert_true(deft__oauth_url_is_loopback(deft_view_of("http://localhost:1/")));
    assert_false(deft__oauth_url_is_loopback(deft_view_of("https://h/")));
}

static void forms_are_escaped(void **state)
{
    deft_buffer out;
    (void)state;
    deft_buffer_init(&out, NULL);
    deft_buffer_append_text(&out, "https://h?");
    deft__oauth_form_add(&out, out.size, "scope", deft_view_of("a b&c=d"));
    deft__oauth_form_add(&out, 10, "code", deft_view_of("\xff~-._9Z+/%"));
    assert_view_equal(deft_buffer_view(&out),
                      "https://h?scope=a%20b%26c%3Dd&code=%FF~-._9Z%2B%2F%25");
    deft_buffer_reset(&out);
    deft__oauth_base64url(&out, deft_view_make("\xfb\xff\xfe\x01", 4));
    assert_view_equal(deft_buffer_view(&out), "-__-AQ");
    deft_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_addresses_are_looked_at),
        cmocka_unit_test(a_token_is_for_what_lies_below_its_resource),
        cmocka_unit_test(documents_have_their_places),
        cmocka_unit_test(forms_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
