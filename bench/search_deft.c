// Ours: the default ranking over an image in memory.
#include "bench/search_engine.h"
#include "core/index/build.h"
#include "core/ranking/hybrid.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct index {
    deft_buffer    bytes;
    deft__image    image;
    deft__arena    arena;
    deft_analyzer *analyzer;
    deft__synonyms synonyms;
    deft__hybrid   hybrid;
} index;

static void free_index(void *pointer)
{
    index *i = pointer;
    deft__hybrid_clear(&i->hybrid);
    deft__synonyms_clear(&i->synonyms);
    deft__arena_clear(&i->arena);
    deft_analyzer_free(i->analyzer);
    deft_buffer_clear(&i->bytes);
    free(i);
}

static void *build(const bench_corpus *corpus)
{
    deft_error error = DEFT_ERROR_INIT;
    index     *i     = calloc(1, sizeof *i);
    if (i == NULL) {
        return NULL;
    }
    deft_buffer_init(&i->bytes, NULL);
    deft__arena_init(&i->arena, NULL);
    i->analyzer = deft_analyzer_new(deft_view_make(NULL, 0), NULL, &error);
    if (i->analyzer == NULL ||
        deft__index_build(corpus->catalog, i->analyzer, 1, &i->bytes, &error) != DEFT_OK ||
        deft__image_open(&i->image, deft_buffer_view(&i->bytes), &error) != DEFT_OK ||
        deft__synonyms_init(&i->synonyms, &i->image, i->analyzer, &i->arena) != DEFT_OK ||
        deft__hybrid_init(&i->hybrid, &i->image, &i->synonyms, NULL, &error) != DEFT_OK) {
        (void)fprintf(stderr, "deft: %s\n", error.message);
        free_index(i);
        return NULL;
    }
    return i;
}

static size_t size(void *pointer)
{
    const index *i = pointer;
    return i->bytes.size;
}

static size_t search(void *pointer, const char *query, size_t query_size, uint32_t *tools)
{
    index *i = pointer;
    if (deft__hybrid_run(&i->hybrid, deft_view_make(query, query_size), BENCH_HITS_MAX, NULL,
                         NULL) != DEFT_OK) {
        return 0;
    }
    size_t count = 0;
    for (; count < BENCH_HITS_MAX && count < i->hybrid.candidate_count; count++) {
        tools[count] = i->hybrid.candidates[count].tool;
    }
    return count;
}

bench_engine bench_engine_deft(void)
{
    return (bench_engine){"deft hybrid", build, size, search, free_index};
}
