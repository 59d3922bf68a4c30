// map.h - finds a number by a text: open addressing with linear probing. Keys are borrowed: the
// caller keeps their bytes alive as long as the map. A zeroed map is an empty one.
#ifndef DEFT_BASE_MAP_H
#define DEFT_BASE_MAP_H

#include "deft/allocator.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__map_slot {
    deft_view key; // data NULL: the slot is free
    uint64_t  hash;
    uint32_t  value;
} deft__map_slot;

typedef struct deft__map {
    deft__map_slot       *slots;
    size_t                capacity; // a power of two, or 0
    size_t                count;
    uint64_t              seed;
    const deft_allocator *allocator;
} deft__map;

void deft__map_init(deft__map *map, uint64_t seed, const deft_allocator *allocator);
void deft__map_clear(deft__map *map); // frees; the map is then as fresh as after init

// The value under `key`; false when there is none.
bool deft__map_find(const deft__map *map, deft_view key, uint32_t *value);

// Puts `value` under `key`, in place of a value that is there already. False: no memory.
bool deft__map_put(deft__map *map, deft_view key, uint32_t value);

#endif
