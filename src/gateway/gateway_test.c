// A whole conversation, with memory failing at every single place: each request gets exactly one
// answer, or the client could not be opened at all; nothing leaks. What is said in conversations is
// in tests/golden/gateway.
#define _GNU_SOURCE
#include "gateway/gateway.h"

#include "support/allocator.h"
#include "support/test.h"
#include "json/reader.h"

#define MANIFEST                                                                                   \
    "{\"server\":\"tracker\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"  \
    "\"serverInfo\":{},\"tools\":[{\"name\":\"list_issues\",\"description\":\"List issues.\","     \
    "\"inputSchema\":{\"type\":\"object\"}}],\"prompts\":[{\"name\":\"p\"}],"                      \
    "\"resources\":[{\"uri\":\"u:1\"}],\"resourceTemplates\":[{\"uriTemplate\":\"t:{x}\"}]}"

#define ANSWERS_MAX 16

typedef struct stage {
    deft__gateway      *gateway;
    deft__snapshot_job *job;
    uint32_t            life;
    bool                is_starting;
    deft_buffer         sent;                 // to the server: the last line
    unsigned            answers[ANSWERS_MAX]; // to the client, by id
    size_t              error_count;
} stage;

static void server_start(void *context, size_t server, uint32_t life)
{
    stage *s = context;
    (void)server;
    s->life        = life;
    s->is_starting = true;
}

static void server_send(void *context, size_t server, uint32_t life, deft_view line)
{
    stage *s = context;
    (void)server;
    (void)life;
    deft_buffer_reset(&s->sent);
    deft_buffer_append(&s->sent, line);
}

static void server_stop(void *context, size_t server, uint32_t life)
{
    (void)context;
    (void)server;
    (void)life;
}

static void client_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    (void)about;
    stage     *s = context;
    deft__json document;
    int64_t    id = -1;
    (void)client;
    deft__json_init(&document, NULL);
    assert_int_equal(deft__json_parse(&document, line, NULL, NULL), DEFT_OK);
    const deft__json_value root = deft__json_root(&document);
    if (deft__json_int64(deft__json_member(root, "id"), &id) == DEFT_OK && id < ANSWERS_MAX) {
        s->answers[id]++;
    }
    s->error_count += deft__json_is(deft__json_member(root, "error"), DEFT__JSON_OBJECT) ? 1 : 0;
    deft__json_clear(&document);
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    ((stage *)context)->job = job;
}

static uint64_t now_ms;

// Lets everything happen that is due, up to a minute from now.
static void settle(stage *s)
{
    for (int i = 0; i < 200; i++) {
        if (s->job != NULL) {
            deft__snapshot_job *job = s->job;
            s->job                  = NULL;
            deft__snapshot_job_run(job);
            deft__gateway_snapshot_built(s->gateway, job);
        } else if (s->is_starting) {
            s->is_starting = false;
            deft__link_opened(deft__gateway_link(s->gateway, 0), s->life);
        } else if (deft__gateway_next(s->gateway) <= now_ms + 2000) {
            now_ms =
                deft__gateway_next(s->gateway) > now_ms ? deft__gateway_next(s->gateway) : now_ms;
            deft__gateway_advance(s->gateway, now_ms);
        } else {
            return;
        }
    }
}

// The id of the line that the server got last, where its method is `method`.
static bool read_id(stage *s, const char *method, char *id, size_t size)
{
    deft__json document;
    bool       is_it = false;
    deft__json_init(&document, NULL);
    if (deft__json_parse(&document, deft_buffer_view(&s->sent), NULL, NULL) == DEFT_OK) {
        const deft__json_value root = deft__json_root(&document);
        const deft_view        raw  = deft__json_raw(deft__json_member(root, "id"));
        is_it = deft__json_string_equals(deft__json_member(root, "method"), deft_view_of(method));
        (void)snprintf(id, size, "%.*s", (int)raw.size, raw.data);
    }
    deft__json_clear(&document);
    return is_it;
}

static void answer_server(stage *s, const char *method, const char *result)
{
    char id[32];
    char line[512];
    if (!read_id(s, method, id, sizeof id)) {
        return; // it never came so far
    }
    (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}", id, result);
    deft__link_received(deft__gateway_link(s->gateway, 0), s->life, deft_view_of(line));
    settle(s);
}

static void ask(stage *s, deft__client *client, const char *line)
{
    deft__client_receive(client, deft_view_of(line));
    settle(s);
}

static void converse(stage *s, deft__client *client)
{
    ask(s, client,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"sampling\":{}},"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
    ask(s, client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    ask(s, client,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"tool_search\",\"arguments\":{\"query\":\"issues\"}}}");
    ask(s, client, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"prompts/list\"}");
    ask(s, client,
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"prompts/get\",\"params\":{\"name\":"
        "\"tool-search\",\"arguments\":{\"action\":\"status\"}}}");
    ask(s, client,
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"tool_call\",\"arguments\":{\"tool_name\":\"tracker::list_issues\",\"tool_args\":{}},"
        "\"_meta\":{\"progressToken\":1}}}");
    answer_server(s, "initialize",
                  "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                  "\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}");
    answer_server(s, "tools/call", "{\"content\":[]}");
    ask(s, client,
        "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"resources/"
        "read\",\"params\":{\"uri\":\"t:5\"}}");
    answer_server(s, "resources/read", "{\"contents\":[]}");
    deft__link_closed(deft__gateway_link(s->gateway, 0), s->life, deft_view_of("exited"));
    settle(s);
}

static const deft_settings *settings_of(deft_style style)
{
    static deft_settings settings;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.mode  = DEFT_MODE_ON;
    settings.style = style;
    return &settings;
}

// Returns whether every request was answered well.
static bool attempt(const deft_allocator *allocator, deft_style style)
{
    stage                    s        = {.life = 0};
    deft_error               error    = DEFT_ERROR_INIT;
    deft__manifest          *manifest = NULL;
    deft__client            *client   = NULL;
    bool                     is_done  = false;
    const deft__gateway_host host     = {.context        = &s,
                                         .server_start   = server_start,
                                         .server_send    = server_send,
                                         .server_stop    = server_stop,
                                         .client_send    = client_send,
                                         .snapshot_build = snapshot_build};
    now_ms                            = 1000;
    deft_buffer_init(&s.sent, NULL);
    manifest                            = deft__manifest_new(deft_view_of(MANIFEST), NULL, &error);
    const deft__gateway_server  server  = {.name = deft_view_of("tracker")};
    const deft__gateway_options options = {.settings     = settings_of(style),
                                           .servers      = &server,
                                           .server_count = 1,
                                           .naming       = DEFT_NAMING_WIRE};
    s.gateway = deft__gateway_new(&options, &host, now_ms, allocator, &error);
    if (s.gateway != NULL) {
        deft__gateway_adopt(s.gateway, 0, manifest, true);
        deft__gateway_start(s.gateway);
        settle(&s);
        client = deft__client_open(s.gateway, NULL, &error);
    }
    if (client != NULL) {
        converse(&s, client);
        // Time passes: what the server never got, or never answered, ends as well.
        for (int i = 0; i < 100 && deft__client_open_count(client) > 0; i++) {
            now_ms += 60000;
            deft__gateway_advance(s.gateway, now_ms);
            settle(&s);
        }
        is_done = s.error_count == 0;
        assert_int_equal(deft__client_open_count(client), 0);
        for (size_t i = 0; i <= 6; i++) {
            assert_true(s.answers[i] <= 1);
            is_done = is_done && s.answers[i] == 1;
        }
    }
    deft__gateway_free(s.gateway);
    deft__manifest_release(manifest);
    deft_buffer_clear(&s.sent);
    return is_done;
}

// Some failures are made good later (a snapshot is built again), so success with a failure is fine.
static void fail_everywhere(deft_style style)
{
    test_allocator allocator;
    size_t         fail_at = 0;
    size_t         good    = 0;
    do {
        test_allocator_init(&allocator);
        allocator.fail_at = ++fail_at;
        good += attempt(&allocator.allocator, style) ? 1 : 0;
        assert_int_equal(allocator.blocks, 0);
    } while (allocator.requests >= fail_at);
    assert_true(fail_at > 100);
    assert_true(good >= 1); // the last one, where nothing failed
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fail_everywhere(DEFT_STYLE_BRIDGE);
}

// Here answers are held until the client has its longer list, or has not asked for it in time.
static void every_allocation_may_fail_in_style_load(void **state)
{
    (void)state;
    fail_everywhere(DEFT_STYLE_LOAD);
}

// The server's answer to what it was asked last, without letting a job run.
static void reply(stage *s, const char *method, const char *result)
{
    char id[32];
    char line[512];
    assert_true(read_id(s, method, id, sizeof id));
    (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}", id, result);
    deft__link_received(deft__gateway_link(s->gateway, 0), s->life, deft_view_of(line));
}

static void what_is_learned_while_a_snapshot_is_built_is_built_next(void **state)
{
    stage                       s       = {.life = 0};
    const deft__gateway_host    host    = {.context        = &s,
                                           .server_start   = server_start,
                                           .server_send    = server_send,
                                           .server_stop    = server_stop,
                                           .client_send    = client_send,
                                           .snapshot_build = snapshot_build};
    const deft__gateway_server  server  = {.name    = deft_view_of("tracker"),
                                           .options = {.era = DEFT__MCP_ERA_LEGACY}};
    const deft__gateway_options options = {.settings     = settings_of(DEFT_STYLE_AUTO),
                                           .servers      = &server,
                                           .server_count = 1,
                                           .naming       = DEFT_NAMING_WIRE};
    (void)state;
    deft_buffer_init(&s.sent, NULL);
    s.gateway = deft__gateway_new(&options, &host, 1000, NULL, NULL);
    deft__gateway_start(s.gateway);
    deft__snapshot_job *slow = s.job; // begun before anything is known
    s.job                    = NULL;
    deft__gateway_discover(s.gateway);
    deft__link_opened(deft__gateway_link(s.gateway, 0), s.life);
    reply(&s, "initialize",
          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{}}");
    reply(&s, "tools/list", "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}]}");
    deft__gateway_advance(s.gateway, 2000);
    assert_null(s.job);
    assert_false(deft__gateway_is_settled(s.gateway));

    deft__snapshot_job_run(slow);
    deft__gateway_snapshot_built(s.gateway, slow);
    assert_false(deft__gateway_is_settled(s.gateway));
    deft__gateway_advance(s.gateway, 3000);
    assert_non_null(s.job);
    deft__snapshot_job_run(s.job);
    deft__gateway_snapshot_built(s.gateway, s.job);
    assert_true(deft__gateway_is_settled(s.gateway));
    assert_int_equal(deft_catalog_tool_count(deft__gateway_snapshot(s.gateway)->catalog), 1);
    deft__gateway_free(s.gateway);
    deft_buffer_clear(&s.sent);
}

// --- Servers that are not known yet. --------------------------------------------------------------

#define CROWD 20u

typedef struct crowd {
    deft__gateway *gateway;
    uint32_t       lives[CROWD]; // 0: not started
    size_t         start_count;
} crowd;

static void crowd_start(void *context, size_t server, uint32_t life)
{
    crowd *c         = context;
    c->lives[server] = life;
    c->start_count++;
}

static void crowd_send(void *context, size_t server, uint32_t life, deft_view line)
{
    (void)context;
    (void)server;
    (void)life;
    (void)line;
}

static void crowd_build(void *context, deft__snapshot_job *job)
{
    (void)context;
    deft__snapshot_job_run(job); // it is given back when the gateway goes
}

static void crowd_init(crowd *c, uint64_t discoveries_max)
{
    deft__gateway_server        servers[CROWD];
    char                        names[CROWD][4];
    const deft__gateway_host    host    = {.context        = c,
                                           .server_start   = crowd_start,
                                           .server_send    = crowd_send,
                                           .server_stop    = server_stop,
                                           .client_send    = client_send,
                                           .snapshot_build = crowd_build};
    const deft__gateway_options options = {.settings        = settings_of(DEFT_STYLE_AUTO),
                                           .servers         = servers,
                                           .server_count    = CROWD,
                                           .naming          = DEFT_NAMING_WIRE,
                                           .discoveries_max = discoveries_max};
    for (size_t i = 0; i < CROWD; i++) {
        (void)snprintf(names[i], sizeof names[i], "s%zu", i);
        servers[i] = (deft__gateway_server){.name    = deft_view_of(names[i]),
                                            .options = {.era = DEFT__MCP_ERA_LEGACY}};
    }
    *c         = (crowd){0};
    c->gateway = deft__gateway_new(&options, &host, 1000, NULL, NULL);
    assert_non_null(c->gateway);
}

// The server of this place cannot be started.
static void crowd_fail(crowd *c, size_t server)
{
    deft__link_closed(deft__gateway_link(c->gateway, server), c->lives[server],
                      deft_view_of("was not found"));
    deft__gateway_advance(c->gateway, 1000);
}

static void only_so_many_start_at_once(void **state)
{
    (void)state;
    crowd c;
    crowd_init(&c, 3);
    deft__gateway_start(c.gateway);
    deft__gateway_discover(c.gateway);
    assert_int_equal(c.start_count, 3);
    for (size_t i = 0; i < CROWD; i++) {
        assert_true(c.lives[i] > 0); // in order, one for each that is done
        crowd_fail(&c, i);
        assert_int_equal(c.start_count, i + 4 < CROWD ? i + 4 : CROWD);
    }
    deft__gateway_free(c.gateway);
}

static void eight_start_at_once_where_nothing_is_said(void **state)
{
    (void)state;
    crowd c;
    crowd_init(&c, 0);
    deft__gateway_start(c.gateway);
    deft__gateway_discover(c.gateway);
    assert_int_equal(c.start_count, 8);
    deft__gateway_free(c.gateway);
}

// What is known is still being read: an agent is there, and nothing is started before.
static void discovery_waits_for_the_start(void **state)
{
    (void)state;
    crowd           c;
    deft__manifest *manifest = deft__manifest_new(deft_view_of(MANIFEST), NULL, NULL);
    crowd_init(&c, CROWD);
    deft__gateway_discover(c.gateway);
    deft__gateway_advance(c.gateway, 60000);
    assert_int_equal(c.start_count, 0);
    deft__gateway_adopt(c.gateway, 1, manifest, true);
    deft__gateway_adopt(c.gateway, 2, manifest, false);
    deft__gateway_start(c.gateway);
    assert_int_equal(c.start_count, CROWD - 1);
    assert_int_equal(c.lives[1], 0); // it is known
    assert_true(c.lives[2] > 0);     // it was known long ago
    assert_int_equal(deft__link_state_of(deft__gateway_link(c.gateway, 1)), DEFT__LINK_KNOWN);
    deft__gateway_free(c.gateway);
    deft__manifest_release(manifest);
}

// --- Servers that are known. ----------------------------------------------------------------------

#define KNOWN_COUNT 100u

static const char *const requests_of_known[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"tool_search\","
    "\"arguments\":{\"query\":\"polish lens number 77\"}}}",
};

typedef struct archive {
    deft__snapshot_job *job;
    deft_buffer         answers;
    size_t              start_count;
} archive;

static void archive_start(void *context, size_t server, uint32_t life)
{
    (void)server;
    (void)life;
    ((archive *)context)->start_count++;
}

static void archive_build(void *context, deft__snapshot_job *job)
{
    ((archive *)context)->job = job;
}

static void archive_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    (void)client;
    (void)about;
    deft_buffer_append(&((archive *)context)->answers, line);
    deft_buffer_append_byte(&((archive *)context)->answers, '\n');
}

static bool has_answered(const archive *a, const char *part)
{
    return memmem(a->answers.data, a->answers.size, part, strlen(part)) != NULL;
}

static deft__gateway *archive_open(archive *a, deft__manifest *const *manifests)
{
    static char                 names[KNOWN_COUNT][8];
    deft__gateway_server        servers[KNOWN_COUNT];
    const deft__gateway_host    host    = {.context        = a,
                                           .server_start   = archive_start,
                                           .server_send    = crowd_send,
                                           .server_stop    = server_stop,
                                           .client_send    = archive_send,
                                           .snapshot_build = archive_build};
    const deft__gateway_options options = {.settings     = settings_of(DEFT_STYLE_AUTO),
                                           .servers      = servers,
                                           .server_count = KNOWN_COUNT,
                                           .naming       = DEFT_NAMING_WIRE};
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        (void)snprintf(names[i], sizeof names[i], "s%zu", i);
        servers[i] = (deft__gateway_server){
            .name = deft_view_of(names[i]), .manifest = manifests[i], .is_fresh = true};
    }
    return deft__gateway_new(&options, &host, 1000, NULL, NULL);
}

// With a hundred servers in the cache, lists and searches wake none of them.
static void a_hundred_known_servers_stay_asleep(void **state)
{
    (void)state;
    archive         a = {0};
    deft__manifest *manifests[KNOWN_COUNT];
    char            text[400];
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        (void)snprintf(text, sizeof text,
                       "{\"server\":\"s%zu\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
                       "\"tools\":{}},\"serverInfo\":{},\"tools\":[{\"name\":\"act%zu\","
                       "\"description\":\"Polishes lens number %zu.\",\"inputSchema\":{\"type\":"
                       "\"object\"}}]}",
                       i, i, i);
        manifests[i] = deft__manifest_new(deft_view_of(text), NULL, NULL);
    }
    deft_buffer_init(&a.answers, NULL);
    deft__gateway *gateway = archive_open(&a, manifests);
    deft__gateway_start(gateway);
    deft__snapshot_job_run(a.job);
    deft__gateway_snapshot_built(gateway, a.job);
    deft__client *client = deft__client_open(gateway, NULL, NULL);
    for (size_t i = 0; i < array_size(requests_of_known); i++) {
        deft__client_receive(client, deft_view_of(requests_of_known[i]));
        deft__gateway_advance(gateway, 1000);
    }
    assert_true(has_answered(&a, "\"tool_search\""));
    assert_true(has_answered(&a, "s77::act77"));
    assert_int_equal(a.start_count, 0);
    deft__client_close(client);
    deft__gateway_free(gateway);
    deft_buffer_clear(&a.answers);
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        deft__manifest_release(manifests[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_learned_while_a_snapshot_is_built_is_built_next),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_may_fail_in_style_load),
        cmocka_unit_test(only_so_many_start_at_once),
        cmocka_unit_test(eight_start_at_once_where_nothing_is_said),
        cmocka_unit_test(discovery_waits_for_the_start),
        cmocka_unit_test(a_hundred_known_servers_stay_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
