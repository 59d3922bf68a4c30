// upfront.h - what a session starts with when tool search is active: the search tool with its
// listing and, in style bridge, the tools to describe and call with. They cost tokens too, so what
// is saved is counted with them.
#ifndef DEFT_CLI_UPFRONT_H
#define DEFT_CLI_UPFRONT_H

#include "deft/bridge.h"
#include "deft/listing.h"
#include "deft/policy.h"

typedef struct deft__upfront {
    deft_buffer         listing; // as text
    deft_listing_report report;
    size_t              tool_count;    // search tools; 0 when nothing is deferred
    uint64_t            search_tokens; // of their definitions, listing included
    uint64_t            all_tokens;    // of every definition, without tool search
    uint64_t            now_tokens;    // of the visible ones and the search tools
} deft__upfront;

deft_status deft__upfront_init(deft__upfront *upfront, const deft_plan *plan,
                               const deft_settings *settings);
void        deft__upfront_clear(deft__upfront *upfront);

// The tokens that tool search saves; less than 0 where it costs more than it saves.
int64_t deft__upfront_saved(const deft__upfront *upfront);

// Appends the definitions that the model starts with as a JSON array, one a line: search tools
// first, then the visible ones in catalog order.
deft_status deft__upfront_write(const deft__upfront *upfront, const deft_plan *plan,
                                const deft_settings *settings, deft_form form, deft_naming naming,
                                deft_buffer *out);

// The name a tool has in a list of that form: MCP knows its server, the other APIs need one name
// of letters and digits that is unique.
deft_naming deft__naming_of(deft_form form);

#endif
