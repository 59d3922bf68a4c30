// ring.h - the last words of someone who may talk for ever: the newest bytes are kept, the oldest
// go. For the stderr of servers.
#ifndef DEFT_TRANSPORT_RING_H
#define DEFT_TRANSPORT_RING_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/view.h"

#include <stdint.h>

#define DEFT__RING_SIZE_MAX (64u * 1024)

typedef struct deft__ring {
    char                 *data; // NULL until something is appended
    size_t                size_max;
    uint64_t              total; // bytes that were ever appended; the newest are in `data`
    const deft_allocator *allocator;
} deft__ring;

// `size_max` 0: DEFT__RING_SIZE_MAX.
void deft__ring_init(deft__ring *ring, size_t size_max, const deft_allocator *allocator);
void deft__ring_clear(deft__ring *ring);

void deft__ring_append(deft__ring *ring, deft_view bytes); // without memory they are dropped

// Appends what is kept to `out`, oldest first; where the start is lost, from a whole line on.
void deft__ring_copy(const deft__ring *ring, deft_buffer *out);

// Appends the last line that is not blank to `out`, of what came after `since` bytes in all; nothing
// where there is none.
void deft__ring_last_line(const deft__ring *ring, uint64_t since, deft_buffer *out);

#endif
