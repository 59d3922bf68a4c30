// From drafts to a catalog: tools in the order of their servers, each with an id that no other
// has. Nothing is taken from the builder before all has succeeded.
#include "core/catalog/builder.h"
#include "core/catalog/wire.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>

static void *new_array(const deft_allocator *allocator, size_t count, size_t item_size)
{
    size_t bytes = 0;
    return deft__multiply_size(count, item_size, &bytes) ? deft__resize(allocator, NULL, 0, bytes)
                                                         : NULL;
}

// An array that may have no items needs no memory either.
static bool new_items(const deft_allocator *allocator, size_t count, size_t item_size, void **items)
{
    *items = count > 0 ? new_array(allocator, count, item_size) : NULL;
    return count == 0 || *items != NULL;
}

static bool allocate(deft_catalog *catalog, const deft_catalog_builder *builder)
{
    const deft_allocator *allocator = builder->allocator;
    const size_t          count     = builder->draft_count;

    void      *records    = NULL;
    void      *servers    = NULL;
    void      *parameters = NULL;
    const bool is_good =
        new_items(allocator, count, sizeof(deft__record), &records) &&
        new_items(allocator, builder->server_count, sizeof(deft_server), &servers) &&
        new_items(allocator, builder->parameter_count, sizeof(deft_parameter), &parameters) &&
        deft__lookup_init(&catalog->by_id, count, allocator) &&
        deft__lookup_init(&catalog->by_wire, count, allocator) &&
        deft__lookup_init(&catalog->by_name, count, allocator) &&
        deft__lookup_init(&catalog->by_loose, count, allocator) &&
        deft__lookup_init(&catalog->by_server, builder->server_count, allocator);

    catalog->records         = records;
    catalog->record_capacity = records != NULL ? count : 0;
    catalog->servers         = servers;
    catalog->server_count    = servers != NULL ? builder->server_count : 0;
    catalog->parameters      = parameters;
    catalog->parameter_count = parameters != NULL ? builder->parameter_count : 0;
    return is_good;
}

// Numbers of the drafts, those of one server together, otherwise in the order they came.
static void sort_by_server(const deft_catalog_builder *builder, uint32_t *starts, uint32_t *order)
{
    uint32_t start = 0;
    for (size_t i = 0; i < builder->server_count; i++) {
        starts[i] = start;
        start += builder->servers[i].server.tool_count;
    }
    for (size_t i = 0; i < builder->draft_count; i++) {
        order[starts[builder->drafts[i].record.tool.server.index]++] = (uint32_t)i;
    }
}

// "server::local", in the catalog's memory.
static bool make_id(deft_catalog *catalog, deft_view server, deft_view local, deft_view *id)
{
    char   text[DEFT__ID_SIZE_MAX];
    size_t size = 0;
    if (server.size > 0) {
        memcpy(text, server.data, server.size);
        memcpy(text + server.size, DEFT__ID_SEPARATOR, 2);
        size = server.size + 2;
    }
    memcpy(text + size, local.data, local.size);
    return deft__arena_copy(&catalog->names, deft_view_make(text, size + local.size), id);
}

// What a definition's own id adds to its server: "github::x", "github/x" and "x" all give "x".
static deft_view local_of_source_id(deft_view source_id, deft_view server)
{
    if (server.size > 0 && deft_view_starts_with(source_id, server)) {
        const deft_view rest = deft_view_slice(source_id, server.size, SIZE_MAX);
        if (deft_view_starts_with(rest, deft_view_of(DEFT__ID_SEPARATOR))) {
            return deft_view_slice(rest, 2, SIZE_MAX);
        } else if (deft_view_starts_with(rest, deft_view_of("/"))) {
            return deft_view_slice(rest, 1, SIZE_MAX);
        }
    }
    return source_id;
}

typedef struct finishing {
    deft_catalog         *catalog;
    deft_catalog_builder *builder;
    uint32_t             *order; // by tool of the catalog, up to record_count: its draft
} finishing;

static bool report_duplicate(finishing *self, const deft__draft *draft, deft_tool_id taken)
{
    const deft_catalog *catalog = self->catalog;
    const deft__draft  *first   = &self->builder->drafts[self->order[taken.index]];
    const deft__place   place   = {
            .label    = draft->label,
            .server   = catalog->servers[draft->record.tool.server.index].name,
            .tool     = draft->record.tool.name,
            .position = draft->position,
            .offset   = draft->offset,
            .is_tool  = true,
    };
    if (deft_view_equal(first->label, draft->label)) {
        return deft__builder_report(self->builder, &place, DEFT_DUPLICATE,
                                    "the name is taken by the tool at byte %zu; names are unique "
                                    "within a server",
                                    first->offset);
    }
    deft__quoted label;
    return deft__builder_report(self->builder, &place, DEFT_DUPLICATE,
                                "the name is taken by the tool at byte %zu of %s; names are unique "
                                "within a server",
                                first->offset, deft__quote(&label, first->label));
}

// Tries "server::local" as an id. DEFT_DUPLICATE: the tool `taken` has it.
static deft_status try_id(deft_catalog *catalog, deft_view server, deft_view local, deft_view *id,
                          deft_tool_id *taken)
{
    if (!make_id(catalog, server, local, id)) {
        return DEFT_OUT_OF_MEMORY;
    }
    return deft_catalog_find(catalog, *id, taken) ? DEFT_DUPLICATE : DEFT_OK;
}

// Picks the id of a draft, and the part of it behind the server. In a file of one definition a
// line "id" is the key: two tools of one server may share a name there and still be two, and the
// second one is then known by its key. DEFT_DUPLICATE: no id is left, and `taken` has the name.
static deft_status pick_id(finishing *self, const deft__draft *draft, deft_view *local,
                           deft_view *id, deft_tool_id *taken)
{
    const deft_tool *tool   = &draft->record.tool;
    const deft_view  server = self->catalog->servers[tool->server.index].name;

    *local             = tool->name;
    deft_status status = try_id(self->catalog, server, *local, id, taken);

    const deft_view keys[] = {local_of_source_id(tool->source_id, server), tool->source_id};
    for (size_t i = 0; draft->is_line && status == DEFT_DUPLICATE && i < 2; i++) {
        deft__reason reason;
        deft_tool_id other;
        if (deft__name_flaw(keys[i], self->builder->options.name_size_max, &reason) == NULL &&
            (server.size > 0 || deft__nameless_tool_flaw(keys[i]) == NULL)) {
            *local = keys[i];
            status = try_id(self->catalog, server, *local, id, &other);
        }
    }
    return status;
}

// A wire name that no other tool has. Different ids share one only by a chance of 2^-40, or by
// someone's patience; then the later one gets a longer hash.
static bool pick_wire_name(deft_catalog *catalog, deft_view server, deft_view local, deft_view id,
                           deft_view *wire_name)
{
    deft__wire_name wire;
    deft_tool_id    other;
    unsigned        attempt = 0;
    do {
        deft__wire_name_make(&wire, server, local, id, attempt++);
    } while (deft_catalog_find_wire(catalog, deft_view_make(wire.text, wire.size), &other));
    return deft__arena_copy(&catalog->names, deft_view_make(wire.text, wire.size), wire_name);
}

// False: no memory.
static bool add_tool(finishing *self, uint32_t draft_index)
{
    deft_catalog      *catalog = self->catalog;
    const deft__draft *draft   = &self->builder->drafts[draft_index];
    deft_server       *server  = &catalog->servers[draft->record.tool.server.index];
    const uint32_t     index   = (uint32_t)catalog->record_count;
    deft__record       record  = draft->record;
    deft_view          local;
    deft_tool_id       taken;

    const deft_status status = pick_id(self, draft, &local, &record.tool.id, &taken);
    if (status == DEFT_DUPLICATE) {
        return report_duplicate(self, draft, taken);
    } else if (status == DEFT_OK && local.data != draft->record.tool.name.data &&
               !deft__builder_is_allowed(self->builder, server->name, local)) {
        return true; // known by a key that is not allowed
    } else if (status != DEFT_OK || !pick_wire_name(catalog, server->name, local, record.tool.id,
                                                    &record.tool.wire_name)) {
        return false;
    }
    if (local.data == record.tool.name.data) {
        // Where names are read one after the other, texts need not be in memory: they may be mapped.
        record.tool.name =
            deft_view_slice(record.tool.id, record.tool.id.size - local.size, SIZE_MAX);
    }
    if (record.tool.parameter_count > 0) {
        record.tool.parameters = catalog->parameters + draft->parameter_first;
    }
    catalog->records[index] = record;
    catalog->record_count   = index + 1;
    self->order[index]      = draft_index;
    deft__lookup_add(&catalog->by_id, deft__hash(record.tool.id, catalog->hash_seed), index);
    deft__lookup_add(&catalog->by_wire, deft__hash(record.tool.wire_name, catalog->hash_seed),
                     index);
    catalog->version = deft__hash(record.tool.id, catalog->version);
    catalog->version = deft__hash(record.tool.definition, catalog->version);
    server->tool_count++;
    return true;
}

static bool add_tools(finishing *self)
{
    deft_catalog               *catalog = self->catalog;
    const deft_catalog_builder *builder = self->builder;
    for (size_t i = 0; i < builder->server_count; i++) {
        catalog->servers[i]            = builder->servers[i].server;
        catalog->servers[i].tool_count = 0;
    }
    if (builder->parameter_count > 0) {
        memcpy(catalog->parameters, builder->parameters,
               builder->parameter_count * sizeof *builder->parameters);
    }
    // Reading `order` runs ahead of writing it: a draft is at or behind its place.
    for (size_t i = 0; i < builder->draft_count; i++) {
        if (!add_tool(self, self->order[i])) {
            return false;
        }
    }
    assert(catalog->record_count == 0 || catalog->records != NULL);
    // Last first, so that tools of one key come out in catalog order.
    for (size_t i = catalog->record_count; i > 0; i--) {
        const deft_tool *tool = &catalog->records[i - 1].tool;
        deft__loose_key  key;
        char             folded[DEFT__NAME_SIZE_MAX_OF_ALL];
        deft__wire_fold(tool->name, folded);
        deft__lookup_add(&catalog->by_name,
                         deft__hash(deft_view_make(folded, tool->name.size), catalog->hash_seed),
                         (uint32_t)i - 1);
        deft__lookup_add(&catalog->by_loose,
                         deft__hash(deft__loose_key_make(&key, tool->id), catalog->hash_seed),
                         (uint32_t)i - 1);
    }
    return true;
}

// Where each server's tools begin; last first, so that of two nameless ones the first is found.
static void place_servers(deft_catalog *catalog)
{
    uint32_t end = (uint32_t)catalog->record_count;
    for (size_t i = catalog->server_count; i > 0; i--) {
        deft_server *server = &catalog->servers[i - 1];
        end -= server->tool_count;
        server->first_tool = (deft_tool_id){end};
        deft__lookup_add(&catalog->by_server, deft__hash(server->name, catalog->hash_seed),
                         (uint32_t)i - 1);
    }
}

static bool fill(deft_catalog *catalog, deft_catalog_builder *builder)
{
    void      *order  = NULL;
    void      *starts = NULL;
    const bool is_good =
        new_items(builder->allocator, builder->draft_count, sizeof(uint32_t), &order) &&
        new_items(builder->allocator, builder->server_count, sizeof(uint32_t), &starts) &&
        allocate(catalog, builder);
    bool is_filled = false;
    if (is_good) {
        finishing self = {catalog, builder, order};
        sort_by_server(builder, starts, order);
        is_filled = add_tools(&self) && deft__builder_report_hidden(builder);
        place_servers(catalog);
    }
    deft__free(builder->allocator, starts, builder->server_count * sizeof(uint32_t));
    deft__free(builder->allocator, order, builder->draft_count * sizeof(uint32_t));
    return is_filled;
}

deft_catalog *deft_catalog_builder_finish(deft_catalog_builder *builder, deft_error *error)
{
    deft_catalog *catalog = deft__new(builder->allocator, sizeof *catalog);
    if (catalog == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    atomic_init(&catalog->reference_count, 1);
    catalog->allocator = builder->allocator;
    catalog->hash_seed = builder->options.hash_seed;
    deft__arena_init(&catalog->decoded, builder->allocator);
    deft__arena_init(&catalog->names, builder->allocator);

    const size_t problem_count        = builder->problem_count;
    const size_t problem_hidden_count = builder->problem_hidden_count;
    if (!fill(catalog, builder)) {
        builder->problem_count        = problem_count;
        builder->problem_hidden_count = problem_hidden_count;
        deft__catalog_free(catalog);
        deft__fail_memory(error);
        return NULL;
    }
    catalog->texts            = builder->texts;
    catalog->text_bytes       = builder->text_bytes;
    catalog->decoded          = builder->decoded;
    catalog->problems         = builder->problems;
    catalog->problem_count    = builder->problem_count;
    catalog->problem_capacity = builder->problem_capacity;
    builder->texts            = NULL;
    builder->problems         = NULL;
    builder->problem_capacity = 0;
    deft__arena_init(&builder->decoded, builder->allocator);
    deft__builder_clear(builder);
    return catalog;
}
