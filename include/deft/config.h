// config.h - settings, and where each came from. Values are laid over one another in layers: the
// command line wins over the environment, that over the project's file, that over the user's file,
// that over a preset, that over the default. Nothing here opens a file or reads the environment:
// the host hands in bytes and names. A config belongs to one thread.
#ifndef DEFT_CONFIG_H
#define DEFT_CONFIG_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/export.h"
#include "deft/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_config deft_config;

// From weakest to strongest.
typedef enum deft_layer {
    DEFT_LAYER_DEFAULT,
    DEFT_LAYER_PRESET,
    DEFT_LAYER_USER_FILE,
    DEFT_LAYER_PROJECT_FILE,
    DEFT_LAYER_ENVIRONMENT,
    DEFT_LAYER_COMMAND_LINE
} deft_layer;

// New: free with deft_config_free(). NULL when there is no memory.
DEFT_API deft_config *deft_config_new(const deft_allocator *allocator, deft_error *error);
DEFT_API void         deft_config_free(deft_config *config); // NULL is fine

// Adds a configuration file's text (copied); `name` is used in messages and origins. Understood
// are deft's own file, PizzaPi's config.json, Kiro's dotted settings, Claude's .mcp.json and
// settings, PraisonAI's dictionary, VS Code's mcp.json, and Codex' config.toml (by content). JSON
// may hold comments and trailing commas. Unknown keys become warnings. An error names file, line,
// key, value and what is accepted; the config is then as before. Two members of one server or rule
// that contradict one another (deferLoading and alwaysLoad) are DEFT_CONFLICT here already.
// Within a layer a later file wins.
DEFT_API deft_status deft_config_add_file(deft_config *config, deft_layer layer, deft_view name,
                                          deft_view text, deft_error *error);

// The same for a value of the host's: JSON `true`, `false`, `"auto:5"`, or an object with the keys
// of `toolSearch` (E4).
DEFT_API deft_status deft_config_add_value(deft_config *config, deft_layer layer, deft_view name,
                                           deft_view json, deft_error *error);

// Offers one environment variable; one that means nothing to deft, or is empty, is ignored. Every
// key has one, DEFT_MIN_PCT for toolSearch.minPct; it wins over another product's for the same
// key (ENABLE_TOOL_SEARCH, PIZZAPI_NO_MCP, KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD).
DEFT_API deft_status deft_config_add_variable(deft_config *config, deft_view name, deft_view value,
                                              deft_error *error);

// Sets one key ("toolSearch.minPct") to a value as typed by a person ("0", "true", "auto:5",
// "a,b"). Other products' names for keys are understood, and "toolSearch." may be left out. `place`
// says where it came from: "--min-pct". DEFT_NOT_FOUND with the nearest key for an unknown one.
DEFT_API deft_status deft_config_set(deft_config *config, deft_layer layer, deft_view key,
                                     deft_view value, deft_view place, deft_error *error);

// Joins the layers. Contradictions are found here: DEFT_CONFLICT. Call it after the last add.
DEFT_API deft_status deft_config_resolve(deft_config *config, deft_error *error);

// The settings. Borrowed: valid until the config changes or is freed.
DEFT_API const deft_settings *deft_config_settings(const deft_config *config);

// Every key there is, in a fixed order, with its value and its origin after resolve. Borrowed.
typedef struct deft_config_entry {
    const char *key;         // "toolSearch.minPct"
    const char *description; // one line
    const char *accepts;     // "a number from 0 to 100"
    deft_view   value;       // as text, as deft_config_set would take it; empty: unset
    deft_layer  layer;       // of the value in force
    deft_view   place;       // file name, variable, flag or preset; empty for a default
    size_t      line;        // in the file, from 1; 0 elsewhere
} deft_config_entry;

DEFT_API size_t            deft_config_entry_count(const deft_config *config);
DEFT_API deft_config_entry deft_config_entry_at(const deft_config *config, size_t index);
DEFT_API deft_status       deft_config_find_entry(const deft_config *config, deft_view key,
                                                  deft_config_entry *entry, deft_error *error);

// "file.json:12", "the environment variable X", "--flag", "preset kiro" or "default".
DEFT_API deft_status deft_config_write_origin(const deft_config_entry *entry, deft_buffer *out);

// A server from the files, later layers and files replacing earlier ones of the same name.
typedef enum deft_transport_kind {
    DEFT_TRANSPORT_STDIO,
    DEFT_TRANSPORT_HTTP,
    DEFT_TRANSPORT_SSE
} deft_transport_kind;

// Which protocol a server speaks.
typedef enum deft_era {
    DEFT_ERA_AUTO, // to be found out
    DEFT_ERA_LEGACY,
    DEFT_ERA_MODERN
} deft_era;

typedef struct deft_pair {
    deft_view name;
    deft_view value; // may hold ${VAR}: see deft_config_expand
} deft_pair;

// How deft logs in to a remote server that wants it; empty where nothing was said. Each may hold
// ${VAR}.
typedef struct deft_server_login {
    deft_view client_id;
    deft_view client_secret;
    deft_view issuer;        // that the client belongs to
    deft_view scope;         // words with blanks between them
    deft_view metadata_url;  // of a client-id metadata document
    uint16_t  callback_port; // where the browser comes back to; 0: any
} deft_server_login;

typedef struct deft_server_config {
    deft_view           name;
    deft_transport_kind transport;
    deft_view           command; // stdio
    const deft_view    *arguments;
    size_t              argument_count;
    const deft_pair    *environment;
    size_t              environment_count;
    deft_view           directory;
    deft_view           url; // http and sse
    const deft_pair    *headers;
    size_t              header_count;
    bool                is_disabled;
    bool                is_defer_set; // deferLoading or alwaysLoad was given
    bool                is_deferred;
    deft_view           raw;   // the JSON object as written; empty where it came from TOML
    deft_view           place; // file name
    size_t              line;
    uint64_t            call_timeout_ms;  // 0: as the settings say
    uint64_t            start_timeout_ms; // the same
    deft_era            era;
    deft_server_tools   tools; // what may be used of it; also in the settings
    deft_view           ca;    // http and sse: a file with the only certificates to trust; or empty
    deft_server_login   login; // http and sse
} deft_server_config;

DEFT_API size_t                    deft_config_server_count(const deft_config *config);
DEFT_API const deft_server_config *deft_config_server(const deft_config *config, size_t index);

// A token of an agent that comes over HTTP: an entry of http.tokens. Only its SHA-256 is known. Patterns
// as in deft_rule; a count of 0 does not restrict, and a limit of 0 is none.
typedef struct deft_token_config {
    deft_view        name;
    uint8_t          sha256[32];
    const deft_view *servers;
    size_t           server_count;
    const deft_view *tools;
    size_t           tool_count;
    const deft_view *denied; // tools; wins over both
    size_t           denied_count;
    uint32_t         calls_per_minute;
    uint32_t         concurrent_calls;
    uint32_t         sessions;
    int64_t          expires_s; // since 1970; 0: never
    deft_view        place;     // file name
    size_t           line;
} deft_token_config;

#define DEFT_TOKEN_NAME_ACCEPTS "1 to 64 letters, digits, _, - or ."
DEFT_API bool deft_token_name_is_valid(deft_view name);

// Those of all files by name, later ones replacing earlier ones. `has_tokens`: some file has a list,
// though perhaps an empty one.
DEFT_API size_t                   deft_config_token_count(const deft_config *config);
DEFT_API const deft_token_config *deft_config_token(const deft_config *config, size_t index);
DEFT_API bool                     deft_config_has_tokens(const deft_config *config);

// Reads "2027-01-31" (its first moment, UTC) or "2027-01-31T12:00:00Z", in seconds since 1970.
DEFT_API bool deft_config_parse_date(deft_view text, int64_t *seconds);

// Things worth telling: unknown keys with the nearest known one, values that have no effect.
typedef struct deft_warning {
    deft_view place;
    size_t    line;
    deft_view message;
} deft_warning;

DEFT_API size_t              deft_config_warning_count(const deft_config *config);
DEFT_API const deft_warning *deft_config_warning(const deft_config *config, size_t index);

// Replaces ${VAR} and ${VAR:-default} in `text` by what `lookup` gives (data NULL: unset). An unset
// variable without a default is DEFT_NOT_FOUND naming it. ${env:VAR} and ${input:ID} as in VS Code:
// the first is a variable, the second is asked of `lookup` as "input:ID".
typedef deft_view (*deft_variable_lookup)(void *context, deft_view name);
DEFT_API deft_status deft_config_expand(deft_view text, deft_variable_lookup lookup, void *context,
                                        deft_buffer *out, deft_error *error);

// `text` (deft's own file, may be empty) with one key set, everything else, comments included, as
// it was. For `deft settings KEY VALUE`.
DEFT_API deft_status deft_config_edit(deft_view text, deft_view key, deft_view value,
                                      deft_buffer *out, deft_error *error);

// The same with one token more (`expires` as in the file; empty: never) or less in http.tokens.
// DEFT_CONFLICT: there is one of this name. DEFT_NOT_FOUND: there is none.
DEFT_API deft_status deft_config_add_token(deft_view text, const deft_token_config *token,
                                           deft_view expires, deft_buffer *out, deft_error *error);
DEFT_API deft_status deft_config_remove_token(deft_view text, deft_view name, deft_buffer *out,
                                              deft_error *error);

#ifdef __cplusplus
}
#endif
#endif
