// Results are walked member by member, the top level and `_meta` only, so the cost does not depend
// on what a tool has returned; what stays is copied in runs.
#include "mcp/adapt.h"

#include "mcp/cut.h"
#include "mcp/meta.h"

// What is asked for, and what the result turned out to have.
typedef struct adaptation {
    deft__cut                cut;
    bool                     is_modern; // the peer
    const deft__mcp_caching *caching;   // NULL: the result may not be cached
    deft_view                server_info;
    bool                     is_call;

    bool             has_type;
    bool             has_ttl;
    bool             has_scope;
    bool             has_meta;
    bool             has_content;
    deft__json_value lost; // a structuredContent that the peer cannot take
} adaptation;

static bool is_named(const deft__cut_object *object, const char *name)
{
    return deft__json_string_equals(object->i.name, deft_view_of(name));
}

// Whether anything of a _meta is for a peer of ours: who the server is, is between neighbours.
static bool has_more_than_server_info(deft__json_value meta)
{
    deft__json_iterator i       = deft__json_iterate(meta);
    bool                is_more = deft__json_count(meta) == 0; // it came empty, it goes on empty
    while (deft__json_next(&i)) {
        is_more |= !deft__json_string_equals(i.name, deft_view_of(DEFT__MCP_META_SERVER_INFO));
    }
    return is_more;
}

static void write_server_info(deft__json_writer *writer, deft_view server_info)
{
    deft__json_name(writer, DEFT__MCP_META_SERVER_INFO);
    deft__json_write_raw(writer, server_info);
}

// Puts our serverInfo in place of another server's, or only takes that one out.
static void adapt_meta(adaptation *to, deft__cut_object *result)
{
    const bool puts_info = to->is_modern && to->server_info.size > 0;
    if (!deft__json_is(result->i.value, DEFT__JSON_OBJECT) ||
        (!puts_info && !has_more_than_server_info(result->i.value))) {
        deft__cut_member(&to->cut, result);
        return;
    }
    deft__cut_object meta = deft__cut_enter(&to->cut, result->i.value);
    while (deft__cut_next(&to->cut, &meta)) {
        if (is_named(&meta, DEFT__MCP_META_SERVER_INFO)) {
            deft__cut_member(&to->cut, &meta);
        }
    }
    if (puts_info) {
        deft__json_writer writer = deft__cut_leave(&to->cut, &meta);
        write_server_info(&writer, to->server_info);
    }
    to->has_meta = true;
}

// Keeps the current member where `is_good`, else cuts it; tells in `has` that there is a good one.
static void keep_if(adaptation *to, deft__cut_object *result, bool is_good, bool *has)
{
    if (is_good) {
        *has = true;
    } else {
        deft__cut_member(&to->cut, result);
    }
}

// What a modern result says of itself stays where it is well said.
static void adapt_modern_member(adaptation *to, deft__cut_object *result)
{
    const deft__json_value value  = result->i.value;
    uint64_t               ttl_ms = 0;
    if (is_named(result, "resultType")) {
        keep_if(to, result, !deft__json_is(value, DEFT__JSON_NULL), &to->has_type);
    } else if (to->caching != NULL && is_named(result, "ttlMs")) {
        keep_if(to, result, deft__json_uint64(value, &ttl_ms) == DEFT_OK, &to->has_ttl);
    } else if (to->caching != NULL && is_named(result, "cacheScope")) {
        keep_if(to, result,
                deft__json_string_equals(value, deft_view_of("public")) ||
                    deft__json_string_equals(value, deft_view_of("private")),
                &to->has_scope);
    }
}

static void adapt_legacy_member(adaptation *to, deft__cut_object *result)
{
    if (is_named(result, "resultType") || is_named(result, "ttlMs") ||
        is_named(result, "cacheScope")) {
        deft__cut_member(&to->cut, result);
    } else if (to->is_call && is_named(result, "structuredContent") &&
               !deft__json_is(result->i.value, DEFT__JSON_OBJECT)) {
        deft__cut_member(&to->cut, result);
        to->lost = result->i.value;
    }
}

static void adapt_member(adaptation *to, deft__cut_object *result)
{
    if (is_named(result, "_meta")) {
        adapt_meta(to, result);
    } else if (to->is_call && is_named(result, "content")) {
        keep_if(to, result, !deft__json_is(result->i.value, DEFT__JSON_NULL), &to->has_content);
    } else if (to->is_modern) {
        adapt_modern_member(to, result);
    } else {
        adapt_legacy_member(to, result);
    }
}

static void write_text_content(deft__json_writer *writer, deft_view text)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, "text");
    deft__json_name(writer, "text");
    deft__json_write_string(writer, text);
    deft__json_end_object(writer);
}

// The content that a call's result lacks. A value that only stood in structuredContent, where the
// peer may not have it, is said as text rather than not at all.
static void add_content(const adaptation *to, deft__json_writer *writer)
{
    const deft__json_kind lost = deft__json_kind_of(to->lost);
    deft__json_name(writer, "content");
    deft__json_begin_array(writer);
    if (lost != DEFT__JSON_NONE && lost != DEFT__JSON_NULL) {
        write_text_content(writer, deft__json_raw(to->lost));
    }
    deft__json_end_array(writer);
}

static void add_modern_members(const adaptation *to, bool is_complete, deft__json_writer *writer)
{
    if (!to->has_type) {
        deft__json_name(writer, "resultType");
        deft__json_write_text(writer, "complete");
    }
    if (to->caching != NULL && is_complete && !to->has_ttl) {
        deft__json_name(writer, "ttlMs");
        deft__json_write_uint64(writer, to->caching->ttl_ms);
    }
    if (to->caching != NULL && is_complete && !to->has_scope) {
        deft__json_name(writer, "cacheScope");
        deft__json_write_text(writer, to->caching->is_private ? "private" : "public");
    }
    if (!to->has_meta && to->server_info.size > 0) {
        deft__json_name(writer, "_meta");
        deft__json_begin_object(writer);
        write_server_info(writer, to->server_info);
        deft__json_end_object(writer);
    }
}

void deft__mcp_write_result_for(deft_buffer *out, deft__json_value result, deft__mcp_era to,
                                const deft__mcp_caching *caching, deft_view server_info,
                                bool is_call)
{
    const bool is_object   = deft__json_is(result, DEFT__JSON_OBJECT);
    const bool is_complete = deft__mcp_result_type_of(result) == DEFT__MCP_COMPLETE;
    adaptation work        = {
               .is_modern   = to == DEFT__MCP_ERA_MODERN,
               .caching     = caching != NULL && caching->is_cacheable ? caching : NULL,
               .server_info = server_info,
               .is_call     = is_call,
    };
    deft__cut_init(&work.cut, out, is_object ? deft__json_raw(result) : deft_view_of("{}"));

    deft__cut_object object = deft__cut_enter(&work.cut, result);
    while (deft__cut_next(&work.cut, &object)) {
        adapt_member(&work, &object);
    }
    deft__json_writer writer = deft__cut_leave(&work.cut, &object);
    if (is_call && is_complete && !work.has_content) {
        add_content(&work, &writer);
    }
    if (work.is_modern) {
        add_modern_members(&work, is_complete, &writer);
    }
    deft__cut_finish(&work.cut);
}

void deft__mcp_write_tool_error(deft_buffer *out, deft_view text)
{
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "content");
    deft__json_begin_array(&writer);
    write_text_content(&writer, text);
    deft__json_end_array(&writer);
    deft__json_name(&writer, "isError");
    deft__json_write_bool(&writer, true);
    deft__json_end_object(&writer);
}

deft__mcp_result_type deft__mcp_result_type_of(deft__json_value result)
{
    const deft__json_value type = deft__json_member(result, "resultType");
    if (deft__json_is(type, DEFT__JSON_NONE) || deft__json_is(type, DEFT__JSON_NULL) ||
        deft__json_string_equals(type, deft_view_of("complete"))) {
        return DEFT__MCP_COMPLETE;
    } else if (deft__json_string_equals(type, deft_view_of("input_required"))) {
        return DEFT__MCP_INPUT_REQUIRED;
    } else {
        return DEFT__MCP_RESULT_UNKNOWN;
    }
}
