#include "core/session/visible.h"

#include "base/memory.h"
#include "core/policy/plan.h"

#include <assert.h>

bool deft__visible_init(deft__visible *visible, deft_plan *plan,
                        const deft__restrictions *restrictions, const deft_allocator *allocator)
{
    const deft_catalog *catalog = deft_plan_catalog(plan);
    const size_t        count   = deft_catalog_tool_count(catalog);
    *visible                    = (deft__visible){
                           .plan        = deft_plan_retain(plan),
                           .allocator   = allocator,
                           .places      = deft__new(allocator, (count + 1) * sizeof *visible->places),
                           .place_count = count,
    };
    if (visible->places == NULL) {
        return false;
    }
    if (restrictions->count == 0) {
        return true; // the common case, and over HTTP there is a session for each request
    }
    visible->is_allowed = deft__new(allocator, (count + 1) * sizeof *visible->is_allowed);
    if (visible->is_allowed == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        visible->is_allowed[i] = deft__restrictions_allow(restrictions, catalog, (deft_tool_id){i});
    }
    return true;
}

void deft__visible_clear(deft__visible *visible)
{
    const deft_allocator *allocator = visible->allocator;
    const size_t          count     = visible->place_count + 1;
    for (size_t i = 0; i < visible->source_count; i++) {
        deft_plan_release(visible->sources[i]);
    }
    deft__free(allocator, visible->sources, visible->source_capacity * sizeof *visible->sources);
    deft__free(allocator, visible->is_allowed,
               visible->is_allowed != NULL ? count * sizeof *visible->is_allowed : 0);
    deft__free(allocator, visible->places, count * sizeof *visible->places);
    deft__free(allocator, visible->notes, visible->note_capacity * sizeof *visible->notes);
    deft__free(allocator, visible->tools, visible->tool_capacity * sizeof *visible->tools);
    deft_plan_release(visible->plan);
    *visible = (deft__visible){.allocator = allocator};
}

static bool grow_to(const deft_allocator *allocator, void **items, size_t *capacity, size_t wanted,
                    size_t item_size)
{
    while (*capacity < wanted) {
        if (!deft__grow(allocator, items, capacity, *capacity, item_size)) {
            return false;
        }
    }
    return true;
}

bool deft__visible_reserve(deft__visible *visible, size_t count)
{
    const size_t wanted = visible->count + count;
    return grow_to(visible->allocator, (void **)&visible->tools, &visible->tool_capacity, wanted,
                   sizeof *visible->tools) &&
           grow_to(visible->allocator, (void **)&visible->notes, &visible->note_capacity, wanted,
                   sizeof *visible->notes);
}

static bool append(deft__visible *visible, deft_seen_tool tool, deft__seen_note note)
{
    if (!deft__visible_reserve(visible, 1)) {
        return false;
    }
    visible->tools[visible->count] = tool;
    visible->notes[visible->count] = note;
    visible->count++;
    if (note.current > 0) {
        visible->places[note.current - 1] = (uint32_t)visible->count;
    }
    return true;
}

bool deft__visible_append(deft__visible *visible, deft_tool_id tool, deft_seen_state state,
                          uint32_t search)
{
    assert(tool.index < visible->place_count && visible->places[tool.index] == 0);
    const deft_seen_tool seen = {.catalog = deft_plan_catalog(visible->plan),
                                 .tool    = tool,
                                 .state   = state,
                                 .search  = search};
    return append(
        visible, seen,
        (deft__seen_note){.current = tool.index + 1, .was_loaded = state == DEFT_SEEN_LOADED});
}

bool deft__visible_is_deferred(const deft__visible *visible, deft_tool_id tool)
{
    return visible->plan->is_deferred[tool.index];
}

bool deft__visible_append_upfront(deft__visible *visible)
{
    size_t              count;
    const deft_tool_id *upfront = deft__plan_upfront(visible->plan, &count);
    for (size_t i = 0; i < count; i++) {
        if (deft__visible_allows(visible, upfront[i].index) &&
            visible->places[upfront[i].index] == 0 &&
            !deft__visible_append(visible, upfront[i], DEFT_SEEN_UPFRONT, 0)) {
            return false;
        }
    }
    return true;
}

// Whether two tools are written alike in every form and naming: what is written comes from these
// three alone.
static bool is_same(const deft_tool *a, const deft_tool *b)
{
    return deft_view_equal(a->definition, b->definition) &&
           deft_view_equal(a->wire_name, b->wire_name) && deft_view_equal(a->id, b->id);
}

// Keeps the plan of `older` whose catalog is `catalog` alive as long as this list.
static bool keep_source(deft__visible *visible, const deft__visible *older,
                        const deft_catalog *catalog)
{
    for (size_t i = visible->source_count; i-- > 0;) {
        if (deft_plan_catalog(visible->sources[i]) == catalog) {
            return true;
        }
    }
    deft_plan *plan = older->plan;
    for (size_t i = 0; i < older->source_count && deft_plan_catalog(plan) != catalog; i++) {
        plan = older->sources[i];
    }
    assert(deft_plan_catalog(plan) == catalog);
    if (!deft__grow(visible->allocator, (void **)&visible->sources, &visible->source_capacity,
                    visible->source_count, sizeof *visible->sources)) {
        return false;
    }
    visible->sources[visible->source_count++] = deft_plan_retain(plan);
    return true;
}

// How a tool that was seen is seen under the new plan, `now` being its place there. A tool that
// the plan defers does not vanish for that: it stays as it came.
static deft_seen_state state_after(const deft__visible *visible, deft_tool_id now, bool was_loaded)
{
    if (was_loaded && deft__visible_is_deferred(visible, now)) {
        return DEFT_SEEN_LOADED;
    } else {
        return DEFT_SEEN_UPFRONT;
    }
}

static bool carry_over_one(deft__visible *visible, const deft__visible *older, size_t place)
{
    const deft_catalog *catalog = deft_plan_catalog(visible->plan);
    deft_seen_tool      seen    = older->tools[place];
    deft__seen_note     note    = older->notes[place];
    const deft_tool    *was     = deft_catalog_tool(seen.catalog, seen.tool);
    deft_tool_id        now     = {0};

    if (deft_catalog_find(catalog, was->id, &now)) {
        note.current    = now.index + 1;
        seen.state      = state_after(visible, now, note.was_loaded);
        note.was_loaded = seen.state == DEFT_SEEN_LOADED;
        seen.search     = note.was_loaded ? seen.search : 0;
        if (is_same(was, deft_catalog_tool(catalog, now))) {
            seen.catalog = catalog;
            seen.tool    = now;
        }
    } else {
        note.current = 0;
        seen.state   = DEFT_SEEN_GONE;
    }
    if (seen.catalog != catalog && !keep_source(visible, older, seen.catalog)) {
        return false;
    }
    return append(visible, seen, note);
}

bool deft__visible_carry_over(deft__visible *visible, const deft__visible *older)
{
    assert(visible->count == 0);
    for (size_t i = 0; i < older->count; i++) {
        if (!carry_over_one(visible, older, i)) {
            return false;
        }
    }
    return true;
}

size_t deft__visible_drop_loaded(deft__visible *visible, bool is_marked_only)
{
    size_t kept = 0;
    for (size_t i = 0; i < visible->count; i++) {
        const deft__seen_note note  = visible->notes[i];
        const bool            drops = note.was_loaded && (!is_marked_only || note.is_marked);
        if (note.current > 0) {
            visible->places[note.current - 1] = drops ? 0 : (uint32_t)kept + 1;
        }
        if (!drops) {
            visible->tools[kept] = visible->tools[i];
            visible->notes[kept] = note;
            kept++;
        }
    }
    const size_t dropped = visible->count - kept;
    visible->count       = kept;
    return dropped;
}
