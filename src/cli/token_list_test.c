// Tokens from the configuration and from a file, and when they are read again.
#include "cli/token_list.h"

#include "support/folder.h"
#include "support/test.h"

static void a_file_has_a_token_a_line(void **state)
{
    deft_error       error = DEFT_ERROR_INIT;
    test_folder      folder;
    deft__token_list list;
    (void)state;
    test_folder_init(&folder);
    const char *path = test_folder_join(&folder, "tokens");
    deft__token_list_init(&list);
    test_file_put(path, deft_view_of("# ours\n\none\r\ntwo\nthree")); // the last line has no end
    assert_ok(deft__token_list_read_file(&list, path, &error), error);
    assert_int_equal(list.count, 3);
    assert_view_equal(list.items[0].name, "line-3");
    assert_view_equal(list.items[2].name, "line-5");
    deft__digest digest;
    assert_true(deft__sha256(deft_view_of("one"), &digest));
    assert_memory_equal(list.items[0].digest.bytes, digest.bytes, sizeof digest.bytes);
    assert_ok(deft__token_list_check(&list, &error), error);
    deft__token_list_clear(&list);

    test_file_put(path, deft_view_of("# nothing\n"));
    assert_int_equal(deft__token_list_read_file(&list, path, &error), DEFT_INVALID);
    deft__token_list_clear(&list);
    test_folder_clear(&folder);
}

static void two_names_for_one_token_are_an_error(void **state)
{
    static const struct {
        const char *name;
        const char *text;
        const char *message; // NULL: all is well
    } cases[] = {
        {"none twice", "a\nb\nc\n", NULL},
        {"one alone", "a\n", NULL},
        {"the first and the last", "same\nb\nc\nsame\n",
         "'line-1' and 'line-4' are the same token, and may be meant to reach different things: "
         "give "
         "each its own with 'deft token new NAME'"},
    };
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_error       error = DEFT_ERROR_INIT;
        test_folder      folder;
        deft__token_list list;
        case_name(cases[i].name);
        test_folder_init(&folder);
        const char *path = test_folder_join(&folder, "tokens");
        deft__token_list_init(&list);
        test_file_put(path, deft_view_of(cases[i].text));
        assert_ok(deft__token_list_read_file(&list, path, &error), error);
        const deft_status status = deft__token_list_check(&list, &error);
        assert_int_equal(status, cases[i].message == NULL ? DEFT_OK : DEFT_DUPLICATE);
        assert_string_equal(error.message, cases[i].message == NULL ? "" : cases[i].message);
        deft__token_list_clear(&list);
        test_folder_clear(&folder);
    }
}

static void they_are_read_again_when_they_are_whole(void **state)
{
    static const struct {
        const char *name;
        uint64_t    settings;
        uint64_t    all;
        bool        is_read;
    } looks[] = {
        {"nothing has changed", 1, 10, false},
        {"the file is being written", 1, 11, false},
        {"and still is", 1, 12, false},
        {"now it is whole", 1, 12, true},
        {"it is read once", 1, 12, false},
        {"the configuration is read at once", 2, 20, true},
        {"and once", 2, 20, false},
        {"both, of which one is being written", 3, 31, true},
        {"it goes on", 3, 32, false},
        {"and is read again", 3, 32, true},
        {"written and undone", 3, 33, false},
        {"as it was", 3, 32, false},
    };
    deft__token_watch watch;
    (void)state;
    deft__token_watch_init(&watch, 1, 10);
    for (size_t i = 0; i < array_size(looks); i++) {
        case_name(looks[i].name);
        assert_int_equal(deft__token_watch_look(&watch, looks[i].settings, looks[i].all),
                         looks[i].is_read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_a_token_a_line),
        cmocka_unit_test(two_names_for_one_token_are_an_error),
        cmocka_unit_test(they_are_read_again_when_they_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
