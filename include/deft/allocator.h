// allocator.h - where memory comes from. Every object remembers the allocator that it was made
// with; NULL stands for the C library's heap. An allocator may be shared by objects of one thread;
// to share it between threads, its function must allow that (the default one does).
#ifndef DEFT_ALLOCATOR_H
#define DEFT_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_allocator {
    // One function for all three jobs. `pointer` NULL: allocate `size` bytes. `size` 0: free
    // `pointer` and return NULL. Otherwise resize from `old_size` to `size`, keeping the content
    // up to the smaller of the two. NULL on failure leaves the old memory as it was. Memory is
    // aligned for any object.
    void *(*resize)(void *context, void *pointer, size_t old_size, size_t size);
    void *context;
} deft_allocator;

#ifdef __cplusplus
}
#endif
#endif
