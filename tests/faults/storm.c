// storm DEFT FAULT - a thousand calls at once over fifty servers, of which one after the other is
// killed while they run. Each call gets exactly one answer; afterwards nothing waits anywhere, every
// server works again, and memory is where it was. Which calls and which kills is decided by a seed.
#define _GNU_SOURCE
#include "faults/serving.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS 50
#define CALLS   1000
#define WAVES   3 // the first one brings memory to its level
#define SEED    20261115u

// After so many answers a server is killed: about a hundred in a wave.
#define ANSWERS_PER_KILL 10
// One call in so many is never answered by its server: its death ends it, or the timeout.
#define CALLS_PER_HANG 8
// A rest takes milliseconds, an attempt some microseconds.
#define ATTEMPTS 100000

typedef struct storm {
    serving       server;
    uint64_t      random;
    unsigned char answers[WAVES][CALLS];
    size_t        open;
    size_t        killed;
    size_t        failed;
} storm;

static uint32_t next_random(storm *self, uint32_t below)
{
    self->random = self->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->random >> 33) % below;
}

// Servers of each kind, so that one storm shakes them all.
static void configure(storm *self, const char *fault)
{
    static const char *const words[] = {"", "\"modern\"", "\"noise\"", "\"garbage\"", "\"holder\""};
    static char              text[65536];
    size_t                   size = 0;
    size += (size_t)snprintf(text, sizeof text,
                             "{\"toolSearch\":{\"enabled\":\"on\"},\"gateway\":{\"restartMinMs\":1,"
                             "\"restartMaxMs\":5,\"callTimeoutMs\":5000},\"mcpServers\":{");
    for (size_t i = 0; i < SERVERS; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "%s\"s%zu\":{\"command\":\"%s\",\"args\":[%s]}", i > 0 ? "," : "",
                                 i, fault, words[i % (sizeof words / sizeof words[0])]);
    }
    (void)snprintf(text + size, sizeof text - size, "}}");
    serving_configure(&self->server, text);
}

// Ids tell wave and call: 10000 * (wave + 1) + call.
static void send_call(storm *self, size_t wave, size_t call, const char *tool)
{
    serving_send(&self->server,
                 "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":"
                 "{\"name\":\"s%u__%s\",\"arguments\":{\"text\":\"%zu\"}}}",
                 10000 * (wave + 1) + call, next_random(self, SERVERS), tool, call);
    self->open++;
}

// The arguments that an answer gives back must be those of its call.
static bool is_own_answer(deft__json_value result, size_t call)
{
    char                   own[32];
    const deft__json_value content = deft__json_member(result, "content");
    deft__json_iterator    i       = deft__json_iterate(content);
    (void)snprintf(own, sizeof own, "{\"text\":\"%zu\"}", call);
    return deft__json_next(&i) &&
           deft__json_string_equals(deft__json_member(i.value, "text"), deft_view_of(own));
}

static void take_message(storm *self, deft__json_value message)
{
    uint64_t id;
    if (deft__json_is(deft__json_member(message, "method"), DEFT__JSON_STRING) ||
        deft__json_uint64(deft__json_member(message, "id"), &id) != DEFT_OK || id < 10000) {
        return;
    }
    const size_t           wave     = (size_t)id / 10000 - 1;
    const size_t           call     = (size_t)id % 10000;
    const deft__json_value result   = deft__json_member(message, "result");
    const bool             is_error = !deft__json_is(result, DEFT__JSON_OBJECT) ||
                          deft__json_is(deft__json_member(result, "isError"), DEFT__JSON_TRUE);
    if (wave >= WAVES || call >= CALLS) {
        serving_fail(&self->server, "a call was answered that nobody made");
    } else if (++self->answers[wave][call] > 1) {
        serving_fail(&self->server, "a call was answered twice");
    } else if (!is_error && !is_own_answer(result, call)) {
        serving_fail(&self->server, "a call got the answer of another");
    }
    self->failed += is_error;
    self->open--;
}

// A server that died again and again is given a rest of milliseconds; after that it works.
static void expect_all_work(storm *self)
{
    deft__json_value message;
    for (size_t server = 0; server < SERVERS; server++) {
        bool is_working = false;
        for (size_t attempt = 0; attempt < ATTEMPTS && !is_working; attempt++) {
            serving_send(&self->server,
                         "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":"
                         "{\"name\":\"s%zu__echo\",\"arguments\":{\"text\":\"0\"}}}",
                         server);
            serving_expect_answer(&self->server, 5, &message);
            is_working = is_own_answer(deft__json_member(message, "result"), 0);
        }
        if (!is_working) {
            (void)printf("  %.*s\n", (int)self->server.line.size, self->server.line.data);
            serving_fail(&self->server, "a server does not work after the storm");
        }
    }
}

// Any child of deft may be hit: a server at work, one that starts, or the keeper of a pipe.
static void kill_one(storm *self)
{
    pid_t        children[4 * SERVERS];
    const size_t count = serving_children(self->server.process, children, 4 * SERVERS);
    if (count > 0) {
        (void)kill(children[next_random(self, (uint32_t)count)], SIGKILL);
        self->killed++;
    }
}

static void wait_for_answers(storm *self)
{
    deft__json_value message;
    size_t           before = self->open;
    while (self->open > 0) {
        if (!serving_next(&self->server, &message)) {
            serving_fail(&self->server, "it ended in the storm");
        }
        take_message(self, message);
        if (before - self->open >= ANSWERS_PER_KILL) {
            before = self->open;
            kill_one(self);
        }
    }
}

static void play_waves(storm *self)
{
    size_t first_kb = 0;
    for (size_t wave = 0; wave < WAVES; wave++) {
        for (size_t call = 0; call < CALLS; call++) {
            const bool is_hanging = next_random(self, CALLS_PER_HANG) == 0;
            send_call(self, wave, call, is_hanging ? "hang" : "echo");
        }
        wait_for_answers(self);
        const size_t kb = serving_resident_kb(&self->server);
        (void)printf("  wave %zu: %zu calls failed, %zu processes were killed, %zu kB\n", wave + 1,
                     self->failed, self->killed, kb);
        first_kb     = wave == 0 ? kb : first_kb;
        self->failed = self->killed = 0;
        if (kb > first_kb * 3 / 2 + 8192) {
            serving_fail(&self->server, "memory grows from storm to storm");
        }
    }
}

int main(int argc, char **argv)
{
    static storm self = {.random = SEED};
    if (argc != 3) {
        (void)fprintf(stderr, "usage: storm DEFT FAULT\n");
        return 2;
    }
    serving_adopt();
    // What a sanitizer keeps back of freed memory is not ours.
    (void)setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 0);
    serving_init(&self.server);
    configure(&self, argv[2]);
    serving_discover(&self.server, argv[1]);
    serving_start_deft(&self.server, argv[1]);
    serving_shake_hands(&self.server);
    play_waves(&self);
    serving_expect_idle(&self.server, argv[1]);
    expect_all_work(&self);
    serving_expect_no_zombies(&self.server);
    serving_finish(&self.server);
    if (serving_end_orphans() > 0) {
        (void)printf("FAIL processes were left behind\n");
        return 1;
    }
    return 0;
}
