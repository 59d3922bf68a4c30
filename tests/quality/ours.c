// deft's own rankings in the form of the baselines, through the public interface.
#include "deft/index.h"
#include "quality/baselines/baseline.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct our_state {
    deft_model    *model; // NULL: words alone
    deft_index    *index;
    deft_searcher *searcher;
} our_state;

static void *open_with(quality_corpus *corpus, bool has_model)
{
    deft_error error = DEFT_ERROR_INIT;
    our_state *self  = must_alloc(sizeof *self);
    self->model      = has_model && deft_model_builtin().size > 0
                           ? deft_model_open(deft_model_builtin(), NULL, &error)
                           : NULL;

    const deft_index_options options = {.model = self->model};
    self->index                      = deft_index_new_with(corpus->catalog, &options, NULL, &error);
    self->searcher = self->index != NULL ? deft_searcher_new(self->index, NULL, &error) : NULL;
    if (self->searcher == NULL) {
        fprintf(stderr, "deft: %s\n", error.message);
        exit(2);
    }
    return self;
}

static void *open(quality_corpus *corpus)
{
    return open_with(corpus, false);
}

static void *open_meaning(quality_corpus *corpus)
{
    return open_with(corpus, true);
}

static void close(void *state)
{
    our_state *self = state;
    deft_searcher_free(self->searcher);
    deft_index_free(self->index);
    deft_model_free(self->model);
    free(self);
}

static size_t rank(our_state *self, deft_ranking ranking, deft_view text, uint32_t *ranked,
                   size_t ranked_max)
{
    const deft_query query = {.text = text, .ranking = ranking, .hits_max = ranked_max};
    deft_error       error = DEFT_ERROR_INIT;
    size_t           count = 0;
    if (deft_searcher_run(self->searcher, &query, &error) != DEFT_OK) {
        fprintf(stderr, "deft: %s\n", error.message);
        exit(2);
    }
    const deft_hit *hits = deft_searcher_hits(self->searcher, &count);
    for (size_t i = 0; i < count; i++) {
        ranked[i] = hits[i].tool.index;
    }
    return count;
}

static size_t rank_keyword(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    return rank(state, DEFT_RANKING_KEYWORD, query, ranked, ranked_max);
}

static size_t rank_bm25(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    return rank(state, DEFT_RANKING_BM25, query, ranked, ranked_max);
}

static size_t rank_hybrid(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    return rank(state, DEFT_RANKING_HYBRID, query, ranked, ranked_max);
}

static const quality_baseline keyword = {"deft keyword", true, open, rank_keyword, close};
static const quality_baseline bm25    = {"deft bm25", true, open, rank_bm25, close};
static const quality_baseline words   = {"deft words", true, open, rank_hybrid, close};
static const quality_baseline hybrid  = {"deft hybrid", true, open_meaning, rank_hybrid, close};

const quality_baseline *const our_rankings[] = {&keyword, &bm25, &words, &hybrid, NULL};
