// rows.h - what the terms of a query say of the 64 places of a block, summed up. A row is one term in
// one block: which places have it, and how much it says of each. As in scan.h there is a plain version
// and wide ones that give the same bits.
#ifndef DEFT_CORE_RANKING_ROWS_H
#define DEFT_CORE_RANKING_ROWS_H

#include "core/index/image.h"

typedef struct deft__row_term {
    deft__blocks blocks;
    uint16_t     weight;
    uint16_t     mass; // what having it adds to a place's coverage
} deft__row_term;

// By place of a block.
typedef struct deft__row_sums {
    uint16_t scores[DEFT__BLOCK_SIZE];
    uint16_t masses[DEFT__BLOCK_SIZE];
} deft__row_sums;

// What a place's score gains from a term.
static inline uint32_t deft__gain(uint32_t weight, uint32_t impact)
{
    return weight * impact >> DEFT__IMPACT_BITS;
}

// What one addition is about.
typedef struct deft__row_work {
    const deft__row_term *terms; // those that add most first, so that it can stop early
    size_t                count;
    const deft__row_sums *start; // what they are added to
    uint32_t              block;
    uint32_t              rest; // no place gains more than this from all terms together
    uint32_t              bar;  // a score that is enough; 0: all are
} deft__row_work;

// Adds the rows of a block and leaves the sums in `sums`. No sum may be above UINT16_MAX. Returns one bit
// for each place whose score reaches the bar. Once no place can reach it any more it stops, and `sums` is
// of no use.
uint64_t deft__add_rows(const deft__row_work *work, deft__row_sums *sums);

// Narrower versions, for tests to compare with. Where the processor has no AVX2 both are plain.
uint64_t deft__add_rows_avx2(const deft__row_work *work, deft__row_sums *sums);
uint64_t deft__add_rows_plain(const deft__row_work *work, deft__row_sums *sums);

#endif
