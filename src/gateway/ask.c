#include "gateway/ask.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// State that a modern client hands back, as a string:
//
//     deft.s.SERVER.MAC.TEXT     a modern server's own requestState is TEXT (raw JSON)
//     deft.p.NUMBER.MAC.         the parked call NUMBER
//
// MAC is a keyed hash over kind, number, tool and text, so a client cannot make one up, nor use it
// for another tool.
#define STATE_PREFIX "deft."

static uint64_t state_mac(const deft__gateway *gateway, char kind, uint64_t number, deft_view tool,
                          deft_view text)
{
    char     head[32];
    uint64_t mac = gateway->seed;
    (void)snprintf(head, sizeof head, "%c.%" PRIu64, kind, number);
    mac = deft__hash(deft_view_of(head), mac);
    mac = deft__hash(tool, mac);
    return deft__hash(text, mac);
}

static void write_state(const deft__gateway *gateway, deft__json_writer *json, char kind,
                        uint64_t number, deft_view tool, deft_view text)
{
    char        head[80];
    deft_buffer state;
    deft_buffer_init(&state, gateway->allocator);
    (void)snprintf(head, sizeof head, STATE_PREFIX "%c.%" PRIu64 ".%016" PRIx64 ".", kind, number,
                   state_mac(gateway, kind, number, tool, text));
    deft_buffer_append_text(&state, head);
    deft_buffer_append(&state, text);
    deft__json_write_string(json, deft_buffer_view(&state));
    if (state.status != DEFT_OK) {
        json->out->status = state.status;
    }
    deft_buffer_clear(&state);
}

static bool read_number(deft_view *text, int base, uint64_t *number)
{
    size_t size = 0;
    *number     = 0;
    for (; size < text->size && text->data[size] != '.'; size++) {
        const char c    = text->data[size];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
        if (digit >= base || size >= 20) {
            return false;
        }
        *number = *number * (uint64_t)base + (uint64_t)digit;
    }
    const bool is_ended = size > 0 && size < text->size;
    *text               = deft_view_slice(*text, size + 1, text->size);
    return is_ended;
}

// Whether `state` is one of ours for this tool.
static bool read_state(const deft__gateway *gateway, deft_view state, deft_view tool, char *kind,
                       uint64_t *number, deft_view *text)
{
    uint64_t mac;
    if (!deft_view_starts_with(state, deft_view_of(STATE_PREFIX)) || state.size < 8) {
        return false;
    }
    *kind = state.data[5];
    *text = deft_view_slice(state, 7, state.size);
    return read_number(text, 10, number) && read_number(text, 16, &mac) &&
           mac == state_mac(gateway, *kind, *number, tool, *text);
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
    write_state(relay->gateway, &json, 'p', relay->parked, relay->tool, deft_view_of(NULL));
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
            write_state(relay->gateway, &json, 's', relay->server, relay->tool,
                        deft__json_raw(i.value));
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

bool deft__ask_resume(deft__client *client, const deft__mcp_message *message, deft_view tool,
                      deft_buffer *members)
{
    deft__gateway         *gateway = client->gateway;
    const deft__json_value value   = deft__mcp_param(message, "requestState");
    const deft__json_value answers = deft__mcp_param(message, "inputResponses");
    if (client->era != DEFT__MCP_ERA_MODERN) {
        return false;
    }
    deft_buffer scratch;
    deft_view   text   = {NULL, 0};
    uint64_t    number = 0;
    char        kind   = 0;
    deft_buffer_init(&scratch, gateway->allocator);
    const deft_view state    = deft__json_string(value, &scratch);
    bool            is_taken = false;
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        is_taken = false;
    } else if (!read_state(gateway, state, tool, &kind, &number, &text)) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "params.requestState is not one that was given for this call");
        is_taken = true;
    } else if (kind == 'p') {
        deft__relay *relay = find_parked(gateway, number);
        if (relay != NULL) {
            take_up(client, message, relay);
        } else {
            deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                    "the call that params.requestState names is over; call again");
        }
        is_taken = true;
    } else {
        deft_buffer_append_text(members, ",\"requestState\":");
        deft_buffer_append(members, text);
    }
    if (!is_taken && deft__json_is(answers, DEFT__JSON_OBJECT)) {
        deft_buffer_append_text(members, ",\"inputResponses\":");
        deft_buffer_append(members, deft__json_raw(answers));
    }
    deft_buffer_clear(&scratch);
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
