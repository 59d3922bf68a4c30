#include "config/resolve.h"

#include "base/fail.h"
#include "base/memory.h"
#include "config/read.h"
#include "config/resolve_private.h"

#include <stdio.h>

static bool beats(deft__candidate a, deft__candidate b)
{
    if (a.source->layer != b.source->layer) {
        return a.source->layer > b.source->layer;
    } else if (a.source->group != b.source->group) {
        return a.source->group > b.source->group;
    } else {
        return a.assignment->rank >= b.assignment->rank; // else the later one
    }
}

static void choose_winners(deft__joining *resolution)
{
    for (size_t i = 0; i < resolution->source_count; i++) {
        const deft__source *source = resolution->sources[i];
        for (size_t j = 0; j < source->assignment_count; j++) {
            const deft__candidate next   = {source, &source->assignments[j]};
            deft__candidate      *winner = &resolution->winners[next.assignment->key];
            if (winner->source == NULL || beats(next, *winner)) {
                *winner = next;
            }
        }
    }
}

const char *deft__show_place(deft__place_text *place, deft_view name, size_t line)
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

const char *deft__show_entry(deft__place_text *place, const deft_config_entry *entry)
{
    return deft__show_place(place, entry->place, entry->line);
}

// One file says the same thing twice under two names, and not the same.
static deft_status check_twice_said(deft__joining *resolution, deft__candidate winner)
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
            deft__place_text first_place;
            deft__place_text second_place;
            deft__quoted     first_name;
            deft__quoted     second_name;
            return deft__fail(resolution->error, DEFT_CONFLICT, 0,
                              "%s (%s) and %s (%s) contradict one another; keep one of them",
                              deft__reader_show(&first_name, other->name),
                              deft__show_place(&first_place, winner.source->name, other->line),
                              deft__reader_show(&second_name, ours->name),
                              deft__show_place(&second_place, winner.source->name, ours->line));
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
static bool has_dictionary(const deft__joining *resolution)
{
    bool is_found = false;
    for (size_t i = 0; i < resolution->source_count; i++) {
        is_found = is_found || resolution->sources[i]->has_dictionary;
    }
    return is_found;
}

static deft_status apply_winners(deft__joining *resolution)
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
        const deft__candidate winner = resolution->winners[i];
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

static deft_status choose_server(deft__joining *resolution, const deft__source_server *server)
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

static deft_status choose_servers(deft__joining *resolution)
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

// Entries.

static bool write_entry_value(deft__joining *resolution, deft__key key)
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

static void set_origin(deft__joining *resolution, deft__key key)
{
    const deft__candidate winner = resolution->winners[key];
    deft_config_entry    *entry  = &resolution->resolved->entries[key];
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

static bool set_preset_origins(deft__joining *resolution)
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

static deft_status set_origins(deft__joining *resolution)
{
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        set_origin(resolution, (deft__key)i);
    }
    return set_preset_origins(resolution) ? DEFT_OK : deft__fail_memory(resolution->error);
}

static deft_status write_entry_values(deft__joining *resolution)
{
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        if (!write_entry_value(resolution, (deft__key)i)) {
            return deft__fail_memory(resolution->error);
        }
    }
    return DEFT_OK;
}

static deft_status choose_tokens(deft__joining *resolution)
{
    return deft__resolve_tokens(resolution->sources, resolution->source_count, resolution->resolved,
                                resolution->error);
}

static void name_entries(deft__joining *resolution)
{
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        const deft__key_info *info       = deft__key_info_of((deft__key)i);
        resolution->resolved->entries[i] = (deft_config_entry){
            .key = info->name, .description = info->description, .accepts = info->accepts};
    }
}

typedef deft_status (*step)(deft__joining *resolution);

// Checks come late: they speak of what was joined, and of where it came from.
static const step steps[] = {
    apply_winners,
    choose_servers,
    deft__resolve_rules,
    deft__resolve_denials,
    deft__resolve_server_tools,
    choose_tokens,
    set_origins,
    deft__resolve_check,
    write_entry_values,
    deft__resolve_warn,
};

static deft_status resolve_into(deft__joining *resolution)
{
    deft_status status = DEFT_OK;
    name_entries(resolution);
    choose_winners(resolution);
    for (size_t i = 0; status == DEFT_OK && i < sizeof steps / sizeof steps[0]; i++) {
        status = steps[i](resolution);
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
    deft__joining resolution = {
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
