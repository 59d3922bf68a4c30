// deft eval: how well a ranking finds what people asked for, on sets of queries whose right answers
// are known. The figures are those of eval/metrics.h; what is searched is what a model would search.
#include "base/memory.h"
#include "cli/discovery.h"
#include "cli/files.h"
#include "cli/judged.h"
#include "cli/model.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/text.h"
#include "deft/index.h"
#include "eval/estimate.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>

// With fewer queries the answer is there before a bar could be read.
#define PROGRESS_QUERIES_MIN 2000u

// Styles of queries that are told apart; more are not shown.
#define STYLES_MAX 64u

// Metrics that are shown: those before this one. Hits are there for programs that want them.
#define METRICS_SHOWN ((size_t)DEFT__METRIC_ALL_10 + 1)

typedef struct eval_job {
    deft__cli           *cli;
    const deft_settings *settings;
    const deft_model    *model;       // NULL: words alone
    deft_ranking         rankings[2]; // the second one only with --compare
    size_t               ranking_count;
    deft__table          table;
    deft_buffer          lines; // for --rankings
    size_t               set_count;
    double               sums[DEFT__METRIC_COUNT]; // of the means of all sets
} eval_job;

// One ranking at work on one file of queries.
typedef struct ranking_run {
    eval_job                   *job;
    const deft__judged         *judged;
    const deft__judged_queries *queries;
    deft_searcher              *searcher;
    deft_ranking                ranking;
    deft__progress             *progress;
    size_t                      failed_count; // queries that this ranking cannot take
    deft_error                  failure;      // of the first of them
} ranking_run;

static bool has_flag(const eval_job *job, deft__flag_id flag)
{
    return deft__invocation_has(&job->cli->invocation, flag);
}

// --- Ranking. ------------------------------------------------------------------------------------

static void write_line(ranking_run *run, const deft__eval_query *query, const deft_hit *hits,
                       size_t count)
{
    eval_job         *job = run->job;
    deft__json_writer json;
    deft__json_writer_init(&json, &job->lines);
    deft__json_begin_object(&json);
    // Ids of queries are only unique within one file of them.
    if (job->cli->invocation.operand_count > 1 || run->judged->query_file_count > 1) {
        deft__json_name(&json, "set");
        deft__json_write_string(&json, run->queries->name);
    }
    deft__json_name(&json, "id");
    deft__json_write_string(&json, query->id);
    deft__json_name(&json, "ranked");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < count; i++) {
        deft__json_write_string(&json,
                                deft_catalog_tool(run->judged->catalog, hits[i].tool)->source_id);
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    deft_buffer_append_byte(&job->lines, '\n');
}

static deft_status rank(void *context, const deft__eval_query *query, uint32_t *ranked,
                        size_t ranked_max, size_t *count, deft_error *error)
{
    ranking_run         *run      = context;
    const deft_settings *settings = run->job->settings;
    const deft_query     asked    = {
               .text      = query->text,
               .ranking   = run->ranking,
               .hits_max  = ranked_max,
               .score_min = run->ranking == DEFT_RANKING_BM25
                                ? (float)settings->matching_threshold_milli / 1000
                                : 0,
    };
    deft_error        failure = DEFT_ERROR_INIT;
    const deft_status status  = deft_searcher_run(run->searcher, &asked, &failure);
    const deft_hit   *hits    = NULL;
    deft__progress_step(run->progress);
    *count = 0;
    if (status == DEFT_OUT_OF_MEMORY) {
        *error = failure;
        return status;
    } else if (status == DEFT_OK) {
        hits = deft_searcher_hits(run->searcher, count);
    } else if (run->failed_count++ == 0) {
        run->failure = failure; // the model would have got this message, and no tool
    }
    for (size_t i = 0; i < *count; i++) {
        ranked[i] = run->judged->numbers[hits[i].tool.index];
    }
    if (has_flag(run->job, DEFT__FLAG_RANKINGS)) {
        write_line(run, query, hits, *count);
    }
    return DEFT_OK;
}

static deft_status run_ranking(eval_job *job, const deft__judged *judged,
                               const deft__judged_queries *queries, deft_searcher *searcher,
                               deft_ranking ranking, deft__scores *scores, deft_error *error)
{
    deft__progress progress;
    ranking_run    run = {
           .job      = job,
           .judged   = judged,
           .queries  = queries,
           .searcher = searcher,
           .ranking  = ranking,
           .progress = &progress,
    };
    const deft__eval_ranking asked = {rank, &run};
    deft_buffer              label;
    deft_buffer_init(&label, NULL);
    deft__append_safe_line(&label, queries->name);
    deft__progress_begin(&progress, &job->cli->output, deft_buffer_view(&label), queries->set.count,
                         PROGRESS_QUERIES_MIN);
    const deft_status status = deft__eval_run(&queries->set, &asked, scores, error);
    deft__progress_end(&progress);
    deft_buffer_clear(&label);
    if (status == DEFT_OK && run.failed_count > 0) {
        deft__note(&job->cli->output,
                   "%.*s: ranking %s rejects %zu of the %zu queries and finds nothing for them; "
                   "the first: %s",
                   (int)queries->name.size, queries->name.data, deft_ranking_name(ranking),
                   run.failed_count, queries->set.count, run.failure.message);
    }
    return status;
}

// --- Figures for people. -------------------------------------------------------------------------

// Four characters are enough for a share: .521, 1.00.
static void add_share(deft__table *table, deft__color color, double value)
{
    char text[32];
    snprintf(text, sizeof text, value >= 0.9995 ? "%.2f" : "%.3f", value);
    deft__table_colored(table, color, deft_view_of(text[0] == '0' ? text + 1 : text));
}

static void add_signed(deft__table *table, deft__color color, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%+.3f", value);
    deft__table_colored(table, color, deft_view_of(text));
}

static void add_bounds(deft__table *table, const char *name, const deft__estimate *estimates,
                       bool is_low)
{
    deft__table_indented(table, deft_view_of(name));
    deft__table_empty(table);
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        add_share(table, DEFT__COLOR_DIM, is_low ? estimates[m].low : estimates[m].high);
    }
}

// The scores of the queries with this style; returns how many.
static size_t pick_style(const deft__eval_set *set, const deft__scores *scores, deft_view style,
                         deft__scores *picked)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (deft_view_equal(set->queries[i].style, style)) {
            picked[count++] = scores[i];
        }
    }
    return count;
}

// The styles of the set in the order in which they appear.
static size_t list_styles(const deft__eval_set *set, deft_view styles[STYLES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t at = 0;
        while (at < count && !deft_view_equal(styles[at], set->queries[i].style)) {
            at++;
        }
        if (at == count && count < STYLES_MAX && set->queries[i].style.size > 0) {
            styles[count++] = set->queries[i].style;
        }
    }
    return count;
}

static void add_styles(eval_job *job, const deft__eval_set *set, const deft__scores *scores,
                       deft__scores *picked)
{
    deft_view    styles[STYLES_MAX];
    const size_t count = list_styles(set, styles);
    for (size_t i = 0; i < count; i++) {
        double       means[DEFT__METRIC_COUNT];
        const size_t picked_count = pick_style(set, scores, styles[i], picked);
        deft__eval_means(picked, picked_count, means);
        deft__table_indented(&job->table, styles[i]);
        deft__table_number(&job->table, picked_count);
        for (size_t m = 0; m < METRICS_SHOWN; m++) {
            add_share(&job->table, DEFT__COLOR_NONE, means[m]);
        }
    }
}

static void add_figures(eval_job *job, const deft__judged_queries *queries,
                        const deft__estimate *estimates)
{
    deft__table *table = &job->table;
    deft__table_colored(table, DEFT__COLOR_BOLD, queries->name);
    deft__table_number(table, queries->set.count);
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        add_share(table, DEFT__COLOR_NONE, estimates[m].mean);
    }
    add_bounds(table, "95 % from", estimates, true);
    add_bounds(table, "95 % to", estimates, false);
}

static void add_differences(eval_job *job, const deft__judged_queries *queries, const double *first,
                            const double *second, const deft__difference *differences)
{
    deft__table *table = &job->table;
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        const deft__difference *difference = &differences[m];
        char                    p[32];
        snprintf(p, sizeof p, "%.4f", difference->p);
        if (m == 0) {
            deft__table_colored(table, DEFT__COLOR_BOLD, queries->name);
        } else {
            deft__table_empty(table);
        }
        deft__table_text(table, deft_view_of(deft__metric_name((deft__metric)m)));
        add_share(table, DEFT__COLOR_NONE, first[m]);
        add_share(table, DEFT__COLOR_NONE, second[m]);
        add_signed(table,
                   difference->estimate.low > 0    ? DEFT__COLOR_GREEN
                   : difference->estimate.high < 0 ? DEFT__COLOR_YELLOW
                                                   : DEFT__COLOR_NONE,
                   difference->estimate.mean);
        add_signed(table, DEFT__COLOR_DIM, difference->estimate.low);
        add_signed(table, DEFT__COLOR_DIM, difference->estimate.high);
        deft__table_text(table, deft_view_of(p));
    }
}

static void add_mean(eval_job *job)
{
    deft__table *table = &job->table;
    char         name[48];
    snprintf(name, sizeof name, "mean of %zu sets", job->set_count);
    deft__table_colored(table, DEFT__COLOR_BOLD, deft_view_of(name));
    deft__table_empty(table);
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        add_share(table, DEFT__COLOR_NONE, job->sums[m] / (double)job->set_count);
    }
}

// --- Figures for programs. -----------------------------------------------------------------------

static void write_means(deft__json_writer *json, const double *means)
{
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        deft__json_name(json, deft__metric_name((deft__metric)m));
        deft__json_write_double(json, means[m]);
    }
}

static void write_intervals(deft__json_writer *json, const deft__estimate *estimates)
{
    deft__json_name(json, "intervals");
    deft__json_begin_object(json);
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        deft__json_name(json, deft__metric_name((deft__metric)m));
        deft__json_begin_array(json);
        deft__json_write_double(json, estimates[m].low);
        deft__json_write_double(json, estimates[m].high);
        deft__json_end_array(json);
    }
    deft__json_end_object(json);
}

static void write_styles(deft__json_writer *json, const deft__eval_set *set,
                         const deft__scores *scores, deft__scores *picked)
{
    deft_view    styles[STYLES_MAX];
    const size_t count = list_styles(set, styles);
    deft__json_name(json, "styles");
    deft__json_begin_object(json);
    for (size_t i = 0; i < count; i++) {
        double       means[DEFT__METRIC_COUNT];
        const size_t picked_count = pick_style(set, scores, styles[i], picked);
        deft__eval_means(picked, picked_count, means);
        deft__json_name_view(json, styles[i]);
        deft__json_begin_object(json);
        deft__json_name(json, "queries");
        deft__json_write_uint64(json, picked_count);
        write_means(json, means);
        deft__json_end_object(json);
    }
    deft__json_end_object(json);
}

static void print_json(eval_job *job, const deft__judged_queries *queries, const double *means,
                       const deft__estimate *estimates, const deft__scores *scores,
                       deft__scores *picked)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "set");
    deft__json_write_string(&json, queries->name);
    deft__json_name(&json, "ranking");
    deft__json_write_text(&json, deft_ranking_name(job->rankings[0]));
    deft__json_name(&json, "queries");
    deft__json_write_uint64(&json, queries->set.count);
    write_means(&json, means);
    write_intervals(&json, estimates);
    if (has_flag(job, DEFT__FLAG_STYLE)) {
        write_styles(&json, &queries->set, scores, picked);
    }
    deft__json_end_object(&json);
    deft__print_result(&job->cli->output, &text);
}

static void print_json_differences(eval_job *job, const deft__judged_queries *queries,
                                   const double *first, const double *second,
                                   const deft__difference *differences)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "set");
    deft__json_write_string(&json, queries->name);
    deft__json_name(&json, "first");
    deft__json_write_text(&json, deft_ranking_name(job->rankings[0]));
    deft__json_name(&json, "second");
    deft__json_write_text(&json, deft_ranking_name(job->rankings[1]));
    deft__json_name(&json, "queries");
    deft__json_write_uint64(&json, queries->set.count);
    for (size_t m = 0; m < METRICS_SHOWN; m++) {
        const struct {
            const char *name;
            double      value;
        } numbers[] = {
            {"first", first[m]},
            {"second", second[m]},
            {"difference", differences[m].estimate.mean},
            {"low", differences[m].estimate.low},
            {"high", differences[m].estimate.high},
            {"p", differences[m].p},
        };
        deft__json_name(&json, deft__metric_name((deft__metric)m));
        deft__json_begin_object(&json);
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            deft__json_name(&json, numbers[i].name);
            deft__json_write_double(&json, numbers[i].value);
        }
        deft__json_name(&json, "wins");
        deft__json_write_uint64(&json, differences[m].wins);
        deft__json_name(&json, "losses");
        deft__json_write_uint64(&json, differences[m].losses);
        deft__json_end_object(&json);
    }
    deft__json_end_object(&json);
    deft__print_result(&job->cli->output, &text);
}

// --- One file of queries. ------------------------------------------------------------------------

static deft_status report(eval_job *job, const deft__judged_queries *queries,
                          const deft__scores *scores, deft__scores *picked, deft_error *error)
{
    deft__estimate    estimates[DEFT__METRIC_COUNT];
    double            means[DEFT__METRIC_COUNT];
    const deft_status status =
        deft__eval_estimate(scores, queries->set.count, DEFT__EVAL_SEED, estimates, NULL, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft__eval_means(scores, queries->set.count, means);
    for (size_t m = 0; m < DEFT__METRIC_COUNT; m++) {
        job->sums[m] += means[m];
    }
    if (has_flag(job, DEFT__FLAG_JSON)) {
        print_json(job, queries, means, estimates, scores, picked);
    } else {
        add_figures(job, queries, estimates);
        if (has_flag(job, DEFT__FLAG_STYLE)) {
            add_styles(job, &queries->set, scores, picked);
        }
    }
    return DEFT_OK;
}

static deft_status report_differences(eval_job *job, const deft__judged_queries *queries,
                                      const deft__scores *first, const deft__scores *second,
                                      deft_error *error)
{
    deft__difference  differences[DEFT__METRIC_COUNT];
    double            first_means[DEFT__METRIC_COUNT];
    double            second_means[DEFT__METRIC_COUNT];
    const deft_status status = deft__eval_compare(first, second, queries->set.count,
                                                  DEFT__EVAL_SEED, differences, NULL, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft__eval_means(first, queries->set.count, first_means);
    deft__eval_means(second, queries->set.count, second_means);
    if (has_flag(job, DEFT__FLAG_JSON)) {
        print_json_differences(job, queries, first_means, second_means, differences);
    } else {
        add_differences(job, queries, first_means, second_means, differences);
    }
    return DEFT_OK;
}

static deft_status score_queries(eval_job *job, const deft__judged *judged,
                                 const deft__judged_queries *queries, deft_searcher *searcher,
                                 deft_error *error)
{
    const size_t  size      = queries->set.count * sizeof(deft__scores);
    deft__scores *scores[2] = {deft__new(NULL, size), deft__new(NULL, size)};
    deft_status   status    = DEFT_OK;
    if (scores[0] == NULL || scores[1] == NULL) {
        status = DEFT_OUT_OF_MEMORY;
        snprintf(error->message, sizeof error->message, "out of memory");
    }
    for (size_t i = 0; status == DEFT_OK && i < 2 && i < job->ranking_count; i++) {
        status = run_ranking(job, judged, queries, searcher, job->rankings[i], scores[i], error);
    }
    if (status == DEFT_OK) {
        job->set_count++;
        status = job->ranking_count == 2
                     ? report_differences(job, queries, scores[0], scores[1], error)
                     : report(job, queries, scores[0], scores[1], error);
    }
    deft__free(NULL, scores[0], size);
    deft__free(NULL, scores[1], size);
    return status;
}

// --- The command. --------------------------------------------------------------------------------

// False after complaining.
static bool score_set(eval_job *job, const char *directory)
{
    deft__judged judged;
    deft_error   error  = DEFT_ERROR_INIT;
    deft_status  status = DEFT_OK;
    if (!deft__judged_open(&judged, job->cli, directory)) {
        return false;
    }
    if (judged.query_file_count == 0) {
        deft__note(&job->cli->output, "%s has no %s; it is left out", directory,
                   has_flag(job, DEFT__FLAG_QUERIES) ? "such queries" : "queries.jsonl");
        deft__judged_close(&judged);
        return true;
    }
    const deft_index_options options = {.language = job->settings->language, .model = job->model};
    deft_index              *index   = deft_index_new_with(judged.catalog, &options, NULL, &error);
    deft_searcher *searcher = index != NULL ? deft_searcher_new(index, NULL, &error) : NULL;
    status                  = searcher != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    for (size_t i = 0; status == DEFT_OK && i < judged.query_file_count; i++) {
        status = score_queries(job, &judged, &judged.queries[i], searcher, &error);
    }
    if (status != DEFT_OK) {
        deft__complain(&job->cli->output, "%s", error.message);
    }
    deft_searcher_free(searcher);
    deft_index_free(index);
    deft__judged_close(&judged);
    return status == DEFT_OK;
}

static void begin_table(eval_job *job)
{
    static const deft__column figures[] = {
        {"SET", false}, {"QUERIES", true}, {"R@1", true}, {"R@3", true},   {"R@5", true},
        {"R@10", true}, {"NDCG", true},    {"MRR", true}, {"ALL@5", true}, {"ALL@10", true}};
    static const deft__column titles[2] = {{"SET", false}, {"METRIC", false}};
    static deft__column       differences[8];
    if (job->ranking_count == 1) {
        deft__table_init(&job->table, figures, sizeof figures / sizeof figures[0]);
        return;
    }
    differences[0] = titles[0];
    differences[1] = titles[1];
    differences[2] = (deft__column){deft_ranking_name(job->rankings[0]), true};
    differences[3] = (deft__column){deft_ranking_name(job->rankings[1]), true};
    differences[4] = (deft__column){"CHANGE", true};
    differences[5] = (deft__column){"95 % FROM", true};
    differences[6] = (deft__column){"TO", true};
    differences[7] = (deft__column){"P", true};
    deft__table_init(&job->table, differences, 8);
}

// Prints what was found, and writes --rankings. False after complaining.
static bool finish(eval_job *job)
{
    deft__cli  *cli   = job->cli;
    const char *path  = deft__invocation_value(&cli->invocation, DEFT__FLAG_RANKINGS);
    deft_error  error = DEFT_ERROR_INIT;
    if (job->set_count == 0) {
        deft__complain(&cli->output, "there is nothing to score: no set has %s",
                       has_flag(job, DEFT__FLAG_QUERIES) ? "such queries" : "a queries.jsonl");
        return false;
    }
    if (path != NULL &&
        (job->lines.status != DEFT_OK ||
         deft__file_write(path, deft_buffer_view(&job->lines), &error) != DEFT_OK)) {
        deft__complain(&cli->output, "%s",
                       job->lines.status != DEFT_OK ? "out of memory" : error.message);
        return false;
    }
    if (!has_flag(job, DEFT__FLAG_JSON)) {
        if (job->set_count > 1 && job->ranking_count == 1) {
            add_mean(job);
        }
        if (deft__table_print(&job->table, &cli->output) != DEFT_OK) {
            cli->output.text.status = DEFT_OUT_OF_MEMORY;
        }
    }
    return true;
}

int deft__command_eval(deft__cli *cli)
{
    deft_config *config = deft__config_read(cli);
    if (config == NULL) {
        return DEFT__EXIT_WRONG;
    }
    deft__chosen_model chosen;
    if (!deft__chosen_model_open(&chosen, cli)) {
        deft_config_free(config);
        return DEFT__EXIT_WRONG;
    }
    eval_job    job = {.cli = cli, .settings = deft_config_settings(config), .model = chosen.model};
    const char *other = deft__invocation_value(&cli->invocation, DEFT__FLAG_COMPARE);
    job.rankings[0]   = job.settings->ranking;
    job.ranking_count = 1;
    bool is_right     = true;
    if (other != NULL) { // from that one to this one
        job.rankings[1]   = job.rankings[0];
        is_right          = deft_ranking_from_name(deft_view_of(other), &job.rankings[0]);
        job.ranking_count = 2;
    }
    if (other != NULL && has_flag(&job, DEFT__FLAG_RANKINGS)) {
        deft__complain(&cli->output, "--rankings writes the order of one ranking; leave out "
                                     "--compare, and run it once for each");
        is_right = false;
    }
    deft_buffer_init(&job.lines, NULL);
    begin_table(&job);
    for (size_t i = 0; is_right && i < cli->invocation.operand_count; i++) {
        is_right = score_set(&job, cli->invocation.operands[i]);
    }
    is_right = is_right && finish(&job);
    deft__table_clear(&job.table);
    deft_buffer_clear(&job.lines);
    deft__chosen_model_close(&chosen);
    deft_config_free(config);
    return is_right ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}
