// A session as one line of JSON:
//
//     {"deftSession": 1, "turns": 2, "searchCount": 1,
//      "searches": [{"number": 1, "query": "create issue"}],
//      "visible": ["files::read", {"id": "github::create_issue", "search": 1}],
//      "restrictions": [{"servers": ["github"], "tools": []}]}
//
// `visible` is what the client saw, in order: a string was there from the start, an object was
// loaded. The number after deftSession changes when an older deft would misread the text; members
// that are not known are ignored.
#include "core/session/session.h"

#include "base/fail.h"

static const int64_t version = 1;

static void write_searches(const deft_session *session, deft__json_writer *writer)
{
    const uint32_t kept = (uint32_t)session->search_kept;
    deft__json_begin_array(writer);
    for (uint32_t i = 0; i < kept; i++) {
        const uint32_t number = session->search_count - kept + 1 + i;
        deft__json_begin_object(writer);
        deft__json_name(writer, "number");
        deft__json_write_uint64(writer, number);
        deft__json_name(writer, "query");
        deft__json_write_string(writer, deft__session_query(session, number));
        deft__json_end_object(writer);
    }
    deft__json_end_array(writer);
}

static void write_visible(const deft__visible *visible, deft__json_writer *writer)
{
    deft__json_begin_array(writer);
    for (size_t i = 0; i < visible->count; i++) {
        const deft_seen_tool *seen = &visible->tools[i];
        const deft_view       id   = deft_catalog_tool(seen->catalog, seen->tool)->id;
        if (visible->notes[i].was_loaded) {
            deft__json_begin_object(writer);
            deft__json_name(writer, "id");
            deft__json_write_string(writer, id);
            deft__json_name(writer, "search");
            deft__json_write_uint64(writer, seen->search);
            deft__json_end_object(writer);
        } else {
            deft__json_write_string(writer, id);
        }
    }
    deft__json_end_array(writer);
}

deft_status deft_session_save(const deft_session *session, deft_buffer *out)
{
    const size_t      start = out->size;
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "deftSession");
    deft__json_write_int64(&writer, version);
    deft__json_name(&writer, "turns");
    deft__json_write_uint64(&writer, session->turn_count);
    deft__json_name(&writer, "searchCount");
    deft__json_write_uint64(&writer, session->search_count);
    deft__json_name(&writer, "searches");
    write_searches(session, &writer);
    deft__json_name(&writer, "visible");
    write_visible(&session->visible, &writer);
    deft__json_name(&writer, "restrictions");
    deft__restrictions_write(&session->restrictions, &writer);
    deft__json_end_object(&writer);
    if (out->status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return out->status;
}

static deft_status fail_at(deft__json_value value, deft_error *error, const char *what)
{
    return deft__fail(error, DEFT_INVALID, deft__json_offset(value), "saved session: %s", what);
}

// A member that must be a whole number that fits 32 bits.
static deft_status read_count(deft__json_value object, const char *name, uint32_t *count,
                              deft_error *error)
{
    const deft__json_value value  = deft__json_member(object, name);
    uint64_t               number = 0;
    if (deft__json_uint64(value, &number) != DEFT_OK || number > UINT32_MAX) {
        const deft__json_value place = deft__json_is(value, DEFT__JSON_NONE) ? object : value;
        return deft__fail(error, DEFT_INVALID, deft__json_offset(place),
                          "saved session: '%s' is not a whole number below 2^32", name);
    }
    *count = (uint32_t)number;
    return DEFT_OK;
}

static deft_status read_version(deft__json_value root, deft_error *error)
{
    int64_t                number = 0;
    const deft__json_value value  = deft__json_member(root, "deftSession");
    if (deft__json_int64(value, &number) != DEFT_OK || number < 1) {
        return fail_at(root, error, "it has no version number 'deftSession'");
    }
    if (number > version) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "saved session: its version is %lld, this deft reads up to %lld",
                          (long long)number, (long long)version);
    }
    return DEFT_OK;
}

static deft_status read_search(deft_session *session, deft__json_value value, deft_buffer *scratch,
                               deft_error *error)
{
    const deft__json_value query  = deft__json_member(value, "query");
    uint32_t               number = 0;
    const deft_status      status = read_count(value, "number", &number, error);
    if (status != DEFT_OK) {
        return status;
    }
    if (number != session->search_count + 1) {
        return fail_at(value, error, "the numbers of 'searches' do not end with 'searchCount'");
    }
    if (!deft__json_is(query, DEFT__JSON_STRING)) {
        return fail_at(value, error, "a search has no 'query'");
    }
    deft_buffer_reset(scratch);
    const deft_view text = deft__json_string(query, scratch);
    if (scratch->status != DEFT_OK || deft_session_record_search(session, text) == 0) {
        return deft__fail_memory(error);
    }
    return DEFT_OK;
}

// The searches kept are the last ones of those made, without a gap.
static deft_status read_searches(deft_session *session, deft__json_value root, deft_error *error)
{
    const deft__json_value list   = deft__json_member(root, "searches");
    const size_t           kept   = deft__json_count(list);
    uint32_t               count  = 0;
    deft_status            status = read_count(root, "searchCount", &count, error);
    if (status != DEFT_OK) {
        return status;
    }
    if (!deft__json_is(list, DEFT__JSON_ARRAY)) {
        return fail_at(root, error, "'searches' is not an array");
    }
    if (kept > DEFT_SESSION_SEARCHES_MAX || kept > count) {
        return fail_at(list, error, "'searches' holds more than were made or are kept");
    }

    session->search_count = count - (uint32_t)kept;
    deft_buffer scratch;
    deft_buffer_init(&scratch, session->allocator);
    deft__json_iterator i = deft__json_iterate(list);
    while (status == DEFT_OK && deft__json_next(&i)) {
        status = read_search(session, i.value, &scratch, error);
    }
    deft_buffer_clear(&scratch);
    return status;
}

// One entry of `visible`: its id, and whether and by which search it was loaded.
static deft_status read_seen(const deft_session *session, deft__json_value value,
                             deft__json_value *id, bool *is_loaded, uint32_t *search,
                             deft_error *error)
{
    *is_loaded = deft__json_is(value, DEFT__JSON_OBJECT);
    *id        = *is_loaded ? deft__json_member(value, "id") : value;
    *search    = 0;
    if (!deft__json_is(*id, DEFT__JSON_STRING)) {
        return fail_at(value, error, "an entry of 'visible' is no id and has none");
    }
    const deft_status status = *is_loaded ? read_count(value, "search", search, error) : DEFT_OK;
    if (status == DEFT_OK && *search > session->search_count) {
        return fail_at(value, error, "a tool was loaded by a search that was never made");
    }
    return status;
}

// Puts one entry in its place, if the tool is still there and may be seen.
static deft_status restore_seen(deft_session *session, deft__json_value value, deft_buffer *scratch,
                                deft_error *error)
{
    deft__visible    *visible = &session->visible;
    deft__json_value  id;
    bool              is_loaded;
    uint32_t          search;
    const deft_status status = read_seen(session, value, &id, &is_loaded, &search, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft_buffer_reset(scratch);
    const deft_view name = deft__json_string(id, scratch);
    if (scratch->status != DEFT_OK) {
        return deft__fail_memory(error);
    }
    deft_tool_id tool = {0};
    if (!deft_catalog_find(deft_plan_catalog(visible->plan), name, &tool) ||
        !deft__visible_allows(visible, tool.index)) {
        return DEFT_OK;
    }
    if (visible->places[tool.index] > 0) {
        return fail_at(value, error, "a tool is in 'visible' twice");
    }
    // As in an update: what was seen stays seen, and what the plan shows is no longer "loaded".
    is_loaded = is_loaded && deft__visible_is_deferred(visible, tool);
    return deft__visible_append(visible, tool, is_loaded ? DEFT_SEEN_LOADED : DEFT_SEEN_UPFRONT,
                                is_loaded ? search : 0)
               ? DEFT_OK
               : deft__fail_memory(error);
}

static deft_status read_visible(deft_session *session, deft__json_value root, deft_error *error)
{
    const deft__json_value list   = deft__json_member(root, "visible");
    deft_status            status = DEFT_OK;
    if (!deft__json_is(list, DEFT__JSON_ARRAY)) {
        return fail_at(root, error, "'visible' is not an array");
    }
    deft_buffer scratch;
    deft_buffer_init(&scratch, session->allocator);
    deft__json_iterator i = deft__json_iterate(list);
    while (status == DEFT_OK && deft__json_next(&i)) {
        status = restore_seen(session, i.value, &scratch, error);
    }
    deft_buffer_clear(&scratch);
    return status;
}

static deft_status read_restrictions(deft_session *session, deft__json_value root,
                                     const deft_restriction *restriction, deft_error *error)
{
    const deft_status status = deft__restrictions_read(
        &session->restrictions, deft__json_member(root, "restrictions"), error);
    if (status != DEFT_OK || restriction == NULL) {
        return status;
    }
    return deft__restrictions_add(&session->restrictions, restriction, error);
}

static deft_status read_session(deft_session *session, deft_plan *plan, deft__json_value root,
                                const deft_restriction *restriction, deft_error *error)
{
    if (!deft__json_is(root, DEFT__JSON_OBJECT)) {
        return fail_at(root, error, "it is not a JSON object");
    }
    deft_status status = read_version(root, error);
    if (status == DEFT_OK) {
        status = read_count(root, "turns", &session->turn_count, error);
    }
    if (status == DEFT_OK) {
        status = read_searches(session, root, error);
    }
    if (status == DEFT_OK) {
        status = read_restrictions(session, root, restriction, error);
    }
    if (status == DEFT_OK &&
        !deft__visible_init(&session->visible, plan, &session->restrictions, session->allocator)) {
        status = deft__fail_memory(error);
    }
    if (status == DEFT_OK) {
        status = read_visible(session, root, error);
    }
    if (status == DEFT_OK && !deft__visible_append_upfront(&session->visible)) {
        status = deft__fail_memory(error);
    }
    return status;
}

deft_session *deft_session_restore(deft_plan *plan, const deft_settings *settings, deft_view saved,
                                   const deft_restriction *restriction,
                                   const deft_allocator *allocator, deft_error *error)
{
    deft_session *session = deft__session_new_empty(settings, allocator, error);
    if (session == NULL) {
        return NULL;
    }
    deft__json document;
    deft__json_init(&document, allocator);
    deft_status status = deft__json_parse(&document, saved, NULL, error);
    if (status == DEFT_OK) {
        status = read_session(session, plan, deft__json_root(&document), restriction, error);
    }
    deft__json_clear(&document);
    if (status != DEFT_OK) {
        deft_session_free(session);
        return NULL;
    }
    return session;
}
