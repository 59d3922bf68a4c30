// Streams that we ask for with a GET. A legacy server may have one for what it says unasked; it comes
// and goes, and is asked for again where it broke off. With HTTP+SSE everything comes on such a stream,
// and when that is lost the server is.
#include "http/headers.h"
#include "transport/address.h"
#include "transport/remote_private.h"

#include "base/fail.h"

static void open_stream(deft__remote *remote)
{
    deft__flow *flow = deft__flow_new(remote, DEFT__FLOW_EVENTS);
    if (flow == NULL) {
        deft__remote_end_for_memory(remote);
        return;
    }
    remote->events = flow;
    deft__flow_append(&remote->flows, flow);
    deft__flow_start(flow, NULL);
}

void deft__remote_listen(deft__remote *remote)
{
    if (!remote->is_old && !remote->is_over && !remote->is_stopping && remote->events == NULL) {
        open_stream(remote);
    }
}

void deft__remote_go_old(deft__remote *remote, deft__flow *initialize)
{
    remote->is_old = true;
    if (initialize != NULL) {
        // It is sent again, to where the stream says.
        deft__flow *again = deft__flow_new(remote, DEFT__FLOW_MESSAGE);
        if (again == NULL) {
            deft__remote_end_for_memory(remote);
            return;
        }
        again->line       = initialize->line;
        again->id         = initialize->id;
        again->role       = initialize->role;
        again->is_request = true;
        deft_buffer_init(&initialize->line, remote->allocator);
        deft__flow_append(&remote->waiting, again);
        deft__flow_drop(initialize);
    }
    open_stream(remote);
}

void deft__events_answered(deft__flow *flow)
{
    if (flow->form == DEFT__FLOW_STREAM) {
        flow->was_open    = true;
        flow->was_refused = false; // a stream lasts longer than a token
    }
}

// Where messages are to be posted.
static void take_endpoint(deft__flow *flow, deft_view reference)
{
    deft__remote   *remote = flow->remote;
    const deft_view home   = remote->launch.server.url;
    deft_buffer_reset(&remote->url);
    if (!deft__address_resolve(home, reference, &remote->url) ||
        !deft__address_is_same_origin(home, deft_buffer_view(&remote->url))) {
        deft__remote_end(remote, deft_view_of("wants its messages sent to another origin"));
        return;
    }
    remote->has_endpoint = true;
    deft__remote_pump(remote);
}

void deft__events_take(deft__flow *flow, const deft__sse_event *event)
{
    deft__remote *remote = flow->remote;
    if (remote->is_old && !remote->has_endpoint) {
        if (deft_view_equals(event->type, "endpoint")) {
            take_endpoint(flow, event->data);
        }
    } else if (event->type.size == 0 || deft_view_equals(event->type, "message")) {
        remote->options.received(remote->options.context, event->data);
    }
}

// The stream of HTTP+SSE is all there is.
static void end_old(deft__flow *flow, deft_view clause)
{
    deft__remote *remote = flow->remote;
    deft_error    error  = DEFT_ERROR_INIT;
    if (flow->form == DEFT__FLOW_STREAM) {
        deft__remote_end(remote, deft_view_of("closed its stream of events"));
    } else if (flow->form == DEFT__FLOW_PAGE && !deft__flow_follow(flow) &&
               !deft__flow_take_login(flow)) {
        deft__flow_describe(flow, &error);
        deft__remote_end(
            remote, deft_view_of(remote->refusal[0] != '\0' ? remote->refusal : error.message));
    } else if (flow->form == DEFT__FLOW_NOTHING && flow->fetch != NULL) {
        deft__remote_end(remote, clause);
    }
}

// The token ran out while the stream was open. One that was never open is not worth another token:
// some servers have none, and say so with 401.
static bool takes_renewal(deft__flow *flow)
{
    deft_buffer clause;
    deft_buffer_init(&clause, flow->remote->allocator);
    const bool is_renewed =
        flow->form == DEFT__FLOW_PAGE && flow->was_open && deft__flow_take_renewal(flow, &clause);
    deft_buffer_clear(&clause); // the next request tells what is wrong
    return is_renewed;
}

void deft__events_ended(deft__flow *flow, deft__fetch_end end, deft_view clause)
{
    deft__remote *remote = flow->remote;
    if (remote->is_old) {
        end_old(flow, clause);
        return;
    }
    const int  status    = flow->form != DEFT__FLOW_NOTHING ? deft__fetch_status(flow->fetch) : 0;
    const bool is_outage = end != DEFT__FETCH_WHOLE || status >= 500;
    if ((flow->form == DEFT__FLOW_PAGE && deft__flow_follow(flow)) || takes_renewal(flow)) {
        return;
    }
    if (flow->form == DEFT__FLOW_STREAM || (flow->was_open && is_outage)) {
        deft__flow_start_later(flow);
        flow->failures += flow->failures < 16 ? 1 : 0; // until an event comes
    } else if (flow->was_open && status == 404 && remote->session.size > 0) {
        deft__remote_end(remote, deft_view_of("does not know our session any more"));
    } else {
        deft__flow_drop(flow); // 405, most often: it has none
    }
}
