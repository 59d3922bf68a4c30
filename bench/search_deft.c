// Ours, as a program uses it: an index for one ranking, and a searcher over it.
#include "bench/bench.h"
#include "bench/search_engine.h"
#include "core/index/build.h"
#include "deft/index.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct engine {
    deft_allocator allocator; // counts
    size_t         size;      // bytes held now
    size_t         size_held; // by the index
    deft_model    *model;
    deft_index    *index;
    deft_searcher *searcher;
} engine;

static void *count_resize(void *context, void *pointer, size_t old_size, size_t size)
{
    engine *e = context;
    if (size == 0) {
        e->size -= old_size;
        free(pointer);
        return NULL;
    }
    void *resized = realloc(pointer, size);
    if (resized != NULL) {
        e->size += size - (pointer != NULL ? old_size : 0);
    }
    return resized;
}

static void free_engine(void *pointer)
{
    engine *e = pointer;
    deft_searcher_free(e->searcher);
    deft_index_free(e->index);
    deft_model_free(e->model);
    free(e);
}

static void *build(const bench_corpus *corpus, deft_ranking ranking, bool has_model)
{
    deft_index_options options = {.rankings = DEFT_RANKING_BIT(ranking)};
    deft_error         error   = DEFT_ERROR_INIT;
    engine            *e       = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    if (has_model) {
        e->model      = deft_model_open(deft_model_builtin(), NULL, &error);
        options.model = e->model;
    }
    e->allocator = (deft_allocator){count_resize, e};
    e->index     = deft_index_new_with(corpus->catalog, &options, &e->allocator, &error);
    e->size_held = e->size;
    e->searcher  = e->index != NULL ? deft_searcher_new(e->index, &e->allocator, &error) : NULL;
    if (e->searcher == NULL) {
        (void)fprintf(stderr, "deft: %s\n", error.message);
        free_engine(e);
        return NULL;
    }
    return e;
}

static void *build_hybrid(const bench_corpus *corpus)
{
    return build(corpus, DEFT_RANKING_HYBRID, false);
}

static void *build_meaning(const bench_corpus *corpus)
{
    return build(corpus, DEFT_RANKING_HYBRID, true);
}

static void *build_bm25(const bench_corpus *corpus)
{
    return build(corpus, DEFT_RANKING_BM25, false);
}

static void *build_keyword(const bench_corpus *corpus)
{
    return build(corpus, DEFT_RANKING_KEYWORD, false);
}

static size_t size_of(void *pointer)
{
    const engine *e = pointer;
    return e->size_held;
}

static size_t search(engine *e, deft_ranking ranking, const char *query, size_t size,
                     uint32_t *tools)
{
    const deft_query asked = {
        .text     = deft_view_make(query, size),
        .ranking  = ranking,
        .hits_max = BENCH_HITS_MAX,
    };
    size_t count = 0;
    if (deft_searcher_run(e->searcher, &asked, NULL) != DEFT_OK) {
        return 0;
    }
    const deft_hit *hits = deft_searcher_hits(e->searcher, &count);
    for (size_t i = 0; i < count; i++) {
        tools[i] = hits[i].tool.index;
    }
    return count;
}

static size_t search_hybrid(void *pointer, const char *query, size_t size, uint32_t *tools)
{
    return search(pointer, DEFT_RANKING_HYBRID, query, size, tools);
}

static size_t search_bm25(void *pointer, const char *query, size_t size, uint32_t *tools)
{
    return search(pointer, DEFT_RANKING_BM25, query, size, tools);
}

static size_t search_keyword(void *pointer, const char *query, size_t size, uint32_t *tools)
{
    return search(pointer, DEFT_RANKING_KEYWORD, query, size, tools);
}

bench_engine bench_engine_deft(void)
{
    return (bench_engine){"deft hybrid", build_hybrid, size_of, search_hybrid, free_engine};
}

bench_engine bench_engine_deft_meaning(void)
{
    return (bench_engine){"deft meaning", build_meaning, size_of, search_hybrid, free_engine};
}

bench_engine bench_engine_deft_bm25(void)
{
    return (bench_engine){"deft bm25", build_bm25, size_of, search_bm25, free_engine};
}

bench_engine bench_engine_deft_keyword(void)
{
    return (bench_engine){"deft keyword", build_keyword, size_of, search_keyword, free_engine};
}

bool bench_deft_image(const bench_corpus *corpus, double *seconds, size_t *size)
{
    deft_analyzer *analyzer = deft_analyzer_new(deft_view_make(NULL, 0), NULL, NULL);
    bool           is_ok    = analyzer != NULL;
    for (int round = 0; is_ok && round < (corpus->tool_count <= 20000 ? 5 : 1); round++) {
        deft_buffer bytes;
        deft_buffer_init(&bytes, NULL);
        const double start = bench_seconds();
        is_ok = deft__index_build(corpus->catalog, analyzer, NULL, 1, &bytes, NULL) == DEFT_OK;
        const double took = bench_seconds() - start;
        if (round == 0 || took < *seconds) {
            *seconds = took;
        }
        *size = bytes.size;
        deft_buffer_clear(&bytes);
    }
    deft_analyzer_free(analyzer);
    return is_ok;
}
