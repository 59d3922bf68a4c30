// deft's own rankings in the form of the baselines.
#include "core/index/build.h"
#include "core/ranking/hybrid.h"
#include "quality/baselines/baseline.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct our_state {
    deft_analyzer *analyzer;
    deft_buffer    bytes;
    deft__image    image;
    deft__arena    arena;
    deft__synonyms synonyms;
    deft__hybrid   hybrid;
} our_state;

static void check(deft_status status, const deft_error *error)
{
    if (status != DEFT_OK) {
        fprintf(stderr, "deft: %s\n", error->message);
        exit(2);
    }
}

static void *open(quality_corpus *corpus)
{
    deft_error error = DEFT_ERROR_INIT;
    our_state *self  = must_alloc(sizeof *self);
    self->analyzer   = must(deft_analyzer_new(deft_view_of(""), NULL, &error));
    deft_buffer_init(&self->bytes, NULL);
    deft__arena_init(&self->arena, NULL);
    check(deft__index_build(corpus->catalog, self->analyzer, 1, &self->bytes, &error), &error);
    check(deft__image_open(&self->image, deft_buffer_view(&self->bytes), &error), &error);
    check(deft__synonyms_init(&self->synonyms, &self->image, self->analyzer, &self->arena), &error);
    check(deft__hybrid_init(&self->hybrid, &self->image, &self->synonyms, NULL, &error), &error);
    return self;
}

static void close(void *state)
{
    our_state *self = state;
    deft__hybrid_clear(&self->hybrid);
    deft__synonyms_clear(&self->synonyms);
    deft__arena_clear(&self->arena);
    deft_buffer_clear(&self->bytes);
    deft_analyzer_free(self->analyzer);
    free(self);
}

static size_t rank_hybrid(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    const deft_error error = DEFT_ERROR_INIT;
    our_state       *self  = state;
    size_t           count = 0;
    check(deft__hybrid_run(&self->hybrid, query, DEFT__CANDIDATES_MAX, NULL, NULL), &error);
    for (; count < self->hybrid.candidate_count && count < ranked_max; count++) {
        ranked[count] = self->hybrid.candidates[count].tool;
    }
    return count;
}

static const quality_baseline hybrid = {"deft hybrid", true, open, rank_hybrid, close};

const quality_baseline *const our_rankings[] = {&hybrid, NULL};
