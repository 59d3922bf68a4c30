#include "cli/text.h"

#include "base/utf8.h"

#include <stdio.h>

typedef struct code_range {
    uint32_t first;
    uint32_t last;
} code_range;

// What changes how the text around it is read: direction marks and overrides, line and paragraph
// separators, and the interlinear and tag characters that hide text altogether.
static const code_range unsafe_ranges[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x061C, 0x061C}, {0x200B, 0x200B}, {0x200E, 0x200F},
    {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

// East Asian wide and fullwidth (Unicode 15, UAX #11), joined into the blocks that terminals draw
// two columns wide.
static const code_range wide_ranges[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2E80, 0x303E},
    {0x3041, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
};

static const code_range combining_ranges[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x093C, 0x093C},
    {0x0941, 0x0948}, {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200C, 0x200D},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

#define IS_IN(ranges, code) is_in((ranges), sizeof(ranges) / sizeof((ranges)[0]), (code))

static bool is_in(const code_range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

static void append_byte_escape(deft_buffer *out, unsigned char byte)
{
    char text[8];
    snprintf(text, sizeof text, "\\x%02x", byte);
    deft_buffer_append_text(out, text);
}

static void append_code_escape(deft_buffer *out, uint32_t code)
{
    char text[16];
    snprintf(text, sizeof text, code > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)code);
    deft_buffer_append_text(out, text);
}

// One character; returns its size in bytes.
static size_t append_safe(deft_buffer *out, deft_view text, size_t at)
{
    uint32_t     code = 0;
    const size_t size = deft__utf8_decode(text, at, &code);
    if (size == 0) {
        append_byte_escape(out, (unsigned char)text.data[at]);
        return 1;
    } else if (!IS_IN(unsafe_ranges, code)) {
        deft_buffer_append(out, deft_view_slice(text, at, size));
    } else if (size == 1) {
        append_byte_escape(out, (unsigned char)code);
    } else {
        append_code_escape(out, code);
    }
    return size;
}

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

void deft__append_safe_line(deft_buffer *out, deft_view text)
{
    bool is_gap = false; // white space waits for a character behind it
    bool is_any = false;
    for (size_t at = 0; at < text.size;) {
        if (is_white(text.data[at])) {
            is_gap = is_any;
            at++;
        } else {
            if (is_gap) {
                deft_buffer_append_byte(out, ' ');
            }
            is_gap = false;
            is_any = true;
            at += append_safe(out, text, at);
        }
    }
}

void deft__append_safe_text(deft_buffer *out, deft_view text)
{
    for (size_t at = 0; at < text.size;) {
        if (text.data[at] == '\n' || text.data[at] == '\t') {
            deft_buffer_append_byte(out, text.data[at]);
            at++;
        } else {
            at += append_safe(out, text, at);
        }
    }
}

// Outside of strings valid JSON holds none of these characters, white space apart.
void deft__append_safe_json(deft_buffer *out, deft_view json)
{
    for (size_t at = 0; at < json.size;) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(json, at, &code);
        if (size == 0) {
            deft_buffer_append_text(out, "\\ufffd");
            at++;
            continue;
        }
        if (is_white(json.data[at]) || !IS_IN(unsafe_ranges, code)) {
            deft_buffer_append(out, deft_view_slice(json, at, size));
        } else if (code <= 0xFFFF) {
            append_code_escape(out, code);
        } else {
            append_code_escape(out, 0xD800 + ((code - 0x10000) >> 10));
            append_code_escape(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
        }
        at += size;
    }
}

static size_t width_of(uint32_t code)
{
    if (code < 0x300) {
        return 1;
    } else if (IS_IN(combining_ranges, code)) {
        return 0;
    } else {
        return IS_IN(wide_ranges, code) ? 2 : 1;
    }
}

size_t deft__text_width(deft_view text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.size;) {
        uint32_t     code = '?';
        const size_t size = deft__utf8_decode(text, at, &code);
        width += width_of(code);
        at += size != 0 ? size : 1;
    }
    return width;
}

size_t deft__text_cut(deft_view text, size_t width)
{
    size_t at = 0;
    while (at < text.size) {
        uint32_t     code = '?';
        const size_t size = deft__utf8_decode(text, at, &code);
        if (width_of(code) > width) {
            break;
        }
        width -= width_of(code);
        at += size != 0 ? size : 1;
    }
    return at;
}

void deft__append_cut(deft_buffer *out, deft_view safe, size_t width)
{
    if (deft__text_width(safe) > width) {
        deft_buffer_append(out, deft_view_slice(safe, 0, deft__text_cut(safe, width - 1)));
        deft_buffer_append_text(out, "\xE2\x80\xA6"); // U+2026, an ellipsis
    } else {
        deft_buffer_append(out, safe);
    }
}

void deft__append_cut_line(deft_buffer *out, deft_view text, size_t width)
{
    deft_buffer line;
    deft_buffer_init(&line, out->allocator);
    deft__append_safe_line(&line, text);
    deft__append_cut(out, deft_buffer_view(&line), width);
    out->status = line.status != DEFT_OK ? line.status : out->status;
    deft_buffer_clear(&line);
}

void deft__append_number(deft_buffer *out, uint64_t number)
{
    char   digits[20]; // of the largest 64-bit number, last one first
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        count--;
        deft_buffer_append_byte(out, digits[count]);
        if (count > 0 && count % 3 == 0) {
            deft_buffer_append_byte(out, ',');
        }
    }
}

void deft__append_percent(deft_buffer *out, uint64_t part, uint64_t whole)
{
    const double percent = whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
    char         text[48];
    snprintf(text, sizeof text, "%.1f %%", percent);
    deft_buffer_append_text(out, text);
}

void deft__append_count(deft_buffer *out, uint64_t count, const char *one, const char *many)
{
    deft__append_number(out, count);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_text(out, count == 1 ? one : many);
}

static void append_spaces(deft_buffer *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_byte(out, ' ');
    }
}

void deft__append_wrapped(deft_buffer *out, const char *text, size_t indent)
{
    const size_t width_max = 80;
    size_t       column    = 0; // 0: at the start of a line
    while (*text != '\0') {
        if (*text == '\n') {
            deft_buffer_append_text(out, text[1] == '\n' ? "\n\n" : "\n");
            text += text[1] == '\n' ? 2 : 1;
            column = 0;
            continue;
        }
        size_t size = 0;
        while (text[size] != '\0' && text[size] != ' ' && text[size] != '\n') {
            size++;
        }
        const deft_view word  = deft_view_make(text, size);
        const size_t    width = deft__text_width(word);
        if (column > 0 && column + 1 + width > width_max) {
            deft_buffer_append_byte(out, '\n');
            column = 0;
        }
        if (column == 0) {
            append_spaces(out, indent);
            column = indent;
        } else {
            deft_buffer_append_byte(out, ' ');
            column++;
        }
        deft_buffer_append(out, word);
        column += width;
        text += size;
        while (*text == ' ') {
            text++;
        }
    }
    deft_buffer_append_byte(out, '\n');
}
