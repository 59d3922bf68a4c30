// Any bytes as the life of a server: each line is an event, told by its first byte; most are lines
// that the server says. Every request that is accepted ends exactly once, counts fit, and all memory
// is given back (the address sanitizer looks at that).
//
//     >line  the server says it      o  opened        dtext  died       x  a line too long
//     r      a request               c  cancel one    tN     N * 50 ms pass
//     a      answer what it asks     f  refuse it     s      stop       l  discover
#include "fuzz/fuzz.h"

#include "gateway/link.h"

#define REQUESTS_MAX 64

typedef struct world {
    deft__timers    timers;
    deft__link     *link;
    uint32_t        life;
    uint64_t        ask;                     // the last one
    deft__exchange *exchanges[REQUESTS_MAX]; // NULL: has ended
    size_t          accepted;
    size_t          finished;
} world;

static void on_start(void *context, deft__link *link, uint32_t life)
{
    (void)link;
    world *self = context;
    check(life > self->life);
    self->life = life;
}

static void on_send(void *context, deft__link *link, uint32_t life, deft_view line)
{
    (void)link;
    const world *self = context;
    check(life == self->life);
    check(line.size > 0 && memchr(line.data, '\n', line.size) == NULL);
}

static void on_stop(void *context, deft__link *link, uint32_t life)
{
    (void)link;
    const world *self = context;
    check(life == self->life);
}

static void on_changed(void *context, deft__link *link)
{
    (void)context;
    check(deft__link_state_name(deft__link_state_of(link)) != NULL);
}

static void on_learned(void *context, deft__link *link, deft__manifest *manifest)
{
    (void)context;
    check(deft__link_manifest(link) == manifest);
    // What was written can be read, and says the same.
    deft__manifest *again = deft__manifest_new(manifest->text, NULL, NULL);
    check(again != NULL && deft__manifest_equal(again, manifest));
    deft__manifest_release(again);
}

static void on_notified(void *context, deft__link *link, const deft__mcp_message *message)
{
    (void)context;
    (void)link;
    check(message->kind == DEFT__MCP_NOTIFICATION);
}

static void on_asked(void *context, deft__link *link, uint64_t ask, deft__exchange *exchange,
                     const deft__mcp_message *message)
{
    (void)message;
    world *self = context;
    check(exchange == NULL || deft__exchange_link(exchange) == link);
    self->ask = ask;
}

static void on_unasked(void *context, deft__link *link, uint64_t ask)
{
    (void)context;
    (void)link;
    check(ask > 0);
}

static void on_finish(void *context, deft__exchange *exchange, const deft__outcome *outcome)
{
    world *self = context;
    (void)outcome;
    self->finished++;
    size_t i = 0;
    while (i < REQUESTS_MAX && self->exchanges[i] != exchange) {
        i++;
    }
    check(i < REQUESTS_MAX); // else it was not accepted, or has ended
    self->exchanges[i] = NULL;
}

static void on_progress(void *context, deft__exchange *exchange, const deft__mcp_message *message)
{
    (void)context;
    check(deft__exchange_link(exchange) != NULL && message->kind == DEFT__MCP_NOTIFICATION);
}

static void make_request(world *self)
{
    const deft__exchange_options options = {.method         = "tools/call",
                                            .wants_progress = true,
                                            .finish         = on_finish,
                                            .progress       = on_progress,
                                            .context        = self};
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        if (self->exchanges[i] == NULL) {
            self->exchanges[i] = deft__link_request(self->link, &options, NULL);
            self->accepted += self->exchanges[i] != NULL ? 1 : 0;
            return;
        }
    }
}

static void cancel_one(world *self)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        if (self->exchanges[i] != NULL) {
            deft__exchange_cancel(self->exchanges[i], deft_view_of("no"));
            return;
        }
    }
}

static void happen(world *self, deft_view event)
{
    const deft_view rest = deft_view_slice(event, 1, SIZE_MAX);
    switch (event.data[0]) {
    case '>':
        deft__link_received(self->link, self->life, rest);
        break;
    case 'o':
        deft__link_opened(self->link, self->life);
        break;
    case 'd':
        deft__link_closed(self->link, self->life, rest);
        break;
    case 'x':
        deft__link_overflowed(self->link, self->life);
        break;
    case 'r':
        make_request(self);
        break;
    case 'c':
        cancel_one(self);
        break;
    case 't':
        deft__timers_advance(&self->timers,
                             self->timers.now_ms +
                                 50u * (rest.size > 0 ? (unsigned char)rest.data[0] : 1u));
        break;
    case 'a':
        deft__link_answer(self->link, self->ask, deft_view_of("{}"));
        break;
    case 'f':
        deft__link_refuse(self->link, self->ask, -32601, deft_view_of("no"));
        break;
    case 's':
        deft__link_stop(self->link, rest);
        break;
    case 'l':
        deft__link_discover(self->link);
        break;
    default:
        deft__link_received(self->link, self->life, event);
        break;
    }
    deft__timers_advance(&self->timers, self->timers.now_ms);
    check(self->accepted - self->finished == deft__link_open_count(self->link));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world                     self     = {.life = 0};
    const deft__link_options  options  = {.calls_max      = 2,
                                          .queue_max      = 8,
                                          .idle_stop_ms   = 20000,
                                          .list_pages_max = 4,
                                          .list_size_max  = 1000};
    const deft__link_driver   driver   = {&self, on_start, on_send, on_stop};
    const deft__link_listener listener = {.context  = &self,
                                          .changed  = on_changed,
                                          .learned  = on_learned,
                                          .notified = on_notified,
                                          .asked    = on_asked,
                                          .unasked  = on_unasked};
    deft__timers_init(&self.timers, 0, NULL);
    self.link = deft__link_new(deft_view_of("fuzz"), &options, &driver, &listener, &self.timers,
                               NULL, false, deft_view_of("{}"), 0, NULL, NULL);
    check(self.link != NULL);
    deft_view rest = deft_view_make((const char *)data, size);
    while (rest.size > 0) {
        const char  *end  = memchr(rest.data, '\n', rest.size);
        const size_t line = end != NULL ? (size_t)(end - rest.data) : rest.size;
        if (line > 0) {
            happen(&self, deft_view_slice(rest, 0, line));
        }
        rest = deft_view_slice(rest, line + 1, SIZE_MAX);
    }
    deft__link_free(self.link);
    check(self.accepted == self.finished);
    check(self.timers.count == 0 && self.timers.reserved == 0);
    deft__timers_clear(&self.timers);
    return 0;
}
