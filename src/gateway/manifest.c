#include "gateway/manifest.h"

#include "base/fail.h"
#include "base/memory.h"
#include "json/reader.h"

#include <stdatomic.h>
#include <stddef.h>

// A token takes 16 bytes and the text may be hostile: nothing but small numbers. Real lists have a
// token for every 15 to 20 bytes, so the largest text that is taken still fits.
#define MANIFEST_TOKENS_MAX (8u * 1024 * 1024)

// The manifest, its text (unless that lies elsewhere) and the decoded version: one piece of memory.
typedef struct manifest_block {
    deft__manifest        manifest;
    atomic_size_t         references;
    deft__bytes          *lender; // of the text; NULL: it is in here
    size_t                size;   // of the whole block
    const deft_allocator *allocator;
    char                  bytes[]; // the version, then the text
} manifest_block;

// The raw member of this kind, from the copy of the text; `fallback` where there is none.
static deft_view raw_member(deft__json_value root, const char *name, deft__json_kind kind,
                            deft_view text, const char *fallback)
{
    const deft__json_value value = deft__json_member(root, name);
    if (!deft__json_is(value, kind)) {
        return deft_view_of(fallback);
    }
    return deft_view_slice(text, deft__json_offset(value), deft__json_raw(value).size);
}

static void fill(deft__manifest *manifest, deft__json_value root, deft_view text, deft_view version)
{
    manifest->text         = text;
    manifest->version      = version;
    manifest->tools        = raw_member(root, "tools", DEFT__JSON_ARRAY, text, "[]");
    manifest->prompts      = raw_member(root, "prompts", DEFT__JSON_ARRAY, text, "[]");
    manifest->resources    = raw_member(root, "resources", DEFT__JSON_ARRAY, text, "[]");
    manifest->templates    = raw_member(root, "resourceTemplates", DEFT__JSON_ARRAY, text, "[]");
    manifest->instructions = raw_member(root, "instructions", DEFT__JSON_STRING, text, "");
    manifest->server_info  = raw_member(root, "serverInfo", DEFT__JSON_OBJECT, text, "{}");
    manifest->capabilities = deft__mcp_server_capabilities(deft__json_member(root, "capabilities"));

    const deft__json_value tools = deft__json_member(root, "tools");
    if (deft__json_is(tools, DEFT__JSON_ARRAY)) {
        manifest->tool_count = deft__json_count(tools);
    }
    if (deft__mcp_speaks(DEFT__MCP_ERA_MODERN, version)) {
        manifest->era = DEFT__MCP_ERA_MODERN;
    } else if (deft__mcp_speaks(DEFT__MCP_ERA_LEGACY, version)) {
        manifest->era = DEFT__MCP_ERA_LEGACY;
    } else {
        manifest->era = DEFT__MCP_ERA_UNKNOWN;
    }
}

static manifest_block *new_block(deft__json_value root, deft_view text, deft_view version,
                                 deft__bytes *lender, const deft_allocator *allocator)
{
    const size_t    copied = lender == NULL ? text.size : 0;
    const size_t    size   = offsetof(manifest_block, bytes) + version.size + copied;
    manifest_block *block  = deft__new(allocator, size < sizeof *block ? sizeof *block : size);
    if (block == NULL) {
        return NULL;
    }
    atomic_init(&block->references, 1);
    block->size      = size < sizeof *block ? sizeof *block : size;
    block->allocator = allocator;
    block->lender    = deft__bytes_retain(lender);
    if (version.size > 0) {
        memcpy(block->bytes, version.data, version.size);
    }
    if (copied > 0) {
        memcpy(block->bytes + version.size, text.data, copied);
        text = deft_view_make(block->bytes + version.size, copied);
    }
    fill(&block->manifest, root, text, deft_view_make(block->bytes, version.size));
    return block;
}

static manifest_block *read_block(deft__json *document, deft_buffer *scratch, deft_view text,
                                  deft__bytes *lender, const deft_allocator *allocator,
                                  deft_error *error)
{
    const deft__json_limits limits = {.size_max   = DEFT__MANIFEST_SIZE_MAX,
                                      .tokens_max = MANIFEST_TOKENS_MAX};
    if (deft__json_parse(document, text, &limits, error) != DEFT_OK) {
        return NULL;
    }
    const deft__json_value root = deft__json_root(document);
    if (!deft__json_is(root, DEFT__JSON_OBJECT)) {
        (void)deft__fail(error, DEFT_INVALID, deft__json_offset(root),
                         "a manifest is an object, not %s",
                         deft__json_kind_name(deft__json_kind_of(root)));
        return NULL;
    }
    const deft_view version =
        deft__json_string(deft__json_member(root, "protocolVersion"), scratch);
    manifest_block *block =
        scratch->status == DEFT_OK ? new_block(root, text, version, lender, allocator) : NULL;
    if (block == NULL) {
        (void)deft__fail_memory(error);
    }
    return block;
}

deft__manifest *deft__manifest_open(deft_view text, deft__bytes *bytes,
                                    const deft_allocator *allocator, deft_error *error)
{
    deft__json  document;
    deft_buffer scratch;
    deft__json_init(&document, allocator);
    deft_buffer_init(&scratch, allocator);
    manifest_block *block = read_block(&document, &scratch, text, bytes, allocator, error);
    deft_buffer_clear(&scratch);
    deft__json_clear(&document);
    return block != NULL ? &block->manifest : NULL;
}

deft__manifest *deft__manifest_new(deft_view text, const deft_allocator *allocator,
                                   deft_error *error)
{
    return deft__manifest_open(text, NULL, allocator, error);
}

// The manifest is the first member of its block.
static manifest_block *block_of(deft__manifest *manifest)
{
    return (manifest_block *)(void *)manifest;
}

deft__manifest *deft__manifest_retain(deft__manifest *manifest)
{
    atomic_fetch_add_explicit(&block_of(manifest)->references, 1, memory_order_relaxed);
    return manifest;
}

void deft__manifest_release(deft__manifest *manifest)
{
    if (manifest == NULL) {
        return;
    }
    manifest_block *block = block_of(manifest);
    if (atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) == 1) {
        deft__bytes_release(block->lender);
        deft__free(block->allocator, block, block->size);
    }
}

bool deft__manifest_equal(const deft__manifest *a, const deft__manifest *b)
{
    return deft_view_equal(a->text, b->text);
}
