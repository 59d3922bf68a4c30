// sizes.h - what the definitions of a catalog cost, measured once. Characters are Unicode code
// points of name + description + compact input schema; tokens are estimated over the definition
// as it would be sent, in the form that it is sent in. Immutable; threads may share it. Copies
// what it needs, so the catalog may go first.
#ifndef DEFT_SIZES_H
#define DEFT_SIZES_H

#include "deft/catalog.h"
#include "deft/tokens.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_size {
    uint64_t characters;
    uint64_t tokens;
} deft_size;

typedef struct deft_sizes deft_sizes;

// Measures every tool as it is written in `form` (compact, under its own name). New: free with
// deft_sizes_free(). NULL on failure.
DEFT_API deft_sizes *deft_sizes_new(const deft_catalog *catalog, deft_form form,
                                    deft_token_family family, const deft_allocator *allocator,
                                    deft_error *error);
DEFT_API void        deft_sizes_free(deft_sizes *sizes); // NULL is fine

DEFT_API deft_size deft_sizes_tool(const deft_sizes *sizes, deft_tool_id tool);
DEFT_API deft_size deft_sizes_server(const deft_sizes *sizes, deft_server_id server);
DEFT_API deft_size deft_sizes_total(const deft_sizes *sizes);

#ifdef __cplusplus
}
#endif
#endif
