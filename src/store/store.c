#include "store/store.h"

#include "base/fail.h"
#include "base/memory.h"
#include "store/database.h"
#include "store/file.h"

#include <stdlib.h>
#include <string.h>

static const deft__store_options defaults = {
    .size_max         = 1024u * 1024 * 1024,
    .busy_ms          = 250,
    .journal_rows_max = 50000,
    .journal_size_max = 16u * 1024 * 1024,
    .journal_text_max = 2048,
};

bool deft__store_path(const char *choice, const char *cache_home, const char *home,
                      deft_buffer *path)
{
    if (choice != NULL && strcmp(choice, "none") == 0) {
        return false;
    } else if (choice != NULL && choice[0] != '\0') {
        deft_buffer_append_text(path, choice);
    } else if (cache_home != NULL && cache_home[0] == '/') { // a relative one is to be ignored
        deft_buffer_append_text(path, cache_home);
        deft_buffer_append_text(path, "/deft/deft.db");
    } else if (home != NULL && home[0] != '\0') {
        deft_buffer_append_text(path, home);
        deft_buffer_append_text(path, "/.cache/deft/deft.db");
    } else {
        return false;
    }
    deft_buffer_append_byte(path, '\0');
    return path->status == DEFT_OK;
}

static deft__store_options fill(const deft__store_options *options)
{
    deft__store_options filled = options != NULL ? *options : defaults;
    filled.size_max            = filled.size_max > 0 ? filled.size_max : defaults.size_max;
    filled.busy_ms             = filled.busy_ms > 0 ? filled.busy_ms : defaults.busy_ms;
    filled.journal_rows_max =
        filled.journal_rows_max > 0 ? filled.journal_rows_max : defaults.journal_rows_max;
    filled.journal_size_max =
        filled.journal_size_max > 0 ? filled.journal_size_max : defaults.journal_size_max;
    filled.journal_text_max =
        filled.journal_text_max > 0 ? filled.journal_text_max : defaults.journal_text_max;
    return filled;
}

deft__store *deft__store_open(const char *path, const deft__store_options *options,
                              deft_error *error)
{
    deft__quoted quoted;
    deft_buffer  absolute;
    deft_buffer_init(&absolute, NULL);
    deft__store_file_absolute(path, &absolute);
    deft__store *store = deft__new(NULL, sizeof *store);
    if (store == NULL || absolute.status != DEFT_OK) {
        deft_buffer_clear(&absolute);
        deft__free(NULL, store, sizeof *store);
        (void)deft__fail_memory(error);
        return NULL;
    } else if (absolute.size == 0 || path[0] == '\0') {
        deft_buffer_clear(&absolute);
        deft__free(NULL, store, sizeof *store);
        (void)deft__fail(error, DEFT_INVALID, 0, "'%s' is no place for a file: nothing is kept",
                         deft__quote(&quoted, deft_view_of(path)));
        return NULL;
    }
    store->path    = strdup(absolute.data);
    store->options = fill(options);
    deft_buffer_clear(&absolute);
    const int code = store->path != NULL ? deft__store_connect(store, SQLITE_OK) : SQLITE_NOMEM;
    if (code != SQLITE_OK) {
        if (store->path != NULL) {
            (void)deft__store_fail(store, code, false, error);
        } else {
            (void)deft__fail_memory(error);
        }
        deft__store_close(store);
        return NULL;
    }
    return store;
}

void deft__store_close(deft__store *store)
{
    if (store != NULL) {
        deft__store_disconnect(store);
        free(store->path);
        memset(store->secret, 0, sizeof store->secret);
        deft__free(NULL, store, sizeof *store);
    }
}

const char *deft__store_path_of(const deft__store *store)
{
    return store != NULL ? store->path : "";
}

bool deft__store_is_read_only(const deft__store *store)
{
    return store != NULL && store->is_read_only;
}

deft_view deft__store_take_note(deft__store *store)
{
    for (unsigned i = 0; store != NULL && i < DEFT__TROUBLE_COUNT; i++) {
        if ((store->waiting & (1u << i)) != 0) {
            store->waiting &= ~(1u << i);
            return deft_view_of(store->notes[i]);
        }
    }
    return deft_view_make("", 0);
}

// --- Pruning. ------------------------------------------------------------------------------------

static int prune(deft__store *store, void *context)
{
    static const char *const commands[] = {"DELETE FROM manifests WHERE used_at < ?1",
                                           "DELETE FROM usage WHERE used_at < ?1"};
    const uint64_t           before     = *(const uint64_t *)context;
    int                      code       = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof commands / sizeof commands[0]; i++) {
        sqlite3_stmt *statement = NULL;
        code                    = deft__sql_prepare(store->database, commands[i], &statement);
        if (code == SQLITE_OK) {
            deft__sql_bind_number(statement, 1, before);
            code = deft__sql_execute(statement);
        }
        code = deft__sql_finish(statement, code);
    }
    return code;
}

deft_status deft__store_prune(deft__store *store, uint64_t now_s, deft_error *error)
{
    uint64_t before = now_s > DEFT__STORE_KEPT_S ? now_s - DEFT__STORE_KEPT_S : 0;
    return deft__store_write(store, prune, &before, error);
}
