// Whole catalogs: what comes from several sources, what is the same and what is kept apart, and
// that nothing of it depends on how much there is. Proves C11.
#include "deft/catalog.h"

#include "support/allocator.h"
#include "support/catalog.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/test.h"

static deft_catalog_builder *new_builder(void)
{
    deft_error            error   = DEFT_ERROR_INIT;
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, &error);
    assert_non_null(builder);
    return builder;
}

static void add(deft_catalog_builder *builder, const char *label, const char *server,
                const char *text)
{
    deft_error        error  = DEFT_ERROR_INIT;
    const deft_source source = {.label = deft_view_of(label), .server = deft_view_of(server)};
    assert_ok(deft_catalog_builder_add(builder, &source, deft_view_of(text), &error), error);
}

static void add_kind(deft_catalog_builder *builder, const char *server, deft_server_kind kind,
                     const char *text)
{
    deft_error        error  = DEFT_ERROR_INIT;
    const deft_source source = {.server = deft_view_of(server), .is_kind_set = true, .kind = kind};
    assert_ok(deft_catalog_builder_add(builder, &source, deft_view_of(text), &error), error);
}

static deft_catalog *finish(deft_catalog_builder *builder)
{
    deft_error    error   = DEFT_ERROR_INIT;
    deft_catalog *catalog = deft_catalog_builder_finish(builder, &error);
    assert_non_null(catalog);
    return catalog;
}

// Tools of a server stand together, each has its own id and wire name, and is found by them.
static void assert_sound(const deft_catalog *catalog)
{
    uint32_t next = 0;
    for (uint32_t s = 0; s < deft_catalog_server_count(catalog); s++) {
        const deft_server *server = deft_catalog_server(catalog, (deft_server_id){s});
        assert_int_equal(server->first_tool.index, next);
        for (uint32_t i = 0; i < server->tool_count; i++, next++) {
            const deft_tool *tool  = deft_catalog_tool(catalog, (deft_tool_id){next});
            deft_tool_id     found = {UINT32_MAX};
            assert_int_equal(tool->server.index, s);
            assert_true(deft_catalog_find(catalog, tool->id, &found));
            assert_int_equal(found.index, next);
            assert_true(deft_catalog_find_wire(catalog, tool->wire_name, &found));
            assert_int_equal(found.index, next);
        }
    }
    assert_int_equal(next, deft_catalog_tool_count(catalog));
    assert_null(deft_catalog_tool(catalog, (deft_tool_id){next}));
}

static void definitions_come_back_byte_for_byte(void **state)
{
    (void)state;
    static const char *const definitions[] = {
        "{\"name\":\"plain\",\"inputSchema\":{\"type\":\"object\"}}",
        "{ \"name\"\t:\r\n \"spaced\" , \"inputSchema\" : {\n \"a\" : [ ]\n } }",
        "{\"n\\u0061me\":\"esc\\u0061ped\",\"description\":\"\\/\\u00e9\\ud83d\\ude00\\b\"}",
        "{\"name\":\"numbers\",\"inputSchema\":{\"maximum\":9223372036854775808,\"x\":1.0,\"y\":-0,"
        "\"z\":1E+400}}",
        "{\"name\":\"surrogates\",\"description\":\"\\ud800 "
        "\\udfff\",\"inputSchema\":{\"\\udc00\":{}}}",
        "{\"name\":\"twice\",\"inputSchema\":{\"a\":1,\"a\":2,\"properties\":{},\"properties\":{"
        "\"b\":{}}}}",
        "{\"name\":\"unknown\",\"x\":null,\"x\":[{}],\"\":\"\"}",
        "{\"name\":\"\xe6\x97\xa5\xe6\x9c\xac\",\"description\":\"\xf0\x9f\x98\x80\"}",
        "{\"type\":\"function\",\"function\":{\"name\":\"nested\",\"parameters\":{}}}",
        "{\"type\":\"function\",\"name\":\"flat\",\"parameters\":{}}",
        "{\"input_schema\":{},\"name\":\"anthropic\"}",
    };
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (size_t i = 0; i < array_size(definitions); i++) {
        deft_buffer_append_text(&text, i > 0 ? " , " : "[ ");
        deft_buffer_append_text(&text, definitions[i]);
    }
    deft_buffer_append_text(&text, "]");
    const deft_source source  = {.server = deft_view_of("s")};
    deft_catalog     *catalog = test_catalog_of_view(NULL, &source, deft_buffer_view(&text));
    deft_buffer_clear(&text); // the catalog has a copy
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    assert_int_equal(deft_catalog_tool_count(catalog), array_size(definitions));
    for (uint32_t i = 0; i < array_size(definitions); i++) {
        const deft_tool *tool = deft_catalog_tool(catalog, (deft_tool_id){i});
        assert_view_equal(tool->definition, definitions[i]);
    }
    assert_view_equal(test_catalog_tool(catalog, "s::escaped")->description,
                      "/\xc3\xa9\xf0\x9f\x98\x80\b");
    assert_view_equal(test_catalog_tool(catalog, "s::surrogates")->description,
                      "\xef\xbf\xbd \xef\xbf\xbd");
    assert_view_equal(test_catalog_tool(catalog, "s::twice")->parameters[0].name, "b");
    assert_sound(catalog);
    deft_catalog_release(catalog);
}

static void pages_of_several_servers(void **state)
{
    (void)state;
    deft_catalog_builder *builder = new_builder();
    add(builder, "page 1", "x",
        "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"nextCursor\":\"2\"}");
    add(builder, "y.json", NULL,
        "{\"server\":\"y\",\"instructions\":\"Do\\nthis\",\"serverInfo\":"
        "{\"name\":\"why\",\"title\":\"Why?\",\"version\":\"1.2\"},\"tools\":[{\"name\":\"a\"}]}");
    add(builder, "page 2", "x",
        "{\"tools\":[{\"name\":\"c\"},{\"name\":\"a\"}],\"serverInfo\":{\"name\":\"ex\","
        "\"version\":\"3\"}}");
    add(builder, "z.json", NULL,
        "{\"server\":\"z\",\"instructions\":null,\"serverInfo\":null,\"tools\":[]}");
    deft_catalog *catalog = finish(builder);
    deft_catalog_builder_free(builder);

    assert_sound(catalog);
    assert_int_equal(deft_catalog_server_count(catalog), 3);
    assert_null(deft_catalog_server(catalog, (deft_server_id){3}));
    const deft_server *x = deft_catalog_server(catalog, (deft_server_id){0});
    const deft_server *y = deft_catalog_server(catalog, (deft_server_id){1});
    const deft_server *z = deft_catalog_server(catalog, (deft_server_id){2});
    assert_view_equal(x->name, "x");
    assert_int_equal(x->tool_count, 3);
    assert_view_equal(x->title, "ex");
    assert_view_equal(x->version, "3");
    assert_view_equal(y->title, "Why?");
    assert_view_equal(y->instructions, "Do\nthis");
    assert_view_equal(y->info, "{\"name\":\"why\",\"title\":\"Why?\",\"version\":\"1.2\"}");
    assert_view_equal(z->name, "z");
    assert_int_equal(z->tool_count, 0);
    assert_int_equal(z->kind, DEFT_SERVER_MCP);
    assert_view_equal(deft_catalog_tool(catalog, (deft_tool_id){2})->id, "x::c");

    assert_int_equal(deft_catalog_problem_count(catalog), 1);
    assert_view_equal(deft_catalog_problem(catalog, 0)->label, "page 2");
    assert_view_equal(deft_catalog_problem(catalog, 0)->message,
                      "tool 'a' of server 'x': the name is taken by the tool at byte 10 of page 1; "
                      "names are unique within a server (byte 23)");
    deft_catalog_release(catalog);
}

static const struct {
    const char *name;
    const char *text;
    const char *message;
} server_flaws[] = {
    {"a server that is no string", "{\"server\":5,\"tools\":[{\"name\":\"a\"}]}",
     "the source: server is not a string; it is ignored (byte 10)"},
    {"a server's name that cannot be one", "{\"server\":\"a::b\",\"tools\":[{\"name\":\"a\"}]}",
     "the source: the server's name holds '::' or ends in ':'; '::' stands between a server and "
     "its tool; it is ignored (byte 10)"},
    {"instructions that are no string", "{\"server\":\"s\",\"instructions\":[],\"tools\":[]}",
     "server 's': instructions is not a string; it is ignored (byte 29)"},
    {"serverInfo that is no object", "{\"server\":\"s\",\"serverInfo\":1,\"tools\":[]}",
     "server 's': serverInfo is not an object; it is ignored (byte 27)"},
    {"a version that is no string",
     "{\"server\":\"s\",\"serverInfo\":{\"version\":1},\"tools\":[]}",
     "server 's': version is not a string; it is ignored (byte 38)"},
};

static void flaws_of_a_server_cost_only_themselves(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(server_flaws); i++) {
        case_name(server_flaws[i].name);
        deft_catalog *catalog = test_catalog_of(NULL, server_flaws[i].text);
        assert_int_equal(deft_catalog_problem_count(catalog), 1);
        assert_view_equal(deft_catalog_problem(catalog, 0)->message, server_flaws[i].message);
        assert_sound(catalog);
        deft_catalog_release(catalog);
    }
}

static void whose_tools_they_are(void **state)
{
    (void)state;
    deft_catalog_builder *builder = new_builder();
    add(builder, "", NULL, "[{\"name\":\"mcp\"},{\"name\":\"host\",\"parameters\":{}}]");
    add_kind(builder, NULL, DEFT_SERVER_BUILTIN, "[{\"name\":\"own\",\"parameters\":{}}]");
    add(builder, "", "named", "[{\"name\":\"first\",\"input_schema\":{}},{\"name\":\"second\"}]");
    add(builder, "", "later", "{\"tools\":[]}");
    add_kind(builder, "later", DEFT_SERVER_HOST, "[{\"name\":\"a\"}]");
    add_kind(builder, "empty", DEFT_SERVER_BUILTIN, "{\"tools\":[]}");
    deft_catalog *catalog = finish(builder);
    deft_catalog_builder_free(builder);
    assert_sound(catalog);

    static const struct {
        const char      *id;
        deft_server_kind kind;
    } want[] = {
        {"mcp", DEFT_SERVER_MCP},
        {"host", DEFT_SERVER_HOST},
        {"own", DEFT_SERVER_BUILTIN},
        {"named::first", DEFT_SERVER_HOST},
        {"named::second", DEFT_SERVER_HOST},
        {"later::a", DEFT_SERVER_HOST},
    };
    for (size_t i = 0; i < array_size(want); i++) {
        case_name(want[i].id);
        const deft_tool *tool = test_catalog_tool(catalog, want[i].id);
        assert_int_equal(deft_catalog_server(catalog, tool->server)->kind, want[i].kind);
    }
    deft_server_id empty;
    assert_true(deft_catalog_find_server(catalog, deft_view_of("empty"), &empty));
    assert_int_equal(deft_catalog_server(catalog, empty)->kind, DEFT_SERVER_BUILTIN);
    deft_catalog_release(catalog);
}

static void lines_may_share_a_name_where_their_ids_differ(void **state)
{
    (void)state;
    deft_catalog *catalog =
        test_catalog_of(NULL, "{\"id\":\"a\",\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"id\":\"s/a#2\",\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"id\":\"s::a#3\",\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"id\":\"a#4\",\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"id\":\"s/a\",\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"id\":\"s/a\",\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"name\":\"a\",\"server\":\"s\"}\n"
                              "{\"id\":\"b\",\"name\":\"b\"}\n"
                              "{\"id\":\"s::a\",\"name\":\"b\"}\n"
                              "not JSON\n"
                              "{\"id\":\"c\",\"name\":\"c\"}");
    static const char *const ids[] = {"s::a", "s::a#2", "s::a#3", "s::a#4", "s::s/a", "b", "c"};
    assert_int_equal(deft_catalog_tool_count(catalog), array_size(ids));
    for (uint32_t i = 0; i < array_size(ids); i++) {
        assert_view_equal(deft_catalog_tool(catalog, (deft_tool_id){i})->id, ids[i]);
    }
    assert_view_equal(test_catalog_tool(catalog, "s::a#2")->source_id, "s/a#2");
    assert_view_equal(test_catalog_tool(catalog, "s::a#2")->name, "a");
    assert_int_equal(deft_catalog_problem_count(catalog), 4);
    assert_view_equal(deft_catalog_problem(catalog, 0)->message,
                      "tool at position 9: its line is not JSON: a value expected (byte 298)");
    assert_int_equal(deft_catalog_problem(catalog, 1)->position, 5);
    assert_int_equal(deft_catalog_problem(catalog, 2)->position, 6);
    assert_int_equal(deft_catalog_problem(catalog, 3)->position, 8);
    assert_int_equal(deft_catalog_problem(catalog, 3)->status, DEFT_DUPLICATE);
    assert_sound(catalog);
    deft_catalog_release(catalog);

    // In a list that a server gave, the name is all there is to call a tool by.
    catalog = test_catalog_of("s", "[{\"name\":\"a\",\"id\":\"1\"},{\"name\":\"a\",\"id\":\"2\"}]");
    assert_int_equal(deft_catalog_tool_count(catalog), 1);
    assert_int_equal(deft_catalog_problem(catalog, 0)->status, DEFT_DUPLICATE);
    deft_catalog_release(catalog);
}

static void a_shared_hash_gets_longer(void **state)
{
    (void)state;
    // Found by trying four million names: both have the same letters when sanitised, and the
    // first 40 bits of their hashes are equal.
    deft_catalog *catalog =
        test_catalog_of("s", "[{\"name\":\"// !/!/!!  \"},{\"name\":\"/!/ /!. .!/\"}]");
    assert_int_equal(deft_catalog_tool_count(catalog), 2);
    const deft_view first  = deft_catalog_tool(catalog, (deft_tool_id){0})->wire_name;
    const deft_view second = deft_catalog_tool(catalog, (deft_tool_id){1})->wire_name;
    assert_view_equal(first, "s________________2c302916e6");
    assert_int_equal(second.size, first.size + 6);
    assert_sound(catalog);
    deft_catalog_release(catalog);
}

static void the_version_is_that_of_the_definitions(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[{\"name\":\"a\"},{\"name\":\"b\"}]",
        "{\"tools\":[ {\"name\":\"a\"}, {\"name\":\"b\"} ]}",
        "[{\"name\":\"b\"},{\"name\":\"a\"}]",
        "[{\"name\":\"a\"},{\"name\":\"b\" }]",
        "[{\"name\":\"a\"}]",
    };
    uint64_t versions[array_size(texts)];
    for (size_t i = 0; i < array_size(texts); i++) {
        deft_catalog *catalog = test_catalog_of("s", texts[i]);
        versions[i]           = deft_catalog_version(catalog);
        deft_catalog_release(catalog);
    }
    assert_true(versions[0] == versions[1]);
    for (size_t i = 2; i < array_size(texts); i++) {
        assert_true(versions[0] != versions[i]);
    }
    deft_catalog *other = test_catalog_of("t", texts[0]);
    assert_true(versions[0] != deft_catalog_version(other));
    deft_catalog_release(other);
}

static void a_catalog_lives_as_long_as_it_is_held(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of("s", "[{\"name\":\"a\"}]");
    assert_ptr_equal(deft_catalog_retain(catalog), catalog);
    deft_catalog_release(catalog);
    assert_int_equal(deft_catalog_tool_count(catalog), 1);
    assert_true(deft_catalog_memory(catalog) > sizeof(deft_tool));
    deft_catalog_release(catalog);
    deft_catalog_release(NULL);
    deft_catalog_builder_free(NULL);
}

static void a_failed_source_leaves_nothing_behind(void **state)
{
    (void)state;
    deft_catalog_builder *builder = new_builder();
    deft_error            error   = DEFT_ERROR_INIT;
    add(builder, "good", "s", "[{\"name\":\"a\"}]");
    const deft_source bad_server = {.server = deft_view_of("a::b")};
    assert_int_equal(deft_catalog_builder_add(builder, &bad_server, deft_view_of("[]"), &error),
                     DEFT_INVALID);
    assert_string_equal(error.message, "source: the server's name holds '::' or ends in ':'; '::' "
                                       "stands between a server and its tool");
    assert_int_equal(
        deft_catalog_builder_add(builder, NULL, deft_view_of("[{\"name\":\"b\"}"), NULL),
        DEFT_INVALID);
    deft_catalog *catalog = finish(builder);
    assert_int_equal(deft_catalog_tool_count(catalog), 1);
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    deft_catalog_release(catalog);

    // A finished builder is empty, and can build the next one.
    catalog = finish(builder);
    assert_int_equal(deft_catalog_tool_count(catalog), 0);
    assert_int_equal(deft_catalog_server_count(catalog), 0);
    deft_catalog_release(catalog);
    add(builder, "next", "s", "[{\"name\":\"b\"}]");
    catalog = finish(builder);
    test_catalog_tool(catalog, "s::b");
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
}

static void limits_of_a_source(void **state)
{
    (void)state;
    deft_error            error   = DEFT_ERROR_INIT;
    deft_catalog_options  options = {.source_size_max = 20, .depth_max = 3, .name_size_max = 3};
    deft_catalog_builder *builder = deft_catalog_builder_new(&options, NULL, &error);
    assert_int_equal(
        deft_catalog_builder_add(builder, NULL, deft_view_of("[{\"name\":\"abcdef\"}]  "), &error),
        DEFT_LIMIT);
    assert_string_equal(error.message, "source: it has 21 bytes; at most 20 are accepted");
    assert_int_equal(deft_catalog_builder_add(builder, NULL, deft_view_of("[[[[]]]]"), &error),
                     DEFT_LIMIT);
    assert_ok(
        deft_catalog_builder_add(builder, NULL, deft_view_of("[{\"name\":\"abcd\"}]"), &error),
        error);
    deft_catalog *catalog = finish(builder);
    assert_int_equal(deft_catalog_tool_count(catalog), 0);
    assert_int_equal(deft_catalog_problem_count(catalog), 1);
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);

    // A line that goes too deep is only that line.
    options = (deft_catalog_options){.depth_max = 3};
    catalog = test_catalog_of_view(
        &options, NULL,
        deft_view_of("{\"name\":\"a\"}\n{\"name\":\"b\",\"x\":[[[]]]}\n{\"name\":\"c\"}\n"));
    assert_int_equal(deft_catalog_tool_count(catalog), 2);
    assert_int_equal(deft_catalog_problem(catalog, 0)->status, DEFT_LIMIT);
    deft_catalog_release(catalog);
}

static void deep_nesting_is_an_error(void **state)
{
    (void)state;
    static char text[20000];
    deft_error  error = DEFT_ERROR_INIT;
    memset(text, '[', 10000);
    memset(text + 10000, ']', 10000);
    deft_catalog_builder *builder = new_builder();
    assert_int_equal(
        deft_catalog_builder_add(builder, NULL, deft_view_make(text, sizeof text), &error),
        DEFT_LIMIT);
    assert_int_equal(error.offset, 128);
    deft_catalog_builder_free(builder);
}

static const char every_shape[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"server\":\"s\\u0031\",\"instructions\":\"\\n\","
    "\"serverInfo\":{\"name\":\"n\\u0031\",\"version\":\"\\t\"},\"tools\":["
    "{\"name\":\"a\\u0031\",\"description\":\"\\n\",\"inputSchema\":{\"properties\":{\"p\\u0031\":"
    "{\"type\":\"string\",\"description\":\"\\n\"}},\"required\":[\"p1\"]}},5,"
    "{\"name\":\"b\",\"description\":5},{\"name\":\"b\"},{\"name\":\"x\",\"server\":\"t\"},"
    "{\"type\":\"function\",\"function\":{\"name\":\"c\"}}]}}";

static const char every_line[] = "{\"name\":\"a\",\"server\":\"s\\u0031\",\"id\":\"\\u0061\"}\n"
                                 "{\"name\":\"a\",\"server\":\"s1\",\"id\":\"k\"}\nnot JSON\n"
                                 "{\"name\":\"a\",\"server\":\"s1\",\"id\":\"k\"}\n";

static void every_prefix_fails_cleanly(void **state)
{
    (void)state;
    const char *const texts[] = {every_shape, every_line};
    for (size_t t = 0; t < array_size(texts); t++) {
        const deft_view whole = deft_view_of(texts[t]);
        for (size_t size = 0; size < whole.size; size++) {
            test_guard            guard;
            deft_error            error   = DEFT_ERROR_INIT;
            deft_catalog_builder *builder = new_builder();
            const deft_view       text   = test_guard_copy(&guard, deft_view_slice(whole, 0, size));
            const deft_status     status = deft_catalog_builder_add(builder, NULL, text, &error);
            if (t == 0 || status != DEFT_OK) {
                assert_int_equal(status, DEFT_INVALID);
                assert_in_range(error.offset, 0, size);
            }
            test_guard_clear(&guard);
            deft_catalog *catalog = finish(builder);
            assert_sound(catalog);
            deft_catalog_release(catalog);
            deft_catalog_builder_free(builder);
        }
    }
}

static bool build_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_error            error   = DEFT_ERROR_INIT;
    deft_catalog         *catalog = NULL;
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, allocator, &error);
    const deft_source     source  = {.label = deft_view_of("x"), .server = deft_view_of("s1")};
    if (builder != NULL &&
        deft_catalog_builder_add(builder, NULL, deft_view_of(every_shape), &error) == DEFT_OK &&
        deft_catalog_builder_add(builder, NULL, deft_view_of(every_line), &error) == DEFT_OK &&
        deft_catalog_builder_add(builder, &source, deft_view_of("[{\"name\":\"z\"}]"), &error) ==
            DEFT_OK) {
        catalog = deft_catalog_builder_finish(builder, &error);
    }
    if (catalog == NULL) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
    } else {
        assert_sound(catalog);
        assert_int_equal(deft_catalog_tool_count(catalog), 7);
        assert_int_equal(deft_catalog_problem_count(catalog), 5);
    }
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
    return catalog != NULL;
}

static void no_memory(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(build_with, NULL) > 20);
}

// What could not be done for lack of memory can be done later, as if it had not been tried.
static void trying_again_gives_the_same(void **state)
{
    (void)state;
    deft_catalog_builder *plain = new_builder();
    add(plain, "", NULL, every_shape);
    add(plain, "", NULL, every_line);
    deft_catalog  *want    = finish(plain);
    const uint64_t version = deft_catalog_version(want);
    for (size_t fail_at = 1;; fail_at++) {
        test_allocator failing;
        test_allocator_init(&failing);
        deft_catalog_builder *builder = deft_catalog_builder_new(NULL, &failing.allocator, NULL);
        failing.fail_at               = failing.requests + fail_at;

        const deft_view   first  = deft_view_of(every_shape);
        const deft_view   second = deft_view_of(every_line);
        const deft_status status = deft_catalog_builder_add(builder, NULL, first, NULL);
        if (status != DEFT_OK) {
            assert_int_equal(deft_catalog_builder_add(builder, NULL, first, NULL), DEFT_OK);
        }
        if (deft_catalog_builder_add(builder, NULL, second, NULL) != DEFT_OK) {
            assert_int_equal(deft_catalog_builder_add(builder, NULL, second, NULL), DEFT_OK);
        }
        deft_catalog *catalog = deft_catalog_builder_finish(builder, NULL);
        if (catalog == NULL) {
            catalog = deft_catalog_builder_finish(builder, NULL);
        }
        assert_non_null(catalog);
        assert_true(deft_catalog_version(catalog) == version);
        assert_int_equal(deft_catalog_problem_count(catalog), deft_catalog_problem_count(want));
        assert_int_equal(deft_catalog_server_count(catalog), deft_catalog_server_count(want));
        assert_sound(catalog);
        deft_catalog_release(catalog);
        deft_catalog_builder_free(builder);
        assert_int_equal(failing.blocks, 0);
        if (failing.requests < failing.fail_at) {
            break;
        }
    }
    deft_catalog_release(want);
    deft_catalog_builder_free(plain);
}

static void a_hundred_thousand_tools(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (size_t i = 0; i < 100000; i++) {
        deft_buffer_append_text(&text, "{\"server\":\"s");
        deft_buffer_append_u64(&text, i / 10000);
        deft_buffer_append_text(&text, "\",\"name\":\"do_thing_");
        deft_buffer_append_u64(&text, i);
        deft_buffer_append_text(&text, "\",\"inputSchema\":{\"properties\":{\"a\":{}}}}\n");
    }
    deft_catalog *catalog = test_catalog_of_view(NULL, NULL, deft_buffer_view(&text));
    deft_buffer_clear(&text);
    assert_int_equal(deft_catalog_tool_count(catalog), 100000);
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    assert_sound(catalog);

    deft_error   error = DEFT_ERROR_INIT;
    deft_tool_id tool;
    assert_int_equal(
        deft_catalog_resolve(catalog, deft_view_of("s9::do_thing_9999x"), &tool, &error),
        DEFT_NOT_FOUND);
    assert_ok(deft_catalog_resolve(catalog, deft_view_of("do_thing_99999"), &tool, &error), error);
    assert_int_equal(tool.index, 99999);
    deft_catalog_release(catalog);
}

// Names that fold to the same, that sanitise to the same, and one name under many servers: each a
// way to make a table of names slow. Quadratic, this would take minutes.
static void names_chosen_to_be_alike_stay_cheap(void **state)
{
    (void)state;
    const size_t count = 1u << 15;
    deft_buffer  text;
    deft_buffer_init(&text, NULL);
    for (size_t i = 0; i < count; i++) {
        char cased[16];
        char dotted[16];
        for (size_t bit = 0; bit < 15; bit++) {
            cased[bit]  = i >> bit & 1 ? 'A' : 'a';
            dotted[bit] = i >> bit & 1 ? '.' : '/';
        }
        cased[15] = dotted[15] = '\0';
        deft_buffer_append_text(&text, "{\"server\":\"x\",\"name\":\"");
        deft_buffer_append_text(&text, cased);
        deft_buffer_append_text(&text, "\"}\n{\"server\":\"y\",\"name\":\"");
        deft_buffer_append_text(&text, dotted);
        deft_buffer_append_text(&text, "\"}\n{\"server\":\"");
        deft_buffer_append_text(&text, dotted);
        deft_buffer_append_text(&text, "\",\"name\":\"same\"}\n");
    }
    const deft_catalog_options options = {.tools_per_server_max = count, .hash_seed = 99};
    deft_catalog *catalog = test_catalog_of_view(&options, NULL, deft_buffer_view(&text));
    deft_buffer_clear(&text);
    assert_int_equal(deft_catalog_tool_count(catalog), 3 * count);
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    assert_sound(catalog);
    deft_tool_id tool;
    assert_int_equal(deft_catalog_resolve(catalog, deft_view_of("same"), &tool, NULL),
                     DEFT_CONFLICT);
    assert_int_equal(deft_catalog_resolve(catalog, deft_view_of("x::AAAAAAAAAAAAAAA"), &tool, NULL),
                     DEFT_OK);
    deft_catalog_release(catalog);
}

static void append_random_text(test_random *random, deft_buffer *out)
{
    static const char *const pieces[] = {"a",
                                         "B",
                                         "_",
                                         "-",
                                         " ",
                                         "\\n",
                                         "\\u00e9",
                                         "\\ud800",
                                         "\xc3\xa9",
                                         "\\\"",
                                         "\\\\",
                                         "{",
                                         "\xf0\x9f\x98\x80",
                                         "1",
                                         "/"};
    for (size_t i = test_random_below(random, 8); i > 0; i--) {
        deft_buffer_append_text(out, pieces[test_random_below(random, array_size(pieces))]);
    }
}

// A definition in one of the five shapes, with or without each part.
static void append_random_definition(test_random *random, size_t number, deft_buffer *out)
{
    static const char *const schema_names[] = {"inputSchema", "input_schema", "parameters",
                                               "parameters", "parameters"};
    const size_t             shape          = test_random_below(random, array_size(schema_names));
    const char *const        opening[]      = {"{", "{", "{\"type\":\"function\",\"function\":{",
                                               "{\"type\":\"function\",", "{"};
    deft_buffer_append_text(out, opening[shape]);
    deft_buffer_append_text(out, "\"name\" : \"t\\u002e");
    deft_buffer_append_u64(out, number);
    deft_buffer_append_text(out, "\"");
    if (!test_random_once_in(random, 3)) {
        deft_buffer_append_text(out, ", \"description\": \"");
        append_random_text(random, out);
        deft_buffer_append_text(out, "\"");
    }
    deft_buffer_append_text(out, ",\"");
    deft_buffer_append_text(out, schema_names[shape]);
    deft_buffer_append_text(out, "\":{ \"properties\" : {");
    for (size_t i = test_random_below(random, 4), first = i; i > 0; i--) {
        deft_buffer_append_text(out, i < first ? ",\"p" : "\"p");
        deft_buffer_append_u64(out, i);
        append_random_text(random, out);
        deft_buffer_append_text(out, "\":{\"type\":\"string\",\"description\":\"");
        append_random_text(random, out);
        deft_buffer_append_text(out, "\"}");
    }
    deft_buffer_append_text(out, "} ,\"required\":[\"p1\"]}");
    deft_buffer_append_text(out, shape == 2 ? "}}" : "}");
}

static void assert_same_tool(const deft_tool *a, const deft_tool *b)
{
    assert_true(deft_view_equal(a->id, b->id));
    assert_true(deft_view_equal(a->wire_name, b->wire_name));
    assert_true(deft_view_equal(a->name, b->name));
    assert_true(deft_view_equal(a->description, b->description));
    assert_true(deft_view_equal(a->input_schema, b->input_schema));
    assert_int_equal(a->parameter_count, b->parameter_count);
    for (size_t i = 0; i < a->parameter_count; i++) {
        assert_true(deft_view_equal(a->parameters[i].name, b->parameters[i].name));
        assert_true(deft_view_equal(a->parameters[i].description, b->parameters[i].description));
        assert_true(deft_view_equal(a->parameters[i].schema, b->parameters[i].schema));
        assert_int_equal(a->parameters[i].is_required, b->parameters[i].is_required);
    }
}

static void every_form_reads_back_the_same(void **state)
{
    (void)state;
    const deft_source source = {.server = deft_view_of("s")};
    test_random       random = {.state = 2024};
    deft_buffer       text;
    deft_buffer_init(&text, NULL);
    for (size_t round = 0; round < 300; round++) {
        const size_t count = test_random_below(&random, 12);
        deft_buffer_reset(&text);
        for (size_t i = 0; i < count; i++) {
            deft_buffer_append_text(&text, i > 0 ? ",\n" : "[");
            append_random_definition(&random, i, &text);
        }
        deft_buffer_append_text(&text, count > 0 ? "]" : "[]");
        deft_catalog *catalog = test_catalog_of_view(NULL, &source, deft_buffer_view(&text));
        assert_int_equal(deft_catalog_problem_count(catalog), 0);
        assert_int_equal(deft_catalog_tool_count(catalog), count);
        assert_sound(catalog);

        for (unsigned form = DEFT_FORM_MCP; form <= DEFT_FORM_ANTHROPIC; form++) {
            deft_buffer_reset(&text);
            for (uint32_t i = 0; i < count; i++) {
                deft_buffer_append_text(&text, i > 0 ? "," : "[");
                assert_int_equal(deft_catalog_write_tool(catalog, (deft_tool_id){i},
                                                         (deft_form)form, DEFT_NAMING_PLAIN, &text),
                                 DEFT_OK);
            }
            deft_buffer_append_text(&text, count > 0 ? "]" : "[]");
            deft_catalog *again = test_catalog_of_view(NULL, &source, deft_buffer_view(&text));
            assert_int_equal(deft_catalog_problem_count(again), 0);
            assert_int_equal(deft_catalog_tool_count(again), count);
            for (uint32_t i = 0; i < count; i++) {
                const deft_tool *tool = deft_catalog_tool(again, (deft_tool_id){i});
                assert_int_equal(tool->form, form);
                assert_same_tool(deft_catalog_tool(catalog, (deft_tool_id){i}), tool);
            }
            deft_catalog_release(again);
        }
        deft_catalog_release(catalog);
    }
    deft_buffer_clear(&text);
}

static void count_release(void *owner)
{
    ++*(int *)owner;
}

static void a_lent_text_is_released_once_with_the_last_reader(void **state)
{
    static const char text[]        = "{\"tools\":[{\"name\":\"a\"}]}";
    int               release_count = 0;
    const deft_source source        = {
               .server = deft_view_of("s"), .release = count_release, .owner = &release_count};
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
    (void)state;
    assert_int_equal(deft_catalog_builder_add(builder, &source, deft_view_of("nonsense"), NULL),
                     DEFT_INVALID);
    assert_int_equal(release_count, 0);
    assert_int_equal(deft_catalog_builder_add(builder, &source, deft_view_of(text), NULL), DEFT_OK);
    deft_catalog *catalog = deft_catalog_builder_finish(builder, NULL);
    deft_catalog_builder_free(builder);
    // Not a copy: the very bytes.
    const deft_tool *tool = deft_catalog_tool(catalog, (deft_tool_id){0});
    assert_true(tool->definition.data >= text && tool->definition.data < text + sizeof text);
    assert_int_equal(release_count, 0);
    deft_catalog_retain(catalog);
    deft_catalog_release(catalog);
    assert_int_equal(release_count, 0);
    deft_catalog_release(catalog);
    assert_int_equal(release_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lent_text_is_released_once_with_the_last_reader),
        cmocka_unit_test(definitions_come_back_byte_for_byte),
        cmocka_unit_test(pages_of_several_servers),
        cmocka_unit_test(flaws_of_a_server_cost_only_themselves),
        cmocka_unit_test(whose_tools_they_are),
        cmocka_unit_test(lines_may_share_a_name_where_their_ids_differ),
        cmocka_unit_test(a_shared_hash_gets_longer),
        cmocka_unit_test(the_version_is_that_of_the_definitions),
        cmocka_unit_test(a_catalog_lives_as_long_as_it_is_held),
        cmocka_unit_test(a_failed_source_leaves_nothing_behind),
        cmocka_unit_test(limits_of_a_source),
        cmocka_unit_test(deep_nesting_is_an_error),
        cmocka_unit_test(every_prefix_fails_cleanly),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(trying_again_gives_the_same),
        cmocka_unit_test(a_hundred_thousand_tools),
        cmocka_unit_test(names_chosen_to_be_alike_stay_cheap),
        cmocka_unit_test(every_form_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
