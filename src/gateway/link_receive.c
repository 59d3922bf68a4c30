// Which part of the link a message is for. What is for none is counted and passed over: servers
// print banners and log lines, answer twice, or too late.
#include "gateway/link_private.h"

#include <assert.h>

uint64_t deft__link_parse_id(deft_view token)
{
    const size_t digits_max = 19; // any number of so many digits fits 64 bits
    uint64_t     id         = 0;
    if (token.size == 0 || token.size > digits_max || token.data[0] == '0') {
        return 0;
    }
    for (size_t i = 0; i < token.size; i++) {
        if (token.data[i] < '0' || token.data[i] > '9') {
            return 0;
        }
        id = 10 * id + (uint64_t)(token.data[i] - '0');
    }
    return id;
}

static void take_response(deft__link *link, const deft__mcp_message *message)
{
    const uint64_t id = deft__link_parse_id(message->id);
    if (link->phase == DEFT__LINK_UP) {
        if (!deft__link_take_answer(link, id, message) &&
            !deft__link_take_page(link, id, message) &&
            !deft__link_take_listen_end(link, id, message)) {
            link->ignored_count++;
        }
    } else if (message->id.size > 0 && id == 0) {
        link->ignored_count++; // somebody else's id
    } else if (!deft__link_take_handshake(link, id, message)) {
        link->ignored_count++;
    }
}

static void take_notification(deft__link *link, const deft__mcp_message *message)
{
    const deft_view method = message->method;
    if (deft_view_equals(method, "notifications/progress")) {
        deft__link_take_progress(link, message);
    } else if (deft_view_equals(method, "notifications/cancelled")) {
        deft__link_take_cancelled(link, message);
    } else if (deft_view_equals(method, "notifications/tools/list_changed")) {
        deft__link_list_changed(link, DEFT__LINK_TOOLS);
    } else if (deft_view_equals(method, "notifications/prompts/list_changed")) {
        deft__link_list_changed(link, DEFT__LINK_PROMPTS);
    } else if (deft_view_equals(method, "notifications/resources/list_changed")) {
        deft__link_list_changed(link, DEFT__LINK_RESOURCES);
        deft__link_list_changed(link, DEFT__LINK_TEMPLATES);
    } else if (!deft_view_equals(method, "notifications/subscriptions/acknowledged") ||
               !deft__link_take_acknowledged(link, message)) {
        link->calling++;
        link->listener->notified(link->listener->context, link, message);
        link->calling--;
    }
}

static void take_message(deft__link *link, const deft__mcp_message *message)
{
    switch (message->kind) {
    case DEFT__MCP_REQUEST:
        deft__link_take_request(link, message);
        break;
    case DEFT__MCP_NOTIFICATION:
        take_notification(link, message);
        break;
    case DEFT__MCP_RESULT:
    case DEFT__MCP_ERROR:
        take_response(link, message);
        break;
    }
}

// JSON, but no message. What was meant as an answer is one, and not a good one.
static void take_no_message(deft__link *link, const deft__mcp_message *message)
{
    // A log line may well have an "id"; it has no "jsonrpc".
    const deft__json_value root      = deft__json_root(&link->reader.document);
    const deft__json_value jsonrpc   = deft__json_member(root, "jsonrpc");
    const deft__json_value method    = deft__json_member(root, "method");
    const bool             is_answer = message->kind != DEFT__MCP_REQUEST ||
                           (deft__json_string_equals(jsonrpc, deft_view_of("2.0")) &&
                            deft__json_is(method, DEFT__JSON_NONE));
    if (is_answer && message->id.size > 0) {
        const deft__mcp_message bad = {.kind          = DEFT__MCP_ERROR,
                                       .id            = message->id,
                                       .error_message = deft_view_of("a malformed answer")};
        if (!deft__link_take_failure(link, deft__link_parse_id(message->id),
                                     "answered with neither a result nor an error")) {
            take_response(link, &bad);
        }
    } else {
        link->ignored_count++;
    }
}

void deft__link_received(deft__link *link, uint32_t life, deft_view line)
{
    if (!deft__link_is_current(link, life) || link->phase == DEFT__LINK_OPENING) {
        return;
    }
    assert(link->calling == 0 && !link->is_receiving);
    link->is_receiving = true;
    deft_status status = deft__mcp_reader_take(&link->reader, line, NULL);
    while (status == DEFT_OK && deft__link_is_current(link, life)) {
        deft__mcp_message message = {0};
        status                    = deft__mcp_reader_next(&link->reader, &message, NULL);
        if (status == DEFT_OK) {
            take_message(link, &message);
        } else if (status == DEFT_INVALID) {
            take_no_message(link, &message);
            status = DEFT_OK;
        }
    }
    if (status == DEFT_INVALID) {
        link->ignored_count++;
    } else if (status == DEFT_LIMIT && deft__link_is_current(link, life)) {
        deft__link_lost(link, "a message that is too large or too deep to be read");
    } else if (status == DEFT_OUT_OF_MEMORY && deft__link_is_current(link, life)) {
        deft__link_lost(link, "a message for which there is no memory");
    }
    link->is_receiving = false;
    // A long list leaves a long tape behind; a server that went meanwhile needs none at all.
    const size_t tokens_max = 64 * 1024;
    if (link->phase == DEFT__LINK_DOWN || link->reader.document.capacity > tokens_max) {
        deft__mcp_reader_clear(&link->reader);
    }
}

void deft__link_unanswered(deft__link *link, uint32_t life, deft_view id, deft_view reason)
{
    if (!deft__link_is_current(link, life) || link->phase == DEFT__LINK_OPENING) {
        return;
    }
    assert(link->calling == 0 && !link->is_receiving);
    const deft__mcp_message none = {.kind = DEFT__MCP_ERROR, .id = id, .error_message = reason};
    char                    clause[DEFT__LINK_SENTENCE_SIZE];
    deft__link_clause(clause, reason);
    link->is_receiving = true;
    if (link->phase != DEFT__LINK_UP ||
        !deft__link_take_failure(link, deft__link_parse_id(id), clause)) {
        take_response(link, &none);
    }
    link->is_receiving = false;
}
