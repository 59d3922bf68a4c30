// scan.h - the loops over many numbers that are worth the processor's wide registers. Each has
// a plain version and wide ones that give the same bits; which is used is decided at run time.
#ifndef DEFT_CORE_RANKING_SCAN_H
#define DEFT_CORE_RANKING_SCAN_H

#include <stddef.h>
#include <stdint.h>

// The first index from `from` on where (values[index] & mask) >= least; `count` when there is
// none.
size_t deft__scan(const uint32_t *values, size_t from, size_t count, uint32_t mask, uint32_t least);

// Every index below `count`, which is at most 65,536, where (values[index] & mask) >= least, into
// `found`; how many.
size_t deft__scan_all(const uint32_t *values, size_t count, uint32_t mask, uint32_t least,
                      uint16_t *found);

// The first index from `from` on where letters[index] differs from `wanted` in at most `bits_max`
// bits; `count` when there is none.
size_t deft__scan_letters(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                          unsigned bits_max);

// bounds[i] += weight * maxima[i] >> 8, for `count` items.
void deft__add_bounds(uint32_t *bounds, const uint8_t *maxima, size_t count, uint32_t weight);

// The plain versions, for tests to compare with.
size_t deft__scan_plain(const uint32_t *values, size_t from, size_t count, uint32_t mask,
                        uint32_t least);
size_t deft__scan_all_plain(const uint32_t *values, size_t count, uint32_t mask, uint32_t least,
                            uint16_t *found);
size_t deft__scan_letters_plain(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                                unsigned bits_max);
void deft__add_bounds_plain(uint32_t *bounds, const uint8_t *maxima, size_t count, uint32_t weight);

#endif
