// The file: where it is, who may read it, and how deft works without it.
#define _DEFAULT_SOURCE // seteuid
#include "store/store.h"

#include "store/database.h"
#include "store/journal.h"
#include "store/quarantine.h"
#include "support/folder.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static deft__store *open_at(const char *path, const deft__store_options *options)
{
    deft_error   error = DEFT_ERROR_INIT;
    deft__store *store = deft__store_open(path, options, &error);
    if (store == NULL) {
        print_error("%s\n", error.message);
    }
    assert_non_null(store);
    return store;
}

static deft_status append(deft__store *store, uint64_t at_ms, size_t text_size, deft_error *error)
{
    static char text[2048];
    memset(text, 'x', sizeof text);
    const deft__record record = {.at_ms   = at_ms,
                                 .kind    = DEFT__RECORD_SEARCH,
                                 .text    = deft_view_make(text, text_size),
                                 .outcome = deft_view_of("ok")};
    return deft__journal_append(store, &record, 1, error);
}

static void count_one(void *context, const deft__record *record)
{
    (void)record;
    ++*(size_t *)context;
}

static size_t line_count(deft__store *store)
{
    deft_error error = DEFT_ERROR_INIT;
    size_t     count = 0;
    assert_ok(deft__journal_last(store, 1000000, 0, count_one, &count, &error), error);
    return count;
}

static void expect_note(deft__store *store, const char *part)
{
    char            text[DEFT_ERROR_MESSAGE_SIZE];
    const deft_view note = deft__store_take_note(store);
    snprintf(text, sizeof text, "%.*s", (int)note.size, note.data);
    if (part == NULL) {
        assert_string_equal(text, "");
    } else if (strstr(text, part) == NULL) {
        print_error("'%s' does not say '%s'\n", text, part);
        fail();
    }
}

// --- Where it is. --------------------------------------------------------------------------------

static const struct {
    const char *name;
    const char *choice;
    const char *cache_home;
    const char *home;
    const char *path; // NULL: there is none
} paths[] = {
    {"the cache folder", NULL, "/c", "/home/me", "/c/deft/deft.db"},
    {"the home folder", NULL, NULL, "/home/me", "/home/me/.cache/deft/deft.db"},
    {"empty is unset", "", "", "/home/me", "/home/me/.cache/deft/deft.db"},
    {"a relative cache folder is ignored", NULL, "c", "/home/me", "/home/me/.cache/deft/deft.db"},
    {"a choice wins", "./my.db", "/c", "/home/me", "./my.db"},
    {"the choice to have none", "none", "/c", "/home/me", NULL},
    {"no place at all", NULL, NULL, NULL, NULL},
    {"no place, but for a choice", "x.db", NULL, "", "x.db"},
};

static void the_place_is_chosen(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(paths); i++) {
        case_name(paths[i].name);
        deft_buffer path;
        deft_buffer_init(&path, NULL);
        assert_int_equal(
            deft__store_path(paths[i].choice, paths[i].cache_home, paths[i].home, &path),
            paths[i].path != NULL);
        if (paths[i].path != NULL) {
            assert_string_equal(path.data, paths[i].path);
        }
        deft_buffer_clear(&path);
    }
}

static void it_is_made_for_its_owner_alone(void **state)
{
    test_folder *folder = *state;
    const mode_t before = umask(0);
    deft__store *store  = open_at(test_folder_join(folder, "a/b/deft.db"), NULL);
    assert_int_equal(append(store, 1, 10, NULL), DEFT_OK);
    umask(before);
    assert_int_equal(test_file_mode(test_folder_join(folder, "a")), 0700);
    assert_int_equal(test_file_mode(test_folder_join(folder, "a/b")), 0700);
    assert_int_equal(test_file_mode(test_folder_join(folder, "a/b/deft.db")), 0600);
    assert_int_equal(test_file_mode(test_folder_join(folder, "a/b/deft.db-wal")), 0600);
    assert_int_equal(test_file_mode(test_folder_join(folder, "a/b/deft.db-shm")), 0600);
    assert_string_equal(deft__store_path_of(store), test_folder_join(folder, "a/b/deft.db"));
    expect_note(store, NULL);
    deft__store_close(store);
    assert_int_equal(test_file_size(test_folder_join(folder, "a/b/deft.db-wal")), -1);
}

static void a_file_that_others_can_read_is_closed_to_them(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "deft.db");
    deft__store_close(open_at(path, NULL));
    assert_int_equal(chmod(path, 0666), 0);
    deft__store_close(open_at(path, NULL));
    assert_int_equal(test_file_mode(path), 0600);
}

static void a_path_may_be_relative_and_odd(void **state)
{
    test_folder *folder = *state;
    char         before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder->path), 0);
    deft__store *store = open_at("file:x?mode=memory#%20.db", NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(append(store, 1, 10, NULL), DEFT_OK);
    deft__store_close(store);
    assert_true(test_file_size(test_folder_join(folder, "file:x?mode=memory#%20.db")) > 0);
}

// --- What cannot be a store. ---------------------------------------------------------------------

static void expect_refusal(const char *path, deft_status status, const char *part)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_null(deft__store_open(path, NULL, &error));
    assert_int_equal(error.status, status);
    if (strstr(error.message, part) == NULL) {
        print_error("'%s' does not say '%s'\n", error.message, part);
        fail();
    }
    assert_null(deft__store_open(path, NULL, NULL));
}

static void a_folder_or_a_pipe_is_refused(void **state)
{
    test_folder *folder = *state;
    expect_refusal("", DEFT_INVALID, "no place");
    expect_refusal(folder->path, DEFT_INVALID, "cannot be used");
    assert_int_equal(mkfifo(test_folder_join(folder, "pipe"), 0600), 0);
    expect_refusal(test_folder_join(folder, "pipe"), DEFT_INVALID, "cannot be used");
    test_file_put(test_folder_join(folder, "file"), deft_view_of("x"));
    expect_refusal(test_folder_join(folder, "file/deft.db"), DEFT_INVALID, "cannot be used");
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void a_newer_schema_is_left_as_it_is(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "deft.db");
    deft__store_close(open_at(path, NULL));
    run_sql(path, "PRAGMA user_version = 9999; CREATE TABLE later(x)");
    expect_refusal(path, DEFT_CONFLICT, "newer deft");
    run_sql(path, "INSERT INTO later VALUES(1)");
    assert_int_equal(test_file_size(test_folder_join(folder, "deft.db.damaged")), -1);
}

static void a_database_of_another_program_is_left_as_it_is(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "notes.db");
    run_sql(path, "CREATE TABLE notes(text)");
    expect_refusal(path, DEFT_CONFLICT, "another program");
    run_sql(path, "PRAGMA user_version = 2");
    expect_refusal(path, DEFT_CONFLICT, "another program");
    run_sql(path, "INSERT INTO notes VALUES('still here')");
}

// --- Working without. ----------------------------------------------------------------------------

// Runs what follows as somebody who is bound by permissions: root is not.
static void become_nobody(void)
{
    if (geteuid() == 0) {
        assert_int_equal(seteuid(65534), 0);
    }
}

static void become_oneself(void)
{
    if (getuid() == 0) {
        assert_int_equal(seteuid(0), 0);
    }
}

static void where_nothing_can_be_written_what_is_there_is_read(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "a?b.db");
    deft_error   error  = DEFT_ERROR_INIT;
    deft__store *store  = open_at(path, NULL);
    assert_ok(append(store, 1, 10, &error), error);
    deft__store_close(store);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder->path, 0555), 0);
    become_nobody();
    store = open_at(path, NULL);
    assert_true(deft__store_is_read_only(store));
    expect_note(store, "cannot be written");
    assert_int_equal(line_count(store), 1);
    assert_int_equal(append(store, 2, 10, &error), DEFT_INVALID);
    assert_int_equal(append(store, 2, 10, NULL), DEFT_INVALID);
    expect_note(store, NULL); // that has been said
    deft__store_close(store);
    become_oneself();
    assert_int_equal(chmod(folder->path, 0755), 0);
}

static void a_folder_that_cannot_be_written_is_told(void **state)
{
    test_folder *folder = *state;
    assert_int_equal(chmod(folder->path, 0555), 0);
    become_nobody();
    expect_refusal(test_folder_join(folder, "deft.db"), DEFT_INVALID, "permission");
    expect_refusal(test_folder_join(folder, "a/b/deft.db"), DEFT_INVALID, "permission");
    become_oneself();
    assert_int_equal(chmod(folder->path, 0755), 0);
}

static void an_old_file_that_cannot_be_changed_is_told(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "deft.db");
    deft__store_close(open_at(path, NULL));
    run_sql(path, "PRAGMA user_version = 3");
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder->path, 0555), 0);
    become_nobody();
    expect_refusal(path, DEFT_INVALID, "older deft");
    become_oneself();
    assert_int_equal(chmod(folder->path, 0755), 0);
}

static void a_full_disk_loses_writes_and_nothing_else(void **state)
{
    test_folder              *folder  = *state;
    const deft__store_options options = {.size_max = 512 * 1024};
    deft_error                error   = DEFT_ERROR_INIT;
    deft__store              *store   = open_at(test_folder_join(folder, "deft.db"), &options);
    deft_status               status  = DEFT_OK;
    size_t                    kept    = 0;
    while (status == DEFT_OK && kept < 1000) {
        status = append(store, kept + 1, 2000, &error);
        kept += status == DEFT_OK;
    }
    assert_int_equal(status, DEFT_LIMIT);
    expect_note(store, "full");
    assert_int_equal(append(store, 1, 2000, &error), DEFT_LIMIT);
    expect_note(store, NULL);
    assert_int_equal(line_count(store), kept);
    // When there is room again, writing goes on.
    assert_int_equal(deft__sql_run(store->database, "DELETE FROM journal"), SQLITE_OK);
    assert_ok(append(store, 1, 2000, &error), error);
    deft__store_close(store);
}

static void a_lock_of_another_process_costs_one_write(void **state)
{
    test_folder              *folder  = *state;
    const deft__store_options options = {.busy_ms = 1};
    deft_error                error   = DEFT_ERROR_INIT;
    const char               *path    = test_folder_join(folder, "deft.db");
    deft__store              *store   = open_at(path, &options);
    sqlite3                  *locker  = NULL;
    assert_int_equal(sqlite3_open(path, &locker), SQLITE_OK);
    assert_int_equal(deft__sql_run(locker, "BEGIN IMMEDIATE"), SQLITE_OK);
    assert_int_equal(append(store, 1, 10, &error), DEFT_CONFLICT);
    expect_note(store, "locked");
    assert_int_equal(append(store, 1, 10, &error), DEFT_CONFLICT);
    expect_note(store, NULL);
    assert_int_equal(line_count(store), 0); // reading does not wait
    assert_int_equal(deft__sql_run(locker, "COMMIT"), SQLITE_OK);
    assert_ok(append(store, 1, 10, &error), error);
    assert_int_equal(line_count(store), 1);
    assert_int_equal(sqlite3_close(locker), SQLITE_OK);
    deft__store_close(store);
}

static void without_a_store_there_is_nothing_to_say(void **state)
{
    (void)state;
    assert_string_equal(deft__store_path_of(NULL), "");
    assert_false(deft__store_is_read_only(NULL));
    expect_note(NULL, NULL);
    deft__store_close(NULL);
}

// --- Two processes. ------------------------------------------------------------------------------

#define LINES 200

// Writes lines until so many are kept; a lock costs a try.
static int write_lines(const char *path)
{
    const deft__store_options options = {.busy_ms = 10000}; // however slow the machine is
    deft_error                error   = DEFT_ERROR_INIT;
    deft__store              *store   = deft__store_open(path, &options, &error);
    if (store == NULL) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    size_t kept = 0;
    for (size_t tries = 0; kept < LINES && tries < 100 * LINES; tries++) {
        const deft_status status = append(store, kept, 100, &error);
        if (status != DEFT_OK && status != DEFT_CONFLICT) {
            fprintf(stderr, "%s\n", error.message);
            break;
        }
        kept += status == DEFT_OK;
    }
    deft__store_close(store);
    return kept == LINES ? 0 : 1;
}

static void run_processes(const char *path, size_t count)
{
    pid_t children[8];
    for (size_t i = 0; i < count; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            _exit(write_lines(path));
        }
    }
    for (size_t i = 0; i < count; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

static void several_processes_make_and_write_one_file(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "new/deft.db");
    run_processes(path, 3);
    deft__store *store = open_at(path, NULL);
    assert_int_equal(line_count(store), 3 * LINES);
    deft__store_close(store);
}

static void several_processes_meet_a_damaged_file(void **state)
{
    test_folder *folder = *state;
    const char  *path   = test_folder_join(folder, "deft.db");
    char         junk[8192];
    memset(junk, '?', sizeof junk);
    test_file_put(path, deft_view_make(junk, sizeof junk));
    run_processes(path, 3);
    deft__store *store = open_at(path, NULL);
    assert_int_equal(line_count(store), 3 * LINES); // it was moved aside once
    deft__store_close(store);
    assert_int_equal(test_file_size(test_folder_join(folder, "deft.db.damaged")), sizeof junk);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_is_chosen),
        TEST(it_is_made_for_its_owner_alone),
        TEST(a_file_that_others_can_read_is_closed_to_them),
        TEST(a_path_may_be_relative_and_odd),
        TEST(a_folder_or_a_pipe_is_refused),
        TEST(a_newer_schema_is_left_as_it_is),
        TEST(a_database_of_another_program_is_left_as_it_is),
        TEST(where_nothing_can_be_written_what_is_there_is_read),
        TEST(a_folder_that_cannot_be_written_is_told),
        TEST(an_old_file_that_cannot_be_changed_is_told),
        TEST(a_full_disk_loses_writes_and_nothing_else),
        TEST(a_lock_of_another_process_costs_one_write),
        cmocka_unit_test(without_a_store_there_is_nothing_to_say),
        TEST(several_processes_make_and_write_one_file),
        TEST(several_processes_meet_a_damaged_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
