// What becomes of a connection when the file beneath it is damaged, moved or deleted, and when
// there is no memory.
#include "store/database.h"

#include "store/file.h"
#include "store/journal.h"
#include "store/manifests.h"
#include "store/quarantine.h"
#include "support/folder.h"
#include "support/test.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

static int set_up(void **state)
{
    static test_folder folder;
    test_folder_init(&folder);
    *state = &folder;
    return 0;
}

static int tear_down(void **state)
{
    test_folder_clear(*state);
    return 0;
}

static deft__store *open_in(test_folder *folder)
{
    const deft__store_options options = {.busy_ms = 1};
    deft_error                error   = DEFT_ERROR_INIT;
    deft__store *store = deft__store_open(test_folder_join(folder, "deft.db"), &options, &error);
    if (store == NULL) {
        print_error("%s\n", error.message);
    }
    assert_non_null(store);
    assert(store != NULL); // for the analyzer, which does not know cmocka
    return store;
}

static deft_status append(deft__store *store, deft_error *error)
{
    const deft__record record = {
        .kind = DEFT__RECORD_CALL, .tool = deft_view_of("a::b"), .outcome = deft_view_of("ok")};
    return deft__journal_append(store, &record, 1, error);
}

static void add_name(void *context, deft_view name, uint64_t number)
{
    (void)number;
    deft_buffer_append(context, name);
    deft_buffer_append_byte(context, ' ');
}

static void expect_quarantined(deft__store *store, const char *names)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer found;
    deft_buffer_init(&found, NULL);
    assert_ok(deft__quarantine_load(store, add_name, &found, &error), error);
    assert_view_equal(deft_buffer_view(&found), names);
    deft_buffer_clear(&found);
}

static void expect_note(deft__store *store, const char *part)
{
    char            text[DEFT_ERROR_MESSAGE_SIZE];
    const deft_view note = deft__store_take_note(store);
    snprintf(text, sizeof text, "%.*s", (int)note.size, note.data);
    if (strstr(text, part) == NULL) {
        print_error("'%s' does not say '%s'\n", text, part);
        fail();
    }
}

// Many pages of journal and manifests, a quarantined server, all in the file itself.
static void fill(test_folder *folder)
{
    static char  filling[300000];
    deft_error   error = DEFT_ERROR_INIT;
    deft__store *store = open_in(folder);
    assert_ok(deft__quarantine_set(store, deft_view_of("slack"), true, 7, &error), error);
    for (int i = 0; i < 200; i++) {
        assert_ok(append(store, &error), error);
    }
    const deft_server_config  server   = {.name = deft_view_of("large")};
    const deft__kept_manifest manifest = {.name = server.name,
                                          .text = deft_view_make(filling, sizeof filling)};
    deft__store_key           key;
    assert_true(deft__store_key_of(store, &server, &key));
    assert_ok(deft__manifest_save(store, &key, &manifest, &error), error);
    deft__store_close(store);
}

static void ignore_manifest(void *context, size_t place, const deft__kept_manifest *manifest)
{
    (void)context;
    (void)place;
    (void)manifest;
}

// Everything that can be asked; nothing of it may fail for damage.
static void use_all(deft__store *store)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_ok(append(store, &error), error);
    assert_ok(deft__usage_load(store, add_name, &out, &error), error);
    assert_ok(deft__journal_count(store, DEFT__COUNT_BY_OUTCOME, add_name, &out, &error), error);
    const deft_server_config  server   = {.name = deft_view_of("large")};
    const deft__kept_manifest manifest = {.name = server.name, .text = deft_view_of("{}")};
    deft__store_key           key;
    assert_true(deft__store_key_of(store, &server, &key));
    assert_ok(deft__manifests_load(store, &key, 1, NULL, ignore_manifest, NULL, &error), error);
    assert_ok(deft__manifest_save(store, &key, &manifest, &error), error);
    assert_ok(deft__store_prune(store, 1000, &error), error);
    assert_ok(deft__quarantine_load(store, add_name, &out, &error), error);
    deft_buffer_clear(&out);
}

// --- A damaged file. -----------------------------------------------------------------------------

#define PAGE 16384

static const struct {
    const char *name;
    off_t       cut_to; // 0: not cut
    off_t       from;   // bytes that are overwritten; 0 to 0: none
    off_t       to;
} damages[] = {
    {"cut in the first page", 1000, 0, 0},
    {"cut after the first page", PAGE, 0, 0},
    {"cut in the middle of a page", 50000, 0, 0},
    {"the first bytes overwritten", 0, 0, 16},
    {"the header overwritten", 0, 16, 100},
    {"the table of tables overwritten", 0, 100, PAGE},
    {"the second page overwritten", 0, PAGE, 2 * PAGE},
    {"everything but the first page overwritten", 0, PAGE, 300000},
    {"everything overwritten", 0, 0, 300000},
};

static void a_damaged_file_is_replaced(void **state)
{
    test_folder *folder = *state;
    static char  junk[300000];
    memset(junk, 0xa5, sizeof junk);
    for (size_t i = 0; i < array_size(damages); i++) {
        case_name(damages[i].name);
        const char *path = test_folder_join(folder, "deft.db");
        (void)unlink(path);
        fill(folder);
        if (damages[i].cut_to > 0) {
            test_file_cut(path, damages[i].cut_to);
        }
        test_file_overwrite(path, damages[i].from,
                            deft_view_make(junk, (size_t)(damages[i].to - damages[i].from)));
        deft__store *store = open_in(folder);
        use_all(store);
        expect_note(store, "was damaged");
        expect_note(store, "");
        deft__store_close(store);
        store = open_in(folder);
        use_all(store);
        assert_view_equal(deft__store_take_note(store), "");
        deft__store_close(store);
        assert_true(test_file_size(test_folder_join(folder, "deft.db.damaged")) > 0);
    }
}

static void any_run_of_bytes_may_be_damaged(void **state)
{
    test_folder *folder = *state;
    static char  junk[512];
    memset(junk, 0x5a, sizeof junk);
    for (off_t from = 0; from < 13 * PAGE; from += 21000) {
        const char *path = test_folder_join(folder, "deft.db");
        (void)unlink(path);
        fill(folder);
        test_file_overwrite(path, from, deft_view_make(junk, sizeof junk));
        deft__store *store = open_in(folder);
        use_all(store); // whether it is noticed or not
        deft__store_close(store);
    }
}

static void what_is_quarantined_survives_where_it_can_be_read(void **state)
{
    test_folder *folder = *state;
    static char  junk[PAGE];
    memset(junk, 0xa5, sizeof junk);
    fill(folder);
    // The page of the journal's table is not the one of the quarantine.
    deft__store *store = open_in(folder);
    uint64_t     page  = 0;
    assert_int_equal(deft__sql_ask(store->database,
                                   "SELECT rootpage FROM sqlite_schema WHERE name = 'usage'",
                                   &page),
                     SQLITE_OK);
    deft__store_close(store);
    test_file_overwrite(test_folder_join(folder, "deft.db"), (off_t)(page - 1) * PAGE,
                        deft_view_make(junk, sizeof junk));
    store = open_in(folder);
    unsigned char secret[DEFT__STORE_SECRET_SIZE];
    memcpy(secret, store->secret, sizeof secret);
    expect_quarantined(store, "slack ");
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(append(store, &error), error); // meets the damage
    expect_note(store, "was damaged");
    expect_quarantined(store, "slack ");
    assert_memory_equal(secret, store->secret, sizeof secret); // keys stay what they are
    deft__store_close(store);
    store = open_in(folder);
    assert_memory_equal(secret, store->secret, sizeof secret);
    expect_quarantined(store, "slack ");
    deft__store_close(store);
}

static void a_store_without_its_secret_is_damaged(void **state)
{
    test_folder *folder = *state;
    deft__store *store  = open_in(folder);
    assert_int_equal(deft__sql_run(store->database, "UPDATE secret SET bytes = x'00'"), SQLITE_OK);
    deft__store_close(store);
    store = open_in(folder);
    expect_note(store, "was damaged");
    assert_int_equal(deft__sql_run(store->database, "DELETE FROM secret"), SQLITE_OK);
    deft__store_close(store);
    store = open_in(folder);
    expect_note(store, "was damaged");
    use_all(store);
    deft__store_close(store);
}

static void damage_that_cannot_be_moved_is_told(void **state)
{
    test_folder *folder = *state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft__store *store  = open_in(folder);
    store->is_read_only = true; // as on a disk that cannot be written
    assert_int_equal(deft__sql_run(store->database, "PRAGMA writable_schema = ON"), SQLITE_OK);
    deft__store_note(store, DEFT__TROUBLE_OTHER, "%s", "something else");
    expect_note(store, "something else");
    assert_int_equal(deft__store_fail(store, SQLITE_CORRUPT, true, &error), DEFT_INVALID);
    expect_note(store, "cannot be replaced");
    deft__store_close(store);
}

// --- A file that goes away. ----------------------------------------------------------------------

static void a_file_that_is_deleted_is_made_again(void **state)
{
    test_folder *folder = *state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft__store *store  = open_in(folder);
    assert_ok(append(store, &error), error);
    assert_int_equal(unlink(test_folder_join(folder, "deft.db")), 0);
    (void)unlink(test_folder_join(folder, "deft.db-wal"));
    (void)unlink(test_folder_join(folder, "deft.db-shm"));
    assert_ok(append(store, &error), error);
    deft__store_close(store);
    assert_true(test_file_size(test_folder_join(folder, "deft.db")) > 0);
}

static void a_file_that_another_replaced_is_opened(void **state)
{
    test_folder *folder = *state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft__store *one    = open_in(folder);
    deft__store *two    = open_in(folder);
    assert_ok(append(one, &error), error);
    assert_ok(append(two, &error), error);
    // What `one` does when it meets damage.
    deft__store_disconnect(one);
    assert_int_equal(deft__store_file_move_aside(two->path), 0);
    assert_ok(append(one, &error), error);
    assert_ok(append(two, &error), error);
    uint64_t count = 0;
    assert_int_equal(deft__sql_ask(one->database, "SELECT count(*) FROM journal", &count),
                     SQLITE_OK);
    assert_int_equal(count, 2);
    deft__store_close(one);
    deft__store_close(two);
}

static void while_another_replaces_it_a_write_is_given_up(void **state)
{
    test_folder *folder = *state;
    deft_error   error  = DEFT_ERROR_INIT;
    deft__store *store  = open_in(folder);
    deft__store_disconnect(store);
    const int lock = deft__store_file_lock(store->path, 0);
    assert_true(lock >= 0);
    assert_int_equal(deft__store_file_lock(store->path, 6), -1);
    assert_int_equal(append(store, &error), DEFT_CONFLICT);
    assert_null(deft__store_open(store->path, &store->options, &error));
    assert_int_equal(error.status, DEFT_CONFLICT);
    deft__store_file_unlock(lock);
    assert_ok(append(store, &error), error);
    deft__store_close(store);
    assert_int_equal(deft__store_file_lock("/nowhere/at/all", 0), -2);
    deft__store_file_unlock(-2);
}

// --- No memory. ----------------------------------------------------------------------------------

static sqlite3_mem_methods plain;
static size_t              requests; // so far
static size_t              fail_at;  // the request that fails; 0: none does

static void *counting_malloc(int size)
{
    return ++requests == fail_at ? NULL : plain.xMalloc(size);
}

static void *counting_realloc(void *pointer, int size)
{
    return ++requests == fail_at ? NULL : plain.xRealloc(pointer, size);
}

static bool use_with_failures(test_folder *folder)
{
    const deft_server_config  server   = {.name = deft_view_of("a")};
    const deft__kept_manifest manifest = {.name = deft_view_of("a"), .text = deft_view_of("{}")};
    deft_error                error    = DEFT_ERROR_INIT;
    deft__store_key           key;
    deft_buffer               out;
    deft_buffer_init(&out, NULL);
    deft__store *store = deft__store_open(test_folder_join(folder, "deft.db"), NULL, &error);
    bool         is_ok = store != NULL && deft__store_key_of(store, &server, &key);
    is_ok              = is_ok && deft__manifest_save(store, &key, &manifest, &error) == DEFT_OK;
    is_ok              = is_ok && append(store, &error) == DEFT_OK;
    is_ok              = is_ok &&
            deft__manifests_load(store, &key, 1, NULL, ignore_manifest, NULL, &error) == DEFT_OK;
    is_ok = is_ok && deft__quarantine_set(store, deft_view_of("slack"), true, 1, &error) == DEFT_OK;
    is_ok = is_ok && deft__quarantine_load(store, add_name, &out, &error) == DEFT_OK;
    if (!is_ok) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
    }
    assert_view_equal(deft__store_take_note(store), ""); // it is no damage
    deft__store_close(store);
    deft_buffer_clear(&out);
    return is_ok;
}

// Some requests are for caches, and SQLite goes on without them: then all is well although one failed.
// There are some 2,000; each takes tens of ms to try, so every 37th is tried.
static void requests_for_memory_may_fail(void **state)
{
    test_folder *folder = *state;
    requests            = 0;
    fail_at             = 0;
    assert_true(use_with_failures(folder));
    const size_t total = requests;
    for (size_t i = 1; i <= total; i += 37) {
        requests = 0;
        fail_at  = i;
        (void)unlink(test_folder_join(folder, "deft.db"));
        (void)use_with_failures(folder);
        fail_at = 0;
        assert_int_equal(test_file_size(test_folder_join(folder, "deft.db.damaged")), -1);
        assert_true(use_with_failures(folder));
    }
    assert_true(total > 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_damaged_file_is_replaced),
        TEST(any_run_of_bytes_may_be_damaged),
        TEST(what_is_quarantined_survives_where_it_can_be_read),
        TEST(a_store_without_its_secret_is_damaged),
        TEST(damage_that_cannot_be_moved_is_told),
        TEST(a_file_that_is_deleted_is_made_again),
        TEST(a_file_that_another_replaced_is_opened),
        TEST(while_another_replaces_it_a_write_is_given_up),
        TEST(requests_for_memory_may_fail),
    };
    sqlite3_mem_methods counting;
    (void)sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain);
    counting          = plain;
    counting.xMalloc  = counting_malloc;
    counting.xRealloc = counting_realloc;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &counting);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
