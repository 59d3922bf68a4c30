// policy.h - decides what a model sees. A plan is a pure function of a catalog, its sizes, the
// settings and how often each tool was used: the same input gives the same plan. It names for each
// tool its place and the rule that decided it. Plans are counted and immutable; a plan keeps its
// catalog. Threads may share it.
#ifndef DEFT_POLICY_H
#define DEFT_POLICY_H

#include "deft/catalog.h"
#include "deft/settings.h"
#include "deft/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum deft_place {
    DEFT_PLACE_PINNED,  // always visible: something says so about this very tool
    DEFT_PLACE_VISIBLE, // visible, because nothing asks to defer it
    DEFT_PLACE_DEFERRED // withheld until found
} deft_place;

// Why a tool is where it is. In the order in which they are asked: the first that applies decides.
// The core set is asked at one of two moments. A set that somebody wrote down comes before the
// rules; the default set comes after them, so that a rule can still defer one of its tools.
typedef enum deft_reason {
    DEFT_REASON_MODE_OFF,        // tool search is off: everything is visible, whatever the rules
    DEFT_REASON_BUILTIN,         // the embedding program's own tool
    DEFT_REASON_CORE,            // in the core set
    DEFT_REASON_TOOL_RULE,       // a rule for this tool
    DEFT_REASON_SERVER_RULE,     // a rule for its server
    DEFT_REASON_NOT_DEFERRABLE,  // neither from an MCP server nor marked deferrable
    DEFT_REASON_ALWAYS_LOAD,     // its own _meta asks for it
    DEFT_REASON_MODE_ON,         // tool search is always on
    DEFT_REASON_BELOW_THRESHOLD, // all definitions together are small enough
    DEFT_REASON_OVER_THRESHOLD,  // all definitions together exceed a threshold
    DEFT_REASON_FITS,            // overflow: there was still room for it
    DEFT_REASON_OVERFLOWS        // overflow: there was no room left
} deft_reason;

typedef struct deft_decision {
    deft_place  place;
    deft_reason reason;
    deft_view   rule; // the pattern that decided, where one did; borrowed from the plan
} deft_decision;

// Why tool search is active or not.
typedef enum deft_cause {
    DEFT_CAUSE_MODE_OFF,
    DEFT_CAUSE_MODE_ON,
    DEFT_CAUSE_NOTHING_DEFERRABLE,
    DEFT_CAUSE_BELOW_THRESHOLD,
    DEFT_CAUSE_CHARACTERS, // this threshold was exceeded
    DEFT_CAUSE_TOKENS,
    DEFT_CAUSE_PERCENT,
    DEFT_CAUSE_RULE,      // below the threshold, but rules defer some tools all the same
    DEFT_CAUSE_ALL_PINNED // it would be active, but every deferrable tool is pinned
} deft_cause;

typedef struct deft_plan_summary {
    bool       is_active; // at least one tool is deferred: the search tool is offered
    deft_cause cause;
    deft_size  measured;         // of the deferrable tools: what the thresholds are compared with
    deft_size  total;            // of all tools
    deft_size  deferred;         // of the deferred ones: what is saved
    size_t     deferrable_count; // may be deferred, pinned by a rule or not; the core set may not
    size_t     pinned_count;
    size_t     visible_count; // not counting pinned ones
    size_t     deferred_count;
    uint64_t   threshold_percent_tokens; // the percent threshold in whole tokens; 0 when unset
} deft_plan_summary;

// How often tools were used, for overflow: the most used are the first to stay visible. Asked once
// for each tool that competes for room. `count` may be NULL: never.
typedef struct deft_usage {
    uint64_t (*count)(void *context, deft_view tool_id); // tool_id: "server::tool"
    void *context;
} deft_usage;

typedef struct deft_plan deft_plan;

// Decides for every tool of `catalog`, which the plan retains. `sizes` must be of that catalog;
// settings and usage are only read during the call. `usage` NULL: nothing was ever used. New:
// call deft_plan_release(). NULL on failure.
DEFT_API deft_plan *deft_plan_new(deft_catalog *catalog, const deft_sizes *sizes,
                                  const deft_settings *settings, const deft_usage *usage,
                                  const deft_allocator *allocator, deft_error *error);
DEFT_API deft_plan *deft_plan_retain(deft_plan *plan);  // returns its argument
DEFT_API void       deft_plan_release(deft_plan *plan); // NULL is fine

DEFT_API const deft_catalog      *deft_plan_catalog(const deft_plan *plan);    // borrowed
DEFT_API const deft_plan_summary *deft_plan_summary_of(const deft_plan *plan); // borrowed
DEFT_API deft_decision            deft_plan_decision(const deft_plan *plan, deft_tool_id tool);
DEFT_API deft_size                deft_plan_size(const deft_plan *plan, deft_tool_id tool);

DEFT_API const char *deft_place_name(deft_place place);    // "pinned", "visible", "deferred"
DEFT_API const char *deft_reason_name(deft_reason reason); // "tool-rule", ... for programs
DEFT_API const char *deft_cause_name(deft_cause cause);    // "below-threshold", ... for programs

// The decision in one sentence for a person, without a full stop: "pinned by rule 'github::*'".
DEFT_API deft_status deft_plan_explain(const deft_plan *plan, deft_tool_id tool, deft_buffer *out);

// Why tool search is active or not, in one sentence with the sizes and the thresholds, without a
// full stop: "active: 30,000 tokens are 15 % of the 200,000-token window, the threshold is 10 %".
DEFT_API deft_status deft_plan_explain_cause(const deft_plan *plan, deft_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
