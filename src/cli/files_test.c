// Whole files, read within bounds and replaced at one stroke.
#define _XOPEN_SOURCE 700 // nftw
#include "cli/files.h"

#include "support/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// A folder of its own for each test, and the one it came from.
typedef struct place {
    char before[4096];
    char folder[64];
} place;

static int enter(void **state)
{
    static place here;
    snprintf(here.folder, sizeof here.folder, "/tmp/deft-files-test-XXXXXX");
    *state = &here;
    return getcwd(here.before, sizeof here.before) != NULL && mkdtemp(here.folder) != NULL
               ? chdir(here.folder)
               : -1;
}

static int remove_entry(const char *path, const struct stat *information, int type,
                        struct FTW *level)
{
    (void)information;
    (void)type;
    (void)level;
    return remove(path);
}

static int leave(void **state)
{
    const place *here = *state;
    return chdir(here->before) == 0 ? nftw(here->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS)
                                    : -1;
}

static void put(const char *path, deft_view text)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text.data, text.size), text.size);
    assert_int_equal(close(descriptor), 0);
}

static void assert_content(const char *path, const char *text)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer content;
    deft_buffer_init(&content, NULL);
    assert_ok(deft__file_read(path, 1000, "a text", &content, &error), error);
    assert_view_equal(deft_buffer_view(&content), text);
    deft_buffer_clear(&content);
}

static unsigned mode_of(const char *path)
{
    struct stat information;
    assert_int_equal(stat(path, &information), 0);
    return information.st_mode & 07777;
}

static void reading_appends(void **state)
{
    (void)state;
    put("a", deft_view_of("world"));
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft_buffer_append_text(&out, "hello ");
    assert_ok(deft__file_read("a", 5, "a text", &out, &error), error);
    assert_view_equal(deft_buffer_view(&out), "hello world");
    deft_buffer_clear(&out);
}

static const struct {
    const char *name;
    const char *path;
    deft_status status;
    const char *message;
} bad_files[] = {
    {"a file that is not there", "missing", DEFT_NOT_FOUND,
     "cannot read missing: No such file or directory"},
    {"a folder", "folder", DEFT_INVALID, "folder is a directory, not a file"},
    {"an empty file", "empty", DEFT_INVALID, "empty is empty; it should hold a text"},
    {"a binary file", "binary", DEFT_INVALID, "binary is a binary file; it should hold a text"},
    {"a file of gzip", "gzip", DEFT_INVALID, "gzip is compressed; unpack it first"},
    {"a file of zstd", "zstd", DEFT_INVALID, "zstd is compressed; unpack it first"},
    {"a file past the limit", "large", DEFT_LIMIT, "large is larger than 1 MiB, the limit for it"},
};

static void bad_files_are_told(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0755), 0);
    put("empty", deft_view_of(""));
    put("binary", deft_view_make("a\0b", 3));
    put("gzip", deft_view_of("\x1f\x8b\x08"));
    put("zstd", deft_view_of("\x28\xb5\x2f\xfd"));
    put("large", deft_view_of("x"));
    assert_int_equal(truncate("large", 1024 * 1024 + 1), 0);
    for (size_t i = 0; i < array_size(bad_files); i++) {
        case_name(bad_files[i].name);
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, "before");
        assert_int_equal(deft__file_read(bad_files[i].path, 1024 * 1024, "a text", &out, &error),
                         bad_files[i].status);
        assert_string_equal(error.message, bad_files[i].message);
        assert_view_equal(deft_buffer_view(&out), "before");
        deft_buffer_clear(&out);
    }
}

static void a_new_file_is_private(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__file_replace("a/b/c.json", deft_view_of("new"), &error), error);
    assert_content("a/b/c.json", "new");
    assert_int_equal(mode_of("a"), 0700);
    assert_int_equal(mode_of("a/b/c.json"), 0600);
}

static void a_replaced_file_keeps_its_mode_and_its_link(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    put("real", deft_view_of("old"));
    assert_int_equal(chmod("real", 0664), 0);
    assert_int_equal(symlink("real", "link"), 0);
    assert_ok(deft__file_replace("link", deft_view_of("new"), &error), error);
    assert_content("real", "new");
    assert_int_equal(mode_of("real"), 0664);
    struct stat information;
    assert_int_equal(lstat("link", &information), 0);
    assert_true(S_ISLNK(information.st_mode));
}

static void a_failed_write_changes_nothing(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(mkdir("folder", 0755), 0);
    put("file", deft_view_of("old"));
    assert_int_equal(deft__file_replace("folder", deft_view_of("new"), &error), DEFT_INVALID);
    assert_string_equal(error.message, "cannot write folder: Is a directory");
    assert_int_equal(deft__file_replace("file/below", deft_view_of("new"), &error), DEFT_NOT_FOUND);
    assert_int_equal(deft__file_replace("file/far/below", deft_view_of("new"), &error),
                     DEFT_NOT_FOUND);
    assert_content("file", "old");

    // Nothing is left behind: no temporary file.
    deft__file_names names;
    assert_ok(deft__file_names_read(&names, ".", &error), error);
    assert_int_equal(names.count, 0);
    deft__file_names_clear(&names);
}

static void names_are_sorted_and_chosen(void **state)
{
    (void)state;
    static const char *const files[] = {"b.json", "a.jsonl", "B.json", ".hidden.json",
                                        "a.txt",  ".json",   "json"};
    for (size_t i = 0; i < array_size(files); i++) {
        put(files[i], deft_view_of("x"));
    }
    deft_error       error = DEFT_ERROR_INIT;
    deft__file_names names;
    assert_ok(deft__file_names_read(&names, ".", &error), error);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.names[0], "B.json");
    assert_string_equal(names.names[1], "a.jsonl");
    assert_string_equal(names.names[2], "b.json");
    deft__file_names_clear(&names);
    assert_int_equal(deft__file_names_read(&names, "missing", &error), DEFT_NOT_FOUND);
}

static void kinds_of_files(void **state)
{
    (void)state;
    put("file", deft_view_of("x"));
    put("empty", deft_view_of(""));
    assert_true(deft__file_is_regular("file"));
    assert_false(deft__file_is_regular("."));
    assert_true(deft__file_is_directory("."));
    assert_false(deft__file_is_directory("file"));
    assert_true(deft__file_is_empty("empty"));
    assert_false(deft__file_is_empty("file"));
    assert_true(deft__file_exists("file"));
    assert_false(deft__file_exists("missing"));

    deft_buffer path;
    deft_buffer_init(&path, NULL);
    deft__path_join(&path, "a", "b");
    assert_string_equal(path.data, "a/b");
    deft__path_join(&path, "a/", "b");
    assert_string_equal(path.data, "a/b");
    deft_buffer_clear(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reading_appends, enter, leave),
        cmocka_unit_test_setup_teardown(bad_files_are_told, enter, leave),
        cmocka_unit_test_setup_teardown(a_new_file_is_private, enter, leave),
        cmocka_unit_test_setup_teardown(a_replaced_file_keeps_its_mode_and_its_link, enter, leave),
        cmocka_unit_test_setup_teardown(a_failed_write_changes_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(names_are_sorted_and_chosen, enter, leave),
        cmocka_unit_test_setup_teardown(kinds_of_files, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
