// service.h - a gateway with everything around it, as serve.h and the control socket work with it.
// For the files of this folder.
#ifndef DEFT_SERVE_SERVICE_H
#define DEFT_SERVE_SERVICE_H

#include "base/map.h"
#include "gateway/gateway.h"
#include "io/loop.h"
#include "serve/bearer.h"
#include "serve/hooks.h"
#include "serve/keeper.h"
#include "serve/serve.h"
#include "transport/child.h"
#include "transport/remote.h"

typedef struct deft__service deft__service;
typedef struct deft__life    deft__life; // one run of one server's process, or one conversation
struct deft__request;

// What the store has of a server, until the gateway has it.
typedef struct deft__known {
    deft__manifest *manifest; // NULL: nothing
    bool            is_fresh;
    bool            is_aside; // it is quarantined
} deft__known;

typedef struct deft__service_server {
    deft__service            *service;
    size_t                    place; // in the configuration and in the gateway
    const deft_server_config *config;
    deft__ring                errors;      // what it wrote to stderr, in all its lives
    deft__life               *lives;       // one, and those that are being stopped
    bool                      was_unknown; // when the service began: counted in progress
    bool                      is_told;     // that it is known now, or has failed
    bool                      is_warned;   // that it is spoken to without TLS
    deft_buffer               challenge;   // its WWW-Authenticate, where it wants a login
    deft__bearer             *bearer;      // its token; NULL: none is to be shown
    deft__fetcher            *authority;   // for the bearer, where the server has a `ca`; or NULL
    deft__known               known;
} deft__service_server;

// Who speaks to the gateway as a client: lines for it arrive here.
typedef struct deft__speaker {
    void (*hear)(struct deft__speaker *speaker, deft_view line);
} deft__speaker;

struct deft__service {
    const deft_allocator      *allocator;
    const deft__serve_options *options;
    const deft_settings       *settings;
    deft__loop                *loop;
    deft__gateway             *gateway;
    deft__service_server      *servers;
    size_t                     server_count;
    deft__keeper               keeper;
    deft__hooks                hooks;
    deft__fetcher             *fetcher;    // NULL until a remote server is started
    uint64_t                   started_at; // seconds since 1970

    deft__alarm *alarm;    // for the gateway's next timer
    uint64_t     armed_at; // when it rings; UINT64_MAX: not set
    uint64_t     told_ms;  // the time as the gateway knows it
    deft__task   start;    // starts one server of those that wait for it, and then the next
    deft__life  *starting; // those, first come first served
    deft__life **starting_end;

    deft__snapshot_job *job;         // is being built, or waits for it
    deft__task          build;       // where no thread could be had
    deft__bytes        *image;       // of last time: texts of manifests and an index; NULL: none
    bool                is_reading;  // another thread reads what is known from last time
    bool                is_touching; // the store is to be told that this is in use

    struct deft__request *waiting; // requests for which all servers must be known

    // How often tools were used, as the store has it.
    deft__map   usage;
    deft__arena usage_arena;

    bool   is_alone;                // there is one request to answer, and then the end
    size_t life_count;              // processes, and starts that wait
    bool   is_ending;               // the gateway hears nothing any more
    void (*ended)(void *context);   // everything has stopped
    void (*settled)(void *context); // something has changed: whoever waits may look again
    void *owner;                    // the context of both
};

// Makes the loop and the gateway. `only` is the name of the one server that is needed; empty: all of
// them. Clear it also after a failure.
deft_status deft__service_init(deft__service *service, const deft__serve_options *options,
                               deft_view only, deft_error *error);
void        deft__service_clear(deft__service *service);

// Reads what is known from last time and starts the gateway with it: on another thread, while clients
// may come and are answered what can be answered without; or here and now.
void deft__service_start(deft__service *service);
void deft__service_start_now(deft__service *service);

// Around everything that is handed to the gateway: tells it the time, and sees to its next timer.
void deft__service_enter(deft__service *service);
void deft__service_leave(deft__service *service);

// Stops every server; `ended` is called when the last one is gone and nothing runs any more. Clients
// must have been closed before.
void deft__service_end(deft__service *service);
void deft__service_kill(deft__service *service); // what still runs: at once

// Calls `ended` if everything has. For whatever runs, when it no longer does.
void deft__service_tell_if_ended(deft__service *service);

// Somebody has logged in to this server, or out: it is tried again at once.
void deft__service_renew(deft__service *service, size_t place);

// How many servers that were not known at first are known now, or have failed.
void deft__service_progress(const deft__service *service, size_t *done, size_t *total);

#endif
