#include "core/catalog/builder.h"
#include "core/catalog/wire.h"

#include "base/fail.h"
#include "base/memory.h"

static size_t or_default(size_t value, size_t value_default)
{
    return value > 0 ? value : value_default;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static deft_catalog_options with_defaults(const deft_catalog_options *given)
{
    const size_t         source_size_max_of_all = 1024u * 1024 * 1024; // the JSON reader's
    deft_catalog_options options                = DEFT_CATALOG_OPTIONS_INIT;
    if (given != NULL) {
        options = *given;
    }
    options.source_size_max =
        smaller(or_default(options.source_size_max, DEFT_SOURCE_SIZE_MAX), source_size_max_of_all);
    options.definition_size_max = or_default(options.definition_size_max, DEFT_DEFINITION_SIZE_MAX);
    options.tools_per_server_max =
        or_default(options.tools_per_server_max, DEFT_TOOLS_PER_SERVER_MAX);
    options.name_size_max =
        smaller(or_default(options.name_size_max, DEFT_NAME_SIZE_MAX), DEFT__NAME_SIZE_MAX_OF_ALL);
    // Tools are numbered in 32 bits, and the last number means none.
    options.tools_max = smaller(or_default(options.tools_max, DEFT_TOOLS_MAX), UINT32_MAX - 1);
    return options;
}

deft_catalog_builder *deft_catalog_builder_new(const deft_catalog_options *options,
                                               const deft_allocator *allocator, deft_error *error)
{
    deft_catalog_builder *builder = deft__new(allocator, sizeof *builder);
    if (builder == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    builder->allocator = allocator;
    builder->options   = with_defaults(options);
    deft__arena_init(&builder->decoded, allocator);
    deft__map_init(&builder->server_map, builder->options.hash_seed, allocator);
    deft__json_init(&builder->json, allocator);
    deft_buffer_init(&builder->scratch, allocator);
    return builder;
}

void deft__builder_clear(deft_catalog_builder *builder)
{
    const deft_allocator *allocator = builder->allocator;
    deft__source_texts_free(builder->texts, allocator);
    deft__arena_clear(&builder->decoded);
    deft__free(allocator, builder->drafts, builder->draft_capacity * sizeof *builder->drafts);
    deft__free(allocator, builder->parameters,
               builder->parameter_capacity * sizeof *builder->parameters);
    deft__free(allocator, builder->servers, builder->server_capacity * sizeof *builder->servers);
    deft__free(allocator, builder->problems, builder->problem_capacity * sizeof *builder->problems);
    deft__map_clear(&builder->server_map);
    deft__json_clear(&builder->json);
    deft_buffer_clear(&builder->scratch);
    *builder = (deft_catalog_builder){
        .allocator  = allocator,
        .options    = builder->options,
        .decoded    = builder->decoded,
        .server_map = builder->server_map,
        .json       = builder->json,
        .scratch    = builder->scratch,
    };
}

void deft_catalog_builder_free(deft_catalog_builder *builder)
{
    if (builder != NULL) {
        deft__builder_clear(builder);
        deft__free(builder->allocator, builder, sizeof *builder);
    }
}

bool deft__builder_string(deft_catalog_builder *builder, deft__json_value value, deft_view *text)
{
    deft_buffer_reset(&builder->scratch);
    *text = deft__json_string(value, &builder->scratch);
    if (builder->scratch.status != DEFT_OK) {
        return false;
    }
    // What has no escape is borrowed from the source, and nothing was put into the scratch.
    return builder->scratch.size == 0 || deft__arena_copy(&builder->decoded, *text, text);
}

bool deft__builder_copy_string(deft_catalog_builder *builder, deft__json_value value,
                               deft_view *text)
{
    deft_buffer_reset(&builder->scratch);
    const deft_view decoded = deft__json_string(value, &builder->scratch);
    return builder->scratch.status == DEFT_OK && deft__arena_copy(&builder->decoded, decoded, text);
}

bool deft__builder_is_allowed(const deft_catalog_builder *builder, deft_view server, deft_view tool)
{
    const deft_catalog_options *options = &builder->options;
    return options->is_allowed == NULL ||
           options->is_allowed(options->allowed_context, server, tool);
}

static bool find_server(const deft_catalog_builder *builder, deft_view name, deft_server_kind kind,
                        uint32_t *index)
{
    if (name.size == 0) {
        *index = builder->nameless[kind];
        return *index < builder->server_count && builder->servers[*index].server.name.size == 0 &&
               builder->servers[*index].server.kind == kind;
    }
    return deft__map_find(&builder->server_map, name, index) && *index < builder->server_count;
}

bool deft__builder_server(deft_catalog_builder *builder, deft_view name, deft_server_kind kind,
                          uint32_t *index)
{
    if (find_server(builder, name, kind, index)) {
        return true;
    }
    void *items = builder->servers;
    if (!deft__grow(builder->allocator, &items, &builder->server_capacity, builder->server_count,
                    sizeof *builder->servers)) {
        return false;
    }
    builder->servers          = items;
    deft__server_draft server = {
        .server        = {.kind = kind},
        .is_kind_known = name.size == 0,
        .limit_problem = SIZE_MAX,
    };
    const uint32_t made = (uint32_t)builder->server_count;
    // The map keeps the name after a source was taken back, so the name is not a slice of one.
    if (name.size > 0 && (!deft__arena_copy(&builder->decoded, name, &server.server.name) ||
                          !deft__map_put(&builder->server_map, server.server.name, made))) {
        return false;
    }
    if (name.size == 0) {
        builder->nameless[kind] = made;
    }
    builder->servers[builder->server_count++] = server;
    *index                                    = made;
    return true;
}
