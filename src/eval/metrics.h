// metrics.h - how good one ranking of one query is, in numbers from 0 to 1.
#ifndef DEFT_EVAL_METRICS_H
#define DEFT_EVAL_METRICS_H

#include "eval/set.h"

// Tools of a ranking that count. More are not asked for and not looked at.
#define DEFT__EVAL_RANKED_MAX 20u

typedef enum deft__metric {
    DEFT__METRIC_RECALL_1, // share of the needs that the first k tools meet
    DEFT__METRIC_RECALL_3,
    DEFT__METRIC_RECALL_5,
    DEFT__METRIC_RECALL_10,
    DEFT__METRIC_NDCG_10, // gains discounted by 1 / log2(1 + rank), over the best possible sum
    DEFT__METRIC_MRR,     // 1 / rank of the first tool that meets a need; 0: none of them does
    DEFT__METRIC_ALL_5,   // 1 when the first k tools meet every need
    DEFT__METRIC_ALL_10,
    DEFT__METRIC_HIT_1, // 1 when the first k tools meet some need
    DEFT__METRIC_HIT_3,
    DEFT__METRIC_HIT_5,
    DEFT__METRIC_HIT_10,
    DEFT__METRIC_COUNT
} deft__metric;

const char *deft__metric_name(deft__metric metric); // "recall@1", "ndcg@10", "mrr", ...

typedef struct deft__scores {
    double of[DEFT__METRIC_COUNT];
} deft__scores;

// Scores `ranked`, numbers of tools, best first. Partial tools are taken out first: what stands
// behind one moves up. For nDCG a tool gains its grade where the query has grades; otherwise 1 for
// the first tool that meets a need and nothing for the next ones, since to have a second tool for
// the same need helps nobody.
void deft__eval_score(const deft__eval_query *query, const uint32_t *ranked, size_t count,
                      deft__scores *scores);

// Something that ranks.
typedef struct deft__eval_ranking {
    // Writes the numbers of at most `ranked_max` tools to `ranked`, best first, and how many to
    // `count`.
    deft_status (*rank)(void *context, const deft__eval_query *query, uint32_t *ranked,
                        size_t ranked_max, size_t *count, deft_error *error);
    void *context;
} deft__eval_ranking;

// Runs every query of `set`; `scores` has room for one of each.
deft_status deft__eval_run(const deft__eval_set *set, const deft__eval_ranking *ranking,
                           deft__scores *scores, deft_error *error);

#endif
