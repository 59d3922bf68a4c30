#include "serve/service.h"

#include "base/fail.h"
#include "base/memory.h"
#include "serve/answer.h"
#include "serve/known.h"
#include "serve/lives.h"
#include "store/images.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

// Agents of one gateway may differ in what they can do for a server, and a legacy server asks only
// once. So it is told the most that any could do, and refused where this one cannot.
#define EVERYTHING_DECLARED                                                                        \
    (DEFT__MCP_CLIENT_ROOTS | DEFT__MCP_CLIENT_SAMPLING | DEFT__MCP_CLIENT_SAMPLING_TOOLS |        \
     DEFT__MCP_CLIENT_ELICITATION | DEFT__MCP_CLIENT_ELICITATION_URL)

// --- Time. ----------------------------------------------------------------------------------------

void deft__service_enter(deft__service *service)
{
    const uint64_t now = deft__loop_now_ms(service->loop);
    if (now != service->told_ms && !service->is_ending) {
        service->told_ms = now;
        deft__gateway_advance(service->gateway, now);
    }
}

void deft__service_leave(deft__service *service)
{
    if (service->is_ending) {
        return;
    }
    deft__requests_look(service);
    if (service->settled != NULL) {
        service->settled(service->owner);
    }
    if (service->is_ending) {
        return; // someone has seen what they were waiting for
    }
    // One that rings too early does no harm: it is set again then.
    const uint64_t next = deft__gateway_next(service->gateway);
    if (next < service->armed_at) {
        const uint64_t now = deft__loop_now_ms(service->loop);
        service->armed_at  = next;
        deft__alarm_set(service->alarm, next > now ? next - now : 0);
    }
}

static void alarm_rings(void *context)
{
    deft__service *service = context;
    service->armed_at      = UINT64_MAX;
    if (!service->is_ending) {
        service->told_ms = deft__loop_now_ms(service->loop);
        deft__gateway_advance(service->gateway, service->told_ms);
    }
    deft__service_leave(service);
}

// --- The end. -------------------------------------------------------------------------------------

void deft__service_tell_if_ended(deft__service *service)
{
    if (service->is_ending && service->life_count == 0 && service->job == NULL &&
        !service->is_reading && !service->keeper.is_writing && service->ended != NULL) {
        void (*const ended)(void *context) = service->ended;
        service->ended                     = NULL;
        ended(service->owner);
    }
}

static void keeper_note(void *context, deft_view line)
{
    const deft__service *service = context;
    if (service->options->note != NULL) {
        service->options->note(service->options->context, line);
    }
}

static void keeper_idle(void *context)
{
    deft__service *service = context;
    deft__service_tell_if_ended(service);
}

// --- Snapshots. -----------------------------------------------------------------------------------

// Building takes several times the memory that stays, and the C library would keep the rest for the
// thread that built: at 10,000 tools a third of all that we hold.
static void give_memory_back(const deft__service *service)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
    // Texts and index were read whole, to be checked and taken apart; a search needs few pages of them.
    deft__image_rest(service->image);
    // The built-in model was read whole when it was checked; a search needs a few pages of it. They
    // are the program file's own, unchanged, and come back from there when they are touched.
    const deft_view model = deft_model_builtin();
    const long      page  = sysconf(_SC_PAGESIZE);
    if (model.size > 0 && page > 0) {
        const uintptr_t mask  = (uintptr_t)page - 1;
        const uintptr_t start = ((uintptr_t)model.data + mask) & ~mask;
        const uintptr_t end   = ((uintptr_t)model.data + model.size) & ~mask;
        if (end > start) {
            (void)madvise((void *)start, end - start, MADV_DONTNEED);
        }
    }
}

static void build_work(void *context)
{
    const deft__service *service = context;
    deft__snapshot_job_run(service->job);
    give_memory_back(service);
}

// So many tools take longer to index than to load (10 ms).
#define IMAGE_TOOLS_MIN 500u

// Keeps a new index for the next start. Not while servers are still being learned: each would make it
// anew.
static void keep_index(deft__service *service)
{
    deft__snapshot *snapshot = deft__gateway_snapshot(service->gateway);
    if (snapshot == NULL || snapshot->is_kept ||
        deft_catalog_tool_count(snapshot->catalog) < IMAGE_TOOLS_MIN ||
        !deft__gateway_is_settled(service->gateway)) {
        return;
    }
    deft__keeper_image(&service->keeper, snapshot);
}

static void build_done(void *context)
{
    deft__service      *service = context;
    deft__snapshot_job *job     = service->job;
    service->job                = NULL;
    // Also at the end: the gateway frees it.
    deft__gateway_snapshot_built(service->gateway, job);
    keep_index(service);
    deft__service_leave(service);
    deft__service_tell_if_ended(service);
}

static void build_here(void *context)
{
    build_work(context);
    build_done(context);
}

static void snapshot_build(void *context, deft__snapshot_job *job)
{
    deft__service *service = context;
    service->job           = job;
    deft__snapshot_job_set_image(job, service->image);
    if (!deft__loop_work(service->loop, build_work, build_done, service)) {
        deft__loop_defer(service->loop, &service->build);
    }
}

// --- What the gateway tells. ----------------------------------------------------------------------

// There is one pipe to each client, whatever a line is about.
static void client_send(void *context, deft__client *client, deft_view about, deft_view line)
{
    (void)context;
    (void)about;
    deft__speaker *speaker = deft__client_tag(client);
    speaker->hear(speaker, line);
}

static void hook_run(void *context, const deft__hook *hook)
{
    deft__service *service = context;
    deft__hooks_run(&service->hooks, hook);
}

static void hook_finished(void *context, uint64_t number, int exit_code, deft_view message)
{
    deft__service *service = context;
    if (!service->is_ending) {
        deft__service_enter(service);
        deft__gateway_hook_finished(service->gateway, number, exit_code, message);
        deft__service_leave(service);
    }
}

static void journal(void *context, const deft__journal_entry *entry)
{
    deft__service *service = context;
    deft__keeper_journal(&service->keeper, entry, service->settings->has_journal_arguments);
}

static bool is_found_out(const deft__service *service, size_t place)
{
    const deft__link *link = deft__gateway_link(service->gateway, place);
    return deft__link_manifest(link) != NULL || deft__link_state_of(link) == DEFT__LINK_FAILED ||
           deft__link_state_of(link) == DEFT__LINK_UNAUTHORIZED;
}

void deft__service_progress(const deft__service *service, size_t *done, size_t *total)
{
    *done  = 0;
    *total = 0;
    for (size_t i = 0; i < service->server_count; i++) {
        if (service->servers[i].was_unknown) {
            *total += 1;
            *done += is_found_out(service, i) ? 1 : 0;
        }
    }
}

static void tell_progress(deft__service *service, size_t place)
{
    deft__service_server *server = &service->servers[place];
    size_t                done;
    size_t                total;
    if (service->options->progress != NULL && server->was_unknown && !server->is_told &&
        is_found_out(service, place)) {
        server->is_told = true;
        deft__service_progress(service, &done, &total);
        service->options->progress(service->options->context, done, total, server->config->name);
    }
}

static void manifest_learned(void *context, size_t server, deft__manifest *manifest)
{
    deft__service *service = context;
    deft__keeper_learn(&service->keeper, server, manifest);
    tell_progress(service, server);
}

static void server_changed(void *context, size_t server)
{
    tell_progress(context, server);
}

// --- Life of the service. -------------------------------------------------------------------------

static deft__mcp_era era_of(deft_era era)
{
    switch (era) {
    case DEFT_ERA_LEGACY:
        return DEFT__MCP_ERA_LEGACY;
    case DEFT_ERA_MODERN:
        return DEFT__MCP_ERA_MODERN;
    case DEFT_ERA_AUTO:
    default:
        return DEFT__MCP_ERA_UNKNOWN;
    }
}

static deft__link_options link_options(const deft_server_config *server,
                                       const deft_settings      *settings)
{
    return (deft__link_options){
        .calls_max        = settings->calls_max,
        .queue_max        = settings->queue_max,
        .probe_timeout_ms = settings->probe_timeout_ms,
        .start_timeout_ms =
            server->start_timeout_ms > 0 ? server->start_timeout_ms : settings->start_timeout_ms,
        .call_timeout_ms =
            server->call_timeout_ms > 0 ? server->call_timeout_ms : settings->call_timeout_ms,
        .idle_stop_ms   = settings->idle_stop_ms,
        .backoff_min_ms = settings->restart_min_ms,
        .backoff_max_ms = settings->restart_max_ms,
        .era            = era_of(server->era),
        .is_disabled    = server->is_disabled,
        .is_remote      = server->transport != DEFT_TRANSPORT_STDIO,
    };
}

static uint64_t random_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15u;
    }
    return seed;
}

// It blocks only before the kernel has ever had randomness, and 32 bytes come whole.
static deft__seal_key random_key(void)
{
    deft__seal_key key;
    while (getrandom(key.bytes, sizeof key.bytes, 0) != (ssize_t)sizeof key.bytes) {
    }
    return key;
}

static deft_status make_gateway_of(deft__service *service, deft__gateway_server *servers,
                                   deft_error *error)
{
    for (size_t i = 0; i < service->server_count; i++) {
        const deft_server_config *config = service->servers[i].config;
        servers[i].name                  = config->name;
        servers[i].options               = link_options(config, service->settings);
    }
    const deft_usage            usage   = {.count = deft__known_use_count, .context = service};
    const deft__gateway_options options = {
        .settings      = service->settings,
        .usage         = &usage,
        .servers       = servers,
        .server_count  = service->server_count,
        .naming        = deft_config_server_count(service->options->config) == 1 ? DEFT_NAMING_PLAIN
                                                                                 : DEFT_NAMING_WIRE,
        .declared      = service->options->is_shared ? EVERYTHING_DECLARED : 0,
        .model         = service->options->model,
        .first_wait_ms = service->settings->first_wait_ms,
        .discoveries_max = service->settings->discoveries_max,
        .refresh_age_ms  = service->settings->refresh_age_ms,
        .seed            = random_seed(),
        .key             = random_key(),
    };
    const deft__gateway_host host = {
        .context          = service,
        .server_start     = deft__lives_start,
        .server_send      = deft__lives_send,
        .server_stop      = deft__lives_stop,
        .client_send      = client_send,
        .snapshot_build   = snapshot_build,
        .hook_run         = hook_run,
        .manifest_learned = manifest_learned,
        .journal          = service->settings->is_journal_kept ? journal : NULL,
        .server_changed   = server_changed,
    };
    service->told_ms = deft__loop_now_ms(service->loop);
    service->gateway =
        deft__gateway_new(&options, &host, service->told_ms, service->allocator, error);
    return service->gateway != NULL ? DEFT_OK : DEFT_CONFLICT;
}

static deft_status make_gateway(deft__service *service, deft_error *error)
{
    const size_t          size    = (service->server_count + 1) * sizeof(deft__gateway_server);
    deft__gateway_server *servers = deft__new(service->allocator, size);
    if (servers == NULL) {
        return deft__fail_memory(error);
    }
    const deft_status status = make_gateway_of(service, servers, error);
    deft__free(service->allocator, servers, size);
    return status;
}

// The next server from `from` on that is wanted; the number of servers when there is none.
static size_t next_wanted(const deft__serve_options *options, deft_view only, size_t from)
{
    const size_t count = deft_config_server_count(options->config);
    while (from < count && only.size > 0 &&
           !deft_view_equal(deft_config_server(options->config, from)->name, only)) {
        from++;
    }
    return from;
}

static size_t count_wanted(const deft__serve_options *options, deft_view only)
{
    const size_t all   = deft_config_server_count(options->config);
    size_t       count = 0;
    if (!deft_config_settings(options->config)->is_mcp_disabled) {
        for (size_t i = next_wanted(options, only, 0); i < all;
             i        = next_wanted(options, only, i + 1)) {
            count++;
        }
    }
    return count;
}

static deft_status init_parts(deft__service *service, deft_view only, deft_error *error)
{
    const deft__serve_options *options = service->options;
    service->loop                      = deft__loop_new(service->allocator, error);
    if (service->loop == NULL) {
        return DEFT_INVALID;
    }
    deft__loop_raise_descriptor_limit(service->loop);
    deft__hooks_init(&service->hooks, service->loop, options->environment);
    service->hooks.finished = hook_finished;
    service->hooks.context  = service;
    service->alarm          = deft__alarm_new(service->loop, alarm_rings, service);
    service->servers =
        deft__new(service->allocator, (service->server_count + 1) * sizeof *service->servers);
    if (service->alarm == NULL || service->servers == NULL ||
        !deft__keeper_init(&service->keeper, options->store, service->settings,
                           service->server_count, service->allocator) ||
        !deft__keeper_begin(&service->keeper, service->loop)) {
        return deft__fail_memory(error);
    }
    service->keeper.note    = keeper_note;
    service->keeper.idle    = keeper_idle;
    service->keeper.context = service;
    size_t next             = 0;
    for (size_t i = 0; i < service->server_count; i++) {
        next                = next_wanted(options, only, next);
        service->servers[i] = (deft__service_server){
            .service = service, .place = i, .config = deft_config_server(options->config, next++)};
        deft__ring_init(&service->servers[i].errors, (size_t)service->settings->stderr_size_max,
                        service->allocator);
        deft_buffer_init(&service->servers[i].challenge, service->allocator);
    }
    return DEFT_OK;
}

deft_status deft__service_init(deft__service *service, const deft__serve_options *options,
                               deft_view only, deft_error *error)
{
    const deft_settings *settings = deft_config_settings(options->config);
    *service                      = (deft__service){
                             .options      = options,
                             .settings     = settings,
                             .server_count = count_wanted(options, only),
                             .started_at   = (uint64_t)time(NULL),
                             .armed_at     = UINT64_MAX,
    };
    service->starting_end = &service->starting;
    deft__map_init(&service->usage, random_seed(), service->allocator);
    deft__arena_init(&service->usage_arena, service->allocator);
    deft__task_init(&service->start, deft__lives_start_next, service);
    deft__task_init(&service->build, build_here, service);

    deft_status status = init_parts(service, only, error);
    if (status == DEFT_OK) {
        status = make_gateway(service, error);
    }
    return status;
}

static void read_known(void *context)
{
    deft__known_read(context);
}

static void known_is_read(void *context)
{
    deft__service *service = context;
    service->is_reading    = false;
    deft__keeper_give_back(&service->keeper);
    if (!service->is_ending) {
        deft__service_enter(service);
        deft__known_adopt(service);
        deft__service_leave(service);
    }
    deft__service_tell_if_ended(service);
}

void deft__service_start(deft__service *service)
{
    deft__keeper_lend(&service->keeper);
    service->is_reading = deft__loop_work(service->loop, read_known, known_is_read, service);
    if (!service->is_reading) {
        deft__keeper_give_back(&service->keeper);
        deft__service_start_now(service);
    }
}

void deft__service_start_now(deft__service *service)
{
    deft__known_read(service);
    deft__known_adopt(service);
    deft__service_leave(service);
}

void deft__service_end(deft__service *service)
{
    service->is_ending = true;
    deft__alarm_stop(service->alarm);
    deft__keeper_close(&service->keeper);
    deft__hooks_clear(&service->hooks);
    deft__lives_end(service);
    deft__service_tell_if_ended(service);
}

void deft__service_renew(deft__service *service, size_t place)
{
    if (service->servers[place].bearer != NULL) {
        deft__bearer_reload(service->servers[place].bearer);
    }
    deft__service_enter(service);
    deft__link_retry(deft__gateway_link(service->gateway, place));
    // Whoever waits for it looks then, whether anything has happened or not.
    service->armed_at = 0;
    deft__alarm_set(service->alarm, 0);
}

void deft__service_kill(deft__service *service)
{
    deft__lives_kill(service);
}

void deft__service_clear(deft__service *service)
{
    assert(service->job == NULL && !service->is_reading && !service->keeper.is_writing);
    service->is_ending = true;
    deft__hooks_clear(&service->hooks);
    for (size_t i = 0; service->servers != NULL && i < service->server_count; i++) {
        deft__lives_clear(&service->servers[i]);
        deft__ring_clear(&service->servers[i].errors);
        deft_buffer_clear(&service->servers[i].challenge);
        deft__bearer_free(service->servers[i].bearer);
        deft__fetcher_free(service->servers[i].authority);
    }
    deft__fetcher_free(service->fetcher);
    deft__gateway_free(service->gateway);
    deft__known_clear(service);
    deft__bytes_release(service->image);
    deft__map_clear(&service->usage);
    deft__arena_clear(&service->usage_arena);
    deft__keeper_clear(&service->keeper);
    deft__alarm_free(service->alarm);
    deft__free(service->allocator, service->servers,
               (service->server_count + 1) * sizeof *service->servers);
    if (service->loop != NULL) {
        deft__loop_undefer(service->loop, &service->start);
        deft__loop_undefer(service->loop, &service->build);
    }
    deft__loop_free(service->loop);
    *service = (deft__service){0};
}
