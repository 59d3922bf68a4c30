// buffer.h - a growing run of bytes: what calls write their text into. It lives in your storage,
// grows as needed, and is sticky: after one append has failed all later ones do nothing, so a
// writer appends freely and checks `status` once at the end. A buffer belongs to one thread.
#ifndef DEFT_BUFFER_H
#define DEFT_BUFFER_H

#include "deft/allocator.h"
#include "deft/error.h"
#include "deft/export.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_buffer {
    char                 *data;
    size_t                size;      // bytes in use
    size_t                capacity;  // bytes allocated
    deft_status           status;    // DEFT_OK, or why appending stopped
    const deft_allocator *allocator; // NULL: the C library's heap
} deft_buffer;

// Starts empty; nothing is allocated yet. `allocator` must outlive the buffer.
DEFT_API void deft_buffer_init(deft_buffer *buffer, const deft_allocator *allocator);

// Frees the memory; the buffer is then as fresh as after init.
DEFT_API void deft_buffer_clear(deft_buffer *buffer);

// Forgets the content and a failure, keeps the memory for the next use.
DEFT_API void deft_buffer_reset(deft_buffer *buffer);

// Room for `size` more bytes; false when there is no memory for it.
DEFT_API bool deft_buffer_reserve(deft_buffer *buffer, size_t size);

DEFT_API void deft_buffer_append(deft_buffer *buffer, deft_view text);
DEFT_API void deft_buffer_append_text(deft_buffer *buffer, const char *text); // up to its NUL
DEFT_API void deft_buffer_append_byte(deft_buffer *buffer, char byte);
DEFT_API void deft_buffer_append_u64(deft_buffer *buffer, uint64_t value); // in decimal

// Shortens the content to `size` bytes; a larger size changes nothing.
DEFT_API void deft_buffer_truncate(deft_buffer *buffer, size_t size);

// The content. Borrowed: valid until the buffer next changes.
static inline deft_view deft_buffer_view(const deft_buffer *buffer)
{
    return deft_view_make(buffer->data, buffer->size);
}

#ifdef __cplusplus
}
#endif
#endif
