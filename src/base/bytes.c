#include "base/bytes.h"

#include "base/memory.h"

#include <stddef.h>
#include <string.h>

typedef struct copied {
    deft__bytes           bytes;
    size_t                size; // of all this
    const deft_allocator *allocator;
    max_align_t           content[];
} copied;

void deft__bytes_init(deft__bytes *bytes, deft_view view, void (*free)(deft__bytes *bytes))
{
    bytes->view = view;
    bytes->free = free;
    atomic_init(&bytes->reader_count, 1);
}

static void free_copied(deft__bytes *bytes)
{
    copied *self = (copied *)(void *)bytes; // its first member
    deft__free(self->allocator, self, self->size);
}

deft__bytes *deft__bytes_copy(deft_view view, const deft_allocator *allocator)
{
    const size_t size = sizeof(copied) + view.size;
    copied      *self = size >= view.size ? deft__resize(allocator, NULL, 0, size) : NULL;
    if (self == NULL) {
        return NULL;
    }
    self->size      = size;
    self->allocator = allocator;
    if (view.size > 0) {
        memcpy(self->content, view.data, view.size);
    }
    deft__bytes_init(&self->bytes, deft_view_make((const char *)self->content, view.size),
                     free_copied);
    return &self->bytes;
}

deft__bytes *deft__bytes_retain(deft__bytes *bytes)
{
    if (bytes != NULL) {
        atomic_fetch_add_explicit(&bytes->reader_count, 1, memory_order_relaxed);
    }
    return bytes;
}

void deft__bytes_release(deft__bytes *bytes)
{
    // Whoever frees has to see what the others did before they let go.
    if (bytes != NULL &&
        atomic_fetch_sub_explicit(&bytes->reader_count, 1, memory_order_acq_rel) == 1) {
        bytes->free(bytes);
    }
}
