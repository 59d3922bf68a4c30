// Text to terms, the same on both sides of a search. Proves parts of C7 and C9.
#include "deft/analyzer.h"

#include "deft/buffer.h"
#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    const char *terms; // joined with one space
} cases[] = {
    {"snake case splits", "create_pull_request", "create pull request"},
    {"kebab case splits", "create-pull-request", "create pull request"},
    {"dots and slashes split", "math.sqrt/v", "math sqrt v"},
    {"camel case splits and stays whole", "createIssue", "create issue createissue"},
    {"an acronym is one part", "parseHTTPResponse", "parse http response parsehttpresponse"},
    {"an acronym at the end", "getURL", "get url geturl"},
    {"an acronym in plural stays in one piece", "list PRs and URLs", "list prs and urls"},
    {"a run of digits is a part", "sha256Sum", "sha 256 sum sha256sum"},
    {"a brand is found by either spelling", "GitHub", "git hub github"},
    {"short codes stay whole too", "s3 ec2", "s 3 s3 ec 2 ec2"},
    {"a possessive s is dropped", "server's logs", "server logs"},
    {"a typographic apostrophe too", "server\xe2\x80\x99s logs", "server logs"},
    {"other apostrophes separate", "don't", "don t"},
    {"accents are dropped", "Café Zürich", "cafe zurich"},
    {"combining accents are dropped", "Cafe\xcc\x81", "cafe"},
    {"the sharp s becomes two", "Straße", "strasse"},
    {"full-width letters are letters", "\xef\xbc\xa1\xef\xbc\xa2", "ab"},
    {"Cyrillic is folded", "Поиск", "поиск"},
    {"Japanese becomes pairs", "天気予報", "天気 気予 予報"},
    {"a single character is a term", "猫", "猫"},
    {"Korean becomes pairs", "날씨를", "날씨 씨를"},
    {"scripts do not mix", "Slackに送信", "slack に送 送信"},
    {"broken bytes separate",
     "ab\xff\xfe"
     "cd",
     "ab cd"},
    {"punctuation gives nothing", " -- ... ::", ""},
    {"nothing gives nothing", "", ""},
};

static void join_terms(deft_analyzer *analyzer, deft_view text, deft_buffer *out)
{
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(analyzer, text, 1000, &count);
    assert_non_null(terms);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            deft_buffer_append_byte(out, ' ');
        }
        deft_buffer_append(out, terms[i].word);
    }
}

static void words(void **state)
{
    (void)state;
    deft_analyzer *analyzer = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    assert_non_null(analyzer);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_guard  guard;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        join_terms(analyzer, test_guard_copy(&guard, deft_view_of(cases[i].text)), &out);
        assert_view_equal(deft_buffer_view(&out), cases[i].terms);
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
    deft_analyzer_free(analyzer);
}

static void positions_count_parts(void **state)
{
    (void)state;
    deft_analyzer   *analyzer = deft_analyzer_new(deft_view_of("english"), NULL, NULL);
    size_t           count    = 0;
    const deft_term *terms =
        deft_analyzer_run(analyzer, deft_view_of("open GitHub issue"), 100, &count);
    assert_int_equal(count, 5);
    const uint32_t positions[] = {0, 1, 2, 1, 3};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(terms[i].position, positions[i]);
        assert_int_equal(terms[i].is_whole, i == 3);
    }
    deft_analyzer_free(analyzer);
}

static void stems_join_plural_and_singular(void **state)
{
    (void)state;
    deft_analyzer *english = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    assert_view_equal(deft_analyzer_stem(english, deft_view_of("repositories")), "repositori");
    assert_view_equal(deft_analyzer_stem(english, deft_view_of("repository")), "repositori");
    assert_view_equal(deft_analyzer_stem(english, deft_view_of("")), "");
    deft_analyzer_free(english);

    deft_analyzer *plain = deft_analyzer_new(deft_view_of("none"), NULL, NULL);
    assert_view_equal(deft_analyzer_stem(plain, deft_view_of("repositories")), "repositories");
    deft_analyzer_free(plain);

    deft_analyzer *german = deft_analyzer_new(deft_view_of("german"), NULL, NULL);
    assert_view_equal(deft_analyzer_stem(german, deft_view_of("dateien")), "datei");
    deft_analyzer_free(german);
}

static void an_unknown_language_is_named(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    assert_null(deft_analyzer_new(deft_view_of("klingon"), NULL, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    assert_non_null(strstr(error.message, "klingon"));
    assert_null(deft_analyzer_new(deft_view_of("a-language-whose-name-is-longer-than-any-stemmer"),
                                  NULL, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
}

static void limits_hold(void **state)
{
    (void)state;
    deft_analyzer *analyzer = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    char           text[5000];
    memset(text, 'a', sizeof text);
    size_t           count = 0;
    const deft_term *terms =
        deft_analyzer_run(analyzer, deft_view_make(text, sizeof text), 10, &count);
    assert_int_equal(count, 1);
    assert_int_equal(terms[0].word.size, DEFT_WORD_SIZE_MAX);
    for (size_t i = 1; i < sizeof text; i += 2) {
        text[i] = ' ';
    }
    (void)deft_analyzer_run(analyzer, deft_view_make(text, sizeof text), 10, &count);
    assert_int_equal(count, 10);
    deft_analyzer_free(analyzer);
}

static bool analyse(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_analyzer *analyzer = deft_analyzer_new(deft_view_of(""), allocator, NULL);
    if (analyzer == NULL) {
        return false;
    }
    size_t     count = 0;
    const bool is_ok = deft_analyzer_run(analyzer, deft_view_of("list all open GitHub issues 天気"),
                                         100, &count) != NULL;
    deft_analyzer_free(analyzer);
    return is_ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(analyse, NULL) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(positions_count_parts),
        cmocka_unit_test(stems_join_plural_and_singular),
        cmocka_unit_test(an_unknown_language_is_named),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
