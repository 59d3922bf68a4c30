// access.h - who may ask, what for, how often and how much at once. A token is known by its SHA-256
// only: whoever reads the configuration cannot use it. Time is handed in, as everywhere below the
// line. What is held is bounded by the number of tokens.
#ifndef DEFT_WEB_ACCESS_H
#define DEFT_WEB_ACCESS_H

#include "base/arena.h"
#include "crypto/digest.h"
#include "deft/error.h"
#include "deft/session.h"
#include "web/rate.h"

#define DEFT__TOKENS_MAX     1000u // each request is compared with all of them
#define DEFT__TOKEN_SIZE_MAX 4096u // bytes of one that is shown; a longer one is nobody's

// A token as its owner wrote it down. Zero in a limit: none.
typedef struct deft__token {
    deft_view    name; // of letters, digits, '.', '_' and '-': it stands in metrics and journals
    deft__digest digest;
    deft_restriction restriction;      // without patterns: everything
    uint32_t         calls_per_minute; // requests of the protocol, pings aside
    uint32_t         concurrent_calls; // those that wait for their answer
    uint32_t         sessions;         // legacy ones at once
    int64_t          expires_s;        // since 1970; 0: never
} deft__token;

// Who asks: a token in force, or everybody where none is needed. Sessions belong to one; what it may
// reach holds on every path.
typedef struct deft__web_principal {
    struct deft__web_principal *next;
    uint64_t                    number;      // never given twice
    const deft_restriction     *restriction; // NULL: everything
    deft__token                 token;       // copied; limits may change while it is in force
    deft__arena                 arena;       // of the copy
    deft__rate                  rate;
    uint32_t                    open_count; // calls now
    uint32_t                    session_count;
    uint64_t                    call_count; // so far; as are those that were refused
    uint64_t                    too_fast_count;
    uint64_t                    too_many_count;
    bool                        is_expired; // and what it had open is closed
    bool                        is_found;   // by deft__access_set, in the new list
} deft__web_principal;

typedef struct deft__access {
    const deft_allocator *allocator;
    deft__web_principal   everybody;
    deft__web_principal  *principals;
    size_t                count;
    bool                  is_needed; // once there was a list, also where it is empty now
    uint64_t              numbers;
    deft__rate            failures;
    uint64_t              failure_count; // so far
} deft__access;

// `failures_per_second`: more tokens that are nobody's are turned away without being told so.
void deft__access_init(deft__access *access, uint32_t failures_per_second, uint64_t now_ms,
                       const deft_allocator *allocator);
void deft__access_clear(deft__access *access);

// From now on these tokens are in force and no others. One that was before, under the same name, for
// the same and until the same time, goes on, with new limits perhaps; `removed` is told of every other
// one before it is gone. On failure nothing has changed: DEFT_LIMIT, DEFT_OUT_OF_MEMORY.
deft_status deft__access_set(deft__access *access, const deft__token *tokens, size_t count,
                             uint64_t now_ms, void (*removed)(void *, deft__web_principal *),
                             void *context, deft_error *error);

// Whose token this is; NULL: nobody's, or it has expired. Takes the same time whichever it is.
deft__web_principal *deft__access_find(deft__access *access, deft_view token, int64_t date_s);

// A token was nobody's. False: there are too many of these now.
bool deft__access_fail(deft__access *access, uint64_t now_ms);

// A call begins, and ends. Begin: 0, or in how many seconds it may be tried again.
uint64_t deft__principal_begin(deft__web_principal *principal, uint64_t now_ms, const char **why);
void     deft__principal_end(deft__web_principal *principal);

#endif
