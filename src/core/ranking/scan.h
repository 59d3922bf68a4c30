// scan.h - the loops over many numbers that are worth the processor's wide registers. Each has
// a plain version and wide ones that give the same bits; which is used is decided at run time.
#ifndef DEFT_CORE_RANKING_SCAN_H
#define DEFT_CORE_RANKING_SCAN_H

#include <stddef.h>
#include <stdint.h>

// Every index below `count`, which is at most 65,536, where values[index] >= least, into `found`; how
// many.
size_t deft__scan_all(const uint16_t *values, size_t count, uint32_t least, uint16_t *found);

// A number that at least `nth` of the values reach, and not many more: the largest such number but for
// what an eighth of `nth` more or less makes. 0 when there are no more than `nth`.
uint32_t deft__nth_largest(const uint16_t *values, size_t count, size_t nth);

// How many of `count` keys, which all differ, are higher than each.
void deft__rank_all(const uint64_t *keys, size_t count, uint16_t *ranks);

// The first index from `from` on where letters[index] differs from `wanted` in at most `bits_max`
// bits; `count` when there is none.
size_t deft__scan_letters(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                          unsigned bits_max);

// bounds[i] += weight * maxima[i] >> 8, for `count` items, but never above UINT16_MAX.
void deft__add_bounds(uint16_t *bounds, const uint8_t *maxima, size_t count, uint16_t weight);

// All of them in one width, for tests to compare.
typedef struct deft__scans {
    size_t (*all)(const uint16_t *values, size_t count, uint32_t least, uint16_t *found);
    uint32_t (*nth_largest)(const uint16_t *values, size_t count, size_t nth);
    void (*rank_all)(const uint64_t *keys, size_t count, uint16_t *ranks);
    size_t (*letters)(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                      unsigned bits_max);
    void (*add_bounds)(uint16_t *bounds, const uint8_t *maxima, size_t count, uint16_t weight);
} deft__scans;

typedef enum deft__width {
    DEFT__WIDTH_PLAIN,
    DEFT__WIDTH_AVX2,
    DEFT__WIDTH_AVX512
} deft__width;

// Those of a width or, where the processor does not have it, of the next one below.
const deft__scans *deft__scans_of(deft__width width);

#endif
