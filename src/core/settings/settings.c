// The defaults of deft and of its presets, and the words for every enum. A preset is deft's own
// defaults with the differences that the product's documentation states.
#include "core/settings/settings.h"

// PraisonAI's table of tools that never defer, in its order. Its text speaks of 16 tools, its table
// names 22; we take the table.
static const deft_view core_tools[] = {
    DEFT_VIEW_INIT("read_file"),       DEFT_VIEW_INIT("write_file"),
    DEFT_VIEW_INIT("list_files"),      DEFT_VIEW_INIT("get_file_info"),
    DEFT_VIEW_INIT("copy_file"),       DEFT_VIEW_INIT("move_file"),
    DEFT_VIEW_INIT("delete_file"),     DEFT_VIEW_INIT("execute_command"),
    DEFT_VIEW_INIT("list_processes"),  DEFT_VIEW_INIT("kill_process"),
    DEFT_VIEW_INIT("get_system_info"), DEFT_VIEW_INIT("search_web"),
    DEFT_VIEW_INIT("web_search"),      DEFT_VIEW_INIT("internet_search"),
    DEFT_VIEW_INIT("web_crawl"),       DEFT_VIEW_INIT("crawl_web"),
    DEFT_VIEW_INIT("schedule_add"),    DEFT_VIEW_INIT("schedule_list"),
    DEFT_VIEW_INIT("schedule_remove"), DEFT_VIEW_INIT("store_memory"),
    DEFT_VIEW_INIT("search_memory"),   DEFT_VIEW_INIT("clarify"),
};

const deft_view *deft_core_tools(size_t *count)
{
    *count = sizeof core_tools / sizeof core_tools[0];
    return core_tools;
}

static void init_deft(deft_settings *settings)
{
    *settings = (deft_settings){
        .preset                = DEFT_PRESET_DEFT,
        .mode                  = DEFT_MODE_AUTO,
        .threshold_permyriad   = {.is_set = true, .value = 1000},
        .context_window_tokens = 200000,
        .token_family          = DEFT_TOKENS_O200K,
        .measured_form         = DEFT_FORM_MCP,
        .defer                 = DEFT_DEFER_ALL,
        .search_name           = DEFT_VIEW_INIT("tool_search"),
        .describe_name         = DEFT_VIEW_INIT("tool_describe"),
        .call_name             = DEFT_VIEW_INIT("tool_call"),
        .search_parameters =
            DEFT_PARAMETER_QUERY | DEFT_PARAMETER_TOOL_ID | DEFT_PARAMETER_MAX_RESULTS,
        .listing                       = DEFT_LISTING_FULL,
        .listing_budget_tokens         = 2000, // one percent of the usual window
        .listing_description_size_max  = 1024,
        .listing_instructions_size_max = 2048,
        .ranking                       = DEFT_RANKING_HYBRID,
        .language                      = DEFT_VIEW_INIT("english"),
        .results_default               = 5,
        .results_max                   = 20,
        .matching_threshold_milli      = 0,
        .is_fallback_listed            = true,
        .result_budget_tokens          = 4000,
        .style                         = DEFT_STYLE_AUTO,
        .is_loaded_kept                = true,
        .call_tools                    = DEFT_CALL_TOOLS_ONE,
        .call_read_only_name           = DEFT_VIEW_INIT("tool_call_read_only"),
        .is_argument_checked           = true,
        .is_argument_repaired          = true,
        .hook_timeout_ms               = 10000,
        .is_journal_kept               = true,
        .has_journal_arguments         = false,
        .journal_rows_max              = 100000,
        .call_timeout_ms               = 60000,
        .start_timeout_ms              = 30000,
        .probe_timeout_ms              = 2000,
        .idle_stop_ms                  = 600000,
        .restart_min_ms                = 1000,
        .restart_max_ms                = 300000,
        .refresh_age_ms                = 86400000,
        .first_wait_ms                 = 700,
        .calls_max                     = 64,
        .queue_max                     = 1024,
        .message_size_max              = 64u * 1024 * 1024,
        .stderr_size_max               = 64u * 1024,
        .discoveries_max               = 8,
        .is_http_cors_on               = true,
        .http_head_size_max            = 32u * 1024,
        .http_body_size_max            = 64u * 1024 * 1024,
        .http_requests_max             = 100000,
        .http_connections_max          = 20000,
        .http_request_idle_ms          = 30000,
        .http_request_ms               = 300000,
        .http_write_idle_ms            = 30000,
        .http_keep_alive_ms            = 120000,
        .http_sessions_max             = 10000,
        .http_session_idle_ms          = 3600000,
        .http_failures_per_second      = 100,
        .http_grace_ms                 = 5000,
    };
}

// The products set no budget for what they list. Ours is then a tenth of the usual window: what they
// would list in practice fits, and 10,000 tools still do not flood the context.
static const uint64_t unbudgeted_listing_tokens = 20000;

// Apart from their own built-in tools, everything of these products may be deferred: PraisonAI alone
// knows a core set.
static void clear_core_tools(deft_settings *settings)
{
    settings->is_core_tools_set = true;
    settings->core_tools        = NULL;
    settings->core_tool_count   = 0;
}

static void init_pizzapi(deft_settings *settings)
{
    clear_core_tools(settings);
    settings->mode                  = DEFT_MODE_OFF;
    settings->threshold_characters  = (deft_threshold){.is_set = true, .value = 10000};
    settings->threshold_permyriad   = (deft_threshold){.is_set = false};
    settings->search_name           = deft_view_of("search_tools");
    settings->search_parameters     = DEFT_PARAMETER_QUERY;
    settings->listing               = DEFT_LISTING_NONE;
    settings->listing_budget_tokens = unbudgeted_listing_tokens; // of the fallback list
    settings->ranking               = DEFT_RANKING_KEYWORD;
    settings->results_max           = 5;
    settings->style                 = DEFT_STYLE_LOAD;
}

// Off is what an agent without `tool_search` has. A dictionary without `enabled` means auto, but
// that is for whoever reads the dictionary to say.
static void init_praisonai(deft_settings *settings)
{
    settings->mode                  = DEFT_MODE_OFF;
    settings->measured_form         = DEFT_FORM_OPENAI;
    settings->search_parameters     = DEFT_PARAMETER_QUERY | DEFT_PARAMETER_LIMIT;
    settings->listing               = DEFT_LISTING_NONE;
    settings->listing_budget_tokens = unbudgeted_listing_tokens;
    settings->ranking               = DEFT_RANKING_BM25;
    settings->is_fallback_listed    = false;
    settings->style                 = DEFT_STYLE_BRIDGE;
}

static void init_claude(deft_settings *settings)
{
    clear_core_tools(settings);
    settings->mode                  = DEFT_MODE_ON;
    settings->token_family          = DEFT_TOKENS_CLAUDE;
    settings->measured_form         = DEFT_FORM_ANTHROPIC;
    settings->search_name           = deft_view_of("ToolSearch");
    settings->search_parameters     = DEFT_PARAMETER_QUERY | DEFT_PARAMETER_MAX_RESULTS;
    settings->listing_budget_tokens = unbudgeted_listing_tokens;
    settings->ranking               = DEFT_RANKING_BM25;
    settings->results_max           = 5;
    settings->is_fallback_listed    = false;
    settings->style                 = DEFT_STYLE_LOAD;
}

static void init_claude_sdk(deft_settings *settings)
{
    init_claude(settings);
    settings->listing = DEFT_LISTING_CATEGORIES;
}

static void init_claude_code(deft_settings *settings)
{
    init_claude(settings);
    settings->defer   = DEFT_DEFER_OVERFLOW;
    settings->listing = DEFT_LISTING_NAMES;
}

static void init_kiro(deft_settings *settings)
{
    clear_core_tools(settings);
    settings->mode                     = DEFT_MODE_OFF;
    settings->threshold_tokens         = (deft_threshold){.is_set = true, .value = 50000};
    settings->threshold_permyriad      = (deft_threshold){.is_set = true, .value = 500};
    settings->listing                  = DEFT_LISTING_FULL;
    settings->listing_budget_tokens    = unbudgeted_listing_tokens;
    settings->ranking                  = DEFT_RANKING_BM25;
    settings->matching_threshold_milli = 1500;
    settings->is_fallback_listed       = false;
    settings->style                    = DEFT_STYLE_LOAD;
}

void deft_settings_init(deft_settings *settings, deft_preset preset)
{
    init_deft(settings);
    settings->preset = preset;
    switch (preset) {
    case DEFT_PRESET_DEFT:
        break;
    case DEFT_PRESET_PIZZAPI:
        init_pizzapi(settings);
        break;
    case DEFT_PRESET_PRAISONAI:
        init_praisonai(settings);
        break;
    case DEFT_PRESET_CLAUDE_SDK:
        init_claude_sdk(settings);
        break;
    case DEFT_PRESET_CLAUDE_CODE:
        init_claude_code(settings);
        break;
    case DEFT_PRESET_KIRO:
        init_kiro(settings);
        break;
    }
}

// The words of an enum, in the order of its values.
#define WORD_COUNT(words) (sizeof(words) / sizeof((words)[0]))

static const char *const preset_words[]  = {"deft",       "pizzapi",     "praisonai",
                                            "claude-sdk", "claude-code", "kiro"};
static const char *const mode_words[]    = {"off", "on", "auto"};
static const char *const defer_words[]   = {"all", "overflow"};
static const char *const style_words[]   = {"auto", "bridge", "load"};
static const char *const call_words[]    = {"one", "by-effect"};
static const char *const ranking_words[] = {"hybrid", "bm25", "keyword", "regex"};
static const char *const listing_words[] = {"full",       "short",   "names",
                                            "categories", "servers", "none"};

static const char *word_of(const char *const *words, size_t count, unsigned value)
{
    return value < count ? words[value] : "unknown";
}

static bool value_of(const char *const *words, size_t count, deft_view word, unsigned *value)
{
    for (unsigned i = 0; i < count; i++) {
        if (deft_view_equals(word, words[i])) {
            *value = i;
            return true;
        }
    }
    return false;
}

const char *deft_preset_name(deft_preset preset)
{
    return word_of(preset_words, WORD_COUNT(preset_words), preset);
}

bool deft_preset_from_name(deft_view name, deft_preset *preset)
{
    unsigned value = 0;
    if (!value_of(preset_words, WORD_COUNT(preset_words), name, &value)) {
        return false;
    }
    *preset = (deft_preset)value;
    return true;
}

const char *deft_mode_name(deft_mode mode)
{
    return word_of(mode_words, WORD_COUNT(mode_words), mode);
}

const char *deft_defer_name(deft_defer defer)
{
    return word_of(defer_words, WORD_COUNT(defer_words), defer);
}

bool deft_defer_from_name(deft_view name, deft_defer *defer)
{
    unsigned value = 0;
    if (!value_of(defer_words, WORD_COUNT(defer_words), name, &value)) {
        return false;
    }
    *defer = (deft_defer)value;
    return true;
}

const char *deft_style_name(deft_style style)
{
    return word_of(style_words, WORD_COUNT(style_words), style);
}

bool deft_style_from_name(deft_view name, deft_style *style)
{
    unsigned value = 0;
    if (!value_of(style_words, WORD_COUNT(style_words), name, &value)) {
        return false;
    }
    *style = (deft_style)value;
    return true;
}

const char *deft_call_tools_name(deft_call_tools tools)
{
    return word_of(call_words, WORD_COUNT(call_words), tools);
}

bool deft_call_tools_from_name(deft_view name, deft_call_tools *tools)
{
    unsigned value = 0;
    if (!value_of(call_words, WORD_COUNT(call_words), name, &value)) {
        return false;
    }
    *tools = (deft_call_tools)value;
    return true;
}

const char *deft_ranking_name(deft_ranking ranking)
{
    return word_of(ranking_words, WORD_COUNT(ranking_words), ranking);
}

bool deft_ranking_from_name(deft_view name, deft_ranking *ranking)
{
    unsigned value = 0;
    if (!value_of(ranking_words, WORD_COUNT(ranking_words), name, &value)) {
        return false;
    }
    *ranking = (deft_ranking)value;
    return true;
}

const char *deft_listing_level_name(deft_listing_level level)
{
    return word_of(listing_words, WORD_COUNT(listing_words), level);
}

bool deft_listing_level_from_name(deft_view name, deft_listing_level *level)
{
    unsigned value = 0;
    if (!value_of(listing_words, WORD_COUNT(listing_words), name, &value)) {
        return false;
    }
    *level = (deft_listing_level)value;
    return true;
}

bool deft__settings_use_model(const deft_settings *settings)
{
    return settings->ranking == DEFT_RANKING_HYBRID &&
           (settings->language.size == 0 || deft_view_equals(settings->language, "english"));
}
