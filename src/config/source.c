#include "config/source.h"

#include "base/memory.h"

deft__source *deft__source_new(deft_layer layer, deft_view name, const deft_allocator *allocator)
{
    deft__source *source = deft__new(allocator, sizeof *source);
    if (source == NULL) {
        return NULL;
    }
    source->layer = layer;
    deft__arena_init(&source->arena, allocator);
    if (!deft__arena_copy(&source->arena, name, &source->name)) {
        deft__source_free(source);
        return NULL;
    }
    return source;
}

void deft__source_free(deft__source *source)
{
    if (source == NULL) {
        return;
    }
    const deft_allocator *allocator = source->arena.allocator;
    deft__free(allocator, source->assignments,
               source->assignment_capacity * sizeof *source->assignments);
    deft__free(allocator, source->servers, source->server_capacity * sizeof *source->servers);
    deft__free(allocator, source->warnings, source->warning_capacity * sizeof *source->warnings);
    deft__arena_clear(&source->arena);
    deft__free(allocator, source, sizeof *source);
}

bool deft__source_assign(deft__source *source, const deft__assignment *assignment)
{
    void *items = source->assignments;
    if (!deft__grow(source->arena.allocator, &items, &source->assignment_capacity,
                    source->assignment_count, sizeof *source->assignments)) {
        return false;
    }
    source->assignments                             = items;
    source->assignments[source->assignment_count++] = *assignment;
    return true;
}

bool deft__source_add_value(deft__source *source, deft__key_match match,
                            const deft__assignment *assignment)
{
    deft__assignment explicit = *assignment;
    explicit.key              = match.key;
    explicit.rank |= DEFT__RANK_EXPLICIT;

    deft__assignment implied = *assignment;
    bool             implies = false;
    if (match.is_for_default_too) {
        implied.key = DEFT__KEY_RESULTS_DEFAULT;
        implies     = true;
    } else if (match.key == DEFT__KEY_ENABLED && assignment->value.is_percented) {
        implied.key   = DEFT__KEY_MIN_PCT;
        implied.value = (deft__value){.number = assignment->value.permyriad};
        implies       = true;
    }
    return deft__source_assign(source, &explicit) &&
           (!implies || deft__source_assign(source, &implied));
}

bool deft__source_add_server(deft__source *source, const deft__source_server *server)
{
    void *items = source->servers;
    if (!deft__grow(source->arena.allocator, &items, &source->server_capacity, source->server_count,
                    sizeof *source->servers)) {
        return false;
    }
    source->servers                         = items;
    source->servers[source->server_count++] = *server;
    return true;
}

bool deft__source_warn(deft__source *source, size_t line, const char *message)
{
    if (source->warning_count > DEFT__WARNINGS_MAX) {
        return true;
    }
    if (source->warning_count == DEFT__WARNINGS_MAX) {
        message = "there is more of this kind, which is not shown";
    }
    void        *items   = source->warnings;
    deft_warning warning = {.place = source->name, .line = line};
    if (!deft__arena_copy(&source->arena, deft_view_of(message), &warning.message) ||
        !deft__grow(source->arena.allocator, &items, &source->warning_capacity,
                    source->warning_count, sizeof *source->warnings)) {
        return false;
    }
    source->warnings                          = items;
    source->warnings[source->warning_count++] = warning;
    return true;
}
