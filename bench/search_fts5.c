// SQLite's full text search, in memory: bm25() over any of the words, the best ten.
#include "bench/search_engine.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct index {
    sqlite3      *database;
    sqlite3_stmt *search;
} index;

static void free_index(void *pointer)
{
    index *i = pointer;
    (void)sqlite3_finalize(i->search);
    (void)sqlite3_close(i->database);
    free(i);
}

static int insert_tools(sqlite3 *database, const bench_corpus *corpus)
{
    sqlite3_stmt *insert = NULL;
    int           result =
        sqlite3_prepare_v2(database, "INSERT INTO tools(rowid, text) VALUES(?, ?)", -1, &insert, 0);
    for (size_t tool = 0; result == SQLITE_OK && tool < corpus->tool_count; tool++) {
        const size_t start = tool > 0 ? corpus->ends[tool - 1] : 0;
        (void)sqlite3_bind_int64(insert, 1, (sqlite3_int64)tool);
        (void)sqlite3_bind_text(insert, 2, corpus->texts + start, (int)(corpus->ends[tool] - start),
                                SQLITE_STATIC);
        (void)sqlite3_step(insert);
        result = sqlite3_reset(insert);
    }
    (void)sqlite3_finalize(insert);
    return result;
}

static void *build(const bench_corpus *corpus)
{
    // The texts themselves stay outside, as with the others; porter folds what our stemmer folds.
    static const char create[] = "CREATE VIRTUAL TABLE tools USING fts5(text, content='', "
                                 "tokenize='porter unicode61'); BEGIN";
    static const char finish[] = "COMMIT; INSERT INTO tools(tools) VALUES('optimize')";
    static const char search[] = "SELECT rowid FROM tools WHERE tools MATCH ? "
                                 "ORDER BY bm25(tools) LIMIT 10";
    index            *i        = calloc(1, sizeof *i);
    if (i == NULL) {
        return NULL;
    }
    if (sqlite3_open(":memory:", &i->database) != SQLITE_OK ||
        sqlite3_exec(i->database, create, NULL, NULL, NULL) != SQLITE_OK ||
        insert_tools(i->database, corpus) != SQLITE_OK ||
        sqlite3_exec(i->database, finish, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(i->database, search, -1, &i->search, NULL) != SQLITE_OK) {
        (void)fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(i->database));
        free_index(i);
        return NULL;
    }
    return i;
}

static sqlite3_int64 pragma(sqlite3 *database, const char *text)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 value     = 0;
    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        value = sqlite3_column_int64(statement, 0);
    }
    (void)sqlite3_finalize(statement);
    return value;
}

static size_t size(void *pointer)
{
    const index *i = pointer;
    return (size_t)(pragma(i->database, "PRAGMA page_count") *
                    pragma(i->database, "PRAGMA page_size"));
}

// "list open issues" as FTS5 wants it: "list" OR "open" OR "issues".
static void write_match(char *match, size_t capacity, const char *query, size_t query_size)
{
    size_t used = 0;
    for (size_t at = 0; at < query_size;) {
        size_t end = at;
        while (end < query_size && query[end] != ' ') {
            end++;
        }
        if (end > at && used < capacity) {
            used += (size_t)snprintf(match + used, capacity - used, "%s\"%.*s\"",
                                     used > 0 ? " OR " : "", (int)(end - at), query + at);
        }
        at = end + 1;
    }
}

static size_t search(void *pointer, const char *query, size_t query_size, uint32_t *tools)
{
    index *i           = pointer;
    char   match[2048] = "";
    size_t count       = 0;
    write_match(match, sizeof match, query, query_size);
    (void)sqlite3_bind_text(i->search, 1, match, -1, SQLITE_STATIC);
    while (count < BENCH_HITS_MAX && sqlite3_step(i->search) == SQLITE_ROW) {
        tools[count++] = (uint32_t)sqlite3_column_int64(i->search, 0);
    }
    (void)sqlite3_reset(i->search);
    return count;
}

bench_engine bench_engine_fts5(void)
{
    bench_engine engine = {"", build, size, search, free_index};
    (void)snprintf(engine.name, sizeof engine.name, "SQLite %s FTS5", sqlite3_libversion());
    return engine;
}
