// What a request asks for, and whether it may. In order: is the Host ours and the Origin allowed, is
// there such a path, who asks, is the method right; only then is the body looked at. A body that is
// to be refused is not read.
#include "base/fail.h"
#include "http/headers.h"
#include "web/private.h"

#define SESSION_HEADER "Mcp-Session-Id"
#define VERSION_HEADER "MCP-Protocol-Version"

// A value of one header; empty where it is missing or there more than once.
static deft_view header_of(const deft__web_request *request, const char *name)
{
    deft_view value = {NULL, 0};
    (void)deft__http_find(&request->head, name, &value);
    return value;
}

// --- Where from. ---

// A page on another site can make a browser send requests here; it cannot choose Host and Origin.
static bool is_host_allowed(const deft__web *web, const deft__web_request *request)
{
    const deft__web_options *options = &web->options;
    return options->is_any_host ||
           deft__http_allows_host(&request->head.host, true, options->hosts, options->host_count);
}

static bool is_origin_allowed(const deft__web *web, const deft__web_request *request)
{
    const deft__web_options *options = &web->options;
    deft_view                origin  = {NULL, 0};
    const deft_status        status  = deft__http_find(&request->head, "Origin", &origin);
    if (status == DEFT_NOT_FOUND) {
        return true; // no browser
    }
    // A page from this very machine may only speak to an address of this very machine.
    return status == DEFT_OK &&
           deft__http_allows_origin(origin, deft__http_is_loopback(&request->head.host),
                                    options->origins, options->origin_count);
}

// --- Which endpoint. ---

typedef enum endpoint {
    ENDPOINT_NONE,
    ENDPOINT_MCP,
    ENDPOINT_HEALTH,
    ENDPOINT_READY,
    ENDPOINT_METRICS
} endpoint;

static endpoint find_mcp(deft__web_request *request, deft_view path)
{
    deft_view   segment;
    deft_buffer name;
    if (!deft__http_path_next(&path, &segment) || segment.size == 0) {
        return ENDPOINT_MCP;
    }
    deft_buffer_init(&name, request->arena.allocator);
    const bool is_name =
        path.size == 0 && deft__http_unescape_segment(&name, segment, NULL) == DEFT_OK &&
        deft__arena_copy(&request->arena, deft_buffer_view(&name), &request->server);
    deft_buffer_clear(&name);
    if (!is_name) {
        return ENDPOINT_NONE;
    }
    if (deft_view_equals(request->server, "all")) {
        request->is_everything = true;
        request->server        = deft_view_of(NULL);
    }
    return ENDPOINT_MCP;
}

static endpoint find_endpoint(deft__web_request *request)
{
    deft_view path = request->head.path;
    deft_view segment;
    if (!deft__http_path_next(&path, &segment)) {
        return ENDPOINT_NONE;
    } else if (deft_view_equals(segment, "mcp")) {
        return find_mcp(request, path);
    } else if (path.size > 0) {
        return ENDPOINT_NONE;
    } else if (deft_view_equals(segment, "healthz")) {
        return ENDPOINT_HEALTH;
    } else if (deft_view_equals(segment, "readyz")) {
        return ENDPOINT_READY;
    } else if (deft_view_equals(segment, "metrics")) {
        return ENDPOINT_METRICS;
    } else {
        return ENDPOINT_NONE;
    }
}

// --- Checks that need the head only. ---

static void fail(deft__web_connection *connection, int status, int64_t code, const char *message)
{
    deft__web_fail(connection, status, deft_view_of(NULL), code, deft_view_of(message),
                   deft_view_of(NULL));
}

// False after answering why not.
static bool check_head(deft__web_connection *connection, endpoint *found)
{
    deft__web         *web     = connection->web;
    deft__web_request *request = connection->request;
    *found                     = ENDPOINT_NONE;
    if (!is_host_allowed(web, request)) {
        fail(connection, 403, DEFT__MCP_INVALID_REQUEST, "this Host is not served here");
        return false;
    }
    if (!is_origin_allowed(web, request)) {
        fail(connection, 403, DEFT__MCP_INVALID_REQUEST, "this Origin is not allowed");
        return false;
    }
    *found = find_endpoint(request);
    if (*found == ENDPOINT_NONE) {
        deft__web_answer(connection, 404, "text/plain", deft_view_of("not found\n"), NULL,
                         deft_view_of(NULL));
        return false;
    }
    if (*found == ENDPOINT_HEALTH || *found == ENDPOINT_READY) {
        return true; // anybody may know
    }
    if (request->head.method != DEFT__HTTP_METHOD_OPTIONS &&
        !deft__web_find_principal(connection)) {
        return false;
    }
    if (web->is_draining && !web->is_handed_over) {
        deft__web_answer(connection, 503, "text/plain", deft_view_of("stopping\n"), "Retry-After",
                         deft_view_of("5"));
        return false;
    }
    if (*found == ENDPOINT_MCP && request->head.method == DEFT__HTTP_METHOD_POST &&
        !deft__http_is_json(header_of(request, "Content-Type"))) {
        fail(connection, 415, DEFT__MCP_INVALID_REQUEST, "Content-Type must be application/json");
        return false;
    }
    return true;
}

bool deft__web_take_head(deft__web_connection *connection)
{
    const deft__http_head *head = &connection->request->head;
    endpoint               found;
    // Without a body there is nothing to spare: it is answered in its turn.
    return (head->body_size == 0 && !head->is_chunked) || check_head(connection, &found);
}

// --- Plain answers. ---

static void answer_health(deft__web_connection *connection, endpoint found)
{
    deft__web *web = connection->web;
    web->is_ready  = web->is_ready || deft__gateway_is_settled(web->gateway);
    // Handed over, it is the address that is asked about, and that is served on.
    const bool is_stopping = web->is_draining && !web->is_handed_over;
    const bool is_well     = found == ENDPOINT_HEALTH || (web->is_ready && !is_stopping);
    deft__web_answer(connection, is_well ? 200 : 503, "text/plain",
                     deft_view_of(is_well       ? "ok\n"
                                  : is_stopping ? "stopping\n"
                                                : "starting\n"),
                     NULL, deft_view_of(NULL));
}

// A browser asks before it sends what a plain form could not.
static void answer_options(deft__web_connection *connection)
{
    const deft__web_request *request = connection->request;
    deft__web               *web     = connection->web;
    const deft_view          origin  = header_of(request, "Origin");
    if (web->options.is_cors_off ||
        !deft__http_allows_origin(origin, false, web->options.origins, web->options.origin_count)) {
        deft__web_answer(connection, 405, "text/plain", deft_view_of("POST, GET or DELETE\n"),
                         "Allow", deft_view_of("POST, GET, DELETE"));
        return;
    }
    deft__web_answer_preflight(connection);
}

// --- The protocol. ---

static deft__client_options client_options(const deft__web_request *request)
{
    return (deft__client_options){.token         = request->principal->token.name,
                                  .principal     = request->principal->number,
                                  .is_everything = request->is_everything,
                                  .server        = request->server,
                                  .restriction   = request->principal->restriction};
}

// --- Modern. ---

// What Mcp-Name must say, by method; NULL: nothing.
static const char *named_member(deft_view method)
{
    if (deft_view_equals(method, "tools/call") || deft_view_equals(method, "prompts/get")) {
        return "name";
    } else if (deft_view_equals(method, "resources/read")) {
        return "uri";
    } else {
        return NULL;
    }
}

static bool check_name_header(const deft__web_request *request, const deft__mcp_message *message,
                              const char *member)
{
    deft_view   value = {NULL, 0};
    deft_view   text  = {NULL, 0};
    deft_buffer decoded;
    deft_buffer scratch;
    deft_buffer_init(&decoded, request->arena.allocator);
    deft_buffer_init(&scratch, request->arena.allocator);
    const deft_view name    = deft__json_string(deft__mcp_param(message, member), &scratch);
    const bool      is_same = deft__http_find(&request->head, "Mcp-Name", &value) == DEFT_OK &&
                         deft__http_mcp_decode(value, &decoded, &text, NULL) == DEFT_OK &&
                         deft_view_equal(text, name);
    deft_buffer_clear(&scratch);
    deft_buffer_clear(&decoded);
    return is_same;
}

// False after answering. The order is the protocol's: envelope, version, method, name.
static bool check_modern(deft__web_connection *connection, const deft__mcp_message *message)
{
    deft__web               *web     = connection->web;
    const deft__web_request *request = connection->request;
    const char              *member  = named_member(message->method);
    deft__mcp_envelope       envelope;
    deft_error               error = DEFT_ERROR_INIT;
    if (deft__mcp_read_envelope(&web->reader, message, &envelope, &error) != DEFT_OK) {
        deft__web_fail(connection, 400, message->id, DEFT__MCP_INVALID_PARAMS,
                       deft_view_of(error.message), deft_view_of(NULL));
        return false;
    }
    if (!deft_view_equal(header_of(request, VERSION_HEADER), envelope.version)) {
        deft__web_fail(connection, 400, message->id, DEFT__MCP_HEADER_MISMATCH,
                       deft_view_of("the header MCP-Protocol-Version is missing, or differs from "
                                    "the body"),
                       deft_view_of(NULL));
        return false;
    }
    if (!deft__mcp_speaks(DEFT__MCP_ERA_MODERN, envelope.version)) {
        return true; // the gateway says which ones are
    }
    if (!deft_view_equal(header_of(request, "Mcp-Method"), message->method)) {
        deft__web_fail(connection, 400, message->id, DEFT__MCP_HEADER_MISMATCH,
                       deft_view_of("the header Mcp-Method is missing, or differs from the body"),
                       deft_view_of(NULL));
        return false;
    }
    if (member != NULL && !check_name_header(request, message, member)) {
        deft__web_fail(connection, 400, message->id, DEFT__MCP_HEADER_MISMATCH,
                       deft_view_of("the header Mcp-Name is missing, or differs from the body"),
                       deft_view_of(NULL));
        return false;
    }
    return true;
}

static void take_modern(deft__web_connection *connection, const deft__mcp_message *message)
{
    deft__web         *web     = connection->web;
    deft__web_request *request = connection->request;
    deft_error         error   = DEFT_ERROR_INIT;
    if (!check_modern(connection, message) || !deft__web_admit(connection, message)) {
        return;
    }
    deft__web_stream *stream = deft__web_stream_new(web, NULL, message->id, connection);
    if (stream == NULL) {
        deft__web_fail(connection, 503, message->id, DEFT__MCP_INTERNAL_ERROR,
                       deft_view_of("out of memory"), deft_view_of(NULL));
        return;
    }
    deft__client_options options = client_options(request);
    options.tag                  = stream;
    options.send                 = deft__web_modern_hear;
    stream->is_listen            = deft_view_equals(message->method, "subscriptions/listen");
    stream->client               = deft__client_open(web->gateway, &options, &error);
    if (stream->client == NULL) {
        stream->connection = NULL;
        connection->stream = NULL;
        deft__web_stream_free(stream);
        deft__web_fail(connection, error.status == DEFT_NOT_FOUND ? 404 : 503, message->id,
                       DEFT__MCP_INTERNAL_ERROR, deft_view_of(error.message), deft_view_of(NULL));
        return;
    }
    deft__client_receive(stream->client, deft_buffer_view(&request->body));
}

// --- Legacy. ---

static void begin_session(deft__web_connection *connection, const deft__mcp_message *message)
{
    deft__web *web   = connection->web;
    deft_error error = DEFT_ERROR_INIT;
    if (!deft__web_admit(connection, message)) {
        return;
    }
    deft__web_session *session = deft__web_session_new(web, connection->request, &error);
    deft__web_stream  *stream =
        session != NULL ? deft__web_stream_new(web, session, message->id, connection) : NULL;
    if (stream == NULL) {
        if (session != NULL) {
            session->is_over = true;
            web->has_ended   = true;
        }
        deft__web_fail(connection, error.status == DEFT_NOT_FOUND ? 404 : 503, message->id,
                       DEFT__MCP_INTERNAL_ERROR,
                       deft_view_of(error.message[0] != '\0' ? error.message : "out of memory"),
                       deft_view_of(NULL));
        return;
    }
    deft__client_receive(session->client, deft_buffer_view(&connection->request->body));
}

// The session that the request names, of the same principal and endpoint; NULL after answering.
static deft__web_session *find_session(deft__web_connection *connection)
{
    const deft__web_request *request = connection->request;
    const deft_view          id      = header_of(request, SESSION_HEADER);
    const deft_view          version = header_of(request, VERSION_HEADER);
    if (id.size == 0) {
        fail(connection, 400, DEFT__MCP_INVALID_REQUEST,
             "the header Mcp-Session-Id is missing; begin with initialize");
        return NULL;
    }
    deft__web_session *session = deft__web_session_find(connection->web, id);
    if (session == NULL || session->principal != request->principal ||
        session->is_everything != request->is_everything ||
        !deft_view_equal(deft_view_make(session->server, session->server_size), request->server)) {
        fail(connection, 404, -32001, "there is no such session; begin again with initialize");
        return NULL;
    }
    if (version.size > 0 && !deft__mcp_speaks(DEFT__MCP_ERA_LEGACY, version)) {
        fail(connection, 400, DEFT__MCP_INVALID_REQUEST,
             "the header MCP-Protocol-Version names a version that is not spoken here");
        return NULL;
    }
    session->used_ms = connection->web->now_ms;
    return session;
}

static void answer_accepted(deft__web_connection *connection)
{
    deft__web_answer(connection, 202, NULL, deft_view_of(NULL), NULL, deft_view_of(NULL));
}

static void take_legacy(deft__web_connection *connection, const deft__mcp_message *message)
{
    deft__web         *web     = connection->web;
    deft__web_session *session = find_session(connection);
    if (session == NULL) {
        return;
    }
    // The body is the connection's, which may be gone when the gateway is done with it.
    const deft_view body = deft_buffer_view(&connection->request->body);
    if (message->kind != DEFT__MCP_REQUEST) {
        const bool is_cancelled = message->kind == DEFT__MCP_NOTIFICATION &&
                                  deft_view_equals(message->method, "notifications/cancelled");
        const deft_view id = deft__json_raw(deft__mcp_param(message, "requestId"));
        deft__client_receive(session->client, body);
        if (is_cancelled) {
            deft__web_session_cancel(session, id);
        }
        answer_accepted(connection);
    } else if (!deft__web_admit(connection, message)) {
        return;
    } else if (deft__web_stream_new(web, session, message->id, connection) == NULL) {
        deft__web_fail(connection, 503, message->id, DEFT__MCP_INTERNAL_ERROR,
                       deft_view_of("out of memory"), deft_view_of(NULL));
    } else {
        deft__client_receive(session->client, body);
    }
}

// An array of messages, which is of a session or of nobody: no other version has them.
static void take_batch(deft__web_connection *connection)
{
    const deft_view    id      = header_of(connection->request, SESSION_HEADER);
    deft__web_session *session = id.size > 0 ? find_session(connection) : NULL;
    if (session != NULL && deft__client_takes_arrays(session->client)) {
        deft__web_take_batch(connection, session);
    } else if (session != NULL || id.size == 0) {
        fail(connection, 400, DEFT__MCP_INVALID_REQUEST,
             "only sessions of version 2025-03-26 send arrays; send one message in each request");
    }
}

static void take_post(deft__web_connection *connection)
{
    deft__web         *web     = connection->web;
    deft__web_request *request = connection->request;
    deft__mcp_message  message;
    deft_error         error = DEFT_ERROR_INIT;
    if (request->body.status != DEFT_OK) {
        fail(connection, 503, DEFT__MCP_INTERNAL_ERROR, "out of memory");
        return;
    }
    if (!deft__http_accepts(&request->head, "application/json") &&
        !deft__http_accepts(&request->head, "text/event-stream")) {
        fail(connection, 406, DEFT__MCP_INVALID_REQUEST,
             "Accept must allow application/json or text/event-stream");
        return;
    }
    deft_status status =
        deft__mcp_reader_take(&web->reader, deft_buffer_view(&request->body), &error);
    if (status == DEFT_OK && web->reader.is_batch) {
        take_batch(connection);
        return;
    }
    const int64_t code = web->reader.is_batch || status == DEFT_OK ? DEFT__MCP_INVALID_REQUEST
                                                                   : DEFT__MCP_PARSE_ERROR;
    if (status == DEFT_OK) {
        status = deft__mcp_reader_next(&web->reader, &message, &error);
    }
    if (status != DEFT_OK) {
        fail(connection, 400, code, error.message);
        return;
    }
    const deft_view version = header_of(request, VERSION_HEADER);
    const bool      is_modern_header =
        version.size > 0 && !deft__mcp_speaks(DEFT__MCP_ERA_LEGACY, version);
    if (message.kind == DEFT__MCP_REQUEST && deft__mcp_is_modern(&message)) {
        take_modern(connection, &message);
    } else if (message.kind == DEFT__MCP_NOTIFICATION &&
               (deft__mcp_is_modern(&message) || is_modern_header)) {
        answer_accepted(connection); // the protocol has none that would mean something here
    } else if (message.kind == DEFT__MCP_REQUEST && is_modern_header) {
        const bool is_initialize = deft_view_equals(message.method, "initialize");
        deft__web_fail(connection, 400, message.id,
                       is_initialize ? DEFT__MCP_HEADER_MISMATCH : DEFT__MCP_INVALID_PARAMS,
                       deft_view_of("params._meta lacks io.modelcontextprotocol/protocolVersion "
                                    "and io.modelcontextprotocol/clientCapabilities"),
                       deft_view_of(NULL));
    } else if (message.kind == DEFT__MCP_REQUEST &&
               deft_view_equals(message.method, "initialize")) {
        begin_session(connection, &message);
    } else {
        take_legacy(connection, &message);
    }
}

// A legacy client opens its session's own stream, or comes back for one that broke off.
static void take_get(deft__web_connection *connection)
{
    const deft__web_request *request = connection->request;
    const deft_view          last_id = header_of(request, "Last-Event-ID");
    if (header_of(request, SESSION_HEADER).size == 0) {
        fail(connection, 405, DEFT__MCP_INVALID_REQUEST,
             "only POST, without a session that a stream could belong to");
        return;
    }
    deft__web_session *session = find_session(connection);
    if (session == NULL) {
        return;
    }
    if (!deft__http_accepts(&request->head, "text/event-stream")) {
        fail(connection, 406, DEFT__MCP_INVALID_REQUEST, "Accept must allow text/event-stream");
    } else if (last_id.size > 0 && deft__web_session_resume(session, connection, last_id)) {
        return;
    } else if (session->own != NULL) {
        fail(connection, 409, DEFT__MCP_INVALID_REQUEST, "this session has its stream already");
    } else {
        if (deft__web_session_own(session, connection) == NULL) {
            fail(connection, 503, DEFT__MCP_INTERNAL_ERROR, "out of memory");
            return;
        }
        deft__web_begin_events(connection, NULL, deft_view_of(NULL));
        deft__web_session_open(session, connection);
    }
}

static void take_delete(deft__web_connection *connection)
{
    deft__web_session *session = find_session(connection);
    if (session != NULL) {
        session->is_over           = true;
        connection->web->has_ended = true;
        deft__web_answer(connection, 204, NULL, deft_view_of(NULL), NULL, deft_view_of(NULL));
    }
}

static void take_mcp(deft__web_connection *connection)
{
    switch (connection->request->head.method) {
    case DEFT__HTTP_METHOD_POST:
        take_post(connection);
        break;
    case DEFT__HTTP_METHOD_GET:
        take_get(connection);
        break;
    case DEFT__HTTP_METHOD_DELETE:
        take_delete(connection);
        break;
    case DEFT__HTTP_METHOD_OPTIONS:
        answer_options(connection);
        break;
    case DEFT__HTTP_METHOD_HEAD:
    case DEFT__HTTP_METHOD_OTHER:
        fail(connection, 405, DEFT__MCP_INVALID_REQUEST, "POST, GET or DELETE");
        break;
    }
}

void deft__web_take_request(deft__web_connection *connection)
{
    const deft__http_method method = connection->request->head.method;
    endpoint                found;
    if (!check_head(connection, &found)) {
        return;
    }
    if (found == ENDPOINT_MCP) {
        take_mcp(connection);
    } else if (method != DEFT__HTTP_METHOD_GET && method != DEFT__HTTP_METHOD_HEAD) {
        deft__web_answer(connection, 405, "text/plain", deft_view_of("GET\n"), "Allow",
                         deft_view_of("GET, HEAD"));
    } else if (found == ENDPOINT_METRICS) {
        deft__web_answer_metrics(connection);
    } else {
        answer_health(connection, found);
    }
}
