#include "transport/ring.h"

#include "base/memory.h"

void deft__ring_init(deft__ring *ring, size_t size_max, const deft_allocator *allocator)
{
    *ring = (deft__ring){.size_max  = size_max > 0 ? size_max : DEFT__RING_SIZE_MAX,
                         .allocator = allocator};
}

void deft__ring_clear(deft__ring *ring)
{
    deft__free(ring->allocator, ring->data, ring->size_max);
    deft__ring_init(ring, ring->size_max, ring->allocator);
}

void deft__ring_append(deft__ring *ring, deft_view bytes)
{
    if (ring->data == NULL) {
        // Not zeroed: of a server that says little, only the first page is ever touched.
        ring->data = deft__resize(ring->allocator, NULL, 0, ring->size_max);
        if (ring->data == NULL) {
            return;
        }
    }
    const size_t lost = bytes.size > ring->size_max ? bytes.size - ring->size_max : 0;
    bytes             = deft_view_slice(bytes, lost, bytes.size);
    ring->total += lost;
    // In two parts where it reaches over the end.
    while (bytes.size > 0) {
        const size_t at   = (size_t)(ring->total % ring->size_max);
        const size_t room = ring->size_max - at;
        const size_t size = bytes.size < room ? bytes.size : room;
        memcpy(ring->data + at, bytes.data, size);
        ring->total += size;
        bytes = deft_view_slice(bytes, size, bytes.size);
    }
}

static uint64_t oldest(const deft__ring *ring)
{
    return ring->total > ring->size_max ? ring->total - ring->size_max : 0;
}

static char byte_at(const deft__ring *ring, uint64_t place)
{
    return ring->data[place % ring->size_max];
}

static void copy_range(const deft__ring *ring, uint64_t from, uint64_t to, deft_buffer *out)
{
    while (from < to) {
        const size_t at   = (size_t)(from % ring->size_max);
        const size_t room = ring->size_max - at;
        const size_t size = to - from < room ? (size_t)(to - from) : room;
        deft_buffer_append(out, deft_view_make(ring->data + at, size));
        from += size;
    }
}

void deft__ring_copy(const deft__ring *ring, deft_buffer *out)
{
    uint64_t from = oldest(ring);
    if (from > 0) {
        uint64_t line = from;
        while (line < ring->total && byte_at(ring, line) != '\n') {
            line++;
        }
        from = line < ring->total ? line + 1 : from; // one endless line is better than nothing
    }
    copy_range(ring, from, ring->total, out);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

void deft__ring_last_line(const deft__ring *ring, uint64_t since, deft_buffer *out)
{
    const uint64_t first = since > oldest(ring) ? since : oldest(ring);
    uint64_t       end   = ring->total;
    while (end > first && is_blank(byte_at(ring, end - 1))) {
        end--;
    }
    uint64_t start = end;
    while (start > first && byte_at(ring, start - 1) != '\n') {
        start--;
    }
    while (start < end && is_blank(byte_at(ring, start))) {
        start++;
    }
    copy_range(ring, start, end, out);
}
