#include "core/ranking/scan.h"

size_t deft__scan_plain(const uint32_t *values, size_t from, size_t count, uint32_t mask,
                        uint32_t least)
{
    for (size_t i = from; i < count; i++) {
        if ((values[i] & mask) >= least) {
            return i;
        }
    }
    return count;
}

// Appends the hits from `from` on to the `found_count` that are there.
static size_t scan_rest(const uint32_t *values, size_t from, size_t count, uint32_t mask,
                        uint32_t least, uint16_t *found, size_t found_count)
{
    for (size_t i = from; i < count; i++) {
        if ((values[i] & mask) >= least) {
            found[found_count++] = (uint16_t)i;
        }
    }
    return found_count;
}

size_t deft__scan_all_plain(const uint32_t *values, size_t count, uint32_t mask, uint32_t least,
                            uint16_t *found)
{
    return scan_rest(values, 0, count, mask, least, found, 0);
}

// How many bits are set: in pairs, in fours, in eights, and these added up by one multiplication.
// The compiler's own would be a call where the processor may lack the instruction.
static unsigned count_bits(uint32_t value)
{
    value -= value >> 1 & 0x55555555u;
    value = (value & 0x33333333u) + (value >> 2 & 0x33333333u);
    value = (value + (value >> 4)) & 0x0F0F0F0Fu;
    return value * 0x01010101u >> 24;
}

size_t deft__scan_letters_plain(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                                unsigned bits_max)
{
    size_t i = from;
    while (i < count && count_bits(letters[i] ^ wanted) > bits_max) {
        i++;
    }
    return i;
}

void deft__add_bounds_plain(uint32_t *bounds, const uint8_t *maxima, size_t count, uint32_t weight)
{
    for (size_t i = 0; i < count; i++) {
        bounds[i] += weight * maxima[i] >> 8;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// Masked values stay below 2^31, so the signed comparison is right.
__attribute__((target("avx2"))) static size_t scan_avx2(const uint32_t *values, size_t from,
                                                        size_t count, uint32_t mask, uint32_t least)
{
    const __m256i masks = _mm256_set1_epi32((int)mask);
    const __m256i below = _mm256_set1_epi32((int)least - 1);
    size_t        i     = from;
    for (; i + 16 <= count; i += 16) {
        const __m256i a = _mm256_and_si256(
            _mm256_loadu_si256((const __m256i *)(const void *)(values + i)), masks);
        const __m256i b = _mm256_and_si256(
            _mm256_loadu_si256((const __m256i *)(const void *)(values + i + 8)), masks);
        const __m256i over_a = _mm256_cmpgt_epi32(a, below);
        const __m256i over_b = _mm256_cmpgt_epi32(b, below);
        if (_mm256_testz_si256(_mm256_or_si256(over_a, over_b), _mm256_or_si256(over_a, over_b)) ==
            0) {
            break;
        }
    }
    return deft__scan_plain(values, i, count, mask, least);
}

__attribute__((target("avx2"))) static size_t scan_all_avx2(const uint32_t *values, size_t count,
                                                            uint32_t mask, uint32_t least,
                                                            uint16_t *found)
{
    const __m256i masks       = _mm256_set1_epi32((int)mask);
    const __m256i below       = _mm256_set1_epi32((int)least - 1);
    size_t        found_count = 0;
    size_t        i           = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i masked = _mm256_and_si256(
            _mm256_loadu_si256((const __m256i *)(const void *)(values + i)), masks);
        const __m256i over = _mm256_cmpgt_epi32(masked, below);
        unsigned      hits = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(over));
        for (; hits != 0; hits &= hits - 1) {
            found[found_count++] = (uint16_t)(i + (unsigned)__builtin_ctz(hits));
        }
    }
    return scan_rest(values, i, count, mask, least, found, found_count);
}

// The bits of each half byte come from a table; those of the four bytes of a number are added up.
__attribute__((target("avx2"))) static size_t scan_letters_avx2(const uint32_t *letters,
                                                                size_t from, size_t count,
                                                                uint32_t wanted, unsigned bits_max)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low   = _mm256_set1_epi8(0x0F);
    const __m256i ones  = _mm256_set1_epi8(1);
    const __m256i pairs = _mm256_set1_epi16(1);
    const __m256i all   = _mm256_set1_epi32((int)wanted);
    const __m256i above = _mm256_set1_epi32((int)bits_max + 1);
    size_t        i     = from;
    for (; i + 8 <= count; i += 8) {
        const __m256i differ =
            _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)(letters + i)), all);
        const __m256i bits = _mm256_add_epi8(
            _mm256_shuffle_epi8(table, _mm256_and_si256(differ, low)),
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(differ, 4), low)));
        const __m256i sums = _mm256_madd_epi16(_mm256_maddubs_epi16(bits, ones), pairs);
        if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(above, sums)) != 0) {
            break;
        }
    }
    return deft__scan_letters_plain(letters, i, count, wanted, bits_max);
}

__attribute__((target("avx2"))) static void add_bounds_avx2(uint32_t *bounds, const uint8_t *maxima,
                                                            size_t count, uint32_t weight)
{
    const __m256i weights = _mm256_set1_epi32((int)weight);
    size_t        i       = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i largest =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(maxima + i)));
        const __m256i gains = _mm256_srli_epi32(_mm256_mullo_epi32(largest, weights), 8);
        __m256i      *place = (__m256i *)(void *)(bounds + i);
        _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), gains));
    }
    deft__add_bounds_plain(bounds + i, maxima + i, count - i, weight);
}

size_t deft__scan(const uint32_t *values, size_t from, size_t count, uint32_t mask, uint32_t least)
{
    return __builtin_cpu_supports("avx2") ? scan_avx2(values, from, count, mask, least)
                                          : deft__scan_plain(values, from, count, mask, least);
}

size_t deft__scan_all(const uint32_t *values, size_t count, uint32_t mask, uint32_t least,
                      uint16_t *found)
{
    return __builtin_cpu_supports("avx2") ? scan_all_avx2(values, count, mask, least, found)
                                          : deft__scan_all_plain(values, count, mask, least, found);
}

size_t deft__scan_letters(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                          unsigned bits_max)
{
    return __builtin_cpu_supports("avx2")
               ? scan_letters_avx2(letters, from, count, wanted, bits_max)
               : deft__scan_letters_plain(letters, from, count, wanted, bits_max);
}

void deft__add_bounds(uint32_t *bounds, const uint8_t *maxima, size_t count, uint32_t weight)
{
    if (__builtin_cpu_supports("avx2")) {
        add_bounds_avx2(bounds, maxima, count, weight);
    } else {
        deft__add_bounds_plain(bounds, maxima, count, weight);
    }
}

#else

size_t deft__scan(const uint32_t *values, size_t from, size_t count, uint32_t mask, uint32_t least)
{
    return deft__scan_plain(values, from, count, mask, least);
}

size_t deft__scan_all(const uint32_t *values, size_t count, uint32_t mask, uint32_t least,
                      uint16_t *found)
{
    return deft__scan_all_plain(values, count, mask, least, found);
}

size_t deft__scan_letters(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                          unsigned bits_max)
{
    return deft__scan_letters_plain(letters, from, count, wanted, bits_max);
}

void deft__add_bounds(uint32_t *bounds, const uint8_t *maxima, size_t count, uint32_t weight)
{
    deft__add_bounds_plain(bounds, maxima, count, weight);
}

#endif
