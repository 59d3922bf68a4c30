// The default ranking: what it finds, and that its shortcuts change nothing. Proves parts of C9.
#include "core/ranking/hybrid.h"

#include "core/index/build.h"
#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

// A catalog, its image, and a searcher over it.
typedef struct fixture {
    deft_catalog  *catalog;
    deft_buffer    bytes;
    deft__image    image;
    deft__arena    arena;
    deft__synonyms synonyms;
    deft__hybrid   hybrid;
} fixture;

static deft_catalog *read_catalog(deft_view text)
{
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
    const deft_source     source  = {.label = deft_view_of("test")};
    deft_error            error   = DEFT_ERROR_INIT;
    assert_non_null(builder);
    assert_ok(deft_catalog_builder_add(builder, &source, text, &error), error);
    deft_catalog *catalog = deft_catalog_builder_finish(builder, &error);
    assert_non_null(catalog);
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    deft_catalog_builder_free(builder);
    return catalog;
}

static bool open_fixture(fixture *f, deft_catalog *catalog, const deft_allocator *allocator)
{
    *f = (fixture){.catalog = catalog};
    deft_buffer_init(&f->bytes, NULL);
    deft_analyzer *analyzer = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    assert_non_null(analyzer);
    assert_int_equal(deft__index_build(catalog, analyzer, NULL, 1, &f->bytes, NULL), DEFT_OK);
    assert_int_equal(deft__image_open(&f->image, deft_buffer_view(&f->bytes), NULL), DEFT_OK);
    deft__arena_init(&f->arena, allocator);
    bool is_ok = deft__synonyms_init(&f->synonyms, &f->image, analyzer, &f->arena) == DEFT_OK;
    is_ok      = is_ok && deft__hybrid_init(&f->hybrid, &f->image, &f->synonyms, NULL, allocator,
                                            NULL) == DEFT_OK;
    deft_analyzer_free(analyzer);
    return is_ok;
}

static void close_fixture(fixture *f)
{
    deft__hybrid_clear(&f->hybrid);
    deft__synonyms_clear(&f->synonyms);
    deft__arena_clear(&f->arena);
    deft_buffer_clear(&f->bytes);
}

static const char office[] =
    "{\"server\":\"office\",\"tools\":["
    "{\"name\":\"create_issue\",\"description\":\"Opens a ticket in the tracker.\"},"
    "{\"name\":\"list_issues\",\"description\":\"Shows all tickets of a project.\"},"
    "{\"name\":\"delete_branch\",\"description\":\"Removes a branch from a repository.\"},"
    "{\"name\":\"send_message\",\"description\":\"Posts a message to a channel.\"},"
    "{\"name\":\"get_forecast\",\"description\":\"Weather for the next days at a place.\"},"
    "{\"name\":\"tenki\",\"description\":\"東京の天気予報を取得します\"},"
    "{\"name\":\"GitHubSearch\",\"description\":\"Looks through code.\"},"
    "{\"name\":\"run_query\",\"description\":\"Runs SQL against a database.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"statement\":{\"type\":\"string\","
    "\"description\":\"What to execute\"},\"dialect\":{\"type\":\"string\","
    "\"enum\":[\"postgres\",\"sqlite\"]}}}}]}";

static void the_right_tool_comes_first(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *query;
        const char *tool;
    } cases[] = {
        {"words of a name", "create issue", "create_issue"},
        {"plural finds singular", "create issues", "create_issue"},
        {"the exact form decides between list and create", "issues", "list_issues"},
        {"an identifier", "delete_branch", "delete_branch"},
        {"camel case finds snake case", "deleteBranch", "delete_branch"},
        {"a verb of the same family", "erase branch", "delete_branch"},
        {"an abbreviation", "send msg", "send_message"},
        {"one letter missing", "delte branch", "delete_branch"},
        {"two letters swapped in a long word", "forceast", "get_forecast"},
        {"a sentence", "please tell me how the weather will be on the next days", "get_forecast"},
        {"Japanese", "天気予報", "tenki"},
        {"a brand in lower case", "github", "GitHubSearch"},
        {"an enum value", "sqlite", "run_query"},
        {"a parameter's description", "execute", "run_query"},
    };
    fixture f;
    assert_true(open_fixture(&f, read_catalog(deft_view_of(office)), NULL));
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        assert_int_equal(deft__hybrid_run(&f.hybrid, deft_view_of(cases[i].query), 5, NULL, NULL),
                         DEFT_OK);
        assert_true(f.hybrid.candidate_count > 0);
        const deft_tool_id best = {f.hybrid.candidates[0].tool};
        assert_view_equal(deft_catalog_tool(f.catalog, best)->name, cases[i].tool);
    }
    deft_catalog_release(f.catalog);
    close_fixture(&f);
}

static void what_no_tool_has_finds_nothing(void **state)
{
    (void)state;
    fixture f;
    assert_true(open_fixture(&f, read_catalog(deft_view_of(office)), NULL));
    const char *queries[] = {"", "   ", "zzzzqqq xkcdwv", "!!!"};
    for (size_t i = 0; i < array_size(queries); i++) {
        assert_int_equal(deft__hybrid_run(&f.hybrid, deft_view_of(queries[i]), 5, NULL, NULL),
                         DEFT_OK);
        assert_int_equal(f.hybrid.candidate_count, 0);
    }
    deft_catalog_release(f.catalog);
    close_fixture(&f);
}

static bool is_even(void *context, uint32_t tool)
{
    (void)context;
    return tool % 2 == 0;
}

#define TOOLS_MAX 7000u

static void append_word(deft_buffer *text, size_t word)
{
    deft_buffer_append_text(text, "word");
    for (; word > 0; word /= 26) {
        deft_buffer_append_byte(text, (char)('a' + word % 26));
    }
    deft_buffer_append_byte(text, ' ');
}

// The product of two numbers: low ones are common, and high ones rare.
static size_t uneven_word(test_random *random)
{
    return test_random_below(random, 40) * test_random_below(random, 40);
}

// Among as many tools as there can be, each is rare, if only just.
#define EVEN_WORDS 140u

static size_t even_word(test_random *random)
{
    return 1 + test_random_below(random, EVEN_WORDS);
}

// Tools of random words, so that common words have block bounds and rare ones do not.
static deft_catalog *random_catalog(test_random *random, size_t tools, size_t words_max,
                                    size_t (*next_word)(test_random *random))
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[");
    for (size_t tool = 0; tool < tools; tool++) {
        deft_buffer_append_text(&text, tool > 0 ? ",{\"name\":\"t" : "{\"name\":\"t");
        deft_buffer_append_u64(&text, tool);
        deft_buffer_append_text(&text, "\",\"inputSchema\":{},\"description\":\"");
        const size_t words = 1 + test_random_below(random, words_max);
        for (size_t w = 0; w < words; w++) {
            append_word(&text, next_word(random));
        }
        deft_buffer_append_text(&text, "\"}");
    }
    deft_buffer_append_text(&text, "]");
    assert_int_equal(text.status, DEFT_OK);
    deft_catalog *catalog = read_catalog(deft_buffer_view(&text));
    deft_buffer_clear(&text);
    return catalog;
}

// Sums everything up, the slow way, and checks that the candidates of the last run are the best.
static void assert_candidates_are_best(const fixture *f, size_t hits_max,
                                       bool (*is_allowed)(void *context, uint32_t tool))
{
    static uint32_t        scores[TOOLS_MAX];
    static uint32_t        coverages[TOOLS_MAX];
    const deft__expansion *e      = &f->hybrid.expansion;
    uint32_t               last   = UINT32_MAX; // the worst candidate
    size_t                 better = 0;
    size_t                 any    = 0; // tools with a score
    memset(scores, 0, sizeof scores);
    memset(coverages, 0, sizeof coverages);
    for (size_t t = 0; t < e->term_count; t++) {
        const uint32_t term = e->terms[t].term;
        for (uint32_t p = 0; p < f->image.terms[term].count; p++) {
            const uint32_t tool = deft__image_tool(&f->image, term, p);
            scores[tool] += e->terms[t].weight * deft__image_impact(&f->image, term, tool) >> 8;
            coverages[tool] += deft__coverage_of(e, &e->terms[t]);
        }
    }
    for (size_t i = 0; i < f->hybrid.candidate_count; i++) {
        const uint32_t tool = f->hybrid.candidates[i].tool;
        assert_int_equal(f->hybrid.candidates[i].score, scores[tool]);
        assert_int_equal(f->hybrid.candidates[i].coverage, coverages[tool]);
        if (last == UINT32_MAX || scores[tool] < scores[last] ||
            (scores[tool] == scores[last] && tool > last)) {
            last = tool;
        }
    }
    for (uint32_t tool = 0; last != UINT32_MAX && tool < array_size(scores); tool++) {
        if (scores[tool] > 0 && (is_allowed == NULL || is_allowed(NULL, tool))) {
            better += scores[tool] > scores[last] || (scores[tool] == scores[last] && tool < last);
            any++;
        }
    }
    const size_t max = 2 * hits_max > DEFT__CANDIDATES_MIN ? 2 * hits_max : DEFT__CANDIDATES_MIN;
    assert_int_equal(f->hybrid.candidate_count, any < max ? any : max);
    assert_int_equal(better, any > 0 ? f->hybrid.candidate_count - 1 : 0);
}

static void bounds_change_nothing(void **state)
{
    (void)state;
    test_random random     = {.state = 11};
    size_t      wide_count = 0; // queries whose sums take more than 16 bits
    fixture     f;
    assert_true(open_fixture(&f, random_catalog(&random, 3000, 30, uneven_word), NULL));
    for (int round = 0; round < 300; round++) {
        deft_buffer query;
        deft_buffer_init(&query, NULL);
        const size_t words = 1 + test_random_below(&random, round % 10 == 0 ? 80 : 8);
        for (size_t w = 0; w < words; w++) {
            const deft_tool_id id   = {(uint32_t)test_random_below(&random, 3000)};
            const deft_view    text = deft_catalog_tool(f.catalog, id)->description;
            deft_buffer_append(&query,
                               deft_view_slice(text, 0, 1 + test_random_below(&random, 30)));
            deft_buffer_append_byte(&query, ' ');
        }
        const size_t max                  = 1 + test_random_below(&random, 40);
        bool (*allowed)(void *, uint32_t) = test_random_once_in(&random, 3) ? is_even : NULL;

        assert_int_equal(deft__hybrid_run(&f.hybrid, deft_buffer_view(&query), max, allowed, NULL),
                         DEFT_OK);
        assert_candidates_are_best(&f, max, allowed);
        wide_count += f.hybrid.scorer.is_wide;
        deft_buffer_clear(&query);
    }
    assert_true(wide_count > 5);
    deft_catalog_release(f.catalog);
    close_fixture(&f);
}

static void many_rare_words_change_nothing(void **state)
{
    (void)state;
    test_random random     = {.state = 12};
    size_t      late_count = 0; // queries with more postings than are summed up before
    fixture     f;
    assert_true(open_fixture(&f, random_catalog(&random, TOOLS_MAX, 3, even_word), NULL));
    for (int round = 0; round < 60; round++) {
        deft_buffer query;
        deft_buffer_init(&query, NULL);
        for (size_t words = 10 + test_random_below(&random, 20); words > 0; words--) {
            append_word(&query, even_word(&random));
        }
        bool (*allowed)(void *, uint32_t) = test_random_once_in(&random, 3) ? is_even : NULL;
        assert_int_equal(deft__hybrid_run(&f.hybrid, deft_buffer_view(&query), 20, allowed, NULL),
                         DEFT_OK);
        assert_candidates_are_best(&f, 20, allowed);
        late_count +=
            !f.hybrid.scorer.is_wide && f.hybrid.scorer.summed_count < f.hybrid.scorer.sparse_count;
        deft_buffer_clear(&query);
    }
    assert_true(late_count > 5);
    deft_catalog_release(f.catalog);
    close_fixture(&f);
}

static void long_queries_stay_within_bounds(void **state)
{
    (void)state;
    fixture     f;
    deft_buffer query;
    deft_buffer_init(&query, NULL);
    assert_true(open_fixture(&f, read_catalog(deft_view_of(office)), NULL));
    for (int i = 0; i < 5000; i++) {
        deft_buffer_append_text(&query, "create issue delete branch weather message sql ");
        deft_buffer_append_u64(&query, (uint64_t)i);
        deft_buffer_append_byte(&query, ' ');
    }
    assert_int_equal(deft__hybrid_run(&f.hybrid, deft_buffer_view(&query), 20, NULL, NULL),
                     DEFT_OK);
    assert_true(f.hybrid.candidate_count >= 5);
    assert_true(f.hybrid.expansion.word_count <= DEFT__QUERY_WORDS_MAX);
    for (size_t i = 0; i < f.hybrid.candidate_count; i++) {
        assert_true(f.hybrid.candidates[i].coverage <= DEFT__COVERAGE_FULL);
    }
    deft_buffer_clear(&query);
    deft_catalog_release(f.catalog);
    close_fixture(&f);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    fixture    f;
    const bool is_open = open_fixture(&f, context, allocator);
    bool       is_ok   = false;
    if (is_open) {
        is_ok = deft__hybrid_run(&f.hybrid, deft_view_of("create GitHub issue"), 5, NULL, NULL) ==
                DEFT_OK;
    }
    close_fixture(&f);
    return is_ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    deft_catalog *catalog = read_catalog(deft_view_of(office));
    assert_true(test_every_allocation_fails(attempt, catalog) > 5);
    deft_catalog_release(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_tool_comes_first),
        cmocka_unit_test(what_no_tool_has_finds_nothing),
        cmocka_unit_test(bounds_change_nothing),
        cmocka_unit_test(many_rare_words_change_nothing),
        cmocka_unit_test(long_queries_stay_within_bounds),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
