#include "store/journal.h"

#include "base/utf8.h"
#include "store/database.h"

// What a row costs beside its texts: eight numbers and SQLite's own bookkeeping, rounded up.
#define ROW_SIZE 96u

#define CLIENT_SIZE_MAX  128u // bytes; names of clients, tools and outcomes are short
#define TOOL_SIZE_MAX    512u
#define OUTCOME_SIZE_MAX 32u

const char *deft__record_kind_name(deft__record_kind kind)
{
    switch (kind) {
    case DEFT__RECORD_SEARCH:
        return "search";
    case DEFT__RECORD_DESCRIBE:
        return "describe";
    case DEFT__RECORD_CALL:
        return "call";
    }
    return "unknown";
}

// --- Appending. ----------------------------------------------------------------------------------

typedef struct appending {
    const deft__record *records;
    size_t              count;
} appending;

static deft_view cut(deft_view text, size_t size_max)
{
    return deft_view_slice(text, 0, deft__utf8_cut(text, size_max));
}

static int insert(deft__store *store, sqlite3_stmt *statement, const deft__record *record,
                  uint64_t *total)
{
    const size_t    text_max = store->options.journal_text_max;
    const deft_view client   = cut(record->client, CLIENT_SIZE_MAX);
    const deft_view token    = cut(record->token, CLIENT_SIZE_MAX);
    const deft_view tool     = cut(record->tool, TOOL_SIZE_MAX);
    const deft_view text     = cut(record->text, text_max);
    const deft_view outcome  = cut(record->outcome, OUTCOME_SIZE_MAX);
    const deft_view reason   = cut(record->reason, text_max);
    *total +=
        ROW_SIZE + client.size + token.size + tool.size + text.size + outcome.size + reason.size;
    deft__sql_bind_number(statement, 1, *total);
    deft__sql_bind_number(statement, 2, record->at_ms);
    deft__sql_bind_number(statement, 3, (uint64_t)record->kind);
    deft__sql_bind_text(statement, 4, client);
    deft__sql_bind_text(statement, 5, tool);
    deft__sql_bind_text(statement, 6, text);
    deft__sql_bind_number(statement, 7, record->argument_size);
    deft__sql_bind_number(statement, 8, record->result_size);
    deft__sql_bind_number(statement, 9, record->duration_ms);
    deft__sql_bind_number(statement, 10, record->found_count);
    deft__sql_bind_text(statement, 11, outcome);
    deft__sql_bind_text(statement, 12, reason);
    deft__sql_bind_text(statement, 13, token);
    return deft__sql_execute(statement);
}

static int append_rows(deft__store *store, const appending *work, uint64_t *total)
{
    static const char command[] =
        "INSERT INTO journal(total, at_ms, kind, client, tool, text, argument_size,"
        " result_size, duration_ms, found_count, outcome, reason, token)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(store->database, command, &statement);
    for (size_t i = 0; code == SQLITE_OK && i < work->count; i++) {
        code = insert(store, statement, &work->records[i], total);
    }
    return deft__sql_finish(statement, code);
}

static bool is_use(const deft__record *record)
{
    return record->kind == DEFT__RECORD_CALL && record->tool.size > 0 &&
           record->tool.size <= TOOL_SIZE_MAX &&
           (deft_view_equals(record->outcome, "ok") ||
            deft_view_equals(record->outcome, "tool-error"));
}

static int count_uses(deft__store *store, const appending *work)
{
    static const char command[] = "INSERT INTO usage VALUES(?1, 1, ?2) ON CONFLICT(tool)"
                                  " DO UPDATE SET calls = calls + 1, used_at = max(used_at, ?2)";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(store->database, command, &statement);
    for (size_t i = 0; code == SQLITE_OK && i < work->count; i++) {
        if (is_use(&work->records[i])) {
            deft__sql_bind_text(statement, 1, work->records[i].tool);
            deft__sql_bind_number(statement, 2, work->records[i].at_ms / 1000);
            code = deft__sql_execute(statement);
        }
    }
    return deft__sql_finish(statement, code);
}

static int delete_up_to(deft__store *store, const char *command, uint64_t bound)
{
    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(store->database, command, &statement);
    if (code == SQLITE_OK) {
        deft__sql_bind_number(statement, 1, bound);
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

// Ids have no gaps, since only the oldest rows go: the newest id says how many there are too many. The
// row that reaches over the limit on sizes stays, so there may be one row more than that.
static int rotate(deft__store *store, uint64_t total)
{
    const uint64_t rows_max = store->options.journal_rows_max;
    const uint64_t size_max = store->options.journal_size_max;
    uint64_t       newest   = 0;
    int            code = deft__sql_ask(store->database, "SELECT max(id) FROM journal", &newest);
    if (code == SQLITE_OK && newest > rows_max) {
        code = delete_up_to(store, "DELETE FROM journal WHERE id <= ?1", newest - rows_max);
    }
    if (code == SQLITE_OK && total > size_max) {
        code = delete_up_to(store, "DELETE FROM journal WHERE total <= ?1", total - size_max);
    }
    return code;
}

static int append(deft__store *store, void *context)
{
    const appending *work  = context;
    uint64_t         total = 0;
    int code = deft__sql_ask(store->database, "SELECT total FROM journal ORDER BY id DESC LIMIT 1",
                             &total);
    code     = code == SQLITE_OK ? append_rows(store, work, &total) : code;
    code     = code == SQLITE_OK ? count_uses(store, work) : code;
    return code == SQLITE_OK ? rotate(store, total) : code;
}

deft_status deft__journal_append(deft__store *store, const deft__record *records, size_t count,
                                 deft_error *error)
{
    appending work = {records, count};
    return count > 0 ? deft__store_write(store, append, &work, error) : DEFT_OK;
}

// --- Reading back. -------------------------------------------------------------------------------

typedef struct reading {
    size_t             count;
    unsigned           kinds;
    deft__record_found found;
    void              *context;
} reading;

static deft__record record_of(sqlite3_stmt *statement)
{
    const uint64_t kind = deft__sql_number(statement, 1);
    return (deft__record){
        .at_ms         = deft__sql_number(statement, 0),
        .kind          = kind <= DEFT__RECORD_CALL ? (deft__record_kind)kind : DEFT__RECORD_CALL,
        .client        = deft__sql_text(statement, 2),
        .tool          = deft__sql_text(statement, 3),
        .text          = deft__sql_text(statement, 4),
        .argument_size = deft__sql_number(statement, 5),
        .result_size   = deft__sql_number(statement, 6),
        .duration_ms   = deft__sql_number(statement, 7),
        .found_count   = deft__sql_number(statement, 8),
        .outcome       = deft__sql_text(statement, 9),
        .reason        = deft__sql_text(statement, 10),
        .token         = deft__sql_text(statement, 11),
    };
}

static int read_last(deft__store *store, void *context)
{
    static const char command[] =
        "SELECT at_ms, kind, client, tool, text, argument_size, result_size, duration_ms,"
        " found_count, outcome, reason, token FROM (SELECT * FROM journal"
        " WHERE ?1 = 0 OR ((?1 >> kind) & 1) ORDER BY id DESC LIMIT ?2) ORDER BY id";

    const reading *work      = context;
    sqlite3_stmt  *statement = NULL;
    int            code      = deft__sql_prepare(store->database, command, &statement);
    if (code == SQLITE_OK) {
        deft__sql_bind_number(statement, 1, work->kinds);
        deft__sql_bind_number(statement, 2, work->count);
        while (deft__sql_next(statement, &code)) {
            const deft__record record = record_of(statement);
            work->found(work->context, &record);
        }
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__journal_last(deft__store *store, size_t count, unsigned kinds,
                               deft__record_found found, void *context, deft_error *error)
{
    reading work = {count, kinds, found, context};
    return deft__store_read(store, read_last, &work, error);
}

typedef struct counting {
    const char       *command; // gives names and numbers
    deft__count_found found;
    void             *context;
} counting;

static int read_counts(deft__store *store, void *context)
{
    const counting *work      = context;
    sqlite3_stmt   *statement = NULL;
    int             code      = deft__sql_prepare(store->database, work->command, &statement);
    while (code == SQLITE_OK && deft__sql_next(statement, &code)) {
        work->found(work->context, deft__sql_text(statement, 0), deft__sql_number(statement, 1));
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__journal_count(deft__store *store, deft__count_by by, deft__count_found found,
                                void *context, deft_error *error)
{
    static const char *const commands[] = {
        [DEFT__COUNT_BY_TOOL]    = "SELECT tool, count(*) FROM journal WHERE tool <> ''"
                                   " GROUP BY tool ORDER BY 2 DESC, 1",
        [DEFT__COUNT_BY_OUTCOME] = "SELECT outcome, count(*) FROM journal"
                                   " GROUP BY outcome ORDER BY 2 DESC, 1",
    };
    counting work = {commands[by], found, context};
    return deft__store_read(store, read_counts, &work, error);
}

deft_status deft__usage_load(deft__store *store, deft__count_found found, void *context,
                             deft_error *error)
{
    counting work = {"SELECT tool, calls FROM usage ORDER BY calls DESC, tool", found, context};
    return deft__store_read(store, read_counts, &work, error);
}
