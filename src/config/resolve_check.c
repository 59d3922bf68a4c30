// Checks over settings that are joined: what contradicts itself, and what has no effect.
#include "base/fail.h"
#include "config/read.h"
#include "config/resolve_private.h"

// A search cannot give more by default than at most. Where only the maximum was lowered the
// default follows it; where the default itself asks for more, someone has to decide.
static deft_status check_results(deft__joining *resolution)
{
    deft_settings           *settings   = &resolution->resolved->settings;
    deft_config_entry       *by_default = &resolution->resolved->entries[DEFT__KEY_RESULTS_DEFAULT];
    const deft_config_entry *at_most    = &resolution->resolved->entries[DEFT__KEY_RESULTS_MAX];
    deft__place_text         first_place;
    deft__place_text         second_place;
    if (settings->results_default <= settings->results_max) {
        return DEFT_OK;
    }
    if (at_most->layer <= by_default->layer) {
        return deft__fail(resolution->error, DEFT_CONFLICT, 0,
                          "toolSearch.resultsDefault is %u (%s) but toolSearch.resultsMax is only "
                          "%u (%s); lower one or raise the other",
                          settings->results_default, deft__show_entry(&first_place, by_default),
                          settings->results_max, deft__show_entry(&second_place, at_most));
    }
    settings->results_default = settings->results_max;
    by_default->layer         = at_most->layer;
    by_default->place         = at_most->place;
    by_default->line          = at_most->line;
    return DEFT_OK;
}

static deft_status check_names(deft__joining *resolution)
{
    static const deft__key keys[]   = {DEFT__KEY_SEARCH_NAME, DEFT__KEY_DESCRIBE_NAME,
                                       DEFT__KEY_CALL_NAME, DEFT__KEY_CALL_READ_ONLY_NAME};
    const deft_settings   *settings = &resolution->resolved->settings;
    const deft_view names[] = {settings->search_name, settings->describe_name, settings->call_name,
                               settings->call_read_only_name};
    const size_t    count   = settings->call_tools == DEFT_CALL_TOOLS_BY_EFFECT ? 4 : 3;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            const deft_config_entry *first  = &resolution->resolved->entries[keys[i]];
            const deft_config_entry *second = &resolution->resolved->entries[keys[j]];
            deft__place_text         first_place;
            deft__place_text         second_place;
            if (deft_view_equal(names[i], names[j])) {
                return deft__fail(resolution->error, DEFT_CONFLICT, 0,
                                  "%s (%s) and %s (%s) are both '%.*s'; each tool needs a name of "
                                  "its own",
                                  first->key, deft__show_entry(&first_place, first), second->key,
                                  deft__show_entry(&second_place, second), (int)names[i].size,
                                  names[i].data);
            }
        }
    }
    return DEFT_OK;
}

static deft_status check_parameters(deft__joining *resolution)
{
    const unsigned   both = DEFT_PARAMETER_MAX_RESULTS | DEFT_PARAMETER_LIMIT;
    deft__place_text place;
    if ((resolution->resolved->settings.search_parameters & both) != both) {
        return DEFT_OK;
    }
    return deft__fail(
        resolution->error, DEFT_CONFLICT, 0,
        "toolSearch.searchParameters (%s) has both max_results and limit, which are one; keep one",
        deft__show_entry(&place, &resolution->resolved->entries[DEFT__KEY_SEARCH_PARAMETERS]));
}

// Settings that are allowed but do nothing.
static bool warn_without_effect(deft__joining *resolution)
{
    deft__resolved      *resolved = resolution->resolved;
    const deft_settings *settings = &resolved->settings;
    if (settings->mode == DEFT_MODE_AUTO && !settings->threshold_characters.is_set &&
        !settings->threshold_tokens.is_set && !settings->threshold_permyriad.is_set) {
        const deft_config_entry *entry = &resolved->entries[DEFT__KEY_ENABLED];
        resolved->warnings = deft__arena_array(&resolved->arena, 1, sizeof *resolved->warnings);
        if (resolved->warnings == NULL) {
            return false;
        }
        resolved->warnings[resolved->warning_count++] = (deft_warning){
            .place   = entry->place,
            .line    = entry->line,
            .message = deft_view_of("toolSearch.enabled is auto but no threshold is set, so no "
                                    "tool is deferred; set toolSearch.minPct")};
    }
    return true;
}

deft_status deft__resolve_check(deft__joining *resolution)
{
    deft_status status = check_results(resolution);
    if (status == DEFT_OK) {
        status = check_names(resolution);
    }
    return status == DEFT_OK ? check_parameters(resolution) : status;
}

deft_status deft__resolve_warn(deft__joining *resolution)
{
    return warn_without_effect(resolution) ? DEFT_OK : deft__fail_memory(resolution->error);
}
