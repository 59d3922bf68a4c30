// Block-max pruning.
//
// A tool's score is the sum, over the terms of the expanded query, of the term's weight times the
// tool's impact: integers only, so the order is the same everywhere. Blocks of 64 places are bounded
// from above first, by the sum of the largest impacts in them. Like tools lie side by side, so a
// query's tools fill few blocks and most bounds are low. The blocks with the highest bounds are
// scored first; after them the bar, the worst of the best so far, is nearly as high as it gets, and
// of the other blocks only those are scored whose bound reaches it.
//
// Common terms have rows (rows.h), which are added up for all places of a block at once, and only until
// it is sure that none of them can reach the bar. Rare ones have postings: these are summed up by place
// before, so that their bound is what a place really gets of them.
#include "core/ranking/score.h"

#include "base/memory.h"
#include "core/ranking/scan.h"

// Blocks that are scored first. They hold some twenty times as many tools as are kept.
#define FIRST_BLOCKS 16u

// Bounds that are looked through at once.
#define LISTED_AT_ONCE 1024u

deft_status deft__scorer_init(deft__scorer *scorer, const deft__image *image,
                              const deft_allocator *allocator)
{
    const size_t count  = (size_t)image->block_count + 1; // never none: NULL means no memory
    scorer->image       = image;
    scorer->allocator   = allocator;
    scorer->bounds      = deft__new(allocator, count * sizeof *scorer->bounds);
    scorer->rare_bounds = deft__new(allocator, count * sizeof *scorer->rare_bounds);
    scorer->listed      = deft__new(allocator, count * sizeof *scorer->listed);
    scorer->loose       = deft__new(allocator, count * sizeof *scorer->loose);
    if (scorer->bounds == NULL || scorer->rare_bounds == NULL || scorer->listed == NULL ||
        scorer->loose == NULL) {
        deft__scorer_clear(scorer);
        return DEFT_OUT_OF_MEMORY;
    }
    return DEFT_OK;
}

void deft__scorer_clear(deft__scorer *scorer)
{
    if (scorer->image != NULL) {
        const size_t count = (size_t)scorer->image->block_count + 1;
        deft__free(scorer->allocator, scorer->loose, count * sizeof *scorer->loose);
        deft__free(scorer->allocator, scorer->listed, count * sizeof *scorer->listed);
        deft__free(scorer->allocator, scorer->rare_bounds, count * sizeof *scorer->rare_bounds);
        deft__free(scorer->allocator, scorer->bounds, count * sizeof *scorer->bounds);
    }
    scorer->loose       = NULL;
    scorer->listed      = NULL;
    scorer->rare_bounds = NULL;
    scorer->bounds      = NULL;
}

// --- terms ---------------------------------------------------------------------------------

// Keeps a term with blocks behind those that weigh more.
static void keep_dense(deft__scorer *scorer, deft__row_term term)
{
    size_t at = scorer->dense_count++;
    for (; at > 0 && scorer->dense[at - 1].weight < term.weight; at--) {
        scorer->dense[at] = scorer->dense[at - 1];
    }
    scorer->dense[at] = term;
}

// The larger one, without a branch. The compiler makes one of a condition, and half of the time it would
// be guessed wrongly.
static uint32_t larger(uint32_t a, uint32_t b)
{
    return a ^ ((a ^ b) & (0u - (uint32_t)(a < b)));
}

// Sums up the postings of a term by place. Bounds are the largest sums.
static void sum_postings(deft__scorer *scorer, const deft__sparse_term *term)
{
    const uint32_t *postings = term->postings;
    const uint32_t *end      = postings + term->count;
    const uint32_t  weight   = term->weight;
    const uint32_t  mass     = term->mass;
    uint16_t       *bounds   = scorer->bounds;
    deft__row_sums *loose    = scorer->loose;
    for (; postings < end; postings++) {
        const uint32_t  block = deft__block_of(*postings);
        const uint32_t  at    = deft__place_of(*postings) % DEFT__BLOCK_SIZE;
        deft__row_sums *sums  = &loose[block];
        const uint32_t  sum   = sums->scores[at] + deft__gain(weight, deft__impact_of(*postings));
        sums->scores[at]      = (uint16_t)sum;
        sums->masses[at]      = (uint16_t)(sums->masses[at] + mass);
        bounds[block]         = (uint16_t)larger(sum, bounds[block]);
    }
}

static void forget_postings(deft__scorer *scorer, const deft__sparse_term *term)
{
    const uint32_t *postings = term->postings;
    const uint32_t *end      = postings + term->count;
    deft__row_sums *loose    = scorer->loose;
    for (; postings < end; postings++) {
        const uint32_t  at   = deft__place_of(*postings) % DEFT__BLOCK_SIZE;
        deft__row_sums *sums = &loose[deft__block_of(*postings)];
        sums->scores[at]     = 0;
        sums->masses[at]     = 0;
    }
}

// Bounds the blocks of a term whose postings are not summed up.
static void bound_postings(deft__scorer *scorer, const deft__sparse_term *term)
{
    uint32_t last    = DEFT__NONE; // the block before
    uint32_t largest = 0;          // gain in it so far
    for (uint32_t p = 0; p < term->count; p++) {
        const uint32_t posting = term->postings[p];
        const uint32_t block   = deft__block_of(posting);
        const uint32_t gain    = deft__gain(term->weight, deft__impact_of(posting));
        const uint32_t known   = largest & (0u - (uint32_t)(block == last));
        largest                = larger(gain, known);
        last                   = block;
        const uint32_t bound   = scorer->bounds[block] + largest - known;
        scorer->bounds[block]  = (uint16_t)(bound < UINT16_MAX ? bound : UINT16_MAX);
    }
}

// Bounds the blocks for the terms without rows: first for those that are summed up, then for those that
// are too many for that.
static void bound_sparse(deft__scorer *scorer)
{
    const size_t      count = scorer->sparse_count;
    deft__sparse_term late[DEFT__WEIGHTED_MAX];
    size_t            late_count = 0;
    uint32_t          postings   = 0;
    scorer->summed_count         = 0;
    for (size_t t = 0; t < count; t++) {
        const deft__sparse_term term = scorer->sparse[t];
        if (!scorer->is_wide && term.count <= DEFT__RARE_POSTINGS_MAX - postings) {
            postings += term.count;
            sum_postings(scorer, &term);
            scorer->sparse[scorer->summed_count++] = term;
        } else {
            late[late_count++] = term;
        }
    }
    for (size_t t = 0; t < late_count; t++) {
        bound_postings(scorer, &late[t]);
        scorer->sparse[scorer->summed_count + t] = late[t];
    }
}

// Bounds the blocks for each term, first for those without rows, and makes ready for scoring them.
static void take_terms(deft__scorer *scorer, const deft__expansion *e)
{
    const deft__image *image  = scorer->image;
    const size_t       size   = (size_t)image->block_count * sizeof *scorer->bounds;
    uint64_t           weight = 0;
    for (size_t i = 0; i < e->term_count; i++) {
        weight += e->terms[i].weight;
    }
    scorer->is_wide      = weight > UINT16_MAX;
    scorer->dense_count  = 0;
    scorer->sparse_count = 0;
    memset(scorer->bounds, 0, size);
    for (size_t i = 0; i < e->term_count; i++) {
        // A weight is at most some three times the largest rarity, which 16 bits hold.
        const deft__term *term = &image->terms[e->terms[i].term];
        const uint16_t    own  = (uint16_t)e->terms[i].weight;
        const uint16_t    mass = (uint16_t)deft__coverage_of(e, &e->terms[i]);
        if (term->block == DEFT__NONE) {
            scorer->sparse[scorer->sparse_count++] =
                (deft__sparse_term){image->postings + term->posting, term->count, own, mass};
        } else {
            keep_dense(scorer, (deft__row_term){deft__blocks_of(image, term), own, mass});
        }
    }
    bound_sparse(scorer);
    memcpy(scorer->rare_bounds, scorer->bounds, size);
    for (size_t t = 0; t < scorer->dense_count; t++) {
        const deft__row_term *term = &scorer->dense[t];
        deft__add_bounds(scorer->bounds, term->blocks.maxima, image->block_count, term->weight);
    }
}

// --- one block -----------------------------------------------------------------------------

// A term's first posting in a block.
static const uint32_t *find_posting(const deft__sparse_term *term, uint32_t block)
{
    const uint32_t least = block << (DEFT__IMPACT_BITS + DEFT__BLOCK_BITS);
    return term->postings + deft__find_least(term->postings, term->count, least);
}

static bool is_in_block(const deft__sparse_term *term, const uint32_t *posting, uint32_t block)
{
    return posting < term->postings + term->count && deft__block_of(*posting) == block;
}

static void add_one(deft__row_sums *sums, uint32_t place, uint32_t gain, uint32_t mass)
{
    const uint32_t at = place % DEFT__BLOCK_SIZE;
    sums->scores[at]  = (uint16_t)(sums->scores[at] + gain);
    sums->masses[at]  = (uint16_t)(sums->masses[at] + mass);
}

// Sums up the postings in a block that are in no row, in `sums` where they are not summed up yet.
static const deft__row_sums *sum_rare(const deft__scorer *scorer, uint32_t block,
                                      deft__row_sums *sums)
{
    if (scorer->summed_count == scorer->sparse_count) {
        return &scorer->loose[block];
    }
    *sums = scorer->loose[block];
    for (size_t t = scorer->summed_count; t < scorer->sparse_count; t++) {
        const deft__sparse_term *term = &scorer->sparse[t];
        for (const uint32_t *p = find_posting(term, block); is_in_block(term, p, block); p++) {
            add_one(sums, deft__place_of(*p), deft__gain(term->weight, deft__impact_of(*p)),
                    term->mass);
        }
    }
    return sums;
}

// Sums up a block; which of its places reach the bar. Where none does, `sums` is of no use.
static uint64_t sum_block(const deft__scorer *scorer, uint32_t block, uint32_t bar,
                          deft__row_sums *sums)
{
    deft__row_sums       rare;
    const deft__row_work work = {
        .terms = scorer->dense,
        .count = scorer->dense_count,
        .start = sum_rare(scorer, block, &rare),
        .block = block,
        .rest  = (uint32_t)scorer->bounds[block] - scorer->rare_bounds[block],
        .bar   = bar,
    };
    return deft__add_rows(&work, sums);
}

static void offer(const deft__scorer *scorer, uint32_t block, uint64_t places,
                  const deft__row_sums *sums, deft__best *best)
{
    const uint32_t *tools = scorer->image->tools + (size_t)block * DEFT__BLOCK_SIZE;
    for (; places != 0; places &= places - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(places);
        deft__best_offer(best, tools[at],
                         (uint32_t)sums->masses[at] << DEFT__SCORE_BITS | sums->scores[at]);
    }
}

// The same for one block where 16 bits do not hold every sum: term by term.
static void score_wide(deft__scorer *scorer, uint32_t block, deft__best *best)
{
    const uint32_t *tools = scorer->image->tools + (size_t)block * DEFT__BLOCK_SIZE;
    uint32_t        sums[DEFT__BLOCK_SIZE] = {0};
    deft__row_sums  row;
    for (size_t t = 0; t < scorer->dense_count; t++) {
        const deft__row_work work = {.terms = &scorer->dense[t],
                                     .count = 1,
                                     .start = &scorer->loose[block], // zeros: nothing is summed up
                                     .block = block};
        (void)deft__add_rows(&work, &row);
        for (size_t at = 0; at < DEFT__BLOCK_SIZE; at++) {
            sums[at] += (uint32_t)row.masses[at] << DEFT__SCORE_BITS | row.scores[at];
        }
    }
    for (size_t t = 0; t < scorer->sparse_count; t++) {
        const deft__sparse_term *term = &scorer->sparse[t];
        for (const uint32_t *p = find_posting(term, block); is_in_block(term, p, block); p++) {
            sums[deft__place_of(*p) % DEFT__BLOCK_SIZE] +=
                (uint32_t)term->mass << DEFT__SCORE_BITS |
                deft__gain(term->weight, deft__impact_of(*p));
        }
    }
    for (size_t at = 0; at < DEFT__BLOCK_SIZE; at++) {
        if ((sums[at] & DEFT__SCORE_MASK) >= deft__best_bar(best)) {
            deft__best_offer(best, tools[at], sums[at]);
        }
    }
}

// --- which blocks --------------------------------------------------------------------------

// Lists the blocks whose bounds are at least `least` and below `limit`; how many.
static uint32_t list_blocks(deft__scorer *scorer, uint32_t least, uint32_t limit)
{
    const uint32_t blocks = scorer->image->block_count;
    uint32_t       listed = 0;
    uint16_t       found[LISTED_AT_ONCE];
    for (uint32_t from = 0; from < blocks; from += LISTED_AT_ONCE) {
        const uint32_t count = blocks - from < LISTED_AT_ONCE ? blocks - from : LISTED_AT_ONCE;
        const size_t   some  = deft__scan_all(scorer->bounds + from, count, least, found);
        for (size_t i = 0; i < some; i++) {
            scorer->listed[listed] = from + found[i];
            listed += scorer->bounds[from + found[i]] < limit;
        }
    }
    return listed;
}

// The bar as bounds know it.
static uint32_t bar_of(const deft__best *best)
{
    const uint32_t bar = deft__best_bar(best);
    return bar < UINT16_MAX ? bar : UINT16_MAX;
}

// Scores the listed blocks from `from` to `to`, but for those that cannot reach the bar any more.
static void score_listed(deft__scorer *scorer, uint32_t from, uint32_t to, deft__best *best)
{
    deft__row_sums sums;
    for (uint32_t i = from; i < to; i++) {
        const uint32_t block = scorer->listed[i];
        if (scorer->bounds[block] < bar_of(best)) {
            continue;
        } else if (scorer->is_wide) {
            score_wide(scorer, block, best);
        } else {
            const uint64_t places = sum_block(scorer, block, deft__best_bar(best), &sums);
            offer(scorer, block, places, &sums, best);
        }
    }
}

// The sums of the blocks that are scored first.
typedef struct first_sums {
    deft__row_sums sums[FIRST_BLOCKS];
    uint16_t       scores[FIRST_BLOCKS * DEFT__BLOCK_SIZE]; // the same once more, without gaps
    uint32_t       count;                                   // blocks; the first of those listed
} first_sums;

// Offers the tools whose scores are at least `least` and below `limit`.
static void offer_first(const deft__scorer *scorer, const first_sums *first, uint32_t least,
                        uint32_t limit, deft__best *best)
{
    uint16_t     found[FIRST_BLOCKS * DEFT__BLOCK_SIZE];
    const size_t places = (size_t)first->count * DEFT__BLOCK_SIZE;
    const size_t some   = deft__scan_all(first->scores, places, least, found);
    for (size_t i = 0; i < some; i++) {
        const uint32_t        block = found[i] / DEFT__BLOCK_SIZE;
        const uint32_t        at    = found[i] % DEFT__BLOCK_SIZE;
        const deft__row_sums *sums  = &first->sums[block];
        if (sums->scores[at] < limit) {
            deft__best_offer(best,
                             scorer->image->tools[scorer->listed[block] * DEFT__BLOCK_SIZE + at],
                             (uint32_t)sums->masses[at] << DEFT__SCORE_BITS | sums->scores[at]);
        }
    }
}

// Sums up the first `count` of the listed blocks before it offers any tool: one look at all sums then
// tells which scores are too low, and nearly every tool that is offered stays.
static void score_first(deft__scorer *scorer, uint32_t count, deft__best *best)
{
    first_sums first;
    first.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t  block = scorer->listed[i];
        deft__row_sums *sums  = &first.sums[first.count];
        if (sum_block(scorer, block, 1, sums) != 0) {
            memcpy(first.scores + first.count * DEFT__BLOCK_SIZE, sums->scores,
                   sizeof sums->scores);
            scorer->listed[first.count++] = block;
        }
    }
    const uint32_t nth =
        deft__nth_largest(first.scores, (size_t)first.count * DEFT__BLOCK_SIZE, best->max);
    const uint32_t least = nth > 0 ? nth : 1;
    offer_first(scorer, &first, least, UINT32_MAX, best);
    // Some may not have been allowed. Then those below get their places.
    if (least > 1 && best->count < best->max) {
        offer_first(scorer, &first, 1, least, best);
    }
}

void deft__scorer_run(deft__scorer *scorer, const deft__expansion *expansion, deft__best *best)
{
    take_terms(scorer, expansion);
    const uint32_t nth =
        deft__nth_largest(scorer->bounds, scorer->image->block_count, FIRST_BLOCKS);
    const uint32_t least  = nth > 0 ? nth : 1; // nothing in blocks that no term touches
    const uint32_t listed = list_blocks(scorer, least, UINT16_MAX + 1u);
    uint32_t       first  = 0;
    if (!scorer->is_wide) {
        first = listed < FIRST_BLOCKS ? listed : FIRST_BLOCKS;
        score_first(scorer, first, best);
    }
    score_listed(scorer, first, listed, best);
    score_listed(scorer, 0, list_blocks(scorer, bar_of(best), least), best);
    for (size_t t = 0; t < scorer->summed_count; t++) {
        forget_postings(scorer, &scorer->sparse[t]);
    }
}
