// read.h - reads a configuration text into a source: what file, line and key a value stands at,
// and how a problem with it is told.
#ifndef DEFT_CONFIG_READ_H
#define DEFT_CONFIG_READ_H

#include "base/fail.h"
#include "config/source.h"
#include "config/toml.h"
#include "json/reader.h"

#define DEFT__CONFIG_SIZE_MAX     (16u * 1024 * 1024) // bytes of one file
#define DEFT__CONFIG_DEPTH_MAX    64u                 // nesting of one file
#define DEFT__CONFIG_TOKENS_MAX   1000000u            // values and names in one file
#define DEFT__CONFIG_SERVERS_MAX  10000u
#define DEFT__CONFIG_VALUES_MAX   1000u // in one file; there are some seventy names for keys
#define DEFT__CONFIG_ACCESS_MAX   1000u // tokens of http.tokens
#define DEFT__CONFIG_PATTERNS_MAX 256u  // of one list of one of them

typedef struct deft__reader {
    deft__source *source;
    deft_error   *error; // the caller's; may be NULL
    deft_view     text;  // the JSON that offsets point into; lives in the source's arena
    bool          has_lines;

    // JSON made from TOML: which line of the TOML stands where. NULL: the text's own lines.
    const deft__toml_line *lines;
    size_t                 line_count;

    size_t known_offset; // the last place whose line was asked for
    size_t known_line;
} deft__reader;

// Reads `text`, a whole file in any of the formats, or, when `is_value`, a value of the host's.
deft_status deft__read(deft__source *source, deft_view text, bool is_value, deft_error *error);

// 1 for the first line; 0 where there are no lines.
size_t deft__reader_line(deft__reader *reader, size_t offset);

// Fails with "file:line: message".
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
deft_status
deft__reader_fail(deft__reader *reader, deft_status status, size_t offset, const char *format, ...);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
deft_status
deft__reader_warn(deft__reader *reader, size_t offset, const char *format, ...);

// Whether a further warning would not be kept: looking for the nearest key is then for nothing.
bool deft__reader_is_full(const deft__reader *reader);

// A string's text, valid as long as the source. False: no memory, `error` says so.
bool deft__reader_string(deft__reader *reader, deft__json_value json, deft_view *text);

// Warns when an object has a name twice; the last one counts.
deft_status deft__reader_check_duplicates(deft__reader *reader, deft__json_value object);

// How a value looks in a message: its own bytes, cut to be short.
const char *deft__reader_show(deft__quoted *quoted, deft_view text);

// A map of servers; `section` is what it is called in the file.
deft_status deft__read_servers(deft__reader *reader, const char *section, deft__json_value map);

// http.tokens.
deft_status deft__read_tokens(deft__reader *reader, deft__json_value list);

// A map of patterns to what becomes of them, or the ordered array form. `server` is put in front
// of the patterns where it is not empty; `path` names the map in messages.
deft_status deft__read_rules(deft__reader *reader, const char *path, deft_view server,
                             deft__json_value json, const deft_rule **rules, size_t *count);

// deferLoading and alwaysLoad of one object, which `path` names. DEFT_CONFLICT when they
// contradict one another. `is_set` is false when neither says anything.
typedef struct deft__deferral {
    deft__json_value defer_loading;
    deft__json_value always_load;
} deft__deferral;

bool        deft__deferral_take(deft__deferral *deferral, deft_view name, deft__json_value value);
deft_status deft__deferral_read(deft__reader *reader, const char *path,
                                const deft__deferral *deferral, bool *is_set, bool *is_deferred);

// Claude Code keeps its own `permissions` at the top of its settings: rules like Bash(npm run *),
// mcp__github__get_me or Read. Ours are tools of servers. Whether a text is such a rule, and whether
// what such an object allows is Claude's; `own_count` is how much of it does not look so.
bool deft__is_claude_rule(deft_view text);
bool deft__is_claude_allowing(deft__json_value permissions, size_t *own_count);

// How a server may be used, as members of its entry say: for how long, in which era, which tools.
typedef enum deft__use_member {
    DEFT__USE_TIMEOUT, // in the unit of the product that wrote it
    DEFT__USE_CALL_TIMEOUT_MS,
    DEFT__USE_CALL_TIMEOUT_SECONDS,
    DEFT__USE_START_TIMEOUT_MS,
    DEFT__USE_START_TIMEOUT_SECONDS,
    DEFT__USE_APPROVALS, // read only to know whose entry it is
    DEFT__USE_ERA,
    DEFT__USE_INCLUDED,
    DEFT__USE_EXCLUDED,
    DEFT__USE_COUNT
} deft__use_member;

typedef struct deft__server_use {
    deft__json_value members[DEFT__USE_COUNT];
    const char      *names[DEFT__USE_COUNT]; // as the file calls them
    deft__json_value type;                   // and its `tools`: set by the caller
    deft__json_value tools;
} deft__server_use;

bool        deft__server_use_take(deft__server_use *use, deft_view name, deft__json_value value);
const char *deft__server_use_name(size_t index); // of a member, by number; NULL behind the last
deft_status deft__server_use_read(deft__reader *reader, const char *path,
                                  const deft__server_use *use, deft_server_config *server);

// The member `oauth` of a server's entry, where it is an object.
deft_status deft__server_login_read(deft__reader *reader, const char *path, deft__json_value json,
                                    deft_server_login *login);

#endif
