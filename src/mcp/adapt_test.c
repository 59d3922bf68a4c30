// Results carried from one era to the other: what is put in, what is taken out, and that all the
// rest keeps its bytes.
#include "mcp/adapt.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

#define INFO  "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"deft\"}"
#define OTHER "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"x\"}"

static const deft__mcp_caching not_cached = {.is_cacheable = false};
static const deft__mcp_caching in_public  = {.is_cacheable = true, .ttl_ms = 500};
static const deft__mcp_caching in_private = {.is_cacheable = true, .is_private = true};

static const struct {
    const char              *name;
    const char              *result; // NULL: there is none
    const deft__mcp_caching *caching;
    const char              *server_info;
    deft__mcp_era            to;
    bool                     is_call;
    const char              *adapted;
} cases[] = {
    // To modern peers.
    {"a legacy result becomes complete", "{\"a\": 1}", &not_cached, "{\"name\":\"deft\"}",
     DEFT__MCP_ERA_MODERN, false, "{\"a\": 1,\"resultType\":\"complete\",\"_meta\":{" INFO "}}"},
    {"an empty result", "{}", NULL, "", DEFT__MCP_ERA_MODERN, false,
     "{\"resultType\":\"complete\"}"},
    {"no result", NULL, &in_public, "", DEFT__MCP_ERA_MODERN, false,
     "{\"resultType\":\"complete\",\"ttlMs\":500,\"cacheScope\":\"public\"}"},
    {"a result that is no object", "7", NULL, "", DEFT__MCP_ERA_MODERN, false,
     "{\"resultType\":\"complete\"}"},
    {"a modern result without our name stays as it is", "{ \"resultType\" : \"complete\" }",
     &not_cached, "", DEFT__MCP_ERA_MODERN, false, "{ \"resultType\" : \"complete\" }"},
    {"caching is said where it is not", "{\"tools\":[]}", &in_private, "", DEFT__MCP_ERA_MODERN,
     false, "{\"tools\":[],\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\"}"},
    {"caching that is said stays",
     "{\"ttlMs\":7,\"cacheScope\":\"private\",\"resultType\":\"complete\"}", &in_public, "",
     DEFT__MCP_ERA_MODERN, false,
     "{\"ttlMs\":7,\"cacheScope\":\"private\",\"resultType\":\"complete\"}"},
    {"caching that is badly said is said anew",
     "{\"ttlMs\":-1,\"a\":1,\"cacheScope\":\"world\",\"resultType\":\"complete\"}", &in_public, "",
     DEFT__MCP_ERA_MODERN, false,
     "{\"a\":1,\"resultType\":\"complete\",\"ttlMs\":500,\"cacheScope\":\"public\"}"},
    {"a member that only looks like caching stays", "{\"ttlMs\":null,\"resultType\":\"task\"}",
     &not_cached, "", DEFT__MCP_ERA_MODERN, true, "{\"ttlMs\":null,\"resultType\":\"task\"}"},
    {"a question is not cached and needs no content", "{\"resultType\":\"input_required\"}",
     &in_public, "", DEFT__MCP_ERA_MODERN, true, "{\"resultType\":\"input_required\"}"},
    {"a type of null is none", "{\"resultType\":null,\"a\":1}", &in_public, "",
     DEFT__MCP_ERA_MODERN, false,
     "{\"a\":1,\"resultType\":\"complete\",\"ttlMs\":500,\"cacheScope\":\"public\"}"},
    {"our name goes beside what is in _meta", "{\"_meta\":{\"k\":1},\"resultType\":\"complete\"}",
     NULL, "{\"name\":\"deft\"}", DEFT__MCP_ERA_MODERN, false,
     "{\"_meta\":{\"k\":1," INFO "},\"resultType\":\"complete\"}"},
    {"our name goes into an empty _meta", "{\"_meta\":{},\"resultType\":\"complete\"}", NULL,
     "{\"name\":\"deft\"}", DEFT__MCP_ERA_MODERN, false,
     "{\"_meta\":{" INFO "},\"resultType\":\"complete\"}"},
    {"our name takes the place of another server's",
     "{\"_meta\":{" OTHER ",\"k\":1},\"resultType\":\"complete\"}", NULL, "{\"name\":\"deft\"}",
     DEFT__MCP_ERA_MODERN, false, "{\"_meta\":{\"k\":1," INFO "},\"resultType\":\"complete\"}"},
    {"our name alone takes the place of another server's",
     "{\"_meta\":{" OTHER "},\"resultType\":\"complete\"}", NULL, "{\"name\":\"deft\"}",
     DEFT__MCP_ERA_MODERN, false, "{\"_meta\":{" INFO "},\"resultType\":\"complete\"}"},
    {"a _meta of null gives way to ours", "{\"_meta\":null,\"resultType\":\"complete\"}", NULL,
     "{\"name\":\"deft\"}", DEFT__MCP_ERA_MODERN, false,
     "{\"resultType\":\"complete\",\"_meta\":{" INFO "}}"},
    {"any structured content is fine", "{\"content\":[],\"structuredContent\":[1]}", NULL, "",
     DEFT__MCP_ERA_MODERN, true,
     "{\"content\":[],\"structuredContent\":[1],\"resultType\":\"complete\"}"},
    {"a call without content", "{\"isError\":false}", NULL, "", DEFT__MCP_ERA_MODERN, true,
     "{\"isError\":false,\"content\":[],\"resultType\":\"complete\"}"},

    // To legacy peers.
    {"a legacy result keeps every byte", "{ \"content\" : [ ] , \"x\":1.0e0,\"_meta\":{ } }",
     &in_public, "{\"name\":\"deft\"}", DEFT__MCP_ERA_LEGACY, true,
     "{ \"content\" : [ ] , \"x\":1.0e0,\"_meta\":{ } }"},
    {"what modern results say of themselves is taken out",
     "{\"resultType\":\"complete\",\"tools\":[],\"ttlMs\":1,\"cacheScope\":\"public\"}", &in_public,
     "{\"name\":\"deft\"}", DEFT__MCP_ERA_LEGACY, false, "{\"tools\":[]}"},
    {"and nothing may be left", "{\"resultType\":\"complete\",\"ttlMs\":1}", NULL, "",
     DEFT__MCP_ERA_LEGACY, false, "{}"},
    {"in the middle", "{\"a\":1,\"resultType\":\"complete\",\"b\":2}", NULL, "",
     DEFT__MCP_ERA_LEGACY, false, "{\"a\":1,\"b\":2}"},
    {"however it is spelt", "{\"result\\u0054ype\":\"complete\",\"a\":1}", NULL, "",
     DEFT__MCP_ERA_LEGACY, false, "{\"a\":1}"},
    {"as often as it comes",
     "{\"resultType\":\"x\",\"resultType\":\"y\",\"a\":1,\"resultType\":\"z\",\"resultType\":1}",
     NULL, "", DEFT__MCP_ERA_LEGACY, false, "{\"a\":1}"},
    {"a name that only begins like it stays", "{\"resultTypes\":1,\"tasks\":{\"ttlMs\":1}}", NULL,
     "", DEFT__MCP_ERA_LEGACY, false, "{\"resultTypes\":1,\"tasks\":{\"ttlMs\":1}}"},
    {"a server's name is taken out of _meta", "{\"_meta\":{\"k\":1," OTHER "},\"a\":1}", NULL, "",
     DEFT__MCP_ERA_LEGACY, false, "{\"_meta\":{\"k\":1},\"a\":1}"},
    {"and _meta goes where nothing else is in it", "{\"_meta\":{" OTHER "},\"a\":1}", NULL, "",
     DEFT__MCP_ERA_LEGACY, false, "{\"a\":1}"},
    {"structured content that is an object stays",
     "{\"content\":[],\"structuredContent\":{\"a\":[1]}}", NULL, "", DEFT__MCP_ERA_LEGACY, true,
     "{\"content\":[],\"structuredContent\":{\"a\":[1]}}"},
    {"other structured content goes", "{\"structuredContent\":[1],\"content\":[]}", NULL, "",
     DEFT__MCP_ERA_LEGACY, true, "{\"content\":[]}"},
    {"but is said as text where there is nothing else", "{\"structuredContent\":[\"a\"]}", NULL, "",
     DEFT__MCP_ERA_LEGACY, true, "{\"content\":[{\"type\":\"text\",\"text\":\"[\\\"a\\\"]\"}]}"},
    {"structured content of null is nothing", "{\"structuredContent\":null,\"content\":null}", NULL,
     "", DEFT__MCP_ERA_LEGACY, true, "{\"content\":[]}"},
    {"structured content of something else than a call", "{\"structuredContent\":[1]}", NULL, "",
     DEFT__MCP_ERA_LEGACY, false, "{\"structuredContent\":[1]}"},
    {"a call without a result", NULL, NULL, "", DEFT__MCP_ERA_LEGACY, true, "{\"content\":[]}"},
    {"an unknown era counts as legacy", "{\"resultType\":\"complete\"}", NULL, "",
     DEFT__MCP_ERA_UNKNOWN, false, "{}"},
};

static void results_are_adapted(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft__json  document;
        deft_buffer out;
        test_guard  guard = {0};
        deft__json_init(&document, NULL);
        deft_buffer_init(&out, NULL);
        case_name(cases[i].name);
        if (cases[i].result != NULL) {
            const deft_view text = test_guard_copy(&guard, deft_view_of(cases[i].result));
            assert_int_equal(deft__json_parse(&document, text, NULL, NULL), DEFT_OK);
        }
        deft__mcp_write_result_for(&out, deft__json_root(&document), cases[i].to, cases[i].caching,
                                   deft_view_of(cases[i].server_info), cases[i].is_call);
        assert_view_equal(deft_buffer_view(&out), cases[i].adapted);
        deft_buffer_clear(&out);
        deft__json_clear(&document);
        if (cases[i].result != NULL) {
            test_guard_clear(&guard);
        }
    }
}

static bool adapt_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__json  document;
    deft_buffer out;
    deft__json_init(&document, NULL);
    deft_buffer_init(&out, allocator);
    assert_int_equal(
        deft__json_parse(&document, deft_view_of("{\"_meta\":{\"k\":1},\"tools\":[]}"), NULL, NULL),
        DEFT_OK);
    deft__mcp_write_result_for(&out, deft__json_root(&document), DEFT__MCP_ERA_MODERN, &in_public,
                               deft_view_of("{\"name\":\"deft\"}"), true);
    deft__mcp_write_result_for(&out, deft__json_root(&document), DEFT__MCP_ERA_LEGACY, &in_public,
                               deft_view_of("{\"name\":\"deft\"}"), true);
    deft__mcp_write_tool_error(&out, deft_view_of("no such file"));
    const bool is_ok = out.status == DEFT_OK;
    deft_buffer_clear(&out);
    deft__json_clear(&document);
    return is_ok;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(adapt_with, NULL) > 0);
}

static void errors_that_a_model_can_act_on(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__mcp_write_tool_error(&out, deft_view_of("no \"file\"\n"));
    assert_view_equal(
        deft_buffer_view(&out),
        "{\"content\":[{\"type\":\"text\",\"text\":\"no \\\"file\\\"\\n\"}],\"isError\":true}");
    deft_buffer_clear(&out);
}

static void types_of_results(void **state)
{
    (void)state;
    static const struct {
        const char           *result;
        deft__mcp_result_type type;
    } types[] = {
        {"{}", DEFT__MCP_COMPLETE},
        {"{\"resultType\":null}", DEFT__MCP_COMPLETE},
        {"{\"resultType\":\"complete\"}", DEFT__MCP_COMPLETE},
        {"{\"resultType\":\"input_required\"}", DEFT__MCP_INPUT_REQUIRED},
        {"{\"resultType\":\"input\\u005frequired\"}", DEFT__MCP_INPUT_REQUIRED},
        {"{\"resultType\":\"task\"}", DEFT__MCP_RESULT_UNKNOWN},
        {"{\"resultType\":1}", DEFT__MCP_RESULT_UNKNOWN},
        {"[]", DEFT__MCP_COMPLETE},
    };
    deft__json document;
    deft__json_init(&document, NULL);
    for (size_t i = 0; i < array_size(types); i++) {
        case_name(types[i].result);
        assert_int_equal(deft__json_parse(&document, deft_view_of(types[i].result), NULL, NULL),
                         DEFT_OK);
        assert_int_equal(deft__mcp_result_type_of(deft__json_root(&document)), types[i].type);
    }
    deft__json_clear(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_adapted),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(errors_that_a_model_can_act_on),
        cmocka_unit_test(types_of_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
