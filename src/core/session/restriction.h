// restriction.h - what a session may reach at all. Restrictions add up: a session that is handed
// on twice obeys both, and one that was saved obeys its own again.
#ifndef DEFT_CORE_SESSION_RESTRICTION_H
#define DEFT_CORE_SESSION_RESTRICTION_H

#include "base/arena.h"
#include "deft/session.h"
#include "json/reader.h"
#include "json/writer.h"

// How often a session can be handed on, each time with a restriction.
#define DEFT__RESTRICTIONS_MAX 16u

// Patterns of one restriction, servers, tools and denied ones together.
#define DEFT__PATTERNS_MAX 4096u

typedef struct deft__restrictions {
    deft_restriction items[DEFT__RESTRICTIONS_MAX];
    size_t           count;
    deft__arena      arena; // the patterns
} deft__restrictions;

void deft__restrictions_init(deft__restrictions *restrictions, const deft_allocator *allocator);
void deft__restrictions_clear(deft__restrictions *restrictions);

// Adds a copy of `restriction`; one that restricts nothing is not added.
deft_status deft__restrictions_add(deft__restrictions     *restrictions,
                                   const deft_restriction *restriction, deft_error *error);

// Whether every restriction lets `tool` through.
bool deft__restrictions_allow(const deft__restrictions *restrictions, const deft_catalog *catalog,
                              deft_tool_id tool);

// As a JSON array of {"servers": [...], "tools": [...]}, with "denied" where something is, and back.
void deft__restrictions_write(const deft__restrictions *restrictions, deft__json_writer *writer);
deft_status deft__restrictions_read(deft__restrictions *restrictions, deft__json_value value,
                                    deft_error *error);

#endif
