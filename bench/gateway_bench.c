// How many calls a second the gateway itself relays, without processes and pipes: its servers echo
// inside this program. Beside it the least that any gateway must do in the same run: to read each
// message and to write it again under another id, twice a call.
#include "bench/bench.h"
#include "gateway/gateway.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS   200000
#define WINDOW  64 // calls on their way at once
#define ROUNDS  3  // the best one counts
#define SERVERS 8

#define TOOLS                                                                                      \
    "\"tools\":[{\"name\":\"echo\",\"description\":\"Echoes a text.\","                            \
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}}]"
#define MANIFEST                                                                                   \
    "{\"server\":\"%s\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"       \
    "\"serverInfo\":{}," TOOLS ",\"prompts\":[],\"resources\":[],\"resourceTemplates\":[]}"

typedef struct sent {
    size_t   server;
    uint32_t life;
    size_t   end; // of its line in `lines`
} sent;

typedef struct stage {
    deft__gateway      *gateway;
    deft__client       *client;
    deft__snapshot_job *job;
    deft_buffer         lines; // what servers have to answer still, one after the other
    sent               *sents;
    size_t              sent_count;
    size_t              sent_capacity;
    deft__json          document;
    deft_buffer         answer;
    size_t              answered;
    uint64_t            now_ms;
} stage;

static void server_send(void *context, size_t server, uint32_t life, deft_view line)
{
    stage *s = context;
    if (s->sent_count == s->sent_capacity) {
        s->sent_capacity = s->sent_capacity > 0 ? 2 * s->sent_capacity : WINDOW;
        s->sents         = realloc(s->sents, s->sent_capacity * sizeof *s->sents);
        if (s->sents == NULL) {
            exit(1);
        }
    }
    deft_buffer_append(&s->lines, line);
    s->sents[s->sent_count++] = (sent){.server = server, .life = life, .end = s->lines.size};
}

// To start one is to send it nothing: it opens when it is its turn.
static void server_start(void *context, size_t server, uint32_t life)
{
    server_send(context, server, life, deft_view_of(""));
}

static void server_stop(void *context, size_t server, uint32_t life)
{
    (void)context;
    (void)server;
    (void)life;
}

static void client_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    stage *s = context;
    (void)client;
    (void)about;
    (void)line;
    s->answered++;
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    ((stage *)context)->job = job;
}

// Answers as an echo server would: the handshake, and calls.
static void answer(stage *s, const sent *to, deft_view line)
{
    deft__link *link = deft__gateway_link(s->gateway, to->server);
    if (line.size == 0) {
        deft__link_opened(link, to->life);
        return;
    }
    if (deft__json_parse(&s->document, line, NULL, NULL) != DEFT_OK) {
        exit(1);
    }
    const deft__json_value message = deft__json_root(&s->document);
    const deft_view        id      = deft__json_raw(deft__json_member(message, "id"));
    const deft__json_value method  = deft__json_member(message, "method");
    if (id.size == 0) {
        return;
    }
    deft_buffer_reset(&s->answer);
    deft_buffer_append_text(&s->answer, "{\"jsonrpc\":\"2.0\",\"id\":");
    deft_buffer_append(&s->answer, id);
    if (deft__json_string_equals(method, deft_view_of("tools/call"))) {
        deft_buffer_append_text(
            &s->answer, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}");
    } else if (deft__json_string_equals(method, deft_view_of("initialize"))) {
        deft_buffer_append_text(
            &s->answer, ",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                        "{\"tools\":{}},\"serverInfo\":{\"name\":\"e\",\"version\":\"1\"}}}");
    } else if (deft__json_string_equals(method, deft_view_of("tools/list"))) {
        deft_buffer_append_text(&s->answer, ",\"result\":{" TOOLS "}}");
    } else {
        deft_buffer_append_text(&s->answer, ",\"error\":{\"code\":-32601,\"message\":\"no\"}}");
    }
    deft__link_received(link, to->life, deft_buffer_view(&s->answer));
}

// Lets servers answer until nothing is on its way.
static void settle(stage *s)
{
    for (;;) {
        if (deft__gateway_next(s->gateway) <= s->now_ms) {
            deft__gateway_advance(s->gateway, s->now_ms);
        } else if (s->sent_count == 0 && s->job == NULL) {
            return;
        }
        if (s->job != NULL) {
            deft__snapshot_job *job = s->job;
            s->job                  = NULL;
            deft__snapshot_job_run(job);
            deft__gateway_snapshot_built(s->gateway, job);
        }
        // Answering sends more: those wait for the next turn, in a buffer of their own.
        const deft_buffer lines = s->lines;
        sent *const       sents = s->sents;
        const size_t      count = s->sent_count;
        size_t            at    = 0;
        deft_buffer_init(&s->lines, NULL);
        s->sents      = NULL;
        s->sent_count = s->sent_capacity = 0;
        for (size_t i = 0; i < count; i++) {
            answer(s, &sents[i], deft_view_make(lines.data + at, sents[i].end - at));
            at = sents[i].end;
        }
        deft_buffer spent = lines;
        deft_buffer_clear(&spent);
        free(sents);
    }
}

static void receive(stage *s, const char *line)
{
    deft__client_receive(s->client, deft_view_of(line));
    settle(s);
}

#define CALL "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":{\"name\":"

static int write_call(char *line, size_t size, bool is_bridged, size_t number)
{
    const size_t server = number % SERVERS;
    if (is_bridged) {
        return snprintf(line, size,
                        CALL "\"tool_call\",\"arguments\":{\"tool_name\":\"s%zu::echo\","
                             "\"tool_args\":{\"text\":\"hello\"}}}}",
                        number + 10, server);
    } else {
        return snprintf(line, size, CALL "\"s%zu__echo\",\"arguments\":{\"text\":\"hello\"}}}",
                        number + 10, server);
    }
}

// Seconds for all calls, through tool_call or by the tools' own names.
static double relay(stage *s, bool is_bridged)
{
    char         line[256];
    const double start = bench_seconds();
    s->answered        = 0;
    for (size_t i = 0; i < CALLS; i += WINDOW) {
        for (size_t j = i; j < i + WINDOW; j++) {
            const int size = write_call(line, sizeof line, is_bridged, j);
            deft__client_receive(s->client, deft_view_make(line, (size_t)size));
        }
        settle(s);
    }
    const double seconds = bench_seconds() - start;
    if (s->answered < CALLS) {
        (void)fprintf(stderr, "only %zu calls were answered\n", s->answered);
        exit(1);
    }
    return seconds;
}

// The least: each message is read once and written once under another id, there and back.
static double copy_messages(stage *s)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"id\":123456,\"method\":\"tools/call\",\"params\":"
        "{\"name\":\"s1__echo\",\"arguments\":{\"text\":\"hello\"}}}";
    const double start = bench_seconds();
    for (size_t i = 0; i < 2 * (size_t)CALLS; i++) {
        if (deft__json_parse(&s->document, deft_view_of(text), NULL, NULL) != DEFT_OK) {
            exit(1);
        }
        deft__json_writer   writer;
        deft__json_iterator member = deft__json_iterate(deft__json_root(&s->document));
        deft_buffer_reset(&s->answer);
        deft__json_writer_init(&writer, &s->answer);
        deft__json_begin_object(&writer);
        while (deft__json_next(&member)) {
            deft__json_name_view(&writer, deft__json_string(member.name, &s->lines));
            if (deft__json_string_equals(member.name, deft_view_of("id"))) {
                deft__json_write_uint64(&writer, i);
            } else {
                deft__json_write_raw(&writer, deft__json_raw(member.value));
            }
        }
        deft__json_end_object(&writer);
    }
    return bench_seconds() - start;
}

static void open_stage(stage *s, const deft_settings *settings)
{
    static const deft__gateway_host host = {.server_start   = server_start,
                                            .server_send    = server_send,
                                            .server_stop    = server_stop,
                                            .client_send    = client_send,
                                            .snapshot_build = snapshot_build};
    static char                     names[SERVERS][8];
    deft__gateway_server            servers[SERVERS];
    deft__gateway_host              mine  = host;
    deft_error                      error = DEFT_ERROR_INIT;
    mine.context                          = s;
    for (size_t i = 0; i < SERVERS; i++) {
        char manifest[1024];
        (void)snprintf(names[i], sizeof names[i], "s%zu", i);
        (void)snprintf(manifest, sizeof manifest, MANIFEST, names[i]);
        servers[i] = (deft__gateway_server){
            .name     = deft_view_of(names[i]),
            .manifest = deft__manifest_new(deft_view_of(manifest), NULL, &error),
            .options  = {.era = DEFT__MCP_ERA_LEGACY, .queue_max = 4 * WINDOW},
            .is_fresh = true};
    }
    s->gateway = deft__gateway_new(&(deft__gateway_options){.settings     = settings,
                                                            .servers      = servers,
                                                            .server_count = SERVERS,
                                                            .naming       = DEFT_NAMING_WIRE},
                                   &mine, 0, NULL, &error);
    if (s->gateway == NULL) {
        (void)fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    for (size_t i = 0; i < SERVERS; i++) {
        deft__manifest_release(servers[i].manifest);
    }
    deft__gateway_start(s->gateway);
    settle(s);
    s->client = deft__client_open(s->gateway, NULL, &error);
    receive(
        s,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"b\",\"version\":\"1\"}}}");
    receive(s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    receive(s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
    // Every server once, so that all have started and said what they have.
    (void)relay(s, false);
    s->now_ms += 10000;
    settle(s);
}

static void report(const char *name, double seconds, double least)
{
    (void)printf("  %-34s %8.0f calls/s, %6.2f us each, %4.1f x the least\n", name, CALLS / seconds,
                 seconds / CALLS * 1e6, seconds / least);
}

int main(void)
{
    static stage  s;
    deft_settings settings;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.mode = DEFT_MODE_ON;
    deft__json_init(&s.document, NULL);
    deft_buffer_init(&s.lines, NULL);
    deft_buffer_init(&s.answer, NULL);
    open_stage(&s, &settings);

    bench_head("gateway");
    (void)printf("%d calls, %d at once, over %d servers that echo in this process\n", CALLS, WINDOW,
                 SERVERS);
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double seconds = copy_messages(&s);
        least                = seconds < least ? seconds : least;
    }
    report("reading and writing each message", least, least);
    for (int way = 0; way < 2; way++) {
        double best = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            const double seconds = relay(&s, way == 0);
            best                 = seconds < best ? seconds : best;
        }
        report(way == 0 ? "through tool_call" : "by the tool's own name", best, least);
    }
    deft__client_close(s.client);
    deft__gateway_free(s.gateway);
    deft__json_clear(&s.document);
    deft_buffer_clear(&s.lines);
    deft_buffer_clear(&s.answer);
    free(s.sents);
    return 0;
}
