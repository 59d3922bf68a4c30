#include "deft/config.h"

#include "base/fail.h"
#include "base/memory.h"
#include "config/read.h"
#include "config/resolve.h"

#include <stdio.h>

struct deft_config {
    deft__source  **sources; // weakest first
    size_t          source_count;
    size_t          source_capacity;
    size_t          group_count; // so far; 0 is what all variables, and all flags, share
    deft_warning   *warnings;    // of the sources, in the order of adding
    size_t          warning_count;
    size_t          warning_capacity;
    deft__resolved *resolved; // NULL before the first resolve
    deft_settings   defaults; // the settings until then

    const deft_allocator *allocator;
};

deft_config *deft_config_new(const deft_allocator *allocator, deft_error *error)
{
    deft_config *config = deft__new(allocator, sizeof *config);
    if (config == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    config->allocator = allocator;
    deft_settings_init(&config->defaults, DEFT_PRESET_DEFT);
    return config;
}

void deft_config_free(deft_config *config)
{
    if (config == NULL) {
        return;
    }
    const deft_allocator *allocator = config->allocator;
    for (size_t i = 0; i < config->source_count; i++) {
        deft__source_free(config->sources[i]);
    }
    deft__free(allocator, config->sources, config->source_capacity * sizeof *config->sources);
    deft__free(allocator, config->warnings, config->warning_capacity * sizeof *config->warnings);
    deft__resolved_free(config->resolved);
    deft__free(allocator, config, sizeof *config);
}

static bool is_stronger(const deft__source *a, const deft__source *b)
{
    return a->layer != b->layer ? a->layer > b->layer : a->group > b->group;
}

static bool reserve_warnings(deft_config *config, size_t count)
{
    while (config->warning_capacity < config->warning_count + count) {
        void *items = config->warnings;
        if (!deft__grow(config->allocator, &items, &config->warning_capacity,
                        config->warning_capacity, sizeof *config->warnings)) {
            return false;
        }
        config->warnings = items;
    }
    return true;
}

// Puts a finished source where its strength says. The source becomes the config's, also when this
// fails.
static deft_status take_source(deft_config *config, deft__source *source, deft_error *error)
{
    void *items = config->sources;
    if (!deft__grow(config->allocator, &items, &config->source_capacity, config->source_count,
                    sizeof *config->sources)) {
        deft__source_free(source);
        return deft__fail_memory(error);
    }
    config->sources = items;
    if (!reserve_warnings(config, source->warning_count)) {
        deft__source_free(source);
        return deft__fail_memory(error);
    }

    size_t at = config->source_count;
    for (; at > 0 && is_stronger(config->sources[at - 1], source); at--) {
        config->sources[at] = config->sources[at - 1];
    }
    config->sources[at] = source;
    config->source_count++;
    for (size_t i = 0; i < source->warning_count; i++) {
        config->warnings[config->warning_count++] = source->warnings[i];
    }
    return DEFT_OK;
}

static deft_status add_text(deft_config *config, deft_layer layer, deft_view name, deft_view text,
                            bool is_value, deft_error *error)
{
    deft__source *source = deft__source_new(layer, name, config->allocator);
    if (source == NULL) {
        return deft__fail_memory(error);
    }
    source->group            = config->group_count + 1;
    const deft_status status = deft__read(source, text, is_value, error);
    if (status != DEFT_OK) {
        deft__source_free(source);
        return status;
    }
    config->group_count++;
    return take_source(config, source, error);
}

deft_status deft_config_add_file(deft_config *config, deft_layer layer, deft_view name,
                                 deft_view text, deft_error *error)
{
    return add_text(config, layer, name, text, false, error);
}

deft_status deft_config_add_value(deft_config *config, deft_layer layer, deft_view name,
                                  deft_view json, deft_error *error)
{
    return add_text(config, layer, name, json, true, error);
}

// One value in text form becomes a source of its own.
typedef struct text_value {
    deft_layer      layer;
    deft__key_match match;
    bool            is_foreign;
    bool            is_true_on;
    deft_view       name; // of the flag or variable
    deft_view       text;
} text_value;

static deft_status add_text_value(deft_config *config, const text_value *value, deft_error *error)
{
    const deft__key_info *info   = deft__key_info_of(value->match.key);
    deft__source         *source = deft__source_new(value->layer, value->name, config->allocator);
    deft__assignment      assignment = {.rank = value->is_foreign ? 0 : DEFT__RANK_OWN};
    if (source == NULL) {
        return deft__fail_memory(error);
    }
    // Of variables the rank decides and of flags the last one, wherever they come from.
    const bool is_file = value->layer < DEFT_LAYER_ENVIRONMENT;
    source->group      = is_file ? config->group_count + 1 : 0;
    assignment.name    = source->name;

    deft__quoted quoted_name;
    deft__quoted quoted_text;
    deft_status  status = deft__value_from_text(value->match.key, value->text, value->is_true_on,
                                                &source->arena, &assignment.value);
    if (status == DEFT_INVALID) {
        deft__fail(error, DEFT_INVALID, 0, "%s is \"%s\"; accepted: %s",
                   value->name.size > 0 ? deft__reader_show(&quoted_name, value->name) : info->name,
                   deft__reader_show(&quoted_text, value->text), info->accepts);
    } else if (status != DEFT_OK || !deft__source_add_value(source, value->match, &assignment)) {
        status = deft__fail_memory(error);
    }
    if (status != DEFT_OK) {
        deft__source_free(source);
        return status;
    }
    config->group_count += is_file ? 1 : 0;
    return take_source(config, source, error);
}

// A variable that is nearly one of ours is more likely a slip than nothing.
static deft_status warn_variable(deft_config *config, deft_view name, deft_error *error)
{
    const deft__key nearest = deft__key_nearest_variable(name);
    if (nearest == DEFT__KEY_COUNT) {
        return DEFT_OK;
    }
    char         variable[DEFT__VARIABLE_SIZE_MAX];
    char         message[160];
    deft__quoted quoted;
    deft__key_variable_name(nearest, variable);
    (void)snprintf(message, sizeof message, "unknown variable %s; did you mean %s?",
                   deft__reader_show(&quoted, name), variable);
    deft__source *source = deft__source_new(DEFT_LAYER_ENVIRONMENT, name, config->allocator);
    if (source == NULL || !deft__source_warn(source, 0, message)) {
        deft__source_free(source);
        return deft__fail_memory(error);
    }
    return take_source(config, source, error);
}

deft_status deft_config_add_variable(deft_config *config, deft_view name, deft_view value,
                                     deft_error *error)
{
    deft__key_variable variable;
    if (!deft__key_find_variable(name, &variable)) {
        return warn_variable(config, name, error);
    }
    if (value.size == 0) {
        return DEFT_OK; // as in a shell, empty is as good as unset
    }
    const text_value given = {
        .layer      = DEFT_LAYER_ENVIRONMENT,
        .match      = {.key = variable.key},
        .is_foreign = variable.is_foreign,
        .is_true_on = variable.is_true_on,
        .name       = name,
        .text       = value,
    };
    return add_text_value(config, &given, error);
}

deft_status deft_config_set(deft_config *config, deft_layer layer, deft_view key, deft_view value,
                            deft_view place, deft_error *error)
{
    text_value given = {.layer = layer, .name = place, .text = value};
    if (!deft__key_find(DEFT__PLACE_PATH, key, &given.match)) {
        return deft__key_fail_unknown(key, error);
    }
    return add_text_value(config, &given, error);
}

deft_status deft_config_resolve(deft_config *config, deft_error *error)
{
    deft__resolved *resolved = NULL;
    deft_status     status =
        deft__resolve(config->sources, config->source_count, config->allocator, &resolved, error);
    if (status == DEFT_OK) {
        deft__resolved_free(config->resolved);
        config->resolved = resolved;
    }
    return status;
}

const deft_settings *deft_config_settings(const deft_config *config)
{
    return config->resolved != NULL ? &config->resolved->settings : &config->defaults;
}

size_t deft_config_entry_count(const deft_config *config)
{
    (void)config;
    return DEFT__KEY_COUNT;
}

deft_config_entry deft_config_entry_at(const deft_config *config, size_t index)
{
    if (config->resolved != NULL) {
        return config->resolved->entries[index];
    }
    const deft__key_info *info = deft__key_info_of((deft__key)index);
    return (deft_config_entry){
        .key = info->name, .description = info->description, .accepts = info->accepts};
}

deft_status deft_config_find_entry(const deft_config *config, deft_view key,
                                   deft_config_entry *entry, deft_error *error)
{
    deft__key_match match;
    if (!deft__key_find(DEFT__PLACE_PATH, key, &match)) {
        return deft__key_fail_unknown(key, error);
    }
    *entry = deft_config_entry_at(config, match.key);
    return DEFT_OK;
}

deft_status deft_config_write_origin(const deft_config_entry *entry, deft_buffer *out)
{
    switch (entry->layer) {
    case DEFT_LAYER_DEFAULT:
        deft_buffer_append_text(out, "default");
        break;
    case DEFT_LAYER_PRESET:
        deft_buffer_append_text(out, "preset ");
        deft_buffer_append(out, entry->place);
        break;
    case DEFT_LAYER_ENVIRONMENT:
        deft_buffer_append_text(out, "the environment variable ");
        deft_buffer_append(out, entry->place);
        break;
    case DEFT_LAYER_USER_FILE:
    case DEFT_LAYER_PROJECT_FILE:
    case DEFT_LAYER_COMMAND_LINE:
        deft_buffer_append(out, entry->place);
        if (entry->place.size == 0) {
            deft_buffer_append_text(
                out, entry->layer == DEFT_LAYER_COMMAND_LINE ? "the command line" : "a file");
        }
        if (entry->line > 0) {
            deft_buffer_append_byte(out, ':');
            deft_buffer_append_u64(out, entry->line);
        }
        break;
    }
    return out->status;
}

size_t deft_config_server_count(const deft_config *config)
{
    return config->resolved != NULL ? config->resolved->server_count : 0;
}

const deft_server_config *deft_config_server(const deft_config *config, size_t index)
{
    return &config->resolved->servers[index];
}

size_t deft_config_token_count(const deft_config *config)
{
    return config->resolved != NULL ? config->resolved->token_count : 0;
}

const deft_token_config *deft_config_token(const deft_config *config, size_t index)
{
    return &config->resolved->tokens[index];
}

bool deft_config_has_tokens(const deft_config *config)
{
    return config->resolved != NULL && config->resolved->has_tokens;
}

size_t deft_config_warning_count(const deft_config *config)
{
    return config->warning_count + (config->resolved != NULL ? config->resolved->warning_count : 0);
}

const deft_warning *deft_config_warning(const deft_config *config, size_t index)
{
    return index < config->warning_count
               ? &config->warnings[index]
               : &config->resolved->warnings[index - config->warning_count];
}
