// How fast tools are found, against other engines on the same texts and queries in the same run.
//
//     bench_search [--catalog DIR] [--tools N]... [--large] [--only NAME] [--json]
//
// What counts is how many times ours the others take: absolute times are the machine's. Each query
// is timed in several rounds over all queries and its best time counts, because other work on the
// machine only ever adds; percentiles are over queries. Slow engines answer only the first queries,
// as many as a few seconds allow, and are compared with ours on these.
#include "bench/bench.h"
#include "bench/search_catalog.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>

#define QUERIES     1000
#define QUERIES_MIN 30
#define ROUNDS      7
#define ENGINES_MAX 7
#define SIZES_MAX   8

static const double engine_seconds = 4; // for one kind of query

typedef struct options {
    const char *catalog;
    const char *only; // engines whose name has this; NULL: all
    size_t      sizes[SIZES_MAX];
    size_t      size_count;
    bool        is_large;
    bool        is_json;
} options;

// What one engine needed for one kind of query.
typedef struct timing {
    double times[QUERIES]; // seconds, the best of the rounds
    size_t count;          // queries answered
    size_t found;          // of them with a hit at all
} timing;

typedef struct result {
    bench_engine engine;
    double       build_seconds;
    size_t       size; // bytes
    timing       timings[BENCH_QUERY_KIND_COUNT];
} result;

static const char *const kind_names[BENCH_QUERY_KIND_COUNT] = {"short", "sentence"};

typedef struct query_set {
    char   text[QUERIES][BENCH_QUERY_SIZE_MAX];
    size_t size[QUERIES];
} query_set;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// The time that `percent` of the first `count` queries do not need more of.
static double percentile(const timing *t, size_t count, unsigned percent)
{
    double sorted[QUERIES];
    memcpy(sorted, t->times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    return sorted[(count - 1) * percent / 100];
}

static double queries_per_second(const timing *t)
{
    double total = 0;
    for (size_t i = 0; i < t->count; i++) {
        total += t->times[i];
    }
    return (double)t->count / total;
}

// How many times the p50 of `ours` is in the one of `theirs`, over the queries that both answered.
static double ratio(const timing *ours, const timing *theirs)
{
    const size_t count = ours->count < theirs->count ? ours->count : theirs->count;
    return percentile(theirs, count, 50) / percentile(ours, count, 50);
}

static void time_queries(const bench_engine *engine, void *index, const query_set *queries,
                         timing *t)
{
    uint32_t     tools[BENCH_HITS_MAX];
    const double start = bench_wall_seconds();
    *t                 = (timing){.count = QUERIES};
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < t->count; i++) {
            const double before = bench_wall_seconds();
            const size_t found  = engine->search(index, queries->text[i], queries->size[i], tools);
            const double after  = bench_wall_seconds();
            if (round == 0 || after - before < t->times[i]) {
                t->times[i] = after - before;
            }
            t->found += round == 0 && found > 0;
            if (round == 0 && i + 1 >= QUERIES_MIN && after - start > engine_seconds / 2) {
                t->count = i + 1;
            }
        }
        if (bench_wall_seconds() - start > engine_seconds) {
            return;
        }
    }
}

static bool run_engine(result *r, const bench_corpus *corpus, const query_set *queries)
{
    // Small builds are repeated and the best one counts; large ones take long enough.
    const int builds = corpus->tool_count <= 20000 ? 5 : 1;
    void     *index  = NULL;
    for (int i = 0; i < builds; i++) {
        const double start = bench_seconds();
        if (index != NULL) {
            r->engine.free(index);
        }
        index                = r->engine.build(corpus);
        const double seconds = bench_seconds() - start;
        if (index == NULL) {
            return false;
        }
        if (i == 0 || seconds < r->build_seconds) {
            r->build_seconds = seconds;
        }
    }
    r->size = r->engine.size(index);
    for (int kind = 0; kind < BENCH_QUERY_KIND_COUNT; kind++) {
        time_queries(&r->engine, index, &queries[kind], &r->timings[kind]);
    }
    r->engine.free(index);
    return true;
}

// --- reports -------------------------------------------------------------------------------

typedef struct size_report {
    size_t        tool_count;
    size_t        server_count;
    size_t        text_size;
    double        image_seconds; // the part of deft's index that hybrid searches
    size_t        image_size;
    const result *results;
    size_t        result_count;
} size_report;

static void print_size(const size_report *s)
{
    (void)printf("\n%zu tools of %zu servers, %zu bytes of text each\n", s->tool_count,
                 s->server_count, s->text_size / s->tool_count);
    (void)printf("  deft: of which the image that hybrid searches %zu bytes a tool, built in "
                 "%.1f ms\n",
                 s->image_size / s->tool_count, s->image_seconds * 1e3);
    (void)printf("  %-22s %10s %10s", "", "build ms", "bytes/tool");
    for (int kind = 0; kind < BENCH_QUERY_KIND_COUNT; kind++) {
        (void)printf(" | %8s: p50 us %10s %10s %8s", kind_names[kind], "p99 us", "queries/s",
                     "x ours");
    }
    (void)printf("\n");
    for (size_t i = 0; i < s->result_count; i++) {
        const result *r = &s->results[i];
        (void)printf("  %-22s %10.1f %10zu", r->engine.name, r->build_seconds * 1e3,
                     r->size / s->tool_count);
        for (int kind = 0; kind < BENCH_QUERY_KIND_COUNT; kind++) {
            const timing *t = &r->timings[kind];
            (void)printf(" | %16.1f %10.1f %10.0f %8.1f", percentile(t, t->count, 50) * 1e6,
                         percentile(t, t->count, 99) * 1e6, queries_per_second(t),
                         ratio(&s->results[0].timings[kind], t));
        }
        (void)printf("\n");
    }
    (void)fflush(stdout);
}

static void write_result(deft__json_writer *writer, const result *r, const result *ours,
                         size_t tool_count)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "engine");
    deft__json_write_text(writer, r->engine.name);
    deft__json_name(writer, "build_ms");
    deft__json_write_double(writer, r->build_seconds * 1e3);
    deft__json_name(writer, "bytes_per_tool");
    deft__json_write_uint64(writer, r->size / tool_count);
    for (int kind = 0; kind < BENCH_QUERY_KIND_COUNT; kind++) {
        const timing *t = &r->timings[kind];
        deft__json_name(writer, kind_names[kind]);
        deft__json_begin_object(writer);
        deft__json_name(writer, "queries");
        deft__json_write_uint64(writer, t->count);
        deft__json_name(writer, "found");
        deft__json_write_uint64(writer, t->found);
        deft__json_name(writer, "p50_us");
        deft__json_write_double(writer, percentile(t, t->count, 50) * 1e6);
        deft__json_name(writer, "p99_us");
        deft__json_write_double(writer, percentile(t, t->count, 99) * 1e6);
        deft__json_name(writer, "queries_per_second");
        deft__json_write_double(writer, queries_per_second(t));
        deft__json_name(writer, "times_ours");
        deft__json_write_double(writer, ratio(&ours->timings[kind], t));
        deft__json_end_object(writer);
    }
    deft__json_end_object(writer);
}

static void write_size(deft__json_writer *writer, const size_report *s)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "tools");
    deft__json_write_uint64(writer, s->tool_count);
    deft__json_name(writer, "servers");
    deft__json_write_uint64(writer, s->server_count);
    deft__json_name(writer, "text_bytes");
    deft__json_write_uint64(writer, s->text_size);
    deft__json_name(writer, "image_build_ms");
    deft__json_write_double(writer, s->image_seconds * 1e3);
    deft__json_name(writer, "image_bytes");
    deft__json_write_uint64(writer, s->image_size);
    deft__json_name(writer, "engines");
    deft__json_begin_array(writer);
    for (size_t i = 0; i < s->result_count; i++) {
        write_result(writer, &s->results[i], &s->results[0], s->tool_count);
    }
    deft__json_end_array(writer);
    deft__json_end_object(writer);
}

// Opens the report that write_size() adds to.
static void begin_json(deft__json_writer *writer, const bench_base *base, const options *o)
{
    char processor[128];
    bench_processor(processor, sizeof processor);
    deft__json_begin_object(writer);
    deft__json_name(writer, "bench");
    deft__json_write_text(writer, "search");
    deft__json_name(writer, "processor");
    deft__json_write_text(writer, processor);
    deft__json_name(writer, "commit");
    deft__json_write_text(writer, bench_commit());
    deft__json_name(writer, "build");
    deft__json_write_text(writer, bench_build());
    deft__json_name(writer, "catalog");
    deft__json_write_text(writer, o->catalog);
    deft__json_name(writer, "definitions");
    deft__json_write_uint64(writer, bench_base_tool_count(base));
    deft__json_name(writer, "sizes");
    deft__json_begin_array(writer);
}

// --- runs ----------------------------------------------------------------------------------

// Ours is the first: the others are compared with it.
static size_t choose_engines(result results[ENGINES_MAX], const options *o)
{
    bench_engine (*const engines[])(void) = {
        bench_engine_deft,      bench_engine_deft_meaning,
        bench_engine_deft_bm25, bench_engine_deft_keyword,
#ifdef DEFT_BENCH_XAPIAN
        bench_engine_xapian,
#endif
#ifdef DEFT_BENCH_FTS5
        bench_engine_fts5,
#endif
        bench_engine_naive,
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        const bench_engine engine = engines[i]();
        if (i == 0 || o->only == NULL || strstr(engine.name, o->only) != NULL) {
            results[count++] = (result){.engine = engine};
        }
    }
    return count;
}

static void run_size(const bench_base *base, const options *o, size_t tool_count,
                     deft__json_writer *writer)
{
    uint64_t      random  = 7;
    deft_catalog *catalog = bench_catalog_new(base, tool_count);
    bench_corpus  corpus  = {.catalog = catalog, .tool_count = deft_catalog_tool_count(catalog)};
    size_t       *ends    = malloc(corpus.tool_count * sizeof *ends);
    query_set    *queries = malloc(BENCH_QUERY_KIND_COUNT * sizeof *queries);
    result       *results = malloc(ENGINES_MAX * sizeof *results);
    deft_buffer   texts;
    deft_buffer_init(&texts, NULL);
    if (ends == NULL || queries == NULL || results == NULL) {
        exit(1);
    }
    bench_catalog_texts(catalog, &texts, ends);
    corpus.texts = texts.data;
    corpus.ends  = ends;
    for (int kind = 0; kind < BENCH_QUERY_KIND_COUNT; kind++) {
        for (size_t i = 0; i < QUERIES; i++) {
            queries[kind].size[i] =
                bench_query(&corpus, (bench_query_kind)kind, &random, queries[kind].text[i]);
        }
    }

    const size_t count = choose_engines(results, o);
    for (size_t i = 0; i < count; i++) {
        if (!run_engine(&results[i], &corpus, queries)) {
            exit(1);
        }
    }
    size_report report = {
        .tool_count   = corpus.tool_count,
        .server_count = deft_catalog_server_count(catalog),
        .text_size    = texts.size,
        .results      = results,
        .result_count = count,
    };
    if (!bench_deft_image(&corpus, &report.image_seconds, &report.image_size)) {
        exit(1);
    }
    if (o->is_json) {
        write_size(writer, &report);
    } else {
        print_size(&report);
    }
    deft_buffer_clear(&texts);
    free(results);
    free(queries);
    free(ends);
    deft_catalog_release(catalog);
}

static bool read_options(int argc, char **argv, options *o)
{
    *o = (options){.catalog = DEFT_BENCH_CATALOG};
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--catalog") == 0 && has_value) {
            o->catalog = argv[++i];
        } else if (strcmp(argv[i], "--only") == 0 && has_value) {
            o->only = argv[++i];
        } else if (strcmp(argv[i], "--tools") == 0 && has_value && o->size_count < SIZES_MAX) {
            o->sizes[o->size_count++] = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--large") == 0) {
            o->is_large = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            o->is_json = true;
        } else {
            return false;
        }
    }
    if (o->size_count == 0) {
        o->sizes[o->size_count++] = 100;
        o->sizes[o->size_count++] = 10000;
        o->sizes[o->size_count++] = 100000;
    }
    if (o->is_large && o->size_count < SIZES_MAX) {
        o->sizes[o->size_count++] = 1000000;
    }
    return true;
}

int main(int argc, char **argv)
{
    options o;
    if (!read_options(argc, argv, &o)) {
        (void)fprintf(stderr, "usage: bench_search [--catalog DIR] [--tools N]... [--large] "
                              "[--only ENGINE] [--json]\n");
        return 2;
    }
    bench_base *base = bench_base_new(o.catalog);
    if (base == NULL) {
        return 1;
    }
    deft_buffer       json;
    deft__json_writer writer;
    deft_buffer_init(&json, NULL);
    deft__json_writer_init(&writer, &json);
    if (o.is_json) {
        begin_json(&writer, base, &o);
    } else {
        bench_head("search");
        (void)printf("%zu definitions of %zu servers, repeated with variation; %d queries of each "
                     "kind\n",
                     bench_base_tool_count(base), bench_base_server_count(base), QUERIES);
    }
    for (size_t i = 0; i < o.size_count; i++) {
        run_size(base, &o, o.sizes[i], &writer);
    }
    if (o.is_json) {
        deft__json_end_array(&writer);
        deft__json_end_object(&writer);
        (void)printf("%.*s\n", (int)json.size, json.data);
    }
    deft_buffer_clear(&json);
    bench_base_free(base);
    return 0;
}
