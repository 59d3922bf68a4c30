#include "http/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void deft__base64_write(deft_buffer *out, deft_view bytes)
{
    for (size_t at = 0; at < bytes.size; at += 3) {
        const size_t left  = bytes.size - at;
        uint32_t     group = (uint32_t)(unsigned char)bytes.data[at] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes.data[at + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)(unsigned char)bytes.data[at + 2] : 0;
        const char text[4] = {letters[group >> 18], letters[group >> 12 & 63],
                              left > 1 ? letters[group >> 6 & 63] : '=',
                              left > 2 ? letters[group & 63] : '='};
        deft_buffer_append(out, deft_view_make(text, sizeof text));
    }
}

// 0 to 63; 64 for a byte that is not a letter of base64.
static uint32_t value_of(char byte)
{
    if (byte >= 'A' && byte <= 'Z') {
        return (uint32_t)(byte - 'A');
    } else if (byte >= 'a' && byte <= 'z') {
        return (uint32_t)(byte - 'a') + 26;
    } else if (byte >= '0' && byte <= '9') {
        return (uint32_t)(byte - '0') + 52;
    } else if (byte == '+') {
        return 62;
    } else {
        return byte == '/' ? 63 : 64;
    }
}

// Four letters to `count` bytes (1 to 3); false when they are not.
static bool read_group(deft_buffer *out, const char *text, size_t count)
{
    uint32_t group = 0;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t value = i <= count ? value_of(text[i]) : 0;
        if (value > 63) {
            return false;
        }
        group = group << 6 | value;
    }
    if ((count == 1 && (group & 0xffff) != 0) || (count == 2 && (group & 0xff) != 0)) {
        return false;
    }
    const char bytes[3] = {(char)(group >> 16), (char)(group >> 8 & 0xff), (char)(group & 0xff)};
    deft_buffer_append(out, deft_view_make(bytes, count));
    return true;
}

bool deft__base64_read(deft_buffer *out, deft_view text)
{
    const size_t start = out->size;
    bool         is_ok = text.size % 4 == 0;
    for (size_t at = 0; is_ok && at < text.size; at += 4) {
        const char *group   = text.data + at;
        const bool  is_last = at + 4 == text.size;
        size_t      count   = 3;
        if (is_last && group[3] == '=') {
            count = group[2] == '=' ? 1 : 2;
        }
        is_ok = read_group(out, group, count);
    }
    if (!is_ok) {
        deft_buffer_truncate(out, start);
    }
    return is_ok;
}
