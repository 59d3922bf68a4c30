#include "json/copy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char escapes[128] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

char deft__copy_escape(char byte)
{
    return (unsigned char)byte < sizeof escapes ? escapes[(unsigned char)byte] : '\0';
}

char *deft__copy_escaped_plain(const char **at, const char *end, char *to)
{
    for (; *at < end; ++*at) {
        if (deft__scan_is_plain(**at)) {
            *to++ = **at;
        } else if (deft__copy_escape(**at) != 0) {
            *to++ = '\\';
            *to++ = deft__copy_escape(**at);
        } else {
            break;
        }
    }
    return to;
}

// A copy without white space while it is made.
typedef struct compacting {
    const char *at;
    char       *to;
    bool        is_inside; // of a string
} compacting;

// Goes on byte by byte up to `stop`, or one farther where that byte is escaped.
static void compact_bytes(compacting *c, const char *stop, const char *end)
{
    while (c->at < stop) {
        const char byte = *c->at++;
        if (c->is_inside || !deft__scan_is_space(byte)) {
            *c->to++ = byte;
        }
        if (c->is_inside && byte == '\\' && c->at < end) {
            *c->to++ = *c->at++;
        }
        c->is_inside = c->is_inside != (byte == '"');
    }
}

char *deft__copy_compact_plain(const char *at, const char *end, char *to)
{
    compacting c = {.at = at};
    c.to         = to;
    compact_bytes(&c, end, end);
    return c.to;
}

#if DEFT_JSON_USES_SSE2

// Two blocks: a run that begins inside of one is copied as if it were one long, and must not be read
// past the end.
#define BLOCKS_SIZE 32

static unsigned find_bytes(__m128i block, char byte)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte)));
}

static void copy_block(char *to, const char *at)
{
    memcpy(to, at, 16);
}

char *deft__copy_escaped(const char **at, const char *end, char *to)
{
    const char *from = *at;
    while (end - from >= BLOCKS_SIZE) {
        const __m128i block   = _mm_loadu_si128((const __m128i *)(const void *)from);
        unsigned      special = find_bytes(block, '"') | find_bytes(block, '\\') |
                           (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(block, _mm_set1_epi8(' ')));
        int start = 0; // of the run that is next
        for (; special != 0; special &= special - 1) {
            const int  place  = deft__scan_first_bit(special);
            const char escape = deft__copy_escape(from[place]);
            copy_block(to, from + start);
            to += place - start;
            if (escape == 0) {
                *at = from + place;
                return to;
            }
            to[0] = '\\';
            to[1] = escape;
            to += 2;
            start = place + 1;
        }
        copy_block(to, from + start);
        to += 16 - start;
        from += 16;
    }
    *at = from;
    return to;
}

// A bit for each byte of sixteen that has an odd number of quotes before it or at it.
static unsigned odd_quotes(unsigned quotes)
{
    quotes ^= quotes << 1;
    quotes ^= quotes << 2;
    quotes ^= quotes << 4;
    quotes ^= quotes << 8;
    return quotes & 0xFFFF;
}

static void compact_block(compacting *c, __m128i block)
{
    const unsigned inside   = odd_quotes(find_bytes(block, '"')) ^ (c->is_inside ? 0xFFFF : 0);
    unsigned       left_out = (find_bytes(block, ' ') | find_bytes(block, '\n') |
                         find_bytes(block, '\r') | find_bytes(block, '\t')) &
                        ~inside;
    int start = 0; // of the run that is next
    for (; left_out != 0; left_out &= left_out - 1) {
        const int place = deft__scan_first_bit(left_out);
        copy_block(c->to, c->at + start);
        c->to += place - start;
        start = place + 1;
    }
    copy_block(c->to, c->at + start);
    c->to += 16 - start;
    c->at += 16;
    c->is_inside = (inside >> 15) != 0;
}

char *deft__copy_compact(const char *at, const char *end, char *to)
{
    compacting c = {.at = at};
    c.to         = to;
    while (end - c.at >= BLOCKS_SIZE) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)c.at);
        if (find_bytes(block, '\\') != 0) {
            compact_bytes(&c, c.at + 16, end); // which quotes count is another question there
        } else {
            compact_block(&c, block);
        }
    }
    compact_bytes(&c, end, end);
    return c.to;
}

#else

char *deft__copy_escaped(const char **at, const char *end, char *to)
{
    return deft__copy_escaped_plain(at, end, to);
}

char *deft__copy_compact(const char *at, const char *end, char *to)
{
    return deft__copy_compact_plain(at, end, to);
}

#endif
