// session.h - one client's visible tools. It starts with what the plan makes visible; tools that
// are found are appended, never inserted, so bytes that were sent stay as they were. A session
// belongs to one thread.
#ifndef DEFT_SESSION_H
#define DEFT_SESSION_H

#include "deft/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_session deft_session;

// What a session may reach at all, where it is a sub-agent's or a stranger's. Patterns as in
// deft_rule; a count of 0 does not restrict. What is denied is, whatever else allows it.
typedef struct deft_restriction {
    const deft_view *servers;
    size_t           server_count;
    const deft_view *tools;
    size_t           tool_count;
    const deft_view *denied; // tools
    size_t           denied_count;
} deft_restriction;

// Retains `plan` and copies what it needs of `settings`. New: free with deft_session_free(). NULL
// on failure.
DEFT_API deft_session *deft_session_new(deft_plan *plan, const deft_settings *settings,
                                        const deft_allocator *allocator, deft_error *error);

// The same, with a restriction (copied; NULL: none).
DEFT_API deft_session *deft_session_new_restricted(deft_plan *plan, const deft_settings *settings,
                                                   const deft_restriction *restriction,
                                                   const deft_allocator   *allocator,
                                                   deft_error             *error);
DEFT_API void          deft_session_free(deft_session *session); // NULL is fine

DEFT_API deft_plan *deft_session_plan(const deft_session *session); // borrowed: the current one

// One tool that the client sees. Borrowed: valid until the session next changes.
typedef enum deft_seen_state {
    DEFT_SEEN_UPFRONT, // visible from the start
    DEFT_SEEN_LOADED,  // found, then loaded
    DEFT_SEEN_GONE     // its server is gone; it stays in the list until a reset
} deft_seen_state;

typedef struct deft_seen_tool {
    const deft_catalog *catalog; // the one it was sent from
    deft_tool_id        tool;    // in that catalog
    deft_seen_state     state;
    uint32_t            search; // number of the search that loaded it; 0: none did
} deft_seen_tool;

// What the client sees, in the order it was sent.
DEFT_API const deft_seen_tool *deft_session_visible(const deft_session *session, size_t *count);
DEFT_API bool deft_session_is_visible(const deft_session *session, deft_tool_id tool);
DEFT_API bool deft_session_is_loaded(const deft_session *session, deft_tool_id tool);

#define DEFT_SESSION_SEARCHES_MAX   256u  // searches kept; older ones are forgotten
#define DEFT_SESSION_QUERY_SIZE_MAX 1024u // bytes of a query kept; a longer one is cut

// Writes down that a search was made; returns its number, from 1. The last 256 are kept, each as
// one clean line. 0 on failure.
DEFT_API uint32_t deft_session_record_search(deft_session *session, deft_view query);

// Makes a deferred tool of the current plan visible. `search` is the number of the search that
// found it, 0 for a direct call. Doing it twice, or to a visible tool, changes nothing. `is_new`
// (may be NULL) tells whether the list grew. DEFT_NOT_FOUND: no such tool, or none that the
// session's restriction allows. DEFT_INVALID: no such search.
DEFT_API deft_status deft_session_load(deft_session *session, deft_tool_id tool, uint32_t search,
                                       bool *is_new, deft_error *error);

// The agent's turn ended: without keepLoadedTools, loaded tools are deferred again. Returns how
// many were.
DEFT_API size_t deft_session_end_turn(deft_session *session);

// The host compacted its context and lost these tools (ids, wire names or bare names); they are
// deferred again. Names that are not loaded are ignored. Returns how many were dropped.
DEFT_API size_t deft_session_report_compaction(deft_session *session, const deft_view *names,
                                               size_t count);

// Servers changed: from now on `plan` holds (retained). What is visible stays visible, in place;
// tools whose server is gone are marked; new visible tools are appended. A tool whose definition
// changed keeps its place with its old bytes until reset.
DEFT_API deft_status deft_session_update(deft_session *session, deft_plan *plan, deft_error *error);

// Starts over with `plan` (retained): forgets what was loaded and all searches.
DEFT_API deft_status deft_session_reset(deft_session *session, deft_plan *plan, deft_error *error);

// Proves that nothing already sent changed: a hash of the definitions of the first `count` visible
// tools, as bytes, in order. Take it with the count, compare it later.
DEFT_API uint64_t deft_session_prefix_hash(const deft_session *session, size_t count);

// Writes the definitions that the client sees, as a JSON array.
DEFT_API deft_status deft_session_write_tools(const deft_session *session, deft_form form,
                                              deft_naming naming, deft_buffer *out);

// Status for a person (text) and for a program (JSON): active or not and why, thresholds and
// sizes, how many are deferred, which are loaded and by which search, by server.
DEFT_API deft_status deft_session_write_status(const deft_session *session, deft_buffer *out);
DEFT_API deft_status deft_session_write_status_json(const deft_session *session, deft_buffer *out);

// Saves what was loaded, in order, with its searches, as one line of JSON.
DEFT_API deft_status deft_session_save(const deft_session *session, deft_buffer *out);

// A session over `plan` with what `saved` had loaded, as far as it still exists and `restriction`
// (NULL: none) allows. New: free with deft_session_free(). NULL on failure; a damaged text is
// DEFT_INVALID with its place.
DEFT_API deft_session *deft_session_restore(deft_plan *plan, const deft_settings *settings,
                                            deft_view saved, const deft_restriction *restriction,
                                            const deft_allocator *allocator, deft_error *error);

// Whether the session's restriction allows a tool; true where there is none.
DEFT_API bool deft_session_is_allowed(const deft_session *session, deft_tool_id tool);

#ifdef __cplusplus
}
#endif
#endif
