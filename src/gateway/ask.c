#include "gateway/ask.h"

#include "base/fail.h"
#include "base/memory.h"
#include "gateway/seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- State that a modern client hands back. ---

static void write_state(const deft__relay *relay, deft__json_writer *json, deft__seal_kind kind,
                        uint64_t number, deft_view text)
{
    const deft__gateway     *gateway = relay->gateway;
    const uint64_t           age_ms  = kind == DEFT__SEAL_PARKED ? DEFT__PARKED_MS : DEFT__STATE_MS;
    const deft__sealed       sealed  = {.kind       = kind,
                                        .number     = number,
                                        .expires_ms = deft__gateway_now(gateway) + age_ms,
                                        .text       = text};
    const deft__seal_binding binding = {.principal = relay->principal,
                                        .server    = relay->server,
                                        .method    = relay->method,
                                        .subject   = relay->tool};
    deft_buffer              state;
    deft_buffer_init(&state, gateway->allocator);
    deft__seal_write(&gateway->key, &sealed, &binding, &state);
    deft__json_write_string(json, deft_buffer_view(&state));
    if (state.status != DEFT_OK) {
        json->out->status = state.status;
    }
    deft_buffer_clear(&state);
}

// --- Questions. ---

static deft__question *make_question(deft__gateway *gateway)
{
    deft__question *question = deft__new(gateway->allocator, sizeof *question);
    if (question != NULL) {
        question->id = deft__gateway_number(gateway);
        deft_buffer_init(&question->key, gateway->allocator);
        deft_buffer_init(&question->text, gateway->allocator);
    }
    return question;
}

static void free_question(const deft__gateway *gateway, deft__question *question)
{
    deft_buffer_clear(&question->key);
    deft_buffer_clear(&question->text);
    deft__free(gateway->allocator, question, sizeof *question);
}

static void refuse(deft__link *link, uint64_t ask, deft_view method)
{
    char         text[160];
    deft__quoted quoted;
    (void)snprintf(text, sizeof text, "the client cannot do '%s'", deft__quote(&quoted, method));
    deft__link_refuse(link, ask, DEFT__MCP_METHOD_NOT_FOUND, deft_view_of(text));
}

// The call is over, or its client gone: nobody will answer.
static void drop(deft__link *link, uint64_t ask)
{
    deft__link_refuse(link, ask, DEFT__MCP_INTERNAL_ERROR,
                      deft_view_of("nobody is there to answer any more"));
}

// Sends a server's question to a legacy client as a request of ours.
static bool send_question(deft__client *client, deft__question *question, deft_view method,
                          deft_view params)
{
    char         id[24];
    deft_buffer *line = &client->gateway->line;
    deft_buffer  name; // the method with its NUL
    deft_buffer_init(&name, client->gateway->allocator);
    deft_buffer_append(&name, method);
    deft_buffer_append_byte(&name, '\0');
    (void)snprintf(id, sizeof id, "%" PRIu64, question->id);
    deft_buffer_reset(line);
    if (name.status == DEFT_OK) {
        deft__mcp_write_request(line, deft_view_of(id), name.data, params);
    }
    const bool is_sent = name.status == DEFT_OK && line->status == DEFT_OK;
    if (is_sent) {
        question->next    = client->questions;
        client->questions = question;
        deft__client_send_about(client,
                                question->relay != NULL ? question->relay->id : deft_view_of(NULL));
    }
    deft_buffer_clear(&name);
    return is_sent;
}

static deft__question *take_question(deft__client *client, uint64_t id)
{
    for (deft__question **at = &client->questions; *at != NULL; at = &(*at)->next) {
        if ((*at)->id == id) {
            deft__question *question = *at;
            *at                      = question->next;
            return question;
        }
    }
    return NULL;
}

// Tells a legacy client that a question needs no answer any more.
static void withdraw(deft__client *client, const deft__question *question)
{
    char params[64];
    (void)snprintf(params, sizeof params, "{\"requestId\":%" PRIu64 "}", question->id);
    deft__client_notify(client, question->relay != NULL ? question->relay->id : deft_view_of(NULL),
                        "notifications/cancelled", deft_view_of(params));
}

// --- A modern client with a legacy server: parked calls. ---

static void expire(void *context)
{
    deft__relay *relay = context;
    if (relay->exchange != NULL) {
        deft__exchange_cancel(relay->exchange, deft_view_of("the client did not come back"));
    } else {
        deft__relay_free(relay);
    }
}

static void unpark(deft__relay *relay)
{
    deft__gateway *gateway = relay->gateway;
    if (relay->parked == 0) {
        return;
    }
    deft__timer_stop(&gateway->timers, &relay->expiry);
    deft__timers_release(&gateway->timers, 1);
    relay->parked                                                          = 0;
    *(relay->previous != NULL ? &relay->previous->next : &gateway->parked) = relay->next;
    if (relay->next != NULL) {
        relay->next->previous = relay->previous;
    }
    relay->next = relay->previous = NULL;
}

// Takes the relay out of its client's hands: it belongs to whoever comes back with its number.
static bool park(deft__relay *relay)
{
    deft__gateway *gateway = relay->gateway;
    deft__client  *client  = relay->client;
    size_t         count   = 1;
    for (const deft__relay *one = gateway->parked; one != NULL; one = one->next) {
        count++;
    }
    if (count > DEFT__PARKED_MAX || !deft__timers_reserve(&gateway->timers, 1)) {
        return false;
    }
    *(relay->previous != NULL ? &relay->previous->next : &client->relays) = relay->next;
    if (relay->next != NULL) {
        relay->next->previous = relay->previous;
    }
    client->relay_count--;
    relay->client   = NULL;
    relay->previous = NULL;
    relay->next     = gateway->parked;
    if (relay->next != NULL) {
        relay->next->previous = relay;
    }
    gateway->parked = relay;
    relay->parked   = deft__gateway_number(gateway);
    deft__timer_init(&relay->expiry, expire, relay);
    deft__timer_set(&gateway->timers, &relay->expiry, DEFT__PARKED_MS);
    return true;
}

// The answer that asks a modern client: all open questions of the relay, and a name for the call.
static void write_questions(const deft__relay *relay, deft_buffer *out)
{
    deft__json_writer json;
    char              key[24];
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "resultType");
    deft__json_write_text(&json, "input_required");
    deft__json_name(&json, "inputRequests");
    deft__json_begin_object(&json);
    for (const deft__question *one = relay->questions; one != NULL; one = one->next) {
        (void)snprintf(key, sizeof key, "q%" PRIu64, one->id);
        deft__json_name(&json, key);
        deft__json_write_raw_line(&json, deft_buffer_view(&one->text));
    }
    deft__json_end_object(&json);
    deft__json_name(&json, "requestState");
    write_state(relay, &json, DEFT__SEAL_PARKED, relay->parked, deft_view_of(NULL));
    deft__json_end_object(&json);
}

// Answers the client's open request with the questions and parks the call.
static bool answer_with_questions(deft__relay *relay)
{
    deft__client *client = relay->client;
    deft_buffer   result;
    if (!park(relay)) {
        return false;
    }
    deft_buffer_init(&result, relay->gateway->allocator);
    write_questions(relay, &result);
    deft_buffer *line = deft__client_begin_result(client, relay->id);
    deft_buffer_append(line, deft_buffer_view(&result));
    if (result.status != DEFT_OK) {
        line->status = result.status;
    }
    deft__client_finish_result(client, relay->id);
    relay->id = deft_view_of(NULL);
    deft_buffer_clear(&result);
    return true;
}

// A legacy server asks, and the client is modern.
static bool ask_modern(deft__relay *relay, deft__link *link, uint64_t ask,
                       const deft__mcp_message *message)
{
    deft__question *question = make_question(relay->gateway);
    if (question == NULL) {
        return false;
    }
    deft__json_writer json;
    deft__json_writer_init(&json, &question->text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "method");
    deft__json_write_string(&json, message->method);
    if (deft__json_is(message->params, DEFT__JSON_OBJECT)) {
        deft__json_name(&json, "params");
        deft__json_write_raw_line(&json, deft__json_raw(message->params));
    }
    deft__json_end_object(&json);
    question->relay = relay;
    question->link  = link;
    question->ask   = ask;
    if (question->text.status != DEFT_OK || relay->round_count >= DEFT__ASK_ROUNDS_MAX) {
        free_question(relay->gateway, question);
        return false;
    }
    relay->round_count++;
    question->next   = relay->questions;
    relay->questions = question;
    if (relay->id.size == 0) {
        return true; // it is parked already: asked when the client comes back
    }
    if (!answer_with_questions(relay)) {
        relay->questions = question->next;
        free_question(relay->gateway, question);
        return false;
    }
    return true;
}

// --- From links. ---

// Who is to be asked: the client whose call runs, or the only one there is.
static deft__client *client_for(deft__gateway *gateway, const deft__relay *relay)
{
    if (relay != NULL) {
        return relay->client;
    }
    return gateway->client_count == 1 && !gateway->clients->is_restricted ? gateway->clients : NULL;
}

void deft__gateway_asked(void *context, deft__link *link, uint64_t ask, deft__exchange *exchange,
                         const deft__mcp_message *message)
{
    deft__gateway *gateway = context;
    deft__relay   *relay   = deft__relay_of(exchange);
    deft__client  *client  = client_for(gateway, relay);
    const unsigned needed  = deft__mcp_needed_capability(message->method, message->params);
    const unsigned given   = relay != NULL    ? relay->capability_bits
                             : client != NULL ? client->capabilities
                                              : 0;
    const bool     is_modern =
        relay != NULL &&
        (relay->parked != 0 || (client != NULL && client->era == DEFT__MCP_ERA_MODERN));
    bool is_asked = false;
    if ((needed & given) != needed) {
        is_asked = false;
    } else if (is_modern) {
        is_asked = ask_modern(relay, link, ask, message);
    } else if (client != NULL && client->era == DEFT__MCP_ERA_LEGACY) {
        deft__question *question = make_question(gateway);
        if (question != NULL) {
            question->relay = relay;
            question->link  = link;
            question->ask   = ask;
            is_asked =
                send_question(client, question, message->method, deft__json_raw(message->params));
            if (!is_asked) {
                free_question(gateway, question);
            }
        }
    } else {
        is_asked = false; // nobody is there to be asked
    }
    if (!is_asked) {
        refuse(link, ask, message->method);
    }
}

void deft__gateway_unasked(void *context, deft__link *link, uint64_t ask)
{
    deft__gateway *gateway = context;
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        for (deft__question **at = &client->questions; *at != NULL; at = &(*at)->next) {
            deft__question *question = *at;
            if (question->link == link && question->ask == ask) {
                *at = question->next;
                withdraw(client, question);
                free_question(gateway, question);
                return;
            }
        }
    }
    for (deft__relay *relay = gateway->parked; relay != NULL; relay = relay->next) {
        for (deft__question **at = &relay->questions; *at != NULL; at = &(*at)->next) {
            deft__question *question = *at;
            if (question->link == link && question->ask == ask) {
                *at = question->next;
                free_question(gateway, question);
                return;
            }
        }
    }
}

// --- A modern server's questions. ---

// To a modern client they go on as they are; only the state is sealed into ours.
static void pass_round(deft__relay *relay, deft__json_value result)
{
    deft_buffer        *line = deft__client_begin_result(relay->client, relay->id);
    deft__json_writer   json;
    deft__json_iterator i = deft__json_iterate(result);
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    while (deft__json_next(&i)) {
        deft_buffer_append_text(line, json.needs_comma ? "," : "");
        deft_buffer_append(line, deft__json_raw(i.name));
        deft_buffer_append_byte(line, ':');
        json.needs_comma = false;
        if (deft__json_string_equals(i.name, deft_view_of("requestState"))) {
            write_state(relay, &json, DEFT__SEAL_SERVER, relay->server, deft__json_raw(i.value));
        } else {
            deft__json_write_raw(&json, deft__json_raw(i.value));
        }
    }
    deft__json_end_object(&json);
    deft__client_finish_result(relay->client, relay->id);
    relay->id = deft_view_of(NULL);
    deft__relay_free(relay);
}

static bool ask_legacy(deft__relay *relay, deft__json_value name, deft__json_value request)
{
    deft__client *client = relay->client;
    deft_buffer   scratch;
    deft_buffer_init(&scratch, relay->gateway->allocator);
    const deft_view method = deft__json_string(deft__json_member(request, "method"), &scratch);
    const deft__json_value params   = deft__json_member(request, "params");
    const unsigned         needed   = deft__mcp_needed_capability(method, params);
    bool                   is_asked = false;
    if (method.size > 0 && (needed & relay->capability_bits) == needed) {
        deft__question *question = make_question(relay->gateway);
        if (question != NULL) {
            question->relay = relay;
            deft_buffer_append(&question->key, deft__json_raw(name));
            is_asked = question->key.status == DEFT_OK &&
                       send_question(client, question, method, deft__json_raw(params));
            if (!is_asked) {
                free_question(relay->gateway, question);
            }
        }
    }
    deft_buffer_clear(&scratch);
    return is_asked;
}

static bool has_questions(const deft__relay *relay)
{
    for (const deft__question *one = relay->client->questions; one != NULL; one = one->next) {
        if (one->relay == relay) {
            return true;
        }
    }
    return false;
}

void deft__ask_round(deft__relay *relay, deft__json_value result)
{
    if (relay->client == NULL || relay->id.size == 0) {
        deft__relay_free(relay);
        return;
    }
    if (++relay->round_count > DEFT__ASK_ROUNDS_MAX) {
        deft__relay_fail(relay, "failed",
                         deft_view_of("The server asked for more input again and again, and never "
                                      "answered."));
        return;
    }
    if (relay->client->era == DEFT__MCP_ERA_MODERN) {
        pass_round(relay, result);
        return;
    }
    // A state that comes back is the very bytes that came.
    const deft_view state = deft__json_raw(deft__json_member(result, "requestState"));
    deft_buffer_reset(&relay->responses);
    if (!deft__arena_copy(&relay->arena, state, &relay->state)) {
        deft__relay_fail(relay, "failed", deft_view_of("out of memory"));
        return;
    }
    deft__json_iterator i = deft__json_iterate(deft__json_member(result, "inputRequests"));
    while (deft__json_next(&i)) {
        if (!ask_legacy(relay, i.name, i.value)) {
            deft__relay_fail(relay, "failed",
                             deft_view_of("The server needs input that this client cannot give."));
            return;
        }
    }
    if (!has_questions(relay)) {
        deft__relay_send(relay); // only a state: try again
    }
}

// One more answer to a modern server's questions; when it was the last, the call is repeated.
static void collect(deft__relay *relay, const deft__question *question,
                    const deft__mcp_message *message)
{
    if (message->kind == DEFT__MCP_ERROR) {
        deft__relay_fail(relay, "failed",
                         message->error_message.size > 0
                             ? message->error_message
                             : deft_view_of("The client refused to answer."));
        return;
    }
    deft_buffer *responses = &relay->responses;
    deft_buffer_append_text(responses, responses->size > 0 ? "," : "");
    deft_buffer_append(responses, deft_buffer_view(&question->key));
    deft_buffer_append_byte(responses, ':');
    deft_buffer_append(responses, deft__json_raw(message->result));
    if (responses->status != DEFT_OK) {
        deft__relay_fail(relay, "failed", deft_view_of("out of memory"));
    } else if (!has_questions(relay)) {
        deft__relay_send(relay);
    }
}

void deft__client_answered(deft__client *client, const deft__mcp_message *message)
{
    uint64_t  id   = 0;
    deft_view text = message->id;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || i >= 19) {
            return; // not an id of ours
        }
        id = id * 10 + (uint64_t)(text.data[i] - '0');
    }
    deft__question *question = take_question(client, id);
    if (question == NULL) {
        return; // answered before, or withdrawn
    }
    if (question->link == NULL) {
        collect(question->relay, question, message);
    } else if (message->kind == DEFT__MCP_RESULT) {
        deft__link_answer(question->link, question->ask, deft__json_raw(message->result));
    } else {
        deft__link_refuse(question->link, question->ask, message->error_code,
                          message->error_message);
    }
    free_question(client->gateway, question);
}

// --- A modern client comes back. ---

static deft__relay *find_parked(const deft__gateway *gateway, uint64_t number)
{
    for (deft__relay *relay = gateway->parked; relay != NULL; relay = relay->next) {
        if (relay->parked == number) {
            return relay;
        }
    }
    return NULL;
}

// Hands the answers to the server; questions without one stay open.
static void deliver(deft__relay *relay, deft__json_value responses)
{
    char key[24];
    for (deft__question **at = &relay->questions; *at != NULL;) {
        deft__question *question = *at;
        (void)snprintf(key, sizeof key, "q%" PRIu64, question->id);
        const deft__json_value answer = deft__json_member(responses, key);
        if (deft__json_is(answer, DEFT__JSON_OBJECT)) {
            *at = question->next;
            deft__link_answer(question->link, question->ask, deft__json_raw(answer));
            free_question(relay->gateway, question);
        } else {
            at = &question->next;
        }
    }
}

static void take_up(deft__client *client, const deft__mcp_message *message, deft__relay *relay)
{
    unpark(relay);
    relay->client = client;
    relay->next   = client->relays;
    if (relay->next != NULL) {
        relay->next->previous = relay;
    }
    client->relays = relay;
    client->relay_count++;
    if (!deft__arena_copy(&relay->arena, message->id, &relay->id)) {
        relay->id = deft_view_of(NULL);
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR, "out of memory");
        return;
    }
    deliver(relay, deft__mcp_param(message, "inputResponses"));
    if (relay->held.size > 0) {
        deft__relay_answer(relay, deft_buffer_view(&relay->held));
        deft__relay_free(relay);
    } else if (relay->exchange == NULL) {
        deft__relay_fail(relay, "failed", deft_view_of("The call is no longer open."));
    } else if (relay->questions != NULL) {
        (void)answer_with_questions(relay); // what is missing is asked again
    }
}

// A state of ours that has been read: a parked call is taken up; a server's own goes on to it.
static bool use_state(deft__client *client, const deft__mcp_message *message,
                      const deft__sealed *sealed, deft_buffer *members)
{
    if (sealed->kind == DEFT__SEAL_SERVER) {
        deft_buffer_append_text(members, ",\"requestState\":");
        deft_buffer_append(members, sealed->text);
        return false;
    }
    deft__relay *relay = find_parked(client->gateway, sealed->number);
    if (relay != NULL) {
        take_up(client, message, relay);
    } else {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "the call that params.requestState names is over; call again");
    }
    return true;
}

bool deft__ask_resume(deft__client *client, const deft__mcp_message *message, const char *method,
                      uint32_t server, deft_view tool, deft_buffer *members)
{
    deft__gateway           *gateway = client->gateway;
    const deft__json_value   value   = deft__mcp_param(message, "requestState");
    const deft__json_value   answers = deft__mcp_param(message, "inputResponses");
    const deft__seal_binding binding = {
        .principal = client->principal, .server = server, .method = method, .subject = tool};
    if (client->era != DEFT__MCP_ERA_MODERN) {
        return false;
    }
    bool is_taken = false;
    if (deft__json_is(value, DEFT__JSON_STRING)) {
        deft__sealed sealed;
        deft_buffer  scratch;
        deft_buffer_init(&scratch, gateway->allocator);
        const deft_view   state = deft__json_string(value, &scratch);
        const deft_status status =
            scratch.status != DEFT_OK
                ? scratch.status
                : deft__seal_read(&gateway->key, state, &binding, deft__gateway_now(gateway),
                                  gateway->allocator, &sealed);
        if (status == DEFT_OK) {
            is_taken = use_state(client, message, &sealed, members);
        } else {
            deft__client_send_error(
                client, message->id,
                status == DEFT_OUT_OF_MEMORY ? DEFT__MCP_INTERNAL_ERROR : DEFT__MCP_INVALID_PARAMS,
                "%s",
                status == DEFT_OUT_OF_MEMORY ? "out of memory"
                : status == DEFT_LIMIT
                    ? "params.requestState is too old; call again without it"
                    : "params.requestState is not one that was given for this call");
            is_taken = true;
        }
        deft_buffer_clear(&scratch);
    }
    if (!is_taken && deft__json_is(answers, DEFT__JSON_OBJECT)) {
        deft_buffer_append_text(members, ",\"inputResponses\":");
        deft_buffer_append(members, deft__json_raw(answers));
    }
    return is_taken;
}

// --- Ends. ---

void deft__ask_forget(deft__relay *relay)
{
    deft__client *client = relay->client;
    unpark(relay);
    if (client != NULL) {
        for (deft__question **at = &client->questions; *at != NULL;) {
            deft__question *question = *at;
            if (question->relay == relay) {
                *at = question->next;
                withdraw(client, question);
                if (question->link != NULL) {
                    drop(question->link, question->ask);
                }
                free_question(relay->gateway, question);
            } else {
                at = &question->next;
            }
        }
    }
    while (relay->questions != NULL) {
        deft__question *question = relay->questions;
        relay->questions         = question->next;
        drop(question->link, question->ask);
        free_question(relay->gateway, question);
    }
}

void deft__ask_forget_client(deft__client *client)
{
    while (client->questions != NULL) {
        deft__question *question = client->questions;
        client->questions        = question->next;
        if (question->link != NULL) {
            drop(question->link, question->ask);
        }
        free_question(client->gateway, question);
    }
}

void deft__gateway_drop_parked(deft__gateway *gateway)
{
    while (gateway->parked != NULL) {
        deft__relay *relay = gateway->parked;
        if (relay->exchange != NULL) {
            deft__exchange_cancel(relay->exchange, deft_view_of("the gateway ends"));
        } else {
            deft__relay_free(relay);
        }
    }
}
