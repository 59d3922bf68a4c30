// PraisonAI: BM25 (k1 1.5, b 0.75) over name and description, cut at anything but letters, digits
// and underscores; a word in more than half of the tools counts against them. Where that finds
// nothing, or the query has fewer than three characters: tools that have the whole query as a
// substring.
#include "quality/baselines/baseline.h"
#include "quality/baselines/flat.h"

static void read(quality_flat *flat, const corpus_tool *tool)
{
    words_ascii_underscore(&flat->words, tool->tool->name);
    words_ascii_underscore(&flat->words, tool->tool->description);
}

static void *open(quality_corpus *corpus)
{
    return flat_new(corpus, NULL, read);
}

static size_t rank_substring(quality_flat *flat, deft_view query, uint32_t *ranked,
                             size_t ranked_max)
{
    size_t count = 0;
    deft_buffer_reset(&flat->scratch);
    lower(&flat->scratch, query);
    const quality_occurrences *found = corpus_find(flat->corpus, deft_buffer_view(&flat->scratch));
    for (size_t i = 0; i < found->count && count < ranked_max; i++) {
        if ((found->items[i].places & (IN_NAME | IN_DESCRIPTION)) != 0) {
            ranked[count++] = found->items[i].tool;
        }
    }
    return count;
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    static const quality_okapi okapi = {1.5, 0.75, IDF_SIGNED};
    quality_flat              *flat  = state;
    size_t                     count = 0;
    if (query.size >= 3) {
        words_reset(&flat->words);
        words_ascii_underscore(&flat->words, query);
        bag_score(&flat->bag, &flat->words, &okapi, corpus_scores(flat->corpus));
        count = corpus_top(flat->corpus, NULL, 0, ranked, ranked_max);
    }
    return count > 0 ? count : rank_substring(flat, query, ranked, ranked_max);
}

const quality_baseline baseline_praisonai = {"PraisonAI", false, open, rank, flat_free};
