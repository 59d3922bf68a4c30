// What definitions cost. Proves A1.
#include "core/tokens/sizes.h"

#include "support/allocator.h"
#include "support/catalog.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *definition;
    uint64_t    characters; // name + description + compact schema
    const char *written;    // what is estimated, compact and in MCP form
} cases[] = {
    {"a name", "{\"name\":\"four\"}", 4, "{\"name\":\"four\"}"},
    {"name, description and schema", "{\"name\":\"a\",\"description\":\"bc\",\"inputSchema\":{}}",
     1 + 2 + 2, "{\"name\":\"a\",\"description\":\"bc\",\"inputSchema\":{}}"},
    {"white space counts in strings only",
     "{ \"name\" : \"a\",\n \"inputSchema\" : { \"x y\" : [ 1 , \"\\n \" ] } }", 1 + 17,
     "{\"name\":\"a\",\"inputSchema\":{\"x y\":[1,\"\\n \"]}}"},
    {"characters are not bytes",
     "{\"name\":\"\xc3\xa9\",\"description\":\"\xf0\x9f\x98\x80\\u00e9\",\"inputSchema\":{"
     "\"\xe2\x82\xac\":1}}",
     1 + 2 + 7,
     "{\"name\":\"\xc3\xa9\",\"description\":\"\xf0\x9f\x98\x80\\u00e9\",\"inputSchema\":{"
     "\"\xe2\x82\xac\":1}}"},
    {"what else there is costs tokens, not characters",
     "{\"name\":\"a\",\"outputSchema\":{\"type\":\"object\"},\"annotations\":{}}", 1,
     "{\"name\":\"a\",\"outputSchema\":{\"type\":\"object\"},\"annotations\":{}}"},
    {"a bare function is measured as MCP",
     "{\"name\":\"a\",\"description\":\"b\",\"parameters\":{ }}", 1 + 1 + 2,
     "{\"name\":\"a\",\"description\":\"b\",\"inputSchema\":{}}"},
};

static void one_tool(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft_error    error   = DEFT_ERROR_INIT;
        deft_catalog *catalog = test_catalog_of(NULL, cases[i].definition);
        for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
            const deft_token_family family = (deft_token_family)f;
            deft_sizes *sizes = deft_sizes_new(catalog, DEFT_FORM_MCP, family, NULL, &error);
            assert_non_null(sizes);
            const deft_size size = deft_sizes_tool(sizes, (deft_tool_id){0});
            assert_int_equal(size.characters, cases[i].characters);
            assert_int_equal(size.tokens,
                             deft_tokens_estimate(deft_view_of(cases[i].written), family));
            deft_sizes_free(sizes);
        }
        deft_catalog_release(catalog);
    }
}

static void sums_by_server_and_in_all(void **state)
{
    (void)state;
    deft_error    error = DEFT_ERROR_INIT;
    deft_catalog *catalog =
        test_catalog_of(NULL, "[{\"server\":\"x\",\"name\":\"a\",\"description\":\"12345\"},"
                              "{\"server\":\"y\",\"name\":\"b\"},"
                              "{\"server\":\"x\",\"name\":\"c\",\"inputSchema\":{}}]");
    deft_sizes *sizes = deft_sizes_new(catalog, DEFT_FORM_OPENAI, DEFT_TOKENS_CHARS4, NULL, &error);
    assert_non_null(sizes);
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < 3; i++) {
        tokens += deft_sizes_tool(sizes, (deft_tool_id){i}).tokens;
    }
    assert_int_equal(deft_sizes_total(sizes).tokens, tokens);
    assert_int_equal(deft_sizes_total(sizes).characters, 6 + 1 + 3);
    assert_int_equal(deft_sizes_server(sizes, (deft_server_id){0}).characters, 6 + 3);
    assert_int_equal(deft_sizes_server(sizes, (deft_server_id){1}).characters, 1);
    assert_int_equal(deft_sizes_server(sizes, (deft_server_id){0}).tokens +
                         deft_sizes_server(sizes, (deft_server_id){1}).tokens,
                     tokens);

    // Sizes do not need their catalog any more.
    deft_catalog_release(catalog);
    assert_int_equal(deft_sizes_total(sizes).tokens, tokens);
    deft_sizes_free(sizes);
    deft_sizes_free(NULL);
}

static void the_form_is_what_is_measured(void **state)
{
    (void)state;
    deft_error    error     = DEFT_ERROR_INIT;
    deft_catalog *catalog   = test_catalog_of("s", "{\"name\":\"a\",\"inputSchema\":{}}");
    const char   *written[] = {
          "{\"name\":\"a\",\"inputSchema\":{}}",
          "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{}}}",
          "{\"name\":\"a\",\"input_schema\":{}}",
    };
    for (unsigned form = DEFT_FORM_MCP; form <= DEFT_FORM_ANTHROPIC; form++) {
        deft_sizes *sizes =
            deft_sizes_new(catalog, (deft_form)form, DEFT_TOKENS_CHARS4, NULL, &error);
        assert_int_equal(deft_sizes_total(sizes).tokens,
                         deft_tokens_estimate(deft_view_of(written[form]), DEFT_TOKENS_CHARS4));
        deft_sizes_free(sizes);
    }
    deft_catalog_release(catalog);
}

static void an_empty_catalog_costs_nothing(void **state)
{
    (void)state;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_catalog *catalog = test_catalog_of(NULL, "[]");
    deft_sizes   *sizes   = deft_sizes_new(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, NULL, &error);
    assert_int_equal(deft_sizes_total(sizes).tokens, 0);
    assert_int_equal(deft_sizes_total(sizes).characters, 0);
    deft_sizes_free(sizes);
    deft_catalog_release(catalog);
}

static bool measure_with(const deft_allocator *allocator, void *context)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_sizes *sizes =
        deft_sizes_new(context, DEFT_FORM_OPENAI, DEFT_TOKENS_O200K, allocator, &error);
    if (sizes == NULL) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        return false;
    }
    deft_sizes_free(sizes);
    return true;
}

// --- As bytes. -----------------------------------------------------------------------------------

static const char two_servers[] =
    "[{\"server\":\"s\",\"name\":\"a\",\"inputSchema\":{}},{\"server\":\"t\",\"name\":\"bcd\"},"
    "{\"server\":\"t\",\"name\":\"e\",\"description\":\"several words\"}]";

static void save(const deft_catalog *catalog, deft_buffer *bytes)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_sizes *sizes = deft_sizes_new(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, NULL, &error);
    assert_non_null(sizes);
    deft_buffer_init(bytes, NULL);
    assert_int_equal(deft__sizes_save(sizes, catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, bytes),
                     DEFT_OK);
    deft_sizes_free(sizes);
}

static bool opens(const deft_catalog *catalog, deft_form form, deft_token_family family,
                  deft_view bytes)
{
    deft_sizes *sizes = deft__sizes_open(catalog, form, family, bytes, NULL);
    deft_sizes_free(sizes);
    return sizes != NULL;
}

static void sizes_come_back(void **state)
{
    (void)state;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_catalog *catalog = test_catalog_of(NULL, two_servers);
    deft_buffer   bytes;
    save(catalog, &bytes);
    deft_sizes *new = deft_sizes_new(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, NULL, &error);
    deft_sizes *old =
        deft__sizes_open(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, deft_buffer_view(&bytes), NULL);
    assert_non_null(old);
    assert_true(deft_sizes_total(old).tokens == deft_sizes_total(new).tokens);
    assert_true(deft_sizes_total(old).characters == deft_sizes_total(new).characters);
    for (uint32_t i = 0; i < 3; i++) {
        const deft_tool_id tool = {i};
        assert_true(deft_sizes_tool(old, tool).tokens == deft_sizes_tool(new, tool).tokens);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const deft_server_id server = {i};
        assert_true(deft_sizes_server(old, server).tokens == deft_sizes_server(new, server).tokens);
    }
    deft_sizes_free(old);
    deft_sizes_free(new);
    deft_buffer_clear(&bytes);
    deft_catalog_release(catalog);
}

static void sizes_of_something_else_do_not_come_back(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of(NULL, two_servers);
    deft_catalog *other =
        test_catalog_of("s", "[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]");
    deft_catalog *fewer = test_catalog_of("s", "[{\"name\":\"a\"}]");
    deft_buffer   bytes;
    save(catalog, &bytes);
    const deft_view all = deft_buffer_view(&bytes);
    assert_true(opens(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, all));
    assert_false(opens(other, DEFT_FORM_MCP, DEFT_TOKENS_O200K, all));
    assert_false(opens(fewer, DEFT_FORM_MCP, DEFT_TOKENS_O200K, all));
    assert_false(opens(catalog, DEFT_FORM_OPENAI, DEFT_TOKENS_O200K, all));
    assert_false(opens(catalog, DEFT_FORM_MCP, DEFT_TOKENS_CHARS4, all));
    for (size_t i = 0; i < all.size; i++) {
        assert_false(opens(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, deft_view_slice(all, 0, i)));
        bytes.data[i] ^= 1;
        assert_false(opens(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, all));
        bytes.data[i] ^= 1;
    }
    deft_buffer_clear(&bytes);
    deft_catalog_release(catalog);
    deft_catalog_release(other);
    deft_catalog_release(fewer);
}

// As an earlier deft would have left them that counted otherwise, under the same version.
static void sizes_that_were_measured_otherwise_do_not_come_back(void **state)
{
    (void)state;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_catalog *catalog = test_catalog_of(NULL, two_servers);
    deft_sizes   *sizes = deft_sizes_new(catalog, DEFT_FORM_MCP, DEFT_TOKENS_CHARS4, NULL, &error);
    deft_buffer   bytes;
    deft_buffer_init(&bytes, NULL);
    assert_int_equal(deft__sizes_save(sizes, catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, &bytes),
                     DEFT_OK);
    assert_false(opens(catalog, DEFT_FORM_MCP, DEFT_TOKENS_O200K, deft_buffer_view(&bytes)));
    deft_buffer_clear(&bytes);
    deft_sizes_free(sizes);
    deft_catalog_release(catalog);
}

static void no_memory(void **state)
{
    (void)state;
    deft_catalog *catalog =
        test_catalog_of("s", "[{\"name\":\"a\",\"inputSchema\":{}},{\"name\":\"b\"}]");
    assert_true(test_every_allocation_fails(measure_with, catalog) >= 2);
    deft_catalog_release(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tool),
        cmocka_unit_test(sums_by_server_and_in_all),
        cmocka_unit_test(the_form_is_what_is_measured),
        cmocka_unit_test(an_empty_catalog_costs_nothing),
        cmocka_unit_test(sizes_come_back),
        cmocka_unit_test(sizes_of_something_else_do_not_come_back),
        cmocka_unit_test(sizes_that_were_measured_otherwise_do_not_come_back),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
