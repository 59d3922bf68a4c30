// fields.h - the texts of a tool that can be searched, each with its kind. Fields are weighed and
// length-normalised apart: a long parameter list must not drown a short name.
#ifndef DEFT_CORE_INDEX_FIELDS_H
#define DEFT_CORE_INDEX_FIELDS_H

#include "core/index/weigh.h"
#include "deft/buffer.h"
#include "deft/catalog.h"
#include "deft/explain.h"
#include "json/reader.h"

// Most words of a field that are indexed. Real descriptions end well before; what does not is an
// attempt to be found for everything.
size_t deft__field_words_max(deft_field field);

// Working memory for reading schemas; one serves for many tools.
typedef struct deft__field_reader {
    deft__json  document;
    deft_buffer text;
} deft__field_reader;

void deft__field_reader_init(deft__field_reader *reader, const deft_allocator *allocator);
void deft__field_reader_clear(deft__field_reader *reader);

// Calls `visit` for each text of the tool `id`, field after field; a field may come in several texts.
// Stops when it returns false. DEFT_OUT_OF_MEMORY when there is no memory, or `visit` said false.
deft_status deft__fields_visit(deft__field_reader *reader, const deft_catalog *catalog,
                               deft_tool_id id,
                               bool (*visit)(void *context, deft_field field, deft_view text),
                               void *context);

#endif
