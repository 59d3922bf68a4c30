#include "core/ranking/scan.h"

#include "core/index/image.h"

// Appends the hits from `from` on to the `found_count` that are there.
static size_t scan_rest(const uint16_t *values, size_t from, size_t count, uint32_t least,
                        uint16_t *found, size_t found_count)
{
    for (size_t i = from; i < count; i++) {
        if (values[i] >= least) {
            found[found_count++] = (uint16_t)i;
        }
    }
    return found_count;
}

static size_t scan_all_plain(const uint16_t *values, size_t count, uint32_t least, uint16_t *found)
{
    return scan_rest(values, 0, count, least, found, 0);
}

static size_t count_plain(const uint16_t *values, size_t count, uint32_t least)
{
    size_t reaching = 0;
    for (size_t i = 0; i < count; i++) {
        reaching += values[i] >= least;
    }
    return reaching;
}

// Bit by bit from the highest, each kept when enough values reach the number with it.
static uint32_t nth_largest(const uint16_t *values, size_t count, size_t nth,
                            size_t (*count_reaching)(const uint16_t *values, size_t count,
                                                     uint32_t least))
{
    uint32_t number = 0;
    for (uint32_t bit = 1u << 15; bit > 0 && count > nth; bit >>= 1) {
        const size_t reaching = count_reaching(values, count, number | bit);
        number |= bit & (0u - (uint32_t)(reaching >= nth));
        if (reaching - nth <= nth / 8) { // far above where fewer reach it
            break;
        }
    }
    return number;
}

static uint32_t nth_largest_plain(const uint16_t *values, size_t count, size_t nth)
{
    return nth_largest(values, count, nth, count_plain);
}

static uint16_t rank_one(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        rank += keys[i] > key;
    }
    return (uint16_t)rank;
}

static void rank_all_plain(const uint64_t *keys, size_t count, uint16_t *ranks)
{
    for (size_t i = 0; i < count; i++) {
        ranks[i] = rank_one(keys, count, keys[i]);
    }
}

static size_t scan_letters_plain(const uint32_t *letters, size_t from, size_t count,
                                 uint32_t wanted, unsigned bits_max)
{
    size_t i = from;
    while (i < count && deft__count_bits(letters[i] ^ wanted) > bits_max) {
        i++;
    }
    return i;
}

static void add_bounds_plain(uint16_t *bounds, const uint8_t *maxima, size_t count, uint16_t weight)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bound = bounds[i] + ((uint32_t)weight * maxima[i] >> 8);
        bounds[i]            = (uint16_t)(bound < UINT16_MAX ? bound : UINT16_MAX);
    }
}

static const deft__scans scans_plain = {scan_all_plain, nth_largest_plain, rank_all_plain,
                                        scan_letters_plain, add_bounds_plain};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// All bits of a number where a value reaches `least`.
__attribute__((target("avx2"))) static __m256i reach(const uint16_t *values, __m256i least)
{
    const __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)values);
    return _mm256_cmpeq_epi16(_mm256_max_epu16(some, least), some);
}

__attribute__((target("avx2"))) static size_t scan_all_avx2(const uint16_t *values, size_t count,
                                                            uint32_t least, uint16_t *found)
{
    const __m256i leasts      = _mm256_set1_epi16((short)least);
    size_t        found_count = 0;
    size_t        i           = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i both =
            _mm256_packs_epi16(reach(values + i, leasts), reach(values + i + 16, leasts));
        // Packing leaves the halves of the two next to one another.
        unsigned hits = (unsigned)_mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xD8));
        for (; hits != 0; hits &= hits - 1) {
            found[found_count++] = (uint16_t)(i + (unsigned)__builtin_ctz(hits));
        }
    }
    return scan_rest(values, i, count, least, found, found_count);
}

__attribute__((target("avx2"))) static size_t count_avx2(const uint16_t *values, size_t count,
                                                         uint32_t least)
{
    const __m256i leasts = _mm256_set1_epi16((short)least);
    __m256i       sums   = _mm256_setzero_si256();
    size_t        i      = 0;
    while (i + 16 <= count) {
        // Counted down from zero in 16 bits, for as long as these suffice.
        __m256i      negative = _mm256_setzero_si256();
        const size_t end      = count - i > 16384 ? i + 16384 : count;
        for (; i + 16 <= end; i += 16) {
            negative = _mm256_add_epi16(negative, reach(values + i, leasts));
        }
        sums = _mm256_sub_epi32(sums, _mm256_madd_epi16(negative, _mm256_set1_epi16(1)));
    }
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    const __m128i one = _mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1));
    return (uint32_t)_mm_cvtsi128_si32(one) + count_plain(values + i, count - i, least);
}

static uint32_t nth_largest_avx2(const uint16_t *values, size_t count, size_t nth)
{
    return nth_largest(values, count, nth, count_avx2);
}

// Eight keys against all, one of which is spread over a register at a time. Numbers with a sign are
// compared, so the highest bit is turned around.
__attribute__((target("avx2"))) static void rank_all_avx2(const uint64_t *keys, size_t count,
                                                          uint16_t *ranks)
{
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    size_t        from = 0;
    for (; from + 8 <= count; from += 8) {
        const __m256i *own   = (const __m256i *)(const void *)(keys + from);
        const __m256i  low   = _mm256_xor_si256(_mm256_loadu_si256(own), sign);
        const __m256i  high  = _mm256_xor_si256(_mm256_loadu_si256(own + 1), sign);
        __m256i        lows  = _mm256_setzero_si256(); // counted down
        __m256i        highs = _mm256_setzero_si256();
        for (size_t i = 0; i < count; i++) {
            const __m256i other = _mm256_xor_si256(_mm256_set1_epi64x((long long)keys[i]), sign);
            lows                = _mm256_add_epi64(lows, _mm256_cmpgt_epi64(other, low));
            highs               = _mm256_add_epi64(highs, _mm256_cmpgt_epi64(other, high));
        }
        int64_t negative[8];
        _mm256_storeu_si256((__m256i *)(void *)negative, lows);
        _mm256_storeu_si256((__m256i *)(void *)(negative + 4), highs);
        for (size_t k = 0; k < 8; k++) {
            ranks[from + k] = (uint16_t)-negative[k];
        }
    }
    for (; from < count; from++) {
        ranks[from] = rank_one(keys, count, keys[from]);
    }
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
    return scan_letters_plain(letters, i, count, wanted, bits_max);
}

// The largest impacts in the high bytes, so that the high half of a product is what is wanted.
__attribute__((target("avx2"))) static void add_bounds_avx2(uint16_t *bounds, const uint8_t *maxima,
                                                            size_t count, uint16_t weight)
{
    const __m256i weights = _mm256_set1_epi16((short)weight);
    size_t        i       = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i largest = _mm256_slli_epi16(
            _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(maxima + i))), 8);
        __m256i *place = (__m256i *)(void *)(bounds + i);
        _mm256_storeu_si256(place, _mm256_adds_epu16(_mm256_loadu_si256(place),
                                                     _mm256_mulhi_epu16(largest, weights)));
    }
    add_bounds_plain(bounds + i, maxima + i, count - i, weight);
}

// --- 512 bits ------------------------------------------------------------------------------

#define AVX512 "avx512f,avx512bw,avx512vl,avx512vbmi2,avx512vpopcntdq,popcnt,bmi2"

// One bit for each of 32 numbers from `from` on that is there.
__attribute__((target(AVX512))) static __mmask32 mask_from(size_t from, size_t count)
{
    return (__mmask32)_bzhi_u32(UINT32_MAX, (unsigned)(count - from < 32 ? count - from : 32));
}

__attribute__((target(AVX512))) static size_t scan_all_avx512(const uint16_t *values, size_t count,
                                                              uint32_t least, uint16_t *found)
{
    const __m512i leasts      = _mm512_set1_epi16((short)least);
    const __m512i more        = _mm512_set1_epi16(32);
    size_t        found_count = 0;
    __m512i       indices     = _mm512_cvtepu8_epi16(
                  _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                   21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
    for (size_t i = 0; i < count; i += 32) {
        const __mmask32 there = mask_from(i, count);
        const __mmask32 hits  = _mm512_mask_cmpge_epu16_mask(
             there, _mm512_maskz_loadu_epi16(there, values + i), leasts);
        const unsigned some = (unsigned)_mm_popcnt_u32(hits);
        _mm512_mask_storeu_epi16(found + found_count, _bzhi_u32(UINT32_MAX, some),
                                 _mm512_maskz_compress_epi16(hits, indices));
        found_count += some;
        indices = _mm512_add_epi16(indices, more);
    }
    return found_count;
}

__attribute__((target(AVX512))) static size_t count_avx512(const uint16_t *values, size_t count,
                                                           uint32_t least)
{
    const __m512i leasts   = _mm512_set1_epi16((short)least);
    size_t        reaching = 0;
    for (size_t i = 0; i < count; i += 32) {
        const __mmask32 there = mask_from(i, count);
        reaching += (unsigned)_mm_popcnt_u32(_mm512_mask_cmpge_epu16_mask(
            there, _mm512_maskz_loadu_epi16(there, values + i), leasts));
    }
    return reaching;
}

static uint32_t nth_largest_avx512(const uint16_t *values, size_t count, size_t nth)
{
    return nth_largest(values, count, nth, count_avx512);
}

// Twenty-four keys against all, one of which is spread over a register at a time.
__attribute__((target(AVX512))) static void rank_all_avx512(const uint64_t *keys, size_t count,
                                                            uint16_t *ranks)
{
    const __m512i one = _mm512_set1_epi64(1);
    for (size_t from = 0; from < count; from += 24) {
        const uint32_t there = mask_from(from, count);
        __m512i        own[3];
        __m512i        rank[3];
        for (int k = 0; k < 3; k++) {
            own[k]  = _mm512_maskz_loadu_epi64((__mmask8)(there >> 8 * k), keys + from + 8 * k);
            rank[k] = _mm512_setzero_si512();
        }
        for (size_t i = 0; i < count; i++) {
            const __m512i other = _mm512_set1_epi64((long long)keys[i]);
            for (int k = 0; k < 3; k++) {
                rank[k] = _mm512_mask_add_epi64(rank[k], _mm512_cmpgt_epu64_mask(other, own[k]),
                                                rank[k], one);
            }
        }
        for (int k = 0; k < 3; k++) {
            _mm_mask_storeu_epi16(ranks + from + 8 * k, (__mmask8)(there >> 8 * k),
                                  _mm512_cvtepi64_epi16(rank[k]));
        }
    }
}

__attribute__((target(AVX512))) static size_t scan_letters_avx512(const uint32_t *letters,
                                                                  size_t from, size_t count,
                                                                  uint32_t wanted,
                                                                  unsigned bits_max)
{
    const __m512i all  = _mm512_set1_epi32((int)wanted);
    const __m512i most = _mm512_set1_epi32((int)bits_max);
    for (size_t i = from; i < count; i += 16) {
        const __mmask16 there = (__mmask16)mask_from(i, count);
        const __m512i  differ = _mm512_xor_si512(_mm512_maskz_loadu_epi32(there, letters + i), all);
        const unsigned near =
            _mm512_mask_cmple_epu32_mask(there, _mm512_popcnt_epi32(differ), most);
        if (near != 0) {
            return i + (unsigned)__builtin_ctz(near);
        }
    }
    return count;
}

__attribute__((target(AVX512))) static void add_bounds_avx512(uint16_t      *bounds,
                                                              const uint8_t *maxima, size_t count,
                                                              uint16_t weight)
{
    const __m512i weights = _mm512_set1_epi16((short)weight);
    for (size_t i = 0; i < count; i += 32) {
        const __mmask32 there = mask_from(i, count);
        const __m512i   largest =
            _mm512_slli_epi16(_mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(there, maxima + i)), 8);
        const __m512i sums = _mm512_adds_epu16(_mm512_maskz_loadu_epi16(there, bounds + i),
                                               _mm512_mulhi_epu16(largest, weights));
        _mm512_mask_storeu_epi16(bounds + i, there, sums);
    }
}

// --- which one -----------------------------------------------------------------------------

static const deft__scans scans_avx2   = {scan_all_avx2, nth_largest_avx2, rank_all_avx2,
                                         scan_letters_avx2, add_bounds_avx2};
static const deft__scans scans_avx512 = {scan_all_avx512, nth_largest_avx512, rank_all_avx512,
                                         scan_letters_avx512, add_bounds_avx512};

const deft__scans *deft__scans_of(deft__width width)
{
    if (width == DEFT__WIDTH_AVX512 && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")) {
        return &scans_avx512;
    } else if (width != DEFT__WIDTH_PLAIN && __builtin_cpu_supports("avx2")) {
        return &scans_avx2;
    } else {
        return &scans_plain;
    }
}

#else

const deft__scans *deft__scans_of(deft__width width)
{
    (void)width;
    return &scans_plain;
}

#endif

size_t deft__scan_all(const uint16_t *values, size_t count, uint32_t least, uint16_t *found)
{
    return deft__scans_of(DEFT__WIDTH_AVX512)->all(values, count, least, found);
}

uint32_t deft__nth_largest(const uint16_t *values, size_t count, size_t nth)
{
    return deft__scans_of(DEFT__WIDTH_AVX512)->nth_largest(values, count, nth);
}

void deft__rank_all(const uint64_t *keys, size_t count, uint16_t *ranks)
{
    deft__scans_of(DEFT__WIDTH_AVX512)->rank_all(keys, count, ranks);
}

size_t deft__scan_letters(const uint32_t *letters, size_t from, size_t count, uint32_t wanted,
                          unsigned bits_max)
{
    return deft__scans_of(DEFT__WIDTH_AVX512)->letters(letters, from, count, wanted, bits_max);
}

void deft__add_bounds(uint16_t *bounds, const uint8_t *maxima, size_t count, uint16_t weight)
{
    deft__scans_of(DEFT__WIDTH_AVX512)->add_bounds(bounds, maxima, count, weight);
}
