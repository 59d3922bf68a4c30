#include "config/keys.h"

#include "base/fail.h"
#include "base/nearest.h"
#include "deft/catalog.h"

#include <stddef.h>

static const char *preset_word(unsigned value)
{
    return deft_preset_name((deft_preset)value);
}

static const char *family_word(unsigned value)
{
    return deft_token_family_name((deft_token_family)value);
}

static const char *form_word(unsigned value)
{
    return deft_form_name((deft_form)value);
}

static const char *defer_word(unsigned value)
{
    return deft_defer_name((deft_defer)value);
}

static const char *listing_word(unsigned value)
{
    return deft_listing_level_name((deft_listing_level)value);
}

static const char *ranking_word(unsigned value)
{
    return deft_ranking_name((deft_ranking)value);
}

static const char *style_word(unsigned value)
{
    return deft_style_name((deft_style)value);
}

static const char *call_tools_word(unsigned value)
{
    return deft_call_tools_name((deft_call_tools)value);
}

// In the order of the DEFT_PARAMETER_ bits.
static const char *parameter_word(unsigned value)
{
    static const char *const words[] = {"query", "tool_id", "max_results", "limit"};
    return words[value];
}

#define AT(member) .offset = offsetof(deft_settings, member)

// No window, budget or threshold comes near a trillion; what does is a slip of the finger.
#define TOKENS_MAX  1000000000000u
#define RESULTS_MAX 1000u
#define BYTES_MAX   1048576u

// Half a minute short of 32 years: never.
#define DURATION_MAX 1000000000000u
#define COUNT_MAX    1000000u

#define ACCEPTS_COUNT     "a whole number from 0 to 1000000000000"
#define ACCEPTS_THRESHOLD "a whole number from 0 to 1000000000000, or null for none"
#define ACCEPTS_RESULTS   "a whole number from 1 to 1000"
#define ACCEPTS_BYTES     "a whole number from 0 to 1048576"
#define ACCEPTS_BOOL      "true or false"
#define ACCEPTS_NAME      "1 to 64 letters, digits, _ or -"
#define ACCEPTS_TEXT      "a text, or null for our own"
#define ACCEPTS_COMMAND   "a command for the shell, or null for none"
#define ACCEPTS_FILE      "the name of a PEM file, or null for none"
#define ACCEPTS_DURATION  "milliseconds, a whole number from 1 to 1000000000000"
#define ACCEPTS_ADDRESS   "an address and a port, such as 127.0.0.1:8080, or null for none"
#define ACCEPTS_MANY      "a whole number from 1 to 1000000"
#define ACCEPTS_TOOLS     "an array of tools as server::tool, name or pattern with *, or null for none"
#define ACCEPTS_RULES                                                                              \
    "an object of patterns, each true (deferred), false (pinned) or an object with deferLoading"

static const deft__key_info keys[DEFT__KEY_COUNT] = {
    [DEFT__KEY_PRESET]         = {"preset", DEFT__KIND_ENUM, DEFT__FIELD_ENUM, AT(preset),
                                  .word = preset_word, .word_count = 6,
                                  .accepts = "deft, pizzapi, praisonai, claude-sdk, claude-code or kiro",
                                  .description = "behave like this product; every other key overrides it"},
    [DEFT__KEY_NO_MCP]         = {"noMcp", DEFT__KIND_BOOL, DEFT__FIELD_BOOL, AT(is_mcp_disabled),
                                  .accepts = ACCEPTS_BOOL, .description = "connect to no server at all"},
    [DEFT__KEY_ENABLED]        = {"toolSearch.enabled", DEFT__KIND_MODE, DEFT__FIELD_ENUM, AT(mode),
                                  .accepts = "true, false, \"on\", \"off\", \"auto\" or \"auto:N\" with N "
                                                    "from 0 to 100",
                                  .description = "defer tools: never, always, or past a threshold"},
    [DEFT__KEY_MIN_CHARACTERS] = {"toolSearch.minCharacters", DEFT__KIND_COUNT,
                                  DEFT__FIELD_THRESHOLD, AT(threshold_characters),
                                  .max = TOKENS_MAX, .accepts = ACCEPTS_THRESHOLD,
                                  .description = "defer when definitions exceed these characters"},
    [DEFT__KEY_MIN_TOKENS]     = {"toolSearch.minTokens", DEFT__KIND_COUNT, DEFT__FIELD_THRESHOLD,
                                  AT(threshold_tokens), .max = TOKENS_MAX, .accepts = ACCEPTS_THRESHOLD,
                                  .description = "defer when definitions exceed these tokens"},
    [DEFT__KEY_MIN_PCT]        = {"toolSearch.minPct", DEFT__KIND_PERCENT, DEFT__FIELD_THRESHOLD,
                                  AT(threshold_permyriad), .max = 10000,
                                  .accepts     = "a number from 0 to 100, or null for none",
                                  .description = "defer when definitions exceed this percent of the "
                                                        "context window"},
    [DEFT__KEY_CONTEXT_WINDOW] = {"toolSearch.contextWindow", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                  AT(context_window_tokens), .max = TOKENS_MAX,
                                  .accepts = ACCEPTS_COUNT,
                                  .description =
                                      "tokens that the model's context window holds; 0: unknown"},
    [DEFT__KEY_TOKEN_FAMILY]   = {"toolSearch.tokenFamily", DEFT__KIND_ENUM, DEFT__FIELD_ENUM,
                                  AT(token_family), .word = family_word, .word_count = 4,
                                  .accepts     = "o200k, claude, llama or chars4",
                                  .description = "whose tokens are estimated"},
    [DEFT__KEY_MEASURED_FORM]  = {"toolSearch.measuredForm", DEFT__KIND_ENUM, DEFT__FIELD_ENUM,
                                  AT(measured_form), .word = form_word, .word_count = 3,
                                  .accepts     = "mcp, openai or anthropic",
                                  .description = "the form in which definitions are measured"},
    [DEFT__KEY_DEFER]          = {"toolSearch.defer", DEFT__KIND_ENUM, DEFT__FIELD_ENUM, AT(defer),
                                  .word = defer_word, .word_count = 2, .accepts = "all or overflow",
                                  .description = "past the threshold: defer all, or only what is over it"},
    [DEFT__KEY_CORE_TOOLS]     = {"toolSearch.coreTools", DEFT__KIND_LIST, DEFT__FIELD_NONE,
                                  .accepts     = "an array of tool names, or null for the default list",
                                  .description = "tools that are never deferred, by name or pattern"},
    [DEFT__KEY_SERVERS]        = {"toolSearch.servers", DEFT__KIND_RULES, DEFT__FIELD_NONE,
                                  .accepts     = ACCEPTS_RULES,
                                  .description = "servers by name or pattern: pinned or deferred"},
    [DEFT__KEY_TOOLS]          = {"toolSearch.tools", DEFT__KIND_RULES, DEFT__FIELD_NONE,
                                  .accepts     = ACCEPTS_RULES,
                                  .description = "tools by name, server::name or pattern: pinned or "
                                                          "deferred"},
    [DEFT__KEY_SEARCH_NAME]    = {"toolSearch.searchName", DEFT__KIND_NAME, DEFT__FIELD_VIEW,
                                  AT(search_name), .accepts = ACCEPTS_NAME,
                                  .description = "what the search tool is called"},
    [DEFT__KEY_DESCRIBE_NAME]  = {"toolSearch.describeName", DEFT__KIND_NAME, DEFT__FIELD_VIEW,
                                  AT(describe_name), .accepts = ACCEPTS_NAME,
                                  .description = "what the bridge's describe tool is called"},
    [DEFT__KEY_CALL_NAME]      = {"toolSearch.callName", DEFT__KIND_NAME, DEFT__FIELD_VIEW,
                                  AT(call_name), .accepts = ACCEPTS_NAME,
                                  .description = "what the bridge's call tool is called"},
    [DEFT__KEY_SEARCH_PARAMETERS] = {"toolSearch.searchParameters", DEFT__KIND_FLAGS,
                                     DEFT__FIELD_ENUM, AT(search_parameters),
                                     .word = parameter_word, .word_count = 4,
                                     .accepts     = "query, and any of tool_id, max_results, limit",
                                     .description = "parameters that the search tool shows"},
    [DEFT__KEY_LISTING] = {"toolSearch.listing", DEFT__KIND_ENUM, DEFT__FIELD_ENUM, AT(listing),
                           .word = listing_word, .word_count = 6,
                           .accepts     = "full, short, names, categories, servers or none",
                           .description = "what the model sees upfront of deferred tools"},
    [DEFT__KEY_LISTING_BUDGET_TOKENS]     = {"toolSearch.listingBudgetTokens", DEFT__KIND_COUNT,
                                             DEFT__FIELD_U64, AT(listing_budget_tokens),
                                             .max = TOKENS_MAX, .accepts = ACCEPTS_COUNT,
                                             .description = "tokens that this listing may cost"},
    [DEFT__KEY_LISTING_DESCRIPTION_BYTES] = {"toolSearch.listingDescriptionBytes", DEFT__KIND_COUNT,
                                             DEFT__FIELD_SIZE, AT(listing_description_size_max),
                                             .max = BYTES_MAX, .accepts = ACCEPTS_BYTES,
                                             .description = "where a description in the listing is "
                                                            "cut"},
    [DEFT__KEY_LISTING_INSTRUCTIONS_BYTES] = {"toolSearch.listingInstructionsBytes",
                                              DEFT__KIND_COUNT, DEFT__FIELD_SIZE,
                                              AT(listing_instructions_size_max), .max = BYTES_MAX,
                                              .accepts     = ACCEPTS_BYTES,
                                              .description = "where a server's instructions in the "
                                                             "listing are cut"},
    [DEFT__KEY_RANKING]  = {"toolSearch.ranking", DEFT__KIND_ENUM, DEFT__FIELD_ENUM, AT(ranking),
                            .word = ranking_word, .word_count = 4,
                            .accepts     = "hybrid, bm25, keyword or regex",
                            .description = "how found tools are ordered"},
    [DEFT__KEY_LANGUAGE] = {"toolSearch.language", DEFT__KIND_NAME, DEFT__FIELD_VIEW, AT(language),
                            .accepts = "a language with a stemmer (english, german, ...) or none",
                            .description = "whose word endings the search knows"},
    [DEFT__KEY_RESULTS_DEFAULT] = {"toolSearch.resultsDefault", DEFT__KIND_COUNT, DEFT__FIELD_U32,
                                   AT(results_default), .min = 1, .max = RESULTS_MAX,
                                   .accepts     = ACCEPTS_RESULTS,
                                   .description = "tools that a search gives when it does not say"},
    [DEFT__KEY_RESULTS_MAX]     = {"toolSearch.resultsMax", DEFT__KIND_COUNT, DEFT__FIELD_U32,
                                   AT(results_max), .min = 1, .max = RESULTS_MAX,
                                   .accepts     = ACCEPTS_RESULTS,
                                   .description = "tools that a search gives at most"},
    [DEFT__KEY_MATCHING_THRESHOLD] = {"toolSearch.matchingThreshold", DEFT__KIND_DECIMAL,
                                      DEFT__FIELD_U32, AT(matching_threshold_milli), .max = 1000000,
                                      .accepts     = "a number from 0 to 1000",
                                      .description = "bm25: the lowest score that is shown"},
    [DEFT__KEY_FALLBACK_LIST]      = {"toolSearch.fallbackList", DEFT__KIND_BOOL, DEFT__FIELD_BOOL,
                                      AT(is_fallback_listed), .accepts = ACCEPTS_BOOL,
                                      .description = "nothing found: list what is deferred"},
    [DEFT__KEY_RESULT_BUDGET_TOKENS] = {"toolSearch.resultBudgetTokens", DEFT__KIND_COUNT,
                                        DEFT__FIELD_U64, AT(result_budget_tokens),
                                        .max = TOKENS_MAX, .accepts = ACCEPTS_COUNT,
                                        .description = "tokens that the schemas of one answer may "
                                                       "cost"},
    [DEFT__KEY_STYLE] = {"toolSearch.style", DEFT__KIND_ENUM, DEFT__FIELD_ENUM, AT(style),
                         .word = style_word, .word_count = 3, .accepts = "auto, bridge or load",
                         .description = "how a found tool becomes callable"},
    [DEFT__KEY_KEEP_LOADED_TOOLS] = {"toolSearch.keepLoadedTools", DEFT__KIND_BOOL,
                                     DEFT__FIELD_BOOL, AT(is_loaded_kept), .accepts = ACCEPTS_BOOL,
                                     .description = "loaded tools outlive the agent's turn"},
    [DEFT__KEY_SEARCH_DESCRIPTION] =
        {"toolSearch.descriptions.search", DEFT__KIND_TEXT, DEFT__FIELD_VIEW,
         AT(search_description), .accepts = ACCEPTS_TEXT,
         .description = "what introduces the search tool; the listing follows it"},
    [DEFT__KEY_DESCRIBE_DESCRIPTION] = {"toolSearch.descriptions.describe", DEFT__KIND_TEXT,
                                        DEFT__FIELD_VIEW, AT(describe_description),
                                        .accepts = ACCEPTS_TEXT,
                                        .description =
                                            "what introduces the bridge's describe tool"},
    [DEFT__KEY_CALL_DESCRIPTION]     = {"toolSearch.descriptions.call", DEFT__KIND_TEXT,
                                        DEFT__FIELD_VIEW, AT(call_description), .accepts = ACCEPTS_TEXT,
                                        .description = "what introduces the bridge's call tools"},
    [DEFT__KEY_CALL_TOOLS]           = {"toolSearch.callTools", DEFT__KIND_ENUM, DEFT__FIELD_ENUM,
                                        AT(call_tools), .word = call_tools_word, .word_count = 2,
                                        .accepts = "one or by-effect",
                                        .description =
                                            "one call tool, or a second one that reaches read-only tools"},
    [DEFT__KEY_CALL_READ_ONLY_NAME]  = {"toolSearch.callReadOnlyName", DEFT__KIND_NAME,
                                        DEFT__FIELD_VIEW, AT(call_read_only_name),
                                        .accepts     = ACCEPTS_NAME,
                                        .description = "what the second call tool is called"},
    [DEFT__KEY_VALIDATE_ARGUMENTS]   = {"toolSearch.validateArguments", DEFT__KIND_BOOL,
                                        DEFT__FIELD_BOOL, AT(is_argument_checked),
                                        .accepts = ACCEPTS_BOOL,
                                        .description =
                                            "check a call's arguments against the tool's schema"},
    [DEFT__KEY_REPAIR_ARGUMENTS] = {"toolSearch.repairArguments", DEFT__KIND_BOOL, DEFT__FIELD_BOOL,
                                    AT(is_argument_repaired), .accepts = ACCEPTS_BOOL,
                                    .description =
                                        "take \"5\" for 5 where the tool's schema wants a number"},
    [DEFT__KEY_PERMISSIONS_ALLOW] = {"permissions.allow", DEFT__KIND_LIST, DEFT__FIELD_NONE,
                                     .accepts     = ACCEPTS_TOOLS,
                                     .description = "tools that may be used; none: all of them"},
    [DEFT__KEY_PERMISSIONS_DENY]  = {"permissions.deny", DEFT__KIND_LIST, DEFT__FIELD_NONE,
                                     .accepts = ACCEPTS_TOOLS,
                                     .description =
                                         "tools that may not be used; wins over permissions.allow"},
    [DEFT__KEY_HOOK_BEFORE_CALL]  = {"hooks.beforeCall", DEFT__KIND_TEXT, DEFT__FIELD_VIEW,
                                     AT(hook_before_call), .accepts = ACCEPTS_COMMAND,
                                     .description = "run before each call, which it may refuse"},
    [DEFT__KEY_HOOK_AFTER_CALL]   = {"hooks.afterCall", DEFT__KIND_TEXT, DEFT__FIELD_VIEW,
                                     AT(hook_after_call), .accepts = ACCEPTS_COMMAND,
                                     .description = "run after each call"},
    [DEFT__KEY_HOOK_TIMEOUT]      = {"hooks.timeoutMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(hook_timeout_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts     = ACCEPTS_DURATION,
                                     .description = "how long a hook may take"},
    [DEFT__KEY_JOURNAL_ENABLED]   = {"journal.enabled", DEFT__KIND_BOOL, DEFT__FIELD_BOOL,
                                     AT(is_journal_kept), .accepts = ACCEPTS_BOOL,
                                     .description = "write down searches and calls"},
    [DEFT__KEY_JOURNAL_ARGUMENTS] = {"journal.arguments", DEFT__KIND_BOOL, DEFT__FIELD_BOOL,
                                     AT(has_journal_arguments), .accepts = ACCEPTS_BOOL,
                                     .description =
                                         "with the arguments of calls, which may be private"},
    [DEFT__KEY_JOURNAL_ROWS_MAX]  = {"journal.rowsMax", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(journal_rows_max), .min = 1, .max = 1000000000u,
                                     .accepts     = "a whole number from 1 to 1000000000",
                                     .description = "rows that are kept; older ones are dropped"},
    [DEFT__KEY_CALL_TIMEOUT]      = {"gateway.callTimeoutMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(call_timeout_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts     = ACCEPTS_DURATION,
                                     .description = "how long a call may go without answer or progress"},
    [DEFT__KEY_START_TIMEOUT]     = {"gateway.startTimeoutMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(start_timeout_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts     = ACCEPTS_DURATION,
                                     .description = "how long a server may take to start"},
    [DEFT__KEY_PROBE_TIMEOUT]     = {"gateway.probeTimeoutMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(probe_timeout_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts = ACCEPTS_DURATION,
                                     .description =
                                         "silence to server/discover that means the legacy era"},
    [DEFT__KEY_IDLE_STOP]         = {"gateway.idleStopMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(idle_stop_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts     = ACCEPTS_DURATION,
                                     .description = "a server without requests for so long is stopped"},
    [DEFT__KEY_RESTART_MIN]       = {"gateway.restartMinMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(restart_min_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts     = ACCEPTS_DURATION,
                                     .description = "wait before a server that failed is started again"},
    [DEFT__KEY_RESTART_MAX]       = {"gateway.restartMaxMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(restart_max_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts     = ACCEPTS_DURATION,
                                     .description = "the longest such wait, after many failures"},
    [DEFT__KEY_REFRESH_AGE]       = {"gateway.refreshAgeMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(refresh_age_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts = ACCEPTS_DURATION,
                                     .description =
                                         "age at which what is known of a server is fetched again"},
    [DEFT__KEY_FIRST_WAIT]        = {"gateway.firstWaitMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(first_wait_ms), .min = 1, .max = DURATION_MAX,
                                     .accepts = ACCEPTS_DURATION,
                                     .description =
                                         "how long the first tool list waits for unknown servers"},
    [DEFT__KEY_CALLS_MAX] = {"gateway.callsMax", DEFT__KIND_COUNT, DEFT__FIELD_U32, AT(calls_max),
                             .min = 1, .max = COUNT_MAX, .accepts = ACCEPTS_MANY,
                             .description = "calls at one server at once"},
    [DEFT__KEY_QUEUE_MAX] = {"gateway.queueMax", DEFT__KIND_COUNT, DEFT__FIELD_U32, AT(queue_max),
                             .min = 1, .max = COUNT_MAX, .accepts = ACCEPTS_MANY,
                             .description = "calls that wait for one server"},
    [DEFT__KEY_DISCOVERIES_MAX]   = {"gateway.discoveriesMax", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(discoveries_max), .min = 1, .max = COUNT_MAX,
                                     .accepts = ACCEPTS_MANY,
                                     .description =
                                         "servers started at once to learn what they offer"},
    [DEFT__KEY_MESSAGE_BYTES_MAX] = {"gateway.messageBytesMax", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(message_size_max), .min = 65536, .max = 1073741824u,
                                     .accepts = "a whole number from 65536 to 1073741824",
                                     .description =
                                         "bytes of one message from a server or a client"},
    [DEFT__KEY_STDERR_BYTES_MAX]  = {"gateway.stderrBytesMax", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                     AT(stderr_size_max), .min = 1024, .max = 67108864u,
                                     .accepts     = "a whole number from 1024 to 67108864",
                                     .description = "bytes kept of what a server writes to stderr"},
    [DEFT__KEY_REMOTE_CA]         = {"gateway.ca", DEFT__KIND_TEXT, DEFT__FIELD_VIEW, AT(remote_ca),
                                     .accepts = ACCEPTS_FILE,
                                     .description =
                                         "certificates to trust at remote servers, beside the system's"},
    [DEFT__KEY_HTTP_TLS_CERTIFICATE] = {"http.tls.certificate", DEFT__KIND_TEXT, DEFT__FIELD_VIEW,
                                        AT(http_tls_certificate), .accepts = ACCEPTS_FILE,
                                        .description = "over HTTP: the certificate, and its chain"},
    [DEFT__KEY_HTTP_TLS_KEY] = {"http.tls.key", DEFT__KIND_TEXT, DEFT__FIELD_VIEW, AT(http_tls_key),
                                .accepts     = ACCEPTS_FILE,
                                .description = "over HTTP: the private key of the certificate"},
    [DEFT__KEY_HTTP_TLS_CLIENT_CA] =
        {"http.tls.clientCa", DEFT__KIND_TEXT, DEFT__FIELD_VIEW, AT(http_tls_client_ca),
         .accepts     = ACCEPTS_FILE,
         .description = "over HTTP: who must have signed the certificates of agents"},
    [DEFT__KEY_HTTP_LISTEN] = {"http.listen", DEFT__KIND_TEXT, DEFT__FIELD_VIEW, AT(http_listen),
                               .accepts     = ACCEPTS_ADDRESS,
                               .description = "where 'deft serve --http' listens"},
    [DEFT__KEY_HTTP_ALLOW_HOSTS]   = {"http.allowHosts", DEFT__KIND_LIST, DEFT__FIELD_NONE,
                                      .accepts     = "an array of names, or null for none",
                                      .description = "names that it answers under, beside localhost"},
    [DEFT__KEY_HTTP_ALLOW_ORIGINS] = {"http.allowOrigins", DEFT__KIND_LIST, DEFT__FIELD_NONE,
                                      .accepts = "an array such as [\"https://app.example\"], or "
                                                 "null for none",
                                      .description = "web pages that may use it"},
    [DEFT__KEY_HTTP_CORS] = {"http.cors", DEFT__KIND_BOOL, DEFT__FIELD_BOOL, AT(is_http_cors_on),
                             .accepts     = ACCEPTS_BOOL,
                             .description = "browsers of those pages are told that they may"},
    [DEFT__KEY_HTTP_HEADER_BYTES_MAX] = {"http.headerBytesMax", DEFT__KIND_COUNT, DEFT__FIELD_U32,
                                         AT(http_head_size_max), .min = 1024, .max = 1048576,
                                         .accepts     = "a whole number from 1024 to 1048576",
                                         .description = "bytes of a request's line and headers"},
    [DEFT__KEY_HTTP_BODY_BYTES_MAX]   = {"http.bodyBytesMax", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                         AT(http_body_size_max), .min = 1024, .max = 1073741824u,
                                         .accepts = "a whole number from 1024 to 1073741824",
                                         .description =
                                             "bytes of a body; gateway.messageBytesMax holds, too"},
    [DEFT__KEY_HTTP_REQUESTS_MAX]     = {"http.requestsMax", DEFT__KIND_COUNT, DEFT__FIELD_U32,
                                         AT(http_requests_max), .min = 1, .max = 1000000000u,
                                         .accepts     = "a whole number from 1 to 1000000000",
                                         .description = "requests on one connection"},
    [DEFT__KEY_HTTP_CONNECTIONS_MAX]  = {"http.connectionsMax", DEFT__KIND_COUNT, DEFT__FIELD_U32,
                                         AT(http_connections_max), .min = 1, .max = COUNT_MAX,
                                         .accepts     = ACCEPTS_MANY,
                                         .description = "connections at once"},
    [DEFT__KEY_HTTP_REQUEST_IDLE]     = {"http.requestIdleMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                         AT(http_request_idle_ms), .min = 1, .max = DURATION_MAX,
                                         .accepts     = ACCEPTS_DURATION,
                                         .description = "a request that does not get on for so long"},
    [DEFT__KEY_HTTP_REQUEST]          = {"http.requestMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                         AT(http_request_ms), .min = 1, .max = DURATION_MAX,
                                         .accepts     = ACCEPTS_DURATION,
                                         .description = "a request from its first byte to its last"},
    [DEFT__KEY_HTTP_WRITE_IDLE]       = {"http.writeIdleMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                         AT(http_write_idle_ms), .min = 1, .max = DURATION_MAX,
                                         .accepts     = ACCEPTS_DURATION,
                                         .description = "a client that does not read for so long"},
    [DEFT__KEY_HTTP_KEEP_ALIVE]       = {"http.keepAliveMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                         AT(http_keep_alive_ms), .min = 1, .max = DURATION_MAX,
                                         .accepts     = ACCEPTS_DURATION,
                                         .description = "a connection without a request"},
    [DEFT__KEY_HTTP_SESSIONS_MAX]     = {"http.sessionsMax", DEFT__KIND_COUNT, DEFT__FIELD_U32,
                                         AT(http_sessions_max), .min = 1, .max = COUNT_MAX,
                                         .accepts     = ACCEPTS_MANY,
                                         .description = "sessions of legacy clients at once"},
    [DEFT__KEY_HTTP_SESSION_IDLE]     = {"http.sessionIdleMs", DEFT__KIND_COUNT, DEFT__FIELD_U64,
                                         AT(http_session_idle_ms), .min = 1, .max = DURATION_MAX,
                                         .accepts     = ACCEPTS_DURATION,
                                         .description = "a session without a request or a stream"},
    [DEFT__KEY_HTTP_FAILURES_PER_SECOND] = {"http.failuresPerSecond", DEFT__KIND_COUNT,
                                            DEFT__FIELD_U32, AT(http_failures_per_second), .min = 1,
                                            .max = COUNT_MAX, .accepts = ACCEPTS_MANY,
                                            .description = "tokens that are nobody's; more are "
                                                           "answered with 429"},
    [DEFT__KEY_HTTP_GRACE] = {"http.graceMs", DEFT__KIND_COUNT, DEFT__FIELD_U64, AT(http_grace_ms),
                              .min = 1, .max = DURATION_MAX, .accepts = ACCEPTS_DURATION,
                              .description = "how long open calls may take after SIGTERM"},
};

// What other products call our keys.
static const struct {
    const char *name;
    deft__key   key;
    bool        is_at_root; // PraisonAI's dictionary has no group around it
    bool        is_for_default_too;
} spellings[] = {
    {"mode", DEFT__KEY_ENABLED, false, false},
    {"enabled", DEFT__KEY_ENABLED, true, false}, // our own name, but PraisonAI's too
    {"tokenThreshold", DEFT__KEY_MIN_CHARACTERS, false, false},
    {"threshold_pct", DEFT__KEY_MIN_PCT, true, false},
    {"thresholdPct", DEFT__KEY_MIN_PCT, false, false},
    {"search_default_limit", DEFT__KEY_RESULTS_DEFAULT, true, false},
    {"max_search_limit", DEFT__KEY_RESULTS_MAX, true, false},
    {"maxResults", DEFT__KEY_RESULTS_MAX, false, true},
    {"core_tools", DEFT__KEY_CORE_TOOLS, true, false},
    {"preset", DEFT__KEY_PRESET, false, false}, // for hosts that hand over one object
    {"noMcp", DEFT__KEY_NO_MCP, false, false},
};

#define SPELLING_COUNT (sizeof spellings / sizeof spellings[0])

static const struct {
    const char        *name;
    deft__key_variable variable;
} foreign_variables[] = {
    {"ENABLE_TOOL_SEARCH", {DEFT__KEY_ENABLED, true, true}},
    {"PIZZAPI_NO_MCP", {DEFT__KEY_NO_MCP, true, false}},
    {"KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD", {DEFT__KEY_MATCHING_THRESHOLD, true, false}},
};

const deft__key_info *deft__key_info_of(deft__key key)
{
    return &keys[key];
}

unsigned deft__key_decimals(deft__key_kind kind)
{
    if (kind == DEFT__KIND_PERCENT) {
        return 2;
    } else if (kind == DEFT__KIND_DECIMAL) {
        return 3;
    } else {
        return 0;
    }
}

deft_view deft__key_member(deft_view path, bool *is_in_group)
{
    static const deft_view groups[] = {DEFT_VIEW_INIT("toolSearch."),
                                       DEFT_VIEW_INIT("tool_search.")};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (deft_view_starts_with(path, groups[i])) {
            *is_in_group = true;
            return deft_view_slice(path, groups[i].size, path.size);
        }
    }
    *is_in_group = false;
    return path;
}

// A key's own member name, and whether it stands inside the group.
static deft_view own_member(deft__key key, bool *is_in_group)
{
    return deft__key_member(deft_view_of(keys[key].name), is_in_group);
}

static const char *find_dot(deft_view name)
{
    return name.size > 0 ? memchr(name.data, '.', name.size) : NULL;
}

// A key's own member name, if the key may stand there: keys of the top that have a group of their
// own may stand inside `toolSearch`, too.
static bool member_at(deft__key key, bool is_in_group, deft_view *member)
{
    bool is_own_in_group = false;
    *member              = own_member(key, &is_own_in_group);
    return is_own_in_group == is_in_group || (is_in_group && find_dot(*member) != NULL);
}

bool deft__key_is_group(deft__key_place place, deft_view name)
{
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        deft_view own;
        if (member_at((deft__key)i, place != DEFT__PLACE_ROOT, &own) && name.size > 0 &&
            own.size > name.size && own.data[name.size] == '.' &&
            deft_view_starts_with(own, name)) {
            return true;
        }
    }
    return false;
}

static bool find_at(bool is_in_group, deft_view name, deft__key_match *match)
{
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        deft_view own;
        if (member_at((deft__key)i, is_in_group, &own) && deft_view_equal(own, name)) {
            *match = (deft__key_match){.key = (deft__key)i};
            return true;
        }
    }
    for (size_t i = 0; i < SPELLING_COUNT; i++) {
        if ((is_in_group || spellings[i].is_at_root) && deft_view_equals(name, spellings[i].name)) {
            *match = (deft__key_match){spellings[i].key, spellings[i].is_for_default_too};
            return true;
        }
    }
    return false;
}

bool deft__key_find(deft__key_place place, deft_view name, deft__key_match *match)
{
    bool      is_in_group = false;
    deft_view member      = name;
    switch (place) {
    case DEFT__PLACE_ROOT:
        member = deft__key_member(name, &is_in_group);
        return find_at(is_in_group, member, match);
    case DEFT__PLACE_GROUP:
        return find_at(true, name, match);
    case DEFT__PLACE_PATH:
        member = deft__key_member(name, &is_in_group);
        return (!is_in_group && find_at(false, member, match)) || find_at(true, member, match);
    }
    return false;
}

// The best of what was compared so far.
typedef struct nearest_search {
    deft_view   name;
    const char *best;
    size_t      distance;
} nearest_search;

static void compare(nearest_search *search, const char *candidate, const char *meaning)
{
    const size_t distance =
        deft__edit_distance(search->name, deft_view_of(candidate), search->distance);
    if (distance < search->distance) {
        search->distance = distance;
        search->best     = meaning;
    }
}

// Whether a dotted name has a slip in the group's own name, toolSerch.minPct; `member` is then
// what follows it. Any other dotted name is another program's.
static bool has_nearly_group(deft_view name, deft_view *member)
{
    const char     *dot      = memchr(name.data, '.', name.size);
    const deft_view head     = deft_view_make(name.data, (size_t)(dot - name.data));
    const deft_view group    = deft_view_of("toolSearch");
    const size_t    distance = deft__edit_distance_plausible(group.size);
    *member                  = deft_view_slice(name, head.size + 1, name.size);
    return deft__edit_distance(head, group, distance) <= distance;
}

// The nearest key to "group.member", both parts being a slip away at most: what stands in a group
// of a name that other programs use, too (hooks), is theirs unless it nearly is ours.
static const char *nearest_in_groups(deft_view name, bool is_grouped)
{
    const char     *dot      = find_dot(name);
    const deft_view head     = deft_view_make(name.data, (size_t)(dot - name.data));
    const deft_view tail     = deft_view_slice(name, head.size + 1, name.size);
    const char     *best     = NULL;
    size_t          distance = name.size;
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        deft_view   own;
        const char *own_dot = member_at((deft__key)i, is_grouped, &own) ? find_dot(own) : NULL;
        if (own_dot == NULL) {
            continue;
        }
        const deft_view own_head   = deft_view_make(own.data, (size_t)(own_dot - own.data));
        const deft_view own_tail   = deft_view_slice(own, own_head.size + 1, own.size);
        const size_t    head_limit = deft__edit_distance_plausible(own_head.size);
        const size_t    tail_limit = deft__edit_distance_plausible(own_tail.size);
        const size_t    head_far   = deft__edit_distance(head, own_head, head_limit);
        const size_t    tail_far   = deft__edit_distance(tail, own_tail, tail_limit);
        if (head_far <= head_limit && tail_far <= tail_limit && head_far + tail_far < distance) {
            distance = head_far + tail_far;
            best     = keys[i].name;
        }
    }
    return best;
}

const char *deft__key_nearest(deft__key_place place, deft_view name)
{
    bool      is_in_group = false;
    deft_view member      = deft__key_member(name, &is_in_group);
    bool      is_grouped  = is_in_group || place == DEFT__PLACE_GROUP;
    if (!is_grouped && find_dot(name) != NULL) {
        is_grouped = has_nearly_group(name, &member);
        if (!is_grouped) {
            return nearest_in_groups(name, place == DEFT__PLACE_PATH);
        }
    }
    if (find_dot(member) != NULL) {
        return nearest_in_groups(member, is_grouped);
    }

    // Half the letters may be wrong: people write minPercent for minPct.
    const size_t   plausible = deft__edit_distance_plausible(member.size);
    const size_t   half      = member.size / 2;
    nearest_search search    = {member, NULL, (half > plausible ? half : plausible) + 1};

    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        bool            is_own_in_group = false;
        const deft_view own             = own_member((deft__key)i, &is_own_in_group);
        if (is_own_in_group == is_grouped || place == DEFT__PLACE_PATH) {
            compare(&search, own.data, keys[i].name);
        }
    }
    for (size_t i = 0; i < SPELLING_COUNT; i++) {
        if (is_grouped || place == DEFT__PLACE_PATH || spellings[i].is_at_root) {
            compare(&search, spellings[i].name, keys[spellings[i].key].name);
        }
    }
    if (place == DEFT__PLACE_ROOT && !is_grouped) {
        compare(&search, "toolSearch", "toolSearch");
        compare(&search, "mcpServers", "mcpServers");
        compare(&search, "permissions", "permissions");
        compare(&search, "hooks", "hooks");
        compare(&search, "journal", "journal");
        compare(&search, "gateway", "gateway");
        compare(&search, "http", "http");
        // A key of the group that lost its group.
        for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
            bool            is_own_in_group = false;
            const deft_view own             = own_member((deft__key)i, &is_own_in_group);
            if (deft__edit_distance(member, own, 1) == 0) {
                return keys[i].name;
            }
        }
    }
    return search.best;
}

deft_status deft__key_fail_unknown(deft_view path, deft_error *error)
{
    const char  *nearest = deft__key_nearest(DEFT__PLACE_PATH, path);
    deft__quoted quoted;
    const char  *shown = deft__quote(&quoted, path);
    if (nearest != NULL) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "unknown key %s; did you mean %s?", shown,
                          nearest);
    } else {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "unknown key %s", shown);
    }
}

void deft__key_variable_name(deft__key key, char name[DEFT__VARIABLE_SIZE_MAX])
{
    bool            is_in_group = false;
    const deft_view own         = own_member(key, &is_in_group);
    size_t          size        = 5;

    memcpy(name, "DEFT_", size);
    for (size_t i = 0; i < own.size; i++) {
        const char byte = own.data[i];
        if (byte == '.') {
            name[size++] = '_';
        } else if (byte >= 'A' && byte <= 'Z') {
            name[size++] = '_';
            name[size++] = byte;
        } else {
            name[size++] = (char)(byte - 'a' + 'A');
        }
    }
    name[size] = '\0';
}

bool deft__key_find_variable(deft_view name, deft__key_variable *variable)
{
    for (size_t i = 0; i < sizeof foreign_variables / sizeof foreign_variables[0]; i++) {
        if (deft_view_equals(name, foreign_variables[i].name)) {
            *variable = foreign_variables[i].variable;
            return true;
        }
    }
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        char own[DEFT__VARIABLE_SIZE_MAX];
        deft__key_variable_name((deft__key)i, own);
        if (deft_view_equals(name, own)) {
            *variable = (deft__key_variable){.key = (deft__key)i};
            return true;
        }
    }
    return false;
}

deft__key deft__key_nearest_variable(deft_view name)
{
    if (!deft_view_starts_with(name, deft_view_of("DEFT_"))) {
        return DEFT__KEY_COUNT;
    }
    deft__key best     = DEFT__KEY_COUNT;
    size_t    distance = deft__edit_distance_plausible(name.size - 5) + 1;
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        char own[DEFT__VARIABLE_SIZE_MAX];
        deft__key_variable_name((deft__key)i, own);
        const size_t this_distance = deft__edit_distance(name, deft_view_of(own), distance);
        if (this_distance < distance) {
            distance = this_distance;
            best     = (deft__key)i;
        }
    }
    return best;
}
