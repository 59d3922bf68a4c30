// scan.h - the inner loops of the reader and the writer: where does a run of unremarkable bytes
// end? With SSE2, which every x86-64 has, sixteen bytes are looked at in one step. Only whole
// blocks inside the text are loaded and the last few bytes are taken one by one, so nothing past
// the end is ever read and the text needs no padding.
//
// Both forms are always compiled where they can be, so that a test can hold one against the
// other; DEFT_JSON_SCALAR makes the library itself use the plain one.
#ifndef DEFT_JSON_SCAN_H
#define DEFT_JSON_SCAN_H

#include <stdbool.h>

#if defined(__SSE2__)
#define DEFT_JSON_HAS_SSE2 1
#include <emmintrin.h>
#else
#define DEFT_JSON_HAS_SSE2 0
#endif

#if DEFT_JSON_HAS_SSE2 && !defined(DEFT_JSON_SCALAR)
#define DEFT_JSON_USES_SSE2 1
#else
#define DEFT_JSON_USES_SSE2 0
#endif

// A byte that stands for itself in a string: ASCII, no control character, no quote, no backslash.
static inline bool deft__scan_is_plain(char byte)
{
    const unsigned char code = (unsigned char)byte;
    return code >= 0x20 && code < 0x80 && code != '"' && code != '\\';
}

static inline bool deft__scan_is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static inline const char *deft__scan_plain_scalar(const char *at, const char *end)
{
    while (at < end && deft__scan_is_plain(*at)) {
        at++;
    }
    return at;
}

static inline const char *deft__scan_space_scalar(const char *at, const char *end)
{
    while (at < end && deft__scan_is_space(*at)) {
        at++;
    }
    return at;
}

#if DEFT_JSON_HAS_SSE2
// The index of the lowest bit that is set; `mask` is not 0.
static inline int deft__scan_first_bit(unsigned mask)
{
    return __builtin_ctz(mask);
}

static inline const char *deft__scan_plain_sse2(const char *at, const char *end)
{
    const __m128i quote     = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i space     = _mm_set1_epi8(' ');

    while (end - at >= 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
        // Signed: bytes from 0x80 up are negative, so one comparison finds them together with
        // the control characters.
        const __m128i outside = _mm_cmplt_epi8(block, space);
        const __m128i special =
            _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash));
        const unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(outside, special));
        if (mask != 0) {
            return at + deft__scan_first_bit(mask);
        }
        at += 16;
    }
    return deft__scan_plain_scalar(at, end);
}

static inline const char *deft__scan_space_sse2(const char *at, const char *end)
{
    const __m128i space   = _mm_set1_epi8(' ');
    const __m128i newline = _mm_set1_epi8('\n');
    const __m128i ret     = _mm_set1_epi8('\r');
    const __m128i tab     = _mm_set1_epi8('\t');

    while (end - at >= 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i white =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, space), _mm_cmpeq_epi8(block, newline)),
                         _mm_or_si128(_mm_cmpeq_epi8(block, ret), _mm_cmpeq_epi8(block, tab)));
        const unsigned mask = (unsigned)_mm_movemask_epi8(white) ^ 0xFFFFu;
        if (mask != 0) {
            return at + deft__scan_first_bit(mask);
        }
        at += 16;
    }
    return deft__scan_space_scalar(at, end);
}
#endif

// The first byte from `at` on that is not plain (see deft__scan_is_plain); `end` when all are.
static inline const char *deft__scan_plain(const char *at, const char *end)
{
#if DEFT_JSON_USES_SSE2
    return deft__scan_plain_sse2(at, end);
#else
    return deft__scan_plain_scalar(at, end);
#endif
}

// The first byte from `at` on that is not white space. Most often that is the very first one.
static inline const char *deft__scan_space(const char *at, const char *end)
{
    if (at < end && (unsigned char)*at > ' ') {
        return at;
    }
#if DEFT_JSON_USES_SSE2
    return deft__scan_space_sse2(at, end);
#else
    return deft__scan_space_scalar(at, end);
#endif
}

#endif
