// Whether the best candidate is there for a reason. In a large catalog every word of English is in
// some description, so a query that asks for nothing ("my left shoe squeaks") still scores. No
// single number tells such hits from weak but true ones; together these do:
//
//     4   for a score like that of one word as rare as can be, up to twice
//     1.5 for each query word that the tool has, up to three
//     1.5 for each of them in its name, up to two
//     1.5 for each query word that belongs to this field (the thesaurus has it), up to three
//     3   for having all of what the query asks for, by weight, and less for less
//     1   for each query word that it has by way of a synonym or a correction, up to two
//
// At least 5 are needed. With a model a quarter of that counts, and besides it
//
//     5.8 for a tool that is one with the nearest part of the query, and less for less
//     9.4 for the five best being one with the query: what makes sense has company. A tool that stands
//         alone has seven tenths of its own likeness
//     4.9 for a query of 24 words, as long ones are rarely nothing
//    -3.2 for a query of which no tool has a word, and the best one no synonym
//
// and at least 2.18 are needed among 64 tools, .59 more with each doubling: among many tools one lies
// near to anything. A likeness of .55 and more is evidence by itself: no query that asks for nothing comes
// as near to a tool. Weights and floors were fitted on the judged sets against 200 queries that ask for
// nothing, and rounded (docs/ranking.md and docs/semantic.md have the figures).
#include "core/ranking/searcher.h"

#include "core/analysis/words.h"

// All in 1/1000.
static const uint64_t evidence_needed    = 5000;
static const uint64_t evidence_score     = 4000;
static const uint64_t evidence_word      = 1500;
static const uint64_t evidence_name      = 1500;
static const uint64_t evidence_field     = 1500;
static const uint64_t evidence_coverage  = 3000;
static const uint64_t evidence_expansion = 1000;

// With a model.
static const int64_t evidence_by_words   = 250; // what the words' evidence counts
static const int64_t evidence_window     = 5800;
static const int64_t evidence_company    = 9400;
static const int64_t evidence_length     = 4900;
static const int64_t evidence_unknown    = 3200;
static const int64_t evidence_fewest     = 2180; // needed among the fewest tools
static const int64_t evidence_a_doubling = 590;

// Where more or fewer tools make no difference any more.
#define TOOLS_FEWEST_BITS 6u
#define TOOLS_MOST_BITS   14u

static const int64_t likeness_evident = 550; // in 1/1000
static const int64_t company_alone    = 700; // of its own likeness, in 1/1000

// Candidates whose likeness to the query is company to the best, itself among them.
#define COMPANY_SIZE 5u

// Full words of a query beyond which it does not count as longer.
#define LENGTH_MAX 24u

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

static bool is_in_name(const deft__image *image, uint32_t stem, uint32_t tool)
{
    for (uint32_t i = image->name_starts[tool]; i < image->name_starts[tool + 1]; i++) {
        if (image->name_terms[i] == stem) {
            return true;
        }
    }
    return false;
}

// Whether the tool has a word of the query only by way of another term.
static bool has_expansion(const deft__hybrid *h, uint32_t word, uint32_t tool)
{
    for (size_t i = 0; i < h->expansion.term_count; i++) {
        if (h->expansion.terms[i].word == word &&
            deft__image_has(h->image, h->expansion.terms[i].term, tool)) {
            return true;
        }
    }
    return false;
}

static size_t count_full_words(const deft__expansion *e)
{
    size_t count = 0;
    for (size_t i = 0; i < e->word_count; i++) {
        count += e->words[i].value >= DEFT__WORD_WEIGHT_FULL;
    }
    return count;
}

uint64_t deft__evidence_of(const deft__hybrid *h, const deft__candidate *best)
{
    const deft__expansion *e          = &h->expansion;
    const size_t           full_count = count_full_words(e);
    uint64_t               words      = 0;
    uint64_t               in_name    = 0;
    uint64_t               of_field   = 0;
    uint64_t               expansions = 0;
    uint64_t               corrected  = 0; // mass of words that were taken for others
    for (uint32_t i = 0; i < e->word_count; i++) {
        const deft__query_word *word  = &e->words[i];
        uint32_t                entry = 0;
        if (word->value < DEFT__WORD_WEIGHT_FULL) {
            continue;
        }
        if (word->stem != DEFT__NONE && deft__image_has(h->image, word->stem, best->tool)) {
            words++;
            in_name += is_in_name(h->image, word->stem, best->tool);
        } else if (has_expansion(h, i, best->tool)) {
            expansions++;
            corrected += word->stem == DEFT__NONE
                             ? (uint64_t)deft__idf(h->image->tool_count, 0) * word->value >> 8
                             : 0;
        }
        // In a query of one or two words a slip is a slip; in a long one it is chance.
        const uint32_t  stem = word->corrected != DEFT__NONE && full_count <= 2
                                   ? h->image->words[word->corrected].stem
                                   : word->stem;
        const deft_view text = stem != DEFT__NONE ? deft_view_make(NULL, 0)
                                                  : deft_analyzer_stem(h->analyzer, word->text);
        of_field += deft__synonyms_find(h->synonyms, stem, text, &entry);
    }
    // The words that no tool has count against a candidate; those that were corrected do not.
    const uint64_t rarest  = deft__idf(h->image->tool_count, 0);
    const uint64_t asked   = e->mass_known + e->mass_unknown - at_most(corrected, e->mass_unknown);
    const uint64_t covered = (uint64_t)best->coverage * e->mass_known / DEFT__COVERAGE_FULL;
    // "repo" asks for nothing that a tool with "repository" does not have.
    const bool is_whole = expansions > 0 && expansions == full_count && full_count <= 2;
    return evidence_score * at_most(best->score, 2 * rarest) / rarest +
           evidence_word * at_most(words, 3) + evidence_name * at_most(in_name, 2) +
           evidence_field * at_most(of_field, 3) + evidence_expansion * at_most(expansions, 2) +
           (is_whole    ? evidence_coverage
            : asked > 0 ? evidence_coverage * covered / asked
                        : 0);
}

// How often the fewest tools must be doubled to be as many, in 1/1024; between powers of two it is a
// straight line.
static int64_t doublings_of(uint32_t tool_count)
{
    uint32_t bits = TOOLS_FEWEST_BITS;
    if (tool_count <= UINT32_C(1) << bits) {
        return 0;
    }
    while (bits < TOOLS_MOST_BITS && tool_count >> (bits + 1) > 0) {
        bits++;
    }
    const int64_t doublings = (int64_t)(bits - TOOLS_FEWEST_BITS) * 1024;
    return bits == TOOLS_MOST_BITS ? doublings
                                   : doublings + ((int64_t)tool_count * 1024 >> bits) - 1024;
}

// Whether the tool has a word that means nearly the same as one of the query.
static bool has_synonym(const deft__hybrid *h, uint32_t word, uint32_t tool)
{
    for (size_t i = 0; i < h->expansion.term_count; i++) {
        const deft__weighted *term = &h->expansion.terms[i];
        if (term->word == word && term->match == DEFT_MATCH_SYNONYM &&
            deft__image_has(h->image, term->term, tool)) {
            return true;
        }
    }
    return false;
}

// Words of the query that no tool has, and the best one not by way of a synonym either.
static size_t count_unknown_words(const deft__hybrid *h, uint32_t best)
{
    const deft__expansion *e     = &h->expansion;
    size_t                 count = 0;
    for (uint32_t i = 0; i < e->word_count; i++) {
        count += e->words[i].value >= DEFT__WORD_WEIGHT_FULL && e->words[i].stem == DEFT__NONE &&
                 !has_synonym(h, i, best);
    }
    return count;
}

// The evidence of words and of meaning together.
static bool is_meant(deft__hybrid *h, const deft__candidate *best)
{
    const int64_t full    = (int64_t)count_full_words(&h->expansion);
    const int64_t length  = full < (int64_t)LENGTH_MAX ? full : (int64_t)LENGTH_MAX;
    const int64_t unknown = (int64_t)count_unknown_words(h, best->tool);
    int64_t       company = 0; // candidates
    const int64_t window  = deft__meaning_of(&h->meaning, best->tool).window;
    int64_t       sum     = 0;
    for (size_t i = 0; i < h->candidate_count && i < COMPANY_SIZE; i++) {
        sum += deft__meaning_of(&h->meaning, h->candidates[i].tool).whole;
        company++;
    }
    const int64_t alone    = window * company_alone / 1000;
    const int64_t together = company > 0 ? sum / company : 0;
    const int64_t points =
        (int64_t)deft__evidence_of(h, best) * evidence_by_words / 1000 +
        (window * evidence_window + (together > alone ? together : alone) * evidence_company) /
            DEFT__COSINE_ONE +
        length * evidence_length / (int64_t)LENGTH_MAX -
        (full > 0 ? unknown * evidence_unknown / full : 0);
    return window * 1000 >= likeness_evident * DEFT__COSINE_ONE ||
           points >=
               evidence_fewest + evidence_a_doubling * doublings_of(h->image->tool_count) / 1024;
}

bool deft__is_evident(deft__hybrid *h, const deft__candidate *best)
{
    return h->meaning.model != NULL ? is_meant(h, best)
                                    : deft__evidence_of(h, best) >= evidence_needed;
}
