// Hermes Agent: BM25 (k1 1.5, b 0.75) over the name cut at _ . : -, the server where the name does
// not have it, the description and the names of the parameters; stemmed (Snowball English).
// As shipped, a tool is only let in when it has the rarest word of the query and, of four or more
// words that some tool has, at least half. A tool whose name is the query comes first.
#include "quality/baselines/baseline.h"
#include "quality/baselines/flat.h"

#include <math.h>
#include <stdlib.h>

static void read(quality_flat *flat, const corpus_tool *tool)
{
    words_ascii(&flat->words, tool->tool->name);
    bool has_server = false;
    for (size_t i = 0; i < flat->words.count; i++) {
        has_server = has_server || deft_view_equal(words_at(&flat->words, i), tool->server->name);
    }
    if (!has_server) {
        words_ascii(&flat->words, tool->server->name);
    }
    words_ascii(&flat->words, tool->tool->description);
    for (size_t i = 0; i < tool->tool->parameter_count; i++) {
        words_ascii(&flat->words, tool->tool->parameters[i].name);
    }
    words_stem(&flat->words, flat->stemmer);
}

static void *open(quality_corpus *corpus)
{
    return flat_new(corpus, "english", read);
}

static bool is_repeated(const quality_words *words, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (deft_view_equal(words_at(words, i), words_at(words, index))) {
            return true;
        }
    }
    return false;
}

// Keeps the scores of the tools that have the rarest word, or none when no tool has it, and enough
// of the others.
static void gate(quality_flat *flat, double *scores)
{
    const size_t    tool_count = flat->corpus->count;
    const bag_term *rarest     = NULL;
    double          rarest_idf = -1;
    size_t          answerable = 0;
    uint32_t       *matched    = must_alloc(tool_count * sizeof *matched);
    for (size_t i = 0; i < flat->words.count; i++) {
        const bag_term *term = bag_find(&flat->bag, words_at(&flat->words, i));
        const double    idf  = bag_idf(&flat->bag, term, IDF_POSITIVE);
        if (idf > rarest_idf) {
            rarest     = term;
            rarest_idf = idf;
        }
        if (term != NULL && !is_repeated(&flat->words, i)) {
            answerable++;
            for (size_t j = 0; j < term->count; j++) {
                matched[term->postings[j].tool]++;
            }
        }
    }
    const size_t required = answerable < 4 ? 1 : (answerable + 1) / 2;
    size_t       next     = 0;
    for (uint32_t i = 0; i < tool_count; i++) {
        const bool has_rarest =
            rarest != NULL && next < rarest->count && rarest->postings[next].tool == i;
        next += has_rarest;
        if (!has_rarest || matched[i] < required) {
            scores[i] = 0;
        }
    }
    free(matched);
}

static size_t rank_with(quality_flat *flat, deft_view query, bool is_gated, uint32_t *ranked,
                        size_t ranked_max)
{
    static const quality_okapi okapi  = {1.5, 0.75, IDF_POSITIVE};
    double                    *scores = corpus_scores(flat->corpus);
    words_reset(&flat->words);
    words_ascii(&flat->words, query);
    words_stem(&flat->words, flat->stemmer);
    bag_score(&flat->bag, &flat->words, &okapi, scores);
    if (is_gated) {
        gate(flat, scores);
    }
    deft_buffer_reset(&flat->scratch);
    lower(&flat->scratch, query);
    for (size_t i = 0; i < flat->corpus->count && flat->words.count > 0; i++) {
        if (deft_view_equal(flat->corpus->tools[i].wire_name, deft_buffer_view(&flat->scratch)) ||
            deft_view_equal(flat->corpus->tools[i].name, deft_buffer_view(&flat->scratch))) {
            scores[i] = HUGE_VAL;
        }
    }
    return corpus_top(flat->corpus, NULL, 0, ranked, ranked_max);
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    return rank_with(state, query, false, ranked, ranked_max);
}

static size_t rank_gated(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    return rank_with(state, query, true, ranked, ranked_max);
}

const quality_baseline baseline_hermes       = {"Hermes, no gate", false, open, rank, flat_free};
const quality_baseline baseline_hermes_gated = {"Hermes", false, open, rank_gated, flat_free};
