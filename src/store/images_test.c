// Images: files beside the store, mapped, never changed.
#include "store/images.h"

#include "deft/index.h"
#include "support/catalog.h"
#include "support/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void save(const test_store *here, const char *variant, const char *bytes)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__image_save(here->store, deft_view_of(variant), deft_view_of(bytes), &error),
              error);
}

// `bytes` NULL: there is none.
static void expect(const test_store *here, const char *variant, const char *bytes)
{
    deft_error        error  = DEFT_ERROR_INIT;
    deft__bytes      *image  = NULL;
    const deft_status status = deft__image_load(here->store, deft_view_of(variant), &image, &error);
    assert_int_equal(status, bytes != NULL ? DEFT_OK : DEFT_NOT_FOUND);
    if (bytes != NULL) {
        assert_view_equal(image->view, bytes);
    }
    deft__bytes_release(image);
}

static void an_image_belongs_to_its_variant(void **state)
{
    const test_store *here = *state;
    expect(here, "one", NULL);
    save(here, "one", "first");
    save(here, "two", "second");
    expect(here, "one", "first");
    expect(here, "two", "second");
    save(here, "one", "again");
    expect(here, "one", "again");
}

static void who_has_an_image_keeps_it(void **state)
{
    const test_store *here  = *state;
    deft_error        error = DEFT_ERROR_INIT;
    deft__bytes      *image = NULL;
    save(here, "one", "first");
    assert_ok(deft__image_load(here->store, deft_view_of("one"), &image, &error), error);
    deft__image_rest(image);
    save(here, "one", "");
    assert_view_equal(image->view, "first");
    deft__image_rest(image);
    assert_view_equal(image->view, "first");
    deft__bytes_release(image);
    deft__image_rest(NULL);
    expect(here, "one", NULL); // an empty one is none
}

static void is_at_time(test_store *here, const char *name, time_t seconds)
{
    const struct timespec times[] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, test_folder_join(&here->folder, name), times, 0), 0);
}

static void the_last_few_stay(void **state)
{
    test_store *here = *state;
    for (unsigned i = 1; i <= DEFT__IMAGES_MAX; i++) {
        char name[40];
        char variant[] = {(char)('a' + i), '\0'};
        save(here, variant, "image");
        (void)snprintf(name, sizeof name, "deft.db.%s.image", variant);
        is_at_time(here, name, 1000 + (time_t)i);
    }
    save(here, "b", "again"); // the newest now, without another one going
    expect(here, "c", "image");
    save(here, "z", "new");
    expect(here, "b", "again");
    expect(here, "c", NULL);
    expect(here, "d", "image");
    expect(here, "z", "new");
}

static void what_was_left_unfinished_goes(void **state)
{
    test_store *here = *state;
    test_file_put(test_folder_join(&here->folder, "deft.db.a.image.abcdef"), deft_view_of("old"));
    test_file_put(test_folder_join(&here->folder, "deft.db.b.image.abcdef"), deft_view_of("new"));
    test_file_put(test_folder_join(&here->folder, "other.image.abcdef"), deft_view_of("not ours"));
    is_at_time(here, "deft.db.a.image.abcdef", 1000);
    is_at_time(here, "other.image.abcdef", 1000);
    save(here, "one", "first");
    assert_int_equal(test_file_size(test_folder_join(&here->folder, "deft.db.a.image.abcdef")), -1);
    assert_int_equal(test_file_size(test_folder_join(&here->folder, "deft.db.b.image.abcdef")), 3);
    assert_int_equal(test_file_size(test_folder_join(&here->folder, "other.image.abcdef")), 8);
}

static void images_of_a_store_beside_it_stay(void **state)
{
    static const char *const others[] = {"deft.db.2.a.image", "deft.db.2.b.image",
                                         "deft.db.2.c.image", "deft.db.2.d.image",
                                         "deft.db.2.e.image.abcdef"};
    test_store              *here     = *state;
    for (size_t i = 0; i < array_size(others); i++) {
        test_file_put(test_folder_join(&here->folder, others[i]), deft_view_of("not ours"));
        is_at_time(here, others[i], 1000);
    }
    save(here, "one", "first");
    for (size_t i = 0; i < array_size(others); i++) {
        assert_int_equal(test_file_size(test_folder_join(&here->folder, others[i])), 8);
    }
}

static void an_image_is_for_its_owner_alone(void **state)
{
    test_store *here = *state;
    save(here, "one", "first");
    const char *path = test_folder_join(&here->folder, "deft.db.one.image");
    assert_int_equal(test_file_mode(path), 0600);
    assert_int_equal(chmod(path, 0660), 0); // others could cut it short under our eyes
    expect(here, "one", NULL);
    assert_int_equal(chmod(path, 0640), 0);
    expect(here, "one", "first");
    assert_int_equal(symlink(path, test_folder_join(&here->folder, "deft.db.two.image")), 0);
    expect(here, "two", NULL);
    assert_int_equal(mkfifo(test_folder_join(&here->folder, "deft.db.three.image"), 0600), 0);
    expect(here, "three", NULL);
}

static void an_image_has_a_part_of_the_limit(void **state)
{
    static char               bytes[300000];
    test_store               *here    = *state;
    deft_error                error   = DEFT_ERROR_INIT;
    const deft__store_options options = {.size_max = 1024u * 1024};
    test_store_reopen(here, &options);
    assert_int_equal(deft__image_save(here->store, deft_view_of("one"),
                                      deft_view_make(bytes, sizeof bytes), &error),
                     DEFT_LIMIT);
    assert_int_equal(deft__image_save(here->store, deft_view_of("one"),
                                      deft_view_make(bytes, sizeof bytes / 2), &error),
                     DEFT_OK);
}

static void an_image_that_is_not_mapped_is_read(void **state)
{
    static char               bytes[200000];
    test_store               *here    = *state;
    deft_error                error   = DEFT_ERROR_INIT;
    deft__bytes              *image   = NULL;
    const deft__store_options options = {.is_unmapped = true};
    test_store_reopen(here, &options);
    memset(bytes, 'x', sizeof bytes);
    assert_ok(deft__image_save(here->store, deft_view_of("one"),
                               deft_view_make(bytes, sizeof bytes), &error),
              error);
    assert_ok(deft__image_load(here->store, deft_view_of("one"), &image, &error), error);
    test_file_cut(test_folder_join(&here->folder, "deft.db.one.image"), 10); // nobody falls over it
    deft__image_rest(image);
    assert_int_equal(image->view.size, sizeof bytes);
    assert_memory_equal(image->view.data, bytes, sizeof bytes);
    assert_int_equal((uintptr_t)image->view.data % 8, 0);
    deft__bytes_release(image);
}

static void where_nothing_can_be_written_there_is_an_error(void **state)
{
    test_store *here  = *state;
    deft_error  error = DEFT_ERROR_INIT;
    // A folder is in the way.
    assert_int_equal(mkdir(test_folder_join(&here->folder, "deft.db.one.image"), 0700), 0);
    assert_int_equal(
        deft__image_save(here->store, deft_view_of("one"), deft_view_of("first"), &error),
        DEFT_INVALID);
    assert_non_null(strstr(error.message, "no image can be written"));
    expect(here, "one", NULL);
}

static void an_index_comes_back(void **state)
{
    const test_store *here  = *state;
    deft_error        error = DEFT_ERROR_INIT;
    deft_catalog     *catalog =
        test_catalog_of("github", "[{\"name\":\"create_issue\",\"description\":\"Opens an issue\","
                                  "\"inputSchema\":{\"type\":\"object\"}}]");
    deft_index *built = deft_index_new(catalog, NULL, &error);
    assert_non_null(built);
    deft_buffer  saved;
    deft__bytes *image = NULL;
    deft_buffer_init(&saved, NULL);
    assert_int_equal(deft_index_save(built, &saved), DEFT_OK);
    assert_ok(deft__image_save(here->store, deft_view_of("x"), deft_buffer_view(&saved), &error),
              error);
    assert_ok(deft__image_load(here->store, deft_view_of("x"), &image, &error), error);
    deft_index *opened = deft_index_open(catalog, image->view, NULL, NULL, &error);
    assert_non_null(opened);
    deft_index_free(opened);
    deft_index_free(built);
    deft_catalog_release(catalog);
    deft_buffer_clear(&saved);
    deft__bytes_release(image);
}

static void without_a_store_there_is_none(void **state)
{
    (void)state;
    const test_store nowhere = {.store = NULL};
    save(&nowhere, "one", "first");
    expect(&nowhere, "one", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_store(an_image_belongs_to_its_variant),
        test_with_store(who_has_an_image_keeps_it),
        test_with_store(the_last_few_stay),
        test_with_store(what_was_left_unfinished_goes),
        test_with_store(images_of_a_store_beside_it_stay),
        test_with_store(an_image_is_for_its_owner_alone),
        test_with_store(where_nothing_can_be_written_there_is_an_error),
        test_with_store(an_index_comes_back),
        test_with_store(an_image_has_a_part_of_the_limit),
        test_with_store(an_image_that_is_not_mapped_is_read),
        cmocka_unit_test(without_a_store_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
