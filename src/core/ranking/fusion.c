// Eleven numbers about a tool, each weighed. Which ones was fitted by likelihood; how much each counts
// was searched on thirteen judged query sets, up to 1,500 queries of each, for recall@1 and recall@5
// together. Searched without a set and its variants, for each in its turn, it is half a point less on
// those left out (docs/semantic.md). Reciprocal ranks and a fixed mix of the two scores were worse on
// every set; trees over the same numbers gained nothing on sets left out.
#include "core/ranking/fusion.h"

// Full words of a query beyond which it does not count as longer.
#define LENGTH_MAX 24u

static const uint64_t one = 1024;

// What a point of each is worth, in 1/100.
static const int64_t weight_words    = 99;  // the score by words, as a share of the query's mass
static const int64_t weight_coverage = 63;  // how much of the query's mass the tool has
static const int64_t weight_name     = -31; // how much of its name: the words' score has it already
static const int64_t weight_best     = -51; // the score by words, as a share of the best one's
static const int64_t weight_best_long  = 201; // the same in long queries, which words explain best
static const int64_t weight_whole      = 123; // likeness to the query
static const int64_t weight_whole_told = -92; // the same where words explain the query
static const int64_t weight_window     = 125; // likeness to the nearest part of it
static const int64_t weight_soft_name  = 37;  // how much of the name is meant
static const int64_t weight_soft_query = 17;  // how much of the query the name means
static const int64_t weight_soft_long = -161; // the same in long queries: no name means all of them

void deft__fusion_begin(deft__fusion *fusion, const deft__expansion *e)
{
    uint64_t full = 0;
    for (size_t i = 0; i < e->word_count; i++) {
        full += e->words[i].value >= 256;
    }
    fusion->known  = e->mass_known;
    fusion->asked  = e->mass_known + e->mass_unknown;
    fusion->length = (full < LENGTH_MAX ? full : LENGTH_MAX) * one / LENGTH_MAX;
}

// How much of the query's mass a tool has, in 1/1024.
static uint64_t share_of(const deft__fusion *fusion, uint32_t coverage)
{
    return fusion->asked > 0
               ? (uint64_t)coverage * one / DEFT__COVERAGE_FULL * fusion->known / fusion->asked
               : 0;
}

void deft__fusion_see(deft__fusion *fusion, uint64_t words, uint32_t coverage)
{
    const uint64_t share = share_of(fusion, coverage);
    fusion->best         = words > fusion->best ? words : fusion->best;
    fusion->explained    = share > fusion->explained ? share : fusion->explained;
}

static int64_t of_one(int64_t value, uint64_t share)
{
    return value * (int64_t)share / (int64_t)one;
}

deft__fused deft__fuse(const deft__fusion *fusion, uint64_t words, uint32_t coverage, uint64_t name,
                       const deft__likeness *likeness)
{
    // A score by words has 10^6 of the closer look as scale.
    const uint64_t whole = fusion->asked > 0 ? words / 1000000 * one / fusion->asked : 0;
    const int64_t  mass  = (int64_t)(whole < 2 * one ? whole : 2 * one);
    const int64_t  best =
        fusion->best > 0 ? (int64_t)(words / 1000 * one / (fusion->best / 1000 + 1)) : 0;
    const int64_t by_words = weight_words * mass +
                             weight_coverage * (int64_t)share_of(fusion, coverage) +
                             weight_name * (int64_t)(name * one / 1000) + weight_best * best +
                             weight_best_long * of_one(best, fusion->length);
    const int64_t by_meaning = weight_whole * likeness->whole +
                               weight_whole_told * of_one(likeness->whole, fusion->explained) +
                               weight_window * likeness->window +
                               weight_soft_name * likeness->name +
                               weight_soft_query * likeness->query +
                               weight_soft_long * of_one(likeness->query, fusion->length);
    return (deft__fused){
        .words = by_words / 100, .meaning = by_meaning / 100, .likeness = likeness->whole};
}

uint64_t deft__fused_final(deft__fused fused)
{
    const int64_t sum = fused.words + fused.meaning;
    return (sum > 1 ? (uint64_t)sum : 1) * (256000000 / one);
}
