// arena.h - memory that is freed all at once. Objects of one lifetime (a catalog, a request) are
// cut from large blocks, so there is nothing to free one by one and nothing to forget.
#ifndef DEFT_BASE_ARENA_H
#define DEFT_BASE_ARENA_H

#include "deft/allocator.h"
#include "deft/view.h"

typedef struct deft__arena_block deft__arena_block;

typedef struct deft__arena {
    deft__arena_block    *blocks; // newest first
    size_t                size;   // bytes taken from the allocator, for reporting
    const deft_allocator *allocator;
} deft__arena;

void deft__arena_init(deft__arena *arena, const deft_allocator *allocator);
void deft__arena_clear(deft__arena *arena); // frees every block; usable again

// `size` zeroed bytes, aligned for any object; NULL when there is no memory.
void *deft__arena_alloc(deft__arena *arena, size_t size);

// Zeroed room for `count` items of `item_size` bytes; NULL when there is no memory.
void *deft__arena_array(deft__arena *arena, size_t count, size_t item_size);

// A copy of `text`, with a NUL after it, into `copy`; false when there is no memory.
bool deft__arena_copy(deft__arena *arena, deft_view text, deft_view *copy);

#endif
