// Prompts, resources and completions: listed from the snapshot, asked of the server that has them.
// One prompt is our own: `tool-search`, which clients show as a slash command.
#include "base/fail.h"
#include "gateway/ask.h"
#include "gateway/private.h"
#include "gateway/relay.h"
#include "gateway/status.h"

#define OWN_PROMPT "tool-search"

static const char own_prompt_text[] =
    "{\"name\":\"" OWN_PROMPT "\",\"title\":\"Tool search\","
    "\"description\":\"Shows which tools are deferred and loaded, or starts over\","
    "\"arguments\":[{\"name\":\"action\","
    "\"description\":\"status (the default) or reset\",\"required\":false}]}";

// --- What this client may see, under the names that it knows. ---

const deft__offer *deft__client_find(const deft__client *client, const deft__offers *offers,
                                     deft_view name)
{
    const deft__offer *offer = client->has_only ? deft__offers_find_key(offers, client->only, name)
                                                : deft__offers_find(offers, name);
    return offer != NULL && deft__client_may_reach(client, offer->server) ? offer : NULL;
}

bool deft__client_find_resource(const deft__client *client, deft_view uri, uint32_t *server,
                                deft_view *key)
{
    if (client->has_only) {
        *server = client->only;
        *key    = uri;
        return deft__client_may_reach(client, client->only);
    }
    return deft__snapshot_find_resource(client->gateway->snapshot, uri, server, key) &&
           deft__client_may_reach(client, *server);
}

// --- Lists. ---

static void answer_list(deft__client *client, const deft__mcp_message *message, const char *member,
                        const deft__offers *offers, const char *first)
{
    deft_buffer      *line = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, member);
    deft__json_begin_array(&json);
    if (first != NULL && !client->has_only) {
        deft__json_write_raw(&json, deft_view_of(first));
    }
    for (size_t i = 0; i < offers->count; i++) {
        const deft__offer *offer = &offers->items[i];
        if (!deft__client_may_reach(client, offer->server)) {
            continue;
        }
        if (client->has_only && !deft_view_equal(offer->key, offer->shown)) {
            deft_buffer_append_text(line, json.needs_comma ? "," : "");
            deft__offer_write_plain(offers->kind, offer, line);
            json.needs_comma = true;
        } else {
            deft__json_write_raw(&json, offer->text);
        }
    }
    deft__json_end_array(&json);
    deft__client_write_tail(client, &json, &deft__list_caching);
    deft__json_end_object(&json);
    deft__client_finish_result(client, message->id);
}

// True after complaining: these lists have one page each.
static bool has_cursor(deft__client *client, const deft__mcp_message *message)
{
    if (!deft__json_is(deft__mcp_param(message, "cursor"), DEFT__JSON_STRING)) {
        return false;
    }
    deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                            "the list has one page; ask for it without a cursor");
    return true;
}

void deft__client_list_prompts(deft__client *client, const deft__mcp_message *message)
{
    if (!has_cursor(client, message)) {
        answer_list(client, message, "prompts", &client->gateway->snapshot->prompts,
                    own_prompt_text);
    }
}

void deft__client_list_resources(deft__client *client, const deft__mcp_message *message)
{
    if (!has_cursor(client, message)) {
        answer_list(client, message, "resources", &client->gateway->snapshot->resources, NULL);
    }
}

void deft__client_list_templates(deft__client *client, const deft__mcp_message *message)
{
    if (!has_cursor(client, message)) {
        answer_list(client, message, "resourceTemplates", &client->gateway->snapshot->templates,
                    NULL);
    }
}

// --- Asking a server. ---

// Members of params that a server does not get as they are.
static bool is_ours(deft__json_value name)
{
    return deft__json_string_equals(name, deft_view_of("_meta")) ||
           deft__json_string_equals(name, deft_view_of("requestState")) ||
           deft__json_string_equals(name, deft_view_of("inputResponses"));
}

// The params of the message with one member replaced, without braces and what is ours.
static void write_members(const deft__mcp_message *message, const char *replaced, deft_view value,
                          deft_buffer *out)
{
    deft__json_writer   json;
    deft__json_iterator i = deft__json_iterate(message->params);
    deft__json_writer_init(&json, out);
    while (deft__json_next(&i)) {
        if (is_ours(i.name)) {
            continue;
        }
        deft_buffer_append_text(out, json.needs_comma ? "," : "");
        deft_buffer_append(out, deft__json_raw(i.name));
        deft_buffer_append_byte(out, ':');
        json.needs_comma = false;
        if (deft__json_string_equals(i.name, deft_view_of(replaced))) {
            deft__json_write_raw(&json, value);
        } else {
            deft__json_write_raw_line(&json, deft__json_raw(i.value));
        }
    }
}

// Sends the message on to `server`, with `replaced` naming what that server calls `key`.
static void send_on(deft__client *client, const deft__mcp_message *message, deft__relay_kind kind,
                    const char *method, uint32_t server, const char *replaced, deft_view key,
                    deft_view shown)
{
    deft_buffer       name;
    deft_buffer       members;
    deft__json_writer json;
    deft_buffer_init(&name, client->gateway->allocator);
    deft_buffer_init(&members, client->gateway->allocator);
    deft__json_writer_init(&json, &name);
    deft__json_write_string(&json, key);
    if (name.status == DEFT_OK) {
        write_members(message, replaced, deft_buffer_view(&name), &members);
    }
    if (deft__ask_resume(client, message, method, server, shown, &members)) {
        goto done;
    }
    if (name.status != DEFT_OK || members.status != DEFT_OK) {
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR, "out of memory");
    } else {
        const deft__relay_options options = {.kind    = kind,
                                             .server  = server,
                                             .method  = method,
                                             .members = deft_buffer_view(&members),
                                             .tool    = shown};
        deft__relay_start(client, message, &options);
    }
done:
    deft_buffer_clear(&members);
    deft_buffer_clear(&name);
}

// A string of the message's params, decoded into `scratch`; false after complaining.
static bool read_string(deft__client *client, const deft__mcp_message *message, const char *name,
                        deft_buffer *scratch, deft_view *text)
{
    const deft__json_value value = deft__mcp_param(message, name);
    *text                        = deft__json_string(value, scratch);
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "params.%s must be a string", name);
        return false;
    }
    return true;
}

// --- Prompts. ---

// The text goes to the model as if the user had said it, and to the user as the client shows it.
static void answer_own_prompt(deft__client *client, const deft__mcp_message *message)
{
    deft_buffer            scratch;
    deft_buffer            text;
    const deft__json_value arguments = deft__mcp_param(message, "arguments");
    deft_buffer_init(&scratch, client->gateway->allocator);
    deft_buffer_init(&text, client->gateway->allocator);
    const deft_view action = deft__json_string(deft__json_member(arguments, "action"), &scratch);
    if (action.size > 0 && !deft_view_equals(action, "status") &&
        !deft_view_equals(action, "reset")) {
        deft__quoted quoted;
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "action '%s' is not known; accepted: status, reset",
                                deft__quote(&quoted, action));
        goto done;
    }
    if (deft_view_equals(action, "reset")) {
        deft__client_reset(client);
        deft_buffer_append_text(&text, "Tool search was reset: sizes were measured again and "
                                       "nothing is loaded.\n\n");
    }
    deft__client_write_status(client, &text);
    deft_buffer      *line = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "description");
    deft__json_write_text(&json, "The state of tool search");
    deft__json_name(&json, "messages");
    deft__json_begin_array(&json);
    deft__json_begin_object(&json);
    deft__json_name(&json, "role");
    deft__json_write_text(&json, "user");
    deft__json_name(&json, "content");
    deft__json_begin_object(&json);
    deft__json_name(&json, "type");
    deft__json_write_text(&json, "text");
    deft__json_name(&json, "text");
    deft__json_write_string(&json, deft_buffer_view(&text));
    deft__json_end_object(&json);
    deft__json_end_object(&json);
    deft__json_end_array(&json);
    deft__client_write_tail(client, &json, NULL);
    deft__json_end_object(&json);
    if (text.status != DEFT_OK) {
        line->status = text.status;
    }
    deft__client_finish_result(client, message->id);
done:
    deft_buffer_clear(&text);
    deft_buffer_clear(&scratch);
}

void deft__client_get_prompt(deft__client *client, const deft__mcp_message *message)
{
    deft_buffer scratch;
    deft_view   name;
    deft_buffer_init(&scratch, client->gateway->allocator);
    if (!read_string(client, message, "name", &scratch, &name)) {
        deft_buffer_clear(&scratch);
        return;
    }
    const deft__offer *prompt =
        deft__client_find(client, &client->gateway->snapshot->prompts, name);
    if (prompt != NULL) {
        send_on(client, message, DEFT__RELAY_PROMPT, "prompts/get", prompt->server, "name",
                prompt->key, prompt->shown);
    } else if (!deft_view_equals(name, OWN_PROMPT) || client->has_only) {
        deft__quoted quoted;
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "there is no prompt '%s'; prompts/list names them",
                                deft__quote(&quoted, name));
    } else if (!deft__client_ensure_session(client)) {
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR, "out of memory");
    } else {
        answer_own_prompt(client, message);
    }
    deft_buffer_clear(&scratch);
}

// --- Resources. ---

static void answer_no_resource(deft__client *client, deft_view id, deft_view uri)
{
    deft_buffer       error;
    deft__json_writer json;
    deft_buffer_init(&error, client->gateway->allocator);
    deft__json_writer_init(&json, &error);
    deft__json_begin_object(&json);
    deft__json_name(&json, "code");
    deft__json_write_int64(&json, client->era == DEFT__MCP_ERA_MODERN
                                      ? DEFT__MCP_INVALID_PARAMS
                                      : DEFT__MCP_RESOURCE_NOT_FOUND);
    deft__json_name(&json, "message");
    deft__json_write_text(&json, "no server has this resource");
    deft__json_name(&json, "data");
    deft__json_begin_object(&json);
    deft__json_name(&json, "uri");
    deft__json_write_string(&json, uri);
    deft__json_end_object(&json);
    deft__json_end_object(&json);
    deft__client_send_error_raw(client, id, deft_buffer_view(&error));
    deft_buffer_clear(&error);
}

// The only server with resources that the client may reach, where there is one: it may know URIs that
// it does not list.
static bool find_only_server(const deft__client *client, uint32_t *server)
{
    const deft__gateway *gateway = client->gateway;
    size_t               count   = 0;
    for (uint32_t i = 0; i < gateway->slot_count; i++) {
        const deft__manifest *manifest = deft__link_manifest(gateway->slots[i].link);
        if (manifest != NULL && (manifest->capabilities & DEFT__MCP_SERVER_RESOURCES) &&
            deft__client_may_reach(client, i)) {
            *server = i;
            count++;
        }
    }
    return count == 1;
}

static void send_on_resource(deft__client *client, const deft__mcp_message *message,
                             deft__relay_kind kind, const char *method)
{
    deft_buffer scratch;
    deft_view   uri;
    deft_view   key;
    uint32_t    server;
    deft_buffer_init(&scratch, client->gateway->allocator);
    if (read_string(client, message, "uri", &scratch, &uri)) {
        key = uri;
        if (deft__client_find_resource(client, uri, &server, &key) ||
            find_only_server(client, &server)) {
            send_on(client, message, kind, method, server, "uri", key, uri);
        } else {
            answer_no_resource(client, message->id, uri);
        }
    }
    deft_buffer_clear(&scratch);
}

void deft__client_read_resource(deft__client *client, const deft__mcp_message *message)
{
    send_on_resource(client, message, DEFT__RELAY_READ, "resources/read");
}

// A modern server is watched instead, which it does not answer; so we do.
static bool is_watched(deft__client *client, const deft__mcp_message *message, bool is_wanted)
{
    const deft__gateway *gateway = client->gateway;
    deft_buffer          scratch;
    deft_view            key;
    uint32_t             server;
    deft_buffer_init(&scratch, gateway->allocator);
    const deft_view uri       = deft__json_string(deft__mcp_param(message, "uri"), &scratch);
    const bool      is_modern = deft__client_find_resource(client, uri, &server, &key) &&
                           deft__link_era(gateway->slots[server].link) == DEFT__MCP_ERA_MODERN;
    if (is_modern) {
        if (is_wanted) {
            deft__relay_watch(client, server, key, uri);
        } else {
            deft__relay_unwatch(client, uri);
        }
        deft_buffer *line = deft__client_begin_result(client, message->id);
        deft_buffer_append_text(line, "{}");
        deft__client_finish_result(client, message->id);
    }
    deft_buffer_clear(&scratch);
    return is_modern;
}

void deft__client_subscribe(deft__client *client, const deft__mcp_message *message)
{
    if (!is_watched(client, message, true)) {
        send_on_resource(client, message, DEFT__RELAY_SUBSCRIBE, "resources/subscribe");
    }
}

void deft__client_unsubscribe(deft__client *client, const deft__mcp_message *message)
{
    if (!is_watched(client, message, false)) {
        send_on_resource(client, message, DEFT__RELAY_SUBSCRIBE, "resources/unsubscribe");
    }
}

// --- Completion. ---

static void answer_own_completion(deft__client *client, const deft__mcp_message *message)
{
    static const char *const words[] = {"status", "reset"};
    deft_buffer              scratch;
    deft_buffer_init(&scratch, client->gateway->allocator);
    const deft_view typed = deft__json_string(
        deft__json_member(deft__mcp_param(message, "argument"), "value"), &scratch);
    deft_buffer      *line = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "completion");
    deft__json_begin_object(&json);
    deft__json_name(&json, "values");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (deft_view_starts_with(deft_view_of(words[i]), typed)) {
            deft__json_write_text(&json, words[i]);
        }
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    deft__client_write_tail(client, &json, NULL);
    deft__json_end_object(&json);
    deft__client_finish_result(client, message->id);
    deft_buffer_clear(&scratch);
}

// `ref` with another name or URI, all other members as they are.
static void send_on_completion(deft__client *client, const deft__mcp_message *message,
                               const deft__offer *offer, const char *member)
{
    deft_buffer         ref;
    deft_buffer         members;
    deft__json_writer   json;
    deft__json_iterator i = deft__json_iterate(deft__mcp_param(message, "ref"));
    deft_buffer_init(&ref, client->gateway->allocator);
    deft_buffer_init(&members, client->gateway->allocator);
    deft__json_writer_init(&json, &ref);
    deft__json_begin_object(&json);
    while (deft__json_next(&i)) {
        deft_buffer_append_text(&ref, json.needs_comma ? "," : "");
        deft_buffer_append(&ref, deft__json_raw(i.name));
        deft_buffer_append_byte(&ref, ':');
        json.needs_comma = false;
        if (deft__json_string_equals(i.name, deft_view_of(member))) {
            deft__json_write_string(&json, offer->key);
        } else {
            deft__json_write_raw_line(&json, deft__json_raw(i.value));
        }
    }
    deft__json_end_object(&json);
    if (ref.status == DEFT_OK) {
        write_members(message, "ref", deft_buffer_view(&ref), &members);
    }
    if (ref.status != DEFT_OK || members.status != DEFT_OK) {
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR, "out of memory");
    } else {
        const deft__relay_options options = {.kind    = DEFT__RELAY_COMPLETE,
                                             .server  = offer->server,
                                             .method  = "completion/complete",
                                             .members = deft_buffer_view(&members),
                                             .tool    = offer->shown};
        deft__relay_start(client, message, &options);
    }
    deft_buffer_clear(&members);
    deft_buffer_clear(&ref);
}

void deft__client_complete(deft__client *client, const deft__mcp_message *message)
{
    const deft__snapshot  *snapshot = client->gateway->snapshot;
    const deft__json_value ref      = deft__mcp_param(message, "ref");
    deft_buffer            scratch;
    deft_buffer_init(&scratch, client->gateway->allocator);
    const deft_view    name  = deft__json_string(deft__json_member(ref, "name"), &scratch);
    const deft_view    uri   = deft__json_string(deft__json_member(ref, "uri"), &scratch);
    const deft__offer *offer = NULL;
    if (name.size > 0) {
        offer = deft__client_find(client, &snapshot->prompts, name);
    } else if (uri.size > 0) {
        offer = deft__client_find(client, &snapshot->templates, uri);
        offer = offer != NULL ? offer : deft__client_find(client, &snapshot->resources, uri);
    }
    if (offer != NULL) {
        send_on_completion(client, message, offer, name.size > 0 ? "name" : "uri");
    } else if (deft_view_equals(name, OWN_PROMPT)) {
        answer_own_completion(client, message);
    } else {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "params.ref names no prompt and no resource that is listed");
    }
    deft_buffer_clear(&scratch);
}
