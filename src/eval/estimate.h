// estimate.h - what a set of scores says about a ranking, and how sure that is. A set is a sample
// of what people ask: another one would give other means. The bootstrap (Efron) draws many sets of
// the same size from the one we have and looks how far their means spread.
#ifndef DEFT_EVAL_ESTIMATE_H
#define DEFT_EVAL_ESTIMATE_H

#include "deft/allocator.h"
#include "eval/metrics.h"

#define DEFT__EVAL_RESAMPLES 1000u

// Fixed, so that the same scores give the same interval everywhere.
#define DEFT__EVAL_SEED UINT64_C(20251115)

typedef struct deft__estimate {
    double mean;
    double low; // the middle 95 % of the resampled means lie between low and high
    double high;
} deft__estimate;

// The mean of every metric over `count` (> 0) queries, with its interval.
deft_status deft__eval_estimate(const deft__scores *scores, size_t count, uint64_t seed,
                                deft__estimate        estimates[DEFT__METRIC_COUNT],
                                const deft_allocator *allocator, deft_error *error);

// Only the means; cannot fail.
void deft__eval_means(const deft__scores *scores, size_t count, double means[DEFT__METRIC_COUNT]);

// One ranking against another on the same queries.
typedef struct deft__difference {
    deft__estimate estimate; // of second - first
    double         p;        // two-sided
    size_t         wins;     // queries on which the second scored higher
    size_t         losses;
} deft__difference;

// Compares query by query, which is far sharper than comparing two intervals: what is hard for one
// ranking is mostly hard for the other too. `p` is by a sign-flip test (Fisher's randomisation): how
// often would the difference be as large if it were a coin's choice which ranking is which?
deft_status deft__eval_compare(const deft__scores *first, const deft__scores *second, size_t count,
                               uint64_t seed, deft__difference differences[DEFT__METRIC_COUNT],
                               const deft_allocator *allocator, deft_error *error);

#endif
