// One request and what comes back for it. An answer is JSON, a stream of events that holds it among
// others, or a page that says why there is none. A legacy stream that ends before the answer came can
// be gone on with, where its events had ids.
#include "base/memory.h"
#include "crypto/wiping.h"
#include "http/headers.h"
#include "http/syntax.h"
#include "mcp/era.h"
#include "oauth/kept.h"
#include "transport/address.h"
#include "transport/remote_private.h"

#include <stdio.h>

// A stream ends with the answer. Some servers leave it open: then we close it, a little later, since a
// connection that was not closed can be used again.
#define LINGER_MS 1000u

// Attempts to go on with a stream that failed in a row.
#define RESUMES_MAX 5u

#define PAUSE_MIN_MS 10u
#define PAUSE_MAX_MS 60000u

// The server does not agree with the headers of a call (modern).
#define HEADER_MISMATCH (-32020)

static void forget_answer(deft__flow *flow);

// --- Making, dropping. ----------------------------------------------------------------------------

deft__flow *deft__flow_new(deft__remote *remote, deft__flow_kind kind)
{
    deft__flow *flow = deft__new(remote->allocator, sizeof *flow);
    if (flow != NULL) {
        flow->remote = remote;
        flow->kind   = kind;
        deft_buffer_init(&flow->line, remote->allocator);
        deft_buffer_init(&flow->url, remote->allocator);
        deft_buffer_init(&flow->body, remote->allocator);
        deft_buffer_init(&flow->last_id, remote->allocator);
    }
    return flow;
}

void deft__flow_append(deft__flow_ring *ring, deft__flow *flow)
{
    flow->previous                                           = ring->last;
    flow->next                                               = NULL;
    *(ring->last != NULL ? &ring->last->next : &ring->first) = flow;
    ring->last                                               = flow;
}

void deft__flow_remove(deft__flow_ring *ring, deft__flow *flow)
{
    *(flow->previous != NULL ? &flow->previous->next : &ring->first) = flow->next;
    *(flow->next != NULL ? &flow->next->previous : &ring->last)      = flow->previous;
    flow->previous                                                   = NULL;
    flow->next                                                       = NULL;
}

void deft__flow_free(deft__flow *flow)
{
    if (flow == NULL) {
        return;
    }
    deft__remote *remote = flow->remote;
    remote->queued_size -= flow->line.size;
    deft__fetch_free(flow->fetch);
    deft__alarm_free(flow->alarm);
    if (flow->has_events) {
        deft__sse_reader_clear(&flow->events);
    }
    deft_buffer_clear(&flow->line);
    deft_buffer_clear(&flow->url);
    deft_buffer_clear(&flow->body);
    deft_buffer_clear(&flow->last_id);
    deft__free(remote->allocator, flow, sizeof *flow);
}

void deft__flow_drop(deft__flow *flow)
{
    if (flow->remote->events == flow) {
        flow->remote->events = NULL;
    }
    deft__flow_remove(&flow->remote->flows, flow);
    if (flow->is_busy) {
        flow->is_dropped = true;
        deft__fetch_free(flow->fetch);
        flow->fetch = NULL;
    } else {
        deft__flow_free(flow);
    }
}

static void enter(deft__flow *flow)
{
    deft__remote_enter(flow->remote);
    flow->is_busy = true;
}

static void leave(deft__flow *flow)
{
    deft__remote *remote = flow->remote;
    flow->is_busy        = false;
    if (flow->is_dropped) {
        deft__flow_free(flow);
    }
    deft__remote_leave(remote);
}

// --- How it ends. ---------------------------------------------------------------------------------

// The server has taken note that the handshake is over: what waited for that may go.
static void open_up(deft__remote *remote)
{
    if (remote->is_holding) {
        remote->is_holding = false;
        deft__remote_listen(remote);
        deft__remote_pump(remote);
    }
}

void deft__flow_finish(deft__flow *flow)
{
    deft__remote *remote = flow->remote;
    if (flow->is_dropped) {
        return;
    }
    if (flow->role == DEFT__FLOW_CANCEL) {
        // Legacy: the server may leave the stream of a request that it does not answer open.
        deft__flow *cancelled = deft__remote_find(remote, flow->id);
        if (cancelled != NULL) {
            deft__flow_drop(cancelled);
        }
    }
    const bool is_through = flow->role == DEFT__FLOW_INITIALIZED;
    deft__flow_drop(flow);
    if (is_through) {
        open_up(remote);
    }
}

void deft__flow_fail(deft__flow *flow, deft_view clause)
{
    deft__remote *remote = flow->remote;
    if (flow->role == DEFT__FLOW_INITIALIZE || flow->role == DEFT__FLOW_DISCOVER ||
        (flow->kind == DEFT__FLOW_EVENTS && remote->is_old)) {
        deft__remote_end(remote, clause);
        return;
    }
    if (flow->is_request) {
        remote->options.unanswered(remote->options.context, flow->id, clause);
    }
    deft__flow_finish(flow);
}

static void fail_with(deft__flow *flow, const char *clause)
{
    deft__flow_fail(flow, deft_view_of(clause));
}

// --- What it says. --------------------------------------------------------------------------------

static void linger_is_over(void *context)
{
    deft__flow *flow = context;
    enter(flow);
    flow->is_held = false;
    if (flow->is_answered) {
        deft__flow_finish(flow);
    } else {
        deft__flow_start(flow, NULL);
    }
    leave(flow);
}

static bool set_alarm(deft__flow *flow, uint64_t delay_ms)
{
    if (flow->alarm == NULL) {
        flow->alarm = deft__alarm_new(flow->remote->loop, linger_is_over, flow);
    }
    if (flow->alarm != NULL) {
        deft__alarm_set(flow->alarm, delay_ms);
    }
    return flow->alarm != NULL;
}

// Calls whose headers were refused are sent again, now that their tools are known anew.
static void send_held(deft__remote *remote)
{
    for (deft__flow *flow = remote->flows.first; flow != NULL && !remote->is_over;) {
        deft__flow *next = flow->next;
        if (flow->is_held) {
            flow->is_held = false;
            deft__alarm_stop(flow->alarm);
            deft__flow_start(flow, NULL);
        }
        flow = next;
    }
}

static void take_text(deft__flow *flow, deft_view text)
{
    deft__remote *remote = flow->remote;
    deft_buffer   room;
    deft_buffer_init(&room, remote->allocator);
    deft__flow_learn(flow, &text, &room);
    if (!remote->is_over) {
        remote->options.received(remote->options.context, text);
    }
    if (remote->is_list_new) {
        remote->is_list_new = false;
        send_held(remote);
    }
    deft_buffer_clear(&room);
}

static void take_event(deft__flow *flow, const deft__sse_event *event)
{
    const bool was_answered = flow->is_answered;
    flow->failures          = 0;
    if (flow->kind == DEFT__FLOW_EVENTS) {
        deft__events_take(flow, event);
    } else if (event->type.size == 0 || deft_view_equals(event->type, "message")) {
        take_text(flow, event->data);
        if (!flow->is_dropped && flow->is_answered && !was_answered) {
            (void)set_alarm(flow, LINGER_MS);
        }
    }
}

static void read_stream(deft__flow *flow, deft_view bytes)
{
    deft__remote   *remote = flow->remote;
    deft__sse_event event;
    deft_status     status;
    deft__sse_reader_feed(&flow->events, bytes);
    while (!flow->is_dropped &&
           (status = deft__sse_reader_next(&flow->events, &event)) != DEFT_NOT_FOUND) {
        if (status == DEFT_OK) {
            take_event(flow, &event);
        } else {
            flow->is_too_long = true;
            if (flow->kind == DEFT__FLOW_EVENTS && remote->is_old) {
                remote->options.overflowed(remote->options.context);
            }
        }
    }
}

static void read_bytes(void *context, deft_view bytes)
{
    deft__flow *flow = context;
    enter(flow);
    const size_t size_max = flow->form == DEFT__FLOW_JSON ? flow->remote->options.message_size_max
                                                          : DEFT__REMOTE_PAGE_MAX;
    const size_t room     = size_max - flow->body.size;
    if (flow->form == DEFT__FLOW_STREAM) {
        read_stream(flow, bytes);
    } else if (flow->form == DEFT__FLOW_PAGE) {
        deft_buffer_append(&flow->body, deft_view_slice(bytes, 0, room));
    } else if (bytes.size > room) {
        fail_with(flow, "sent an answer that is too large");
    } else {
        deft_buffer_append(&flow->body, bytes);
    }
    leave(flow);
}

// --- Its head. ------------------------------------------------------------------------------------

// False: the session has no id that could be sent back.
static bool keep_session(deft__flow *flow)
{
    deft__remote   *remote  = flow->remote;
    const deft_view session = deft__fetch_header(flow->fetch, "Mcp-Session-Id");
    for (size_t i = 0; i < session.size; i++) {
        if (session.data[i] <= ' ' || session.data[i] > '~') {
            return false;
        }
    }
    deft_buffer_reset(&remote->session);
    deft_buffer_append(&remote->session, session);
    return remote->session.status == DEFT_OK;
}

static void choose_form(deft__flow *flow)
{
    const int       status    = deft__fetch_status(flow->fetch);
    const deft_view type      = deft__fetch_header(flow->fetch, "Content-Type");
    const bool      is_stream = deft__http_is_media_type(type, "text/event-stream");
    if (status < 200 || status > 299) {
        flow->form = DEFT__FLOW_PAGE;
    } else if (is_stream) {
        flow->form       = DEFT__FLOW_STREAM;
        flow->has_events = true;
        deft__sse_reader_init(&flow->events, flow->remote->options.message_size_max,
                              flow->remote->allocator);
    } else if (deft__http_is_media_type(type, "application/json") &&
               flow->kind == DEFT__FLOW_MESSAGE && flow->is_request && !flow->is_resuming) {
        flow->form = DEFT__FLOW_JSON;
    } else {
        flow->form = DEFT__FLOW_PAGE;
    }
}

static void answered(void *context)
{
    deft__flow *flow = context;
    enter(flow);
    choose_form(flow);
    if (flow->kind == DEFT__FLOW_EVENTS) {
        deft__events_answered(flow);
    } else if (flow->role == DEFT__FLOW_INITIALIZE && flow->form != DEFT__FLOW_PAGE &&
               !keep_session(flow)) {
        fail_with(flow, "gave a session id that cannot be sent back");
    } else if (flow->role == DEFT__FLOW_INITIALIZED && deft__fetch_status(flow->fetch) < 300) {
        open_up(flow->remote); // some leave the answer open, though there is nothing to say
    }
    if (!flow->is_dropped && flow->kind == DEFT__FLOW_MESSAGE && !flow->is_request) {
        flow->is_answered = true; // as far as it will be
        (void)set_alarm(flow, LINGER_MS);
    }
    leave(flow);
}

// --- The end of an answer. ------------------------------------------------------------------------

// The server has refused the headers of a call, and so has not begun with it. What we know of the tool's
// parameters is old: the list is fetched again, and the call sent once more. False: it was already.
static bool hold(deft__flow *flow)
{
    deft__remote *remote = flow->remote;
    if (flow->role != DEFT__FLOW_CALL || flow->is_mismatched ||
        !set_alarm(flow, flow->remote->options.held_ms)) {
        return false;
    }
    flow->is_mismatched = true;
    flow->is_held       = true;
    forget_answer(flow);
    remote->options.received(
        remote->options.context,
        deft_view_of("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"));
    return true;
}

// Hands on the JSON-RPC error that a page holds, under our id: servers that could not, or did not care
// to, read ours leave it out. False: there is none.
static bool take_error(deft__flow *flow)
{
    deft__remote     *remote  = flow->remote;
    deft__mcp_message message = {0};
    if (!flow->is_request ||
        deft__mcp_reader_take(&remote->arriving, deft_buffer_view(&flow->body), NULL) != DEFT_OK ||
        deft__mcp_reader_next(&remote->arriving, &message, NULL) != DEFT_OK ||
        message.kind != DEFT__MCP_ERROR) {
        return false;
    }
    if (message.error_code == HEADER_MISMATCH && hold(flow)) {
        return true;
    }
    deft_buffer line;
    deft_buffer_init(&line, remote->allocator);
    deft__mcp_write_error(&line, flow->id, message.error_code, message.error_message,
                          deft__json_raw(deft__json_member(message.error, "data")));
    if (line.status != DEFT_OK) {
        deft__remote_end_for_memory(remote);
    } else {
        flow->is_answered = true;
        remote->options.received(remote->options.context, deft_buffer_view(&line));
    }
    deft_buffer_clear(&line);
    return true;
}

static bool is_session_lost(const deft__flow *flow)
{
    return deft__fetch_status(flow->fetch) == 404 && flow->remote->session.size > 0 &&
           !flow->is_modern && flow->role != DEFT__FLOW_INITIALIZE;
}

// Statuses with which servers of the old transport, or none at all, answer a POST.
static bool is_about_transport(int status)
{
    return status == 400 || status == 404 || status == 405;
}

static void take_refusal(deft__flow *flow)
{
    deft_error error  = DEFT_ERROR_INIT;
    const int  status = deft__fetch_status(flow->fetch);
    deft__flow_describe(flow, &error);
    if (flow->role == DEFT__FLOW_INITIALIZE && is_about_transport(status) &&
        !flow->remote->is_old) {
        (void)snprintf(flow->remote->refusal, sizeof flow->remote->refusal, "%s", error.message);
        deft__remote_go_old(flow->remote, flow);
    } else if (flow->role == DEFT__FLOW_DISCOVER && status <= 501) {
        // It may be legacy. 500 is what some of those answer to a method that they do not know.
        flow->role = DEFT__FLOW_OTHER;
        deft__flow_fail(flow, deft_view_of(error.message));
    } else {
        deft__flow_fail(flow, deft_view_of(error.message));
    }
}

// An answer that is neither JSON nor a stream.
static void take_page(deft__flow *flow)
{
    const int  status = deft__fetch_status(flow->fetch);
    const bool is_ok  = status >= 200 && status <= 299;
    if (deft__flow_follow(flow) || deft__flow_take_login(flow)) {
        return;
    }
    if (is_session_lost(flow)) {
        deft__remote_end(flow->remote, deft_view_of("does not know our session any more"));
    } else if (is_ok && (!flow->is_request || flow->remote->is_old)) {
        deft__flow_finish(flow); // taken note of; or the answer comes on the stream
    } else if (!is_ok && (status != 404 || flow->role != DEFT__FLOW_INITIALIZE) &&
               take_error(flow)) {
        if (!flow->is_held) {
            deft__flow_finish(flow);
        }
    } else if (!flow->is_request) {
        deft__flow_finish(flow); // nothing that anyone waits for
    } else {
        take_refusal(flow);
    }
}

static void take_json(deft__flow *flow)
{
    if (flow->body.status != DEFT_OK) {
        fail_with(flow, "sent an answer for which there is no memory");
        return;
    }
    take_text(flow, deft_buffer_view(&flow->body));
    if (flow->is_dropped) {
        return;
    }
    if (flow->is_answered) {
        deft__flow_finish(flow);
    } else {
        fail_with(flow, "answered with something else than a result or an error");
    }
}

static void keep_place(deft__flow *flow)
{
    const deft_view id = deft__sse_reader_last_id(&flow->events);
    if (id.size > 0 && deft__http_is_value(id)) {
        deft_buffer_reset(&flow->last_id);
        deft_buffer_append(&flow->last_id, id);
    }
    if (flow->events.retry_ms > 0) {
        flow->retry_ms = flow->events.retry_ms;
    }
}

static void take_stream_end(deft__flow *flow, deft__fetch_end end, deft_view clause)
{
    keep_place(flow);
    if (flow->is_answered) {
        deft__flow_finish(flow);
    } else if (flow->last_id.size > 0 && !flow->is_modern && flow->is_request &&
               !flow->remote->is_old) {
        flow->is_resuming = true;
        deft__flow_start_later(flow);
    } else if (flow->is_too_long) {
        fail_with(flow, "sent a message that is too long to be read");
    } else {
        deft__flow_fail(flow,
                        end == DEFT__FETCH_WHOLE ? deft_view_of("broke off its answer") : clause);
    }
}

// A GET that was to go on with an answer has failed.
static void take_failed_resume(deft__flow *flow, deft_view clause)
{
    deft_error error = DEFT_ERROR_INIT;
    if (flow->form == DEFT__FLOW_PAGE && deft__fetch_status(flow->fetch) < 500) {
        if (is_session_lost(flow)) {
            deft__remote_end(flow->remote, deft_view_of("does not know our session any more"));
        } else if (!deft__flow_follow(flow) && !deft__flow_take_login(flow)) {
            deft__flow_describe(flow, &error);
            deft__flow_fail(flow, deft_view_of(error.message));
        }
    } else if (flow->failures >= RESUMES_MAX) {
        deft__flow_fail(flow, clause.size > 0 ? clause : deft_view_of("broke off its answer"));
    } else {
        flow->failures++;
        deft__flow_start_later(flow);
    }
}

static void ended(void *context, deft__fetch_end end, deft_view clause)
{
    deft__flow *flow = context;
    enter(flow);
    if (flow->kind == DEFT__FLOW_GOODBYE) {
        deft__remote_end(flow->remote, deft_view_of("was stopped"));
    } else if (flow->kind == DEFT__FLOW_EVENTS) {
        deft__events_ended(flow, end, clause);
    } else if (flow->form == DEFT__FLOW_STREAM) {
        take_stream_end(flow, end, clause);
    } else if (flow->is_resuming) {
        take_failed_resume(flow, clause);
    } else if (end == DEFT__FETCH_UNREACHABLE) {
        deft__remote_end(flow->remote, clause);
    } else if (flow->form == DEFT__FLOW_PAGE) {
        take_page(flow); // however it ended
    } else if (end == DEFT__FETCH_WHOLE && flow->form == DEFT__FLOW_JSON) {
        take_json(flow);
    } else {
        deft__flow_fail(flow, clause);
    }
    leave(flow);
}

// --- Sending. -------------------------------------------------------------------------------------

static void forget_answer(deft__flow *flow)
{
    deft__fetch_free(flow->fetch);
    flow->fetch = NULL;
    if (flow->has_events) {
        keep_place(flow);
        deft__sse_reader_clear(&flow->events);
        flow->has_events = false;
    }
    deft_buffer_reset(&flow->body);
    flow->form        = DEFT__FLOW_NOTHING;
    flow->is_too_long = false;
}

static bool fetch(deft__flow *flow, const deft__mcp_message *message)
{
    deft__remote       *remote = flow->remote;
    const bool          posts  = flow->kind == DEFT__FLOW_MESSAGE && !flow->is_resuming;
    deft__arena         arena;
    deft_view           url     = deft_view_of(NULL);
    const deft_view     where   = flow->url.size > 0 ? deft_buffer_view(&flow->url)
                                  : remote->is_old && flow->kind == DEFT__FLOW_EVENTS
                                      ? remote->launch.server.url
                                      : deft_buffer_view(&remote->url);
    deft__fetch_options options = {
        .method   = posts                              ? "POST"
                    : flow->kind == DEFT__FLOW_GOODBYE ? "DELETE"
                                                       : "GET",
        .body     = posts ? deft_buffer_view(&flow->line) : deft_view_of(NULL),
        .ca       = remote->launch.server.ca.size > 0 ? remote->launch.server.ca.data : NULL,
        .is_once  = flow->role == DEFT__FLOW_CALL,
        .context  = flow,
        .answered = answered,
        .read     = read_bytes,
        .ended    = ended,
    };
    const deft_allocator wiping = deft__wiping_allocator(remote->allocator); // for the token
    deft__arena_init(&arena, &wiping);
    if (deft__arena_copy(&arena, where, &url) &&
        deft__flow_headers(flow, message, &arena, &options.headers, &options.header_count)) {
        options.url = url.data;
        flow->fetch = deft__fetch_new(remote->options.fetcher, &options);
    }
    deft__arena_clear(&arena);
    return flow->fetch != NULL;
}

// The token that the next request goes with. False: it has to wait for it.
static bool take_token(deft__flow *flow)
{
    deft__remote *remote = flow->remote;
    deft_view     token  = deft_view_of(NULL);
    if (remote->options.token == NULL || deft__remote_has_credentials(remote)) {
        return true;
    }
    const bool is_there =
        remote->options.token(remote->options.context, &token, &flow->token_number);
    if (is_there && !deft_view_equal(token, deft_buffer_view(&remote->token))) {
        deft__kept_wipe(&remote->token);
        deft_buffer_reserve(&remote->token, token.size);
        deft_buffer_append(&remote->token, token);
    }
    return is_there || flow->kind == DEFT__FLOW_GOODBYE; // which waits for nothing
}

void deft__flow_start(deft__flow *flow, const deft__mcp_message *message)
{
    deft__remote     *remote = flow->remote;
    deft__mcp_message again  = {0};
    forget_answer(flow);
    if (!take_token(flow)) {
        flow->is_parked = true;
        return;
    }
    if (remote->token.status != DEFT_OK) {
        deft__remote_end_for_memory(remote);
        return;
    }
    if (message == NULL && flow->kind == DEFT__FLOW_MESSAGE && !flow->is_resuming &&
        deft__mcp_reader_take(&remote->sending, deft_buffer_view(&flow->line), NULL) == DEFT_OK &&
        deft__mcp_reader_next(&remote->sending, &again, NULL) == DEFT_OK) {
        message = &again;
    }
    if ((message == NULL && flow->kind == DEFT__FLOW_MESSAGE && !flow->is_resuming) ||
        !fetch(flow, message)) {
        deft__remote_end_for_memory(remote);
    }
}

void deft__flow_start_later(deft__flow *flow)
{
    uint64_t pause = flow->retry_ms > 0 ? flow->retry_ms : flow->remote->options.retry_ms;
    for (unsigned i = 0; i < flow->failures && pause < PAUSE_MAX_MS; i++) {
        pause *= 2;
    }
    pause = pause > PAUSE_MIN_MS ? pause : PAUSE_MIN_MS;
    forget_answer(flow);
    if (!set_alarm(flow, pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS)) {
        deft__remote_end_for_memory(flow->remote);
    }
}

// --- Redirects. -----------------------------------------------------------------------------------

static void refuse_redirect(deft__flow *flow, deft_view target)
{
    deft_buffer clause;
    deft_buffer_init(&clause, flow->remote->allocator);
    deft_buffer_append_text(&clause, "redirects to ");
    deft__address_write_origin(target, &clause);
    deft_buffer_append_text(&clause, ": set its url to where it is");
    deft__flow_fail(flow, clause.status == DEFT_OK ? deft_buffer_view(&clause)
                                                   : deft_view_of("redirects to another place"));
    deft_buffer_clear(&clause);
}

bool deft__flow_follow(deft__flow *flow)
{
    deft__remote   *remote = flow->remote;
    const int       status = deft__fetch_status(flow->fetch);
    const deft_view target = deft__fetch_redirect(flow->fetch);
    // 303 says that the answer is elsewhere, which means nothing here.
    if (target.size == 0 || (status != 301 && status != 302 && status != 307 && status != 308)) {
        return false;
    }
    const deft_view home = remote->launch.server.url;
    if (!deft__address_is_same_origin(home, target)) {
        refuse_redirect(flow, target);
        return true;
    }
    if (flow->redirects == DEFT__REMOTE_REDIRECTS_MAX) {
        fail_with(flow, "redirects in circles");
        return true;
    }
    flow->redirects++;
    deft_buffer_reset(&flow->url);
    deft_buffer_append(&flow->url, target);
    if ((status == 301 || status == 308) && !remote->is_old && flow->kind == DEFT__FLOW_MESSAGE) {
        deft_buffer_reset(&remote->url);
        deft_buffer_append(&remote->url, target);
    }
    if (flow->url.status != DEFT_OK || remote->url.status != DEFT_OK) {
        deft__remote_end_for_memory(remote);
    } else {
        deft__flow_start(flow, NULL);
    }
    return true;
}
