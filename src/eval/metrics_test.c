// Figures of single rankings, worked out by hand. Proves a part of C9.
#include "eval/metrics.h"

#include "support/test.h"

#include <math.h>

// Tools are written as letters: a is number 0. Needs are separated by spaces.
typedef struct metric_case {
    const char *name;
    const char *needs;
    const char *grades; // "c3 a1", falling
    const char *partial;
    const char *ranked;
    double      recall_1;
    double      recall_3;
    double      recall_5;
    double      recall_10;
    double      ndcg;
    double      mrr;
    double      all_5;
    double      all_10;
} metric_case;

// 1 / log2(rank + 1)
#define D1 1.0
#define D2 0.63092975357145743
#define D3 0.5
#define D4 0.43067655807339306

static const metric_case examples[] = {
    {"the one tool first", "a", "", "", "abc", 1, 1, 1, 1, 1, 1, 1, 1},
    {"the one tool second", "a", "", "", "bac", 0, 1, 1, 1, D2, 1.0 / 2, 1, 1},
    {"the one tool fourth", "a", "", "", "bcda", 0, 0, 1, 1, D4, 1.0 / 4, 1, 1},
    {"nothing found", "a", "", "", "", 0, 0, 0, 0, 0, 0, 0, 0},
    {"only others found", "a", "", "", "bcd", 0, 0, 0, 0, 0, 0, 0, 0},
    {"two needs, one met", "a b", "", "", "cad", 0, 0.5, 0.5, 0.5, D2 / (D1 + D2), 1.0 / 2, 0, 0},
    {"two needs, both met", "a b", "", "", "bca", 0.5, 1, 1, 1, (D1 + D3) / (D1 + D2), 1, 1, 1},
    {"any tool of a group meets the need", "abc", "", "", "xcx", 0, 1, 1, 1, D2, 1.0 / 2, 1, 1},
    {"a second tool for the same need gains nothing", "ab", "", "", "ba", 1, 1, 1, 1, 1, 1, 1, 1},
    {"a group and a single", "ab c", "", "", "abc", 0.5, 1, 1, 1, (D1 + D3) / (D1 + D2), 1, 1, 1},
    {"one tool for two needs recalls both", "a a", "", "", "a", 1, 1, 1, 1, D1 / (D1 + D2), 1, 1,
     1},
    {"partial tools are taken out first", "a", "", "bc", "bca", 1, 1, 1, 1, 1, 1, 1, 1},
    {"a partial tool that is right counts as partial", "a", "", "a", "ab", 0, 0, 0, 0, 0, 0, 0, 0},
    {"repeated tools count once", "a", "", "", "bbba", 0, 1, 1, 1, D2, 1.0 / 2, 1, 1},
    {"eleventh place is beyond ten", "a", "", "", "bcdefghijkaz", 0, 0, 0, 0, 0, 1.0 / 11, 0, 0},
    {"tenth place counts", "a", "", "", "bcdefghijaz", 0, 0, 0, 1, 0.28906482631788782, 0.1, 0, 1},
    {"grades give the gains", "a c", "c3 a1", "", "ac", 0.5, 1, 1, 1,
     (1 * D1 + 3 * D2) / (3 * D1 + 1 * D2), 1, 1, 1},
    {"the best grade first is best", "a c", "c3 a1", "", "ca", 0.5, 1, 1, 1, 1, 1, 1, 1},
    {"what has no grade gains nothing", "a", "c3", "", "a", 1, 1, 1, 1, 0, 1, 1, 1},
};

#define ITEMS_MAX 32u

static uint32_t number_of(char letter)
{
    return (uint32_t)(letter - 'a');
}

static size_t read_numbers(const char *letters, uint32_t *numbers)
{
    size_t count = 0;
    for (; letters[count] != '\0'; count++) {
        numbers[count] = number_of(letters[count]);
    }
    return count;
}

static void score_example(const metric_case *example, deft__scores *scores)
{
    uint32_t         tools[ITEMS_MAX], partial[ITEMS_MAX], ranked[ITEMS_MAX];
    deft__eval_need  needs[ITEMS_MAX];
    deft__eval_grade grades[ITEMS_MAX];
    deft__eval_query query = {.needs = needs, .grades = grades, .partial = partial};
    size_t           used  = 0;
    for (const char *at = example->needs; *at != '\0';) {
        needs[query.need_count] = (deft__eval_need){&tools[used], 0};
        for (; *at != '\0' && *at != ' '; at++) {
            tools[used++] = number_of(*at);
            needs[query.need_count].tool_count++;
        }
        query.need_count++;
        at += *at == ' ';
    }
    for (const char *at = example->grades; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        grades[query.grade_count++] = (deft__eval_grade){number_of(at[0]), at[1] - '0'};
    }
    query.partial_count = read_numbers(example->partial, partial);
    deft__eval_score(&query, ranked, read_numbers(example->ranked, ranked), scores);
}

static void single_rankings(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(examples); i++) {
        const metric_case *e = &examples[i];
        deft__scores       scores;
        case_name(e->name);
        score_example(e, &scores);
        const struct {
            deft__metric metric;
            double       value;
        } wanted[] = {
            {DEFT__METRIC_RECALL_1, e->recall_1},  {DEFT__METRIC_RECALL_3, e->recall_3},
            {DEFT__METRIC_RECALL_5, e->recall_5},  {DEFT__METRIC_RECALL_10, e->recall_10},
            {DEFT__METRIC_NDCG_10, e->ndcg},       {DEFT__METRIC_MRR, e->mrr},
            {DEFT__METRIC_ALL_5, e->all_5},        {DEFT__METRIC_ALL_10, e->all_10},
            {DEFT__METRIC_HIT_1, e->recall_1 > 0}, {DEFT__METRIC_HIT_3, e->recall_3 > 0},
            {DEFT__METRIC_HIT_5, e->recall_5 > 0}, {DEFT__METRIC_HIT_10, e->recall_10 > 0},
        };
        for (size_t m = 0; m < array_size(wanted); m++) {
            if (fabs(scores.of[wanted[m].metric] - wanted[m].value) > 1e-12) {
                print_error("%s: got %.17g, want %.17g\n", deft__metric_name(wanted[m].metric),
                            scores.of[wanted[m].metric], wanted[m].value);
                fail();
            }
        }
    }
}

static void more_than_twenty_are_not_looked_at(void **state)
{
    (void)state;
    const uint32_t         right    = 25;
    const deft__eval_need  need     = {&right, 1};
    const deft__eval_query query    = {.needs = &need, .need_count = 1};
    uint32_t               many[30] = {0};
    deft__scores           scores;
    for (uint32_t i = 0; i < array_size(many); i++) {
        many[i] = i;
    }
    deft__eval_score(&query, many, array_size(many), &scores);
    assert_true(scores.of[DEFT__METRIC_MRR] == 0);
}

static void more_needs_than_ten_can_still_be_perfect(void **state)
{
    (void)state;
    uint32_t         tools[15];
    deft__eval_need  needs[15];
    deft__eval_query query = {.needs = needs, .need_count = 15};
    deft__scores     scores;
    for (uint32_t i = 0; i < 15; i++) {
        tools[i] = i;
        needs[i] = (deft__eval_need){&tools[i], 1};
    }
    deft__eval_score(&query, tools, 15, &scores);
    assert_true(fabs(scores.of[DEFT__METRIC_NDCG_10] - 1) < 1e-12);
    assert_true(fabs(scores.of[DEFT__METRIC_RECALL_10] - 10.0 / 15) < 1e-12);
    assert_true(scores.of[DEFT__METRIC_ALL_10] == 0);
}

static void metrics_have_names(void **state)
{
    (void)state;
    assert_string_equal(deft__metric_name(DEFT__METRIC_RECALL_10), "recall@10");
    assert_string_equal(deft__metric_name(DEFT__METRIC_NDCG_10), "ndcg@10");
    assert_string_equal(deft__metric_name(DEFT__METRIC_COUNT), "unknown");
}

// Ranks tool 1, then 0; fails on the query "stop".
static deft_status rank(void *context, const deft__eval_query *query, uint32_t *ranked,
                        size_t ranked_max, size_t *count, deft_error *error)
{
    size_t *calls = context;
    (*calls)++;
    (void)error;
    assert_int_equal(ranked_max, DEFT__EVAL_RANKED_MAX);
    ranked[0] = 1;
    ranked[1] = 0;
    *count    = 2;
    return deft_view_equals(query->text, "stop") ? DEFT_LIMIT : DEFT_OK;
}

static void a_run_scores_every_query_and_stops_at_a_failure(void **state)
{
    (void)state;
    const uint32_t           tools[]   = {0, 1};
    const deft__eval_need    needs[]   = {{&tools[0], 1}, {&tools[1], 1}};
    deft__eval_query         queries[] = {{.needs = &needs[0], .need_count = 1},
                                          {.needs = &needs[1], .need_count = 1},
                                          {.needs = &needs[1], .need_count = 1}};
    const deft__eval_set     set       = {.queries = queries, .count = array_size(queries)};
    size_t                   calls     = 0;
    const deft__eval_ranking ranking   = {rank, &calls};
    deft_error               error     = DEFT_ERROR_INIT;
    deft__scores             scores[3];
    assert_ok(deft__eval_run(&set, &ranking, scores, &error), error);
    assert_int_equal(calls, 3);
    assert_true(scores[0].of[DEFT__METRIC_MRR] == 0.5);
    assert_true(scores[1].of[DEFT__METRIC_MRR] == 1);
    queries[1].text = deft_view_of("stop");
    assert_int_equal(deft__eval_run(&set, &ranking, scores, &error), DEFT_LIMIT);
    assert_int_equal(calls, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_rankings),
        cmocka_unit_test(more_than_twenty_are_not_looked_at),
        cmocka_unit_test(more_needs_than_ten_can_still_be_perfect),
        cmocka_unit_test(metrics_have_names),
        cmocka_unit_test(a_run_scores_every_query_and_stops_at_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
