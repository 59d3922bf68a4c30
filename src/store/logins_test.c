// The file of logins: for its owner alone, whole or not at all, shared with others.
#include "store/logins.h"

#include "support/folder.h"
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    const char *choice;
    const char *state_home;
    const char *home;
    const char *path; // NULL: there is none
} places[] = {
    {"chosen", "x.json", "/s", "/h", "x.json"},
    {"in the state folder", NULL, "/s", "/h", "/s/deft/logins.json"},
    {"at home", "", "", "/h", "/h/.local/state/deft/logins.json"},
    {"a state folder that is not absolute", NULL, "s", "/h", "/h/.local/state/deft/logins.json"},
    {"none", "none", "/s", "/h", NULL},
    {"nowhere", NULL, NULL, NULL, NULL},
};

static void it_has_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(places); i++) {
        deft_buffer path;
        case_name(places[i].name);
        deft_buffer_init(&path, NULL);
        const bool is_there =
            deft__logins_path(places[i].choice, places[i].state_home, places[i].home, &path);
        assert_int_equal(is_there, places[i].path != NULL);
        if (is_there) {
            assert_string_equal(path.data, places[i].path);
        }
        deft_buffer_clear(&path);
    }
}

static void put(const char *path, const char *endpoint, const char *token)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    assert_true(deft__kept_set(&login, DEFT__KEPT_ENDPOINT, deft_view_of(endpoint)));
    assert_true(deft__kept_set(&login, DEFT__KEPT_ACCESS_TOKEN, deft_view_of(token)));
    assert_ok(deft__logins_save(path, deft_view_of(endpoint), &login, &error), error);
    deft__kept_clear(&login);
}

// The token for an endpoint; "" where there is none, and "!" with a message where there is trouble.
static void expect(const char *path, const char *endpoint, const char *said)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    const deft_status status = deft__logins_load(path, deft_view_of(endpoint), &login, &error);
    if (said[0] == '!') {
        assert_true(status != DEFT_OK && status != DEFT_NOT_FOUND);
        assert_non_null(strstr(error.message, said + 1));
    } else {
        assert_int_equal(status, said[0] != '\0' ? DEFT_OK : DEFT_NOT_FOUND);
        assert_view_equal(deft__kept_get(&login, DEFT__KEPT_ACCESS_TOKEN), said);
    }
    deft__kept_clear(&login);
}

static void logins_are_kept_and_forgotten(void **state)
{
    test_folder folder;
    deft_error  error = DEFT_ERROR_INIT;
    (void)state;
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "new/deeper/logins.json");
    expect(path, "https://a", "");
    put(path, "https://a", "one");
    put(path, "https://b", "two");
    put(path, "https://a", "three");
    expect(path, "https://a", "three");
    expect(path, "https://b", "two");
    assert_int_equal(test_file_mode(path), 0600);
    assert_int_equal(test_file_mode(test_folder_join(&folder, "new/deeper")), 0700);
    assert_int_equal(test_file_size(test_folder_join(&folder, "new/deeper/logins.json.new")), -1);
    assert_ok(deft__logins_save(path, deft_view_of("https://a"), NULL, &error), error);
    expect(path, "https://a", "");
    expect(path, "https://b", "two");
    test_folder_clear(&folder);
}

static void a_file_that_others_could_read_is_closed_to_them(void **state)
{
    test_folder folder;
    (void)state;
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    put(path, "https://a", "one");
    assert_int_equal(chmod(path, 0644), 0);
    expect(path, "https://a", "one");
    assert_int_equal(test_file_mode(path), 0600);
    test_folder_clear(&folder);
}

static void a_bad_file_is_left_as_it_is(void **state)
{
    test_folder      folder;
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    (void)state;
    test_folder_init(&folder);
    deft__kept_init(&login, NULL);
    const char *path = test_folder_join(&folder, "logins.json");
    test_file_put(path, deft_view_of("{\"version\":9,\"logins\":[]}"));
    expect(path, "https://a", "!is of a newer deft, and is left as it is");
    assert_int_equal(deft__logins_save(path, deft_view_of("https://a"), &login, &error),
                     DEFT_INVALID);
    assert_int_equal(test_file_size(path), 25);
    expect(test_folder_join(&folder, "."), "https://a", "!cannot be read");

    test_file_put(path, deft_view_of(""));
    test_file_cut(path, (off_t)DEFT__KEPT_SIZE_MAX * 2);
    expect(path, "https://a", "!cannot be read: File too large");
    assert_int_equal(
        deft__logins_save("/proc/nowhere/logins.json", deft_view_of("https://a"), &login, &error),
        DEFT_INVALID);
    // Where nothing can be written, what is there stays.
    assert_int_equal(unlink(path), 0);
    put(path, "https://a", "one");
    assert_int_equal(mkdir(test_folder_join(&folder, "logins.json.new"), 0700), 0);
    assert_int_equal(deft__logins_save(path, deft_view_of("https://a"), &login, &error),
                     DEFT_INVALID);
    assert_non_null(strstr(error.message, "cannot be written"));
    expect(path, "https://a", "one");
    deft__kept_clear(&login);
    test_folder_clear(&folder);
}

static void what_a_killed_process_left_is_no_obstacle(void **state)
{
    test_folder folder;
    (void)state;
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    test_file_put(test_folder_join(&folder, "logins.json.new"), deft_view_of("half of a f"));
    put(path, "https://a", "one");
    expect(path, "https://a", "one");
    test_folder_clear(&folder);
}

static void one_at_a_time_renews_a_login(void **state)
{
    test_folder folder;
    (void)state;
    test_folder_init(&folder);
    const char *path  = test_folder_join(&folder, "some/logins.json");
    const int   first = deft__logins_lock(path, deft_view_of("https://a"));
    assert_true(first >= 0);
    assert_int_equal(deft__logins_lock(path, deft_view_of("https://a")), -1);
    // Another login is another matter, and so is keeping one.
    const int other = deft__logins_lock(path, deft_view_of("https://b"));
    assert_true(other >= 0);
    put(path, "https://a", "one");
    deft__logins_unlock(first);
    const int again = deft__logins_lock(path, deft_view_of("https://a"));
    assert_true(again >= 0);
    deft__logins_unlock(again);
    deft__logins_unlock(other);
    deft__logins_unlock(-1);
    assert_int_equal(deft__logins_lock("/proc/nowhere/x", deft_view_of("https://a")), -2);
    test_folder_clear(&folder);
}

static void a_lock_is_no_link_to_somewhere_else(void **state)
{
    test_folder folder;
    (void)state;
    test_folder_init(&folder);
    const char *path    = test_folder_join(&folder, "logins.json");
    const char *foreign = test_folder_join(&folder, "foreign");
    assert_int_equal(symlink(foreign, test_folder_join(&folder, "logins.json.lock")), 0);
    assert_int_equal(deft__logins_lock(path, deft_view_of("https://a")), -2);
    assert_int_equal(test_file_size(foreign), -1); // nothing was made there
    put(path, "https://a", "one");
    expect(path, "https://a", "one");
    test_folder_clear(&folder);
}

// Many processes keep logins at once, and none is lost.
static void processes_do_not_undo_one_another(void **state)
{
    enum {
        PROCESSES = 6,
        LOGINS    = 10
    };
    test_folder folder;
    char        endpoint[32];
    (void)state;
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    for (int i = 0; i < PROCESSES; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (int j = 0; j < LOGINS; j++) {
                deft__kept_login login;
                deft__kept_init(&login, NULL);
                snprintf(endpoint, sizeof endpoint, "https://%d.%d", i, j);
                if (!deft__kept_set(&login, DEFT__KEPT_ENDPOINT, deft_view_of(endpoint)) ||
                    !deft__kept_set(&login, DEFT__KEPT_ACCESS_TOKEN, deft_view_of("t")) ||
                    deft__logins_save(path, deft_view_of(endpoint), &login, NULL) != DEFT_OK) {
                    _exit(1);
                }
                deft__kept_clear(&login);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        for (int j = 0; j < LOGINS; j++) {
            snprintf(endpoint, sizeof endpoint, "https://%d.%d", i, j);
            expect(path, endpoint, "t");
        }
    }
    test_folder_clear(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_its_place),
        cmocka_unit_test(logins_are_kept_and_forgotten),
        cmocka_unit_test(a_file_that_others_could_read_is_closed_to_them),
        cmocka_unit_test(a_bad_file_is_left_as_it_is),
        cmocka_unit_test(what_a_killed_process_left_is_no_obstacle),
        cmocka_unit_test(one_at_a_time_renews_a_login),
        cmocka_unit_test(a_lock_is_no_link_to_somewhere_else),
        cmocka_unit_test(processes_do_not_undo_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
