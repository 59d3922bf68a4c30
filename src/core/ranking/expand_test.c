// No query and no catalog make a score that does not fit its bits. Proves a part of C9 and C11.
#include "core/ranking/expand.h"

#include "core/index/index.h"
#include "core/ranking/score.h"
#include "support/scene.h"
#include "support/test.h"

// Words of three letters that are no words of any language, each of its own.
static void append_words(deft_buffer *out, size_t count, const char *after)
{
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_byte(out, 'q');
        deft_buffer_append_byte(out, (char)('b' + (int)(i / 8)));
        deft_buffer_append_byte(out, "xzvkwjgp"[i % 8]);
        deft_buffer_append_text(out, after);
    }
}

typedef struct world {
    test_scene     scene;
    deft_index    *index;
    deft__image    image; // the index's, with terms of our own
    deft__term    *terms;
    deft_analyzer *analyzer;
} world;

// One tool that has 64 words, and one that has one of them. All are as rare as in the largest
// catalog that an index takes.
static void world_init(world *w)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer json;
    deft_buffer_init(&json, NULL);
    deft_buffer_append_text(&json, "[{\"name\":\"all\",\"inputSchema\":{},\"description\":\"");
    append_words(&json, DEFT__QUERY_WORDS_MAX, " ");
    deft_buffer_append_text(&json, "\"},{\"name\":\"one\",\"inputSchema\":{},\"description\":\"");
    append_words(&json, 1, " ");
    deft_buffer_append_text(&json, "\"}]");
    deft_buffer_append_byte(&json, '\0');
    test_scene_init(&w->scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&w->scene, "s", DEFT_SERVER_MCP, json.data);
    test_scene_plan(&w->scene);
    deft_buffer_clear(&json);

    w->index = deft_index_new(w->scene.catalog, NULL, &error);
    assert_non_null(w->index);
    w->analyzer = deft_analyzer_new(deft_view_of("english"), NULL, &error);
    assert_non_null(w->analyzer);
    w->image = w->index->image;
    w->terms = test_malloc(w->image.term_count * sizeof *w->terms);
    memcpy(w->terms, w->image.terms, w->image.term_count * sizeof *w->terms);
    for (uint32_t i = 0; i < w->image.term_count; i++) {
        w->terms[i].idf = deft__idf(DEFT__PLACES_MAX, 0);
    }
    w->image.terms = w->terms;
}

static void world_clear(world *w)
{
    test_free(w->terms);
    deft_analyzer_free(w->analyzer);
    deft_index_free(w->index);
    test_scene_clear(&w->scene);
}

// Every word of the query, said so often.
static void expand(world *w, deft__expansion *e, size_t word_count, size_t repeats)
{
    deft_buffer query;
    deft_buffer_init(&query, NULL);
    for (size_t i = 0; i < repeats; i++) {
        append_words(&query, word_count, " ");
    }
    assert_true(query.size <= DEFT_QUERY_SIZE_MAX);
    assert_int_equal(
        deft__expand(e, &w->image, &w->index->synonyms, w->analyzer, deft_buffer_view(&query)),
        DEFT_OK);
    deft_buffer_clear(&query);
}

static uint64_t sum_of_weights(const deft__expansion *e)
{
    uint64_t total = 0;
    for (size_t i = 0; i < e->term_count; i++) {
        total += e->terms[i].weight;
    }
    return total;
}

static void the_weights_of_any_query_fit(void **state)
{
    (void)state;
    static deft__expansion once;
    static deft__expansion most;
    world                  w;
    world_init(&w);
    expand(&w, &once, DEFT__QUERY_WORDS_MAX, 1);
    expand(&w, &most, DEFT__QUERY_WORDS_MAX, 4);
    assert_int_equal(once.term_count, DEFT__QUERY_WORDS_MAX);
    assert_int_equal(most.term_count, DEFT__QUERY_WORDS_MAX);

    // Said once they fit as they are; said four times each would count twice, and does not quite.
    assert_true(sum_of_weights(&once) < DEFT__SCORE_MASK);
    assert_true(2 * sum_of_weights(&once) > DEFT__SCORE_MASK);
    assert_true(sum_of_weights(&most) <= DEFT__SCORE_MASK);
    assert_true(sum_of_weights(&most) > DEFT__SCORE_MASK - DEFT__QUERY_WORDS_MAX);
    for (size_t i = 1; i < most.term_count; i++) {
        assert_int_equal(most.terms[i].weight, most.terms[0].weight);
    }
    world_clear(&w);
}

// The tool with all words comes first, and its coverage is not what a score ran over into.
static void a_score_leaves_coverage_alone(void **state)
{
    (void)state;
    static deft__expansion e;
    static deft__scorer    scorer;
    world                  w;
    uint64_t               keys[4];
    deft__best             best = {.keys = keys, .max = 4};
    world_init(&w);
    expand(&w, &e, DEFT__QUERY_WORDS_MAX, 4);
    assert_int_equal(deft__scorer_init(&scorer, &w.image, NULL), DEFT_OK);
    deft__scorer_run(&scorer, &e, &best);
    deft__scorer_clear(&scorer);

    assert_int_equal(best.count, 2);
    const uint64_t first = keys[0] > keys[1] ? keys[0] : keys[1];
    const uint32_t all   = test_scene_tool(&w.scene, "s::all").index;
    uint64_t       score = 0;
    uint64_t       parts = 0;
    for (size_t i = 0; i < e.term_count; i++) {
        score += e.terms[i].weight * deft__image_impact(&w.image, e.terms[i].term, all) >> 8;
        parts += deft__coverage_of(&e, &e.terms[i]);
    }
    assert_int_equal(deft__best_tool(first), all);
    assert_int_equal(deft__best_score(first), score);
    assert_int_equal(deft__best_coverage(first), parts);
    assert_true(parts <= DEFT__COVERAGE_FULL &&
                parts > DEFT__COVERAGE_FULL - DEFT__QUERY_WORDS_MAX);
    world_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weights_of_any_query_fit),
        cmocka_unit_test(a_score_leaves_coverage_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
