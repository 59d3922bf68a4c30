#include "core/bridge/names.h"

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

// As the catalog has it: a bare name may be in the wrong case.
static bool is_same_name(deft_view a, deft_view b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (lower(a.data[i]) != lower(b.data[i])) {
            return false;
        }
    }
    return true;
}

deft_status deft__names_find(const deft_session *session, deft_view name, deft_tool_id *tool)
{
    const deft_catalog *catalog = deft_plan_catalog(deft_session_plan(session));
    deft_tool_id        found   = {0};
    deft_status         status  = deft_catalog_resolve(catalog, name, &found, NULL);
    if (status == DEFT_OK) {
        if (!deft_session_is_allowed(session, found)) {
            return DEFT_NOT_FOUND;
        }
        *tool = found;
        return DEFT_OK;
    }
    if (status != DEFT_CONFLICT) {
        return DEFT_NOT_FOUND;
    }

    // A bare name of several servers: it may still be clear among the tools that are allowed.
    status = DEFT_NOT_FOUND;
    for (uint32_t i = 0; i < deft_catalog_tool_count(catalog); i++) {
        const deft_tool_id each = {i};
        if (deft_session_is_allowed(session, each) &&
            is_same_name(deft_catalog_tool(catalog, each)->name, name)) {
            found  = each;
            status = status == DEFT_NOT_FOUND ? DEFT_OK : DEFT_CONFLICT;
        }
    }
    if (status == DEFT_OK) {
        *tool = found;
    }
    return status;
}

// Whether the client still has a tool of this name that no server offers any more.
static bool is_gone(const deft_session *session, deft_view name)
{
    size_t                count = 0;
    const deft_seen_tool *seen  = deft_session_visible(session, &count);
    for (size_t i = 0; i < count; i++) {
        if (seen[i].state == DEFT_SEEN_GONE) {
            const deft_tool *tool = deft_catalog_tool(seen[i].catalog, seen[i].tool);
            if (deft_view_equal(tool->id, name) || deft_view_equal(tool->wire_name, name) ||
                deft_view_equal(tool->name, name)) {
                return true;
            }
        }
    }
    return false;
}

// Tools that share the bare name, as many as are offered.
static size_t candidates(const deft_session *session, deft_view name, deft_tool_id *tools)
{
    const deft_catalog *catalog = deft_plan_catalog(deft_session_plan(session));
    const uint32_t      end     = (uint32_t)deft_catalog_tool_count(catalog);
    size_t              count   = 0;
    for (uint32_t i = 0; i < end && count < DEFT__NEAREST_COUNT_MAX; i++) {
        const deft_tool_id each = {i};
        if (deft_session_is_allowed(session, each) &&
            is_same_name(deft_catalog_tool(catalog, each)->name, name)) {
            tools[count++] = each;
        }
    }
    return count;
}

static size_t nearest(const deft_session *session, deft_view name, deft_tool_id *tools)
{
    // More than are offered, because some may not be allowed.
    deft_tool_id near[8 * DEFT__NEAREST_COUNT_MAX];
    const size_t found = deft_catalog_nearest(deft_plan_catalog(deft_session_plan(session)), name,
                                              near, sizeof near / sizeof near[0]);
    size_t       count = 0;
    for (size_t i = 0; i < found && count < DEFT__NEAREST_COUNT_MAX; i++) {
        if (deft_session_is_allowed(session, near[i])) {
            tools[count++] = near[i];
        }
    }
    return count;
}

void deft__names_explain(const deft_session *session, deft_view name, deft_status status,
                         deft_buffer *out)
{
    const deft_catalog *catalog = deft_plan_catalog(deft_session_plan(session));
    deft_tool_id        tools[DEFT__NEAREST_COUNT_MAX];
    if (status == DEFT_CONFLICT) {
        const size_t count = candidates(session, name, tools);
        deft_buffer_append_text(out, "Several servers have a tool called ");
        deft__append_quoted(out, name);
        deft_buffer_append_text(out, "; say which one by its id: ");
        deft__append_ids(out, catalog, tools, count);
        deft_buffer_append_byte(out, '.');
        return;
    }

    if (is_gone(session, name)) {
        deft_buffer_append_text(out, "The tool ");
        deft__append_quoted(out, name);
        deft_buffer_append_text(out, " is no longer there: its server is gone or dropped it.");
    } else {
        deft_buffer_append_text(out, "No tool is called ");
        deft__append_quoted(out, name);
        deft_buffer_append_byte(out, '.');
    }
    const size_t count = nearest(session, name, tools);
    if (count > 0) {
        deft_buffer_append_text(out,
                                count == 1 ? " The closest name is " : " The closest names are ");
        deft__append_ids(out, catalog, tools, count);
        deft_buffer_append_byte(out, '.');
    }
}
