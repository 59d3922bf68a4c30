// resolve.h - joins what the sources said: one winner for each key, servers by name, rules in the
// order in which they are asked.
#ifndef DEFT_CONFIG_RESOLVE_H
#define DEFT_CONFIG_RESOLVE_H

#include "config/source.h"

typedef struct deft__resolved {
    deft_settings       settings;
    deft_config_entry   entries[DEFT__KEY_COUNT];
    deft_server_config *servers;
    size_t              server_count;
    deft_token_config  *tokens;
    size_t              token_count;
    bool                has_tokens;
    deft_warning       *warnings; // values that have no effect
    size_t              warning_count;
    deft__arena         arena; // what the above points to, as far as the sources do not own it
} deft__resolved;

// `sources` are ordered from weakest to strongest. `result` is new: free it with
// deft__resolved_free(). It borrows from the sources.
deft_status deft__resolve(deft__source *const *sources, size_t source_count,
                          const deft_allocator *allocator, deft__resolved **result,
                          deft_error *error);
void        deft__resolved_free(deft__resolved *resolved); // NULL is fine

// access.c: tokens by name, the strongest of each.
deft_status deft__resolve_tokens(deft__source *const *sources, size_t source_count,
                                 deft__resolved *resolved, deft_error *error);

#endif
