// What a call through the gateway costs: an agent (this process) calls a tool of a small server
// directly, and then the same through a gateway with one and with several such servers. Each process
// is a process of its own, so the numbers hold the kernel's part too.
#include "bench/bench.h"
#include "serve/serve.h"
#include "json/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS  200000
#define SERIAL 20000

typedef struct partner {
    pid_t       id;
    int         to;
    int         from;
    deft__lines lines;
} partner;

static void start(partner *one, int (*run)(void *context), void *context)
{
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) {
        abort();
    }
    one->id = fork();
    if (one->id == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int i = 3; i < 64; i++) {
            close(i);
        }
        _exit(run(context));
    }
    close(in[0]);
    close(out[1]);
    one->to   = in[1];
    one->from = out[0];
    deft__lines_init(&one->lines, 0, NULL);
}

static void end(partner *one, struct rusage *usage)
{
    int status = 0;
    close(one->to);
    wait4(one->id, &status, 0, usage);
    close(one->from);
    deft__lines_clear(&one->lines);
    if (status != 0) {
        printf("a process ended with %d\n", status);
    }
}

static void say(const partner *one, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t sent = write(one->to, text, size);
        if (sent <= 0) {
            abort();
        }
        text += sent;
        size -= (size_t)sent;
    }
}

// Reads until `count` answers have come.
static size_t hear(partner *one, size_t count)
{
    static char bytes[65536];
    size_t      heard = 0;
    while (heard < count) {
        deft_view     line;
        const ssize_t size = read(one->from, bytes, sizeof bytes);
        if (size <= 0) {
            abort();
        }
        deft__lines_feed(&one->lines, deft_view_make(bytes, (size_t)size));
        while (deft__lines_next(&one->lines, &line) == DEFT_OK) {
            heard += memmem(line.data, line.size, "\"id\":", 5) != NULL &&
                             memmem(line.data, line.size, "\"method\":", 9) == NULL
                         ? 1
                         : 0;
        }
    }
    return heard;
}

static const char hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

static size_t write_call(char *text, size_t room, size_t id, const char *const *tools, size_t count)
{
    return (size_t)snprintf(text, room,
                            "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":{"
                            "\"name\":\"%s\",\"arguments\":{\"text\":\"hello, this is a call with "
                            "some words in it\"}}}\n",
                            id, tools[id % count]);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(const char *name, partner *one, const char *const *tools, size_t count,
                    size_t window)
{
    static double times[SERIAL];
    static char   text[64 * 512];
    say(one, hello, sizeof hello - 1);
    hear(one, 1);
    for (size_t i = 0; i < count; i++) { // everyone is awake
        say(one, text, write_call(text, sizeof text, i, tools, count));
        hear(one, 1);
    }
    for (size_t i = 0; i < SERIAL; i++) {
        const double before = bench_wall_seconds();
        say(one, text, write_call(text, sizeof text, i, tools, count));
        hear(one, 1);
        times[i] = bench_wall_seconds() - before;
    }
    qsort(times, SERIAL, sizeof times[0], compare);

    const double before = bench_wall_seconds();
    size_t       sent   = 0;
    size_t       heard  = 0;
    while (heard < CALLS) {
        size_t size = 0;
        while (sent < CALLS && sent - heard < window && size + 512 < sizeof text) {
            size += write_call(text + size, sizeof text - size, sent++, tools, count);
        }
        say(one, text, size);
        heard += hear(one, 1);
    }
    const double wall = bench_wall_seconds() - before;
    printf("%-24s one by one p50 %5.1f us, p99 %6.1f us; %zu at once %7.0f calls/s\n", name,
           times[SERIAL / 2] * 1e6, times[SERIAL * 99 / 100] * 1e6, window, CALLS / wall);
}

static int run_server(void *context)
{
    (void)context;
    execl(DEFT_BENCH_SERVER, "server", "direct", (char *)NULL);
    return 1;
}

static int run_gateway(void *context)
{
    deft_error                error   = DEFT_ERROR_INIT;
    const deft__serve_options options = {
        .config = context, .environment = (const char *const *)environ, .input = 0, .output = 1};
    if (deft__serve_run(&options, &error) != DEFT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    return 0;
}

static deft_config *configure(size_t servers)
{
    deft_buffer  text;
    deft_config *config = deft_config_new(NULL, NULL);
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"toolSearch\":{\"enabled\":\"on\"},\"mcpServers\":{");
    for (size_t i = 0; i < servers; i++) {
        char one[300];
        snprintf(one, sizeof one, "%s\"s%zu\":{\"command\":\"%s\",\"args\":[\"s%zu\"]}",
                 i > 0 ? "," : "", i, DEFT_BENCH_SERVER, i);
        deft_buffer_append_text(&text, one);
    }
    deft_buffer_append_text(&text, "}}");
    if (deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("bench"),
                             deft_buffer_view(&text), NULL) != DEFT_OK ||
        deft_config_resolve(config, NULL) != DEFT_OK) {
        abort();
    }
    deft_buffer_clear(&text);
    return config;
}

static void measure_gateway(size_t servers, size_t window)
{
    partner       one;
    struct rusage usage;
    char          name[40];
    static char   names[16][16];
    const char   *tools[16];
    deft_config  *config = configure(servers);
    for (size_t i = 0; i < servers; i++) {
        snprintf(names[i], sizeof names[i], "s%zu::echo", i);
        tools[i] = names[i];
    }
    snprintf(name, sizeof name, "gateway, %zu server%s", servers, servers > 1 ? "s" : "");
    start(&one, run_gateway, config);
    measure(name, &one, tools, servers, window);
    end(&one, &usage);
    const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("%-24s %.2f us of its processor time a call, at most %ld MB\n", "",
           cpu * 1e6 / (CALLS + SERIAL), usage.ru_maxrss / 1024);
    deft_config_free(config);
}

int main(void)
{
    partner           direct;
    struct rusage     usage;
    const char *const echo[] = {"echo"};
    signal(SIGPIPE, SIG_IGN);
    bench_head("calls");
    start(&direct, run_server, NULL);
    measure("the server itself", &direct, echo, 1, 64);
    end(&direct, &usage);
    measure_gateway(1, 64);
    measure_gateway(8, 64);
    measure_gateway(8, 256);
    return 0;
}
