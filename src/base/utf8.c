#include "base/utf8.h"

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

size_t deft__utf8_decode(deft_view text, size_t at, uint32_t *code)
{
    const unsigned char *bytes = (const unsigned char *)text.data + at;
    const size_t         left  = text.size - at;
    const uint32_t       first = bytes[0];

    if (first < 0x80) {
        *code = first;
        return 1;
    } else if (first < 0xC2) { // a continuation byte, or an overlong form of one byte
        return 0;
    } else if (first < 0xE0) {
        if (left < 2 || !is_continuation(bytes[1])) {
            return 0;
        }
        *code = (first & 0x1Fu) << 6 | (bytes[1] & 0x3Fu);
        return 2;
    } else if (first < 0xF0) {
        if (left < 3 || !is_continuation(bytes[1]) || !is_continuation(bytes[2])) {
            return 0;
        }
        const uint32_t value = (first & 0x0Fu) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
        if (value < 0x800 || (value >= 0xD800 && value <= 0xDFFF)) {
            return 0;
        }
        *code = value;
        return 3;
    } else if (first < 0xF5) {
        if (left < 4 || !is_continuation(bytes[1]) || !is_continuation(bytes[2]) ||
            !is_continuation(bytes[3])) {
            return 0;
        }
        const uint32_t value = (first & 0x07u) << 18 | (bytes[1] & 0x3Fu) << 12 |
                               (bytes[2] & 0x3Fu) << 6 | (bytes[3] & 0x3Fu);
        if (value < 0x10000 || value > 0x10FFFF) {
            return 0;
        }
        *code = value;
        return 4;
    } else {
        return 0;
    }
}

size_t deft__utf8_encode(uint32_t code, char out[4])
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        code = 0xFFFD;
    }
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    } else if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    } else if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    } else {
        out[0] = (char)(0xF0 | code >> 18);
        out[1] = (char)(0x80 | (code >> 12 & 0x3F));
        out[2] = (char)(0x80 | (code >> 6 & 0x3F));
        out[3] = (char)(0x80 | (code & 0x3F));
        return 4;
    }
}

size_t deft__utf8_valid_size(deft_view text)
{
    size_t at = 0;
    while (at < text.size) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(text, at, &code);
        if (size == 0) {
            break;
        }
        at += size;
    }
    return at;
}

size_t deft__utf8_length(deft_view text)
{
    size_t length = 0;
    size_t at     = 0;
    while (at < text.size) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(text, at, &code);
        at += size > 0 ? size : 1;
        length++;
    }
    return length;
}

size_t deft__utf8_cut(deft_view text, size_t size_max)
{
    if (text.size <= size_max) {
        return text.size;
    }

    // A character has at most three continuation bytes; more of them are not UTF-8 anyway, and
    // then any place to cut is as good as another.
    size_t cut = size_max;
    while (cut > 0 && size_max - cut < 3 && is_continuation((unsigned char)text.data[cut])) {
        cut--;
    }
    return is_continuation((unsigned char)text.data[cut]) ? size_max : cut;
}
