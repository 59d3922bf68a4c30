// The way in for other processes: by a path that is ours alone.
#include "io/socket.h"

#include "support/allocator.h"
#include "support/waiting.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/deft-socket-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/control", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

typedef struct visits {
    deft__loop *loop;
    size_t      count;
} visits;

static void accepted(void *context, int descriptor)
{
    visits *all = context;
    all->count++;
    assert_int_equal(write(descriptor, "hi", 2), 2);
    close(descriptor);
    deft__loop_stop(all->loop);
}

static deft__listener *listen_here(visits *all)
{
    deft_error      error    = DEFT_ERROR_INIT;
    deft__listener *listener = deft__listener_new(all->loop, path, accepted, all, &error);
    if (listener == NULL) {
        fail_msg("%s", error.message);
    }
    return listener;
}

static void a_peer_is_let_in(void **state)
{
    (void)state;
    visits          all      = {.loop = test_loop_new()};
    const mode_t    mask     = umask(0);
    deft__listener *listener = listen_here(&all);
    umask(mask);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_true(S_ISSOCK(about.st_mode));

    deft_error error = DEFT_ERROR_INIT;
    const int  peer  = deft__socket_connect(path, &error);
    assert_true(peer >= 0);
    test_loop_run(all.loop);
    char text[3] = "";
    assert_int_equal(read(peer, text, 2), 2);
    assert_string_equal(text, "hi");
    close(peer);
    assert_int_equal(all.count, 1);
    deft__listener_close(listener);
    deft__listener_close(NULL);
    deft__loop_free(all.loop);
    assert_int_equal(stat(path, &about), -1);
}

static void a_stale_path_is_taken_over(void **state)
{
    (void)state;
    visits          all   = {.loop = test_loop_new()};
    deft__listener *first = listen_here(&all);
    deft_error      error = DEFT_ERROR_INIT;
    assert_null(deft__listener_new(all.loop, path, accepted, &all, &error));
    assert_int_equal(error.status, DEFT_CONFLICT);
    char copy[80];
    snprintf(copy, sizeof copy, "%s-kept", path);
    assert_int_equal(link(path, copy), 0); // what is left when a process dies
    deft__listener_close(first);
    assert_int_equal(rename(copy, path), 0);
    assert_int_equal(deft__socket_connect(path, &error), -1);
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    deft__listener_close(listen_here(&all));
    deft__loop_free(all.loop);
}

static void nobody_else_is_let_in(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip(); // only root can become someone else
    }
    visits          all      = {.loop = test_loop_new()};
    deft__listener *listener = listen_here(&all);
    // Somebody has opened what was closed.
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    const pid_t stranger = fork();
    if (stranger == 0) {
        char      text[2];
        const int peer = setuid(65534) == 0 ? deft__socket_connect(path, NULL) : -1;
        _exit(peer >= 0 && read(peer, text, 2) == 0 ? 0 : 1);
    }
    // Who is let in after the stranger stops the loop.
    int status = 0;
    while (waitpid(stranger, &status, WNOHANG) == 0) {
        const int peer = deft__socket_connect(path, NULL);
        test_loop_run(all.loop);
        close(peer);
    }
    assert_int_equal(status, 0);
    deft__listener_close(listener);
    deft__loop_free(all.loop);
}

static void out_of_descriptors_is_not_the_end(void **state)
{
    (void)state;
    visits          all      = {.loop = test_loop_new()};
    deft__listener *listener = listen_here(&all);
    const int       peer     = deft__socket_connect(path, NULL);
    struct rlimit   before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit low = {.rlim_cur = (rlim_t)peer, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    deft__alarm *alarm = deft__alarm_new(all.loop, (void (*)(void *))deft__loop_stop, all.loop);
    deft__alarm_set(alarm, 100);
    const clock_t start = clock();
    test_loop_run(all.loop);
    assert_int_equal(all.count, 0);
    assert_true(clock() - start < CLOCKS_PER_SEC / 20); // it waits, and does not spin
    setrlimit(RLIMIT_NOFILE, &before);
    test_loop_run(all.loop);
    assert_int_equal(all.count, 1);
    deft__alarm_free(alarm);
    close(peer);
    deft__listener_close(listener);
    deft__loop_free(all.loop);
}

static void paths_that_do_not_work(void **state)
{
    (void)state;
    deft__loop *loop  = test_loop_new();
    deft_error  error = DEFT_ERROR_INIT;
    char        longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(deft__listener_new(loop, longer, accepted, NULL, &error));
    assert_int_equal(error.status, DEFT_LIMIT);
    assert_int_equal(deft__socket_connect(longer, &error), -1);
    assert_int_equal(error.status, DEFT_LIMIT);
    assert_null(deft__listener_new(loop, "/no/such/folder", accepted, NULL, &error));
    assert_string_equal(error.message,
                        "could not listen on '/no/such/folder': no such file or directory");
    // A file that is no socket is not ours to remove.
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    close(file);
    assert_null(deft__listener_new(loop, path, accepted, NULL, &error));
    assert_int_equal(unlink(path), 0);
    deft__loop_free(loop);
}

// A TCP socket at any port of 127.0.0.1, as a service manager would open it.
static int open_port(bool is_listening)
{
    const struct sockaddr_in address    = {.sin_family      = AF_INET,
                                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int                descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(descriptor, (const struct sockaddr *)&address, sizeof address), 0);
    assert_true(!is_listening || listen(descriptor, 4) == 0);
    return descriptor;
}

static int visit(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(peer, (const struct sockaddr *)&address, sizeof address), 0);
    return peer;
}

static void an_adopted_socket_is_left_open_for_others(void **state)
{
    (void)state;
    visits     all   = {.loop = test_loop_new()};
    const int  kept  = open_port(true);
    deft_error error = DEFT_ERROR_INIT;
    uint16_t   port  = 0;
    char       address[DEFT__ADDRESS_SIZE];
    char       text[3] = "";
    // One takes the place of another; who comes in between waits.
    for (int turn = 0; turn < 2; turn++) {
        const int handed = dup(kept);
        assert_int_equal(deft__socket_adopt(handed, address, &port, &error), DEFT_OK);
        assert_string_equal(address, "127.0.0.1");
        assert_int_equal(fcntl(handed, F_GETFD), FD_CLOEXEC);
        const int       early = visit(port);
        deft__listener *listener =
            deft__listener_new_adopted(all.loop, handed, port, accepted, &all, &error);
        assert_non_null(listener);
        assert_int_equal(deft__listener_port(listener), port);
        test_loop_run(all.loop);
        assert_int_equal(read(early, text, 2), 2);
        deft__listener_close(listener);
        close(early);
    }
    assert_int_equal(all.count, 2);
    close(kept);
    deft__loop_free(all.loop);
}

static void only_a_tcp_socket_that_listens_is_adopted(void **state)
{
    (void)state;
    const int silent = open_port(false);
    const int file   = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int local  = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int packet = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const struct {
        int         descriptor;
        const char *message; // behind the number
    } cases[] = {
        {silent, "is a TCP socket that does not listen"},
        {file, "is not a TCP socket"},
        {local, "is not a TCP socket"},
        {packet, "is not a TCP socket"},
        {1000, "is not open"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        deft_error error = DEFT_ERROR_INIT;
        uint16_t   port  = 0;
        char       address[DEFT__ADDRESS_SIZE];
        assert_int_equal(deft__socket_adopt(cases[i].descriptor, address, &port, &error),
                         DEFT_INVALID);
        assert_non_null(strstr(error.message, cases[i].message));
    }
    close(silent);
    close(file);
    close(local);
    close(packet);
}

static void a_socket_of_the_newer_protocol_is_adopted(void **state)
{
    (void)state;
    const struct sockaddr_in6 six        = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    const int                 descriptor = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint16_t                  port       = 0;
    char                      address[DEFT__ADDRESS_SIZE];
    if (descriptor < 0 || bind(descriptor, (const struct sockaddr *)&six, sizeof six) != 0) {
        close(descriptor);
        skip(); // this machine has none
    }
    assert_int_equal(listen(descriptor, 1), 0);
    assert_int_equal(deft__socket_adopt(descriptor, address, &port, NULL), DEFT_OK);
    assert_string_equal(address, "::1");
    assert_true(port > 0);
    close(descriptor);
}

static bool attempt_to_adopt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__loop *loop = deft__loop_new(allocator, NULL);
    if (loop == NULL) {
        return false;
    }
    deft__listener *listener =
        deft__listener_new_adopted(loop, open_port(true), 1, accepted, NULL, NULL);
    deft__listener_close(listener);
    deft__loop_free(loop);
    return listener != NULL;
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__loop *loop = deft__loop_new(allocator, NULL);
    if (loop == NULL) {
        return false;
    }
    deft__listener *listener = deft__listener_new(loop, path, accepted, NULL, NULL);
    deft__listener_close(listener);
    deft__loop_free(loop);
    return listener != NULL;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 3);
    assert_true(test_every_allocation_fails(attempt_to_adopt, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_is_let_in),
        cmocka_unit_test(a_stale_path_is_taken_over),
        cmocka_unit_test(nobody_else_is_let_in),
        cmocka_unit_test(out_of_descriptors_is_not_the_end),
        cmocka_unit_test(paths_that_do_not_work),
        cmocka_unit_test(an_adopted_socket_is_left_open_for_others),
        cmocka_unit_test(only_a_tcp_socket_that_listens_is_adopted),
        cmocka_unit_test(a_socket_of_the_newer_protocol_is_adopted),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
