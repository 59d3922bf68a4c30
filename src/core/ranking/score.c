// Block-max pruning.
//
// A tool's score is the sum, over the terms of the expanded query, of the term's weight times the
// tool's impact: integers only, so the order is the same everywhere. Blocks of 64 places are bounded
// from above first, by the sum of the largest impacts in them. Like tools lie side by side, so a
// query's tools fill few blocks and most bounds are low. The blocks with the highest bounds are
// scored first; after them the bar, the worst of the best so far, is nearly as high as it gets, and
// of the other blocks only those are scored whose bound reaches it.
#include "core/ranking/score.h"

#include "base/memory.h"
#include "core/ranking/scan.h"

// Blocks that are scored first, at least. They hold some forty times as many tools as are kept.
static const uint32_t first_blocks_min = 16;

#define BUCKETS 256u

deft_status deft__scorer_init(deft__scorer *scorer, const deft__image *image,
                              const deft_allocator *allocator)
{
    const size_t count = (size_t)image->block_count + 1; // never none: NULL means no memory
    scorer->image      = image;
    scorer->allocator  = allocator;
    scorer->bounds     = deft__new(allocator, count * sizeof *scorer->bounds);
    scorer->first      = deft__new(allocator, count * sizeof *scorer->first);
    scorer->chains     = deft__new(allocator, count * sizeof *scorer->chains);
    if (scorer->bounds == NULL || scorer->first == NULL || scorer->chains == NULL) {
        deft__scorer_clear(scorer);
        return DEFT_OUT_OF_MEMORY;
    }
    return DEFT_OK;
}

void deft__scorer_clear(deft__scorer *scorer)
{
    if (scorer->image != NULL) {
        const size_t count = (size_t)scorer->image->block_count + 1;
        deft__free(scorer->allocator, scorer->chains, count * sizeof *scorer->chains);
        deft__free(scorer->allocator, scorer->first, count * sizeof *scorer->first);
        deft__free(scorer->allocator, scorer->bounds, count * sizeof *scorer->bounds);
    }
    scorer->chains = NULL;
    scorer->first  = NULL;
    scorer->bounds = NULL;
}

// What a tool's sum gains from a posting of a term.
static inline uint32_t gain(uint32_t weight, uint32_t mass, uint32_t impact)
{
    return (weight * impact >> DEFT__IMPACT_BITS) + mass;
}

// Adds the most that each block can gain from a term.
static void add_bounds(deft__scorer *scorer, const deft__scored_term *term)
{
    uint32_t *bounds = scorer->bounds;
    if (term->bounds.maxima != NULL) {
        deft__add_bounds(bounds, term->bounds.maxima, scorer->image->block_count, term->weight);
        return;
    }
    uint32_t p = 0;
    while (p < term->count) {
        const uint32_t block   = deft__block_of(term->postings[p]);
        uint32_t       largest = 0;
        while (p < term->count && deft__block_of(term->postings[p]) == block) {
            const uint32_t impact = deft__impact_of(term->postings[p++]);
            largest               = impact > largest ? impact : largest;
        }
        bounds[block] += gain(term->weight, 0, largest);
    }
}

// Hangs each posting of a rare term into the chain of its block.
static void chain_postings(deft__scorer *scorer, const deft__scored_term *term)
{
    for (uint32_t p = 0; p < term->count; p++) {
        const uint32_t posting = term->postings[p];
        uint16_t      *chain   = &scorer->chains[deft__block_of(posting)];

        scorer->rare[scorer->rare_count++] = (deft__rare_posting){
            .place = deft__place_of(posting),
            .gain  = gain(term->weight, term->mass, deft__impact_of(posting)),
            .next  = *chain,
        };
        *chain = (uint16_t)scorer->rare_count;
    }
}

static void unchain_postings(deft__scorer *scorer)
{
    for (uint32_t i = 0; i < scorer->rare_count; i++) {
        scorer->chains[scorer->rare[i].place / DEFT__BLOCK_SIZE] = 0;
    }
    scorer->rare_count = 0;
}

// Bounds the blocks for each term, and makes ready for scoring them.
static void take_terms(deft__scorer *scorer, const deft__expansion *e)
{
    const deft__image *image = scorer->image;
    scorer->term_count       = 0;
    memset(scorer->bounds, 0, (size_t)image->block_count * sizeof *scorer->bounds);
    for (size_t i = 0; i < e->term_count; i++) {
        const deft__term       *term     = &image->terms[e->terms[i].term];
        const bool              is_dense = term->block != DEFT__NONE;
        const deft__scored_term scored   = {
              .postings = image->postings + term->posting,
              .bounds   = is_dense ? deft__bounds_of(image, term) : (deft__bounds){NULL, NULL, NULL},
              .count    = term->count,
              .weight   = e->terms[i].weight,
              .mass     = deft__coverage_of(e, &e->terms[i]) << DEFT__SCORE_BITS,
        };
        add_bounds(scorer, &scored);
        if (!is_dense && term->count <= DEFT__RARE_POSTINGS_MAX - scorer->rare_count) {
            chain_postings(scorer, &scored);
        } else {
            scorer->terms[scorer->term_count++] = scored;
        }
    }
}

// Where a term's postings in a block are.
typedef struct stretch {
    const uint32_t *from;
    const uint32_t *to;
    uint32_t        weight;
    uint32_t        mass;
} stretch;

// Finds the postings of every term in a block, and asks for them before the first is needed: they
// lie far apart, and waiting for one after another would take most of the time.
static size_t find_stretches(const deft__scorer *scorer, uint32_t block, stretch *found)
{
    const uint32_t least = block << (DEFT__IMPACT_BITS + DEFT__BLOCK_BITS);
    size_t         count = 0;
    for (size_t t = 0; t < scorer->term_count; t++) {
        const deft__scored_term *term = &scorer->terms[t];
        const uint32_t          *from = term->postings;
        const uint32_t          *to   = term->postings;
        if (term->bounds.maxima != NULL) {
            from += deft__block_start(&term->bounds, block);
            to += deft__block_start(&term->bounds, block + 1);
        } else {
            from += deft__find_least(term->postings, term->count, least);
            const uint32_t *end = term->postings + term->count;
            for (to = from; to < end && deft__block_of(*to) == block; to++) {
            }
        }
        if (from < to) {
            __builtin_prefetch(from);
            found[count++] = (stretch){from, to, term->weight, term->mass};
        }
    }
    return count;
}

static void score_block(deft__scorer *scorer, uint32_t block, deft__best *best)
{
    uint32_t     sums[DEFT__BLOCK_SIZE] = {0};
    uint16_t     found[DEFT__BLOCK_SIZE];
    stretch      stretches[DEFT__WEIGHTED_MAX];
    const size_t stretch_count = find_stretches(scorer, block, stretches);
    for (uint32_t i = scorer->chains[block]; i > 0; i = scorer->rare[i - 1].next) {
        sums[scorer->rare[i - 1].place % DEFT__BLOCK_SIZE] += scorer->rare[i - 1].gain;
    }
    for (size_t i = 0; i < stretch_count; i++) {
        const stretch s = stretches[i];
        for (const uint32_t *posting = s.from; posting < s.to; posting++) {
            sums[deft__place_of(*posting) % DEFT__BLOCK_SIZE] +=
                gain(s.weight, s.mass, deft__impact_of(*posting));
        }
    }
    const uint32_t *tools = scorer->image->tools + (size_t)block * DEFT__BLOCK_SIZE;
    const size_t    count =
        deft__scan_all(sums, DEFT__BLOCK_SIZE, DEFT__SCORE_MASK, deft__best_bar(best), found);
    for (size_t i = 0; i < count; i++) {
        deft__best_offer(best, tools[found[i]], sums[found[i]]);
    }
}

// Scores the blocks with the highest bounds, best first, and returns the bound from which on it did.
static uint32_t score_first(deft__scorer *scorer, deft__best *best)
{
    const uint32_t  blocks              = scorer->image->block_count;
    const uint32_t *bounds              = scorer->bounds;
    uint32_t        largest             = 0;
    unsigned        shift               = 0;
    uint32_t        starts[BUCKETS + 1] = {0};
    for (uint32_t b = 0; b < blocks; b++) {
        largest = bounds[b] > largest ? bounds[b] : largest;
    }
    while (largest >> shift >= BUCKETS) {
        shift++;
    }
    for (uint32_t b = 0; b < blocks; b++) {
        starts[bounds[b] >> shift]++;
    }
    // From the top down, until there are enough; what is in a bucket comes after what is above it.
    uint32_t bucket = BUCKETS;
    uint32_t count  = 0;
    while (bucket > 0 && count < first_blocks_min) {
        const uint32_t size = starts[--bucket];
        starts[bucket]      = count;
        count += size;
    }
    const uint32_t least = bucket > 0 ? bucket << shift : 1;
    size_t         at    = 0;
    count                = 0; // without the blocks that no term touches
    while ((at = deft__scan(bounds, at, blocks, UINT32_MAX >> 1, least)) < blocks) {
        scorer->first[starts[bounds[at] >> shift]++] = (uint32_t)at;
        count++;
        at++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = scorer->first[i];
        if (bounds[block] >= deft__best_bar(best)) {
            score_block(scorer, block, best);
        }
    }
    return least;
}

static void score_blocks(deft__scorer *scorer, deft__best *best)
{
    const uint32_t blocks = scorer->image->block_count;
    const uint32_t done   = score_first(scorer, best);
    size_t         at     = 0;
    while ((at = deft__scan(scorer->bounds, at, blocks, UINT32_MAX >> 1, deft__best_bar(best))) <
           blocks) {
        if (scorer->bounds[at] < done) {
            score_block(scorer, (uint32_t)at, best);
        }
        at++;
    }
}

void deft__scorer_run(deft__scorer *scorer, const deft__expansion *expansion, deft__best *best)
{
    take_terms(scorer, expansion);
    score_blocks(scorer, best);
    unchain_postings(scorer);
}
