// How a life ends: stopped, failed, dead or idle. Whatever the cause, what waits is told, and the next
// start is a clean one. Failures in a row make the pause before it longer.
#include "base/fail.h"
#include "gateway/link_private.h"

#include <stdio.h>

// A life that ends before this is a sign of something that will happen again.
#define SHORT_LIFE_MS 10000u

// How long a server that was only started to learn its lists is kept: some tell of further tools
// right after the handshake.
#define LINGER_MS 5000u

void deft__link_end_life(deft__link *link, deft__link_state state, const char *sentence,
                         bool is_running)
{
    const uint32_t         life = link->life;
    const deft__link_state old  = link->state;
    link->phase                 = DEFT__LINK_DOWN;
    link->era                   = DEFT__MCP_ERA_UNKNOWN;
    link->state                 = state;
    link->handshake_id          = 0;
    link->probe_id              = 0;
    link->listen_id             = 0;
    link->listen_failures       = 0;
    link->is_listen_late        = false;
    link->has_opened            = false;
    link->has_closed            = false;
    link->is_login_wanted       = false;
    deft__timer_stop(link->timers, &link->start_timer);
    deft__timer_stop(link->timers, &link->probe_timer);
    deft__timer_stop(link->timers, &link->idle_timer);
    deft__timer_stop(link->timers, &link->listen_timer);
    deft__link_lists_stop(link);
    deft__link_doom_all(link, DEFT__ENDING_FAILED, sentence);
    if (deft__link_has_failed(link) && link->is_discovering) {
        // Nobody can call a server whose tools are not known, so it is tried again unasked.
        deft__timer_set(link->timers, &link->start_timer, link->retry_at_ms - link->timers->now_ms);
    }
    // A server that does not run keeps no memory.
    deft_buffer_clear(&link->line);
    deft_buffer_clear(&link->params);
    deft_buffer_clear(&link->hello.text);
    if (!link->is_receiving) {
        deft__mcp_reader_clear(&link->reader);
    }

    if (is_running) {
        link->calling++;
        link->driver->stop(link->driver->context, link, life);
        link->calling--;
    }
    deft__link_unask_all(link);
    if (old != state) {
        link->calling++;
        link->listener->changed(link->listener->context, link);
        link->calling--;
    }
    deft__link_deliver(link);
}

// Doubled with each failure in a row.
static uint64_t pause_ms(const deft__link *link)
{
    const uint64_t longest = link->options.backoff_max_ms;
    uint64_t       pause   = link->options.backoff_min_ms;
    for (uint32_t i = 1; i < link->failures && pause < longest; i++) {
        pause = pause <= longest / 2 ? 2 * pause : longest;
    }
    return pause < longest ? pause : longest;
}

bool deft__link_has_failed(const deft__link *link)
{
    return link->state == DEFT__LINK_FAILED || link->state == DEFT__LINK_UNAUTHORIZED;
}

static void fail_as(deft__link *link, deft__link_state state, const char *sentence, bool is_running)
{
    link->failures += link->failures < UINT32_MAX ? 1 : 0;
    const uint64_t now   = link->timers->now_ms;
    const uint64_t pause = pause_ms(link);
    link->retry_at_ms    = pause < UINT64_MAX - now ? now + pause : UINT64_MAX;
    (void)snprintf(link->reason, sizeof link->reason, "%s", sentence);
    deft__link_end_life(link, state, link->reason, is_running);
}

void deft__link_fail(deft__link *link, const char *sentence, bool is_running)
{
    fail_as(link, DEFT__LINK_FAILED, sentence, is_running);
}

void deft__link_start_ring(void *context)
{
    deft__link  *link = context;
    deft_error   error;
    deft__quoted name;
    deft__span   span;
    if (deft__link_has_failed(link)) {
        deft__link_discover(link);
        return;
    }
    (void)deft__fail(&error, DEFT_LIMIT, 0, "server '%s' did not %s within %s",
                     deft__quote(&name, deft__link_name(link)),
                     link->phase == DEFT__LINK_OPENING   ? "start"
                     : link->phase == DEFT__LINK_PROBING ? "answer server/discover"
                                                         : "answer initialize",
                     deft__span_text(&span, link->options.start_timeout_ms));
    deft__link_fail(link, error.message, true);
}

void deft__link_clause(char clause[DEFT__LINK_SENTENCE_SIZE], deft_view reason)
{
    if (reason.size == 0) {
        reason = deft_view_of("is gone");
    }
    reason = deft_view_slice(reason, 0, DEFT__LINK_SENTENCE_SIZE - 1); // the rest would not fit
    for (size_t i = 0; i < reason.size; i++) {
        const unsigned char byte = (unsigned char)reason.data[i];
        clause[i]                = byte < 0x20 || byte == 0x7F ? ' ' : reason.data[i];
    }
    clause[reason.size] = '\0';
}

// "server 'x' exited with status 1 while starting: no API key", of the clause "exited with status 1:
// no API key".
static void say_death(const deft__link *link, const char *clause, const char *when,
                      deft_error *error)
{
    deft__quoted name;
    const char  *colon = strstr(clause, ": "); // not that of an address
    const size_t size  = colon != NULL ? (size_t)(colon - clause) : strlen(clause);
    (void)deft__fail(error, DEFT_CONFLICT, 0, "server '%s' %.*s%s%s",
                     deft__quote(&name, deft__link_name(link)), (int)size, clause, when,
                     clause + size);
}

static void die_starting(deft__link *link, const char *reason)
{
    if (link->is_probed && link->options.era != DEFT__MCP_ERA_MODERN && !link->options.is_remote) {
        // It may have left because of the probe.
        const uint32_t life = link->life;
        deft__timer_stop(link->timers, &link->probe_timer);
        link->is_legacy_now = true;
        deft__link_unask_all(link);
        if (deft__link_is_current(link, life)) {
            deft__link_start_again(link);
        }
        return;
    }
    deft_error error;
    say_death(link, reason, link->phase == DEFT__LINK_OPENING ? "" : " while starting", &error);
    deft__link_fail(link, error.message, false);
}

static void die_ready(deft__link *link, const char *reason)
{
    deft_error error;
    const bool is_unknown = link->manifest == NULL && deft__link_lists_are_busy(link);
    say_death(link, reason, is_unknown ? " while its tools were listed" : "", &error);
    if (link->timers->now_ms - link->started_at_ms >= SHORT_LIFE_MS) {
        link->failures    = 0;
        link->short_lives = 0;
    } else {
        link->short_lives += link->short_lives < UINT32_MAX ? 1 : 0;
    }
    if (is_unknown || link->short_lives > 1) {
        deft__link_fail(link, error.message, false);
    } else {
        deft__link_end_life(link, deft__link_rest_state(link), error.message, false);
    }
}

// The driver told of an end from inside a call of ours.
static void hear_later(deft__link *link, uint32_t life, const char *clause, bool is_login_wanted)
{
    (void)snprintf(link->closed_reason, sizeof link->closed_reason, "%s", clause);
    link->has_closed      = true;
    link->is_login_wanted = is_login_wanted;
    link->told_life       = life;
    deft__timer_set(link->timers, &link->soon, 0);
}

void deft__link_closed(deft__link *link, uint32_t life, deft_view reason)
{
    if (!deft__link_is_current(link, life)) {
        return;
    }
    char clause[DEFT__LINK_SENTENCE_SIZE];
    deft__link_clause(clause, reason);
    if (link->calling > 0) {
        hear_later(link, life, clause, false);
    } else if (link->phase == DEFT__LINK_UP) {
        die_ready(link, clause);
    } else {
        die_starting(link, clause);
    }
}

void deft__link_unauthorized(deft__link *link, uint32_t life, deft_view reason)
{
    if (!deft__link_is_current(link, life)) {
        return;
    }
    deft_error error;
    char       clause[DEFT__LINK_SENTENCE_SIZE];
    deft__link_clause(clause, reason);
    if (link->calling > 0) {
        hear_later(link, life, clause, true);
    } else {
        say_death(link, clause, "", &error);
        fail_as(link, DEFT__LINK_UNAUTHORIZED, error.message, false);
    }
}

void deft__link_lost(deft__link *link, const char *what)
{
    deft_error   error;
    deft__quoted name;
    (void)deft__fail(&error, DEFT_LIMIT, 0, "server '%s' sent %s",
                     deft__quote(&name, deft__link_name(link)), what);
    if (link->phase == DEFT__LINK_UP) {
        deft__link_give_up_sent(link, error.message);
        deft__link_lists_lost(link, error.message);
        deft__link_pump(link);
        deft__link_deliver(link);
    } else if (link->phase == DEFT__LINK_INITIALIZING) {
        deft__link_fail(link, error.message, true);
    } else {
        link->ignored_count++; // the probe ends by its timer
    }
}

void deft__link_overflowed(deft__link *link, uint32_t life)
{
    if (deft__link_is_current(link, life)) {
        deft__link_lost(link, "a message that is too long to be read");
    }
}

uint64_t deft__link_idle_limit(const deft__link *link)
{
    const uint64_t limit = link->options.idle_stop_ms;
    return !link->is_used && limit > LINGER_MS ? LINGER_MS : limit;
}

void deft__link_idle_ring(void *context)
{
    deft__link    *link    = context;
    const uint64_t limit   = deft__link_idle_limit(link);
    const uint64_t idle_ms = link->timers->now_ms - link->used_at_ms;
    if (deft__link_open_count(link) > 0 || link->ask_count > 0 || deft__link_lists_are_busy(link)) {
        deft__timer_set(link->timers, &link->idle_timer, limit);
    } else if (idle_ms < limit) {
        deft__timer_set(link->timers, &link->idle_timer, limit - idle_ms);
    } else {
        link->failures    = 0;
        link->short_lives = 0;
        deft__link_stop(link, deft_view_of(NULL));
    }
}
