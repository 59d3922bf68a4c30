// vector.h - sums of rows, and how alike two vectors are. Each loop has a plain version and wide ones
// that give the same bits; which is used is decided at run time.
#ifndef DEFT_CORE_SEMANTIC_VECTOR_H
#define DEFT_CORE_SEMANTIC_VECTOR_H

#include "core/semantic/model.h"

// A sum of rows, before it is brought to length one.
typedef struct deft__sum {
    int32_t numbers[DEFT__MODEL_DIMENSIONS_MAX];
} deft__sum;

// A direction: numbers of a byte, and their length in 1/16. Length 0: no direction at all.
typedef struct deft__vector {
    int8_t   numbers[DEFT__MODEL_DIMENSIONS_MAX];
    uint32_t length;
} deft__vector;

// One as cosines are given: 1/1024 of it are the steps.
#define DEFT__COSINE_ONE 1024

// sum += row * scale, for `count` numbers, a multiple of 64.
void deft__sum_add(int32_t *sum, const int8_t *row, int32_t scale, size_t count);

// sum += field * weight / root of the field's length: a field of ten times as many words counts three
// times as much. `weight` in 1/256.
void deft__sum_merge(deft__sum *sum, const deft__sum *field, uint32_t weight, size_t count);

// Adds what a stem says: its row or, without one, the mean of its letter groups.
void deft__sum_add_row(deft__sum *sum, const deft_model *model, uint32_t row);
void deft__sum_add_grams(deft__sum *sum, const deft_model *model, deft_view stem);

void deft__vector_from(deft__vector *vector, const deft__sum *sum, size_t count);

// Its two steps: the largest of the numbers, signs aside; and all of them times `step`, which makes the
// largest 127 at most, in 2^-32 and rounded. Returns the sum of the squares. `count` is a multiple of 64.
uint32_t deft__largest(const int32_t *numbers, size_t count);
uint32_t deft__shrink(const int32_t *numbers, size_t count, uint64_t step, int8_t *shrunk);

// The product of two rows of numbers; their cosine in 1/DEFT__COSINE_ONE, from the product and both
// lengths.
int32_t deft__dot(const int8_t *a, const int8_t *b, size_t count);
int32_t deft__cosine(int32_t dot, uint32_t length_a, uint32_t length_b);

// The products of one row of numbers with each of several others.
void deft__dot_each(const int8_t *one, const int8_t *const *others, size_t other_count,
                    size_t count, int32_t *products);

// The signs of a vector, a bit each, and in how many of them two differ. `words` of 64 bits.
void deft__signs_of(const int8_t *numbers, size_t count, uint64_t *signs);
void deft__count_differing(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                           size_t words, uint16_t *distances);

// Those from `*from` on that differ in at most `limit`, until fewer than 32 more fit into the `max` there
// is room for; how many. `*from` becomes where to go on, `count` when all are listed.
size_t deft__list_near(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                       uint32_t *found, size_t max);

uint32_t deft__root(uint64_t value); // the integer square root

// The plain versions, for tests to compare with.
int32_t deft__dot_plain(const int8_t *a, const int8_t *b, size_t count);
void    deft__sum_add_plain(int32_t *sum, const int8_t *row, int32_t scale, size_t count);
void   deft__count_differing_plain(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                                   size_t words, uint16_t *distances);
size_t deft__list_near_plain(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                             uint32_t *found, size_t max);
uint32_t deft__largest_plain(const int32_t *numbers, size_t count);
uint32_t deft__shrink_plain(const int32_t *numbers, size_t count, uint64_t step, int8_t *shrunk);

// Narrower versions, for the same. Where the processor has not what they need, they are plain.
int32_t deft__dot_avx2(const int8_t *a, const int8_t *b, size_t count);
void deft__count_differing_popcnt(const uint64_t *signs, size_t tool_count, const uint64_t *wanted,
                                  size_t words, uint16_t *distances);
size_t deft__list_near_avx2(const uint16_t *distances, size_t *from, size_t count, uint32_t limit,
                            uint32_t *found, size_t max);

#endif
