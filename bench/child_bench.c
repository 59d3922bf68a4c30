// How fast messages go through child processes (`cat`) and back, and what a start costs: our child
// transport, and the same with libuv's own pipes and writes, in one run. The processor is shared with
// the children, so the numbers are for comparing.
#include "bench/bench.h"
#include "io/loop.h"
#include "transport/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define CHILDREN     100
#define MESSAGES     200000
#define SERIAL       20000
#define MESSAGE_SIZE 300

extern char **environ;

static char message[MESSAGE_SIZE + 1];

typedef struct relay {
    deft__loop *loop;
    size_t      sent;
    size_t      received;
    size_t      wanted;
    size_t      closed;
} relay;

typedef struct server {
    relay       *relay;
    deft__child *child;
    deft__ring   errors;
} server;

static void send_next(server *one)
{
    if (one->relay->sent < one->relay->wanted) {
        one->relay->sent++;
        deft__child_send(one->child, deft_view_make(message, MESSAGE_SIZE));
    }
}

static void received(void *context, deft_view line)
{
    server *one = context;
    if (line.size != MESSAGE_SIZE) {
        abort();
    }
    if (++one->relay->received == one->relay->wanted) {
        deft__loop_stop(one->relay->loop);
    }
    send_next(one);
}

static void overflowed(void *context)
{
    (void)context;
    abort();
}

static void closed(void *context, deft_view reason)
{
    (void)reason;
    server *one = context;
    deft__child_free(one->child);
    one->child = NULL;
    if (++one->relay->closed == CHILDREN) {
        deft__loop_stop(one->relay->loop);
    }
}

// `count` messages over the first `children`, `each` on their way at once in each.
static double round_trips(server *servers, size_t children, size_t each, size_t count)
{
    relay *all         = servers[0].relay;
    all->sent          = 0;
    all->received      = 0;
    all->wanted        = count;
    const double start = bench_wall_seconds();
    for (size_t i = 0; i < children; i++) {
        for (size_t k = 0; k < each; k++) {
            send_next(&servers[i]);
        }
    }
    deft__loop_run(all->loop);
    return bench_wall_seconds() - start;
}

static void measure_ours(void)
{
    static server            servers[CHILDREN];
    relay                    all    = {.loop = deft__loop_new(NULL, NULL)};
    const deft_server_config config = {.name = {"cat", 3}, .command = {"cat", 3}};
    double                   worst  = 0;
    const double             start  = bench_wall_seconds();
    for (size_t i = 0; i < CHILDREN; i++) {
        server                   *one     = &servers[i];
        const deft__child_options options = {.server      = &config,
                                             .environment = (const char *const *)environ,
                                             .errors      = &one->errors,
                                             .context     = one,
                                             .received    = received,
                                             .overflowed  = overflowed,
                                             .closed      = closed};
        const double              before  = bench_wall_seconds();
        one->relay                        = &all;
        deft__ring_init(&one->errors, 0, NULL);
        one->child        = deft__child_start(all.loop, &options, NULL);
        const double took = bench_wall_seconds() - before;
        worst             = took > worst ? took : worst;
    }
    const double spawned = bench_wall_seconds() - start;
    const double first   = round_trips(servers, CHILDREN, 1, CHILDREN);
    printf("ours   start      %7.2f ms a child, %.2f ms the slowest; all %d answer after %.0f ms\n",
           spawned * 1e3 / CHILDREN, worst * 1e3, CHILDREN, (spawned + first) * 1e3);
    const double serial = round_trips(servers, 1, 1, SERIAL);
    printf("ours   one by one %7.1f us a round trip\n", serial * 1e6 / SERIAL);
    const double cpu_before = bench_seconds();
    const double wide       = round_trips(servers, CHILDREN, 1, MESSAGES);
    const double cpu        = bench_seconds() - cpu_before;
    printf("ours   100 x 1    %7.0f messages/s, %.2f us of our processor time each\n",
           MESSAGES / wide, cpu * 1e6 / MESSAGES);
    const double deep_before = bench_seconds();
    const double deep        = round_trips(servers, 1, 64, MESSAGES);
    printf("ours   1 x 64     %7.0f messages/s, %.2f us of our processor time each\n",
           MESSAGES / deep, (bench_seconds() - deep_before) * 1e6 / MESSAGES);

    const double stop = bench_wall_seconds();
    for (size_t i = 0; i < CHILDREN; i++) {
        deft__child_stop(servers[i].child);
    }
    deft__loop_run(all.loop);
    printf("ours   stop       %7.2f ms for all\n", (bench_wall_seconds() - stop) * 1e3);
    for (size_t i = 0; i < CHILDREN; i++) {
        deft__ring_clear(&servers[i].errors);
    }
    deft__loop_free(all.loop);
}

// --- The same with libuv alone. -------------------------------------------------------------------

typedef struct uv_server {
    uv_process_t process;
    uv_pipe_t    input;
    uv_pipe_t    output;
    size_t       partial; // bytes of a message that has not come whole
} uv_server;

static uv_server uv_servers[CHILDREN];
static size_t    uv_sent, uv_received, uv_wanted;
static char      uv_read_buffer[65536];

static void uv_written(uv_write_t *request, int code)
{
    (void)code;
    free(request);
}

static void uv_send_next(uv_server *one)
{
    if (uv_sent < uv_wanted) {
        uv_sent++;
        struct {
            uv_write_t request;
            char       bytes[MESSAGE_SIZE + 1];
        } *copy = malloc(sizeof *copy);
        memcpy(copy->bytes, message, sizeof copy->bytes);
        const uv_buf_t bytes = uv_buf_init(copy->bytes, sizeof copy->bytes);
        uv_write(&copy->request, (uv_stream_t *)&one->input, &bytes, 1, uv_written);
    }
}

static void uv_allocate(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    (void)handle;
    (void)size;
    *buffer = uv_buf_init(uv_read_buffer, sizeof uv_read_buffer);
}

static void uv_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    (void)buffer;
    uv_server *one = stream->data;
    if (size <= 0) {
        return;
    }
    for (one->partial += (size_t)size; one->partial > MESSAGE_SIZE;
         one->partial -= MESSAGE_SIZE + 1) {
        if (++uv_received == uv_wanted) {
            uv_stop(stream->loop);
        }
        uv_send_next(one);
    }
}

static double uv_round_trips(uv_loop_t *loop, size_t children, size_t each, size_t count)
{
    uv_sent            = 0;
    uv_received        = 0;
    uv_wanted          = count;
    const double start = bench_wall_seconds();
    for (size_t i = 0; i < children; i++) {
        for (size_t k = 0; k < each; k++) {
            uv_send_next(&uv_servers[i]);
        }
    }
    uv_run(loop, UV_RUN_DEFAULT);
    return bench_wall_seconds() - start;
}

static void measure_libuv(void)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    const double start = bench_wall_seconds();
    for (size_t i = 0; i < CHILDREN; i++) {
        uv_server *one = &uv_servers[i];
        uv_pipe_init(&loop, &one->input, 0);
        uv_pipe_init(&loop, &one->output, 0);
        one->output.data                 = one;
        char                *arguments[] = {(char[]){"cat"}, NULL};
        uv_stdio_container_t stdio[3]    = {
               {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&one->input},
               {.flags       = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
                .data.stream = (uv_stream_t *)&one->output},
               {.flags = UV_IGNORE}};
        const uv_process_options_t options = {
            .file = "cat", .args = arguments, .stdio = stdio, .stdio_count = 3};
        if (uv_spawn(&loop, &one->process, &options) != 0) {
            abort();
        }
        uv_read_start((uv_stream_t *)&one->output, uv_allocate, uv_read);
    }
    const double spawned = bench_wall_seconds() - start;
    printf("libuv  start      %7.2f ms a child\n", spawned * 1e3 / CHILDREN);
    uv_round_trips(&loop, CHILDREN, 1, CHILDREN);
    const double serial = uv_round_trips(&loop, 1, 1, SERIAL);
    printf("libuv  one by one %7.1f us a round trip\n", serial * 1e6 / SERIAL);
    const double cpu_before = bench_seconds();
    const double wide       = uv_round_trips(&loop, CHILDREN, 1, MESSAGES);
    const double cpu        = bench_seconds() - cpu_before;
    printf("libuv  100 x 1    %7.0f messages/s, %.2f us of our processor time each\n",
           MESSAGES / wide, cpu * 1e6 / MESSAGES);
    const double deep_before = bench_seconds();
    const double deep        = uv_round_trips(&loop, 1, 64, MESSAGES);
    printf("libuv  1 x 64     %7.0f messages/s, %.2f us of our processor time each\n",
           MESSAGES / deep, (bench_seconds() - deep_before) * 1e6 / MESSAGES);
    // The children end with us.
}

int main(void)
{
    memset(message, 'x', MESSAGE_SIZE);
    message[MESSAGE_SIZE] = '\n';
    bench_head("children");
    measure_ours();
    measure_libuv();
    return 0;
}
