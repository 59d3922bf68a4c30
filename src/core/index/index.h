// index.h - what deft_index holds, for the rankings. A document is one tool; its number is the
// tool's place in the catalog. Its text is kept folded and whole, for the ranking that looks for
// substrings; as terms with postings, for the one that counts words; and as an image, for the one
// that weighs fields. The image is always there, the others where they are wanted.
#ifndef DEFT_CORE_INDEX_INDEX_H
#define DEFT_CORE_INDEX_INDEX_H

#include "base/arena.h"
#include "base/map.h"
#include "core/index/image.h"
#include "core/index/spellings.h"
#include "core/index/synonyms.h"
#include "core/semantic/model.h"
#include "deft/index.h"

// Bytes of a tool's description that are indexed, and of its parameters' descriptions together. A
// tool cannot fill the index by talking; what comes later is not found.
#define DEFT__INDEXED_SIZE_MAX (8u * 1024)

typedef struct deft__posting {
    uint32_t tool;
    uint32_t count; // of the term in the tool's text
} deft__posting;

typedef struct deft__document {
    // Folded, without NUL inside, with one behind the end.
    deft_view id;
    deft_view name;
    deft_view wire_name;
    deft_view description;
    deft_view parameters; // names, joined with one space
    uint32_t  length;     // terms in name, server, description and parameter descriptions
} deft__document;

struct deft_index {
    deft_catalog         *catalog; // retained
    const deft_allocator *allocator;
    deft__arena           arena;    // all below but the map's slots
    const deft_model     *model;    // borrowed; NULL: words alone
    unsigned              rankings; // DEFT_RANKING_BIT of those that can be asked for

    deft__document *documents;      // NULL without the rankings that need them
    uint32_t        document_count; // tools
    double          length_average; // terms; 0 when there are no documents

    deft__map      terms;    // term to its number
    deft__posting *postings; // by term, and within a term in catalog order
    size_t        *starts;   // of each term's postings; one more at the end

    // For the ranking that weighs fields.
    deft_buffer     image_bytes; // empty where they are borrowed
    deft__image     image;
    deft__synonyms  synonyms;
    deft__spellings spellings;
};

// The postings of `term`, NULL and 0 when no tool has it.
const deft__posting *deft__index_postings(const deft_index *index, deft_view term, size_t *count);

#endif
