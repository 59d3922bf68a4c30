// How text is split into terms. Proves a part of C7.
#include "core/index/terms.h"

#include "core/index/fold.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *terms; // joined with one space
} cases[] = {
    {"snake case splits", "create_pull_request", "create pull request"},
    {"kebab case splits", "create-pull-request", "create pull request"},
    {"dots split", "issues.create", "issues create"},
    {"slashes split", "repos/issues", "repos issues"},
    {"camel case splits", "createPullRequest", "create pull request"},
    {"Kiro's own example", "ReadFile", "read file"},
    {"and its other one", "read_file", "read file"},
    {"an acronym stays whole", "parseHTTPResponse", "parse http response"},
    {"an acronym at the end", "getURL", "get url"},
    {"only capitals", "SELECT", "select"},
    {"a run of digits is a term", "sha256Sum", "sha 256 sum"},
    {"digits first", "2fa", "2 fa"},
    {"a server and a tool", "github::create_issue", "github create issue"},
    {"a sentence", "Creates an issue, then (maybe) closes it.",
     "creates an issue then maybe closes it"},
    {"nothing gives nothing", "", ""},
    {"signs give nothing", " -- :: ,,, ", ""},
    {"umlauts belong to words",
     "Gr\xc3\xb6\xc3\x9f"
     "en\xc3\x9c"
     "bersicht",
     "gr\xc3\xb6\xc3\x9f"
     "en \xc3\xbc"
     "bersicht"},
    {"Greek has case too", "\xce\x91\xce\x92", "\xce\xb1\xce\xb2"},
    {"Cyrillic has case too", "\xd0\x90\xd0\x91", "\xd0\xb0\xd0\xb1"},
    {"an ideograph is a term", "\xe6\xa4\x9c\xe7\xb4\xa2", "\xe6\xa4\x9c \xe7\xb4\xa2"},
    {"a long dash splits",
     "a\xe2\x80\x94"
     "b",
     "a b"},
    {"an emoji is no term", "\xf0\x9f\x94\xa7 fix", "fix"},
    {"broken bytes split",
     "a\xff"
     "b",
     "a b"},
};

static void splitting(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_guard  guard;
        char        joined[256] = "";
        size_t      size        = 0;
        deft__terms terms;
        deft_view   term;
        deft__terms_init(&terms, test_guard_copy(&guard, deft_view_of(cases[i].text)));
        while (deft__terms_next(&terms, &term)) {
            if (size > 0) {
                joined[size++] = ' ';
            }
            memcpy(joined + size, term.data, term.size);
            size += term.size;
        }
        assert_view_equal(deft_view_make(joined, size), cases[i].terms);
        test_guard_clear(&guard);
    }
}

static void a_long_term_is_cut(void **state)
{
    (void)state;
    char text[200];
    memset(text, 'a', sizeof text);
    deft__terms terms;
    deft_view   term;
    deft__terms_init(&terms, deft_view_make(text, sizeof text));
    assert_true(deft__terms_next(&terms, &term));
    assert_int_equal(term.size, DEFT__TERM_SIZE_MAX);
    assert_false(deft__terms_next(&terms, &term));
}

static void folding_keeps_the_size(void **state)
{
    (void)state;
    assert_int_equal(deft__fold_code('A'), 'a');
    assert_int_equal(deft__fold_code('['), '[');
    assert_int_equal(deft__fold_code(0xD7), 0xD7);       // the multiplication sign
    assert_int_equal(deft__fold_code(0x160), 0x161);     // S with caron
    assert_int_equal(deft__fold_code(0x161), 0x161);     //
    assert_int_equal(deft__fold_code(0x401), 0x451);     // Cyrillic io
    assert_int_equal(deft__fold_code(0x1EA0), 0x1EA1);   // Vietnamese
    assert_int_equal(deft__fold_code(0xFF21), 0xFF41);   // full width
    assert_int_equal(deft__fold_code(0x10400), 0x10400); // outside the tables

    char            out[16];
    const deft_view text = deft_view_make("AbC\0\xff\xc3\x84", 7);
    deft__fold_text(text, out);
    assert_memory_equal(out, "abc \xff\xc3\xa4", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitting),
        cmocka_unit_test(a_long_term_is_cut),
        cmocka_unit_test(folding_keeps_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
