// builder.h - a catalog in the making, shared by the files of this folder.
//
// What can be said of one definition alone is checked as it is read. What needs the others (is
// its id taken, which are its neighbours) waits until the catalog is finished, so taking back a
// source that failed is nothing but shortening a few arrays.
#ifndef DEFT_CORE_CATALOG_BUILDER_H
#define DEFT_CORE_CATALOG_BUILDER_H

#include "core/catalog/catalog.h"

#include "base/map.h"
#include "json/reader.h"

#include <stdarg.h>

#define DEFT__SERVER_KIND_COUNT 3

// A definition that was read. Its record has no id, wire name and parameter array yet.
typedef struct deft__draft {
    deft__record     record;
    size_t           parameter_first; // in the builder's parameters
    deft_server_kind kind;            // what its server is, should nothing else say
    deft_view        label;
    size_t           position;
    size_t           offset;
    bool             is_line; // from a file of one definition a line, where "id" is the file's key
} deft__draft;

typedef struct deft__server_draft {
    deft_server server; // tool_count counts drafts
    bool        is_kind_known;
    size_t      limit_problem; // index of the problem that says there are too many tools
} deft__server_draft;

struct deft_catalog_builder {
    const deft_allocator *allocator;
    deft_catalog_options  options; // defaults filled in

    deft__source_text *texts;
    size_t             text_bytes;
    deft__arena        decoded;

    deft__draft        *drafts;
    size_t              draft_capacity;
    size_t              draft_count;
    deft_parameter     *parameters;
    size_t              parameter_capacity;
    size_t              parameter_count;
    deft__server_draft *servers;
    size_t              server_capacity;
    size_t              server_count;
    deft__map           server_map; // by name; an entry past server_count was taken back
    // Tools without a server have one nameless server for each kind, so that the embedding
    // program's own tools and others do not mix.
    uint32_t nameless[DEFT__SERVER_KIND_COUNT]; // past server_count: there is none

    deft_problem *problems;
    size_t        problem_capacity;
    size_t        problem_count;
    size_t        problem_hidden_count; // past DEFT_PROBLEMS_MAX

    deft__json  json;    // the tape, used again for each text
    deft_buffer scratch; // likewise, for one string at a time
};

// Where in the sources something is.
typedef struct deft__place {
    deft_view label;
    deft_view server; // may be empty
    deft_view tool;   // may be empty
    size_t    position;
    size_t    offset;
    bool      is_tool; // else it is the source, or the server, as a whole
} deft__place;

#if defined(__GNUC__)
#define DEFT__PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#else
#define DEFT__PRINTF_LIKE(at, first)
#endif

// Notes a problem: who it is about, then the sentence, then the byte. False: no memory.
DEFT__PRINTF_LIKE(4, 5)
bool deft__builder_report(deft_catalog_builder *builder, const deft__place *place,
                          deft_status status, const char *format, ...);
DEFT__PRINTF_LIKE(4, 0)
bool deft__builder_report_list(deft_catalog_builder *builder, const deft__place *place,
                               deft_status status, const char *format, va_list arguments);

// Notes how many problems were not listed, where some were not. False: no memory.
bool deft__builder_report_hidden(deft_catalog_builder *builder);

// One source being read.
typedef struct deft__reading {
    deft_catalog_builder *builder;
    deft_view             label;
    deft_view             server;          // of the whole source; may be empty
    bool                  is_server_fixed; // the caller named it: definitions cannot
    bool                  is_kind_set;
    deft_server_kind      kind;
    size_t                offset_base;       // where the parsed text begins in the source
    size_t                position;          // of the next definition
    bool                  is_line;           // one definition a line
    bool                  is_limit_reported; // there are too many tools in all
} deft__reading;

// Reads one definition: adds a draft, or a problem, or both. False: no memory.
bool deft__definition_read(deft__reading *reading, deft__json_value value);

// The text of a JSON string for as long as the catalog lives: borrowed from the source, or a
// decoded copy. Empty for anything but a string. False: no memory.
bool deft__builder_string(deft_catalog_builder *builder, deft__json_value value, deft_view *text);
// The same, and always a copy.
bool deft__builder_copy_string(deft_catalog_builder *builder, deft__json_value value,
                               deft_view *text);

// What is wrong with a name, as the end of a sentence that begins with "name"; NULL when it is
// fine. `reason` is where the words may be put.
typedef struct deft__reason {
    char text[160];
} deft__reason;

const char *deft__name_flaw(deft_view name, size_t size_max, deft__reason *reason);
const char *deft__server_name_flaw(deft_view name, size_t size_max, deft__reason *reason);

// What is besides wrong with the name of a tool that has no server; NULL when nothing is.
const char *deft__nameless_tool_flaw(deft_view name);

// Whether the builder's options let a tool in.
bool deft__builder_is_allowed(const deft_catalog_builder *builder, deft_view server,
                              deft_view tool);

// The server of that name, made where it is not there yet. `kind` counts only for a nameless one.
// The name is copied. False: no memory.
bool deft__builder_server(deft_catalog_builder *builder, deft_view name, deft_server_kind kind,
                          uint32_t *index);

// Empties the builder, keeping its options.
void deft__builder_clear(deft_catalog_builder *builder);

#endif
