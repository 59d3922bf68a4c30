#include "quality/sets.h"

#include "json/reader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static void check(deft_status status, const deft_error *error)
{
    if (status != DEFT_OK) {
        fprintf(stderr, "%s\n", error->message);
        exit(2);
    }
}

void read_whole(const char *path, deft_buffer *out)
{
    char   piece[65536];
    int    size = 0;
    gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(2);
    }
    while ((size = gzread(file, piece, sizeof piece)) > 0) {
        deft_buffer_append(out, deft_view_make(piece, (size_t)size));
    }
    if (size < 0 || out->status != DEFT_OK) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    gzclose(file);
}

// --- Tools. --------------------------------------------------------------------------------------

static void add_source(deft_catalog_builder *builder, const char *label, deft_view text)
{
    deft_error        error  = DEFT_ERROR_INIT;
    const deft_source source = {.label = deft_view_of(label)};
    check(deft_catalog_builder_add(builder, &source, text, &error), &error);
}

// The lines of `text` whose tools are new to the set.
static void keep_new(deft__eval_tools *tools, deft_view text, deft_buffer *kept)
{
    deft_buffer scratch;
    deft__json  document;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&scratch, NULL);
    deft__json_init(&document, NULL);
    while (text.size > 0) {
        const char     *end  = memchr(text.data, '\n', text.size);
        const size_t    size = end != NULL ? (size_t)(end - text.data) + 1 : text.size;
        const deft_view line = deft_view_slice(text, 0, size);
        uint32_t        number;
        text = deft_view_slice(text, size, SIZE_MAX);
        check(deft__json_parse(&document, line, NULL, &error), &error);
        deft_buffer_reset(&scratch);
        const deft_view id =
            deft__json_string(deft__json_member(deft__json_root(&document), "id"), &scratch);
        if (!deft__eval_tools_find(tools, id, &number)) {
            deft_buffer_append(kept, line);
        }
    }
    check(deft__eval_tools_read(tools, deft_buffer_view(kept), "further tools", &error), &error);
    deft__json_clear(&document);
    deft_buffer_clear(&scratch);
}

static void number_tools(quality_judged *judged, const char *directory)
{
    judged->numbers = must_alloc(judged->corpus.count * sizeof *judged->numbers);
    for (size_t i = 0; i < judged->corpus.count; i++) {
        const deft_tool *tool = judged->corpus.tools[i].tool;
        if (!deft__eval_tools_find(&judged->tools,
                                   tool->source_id.size > 0 ? tool->source_id : tool->id,
                                   &judged->numbers[i])) {
            fprintf(stderr, "%s: tool %.*s has no id\n", directory, (int)tool->id.size,
                    tool->id.data);
            exit(2);
        }
    }
}

static bool find_file(char *path, size_t size, const char *directory, const char *name)
{
    FILE *file = NULL;
    snprintf(path, size, "%s/%s.jsonl", directory, name);
    file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(path, size, "%s/%s.jsonl.gz", directory, name);
        file = fopen(path, "rb");
    }
    if (file == NULL) {
        return false;
    }
    fclose(file);
    return true;
}

static void read_tools(quality_judged *judged, const char *directory, const char *const *extra)
{
    char                 path[1024];
    deft_buffer          text, kept;
    deft_error           error   = DEFT_ERROR_INIT;
    deft_catalog_options options = {.tools_per_server_max = DEFT_TOOLS_MAX};
    if (!find_file(path, sizeof path, directory, "tools")) {
        fprintf(stderr, "%s: has no tools.jsonl\n", directory);
        exit(2);
    }
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&kept, NULL);
    deft_catalog_builder *builder = must(deft_catalog_builder_new(&options, NULL, &error));
    deft__eval_tools_init(&judged->tools, NULL);
    read_whole(path, &text);
    check(deft__eval_tools_read(&judged->tools, deft_buffer_view(&text), path, &error), &error);
    add_source(builder, path, deft_buffer_view(&text));
    for (size_t i = 0; extra[i] != NULL; i++) {
        deft_buffer_reset(&text);
        deft_buffer_reset(&kept);
        read_whole(extra[i], &text);
        keep_new(&judged->tools, deft_buffer_view(&text), &kept);
        add_source(builder, extra[i], deft_buffer_view(&kept));
    }
    deft_catalog *catalog = must(deft_catalog_builder_finish(builder, &error));
    for (size_t i = 0; i < deft_catalog_problem_count(catalog); i++) {
        const deft_view message = deft_catalog_problem(catalog, i)->message;
        fprintf(stderr, "%s: %.*s\n", directory, (int)message.size, message.data);
    }
    corpus_init(&judged->corpus, catalog);
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
    deft_buffer_clear(&text);
    deft_buffer_clear(&kept);
}

// --- Queries. ------------------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

// "queries", "queries_short", ...: the names before .jsonl, in byte order.
static size_t list_variants(const char *directory, char names[VARIANTS_MAX][64])
{
    size_t         count = 0;
    struct dirent *entry = NULL;
    DIR           *open  = must(opendir(directory));
    while ((entry = readdir(open)) != NULL && count < VARIANTS_MAX) {
        const char *dot = strstr(entry->d_name, ".jsonl");
        if (strncmp(entry->d_name, "queries", 7) == 0 && dot != NULL &&
            (size_t)(dot - entry->d_name) < sizeof names[0]) {
            snprintf(names[count++], sizeof names[0], "%.*s", (int)(dot - entry->d_name),
                     entry->d_name);
        }
    }
    closedir(open);
    qsort(names, count, sizeof names[0], by_text);
    return count;
}

void judged_read(quality_judged *judged, const char *directory, const char *const *extra)
{
    char        names[VARIANTS_MAX][64];
    char        path[1024];
    deft_buffer text;
    deft_error  error = DEFT_ERROR_INIT;
    memset(judged, 0, sizeof *judged);
    read_tools(judged, directory, extra);
    number_tools(judged, directory);
    deft_buffer_init(&text, NULL);
    judged->variant_count = list_variants(directory, names);
    for (size_t i = 0; i < judged->variant_count; i++) {
        quality_variant *variant = &judged->variants[i];
        // queries_short of the directory metatool is metatool:short
        snprintf(variant->name, sizeof variant->name, "%s%s%s", base_name(directory),
                 names[i][7] != '\0' ? ":" : "", names[i][7] != '\0' ? names[i] + 8 : "");
        find_file(path, sizeof path, directory, names[i]);
        deft_buffer_reset(&text);
        read_whole(path, &text);
        deft__eval_set_init(&variant->set, NULL);
        check(deft__eval_set_read(&variant->set, &judged->tools, deft_buffer_view(&text), path,
                                  &error),
              &error);
    }
    deft_buffer_clear(&text);
}

void judged_clear(quality_judged *judged)
{
    for (size_t i = 0; i < judged->variant_count; i++) {
        deft__eval_set_clear(&judged->variants[i].set);
    }
    free(judged->numbers);
    corpus_clear(&judged->corpus);
    deft__eval_tools_clear(&judged->tools);
}

// --- Running. ------------------------------------------------------------------------------------

typedef struct quality_run {
    const quality_judged   *judged;
    const quality_baseline *ranking;
    void                   *state;
} quality_run;

static deft_status rank(void *context, const deft__eval_query *query, uint32_t *ranked,
                        size_t ranked_max, size_t *count, deft_error *error)
{
    const quality_run *run = context;
    (void)error;
    *count = run->ranking->rank(run->state, query->text, ranked, ranked_max);
    for (size_t i = 0; i < *count; i++) {
        ranked[i] = run->judged->numbers[ranked[i]];
    }
    return DEFT_OK;
}

void judged_run(const quality_judged *judged, const quality_variant *variant,
                const quality_baseline *ranking, void *state, deft__scores *scores)
{
    deft_error               error = DEFT_ERROR_INIT;
    quality_run              run   = {judged, ranking, state};
    const deft__eval_ranking asked = {rank, &run};
    check(deft__eval_run(&variant->set, &asked, scores, &error), &error);
}
