#define _GNU_SOURCE // memmem
#include "quality/baselines/corpus.h"

#include "quality/baselines/words.h"

#include <stdio.h>
#include <stdlib.h>

void *must(void *memory)
{
    if (memory == NULL) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    return memory;
}

void *must_alloc(size_t size)
{
    return must(calloc(1, size > 0 ? size : 1));
}

void *must_grow(void *items, size_t *capacity, size_t count, size_t item_size)
{
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity < 8 ? 8 : *capacity * 2;
    return must(realloc(items, *capacity * item_size));
}

// --- Texts. --------------------------------------------------------------------------------------

static deft_view keep(quality_corpus *corpus, deft_buffer *text)
{
    deft_view kept = {NULL, 0};
    if (text->status != DEFT_OK ||
        !deft__arena_copy(&corpus->arena, deft_buffer_view(text), &kept)) {
        must(NULL);
    }
    deft_buffer_reset(text);
    return kept;
}

static void read_tool(quality_corpus *corpus, corpus_tool *tool, deft_buffer *text)
{
    const deft_view name   = tool->tool->name;
    const deft_view server = tool->server->name;

    lower(text, name);
    tool->name = keep(corpus, text);

    if (server.size > 0) {
        deft_buffer_append_text(text, "mcp__");
        lower(text, server);
        deft_buffer_append_text(text, "__");
    }
    lower(text, name);
    tool->wire_name = keep(corpus, text);

    if (server.size > 0) {
        lower(text, server);
        deft_buffer_append_byte(text, '.');
    }
    lower(text, name);
    tool->path = keep(corpus, text);

    lower(text, tool->tool->description);
    tool->description = keep(corpus, text);

    for (size_t i = 0; i < tool->tool->parameter_count; i++) {
        deft_buffer_append_text(text, i > 0 ? " " : "");
        lower(text, tool->tool->parameters[i].name);
    }
    tool->parameters = keep(corpus, text);

    const deft_view parts[] = {tool->wire_name, tool->path, tool->description, tool->parameters};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        deft_buffer_append(text, parts[i]);
        deft_buffer_append_byte(text, '\n');
    }
    for (size_t i = 0; i < tool->tool->parameter_count; i++) {
        lower(text, tool->tool->parameters[i].description);
        deft_buffer_append_byte(text, '\n');
    }
    tool->all = keep(corpus, text);
}

static int compare_views(deft_view a, deft_view b)
{
    const size_t size  = a.size < b.size ? a.size : b.size;
    const int    order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// qsort has no context, and these two orders are all we need.
static const corpus_tool *sorted_tools;

static int by_wire_name(const void *a, const void *b)
{
    return compare_views(sorted_tools[*(const uint32_t *)a].wire_name,
                         sorted_tools[*(const uint32_t *)b].wire_name);
}

static int by_path(const void *a, const void *b)
{
    return compare_views(sorted_tools[*(const uint32_t *)a].path,
                         sorted_tools[*(const uint32_t *)b].path);
}

static uint32_t *sorted(const quality_corpus *corpus, int (*compare)(const void *, const void *))
{
    uint32_t *order = must_alloc(corpus->count * sizeof *order);
    for (size_t i = 0; i < corpus->count; i++) {
        order[i] = (uint32_t)i;
    }
    sorted_tools = corpus->tools;
    qsort(order, corpus->count, sizeof *order, compare);
    return order;
}

void corpus_init(quality_corpus *corpus, deft_catalog *catalog)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    memset(corpus, 0, sizeof *corpus);
    deft__arena_init(&corpus->arena, NULL);
    deft__map_init(&corpus->found, 1, NULL);
    corpus->catalog = deft_catalog_retain(catalog);
    corpus->count   = deft_catalog_tool_count(catalog);
    corpus->tools   = must_alloc(corpus->count * sizeof *corpus->tools);
    corpus->scores  = must_alloc(corpus->count * sizeof *corpus->scores);
    for (uint32_t i = 0; i < corpus->count; i++) {
        corpus_tool *tool = &corpus->tools[i];
        tool->tool        = deft_catalog_tool(catalog, (deft_tool_id){i});
        tool->server      = deft_catalog_server(catalog, tool->tool->server);
        read_tool(corpus, tool, &text);
    }
    corpus->by_wire_name = sorted(corpus, by_wire_name);
    corpus->by_path      = sorted(corpus, by_path);
    deft_buffer_clear(&text);
}

void corpus_clear(quality_corpus *corpus)
{
    for (size_t i = 0; i < corpus->search_count; i++) {
        free(corpus->searches[i].items);
    }
    free(corpus->searches);
    free(corpus->tools);
    free(corpus->scores);
    free(corpus->by_wire_name);
    free(corpus->by_path);
    deft__map_clear(&corpus->found);
    deft__arena_clear(&corpus->arena);
    deft_catalog_release(corpus->catalog);
}

// --- Substrings. ---------------------------------------------------------------------------------

bool view_has(deft_view text, deft_view part)
{
    return text.size >= part.size && memmem(text.data, text.size, part.data, part.size) != NULL;
}

// The text is `part`, or ends in it behind one of `separators`.
static bool ends(deft_view text, deft_view part, const char *separators)
{
    if (text.size == part.size) {
        return deft_view_equal(text, part);
    }
    return text.size > part.size &&
           deft_view_equal(deft_view_slice(text, text.size - part.size, part.size), part) &&
           strchr(separators, text.data[text.size - part.size - 1]) != NULL;
}

static uint32_t places_of(const corpus_tool *tool, deft_view text)
{
    uint32_t places = 0;
    if (!view_has(tool->all, text)) {
        return 0;
    }
    places |= view_has(tool->name, text) ? IN_NAME : 0u;
    places |= deft_view_equal(tool->name, text) ? IS_NAME : 0u;
    places |= view_has(tool->description, text) ? IN_DESCRIPTION : 0u;
    places |= view_has(tool->parameters, text) ? IN_PARAMETERS : 0u;
    places |= view_has(tool->wire_name, text) ? IN_WIRE_NAME : 0u;
    places |= ends(tool->wire_name, text, "_.") ? ENDS_WIRE_NAME : 0u;
    places |= view_has(tool->path, text) ? IN_PATH : 0u;
    places |= ends(tool->path, text, ".") ? ENDS_PATH : 0u;
    return places | IN_ALL;
}

const quality_occurrences *corpus_find(quality_corpus *corpus, deft_view text)
{
    uint32_t place = 0;
    if (deft__map_find(&corpus->found, text, &place)) {
        return &corpus->searches[place];
    }
    deft_view           key    = {NULL, 0};
    quality_occurrences search = {NULL, 0, 0};
    for (uint32_t i = 0; i < corpus->count; i++) {
        const uint32_t places = places_of(&corpus->tools[i], text);
        if (places != 0) {
            search.items =
                must_grow(search.items, &search.capacity, search.count, sizeof *search.items);
            search.items[search.count++] = (occurrence){i, places};
        }
    }
    corpus->searches = must_grow(corpus->searches, &corpus->search_capacity, corpus->search_count,
                                 sizeof *corpus->searches);
    if (!deft__arena_copy(&corpus->arena, text, &key) ||
        !deft__map_put(&corpus->found, key, (uint32_t)corpus->search_count)) {
        must(NULL);
    }
    corpus->searches[corpus->search_count++] = search;
    return &corpus->searches[corpus->search_count - 1];
}

// --- Scores. -------------------------------------------------------------------------------------

double *corpus_scores(quality_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        corpus->scores[i] = 0;
    }
    return corpus->scores;
}

size_t corpus_top(const quality_corpus *corpus, const uint32_t *order, double least,
                  uint32_t *ranked, size_t ranked_max)
{
    const double *scores = corpus->scores;
    size_t        count  = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        const uint32_t tool = order != NULL ? order[i] : (uint32_t)i;
        if (!(scores[tool] > least) ||
            (count == ranked_max && scores[tool] <= scores[ranked[count - 1]])) {
            continue;
        }
        size_t at = count < ranked_max ? count++ : count - 1;
        for (; at > 0 && scores[ranked[at - 1]] < scores[tool]; at--) {
            ranked[at] = ranked[at - 1];
        }
        ranked[at] = tool;
    }
    return count;
}
