// The life of a connection. Opening, and moving a damaged file aside, happen under a lock on the
// folder, so that no process meets a new file with the log of an old one beside it. A process that
// has the old file still open finds that it has moved, and opens the new one. (SQLite looks for that
// too when it closes a file, so it does not delete the log of the new one.)
#include "store/database.h"

#include "base/fail.h"
#include "store/file.h"

#include <errno.h>
#include <openssl/rand.h>
#include <stdarg.h>
#include <stdio.h>

// --- Failures. -----------------------------------------------------------------------------------

static bool is_damage(int code)
{
    return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

static bool is_memory(int code)
{
    return (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

void deft__store_note(deft__store *store, deft__trouble trouble, const char *format, ...)
{
    if ((store->told & (1u << trouble)) == 0) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(store->notes[trouble], sizeof store->notes[trouble], format, arguments);
        va_end(arguments);
        store->told |= 1u << trouble;
        store->waiting |= 1u << trouble;
    }
}

// What a code means for the caller, in a sentence; `is_noted`: once for the person too.
deft_status deft__store_fail(deft__store *store, int code, bool is_noted, deft_error *error)
{
    deft_error    inner   = DEFT_ERROR_INIT;
    deft__trouble trouble = DEFT__TROUBLE_OTHER;
    deft__quoted  quoted;
    const char   *path = deft__quote(&quoted, deft_view_of(store->path));
    if (is_memory(code)) {
        return deft__fail_memory(error);
    } else if (code == DEFT__STORE_NEWER) {
        (void)deft__fail(&inner, DEFT_CONFLICT, 0,
                         "%s was written by a newer deft: it is left as it is, and nothing is kept",
                         path);
    } else if (code == DEFT__STORE_FOREIGN) {
        (void)deft__fail(&inner, DEFT_CONFLICT, 0,
                         "%s is a database of another program: it is left as it is; set DEFT_STORE",
                         path);
    } else if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
        trouble = DEFT__TROUBLE_BUSY;
        (void)deft__fail(&inner, DEFT_CONFLICT, 0,
                         "%s is locked by another process: something was not kept", path);
    } else if ((code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_TOOBIG) {
        trouble = DEFT__TROUBLE_FULL;
        (void)deft__fail(&inner, DEFT_LIMIT, 0,
                         "%s: the disk is full, or the limit of the file is reached; nothing more "
                         "is kept",
                         path);
    } else if (is_damage(code)) {
        trouble = DEFT__TROUBLE_DAMAGED;
        (void)deft__fail(&inner, DEFT_INVALID, 0,
                         "%s is damaged and cannot be replaced: it is not used", path);
    } else {
        trouble = DEFT__TROUBLE_UNWRITABLE;
        (void)deft__fail(&inner, DEFT_INVALID, 0, "%s cannot be used (%s): nothing is kept", path,
                         code == DEFT__STORE_OLDER ? "it is of an older deft, and read-only"
                                                   : sqlite3_errstr(code));
    }
    if (is_noted) {
        deft__store_note(store, trouble, "%s", inner.message);
    }
    if (error != NULL) {
        *error = inner;
    }
    return inner.status;
}

// --- Connecting. ---------------------------------------------------------------------------------

void deft__store_disconnect(deft__store *store)
{
    (void)sqlite3_close_v2(store->database);
    store->database     = NULL;
    store->is_read_only = false;
}

static int open_handle(deft__store *store, const char *name, int flags)
{
    int code = sqlite3_open_v2(
        name, &store->database,
        flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE, NULL);
    if (code == SQLITE_OK) {
        (void)sqlite3_busy_timeout(store->database, (int)store->options.busy_ms);
        (void)sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        (void)sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    }
    return code;
}

// The file's own settings. Large pages, since most of the file are large texts: 13 MB of manifests are
// read in 6 ms, and in 12 ms with SQLite's usual 4 KiB. A log beside the file lets others read while one writes; where that does
// not work (network file systems), or another process is just setting it, the file stays as it is.
static int configure(deft__store *store)
{
    char     text[64];
    uint64_t page_size = 4096;
    (void)deft__sql_run(store->database, "PRAGMA page_size = 16384"); // of a new file
    (void)deft__sql_run(store->database, "PRAGMA journal_mode = WAL");
    int code = deft__sql_run(store->database, "PRAGMA synchronous = NORMAL;"
                                              "PRAGMA cell_size_check = ON;"
                                              "PRAGMA temp_store = MEMORY;"
                                              "PRAGMA journal_size_limit = 4194304");
    if (code == SQLITE_OK) {
        code = deft__sql_ask(store->database, "PRAGMA page_size", &page_size);
    }
    if (code == SQLITE_OK) {
        const uint64_t pages = store->options.size_max / (page_size > 0 ? page_size : 4096);
        (void)sqlite3_snprintf(sizeof text, text, "PRAGMA max_page_count = %lld",
                               (sqlite3_int64)(pages < INT32_MAX ? pages + 1 : INT32_MAX));
        code = deft__sql_run(store->database, text);
    }
    return code;
}

// Takes over the file's secret, or gives it ours: a new one, or the one of the file before.
static int share_secret(deft__store *store, uint64_t version)
{
    int code = SQLITE_OK;
    if (!store->has_secret && RAND_bytes(store->secret, sizeof store->secret) != 1) {
        return SQLITE_ERROR;
    }
    if (version < deft__schema_version) {
        code = deft__schema_upgrade(store->database, store->secret);
    }
    if (code == SQLITE_OK && !store->has_secret) {
        code              = deft__schema_secret(store->database, store->secret);
        store->has_secret = code == SQLITE_OK;
    }
    return code;
}

static int code_of_errno(int number)
{
    return number == ENOMEM                       ? SQLITE_NOMEM
           : number == ENOSPC || number == EDQUOT ? SQLITE_FULL
           : number == EROFS                      ? SQLITE_READONLY
           : number == EACCES || number == EPERM  ? SQLITE_PERM
                                                  : SQLITE_CANTOPEN;
}

static int connect_writing(deft__store *store)
{
    uint64_t version = 0;
    int      failure = deft__store_file_make_folders(store->path);
    failure          = failure == 0 ? deft__store_file_prepare(store->path) : failure;
    if (failure != 0) {
        return code_of_errno(failure);
    }
    int code = open_handle(store, store->path, SQLITE_OPEN_READWRITE);
    if (code == SQLITE_OK) {
        code = deft__schema_look(store->database, &version);
    }
    if (code == SQLITE_OK && sqlite3_db_readonly(store->database, "main") == 1) {
        code = SQLITE_READONLY;
    }
    if (code == SQLITE_OK) {
        code = configure(store);
    }
    return code == SQLITE_OK ? share_secret(store, version) : code;
}

// A path as the URI that SQLite wants for `immutable`.
static void append_uri(deft_buffer *out, const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    deft_buffer_append_text(out, "file:");
    for (const char *byte = path; *byte != '\0'; byte++) {
        if (*byte == '%' || *byte == '?' || *byte == '#') {
            deft_buffer_append_byte(out, '%');
            deft_buffer_append_byte(out, digits[((unsigned char)*byte >> 4) & 15]);
            deft_buffer_append_byte(out, digits[(unsigned char)*byte & 15]);
        } else {
            deft_buffer_append_byte(out, *byte);
        }
    }
    deft_buffer_append_text(out, "?immutable=1");
    deft_buffer_append_byte(out, '\0');
}

// Where nothing can be written, a file of our version can still be read: without locks and without
// its log, as of the last time that the log was worked in.
static int connect_reading(deft__store *store)
{
    uint64_t    version = 0;
    deft_buffer uri;
    deft_buffer_init(&uri, NULL);
    append_uri(&uri, store->path);
    int code = uri.status != DEFT_OK
                   ? SQLITE_NOMEM
                   : open_handle(store, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    deft_buffer_clear(&uri);
    if (code == SQLITE_OK) {
        code = deft__schema_look(store->database, &version);
    }
    if (code == SQLITE_OK && version != deft__schema_version) {
        code = DEFT__STORE_OLDER;
    }
    if (code == SQLITE_OK) {
        code = deft__schema_secret(store->database, store->secret);
    }
    store->has_secret   = store->has_secret || code == SQLITE_OK;
    store->is_read_only = code == SQLITE_OK;
    return code;
}

// Whether reading may still work where writing does not.
static bool is_unwritable(int code)
{
    const int kind = code & 0xff;
    return !is_memory(code) && (kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN ||
                                kind == SQLITE_PERM || kind == SQLITE_FULL || kind == SQLITE_IOERR);
}

static int connect_once(deft__store *store)
{
    int code = connect_writing(store);
    if (is_unwritable(code) && deft__store_file_has_content(store->path)) {
        deft__store_disconnect(store);
        const int reading = connect_reading(store);
        if (reading == SQLITE_OK) {
            deft__quoted quoted;
            deft__store_note(store, DEFT__TROUBLE_UNWRITABLE,
                             "%s cannot be written (%s): what it holds is used, nothing is added",
                             deft__quote(&quoted, deft_view_of(store->path)), sqlite3_errstr(code));
        }
        // That reading fails too says less than why writing does.
        code = reading == SQLITE_OK || reading == DEFT__STORE_OLDER ? reading : code;
    }
    if (code != SQLITE_OK) {
        deft__store_disconnect(store);
    }
    return code;
}

// --- A damaged file. -----------------------------------------------------------------------------

// The names that are quarantined, each with a NUL: a decision of the user's, not a cache, so it is
// carried over where it can still be read.
static bool save_quarantine(sqlite3 *database, deft_buffer *names)
{
    static const char command[] = "SELECT name FROM quarantine";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(database, command, &statement);
    while (code == SQLITE_OK && deft__sql_next(statement, &code)) {
        deft_buffer_append(names, deft__sql_text(statement, 0));
        deft_buffer_append_byte(names, '\0');
    }
    return deft__sql_finish(statement, code) == SQLITE_OK && names->status == DEFT_OK;
}

static bool restore_quarantine(sqlite3 *database, const deft_buffer *names)
{
    static const char command[] = "INSERT OR IGNORE INTO quarantine VALUES(?1, 0)";

    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(database, command, &statement);
    for (size_t start = 0; code == SQLITE_OK && start < names->size;) {
        const deft_view name = deft_view_of(names->data + start);
        deft__sql_bind_text(statement, 1, name);
        code = deft__sql_execute(statement);
        start += name.size + 1;
    }
    return deft__sql_finish(statement, code) == SQLITE_OK;
}

// Whether the file behind the connection is not the one that its path names: another process has
// replaced it, or somebody has emptied the cache.
static bool has_moved(const deft__store *store)
{
    int moved = 0;
    return store->database != NULL && !store->is_read_only &&
           sqlite3_file_control(store->database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
               SQLITE_OK &&
           moved != 0;
}

// Puts a new file in place of a damaged one, under the lock. `code` is what was found.
static int replace(deft__store *store, int code)
{
    deft__quoted quoted;
    deft_buffer  names;
    deft_buffer_init(&names, NULL);
    const bool is_saved = store->database != NULL && save_quarantine(store->database, &names);
    deft__store_disconnect(store);
    if (deft__store_file_move_aside(store->path) == 0) {
        code                  = connect_once(store);
        const bool is_carried = code == SQLITE_OK && is_saved && !store->is_read_only &&
                                restore_quarantine(store->database, &names);
        deft__store_note(
            store, DEFT__TROUBLE_DAMAGED,
            "%s was damaged: it was moved to its name with .damaged, and is begun anew%s",
            deft__quote(&quoted, deft_view_of(store->path)),
            is_carried ? "" : "; quarantine servers again where you had any");
    }
    deft_buffer_clear(&names);
    return code;
}

// Opens the file, after closing it where it was open and is damaged (`code`) or has moved.
int deft__store_connect(deft__store *store, int code)
{
    (void)deft__store_file_make_folders(store->path); // the lock is on the folder
    const int lock = deft__store_file_lock(store->path, store->options.busy_ms);
    if (lock == -1) {
        deft__store_disconnect(store);
        return SQLITE_BUSY;
    }
    if (is_damage(code) && !store->is_read_only && !has_moved(store)) {
        code = replace(store, code);
    } else {
        deft__store_disconnect(store);
        code = connect_once(store);
        if (is_damage(code)) {
            code = replace(store, code);
        }
    }
    deft__store_file_unlock(lock);
    return code;
}

// --- Working. ------------------------------------------------------------------------------------

static int attempt(deft__store *store, bool is_write, deft__store_work work, void *context)
{
    if (!is_write) {
        return work(store, context);
    }
    int code = deft__sql_run(store->database, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK) {
        code = work(store, context);
        if (code == SQLITE_OK) {
            code = deft__sql_run(store->database, "COMMIT");
        }
        if (code != SQLITE_OK && sqlite3_get_autocommit(store->database) == 0) {
            (void)deft__sql_run(store->database, "ROLLBACK");
        }
    }
    return code;
}

static deft_status run(deft__store *store, bool is_write, deft__store_work work, void *context,
                       deft_error *error)
{
    if (store == NULL) {
        return DEFT_OK;
    }
    int code = store->database != NULL && !has_moved(store) ? SQLITE_OK
                                                            : deft__store_connect(store, SQLITE_OK);
    if (code == SQLITE_OK && is_write && store->is_read_only) {
        return deft__store_fail(store, SQLITE_READONLY, false, error);
    }
    if (code == SQLITE_OK) {
        code = attempt(store, is_write, work, context);
    }
    if (is_damage(code) && store->is_read_only) {
        deft__store_disconnect(store);
    } else if (is_damage(code)) {
        code = deft__store_connect(store, code);
        if (code == SQLITE_OK && !(is_write && store->is_read_only)) {
            code = attempt(store, is_write, work, context);
        }
    }
    return code == SQLITE_OK ? DEFT_OK : deft__store_fail(store, code, true, error);
}

deft_status deft__store_read(deft__store *store, deft__store_work work, void *context,
                             deft_error *error)
{
    return run(store, false, work, context, error);
}

deft_status deft__store_write(deft__store *store, deft__store_work work, void *context,
                              deft_error *error)
{
    return run(store, true, work, context, error);
}
