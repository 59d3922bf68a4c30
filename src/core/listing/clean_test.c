// A server's text becomes a part of one line. Proves B2 (the cut) and a part of B5.
#include "core/listing/clean.h"

#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    size_t      size_max;
    const char *cleaned;
} clean_cases[] = {
    {"plain text stays", "Lists issues.", 100, "Lists issues."},
    {"nothing stays nothing", "", 100, ""},
    {"white space alone is nothing", " \n\t ", 100, ""},
    {"a line end is a space", "one\ntwo", 100, "one two"},
    {"a run of white space is one space", "  one \r\n\t two  ", 100, "one two"},
    {"control characters are spaces", "one\x01\x1B[31mtwo\x7Fthree", 100, "one [31mtwo three"},
    {"the other line ends too", "one\xE2\x80\xA8two\xC2\x85three", 100, "one two three"},
    {"text that runs backwards does not",
     "a\xE2\x80\xAE"
     "b",
     100, "ab"},
    {"hidden tag characters are dropped",
     "a\xF3\xA0\x81\x81"
     "b",
     100, "ab"},
    {"zero-width space and byte order mark too",
     "\xEF\xBB\xBF"
     "a\xE2\x80\x8B"
     "b",
     100, "ab"},
    {"a joiner is a part of its word",
     "a\xE2\x80\x8D"
     "b",
     100,
     "a\xE2\x80\x8D"
     "b"},
    {"what is not UTF-8 shows",
     "a\xFF"
     "b\xC3",
     100,
     "a\xEF\xBF\xBD"
     "b\xEF\xBF\xBD"},
    {"a text of exactly the limit stays", "12345678", 8, "12345678"},
    {"a longer one ends in an ellipsis within it", "123456789", 8, "12345\xE2\x80\xA6"},
    {"trailing space is no reason to cut", "12345678  \n", 8, "12345678"},
    {"no space before the ellipsis", "1234 6789", 8, "1234\xE2\x80\xA6"},
    {"a character is not cut in two",
     "1234\xC3\xA4"
     "6789",
     8, "1234\xE2\x80\xA6"},
    {"a limit of just an ellipsis", "1234", 3, "\xE2\x80\xA6"},
    {"a limit without room for an ellipsis", "1234", 2, "12"},
    {"a limit of nothing", "1234", 0, ""},
};

static void cleaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(clean_cases); i++) {
        case_name(clean_cases[i].name);
        test_guard  guard;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__clean_append(&out, test_guard_copy(&guard, deft_view_of(clean_cases[i].text)),
                           clean_cases[i].size_max);
        assert_view_equal(deft_buffer_view(&out), clean_cases[i].cleaned);
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
}

#define TEN_WORDS "one two three four five six seven eight nine ten "

static const struct {
    const char *name;
    const char *text;
    size_t      size_max;
    const char *shortened;
} short_cases[] = {
    {"a short text stays", "Lists issues", 1000, "Lists issues"},
    {"a full stop at the end goes", "Lists issues.", 1000, "Lists issues"},
    {"the first sentence", "Lists issues. Sorted by date.", 1000, "Lists issues"},
    {"a question stays one", "What time is it? Tells.", 1000, "What time is it?"},
    {"a version is no end", "Needs 2.0 or later. More.", 1000, "Needs 2.0 or later"},
    {"an abbreviation is no end", "Finds files, e.g. notes. More.", 1000,
     "Finds files, e.g. notes"},
    {"nor is one in brackets", "Finds (i.e. gets) it. More.", 1000, "Finds (i.e. gets) it"},
    {"nor is an initial", "By J. Smith. More.", 1000, "By J. Smith"},
    {"the first paragraph", "Lists issues\n\nArgs:\n  a: b", 1000, "Lists issues"},
    {"a wrapped sentence is whole", "\n\n  Lists\n  issues.\n\n More", 1000, "Lists issues"},
    {"an ideographic full stop", "\xE4\xB8\x80\xE3\x80\x82\xE4\xBA\x8C", 1000, "\xE4\xB8\x80"},
    {"first words of a long one", TEN_WORDS TEN_WORDS, 1000,
     TEN_WORDS "one two three four five six\xE2\x80\xA6"},
    {"never more than the limit in bytes", "Lists issues of a project", 12,
     "Lists iss\xE2\x80\xA6"},
    {"nothing stays nothing", "\n\n", 1000, ""},
};

static void shortening(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(short_cases); i++) {
        case_name(short_cases[i].name);
        test_guard  guard;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__clean_append_short(&out, test_guard_copy(&guard, deft_view_of(short_cases[i].text)),
                                 short_cases[i].size_max);
        assert_view_equal(deft_buffer_view(&out), short_cases[i].shortened);
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
}

static void a_word_without_end_is_cut(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer out;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&out, NULL);
    for (int i = 0; i < 500; i++) {
        deft_buffer_append_text(&text, "\xE4\xB8\x80");
    }
    deft__clean_append_short(&out, deft_buffer_view(&text), 1024);
    assert_int_equal(out.size, 3 * (DEFT__CLEAN_SHORT_LENGTH_MAX - 3) + 3);
    deft_buffer_clear(&text);
    deft_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleaning),
        cmocka_unit_test(shortening),
        cmocka_unit_test(a_word_without_end_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
