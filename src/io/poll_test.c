// A descriptor that others read and write: told when it is ready, and only then.
#include "io/poll.h"

#include "support/waiting.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct watched {
    deft__loop *loop;
    deft__poll *poll;
    int         ends[2]; // we watch the first
    unsigned    told;    // all events so far
    size_t      count;
    bool        frees;
} watched;

static void ready(void *context, unsigned events)
{
    watched *one = context;
    one->told |= events;
    one->count++;
    if (one->frees) {
        deft__poll_free(one->poll);
        one->poll = NULL;
    } else {
        deft__poll_watch(one->poll, 0);
    }
    deft__loop_stop(one->loop);
}

static void init(watched *one)
{
    *one = (watched){.loop = test_loop_new()};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, one->ends), 0);
    one->poll = deft__poll_new(one->loop, one->ends[0], ready, one);
    assert_non_null(one->poll);
}

static void clear(watched *one)
{
    deft__poll_free(one->poll);
    close(one->ends[0]);
    close(one->ends[1]);
    deft__loop_free(one->loop);
}

static void a_descriptor_that_can_be_read(void **state)
{
    (void)state;
    watched one;
    init(&one);
    deft__poll_watch(one.poll, DEFT__POLL_READABLE);
    assert_int_equal(write(one.ends[1], "x", 1), 1);
    test_loop_run(one.loop);
    assert_int_equal(one.told, DEFT__POLL_READABLE);
    assert_int_equal(one.count, 1);
    clear(&one);
}

static void and_one_that_can_be_written(void **state)
{
    (void)state;
    watched one;
    init(&one);
    one.frees = true;
    deft__poll_watch(one.poll, DEFT__POLL_READABLE | DEFT__POLL_WRITABLE);
    test_loop_run(one.loop);
    assert_int_equal(one.told, DEFT__POLL_WRITABLE);
    clear(&one);
}

static void a_broken_one_can_be_read(void **state)
{
    (void)state;
    watched             one;
    const struct linger rude = {.l_onoff = 1};
    char                byte;
    struct sockaddr_in  address = {.sin_family = AF_INET};
    socklen_t           size    = sizeof address;
    const int           door    = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr     = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(door, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(door, 1), 0);
    assert_int_equal(getsockname(door, (struct sockaddr *)&address, &size), 0);
    one         = (watched){.loop = test_loop_new()};
    one.ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(one.ends[0], (struct sockaddr *)&address, size), 0);
    one.ends[1] = accept(door, NULL, NULL);
    one.poll    = deft__poll_new(one.loop, one.ends[0], ready, &one);
    assert_int_equal(write(one.ends[1], "x", 1), 1);
    setsockopt(one.ends[1], SOL_SOCKET, SO_LINGER, &rude, sizeof rude);
    close(one.ends[1]);
    deft__poll_watch(one.poll, DEFT__POLL_READABLE);
    test_loop_run(one.loop);
    assert_int_equal(one.told, DEFT__POLL_READABLE);
    assert_int_equal(read(one.ends[0], &byte, 1), 1);
    deft__poll_watch(one.poll, DEFT__POLL_READABLE);
    test_loop_run(one.loop);
    assert_int_equal(one.told, DEFT__POLL_READABLE);
    assert_int_equal(read(one.ends[0], &byte, 1), -1);
    one.ends[1] = door;
    clear(&one);
}

static void nothing_is_told_unasked(void **state)
{
    (void)state;
    watched one;
    init(&one);
    assert_int_equal(write(one.ends[1], "x", 1), 1);
    deft__loop_run(one.loop); // nothing is left that could happen
    assert_int_equal(one.count, 0);
    clear(&one);
}

static void a_file_cannot_be_waited_for(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    const int   file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_null(deft__poll_new(loop, file, ready, NULL));
    assert_null(deft__poll_new(loop, -1, ready, NULL));
    close(file);
    deft__loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_that_can_be_read),
        cmocka_unit_test(and_one_that_can_be_written),
        cmocka_unit_test(a_broken_one_can_be_read),
        cmocka_unit_test(nothing_is_told_unasked),
        cmocka_unit_test(a_file_cannot_be_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
