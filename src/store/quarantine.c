#include "store/quarantine.h"

#include "store/database.h"

typedef struct setting {
    deft_view name;
    bool      is_quarantined;
    uint64_t  now_s;
} setting;

static int set(deft__store *store, void *context)
{
    const setting *work      = context;
    sqlite3_stmt  *statement = NULL;
    int            code =
        deft__sql_prepare(store->database,
                          work->is_quarantined ? "INSERT OR IGNORE INTO quarantine VALUES(?1, ?2)"
                                               : "DELETE FROM quarantine WHERE name = ?1",
                          &statement);
    if (code == SQLITE_OK) {
        deft__sql_bind_text(statement, 1, work->name);
        if (work->is_quarantined) {
            deft__sql_bind_number(statement, 2, work->now_s);
        }
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__quarantine_set(deft__store *store, deft_view name, bool is_quarantined,
                                 uint64_t now_s, deft_error *error)
{
    setting work = {name, is_quarantined, now_s};
    return deft__store_write(store, set, &work, error);
}

typedef struct listing {
    deft__quarantine_found found;
    void                  *context;
} listing;

static int load(deft__store *store, void *context)
{
    static const char command[] = "SELECT name, since FROM quarantine ORDER BY name";

    const listing *work      = context;
    sqlite3_stmt  *statement = NULL;
    int            code      = deft__sql_prepare(store->database, command, &statement);
    while (code == SQLITE_OK && deft__sql_next(statement, &code)) {
        work->found(work->context, deft__sql_text(statement, 0), deft__sql_number(statement, 1));
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__quarantine_load(deft__store *store, deft__quarantine_found found, void *context,
                                  deft_error *error)
{
    listing work = {found, context};
    return deft__store_read(store, load, &work, error);
}
