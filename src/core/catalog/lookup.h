// lookup.h - finds items by the hash of a key that is kept elsewhere. Buckets of chains, both as
// plain arrays of item numbers: 8 to 12 bytes an item. Several items may share a key; they come
// out with the last added first. The caller compares keys. Adding never compares, so keys that a
// stranger chose to be equal cost nothing while building.
#ifndef DEFT_CORE_CATALOG_LOOKUP_H
#define DEFT_CORE_CATALOG_LOOKUP_H

#include "deft/allocator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEFT__LOOKUP_END UINT32_MAX

typedef struct deft__lookup {
    uint32_t *heads;        // by bucket: the first item, or END
    uint32_t *nexts;        // by item: the next one of the same bucket, or END
    size_t    bucket_count; // a power of two, or 0
    size_t    item_count_max;
} deft__lookup;

// Room for the items 0 to item_count_max - 1. False when there is no memory.
bool deft__lookup_init(deft__lookup *lookup, size_t item_count_max,
                       const deft_allocator *allocator);
void deft__lookup_clear(deft__lookup *lookup, const deft_allocator *allocator);

// Adds `item`, which is not in there yet.
void deft__lookup_add(deft__lookup *lookup, uint64_t hash, uint32_t item);

// Walks the items that may have this hash: first, next, next, ... until END.
uint32_t deft__lookup_first(const deft__lookup *lookup, uint64_t hash);
uint32_t deft__lookup_next(const deft__lookup *lookup, uint32_t item);

size_t deft__lookup_memory(const deft__lookup *lookup); // bytes

#endif
