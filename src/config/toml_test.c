// TOML, as far as a Codex file may go, and what it becomes. Proves a part of E1.
#include "config/toml.h"

#include "support/guard.h"
#include "support/test.h"

// Every text is put below `[t]`-less root; the table `t` is what comes out.
static const struct {
    const char *name;
    const char *text;
    const char *json;
} good[] = {
    {"an empty file", "", "{}"},
    {"only comments", "# one\n#two", "{}"},
    {"no such table", "a = 1\n", "{}"},
    {"an empty table", "[t]", "{\"t\":{}}"},
    {"a header with blanks", "[ t ] # x\n", "{\"t\":{}}"},
    {"a pair", "[t]\na = \"b\"", "{\"t\":{\"a\":\"b\"}}"},
    {"a value of its own", "t = 3", "{\"t\":3}"},
    {"Windows line ends", "[t]\r\na = 1\r\nb = 2\r\n", "{\"t\":{\"a\":1,\"b\":2}}"},
    {"a byte order mark", "\xEF\xBB\xBF[t]\n", "{\"t\":{}}"},
    {"bare keys of all kinds", "[t]\na-b_C9 = 1\n1234 = 2", "{\"t\":{\"a-b_C9\":1,\"1234\":2}}"},
    {"quoted keys", "[t]\n\"a b\" = 1\n'c\"d' = 2\n\"\" = 3",
     "{\"t\":{\"a b\":1,\"c\\\"d\":2,\"\":3}}"},
    {"quoted headers", "[t.\"a.b\".'c']\nx = 1", "{\"t\":{\"a.b\":{\"c\":{\"x\":1}}}}"},
    {"dotted keys", "[t]\na.b = 1\na . \"c\" = 2", "{\"t\":{\"a\":{\"b\":1,\"c\":2}}}"},
    {"a table below", "[t]\nx = 1\n[t.u]\ny = 2", "{\"t\":{\"x\":1,\"u\":{\"y\":2}}}"},
    {"a table above, said later", "[t.u]\ny = 2\n[t]\nx = 1", "{\"t\":{\"u\":{\"y\":2},\"x\":1}}"},
    {"a table below a dotted key", "[t]\na.b = 1\n[t.a.c]\nx = 2",
     "{\"t\":{\"a\":{\"b\":1,\"c\":{\"x\":2}}}}"},
    {"inline tables", "[t]\na = { b = 1, c.d = 'x', e = {} }",
     "{\"t\":{\"a\":{\"b\":1,\"c\":{\"d\":\"x\"},\"e\":{}}}}"},
    {"arrays", "[t]\na = [1, [2, 3], { b = 4 }, []]", "{\"t\":{\"a\":[1,[2,3],{\"b\":4},[]]}}"},
    {"arrays over lines, with comments and a last comma",
     "[t]\na = [ # one\n  1,\n\n  # two\n  2, # three\n]", "{\"t\":{\"a\":[1,2]}}"},
    {"lists of tables", "[[t]]\na = 1\n[[t]]\n[t.b]\nc = 2",
     "{\"t\":[{\"a\":1},{\"b\":{\"c\":2}}]}"},
    {"lists in lists of tables", "[[t]]\n[[t.u]]\nx = 1\n[[t.u]]\nx = 2\n[[t]]\n[[t.u]]\nx = 3",
     "{\"t\":[{\"u\":[{\"x\":1},{\"x\":2}]},{\"u\":[{\"x\":3}]}]}"},
    {"escapes", "[t]\na = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00e9\\U0001F600\"",
     "{\"t\":{\"a\":\"\\b\\t\\n\\f\\r\\\"\\\\\xC3\xA9\xF0\x9F\x98\x80\"}}"},
    {"literal strings know no escapes", "[t]\na = 'C:\\temp\\'",
     "{\"t\":{\"a\":\"C:\\\\temp\\\\\"}}"},
    {"text beyond ASCII", "[t]\na = \"\xC3\xBC\"", "{\"t\":{\"a\":\"\xC3\xBC\"}}"},
    {"strings over lines", "[t]\na = \"\"\"\none\ntwo\"\"\"", "{\"t\":{\"a\":\"one\\ntwo\"}}"},
    {"strings over Windows lines", "[t]\na = \"\"\"\r\none\r\ntwo\"\"\"",
     "{\"t\":{\"a\":\"one\\ntwo\"}}"},
    {"a backslash joins lines", "[t]\na = \"\"\"one \\\n\n   two\"\"\"",
     "{\"t\":{\"a\":\"one two\"}}"},
    {"a backslash and blanks join lines", "[t]\na = \"\"\"one\\  \n two\"\"\"",
     "{\"t\":{\"a\":\"onetwo\"}}"},
    {"quotes inside", "[t]\na = \"\"\"a\"b\"\"c\"\"\"", "{\"t\":{\"a\":\"a\\\"b\\\"\\\"c\"}}"},
    {"quotes before the end", "[t]\na = \"\"\"\"\"x\"\"\"\"\"",
     "{\"t\":{\"a\":\"\\\"\\\"x\\\"\\\"\"}}"},
    {"literal strings over lines", "[t]\na = '''\nx\\y''z\n'''",
     "{\"t\":{\"a\":\"x\\\\y''z\\n\"}}"},
    {"a string that looks like a table", "x = \"\"\"\n[t]\na = 1\n\"\"\"\n[t]\nb = 2",
     "{\"t\":{\"b\":2}}"},
    {"integers", "[t]\na = [0, +1, -2, 1_000, 0xDEAD_beef, 0o17, 0b101]",
     "{\"t\":{\"a\":[0,1,-2,1000,3735928559,15,5]}}"},
    {"floats", "[t]\na = [1.5, -0.25, 6e3, 1_0.0_1E-2]",
     "{\"t\":{\"a\":[1.5,-0.25,6e3,10.01E-2]}}"},
    {"floats that JSON does not have", "[t]\na = [inf, -inf, nan]",
     "{\"t\":{\"a\":[\"inf\",\"-inf\",\"nan\"]}}"},
    {"booleans", "[t]\na = true\nb = false", "{\"t\":{\"a\":true,\"b\":false}}"},
    {"dates and times",
     "[t]\na = [1979-05-27T07:32:00Z, 1979-05-27 07:32:00.5+02:00, 1979-05-27, 07:32:00]",
     "{\"t\":{\"a\":[\"1979-05-27T07:32:00Z\",\"1979-05-27 07:32:00.5+02:00\",\"1979-05-27\","
     "\"07:32:00\"]}}"},
    {"other tables may hold anything",
     "[x]\na = [{ b = \"]\" }, '}', \"\"\"[t]\"\"\"]\n[[y.z]]\nq = 'w'\n[t]\nk = 1",
     "{\"t\":{\"k\":1}}"},
};

static deft_status convert(deft_view text, deft_buffer *json, deft_error *error)
{
    deft__toml_lines  lines  = {.allocator = NULL};
    const deft_status status = deft__toml_to_json(text, "t", json, &lines, error);
    deft__toml_lines_clear(&lines);
    return status;
}

static void what_is_toml_becomes_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(good); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer json;
        deft_buffer_init(&json, NULL);
        case_name(good[i].name);
        assert_ok(convert(deft_view_of(good[i].text), &json, &error), error);
        assert_view_equal(deft_buffer_view(&json), good[i].json);
        deft_buffer_clear(&json);
    }
}

static const struct {
    const char *name;
    const char *text;
    size_t      offset;
    const char *message;
} bad[] = {
    {"a key without a value", "a", 1, "a key is followed by ="},
    {"a key without anything behind =", "a = ", 4,
     "a value was expected here; text stands in quotes"},
    {"a value without a key", "= 1", 0, "a key was expected here"},
    {"text without quotes", "a = word", 4, "a value was expected here; text stands in quotes"},
    {"two values", "a = 1 2", 6, "a line end was expected here"},
    {"two pairs on a line", "a = 1 b = 2", 6, "a line end was expected here"},
    {"a key twice", "a = 1\na = 2", 6, "this key is there already"},
    {"a table twice", "[a]\n[a]", 4, "this table is there already"},
    {"a table that is a value", "a = 1\n[a]", 6, "this table is there already"},
    {"a table below a value", "a = 1\n[a.b]", 6, "a key that is already a value cannot be a table"},
    {"a table below an inline table", "a = {}\n[a.b]", 7,
     "a key that is already a value cannot be a table"},
    {"a key in an inline table, later", "a = {}\na.b = 1", 7,
     "a dotted key cannot add to what is defined elsewhere"},
    {"a table that dotted keys made", "[t]\na.b = 1\n[t.a]", 12, "this table is there already"},
    {"dotted keys into a table with a header", "[a.b]\n[a]\nb.c = 1", 10,
     "a dotted key cannot add to what is defined elsewhere"},
    {"dotted keys into a value", "a = 1\na.b = 2", 6,
     "a dotted key cannot add to what is defined elsewhere"},
    {"a list of tables that is an array", "a = []\n[[a]]", 7,
     "a key that is already something else cannot be a list of tables"},
    {"a list of tables that is a table", "[a]\n[[a]]", 4,
     "a key that is already something else cannot be a list of tables"},
    {"a table that is a list of tables", "[[a]]\n[a]", 6, "this table is there already"},
    {"a header that never ends", "[a", 2, "the header of a table ends in ]"},
    {"a list header that ends too early", "[[a]\n", 3, "the header of a table ends in ]"},
    {"an empty header", "[]", 1, "a key was expected here"},
    {"a header with an empty part", "[a..b]", 3, "a key was expected here"},
    {"something behind a header", "[a] b", 4, "a line end was expected here"},
    {"a string that stays open", "a = \"b\n", 4, "a string that does not end on its line"},
    {"a string that stays open at the end", "a = 'b", 4, "a string that does not end on its line"},
    {"a long string that stays open", "a = \"\"\"b\"\"", 4, "a string that never ends"},
    {"a key over lines", "\"\"\"a\"\"\" = 1", 2, "a key is followed by ="},
    {"an unknown escape", "a = \"\\q\"", 5, "an escape that TOML does not have"},
    {"an escape at the end", "a = \"\\", 5, "an escape that TOML does not have"},
    {"an escape with too few digits", "a = \"\\u12\"", 5, "an escape that is no character"},
    {"half a surrogate", "a = \"\\ud800\"", 5, "an escape that is no character"},
    {"past the last character", "a = \"\\U00110000\"", 5, "an escape that is no character"},
    {"a control character in a string", "a = \"\x01\"", 5, "a control character in a string"},
    {"a control character in a long string", "a = '''\x01'''", 7,
     "a control character in a string"},
    {"a control character in a comment", "# \x01", 2, "a control character in a comment"},
    {"a lone carriage return", "a = 1\rb = 2", 5, "a line end was expected here"},
    {"bytes that are not UTF-8", "a = \"\xFF\"", 5, "bytes that are not UTF-8"},
    {"a leading zero", "a = 01", 4, "a value was expected here; text stands in quotes"},
    {"two underscores", "a = 1__0", 4, "a value was expected here; text stands in quotes"},
    {"an underscore at the end", "a = 1_", 4, "a value was expected here; text stands in quotes"},
    {"a point without digits", "a = 1.", 4, "a value was expected here; text stands in quotes"},
    {"an exponent without digits", "a = 1e+", 4,
     "a value was expected here; text stands in quotes"},
    {"a hexadecimal nothing", "a = 0x", 4, "a value was expected here; text stands in quotes"},
    {"a hexadecimal too large", "a = 0x10000000000000000", 4,
     "a value was expected here; text stands in quotes"},
    {"half a date", "a = 1979-05", 4, "a value was expected here; text stands in quotes"},
    {"a date with half a time", "a = 1979-05-27T07", 4,
     "a value was expected here; text stands in quotes"},
    {"a time with an empty fraction", "a = 07:32:00.", 4,
     "a value was expected here; text stands in quotes"},
    {"an array that stays open", "a = [1, 2", 4, "an array ends in ]"},
    {"an array without a comma", "a = [1 2]", 4, "an array ends in ]"},
    {"an array of commas", "a = [,]", 5, "a value was expected here; text stands in quotes"},
    {"an inline table that stays open", "a = {b = 1", 4, "an inline table ends in } on its line"},
    {"an inline table over lines", "a = {b = 1\n}", 4, "an inline table ends in } on its line"},
    {"an inline table with a last comma", "a = {b = 1, }", 12,
     "an inline table has no comma before its }"},
    {"a key twice in an inline table", "a = {b = 1, b = 2}", 12, "this key is there already"},
};

static void what_is_not_toml_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer json;
        deft_buffer_init(&json, NULL);
        case_name(bad[i].name);
        assert_int_equal(convert(deft_view_of(bad[i].text), &json, &error), DEFT_INVALID);
        assert_string_equal(error.message, bad[i].message);
        assert_int_equal(error.offset, bad[i].offset);
        deft_buffer_clear(&json);
    }
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    static const char *const openings[] = {"[", "{a=", "a."};
    for (size_t i = 0; i < array_size(openings); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer text;
        deft_buffer json;
        deft_buffer_init(&text, NULL);
        deft_buffer_init(&json, NULL);
        deft_buffer_append_text(&text, i == 2 ? "" : "a = ");
        for (size_t j = 0; j < 100000; j++) {
            deft_buffer_append_text(&text, openings[i]);
        }
        assert_int_equal(convert(deft_buffer_view(&text), &json, &error), DEFT_LIMIT);
        assert_string_equal(error.message, "nested deeper than 60");
        deft_buffer_clear(&text);
        deft_buffer_clear(&json);
    }
}

static void the_number_of_values_has_a_limit(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer json;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&json, NULL);
    deft_buffer_append_text(&text, "a = [");
    for (size_t i = 0; i < 1000000; i++) {
        deft_buffer_append_text(&text, "1,");
    }
    deft_buffer_append_text(&text, "]");
    assert_int_equal(convert(deft_buffer_view(&text), &json, &error), DEFT_LIMIT);
    assert_string_equal(error.message, "more than 1000000 keys and values");
    deft_buffer_clear(&text);
    deft_buffer_clear(&json);
}

static void lines_are_known(void **state)
{
    (void)state;
    const char      *text  = "[t]\na = [\n 1,\n 2]\n\n[t.u]\nb = '''\nx\n'''\nc = 3\n";
    deft__toml_lines lines = {.allocator = NULL};
    deft_error       error = DEFT_ERROR_INIT;
    deft_buffer      json;
    deft_buffer_init(&json, NULL);
    assert_ok(deft__toml_to_json(deft_view_of(text), "t", &json, &lines, &error), error);
    assert_view_equal(deft_buffer_view(&json),
                      "{\"t\":{\"a\":[1,2],\"u\":{\"b\":\"x\\n\",\"c\":3}}}");
    static const size_t wanted[] = {1, 2, 3, 4, 6, 7, 10};
    assert_int_equal(lines.count, array_size(wanted));
    for (size_t i = 0; i < lines.count; i++) {
        assert_int_equal(lines.items[i].line, wanted[i]);
        assert_true(i == 0 || lines.items[i].offset > lines.items[i - 1].offset);
    }
    deft_buffer_clear(&json);
    deft__toml_lines_clear(&lines);
}

static void many_keys_stay_cheap(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer json;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&json, NULL);
    deft_buffer_append_text(&text, "[t]\n");
    for (size_t i = 0; i < 50000; i++) {
        deft_buffer_append_text(&text, "k");
        deft_buffer_append_u64(&text, i);
        deft_buffer_append_text(&text, ".x = 1\n");
    }
    assert_ok(convert(deft_buffer_view(&text), &json, &error), error);
    deft_buffer_clear(&text);
    deft_buffer_clear(&json);
}

// Every cut of every text, laid against a page that may not be read.
static void no_byte_past_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(good); i++) {
        const deft_view text = deft_view_of(good[i].text);
        for (size_t size = 0; size <= text.size; size++) {
            test_guard      guard;
            const deft_view copy = test_guard_copy(&guard, deft_view_slice(text, 0, size));
            deft_buffer     json;
            deft_buffer_init(&json, NULL);
            (void)deft__toml_is_likely(copy);
            (void)convert(copy, &json, NULL);
            deft_buffer_clear(&json);
            test_guard_clear(&guard);
        }
    }
}

static void toml_is_told_from_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool        is_toml;
    } texts[] = {
        {"[a]\n", true},     {"# x\n", true},           {" \n\ta = 1", true},  {"a.b=1", true},
        {"\"a\" = 1", true}, {"\xEF\xBB\xBF[a]", true}, {"{\"a\": 1}", false}, {"// x\n{}", false},
        {"", false},         {"toolSearch: 1", false},  {"true", false},       {"= 1", false},
    };
    for (size_t i = 0; i < array_size(texts); i++) {
        case_name(texts[i].text);
        assert_int_equal(deft__toml_is_likely(deft_view_of(texts[i].text)), texts[i].is_toml);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_toml_becomes_json),
        cmocka_unit_test(what_is_not_toml_is_told),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(the_number_of_values_has_a_limit),
        cmocka_unit_test(lines_are_known),
        cmocka_unit_test(many_keys_stay_cheap),
        cmocka_unit_test(no_byte_past_the_end),
        cmocka_unit_test(toml_is_told_from_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
