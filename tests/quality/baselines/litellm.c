// LiteLLM's search tool: how many words of the query are substrings of name and description.
#include "quality/baselines/baseline.h"
#include "quality/baselines/counting.h"

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    quality_counting *counting = state;
    double           *scores   = corpus_scores(counting->corpus);
    words_reset(&counting->words);
    words_between(&counting->words, query, WHITE_SPACE);
    for (size_t i = 0; i < counting->words.count; i++) {
        const quality_occurrences *found =
            corpus_find(counting->corpus, words_at(&counting->words, i));
        for (size_t j = 0; j < found->count; j++) {
            scores[found->items[j].tool] +=
                (found->items[j].places & (IN_NAME | IN_DESCRIPTION)) != 0 ? 1 : 0;
        }
    }
    return corpus_top(counting->corpus, NULL, 0, ranked, ranked_max);
}

const quality_baseline baseline_litellm = {"LiteLLM", false, counting_open, rank, counting_close};
