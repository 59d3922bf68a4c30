// Ranking `bm25`, and what a query can ask of it. Proves C7, C10.
#include "core/ranking/searcher.h"
#include "deft/analyzer.h"
#include "support/searching.h"
#include "support/test.h"

#include <math.h>

static const struct {
    const char *name;
    const char *query;
    const char *ids;
} cases[] = {
    {"words of the name and the description", "merge pull request",
     "github::mergePullRequest github::create_pull_request"},
    {"the server's name is searched", "slack message",
     "slack::send_message slack::list_channels slack::search"},
    {"a parameter's description is searched", "where", "slack::send_message"},
    {"a parameter's name is not", "base", ""},
    {"part of a word is not found", "mess", ""},
    {"an exact name comes first", "search", "slack::search github::search_code"},
    {"an exact id comes first", "github::search_code",
     "github::search_code slack::search github::create_pull_request github::mergePullRequest "
     "github::list_issues github::create_issue"},
    {"a wire name too", "slack__search",
     "slack::search github::search_code slack::list_channels slack::send_message"},
    {"whatever its case", "MERGEpullrequest", "github::mergePullRequest"},
    {"only one server", "server:slack list", "slack::list_channels"},
    {"a server alone gives its tools in their order", "server:slack",
     "slack::send_message slack::list_channels slack::search"},
    {"a server in another case", "server:Slack search", "slack::search"},
    {"two servers", "server:slack server:github search", "slack::search github::search_code"},
    {"a server that is not there", "server:gitlab search", ""},
    {"a required word", "search +message", "slack::send_message"},
    {"a required word that nobody has", "search +zebra", ""},
    {"a required name with several terms", "+pull_request create",
     "github::create_pull_request github::mergePullRequest"},
    {"exact tools", "select:mergePullRequest, slack::search",
     "github::mergePullRequest slack::search"},
    {"the same tool twice", "select:slack::search,slack__search", "slack::search"},
    {"tools that are not there", "select:nobody,slack::search", "slack::search"},
    {"nothing", "", ""},
    {"white space", " \n ", ""},
    {"nothing found", "zebra", ""},
    {"signs", "!? ..", ""},
};

static void queries(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_searching_expect(&searching, DEFT_RANKING_BM25, cases[i].query, cases[i].ids);
    }
    test_searching_clear(&searching);
}

// BM25 in ten lines: count and sum, no index.
static size_t count_of(deft_analyzer *analyzer, deft_view text, deft_view wanted, size_t *length)
{
    size_t           found = 0;
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(analyzer, text, SIZE_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        found += !terms[i].is_whole && deft_view_equal(terms[i].word, wanted);
        *length += !terms[i].is_whole;
    }
    return found;
}

static size_t count_in_tool(deft_analyzer *analyzer, const deft_catalog *catalog, uint32_t number,
                            deft_view term, size_t *length)
{
    const deft_tool *tool = deft_catalog_tool(catalog, (deft_tool_id){number});
    *length               = 0;
    size_t count          = count_of(analyzer, tool->name, term, length);
    count += count_of(analyzer, deft_catalog_server(catalog, tool->server)->name, term, length);
    count += count_of(analyzer, tool->description, term, length);
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        count += count_of(analyzer, tool->parameters[i].description, term, length);
    }
    return count;
}

static double reference_term(deft_analyzer *analyzer, const deft_catalog *catalog, uint32_t tool,
                             deft_view term)
{
    const double n      = (double)deft_catalog_tool_count(catalog);
    double       df     = 0;
    double       total  = 0;
    size_t       length = 0;
    for (uint32_t i = 0; i < n; i++) {
        df += count_in_tool(analyzer, catalog, i, term, &length) > 0;
        total += (double)length;
    }
    const double f = (double)count_in_tool(analyzer, catalog, tool, term, &length);
    return log(1 + (n - df + .5) / (df + .5)) * f * 2.5 /
           (f + 1.5 * (1 - .75 + .75 * (double)length / (total / n)));
}

static double reference_score(const deft_catalog *catalog, uint32_t tool, deft_view query)
{
    deft_analyzer   *of_query = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    deft_analyzer   *of_tools = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    size_t           count    = 0;
    const deft_term *terms    = deft_analyzer_run(of_query, query, SIZE_MAX, &count);
    double           score    = 0;
    for (size_t i = 0; i < count; i++) {
        if (!terms[i].is_whole) {
            score += reference_term(of_tools, catalog, tool, terms[i].word);
        }
    }
    deft_analyzer_free(of_tools);
    deft_analyzer_free(of_query);
    return score;
}

static void scores_are_those_of_the_reference(void **state)
{
    (void)state;
    test_random random = {7};
    for (int round = 0; round < 10; round++) {
        test_searching searching;
        test_searching_init_random(&searching, &random, 25);
        const deft_catalog *catalog = searching.scene.catalog;
        for (int n = 0; n < 5; n++) {
            deft_buffer query;
            deft_error  error = DEFT_ERROR_INIT;
            deft_buffer_init(&query, NULL);
            test_append_words(&query, &random, 2 + test_random_below(&random, 4));
            const deft_query run = {
                .text = deft_buffer_view(&query), .ranking = DEFT_RANKING_BM25, .hits_max = 1000};
            assert_ok(deft_searcher_run(searching.searcher, &run, &error), error);

            size_t          count      = 0;
            const deft_hit *hits       = deft_searcher_hits(searching.searcher, &count);
            bool            is_hit[25] = {false};
            for (size_t i = 0; i < count; i++) {
                const uint32_t tool = hits[i].tool.index;
                const double   want = reference_score(catalog, tool, deft_buffer_view(&query));
                assert_true(fabs((double)hits[i].score - want) < 1e-4 * (1 + want));
                assert_true(i == 0 || hits[i - 1].score > hits[i].score ||
                            hits[i - 1].tool.index < tool);
                is_hit[tool] = true;
            }
            for (uint32_t i = 0; i < 25; i++) {
                const double want = reference_score(catalog, i, deft_buffer_view(&query));
                assert_true(is_hit[i] == (want > 0));
            }
            deft_buffer_clear(&query);
        }
        test_searching_clear(&searching);
    }
}

static void a_threshold_cuts_the_tail_but_no_exact_name(void **state)
{
    (void)state;
    test_searching searching;
    deft_error     error = DEFT_ERROR_INIT;
    size_t         count = 0;
    test_searching_init(&searching);
    deft_query run = {
        .text = deft_view_of("create issue"), .ranking = DEFT_RANKING_BM25, .hits_max = 10};
    assert_ok(deft_searcher_run(searching.searcher, &run, &error), error);
    const deft_hit *hits = deft_searcher_hits(searching.searcher, &count);
    assert_true(count > 2);
    const float second = hits[1].score;
    const float best   = hits[0].score;

    run.score_min = second; // what reaches it is shown
    assert_ok(deft_searcher_run(searching.searcher, &run, &error), error);
    deft_searcher_hits(searching.searcher, &count);
    assert_int_equal(count, 2);

    run.score_min = best + 1;
    assert_ok(deft_searcher_run(searching.searcher, &run, &error), error);
    deft_searcher_hits(searching.searcher, &count);
    assert_int_equal(count, 0);

    run.score_min = 100;
    run.text      = deft_view_of("search");
    assert_ok(deft_searcher_run(searching.searcher, &run, &error), error);
    deft_searcher_hits(searching.searcher, &count);
    assert_int_equal(count, 1);
    test_searching_clear(&searching);
}

static void terms_past_the_64th_are_ignored(void **state)
{
    (void)state;
    test_searching searching;
    deft_buffer    query;
    test_searching_init(&searching);
    deft_buffer_init(&query, NULL);
    for (int i = 0; i < 64; i++) {
        const char word[] = {'q', (char)('a' + i / 8), (char)('a' + i % 8), ' '};
        deft_buffer_append(&query, deft_view_make(word, sizeof word));
    }
    deft_buffer_append_text(&query, "merge");
    deft_buffer_append_byte(&query, '\0');
    test_searching_expect(&searching, DEFT_RANKING_BM25, query.data, "");

    // But a required one is not.
    query.data[query.size - 1] = ' ';
    deft_buffer_append_text(&query, "+merge");
    deft_buffer_append_byte(&query, '\0');
    test_searching_expect(&searching, DEFT_RANKING_BM25, query.data, "github::mergePullRequest");
    deft_buffer_clear(&query);
    test_searching_clear(&searching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries),
        cmocka_unit_test(scores_are_those_of_the_reference),
        cmocka_unit_test(a_threshold_cuts_the_tail_but_no_exact_name),
        cmocka_unit_test(terms_past_the_64th_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
