// adapt.h - carries results over from one era to the other. A modern result has `resultType` and,
// where it may be cached, `ttlMs` and `cacheScope`; a legacy one must not have them. All other
// members keep their bytes.
#ifndef DEFT_MCP_ADAPT_H
#define DEFT_MCP_ADAPT_H

#include "mcp/era.h"

// What a modern result says about caching it; legacy results say nothing.
typedef struct deft__mcp_caching {
    bool     is_cacheable; // of a method whose results carry ttlMs and cacheScope
    uint64_t ttl_ms;
    bool     is_private;
} deft__mcp_caching;

// Appends `result` (an object; NONE counts as empty) for a peer of era `to`. For a modern peer:
// resultType "complete" where the result has none, caching as given where a complete result has
// none of its own, and our serverInfo (raw object; may be empty) in _meta beside what is there. For
// a legacy peer these are taken out, and with `is_call` a structuredContent that is not an object.
// With `is_call` a missing `content` becomes [], or the text of a structuredContent that was taken
// out. `caching` may be NULL.
void deft__mcp_write_result_for(deft_buffer *out, deft__json_value result, deft__mcp_era to,
                                const deft__mcp_caching *caching, deft_view server_info,
                                bool is_call);

// Appends a tool definition in MCP form for a peer of era `to`: without `execution` for modern
// peers, without an outputSchema whose root is not of type object for legacy ones, and without any
// `x-mcp-header` keyword in the input schema (a header that we would then have to demand). Other
// bytes stay. `definition` is the raw object, valid JSON: where no word in it can matter it is
// not even parsed. DEFT_INVALID, DEFT_LIMIT, DEFT_OUT_OF_MEMORY: only in the last case, and then
// with its status set, may `out` hold a part.
deft_status deft__mcp_write_definition_for(deft_buffer *out, deft_view definition, deft__mcp_era to,
                                           deft_error *error);

// Appends the result of a tools/call that failed in a way that the model can act on, in legacy form.
void deft__mcp_write_tool_error(deft_buffer *out, deft_view text);

// resultType of a result as one of these; absent, or null, counts as complete.
typedef enum deft__mcp_result_type {
    DEFT__MCP_COMPLETE,
    DEFT__MCP_INPUT_REQUIRED,
    DEFT__MCP_RESULT_UNKNOWN
} deft__mcp_result_type;

deft__mcp_result_type deft__mcp_result_type_of(deft__json_value result);

#endif
