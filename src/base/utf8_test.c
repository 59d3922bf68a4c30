// UTF-8 as RFC 3629 has it, every code point and every kind of fault.
#include "base/utf8.h"

#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    deft_view   bytes;
    size_t      size; // of the first character; 0: not UTF-8
    uint32_t    code;
} cases[] = {
    {"one byte", DEFT_VIEW_INIT("a"), 1, 'a'},
    {"NUL is a character", DEFT_VIEW_INIT("\0"), 1, 0},
    {"the last of one byte", DEFT_VIEW_INIT("\x7F"), 1, 0x7F},
    {"the first of two", DEFT_VIEW_INIT("\xC2\x80"), 2, 0x80},
    {"the last of two", DEFT_VIEW_INIT("\xDF\xBF"), 2, 0x7FF},
    {"the first of three", DEFT_VIEW_INIT("\xE0\xA0\x80"), 3, 0x800},
    {"the last before the surrogates", DEFT_VIEW_INIT("\xED\x9F\xBF"), 3, 0xD7FF},
    {"the first after the surrogates", DEFT_VIEW_INIT("\xEE\x80\x80"), 3, 0xE000},
    {"the last of three", DEFT_VIEW_INIT("\xEF\xBF\xBF"), 3, 0xFFFF},
    {"the first of four", DEFT_VIEW_INIT("\xF0\x90\x80\x80"), 4, 0x10000},
    {"the last of all", DEFT_VIEW_INIT("\xF4\x8F\xBF\xBF"), 4, 0x10FFFF},
    {"a continuation alone", DEFT_VIEW_INIT("\x80"), 0, 0},
    {"overlong, two bytes", DEFT_VIEW_INIT("\xC1\xBF"), 0, 0},
    {"overlong, three bytes", DEFT_VIEW_INIT("\xE0\x9F\xBF"), 0, 0},
    {"overlong, four bytes", DEFT_VIEW_INIT("\xF0\x8F\xBF\xBF"), 0, 0},
    {"the first surrogate", DEFT_VIEW_INIT("\xED\xA0\x80"), 0, 0},
    {"the last surrogate", DEFT_VIEW_INIT("\xED\xBF\xBF"), 0, 0},
    {"past the last", DEFT_VIEW_INIT("\xF4\x90\x80\x80"), 0, 0},
    {"a byte that never occurs", DEFT_VIEW_INIT("\xF5\x80\x80\x80"), 0, 0},
    {"another one", DEFT_VIEW_INIT("\xFF"), 0, 0},
    {"two bytes, one missing", DEFT_VIEW_INIT("\xC3"), 0, 0},
    {"three bytes, two missing", DEFT_VIEW_INIT("\xE6"), 0, 0},
    {"three bytes, one missing", DEFT_VIEW_INIT("\xE6\x97"), 0, 0},
    {"four bytes, one missing", DEFT_VIEW_INIT("\xF0\x9F\x94"), 0, 0},
    {"two bytes, the second wrong", DEFT_VIEW_INIT("\xC3("), 0, 0},
    {"three bytes, the second wrong", DEFT_VIEW_INIT("\xE6(\xA5"), 0, 0},
    {"three bytes, the third wrong", DEFT_VIEW_INIT("\xE6\x97("), 0, 0},
    {"four bytes, the second wrong", DEFT_VIEW_INIT("\xF0(\x94\xA7"), 0, 0},
    {"four bytes, the third wrong", DEFT_VIEW_INIT("\xF0\x9F(\xA7"), 0, 0},
    {"four bytes, the fourth wrong", DEFT_VIEW_INIT("\xF0\x9F\x94("), 0, 0},
};

static void first_characters(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_guard      guard;
        const deft_view bytes = test_guard_copy(&guard, cases[i].bytes);
        uint32_t        code  = 42;
        assert_int_equal(deft__utf8_decode(bytes, 0, &code), cases[i].size);
        assert_int_equal(code, cases[i].size > 0 ? cases[i].code : 42);
        assert_int_equal(deft__utf8_valid_size(bytes), cases[i].size);
        test_guard_clear(&guard);
    }
}

static void every_code_point_goes_there_and_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char           bytes[4];
        const size_t   size         = deft__utf8_encode(code, bytes);
        const bool     is_character = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
        uint32_t       decoded      = 0;
        const uint32_t wanted       = is_character ? code : 0xFFFD;
        if (deft__utf8_decode(deft_view_make(bytes, size), 0, &decoded) != size ||
            decoded != wanted) {
            fail_msg("U+%04X", (unsigned)code);
        }
    }
}

static void the_first_fault_is_found(void **state)
{
    (void)state;
    assert_int_equal(deft__utf8_valid_size(deft_view_of("")), 0);
    assert_int_equal(deft__utf8_valid_size(deft_view_of("caf\xC3\xA9")), 5);
    assert_int_equal(deft__utf8_valid_size(deft_view_of("caf\xC3\xA9\xC3")), 5);
    assert_int_equal(deft__utf8_valid_size(deft_view_of("ab\xFFgh")), 2);
}

static void length_is_in_characters(void **state)
{
    (void)state;
    assert_int_equal(deft__utf8_length(deft_view_of("")), 0);
    assert_int_equal(deft__utf8_length(deft_view_of("caf\xC3\xA9 \xE6\x97\xA5")), 6);
    assert_int_equal(deft__utf8_length(deft_view_of("\xF0\x9F\x94\xA7")), 1);
    assert_int_equal(deft__utf8_length(deft_view_of("a\xFF\xFE"
                                                    "b")),
                     4);
}

static const struct {
    const char *name;
    const char *text;
    size_t      size_max;
    size_t      cut;
} cuts[] = {
    {"short enough", "abc", 3, 3},
    {"more room than text", "abc", 10, 3},
    {"plain text", "abcdef", 4, 4},
    {"nothing", "abc", 0, 0},
    {"after a character", "\xC3\xA9\xC3\xA9", 2, 2},
    {"inside one of two bytes", "\xC3\xA9\xC3\xA9", 3, 2},
    {"inside one of three",
     "a\xE6\x97\xA5"
     "b",
     3, 1},
    {"inside one of four",
     "a\xF0\x9F\x94\xA7"
     "b",
     4, 1},
    {"inside the first character", "\xF0\x9F\x94\xA7", 3, 0},
    {"continuations without end are cut anywhere", "\x80\x80\x80\x80\x80\x80", 5, 5},
};

static void cutting_keeps_characters_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cuts); i++) {
        case_name(cuts[i].name);
        assert_int_equal(deft__utf8_cut(deft_view_of(cuts[i].text), cuts[i].size_max), cuts[i].cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_characters),
        cmocka_unit_test(every_code_point_goes_there_and_back),
        cmocka_unit_test(the_first_fault_is_found),
        cmocka_unit_test(length_is_in_characters),
        cmocka_unit_test(cutting_keeps_characters_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
