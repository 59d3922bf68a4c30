#include "store/manifests.h"

#include "store/database.h"

// Finds bytes that the disk changed: SQLite sees damaged structure, but not a changed byte inside a
// text. Fletcher's two sums over 8 bytes at a time, since 10 MB are to be checked at a start (a hash
// took 10 ms for that). Not against a forger: whoever can write the file can write its checksums.
static uint64_t checksum_of(deft_view text)
{
    uint64_t first  = text.size;
    uint64_t second = 0;
    for (size_t i = 0; i < text.size; i += sizeof(uint64_t)) {
        uint64_t     word = 0;
        const size_t left = text.size - i;
        memcpy(&word, text.data + i, left < sizeof word ? left : sizeof word);
        first += word;
        second += first;
    }
    return (first ^ (second << 32 | second >> 32)) & INT64_MAX; // SQLite's numbers have a sign
}

static deft_view key_view(const deft__store_key *key)
{
    return deft_view_make((const char *)key->bytes, sizeof key->bytes);
}

// --- Loading. ------------------------------------------------------------------------------------

typedef struct loading {
    const deft__store_key *keys;
    size_t                 count;
    const deft_view       *texts; // NULL: none
    deft__manifest_found   found;
    void                  *context;
} loading;

// Calls `found` with the row's manifest, whose text is this one.
static void give(const loading *work, size_t place, sqlite3_stmt *row, deft_view text,
                 bool is_mapped)
{
    const deft__kept_manifest manifest = {
        .name       = deft__sql_text(row, 0),
        .era        = deft__sql_text(row, 1),
        .saved_at   = deft__sql_number(row, 2),
        .checked_at = deft__sql_number(row, 3),
        .used_at    = deft__sql_number(row, 4),
        .text       = text,
        .is_mapped  = is_mapped,
    };
    work->found(work->context, place, &manifest);
}

// Whether the caller's text is the one of this row. Its size is known without reading it.
static bool is_in_hand(const loading *work, size_t place, sqlite3_stmt *row)
{
    return work->texts != NULL && work->texts[place].size > 0 &&
           work->texts[place].size == deft__sql_number(row, 6) &&
           checksum_of(work->texts[place]) == deft__sql_number(row, 5);
}

static int read_text(deft__store *store, const loading *work, size_t place, sqlite3_stmt *row,
                     sqlite3_stmt *texts)
{
    int code = SQLITE_OK;
    (void)sqlite3_bind_int64(texts, 1, sqlite3_column_int64(row, 7));
    if (deft__sql_next(texts, &code)) {
        const deft_view text = deft__sql_text(texts, 0);
        if (checksum_of(text) == deft__sql_number(texts, 1)) {
            give(work, place, row, text, false);
        } else {
            deft__store_note(
                store, DEFT__TROUBLE_OTHER,
                "%s: what was kept of a server has changed on the disk; it is asked again",
                store->path);
        }
    }
    (void)sqlite3_reset(texts);
    return code;
}

static int load(deft__store *store, void *context)
{
    static const char rows_command[] =
        "SELECT name, era, saved_at, checked_at, used_at, checksum, length(text), rowid"
        " FROM manifests WHERE key = ?1";
    // With its own checksum: another process may have put in a new one in between.
    static const char texts_command[] = "SELECT text, checksum FROM manifests WHERE rowid = ?1";

    const loading *work  = context;
    sqlite3_stmt  *rows  = NULL;
    sqlite3_stmt  *texts = NULL;
    int            code  = deft__sql_prepare(store->database, rows_command, &rows);
    if (code == SQLITE_OK) {
        code = deft__sql_prepare(store->database, texts_command, &texts);
    }
    for (size_t i = 0; code == SQLITE_OK && i < work->count; i++) {
        deft__sql_bind_blob(rows, 1, key_view(&work->keys[i]));
        if (deft__sql_next(rows, &code)) {
            if (is_in_hand(work, i, rows)) {
                give(work, i, rows, work->texts[i], true);
            } else {
                code = read_text(store, work, i, rows, texts);
            }
        }
        (void)sqlite3_reset(rows);
    }
    code = deft__sql_finish(texts, code);
    return deft__sql_finish(rows, code);
}

deft_status deft__manifests_load(deft__store *store, const deft__store_key *keys, size_t count,
                                 const deft_view *texts, deft__manifest_found found, void *context,
                                 deft_error *error)
{
    loading work = {keys, count, texts, found, context};
    return deft__store_read(store, load, &work, error);
}

// --- Saving. -------------------------------------------------------------------------------------

typedef struct saving {
    const deft__store_key     *key;
    const deft__kept_manifest *manifest;
    uint64_t                   checksum;
} saving;

// The text itself is compared: one that the disk has changed is not what the server says.
static int confirm(deft__store *store, const saving *work)
{
    static const char command[] =
        "UPDATE manifests SET era = ?2, checked_at = ?3, used_at = max(used_at, ?3), checksum = ?4"
        " WHERE key = ?1 AND text = ?5";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(store->database, command, &statement);
    if (code == SQLITE_OK) {
        deft__sql_bind_blob(statement, 1, key_view(work->key));
        deft__sql_bind_text(statement, 2, work->manifest->era);
        deft__sql_bind_number(statement, 3, work->manifest->checked_at);
        deft__sql_bind_number(statement, 4, work->checksum);
        deft__sql_bind_blob(statement, 5, work->manifest->text);
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

static int save(deft__store *store, void *context)
{
    const saving *work      = context;
    sqlite3_stmt *statement = NULL;
    int           code      = confirm(store, work);
    if (code != SQLITE_OK || sqlite3_changes(store->database) > 0) {
        return code;
    }
    code = deft__sql_prepare(store->database,
                             "INSERT OR REPLACE INTO manifests"
                             "(key, name, era, saved_at, checked_at, used_at, checksum, text)"
                             " VALUES(?1, ?2, ?3, ?4, ?4, ?4, ?5, ?6)",
                             &statement);
    if (code == SQLITE_OK) {
        deft__sql_bind_blob(statement, 1, key_view(work->key));
        deft__sql_bind_text(statement, 2, work->manifest->name);
        deft__sql_bind_text(statement, 3, work->manifest->era);
        deft__sql_bind_number(statement, 4, work->manifest->checked_at);
        deft__sql_bind_number(statement, 5, work->checksum);
        deft__sql_bind_blob(statement, 6, work->manifest->text);
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__manifest_save(deft__store *store, const deft__store_key *key,
                                const deft__kept_manifest *manifest, deft_error *error)
{
    saving work = {key, manifest, checksum_of(manifest->text)};
    return deft__store_write(store, save, &work, error);
}

// --- By key alone. -------------------------------------------------------------------------------

typedef struct marking {
    const deft__store_key *keys;
    size_t                 count;
    const char            *command; // ?1 is the key, ?2 the time
    uint64_t               now_s;
} marking;

static int mark(deft__store *store, void *context)
{
    const marking *work      = context;
    sqlite3_stmt  *statement = NULL;
    int            code      = deft__sql_prepare(store->database, work->command, &statement);
    for (size_t i = 0; code == SQLITE_OK && i < work->count; i++) {
        deft__sql_bind_blob(statement, 1, key_view(&work->keys[i]));
        deft__sql_bind_number(statement, 2, work->now_s);
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__manifest_forget(deft__store *store, const deft__store_key *key, deft_error *error)
{
    marking work = {key, 1, "DELETE FROM manifests WHERE key = ?1", 0};
    return deft__store_write(store, mark, &work, error);
}

deft_status deft__manifests_touch(deft__store *store, const deft__store_key *keys, size_t count,
                                  uint64_t now_s, deft_error *error)
{
    marking work = {keys, count, "UPDATE manifests SET used_at = max(used_at, ?2) WHERE key = ?1",
                    now_s};
    return deft__store_write(store, mark, &work, error);
}
