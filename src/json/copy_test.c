// Copying sixteen bytes in one step gives the bytes of copying one after the other.
#include "json/copy.h"

#include "support/guard.h"
#include "support/random.h"
#include "support/test.h"

#define TEXT_SIZE 100

// What is often in JSON, and what is rare; all of it is plain or has an escape of two bytes.
static const char often[] = "ab:{},\"\"  ";
static const char rare[]  = "\\\n\t\r\b\f";

static void fill(test_random *random, char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        text[i] = test_random_once_in(random, 20)
                      ? rare[test_random_below(random, sizeof rare - 1)]
                      : often[test_random_below(random, sizeof often - 1)];
    }
}

// Copies `text`, which is laid against a forbidden page, in both ways: the one that stops early is ended by
// the plain one.
static void compare_escaped(const char *text, size_t size)
{
    test_guard      guard;
    const deft_view view = test_guard_copy(&guard, deft_view_make(text, size));
    const char     *end  = view.data + view.size;
    const char     *at   = view.data;
    const char     *same = view.data;
    char            wide[2 * TEXT_SIZE + DEFT__COPY_SLACK];
    char            plain[2 * TEXT_SIZE + DEFT__COPY_SLACK];
    char           *to            = deft__copy_escaped(&at, end, wide);
    const char     *wide_end      = deft__copy_escaped_plain(&at, end, to);
    const char     *plain_end     = deft__copy_escaped_plain(&same, end, plain);
    const size_t    wide_size     = (size_t)(wide_end - wide);
    const size_t    plain_written = (size_t)(plain_end - plain);
    assert_ptr_equal(at, same);
    assert_int_equal(wide_size, plain_written);
    assert_memory_equal(wide, plain, wide_size);
    test_guard_clear(&guard);
}

static void compare_compact(const char *text, size_t size)
{
    test_guard      guard;
    const deft_view view = test_guard_copy(&guard, deft_view_make(text, size));
    const char     *end  = view.data + view.size;
    char            wide[TEXT_SIZE + DEFT__COPY_SLACK];
    char            plain[TEXT_SIZE + DEFT__COPY_SLACK];
    const size_t    wide_size  = (size_t)(deft__copy_compact(view.data, end, wide) - wide);
    const size_t    plain_size = (size_t)(deft__copy_compact_plain(view.data, end, plain) - plain);
    assert_int_equal(wide_size, plain_size);
    assert_memory_equal(wide, plain, wide_size);
    test_guard_clear(&guard);
}

static void any_text_of_any_length(void **state)
{
    (void)state;
    test_random random = {1};
    char        text[TEXT_SIZE];
    for (size_t round = 0; round < 40; round++) {
        for (size_t size = 0; size <= sizeof text; size++) {
            fill(&random, text, size);
            compare_escaped(text, size);
            compare_compact(text, size);
        }
    }
}

static void every_byte_at_every_place(void **state)
{
    (void)state;
    char text[64];
    for (int byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < sizeof text; at += 7) {
            memset(text, 'x', sizeof text);
            text[at] = (char)byte;
            compare_escaped(text, sizeof text);
            compare_compact(text, sizeof text);
            memset(text, '"', sizeof text);
            text[at] = (char)byte;
            compare_escaped(text, sizeof text);
            compare_compact(text, sizeof text);
        }
    }
}

static const struct {
    const char *name;
    const char *text;
    const char *compact;
} cases[] = {
    {"nothing", "", ""},
    {"white space alone", " \n\r\t", ""},
    {"between parts, not in strings", "{ \"a b\" : [ 1 , 2 ] }", "{\"a b\":[1,2]}"},
    {"a quote in a string does not end it", "[\"a \\\" b\" , \"c \\\\\" , 1]",
     "[\"a \\\" b\",\"c \\\\\",1]"},
    {"a string that goes on for blocks",
     "[ \"0123456789 0123456789 0123456789 0123456789\" , \"and another one\" ]",
     "[\"0123456789 0123456789 0123456789 0123456789\",\"and another one\"]"},
    {"an escape at the end of a block",
     "[\"0123456789abc\\\" d e f g h i j k l m n o p\" , 1 , 2 , 3 , 4 , 5 ]",
     "[\"0123456789abc\\\" d e f g h i j k l m n o p\",1,2,3,4,5]"},
    {"an escape that is cut off", "\"a \\", "\"a \\"},
};

static void white_space_goes(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        char            out[TEXT_SIZE + DEFT__COPY_SLACK];
        const deft_view text = deft_view_of(cases[i].text);
        const char     *end  = deft__copy_compact(text.data, text.data + text.size, out);
        assert_view_equal(deft_view_make(out, (size_t)(end - out)), cases[i].compact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_of_any_length),
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(white_space_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
