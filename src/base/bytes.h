// bytes.h - bytes that several hold together, wherever their maker has put them: on the heap, or in a
// mapped file. They never change and are counted; threads may share them.
#ifndef DEFT_BASE_BYTES_H
#define DEFT_BASE_BYTES_H

#include "deft/allocator.h"
#include "deft/view.h"

#include <stdatomic.h>

// The first member of whatever its maker needs besides.
typedef struct deft__bytes {
    deft_view     view;
    atomic_size_t reader_count;
    void (*free)(struct deft__bytes *bytes); // the whole object, after the last release
} deft__bytes;

// For makers: one reader, the caller.
void deft__bytes_init(deft__bytes *bytes, deft_view view, void (*free)(deft__bytes *bytes));

// A copy on the heap, at an address that suits any type. New: release it. NULL: no memory.
deft__bytes *deft__bytes_copy(deft_view view, const deft_allocator *allocator);

deft__bytes *deft__bytes_retain(deft__bytes *bytes);  // returns its argument; NULL is fine
void         deft__bytes_release(deft__bytes *bytes); // NULL is fine

#endif
