// Someone who talks to us in lines: an agent at two pipes, a process at a socket.
#include "transport/peer.h"

#include "deft/buffer.h"
#include "support/allocator.h"
#include "support/waiting.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct talk {
    deft__loop *loop;
    deft__peer *peer;
    deft_buffer lines; // each with a | after it
    size_t      overflows;
    size_t      drains;
    bool        has_finished;
    bool        is_gone;
    char        frees_at; // 'l': at the first line, 'f': at the end, 'g': when gone, 'd': drained
} talk;

static void free_at(talk *one, char event)
{
    if (one->frees_at == event) {
        deft__peer_free(one->peer);
        one->peer = NULL;
        deft__loop_stop(one->loop);
    }
}

static void received(void *context, deft_view line)
{
    talk *one = context;
    deft_buffer_append(&one->lines, line);
    deft_buffer_append_byte(&one->lines, '|');
    free_at(one, 'l');
}

static void overflowed(void *context)
{
    talk *one = context;
    one->overflows++;
}

static void finished(void *context)
{
    talk *one = context;
    assert_false(one->has_finished);
    one->has_finished = true;
    free_at(one, 'f');
    deft__loop_stop(one->loop);
}

static void gone(void *context)
{
    talk *one    = context;
    one->is_gone = true;
    free_at(one, 'g');
    deft__loop_stop(one->loop);
}

static void drained(void *context)
{
    talk *one = context;
    one->drains++;
    free_at(one, 'd');
    deft__loop_stop(one->loop);
}

static deft__peer_options options_of(talk *one)
{
    return (deft__peer_options){.context       = one,
                                .received      = received,
                                .overflowed    = overflowed,
                                .finished      = finished,
                                .gone          = gone,
                                .drained       = drained,
                                .line_size_max = 10,
                                .queue_max     = 1 << 20};
}

// An agent and its ends of the pipes.
typedef struct agent {
    talk talk;
    int  to;   // what we read
    int  from; // what we write
    int  ours[2];
} agent;

static void open_agent(agent *one)
{
    int in[2];
    int out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    *one         = (agent){.talk = {.loop = test_loop_new()}, .to = in[1], .from = out[0]};
    one->ours[0] = in[0];
    one->ours[1] = out[1];
    deft_buffer_init(&one->talk.lines, NULL);
    const deft__peer_options options = options_of(&one->talk);
    deft_error               error   = DEFT_ERROR_INIT;
    one->talk.peer = deft__peer_new_agent(one->talk.loop, in[0], out[1], &options, &error);
    if (one->talk.peer == NULL) {
        fail_msg("%s", error.message);
    }
}

static void close_agent(agent *one)
{
    deft__peer_free(one->talk.peer);
    deft_buffer_clear(&one->talk.lines);
    deft__loop_free(one->talk.loop);
    const int all[] = {one->to, one->from, one->ours[0], one->ours[1]};
    for (size_t i = 0; i < array_size(all); i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
}

static void say(agent *one, const char *text)
{
    assert_int_equal(write(one->to, text, strlen(text)), strlen(text));
}

static void hang_up(agent *one)
{
    close(one->to);
    one->to = -1;
}

static void an_agent_talks_and_is_answered(void **state)
{
    (void)state;
    agent one;
    open_agent(&one);
    say(&one, "one\ntwo\nmuch too long a line\nthree");
    hang_up(&one);
    test_loop_run(one.talk.loop);
    assert_view_equal(deft_buffer_view(&one.talk.lines), "one|two|three|");
    assert_int_equal(one.talk.overflows, 1);
    assert_true(one.talk.has_finished);

    // It has no more to say but still reads.
    deft__peer_send(one.talk.peer, deft_view_of("answer"));
    assert_int_equal(deft__peer_queued(one.talk.peer), 7);
    test_loop_run(one.talk.loop);
    assert_int_equal(one.talk.drains, 1);
    char text[8] = "";
    assert_int_equal(read(one.from, text, 7), 7);
    assert_string_equal(text, "answer\n");
    close_agent(&one);
}

static void an_agent_that_is_gone(void **state)
{
    (void)state;
    for (int frees = 0; frees < 2; frees++) {
        agent one;
        open_agent(&one);
        one.talk.frees_at = frees == 1 ? 'g' : ' ';
        close(one.from);
        one.from = -1;
        deft__peer_send(one.talk.peer, deft_view_of("answer"));
        test_loop_run(one.talk.loop);
        assert_true(one.talk.is_gone);
        close_agent(&one);
    }
}

static void an_agent_that_does_not_read(void **state)
{
    (void)state;
    agent one;
    open_agent(&one);
    char *const large = calloc(1, 1 << 20);
    deft__peer_send(one.talk.peer, deft_view_make(large, 1 << 20));
    deft__peer_send(one.talk.peer, deft_view_make(large, 1 << 20));
    free(large);
    test_loop_run(one.talk.loop);
    assert_true(one.talk.is_gone);
    close_agent(&one);
}

static void a_peer_may_be_freed_in_every_callback(void **state)
{
    (void)state;
    for (const char *event = "lfd"; *event != '\0'; event++) {
        agent one;
        open_agent(&one);
        one.talk.frees_at = *event;
        if (*event == 'd') {
            deft__peer_send(one.talk.peer, deft_view_of("x"));
        } else {
            say(&one, "a\nb\nc");
            hang_up(&one);
        }
        test_loop_run(one.talk.loop);
        assert_null(one.talk.peer);
        close_agent(&one);
    }
}

static void a_peer_at_a_socket(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    talk one = {.loop = test_loop_new()};
    deft_buffer_init(&one.lines, NULL);
    deft__peer_options options = options_of(&one);
    options.drained            = NULL;
    one.peer                   = deft__peer_new_socket(one.loop, ends[0], &options, NULL);
    assert_non_null(one.peer);
    assert_int_equal(write(ends[1], "hi\n", 3), 3);
    assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
    test_loop_run(one.loop);
    assert_view_equal(deft_buffer_view(&one.lines), "hi|");
    deft__peer_send(one.peer, deft_view_of("ho"));
    deft__loop_run(one.loop); // nothing is left to wait for once it is out
    char text[4] = "";
    assert_int_equal(read(ends[1], text, 3), 3);
    assert_string_equal(text, "ho\n");
    close(ends[1]);
    deft__peer_send(one.peer, deft_view_of("ho"));
    deft__loop_run(one.loop);
    deft__peer_free(one.peer);
    deft__peer_free(NULL);
    deft_buffer_clear(&one.lines);
    deft__loop_free(one.loop);
}

static void a_reset_socket_is_gone(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    talk                     one     = {.loop = test_loop_new()};
    const deft__peer_options options = options_of(&one);
    one.peer                         = deft__peer_new_socket(one.loop, ends[0], &options, NULL);
    assert_int_equal(send(ends[0], "unread", 6, 0), 6);
    close(ends[1]);
    test_loop_run(one.loop);
    assert_true(one.is_gone);
    deft__peer_free(one.peer);
    deft__loop_free(one.loop);
}

static void descriptors_must_be_open(void **state)
{
    (void)state;
    talk                     one     = {.loop = test_loop_new()};
    const deft__peer_options options = options_of(&one);
    deft_error               error   = DEFT_ERROR_INIT;
    assert_null(deft__peer_new_agent(one.loop, 1000000, 1000001, &options, &error));
    assert_null(deft__peer_new_socket(one.loop, 1000000, &options, &error));
    deft__loop_free(one.loop);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    talk one = {.loop = deft__loop_new(allocator, NULL)};
    if (one.loop == NULL) {
        return false;
    }
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const deft__peer_options options = options_of(&one);
    one.peer                         = deft__peer_new_socket(one.loop, ends[0], &options, NULL);
    const int         copy           = dup(ends[1]);
    deft__peer *const other   = deft__peer_new_agent(one.loop, ends[1], copy, &options, NULL);
    const bool        is_done = one.peer != NULL && other != NULL;
    deft__peer_free(other);
    deft__peer_free(one.peer);
    close(copy);
    close(ends[1]);
    deft__loop_free(one.loop);
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
        cmocka_unit_test(an_agent_talks_and_is_answered),
        cmocka_unit_test(an_agent_that_is_gone),
        cmocka_unit_test(an_agent_that_does_not_read),
        cmocka_unit_test(a_peer_may_be_freed_in_every_callback),
        cmocka_unit_test(a_peer_at_a_socket),
        cmocka_unit_test(a_reset_socket_is_gone),
        cmocka_unit_test(descriptors_must_be_open),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
