// Strict JSON over bytes: nothing that RFC 8259 forbids is taken, nothing that it allows is lost.
#include "json/reader.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

#include <locale.h>
#include <stdlib.h>

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
        parsed_text         parsed;
        deft_buffer         scratch;
        deft__json_iterator item = deft__json_iterate(parse(&parsed, behaviour[i].text));
        deft_buffer_init(&scratch, NULL);
        assert_true(deft__json_next(&item));
        assert_true(deft_view_equal(deft__json_raw(item.value), behaviour[i].kept));
        assert_true(deft_view_equal(deft__json_string(item.value, &scratch), behaviour[i].read));
        deft_buffer_clear(&scratch);
        done(&parsed);
    }
}

// A text of `count` times `piece` between `open` and `close`.
static void repeat(deft_buffer *text, const char *open, const char *piece, size_t count,
                   const char *close)
{
    deft_buffer_init(text, NULL);
    assert_true(deft_buffer_reserve(text, strlen(open) + strlen(piece) * count + strlen(close)));
    deft_buffer_append_text(text, open);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(text, piece);
    }
    deft_buffer_append_text(text, close);
    assert_int_equal(text->status, DEFT_OK);
}

// `depth` arrays inside one another.
static void nest(deft_buffer *text, size_t depth)
{
    repeat(text, "", "[", depth, "");
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
        repeat(&text, "", pieces[i], 10000, "");
        assert_int_equal(parse_within(&text, NULL, &error), DEFT_LIMIT);
        deft_buffer_clear(&text);
    }
}

static void many_siblings_are_not_deep(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    repeat(&text, "[", "[],{},", 10000, "0]");
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
    repeat(&text, "[1,2,{\"a\":", "", 0, "3}]");
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
    repeat(&text, "\"", "x", 8, "\"");
    assert_ok(parse_within(&text, &limits, &error), error);
    deft_buffer_clear(&text);
    repeat(&text, "\"", "x", 9, "\"");
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
    repeat(&text, "[", "1,", count - 1, "1]");
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

// What is not there answers like an empty thing, so lookups may be chained without checks.
static void no_value_answers_everything(void **state)
{
    (void)state;
    const deft__json_value none   = {0};
    deft__json_value       name   = none;
    int64_t                whole  = 7;
    uint64_t               number = 7;
    double                 real   = 7;
    deft_status            status = DEFT_INVALID;
    deft_buffer            scratch;
    deft_buffer_init(&scratch, NULL);
    assert_int_equal(deft__json_kind_of(none), DEFT__JSON_NONE);
    assert_int_equal(deft__json_raw(none).size, 0);
    assert_int_equal(deft__json_offset(none), 0);
    assert_int_equal(deft__json_count(none), 0);
    deft__json_iterator i = deft__json_iterate(none);
    assert_false(deft__json_next(&i));
    assert_true(deft__json_is(deft__json_member(none, "a"), DEFT__JSON_NONE));
    assert_true(
        deft__json_is(deft__json_member(deft__json_member(none, "a"), "b"), DEFT__JSON_NONE));
    assert_false(deft__json_find_duplicate(none, &name, &status));
    assert_int_equal(status, DEFT_OK);
    assert_int_equal(deft__json_string(none, &scratch).size, 0);
    assert_false(deft__json_string_equals(none, deft_view_of("")));
    assert_int_equal(deft__json_int64(none, &whole), DEFT_INVALID);
    assert_int_equal(deft__json_uint64(none, &number), DEFT_INVALID);
    assert_int_equal(deft__json_double(none, &real), DEFT_INVALID);
    assert_true(whole == 7 && number == 7 && real > 6); // outputs untouched
}

static void kinds_have_names_for_messages(void **state)
{
    (void)state;
    static const char *const names[] = {"nothing",  "null",     "false",    "true",
                                        "a number", "a string", "an array", "an object"};
    for (unsigned kind = 0; kind < array_size(names); kind++) {
        assert_string_equal(deft__json_kind_name((deft__json_kind)kind), names[kind]);
    }
}

static void arrays_and_objects_are_walked_in_order(void **state)
{
    (void)state;
    parsed_text            parsed;
    const deft__json_value root =
        parse(&parsed, deft_view_of("{\"a\":[1,[2,3],{\"x\":4}],\"b\":{},\"c\":[]}"));
    deft__json_iterator member = deft__json_iterate(root);
    assert_true(deft__json_next(&member));
    assert_view_equal(deft__json_raw(member.name), "\"a\"");

    deft__json_iterator item = deft__json_iterate(member.value);
    assert_true(deft__json_next(&item));
    assert_view_equal(deft__json_raw(item.value), "1");
    assert_true(deft__json_is(item.name, DEFT__JSON_NONE));
    assert_true(deft__json_next(&item));
    assert_view_equal(deft__json_raw(item.value), "[2,3]");
    assert_true(deft__json_next(&item));
    assert_view_equal(deft__json_raw(item.value), "{\"x\":4}");
    assert_false(deft__json_next(&item));
    assert_false(deft__json_next(&item)); // and stays there
    assert_true(deft__json_is(item.value, DEFT__JSON_NONE));

    assert_true(deft__json_next(&member));
    assert_view_equal(deft__json_raw(member.value), "{}");
    assert_true(deft__json_next(&member));
    assert_view_equal(deft__json_raw(member.name), "\"c\"");
    assert_view_equal(deft__json_raw(member.value), "[]");
    assert_false(deft__json_next(&member));

    deft__json_iterator scalar = deft__json_iterate(deft__json_member(root, "none"));
    assert_false(deft__json_next(&scalar));
    done(&parsed);
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
    assert_true(deft__json_is(deft__json_member(root, "c"), DEFT__JSON_NONE));
    assert_true(deft__json_is(deft__json_member(root, "n"), DEFT__JSON_NONE));
    assert_int_equal(deft__json_offset(deft__json_member(root, "b")), 16);
    // An array has items, not members, even where a string among them has the name.
    const deft__json_value array = deft__json_member(deft__json_member(root, "b"), "c");
    assert_true(deft__json_is(deft__json_member(array, "2"), DEFT__JSON_NONE));
    done(&parsed);
}

static const struct {
    const char *name;
    const char *text;
    deft_view   read;
} strings[] = {
    {"an empty one", "\"\"", VIEW("")},
    {"a plain one", "\"plain\"", VIEW("plain")},
    {"every short escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", VIEW("\"\\/\b\f\n\r\t")},
    {"escapes of one to three bytes", "\"\\u0041\\u00e9\\u20AC\"", VIEW("A\xC3\xA9\xE2\x82\xAC")},
    {"a pair is one character", "\"\\ud83d\\uDE00\"", VIEW("\xF0\x9F\x98\x80")},
    {"the largest pair", "\"\\udbff\\udfff\"", VIEW("\xF4\x8F\xBF\xBF")},
    {"a pair whose character looks like a half", "\"\\ud837\\ude2C\"", VIEW("\xF0\x9D\xB8\xAC")},
    {"a high half alone", "\"a\\ud800b\"",
     VIEW("a\xEF\xBF\xBD"
          "b")},
    {"a low half alone", "\"a\\udc00b\"",
     VIEW("a\xEF\xBF\xBD"
          "b")},
    {"halves in the wrong order", "\"\\udc00\\ud800\"", VIEW("\xEF\xBF\xBD\xEF\xBF\xBD")},
    {"a high half before a pair", "\"\\ud800\\ud83d\\ude00\"",
     VIEW("\xEF\xBF\xBD\xF0\x9F\x98\x80")},
    {"a high half before another escape", "\"\\ud800\\n\"", VIEW("\xEF\xBF\xBD\n")},
    {"a high half before text like an escape", "\"\\ud800\\\\udc00\"", VIEW("\xEF\xBF\xBD\\udc00")},
    {"a NUL", "\"a\\u0000b\"", VIEW("a\0b")},
    {"text around an escape", "\"caf\xC3\xA9\\tau lait\"", VIEW("caf\xC3\xA9\tau lait")},
    {"a backslash before a letter", "\"\\\\u0041\"", VIEW("\\u0041")},
};

static void strings_are_decoded(void **state)
{
    (void)state;
    deft_buffer scratch;
    deft_buffer_init(&scratch, NULL);
    for (size_t i = 0; i < array_size(strings); i++) {
        case_name(strings[i].name);
        parsed_text            parsed;
        const deft__json_value root = parse(&parsed, deft_view_of(strings[i].text));
        const deft_view        read = strings[i].read;
        deft_buffer_reset(&scratch);
        deft_buffer_append_text(&scratch, "before"); // it appends
        assert_true(deft_view_equal(deft__json_string(root, &scratch), read));
        assert_memory_equal(scratch.data, "before", 6);
        assert_true(deft__json_string_equals(root, read));
        // Less is another string, and is not read past its end.
        for (size_t size = 0; size < read.size; size++) {
            test_guard guard;
            assert_false(deft__json_string_equals(
                root, test_guard_copy(&guard, deft_view_slice(read, 0, size))));
            test_guard_clear(&guard);
        }
        // One byte more is another string.
        deft_buffer longer;
        deft_buffer_init(&longer, NULL);
        deft_buffer_append(&longer, read);
        deft_buffer_append_byte(&longer, 'x');
        assert_false(deft__json_string_equals(root, deft_buffer_view(&longer)));
        deft_buffer_clear(&longer);
        done(&parsed);
    }
    deft_buffer_clear(&scratch);
}

static const struct {
    const char *name;
    const char *text;
    size_t      offset; // of the second one; 0: all differ
} duplicates[] = {
    {"none", "{\"a\":1,\"b\":2}", 0},
    {"an empty object", "{}", 0},
    {"not an object", "[\"a\",\"a\"]", 0},
    {"two", "{\"a\":1,\"a\":2}", 7},
    {"two empty names", "{\"\":1,\"\":2}", 6},
    {"the earliest second place", "{\"b\":1,\"a\":1,\"a\":2,\"b\":2}", 13},
    {"three are one duplicate", "{\"a\":1,\"a\":2,\"a\":3}", 7},
    {"one with escapes", "{\"name\":1,\"\\u006eame\":2}", 10},
    {"both with escapes", "{\"\\u006eame\":1,\"n\\u0061me\":2}", 15},
    {"a NUL makes a difference", "{\"a\":1,\"a\\u0000\":2}", 0},
    {"only the object itself counts", "{\"a\":{\"b\":1,\"b\":2}}", 0},
};

static void a_name_given_twice_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(duplicates); i++) {
        case_name(duplicates[i].name);
        parsed_text            parsed;
        const deft__json_value root   = parse(&parsed, deft_view_of(duplicates[i].text));
        deft__json_value       name   = {0};
        deft_status            status = DEFT_INVALID;
        assert_int_equal(deft__json_find_duplicate(root, &name, &status), duplicates[i].offset > 0);
        assert_int_equal(status, DEFT_OK);
        assert_int_equal(deft__json_offset(name), duplicates[i].offset);
        assert_int_equal(deft__json_find_duplicate(root, &name, NULL), duplicates[i].offset > 0);
        done(&parsed);
    }
}

// An object of `count` members whose names have a long start in common; the last one is `last`.
static void write_members(deft_buffer *text, size_t count, const char *last)
{
    deft_buffer_init(text, NULL);
    deft_buffer_append_byte(text, '{');
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(text, "\"all these names start like one another ");
        deft_buffer_append_u64(text, 1000000 + i);
        deft_buffer_append_text(text, "\":0,");
    }
    deft_buffer_append_text(text, last);
    deft_buffer_append_text(text, ":0}");
}

// Comparing each with each would be 5 billion comparisons, which the time limit of the tests shows.
static void a_duplicate_among_many_is_found_quickly(void **state)
{
    (void)state;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft__json  document;
    deft__json_init(&document, NULL);
    for (int is_twice = 0; is_twice < 2; is_twice++) {
        write_members(&text, 100000,
                      is_twice ? "\"all these names st\\u0061rt like one another 1012345\""
                               : "\"\"");
        assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, &error), error);
        deft__json_value name   = {0};
        deft_status      status = DEFT_INVALID;
        assert_int_equal(deft__json_find_duplicate(deft__json_root(&document), &name, &status),
                         is_twice);
        assert_int_equal(status, DEFT_OK);
        deft_buffer_clear(&text);
    }
    deft__json_clear(&document);
}

static const struct {
    const char *text;
    deft_status i64;
    int64_t     i64_value;
    deft_status u64;
    uint64_t    u64_value;
    deft_status f64;
    double      f64_value;
} numbers[] = {
    {"0", DEFT_OK, 0, DEFT_OK, 0, DEFT_OK, 0.0},
    {"-0", DEFT_OK, 0, DEFT_OK, 0, DEFT_OK, -0.0},
    {"-0.0e5", DEFT_OK, 0, DEFT_OK, 0, DEFT_OK, -0.0},
    {"0e999999999999999999999", DEFT_OK, 0, DEFT_OK, 0, DEFT_OK, 0.0},
    {"1", DEFT_OK, 1, DEFT_OK, 1, DEFT_OK, 1.0},
    {"-1", DEFT_OK, -1, DEFT_LIMIT, 0, DEFT_OK, -1.0},
    {"1.0", DEFT_OK, 1, DEFT_OK, 1, DEFT_OK, 1.0},
    {"1e2", DEFT_OK, 100, DEFT_OK, 100, DEFT_OK, 100.0},
    {"1200e-2", DEFT_OK, 12, DEFT_OK, 12, DEFT_OK, 12.0},
    {"0.5e1", DEFT_OK, 5, DEFT_OK, 5, DEFT_OK, 5.0},
    {"0.00120E+5", DEFT_OK, 120, DEFT_OK, 120, DEFT_OK, 120.0},
    {"0.5", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 0.5},
    {"-1.5", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, -1.5},
    {"1e-1", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 0.1},
    {"9007199254740993", DEFT_OK, 9007199254740993, DEFT_OK, 9007199254740993, DEFT_OK,
     9007199254740992.0},
    {"9223372036854775807", DEFT_OK, INT64_MAX, DEFT_OK, INT64_MAX, DEFT_OK, 9223372036854775808.0},
    {"9223372036854775808", DEFT_LIMIT, 0, DEFT_OK, 9223372036854775808u, DEFT_OK,
     9223372036854775808.0},
    {"-9223372036854775808", DEFT_OK, INT64_MIN, DEFT_LIMIT, 0, DEFT_OK, -9223372036854775808.0},
    {"-9223372036854775809", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, -9223372036854775808.0},
    {"18446744073709551615", DEFT_LIMIT, 0, DEFT_OK, UINT64_MAX, DEFT_OK, 18446744073709551616.0},
    {"18446744073709551616", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, 18446744073709551616.0},
    {"99999999999999999999", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, 1e20},
    {"100000000000000000000", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, 1e20},
    {"123456789012345678901234567890", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK,
     123456789012345678901234567890.0},
    {"123456789012345678901234567890.5", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK,
     123456789012345678901234567890.0},
    {"1e22", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, 1e22},
    {"1e23", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, 1e23},
    {"8.5e-23", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 8.5e-23},
    {"1.7976931348623157e308", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_OK, 1.7976931348623157e308},
    {"1.7976931348623159e308", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_LIMIT, 0},
    {"1e400", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_LIMIT, 0},
    {"-1e400", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_LIMIT, 0},
    {"1e99999999999999999999999", DEFT_LIMIT, 0, DEFT_LIMIT, 0, DEFT_LIMIT, 0},
    {"1e-99999999999999999999999", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 0.0},
    {"1e-400", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 0.0},
    {"5e-324", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 5e-324},
    {"2e-324", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 0.0},
    {"3e-324", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 5e-324},
    {"2.2250738585072011e-308", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 2.2250738585072011e-308},
    {"2.2250738585072014e-308", DEFT_INVALID, 0, DEFT_INVALID, 0, DEFT_OK, 2.2250738585072014e-308},
};

static void assert_same_double(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a); // so that -0 is not 0
}

static void numbers_are_read_exactly_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(numbers); i++) {
        case_name(numbers[i].text);
        parsed_text            parsed;
        const deft__json_value root   = parse(&parsed, deft_view_of(numbers[i].text));
        int64_t                whole  = 0;
        uint64_t               number = 0;
        double                 real   = 0;
        assert_int_equal(deft__json_int64(root, &whole), numbers[i].i64);
        assert_true(whole == numbers[i].i64_value);
        assert_int_equal(deft__json_uint64(root, &number), numbers[i].u64);
        assert_true(number == numbers[i].u64_value);
        assert_int_equal(deft__json_double(root, &real), numbers[i].f64);
        assert_same_double(real, numbers[i].f64_value);
        done(&parsed);
    }
}

// 1 + 2^-53 lies in the middle between 1 and the next double, and a middle goes to the even one:
// 1. One digit more, however far behind, and it goes up.
static void a_digit_far_behind_decides_the_rounding(void **state)
{
    (void)state;
    static const char middle[] = "1.00000000000000011102230246251565404236316680908203125";
    static const struct {
        size_t      zeros;
        const char *tail;
        double      read;
    } tails[] = {
        {0, "", 1.0},
        {0, "1", 1.0000000000000002},
        {2000, "", 1.0},
        {2000, "1", 1.0000000000000002},
        {2000, "1e0", 1.0000000000000002},
    };
    for (size_t i = 0; i < array_size(tails); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        double      real  = 0;
        deft_buffer text;
        deft__json  document;
        deft__json_init(&document, NULL);
        repeat(&text, middle, "0", tails[i].zeros, tails[i].tail);
        assert_ok(deft__json_parse(&document, deft_buffer_view(&text), NULL, &error), error);
        assert_int_equal(deft__json_double(deft__json_root(&document), &real), DEFT_OK);
        assert_same_double(real, tails[i].read);
        deft__json_clear(&document);
        deft_buffer_clear(&text);
    }
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};
    size_t                   i         = 0;
    while (setlocale(LC_NUMERIC, locales[i]) == NULL) {
        i++; // the last one is always there
    }
    parsed_text            parsed;
    double                 real = 0;
    const deft__json_value root = parse(&parsed, deft_view_of("1.7976931348623157e308"));
    assert_int_equal(deft__json_double(root, &real), DEFT_OK);
    assert_same_double(real, 1.7976931348623157e308);
    done(&parsed);
    setlocale(LC_NUMERIC, "C");
}

static const struct {
    size_t offset;
    size_t line;
    size_t column;
} places[] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1}, {6, 3, 3}, {99, 3, 3}};

static void an_offset_has_a_line_and_a_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(places); i++) {
        size_t line   = 0;
        size_t column = 0;
        deft__json_place(deft_view_of("ab\n\ncd"), places[i].offset, &line, &column);
        assert_int_equal(line, places[i].line);
        assert_int_equal(column, places[i].column);
    }
    size_t line   = 0;
    size_t column = 0;
    deft__json_place(deft_view_make(NULL, 0), 5, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 1);
}

// Parses the text in `context`, then asks for what may need memory.
static bool attempt_all(const deft_allocator *allocator, void *context)
{
    const deft_buffer *text  = context;
    deft_error         error = DEFT_ERROR_INIT;
    deft__json         document;
    deft_buffer        scratch;
    deft__json_init(&document, allocator);
    deft_buffer_init(&scratch, allocator);

    bool is_done = deft__json_parse(&document, deft_buffer_view(text), NULL, &error) == DEFT_OK;
    if (is_done) {
        deft__json_value       name   = {0};
        deft_status            status = DEFT_OK;
        const deft__json_value root   = deft__json_root(&document);
        const bool             found  = deft__json_find_duplicate(root, &name, &status);
        assert_true(found || status == DEFT_OUT_OF_MEMORY);
        is_done = status == DEFT_OK;
        // A member is found without memory; a string with escapes is not read without.
        assert_false(deft__json_is(deft__json_member(root, "a\n"), DEFT__JSON_NONE));
        const deft_view read = deft__json_string(deft__json_member(root, "a\n"), &scratch);
        assert_int_equal(read.size > 0, scratch.status == DEFT_OK);
        is_done &= scratch.status == DEFT_OK;
    } else {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        assert_string_equal(error.message, "out of memory");
    }
    deft_buffer_clear(&scratch);
    deft__json_clear(&document);
    return is_done;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    deft_buffer text;
    write_members(&text, 1000, "\"a\\n\":\"b\\n\",\"\\u0061\\n\":\"c\\n\",\"\"");
    // The tape grows more than once, then names, decoded names, and the string.
    assert_in_range(test_every_allocation_fails(attempt_all, &text), 5, 50);
    deft_buffer_clear(&text);
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
        cmocka_unit_test(no_value_answers_everything),
        cmocka_unit_test(kinds_have_names_for_messages),
        cmocka_unit_test(arrays_and_objects_are_walked_in_order),
        cmocka_unit_test(members_are_found_and_the_last_one_wins),
        cmocka_unit_test(strings_are_decoded),
        cmocka_unit_test(a_name_given_twice_is_found),
        cmocka_unit_test(a_duplicate_among_many_is_found_quickly),
        cmocka_unit_test(numbers_are_read_exactly_or_refused),
        cmocka_unit_test(a_digit_far_behind_decides_the_rounding),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(an_offset_has_a_line_and_a_column),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
