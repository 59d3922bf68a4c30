// Building an index: one pass over the catalog that splits every tool's text and notes which term
// occurs how often, then one counting sort that turns the notes from tool order into term order.
// Both are linear in the size of the text.
#include "core/index/index.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/index/build.h"
#include "core/index/fold.h"

#include <assert.h>
#include <limits.h>

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

static bool has_ranking(const deft_index *index, deft_ranking ranking)
{
    return (index->rankings & DEFT_RANKING_BIT(ranking)) != 0;
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

// The texts that ranking keyword looks into, and the names of ranking bm25.
static bool fold_tool(deft_index *index, const deft_tool *tool, deft__document *document)
{
    return fold_copy(index, tool->id, &document->id) &&
           fold_copy(index, tool->name, &document->name) &&
           fold_copy(index, tool->wire_name, &document->wire_name) &&
           (!has_ranking(index, DEFT_RANKING_KEYWORD) ||
            (fold_copy(index, indexed(tool->description), &document->description) &&
             join_parameters(index, tool, &document->parameters)));
}

static bool add_tool(index_builder *builder, uint32_t number)
{
    deft_index        *index  = builder->index;
    const deft_tool   *tool   = deft_catalog_tool(index->catalog, (deft_tool_id){number});
    const deft_server *server = deft_catalog_server(index->catalog, tool->server);
    if (!fold_tool(index, tool, &index->documents[number])) {
        return false;
    }
    if (has_ranking(index, DEFT_RANKING_BM25) &&
        (!note_text(builder, number, tool->name) || !note_text(builder, number, server->name) ||
         !note_text(builder, number, indexed(tool->description)) ||
         !note_parameters(builder, number, tool))) {
        return false;
    }
    builder->note_ends[number] = builder->note_count;
    return true;
}

static bool add_tools(index_builder *builder)
{
    deft_index  *index = builder->index;
    const size_t count = index->document_count;
    index->documents   = deft__arena_array(&index->arena, count, sizeof *index->documents);
    builder->note_ends = deft__arena_array(&index->arena, count, sizeof *builder->note_ends);
    if (index->documents == NULL || builder->note_ends == NULL) {
        return false;
    }

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

// What the bytes of the image do not hold but every search needs.
static bool finish_image(deft_index *index, deft_analyzer *analyzer)
{
    return deft__synonyms_init(&index->synonyms, &index->image, analyzer, &index->arena) ==
               DEFT_OK &&
           deft__spellings_init(&index->spellings, index->catalog, &index->arena) == DEFT_OK;
}

static deft_status build(deft_index *index, deft_analyzer *analyzer, deft_error *error)
{
    deft_buffer      *bytes  = &index->image_bytes;
    const deft_status status = deft__index_build(
        index->catalog, analyzer, index->model, deft_catalog_version(index->catalog), bytes, error);
    if (status != DEFT_OK) {
        return status;
    }
    // It is as long as it will ever be; growing left up to as much again unused.
    char *exact = deft__resize(index->allocator, bytes->data, bytes->capacity, bytes->size);
    if (exact == NULL) {
        return deft__fail_memory(error);
    }
    bytes->data     = exact;
    bytes->capacity = bytes->size;
    // An image that was just built is sound; opening it finds its tables.
    return deft__image_open(&index->image, deft_buffer_view(bytes), error);
}

static bool needs_documents(const deft_index *index)
{
    return has_ranking(index, DEFT_RANKING_BM25) || has_ranking(index, DEFT_RANKING_KEYWORD);
}

// An index without its image.
static deft_index *new_empty(deft_catalog *catalog, const deft_index_options *options,
                             const deft_allocator *allocator, deft_error *error)
{
    const unsigned always =
        DEFT_RANKING_BIT(DEFT_RANKING_HYBRID) | DEFT_RANKING_BIT(DEFT_RANKING_REGEX);
    deft_index *index = deft__new(allocator, sizeof *index);
    if (index == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    assert(deft_catalog_tool_count(catalog) < UINT32_MAX);
    index->allocator      = allocator;
    index->catalog        = deft_catalog_retain(catalog);
    index->document_count = (uint32_t)deft_catalog_tool_count(catalog);
    index->model          = options != NULL ? options->model : NULL;
    index->rankings =
        options != NULL && options->rankings != 0 ? options->rankings | always : UINT_MAX;
    deft__arena_init(&index->arena, allocator);
    deft_buffer_init(&index->image_bytes, allocator);
    // The catalog's version depends on every byte of it: a seed that differs between catalogs.
    deft__map_init(&index->terms, deft_catalog_version(catalog), allocator);
    return index;
}

// Completes an index that has its image or, without `is_opened`, is to get it. `language` is the
// stemmer's. Frees it on failure.
static deft_index *complete(deft_index *index, deft_view language, bool is_opened,
                            deft_error *error)
{
    deft_analyzer *analyzer = deft_analyzer_new(language, index->allocator, error);
    deft_status    status   = DEFT_OUT_OF_MEMORY;
    if (analyzer != NULL) {
        // Rows are found by English stems; other ones would mean something else.
        if (!deft_view_equals(deft_analyzer_language(analyzer), "english")) {
            index->model = NULL;
        }
        status = is_opened ? DEFT_OK : build(index, analyzer, error);
        if (status == DEFT_OK && (!finish_image(index, analyzer) ||
                                  (needs_documents(index) && !build_postings(index, analyzer)))) {
            status = deft__fail_memory(error);
        }
    }
    deft_analyzer_free(analyzer);
    if (status != DEFT_OK) {
        deft_index_free(index);
        return NULL;
    }
    return index;
}

deft_index *deft_index_new_with(deft_catalog *catalog, const deft_index_options *options,
                                const deft_allocator *allocator, deft_error *error)
{
    const deft_view none  = {NULL, 0};
    deft_index     *index = new_empty(catalog, options, allocator, error);
    return index != NULL ? complete(index, options != NULL ? options->language : none, false, error)
                         : NULL;
}

deft_index *deft_index_new(deft_catalog *catalog, const deft_allocator *allocator,
                           deft_error *error)
{
    return deft_index_new_with(catalog, NULL, allocator, error);
}

deft_status deft_index_save(const deft_index *index, deft_buffer *out)
{
    const size_t start = out->size;
    deft_buffer_append(
        out, deft_view_make((const char *)index->image.header, (size_t)index->image.header->size));
    if (out->status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return out->status;
}

// Whether an image has the vectors of the model that is wanted. One that nobody asks for does no
// harm.
static deft_status check_model(const deft_index *index, deft_error *error)
{
    const deft__image *image = &index->image;
    if (index->model == NULL ||
        !deft_view_equals(deft_view_of(image->header->language), "english")) {
        return DEFT_OK;
    }
    if (image->dimensions != index->model->dimensions ||
        image->header->model != deft_model_tell(index->model).version) {
        return deft__fail(error, DEFT_CONFLICT, offsetof(deft__image_header, model),
                          "the index was made without this model; build it again with "
                          "deft_index_new_with");
    }
    for (uint32_t i = 0; i < image->stem_count; i++) {
        if (image->rows[i] != DEFT__MODEL_ROW_NONE && image->rows[i] >= index->model->row_count) {
            return deft__fail(error, DEFT_INVALID, 0, "the index is damaged; build it again");
        }
    }
    return DEFT_OK;
}

// Whether an image is the one of the catalog and the language that are wanted.
static deft_status check_image(const deft_index *index, deft_view language, deft_error *error)
{
    const deft__image_header *header  = index->image.header;
    const uint64_t            version = deft_catalog_version(index->catalog);
    deft__quoted              built;
    deft__quoted              wanted;
    if (header->catalog_version != version) {
        return deft__fail(error, DEFT_CONFLICT, offsetof(deft__image_header, catalog_version),
                          "the index is of catalog %016llx and this is catalog %016llx; build it "
                          "again with deft_index_new",
                          (unsigned long long)header->catalog_version, (unsigned long long)version);
    } else if (header->tool_count != index->document_count) {
        return deft__fail(error, DEFT_INVALID, offsetof(deft__image_header, tool_count),
                          "the index is damaged: it has %u tools and its catalog %u",
                          (unsigned)header->tool_count, (unsigned)index->document_count);
    } else if (language.size > 0 && !deft_view_equals(language, header->language)) {
        return deft__fail(error, DEFT_CONFLICT, offsetof(deft__image_header, language),
                          "the index is for the language '%s', not for '%s'; build it again with "
                          "deft_index_new_with",
                          deft__quote(&built, deft_view_of(header->language)),
                          deft__quote(&wanted, language));
    } else {
        return check_model(index, error);
    }
}

deft_index *deft_index_open(deft_catalog *catalog, deft_view bytes,
                            const deft_index_options *options, const deft_allocator *allocator,
                            deft_error *error)
{
    const deft_view language = options != NULL ? options->language : deft_view_make(NULL, 0);
    deft_index     *index    = new_empty(catalog, options, allocator, error);
    if (index == NULL) {
        return NULL;
    }
    deft_status status = DEFT_OK;
    if ((uintptr_t)bytes.data % DEFT__IMAGE_ALIGNMENT != 0) {
        deft_buffer_append(&index->image_bytes, bytes);
        bytes  = deft_buffer_view(&index->image_bytes);
        status = index->image_bytes.status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
    }
    if (status == DEFT_OK) {
        status = deft__image_open(&index->image, bytes, error);
    }
    if (status == DEFT_OK) {
        status = check_image(index, language, error);
    }
    if (status != DEFT_OK) {
        deft_index_free(index);
        return NULL;
    }
    return complete(index, deft_view_of(index->image.header->language), true, error);
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
