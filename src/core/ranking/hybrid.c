// Scoring in two steps.
//
// First every tool gets the sum, over the terms of the expanded query, of the term's weight times
// the tool's impact: integers only, so the order is the same everywhere. One 32-bit number holds
// two sums, the score in its low 20 bits and the covered mass of the query in its high 12, because
// adding both at once costs the same as adding one. Small catalogs are scored whole. In large ones
// blocks of 64 tools are bounded from above first, and only blocks that can still matter are
// scored, the most promising first: the result is the same, tool by tool.
//
// Then the best candidates are looked at more closely: how much of the query a tool covers, and
// how much of the tool's name the query covers. Both multiply, so they can only reorder what the
// words already found.
#include "core/ranking/hybrid.h"

#include "base/memory.h"
#include "core/ranking/scan.h"

#define SCORE_BITS 20u
#define SCORE_MASK ((UINT32_C(1) << SCORE_BITS) - 1)

// How much full coverage of the query, and of the name, lifts a tool: by three tenths each.
static const uint64_t coverage_lift = 300; // in 1/1000
static const uint64_t name_lift     = 300;

// What the accumulator of a tool gains from one posting of a term.
static uint32_t gain(const deft__weighted *weighted, uint32_t mass_bits, uint8_t impact)
{
    return (weighted->weight * impact >> 8) + mass_bits;
}

// A term's share of the query's mass, placed in the high bits. The shares add up to at most
// DEFT__COVERAGE_FULL.
static uint32_t mass_bits_of(const deft__expansion *e, const deft__weighted *weighted)
{
    if (e->mass_known == 0) {
        return 0;
    }
    return (uint32_t)((uint64_t)weighted->mass * DEFT__COVERAGE_FULL / e->mass_known) << SCORE_BITS;
}

deft_status deft__hybrid_init(deft__hybrid *hybrid, const deft__image *image,
                              const deft__synonyms *synonyms, const deft_allocator *allocator,
                              deft_error *error)
{
    *hybrid = (deft__hybrid){
        .image       = image,
        .synonyms    = synonyms,
        .allocator   = allocator,
        .score_count = (size_t)image->block_count * DEFT__BLOCK_SIZE + DEFT__BLOCK_SIZE,
    };
    hybrid->analyzer = deft_analyzer_new(deft_view_make(NULL, 0), allocator, error);
    hybrid->scores   = deft__new(allocator, hybrid->score_count * sizeof *hybrid->scores);
    hybrid->order = deft__new(allocator, ((size_t)image->block_count + 1) * sizeof *hybrid->order);
    if (hybrid->analyzer == NULL || hybrid->scores == NULL || hybrid->order == NULL) {
        deft__hybrid_clear(hybrid);
        return DEFT_OUT_OF_MEMORY;
    }
    return DEFT_OK;
}

void deft__hybrid_clear(deft__hybrid *hybrid)
{
    const size_t blocks = hybrid->image != NULL ? (size_t)hybrid->image->block_count + 1 : 0;
    deft_analyzer_free(hybrid->analyzer);
    deft__free(hybrid->allocator, hybrid->scores, hybrid->score_count * sizeof *hybrid->scores);
    deft__free(hybrid->allocator, hybrid->order, blocks * sizeof *hybrid->order);
    deft__free(hybrid->allocator, hybrid->candidates,
               hybrid->candidate_capacity * sizeof *hybrid->candidates);
    *hybrid = (deft__hybrid){.allocator = hybrid->allocator};
}

// --- candidates: a heap with the worst on top ----------------------------------------------

// Worse: a lower score, or the later one of two equals.
static bool is_worse(const deft__candidate *a, const deft__candidate *b)
{
    return a->score < b->score || (a->score == b->score && a->tool > b->tool);
}

static void sift_down(deft__candidate *heap, size_t count, size_t at)
{
    while (true) {
        size_t worst = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            if (is_worse(&heap[child], &heap[worst])) {
                worst = child;
            }
        }
        if (worst == at) {
            return;
        }
        const deft__candidate moved = heap[at];
        heap[at]                    = heap[worst];
        heap[worst]                 = moved;
        at                          = worst;
    }
}

static void sift_up(deft__candidate *heap, size_t at)
{
    while (at > 0 && is_worse(&heap[at], &heap[(at - 1) / 2])) {
        const size_t          parent = (at - 1) / 2;
        const deft__candidate moved  = heap[at];
        heap[at]                     = heap[parent];
        heap[parent]                 = moved;
        at                           = parent;
    }
}

typedef struct collector {
    deft__hybrid *hybrid;
    size_t        max;
    bool (*is_allowed)(void *context, uint32_t tool);
    void *context;
} collector;

// The score that a tool must pass to become a candidate. Tools arrive in any order, so an equal
// score may still win by coming earlier in the catalog.
static uint32_t score_needed(const collector *c)
{
    return c->hybrid->candidate_count < c->max ? 1 : c->hybrid->candidates[0].score;
}

static void offer(collector *c, uint32_t tool, uint32_t accumulated)
{
    deft__hybrid         *h         = c->hybrid;
    const deft__candidate candidate = {
        .tool     = tool,
        .score    = accumulated & SCORE_MASK,
        .coverage = accumulated >> SCORE_BITS,
    };
    if (h->candidate_count == c->max && !is_worse(&h->candidates[0], &candidate)) {
        return;
    }
    if (c->is_allowed != NULL && !c->is_allowed(c->context, tool)) {
        return;
    }
    if (h->candidate_count < c->max) {
        h->candidates[h->candidate_count] = candidate;
        sift_up(h->candidates, h->candidate_count++);
    } else {
        h->candidates[0] = candidate;
        sift_down(h->candidates, h->candidate_count, 0);
    }
}

// --- scoring all tools ---------------------------------------------------------------------

static void score_all(deft__hybrid *h, collector *c)
{
    const deft__image *image  = h->image;
    uint32_t          *scores = h->scores;
    memset(scores, 0, h->score_count * sizeof *scores);
    for (size_t t = 0; t < h->expansion.term_count; t++) {
        const deft__weighted *weighted = &h->expansion.terms[t];
        const deft__term     *term     = &image->terms[weighted->term];
        const uint32_t        mass     = mass_bits_of(&h->expansion, weighted);
        const uint32_t       *tools    = image->tools + term->posting;
        const uint8_t        *impacts  = image->impacts + term->posting;
        for (uint32_t p = 0; p < term->count; p++) {
            scores[tools[p]] += gain(weighted, mass, impacts[p]);
        }
    }
    size_t at = 0;
    while (true) {
        at = deft__scan(scores, at, h->score_count, SCORE_MASK, score_needed(c));
        if (at >= h->score_count) {
            return;
        }
        offer(c, (uint32_t)at, scores[at]);
        at++;
    }
}

// --- scoring by blocks ---------------------------------------------------------------------

// Adds the most that each block can gain from a term.
static void bound_blocks(deft__hybrid *h, const deft__weighted *weighted)
{
    const deft__image *image  = h->image;
    const deft__term  *term   = &image->terms[weighted->term];
    uint32_t          *bounds = h->scores;
    if (term->block != DEFT__NONE) {
        deft__add_bounds(bounds, image->blocks + term->block, image->block_count, weighted->weight);
        return;
    }
    uint32_t p = 0;
    while (p < term->count) {
        const uint32_t block   = image->tools[term->posting + p] / DEFT__BLOCK_SIZE;
        uint8_t        largest = 0;
        while (p < term->count && image->tools[term->posting + p] / DEFT__BLOCK_SIZE == block) {
            const uint8_t impact = image->impacts[term->posting + p];
            largest              = impact > largest ? impact : largest;
            p++;
        }
        bounds[block] += weighted->weight * largest >> 8;
    }
}

// The first posting of a term at or behind `block`.
static uint32_t first_posting(const deft__image *image, const deft__term *term, uint32_t block)
{
    if (term->block != DEFT__NONE) {
        return image->block_starts[term->block + block];
    }
    const uint32_t *tools = image->tools + term->posting;
    uint32_t        low   = 0;
    uint32_t        high  = term->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (tools[middle] / DEFT__BLOCK_SIZE < block) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void score_block(deft__hybrid *h, collector *c, uint32_t block)
{
    const deft__image *image                  = h->image;
    uint32_t           sums[DEFT__BLOCK_SIZE] = {0};
    const uint32_t     first                  = block * DEFT__BLOCK_SIZE;
    for (size_t t = 0; t < h->expansion.term_count; t++) {
        const deft__weighted *weighted = &h->expansion.terms[t];
        const deft__term     *term     = &image->terms[weighted->term];
        const uint32_t        mass     = mass_bits_of(&h->expansion, weighted);
        const uint32_t       *tools    = image->tools + term->posting;
        const uint8_t        *impacts  = image->impacts + term->posting;
        for (uint32_t p = first_posting(image, term, block);
             p < term->count && tools[p] / DEFT__BLOCK_SIZE == block; p++) {
            sums[tools[p] - first] += gain(weighted, mass, impacts[p]);
        }
    }
    for (uint32_t i = 0; i < DEFT__BLOCK_SIZE; i++) {
        if ((sums[i] & SCORE_MASK) >= score_needed(c)) {
            offer(c, first + i, sums[i]);
        }
    }
}

#define BUCKETS 4096u

// Blocks by falling bound: a counting sort over the top twelve bits, which is exact enough, for
// within a bucket the order does not matter to the result.
static size_t order_blocks(deft__hybrid *h, uint32_t bucket_start[BUCKETS + 1])
{
    const uint32_t *bounds = h->scores;
    const uint32_t  blocks = h->image->block_count;
    size_t          count  = 0;
    memset(bucket_start, 0, (BUCKETS + 1) * sizeof *bucket_start);
    for (uint32_t b = 0; b < blocks; b++) {
        bucket_start[BUCKETS - 1 - (bounds[b] >> (SCORE_BITS - 12)) + 1]++;
    }
    for (uint32_t i = 1; i <= BUCKETS; i++) {
        bucket_start[i] += bucket_start[i - 1];
    }
    for (uint32_t b = 0; b < blocks; b++) {
        h->order[bucket_start[BUCKETS - 1 - (bounds[b] >> (SCORE_BITS - 12))]++] = b;
        count += bounds[b] > 0;
    }
    return count;
}

static void score_by_blocks(deft__hybrid *h, collector *c)
{
    uint32_t bucket_start[BUCKETS + 1];
    memset(h->scores, 0, (size_t)h->image->block_count * sizeof *h->scores);
    for (size_t t = 0; t < h->expansion.term_count; t++) {
        bound_blocks(h, &h->expansion.terms[t]);
    }
    (void)order_blocks(h, bucket_start);
    for (uint32_t i = 0; i < h->image->block_count; i++) {
        const uint32_t block = h->order[i];
        const uint32_t bound = h->scores[block];
        if (bound < score_needed(c)) {
            // Within a bucket bounds are unordered; the next bucket's are all lower.
            const uint32_t bucket = bound >> (SCORE_BITS - 12);
            if (bucket < score_needed(c) >> (SCORE_BITS - 12)) {
                return;
            }
            continue;
        }
        score_block(h, c, block);
    }
}

// --- the closer look -----------------------------------------------------------------------

// How much of the tool's name the query has, by weight, in 1/1000.
static uint64_t name_coverage(const deft__hybrid *h, uint32_t tool)
{
    const deft__image     *image   = h->image;
    const deft__expansion *e       = &h->expansion;
    uint64_t               whole   = 0;
    uint64_t               covered = 0;
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

static void look_closer(deft__hybrid *h)
{
    for (size_t i = 0; i < h->candidate_count; i++) {
        deft__candidate *candidate = &h->candidates[i];
        const uint64_t   coverage  = (uint64_t)candidate->coverage * 1000 / DEFT__COVERAGE_FULL;
        const uint64_t   name      = name_coverage(h, candidate->tool);
        candidate->final           = candidate->score * (1000 + coverage * coverage_lift / 1000) *
                           (1000 + name * name_lift / 1000);
    }
}

static bool is_before(const deft__candidate *a, const deft__candidate *b)
{
    return a->final > b->final || (a->final == b->final && a->tool < b->tool);
}

// Shell sort: in place, no recursion, and quick for the few dozen that there are.
static void sort_candidates(deft__candidate *candidates, size_t count)
{
    static const size_t gaps[] = {23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        const size_t gap = gaps[g];
        for (size_t i = gap; i < count; i++) {
            const deft__candidate moved = candidates[i];
            size_t                k     = i;
            for (; k >= gap && is_before(&moved, &candidates[k - gap]); k -= gap) {
                candidates[k] = candidates[k - gap];
            }
            candidates[k] = moved;
        }
    }
}

// Twice as many candidates as hits are wanted: the closer look lifts by less than that.
static bool reserve_candidates(deft__hybrid *h, size_t hits_max)
{
    const size_t wanted = hits_max < DEFT__CANDIDATES_MIN / 2 ? DEFT__CANDIDATES_MIN : 2 * hits_max;
    if (wanted > h->candidate_capacity) {
        deft__candidate *grown =
            deft__resize(h->allocator, h->candidates, h->candidate_capacity * sizeof *grown,
                         wanted * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        h->candidates         = grown;
        h->candidate_capacity = wanted;
    }
    return true;
}

deft_status deft__hybrid_run(deft__hybrid *h, deft_view text, size_t hits_max,
                             bool (*is_allowed)(void *context, uint32_t tool), void *context)
{
    h->candidate_count = 0;
    if (hits_max > h->image->tool_count) {
        hits_max = h->image->tool_count;
    }
    if (!reserve_candidates(h, hits_max)) {
        return DEFT_OUT_OF_MEMORY;
    }
    const deft_status status =
        deft__expand(&h->expansion, h->image, h->synonyms, h->analyzer, text);
    if (status != DEFT_OK || hits_max == 0) {
        return status;
    }
    collector c = {
        .hybrid     = h,
        .max        = h->candidate_capacity,
        .is_allowed = is_allowed,
        .context    = context,
    };
    const bool is_small = h->image->tool_count <= DEFT__EXHAUSTIVE_TOOLS_MAX;
    if ((is_small && !h->is_pruned_forced) || h->is_exhaustive_forced) {
        score_all(h, &c);
    } else {
        score_by_blocks(h, &c);
    }
    look_closer(h);
    sort_candidates(h->candidates, h->candidate_count);
    return DEFT_OK;
}
