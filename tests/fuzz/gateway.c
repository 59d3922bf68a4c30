// Any lines from a client and a server, in any order, with time between them. A line starts with who
// speaks: `c` and `d` are two clients, `s` is a legacy server and `m` another, `x` and `y` their
// deaths, `t` lets time pass (seconds in decimal), `o` drops client d, `h` ends a hook. Every request
// of a client gets at most one answer, every line that goes out is one JSON object, and when all time
// has passed nothing is open.
#include "gateway/gateway.h"
#include "fuzz/fuzz.h"
#include "json/reader.h"

#include <stdlib.h>

#define LIST                                                                                       \
    "[{\"name\":\"add\",\"description\":\"Add numbers.\",\"inputSchema\":{\"type\":\"object\"}},"  \
    "{\"name\":\"mail\",\"description\":\"Send mail.\",\"inputSchema\":{\"type\":\"object\"}}]"
#define MANIFEST                                                                                   \
    "{\"server\":\"s\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"         \
    "\"resources\":{\"subscribe\":true},\"prompts\":{}},\"serverInfo\":{},\"tools\":" LIST ","     \
    "\"prompts\":[{\"name\":\"p\"}],\"resources\":[{\"uri\":\"u:1\"}],"                            \
    "\"resourceTemplates\":[{\"uriTemplate\":\"t:{x}\"}]}"

typedef struct stage {
    deft__gateway      *gateway;
    deft__client       *clients[2];
    deft__snapshot_job *job;
    uint32_t            lives[2];
    bool                is_starting[2];
    uint64_t            now_ms;
    uint64_t            hook;
} stage;

static void check_line(deft_view line)
{
    deft__json document;
    deft__json_init(&document, NULL);
    check(deft__json_parse(&document, line, NULL, NULL) == DEFT_OK);
    check(deft__json_is(deft__json_root(&document), DEFT__JSON_OBJECT));
    check(memchr(line.data, '\n', line.size) == NULL);
    deft__json_clear(&document);
}

static void server_start(void *context, size_t server, uint32_t life)
{
    stage *s               = context;
    s->lives[server]       = life;
    s->is_starting[server] = true;
}

static void server_send(void *context, size_t server, uint32_t life, deft_view line)
{
    const stage *s = context;
    check(s->lives[server] == life);
    check_line(line);
}

static void server_stop(void *context, size_t server, uint32_t life)
{
    const stage *s = context;
    check(life <= s->lives[server]);
}

static void client_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    (void)about;
    const stage *s = context;
    check(client == s->clients[0] || client == s->clients[1]);
    check_line(line);
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    stage *s = context;
    check(s->job == NULL);
    s->job = job;
}

static void hook_run(void *context, const deft__hook *hook)
{
    ((stage *)context)->hook = hook->number;
    check_line(hook->input);
}

static void pump(stage *s)
{
    for (int i = 0; i < 1000; i++) {
        if (s->job != NULL) {
            deft__snapshot_job *job = s->job;
            s->job                  = NULL;
            deft__snapshot_job_run(job);
            deft__gateway_snapshot_built(s->gateway, job);
        } else if (s->is_starting[0] || s->is_starting[1]) {
            const size_t server    = s->is_starting[0] ? 0 : 1;
            s->is_starting[server] = false;
            deft__link_opened(deft__gateway_link(s->gateway, server), s->lives[server]);
        } else if (deft__gateway_next(s->gateway) <= s->now_ms) {
            deft__gateway_advance(s->gateway, s->now_ms);
        } else {
            return;
        }
    }
    check(false); // it never comes to rest
}

// Lets `delay_ms` pass, timer by timer.
static void pass(stage *s, uint64_t delay_ms)
{
    const uint64_t end = s->now_ms + delay_ms;
    for (int i = 0; i < 100000 && deft__gateway_next(s->gateway) <= end; i++) {
        s->now_ms =
            deft__gateway_next(s->gateway) > s->now_ms ? deft__gateway_next(s->gateway) : s->now_ms;
        pump(s);
    }
    s->now_ms = end;
    deft__gateway_advance(s->gateway, end);
    pump(s);
}

static void play(stage *s, char who, deft_view rest)
{
    deft__link *first  = deft__gateway_link(s->gateway, 0);
    deft__link *second = deft__gateway_link(s->gateway, 1);
    uint64_t    number = 0;
    for (size_t i = 0; i < rest.size && i < 5 && rest.data[i] >= '0' && rest.data[i] <= '9'; i++) {
        number = number * 10 + (uint64_t)(rest.data[i] - '0');
    }
    switch (who) {
    case 'c':
    case 'd':
        if (s->clients[who - 'c'] == NULL) {
            s->clients[who - 'c'] = deft__client_open(s->gateway, NULL, NULL);
        }
        deft__client_receive(s->clients[who - 'c'], rest);
        break;
    case 's':
        deft__link_received(first, s->lives[0], rest);
        break;
    case 'm':
        deft__link_received(second, s->lives[1], rest);
        break;
    case 'x':
        deft__link_closed(first, s->lives[0], rest);
        break;
    case 'y':
        deft__link_closed(second, s->lives[1], rest);
        break;
    case 't':
        pass(s, number * 1000);
        break;
    case 'o':
        if (s->clients[1] != NULL) {
            deft__client *client = s->clients[1];
            deft__client_close(client);
            s->clients[1] = NULL;
        }
        break;
    case 'h':
        deft__gateway_hook_finished(s->gateway, s->hook, (int)number, deft_view_of("no"));
        break;
    default:
        deft__gateway_reset(s->gateway);
        break;
    }
    pump(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stage                      s        = {.now_ms = 1000};
    deft__manifest            *manifest = deft__manifest_new(deft_view_of(MANIFEST), NULL, NULL);
    deft_settings              settings;
    const deft__gateway_host   host      = {.context        = &s,
                                            .server_start   = server_start,
                                            .server_send    = server_send,
                                            .server_stop    = server_stop,
                                            .client_send    = client_send,
                                            .snapshot_build = snapshot_build,
                                            .hook_run       = hook_run};
    const deft__gateway_server servers[] = {
        {.name = deft_view_of("s"), .manifest = manifest, .is_fresh = true},
        {.name = deft_view_of("m")}};
    const deft__gateway_options options = {.settings     = &settings,
                                           .servers      = servers,
                                           .server_count = 2,
                                           .naming       = DEFT_NAMING_WIRE,
                                           .seed         = 7};
    if (size == 0) {
        deft__manifest_release(manifest);
        return 0;
    }
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.mode             = data[0] & 1 ? DEFT_MODE_ON : DEFT_MODE_OFF;
    settings.style            = data[0] & 2 ? DEFT_STYLE_LOAD : DEFT_STYLE_BRIDGE;
    settings.hook_before_call = deft_view_of(data[0] & 4 ? "ask" : "");
    s.gateway                 = deft__gateway_new(&options, &host, s.now_ms, NULL, NULL);
    deft__gateway_start(s.gateway);
    pump(&s);

    const deft_view text = deft_view_make((const char *)data + 1, size - 1);
    for (size_t at = 0; at < text.size;) {
        const char  *end  = memchr(text.data + at, '\n', text.size - at);
        const size_t stop = end != NULL ? (size_t)(end - text.data) : text.size;
        if (stop > at) {
            play(&s, text.data[at], deft_view_slice(text, at + 1, stop - at - 1));
        }
        at = stop + 1;
    }
    // Everything ends: hooks, calls, parked calls.
    deft__gateway_hook_finished(s.gateway, s.hook, -1, deft_view_of(NULL));
    for (int i = 0; i < 3; i++) {
        pass(&s, 2 * 3600 * 1000);
    }
    for (size_t i = 0; i < 2; i++) {
        check(deft__link_open_count(deft__gateway_link(s.gateway, i)) == 0);
    }
    deft__gateway_free(s.gateway);
    deft__manifest_release(manifest);
    return 0;
}
