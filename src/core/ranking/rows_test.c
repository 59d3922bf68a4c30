// The wide versions give the same bits as the plain one, and stopping early changes nothing. Proves a
// part of C9.
#include "core/ranking/rows.h"

#include "support/random.h"
#include "support/test.h"

#define BLOCKS    3u
#define TERMS_MAX 12u

typedef struct fixture {
    deft__row_term terms[TERMS_MAX];
    size_t         count;
    uint8_t        maxima[TERMS_MAX][BLOCKS];
    uint64_t       masks[TERMS_MAX][BLOCKS];
    uint32_t       starts[TERMS_MAX][BLOCKS + 1];
    uint8_t        impacts[TERMS_MAX][(BLOCKS + 1) * DEFT__BLOCK_SIZE];
} fixture;

static uint64_t random_mask(test_random *random)
{
    // Rows with few places, with many, and with all or none.
    const uint64_t mask = test_random_next(random);
    switch (test_random_below(random, 6)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return mask;
    default:
        return mask & mask >> 7 & mask >> 13;
    }
}

static void fill(fixture *f, test_random *random)
{
    *f              = (fixture){.count = test_random_below(random, TERMS_MAX + 1)};
    uint32_t weight = UINT16_MAX;
    for (size_t t = 0; t < f->count; t++) {
        const uint32_t own = (uint32_t)test_random_below(random, weight / 3);
        weight -= own;
        uint32_t next = 0;
        for (size_t b = 0; b < BLOCKS; b++) {
            f->masks[t][b]  = random_mask(random);
            f->starts[t][b] = next;
            for (uint32_t i = deft__count_bits(f->masks[t][b]); i > 0; i--) {
                const uint8_t impact  = (uint8_t)(1 + test_random_below(random, 255));
                f->impacts[t][next++] = impact;
                f->maxima[t][b]       = impact > f->maxima[t][b] ? impact : f->maxima[t][b];
            }
        }
        f->starts[t][BLOCKS] = next;
        f->terms[t]          = (deft__row_term){
                     .blocks = {f->maxima[t], f->masks[t], f->impacts[t], f->starts[t]},
                     .weight = (uint16_t)own,
                     .mass   = (uint16_t)test_random_below(random, 300),
        };
    }
}

static uint32_t rest_of(const fixture *f, uint32_t block)
{
    uint32_t rest = 0;
    for (size_t t = 0; t < f->count; t++) {
        rest += deft__gain(f->terms[t].weight, f->maxima[t][block]);
    }
    return rest;
}

// Adds with one version, and compares with what the plain one found.
static void assert_same(uint64_t (*add)(const deft__row_work *work, deft__row_sums *sums),
                        const deft__row_work *work, const deft__row_sums *expected, uint64_t found)
{
    deft__row_sums sums;
    assert_true(add(work, &sums) == found);
    for (unsigned at = 0; at < DEFT__BLOCK_SIZE; at++) {
        if ((found >> at & 1) != 0) {
            assert_int_equal(sums.scores[at], expected->scores[at]);
            assert_int_equal(sums.masses[at], expected->masses[at]);
        }
    }
}

static void wide_rows_add_up_as_plain_ones(void **state)
{
    (void)state;
    static fixture f;
    test_random    random  = {.state = 17};
    size_t         reached = 0;
    for (int round = 0; round < 3000; round++) {
        fill(&f, &random);
        const uint32_t block = (uint32_t)test_random_below(&random, BLOCKS);
        deft__row_sums start = {0};
        for (int i = 0; i < 3; i++) {
            const size_t at  = test_random_below(&random, DEFT__BLOCK_SIZE);
            start.scores[at] = (uint16_t)test_random_below(&random, 100);
            start.masses[at] = (uint16_t)test_random_below(&random, 100);
        }
        const deft__row_work work = {
            .terms = f.terms,
            .count = f.count,
            .start = &start,
            .block = block,
            .rest  = rest_of(&f, block),
            .bar   = (uint32_t)test_random_below(&random, rest_of(&f, block) + 100),
        };
        deft__row_sums expected;
        const uint64_t found = deft__add_rows_plain(&work, &expected);
        reached += found != 0;
        assert_same(deft__add_rows_avx2, &work, &expected, found);
        assert_same(deft__add_rows, &work, &expected, found);
    }
    assert_true(reached > 500 && reached < 2900);
}

static void a_row_adds_what_its_places_say(void **state)
{
    (void)state;
    static uint8_t       impacts[2 + DEFT__BLOCK_SIZE] = {255, 16};
    const uint8_t        maxima[]                      = {255};
    const uint64_t       masks[]                       = {UINT64_C(1) << 63 | 2};
    const uint32_t       starts[]                      = {0, 2};
    const deft__row_term term                          = {
                                 .blocks = {maxima, masks, impacts, starts}, .weight = 512, .mass = 7};
    const deft__row_sums start = {.scores = {[1] = 1}};
    const deft__row_work work  = {
         .terms = &term, .count = 1, .start = &start, .rest = 510, .bar = 32};
    deft__row_sums sums;
    assert_true(deft__add_rows(&work, &sums) == masks[0]);
    assert_int_equal(sums.scores[1], 1 + 510);
    assert_int_equal(sums.scores[63], 32);
    assert_int_equal(sums.masses[63], 7);
    assert_int_equal(sums.scores[0], 0);
    assert_int_equal(sums.masses[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_adds_what_its_places_say),
        cmocka_unit_test(wide_rows_add_up_as_plain_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
