// journal.h - which tools were searched for and called, by whom, with which outcome. Bounded: the
// oldest lines go (deft__store_options). How often each tool was used is counted beside it, and stays.
#ifndef DEFT_STORE_JOURNAL_H
#define DEFT_STORE_JOURNAL_H

#include "store/store.h"

typedef enum deft__record_kind {
    DEFT__RECORD_SEARCH,
    DEFT__RECORD_DESCRIBE,
    DEFT__RECORD_CALL
} deft__record_kind;

const char *deft__record_kind_name(deft__record_kind kind); // "search", "describe", "call"

// One line.
typedef struct deft__record {
    uint64_t          at_ms; // since 1970
    deft__record_kind kind;
    deft_view         client;        // may be empty
    deft_view         token;         // the name of the one that it came with; may be empty
    deft_view         tool;          // "server::tool"; a search: empty
    deft_view         text;          // a query, or arguments; empty where they are not to be kept
    uint64_t          argument_size; // bytes
    uint64_t          result_size;   // bytes
    uint64_t          duration_ms;
    uint64_t          found_count; // a search: tools found
    deft_view         outcome;     // "ok", "tool-error", "timeout", ...
    deft_view         reason;      // one sentence where it is not ok; may be empty
} deft__record;

// Appends lines, in one transaction. Texts are cut on a character to their bounds. A call with outcome
// "ok" or "tool-error" reached its server, and counts as a use.
deft_status deft__journal_append(deft__store *store, const deft__record *records, size_t count,
                                 deft_error *error);

// The last `count` lines, oldest of them first; with `kinds` (bits 1 << kind; 0: all) only such.
// Records are borrowed for the call.
typedef void (*deft__record_found)(void *context, const deft__record *record);
deft_status deft__journal_last(deft__store *store, size_t count, unsigned kinds,
                               deft__record_found found, void *context, deft_error *error);

// How many lines in the journal there are of each, most first. Borrowed for the call.
typedef enum deft__count_by {
    DEFT__COUNT_BY_TOOL,
    DEFT__COUNT_BY_OUTCOME
} deft__count_by;
typedef void (*deft__count_found)(void *context, deft_view name, uint64_t count);
deft_status deft__journal_count(deft__store *store, deft__count_by by, deft__count_found found,
                                void *context, deft_error *error);

// How often each tool was used in all, most first: for deft_usage.
deft_status deft__usage_load(deft__store *store, deft__count_found found, void *context,
                             deft_error *error);

#endif
