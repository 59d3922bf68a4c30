#include "gateway/snapshot.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/tokens/sizes.h"
#include "deft/bridge.h"
#include "deft/permissions.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

typedef struct whole {
    deft__snapshot        parts;
    atomic_size_t         reader_count;
    uint32_t             *server_places; // by the catalog's server
    size_t                server_count;
    deft__manifest      **manifests; // of all sources; NULL: none
    size_t                source_count;
    deft__bytes          *image; // what the index is in, where it was opened
    const deft_allocator *allocator;
} whole;

static void release_manifest(void *owner)
{
    deft__manifest_release(owner);
}

static deft_catalog *build_catalog(const deft__snapshot_source *sources, size_t count,
                                   const deft_settings *settings, const deft_allocator *allocator,
                                   deft_error *error)
{
    deft_catalog        *catalog = NULL;
    deft_catalog_options options = DEFT_CATALOG_OPTIONS_INIT;
    deft_permissions_apply(settings, &options);
    deft_catalog_builder *builder = deft_catalog_builder_new(&options, allocator, error);
    if (builder == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (sources[i].manifest == NULL) {
            continue;
        }
        // The catalog's definitions are slices of the manifest: it is lent, and lives as long.
        const deft_source source = {.label       = sources[i].name,
                                    .server      = sources[i].name,
                                    .is_kind_set = true,
                                    .kind        = DEFT_SERVER_MCP,
                                    .release     = release_manifest,
                                    .owner       = deft__manifest_retain(sources[i].manifest)};
        const deft_status status =
            deft_catalog_builder_add(builder, &source, sources[i].manifest->text, error);
        if (status != DEFT_OK) {
            deft__manifest_release(sources[i].manifest);
        }
        if (status == DEFT_OUT_OF_MEMORY) {
            goto done;
        }
    }
    catalog = deft_catalog_builder_finish(builder, error);
done:
    deft_catalog_builder_free(builder);
    return catalog;
}

// --- Images. -------------------------------------------------------------------------------------

// An image is this header, a part for each server, then the parts themselves. Each begins at a multiple
// of 8, so that it can be used where it is. What is in a part is for its own reader to check.
typedef struct image_part {
    uint64_t offset;
    uint64_t size;
} image_part;

typedef struct image_header {
    char       magic[8];
    uint64_t   server_count;
    image_part sizes;
    image_part index;
    image_part texts[]; // of manifests, by server
} image_header;

static const char image_magic[8] = "DEFTIMG1";

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

// Appends a part, and notes in the header, which lies at `start`, where it is.
static void append_part(deft_buffer *out, size_t start, size_t header_offset, deft_view bytes)
{
    static const char zeros[8] = {0};
    const image_part  part     = {.offset = out->size - start, .size = bytes.size};
    deft_buffer_append(out, bytes);
    deft_buffer_append(out, deft_view_make(zeros, padded(bytes.size) - bytes.size));
    if (out->status == DEFT_OK) {
        memcpy(out->data + start + header_offset, &part, sizeof part);
    }
}

static void append_header(const whole *made, deft_buffer *out)
{
    image_header     header = {.server_count = made->source_count};
    const image_part none   = {0};
    memcpy(header.magic, image_magic, sizeof header.magic);
    deft_buffer_append(out, deft_view_make((const char *)&header, sizeof header));
    for (size_t i = 0; i < made->source_count; i++) {
        deft_buffer_append(out, deft_view_make((const char *)&none, sizeof none));
    }
}

deft_status deft__snapshot_write_image(const deft__snapshot *snapshot,
                                       const deft_settings *settings, deft_buffer *out)
{
    const whole *made  = (const whole *)snapshot;
    const size_t start = out->size;
    deft_buffer  part;
    deft_buffer_init(&part, out->allocator);
    append_header(made, out);
    for (size_t i = 0; i < made->source_count; i++) {
        if (made->manifests[i] != NULL) {
            append_part(out, start, offsetof(image_header, texts) + i * sizeof(image_part),
                        made->manifests[i]->text);
        }
    }
    deft_status status = deft__sizes_save(snapshot->sizes, snapshot->catalog,
                                          settings->measured_form, settings->token_family, &part);
    if (status == DEFT_OK) {
        append_part(out, start, offsetof(image_header, sizes), deft_buffer_view(&part));
        deft_buffer_reset(&part);
        status = deft_index_save(snapshot->index, &part);
    }
    if (status == DEFT_OK) {
        append_part(out, start, offsetof(image_header, index), deft_buffer_view(&part));
        status = out->status;
    }
    deft_buffer_clear(&part);
    return status;
}

// A part whose place is at this offset of the image; empty where the image is none, or ends before.
static deft_view image_part_at(deft_view image, size_t offset)
{
    image_part part;
    if (image.size < sizeof(image_header) || offset > image.size - sizeof part ||
        memcmp(image.data, image_magic, sizeof image_magic) != 0) {
        return deft_view_make(NULL, 0);
    }
    memcpy(&part, image.data + offset, sizeof part);
    if (part.offset % 8 != 0 || part.offset > image.size || part.size > image.size - part.offset) {
        return deft_view_make(NULL, 0);
    }
    return deft_view_slice(image, (size_t)part.offset, (size_t)part.size);
}

deft_view deft__snapshot_image_text(deft_view image, size_t server)
{
    uint64_t server_count = 0;
    if (image.size >= sizeof(image_header)) {
        memcpy(&server_count, image.data + offsetof(image_header, server_count),
               sizeof server_count);
    }
    if (server >= server_count || server > image.size / sizeof(image_part)) {
        return deft_view_make(NULL, 0);
    }
    return image_part_at(image, offsetof(image_header, texts) + server * sizeof(image_part));
}

// Sizes and index from last time, where they are of this catalog; otherwise new ones. At 10,000 tools
// opening takes a fifteenth of the time.
static bool measure(whole *made, const deft_settings *settings, const deft_model *model,
                    deft__bytes *image, deft_error *error)
{
    const deft_index_options options = {.rankings = DEFT_RANKING_BIT(settings->ranking),
                                        .language = settings->language,
                                        .model    = model};
    deft__snapshot *const    parts   = &made->parts;
    const deft_view          all     = image != NULL ? image->view : deft_view_make(NULL, 0);
    const deft_view          sizes   = image_part_at(all, offsetof(image_header, sizes));
    const deft_view          index   = image_part_at(all, offsetof(image_header, index));
    parts->sizes = deft__sizes_open(parts->catalog, settings->measured_form, settings->token_family,
                                    sizes, made->allocator);
    if (parts->sizes != NULL) {
        parts->index = deft_index_open(parts->catalog, index, &options, made->allocator, NULL);
    }
    if (parts->index != NULL) {
        made->image    = deft__bytes_retain(image); // the index stays where it is
        parts->is_kept = true;
    }
    if (parts->sizes == NULL) {
        parts->sizes = deft_sizes_new(parts->catalog, settings->measured_form,
                                      settings->token_family, made->allocator, error);
    }
    if (parts->sizes != NULL && parts->index == NULL) {
        parts->index = deft_index_new_with(parts->catalog, &options, made->allocator, error);
    }
    return parts->index != NULL;
}

static bool make_plans(deft__snapshot *made, const deft_settings *settings, const deft_usage *usage,
                       const deft_allocator *allocator, deft_error *error)
{
    deft_settings off = *settings;
    off.mode          = DEFT_MODE_OFF;
    made->plan = deft_plan_new(made->catalog, made->sizes, settings, usage, allocator, error);
    if (made->plan != NULL) {
        made->everything = deft_plan_new(made->catalog, made->sizes, &off, usage, allocator, error);
    }
    return made->everything != NULL;
}

static deft_status collect_offers(deft__snapshot *made, const deft__snapshot_source *sources,
                                  size_t count, deft_naming naming)
{
    deft_status status = DEFT_OK;
    for (uint32_t i = 0; status == DEFT_OK && i < count; i++) {
        const deft__manifest *manifest = sources[i].manifest;
        if (manifest == NULL) {
            continue;
        }
        status = deft__offers_add(&made->prompts, i, sources[i].name, manifest->prompts, naming);
        if (status == DEFT_OK) {
            status =
                deft__offers_add(&made->resources, i, sources[i].name, manifest->resources, naming);
        }
        if (status == DEFT_OK) {
            status =
                deft__offers_add(&made->templates, i, sources[i].name, manifest->templates, naming);
        }
    }
    return status;
}

// For the image.
static bool keep_manifests(whole *made, const deft__snapshot_source *sources, size_t count)
{
    if (count == 0) {
        return true;
    }
    made->manifests = deft__new(made->allocator, count * sizeof(deft__manifest *));
    if (made->manifests == NULL) {
        return false;
    }
    made->source_count = count;
    for (size_t i = 0; i < count; i++) {
        made->manifests[i] =
            sources[i].manifest != NULL ? deft__manifest_retain(sources[i].manifest) : NULL;
    }
    return true;
}

// The catalog has only the servers that are known, so their numbers are not the configuration's.
static bool place_servers(whole *made, const deft__snapshot_source *sources, size_t count)
{
    made->server_count = deft_catalog_server_count(made->parts.catalog);
    if (made->server_count == 0) {
        return true;
    }
    made->server_places =
        deft__resize(made->allocator, NULL, 0, made->server_count * sizeof *made->server_places);
    if (made->server_places == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < made->server_count; i++) {
        const deft_view name = deft_catalog_server(made->parts.catalog, (deft_server_id){i})->name;
        made->server_places[i] = 0;
        for (uint32_t j = 0; j < count; j++) {
            if (deft_view_equal(sources[j].name, name)) {
                made->server_places[i] = j;
                break;
            }
        }
    }
    return true;
}

deft__snapshot *deft__snapshot_new(const deft__snapshot_source *sources, size_t count,
                                   const deft_settings *settings, const deft_model *model,
                                   const deft_usage *usage, deft_naming naming, deft__bytes *image,
                                   const deft_allocator *allocator, deft_error *error)
{
    whole *made = deft__new(allocator, sizeof *made);
    if (made == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    made->allocator = allocator;
    atomic_init(&made->reader_count, 1);
    deft__snapshot *const parts = &made->parts;
    deft__offers_init(&parts->prompts, DEFT__OFFER_PROMPT, allocator);
    deft__offers_init(&parts->resources, DEFT__OFFER_RESOURCE, allocator);
    deft__offers_init(&parts->templates, DEFT__OFFER_TEMPLATE, allocator);

    parts->catalog = build_catalog(sources, count, settings, allocator, error);
    bool is_made   = parts->catalog != NULL && measure(made, settings, model, image, error) &&
                   make_plans(parts, settings, usage, allocator, error);
    if (is_made &&
        (collect_offers(parts, sources, count, naming) != DEFT_OK ||
         !place_servers(made, sources, count) || !keep_manifests(made, sources, count))) {
        deft__fail_memory(error);
        is_made = false;
    }
    if (is_made) {
        (void)deft_bridge_check_names(settings, parts->plan, &parts->conflict);
    }
    if (!is_made) {
        deft__snapshot_release(parts);
        return NULL;
    }
    return parts;
}

deft__snapshot *deft__snapshot_retain(deft__snapshot *snapshot)
{
    atomic_fetch_add_explicit(&((whole *)snapshot)->reader_count, 1, memory_order_relaxed);
    return snapshot;
}

void deft__snapshot_release(deft__snapshot *snapshot)
{
    whole *const made = (whole *)snapshot;
    if (made == NULL ||
        atomic_fetch_sub_explicit(&made->reader_count, 1, memory_order_acq_rel) > 1) {
        return;
    }
    deft_index_free(snapshot->index);
    deft__bytes_release(made->image);
    deft_plan_release(snapshot->plan);
    deft_plan_release(snapshot->everything);
    deft_sizes_free(snapshot->sizes);
    deft_catalog_release(snapshot->catalog);
    deft__offers_clear(&snapshot->prompts);
    deft__offers_clear(&snapshot->resources);
    deft__offers_clear(&snapshot->templates);
    for (size_t i = 0; i < made->source_count; i++) {
        deft__manifest_release(made->manifests[i]);
    }
    deft__free(made->allocator, made->manifests, made->source_count * sizeof(deft__manifest *));
    deft__free(made->allocator, made->server_places,
               made->server_count * sizeof *made->server_places);
    deft__free(made->allocator, made, sizeof *made);
}

uint32_t deft__snapshot_server_of(const deft__snapshot *snapshot, deft_tool_id tool)
{
    const whole     *made  = (const whole *)snapshot;
    const deft_tool *found = deft_catalog_tool(snapshot->catalog, tool);
    return made->server_places[found->server.index];
}

bool deft__snapshot_find_resource(const deft__snapshot *snapshot, deft_view uri, uint32_t *server,
                                  deft_view *key)
{
    const deft__offer *listed = deft__offers_find(&snapshot->resources, uri);
    if (listed != NULL) {
        *server = listed->server;
        *key    = listed->key;
        return true;
    }
    for (size_t i = 0; i < snapshot->templates.count; i++) {
        const deft__offer *one = &snapshot->templates.items[i];
        if (deft__template_fits(one->shown, uri)) {
            // A template under a name of ours has our scheme and its server in front.
            *server = one->server;
            *key    = deft_view_slice(uri, one->shown.size - one->key.size, uri.size);
            return true;
        }
    }
    return false;
}
