// What use teaches the search, and what it must not. Proves a part of C9.
#include "core/ranking/learning.h"

#include "core/ranking/searcher.h"
#include "deft/explain.h"
#include "support/allocator.h"
#include "support/searching.h"
#include "support/test.h"

#include <math.h>

static void learn(test_searching *searching, deft_learning **learning, const deft_use *uses,
                  size_t count)
{
    deft_error error = DEFT_ERROR_INIT;
    *learning        = deft_learning_new(searching->index, uses, count, NULL, &error);
    assert_ok(error.status, error);
    assert_ok(deft_searcher_learn(searching->searcher, *learning, &error), error);
}

static void unlearn(test_searching *searching, deft_learning *learning)
{
    assert_int_equal(deft_searcher_learn(searching->searcher, NULL, NULL), DEFT_OK);
    deft_learning_free(learning);
}

static float score_of(test_searching *searching, const char *text, const char *tool)
{
    const deft_query query = {.text = deft_view_of(text), .hits_max = 20};
    deft_error       error = DEFT_ERROR_INIT;
    size_t           count = 0;
    assert_ok(deft_searcher_run(searching->searcher, &query, &error), error);
    const deft_hit *hits = deft_searcher_hits(searching->searcher, &count);
    for (size_t i = 0; i < count; i++) {
        if (deft_view_equals(deft_catalog_tool(searching->scene.catalog, hits[i].tool)->id, tool)) {
            return hits[i].score;
        }
    }
    return 0;
}

static void calls_raise_a_tool_for_similar_queries_only(void **state)
{
    (void)state;
    static const char channels[] = "slack::list_channels";
    static const struct {
        const char *name;
        const char *query;
        bool        is_raised;
    } cases[] = {
        {"the same query", "search the channel messages", true},
        {"its words in another form and order", "please search message of channels", true},
        {"most of its words", "channel messages", true},
        {"one word of three", "channel", false},
        {"another need", "merge a pull request", false},
    };
    const deft_use uses[] = {
        {deft_view_of("search the channel messages"), deft_view_of(channels), 9},
        {deft_view_of("search the channel messages"), deft_view_of("slack::gone"), 9},
        {deft_view_of("please the of"), deft_view_of(channels), 9},
        {deft_view_of("zeppelin"), deft_view_of(channels), 9},
        {deft_view_of("merge pull request"), deft_view_of(channels), 0},
    };
    test_searching searching;
    deft_learning *learning = NULL;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const float before = score_of(&searching, cases[i].query, channels);
        learn(&searching, &learning, uses, array_size(uses));
        assert_int_equal(deft_learning_count(learning), 1);
        const float after = score_of(&searching, cases[i].query, channels);
        assert_true(cases[i].is_raised ? after > before : after <= before);
        unlearn(&searching, learning);
        assert_true(fabsf(score_of(&searching, cases[i].query, channels) - before) <= 0);
    }
    test_searching_clear(&searching);
}

static void use_decides_between_equals(void **state)
{
    (void)state;
    test_searching searching;
    deft_learning *learning = NULL;
    test_searching_init(&searching);
    const deft_use uses[] = {{deft_view_of("search"), deft_view_of("github::search_code"), 50}};
    const float    a      = score_of(&searching, "search stuff", "slack::search");
    const float    b      = score_of(&searching, "search stuff", "github::search_code");
    assert_true(a > b && b > 0);
    learn(&searching, &learning, uses, 1);
    assert_true(score_of(&searching, "search stuff", "github::search_code") >
                b * 1.2F); // the word that no tool has does not count
    unlearn(&searching, learning);
    test_searching_clear(&searching);
}

// However often: not more than a quarter, no hit lost, no exact match buried, the same each time.
static void the_lift_is_bounded(void **state)
{
    (void)state;
    test_random random = {21};
    for (size_t round = 0; round < 20; round++) {
        test_searching searching;
        deft_learning *learning = NULL;
        test_searching_init_random(&searching, &random, 30);
        const deft_catalog *catalog = searching.scene.catalog;
        deft_buffer         texts[16];
        deft_use            uses[16];
        for (size_t i = 0; i < array_size(uses); i++) {
            deft_buffer_init(&texts[i], NULL);
            test_append_words(&texts[i], &random, 1 + test_random_below(&random, 3));
            const deft_tool_id tool = {(uint32_t)test_random_below(&random, 30)};
            uses[i] = (deft_use){deft_buffer_view(&texts[i]), deft_catalog_tool(catalog, tool)->id,
                                 UINT32_MAX};
        }
        for (size_t i = 0; i < array_size(uses); i++) {
            const deft_query query      = {.text = uses[i].query, .hits_max = 30};
            float            before[30] = {0};
            size_t           count      = 0;
            assert_int_equal(deft_searcher_run(searching.searcher, &query, NULL), DEFT_OK);
            const deft_hit *hits      = deft_searcher_hits(searching.searcher, &count);
            const size_t    hit_count = count;
            size_t          exact     = 0;
            for (size_t k = 0; k < count; k++) {
                before[hits[k].tool.index] = hits[k].score;
                exact += hits[k].score >= DEFT__EXACT_TIER;
            }
            learn(&searching, &learning, uses, array_size(uses));
            for (int again = 0; again < 2; again++) {
                assert_int_equal(deft_searcher_run(searching.searcher, &query, NULL), DEFT_OK);
                hits = deft_searcher_hits(searching.searcher, &count);
                assert_true(count >= hit_count);
                for (size_t k = 0; k < count; k++) {
                    const float old = before[hits[k].tool.index];
                    assert_true((hits[k].score >= DEFT__EXACT_TIER) == (k < exact));
                    assert_true(old <= 0 || hits[k].score >= old);
                    assert_true(old <= 0 || hits[k].score <= old * 1.2501F);
                }
            }
            unlearn(&searching, learning);
        }
        for (size_t i = 0; i < array_size(uses); i++) {
            deft_buffer_clear(&texts[i]);
        }
        test_searching_clear(&searching);
    }
}

static void an_exact_match_is_never_buried(void **state)
{
    (void)state;
    test_searching searching;
    deft_learning *learning = NULL;
    test_searching_init(&searching);
    const deft_use uses[] = {
        {deft_view_of("create_issue"), deft_view_of("github::list_issues"), UINT32_MAX},
        {deft_view_of("create issue"), deft_view_of("github::list_issues"), UINT32_MAX},
    };
    learn(&searching, &learning, uses, array_size(uses));
    test_searching_expect(&searching, DEFT_RANKING_HYBRID, "create_issue",
                          "github::create_issue github::create_pull_request github::list_issues "
                          "slack::search");
    unlearn(&searching, learning);
    test_searching_clear(&searching);
}

static void an_explanation_shows_the_lift(void **state)
{
    (void)state;
    test_searching searching;
    deft_learning *learning = NULL;
    test_searching_init(&searching);
    const deft_use uses[] = {{deft_view_of("search code"), deft_view_of("slack::search"), 4}};
    learn(&searching, &learning, uses, 1);
    const deft_query   query = {.text = deft_view_of("search of code"), .hits_max = 5};
    const deft_tool_id tool  = test_scene_tool(&searching.scene, "slack::search");
    deft_explanation  *explanation =
        deft_explanation_new(searching.searcher, &query, &tool, NULL, NULL);
    assert_non_null(explanation);
    size_t              count   = 0;
    const deft_account *account = deft_explanation_accounts(explanation, &count);
    const double        rest    = account->words + account->coverage_lift + account->name_lift;
    assert_int_equal(account->outcome, DEFT_OUTCOME_HIT);
    assert_true(fabs(account->use_lift / rest - 0.125) < 0.001); // half of a quarter
    assert_true(fabs(rest + account->use_lift - account->score) < 1e-5 * account->score);
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    assert_int_equal(deft_explanation_write(explanation, &text), DEFT_OK);
    assert_int_equal(deft_explanation_write_json(explanation, &text), DEFT_OK);
    deft_buffer_append_byte(&text, '\0');
    assert_non_null(strstr(text.data, "because it was called after similar queries"));
    assert_non_null(strstr(text.data, "\"use\":{"));
    deft_buffer_clear(&text);
    deft_explanation_free(explanation);
    unlearn(&searching, learning);
    test_searching_clear(&searching);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    test_searching searching;
    test_searching other;
    deft_error     error = DEFT_ERROR_INIT;
    test_searching_init(&searching);
    test_searching_init(&other);
    deft_learning *learning = deft_learning_new(other.index, NULL, 0, NULL, &error);
    assert_non_null(learning);
    assert_int_equal(deft_searcher_learn(searching.searcher, learning, &error), DEFT_CONFLICT);
    assert_int_equal(deft_searcher_learn(other.searcher, learning, &error), DEFT_OK);
    assert_null(deft_learning_new(other.index, NULL, DEFT_LEARNING_USES_MAX + 1, NULL, &error));
    assert_int_equal(error.status, DEFT_LIMIT);
    deft_searcher_free(other.searcher);
    other.searcher = NULL;
    deft_learning_free(learning);
    deft_learning_free(NULL);
    test_searching_clear(&other);
    test_searching_clear(&searching);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    const deft_use  uses[]    = {{deft_view_of("create issue"), deft_view_of("slack::search"), 2},
                                 {deft_view_of("send it"), deft_view_of("slack::search"), 1}};
    test_searching *searching = context;
    deft_error      error     = DEFT_ERROR_INIT;
    deft_searcher  *searcher  = deft_searcher_new(searching->index, allocator, &error);
    deft_learning  *learning =
        searcher != NULL ? deft_learning_new(searching->index, uses, 2, allocator, &error) : NULL;
    bool is_ok = learning != NULL;
    if (is_ok) {
        is_ok = deft_searcher_learn(searcher, learning, &error) == DEFT_OK;
    }
    assert_true(is_ok || error.status == DEFT_OUT_OF_MEMORY);
    deft_searcher_free(searcher);
    deft_learning_free(learning);
    return is_ok;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    assert_true(test_every_allocation_fails(attempt, &searching) > 8);
    test_searching_clear(&searching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_raise_a_tool_for_similar_queries_only),
        cmocka_unit_test(use_decides_between_equals),
        cmocka_unit_test(the_lift_is_bounded),
        cmocka_unit_test(an_exact_match_is_never_buried),
        cmocka_unit_test(an_explanation_shows_the_lift),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
