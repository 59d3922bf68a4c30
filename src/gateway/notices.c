// What clients are told without asking each time: log messages, and that a list or a resource has
// changed. A legacy client is told everything from its start; a modern one what it listens for.
#include "base/memory.h"
#include "gateway/private.h"
#include "gateway/relay.h"

#include <stdio.h>

#define LISTENS_MAX 1024u // of one client

struct deft__listen {
    deft__listen *next;
    deft_buffer   uris;     // of resources, each with its NUL
    bool          lists[3]; // by deft__changed_list
    uint32_t      id_size;
    char          id[]; // raw, of the client's request
};

static deft_view id_of(const deft__listen *listen)
{
    return deft_view_make(listen->id, listen->id_size);
}

// --- Logs. ---

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

bool deft__log_level(deft_view name, unsigned *level)
{
    for (unsigned i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (deft_view_equals(name, levels[i])) {
            *level = i;
            return true;
        }
    }
    return false;
}

const char *deft__log_level_name(unsigned level)
{
    return levels[level < sizeof levels / sizeof levels[0] ? level : 0];
}

void deft__client_set_log_level(deft__client *client, const deft__mcp_message *message)
{
    deft__gateway *gateway = client->gateway;
    deft_buffer    scratch;
    deft_buffer_init(&scratch, gateway->allocator);
    const deft_view name = deft__json_string(deft__mcp_param(message, "level"), &scratch);
    if (!deft__log_level(name, &client->log_level)) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "params.level must be one of debug, info, notice, warning, error, "
                                "critical, alert, emergency");
    } else {
        client->is_log_level_set = true;
        deft_buffer *line        = deft__client_begin_result(client, message->id);
        deft_buffer_append_text(line, "{}");
        deft__client_finish_result(client, message->id);
        deft__gateway_set_log_levels(gateway);
    }
    deft_buffer_clear(&scratch);
}

// Servers are asked for the lowest level that any legacy client wants; each client gets its own.
static unsigned lowest_level(const deft__gateway *gateway, bool *is_wanted)
{
    unsigned lowest = 7;
    *is_wanted      = false;
    for (const deft__client *client = gateway->clients; client != NULL; client = client->next) {
        if (client->era == DEFT__MCP_ERA_LEGACY && client->is_log_level_set) {
            lowest     = client->log_level < lowest ? client->log_level : lowest;
            *is_wanted = true;
        }
    }
    return lowest;
}

static void ignore_answer(void *context, deft__exchange *exchange, const deft__outcome *outcome)
{
    (void)context;
    (void)exchange;
    (void)outcome;
}

void deft__slot_set_log_level(deft__slot *slot)
{
    char                  members[40];
    bool                  is_wanted;
    const unsigned        level    = lowest_level(slot->gateway, &is_wanted);
    const deft__manifest *manifest = deft__link_manifest(slot->link);
    if (!is_wanted || deft__link_state_of(slot->link) != DEFT__LINK_READY ||
        deft__link_era(slot->link) != DEFT__MCP_ERA_LEGACY || manifest == NULL ||
        !(manifest->capabilities & DEFT__MCP_SERVER_LOGGING)) {
        return;
    }
    (void)snprintf(members, sizeof members, "\"level\":\"%s\"", levels[level]);
    const deft__exchange_options options = {
        .method = "logging/setLevel", .members = deft_view_of(members), .finish = ignore_answer};
    (void)deft__link_request(slot->link, &options, NULL);
}

void deft__gateway_set_log_levels(deft__gateway *gateway)
{
    for (size_t i = 0; i < gateway->slot_count; i++) {
        deft__slot_set_log_level(&gateway->slots[i]);
    }
}

// The server's message with its name in front of the logger's.
static void write_log(deft_buffer *out, deft_view server, deft__json_value params)
{
    deft__json_writer   json;
    deft_buffer         logger;
    deft__json_iterator i = deft__json_iterate(params);
    deft_buffer_init(&logger, out->allocator);
    deft_buffer_append(&logger, server);
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    while (deft__json_next(&i)) {
        if (deft__json_string_equals(i.name, deft_view_of("logger"))) {
            deft_buffer scratch;
            deft_buffer_init(&scratch, out->allocator);
            deft_buffer_append_byte(&logger, '/');
            deft_buffer_append(&logger, deft__json_string(i.value, &scratch));
            deft_buffer_clear(&scratch);
        } else {
            deft_buffer_append_text(out, json.needs_comma ? "," : "");
            deft_buffer_append(out, deft__json_raw(i.name));
            deft_buffer_append_byte(out, ':');
            json.needs_comma = false;
            deft__json_write_raw(&json, deft__json_raw(i.value));
        }
    }
    deft__json_name(&json, "logger");
    deft__json_write_string(&json, deft_buffer_view(&logger));
    deft__json_end_object(&json);
    deft_buffer_clear(&logger);
}

// A modern client gets log messages only for its own requests that ask for them.
static bool wants_log(const deft__client *client, uint32_t server, unsigned level, deft_view *about)
{
    if (client->era == DEFT__MCP_ERA_LEGACY) {
        return level >= client->log_level;
    }
    for (const deft__relay *relay = client->relays; relay != NULL; relay = relay->next) {
        unsigned wanted;
        if (relay->server == server && deft__log_level(relay->log_level, &wanted) &&
            level >= wanted) {
            *about = relay->id;
            return true;
        }
    }
    return false;
}

static void pass_log(deft__gateway *gateway, const deft__slot *slot,
                     const deft__mcp_message *message)
{
    deft_buffer params;
    unsigned    level = 1;
    deft_buffer_init(&params, gateway->allocator);
    const deft_view name = deft__json_string(deft__mcp_param(message, "level"), &params);
    (void)deft__log_level(name, &level);
    deft_buffer_reset(&params);
    write_log(&params, deft__link_name(slot->link), message->params);
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        deft_view about = {NULL, 0};
        if (params.status == DEFT_OK && deft__client_may_reach(client, (uint32_t)slot->place) &&
            wants_log(client, (uint32_t)slot->place, level, &about)) {
            deft__client_notify(client, about, "notifications/message", deft_buffer_view(&params));
        }
    }
    deft_buffer_clear(&params);
}

// --- Changed lists. ---

// Params that name the listen, and perhaps a resource.
static void tell_listen(deft__client *client, const deft__listen *listen, const char *method,
                        deft_view uri)
{
    deft_buffer       params;
    deft__json_writer json;
    deft_buffer_init(&params, client->gateway->allocator);
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    if (uri.size > 0) {
        deft__json_name(&json, "uri");
        deft__json_write_string(&json, uri);
    }
    deft__json_name(&json, "_meta");
    deft__json_begin_object(&json);
    deft__json_name(&json, "io.modelcontextprotocol/subscriptionId");
    deft__json_write_raw(&json, id_of(listen));
    deft__json_end_object(&json);
    deft__json_end_object(&json);
    if (params.status == DEFT_OK) {
        deft__client_notify(client, id_of(listen), method, deft_buffer_view(&params));
    }
    deft_buffer_clear(&params);
}

void deft__client_tell_changed(deft__client *client, deft__changed_list list)
{
    static const char *const method_names[] = {"notifications/tools/list_changed",
                                               "notifications/prompts/list_changed",
                                               "notifications/resources/list_changed"};
    if (client->era == DEFT__MCP_ERA_LEGACY) {
        deft__client_notify(client, deft_view_of(NULL), method_names[list], deft_view_of(NULL));
        return;
    }
    for (const deft__listen *one = client->listens; one != NULL; one = one->next) {
        if (one->lists[list]) {
            tell_listen(client, one, method_names[list], deft_view_of(NULL));
        }
    }
}

// --- Listening, modern. ---

static void free_listen(const deft__gateway *gateway, deft__listen *listen)
{
    deft_buffer_clear(&listen->uris);
    deft__free(gateway->allocator, listen, sizeof *listen + listen->id_size);
}

static void acknowledge(deft__client *client, const deft__listen *listen, deft__json_value uris)
{
    static const char *const names[] = {"toolsListChanged", "promptsListChanged",
                                        "resourcesListChanged"};
    deft_buffer              params;
    deft__json_writer        json;
    deft_buffer_init(&params, client->gateway->allocator);
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    deft__json_name(&json, "_meta");
    deft__json_begin_object(&json);
    deft__json_name(&json, "io.modelcontextprotocol/subscriptionId");
    deft__json_write_raw(&json, id_of(listen));
    deft__json_end_object(&json);
    deft__json_name(&json, "notifications");
    deft__json_begin_object(&json);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (listen->lists[i]) {
            deft__json_name(&json, names[i]);
            deft__json_write_bool(&json, true);
        }
    }
    if (deft__json_count(uris) > 0) {
        deft__json_name(&json, "resourceSubscriptions");
        deft__json_write_raw_line(&json, deft__json_raw(uris));
    }
    deft__json_end_object(&json);
    deft__json_end_object(&json);
    if (params.status == DEFT_OK) {
        deft__client_notify(client, id_of(listen), "notifications/subscriptions/acknowledged",
                            deft_buffer_view(&params));
    }
    deft_buffer_clear(&params);
}

static bool is_true(deft__json_value object, const char *name)
{
    return deft__json_is(deft__json_member(object, name), DEFT__JSON_TRUE);
}

// Asks the server of each resource to tell of its changes.
static void watch_resources(deft__client *client, deft__listen *listen, deft__json_value uris)
{
    deft__gateway      *gateway = client->gateway;
    deft__json_iterator i       = deft__json_iterate(uris);
    while (deft__json_next(&i)) {
        deft_buffer scratch;
        uint32_t    server;
        deft_view   key;
        deft_buffer_init(&scratch, gateway->allocator);
        const deft_view uri = deft__json_string(i.value, &scratch);
        deft_buffer_append(&listen->uris, uri);
        deft_buffer_append_byte(&listen->uris, '\0');
        if (deft__client_find_resource(client, uri, &server, &key)) {
            deft__relay_watch(client, server, key, uri);
        }
        deft_buffer_clear(&scratch);
    }
}

void deft__client_listen(deft__client *client, const deft__mcp_message *message)
{
    const deft__json_value wanted = deft__mcp_param(message, "notifications");
    const deft__json_value uris   = deft__json_member(wanted, "resourceSubscriptions");
    size_t                 count  = 0;
    for (const deft__listen *one = client->listens; one != NULL; one = one->next) {
        count++;
    }
    deft__listen *listen = count < LISTENS_MAX ? deft__new(client->gateway->allocator,
                                                           sizeof *listen + message->id.size)
                                               : NULL;
    if (listen == NULL) {
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR,
                                "too many subscriptions are open");
        return;
    }
    deft_buffer_init(&listen->uris, client->gateway->allocator);
    listen->id_size = (uint32_t)message->id.size;
    for (size_t i = 0; i < message->id.size; i++) {
        listen->id[i] = message->id.data[i];
    }
    listen->lists[DEFT__CHANGED_TOOLS]     = is_true(wanted, "toolsListChanged");
    listen->lists[DEFT__CHANGED_PROMPTS]   = is_true(wanted, "promptsListChanged");
    listen->lists[DEFT__CHANGED_RESOURCES] = is_true(wanted, "resourcesListChanged");
    listen->next                           = client->listens;
    client->listens                        = listen;
    acknowledge(client, listen, uris);
    watch_resources(client, listen, uris);
}

// One that is in no list any more.
static void end_listen(deft__client *client, deft__listen *listen)
{
    for (size_t i = 0; i < listen->uris.size;) {
        const deft_view uri = deft_view_of(listen->uris.data + i);
        deft__relay_unwatch(client, uri);
        i += uri.size + 1;
    }
    free_listen(client->gateway, listen);
}

bool deft__client_end_listen(deft__client *client, deft_view id)
{
    for (deft__listen **at = &client->listens; *at != NULL; at = &(*at)->next) {
        deft__listen *listen = *at;
        if (deft_view_equal(id_of(listen), id)) {
            *at = listen->next;
            end_listen(client, listen);
            return true;
        }
    }
    return false;
}

// The request is answered at last. A page of the specification wants it cancelled over stdio, too; over
// HTTP nothing follows an answer.
static void answer_listen(deft__client *client, const deft__listen *listen)
{
    deft_buffer params;
    deft_buffer_init(&params, client->gateway->allocator);
    deft_buffer *line = deft__client_begin_result(client, id_of(listen));
    deft_buffer_append_text(line, "{\"resultType\":\"complete\",\"_meta\":{"
                                  "\"io.modelcontextprotocol/subscriptionId\":");
    deft_buffer_append(line, id_of(listen));
    deft_buffer_append_text(line, "}}");
    deft__client_finish_result(client, id_of(listen));
    deft_buffer_append_text(&params, "{\"requestId\":");
    deft_buffer_append(&params, id_of(listen));
    deft_buffer_append_byte(&params, '}');
    if (params.status == DEFT_OK) {
        deft__client_notify(client, id_of(listen), "notifications/cancelled",
                            deft_buffer_view(&params));
    }
    deft_buffer_clear(&params);
}

void deft__gateway_end_listens(deft__gateway *gateway)
{
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        while (client->listens != NULL) {
            deft__listen *listen = client->listens;
            client->listens      = listen->next;
            answer_listen(client, listen);
            end_listen(client, listen);
        }
    }
}

void deft__client_clear_listens(deft__client *client)
{
    while (client->listens != NULL) {
        deft__listen *listen = client->listens;
        client->listens      = listen->next;
        free_listen(client->gateway, listen);
    }
}

// --- From servers. ---

static bool listens_for(const deft__listen *listen, deft_view uri)
{
    const deft_view uris = deft_buffer_view(&listen->uris);
    for (size_t at = 0; at < uris.size;) {
        const deft_view one = deft_view_of(uris.data + at);
        if (deft_view_equal(one, uri)) {
            return true;
        }
        at += one.size + 1;
    }
    return false;
}

static void pass_updated(deft__gateway *gateway, const deft__slot *slot,
                         const deft__mcp_message *message)
{
    deft_buffer scratch;
    deft_buffer params;
    deft_buffer_init(&scratch, gateway->allocator);
    deft_buffer_init(&params, gateway->allocator);
    const deft_view    key = deft__json_string(deft__mcp_param(message, "uri"), &scratch);
    const deft__offer *offer =
        gateway->snapshot != NULL
            ? deft__offers_find_key(&gateway->snapshot->resources, (uint32_t)slot->place, key)
            : NULL;
    const deft_view   uri = offer != NULL ? offer->shown : key;
    deft__json_writer json;
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    deft__json_name(&json, "uri");
    deft__json_write_string(&json, uri);
    deft__json_end_object(&json);
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        if (!deft__client_may_reach(client, (uint32_t)slot->place)) {
            continue;
        }
        if (client->era == DEFT__MCP_ERA_LEGACY && params.status == DEFT_OK) {
            deft__client_notify(client, deft_view_of(NULL), "notifications/resources/updated",
                                client->has_only ? deft__json_raw(message->params)
                                                 : deft_buffer_view(&params));
        }
        for (const deft__listen *one = client->listens; one != NULL; one = one->next) {
            const deft_view shown = client->has_only ? key : uri;
            if (listens_for(one, shown)) {
                tell_listen(client, one, "notifications/resources/updated", shown);
            }
        }
    }
    deft_buffer_clear(&params);
    deft_buffer_clear(&scratch);
}

// Others (an elicitation that is complete) go to legacy clients as they are.
static void pass_other(deft__gateway *gateway, const deft__slot *slot,
                       const deft__mcp_message *message)
{
    deft_buffer name;
    deft_buffer_init(&name, gateway->allocator);
    deft_buffer_append(&name, message->method);
    deft_buffer_append_byte(&name, '\0');
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        if (client->era == DEFT__MCP_ERA_LEGACY && name.status == DEFT_OK &&
            deft__client_may_reach(client, (uint32_t)slot->place)) {
            deft__client_notify(client, deft_view_of(NULL), name.data,
                                deft__json_raw(message->params));
        }
    }
    deft_buffer_clear(&name);
}

void deft__gateway_notified(void *context, deft__link *link, const deft__mcp_message *message)
{
    deft__gateway    *gateway = context;
    const deft__slot *slot    = deft__link_tag(link);
    if (deft_view_equals(message->method, "notifications/message")) {
        pass_log(gateway, slot, message);
    } else if (deft_view_equals(message->method, "notifications/resources/updated")) {
        pass_updated(gateway, slot, message);
    } else if (!deft_view_starts_with(message->method,
                                      deft_view_of("notifications/subscriptions/"))) {
        pass_other(gateway, slot, message); // what is said of a subscription of ours is ours
    }
}
