#include "core/semantic/vector.h"

#include <string.h>

// Distances that are looked at in one step.
#define LISTED_AT_ONCE 32u

int32_t deft__dot_plain(const int8_t *a, const int8_t *b, size_t count)
{
    int32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

void deft__sum_add_plain(int32_t *sum, const int8_t *row, int32_t scale, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum[i] += row[i] * scale;
    }
}

static unsigned count_bits(uint64_t value)
{
    value -= value >> 1 & UINT64_C(0x5555555555555555);
    value = (value & UINT64_C(0x3333333333333333)) + (value >> 2 & UINT64_C(0x3333333333333333));
    value = (value + (value >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (unsigned)(value * UINT64_C(0x0101010101010101) >> 56);
}

void deft__count_differing_plain(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                                 size_t words, uint16_t *distances)
{
    for (size_t i = 0; i < tool_count; i++) {
        unsigned distance = 0;
        for (size_t k = 0; k < words; k++) {
            distance += count_bits(signs[i * words + k] ^ wanted[k]);
        }
        distances[i] = (uint16_t)distance;
    }
}

// The rest of a list: in steps of LISTED_AT_ONCE, while there is room for a whole step.
static size_t list_rest(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                        uint32_t *found, size_t found_count, size_t max)
{
    while (*from < count && found_count + LISTED_AT_ONCE <= max) {
        const size_t end = count - *from < LISTED_AT_ONCE ? count : *from + LISTED_AT_ONCE;
        for (; *from < end; ++*from) {
            found[found_count] = (uint32_t)*from;
            found_count += distances[*from] <= limit;
        }
    }
    return found_count;
}

size_t deft__list_near_plain(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                             uint32_t *found, size_t max)
{
    return list_rest(distances, from, count, limit, found, 0, max);
}

static uint32_t magnitude(int32_t number)
{
    return number < 0 ? (uint32_t) - (int64_t)number : (uint32_t)number;
}

uint32_t deft__largest_plain(const int32_t *numbers, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t size = magnitude(numbers[i]);
        largest             = size > largest ? size : largest;
    }
    return largest;
}

uint32_t deft__shrink_plain(const int32_t *numbers, size_t count, uint64_t step, int8_t *shrunk)
{
    uint32_t squares = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t size =
            (uint32_t)((magnitude(numbers[i]) * step + (UINT64_C(1) << 31)) >> 32);
        shrunk[i] = (int8_t)(numbers[i] < 0 ? -(int)size : (int)size);
        squares += size * size;
    }
    return squares;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// Products of bytes fit 16 bits and pairs of them 32: nothing is rounded or cut.
__attribute__((target("avx2"))) static int32_t dot_avx2(const int8_t *a, const int8_t *b,
                                                        size_t count)
{
    __m256i sums = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i += 16) {
        const __m256i x =
            _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(a + i)));
        const __m256i y =
            _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(b + i)));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(x, y));
    }
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

__attribute__((target("avx512f,avx512bw"))) static int32_t dot_avx512(const int8_t *a,
                                                                      const int8_t *b, size_t count)
{
    __m512i sums = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i += 32) {
        const __m512i x =
            _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(a + i)));
        const __m512i y =
            _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(b + i)));
        sums = _mm512_add_epi32(sums, _mm512_madd_epi16(x, y));
    }
    return _mm512_reduce_add_epi32(sums);
}

// Rows that are multiplied at a time by dot_each_vnni(), and how many rows ahead are asked for: they lie
// far apart, and one row takes a fraction of the time that its bytes take to come.
#define ROWS_AT_ONCE 4u
#define ROWS_AHEAD   12u

static void ask_for(const int8_t *row)
{
    for (size_t i = 0; i < DEFT__MODEL_DIMENSIONS_MAX; i += 64) {
        __builtin_prefetch(row + i);
    }
}

// The sums of four registers, side by side: pairs are added while rows become columns.
__attribute__((target("avx512f"))) static __m128i sum_four(__m512i a, __m512i b, __m512i c,
                                                           __m512i d)
{
    const __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    const __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    const __m512i abcd =
        _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(abcd), _mm512_extracti64x4_epi64(abcd, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

// Products of 256 numbers with a row, in sixteen sums. The instruction multiplies unsigned numbers by
// signed ones, so those of the row become 128 larger, and the sums as much too large as `one` says.
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static inline __m512i multiply_row(
    const __m512i one[4], const int8_t *row)
{
    const __m512i high = _mm512_set1_epi8((char)-128);
    __m512i       sums = _mm512_setzero_si512();
    for (size_t k = 0; k < 4; k++) {
        sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(_mm512_loadu_si512(row + 64 * k), high),
                                   one[k]);
    }
    return sums;
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void dot_each_vnni(
    const int8_t *one, const int8_t *const *others, size_t other_count, int32_t *products)
{
    const __m512i numbers[4] = {_mm512_loadu_si512(one), _mm512_loadu_si512(one + 64),
                                _mm512_loadu_si512(one + 128), _mm512_loadu_si512(one + 192)};
    __m512i       extra      = _mm512_setzero_si512();
    size_t        i          = 0;
    for (size_t k = 0; k < 4; k++) {
        extra = _mm512_dpbusd_epi32(extra, _mm512_set1_epi8((char)-128), numbers[k]);
    }
    const int32_t too_large = _mm512_reduce_add_epi32(extra);
    for (; other_count > ROWS_AHEAD && i < ROWS_AHEAD; i++) {
        ask_for(others[i]); // fewer are the query's own, and near
    }
    for (i = 0; i + ROWS_AT_ONCE <= other_count; i += ROWS_AT_ONCE) {
        for (size_t k = i + ROWS_AHEAD; k < other_count && k < i + ROWS_AHEAD + ROWS_AT_ONCE; k++) {
            ask_for(others[k]);
        }
        const __m128i four =
            sum_four(multiply_row(numbers, others[i]), multiply_row(numbers, others[i + 1]),
                     multiply_row(numbers, others[i + 2]), multiply_row(numbers, others[i + 3]));
        _mm_storeu_si128((__m128i *)(void *)(products + i),
                         _mm_sub_epi32(four, _mm_set1_epi32(too_large)));
    }
    for (; i < other_count; i++) {
        products[i] = _mm512_reduce_add_epi32(multiply_row(numbers, others[i])) - too_large;
    }
}

__attribute__((target("avx2"))) static void sum_add_avx2(int32_t *sum, const int8_t *row,
                                                         int32_t scale, size_t count)
{
    const __m256i scales = _mm256_set1_epi32(scale);
    for (size_t i = 0; i < count; i += 8) {
        const __m256i numbers =
            _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(row + i)));
        __m256i *place = (__m256i *)(void *)(sum + i);
        _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place),
                                                    _mm256_mullo_epi32(numbers, scales)));
    }
}

// The counts of a tool's four words, two of them in each half of a register, of four tools next to one
// another. A count takes few of its 64 bits, so that narrowing twice loses nothing.
__attribute__((target("avx512f,avx512vl,avx512bw,avx512vpopcntdq"))) static inline __m256i
count_four(const uint64_t *signs, __m256i wanted)
{
    const __m256i *four = (const __m256i *)(const void *)signs;
    const __m256i  a    = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four), wanted));
    const __m256i  b = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four + 1), wanted));
    const __m256i  c = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four + 2), wanted));
    const __m256i  d = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four + 3), wanted));
    return _mm256_packus_epi32(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
}

// Eight tools at a time: halves are added to halves, and then neighbours.
__attribute__((target("avx512f,avx512vl,avx512bw,avx512vpopcntdq"))) static void
count_differing_avx512(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                       uint16_t *distances)
{
    const __m256i all  = _mm256_loadu_si256((const __m256i *)(const void *)wanted);
    const __m256i ones = _mm256_set1_epi16(1);
    size_t        i    = 0;
    for (; i + 8 <= tool_count; i += 8) {
        const __m256i first  = count_four(signs + i * 4, all);
        const __m256i second = count_four(signs + i * 4 + 16, all);
        const __m256i halves = _mm256_add_epi16(_mm256_permute2x128_si256(first, second, 0x20),
                                                _mm256_permute2x128_si256(first, second, 0x31));
        _mm_storeu_si128((__m128i *)(void *)(distances + i),
                         _mm256_cvtepi32_epi16(_mm256_madd_epi16(halves, ones)));
    }
    deft__count_differing_plain(signs + i * 4, tool_count - i, wanted, 4, distances + i);
}

__attribute__((target("avx2"))) static size_t list_near_avx2(const uint16_t *distances,
                                                             size_t *from, size_t count,
                                                             uint32_t limit, uint32_t *found,
                                                             size_t max)
{
    const __m256i limits      = _mm256_set1_epi16((short)limit);
    size_t        found_count = 0;
    size_t        i           = *from;
    for (; i + LISTED_AT_ONCE <= count && found_count + LISTED_AT_ONCE <= max;
         i += LISTED_AT_ONCE) {
        const __m256i *some = (const __m256i *)(const void *)(distances + i);
        const __m256i  far =
            _mm256_packs_epi16(_mm256_cmpgt_epi16(_mm256_loadu_si256(some), limits),
                               _mm256_cmpgt_epi16(_mm256_loadu_si256(some + 1), limits));
        // Packing leaves the halves of the two next to one another.
        unsigned near = ~(unsigned)_mm256_movemask_epi8(_mm256_permute4x64_epi64(far, 0xD8));
        for (; near != 0; near &= near - 1) {
            found[found_count++] = (uint32_t)i + (unsigned)__builtin_ctz(near);
        }
    }
    *from = i;
    return list_rest(distances, from, count, limit, found, found_count, max);
}

// Without a branch: which of sixteen are near is guessed wrongly too often.
__attribute__((target("avx512f,avx512bw,avx512vl,popcnt"))) static size_t list_near_avx512(
    const uint16_t *distances, size_t *from, size_t count, uint32_t limit, uint32_t *found,
    size_t max)
{
    const __m256i limits  = _mm256_set1_epi16((short)limit);
    const __m512i sixteen = _mm512_set1_epi32(16);
    size_t        i       = *from;
    __m512i       numbers =
        _mm512_add_epi32(_mm512_set1_epi32((int)i),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    size_t found_count = 0;
    for (; i + LISTED_AT_ONCE <= count && found_count + LISTED_AT_ONCE <= max;
         i += LISTED_AT_ONCE) {
        for (size_t k = 0; k < LISTED_AT_ONCE; k += 16) {
            const __m256i some =
                _mm256_loadu_si256((const __m256i *)(const void *)(distances + i + k));
            const __mmask16 near = _mm256_cmple_epu16_mask(some, limits);
            _mm512_storeu_si512(found + found_count, _mm512_maskz_compress_epi32(near, numbers));
            found_count += (size_t)__builtin_popcount(near);
            numbers = _mm512_add_epi32(numbers, sixteen);
        }
    }
    *from = i;
    return list_rest(distances, from, count, limit, found, found_count, max);
}

__attribute__((target("avx2"))) static uint32_t largest_avx2(const int32_t *numbers, size_t count)
{
    __m256i  largest = _mm256_setzero_si256();
    uint32_t eight[8];
    for (size_t i = 0; i < count; i += 8) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)(numbers + i));
        largest            = _mm256_max_epu32(largest, _mm256_abs_epi32(some));
    }
    _mm256_storeu_si256((__m256i *)(void *)eight, largest);
    for (size_t i = 1; i < 8; i++) {
        eight[0] = eight[i] > eight[0] ? eight[i] : eight[0];
    }
    return eight[0];
}

// Eight numbers shrunk. The product of 32 and 39 bits is that of 32 and 32, and the rest 2^32 times;
// of both together no more than 39 bits are used.
__attribute__((target("avx2"))) static __m256i shrink_eight(const int32_t *numbers, __m256i low,
                                                            __m256i high)
{
    const __m256i half  = _mm256_set1_epi64x(INT64_C(1) << 31);
    const __m256i eight = _mm256_loadu_si256((const __m256i *)(const void *)numbers);
    const __m256i even  = _mm256_abs_epi32(eight);
    const __m256i odd   = _mm256_srli_epi64(even, 32);
    const __m256i a     = _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(even, low), half),
                                           _mm256_slli_epi64(_mm256_mul_epu32(even, high), 32));
    const __m256i b     = _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(odd, low), half),
                                           _mm256_slli_epi64(_mm256_mul_epu32(odd, high), 32));
    return _mm256_sign_epi32(_mm256_blend_epi32(_mm256_srli_epi64(a, 32), b, 0xAA), eight);
}

__attribute__((target("avx2"))) static uint32_t shrink_avx2(const int32_t *numbers, size_t count,
                                                            uint64_t step, int8_t *shrunk)
{
    const __m256i low     = _mm256_set1_epi64x((long long)(step & UINT32_MAX));
    const __m256i high    = _mm256_set1_epi64x((long long)(step >> 32));
    __m256i       squares = _mm256_setzero_si256();
    uint32_t      eight[8];
    for (size_t i = 0; i < count; i += 32) {
        const __m256i a    = shrink_eight(numbers + i, low, high);
        const __m256i b    = shrink_eight(numbers + i + 8, low, high);
        const __m256i c    = shrink_eight(numbers + i + 16, low, high);
        const __m256i d    = shrink_eight(numbers + i + 24, low, high);
        const __m256i ab   = _mm256_packs_epi32(a, b);
        const __m256i cd   = _mm256_packs_epi32(c, d);
        const __m256i both = _mm256_packs_epi16(ab, cd); // fours, in the order of both packings
        squares            = _mm256_add_epi32(
                       squares, _mm256_add_epi32(_mm256_madd_epi16(ab, ab), _mm256_madd_epi16(cd, cd)));
        _mm256_storeu_si256(
            (__m256i *)(void *)(shrunk + i),
            _mm256_permutevar8x32_epi32(both, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    }
    _mm256_storeu_si256((__m256i *)(void *)eight, squares);
    for (size_t i = 1; i < 8; i++) {
        eight[0] += eight[i];
    }
    return eight[0];
}

__attribute__((target("popcnt"))) static void count_differing_popcnt(const uint64_t *signs,
                                                                     size_t          tool_count,
                                                                     const uint64_t *wanted,
                                                                     size_t          words,
                                                                     uint16_t       *distances)
{
    for (size_t i = 0; i < tool_count; i++) {
        uint64_t distance = 0;
        for (size_t k = 0; k < words; k++) {
            distance += (uint64_t)__builtin_popcountll(signs[i * words + k] ^ wanted[k]);
        }
        distances[i] = (uint16_t)distance;
    }
}

int32_t deft__dot_avx2(const int8_t *a, const int8_t *b, size_t count)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2(a, b, count) : deft__dot_plain(a, b, count);
}

int32_t deft__dot(const int8_t *a, const int8_t *b, size_t count)
{
    return __builtin_cpu_supports("avx512bw") ? dot_avx512(a, b, count)
                                              : deft__dot_avx2(a, b, count);
}

void deft__sum_add(int32_t *sum, const int8_t *row, int32_t scale, size_t count)
{
    if (__builtin_cpu_supports("avx2")) {
        sum_add_avx2(sum, row, scale, count);
    } else {
        deft__sum_add_plain(sum, row, scale, count);
    }
}

void deft__count_differing_popcnt(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                                  size_t words, uint16_t *distances)
{
    if (__builtin_cpu_supports("popcnt")) {
        count_differing_popcnt(signs, tool_count, wanted, words, distances);
    } else {
        deft__count_differing_plain(signs, tool_count, wanted, words, distances);
    }
}

void deft__count_differing(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                           size_t words, uint16_t *distances)
{
    if (words == 4 && __builtin_cpu_supports("avx512vpopcntdq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        count_differing_avx512(signs, tool_count, wanted, distances);
    } else {
        deft__count_differing_popcnt(signs, tool_count, wanted, words, distances);
    }
}

size_t deft__list_near_avx2(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                            uint32_t *found, size_t max)
{
    return __builtin_cpu_supports("avx2")
               ? list_near_avx2(distances, from, count, limit, found, max)
               : deft__list_near_plain(distances, from, count, limit, found, max);
}

size_t deft__list_near(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                       uint32_t *found, size_t max)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
               ? list_near_avx512(distances, from, count, limit, found, max)
               : deft__list_near_avx2(distances, from, count, limit, found, max);
}

uint32_t deft__largest(const int32_t *numbers, size_t count)
{
    return __builtin_cpu_supports("avx2") ? largest_avx2(numbers, count)
                                          : deft__largest_plain(numbers, count);
}

uint32_t deft__shrink(const int32_t *numbers, size_t count, uint64_t step, int8_t *shrunk)
{
    return __builtin_cpu_supports("avx2") ? shrink_avx2(numbers, count, step, shrunk)
                                          : deft__shrink_plain(numbers, count, step, shrunk);
}

void deft__dot_each(const int8_t *one, const int8_t *const *others, size_t other_count,
                    size_t count, int32_t *products)
{
    if (count == 256 && __builtin_cpu_supports("avx512vnni") &&
        __builtin_cpu_supports("avx512bw")) {
        dot_each_vnni(one, others, other_count, products);
        return;
    }
    for (size_t i = 0; i < other_count; i++) {
        products[i] = deft__dot(one, others[i], count);
    }
}

#else

size_t deft__list_near_avx2(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                            uint32_t *found, size_t max)
{
    return deft__list_near_plain(distances, from, count, limit, found, max);
}

size_t deft__list_near(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                       uint32_t *found, size_t max)
{
    return deft__list_near_plain(distances, from, count, limit, found, max);
}

uint32_t deft__largest(const int32_t *numbers, size_t count)
{
    return deft__largest_plain(numbers, count);
}

uint32_t deft__shrink(const int32_t *numbers, size_t count, uint64_t step, int8_t *shrunk)
{
    return deft__shrink_plain(numbers, count, step, shrunk);
}

void deft__dot_each(const int8_t *one, const int8_t *const *others, size_t other_count,
                    size_t count, int32_t *products)
{
    for (size_t i = 0; i < other_count; i++) {
        products[i] = deft__dot_plain(one, others[i], count);
    }
}

int32_t deft__dot_avx2(const int8_t *a, const int8_t *b, size_t count)
{
    return deft__dot_plain(a, b, count);
}

int32_t deft__dot(const int8_t *a, const int8_t *b, size_t count)
{
    return deft__dot_plain(a, b, count);
}

void deft__sum_add(int32_t *sum, const int8_t *row, int32_t scale, size_t count)
{
    deft__sum_add_plain(sum, row, scale, count);
}

void deft__count_differing_popcnt(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                                  size_t words, uint16_t *distances)
{
    deft__count_differing_plain(signs, tool_count, wanted, words, distances);
}

void deft__count_differing(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                           size_t words, uint16_t *distances)
{
    deft__count_differing_plain(signs, tool_count, wanted, words, distances);
}

#endif

void deft__sum_add_row(deft__sum *sum, const deft_model *model, uint32_t row)
{
    deft__sum_add(sum->numbers, deft__model_row(model, row), model->scales[row], model->dimensions);
}

void deft__sum_add_grams(deft__sum *sum, const deft_model *model, deft_view stem)
{
    uint32_t     rows[DEFT__MODEL_GRAMS_MAX];
    const size_t count = deft__model_grams(model, stem, rows);
    for (size_t i = 0; i < count; i++) {
        deft__sum_add(sum->numbers, deft__model_row(model, rows[i]),
                      (int32_t)(model->scales[rows[i]] / count), model->dimensions);
    }
}

uint32_t deft__root(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= value) {
            root |= bit;
        }
    }
    return (uint32_t)root;
}

void deft__sum_merge(deft__sum *sum, const deft__sum *field, uint32_t weight, size_t count)
{
    uint64_t squares = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t number = field->numbers[i] / 256;
        squares += (uint64_t)(number * number);
    }
    const int64_t root = deft__root((uint64_t)deft__root(squares) << 16); // 256 times too large
    for (size_t i = 0; i < count && root > 0; i++) {
        sum->numbers[i] += (int32_t)((int64_t)field->numbers[i] * weight * 64 / root);
    }
}

void deft__vector_from(deft__vector *vector, const deft__sum *sum, size_t count)
{
    // One division: the largest becomes 127, in steps of 2^-32.
    const uint32_t largest = deft__largest(sum->numbers, count);
    const uint64_t step    = largest > 0 ? (UINT64_C(127) << 32) / largest : 0;
    memset(vector, 0, sizeof *vector);
    const uint64_t squares = deft__shrink(sum->numbers, count, step, vector->numbers);
    vector->length         = deft__root(squares * 256); // sixteen times the root
}

int32_t deft__cosine(int32_t dot, uint32_t length_a, uint32_t length_b)
{
    const int64_t lengths = (int64_t)length_a * length_b; // 256 times too large
    return lengths > 0 ? (int32_t)((int64_t)dot * 256 * DEFT__COSINE_ONE / lengths) : 0;
}

void deft__signs_of(const int8_t *numbers, size_t count, uint64_t *signs)
{
    for (size_t i = 0; i < count / 64; i++) {
        signs[i] = 0;
        for (size_t k = 0; k < 64; k++) {
            signs[i] |= (uint64_t)(numbers[i * 64 + k] < 0) << k;
        }
    }
}
