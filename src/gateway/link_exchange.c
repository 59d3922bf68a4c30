// Requests. Each has an id of ours from the moment it is sent; answers find it through a table of
// ids, open addressing with linear probing. Ids count up and are never used again, so the low bits
// spread them evenly, and an answer that comes late, twice or to nothing finds nothing.
//
// All that a request needs is made when it is accepted: its place among the exchanges, its timer
// and its place in the table. From then on only writing its line can still fail.
#include "base/fail.h"
#include "base/memory.h"
#include "gateway/link_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

// --- Rings

static void ring_init(deft__link_node *head)
{
    head->previous = head;
    head->next     = head;
}

static void ring_append(deft__link_node *head, deft__link_node *node)
{
    node->previous       = head->previous;
    node->next           = head;
    head->previous->next = node;
    head->previous       = node;
}

static void ring_remove(deft__link_node *node)
{
    node->previous->next = node->next;
    node->next->previous = node->previous;
    ring_init(node);
}

static bool ring_is_empty(const deft__link_node *head)
{
    return head->next == head;
}

static deft__exchange *exchange_of(deft__link_node *node)
{
    return (deft__exchange *)(void *)node;
}

// --- Places for exchanges

static void timeout_ring(void *context);

static bool add_block(deft__link *link)
{
    deft__link_block *block = deft__new(link->allocator, sizeof *block);
    if (block == NULL || !deft__timers_reserve(link->timers, DEFT__LINK_BLOCK_COUNT)) {
        deft__free(link->allocator, block, sizeof *block);
        return false;
    }
    block->next  = link->blocks;
    link->blocks = block;
    for (size_t i = 0; i < DEFT__LINK_BLOCK_COUNT; i++) {
        deft__exchange *exchange = &block->exchanges[i];
        exchange->link           = link;
        deft_buffer_init(&exchange->kept, link->allocator);
        deft__timer_init(&exchange->timer, timeout_ring, exchange);
        ring_append(&link->unused, &exchange->node);
    }
    return true;
}

// Room in the table for one more than are open now, twice over so that probing stays short.
static bool reserve_table(deft__link *link)
{
    size_t wanted = deft__link_open_count(link) + 1;
    wanted        = 2 * (wanted < link->options.calls_max ? wanted : link->options.calls_max);
    if (wanted <= link->table_capacity) {
        return true;
    }
    size_t capacity = link->table_capacity > 0 ? link->table_capacity : 16;
    while (capacity < wanted) {
        capacity *= 2;
    }
    deft__exchange **table = deft__new(link->allocator, capacity * sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (size_t i = 0; i < link->table_capacity; i++) {
        if (link->table[i] != NULL) {
            size_t slot = link->table[i]->id & (capacity - 1);
            while (table[slot] != NULL) {
                slot = (slot + 1) & (capacity - 1);
            }
            table[slot] = link->table[i];
        }
    }
    deft__free(link->allocator, link->table, link->table_capacity * sizeof *table);
    link->table          = table;
    link->table_capacity = capacity;
    return true;
}

static void table_put(deft__link *link, deft__exchange *exchange)
{
    const size_t mask = link->table_capacity - 1;
    size_t       slot = exchange->id & mask;
    while (link->table[slot] != NULL) {
        slot = (slot + 1) & mask;
    }
    link->table[slot] = exchange;
}

static deft__exchange *table_find(const deft__link *link, uint64_t id)
{
    if (id == 0 || link->table_capacity == 0) {
        return NULL;
    }
    const size_t mask = link->table_capacity - 1;
    size_t       slot = id & mask;
    while (link->table[slot] != NULL && link->table[slot]->id != id) {
        slot = (slot + 1) & mask;
    }
    return link->table[slot];
}

// Those behind the hole move up as far as their own place allows, so no search ends too early.
static void table_remove(deft__link *link, const deft__exchange *exchange)
{
    const size_t mask = link->table_capacity - 1;
    size_t       hole = exchange->id & mask;
    while (link->table[hole] != exchange) {
        hole = (hole + 1) & mask;
    }
    for (size_t i = (hole + 1) & mask; link->table[i] != NULL; i = (i + 1) & mask) {
        const size_t home = link->table[i]->id & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            link->table[hole] = link->table[i];
            hole              = i;
        }
    }
    link->table[hole] = NULL;
}

void deft__link_exchanges_init(deft__link *link)
{
    ring_init(&link->queued);
    ring_init(&link->sent);
    ring_init(&link->doomed);
    ring_init(&link->unused);
}

void deft__link_exchanges_clear(deft__link *link)
{
    while (link->blocks != NULL) {
        deft__link_block *block = link->blocks;
        link->blocks            = block->next;
        for (size_t i = 0; i < DEFT__LINK_BLOCK_COUNT; i++) {
            assert(block->exchanges[i].state == DEFT__EXCHANGE_FREE);
            deft_buffer_clear(&block->exchanges[i].kept);
        }
        deft__timers_release(link->timers, DEFT__LINK_BLOCK_COUNT);
        deft__free(link->allocator, block, sizeof *block);
    }
    ring_init(&link->unused);
    deft__free(link->allocator, link->table, link->table_capacity * sizeof *link->table);
    link->table          = NULL;
    link->table_capacity = 0;
}

// --- Ends

static void release(deft__exchange *exchange)
{
    // Most requests are small; the memory of one that was not is given back.
    const size_t keep_max = 4096;
    deft__link  *link     = exchange->link;
    exchange->state       = DEFT__EXCHANGE_FREE;
    exchange->id          = 0;
    if (exchange->kept.capacity > keep_max) {
        deft_buffer_clear(&exchange->kept);
    }
    ring_append(&link->unused, &exchange->node);
    link->used_at_ms = link->timers->now_ms;
}

// Takes it out of wherever it is; it is then nobody's.
static void detach(deft__exchange *exchange)
{
    deft__link *link = exchange->link;
    ring_remove(&exchange->node);
    deft__timer_stop(link->timers, &exchange->timer);
    if (exchange->state == DEFT__EXCHANGE_QUEUED) {
        link->queued_count--;
    } else if (exchange->state == DEFT__EXCHANGE_SENT) {
        link->sent_count--;
        table_remove(link, exchange);
    } else {
        assert(exchange->state == DEFT__EXCHANGE_DOOMED);
        link->doomed_count--;
    }
}

// From here on nothing but call_finish() concerns it.
static void begin_finish(deft__exchange *exchange)
{
    detach(exchange);
    exchange->state = DEFT__EXCHANGE_ENDING;
}

// The one place where finish is called.
static void call_finish(deft__exchange *exchange, const deft__outcome *outcome)
{
    deft__link *link = exchange->link;
    link->calling++;
    exchange->finish(exchange->context, exchange, outcome);
    link->calling--;
    release(exchange);
}

static void doom(deft__exchange *exchange, deft__ending ending, const char *sentence)
{
    deft__link *link = exchange->link;
    detach(exchange);
    exchange->state  = DEFT__EXCHANGE_DOOMED;
    exchange->ending = ending;
    (void)snprintf(exchange->reason, sizeof exchange->reason, "%s", sentence);
    ring_append(&link->doomed, &exchange->node);
    link->doomed_count++;
    deft__timer_set(link->timers, &link->soon, 0);
}

static void doom_ring(deft__link_node *head, deft__ending ending, const char *sentence)
{
    while (!ring_is_empty(head)) {
        doom(exchange_of(head->next), ending, sentence);
    }
}

void deft__link_give_up_sent(deft__link *link, const char *sentence)
{
    const uint32_t life    = link->life;
    const uint64_t last_id = link->last_id;
    while (deft__link_is_current(link, life) && !ring_is_empty(&link->sent)) {
        deft__exchange *exchange = exchange_of(link->sent.next);
        const uint64_t  id       = exchange->id;
        if (id > last_id) {
            break; // made meanwhile
        }
        doom(exchange, DEFT__ENDING_FAILED, sentence);
        deft__link_send_cancelled(link, id, deft_view_of("its answer was lost"));
    }
}

void deft__link_doom_all(deft__link *link, deft__ending ending, const char *sentence)
{
    doom_ring(&link->sent, ending, sentence);
    doom_ring(&link->queued, ending, sentence);
}

void deft__link_deliver(deft__link *link)
{
    while (link->requesting == 0 && !ring_is_empty(&link->doomed)) {
        deft__exchange     *exchange = exchange_of(link->doomed.next);
        const deft__outcome outcome  = {.ending = exchange->ending,
                                        .reason = deft_view_of(exchange->reason)};
        begin_finish(exchange);
        call_finish(exchange, &outcome);
    }
}

static void timeout_ring(void *context)
{
    deft__exchange *exchange = context;
    deft__link     *link     = exchange->link;
    deft_error      error;
    deft__quoted    name;
    deft__span      span;
    const uint64_t  now     = link->timers->now_ms;
    const bool      is_sent = exchange->state == DEFT__EXCHANGE_SENT;
    // A start has a limit of its own; and while a user is being asked, a server may wait too.
    if (!is_sent && link->state == DEFT__LINK_STARTING) {
        deft__timer_set(link->timers, &exchange->timer, exchange->timeout_ms);
        return;
    }
    if (is_sent && link->ask_count > 0 && now < exchange->deadline_ms) {
        const uint64_t left = exchange->deadline_ms - now;
        deft__timer_set(link->timers, &exchange->timer,
                        exchange->timeout_ms < left ? exchange->timeout_ms : left);
        return;
    }
    if (!is_sent) {
        (void)deft__fail(&error, DEFT_LIMIT, 0, "server '%s' was busy with other calls for %s",
                         deft__quote(&name, deft__link_name(link)),
                         deft__span_text(&span, exchange->timeout_ms));
    } else if (now >= exchange->deadline_ms) {
        (void)deft__fail(&error, DEFT_LIMIT, 0, "server '%s' did not finish within %s",
                         deft__quote(&name, deft__link_name(link)),
                         deft__span_text(&span, exchange->is_lasting
                                                    ? exchange->timeout_ms
                                                    : link->options.call_time_max_ms));
    } else {
        (void)deft__fail(&error, DEFT_LIMIT, 0, "server '%s' did not answer within %s",
                         deft__quote(&name, deft__link_name(link)),
                         deft__span_text(&span, exchange->timeout_ms));
    }
    const uint64_t id = exchange->id;
    doom(exchange, DEFT__ENDING_TIMEOUT, error.message);
    if (is_sent && link->phase == DEFT__LINK_UP) {
        deft__link_send_cancelled(link, id, deft_view_of("timeout"));
    }
    deft__link_pump(link);
    deft__link_deliver(link);
}

void deft__exchange_cancel(deft__exchange *exchange, deft_view reason)
{
    deft__link *link = exchange->link;
    if (exchange->state == DEFT__EXCHANGE_FREE || exchange->state == DEFT__EXCHANGE_ENDING) {
        return;
    }
    const deft__outcome outcome = {.ending = DEFT__ENDING_CANCELLED,
                                   .reason = deft_view_of("the request was cancelled")};
    const bool          is_sent = exchange->state == DEFT__EXCHANGE_SENT;
    begin_finish(exchange);
    if (is_sent && link->phase == DEFT__LINK_UP) {
        deft__link_send_cancelled(link, exchange->id, reason);
    }
    call_finish(exchange, &outcome);
    deft__link_pump(link);
    deft__link_deliver(link);
}

deft__link *deft__exchange_link(const deft__exchange *exchange)
{
    return exchange->link;
}

void *deft__exchange_context(const deft__exchange *exchange)
{
    return exchange->context;
}

// --- Requests

// Into the exchange's own memory, for later. False: no memory.
static bool keep_parts(deft__exchange *exchange, const deft__link_parts *parts)
{
    deft_buffer *kept = &exchange->kept;
    deft_buffer_reset(kept);
    deft_buffer_append_text(kept, parts->method);
    deft_buffer_append_byte(kept, '\0');
    const size_t members = kept->size;
    deft_buffer_append(kept, parts->members);
    deft_buffer_append(kept, parts->meta);
    deft_buffer_append(kept, parts->capabilities);
    deft_buffer_append(kept, parts->log_level);
    if (kept->status != DEFT_OK) {
        deft_buffer_reset(kept);
        return false;
    }
    deft_view rest           = deft_view_slice(deft_buffer_view(kept), members, SIZE_MAX);
    exchange->parts.method   = kept->data;
    const deft_view  given[] = {parts->members, parts->meta, parts->capabilities, parts->log_level};
    deft_view *const copies[] = {&exchange->parts.members, &exchange->parts.meta,
                                 &exchange->parts.capabilities, &exchange->parts.log_level};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        *copies[i] = deft_view_slice(rest, 0, given[i].size);
        rest       = deft_view_slice(rest, given[i].size, SIZE_MAX);
    }
    return true;
}

// Sends an exchange that is in no ring. False: no memory, and it still is in none.
static bool send_exchange(deft__link *link, deft__exchange *exchange, const deft__link_parts *parts)
{
    const uint64_t id = ++link->last_id;
    if (!deft__link_write_request(link, id, parts)) {
        deft_buffer_reset(&link->line);
        return false;
    }
    exchange->id    = id;
    exchange->state = DEFT__EXCHANGE_SENT;
    ring_append(&link->sent, &exchange->node);
    link->sent_count++;
    table_put(link, exchange);
    const uint64_t now = link->timers->now_ms;
    const uint64_t limit =
        exchange->is_lasting ? exchange->timeout_ms : link->options.call_time_max_ms;
    exchange->deadline_ms = limit < UINT64_MAX - now ? now + limit : UINT64_MAX;
    deft__timer_set(link->timers, &exchange->timer,
                    exchange->timeout_ms < limit ? exchange->timeout_ms : limit);
    (void)deft__link_send_line(link);
    return true;
}

void deft__link_pump(deft__link *link)
{
    while (link->phase == DEFT__LINK_UP && link->sent_count < link->options.calls_max &&
           !ring_is_empty(&link->queued)) {
        deft__exchange *exchange = exchange_of(link->queued.next);
        ring_remove(&exchange->node);
        link->queued_count--;
        if (!send_exchange(link, exchange, &exchange->parts)) {
            // Back into the queue, from where it is doomed like any other.
            ring_append(&link->queued, &exchange->node);
            link->queued_count++;
            doom(exchange, DEFT__ENDING_FAILED, "there is no memory to send the request");
        }
    }
}

// Whether a request may be made at all.
static deft_status check_state(const deft__link *link, deft_error *error)
{
    deft__quoted   quoted;
    const char    *name = deft__quote(&quoted, deft__link_name(link));
    const uint64_t now  = link->timers->now_ms;
    if (link->is_freeing) {
        return deft__fail(error, DEFT_CONFLICT, 0, "the gateway is closing");
    } else if (link->state == DEFT__LINK_DISABLED) {
        return deft__fail(error, DEFT_CONFLICT, 0, "server '%s' is disabled in the configuration",
                          name);
    } else if (link->state == DEFT__LINK_QUARANTINED) {
        return deft__fail(error, DEFT_CONFLICT, 0, "server '%s' is quarantined", name);
    } else if (deft__link_has_failed(link) && now < link->retry_at_ms) {
        // The time comes first: the reason may be long and be cut.
        return deft__fail(error, DEFT_CONFLICT, 0, "not tried again for %" PRIu64 " s: %s",
                          (link->retry_at_ms - now + 999) / 1000, link->reason);
    } else {
        return DEFT_OK;
    }
}

static deft__exchange *new_exchange(deft__link *link, const deft__exchange_options *options)
{
    if (!reserve_table(link) || (ring_is_empty(&link->unused) && !add_block(link))) {
        return NULL;
    }
    // The one that was used last is the one that is still in the processor's cache.
    deft__exchange *exchange = exchange_of(link->unused.previous);
    ring_remove(&exchange->node);
    exchange->finish     = options->finish;
    exchange->progress   = options->progress;
    exchange->context    = options->context;
    exchange->is_lasting = options->is_lasting;
    exchange->timeout_ms =
        options->timeout_ms > 0 ? options->timeout_ms : link->options.call_timeout_ms;
    exchange->parts = (deft__link_parts){.wants_progress = options->wants_progress};
    return exchange;
}

// Sends it now, or lets it wait and starts the server where it does not run.
static bool send_or_keep(deft__link *link, deft__exchange *exchange, const deft__link_parts *parts,
                         bool is_room)
{
    if (is_room) {
        return send_exchange(link, exchange, parts);
    }
    if (!keep_parts(exchange, parts)) {
        return false;
    }
    exchange->state = DEFT__EXCHANGE_QUEUED;
    ring_append(&link->queued, &exchange->node);
    link->queued_count++;
    deft__timer_set(link->timers, &exchange->timer, exchange->timeout_ms);
    if (link->phase == DEFT__LINK_DOWN) {
        deft__link_start(link);
    }
    return true;
}

deft__exchange *deft__link_request(deft__link *link, const deft__exchange_options *options,
                                   deft_error *error)
{
    if (check_state(link, error) != DEFT_OK) {
        return NULL;
    }
    const bool is_room = link->phase == DEFT__LINK_UP && ring_is_empty(&link->queued) &&
                         link->sent_count < link->options.calls_max;
    if (!is_room && link->queued_count >= link->options.queue_max) {
        deft__quoted name;
        (void)deft__fail(error, DEFT_LIMIT, 0,
                         "server '%s' is busy: running calls %zu, waiting %zu; try again later",
                         deft__quote(&name, deft__link_name(link)), link->sent_count,
                         link->queued_count);
        return NULL;
    }
    const deft__link_parts parts    = {.method         = options->method,
                                       .members        = options->members,
                                       .meta           = options->meta,
                                       .capabilities   = options->capabilities,
                                       .log_level      = options->log_level,
                                       .wants_progress = options->wants_progress};
    deft__exchange        *exchange = new_exchange(link, options);
    if (exchange == NULL) {
        (void)deft__fail_memory(error);
        return NULL;
    }
    link->is_used = true;
    link->requesting++;
    const bool is_accepted = send_or_keep(link, exchange, &parts, is_room);
    link->requesting--;
    if (!is_accepted) {
        release(exchange);
        (void)deft__fail_memory(error);
        return NULL;
    }
    return exchange;
}

// --- What comes back

bool deft__link_take_answer(deft__link *link, uint64_t id, const deft__mcp_message *message)
{
    deft__exchange *exchange = table_find(link, id);
    if (exchange == NULL) {
        return false;
    }
    const deft__outcome outcome = {.ending = message->kind == DEFT__MCP_RESULT ? DEFT__ENDING_RESULT
                                                                               : DEFT__ENDING_ERROR,
                                   .message = message};
    link->failures              = 0;
    begin_finish(exchange);
    call_finish(exchange, &outcome);
    deft__link_pump(link);
    deft__link_deliver(link);
    return true;
}

bool deft__link_take_failure(deft__link *link, uint64_t id, const char *clause)
{
    deft__exchange *exchange = table_find(link, id);
    if (exchange == NULL) {
        return false;
    }
    deft_error   error;
    deft__quoted name;
    (void)deft__fail(&error, DEFT_INVALID, 0, "server '%s' %s",
                     deft__quote(&name, deft__link_name(link)), clause);
    doom(exchange, DEFT__ENDING_FAILED, error.message);
    deft__link_pump(link);
    deft__link_deliver(link);
    return true;
}

void deft__link_take_progress(deft__link *link, const deft__mcp_message *message)
{
    const deft_view token    = deft__json_raw(deft__mcp_param(message, "progressToken"));
    deft__exchange *exchange = table_find(link, deft__link_parse_id(token));
    if (exchange == NULL || !exchange->parts.wants_progress) {
        link->ignored_count++;
        return;
    }
    const uint64_t now  = link->timers->now_ms;
    const uint64_t left = exchange->deadline_ms > now ? exchange->deadline_ms - now : 0;
    deft__timer_set(link->timers, &exchange->timer,
                    exchange->timeout_ms < left ? exchange->timeout_ms : left);
    if (exchange->progress != NULL) {
        link->calling++;
        exchange->progress(exchange->context, exchange, message);
        link->calling--;
    }
}

deft__exchange *deft__link_last_sent(const deft__link *link)
{
    return ring_is_empty(&link->sent) ? NULL : exchange_of(link->sent.previous);
}
