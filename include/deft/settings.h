// settings.h - everything that can be set, as one plain struct. Fill it by hand, or let config.h
// read it from files, the environment and flags. Views and arrays are borrowed: whoever filled the
// struct keeps them alive as long as anything uses it.
#ifndef DEFT_SETTINGS_H
#define DEFT_SETTINGS_H

#include "deft/export.h"
#include "deft/tokens.h"
#include "deft/tool.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum deft_preset {
    DEFT_PRESET_DEFT, // our own defaults
    DEFT_PRESET_PIZZAPI,
    DEFT_PRESET_PRAISONAI,
    DEFT_PRESET_CLAUDE_SDK,
    DEFT_PRESET_CLAUDE_CODE,
    DEFT_PRESET_KIRO
} deft_preset;

typedef enum deft_mode {
    DEFT_MODE_OFF, // everything visible
    DEFT_MODE_ON,  // everything deferrable is deferred
    DEFT_MODE_AUTO // deferred only past a threshold
} deft_mode;

typedef enum deft_defer {
    DEFT_DEFER_ALL,     // past the threshold every deferrable tool is deferred
    DEFT_DEFER_OVERFLOW // tools stay visible until the threshold is full, the rest is deferred
} deft_defer;

typedef enum deft_style {
    DEFT_STYLE_AUTO,   // by client
    DEFT_STYLE_BRIDGE, // a found tool is called through one stable call tool
    DEFT_STYLE_LOAD    // a found tool joins the tool list
} deft_style;

typedef enum deft_ranking {
    DEFT_RANKING_HYBRID,
    DEFT_RANKING_BM25,
    DEFT_RANKING_KEYWORD,
    DEFT_RANKING_REGEX
} deft_ranking;

// What the model sees upfront of what is deferred; a listing that is over its budget degrades
// towards the end of this list.
typedef enum deft_listing_level {
    DEFT_LISTING_FULL,       // server::tool: description
    DEFT_LISTING_SHORT,      // server::tool: first words of the description
    DEFT_LISTING_NAMES,      // names by server, and each server's instructions
    DEFT_LISTING_CATEGORIES, // by server: how many tools, and about what
    DEFT_LISTING_SERVERS,    // servers with counts
    DEFT_LISTING_NONE        // nothing but the search tool
} deft_listing_level;

// Through which of the bridge's tools a found tool is called.
typedef enum deft_call_tools {
    DEFT_CALL_TOOLS_ONE,      // one call tool for all
    DEFT_CALL_TOOLS_BY_EFFECT // a second one, read-only, for tools that say they change nothing
} deft_call_tools;

// Parameters that the search tool shows; all of them are always understood.
enum {
    DEFT_PARAMETER_QUERY       = 1 << 0,
    DEFT_PARAMETER_TOOL_ID     = 1 << 1,
    DEFT_PARAMETER_MAX_RESULTS = 1 << 2, // called max_results
    DEFT_PARAMETER_LIMIT       = 1 << 3  // the same, called limit
};

// "These tools are (never) deferred": one of the lists below, first fitting rule wins. `*` in a
// pattern fits any run of characters, `?` fits one. A pattern for tools that holds `::` is compared
// with the whole id, `server::name`; one without is compared with the name alone, on any server.
typedef struct deft_rule {
    deft_view pattern;     // a server's name, or a tool's `name` or `server::name`
    bool      is_deferred; // false: pinned
} deft_rule;

// A threshold that may be unset.
typedef struct deft_threshold {
    bool     is_set;
    uint64_t value;
} deft_threshold;

// Which of a server's tools may be used, as its entry in a file says. Patterns fit the name alone.
typedef struct deft_server_tools {
    deft_view        server;
    bool             is_included_set; // false: all of them, but for the excluded
    const deft_view *included;
    size_t           included_count;
    const deft_view *excluded; // wins over included
    size_t           excluded_count;
} deft_server_tools;

typedef struct deft_settings {
    deft_preset preset;

    // What to defer (A).
    deft_mode         mode;
    deft_threshold    threshold_characters;
    deft_threshold    threshold_tokens;
    deft_threshold    threshold_permyriad; // of the context window, in 1/100 percent: 10 % is 1000
    uint64_t          context_window_tokens; // 0: unknown, then a percent threshold decides nothing
    deft_token_family token_family;
    deft_form         measured_form; // the form in which definitions are measured
    deft_defer        defer;
    const deft_view  *core_tools; // never deferred; patterns as in tool_rules; may be NULL for none
    size_t            core_tool_count;
    bool              is_core_tools_set; // false: the default list, deft_core_tools()
    const deft_rule  *server_rules;
    size_t            server_rule_count;
    const deft_rule  *tool_rules;
    size_t            tool_rule_count;
    bool              is_mcp_disabled; // connect to no server at all (A11)

    // What the model sees upfront (B).
    deft_view          search_name;   // of the search tool
    deft_view          describe_name; // of the bridge's other tools
    deft_view          call_name;
    unsigned           search_parameters; // DEFT_PARAMETER_ bits
    deft_listing_level listing;           // the richest level to try
    uint64_t           listing_budget_tokens;
    size_t             listing_description_size_max;  // bytes
    size_t             listing_instructions_size_max; // bytes

    // The search (C).
    deft_ranking ranking;
    deft_view    language; // of the stemmer: "english", "german", ... or "none"
    uint32_t     results_default;
    uint32_t     results_max;
    uint32_t     matching_threshold_milli; // bm25: lowest score shown, in 1/1000
    bool         is_fallback_listed;   // nothing found: list what is deferred, within the budget
    uint64_t     result_budget_tokens; // for the schemas in one answer

    // After the search (D).
    deft_style style;
    bool       is_loaded_kept; // keepLoadedTools: loaded tools outlive the turn

    // What becomes of calls: switches.
    bool            is_argument_checked;   // against the tool's schema
    bool            is_argument_repaired;  // what is wrong without doubt or harm is set right
    bool            is_journal_kept;       // of searches and calls
    bool            has_journal_arguments; // they may be private
    deft_call_tools call_tools;

    // The bridge's tools: the second call tool's name, and what introduces each of them to the model;
    // empty: our own words.
    deft_view call_read_only_name;
    deft_view search_description;
    deft_view describe_description;
    deft_view call_description;

    // What may be used at all (D3): see permissions.h. Patterns as in deft_rule.
    const deft_view         *allowed_tools; // none: every tool
    size_t                   allowed_tool_count;
    const deft_view         *denied_tools; // wins over allowed_tools
    size_t                   denied_tool_count;
    const deft_server_tools *server_tools; // sorted by server, as bytes
    size_t                   server_tools_count;

    // Commands around each call, for the shell; empty: none.
    deft_view hook_before_call;
    deft_view hook_after_call;
    uint64_t  hook_timeout_ms;

    uint64_t journal_rows_max; // older rows are dropped

    // Limits of the gateway, for each server.
    uint64_t call_timeout_ms;  // a call without answer or progress
    uint64_t start_timeout_ms; // from start to the end of the handshake
    uint64_t probe_timeout_ms; // silence to server/discover means the legacy era
    uint64_t idle_stop_ms;     // a server without requests is stopped
    uint64_t restart_min_ms;   // before a server that failed is started again
    uint64_t restart_max_ms;   // the same after many failures
    uint64_t refresh_age_ms;   // a manifest this old is fetched again
    uint64_t first_wait_ms;    // how long the first list waits for unknown servers
    uint32_t calls_max;        // calls at once
    uint32_t queue_max;        // calls that wait
    uint64_t message_size_max; // bytes of one message from a peer
    uint64_t stderr_size_max;  // bytes kept of what a server writes to stderr

    // Files of certificates; empty: none.
    deft_view remote_ca;            // trusted at remote servers, beside those of the system
    deft_view http_tls_certificate; // what `deft serve --http` shows
    deft_view http_tls_key;         // its key
    deft_view http_tls_client_ca;   // agents must have a certificate that one of these has signed

    // Of the gateway, for all servers together.
    uint64_t discoveries_max; // servers that are started at once to learn what they have

    // Serving over HTTP.
    deft_view        http_listen; // address and port; empty: none is set
    const deft_view *http_hosts;  // names that are answered under, beside loopback's
    size_t           http_host_count;
    const deft_view *http_origins; // of pages that may use it
    size_t           http_origin_count;
    uint64_t         http_body_size_max;       // bytes
    uint64_t         http_request_idle_ms;     // a request that does not get on
    uint64_t         http_request_ms;          // a request from its first byte to its last
    uint64_t         http_write_idle_ms;       // a client that does not read
    uint64_t         http_keep_alive_ms;       // a connection without a request
    uint64_t         http_session_idle_ms;     // a session without a request or a stream
    uint64_t         http_grace_ms;            // open calls may still end when it is to stop
    uint32_t         http_head_size_max;       // bytes of the request line and all headers
    uint32_t         http_requests_max;        // on one connection
    uint32_t         http_connections_max;     // at once
    uint32_t         http_sessions_max;        // of legacy clients
    uint32_t         http_failures_per_second; // tokens that are nobody's
    bool             is_http_cors_on;          // browsers of those origins are told that they may
} deft_settings;

// The settings of a preset, everything else at deft's defaults.
DEFT_API void deft_settings_init(deft_settings *settings, deft_preset preset);

// The default core set (A7).
DEFT_API const deft_view *deft_core_tools(size_t *count);

// The words used in files, flags and messages. A name is never NULL ("unknown" for a value outside
// the enum); from_name is false for a word that it does not know and leaves the output as it was.
DEFT_API const char *deft_preset_name(deft_preset preset); // "deft", "pizzapi", "claude-code", ...
DEFT_API bool        deft_preset_from_name(deft_view name, deft_preset *preset);
DEFT_API const char *deft_mode_name(deft_mode mode);    // "off", "on", "auto"
DEFT_API const char *deft_defer_name(deft_defer defer); // "all", "overflow"
DEFT_API bool        deft_defer_from_name(deft_view name, deft_defer *defer);
DEFT_API const char *deft_style_name(deft_style style); // "auto", "bridge", "load"
DEFT_API bool        deft_style_from_name(deft_view name, deft_style *style);
DEFT_API const char *deft_call_tools_name(deft_call_tools tools); // "one", "by-effect"
DEFT_API bool        deft_call_tools_from_name(deft_view name, deft_call_tools *tools);
DEFT_API const char *deft_ranking_name(deft_ranking ranking); // "hybrid", "bm25", ...
DEFT_API bool        deft_ranking_from_name(deft_view name, deft_ranking *ranking);
DEFT_API const char *deft_listing_level_name(deft_listing_level level); // "full", "short", ...
DEFT_API bool        deft_listing_level_from_name(deft_view name, deft_listing_level *level);

#ifdef __cplusplus
}
#endif
#endif
