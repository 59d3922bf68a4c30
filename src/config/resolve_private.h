// resolve_private.h - the inside of resolving, shared by the files behind resolve.h.
//
//   resolve.c         one winner for each key, servers by name, where each value came from
//   resolve_rules.c   what adds up instead: rules, denials, the tools of servers
//   resolve_check.c   what contradicts itself, and what has no effect
#ifndef DEFT_CONFIG_RESOLVE_PRIVATE_H
#define DEFT_CONFIG_RESOLVE_PRIVATE_H

#include "base/map.h"
#include "config/resolve.h"

// A value and who said it.
typedef struct deft__candidate {
    const deft__source     *source;
    const deft__assignment *assignment;
} deft__candidate;

typedef struct deft__joining {
    deft__source *const        *sources; // weakest first
    size_t                      source_count;
    deft__resolved             *resolved;
    deft__candidate             winners[DEFT__KEY_COUNT];
    const deft__source_server **servers; // those chosen, as in resolved->servers
    deft__map                   server_by_name;
    deft_error                 *error;
} deft__joining;

// "config.json:7", "ENABLE_TOOL_SEARCH", "--min-pct".
typedef struct deft__place_text {
    char text[128];
} deft__place_text;

const char *deft__show_place(deft__place_text *place, deft_view name, size_t line);
const char *deft__show_entry(deft__place_text *place, const deft_config_entry *entry);

// The steps that are elsewhere.
deft_status deft__resolve_rules(deft__joining *resolution);
deft_status deft__resolve_denials(deft__joining *resolution);
deft_status deft__resolve_server_tools(deft__joining *resolution);
deft_status deft__resolve_check(deft__joining *resolution);
deft_status deft__resolve_warn(deft__joining *resolution);

#endif
