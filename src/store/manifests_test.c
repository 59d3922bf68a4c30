// What servers offer, from one start to the next. Secrets of a configuration are in no file.
#include "store/manifests.h"

#include "store/database.h"
#include "support/store.h"

#include <stdlib.h>

static deft__store_key key_of(const test_store *here, const char *name)
{
    const deft_pair environment[]   = {{deft_view_of("TOKEN"), deft_view_of("s3cret-token")}};
    const deft_server_config server = {.name              = deft_view_of(name),
                                       .command           = deft_view_of("npx"),
                                       .environment       = environment,
                                       .environment_count = 1};
    deft__store_key          key;
    assert_true(deft__store_key_of(here->store, &server, &key));
    return key;
}

static void save(const test_store *here, const char *name, const char *text, uint64_t now_s)
{
    deft_error                error    = DEFT_ERROR_INIT;
    const deft__store_key     key      = key_of(here, name);
    const deft__kept_manifest manifest = {.name       = deft_view_of(name),
                                          .text       = deft_view_of(text),
                                          .era        = deft_view_of("legacy"),
                                          .checked_at = now_s};
    assert_ok(deft__manifest_save(here->store, &key, &manifest, &error), error);
}

// Adds "PLACE name text saved checked;" for each that is found.
static void describe(void *context, size_t place, const deft__kept_manifest *manifest)
{
    deft_buffer *out = context;
    deft_buffer_append_u64(out, place);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, manifest->name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, manifest->text);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, manifest->era);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_u64(out, manifest->saved_at);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_u64(out, manifest->checked_at);
    deft_buffer_append_byte(out, ';');
}

static void expect(const test_store *here, const char *text)
{
    const deft__store_key keys[] = {key_of(here, "github"), key_of(here, "slack"),
                                    key_of(here, "files")};
    deft_error            error  = DEFT_ERROR_INIT;
    deft_buffer           found;
    deft_buffer_init(&found, NULL);
    assert_ok(
        deft__manifests_load(here->store, keys, array_size(keys), NULL, describe, &found, &error),
        error);
    assert_view_equal(deft_buffer_view(&found), text);
    deft_buffer_clear(&found);
}

static void what_is_saved_is_found_at_the_next_start(void **state)
{
    test_store *here = *state;
    expect(here, "");
    save(here, "files", "{\"tools\":[]}", 1000);
    save(here, "github", "{}", 2000);
    expect(here, "0 github {} legacy 2000 2000;2 files {\"tools\":[]} legacy 1000 1000;");
    test_store_reopen(here, NULL);
    expect(here, "0 github {} legacy 2000 2000;2 files {\"tools\":[]} legacy 1000 1000;");
}

static void the_same_text_keeps_its_age(void **state)
{
    test_store *here = *state;
    save(here, "slack", "one", 1000);
    save(here, "slack", "one", 1500);
    expect(here, "1 slack one legacy 1000 1500;");
    save(here, "slack", "two", 1700);
    expect(here, "1 slack two legacy 1700 1700;");
    save(here, "slack", "", 1800);
    expect(here, "1 slack  legacy 1800 1800;");
}

static void what_is_forgotten_is_not_found(void **state)
{
    test_store           *here  = *state;
    deft_error            error = DEFT_ERROR_INIT;
    const deft__store_key key   = key_of(here, "slack");
    save(here, "slack", "one", 1000);
    save(here, "files", "two", 1000);
    assert_ok(deft__manifest_forget(here->store, &key, &error), error);
    assert_ok(deft__manifest_forget(here->store, &key, &error), error); // nothing happens
    expect(here, "2 files two legacy 1000 1000;");
}

static void what_nobody_used_for_90_days_goes(void **state)
{
    const uint64_t        day   = 24 * 60 * 60;
    test_store           *here  = *state;
    deft_error            error = DEFT_ERROR_INIT;
    const deft__store_key used  = key_of(here, "files");
    save(here, "slack", "one", 1000);
    save(here, "files", "two", 1000);
    assert_ok(deft__store_prune(here->store, 1000 + 90 * day, &error), error);
    expect(here, "1 slack one legacy 1000 1000;2 files two legacy 1000 1000;");
    assert_ok(deft__manifests_touch(here->store, &used, 1, 1000 + 80 * day, &error), error);
    assert_ok(deft__store_prune(here->store, 1001 + 90 * day, &error), error);
    expect(here, "2 files two legacy 1000 1000;");
    assert_ok(deft__store_prune(here->store, 5, &error), error); // a clock before its time
    expect(here, "2 files two legacy 1000 1000;");
}

static void a_large_manifest_comes_back_whole(void **state)
{
    test_store           *here  = *state;
    deft_error            error = DEFT_ERROR_INIT;
    const deft__store_key key   = key_of(here, "slack");
    const size_t          size  = 3 * 1024 * 1024;
    char                 *text  = malloc(size + 1);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)('a' + i % 23);
    }
    text[size] = '\0';
    save(here, "slack", text, 1000);
    test_store_reopen(here, NULL);
    deft_buffer found;
    deft_buffer_init(&found, NULL);
    assert_ok(deft__manifests_load(here->store, &key, 1, NULL, describe, &found, &error), error);
    assert_memory_equal(found.data + sizeof "0 slack" + 0, text, size);
    deft_buffer_clear(&found);
    free(text);
}

static bool file_holds(const char *path, const char *text)
{
    const off_t size = test_file_size(path);
    if (size <= 0) {
        return false;
    }
    char *bytes = malloc((size_t)size);
    FILE *file  = fopen(path, "rb");
    assert_non_null(bytes);
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    const size_t text_size = strlen(text);
    bool         is_there  = false;
    for (size_t i = 0; !is_there && i + text_size <= (size_t)size; i++) {
        is_there = memcmp(bytes + i, text, text_size) == 0;
    }
    free(bytes);
    return is_there;
}

static void no_file_holds_a_secret(void **state)
{
    test_store *here = *state;
    save(here, "slack", "what the server said", 1000);
    assert_true(file_holds(test_folder_join(&here->folder, "deft.db-wal"), "what the server said"));
    assert_false(file_holds(test_folder_join(&here->folder, "deft.db-wal"), "s3cret"));
    test_store_reopen(here, NULL);
    assert_true(file_holds(test_folder_join(&here->folder, "deft.db"), "what the server said"));
    assert_false(file_holds(test_folder_join(&here->folder, "deft.db"), "s3cret"));
}

static void a_text_that_the_disk_changed_is_asked_again(void **state)
{
    test_store *here = *state;
    save(here, "slack", "one", 1000);
    save(here, "files", "two", 1000);
    assert_int_equal(
        deft__sql_run(here->store->database,
                      "UPDATE manifests SET text = CAST('0ne' AS BLOB) WHERE name = 'slack'"),
        SQLITE_OK);
    expect(here, "2 files two legacy 1000 1000;");
    assert_true(deft__store_take_note(here->store).size > 0);
    assert_view_equal(deft__store_take_note(here->store), "");
    save(here, "slack", "one", 2000); // what the server says when it is asked
    expect(here, "1 slack one legacy 2000 2000;2 files two legacy 1000 1000;");
}

static void without_a_store_nothing_is_found(void **state)
{
    (void)state;
    const test_store nowhere = {.store = NULL};
    deft_error       error   = DEFT_ERROR_INIT;
    save(&nowhere, "slack", "one", 1000);
    expect(&nowhere, "");
    const deft__store_key key = key_of(&nowhere, "slack");
    assert_ok(deft__manifest_forget(NULL, &key, &error), error);
    assert_ok(deft__manifests_touch(NULL, &key, 1, 1000, &error), error);
    assert_ok(deft__store_prune(NULL, 1000, &error), error);
}

static void note_if_mapped(void *context, size_t place, const deft__kept_manifest *manifest)
{
    const char **text = context;
    text[place]       = manifest->is_mapped ? manifest->text.data : "read";
}

static void a_text_in_hand_is_given_instead_of_the_kept_one(void **state)
{
    const test_store     *here    = *state;
    deft_error            error   = DEFT_ERROR_INIT;
    const deft__store_key keys[]  = {key_of(here, "github"), key_of(here, "jira"),
                                     key_of(here, "slack"), key_of(here, "linear")};
    const deft_view       texts[] = {deft_view_of("{\"a\":1}"), deft_view_of("{\"a\":2}"),
                                     deft_view_of(""), deft_view_of("{}")};
    const char           *given[] = {"none", "none", "none", "none"};
    save(here, "github", "{\"a\":1}", 100);
    save(here, "jira", "{\"a\":3}", 100);  // has changed since
    save(here, "slack", "{\"a\":3}", 100); // was not there
    assert_ok(deft__manifests_load(here->store, keys, 4, texts, note_if_mapped, given, &error),
              error);
    assert_ptr_equal(given[0], texts[0].data);
    assert_string_equal(given[1], "read");
    assert_string_equal(given[2], "read");
    assert_string_equal(given[3], "none"); // it is not kept, so it is not known
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_store(a_text_in_hand_is_given_instead_of_the_kept_one),
        test_with_store(what_is_saved_is_found_at_the_next_start),
        test_with_store(the_same_text_keeps_its_age),
        test_with_store(what_is_forgotten_is_not_found),
        test_with_store(what_nobody_used_for_90_days_goes),
        test_with_store(a_large_manifest_comes_back_whole),
        test_with_store(no_file_holds_a_secret),
        test_with_store(a_text_that_the_disk_changed_is_asked_again),
        cmocka_unit_test(without_a_store_nothing_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
