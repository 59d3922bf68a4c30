// plan.h - what a plan holds, for the files of this folder.
#ifndef DEFT_CORE_POLICY_PLAN_H
#define DEFT_CORE_POLICY_PLAN_H

#include "base/arena.h"
#include "deft/policy.h"

#include <stdatomic.h>

typedef struct deft__plan_tool {
    deft_size        size;
    deft_place       place;
    deft_reason      reason;
    const deft_view *rule; // the pattern that decided, in the arena; NULL when none did
} deft__plan_tool;

struct deft_plan {
    atomic_size_t         references;
    const deft_allocator *allocator;
    deft_catalog         *catalog; // retained
    deft__arena           arena;   // tools, rules
    deft__plan_tool      *tools;
    bool                 *is_deferred; // by tool, closer together than in `tools`
    deft_tool_id         *upfront; // tools that are not deferred, in catalog order; in the arena
    deft_plan_summary     summary;

    // What the explanations need of the settings.
    deft_threshold threshold_characters;
    deft_threshold threshold_tokens;
    deft_threshold threshold_permyriad;
    uint64_t       context_window_tokens;
};

// The tools that are not deferred, in catalog order: few where there are many. Borrowed.
const deft_tool_id *deft__plan_upfront(const deft_plan *plan, size_t *count);

#endif
