// What all servers offer at one moment, made anew or from what was kept.
#include "gateway/snapshot.h"

#include "support/allocator.h"
#include "support/test.h"

static const char lamps[] =
    "{\"server\":\"lamps\",\"tools\":[{\"name\":\"switch_lamp\",\"description\":\"Switch a lamp\","
    "\"inputSchema\":{\"type\":\"object\"}}]}";
static const char blinds[] = "{\"server\":\"blinds\",\"tools\":[{\"name\":\"close_blinds\","
                             "\"description\":\"Close them\"}]}";

typedef struct scene {
    deft_settings         settings;
    deft__snapshot_source sources[2];
    size_t                source_count;
} scene;

static void init(scene *here, size_t source_count)
{
    static const char *const texts[] = {lamps, blinds};
    static const char *const names[] = {"lamps", "blinds"};
    deft_settings_init(&here->settings, DEFT_PRESET_DEFT);
    here->source_count = source_count;
    for (size_t i = 0; i < source_count; i++) {
        here->sources[i].name     = deft_view_of(names[i]);
        here->sources[i].manifest = deft__manifest_new(deft_view_of(texts[i]), NULL, NULL);
        assert_non_null(here->sources[i].manifest);
    }
}

static void clear(scene *here)
{
    for (size_t i = 0; i < here->source_count; i++) {
        deft__manifest_release(here->sources[i].manifest);
    }
}

static deft__snapshot *make(scene *here, const deft_buffer *image)
{
    deft_error      error = DEFT_ERROR_INIT;
    deft__bytes    *bytes = image != NULL ? deft__bytes_copy(deft_buffer_view(image), NULL) : NULL;
    deft__snapshot *snapshot =
        deft__snapshot_new(here->sources, here->source_count, &here->settings, NULL, NULL,
                           DEFT_NAMING_WIRE, bytes, NULL, &error);
    assert_non_null(snapshot);
    deft__bytes_release(bytes);
    return snapshot;
}

static void write_image(scene *here, deft_buffer *image)
{
    deft__snapshot *snapshot = make(here, NULL);
    assert_false(snapshot->is_kept);
    deft_buffer_init(image, NULL);
    assert_int_equal(deft__snapshot_write_image(snapshot, &here->settings, image), DEFT_OK);
    deft__snapshot_release(snapshot);
}

static size_t hit_count(const deft__snapshot *snapshot, const char *query)
{
    deft_error       error    = DEFT_ERROR_INIT;
    size_t           count    = 0;
    deft_searcher   *searcher = deft_searcher_new(snapshot->index, NULL, &error);
    const deft_query asked    = {.text = deft_view_of(query), .hits_max = 5};
    assert_ok(deft_searcher_run(searcher, &asked, &error), error);
    (void)deft_searcher_hits(searcher, &count);
    deft_searcher_free(searcher);
    return count;
}

static void what_was_kept_is_used_where_it_fits(void **state)
{
    (void)state;
    scene       here;
    deft_buffer image;
    init(&here, 2);
    write_image(&here, &image);
    deft__snapshot *snapshot = make(&here, &image);
    assert_true(snapshot->is_kept);
    assert_int_equal(hit_count(snapshot, "lamp"), 1);
    assert_int_equal(hit_count(snapshot, "blinds"), 1);
    assert_true(deft_sizes_total(snapshot->sizes).tokens > 0);
    deft__snapshot_release(snapshot);
    deft_buffer_clear(&image);
    clear(&here);
}

static void what_was_kept_of_other_servers_is_not(void **state)
{
    (void)state;
    scene       one;
    scene       two;
    deft_buffer image;
    init(&one, 1);
    init(&two, 2);
    write_image(&one, &image);
    deft__snapshot *snapshot = make(&two, &image);
    assert_false(snapshot->is_kept);
    assert_int_equal(hit_count(snapshot, "blinds"), 1);
    deft__snapshot_release(snapshot);
    deft_buffer_clear(&image);
    clear(&one);
    clear(&two);
}

static void what_was_kept_may_be_any_bytes(void **state)
{
    (void)state;
    scene       here;
    deft_buffer image;
    init(&here, 2);
    write_image(&here, &image);
    const size_t step = image.size / 97 + 1;
    for (size_t i = 0; i < image.size; i += step) {
        deft_buffer cut;
        deft_buffer_init(&cut, NULL);
        deft_buffer_append(&cut, deft_view_slice(deft_buffer_view(&image), 0, i));
        deft__snapshot *snapshot = make(&here, &cut);
        assert_false(snapshot->is_kept);
        deft__snapshot_release(snapshot);
        deft_buffer_clear(&cut);

        image.data[i] = (char)(image.data[i] ^ 0x55);
        deft_buffer_append(&cut, deft_buffer_view(&image));
        snapshot = make(&here, &cut);
        assert_int_equal(hit_count(snapshot, "lamp"), 1);
        deft__snapshot_release(snapshot);
        deft_buffer_clear(&cut);
        image.data[i] = (char)(image.data[i] ^ 0x55);
    }
    deft_buffer_clear(&image);
    clear(&here);
}

static void an_image_has_the_texts_of_its_servers(void **state)
{
    (void)state;
    scene       here;
    deft_buffer image;
    init(&here, 2);
    deft__manifest_release(here.sources[0].manifest);
    here.sources[0].manifest = NULL;
    write_image(&here, &image);
    const deft_view bytes = deft_buffer_view(&image);
    assert_int_equal(deft__snapshot_image_text(bytes, 0).size, 0);
    assert_view_equal(deft__snapshot_image_text(bytes, 1), blinds);
    assert_int_equal(deft__snapshot_image_text(bytes, 2).size, 0);
    assert_int_equal(deft__snapshot_image_text(bytes, SIZE_MAX).size, 0);
    assert_int_equal(deft__snapshot_image_text(deft_view_of("DEFTIMG1"), 0).size, 0);
    // A text is inside, wherever the image is cut and whatever it says.
    for (size_t i = 0; i < bytes.size && i < 200; i++) {
        const deft_view text = deft__snapshot_image_text(deft_view_slice(bytes, 0, i), 1);
        assert_true(text.size == 0 || deft_view_equals(text, blinds));
        image.data[i] = (char)(image.data[i] ^ 0x55);
        for (size_t server = 0; server < 40; server++) {
            const deft_view other = deft__snapshot_image_text(bytes, server);
            assert_true(other.size == 0 || (other.data >= bytes.data &&
                                            other.data + other.size <= bytes.data + bytes.size));
        }
        image.data[i] = (char)(image.data[i] ^ 0x55);
    }
    deft_buffer_clear(&image);
    clear(&here);
}

// Where there is no memory to open what was kept, it is made anew, so a failure may be made good.
static void memory_may_end_anywhere(void **state)
{
    (void)state;
    scene       here;
    deft_buffer image;
    init(&here, 2);
    write_image(&here, &image);
    test_allocator allocator;
    bool           is_made = false;
    for (size_t i = 1; !is_made; i++) {
        deft_error   error = DEFT_ERROR_INIT;
        deft__bytes *bytes = deft__bytes_copy(deft_buffer_view(&image), NULL);
        test_allocator_init(&allocator);
        allocator.fail_at = i;
        deft__snapshot *snapshot =
            deft__snapshot_new(here.sources, here.source_count, &here.settings, NULL, NULL,
                               DEFT_NAMING_WIRE, bytes, &allocator.allocator, &error);
        is_made = snapshot != NULL && allocator.requests < i;
        deft__snapshot_release(snapshot);
        deft__bytes_release(bytes);
        assert_int_equal(allocator.blocks, 0);
    }
    deft_buffer_clear(&image);
    clear(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_is_used_where_it_fits),
        cmocka_unit_test(what_was_kept_of_other_servers_is_not),
        cmocka_unit_test(what_was_kept_may_be_any_bytes),
        cmocka_unit_test(an_image_has_the_texts_of_its_servers),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
