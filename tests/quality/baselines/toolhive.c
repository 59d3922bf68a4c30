// ToolHive's optimizer, its keyword arm: SQLite's own FTS5 over name and description with the
// porter tokenizer, all words of the query joined by OR, without 23 words that it calls
// problematic and without repetitions.
#include "quality/baselines/baseline.h"
#include "quality/baselines/words.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static const char problematic[] =
    " name description schema input output type properties required title id tool server meta data "
    "content text value field column table index key primary ";

typedef struct toolhive_state {
    sqlite3      *database;
    sqlite3_stmt *search;
    quality_words words;
    deft_buffer   expression;
} toolhive_state;

static void check(toolhive_state *self, int code)
{
    if (code != SQLITE_OK) {
        fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(self->database));
        exit(2);
    }
}

static void *open(quality_corpus *corpus)
{
    toolhive_state *self   = must_alloc(sizeof *self);
    sqlite3_stmt   *insert = NULL;
    words_init(&self->words);
    deft_buffer_init(&self->expression, NULL);
    check(self, sqlite3_open(":memory:", &self->database));
    check(self, sqlite3_exec(self->database,
                             "CREATE VIRTUAL TABLE tools USING fts5(name, description, "
                             "tokenize='porter unicode61'); BEGIN",
                             NULL, NULL, NULL));
    check(self, sqlite3_prepare_v2(self->database,
                                   "INSERT INTO tools(rowid, name, description) VALUES(?, ?, ?)",
                                   -1, &insert, NULL));
    for (size_t i = 0; i < corpus->count; i++) {
        const deft_tool *tool = corpus->tools[i].tool;
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i + 1);
        sqlite3_bind_text(insert, 2, tool->name.data, (int)tool->name.size, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, tool->description.data, (int)tool->description.size,
                          SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) {
            check(self, SQLITE_ERROR);
        }
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    check(self, sqlite3_exec(self->database, "COMMIT", NULL, NULL, NULL));
    check(self, sqlite3_prepare_v2(self->database,
                                   "SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY rank, "
                                   "rowid LIMIT ?",
                                   -1, &self->search, NULL));
    return self;
}

static void close(void *state)
{
    toolhive_state *self = state;
    sqlite3_finalize(self->search);
    sqlite3_close(self->database);
    words_clear(&self->words);
    deft_buffer_clear(&self->expression);
    free(self);
}

static void append_quoted(deft_buffer *out, deft_view word)
{
    deft_buffer_append_text(out, out->size > 0 ? " OR \"" : "\"");
    for (size_t i = 0; i < word.size; i++) {
        deft_buffer_append_text(out, word.data[i] == '"' ? "\"" : "");
        deft_buffer_append_byte(out, word.data[i]);
    }
    deft_buffer_append_byte(out, '"');
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    toolhive_state *self  = state;
    size_t          count = 0;
    words_reset(&self->words);
    words_between(&self->words, query, " \t\n\v\f\r");
    words_drop(&self->words, 0, problematic);
    deft_buffer_reset(&self->expression);
    for (size_t i = 0; i < self->words.count; i++) {
        bool is_repeated = false;
        for (size_t j = 0; j < i; j++) {
            is_repeated = is_repeated ||
                          deft_view_equal(words_at(&self->words, j), words_at(&self->words, i));
        }
        if (!is_repeated) {
            append_quoted(&self->expression, words_at(&self->words, i));
        }
    }
    if (self->expression.size == 0) {
        return 0;
    }
    sqlite3_bind_text(self->search, 1, self->expression.data, (int)self->expression.size,
                      SQLITE_STATIC);
    sqlite3_bind_int64(self->search, 2, (sqlite3_int64)ranked_max);
    while (sqlite3_step(self->search) == SQLITE_ROW) {
        ranked[count++] = (uint32_t)(sqlite3_column_int64(self->search, 0) - 1);
    }
    check(self, sqlite3_reset(self->search));
    return count;
}

const quality_baseline baseline_toolhive = {"ToolHive", false, open, rank, close};
