#include "core/tokens/sizes.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "core/catalog/catalog.h"
#include "deft/version.h"
#include "json/writer.h"

#include <assert.h>

struct deft_sizes {
    const deft_allocator *allocator;
    size_t                tool_count;
    size_t                server_count;
    deft_size             total;
    deft_size             items[]; // tools, then servers
};

// PizzaPi's measure: name + description + JSON.stringify(schema). The schema is counted as it is
// written, without white space between tokens; a tool without one has nothing there.
static uint64_t measure_characters(const deft_tool *tool, deft_buffer *scratch)
{
    deft__json_writer writer;
    deft_buffer_reset(scratch);
    deft__json_writer_init(&writer, scratch);
    if (tool->input_schema.size > 0) {
        deft__json_write_raw_compact(&writer, tool->input_schema);
    }
    return (uint64_t)deft__utf8_length(tool->name) + deft__utf8_length(tool->description) +
           deft__utf8_length(deft_buffer_view(scratch));
}

static bool measure(const deft_catalog *catalog, deft_tool_id id, deft_form form,
                    deft_token_family family, deft_buffer *scratch, deft_size *size)
{
    const deft__writing writing = {.form = form, .naming = DEFT_NAMING_PLAIN, .is_compact = true};
    size->characters            = measure_characters(deft_catalog_tool(catalog, id), scratch);
    const bool is_good          = scratch->status == DEFT_OK;
    deft_buffer_reset(scratch);
    if (!is_good || deft__catalog_write(catalog, id, writing, scratch) != DEFT_OK) {
        return false;
    }
    size->tokens = deft_tokens_estimate(deft_buffer_view(scratch), family);
    return true;
}

static void add_size(deft_size *sum, deft_size size)
{
    sum->characters += size.characters;
    sum->tokens += size.tokens;
}

static size_t bytes_of(size_t tool_count, size_t server_count)
{
    return sizeof(deft_sizes) + (tool_count + server_count) * sizeof(deft_size);
}

// All zero.
static deft_sizes *new_sizes(const deft_catalog *catalog, const deft_allocator *allocator)
{
    const size_t tool_count   = deft_catalog_tool_count(catalog);
    const size_t server_count = deft_catalog_server_count(catalog);
    deft_sizes  *sizes        = deft__new(allocator, bytes_of(tool_count, server_count));
    if (sizes != NULL) {
        sizes->allocator    = allocator;
        sizes->tool_count   = tool_count;
        sizes->server_count = server_count;
    }
    return sizes;
}

static void set_size(deft_sizes *sizes, const deft_catalog *catalog, deft_tool_id id,
                     deft_size size)
{
    const size_t server    = deft_catalog_tool(catalog, id)->server.index;
    sizes->items[id.index] = size;
    add_size(&sizes->items[sizes->tool_count + server], size);
    add_size(&sizes->total, size);
}

deft_sizes *deft_sizes_new(const deft_catalog *catalog, deft_form form, deft_token_family family,
                           const deft_allocator *allocator, deft_error *error)
{
    deft_sizes *sizes = new_sizes(catalog, allocator);
    if (sizes == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    deft_buffer scratch;
    deft_buffer_init(&scratch, allocator);
    bool is_good = true;
    for (uint32_t i = 0; is_good && i < sizes->tool_count; i++) {
        deft_size size = {0, 0};
        is_good        = measure(catalog, (deft_tool_id){i}, form, family, &scratch, &size);
        set_size(sizes, catalog, (deft_tool_id){i}, size);
    }
    deft_buffer_clear(&scratch);
    if (!is_good) {
        deft_sizes_free(sizes);
        deft__fail_memory(error);
        return NULL;
    }
    return sizes;
}

void deft_sizes_free(deft_sizes *sizes)
{
    if (sizes != NULL) {
        deft__free(sizes->allocator, sizes, bytes_of(sizes->tool_count, sizes->server_count));
    }
}

deft_size deft_sizes_tool(const deft_sizes *sizes, deft_tool_id tool)
{
    assert(tool.index < sizes->tool_count);
    return sizes->items[tool.index];
}

deft_size deft_sizes_server(const deft_sizes *sizes, deft_server_id server)
{
    assert(server.index < sizes->server_count);
    return sizes->items[sizes->tool_count + server.index];
}

deft_size deft_sizes_total(const deft_sizes *sizes)
{
    return sizes->total;
}

// --- As bytes. -----------------------------------------------------------------------------------

// In front of one deft_size for each tool.
typedef struct header {
    char     version[16]; // of deft, with NULs behind it
    uint64_t catalog_version;
    uint64_t tool_count;
    uint32_t form;
    uint32_t family;
    uint64_t checksum; // of all that follows
} header;

// So many tools, spread over the catalog, are measured again.
#define SAMPLES 16u

static header header_of(const deft_catalog *catalog, deft_form form, deft_token_family family,
                        deft_view body)
{
    header made = {.version         = DEFT_VERSION_STRING,
                   .catalog_version = deft_catalog_version(catalog),
                   .tool_count      = deft_catalog_tool_count(catalog),
                   .form            = (uint32_t)form,
                   .family          = (uint32_t)family,
                   .checksum        = deft__hash(body, 0)};
    return made;
}

deft_status deft__sizes_save(const deft_sizes *sizes, const deft_catalog *catalog, deft_form form,
                             deft_token_family family, deft_buffer *out)
{
    const deft_view body =
        deft_view_make((const char *)sizes->items, sizes->tool_count * sizeof sizes->items[0]);
    const header first = header_of(catalog, form, family, body);
    deft_buffer_append(out, deft_view_make((const char *)&first, sizeof first));
    deft_buffer_append(out, body);
    return out->status;
}

static bool is_measured_so(const deft_sizes *sizes, const deft_catalog *catalog, deft_form form,
                           deft_token_family family)
{
    bool        is_same = true;
    deft_buffer scratch;
    deft_buffer_init(&scratch, sizes->allocator);
    const size_t step = sizes->tool_count / SAMPLES + 1;
    for (size_t i = 0; is_same && i < sizes->tool_count; i += step) {
        const deft_tool_id id   = {(uint32_t)i};
        deft_size          size = {0, 0};
        is_same                 = measure(catalog, id, form, family, &scratch, &size) &&
                  size.characters == sizes->items[i].characters &&
                  size.tokens == sizes->items[i].tokens;
    }
    deft_buffer_clear(&scratch);
    return is_same;
}

deft_sizes *deft__sizes_open(const deft_catalog *catalog, deft_form form, deft_token_family family,
                             deft_view bytes, const deft_allocator *allocator)
{
    const size_t    tool_count = deft_catalog_tool_count(catalog);
    const deft_view body       = deft_view_slice(bytes, sizeof(header), bytes.size);
    const header    wanted     = header_of(catalog, form, family, body);
    if (body.size != tool_count * sizeof(deft_size) || bytes.size < sizeof wanted ||
        memcmp(bytes.data, &wanted, sizeof wanted) != 0) {
        return NULL;
    }
    deft_sizes *sizes = new_sizes(catalog, allocator);
    for (uint32_t i = 0; sizes != NULL && i < tool_count; i++) {
        deft_size size;
        memcpy(&size, body.data + i * sizeof size, sizeof size);
        set_size(sizes, catalog, (deft_tool_id){i}, size);
    }
    if (sizes != NULL && !is_measured_so(sizes, catalog, form, family)) {
        deft_sizes_free(sizes);
        return NULL;
    }
    return sizes;
}
