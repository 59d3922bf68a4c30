#include "store/schema.h"

#include <string.h>

// Marks the file as ours (PRAGMA application_id): "deft" in ASCII.
#define APPLICATION_ID      1684366964
#define APPLICATION_ID_TEXT "1684366964"

// All times are seconds since 1970, but for at_ms. STRICT tables need SQLite 3.37; what reads a column
// takes any type, so they would gain nothing.
const char *const deft__schema_steps[] = {
    // 1: what servers offer. `used_at` is when a gateway last asked for it, `checked_at` when the
    // server last said the same, `checksum` finds bytes that the disk changed.
    ("CREATE TABLE secret(bytes BLOB NOT NULL);"
     "CREATE TABLE manifests("
     "  key BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, era TEXT NOT NULL,"
     "  saved_at INTEGER NOT NULL, checked_at INTEGER NOT NULL, used_at INTEGER NOT NULL,"
     "  checksum INTEGER NOT NULL, text BLOB NOT NULL);"),

    // 2: built indexes. Ids grow, so the oldest has the lowest.
    ("CREATE TABLE images("
     "  id INTEGER PRIMARY KEY AUTOINCREMENT, catalog_version INTEGER NOT NULL,"
     "  variant TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE(catalog_version, variant));"),

    // 3: searches and calls, in order. `total` is the size of this row and of all before it, so
    // how much the table holds is known from its first and last row. `usage` outlives what is
    // dropped from the journal.
    ("CREATE TABLE journal("
     "  id INTEGER PRIMARY KEY AUTOINCREMENT, total INTEGER NOT NULL, at_ms INTEGER NOT NULL,"
     "  kind INTEGER NOT NULL, client TEXT NOT NULL, tool TEXT NOT NULL, text TEXT NOT NULL,"
     "  argument_size INTEGER NOT NULL, result_size INTEGER NOT NULL,"
     "  duration_ms INTEGER NOT NULL, found_count INTEGER NOT NULL, outcome TEXT NOT NULL,"
     "  reason TEXT NOT NULL);"
     "CREATE INDEX journal_total ON journal(total);"
     "CREATE TABLE usage("
     "  tool TEXT PRIMARY KEY NOT NULL, calls INTEGER NOT NULL, used_at INTEGER NOT NULL)"
     "  WITHOUT ROWID;"),

    // 4: servers that the user does not trust for now.
    ("CREATE TABLE quarantine("
     "  name TEXT PRIMARY KEY NOT NULL, since INTEGER NOT NULL) WITHOUT ROWID;"),

    // 5: built indexes are files of their own now (images.h), which can be mapped.
    "DROP TABLE images;",

    // 6: with which token a client came, where it came over HTTP.
    "ALTER TABLE journal ADD COLUMN token TEXT NOT NULL DEFAULT '';",
};

const size_t deft__schema_version = sizeof deft__schema_steps / sizeof deft__schema_steps[0];

// All of it at one moment: another process may just be making the tables.
static int read_marks(sqlite3 *database, uint64_t *version, uint64_t *application, uint64_t *tables)
{
    int code = deft__sql_run(database, "SAVEPOINT look");
    if (code != SQLITE_OK) {
        return code;
    }
    code = deft__sql_ask(database, "PRAGMA user_version", version);
    if (code == SQLITE_OK) {
        code = deft__sql_ask(database, "PRAGMA application_id", application);
    }
    if (code == SQLITE_OK) {
        code = deft__sql_ask(database, "SELECT count(*) FROM sqlite_schema", tables);
    }
    const int released = deft__sql_run(database, "RELEASE look");
    return code == SQLITE_OK ? released : code;
}

int deft__schema_look(sqlite3 *database, uint64_t *version)
{
    uint64_t  found       = 0;
    uint64_t  application = 0;
    uint64_t  tables      = 0;
    const int code        = read_marks(database, &found, &application, &tables);
    if (code != SQLITE_OK) {
        return code;
    }
    if (application != APPLICATION_ID && (application != 0 || found != 0 || tables != 0)) {
        return DEFT__STORE_FOREIGN;
    }
    *version = found;
    return found > deft__schema_version ? DEFT__STORE_NEWER : SQLITE_OK;
}

// --- Bringing it up to date. ---------------------------------------------------------------------

static int take_steps(sqlite3 *database, uint64_t version)
{
    char text[48];
    int  code = SQLITE_OK;
    for (uint64_t i = version; code == SQLITE_OK && i < deft__schema_version; i++) {
        code = deft__sql_run(database, deft__schema_steps[i]);
    }
    if (code == SQLITE_OK && version < deft__schema_version) {
        (void)sqlite3_snprintf(sizeof text, text, "PRAGMA user_version = %d",
                               (int)deft__schema_version);
        code = deft__sql_run(database, text);
    }
    return code == SQLITE_OK
               ? deft__sql_run(database, "PRAGMA application_id = " APPLICATION_ID_TEXT)
               : code;
}

static int keep_secret(sqlite3 *database, const unsigned char *secret)
{
    static const char command[] =
        "INSERT INTO secret SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM secret)";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(database, command, &statement);
    if (code == SQLITE_OK) {
        deft__sql_bind_blob(statement, 1,
                            deft_view_make((const char *)secret, DEFT__STORE_SECRET_SIZE));
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

int deft__schema_upgrade(sqlite3 *database, const unsigned char *secret)
{
    uint64_t version = 0;
    int      code    = deft__sql_run(database, "BEGIN IMMEDIATE");
    if (code != SQLITE_OK) {
        return code;
    }
    // Asked again: another process may have been faster.
    code = deft__schema_look(database, &version);
    if (code == SQLITE_OK) {
        code = take_steps(database, version);
    }
    if (code == SQLITE_OK) {
        code = keep_secret(database, secret);
    }
    if (code == SQLITE_OK) {
        code = deft__sql_run(database, "COMMIT");
    }
    if (code != SQLITE_OK) {
        (void)deft__sql_run(database, "ROLLBACK");
    }
    return code;
}

int deft__schema_secret(sqlite3 *database, unsigned char *secret)
{
    static const char command[] = "SELECT bytes FROM secret LIMIT 1";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(database, command, &statement);
    if (code == SQLITE_OK && deft__sql_next(statement, &code)) {
        const deft_view bytes = deft__sql_text(statement, 0);
        if (bytes.size == DEFT__STORE_SECRET_SIZE) {
            memcpy(secret, bytes.data, bytes.size);
        } else {
            code = SQLITE_CORRUPT;
        }
    } else if (code == SQLITE_OK) {
        code = SQLITE_CORRUPT;
    }
    return deft__sql_finish(statement, code);
}
