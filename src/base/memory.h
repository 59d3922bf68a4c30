// memory.h - the one way to ask an allocator for memory, and size arithmetic that cannot wrap.
#ifndef DEFT_BASE_MEMORY_H
#define DEFT_BASE_MEMORY_H

#include "deft/allocator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Grows, shrinks, allocates (pointer NULL) or frees (size 0). `allocator` NULL: the heap.
void *deft__resize(const deft_allocator *allocator, void *pointer, size_t old_size, size_t size);

// Memory for one object, all bytes zero. NULL when there is none.
void *deft__new(const deft_allocator *allocator, size_t size);

// Gives `size` bytes at `pointer` back; NULL is fine.
void deft__free(const deft_allocator *allocator, void *pointer, size_t size);

// a + b or a * b into `result`; false, and `result` untouched, when it does not fit.
bool deft__add_size(size_t a, size_t b, size_t *result);
bool deft__multiply_size(size_t a, size_t b, size_t *result);

// Makes room for one more item in a growing array of `item_size`-byte items: `*items` has room
// for `*capacity` of which `count` are used. False when there is no memory; the array is then
// unchanged.
bool deft__grow(const deft_allocator *allocator, void **items, size_t *capacity, size_t count,
                size_t item_size);

#endif
