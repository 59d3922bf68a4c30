// quality_table [--markdown] [--sample N] [--extra-tools FILE]... [--only NAME]... SETDIR...
//
// Ranks the queries of every set with each baseline and each ranking of ours, and prints the whole
// table: means over the sets, the figures of each set, and for each set the best baseline against
// ours. --sample takes N queries of a set, the same ones each time.
#include "eval/estimate.h"
#include "quality/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SETS_MAX     64u
#define RANKINGS_MAX 32u
#define FILES_MAX    16u

typedef struct table_options {
    bool        is_markdown;
    size_t      sample; // 0: all
    const char *extra[FILES_MAX + 1];
    const char *only[RANKINGS_MAX + 1];
    const char *directories[SETS_MAX + 1];
} table_options;

// What is kept of a set when its tools are gone.
typedef struct table_column {
    char          name[128];
    size_t        tool_count;
    size_t        query_count;
    deft__scores *scores[RANKINGS_MAX];
    double        means[RANKINGS_MAX][DEFT__METRIC_COUNT];
} table_column;

typedef struct quality_table {
    const quality_baseline *rankings[RANKINGS_MAX];
    size_t                  ranking_count;
    table_column            columns[SETS_MAX];
    size_t                  column_count;
    bool                    is_markdown;
} quality_table;

static const deft__metric shown[] = {DEFT__METRIC_RECALL_1, DEFT__METRIC_RECALL_5,
                                     DEFT__METRIC_NDCG_10};

// --- Measuring. ----------------------------------------------------------------------------------

static bool is_wanted(const table_options *options, const char *name)
{
    bool is_any = options->only[0] == NULL;
    for (size_t i = 0; options->only[i] != NULL; i++) {
        is_any = is_any || strcmp(options->only[i], name) == 0;
    }
    return is_any;
}

static void choose(quality_table *table, const table_options *options)
{
    const quality_baseline *const *lists[] = {baselines, our_rankings};
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; lists[l][i] != NULL; i++) {
            if (is_wanted(options, lists[l][i]->name)) {
                table->rankings[table->ranking_count++] = lists[l][i];
            }
        }
    }
}

static void measure(quality_table *table, const table_options *options, const char *directory)
{
    static quality_judged judged;
    const clock_t         start = clock();
    const size_t          first = table->column_count;
    judged_read(&judged, directory, options->extra);
    for (size_t v = 0; v < judged.variant_count && table->column_count < SETS_MAX; v++) {
        table_column *column = &table->columns[table->column_count++];
        if (options->sample > 0) {
            deft__eval_set_sample(&judged.variants[v].set, options->sample, DEFT__EVAL_SEED);
        }
        snprintf(column->name, sizeof column->name, "%s", judged.variants[v].name);
        column->tool_count  = judged.corpus.count;
        column->query_count = judged.variants[v].set.count;
    }
    for (size_t r = 0; r < table->ranking_count; r++) {
        void *state = table->rankings[r]->open(&judged.corpus);
        for (size_t c = first; c < table->column_count; c++) {
            table_column *column = &table->columns[c];
            column->scores[r]    = must_alloc(column->query_count * sizeof(deft__scores));
            judged_run(&judged, &judged.variants[c - first], table->rankings[r], state,
                       column->scores[r]);
            deft__eval_means(column->scores[r], column->query_count, column->means[r]);
        }
        table->rankings[r]->close(state);
    }
    judged_clear(&judged);
    fprintf(stderr, "%s: %.1f s\n", directory, (double)(clock() - start) / CLOCKS_PER_SEC);
}

// --- Printing. -----------------------------------------------------------------------------------

// One cell and what stands between it and the next.
static void print_cell(const quality_table *table, const char *text, int width)
{
    if (table->is_markdown) {
        printf(" %s |", text);
    } else {
        printf("%*s", width, text);
    }
}

static void print_number(const quality_table *table, double value, bool is_best)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", value);
    const char *number = text[0] == '0' ? text + 1 : text; // .750, as usual
    char        marked[40];
    snprintf(marked, sizeof marked, is_best && table->is_markdown ? "**%s**" : "%s", number);
    print_cell(table, marked, 8);
}

static void begin_row(const quality_table *table, const char *name)
{
    printf(table->is_markdown ? "| %s |" : "%-20s", name);
}

static void print_rule(const quality_table *table, size_t cells)
{
    if (table->is_markdown) {
        printf("|---|");
        for (size_t i = 0; i < cells; i++) {
            printf("---:|");
        }
        printf("\n");
    }
}

static double mean_of(const quality_table *table, size_t ranking, deft__metric metric)
{
    double sum = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        sum += table->columns[c].means[ranking][metric];
    }
    return sum / (double)table->column_count;
}

static void print_means(const quality_table *table)
{
    const size_t metric_count = DEFT__METRIC_ALL_10 + 1;
    printf(table->is_markdown ? "### Mean over %zu sets of queries\n\n"
                              : "Mean over %zu sets of queries\n\n",
           table->column_count);
    begin_row(table, "ranking");
    for (size_t m = 0; m < metric_count; m++) {
        print_cell(table, deft__metric_name((deft__metric)m), 10);
    }
    printf("\n");
    print_rule(table, metric_count);
    for (size_t r = 0; r < table->ranking_count; r++) {
        begin_row(table, table->rankings[r]->name);
        for (size_t m = 0; m < metric_count; m++) {
            double best = 0;
            for (size_t other = 0; other < table->ranking_count; other++) {
                const double mean = mean_of(table, other, (deft__metric)m);
                best              = mean > best ? mean : best;
            }
            const double mean = mean_of(table, r, (deft__metric)m);
            printf(table->is_markdown ? "" : "  ");
            print_number(table, mean, mean >= best);
        }
        printf("\n");
    }
    printf("\n");
}

static double best_of(const quality_table *table, size_t column, deft__metric metric)
{
    double best = 0;
    for (size_t r = 0; r < table->ranking_count; r++) {
        const double mean = table->columns[column].means[r][metric];
        best              = mean > best ? mean : best;
    }
    return best;
}

// Columns without room for their names are numbered, and named before the table.
static void print_metric(const quality_table *table, deft__metric metric)
{
    printf(table->is_markdown ? "### %s\n\n" : "%s\n\n", deft__metric_name(metric));
    begin_row(table, "ranking");
    for (size_t c = 0; c < table->column_count; c++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", c + 1);
        print_cell(table, table->is_markdown ? table->columns[c].name : number, 8);
    }
    print_cell(table, "mean", 8);
    printf("\n");
    print_rule(table, table->column_count + 1);
    for (size_t r = 0; r < table->ranking_count; r++) {
        begin_row(table, table->rankings[r]->name);
        for (size_t c = 0; c < table->column_count; c++) {
            const double mean = table->columns[c].means[r][metric];
            print_number(table, mean, mean >= best_of(table, c, metric));
        }
        print_number(table, mean_of(table, r, metric), false);
        printf("\n");
    }
    printf("\n");
}

static void print_sets(const quality_table *table)
{
    begin_row(table, "set");
    print_cell(table, "tools", 8);
    print_cell(table, "queries", 10);
    printf("\n");
    print_rule(table, 2);
    for (size_t c = 0; c < table->column_count; c++) {
        char text[160];
        snprintf(text, sizeof text, table->is_markdown ? "%.0zu%s" : "%2zu %s",
                 table->is_markdown ? (size_t)0 : c + 1, table->columns[c].name);
        begin_row(table, text);
        snprintf(text, sizeof text, "%zu", table->columns[c].tool_count);
        print_cell(table, text, 8);
        snprintf(text, sizeof text, "%zu", table->columns[c].query_count);
        print_cell(table, text, 10);
        printf("\n");
    }
    printf("\n");
}

// The place of a ranking; ranking_count when it was not asked for.
static size_t place_of(const quality_table *table, const char *name)
{
    size_t r = 0;
    while (r < table->ranking_count && strcmp(table->rankings[r]->name, name) != 0) {
        r++;
    }
    return r;
}

static void print_against_best(const quality_table *table, size_t ours, size_t c,
                               deft__metric metric)
{
    const table_column *column = &table->columns[c];
    size_t              best   = table->ranking_count;
    deft__difference    differences[DEFT__METRIC_COUNT];
    deft_error          error = DEFT_ERROR_INIT;
    char                text[96];
    for (size_t r = 0; r < table->ranking_count; r++) {
        if (!table->rankings[r]->is_ours &&
            (best == table->ranking_count ||
             column->means[r][metric] > column->means[best][metric])) {
            best = r;
        }
    }
    if (best == table->ranking_count ||
        deft__eval_compare(column->scores[best], column->scores[ours], column->query_count,
                           DEFT__EVAL_SEED, differences, NULL, &error) != DEFT_OK) {
        return;
    }
    const deft__difference *d = &differences[metric];
    begin_row(table, column->name);
    print_cell(table, deft__metric_name(metric), 10);
    snprintf(text, sizeof text, " %s", table->rankings[best]->name);
    print_cell(table, text, 20);
    print_number(table, column->means[best][metric], false);
    print_number(table, column->means[ours][metric], false);
    snprintf(text, sizeof text, "%+.3f [%+.3f, %+.3f]", d->estimate.mean, d->estimate.low,
             d->estimate.high);
    print_cell(table, text, 26);
    snprintf(text, sizeof text, "%.4f", d->p);
    print_cell(table, text, 8);
    print_cell(table,
               d->estimate.mean >= 0   ? "ahead"
               : d->estimate.high >= 0 ? "within"
                                       : "BELOW",
               8);
    printf("\n");
}

static void print_comparison(const quality_table *table, const char *name)
{
    static const char *const titles[] = {
        "metric", "best baseline", "its", "ours", "difference [95 %]", "p", "verdict"};
    static const int widths[] = {10, 20, 8, 8, 26, 8, 8};
    const size_t     ours     = place_of(table, name);
    if (ours == table->ranking_count) {
        return;
    }
    printf("%s%s against the best baseline of each set\n\n", table->is_markdown ? "### " : "",
           name);
    begin_row(table, "set");
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        print_cell(table, titles[i], widths[i]);
    }
    printf("\n");
    print_rule(table, sizeof titles / sizeof titles[0]);
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t m = 0; m < sizeof shown / sizeof shown[0]; m++) {
            print_against_best(table, ours, c, shown[m]);
        }
    }
    printf("\n");
}

// --- The program. --------------------------------------------------------------------------------

static int usage(void)
{
    fputs("usage: quality_table [--markdown] [--sample N] [--extra-tools FILE]... [--only NAME]... "
          "SETDIR...\n",
          stderr);
    return 2;
}

static bool read_options(table_options *options, int count, char **arguments)
{
    size_t extra = 0, only = 0, directories = 0;
    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i];
        const char *value    = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(argument, "--markdown") == 0) {
            options->is_markdown = true;
        } else if (argument[0] != '-') {
            if (directories == SETS_MAX) {
                return false;
            }
            options->directories[directories++] = argument;
        } else if (value == NULL) {
            return false;
        } else if (strcmp(argument, "--sample") == 0) {
            options->sample = (size_t)strtoul(value, NULL, 10);
            i++;
        } else if (strcmp(argument, "--extra-tools") == 0 && extra < FILES_MAX) {
            options->extra[extra++] = value;
            i++;
        } else if (strcmp(argument, "--only") == 0 && only < RANKINGS_MAX) {
            options->only[only++] = value;
            i++;
        } else {
            return false;
        }
    }
    return directories > 0;
}

int main(int count, char **arguments)
{
    static quality_table table;
    table_options        options = {0};
    if (!read_options(&options, count, arguments)) {
        return usage();
    }
    table.is_markdown = options.is_markdown;
    choose(&table, &options);
    for (size_t i = 0; options.directories[i] != NULL; i++) {
        measure(&table, &options, options.directories[i]);
    }
    if (table.column_count == 0 || table.ranking_count == 0) {
        fputs("nothing to compare\n", stderr);
        return 2;
    }
    print_sets(&table);
    print_means(&table);
    for (size_t m = 0; m < sizeof shown / sizeof shown[0]; m++) {
        print_metric(&table, shown[m]);
    }
    print_comparison(&table, "deft words");
    print_comparison(&table, "deft hybrid");
    for (size_t c = 0; c < table.column_count; c++) {
        for (size_t r = 0; r < table.ranking_count; r++) {
            free(table.columns[c].scores[r]);
        }
    }
    return 0;
}
