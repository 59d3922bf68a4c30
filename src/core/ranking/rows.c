#include "core/ranking/rows.h"

uint64_t deft__add_rows_plain(const deft__row_work *work, deft__row_sums *sums)
{
    uint64_t found = 0;
    *sums          = *work->start;
    for (size_t i = 0; i < work->count; i++) {
        const deft__row_term *term   = &work->terms[i];
        const uint8_t        *impact = term->blocks.impacts + term->blocks.starts[work->block];
        for (uint64_t mask = term->blocks.masks[work->block]; mask != 0; mask &= mask - 1) {
            const unsigned place = (unsigned)__builtin_ctzll(mask);
            sums->scores[place] =
                (uint16_t)(sums->scores[place] + deft__gain(term->weight, *impact++));
            sums->masses[place] = (uint16_t)(sums->masses[place] + term->mass);
        }
    }
    for (unsigned place = 0; place < DEFT__BLOCK_SIZE; place++) {
        found |= (uint64_t)(sums->scores[place] >= work->bar) << place;
    }
    return found;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// Rows that are added before it is asked whether some place can still reach the bar. To ask after each
// would end a third of a row earlier, but where it ends is guessed wrongly more often.
#define ROWS_AT_ONCE 4u

// What a place must have already, to reach the bar with the rest. No branch: it would be guessed wrongly.
static uint32_t missing_of(uint32_t bar, uint32_t rest)
{
    return (bar - rest) & (0u - (uint32_t)(rest < bar));
}

// Adds what having a term counts, once it is known that it matters.
__attribute__((target("avx512f,avx512bw"))) static void add_masses_avx512(
    const deft__row_work *work, deft__row_sums *sums)
{
    __m512i low  = _mm512_loadu_si512(work->start->masses);
    __m512i high = _mm512_loadu_si512(work->start->masses + 32);
    for (size_t i = 0; i < work->count; i++) {
        const uint64_t mask = work->terms[i].blocks.masks[work->block];
        const __m512i  mass = _mm512_set1_epi16((short)work->terms[i].mass);
        low                 = _mm512_mask_add_epi16(low, (__mmask32)mask, low, mass);
        high                = _mm512_mask_add_epi16(high, (__mmask32)(mask >> 32), high, mass);
    }
    _mm512_storeu_si512(sums->masses, low);
    _mm512_storeu_si512(sums->masses + 32, high);
}

// The impacts of 64 places are spread over the places that have one, into the high bytes of 16 bits, so
// that the high half of a product with the weight is what is wanted. That leaves every other eight
// places in one register and the rest in the other; sums stay there until they are stored.
__attribute__((target("avx512f,avx512bw,avx512vbmi2"))) static uint64_t add_rows_avx512(
    const deft__row_work *work, deft__row_sums *sums)
{
    const __m512i  zero       = _mm512_setzero_si512();
    const __m512i  start_low  = _mm512_loadu_si512(work->start->scores);
    const __m512i  start_high = _mm512_loadu_si512(work->start->scores + 32);
    const uint32_t block      = work->block;
    const uint32_t bar        = work->bar;
    uint32_t       rest       = work->rest;
    __m512i even = _mm512_permutex2var_epi64(start_low, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13),
                                             start_high);
    __m512i odd  = _mm512_permutex2var_epi64(
         start_low, _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15), start_high);
    for (size_t i = 0; i < work->count;) {
        const size_t end = i + ROWS_AT_ONCE < work->count ? i + ROWS_AT_ONCE : work->count;
        for (; i < end; i++) {
            const deft__row_term *term   = &work->terms[i];
            const __m512i         weight = _mm512_set1_epi16((short)term->weight);
            const __m512i         packed =
                _mm512_loadu_si512(term->blocks.impacts + term->blocks.starts[block]);
            // Some processors wait for the old value of the register that is spread into, also where
            // they need not. With zeros of its own for each row, a row takes half the time.
            __m512i own = zero;
            __asm__("" : "+v"(own));
            const __m512i impact = _mm512_mask_expand_epi8(own, term->blocks.masks[block], packed);
            even                 = _mm512_add_epi16(even,
                                                    _mm512_mulhi_epu16(_mm512_unpacklo_epi8(zero, impact), weight));
            odd                  = _mm512_add_epi16(odd,
                                                    _mm512_mulhi_epu16(_mm512_unpackhi_epi8(zero, impact), weight));
            rest -= deft__gain(term->weight, term->blocks.maxima[block]);
        }
        const __m512i missing = _mm512_set1_epi16((short)missing_of(bar, rest));
        if (_mm512_cmpge_epu16_mask(_mm512_max_epu16(even, odd), missing) == 0) {
            return 0;
        }
    }
    const __m512i least = _mm512_set1_epi16((short)bar);
    const __m512i low =
        _mm512_permutex2var_epi64(even, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), odd);
    const __m512i high =
        _mm512_permutex2var_epi64(even, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), odd);
    _mm512_storeu_si512(sums->scores, low);
    _mm512_storeu_si512(sums->scores + 32, high);
    add_masses_avx512(work, sums);
    return (uint64_t)_mm512_cmpge_epu16_mask(high, least) << 32 |
           _mm512_cmpge_epu16_mask(low, least);
}

// For eight places: which impact each of them gets; the high bit where it gets none.
#define HAS(mask, place, below) ((below) < (place) && ((mask) >> (below)&1) != 0)
#define RANK(mask, place)                                                                          \
    (HAS(mask, place, 0) + HAS(mask, place, 1) + HAS(mask, place, 2) + HAS(mask, place, 3) +       \
     HAS(mask, place, 4) + HAS(mask, place, 5) + HAS(mask, place, 6))
#define SPREAD_ONE(mask, place)                                                                    \
    ((uint64_t)(((mask) >> (place)&1) != 0 ? RANK(mask, place) : 0x80) << (8 * (place)))
#define SPREAD(mask)                                                                               \
    (SPREAD_ONE(mask, 0) | SPREAD_ONE(mask, 1) | SPREAD_ONE(mask, 2) | SPREAD_ONE(mask, 3) |       \
     SPREAD_ONE(mask, 4) | SPREAD_ONE(mask, 5) | SPREAD_ONE(mask, 6) | SPREAD_ONE(mask, 7))
#define SPREAD_4(mask) SPREAD(mask), SPREAD((mask) + 1), SPREAD((mask) + 2), SPREAD((mask) + 3)
#define SPREAD_16(mask)                                                                            \
    SPREAD_4(mask), SPREAD_4((mask) + 4), SPREAD_4((mask) + 8), SPREAD_4((mask) + 12)
#define SPREAD_64(mask)                                                                            \
    SPREAD_16(mask), SPREAD_16((mask) + 16), SPREAD_16((mask) + 32), SPREAD_16((mask) + 48)

static const uint64_t spread[256] = {SPREAD_64(0), SPREAD_64(64), SPREAD_64(128), SPREAD_64(192)};

// The impacts of sixteen places, each in the high byte of its number.
__attribute__((target("avx2,popcnt"))) static __m256i spread_impacts(unsigned       mask,
                                                                     const uint8_t *impacts)
{
    const uint8_t *behind = impacts + __builtin_popcount(mask & 0xFF);
    const __m128i  low =
        _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i *)(const void *)impacts),
                         _mm_loadl_epi64((const __m128i *)(const void *)&spread[mask & 0xFF]));
    const __m128i high =
        _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i *)(const void *)behind),
                         _mm_loadl_epi64((const __m128i *)(const void *)&spread[mask >> 8]));
    return _mm256_slli_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi64(low, high)), 8);
}

// Which of sixteen numbers are at least `least`.
__attribute__((target("avx2"))) static __m256i reach(__m256i scores, __m256i least)
{
    return _mm256_cmpeq_epi16(_mm256_max_epu16(scores, least), scores);
}

// Adds one row to the scores of all 64 places.
__attribute__((target("avx2,popcnt"))) static void add_row_avx2(const deft__row_term *term,
                                                                uint32_t block, __m256i score[4])
{
    const uint64_t all    = term->blocks.masks[block];
    const __m256i  weight = _mm256_set1_epi16((short)term->weight);
    const uint8_t *next   = term->blocks.impacts + term->blocks.starts[block];
    for (int k = 0; k < 4; k++) {
        const unsigned mask   = (unsigned)(all >> 16 * k) & 0xFFFF;
        const __m256i  impact = spread_impacts(mask, next);
        next += __builtin_popcount(mask);
        score[k] = _mm256_add_epi16(score[k], _mm256_mulhi_epu16(impact, weight));
    }
}

// Adds what having a term counts, once it is known that it matters: sixteen places at a time, each of
// which looks at its own bit.
__attribute__((target("avx2"))) static void add_masses_avx2(const deft__row_work *work,
                                                            deft__row_sums       *sums)
{
    const __m256i bits = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                           8192, 16384, INT16_MIN);
    for (int k = 0; k < 4; k++) {
        __m256i mass =
            _mm256_loadu_si256((const __m256i *)(const void *)(work->start->masses + 16 * k));
        for (size_t i = 0; i < work->count; i++) {
            const uint64_t all = work->terms[i].blocks.masks[work->block];
            const __m256i  own = _mm256_and_si256(_mm256_set1_epi16((short)(all >> 16 * k)), bits);
            mass               = _mm256_add_epi16(
                              mass, _mm256_and_si256(_mm256_cmpeq_epi16(own, bits),
                                                     _mm256_set1_epi16((short)work->terms[i].mass)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(sums->masses + 16 * k), mass);
    }
}

__attribute__((target("avx2,popcnt"))) static uint64_t add_rows_avx2(const deft__row_work *work,
                                                                     deft__row_sums       *sums)
{
    uint32_t rest = work->rest;
    __m256i  score[4];
    for (int k = 0; k < 4; k++) {
        score[k] =
            _mm256_loadu_si256((const __m256i *)(const void *)(work->start->scores + 16 * k));
    }
    for (size_t i = 0; i < work->count;) {
        const size_t end = i + ROWS_AT_ONCE < work->count ? i + ROWS_AT_ONCE : work->count;
        for (; i < end; i++) {
            const deft__row_term *term = &work->terms[i];
            add_row_avx2(term, work->block, score);
            rest -= deft__gain(term->weight, term->blocks.maxima[work->block]);
        }
        const __m256i highest = _mm256_max_epu16(_mm256_max_epu16(score[0], score[1]),
                                                 _mm256_max_epu16(score[2], score[3]));
        const __m256i any = reach(highest, _mm256_set1_epi16((short)missing_of(work->bar, rest)));
        if (_mm256_testz_si256(any, any) != 0) {
            return 0;
        }
    }
    const __m256i least = _mm256_set1_epi16((short)work->bar);
    uint64_t      found = 0;
    for (int k = 0; k < 4; k++) {
        _mm256_storeu_si256((__m256i *)(void *)(sums->scores + 16 * k), score[k]);
    }
    for (int k = 0; k < 4; k += 2) {
        const __m256i both = _mm256_packs_epi16(reach(score[k], least), reach(score[k + 1], least));
        found |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xD8))
                 << 16 * k;
    }
    add_masses_avx2(work, sums);
    return found;
}

uint64_t deft__add_rows_avx2(const deft__row_work *work, deft__row_sums *sums)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")
               ? add_rows_avx2(work, sums)
               : deft__add_rows_plain(work, sums);
}

uint64_t deft__add_rows(const deft__row_work *work, deft__row_sums *sums)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw")
               ? add_rows_avx512(work, sums)
               : deft__add_rows_avx2(work, sums);
}

#else

uint64_t deft__add_rows_avx2(const deft__row_work *work, deft__row_sums *sums)
{
    return deft__add_rows_plain(work, sums);
}

uint64_t deft__add_rows(const deft__row_work *work, deft__row_sums *sums)
{
    return deft__add_rows_plain(work, sums);
}

#endif
