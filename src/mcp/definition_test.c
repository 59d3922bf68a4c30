// Definitions for peers of either era: what they could not take goes, all else keeps its bytes.
#include "mcp/adapt.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

#define MODERN DEFT__MCP_ERA_MODERN
#define LEGACY DEFT__MCP_ERA_LEGACY

static const struct {
    const char   *name;
    const char   *definition;
    deft__mcp_era to;
    const char   *adapted; // NULL: as it is
} cases[] = {
    {"a plain one", "{ \"name\" : \"a\", \"inputSchema\":{\"type\":\"object\"} }", MODERN, NULL},
    {"a plain one, legacy", "{ \"name\" : \"a\", \"inputSchema\":{\"type\":\"object\"} }", LEGACY,
     NULL},

    {"execution goes for modern peers",
     "{\"name\":\"a\",\"execution\":{\"taskSupport\":\"optional\"},\"title\":\"A\"}", MODERN,
     "{\"name\":\"a\",\"title\":\"A\"}"},
    {"execution stays for legacy ones",
     "{\"name\":\"a\",\"execution\":{\"taskSupport\":\"optional\"}}", LEGACY, NULL},
    {"execution first", "{\"execution\":{}, \"name\":\"a\"}", MODERN, "{\"name\":\"a\"}"},
    {"execution alone", "{\"execution\":{}}", MODERN, "{}"},
    {"execution by another spelling", "{\"name\":\"a\",\"\\u0065xecution\":{}}", MODERN,
     "{\"name\":\"a\"}"},
    {"execution twice", "{\"execution\":{},\"execution\":{},\"name\":\"a\",\"execution\":{}}",
     MODERN, "{\"name\":\"a\"}"},
    {"the word elsewhere stays",
     "{\"name\":\"execution\",\"inputSchema\":{\"properties\":{\"execution\":{}}}}", MODERN, NULL},

    {"an output of an object stays", "{\"outputSchema\":{\"type\":\"object\"},\"name\":\"a\"}",
     LEGACY, NULL},
    {"another output goes for legacy peers",
     "{\"name\":\"a\",\"outputSchema\":{\"type\":\"array\"}}", LEGACY, "{\"name\":\"a\"}"},
    {"and stays for modern ones", "{\"name\":\"a\",\"outputSchema\":{\"type\":\"array\"}}", MODERN,
     NULL},
    {"an output without a type goes", "{\"name\":\"a\",\"outputSchema\":{\"anyOf\":[]}}", LEGACY,
     "{\"name\":\"a\"}"},
    {"an output of several types goes", "{\"name\":\"a\",\"outputSchema\":{\"type\":[\"object\"]}}",
     LEGACY, "{\"name\":\"a\"}"},
    {"an output that is no object goes", "{\"outputSchema\":true,\"name\":\"a\"}", LEGACY,
     "{\"name\":\"a\"}"},

    {"a header goes",
     "{\"inputSchema\":{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","
     "\"x-mcp-header\":\"Region\"}}}}",
     MODERN,
     "{\"inputSchema\":{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\"}}}}"},
    {"for legacy peers too",
     "{\"inputSchema\":{\"properties\":{\"a\":{\"x-mcp-header\":\"A\",\"type\":\"string\"}}}}",
     LEGACY, "{\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}"},
    {"a header alone", "{\"inputSchema\":{\"properties\":{\"a\":{ \"x-mcp-header\":\"A\" }}}}",
     LEGACY, "{\"inputSchema\":{\"properties\":{\"a\":{  }}}}"},
    {"a header by another spelling",
     "{\"inputSchema\":{\"properties\":{\"a\":{\"x\\u002dmcp-header\":\"A\"}}}}", LEGACY,
     "{\"inputSchema\":{\"properties\":{\"a\":{}}}}"},
    {"a property of that name stays",
     "{\"inputSchema\":{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}}", MODERN, NULL},
    {"also one whose schema has the keyword",
     "{\"inputSchema\":{\"properties\":{\"x-mcp-header\":{\"x-mcp-header\":\"X\"}}}}", MODERN,
     "{\"inputSchema\":{\"properties\":{\"x-mcp-header\":{}}}}"},
    {"a property called properties",
     "{\"inputSchema\":{\"properties\":{\"properties\":{\"x-mcp-header\":\"X\"}}}}", MODERN,
     "{\"inputSchema\":{\"properties\":{\"properties\":{}}}}"},
    {"deep inside",
     "{\"inputSchema\":{\"properties\":{\"a\":{\"properties\":{\"b\":{\"x-mcp-header\":\"B\"},"
     "\"c\":{\"x-mcp-header\":\"C\",\"type\":\"integer\"}},\"x-mcp-header\":\"A\"}}},\"name\":"
     "\"n\"}",
     MODERN,
     "{\"inputSchema\":{\"properties\":{\"a\":{\"properties\":{\"b\":{},"
     "\"c\":{\"type\":\"integer\"}}}}},\"name\":\"n\"}"},
    {"where it is not allowed it goes as well",
     "{\"inputSchema\":{\"x-mcp-header\":\"R\",\"items\":[{\"x-mcp-header\":\"I\"}],"
     "\"anyOf\":[{\"properties\":{\"a\":{\"x-mcp-header\":\"A\"}}}],\"not\":{\"x-mcp-header\":1},"
     "\"$defs\":{\"d\":{\"x-mcp-header\":\"D\"}},\"additionalProperties\":false}}",
     MODERN,
     "{\"inputSchema\":{\"items\":[{}],"
     "\"anyOf\":[{\"properties\":{\"a\":{}}}],\"not\":{},"
     "\"$defs\":{\"d\":{}},\"additionalProperties\":false}}"},
    {"values are not schemas",
     "{\"inputSchema\":{\"properties\":{\"a\":{\"default\":{\"x-mcp-header\":\"A\"},"
     "\"enum\":[{\"x-mcp-header\":1}],\"examples\":[{\"x-mcp-header\":1}]}}}}",
     MODERN, NULL},
    {"an output schema has no headers",
     "{\"outputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"x-mcp-header\":\"A\"}}}}",
     LEGACY, NULL},
    {"a description may speak of it", "{\"description\":\"uses x-mcp-header\"}", MODERN, NULL},
    {"schemas of strange kinds", "{\"inputSchema\":[\"x-mcp-header\",{\"properties\":7}]}", MODERN,
     NULL},
};

static void definitions_are_adapted(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_error error = DEFT_ERROR_INIT;
        test_guard guard;
        case_name(cases[i].name);
        deft_buffer_reset(&out);
        deft_buffer_append_text(&out, ">");
        assert_ok(deft__mcp_write_definition_for(
                      &out, test_guard_copy(&guard, deft_view_of(cases[i].definition)), cases[i].to,
                      &error),
                  error);
        assert_view_equal(deft_view_slice(deft_buffer_view(&out), 1, out.size),
                          cases[i].adapted != NULL ? cases[i].adapted : cases[i].definition);
        test_guard_clear(&guard);
    }
    deft_buffer_clear(&out);
}

static void what_is_no_definition_leaves_nothing(void **state)
{
    (void)state;
    static const char *const bad[] = {"[\"execution\"]", "\"execution\"",
                                      "{\"execution\":", "{\"execution\":{}} x"};
    deft_buffer              out;
    deft_buffer_init(&out, NULL);
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_error error = DEFT_ERROR_INIT;
        case_name(bad[i]);
        assert_int_equal(deft__mcp_write_definition_for(&out, deft_view_of(bad[i]), MODERN, &error),
                         DEFT_INVALID);
        assert_int_not_equal(error.message[0], '\0');
        assert_int_equal(out.size, 0);
        assert_int_equal(out.status, DEFT_OK);
    }
    deft_buffer_clear(&out);
}

static bool adapt_with(const deft_allocator *allocator, void *context)
{
    const deft_view *definition = context;
    deft_error       error      = DEFT_ERROR_INIT;
    deft_buffer      out;
    deft_buffer_init(&out, allocator);
    const deft_status status = deft__mcp_write_definition_for(&out, *definition, MODERN, &error);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    assert_int_equal(error.status, status);
    deft_buffer_clear(&out);
    return status == DEFT_OK;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    deft_view plain = deft_view_of("{\"name\":\"a\"}");
    deft_view other =
        deft_view_of("{\"name\":\"a\",\"execution\":{},\"description\":\"long enough to make the "
                     "buffer grow once more than it would for a short one\",\"inputSchema\":"
                     "{\"properties\":{\"a\":{\"x-mcp-header\":1}}}}");
    assert_true(test_every_allocation_fails(adapt_with, &plain) > 0);
    assert_true(test_every_allocation_fails(adapt_with, &other) > 1);
}

// As deep as the reader allows, and one deeper.
static void depth_is_bounded(void **state)
{
    (void)state;
    for (size_t depth = 120; depth < 200; depth += 60) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer in;
        deft_buffer out;
        deft_buffer_init(&in, NULL);
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&in, "{\"inputSchema\":");
        for (size_t i = 0; i < depth; i++) {
            deft_buffer_append_text(&in, "{\"not\":");
        }
        deft_buffer_append_text(&in, "{\"x-mcp-header\":1}");
        for (size_t i = 0; i < depth; i++) {
            deft_buffer_append_text(&in, "}");
        }
        deft_buffer_append_text(&in, "}");
        assert_int_equal(
            deft__mcp_write_definition_for(&out, deft_buffer_view(&in), LEGACY, &error),
            depth < 128 ? DEFT_OK : DEFT_LIMIT);
        assert_int_equal(out.size, depth < 128 ? in.size - strlen("\"x-mcp-header\":1") : 0);
        deft_buffer_clear(&in);
        deft_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_adapted),
        cmocka_unit_test(what_is_no_definition_leaves_nothing),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
