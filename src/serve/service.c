#include "serve/service.h"

#include "base/fail.h"
#include "base/memory.h"
#include "serve/answer.h"
#include "serve/known.h"
#include "store/images.h"
#include "transport/environment.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

// At the end servers have less time than in between: whoever started us may kill us after two
// seconds, and then nobody ends those that ignore the end of their input.
#define END_TERMINATE_MS 700
#define END_KILL_MS      700

struct deft__life {
    deft__life           *next;          // of its server
    deft__life           *next_starting; // in the queue of those to be started
    deft__service_server *server;
    uint32_t              number;
    deft__child          *child;       // both NULL: not started yet, or it could not be
    deft__remote         *remote;      //
    bool                  is_unwanted; // stopped before it was started
};

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

static void tell_if_ended(deft__service *service)
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
    tell_if_ended(service);
}

// --- Lives of servers. ----------------------------------------------------------------------------

static deft__life *find_life(const deft__service *service, size_t place, uint32_t number)
{
    deft__life *life = service->servers[place].lives;
    while (life != NULL && life->number != number) {
        life = life->next;
    }
    return life;
}

static void forget_life(deft__life *life)
{
    deft__service *service = life->server->service;
    deft__life   **place   = &life->server->lives;
    while (*place != life) {
        place = &(*place)->next;
    }
    *place = life->next;
    deft__child_free(life->child);
    deft__remote_free(life->remote);
    deft__free(service->allocator, life, sizeof *life);
    service->life_count--;
}

// `tell` is deft__link_closed, or what else says that a life is over.
static void end_life(deft__life *life, deft_view reason,
                     void (*tell)(deft__link *link, uint32_t number, deft_view reason))
{
    deft__service *service = life->server->service;
    const size_t   place   = life->server->place;
    const uint32_t number  = life->number;
    forget_life(life);
    if (!service->is_ending) {
        deft__service_enter(service);
        tell(deft__gateway_link(service->gateway, place), number, reason);
        deft__service_leave(service);
    }
    tell_if_ended(service);
}

static void close_life(deft__life *life, deft_view reason)
{
    end_life(life, reason, deft__link_closed);
}

static void life_received(void *context, deft_view line)
{
    const deft__life *life    = context;
    deft__service    *service = life->server->service;
    if (!service->is_ending) {
        deft__service_enter(service);
        deft__link_received(deft__gateway_link(service->gateway, life->server->place), life->number,
                            line);
        deft__service_leave(service);
    }
}

static void life_overflowed(void *context)
{
    const deft__life *life    = context;
    deft__service    *service = life->server->service;
    if (!service->is_ending) {
        deft__service_enter(service);
        deft__link_overflowed(deft__gateway_link(service->gateway, life->server->place),
                              life->number);
        deft__service_leave(service);
    }
}

static void life_closed(void *context, deft_view reason)
{
    close_life(context, reason);
}

static void remote_unanswered(void *context, deft_view id, deft_view reason)
{
    const deft__life *life    = context;
    deft__service    *service = life->server->service;
    if (!service->is_ending) {
        deft__service_enter(service);
        deft__link_unanswered(deft__gateway_link(service->gateway, life->server->place),
                              life->number, id, reason);
        deft__service_leave(service);
    }
}

static void remote_unauthorized(void *context, deft_view reason, deft_view challenge)
{
    deft__life *life = context;
    deft_buffer_reset(&life->server->challenge);
    deft_buffer_append(&life->server->challenge, challenge);
    end_life(life, reason, deft__link_unauthorized);
}

// "server 'x' CLAUSE", for a person.
static void note(const deft__service_server *server, deft_view clause)
{
    const deft__serve_options *options = server->service->options;
    deft_error                 line    = DEFT_ERROR_INIT;
    deft__quoted               name;
    (void)deft__fail(&line, DEFT_OK, 0, "server '%s' %.*s",
                     deft__quote(&name, server->config->name), (int)clause.size, clause.data);
    if (options->note != NULL) {
        options->note(options->context, deft_view_of(line.message));
    }
}

static void remote_noted(void *context, deft_view clause)
{
    const deft__life *life = context;
    note(life->server, clause);
}

static deft_status start_child(deft__life *life, deft_error *error)
{
    const deft__service      *service = life->server->service;
    const deft_server_config *config  = life->server->config;
    const deft__child_options options = {
        .server        = config,
        .environment   = service->options->environment,
        .errors        = &life->server->errors,
        .context       = life,
        .received      = life_received,
        .overflowed    = life_overflowed,
        .closed        = life_closed,
        .line_size_max = (size_t)service->settings->message_size_max,
    };
    life->child = deft__child_start(service->loop, &options, error);
    return life->child != NULL ? DEFT_OK : DEFT_INVALID;
}

// --- Tokens of remote servers. --------------------------------------------------------------------

static bool remote_token(void *context, deft_view *token, uint32_t *number)
{
    const deft__life *life = context;
    return deft__bearer_token(life->server->bearer, token, number);
}

static bool remote_refused(void *context, int status, deft_view challenge, uint32_t number,
                           bool is_last, deft_buffer *clause)
{
    const deft__life *life = context;
    return deft__bearer_refused(life->server->bearer, status, challenge, number, is_last, clause);
}

static void bearer_renewed(void *context)
{
    const deft__service_server *server = context;
    deft__life                 *next   = NULL;
    for (deft__life *life = server->lives; life != NULL; life = next) {
        next = life->next;
        if (life->remote != NULL) {
            deft__remote_renewed(life->remote);
        }
    }
}

static void bearer_noted(void *context, deft_view clause)
{
    note(context, clause);
}

// Whoever signs for the server may sign for where one logs in to it, too. False: no memory.
static bool make_authority(deft__service_server *server, deft_view ca, deft_error *error)
{
    const deft__service *service = server->service;
    if (ca.size > 0 && server->authority == NULL) {
        server->authority =
            deft__fetcher_new(service->loop, service->options->environment, 0, error);
        return server->authority != NULL && deft__fetcher_trust(server->authority, ca);
    }
    return true;
}

// False: no memory.
static bool make_bearer(deft__service_server *server, deft_error *error)
{
    const deft__service *service = server->service;
    deft__launch         launch;
    if (service->options->logins == NULL || server->bearer != NULL) {
        return true;
    }
    bool is_made = true;
    // One whose variables are not set cannot be started either, which is said then.
    if (deft__launch_init(&launch, server->config, service->options->environment,
                          service->allocator, NULL) == DEFT_OK) {
        is_made                            = make_authority(server, launch.server.ca, error);
        const deft__bearer_options options = {
            .path     = service->options->logins,
            .name     = server->config->name,
            .endpoint = launch.server.url,
            .ca       = launch.server.ca,
            .fetcher  = server->authority != NULL ? server->authority : service->fetcher,
            .renewed  = bearer_renewed,
            .noted    = bearer_noted,
            .context  = server,
        };
        server->bearer = is_made ? deft__bearer_new(service->loop, &options) : NULL;
        is_made        = server->bearer != NULL;
    }
    deft__launch_clear(&launch);
    if (!is_made) {
        (void)deft__fail_memory(error);
    }
    return is_made;
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

static deft_status start_remote(deft__life *life, deft_error *error)
{
    deft__service_server *server  = life->server;
    deft__service        *service = server->service;
    const deft__manifest *manifest =
        deft__link_manifest(deft__gateway_link(service->gateway, server->place));
    if (service->fetcher == NULL) {
        service->fetcher =
            deft__fetcher_new(service->loop, service->options->environment, 0, error);
        if (service->fetcher == NULL ||
            (service->settings->remote_ca.size > 0 &&
             !deft__fetcher_trust(service->fetcher, service->settings->remote_ca))) {
            return DEFT_OUT_OF_MEMORY;
        }
    }
    if (!make_bearer(server, error)) {
        return DEFT_OUT_OF_MEMORY;
    }
    const deft__remote_options options = {
        .server           = server->config,
        .environment      = service->options->environment,
        .tools            = manifest != NULL ? manifest->tools : deft_view_of(NULL),
        .fetcher          = service->fetcher,
        .context          = life,
        .received         = life_received,
        .overflowed       = life_overflowed,
        .unanswered       = remote_unanswered,
        .closed           = life_closed,
        .unauthorized     = remote_unauthorized,
        .token            = server->bearer != NULL ? remote_token : NULL,
        .refused          = server->bearer != NULL ? remote_refused : NULL,
        .noted            = remote_noted,
        .message_size_max = (size_t)service->settings->message_size_max,
    };
    life->remote = deft__remote_start(service->loop, &options, error);
    if (life->remote == NULL) {
        return DEFT_INVALID;
    }
    if (deft__remote_is_open(life->remote) && !server->is_warned) {
        server->is_warned = true;
        note(server,
             deft_view_of("is spoken to over plain HTTP: whoever is on the way can read and "
                          "change it; use https"));
    }
    return DEFT_OK;
}

static deft_status start_life(deft__life *life, deft_error *error)
{
    return life->server->config->transport == DEFT_TRANSPORT_STDIO ? start_child(life, error)
                                                                   : start_remote(life, error);
}

// Starts one, and comes back for the next: starting takes a millisecond or two, and in between
// others are served.
static void start_next(void *context)
{
    deft__service *service = context;
    deft__life    *life    = service->starting;
    service->starting      = life->next_starting;
    if (service->starting == NULL) {
        service->starting_end = &service->starting;
    } else {
        deft__loop_defer(service->loop, &service->start);
    }
    deft_error error = DEFT_ERROR_INIT;
    if (life->is_unwanted || service->is_ending) {
        close_life(life, deft_view_of("was stopped"));
    } else if (start_life(life, &error) != DEFT_OK) {
        // Whoever reads it sees "server 'x'" in front.
        char reason[DEFT_ERROR_MESSAGE_SIZE + 32];
        (void)snprintf(reason, sizeof reason, "could not be started: %s", error.message);
        close_life(life, deft_view_of(reason));
    } else {
        deft__service_enter(service);
        deft__link_opened(deft__gateway_link(service->gateway, life->server->place), life->number);
        deft__service_leave(service);
    }
}

static void server_start(void *context, size_t place, uint32_t number)
{
    deft__service        *service = context;
    deft__service_server *server  = &service->servers[place];
    deft__life           *life    = deft__new(service->allocator, sizeof *life);
    if (life == NULL) {
        return; // the link's own limit for a start ends this
    }
    *life         = (deft__life){.next = server->lives, .server = server, .number = number};
    server->lives = life;
    service->life_count++;
    *service->starting_end = life;
    service->starting_end  = &life->next_starting;
    deft__loop_defer(service->loop, &service->start);
}

static void server_send(void *context, size_t place, uint32_t number, deft_view line)
{
    const deft__life *life = find_life(context, place, number);
    if (life != NULL && life->child != NULL) {
        deft__child_send(life->child, line);
    } else if (life != NULL && life->remote != NULL) {
        deft__remote_send(life->remote, line);
    }
}

static void server_stop(void *context, size_t place, uint32_t number)
{
    deft__life *life = find_life(context, place, number);
    if (life != NULL && life->child != NULL) {
        deft__child_stop(life->child);
    } else if (life != NULL && life->remote != NULL) {
        deft__remote_stop(life->remote);
    } else if (life != NULL) {
        life->is_unwanted = true;
    }
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
    tell_if_ended(service);
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
        .server_start     = server_start,
        .server_send      = server_send,
        .server_stop      = server_stop,
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
    deft__task_init(&service->start, start_next, service);
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
    tell_if_ended(service);
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
    for (size_t i = 0; i < service->server_count; i++) {
        for (deft__life *life = service->servers[i].lives; life != NULL; life = life->next) {
            if (life->child != NULL) {
                deft__child_stop_within(life->child, END_TERMINATE_MS, END_KILL_MS);
            } else if (life->remote != NULL) {
                deft__remote_stop_within(life->remote, END_TERMINATE_MS);
            }
        }
    }
    tell_if_ended(service);
}

void deft__service_kill(deft__service *service)
{
    for (size_t i = 0; i < service->server_count; i++) {
        for (deft__life *life = service->servers[i].lives; life != NULL; life = life->next) {
            if (life->child != NULL) {
                deft__child_kill(life->child);
            } else if (life->remote != NULL) {
                deft__remote_stop_within(life->remote, 0);
            }
        }
    }
}

void deft__service_clear(deft__service *service)
{
    assert(service->job == NULL && !service->is_reading && !service->keeper.is_writing);
    service->is_ending = true;
    deft__hooks_clear(&service->hooks);
    for (size_t i = 0; service->servers != NULL && i < service->server_count; i++) {
        while (service->servers[i].lives != NULL) {
            forget_life(service->servers[i].lives);
        }
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
