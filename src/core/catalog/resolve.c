// From a name to the tool that is meant: exactly, as hosts write it, or nearly.
#include "core/catalog/catalog.h"
#include "core/catalog/wire.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <stdio.h>

// As many are told of in a message; one more is looked for, to say that there are others.
enum {
    candidates_shown = 3,
    candidates_max   = candidates_shown + 1
};

typedef struct candidates {
    deft_tool_id tools[candidates_max];
    size_t       count;
} candidates;

static const deft_tool *tool_at(const deft_catalog *catalog, uint32_t index)
{
    return &catalog->records[index].tool;
}

bool deft_catalog_find_server(const deft_catalog *catalog, deft_view name, deft_server_id *id)
{
    const uint64_t hash = deft__hash(name, catalog->hash_seed);
    uint32_t       i    = deft__lookup_first(&catalog->by_server, hash);
    for (; i != DEFT__LOOKUP_END; i = deft__lookup_next(&catalog->by_server, i)) {
        if (deft_view_equal(catalog->servers[i].name, name)) {
            *id = (deft_server_id){i};
            return true;
        }
    }
    return false;
}

bool deft_catalog_find(const deft_catalog *catalog, deft_view id, deft_tool_id *tool)
{
    const uint64_t hash = deft__hash(id, catalog->hash_seed);
    uint32_t       i    = deft__lookup_first(&catalog->by_id, hash);
    for (; i != DEFT__LOOKUP_END; i = deft__lookup_next(&catalog->by_id, i)) {
        if (deft_view_equal(tool_at(catalog, i)->id, id)) {
            *tool = (deft_tool_id){i};
            return true;
        }
    }
    return false;
}

bool deft_catalog_find_wire(const deft_catalog *catalog, deft_view wire_name, deft_tool_id *tool)
{
    const uint64_t hash = deft__hash(wire_name, catalog->hash_seed);
    uint32_t       i    = deft__lookup_first(&catalog->by_wire, hash);
    for (; i != DEFT__LOOKUP_END; i = deft__lookup_next(&catalog->by_wire, i)) {
        if (deft_view_equal(tool_at(catalog, i)->wire_name, wire_name)) {
            *tool = (deft_tool_id){i};
            return true;
        }
    }
    return false;
}

static void add_candidate(candidates *found, uint32_t index)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->tools[i].index == index) {
            return;
        }
    }
    if (found->count < candidates_max) {
        found->tools[found->count++] = (deft_tool_id){index};
    }
}

// Tools whose id, written as hosts write it, is `text`.
static void find_host_name(const deft_catalog *catalog, deft_view text, bool is_folded,
                           candidates *found)
{
    deft__loose_key wanted;
    deft__loose_key own;
    const deft_view key  = deft__loose_key_make(&wanted, text);
    const uint64_t  hash = deft__hash(key, catalog->hash_seed);
    uint32_t        i    = deft__lookup_first(&catalog->by_loose, hash);
    for (; i != DEFT__LOOKUP_END; i = deft__lookup_next(&catalog->by_loose, i)) {
        const deft_view id      = tool_at(catalog, i)->id;
        const deft_view written = deft_view_make(own.text, deft__wire_sanitize(id, own.text));
        if (is_folded ? deft__wire_equal_folded(written, text) || deft__wire_equal_folded(id, text)
                      : deft_view_equal(written, text)) {
            add_candidate(found, i);
        }
    }
}

static void find_bare_name(const deft_catalog *catalog, deft_view text, bool is_folded,
                           candidates *found)
{
    char folded[DEFT__ID_SIZE_MAX];
    deft__wire_fold(text, folded);
    const uint64_t hash = deft__hash(deft_view_make(folded, text.size), catalog->hash_seed);
    uint32_t       i    = deft__lookup_first(&catalog->by_name, hash);
    for (; i != DEFT__LOOKUP_END; i = deft__lookup_next(&catalog->by_name, i)) {
        const deft_view name = tool_at(catalog, i)->name;
        if (is_folded ? deft__wire_equal_folded(name, text) : deft_view_equal(name, text)) {
            add_candidate(found, i);
        }
    }
}

static const char mcp_prefix[] = "mcp__";

static bool has_mcp_prefix(deft_view name)
{
    return deft__wire_equal_folded(deft_view_slice(name, 0, sizeof mcp_prefix - 1),
                                   deft_view_of(mcp_prefix));
}

static deft_view without_mcp_prefix(deft_view name)
{
    return has_mcp_prefix(name) ? deft_view_slice(name, sizeof mcp_prefix - 1, SIZE_MAX) : name;
}

// "'a::x', 'b::x' and 'c::x'" into `out`, at most as many as are shown.
static void list_ids(const deft_catalog *catalog, const deft_tool_id *tools, size_t count,
                     const char *last_word, deft_error *out)
{
    char   text[DEFT_ERROR_MESSAGE_SIZE] = "";
    size_t size                          = 0;
    for (size_t i = 0; i < count; i++) {
        deft__quoted quoted;
        const char  *before = "";
        if (i > 0) {
            before = i + 1 == count ? last_word : ", ";
        }
        const int written = snprintf(text + size, sizeof text - size, "%s'%s'", before,
                                     deft__quote(&quoted, tool_at(catalog, tools[i].index)->id));
        if (written < 0 || (size_t)written >= sizeof text - size) {
            text[size] = '\0';
            break;
        }
        size += (size_t)written;
    }
    deft__fail(out, DEFT_OK, 0, "%s", text);
}

static deft_status fail_conflict(const deft_catalog *catalog, deft_view name,
                                 const candidates *found, deft_error *error)
{
    const size_t shown = found->count < candidates_shown ? found->count : candidates_shown;
    deft_error   list;
    deft__quoted quoted;
    list_ids(catalog, found->tools, shown, found->count > shown ? ", " : " and ", &list);
    return deft__fail(error, DEFT_CONFLICT, 0, "'%s' may be %s%s; use the id",
                      deft__quote(&quoted, name), list.message,
                      found->count > shown ? " and others" : "");
}

static deft_status fail_not_found(const deft_catalog *catalog, deft_view name, deft_error *error)
{
    if (error == NULL) {
        return DEFT_NOT_FOUND;
    }
    deft_tool_id near[candidates_shown];
    deft_error   list;
    deft__quoted quoted;
    const size_t count = deft_catalog_nearest(catalog, name, near, candidates_shown);
    list_ids(catalog, near, count, " or ", &list);
    return deft__fail(error, DEFT_NOT_FOUND, 0, "no tool is called '%s'%s%s%s",
                      deft__quote(&quoted, name), count > 0 ? "; did you mean " : "", list.message,
                      count > 0 ? "?" : "");
}

deft_status deft_catalog_resolve(const deft_catalog *catalog, deft_view name, deft_tool_id *tool,
                                 deft_error *error)
{
    deft_tool_id exact;
    if (deft_catalog_find(catalog, name, &exact) || deft_catalog_find_wire(catalog, name, &exact)) {
        *tool = exact;
        return DEFT_OK;
    }
    candidates found = {.count = 0};
    if (name.size > 0 && name.size <= DEFT__ID_SIZE_MAX) {
        const deft_view rest = without_mcp_prefix(name);
        find_bare_name(catalog, name, false, &found);
        if (rest.size < name.size) {
            find_host_name(catalog, rest, false, &found);
        }
        if (found.count == 0) {
            find_host_name(catalog, rest, true, &found);
            find_host_name(catalog, name, true, &found);
            find_bare_name(catalog, name, true, &found);
        }
    }
    if (found.count == 0) {
        return fail_not_found(catalog, name, error);
    } else if (found.count > 1) {
        return fail_conflict(catalog, name, &found, error);
    }
    *tool = found.tools[0];
    return DEFT_OK;
}
