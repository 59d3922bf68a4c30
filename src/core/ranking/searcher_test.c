// Running queries: limits, filters, ties, failures. Proves a part of C7, C8, C9, C11.
#include "core/ranking/searcher.h"

#include "support/allocator.h"
#include "support/searching.h"
#include "support/test.h"

#include <pthread.h>

static void every_ranking_is_built(void **state)
{
    (void)state;
    static const deft_ranking rankings[] = {DEFT_RANKING_HYBRID, DEFT_RANKING_BM25,
                                            DEFT_RANKING_KEYWORD, DEFT_RANKING_REGEX};
    for (size_t i = 0; i < array_size(rankings); i++) {
        assert_true(deft_ranking_is_built(rankings[i]));
    }
}

static void a_query_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char    text[DEFT_QUERY_SIZE_MAX + 1];
    test_searching searching;
    test_searching_init(&searching);
    memset(text, 'a', sizeof text);
    static const deft_ranking rankings[] = {DEFT_RANKING_HYBRID, DEFT_RANKING_BM25,
                                            DEFT_RANKING_KEYWORD};
    for (size_t i = 0; i < array_size(rankings); i++) {
        deft_error error = DEFT_ERROR_INIT;
        deft_query query = {
            .text = deft_view_make(text, sizeof text), .ranking = rankings[i], .hits_max = 5};
        assert_int_equal(deft_searcher_run(searching.searcher, &query, &error), DEFT_LIMIT);
        query.text.size--;
        assert_ok(deft_searcher_run(searching.searcher, &query, &error), error);
    }
    test_searching_clear(&searching);
}

static bool is_even(void *context, deft_tool_id tool)
{
    size_t *asked = context;
    *asked += 1;
    return tool.index % 2 == 0;
}

static void a_filter_holds_and_costs_no_places(void **state)
{
    (void)state;
    static const char *const queries[] = {"list create search", "server:github server:slack",
                                          "select:create_issue,list_issues,create_pull_request"};
    test_searching           searching;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(queries); i++) {
        case_name(queries[i]);
        size_t                 asked  = 0;
        deft_error             error  = DEFT_ERROR_INIT;
        const deft_tool_filter filter = {.is_shown = is_even, .context = &asked};
        const deft_query       query  = {.text     = deft_view_of(queries[i]),
                                         .ranking  = DEFT_RANKING_BM25,
                                         .hits_max = 2,
                                         .filter   = &filter};
        assert_ok(deft_searcher_run(searching.searcher, &query, &error), error);
        size_t          count = 0;
        const deft_hit *hits  = deft_searcher_hits(searching.searcher, &count);
        assert_int_equal(count, 2);
        assert_true(asked > 0);
        for (size_t n = 0; n < count; n++) {
            assert_int_equal(hits[n].tool.index % 2, 0);
        }
    }
    test_searching_clear(&searching);
}

// However few hits are asked for, they are the first of all.
static void fewer_hits_are_the_first_of_all(void **state)
{
    (void)state;
    test_random    random = {9};
    test_searching searching;
    deft_error     error = DEFT_ERROR_INIT;
    test_searching_init_random(&searching, &random, 200);
    deft_query query = {
        .text = deft_view_of("create issue file"), .ranking = DEFT_RANKING_BM25, .hits_max = 1000};
    assert_ok(deft_searcher_run(searching.searcher, &query, &error), error);
    size_t          all_count = 0;
    const deft_hit *hits      = deft_searcher_hits(searching.searcher, &all_count);
    deft_hit        all[200];
    assert_true(all_count > 50 && all_count <= array_size(all));
    memcpy(all, hits, all_count * sizeof *all);
    for (size_t hits_max = 0; hits_max <= all_count; hits_max++) {
        size_t count   = 0;
        query.hits_max = hits_max;
        assert_ok(deft_searcher_run(searching.searcher, &query, &error), error);
        hits = deft_searcher_hits(searching.searcher, &count);
        assert_int_equal(count, hits_max);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(hits[i].tool.index, all[i].tool.index);
        }
    }
    test_searching_clear(&searching);
}

static void an_empty_catalog_has_no_hits(void **state)
{
    (void)state;
    test_random    random = {1};
    test_searching searching;
    test_searching_init_random(&searching, &random, 0);
    test_searching_expect(&searching, DEFT_RANKING_BM25, "create", "");
    test_searching_expect(&searching, DEFT_RANKING_KEYWORD, "create", "");
    test_searching_expect(&searching, DEFT_RANKING_BM25, "select:x", "");
    test_searching_clear(&searching);
}

// Text chosen to make a substring search quadratic: it must not be.
static void repetition_does_not_make_it_slow(void **state)
{
    (void)state;
    test_scene  scene;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_byte(&text, '[');
    for (int tool = 0; tool < 200; tool++) {
        deft_buffer_append_text(&text, tool > 0 ? ",{\"name\":\"a" : "{\"name\":\"a");
        deft_buffer_append_u64(&text, (uint64_t)tool);
        deft_buffer_append_text(&text, "\",\"description\":\"");
        for (int i = 0; i < 8000; i++) {
            deft_buffer_append_byte(&text, 'a');
        }
        deft_buffer_append_text(&text, "\",\"inputSchema\":{}}");
    }
    deft_buffer_append_text(&text, "]");
    deft_buffer_append_byte(&text, '\0');
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&scene, "s", DEFT_SERVER_MCP, text.data);
    test_scene_measure(&scene);
    deft_index    *index    = deft_index_new(scene.catalog, NULL, &error);
    deft_searcher *searcher = deft_searcher_new(index, NULL, &error);
    assert_non_null(searcher);

    static char needle[DEFT_QUERY_SIZE_MAX];
    memset(needle, 'a', sizeof needle);
    needle[sizeof needle / 2] = 'b';
    const deft_query query    = {.text     = deft_view_make(needle, sizeof needle),
                                 .ranking  = DEFT_RANKING_KEYWORD,
                                 .hits_max = 5};
    size_t           count    = 0;
    assert_ok(deft_searcher_run(searcher, &query, &error), error);
    deft_searcher_hits(searcher, &count);
    assert_int_equal(count, 0);
    deft_searcher_free(searcher);
    deft_index_free(index);
    test_scene_clear(&scene);
    deft_buffer_clear(&text);
}

static bool search(const deft_allocator *allocator, void *context)
{
    const test_searching *searching = context;
    deft_error            error     = DEFT_ERROR_INIT;
    deft_searcher        *searcher  = deft_searcher_new(searching->index, allocator, &error);
    const deft_query      query     = {
                 .text = deft_view_of("create issue"), .ranking = DEFT_RANKING_BM25, .hits_max = 5};
    deft_status status = searcher != NULL ? DEFT_OK : error.status;
    if (status == DEFT_OK) {
        status = deft_searcher_run(searcher, &query, &error);
    }
    deft_searcher_free(searcher);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    assert_true(test_every_allocation_fails(search, &searching) > 3);
    test_searching_clear(&searching);
}

// --- Threads. ---

#define THREADS 4

static const char *const shared_queries[] = {"create an issue", "mesage to a channel", "/list_.*/",
                                             "code or pull requests"};

// One thread: how often it found something else than the first one did.
typedef struct seeker {
    const test_searching *searching;
    deft_hit              hits[array_size(shared_queries)]; // the first of each
    size_t                differences;
} seeker;

static bool run_shared(deft_searcher *searcher, size_t number, deft_hit *first)
{
    const deft_query query = {.text     = deft_view_of(shared_queries[number]),
                              .ranking  = DEFT_RANKING_HYBRID,
                              .hits_max = 3};
    size_t           count = 0;
    if (searcher == NULL || deft_searcher_run(searcher, &query, NULL) != DEFT_OK) {
        return false;
    }
    const deft_hit *hits = deft_searcher_hits(searcher, &count);
    *first               = count > 0 ? hits[0] : (deft_hit){{UINT32_MAX}, 0};
    return count > 0;
}

// Searches the shared index, and one that it has built itself.
static void *seek(void *context)
{
    seeker        *self     = context;
    deft_index    *index    = deft_index_new(self->searching->scene.catalog, NULL, NULL);
    deft_searcher *shared   = deft_searcher_new(self->searching->index, NULL, NULL);
    deft_searcher *searcher = index != NULL ? deft_searcher_new(index, NULL, NULL) : NULL;
    for (size_t i = 0; i < 50 * array_size(shared_queries); i++) {
        const size_t   number = i % array_size(shared_queries);
        const deft_hit first  = self->hits[number];
        deft_hit       hit;
        self->differences += !run_shared(i % 2 == 0 ? shared : searcher, number, &hit) ||
                             hit.tool.index != first.tool.index || hit.score != first.score;
    }
    deft_searcher_free(searcher);
    deft_searcher_free(shared);
    deft_index_free(index);
    return NULL;
}

static void threads_build_and_search_without_locks(void **state)
{
    (void)state;
    test_searching searching;
    pthread_t      threads[THREADS];
    seeker         seekers[THREADS];
    test_searching_init(&searching);
    seekers[0] = (seeker){.searching = &searching};
    for (size_t i = 0; i < array_size(shared_queries); i++) {
        assert_true(run_shared(searching.searcher, i, &seekers[0].hits[i]));
    }
    for (size_t i = 0; i < THREADS; i++) {
        seekers[i] = seekers[0];
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, seek, &seekers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(seekers[i].differences, 0);
    }
    test_searching_clear(&searching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ranking_is_built),
        cmocka_unit_test(a_query_that_is_too_long_is_refused),
        cmocka_unit_test(a_filter_holds_and_costs_no_places),
        cmocka_unit_test(fewer_hits_are_the_first_of_all),
        cmocka_unit_test(an_empty_catalog_has_no_hits),
        cmocka_unit_test(repetition_does_not_make_it_slow),
        cmocka_unit_test(allocations_fail_cleanly),
        cmocka_unit_test(threads_build_and_search_without_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
