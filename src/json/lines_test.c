// Lines out of a stream of bytes, however the stream is cut.
#include "json/lines.h"

#include "support/allocator.h"
#include "support/test.h"
#include "json/reader.h"

#include <stdlib.h>

// Feeds `text` in pieces of `step` bytes and writes what comes out: a line in brackets, `!` for
// one over the limit, and the rest after `|`.
static void run(const char *text, size_t step, size_t line_size_max, deft_buffer *out)
{
    const deft_view whole = deft_view_of(text);
    deft__lines     lines;
    deft__lines_init(&lines, line_size_max, NULL);
    for (size_t at = 0; at < whole.size; at += step) {
        deft__lines_feed(&lines, deft_view_slice(whole, at, step));
        deft_view   line;
        deft_status status;
        while ((status = deft__lines_next(&lines, &line)) != DEFT_NOT_FOUND) {
            if (status == DEFT_OK) {
                deft_buffer_append_byte(out, '[');
                deft_buffer_append(out, line);
                deft_buffer_append_byte(out, ']');
            } else {
                assert_int_equal(status, DEFT_LIMIT);
                deft_buffer_append_byte(out, '!');
            }
        }
    }
    deft_buffer_append_byte(out, '|');
    deft_buffer_append(out, deft__lines_rest(&lines));
    deft__lines_clear(&lines);
}

static const struct {
    const char *name;
    const char *text;
    size_t      line_size_max;
    const char *lines;
} cases[] = {
    {"two lines", "one\ntwo\n", 0, "[one][two]|"},
    {"a rest", "one\ntw", 0, "[one]|tw"},
    {"nothing", "", 0, "|"},
    {"empty lines are skipped", "\n\r\none\n\n\ntwo\n\r\n", 0, "[one][two]|"},
    {"one CR is dropped", "one\r\ntwo\r\r\n", 0, "[one][two\r]|"},
    {"a CR inside a line stays", "o\rne\n", 0, "[o\rne]|"},
    {"a line as long as allowed", "12345\n12345\r\n", 5, "[12345][12345]|"},
    {"a line too long by one", "123456\nok\n", 5, "![ok]|"},
    {"a CR that ends no line counts", "12345\rx\nok\n", 5, "![ok]|"},
    {"two lines too long", "1234567890\n1234567890\nok\n", 5, "!![ok]|"},
    {"a rest too long is not kept", "ok\n1234567890", 5, "[ok]!|"},
};

static void lines_come_out_whole_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        for (size_t step = 1; step <= strlen(cases[i].text) + 1; step++) {
            deft_buffer out;
            deft_buffer_init(&out, NULL);
            run(cases[i].text, step, cases[i].line_size_max, &out);
            assert_view_equal(deft_buffer_view(&out), cases[i].lines);
            deft_buffer_clear(&out);
        }
    }
}

static void a_line_in_one_piece_is_not_copied(void **state)
{
    (void)state;
    test_allocator allocator;
    deft__lines    lines;
    deft_view      line;
    const char    *text = "one\ntwo\n";
    test_allocator_init(&allocator);
    deft__lines_init(&lines, 0, &allocator.allocator);
    deft__lines_feed(&lines, deft_view_of(text));
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_OK);
    assert_ptr_equal(line.data, text);
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_OK);
    assert_ptr_equal(line.data, text + 4);
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_NOT_FOUND);
    assert_int_equal(allocator.requests, 0);
    deft__lines_clear(&lines);
}

// A message of many megabytes must not be the size of the connection from then on.
static void memory_of_a_huge_line_is_given_back(void **state)
{
    (void)state;
    const size_t   size = 1024 * 1024;
    char          *huge = malloc(size);
    test_allocator allocator;
    deft__lines    lines;
    deft_view      line;
    assert_non_null(huge);
    memset(huge, 'x', size);
    test_allocator_init(&allocator);
    deft__lines_init(&lines, 0, &allocator.allocator);

    deft__lines_feed(&lines, deft_view_make(huge, size));
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_NOT_FOUND);
    deft__lines_feed(&lines, deft_view_of("\nsmall"));
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_OK);
    assert_int_equal(line.size, size);
    assert_int_equal(deft__lines_rest(&lines).size, 0); // that line is out
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_NOT_FOUND);
    assert_view_equal(deft__lines_rest(&lines), "small");
    assert_in_range(allocator.bytes, 1, 1024);

    deft__lines_clear(&lines);
    assert_int_equal(allocator.blocks, 0);
    assert_int_equal(deft__lines_rest(&lines).size, 0);
    free(huge);
}

static void sixty_four_mebibytes_are_the_default_limit(void **state)
{
    (void)state;
    const size_t most = DEFT__JSON_SIZE_MAX;
    char        *text = malloc(2 * most + 3);
    deft__lines  lines;
    deft_view    line;
    assert_non_null(text);
    memset(text, 'x', 2 * most + 3);
    text[most]         = '\n';
    text[2 * most + 2] = '\n';
    deft__lines_init(&lines, 0, NULL);
    deft__lines_feed(&lines, deft_view_make(text, 2 * most + 3));
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_OK);
    assert_int_equal(line.size, most);
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_LIMIT);
    assert_int_equal(deft__lines_next(&lines, &line), DEFT_NOT_FOUND);
    deft__lines_clear(&lines);
    free(text);
}

// Three lines in pieces. A line for which there was no memory is skipped, the others come out.
static bool attempt_lines(const deft_allocator *allocator, void *context)
{
    static const char *const pieces[] = {"first ", "line\nsec", "ond line\n", "third line\nrest"};
    deft__lines              lines;
    size_t                   whole  = 0;
    size_t                   failed = 0;
    (void)context;
    deft__lines_init(&lines, 0, allocator);
    for (size_t i = 0; i < array_size(pieces); i++) {
        deft_view   line;
        deft_status status;
        deft__lines_feed(&lines, deft_view_of(pieces[i]));
        while ((status = deft__lines_next(&lines, &line)) != DEFT_NOT_FOUND) {
            whole += status == DEFT_OK;
            failed += status == DEFT_OUT_OF_MEMORY;
        }
    }
    if (failed == 0) {
        assert_int_equal(whole, 3);
        assert_view_equal(deft__lines_rest(&lines), "rest");
    } else {
        assert_int_equal(whole, 2);
    }
    deft__lines_clear(&lines);
    return failed == 0;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_in_range(test_every_allocation_fails(attempt_lines, NULL), 1, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_whole_however_they_are_cut),
        cmocka_unit_test(a_line_in_one_piece_is_not_copied),
        cmocka_unit_test(memory_of_a_huge_line_is_given_back),
        cmocka_unit_test(sixty_four_mebibytes_are_the_default_limit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
