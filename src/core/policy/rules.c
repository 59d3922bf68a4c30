#include "core/policy/rules.h"

#include "base/glob.h"

static bool has_server(deft_view text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i - 1] == ':' && text.data[i] == ':') {
            return true;
        }
    }
    return false;
}

bool deft__rules_init(deft__rules *rules, size_t capacity, deft__arena *arena)
{
    *rules = (deft__rules){.arena = arena};
    // Patterns are the user's own words, not a server's: nobody gains from making them collide.
    deft__map_init(&rules->places, 0, arena->allocator);
    rules->patterns  = deft__arena_array(arena, capacity, sizeof *rules->patterns);
    rules->wildcards = deft__arena_array(arena, capacity, sizeof *rules->wildcards);
    return rules->patterns != NULL && rules->wildcards != NULL;
}

bool deft__rules_add(deft__rules *rules, deft_view pattern)
{
    const uint32_t place = (uint32_t)rules->count;
    deft_view     *copy  = &rules->patterns[place];
    if (!deft__arena_copy(rules->arena, pattern, copy)) {
        return false;
    }
    rules->count++;

    uint32_t first = 0;
    if (deft__glob_is_pattern(*copy)) {
        rules->wildcards[rules->wildcard_count++] = place;
        return true;
    } else if (deft__map_find(&rules->places, *copy, &first)) {
        return true; // an earlier rule says it already
    } else {
        return deft__map_put(&rules->places, *copy, place);
    }
}

void deft__rules_clear(deft__rules *rules)
{
    deft__map_clear(&rules->places);
}

static bool find_name(const deft__rules *rules, deft_view name, deft_view id, uint32_t *place)
{
    uint32_t   by_name  = 0;
    uint32_t   by_id    = 0;
    const bool has_name = !has_server(name) && deft__map_find(&rules->places, name, &by_name);
    const bool has_id   = deft__map_find(&rules->places, id, &by_id);

    if (has_name && has_id) {
        *place = by_name < by_id ? by_name : by_id;
    } else if (has_name) {
        *place = by_name;
    } else if (has_id) {
        *place = by_id;
    }
    return has_name || has_id;
}

bool deft__rules_find(const deft__rules *rules, deft_view name, deft_view id, uint32_t *place)
{
    uint32_t   first    = 0;
    const bool is_named = find_name(rules, name, id, &first);

    for (size_t i = 0; i < rules->wildcard_count; i++) {
        const uint32_t wildcard = rules->wildcards[i];
        if (is_named && wildcard > first) {
            break;
        }
        const deft_view pattern = rules->patterns[wildcard];
        if (deft__glob_match(pattern, has_server(pattern) ? id : name)) {
            *place = wildcard;
            return true;
        }
    }
    if (is_named) {
        *place = first;
    }
    return is_named;
}
