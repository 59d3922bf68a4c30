// An array of messages in one POST, which 2025-03-26 has and no other version. It holds requests and
// notifications, or answers, and is looked at whole before anything in it is done: one that is wrong
// anywhere is refused. The answers come as events on one stream, each when it is there; the stream
// ends with the last.
//
//     connection <-> lead <- part, part, part      streams: a part for each request, without a
//                                                  connection of its own
#include "base/fail.h"
#include "http/headers.h"
#include "web/private.h"

#include <stdio.h>

typedef struct batch {
    size_t    count;
    size_t    answer_count; // RESULT and ERROR
    size_t    request_count;
    deft_view ids[DEFT__WEB_BATCH_MAX]; // of the requests
} batch;

static bool is_known(const batch *known, deft_view id)
{
    for (size_t i = 0; i < known->request_count; i++) {
        if (deft_view_equal(known->ids[i], id)) {
            return true;
        }
    }
    return false;
}

// What is wrong with a message of the array, or NULL.
static const char *complain(const batch *known, const deft__mcp_message *message)
{
    const bool is_answer = message->kind == DEFT__MCP_RESULT || message->kind == DEFT__MCP_ERROR;
    if (is_answer ? known->answer_count < known->count : known->answer_count > 0) {
        return "an array holds requests and notifications, or answers, not both";
    } else if (deft__mcp_is_modern(message)) {
        return "is of a version that has no arrays";
    } else if (message->kind != DEFT__MCP_REQUEST) {
        return NULL;
    } else if (deft_view_equals(message->method, "initialize")) {
        return "initialize stands alone";
    } else if (is_known(known, message->id)) {
        return "its id is that of another request in the array";
    } else {
        return NULL;
    }
}

// Looks at all of it. False after answering.
static bool check(deft__web_connection *connection, batch *found)
{
    deft__mcp_message message;
    deft_error        error  = DEFT_ERROR_INIT;
    const char       *wrong  = NULL;
    deft__mcp_reader *reader = &connection->web->reader;
    deft_status       status = DEFT_OK;
    *found                   = (batch){.count = 0};
    while (wrong == NULL && (status = deft__mcp_reader_next(reader, &message, &error)) == DEFT_OK) {
        wrong = found->count == DEFT__WEB_BATCH_MAX ? "is one too many" : complain(found, &message);
        if (wrong == NULL && message.kind == DEFT__MCP_REQUEST) {
            found->ids[found->request_count++] = message.id;
        } else if (wrong == NULL && message.kind != DEFT__MCP_NOTIFICATION) {
            found->answer_count++;
        }
        found->count++;
    }
    if (status == DEFT_NOT_FOUND) {
        return true;
    }
    char text[DEFT_ERROR_MESSAGE_SIZE + 40];
    (void)snprintf(text, sizeof text, "message %zu of the array: %s",
                   found->count + (wrong == NULL ? 1 : 0), wrong != NULL ? wrong : error.message);
    deft__web_fail(connection, status == DEFT_OUT_OF_MEMORY ? 503 : 400, deft_view_of(NULL),
                   status == DEFT_OUT_OF_MEMORY ? DEFT__MCP_INTERNAL_ERROR
                                                : DEFT__MCP_INVALID_REQUEST,
                   deft_view_of(text), deft_view_of(NULL));
    return false;
}

// A part for each request, counted for its principal as if it had come alone. False after answering.
static bool make_parts(deft__web_connection *connection, deft__web_stream *lead)
{
    deft__web        *web  = connection->web;
    const deft_view   body = deft_buffer_view(&connection->request->body);
    deft__mcp_message message;
    deft_status       status = deft__mcp_reader_take(&web->reader, body, NULL);
    while (status == DEFT_OK) {
        status = deft__mcp_reader_next(&web->reader, &message, NULL);
        if (status != DEFT_OK || message.kind != DEFT__MCP_REQUEST) {
            continue;
        }
        if (!deft__web_admit(connection, &message)) {
            return false;
        }
        status = deft__web_part_new(lead, message.id) != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    }
    if (status != DEFT_NOT_FOUND) {
        deft__web_fail(connection, 503, deft_view_of(NULL), DEFT__MCP_INTERNAL_ERROR,
                       deft_view_of("out of memory"), deft_view_of(NULL));
        return false;
    }
    return true;
}

// They were made last, so they are the first of the session's.
static void free_parts(deft__web_session *session, const deft__web_stream *lead)
{
    while (session->streams != NULL && session->streams->lead == lead) {
        deft__web_stream_free(session->streams);
    }
}

// Hands it to the gateway. What is cancelled in it is not answered: nothing waits for that.
static void hand_on(deft__web *web, deft__web_session *session, deft_view body)
{
    deft__mcp_message message;
    deft__client_receive(session->client, body);
    deft_status status = deft__mcp_reader_take(&web->reader, body, NULL);
    while (status == DEFT_OK &&
           (status = deft__mcp_reader_next(&web->reader, &message, NULL)) == DEFT_OK) {
        if (message.kind == DEFT__MCP_NOTIFICATION &&
            deft_view_equals(message.method, "notifications/cancelled")) {
            deft__web_session_cancel(session,
                                     deft__json_raw(deft__mcp_param(&message, "requestId")));
        }
    }
}

void deft__web_take_batch(deft__web_connection *connection, deft__web_session *session)
{
    batch           found;
    const deft_view body = deft_buffer_view(&connection->request->body);
    if (!check(connection, &found)) {
        return;
    }
    if (found.request_count == 0) {
        hand_on(connection->web, session, body);
        deft__web_answer(connection, 202, NULL, deft_view_of(NULL), NULL, deft_view_of(NULL));
        return;
    }
    if (!deft__http_accepts(&connection->request->head, "text/event-stream")) {
        deft__web_fail(connection, 406, deft_view_of(NULL), DEFT__MCP_INVALID_REQUEST,
                       deft_view_of("Accept must allow text/event-stream: an array is answered "
                                    "with a stream"),
                       deft_view_of(NULL));
        return;
    }
    deft__web_stream *lead =
        deft__web_stream_new(connection->web, session, deft_view_of(NULL), connection);
    if (lead == NULL) {
        deft__web_fail(connection, 503, deft_view_of(NULL), DEFT__MCP_INTERNAL_ERROR,
                       deft_view_of("out of memory"), deft_view_of(NULL));
    } else if (!make_parts(connection, lead)) {
        free_parts(session, lead);
        deft__web_stream_free(lead);
    } else {
        deft__web_begin_events(connection, NULL, deft_view_of(NULL));
        hand_on(connection->web, session, body); // of a request that lasts until the next run
    }
}
