// conversation [--rewrite] FILE... - plays golden conversations with a gateway: who says what, in
// order, with time as a line of the script. Nothing runs, nothing waits: the gateway is fed.
//
// A file holds both sides. Lines that are put in:
//
//     set KEY VALUE           a setting
//     server NAME             a configured server; it answers the handshake and lists by itself,
//                             which is not shown
//     manual NAME             the same, but it answers nothing by itself, and all is shown
//     tools NAME [...]        what its tools/list answers; also: prompts, resources, templates
//     manifest NAME {...}     what was kept of it, fresh
//     plain                   tools keep their own names
//     only CLIENT NAME        the client sees one server, under its own names
//     everything CLIENT       the client sees all tools, none deferred
//     allow CLIENT PATTERN    the client may reach only these tools
//     deny CLIENT PATTERN     the client may not reach these tools
//     reach CLIENT PATTERN    the client may reach only these servers
//     principal CLIENT N      whose the client is
//     capable NAME {...}      its capabilities
//     client > {...}          the client says; "client2" is another one
//     NAME > {...}            the server says
//     NAME ! REASON           the server is gone
//     clock + 30000ms
//     hook N EXIT MESSAGE     the user's command ends
//     client ! gone
//     reset
//     ending                  the gateway is about to stop
//     status, servers         print them
//
// and lines that come out: `client < {...}`, `NAME < {...}`, `NAME : starts`, `NAME : stops`,
// `journal ...`, `hook ...`. The conversation is played anew from the first kind, and must come out
// the same. --rewrite makes the file say what the gateway does; the diff is then what to read.
#include "deft/config.h"
#include "gateway/gateway.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS_MAX 64
#define CLIENTS_MAX 8
#define EVENTS_MAX  65536

typedef struct actor {
    char     name[64];
    bool     is_manual;
    char    *lists[4]; // tools, prompts, resources, templates
    char    *capabilities;
    char    *manifest;
    uint32_t life;
} actor;

typedef enum event_kind {
    EVENT_OPENED,
    EVENT_LINE,
    EVENT_JOB
} event_kind;

typedef struct event {
    event_kind kind;
    size_t     server;
    uint32_t   life;
    char      *line;
    void      *job;
} event;

typedef struct play {
    deft_config   *config;
    actor          actors[SERVERS_MAX];
    size_t         actor_count;
    deft_naming    naming;
    deft__gateway *gateway;
    deft__client  *clients[CLIENTS_MAX];
    char          *only[CLIENTS_MAX]; // the one server that a client sees
    bool           is_everything[CLIENTS_MAX];
    uint64_t       principals[CLIENTS_MAX];
    char          *allowed[CLIENTS_MAX]; // a pattern of tools that it may reach
    char          *denied[CLIENTS_MAX];  // a pattern of tools that it may not reach
    char          *reached[CLIENTS_MAX]; // a pattern of servers that it may reach
    uint64_t       now_ms;
    event         *events;
    size_t         event_first;
    size_t         event_count;
    deft_buffer    out;
    bool           is_wrong;
} play;

static const char *const list_names[] = {"tools", "prompts", "resources", "templates"};

static void print(play *p, const char *who, const char *sign, deft_view text)
{
    char head[128];
    (void)snprintf(head, sizeof head, "%-8s %s ", who, sign);
    deft_buffer_append_text(&p->out, head);
    deft_buffer_append(&p->out, text);
    deft_buffer_append_byte(&p->out, '\n');
}

static void complain(play *p, const char *what, const char *line)
{
    fprintf(stderr, "conversation: %s: %s\n", what, line);
    p->is_wrong = true;
}

static char *copy_text(const char *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

static void push(play *p, event one)
{
    if (p->event_count >= EVENTS_MAX) {
        abort();
    }
    p->events[p->event_count++] = one;
}

// --- The host. ---

static void server_start(void *context, size_t server, uint32_t life)
{
    play *p                = context;
    p->actors[server].life = life;
    if (p->actors[server].is_manual) {
        print(p, p->actors[server].name, ":", deft_view_of("starts"));
    }
    push(p, (event){.kind = EVENT_OPENED, .server = server, .life = life});
}

// Queues a message: the id, what follows it, a text, and the end.
static void say(play *p, size_t server, uint32_t life, deft_view id, const char *middle,
                const char *text, const char *end)
{
    deft_buffer line;
    deft_buffer_init(&line, NULL);
    deft_buffer_append_text(&line, "{\"jsonrpc\":\"2.0\",\"id\":");
    deft_buffer_append(&line, id);
    deft_buffer_append_text(&line, middle);
    deft_buffer_append_text(&line, text);
    deft_buffer_append_text(&line, end);
    push(p, (event){.kind   = EVENT_LINE,
                    .server = server,
                    .life   = life,
                    .line   = copy_text(line.data, line.size)});
    deft_buffer_clear(&line);
}

// What every server says alike. True when that was all.
static bool answer(play *p, size_t server, uint32_t life, const deft__mcp_message *message)
{
    static const struct {
        const char *method;
        const char *member;
    } lists[]         = {{"tools/list", ",\"result\":{\"tools\":"},
                         {"prompts/list", ",\"result\":{\"prompts\":"},
                         {"resources/list", ",\"result\":{\"resources\":"},
                         {"resources/templates/list", ",\"result\":{\"resourceTemplates\":"}};
    const actor *self = &p->actors[server];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (deft_view_equals(message->method, lists[i].method)) {
            say(p, server, life, message->id, lists[i].member,
                self->lists[i] != NULL ? self->lists[i] : "[]", "}}");
            return true;
        }
    }
    if (deft_view_equals(message->method, "server/discover")) {
        say(p, server, life, message->id, ",\"error\":{\"code\":-32601,\"message\":\"",
            "Method not found", "\"}}");
    } else if (deft_view_equals(message->method, "initialize")) {
        say(p, server, life, message->id,
            ",\"result\":{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":{\"name\":\"actor\","
            "\"version\":\"1\"},\"capabilities\":",
            self->capabilities != NULL ? self->capabilities : "{\"tools\":{}}", "}}");
    } else {
        return deft_view_equals(message->method, "notifications/initialized");
    }
    return true;
}

static void server_send(void *context, size_t server, uint32_t life, deft_view line)
{
    play             *p = context;
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft__mcp_reader_init(&reader, NULL);
    const bool is_read = deft__mcp_reader_take(&reader, line, NULL) == DEFT_OK &&
                         deft__mcp_reader_next(&reader, &message, NULL) == DEFT_OK;
    if (p->actors[server].is_manual || !is_read || !answer(p, server, life, &message)) {
        print(p, p->actors[server].name, "<", line);
    }
    deft__mcp_reader_clear(&reader);
}

static void server_stop(void *context, size_t server, uint32_t life)
{
    play *p = context;
    (void)life;
    print(p, p->actors[server].name, ":", deft_view_of("stops"));
}

static void client_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    (void)about;
    play *p = context;
    char  name[16];
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        if (p->clients[i] == client) {
            (void)snprintf(name, sizeof name, "client%.0zu", i == 0 ? 0 : i + 1);
            print(p, name, "<", line);
        }
    }
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    push(context, (event){.kind = EVENT_JOB, .job = job});
}

static void hook_run(void *context, const deft__hook *hook)
{
    play *p = context;
    char  who[48];
    (void)snprintf(who, sizeof who, "hook %" PRIu64 " %s", hook->number,
                   hook->is_before ? "before" : "after");
    print(p, who, "<", hook->input);
}

static void journal(void *context, const deft__journal_entry *entry)
{
    static const char *const kinds[] = {"search", "describe", "call"};
    play                    *p       = context;
    char                     text[400];
    (void)snprintf(text, sizeof text, "%s %.*s %s, found %" PRIu32 ", %" PRIu64 " ms%s%.*s",
                   kinds[entry->kind], (int)entry->tool.size, entry->tool.data, entry->outcome,
                   entry->found_count, entry->duration_ms, entry->reason.size > 0 ? ": " : "",
                   (int)entry->reason.size, entry->reason.data);
    print(p, "journal", "<", deft_view_of(text));
}

// --- The play. ---

static void pump(play *p)
{
    do {
        while (p->event_first < p->event_count) {
            event       one = p->events[p->event_first++];
            deft__link *link =
                one.kind != EVENT_JOB ? deft__gateway_link(p->gateway, one.server) : NULL;
            switch (one.kind) {
            case EVENT_OPENED:
                deft__link_opened(link, one.life);
                break;
            case EVENT_LINE:
                deft__link_received(link, one.life, deft_view_of(one.line));
                free(one.line);
                break;
            case EVENT_JOB:
                deft__snapshot_job_run(one.job);
                deft__gateway_snapshot_built(p->gateway, one.job);
                break;
            }
        }
        p->event_first = p->event_count = 0;
        deft__gateway_advance(p->gateway, p->now_ms);
    } while (p->event_count > 0 || deft__gateway_next(p->gateway) <= p->now_ms);
}

static void begin(play *p)
{
    static const deft__gateway_host host_calls = {
        .server_start   = server_start,
        .server_send    = server_send,
        .server_stop    = server_stop,
        .client_send    = client_send,
        .snapshot_build = snapshot_build,
        .hook_run       = hook_run,
        .journal        = journal,
    };
    deft_error           error = DEFT_ERROR_INIT;
    deft__gateway_server servers[SERVERS_MAX];
    deft__gateway_host   host = host_calls;
    host.context              = p;
    if (p->gateway != NULL) {
        return;
    }
    if (deft_config_resolve(p->config, &error) != DEFT_OK) {
        complain(p, "settings", error.message);
        exit(2);
    }
    for (size_t i = 0; i < p->actor_count; i++) {
        const actor *one = &p->actors[i];
        servers[i]       = (deft__gateway_server){
                  .name     = deft_view_of(one->name),
                  .manifest = one->manifest != NULL
                                  ? deft__manifest_new(deft_view_of(one->manifest), NULL, &error)
                                  : NULL,
                  .is_fresh = true,
        };
    }
    const deft__gateway_options options = {.settings     = deft_config_settings(p->config),
                                           .servers      = servers,
                                           .server_count = p->actor_count,
                                           .naming       = p->naming,
                                           .seed         = 42};
    p->gateway = deft__gateway_new(&options, &host, p->now_ms, NULL, &error);
    for (size_t i = 0; i < p->actor_count; i++) {
        deft__manifest_release(servers[i].manifest);
    }
    if (p->gateway == NULL) {
        complain(p, "gateway", error.message);
        exit(2);
    }
    deft__gateway_start(p->gateway);
    pump(p);
}

static actor *find_actor(play *p, const char *name, size_t *place)
{
    for (size_t i = 0; i < p->actor_count; i++) {
        if (strcmp(p->actors[i].name, name) == 0) {
            *place = i;
            return &p->actors[i];
        }
    }
    return NULL;
}

static size_t client_place(const char *name)
{
    const unsigned long number = strcmp(name, "client") == 0 ? 1 : strtoul(name + 6, NULL, 10);
    return number >= 1 && number <= CLIENTS_MAX ? (size_t)number - 1 : 0;
}

static deft__client *open_client(play *p, size_t place)
{
    const deft_view            allowed     = deft_view_of(p->allowed[place]);
    const deft_view            denied      = deft_view_of(p->denied[place]);
    const deft_view            reached     = deft_view_of(p->reached[place]);
    const deft_restriction     restriction = {.servers      = &reached,
                                              .server_count = reached.size > 0 ? 1 : 0,
                                              .tools        = &allowed,
                                              .tool_count   = allowed.size > 0 ? 1 : 0,
                                              .denied       = &denied,
                                              .denied_count = denied.size > 0 ? 1 : 0};
    const deft__client_options options     = {.principal     = p->principals[place],
                                              .is_everything = p->is_everything[place],
                                              .server        = deft_view_of(p->only[place]),
                                              .restriction   = &restriction};
    deft_error                 error       = DEFT_ERROR_INIT;
    deft__client              *client      = deft__client_open(p->gateway, &options, &error);
    if (client == NULL) {
        complain(p, "client", error.message);
        exit(2);
    }
    return client;
}

// The client's or a server's turn: `rest` is what follows its name and the sign.
static void speak(play *p, const char *name, char sign, const char *rest)
{
    size_t place = 0;
    begin(p);
    if (strncmp(name, "client", 6) == 0) {
        deft__client **client = &p->clients[client_place(name)];
        if (sign == '!') {
            deft__client_close(*client);
            *client = NULL;
        } else {
            if (*client == NULL) {
                *client = open_client(p, client_place(name));
            }
            deft__client_receive(*client, deft_view_of(rest));
        }
    } else if (find_actor(p, name, &place) != NULL) {
        deft__link *link = deft__gateway_link(p->gateway, place);
        if (sign == '!') {
            deft__link_closed(link, p->actors[place].life, deft_view_of(rest));
        } else {
            deft__link_received(link, p->actors[place].life, deft_view_of(rest));
        }
    } else {
        complain(p, "nobody is called", name);
    }
    pump(p);
}

// What a client is shown.
static bool prepare_client(play *p, const char *word, size_t place, const char *rest)
{
    rest += strspn(rest, " ");
    if (strcmp(word, "only") == 0) {
        p->only[place] = copy_text(rest, strlen(rest));
    } else if (strcmp(word, "allow") == 0) {
        p->allowed[place] = copy_text(rest, strlen(rest));
    } else if (strcmp(word, "deny") == 0) {
        p->denied[place] = copy_text(rest, strlen(rest));
    } else if (strcmp(word, "reach") == 0) {
        p->reached[place] = copy_text(rest, strlen(rest));
    } else if (strcmp(word, "principal") == 0) {
        p->principals[place] = strtoull(rest, NULL, 10);
    } else if (strcmp(word, "everything") == 0) {
        p->is_everything[place] = true;
    } else {
        return false;
    }
    return true;
}

// A line that prepares the scene. False: it is none.
static bool prepare(play *p, const char *word, const char *rest)
{
    char       name[64] = "";
    size_t     place    = 0;
    deft_error error    = DEFT_ERROR_INIT;
    if (strcmp(word, "set") == 0) {
        const size_t size = strcspn(rest, " ");
        if (deft_config_set(p->config, DEFT_LAYER_COMMAND_LINE, deft_view_make(rest, size),
                            deft_view_of(rest + size + 1), deft_view_of("set"),
                            &error) != DEFT_OK) {
            complain(p, error.message, rest);
        }
        return true;
    }
    if (strcmp(word, "plain") == 0) {
        p->naming = DEFT_NAMING_PLAIN;
        return true;
    }
    if (strcmp(word, "server") == 0 || strcmp(word, "manual") == 0) {
        actor *made = &p->actors[p->actor_count++];
        (void)snprintf(made->name, sizeof made->name, "%s", rest);
        made->is_manual = word[0] == 'm';
        return true;
    }
    const size_t size = strcspn(rest, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)size, rest);
    if (strncmp(name, "client", 6) == 0) {
        return prepare_client(p, word, client_place(name), rest + size);
    }
    actor *one = find_actor(p, name, &place);
    if (one == NULL || rest[size] == '\0') {
        return false;
    }
    char *text = copy_text(rest + size + 1, strlen(rest + size + 1));
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(word, list_names[i]) == 0) {
            free(one->lists[i]);
            one->lists[i] = text;
            return true;
        }
    }
    if (strcmp(word, "manifest") == 0) {
        one->manifest = text;
    } else if (strcmp(word, "capable") == 0) {
        one->capabilities = text;
    } else {
        free(text);
        return false;
    }
    return true;
}

// Each line behind a bar, so that it is not taken for one of the script's.
static void print_status(play *p)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    (void)deft__gateway_write_status(p->gateway, &text);
    deft_buffer_append_byte(&text, '\0');
    for (const char *line = text.data; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        deft_buffer_append_text(&p->out, "| ");
        deft_buffer_append(&p->out, deft_view_make(line, size));
        deft_buffer_append_byte(&p->out, '\n');
        line += line[size] == '\n' ? size + 1 : size;
    }
    deft_buffer_clear(&text);
}

static bool act(play *p, const char *word, const char *rest)
{
    if (strcmp(word, "clock") == 0 && rest[0] == '+') {
        const uint64_t number = strtoull(rest + 1, NULL, 10);
        begin(p);
        // Every timer at its own time.
        const uint64_t end = p->now_ms + number;
        while (deft__gateway_next(p->gateway) <= end) {
            p->now_ms = deft__gateway_next(p->gateway);
            pump(p);
        }
        p->now_ms = end;
        pump(p);
    } else if (strcmp(word, "hook") == 0) {
        char          *at;
        const uint64_t number = strtoull(rest, &at, 10);
        const int      code   = (int)strtol(at, &at, 10);
        deft__gateway_hook_finished(p->gateway, number, code, deft_view_of(at + strspn(at, " ")));
        pump(p);
    } else if (strcmp(word, "reset") == 0) {
        deft__gateway_reset(p->gateway);
        pump(p);
    } else if (strcmp(word, "ending") == 0) {
        deft__gateway_end_listens(p->gateway);
        pump(p);
    } else if (strcmp(word, "status") == 0) {
        begin(p);
        print_status(p);
    } else if (strcmp(word, "servers") == 0) {
        begin(p);
        deft_buffer text;
        deft_buffer_init(&text, NULL);
        (void)deft__gateway_write_servers(p->gateway, &text);
        print(p, "servers", "<", deft_buffer_view(&text));
        deft_buffer_clear(&text);
    } else {
        return false;
    }
    return true;
}

// Whether a line came out last time, so that it is not put in again.
static bool is_output(const play *p, const char *word, const char *rest)
{
    (void)p;
    return rest[0] == '<' || rest[0] == ':' || strcmp(word, "journal") == 0 ||
           (strcmp(word, "hook") == 0 && strstr(rest, " < ") != NULL);
}

static void play_line(play *p, const char *line)
{
    char         word[64];
    const size_t size = strcspn(line, " ");
    const char  *rest = line + size + strspn(line + size, " ");
    (void)snprintf(word, sizeof word, "%.*s", (int)(size < 63 ? size : 63), line);
    if (line[0] == '\0' || line[0] == '#') {
        deft_buffer_append_text(&p->out, line);
        deft_buffer_append_byte(&p->out, '\n');
        return;
    }
    if (line[0] == ' ' || line[0] == '|' || is_output(p, word, rest)) {
        return;
    }
    deft_buffer_append_text(&p->out, line);
    deft_buffer_append_byte(&p->out, '\n');
    if ((rest[0] == '>' || rest[0] == '!') && rest[1] == ' ') {
        speak(p, word, rest[0], rest + 2);
    } else if (!act(p, word, rest) && !prepare(p, word, rest)) {
        complain(p, "not understood", line);
    }
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    deft_buffer text;
    char        block[4096];
    size_t      count;
    deft_buffer_init(&text, NULL);
    while ((count = fread(block, 1, sizeof block, file)) > 0) {
        deft_buffer_append(&text, deft_view_make(block, count));
    }
    (void)fclose(file);
    *size      = text.size;
    char *copy = copy_text(text.size > 0 ? text.data : "", text.size);
    deft_buffer_clear(&text);
    return copy;
}

static void end_play(play *p)
{
    deft__gateway_free(p->gateway);
    deft_config_free(p->config);
    for (size_t i = 0; i < p->actor_count; i++) {
        for (size_t j = 0; j < 4; j++) {
            free(p->actors[i].lists[j]);
        }
        free(p->actors[i].manifest);
        free(p->actors[i].capabilities);
    }
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        free(p->only[i]);
        free(p->allowed[i]);
        free(p->denied[i]);
        free(p->reached[i]);
    }
    free(p->events);
    deft_buffer_clear(&p->out);
    free(p);
}

static void show_difference(const char *path, const char *old, size_t size, deft_view now)
{
    size_t line = 1;
    size_t at   = 0;
    size_t from = 0;
    while (at < now.size && at < size && old[at] == now.data[at]) {
        if (old[at] == '\n') {
            line++;
            from = at + 1;
        }
        at++;
    }
    fprintf(stderr, "%s:%zu: comes out differently\n  file: %.*s\n  now:  %.*s\n", path, line,
            (int)strcspn(old + from, "\n"), old + from,
            (int)(now.size - from < 2000 ? strcspn(now.data + from, "\n") : 2000), now.data + from);
}

static bool play_file(const char *path, bool is_rewriting)
{
    size_t size;
    char  *text = read_file(path, &size);
    if (text == NULL) {
        fprintf(stderr, "conversation: cannot read %s\n", path);
        return false;
    }
    play *p = calloc(1, sizeof *p);
    if (p == NULL) {
        abort();
    }
    p->events = calloc(EVENTS_MAX, sizeof *p->events);
    p->naming = DEFT_NAMING_WIRE;
    p->config = deft_config_new(NULL, NULL);
    deft_buffer_init(&p->out, NULL);
    char *line = text;
    while (*line != '\0') {
        char *end   = line + strcspn(line, "\n");
        char *saved = copy_text(line, (size_t)(end - line));
        play_line(p, saved);
        free(saved);
        line = *end == '\n' ? end + 1 : end;
    }
    deft_buffer_append_byte(&p->out, '\0');
    const deft_view now     = deft_view_make(p->out.data, p->out.size - 1);
    const bool      is_same = now.size == size && memcmp(now.data, text, size) == 0;
    bool            is_good = !p->is_wrong && (is_same || is_rewriting);
    if (is_rewriting && !is_same) {
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(now.data, 1, now.size, file) != now.size) {
            is_good = false;
        }
        if (file != NULL) {
            (void)fclose(file);
        }
    } else if (!is_same) {
        show_difference(path, text, size, now);
    }
    end_play(p);
    free(text);
    return is_good;
}

int main(int argument_count, char **arguments)
{
    bool is_rewriting = false;
    int  failed       = 0;
    int  passed       = 0;
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], "--rewrite") == 0) {
            is_rewriting = true;
        } else if (play_file(arguments[i], is_rewriting)) {
            passed++;
        } else {
            failed++;
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
