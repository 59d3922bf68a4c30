#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>

struct deft__arena_block {
    deft__arena_block *next;
    size_t             capacity; // bytes of data
    size_t             used;
    alignas(max_align_t) char data[];
};

// Of the first block. A request, of which there may be thousands, fits into it; a catalog needs more
// blocks, each as large as all before it.
static const size_t block_size_min = 1024 - sizeof(deft__arena_block);

void deft__arena_init(deft__arena *arena, const deft_allocator *allocator)
{
    *arena = (deft__arena){.allocator = allocator};
}

void deft__arena_clear(deft__arena *arena)
{
    deft__arena_block *block = arena->blocks;
    while (block != NULL) {
        deft__arena_block *next = block->next;
        deft__free(arena->allocator, block, sizeof *block + block->capacity);
        block = next;
    }
    deft__arena_init(arena, arena->allocator);
}

static bool add_block(deft__arena *arena, size_t size)
{
    // Growing with what is there keeps the number of blocks logarithmic.
    size_t capacity = arena->size > block_size_min ? arena->size : block_size_min;
    if (capacity < size) {
        capacity = size;
    }
    size_t bytes = 0;
    if (!deft__add_size(sizeof(deft__arena_block), capacity, &bytes)) {
        return false;
    }
    deft__arena_block *block = deft__new(arena->allocator, bytes);
    if (block == NULL) {
        return false;
    }
    block->capacity = capacity;
    block->next     = arena->blocks;
    arena->blocks   = block;
    arena->size += bytes;
    return true;
}

void *deft__arena_alloc(deft__arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    size_t       rounded   = 0;
    if (!deft__add_size(size, alignment - 1, &rounded)) {
        return NULL;
    }
    rounded -= rounded % alignment;

    if (arena->blocks == NULL || arena->blocks->capacity - arena->blocks->used < rounded) {
        if (!add_block(arena, rounded)) {
            return NULL;
        }
    }
    void *pointer = arena->blocks->data + arena->blocks->used;
    arena->blocks->used += rounded;
    return pointer;
}

void *deft__arena_array(deft__arena *arena, size_t count, size_t item_size)
{
    size_t bytes = 0;
    return deft__multiply_size(count, item_size, &bytes) ? deft__arena_alloc(arena, bytes) : NULL;
}

bool deft__arena_copy(deft__arena *arena, deft_view text, deft_view *copy)
{
    char  *bytes = NULL;
    size_t size  = 0;
    if (deft__add_size(text.size, 1, &size)) {
        bytes = deft__arena_alloc(arena, size);
    }
    if (bytes == NULL) {
        return false;
    }
    if (text.size > 0) {
        memcpy(bytes, text.data, text.size);
    }
    *copy = deft_view_make(bytes, text.size);
    return true;
}
