// What is found by meaning: golden likenesses, tools that share no word with a query, filters, many
// tools, saving, and accounts that add up. Proves parts of C9 and C10.
#include "core/ranking/searcher.h"

#include "support/allocator.h"
#include "support/catalog.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

static const char tools[] =
    "[{\"name\":\"create_issue\",\"server\":\"tracker\",\"description\":\"Create a new issue in a "
    "repository.\"},"
    "{\"name\":\"get_forecast\",\"server\":\"weather\",\"description\":\"Weather forecast for a "
    "place for the next days.\"},"
    "{\"name\":\"send_message\",\"server\":\"chat\",\"description\":\"Post a message to a "
    "channel.\"},"
    "{\"name\":\"delete_file\",\"server\":\"files\",\"description\":\"Remove a file from disk.\"},"
    "{\"name\":\"create_refund\",\"server\":\"payments\",\"description\":\"Refund a payment to the "
    "customer.\"},"
    "{\"name\":\"list_events\",\"server\":\"calendar\",\"description\":\"List the events of a "
    "calendar between two dates.\"}]";

typedef struct world {
    deft_model    *model;
    deft_catalog  *catalog;
    deft_index    *index;
    deft_searcher *searcher;
} world;

static bool open_world(world *w, const char *text, const deft_allocator *allocator)
{
    deft_error error = DEFT_ERROR_INIT;
    if (deft_model_builtin().size == 0) {
        skip(); // built without
    }
    w->model = deft_model_open(deft_model_builtin(), NULL, &error);
    assert_ok(error.status, error);
    w->catalog                       = test_catalog_of(NULL, text);
    const deft_index_options options = {.model = w->model};
    w->index                         = deft_index_new_with(w->catalog, &options, allocator, &error);
    w->searcher = w->index != NULL ? deft_searcher_new(w->index, allocator, &error) : NULL;
    return w->searcher != NULL;
}

static void close_world(world *w)
{
    deft_searcher_free(w->searcher);
    deft_index_free(w->index);
    deft_catalog_release(w->catalog);
    deft_model_free(w->model);
}

// The name of the best hit; "" for none.
static deft_view best_of(world *w, const char *text, const deft_tool_filter *filter)
{
    deft_error       error = DEFT_ERROR_INIT;
    size_t           count = 0;
    const deft_query query = {.text     = deft_view_of(text),
                              .ranking  = DEFT_RANKING_HYBRID,
                              .hits_max = 5,
                              .filter   = filter};
    assert_ok(deft_searcher_run(w->searcher, &query, &error), error);
    const deft_hit *hits = deft_searcher_hits(w->searcher, &count);
    return count > 0 ? deft_catalog_tool(w->catalog, hits[0].tool)->name : deft_view_of("");
}

static void assert_best(world *w, const char *text, const char *name)
{
    const deft_view best = best_of(w, text, NULL);
    if (!deft_view_equals(best, name)) {
        fail_msg("'%s' finds '%.*s', not '%s'", text, (int)best.size, best.data, name);
    }
}

// From the training program, before rows were rounded to bytes: cosines to the tools in their order,
// in 1/1024.
static const struct {
    const char *query;
    int32_t     likenesses[6];
} golden[] = {
    {"open a ticket", {461, 23, 7, -40, 81, 135}},
    {"how cold will it be tonight", {-55, 668, 0, -88, -80, 44}},
    {"tell the team in the chat", {60, 52, 715, -31, -16, 42}},
    {"erase a document", {-41, -123, -77, 653, 68, -109}},
    {"give the customer his money back", {53, -122, 31, 26, 728, -151}},
    {"when am I free this afternoon", {-5, 195, -71, -74, -78, 434}},
    {"crear una incidencia", {678, -44, 59, 88, 187, -65}},
    {"GitHub pull request", {209, 53, -7, -13, -39, 7}},
};

static void likenesses_are_those_of_the_training(void **state)
{
    (void)state;
    world w;
    assert_true(open_world(&w, tools, NULL));
    for (size_t i = 0; i < array_size(golden); i++) {
        case_name(golden[i].query);
        (void)best_of(&w, golden[i].query, NULL);
        for (uint32_t tool = 0; tool < 6; tool++) {
            const deft__likeness found = deft__meaning_of(&w.searcher->hybrid.meaning, tool);
            assert_in_range(found.whole - golden[i].likenesses[tool] + 16, 0, 32);
        }
    }
    close_world(&w);
}

static void tools_without_a_common_word_are_found(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"open a ticket", "create_issue"},
        {"how cold will it be tonight", "get_forecast"},
        {"give the customer his money back", "create_refund"},
        {"erase a document", "delete_file"},
        {"crear una incidencia", "create_issue"},
        {"list_events", "list_events"},
        {"when am I free this afternoon", "list_events"},
        {"grandmother bakes the very best plum cake", ""},
        {"asdf jkl qwertz uiop", ""},
        {"7 8 9", ""},
    };
    world w;
    assert_true(open_world(&w, tools, NULL));
    for (size_t i = 0; i < array_size(cases); i++) {
        assert_best(&w, cases[i][0], cases[i][1]);
    }
    close_world(&w);
}

static bool is_not_first(void *context, deft_tool_id tool)
{
    (void)context;
    return tool.index != 0;
}

static void what_a_filter_hides_is_not_found_by_meaning(void **state)
{
    (void)state;
    const deft_tool_filter filter = {.is_shown = is_not_first};
    world                  w;
    assert_true(open_world(&w, tools, NULL));
    assert_false(deft_view_equals(best_of(&w, "open a ticket", &filter), "create_issue"));
    assert_false(deft_view_equals(best_of(&w, "open a ticket server:chat", NULL), "create_issue"));
    assert_false(deft_view_equals(best_of(&w, "open a ticket -repository", NULL), "create_issue"));
    close_world(&w);
}

static bool is_of_a_few(void *context, deft_tool_id tool)
{
    (void)context;
    return tool.index < 40;
}

// Six tools that mean something among thousands that mean something else.
static void append_many(deft_buffer *text, size_t count)
{
    static const char *const things[] = {"lamp", "garden", "bicycle", "violin", "bread", "river"};
    deft_buffer_append(text, deft_view_slice(deft_view_of(tools), 0, sizeof tools - 2));
    for (size_t i = 0; i < count; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 ",{\"name\":\"paint_%s_%zu\",\"server\":\"s%zu\",\"description\":\"Paint the %s "
                 "number %zu.\"}",
                 things[i % 6], i, i % 97, things[i % 5], i);
        deft_buffer_append_text(text, line);
    }
    deft_buffer_append(text, deft_view_make("]", 2));
}

static void among_many_tools_the_same_are_found(void **state)
{
    (void)state;
    deft_buffer text;
    world       w;
    deft_buffer_init(&text, NULL);
    append_many(&text, 5000);
    if (!open_world(&w, text.data, NULL)) {
        fail_msg("no memory");
        return;
    }
    assert_non_null(w.searcher->hybrid.meaning.distances);
    assert_best(&w, "open a ticket", "create_issue");
    assert_best(&w, "how cold will it be tonight", "get_forecast");
    // A filter that lets most in leaves most to signs; one that lets few in has all of these compared.
    const deft_tool_filter all  = {.is_shown = NULL};
    const deft_tool_filter most = {.is_shown = is_not_first};
    const deft_tool_filter few  = {.is_shown = is_of_a_few};
    assert_true(deft_view_equals(best_of(&w, "erase a document", &all), "delete_file"));
    assert_true(deft_view_equals(best_of(&w, "erase a document", &most), "delete_file"));
    assert_true(deft_view_equals(best_of(&w, "erase a document", &few), "delete_file"));
    assert_false(deft_view_equals(best_of(&w, "open a ticket", &most), "create_issue"));
    close_world(&w);
    deft_buffer_clear(&text);
}

static bool is_not_hidden(void *context, uint32_t tool)
{
    const bool *is_hidden = context;
    return !is_hidden[tool];
}

static int64_t nearness_of(const deft__meaning *meaning, uint32_t tool)
{
    const deft__image *image = meaning->image;
    const int8_t      *own   = image->vectors + (size_t)tool * image->dimensions;
    return (int64_t)deft__dot_plain(meaning->whole.numbers, own, image->dimensions) * 4096 /
           image->lengths[tool];
}

// No tool that is allowed is nearer than one that is found.
static void assert_nearest(deft__meaning *meaning, const bool *is_hidden)
{
    uint32_t     found[DEFT__MEANT_MAX];
    const size_t count =
        deft__meaning_find(meaning, found, is_not_hidden, (void *)(uintptr_t)is_hidden);
    int64_t worst = INT64_MAX;
    size_t  above = 0;
    assert_int_equal(count, DEFT__MEANT_MAX);
    for (size_t i = 0; i < count; i++) {
        const int64_t nearness = nearness_of(meaning, found[i]);
        assert_false(is_hidden[found[i]]);
        worst = nearness < worst ? nearness : worst;
    }
    for (uint32_t tool = 0; tool < meaning->image->tool_count; tool++) {
        above += !is_hidden[tool] && nearness_of(meaning, tool) > worst;
    }
    assert_true(above < count);
}

static void what_is_hidden_leaves_its_place_to_the_next_nearest(void **state)
{
    (void)state;
    static const int64_t percents[] = {0, 50, 90, 98,
                                       100}; // of the largest: nearer ones are hidden
    static bool          is_hidden[3006];
    deft_buffer          text;
    world                w;
    deft_buffer_init(&text, NULL);
    append_many(&text, 3000);
    if (!open_world(&w, text.data, NULL)) {
        fail_msg("no memory");
        return;
    }
    (void)best_of(&w, "plant a tree in the garden", NULL);
    deft__meaning *meaning = &w.searcher->hybrid.meaning;
    assert_null(meaning->distances); // all are compared
    int64_t largest = 0;
    for (uint32_t tool = 0; tool < array_size(is_hidden); tool++) {
        largest = nearness_of(meaning, tool) > largest ? nearness_of(meaning, tool) : largest;
    }
    for (size_t i = 0; i < array_size(percents); i++) {
        for (uint32_t tool = 0; tool < array_size(is_hidden); tool++) {
            const bool is_near = nearness_of(meaning, tool) * 100 > largest * percents[i];
            is_hidden[tool]    = is_near && tool % 16 != 0;
        }
        assert_nearest(meaning, is_hidden);
    }
    close_world(&w);
    deft_buffer_clear(&text);
}

static void a_long_query_is_read_in_windows(void **state)
{
    (void)state;
    world w;
    if (!open_world(&w, tools, NULL)) {
        fail_msg("no memory");
        return;
    }
    const char *query =
        "the quarterly numbers are done and everyone was happy about them but before "
        "the weekend somebody should give the customer his money back please";
    (void)best_of(&w, query, NULL);
    const deft__meaning *meaning = &w.searcher->hybrid.meaning;
    assert_true(meaning->window_count > 3);
    const deft__likeness refund = deft__meaning_of(&w.searcher->hybrid.meaning, 4);
    assert_true(refund.window > refund.whole + 100);
    assert_best(&w, query, "create_refund");

    deft_buffer words; // more than are read
    deft_buffer_init(&words, NULL);
    for (size_t i = 0; i < 400; i++) {
        deft_buffer_append_text(&words, i % 2 == 0 ? "weather " : "GitHub ");
    }
    deft_buffer_append(&words, deft_view_make("", 1));
    (void)best_of(&w, words.data, NULL);
    assert_true(meaning->window_count <= DEFT__WINDOWS_MAX);
    deft_buffer_clear(&words);
    close_world(&w);
}

static void accounts_add_up(void **state)
{
    (void)state;
    static const char *const queries[] = {"open a ticket", "create an issue for the weather team",
                                          "post to a channel", "how cold will it be tonight"};
    world                    w;
    assert_true(open_world(&w, tools, NULL));
    for (size_t i = 0; i < array_size(queries); i++) {
        case_name(queries[i]);
        const deft_query query = {
            .text = deft_view_of(queries[i]), .ranking = DEFT_RANKING_HYBRID, .hits_max = 5};
        deft_error        error = DEFT_ERROR_INIT;
        size_t            count = 0;
        deft_explanation *explanation =
            deft_explanation_new(w.searcher, &query, NULL, NULL, &error);
        assert_ok(error.status, error);
        const deft_account *accounts = deft_explanation_accounts(explanation, &count);
        assert_true(count > 0);
        for (size_t k = 0; k < count; k++) {
            const double sum = accounts[k].words + accounts[k].coverage_lift +
                               accounts[k].name_lift + accounts[k].meaning + accounts[k].use_lift;
            assert_true(fabs(sum - accounts[k].score) < 0.01);
            assert_true(accounts[k].meaning >= 0);
        }
        deft_buffer text;
        deft_buffer_init(&text, NULL);
        assert_int_equal(deft_explanation_write(explanation, &text), DEFT_OK);
        assert_int_equal(deft_explanation_write_json(explanation, &text), DEFT_OK);
        deft_buffer_append(&text, deft_view_make("", 1));
        assert_non_null(strstr(text.data, "for what it means"));
        assert_non_null(strstr(text.data, "\"meaning\":{\"likeness\":"));
        deft_buffer_clear(&text);
        deft_explanation_free(explanation);
    }
    close_world(&w);
}

static void an_index_is_opened_with_its_model_only(void **state)
{
    (void)state;
    world       w;
    deft_buffer bytes;
    deft_buffer plain;
    deft_error  error = DEFT_ERROR_INIT;
    assert_true(open_world(&w, tools, NULL));
    deft_buffer_init(&bytes, NULL);
    deft_buffer_init(&plain, NULL);
    assert_int_equal(deft_index_save(w.index, &bytes), DEFT_OK);
    const deft_index_options with = {.model = w.model};
    deft_index *opened = deft_index_open(w.catalog, deft_buffer_view(&bytes), &with, NULL, &error);
    assert_non_null(opened);
    deft_searcher *mine = w.searcher;
    w.searcher          = deft_searcher_new(opened, NULL, &error);
    assert_best(&w, "open a ticket", "create_issue");
    deft_searcher_free(w.searcher);
    w.searcher = mine;
    deft_index_free(opened);

    // Without a model the vectors are of no use, and do no harm.
    opened = deft_index_open(w.catalog, deft_buffer_view(&bytes), NULL, NULL, &error);
    assert_non_null(opened);
    assert_null(opened->model);
    deft_index_free(opened);

    deft_index *words = deft_index_new(w.catalog, NULL, &error);
    assert_int_equal(deft_index_save(words, &plain), DEFT_OK);
    assert_null(deft_index_open(w.catalog, deft_buffer_view(&plain), &with, NULL, &error));
    assert_int_equal(error.status, DEFT_CONFLICT);
    deft_index_free(words);

    // Rows are English.
    const deft_index_options german = {.model = w.model, .language = deft_view_of("german")};
    words                           = deft_index_new_with(w.catalog, &german, NULL, &error);
    assert_non_null(words);
    assert_null(words->model);
    deft_index_free(words);
    deft_buffer_clear(&plain);
    deft_buffer_clear(&bytes);
    close_world(&w);
}

static bool search_once(const deft_allocator *allocator, void *context)
{
    (void)context;
    world w     = {NULL, NULL, NULL, NULL};
    bool  is_ok = open_world(&w, tools, allocator);
    if (is_ok) {
        const deft_query query = {
            .text = deft_view_of("open a ticket"), .ranking = DEFT_RANKING_HYBRID, .hits_max = 5};
        is_ok = deft_searcher_run(w.searcher, &query, NULL) == DEFT_OK;
    }
    close_world(&w);
    return is_ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(search_once, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(likenesses_are_those_of_the_training),
        cmocka_unit_test(tools_without_a_common_word_are_found),
        cmocka_unit_test(what_a_filter_hides_is_not_found_by_meaning),
        cmocka_unit_test(among_many_tools_the_same_are_found),
        cmocka_unit_test(what_is_hidden_leaves_its_place_to_the_next_nearest),
        cmocka_unit_test(a_long_query_is_read_in_windows),
        cmocka_unit_test(accounts_add_up),
        cmocka_unit_test(an_index_is_opened_with_its_model_only),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
