#include "serve/answer.h"

#include "base/fail.h"
#include "deft/version.h"
#include "gateway/status.h"
#include "json/writer.h"

#include <limits.h>
#include <unistd.h>

typedef struct deft__control_method {
    const char *name;
    bool        is_patient; // waits for servers that are not known yet, if the request does at all
    // Writes the result, or fails; NULL result and no failure: the answer comes later.
    void (*run)(deft__request *request, deft__json_value params);
} deft__control_method;

// --- Helpers. -------------------------------------------------------------------------------------

static void finish(deft__request *request)
{
    if (request->error.status == DEFT_OK && request->result.status != DEFT_OK) {
        deft__fail_memory(&request->error);
    }
    deft__loop_defer(request->service->loop, &request->tell);
}

// Until deft__requests_look() finds it ready.
static void put_off(deft__request *request)
{
    request->is_waiting       = true;
    request->next             = request->service->waiting;
    request->service->waiting = request;
}

static void tell(void *context)
{
    deft__request *request = context;
    request->answered(request->context, request);
}

// A string member of the params, as `scratch` keeps it; false after saying that it is missing.
static bool text_param(deft__request *request, deft__json_value params, const char *name,
                       deft_buffer *scratch, deft_view *text)
{
    const deft__json_value value = deft__json_member(params, name);
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        deft__fail(&request->error, DEFT_INVALID, 0, "params.%s must be a string", name);
        return false;
    }
    *text = deft__json_string(value, scratch);
    return true;
}

// --- Status, servers, logs, reset. ----------------------------------------------------------------

static void run_status(deft__request *request, deft__json_value params)
{
    (void)params;
    const deft__service *service = request->service;
    char                 directory[PATH_MAX];
    deft_buffer          part;
    deft__json_writer    json;
    deft_buffer_init(&part, service->allocator);
    deft__json_writer_init(&json, &request->result);
    deft__json_begin_object(&json);
    deft__json_name(&json, "pid");
    deft__json_write_int64(&json, getpid());
    deft__json_name(&json, "version");
    deft__json_write_text(&json, DEFT_VERSION_STRING);
    deft__json_name(&json, "startedAt");
    deft__json_write_uint64(&json, service->started_at);
    deft__json_name(&json, "directory");
    deft__json_write_text(&json, getcwd(directory, sizeof directory) != NULL ? directory : "");
    deft__json_name(&json, "text");
    if (deft__gateway_write_status(service->gateway, &part) != DEFT_OK) {
        request->result.status = DEFT_OUT_OF_MEMORY;
    }
    deft__json_write_string(&json, deft_buffer_view(&part));
    deft__json_name(&json, "status");
    if (deft__gateway_write_status_json(service->gateway, &request->result) != DEFT_OK) {
        request->result.status = DEFT_OUT_OF_MEMORY;
    }
    deft__json_end_object(&json);
    deft_buffer_clear(&part);
    finish(request);
}

// Whoever runs alone stops its servers again: they are shown as they are left.
static void stop_all(deft__service *service)
{
    deft__service_enter(service);
    for (size_t i = 0; i < service->server_count; i++) {
        deft__link_stop(deft__gateway_link(service->gateway, i), deft_view_make(NULL, 0));
    }
}

// The gateway's own objects, each with what only we know.
static void run_servers(deft__request *request, deft__json_value params)
{
    (void)params;
    const deft__service *service = request->service;
    size_t               place   = 0;
    deft_buffer          text;
    if (service->is_alone) {
        stop_all(request->service);
    }
    deft__json        document;
    deft__json_writer json;
    deft_buffer_init(&text, service->allocator);
    deft__json_init(&document, service->allocator);
    deft__json_writer_init(&json, &request->result);
    if (deft__gateway_write_servers(service->gateway, &text) != DEFT_OK ||
        deft__json_parse(&document, deft_buffer_view(&text), NULL, NULL) != DEFT_OK) {
        request->result.status = DEFT_OUT_OF_MEMORY;
    }
    deft__json_begin_object(&json);
    deft__json_name(&json, "servers");
    deft__json_begin_array(&json);
    deft__json_iterator servers = deft__json_iterate(deft__json_root(&document));
    while (deft__json_next(&servers)) {
        deft__json_begin_object(&json);
        deft__json_iterator members = deft__json_iterate(servers.value);
        while (deft__json_next(&members)) {
            deft_buffer name;
            deft_buffer_init(&name, service->allocator);
            deft__json_name_view(&json, deft__json_string(members.name, &name));
            deft__json_write_raw(&json, deft__json_raw(members.value));
            deft_buffer_clear(&name);
        }
        const uint64_t checked_at = service->keeper.checked_at[place++];
        if (checked_at > 0) {
            deft__json_name(&json, "checkedAt");
            deft__json_write_uint64(&json, checked_at);
        }
        deft__json_end_object(&json);
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    deft__json_clear(&document);
    deft_buffer_clear(&text);
    finish(request);
}

// Which servers are not among what is given, and why.
static void write_missing(deft__json_writer *json, const deft__service *service)
{
    deft_buffer missing;
    deft_buffer_init(&missing, service->allocator);
    deft__gateway_write_missing(service->gateway, NULL, &missing);
    deft__json_name(json, "missing");
    deft__json_write_string(json, deft_buffer_view(&missing));
    deft_buffer_clear(&missing);
}

// What each server said of itself; those that may not be used are left out.
static void run_manifests(deft__request *request, deft__json_value params)
{
    (void)params;
    const deft__gateway *gateway = request->service->gateway;
    deft__json_writer    json;
    deft__json_writer_init(&json, &request->result);
    deft__json_begin_object(&json);
    deft__json_name(&json, "manifests");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < deft__gateway_server_count(gateway); i++) {
        const deft__link      *link     = deft__gateway_link(gateway, i);
        const deft__manifest  *manifest = deft__link_manifest(link);
        const deft__link_state state    = deft__link_state_of(link);
        if (manifest != NULL && state != DEFT__LINK_DISABLED && state != DEFT__LINK_QUARANTINED) {
            deft__json_write_raw_line(&json, manifest->text);
        }
    }
    deft__json_end_array(&json);
    write_missing(&json, request->service);
    deft__json_end_object(&json);
    finish(request);
}

static deft__service_server *find_server(deft__request *request, deft_view name)
{
    deft__service *service = request->service;
    for (size_t i = 0; i < service->server_count; i++) {
        if (deft_view_equal(service->servers[i].config->name, name)) {
            return &service->servers[i];
        }
    }
    deft__quoted quoted;
    deft__fail(&request->error, DEFT_NOT_FOUND, 0, "there is no server '%s' in the configuration",
               deft__quote(&quoted, name));
    return NULL;
}

static void run_logs(deft__request *request, deft__json_value params)
{
    deft_buffer                 scratch;
    deft_buffer                 text;
    deft_view                   name;
    const deft__service_server *server = NULL;
    deft_buffer_init(&scratch, request->service->allocator);
    deft_buffer_init(&text, request->service->allocator);
    if (text_param(request, params, "server", &scratch, &name)) {
        server = find_server(request, name);
    }
    if (server != NULL) {
        deft__json_writer json;
        deft__ring_copy(&server->errors, &text);
        deft__json_writer_init(&json, &request->result);
        deft__json_begin_object(&json);
        deft__json_name(&json, "server");
        deft__json_write_string(&json, name);
        deft__json_name(&json, "text");
        deft__json_write_string(&json, deft_buffer_view(&text));
        deft__json_end_object(&json);
    }
    deft_buffer_clear(&text);
    deft_buffer_clear(&scratch);
    finish(request);
}

// Answered when the catalog is without the server, or has it again.
static void run_settled(deft__request *request, deft__json_value params)
{
    (void)params;
    deft_buffer_append_text(&request->result, "{}");
    finish(request);
}

static const deft__control_method settled = {"", true, run_settled};

static void run_quarantine(deft__request *request, deft__json_value params)
{
    const bool is_quarantined = deft__json_is(deft__json_member(params, "on"), DEFT__JSON_TRUE);
    const deft__service_server *server = NULL;
    deft_buffer                 scratch;
    deft_view                   name;
    deft_buffer_init(&scratch, request->service->allocator);
    if (text_param(request, params, "server", &scratch, &name)) {
        server = find_server(request, name);
    }
    if (server != NULL) {
        deft__service_enter(request->service);
        deft__link_set_quarantined(deft__gateway_link(request->service->gateway, server->place),
                                   is_quarantined);
        request->method     = &settled;
        request->is_patient = true;
        put_off(request);
    } else {
        finish(request);
    }
    deft_buffer_clear(&scratch);
}

static void run_login(deft__request *request, deft__json_value params)
{
    const deft__service_server *server = NULL;
    deft_buffer                 scratch;
    deft_view                   name;
    deft_buffer_init(&scratch, request->service->allocator);
    if (text_param(request, params, "server", &scratch, &name)) {
        server = find_server(request, name);
    }
    if (server != NULL) {
        deft__service_renew(request->service, server->place);
        request->method     = &settled; // whoever logged in finds its tools then
        request->is_patient = true;
        request->place      = server->place;
        put_off(request);
    } else {
        finish(request);
    }
    deft_buffer_clear(&scratch);
}

static void run_reset(deft__request *request, deft__json_value params)
{
    (void)params;
    deft__service_enter(request->service);
    deft__gateway_reset(request->service->gateway);
    deft_buffer_append_text(&request->result, "{}");
    finish(request);
}

// --- Search. --------------------------------------------------------------------------------------

static void write_hit(deft__json_writer *json, const deft__snapshot *snapshot, const deft_hit *hit)
{
    const deft_tool   *tool   = deft_catalog_tool(snapshot->catalog, hit->tool);
    const deft_server *server = deft_catalog_server(snapshot->catalog, tool->server);
    deft__json_begin_object(json);
    deft__json_name(json, "id");
    deft__json_write_string(json, tool->id);
    deft__json_name(json, "server");
    deft__json_write_string(json, server->name);
    deft__json_name(json, "name");
    deft__json_write_string(json, tool->name);
    deft__json_name(json, "description");
    deft__json_write_string(json, tool->description);
    deft__json_name(json, "score");
    deft__json_write_double(json, (double)hit->score);
    deft__json_name(json, "tokens");
    deft__json_write_uint64(json, deft_sizes_tool(snapshot->sizes, hit->tool).tokens);
    deft__json_name(json, "place");
    deft__json_write_text(json,
                          deft_place_name(deft_plan_decision(snapshot->plan, hit->tool).place));
    deft__json_end_object(json);
}

static void write_hits(deft__request *request, const deft_searcher *searcher)
{
    const deft__service *service = request->service;
    size_t               count   = 0;
    const deft_hit      *hits    = deft_searcher_hits(searcher, &count);
    deft__json_writer    json;
    deft__json_writer_init(&json, &request->result);
    deft__json_begin_object(&json);
    deft__json_name(&json, "hits");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < count; i++) {
        write_hit(&json, deft__gateway_snapshot(service->gateway), &hits[i]);
    }
    deft__json_end_array(&json);
    write_missing(&json, service);
    deft__json_end_object(&json);
}

static void search(deft__request *request, deft_view query, uint64_t limit)
{
    const deft__service  *service  = request->service;
    const deft_settings  *settings = service->settings;
    const deft__snapshot *snapshot = deft__gateway_snapshot(service->gateway);
    const deft_query      asked    = {
                .text      = query,
                .ranking   = settings->ranking,
                .hits_max  = limit > 0 ? (size_t)limit : settings->results_default,
                .score_min = settings->ranking == DEFT_RANKING_BM25
                                 ? (float)settings->matching_threshold_milli / 1000
                                 : 0,
    };
    deft_searcher *searcher =
        deft_searcher_new(snapshot->index, service->allocator, &request->error);
    if (searcher != NULL && deft_searcher_run(searcher, &asked, &request->error) == DEFT_OK) {
        write_hits(request, searcher);
    }
    deft_searcher_free(searcher);
}

static void run_search(deft__request *request, deft__json_value params)
{
    deft_buffer            scratch;
    deft_view              query;
    uint64_t               limit = 0;
    const deft__json_value given = deft__json_member(params, "limit");
    deft_buffer_init(&scratch, request->service->allocator);
    if (text_param(request, params, "query", &scratch, &query)) {
        if (!deft__json_is(given, DEFT__JSON_NONE) &&
            (deft__json_uint64(given, &limit) != DEFT_OK || limit == 0 || limit > 1000)) {
            deft__fail(&request->error, DEFT_INVALID, 0,
                       "params.limit must be a number from 1 to 1000");
        } else {
            search(request, query, limit);
        }
    }
    deft_buffer_clear(&scratch);
    finish(request);
}

// --- Calls: as a client of the gateway, so that all that holds for clients holds here. ------------

static const char handshake[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"deft\",\"version\":"
    "\"" DEFT_VERSION_STRING "\"}}}";
static const char initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

static void write_result(deft__request *request, deft__json_value result)
{
    const char       *failure = deft__client_failure(request->client);
    deft__json_writer json;
    deft__json_writer_init(&json, &request->result);
    deft__json_begin_object(&json);
    deft__json_name(&json, "result");
    deft__json_write_raw(&json, deft__json_raw(result));
    if (failure != NULL) {
        deft__json_name(&json, "failure");
        deft__json_write_text(&json, failure);
    }
    deft__json_end_object(&json);
}

// What the gateway says to the client: the answer with our id counts.
static void hear(deft__speaker *speaker, deft_view line)
{
    deft__request    *request = (deft__request *)(void *)speaker; // its first member
    deft__mcp_reader  reader;
    deft__mcp_message message = {0};
    deft__mcp_reader_init(&reader, request->service->allocator);
    if (deft__mcp_reader_take(&reader, line, NULL) != DEFT_OK ||
        deft__mcp_reader_next(&reader, &message, NULL) != DEFT_OK) {
        deft__fail_memory(&request->error);
        finish(request);
    } else if (deft_view_equals(message.id, "1") && message.kind == DEFT__MCP_RESULT) {
        write_result(request, message.result);
        finish(request);
    } else if (deft_view_equals(message.id, "1") && message.kind == DEFT__MCP_ERROR) {
        deft__quoted quoted;
        deft__fail(&request->error,
                   message.error_code == DEFT__MCP_INVALID_PARAMS ? DEFT_NOT_FOUND : DEFT_INVALID,
                   0, "%.*s", (int)message.error_message.size,
                   message.error_message.data != NULL ? message.error_message.data
                                                      : deft__quote(&quoted, message.id));
        finish(request);
    }
    deft__mcp_reader_clear(&reader);
}

static void call(deft__request *request, deft_view tool, deft_view arguments)
{
    deft__service    *service = request->service;
    deft_buffer       params;
    deft_buffer       line;
    deft__json_writer json;
    deft_buffer_init(&params, service->allocator);
    deft_buffer_init(&line, service->allocator);
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    deft__json_name(&json, "name");
    deft__json_write_string(&json, tool);
    deft__json_name(&json, "arguments");
    deft__json_write_raw(&json, arguments.size > 0 ? arguments : deft_view_of("{}"));
    deft__json_end_object(&json);
    deft__mcp_write_request(&line, deft_view_of("1"), "tools/call", deft_buffer_view(&params));
    deft__service_enter(service);
    if (params.status == DEFT_OK && line.status == DEFT_OK) {
        const deft__client_options options = {.tag = &request->speaker, .is_person = true};
        request->client = deft__client_open(service->gateway, &options, &request->error);
    } else {
        deft__fail_memory(&request->error);
    }
    if (request->client != NULL) {
        deft__client_receive(request->client, deft_view_of(handshake));
        deft__client_receive(request->client, deft_view_of(initialized));
        deft__client_receive(request->client, deft_buffer_view(&line));
    } else {
        finish(request);
    }
    deft_buffer_clear(&params);
    deft_buffer_clear(&line);
}

static void run_call(deft__request *request, deft__json_value params)
{
    const deft__json_value arguments = deft__json_member(params, "arguments");
    deft_buffer            scratch;
    deft_view              tool;
    deft_buffer_init(&scratch, request->service->allocator);
    if (!text_param(request, params, "tool", &scratch, &tool)) {
        finish(request);
    } else if (!deft__json_is(arguments, DEFT__JSON_NONE) &&
               !deft__json_is(arguments, DEFT__JSON_OBJECT)) {
        deft__fail(&request->error, DEFT_INVALID, 0, "params.arguments must be an object, not %s",
                   deft__json_kind_name(deft__json_kind_of(arguments)));
        finish(request);
    } else {
        call(request, tool, deft__json_raw(arguments));
    }
    deft_buffer_clear(&scratch);
}

// --- The table. -----------------------------------------------------------------------------------

static const deft__control_method methods[] = {
    {"deft/status", false, run_status},      {"deft/servers", false, run_servers},
    {"deft/logs", false, run_logs},          {"deft/reset", false, run_reset},
    {"deft/search", true, run_search},       {"deft/call", true, run_call},
    {"deft/manifests", true, run_manifests}, {"deft/quarantine", false, run_quarantine},
    {"deft/login", false, run_login},
};

static void run(deft__request *request)
{
    deft__json document;
    deft__json_init(&document, request->service->allocator);
    if (request->params.size > 0 && deft__json_parse(&document, deft_buffer_view(&request->params),
                                                     NULL, &request->error) != DEFT_OK) {
        finish(request);
    } else {
        request->method->run(request, deft__json_root(&document));
    }
    deft__json_clear(&document);
}

static bool wants_discovery(const deft__request *request)
{
    deft__json document;
    bool       is_wanted = request->is_patient && request->method->is_patient;
    deft__json_init(&document, request->service->allocator);
    if (request->params.size > 0 &&
        deft__json_parse(&document, deft_buffer_view(&request->params), NULL, NULL) == DEFT_OK) {
        is_wanted =
            is_wanted || deft__json_is(deft__json_member(deft__json_root(&document), "discover"),
                                       DEFT__JSON_TRUE);
    }
    deft__json_clear(&document);
    return is_wanted;
}

// A server that is on its way to being known, or not.
static bool is_being_learned(const deft__gateway *gateway, size_t place)
{
    const deft__link      *link  = deft__gateway_link(gateway, place);
    const deft__link_state state = deft__link_state_of(link);
    return state == DEFT__LINK_STARTING ||
           (state == DEFT__LINK_READY && deft__link_manifest(link) == NULL);
}

// Everything but logs needs a catalog; some need one that is complete.
static bool is_ready(const deft__request *request)
{
    const deft__gateway *gateway = request->service->gateway;
    if (request->place != SIZE_MAX && is_being_learned(gateway, request->place)) {
        return false;
    }
    return request->is_patient ? deft__gateway_is_settled(gateway)
                               : deft__gateway_snapshot(gateway) != NULL;
}

static void stop_waiting(deft__request *request)
{
    deft__request **place = &request->service->waiting;
    while (*place != NULL && *place != request) {
        place = &(*place)->next;
    }
    if (*place != NULL) {
        *place = request->next;
    }
    request->is_waiting = false;
}

void deft__requests_look(deft__service *service)
{
    deft__request *request = service->waiting;
    while (request != NULL) {
        deft__request *next = request->next;
        if (is_ready(request)) {
            stop_waiting(request);
            run(request);
        }
        request = next;
    }
}

void deft__request_start(deft__request *request, deft__service *service, deft_view method,
                         deft_view params, bool is_patient)
{
    request->speaker    = (deft__speaker){.hear = hear};
    request->service    = service;
    request->client     = NULL;
    request->is_patient = is_patient;
    request->is_waiting = false;
    request->place      = SIZE_MAX;
    request->method     = NULL;
    request->error      = (deft_error)DEFT_ERROR_INIT;
    deft__task_init(&request->tell, tell, request);
    deft_buffer_init(&request->params, service->allocator);
    deft_buffer_init(&request->result, service->allocator);
    deft_buffer_append(&request->params, params);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (deft_view_equals(method, methods[i].name)) {
            request->method = &methods[i];
        }
    }
    if (request->method == NULL) {
        deft__quoted quoted;
        deft__fail(&request->error, DEFT_NOT_FOUND, 0, "method '%s' is not known here",
                   deft__quote(&quoted, method));
        finish(request);
        return;
    } else if (request->params.status != DEFT_OK) {
        deft__fail_memory(&request->error);
        finish(request);
        return;
    }
    request->is_patient = wants_discovery(request);
    if (request->is_patient) {
        deft__service_enter(service);
        deft__gateway_discover(service->gateway);
    }
    put_off(request);
    deft__service_leave(service); // looks whether it has to wait at all
}

void deft__request_clear(deft__request *request)
{
    if (request->is_waiting) {
        stop_waiting(request);
    }
    deft__loop_undefer(request->service->loop, &request->tell);
    if (request->client != NULL) {
        deft__client_close(request->client);
        request->client = NULL;
    }
    deft_buffer_clear(&request->params);
    deft_buffer_clear(&request->result);
}
