// An index as bytes: saved, opened, refused; and indexes for some rankings and other languages.
// Proves parts of C9 and C11.
#include "core/index/index.h"

#include "deft/explain.h"
#include "support/allocator.h"
#include "support/guard.h"
#include "support/searching.h"
#include "support/test.h"

#include <stdlib.h>

// The hits of a query as text.
static void append_hits(deft_buffer *out, deft_searcher *searcher, deft_ranking ranking,
                        deft_view text)
{
    deft_error       error = DEFT_ERROR_INIT;
    size_t           count = 0;
    const deft_query query = {.text = text, .ranking = ranking, .hits_max = 10};
    assert_ok(deft_searcher_run(searcher, &query, &error), error);
    const deft_hit *hits = deft_searcher_hits(searcher, &count);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_u64(out, hits[i].tool.index);
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append(out, deft_view_make((const char *)&hits[i].score, sizeof(float)));
    }
    deft_buffer_append_byte(out, '\n');
}

static void assert_same_hits(deft_searcher *a, deft_searcher *b, test_random *random)
{
    for (size_t i = 0; i < 20; i++) {
        deft_buffer text;
        deft_buffer hits_a;
        deft_buffer hits_b;
        deft_buffer_init(&text, NULL);
        deft_buffer_init(&hits_a, NULL);
        deft_buffer_init(&hits_b, NULL);
        test_append_words(&text, random, 1 + test_random_below(random, 4));
        const deft_ranking ranking = (deft_ranking)test_random_below(random, 4);
        append_hits(&hits_a, a, ranking, deft_buffer_view(&text));
        append_hits(&hits_b, b, ranking, deft_buffer_view(&text));
        assert_true(deft_view_equal(deft_buffer_view(&hits_a), deft_buffer_view(&hits_b)));
        deft_buffer_clear(&hits_b);
        deft_buffer_clear(&hits_a);
        deft_buffer_clear(&text);
    }
}

static void what_is_opened_finds_what_was_saved(void **state)
{
    (void)state;
    test_random random = {5};
    for (size_t round = 0; round < 10; round++) {
        test_searching searching;
        deft_buffer    bytes;
        deft_buffer    again;
        deft_error     error = DEFT_ERROR_INIT;
        test_searching_init_random(&searching, &random, test_random_below(&random, 30));
        deft_buffer_init(&bytes, NULL);
        deft_buffer_init(&again, NULL);
        assert_int_equal(deft_index_save(searching.index, &bytes), DEFT_OK);
        deft_index *opened =
            deft_index_open(searching.scene.catalog, deft_buffer_view(&bytes), NULL, NULL, &error);
        assert_ok(error.status, error);
        assert_non_null(opened);
        assert_ptr_equal(opened->image.header, bytes.data); // used where it lies
        deft_searcher *searcher = deft_searcher_new(opened, NULL, &error);
        assert_non_null(searcher);
        assert_same_hits(searching.searcher, searcher, &random);
        assert_int_equal(deft_index_save(opened, &again), DEFT_OK);
        assert_true(deft_view_equal(deft_buffer_view(&bytes), deft_buffer_view(&again)));
        deft_searcher_free(searcher);
        deft_index_free(opened);
        deft_buffer_clear(&again);
        deft_buffer_clear(&bytes);
        test_searching_clear(&searching);
    }
}

static void bytes_may_lie_anywhere(void **state)
{
    (void)state;
    test_searching searching;
    deft_buffer    bytes;
    test_searching_init(&searching);
    deft_buffer_init(&bytes, NULL);
    for (size_t shift = 0; shift < 9; shift++) {
        deft_error error = DEFT_ERROR_INIT;
        deft_buffer_reset(&bytes);
        for (size_t i = 0; i < shift; i++) {
            deft_buffer_append_byte(&bytes, 'x');
        }
        assert_int_equal(deft_index_save(searching.index, &bytes), DEFT_OK);
        test_guard  guard;
        deft_view   image = deft_view_slice(deft_buffer_view(&bytes), shift, bytes.size);
        deft_view   copy  = test_guard_copy(&guard, image);
        deft_index *index = deft_index_open(searching.scene.catalog, copy, NULL, NULL, &error);
        assert_ok(error.status, error);
        deft_index_free(index);
        index = deft_index_open(searching.scene.catalog, image, NULL, NULL, &error);
        assert_ok(error.status, error);
        deft_index_free(index);
        test_guard_clear(&guard);
    }
    deft_buffer_clear(&bytes);
    test_searching_clear(&searching);
}

static void refuse(deft_catalog *catalog, deft_view bytes, const deft_index_options *options,
                   deft_status status, const char *message)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_null(deft_index_open(catalog, bytes, options, NULL, &error));
    assert_int_equal(error.status, status);
    if (strstr(error.message, message) == NULL) {
        print_error("%s\n", error.message);
        fail();
    }
}

// As if the bytes had been written like this.
static void seal(deft_buffer *bytes)
{
    deft__image_header *header = (void *)bytes->data;
    header->checksum           = deft__image_checksum(deft_buffer_view(bytes));
}

static void another_index_is_refused_with_the_remedy(void **state)
{
    (void)state;
    test_searching           searching;
    test_searching           other;
    test_random              random = {1};
    deft_buffer              bytes;
    const deft_index_options german = {.language = deft_view_of("german")};
    test_searching_init(&searching);
    test_searching_init_random(&other, &random, 8);
    deft_catalog *catalog = searching.scene.catalog;
    deft_buffer_init(&bytes, NULL);
    assert_int_equal(deft_index_save(searching.index, &bytes), DEFT_OK);
    const deft_view view = deft_buffer_view(&bytes);

    refuse(other.scene.catalog, view, NULL, DEFT_CONFLICT, "build it again with deft_index_new");
    refuse(catalog, view, &german, DEFT_CONFLICT, "for the language 'english', not for 'german'");
    refuse(catalog, deft_view_of("PK"), NULL, DEFT_INVALID, "not an index");
    refuse(catalog, deft_view_make(NULL, 0), NULL, DEFT_INVALID, "not an index");
    refuse(catalog, deft_view_slice(view, 0, view.size - 1), NULL, DEFT_INVALID, "build it again");

    deft__image_header *header = (void *)bytes.data;
    header->hash_seed++;
    refuse(catalog, view, NULL, DEFT_INVALID, "damaged");
    header->hash_seed--;
    header->language[0] = 'E';
    seal(&bytes);
    refuse(catalog, view, NULL, DEFT_NOT_FOUND, "no stemmer");
    memset(header->language, 'e', sizeof header->language);
    seal(&bytes);
    refuse(catalog, view, NULL, DEFT_INVALID, "damaged");
    deft_buffer_clear(&bytes);

    // The version of one catalog over the tools of another: forged.
    deft_buffer_init(&bytes, NULL);
    test_searching_clear(&other);
    test_searching_init_random(&other, &random, 5);
    assert_int_equal(deft_index_save(other.index, &bytes), DEFT_OK);
    header                  = (void *)bytes.data;
    header->catalog_version = deft_catalog_version(catalog);
    seal(&bytes);
    refuse(catalog, deft_buffer_view(&bytes), NULL, DEFT_INVALID, "damaged");
    deft_buffer_clear(&bytes);
    test_searching_clear(&other);
    test_searching_clear(&searching);
}

static size_t memory_of(deft_catalog *catalog, unsigned rankings)
{
    const deft_index_options options = {.rankings = rankings};
    test_allocator           allocator;
    test_allocator_init(&allocator);
    deft_index *index = deft_index_new_with(catalog, &options, &allocator.allocator, NULL);
    assert_non_null(index);
    const size_t bytes = allocator.bytes;
    deft_index_free(index);
    return bytes;
}

static void an_index_holds_what_its_rankings_need(void **state)
{
    (void)state;
    static const struct {
        const char  *name;
        unsigned     rankings;
        deft_ranking ranking;
        bool         is_there;
    } cases[] = {
        {"all are there by default", 0, DEFT_RANKING_BM25, true},
        {"hybrid is always there", DEFT_RANKING_BIT(DEFT_RANKING_KEYWORD), DEFT_RANKING_HYBRID,
         true},
        {"regex too", DEFT_RANKING_BIT(DEFT_RANKING_HYBRID), DEFT_RANKING_REGEX, true},
        {"bm25 is not", DEFT_RANKING_BIT(DEFT_RANKING_HYBRID), DEFT_RANKING_BM25, false},
        {"nor is keyword", DEFT_RANKING_BIT(DEFT_RANKING_BM25), DEFT_RANKING_KEYWORD, false},
        {"keyword where asked for", DEFT_RANKING_BIT(DEFT_RANKING_KEYWORD), DEFT_RANKING_KEYWORD,
         true},
        {"bm25 where asked for", DEFT_RANKING_BIT(DEFT_RANKING_BM25), DEFT_RANKING_BM25, true},
        {"no such ranking", 0, (deft_ranking)40, false},
    };
    test_searching searching;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const deft_index_options options = {.rankings = cases[i].rankings};
        const deft_query         query   = {
                      .text = deft_view_of("create_issue"), .ranking = cases[i].ranking, .hits_max = 1};
        deft_error     error = DEFT_ERROR_INIT;
        deft_index    *index = deft_index_new_with(searching.scene.catalog, &options, NULL, &error);
        deft_searcher *searcher = deft_searcher_new(index, NULL, &error);
        size_t         count    = 0;
        assert_ok(error.status, error);
        assert_int_equal(deft_searcher_run(searcher, &query, &error),
                         cases[i].is_there ? DEFT_OK : DEFT_INVALID);
        (void)deft_searcher_hits(searcher, &count);
        assert_int_equal(count, cases[i].is_there ? 1 : 0);
        deft_searcher_free(searcher);
        deft_index_free(index);
    }
    test_searching_clear(&searching);

    test_random random = {9};
    test_searching_init_random(&searching, &random, 400);
    const size_t all  = memory_of(searching.scene.catalog, 0);
    const size_t some = memory_of(searching.scene.catalog, DEFT_RANKING_BIT(DEFT_RANKING_HYBRID));
    print_message("  %zu bytes for all rankings, %zu for hybrid\n", all, some);
    assert_true(some < all / 3 * 2);
    test_searching_clear(&searching);
}

static size_t count_hits(deft_catalog *catalog, const char *language, const char *text)
{
    const deft_index_options options  = {.language = deft_view_of(language)};
    const deft_query         query    = {.text = deft_view_of(text), .hits_max = 9};
    deft_error               error    = DEFT_ERROR_INIT;
    deft_index              *index    = deft_index_new_with(catalog, &options, NULL, &error);
    deft_searcher           *searcher = deft_searcher_new(index, NULL, &error);
    size_t                   count    = 0;
    assert_ok(error.status, error);
    assert_ok(deft_searcher_run(searcher, &query, &error), error);
    (void)deft_searcher_hits(searcher, &count);
    deft_searcher_free(searcher);
    deft_index_free(index);
    return count;
}

static void a_language_knows_its_endings(void **state)
{
    (void)state;
    test_scene scene;
    deft_error error = DEFT_ERROR_INIT;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&scene, "s", DEFT_SERVER_MCP,
                        "[{\"name\":\"haus\",\"description\":\"Findet alle Häuser\","
                        "\"inputSchema\":{}},{\"name\":\"boot\",\"inputSchema\":{}}]");
    test_scene_measure(&scene);
    assert_int_equal(count_hits(scene.catalog, "german", "gefunden häusern"), 1);
    assert_int_equal(count_hits(scene.catalog, "none", "booten"), 0);
    const deft_index_options klingon = {.language = deft_view_of("klingon")};
    assert_null(deft_index_new_with(scene.catalog, &klingon, NULL, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    test_scene_clear(&scene);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    test_searching *searching = context;
    deft_error      error     = DEFT_ERROR_INIT;
    deft_buffer     bytes;
    deft_buffer_init(&bytes, allocator);
    deft_buffer_append_byte(&bytes, 'x'); // so that opening copies
    bool is_ok = deft_index_save(searching->index, &bytes) == DEFT_OK;
    if (is_ok) {
        deft_index *index = deft_index_open(
            searching->scene.catalog, deft_view_slice(deft_buffer_view(&bytes), 1, bytes.size),
            NULL, allocator, &error);
        assert_true(index != NULL || error.status == DEFT_OUT_OF_MEMORY);
        is_ok = index != NULL;
        deft_index_free(index);
    }
    deft_buffer_clear(&bytes);
    return is_ok;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    assert_true(test_every_allocation_fails(attempt, &searching) > 5);
    test_searching_clear(&searching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_opened_finds_what_was_saved),
        cmocka_unit_test(bytes_may_lie_anywhere),
        cmocka_unit_test(another_index_is_refused_with_the_remedy),
        cmocka_unit_test(an_index_holds_what_its_rankings_need),
        cmocka_unit_test(a_language_knows_its_endings),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
