// Strict JSON over bytes. Proves what stack measurements ask of our own reader: nothing that RFC
// 8259 forbids is taken, and nothing that it allows is lost.
#include "json/reader.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

// Parses `text` laid against a forbidden page and expects success; free with done().
typedef struct parsed_text {
    test_guard guard;
    deft__json document;
} parsed_text;

static deft__json_value parse(parsed_text *parsed, deft_view text)
{
    deft_error error = DEFT_ERROR_INIT;
    deft__json_init(&parsed->document, NULL);
    const deft_view guarded = test_guard_copy(&parsed->guard, text);
    assert_ok(deft__json_parse(&parsed->document, guarded, NULL, &error), error);
    return deft__json_root(&parsed->document);
}

static void done(parsed_text *parsed)
{
    deft__json_clear(&parsed->document);
    test_guard_clear(&parsed->guard);
}

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

#define VIEW(literal) DEFT_VIEW_INIT(literal)

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
        parsed_text            parsed;
        const deft__json_value root = parse(&parsed, valid[i].text);
        assert_int_equal(deft__json_kind_of(root), valid[i].kind);
        done(&parsed);
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

static void members_are_found_and_the_last_one_wins(void **state)
{
    (void)state;
    parsed_text            parsed;
    const deft__json_value root = parse(
        &parsed, deft_view_of("{\"a\":1,\"\\u0062\":{\"c\":[2,{}]},\"a\":\"x\",\"n\\u0000n\":3}"));
    assert_int_equal(deft__json_count(root), 4);
    assert_view_equal(deft__json_raw(deft__json_member(root, "a")), "\"x\"");
    assert_view_equal(deft__json_raw(deft__json_member(root, "b")), "{\"c\":[2,{}]}");
    assert_view_equal(deft__json_raw(deft__json_member_view(root, (deft_view)VIEW("n\0n"))), "3");
    assert_int_equal(deft__json_kind_of(deft__json_member(root, "c")), DEFT__JSON_NONE);
    assert_int_equal(deft__json_kind_of(deft__json_member(root, "n")), DEFT__JSON_NONE);
    assert_int_equal(deft__json_offset(deft__json_member(root, "b")), 16);
    done(&parsed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_json_allows_is_taken),
        cmocka_unit_test(what_json_forbids_is_refused_with_place_and_reason),
        cmocka_unit_test(members_are_found_and_the_last_one_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
