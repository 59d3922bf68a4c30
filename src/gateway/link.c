#include "gateway/link.h"

#include "base/fail.h"
#include "base/memory.h"
#include "gateway/link_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

// Timers of the link itself: start, probe, idle, soon, listen, and one for each list.
#define OWN_TIMERS (5 + DEFT__LINK_LIST_COUNT)

const char *deft__link_state_name(deft__link_state state)
{
    switch (state) {
    case DEFT__LINK_CONFIGURED:
        return "configured";
    case DEFT__LINK_KNOWN:
        return "known";
    case DEFT__LINK_STARTING:
        return "starting";
    case DEFT__LINK_READY:
        return "ready";
    case DEFT__LINK_FAILED:
        return "failed";
    case DEFT__LINK_DISABLED:
        return "disabled";
    case DEFT__LINK_QUARANTINED:
        return "quarantined";
    case DEFT__LINK_UNAUTHORIZED:
        return "unauthorized";
    }
    return "unknown";
}

const char *deft__span_text(deft__span *span, uint64_t ms)
{
    if (ms % 1000 == 0) {
        (void)snprintf(span->text, sizeof span->text, "%" PRIu64 " s", ms / 1000);
    } else {
        (void)snprintf(span->text, sizeof span->text, "%" PRIu64 " ms", ms);
    }
    return span->text;
}

static deft__link_options with_defaults(deft__link_options options)
{
    static const deft__link_options defaults = {
        .calls_max        = 64,
        .queue_max        = 1024,
        .probe_timeout_ms = 2000,
        .start_timeout_ms = 30000,
        .call_timeout_ms  = 60000,
        .call_time_max_ms = 3600000,
        .idle_stop_ms     = 600000,
        .backoff_min_ms   = 1000,
        .backoff_max_ms   = 300000,
        .list_pages_max   = 1000,
        .list_size_max    = DEFT__MANIFEST_SIZE_MAX,
    };
#define USE_DEFAULT(field) options.field = options.field != 0 ? options.field : defaults.field
    USE_DEFAULT(calls_max);
    USE_DEFAULT(queue_max);
    USE_DEFAULT(probe_timeout_ms);
    USE_DEFAULT(start_timeout_ms);
    USE_DEFAULT(call_timeout_ms);
    USE_DEFAULT(call_time_max_ms);
    USE_DEFAULT(idle_stop_ms);
    USE_DEFAULT(backoff_min_ms);
    USE_DEFAULT(backoff_max_ms);
    USE_DEFAULT(list_pages_max);
    USE_DEFAULT(list_size_max);
#undef USE_DEFAULT
    // Half of the time is left for the handshake, however short it was set.
    if (options.probe_timeout_ms > options.start_timeout_ms / 2) {
        options.probe_timeout_ms = options.start_timeout_ms / 2;
    }
    return options;
}

static void soon_ring(void *context)
{
    deft__link *link = context;
    if (link->has_opened) {
        link->has_opened = false;
        deft__link_opened(link, link->told_life);
    }
    if (link->has_closed) {
        link->has_closed = false;
        if (link->is_login_wanted) {
            deft__link_unauthorized(link, link->told_life, deft_view_of(link->closed_reason));
        } else {
            deft__link_closed(link, link->told_life, deft_view_of(link->closed_reason));
        }
    }
    deft__link_deliver(link);
}

static void init_parts(deft__link *link, const deft_allocator *allocator)
{
    deft__timer_init(&link->start_timer, deft__link_start_ring, link);
    deft__timer_init(&link->probe_timer, deft__link_probe_ring, link);
    deft__timer_init(&link->idle_timer, deft__link_idle_ring, link);
    deft__timer_init(&link->listen_timer, deft__link_listen_ring, link);
    deft__timer_init(&link->soon, soon_ring, link);
    deft__mcp_reader_init(&link->reader, allocator);
    deft_buffer_init(&link->names, allocator);
    deft_buffer_init(&link->hello.text, allocator);
    deft_buffer_init(&link->params, allocator);
    deft_buffer_init(&link->line, allocator);
    deft__link_exchanges_init(link);
    deft__link_lists_init(link);
}

deft__link *deft__link_new(deft_view name, const deft__link_options *options,
                           const deft__link_driver *driver, const deft__link_listener *listener,
                           deft__timers *timers, deft__manifest *manifest, bool is_fresh,
                           deft_view client_info, unsigned capabilities,
                           const deft_allocator *allocator, deft_error *error)
{
    deft__link *link = deft__new(allocator, sizeof *link);
    if (link == NULL || !deft__timers_reserve(timers, OWN_TIMERS)) {
        deft__free(allocator, link, sizeof *link);
        (void)deft__fail_memory(error);
        return NULL;
    }
    link->allocator    = allocator;
    link->options      = with_defaults(*options);
    link->driver       = driver;
    link->listener     = listener;
    link->timers       = timers;
    link->capabilities = capabilities;
    init_parts(link, allocator);
    deft_buffer_append(&link->names, name);
    deft_buffer_append(&link->names, client_info);
    link->name_size = name.size;
    if (link->names.status != DEFT_OK) {
        deft__link_free(link);
        (void)deft__fail_memory(error);
        return NULL;
    }
    link->state = deft__link_rest_state(link);
    if (manifest != NULL) {
        deft__link_adopt(link, manifest, is_fresh);
    }
    return link;
}

void deft__link_adopt(deft__link *link, deft__manifest *manifest, bool is_fresh)
{
    assert(link->manifest == NULL && link->phase == DEFT__LINK_DOWN);
    link->manifest = deft__manifest_retain(manifest);
    link->is_fresh = is_fresh;
    link->state    = deft__link_rest_state(link);
}

static void stop_timers(deft__link *link)
{
    deft__timer_stop(link->timers, &link->start_timer);
    deft__timer_stop(link->timers, &link->probe_timer);
    deft__timer_stop(link->timers, &link->idle_timer);
    deft__timer_stop(link->timers, &link->listen_timer);
    deft__timer_stop(link->timers, &link->soon);
}

void deft__link_free(deft__link *link)
{
    if (link == NULL) {
        return;
    }
    assert(link->calling == 0);
    link->is_freeing = true;
    link->phase      = DEFT__LINK_DOWN;
    deft__link_doom_all(link, DEFT__ENDING_CLOSED, "the gateway is closing");
    deft__link_unask_all(link);
    deft__link_deliver(link);
    stop_timers(link);
    deft__link_lists_clear(link);
    deft__link_exchanges_clear(link);
    deft__link_asks_clear(link);
    deft__timers_release(link->timers, OWN_TIMERS);
    deft__mcp_reader_clear(&link->reader);
    deft_buffer_clear(&link->names);
    deft_buffer_clear(&link->hello.text);
    deft_buffer_clear(&link->params);
    deft_buffer_clear(&link->line);
    deft__manifest_release(link->manifest);
    deft__free(link->allocator, link, sizeof *link);
}

deft_view deft__link_name(const deft__link *link)
{
    return deft_view_make(link->names.data, link->name_size);
}

deft_view deft__link_client_info(const deft__link *link)
{
    return deft_view_slice(deft_buffer_view(&link->names), link->name_size, SIZE_MAX);
}

deft__link_state deft__link_state_of(const deft__link *link)
{
    return link->state;
}

deft__manifest *deft__link_manifest(const deft__link *link)
{
    return link->manifest;
}

deft_view deft__link_reason(const deft__link *link)
{
    return deft_view_of(deft__link_has_failed(link) ? link->reason : NULL);
}

uint64_t deft__link_retry_at_ms(const deft__link *link)
{
    return deft__link_has_failed(link) ? link->retry_at_ms : 0;
}

deft__mcp_era deft__link_era(const deft__link *link)
{
    if (link->era != DEFT__MCP_ERA_UNKNOWN) {
        return link->era;
    }
    return link->manifest != NULL ? link->manifest->era : DEFT__MCP_ERA_UNKNOWN;
}

size_t deft__link_open_count(const deft__link *link)
{
    return link->queued_count + link->sent_count + link->doomed_count;
}

uint64_t deft__link_ignored_count(const deft__link *link)
{
    return link->ignored_count;
}

void *deft__link_tag(const deft__link *link)
{
    return link->tag;
}

void deft__link_set_tag(deft__link *link, void *tag)
{
    link->tag = tag;
}

bool deft__link_is_current(const deft__link *link, uint32_t life)
{
    return link->phase != DEFT__LINK_DOWN && link->life == life;
}

deft__link_state deft__link_rest_state(const deft__link *link)
{
    if (link->options.is_disabled) {
        return DEFT__LINK_DISABLED;
    }
    return link->manifest != NULL ? DEFT__LINK_KNOWN : DEFT__LINK_CONFIGURED;
}

void deft__link_set_state(deft__link *link, deft__link_state state)
{
    if (link->state == state) {
        return;
    }
    link->state = state;
    link->calling++;
    link->listener->changed(link->listener->context, link);
    link->calling--;
}

void deft__link_notify(deft__link *link, const char *method, deft_view params)
{
    if (link->phase == DEFT__LINK_UP) {
        deft_buffer_reset(&link->line);
        deft__mcp_write_notification(&link->line, method, params);
        (void)deft__link_send_line(link);
    }
}

void deft__link_discover(deft__link *link)
{
    const bool may_start =
        link->state == DEFT__LINK_CONFIGURED || link->state == DEFT__LINK_KNOWN ||
        (deft__link_has_failed(link) && link->timers->now_ms >= link->retry_at_ms);
    if (may_start && !link->is_freeing) {
        link->is_discovering = true;
        deft__link_start(link);
    }
}

static void stop_life(deft__link *link, deft__link_state state, deft_view reason, const char *what)
{
    deft_error   error;
    deft__quoted name;
    if (reason.size > 0) {
        const size_t size_max = sizeof error.message;
        (void)deft__fail(&error, DEFT_CONFLICT, 0, "%.*s",
                         (int)(reason.size < size_max ? reason.size : size_max), reason.data);
    } else {
        (void)deft__fail(&error, DEFT_CONFLICT, 0, "server '%s' was %s",
                         deft__quote(&name, deft__link_name(link)), what);
    }
    link->is_discovering = false;
    deft__link_end_life(link, state, error.message, link->phase != DEFT__LINK_DOWN);
}

void deft__link_stop(deft__link *link, deft_view reason)
{
    if (link->phase != DEFT__LINK_DOWN) {
        stop_life(link, deft__link_rest_state(link), reason, "stopped");
    }
}

void deft__link_set_capabilities(deft__link *link, unsigned capabilities)
{
    link->capabilities = capabilities;
}

void deft__link_retry(deft__link *link)
{
    if (!deft__link_has_failed(link)) {
        return;
    }
    link->failures    = 0;
    link->retry_at_ms = link->timers->now_ms;
    if (link->is_discovering) {
        deft__link_discover(link);
    } else {
        deft__link_set_state(link, deft__link_rest_state(link));
    }
}

void deft__link_set_quarantined(deft__link *link, bool is_quarantined)
{
    if (is_quarantined && link->state != DEFT__LINK_QUARANTINED) {
        stop_life(link, DEFT__LINK_QUARANTINED, deft_view_of(NULL), "quarantined");
    } else if (!is_quarantined && link->state == DEFT__LINK_QUARANTINED) {
        deft__link_set_state(link, deft__link_rest_state(link));
    }
}
