// sql.h - a few words for SQLite: statements over views. Codes are SQLite's, SQLITE_OK for success.
#ifndef DEFT_STORE_SQL_H
#define DEFT_STORE_SQL_H

#include "deft/view.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

int deft__sql_run(sqlite3 *database, const char *sql); // without parameters or result

// Finalize it with deft__sql_finish(), also when this fails.
int deft__sql_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement);

// Parameters from 1 on. Views must stay until the statement is run. One that is too large for SQLite
// (10^9 bytes) counts as NULL, which no column of ours takes: running the statement then fails.
void deft__sql_bind_text(sqlite3_stmt *statement, int place, deft_view text);
void deft__sql_bind_blob(sqlite3_stmt *statement, int place, deft_view bytes);
void deft__sql_bind_number(sqlite3_stmt *statement, int place, uint64_t number); // up to 2^63 - 1

// Runs a statement without result and makes it ready for the next parameters.
int deft__sql_execute(sqlite3_stmt *statement);

// The next row; false: there is none, or it failed. `code` says which.
bool deft__sql_next(sqlite3_stmt *statement, int *code);

// Columns from 0 on. Borrowed until the next row.
deft_view deft__sql_text(sqlite3_stmt *statement, int column);
uint64_t  deft__sql_number(sqlite3_stmt *statement, int column);

// Ends the statement and hands `code` on.
int deft__sql_finish(sqlite3_stmt *statement, int code);

// The number that a statement of one row and one column gives.
int deft__sql_ask(sqlite3 *database, const char *sql, uint64_t *number);

#endif
