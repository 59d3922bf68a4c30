#include "serve/lives.h"

#include "base/fail.h"
#include "base/memory.h"
#include "transport/environment.h"

#include <stdio.h>

// At the end servers have less time than in between: whoever started us may kill us after two
// seconds, and then nobody ends those that ignore the end of their input.
#define END_TERMINATE_MS 700
#define END_KILL_MS      700

struct deft__life {
    deft__life           *next;          // of its server
    deft__life           *next_starting; // in the queue of those to be started
    deft__service_server *server;
    uint32_t              number;
    deft__child          *child;       // its process; NULL: it is elsewhere, or not started
    deft__remote         *remote;      // the conversation; NULL: it is a process, or not started
    bool                  is_unwanted; // stopped before it was started
};

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
    deft__service_tell_if_ended(service);
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

// --- Starting. ------------------------------------------------------------------------------------

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
void deft__lives_start_next(void *context)
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

void deft__lives_start(void *context, size_t place, uint32_t number)
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

void deft__lives_send(void *context, size_t place, uint32_t number, deft_view line)
{
    const deft__life *life = find_life(context, place, number);
    if (life != NULL && life->child != NULL) {
        deft__child_send(life->child, line);
    } else if (life != NULL && life->remote != NULL) {
        deft__remote_send(life->remote, line);
    }
}

void deft__lives_stop(void *context, size_t place, uint32_t number)
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

// --- The end. -------------------------------------------------------------------------------------

void deft__lives_end(deft__service *service)
{
    for (size_t i = 0; i < service->server_count; i++) {
        for (deft__life *life = service->servers[i].lives; life != NULL; life = life->next) {
            if (life->child != NULL) {
                deft__child_stop_within(life->child, END_TERMINATE_MS, END_KILL_MS);
            } else if (life->remote != NULL) {
                deft__remote_stop_within(life->remote, END_TERMINATE_MS);
            }
        }
    }
}

void deft__lives_kill(deft__service *service)
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

void deft__lives_clear(deft__service_server *server)
{
    while (server->lives != NULL) {
        forget_life(server->lives);
    }
}
