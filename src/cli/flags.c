// The flags, each with its help. Which commands take which is in commands.c.
#include "cli/commands.h"

static const char *const preset_words[]  = {"deft",        "pizzapi", "praisonai", "claude-sdk",
                                            "claude-code", "kiro",    NULL};
static const char *const form_words[]    = {"mcp", "openai", "anthropic", NULL};
static const char *const sort_words[]    = {"tokens", "name", "catalog", NULL};
static const char *const place_words[]   = {"pinned", "visible", "deferred", NULL};
static const char *const ranking_words[] = {"hybrid", "bm25", "keyword", "regex", NULL};

// In the order of deft__flag_id, which is also the order in which help lists them.
static const deft__flag flags[DEFT__FLAG_COUNT] = {
    [DEFT__FLAG_CATALOG] =
        {
            .name          = "catalog",
            .kind          = DEFT__VALUE_PATH,
            .value_name    = "FILE|DIR",
            .help          = "Read tool definitions from a file, from the *.json and *.jsonl files "
                             "of a directory, or from - for stdin, in place of those of the "
                             "configured servers",
            .is_global     = true,
            .is_repeatable = true,
        },
    [DEFT__FLAG_CONFIG] =
        {
            .name          = "config",
            .kind          = DEFT__VALUE_FILE,
            .value_name    = "FILE",
            .help          = "Read settings from this file in place of the project's own files",
            .is_global     = true,
            .is_repeatable = true,
        },
    [DEFT__FLAG_PRESET] =
        {
            .name       = "preset",
            .kind       = DEFT__VALUE_CHOICE,
            .value_name = "NAME",
            .help       = "Behave as this product does",
            .choices    = preset_words,
            .is_global  = true,
        },
    [DEFT__FLAG_SET] =
        {
            .name          = "set",
            .kind          = DEFT__VALUE_PAIR,
            .value_name    = "KEY=VALUE",
            .help          = "Set one key for this run; 'deft settings' lists the keys",
            .is_global     = true,
            .is_repeatable = true,
        },
    [DEFT__FLAG_CONTEXT_WINDOW] =
        {
            .name       = "context-window",
            .kind       = DEFT__VALUE_NUMBER,
            .value_name = "N",
            .help       = "The model's context window in tokens",
            .number_min = 1,
            .number_max = 1000000000,
            .is_global  = true,
        },
    [DEFT__FLAG_NO_MCP] =
        {
            .name      = "no-mcp",
            .help      = "Leave out the tools of MCP servers",
            .is_global = true,
        },
    [DEFT__FLAG_JSON] =
        {
            .name      = "json",
            .help      = "Write JSON, for programs",
            .is_global = true,
        },
    [DEFT__FLAG_QUIET] =
        {
            .name      = "quiet",
            .letter    = 'q',
            .help      = "Say nothing on stderr but errors",
            .is_global = true,
        },
    [DEFT__FLAG_VERBOSE] =
        {
            .name      = "verbose",
            .letter    = 'v',
            .help      = "Say more on stderr: which files are read, which tools were left out",
            .is_global = true,
        },
    [DEFT__FLAG_HELP] =
        {
            .name      = "help",
            .letter    = 'h',
            .help      = "Show help for the command",
            .is_global = true,
        },
    [DEFT__FLAG_VERSION] =
        {
            .name      = "version",
            .help      = "Show the version",
            .is_global = true,
        },
    [DEFT__FLAG_SORT] =
        {
            .name       = "sort",
            .kind       = DEFT__VALUE_CHOICE,
            .value_name = "ORDER",
            .help       = "Most tokens first (the default), by name, or as in the catalog",
            .choices    = sort_words,
        },
    [DEFT__FLAG_SERVER] =
        {
            .name       = "server",
            .kind       = DEFT__VALUE_TEXT,
            .value_name = "NAME",
            .help       = "Only the tools of this server; * and ? fit any",
        },
    [DEFT__FLAG_SERVERS] =
        {
            .name = "servers",
            .help = "One line for each server, without its tools",
        },
    [DEFT__FLAG_DEFINITIONS] =
        {
            .name = "definitions",
            .help = "Write the definitions themselves as a JSON array",
        },
    [DEFT__FLAG_FORM] =
        {
            .name       = "form",
            .kind       = DEFT__VALUE_CHOICE,
            .value_name = "FORM",
            .help       = "How --definitions are written; mcp by default",
            .choices    = form_words,
        },
    [DEFT__FLAG_PLACE] =
        {
            .name       = "place",
            .kind       = DEFT__VALUE_CHOICE,
            .value_name = "PLACE",
            .help       = "Only the tools in this place",
            .choices    = place_words,
        },
    [DEFT__FLAG_ORIGIN] =
        {
            .name = "origin",
            .help = "Show where each value came from",
        },
    [DEFT__FLAG_USER] =
        {
            .name = "user",
            .help = "Write to the user's file, not to the project's",
        },
    [DEFT__FLAG_LIMIT] =
        {
            .name       = "limit",
            .kind       = DEFT__VALUE_NUMBER,
            .value_name = "N",
            .help       = "At most so many hits, or lines",
            .number_min = 1,
            .number_max = 1000,
        },
    [DEFT__FLAG_RANKING] =
        {
            .name       = "ranking",
            .kind       = DEFT__VALUE_CHOICE,
            .value_name = "NAME",
            .help       = "How hits are found and ordered",
            .choices    = ranking_words,
        },
    [DEFT__FLAG_MODEL] =
        {
            .name       = "model",
            .kind       = DEFT__VALUE_FILE,
            .value_name = "FILE",
            .help       = "What words mean: a model's file, or 'none' for words alone",
        },
    [DEFT__FLAG_TOOL] =
        {
            .name       = "tool",
            .kind       = DEFT__VALUE_TEXT,
            .value_name = "ID",
            .help       = "explain: account for this tool, hit or not; token: what it may use",
        },
    [DEFT__FLAG_COMPARE] =
        {
            .name       = "compare",
            .kind       = DEFT__VALUE_CHOICE,
            .value_name = "NAME",
            .help       = "Compare with this ranking, query by query",
            .choices    = ranking_words,
        },
    [DEFT__FLAG_QUERIES] =
        {
            .name          = "queries",
            .kind          = DEFT__VALUE_TEXT,
            .value_name    = "NAME",
            .help          = "Only queries_NAME.jsonl of each set; 'queries' for queries.jsonl",
            .is_repeatable = true,
        },
    [DEFT__FLAG_EXTRA_TOOLS] =
        {
            .name          = "extra-tools",
            .kind          = DEFT__VALUE_FILE,
            .value_name    = "FILE",
            .help          = "Add the tools of this file to every set, as distractors",
            .is_repeatable = true,
        },
    [DEFT__FLAG_STYLE] =
        {
            .name = "style",
            .help = "Also show each style of queries apart",
        },
    [DEFT__FLAG_RANKINGS] =
        {
            .name       = "rankings",
            .kind       = DEFT__VALUE_FILE,
            .value_name = "FILE",
            .help       = "Write what was found for each query, best first, to this file",
        },
    [DEFT__FLAG_MAN] =
        {
            .name = "man",
            .help = "Write the manual page, deft(1), for man",
        },
    [DEFT__FLAG_GATEWAY] =
        {
            .name       = "gateway",
            .kind       = DEFT__VALUE_TEXT,
            .value_name = "PID",
            .help       = "Ask the gateway with this process id, or with 'none' no gateway",
        },
    [DEFT__FLAG_DISCOVER] =
        {
            .name = "discover",
            .help = "First ask the servers whose tools are not known",
        },
    [DEFT__FLAG_CALLS] =
        {
            .name = "calls",
            .help = "Searches and calls from the journal, the newest last",
        },
    [DEFT__FLAG_HTTP] =
        {
            .name              = "http",
            .kind              = DEFT__VALUE_TEXT,
            .value_name        = "ADDRESS:PORT",
            .help              = "Serve over HTTP at this address instead, any number of agents; "
                                 "without one at http.listen",
            .is_value_optional = true,
        },
    [DEFT__FLAG_TOKEN_FILE] =
        {
            .name       = "token-file",
            .kind       = DEFT__VALUE_FILE,
            .value_name = "FILE",
            .help       = "Over HTTP, ask for a bearer token: one of the lines of this file",
        },
    [DEFT__FLAG_HOST] =
        {
            .name          = "host",
            .kind          = DEFT__VALUE_TEXT,
            .value_name    = "NAME",
            .help          = "Over HTTP, answer under this name, too",
            .is_repeatable = true,
        },
    [DEFT__FLAG_ALLOW_ORIGIN] =
        {
            .name          = "allow-origin",
            .kind          = DEFT__VALUE_TEXT,
            .value_name    = "ORIGIN",
            .help          = "Over HTTP, let pages of this origin use the gateway",
            .is_repeatable = true,
        },
    [DEFT__FLAG_TLS_CERTIFICATE] =
        {
            .name       = "tls-certificate",
            .kind       = DEFT__VALUE_FILE,
            .value_name = "FILE",
            .help       = "Over HTTP, speak TLS with this certificate (PEM, with its chain)",
        },
    [DEFT__FLAG_TLS_KEY] =
        {
            .name       = "tls-key",
            .kind       = DEFT__VALUE_FILE,
            .value_name = "FILE",
            .help       = "The private key of the certificate",
        },
    [DEFT__FLAG_TLS_CLIENT_CA] =
        {
            .name       = "tls-client-ca",
            .kind       = DEFT__VALUE_FILE,
            .value_name = "FILE",
            .help       = "Let in only who has a certificate signed by one of these",
        },
    [DEFT__FLAG_DENY] =
        {
            .name          = "deny",
            .kind          = DEFT__VALUE_TEXT,
            .value_name    = "ID",
            .help          = "Never this tool, whatever else allows it; * and ? fit any",
            .is_repeatable = true,
        },
    [DEFT__FLAG_CALLS_PER_MINUTE] =
        {
            .name       = "calls-per-minute",
            .kind       = DEFT__VALUE_NUMBER,
            .value_name = "N",
            .help       = "At most so many requests in a minute",
            .number_min = 1,
            .number_max = 1000000,
        },
    [DEFT__FLAG_CONCURRENT_CALLS] =
        {
            .name       = "concurrent-calls",
            .kind       = DEFT__VALUE_NUMBER,
            .value_name = "N",
            .help       = "At most so many requests that wait for their answer",
            .number_min = 1,
            .number_max = 1000000,
        },
    [DEFT__FLAG_SESSIONS] =
        {
            .name       = "sessions",
            .kind       = DEFT__VALUE_NUMBER,
            .value_name = "N",
            .help       = "At most so many sessions of legacy clients",
            .number_min = 1,
            .number_max = 1000000,
        },
    [DEFT__FLAG_EXPIRES] =
        {
            .name       = "expires",
            .kind       = DEFT__VALUE_TEXT,
            .value_name = "WHEN",
            .help       = "Until then: days such as 90d, or a date such as 2027-01-31",
        },
    [DEFT__FLAG_SCOPE] =
        {
            .name       = "scope",
            .kind       = DEFT__VALUE_TEXT,
            .value_name = "WORDS",
            .help       = "Ask for these rights instead of those that the server names",
        },
    [DEFT__FLAG_CLIENT_ID] =
        {
            .name       = "client-id",
            .kind       = DEFT__VALUE_TEXT,
            .value_name = "ID",
            .help       = "Log in as this client, which you have registered yourself",
        },
    [DEFT__FLAG_PASTE] =
        {
            .name = "paste",
            .help = "The browser is elsewhere: paste the address that it ends up at",
        },
};

const deft__flag *deft__flag_at(deft__flag_id id)
{
    return &flags[id];
}
