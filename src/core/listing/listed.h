// listed.h - the listing that was written last, for when the same one is wanted again. Among thousands
// of tools several levels are tried before one fits, which takes milliseconds.
#ifndef DEFT_CORE_LISTING_LISTED_H
#define DEFT_CORE_LISTING_LISTED_H

#include "deft/listing.h"

typedef struct deft__listed {
    deft_plan  *plan; // retained; NULL: nothing was written yet
    deft_buffer text;

    // What it was written with.
    deft_listing_level level;
    deft_token_family  family;
    uint64_t           budget_tokens;
    size_t             description_size_max;
    size_t             instructions_size_max;
} deft__listed;

void deft__listed_init(deft__listed *listed, const deft_allocator *allocator);
void deft__listed_clear(deft__listed *listed); // it is then as fresh as after init

// The listing of all that the plan defers, as deft_listing_write() writes it. Borrowed until the next
// call. False: no memory.
bool deft__listed_get(deft__listed *listed, deft_plan *plan, const deft_settings *settings,
                      deft_view *text);

#endif
