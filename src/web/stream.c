// Lines of the gateway on their way to connections. Which one a line is for, the gateway says: the
// request that it is about. The first line decides how a request is answered: with JSON where it is
// the answer itself, as a stream of events where something comes before it.
#include "base/memory.h"
#include "http/headers.h"
#include "web/private.h"

#include <assert.h>

// Of a stream with an id of so many bytes, which begins in what the compiler pads with.
static size_t stream_size(size_t id_size)
{
    const size_t size = offsetof(deft__web_stream, id) + id_size;
    return size > sizeof(deft__web_stream) ? size : sizeof(deft__web_stream);
}

static deft__web_stream *new_stream(deft__web *web, deft__web_session *session, deft_view id,
                                    deft__web_request *request)
{
    deft__web_stream *stream = deft__new(web->allocator, stream_size(id.size));
    if (stream == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < id.size; i++) {
        stream->id[i] = id.data[i];
    }
    deft__web_stream **list = session != NULL ? &session->streams : &web->streams;
    stream->web             = web;
    stream->id_size         = (uint32_t)id.size;
    stream->session         = session;
    stream->number          = ++web->numbers;
    stream->next            = *list;
    if (stream->next != NULL) {
        stream->next->previous = stream;
    }
    *list               = stream;
    stream->principal   = request->principal;
    stream->is_counted  = request->is_counted;
    request->is_counted = false;
    return stream;
}

deft__web_stream *deft__web_stream_new(deft__web *web, deft__web_session *session, deft_view id,
                                       deft__web_connection *connection)
{
    deft__web_stream *stream = new_stream(web, session, id, connection->request);
    if (stream != NULL) {
        stream->connection = connection;
        connection->stream = stream;
    }
    return stream;
}

deft__web_stream *deft__web_part_new(deft__web_stream *lead, deft_view id)
{
    deft__web_stream *part = new_stream(lead->web, lead->session, id, lead->connection->request);
    if (part != NULL) {
        part->lead = lead;
        lead->part_count++;
    }
    return part;
}

// The call is over for whom it is counted.
static void end_call(deft__web_stream *stream)
{
    if (stream->is_counted) {
        stream->is_counted = false;
        deft__principal_end(stream->principal);
    }
}

static void take_off(const deft__web_stream *stream)
{
    for (deft__web_stream **at = &stream->web->over; *at != NULL; at = &(*at)->next_over) {
        if (*at == stream) {
            *at = stream->next_over;
            return;
        }
    }
}

void deft__web_stream_free(deft__web_stream *stream)
{
    deft__web         *web     = stream->web;
    deft__web_session *session = stream->session;
    deft__web_stream **list    = session != NULL ? &session->streams : &web->streams;
    end_call(stream);
    if (stream->client != NULL) {
        deft__client_close(stream->client);
    }
    if (session != NULL && session->own == stream) {
        session->own = NULL;
    }
    if (stream->is_over) {
        take_off(stream);
    } else if (stream->connection != NULL) {
        stream->connection->stream = NULL;
    }
    *(stream->previous != NULL ? &stream->previous->next : list) = stream->next;
    if (stream->next != NULL) {
        stream->next->previous = stream->previous;
    }
    deft__free(web->allocator, stream, stream_size(stream->id_size));
}

static void end_stream(deft__web_stream *stream)
{
    assert(stream->connection == NULL && !stream->is_over);
    if (stream->session != NULL && stream->session->own == stream) {
        stream->session->own             = NULL;
        stream->session->own_event_count = stream->event_count;
    }
    end_call(stream);
    stream->is_over   = true;
    stream->next_over = stream->web->over;
    stream->web->over = stream;
}

void deft__web_stream_detach(deft__web_stream *stream)
{
    stream->connection->stream = NULL;
    stream->connection         = NULL;
    if (stream->session == NULL || stream == stream->session->own) {
        end_stream(
            stream); // a modern client has cancelled; a session's own stream can be opened anew
    }
}

void deft__web_sweep(deft__web *web)
{
    while (web->over != NULL || web->has_ended) {
        while (web->over != NULL) {
            deft__web_stream_free(web->over);
        }
        const bool has_ended = web->has_ended;
        web->has_ended       = false;
        for (deft__web_session *session = has_ended ? web->sessions : NULL, *next; session != NULL;
             session                    = next) {
            next = session->next;
            if (session->is_over) {
                deft__web_session_free(session);
            }
        }
    }
}

// --- Lines. ---

// Whether the line is the answer to the request that it is about. The gateway writes ids first.
static bool is_answer(deft_view about, deft_view line)
{
    static const deft_view start = DEFT_VIEW_INIT("{\"jsonrpc\":\"2.0\",\"id\":");
    if (about.size == 0 || !deft_view_starts_with(line, start)) {
        return false;
    }
    deft_view rest = deft_view_slice(line, start.size, line.size);
    if (!deft_view_starts_with(rest, about)) {
        return false;
    }
    rest = deft_view_slice(rest, about.size, rest.size);
    return deft_view_starts_with(rest, deft_view_of(",\"result\":")) ||
           deft_view_starts_with(rest, deft_view_of(",\"error\":"));
}

// The status of an answer. Modern ones tell by it what is wrong with the request itself.
static int status_of(deft__web *web, const deft__web_stream *stream, deft_view line)
{
    deft__mcp_message message;
    const size_t      start = sizeof "{\"jsonrpc\":\"2.0\",\"id\":" - 1 + stream->id_size;
    if (!deft_view_starts_with(deft_view_slice(line, start, line.size),
                               deft_view_of(",\"error\":")) ||
        stream->session != NULL || deft__mcp_reader_take(&web->reader, line, NULL) != DEFT_OK ||
        deft__mcp_reader_next(&web->reader, &message, NULL) != DEFT_OK) {
        return 200;
    }
    switch (message.error_code) {
    case DEFT__MCP_METHOD_NOT_FOUND:
        return 404;
    case DEFT__MCP_PARSE_ERROR:
    case DEFT__MCP_INVALID_REQUEST:
    case DEFT__MCP_HEADER_MISMATCH:
    case DEFT__MCP_MISSING_CAPABILITY:
    case DEFT__MCP_UNSUPPORTED_VERSION:
        return 400;
    default:
        return 200;
    }
}

// The headers of a legacy answer name its session, in the answer to initialize.
static const char *session_header(const deft__web_stream *stream,
                                  char id[DEFT__SESSION_ID_SIZE + 1], deft_view *value)
{
    if (stream->session == NULL || stream->session->is_announced) {
        return NULL;
    }
    stream->session->is_announced = true;
    deft__web_session_id(stream->session, id);
    *value = deft_view_make(id, DEFT__SESSION_ID_SIZE);
    return "Mcp-Session-Id";
}

static void begin_events(deft__web_stream *stream)
{
    char        id[DEFT__SESSION_ID_SIZE + 1];
    deft_view   value  = {NULL, 0};
    const char *header = session_header(stream, id, &value);
    deft__web_begin_events(stream->connection, header, value);
}

// Sends one event, with an id where the client may come back for what follows it.
static void send_event(deft__web_stream *stream, deft_view line)
{
    deft__sse_event event = {.data = line};
    deft_buffer     id;
    deft_buffer_init(&id, stream->web->allocator);
    stream->event_count++;
    if (stream->session != NULL) {
        deft__web_write_event_id(stream, stream->event_count, &id);
        event.id = deft_buffer_view(&id);
        deft__web_session_keep(stream->session, stream, line);
    }
    if (stream->connection != NULL) {
        deft__web_send_event(stream->connection, &event);
    }
    deft_buffer_clear(&id);
}

// One of several is over: the last one ends what carries them.
static void end_part(deft__web_stream *part)
{
    deft__web_stream *lead = part->lead;
    end_stream(part);
    lead->part_count--;
    if (lead->part_count == 0) {
        if (lead->connection != NULL) {
            deft__web_end_events(lead->connection);
        }
        end_stream(lead);
    }
}

static void answer(deft__web_stream *stream, deft_view line)
{
    deft__web            *web        = stream->web;
    deft__web_connection *connection = stream->connection;
    if (connection == NULL) {
        send_event(stream, line); // kept, for a client that comes back
    } else if (connection->is_streaming) {
        send_event(stream, line);
        deft__web_end_events(connection);
    } else if (deft__http_accepts(&connection->request->head, "application/json")) {
        char        id[DEFT__SESSION_ID_SIZE + 1];
        deft_view   value  = {NULL, 0};
        const char *header = session_header(stream, id, &value);
        deft__web_answer(connection, status_of(web, stream, line), "application/json", line, header,
                         value);
    } else {
        begin_events(stream);
        send_event(stream, line);
        deft__web_end_events(connection);
    }
    end_stream(stream);
}

// Something before the answer, or beside it.
static void tell(deft__web_stream *stream, deft_view line)
{
    deft__web_connection *connection = stream->connection;
    if (connection != NULL && !connection->is_streaming) {
        if (!deft__http_accepts(&connection->request->head, "text/event-stream")) {
            return; // the client wants the answer and nothing else
        }
        begin_events(stream);
    }
    send_event(stream, line);
}

void deft__web_modern_hear(void *tag, deft_view about, deft_view line)
{
    deft__web_stream *stream = tag;
    if (stream->is_over) {
        return;
    }
    if (is_answer(about, line)) {
        answer(stream, line);
    } else {
        tell(stream, line);
    }
}

static deft__web_stream *find_stream(const deft__web_session *session, deft_view about)
{
    for (deft__web_stream *stream = session->streams; stream != NULL; stream = stream->next) {
        if (about.size > 0 && !stream->is_over &&
            deft_view_equal(deft_view_make(stream->id, stream->id_size), about)) {
            return stream;
        }
    }
    return NULL;
}

void deft__web_session_hear(void *tag, deft_view about, deft_view line)
{
    deft__web_session *session = tag;
    deft__web_stream  *stream  = find_stream(session, about);
    session->used_ms           = session->web->now_ms;
    if (stream != NULL && stream->lead != NULL && is_answer(about, line)) {
        send_event(stream->lead, line);
        end_part(stream);
    } else if (stream != NULL && is_answer(about, line)) {
        answer(stream, line);
    } else if (stream != NULL) {
        tell(stream->lead != NULL ? stream->lead : stream, line);
    } else if (session->own != NULL) {
        send_event(session->own, line);
    } else {
        deft__web_session_keep(session, NULL, line); // for the stream that may be opened
    }
}

void deft__web_session_cancel(deft__web_session *session, deft_view id)
{
    deft__web_stream *stream = find_stream(session, id);
    if (stream == NULL) {
        return; // it was answered, or never asked
    }
    if (stream->lead != NULL) {
        end_part(stream);
        return;
    }
    deft__web_connection *connection = stream->connection;
    if (connection != NULL && !connection->is_streaming &&
        !deft__http_accepts(&connection->request->head, "text/event-stream")) {
        deft__web_answer(connection, 204, NULL, deft_view_of(NULL), NULL, deft_view_of(NULL));
    } else if (connection != NULL) {
        if (!connection->is_streaming) {
            begin_events(stream);
        }
        deft__web_end_events(connection); // a stream without an answer, as the protocol has it
    }
    end_stream(stream);
}
