// catalog.h - what a catalog is made of, shared by the files of this folder.
#ifndef DEFT_CORE_CATALOG_CATALOG_H
#define DEFT_CORE_CATALOG_CATALOG_H

#include "deft/catalog.h"

#include "base/arena.h"
#include "core/catalog/lookup.h"

#include <stdatomic.h>

// How a definition is written, finer than deft_form: the last two are OpenAI's as well, but not
// what DEFT_FORM_OPENAI stands for, so they are never handed out as they are.
typedef enum deft__shape {
    DEFT__SHAPE_MCP,
    DEFT__SHAPE_ANTHROPIC,
    DEFT__SHAPE_OPENAI,        // {"type": "function", "function": {"name", ...}}
    DEFT__SHAPE_OPENAI_FLAT,   // {"type": "function", "name", ..., "parameters"}
    DEFT__SHAPE_BARE_FUNCTION, // {"name", ..., "parameters"}
} deft__shape;

// A tool, and what writing it needs besides.
typedef struct deft__record {
    deft_tool   tool;
    deft_view   name_raw;        // a JSON string inside the definition, quotes included
    deft_view   description_raw; // likewise; empty when there is none
    deft_view   strict;          // OpenAI's "strict", raw; may be empty
    deft__shape shape;
} deft__record;

// The one copy of a text that was added, or where a text is that was lent; definitions are slices of
// it.
typedef struct deft__source_text {
    struct deft__source_text *next;
    size_t                    size; // of `bytes`; 0 where the text was lent
    void (*release)(void *owner);   // lent: to be told when it is needed no more
    void *owner;
    char  bytes[];
} deft__source_text;

struct deft_catalog {
    atomic_size_t         reference_count;
    const deft_allocator *allocator;
    uint64_t              hash_seed;
    uint64_t              version;

    deft__source_text *texts;
    size_t             text_bytes; // of all texts, for reporting
    deft__arena        decoded;    // strings that had escapes, labels, messages
    deft__arena        names;      // ids and wire names

    deft__record   *records;
    size_t          record_count;
    size_t          record_capacity; // > record_count where duplicates were dropped
    deft_server    *servers;
    size_t          server_count;
    deft_parameter *parameters; // of all tools, in the order they were read
    size_t          parameter_count;
    deft_problem   *problems;
    size_t          problem_count;
    size_t          problem_capacity;

    // From a text to tools, and to servers. Keys are not stored: they are in these.
    deft__lookup by_id;    // exact
    deft__lookup by_wire;  // exact
    deft__lookup by_name;  // bare name, folded
    deft__lookup by_loose; // id as hosts write it, folded: see wire.h
    deft__lookup by_server;
};

void deft__source_texts_free(deft__source_text *texts, const deft_allocator *allocator);

// Frees a catalog that may be half built.
void deft__catalog_free(deft_catalog *catalog);

// What of a definition is written, and how.
typedef struct deft__writing {
    deft_form   form;
    deft_naming naming;
    bool        is_compact; // without white space between tokens
} deft__writing;

// Writes as deft_catalog_write_tool does.
deft_status deft__catalog_write(const deft_catalog *catalog, deft_tool_id tool,
                                deft__writing writing, deft_buffer *out);

#endif
