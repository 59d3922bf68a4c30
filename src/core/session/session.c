// A session is a list of visible tools (visible.h), the searches that loaded some of them, and a
// few counters. Whatever replaces the list builds a new one first.
#include "core/session/session.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "core/listing/clean.h"

// Appends a copy of `name` and returns where it starts.
static size_t copy_name(deft_buffer *names, deft_view name)
{
    const size_t start = names->size;
    deft_buffer_append(names, name);
    return start;
}

// Settings without what only the plan needs, and with names of our own.
static bool copy_settings(deft_session *session, const deft_settings *settings)
{
    session->settings              = *settings;
    deft_settings *copy            = &session->settings;
    copy->core_tools               = NULL;
    copy->core_tool_count          = 0;
    copy->server_rules             = NULL;
    copy->server_rule_count        = 0;
    copy->tool_rules               = NULL;
    copy->tool_rule_count          = 0;
    const size_t    search_start   = copy_name(&session->names, settings->search_name);
    const size_t    describe_start = copy_name(&session->names, settings->describe_name);
    const size_t    call_start     = copy_name(&session->names, settings->call_name);
    const deft_view names          = deft_buffer_view(&session->names);
    copy->search_name   = deft_view_slice(names, search_start, settings->search_name.size);
    copy->describe_name = deft_view_slice(names, describe_start, settings->describe_name.size);
    copy->call_name     = deft_view_slice(names, call_start, settings->call_name.size);
    return session->names.status == DEFT_OK;
}

deft_session *deft__session_new_empty(const deft_settings  *settings,
                                      const deft_allocator *allocator, deft_error *error)
{
    deft_session *session = deft__new(allocator, sizeof *session);
    if (session == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    session->allocator         = allocator;
    session->visible.allocator = allocator;
    deft_buffer_init(&session->names, allocator);
    deft__restrictions_init(&session->restrictions, allocator);
    if (!copy_settings(session, settings)) {
        deft_session_free(session);
        deft__fail_memory(error);
        return NULL;
    }
    return session;
}

deft_session *deft_session_new(deft_plan *plan, const deft_settings *settings,
                               const deft_allocator *allocator, deft_error *error)
{
    return deft_session_new_restricted(plan, settings, NULL, allocator, error);
}

deft_session *deft_session_new_restricted(deft_plan *plan, const deft_settings *settings,
                                          const deft_restriction *restriction,
                                          const deft_allocator *allocator, deft_error *error)
{
    deft_session *session = deft__session_new_empty(settings, allocator, error);
    if (session == NULL) {
        return NULL;
    }
    if (restriction != NULL &&
        deft__restrictions_add(&session->restrictions, restriction, error) != DEFT_OK) {
        deft_session_free(session);
        return NULL;
    }
    if (!deft__visible_init(&session->visible, plan, &session->restrictions, allocator) ||
        !deft__visible_append_upfront(&session->visible)) {
        deft_session_free(session);
        deft__fail_memory(error);
        return NULL;
    }
    return session;
}

static void forget_searches(deft_session *session)
{
    for (size_t i = 0; i < session->search_kept; i++) {
        deft_buffer_clear(&session->searches[i].query);
    }
    session->search_first = 0;
    session->search_kept  = 0;
    session->search_count = 0;
}

void deft_session_free(deft_session *session)
{
    if (session == NULL) {
        return;
    }
    const deft_allocator *allocator = session->allocator;
    forget_searches(session);
    deft__free(allocator, session->searches, session->search_capacity * sizeof *session->searches);
    deft__visible_clear(&session->visible);
    deft__restrictions_clear(&session->restrictions);
    deft_buffer_clear(&session->names);
    deft__free(allocator, session, sizeof *session);
}

deft_plan *deft_session_plan(const deft_session *session)
{
    return session->visible.plan;
}

const deft_seen_tool *deft_session_visible(const deft_session *session, size_t *count)
{
    *count = session->visible.count;
    return session->visible.tools;
}

bool deft_session_is_visible(const deft_session *session, deft_tool_id tool)
{
    return tool.index < session->visible.place_count && session->visible.places[tool.index] > 0;
}

bool deft_session_is_loaded(const deft_session *session, deft_tool_id tool)
{
    return deft_session_is_visible(session, tool) &&
           session->visible.notes[session->visible.places[tool.index] - 1].was_loaded;
}

bool deft_session_is_allowed(const deft_session *session, deft_tool_id tool)
{
    return tool.index < session->visible.place_count &&
           deft__visible_allows(&session->visible, tool.index);
}

uint32_t deft_session_record_search(deft_session *session, deft_view query)
{
    if (session->search_count == UINT32_MAX) {
        return 0;
    }
    deft_buffer line;
    deft_buffer_init(&line, session->allocator);
    deft__clean_append(&line, query, DEFT_SESSION_QUERY_SIZE_MAX);
    if (line.status != DEFT_OK) {
        deft_buffer_clear(&line);
        return 0;
    }

    deft__search *slot = NULL;
    if (session->search_kept == DEFT_SESSION_SEARCHES_MAX) {
        slot                  = &session->searches[session->search_first];
        session->search_first = (session->search_first + 1) % DEFT_SESSION_SEARCHES_MAX;
        deft_buffer_clear(&slot->query);
    } else if (deft__grow(session->allocator, (void **)&session->searches,
                          &session->search_capacity, session->search_kept,
                          sizeof *session->searches)) {
        slot = &session->searches[session->search_kept++];
    } else {
        deft_buffer_clear(&line);
        return 0;
    }
    slot->query = line;
    return ++session->search_count;
}

deft_view deft__session_query(const deft_session *session, uint32_t number)
{
    const size_t age = session->search_count - number; // 0: the last one
    if (number == 0 || number > session->search_count || age >= session->search_kept) {
        return deft_view_make(NULL, 0);
    }
    const size_t place = session->search_first + session->search_kept - 1 - age;
    return deft_buffer_view(&session->searches[place % DEFT_SESSION_SEARCHES_MAX].query);
}

bool deft__session_reserve(deft_session *session, size_t count)
{
    return deft__visible_reserve(&session->visible, count);
}

deft_status deft_session_load(deft_session *session, deft_tool_id tool, uint32_t search,
                              bool *is_new, deft_error *error)
{
    if (!deft_session_is_allowed(session, tool)) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "the session has no tool number %u",
                          (unsigned)tool.index);
    }
    if (search > session->search_count) {
        return deft__fail(error, DEFT_INVALID, 0, "search %u was never made; the last one is %u",
                          (unsigned)search, (unsigned)session->search_count);
    }
    const bool grows = !deft_session_is_visible(session, tool);
    if (grows && !deft__visible_append(&session->visible, tool, DEFT_SEEN_LOADED, search)) {
        return deft__fail_memory(error);
    }
    if (is_new != NULL) {
        *is_new = grows;
    }
    return DEFT_OK;
}

size_t deft_session_end_turn(deft_session *session)
{
    session->turn_count += session->turn_count < UINT32_MAX ? 1 : 0;
    return session->settings.is_loaded_kept ? 0
                                            : deft__visible_drop_loaded(&session->visible, false);
}

static bool is_name_of(const deft_tool *tool, deft_view name)
{
    return deft_view_equal(tool->id, name) || deft_view_equal(tool->wire_name, name) ||
           deft_view_equal(tool->name, name);
}

// Marks what `name` means. The catalog answers at once for an id or a wire name; only a name that it does not
// know, of a tool that is gone or of several tools, is looked for in the list. A bare name that
// several loaded tools share marks them all: one search too many costs less than a tool that the
// model believes to have and has not.
static void mark(deft__visible *visible, deft_view name)
{
    deft_tool_id        tool    = {0};
    const deft_catalog *catalog = deft_plan_catalog(visible->plan);
    if (deft_catalog_find(catalog, name, &tool) || deft_catalog_find_wire(catalog, name, &tool)) {
        if (visible->places[tool.index] > 0) {
            visible->notes[visible->places[tool.index] - 1].is_marked = true;
        }
        return;
    }
    for (size_t i = 0; i < visible->count; i++) {
        const deft_seen_tool *seen = &visible->tools[i];
        if (visible->notes[i].was_loaded &&
            is_name_of(deft_catalog_tool(seen->catalog, seen->tool), name)) {
            visible->notes[i].is_marked = true;
        }
    }
}

size_t deft_session_report_compaction(deft_session *session, const deft_view *names, size_t count)
{
    deft__visible *visible = &session->visible;
    for (size_t i = 0; i < count; i++) {
        mark(visible, names[i]);
    }
    const size_t dropped = deft__visible_drop_loaded(visible, true);
    for (size_t i = 0; i < visible->count; i++) {
        visible->notes[i].is_marked = false;
    }
    return dropped;
}

// Puts a list over `plan` in place of the session's: with what was seen, or afresh.
static deft_status replace(deft_session *session, deft_plan *plan, bool is_carried_over,
                           deft_error *error)
{
    deft__visible visible = {0};
    if (!deft__visible_init(&visible, plan, &session->restrictions, session->allocator) ||
        (is_carried_over && !deft__visible_carry_over(&visible, &session->visible)) ||
        !deft__visible_append_upfront(&visible)) {
        deft__visible_clear(&visible);
        return deft__fail_memory(error);
    }
    deft__visible_clear(&session->visible);
    session->visible = visible;
    return DEFT_OK;
}

deft_status deft_session_update(deft_session *session, deft_plan *plan, deft_error *error)
{
    return replace(session, plan, true, error);
}

deft_status deft_session_reset(deft_session *session, deft_plan *plan, deft_error *error)
{
    const deft_status status = replace(session, plan, false, error);
    if (status == DEFT_OK) {
        forget_searches(session);
        session->turn_count = 0;
    }
    return status;
}

// Everything that deft_catalog_write_tool writes, in whatever form and naming, comes from the raw
// definition, the id and the wire name; so the hash of these three in a row is the same exactly
// when the bytes that were sent are.
uint64_t deft_session_prefix_hash(const deft_session *session, size_t count)
{
    const deft__visible *visible = &session->visible;
    uint64_t             hash    = 0;
    for (size_t i = 0; i < count && i < visible->count; i++) {
        const deft_seen_tool *seen = &visible->tools[i];
        const deft_tool      *tool = deft_catalog_tool(seen->catalog, seen->tool);
        hash                       = deft__hash(tool->definition, hash);
        hash                       = deft__hash(tool->id, hash);
        hash                       = deft__hash(tool->wire_name, hash);
    }
    return hash;
}

deft_status deft_session_write_tools(const deft_session *session, deft_form form,
                                     deft_naming naming, deft_buffer *out)
{
    const deft__visible *visible = &session->visible;
    const size_t         start   = out->size;
    deft_status          status  = DEFT_OK;
    deft_buffer_append_byte(out, '[');
    for (size_t i = 0; status == DEFT_OK && i < visible->count; i++) {
        if (i > 0) {
            deft_buffer_append_byte(out, ',');
        }
        status = deft_catalog_write_tool(visible->tools[i].catalog, visible->tools[i].tool, form,
                                         naming, out);
    }
    deft_buffer_append_byte(out, ']');
    status = status == DEFT_OK ? out->status : status;
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}
