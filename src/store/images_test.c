// Built indexes, kept for the next start.
#include "store/images.h"

#include "deft/index.h"
#include "support/catalog.h"
#include "support/folder.h"
#include "support/test.h"

typedef struct scene {
    test_folder  folder;
    deft__store *store;
} scene;

static int set_up(void **state)
{
    static scene here;
    deft_error   error = DEFT_ERROR_INIT;
    test_folder_init(&here.folder);
    here.store = deft__store_open(test_folder_join(&here.folder, "deft.db"), NULL, &error);
    assert_non_null(here.store);
    *state = &here;
    return 0;
}

static int tear_down(void **state)
{
    scene *here = *state;
    deft__store_close(here->store);
    test_folder_clear(&here->folder);
    return 0;
}

static void save(const scene *here, uint64_t version, const char *variant, const char *bytes)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(
        deft__image_save(here->store, version, deft_view_of(variant), deft_view_of(bytes), &error),
        error);
}

// `bytes` NULL: there is none.
static void expect(const scene *here, uint64_t version, const char *variant, const char *bytes)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer image;
    deft_buffer_init(&image, NULL);
    deft_buffer_append_text(&image, "before ");
    const deft_status status =
        deft__image_load(here->store, version, deft_view_of(variant), &image, &error);
    assert_int_equal(status, bytes != NULL ? DEFT_OK : DEFT_NOT_FOUND);
    assert_view_equal(deft_view_slice(deft_buffer_view(&image), 7, image.size),
                      bytes != NULL ? bytes : "");
    deft_buffer_clear(&image);
}

static void an_image_belongs_to_catalog_and_variant(void **state)
{
    const scene *here = *state;
    expect(here, 1, "english", NULL);
    save(here, 1, "english", "one");
    save(here, UINT64_MAX, "english", "two");
    save(here, 1, "german", "three");
    save(here, 2, "english", "");
    expect(here, 1, "english", "one");
    expect(here, UINT64_MAX, "english", "two");
    expect(here, 1, "german", "three");
    expect(here, 2, "english", "");
    expect(here, 2, "german", NULL);
}

static void expect_newest(const scene *here, const char *variant, const char *bytes)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer image;
    deft_buffer_init(&image, NULL);
    const deft_status status =
        deft__image_load_newest(here->store, deft_view_of(variant), &image, &error);
    assert_int_equal(status, bytes != NULL ? DEFT_OK : DEFT_NOT_FOUND);
    assert_view_equal(deft_buffer_view(&image), bytes != NULL ? bytes : "");
    deft_buffer_clear(&image);
}

static void the_newest_is_found_without_its_catalog(void **state)
{
    const scene *here = *state;
    expect_newest(here, "english", NULL);
    save(here, 1, "english", "one");
    save(here, 2, "english", "two");
    save(here, 3, "german", "three");
    expect_newest(here, "english", "two");
    expect_newest(here, "german", "three");
    save(here, 1, "english", "again");
    expect_newest(here, "english", "again");
}

static void the_last_few_stay(void **state)
{
    const scene *here = *state;
    for (uint64_t i = 1; i <= DEFT__IMAGES_MAX; i++) {
        save(here, i, "", "image");
    }
    save(here, 1, "", "again"); // the newest now, without another one going
    for (uint64_t i = 1; i <= DEFT__IMAGES_MAX; i++) {
        expect(here, i, "", i == 1 ? "again" : "image");
    }
    save(here, 100, "", "new");
    expect(here, 1, "", "again");
    expect(here, 2, "", NULL);
    expect(here, 100, "", "new");
}

static void an_index_comes_back(void **state)
{
    const scene  *here  = *state;
    deft_error    error = DEFT_ERROR_INIT;
    deft_catalog *catalog =
        test_catalog_of("github", "[{\"name\":\"create_issue\",\"description\":\"Opens an issue\","
                                  "\"inputSchema\":{\"type\":\"object\"}}]");
    deft_index *built = deft_index_new(catalog, NULL, &error);
    assert_non_null(built);
    deft_buffer saved;
    deft_buffer image;
    deft_buffer_init(&saved, NULL);
    deft_buffer_init(&image, NULL);
    assert_int_equal(deft_index_save(built, &saved), DEFT_OK);
    const uint64_t version = deft_catalog_version(catalog);
    assert_ok(
        deft__image_save(here->store, version, deft_view_of(""), deft_buffer_view(&saved), &error),
        error);
    assert_ok(deft__image_load(here->store, version, deft_view_of(""), &image, &error), error);
    deft_index *opened = deft_index_open(catalog, deft_buffer_view(&image), NULL, NULL, &error);
    assert_non_null(opened);
    deft_index_free(opened);
    deft_index_free(built);
    deft_catalog_release(catalog);
    deft_buffer_clear(&saved);
    deft_buffer_clear(&image);
}

static void without_a_store_there_is_none(void **state)
{
    (void)state;
    const scene nowhere = {.store = NULL};
    save(&nowhere, 1, "", "one");
    expect(&nowhere, 1, "", NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_image_belongs_to_catalog_and_variant),
        TEST(the_newest_is_found_without_its_catalog),
        TEST(the_last_few_stay),
        TEST(an_index_comes_back),
        cmocka_unit_test(without_a_store_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
