// Scoring in two steps.
//
// First the best tools by the sum of what the terms of the expanded query say of them (score.h).
//
// Then these are looked at more closely: how much of the query a tool covers, and how much of the
// tool's name the query covers. Both multiply, so they can only reorder what the words already
// found. With a model, tools that mean something alike join them, and both sides are weighed against
// one another (meaning.h, fusion.h).
#include "core/ranking/hybrid.h"

#include "base/memory.h"
#include "core/ranking/scan.h"

// How much full coverage of the query, and of the name, lifts a tool: by three tenths each.
static const uint64_t coverage_lift = 300; // in 1/1000
static const uint64_t name_lift     = 300;

deft_status deft__hybrid_init(deft__hybrid *hybrid, const deft__image *image,
                              const deft__synonyms *synonyms, const deft_model *model,
                              const deft_allocator *allocator, deft_error *error)
{
    *hybrid          = (deft__hybrid){.image = image, .synonyms = synonyms, .allocator = allocator};
    hybrid->analyzer = deft_analyzer_new(deft_view_of(image->header->language), allocator, error);
    if (hybrid->analyzer == NULL ||
        deft__scorer_init(&hybrid->scorer, image, allocator) != DEFT_OK ||
        deft__meaning_init(&hybrid->meaning, model, image, allocator) != DEFT_OK) {
        deft__hybrid_clear(hybrid);
        return DEFT_OUT_OF_MEMORY;
    }
    hybrid->marks = deft__new(allocator, (size_t)image->stem_count + 1);
    if (hybrid->marks == NULL) {
        deft__hybrid_clear(hybrid);
        return DEFT_OUT_OF_MEMORY;
    }
    return DEFT_OK;
}

void deft__hybrid_clear(deft__hybrid *hybrid)
{
    deft_analyzer_free(hybrid->analyzer);
    deft__meaning_clear(&hybrid->meaning);
    deft__scorer_clear(&hybrid->scorer);
    if (hybrid->marks != NULL) {
        deft__free(hybrid->allocator, hybrid->marks, (size_t)hybrid->image->stem_count + 1);
    }
    deft__free(hybrid->allocator, hybrid->keys, hybrid->key_capacity * sizeof *hybrid->keys);
    deft__free(hybrid->allocator, hybrid->candidates,
               hybrid->candidate_capacity * sizeof *hybrid->candidates);
    *hybrid = (deft__hybrid){.allocator = hybrid->allocator};
}

// --- the closer look -----------------------------------------------------------------------

// How much of the tool's name the query has, by weight, in 1/1000.
static uint64_t name_coverage(const deft__image *image, const deft__expansion *e, uint32_t tool)
{
    uint64_t whole   = 0;
    uint64_t covered = 0;
    for (uint32_t i = image->name_starts[tool]; i < image->name_starts[tool + 1]; i++) {
        const uint32_t term = image->name_terms[i];
        const uint64_t idf  = image->terms[term].idf;
        whole += idf * 256;
        for (size_t w = 0; w < e->word_count; w++) {
            if (e->words[w].stem == term) {
                covered += idf * (e->words[w].value < 256 ? e->words[w].value : 256);
                break;
            }
        }
    }
    return whole > 0 ? covered * 1000 / whole : 0;
}

static deft__lifts lifts_from(uint32_t coverage, uint64_t name)
{
    deft__lifts lifts = {.coverage = (uint64_t)coverage * 1000 / DEFT__COVERAGE_FULL, .name = name};
    lifts.coverage_lift = lifts.coverage * coverage_lift / 1000;
    lifts.name_lift     = lifts.name * name_lift / 1000;
    return lifts;
}

deft__lifts deft__lifts_of(const deft__image *image, const deft__expansion *e, uint32_t tool,
                           uint32_t coverage)
{
    return lifts_from(coverage, name_coverage(image, e, tool));
}

uint64_t deft__final_of(uint32_t score, deft__lifts lifts)
{
    return score * (1000 + lifts.coverage_lift) * (1000 + lifts.name_lift);
}

double deft__score_of(uint64_t final)
{
    // 2^8 of the weight and 10^6 of the closer look are scale.
    return (double) final / 256e6;
}

uint64_t deft__lifted(uint64_t final, uint64_t lift)
{
    return final + final / 1000 * lift;
}

// Candidates from the keys of the best. Asks for what the closer look needs of them on the way: it
// lies far apart, and waiting for one after another would take longer than looking.
static void take_candidates(deft__hybrid *h, const deft__best *best)
{
    const deft__image *image = h->image;
    for (size_t i = 0; i < best->count; i++) {
        __builtin_prefetch(&image->name_starts[deft__best_tool(best->keys[i])]);
    }
    for (size_t i = 0; i < best->count; i++) {
        const uint64_t key = best->keys[i];
        h->candidates[i]   = (deft__candidate){
              .tool     = deft__best_tool(key),
              .score    = deft__best_score(key),
              .coverage = deft__best_coverage(key),
        };
        __builtin_prefetch(&image->name_terms[image->name_starts[h->candidates[i].tool]]);
        __builtin_prefetch(&image->name_weights[h->candidates[i].tool]);
    }
    h->candidate_count = best->count;
}

// name_coverage() for many tools: what each stem is worth is looked up instead of searched for. Four
// stems are looked at together, which is what most names have; counting them would be guessed wrongly.
static uint64_t marked_coverage(const deft__hybrid *h, const uint32_t *worths, uint32_t tool)
{
    const deft__image *image   = h->image;
    const uint32_t    *terms   = image->name_terms + image->name_starts[tool];
    const uint32_t     count   = image->name_starts[tool + 1] - image->name_starts[tool];
    const uint64_t     whole   = (uint64_t)image->name_weights[tool] * 256;
    uint64_t           covered = 0;
    for (uint32_t i = 0; i < count; i += 4) {
        for (uint32_t k = i; k < i + 4; k++) {
            const uint32_t is_term = 0u - (uint32_t)(k < count); // all bits or none
            covered += worths[h->marks[terms[k & is_term]]] & is_term;
        }
    }
    return whole > 0 ? covered * 1000 / whole : 0;
}

static void look_closer(deft__hybrid *h)
{
    const deft__expansion *e                                 = &h->expansion;
    uint32_t               worths[DEFT__QUERY_WORDS_MAX + 1] = {0};
    for (uint32_t w = (uint32_t)e->word_count; w-- > 0;) {
        if (e->words[w].stem != DEFT__NONE) {
            const uint32_t value       = e->words[w].value < 256 ? e->words[w].value : 256;
            h->marks[e->words[w].stem] = (uint8_t)(w + 1); // the first of several with this stem
            worths[w + 1]              = h->image->terms[e->words[w].stem].idf * value;
        }
    }
    for (size_t i = 0; i < h->candidate_count; i++) {
        deft__candidate  *candidate = &h->candidates[i];
        const deft__lifts lifts =
            lifts_from(candidate->coverage, marked_coverage(h, worths, candidate->tool));
        candidate->name  = (uint32_t)lifts.name;
        candidate->words = deft__final_of(candidate->score, lifts);
        candidate->final = candidate->words;
        h->best_words    = candidate->words > h->best_words ? candidate->words : h->best_words;
    }
    for (size_t w = 0; w < e->word_count; w++) {
        if (e->words[w].stem != DEFT__NONE) {
            h->marks[e->words[w].stem] = 0;
        }
    }
}

static bool is_before(const deft__candidate *a, const deft__candidate *b)
{
    return a->final > b->final || (a->final == b->final && a->tool < b->tool);
}

// One pass of Shell's sort: sorts those that lie `gap` apart.
static void sort_by_gap(deft__candidate *candidates, size_t count, size_t gap)
{
    for (size_t i = gap; i < count; i++) {
        const deft__candidate moved = candidates[i];
        size_t                k     = i;
        for (; k >= gap && is_before(&moved, &candidates[k - gap]); k -= gap) {
            candidates[k] = candidates[k - gap];
        }
        candidates[k] = moved;
    }
}

// Shell sort with the gaps of Ciura, continued by 9/4: in place, no recursion, and never far from
// linear for as many as anyone asks for.
static void sort_many(deft__candidate *candidates, size_t count)
{
    static const size_t ciura[] = {701, 301, 132, 57, 23, 10, 4, 1};
    size_t              large   = 701;
    while (large < count / 9 * 4) {
        large = large * 9 / 4;
    }
    for (; large > 701; large = large * 4 / 9) {
        sort_by_gap(candidates, count, large);
    }
    for (size_t g = 0; g < sizeof ciura / sizeof ciura[0]; g++) {
        sort_by_gap(candidates, count, ciura[g]);
    }
}

// Candidates that are sorted by counting how many come before each. That compares all with all, but
// without a branch to be guessed wrongly, which is what takes a sort of few its time.
#define RANKED_MAX 192u

// A score and the number of a tool, of which there are at most DEFT__PLACES_MAX, in one that orders as
// candidates do. False: the scores are too large for that.
#define TOOL_BITS (32u - DEFT__IMPACT_BITS)

static bool make_keys(const deft__candidate *candidates, size_t count, uint64_t *keys)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= candidates[i].final;
        keys[i] = candidates[i].final << TOOL_BITS |
                  (~candidates[i].tool & ((UINT32_C(1) << TOOL_BITS) - 1));
    }
    return all >> (64 - TOOL_BITS) == 0;
}

static void sort_candidates(deft__candidate *candidates, size_t count)
{
    deft__candidate unsorted[RANKED_MAX];
    uint64_t        keys[RANKED_MAX];
    uint16_t        ranks[RANKED_MAX];
    if (count < 2) {
        return;
    }
    if (count > RANKED_MAX || !make_keys(candidates, count, keys)) {
        sort_many(candidates, count);
        return;
    }
    memcpy(unsorted, candidates, count * sizeof *candidates);
    deft__rank_all(keys, count, ranks);
    for (size_t i = 0; i < count; i++) {
        candidates[ranks[i]] = unsorted[i];
    }
}

void deft__hybrid_sort(deft__hybrid *h)
{
    sort_candidates(h->candidates, h->candidate_count);
}

// Room for as many candidates. False: no memory.
static bool reserve_candidates(deft__hybrid *h, size_t count)
{
    if (count > h->candidate_capacity) {
        deft__candidate *grown =
            deft__resize(h->allocator, h->candidates, h->candidate_capacity * sizeof *grown,
                         count * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        h->candidates         = grown;
        h->candidate_capacity = count;
    }
    if (count > h->key_capacity) {
        uint64_t *grown = deft__resize(h->allocator, h->keys, h->key_capacity * sizeof *grown,
                                       count * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        h->keys         = grown;
        h->key_capacity = count;
    }
    return true;
}

// --- meaning -------------------------------------------------------------------------------

// Where tools have their place among candidates; powers of two.
#define PLACES_SIZE 1024u

// Adds those of the tools that are no candidates yet.
static void join_candidates(deft__hybrid *h, const uint32_t *tools, size_t count)
{
    uint32_t places[PLACES_SIZE] = {0}; // of the last with these low bits, from 1; 0: none has them
    const size_t by_word         = h->candidate_count;
    for (size_t i = 0; i < by_word; i++) {
        places[h->candidates[i].tool % PLACES_SIZE] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = places[tools[i] % PLACES_SIZE];
        while (at > 0 && h->candidates[at - 1].tool != tools[i]) {
            at--; // another one has the same bits: it may be any before it
        }
        if (at == 0) {
            h->candidates[h->candidate_count++] = (deft__candidate){.tool = tools[i]};
        }
    }
}

// Lets tools in that mean something alike, and weighs words against meaning.
static void fuse_candidates(deft__hybrid *h, bool (*is_allowed)(void *context, uint32_t tool),
                            void         *context)
{
    uint32_t tools[DEFT__MEANT_MAX];
    deft__meaning_read(&h->meaning, &h->expansion, h->analyzer);
    const size_t found   = deft__meaning_find(&h->meaning, tools, is_allowed, context);
    const size_t by_word = h->candidate_count;
    join_candidates(h, tools, found);
    h->fusion = (deft__fusion){0};
    deft__fusion_begin(&h->fusion, &h->expansion);
    for (size_t i = 0; i < by_word; i++) {
        deft__fusion_see(&h->fusion, h->candidates[i].words, h->candidates[i].coverage);
    }
    for (size_t i = 0; i < h->candidate_count; i++) {
        deft__candidate *candidate = &h->candidates[i];
        candidate->final           = deft__fused_final(deft__hybrid_fuse(h, candidate));
    }
}

deft__fused deft__hybrid_fuse(deft__hybrid *h, const deft__candidate *candidate)
{
    const deft__likeness likeness = deft__meaning_of(&h->meaning, candidate->tool);
    return deft__fuse(&h->fusion, candidate->words, candidate->coverage, candidate->name,
                      &likeness);
}

deft_status deft__hybrid_run(deft__hybrid *h, deft_view text, size_t hits_max,
                             bool (*is_allowed)(void *context, uint32_t tool), void *context)
{
    h->candidate_count = 0;
    h->best_words      = 0;
    if (hits_max > h->image->tool_count) {
        hits_max = h->image->tool_count;
    }
    // Twice as many candidates as hits are wanted: the closer look lifts by less than that.
    const size_t least =
        h->meaning.model != NULL ? DEFT__CANDIDATES_FUSED_MIN : DEFT__CANDIDATES_MIN;
    const size_t max = hits_max < least / 2 ? least : 2 * hits_max;
    if (!reserve_candidates(h, max + DEFT__MEANT_MAX)) {
        return DEFT_OUT_OF_MEMORY;
    }
    const deft_status status =
        deft__expand(&h->expansion, h->image, h->synonyms, h->analyzer, text);
    if (status != DEFT_OK || hits_max == 0) {
        return status;
    }
    deft__best best = {
        .keys       = h->keys,
        .max        = max,
        .is_allowed = is_allowed,
        .context    = context,
    };
    deft__scorer_run(&h->scorer, &h->expansion, &best);
    take_candidates(h, &best);
    look_closer(h);
    if (h->meaning.model != NULL) {
        fuse_candidates(h, is_allowed, context);
    }
    sort_candidates(h->candidates, h->candidate_count);
    return DEFT_OK;
}
