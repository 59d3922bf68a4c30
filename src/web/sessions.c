// Sessions of legacy clients. A session has a client of the gateway, the streams of its open requests,
// at most one stream of its own, and the last events, for a client whose connection broke.
#include "base/fail.h"
#include "base/memory.h"
#include "web/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static unsigned bucket_of(deft_view id)
{
    unsigned bucket = 0;
    for (size_t i = 0; i < 3 && i < id.size; i++) {
        const char c = id.data[i];
        bucket = bucket * 16 + (unsigned)(c >= '0' && c <= '9' ? c - '0' : (c - 'a' + 10) & 15);
    }
    return bucket % DEFT__SESSION_BUCKETS;
}

static void make_id(const deft__web *web, char id[DEFT__SESSION_ID_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char     bytes[DEFT__SESSION_ID_SIZE / 2];
    web->host.random(web->host.context, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        id[2 * i]     = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[DEFT__SESSION_ID_SIZE] = '\0';
}

deft__web_session *deft__web_session_new(deft__web *web, const deft__web_request *request,
                                         deft_error *error)
{
    deft__web_principal *principal = request->principal;
    if (web->session_count >= web->options.sessions_max ||
        (principal->token.sessions > 0 && principal->session_count >= principal->token.sessions)) {
        deft__fail(error, DEFT_LIMIT, 0, "there are too many sessions");
        return NULL;
    }
    deft__web_session *session = deft__new(web->allocator, sizeof *session);
    if (session == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    const deft__client_options options = {.tag           = session,
                                          .send          = deft__web_session_hear,
                                          .principal     = request->principal->number,
                                          .is_everything = request->is_everything,
                                          .server        = request->server,
                                          .restriction   = request->principal->restriction};
    session->web                       = web;
    session->principal                 = principal;
    session->is_everything             = request->is_everything;
    session->used_ms                   = web->now_ms;
    session->events_end                = &session->events;
    deft_buffer_init(&session->server, web->allocator);
    deft_buffer_append(&session->server, request->server);
    session->client = deft__client_open(web->gateway, &options, error);
    if (session->client == NULL || session->server.status != DEFT_OK) {
        if (session->client != NULL) {
            deft__client_close(session->client);
        }
        deft_buffer_clear(&session->server);
        deft__free(web->allocator, session, sizeof *session);
        return NULL;
    }
    make_id(web, session->id);
    session->next = web->sessions;
    if (session->next != NULL) {
        session->next->previous = session;
    }
    web->sessions              = session;
    deft__web_session **bucket = &web->buckets[bucket_of(deft_view_of(session->id))];
    session->next_same         = *bucket;
    *bucket                    = session;
    web->session_count++;
    principal->session_count++;
    return session;
}

deft__web_session *deft__web_session_find(deft__web *web, deft_view id)
{
    for (deft__web_session *session = web->buckets[bucket_of(id)]; session != NULL;
         session                    = session->next_same) {
        if (!session->is_over && deft_view_equals(id, session->id)) {
            return session;
        }
    }
    return NULL;
}

static void drop_oldest(deft__web_session *session)
{
    deft__web_event *event = session->events;
    session->events        = event->next;
    if (session->events == NULL) {
        session->events_end = &session->events;
    }
    session->event_count--;
    session->event_size -= event->data.size;
    deft_buffer_clear(&event->data);
    deft__free(session->web->allocator, event, sizeof *event);
}

void deft__web_session_free(deft__web_session *session)
{
    deft__web *web = session->web;
    while (session->streams != NULL) {
        deft__web_stream     *stream     = session->streams;
        deft__web_connection *connection = stream->connection;
        if (connection != NULL && connection->request->is_streaming) {
            deft__web_end_events(connection);
        }
        deft__web_stream_free(stream);
    }
    while (session->events != NULL) {
        drop_oldest(session);
    }
    for (deft__web_session **at = &web->buckets[bucket_of(deft_view_of(session->id))]; *at != NULL;
         at                     = &(*at)->next_same) {
        if (*at == session) {
            *at = session->next_same;
            break;
        }
    }
    *(session->previous != NULL ? &session->previous->next : &web->sessions) = session->next;
    if (session->next != NULL) {
        session->next->previous = session->previous;
    }
    web->session_count--;
    session->principal->session_count--;
    deft__client_close(session->client);
    deft_buffer_clear(&session->server);
    deft__free(web->allocator, session, sizeof *session);
}

// --- Events that may be sent again. ---

void deft__web_write_event_id(const deft__web_stream *stream, uint64_t number, deft_buffer *out)
{
    deft_buffer_append_u64(out, stream->number);
    deft_buffer_append_byte(out, '-');
    deft_buffer_append_u64(out, number);
}

void deft__web_session_keep(deft__web_session *session, const deft__web_stream *stream,
                            deft_view data)
{
    deft__web *web = session->web;
    if (data.size > web->options.replay_size_max) {
        return;
    }
    deft__web_event *event = deft__new(web->allocator, sizeof *event);
    if (event == NULL) {
        return; // without it a client cannot come back; nothing else is lost
    }
    event->stream = stream != NULL ? stream->number : 0;
    event->number = stream != NULL ? stream->event_count : 0;
    deft_buffer_init(&event->data, web->allocator);
    deft_buffer_append(&event->data, data);
    if (event->data.status != DEFT_OK) {
        deft_buffer_clear(&event->data);
        deft__free(web->allocator, event, sizeof *event);
        return;
    }
    *session->events_end = event;
    session->events_end  = &event->next;
    session->event_count++;
    session->event_size += data.size;
    while (session->event_count > web->options.replay_count_max ||
           session->event_size > web->options.replay_size_max) {
        drop_oldest(session);
    }
}

static void replay(deft__web_connection *connection, const deft__web_event *event,
                   const deft__web_stream *stream)
{
    deft_buffer id;
    deft_buffer_init(&id, connection->web->allocator);
    deft_buffer_append_u64(&id, event->stream);
    deft_buffer_append_byte(&id, '-');
    deft_buffer_append_u64(&id, event->number);
    const deft__sse_event sent = {.data = deft_buffer_view(&event->data),
                                  .id = stream != NULL || event->stream != 0 ? deft_buffer_view(&id)
                                                                             : deft_view_of(NULL)};
    deft__web_send_event(connection, &sent);
    deft_buffer_clear(&id);
}

// What was said while the session had no stream of its own.
void deft__web_session_open(deft__web_session *session, deft__web_connection *connection)
{
    for (deft__web_event *event = session->events; event != NULL; event = event->next) {
        if (event->stream == 0) {
            event->stream = session->own->number;
            event->number = ++session->own->event_count;
            replay(connection, event, session->own);
        }
    }
}

static bool read_event_id(deft_view text, uint64_t *stream, uint64_t *number)
{
    uint64_t *part = stream;
    *stream = *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '-' && part == stream && i > 0) {
            part = number;
        } else if (text.data[i] < '0' || text.data[i] > '9' || text.size > 40) {
            return false;
        } else {
            *part = *part * 10 + (uint64_t)(text.data[i] - '0');
        }
    }
    return part == number;
}

bool deft__web_session_resume(deft__web_session *session, deft__web_connection *connection,
                              deft_view last_id)
{
    uint64_t          stream_number;
    uint64_t          event_number;
    deft__web_stream *stream  = session->streams;
    bool              is_kept = false;
    if (!read_event_id(last_id, &stream_number, &event_number)) {
        return false;
    }
    while (stream != NULL && stream->number != stream_number) {
        stream = stream->next;
    }
    for (const deft__web_event *event = session->events; event != NULL; event = event->next) {
        is_kept = is_kept || event->stream == stream_number;
    }
    if ((stream == NULL && !is_kept) || (stream != NULL && stream->connection != NULL)) {
        return false;
    }
    if (stream != NULL) {
        stream->connection          = connection;
        connection->request->stream = stream;
    }
    deft__web_begin_events(connection, NULL, deft_view_of(NULL));
    for (const deft__web_event *event = session->events; event != NULL; event = event->next) {
        if (event->stream == stream_number && event->number > event_number) {
            replay(connection, event, stream);
        }
    }
    if (stream == NULL) {
        deft__web_end_events(connection); // it was answered meanwhile, and that was all
    }
    return true;
}
