// Proves A2. Parameters that are sent as headers: which, under which rules, and with which value.
#include "mcp/mirror.h"

#include "support/allocator.h"
#include "support/test.h"

// ' stands for ".
static void quote(const char *text, deft_buffer *out)
{
    for (; *text != '\0'; text++) {
        deft_buffer_append_byte(out, (char)(*text == '\'' ? '"' : *text));
    }
}

static const struct {
    const char *name;
    const char *schema; // inputSchema
    const char *result; // "Header=path.to.value ...", or the message
    deft_status status;
} schemas[] = {
    {"no parameters at all", "{}", "", DEFT_OK},
    {"none that wants a header", "{'properties':{'a':{'type':'string'}}}", "", DEFT_OK},
    {"one of each type",
     "{'properties':{'a':{'type':'string','x-mcp-header':'A'},'b':{'type':'integer',"
     "'x-mcp-header':'B'},'c':{'x-mcp-header':'C-1','type':'boolean'}}}",
     "A=a B=b C-1=c", DEFT_OK},
    {"one inside another",
     "{'properties':{'a':{'type':'object','properties':{'b\\u0063':{'type':'string',"
     "'x-mcp-header':'B'}}}}}",
     "B=a.bc", DEFT_OK},
    {"a parameter of this very name",
     "{'properties':{'x-mcp-header':{'type':'string','x-mcp-header':'X'}}}", "X=x-mcp-header",
     DEFT_OK},
    {"the word in data means nothing",
     "{'properties':{'a':{'type':'object','default':{'x-mcp-header':'A'},'enum':[{'x-mcp-header':"
     "'B'}]}}}",
     "", DEFT_OK},
    {"a list of types", "{'properties':{'a':{'type':['string','null'],'x-mcp-header':'A'}}}",
     "x-mcp-header 'A' is of a parameter that is no string, integer or boolean", DEFT_INVALID},
    {"a number may have many spellings",
     "{'properties':{'a':{'type':'number','x-mcp-header':'A'}}}",
     "x-mcp-header 'A' is of a parameter that is no string, integer or boolean", DEFT_INVALID},
    {"an object", "{'properties':{'a':{'type':'object','x-mcp-header':'A'}}}",
     "x-mcp-header 'A' is of a parameter that is no string, integer or boolean", DEFT_INVALID},
    {"no name", "{'properties':{'a':{'type':'string','x-mcp-header':''}}}",
     "x-mcp-header '' cannot name a header", DEFT_INVALID},
    {"no text", "{'properties':{'a':{'type':'string','x-mcp-header':7}}}",
     "x-mcp-header '' cannot name a header", DEFT_INVALID},
    {"a name with a blank", "{'properties':{'a':{'type':'string','x-mcp-header':'My Region'}}}",
     "x-mcp-header 'My Region' cannot name a header", DEFT_INVALID},
    {"a name with a line end",
     "{'properties':{'a':{'type':'string','x-mcp-header':'A\\r\\nHost'}}}",
     "x-mcp-header 'A??Host' cannot name a header", DEFT_INVALID},
    {"a name with a NUL", "{'properties':{'a':{'type':'string','x-mcp-header':'A\\u0000'}}}",
     "x-mcp-header 'A?' cannot name a header", DEFT_INVALID},
    {"a name twice, but for its case",
     "{'properties':{'a':{'type':'string','x-mcp-header':'A-b'},'b':{'type':'string',"
     "'x-mcp-header':'a-B'}}}",
     "x-mcp-header 'a-B' is there twice", DEFT_INVALID},
    {"names that differ in more than their case",
     "{'properties':{'a':{'type':'string','x-mcp-header':'A^'},'b':{'type':'string',"
     "'x-mcp-header':'A~'}}}",
     "A^=a A~=b", DEFT_OK},
    {"of items", "{'properties':{'a':{'items':{'type':'string','x-mcp-header':'A'}}}}",
     "x-mcp-header stands where no argument can be found for it", DEFT_INVALID},
    {"of one alternative",
     "{'properties':{},'oneOf':[{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}]}",
     "x-mcp-header stands where no argument can be found for it", DEFT_INVALID},
    {"of a definition elsewhere",
     "{'$defs':{'a':{'type':'string','x-mcp-header':'A'}},'properties':{}}",
     "x-mcp-header stands where no argument can be found for it", DEFT_INVALID},
    {"of all arguments", "{'type':'object','x-mcp-header':'A'}", "x-mcp-header is of no parameter",
     DEFT_INVALID},
};

static void which_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(schemas); i++) {
        case_name(schemas[i].name);
        deft_buffer             text;
        deft_buffer             result;
        deft__json              document;
        deft__arena             arena;
        const deft__mcp_mirror *mirrors = NULL;
        size_t                  count   = 0;
        deft_error              error   = DEFT_ERROR_INIT;
        deft_buffer_init(&text, NULL);
        deft_buffer_init(&result, NULL);
        deft__json_init(&document, NULL);
        deft__arena_init(&arena, NULL);
        quote("{'name':'t','inputSchema':", &text);
        quote(schemas[i].schema, &text);
        quote("}", &text);
        assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, &error), error);
        assert_int_equal(
            deft__mcp_read_mirrors(deft__json_root(&document), &arena, &mirrors, &count, &error),
            schemas[i].status);
        for (size_t m = 0; m < count; m++) {
            deft_buffer_append_text(&result, m > 0 ? " " : "");
            deft_buffer_append(&result, mirrors[m].header);
            for (size_t n = 0; n < mirrors[m].name_count; n++) {
                deft_buffer_append_text(&result, n > 0 ? "." : "=");
                deft_buffer_append(&result, mirrors[m].names[n]);
            }
        }
        deft_buffer_append_text(&result, error.message);
        assert_view_equal(deft_buffer_view(&result), schemas[i].result);
        deft__arena_clear(&arena);
        deft__json_clear(&document);
        deft_buffer_clear(&result);
        deft_buffer_clear(&text);
    }
}

static const struct {
    const char *name;
    const char *arguments;
    const char *value; // NULL: none
} values[] = {
    {"a string", "{'a':{'b':'eu-west'}}", "eu-west"},
    {"an empty string", "{'a':{'b':''}}", ""},
    {"a string with escapes", "{'a':{'b':'\\u00e9\\n'}}", "\xC3\xA9\n"},
    {"a number", "{'a':{'b':42}}", "42"},
    {"a number with a sign", "{'a':{'b':-7}}", "-7"},
    {"a whole number, spelt otherwise", "{'a':{'b':1e2}}", "100"},
    {"a number that is not whole", "{'a':{'b':1.5}}", "1.5"},
    {"true", "{'a':{'b':true}}", "true"},
    {"false", "{'a':{'b':false}}", "false"},
    {"nothing", "{'a':{'b':null}}", NULL},
    {"an object", "{'a':{'b':{}}}", NULL},
    {"a list", "{'a':{'b':[]}}", NULL},
    {"absent", "{'a':{}}", NULL},
    {"absent further up", "{}", NULL},
    {"something else on the way", "{'a':7}", NULL},
};

static void which_value(void **state)
{
    (void)state;
    const deft_view        names[] = {DEFT_VIEW_INIT("a"), DEFT_VIEW_INIT("b")};
    const deft__mcp_mirror mirror  = {DEFT_VIEW_INIT("B"), names, 2};
    for (size_t i = 0; i < array_size(values); i++) {
        case_name(values[i].name);
        deft_buffer text;
        deft_buffer value;
        deft__json  document;
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer_init(&text, NULL);
        deft_buffer_init(&value, NULL);
        deft__json_init(&document, NULL);
        quote(values[i].arguments, &text);
        assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, &error), error);
        assert_int_equal(deft__mcp_mirror_value(&mirror, deft__json_root(&document), &value),
                         values[i].value != NULL);
        assert_view_equal(deft_buffer_view(&value), values[i].value != NULL ? values[i].value : "");
        deft__json_clear(&document);
        deft_buffer_clear(&value);
        deft_buffer_clear(&text);
    }
}

// `depth` properties inside one another, or `count` beside each other.
static deft_status read_many(size_t depth, size_t count, deft_error *error)
{
    deft_buffer             text;
    deft__json              document;
    deft__arena             arena;
    const deft__mcp_mirror *mirrors = NULL;
    size_t                  found   = 0;
    deft_buffer_init(&text, NULL);
    deft__json_init(&document, NULL);
    deft__arena_init(&arena, NULL);
    quote("{'inputSchema':{", &text);
    for (size_t i = 0; i < depth; i++) {
        quote("'properties':{'a':{", &text);
    }
    quote("'properties':{", &text);
    for (size_t i = 0; i < count; i++) {
        quote(i > 0 ? ",'p" : "'p", &text);
        deft_buffer_append_u64(&text, i);
        quote("':{'type':'string','x-mcp-header':'H", &text);
        deft_buffer_append_u64(&text, i);
        quote("'}", &text);
    }
    for (size_t i = 0; i < 2 * depth + 3; i++) {
        quote("}", &text);
    }
    assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, error), *error);
    const deft_status status =
        deft__mcp_read_mirrors(deft__json_root(&document), &arena, &mirrors, &found, error);
    assert_int_equal(found, status == DEFT_OK ? count : 0);
    deft__arena_clear(&arena);
    deft__json_clear(&document);
    deft_buffer_clear(&text);
    return status;
}

static void how_many_and_how_deep(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(read_many(15, 1, &error), DEFT_OK);
    assert_int_equal(read_many(16, 1, &error), DEFT_LIMIT);
    assert_string_equal(error.message, "it is too deep");
    assert_int_equal(read_many(0, 64, &error), DEFT_OK);
    assert_int_equal(read_many(0, 65, &error), DEFT_LIMIT);
    assert_string_equal(error.message, "it has more than 64 parameters with x-mcp-header");
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    static const char text[] =
        "{\"inputSchema\":{\"properties\":{\"a\":{\"properties\":{\"\\u0062\":{\"type\":"
        "\"string\",\"x-mcp-header\":\"\\u0042\"}}}}}}";
    deft__json              document;
    deft__arena             arena;
    deft_buffer             value;
    const deft__mcp_mirror *mirrors = NULL;
    size_t                  count   = 0;
    deft_error              error   = DEFT_ERROR_INIT;
    deft__json_init(&document, NULL);
    deft__arena_init(&arena, allocator);
    deft_buffer_init(&value, allocator);
    assert_ok(deft__json_parse(&document, deft_view_of(text), NULL, &error), error);
    deft_status status =
        deft__mcp_read_mirrors(deft__json_root(&document), &arena, &mirrors, &count, &error);
    if (status == DEFT_OK) {
        assert_int_equal(count, 1);
        assert_ok(
            deft__json_parse(&document, deft_view_of("{\"a\":{\"b\":\"\\u0063\"}}"), NULL, &error),
            error);
        assert_true(deft__mcp_mirror_value(&mirrors[0], deft__json_root(&document), &value));
        status = value.status;
    }
    deft_buffer_clear(&value);
    deft__arena_clear(&arena);
    deft__json_clear(&document);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    return status == DEFT_OK;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_parameters),
        cmocka_unit_test(which_value),
        cmocka_unit_test(how_many_and_how_deep),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
