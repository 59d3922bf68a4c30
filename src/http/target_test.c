// Hosts, paths and queries: the strict forms.
#include "http/target.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *host; // NULL: not well formed
    int         port;
    bool        is_ipv6;
} hosts[] = {
    {"a name", "localhost", "localhost", -1, false},
    {"a name with a port", "deft.example.com:8080", "deft.example.com", 8080, false},
    {"an address", "127.0.0.1:80", "127.0.0.1", 80, false},
    {"an underscore, as in names of containers", "my_host", "my_host", -1, false},
    {"the largest port", "h:65535", "h", 65535, false},
    {"an IPv6 address", "[::1]", "::1", -1, true},
    {"an IPv6 address with a port", "[fe80::1:2]:8443", "fe80::1:2", 8443, true},
    {"an IPv4 address inside IPv6", "[::ffff:127.0.0.1]", "::ffff:127.0.0.1", -1, true},
    {"nothing", "", NULL, 0, false},
    {"a port alone", ":80", NULL, 0, false},
    {"an empty port", "h:", NULL, 0, false},
    {"a port that is none", "h:http", NULL, 0, false},
    {"a port with a sign", "h:+80", NULL, 0, false},
    {"a port too large", "h:65536", NULL, 0, false},
    {"a port too long", "h:000080", NULL, 0, false},
    {"two ports", "h:80:81", NULL, 0, false},
    {"a user", "me@h", NULL, 0, false},
    {"a path", "h/", NULL, 0, false},
    {"a blank", "h h", NULL, 0, false},
    {"a percent sign", "h%41", NULL, 0, false},
    {"beyond ASCII", "h\xc3\xa9", NULL, 0, false},
    {"IPv6 without brackets", "::1", NULL, 0, false},
    {"a bracket that is not closed", "[::1", NULL, 0, false},
    {"empty brackets", "[]", NULL, 0, false},
    {"something behind the bracket", "[::1]x", NULL, 0, false},
    {"an IPv6 zone", "[fe80::1%25eth0]", NULL, 0, false},
    {"one colon is no IPv6", "[a:b]", NULL, 0, false},
    {"an IPv6 address too long", "[1111:1111:1111:1111:1111:1111:1111:1111:1111:1111]", NULL, 0,
     false},
};

static void hosts_have_one_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(hosts); i++) {
        deft__http_authority read;
        test_guard           guard;
        case_name(hosts[i].name);
        const deft_view text = test_guard_copy(&guard, deft_view_of(hosts[i].text));
        assert_int_equal(deft__http_read_authority(text, &read), hosts[i].host != NULL);
        if (hosts[i].host != NULL) {
            assert_view_equal(read.host, hosts[i].host);
            assert_int_equal(read.port, hosts[i].port);
            assert_int_equal(read.is_ipv6, hosts[i].is_ipv6);
        }
        test_guard_clear(&guard);
    }
}

static void urls_are_taken_apart(void **state)
{
    (void)state;
    bool                 is_https = false;
    deft__http_authority host;
    deft_view            rest;
    assert_true(deft__http_read_url(deft_view_of("HTTPS://h:1/a?b"), &is_https, &host, &rest));
    assert_true(is_https);
    assert_view_equal(host.host, "h");
    assert_view_equal(rest, "/a?b");
    assert_true(deft__http_read_url(deft_view_of("http://[::1]"), &is_https, &host, &rest));
    assert_false(is_https);
    assert_int_equal(rest.size, 0);
    assert_true(deft__http_read_url(deft_view_of("http://h#f"), &is_https, &host, &rest));
    assert_view_equal(rest, "#f");
    static const char *const bad[] = {"",         "h",          "http:/h",      "ftp://h",
                                      "http://",  "http:///a",  "http://me@h/", "http://h:x/",
                                      "https//h", "http://h\\a"};
    for (size_t i = 0; i < array_size(bad); i++) {
        assert_false(deft__http_read_url(deft_view_of(bad[i]), &is_https, &host, &rest));
    }
}

static const struct {
    const char *name;
    const char *path;
    const char *segments; // each in brackets, unescaped; `!` for one that is refused
} paths[] = {
    {"two segments", "/mcp/github", "[mcp][github]"},
    {"the root", "/", "[]"},
    {"a slash at the end", "/mcp/", "[mcp][]"},
    {"no path", "", ""},
    {"a star", "*", ""},
    {"escapes", "/mcp/my%20server%C3%A9", "[mcp][my server\xc3\xa9]"},
    {"plus is plus", "/a+b", "[a+b]"},
    {"a dot in a name", "/a.b/...", "[a.b][...]"},
    {"dot segments", "/./../%2e/%2E%2e", "!!!!"},
    {"hidden slashes", "/a%2fb/a%5Cb", "!!"},
    {"NUL and other control bytes", "/%00/a%0a/%7f", "!!!"},
    {"broken escapes", "/%/%4/%4g/%%41", "!!!!"},
    {"not UTF-8", "/%ff/%c3/%ed%a0%80", "!!!"},
};

static void paths_are_unescaped_segment_by_segment(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(paths); i++) {
        deft_view   path = deft_view_of(paths[i].path);
        deft_view   segment;
        deft_buffer out;
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer_init(&out, NULL);
        case_name(paths[i].name);
        while (deft__http_path_next(&path, &segment)) {
            deft_buffer_append_byte(&out, '[');
            if (deft__http_unescape_segment(&out, segment, &error) == DEFT_OK) {
                deft_buffer_append_byte(&out, ']');
            } else {
                assert_true(error.message[0] != '\0');
                deft_buffer_truncate(&out, out.size - 1); // nothing but the bracket was appended
                deft_buffer_append_byte(&out, '!');
            }
        }
        assert_view_equal(deft_buffer_view(&out), paths[i].segments);
        deft_buffer_clear(&out);
    }
}

static void queries_are_taken_apart(void **state)
{
    (void)state;
    deft_view   query = deft_view_of("&code=a%2Fb+c&&state=&flag&x=1=2&");
    deft_view   name;
    deft_view   value;
    deft_buffer out;
    deft_error  error;
    deft_buffer_init(&out, NULL);
    while (deft__http_query_next(&query, &name, &value)) {
        deft_buffer_append(&out, name);
        deft_buffer_append_byte(&out, '[');
        assert_ok(deft__http_unescape_query(&out, value, &error), error);
        deft_buffer_append_byte(&out, ']');
    }
    assert_view_equal(deft_buffer_view(&out), "code[a/b c]state[]flag[]x[1=2]");
    deft_buffer_clear(&out);
}

static bool attempt_unescape(const deft_allocator *allocator, void *context)
{
    deft_buffer out;
    deft_error  error = DEFT_ERROR_INIT;
    (void)context;
    deft_buffer_init(&out, allocator);
    const deft_status status = deft__http_unescape_segment(&out, deft_view_of("a%20b"), &error);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_buffer_clear(&out);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation_fails(attempt_unescape, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_have_one_form),
        cmocka_unit_test(urls_are_taken_apart),
        cmocka_unit_test(paths_are_unescaped_segment_by_segment),
        cmocka_unit_test(queries_are_taken_apart),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
