// Error messages: one printable line that always fits.
#include "base/fail.h"

#include "base/utf8.h"
#include "support/test.h"

static void a_failure_says_what_and_where(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(deft__fail(&error, DEFT_INVALID, 4182, "tool '%s': %d is no name", "x", 7),
                     DEFT_INVALID);
    assert_int_equal(error.status, DEFT_INVALID);
    assert_int_equal(error.offset, 4182);
    assert_string_equal(error.message, "tool 'x': 7 is no name");

    assert_int_equal(deft__fail_memory(&error), DEFT_OUT_OF_MEMORY);
    assert_int_equal(error.offset, 0);
    assert_string_equal(error.message, "out of memory");
}

static void nobody_has_to_listen(void **state)
{
    (void)state;
    assert_int_equal(deft__fail(NULL, DEFT_LIMIT, 1, "unheard"), DEFT_LIMIT);
    assert_int_equal(deft__fail_memory(NULL), DEFT_OUT_OF_MEMORY);
}

static void a_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    deft_error error;
    // Every offset of the cut within a character of two bytes.
    for (size_t pad = 0; pad < 8; pad++) {
        char text[600];
        memset(text, 'x', pad);
        for (size_t at = pad; at + 2 < sizeof text; at += 2) {
            memcpy(text + at, "\xC3\xA9", 3);
        }
        (void)deft__fail(&error, DEFT_INVALID, 0, "%s", text);
        const size_t size = strlen(error.message);
        assert_in_range(size, DEFT_ERROR_MESSAGE_SIZE - 3, DEFT_ERROR_MESSAGE_SIZE - 1);
        assert_string_equal(error.message + size - 3, "...");
        assert_int_equal(deft__utf8_valid_size(deft_view_of(error.message)), size);
    }
}

static void a_message_that_just_fits_stays_whole(void **state)
{
    (void)state;
    char text[DEFT_ERROR_MESSAGE_SIZE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    deft_error error;
    (void)deft__fail(&error, DEFT_INVALID, 0, "%s", text);
    assert_string_equal(error.message, text);
}

static const struct {
    const char *name;
    deft_view   text;
    const char *quoted;
} quotes[] = {
    {"plain text stays", DEFT_VIEW_INIT("create_issue"), "create_issue"},
    {"nothing", DEFT_VIEW_INIT(""), ""},
    {"characters of any script stay", DEFT_VIEW_INIT("caf\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x94\xA7"),
     "caf\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x94\xA7"},
    {"control characters are hidden", DEFT_VIEW_INIT("a\nb\tc\x1B[31m\x7F"), "a?b?c?[31m?"},
    {"NUL is hidden", DEFT_VIEW_INIT("a\0b"), "a?b"},
    {"the second set of controls is hidden", DEFT_VIEW_INIT("a\xC2\x9B!"), "a?!"},
    {"broken UTF-8 is hidden", DEFT_VIEW_INIT("a\xFF\xC3"), "a??"},
};

static void text_from_outside_becomes_printable(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(quotes); i++) {
        case_name(quotes[i].name);
        deft__quoted quoted;
        assert_string_equal(deft__quote(&quoted, quotes[i].text), quotes[i].quoted);
    }
}

static void long_text_is_cut(void **state)
{
    (void)state;
    deft__quoted quoted;
    char         text[200];
    memset(text, 'x', sizeof text);

    const char *cut = deft__quote(&quoted, deft_view_make(text, sizeof text));
    assert_int_equal(strlen(cut), sizeof quoted.text - 1);
    assert_string_equal(cut + strlen(cut) - 4, "x...");

    // A character that would not fit whole is left out whole.
    memcpy(text + 94, "\xF0\x9F\x94\xA7", 4);
    cut = deft__quote(&quoted, deft_view_make(text, sizeof text));
    assert_int_equal(strlen(cut), 97);
    assert_string_equal(cut + 93, "x...");
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int status = DEFT_OK; status <= DEFT_CONFLICT; status++) {
        assert_string_not_equal(deft_status_name((deft_status)status), "unknown status");
        for (int other = DEFT_OK; other < status; other++) {
            assert_string_not_equal(deft_status_name((deft_status)status),
                                    deft_status_name((deft_status)other));
        }
    }
    assert_string_equal(deft_status_name(DEFT_OK), "ok");
    assert_string_equal(deft_status_name((deft_status)77), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_says_what_and_where),
        cmocka_unit_test(nobody_has_to_listen),
        cmocka_unit_test(a_long_message_is_cut_between_characters),
        cmocka_unit_test(a_message_that_just_fits_stays_whole),
        cmocka_unit_test(text_from_outside_becomes_printable),
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(every_status_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
