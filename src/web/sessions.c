// Sessions of legacy clients. A session has a client of the gateway, the streams of its open requests,
// at most one stream of its own, and the last events, for a client whose connection broke.
#include "base/fail.h"
#include "base/memory.h"
#include "web/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static unsigned bucket_of(const unsigned char key[DEFT__SESSION_KEY_SIZE])
{
    return (key[0] | (unsigned)key[1] << 8) % DEFT__SESSION_BUCKETS;
}

void deft__web_session_id(const deft__web_session *session, char id[DEFT__SESSION_ID_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < DEFT__SESSION_KEY_SIZE; i++) {
        id[2 * i]     = digits[session->key[i] >> 4];
        id[2 * i + 1] = digits[session->key[i] & 15];
    }
    id[DEFT__SESSION_ID_SIZE] = '\0';
}

// As it was written above: other spellings of the number are not ours.
static bool read_id(deft_view id, unsigned char key[DEFT__SESSION_KEY_SIZE])
{
    if (id.size != DEFT__SESSION_ID_SIZE) {
        return false;
    }
    for (size_t i = 0; i < id.size; i++) {
        const char c    = id.data[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) {
            return false;
        }
        key[i / 2] = (unsigned char)(i % 2 == 0 ? digit << 4 : key[i / 2] | digit);
    }
    return true;
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
    deft__web_session *session = deft__new(web->allocator, sizeof *session + request->server.size);
    if (session == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    const deft__client_options options = {.tag           = session,
                                          .send          = deft__web_session_hear,
                                          .token         = principal->token.name,
                                          .principal     = principal->number,
                                          .is_everything = request->is_everything,
                                          .server        = request->server,
                                          .restriction   = principal->restriction};
    session->web                       = web;
    session->principal                 = principal;
    session->is_everything             = request->is_everything;
    session->used_ms                   = web->now_ms;
    session->server_size               = (uint32_t)request->server.size;
    for (size_t i = 0; i < request->server.size; i++) {
        session->server[i] = request->server.data[i];
    }
    session->client = deft__client_open(web->gateway, &options, error);
    if (session->client == NULL) {
        deft__free(web->allocator, session, sizeof *session + session->server_size);
        return NULL;
    }
    web->host.random(web->host.context, session->key, sizeof session->key);
    session->next = web->sessions;
    if (session->next != NULL) {
        session->next->previous = session;
    }
    web->sessions              = session;
    deft__web_session **bucket = &web->buckets[bucket_of(session->key)];
    session->next_same         = *bucket;
    *bucket                    = session;
    web->session_count++;
    principal->session_count++;
    return session;
}

deft__web_session *deft__web_session_find(deft__web *web, deft_view id)
{
    unsigned char key[DEFT__SESSION_KEY_SIZE] = {0};
    if (!read_id(id, key)) {
        return NULL;
    }
    for (deft__web_session *session = web->buckets[bucket_of(key)]; session != NULL;
         session                    = session->next_same) {
        if (!session->is_over && memcmp(session->key, key, sizeof key) == 0) {
            return session;
        }
    }
    return NULL;
}

static void drop_oldest(deft__web_session *session)
{
    deft__web_replay *replay = session->replay;
    deft__web_event  *event  = replay->events;
    replay->events           = event->next;
    if (replay->events == NULL) {
        replay->end = &replay->events;
    }
    replay->count--;
    replay->size -= event->data.size;
    deft_buffer_clear(&event->data);
    deft__free(session->web->allocator, event, sizeof *event);
}

void deft__web_session_free(deft__web_session *session)
{
    deft__web *web = session->web;
    while (session->streams != NULL) {
        deft__web_stream     *stream     = session->streams;
        deft__web_connection *connection = stream->is_over ? NULL : stream->connection;
        if (connection != NULL && connection->is_streaming) {
            deft__web_end_events(connection);
        } else if (connection != NULL) {
            deft__web_fail(connection, 404, deft_view_make(stream->id, stream->id_size), -32001,
                           deft_view_of("the session was ended"), deft_view_of(NULL));
        }
        deft__web_stream_free(stream);
    }
    while (session->replay != NULL && session->replay->events != NULL) {
        drop_oldest(session);
    }
    deft__free(web->allocator, session->replay, sizeof *session->replay);
    for (deft__web_session **at = &web->buckets[bucket_of(session->key)]; *at != NULL;
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
    deft__free(web->allocator, session, sizeof *session + session->server_size);
}

// --- Events that may be sent again. ---

void deft__web_write_event_id(const deft__web_stream *stream, uint64_t number, deft_buffer *out)
{
    deft_buffer_append_u64(out, stream->number);
    deft_buffer_append_byte(out, '-');
    deft_buffer_append_u64(out, number);
}

static deft__web_event *first_event(const deft__web_session *session)
{
    return session->replay != NULL ? session->replay->events : NULL;
}

static deft__web_replay *need_replay(deft__web_session *session)
{
    if (session->replay == NULL) {
        session->replay = deft__new(session->web->allocator, sizeof *session->replay);
        if (session->replay != NULL) {
            session->replay->end = &session->replay->events;
        }
    }
    return session->replay;
}

void deft__web_session_keep(deft__web_session *session, const deft__web_stream *stream,
                            deft_view data)
{
    deft__web        *web    = session->web;
    deft__web_replay *replay = need_replay(session);
    if (replay == NULL || data.size > web->options.replay_size_max) {
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
    *replay->end = event;
    replay->end  = &event->next;
    replay->count++;
    replay->size += data.size;
    while (replay->count > web->options.replay_count_max ||
           replay->size > web->options.replay_size_max) {
        drop_oldest(session);
    }
}

static void send_again(deft__web_connection *connection, const deft__web_event *event,
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
    for (deft__web_event *event = first_event(session); event != NULL; event = event->next) {
        if (event->stream == 0) {
            event->stream = session->own->number;
            event->number = ++session->own->event_count;
            send_again(connection, event, session->own);
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

// A part of an array has no events of its own, and never a connection.
static deft__web_stream *find_stream(const deft__web_session *session, uint64_t number)
{
    deft__web_stream *stream = session->streams;
    while (stream != NULL &&
           (stream->is_over || stream->lead != NULL || stream->number != number)) {
        stream = stream->next;
    }
    return stream;
}

static bool is_kept(const deft__web_session *session, uint64_t stream)
{
    const deft__web_event *event = first_event(session);
    while (event != NULL && event->stream != stream) {
        event = event->next;
    }
    return event != NULL;
}

deft__web_stream *deft__web_session_own(deft__web_session    *session,
                                        deft__web_connection *connection)
{
    deft__web_stream *stream =
        deft__web_stream_new(session->web, session, deft_view_of(NULL), connection);
    if (stream != NULL) {
        session->own_number = session->own_number != 0 ? session->own_number : stream->number;
        stream->number      = session->own_number;
        stream->event_count = session->own_event_count;
        session->own        = stream;
    }
    return stream;
}

// A client that comes back need not wait until it is noticed that it was gone.
static void take_over(deft__web_stream *stream, deft__web_connection *connection)
{
    if (stream->connection != NULL && stream->connection->is_streaming) {
        deft__web_end_events(stream->connection);
    }
    stream->connection = connection;
    connection->stream = stream;
}

bool deft__web_session_resume(deft__web_session *session, deft__web_connection *connection,
                              deft_view last_id)
{
    uint64_t stream_number;
    uint64_t event_number;
    if (!read_event_id(last_id, &stream_number, &event_number) || stream_number == 0) {
        return false;
    }
    deft__web_stream *stream = find_stream(session, stream_number);
    if (stream != NULL) {
        if (stream->connection != NULL && !stream->connection->is_streaming) {
            return false; // it has had no event yet
        }
        take_over(stream, connection);
    } else if (session->own == NULL && session->own_number == stream_number) {
        stream = deft__web_session_own(session, connection);
    } else if (!is_kept(session, stream_number)) {
        return false;
    }
    deft__web_begin_events(connection, NULL, deft_view_of(NULL));
    for (const deft__web_event *event = first_event(session); event != NULL; event = event->next) {
        if (event->stream == stream_number && event->number > event_number) {
            send_again(connection, event, stream);
        }
    }
    if (stream == NULL) {
        deft__web_end_events(connection); // it was answered meanwhile, and that was all
    } else if (stream == session->own) {
        deft__web_session_open(session, connection);
    }
    return true;
}
