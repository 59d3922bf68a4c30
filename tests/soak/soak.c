// soak DEFT FAULT FAR [seconds=N] [waves=N] [clients=N] [servers=N] [seed=N] [pace=MS]
//
// deft over HTTP in bad company, for as long as one likes: clients of both eras that call, search, listen,
// leave in the middle, reset their connections, fall silent in the middle of a request or go on without
// reading; servers as child processes and over HTTP that are killed, stopped for a while and started
// again, and cut their answers short.
//
// What must hold: every request has exactly one answer, its own, unless the client itself broke the
// connection; a stream stays open as long as its client wants it; who falls silent in a request is
// cut off. After each wave everybody leaves, and deft has no connection, session or open request left,
// as many descriptors as after the first wave, and no more memory. At its end it exits with 0, which with
// a sanitizer means that nothing leaked. What happens is chosen by the seed; when, by the machine.
#define _GNU_SOURCE
#include "soak/soak.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS_MAX   10000
#define SETTLE_MS     150000
#define KILL_EVERY_MS 400

// --- Servers. -------------------------------------------------------------------------------------

static void start_far(soak *self, far_server *one)
{
    char port[16];
    int  out[2];
    (void)snprintf(port, sizeof port, "port=%u", (unsigned)one->port);
    if (pipe(out) != 0) {
        serving_fail(&self->server, "there is no pipe");
    }
    one->process = fork();
    if (one->process == 0) {
        (void)dup2(out[1], STDOUT_FILENO);
        for (int i = 3; i < 65536; i++) {
            (void)close(i);
        }
        (void)execl(self->far, self->far, port, one->is_modern ? "modern" : (char *)NULL,
                    (char *)NULL);
        _exit(127);
    }
    (void)close(out[1]);
    char          text[16] = "";
    const ssize_t size     = read(out[0], text, sizeof text - 1);
    (void)close(out[0]);
    if (size <= 0) {
        serving_fail(&self->server, "a server over HTTP does not start");
    }
    one->port = (uint16_t)strtoul(text, NULL, 10);
}

static void kill_far(soak *self)
{
    far_server *one = &self->fars[soak_random(self, self->far_count)];
    if (one->process > 0) {
        (void)kill(one->process, SIGKILL);
        (void)waitpid(one->process, NULL, 0);
        one->process = 0;
        one->due_ms  = self->now_ms + (int64_t)soak_random(self, 2000);
        self->kills++;
    }
}

static void kill_near(soak *self, bool is_stop)
{
    pid_t        children[4 * SOAK_SERVERS_MAX];
    const size_t count = serving_children(self->server.process, children, 4 * SOAK_SERVERS_MAX);
    if (count == 0) {
        return;
    }
    const pid_t process = children[soak_random(self, count)];
    if (is_stop) {
        self->stopped = process;
        self->stops++;
        (void)kill(process, SIGSTOP);
    } else {
        (void)kill(process, SIGKILL);
        self->kills++;
    }
}

static void disturb(soak *self)
{
    for (size_t i = 0; i < self->far_count; i++) {
        if (self->fars[i].process == 0 && self->now_ms >= self->fars[i].due_ms) {
            start_far(self, &self->fars[i]);
        }
    }
}

static void disturb_more(soak *self)
{
    if (self->stopped != 0) {
        (void)kill(self->stopped, SIGCONT);
        self->stopped = 0;
    }
    switch (soak_random(self, 4)) {
    case 0:
        kill_far(self);
        break;
    case 1:
        kill_near(self, true);
        break;
    default:
        kill_near(self, false);
        break;
    }
}

static void configure(soak *self)
{
    deft_buffer text;
    char        one[512];
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"toolSearch\":{\"enabled\":\"on\"},\"mcpServers\":{");
    for (size_t i = 0; i < self->near_count; i++) {
        (void)snprintf(one, sizeof one, "%s\"n%zu\":{\"command\":\"%s\",\"args\":[%s]}",
                       i > 0 ? "," : "", i, self->fault,
                       i % 10 == 0  ? "\"loud\""
                       : i % 2 == 0 ? ""
                                    : "\"modern\"");
        deft_buffer_append_text(&text, one);
    }
    for (size_t i = 0; i < self->far_count; i++) {
        self->fars[i].is_modern = i % 2 == 1;
        start_far(self, &self->fars[i]);
        (void)snprintf(one, sizeof one,
                       ",\"f%zu\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:%u/mcp\"}", i,
                       (unsigned)self->fars[i].port);
        deft_buffer_append_text(&text, one);
    }
    deft_buffer_append_text(&text, "}}");
    deft_buffer_append_byte(&text, '\0');
    serving_configure(&self->server, text.data);
    deft_buffer_clear(&text);
}

// --- Waves. ---------------------------------------------------------------------------------------

static void turn(soak *self)
{
    struct epoll_event ready[256];
    const int          count = epoll_wait(self->waiting, ready, 256, 5);
    self->now_ms             = soak_now_ms();
    for (int i = 0; i < count; i++) {
        caller *line = ready[i].data.ptr;
        if (line->descriptor >= 0) {
            caller_read(line);
        }
    }
    for (long i = 0; i < self->client_count; i++) {
        soak_client_look(&self->clients[i]);
    }
    disturb(self);
}

static size_t away_count(const soak *self)
{
    size_t count = 0;
    for (long i = 0; i < self->client_count; i++) {
        count += soak_client_is_away(&self->clients[i]) ? 1 : 0;
    }
    return count;
}

// Numbers that deft tells of itself.
typedef struct numbers {
    caller line;
    bool   is_there;
    size_t connections, sessions, open;
} numbers;

static size_t metric(deft_view text, const char *name)
{
    const char *found = memmem(text.data, text.size, name, strlen(name));
    return found != NULL ? strtoul(found + strlen(name), NULL, 10) : SIZE_MAX;
}

static void hear_numbers(caller *line, caller_news news, deft_view data)
{
    numbers *self = line->context;
    if (news == CALLER_END) {
        self->connections = metric(data, "\ndeft_http_connections ");
        self->sessions    = metric(data, "\ndeft_sessions ");
        self->open        = metric(data, "\ndeft_http_open_requests ");
        self->is_there    = true;
    }
}

static numbers ask_numbers(soak *self)
{
    numbers       it  = {.is_there = false};
    const int64_t end = soak_now_ms() + SETTLE_MS;
    caller_init(&it.line, hear_numbers, &it);
    if (!caller_connect(&it.line, self->port) ||
        !caller_send(&it.line, deft_view_of("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))) {
        serving_fail(&self->server, "it does not take connections any more");
    }
    while (!it.is_there) {
        struct pollfd ready = {.fd = it.line.descriptor, .events = POLLIN};
        if (poll(&ready, 1, 1000) > 0) {
            caller_read(&it.line);
        }
        if (soak_now_ms() > end || it.line.descriptor < 0) {
            serving_fail(&self->server, "it does not tell its numbers");
        }
    }
    caller_clear(&it.line);
    return it;
}

static size_t descriptor_count(const soak *self, const char *kind)
{
    char   path[64];
    char   link[512];
    char   target[64];
    size_t count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)self->server.process);
    DIR           *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        (void)snprintf(link, sizeof link, "%s/%s", path, entry->d_name);
        const ssize_t size = readlink(link, target, sizeof target - 1);
        count += size > 0 && strncmp(target, kind, strlen(kind)) == 0 ? 1 : 0;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

// Everybody goes, and deft has to notice.
static void end_wave(soak *self)
{
    const int64_t end = soak_now_ms() + SETTLE_MS;
    self->is_ending   = true;
    if (self->stopped != 0) {
        (void)kill(self->stopped, SIGCONT);
        self->stopped = 0;
    }
    while (away_count(self) < (size_t)self->client_count) {
        turn(self);
        if (self->now_ms > end) {
            serving_fail(&self->server, "clients cannot leave");
        }
    }
    for (;;) {
        const numbers it = ask_numbers(self);
        if (it.connections == 1 && it.sessions == 0 && it.open <= 1) {
            break;
        }
        if (soak_now_ms() > end) {
            (void)printf("%zu connections, %zu sessions, %zu open requests\n", it.connections,
                         it.sessions, it.open);
            serving_fail(&self->server, "something is left of clients that are gone");
        }
        turn(self);
    }
    self->is_ending = false;
}

static void play_wave(soak *self, int64_t length_ms)
{
    const int64_t end       = soak_now_ms() + length_ms;
    int64_t       next_kill = soak_now_ms() + KILL_EVERY_MS;
    while (self->now_ms < end) {
        turn(self);
        if (self->now_ms >= next_kill) {
            next_kill = self->now_ms + KILL_EVERY_MS;
            disturb_more(self);
        }
    }
    end_wave(self);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void report(soak *self)
{
    for (int i = ASK_INITIALIZE; i < ASK_COUNT; i++) {
        const size_t count = self->sample_count[i];
        qsort(self->samples[i], count, sizeof(uint32_t), compare);
        (void)printf("  %-12s %8llu asked, %6llu answered with an error", soak_names[i],
                     (unsigned long long)self->asked[i], (unsigned long long)self->failed[i]);
        if (count > 0) {
            (void)printf(", p50 %u ms, p99 %u ms, longest %u ms", self->samples[i][count / 2],
                         self->samples[i][count * 99 / 100], self->samples[i][count - 1]);
        }
        (void)printf("\n");
    }
    (void)printf("  clients: %llu resets in a call, %llu silent in a request, %llu half closed, "
                 "%llu deaf, %llu gone and back, %llu streams reset, %llu events\n"
                 "  servers: %llu killed, %llu stopped for a while\n",
                 (unsigned long long)self->resets, (unsigned long long)self->silences,
                 (unsigned long long)self->half_closes, (unsigned long long)self->deaf,
                 (unsigned long long)self->leaves, (unsigned long long)self->resumed,
                 (unsigned long long)self->events, (unsigned long long)self->kills,
                 (unsigned long long)self->stops);
}

static void play(soak *self)
{
    size_t first_kb = 0, first_sockets = 0;
    for (long wave = 0; wave < self->waves; wave++) {
        play_wave(self, self->seconds * 1000 / self->waves);
        const size_t kb      = serving_resident_kb(&self->server);
        const size_t sockets = descriptor_count(self, "socket:");
        (void)printf(
            "  wave %ld: %llu requests so far; nobody left; %zu kB, %zu sockets, %zu pipes\n",
            wave + 1, (unsigned long long)self->numbers, kb, sockets,
            descriptor_count(self, "pipe:"));
        (void)fflush(stdout);
        first_kb      = wave == 0 ? kb : first_kb;
        first_sockets = wave == 0 ? sockets : first_sockets;
        // Connections to servers over HTTP stay open for a while, so sockets may differ by as many.
        if (sockets > first_sockets + 4 * self->far_count) {
            serving_fail(&self->server, "descriptors are left");
        }
        if (kb > first_kb * 5 / 4 + 8192) {
            serving_fail(&self->server, "memory grows from wave to wave");
        }
    }
}

// --- The start. -----------------------------------------------------------------------------------

static bool take_option(soak *self, const char *word)
{
    const struct {
        const char *name;
        long       *value;
        long        max;
    } options[] = {{"seconds=", &self->seconds, 86400},
                   {"waves=", &self->waves, 1000},
                   {"clients=", &self->client_count, CLIENTS_MAX},
                   {"servers=", &self->server_count, SOAK_SERVERS_MAX},
                   {"pace=", &self->pace_ms, 60000}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strncmp(word, options[i].name, strlen(options[i].name)) == 0) {
            *options[i].value = strtol(word + strlen(options[i].name), NULL, 10);
            return *options[i].value > 0 && *options[i].value <= options[i].max;
        }
    }
    if (strncmp(word, "seed=", 5) == 0) {
        self->random = strtoull(word + 5, NULL, 10);
        return true;
    }
    return false;
}

static void prepare(soak *self)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    // What a sanitizer keeps back of freed memory is not ours.
    (void)setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 0);
    self->far_count  = (size_t)self->server_count * 2 / 5;
    self->far_count  = self->far_count > 0 ? self->far_count : 1;
    self->near_count = (size_t)self->server_count - self->far_count;
    self->waiting    = epoll_create1(EPOLL_CLOEXEC);
    self->clients    = calloc((size_t)self->client_count, sizeof *self->clients);
    for (int i = 0; i < ASK_COUNT; i++) {
        self->samples[i] = malloc(SOAK_SAMPLES_MAX * sizeof(uint32_t));
    }
    self->now_ms = soak_now_ms();
    serving_adopt();
    serving_init(&self->server);
    configure(self);
    serving_discover(&self->server, self->deft);
    self->port = serving_start_http(&self->server, self->deft);
    for (long i = 0; i < self->client_count; i++) {
        soak_client_init(&self->clients[i], self, i % 2 == 1);
    }
}

int main(int argc, char **argv)
{
    static soak self    = {.seconds      = 600,
                           .waves        = 5,
                           .client_count = 1000,
                           .server_count = 50,
                           .pace_ms      = 1000,
                           .random       = 0};
    bool        is_fine = argc >= 4;
    for (int i = 4; i < argc; i++) {
        is_fine = is_fine && take_option(&self, argv[i]);
    }
    if (!is_fine || self.server_count < 2) {
        (void)fprintf(stderr, "usage: soak DEFT FAULT FAR [seconds=600] [waves=5] [clients=1000] "
                              "[servers=50] [seed=N] [pace=1000]\n");
        return 2;
    }
    self.deft  = argv[1];
    self.fault = argv[2];
    self.far   = argv[3];
    if (self.random == 0) {
        self.random = (uint64_t)soak_now_ms();
    }
    (void)printf("soak: %ld s, %ld clients, %ld servers, seed=%llu\n", self.seconds,
                 self.client_count, self.server_count, (unsigned long long)self.random);
    (void)fflush(stdout);
    prepare(&self);
    play(&self);
    serving_terminate(&self.server);
    report(&self);
    for (size_t i = 0; i < self.far_count; i++) {
        if (self.fars[i].process > 0) {
            (void)kill(self.fars[i].process, SIGKILL);
            (void)waitpid(self.fars[i].process, NULL, 0);
        }
    }
    if (serving_end_orphans() > 0) {
        (void)printf("FAIL processes were left behind\n");
        return 1;
    }
    return 0;
}
