#include "core/semantic/vector.h"

#include <string.h>

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

size_t deft__find_near_plain(const uint16_t *distances, size_t from, size_t count, uint32_t limit)
{
    size_t i = from;
    while (i < count && distances[i] > limit) {
        i++;
    }
    return i;
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

// Four tools at a time: the four counts of each are added up by turning rows into columns.
__attribute__((target("avx512f,avx512vl,avx512bw,avx512vpopcntdq"))) static void
count_differing_avx512(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                       uint16_t *distances)
{
    const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)wanted);
    size_t        i   = 0;
    for (; i + 4 <= tool_count; i += 4) {
        const __m256i *four = (const __m256i *)(const void *)(signs + i * 4);
        const __m256i  a    = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four), all));
        const __m256i  b = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four + 1), all));
        const __m256i  c = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four + 2), all));
        const __m256i  d = _mm256_popcnt_epi64(_mm256_xor_si256(_mm256_loadu_si256(four + 3), all));
        const __m256i  ab =
            _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        const __m256i cd =
            _mm256_add_epi64(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        const __m256i sums = _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20),
                                              _mm256_permute2x128_si256(ab, cd, 0x31));
        _mm_storel_epi64((__m128i *)(void *)(distances + i), _mm256_cvtepi64_epi16(sums));
    }
    deft__count_differing_plain(signs + i * 4, tool_count - i, wanted, 4, distances + i);
}

__attribute__((target("avx2"))) static size_t find_near_avx2(const uint16_t *distances, size_t from,
                                                             size_t count, uint32_t limit)
{
    const __m256i limits = _mm256_set1_epi16((short)limit);
    size_t        i      = from;
    for (; i + 16 <= count; i += 16) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)(distances + i));
        const int     far  = _mm256_movemask_epi8(_mm256_cmpgt_epi16(some, limits));
        if (far != -1) {
            return i + (size_t)__builtin_ctz(~(unsigned)far) / 2;
        }
    }
    return deft__find_near_plain(distances, i, count, limit);
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

int32_t deft__dot(const int8_t *a, const int8_t *b, size_t count)
{
    if (__builtin_cpu_supports("avx512bw")) {
        return dot_avx512(a, b, count);
    } else if (__builtin_cpu_supports("avx2")) {
        return dot_avx2(a, b, count);
    } else {
        return deft__dot_plain(a, b, count);
    }
}

void deft__sum_add(int32_t *sum, const int8_t *row, int32_t scale, size_t count)
{
    if (__builtin_cpu_supports("avx2")) {
        sum_add_avx2(sum, row, scale, count);
    } else {
        deft__sum_add_plain(sum, row, scale, count);
    }
}

void deft__count_differing(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                           size_t words, uint16_t *distances)
{
    if (words == 4 && __builtin_cpu_supports("avx512vpopcntdq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        count_differing_avx512(signs, tool_count, wanted, distances);
    } else if (__builtin_cpu_supports("popcnt")) {
        count_differing_popcnt(signs, tool_count, wanted, words, distances);
    } else {
        deft__count_differing_plain(signs, tool_count, wanted, words, distances);
    }
}

size_t deft__find_near(const uint16_t *distances, size_t from, size_t count, uint32_t limit)
{
    return __builtin_cpu_supports("avx2") ? find_near_avx2(distances, from, count, limit)
                                          : deft__find_near_plain(distances, from, count, limit);
}

#else

size_t deft__find_near(const uint16_t *distances, size_t from, size_t count, uint32_t limit)
{
    return deft__find_near_plain(distances, from, count, limit);
}

int32_t deft__dot(const int8_t *a, const int8_t *b, size_t count)
{
    return deft__dot_plain(a, b, count);
}

void deft__sum_add(int32_t *sum, const int8_t *row, int32_t scale, size_t count)
{
    deft__sum_add_plain(sum, row, scale, count);
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

static uint32_t magnitude(int32_t number)
{
    return number < 0 ? (uint32_t) - (int64_t)number : (uint32_t)number;
}

void deft__vector_from(deft__vector *vector, const deft__sum *sum, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t size = magnitude(sum->numbers[i]);
        largest             = size > largest ? size : largest;
    }
    // One division: the largest becomes 127, in steps of 2^-32.
    const uint64_t step    = largest > 0 ? (UINT64_C(127) << 32) / largest : 0;
    uint64_t       squares = 0;
    memset(vector, 0, sizeof *vector);
    for (size_t i = 0; i < count; i++) {
        const uint64_t size = (magnitude(sum->numbers[i]) * step + (UINT64_C(1) << 31)) >> 32;
        vector->numbers[i]  = (int8_t)(sum->numbers[i] < 0 ? -(int)size : (int)size);
        squares += size * size;
    }
    vector->length = deft__root(squares * 256); // sixteen times the root
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
