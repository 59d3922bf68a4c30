// A link under random events: whatever a server, its driver, its owner and the clock do, and from
// inside whichever callback, every request that is accepted ends exactly once, no limit is
// exceeded and nothing is left behind.
#include "gateway/link.h"

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#include <inttypes.h>

#define REQUESTS_MAX 4096
#define CALLS_MAX    3
#define QUEUE_MAX    5
#define IDS_KEPT     64

static const char modern_hello[] = "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":"
                                   "{\"tools\":{\"listChanged\":true}}}";

typedef struct world world;

typedef struct request {
    world          *world;
    deft__exchange *exchange;
    bool            is_accepted;
    unsigned        finished;
} request;

struct world {
    test_random         random;
    deft__timers        timers;
    deft__link         *link;
    deft__link_driver   driver;
    deft__link_listener listener;
    request            *requests;
    size_t              request_count;
    uint32_t            life;
    uint32_t            started;       // lives
    uint64_t            ids[IDS_KEPT]; // some that the link sent, to answer
    char                methods[IDS_KEPT][32];
    size_t              id_count;
    uint64_t            asks[IDS_KEPT];
    size_t              ask_count;
    unsigned            depth;
    bool                is_over;
};

static void act(world *self);

// Sometimes a callback calls back.
static void maybe_act(world *self)
{
    if (self->depth < 4 && !self->is_over && test_random_once_in(&self->random, 6)) {
        self->depth++;
        act(self);
        self->depth--;
    }
}

static void on_start(void *context, deft__link *link, uint32_t life)
{
    (void)link;
    world *self = context;
    assert_true(life > self->life);
    self->life = life;
    self->started++;
    self->id_count = 0;
    maybe_act(self);
}

static void on_send(void *context, deft__link *link, uint32_t life, deft_view line)
{
    (void)link;
    world *self = context;
    assert_int_equal(life, self->life);
    const deft_view prefix = deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":");
    if (deft_view_starts_with(line, prefix)) {
        const size_t place = self->id_count++ % IDS_KEPT;
        const char  *at    = line.data + prefix.size;
        uint64_t     id    = 0;
        for (; *at >= '0' && *at <= '9'; at++) {
            id = 10 * id + (uint64_t)(*at - '0');
        }
        self->ids[place] = id;
        (void)snprintf(self->methods[place], sizeof self->methods[place], "%.20s", at + 11);
    }
    maybe_act(self);
}

static void on_stop(void *context, deft__link *link, uint32_t life)
{
    (void)link;
    world *self = context;
    assert_int_equal(life, self->life);
    maybe_act(self);
}

static void on_changed(void *context, deft__link *link)
{
    (void)link;
    maybe_act(context);
}

static void on_learned(void *context, deft__link *link, deft__manifest *manifest)
{
    assert_ptr_equal(deft__link_manifest(link), manifest);
    maybe_act(context);
}

static void on_notified(void *context, deft__link *link, const deft__mcp_message *message)
{
    (void)link;
    assert_true(message->method.size > 0);
    maybe_act(context);
}

static void on_asked(void *context, deft__link *link, uint64_t ask, deft__exchange *exchange,
                     const deft__mcp_message *message)
{
    (void)message;
    world *self = context;
    if (exchange != NULL) {
        const request *its = deft__exchange_context(exchange);
        assert_ptr_equal(deft__exchange_link(exchange), link);
        assert_int_equal(its->finished, 0);
    }
    self->asks[self->ask_count++ % IDS_KEPT] = ask;
    maybe_act(self);
}

static void on_unasked(void *context, deft__link *link, uint64_t ask)
{
    (void)link;
    assert_true(ask > 0);
    maybe_act(context);
}

static void on_finish(void *context, deft__exchange *exchange, const deft__outcome *outcome)
{
    request *its = context;
    assert_true(its->is_accepted);
    assert_ptr_equal(its->exchange, exchange);
    its->finished++;
    assert_int_equal(its->finished, 1);
    const bool is_answer =
        outcome->ending == DEFT__ENDING_RESULT || outcome->ending == DEFT__ENDING_ERROR;
    assert_int_equal(is_answer, outcome->message != NULL);
    assert_int_equal(is_answer, outcome->reason.size == 0);
    maybe_act(its->world);
    its->exchange = NULL;
}

static void on_progress(void *context, deft__exchange *exchange, const deft__mcp_message *message)
{
    (void)message;
    request *its = context;
    assert_ptr_equal(its->exchange, exchange);
    assert_int_equal(its->finished, 0);
    maybe_act(its->world);
}

// --- Events

static void make_request(world *self)
{
    if (self->request_count == REQUESTS_MAX) {
        return;
    }
    request                     *its     = &self->requests[self->request_count++];
    const deft__exchange_options options = {
        .method  = "tools/call",
        .members = deft_view_of(test_random_once_in(&self->random, 2) ? "\"name\":\"a\"" : ""),
        .meta    = deft_view_of(test_random_once_in(&self->random, 3) ? "\"a/b\":1" : ""),
        .wants_progress = test_random_once_in(&self->random, 2),
        .timeout_ms     = test_random_once_in(&self->random, 2) ? 0 : 700,
        .finish         = on_finish,
        .progress       = test_random_once_in(&self->random, 4) ? NULL : on_progress,
        .context        = its};
    deft_error error = DEFT_ERROR_INIT;
    *its             = (request){.world = self};
    its->exchange    = deft__link_request(self->link, &options, &error);
    its->is_accepted = its->exchange != NULL;
    if (its->exchange == NULL) {
        assert_true(error.status == DEFT_LIMIT || error.status == DEFT_CONFLICT ||
                    error.status == DEFT_OUT_OF_MEMORY);
        assert_true(error.message[0] != '\0');
    }
}

static void cancel_one(world *self)
{
    if (self->request_count > 0) {
        request *its = &self->requests[test_random_below(&self->random, self->request_count)];
        if (its->exchange != NULL && its->finished == 0) {
            deft__exchange_cancel(its->exchange, deft_view_of("why not"));
            // From inside a callback it may be one that is just being cancelled.
            assert_true(its->finished == 1 || self->depth > 0);
        }
    }
}

// Something that the server might say, right or wrong.
static void write_line(world *self, char *out, size_t size)
{
    static const char *const results[] = {
        "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"prompts\":{}}}",
        modern_hello,
        "{\"tools\":[{\"name\":\"a\"}]}",
        "{\"tools\":[{\"name\":\"b\"}],\"nextCursor\":\"x\"}",
        "{\"prompts\":[],\"nextCursor\":\"\"}",
        "{\"content\":[]}",
        "{}",
        "7",
    };
    static const char *const notices[] = {
        "notifications/tools/list_changed",         "notifications/prompts/list_changed",
        "notifications/resources/list_changed",     "notifications/message",
        "notifications/subscriptions/acknowledged", "notifications/unheard"};
    test_random   *random = &self->random;
    const size_t   known  = self->id_count < IDS_KEPT ? self->id_count : IDS_KEPT;
    const size_t   place  = known > 0 ? test_random_below(random, known) : 0;
    const uint64_t id     = known > 0 ? self->ids[place] : test_random_below(random, 9);
    const char    *method = known > 0 ? self->methods[place] : "";
    switch (test_random_below(random, 10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
        // Most often the answer that fits.
        size_t which = test_random_below(random, array_size(results));
        if (!test_random_once_in(random, 4)) {
            which = strstr(method, "init") != NULL       ? 0
                    : strstr(method, "discov") != NULL   ? 1
                    : strstr(method, "tools/li") != NULL ? 2
                    : strstr(method, "prompts") != NULL  ? 4
                                                         : 5;
        }
        (void)snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"result\":%s}", id,
                       results[which]);
        break;
    }
    case 4:
        (void)snprintf(out, size,
                       "{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64
                       ",\"error\":{\"code\":%d,\"message\":\"no\"}}",
                       id, test_random_once_in(random, 2) ? -32601 : -32602);
        break;
    case 5:
        (void)snprintf(out, size,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                       "\"progressToken\":%" PRIu64 "}}",
                       id);
        break;
    case 6:
        (void)snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}",
                       notices[test_random_below(random, array_size(notices))]);
        break;
    case 7:
        (void)snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"%s\"}",
                       test_random_below(random, 5),
                       test_random_once_in(random, 3) ? "ping" : "roots/list");
        break;
    case 8:
        (void)snprintf(out, size,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                       "\"requestId\":%" PRIu64 "}}",
                       test_random_once_in(random, 2) ? id : test_random_below(random, 5));
        break;
    default:
        (void)snprintf(out, size, "%s", test_random_once_in(random, 2) ? "Listening" : "{\"a\":1}");
        break;
    }
}

static uint32_t some_life(world *self)
{
    return test_random_once_in(&self->random, 8) && self->life > 0 ? self->life - 1 : self->life;
}

// What may come from anywhere, also from inside a callback.
static void act(world *self)
{
    deft__link    *link   = self->link;
    test_random   *random = &self->random;
    const uint64_t ask    = self->asks[test_random_below(random, IDS_KEPT)];
    switch (test_random_below(random, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        make_request(self);
        break;
    case 4:
    case 5:
        cancel_one(self);
        break;
    case 6:
        deft__link_answer(link, ask, deft_view_of("{}"));
        break;
    case 7:
        deft__link_refuse(link, ask, -32601, deft_view_of("no"));
        break;
    case 8:
        deft__link_notify(link, "notifications/x", deft_view_of(""));
        break;
    case 9:
        deft__link_discover(link);
        break;
    case 10:
        if (test_random_once_in(random, 4)) {
            deft__link_stop(link, deft_view_of(test_random_once_in(random, 2) ? "enough" : ""));
        }
        break;
    case 11:
        if (test_random_once_in(random, 6)) {
            deft__link_set_quarantined(link, test_random_once_in(random, 2));
        } else {
            deft__link_set_quarantined(link, false);
        }
        break;
    case 12:
    case 13:
        deft__link_opened(link, some_life(self));
        break;
    case 14:
        if (test_random_once_in(random, 3)) {
            deft__link_closed(link, some_life(self),
                              deft_view_of(test_random_once_in(random, 2) ? "died: of age\n" : ""));
        }
        break;
    default:
        (void)deft__link_reason(link);
        break;
    }
}

static void check_counts(const world *self)
{
    size_t open = 0;
    for (size_t i = 0; i < self->request_count; i++) {
        open += self->requests[i].is_accepted && self->requests[i].finished == 0 ? 1 : 0;
    }
    assert_int_equal(deft__link_open_count(self->link), open);
    assert_true(open <= CALLS_MAX + QUEUE_MAX);
    const deft__link_state state = deft__link_state_of(self->link);
    if (state != DEFT__LINK_STARTING && state != DEFT__LINK_READY) {
        assert_int_equal(open, 0);
    }
    assert_int_equal(state == DEFT__LINK_FAILED || state == DEFT__LINK_UNAUTHORIZED,
                     deft__link_reason(self->link).size > 0);
}

static void step(world *self)
{
    test_random *random = &self->random;
    char         line[512];
    switch (test_random_below(random, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
        write_line(self, line, sizeof line);
        deft__link_received(self->link, some_life(self), deft_view_of(line));
        break;
    case 6:
        deft__timers_advance(
            &self->timers,
            self->timers.now_ms +
                test_random_below(random, test_random_once_in(random, 10) ? 9000 : 200));
        break;
    case 7:
        if (test_random_once_in(random, 10)) {
            deft__link_overflowed(self->link, some_life(self));
        }
        break;
    default:
        act(self);
        break;
    }
    // As a loop would before it sleeps.
    while (deft__timers_next(&self->timers) <= self->timers.now_ms) {
        deft__timers_advance(&self->timers, self->timers.now_ms);
    }
    check_counts(self);
}

static void live(uint64_t seed, size_t steps, const deft_allocator *allocator)
{
    static request           requests[REQUESTS_MAX];
    const deft__link_options options = {.calls_max        = CALLS_MAX,
                                        .queue_max        = QUEUE_MAX,
                                        .probe_timeout_ms = 100,
                                        .start_timeout_ms = 2000,
                                        .call_timeout_ms  = 500,
                                        .call_time_max_ms = 3000,
                                        .idle_stop_ms     = 5000,
                                        .backoff_min_ms   = 10,
                                        .backoff_max_ms   = 40,
                                        .list_pages_max   = 3};
    world                    self    = {.random   = {seed},
                                        .requests = requests,
                                        .driver = {.start = on_start, .send = on_send, .stop = on_stop},
                                        .listener = {.changed  = on_changed,
                                                     .learned  = on_learned,
                                                     .notified = on_notified,
                                                     .asked    = on_asked,
                                                     .unasked  = on_unasked}};
    self.driver.context              = &self;
    self.listener.context            = &self;
    deft__timers_init(&self.timers, 1, allocator);
    self.link = deft__link_new(deft_view_of("random"), &options, &self.driver, &self.listener,
                               &self.timers, NULL, false, deft_view_of("{}"), 0, allocator, NULL);
    for (size_t i = 0; self.link != NULL && i < steps; i++) {
        step(&self);
    }
    self.is_over = true;
    deft__link_free(self.link);
    for (size_t i = 0; i < self.request_count; i++) {
        assert_int_equal(requests[i].finished, requests[i].is_accepted ? 1 : 0);
    }
    assert_int_equal(self.timers.count, 0);
    deft__timers_clear(&self.timers);
}

static void every_request_ends_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        live(seed, 1000, NULL);
    }
}

static void also_without_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        test_allocator failing;
        test_allocator_init(&failing);
        failing.fail_at = 1 + seed * seed % 997;
        live(seed, 200, &failing.allocator);
        assert_int_equal(failing.blocks, 0);
    }
}

// --- Many at once

static void count_finish(void *context, deft__exchange *exchange, const deft__outcome *outcome)
{
    (void)exchange;
    (void)outcome;
    size_t *count = context;
    (*count)++;
}

static void many_questions_are_refused(void **state)
{
    (void)state;
    world                    self    = {.random = {1}, .depth = 99}; // nobody calls back
    const deft__link_options options = {.era = DEFT__MCP_ERA_LEGACY};
    self.driver                      = (deft__link_driver){&self, on_start, on_send, on_stop};
    self.listener                    = (deft__link_listener){.context  = &self,
                                                             .changed  = on_changed,
                                                             .learned  = on_learned,
                                                             .notified = on_notified,
                                                             .asked    = on_asked,
                                                             .unasked  = on_unasked};
    deft__timers_init(&self.timers, 1, NULL);
    self.link = deft__link_new(deft_view_of("curious"), &options, &self.driver, &self.listener,
                               &self.timers, NULL, false, deft_view_of("{}"), 0, NULL, NULL);
    deft__link_discover(self.link);
    deft__link_opened(self.link, 1);
    for (int i = 0; i < 1000; i++) {
        char line[100];
        (void)snprintf(line, sizeof line,
                       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"roots/list\"}", i);
        deft__link_received(self.link, 1, deft_view_of(line));
    }
    assert_int_equal(self.ask_count, 64);
    // An id as long as a novel is not kept.
    char long_id[500];
    memset(long_id, '7', sizeof long_id);
    char line[700];
    deft__link_answer(self.link, self.asks[0], deft_view_of("{}"));
    (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"method\":\"roots/list\"}",
                   (int)sizeof long_id, long_id);
    deft__link_received(self.link, 1, deft_view_of(line));
    assert_int_equal(self.ask_count, 64);
    deft__link_free(self.link);
    deft__timers_clear(&self.timers);
}

// A thousand at the server at once, answered from the last to the first: the table of ids grows and
// shrinks. Memory is then what it was.
static void many_requests_find_their_answers(void **state)
{
    (void)state;
    world                        self = {.random = {1}, .depth = 99};
    test_allocator               counted;
    size_t                       finished = 0;
    const deft__link_options     options  = {.era = DEFT__MCP_ERA_LEGACY, .calls_max = 2000};
    const deft__exchange_options call     = {
            .method = "tools/call", .finish = count_finish, .context = &finished};
    test_allocator_init(&counted);
    self.driver   = (deft__link_driver){&self, on_start, on_send, on_stop};
    self.listener = (deft__link_listener){.context  = &self,
                                          .changed  = on_changed,
                                          .learned  = on_learned,
                                          .notified = on_notified,
                                          .asked    = on_asked,
                                          .unasked  = on_unasked};
    deft__timers_init(&self.timers, 1, &counted.allocator);
    self.link =
        deft__link_new(deft_view_of("busy"), &options, &self.driver, &self.listener, &self.timers,
                       NULL, false, deft_view_of("{}"), 0, &counted.allocator, NULL);
    deft__link_discover(self.link);
    deft__link_opened(self.link, 1);
    deft__link_received(self.link, 1,
                        deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
                                     "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}"));
    size_t requests_before = 0;
    for (size_t round = 0; round < 3; round++) {
        requests_before      = counted.requests;
        const uint64_t first = 3 + 1000 * round;
        for (size_t i = 0; i < 1000; i++) {
            assert_non_null(deft__link_request(self.link, &call, NULL));
        }
        assert_int_equal(deft__link_open_count(self.link), 1000);
        for (size_t i = 1000; i-- > 0;) {
            char line[100];
            (void)snprintf(line, sizeof line,
                           "{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"result\":{}}",
                           first + (i * 7919) % 1000);
            deft__link_received(self.link, 1, deft_view_of(line));
        }
        assert_int_equal(finished, 1000 * (round + 1));
        assert_int_equal(deft__link_open_count(self.link), 0);
    }
    // Once it has what it needs, a call allocates nothing.
    assert_int_equal(counted.requests, requests_before);
    assert_int_equal(deft__link_ignored_count(self.link), 0);
    deft__link_free(self.link);
    deft__timers_clear(&self.timers);
    assert_int_equal(counted.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_ends_once),
        cmocka_unit_test(also_without_memory),
        cmocka_unit_test(many_questions_are_refused),
        cmocka_unit_test(many_requests_find_their_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
