// One agent's connection: which era it speaks, and which of its messages means what. Its first
// message decides the era: `initialize`, or anything without the modern envelope, means legacy; a
// request with the envelope means modern; `server/discover` is answered and decides nothing, for the
// client may still fall back.
#include "base/fail.h"
#include "base/memory.h"
#include "deft/version.h"
#include "gateway/ask.h"
#include "gateway/private.h"
#include "gateway/relay.h"

#include <stdarg.h>
#include <stdio.h>

const deft__mcp_caching deft__list_caching = {
    .is_cacheable = true, .ttl_ms = 60000, .is_private = true};

static const char server_info_text[] =
    "{\"name\":\"deft\",\"title\":\"deft\",\"version\":\"" DEFT_VERSION_STRING "\"}";
const deft_view deft__server_info = {server_info_text, sizeof server_info_text - 1};

// Everything that a gateway may come to offer; before the servers are known nobody can tell what it
// will be, and a client that was told less would not ask again.
#define OUR_CAPABILITIES                                                                           \
    (DEFT__MCP_SERVER_TOOLS | DEFT__MCP_SERVER_TOOLS_CHANGED | DEFT__MCP_SERVER_PROMPTS |          \
     DEFT__MCP_SERVER_PROMPTS_CHANGED | DEFT__MCP_SERVER_RESOURCES |                               \
     DEFT__MCP_SERVER_RESOURCES_CHANGED | DEFT__MCP_SERVER_RESOURCES_SUBSCRIBE |                   \
     DEFT__MCP_SERVER_COMPLETIONS | DEFT__MCP_SERVER_LOGGING)

#define WAITING_MAX 1024u // lines that come before the first catalog is there

// The reader keeps its memory for the next line, but not what a line longer than this has needed: it
// is eight times the line, and there is one reader for all clients.
#define READER_LINE_MAX (64u * 1024)

// --- Writing. ---

deft_buffer *deft__client_begin_result(deft__client *client, deft_view id)
{
    deft_buffer *line = &client->gateway->line;
    deft_buffer_reset(line);
    deft_buffer_append_text(line, "{\"jsonrpc\":\"2.0\",\"id\":");
    deft_buffer_append(line, id);
    deft_buffer_append_text(line, ",\"result\":");
    return line;
}

void deft__client_send_about(deft__client *client, deft_view about)
{
    const deft__gateway *gateway = client->gateway;
    const deft_view      line    = deft_buffer_view(&gateway->line);
    if (client->is_closed) {
        return;
    } else if (client->send != NULL) {
        client->send(client->tag, about, line);
    } else {
        gateway->host.client_send(gateway->host.context, client, about, line);
    }
}

void deft__client_send_line(deft__client *client, deft_view id)
{
    if (client->gateway->line.status == DEFT_OK) {
        deft__client_send_about(client, id);
    } else {
        deft__client_send_error(client, id, DEFT__MCP_INTERNAL_ERROR, "out of memory");
    }
}

void deft__client_finish_result(deft__client *client, deft_view id)
{
    deft_buffer_append_byte(&client->gateway->line, '}');
    deft__client_send_line(client, id);
}

void deft__client_send_error(deft__client *client, deft_view id, int64_t code, const char *format,
                             ...)
{
    char    message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    deft_buffer *line = &client->gateway->line;
    deft_buffer_reset(line);
    deft__mcp_write_error(line, id, code, deft_view_of(message), deft_view_of(NULL));
    if (line->status == DEFT_OK) {
        deft__client_send_about(client, id);
    }
}

void deft__client_send_error_raw(deft__client *client, deft_view id, deft_view error)
{
    deft_buffer *line = &client->gateway->line;
    deft_buffer_reset(line);
    deft_buffer_append_text(line, "{\"jsonrpc\":\"2.0\",\"id\":");
    deft_buffer_append(line, id);
    deft_buffer_append_text(line, ",\"error\":");
    deft_buffer_append(line, error);
    deft__client_finish_result(client, id);
}

void deft__client_notify(deft__client *client, deft_view about, const char *method,
                         deft_view params)
{
    deft_buffer *line = &client->gateway->line;
    deft_buffer_reset(line);
    deft__mcp_write_notification(line, method, params);
    if (line->status == DEFT_OK) {
        deft__client_send_about(client, about);
    }
}

void deft__client_write_tail(deft__client *client, deft__json_writer *json,
                             const deft__mcp_caching *caching)
{
    if (client->era != DEFT__MCP_ERA_MODERN) {
        return;
    }
    deft__json_name(json, "resultType");
    deft__json_write_text(json, "complete");
    if (caching != NULL && caching->is_cacheable) {
        deft__json_name(json, "ttlMs");
        deft__json_write_uint64(json, caching->ttl_ms);
        deft__json_name(json, "cacheScope");
        deft__json_write_text(json, caching->is_private ? "private" : "public");
    }
    deft__json_name(json, "_meta");
    deft__json_begin_object(json);
    deft__json_name(json, "io.modelcontextprotocol/serverInfo");
    deft__json_write_raw(json, deft__server_info);
    deft__json_end_object(json);
}

void deft__client_write_result(deft__client *client, deft_buffer *out, deft__json_value result,
                               const deft__mcp_caching *caching, bool is_call)
{
    static const deft__mcp_caching none = {.is_cacheable = false};
    deft__mcp_write_result_for(out, result, client->era, caching != NULL ? caching : &none,
                               deft__server_info, is_call);
}

static void answer_empty(deft__client *client, const deft__mcp_message *message)
{
    deft_buffer      *line = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__client_write_tail(client, &json, NULL);
    deft__json_end_object(&json);
    deft__client_finish_result(client, message->id);
}

// --- Beginning. ---

// What a model is told of us before it sees a tool. It holds whether or not there is a search tool,
// since the catalog may not be there yet.
static void write_instructions(deft__client *client, deft_buffer *out)
{
    const deft_settings *settings = client->gateway->settings;
    deft_buffer_append_text(out, "This server stands in front of several others. ");
    if (settings->mode == DEFT_MODE_OFF) {
        deft_buffer_append_text(out, "All their tools are in the list, each with its server's name "
                                     "in front.");
        return;
    }
    deft_buffer_append_text(out, "If ");
    deft_buffer_append(out, settings->search_name);
    deft_buffer_append_text(out, " is in your list, most of their tools are not: search with it "
                                 "before you say that something cannot be done.");
}

static void write_capabilities_and_instructions(deft__client *client, deft__json_writer *json)
{
    deft_buffer text;
    deft_buffer_init(&text, client->gateway->allocator);
    deft__json_name(json, "capabilities");
    deft__mcp_write_server_capabilities(json->out, OUR_CAPABILITIES);
    json->needs_comma = true;
    write_instructions(client, &text);
    deft__json_name(json, "instructions");
    deft__json_write_string(json, deft_buffer_view(&text));
    if (text.status != DEFT_OK) {
        json->out->status = text.status;
    }
    deft_buffer_clear(&text);
}

const char *deft__client_failure(const deft__client *client)
{
    return client->failure;
}

deft_view deft__client_name(const deft__client *client)
{
    const deft__identity *identity = client->identity;
    return identity != NULL ? deft_view_make(identity->text, identity->name_size)
                            : deft_view_of(NULL);
}

deft_view deft__client_capabilities_text(const deft__client *client)
{
    const deft__identity *identity = client->identity;
    return identity != NULL
               ? deft_view_make(identity->text + identity->name_size, identity->capabilities_size)
               : deft_view_of(NULL);
}

static void forget_identity(deft__client *client)
{
    if (client->identity != NULL) {
        deft__free(client->gateway->allocator, client->identity,
                   sizeof *client->identity + client->identity->name_size +
                       client->identity->capabilities_size);
        client->identity = NULL;
    }
}

// Without memory it has no name, and as many capabilities as if it had not said.
static void take_identity(deft__client *client, deft__json_value info,
                          deft__json_value capabilities)
{
    deft__gateway  *gateway = client->gateway;
    const deft_view name    = deft_view_slice(
           deft__json_string(deft__json_member(info, "name"), &gateway->scratch), 0, 128);
    const deft_view text = deft__json_is(capabilities, DEFT__JSON_OBJECT)
                               ? deft__json_raw(capabilities)
                               : deft_view_of(NULL);
    forget_identity(client);
    if (name.size + text.size > 0) {
        client->identity =
            deft__new(gateway->allocator, sizeof *client->identity + name.size + text.size);
    }
    if (client->identity != NULL) {
        client->identity->name_size         = (uint32_t)name.size;
        client->identity->capabilities_size = (uint32_t)text.size;
        for (size_t i = 0; i < name.size + text.size; i++) {
            client->identity->text[i] = i < name.size ? name.data[i] : text.data[i - name.size];
        }
    }
    client->capabilities = deft__mcp_client_capabilities(capabilities);
    deft_buffer_reset(&gateway->scratch);
}

// Servers are started from now on, and are told what this client can do for them. A legacy server
// is told once and for all, so the first client decides.
static void begin(deft__client *client)
{
    deft__gateway *gateway = client->gateway;
    if (!gateway->is_discovering) {
        if (gateway->declared == 0) {
            gateway->declared = client->capabilities;
        }
        deft__gateway_discover(gateway);
    }
}

static void initialize(deft__client *client, const deft__mcp_message *message)
{
    const deft__json_value version = deft__mcp_param(message, "protocolVersion");
    deft_buffer            asked;
    deft_buffer_init(&asked, client->gateway->allocator);
    client->version = deft__mcp_agree(deft__json_string(version, &asked));
    deft_buffer_clear(&asked);
    take_identity(client, deft__mcp_param(message, "clientInfo"),
                  deft__mcp_param(message, "capabilities"));

    deft_buffer      *line = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "protocolVersion");
    deft__json_write_text(&json, client->version);
    write_capabilities_and_instructions(client, &json);
    deft__json_name(&json, "serverInfo");
    deft__json_write_raw(&json, deft__server_info);
    deft__json_end_object(&json);
    deft__client_finish_result(client, message->id);
    begin(client);
}

static void write_versions(deft__json_writer *json)
{
    size_t             count;
    const char *const *versions = deft__mcp_versions(DEFT__MCP_ERA_MODERN, &count);
    deft__json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        deft__json_write_text(json, versions[i]);
    }
    deft__json_end_array(json);
}

static void discover(deft__client *client, const deft__mcp_message *message)
{
    const deft__mcp_era pinned = client->era;
    client->era                = DEFT__MCP_ERA_MODERN; // for the answer's form
    deft_buffer      *line     = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "supportedVersions");
    write_versions(&json);
    write_capabilities_and_instructions(client, &json);
    deft__client_write_tail(client, &json, &deft__list_caching);
    deft__json_end_object(&json);
    deft__client_finish_result(client, message->id);
    client->era = pinned;
}

// --- Notifications. ---

// A request that still waits is only forgotten.
static bool cancel_waiting(deft__client *client, deft_view id)
{
    for (deft__waiting **at = &client->waiting; *at != NULL; at = &(*at)->next) {
        deft__waiting  *one  = *at;
        const deft_view line = deft_buffer_view(&one->line);
        if (deft_view_equal(deft_view_slice(line, one->id_offset, one->id_size), id)) {
            *at = one->next;
            if (*at == NULL) {
                client->waiting_end = at;
            }
            deft_buffer_clear(&one->line);
            deft__free(client->gateway->allocator, one, sizeof *one);
            return true;
        }
    }
    return false;
}

static void cancelled(deft__client *client, const deft__mcp_message *message)
{
    deft_buffer reason;
    deft_buffer_init(&reason, client->gateway->allocator);
    const deft_view id   = deft__json_raw(deft__mcp_param(message, "requestId"));
    const deft_view text = deft__json_string(deft__mcp_param(message, "reason"), &reason);
    if (id.size > 0 && !cancel_waiting(client, id) && !deft__client_cancel_held(client, id) &&
        !deft__relay_cancel(client, id, text)) {
        (void)deft__client_end_listen(client, id);
    }
    deft_buffer_clear(&reason);
}

static void roots_changed(deft__client *client)
{
    deft__gateway *gateway = client->gateway;
    for (size_t i = 0; i < gateway->slot_count; i++) {
        if (deft__link_era(gateway->slots[i].link) == DEFT__MCP_ERA_LEGACY) {
            deft__link_notify(gateway->slots[i].link, "notifications/roots/list_changed",
                              deft_view_of(NULL));
        }
    }
}

static void notified(deft__client *client, const deft__mcp_message *message)
{
    if (deft_view_equals(message->method, "notifications/initialized")) {
        client->is_initialized = true;
    } else if (deft_view_equals(message->method, "notifications/cancelled")) {
        cancelled(client, message);
    } else if (deft_view_equals(message->method, "notifications/roots/list_changed")) {
        roots_changed(client);
    } else {
        // Others are for servers that we do not know of here; nothing is lost without them.
    }
}

// --- Requests. ---

enum {
    LEGACY = 1 << 0, // is there in this era
    MODERN = 1 << 1,
    WAITS  = 1 << 2 // needs the catalog
};

static const struct {
    const char *name;
    void (*handle)(deft__client *client, const deft__mcp_message *message);
    unsigned flags;
} methods[] = {
    {"tools/call", deft__client_call_tool, LEGACY | MODERN | WAITS},
    {"tools/list", deft__client_list_tools, LEGACY | MODERN | WAITS},
    {"prompts/list", deft__client_list_prompts, LEGACY | MODERN | WAITS},
    {"prompts/get", deft__client_get_prompt, LEGACY | MODERN | WAITS},
    {"resources/list", deft__client_list_resources, LEGACY | MODERN | WAITS},
    {"resources/templates/list", deft__client_list_templates, LEGACY | MODERN | WAITS},
    {"resources/read", deft__client_read_resource, LEGACY | MODERN | WAITS},
    {"resources/subscribe", deft__client_subscribe, LEGACY | WAITS},
    {"resources/unsubscribe", deft__client_unsubscribe, LEGACY | WAITS},
    {"completion/complete", deft__client_complete, LEGACY | MODERN | WAITS},
    {"subscriptions/listen", deft__client_listen, MODERN | WAITS},
    {"logging/setLevel", deft__client_set_log_level, LEGACY},
    {"ping", answer_empty, LEGACY},
    {"initialize", initialize, LEGACY},
};

#define METHOD_COUNT (sizeof methods / sizeof methods[0])

// Keeps the request for later; `line` is its text.
static bool wait_for_catalog(deft__client *client, deft_view line, deft_view id)
{
    deft__gateway *gateway = client->gateway;
    size_t         count   = 0;
    for (const deft__waiting *one = client->waiting; one != NULL; one = one->next) {
        count++;
    }
    deft__waiting *waiting = deft__new(gateway->allocator, sizeof *waiting);
    if (waiting == NULL || count >= WAITING_MAX) {
        deft__free(gateway->allocator, waiting, sizeof *waiting);
        return false;
    }
    deft_buffer_init(&waiting->line, gateway->allocator);
    deft_buffer_append(&waiting->line, line);
    if (waiting->line.status != DEFT_OK) {
        deft_buffer_clear(&waiting->line);
        deft__free(gateway->allocator, waiting, sizeof *waiting);
        return false;
    }
    waiting->id_offset   = (size_t)(id.data - line.data);
    waiting->id_size     = id.size;
    *client->waiting_end = waiting;
    client->waiting_end  = &waiting->next;
    return true;
}

static void handle_request(deft__client *client, const deft__mcp_message *message, deft_view line)
{
    const unsigned era   = client->era == DEFT__MCP_ERA_MODERN ? MODERN : LEGACY;
    size_t         found = 0;
    while (found < METHOD_COUNT && !deft_view_equals(message->method, methods[found].name)) {
        found++;
    }
    if (found == METHOD_COUNT || !(methods[found].flags & era)) {
        deft__quoted quoted;
        deft__client_send_error(client, message->id, DEFT__MCP_METHOD_NOT_FOUND,
                                "method '%s' is not known here",
                                deft__quote(&quoted, message->method));
        return;
    }
    if (methods[found].flags & WAITS) {
        begin(client);
        if (!deft__gateway_is_open(client->gateway)) {
            if (!wait_for_catalog(client, line, message->id)) {
                deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR,
                                        "too many requests before the tools are known; ask again");
            }
            return;
        }
    }
    methods[found].handle(client, message);
}

static void send_unsupported(deft__client *client, deft_view id, deft_view requested)
{
    deft_buffer       data;
    deft__json_writer json;
    deft_buffer_init(&data, client->gateway->allocator);
    deft__json_writer_init(&json, &data);
    deft__json_begin_object(&json);
    deft__json_name(&json, "supported");
    write_versions(&json);
    deft__json_name(&json, "requested");
    deft__json_write_string(&json, requested);
    deft__json_end_object(&json);
    deft_buffer *line = &client->gateway->line;
    deft_buffer_reset(line);
    deft__mcp_write_error(line, id, DEFT__MCP_UNSUPPORTED_VERSION,
                          deft_view_of("this protocol version is not supported"),
                          deft_buffer_view(&data));
    if (data.status != DEFT_OK) {
        line->status = data.status;
    }
    deft__client_send_line(client, id);
    deft_buffer_clear(&data);
}

// A request with the modern envelope, whatever its method. False after answering what is wrong.
static bool take_envelope(deft__client *client, const deft__mcp_message *message)
{
    deft__mcp_envelope envelope;
    deft_error         error = DEFT_ERROR_INIT;
    if (deft__mcp_read_envelope(&client->gateway->reader, message, &envelope, &error) != DEFT_OK) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS, "%s", error.message);
        return false;
    }
    if (!deft__mcp_speaks(DEFT__MCP_ERA_MODERN, envelope.version)) {
        send_unsupported(client, message->id, envelope.version);
        return false;
    }
    take_identity(client, envelope.client_info, envelope.capabilities);
    return true;
}

static void handle_modern(deft__client *client, const deft__mcp_message *message, deft_view line)
{
    if (!take_envelope(client, message)) {
        return;
    }
    if (deft_view_equals(message->method, "server/discover")) {
        discover(client, message);
        return;
    }
    const deft__mcp_era pinned = client->era;
    client->era                = DEFT__MCP_ERA_MODERN;
    handle_request(client, message, line);
    if (pinned == DEFT__MCP_ERA_LEGACY) {
        client->era = pinned; // one modern request among legacy ones
    }
}

static void handle(deft__client *client, const deft__mcp_message *message, deft_view line)
{
    const bool is_request = message->kind == DEFT__MCP_REQUEST;
    if (message->kind == DEFT__MCP_RESULT || message->kind == DEFT__MCP_ERROR) {
        deft__client_answered(client, message);
    } else if (!is_request) {
        notified(client, message);
    } else if (deft__mcp_is_modern(message)) {
        handle_modern(client, message, line);
    } else if (client->era == DEFT__MCP_ERA_MODERN) {
        if (deft_view_equals(message->method, "initialize")) {
            deft_buffer scratch;
            deft_buffer_init(&scratch, client->gateway->allocator);
            send_unsupported(
                client, message->id,
                deft__json_string(deft__mcp_param(message, "protocolVersion"), &scratch));
            deft_buffer_clear(&scratch);
        } else {
            deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                    "params._meta lacks io.modelcontextprotocol/protocolVersion "
                                    "and io.modelcontextprotocol/clientCapabilities");
        }
    } else if (deft_view_equals(message->method, "server/discover")) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "params._meta lacks io.modelcontextprotocol/protocolVersion");
    } else {
        client->era = DEFT__MCP_ERA_LEGACY;
        handle_request(client, message, line);
    }
}

// An array of messages is legal only in 2025-03-26, and never with a modern message inside.
bool deft__client_takes_arrays(const deft__client *client)
{
    return client->era == DEFT__MCP_ERA_LEGACY && client->version != NULL &&
           deft_view_equals(deft_view_of(client->version), "2025-03-26");
}

static void receive(deft__client *client, deft_view line)
{
    deft__mcp_reader *reader = &client->gateway->reader;
    deft_error        error  = DEFT_ERROR_INIT;
    deft__mcp_message message;
    const deft_status status = deft__mcp_reader_take(reader, line, &error);
    if (status != DEFT_OK) {
        const int64_t code = status == DEFT_OUT_OF_MEMORY ? DEFT__MCP_INTERNAL_ERROR
                             : reader->is_batch           ? DEFT__MCP_INVALID_REQUEST // it is empty
                                                          : DEFT__MCP_PARSE_ERROR;
        deft__client_send_error(client, deft_view_of(NULL), code, "%s", error.message);
        return;
    }
    if (reader->is_batch && !deft__client_takes_arrays(client)) {
        deft__client_send_error(client, deft_view_of(NULL), DEFT__MCP_INVALID_REQUEST,
                                "an array of messages is not part of this protocol version");
        return;
    }
    for (;;) {
        const deft_status next = deft__mcp_reader_next(reader, &message, &error);
        if (next == DEFT_NOT_FOUND || client->is_closed) {
            return;
        } else if (next == DEFT_OK) {
            handle(client, &message, reader->is_batch ? deft__json_raw(reader->batch.value) : line);
        } else {
            deft__client_send_error(client, message.id,
                                    next == DEFT_OUT_OF_MEMORY ? DEFT__MCP_INTERNAL_ERROR
                                                               : DEFT__MCP_INVALID_REQUEST,
                                    "%s", error.message);
        }
    }
}

void deft__client_receive(deft__client *client, deft_view line)
{
    deft__gateway *gateway = client->gateway;
    receive(client, line);
    if (line.size > READER_LINE_MAX) {
        deft__mcp_reader_clear(&gateway->reader);
    }
}

void deft__client_overflowed(deft__client *client)
{
    deft__client_send_error(client, deft_view_of(NULL), DEFT__MCP_INVALID_REQUEST,
                            "the message is longer than the limit of one message");
}

// --- Its life. ---

deft__client *deft__client_open(deft__gateway *gateway, const deft__client_options *options,
                                deft_error *error)
{
    static const deft__client_options defaults = {.tag = NULL};
    options                                    = options != NULL ? options : &defaults;
    if (gateway->client_count >= gateway->clients_max) {
        deft__fail(error, DEFT_LIMIT, 0, "there are %llu clients already",
                   (unsigned long long)gateway->client_count);
        return NULL;
    }
    deft__client *client = deft__new(gateway->allocator, sizeof *client);
    if (client == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    client->gateway     = gateway;
    client->tag         = options->tag;
    client->principal   = options->principal;
    client->token       = options->token;
    client->send        = options->send;
    client->waiting_end = &client->waiting;
    client->log_level   = 1; // info
    deft__arena_init(&client->patterns, gateway->allocator);
    client->next = gateway->clients;
    if (client->next != NULL) {
        client->next->previous = client;
    }
    gateway->clients = client;
    gateway->client_count++;
    if (deft__client_restrict(client, options, error) != DEFT_OK) {
        deft__client_close(client);
        return NULL;
    }
    return client;
}

void *deft__client_tag(const deft__client *client)
{
    return client->tag;
}

size_t deft__client_open_count(const deft__client *client)
{
    size_t count = client->relay_count + deft__client_held_count(client);
    for (const deft__waiting *one = client->waiting; one != NULL; one = one->next) {
        count++;
    }
    return count;
}

void deft__client_close(deft__client *client)
{
    deft__gateway *gateway = client->gateway;
    client->is_closed      = true;
    deft__relay_abandon_all(client);
    deft__ask_forget_client(client);
    deft__client_clear_listens(client);
    deft__client_clear_held(client);
    for (deft__waiting *one = client->waiting, *next; one != NULL; one = next) {
        next = one->next;
        deft_buffer_clear(&one->line);
        deft__free(gateway->allocator, one, sizeof *one);
    }
    *(client->previous != NULL ? &client->previous->next : &gateway->clients) = client->next;
    if (client->next != NULL) {
        client->next->previous = client->previous;
    }
    gateway->client_count--;
    deft__client_clear_session(client);
    forget_identity(client);
    deft__arena_clear(&client->patterns);
    deft__free(gateway->allocator, client, sizeof *client);
}
