// Rules for servers and tools, as maps of patterns: {"create_*": {"deferLoading": false}}. The
// members of a JSON object have no order, so names win over patterns whichever comes first; among
// patterns the first that fits wins.
#include "config/read.h"

#include "base/glob.h"
#include "base/map.h"

#include <stdio.h>

static bool is_bool(deft__json_value json)
{
    return deft__json_is(json, DEFT__JSON_TRUE) || deft__json_is(json, DEFT__JSON_FALSE);
}

bool deft__deferral_take(deft__deferral *deferral, deft_view name, deft__json_value value)
{
    if (deft_view_equals(name, "deferLoading") || deft_view_equals(name, "defer_loading")) {
        deferral->defer_loading = value;
    } else if (deft_view_equals(name, "alwaysLoad") || deft_view_equals(name, "always_load") ||
               deft_view_equals(name, "alwaysLoadTools")) {
        deferral->always_load = value;
    } else {
        return false;
    }
    return true;
}

deft_status deft__deferral_read(deft__reader *reader, const char *path,
                                const deft__deferral *deferral, bool *is_set, bool *is_deferred)
{
    const deft__json_value defer      = deferral->defer_loading;
    const deft__json_value always     = deferral->always_load;
    const bool             has_defer  = defer.document != NULL;
    const bool             has_always = always.document != NULL;
    if (has_defer && !is_bool(defer)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(defer),
                                 "%s.deferLoading is %s; accepted: true or false", path,
                                 deft__json_kind_name(deft__json_kind_of(defer)));
    }
    if (has_always && !is_bool(always)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(always),
                                 "%s.alwaysLoad is %s; accepted: true or false", path,
                                 deft__json_kind_name(deft__json_kind_of(always)));
    }
    const bool is_defer  = deft__json_is(defer, DEFT__JSON_TRUE);
    const bool is_always = deft__json_is(always, DEFT__JSON_TRUE);
    if (has_defer && has_always && is_defer == is_always) {
        const char *word = is_defer ? "true" : "false";
        return deft__reader_fail(
            reader, DEFT_CONFLICT, deft__json_offset(defer),
            "%s: deferLoading %s (line %zu) and alwaysLoad %s (line %zu) contradict one another; "
            "keep one of them",
            path, word, deft__reader_line(reader, deft__json_offset(defer)), word,
            deft__reader_line(reader, deft__json_offset(always)));
    }
    // alwaysLoad false says no more than its absence.
    *is_set      = has_defer || is_always;
    *is_deferred = is_defer;
    return DEFT_OK;
}

// What other programs keep beside the rule of a tool.
static bool is_foreign_member(deft_view name)
{
    return deft_view_equals(name, "approval_mode") || deft_view_equals(name, "enabled") ||
           deft_view_equals(name, "approvalMode");
}

static deft_status read_rule_object(deft__reader *reader, const char *path, deft__json_value json,
                                    bool *is_set, bool *is_deferred)
{
    deft__deferral      deferral = {.defer_loading = {.document = NULL}};
    deft_status         status   = deft__reader_check_duplicates(reader, json);
    deft__json_iterator i        = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_view    name = {NULL, 0};
        deft__quoted quoted;
        if (!deft__reader_string(reader, i.name, &name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        if (!deft__deferral_take(&deferral, name, i.value) && !is_foreign_member(name)) {
            status = deft__reader_warn(reader, deft__json_offset(i.name),
                                       "unknown key %s.%s; known are deferLoading and alwaysLoad",
                                       path, deft__reader_show(&quoted, name));
        }
    }
    return status == DEFT_OK ? deft__deferral_read(reader, path, &deferral, is_set, is_deferred)
                             : status;
}

static deft_status read_rule(deft__reader *reader, const char *path, deft__json_value json,
                             bool *is_set, bool *is_deferred)
{
    deft__quoted    quoted;
    const deft_view raw = deft__json_raw(json);
    if (deft__json_is(json, DEFT__JSON_OBJECT)) {
        return read_rule_object(reader, path, json, is_set, is_deferred);
    }
    *is_set = true;
    if (is_bool(json)) {
        *is_deferred = deft__json_is(json, DEFT__JSON_TRUE);
    } else if (!deft__json_is(json, DEFT__JSON_STRING) ||
               !deft__value_parse_rule_word(deft_view_slice(raw, 1, raw.size - 2), is_deferred)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(json),
                                 "%s is %s; accepted: true or \"deferred\", false or \"pinned\", "
                                 "or an object with deferLoading",
                                 path, deft__reader_show(&quoted, raw));
    }
    return DEFT_OK;
}

static bool make_pattern(deft__reader *reader, deft_view server, deft_view name, deft_view *pattern)
{
    if (server.size == 0) {
        *pattern = name;
        return true;
    }
    char *joined = deft__arena_alloc(&reader->source->arena, server.size + 2 + name.size + 1);
    if (joined == NULL) {
        return false;
    }
    memcpy(joined, server.data, server.size);
    memcpy(joined + server.size, "::", 2);
    if (name.size > 0) {
        memcpy(joined + server.size + 2, name.data, name.size);
    }
    *pattern = deft_view_make(joined, server.size + 2 + name.size);
    return true;
}

// Rules while they are read: one for each name, found by it, so that the last one counts.
typedef struct rule_list {
    deft_rule *rules;
    size_t     count;
    deft__map  by_pattern;
} rule_list;

static deft_status add_rule(deft__reader *reader, const char *path, deft_view server,
                            deft__json_iterator at, rule_list *list)
{
    deft_view    name        = {NULL, 0};
    deft_view    pattern     = {NULL, 0};
    bool         is_set      = false;
    bool         is_deferred = false;
    char         rule_path[160];
    deft__quoted quoted;
    uint32_t     index = (uint32_t)list->count;

    if (!deft__reader_string(reader, at.name, &name) ||
        !make_pattern(reader, server, name, &pattern)) {
        return deft__fail_memory(reader->error);
    }
    (void)snprintf(rule_path, sizeof rule_path, "%s.%s", path, deft__reader_show(&quoted, name));
    if (name.size == 0) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(at.name),
                                 "%s has an empty pattern; accepted: a name or a pattern with *",
                                 path);
    }
    const deft_status status = read_rule(reader, rule_path, at.value, &is_set, &is_deferred);
    if (status != DEFT_OK || !is_set) {
        return status;
    }
    if (!deft__map_find(&list->by_pattern, pattern, &index)) {
        if (!deft__map_put(&list->by_pattern, pattern, index)) {
            return deft__fail_memory(reader->error);
        }
        list->count++;
    }
    list->rules[index] = (deft_rule){.pattern = pattern, .is_deferred = is_deferred};
    return DEFT_OK;
}

// Names first, patterns after them, each in the order of the file.
static bool sort_rules(deft__reader *reader, deft_view server, rule_list *list)
{
    deft_rule *sorted = deft__arena_array(&reader->source->arena, list->count + 1, sizeof *sorted);
    size_t     filled = 0;
    if (sorted == NULL) {
        return false;
    }
    for (int is_pattern = 0; is_pattern < 2; is_pattern++) {
        for (size_t i = 0; i < list->count; i++) {
            const size_t    prefix = server.size > 0 ? server.size + 2 : 0;
            const deft_view own =
                deft_view_slice(list->rules[i].pattern, prefix, list->rules[i].pattern.size);
            if (deft__glob_is_pattern(own) == (is_pattern == 1)) {
                sorted[filled++] = list->rules[i];
            }
        }
    }
    list->rules = sorted;
    return true;
}

deft_status deft__read_rules(deft__reader *reader, const char *path, deft_view server,
                             deft__json_value json, const deft_rule **rules, size_t *count)
{
    rule_list   list   = {.count = 0};
    deft_status status = deft__reader_check_duplicates(reader, json);
    if (status != DEFT_OK) {
        return status;
    }
    list.rules =
        deft__arena_array(&reader->source->arena, deft__json_count(json) + 1, sizeof *list.rules);
    if (list.rules == NULL) {
        return deft__fail_memory(reader->error);
    }
    deft__map_init(&list.by_pattern, 0, reader->source->arena.allocator);
    deft__json_iterator i = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        status = add_rule(reader, path, server, i, &list);
    }
    deft__map_clear(&list.by_pattern);
    if (status == DEFT_OK && !sort_rules(reader, server, &list)) {
        status = deft__fail_memory(reader->error);
    }
    if (status == DEFT_OK) {
        *rules = list.rules;
        *count = list.count;
    }
    return status;
}
