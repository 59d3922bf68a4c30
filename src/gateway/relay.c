#include "gateway/relay.h"

#include "base/fail.h"
#include "base/memory.h"
#include "gateway/ask.h"

#include <stdio.h>

// Requests of one client that are open at once; each server's queue is bounded as well.
#define RELAYS_MAX 65536u

// A subscription at a modern server lasts as long as its client wants it.
#define WATCH_MS (365ull * 24 * 60 * 60 * 1000)

static void finished(void *context, deft__exchange *exchange, const deft__outcome *outcome);
static void progressed(void *context, deft__exchange *exchange, const deft__mcp_message *message);

deft__relay *deft__relay_of(const deft__exchange *exchange)
{
    return exchange != NULL ? deft__exchange_context(exchange) : NULL;
}

// --- Making and freeing. ---

static void enlist(deft__relay *relay, deft__client *client)
{
    relay->client    = client;
    relay->principal = client->principal;
    relay->previous  = NULL;
    relay->next      = client->relays;
    if (relay->next != NULL) {
        relay->next->previous = relay;
    }
    client->relays = relay;
    client->relay_count++;
}

static void delist(deft__relay *relay)
{
    deft__client *client = relay->client;
    if (client == NULL) {
        return;
    }
    *(relay->previous != NULL ? &relay->previous->next : &client->relays) = relay->next;
    if (relay->next != NULL) {
        relay->next->previous = relay->previous;
    }
    client->relay_count--;
    relay->client = NULL;
}

void deft__relay_free(deft__relay *relay)
{
    deft__gateway *gateway = relay->gateway;
    deft__ask_forget(relay);
    delist(relay);
    deft_buffer_clear(&relay->responses);
    deft_buffer_clear(&relay->held);
    deft__arena_clear(&relay->arena);
    deft__free(gateway->allocator, relay, sizeof *relay);
}

static bool copy_texts(deft__relay *relay, const deft__mcp_message *message,
                       const deft__relay_options *options)
{
    deft__client *client = relay->client;
    deft__arena  *arena  = &relay->arena;
    deft_buffer   meta;
    deft_buffer   level;
    deft_buffer_init(&meta, relay->gateway->allocator);
    deft_buffer_init(&level, relay->gateway->allocator);
    deft__mcp_write_forwarded_meta(&meta, message->meta);
    // A modern server logs only for requests that ask for it; a legacy client has said it once.
    const deft_view log_level =
        client->era == DEFT__MCP_ERA_LEGACY
            ? deft_view_of(deft__log_level_name(client->log_level))
            : deft__json_string(
                  deft__json_member(message->meta, "io.modelcontextprotocol/logLevel"), &level);
    const bool is_copied =
        meta.status == DEFT_OK && level.status == DEFT_OK &&
        deft__arena_copy(arena, message->id, &relay->id) &&
        deft__arena_copy(arena, deft__mcp_progress_token(message), &relay->token) &&
        deft__arena_copy(arena, options->members, &relay->members) &&
        deft__arena_copy(arena, deft_buffer_view(&meta), &relay->meta) &&
        deft__arena_copy(arena, deft__client_capabilities_text(client), &relay->capabilities) &&
        deft__arena_copy(arena, log_level, &relay->log_level) &&
        deft__arena_copy(arena, options->tool, &relay->tool) &&
        deft__arena_copy(arena, options->arguments, &relay->arguments);
    deft_buffer_clear(&level);
    deft_buffer_clear(&meta);
    return is_copied;
}

static deft__relay *make(deft__client *client, const deft__mcp_message *message,
                         const deft__relay_options *options)
{
    deft__gateway *gateway = client->gateway;
    deft__relay   *relay   = deft__new(gateway->allocator, sizeof *relay);
    if (relay == NULL) {
        return NULL;
    }
    relay->gateway         = gateway;
    relay->kind            = options->kind;
    relay->server          = options->server;
    relay->method          = options->method;
    relay->capability_bits = client->capabilities;
    relay->started_ms      = deft__gateway_now(gateway);
    deft__arena_init(&relay->arena, gateway->allocator);
    deft_buffer_init(&relay->responses, gateway->allocator);
    deft_buffer_init(&relay->held, gateway->allocator);
    enlist(relay, client);
    if (!copy_texts(relay, message, options)) {
        deft__relay_free(relay);
        return NULL;
    }
    return relay;
}

// --- The journal and the hooks. ---

static void write_journal(const deft__relay *relay, const char *outcome, deft_view reason,
                          uint64_t result_size)
{
    const deft__gateway *gateway = relay->gateway;
    if (gateway->host.journal == NULL || relay->kind != DEFT__RELAY_CALL) {
        return;
    }
    const deft__journal_entry entry = {
        .kind   = DEFT__JOURNAL_CALL,
        .client = relay->client != NULL ? deft__client_name(relay->client) : deft_view_of(NULL),
        .token  = relay->client != NULL ? relay->client->token : deft_view_of(NULL),
        .tool   = relay->tool,
        .text   = relay->arguments,
        .argument_size = relay->arguments.size,
        .result_size   = result_size,
        .duration_ms   = deft__gateway_now(gateway) - relay->started_ms,
        .outcome       = outcome,
        .reason        = reason,
    };
    gateway->host.journal(gateway->host.context, &entry);
}

static void write_hook_input(const deft__relay *relay, const char *event, deft_view result,
                             deft_buffer *out)
{
    const deft__gateway *gateway = relay->gateway;
    const deft_view      server  = deft__link_name(gateway->slots[relay->server].link);
    deft__json_writer    json;
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "event");
    deft__json_write_text(&json, event);
    deft__json_name(&json, "tool");
    deft__json_write_string(&json, relay->tool);
    deft__json_name(&json, "server");
    deft__json_write_string(&json, server);
    deft__json_name(&json, "name");
    deft__json_write_string(&json, deft_view_slice(relay->tool, server.size + 2, relay->tool.size));
    deft__json_name(&json, "arguments");
    deft__json_write_raw_line(&json,
                              relay->arguments.size > 0 ? relay->arguments : deft_view_of("{}"));
    if (relay->client != NULL) {
        deft__json_name(&json, "client");
        deft__json_write_string(&json, deft__client_name(relay->client));
    }
    if (result.size > 0) {
        deft__json_name(&json, "durationMs");
        deft__json_write_uint64(&json, deft__gateway_now(gateway) - relay->started_ms);
        deft__json_name(&json, "result");
        deft__json_write_raw(&json, result);
    }
    deft__json_end_object(&json);
}

// Asks or tells the user's command. False: it could not be asked.
static bool run_hook(deft__relay *relay, deft_view command, bool is_before, deft_view result)
{
    deft__gateway *gateway = relay->gateway;
    deft_buffer    input;
    deft_buffer_init(&input, gateway->allocator);
    write_hook_input(relay, is_before ? "beforeCall" : "afterCall", result, &input);
    const bool is_written = input.status == DEFT_OK && gateway->host.hook_run != NULL;
    if (is_written) {
        const deft__hook hook = {.number     = deft__gateway_number(gateway),
                                 .is_before  = is_before,
                                 .command    = command,
                                 .input      = deft_buffer_view(&input),
                                 .timeout_ms = gateway->settings->hook_timeout_ms};
        relay->hook           = is_before ? hook.number : 0;
        gateway->host.hook_run(gateway->host.context, &hook);
    }
    deft_buffer_clear(&input);
    return is_written;
}

static bool is_hooked(const deft__relay *relay, deft_view command)
{
    return relay->kind == DEFT__RELAY_CALL && command.size > 0;
}

static deft__relay *find_hooked(const deft__gateway *gateway, uint64_t number)
{
    for (const deft__client *client = gateway->clients; client != NULL; client = client->next) {
        for (deft__relay *relay = client->relays; relay != NULL; relay = relay->next) {
            if (number != 0 && relay->hook == number) {
                return relay;
            }
        }
    }
    return NULL;
}

void deft__gateway_hook_finished(deft__gateway *gateway, uint64_t number, int exit_code,
                                 deft_view message)
{
    deft__relay *relay = find_hooked(gateway, number);
    char         text[160];
    if (relay == NULL) {
        return; // told after a call, or its client is gone
    }
    relay->hook = 0;
    if (exit_code == 0) {
        deft__relay_send(relay);
    } else if (exit_code == 2 && message.size > 0) {
        deft__relay_fail(relay, "refused", message);
    } else if (exit_code == -1) {
        deft__relay_fail(relay, "refused",
                         deft_view_of("The call was refused: the user's beforeCall hook did not "
                                      "answer in time."));
    } else {
        (void)snprintf(text, sizeof text,
                       "The call was refused by the user's beforeCall hook (exit status %d).",
                       exit_code);
        deft__relay_fail(relay, "refused", deft_view_of(text));
    }
}

// --- Answers. ---

void deft__relay_answer(deft__relay *relay, deft_view result)
{
    if (relay->client == NULL || relay->id.size == 0) {
        return;
    }
    deft_buffer *line = deft__client_begin_result(relay->client, relay->id);
    deft_buffer_append(line, result);
    deft__client_finish_result(relay->client, relay->id);
    relay->id = deft_view_of(NULL);
}

// A tool call that failed is a result that the model can read; anything else is an error.
static void answer_failure(deft__relay *relay, const char *outcome, deft_view reason)
{
    deft__client *client = relay->client;
    if (client == NULL || relay->id.size == 0) {
        return;
    }
    if (relay->kind != DEFT__RELAY_CALL) {
        deft__quoted quoted;
        deft__client_send_error(client, relay->id, DEFT__MCP_INTERNAL_ERROR, "%s",
                                deft__quote(&quoted, reason));
        return;
    }
    deft_buffer      *line = deft__client_begin_result(client, relay->id);
    deft__json_writer json;
    client->failure = outcome;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "content");
    deft__json_begin_array(&json);
    deft__json_begin_object(&json);
    deft__json_name(&json, "type");
    deft__json_write_text(&json, "text");
    deft__json_name(&json, "text");
    deft__json_write_string(&json, reason);
    deft__json_end_object(&json);
    deft__json_end_array(&json);
    deft__json_name(&json, "isError");
    deft__json_write_bool(&json, true);
    deft__client_write_tail(client, &json, NULL);
    deft__json_end_object(&json);
    deft__client_finish_result(client, relay->id);
}

void deft__relay_fail(deft__relay *relay, const char *outcome, deft_view reason)
{
    answer_failure(relay, outcome, reason);
    write_journal(relay, outcome, reason, 0);
    deft__relay_free(relay);
}

static bool is_error_result(deft__json_value result)
{
    return deft__json_is(deft__json_member(result, "isError"), DEFT__JSON_TRUE);
}

static void answer_result(deft__relay *relay, deft__json_value result)
{
    static const deft__mcp_caching read_caching = {.is_cacheable = true, .is_private = true};
    deft__client                  *client       = relay->client;
    const bool                     is_call      = relay->kind == DEFT__RELAY_CALL;
    const deft__mcp_caching       *caching = relay->kind == DEFT__RELAY_READ ? &read_caching : NULL;
    if (client == NULL || relay->id.size == 0) {
        return;
    }
    deft_buffer *line  = deft__client_begin_result(client, relay->id);
    const size_t start = line->size;
    deft__client_write_result(client, line, result, caching, is_call);
    client->failure   = NULL;
    const size_t size = line->size - start;
    write_journal(relay, is_error_result(result) ? "tool-error" : "ok", deft_view_of(NULL), size);
    if (is_hooked(relay, relay->gateway->settings->hook_after_call)) {
        (void)run_hook(relay, relay->gateway->settings->hook_after_call, false,
                       deft_view_slice(deft_buffer_view(line), start, size));
    }
    deft__client_finish_result(client, relay->id);
}

// Servers of 2025-11-25 have an error for pages that the user has to open first. Modern clients do not
// know it: their model is told which pages.
static void answer_pages(deft__relay *relay, const deft__mcp_message *message)
{
    deft_buffer         text;
    deft_buffer         scratch;
    deft__json_iterator i = deft__json_iterate(
        deft__json_member(deft__json_member(message->error, "data"), "elicitations"));
    deft_buffer_init(&text, relay->gateway->allocator);
    deft_buffer_init(&scratch, relay->gateway->allocator);
    deft_buffer_append(&text, message->error_message);
    deft_buffer_append_text(&text, "\nThe user has to open this first; then call again:");
    while (deft__json_next(&i)) {
        deft_buffer_append_text(&text, "\n- ");
        deft_buffer_append(&text, deft__json_string(deft__json_member(i.value, "url"), &scratch));
        deft_buffer_append_text(&text, " ");
        deft_buffer_append(&text,
                           deft__json_string(deft__json_member(i.value, "message"), &scratch));
    }
    answer_failure(relay, "error",
                   text.status == DEFT_OK ? deft_buffer_view(&text) : message->error_message);
    deft_buffer_clear(&scratch);
    deft_buffer_clear(&text);
}

// An error of the server's own. Legacy servers have a code of their own for a resource that is not
// there.
static void answer_error(deft__relay *relay, const deft__mcp_message *message)
{
    deft__client *client = relay->client;
    write_journal(relay, "error", message->error_message, 0);
    if (client == NULL || relay->id.size == 0) {
        return;
    }
    if (message->error_code == DEFT__MCP_RESOURCE_NOT_FOUND &&
        client->era == DEFT__MCP_ERA_MODERN) {
        deft_buffer       data;
        deft__json_writer json;
        deft_buffer_init(&data, relay->gateway->allocator);
        deft__json_writer_init(&json, &data);
        deft__json_begin_object(&json);
        deft__json_name(&json, "code");
        deft__json_write_int64(&json, DEFT__MCP_INVALID_PARAMS);
        deft__json_name(&json, "message");
        deft__json_write_string(&json, message->error_message);
        deft__json_name(&json, "data");
        deft__json_begin_object(&json);
        deft__json_name(&json, "uri");
        deft__json_write_string(&json, relay->tool);
        deft__json_end_object(&json);
        deft__json_end_object(&json);
        deft__client_send_error_raw(client, relay->id, deft_buffer_view(&data));
        deft_buffer_clear(&data);
    } else if (message->error_code == DEFT__MCP_URL_ELICITATION &&
               client->era == DEFT__MCP_ERA_MODERN) {
        answer_pages(relay, message);
    } else {
        deft__client_send_error_raw(client, relay->id, deft__json_raw(message->error));
    }
}

// The result came while the client was asked something: it gets it when it comes back.
static void hold_result(deft__relay *relay, const deft__outcome *outcome)
{
    deft_buffer *held = &relay->held;
    deft_buffer_reset(held);
    if (outcome->ending == DEFT__ENDING_RESULT) {
        deft__mcp_write_result_for(held, outcome->message->result, DEFT__MCP_ERA_MODERN,
                                   &(deft__mcp_caching){.is_cacheable = false}, deft__server_info,
                                   relay->kind == DEFT__RELAY_CALL);
    } else {
        deft__mcp_write_tool_error(held, outcome->ending == DEFT__ENDING_ERROR
                                             ? outcome->message->error_message
                                             : outcome->reason);
        deft_buffer_truncate(held, held->size - 1); // only modern clients come back
        deft_buffer_append_text(held, ",\"resultType\":\"complete\"}");
    }
}

// A result of a kind that was not asked for, such as a task, or a question where none may be asked, is
// no answer.
static bool is_answer(const deft__relay *relay, deft__mcp_result_type type)
{
    const bool may_ask = relay->kind == DEFT__RELAY_CALL || relay->kind == DEFT__RELAY_PROMPT ||
                         relay->kind == DEFT__RELAY_READ;
    return type == DEFT__MCP_COMPLETE || (type == DEFT__MCP_INPUT_REQUIRED && may_ask);
}

static void answer_strange(deft__relay *relay)
{
    const deft_view reason =
        deft_view_of("the server answered with a result of a kind that it was not asked for "
                     "(resultType); it may follow a newer protocol than 2026-07-28");
    answer_failure(relay, "failed", reason);
    write_journal(relay, "failed", reason, 0);
}

static void finished(void *context, deft__exchange *exchange, const deft__outcome *outcome)
{
    deft__relay *relay = context;
    (void)exchange;
    relay->exchange = NULL;
    if (relay->parked != 0 && relay->id.size == 0 && outcome->ending != DEFT__ENDING_CANCELLED &&
        outcome->ending != DEFT__ENDING_CLOSED) {
        hold_result(relay, outcome);
        return;
    }
    switch (outcome->ending) {
    case DEFT__ENDING_RESULT: {
        const deft__mcp_result_type type = deft__mcp_result_type_of(outcome->message->result);
        if (!is_answer(relay, type)) {
            answer_strange(relay);
        } else if (type == DEFT__MCP_INPUT_REQUIRED) {
            deft__ask_round(relay, outcome->message->result);
            return;
        } else {
            answer_result(relay, outcome->message->result);
        }
        break;
    }
    case DEFT__ENDING_ERROR:
        answer_error(relay, outcome->message);
        break;
    case DEFT__ENDING_CANCELLED:
        // The client wanted it so, and waits for nothing.
        write_journal(relay, "cancelled", outcome->reason, 0);
        break;
    case DEFT__ENDING_FAILED:
    case DEFT__ENDING_TIMEOUT:
    case DEFT__ENDING_CLOSED: {
        const char *word = outcome->ending == DEFT__ENDING_TIMEOUT ? "timeout" : "failed";
        answer_failure(relay, word, outcome->reason);
        write_journal(relay, word, outcome->reason, 0);
        break;
    }
    }
    deft__relay_free(relay);
}

static void progressed(void *context, deft__exchange *exchange, const deft__mcp_message *message)
{
    deft__relay      *relay = context;
    deft_buffer       params;
    deft__json_writer json;
    (void)exchange;
    if (relay->client == NULL || relay->id.size == 0) {
        return;
    }
    deft_buffer_init(&params, relay->gateway->allocator);
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    deft__json_name(&json, "progressToken");
    deft__json_write_raw(&json, relay->token);
    deft__json_iterator i = deft__json_iterate(message->params);
    while (deft__json_next(&i)) {
        if (!deft__json_string_equals(i.name, deft_view_of("progressToken"))) {
            deft_buffer_append_byte(&params, ',');
            deft_buffer_append(&params, deft__json_raw(i.name));
            deft_buffer_append_byte(&params, ':');
            deft_buffer_append(&params, deft__json_raw(i.value));
        }
    }
    deft__json_end_object(&json);
    if (params.status == DEFT_OK) {
        deft__client_notify(relay->client, relay->id, "notifications/progress",
                            deft_buffer_view(&params));
    }
    deft_buffer_clear(&params);
}

// --- Sending. ---

void deft__relay_send(deft__relay *relay)
{
    deft_error                   error = DEFT_ERROR_INIT;
    deft__link                  *link  = relay->gateway->slots[relay->server].link;
    deft_buffer                  members; // with what was answered in between
    const deft__exchange_options options = {
        .method         = relay->method,
        .members        = relay->members,
        .meta           = relay->meta,
        .capabilities   = relay->capabilities,
        .log_level      = relay->log_level,
        .wants_progress = relay->token.size > 0,
        .is_lasting     = relay->kind == DEFT__RELAY_WATCH,
        .timeout_ms     = relay->kind == DEFT__RELAY_WATCH ? WATCH_MS : 0,
        .finish         = finished,
        .progress       = progressed,
        .context        = relay,
    };
    deft__exchange_options sent = options;
    deft_buffer_init(&members, relay->gateway->allocator);
    if (relay->responses.size > 0 || relay->state.size > 0) {
        deft_buffer_append(&members, relay->members);
        deft_buffer_append_text(&members, ",\"inputResponses\":{");
        deft_buffer_append(&members, deft_buffer_view(&relay->responses));
        deft_buffer_append_byte(&members, '}');
        if (relay->state.size > 0) {
            deft_buffer_append_text(&members, ",\"requestState\":");
            deft_buffer_append(&members, relay->state);
        }
        sent.members = deft_buffer_view(&members);
    }
    relay->exchange = members.status == DEFT_OK ? deft__link_request(link, &sent, &error) : NULL;
    if (relay->exchange == NULL) {
        deft__relay_fail(relay, "failed",
                         deft_view_of(error.message[0] != '\0' ? error.message : "out of memory"));
    }
    deft_buffer_clear(&members);
}

void deft__relay_start(deft__client *client, const deft__mcp_message *message,
                       const deft__relay_options *options)
{
    const deft_view before = client->gateway->settings->hook_before_call;
    deft__relay *relay = client->relay_count < RELAYS_MAX ? make(client, message, options) : NULL;
    if (relay == NULL) {
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR,
                                client->relay_count < RELAYS_MAX ? "out of memory"
                                                                 : "too many open requests");
    } else if (!is_hooked(relay, before)) {
        deft__relay_send(relay);
    } else if (!run_hook(relay, before, true, deft_view_of(NULL))) {
        deft__relay_fail(relay, "refused",
                         deft_view_of("The call was refused: the user's beforeCall hook could not "
                                      "be run."));
    }
}

// --- Watching. ---

// Nobody waits for it any more.
static void give_up(deft__relay *relay, deft_view reason)
{
    if (relay->exchange != NULL) {
        deft__exchange_cancel(relay->exchange, reason); // ends in finished(), which frees
    } else {
        write_journal(relay, "cancelled", reason, 0);
        deft__relay_free(relay);
    }
}

// A legacy server takes a subscription and is done; a modern one keeps a request open for it.
void deft__relay_watch(deft__client *client, uint32_t server, deft_view key, deft_view uri)
{
    deft__gateway *gateway   = client->gateway;
    const bool     is_modern = deft__link_era(gateway->slots[server].link) == DEFT__MCP_ERA_MODERN;
    deft_buffer    members;
    deft__json_writer json;
    deft__relay      *relay = deft__new(gateway->allocator, sizeof *relay);
    if (relay == NULL) {
        return;
    }
    relay->gateway = gateway;
    relay->kind    = DEFT__RELAY_WATCH;
    relay->server  = server;
    relay->method  = is_modern ? "subscriptions/listen" : "resources/subscribe";
    deft__arena_init(&relay->arena, gateway->allocator);
    deft_buffer_init(&relay->responses, gateway->allocator);
    deft_buffer_init(&relay->held, gateway->allocator);
    enlist(relay, client);
    deft_buffer_init(&members, gateway->allocator);
    deft__json_writer_init(&json, &members);
    if (is_modern) {
        deft__json_name(&json, "notifications");
        deft__json_begin_object(&json);
        deft__json_name(&json, "resourceSubscriptions");
        deft__json_begin_array(&json);
        deft__json_write_string(&json, key);
        deft__json_end_array(&json);
        deft__json_end_object(&json);
    } else {
        deft__json_name(&json, "uri");
        deft__json_write_string(&json, key);
    }
    if (members.status == DEFT_OK &&
        deft__arena_copy(&relay->arena, deft_buffer_view(&members), &relay->members) &&
        deft__arena_copy(&relay->arena, uri, &relay->tool)) {
        deft__relay_send(relay);
    } else {
        deft__relay_free(relay);
    }
    deft_buffer_clear(&members);
}

void deft__relay_unwatch(deft__client *client, deft_view uri)
{
    for (deft__relay *relay = client->relays; relay != NULL; relay = relay->next) {
        if (relay->kind == DEFT__RELAY_WATCH && deft_view_equal(relay->tool, uri)) {
            give_up(relay, deft_view_of(NULL));
            return;
        }
    }
}

// --- Cancelling. ---

bool deft__relay_cancel(deft__client *client, deft_view id, deft_view reason)
{
    for (deft__relay *relay = client->relays; relay != NULL; relay = relay->next) {
        if (relay->id.size > 0 && deft_view_equal(relay->id, id)) {
            relay->id = deft_view_of(NULL);
            give_up(relay, reason);
            return true;
        }
    }
    return false;
}

void deft__relay_abandon_all(deft__client *client)
{
    while (client->relays != NULL) {
        client->relays->id = deft_view_of(NULL);
        give_up(client->relays, deft_view_of("the client is gone"));
    }
}
