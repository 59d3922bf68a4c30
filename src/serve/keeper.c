#include "serve/keeper.h"

#include "base/hash.h"
#include "base/memory.h"
#include "mcp/era.h"
#include "store/images.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

// How long lines gather before they are written together.
#define GATHER_MS 200

static void write_soon(void *context);

static uint64_t now_s(void)
{
    return (uint64_t)time(NULL);
}

static uint64_t now_of_day_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// --- A batch. -------------------------------------------------------------------------------------

static bool batch_init(deft__keeper_batch *batch, size_t server_count,
                       const deft_allocator *allocator)
{
    *batch = (deft__keeper_batch){0};
    deft__arena_init(&batch->arena, allocator);
    batch->manifests = deft__new(allocator, (server_count + 1) * sizeof *batch->manifests);
    return batch->manifests != NULL;
}

static void batch_empty(deft__keeper_batch *batch, size_t server_count)
{
    for (size_t i = 0; batch->manifests != NULL && i < server_count; i++) {
        deft__manifest_release(batch->manifests[i].manifest);
        batch->manifests[i].manifest = NULL;
    }
    batch->has_manifests = false;
    batch->record_count  = 0;
    batch->is_used       = false;
    deft__snapshot_release(batch->snapshot);
    batch->snapshot = NULL;
    deft__arena_clear(&batch->arena);
}

static void batch_clear(deft__keeper_batch *batch, size_t server_count,
                        const deft_allocator *allocator)
{
    batch_empty(batch, server_count);
    deft__free(allocator, batch->manifests, (server_count + 1) * sizeof *batch->manifests);
    deft__free(allocator, batch->records, batch->record_capacity * sizeof *batch->records);
    *batch = (deft__keeper_batch){0};
}

static bool batch_is_empty(const deft__keeper_batch *batch)
{
    return batch->record_count == 0 && !batch->has_manifests && batch->snapshot == NULL &&
           !batch->is_used;
}

// --- Writing. -------------------------------------------------------------------------------------

// Where it does not fit into memory there is none.
static void write_image(const deft__keeper *keeper, const deft__snapshot *snapshot)
{
    deft_buffer image;
    deft_buffer_init(&image, keeper->allocator);
    if (deft__snapshot_write_image(snapshot, keeper->settings, &image) == DEFT_OK) {
        (void)deft__image_save(keeper->store, deft_view_of(keeper->variant),
                               deft_buffer_view(&image), NULL);
    }
    deft_buffer_clear(&image);
}

static void touch_manifests(const deft__keeper *keeper)
{
    // A server without a key has one of zeros, under which nothing is kept.
    (void)deft__manifests_touch(keeper->store, keeper->keys, keeper->server_count, now_s(), NULL);
}

// On any thread. What cannot be written is lost: the store is a cache, and says what is wrong in a
// note.
static void write_batch(deft__keeper *keeper)
{
    const deft__keeper_batch *batch = &keeper->written;
    for (size_t i = 0; i < keeper->server_count; i++) {
        const deft__manifest *manifest = batch->manifests[i].manifest;
        if (manifest != NULL && keeper->has_keys[i]) {
            const deft__kept_manifest kept = {.name = keeper->names[i],
                                              .text = manifest->text,
                                              .era =
                                                  deft_view_of(deft__mcp_era_name(manifest->era)),
                                              .checked_at = batch->manifests[i].checked_at};
            deft__manifest_save(keeper->store, &keeper->keys[i], &kept, NULL);
        }
    }
    if (batch->record_count > 0) {
        deft__journal_append(keeper->store, batch->records, batch->record_count, NULL);
    }
    if (batch->is_used) {
        touch_manifests(keeper);
    }
    if (batch->snapshot != NULL) {
        write_image(keeper, batch->snapshot);
    }
}

static void take_notes(deft__keeper *keeper)
{
    for (;;) {
        const deft_view note = deft__store_take_note(keeper->store);
        if (note.size == 0) {
            return;
        }
        if (keeper->note != NULL) {
            keeper->note(keeper->context, note);
        }
    }
}

static void swap_batches(deft__keeper *keeper)
{
    const deft__keeper_batch empty = keeper->written;
    keeper->written                = keeper->gathered;
    keeper->gathered               = empty;
}

static void work(void *context)
{
    write_batch(context);
}

static void work_done(void *context)
{
    deft__keeper *keeper = context;
    batch_empty(&keeper->written, keeper->server_count);
    deft__keeper_give_back(keeper);
}

void deft__keeper_lend(deft__keeper *keeper)
{
    assert(!keeper->is_writing);
    keeper->is_writing = true;
}

void deft__keeper_give_back(deft__keeper *keeper)
{
    keeper->is_writing = false;
    take_notes(keeper);
    if (keeper->is_closing) {
        keeper->idle(keeper->context);
    } else if (!batch_is_empty(&keeper->gathered)) {
        deft__alarm_set(keeper->alarm, GATHER_MS);
    }
}

static void write_soon(void *context)
{
    deft__keeper *keeper = context;
    if (keeper->is_writing || keeper->is_closing || batch_is_empty(&keeper->gathered)) {
        return;
    }
    swap_batches(keeper);
    keeper->is_writing = deft__loop_work(keeper->loop, work, work_done, keeper);
    if (!keeper->is_writing) {
        swap_batches(keeper); // no memory: perhaps later
        deft__alarm_set(keeper->alarm, GATHER_MS);
    }
}

static void gathered(deft__keeper *keeper, bool was_empty)
{
    if (was_empty && !keeper->is_writing && !keeper->is_closing && keeper->alarm != NULL) {
        deft__alarm_set(keeper->alarm, GATHER_MS);
    }
}

// --- What comes in. -------------------------------------------------------------------------------

void deft__keeper_learn(deft__keeper *keeper, size_t server, deft__manifest *manifest)
{
    const bool was_empty       = batch_is_empty(&keeper->gathered);
    keeper->checked_at[server] = now_s();
    if (keeper->store == NULL) {
        return;
    }
    deft__keeper_manifest *place = &keeper->gathered.manifests[server];
    deft__manifest_release(place->manifest);
    place->manifest                = deft__manifest_retain(manifest);
    place->checked_at              = keeper->checked_at[server];
    keeper->gathered.has_manifests = true;
    gathered(keeper, was_empty);
}

void deft__keeper_image(deft__keeper *keeper, deft__snapshot *snapshot)
{
    const bool was_empty = batch_is_empty(&keeper->gathered);
    if (keeper->store != NULL && keeper->variant[0] != '\0') {
        deft__snapshot_release(keeper->gathered.snapshot);
        keeper->gathered.snapshot = deft__snapshot_retain(snapshot);
        gathered(keeper, was_empty);
    }
}

void deft__keeper_touch(deft__keeper *keeper)
{
    const bool was_empty = batch_is_empty(&keeper->gathered);
    if (keeper->store != NULL) {
        keeper->gathered.is_used = true;
        gathered(keeper, was_empty);
    }
}

deft__bytes *deft__keeper_load_image(deft__keeper *keeper)
{
    deft__bytes *image = NULL;
    uint64_t     hash  = keeper->server_count;
    for (size_t i = 0; i < keeper->server_count; i++) {
        const char *bytes = (const char *)keeper->keys[i].bytes;
        hash              = deft__hash(deft_view_make(bytes, sizeof keeper->keys[i].bytes), hash);
    }
    snprintf(keeper->variant, sizeof keeper->variant, "%016llx", (unsigned long long)hash);
    (void)deft__image_load(keeper->store, deft_view_of(keeper->variant), &image, NULL);
    return image;
}

static deft__record_kind kind_of(deft__journal_kind kind)
{
    switch (kind) {
    case DEFT__JOURNAL_SEARCH:
        return DEFT__RECORD_SEARCH;
    case DEFT__JOURNAL_DESCRIBE:
        return DEFT__RECORD_DESCRIBE;
    case DEFT__JOURNAL_CALL:
    default:
        return DEFT__RECORD_CALL;
    }
}

void deft__keeper_journal(deft__keeper *keeper, const deft__journal_entry *entry,
                          bool has_arguments)
{
    deft__keeper_batch *batch     = &keeper->gathered;
    const bool          was_empty = batch_is_empty(batch);
    if (keeper->store == NULL) {
        return;
    }
    deft__record    record       = {.at_ms         = now_of_day_ms(),
                                    .kind          = kind_of(entry->kind),
                                    .argument_size = entry->argument_size,
                                    .result_size   = entry->result_size,
                                    .duration_ms   = entry->duration_ms,
                                    .found_count   = entry->found_count,
                                    .outcome       = deft_view_of(entry->outcome)};
    const bool      is_text_kept = has_arguments || entry->kind == DEFT__JOURNAL_SEARCH;
    const deft_view text         = is_text_kept ? entry->text : deft_view_make(NULL, 0);
    if (batch->record_count >= DEFT__KEEPER_LINES_MAX ||
        batch->arena.size >= DEFT__KEEPER_SIZE_MAX ||
        !deft__grow(keeper->allocator, (void **)&batch->records, &batch->record_capacity,
                    batch->record_count, sizeof *batch->records) ||
        !deft__arena_copy(&batch->arena, entry->client, &record.client) ||
        !deft__arena_copy(&batch->arena, entry->token, &record.token) ||
        !deft__arena_copy(&batch->arena, entry->tool, &record.tool) ||
        !deft__arena_copy(&batch->arena, text, &record.text) ||
        !deft__arena_copy(&batch->arena, entry->reason, &record.reason)) {
        keeper->dropped_count++;
        return;
    }
    batch->records[batch->record_count++] = record;
    gathered(keeper, was_empty);
}

// --- Life. ----------------------------------------------------------------------------------------

bool deft__keeper_init(deft__keeper *keeper, deft__store *store, const deft_settings *settings,
                       size_t server_count, const deft_allocator *allocator)
{
    *keeper = (deft__keeper){
        .store = store, .settings = settings, .allocator = allocator, .server_count = server_count};
    const size_t room  = server_count + 1; // never nothing
    keeper->keys       = deft__new(allocator, room * sizeof *keeper->keys);
    keeper->has_keys   = deft__new(allocator, room * sizeof *keeper->has_keys);
    keeper->checked_at = deft__new(allocator, room * sizeof *keeper->checked_at);
    keeper->names      = deft__new(allocator, room * sizeof *keeper->names);
    return batch_init(&keeper->gathered, server_count, allocator) &&
           batch_init(&keeper->written, server_count, allocator) && keeper->keys != NULL &&
           keeper->has_keys != NULL && keeper->checked_at != NULL && keeper->names != NULL;
}

bool deft__keeper_begin(deft__keeper *keeper, deft__loop *loop)
{
    keeper->loop  = loop;
    keeper->alarm = deft__alarm_new(loop, write_soon, keeper);
    return keeper->alarm != NULL;
}

bool deft__keeper_close(deft__keeper *keeper)
{
    keeper->is_closing = true;
    if (keeper->alarm != NULL) {
        deft__alarm_stop(keeper->alarm);
    }
    return !keeper->is_writing;
}

void deft__keeper_clear(deft__keeper *keeper)
{
    const size_t room = keeper->server_count + 1;
    if (keeper->has_keys != NULL && keeper->gathered.manifests != NULL &&
        !batch_is_empty(&keeper->gathered)) {
        swap_batches(keeper);
        write_batch(keeper);
        take_notes(keeper);
    }
    batch_clear(&keeper->gathered, keeper->server_count, keeper->allocator);
    batch_clear(&keeper->written, keeper->server_count, keeper->allocator);
    deft__free(keeper->allocator, keeper->keys, room * sizeof *keeper->keys);
    deft__free(keeper->allocator, keeper->has_keys, room * sizeof *keeper->has_keys);
    deft__free(keeper->allocator, keeper->checked_at, room * sizeof *keeper->checked_at);
    deft__free(keeper->allocator, keeper->names, room * sizeof *keeper->names);
    deft__alarm_free(keeper->alarm);
    *keeper = (deft__keeper){0};
}
