// FastMCP: BM25 (k1 1.5, b 0.75) over name, description, names and descriptions of the parameters;
// words are runs of letters and digits, longer than one.
#include "quality/baselines/baseline.h"
#include "quality/baselines/flat.h"

static void drop_short(quality_words *words)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        if (words->items[i].size > 1) {
            words->items[kept++] = words->items[i];
        }
    }
    words->count = kept;
}

static void read(quality_flat *flat, const corpus_tool *tool)
{
    words_ascii(&flat->words, tool->tool->name);
    words_ascii(&flat->words, tool->tool->description);
    for (size_t i = 0; i < tool->tool->parameter_count; i++) {
        words_ascii(&flat->words, tool->tool->parameters[i].name);
        words_ascii(&flat->words, tool->tool->parameters[i].description);
    }
    drop_short(&flat->words);
}

static void *open(quality_corpus *corpus)
{
    return flat_new(corpus, NULL, read);
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    static const quality_okapi okapi = {1.5, 0.75, IDF_POSITIVE};
    quality_flat              *flat  = state;
    words_reset(&flat->words);
    words_ascii(&flat->words, query);
    drop_short(&flat->words);
    bag_score(&flat->bag, &flat->words, &okapi, corpus_scores(flat->corpus));
    return corpus_top(flat->corpus, NULL, 0, ranked, ranked_max);
}

const quality_baseline baseline_fastmcp = {"FastMCP", false, open, rank, flat_free};
