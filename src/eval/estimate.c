// Means, their intervals, and paired comparison.
#include "eval/estimate.h"

#include "base/fail.h"
#include "base/memory.h"
#include "eval/random.h"

#include <math.h>
#include <stdlib.h>

// Enough that a p of 0.001 is told from 0.002; the smallest that can come out is 1 / 5,000.
#define FLIPS 4999u

void deft__eval_means(const deft__scores *scores, size_t count, double means[DEFT__METRIC_COUNT])
{
    for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += scores[i].of[m];
        }
        means[m] = count > 0 ? sum / (double)count : 0;
    }
}

static int by_number(const void *a, const void *b)
{
    const double left  = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

// The value below which `share` of the sorted numbers lie, with a straight line between neighbours.
static double percentile(const double *sorted, size_t count, double share)
{
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    const double part  = place - (double)below;
    const double next  = below + 1 < count ? sorted[below + 1] : sorted[below];
    return sorted[below] + part * (next - sorted[below]);
}

deft_status deft__eval_estimate(const deft__scores *scores, size_t count, uint64_t seed,
                                deft__estimate        estimates[DEFT__METRIC_COUNT],
                                const deft_allocator *allocator, deft_error *error)
{
    const size_t      size   = DEFT__METRIC_COUNT * DEFT__EVAL_RESAMPLES * sizeof(double);
    deft__eval_random random = {seed};
    double            means[DEFT__METRIC_COUNT];
    double           *resampled = deft__new(allocator, size); // metric by metric
    if (resampled == NULL) {
        return deft__fail_memory(error);
    }
    for (size_t r = 0; r < DEFT__EVAL_RESAMPLES; r++) {
        double sums[DEFT__METRIC_COUNT] = {0};
        for (size_t i = 0; i < count; i++) {
            const deft__scores *drawn = &scores[deft__eval_random_below(&random, count)];
            for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
                sums[m] += drawn->of[m];
            }
        }
        for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
            resampled[m * DEFT__EVAL_RESAMPLES + r] = sums[m] / (double)count;
        }
    }
    deft__eval_means(scores, count, means);
    for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
        double *sorted = &resampled[m * DEFT__EVAL_RESAMPLES];
        qsort(sorted, DEFT__EVAL_RESAMPLES, sizeof *sorted, by_number);
        estimates[m] = (deft__estimate){
            .mean = means[m],
            .low  = percentile(sorted, DEFT__EVAL_RESAMPLES, 0.025),
            .high = percentile(sorted, DEFT__EVAL_RESAMPLES, 0.975),
        };
    }
    deft__free(allocator, resampled, size);
    return DEFT_OK;
}

// How often coins give a sum at least as far from 0. `values` are the differences that are not 0.
static double sign_flip_p(const double *values, size_t count, uint64_t seed)
{
    deft__eval_random random = {seed};
    double            actual = 0;
    size_t            as_far = 0;
    for (size_t i = 0; i < count; i++) {
        actual += values[i];
    }
    // A hair less, so that the same sum added up in another order still counts.
    const double bar = fabs(actual) - 1e-9;
    for (size_t flip = 0; flip < FLIPS; flip++) {
        double   sum  = 0;
        uint64_t bits = 0;
        for (size_t i = 0; i < count; i++) {
            if (i % 64 == 0) {
                bits = deft__eval_random_next(&random);
            }
            sum += bits & 1 ? values[i] : -values[i];
            bits >>= 1;
        }
        as_far += fabs(sum) >= bar;
    }
    return (1 + (double)as_far) / (1 + (double)FLIPS);
}

deft_status deft__eval_compare(const deft__scores *first, const deft__scores *second, size_t count,
                               uint64_t seed, deft__difference differences[DEFT__METRIC_COUNT],
                               const deft_allocator *allocator, deft_error *error)
{
    deft__estimate estimates[DEFT__METRIC_COUNT];
    size_t         size        = 0;
    size_t         uneven_size = 0;
    deft__scores  *paired      = NULL;
    double        *uneven      = NULL; // the differences of one metric that are not 0
    deft_status    status      = DEFT_OUT_OF_MEMORY;
    if (!deft__multiply_size(count, sizeof *paired, &size) ||
        !deft__multiply_size(count, sizeof *uneven, &uneven_size) ||
        (paired = deft__new(allocator, size)) == NULL ||
        (uneven = deft__new(allocator, uneven_size)) == NULL) {
        status = deft__fail_memory(error);
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
            paired[i].of[m] = second[i].of[m] - first[i].of[m];
        }
    }
    status = deft__eval_estimate(paired, count, seed, estimates, allocator, error);
    if (status != DEFT_OK) {
        goto done;
    }
    for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
        deft__difference difference = {.estimate = estimates[m]};
        size_t           changed    = 0;
        for (size_t i = 0; i < count; i++) {
            const double value = paired[i].of[m];
            difference.wins += value > 0;
            difference.losses += value < 0;
            if (value > 0 || value < 0) {
                uneven[changed++] = value;
            }
        }
        difference.p   = sign_flip_p(uneven, changed, seed);
        differences[m] = difference;
    }

done:
    deft__free(allocator, uneven, uneven_size);
    deft__free(allocator, paired, size);
    return status;
}
