#include "cli/token_list.h"

#include "base/fail.h"
#include "base/memory.h"
#include "cli/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SIZE_MAX (1024u * 1024)

void deft__token_list_init(deft__token_list *list)
{
    *list = (deft__token_list){.count = 0};
    deft__arena_init(&list->arena, NULL);
}

void deft__token_list_clear(deft__token_list *list)
{
    deft__free(NULL, list->items, list->capacity * sizeof *list->items);
    deft__arena_clear(&list->arena);
    deft__token_list_init(list);
}

static deft_status add(deft__token_list *list, const deft__token *token, deft_error *error)
{
    void *items = list->items;
    if (!deft__grow(NULL, &items, &list->capacity, list->count, sizeof *list->items)) {
        return deft__fail_memory(error);
    }
    list->items                = items;
    list->items[list->count++] = *token;
    return DEFT_OK;
}

static bool copy_patterns(deft__arena *arena, const deft_view *patterns, size_t count,
                          const deft_view **copies)
{
    deft_view *made = deft__arena_array(arena, count + 1, sizeof *made);
    *copies         = made;
    for (size_t i = 0; made != NULL && i < count; i++) {
        if (!deft__arena_copy(arena, patterns[i], &made[i])) {
            return false;
        }
    }
    return made != NULL;
}

deft_status deft__token_list_add(deft__token_list *list, const deft_config *config,
                                 deft_error *error)
{
    deft_status status = DEFT_OK;
    for (size_t i = 0; status == DEFT_OK && i < deft_config_token_count(config); i++) {
        const deft_token_config *from  = deft_config_token(config, i);
        deft__token              token = {
                         .restriction      = {.server_count = from->server_count,
                                              .tool_count   = from->tool_count,
                                              .denied_count = from->denied_count},
                         .calls_per_minute = from->calls_per_minute,
                         .concurrent_calls = from->concurrent_calls,
                         .sessions         = from->sessions,
                         .expires_s        = from->expires_s,
        };
        deft_restriction *restriction = &token.restriction;
        memcpy(token.digest.bytes, from->sha256, sizeof token.digest.bytes);
        if (!deft__arena_copy(&list->arena, from->name, &token.name) ||
            !copy_patterns(&list->arena, from->servers, from->server_count,
                           &restriction->servers) ||
            !copy_patterns(&list->arena, from->tools, from->tool_count, &restriction->tools) ||
            !copy_patterns(&list->arena, from->denied, from->denied_count, &restriction->denied)) {
            return deft__fail_memory(error);
        }
        status = add(list, &token, error);
    }
    return status;
}

static deft_status add_line(deft__token_list *list, size_t number, deft_view line,
                            deft_error *error)
{
    char        name[32];
    deft__token token = {.expires_s = 0};
    (void)snprintf(name, sizeof name, "line-%zu", number);
    if (!deft__arena_copy(&list->arena, deft_view_of(name), &token.name) ||
        !deft__sha256(line, &token.digest)) {
        return deft__fail_memory(error);
    }
    return add(list, &token, error);
}

deft_status deft__token_list_read_file(deft__token_list *list, const char *path, deft_error *error)
{
    const size_t before = list->count;
    deft_buffer  file;
    deft_buffer_init(&file, NULL);
    deft_status     status = deft__file_read(path, FILE_SIZE_MAX, "a file of tokens", &file, error);
    const deft_view text   = deft_buffer_view(&file);
    size_t          number = 0;
    for (size_t at = 0; status == DEFT_OK && at < text.size; number++) {
        size_t end = at;
        while (end < text.size && text.data[end] != '\n') {
            end++;
        }
        const size_t size = end > at && text.data[end - 1] == '\r' ? end - 1 - at : end - at;
        if (size > 0 && text.data[at] != '#') {
            status = add_line(list, number + 1, deft_view_slice(text, at, size), error);
        }
        at = end + 1;
    }
    if (file.data != NULL) {
        deft__wipe(file.data, file.size);
    }
    deft_buffer_clear(&file);
    if (status == DEFT_OK && list->count == before) {
        status = deft__fail(error, DEFT_INVALID, 0, "'%s' has no token; write one a line", path);
    }
    return status;
}

static int by_digest(const void *a, const void *b)
{
    const deft__token *const *x = a;
    const deft__token *const *y = b;
    return memcmp((*x)->digest.bytes, (*y)->digest.bytes, sizeof(*x)->digest.bytes);
}

deft_status deft__token_list_check(const deft__token_list *list, deft_error *error)
{
    const deft__token **sorted =
        list->count > 1 ? deft__new(NULL, list->count * sizeof *sorted) : NULL;
    deft_status status = DEFT_OK;
    if (sorted == NULL) {
        return list->count > 1 ? deft__fail_memory(error) : DEFT_OK;
    }
    for (size_t i = 0; i < list->count; i++) {
        sorted[i] = &list->items[i];
    }
    qsort(sorted, list->count, sizeof *sorted, by_digest);
    for (size_t i = 1; status == DEFT_OK && i < list->count; i++) {
        if (by_digest(&sorted[i - 1], &sorted[i]) == 0) {
            const bool         is_order = sorted[i - 1] < sorted[i];
            const deft__token *first    = sorted[is_order ? i - 1 : i];
            const deft__token *second   = sorted[is_order ? i : i - 1];
            deft__quoted       name;
            deft__quoted       other;
            status = deft__fail(error, DEFT_DUPLICATE, 0,
                                "'%s' and '%s' are the same token, and may be meant to reach "
                                "different things: give each its own with 'deft token new NAME'",
                                deft__quote(&name, first->name), deft__quote(&other, second->name));
        }
    }
    deft__free(NULL, sorted, list->count * sizeof *sorted);
    return status;
}

void deft__token_watch_init(deft__token_watch *watch, uint64_t settings, uint64_t all)
{
    *watch = (deft__token_watch){.settings = settings, .all = all, .last = all};
}

bool deft__token_watch_look(deft__token_watch *watch, uint64_t settings, uint64_t all)
{
    const bool is_still = all == watch->last || settings != watch->settings;
    watch->last         = all;
    if (all == watch->all || !is_still) {
        return false;
    }
    watch->settings = settings;
    watch->all      = all;
    return true;
}
