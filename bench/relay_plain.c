// relay_plain COMMAND... - the least that can stand between a client and its server: bytes are copied
// both ways and nobody looks at them. What deft is held against.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK_SIZE 65536

// Copies what is there; false: the end.
static int copy(int from, int to)
{
    static char   chunk[CHUNK_SIZE];
    const ssize_t size = read(from, chunk, sizeof chunk);
    for (ssize_t at = 0; at < size;) {
        const ssize_t written = write(to, chunk + at, (size_t)(size - at));
        if (written <= 0) {
            return 0;
        }
        at += written;
    }
    return size > 0;
}

int main(int argc, char **argv)
{
    int in[2];
    int out[2];
    if (argc < 2 || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
        (void)fprintf(stderr, "usage: relay_plain COMMAND...\n");
        return 2;
    }
    if (fork() == 0) {
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(out[1], STDOUT_FILENO);
        (void)execv(argv[1], argv + 1);
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = out[0], .events = POLLIN}};
    for (int is_open = 1; is_open && poll(watched, 2, -1) > 0;) {
        if (watched[1].revents != 0) {
            is_open = copy(out[0], STDOUT_FILENO);
        }
        if (watched[0].revents != 0 && !copy(STDIN_FILENO, in[1])) {
            (void)close(in[1]); // the server ends, and then so do we
            watched[0].fd = -1;
        }
    }
    return wait(NULL) > 0 ? 0 : 1;
}
