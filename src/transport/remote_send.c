// What goes out, and when. Each message is a request of its own, on whichever connection is free, so
// the server may see them in another order than we sent them. Where that matters, one waits for the
// other: nothing may overtake notifications/initialized.
#include "mcp/era.h"
#include "mcp/meta.h"
#include "transport/remote_private.h"

static deft__flow_role role_of(deft_view method)
{
    static const struct {
        const char     *method;
        deft__flow_role role;
    } roles[] = {
        {"server/discover", DEFT__FLOW_DISCOVER},
        {"initialize", DEFT__FLOW_INITIALIZE},
        {"notifications/initialized", DEFT__FLOW_INITIALIZED},
        {"tools/list", DEFT__FLOW_LIST},
        {"tools/call", DEFT__FLOW_CALL},
        {"notifications/cancelled", DEFT__FLOW_CANCEL},
    };
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (deft_view_equals(method, roles[i].method)) {
            return roles[i].role;
        }
    }
    return DEFT__FLOW_OTHER;
}

// A modern request says so itself; anything else is of the era that is spoken.
static bool is_modern(deft__remote *remote, const deft__mcp_message *message)
{
    if (message->kind != DEFT__MCP_REQUEST) {
        return remote->version.size == 0 && remote->modern.size > 0 && !remote->is_old;
    }
    if (!deft__mcp_is_modern(message)) {
        return false;
    }
    deft_buffer_reset(&remote->modern);
    const deft_view version = deft__json_string(
        deft__json_member(message->meta, DEFT__MCP_META_VERSION), &remote->sending.scratch);
    deft_buffer_append(&remote->modern, version);
    return true;
}

static void classify(deft__flow *flow, const deft__mcp_message *message)
{
    const bool has_method =
        message->kind == DEFT__MCP_REQUEST || message->kind == DEFT__MCP_NOTIFICATION;
    flow->is_request = message->kind == DEFT__MCP_REQUEST;
    flow->is_modern  = is_modern(flow->remote, message);
    flow->role       = has_method ? role_of(message->method) : DEFT__FLOW_OTHER;
    flow->is_first   = deft__json_is(deft__mcp_param(message, "cursor"), DEFT__JSON_NONE);
    if (flow->is_request) {
        flow->id = message->id;
    } else if (flow->role == DEFT__FLOW_CANCEL) {
        flow->id = deft__json_raw(deft__mcp_param(message, "requestId"));
    }
}

static deft__flow *find_in(const deft__flow_ring *ring, deft_view id)
{
    deft__flow *flow = ring->first;
    while (flow != NULL && !(flow->is_request && deft_view_equal(flow->id, id))) {
        flow = flow->next;
    }
    return flow;
}

deft__flow *deft__remote_find(const deft__remote *remote, deft_view id)
{
    return find_in(&remote->flows, id);
}

// Whether a cancellation has done its work without the server hearing of it.
static bool cancel_here(deft__remote *remote, const deft__flow *cancel)
{
    deft__flow *waiting = find_in(&remote->waiting, cancel->id);
    deft__flow *sent    = find_in(&remote->flows, cancel->id);
    if (waiting != NULL) {
        deft__flow_remove(&remote->waiting, waiting);
        deft__flow_free(waiting);
        return true;
    }
    if (sent != NULL && sent->is_modern) {
        deft__flow_drop(sent); // that its stream is closed tells the server
        return true;
    }
    return sent == NULL && cancel->is_modern;
}

static bool must_wait(const deft__remote *remote)
{
    return remote->waiting.first != NULL || remote->is_holding ||
           (remote->is_old && !remote->has_endpoint);
}

static void post(deft__flow *flow, const deft__mcp_message *message)
{
    flow->remote->is_holding = flow->role == DEFT__FLOW_INITIALIZED;
    deft__flow_append(&flow->remote->flows, flow);
    deft__flow_start(flow, message);
}

void deft__remote_send(deft__remote *remote, deft_view line)
{
    if (remote->is_stopping || remote->is_over) {
        return;
    }
    if (line.size > remote->options.queue_max - remote->queued_size) {
        deft__remote_end(remote, deft_view_of("does not take what is sent to it"));
        return;
    }
    deft__mcp_message message = {0};
    deft__flow       *flow    = deft__flow_new(remote, DEFT__FLOW_MESSAGE);
    if (flow != NULL) {
        deft_buffer_append(&flow->line, line);
        remote->queued_size += flow->line.size;
    }
    if (flow == NULL || flow->line.status != DEFT_OK ||
        deft__mcp_reader_take(&remote->sending, deft_buffer_view(&flow->line), NULL) != DEFT_OK ||
        deft__mcp_reader_next(&remote->sending, &message, NULL) != DEFT_OK) {
        deft__flow_free(flow);
        deft__remote_end_for_memory(remote); // our own messages are well formed
        return;
    }
    classify(flow, &message);
    if (remote->modern.status != DEFT_OK) {
        deft__flow_free(flow);
        deft__remote_end_for_memory(remote);
    } else if (flow->role == DEFT__FLOW_CANCEL && cancel_here(remote, flow)) {
        deft__flow_free(flow);
    } else if (flow->role == DEFT__FLOW_DISCOVER && remote->is_old) {
        deft__flow_append(&remote->local, flow);
        deft__loop_defer(remote->loop, &remote->soon);
    } else if (must_wait(remote)) {
        deft__flow_append(&remote->waiting, flow);
    } else {
        post(flow, &message);
    }
}

void deft__remote_pump(deft__remote *remote)
{
    while (remote->waiting.first != NULL && !remote->is_holding && !remote->is_over &&
           (!remote->is_old || remote->has_endpoint)) {
        deft__flow *flow = remote->waiting.first;
        deft__flow_remove(&remote->waiting, flow);
        post(flow, NULL);
    }
}
