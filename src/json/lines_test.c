// Lines out of a stream of bytes, however the stream is cut.
#include "json/lines.h"

#include "support/allocator.h"
#include "support/test.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_whole_however_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
