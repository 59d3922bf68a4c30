// A file of any older deft becomes one of ours, and keeps what it holds.
#include "store/schema.h"

#include "store/store.h"
#include "support/folder.h"
#include "support/test.h"

// What each version could hold, written by its own statements.
static const char *const contents[] = {
    ("INSERT INTO secret VALUES(zeroblob(32));"
     "INSERT INTO manifests VALUES(x'01', 'github', 'legacy', 1, 2, 3, 4, x'7b7d')"),
    ("INSERT INTO images(catalog_version, variant, bytes) VALUES(1, 'english', x'00')"),
    ("INSERT INTO journal(total, at_ms, kind, client, tool, text, argument_size, result_size,"
     " duration_ms, found_count, outcome, reason) VALUES(9, 1, 2, '', 'a::b', '', 0, 0, 0, 0, "
     "'ok', "
     "'');"
     "INSERT INTO usage VALUES('a::b', 1, 1)"),
    ("INSERT INTO quarantine VALUES('slack', 1)"),
    "", // nothing that is new
    ("UPDATE journal SET token = 'ci'"),
};

// What is there of it in the end.
static const struct {
    const char *table;
    size_t      since; // version
} tables[] = {{"manifests", 1}, {"journal", 3}, {"quarantine", 4}};

// A file as version `version` of deft left it.
static sqlite3 *make(const char *path, size_t version)
{
    char     text[64];
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    for (size_t i = 0; i < version; i++) {
        assert_int_equal(deft__sql_run(database, deft__schema_steps[i]), SQLITE_OK);
        assert_int_equal(deft__sql_run(database, contents[i]), SQLITE_OK);
    }
    snprintf(text, sizeof text, "PRAGMA application_id = 1684366964; PRAGMA user_version = %zu",
             version);
    assert_int_equal(deft__sql_run(database, text), SQLITE_OK);
    return database;
}

static uint64_t ask(sqlite3 *database, const char *what, const char *name)
{
    char     text[128];
    uint64_t number = UINT64_MAX;
    snprintf(text, sizeof text, "%s%s", what, name);
    assert_int_equal(deft__sql_ask(database, text, &number), SQLITE_OK);
    return number;
}

static void every_older_version_becomes_ours(void **state)
{
    (void)state;
    assert_int_equal(deft__schema_version, array_size(contents)); // a new step needs a row here
    for (size_t version = 0; version <= deft__schema_version; version++) {
        print_message("  from version %zu\n", version);
        test_folder folder;
        deft_error  error = DEFT_ERROR_INIT;
        test_folder_init(&folder);
        const char *path = test_folder_join(&folder, "deft.db");
        assert_int_equal(sqlite3_close(make(path, version)), SQLITE_OK);
        deft__store *store = deft__store_open(path, NULL, &error);
        assert_non_null(store);
        assert_view_equal(deft__store_take_note(store), "");
        deft__store_close(store);
        sqlite3 *database = NULL;
        assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
        assert_int_equal(ask(database, "PRAGMA user_version", ""), deft__schema_version);
        assert_int_equal(ask(database, "SELECT count(*) FROM ", "secret"), 1);
        for (size_t i = 0; i < array_size(tables); i++) {
            assert_int_equal(ask(database, "SELECT count(*) FROM ", tables[i].table),
                             version >= tables[i].since);
        }
        assert_int_equal(
            ask(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'images'", ""), 0);
        assert_int_equal(sqlite3_close(database), SQLITE_OK);
        test_folder_clear(&folder);
    }
}

static void a_step_that_fails_changes_nothing(void **state)
{
    (void)state;
    const unsigned char secret[DEFT__STORE_SECRET_SIZE] = {1};
    uint64_t            version                         = 0;
    sqlite3            *database                        = make(":memory:", 1);
    assert_int_equal(deft__sql_run(database, "CREATE TABLE quarantine(in_the_way)"), SQLITE_OK);
    assert_int_equal(deft__schema_upgrade(database, secret), SQLITE_ERROR);
    assert_int_equal(deft__schema_look(database, &version), SQLITE_OK);
    assert_int_equal(version, 1);
    assert_int_equal(ask(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'images'", ""),
                     0);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void a_secret_stays(void **state)
{
    (void)state;
    const unsigned char secret[DEFT__STORE_SECRET_SIZE] = {1};
    const unsigned char second[DEFT__STORE_SECRET_SIZE] = {2};
    unsigned char       found[DEFT__STORE_SECRET_SIZE];
    sqlite3            *database = make(":memory:", 0);
    assert_int_equal(deft__schema_upgrade(database, secret), SQLITE_OK);
    assert_int_equal(deft__schema_upgrade(database, second), SQLITE_OK);
    assert_int_equal(deft__schema_secret(database, found), SQLITE_OK);
    assert_memory_equal(found, secret, sizeof found);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_older_version_becomes_ours),
        cmocka_unit_test(a_step_that_fails_changes_nothing),
        cmocka_unit_test(a_secret_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
