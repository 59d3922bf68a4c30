#include "core/session/restriction.h"

#include "base/fail.h"
#include "base/glob.h"

void deft__restrictions_init(deft__restrictions *restrictions, const deft_allocator *allocator)
{
    restrictions->count = 0;
    deft__arena_init(&restrictions->arena, allocator);
}

void deft__restrictions_clear(deft__restrictions *restrictions)
{
    restrictions->count = 0;
    deft__arena_clear(&restrictions->arena);
}

// Copies `count` patterns; NULL when there is no memory.
static const deft_view *copy_patterns(deft__arena *arena, const deft_view *patterns, size_t count)
{
    deft_view *copies = deft__arena_array(arena, count, sizeof *copies);
    for (size_t i = 0; copies != NULL && i < count; i++) {
        if (!deft__arena_copy(arena, patterns[i], &copies[i])) {
            return NULL;
        }
    }
    return copies;
}

static deft_status check_counts(const deft__restrictions *restrictions, size_t servers,
                                size_t tools, size_t denied, size_t offset, deft_error *error)
{
    if (restrictions->count == DEFT__RESTRICTIONS_MAX) {
        return deft__fail(error, DEFT_LIMIT, offset,
                          "the session was restricted %u times already; that is the most",
                          DEFT__RESTRICTIONS_MAX);
    }
    if (servers > DEFT__PATTERNS_MAX || tools > DEFT__PATTERNS_MAX - servers ||
        denied > DEFT__PATTERNS_MAX - servers - tools) {
        return deft__fail(error, DEFT_LIMIT, offset,
                          "the restriction has %zu patterns; at most %u are accepted",
                          servers + tools + denied, DEFT__PATTERNS_MAX);
    }
    return DEFT_OK;
}

deft_status deft__restrictions_add(deft__restrictions     *restrictions,
                                   const deft_restriction *restriction, deft_error *error)
{
    if (restriction->server_count == 0 && restriction->tool_count == 0 &&
        restriction->denied_count == 0) {
        return DEFT_OK;
    }
    const deft_status status =
        check_counts(restrictions, restriction->server_count, restriction->tool_count,
                     restriction->denied_count, 0, error);
    if (status != DEFT_OK) {
        return status;
    }
    const deft_restriction copy = {
        .servers =
            copy_patterns(&restrictions->arena, restriction->servers, restriction->server_count),
        .server_count = restriction->server_count,
        .tools = copy_patterns(&restrictions->arena, restriction->tools, restriction->tool_count),
        .tool_count = restriction->tool_count,
        .denied =
            copy_patterns(&restrictions->arena, restriction->denied, restriction->denied_count),
        .denied_count = restriction->denied_count,
    };
    if (copy.servers == NULL || copy.tools == NULL || copy.denied == NULL) {
        return deft__fail_memory(error);
    }
    restrictions->items[restrictions->count++] = copy;
    return DEFT_OK;
}

static bool fits_any(const deft_view *patterns, size_t count, deft_view name, deft_view id)
{
    for (size_t i = 0; i < count; i++) {
        if (deft__glob_match(patterns[i], name) || deft__glob_match(patterns[i], id)) {
            return true;
        }
    }
    return false;
}

bool deft__restrictions_allow(const deft__restrictions *restrictions, const deft_catalog *catalog,
                              deft_tool_id tool)
{
    if (restrictions->count == 0) {
        return true;
    }
    const deft_tool *definition = deft_catalog_tool(catalog, tool);
    const deft_view  server     = deft_catalog_server(catalog, definition->server)->name;
    for (size_t i = 0; i < restrictions->count; i++) {
        const deft_restriction *one = &restrictions->items[i];
        if ((one->server_count > 0 && !fits_any(one->servers, one->server_count, server, server)) ||
            (one->tool_count > 0 &&
             !fits_any(one->tools, one->tool_count, definition->name, definition->id)) ||
            fits_any(one->denied, one->denied_count, definition->name, definition->id)) {
            return false;
        }
    }
    return true;
}

static void write_patterns(deft__json_writer *writer, const char *name, const deft_view *patterns,
                           size_t count)
{
    deft__json_name(writer, name);
    deft__json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        deft__json_write_string(writer, patterns[i]);
    }
    deft__json_end_array(writer);
}

void deft__restrictions_write(const deft__restrictions *restrictions, deft__json_writer *writer)
{
    deft__json_begin_array(writer);
    for (size_t i = 0; i < restrictions->count; i++) {
        const deft_restriction *one = &restrictions->items[i];
        deft__json_begin_object(writer);
        write_patterns(writer, "servers", one->servers, one->server_count);
        write_patterns(writer, "tools", one->tools, one->tool_count);
        if (one->denied_count > 0) {
            write_patterns(writer, "denied", one->denied, one->denied_count);
        }
        deft__json_end_object(writer);
    }
    deft__json_end_array(writer);
}

// An array of strings into the arena. Absent is not the same as empty to a sandbox, so it must be
// there.
static deft_status read_patterns(deft__restrictions *restrictions, deft__json_value object,
                                 const char *name, const deft_view **patterns, size_t *count,
                                 deft_error *error)
{
    const deft__json_value list = deft__json_member(object, name);
    if (!deft__json_is(list, DEFT__JSON_ARRAY)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(object),
                          "saved session: a restriction needs a list of '%s'", name);
    }
    *count             = deft__json_count(list);
    deft_status status = check_counts(restrictions, *count, 0, 0, deft__json_offset(list), error);
    if (status != DEFT_OK) {
        return status;
    }
    deft_view *items = deft__arena_array(&restrictions->arena, *count, sizeof *items);
    if (items == NULL) {
        return deft__fail_memory(error);
    }
    deft_buffer scratch;
    deft_buffer_init(&scratch, restrictions->arena.allocator);
    deft__json_iterator i = deft__json_iterate(list);
    for (size_t at = 0; status == DEFT_OK && deft__json_next(&i); at++) {
        deft_buffer_reset(&scratch);
        if (!deft__json_is(i.value, DEFT__JSON_STRING)) {
            status = deft__fail(error, DEFT_INVALID, deft__json_offset(i.value),
                                "saved session: a pattern of a restriction is not a string");
        } else if (!deft__arena_copy(&restrictions->arena, deft__json_string(i.value, &scratch),
                                     &items[at]) ||
                   scratch.status != DEFT_OK) {
            status = deft__fail_memory(error);
        }
    }
    deft_buffer_clear(&scratch);
    *patterns = items;
    return status;
}

deft_status deft__restrictions_read(deft__restrictions *restrictions, deft__json_value value,
                                    deft_error *error)
{
    if (!deft__json_is(value, DEFT__JSON_ARRAY)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "saved session: 'restrictions' is not an array");
    }
    deft__json_iterator i = deft__json_iterate(value);
    while (deft__json_next(&i)) {
        deft_restriction one = {0};
        deft_status      status =
            read_patterns(restrictions, i.value, "servers", &one.servers, &one.server_count, error);
        if (status == DEFT_OK) {
            status =
                read_patterns(restrictions, i.value, "tools", &one.tools, &one.tool_count, error);
        }
        if (status == DEFT_OK && deft__json_member(i.value, "denied").document != NULL) {
            status = read_patterns(restrictions, i.value, "denied", &one.denied, &one.denied_count,
                                   error);
        }
        if (status != DEFT_OK) {
            return status;
        }
        restrictions->items[restrictions->count++] = one;
    }
    return DEFT_OK;
}
