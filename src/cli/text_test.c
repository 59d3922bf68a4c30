// Text from others on its way to a terminal: nothing in it can act on the terminal.
#include "cli/text.h"

#include "base/utf8.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *line; // as one line
    const char *kept; // with its lines
} safe_cases[] = {
    {"plain text stays", "create an issue", "create an issue", "create an issue"},
    {"letters of any script stay", "Öffne ein Тест 日本", "Öffne ein Тест 日本",
     "Öffne ein Тест 日本"},
    {"an escape sequence is shown", "a\x1b[31mred", "a\\x1b[31mred", "a\\x1b[31mred"},
    {"a bell and a backspace too", "a\a\b", "a\\x07\\x08", "a\\x07\\x08"},
    {"delete too", "a\x7f", "a\\x7f", "a\\x7f"},
    {"a C1 control character too",
     "a\xC2\x9B"
     "2J",
     "a\\u009b2J", "a\\u009b2J"},
    {"turning the reading direction too",
     "a\xE2\x80\xAE"
     "b",
     "a\\u202eb", "a\\u202eb"},
    {"text that hides too", "a\xF3\xA0\x81\x81", "a\\U000e0041", "a\\U000e0041"},
    {"a joined emoji stays", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"},
    {"bytes that are not UTF-8 too", "a\xff\xC3", "a\\xff\\xc3", "a\\xff\\xc3"},
    {"line ends become a space", "one\n\n  two\tthree\n", "one two three", "one\n\n  two\tthree\n"},
    {"a carriage return cannot overwrite a line", "good\rbad", "good bad", "good\\x0dbad"},
    {"nothing gives nothing", "", "", ""},
};

static void made_safe(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(safe_cases); i++) {
        case_name(safe_cases[i].name);
        test_guard      guard;
        const deft_view text = test_guard_copy(&guard, deft_view_of(safe_cases[i].text));
        deft_buffer     out;
        deft_buffer_init(&out, NULL);
        deft__append_safe_line(&out, text);
        assert_view_equal(deft_buffer_view(&out), safe_cases[i].line);
        deft_buffer_reset(&out);
        deft__append_safe_text(&out, text);
        assert_view_equal(deft_buffer_view(&out), safe_cases[i].kept);
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
}

// Whatever the bytes, what comes out is UTF-8 without a control character.
static void any_bytes_are_made_safe(void **state)
{
    (void)state;
    uint32_t random = 12345;
    for (int round = 0; round < 2000; round++) {
        char   bytes[64];
        size_t size = 0;
        while (size < sizeof bytes) {
            random        = random * 1664525u + 1013904223u;
            bytes[size++] = (char)(random >> 24);
        }
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__append_safe_line(&out, deft_view_make(bytes, sizeof bytes));
        assert_int_equal(deft__utf8_valid_size(deft_buffer_view(&out)), out.size);
        for (size_t i = 0; i < out.size; i++) {
            assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
        }
        deft_buffer_clear(&out);
    }
}

static const struct {
    const char *name;
    const char *json;
    const char *safe;
} json_cases[] = {
    {"JSON of harmless text stays", "{\"a\": \"b\",\n\"c\": 1}", "{\"a\": \"b\",\n\"c\": 1}"},
    {"a C1 control character", "\"\xC2\x9B\"", "\"\\u009b\""},
    {"delete", "\"\x7f\"", "\"\\u007f\""},
    {"a direction mark", "\"\xE2\x80\xAE\"", "\"\\u202e\""},
    {"a hidden character becomes a pair", "\"\xF3\xA0\x81\x81\"", "\"\\udb40\\udc41\""},
    {"a byte that is not UTF-8", "\"\xff\"", "\"\\ufffd\""},
};

static void json_made_safe(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(json_cases); i++) {
        case_name(json_cases[i].name);
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__append_safe_json(&out, deft_view_of(json_cases[i].json));
        assert_view_equal(deft_buffer_view(&out), json_cases[i].safe);
        deft_buffer_clear(&out);
    }
}

static const struct {
    const char *name;
    const char *text;
    size_t      width;
    size_t      cut_at_3; // bytes that fit into three columns
} width_cases[] = {
    {"letters are one column", "abcd", 4, 3},
    {"umlauts too", "äöüß", 4, 6},
    {"Chinese characters are two", "日本語", 6, 3},
    {"emoji are two", "\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 4, 4},
    {"combining marks are none",
     "a\xCC\x81"
     "b\xCC\x81"
     "cd",
     4, 7},
    {"nothing is nothing", "", 0, 0},
    {"a byte that is not UTF-8 is one", "\xff\xff", 2, 2},
};

static void widths(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(width_cases); i++) {
        case_name(width_cases[i].name);
        const deft_view text = deft_view_of(width_cases[i].text);
        assert_int_equal(deft__text_width(text), width_cases[i].width);
        assert_int_equal(deft__text_cut(text, 3), width_cases[i].cut_at_3);
    }
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        uint64_t    number;
        const char *text;
    } cases[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {1234567, "1,234,567"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_buffer_reset(&out);
        deft__append_number(&out, cases[i].number);
        assert_view_equal(deft_buffer_view(&out), cases[i].text);
    }
    deft_buffer_reset(&out);
    deft__append_percent(&out, 1, 8);
    deft__append_percent(&out, 1, 0);
    deft__append_count(&out, 1, "tool", "tools");
    deft__append_count(&out, 1204, "tool", "tools");
    assert_view_equal(deft_buffer_view(&out), "12.5 %0.0 %1 tool1,204 tools");
    deft_buffer_clear(&out);
}

static void wrapping(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__append_wrapped(&out,
                         "one two three four five six seven eight nine ten eleven twelve thirteen "
                         "fourteen fifteen\n\nsecond  paragraph\nand its next line",
                         4);
    assert_view_equal(
        deft_buffer_view(&out),
        "    one two three four five six seven eight nine ten eleven twelve thirteen\n"
        "    fourteen fifteen\n\n    second paragraph\n    and its next line\n");
    deft_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_safe),      cmocka_unit_test(any_bytes_are_made_safe),
        cmocka_unit_test(json_made_safe), cmocka_unit_test(widths),
        cmocka_unit_test(numbers),        cmocka_unit_test(wrapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
