#include "core/catalog/lookup.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

bool deft__lookup_init(deft__lookup *lookup, size_t item_count_max, const deft_allocator *allocator)
{
    *lookup = (deft__lookup){0};
    if (item_count_max == 0) {
        return true;
    }
    assert(item_count_max < DEFT__LOOKUP_END);
    size_t bucket_count = 16;
    while (bucket_count < item_count_max) {
        bucket_count *= 2;
    }
    uint32_t *heads = deft__resize(allocator, NULL, 0, bucket_count * sizeof *heads);
    uint32_t *nexts = deft__resize(allocator, NULL, 0, item_count_max * sizeof *nexts);
    if (heads == NULL || nexts == NULL) {
        deft__free(allocator, heads, bucket_count * sizeof *heads);
        deft__free(allocator, nexts, item_count_max * sizeof *nexts);
        return false;
    }
    memset(heads, 0xFF, bucket_count * sizeof *heads); // END everywhere
    *lookup = (deft__lookup){heads, nexts, bucket_count, item_count_max};
    return true;
}

void deft__lookup_clear(deft__lookup *lookup, const deft_allocator *allocator)
{
    deft__free(allocator, lookup->heads, lookup->bucket_count * sizeof *lookup->heads);
    deft__free(allocator, lookup->nexts, lookup->item_count_max * sizeof *lookup->nexts);
    *lookup = (deft__lookup){0};
}

void deft__lookup_add(deft__lookup *lookup, uint64_t hash, uint32_t item)
{
    assert(item < lookup->item_count_max);
    uint32_t *head      = &lookup->heads[hash & (lookup->bucket_count - 1)];
    lookup->nexts[item] = *head;
    *head               = item;
}

uint32_t deft__lookup_first(const deft__lookup *lookup, uint64_t hash)
{
    if (lookup->bucket_count == 0) {
        return DEFT__LOOKUP_END;
    }
    return lookup->heads[hash & (lookup->bucket_count - 1)];
}

uint32_t deft__lookup_next(const deft__lookup *lookup, uint32_t item)
{
    return lookup->nexts[item];
}

size_t deft__lookup_memory(const deft__lookup *lookup)
{
    return lookup->bucket_count * sizeof *lookup->heads +
           lookup->item_count_max * sizeof *lookup->nexts;
}
