#include "json/writer.h"

#include "base/utf8.h"
#include "json/copy.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A comma, when a value came before this one.
static void begin_value(deft__json_writer *writer)
{
    if (writer->needs_comma) {
        deft_buffer_append_byte(writer->out, ',');
    }
    writer->needs_comma = true;
}

static void append_escape(deft_buffer *out, char byte)
{
    static const char hex[]  = "0123456789abcdef";
    const char        escape = deft__copy_escape(byte);
    if (escape != 0) {
        deft_buffer_append_byte(out, '\\');
        deft_buffer_append_byte(out, escape);
    } else {
        deft_buffer_append_text(out, "\\u00");
        deft_buffer_append_byte(out, hex[(unsigned char)byte >> 4]);
        deft_buffer_append_byte(out, hex[(unsigned char)byte & 0xF]);
    }
}

// The end of a run of characters that are not ASCII but UTF-8, from `at` on.
static const char *scan_utf8(const char *at, const char *end)
{
    while (at < end && (unsigned char)*at >= 0x80) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(deft_view_make(at, (size_t)(end - at)), 0, &code);
        if (size == 0) {
            break;
        }
        at += size;
    }
    return at;
}

// Texts up to this size are looked at first: most have nothing to escape.
static const size_t short_size = 64;

static bool append_short(deft_buffer *out, deft_view text)
{
    if (text.size == 0 || text.size > short_size) {
        return false;
    }
    const char *end = text.data + text.size;
    if (deft__scan_plain(text.data, end) != end || !deft_buffer_reserve(out, text.size + 2)) {
        return false;
    }
    char *to = out->data + out->size;
    *to++    = '"';
    memcpy(to, text.data, text.size);
    to[text.size] = '"';
    out->size += text.size + 2;
    return true;
}

// Escapes as much as goes quickly; where it stopped. Room is made for twice the size, and so for one
// part of a long text at a time.
static const char *append_escaped(deft_buffer *out, const char *at, const char *end)
{
    const size_t part_max = 4096;
    const size_t size     = (size_t)(end - at) < part_max ? (size_t)(end - at) : part_max;
    if (size > short_size && deft_buffer_reserve(out, 2 * size + DEFT__COPY_SLACK)) {
        const char *written = deft__copy_escaped(&at, at + size, out->data + out->size);
        out->size           = (size_t)(written - out->data);
    }
    return at;
}

// Text in quotes, escaped. What needs no escape is copied in runs as long as possible.
static void append_string(deft_buffer *out, deft_view text)
{
    const char *at  = text.data != NULL ? text.data : "";
    const char *end = at + text.size;
    if (append_short(out, text)) {
        return;
    }
    deft_buffer_append_byte(out, '"');
    while (at < end) {
        const char *run = append_escaped(out, at, end);
        const char *before;
        at = run;
        do {
            before = at;
            at     = scan_utf8(deft__scan_plain(at, end), end);
        } while (at > before);
        deft_buffer_append(out, deft_view_make(run, (size_t)(at - run)));
        if (at < end) {
            if ((unsigned char)*at >= 0x80) {
                deft_buffer_append_text(out, "\xEF\xBF\xBD"); // U+FFFD
            } else {
                append_escape(out, *at);
            }
            at++;
        }
    }
    deft_buffer_append_byte(out, '"');
}

void deft__json_writer_init(deft__json_writer *writer, deft_buffer *out)
{
    *writer = (deft__json_writer){.out = out};
}

static void begin_container(deft__json_writer *writer, char bracket)
{
    begin_value(writer);
    deft_buffer_append_byte(writer->out, bracket);
    writer->needs_comma = false;
}

static void end_container(deft__json_writer *writer, char bracket)
{
    deft_buffer_append_byte(writer->out, bracket);
    writer->needs_comma = true;
}

void deft__json_begin_object(deft__json_writer *writer)
{
    begin_container(writer, '{');
}

void deft__json_end_object(deft__json_writer *writer)
{
    end_container(writer, '}');
}

void deft__json_begin_array(deft__json_writer *writer)
{
    begin_container(writer, '[');
}

void deft__json_end_array(deft__json_writer *writer)
{
    end_container(writer, ']');
}

void deft__json_name_view(deft__json_writer *writer, deft_view name)
{
    begin_value(writer);
    append_string(writer->out, name);
    deft_buffer_append_byte(writer->out, ':');
    writer->needs_comma = false;
}

void deft__json_write_string(deft__json_writer *writer, deft_view text)
{
    begin_value(writer);
    append_string(writer->out, text);
}

void deft__json_write_text(deft__json_writer *writer, const char *text)
{
    deft__json_write_string(writer, deft_view_of(text));
}

void deft__json_write_int64(deft__json_writer *writer, int64_t number)
{
    begin_value(writer);
    if (number < 0) {
        deft_buffer_append_byte(writer->out, '-');
    }
    // The smallest number has no positive counterpart, so negate as unsigned.
    const uint64_t bits = (uint64_t)number;
    deft_buffer_append_u64(writer->out, number < 0 ? 0 - bits : bits);
}

void deft__json_write_uint64(deft__json_writer *writer, uint64_t number)
{
    begin_value(writer);
    deft_buffer_append_u64(writer->out, number);
}

// The fewest digits that read back as `number` (finite, above 0), and where the decimal point
// belongs: 0.ddd... * 10^scale. Returns how many.
//
// At a power of two the doubles below are closer together than those above, and there a number
// with as few digits may lie on the far side which this does not try; it then takes one digit
// more. It always reads back.
static size_t shortest_digits(double number, char digits[17], int *scale)
{
    char text[48]; // d.dddddddddddddddde-ddd, where the point may be several bytes in some locale
    for (int precision = 0; precision < 17; precision++) {
        (void)snprintf(text, sizeof text, "%.*e", precision, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    size_t      size = 0;
    const char *at   = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') {
            digits[size++] = *at;
        }
    }
    *scale = (int)strtol(at + 1, NULL, 10) + 1;
    return size;
}

static void append_zeros(deft_buffer *out, int count)
{
    for (int i = 0; i < count; i++) {
        deft_buffer_append_byte(out, '0');
    }
}

// Where JavaScript puts the point: 1e21 and 1e-7 are the first numbers with an exponent.
static void append_digits(deft_buffer *out, deft_view digits, int scale)
{
    const int size = (int)digits.size;
    if (scale > 21 || scale < -5) {
        char exponent[16]; // four digits at most, but gcc without optimising cannot know that
        deft_buffer_append(out, deft_view_slice(digits, 0, 1));
        if (size > 1) {
            deft_buffer_append_byte(out, '.');
            deft_buffer_append(out, deft_view_slice(digits, 1, digits.size));
        }
        (void)snprintf(exponent, sizeof exponent, "e%+d", scale - 1);
        deft_buffer_append_text(out, exponent);
    } else if (scale <= 0) {
        deft_buffer_append_text(out, "0.");
        append_zeros(out, -scale);
        deft_buffer_append(out, digits);
    } else if (scale >= size) {
        deft_buffer_append(out, digits);
        append_zeros(out, scale - size);
    } else {
        deft_buffer_append(out, deft_view_slice(digits, 0, (size_t)scale));
        deft_buffer_append_byte(out, '.');
        deft_buffer_append(out, deft_view_slice(digits, (size_t)scale, digits.size));
    }
}

void deft__json_write_double(deft__json_writer *writer, double number)
{
    if (!isfinite(number)) {
        deft__json_write_null(writer);
        return;
    }
    begin_value(writer);
    if (signbit(number)) {
        deft_buffer_append_byte(writer->out, '-');
    }
    const double magnitude = fabs(number);
    if (magnitude > 0) {
        char         digits[17];
        int          scale = 0;
        const size_t size  = shortest_digits(magnitude, digits, &scale);
        append_digits(writer->out, deft_view_make(digits, size), scale);
    } else {
        deft_buffer_append_byte(writer->out, '0');
    }
}

void deft__json_write_bool(deft__json_writer *writer, bool value)
{
    begin_value(writer);
    deft_buffer_append_text(writer->out, value ? "true" : "false");
}

void deft__json_write_null(deft__json_writer *writer)
{
    begin_value(writer);
    deft_buffer_append_text(writer->out, "null");
}

void deft__json_write_raw(deft__json_writer *writer, deft_view raw)
{
    assert(raw.size > 0);
    begin_value(writer);
    deft_buffer_append(writer->out, raw);
}

static bool is_line_end(char byte)
{
    return byte == '\n' || byte == '\r';
}

void deft__json_write_raw_line(deft__json_writer *writer, deft_view raw)
{
    assert(raw.size > 0);
    // Most JSON on the wire has no line ends, and memchr knows that much sooner than a loop.
    if (memchr(raw.data, '\n', raw.size) == NULL && memchr(raw.data, '\r', raw.size) == NULL) {
        deft__json_write_raw(writer, raw);
        return;
    }

    const char *at  = raw.data;
    const char *end = at + raw.size;
    begin_value(writer);
    while (at < end) {
        const char *run = at;
        while (at < end && !is_line_end(*at)) {
            at++;
        }
        deft_buffer_append(writer->out, deft_view_make(run, (size_t)(at - run)));
        at += at < end;
    }
}

void deft__json_write_raw_compact(deft__json_writer *writer, deft_view raw)
{
    deft_buffer *out = writer->out;
    assert(raw.size > 0);
    begin_value(writer);
    if (deft_buffer_reserve(out, raw.size + DEFT__COPY_SLACK)) {
        const char *written =
            deft__copy_compact(raw.data, raw.data + raw.size, out->data + out->size);
        out->size = (size_t)(written - out->data);
    }
}
