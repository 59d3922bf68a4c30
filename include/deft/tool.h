// tool.h - one tool as a catalog holds it. Everything here is borrowed from the catalog and lives
// as long as it does. Raw parts are the server's own bytes, never re-serialised: what a model gets
// is what the server said.
#ifndef DEFT_TOOL_H
#define DEFT_TOOL_H

#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Places in one catalog. Two catalogs do not share them; across catalogs a tool is its `id` text.
typedef struct deft_tool_id {
    uint32_t index;
} deft_tool_id;

typedef struct deft_server_id {
    uint32_t index;
} deft_server_id;

// How a definition is written.
typedef enum deft_form {
    DEFT_FORM_MCP,       // {"name", "description", "inputSchema", ...}
    DEFT_FORM_OPENAI,    // {"type": "function", "function": {"name", "description", "parameters"}}
    DEFT_FORM_ANTHROPIC, // {"name", "description", "input_schema"}
} deft_form;

// Whose tools they are; decides whether they may be deferred at all (A7, A8).
typedef enum deft_server_kind {
    DEFT_SERVER_MCP,     // a connected MCP server: deferrable
    DEFT_SERVER_HOST,    // tools that the embedding program handed over: only where marked
    DEFT_SERVER_BUILTIN, // the embedding program's own tools: never
} deft_server_kind;

typedef struct deft_server {
    deft_view        name;         // as configured; empty for tools without a server
    deft_view        title;        // serverInfo.title, else serverInfo.name; may be empty
    deft_view        version;      // serverInfo.version; may be empty
    deft_view        instructions; // decoded text; may be empty
    deft_view        info;         // raw serverInfo object; may be empty
    deft_server_kind kind;
    deft_tool_id     first_tool; // a server's tools stand together, in the order it gave them
    uint32_t         tool_count;
} deft_server;

// One top-level property of the input schema.
typedef struct deft_parameter {
    deft_view name;
    deft_view description; // may be empty
    deft_view type;        // "string", ...; empty when absent or not a plain string
    deft_view schema;      // raw
    bool      is_required;
} deft_parameter;

typedef struct deft_tool {
    deft_server_id server;
    deft_view      id;          // "server::tool", unique; only the name when there is no server
    deft_view      wire_name;   // [A-Za-z0-9_-]{1,64}, unique, the same for the same id
    deft_view      name;        // decoded text, as the server calls it
    deft_view      title;       // title, else annotations.title; may be empty
    deft_view      description; // decoded text; may be empty

    deft_form form;          // how `definition` is written; OPENAI also when it is flat or bare
    deft_view definition;    // raw: the whole definition
    deft_view input_schema;  // raw object; empty when the definition has none
    deft_view output_schema; // raw; may be empty
    deft_view annotations;   // raw; may be empty
    deft_view icons;         // raw; may be empty
    deft_view execution;     // raw; may be empty
    deft_view meta;          // raw _meta; may be empty
    deft_view source_id;     // the definition's own "id", decoded; empty when it has none

    const deft_parameter *parameters;
    uint32_t              parameter_count;

    bool is_read_only;         // annotations.readOnlyHint is true
    bool is_destructive;       // annotations.destructiveHint is true
    bool is_marked_deferrable; // "deferrable": true or "defer_loading": true
    bool is_always_load;       // _meta["anthropic/alwaysLoad"] is true
} deft_tool;

#ifdef __cplusplus
}
#endif
#endif
