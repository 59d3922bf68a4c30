#include "base/map.h"

#include "base/hash.h"
#include "base/memory.h"

// An empty key still needs an address, because NULL marks a free slot.
static deft_view with_address(deft_view key)
{
    return key.data != NULL ? key : deft_view_make("", 0);
}

void deft__map_init(deft__map *map, uint64_t seed, const deft_allocator *allocator)
{
    *map = (deft__map){.seed = seed, .allocator = allocator};
}

void deft__map_clear(deft__map *map)
{
    deft__free(map->allocator, map->slots, map->capacity * sizeof *map->slots);
    deft__map_init(map, map->seed, map->allocator);
}

// The slot that holds `key`, or the free one where it belongs. There is always a free slot.
static deft__map_slot *slot_of(deft__map_slot *slots, size_t capacity, deft_view key, uint64_t hash)
{
    size_t at = (size_t)hash & (capacity - 1);
    while (slots[at].key.data != NULL &&
           !(slots[at].hash == hash && deft_view_equal(slots[at].key, key))) {
        at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
}

bool deft__map_find(const deft__map *map, deft_view key, uint32_t *value)
{
    if (map->capacity == 0) {
        return false;
    }
    const uint64_t        hash = deft__hash(key, map->seed);
    const deft__map_slot *slot = slot_of(map->slots, map->capacity, with_address(key), hash);
    if (slot->key.data == NULL) {
        return false;
    }
    *value = slot->value;
    return true;
}

static bool rehash(deft__map *map, size_t capacity)
{
    size_t bytes = 0;
    if (!deft__multiply_size(capacity, sizeof *map->slots, &bytes)) {
        return false;
    }
    deft__map_slot *slots = deft__new(map->allocator, bytes);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        const deft__map_slot *old = &map->slots[i];
        if (old->key.data != NULL) {
            *slot_of(slots, capacity, old->key, old->hash) = *old;
        }
    }
    deft__free(map->allocator, map->slots, map->capacity * sizeof *map->slots);
    map->slots    = slots;
    map->capacity = capacity;
    return true;
}

bool deft__map_put(deft__map *map, deft_view key, uint32_t value)
{
    // At most half full: probes stay short even where neighbours cluster.
    if (map->count * 2 >= map->capacity &&
        !rehash(map, map->capacity == 0 ? 16 : map->capacity * 2)) {
        return false;
    }
    const deft_view kept = with_address(key);
    const uint64_t  hash = deft__hash(kept, map->seed);
    deft__map_slot *slot = slot_of(map->slots, map->capacity, kept, hash);
    if (slot->key.data == NULL) {
        map->count++;
        slot->key  = kept;
        slot->hash = hash;
    }
    slot->value = value;
    return true;
}
