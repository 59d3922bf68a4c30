// manifest.h - what a server said of itself, whole: kept in memory while it runs and in the store
// while it does not, so that search never waits for a process. A manifest is one JSON object,
//
//     {"server": "github", "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {},
//      "instructions": "...", "tools": [], "prompts": [], "resources": [], "resourceTemplates": []}
//
// with the server's own bytes inside (a catalog source as it is). It never changes and is counted;
// threads may share it.
#ifndef DEFT_GATEWAY_MANIFEST_H
#define DEFT_GATEWAY_MANIFEST_H

#include "base/bytes.h"
#include "deft/allocator.h"
#include "deft/error.h"
#include "deft/view.h"
#include "mcp/era.h"

typedef struct deft__manifest {
    deft_view     text;         // the object
    deft_view     version;      // protocolVersion, decoded
    deft__mcp_era era;          // of that version
    unsigned      capabilities; // DEFT__MCP_SERVER_ bits
    deft_view     tools;        // raw arrays; "[]" where there are none
    deft_view     prompts;
    deft_view     resources;
    deft_view     templates;
    deft_view     instructions; // raw JSON string; empty where there is none
    deft_view     server_info;  // raw object; "{}" where there is none
    size_t        tool_count;
} deft__manifest;

#define DEFT__MANIFEST_SIZE_MAX (64u * 1024 * 1024)

// Reads a manifest's text, which is copied. New: release it. NULL: no JSON object, too large, no
// memory. Members of a wrong kind count as absent.
deft__manifest *deft__manifest_new(deft_view text, const deft_allocator *allocator,
                                   deft_error *error);
// The same without a copy: `text` lies in `bytes`, which are retained.
deft__manifest *deft__manifest_open(deft_view text, deft__bytes *bytes,
                                    const deft_allocator *allocator, deft_error *error);
deft__manifest *deft__manifest_retain(deft__manifest *manifest);  // returns its argument
void            deft__manifest_release(deft__manifest *manifest); // NULL is fine

// Whether two say the same, byte for byte.
bool deft__manifest_equal(const deft__manifest *a, const deft__manifest *b);

#endif
