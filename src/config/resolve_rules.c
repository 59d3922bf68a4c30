#include "base/fail.h"
#include "config/read.h"
#include "config/resolve_private.h"

#include <stdlib.h>

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
static void add_server_sets(const deft__joining *resolution, const deft__source *source,
                            deft__key key, deft_rule *own_rules, rule_sets *sets)
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

static bool collect_rule_sets(const deft__joining *resolution, deft__key key, rule_sets *sets)
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
static deft_status check_rules(deft__joining *resolution, const rule_set *first, bool is_deferred,
                               const rule_set *second, const deft_rule *rule)
{
    if (first->source != second->source || is_deferred == rule->is_deferred || first == second) {
        return DEFT_OK;
    }
    deft__quoted     quoted;
    deft__place_text first_place;
    deft__place_text second_place;
    return deft__fail(
        resolution->error, DEFT_CONFLICT, 0, "'%s' is %s in %s and %s in %s; keep one of them",
        deft__reader_show(&quoted, rule->pattern), is_deferred ? "deferred" : "pinned",
        deft__show_place(&first_place, first->source->name, first->line),
        rule->is_deferred ? "deferred" : "pinned",
        deft__show_place(&second_place, second->source->name, second->line));
}

// Joins sets, strongest first, into one list. A pattern that is there already could never decide again.
static deft_status join_rule_sets(deft__joining *resolution, const rule_sets *sets,
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

static deft_status join_rules(deft__joining *resolution, deft__key key, const deft_rule **rules,
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

deft_status deft__resolve_rules(deft__joining *resolution)
{
    deft_settings    *settings = &resolution->resolved->settings;
    const deft_status status   = join_rules(resolution, DEFT__KEY_SERVERS, &settings->server_rules,
                                            &settings->server_rule_count);
    return status == DEFT_OK ? join_rules(resolution, DEFT__KEY_TOOLS, &settings->tool_rules,
                                          &settings->tool_rule_count)
                             : status;
}

// Permissions: what any layer denies stays denied, so a file that comes along with a project cannot
// take back what its user forbade. What is allowed is up to the strongest layer that says so.

// How many denials there are, however often each.
static size_t count_denials(const deft__joining *resolution)
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
static deft_status add_denials(deft__joining *resolution, deft__candidate from, deft__map *seen,
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

deft_status deft__resolve_denials(deft__joining *resolution)
{
    deft__resolved  *resolved = resolution->resolved;
    deft__candidate *winner   = &resolution->winners[DEFT__KEY_PERMISSIONS_DENY];
    size_t           count    = 0;
    deft_view       *items =
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
            const deft__candidate next = {source, &source->assignments[j]};
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
deft_status deft__resolve_server_tools(deft__joining *resolution)
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
