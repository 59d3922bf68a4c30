// web_catalog FOLDER TOOLS QUERIES - writes what bench/web searches: a catalog as bench_search makes it,
// as a file of definitions for each server (fault's list=FILE reads it), and queries, one a line.
#include "bench/bench.h"
#include "bench/search_catalog.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *open_file(const char *folder, const char *name)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static size_t write_servers(const deft_catalog *catalog, const char *folder)
{
    const size_t count  = deft_catalog_tool_count(catalog);
    FILE        *file   = NULL;
    size_t       number = 0;
    for (size_t i = 0; i < count; i++) {
        const deft_tool *tool = deft_catalog_tool(catalog, (deft_tool_id){(uint32_t)i});
        if (i == 0 ||
            tool->server.index !=
                deft_catalog_tool(catalog, (deft_tool_id){(uint32_t)i - 1})->server.index) {
            char name[32];
            (void)snprintf(name, sizeof name, "%zu.json", number++);
            if (file != NULL) {
                (void)fputs("]\n", file);
                (void)fclose(file);
            }
            file = open_file(folder, name);
            (void)fputs("[", file);
        } else {
            (void)fputs(",", file);
        }
        (void)fwrite(tool->definition.data, 1, tool->definition.size, file);
    }
    if (file != NULL) {
        (void)fputs("]\n", file);
        (void)fclose(file);
    }
    return number;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr, "usage: web_catalog FOLDER TOOLS QUERIES\n");
        return 2;
    }
    bench_base *base = bench_base_new(DEFT_BENCH_CATALOG);
    if (base == NULL) {
        return 1;
    }
    deft_catalog *catalog = bench_catalog_new(base, strtoul(argv[2], NULL, 10));
    bench_corpus  corpus  = {.catalog = catalog, .tool_count = deft_catalog_tool_count(catalog)};
    size_t       *ends    = calloc(corpus.tool_count, sizeof *ends);
    uint64_t      random  = 1;
    deft_buffer   texts;
    deft_buffer_init(&texts, NULL);
    if (ends == NULL) {
        return 1;
    }
    bench_catalog_texts(catalog, &texts, ends);
    corpus.texts = texts.data;
    corpus.ends  = ends;
    FILE *file   = open_file(argv[1], "queries");
    for (size_t i = 0; i < strtoul(argv[3], NULL, 10); i++) {
        char         query[BENCH_QUERY_SIZE_MAX];
        const size_t size = bench_query(&corpus, BENCH_QUERY_SHORT, &random, query);
        (void)fprintf(file, "%.*s\n", (int)size, query);
    }
    (void)fclose(file);
    (void)printf("%zu\n", write_servers(catalog, argv[1]));
    free(ends);
    deft_buffer_clear(&texts);
    deft_catalog_release(catalog);
    bench_base_free(base);
    return 0;
}
