// Comments and trailing commas leave the text, bytes and lines stay where they are. Proves a part
// of E1.
#include "config/jsonc.h"

#include <stdlib.h>

#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *plain;
} cases[] = {
    {"plain JSON stays", "{\"a\": [1, 2]}", "{\"a\": [1, 2]}"},
    {"nothing stays nothing", "", ""},
    {"a line comment", "1 // one\n2", "1       \n2"},
    {"a line comment at the end", "1 // one", "1       "},
    {"a line comment ends at a carriage return", "1 // a\r2", "1     \r2"},
    {"a block comment", "[1/* a */,2]", "[1       ,2]"},
    {"a block comment keeps its lines", "/* a\n * b\r\n */1", "    \n    \r\n   1"},
    {"an empty block comment", "/**/1", "    1"},
    {"stars in a block comment", "/***/1/* **/", "     1      "},
    {"a slash opens nothing by itself", "1 / 2", "1 / 2"},
    {"a comment in a comment", "/* // */1", "        1"},
    {"a comment that looks closed too early", "/*/ */1", "      1"},
    {"a string that looks like a comment", "\"// a /* b\"", "\"// a /* b\""},
    {"a quote in a string", "\"\\\"//\" // x", "\"\\\"//\"     "},
    {"a backslash before the end of a string", "\"\\\\\"// x", "\"\\\\\"    "},
    {"a string that never ends is the reader's business", "\"a // b", "\"a // b"},
    {"a backslash at the very end", "\"a\\", "\"a\\"},
    {"a trailing comma in an array", "[1,2,]", "[1,2 ]"},
    {"a trailing comma in an object", "{\"a\":1,}", "{\"a\":1 }"},
    {"a trailing comma before white space", "[1, \n]", "[1  \n]"},
    {"a trailing comma before a comment", "[1, // x\n]", "[1      \n]"},
    {"trailing commas inside one another", "[[1,],]", "[[1 ] ]"},
    {"a comma in a string is no comma", "[\",\"]", "[\",\"]"},
    {"a comma before a bracket in a string", "[1, \"]\"]", "[1, \"]\"]"},
    {"a comma alone stays wrong", "[,]", "[,]"},
    {"two commas stay wrong", "[1,,]", "[1,,]"},
    {"a comma after a colon stays wrong", "{\"a\":,}", "{\"a\":,}"},
    {"a byte order mark", "\xEF\xBB\xBF{}", "   {}"},
    {"a byte order mark in the middle stays", "{\xEF\xBB\xBF}", "{\xEF\xBB\xBF}"},
};

static void comments_become_blanks(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        char        *text = malloc(strlen(cases[i].text) + 1);
        const size_t size = strlen(cases[i].text);
        case_name(cases[i].name);
        memcpy(text, cases[i].text, size);
        assert_int_equal(deft__jsonc_blank(text, size, NULL), DEFT_OK);
        assert_view_equal(deft_view_make(text, size), cases[i].plain);

        // Blanking what is blank changes nothing.
        assert_int_equal(deft__jsonc_blank(text, size, NULL), DEFT_OK);
        assert_view_equal(deft_view_make(text, size), cases[i].plain);
        free(text);
    }
}

static void an_endless_comment_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t      offset;
    } texts[] = {{"{ /* never", 2}, {"/*", 0}, {"/*/", 0}, {"1 /* *", 2}};
    for (size_t i = 0; i < array_size(texts); i++) {
        char       text[16];
        deft_error error = DEFT_ERROR_INIT;
        memcpy(text, texts[i].text, strlen(texts[i].text));
        assert_int_equal(deft__jsonc_blank(text, strlen(texts[i].text), &error), DEFT_INVALID);
        assert_int_equal(error.offset, texts[i].offset);
        assert_string_equal(error.message, "a comment that never ends");
    }
}

// Every cut of a text, laid against a page that may not be read.
static void no_byte_past_the_end(void **state)
{
    (void)state;
    const deft_view text = deft_view_of("\xEF\xBB\xBF{\"a\\\"\": /* x */ [1, // y\n],}");
    for (size_t size = 0; size <= text.size; size++) {
        test_guard guard;
        deft_view  copy = test_guard_copy(&guard, deft_view_slice(text, 0, size));
        char *mutable   = NULL;
        memcpy(&mutable, &copy.data, sizeof mutable);
        (void)deft__jsonc_blank(mutable, size, NULL);
        test_guard_clear(&guard);
    }
}

static void skipping_finds_the_next_byte(void **state)
{
    (void)state;
    const char text[] = " \t/* a */ // b\n , x";
    assert_int_equal(deft__jsonc_skip(text, sizeof text - 1, 0), 16);
    assert_int_equal(deft__jsonc_skip(text, sizeof text - 1, 16), 16);
    assert_int_equal(deft__jsonc_skip(text, 10, 0), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_become_blanks),
        cmocka_unit_test(an_endless_comment_is_told),
        cmocka_unit_test(no_byte_past_the_end),
        cmocka_unit_test(skipping_finds_the_next_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
