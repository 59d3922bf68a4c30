// PizzaPi: for each word of the query longer than a character 10 points when it is the name, 5 when
// the name has it, 3 when the description has it, 1 when a parameter's name has it; 8 and 4 when
// name and description have the whole query.
#include "quality/baselines/baseline.h"
#include "quality/baselines/counting.h"

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    quality_counting *counting = state;
    double           *scores   = corpus_scores(counting->corpus);
    words_reset(&counting->words);
    words_between(&counting->words, query, WHITE_SPACE "_-:.,;/\\|");
    for (size_t i = 0; i < counting->words.count; i++) {
        const deft_view word = words_at(&counting->words, i);
        if (word.size <= 1) {
            continue;
        }
        const quality_occurrences *found = corpus_find(counting->corpus, word);
        for (size_t j = 0; j < found->count; j++) {
            const uint32_t places = found->items[j].places;
            const double   name   = (places & IS_NAME) != 0 ? 10 : (places & IN_NAME) != 0 ? 5 : 0;
            scores[found->items[j].tool] += name + ((places & IN_DESCRIPTION) != 0 ? 3 : 0) +
                                            ((places & IN_PARAMETERS) != 0 ? 1 : 0);
        }
    }
    deft_buffer_reset(&counting->scratch);
    lower(&counting->scratch, query);
    const quality_occurrences *found =
        corpus_find(counting->corpus, deft_buffer_view(&counting->scratch));
    for (size_t j = 0; j < found->count && query.size > 0; j++) {
        scores[found->items[j].tool] += ((found->items[j].places & IN_NAME) != 0 ? 8 : 0) +
                                        ((found->items[j].places & IN_DESCRIPTION) != 0 ? 4 : 0);
    }
    return corpus_top(counting->corpus, NULL, 0, ranked, ranked_max);
}

const quality_baseline baseline_pizzapi = {"PizzaPi", false, counting_open, rank, counting_close};
