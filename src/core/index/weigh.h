// weigh.h - how much a word says of a tool through one field: the formula that an index is built
// with, and that an explanation takes apart again.
#ifndef DEFT_CORE_INDEX_WEIGH_H
#define DEFT_CORE_INDEX_WEIGH_H

#include "deft/explain.h"

#include <stdint.h>

#define DEFT__FIELD_COUNT 8

// A word repeated more often than this in one field adds nothing: no one can shout their way up.
#define DEFT__REPEATS_MAX 3u

// A field over all tools, for knowing how long it usually is.
typedef struct deft__field_total {
    uint64_t words;
    uint64_t tools; // that have the field at all
} deft__field_total;

// What `repeats` of a word in a field of `length` words are worth, in 1/1024. BM25F sums this over
// the fields.
uint64_t deft__field_worth(deft_field field, const deft__field_total *total, uint32_t repeats,
                           uint32_t length);

// BM25's saturation of the summed worth, as a byte: 255 * worth / (worth + k1), at least 1.
uint8_t deft__impact_from(uint64_t worth);

#endif
