// place.h - which tools lie side by side in an image: those whose names have the same words. All
// tools that create something lie together and, among them, all that create an issue.
#ifndef DEFT_CORE_INDEX_PLACE_H
#define DEFT_CORE_INDEX_PLACE_H

#include <stddef.h>
#include <stdint.h>

// Words of a name that decide: more than four hardly ever differ only behind.
#define DEFT__PLACING_KEYS 4

typedef struct deft__placing {
    uint32_t keys[DEFT__PLACING_KEYS]; // ascending; what comes first is compared first
    uint32_t number;                   // of what is placed; decides among equals
} deft__placing;

// Adds a key, of which a placing that was zero before has `*count`. The lowest are kept.
void deft__placing_add(deft__placing *placing, size_t *count, uint32_t key);

// Sorts `count` items; `spare` has room for as many. The result is in the one that is returned.
deft__placing *deft__sort_placings(deft__placing *items, deft__placing *spare, size_t count);

#endif
