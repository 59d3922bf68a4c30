// session.h - what deft_session holds, for the files of this folder and for the bridge.
#ifndef DEFT_CORE_SESSION_SESSION_H
#define DEFT_CORE_SESSION_SESSION_H

#include "core/session/visible.h"

typedef struct deft__search {
    deft_buffer query; // one clean line
} deft__search;

struct deft_session {
    const deft_allocator *allocator;
    deft_settings         settings; // without lists; its names are in `names`
    deft_buffer           names;
    deft__restrictions    restrictions;
    deft__visible         visible;

    deft__search *searches; // a ring once it is full
    size_t        search_capacity;
    size_t        search_first; // where the oldest one is
    size_t        search_kept;  // how many there are
    uint32_t      search_count; // made so far: the number of the last one
    uint32_t      turn_count;   // ended so far
};

// Room for `count` more visible tools: the next that many loads cannot fail. False: no memory.
bool deft__session_reserve(deft_session *session, size_t count);

// The query of search `number`; the empty view when it is no longer kept.
deft_view deft__session_query(const deft_session *session, uint32_t number);

// An empty session: nothing visible, no plan yet. New: free with deft_session_free().
deft_session *deft__session_new_empty(const deft_settings  *settings,
                                      const deft_allocator *allocator, deft_error *error);

#endif
