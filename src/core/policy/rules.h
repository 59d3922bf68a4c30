// rules.h - a list of patterns of which the first that fits decides. Made once for a plan, asked
// for every tool: patterns that are plain names are looked up, only those with `*` or `?` are tried
// one by one, so a long list of names costs no more than a short one.
#ifndef DEFT_CORE_POLICY_RULES_H
#define DEFT_CORE_POLICY_RULES_H

#include "base/arena.h"
#include "base/map.h"

typedef struct deft__rules {
    deft__arena *arena;     // holds all but the map
    deft_view   *patterns;  // in order
    size_t       count;     // of patterns
    deft__map    places;    // of the patterns that are plain names; the first of equal ones
    uint32_t    *wildcards; // places of the others, ascending
    size_t       wildcard_count;
} deft__rules;

// Room for `capacity` patterns, from `arena`. False without memory; clear it then as well.
// Clearing leaves what is in the arena.
bool deft__rules_init(deft__rules *rules, size_t capacity, deft__arena *arena);
void deft__rules_clear(deft__rules *rules);

// Adds a copy of `pattern` after the others. False without memory.
bool deft__rules_add(deft__rules *rules, deft_view pattern);

// The place of the first pattern that fits; false when none does. A pattern that holds `::` is
// compared with `id`, any other with `name`: so `git*` fits a tool `git_log`, not all of the server
// `github`, and a tool that calls itself `other::tool` does not pass for that one.
bool deft__rules_find(const deft__rules *rules, deft_view name, deft_view id, uint32_t *place);

#endif
