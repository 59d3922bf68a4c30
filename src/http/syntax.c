#include "http/syntax.h"

#include <stdint.h>

// T token, R target, H host, X hex, D digit, 6 token68.
#define T DEFT__HTTP_TOKEN
#define R DEFT__HTTP_TARGET
#define H DEFT__HTTP_HOST
#define X DEFT__HTTP_HEX
#define D DEFT__HTTP_DIGIT
#define B DEFT__HTTP_TOKEN68

#define LETTER(c)     [c] = T | R | H | B
#define HEX_LETTER(c) [c] = T | R | H | B | X
#define DIGIT(c)      [c] = T | R | H | B | X | D

// clang-format off
const unsigned char deft__http_class[256] = {
    ['!'] = T | R, ['"'] = R, ['#'] = T, ['$'] = T | R, ['%'] = T | R, ['&'] = T | R,
    ['\''] = T | R, ['('] = R, [')'] = R, ['*'] = T | R, ['+'] = T | R | B, [','] = R,
    ['-'] = T | R | H | B, ['.'] = T | R | H | B, ['/'] = R | B, [':'] = R, [';'] = R,
    ['<'] = R, ['='] = R, ['>'] = R, ['?'] = R, ['@'] = R, ['['] = R, ['\\'] = R, [']'] = R,
    ['^'] = T | R, ['_'] = T | R | H | B, ['`'] = T | R, ['{'] = R, ['|'] = T | R, ['}'] = R,
    ['~'] = T | R | B,
    DIGIT('0'), DIGIT('1'), DIGIT('2'), DIGIT('3'), DIGIT('4'), DIGIT('5'), DIGIT('6'),
    DIGIT('7'), DIGIT('8'), DIGIT('9'),
    HEX_LETTER('a'), HEX_LETTER('b'), HEX_LETTER('c'), HEX_LETTER('d'), HEX_LETTER('e'),
    HEX_LETTER('f'), HEX_LETTER('A'), HEX_LETTER('B'), HEX_LETTER('C'), HEX_LETTER('D'),
    HEX_LETTER('E'), HEX_LETTER('F'),
    LETTER('g'), LETTER('h'), LETTER('i'), LETTER('j'), LETTER('k'), LETTER('l'), LETTER('m'),
    LETTER('n'), LETTER('o'), LETTER('p'), LETTER('q'), LETTER('r'), LETTER('s'), LETTER('t'),
    LETTER('u'), LETTER('v'), LETTER('w'), LETTER('x'), LETTER('y'), LETTER('z'),
    LETTER('G'), LETTER('H'), LETTER('I'), LETTER('J'), LETTER('K'), LETTER('L'), LETTER('M'),
    LETTER('N'), LETTER('O'), LETTER('P'), LETTER('Q'), LETTER('R'), LETTER('S'), LETTER('T'),
    LETTER('U'), LETTER('V'), LETTER('W'), LETTER('X'), LETTER('Y'), LETTER('Z'),
};
// clang-format on

#undef T
#undef R
#undef H
#undef X
#undef D
#undef B

size_t deft__http_span(deft_view text, unsigned classes)
{
    size_t size = 0;
    while (size < text.size && deft__http_is(text.data[size], classes)) {
        size++;
    }
    return size;
}

bool deft__http_all(deft_view text, unsigned classes)
{
    return text.size > 0 && deft__http_span(text, classes) == text.size;
}

// Whether one of eight bytes is below 0x20 or is 0x7f. Tab counts as one here; the caller looks
// closer. (The test for a zero byte is exact for "is there one", which is all that is asked.)
static bool may_hold_control(uint64_t word)
{
    const uint64_t ones  = 0x0101010101010101u;
    const uint64_t highs = 0x8080808080808080u;
    const uint64_t low   = (word - ones * 0x20) & ~word & highs;
    const uint64_t del   = word ^ (ones * 0x7f);
    return (low | ((del - ones) & ~del & highs)) != 0;
}

static bool is_value_byte(char byte)
{
    const unsigned char code = (unsigned char)byte;
    return (code >= 0x20 && code != 0x7f) || code == '\t';
}

bool deft__http_is_value(deft_view text)
{
    size_t at = 0;
    while (at < text.size) {
        if (text.size - at >= sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, text.data + at, sizeof word);
            if (!may_hold_control(word)) {
                at += sizeof word;
                continue;
            }
        }
        if (!is_value_byte(text.data[at])) {
            return false;
        }
        at++;
    }
    return true;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte | 0x20) : byte;
}

bool deft__http_same(deft_view a, deft_view b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (lower(a.data[i]) != lower(b.data[i])) {
            return false;
        }
    }
    return true;
}

bool deft__http_same_text(deft_view a, const char *b)
{
    return deft__http_same(a, deft_view_of(b));
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

deft_view deft__http_trim(deft_view text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text = deft_view_slice(text, 1, text.size);
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

int deft__http_hex_value(char byte)
{
    if (!deft__http_is(byte, DEFT__HTTP_HEX)) {
        return -1;
    } else if (deft__http_is(byte, DEFT__HTTP_DIGIT)) {
        return byte - '0';
    } else {
        return lower(byte) - 'a' + 10;
    }
}

size_t deft__http_quoted_size(deft_view text)
{
    if (text.size == 0 || text.data[0] != '"') {
        return 0;
    }
    for (size_t at = 1; at < text.size; at++) {
        if (text.data[at] == '"') {
            return at + 1;
        } else if (text.data[at] == '\\') {
            at++;
        }
    }
    return 0;
}

bool deft__http_list_next(deft_view *rest, deft_view *item)
{
    while (rest->size > 0) {
        size_t end = 0;
        while (end < rest->size && rest->data[end] != ',') {
            const deft_view from   = deft_view_slice(*rest, end, rest->size);
            const size_t    quoted = deft__http_quoted_size(from);
            if (from.data[0] == '"' && quoted == 0) {
                end = rest->size; // a string without end swallows the commas behind it
            } else {
                end += quoted > 0 ? quoted : 1;
            }
        }
        const deft_view found = deft__http_trim(deft_view_slice(*rest, 0, end));
        *rest                 = deft_view_slice(*rest, end + 1, rest->size);
        if (found.size > 0) {
            *item = found;
            return true;
        }
    }
    return false;
}

static size_t skip_blanks(deft_view text, size_t at)
{
    while (at < text.size && is_blank(text.data[at])) {
        at++;
    }
    return at;
}

size_t deft__http_parameter(deft_view text, deft_view *name, deft_view *value)
{
    const size_t name_size = deft__http_span(text, DEFT__HTTP_TOKEN);
    size_t       at        = skip_blanks(text, name_size);
    if (name_size == 0 || at == text.size || text.data[at] != '=') {
        return 0;
    }
    at                    = skip_blanks(text, at + 1);
    const deft_view after = deft_view_slice(text, at, text.size);
    size_t          size  = deft__http_quoted_size(after);
    if (size == 0) {
        size = deft__http_span(after, DEFT__HTTP_TOKEN);
    }
    if (size == 0) {
        return 0;
    }
    *name  = deft_view_slice(text, 0, name_size);
    *value = deft_view_slice(after, 0, size);
    return at + size;
}

void deft__http_unquote(deft_buffer *out, deft_view value)
{
    if (value.size < 2 || value.data[0] != '"') {
        deft_buffer_append(out, value);
        return;
    }
    for (size_t at = 1; at + 1 < value.size; at++) {
        if (value.data[at] == '\\' && at + 2 < value.size) {
            at++;
        }
        deft_buffer_append_byte(out, value.data[at]);
    }
}
