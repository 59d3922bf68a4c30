// What each preset says, held against the sentences of the product's own document. Proves E6 as far
// as settings carry it, and A2, A7 and C2 for their defaults.
#include "core/settings/settings.h"

#include "support/test.h"

// One sentence of a document and whether the settings agree.
typedef struct fact {
    const char *sentence;
    bool        is_so;
} fact;

static void check_facts(const fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        case_name(facts[i].sentence);
        assert_true(facts[i].is_so);
    }
}

static bool is_threshold(deft_threshold threshold, uint64_t value)
{
    return threshold.is_set && threshold.value == value;
}

static bool has_no_core(const deft_settings *s)
{
    return s->is_core_tools_set && s->core_tool_count == 0;
}

static void deft_itself(void **state)
{
    (void)state;
    deft_settings s;
    deft_settings_init(&s, DEFT_PRESET_DEFT);
    const fact facts[] = {
        {"it is the preset called deft", s.preset == DEFT_PRESET_DEFT},
        {"auto", s.mode == DEFT_MODE_AUTO},
        {"at 10 % of the window", is_threshold(s.threshold_permyriad, 1000)},
        {"of 200,000 tokens", s.context_window_tokens == 200000},
        {"by no other threshold", !s.threshold_characters.is_set && !s.threshold_tokens.is_set},
        {"past it every deferrable tool is deferred", s.defer == DEFT_DEFER_ALL},
        {"PraisonAI's core set", !s.is_core_tools_set},
        {"the search tool is tool_search", deft_view_equals(s.search_name, "tool_search")},
        {"with tool_describe", deft_view_equals(s.describe_name, "tool_describe")},
        {"and tool_call", deft_view_equals(s.call_name, "tool_call")},
        {"5 results", s.results_default == 5},
        {"20 at most", s.results_max == 20},
        {"descriptions are cut at 1 KB", s.listing_description_size_max == 1024},
        {"instructions are cut at 2 KB", s.listing_instructions_size_max == 2048},
        {"nothing found: the deferred tools are listed", s.is_fallback_listed},
        {"loaded tools stay", s.is_loaded_kept},
        {"servers are connected", !s.is_mcp_disabled},
    };
    check_facts(facts, array_size(facts));
}

static void pizzapi(void **state)
{
    (void)state;
    deft_settings s;
    deft_settings_init(&s, DEFT_PRESET_PIZZAPI);
    const fact facts[] = {
        {"enabled: false", s.mode == DEFT_MODE_OFF},
        {"tokenThreshold: 10000 characters", is_threshold(s.threshold_characters, 10000)},
        {"no other threshold", !s.threshold_tokens.is_set && !s.threshold_permyriad.is_set},
        {"maxResults: 5", s.results_default == 5 && s.results_max == 5},
        {"keepLoadedTools: true", s.is_loaded_kept},
        {"all MCP tools are removed", s.defer == DEFT_DEFER_ALL && has_no_core(&s)},
        {"the agent receives search_tools", deft_view_equals(s.search_name, "search_tools")},
        {"whose one parameter is query", s.search_parameters == DEFT_PARAMETER_QUERY},
        {"and sees no list of what is deferred", s.listing == DEFT_LISTING_NONE},
        {"keyword scoring", s.ranking == DEFT_RANKING_KEYWORD},
        {"no matches: a fallback list", s.is_fallback_listed},
        {"matched tools join the active tool set", s.style == DEFT_STYLE_LOAD},
    };
    check_facts(facts, array_size(facts));
}

static void praisonai(void **state)
{
    (void)state;
    deft_settings s;
    deft_settings_init(&s, DEFT_PRESET_PRAISONAI);
    const fact facts[] = {
        {"tool_search=False, the default", s.mode == DEFT_MODE_OFF},
        {"threshold_pct: 10.0", is_threshold(s.threshold_permyriad, 1000)},
        {"no other threshold", !s.threshold_tokens.is_set && !s.threshold_characters.is_set},
        {"search_default_limit: 5", s.results_default == 5},
        {"max_search_limit: 20", s.results_max == 20},
        {"core_tools: None, so its own list", !s.is_core_tools_set},
        {"tool_search(query, limit)",
         deft_view_equals(s.search_name, "tool_search") &&
             s.search_parameters == (DEFT_PARAMETER_QUERY | DEFT_PARAMETER_LIMIT)},
        {"tool_describe(tool_name)", deft_view_equals(s.describe_name, "tool_describe")},
        {"tool_call(tool_name, tool_args)", deft_view_equals(s.call_name, "tool_call")},
        {"three tools visible", s.style == DEFT_STYLE_BRIDGE && s.listing == DEFT_LISTING_NONE},
        {"BM25 search", s.ranking == DEFT_RANKING_BM25},
    };
    check_facts(facts, array_size(facts));
}

static void claude_sdk(void **state)
{
    (void)state;
    deft_settings s;
    deft_settings_init(&s, DEFT_PRESET_CLAUDE_SDK);
    const fact facts[] = {
        {"by default, tool search is always on", s.mode == DEFT_MODE_ON},
        {"auto: if they exceed 10 %", is_threshold(s.threshold_permyriad, 1000)},
        {"tool definitions are never loaded", s.defer == DEFT_DEFER_ALL && has_no_core(&s)},
        {"the agent receives a summary", s.listing == DEFT_LISTING_CATEGORIES},
        {"the 3-5 most relevant tools are loaded", s.results_max == 5},
        {"where they stay available for subsequent turns",
         s.is_loaded_kept && s.style == DEFT_STYLE_LOAD},
    };
    check_facts(facts, array_size(facts));
}

static void claude_code(void **state)
{
    (void)state;
    deft_settings s;
    deft_settings_init(&s, DEFT_PRESET_CLAUDE_CODE);
    const fact facts[] = {
        {"everything deferred is the default", s.mode == DEFT_MODE_ON && has_no_core(&s)},
        {"auto: within 10 % of context", is_threshold(s.threshold_permyriad, 1000)},
        {"the overflow is deferred", s.defer == DEFT_DEFER_OVERFLOW},
        {"an internal tool, ToolSearch", deft_view_equals(s.search_name, "ToolSearch")},
        {"only the tool names and each server's instructions", s.listing == DEFT_LISTING_NAMES},
        {"truncated at 2KB", s.listing_instructions_size_max == 2048},
        {"the full schema enters context", s.style == DEFT_STYLE_LOAD},
    };
    check_facts(facts, array_size(facts));
}

static void kiro(void **state)
{
    (void)state;
    deft_settings s;
    deft_settings_init(&s, DEFT_PRESET_KIRO);
    const fact facts[] = {
        {"toolSearch.enabled: false", s.mode == DEFT_MODE_OFF},
        {"toolSearch.minPct: 5", is_threshold(s.threshold_permyriad, 500)},
        {"toolSearch.minTokens: 50000", is_threshold(s.threshold_tokens, 50000)},
        {"no threshold in characters", !s.threshold_characters.is_set},
        {"MCP tools are deferred", s.defer == DEFT_DEFER_ALL && has_no_core(&s)},
        {"server_name::tool_name: description", s.listing == DEFT_LISTING_FULL},
        {"descriptions are truncated to 1KB", s.listing_description_size_max == 1024},
        {"tool name: tool_search", deft_view_equals(s.search_name, "tool_search")},
        {"tool_id, query, max_results",
         s.search_parameters ==
             (DEFT_PARAMETER_QUERY | DEFT_PARAMETER_TOOL_ID | DEFT_PARAMETER_MAX_RESULTS)},
        {"max_results, default: 5", s.results_default == 5},
        {"BM25 relevance scoring", s.ranking == DEFT_RANKING_BM25},
        {"the default threshold is 1.5", s.matching_threshold_milli == 1500},
        {"only results above it are returned", !s.is_fallback_listed},
        {"schemas are included in subsequent requests", s.style == DEFT_STYLE_LOAD},
    };
    check_facts(facts, array_size(facts));
}

// Proves a part of A7: every name of the document's table, and no other.
static void the_core_set(void **state)
{
    (void)state;
    static const char *const names[] = {
        "read_file",       "write_file",   "list_files",      "get_file_info",   "copy_file",
        "move_file",       "delete_file",  "execute_command", "list_processes",  "kill_process",
        "get_system_info", "search_web",   "web_search",      "internet_search", "web_crawl",
        "crawl_web",       "schedule_add", "schedule_list",   "schedule_remove", "store_memory",
        "search_memory",   "clarify",
    };
    size_t           count = 0;
    const deft_view *core  = deft_core_tools(&count);
    assert_int_equal(count, array_size(names));
    for (size_t i = 0; i < count; i++) {
        assert_view_equal(core[i], names[i]);
    }
}

// For one enum: every value has a word of its own that leads back to it, and a strange word leaves
// the value alone. `TYPE` is both the enum and the stem of its two functions.
#define check_words(TYPE, LAST)                                                                    \
    do {                                                                                           \
        for (unsigned i = 0; i <= (unsigned)(LAST); i++) {                                         \
            TYPE value = (TYPE)((unsigned)(LAST)-i);                                               \
            assert_true(TYPE##_from_name(deft_view_of(TYPE##_name((TYPE)i)), &value));             \
            assert_int_equal(value, i);                                                            \
        }                                                                                          \
        TYPE value = (LAST);                                                                       \
        assert_false(TYPE##_from_name(deft_view_of("no such word"), &value));                      \
        assert_false(TYPE##_from_name(deft_view_make(NULL, 0), &value));                           \
        assert_int_equal(value, (LAST));                                                           \
        assert_string_equal(TYPE##_name((TYPE)((unsigned)(LAST) + 1)), "unknown");                 \
    } while (0)

static void words_lead_back_to_their_values(void **state)
{
    (void)state;
    check_words(deft_preset, DEFT_PRESET_KIRO);
    check_words(deft_defer, DEFT_DEFER_OVERFLOW);
    check_words(deft_style, DEFT_STYLE_LOAD);
    check_words(deft_ranking, DEFT_RANKING_REGEX);
    check_words(deft_listing_level, DEFT_LISTING_NONE);
    assert_string_equal(deft_mode_name(DEFT_MODE_OFF), "off");
    assert_string_equal(deft_mode_name(DEFT_MODE_ON), "on");
    assert_string_equal(deft_mode_name(DEFT_MODE_AUTO), "auto");
    assert_string_equal(deft_preset_name(DEFT_PRESET_CLAUDE_CODE), "claude-code");
}

static void a_model_counts_in_hybrid_and_english(void **state)
{
    (void)state;
    static const struct {
        const char  *name;
        deft_ranking ranking;
        const char  *language;
        bool         is_used;
    } cases[] = {
        {"as it comes", DEFT_RANKING_HYBRID, "english", true},
        {"no language is English", DEFT_RANKING_HYBRID, "", true},
        {"its rows are English stems", DEFT_RANKING_HYBRID, "german", false},
        {"words alone", DEFT_RANKING_BM25, "english", false},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const deft_settings settings = {.ranking  = cases[i].ranking,
                                        .language = deft_view_of(cases[i].language)};
        assert_int_equal(deft__settings_use_model(&settings), cases[i].is_used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deft_itself),
        cmocka_unit_test(pizzapi),
        cmocka_unit_test(praisonai),
        cmocka_unit_test(claude_sdk),
        cmocka_unit_test(claude_code),
        cmocka_unit_test(kiro),
        cmocka_unit_test(the_core_set),
        cmocka_unit_test(words_lead_back_to_their_values),
        cmocka_unit_test(a_model_counts_in_hybrid_and_english),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
