// snapshot.h - everything that all servers offer, at one moment: the catalog of their tools with
// its sizes, plan and index, and their prompts and resources under names that do not collide. Made
// whole from manifests, on any thread; it never changes and is counted.
#ifndef DEFT_GATEWAY_SNAPSHOT_H
#define DEFT_GATEWAY_SNAPSHOT_H

#include "deft/index.h"
#include "deft/model.h"
#include "deft/policy.h"
#include "deft/sizes.h"
#include "gateway/manifest.h"
#include "gateway/offers.h"

// What a snapshot is made of: one for each configured server, in order. `manifest` NULL: not known
// yet, or not to be shown.
typedef struct deft__snapshot_source {
    deft_view       name;
    deft__manifest *manifest;
} deft__snapshot_source;

typedef struct deft__snapshot {
    deft_catalog *catalog;
    deft_sizes   *sizes;
    deft_plan    *plan;
    deft_plan    *everything; // nothing deferred: for clients that search themselves
    deft_index   *index;
    deft_error conflict; // a bridge tool has the name of a tool that may be visible; DEFT_OK: none
    bool       is_kept;  // sizes and index are from an image
    deft__offers prompts;
    deft__offers resources;
    deft__offers templates;
} deft__snapshot;

// `sources` and `settings` are only read during the call; `model` (NULL: words alone) must outlive the
// snapshot; `naming` is how prompts are called (tools
// are in the catalog under all their names). A manifest that cannot be used is left out. `image` (NULL:
// none; at a multiple of 8) is from last time, of this catalog or of another one; where it fits, it is
// retained and used where it lies, and nothing is measured or indexed. New: release it. NULL when there
// is no memory.
deft__snapshot *deft__snapshot_new(const deft__snapshot_source *sources, size_t count,
                                   const deft_settings *settings, const deft_model *model,
                                   const deft_usage *usage, deft_naming naming, deft__bytes *image,
                                   const deft_allocator *allocator, deft_error *error);

// Appends what it took longest to make, sizes and index, and the manifests that they are of, as an
// image for the next time. On any thread.
deft_status deft__snapshot_write_image(const deft__snapshot *snapshot,
                                       const deft_settings *settings, deft_buffer *out);

// The text of a server's manifest in an image, which may be any bytes; empty: it has none.
deft_view deft__snapshot_image_text(deft_view image, size_t server);

deft__snapshot *deft__snapshot_retain(deft__snapshot *snapshot);  // returns its argument
void            deft__snapshot_release(deft__snapshot *snapshot); // NULL is fine

// Which place in the configuration a tool's server has.
uint32_t deft__snapshot_server_of(const deft__snapshot *snapshot, deft_tool_id tool);

// The server of a resource: one that is listed, else one whose template fits; of several the first.
// `key` is the URI as that server knows it, borrowed from the snapshot or from `uri`.
bool deft__snapshot_find_resource(const deft__snapshot *snapshot, deft_view uri, uint32_t *server,
                                  deft_view *key);

#endif
