// Building an index: one pass over the catalog that splits every tool's text and notes which term
// occurs how often, then one counting sort that turns the notes from tool order into term order.
// Both are linear in the size of the text.
#include "core/index/index.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/index/build.h"
#include "core/index/fold.h"

#include <assert.h>

// One term of one tool.
typedef struct note {
    uint32_t term;
    uint32_t count;
} note;

typedef struct term_state {
    size_t   posting_count;
    size_t   note;     // of the tool it was last seen in
    uint32_t tool_end; // that tool's number + 1; 0: none yet
} term_state;

typedef struct index_builder {
    deft_index    *index;
    deft_analyzer *analyzer;
    note          *notes;
    size_t         note_count;
    size_t         note_capacity;
    size_t        *note_ends; // by tool
    term_state    *terms;
    size_t         term_count;
    size_t         term_capacity;
} index_builder;

// The number of `term`, a new one when it was never seen. False: no memory.
static bool number_of(index_builder *builder, deft_view term, uint32_t *number)
{
    deft_index *index = builder->index;
    if (deft__map_find(&index->terms, term, number)) {
        return true;
    }
    deft_view kept;
    if (!deft__grow(index->allocator, (void **)&builder->terms, &builder->term_capacity,
                    builder->term_count, sizeof *builder->terms) ||
        !deft__arena_copy(&index->arena, term, &kept) ||
        !deft__map_put(&index->terms, kept, (uint32_t)builder->term_count)) {
        return false;
    }
    builder->terms[builder->term_count] = (term_state){0};
    *number                             = (uint32_t)builder->term_count++;
    return true;
}

static bool note_term(index_builder *builder, uint32_t tool, deft_view term)
{
    uint32_t number = 0;
    if (!number_of(builder, term, &number)) {
        return false;
    }
    term_state *state = &builder->terms[number];
    if (state->tool_end == tool + 1) {
        builder->notes[state->note].count++;
        return true;
    }
    if (!deft__grow(builder->index->allocator, (void **)&builder->notes, &builder->note_capacity,
                    builder->note_count, sizeof *builder->notes)) {
        return false;
    }
    builder->notes[builder->note_count] = (note){.term = number, .count = 1};
    state->note                         = builder->note_count++;
    state->tool_end                     = tool + 1;
    state->posting_count++;
    return true;
}

static bool note_text(index_builder *builder, uint32_t tool, deft_view text)
{
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(builder->analyzer, text, SIZE_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        if (!terms[i].is_whole) {
            if (!note_term(builder, tool, terms[i].word)) {
                return false;
            }
            builder->index->documents[tool].length++;
        }
    }
    return terms != NULL;
}

static deft_view indexed(deft_view text)
{
    return deft_view_slice(text, 0, DEFT__INDEXED_SIZE_MAX);
}

static bool fold_copy(deft_index *index, deft_view text, deft_view *copy)
{
    char *bytes = deft__arena_alloc(&index->arena, text.size + 1);
    if (bytes == NULL) {
        return false;
    }
    deft__fold_text(text, bytes);
    *copy = deft_view_make(bytes, text.size);
    return true;
}

// Every parameter's name, folded, with a space between them.
static bool join_parameters(deft_index *index, const deft_tool *tool, deft_view *joined)
{
    size_t size = 0;
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        size += tool->parameters[i].name.size + 1;
    }
    char *bytes = deft__arena_alloc(&index->arena, size + 1);
    if (bytes == NULL) {
        return false;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        if (i > 0) {
            bytes[at++] = ' ';
        }
        deft__fold_text(tool->parameters[i].name, bytes + at);
        at += tool->parameters[i].name.size;
    }
    *joined = deft_view_make(bytes, at);
    return true;
}

static bool note_parameters(index_builder *builder, uint32_t number, const deft_tool *tool)
{
    size_t left = DEFT__INDEXED_SIZE_MAX;
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        const deft_view text = deft_view_slice(tool->parameters[i].description, 0, left);
        left -= text.size;
        if (!note_text(builder, number, text)) {
            return false;
        }
    }
    return true;
}

static bool add_tool(index_builder *builder, uint32_t number)
{
    deft_index        *index    = builder->index;
    const deft_tool   *tool     = deft_catalog_tool(index->catalog, (deft_tool_id){number});
    const deft_server *server   = deft_catalog_server(index->catalog, tool->server);
    deft__document    *document = &index->documents[number];

    if (!fold_copy(index, tool->id, &document->id) ||
        !fold_copy(index, tool->name, &document->name) ||
        !fold_copy(index, tool->wire_name, &document->wire_name) ||
        !fold_copy(index, indexed(tool->description), &document->description) ||
        !join_parameters(index, tool, &document->parameters)) {
        return false;
    }
    if (!note_text(builder, number, tool->name) || !note_text(builder, number, server->name) ||
        !note_text(builder, number, indexed(tool->description)) ||
        !note_parameters(builder, number, tool)) {
        return false;
    }
    builder->note_ends[number] = builder->note_count;
    return true;
}

static bool add_tools(index_builder *builder)
{
    deft_index  *index = builder->index;
    const size_t count = deft_catalog_tool_count(index->catalog);
    assert(count < UINT32_MAX);

    index->documents   = deft__arena_array(&index->arena, count, sizeof *index->documents);
    builder->note_ends = deft__arena_array(&index->arena, count, sizeof *builder->note_ends);
    if (index->documents == NULL || builder->note_ends == NULL) {
        return false;
    }
    index->document_count = (uint32_t)count;

    double length = 0;
    for (uint32_t i = 0; i < index->document_count; i++) {
        if (!add_tool(builder, i)) {
            return false;
        }
        length += index->documents[i].length;
    }
    index->length_average = count > 0 ? length / (double)count : 0;
    return true;
}

// Turns the notes into postings. Tools are taken in catalog order, so each term's postings are in
// that order too.
static bool sort_notes(index_builder *builder)
{
    deft_index *index = builder->index;
    index->starts     = deft__arena_array(&index->arena, builder->term_count + 1, sizeof(size_t));
    index->postings =
        deft__arena_array(&index->arena, builder->note_count, sizeof *index->postings);
    if (index->starts == NULL || index->postings == NULL) {
        return false;
    }

    // First the end of each term's postings; filling from the back turns it into their start.
    size_t end = 0;
    for (size_t i = 0; i < builder->term_count; i++) {
        end += builder->terms[i].posting_count;
        index->starts[i] = end;
    }
    index->starts[builder->term_count] = end;

    size_t at = builder->note_count;
    for (uint32_t tool = index->document_count; tool-- > 0;) {
        const size_t first = tool > 0 ? builder->note_ends[tool - 1] : 0;
        while (at > first) {
            const note noted = builder->notes[--at];
            index->postings[--index->starts[noted.term]] =
                (deft__posting){.tool = tool, .count = noted.count};
        }
    }
    return true;
}

static bool build_postings(deft_index *index, deft_analyzer *analyzer)
{
    index_builder builder = {.index = index, .analyzer = analyzer};
    const bool    is_done = add_tools(&builder) && sort_notes(&builder);
    deft__free(index->allocator, builder.notes, builder.note_capacity * sizeof *builder.notes);
    deft__free(index->allocator, builder.terms, builder.term_capacity * sizeof *builder.terms);
    return is_done;
}

static bool build_image(deft_index *index, deft_analyzer *analyzer)
{
    // An image that was just built is sound; opening it finds its tables.
    return deft__index_build(index->catalog, analyzer, deft_catalog_version(index->catalog),
                             &index->image_bytes, NULL) == DEFT_OK &&
           deft__image_open(&index->image, deft_buffer_view(&index->image_bytes), NULL) ==
               DEFT_OK &&
           deft__synonyms_init(&index->synonyms, &index->image, analyzer, &index->arena) ==
               DEFT_OK &&
           deft__spellings_init(&index->spellings, index->catalog, &index->arena) == DEFT_OK;
}

deft_index *deft_index_new(deft_catalog *catalog, const deft_allocator *allocator,
                           deft_error *error)
{
    deft_index *index = deft__new(allocator, sizeof *index);
    if (index == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    index->allocator = allocator;
    index->catalog   = deft_catalog_retain(catalog);
    deft__arena_init(&index->arena, allocator);
    deft_buffer_init(&index->image_bytes, allocator);
    // The catalog's version depends on every byte of it: a seed that differs between catalogs.
    deft__map_init(&index->terms, deft_catalog_version(catalog), allocator);

    deft_analyzer *analyzer = deft_analyzer_new(deft_view_make(NULL, 0), allocator, NULL);
    const bool     is_done =
        analyzer != NULL && build_postings(index, analyzer) && build_image(index, analyzer);
    deft_analyzer_free(analyzer);
    if (!is_done) {
        deft_index_free(index);
        deft__fail_memory(error);
        return NULL;
    }
    return index;
}

void deft_index_free(deft_index *index)
{
    if (index == NULL) {
        return;
    }
    deft__spellings_clear(&index->spellings);
    deft__synonyms_clear(&index->synonyms);
    deft_buffer_clear(&index->image_bytes);
    deft__map_clear(&index->terms);
    deft__arena_clear(&index->arena);
    deft_catalog_release(index->catalog);
    deft__free(index->allocator, index, sizeof *index);
}

const deft__posting *deft__index_postings(const deft_index *index, deft_view term, size_t *count)
{
    uint32_t number = 0;
    if (!deft__map_find(&index->terms, term, &number)) {
        *count = 0;
        return NULL;
    }
    *count = index->starts[number + 1] - index->starts[number];
    return index->postings + index->starts[number];
}
