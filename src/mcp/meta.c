// What requests say of themselves in `_meta`: the envelope of a modern request, the progress token,
// and what of it all travels on to another peer.
#include "mcp/meta.h"

#include "base/fail.h"
#include "mcp/era.h"
#include "json/writer.h"

bool deft__mcp_is_modern(const deft__mcp_message *message)
{
    return !deft__json_is(deft__json_member(message->meta, DEFT__MCP_META_VERSION),
                          DEFT__JSON_NONE);
}

static deft_status fail_member(deft_error *error, deft__json_value value, const char *name,
                               const char *wanted)
{
    if (deft__json_is(value, DEFT__JSON_NONE)) {
        return deft__fail(error, DEFT_INVALID, 0, "_meta has no '%s'", name);
    }
    return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                      "'%s' in _meta must be %s, not %s", name, wanted,
                      deft__json_kind_name(deft__json_kind_of(value)));
}

static bool is_log_level(deft__json_value value)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (deft__json_string_equals(value, deft_view_of(levels[i]))) {
            return true;
        }
    }
    return false;
}

static deft_status check_envelope(deft__json_value version, const deft__mcp_envelope *envelope,
                                  deft__json_value log_level, deft_error *error)
{
    if (!deft__json_is(version, DEFT__JSON_STRING)) {
        return fail_member(error, version, DEFT__MCP_META_VERSION, "a string");
    } else if (!deft__json_is(envelope->capabilities, DEFT__JSON_OBJECT)) {
        return fail_member(error, envelope->capabilities, DEFT__MCP_META_CAPABILITIES, "an object");
    } else if (!deft__json_is(envelope->client_info, DEFT__JSON_NONE) &&
               !deft__json_is(envelope->client_info, DEFT__JSON_OBJECT)) {
        return fail_member(error, envelope->client_info, DEFT__MCP_META_CLIENT_INFO, "an object");
    } else if (deft__json_is(log_level, DEFT__JSON_NONE) || is_log_level(log_level)) {
        return DEFT_OK;
    } else if (deft__json_is(log_level, DEFT__JSON_STRING)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(log_level),
                          "'%s' in _meta is not one of debug, info, notice, warning, error, "
                          "critical, alert, emergency",
                          DEFT__MCP_META_LOG_LEVEL);
    } else {
        return fail_member(error, log_level, DEFT__MCP_META_LOG_LEVEL, "a string");
    }
}

deft_status deft__mcp_read_envelope(deft__mcp_reader *reader, const deft__mcp_message *message,
                                    deft__mcp_envelope *envelope, deft_error *error)
{
    const deft__json_value version = deft__json_member(message->meta, DEFT__MCP_META_VERSION);
    const deft__json_value level   = deft__json_member(message->meta, DEFT__MCP_META_LOG_LEVEL);
    deft__mcp_envelope     found   = {
              .capabilities = deft__json_member(message->meta, DEFT__MCP_META_CAPABILITIES),
              .client_info  = deft__json_member(message->meta, DEFT__MCP_META_CLIENT_INFO),
    };
    const deft_status status = check_envelope(version, &found, level, error);
    if (status != DEFT_OK) {
        return status;
    }

    // Room for both before the first is decoded: what grows the buffer later would move it. A
    // method that lies in the buffer already made room for all of this when it was decoded.
    deft_buffer_truncate(&reader->scratch, reader->kept_size);
    if (!deft_buffer_reserve(&reader->scratch,
                             deft__json_raw(version).size + deft__json_raw(level).size)) {
        return deft__fail_memory(error);
    }
    found.version   = deft__json_string(version, &reader->scratch);
    found.log_level = deft__json_string(level, &reader->scratch);
    *envelope       = found;
    return DEFT_OK;
}

deft_view deft__mcp_progress_token(const deft__mcp_message *message)
{
    const deft__json_value token = deft__json_member(message->meta, "progressToken");
    const bool             is_token =
        deft__json_is(token, DEFT__JSON_STRING) || deft__json_is(token, DEFT__JSON_NUMBER);
    return is_token ? deft__json_raw(token) : deft_view_of(NULL);
}

// Whether a member of _meta is between two neighbours only. `scratch` is for names with escapes.
static bool stays_here(deft__json_value name, deft_buffer *scratch)
{
    deft_buffer_truncate(scratch, 0);
    const deft_view text = deft__json_string(name, scratch);
    return deft_view_equals(text, "progressToken") ||
           deft_view_starts_with(text, deft_view_of(DEFT__MCP_META));
}

void deft__mcp_write_forwarded_meta(deft_buffer *out, deft__json_value meta)
{
    deft__json_writer   writer;
    deft_buffer         scratch;
    deft__json_iterator i = deft__json_iterate(meta);
    deft__json_writer_init(&writer, out);
    deft_buffer_init(&scratch, out->allocator);
    while (i.is_object && deft__json_next(&i)) {
        if (!stays_here(i.name, &scratch) && scratch.status == DEFT_OK) {
            deft__json_write_raw(&writer, deft__json_raw(i.name));
            deft_buffer_append_byte(out, ':');
            writer.needs_comma = false;
            deft__json_write_raw_line(&writer, deft__json_raw(i.value));
        }
    }
    if (scratch.status != DEFT_OK) {
        out->status = scratch.status;
    }
    deft_buffer_clear(&scratch);
}

void deft__mcp_write_envelope(deft_buffer *out, deft_view version, deft_view capabilities,
                              deft_view client_info, deft_view log_level)
{
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_name(&writer, DEFT__MCP_META_VERSION);
    deft__json_write_string(&writer, version);
    deft__json_name(&writer, DEFT__MCP_META_CAPABILITIES);
    deft__json_write_raw_line(&writer, capabilities.size > 0 ? capabilities : deft_view_of("{}"));
    if (client_info.size > 0) {
        deft__json_name(&writer, DEFT__MCP_META_CLIENT_INFO);
        deft__json_write_raw_line(&writer, client_info);
    }
    if (log_level.size > 0) {
        deft__json_name(&writer, DEFT__MCP_META_LOG_LEVEL);
        deft__json_write_string(&writer, log_level);
    }
}
