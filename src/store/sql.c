#include "store/sql.h"

int deft__sql_run(sqlite3 *database, const char *sql)
{
    return sqlite3_exec(database, sql, NULL, NULL, NULL);
}

int deft__sql_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement)
{
    *statement = NULL;
    return sqlite3_prepare_v2(database, sql, -1, statement, NULL);
}

void deft__sql_bind_text(sqlite3_stmt *statement, int place, deft_view text)
{
    (void)sqlite3_bind_text64(statement, place, text.size > 0 ? text.data : "", text.size,
                              SQLITE_STATIC, SQLITE_UTF8);
}

void deft__sql_bind_blob(sqlite3_stmt *statement, int place, deft_view bytes)
{
    (void)sqlite3_bind_blob64(statement, place, bytes.size > 0 ? bytes.data : "", bytes.size,
                              SQLITE_STATIC);
}

void deft__sql_bind_number(sqlite3_stmt *statement, int place, uint64_t number)
{
    (void)sqlite3_bind_int64(statement, place,
                             number < INT64_MAX ? (sqlite3_int64)number : INT64_MAX);
}

int deft__sql_execute(sqlite3_stmt *statement)
{
    (void)sqlite3_step(statement);
    return sqlite3_reset(statement); // gives the code of the step, in full
}

bool deft__sql_next(sqlite3_stmt *statement, int *code)
{
    const int step = sqlite3_step(statement);
    *code          = step == SQLITE_ROW || step == SQLITE_DONE ? SQLITE_OK : step;
    return step == SQLITE_ROW;
}

deft_view deft__sql_text(sqlite3_stmt *statement, int column)
{
    // The pointer first: asking for it may change the size.
    const char *data = sqlite3_column_blob(statement, column);
    const int   size = sqlite3_column_bytes(statement, column);
    return deft_view_make(data, data != NULL ? (size_t)size : 0);
}

uint64_t deft__sql_number(sqlite3_stmt *statement, int column)
{
    const sqlite3_int64 number = sqlite3_column_int64(statement, column);
    return number > 0 ? (uint64_t)number : 0;
}

int deft__sql_finish(sqlite3_stmt *statement, int code)
{
    (void)sqlite3_finalize(statement);
    return code;
}

int deft__sql_ask(sqlite3 *database, const char *sql, uint64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(database, sql, &statement);
    if (code == SQLITE_OK && deft__sql_next(statement, &code)) {
        *number = deft__sql_number(statement, 0);
    }
    return deft__sql_finish(statement, code);
}
