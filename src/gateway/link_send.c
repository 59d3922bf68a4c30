// Requests and notifications as lines. A legacy request carries what its client put into _meta, and
// a progress token; a modern one also says version and capabilities, each time.
#include "gateway/link_private.h"
#include "json/writer.h"

#include <inttypes.h>
#include <stdio.h>

// What is kept of a buffer for the next line; an uncommonly long one gives its memory back.
#define KEPT_SIZE_MAX (256u * 1024)

bool deft__link_send_line(deft__link *link)
{
    // Taken out for the call: whoever is called may send something else.
    deft_buffer line = link->line;
    deft_buffer_init(&link->line, link->allocator);
    const bool is_whole = line.status == DEFT_OK;
    if (is_whole) {
        link->calling++;
        link->driver->send(link->driver->context, link, link->life, deft_buffer_view(&line));
        link->calling--;
    }
    if (link->line.data == NULL && line.capacity <= KEPT_SIZE_MAX) {
        deft_buffer_reset(&line);
        link->line = line;
    } else {
        deft_buffer_clear(&line);
    }
    return is_whole;
}

// `{members,"_meta":{...}}`; nothing at all where both would be empty.
static void write_params(deft_buffer *out, const deft__link *link, uint64_t id,
                         const deft__link_parts *parts)
{
    const bool is_modern = link->era == DEFT__MCP_ERA_MODERN;
    const bool has_meta  = is_modern || parts->meta.size > 0 || parts->wants_progress;
    if (parts->members.size == 0 && !has_meta) {
        return;
    }
    deft_buffer_append_byte(out, '{');
    deft_buffer_append(out, parts->members);
    if (has_meta) {
        deft_buffer_append_text(out, parts->members.size > 0 ? ",\"_meta\":{" : "\"_meta\":{");
        const size_t start = out->size;
        if (is_modern) {
            const deft_view version = link->phase == DEFT__LINK_UP
                                          ? deft__link_hello_version(link)
                                          : deft_view_of(DEFT__MCP_VERSION_MODERN);
            deft__mcp_write_envelope(out, version,
                                     parts->capabilities.size > 0 ? parts->capabilities
                                                                  : deft_view_of("{}"),
                                     deft__link_client_info(link), parts->log_level);
        }
        if (parts->meta.size > 0) {
            deft_buffer_append_text(out, out->size > start ? "," : "");
            deft_buffer_append(out, parts->meta);
        }
        if (parts->wants_progress) {
            deft_buffer_append_text(out, out->size > start ? "," : "");
            deft_buffer_append_text(out, "\"progressToken\":");
            deft_buffer_append_u64(out, id);
        }
        deft_buffer_append_byte(out, '}');
    }
    deft_buffer_append_byte(out, '}');
}

static deft_view write_id(char out[24], uint64_t id)
{
    return deft_view_make(out, (size_t)snprintf(out, 24, "%" PRIu64, id));
}

bool deft__link_write_request(deft__link *link, uint64_t id, const deft__link_parts *parts)
{
    char digits[24];
    deft_buffer_reset(&link->params);
    deft_buffer_reset(&link->line);
    write_params(&link->params, link, id, parts);
    const bool is_whole = link->params.status == DEFT_OK;
    if (is_whole) {
        deft__mcp_write_request(&link->line, write_id(digits, id), parts->method,
                                deft_buffer_view(&link->params));
    }
    if (link->params.capacity > KEPT_SIZE_MAX) {
        deft_buffer_clear(&link->params);
    }
    return is_whole && link->line.status == DEFT_OK;
}

uint64_t deft__link_send_own(deft__link *link, const char *method, deft_view members)
{
    deft__link_parts parts = {.method = method, .members = members};
    deft_buffer      capabilities;
    deft_buffer_init(&capabilities, link->allocator);
    uint64_t id = 0;
    if (link->era == DEFT__MCP_ERA_MODERN) {
        deft__mcp_write_client_capabilities(&capabilities, link->capabilities,
                                            DEFT__MCP_ERA_MODERN);
        parts.capabilities = deft_buffer_view(&capabilities);
    }
    if (capabilities.status == DEFT_OK) {
        id = ++link->last_id;
        if (deft__link_write_request(link, id, &parts)) {
            (void)deft__link_send_line(link);
        } else {
            id = 0;
        }
    }
    deft_buffer_clear(&capabilities);
    return id;
}

void deft__link_send_cancelled(deft__link *link, uint64_t id, deft_view reason)
{
    deft__json_writer writer;
    deft_buffer_reset(&link->params);
    deft_buffer_reset(&link->line);
    deft__json_writer_init(&writer, &link->params);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "requestId");
    deft__json_write_uint64(&writer, id);
    if (reason.size > 0) {
        deft__json_name(&writer, "reason");
        deft__json_write_string(&writer, reason);
    }
    deft__json_end_object(&writer);
    if (link->params.status == DEFT_OK) {
        deft__mcp_write_notification(&link->line, "notifications/cancelled",
                                     deft_buffer_view(&link->params));
        (void)deft__link_send_line(link);
    }
}
