// Every shape that a text of definitions may have, and what is said of one that has none. Proves
// the catalog that A1 and C11 stand on.
#include "deft/catalog.h"

#include "support/catalog.h"
#include "support/guard.h"
#include "support/test.h"

static const char jsonrpc[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}},"
    "{\"name\":\"b\",\"description\":\"B\",\"inputSchema\":{}}],\"nextCursor\":\"x\"}}";

static const struct {
    const char      *name;
    const char      *text;
    const char      *ids; // joined with one space
    deft_form        form;
    deft_server_kind kind;
} shapes[] = {
    {"a tools/list answer", jsonrpc, "a b", DEFT_FORM_MCP, DEFT_SERVER_MCP},
    {"a tools/list result", "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}}]}", "a", DEFT_FORM_MCP,
     DEFT_SERVER_MCP},
    {"one server's file",
     "{\"server\":\"s\",\"instructions\":\"\",\"serverInfo\":{\"name\":\"n\"},"
     "\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
     "s::a s::b", DEFT_FORM_MCP, DEFT_SERVER_MCP},
    {"a file that names its server only in serverInfo",
     "{\"serverInfo\":{\"name\":\"n\"},\"tools\":[{\"name\":\"a\"}]}", "n::a", DEFT_FORM_MCP,
     DEFT_SERVER_MCP},
    {"one definition a line",
     "{\"id\":\"1\",\"server\":\"s\",\"name\":\"a\",\"inputSchema\":{}}\n\r\n"
     "{\"id\":\"2\",\"server\":\"\",\"name\":\"b\",\"inputSchema\":{}}\r\n",
     "s::a b", DEFT_FORM_MCP, DEFT_SERVER_MCP},
    {"one line only", "{\"id\":\"1\",\"server\":\"s\",\"name\":\"a\"}\n", "s::a", DEFT_FORM_MCP,
     DEFT_SERVER_MCP},
    {"a plain array", "[{\"name\":\"a\"},{\"name\":\"b\"}]", "a b", DEFT_FORM_MCP, DEFT_SERVER_MCP},
    {"OpenAI functions",
     "[{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{}}},"
     "{\"type\":\"function\",\"function\":{\"name\":\"b\"}}]",
     "a b", DEFT_FORM_OPENAI, DEFT_SERVER_HOST},
    {"OpenAI functions without a type", "[{\"function\":{\"name\":\"a\"}}]", "a", DEFT_FORM_OPENAI,
     DEFT_SERVER_HOST},
    {"OpenAI functions of the Responses API",
     "[{\"type\":\"function\",\"name\":\"a\",\"parameters\":{},\"strict\":true}]", "a",
     DEFT_FORM_OPENAI, DEFT_SERVER_HOST},
    {"bare functions", "[{\"name\":\"a\",\"description\":\"A\",\"parameters\":{}}]", "a",
     DEFT_FORM_OPENAI, DEFT_SERVER_HOST},
    {"Anthropic tools", "{\"tools\":[{\"name\":\"a\",\"input_schema\":{}}]}", "a",
     DEFT_FORM_ANTHROPIC, DEFT_SERVER_HOST},
    {"a tool that Anthropic runs", "[{\"type\":\"web_search_20250305\",\"name\":\"a\"}]", "a",
     DEFT_FORM_ANTHROPIC, DEFT_SERVER_HOST},
    {"member names with escapes", "{\"\\u0074ools\":[{\"n\\u0061me\":\"a\"}]}", "a", DEFT_FORM_MCP,
     DEFT_SERVER_MCP},
    {"an empty array", "[]", "", DEFT_FORM_MCP, DEFT_SERVER_MCP},
    {"an empty list", "{\"tools\":[]}", "", DEFT_FORM_MCP, DEFT_SERVER_MCP},
    {"white space around it", " \n[ {\"name\" : \"a\"} ]\t\n", "a", DEFT_FORM_MCP, DEFT_SERVER_MCP},
};

// The ids of a catalog, joined with one space.
static void join_ids(const deft_catalog *catalog, char *out, size_t size)
{
    size_t at = 0;
    out[0]    = '\0';
    for (uint32_t i = 0; i < deft_catalog_tool_count(catalog); i++) {
        const deft_view id = deft_catalog_tool(catalog, (deft_tool_id){i})->id;
        at += (size_t)snprintf(out + at, size - at, "%s%.*s", i > 0 ? " " : "", (int)id.size,
                               id.data);
    }
}

static void every_shape_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(shapes); i++) {
        case_name(shapes[i].name);
        char          ids[100];
        deft_catalog *catalog = test_catalog_of(NULL, shapes[i].text);
        join_ids(catalog, ids, sizeof ids);
        assert_string_equal(ids, shapes[i].ids);
        assert_int_equal(deft_catalog_problem_count(catalog), 0);
        for (uint32_t t = 0; t < deft_catalog_tool_count(catalog); t++) {
            const deft_tool *tool = deft_catalog_tool(catalog, (deft_tool_id){t});
            assert_int_equal(tool->form, shapes[i].form);
            assert_int_equal(deft_catalog_server(catalog, tool->server)->kind, shapes[i].kind);
        }
        deft_catalog_release(catalog);
    }
}

static const struct {
    const char *name;
    const char *text;
    deft_status status;
    size_t      offset;
    const char *message;
} failures[] = {
    {"nothing", "", DEFT_INVALID, 0, "x.json: a value expected, but the text ends (byte 0)"},
    {"not JSON", "tools", DEFT_INVALID, 0, NULL},
    {"a text that breaks off", "{\"tools\":[{\"name\":\"a\"}", DEFT_INVALID, 22, NULL},
    {"something behind the list", "{\"tools\":[]}\n{\"tools\":[]}", DEFT_INVALID, 13, NULL},
    {"a number", "5", DEFT_INVALID, 0,
     "x.json: no definitions in here (byte 0); accepted are a tools/list result, an array of "
     "definitions, an object with 'tools', or one definition a line"},
    {"an object of no known shape", "{\"a\":1}", DEFT_INVALID, 0, NULL},
    {"tools that are no array", "{\"tools\":{}}", DEFT_INVALID, 9, NULL},
    {"tools twice", "{\"tools\":[],\"tools\":[]}", DEFT_INVALID, 20, NULL},
    {"the server twice", "{\"tools\":[],\"server\":\"a\",\"server\":\"b\"}", DEFT_INVALID, 34,
     NULL},
    {"a result twice", "{\"result\":{\"tools\":[]},\"result\":{\"tools\":[]}}", DEFT_INVALID, 32,
     NULL},
    {"a result without tools", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", DEFT_INVALID, 33,
     NULL},
    {"an answer that is an error",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\\nsuch\"}}",
     DEFT_INVALID, 32,
     "x.json: the server answered with an error instead of its tools: 'no?such' (byte 32)"},
    {"bytes that are not UTF-8", "[{\"name\":\"\xff\"}]", DEFT_INVALID, 10, NULL},
};

static void what_cannot_be_used_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(failures); i++) {
        case_name(failures[i].name);
        test_guard            guard;
        deft_error            error   = DEFT_ERROR_INIT;
        deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, &error);
        const deft_source     source  = {.label = deft_view_of("x.json")};
        const deft_view       text    = test_guard_copy(&guard, deft_view_of(failures[i].text));
        assert_int_equal(deft_catalog_builder_add(builder, &source, text, &error),
                         failures[i].status);
        assert_int_equal(error.status, failures[i].status);
        assert_int_equal(error.offset, failures[i].offset);
        if (failures[i].message != NULL) {
            assert_string_equal(error.message, failures[i].message);
        }
        test_guard_clear(&guard);
        deft_catalog_builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_understood),
        cmocka_unit_test(what_cannot_be_used_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
