// Definitions in every form and under every name; their own bytes where nothing has to change.
// Proves the forms of D2, and A9: what is passed through is what the server gave.
#include "deft/catalog.h"

#include "core/catalog/catalog.h"
#include "support/allocator.h"
#include "support/catalog.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *definition;
    deft_form   form;
    deft_naming naming;
    const char *written;
} cases[] = {
    {"MCP as it is", " { \"name\" : \"a\" , \"inputSchema\" : { } , \"x\" : 1e999 } ",
     DEFT_FORM_MCP, DEFT_NAMING_PLAIN,
     "{ \"name\" : \"a\" , \"inputSchema\" : { } , \"x\" : 1e999 }"},
    {"MCP under its wire name", "{ \"x\":\"a\",\"name\" : \"a\" , \"inputSchema\" : { } }",
     DEFT_FORM_MCP, DEFT_NAMING_WIRE,
     "{ \"x\":\"a\",\"name\" : \"s__a\" , \"inputSchema\" : { } }"},
    {"MCP under its id", "{\"name\":\"\\u0061\"}", DEFT_FORM_MCP, DEFT_NAMING_ID,
     "{\"name\":\"s::a\"}"},
    {"MCP as OpenAI",
     "{\"name\":\"a\",\"title\":\"T\",\"description\":\"D\\ud800\\/\",\"inputSchema\":{ "
     "\"n\":12345678901234567890 }}",
     DEFT_FORM_OPENAI, DEFT_NAMING_PLAIN,
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"description\":\"D\\ud800\\/\","
     "\"parameters\":{ \"n\":12345678901234567890 }}}"},
    {"MCP as OpenAI under its wire name", "{\"name\":\"a\",\"inputSchema\":{}}", DEFT_FORM_OPENAI,
     DEFT_NAMING_WIRE,
     "{\"type\":\"function\",\"function\":{\"name\":\"s__a\",\"parameters\":{}}}"},
    {"MCP as Anthropic", "{\"name\":\"a\",\"description\":\"\",\"inputSchema\":{\"a\":1,\"a\":2}}",
     DEFT_FORM_ANTHROPIC, DEFT_NAMING_PLAIN,
     "{\"name\":\"a\",\"description\":\"\",\"input_schema\":{\"a\":1,\"a\":2}}"},
    {"MCP without a schema as OpenAI", "{\"name\":\"a\"}", DEFT_FORM_OPENAI, DEFT_NAMING_PLAIN,
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":"
     "{\"type\":\"object\",\"properties\":{}}}}"},
    {"MCP without a schema as Anthropic", "{\"name\":\"a\"}", DEFT_FORM_ANTHROPIC,
     DEFT_NAMING_PLAIN,
     "{\"name\":\"a\",\"input_schema\":{\"type\":\"object\",\"properties\":{}}}"},
    {"a description that was not one is not converted", "{\"name\":\"a\",\"description\":5}",
     DEFT_FORM_ANTHROPIC, DEFT_NAMING_PLAIN,
     "{\"name\":\"a\",\"input_schema\":{\"type\":\"object\",\"properties\":{}}}"},
    {"OpenAI as it is",
     "{\"type\": \"function\",\"function\":{\"strict\":true,\"name\":\"a\",\"parameters\":{}}}",
     DEFT_FORM_OPENAI, DEFT_NAMING_PLAIN,
     "{\"type\": \"function\",\"function\":{\"strict\":true,\"name\":\"a\",\"parameters\":{}}}"},
    {"OpenAI under its id",
     "{\"name\":\"z\",\"type\":\"function\",\"function\":{\"strict\":true,\"name\":\"a\"}}",
     DEFT_FORM_OPENAI, DEFT_NAMING_ID,
     "{\"name\":\"z\",\"type\":\"function\",\"function\":{\"strict\":true,\"name\":\"s::a\"}}"},
    {"OpenAI as MCP",
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"description\":\"D\",\"parameters\":{"
     "\"x\":1}}}",
     DEFT_FORM_MCP, DEFT_NAMING_PLAIN,
     "{\"name\":\"a\",\"description\":\"D\",\"inputSchema\":{\"x\":1}}"},
    {"OpenAI as Anthropic", "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"strict\":true}}",
     DEFT_FORM_ANTHROPIC, DEFT_NAMING_PLAIN,
     "{\"name\":\"a\",\"input_schema\":{\"type\":\"object\",\"properties\":{}}}"},
    {"the Responses form as OpenAI",
     "{\"type\":\"function\",\"name\":\"a\",\"parameters\":{},\"strict\":false}", DEFT_FORM_OPENAI,
     DEFT_NAMING_PLAIN,
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{},\"strict\":false}}"},
    {"a bare function as OpenAI", "{\"name\":\"a\",\"description\":\"D\",\"parameters\":{}}",
     DEFT_FORM_OPENAI, DEFT_NAMING_WIRE,
     "{\"type\":\"function\",\"function\":{\"name\":\"s__a\",\"description\":\"D\",\"parameters\":{"
     "}}}"},
    {"a bare function as MCP", "{\"name\":\"a\",\"parameters\":{}}", DEFT_FORM_MCP,
     DEFT_NAMING_PLAIN, "{\"name\":\"a\",\"inputSchema\":{}}"},
    {"Anthropic as it is", "{\"cache_control\":{},\"name\":\"a\",\"input_schema\":{}}",
     DEFT_FORM_ANTHROPIC, DEFT_NAMING_PLAIN,
     "{\"cache_control\":{},\"name\":\"a\",\"input_schema\":{}}"},
    {"Anthropic as MCP", "{\"cache_control\":{},\"name\":\"a\",\"input_schema\":{}}", DEFT_FORM_MCP,
     DEFT_NAMING_PLAIN, "{\"name\":\"a\",\"inputSchema\":{}}"},
    {"Anthropic as OpenAI", "{\"name\":\"a\",\"strict\":true,\"input_schema\":{}}",
     DEFT_FORM_OPENAI, DEFT_NAMING_PLAIN,
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{}}}"},
};

static void forms_and_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft_catalog *catalog = test_catalog_of("s", cases[i].definition);
        deft_buffer   out;
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, "before ");
        assert_int_equal(deft_catalog_write_tool(catalog, (deft_tool_id){0}, cases[i].form,
                                                 cases[i].naming, &out),
                         DEFT_OK);
        assert_view_equal(deft_view_slice(deft_buffer_view(&out), 7, SIZE_MAX), cases[i].written);
        deft_buffer_clear(&out);
        deft_catalog_release(catalog);
    }
}

static void compact_in_every_form(void **state)
{
    (void)state;
    static const char nested[] = "{\"type\":\"function\",\"function\":{\"name\":\"a\","
                                 "\"description\":\"D \",\"parameters\":{\"x\":[1]}}}";
    deft_catalog     *catalog  = test_catalog_of(
             "s",
             "{ \"name\" : \"a\" ,\n \"description\" : \"D \" , \"inputSchema\" : { \"x\" : [ 1 ] } }");
    const char *const written[] = {
        "{\"name\":\"a\",\"description\":\"D \",\"inputSchema\":{\"x\":[1]}}",
        nested,
        "{\"name\":\"a\",\"description\":\"D \",\"input_schema\":{\"x\":[1]}}",
    };
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    for (unsigned form = DEFT_FORM_MCP; form <= DEFT_FORM_ANTHROPIC; form++) {
        const deft__writing writing = {.form = (deft_form)form, .is_compact = true};
        deft_buffer_reset(&out);
        assert_int_equal(deft__catalog_write(catalog, (deft_tool_id){0}, writing, &out), DEFT_OK);
        assert_view_equal(deft_buffer_view(&out), written[form]);
    }
    deft_buffer_clear(&out);
    deft_catalog_release(catalog);
}

static void a_tool_that_is_not_there(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of("s", "{\"name\":\"a\"}");
    deft_buffer   out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(
        deft_catalog_write_tool(catalog, (deft_tool_id){1}, DEFT_FORM_MCP, DEFT_NAMING_PLAIN, &out),
        DEFT_NOT_FOUND);
    assert_int_equal(out.size, 0);
    deft_buffer_clear(&out);
    deft_catalog_release(catalog);
}

static bool write_with(const deft_allocator *allocator, void *context)
{
    const deft_catalog *catalog = context;
    bool                is_good = true;
    for (unsigned i = 0; i < 9; i++) {
        deft_buffer out;
        deft_buffer_init(&out, allocator);
        const deft_status status = deft_catalog_write_tool(
            catalog, (deft_tool_id){0}, (deft_form)(i / 3), (deft_naming)(i % 3), &out);
        assert_int_equal(status, out.status);
        if (status != DEFT_OK) {
            assert_int_equal(status, DEFT_OUT_OF_MEMORY);
            assert_int_equal(out.size, 0);
            is_good = false;
        }
        deft_buffer_clear(&out);
    }
    return is_good;
}

static void no_memory(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of(
        "s", "{\"name\":\"a\",\"description\":\"longer than the first piece of memory that a "
             "buffer takes, "
             "so that it has to grow while the definition is being written into it\"}");
    assert_true(test_every_allocation_fails(write_with, catalog) >= 9);
    deft_catalog_release(catalog);
}

static void forms_have_names(void **state)
{
    (void)state;
    deft_form form = DEFT_FORM_MCP;
    assert_string_equal(deft_form_name(DEFT_FORM_OPENAI), "openai");
    assert_string_equal(deft_form_name((deft_form)77), "unknown");
    assert_true(deft_form_from_name(deft_view_of("anthropic"), &form));
    assert_int_equal(form, DEFT_FORM_ANTHROPIC);
    assert_false(deft_form_from_name(deft_view_of("gemini"), &form));
    assert_int_equal(form, DEFT_FORM_ANTHROPIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_and_names),          cmocka_unit_test(compact_in_every_form),
        cmocka_unit_test(a_tool_that_is_not_there), cmocka_unit_test(no_memory),
        cmocka_unit_test(forms_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
