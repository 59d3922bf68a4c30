// Connections: bytes in, one request at a time, bytes out. Requests that are sent ahead wait until
// the one before them is answered.
#include "web/web.h"

#include "base/fail.h"
#include "base/memory.h"
#include "crypto/digest.h"
#include "crypto/wiping.h"
#include "http/headers.h"
#include "http/syntax.h"
#include "web/private.h"

// How long a connection without a request stays when another process takes new ones: a request may be on
// its way, and who asks again and again does so within this time.
#define LINGER_MS 1000u

// --- Requests. ---

static deft__web_request *new_request(deft__web *web)
{
    deft__web_request *request = deft__new(web->allocator, sizeof *request);
    if (request != NULL) {
        deft__arena_init(&request->arena, web->allocator);
        deft_buffer_init(&request->body, web->allocator);
    }
    return request;
}

// The arena is ours, and its next user should not find a token there.
static void wipe_credentials(const deft__http_head *head)
{
    for (size_t i = 0; i < head->header_count; i++) {
        const deft__http_header *header = &head->headers[i];
        if (deft__http_same_text(header->name, "Authorization")) {
            deft__wipe((char *)(uintptr_t)header->value.data, header->value.size);
        }
    }
}

static void free_request(const deft__web *web, deft__web_request *request)
{
    if (request != NULL) {
        wipe_credentials(&request->head);
        if (request->is_counted) {
            deft__principal_end(request->principal);
        }
        deft_buffer_clear(&request->body);
        deft__arena_clear(&request->arena);
        deft__free(web->allocator, request, sizeof *request);
    }
}

// --- Connections. ---

deft__web_connection *deft__web_connect(deft__web *web, void *tag)
{
    deft__web_connection *connection = deft__new(web->allocator, sizeof *connection);
    if (connection == NULL) {
        return NULL;
    }
    connection->web      = web;
    connection->tag      = tag;
    connection->heard_ms = (uint32_t)web->now_ms;
    connection->next     = web->connections;
    if (connection->next != NULL) {
        connection->next->previous = connection;
    }
    web->connections = connection;
    web->connection_count++;
    return connection;
}

// Nothing of a request is here.
static bool is_idle(const deft__web_connection *connection)
{
    return connection->reader == NULL || deft__http_reader_is_idle(connection->reader);
}

// Reading begins, or goes on. False: no memory.
static bool need_reader(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    if (connection->reader == NULL) {
        connection->reader = web->spare_reader;
        web->spare_reader  = NULL;
        if (connection->reader == NULL) {
            connection->reader = deft__new(web->allocator, sizeof *connection->reader);
        }
        if (connection->reader != NULL) {
            deft__http_reader_init(connection->reader, web->options.body_size_max, &web->wiping);
            connection->reader->head_size_max = web->options.head_size_max;
        }
    }
    return connection->reader != NULL;
}

static void drop_reader(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    if (connection->reader == NULL) {
        return;
    }
    deft__http_reader_clear(connection->reader);
    if (web->spare_reader == NULL) {
        web->spare_reader = connection->reader;
    } else {
        deft__free(web->allocator, connection->reader, sizeof *connection->reader);
    }
    connection->reader = NULL;
}

static void free_connection(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    for (deft__web_connection **at = &web->ready; *at != NULL; at = &(*at)->next_ready) {
        if (*at == connection) {
            *at = connection->next_ready;
            break;
        }
    }
    *(connection->previous != NULL ? &connection->previous->next : &web->connections) =
        connection->next;
    if (connection->next != NULL) {
        connection->next->previous = connection->previous;
    }
    web->connection_count--;
    if (connection->is_busy && !connection->is_streaming) {
        web->open_count--;
    }
    free_request(web, connection->request);
    drop_reader(connection);
    deft__free(web->allocator, connection, sizeof *connection);
}

void deft__web_disconnect(deft__web_connection *connection)
{
    if (connection->stream != NULL) {
        deft__web_stream_detach(connection->stream);
    }
    free_connection(connection);
}

static void close_connection(deft__web_connection *connection)
{
    const deft__web *web = connection->web;
    void            *tag = connection->tag;
    deft__web_disconnect(connection);
    web->host.close(web->host.context, tag);
}

// --- Answers. ---

static void send_out(deft__web_connection *connection)
{
    const deft__web *web = connection->web;
    connection->heard_ms = (uint32_t)web->now_ms;
    if (web->out.status == DEFT_OK) {
        web->host.send(web->host.context, connection->tag, deft_buffer_view(&web->out));
    }
}

static void make_ready(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    if (!connection->is_ready) {
        connection->is_ready   = true;
        connection->next_ready = web->ready;
        web->ready             = connection;
    }
}

// The answer is out: the next request may follow, unless this was the last.
static void finish_request(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    if (connection->is_busy && !connection->is_streaming) {
        web->open_count--;
    }
    connection->is_busy      = false;
    connection->is_streaming = false;
    if (connection->stream != NULL) {
        connection->stream->connection = NULL;
        connection->stream             = NULL;
    }
    if (web->out.status != DEFT_OK || web->is_draining) {
        connection->is_kept_alive = false; // seen by deft__web_run(), which closes
    }
    make_ready(connection);
}

// What a browser must be told before it shows an answer to its page.
static void append_cors(deft__web_connection *connection)
{
    deft__web               *web     = connection->web;
    const deft__web_options *options = &web->options;
    deft_view                origin  = {NULL, 0};
    if (options->origin_count == 0 || options->is_cors_off) {
        return;
    }
    if (deft__http_find(&connection->request->head, "Origin", &origin) == DEFT_OK &&
        deft__http_allows_origin(origin, false, options->origins, options->origin_count)) {
        deft__http_header_text(&web->out, "Access-Control-Allow-Origin", origin);
        deft__http_header_text(&web->out, "Access-Control-Expose-Headers",
                               deft_view_of("Mcp-Session-Id, WWW-Authenticate, Retry-After"));
    }
    deft__http_header_text(&web->out, "Vary", deft_view_of("Origin"));
}

static void start_answer(deft__web_connection *connection, int status, const char *header,
                         deft_view value)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->out);
    deft__http_start(&web->out, status, deft_view_of(web->date));
    if (header != NULL) {
        deft__http_header_text(&web->out, header, value);
    }
    append_cors(connection);
    deft__http_connection(&web->out, &connection->request->head, web->is_draining);
}

void deft__web_answer(deft__web_connection *connection, int status, const char *type,
                      deft_view body, const char *header, deft_view value)
{
    deft__web *web = connection->web;
    start_answer(connection, status, header, value);
    if (status == 204) {
        deft__http_no_body(&web->out);
    } else {
        deft__http_body(&web->out, type, body,
                        connection->request->head.method == DEFT__HTTP_METHOD_HEAD);
    }
    send_out(connection);
    finish_request(connection);
}

void deft__web_fail(deft__web_connection *connection, int status, deft_view id, int64_t code,
                    deft_view message, deft_view data)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->text);
    deft__mcp_write_error(&web->text, id, code, message, data);
    deft__web_answer(connection, status, "application/json", deft_buffer_view(&web->text),
                     status == 405 ? "Allow" : NULL, deft_view_of("POST, GET, DELETE"));
}

void deft__web_answer_preflight(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    start_answer(connection, 204, NULL, deft_view_of(NULL));
    deft__http_header_text(&web->out, "Access-Control-Allow-Methods",
                           deft_view_of("POST, GET, DELETE"));
    deft__http_header_text(&web->out, "Access-Control-Allow-Headers",
                           deft_view_of("Authorization, Content-Type, Accept, Last-Event-ID, "
                                        "MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
                                        "Mcp-Session-Id"));
    deft__http_header_text(&web->out, "Access-Control-Max-Age", deft_view_of("600"));
    deft__http_no_body(&web->out);
    send_out(connection);
    finish_request(connection);
}

void deft__web_begin_events(deft__web_connection *connection, const char *header, deft_view value)
{
    deft__web *web = connection->web;
    start_answer(connection, 200, header, value);
    deft__http_events(&web->out, connection->request->head.minor);
    send_out(connection);
    connection->is_streaming = true;
    web->open_count--;
    make_ready(connection); // what asked for it can go
}

static void send_text(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->out);
    deft__http_chunk(&web->out, deft_buffer_view(&web->text), connection->minor);
    send_out(connection);
}

void deft__web_send_event(deft__web_connection *connection, const deft__sse_event *event)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->text);
    deft__sse_write(&web->text, event);
    if (web->text.status == DEFT_OK) {
        send_text(connection);
    }
}

void deft__web_end_events(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->out);
    deft__http_last_chunk(&web->out, connection->minor);
    send_out(connection);
    finish_request(connection);
}

// --- Reading. ---

// Something is wrong with the bytes themselves: an answer, and the end.
static void refuse(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->out);
    deft__http_refuse(&web->out, &web->event.refusal, deft_view_of(web->date));
    send_out(connection);
    close_connection(connection);
}

static bool take_head(deft__web_connection *connection)
{
    deft__web *web      = connection->web;
    connection->request = new_request(web);
    web->request_count++;
    if (++connection->request_count >= web->options.requests_max) {
        web->event.head.is_kept_alive = false; // its answer says so
    }
    if (connection->request == NULL ||
        !deft__http_head_copy(&web->event.head, &connection->request->arena,
                              &connection->request->head)) {
        close_connection(connection);
        return false;
    }
    connection->minor         = (uint8_t)connection->request->head.minor;
    connection->is_kept_alive = connection->request->head.is_kept_alive;
    if (!deft__web_take_head(connection)) {
        // Refused with a body on its way: where it ends does not matter any more.
        close_connection(connection);
        return false;
    }
    if (web->event.head.expects_continue) {
        deft_buffer_reset(&web->out);
        deft__http_continue(&web->out);
        send_out(connection);
    }
    return true;
}

static void take_end(deft__web_connection *connection)
{
    connection->is_busy = true;
    connection->web->open_count++;
    deft__web_take_request(connection);
}

// Reads as far as it goes: up to a request that waits for its answer. The connection may be gone
// afterwards.
static void go_on(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    while (connection->reader != NULL) {
        if (connection->is_busy) {
            deft__http_reader_hold(connection->reader);
            return;
        }
        if (connection->is_ready) {
            return; // answered, and not yet taken away: deft__web_run() goes on
        }
        switch (deft__http_reader_next(connection->reader, &web->event)) {
        case DEFT__HTTP_MORE:
            return;
        case DEFT__HTTP_HEAD:
            if (!take_head(connection)) {
                return;
            }
            break;
        case DEFT__HTTP_BODY:
            deft_buffer_append(&connection->request->body, web->event.body);
            break;
        case DEFT__HTTP_END:
            take_end(connection);
            break;
        case DEFT__HTTP_REFUSED:
            refuse(connection);
            return;
        }
    }
}

void deft__web_receive(deft__web_connection *connection, deft_view bytes)
{
    const deft__web *web = connection->web;
    connection->heard_ms = (uint32_t)web->now_ms;
    if (is_idle(connection)) {
        connection->began_ms = (uint32_t)web->now_ms;
    }
    if (!need_reader(connection)) {
        close_connection(connection);
        return;
    }
    deft__http_reader_feed(connection->reader, bytes);
    if (connection->is_busy || connection->is_ready) {
        // The bytes before are held, and come first.
        deft__http_reader_hold(connection->reader);
        if (deft__http_reader_held(connection->reader) > web->options.held_size_max) {
            close_connection(connection);
        }
    } else {
        go_on(connection);
    }
}

// Takes what was answered away and goes on with what was sent ahead.
static void run_ready(deft__web *web)
{
    while (web->ready != NULL) {
        deft__web_connection *connection = web->ready;
        web->ready                       = connection->next_ready;
        connection->is_ready             = false;
        free_request(web, connection->request);
        connection->request  = NULL;
        connection->began_ms = (uint32_t)web->now_ms; // of what was sent ahead
        if (connection->is_streaming) {
            // A stream may last for hours, and needs nothing of what asked for it.
            if (is_idle(connection)) {
                drop_reader(connection);
            }
        } else if (!connection->is_kept_alive) {
            close_connection(connection);
        } else {
            go_on(connection);
        }
    }
}

void deft__web_run(deft__web *web)
{
    do {
        run_ready(web);
        deft__web_sweep(web); // which may end streams, and with them answers
    } while (web->ready != NULL);
}

// --- Time. ---

static uint32_t quiet_ms(const deft__web_connection *connection)
{
    return (uint32_t)connection->web->now_ms - connection->heard_ms;
}

// A stream is quiet by nature; a request, or the space between two, is not.
static bool is_too_slow(const deft__web_connection *connection)
{
    const deft__web *web = connection->web;
    if (connection->is_busy) {
        return false;
    }
    if (is_idle(connection)) {
        return quiet_ms(connection) >
               (web->is_handed_over ? LINGER_MS : web->options.keep_alive_ms);
    }
    return quiet_ms(connection) > web->options.request_idle_ms ||
           (uint32_t)web->now_ms - connection->began_ms > web->options.request_ms;
}

static void comment(deft__web_connection *connection)
{
    deft__web *web = connection->web;
    deft_buffer_reset(&web->text);
    deft__sse_write_comment(&web->text, "");
    send_text(connection);
}

// A token that expires takes with it what it has open; what follows is turned away by its date.
static void end_expired(deft__web *web)
{
    for (deft__web_principal *one = web->access.principals; one != NULL; one = one->next) {
        if (!one->is_expired && one->token.expires_s != 0 && web->date_s >= one->token.expires_s) {
            one->is_expired = true;
            deft__web_end_principal(web, one);
        }
    }
}

void deft__web_tick(deft__web *web, uint64_t now_ms, int64_t date_s)
{
    web->now_ms = now_ms;
    web->date_s = date_s;
    deft__http_date(date_s, web->date);
    end_expired(web);
    for (deft__web_connection *connection = web->connections, *next; connection != NULL;
         connection                       = next) {
        next = connection->next;
        if (is_too_slow(connection)) {
            close_connection(connection);
        } else if (connection->is_streaming && quiet_ms(connection) >= web->options.quiet_ms) {
            comment(connection);
        }
    }
    for (deft__web_session *session = web->sessions; session != NULL; session = session->next) {
        if (session->streams == NULL && now_ms - session->used_ms > web->options.session_idle_ms) {
            session->is_over = true;
            web->has_ended   = true;
        }
    }
    deft__web_run(web);
}

void deft__web_drain(deft__web *web)
{
    web->is_draining = true;
    deft__gateway_end_listens(web->gateway);
}

void deft__web_hand_over(deft__web *web)
{
    web->is_handed_over = true;
    for (deft__web_connection *one = web->connections; one != NULL; one = one->next) {
        one->heard_ms = (uint32_t)web->now_ms; // its second begins now
    }
    deft__web_drain(web);
}

// A stream that ends when somebody ends it, and not with an answer.
static bool is_endless(const deft__web_connection *connection)
{
    const deft__web_stream *stream = connection->is_streaming ? connection->stream : NULL;
    return stream != NULL &&
           (stream->is_listen || (stream->session != NULL && stream->session->own == stream));
}

bool deft__web_is_done(const deft__web *web)
{
    for (const deft__web_connection *one = web->connections; one != NULL; one = one->next) {
        if (!is_endless(one) && (one->is_busy || web->is_handed_over)) {
            return false;
        }
    }
    return true;
}

size_t deft__web_open_count(const deft__web *web)
{
    return web->open_count;
}

// --- Who may. ---

// Whose connection this is; NULL: it has not said yet.
static const deft__web_principal *principal_of(const deft__web_connection *connection)
{
    return connection->stream != NULL    ? connection->stream->principal
           : connection->request != NULL ? connection->request->principal
                                         : NULL;
}

void deft__web_end_principal(deft__web *web, const deft__web_principal *principal)
{
    for (deft__web_connection *connection = web->connections, *next; connection != NULL;
         connection                       = next) {
        next = connection->next;
        if (principal_of(connection) == principal) {
            close_connection(connection);
        }
    }
    for (deft__web_session *session = web->sessions; session != NULL; session = session->next) {
        if (session->principal == principal) {
            session->is_over = true;
            web->has_ended   = true;
        }
    }
    deft__web_sweep(web);
}

static void principal_removed(void *context, deft__web_principal *principal)
{
    deft__web_end_principal(context, principal);
}

deft_status deft__web_set_tokens(deft__web *web, const deft__token *tokens, size_t count,
                                 deft_error *error)
{
    const bool        was_needed = web->access.is_needed;
    const deft_status status =
        deft__access_set(&web->access, tokens, count, web->now_ms, principal_removed, web, error);
    if (status == DEFT_OK && !was_needed) {
        deft__web_end_principal(web, &web->access.everybody);
    }
    return status;
}

// --- The web itself. ---

static bool copy_list(deft__web *web, const deft_view **list, size_t count)
{
    deft_view *copies = count > 0 ? deft__arena_array(&web->lists, count, sizeof *copies) : NULL;
    for (size_t i = 0; copies != NULL && i < count; i++) {
        if (!deft__arena_copy(&web->lists, (*list)[i], &copies[i])) {
            return false;
        }
    }
    *list = copies;
    return copies != NULL || count == 0;
}

#define USE_DEFAULT(field, value)                                                                  \
    do {                                                                                           \
        if (web->options.field == 0) {                                                             \
            web->options.field = (value);                                                          \
        }                                                                                          \
    } while (0)

deft__web *deft__web_new(deft__gateway *gateway, const deft__web_options *options,
                         const deft__web_host *host, uint64_t now_ms,
                         const deft_allocator *allocator, deft_error *error)
{
    deft__web *web = deft__new(allocator, sizeof *web);
    if (web == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    web->allocator = allocator;
    web->wiping    = deft__wiping_allocator(allocator);
    web->gateway   = gateway;
    web->options   = *options;
    web->host      = *host;
    web->now_ms    = now_ms;
    USE_DEFAULT(failures_per_second, 100);
    deft__access_init(&web->access, web->options.failures_per_second, now_ms, allocator);
    deft__arena_init(&web->lists, allocator);
    deft__mcp_reader_init(&web->reader, allocator);
    deft_buffer_init(&web->out, allocator);
    deft_buffer_init(&web->text, allocator);
    USE_DEFAULT(head_size_max, DEFT__HTTP_HEAD_SIZE_MAX);
    USE_DEFAULT(body_size_max, 64u * 1024 * 1024);
    USE_DEFAULT(requests_max, 100000);
    USE_DEFAULT(sessions_max, 10000);
    USE_DEFAULT(session_idle_ms, 3600u * 1000);
    USE_DEFAULT(request_idle_ms, 30u * 1000);
    USE_DEFAULT(request_ms, 300u * 1000);
    USE_DEFAULT(keep_alive_ms, 120u * 1000);
    USE_DEFAULT(quiet_ms, 15u * 1000);
    USE_DEFAULT(replay_count_max, 256);
    USE_DEFAULT(replay_size_max, 1024u * 1024);
    USE_DEFAULT(held_size_max, 1024u * 1024);
    if (!copy_list(web, &web->options.hosts, options->host_count) ||
        !copy_list(web, &web->options.origins, options->origin_count)) {
        deft__fail_memory(error);
        deft__web_free(web);
        return NULL;
    }
    return web;
}

void deft__web_free(deft__web *web)
{
    if (web == NULL) {
        return;
    }
    while (web->connections != NULL) {
        deft__web_disconnect(web->connections);
    }
    while (web->sessions != NULL) {
        deft__web_session_free(web->sessions);
    }
    while (web->streams != NULL) {
        deft__web_stream_free(web->streams);
    }
    deft__free(web->allocator, web->spare_reader, sizeof *web->spare_reader);
    deft__access_clear(&web->access);
    deft__arena_clear(&web->lists);
    deft__mcp_reader_clear(&web->reader);
    deft_buffer_clear(&web->out);
    deft_buffer_clear(&web->text);
    deft__free(web->allocator, web, sizeof *web);
}
