#include "gateway/status.h"

#include "core/settings/settings.h"

// A server whose tools are not in the catalog, though it is configured.
static bool is_missing(const deft__link *link)
{
    const deft__link_state state = deft__link_state_of(link);
    return deft__link_manifest(link) == NULL || state == DEFT__LINK_DISABLED ||
           state == DEFT__LINK_QUARANTINED;
}

static void append_state(deft_buffer *out, const deft__link *link)
{
    const deft_view reason = deft__link_reason(link);
    deft_buffer_append(out, deft__link_name(link));
    deft_buffer_append_text(out, " (");
    deft_buffer_append_text(out, deft__link_state_name(deft__link_state_of(link)));
    if (reason.size > 0) {
        deft_buffer_append_text(out, ": ");
        deft_buffer_append(out, reason);
    }
    deft_buffer_append_byte(out, ')');
}

void deft__gateway_write_missing(const deft__gateway *gateway, const deft__client *client,
                                 deft_buffer *out)
{
    size_t count = 0;
    for (size_t i = 0; i < gateway->slot_count; i++) {
        const deft__link *link = gateway->slots[i].link;
        if (is_missing(link) && (client == NULL || deft__client_may_see(client, (uint32_t)i))) {
            deft_buffer_append_text(out,
                                    count == 0 ? "Servers that could not be searched: " : ", ");
            append_state(out, link);
            count++;
        }
    }
    deft_buffer_append_text(out, count > 0 ? ".\n" : "");
}

void deft__gateway_write_starting(const deft__gateway *gateway, const deft__client *client,
                                  deft_buffer *out)
{
    size_t count = 0;
    for (size_t i = 0; gateway->awaited_count > 0 && i < gateway->slot_count; i++) {
        const deft__link *link = gateway->slots[i].link;
        if (gateway->slots[i].is_awaited && deft__client_may_see(client, (uint32_t)i)) {
            deft_buffer_append_text(out,
                                    count == 0 ? "\nStill starting, not searched yet: " : ", ");
            deft_buffer_append(out, deft__link_name(link));
            count++;
        }
    }
    deft_buffer_append_text(out, count > 0 ? ".\n" : "");
}

void deft__client_write_status(deft__client *client, deft_buffer *out)
{
    if (client->session != NULL && deft_session_write_status(client->session, out) != DEFT_OK) {
        out->status = DEFT_OUT_OF_MEMORY;
    }
    deft__gateway_write_missing(client->gateway, client, out);
}

deft_status deft__gateway_write_status(const deft__gateway *gateway, deft_buffer *out)
{
    if (gateway->snapshot == NULL) {
        deft_buffer_append_text(out, "Starting: the tools are not known yet.\n");
    } else if (gateway->clients == NULL) {
        deft_buffer why;
        deft_buffer_init(&why, gateway->allocator);
        if (deft_plan_explain_cause(gateway->snapshot->plan, &why) != DEFT_OK) {
            out->status = DEFT_OUT_OF_MEMORY;
        }
        deft_buffer_append_text(out, "Tool search is ");
        deft_buffer_append(out, deft_buffer_view(&why));
        deft_buffer_append_text(out, ".\nNo client is connected.\n");
        deft_buffer_clear(&why);
    }
    for (const deft__client *client = gateway->clients; client != NULL; client = client->next) {
        deft_buffer_append_text(out, "Client ");
        deft_buffer_append(out, deft__client_name(client).size > 0
                                    ? deft__client_name(client)
                                    : deft_view_of("(without a name)"));
        deft_buffer_append_text(out, ", ");
        deft_buffer_append_text(out, deft__mcp_era_name(client->era));
        if (client->token.size > 0) {
            deft_buffer_append_text(out, ", token ");
            deft_buffer_append(out, client->token);
        }
        deft_buffer_append_text(out, "\n");
        if (client->session != NULL && deft_session_write_status(client->session, out) != DEFT_OK) {
            out->status = DEFT_OUT_OF_MEMORY;
        }
    }
    deft__gateway_write_missing(gateway, NULL, out);
    return out->status;
}

static void write_search(const deft__gateway *gateway, deft__json_writer *json)
{
    deft__json_name(json, "search");
    deft__json_begin_object(json);
    deft__json_name(json, "ranking");
    deft__json_write_text(json, deft_ranking_name(gateway->settings->ranking));
    deft__json_name(json, "model");
    if (gateway->model != NULL && deft__settings_use_model(gateway->settings)) {
        deft__json_write_string(json, deft_model_tell(gateway->model).name);
    } else {
        deft__json_write_null(json);
    }
    deft__json_end_object(json);
}

deft_status deft__gateway_write_status_json(const deft__gateway *gateway, deft_buffer *out)
{
    deft__json_writer json;
    deft_buffer       session;
    deft_buffer_init(&session, gateway->allocator);
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "settled");
    deft__json_write_bool(&json, deft__gateway_is_settled(gateway));
    deft__json_name(&json, "tools");
    deft__json_write_uint64(
        &json, gateway->snapshot != NULL ? deft_catalog_tool_count(gateway->snapshot->catalog) : 0);
    write_search(gateway, &json);
    deft__json_name(&json, "clients");
    deft__json_begin_array(&json);
    for (const deft__client *client = gateway->clients; client != NULL; client = client->next) {
        deft__json_begin_object(&json);
        deft__json_name(&json, "name");
        deft__json_write_string(&json, deft__client_name(client));
        if (client->token.size > 0) {
            deft__json_name(&json, "token");
            deft__json_write_string(&json, client->token);
        }
        deft__json_name(&json, "era");
        deft__json_write_text(&json, deft__mcp_era_name(client->era));
        deft__json_name(&json, "open");
        deft__json_write_uint64(&json, deft__client_open_count(client));
        if (client->session != NULL) {
            deft_buffer_reset(&session);
            if (deft_session_write_status_json(client->session, &session) == DEFT_OK) {
                deft__json_name(&json, "toolSearch");
                deft__json_write_raw_line(&json, deft_buffer_view(&session));
            } else {
                out->status = DEFT_OUT_OF_MEMORY;
            }
        }
        deft__json_end_object(&json);
    }
    deft__json_end_array(&json);
    deft__json_name(&json, "servers");
    deft_status status = deft__gateway_write_servers(gateway, out);
    deft__json_end_object(&json);
    deft_buffer_clear(&session);
    return status == DEFT_OK ? out->status : status;
}

static void write_server(const deft__gateway *gateway, const deft__link *link,
                         deft__json_writer *json)
{
    const deft__manifest  *manifest = deft__link_manifest(link);
    const deft__link_state state    = deft__link_state_of(link);
    deft_server_id         id;
    deft__json_begin_object(json);
    deft__json_name(json, "name");
    deft__json_write_string(json, deft__link_name(link));
    deft__json_name(json, "state");
    deft__json_write_text(json, deft__link_state_name(state));
    deft__json_name(json, "era");
    deft__json_write_text(json, deft__mcp_era_name(deft__link_era(link)));
    if (manifest != NULL) {
        deft__json_name(json, "version");
        deft__json_write_string(json, manifest->version);
        deft__json_name(json, "tools");
        deft__json_write_uint64(json, manifest->tool_count);
    }
    if (gateway->snapshot != NULL &&
        deft_catalog_find_server(gateway->snapshot->catalog, deft__link_name(link), &id)) {
        deft__json_name(json, "tokens");
        deft__json_write_uint64(json, deft_sizes_server(gateway->snapshot->sizes, id).tokens);
    }
    if (deft__link_reason(link).size > 0) {
        deft__json_name(json, "reason");
        deft__json_write_string(json, deft__link_reason(link));
    }
    if (state == DEFT__LINK_FAILED || state == DEFT__LINK_UNAUTHORIZED) {
        const uint64_t at  = deft__link_retry_at_ms(link);
        const uint64_t now = deft__gateway_now(gateway);
        deft__json_name(json, "retryInMs");
        deft__json_write_uint64(json, at > now ? at - now : 0);
    }
    deft__json_name(json, "open");
    deft__json_write_uint64(json, deft__link_open_count(link));
    deft__json_end_object(json);
}

deft_status deft__gateway_write_servers(const deft__gateway *gateway, deft_buffer *out)
{
    deft__json_writer json;
    deft__json_writer_init(&json, out);
    deft__json_begin_array(&json);
    for (size_t i = 0; i < gateway->slot_count; i++) {
        write_server(gateway, gateway->slots[i].link, &json);
    }
    deft__json_end_array(&json);
    return out->status;
}
