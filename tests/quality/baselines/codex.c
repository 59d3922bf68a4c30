// Codex CLI (crate bm25 2.3.2): one text of the tool's names, its server, title, description, the
// server's instructions and the sorted names of its parameters; transliterated, lower case, words
// of UAX #29, without NLTK's stop words, stemmed (Snowball English); BM25 with k1 1.2, b 0.75.
// A snake_case name stays one word. Approximations: accents are taken off in place of a full
// transliteration; equal scores keep catalog order (Codex: that of a hash set).
#include "quality/baselines/baseline.h"
#include "quality/baselines/flat.h"

static void add(quality_flat *flat, deft_view text)
{
    deft_buffer_reset(&flat->scratch);
    strip_accents(&flat->scratch, text);
    words_unicode(&flat->words, deft_buffer_view(&flat->scratch));
}

static void finish(quality_flat *flat)
{
    words_drop(&flat->words, 0, nltk_stop_words);
    words_stem(&flat->words, flat->stemmer);
}

static void read(quality_flat *flat, const corpus_tool *tool)
{
    // The order of words makes no difference to BM25, so the parameters need no sorting.
    add(flat, tool->wire_name);
    add(flat, tool->tool->name); // as it is called
    add(flat, tool->tool->name); // as its server calls it
    add(flat, tool->server->name);
    add(flat, tool->tool->title);
    add(flat, tool->tool->description);
    add(flat, tool->server->instructions);
    for (size_t i = 0; i < tool->tool->parameter_count; i++) {
        add(flat, tool->tool->parameters[i].name);
    }
    finish(flat);
}

static void *open(quality_corpus *corpus)
{
    return flat_new(corpus, "english", read);
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    static const quality_okapi okapi = {1.2, 0.75, IDF_POSITIVE};
    quality_flat              *flat  = state;
    words_reset(&flat->words);
    add(flat, query);
    finish(flat);
    bag_score(&flat->bag, &flat->words, &okapi, corpus_scores(flat->corpus));
    return corpus_top(flat->corpus, NULL, 0, ranked, ranked_max);
}

const quality_baseline baseline_codex = {"Codex", false, open, rank, flat_free};
