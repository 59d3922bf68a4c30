// opencode: words of the query, cut where the case changes, each also without a final s or es; 20
// points when the path (server.tool) is it or ends in it, 8 when the path has it, 4 the description,
// 2 anything, the parameters' texts too. A query that is a path gives that tool alone. Equal scores
// go by path.
#include "quality/baselines/baseline.h"
#include "quality/baselines/counting.h"

#include <stdlib.h>

static void collect(quality_counting *counting, deft_view word, uint32_t *places)
{
    if (word.size == 0) {
        return;
    }
    const quality_occurrences *found = corpus_find(counting->corpus, word);
    for (size_t j = 0; j < found->count; j++) {
        places[found->items[j].tool] |= found->items[j].places;
    }
}

static bool ends_with(deft_view word, const char *ending)
{
    const size_t size = strlen(ending);
    return word.size > size && memcmp(word.data + word.size - size, ending, size) == 0;
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    quality_counting *counting = state;
    quality_corpus   *corpus   = counting->corpus;
    double           *scores   = corpus_scores(corpus);
    uint32_t         *places   = must_alloc(corpus->count * sizeof *places);
    for (uint32_t i = 0; i < corpus->count && ranked_max > 0; i++) {
        if (deft_view_equal(corpus->tools[i].path, query)) {
            ranked[0] = i;
            free(places);
            return 1;
        }
    }
    words_reset(&counting->words);
    words_identifiers(&counting->words, query);
    for (size_t i = 0; i < counting->words.count; i++) {
        const deft_view word = words_at(&counting->words, i);
        memset(places, 0, corpus->count * sizeof *places);
        collect(counting, word, places);
        if (ends_with(word, "es")) {
            collect(counting, deft_view_slice(word, 0, word.size - 2), places);
        }
        if (ends_with(word, "s")) {
            collect(counting, deft_view_slice(word, 0, word.size - 1), places);
        }
        for (size_t j = 0; j < corpus->count; j++) {
            scores[j] +=
                ((places[j] & ENDS_PATH) != 0 ? 20 : 0) + ((places[j] & IN_PATH) != 0 ? 8 : 0) +
                ((places[j] & IN_DESCRIPTION) != 0 ? 4 : 0) + ((places[j] & IN_ALL) != 0 ? 2 : 0);
        }
    }
    free(places);
    return corpus_top(corpus, corpus->by_path, 0, ranked, ranked_max);
}

const quality_baseline baseline_opencode = {"opencode", false, counting_open, rank, counting_close};
