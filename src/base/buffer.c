#include "deft/buffer.h"
#include "base/memory.h"

void deft_buffer_init(deft_buffer *buffer, const deft_allocator *allocator)
{
    *buffer = (deft_buffer){.allocator = allocator};
}

void deft_buffer_clear(deft_buffer *buffer)
{
    deft__free(buffer->allocator, buffer->data, buffer->capacity);
    deft_buffer_init(buffer, buffer->allocator);
}

void deft_buffer_reset(deft_buffer *buffer)
{
    buffer->size   = 0;
    buffer->status = DEFT_OK;
}

bool deft_buffer_reserve(deft_buffer *buffer, size_t size)
{
    if (buffer->status != DEFT_OK) {
        return false;
    }
    if (size <= buffer->capacity - buffer->size) {
        return true;
    }

    size_t wanted = 0;
    size_t double_capacity;
    if (!deft__add_size(buffer->size, size, &wanted) ||
        !deft__multiply_size(buffer->capacity, 2, &double_capacity)) {
        buffer->status = DEFT_OUT_OF_MEMORY;
        return false;
    }
    const size_t smallest = 64;
    size_t       capacity = wanted > double_capacity ? wanted : double_capacity;
    if (capacity < smallest) {
        capacity = smallest;
    }

    char *data = deft__resize(buffer->allocator, buffer->data, buffer->capacity, capacity);
    if (data == NULL) {
        buffer->status = DEFT_OUT_OF_MEMORY;
        return false;
    }
    buffer->data     = data;
    buffer->capacity = capacity;
    return true;
}

// What deft_buffer_reserve() finds nearly always.
static inline bool has_room(const deft_buffer *buffer, size_t size)
{
    return buffer->status == DEFT_OK && size <= buffer->capacity - buffer->size;
}

void deft_buffer_append(deft_buffer *buffer, deft_view text)
{
    if (text.size > 0 && (has_room(buffer, text.size) || deft_buffer_reserve(buffer, text.size))) {
        memcpy(buffer->data + buffer->size, text.data, text.size);
        buffer->size += text.size;
    }
}

void deft_buffer_append_text(deft_buffer *buffer, const char *text)
{
    deft_buffer_append(buffer, deft_view_of(text));
}

void deft_buffer_append_byte(deft_buffer *buffer, char byte)
{
    if (has_room(buffer, 1) || deft_buffer_reserve(buffer, 1)) {
        buffer->data[buffer->size++] = byte;
    }
}

void deft_buffer_append_u64(deft_buffer *buffer, uint64_t value)
{
    char   digits[20]; // 2^64 has twenty
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    deft_buffer_append(buffer, deft_view_make(digits + at, sizeof digits - at));
}

void deft_buffer_truncate(deft_buffer *buffer, size_t size)
{
    if (size < buffer->size) {
        buffer->size = size;
    }
}
