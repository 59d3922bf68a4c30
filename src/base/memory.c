#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void *deft__resize(const deft_allocator *allocator, void *pointer, size_t old_size, size_t size)
{
    if (allocator != NULL) {
        return allocator->resize(allocator->context, pointer, old_size, size);
    } else if (size == 0) {
        free(pointer);
        return NULL;
    } else {
        return realloc(pointer, size);
    }
}

void *deft__new(const deft_allocator *allocator, size_t size)
{
    void *pointer = deft__resize(allocator, NULL, 0, size);
    if (pointer != NULL) {
        memset(pointer, 0, size);
    }
    return pointer;
}

void deft__free(const deft_allocator *allocator, void *pointer, size_t size)
{
    if (pointer != NULL) {
        (void)deft__resize(allocator, pointer, size, 0);
    }
}

bool deft__add_size(size_t a, size_t b, size_t *result)
{
    if (b > SIZE_MAX - a) {
        return false;
    }
    *result = a + b;
    return true;
}

bool deft__multiply_size(size_t a, size_t b, size_t *result)
{
    if (a != 0 && b > SIZE_MAX / a) {
        return false;
    }
    *result = a * b;
    return true;
}

bool deft__grow(const deft_allocator *allocator, void **items, size_t *capacity, size_t count,
                size_t item_size)
{
    if (count < *capacity) {
        return true;
    }

    // Doubling keeps the cost of appending constant on average; 8 is where most lists end.
    size_t wanted = 8;
    size_t bytes  = 0;
    if (*capacity >= wanted && !deft__multiply_size(*capacity, 2, &wanted)) {
        return false;
    }
    if (!deft__multiply_size(wanted, item_size, &bytes)) {
        return false;
    }

    void *grown = deft__resize(allocator, *items, *capacity * item_size, bytes);
    if (grown == NULL) {
        return false;
    }
    *items    = grown;
    *capacity = wanted;
    return true;
}
