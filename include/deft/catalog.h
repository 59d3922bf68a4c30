// catalog.h - what there is: every definition of every server. A catalog is made by a builder and
// never changes afterwards; an update is a new catalog. It is counted: retain it to keep it,
// release it when done, the last release frees it. Threads may share it; a builder belongs to one.
#ifndef DEFT_CATALOG_H
#define DEFT_CATALOG_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/export.h"
#include "deft/tool.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_catalog         deft_catalog;
typedef struct deft_catalog_builder deft_catalog_builder;

// Zero in a field means the default.
typedef struct deft_catalog_options {
    size_t   source_size_max;      // bytes of one source; default 64 MiB, at most 1 GiB
    size_t   definition_size_max;  // bytes of one definition; default 256 KiB
    size_t   tools_per_server_max; // default 20,000
    size_t   name_size_max;        // bytes of a tool's or a server's name; default 128, at most 512
    uint32_t depth_max;            // JSON nesting; default 128
    uint64_t hash_seed;            // set it to a random number where servers are not trusted
    size_t   tools_max;            // of all servers together; default 1,000,000

    // Asked for each tool, with its server's name (may be empty) and its own; one that is not allowed
    // is left out as if it had never been there, and no problem tells of it. NULL: all are allowed.
    bool (*is_allowed)(void *context, deft_view server, deft_view tool);
    void *allowed_context;
} deft_catalog_options;

#define DEFT_CATALOG_OPTIONS_INIT                                                                  \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 0, NULL, NULL                                                            \
    }

#define DEFT_SOURCE_SIZE_MAX      (64u * 1024 * 1024)
#define DEFT_DEFINITION_SIZE_MAX  (256u * 1024)
#define DEFT_TOOLS_PER_SERVER_MAX 20000u
#define DEFT_NAME_SIZE_MAX        128u
#define DEFT_TOOLS_MAX            1000000u
#define DEFT_PROBLEMS_MAX         1000u // kept; one more then tells how many are not

// Where a text of definitions comes from. Zero in a field means: take it from the text.
typedef struct deft_source {
    deft_view        label;  // for messages: a file name, a server's name
    deft_view        server; // the name of the server; overrides one in the text
    bool             is_kind_set;
    deft_server_kind kind; // when is_kind_set; else MCP for MCP-shaped definitions, HOST for others

    // Set `release` to lend the text instead of having it copied: it must then stay as it is until
    // release(owner) is called, once, when nothing needs it any more, on whatever thread that is.
    // When adding fails it is not called.
    void (*release)(void *owner);
    void *owner;
} deft_source;

// Something in a source that could not be used. The rest of the source was.
typedef struct deft_problem {
    deft_status status;
    deft_view   label;    // of the source
    deft_view   server;   // its name; may be empty
    deft_view   tool;     // its name, or empty when it has none
    size_t      position; // in the list, from 0
    size_t      offset;   // byte in the source
    deft_view   message;  // one sentence: what, where, what is accepted
} deft_problem;

// New: free with deft_catalog_builder_free(). NULL when there is no memory.
DEFT_API deft_catalog_builder *deft_catalog_builder_new(const deft_catalog_options *options,
                                                        const deft_allocator       *allocator,
                                                        deft_error                 *error);
DEFT_API void deft_catalog_builder_free(deft_catalog_builder *builder); // NULL is fine

// Adds the definitions in `text`, which is copied unless it is lent. Understood are: a `tools/list` result, with or
// without its JSON-RPC envelope; an object with `server`, `instructions`, `serverInfo`, `tools`; an
// array of definitions or an object with `tools`; one definition a line, each with its own
// `server` if it has one. A definition may be in any deft_form, or a bare function object
// ({"name", "description", "parameters"}). Several sources may add to one server: pages.
//
// Fails only when nothing of the text can be used: not JSON, of no known shape, too large, no
// memory. A single bad definition is a problem, not a failure; docs/catalog.md says which flaw
// costs the tool and which only the flawed part. On failure the builder is as before. `source`
// may be NULL.
DEFT_API deft_status deft_catalog_builder_add(deft_catalog_builder *builder,
                                              const deft_source *source, deft_view text,
                                              deft_error *error);

// The catalog of all that was added; the builder is empty then. Call deft_catalog_release() on it.
// NULL on failure.
DEFT_API deft_catalog *deft_catalog_builder_finish(deft_catalog_builder *builder,
                                                   deft_error           *error);

DEFT_API deft_catalog *deft_catalog_retain(deft_catalog *catalog);  // returns its argument
DEFT_API void          deft_catalog_release(deft_catalog *catalog); // NULL is fine

// What is there under a number; NULL when it is too large.
DEFT_API size_t              deft_catalog_server_count(const deft_catalog *catalog);
DEFT_API const deft_server  *deft_catalog_server(const deft_catalog *catalog, deft_server_id id);
DEFT_API size_t              deft_catalog_tool_count(const deft_catalog *catalog);
DEFT_API const deft_tool    *deft_catalog_tool(const deft_catalog *catalog, deft_tool_id id);
DEFT_API size_t              deft_catalog_problem_count(const deft_catalog *catalog);
DEFT_API const deft_problem *deft_catalog_problem(const deft_catalog *catalog, size_t index);

// A number that two catalogs share when they hold the same definitions in the same order.
DEFT_API uint64_t deft_catalog_version(const deft_catalog *catalog);

// Bytes of memory that the catalog holds.
DEFT_API size_t deft_catalog_memory(const deft_catalog *catalog);

DEFT_API bool deft_catalog_find_server(const deft_catalog *catalog, deft_view name,
                                       deft_server_id *id);

// The tool with exactly this id ("server::tool").
DEFT_API bool deft_catalog_find(const deft_catalog *catalog, deft_view id, deft_tool_id *tool);

// The tool with exactly this wire name ("server__tool").
DEFT_API bool deft_catalog_find_wire(const deft_catalog *catalog, deft_view wire_name,
                                     deft_tool_id *tool);

// The tool that someone means: its id, its wire name, `mcp__server__tool` as some hosts write it,
// or its bare name where only one server has it; failing these, any of them in other upper and
// lower case where that fits one tool only. DEFT_NOT_FOUND with the nearest names in the message;
// DEFT_CONFLICT, with the candidates, where several tools are meant alike.
DEFT_API deft_status deft_catalog_resolve(const deft_catalog *catalog, deft_view name,
                                          deft_tool_id *tool, deft_error *error);

// The tools nearest to `name`, best first, at most `count_max` and never more than
// DEFT_NEAREST_MAX; returns how many were written. Reads the whole catalog once.
#define DEFT_NEAREST_MAX 16u
DEFT_API size_t deft_catalog_nearest(const deft_catalog *catalog, deft_view name,
                                     deft_tool_id *tools, size_t count_max);

// What a tool is called where it is written.
typedef enum deft_naming {
    DEFT_NAMING_PLAIN, // the server's own name
    DEFT_NAMING_WIRE,  // wire_name
    DEFT_NAMING_ID     // "server::tool"
} deft_naming;

// Writes the definition of `tool` in `form`. In its own form under its own name these are the
// server's bytes unchanged; under another name all bytes but those of the name; in another form
// description and schema are spliced in raw, and what that form has no place for (title,
// annotations, ...) is left out. On failure nothing is appended. DEFT_NOT_FOUND: no such tool.
DEFT_API deft_status deft_catalog_write_tool(const deft_catalog *catalog, deft_tool_id tool,
                                             deft_form form, deft_naming naming, deft_buffer *out);

DEFT_API const char *deft_form_name(deft_form form); // "mcp", "openai", "anthropic"
DEFT_API bool        deft_form_from_name(deft_view name, deft_form *form);

#ifdef __cplusplus
}
#endif
#endif
