// overflow.h - which tools stay visible when only some of them fit.
#ifndef DEFT_CORE_POLICY_OVERFLOW_H
#define DEFT_CORE_POLICY_OVERFLOW_H

#include "core/policy/plan.h"

// What the visible tools may cost together; UINT64_MAX: any amount.
typedef struct deft__overflow_budget {
    uint64_t characters;
    uint64_t tokens;
} deft__overflow_budget;

// Decides the `count` tools of `plan` whose reason is still DEFT_REASON_BELOW_THRESHOLD: those that
// fit into what `used` leaves of the budget stay visible, the others are deferred. The most used
// go first, then catalog order. A tool that does not fit is passed over, and a smaller one after it
// may still fit. False without memory; nothing is decided then.
bool deft__overflow_fill(deft_plan *plan, size_t count, deft_size used,
                         deft__overflow_budget budget, const deft_usage *usage);

#endif
