// Streams over pipes, sockets, files: what goes in comes out, ends are told, queues have a limit.
#include "io/stream.h"

#include "deft/buffer.h"
#include "support/allocator.h"
#include "support/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// One side of a conversation: what it heard, and how it ended.
typedef struct side {
    deft__loop      *loop;
    deft__stream    *stream;
    deft_buffer      heard;
    size_t           wanted; // bytes after which the loop stops
    bool             has_ended;
    deft__stream_end end;
    int              code;
    size_t           drains;
    bool             closes_on_read;
} side;

static void heard(void *context, deft_view bytes)
{
    side *one = context;
    deft_buffer_append(&one->heard, bytes);
    if (one->closes_on_read) {
        deft__stream_close(one->stream);
        one->stream = NULL;
        deft__loop_stop(one->loop);
    } else if (one->wanted > 0 && one->heard.size >= one->wanted) {
        deft__loop_stop(one->loop);
    }
}

static void ended(void *context, deft__stream_end end, int code)
{
    side *one = context;
    assert_false(one->has_ended);
    one->has_ended = true;
    one->end       = end;
    one->code      = code;
    deft__loop_stop(one->loop);
}

static void drained(void *context)
{
    side *one = context;
    one->drains++;
}

static void open_side(side *one, deft__loop *loop, int descriptor, bool is_reading,
                      size_t queue_max, bool is_inherited)
{
    *one = (side){.loop = loop};
    deft_buffer_init(&one->heard, NULL);
    const deft__stream_options options = {.context      = one,
                                          .read         = is_reading ? heard : NULL,
                                          .ended        = ended,
                                          .drained      = drained,
                                          .queue_max    = queue_max,
                                          .is_inherited = is_inherited};
    deft_error                 error   = DEFT_ERROR_INIT;
    one->stream                        = deft__stream_new(loop, descriptor, &options, &error);
    if (one->stream == NULL) {
        fail_msg("%s", error.message);
    }
}

static void close_side(side *one)
{
    deft__stream_close(one->stream);
    deft_buffer_clear(&one->heard);
}

// A pipe with a writer and a reader on one loop.
typedef struct pair {
    deft__loop *loop;
    side        from;
    side        to;
    int         ends[2];
} pair;

static void open_pipe(pair *both, bool is_inherited)
{
    both->loop = test_loop_new();
    assert_int_equal(pipe(both->ends), 0);
    open_side(&both->from, both->loop, both->ends[1], false, 0, is_inherited);
    open_side(&both->to, both->loop, both->ends[0], true, 0, is_inherited);
}

static void close_pair(pair *both)
{
    close_side(&both->from);
    close_side(&both->to);
    deft__loop_free(both->loop);
}

static void what_is_written_arrives(void **state)
{
    (void)state;
    pair both;
    open_pipe(&both, false);
    both.to.wanted = 11;
    deft__stream_write(both.from.stream, deft_view_of("hello"));
    deft__stream_write(both.from.stream, deft_view_of(""));
    deft__stream_write(both.from.stream, deft_view_of(" world"));
    assert_int_equal(deft__stream_queued(both.from.stream), 11);
    test_loop_run(both.loop);
    assert_view_equal(deft_buffer_view(&both.to.heard), "hello world");
    assert_int_equal(deft__stream_queued(both.from.stream), 0);
    assert_int_equal(both.from.drains, 1); // one write for all
    close_pair(&both);
}

// 20 MB in pieces of very different sizes, more than a pipe holds at once: `is_inherited` is the
// careful way, with a descriptor that blocks.
static void check_much(bool is_inherited)
{
    pair   both;
    size_t total = 0;
    open_pipe(&both, is_inherited);
    char *const piece = malloc(1 << 20);
    for (size_t i = 0; i < 1 << 20; i++) {
        piece[i] = (char)(i * 7 + i / 251);
    }
    for (size_t size = 1; total < 20u << 20; size = size * 5 % 1000003) {
        deft__stream_write(both.from.stream, deft_view_make(piece, size));
        total += size;
    }
    deft__stream_finish(both.from.stream);
    if (is_inherited) {
        both.to.wanted = total;
    }
    test_loop_run(both.loop);
    assert_int_equal(both.to.heard.size, total);
    size_t at = 0;
    for (size_t size = 1; at < total; size = size * 5 % 1000003) {
        assert_memory_equal(both.to.heard.data + at, piece, size);
        at += size;
    }
    free(piece);
    close_pair(&both);
    if (is_inherited) { // left open, and as it was
        assert_int_equal(fcntl(both.ends[0], F_GETFL) & O_NONBLOCK, 0);
        assert_int_equal(fcntl(both.ends[1], F_GETFL) & O_NONBLOCK, 0);
        close(both.ends[0]);
        close(both.ends[1]);
    } else {
        assert_int_equal(fcntl(both.ends[1], F_GETFL), -1);
    }
}

static void much_arrives_unchanged(void **state)
{
    (void)state;
    check_much(false);
}

static void much_arrives_over_what_is_not_ours(void **state)
{
    (void)state;
    check_much(true);
}

static void the_end_comes_after_the_last_byte(void **state)
{
    (void)state;
    pair both;
    open_pipe(&both, false);
    deft__stream_write(both.from.stream, deft_view_of("bye"));
    deft__stream_finish(both.from.stream);
    deft__stream_finish(both.from.stream);
    deft__stream_write(both.from.stream, deft_view_of("too late"));
    test_loop_run(both.loop);
    assert_view_equal(deft_buffer_view(&both.to.heard), "bye");
    assert_true(both.to.has_ended);
    assert_int_equal(both.to.end, DEFT__STREAM_END);
    assert_false(both.from.has_ended);
    close_pair(&both);
}

static void a_reader_that_is_gone_is_told(void **state)
{
    (void)state;
    pair both;
    open_pipe(&both, false);
    deft__stream_close(both.to.stream);
    both.to.stream = NULL;
    deft__stream_write(both.from.stream, deft_view_of("anyone?"));
    assert_false(both.from.has_ended); // not from within the call
    test_loop_run(both.loop);
    assert_true(both.from.has_ended);
    assert_int_equal(both.from.end, DEFT__STREAM_BROKEN);
    assert_int_equal(both.from.code, EPIPE);
    deft__stream_write(both.from.stream, deft_view_of("hello?"));
    close_pair(&both);
}

static void stop_loop(void *context)
{
    deft__loop_stop(context);
}

static void a_reader_that_goes_while_we_wait_is_told(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    int         ends[2];
    assert_int_equal(pipe(ends), 0);
    side from;
    open_side(&from, loop, ends[1], false, 0, false);
    char *const much = calloc(1, 1 << 20);
    deft__stream_write(from.stream, deft_view_make(much, 1 << 20));
    assert_true(deft__stream_queued(from.stream) > 0);
    deft__task task;
    deft__task_init(&task, stop_loop, loop);
    deft__loop_defer(loop, &task);
    test_loop_run(loop);
    assert_false(from.has_ended);
    assert_true(deft__stream_queued(from.stream) > 0);
    (void)deft__stream_stuck_ms(from.stream); // however long that was
    close(ends[0]);
    test_loop_run(loop);
    assert_true(from.has_ended);
    assert_int_equal(deft__stream_stuck_ms(from.stream), 0);
    assert_int_equal(from.end, DEFT__STREAM_BROKEN);
    free(much);
    close_side(&from);
    deft__loop_free(loop);
}

static void a_queue_has_a_limit(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    int         ends[2];
    assert_int_equal(pipe(ends), 0);
    side from;
    open_side(&from, loop, ends[1], false, 1 << 20, false);
    char *const much = calloc(1, 1 << 19);
    for (int i = 0; i < 3; i++) {
        deft__stream_write(from.stream, deft_view_make(much, 1 << 19));
    }
    assert_int_equal(deft__stream_queued(from.stream), 0); // given up
    test_loop_run(loop);
    assert_int_equal(from.end, DEFT__STREAM_FULL);
    free(much);
    close_side(&from);
    close(ends[0]);
    deft__loop_free(loop);
}

static void sockets_speak_both_ways(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    int         ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    side a;
    side b;
    open_side(&a, loop, ends[0], true, 0, false);
    open_side(&b, loop, ends[1], true, 0, true);
    b.wanted = 4;
    deft__stream_write(a.stream, deft_view_of("ping"));
    test_loop_run(loop);
    assert_view_equal(deft_buffer_view(&b.heard), "ping");

    // A side that has finished still hears.
    deft__stream_finish(a.stream);
    test_loop_run(loop);
    assert_int_equal(b.end, DEFT__STREAM_END);
    a.wanted = 4;
    deft__stream_write(b.stream, deft_view_of("pong"));
    test_loop_run(loop);
    assert_view_equal(deft_buffer_view(&a.heard), "pong");
    close_side(&b);
    close(ends[1]);
    test_loop_run(loop);
    assert_int_equal(a.end, DEFT__STREAM_END);
    close_side(&a);
    deft__loop_free(loop);
}

static void a_socket_that_is_reset_is_broken(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    int         ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    side a;
    open_side(&a, loop, ends[0], true, 0, false);
    assert_int_equal(send(ends[0], "unread", 6, 0), 6);
    close(ends[1]); // with something unread: a reset
    test_loop_run(loop);
    assert_int_equal(a.end, DEFT__STREAM_BROKEN);
    assert_int_equal(a.code, ECONNRESET);
    close_side(&a);
    deft__loop_free(loop);
}

static void a_stream_may_be_closed_while_it_reads(void **state)
{
    (void)state;
    pair both;
    open_pipe(&both, false);
    both.to.closes_on_read = true;
    deft__stream_write(both.from.stream, deft_view_of("x"));
    test_loop_run(both.loop);
    assert_null(both.to.stream);
    close_pair(&both);
}

static void files_are_read_to_their_end(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    FILE       *file = tmpfile();
    for (int i = 0; i < 30000; i++) {
        fputs("0123456789", file);
    }
    fflush(file);
    rewind(file);
    side in;
    open_side(&in, loop, fileno(file), true, 0, true);
    test_loop_run(loop);
    assert_int_equal(in.heard.size, 300000);
    assert_int_equal(in.end, DEFT__STREAM_END);
    close_side(&in);

    side out;
    open_side(&out, loop, fileno(file), false, 0, true);
    deft__stream_write(out.stream, deft_view_of("more"));
    deft__loop_run(loop); // nothing is watched, and yet what was written goes out
    assert_int_equal(lseek(fileno(file), 0, SEEK_END), 300004);
    close_side(&out);
    fclose(file);

    side null;
    open_side(&null, loop, open("/dev/null", O_RDONLY), true, 0, false);
    test_loop_run(loop);
    assert_int_equal(null.end, DEFT__STREAM_END);
    close_side(&null);
    deft__loop_free(loop);
}

static void a_descriptor_must_be_open(void **state)
{
    (void)state;
    deft__loop                *loop    = test_loop_new();
    const deft__stream_options options = {.ended = ended, .is_inherited = true};
    deft_error                 error   = DEFT_ERROR_INIT;
    assert_null(deft__stream_new(loop, 1000000, &options, &error));
    assert_string_equal(error.message, "could not watch a descriptor: bad file descriptor");
    deft__loop_free(loop);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_error  error = DEFT_ERROR_INIT;
    deft__loop *loop  = deft__loop_new(allocator, &error);
    if (loop == NULL) {
        return false;
    }
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    side                       one     = {.loop = loop};
    const deft__stream_options options = {.context = &one, .ended = ended};
    one.stream                         = deft__stream_new(loop, ends[1], &options, &error);
    if (one.stream != NULL) {
        deft__stream_write(one.stream, deft_view_of("x"));
        deft__loop_run(loop);
    }
    const bool is_done = one.stream != NULL && !one.has_ended;
    assert_true(!one.has_ended || (one.end == DEFT__STREAM_FULL && one.code == ENOMEM));
    deft__stream_close(one.stream);
    close(ends[0]);
    deft__loop_free(loop);
    return is_done;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_arrives),
        cmocka_unit_test(much_arrives_unchanged),
        cmocka_unit_test(much_arrives_over_what_is_not_ours),
        cmocka_unit_test(the_end_comes_after_the_last_byte),
        cmocka_unit_test(a_reader_that_is_gone_is_told),
        cmocka_unit_test(a_reader_that_goes_while_we_wait_is_told),
        cmocka_unit_test(a_queue_has_a_limit),
        cmocka_unit_test(sockets_speak_both_ways),
        cmocka_unit_test(a_socket_that_is_reset_is_broken),
        cmocka_unit_test(a_stream_may_be_closed_while_it_reads),
        cmocka_unit_test(files_are_read_to_their_end),
        cmocka_unit_test(a_descriptor_must_be_open),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
