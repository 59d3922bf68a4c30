#include "core/catalog/catalog.h"

#include "base/memory.h"

void deft__source_texts_free(deft__source_text *texts, const deft_allocator *allocator)
{
    while (texts != NULL) {
        deft__source_text *next = texts->next;
        if (texts->release != NULL) {
            texts->release(texts->owner);
        }
        deft__free(allocator, texts, sizeof *texts + texts->size);
        texts = next;
    }
}

void deft__catalog_free(deft_catalog *catalog)
{
    const deft_allocator *allocator = catalog->allocator;
    deft__lookup_clear(&catalog->by_server, allocator);
    deft__lookup_clear(&catalog->by_loose, allocator);
    deft__lookup_clear(&catalog->by_name, allocator);
    deft__lookup_clear(&catalog->by_wire, allocator);
    deft__lookup_clear(&catalog->by_id, allocator);
    deft__free(allocator, catalog->problems, catalog->problem_capacity * sizeof *catalog->problems);
    deft__free(allocator, catalog->parameters,
               catalog->parameter_count * sizeof *catalog->parameters);
    deft__free(allocator, catalog->servers, catalog->server_count * sizeof *catalog->servers);
    deft__free(allocator, catalog->records, catalog->record_capacity * sizeof *catalog->records);
    deft__arena_clear(&catalog->names);
    deft__arena_clear(&catalog->decoded);
    deft__source_texts_free(catalog->texts, allocator);
    deft__free(allocator, catalog, sizeof *catalog);
}

deft_catalog *deft_catalog_retain(deft_catalog *catalog)
{
    // A new reference comes from an old one, so nothing has to be ordered here.
    atomic_fetch_add_explicit(&catalog->reference_count, 1, memory_order_relaxed);
    return catalog;
}

void deft_catalog_release(deft_catalog *catalog)
{
    // Whoever frees has to see what the others did before they let go.
    if (catalog != NULL &&
        atomic_fetch_sub_explicit(&catalog->reference_count, 1, memory_order_acq_rel) == 1) {
        deft__catalog_free(catalog);
    }
}

size_t deft_catalog_server_count(const deft_catalog *catalog)
{
    return catalog->server_count;
}

const deft_server *deft_catalog_server(const deft_catalog *catalog, deft_server_id id)
{
    return id.index < catalog->server_count ? &catalog->servers[id.index] : NULL;
}

size_t deft_catalog_tool_count(const deft_catalog *catalog)
{
    return catalog->record_count;
}

const deft_tool *deft_catalog_tool(const deft_catalog *catalog, deft_tool_id id)
{
    return id.index < catalog->record_count ? &catalog->records[id.index].tool : NULL;
}

size_t deft_catalog_problem_count(const deft_catalog *catalog)
{
    return catalog->problem_count;
}

const deft_problem *deft_catalog_problem(const deft_catalog *catalog, size_t index)
{
    return index < catalog->problem_count ? &catalog->problems[index] : NULL;
}

uint64_t deft_catalog_version(const deft_catalog *catalog)
{
    return catalog->version;
}

size_t deft_catalog_memory(const deft_catalog *catalog)
{
    return sizeof *catalog + catalog->text_bytes + catalog->decoded.size + catalog->names.size +
           catalog->record_capacity * sizeof *catalog->records +
           catalog->server_count * sizeof *catalog->servers +
           catalog->parameter_count * sizeof *catalog->parameters +
           catalog->problem_capacity * sizeof *catalog->problems +
           deft__lookup_memory(&catalog->by_id) + deft__lookup_memory(&catalog->by_wire) +
           deft__lookup_memory(&catalog->by_name) + deft__lookup_memory(&catalog->by_loose) +
           deft__lookup_memory(&catalog->by_server);
}
