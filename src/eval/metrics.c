// Scores rankings. A ranking is at most twenty tools and a query has a handful of needs, so plain
// loops over both are the fastest thing there is.
#include "eval/metrics.h"

#include <math.h>

static const char *const names[DEFT__METRIC_COUNT] = {
    [DEFT__METRIC_RECALL_1] = "recall@1", [DEFT__METRIC_RECALL_3] = "recall@3",
    [DEFT__METRIC_RECALL_5] = "recall@5", [DEFT__METRIC_RECALL_10] = "recall@10",
    [DEFT__METRIC_NDCG_10] = "ndcg@10",   [DEFT__METRIC_MRR] = "mrr",
    [DEFT__METRIC_ALL_5] = "all@5",       [DEFT__METRIC_ALL_10] = "all@10",
    [DEFT__METRIC_HIT_1] = "hit@1",       [DEFT__METRIC_HIT_3] = "hit@3",
    [DEFT__METRIC_HIT_5] = "hit@5",       [DEFT__METRIC_HIT_10] = "hit@10",
};

// The depths, with the metrics taken there.
static const struct {
    size_t       depth;
    deft__metric recall;
    deft__metric hit;
    deft__metric all; // DEFT__METRIC_COUNT: not taken at this depth
} depths[] = {
    {1, DEFT__METRIC_RECALL_1, DEFT__METRIC_HIT_1, DEFT__METRIC_COUNT},
    {3, DEFT__METRIC_RECALL_3, DEFT__METRIC_HIT_3, DEFT__METRIC_COUNT},
    {5, DEFT__METRIC_RECALL_5, DEFT__METRIC_HIT_5, DEFT__METRIC_ALL_5},
    {10, DEFT__METRIC_RECALL_10, DEFT__METRIC_HIT_10, DEFT__METRIC_ALL_10},
};

#define NDCG_DEPTH 10u

const char *deft__metric_name(deft__metric metric)
{
    return metric < DEFT__METRIC_COUNT ? names[metric] : "unknown";
}

static bool contains(const uint32_t *numbers, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == number) {
            return true;
        }
    }
    return false;
}

// The ranking without partial tools and without repetitions, which would count twice.
static size_t clean(const deft__eval_query *query, const uint32_t *ranked, size_t count,
                    uint32_t *cleaned)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && i < DEFT__EVAL_RANKED_MAX; i++) {
        if (!contains(query->partial, query->partial_count, ranked[i]) &&
            !contains(cleaned, kept, ranked[i])) {
            cleaned[kept++] = ranked[i];
        }
    }
    return kept;
}

static double discount(size_t rank)
{
    return 1 / log2((double)rank + 1);
}

// The rank, from 1, of the first tool that meets the need; DEFT__EVAL_RANKED_MAX + 1: none does.
static size_t rank_of(const deft__eval_need *need, const uint32_t *ranked, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (contains(need->tools, need->tool_count, ranked[i])) {
            return i + 1;
        }
    }
    return DEFT__EVAL_RANKED_MAX + 1;
}

static double ndcg_of_grades(const deft__eval_query *query, const uint32_t *ranked, size_t count)
{
    double gained = 0;
    double ideal  = 0;
    for (size_t i = 0; i < count && i < NDCG_DEPTH; i++) {
        for (size_t j = 0; j < query->grade_count; j++) {
            if (query->grades[j].tool == ranked[i]) {
                gained += query->grades[j].grade * discount(i + 1);
            }
        }
    }
    for (size_t j = 0; j < query->grade_count && j < NDCG_DEPTH; j++) {
        ideal += query->grades[j].grade * discount(j + 1);
    }
    return ideal > 0 ? gained / ideal : 0;
}

// Each tool stands for one need at most: the first one of those it meets that is still open.
static double ndcg_of_needs(const deft__eval_query *query, const uint32_t *ranked, size_t count)
{
    double gained = 0;
    double ideal  = 0;
    size_t met[NDCG_DEPTH];
    size_t met_count = 0;
    for (size_t i = 0; i < count && i < NDCG_DEPTH; i++) {
        for (size_t j = 0; j < query->need_count; j++) {
            bool is_open = true;
            for (size_t k = 0; k < met_count; k++) {
                is_open = is_open && met[k] != j;
            }
            if (is_open && contains(query->needs[j].tools, query->needs[j].tool_count, ranked[i])) {
                met[met_count++] = j;
                gained += discount(i + 1);
                break;
            }
        }
    }
    for (size_t j = 0; j < query->need_count && j < NDCG_DEPTH; j++) {
        ideal += discount(j + 1);
    }
    return gained / ideal;
}

void deft__eval_score(const deft__eval_query *query, const uint32_t *ranked, size_t count,
                      deft__scores *scores)
{
    uint32_t     cleaned[DEFT__EVAL_RANKED_MAX];
    const size_t kept                                  = clean(query, ranked, count, cleaned);
    size_t       first                                 = DEFT__EVAL_RANKED_MAX + 1;
    size_t       met[sizeof depths / sizeof depths[0]] = {0};
    for (size_t i = 0; i < query->need_count; i++) {
        const size_t rank = rank_of(&query->needs[i], cleaned, kept);
        first             = rank < first ? rank : first;
        for (size_t j = 0; j < sizeof depths / sizeof depths[0]; j++) {
            met[j] += rank <= depths[j].depth;
        }
    }

    *scores = (deft__scores){{0}};
    for (size_t j = 0; j < sizeof depths / sizeof depths[0]; j++) {
        scores->of[depths[j].recall] = (double)met[j] / (double)query->need_count;
        scores->of[depths[j].hit]    = met[j] > 0;
        if (depths[j].all != DEFT__METRIC_COUNT) {
            scores->of[depths[j].all] = met[j] == query->need_count;
        }
    }
    scores->of[DEFT__METRIC_MRR]     = first <= kept ? 1 / (double)first : 0;
    scores->of[DEFT__METRIC_NDCG_10] = query->grade_count > 0 ? ndcg_of_grades(query, cleaned, kept)
                                                              : ndcg_of_needs(query, cleaned, kept);
}

deft_status deft__eval_run(const deft__eval_set *set, const deft__eval_ranking *ranking,
                           deft__scores *scores, deft_error *error)
{
    for (size_t i = 0; i < set->count; i++) {
        uint32_t          ranked[DEFT__EVAL_RANKED_MAX];
        size_t            count  = 0;
        const deft_status status = ranking->rank(ranking->context, &set->queries[i], ranked,
                                                 DEFT__EVAL_RANKED_MAX, &count, error);
        if (status != DEFT_OK) {
            return status;
        }
        deft__eval_score(&set->queries[i], ranked, count, &scores[i]);
    }
    return DEFT_OK;
}
