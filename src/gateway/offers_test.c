// Proves that names of prompts and resources are kept apart, and that templates find their server.
#include "gateway/offers.h"

#include "support/allocator.h"
#include "support/test.h"

static deft__offers offers;

static int start(void **state)
{
    (void)state;
    deft__offers_init(&offers, DEFT__OFFER_RESOURCE, NULL);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    deft__offers_clear(&offers);
    return 0;
}

static void add(uint32_t server, const char *name, const char *list)
{
    assert_int_equal(
        deft__offers_add(&offers, server, deft_view_of(name), deft_view_of(list), DEFT_NAMING_WIRE),
        DEFT_OK);
}

static void assert_view(deft_view view, const char *text)
{
    assert_int_equal(view.size, strlen(text));
    assert_memory_equal(view.data, text, view.size);
}

static void the_second_of_two_equal_uris_gets_its_servers_name(void **state)
{
    (void)state;
    add(0, "one", "[{\"uri\":\"file:///a\",\"size\":12345678901234567890}]");
    add(1, "two", "[{\"name\":\"x\",\"uri\":\"file:///a\"},{\"uri\":\"file:///b\"}]");
    assert_int_equal(offers.count, 3);
    assert_view(offers.items[0].text, "{\"uri\":\"file:///a\",\"size\":12345678901234567890}");
    assert_view(offers.items[1].text, "{\"name\":\"x\",\"uri\":\"deft://two/file:///a\"}");
    const deft__offer *second = deft__offers_find(&offers, deft_view_of("deft://two/file:///a"));
    assert_non_null(second);
    assert_int_equal(second->server, 1);
    assert_view(second->key, "file:///a");
    assert_ptr_equal(deft__offers_find_key(&offers, 1, deft_view_of("file:///a")), second);
    assert_null(deft__offers_find_key(&offers, 0, deft_view_of("file:///b")));
}

static void what_has_no_name_is_left_out(void **state)
{
    (void)state;
    add(0, "one", "[{}, 7, null, {\"uri\":\"\"}, {\"uri\":3}, {\"uri\":\"u\"}, {\"uri\":\"u\"}]");
    assert_int_equal(offers.count, 2); // the second `u` as deft://one/u
    add(1, "two", "not JSON");
    add(1, "two", "{\"uri\":\"v\"}");
    assert_int_equal(offers.count, 2);
}

static void prompts_carry_their_servers_name(void **state)
{
    deft__offers prompts;
    (void)state;
    deft__offers_init(&prompts, DEFT__OFFER_PROMPT, NULL);
    assert_int_equal(deft__offers_add(&prompts, 0, deft_view_of("one"),
                                      deft_view_of("[{\"name\":\"a\\u0062\"}]"), DEFT_NAMING_WIRE),
                     DEFT_OK);
    assert_int_equal(deft__offers_add(&prompts, 1, deft_view_of("two"),
                                      deft_view_of("[{\"name\":\"ab\"}]"), DEFT_NAMING_PLAIN),
                     DEFT_OK);
    assert_view(prompts.items[0].shown, "one__ab");
    assert_view(prompts.items[1].shown, "ab");
    deft__offers_clear(&prompts);
}

static const struct {
    const char *name;
    const char *uri_template;
    const char *uri;
    bool        fits;
} templates[] = {
    {"literal text fits itself", "file:///a", "file:///a", true},
    {"and nothing else", "file:///a", "file:///ab", false},
    {"an expression fits anything", "note://{id}/text", "note://7/text", true},
    {"also nothing", "note://{id}/text", "note:///text", true},
    {"what stands behind must be there", "note://{id}/text", "note://7/tex", false},
    {"what stands before must be there", "note://{id}", "nota://7", false},
    {"the last literal ends the text", "a{x}b", "a1b2b", true},
    {"two expressions side by side", "a{x}{?y}", "a", true},
    {"an expression that never closes is text", "a{x", "a{x", true},
    {"several in turn", "{a}/{b}/{c}", "1/2/3", true},
    {"several in turn, too few", "{a}/{b}/{c}", "1/2", false},
    {"an empty template fits nothing", "", "", true},
};

static void templates_fit_what_they_can_make(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        if (deft__template_fits(deft_view_of(templates[i].uri_template),
                                deft_view_of(templates[i].uri)) != templates[i].fits) {
            fail_msg("%s", templates[i].name);
        }
    }
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    deft__offers made;
    (void)context;
    deft__offers_init(&made, DEFT__OFFER_TEMPLATE, allocator);
    const deft_status status = deft__offers_add(
        &made, 0, deft_view_of("one"),
        deft_view_of("[{\"uriTemplate\":\"a\\u0062{x}\"},{\"uriTemplate\":\"a\\u0062{x}\"}]"),
        DEFT_NAMING_WIRE);
    deft__offers_clear(&made);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_of_two_equal_uris_gets_its_servers_name, start,
                                        finish),
        cmocka_unit_test_setup_teardown(what_has_no_name_is_left_out, start, finish),
        cmocka_unit_test_setup_teardown(prompts_carry_their_servers_name, start, finish),
        cmocka_unit_test(templates_fit_what_they_can_make),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
