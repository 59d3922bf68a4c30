#include "core/index/fold.h"

#include "base/utf8.h"

// Alphabets whose capitals stand together, a fixed distance before their small letters.
static const struct {
    uint32_t first;
    uint32_t last;
    uint32_t distance;
} shifted[] = {
    {'A', 'Z', 32},     {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},   {0x391, 0x3A1, 32},
    {0x3A3, 0x3AB, 32}, {0x400, 0x40F, 80}, {0x410, 0x42F, 32}, {0xFF21, 0xFF3A, 32}, // full width
};

// Alphabets where each capital is followed by its small letter; `first` is a capital.
static const struct {
    uint32_t first;
    uint32_t last;
} paired[] = {
    {0x100, 0x12F}, {0x132, 0x137}, {0x139, 0x148}, {0x14A, 0x177},   {0x179, 0x17E},
    {0x460, 0x481}, {0x48A, 0x4BF}, {0x4D0, 0x52F}, {0x1E00, 0x1E95}, {0x1EA0, 0x1EFF},
};

uint32_t deft__fold_code(uint32_t code)
{
    for (size_t i = 0; i < sizeof shifted / sizeof shifted[0] && code >= shifted[i].first; i++) {
        if (code <= shifted[i].last) {
            return code + shifted[i].distance;
        }
    }
    for (size_t i = 0; i < sizeof paired / sizeof paired[0] && code >= paired[i].first; i++) {
        if (code <= paired[i].last) {
            return code + ((code - paired[i].first) % 2 == 0 ? 1 : 0);
        }
    }
    return code;
}

void deft__fold_text(deft_view text, char *out)
{
    size_t at = 0;
    while (at < text.size) {
        const char byte = text.data[at];
        if (byte >= 'A' && byte <= 'Z') {
            out[at++] = (char)(byte - 'A' + 'a');
        } else if ((unsigned char)byte < 0x80) {
            out[at++] = byte != '\0' ? byte : ' ';
        } else {
            uint32_t     code = 0;
            const size_t size = deft__utf8_decode(text, at, &code);
            if (size == 0) {
                out[at++] = byte;
            } else {
                at += deft__utf8_encode(deft__fold_code(code), out + at);
            }
        }
    }
}
