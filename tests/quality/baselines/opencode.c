// opencode: words of the query, cut where the case changes, each also without a final s or es; 20
// points when the path (server.tool) is it or ends in it, 8 when the path has it, 4 the description,
// 2 anything, the parameters' texts too. A query that is a path gives that tool alone. Equal scores
// go by path.
#include "quality/baselines/baseline.h"
#include "quality/baselines/counting.h"

#include <stdlib.h>

typedef struct opencode_state {
    quality_counting counting;
    uint32_t        *places;  // of one word in each tool
    uint32_t        *touched; // tools that have it
    size_t           touched_count;
} opencode_state;

static void *open(quality_corpus *corpus)
{
    opencode_state *self  = must_alloc(sizeof *self);
    self->counting.corpus = corpus;
    words_init(&self->counting.words);
    self->places  = must_alloc(corpus->count * sizeof *self->places);
    self->touched = must_alloc(corpus->count * sizeof *self->touched);
    return self;
}

static void close(void *state)
{
    opencode_state *self = state;
    words_clear(&self->counting.words);
    free(self->places);
    free(self->touched);
    free(self);
}

static void collect(opencode_state *self, deft_view word)
{
    const quality_occurrences *found = corpus_find(self->counting.corpus, word);
    for (size_t j = 0; j < found->count; j++) {
        const uint32_t tool = found->items[j].tool;
        if (self->places[tool] == 0) {
            self->touched[self->touched_count++] = tool;
        }
        self->places[tool] |= found->items[j].places;
    }
}

static bool ends_with(deft_view word, const char *ending)
{
    const size_t size = strlen(ending);
    return word.size > size && memcmp(word.data + word.size - size, ending, size) == 0;
}

// Adds the points of the word that was collected, and forgets it.
static void settle(opencode_state *self, double *scores)
{
    for (size_t j = 0; j < self->touched_count; j++) {
        const uint32_t tool   = self->touched[j];
        const uint32_t places = self->places[tool];
        scores[tool] += ((places & ENDS_PATH) != 0 ? 20 : 0) + ((places & IN_PATH) != 0 ? 8 : 0) +
                        ((places & IN_DESCRIPTION) != 0 ? 4 : 0) + ((places & IN_ALL) != 0 ? 2 : 0);
        self->places[tool] = 0;
    }
    self->touched_count = 0;
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    opencode_state *self   = state;
    quality_corpus *corpus = self->counting.corpus;
    quality_words  *words  = &self->counting.words;
    double         *scores = corpus_scores(corpus);
    for (uint32_t i = 0; i < corpus->count && ranked_max > 0; i++) {
        if (deft_view_equal(corpus->tools[i].path, query)) {
            ranked[0] = i;
            return 1;
        }
    }
    words_reset(words);
    words_identifiers(words, query);
    for (size_t i = 0; i < words->count; i++) {
        const deft_view word = words_at(words, i);
        collect(self, word);
        if (ends_with(word, "es")) {
            collect(self, deft_view_slice(word, 0, word.size - 2));
        }
        if (ends_with(word, "s")) {
            collect(self, deft_view_slice(word, 0, word.size - 1));
        }
        settle(self, scores);
    }
    return corpus_top(corpus, corpus->by_path, 0, ranked, ranked_max);
}

const quality_baseline baseline_opencode = {"opencode", false, open, rank, close};
