#include "gateway/gateway.h"

#include "base/fail.h"
#include "base/memory.h"
#include "gateway/ask.h"
#include "gateway/private.h"
#include "gateway/relay.h"

#include <assert.h>

// Servers that answer one after the other are taken in together.
#define REBUILD_DELAY_MS 20u
#define FIRST_WAIT_MS    700u
#define CLIENTS_MAX      10000u
#define DISCOVERIES_MAX  8u
#define REFRESH_AGE_MS   (24u * 60 * 60 * 1000)

struct deft__snapshot_job {
    deft__snapshot_source *sources; // manifests retained; names are the links'
    size_t                 count;
    const deft_settings   *settings;
    const deft_model      *model;
    const deft_usage      *usage;
    deft_naming            naming;
    const deft_allocator  *allocator;
    deft__bytes           *image;    // an index from last time; NULL: none
    deft__snapshot        *snapshot; // what came out; NULL: no memory
};

uint64_t deft__gateway_number(deft__gateway *gateway)
{
    return ++gateway->numbers;
}

uint64_t deft__gateway_now(const deft__gateway *gateway)
{
    return gateway->timers.now_ms;
}

// --- Snapshots. ---

static void free_job(deft__snapshot_job *job)
{
    if (job == NULL) {
        return;
    }
    for (size_t i = 0; job->sources != NULL && i < job->count; i++) {
        deft__manifest_release(job->sources[i].manifest);
    }
    deft__snapshot_release(job->snapshot);
    deft__bytes_release(job->image);
    deft__free(job->allocator, job->sources, job->count * sizeof *job->sources);
    deft__free(job->allocator, job, sizeof *job);
}

static bool is_shown(const deft__link *link)
{
    const deft__link_state state = deft__link_state_of(link);
    return state != DEFT__LINK_DISABLED && state != DEFT__LINK_QUARANTINED;
}

static deft__snapshot_job *make_job(deft__gateway *gateway)
{
    deft__snapshot_job *job = deft__new(gateway->allocator, sizeof *job);
    if (job == NULL) {
        return NULL;
    }
    *job = (deft__snapshot_job){.settings  = gateway->settings,
                                .model     = gateway->model,
                                .usage     = gateway->has_usage ? &gateway->usage : NULL,
                                .naming    = gateway->naming,
                                .allocator = gateway->allocator};
    if (gateway->slot_count == 0) {
        return job;
    }
    job->sources = deft__new(gateway->allocator, gateway->slot_count * sizeof *job->sources);
    if (job->sources == NULL) {
        free_job(job);
        return NULL;
    }
    job->count = gateway->slot_count;
    for (size_t i = 0; i < job->count; i++) {
        deft__link     *link     = gateway->slots[i].link;
        deft__manifest *manifest = is_shown(link) ? deft__link_manifest(link) : NULL;
        job->sources[i]          = (deft__snapshot_source){
                     .name     = deft__link_name(link),
                     .manifest = manifest != NULL ? deft__manifest_retain(manifest) : NULL};
    }
    return job;
}

static void build(void *context)
{
    deft__gateway *gateway = context;
    if (gateway->job != NULL) {
        gateway->is_outdated = true; // what is being built is old already: again when it comes back
        return;
    }
    gateway->job = make_job(gateway);
    if (gateway->job != NULL) {
        gateway->host.snapshot_build(gateway->host.context, gateway->job);
    } else {
        deft__timer_set(&gateway->timers, &gateway->rebuild, 1000); // no memory: perhaps later
    }
}

static void build_soon(deft__gateway *gateway)
{
    if (!deft__timer_is_set(&gateway->rebuild)) {
        deft__timer_set(&gateway->timers, &gateway->rebuild, REBUILD_DELAY_MS);
    }
}

void deft__snapshot_job_set_image(deft__snapshot_job *job, deft__bytes *image)
{
    deft__bytes_release(job->image);
    job->image = deft__bytes_retain(image);
}

void deft__snapshot_job_run(deft__snapshot_job *job)
{
    deft_error error = DEFT_ERROR_INIT;
    job->snapshot    = deft__snapshot_new(job->sources, job->count, job->settings, job->model,
                                          job->usage, job->naming, job->image, job->allocator, &error);
}

void deft__gateway_snapshot_built(deft__gateway *gateway, deft__snapshot_job *job)
{
    deft_error     error    = DEFT_ERROR_INIT;
    deft_searcher *searcher = NULL;
    gateway->job            = NULL;
    if (gateway->is_outdated) {
        gateway->is_outdated = false;
        build_soon(gateway);
    }
    if (job->snapshot != NULL) {
        searcher = deft_searcher_new(job->snapshot->index, gateway->allocator, &error);
    }
    if (searcher == NULL) {
        free_job(job);
        deft__timer_set(&gateway->timers, &gateway->rebuild, 1000);
        return;
    }
    deft__snapshot *old = gateway->snapshot;
    deft__answers_clear(&gateway->answers);
    deft_searcher_free(gateway->searcher);
    gateway->searcher = searcher;
    gateway->snapshot = job->snapshot;
    job->snapshot     = NULL;
    free_job(job);
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        deft__client_update(client, old);
    }
    deft__snapshot_release(old);
    deft__gateway_let_in(gateway);
}

deft__snapshot *deft__gateway_snapshot(const deft__gateway *gateway)
{
    return gateway->snapshot;
}

// --- Waiting for servers. ---

bool deft__gateway_is_settled(const deft__gateway *gateway)
{
    return gateway->snapshot != NULL && gateway->awaited_count == 0 && gateway->job == NULL &&
           !deft__timer_is_set(&gateway->rebuild);
}

// Nobody waits for a server longer than the first list may take; after that the ones that are late
// are found by searching.
bool deft__gateway_is_open(const deft__gateway *gateway)
{
    return gateway->snapshot != NULL &&
           (!gateway->is_patient || (gateway->is_discovering && deft__gateway_is_settled(gateway)));
}

void deft__gateway_let_in(deft__gateway *gateway)
{
    deft__timer_set(&gateway->timers, &gateway->entrance, 0);
}

static void let_in(void *context)
{
    deft__gateway *gateway = context;
    if (!deft__gateway_is_open(gateway)) {
        return;
    }
    gateway->is_patient = false;
    deft__timer_stop(&gateway->timers, &gateway->patience);
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        deft__waiting *waiting = client->waiting;
        client->waiting        = NULL;
        client->waiting_end    = &client->waiting;
        while (waiting != NULL) {
            deft__waiting *one = waiting;
            waiting            = one->next;
            deft__client_receive(client, deft_buffer_view(&one->line));
            deft_buffer_clear(&one->line);
            deft__free(gateway->allocator, one, sizeof *one);
        }
    }
}

static void lose_patience(void *context)
{
    deft__gateway *gateway = context;
    gateway->is_patient    = false;
    deft__gateway_let_in(gateway);
}

static void stop_awaiting(deft__slot *slot)
{
    if (slot->is_awaited) {
        slot->is_awaited = false;
        slot->gateway->awaited_count--;
    }
}

// Starts servers whose lists are wanted, in order, as long as not too many are starting.
static void learn_next(void *context)
{
    deft__gateway *gateway  = context;
    size_t         starting = 0;
    for (size_t i = 0; i < gateway->slot_count; i++) {
        const deft__slot *slot = &gateway->slots[i];
        starting += deft__link_state_of(slot->link) == DEFT__LINK_STARTING ? 1 : 0;
    }
    for (size_t i = 0; i < gateway->slot_count && starting < gateway->discoveries_max; i++) {
        deft__slot *slot = &gateway->slots[i];
        if (slot->is_wanted) {
            slot->is_wanted = false;
            deft__link_discover(slot->link);
            starting += deft__link_state_of(slot->link) == DEFT__LINK_STARTING ? 1 : 0;
        }
    }
}

static void begin_discovery(deft__gateway *gateway)
{
    for (size_t i = 0; i < gateway->slot_count; i++) {
        deft__link_set_capabilities(gateway->slots[i].link, gateway->declared);
    }
    deft__timer_set(&gateway->timers, &gateway->refresh, gateway->refresh_age_ms);
    for (size_t i = 0; i < gateway->slot_count; i++) {
        deft__slot            *slot  = &gateway->slots[i];
        const deft__link_state state = deft__link_state_of(slot->link);
        if (state == DEFT__LINK_CONFIGURED) {
            slot->is_awaited = true;
            gateway->awaited_count++;
        }
    }
    if (gateway->awaited_count > 0) {
        deft__timer_set(&gateway->timers, &gateway->patience, gateway->first_wait_ms);
    } else {
        gateway->is_patient = false; // all are known: what changes later keeps nobody waiting
    }
    for (size_t i = 0; i < gateway->slot_count; i++) {
        gateway->slots[i].is_wanted = gateway->slots[i].is_awaited || gateway->slots[i].is_stale;
    }
    learn_next(gateway);
}

void deft__gateway_discover(deft__gateway *gateway)
{
    const bool is_new       = !gateway->is_discovering;
    gateway->is_discovering = true;
    if (is_new && gateway->is_started) {
        begin_discovery(gateway);
    }
}

// A gateway that runs for days hears of new tools, too.
static void refresh(void *context)
{
    deft__gateway *gateway = context;
    for (size_t i = 0; i < gateway->slot_count; i++) {
        gateway->slots[i].is_wanted = true;
    }
    learn_next(gateway);
    deft__timer_set(&gateway->timers, &gateway->refresh, gateway->refresh_age_ms);
}

// --- What links tell. ---

static void link_changed(void *context, deft__link *link)
{
    deft__gateway *gateway = context;
    deft__slot    *slot    = deft__link_tag(link);
    if (slot == NULL) {
        return; // it is only being made
    }
    const deft__link_state state = deft__link_state_of(link);
    if (state != DEFT__LINK_STARTING && gateway->is_started) {
        deft__timer_set(&gateway->timers, &gateway->discovery, 0); // another one may start
    }
    if (state == DEFT__LINK_FAILED || state == DEFT__LINK_DISABLED ||
        state == DEFT__LINK_QUARANTINED || state == DEFT__LINK_UNAUTHORIZED) {
        stop_awaiting(slot);
        deft__gateway_let_in(gateway);
    }
    if (state == DEFT__LINK_READY) {
        deft__slot_set_log_level(slot);
    }
    if (slot->is_aside != (state == DEFT__LINK_QUARANTINED)) {
        slot->is_aside = !slot->is_aside;
        build_soon(gateway);
    }
    if (gateway->host.server_changed != NULL) {
        gateway->host.server_changed(gateway->host.context, slot->place);
    }
}

static void keep_manifest(const deft__gateway *gateway, const deft__slot *slot,
                          deft__manifest *manifest)
{
    if (gateway->host.manifest_learned != NULL) {
        gateway->host.manifest_learned(gateway->host.context, slot->place, manifest);
    }
}

static void link_learned(void *context, deft__link *link, deft__manifest *manifest)
{
    deft__gateway *gateway = context;
    deft__slot    *slot    = deft__link_tag(link);
    slot->is_stale         = false;
    stop_awaiting(slot);
    build_soon(gateway);
    keep_manifest(gateway, slot, manifest);
}

// Nothing is new, but from now on.
static void link_confirmed(void *context, deft__link *link)
{
    deft__gateway *gateway = context;
    deft__slot    *slot    = deft__link_tag(link);
    slot->is_stale         = false;
    keep_manifest(gateway, slot, deft__link_manifest(link));
}

static void driver_start(void *context, deft__link *link, uint32_t life)
{
    const deft__gateway *gateway = context;
    const deft__slot    *slot    = deft__link_tag(link);
    gateway->host.server_start(gateway->host.context, slot->place, life);
}

static void driver_send(void *context, deft__link *link, uint32_t life, deft_view line)
{
    const deft__gateway *gateway = context;
    const deft__slot    *slot    = deft__link_tag(link);
    gateway->host.server_send(gateway->host.context, slot->place, life, line);
}

static void driver_stop(void *context, deft__link *link, uint32_t life)
{
    const deft__gateway *gateway = context;
    const deft__slot    *slot    = deft__link_tag(link);
    gateway->host.server_stop(gateway->host.context, slot->place, life);
}

// --- The gateway itself. ---

static bool make_links(deft__gateway *gateway, const deft__gateway_options *options,
                       deft_error *error)
{
    if (options->server_count == 0) {
        return true;
    }
    gateway->slots = deft__new(gateway->allocator, options->server_count * sizeof *gateway->slots);
    if (gateway->slots == NULL) {
        deft__fail_memory(error);
        return false;
    }
    gateway->slot_count = options->server_count;
    for (size_t i = 0; i < options->server_count; i++) {
        const deft__gateway_server *server = &options->servers[i];
        deft__slot                 *slot   = &gateway->slots[i];
        *slot                              = (deft__slot){.gateway  = gateway,
                                                          .place    = i,
                                                          .is_stale = server->manifest != NULL && !server->is_fresh};
        slot->link                         = deft__link_new(
                                    server->name, &server->options, &gateway->driver, &gateway->listener, &gateway->timers,
                                    server->manifest, server->is_fresh, deft__server_info, 0, gateway->allocator, error);
        if (slot->link == NULL) {
            return false;
        }
        deft__link_set_tag(slot->link, slot);
    }
    return true;
}

static bool init_parts(deft__gateway *gateway, uint64_t now_ms)
{
    const deft_allocator *allocator = gateway->allocator;
    deft__answers_init(&gateway->answers, gateway->seed, allocator);
    deft__mcp_reader_init(&gateway->reader, allocator);
    deft_buffer_init(&gateway->line, allocator);
    deft_buffer_init(&gateway->scratch, allocator);
    deft__timers_init(&gateway->timers, now_ms, allocator);
    deft__timer_init(&gateway->rebuild, build, gateway);
    deft__timer_init(&gateway->patience, lose_patience, gateway);
    deft__timer_init(&gateway->entrance, let_in, gateway);
    deft__timer_init(&gateway->refresh, refresh, gateway);
    deft__timer_init(&gateway->hold, deft__gateway_hold_ring, gateway);
    deft__timer_init(&gateway->discovery, learn_next, gateway);
    return deft__timers_reserve(&gateway->timers, 6);
}

deft__gateway *deft__gateway_new(const deft__gateway_options *options,
                                 const deft__gateway_host *host, uint64_t now_ms,
                                 const deft_allocator *allocator, deft_error *error)
{
    deft__gateway *gateway = deft__new(allocator, sizeof *gateway);
    if (gateway == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    *gateway = (deft__gateway){
        .allocator     = allocator,
        .settings      = options->settings,
        .model         = options->model,
        .naming        = options->naming,
        .first_wait_ms = options->first_wait_ms > 0 ? options->first_wait_ms : FIRST_WAIT_MS,
        .clients_max   = options->clients_max > 0 ? options->clients_max : CLIENTS_MAX,
        .discoveries_max =
            options->discoveries_max > 0 ? options->discoveries_max : DISCOVERIES_MAX,
        .refresh_age_ms = options->refresh_age_ms > 0 ? options->refresh_age_ms : REFRESH_AGE_MS,
        .declared       = options->declared,
        .seed           = options->seed,
        .key            = options->key,
        .host           = *host,
        .driver         = {.context = gateway,
                           .start   = driver_start,
                           .send    = driver_send,
                           .stop    = driver_stop},
        .listener       = {.context   = gateway,
                           .changed   = link_changed,
                           .learned   = link_learned,
                           .confirmed = link_confirmed,
                           .notified  = deft__gateway_notified,
                           .asked     = deft__gateway_asked,
                           .unasked   = deft__gateway_unasked},
        .is_patient     = true,
    };
    if (options->usage != NULL) {
        gateway->usage     = *options->usage;
        gateway->has_usage = true;
    }
    if (!init_parts(gateway, now_ms)) {
        deft__fail_memory(error);
        deft__gateway_free(gateway);
        return NULL;
    }
    if (!make_links(gateway, options, error)) {
        deft__gateway_free(gateway);
        return NULL;
    }
    return gateway;
}

void deft__gateway_free(deft__gateway *gateway)
{
    if (gateway == NULL) {
        return;
    }
    while (gateway->clients != NULL) {
        deft__client_close(gateway->clients);
    }
    deft__gateway_drop_parked(gateway);
    for (size_t i = 0; i < gateway->slot_count; i++) {
        deft__link_free(gateway->slots[i].link);
    }
    deft__free(gateway->allocator, gateway->slots, gateway->slot_count * sizeof *gateway->slots);
    free_job(gateway->job);
    deft_searcher_free(gateway->searcher);
    deft__snapshot_release(gateway->snapshot);
    deft__timers_clear(&gateway->timers);
    deft__answers_clear(&gateway->answers);
    deft__mcp_reader_clear(&gateway->reader);
    deft_buffer_clear(&gateway->line);
    deft_buffer_clear(&gateway->scratch);
    deft__free(gateway->allocator, gateway, sizeof *gateway);
}

void deft__gateway_adopt(deft__gateway *gateway, size_t server, deft__manifest *manifest,
                         bool is_fresh)
{
    assert(!gateway->is_started);
    gateway->slots[server].is_stale = !is_fresh;
    deft__link_adopt(gateway->slots[server].link, manifest, is_fresh);
}

void deft__gateway_start(deft__gateway *gateway)
{
    gateway->is_started = true;
    build(gateway);
    if (gateway->is_discovering) {
        begin_discovery(gateway);
    }
}

void deft__gateway_advance(deft__gateway *gateway, uint64_t now_ms)
{
    deft__timers_advance(&gateway->timers, now_ms);
}

uint64_t deft__gateway_next(const deft__gateway *gateway)
{
    return deft__timers_next(&gateway->timers);
}

size_t deft__gateway_server_count(const deft__gateway *gateway)
{
    return gateway->slot_count;
}

deft__link *deft__gateway_link(const deft__gateway *gateway, size_t server)
{
    return gateway->slots[server].link;
}

void deft__gateway_reset(deft__gateway *gateway)
{
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        deft__client_reset(client);
    }
}
