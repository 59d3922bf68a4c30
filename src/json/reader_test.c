// Strict JSON over bytes: nothing that RFC 8259 forbids is taken, nothing that it allows is lost.
#include "json/reader.h"

#include "support/allocator.h"
#include "support/json.h"

#include <stdlib.h>

// What parsing `text` gives, and why when it fails.
static deft_status try_parse(deft_view text, deft_error *error)
{
    test_guard guard;
    deft__json document;
    deft__json_init(&document, NULL);
    const deft_status status =
        deft__json_parse(&document, test_guard_copy(&guard, text), NULL, error);
    if (status != DEFT_OK) {
        assert_int_equal(error->status, status);
        assert_int_equal(deft__json_kind_of(deft__json_root(&document)), DEFT__JSON_NONE);
    }
    deft__json_clear(&document);
    test_guard_clear(&guard);
    return status;
}

static const struct {
    const char     *name;
    deft_view       text;
    deft__json_kind kind;
} valid[] = {
    {"null", VIEW("null"), DEFT__JSON_NULL},
    {"true", VIEW("true"), DEFT__JSON_TRUE},
    {"false", VIEW("false"), DEFT__JSON_FALSE},
    {"white space around", VIEW(" \t\r\n null \n"), DEFT__JSON_NULL},
    {"an empty string", VIEW("\"\""), DEFT__JSON_STRING},
    {"a string with every short escape", VIEW("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), DEFT__JSON_STRING},
    {"hex digits in both cases", VIEW("\"\\u00e9\\u00E9\\uABCD\\uabcd\""), DEFT__JSON_STRING},
    {"an escaped NUL", VIEW("\"\\u0000\""), DEFT__JSON_STRING},
    {"half a surrogate pair", VIEW("\"\\ud800\""), DEFT__JSON_STRING},
    {"DEL is no control character here", VIEW("\"\x7f\""), DEFT__JSON_STRING},
    {"characters of two, three and four bytes", VIEW("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""),
     DEFT__JSON_STRING},
    {"the largest character", VIEW("\"\xF4\x8F\xBF\xBF\""), DEFT__JSON_STRING},
    {"zero", VIEW("0"), DEFT__JSON_NUMBER},
    {"minus zero", VIEW("-0"), DEFT__JSON_NUMBER},
    {"a fraction", VIEW("0.5"), DEFT__JSON_NUMBER},
    {"an exponent", VIEW("1e5"), DEFT__JSON_NUMBER},
    {"an exponent with a plus", VIEW("1E+5"), DEFT__JSON_NUMBER},
    {"an exponent with zeros in front", VIEW("1e-005"), DEFT__JSON_NUMBER},
    {"everything a number can have", VIEW("-10.250E-07"), DEFT__JSON_NUMBER},
    {"a number beyond every type", VIEW("1e400"), DEFT__JSON_NUMBER},
    {"thirty digits", VIEW("123456789012345678901234567890"), DEFT__JSON_NUMBER},
    {"an empty array", VIEW("[]"), DEFT__JSON_ARRAY},
    {"an empty array with space in it", VIEW("[ \n ]"), DEFT__JSON_ARRAY},
    {"arrays in arrays", VIEW("[[],[[]],[1,[2]]]"), DEFT__JSON_ARRAY},
    {"an array of every kind", VIEW("[null,true,false,-1,\"x\",[],{}]"), DEFT__JSON_ARRAY},
    {"space everywhere", VIEW(" [ 1 , { \"a\" : 2 , \"b\" : [ ] } ] "), DEFT__JSON_ARRAY},
    {"an empty object", VIEW("{}"), DEFT__JSON_OBJECT},
    {"an empty name", VIEW("{\"\":0}"), DEFT__JSON_OBJECT},
    {"the same name twice", VIEW("{\"a\":1,\"a\":2}"), DEFT__JSON_OBJECT},
    {"objects in objects", VIEW("{\"a\":{\"b\":{}},\"c\":[{}]}"), DEFT__JSON_OBJECT},
};

static void what_json_allows_is_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(valid); i++) {
        case_name(valid[i].name);
        test_json              parsed;
        const deft__json_value root = test_json_parse(&parsed, valid[i].text);
        assert_int_equal(deft__json_kind_of(root), valid[i].kind);
        test_json_done(&parsed);
    }
}

static const struct {
    const char *name;
    deft_view   text;
    size_t      offset;
    const char *message;
} invalid[] = {
    {"nothing", VIEW(""), 0, "a value expected, but the text ends"},
    {"only space", VIEW("  \n"), 3, "a value expected, but the text ends"},
    {"a byte order mark", VIEW("\xEF\xBB\xBF{}"), 0, "a value expected, not a byte order mark"},
    {"two values", VIEW("1 2"), 2, "text after the value"},
    {"a comma too many behind", VIEW("{},"), 2, "text after the value"},
    {"a NUL behind", VIEW("{}\0"), 2, "text after the value"},
    {"a form feed is not white space", VIEW("\f1"), 0, "a value expected"},
    {"a no-break space is not white space",
     VIEW("[\xC2\xA0"
          "1]"),
     1, "a value expected"},
    {"NaN", VIEW("NaN"), 0, "a value expected"},
    {"Infinity", VIEW("[-Infinity]"), 2, "a digit expected"},
    {"a misspelled word", VIEW("[nul]"), 1, "a value expected"},
    {"a word in capitals", VIEW("True"), 0, "a value expected"},
    {"a word that goes on", VIEW("nulls"), 4, "text after the value"},
    {"a word cut off", VIEW("tru"), 0, "a value expected"},
    {"a comment", VIEW("/* x */ 1"), 0, "a value expected"},
    {"single quotes", VIEW("['a']"), 1, "a value expected"},
    {"a plus", VIEW("+1"), 0, "a value expected"},
    {"a point in front", VIEW(".5"), 0, "a value expected"},
    {"a minus alone", VIEW("-"), 1, "a digit expected, but the text ends"},
    {"two minuses", VIEW("--1"), 1, "a digit expected"},
    {"a zero in front", VIEW("01"), 1, "a number with a 0 in front"},
    {"minus and a zero in front", VIEW("-01"), 2, "a number with a 0 in front"},
    {"no digit behind the point", VIEW("[1.]"), 3, "a digit expected after the decimal point"},
    {"an exponent behind the point", VIEW("1.e5"), 2, "a digit expected after the decimal point"},
    {"no digit in the exponent", VIEW("[1e]"), 3, "a digit expected in the exponent"},
    {"no digit behind the sign", VIEW("1e+"), 3,
     "a digit expected in the exponent, but the text ends"},
    {"a fraction in the exponent", VIEW("1e1.5"), 3, "text after the value"},
    {"a hex number", VIEW("0x1"), 1, "text after the value"},
    {"digits grouped", VIEW("1_000"), 1, "text after the value"},
    {"a string without an end", VIEW("\"abc"), 4, "a closing quote expected, but the text ends"},
    {"a string that ends in a backslash", VIEW("\"abc\\"), 5,
     "an escape expected, but the text ends"},
    {"an escaped quote is no end", VIEW("\"abc\\\""), 6,
     "a closing quote expected, but the text ends"},
    {"an unknown escape", VIEW("\"a\\x41\""), 2, "unknown escape in a string"},
    {"an escape with a capital", VIEW("\"\\N\""), 1, "unknown escape in a string"},
    {"three hex digits", VIEW("\"\\u123\""), 6, "four hex digits expected after \\u"},
    {"a hex digit that is none", VIEW("\"\\u12g4\""), 5, "four hex digits expected after \\u"},
    {"hex digits cut off", VIEW("\"\\u12"), 5,
     "four hex digits expected after \\u, but the text ends"},
    {"a line end in a string", VIEW("\"a\nb\""), 2, "control character in a string"},
    {"a tab in a string", VIEW("\"\t\""), 1, "control character in a string"},
    {"a NUL in a string", VIEW("\"a\0b\""), 2, "control character in a string"},
    {"the last control character", VIEW("\"\x1f\""), 1, "control character in a string"},
    {"a control character far inside", VIEW("\"0123456789abcdef0123456789\x01 0123456789abcdef\""),
     27, "control character in a string"},
    {"a continuation byte alone", VIEW("\"a\x80\""), 2, "a string that is not UTF-8"},
    {"a character cut short", VIEW("\"\xE2\x82\""), 1, "a string that is not UTF-8"},
    {"a character cut off by the end", VIEW("\"\xE2\x82"), 1, "a string that is not UTF-8"},
    {"an overlong slash", VIEW("\"\xC0\xAF\""), 1, "a string that is not UTF-8"},
    {"an overlong form of three bytes", VIEW("\"\xE0\x80\xAF\""), 1, "a string that is not UTF-8"},
    {"an overlong form of four bytes", VIEW("\"\xF0\x80\x80\xAF\""), 1,
     "a string that is not UTF-8"},
    {"a surrogate as bytes", VIEW("\"\xED\xA0\x80\""), 1, "a string that is not UTF-8"},
    {"beyond the largest character", VIEW("\"\xF4\x90\x80\x80\""), 1, "a string that is not UTF-8"},
    {"a byte that is never UTF-8", VIEW("\"\xFF\""), 1, "a string that is not UTF-8"},
    {"bytes beyond ASCII outside a string", VIEW("[\xC3\xA9]"), 1, "a value expected"},
    {"an array without an end", VIEW("["), 1, "a value expected, but the text ends"},
    {"an array that stops after an item", VIEW("[1"), 2,
     "a comma or ] expected, but the text ends"},
    {"an array that stops after a comma", VIEW("[1,"), 3, "a value expected, but the text ends"},
    {"a comma at the end", VIEW("[1,]"), 3, "a value expected"},
    {"a comma at the start", VIEW("[,1]"), 1, "a value expected"},
    {"two commas", VIEW("[1,,2]"), 3, "a value expected"},
    {"only a comma", VIEW("[,]"), 1, "a value expected"},
    {"no comma", VIEW("[1 2]"), 3, "a comma or ] expected"},
    {"an array closed as an object", VIEW("[1}"), 2, "a comma or ] expected"},
    {"an empty array closed as an object", VIEW("[}"), 1, "a value expected"},
    {"an end without a start", VIEW("]"), 0, "a value expected"},
    {"an end too many", VIEW("[]]"), 2, "text after the value"},
    {"a colon in an array", VIEW("[1:2]"), 2, "a comma or ] expected"},
    {"an object without an end", VIEW("{"), 1,
     "a member name in double quotes expected, but the text ends"},
    {"a name that is a number", VIEW("{1:2}"), 1, "a member name in double quotes expected"},
    {"a name without quotes", VIEW("{a:2}"), 1, "a member name in double quotes expected"},
    {"a name that is an array", VIEW("{[]:2}"), 1, "a member name in double quotes expected"},
    {"a name without an end", VIEW("{\"a"), 3, "a closing quote expected, but the text ends"},
    {"a name without a value", VIEW("{\"a\"}"), 4, "a colon expected after a member name"},
    {"a name and the end", VIEW("{\"a\""), 4,
     "a colon expected after a member name, but the text ends"},
    {"a comma for a colon", VIEW("{\"a\",1}"), 4, "a colon expected after a member name"},
    {"a colon without a value", VIEW("{\"a\":}"), 5, "a value expected"},
    {"a colon and the end", VIEW("{\"a\":"), 5, "a value expected, but the text ends"},
    {"two colons", VIEW("{\"a\"::1}"), 5, "a value expected"},
    {"a member without an end", VIEW("{\"a\":1"), 6, "a comma or } expected, but the text ends"},
    {"a comma behind the last member", VIEW("{\"a\":1,}"), 7,
     "a member name in double quotes expected"},
    {"a comma before the first member", VIEW("{,\"a\":1}"), 1,
     "a member name in double quotes expected"},
    {"two members without a comma", VIEW("{\"a\":1 \"b\":2}"), 7, "a comma or } expected"},
    {"an object closed as an array", VIEW("{\"a\":1]"), 6, "a comma or } expected"},
    {"an empty object closed as an array", VIEW("{]"), 1,
     "a member name in double quotes expected"},
    {"ends in the wrong order", VIEW("[{\"a\":[1}]]"), 8, "a comma or ] expected"},
};

static void what_json_forbids_is_refused_with_place_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(invalid); i++) {
        case_name(invalid[i].name);
        deft_error error = DEFT_ERROR_INIT;
        assert_int_equal(try_parse(invalid[i].text, &error), DEFT_INVALID);
        assert_string_equal(error.message, invalid[i].message);
        assert_int_equal(error.offset, invalid[i].offset);
    }
}

// Every start of a valid text is not a text yet, and saying so reads nothing past its end.
static void every_prefix_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(valid); i++) {
        const deft_view text = valid[i].text;
        if (valid[i].kind == DEFT__JSON_NUMBER) {
            continue; // 1 is the start of 12
        }
        size_t end = text.size;
        while (strchr(" \n\r\t", text.data[end - 1]) != NULL) {
            end--;
        }
        for (size_t size = 0; size < end; size++) {
            deft_error error = DEFT_ERROR_INIT;
            assert_int_equal(try_parse(deft_view_slice(text, 0, size), &error), DEFT_INVALID);
            assert_in_range(error.offset, 0, size);
        }
    }
}

// The column "own" of the comparison with other libraries: what a reader must not lose, and what
// it must not take. Proves that what servers send reaches the model unchanged.
static const struct {
    const char *name;
    deft_view   text;
    deft_status status;
    deft_view   kept; // the bytes of the first item
    deft_view   read; // the first item as a string
} behaviour[] = {
    {"order of names", VIEW("[{\"b\":1,\"a\":2}]"), DEFT_OK, VIEW("{\"b\":1,\"a\":2}"), {0}},
    {"the same name twice", VIEW("[{\"a\":1,\"a\":2}]"), DEFT_OK, VIEW("{\"a\":1,\"a\":2}"), {0}},
    {"2^63", VIEW("[9223372036854775808]"), DEFT_OK, VIEW("9223372036854775808"), {0}},
    {"2^64", VIEW("[18446744073709551616]"), DEFT_OK, VIEW("18446744073709551616"), {0}},
    {"30 digits",
     VIEW("[123456789012345678901234567890]"),
     DEFT_OK,
     VIEW("123456789012345678901234567890"),
     {0}},
    {"2^53 + 1", VIEW("[9007199254740993]"), DEFT_OK, VIEW("9007199254740993"), {0}},
    {"1.0", VIEW("[1.0]"), DEFT_OK, VIEW("1.0"), {0}},
    {"1e5", VIEW("[1e5]"), DEFT_OK, VIEW("1e5"), {0}},
    {"0.1", VIEW("[0.1]"), DEFT_OK, VIEW("0.1"), {0}},
    {"1e400", VIEW("[1e400]"), DEFT_OK, VIEW("1e400"), {0}},
    {"a NUL escaped in a value", VIEW("[\"a\\u0000b\"]"), DEFT_OK, VIEW("\"a\\u0000b\""),
     VIEW("a\0b")},
    {"a NUL escaped in a name",
     VIEW("[{\"a\\u0000b\":1}]"),
     DEFT_OK,
     VIEW("{\"a\\u0000b\":1}"),
     {0}},
    {"half a pair", VIEW("[\"\\ud800\"]"), DEFT_OK, VIEW("\"\\ud800\""), VIEW("\xEF\xBF\xBD")},
    {"a raw NUL", VIEW("[\"a\0b\"]"), DEFT_INVALID, {0}, {0}},
    {"a raw control character",
     VIEW("[\"a\x01"
          "b\"]"),
     DEFT_INVALID,
     {0},
     {0}},
    {"not UTF-8", VIEW("[\"\xFF\"]"), DEFT_INVALID, {0}, {0}},
    {"overlong UTF-8", VIEW("[\"\xC0\x80\"]"), DEFT_INVALID, {0}, {0}},
    {"surrogate bytes", VIEW("[\"\xED\xA0\x80\"]"), DEFT_INVALID, {0}, {0}},
    {"NaN", VIEW("[NaN]"), DEFT_INVALID, {0}, {0}},
    {"1.", VIEW("[1.]"), DEFT_INVALID, {0}, {0}},
    {"01", VIEW("[01]"), DEFT_INVALID, {0}, {0}},
    {"a byte order mark", VIEW("\xEF\xBB\xBF[1]"), DEFT_INVALID, {0}, {0}},
    {"text behind", VIEW("[1]]"), DEFT_INVALID, {0}, {0}},
};

static void nothing_is_lost_and_nothing_wrong_is_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(behaviour); i++) {
        case_name(behaviour[i].name);
        deft_error error = DEFT_ERROR_INIT;
        if (behaviour[i].status != DEFT_OK) {
            assert_int_equal(try_parse(behaviour[i].text, &error), behaviour[i].status);
            continue;
        }
        test_json           parsed;
        deft_buffer         scratch;
        deft__json_iterator item = deft__json_iterate(test_json_parse(&parsed, behaviour[i].text));
        deft_buffer_init(&scratch, NULL);
        assert_true(deft__json_next(&item));
        assert_true(deft_view_equal(deft__json_raw(item.value), behaviour[i].kept));
        assert_true(deft_view_equal(deft__json_string(item.value, &scratch), behaviour[i].read));
        deft_buffer_clear(&scratch);
        test_json_done(&parsed);
    }
}

// `depth` arrays inside one another.
static void nest(deft_buffer *text, size_t depth)
{
    test_json_repeat(text, "", "[", depth, "");
    for (size_t i = 0; i < depth; i++) {
        deft_buffer_append_byte(text, ']');
    }
}

static deft_status parse_within(const deft_buffer *text, const deft__json_limits *limits,
                                deft_error *error)
{
    deft__json document;
    deft__json_init(&document, NULL);
    const deft_status status = deft__json_parse(&document, deft_buffer_view(text), limits, error);
    deft__json_clear(&document);
    return status;
}

static const struct {
    const char *name;
    uint32_t    depth_max;
    size_t      deepest;
} depths[] = {
    {"by default 128", 0, 128},
    {"a limit of one", 1, 1},
    {"a limit of 1024", 1024, 1024},
    {"more than 1024 counts as 1024", 100000, 1024},
};

static void depth_is_limited(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(depths); i++) {
        case_name(depths[i].name);
        const deft__json_limits limits = {.depth_max = depths[i].depth_max};
        deft_error              error  = DEFT_ERROR_INIT;
        deft_buffer             text;
        nest(&text, depths[i].deepest);
        assert_ok(parse_within(&text, &limits, &error), error);
        deft_buffer_clear(&text);
        nest(&text, depths[i].deepest + 1);
        assert_int_equal(parse_within(&text, &limits, &error), DEFT_LIMIT);
        assert_int_equal(error.offset, depths[i].deepest);
        assert_string_equal(error.message, "too many arrays and objects inside one another");
        deft_buffer_clear(&text);
    }
}

static void ten_thousand_levels_are_a_limit_and_no_crash(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[", "{\"a\":", "[{\"a\":"};
    for (size_t i = 0; i < array_size(pieces); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer text;
        test_json_repeat(&text, "", pieces[i], 10000, "");
        assert_int_equal(parse_within(&text, NULL, &error), DEFT_LIMIT);
        deft_buffer_clear(&text);
    }
}

static void many_siblings_are_not_deep(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    test_json_repeat(&text, "[", "[],{},", 10000, "0]");
    assert_ok(parse_within(&text, NULL, &error), error);
    deft_buffer_clear(&text);
}

static void tokens_are_limited(void **state)
{
    (void)state;
    // One array, two numbers, one object, one name, one value.
    const deft__json_limits enough = {.tokens_max = 6};
    const deft__json_limits few    = {.tokens_max = 5};
    deft_error              error  = DEFT_ERROR_INIT;
    deft_buffer             text;
    test_json_repeat(&text, "[1,2,{\"a\":", "", 0, "3}]");
    assert_ok(parse_within(&text, &enough, &error), error);
    assert_int_equal(parse_within(&text, &few, &error), DEFT_LIMIT);
    assert_string_equal(error.message, "too many values");
    assert_int_equal(error.offset, 10);
    deft_buffer_clear(&text);

    // The limit also holds where the tape has room from before.
    deft__json document;
    deft__json_init(&document, NULL);
    assert_ok(deft__json_parse(&document, deft_view_of("[1,2,3,4,5,6,7]"), NULL, &error), error);
    assert_int_equal(deft__json_parse(&document, deft_view_of("[1,2,3,4,5]"), &few, &error),
                     DEFT_LIMIT);
    assert_ok(deft__json_parse(&document, deft_view_of("[1,2,3,4]"), &few, &error), error);
    deft__json_clear(&document);
}

static void size_is_limited(void **state)
{
    (void)state;
    const deft__json_limits limits = {.size_max = 10};
    deft_error              error  = DEFT_ERROR_INIT;
    deft_buffer             text;
    test_json_repeat(&text, "\"", "x", 8, "\"");
    assert_ok(parse_within(&text, &limits, &error), error);
    deft_buffer_clear(&text);
    test_json_repeat(&text, "\"", "x", 9, "\"");
    assert_int_equal(parse_within(&text, &limits, &error), DEFT_LIMIT);
    assert_int_equal(error.offset, 10);
    assert_string_equal(error.message, "a text of 11 bytes, with a limit of 10");
    deft_buffer_clear(&text);
}

static void sixty_four_mebibytes_are_the_default_limit(void **state)
{
    (void)state;
    const size_t most  = DEFT__JSON_SIZE_MAX;
    deft_error   error = DEFT_ERROR_INIT;
    char        *text  = malloc(most + 1);
    assert_non_null(text);
    memset(text, 'x', most + 1);
    text[0]        = '"';
    text[most - 1] = '"';

    deft__json document;
    deft__json_init(&document, NULL);
    assert_ok(deft__json_parse(&document, deft_view_make(text, most), NULL, &error), error);
    assert_int_equal(deft__json_raw(deft__json_root(&document)).size, most);
    assert_int_equal(deft__json_parse(&document, deft_view_make(text, most + 1), NULL, &error),
                     DEFT_LIMIT);
    deft__json_clear(&document);
    free(text);
}

// The worst text for a tape: a token for every second byte.
static void a_dense_text_costs_eight_times_its_size(void **state)
{
    (void)state;
    const size_t   count = 100000;
    deft_error     error = DEFT_ERROR_INIT;
    test_allocator allocator;
    deft_buffer    text;
    deft__json     document;
    test_allocator_init(&allocator);
    test_json_repeat(&text, "[", "1,", count - 1, "1]");
    deft__json_init(&document, &allocator.allocator);
    assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, &error), error);
    assert_int_equal(deft__json_count(deft__json_root(&document)), count);
    assert_in_range(allocator.bytes, 16 * count, 16 * count * 2);

    // Read again, it fits without asking.
    const size_t requests = allocator.requests;
    assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, &error), error);
    assert_int_equal(allocator.requests, requests);
    deft__json_clear(&document);
    assert_int_equal(allocator.blocks, 0);
    deft_buffer_clear(&text);
}

static void a_failed_parse_leaves_no_values(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    deft__json document;
    deft__json_init(&document, NULL);
    assert_ok(deft__json_parse(&document, deft_view_of("[1,2]"), NULL, &error), error);
    const deft__json_value root = deft__json_root(&document);
    assert_int_equal(deft__json_parse(&document, deft_view_of("[1,2"), NULL, &error), DEFT_INVALID);
    assert_true(deft__json_is(root, DEFT__JSON_NONE));
    assert_int_equal(deft__json_parse(&document, deft_view_make(NULL, 0), NULL, NULL),
                     DEFT_INVALID);
    assert_true(deft__json_is(deft__json_root(&document), DEFT__JSON_NONE));
    deft__json_clear(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_json_allows_is_taken),
        cmocka_unit_test(what_json_forbids_is_refused_with_place_and_reason),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(nothing_is_lost_and_nothing_wrong_is_taken),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(ten_thousand_levels_are_a_limit_and_no_crash),
        cmocka_unit_test(many_siblings_are_not_deep),
        cmocka_unit_test(tokens_are_limited),
        cmocka_unit_test(size_is_limited),
        cmocka_unit_test(sixty_four_mebibytes_are_the_default_limit),
        cmocka_unit_test(a_dense_text_costs_eight_times_its_size),
        cmocka_unit_test(a_failed_parse_leaves_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
