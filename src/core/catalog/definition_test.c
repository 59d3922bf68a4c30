// What is read of one definition, and what becomes of a flawed one. Proves the catalog's part of
// A6 (alwaysLoad), A8 (deferrable) and C11 (limits).
#include "deft/catalog.h"

#include "support/catalog.h"
#include "support/test.h"

// Each case is a list of one flawed tool and a good one, `ok`, which has to stay.
static const struct {
    const char *name;
    const char *definition;
    const char *server;
    bool        is_kept; // without the flawed part
    deft_status status;
    const char *message;
} flaws[] = {
    {"not an object", "5", "s", false, DEFT_INVALID,
     "tool at position 0 of server 's': it is a number; a definition is an object (byte 1)"},
    {"no name", "{\"description\":\"d\"}", "s", false, DEFT_INVALID,
     "tool at position 0 of server 's': name is missing; a string of 1 to 128 bytes is accepted "
     "(byte 1)"},
    {"a name that is no string", "{\"name\":7}", "s", false, DEFT_INVALID,
     "tool at position 0 of server 's': name is a number; a string of 1 to 128 bytes is accepted "
     "(byte 9)"},
    {"a name that is null", "{\"name\":null}", "", false, DEFT_INVALID,
     "tool at position 0: name is null; a string of 1 to 128 bytes is accepted (byte 9)"},
    {"an empty name", "{\"name\":\"\"}", "s", false, DEFT_INVALID,
     "tool at position 0 of server 's': name is empty; 1 to 128 bytes are accepted (byte 9)"},
    {"a line end in a name", "{\"name\":\"a\\nb\"}", "s", false, DEFT_INVALID,
     "tool 'a?b' of server 's': name holds a control character or a lone surrogate; printable "
     "text is accepted (byte 9)"},
    {"NUL in a name", "{\"name\":\"a\\u0000\"}", "s", false, DEFT_INVALID, NULL},
    {"DEL in a name", "{\"name\":\"a\x7f\"}", "s", false, DEFT_INVALID, NULL},
    {"a C1 control in a name", "{\"name\":\"a\xc2\x85\"}", "s", false, DEFT_INVALID, NULL},
    {"a line separator in a name", "{\"name\":\"a\xe2\x80\xa8\"}", "s", false, DEFT_INVALID, NULL},
    {"half a surrogate pair in a name", "{\"name\":\"a\\ud800\"}", "s", false, DEFT_INVALID, NULL},
    {"a name like another server's tool", "{\"name\":\"github::x\"}", "", false, DEFT_INVALID,
     "tool 'github::x': name holds '::', which stands between a server and its tool; name its "
     "server (byte 9)"},
    {"inputSchema that is no object", "{\"name\":\"a\",\"inputSchema\":\"x\"}", "github", false,
     DEFT_INVALID, "tool 'a' of server 'github': inputSchema is a string, not an object (byte 27)"},
    {"inputSchema that is null", "{\"name\":\"a\",\"inputSchema\":null}", "s", false, DEFT_INVALID,
     "tool 'a' of server 's': inputSchema is null, not an object (byte 27)"},
    {"parameters that are no object", "{\"name\":\"a\",\"parameters\":[]}", "s", false,
     DEFT_INVALID, "tool 'a' of server 's': parameters is an array, not an object (byte 26)"},
    {"input_schema that is no object", "{\"name\":\"a\",\"input_schema\":1}", "s", false,
     DEFT_INVALID, "tool 'a' of server 's': input_schema is a number, not an object (byte 28)"},
    {"a function that is no object", "{\"type\":\"function\",\"function\":1}", "s", false,
     DEFT_INVALID,
     "tool at position 0 of server 's': function is a number, not an object (byte 31)"},
    {"the name twice", "{\"name\":\"a\",\"name\":\"b\"}", "s", false, DEFT_INVALID,
     "tool 'b' of server 's': \"name\" is there twice; a definition has it once (byte 13)"},
    {"the name twice, once with an escape", "{\"name\":\"a\",\"\\u006eame\":\"b\"}", "s", false,
     DEFT_INVALID, NULL},
    {"the description twice", "{\"name\":\"a\",\"description\":\"\",\"description\":\"\"}", "s",
     false, DEFT_INVALID, NULL},
    {"the schema twice", "{\"name\":\"a\",\"inputSchema\":{},\"inputSchema\":{}}", "s", false,
     DEFT_INVALID, NULL},
    {"the name twice inside a function",
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"name\":\"b\"}}", "s", false,
     DEFT_INVALID, NULL},
    {"a description that is no string", "{\"name\":\"a\",\"description\":[]}", "s", true,
     DEFT_INVALID,
     "tool 'a' of server 's': description is an array, not a string; the tool is kept without it "
     "(byte 27)"},
    {"a title that is no string", "{\"name\":\"a\",\"title\":1}", "s", true, DEFT_INVALID, NULL},
    {"annotations that are no object", "{\"name\":\"a\",\"annotations\":1}", "s", true,
     DEFT_INVALID, NULL},
    {"outputSchema that is no object", "{\"name\":\"a\",\"outputSchema\":1}", "s", true,
     DEFT_INVALID, NULL},
    {"icons that are no array", "{\"name\":\"a\",\"icons\":{}}", "s", true, DEFT_INVALID, NULL},
    {"execution that is no object", "{\"name\":\"a\",\"execution\":1}", "s", true, DEFT_INVALID,
     NULL},
    {"_meta that is no object", "{\"name\":\"a\",\"_meta\":1}", "s", true, DEFT_INVALID,
     "tool 'a' of server 's': _meta is a number, not an object; the tool is kept without it "
     "(byte 21)"},
    {"a server that is no string", "{\"name\":\"a\",\"server\":1}", "", true, DEFT_INVALID,
     "tool 'a': server is a number, not a string; it is ignored (byte 22)"},
    {"a server with '::'", "{\"name\":\"a\",\"server\":\"x::y\"}", "", true, DEFT_INVALID,
     "tool 'a': the server's name holds '::' or ends in ':'; '::' stands between a server and its "
     "tool; it is ignored (byte 22)"},
    {"a server that ends in ':'", "{\"name\":\"a\",\"server\":\"x:\"}", "", true, DEFT_INVALID,
     NULL},
    {"a name that is there already", "{\"name\":\"ok\"}", "s", true, DEFT_DUPLICATE,
     "tool 'ok' of server 's': the name is taken by the tool at byte 1; names are unique within a "
     "server (byte 15)"},
};

static void a_flaw_is_reported_and_the_others_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(flaws); i++) {
        case_name(flaws[i].name);
        char text[300];
        snprintf(text, sizeof text, "[%s,{\"name\":\"ok\"}]", flaws[i].definition);
        const deft_source   source  = {.label  = deft_view_of("x.json"),
                                       .server = deft_view_of(flaws[i].server)};
        deft_catalog       *catalog = test_catalog_of_view(NULL, &source, deft_view_of(text));
        const deft_problem *problem = deft_catalog_problem(catalog, 0);

        assert_int_equal(deft_catalog_problem_count(catalog), 1);
        assert_null(deft_catalog_problem(catalog, 1));
        assert_int_equal(problem->status, flaws[i].status);
        assert_view_equal(problem->label, "x.json");
        assert_view_equal(problem->server, flaws[i].server);
        if (flaws[i].message != NULL) {
            assert_view_equal(problem->message, flaws[i].message);
        }
        const bool is_duplicate = flaws[i].status == DEFT_DUPLICATE;
        assert_int_equal(problem->position, is_duplicate ? 1 : 0);
        assert_int_equal(deft_catalog_tool_count(catalog),
                         flaws[i].is_kept && !is_duplicate ? 2 : 1);
        snprintf(text, sizeof text, "%s%sok", flaws[i].server,
                 flaws[i].server[0] != '\0' ? "::" : "");
        test_catalog_tool(catalog, text);
        deft_catalog_release(catalog);
    }
}

static const char whole[] =
    "{\"name\":\"move\",\"title\":\"Move "
    "\\u00e9\",\"description\":\"a\\n\\ud800b\",\"inputSchema\":"
    "{\"type\":\"object\",\"properties\":{\"from\":{\"type\":\"string\",\"description\":"
    "\"old\\tplace\"},"
    "\"t\\u006f\":{\"type\":[\"string\",\"null\"]},\"any\":true},\"required\":[\"to\",5,\"none\"]},"
    "\"outputSchema\":{\"type\":\"object\"},\"annotations\":{\"title\":\"other\",\"readOnlyHint\":"
    "true,"
    "\"destructiveHint\":false},\"icons\":[{\"src\":\"x\"}],\"execution\":{\"taskSupport\":"
    "\"optional\"},"
    "\"_meta\":{\"anthropic/"
    "alwaysLoad\":true,\"n\":1e999},\"defer_loading\":true,\"id\":\"k\\u0031\"}";

static void every_part_is_kept(void **state)
{
    (void)state;
    deft_catalog    *catalog = test_catalog_of("s", whole);
    const deft_tool *tool    = test_catalog_tool(catalog, "s::move");
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    assert_view_equal(tool->definition, whole);
    assert_view_equal(tool->name, "move");
    assert_view_equal(tool->wire_name, "s__move");
    assert_view_equal(tool->title, "Move \xc3\xa9");
    assert_view_equal(tool->description, "a\n\xef\xbf\xbd"
                                         "b");
    assert_view_equal(tool->output_schema, "{\"type\":\"object\"}");
    assert_view_equal(tool->annotations, "{\"title\":\"other\",\"readOnlyHint\":true,"
                                         "\"destructiveHint\":false}");
    assert_view_equal(tool->icons, "[{\"src\":\"x\"}]");
    assert_view_equal(tool->execution, "{\"taskSupport\":\"optional\"}");
    assert_view_equal(tool->meta, "{\"anthropic/alwaysLoad\":true,\"n\":1e999}");
    assert_view_equal(tool->source_id, "k1");
    assert_true(tool->is_read_only);
    assert_false(tool->is_destructive);
    assert_true(tool->is_always_load);
    assert_true(tool->is_marked_deferrable);

    assert_int_equal(tool->parameter_count, 3);
    assert_view_equal(tool->parameters[0].name, "from");
    assert_view_equal(tool->parameters[0].description, "old\tplace");
    assert_view_equal(tool->parameters[0].type, "string");
    assert_view_equal(tool->parameters[0].schema,
                      "{\"type\":\"string\",\"description\":\"old\\tplace\"}");
    assert_false(tool->parameters[0].is_required);
    assert_view_equal(tool->parameters[1].name, "to");
    assert_view_equal(tool->parameters[1].type, "");
    assert_true(tool->parameters[1].is_required);
    assert_view_equal(tool->parameters[2].schema, "true");
    deft_catalog_release(catalog);
}

static const struct {
    const char *name;
    const char *definition;
    const char *title;
    const char *description;
    bool        is_marked_deferrable;
    bool        is_always_load;
    bool        is_destructive;
} parts[] = {
    {"a name and nothing else", "{\"name\":\"a\"}", "", "", false, false, false},
    {"null stands for absent",
     "{\"name\":\"a\",\"title\":null,\"description\":null,\"annotations\":null,\"outputSchema\":"
     "null,"
     "\"icons\":null,\"execution\":null,\"_meta\":null,\"server\":null,\"id\":null}",
     "", "", false, false, false},
    {"the title of the annotations",
     "{\"name\":\"a\",\"annotations\":{\"title\":\"T\",\"destructiveHint\":true}}", "T", "", false,
     false, true},
    {"marked deferrable", "{\"name\":\"a\",\"deferrable\":true}", "", "", true, false, false},
    {"marked not deferrable", "{\"name\":\"a\",\"deferrable\":false,\"defer_loading\":0}", "", "",
     false, false, false},
    {"marked beside its function",
     "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"description\":\"D\"},\"deferrable\":"
     "true}",
     "", "D", true, false, false},
    {"alwaysLoad that is not true", "{\"name\":\"a\",\"_meta\":{\"anthropic/alwaysLoad\":1}}", "",
     "", false, false, false},
    {"alwaysLoad", "{\"name\":\"a\",\"_meta\":{\"anthropic/alwaysLoad\":true}}", "", "", false,
     true, false},
    {"a schema without properties", "{\"name\":\"a\",\"inputSchema\":{\"properties\":[1]}}", "", "",
     false, false, false},
    {"an id that is no string", "{\"name\":\"a\",\"id\":5}", "", "", false, false, false},
};

static void optional_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(parts); i++) {
        case_name(parts[i].name);
        deft_catalog    *catalog = test_catalog_of(NULL, parts[i].definition);
        const deft_tool *tool    = test_catalog_tool(catalog, "a");
        assert_int_equal(deft_catalog_problem_count(catalog), 0);
        assert_view_equal(tool->title, parts[i].title);
        assert_view_equal(tool->description, parts[i].description);
        assert_int_equal(tool->is_marked_deferrable, parts[i].is_marked_deferrable);
        assert_int_equal(tool->is_always_load, parts[i].is_always_load);
        assert_int_equal(tool->is_destructive, parts[i].is_destructive);
        assert_int_equal(tool->source_id.size, 0);
        assert_int_equal(tool->parameter_count, 0);
        assert_view_equal(tool->definition, parts[i].definition);
        deft_catalog_release(catalog);
    }
}

// A schema of `count` properties, every other one required, the last name also with an escape.
static deft_catalog *catalog_of_properties(size_t count)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[{\"name\":\"a\",\"inputSchema\":{\"properties\":{");
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(&text, i > 0 ? ",\"p" : "\"p");
        deft_buffer_append_u64(&text, i);
        deft_buffer_append_text(&text, "\":{}");
    }
    deft_buffer_append_text(&text, "},\"required\":[7,\"\\u00700\"");
    for (size_t i = 2; i < count; i += 2) {
        deft_buffer_append_text(&text, ",\"p");
        deft_buffer_append_u64(&text, i);
        deft_buffer_append_text(&text, "\"");
    }
    deft_buffer_append_text(&text, ",\"\"]}}]");
    assert_int_equal(text.status, DEFT_OK);
    deft_catalog *catalog = test_catalog_of_view(NULL, NULL, deft_buffer_view(&text));
    deft_buffer_clear(&text);
    return catalog;
}

static void required_parameters_are_marked_however_many(void **state)
{
    (void)state;
    const size_t counts[] = {1, 2, 60, 10000};
    for (size_t c = 0; c < array_size(counts); c++) {
        deft_catalog    *catalog = catalog_of_properties(counts[c]);
        const deft_tool *tool    = test_catalog_tool(catalog, "a");
        assert_int_equal(tool->parameter_count, counts[c]);
        for (size_t i = 0; i < counts[c]; i++) {
            assert_int_equal(tool->parameters[i].is_required, i % 2 == 0);
        }
        deft_catalog_release(catalog);
    }
}

static deft_view text_of_tools(deft_buffer *text, size_t count)
{
    deft_buffer_reset(text);
    deft_buffer_append_text(text, "[");
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(text, i > 0 ? ",{\"name\":\"t" : "{\"name\":\"t");
        deft_buffer_append_u64(text, i);
        deft_buffer_append_text(text, "\"}");
    }
    deft_buffer_append_text(text, "]");
    assert_int_equal(text->status, DEFT_OK);
    return deft_buffer_view(text);
}

static void a_limit_on_tools_is_reported_once(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    const deft_source    source  = {.server = deft_view_of("s")};
    deft_catalog_options options = DEFT_CATALOG_OPTIONS_INIT;

    options.tools_per_server_max = 3;
    deft_catalog *catalog = test_catalog_of_view(&options, &source, text_of_tools(&text, 10));
    assert_int_equal(deft_catalog_tool_count(catalog), 3);
    assert_int_equal(deft_catalog_problem_count(catalog), 1);
    assert_int_equal(deft_catalog_problem(catalog, 0)->status, DEFT_LIMIT);
    assert_int_equal(deft_catalog_problem(catalog, 0)->position, 3);
    assert_view_equal(deft_catalog_problem(catalog, 0)->message,
                      "tool 't3' of server 's': it is one more than the 3 that a server may have; "
                      "it and those after it are left out (byte 43)");
    deft_catalog_release(catalog);

    options           = (deft_catalog_options)DEFT_CATALOG_OPTIONS_INIT;
    options.tools_max = 4;
    catalog           = test_catalog_of_view(&options, &source, text_of_tools(&text, 10));
    assert_int_equal(deft_catalog_tool_count(catalog), 4);
    assert_int_equal(deft_catalog_problem_count(catalog), 1);
    assert_int_equal(deft_catalog_problem(catalog, 0)->status, DEFT_LIMIT);
    deft_catalog_release(catalog);
    deft_buffer_clear(&text);

    // Nor are there servers for tools that are left out.
    options.tools_max = 1;
    catalog           = test_catalog_of_view(
                  &options, NULL,
                  deft_view_of("[{\"name\":\"a\",\"server\":\"x\"},{\"name\":\"b\",\"server\":\"y\"}]"));
    assert_int_equal(deft_catalog_server_count(catalog), 1);
    deft_catalog_release(catalog);
}

static void problems_are_listed_up_to_a_limit(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[{\"name\":\"ok\"}");
    for (size_t i = 0; i < DEFT_PROBLEMS_MAX + 500; i++) {
        deft_buffer_append_text(&text, ",1");
    }
    deft_buffer_append_text(&text, "]");
    deft_catalog *catalog = test_catalog_of_view(NULL, NULL, deft_buffer_view(&text));
    assert_int_equal(deft_catalog_problem_count(catalog), DEFT_PROBLEMS_MAX + 1);
    assert_view_equal(deft_catalog_problem(catalog, DEFT_PROBLEMS_MAX)->message,
                      "500 more problems are not listed; at most 1000 are");
    assert_int_equal(deft_catalog_tool_count(catalog), 1);
    deft_catalog_release(catalog);
    deft_buffer_clear(&text);
}

static void too_large_a_tool_is_left_out(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[{\"name\":\"big\",\"description\":\"");
    for (size_t i = 0; i < 1024 * 1024; i++) {
        deft_buffer_append_byte(&text, 'x');
    }
    deft_buffer_append_text(&text, "\"},{\"name\":\"");
    for (size_t i = 0; i < 129; i++) {
        deft_buffer_append_byte(&text, 'n');
    }
    deft_buffer_append_text(&text, "\"},{\"name\":\"ok\"}]");
    const deft_source source  = {.server = deft_view_of("s")};
    deft_catalog     *catalog = test_catalog_of_view(NULL, &source, deft_buffer_view(&text));
    assert_int_equal(deft_catalog_tool_count(catalog), 1);
    assert_int_equal(deft_catalog_problem_count(catalog), 2);
    assert_int_equal(deft_catalog_problem(catalog, 0)->status, DEFT_LIMIT);
    assert_view_equal(deft_catalog_problem(catalog, 0)->message,
                      "tool 'big' of server 's': the definition has 1048607 bytes; at most 262144 "
                      "are accepted (byte 1)");
    assert_view_equal(deft_catalog_problem(catalog, 1)->message,
                      "tool 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...' of server 's': "
                      "name has 129 bytes; 1 to 128 are accepted (byte 1048617)");
    assert_int_equal(deft_catalog_problem(catalog, 1)->tool.size, 128);
    deft_catalog_release(catalog);
    deft_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flaw_is_reported_and_the_others_stay),
        cmocka_unit_test(every_part_is_kept),
        cmocka_unit_test(optional_parts),
        cmocka_unit_test(required_parameters_are_marked_however_many),
        cmocka_unit_test(a_limit_on_tools_is_reported_once),
        cmocka_unit_test(problems_are_listed_up_to_a_limit),
        cmocka_unit_test(too_large_a_tool_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
