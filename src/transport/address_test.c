// Where a server is, and which places are the same.
#include "transport/address.h"

#include "support/allocator.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *a;
    const char *b;
    bool        is_same;
} origins[] = {
    {"the same", "https://a.example/x", "https://a.example/y?z", true},
    {"the port that is meant anyway", "https://a.example", "https://a.example:443/", true},
    {"that of http", "http://a.example:80/", "http://a.example", true},
    {"letters of a host", "https://A.Example/", "HTTPS://a.example/", true},
    {"another host", "https://a.example", "https://b.example", false},
    {"a host that begins alike", "https://a.example", "https://a.example.evil", false},
    {"another port", "https://a.example", "https://a.example:8443", false},
    {"another scheme", "http://a.example", "https://a.example", false},
    {"the port of the other scheme", "http://a.example:443", "https://a.example", false},
    {"a user name in front of another host", "https://a.example", "https://a.example@b.example/",
     false},
    {"no address", "https://a.example", "file:///etc/passwd", false},
    {"no host", "https://a.example", "https:///x", false},
    {"addresses of six parts", "http://[::1]:80/x", "http://[::1]/", true},
};

static void which_places_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(origins); i++) {
        case_name(origins[i].name);
        assert_int_equal(
            deft__address_is_same_origin(deft_view_of(origins[i].a), deft_view_of(origins[i].b)),
            origins[i].is_same);
        assert_int_equal(
            deft__address_is_same_origin(deft_view_of(origins[i].b), deft_view_of(origins[i].a)),
            origins[i].is_same);
    }
}

static const struct {
    const char *name;
    const char *reference;
    const char *meaning; // on https://a.example:8/x/sse?k=1; NULL: none
} references[] = {
    {"a path", "/message?id=7", "https://a.example:8/message?id=7"},
    {"a path from there", "message", "https://a.example:8/x/message"},
    {"a path up", "../message", "https://a.example:8/message"},
    {"a query", "?id=7", "https://a.example:8/x/sse?id=7"},
    {"another host", "//b.example/m", "https://b.example/m"},
    {"a whole address", "http://b.example/m", "http://b.example/m"},
    {"nonsense", "http://[", NULL},
};

static void what_a_reference_means(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(references); i++) {
        case_name(references[i].name);
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        assert_int_equal(deft__address_resolve(deft_view_of("https://a.example:8/x/sse?k=1"),
                                               deft_view_of(references[i].reference), &out),
                         references[i].meaning != NULL);
        assert_view_equal(deft_buffer_view(&out),
                          references[i].meaning != NULL ? references[i].meaning : "");
        deft_buffer_clear(&out);
    }
}

static void an_origin_is_all_that_is_shown(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__address_write_origin(deft_view_of("https://a.example:8/key/1?token=2"), &out);
    deft_buffer_append_text(&out, ", ");
    deft__address_write_origin(deft_view_of("https://me:pass@a.example"), &out);
    assert_view_equal(deft_buffer_view(&out),
                      "https://a.example:8, an address that cannot be read");
    deft_buffer_clear(&out);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_buffer out;
    deft_buffer_init(&out, allocator);
    const bool is_resolved =
        deft__address_resolve(deft_view_of("https://a.example/sse"), deft_view_of("/m"), &out);
    deft_buffer_clear(&out);
    return is_resolved;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_places_are_the_same),
        cmocka_unit_test(what_a_reference_means),
        cmocka_unit_test(an_origin_is_all_that_is_shown),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
