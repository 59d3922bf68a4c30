// own_set SETDIR [--rewrite] - runs our own judged queries and our nonsense queries through hybrid
// and compares what it reaches with SETDIR/figures.txt, or in a build without a model with
// SETDIR/figures_words.txt: fewer is a failure. Results are the same on every machine, so the
// figures are whole numbers: needs met, queries met, queries that find nothing. --rewrite records
// what is reached now; the diff is then what to read.
//
// What must never fail, whatever is recorded: a tool's exact name and its wire name find it first.
#include "deft/model.h"
#include "eval/estimate.h"
#include "quality/sets.h"
#include "json/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What is recorded, in this order.
enum {
    NEEDS_MET_1,
    NEEDS_MET_5,
    QUERIES_MET_5,
    NDCG, // the sum over all queries, in thousandths
    NONSENSE_EMPTY,
    FIGURE_COUNT
};

static const char *const figure_names[FIGURE_COUNT] = {
    "needs met by the first hit", "needs met by the first five hits",
    "queries with all needs met by the first five hits", "sum of ndcg@10 in thousandths",
    "nonsense queries that find nothing"};

typedef struct own_measure {
    quality_judged judged;
    deft__scores  *scores;
    void          *ranking; // the state of hybrid
    long           figures[FIGURE_COUNT];
    size_t         nonsense_count;
} own_measure;

static const quality_baseline *find_hybrid(void)
{
    const quality_baseline *found = NULL;
    for (size_t i = 0; our_rankings[i] != NULL; i++) {
        found = strcmp(our_rankings[i]->name, "deft hybrid") == 0 ? our_rankings[i] : found;
    }
    return must((void *)(uintptr_t)found);
}

static void score_queries(own_measure *own)
{
    const quality_variant *variant = &own->judged.variants[0];
    double                 ndcg    = 0;
    own->scores                    = must_alloc(variant->set.count * sizeof *own->scores);
    judged_run(&own->judged, variant, find_hybrid(), own->ranking, own->scores);
    for (size_t i = 0; i < variant->set.count; i++) {
        const double needs = (double)variant->set.queries[i].need_count;
        own->figures[NEEDS_MET_1] += lround(own->scores[i].of[DEFT__METRIC_RECALL_1] * needs);
        own->figures[NEEDS_MET_5] += lround(own->scores[i].of[DEFT__METRIC_RECALL_5] * needs);
        own->figures[QUERIES_MET_5] += lround(own->scores[i].of[DEFT__METRIC_ALL_5]);
        ndcg += own->scores[i].of[DEFT__METRIC_NDCG_10];
    }
    own->figures[NDCG] = lround(ndcg * 1000);
}

static void score_nonsense(own_measure *own, const char *directory)
{
    char        path[1024];
    deft_buffer text, scratch;
    deft__json  document;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&scratch, NULL);
    deft__json_init(&document, NULL);
    snprintf(path, sizeof path, "%s/nonsense.jsonl", directory);
    read_whole(path, &text);
    for (deft_view rest = deft_buffer_view(&text); rest.size > 0;) {
        const char  *end  = memchr(rest.data, '\n', rest.size);
        const size_t size = end != NULL ? (size_t)(end - rest.data) + 1 : rest.size;
        uint32_t     ranked[DEFT__EVAL_RANKED_MAX];
        if (deft__json_parse(&document, deft_view_slice(rest, 0, size), NULL, &error) != DEFT_OK) {
            fprintf(stderr, "%s: %s\n", path, error.message);
            exit(2);
        }
        deft_buffer_reset(&scratch);
        const deft_view query =
            deft__json_string(deft__json_member(deft__json_root(&document), "query"), &scratch);
        const size_t count =
            find_hybrid()->rank(own->ranking, query, ranked, DEFT__EVAL_RANKED_MAX);
        own->figures[NONSENSE_EMPTY] += count == 0;
        own->nonsense_count++;
        rest = deft_view_slice(rest, size, SIZE_MAX);
    }
    deft__json_clear(&document);
    deft_buffer_clear(&scratch);
    deft_buffer_clear(&text);
}

// Prints each style; whether the first hit is right for every exact and every wire name.
static bool check_styles(const own_measure *own)
{
    const deft__eval_set *set      = &own->judged.variants[0].set;
    bool                  is_right = true;
    for (size_t i = 0; i < set->count; i++) {
        const deft_view style                    = set->queries[i].style;
        double          sums[DEFT__METRIC_COUNT] = {0};
        size_t          count                    = 0;
        bool            is_first                 = true;
        for (size_t j = 0; j < set->count; j++) {
            if (deft_view_equal(set->queries[j].style, style)) {
                is_first = is_first && (j >= i);
                count++;
                for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
                    sums[m] += own->scores[j].of[m];
                }
            }
        }
        if (is_first) {
            printf("  %-10.*s %3zu queries  recall@1 %.3f  recall@5 %.3f  ndcg@10 %.3f\n",
                   (int)style.size, style.data, count, sums[DEFT__METRIC_RECALL_1] / (double)count,
                   sums[DEFT__METRIC_RECALL_5] / (double)count,
                   sums[DEFT__METRIC_NDCG_10] / (double)count);
        }
        if ((deft_view_equals(style, "exact") || deft_view_equals(style, "wire")) &&
            own->scores[i].of[DEFT__METRIC_RECALL_1] < 1) {
            printf("FAIL %.*s: '%.*s' does not find the tool of this name first\n",
                   (int)set->queries[i].id.size, set->queries[i].id.data,
                   (int)set->queries[i].text.size, set->queries[i].text.data);
            is_right = false;
        }
    }
    return is_right;
}

// --- The record. ---------------------------------------------------------------------------------

static void write_figures(const own_measure *own, const char *path)
{
    FILE *file = must(fopen(path, "w"));
    fputs("# What hybrid reaches on this set, rewritten by 'make figures'. Fewer fails the test\n"
          "# quality/own_set.\n",
          file);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        fprintf(file, "%6ld  %s\n", own->figures[i], figure_names[i]);
    }
    fclose(file);
}

// Whether every figure is at least the recorded one.
static bool compare_figures(const own_measure *own, const char *path)
{
    char   line[256];
    size_t count    = 0;
    bool   is_right = true;
    FILE  *file     = must(fopen(path, "r"));
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || count == FIGURE_COUNT) {
            continue;
        }
        const long recorded = strtol(line, NULL, 10);
        const long reached  = own->figures[count];
        printf("%s %6ld  recorded %6ld  %s\n",
               reached < recorded   ? "FAIL"
               : reached > recorded ? "more"
                                    : "same",
               reached, recorded, figure_names[count]);
        is_right = is_right && reached >= recorded;
        count++;
    }
    fclose(file);
    return is_right && count == FIGURE_COUNT;
}

int main(int count, char **arguments)
{
    static own_measure own;
    const char *const  nothing[]    = {NULL};
    const bool         is_rewriting = count == 3 && strcmp(arguments[2], "--rewrite") == 0;
    char               path[1024]   = "";
    bool               is_right     = true;
    if (count != 2 && !is_rewriting) {
        fputs("usage: own_set SETDIR [--rewrite]\n", stderr);
        return 2;
    }
    judged_read(&own.judged, arguments[1], nothing);
    own.ranking = find_hybrid()->open(&own.judged.corpus);
    score_queries(&own);
    score_nonsense(&own, arguments[1]);
    is_right = check_styles(&own);
    snprintf(path, sizeof path, "%s/%s", arguments[1],
             deft_model_builtin().size > 0 ? "figures.txt" : "figures_words.txt");
    if (is_rewriting) {
        write_figures(&own, path);
    } else {
        is_right = compare_figures(&own, path) && is_right;
    }
    printf("%zu queries, %zu of nonsense\n", own.judged.variants[0].set.count, own.nonsense_count);
    find_hybrid()->close(own.ranking);
    free(own.scores);
    judged_clear(&own.judged);
    return is_right ? 0 : 1;
}
