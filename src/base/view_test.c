// Text as a pointer and a size.
#include "deft/view.h"

#include "support/test.h"

static void comparing(void **state)
{
    (void)state;
    const deft_view text = DEFT_VIEW_INIT("list_issues");
    assert_int_equal(text.size, 11);
    assert_true(deft_view_equals(text, "list_issues"));
    assert_false(deft_view_equals(text, "list_issue"));
    assert_false(deft_view_equals(text, "list_Issues"));
    assert_true(deft_view_equal(deft_view_make(NULL, 0), deft_view_of("")));
    assert_true(deft_view_equals(deft_view_make(NULL, 0), NULL));
    assert_false(deft_view_equal(deft_view_make("a\0b", 3), deft_view_make("a\0c", 3)));

    assert_true(deft_view_starts_with(text, deft_view_of("list_")));
    assert_true(deft_view_starts_with(text, deft_view_make(NULL, 0)));
    assert_true(deft_view_starts_with(text, text));
    assert_false(deft_view_starts_with(text, deft_view_of("list_issues_all")));
    assert_false(deft_view_starts_with(text, deft_view_of("get_")));
}

static const struct {
    const char *name;
    size_t      from;
    size_t      size;
    const char *slice;
} slices[] = {
    {"inside", 1, 3, "bcd"},
    {"all", 0, 6, "abcdef"},
    {"the rest", 4, 100, "ef"},
    {"past the end", 7, 3, ""},
    {"at the end", 6, 1, ""},
    {"nothing", 2, 0, ""},
    {"sizes do not wrap", 3, SIZE_MAX, "def"},
};

static void slicing_is_clamped(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(slices); i++) {
        case_name(slices[i].name);
        assert_view_equal(deft_view_slice(deft_view_of("abcdef"), slices[i].from, slices[i].size),
                          slices[i].slice);
    }
    assert_int_equal(deft_view_slice(deft_view_make(NULL, 0), 3, 4).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparing),
        cmocka_unit_test(slicing_is_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
