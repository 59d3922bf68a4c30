// listing.h - what the model is told of the tools that it does not see. The listing has a token
// budget; past it, it says less, level by level, down to nothing. The same plan and settings give
// the same bytes.
#ifndef DEFT_LISTING_H
#define DEFT_LISTING_H

#include "deft/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_listing_report {
    deft_listing_level level;       // the level in force
    uint64_t           tokens;      // what the listing costs
    size_t             tool_count;  // deferred tools
    size_t             named_count; // of these, named in the listing
} deft_listing_report;

// Appends the listing of the plan's deferred tools, ending in a line end; nothing at level NONE or
// when nothing is deferred. Starts at settings->listing and degrades until it fits
// settings->listing_budget_tokens (0: no budget). `report` may be NULL. Only out of memory fails.
DEFT_API deft_status deft_listing_write(const deft_plan *plan, const deft_settings *settings,
                                        deft_buffer *out, deft_listing_report *report);

// The same for some of the deferred tools, where only these may be seen: `is_shown` is asked for
// each; NULL shows all.
typedef struct deft_tool_filter {
    bool (*is_shown)(void *context, deft_tool_id tool);
    void *context;
} deft_tool_filter;

DEFT_API deft_status deft_listing_write_filtered(const deft_plan        *plan,
                                                 const deft_settings    *settings,
                                                 const deft_tool_filter *filter, deft_buffer *out,
                                                 deft_listing_report *report);

#ifdef __cplusplus
}
#endif
#endif
