// Sixteen bytes in one step find the same ends as one byte after the other.
#include "json/scan.h"

#include "support/guard.h"
#include "support/test.h"

// Compares both forms from every start in `text`, which is laid against a forbidden page.
static void compare(const char *text, size_t size)
{
#if DEFT_JSON_HAS_SSE2
    test_guard      guard;
    const deft_view view = test_guard_copy(&guard, deft_view_make(text, size));
    const char     *end  = view.data + view.size;
    for (const char *at = view.data; at <= end; at++) {
        assert_ptr_equal(deft__scan_plain_sse2(at, end), deft__scan_plain_scalar(at, end));
        assert_ptr_equal(deft__scan_space_sse2(at, end), deft__scan_space_scalar(at, end));
    }
    test_guard_clear(&guard);
#else
    (void)text;
    (void)size;
#endif
}

static void every_byte_at_every_place(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < 40; at += 13) {
            char plain[40];
            char space[40];
            memset(plain, 'x', sizeof plain);
            memset(space, ' ', sizeof space);
            plain[at] = (char)byte;
            space[at] = (char)byte;
            compare(plain, sizeof plain);
            compare(space, sizeof space);
        }
    }
}

static void every_length(void **state)
{
    (void)state;
    char text[70];
    memset(text, 'x', sizeof text);
    for (size_t size = 0; size <= sizeof text; size++) {
        compare(text, size);
    }
    memset(text, '\t', sizeof text);
    for (size_t size = 0; size <= sizeof text; size++) {
        compare(text, size);
    }
}

static void what_is_plain_and_what_is_space(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        const bool is_special = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
        assert_int_equal(deft__scan_is_plain((char)byte), !is_special);
        assert_int_equal(deft__scan_is_space((char)byte),
                         byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(every_length),
        cmocka_unit_test(what_is_plain_and_what_is_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
