// The key of the logins in the system's keyring. Without one of our own (tests/keyring/run sets
// DEFT_TEST_KEYRING) no keyring is touched: it could be that of whoever runs this.
#include "store/keyring.h"

#include "store/logins.h"
#include "support/folder.h"
#include "support/test.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

#define ENDPOINT "https://a/mcp"

static void put(const char *path, const char *token)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    assert_true(deft__kept_set(&login, DEFT__KEPT_ENDPOINT, deft_view_of(ENDPOINT)));
    assert_true(deft__kept_set(&login, DEFT__KEPT_ACCESS_TOKEN, deft_view_of(token)));
    assert_ok(deft__logins_save(path, deft_view_of(ENDPOINT), &login, &error), error);
    deft__kept_clear(&login);
}

static void expect(const char *path, const char *token)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    assert_ok(deft__logins_load(path, deft_view_of(ENDPOINT), &login, &error), error);
    assert_view_equal(deft__kept_get(&login, DEFT__KEPT_ACCESS_TOKEN), token);
    deft__kept_clear(&login);
}

static bool is_in_file(const char *path, const char *text)
{
    char  bytes[4096] = "";
    FILE *file        = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size] = '\0';
    return strstr(bytes, text) != NULL;
}

static void without_a_session_there_is_none(void **state)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__box_key    key;
    deft__kept_login login;
    test_folder      folder;
    (void)state;
    char *bus     = getenv("DBUS_SESSION_BUS_ADDRESS");
    char *address = bus != NULL ? strdup(bus) : NULL;
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    setenv("XDG_RUNTIME_DIR", folder.path, 1);
    assert_int_equal(deft__keyring_key(true, &key, &error), DEFT_NOT_FOUND);
    assert_non_null(strstr(error.message, "DBUS_SESSION_BUS_ADDRESS"));
    assert_int_equal(deft__keyring_remove(&error), DEFT_NOT_FOUND);
    assert_int_equal(deft__logins_seal(path, true, &error), DEFT_NOT_FOUND);
    assert_int_equal(test_file_size(path), -1);
    // What is sealed stays so, and is said to be.
    test_file_put(path,
                  deft_view_of("{\"version\":2,\"sealedWith\":\"keyring\",\"box\":\"AAAA\"}\n"));
    deft__kept_init(&login, NULL);
    assert_int_equal(deft__logins_load(path, deft_view_of(ENDPOINT), &login, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "is sealed, and its key cannot be had: there is no"));
    assert_int_equal(deft__logins_save(path, deft_view_of(ENDPOINT), NULL, &error), DEFT_INVALID);
    assert_int_equal(deft__logins_unseal(path, &error), DEFT_INVALID);
    assert_int_equal(deft__logins_seal(path, false, &error), DEFT_INVALID);
    assert_true(is_in_file(path, "AAAA"));
    deft__kept_clear(&login);
    if (address != NULL) {
        setenv("DBUS_SESSION_BUS_ADDRESS", address, 1);
        free(address);
    }
    test_folder_clear(&folder);
}

// A bus that is not there: whoever could have it says no, which is not the same as having none.
static void a_bus_that_does_not_answer_is_told(void **state)
{
    deft_error    error = DEFT_ERROR_INIT;
    deft__box_key key;
    (void)state;
    if (getenv("DEFT_TEST_KEYRING") != NULL) {
        skip(); // there is one
    }
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/dev/null/none", 1);
    assert_int_not_equal(deft__keyring_key(true, &key, &error), DEFT_OK);
    assert_true(strstr(error.message, "the keyring says: ") != NULL ||
                strstr(error.message, "libsecret is not installed") != NULL);
    assert_int_not_equal(deft__keyring_remove(&error), DEFT_OK);
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

static void need_keyring(void)
{
    if (getenv("DEFT_TEST_KEYRING") == NULL) {
        skip();
    }
}

static void a_key_is_made_once(void **state)
{
    deft_error    error = DEFT_ERROR_INIT;
    deft__box_key first;
    deft__box_key second;
    (void)state;
    need_keyring();
    assert_int_equal(deft__keyring_key(false, &first, &error), DEFT_NOT_FOUND);
    assert_string_equal(error.message, "the keyring has no key of deft's");
    assert_ok(deft__keyring_key(true, &first, &error), error);
    assert_ok(deft__keyring_key(true, &second, &error), error);
    assert_memory_equal(&first, &second, sizeof first);
    assert_ok(deft__keyring_remove(&error), error);
    assert_ok(deft__keyring_key(true, &second, &error), error);
    assert_memory_not_equal(&first, &second, sizeof first);
    assert_ok(deft__keyring_remove(&error), error);
}

static void a_file_is_sealed_and_made_plain_again(void **state)
{
    deft_error  error = DEFT_ERROR_INIT;
    test_folder folder;
    (void)state;
    need_keyring();
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    assert_ok(deft__logins_seal(path, false, &error), error);
    assert_int_equal(test_file_size(path), -1); // nothing to do
    assert_ok(deft__logins_seal(path, true, &error), error);
    assert_int_equal(test_file_mode(path), 0600);
    put(path, "first-secret");
    assert_false(is_in_file(path, "secret") || is_in_file(path, ENDPOINT));
    expect(path, "first-secret");
    put(path, "second-secret");
    assert_false(is_in_file(path, "secret"));
    expect(path, "second-secret");
    assert_ok(deft__logins_unseal(path, &error), error);
    assert_ok(deft__logins_seal(path, true, &error), error);
    assert_ok(deft__logins_seal(path, false, &error), error);
    assert_true(is_in_file(path, "second-secret"));
    expect(path, "second-secret");
    // What was plain is sealed as it is.
    assert_ok(deft__logins_seal(path, true, &error), error);
    assert_false(is_in_file(path, "secret"));
    expect(path, "second-secret");

    deft__kept_login login;
    deft__kept_init(&login, NULL);
    assert_ok(deft__keyring_remove(&error), error);
    assert_int_equal(deft__logins_load(path, deft_view_of(ENDPOINT), &login, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "the keyring has no key of deft's"));
    deft__box_key other;
    assert_ok(deft__keyring_key(true, &other, &error), error);
    assert_int_equal(deft__logins_load(path, deft_view_of(ENDPOINT), &login, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "remove it and log in again"));
    deft__kept_clear(&login);
    test_folder_clear(&folder);
}

static void what_is_sealed_and_empty_is_made_plain_too(void **state)
{
    deft_error  error = DEFT_ERROR_INIT;
    test_folder folder;
    (void)state;
    need_keyring();
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    assert_ok(deft__logins_seal(path, true, &error), error);
    assert_ok(deft__logins_seal(path, false, &error), error);
    put(path, "plain-token");
    assert_true(is_in_file(path, "plain-token"));
    assert_ok(deft__keyring_remove(&error), error);
    test_folder_clear(&folder);
}

static int run(char *const *words)
{
    pid_t child;
    int   status = -1;
    assert_int_equal(posix_spawnp(&child, words[0], NULL, NULL, words, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

// What another process does: this program, started with the path of a file.
static int start_anew(const char *path)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__keyring_remove(&error), error);
    assert_int_equal(remove(path), 0);
    assert_ok(deft__logins_seal(path, true, &error), error);
    put(path, "another-secret");
    return 0;
}

static void a_key_that_others_have_made_anew_is_found(void **state)
{
    deft_error  error = DEFT_ERROR_INIT;
    test_folder folder;
    (void)state;
    need_keyring();
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    assert_ok(deft__logins_seal(path, true, &error), error);
    put(path, "secret");
    expect(path, "secret");
    char        program[] = "/proc/self/exe";
    char *const words[]   = {program, (char *)(uintptr_t)path, NULL};
    assert_int_equal(run(words), 0);
    expect(path, "another-secret");
    put(path, "a-third-secret");
    assert_false(is_in_file(path, "secret"));
    expect(path, "a-third-secret");
    assert_ok(deft__keyring_remove(&error), error);
    test_folder_clear(&folder);
}

// The last one: without a screen nobody can unlock it again.
static void a_keyring_that_stays_locked_is_not_an_empty_one(void **state)
{
    deft_error    error = DEFT_ERROR_INIT;
    deft__box_key key;
    test_folder   folder;
    (void)state;
    need_keyring();
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "logins.json");
    assert_ok(deft__keyring_key(true, &key, &error), error);
    deft__keyring_forget();
    char        program[] = "dbus-send";
    char        bus[]     = "--session";
    char        wait[]    = "--print-reply";
    char        name[]    = "--dest=org.freedesktop.secrets";
    char        object[]  = "/org/freedesktop/secrets";
    char        method[]  = "org.freedesktop.Secret.Service.Lock";
    char        what[]    = "array:objpath:/org/freedesktop/secrets/collection/login";
    char *const words[]   = {program, bus, wait, name, object, method, what, NULL};
    assert_int_equal(run(words), 0);
    // A new key would take the place of the old one, and a login would be kept without a word in plain text.
    assert_int_equal(deft__keyring_key(false, &key, &error), DEFT_INVALID);
    assert_int_equal(deft__logins_seal(path, true, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "locked"));
    assert_int_equal(test_file_size(path), -1);
    // Who is asked to unlock it does not hold up others meanwhile: the lock of the file, which there can be
    // none of here, comes later.
    assert_int_equal(deft__logins_seal("/dev/null/logins.json", true, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "locked"));
    // It is not asked with every request: without a bus that would give another answer.
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    setenv("XDG_RUNTIME_DIR", folder.path, 1);
    assert_int_equal(deft__keyring_key(false, &key, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "locked"));
    deft__keyring_ask_again();
    assert_int_equal(deft__keyring_key(false, &key, &error), DEFT_NOT_FOUND);
    test_folder_clear(&folder);
}

int main(int count, char **words)
{
    if (count > 1) {
        return start_anew(words[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_session_there_is_none),
        cmocka_unit_test(a_bus_that_does_not_answer_is_told),
        cmocka_unit_test(a_key_is_made_once),
        cmocka_unit_test(a_file_is_sealed_and_made_plain_again),
        cmocka_unit_test(what_is_sealed_and_empty_is_made_plain_too),
        cmocka_unit_test(a_key_that_others_have_made_anew_is_found),
        cmocka_unit_test(a_keyring_that_stays_locked_is_not_an_empty_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
