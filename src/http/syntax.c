#include "http/syntax.h"

#include <stdint.h>

// What a row of the table below says of its bytes.
enum {
    T = DEFT__HTTP_TOKEN,
    R = DEFT__HTTP_TARGET,
    H = DEFT__HTTP_HOST,
    B = DEFT__HTTP_TOKEN68,
    L = T | R | H | B,                        // a letter
    X = L | DEFT__HTTP_HEX,                   // one that is a hex digit too
    D = L | DEFT__HTTP_HEX | DEFT__HTTP_DIGIT // a digit
};

// clang-format off
const unsigned char deft__http_class[256] = {
    ['!'] = T | R, ['"'] = R, ['#'] = T, ['$'] = T | R, ['%'] = T | R, ['&'] = T | R,
    ['\''] = T | R, ['('] = R, [')'] = R, ['*'] = T | R, ['+'] = T | R | B, [','] = R,
    ['-'] = L, ['.'] = L, ['/'] = R | B, [':'] = R, [';'] = R, ['<'] = R, ['='] = R, ['>'] = R,
    ['?'] = R, ['@'] = R, ['['] = R, ['\\'] = R, [']'] = R, ['^'] = T | R, ['_'] = L,
    ['`'] = T | R, ['{'] = R, ['|'] = T | R, ['}'] = R, ['~'] = T | R | B,
    ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D, ['5'] = D, ['6'] = D, ['7'] = D,
    ['8'] = D, ['9'] = D,
    ['a'] = X, ['b'] = X, ['c'] = X, ['d'] = X, ['e'] = X, ['f'] = X, ['A'] = X, ['B'] = X,
    ['C'] = X, ['D'] = X, ['E'] = X, ['F'] = X,
    ['g'] = L, ['h'] = L, ['i'] = L, ['j'] = L, ['k'] = L, ['l'] = L, ['m'] = L, ['n'] = L,
    ['o'] = L, ['p'] = L, ['q'] = L, ['r'] = L, ['s'] = L, ['t'] = L, ['u'] = L, ['v'] = L,
    ['w'] = L, ['x'] = L, ['y'] = L, ['z'] = L,
    ['G'] = L, ['H'] = L, ['I'] = L, ['J'] = L, ['K'] = L, ['L'] = L, ['M'] = L, ['N'] = L,
    ['O'] = L, ['P'] = L, ['Q'] = L, ['R'] = L, ['S'] = L, ['T'] = L, ['U'] = L, ['V'] = L,
    ['W'] = L, ['X'] = L, ['Y'] = L, ['Z'] = L,
};
// clang-format on

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

static bool may_hold_control_at(deft_view text, size_t at)
{
    uint64_t word;
    memcpy(&word, text.data + at, sizeof word);
    return may_hold_control(word);
}

bool deft__http_is_value(deft_view text)
{
    const size_t step = sizeof(uint64_t);
    size_t       at   = 0;
    while (text.size - at >= step && !may_hold_control_at(text, at)) {
        at += step;
    }
    // The last bytes of a longer text, together with some that were looked at already.
    if (text.size - at < step && text.size >= step &&
        !may_hold_control_at(text, text.size - step)) {
        return true;
    }
    while (at < text.size && is_value_byte(text.data[at])) {
        at++;
    }
    return at == text.size;
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
    size_t start = 0;
    size_t end   = text.size;
    while (start < end && is_blank(text.data[start])) {
        start++;
    }
    while (end > start && is_blank(text.data[end - 1])) {
        end--;
    }
    return deft_view_slice(text, start, end - start);
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

// The bytes before the first comma that is not in quotes. A string without end takes the commas
// behind it.
static size_t item_size(deft_view list)
{
    size_t end = 0;
    while (end < list.size && list.data[end] != ',') {
        if (list.data[end] == '"') {
            const size_t quoted = deft__http_quoted_size(deft_view_slice(list, end, list.size));
            end                 = quoted > 0 ? end + quoted : list.size;
        } else {
            end++;
        }
    }
    return end;
}

bool deft__http_list_next(deft_view *rest, deft_view *item)
{
    while (rest->size > 0) {
        const size_t    size  = item_size(*rest);
        const deft_view found = deft__http_trim(deft_view_slice(*rest, 0, size));
        *rest                 = deft_view_slice(*rest, size + 1, rest->size);
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
