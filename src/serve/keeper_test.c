// What is learned while serving reaches the store, without anyone waiting.
#include "serve/keeper.h"

#include "support/allocator.h"
#include "support/folder.h"
#include "support/waiting.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static deft_settings settings;

typedef struct desk {
    test_folder  folder;
    deft__store *store;
    deft__loop  *loop;
    deft__keeper keeper;
    size_t       idle_count;
    char         notes[1000];
} desk;

static void idle(void *context)
{
    desk *one = context;
    one->idle_count++;
    deft__loop_stop(one->loop);
}

static void note(void *context, deft_view line)
{
    desk *one = context;
    snprintf(one->notes, sizeof one->notes, "%.*s", (int)line.size, line.data);
}

static void init(desk *one)
{
    *one = (desk){.loop = test_loop_new()};
    test_folder_init(&one->folder);
    one->store = deft__store_open(test_folder_join(&one->folder, "deft.db"), NULL, NULL);
    assert_non_null(one->store);
    assert_true(deft__keeper_init(&one->keeper, one->store, &settings, 2, NULL));
    assert_true(deft__keeper_begin(&one->keeper, one->loop));
    one->keeper.context     = one;
    one->keeper.idle        = idle;
    one->keeper.note        = note;
    one->keeper.names[0]    = deft_view_of("alpha");
    one->keeper.names[1]    = deft_view_of("beta");
    one->keeper.has_keys[0] = true; // beta has none
    memset(&one->keeper.keys[0], 'k', sizeof one->keeper.keys[0]);
}

static void clear(desk *one)
{
    deft__keeper_clear(&one->keeper);
    deft__store_close(one->store);
    deft__loop_free(one->loop);
    test_folder_clear(&one->folder);
}

static deft__manifest *manifest(const char *text)
{
    deft__manifest *made = deft__manifest_new(deft_view_of(text), NULL, NULL);
    assert_non_null(made);
    return made;
}

static void learn(desk *one, size_t server, const char *text)
{
    deft__manifest *made = manifest(text);
    deft__keeper_learn(&one->keeper, server, made);
    deft__manifest_release(made);
}

static void found(void *context, size_t place, const deft__kept_manifest *kept)
{
    (void)place;
    deft_buffer *out = context;
    deft_buffer_append(out, kept->name);
    deft_buffer_append_text(out, " ");
    deft_buffer_append(out, kept->text);
}

static void expect_kept(const desk *one, const char *text)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(
        deft__manifests_load(one->store, &one->keeper.keys[0], 1, NULL, found, &out, NULL),
        DEFT_OK);
    assert_view_equal(deft_buffer_view(&out), text);
    deft_buffer_clear(&out);
}

static void count_record(void *context, const deft__record *record)
{
    size_t *count = context;
    assert_true(record->at_ms > 1000000000000u); // a time of day
    assert_view_equal(record->client, "me");
    *count += 1;
}

static size_t journal_count(const desk *one, unsigned kinds)
{
    size_t count = 0;
    assert_int_equal(deft__journal_last(one->store, 100000, kinds, count_record, &count, NULL),
                     DEFT_OK);
    return count;
}

static void write_line(desk *one, deft__journal_kind kind)
{
    const deft__journal_entry entry = {.kind    = kind,
                                       .client  = DEFT_VIEW_INIT("me"),
                                       .tool    = DEFT_VIEW_INIT("alpha::echo"),
                                       .text    = DEFT_VIEW_INIT("{\"private\":1}"),
                                       .outcome = "ok"};
    deft__keeper_journal(&one->keeper, &entry, false);
}

// Closes, so that the loop stops when the other thread is done with what it has.
static void close_later(void *context)
{
    desk *one = context;
    if (deft__keeper_close(&one->keeper)) {
        deft__loop_stop(one->loop);
    }
}

static void run_a_while(desk *one)
{
    deft__alarm *alarm = deft__alarm_new(one->loop, close_later, one);
    deft__alarm_set(alarm, 300);
    test_loop_run(one->loop);
    deft__alarm_free(alarm);
}

static void what_is_learned_is_written_by_another_thread(void **state)
{
    (void)state;
    desk one;
    init(&one);
    learn(&one, 0, "{\"tools\":[]}");
    learn(&one, 0, "{\"tools\":[{\"name\":\"x\"}]}"); // the newer one counts
    learn(&one, 1, "{}");
    write_line(&one, DEFT__JOURNAL_SEARCH);
    write_line(&one, DEFT__JOURNAL_DESCRIBE);
    write_line(&one, DEFT__JOURNAL_CALL);
    run_a_while(&one);
    expect_kept(&one, "alpha {\"tools\":[{\"name\":\"x\"}]}");
    assert_int_equal(journal_count(&one, 0), 3);
    assert_int_equal(journal_count(&one, 1u << DEFT__RECORD_CALL), 1);
    assert_true(one.keeper.checked_at[0] > 0);
    clear(&one);
}

static void what_is_left_is_written_at_the_end(void **state)
{
    (void)state;
    desk one;
    init(&one);
    learn(&one, 0, "{}");
    write_line(&one, DEFT__JOURNAL_CALL);
    assert_true(deft__keeper_close(&one.keeper)); // nothing is on its way
    // As clear does it, but with the store still there to look at.
    const deft__store_key key   = one.keeper.keys[0];
    deft__store          *store = one.store;
    deft__keeper_clear(&one.keeper);
    one.keeper.keys = (deft__store_key *)(uintptr_t)&key;
    expect_kept(&one, "alpha {}");
    one.keeper = (deft__keeper){0};
    one.store  = store;
    assert_int_equal(journal_count(&one, 0), 1);
    clear(&one);
}

static void the_journal_waits_within_limits(void **state)
{
    (void)state;
    desk one;
    init(&one);
    for (size_t i = 0; i < DEFT__KEEPER_LINES_MAX + 5; i++) {
        write_line(&one, DEFT__JOURNAL_CALL);
    }
    assert_int_equal(one.keeper.gathered.record_count, DEFT__KEEPER_LINES_MAX);
    assert_int_equal(one.keeper.dropped_count, 5);
    clear(&one);
}

static void troubles_of_the_store_are_told(void **state)
{
    (void)state;
    desk                      one;
    const deft__store_options small = {.size_max = 200 * 1024};
    init(&one);
    deft__store_close(one.store);
    one.store = deft__store_open(test_folder_join(&one.folder, "deft.db"), &small, NULL);
    assert_non_null(one.store);
    one.keeper.store  = one.store;
    char *const large = malloc(1 << 20); // more than the file may hold
    memset(large, ' ', 1 << 20);
    large[0]             = '{';
    large[(1 << 20) - 2] = '}';
    large[(1 << 20) - 1] = '\0';
    learn(&one, 0, large);
    free(large);
    run_a_while(&one);
    assert_string_not_equal(one.notes, "");
    clear(&one);
}

static void without_a_store_nothing_gathers(void **state)
{
    (void)state;
    deft__keeper keeper;
    assert_true(deft__keeper_init(&keeper, NULL, &settings, 1, NULL));
    deft__manifest *made = manifest("{}");
    deft__keeper_learn(&keeper, 0, made);
    deft__manifest_release(made);
    const deft__journal_entry entry = {.kind = DEFT__JOURNAL_CALL, .outcome = "ok"};
    deft__keeper_journal(&keeper, &entry, true);
    assert_false(keeper.gathered.has_manifests);
    assert_int_equal(keeper.gathered.record_count, 0);
    deft__keeper_clear(&keeper);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    const desk  *one = context;
    deft__keeper keeper;
    bool         is_done = deft__keeper_init(&keeper, one->store, &settings, 1, allocator);
    if (is_done) {
        const deft__journal_entry entry = {.kind = DEFT__JOURNAL_CALL, .outcome = "ok"};
        deft__keeper_journal(&keeper, &entry, true);
        is_done = keeper.dropped_count == 0;
    }
    deft__keeper_clear(&keeper);
    return is_done;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    desk one;
    init(&one);
    assert_true(test_every_allocation_fails(attempt, &one) >= 6);
    clear(&one);
}

// A snapshot of one server that offers this.
static void keep_image(desk *one, const char *text)
{
    deft__manifest             *offered = manifest(text);
    const deft__snapshot_source source  = {.name = deft_view_of("alpha"), .manifest = offered};
    deft__snapshot             *snapshot =
        deft__snapshot_new(&source, 1, &settings, NULL, NULL, DEFT_NAMING_WIRE, NULL, NULL, NULL);
    assert_non_null(snapshot);
    deft__keeper_image(&one->keeper, snapshot);
    deft__snapshot_release(snapshot);
    deft__manifest_release(offered);
}

// `text` is that of the first server in the image; "": there is no image.
static void expect_image(desk *one, const char *text)
{
    deft__bytes *image = deft__keeper_load_image(&one->keeper);
    assert_view_equal(
        image != NULL ? deft__snapshot_image_text(image->view, 0) : deft_view_make("", 0), text);
    deft__bytes_release(image);
}

static void the_last_image_of_these_servers_is_kept(void **state)
{
    (void)state;
    desk one;
    init(&one);
    keep_image(&one, "{\"tools\":[]}"); // before the servers were known
    assert_null(one.keeper.gathered.snapshot);
    expect_image(&one, "");
    keep_image(&one, "{\"tools\":[],\"x\":1}");
    keep_image(&one, "{\"tools\":[],\"x\":2}"); // in its place
    deft__keeper_clear(&one.keeper);
    assert_true(deft__keeper_init(&one.keeper, one.store, &settings, 2, NULL));
    memset(&one.keeper.keys[0], 'k', sizeof one.keeper.keys[0]);
    expect_image(&one, "{\"tools\":[],\"x\":2}");
    memset(&one.keeper.keys[1], 'b', sizeof one.keeper.keys[1]);
    expect_image(&one, ""); // other servers
    clear(&one);
}

static void without_a_store_no_image_is_kept(void **state)
{
    (void)state;
    desk one = {.store = NULL};
    assert_true(deft__keeper_init(&one.keeper, NULL, &settings, 2, NULL));
    expect_image(&one, "");
    keep_image(&one, "{\"tools\":[]}");
    assert_null(one.keeper.gathered.snapshot);
    deft__keeper_touch(&one.keeper);
    assert_false(one.keeper.gathered.is_used);
    deft__keeper_clear(&one.keeper);
}

static void count_found(void *context, size_t place, const deft__kept_manifest *kept)
{
    (void)place;
    (void)kept;
    *(size_t *)context += 1;
}

static void what_is_in_use_is_not_forgotten(void **state)
{
    (void)state;
    const uint64_t long_after = (uint64_t)time(NULL) + DEFT__STORE_KEPT_S / 2;
    for (int is_used = 0; is_used <= 1; is_used++) {
        desk                      one;
        size_t                    count = 0;
        const deft__kept_manifest kept  = {.name       = deft_view_of("alpha"),
                                           .text       = deft_view_of("{}"),
                                           .checked_at = 1000}; // in 1970
        init(&one);
        assert_int_equal(deft__manifest_save(one.store, &one.keeper.keys[0], &kept, NULL), DEFT_OK);
        if (is_used == 1) {
            deft__keeper_touch(&one.keeper);
        }
        deft__keeper_clear(&one.keeper); // writes
        assert_true(deft__keeper_init(&one.keeper, one.store, &settings, 2, NULL));
        memset(&one.keeper.keys[0], 'k', sizeof one.keeper.keys[0]);
        assert_int_equal(deft__store_prune(one.store, long_after, NULL), DEFT_OK);
        assert_int_equal(
            deft__manifests_load(one.store, one.keeper.keys, 1, NULL, count_found, &count, NULL),
            DEFT_OK);
        assert_int_equal(count, is_used);
        clear(&one);
    }
}

static void nothing_is_written_while_the_store_is_lent(void **state)
{
    (void)state;
    desk                      one;
    const deft__journal_entry entry = {.kind = DEFT__JOURNAL_CALL, .outcome = "ok"};
    init(&one);
    deft__keeper_lend(&one.keeper);
    deft__keeper_journal(&one.keeper, &entry, true);
    assert_int_equal(one.keeper.gathered.record_count, 1);
    deft__loop_run(one.loop); // nothing is set, so nothing happens
    assert_int_equal(one.keeper.gathered.record_count, 1);
    assert_false(deft__keeper_close(&one.keeper)); // it says when it is given back
    deft__keeper_give_back(&one.keeper);
    assert_int_equal(one.idle_count, 1);
    deft__loop_run(one.loop); // which it has stopped
    clear(&one);
}

int main(void)
{
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_learned_is_written_by_another_thread),
        cmocka_unit_test(what_is_left_is_written_at_the_end),
        cmocka_unit_test(the_journal_waits_within_limits),
        cmocka_unit_test(troubles_of_the_store_are_told),
        cmocka_unit_test(without_a_store_nothing_gathers),
        cmocka_unit_test(the_last_image_of_these_servers_is_kept),
        cmocka_unit_test(without_a_store_no_image_is_kept),
        cmocka_unit_test(what_is_in_use_is_not_forgotten),
        cmocka_unit_test(nothing_is_written_while_the_store_is_lent),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
