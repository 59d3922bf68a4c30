// visible.h - the list of tools that a client sees, and for each tool of the current plan its
// place in that list. A list is built aside and then swapped in, so a session that runs out of
// memory stays as it was.
#ifndef DEFT_CORE_SESSION_VISIBLE_H
#define DEFT_CORE_SESSION_VISIBLE_H

#include "core/session/restriction.h"
#include "deft/session.h"

// What a deft_seen_tool does not say.
typedef struct deft__seen_note {
    uint32_t current;    // its place in the current plan's catalog + 1; 0: it is gone
    bool     was_loaded; // also when it is gone now
    bool     is_marked;  // to be dropped
} deft__seen_note;

typedef struct deft__visible {
    deft_plan            *plan; // retained: the current one
    const deft_allocator *allocator;

    deft_seen_tool  *tools; // in the order they were sent
    deft__seen_note *notes; // beside them
    size_t           count;
    size_t           tool_capacity;
    size_t           note_capacity;

    uint32_t *places;     // by tool of the current plan: its place in `tools` + 1; 0: not there
    bool     *is_allowed; // by tool of the current plan; NULL: all are
    size_t    place_count;

    deft_plan **sources; // retained: older plans whose catalogs `tools` still refers to
    size_t      source_count;
    size_t      source_capacity;
} deft__visible;

// An empty list over `plan`, which is retained. False: no memory; clear it all the same.
bool deft__visible_init(deft__visible *visible, deft_plan *plan,
                        const deft__restrictions *restrictions, const deft_allocator *allocator);
void deft__visible_clear(deft__visible *visible); // a zeroed one is fine

// Room for `count` more, so that the next that many appends cannot fail. False: no memory.
bool deft__visible_reserve(deft__visible *visible, size_t count);

// Appends a tool of the current plan that is not in the list yet.
bool deft__visible_append(deft__visible *visible, deft_tool_id tool, deft_seen_state state,
                          uint32_t search);

// Appends every allowed tool that the plan does not defer and that is not in the list yet.
bool deft__visible_append_upfront(deft__visible *visible);

// Fills an empty list from an older one, place by place: what was seen stays seen.
bool deft__visible_carry_over(deft__visible *visible, const deft__visible *older);

// Removes loaded tools, all or only marked ones. Returns how many.
size_t deft__visible_drop_loaded(deft__visible *visible, bool is_marked_only);

// Whether the session may see a tool of the current plan.
static inline bool deft__visible_allows(const deft__visible *visible, uint32_t tool)
{
    return visible->is_allowed == NULL || visible->is_allowed[tool];
}

bool deft__visible_is_deferred(const deft__visible *visible, deft_tool_id tool);

#endif
