#include "transport/remote.h"

#include "base/fail.h"
#include "base/memory.h"
#include "http/syntax.h"
#include "oauth/kept.h"
#include "transport/address.h"
#include "transport/remote_private.h"

#include <stdio.h>

#define MESSAGE_SIZE_MAX (64u * 1024 * 1024)
#define QUEUE_MAX        (128u * 1024 * 1024)
#define RETRY_MS         1000u
#define GOODBYE_MS       2000u
#define HELD_MS          5000u

// --- The end. -------------------------------------------------------------------------------------

static void give_back(deft__remote *remote)
{
    deft__loop_undefer(remote->loop, &remote->soon);
    deft__alarm_free(remote->goodbye);
    deft__launch_clear(&remote->launch);
    deft_buffer_clear(&remote->url);
    deft_buffer_clear(&remote->session);
    deft_buffer_clear(&remote->version);
    deft_buffer_clear(&remote->modern);
    deft__kept_wipe(&remote->token);
    deft_buffer_clear(&remote->challenge);
    deft__mcp_reader_clear(&remote->sending);
    deft__mcp_reader_clear(&remote->arriving);
    deft__map_clear(&remote->names);
    deft__arena_clear(&remote->arena);
    deft__free(remote->allocator, remote->tools, remote->tool_capacity * sizeof *remote->tools);
    deft__free(remote->allocator, remote, sizeof *remote);
}

static void drop_all(deft__remote *remote)
{
    while (remote->flows.first != NULL) {
        deft__flow_drop(remote->flows.first);
    }
    deft__flow_ring *const rings[] = {&remote->waiting, &remote->local};
    for (size_t i = 0; i < 2; i++) {
        while (rings[i]->first != NULL) {
            deft__flow *flow = rings[i]->first;
            deft__flow_remove(rings[i], flow);
            deft__flow_free(flow);
        }
    }
}

void deft__remote_enter(deft__remote *remote)
{
    remote->calling++;
}

void deft__remote_leave(deft__remote *remote)
{
    remote->calling--;
    if (remote->calling == 0 && remote->is_freed) {
        give_back(remote);
    }
}

void deft__remote_end(deft__remote *remote, deft_view clause)
{
    if (remote->is_over) {
        return;
    }
    remote->is_over = true;
    (void)snprintf(remote->reason, sizeof remote->reason, "%.*s", (int)clause.size, clause.data);
    drop_all(remote);
    deft__alarm_stop(remote->goodbye);
    deft__loop_defer(remote->loop, &remote->soon);
}

void deft__remote_end_for_memory(deft__remote *remote)
{
    deft__remote_end(remote, deft_view_of("cannot be spoken to: there is no memory"));
}

static void tell_end(deft__remote *remote)
{
    const deft_view reason = deft_view_of(remote->reason);
    remote->is_told        = true;
    if (remote->is_login_wanted) {
        remote->options.unauthorized(remote->options.context, reason,
                                     deft_buffer_view(&remote->challenge));
    } else {
        remote->options.closed(remote->options.context, reason);
    }
}

static void do_soon(void *context)
{
    deft__remote *remote = context;
    deft__remote_enter(remote);
    while (remote->local.first != NULL) {
        deft__flow *flow = remote->local.first;
        deft__flow_remove(&remote->local, flow);
        remote->options.unanswered(remote->options.context, flow->id,
                                   deft_view_of("speaks HTTP+SSE, which is legacy"));
        deft__flow_free(flow);
    }
    if (remote->is_over && !remote->is_told && !remote->is_freed) {
        tell_end(remote);
    }
    deft__remote_leave(remote);
}

static void goodbye_rings(void *context)
{
    deft__remote_end(context, deft_view_of("was stopped"));
}

// --- The start. -----------------------------------------------------------------------------------

static deft_status check_headers(const deft_server_config *server, deft_error *error)
{
    for (size_t i = 0; i < server->header_count; i++) {
        const deft_pair *header = &server->headers[i];
        deft__quoted     name;
        if (!deft__http_all(header->name, DEFT__HTTP_TOKEN)) {
            return deft__fail(error, DEFT_INVALID, 0,
                              "cannot be asked: '%s' in its headers is no name of a header",
                              deft__quote(&name, header->name));
        }
        if (!deft__http_is_value(header->value)) {
            return deft__fail(error, DEFT_INVALID, 0,
                              "cannot be asked: header '%s' holds a line end or control character",
                              deft__quote(&name, header->name));
        }
    }
    return DEFT_OK;
}

static deft_status configure(deft__remote *remote, const deft__remote_options *options,
                             deft_error *error)
{
    deft_status status = deft__launch_init(&remote->launch, options->server, options->environment,
                                           remote->allocator, error);
    if (status == DEFT_OK) {
        status = deft__address_check(remote->launch.server.url, &remote->is_open, error);
    }
    if (status == DEFT_OK) {
        status = check_headers(&remote->launch.server, error);
    }
    if (status != DEFT_OK) {
        return status;
    }
    deft_buffer_append(&remote->url, remote->launch.server.url);
    remote->goodbye = deft__alarm_new(remote->loop, goodbye_rings, remote);
    if (remote->url.status != DEFT_OK || remote->goodbye == NULL ||
        !deft__remote_learn_tools(remote, options->tools)) {
        return deft__fail_memory(error);
    }
    return DEFT_OK;
}

deft__remote *deft__remote_start(deft__loop *loop, const deft__remote_options *options,
                                 deft_error *error)
{
    const deft_allocator *allocator = deft__loop_allocator(loop);
    deft__remote         *remote    = deft__new(allocator, sizeof *remote);
    if (remote == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    remote->allocator           = allocator;
    remote->loop                = loop;
    remote->options             = *options;
    remote->options.server      = NULL;
    remote->options.environment = NULL;
    remote->options.tools       = deft_view_of(NULL);
#define USE_DEFAULT(field, value)                                                                  \
    remote->options.field = options->field > 0 ? options->field : (value)
    USE_DEFAULT(message_size_max, MESSAGE_SIZE_MAX);
    USE_DEFAULT(queue_max, QUEUE_MAX);
    USE_DEFAULT(retry_ms, RETRY_MS);
    USE_DEFAULT(held_ms, HELD_MS);
    USE_DEFAULT(goodbye_ms, GOODBYE_MS);
#undef USE_DEFAULT
    deft_buffer_init(&remote->url, allocator);
    deft_buffer_init(&remote->session, allocator);
    deft_buffer_init(&remote->version, allocator);
    deft_buffer_init(&remote->modern, allocator);
    deft_buffer_init(&remote->token, allocator);
    deft_buffer_init(&remote->challenge, allocator);
    deft__mcp_reader_init(&remote->sending, allocator);
    deft__mcp_reader_init(&remote->arriving, allocator);
    deft__map_init(&remote->names, deft__loop_now_ms(loop) ^ (uintptr_t)remote, allocator);
    deft__arena_init(&remote->arena, allocator);
    deft__task_init(&remote->soon, do_soon, remote);
    if (configure(remote, options, error) != DEFT_OK) {
        give_back(remote);
        return NULL;
    }
    if (options->server->transport == DEFT_TRANSPORT_SSE) {
        deft__remote_go_old(remote, NULL);
    }
    return remote;
}

bool deft__remote_is_open(const deft__remote *remote)
{
    return remote->is_open;
}

void deft__remote_renewed(deft__remote *remote)
{
    deft__flow *next = NULL;
    deft__remote_enter(remote);
    for (deft__flow *flow = remote->flows.first; flow != NULL && !remote->is_over; flow = next) {
        next = flow->next;
        if (flow->is_parked) {
            flow->is_parked = false;
            deft__flow_start(flow, NULL);
        }
    }
    deft__remote_leave(remote);
}

// --- Stopping. ------------------------------------------------------------------------------------

static void say_goodbye(deft__remote *remote, uint64_t goodbye_ms)
{
    deft__flow *flow = deft__flow_new(remote, DEFT__FLOW_GOODBYE);
    if (flow == NULL) {
        deft__remote_end(remote, deft_view_of("was stopped"));
        return;
    }
    deft__flow_append(&remote->flows, flow);
    deft__flow_start(flow, NULL);
    deft__alarm_set(remote->goodbye, goodbye_ms);
}

void deft__remote_stop_within(deft__remote *remote, uint64_t goodbye_ms)
{
    if (remote->is_over) {
        return;
    }
    if (remote->is_stopping) {
        deft__alarm_set(remote->goodbye, goodbye_ms);
        return;
    }
    remote->is_stopping = true;
    drop_all(remote);
    if (remote->session.size > 0 && goodbye_ms > 0) {
        say_goodbye(remote, goodbye_ms);
    } else {
        deft__remote_end(remote, deft_view_of("was stopped"));
    }
}

void deft__remote_stop(deft__remote *remote)
{
    deft__remote_stop_within(remote, remote->options.goodbye_ms);
}

void deft__remote_free(deft__remote *remote)
{
    if (remote != NULL) {
        remote->is_stopping = true;
        remote->is_over     = true;
        remote->is_freed    = true;
        drop_all(remote);
        if (remote->calling == 0) {
            give_back(remote);
        }
    }
}
