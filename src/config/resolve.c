#include "config/resolve.h"

#include "base/fail.h"
#include "base/map.h"
#include "base/memory.h"
#include "config/read.h"

#include <stdio.h>
#include <stdlib.h>

// A value and who said it.
typedef struct candidate {
    const deft__source     *source;
    const deft__assignment *assignment;
} candidate;

typedef struct joining {
    deft__source *const        *sources; // weakest first
    size_t                      source_count;
    deft__resolved             *resolved;
    candidate                   winners[DEFT__KEY_COUNT];
    const deft__source_server **servers; // those chosen, as in resolved->servers
    deft__map                   server_by_name;
    deft_error                 *error;
} joining;

static bool beats(candidate a, candidate b)
{
    if (a.source->layer != b.source->layer) {
        return a.source->layer > b.source->layer;
    } else if (a.source->group != b.source->group) {
        return a.source->group > b.source->group;
    } else {
        return a.assignment->rank >= b.assignment->rank; // else the later one
    }
}

static void choose_winners(joining *resolution)
{
    for (size_t i = 0; i < resolution->source_count; i++) {
        const deft__source *source = resolution->sources[i];
        for (size_t j = 0; j < source->assignment_count; j++) {
            const candidate next   = {source, &source->assignments[j]};
            candidate      *winner = &resolution->winners[next.assignment->key];
            if (winner->source == NULL || beats(next, *winner)) {
                *winner = next;
            }
        }
    }
}

// "config.json:7", "ENABLE_TOOL_SEARCH", "--min-pct".
typedef struct place_text {
    char text[128];
} place_text;

static const char *show_place(place_text *place, deft_view name, size_t line)
{
    deft__quoted quoted;
    const size_t size_max = 60;
    const size_t from     = name.size > size_max ? name.size - size_max : 0;
    deft__quote(&quoted, deft_view_slice(name, from, size_max));
    if (line > 0) {
        (void)snprintf(place->text, sizeof place->text, "%s:%zu", quoted.text, line);
    } else {
        (void)snprintf(place->text, sizeof place->text, "%s",
                       name.size > 0 ? quoted.text : "default");
    }
    return place->text;
}

static const char *show_entry(place_text *place, const deft_config_entry *entry)
{
    return show_place(place, entry->place, entry->line);
}

// One file says the same thing twice under two names, and not the same.
static deft_status check_twice_said(joining *resolution, candidate winner)
{
    for (size_t i = 0; i < winner.source->assignment_count; i++) {
        const deft__assignment *other = &winner.source->assignments[i];
        const deft__assignment *ours  = winner.assignment;
        const bool              is_duplicate =
            other->object == ours->object && deft_view_equal(other->name, ours->name);
        // "auto:5" beside minPct 20; PizzaPi's maxResults leaves room for a default of its own.
        const bool is_rival = other->rank == ours->rank ||
                              (ours->key == DEFT__KEY_MIN_PCT && other->rank >= DEFT__RANK_OWN);
        if (other != ours && other->key == ours->key && is_rival && !is_duplicate &&
            !deft__value_equal(&other->value, &ours->value)) {
            place_text   first_place;
            place_text   second_place;
            deft__quoted first_name;
            deft__quoted second_name;
            return deft__fail(resolution->error, DEFT_CONFLICT, 0,
                              "%s (%s) and %s (%s) contradict one another; keep one of them",
                              deft__reader_show(&first_name, other->name),
                              show_place(&first_place, winner.source->name, other->line),
                              deft__reader_show(&second_name, ours->name),
                              show_place(&second_place, winner.source->name, ours->line));
        }
    }
    return DEFT_OK;
}

static bool is_rules(unsigned key)
{
    return deft__key_info_of((deft__key)key)->kind == DEFT__KIND_RULES;
}

// Whether what several sources say adds up, instead of one of them winning.
static bool is_joined(unsigned key)
{
    return is_rules(key) || key == DEFT__KEY_PERMISSIONS_DENY;
}

// PraisonAI is off where nothing is said, and auto where a dictionary is given that does not say.
static bool has_dictionary(const joining *resolution)
{
    bool is_found = false;
    for (size_t i = 0; i < resolution->source_count; i++) {
        is_found = is_found || resolution->sources[i]->has_dictionary;
    }
    return is_found;
}

static deft_status apply_winners(joining *resolution)
{
    deft_settings *settings = &resolution->resolved->settings;
    deft_preset    preset   = DEFT_PRESET_DEFT;
    if (resolution->winners[DEFT__KEY_PRESET].source != NULL) {
        preset = (deft_preset)resolution->winners[DEFT__KEY_PRESET].assignment->value.number;
    }
    deft_settings_init(settings, preset);
    if (preset == DEFT_PRESET_PRAISONAI && has_dictionary(resolution)) {
        settings->mode = DEFT_MODE_AUTO;
    }
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        const candidate winner = resolution->winners[i];
        if (winner.source != NULL && !is_joined(i)) {
            const deft_status status = check_twice_said(resolution, winner);
            if (status != DEFT_OK) {
                return status;
            }
            deft__value_apply((deft__key)i, &winner.assignment->value, settings);
        }
    }
    return DEFT_OK;
}

// Servers: the last of a name counts, in the place of the first.

// `deft serve` without anything more: ourselves. An agent's file that we read too (.mcp.json) has that
// entry; behind the gateway it would start another gateway, that one the next, and so on.
static bool is_ourselves(const deft_server_config *server)
{
    const deft_view name = DEFT_VIEW_INIT("deft");
    const deft_view path = server->command;
    return path.size >= name.size &&
           deft_view_equal(deft_view_slice(path, path.size - name.size, name.size), name) &&
           (path.size == name.size || path.data[path.size - name.size - 1] == '/') &&
           server->argument_count == 1 && deft_view_equals(server->arguments[0], "serve");
}

static deft_status choose_server(joining *resolution, const deft__source_server *server)
{
    if (is_ourselves(&server->server)) {
        return DEFT_OK;
    }
    deft__resolved *resolved = resolution->resolved;
    uint32_t        index    = (uint32_t)resolved->server_count;
    if (!deft__map_find(&resolution->server_by_name, server->server.name, &index)) {
        if (!deft__map_put(&resolution->server_by_name, server->server.name, index)) {
            return deft__fail_memory(resolution->error);
        }
        resolved->server_count++;
    }
    resolution->servers[index] = server;
    resolved->servers[index]   = server->server;
    return DEFT_OK;
}

static deft_status choose_servers(joining *resolution)
{
    deft__resolved *resolved = resolution->resolved;
    size_t          count    = 0;
    for (size_t i = 0; i < resolution->source_count; i++) {
        count += resolution->sources[i]->server_count;
    }
    resolution->servers =
        deft__arena_array(&resolved->arena, count + 1, sizeof *resolution->servers);
    resolved->servers = deft__arena_array(&resolved->arena, count + 1, sizeof *resolved->servers);
    if (resolution->servers == NULL || resolved->servers == NULL) {
        return deft__fail_memory(resolution->error);
    }
    for (size_t i = 0; i < resolution->source_count; i++) {
        const deft__source *source = resolution->sources[i];
        for (size_t j = 0; j < source->server_count; j++) {
            const deft_status status = choose_server(resolution, &source->servers[j]);
            if (status != DEFT_OK) {
                return status;
            }
        }
    }
    if (resolved->server_count > DEFT__CONFIG_SERVERS_MAX) {
        return deft__fail(resolution->error, DEFT_LIMIT, 0,
                          "%zu servers in all files, with a limit of %u", resolved->server_count,
                          DEFT__CONFIG_SERVERS_MAX);
    }
    return DEFT_OK;
}

// Rules: the strongest source's come first, since the first that fits decides. Within a source
// what a server says of itself comes before what is said of all.

// The rules that one map, list or server gave.
typedef struct rule_set {
    const deft__source *source;
    const deft_rule    *rules;
    size_t              count;
    size_t              line;
} rule_set;

typedef struct rule_sets {
    rule_set *sets;
    size_t    count;
    size_t    rule_count;
} rule_sets;

static void add_rule_set(rule_sets *sets, rule_set set)
{
    if (set.count > 0) {
        sets->sets[sets->count++] = set;
        sets->rule_count += set.count;
    }
}

// What the servers of a source say, as far as they were chosen. `own_rules` has room for a rule
// of each: that of the server for itself.
static void add_server_sets(const joining *resolution, const deft__source *source, deft__key key,
                            deft_rule *own_rules, rule_sets *sets)
{
    for (size_t i = 0; i < source->server_count; i++) {
        const deft__source_server *server = &source->servers[i];
        uint32_t                   index  = 0;
        if (!deft__map_find(&resolution->server_by_name, server->server.name, &index) ||
            resolution->servers[index] != server) {
            continue;
        }
        if (key == DEFT__KEY_TOOLS) {
            add_rule_set(
                sets, (rule_set){source, server->rules, server->rule_count, server->server.line});
        } else if (server->server.is_defer_set) {
            own_rules[index] = (deft_rule){server->server.name, server->server.is_deferred};
            add_rule_set(sets, (rule_set){source, &own_rules[index], 1, server->server.line});
        }
    }
}

// Whether a name that is twice in one object comes again: only its last value counts.
static bool is_repeated(const deft__source *source, size_t at)
{
    const deft__assignment *assignment = &source->assignments[at];
    for (size_t i = at + 1; i < source->assignment_count; i++) {
        if (source->assignments[i].key == assignment->key &&
            source->assignments[i].object == assignment->object &&
            deft_view_equal(source->assignments[i].name, assignment->name)) {
            return true;
        }
    }
    return false;
}

static bool collect_rule_sets(const joining *resolution, deft__key key, rule_sets *sets)
{
    deft__arena *arena = &resolution->resolved->arena;
    size_t       count = resolution->resolved->server_count + 1;
    for (size_t i = 0; i < resolution->source_count; i++) {
        count += resolution->sources[i]->assignment_count;
    }
    deft_rule *own_rules =
        deft__arena_array(arena, resolution->resolved->server_count + 1, sizeof *own_rules);
    sets->sets = deft__arena_array(arena, count, sizeof *sets->sets);
    if (sets->sets == NULL || own_rules == NULL) {
        return false;
    }
    for (size_t i = resolution->source_count; i-- > 0;) {
        const deft__source *source = resolution->sources[i];
        add_server_sets(resolution, source, key, own_rules, sets);
        for (size_t j = 0; j < source->assignment_count; j++) {
            const deft__assignment *assignment = &source->assignments[j];
            if (assignment->key == key && !is_repeated(source, j)) {
                add_rule_set(sets, (rule_set){source, assignment->value.rules,
                                              assignment->value.rule_count, assignment->line});
            }
        }
    }
    return true;
}

// Two parts of one file want different things for the same pattern.
static deft_status check_rules(joining *resolution, const rule_set *first, bool is_deferred,
                               const rule_set *second, const deft_rule *rule)
{
    if (first->source != second->source || is_deferred == rule->is_deferred || first == second) {
        return DEFT_OK;
    }
    deft__quoted quoted;
    place_text   first_place;
    place_text   second_place;
    return deft__fail(
        resolution->error, DEFT_CONFLICT, 0, "'%s' is %s in %s and %s in %s; keep one of them",
        deft__reader_show(&quoted, rule->pattern), is_deferred ? "deferred" : "pinned",
        show_place(&first_place, first->source->name, first->line),
        rule->is_deferred ? "deferred" : "pinned",
        show_place(&second_place, second->source->name, second->line));
}

// Joins sets, strongest first, into one list. A pattern that is there already could never decide again.
static deft_status join_rule_sets(joining *resolution, const rule_sets *sets,
                                  const deft_rule **joined, size_t *joined_count)
{
    deft__arena     *arena = &resolution->resolved->arena;
    deft_rule       *rules = deft__arena_array(arena, sets->rule_count + 1, sizeof *rules);
    const rule_set **from  = deft__arena_array(arena, sets->rule_count + 1, sizeof *from);
    if (rules == NULL || from == NULL) {
        return deft__fail_memory(resolution->error);
    }
    deft__map by_pattern;
    deft__map_init(&by_pattern, 0, arena->allocator);
    deft_status status = DEFT_OK;
    size_t      count  = 0;
    for (size_t i = 0; i < sets->count && status == DEFT_OK; i++) {
        const rule_set *set = &sets->sets[i];
        for (size_t j = 0; j < set->count && status == DEFT_OK; j++) {
            uint32_t index = 0;
            if (deft__map_find(&by_pattern, set->rules[j].pattern, &index)) {
                status = check_rules(resolution, from[index], rules[index].is_deferred, set,
                                     &set->rules[j]);
            } else if (!deft__map_put(&by_pattern, set->rules[j].pattern, (uint32_t)count)) {
                status = deft__fail_memory(resolution->error);
            } else {
                from[count]    = set;
                rules[count++] = set->rules[j];
            }
        }
    }
    deft__map_clear(&by_pattern);
    *joined       = rules;
    *joined_count = count;
    return status;
}

static deft_status join_rules(joining *resolution, deft__key key, const deft_rule **rules,
                              size_t *count)
{
    rule_sets          sets  = {.count = 0};
    deft_config_entry *entry = &resolution->resolved->entries[key];
    if (!collect_rule_sets(resolution, key, &sets)) {
        return deft__fail_memory(resolution->error);
    }
    if (sets.count > 0) {
        entry->layer = sets.sets[0].source->layer;
        entry->place = sets.sets[0].source->name;
        entry->line  = sets.sets[0].line;
    }
    return join_rule_sets(resolution, &sets, rules, count);
}

// Permissions: what any layer denies stays denied, so a file that comes along with a project cannot
// take back what its user forbade. What is allowed is up to the strongest layer that says so.

// How many denials there are, however often each.
static size_t count_denials(const joining *resolution)
{
    size_t count = 0;
    for (size_t i = 0; i < resolution->source_count; i++) {
        const deft__source *source = resolution->sources[i];
        for (size_t j = 0; j < source->assignment_count; j++) {
            count += source->assignments[j].key == DEFT__KEY_PERMISSIONS_DENY
                         ? source->assignments[j].value.item_count
                         : 0;
        }
    }
    return count;
}

// Adds what is not there yet.
static deft_status add_denials(joining *resolution, candidate from, deft__map *seen,
                               deft_view *items, size_t *count)
{
    const deft__value *value = &from.assignment->value;
    for (size_t i = 0; i < value->item_count; i++) {
        uint32_t place = 0;
        if (deft__map_find(seen, value->items[i], &place)) {
            continue;
        }
        if (!deft__map_put(seen, value->items[i], (uint32_t)*count)) {
            return deft__fail_memory(resolution->error);
        }
        items[(*count)++] = value->items[i];
    }
    return DEFT_OK;
}

static deft_status join_denials(joining *resolution)
{
    deft__resolved *resolved = resolution->resolved;
    candidate      *winner   = &resolution->winners[DEFT__KEY_PERMISSIONS_DENY];
    size_t          count    = 0;
    deft_view      *items =
        deft__arena_array(&resolved->arena, count_denials(resolution) + 1, sizeof *items);
    if (items == NULL) {
        return deft__fail_memory(resolution->error);
    }
    deft__map seen;
    deft__map_init(&seen, 0, resolved->arena.allocator);
    deft_status status = DEFT_OK;
    for (size_t i = resolution->source_count; i-- > 0;) {
        const deft__source *source = resolution->sources[i];
        for (size_t j = 0; j < source->assignment_count && status == DEFT_OK; j++) {
            const candidate next = {source, &source->assignments[j]};
            if (next.assignment->key == DEFT__KEY_PERMISSIONS_DENY && !is_repeated(source, j)) {
                *winner = count == 0 ? next : *winner; // the strongest that denies anything
                status  = add_denials(resolution, next, &seen, items, &count);
            }
        }
    }
    deft__map_clear(&seen);
    resolved->settings.denied_tools      = items;
    resolved->settings.denied_tool_count = count;
    return status;
}

static int compare_server_tools(const void *a, const void *b)
{
    const deft_view first  = ((const deft_server_tools *)a)->server;
    const deft_view second = ((const deft_server_tools *)b)->server;
    const size_t    shared = first.size < second.size ? first.size : second.size;
    const int       order  = memcmp(first.data, second.data, shared);
    return order != 0 ? order : (first.size > second.size) - (first.size < second.size);
}

// What the chosen servers' entries say of their tools.
static deft_status collect_server_tools(joining *resolution)
{
    deft__resolved    *resolved = resolution->resolved;
    deft_server_tools *lists =
        deft__arena_array(&resolved->arena, resolved->server_count + 1, sizeof *lists);
    size_t count = 0;
    if (lists == NULL) {
        return deft__fail_memory(resolution->error);
    }
    for (size_t i = 0; i < resolved->server_count; i++) {
        const deft_server_tools *tools = &resolved->servers[i].tools;
        if (tools->is_included_set || tools->excluded_count > 0) {
            lists[count++] = *tools;
        }
    }
    qsort(lists, count, sizeof *lists, compare_server_tools);
    resolved->settings.server_tools       = lists;
    resolved->settings.server_tools_count = count;
    return DEFT_OK;
}

// Entries.

static bool write_entry_value(joining *resolution, deft__key key)
{
    deft__resolved *resolved = resolution->resolved;
    deft_buffer     buffer;
    deft_buffer_init(&buffer, resolved->arena.allocator);
    deft__value_write_text(key, &resolved->settings, &buffer);
    const bool is_done =
        buffer.status == DEFT_OK && deft__arena_copy(&resolved->arena, deft_buffer_view(&buffer),
                                                     &resolved->entries[key].value);
    deft_buffer_clear(&buffer);
    return is_done;
}

static void set_origin(joining *resolution, deft__key key)
{
    const candidate    winner = resolution->winners[key];
    deft_config_entry *entry  = &resolution->resolved->entries[key];
    if (winner.source != NULL && !is_rules(key)) {
        entry->layer = winner.source->layer;
        entry->place = winner.source->name;
        entry->line  = winner.assignment->line;
    }
}

// What a preset changed comes from it, and the rest is default.
static bool is_same_text(deft__key key, const deft_settings *a, const deft_settings *b,
                         const deft_allocator *allocator, bool *is_same)
{
    deft_buffer first;
    deft_buffer second;
    deft_buffer_init(&first, allocator);
    deft_buffer_init(&second, allocator);
    deft__value_write_text(key, a, &first);
    deft__value_write_text(key, b, &second);
    const bool is_done = first.status == DEFT_OK && second.status == DEFT_OK;
    *is_same           = deft_view_equal(deft_buffer_view(&first), deft_buffer_view(&second));
    deft_buffer_clear(&first);
    deft_buffer_clear(&second);
    return is_done;
}

static bool set_preset_origins(joining *resolution)
{
    const deft_allocator *allocator = resolution->resolved->arena.allocator;
    const deft_preset     preset    = resolution->resolved->settings.preset;
    deft_settings         plain;
    deft_settings         chosen;
    deft_settings_init(&plain, DEFT_PRESET_DEFT);
    deft_settings_init(&chosen, preset);
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        deft_config_entry *entry   = &resolution->resolved->entries[i];
        bool               is_same = true;
        if (!is_same_text((deft__key)i, &plain, &chosen, allocator, &is_same)) {
            return false;
        }
        if (!is_same && entry->layer == DEFT_LAYER_DEFAULT && i != DEFT__KEY_PRESET) {
            entry->layer = DEFT_LAYER_PRESET;
            entry->place = deft_view_of(deft_preset_name(preset));
        }
    }
    return true;
}

// Checks over the joined settings.

// A search cannot give more by default than at most. Where only the maximum was lowered the
// default follows it; where the default itself asks for more, someone has to decide.
static deft_status check_results(joining *resolution)
{
    deft_settings           *settings   = &resolution->resolved->settings;
    deft_config_entry       *by_default = &resolution->resolved->entries[DEFT__KEY_RESULTS_DEFAULT];
    const deft_config_entry *at_most    = &resolution->resolved->entries[DEFT__KEY_RESULTS_MAX];
    place_text               first_place;
    place_text               second_place;
    if (settings->results_default <= settings->results_max) {
        return DEFT_OK;
    }
    if (at_most->layer <= by_default->layer) {
        return deft__fail(resolution->error, DEFT_CONFLICT, 0,
                          "toolSearch.resultsDefault is %u (%s) but toolSearch.resultsMax is only "
                          "%u (%s); lower one or raise the other",
                          settings->results_default, show_entry(&first_place, by_default),
                          settings->results_max, show_entry(&second_place, at_most));
    }
    settings->results_default = settings->results_max;
    by_default->layer         = at_most->layer;
    by_default->place         = at_most->place;
    by_default->line          = at_most->line;
    return DEFT_OK;
}

static deft_status check_names(joining *resolution)
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
            place_text               first_place;
            place_text               second_place;
            if (deft_view_equal(names[i], names[j])) {
                return deft__fail(resolution->error, DEFT_CONFLICT, 0,
                                  "%s (%s) and %s (%s) are both '%.*s'; each tool needs a name of "
                                  "its own",
                                  first->key, show_entry(&first_place, first), second->key,
                                  show_entry(&second_place, second), (int)names[i].size,
                                  names[i].data);
            }
        }
    }
    return DEFT_OK;
}

static deft_status check_parameters(joining *resolution)
{
    const unsigned both = DEFT_PARAMETER_MAX_RESULTS | DEFT_PARAMETER_LIMIT;
    place_text     place;
    if ((resolution->resolved->settings.search_parameters & both) != both) {
        return DEFT_OK;
    }
    return deft__fail(
        resolution->error, DEFT_CONFLICT, 0,
        "toolSearch.searchParameters (%s) has both max_results and limit, which are one; keep one",
        show_entry(&place, &resolution->resolved->entries[DEFT__KEY_SEARCH_PARAMETERS]));
}

// Settings that are allowed but do nothing.
static bool warn_without_effect(joining *resolution)
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

static deft_status resolve_into(joining *resolution)
{
    deft__resolved *resolved = resolution->resolved;
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        const deft__key_info *info = deft__key_info_of((deft__key)i);
        resolved->entries[i]       = (deft_config_entry){
                  .key = info->name, .description = info->description, .accepts = info->accepts};
    }
    choose_winners(resolution);
    deft_status status = apply_winners(resolution);
    if (status == DEFT_OK) {
        status = choose_servers(resolution);
    }
    if (status == DEFT_OK) {
        status = join_rules(resolution, DEFT__KEY_SERVERS, &resolved->settings.server_rules,
                            &resolved->settings.server_rule_count);
    }
    if (status == DEFT_OK) {
        status = join_rules(resolution, DEFT__KEY_TOOLS, &resolved->settings.tool_rules,
                            &resolved->settings.tool_rule_count);
    }
    if (status == DEFT_OK) {
        status = join_denials(resolution);
    }
    if (status == DEFT_OK) {
        status = collect_server_tools(resolution);
    }
    if (status == DEFT_OK) {
        status = deft__resolve_tokens(resolution->sources, resolution->source_count, resolved,
                                      resolution->error);
    }
    if (status != DEFT_OK) {
        return status;
    }
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        set_origin(resolution, (deft__key)i);
    }
    if (!set_preset_origins(resolution)) {
        return deft__fail_memory(resolution->error);
    }
    status = check_results(resolution);
    if (status == DEFT_OK) {
        status = check_names(resolution);
    }
    if (status == DEFT_OK) {
        status = check_parameters(resolution);
    }
    for (unsigned i = 0; status == DEFT_OK && i < DEFT__KEY_COUNT; i++) {
        if (!write_entry_value(resolution, (deft__key)i)) {
            status = deft__fail_memory(resolution->error);
        }
    }
    if (status == DEFT_OK && !warn_without_effect(resolution)) {
        status = deft__fail_memory(resolution->error);
    }
    return status;
}

deft_status deft__resolve(deft__source *const *sources, size_t source_count,
                          const deft_allocator *allocator, deft__resolved **result,
                          deft_error *error)
{
    deft__resolved *resolved = deft__new(allocator, sizeof *resolved);
    if (resolved == NULL) {
        return deft__fail_memory(error);
    }
    joining resolution = {
        .sources = sources, .source_count = source_count, .resolved = resolved, .error = error};
    deft__arena_init(&resolved->arena, allocator);
    deft__map_init(&resolution.server_by_name, 0, allocator);
    const deft_status status = resolve_into(&resolution);
    deft__map_clear(&resolution.server_by_name);
    if (status == DEFT_OK) {
        *result = resolved;
    } else {
        deft__resolved_free(resolved);
    }
    return status;
}

void deft__resolved_free(deft__resolved *resolved)
{
    if (resolved != NULL) {
        const deft_allocator *allocator = resolved->arena.allocator;
        deft__arena_clear(&resolved->arena);
        deft__free(allocator, resolved, sizeof *resolved);
    }
}
