// Tables for people: aligned by what is seen, not by bytes.
#include "cli/table.h"

#include "support/test.h"

static const deft__column columns[] = {{"NAME", false}, {"COUNT", true}, {"TEXT", false}};

static void fill(deft__table *table)
{
    deft__table_init(table, columns, array_size(columns));
    deft__table_text(table, deft_view_of("日本"));
    deft__table_number(table, 1234567);
    deft__table_text(table, deft_view_of("a long text\nof two lines"));
    deft__table_colored(table, DEFT__COLOR_GREEN, deft_view_of("plain"));
    deft__table_percent(table, 1, 4);
    deft__table_empty(table);
    deft__table_indented(table, deft_view_of("inside"));
    deft__table_empty(table);
    deft__table_text(table, deft_view_of("\x1b[2J"));
}

// As deft__output_init makes it, but without asking a terminal.
static deft__output output_of(size_t width, bool is_colored)
{
    deft__output output = {.width = width, .is_colored = is_colored};
    deft_buffer_init(&output.text, NULL);
    return output;
}

static void check(size_t width, bool is_colored, const char *text)
{
    deft__output output = output_of(width, is_colored);
    deft__table  table;
    fill(&table);
    assert_int_equal(deft__table_print(&table, &output), DEFT_OK);
    assert_view_equal(deft_buffer_view(&output.text), text);
    deft__table_clear(&table);
    deft__output_clear(&output);
}

static void columns_are_aligned(void **state)
{
    (void)state;
    check(0, false,
          "NAME          COUNT  TEXT\n"
          "日本      1,234,567  a long text of two lines\n"
          "plain        25.0 %\n"
          "  inside             \\x1b[2J\n");
}

static void a_terminal_cuts_the_last_column(void **state)
{
    (void)state;
    check(43, false,
          "NAME          COUNT  TEXT\n"
          "日本      1,234,567  a long text of two li\xE2\x80\xA6\n"
          "plain        25.0 %\n"
          "  inside             \\x1b[2J\n");
}

static void a_narrow_terminal_still_shows_something(void **state)
{
    (void)state;
    check(10, false,
          "NAME          COUNT  TEXT\n"
          "日本      1,234,567  a long text of two \xE2\x80\xA6\n"
          "plain        25.0 %\n"
          "  inside             \\x1b[2J\n");
}

static void colour_does_not_count_as_width(void **state)
{
    (void)state;
    check(0, true,
          "\x1b[1mNAME\x1b[0m          \x1b[1mCOUNT\x1b[0m  \x1b[1mTEXT\x1b[0m\n"
          "日本      1,234,567  a long text of two lines\n"
          "\x1b[32mplain\x1b[0m        25.0 %\n"
          "  inside             \\x1b[2J\n");
}

static void no_rows_are_titles_only(void **state)
{
    (void)state;
    deft__output output = output_of(0, false);
    deft__table  table;
    deft__table_init(&table, columns, array_size(columns));
    assert_int_equal(deft__table_print(&table, &output), DEFT_OK);
    assert_view_equal(deft_buffer_view(&output.text), "NAME  COUNT  TEXT\n");
    deft__table_clear(&table);
    deft__output_clear(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(a_terminal_cuts_the_last_column),
        cmocka_unit_test(a_narrow_terminal_still_shows_something),
        cmocka_unit_test(colour_does_not_count_as_width),
        cmocka_unit_test(no_rows_are_titles_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
