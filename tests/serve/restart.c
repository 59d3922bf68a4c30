// restart.c - deft under a service manager that restarts it while agents work: no connection is refused
// and no request is lost.
//
//   restart DEFT SERVER    absolute paths; SERVER is server.c of this folder
//
// We are the manager: the listening socket is ours, and each deft gets it as descriptor 3. Agents are threads;
// half of them keep their connection, half take a new one for each call, and some calls are still open
// when the signal comes. There are two ways to restart: the new one starts first, or, as systemd does it,
// when the old one has gone. Whatever is waited for is an event; nothing sleeps.
#include "support/folder.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGENTS   8
#define RESTARTS 6
#define ANSWERS  40 // between two restarts

static const char *deft_path;
static const char *server_path;

typedef struct manager {
    test_folder     folder;
    int             listener;
    uint16_t        port;
    pthread_mutex_t mutex;
    pthread_cond_t  answered;
    size_t          answer_count;
    bool            is_over;
    char            wrong[2048]; // what an agent met first; empty: nothing
} manager;

// --- Agents. ---

typedef struct agent {
    manager  *all;
    pthread_t thread;
    int       number;
    int       peer; // -1: not connected
    size_t    call_count;
    char      text[16384];
} agent;

static void complain(agent *self, const char *what)
{
    manager *all = self->all;
    pthread_mutex_lock(&all->mutex);
    if (all->wrong[0] == '\0') {
        snprintf(all->wrong, sizeof all->wrong, "agent %d, call %zu: %s\n%.1500s", self->number,
                 self->call_count, what, self->text);
    }
    all->is_over = true;
    pthread_cond_signal(&all->answered);
    pthread_mutex_unlock(&all->mutex);
}

// As pools of clients do: a connection that the other side has closed is not used again.
static bool is_closed_by_peer(int peer)
{
    char byte;
    return recv(peer, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool need_connection(agent *self)
{
    const struct sockaddr_in address = {.sin_family      = AF_INET,
                                        .sin_port        = htons(self->all->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (self->peer >= 0 && is_closed_by_peer(self->peer)) {
        close(self->peer);
        self->peer = -1;
    }
    if (self->peer >= 0) {
        return true;
    }
    self->peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return connect(self->peer, (const struct sockaddr *)&address, sizeof address) == 0;
}

static bool send_call(agent *self, const char *mark)
{
    // Some take a moment: such calls are open when the signal comes.
    char        body[1024];
    const char *tool = self->call_count % 8 == 0 ? "later" : "echo";
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"
             "\"tool_call\",\"arguments\":{\"tool_name\":\"alpha::%s\",\"tool_args\":{\"text\":"
             "\"%s\"}},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
             tool, mark);
    const int size =
        snprintf(self->text, sizeof self->text,
                 "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: "
                 "2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: tool_call\r\n"
                 "Content-Length: %zu\r\n\r\n%s",
                 strlen(body), body);
    return send(self->peer, self->text, (size_t)size, MSG_NOSIGNAL) == size;
}

// Reads one answer, which has a known size.
static bool read_answer(agent *self)
{
    size_t size = 0;
    for (;;) {
        const ssize_t more = recv(self->peer, self->text + size, sizeof self->text - 1 - size, 0);
        if (more <= 0) {
            self->text[size] = '\0';
            return false;
        }
        size += (size_t)more;
        self->text[size]   = '\0';
        const char *body   = strstr(self->text, "\r\n\r\n");
        const char *length = strstr(self->text, "Content-Length: ");
        if (body != NULL && length != NULL &&
            size >= (size_t)(body + 4 - self->text) + strtoul(length + 16, NULL, 10)) {
            return true;
        }
    }
}

static bool is_over(manager *all)
{
    pthread_mutex_lock(&all->mutex);
    const bool over = all->is_over;
    pthread_mutex_unlock(&all->mutex);
    return over;
}

static void *work(void *context)
{
    agent     *self    = context;
    manager   *all     = self->all;
    const bool is_kept = self->number % 2 == 0;
    char       mark[64];
    for (; !is_over(all); self->call_count++) {
        snprintf(mark, sizeof mark, "call-%d-%zu-", self->number, self->call_count);
        self->text[0] = '\0';
        if (!need_connection(self)) {
            complain(self, "the connection was refused");
        } else if (!send_call(self, mark) || !read_answer(self)) {
            complain(self, "there was no answer");
        } else if (strstr(self->text, " 200 OK\r\n") == NULL || strstr(self->text, mark) == NULL) {
            complain(self, "this is no answer");
        } else if (!is_kept || strstr(self->text, "Connection: close\r\n") != NULL) {
            close(self->peer);
            self->peer = -1;
        }
        pthread_mutex_lock(&all->mutex);
        all->answer_count++;
        pthread_cond_signal(&all->answered);
        pthread_mutex_unlock(&all->mutex);
    }
    if (self->peer >= 0) {
        close(self->peer);
    }
    return NULL;
}

static void wait_for_answers(manager *all, size_t count)
{
    pthread_mutex_lock(&all->mutex);
    for (const size_t until = all->answer_count + count;
         all->answer_count < until && !all->is_over;) {
        pthread_cond_wait(&all->answered, &all->mutex);
    }
    pthread_mutex_unlock(&all->mutex);
}

// --- The manager. ---

static void open_listener(manager *all)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          size    = sizeof address;
    all->listener              = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(all->listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(all->listener, 128), 0);
    assert_int_equal(getsockname(all->listener, (struct sockaddr *)&address, &size), 0);
    all->port = ntohs(address.sin_port);
}

static void write_config(manager *all)
{
    FILE *file = fopen(test_folder_join(&all->folder, "deft.json"), "w");
    assert_non_null(file);
    fprintf(file,
            "{\"toolSearch\":{\"enabled\":\"on\"},\"http\":{\"graceMs\":60000},\"mcpServers\":"
            "{\"alpha\":{\"command\":\"%s\",\"args\":[\"alpha\"]}}}",
            server_path);
    assert_int_equal(fclose(file), 0);
}

typedef struct gateway {
    pid_t process;
    int   errors; // its stderr
} gateway;

static void become_deft(const manager *all, int errors)
{
    // A copy first: were ours number 3 itself, it would stay closed to the program.
    const int listener = fcntl(all->listener, F_DUPFD_CLOEXEC, 10);
    char      pid[24];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    if (dup2(errors, 2) != 2 || chdir(all->folder.path) != 0 || dup2(listener, 3) != 3 ||
        setenv("LISTEN_PID", pid, 1) != 0 || setenv("LISTEN_FDS", "1", 1) != 0 ||
        setenv("HOME", all->folder.path, 1) != 0 || unsetenv("XDG_RUNTIME_DIR") != 0 ||
        unsetenv("XDG_STATE_HOME") != 0 || unsetenv("XDG_CONFIG_HOME") != 0) {
        _exit(9);
    }
    execl(deft_path, deft_path, "serve", "--http", "--config", "deft.json", (char *)NULL);
    _exit(9);
}

// Starts one; it listens when this returns.
static gateway start(const manager *all)
{
    int  ends[2];
    char text[512];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    gateway one = {.process = fork(), .errors = ends[0]};
    assert_true(one.process >= 0);
    if (one.process == 0) {
        become_deft(all, ends[1]);
    }
    close(ends[1]);
    size_t size = 0;
    do {
        const ssize_t more = read(one.errors, text + size, sizeof text - 1 - size);
        if (more <= 0) {
            fail_msg("deft does not serve: %.*s", (int)size, text);
        }
        size += (size_t)more;
        text[size] = '\0';
    } while (strstr(text, "of 127.0.0.1, handed over by the service manager") == NULL);
    return one;
}

static void wait_for_end(gateway *one)
{
    int status = 0;
    assert_int_equal(waitpid(one->process, &status, 0), one->process);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(one->errors);
}

// Gateways that can be asked (control.h): a socket each.
static size_t count_sockets(const manager *all)
{
    char   path[512];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/.local/state/deft/run", all->folder.path);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += strstr(entry->d_name, ".sock") != NULL ? 1 : 0;
    }
    closedir(folder);
    return count;
}

static void restarts_lose_nothing(void **state)
{
    static manager all = {.mutex = PTHREAD_MUTEX_INITIALIZER, .answered = PTHREAD_COND_INITIALIZER};
    static agent   agents[AGENTS];
    (void)state;
    test_folder_init(&all.folder);
    open_listener(&all);
    write_config(&all);
    gateway now = start(&all);
    for (int i = 0; i < AGENTS; i++) {
        agents[i] = (agent){.all = &all, .number = i, .peer = -1};
        assert_int_equal(pthread_create(&agents[i].thread, NULL, work, &agents[i]), 0);
    }
    for (int i = 0; i < RESTARTS && !is_over(&all); i++) {
        wait_for_answers(&all, ANSWERS);
        gateway old = now;
        if (i % 2 == 0) {
            now = start(&all);
            assert_int_equal(count_sockets(&all), 2); // each has its own
            kill(old.process, SIGTERM);
            wait_for_end(&old);
        } else {
            kill(old.process, SIGTERM);
            wait_for_end(&old);
            now = start(&all);
        }
        assert_int_equal(count_sockets(&all), 1);
    }
    wait_for_answers(&all, ANSWERS);
    pthread_mutex_lock(&all.mutex);
    all.is_over = true;
    pthread_mutex_unlock(&all.mutex);
    for (int i = 0; i < AGENTS; i++) {
        pthread_join(agents[i].thread, NULL);
    }
    kill(now.process, SIGTERM);
    wait_for_end(&now);
    print_message("%zu calls answered over %d restarts\n", all.answer_count, RESTARTS);
    assert_string_equal(all.wrong, "");
    close(all.listener);
    test_folder_clear(&all.folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_lose_nothing),
    };
    if (argc != 3) {
        fputs("usage: restart DEFT SERVER\n", stderr);
        return 2;
    }
    deft_path   = argv[1];
    server_path = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
