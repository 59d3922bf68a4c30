// Kiro CLI: BM25 over name, server, description and the descriptions of the parameters, names cut
// where the case changes; scores below 1.5 are no hits. k1 and b are not disclosed: 1.5 and 0.75
// here. So is the cutting of digits; a run of them is a word here.
#include "quality/baselines/baseline.h"
#include "quality/baselines/flat.h"

#define THRESHOLD 1.5

static void read(quality_flat *flat, const corpus_tool *tool)
{
    words_identifiers(&flat->words, tool->tool->name);
    words_identifiers(&flat->words, tool->server->name);
    words_identifiers(&flat->words, tool->tool->description);
    for (size_t i = 0; i < tool->tool->parameter_count; i++) {
        words_identifiers(&flat->words, tool->tool->parameters[i].description);
    }
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
    words_identifiers(&flat->words, query);
    bag_score(&flat->bag, &flat->words, &okapi, corpus_scores(flat->corpus));
    return corpus_top(flat->corpus, NULL, THRESHOLD, ranked, ranked_max);
}

const quality_baseline baseline_kiro = {"Kiro", false, open, rank, flat_free};
