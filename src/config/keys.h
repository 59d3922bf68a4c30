// keys.h - everything that can be set, as one table: what a key is called here and elsewhere, what
// it takes and where in deft_settings it lands. Reading, entries, suggestions and editing all work
// from it, so they agree.
#ifndef DEFT_CONFIG_KEYS_H
#define DEFT_CONFIG_KEYS_H

#include "deft/error.h"
#include "deft/settings.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum deft__key {
    DEFT__KEY_PRESET,
    DEFT__KEY_NO_MCP,
    DEFT__KEY_ENABLED,
    DEFT__KEY_MIN_CHARACTERS,
    DEFT__KEY_MIN_TOKENS,
    DEFT__KEY_MIN_PCT,
    DEFT__KEY_CONTEXT_WINDOW,
    DEFT__KEY_TOKEN_FAMILY,
    DEFT__KEY_MEASURED_FORM,
    DEFT__KEY_DEFER,
    DEFT__KEY_CORE_TOOLS,
    DEFT__KEY_SERVERS,
    DEFT__KEY_TOOLS,
    DEFT__KEY_SEARCH_NAME,
    DEFT__KEY_DESCRIBE_NAME,
    DEFT__KEY_CALL_NAME,
    DEFT__KEY_SEARCH_PARAMETERS,
    DEFT__KEY_LISTING,
    DEFT__KEY_LISTING_BUDGET_TOKENS,
    DEFT__KEY_LISTING_DESCRIPTION_BYTES,
    DEFT__KEY_LISTING_INSTRUCTIONS_BYTES,
    DEFT__KEY_RANKING,
    DEFT__KEY_LANGUAGE,
    DEFT__KEY_RESULTS_DEFAULT,
    DEFT__KEY_RESULTS_MAX,
    DEFT__KEY_MATCHING_THRESHOLD,
    DEFT__KEY_FALLBACK_LIST,
    DEFT__KEY_RESULT_BUDGET_TOKENS,
    DEFT__KEY_STYLE,
    DEFT__KEY_KEEP_LOADED_TOOLS,
    DEFT__KEY_SEARCH_DESCRIPTION,
    DEFT__KEY_DESCRIBE_DESCRIPTION,
    DEFT__KEY_CALL_DESCRIPTION,
    DEFT__KEY_CALL_TOOLS,
    DEFT__KEY_CALL_READ_ONLY_NAME,
    DEFT__KEY_VALIDATE_ARGUMENTS,
    DEFT__KEY_REPAIR_ARGUMENTS,
    DEFT__KEY_PERMISSIONS_ALLOW,
    DEFT__KEY_PERMISSIONS_DENY,
    DEFT__KEY_HOOK_BEFORE_CALL,
    DEFT__KEY_HOOK_AFTER_CALL,
    DEFT__KEY_HOOK_TIMEOUT,
    DEFT__KEY_JOURNAL_ENABLED,
    DEFT__KEY_JOURNAL_ARGUMENTS,
    DEFT__KEY_JOURNAL_ROWS_MAX,
    DEFT__KEY_CALL_TIMEOUT,
    DEFT__KEY_START_TIMEOUT,
    DEFT__KEY_PROBE_TIMEOUT,
    DEFT__KEY_IDLE_STOP,
    DEFT__KEY_RESTART_MIN,
    DEFT__KEY_RESTART_MAX,
    DEFT__KEY_REFRESH_AGE,
    DEFT__KEY_FIRST_WAIT,
    DEFT__KEY_CALLS_MAX,
    DEFT__KEY_QUEUE_MAX,
    DEFT__KEY_DISCOVERIES_MAX,
    DEFT__KEY_MESSAGE_BYTES_MAX,
    DEFT__KEY_STDERR_BYTES_MAX,
    DEFT__KEY_REMOTE_CA,
    DEFT__KEY_HTTP_TLS_CERTIFICATE,
    DEFT__KEY_HTTP_TLS_KEY,
    DEFT__KEY_HTTP_TLS_CLIENT_CA,
    DEFT__KEY_HTTP_LISTEN,
    DEFT__KEY_HTTP_ALLOW_HOSTS,
    DEFT__KEY_HTTP_ALLOW_ORIGINS,
    DEFT__KEY_HTTP_CORS,
    DEFT__KEY_HTTP_HEADER_BYTES_MAX,
    DEFT__KEY_HTTP_BODY_BYTES_MAX,
    DEFT__KEY_HTTP_REQUESTS_MAX,
    DEFT__KEY_HTTP_CONNECTIONS_MAX,
    DEFT__KEY_HTTP_REQUEST_IDLE,
    DEFT__KEY_HTTP_REQUEST,
    DEFT__KEY_HTTP_WRITE_IDLE,
    DEFT__KEY_HTTP_KEEP_ALIVE,
    DEFT__KEY_HTTP_SESSIONS_MAX,
    DEFT__KEY_HTTP_SESSION_IDLE,
    DEFT__KEY_HTTP_FAILURES_PER_SECOND,
    DEFT__KEY_HTTP_GRACE,
    DEFT__KEY_COUNT
} deft__key;

typedef enum deft__key_kind {
    DEFT__KIND_MODE,    // true, false, "on", "off", "auto", "auto:N"
    DEFT__KIND_BOOL,    //
    DEFT__KIND_COUNT,   // a whole number
    DEFT__KIND_PERCENT, // in 1/100 percent
    DEFT__KIND_DECIMAL, // in 1/1000
    DEFT__KIND_ENUM,    // one of some words
    DEFT__KIND_FLAGS,   // some of some words, as bits
    DEFT__KIND_NAME,    // of a tool of ours
    DEFT__KIND_TEXT,    // any text; the empty one is as good as none
    DEFT__KIND_LIST,    // texts
    DEFT__KIND_RULES    // patterns, each pinned or deferred
} deft__key_kind;

// The C type at `offset`.
typedef enum deft__key_field {
    DEFT__FIELD_ENUM, // an enum or unsigned
    DEFT__FIELD_BOOL,
    DEFT__FIELD_U32,
    DEFT__FIELD_U64,
    DEFT__FIELD_SIZE,
    DEFT__FIELD_THRESHOLD,
    DEFT__FIELD_VIEW,
    DEFT__FIELD_NONE // lists and rules: three members each, set by name
} deft__key_field;

typedef struct deft__key_info {
    const char     *name; // as entries show it: "toolSearch.minPct"
    deft__key_kind  kind;
    deft__key_field field;
    size_t          offset; // in deft_settings
    uint64_t        min;    // of numbers, as they are stored
    uint64_t        max;
    const char *(*word)(unsigned value); // of enums and flags: the n-th word
    unsigned    word_count;
    const char *accepts; // for messages: "is X; accepted: ..."
    const char *description;
} deft__key_info;

const deft__key_info *deft__key_info_of(deft__key key);

// Digits after the point that a number of this kind keeps.
unsigned deft__key_decimals(deft__key_kind kind);

// Where a key may stand.
typedef enum deft__key_place {
    DEFT__PLACE_ROOT,  // top level of a file
    DEFT__PLACE_GROUP, // inside `toolSearch`
    DEFT__PLACE_PATH   // a whole path as a person types it, "toolSearch." being optional
} deft__key_place;

// What a name means.
typedef struct deft__key_match {
    deft__key key;
    bool      is_for_default_too; // PizzaPi's maxResults: the number of results, whoever asks
} deft__key_match;

bool deft__key_find(deft__key_place place, deft_view name, deft__key_match *match);

// Whether `name` is an object of keys there: `journal` of journal.enabled, and inside `toolSearch`
// `descriptions` of toolSearch.descriptions.search. What is at the top may stand inside, too.
bool deft__key_is_group(deft__key_place place, deft_view name);

// The known key nearest to `name`, as entries show it; NULL when nothing is near.
const char *deft__key_nearest(deft__key_place place, deft_view name);

// Fails with DEFT_NOT_FOUND for a path that is no key, naming the nearest one.
deft_status deft__key_fail_unknown(deft_view path, deft_error *error);

// An environment variable that sets a key.
typedef struct deft__key_variable {
    deft__key key;
    bool      is_foreign; // another product's: gives way to ours
    bool      is_true_on; // the mode `true` means on, as Claude has it
} deft__key_variable;

bool deft__key_find_variable(deft_view name, deft__key_variable *variable);

// Room for the name of any DEFT_ variable, its NUL included.
#define DEFT__VARIABLE_SIZE_MAX 48

// The variable of a key: "DEFT_MIN_PCT".
void deft__key_variable_name(deft__key key, char name[DEFT__VARIABLE_SIZE_MAX]);

// The key whose DEFT_ variable is a slip away from `name`, or DEFT__KEY_COUNT.
deft__key deft__key_nearest_variable(deft_view name);

// `path` without a leading "toolSearch." or "tool_search.", which `is_in_group` tells.
deft_view deft__key_member(deft_view path, bool *is_in_group);

#endif
