// What was read, value by value: members, strings, names given twice, numbers, and places in the text.
#include "json/reader.h"

#include "support/allocator.h"
#include "support/json.h"

#include <locale.h>

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
    test_json              parsed;
    const deft__json_value root =
        test_json_parse(&parsed, deft_view_of("{\"a\":[1,[2,3],{\"x\":4}],\"b\":{},\"c\":[]}"));
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
    test_json_done(&parsed);
}

static void members_are_found_and_the_last_one_wins(void **state)
{
    (void)state;
    test_json              parsed;
    const deft__json_value root = test_json_parse(
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
    test_json_done(&parsed);
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
        test_json              parsed;
        const deft__json_value root = test_json_parse(&parsed, deft_view_of(strings[i].text));
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
        test_json_done(&parsed);
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
        test_json              parsed;
        const deft__json_value root   = test_json_parse(&parsed, deft_view_of(duplicates[i].text));
        deft__json_value       name   = {0};
        deft_status            status = DEFT_INVALID;
        assert_int_equal(deft__json_find_duplicate(root, &name, &status), duplicates[i].offset > 0);
        assert_int_equal(status, DEFT_OK);
        assert_int_equal(deft__json_offset(name), duplicates[i].offset);
        assert_int_equal(deft__json_find_duplicate(root, &name, NULL), duplicates[i].offset > 0);
        test_json_done(&parsed);
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
        test_json              parsed;
        const deft__json_value root   = test_json_parse(&parsed, deft_view_of(numbers[i].text));
        int64_t                whole  = 0;
        uint64_t               number = 0;
        double                 real   = 0;
        assert_int_equal(deft__json_int64(root, &whole), numbers[i].i64);
        assert_true(whole == numbers[i].i64_value);
        assert_int_equal(deft__json_uint64(root, &number), numbers[i].u64);
        assert_true(number == numbers[i].u64_value);
        assert_int_equal(deft__json_double(root, &real), numbers[i].f64);
        assert_same_double(real, numbers[i].f64_value);
        test_json_done(&parsed);
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
        test_json_repeat(&text, middle, "0", tails[i].zeros, tails[i].tail);
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
    test_json              parsed;
    double                 real = 0;
    const deft__json_value root = test_json_parse(&parsed, deft_view_of("1.7976931348623157e308"));
    assert_int_equal(deft__json_double(root, &real), DEFT_OK);
    assert_same_double(real, 1.7976931348623157e308);
    test_json_done(&parsed);
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
