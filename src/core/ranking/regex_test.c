// Patterns over definitions, and what a model may do wrong with them. Proves C8.
#include "deft/index.h"

#include "support/allocator.h"
#include "support/test.h"

static const char tools[] =
    "[{\"name\":\"create_issue\",\"description\":\"Opens "
    "one.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"dueDate\":{\"type\":\"string\",\"description\":\"Day it is due\"}}}},"
    "{\"name\":\"list_issues\",\"description\":\"Like create_issue, but "
    "lists.\",\"inputSchema\":{}},"
    "{\"name\":\"Weather\",\"title\":\"Forecast\",\"description\":\"Wetter für Zürich\","
    "\"inputSchema\":{}},"
    "{\"name\":\"long\",\"description\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"
    "\","
    "\"inputSchema\":{}}]";

typedef struct fixture {
    deft_catalog  *catalog;
    deft_index    *index;
    deft_searcher *searcher;
} fixture;

static bool open_fixture(fixture *f, const deft_allocator *allocator)
{
    const deft_source     source  = {.label = deft_view_of("test")};
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
    assert_int_equal(deft_catalog_builder_add(builder, &source, deft_view_of(tools), NULL),
                     DEFT_OK);
    *f = (fixture){.catalog = deft_catalog_builder_finish(builder, NULL)};
    deft_catalog_builder_free(builder);
    f->index    = deft_index_new(f->catalog, allocator, NULL);
    f->searcher = f->index != NULL ? deft_searcher_new(f->index, allocator, NULL) : NULL;
    return f->searcher != NULL;
}

static void close_fixture(fixture *f)
{
    deft_searcher_free(f->searcher);
    deft_index_free(f->index);
    deft_catalog_release(f->catalog);
}

static deft_status run(fixture *f, deft_ranking ranking, const char *text, deft_error *error)
{
    const deft_query query = {.text = deft_view_of(text), .ranking = ranking, .hits_max = 5};
    return deft_searcher_run(f->searcher, &query, error);
}

static void expect(fixture *f, const char *names)
{
    deft_buffer     out;
    size_t          count = 0;
    const deft_hit *hits  = deft_searcher_hits(f->searcher, &count);
    deft_buffer_init(&out, NULL);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(&out, i > 0 ? " " : "");
        deft_buffer_append(&out, deft_catalog_tool(f->catalog, hits[i].tool)->name);
    }
    assert_view_equal(deft_buffer_view(&out), names);
    deft_buffer_clear(&out);
}

static void patterns_match_where_they_should(void **state)
{
    (void)state;
    static const struct {
        const char  *name;
        deft_ranking ranking;
        const char  *pattern;
        const char  *found;
    } cases[] = {
        {"a name before a description", DEFT_RANKING_REGEX, "create_issue",
         "create_issue list_issues"},
        {"anywhere in the text", DEFT_RANKING_REGEX, "^list_.*s$", "list_issues"},
        {"either of two", DEFT_RANKING_REGEX, "list|Weather", "list_issues Weather"},
        {"a title counts like a name", DEFT_RANKING_REGEX, "Forecast", "Weather"},
        {"a parameter's name", DEFT_RANKING_REGEX, "dueDate", "create_issue"},
        {"a parameter's description", DEFT_RANKING_REGEX, "is due", "create_issue"},
        {"case counts", DEFT_RANKING_REGEX, "weather", ""},
        {"unless the pattern says so", DEFT_RANKING_REGEX, "(?i)weather", "Weather"},
        {"a word character may have an accent", DEFT_RANKING_REGEX, "Z\\w+rich", "Weather"},
        {"nothing matches nothing", DEFT_RANKING_REGEX, "", ""},
        {"an empty match is none", DEFT_RANKING_REGEX, "x*", ""},
        {"slashes in a hybrid query", DEFT_RANKING_HYBRID, "/list_.*s/", "list_issues"},
        {"and without case", DEFT_RANKING_HYBRID, "/WEATHER/i", "Weather"},
        {"slashes are part of a regex query", DEFT_RANKING_REGEX, "/list_.*s/", ""},
    };
    fixture f;
    assert_true(open_fixture(&f, NULL));
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft_error error = DEFT_ERROR_INIT;
        assert_ok(run(&f, cases[i].ranking, cases[i].pattern, &error), error);
        expect(&f, cases[i].found);
    }
    close_fixture(&f);
}

static void bad_patterns_are_explained(void **state)
{
    (void)state;
    fixture f;
    assert_true(open_fixture(&f, NULL));
    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(run(&f, DEFT_RANKING_REGEX, "create(issue", &error), DEFT_INVALID);
    assert_int_equal(error.offset, 12);
    assert_non_null(strstr(error.message, "missing closing parenthesis"));

    assert_int_equal(run(&f, DEFT_RANKING_REGEX, "(a+)+$", &error), DEFT_LIMIT);
    assert_non_null(strstr(error.message, "too costly"));

    char longest[DEFT_PATTERN_SIZE_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[DEFT_PATTERN_SIZE_MAX] = '\0';
    assert_ok(run(&f, DEFT_RANKING_REGEX, longest, &error), error);
    longest[DEFT_PATTERN_SIZE_MAX]     = 'x';
    longest[DEFT_PATTERN_SIZE_MAX + 1] = '\0';
    assert_int_equal(run(&f, DEFT_RANKING_REGEX, longest, &error), DEFT_LIMIT);
    assert_non_null(strstr(error.message, "at most 200"));

    // Bytes that are not UTF-8 are refused, not matched.
    assert_int_equal(run(&f, DEFT_RANKING_REGEX, "\xff", &error), DEFT_INVALID);
    close_fixture(&f);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    fixture    f;
    const bool is_ok =
        open_fixture(&f, allocator) && run(&f, DEFT_RANKING_REGEX, "create_.*", NULL) == DEFT_OK;
    close_fixture(&f);
    return is_ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(patterns_match_where_they_should),
        cmocka_unit_test(bad_patterns_are_explained),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
