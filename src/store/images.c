#include "store/images.h"

#include "base/fail.h"
#include "store/database.h"

typedef struct image_work {
    uint64_t     catalog_version;
    deft_view    variant;
    deft_view    bytes;     // to save
    deft_buffer *out;       // to load into
    bool         is_newest; // of any catalog
    bool         is_found;
} image_work;

// All 64 bits of a version, in SQLite's signed number.
static void bind_name(sqlite3_stmt *statement, const image_work *work)
{
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)work->catalog_version);
    deft__sql_bind_text(statement, 2, work->variant);
}

// --- Loading. ------------------------------------------------------------------------------------

// Reads the bytes where they belong, instead of through SQLite's memory: an image of 10,000 tools is
// several MB.
static int read_bytes(sqlite3 *database, sqlite3_int64 id, deft_buffer *out)
{
    sqlite3_blob *blob = NULL;
    int           code = sqlite3_blob_open(database, "main", "images", "bytes", id, 0, &blob);
    if (code == SQLITE_OK) {
        const int size = sqlite3_blob_bytes(blob);
        if (!deft_buffer_reserve(out, (size_t)size)) {
            code = SQLITE_NOMEM;
        } else if (size > 0) {
            code = sqlite3_blob_read(blob, out->data + out->size, size, 0);
            out->size += code == SQLITE_OK ? (size_t)size : 0;
        }
    }
    (void)sqlite3_blob_close(blob);
    return code;
}

static int load(deft__store *store, void *context)
{
    static const char command[] =
        "SELECT id FROM images WHERE (?3 OR catalog_version = ?1) AND variant = ?2"
        " ORDER BY id DESC LIMIT 1";

    image_work   *work      = context;
    sqlite3_stmt *statement = NULL;
    int           code      = deft__sql_prepare(store->database, command, &statement);
    work->is_found          = false;
    if (code == SQLITE_OK) {
        bind_name(statement, work);
        deft__sql_bind_number(statement, 3, work->is_newest ? 1 : 0);
        if (deft__sql_next(statement, &code)) {
            code = read_bytes(store->database, sqlite3_column_int64(statement, 0), work->out);
            work->is_found = code == SQLITE_OK;
        }
    }
    return deft__sql_finish(statement, code);
}

static deft_status find(deft__store *store, image_work *work, deft_error *error)
{
    const deft_status status = deft__store_read(store, load, work, error);
    if (status == DEFT_OK && !work->is_found) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "no index of this catalog is kept");
    }
    return status;
}

deft_status deft__image_load(deft__store *store, uint64_t catalog_version, deft_view variant,
                             deft_buffer *image, deft_error *error)
{
    image_work work = {.catalog_version = catalog_version, .variant = variant, .out = image};
    return find(store, &work, error);
}

deft_status deft__image_load_newest(deft__store *store, deft_view variant, deft_buffer *image,
                                    deft_error *error)
{
    image_work work = {.variant = variant, .out = image, .is_newest = true};
    return find(store, &work, error);
}

// --- Saving. -------------------------------------------------------------------------------------

static int save(deft__store *store, void *context)
{
    static const char command[] =
        "DELETE FROM images WHERE (catalog_version = ?1 AND variant = ?2) OR id NOT IN"
        " (SELECT id FROM images WHERE NOT (catalog_version = ?1 AND variant = ?2)"
        " ORDER BY id DESC LIMIT ?3)";

    const image_work *work      = context;
    sqlite3_stmt     *statement = NULL;
    // The older ones go first: a file at its limit has their room then.
    int code = deft__sql_prepare(store->database, command, &statement);
    if (code == SQLITE_OK) {
        bind_name(statement, work);
        deft__sql_bind_number(statement, 3, DEFT__IMAGES_MAX - 1);
        code = deft__sql_execute(statement);
    }
    code = deft__sql_finish(statement, code);
    if (code != SQLITE_OK) {
        return code;
    }
    code = deft__sql_prepare(
        store->database, "INSERT INTO images(catalog_version, variant, bytes) VALUES(?1, ?2, ?3)",
        &statement);
    if (code == SQLITE_OK) {
        bind_name(statement, work);
        deft__sql_bind_blob(statement, 3, work->bytes);
        code = deft__sql_execute(statement);
    }
    return deft__sql_finish(statement, code);
}

deft_status deft__image_save(deft__store *store, uint64_t catalog_version, deft_view variant,
                             deft_view image, deft_error *error)
{
    image_work work = {.catalog_version = catalog_version, .variant = variant, .bytes = image};
    return deft__store_write(store, save, &work, error);
}
