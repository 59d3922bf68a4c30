#define _GNU_SOURCE
#include "faults/serving.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS     60000 // many times what anything here takes, on a busy machine too
#define CHUNK_SIZE   65536
#define CHILDREN_MAX 256
#define WORDS_MAX    32

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void path_in(const serving *self, const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", self->folder, name);
}

void serving_fail(const serving *self, const char *what)
{
    char path[96];
    char text[4096];
    (void)printf("FAIL %s\n", what);
    path_in(self, "stderr", path, sizeof path);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(text, sizeof text, file) != NULL) {
        (void)printf("  stderr: %s", text);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    if (self->process > 0) {
        (void)kill(self->process, SIGKILL);
    }
    (void)serving_end_orphans();
    exit(1);
}

void serving_init(serving *self)
{
    *self = (serving){.folder = "/tmp/deft-faults-XXXXXX"};
    if (mkdtemp(self->folder) == NULL) {
        serving_fail(self, "there is no folder to work in");
    }
    deft__lines_init(&self->lines, (size_t)256 * 1024 * 1024, NULL);
    deft_buffer_init(&self->chunk, NULL);
    deft_buffer_init(&self->fed, NULL);
    deft_buffer_init(&self->line, NULL);
    deft__json_init(&self->answer, NULL);
}

void serving_configure(serving *self, const char *text)
{
    char path[96];
    path_in(self, "deft.json", path, sizeof path);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        serving_fail(self, "deft.json cannot be written");
    }
}

// --- The process. -------------------------------------------------------------------------------

static void run_child(const serving *self, const char *const *command, const int *in,
                      const int *out)
{
    char path[96];
    path_in(self, "stderr", path, sizeof path);
    const int talk = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)dup2(in[0], STDIN_FILENO);
    (void)dup2(out[1], STDOUT_FILENO);
    (void)dup2(talk, STDERR_FILENO);
    // Nothing of whoever runs the test gets in: neither settings nor state.
    static const char *const homes[] = {"HOME",           "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
                                        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"};
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        (void)setenv(homes[i], self->folder, 1);
    }
    char *words[WORDS_MAX] = {NULL};
    for (size_t i = 0; i + 1 < WORDS_MAX && command[i] != NULL; i++) {
        words[i] = strdup(command[i]);
    }
    (void)execv(words[0], words);
    (void)dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
    _exit(127);
}

void serving_start(serving *self, const char *const *command)
{
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
        serving_fail(self, "there are no pipes");
    }
    self->process = fork();
    if (self->process < 0) {
        serving_fail(self, "fork failed");
    } else if (self->process == 0) {
        run_child(self, command, in, out);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    self->input  = in[1];
    self->output = out[0];
    // Both directions at once: neither side may wait for the other to read first.
    (void)fcntl(self->input, F_SETFL, O_NONBLOCK);
    (void)fcntl(self->output, F_SETFL, O_NONBLOCK);
}

void serving_start_deft(serving *self, const char *deft)
{
    char path[96];
    path_in(self, "deft.json", path, sizeof path);
    const char *const command[] = {deft, "serve", "--config", path, NULL};
    serving_start(self, command);
}

// The port that it says it listens on; 0: it has not said so yet.
static unsigned read_port(const serving *self)
{
    static const char said[] = "listening on port ";
    char              path[96];
    char              text[4096];
    unsigned          port = 0;
    path_in(self, "stderr", path, sizeof path);
    FILE *file = fopen(path, "r");
    while (file != NULL && port == 0 && fgets(text, sizeof text, file) != NULL) {
        const char *found = strstr(text, said);
        port = found != NULL ? (unsigned)strtoul(found + sizeof said - 1, NULL, 10) : 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return port;
}

uint16_t serving_start_http(serving *self, const char *deft)
{
    char path[96];
    path_in(self, "deft.json", path, sizeof path);
    const char *const command[] = {deft, "serve", "--config", path, "--http", "127.0.0.1:0", NULL};
    const int64_t     end       = now_ms() + LIMIT_MS;
    unsigned          port      = 0;
    serving_start(self, command);
    while ((port = read_port(self)) == 0) {
        // It says so in a file, which nobody can wait for.
        if (now_ms() > end || poll(NULL, 0, 2) < 0) {
            serving_fail(self, "it does not listen");
        }
    }
    return (uint16_t)port;
}

// --- Speaking. ----------------------------------------------------------------------------------

// Reads what is there into the chunk's end; false: the output has ended.
static bool read_more(serving *self)
{
    char          bytes[CHUNK_SIZE];
    const ssize_t size = read(self->output, bytes, sizeof bytes);
    if (size > 0) {
        deft_buffer_append(&self->chunk, deft_view_make(bytes, (size_t)size));
    } else if (size == 0) {
        return false;
    } else if (errno != EAGAIN && errno != EINTR) {
        serving_fail(self, "its output cannot be read");
    }
    return true;
}

// Waits until one of the descriptors can be used.
static void wait_for(serving *self, struct pollfd *watched, nfds_t count, int64_t deadline_ms,
                     const char *what)
{
    const int64_t left = deadline_ms - now_ms();
    if (left <= 0 || poll(watched, count, (int)left) == 0) {
        serving_fail(self, what);
    }
}

void serving_send_bytes(serving *self, const char *data, size_t size)
{
    const int64_t deadline_ms = now_ms() + LIMIT_MS;
    while (size > 0) {
        const ssize_t written = write(self->input, data, size);
        if (written > 0) {
            data += written;
            size -= (size_t)written;
            continue;
        } else if (errno != EAGAIN && errno != EINTR) {
            serving_fail(self, "it does not take input any more");
        }
        struct pollfd watched[] = {{.fd = self->input, .events = POLLOUT},
                                   {.fd = self->output, .events = POLLIN}};
        wait_for(self, watched, 2, deadline_ms, "it takes no input");
        if ((watched[1].revents & POLLIN) != 0) {
            (void)read_more(self);
        }
    }
}

void serving_send(serving *self, const char *format, ...)
{
    static char text[65536];
    va_list     arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof text - 1) {
        serving_fail(self, "a line is too long for this test");
    }
    text[size] = '\n';
    serving_send_bytes(self, text, (size_t)size + 1);
}

// A line that is whole already; empty when more must be read.
static bool take_line(serving *self)
{
    deft_view line;
    if (deft__lines_next(&self->lines, &line) == DEFT_OK) {
        deft_buffer_reset(&self->line);
        deft_buffer_append(&self->line, line);
        return true;
    }
    return false;
}

bool serving_next(serving *self, deft__json_value *message)
{
    const int64_t deadline_ms = now_ms() + LIMIT_MS;
    bool          is_open     = true;
    while (!take_line(self)) {
        while (is_open && self->chunk.size == 0) {
            struct pollfd watched = {.fd = self->output, .events = POLLIN};
            wait_for(self, &watched, 1, deadline_ms, "no message came");
            is_open = read_more(self);
        }
        if (self->chunk.size == 0) {
            return false;
        }
        const deft_buffer spare = self->fed;
        self->fed               = self->chunk;
        self->chunk             = spare;
        deft_buffer_reset(&self->chunk);
        deft__lines_feed(&self->lines, deft_buffer_view(&self->fed));
    }
    static const deft__json_limits limits = {.size_max = 256u * 1024 * 1024};
    if (deft__json_parse(&self->answer, deft_buffer_view(&self->line), &limits, NULL) != DEFT_OK) {
        (void)printf("  line: %.*s\n", (int)(self->line.size < 500 ? self->line.size : 500),
                     self->line.data);
        serving_fail(self, "it said something that is not JSON");
    }
    *message = deft__json_root(&self->answer);
    return true;
}

void serving_expect_answer(serving *self, int id, deft__json_value *message)
{
    int64_t got;
    do {
        if (!serving_next(self, message)) {
            serving_fail(self, "it ended before it had answered");
        }
    } while (deft__json_int64(deft__json_member(*message, "id"), &got) != DEFT_OK || got != id ||
             deft__json_is(deft__json_member(*message, "method"), DEFT__JSON_STRING));
}

void serving_shake_hands(serving *self)
{
    deft__json_value message;
    serving_send(self, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
                       "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                       "\"clientInfo\":{\"name\":\"faults\",\"version\":\"1\"}}}");
    serving_expect_answer(self, 1, &message);
    serving_send(self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    serving_send(self, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
    serving_expect_answer(self, 2, &message);
}

// --- The end. -----------------------------------------------------------------------------------

static void remove_folder(const char *folder)
{
    char command[96];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) { // NOLINT(cert-env33-c): our own folder, by a name that we made
        (void)printf("  %s stays\n", folder);
    }
}

void serving_close(serving *self)
{
    (void)close(self->input);
    self->input = -1;
}

static void wait_for_end(serving *self)
{
    int  status = 0;
    char what[64];
    if (waitpid(self->process, &status, 0) != self->process) {
        serving_fail(self, "it is not there to be waited for");
    }
    self->process = 0;
    if (status != 0) {
        (void)snprintf(what, sizeof what, "it ended with %s %d",
                       WIFEXITED(status) ? "status" : "signal",
                       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        serving_fail(self, what);
    }
}

void serving_run(serving *self, const char *const *command, deft_buffer *out)
{
    serving other = *self; // the same folder; what is being said there stays untouched
    deft_buffer_init(&other.chunk, NULL);
    serving_start(&other, command);
    serving_close(&other);
    while (read_more(&other)) {
        struct pollfd watched = {.fd = other.output, .events = POLLIN};
        wait_for(&other, &watched, 1, now_ms() + LIMIT_MS, "a command does not end");
    }
    (void)close(other.output);
    wait_for_end(&other);
    deft_buffer_append(out, deft_buffer_view(&other.chunk));
    deft_buffer_clear(&other.chunk);
}

void serving_discover(serving *self, const char *deft)
{
    char        path[96];
    deft_buffer out;
    path_in(self, "deft.json", path, sizeof path);
    const char *const command[] = {deft, "servers", "--discover", "--config", path, NULL};
    deft_buffer_init(&out, NULL);
    serving_run(self, command, &out);
    deft_buffer_clear(&out);
}

void serving_expect_idle(serving *self, const char *deft)
{
    char              process[32];
    deft_buffer       out;
    deft__json        document;
    size_t            count     = 0;
    const char *const command[] = {deft, "servers", "--json", "--gateway", process, NULL};
    (void)snprintf(process, sizeof process, "%d", (int)self->process);
    deft_buffer_init(&out, NULL);
    deft__json_init(&document, NULL);
    serving_run(self, command, &out);
    if (deft__json_parse(&document, deft_buffer_view(&out), NULL, NULL) != DEFT_OK) {
        serving_fail(self, "deft servers --json did not write JSON");
    }
    deft__json_iterator i =
        deft__json_iterate(deft__json_member(deft__json_root(&document), "servers"));
    while (deft__json_next(&i)) {
        uint64_t open = 1;
        count++;
        if (deft__json_uint64(deft__json_member(i.value, "open"), &open) != DEFT_OK || open > 0) {
            (void)printf("  %.*s\n", (int)deft__json_raw(i.value).size,
                         deft__json_raw(i.value).data);
            serving_fail(self, "a call is still open");
        }
    }
    if (count == 0) {
        serving_fail(self, "deft servers --json shows no server");
    }
    deft__json_clear(&document);
    deft_buffer_clear(&out);
}

void serving_stop(serving *self)
{
    deft__json_value message;
    if (self->input >= 0) {
        serving_close(self);
    }
    while (serving_next(self, &message)) {
        // Read to the end: whoever writes must not be stopped by us.
    }
    (void)close(self->output);
    wait_for_end(self);
}

void serving_remove(serving *self)
{
    deft__lines_clear(&self->lines);
    deft_buffer_clear(&self->chunk);
    deft_buffer_clear(&self->fed);
    deft_buffer_clear(&self->line);
    deft__json_clear(&self->answer);
    remove_folder(self->folder);
}

void serving_finish(serving *self)
{
    serving_stop(self);
    serving_remove(self);
}

void serving_terminate(serving *self)
{
    if (kill(self->process, SIGTERM) != 0) {
        serving_fail(self, "it is gone already");
    }
    serving_finish(self);
}

void serving_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

size_t serving_children(pid_t process, pid_t *children, size_t children_max)
{
    char   path[64];
    size_t count = 0;
    long   child;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    while (count < children_max && fscanf(file, "%ld", &child) == 1) { // NOLINT(cert-err34-c)
        children[count++] = (pid_t)child;
    }
    (void)fclose(file);
    return count;
}

static bool is_zombie(pid_t process)
{
    char path[64];
    char state = '?';
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        state = fscanf(file, "%*d (%*[^)]) %c", &state) == 1 ? state : '?';
        (void)fclose(file);
    }
    return state == 'Z';
}

void serving_expect_no_zombies(serving *self)
{
    const int64_t    deadline_ms = now_ms() + LIMIT_MS;
    deft__json_value message;
    pid_t            children[CHILDREN_MAX];
    size_t           zombies;
    int              id = 1000000;
    do {
        const size_t count = serving_children(self->process, children, CHILDREN_MAX);
        zombies            = 0;
        for (size_t i = 0; i < count; i++) {
            zombies += is_zombie(children[i]);
        }
        if (zombies > 0 && now_ms() > deadline_ms) {
            serving_fail(self, "it has zombies");
        }
        serving_send(self, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", id);
        serving_expect_answer(self, id++, &message);
    } while (zombies > 0);
}

static size_t read_kb(const serving *self, const char *which, const char *name)
{
    char   path[64];
    char   line[256];
    size_t kb = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)self->process, which);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kb = strtoul(line + strlen(name), NULL, 10);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kb;
}

size_t serving_resident_kb(const serving *self)
{
    return read_kb(self, "status", "VmRSS:");
}

size_t serving_peak_kb(const serving *self)
{
    return read_kb(self, "status", "VmHWM:");
}

size_t serving_memory_kb(const serving *self, const char *name)
{
    return read_kb(self, "smaps_rollup", name);
}

size_t serving_end_orphans(void)
{
    pid_t  children[CHILDREN_MAX];
    size_t ended = 0;
    size_t count;
    do {
        count = serving_children(getpid(), children, CHILDREN_MAX);
        for (size_t i = 0; i < count; i++) {
            ended += !is_zombie(children[i]);
            (void)kill(children[i], SIGKILL);
            (void)waitpid(children[i], NULL, 0);
        }
    } while (count > 0);
    return ended;
}
