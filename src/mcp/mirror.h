// mirror.h - parameters of tools that are also sent as HTTP headers, so that whatever stands between
// client and server can see them without reading bodies: `"x-mcp-header": "Region"` in the schema of a
// property asks for `Mcp-Param-Region: VALUE` on each call (revision 2026-07-28).
#ifndef DEFT_MCP_MIRROR_H
#define DEFT_MCP_MIRROR_H

#include "base/arena.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "json/reader.h"

typedef struct deft__mcp_mirror {
    deft_view        header;     // the name behind "Mcp-Param-"
    const deft_view *names;      // of the properties on the way from the arguments to the value
    size_t           name_count; // at least 1
} deft__mcp_mirror;

// Headers of one tool at most.
#define DEFT__MCP_MIRRORS_MAX 64u

// The mirrors of a definition (an object); most have none. Made in `arena`. DEFT_INVALID: it breaks a
// rule, and must not be offered over HTTP; the message is a clause that says which. DEFT_LIMIT: it has
// too many. DEFT_OUT_OF_MEMORY.
deft_status deft__mcp_read_mirrors(deft__json_value definition, deft__arena *arena,
                                   const deft__mcp_mirror **mirrors, size_t *count,
                                   deft_error *error);

// Appends the value for a call's arguments: a string as it is, a whole number in decimal, or a
// boolean. False: there is none to send.
bool deft__mcp_mirror_value(const deft__mcp_mirror *mirror, deft__json_value arguments,
                            deft_buffer *out);

#endif
