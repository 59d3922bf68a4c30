#include "serve/known.h"

#include "base/memory.h"
#include "store/images.h"
#include "store/journal.h"
#include "store/quarantine.h"
#include "transport/environment.h"

// What is in use is told to the store once a day.
#define TOUCH_AGE_S (24u * 60 * 60)

// --- Reading. -------------------------------------------------------------------------------------

// What each server is kept under. One whose variables are not set cannot be started, and has none.
static void make_keys(deft__service *service)
{
    deft__keeper *keeper = &service->keeper;
    for (size_t i = 0; i < service->server_count; i++) {
        deft__launch launch;
        keeper->names[i] = service->servers[i].config->name;
        keeper->has_keys[i] =
            deft__launch_init(&launch, service->servers[i].config, service->options->environment,
                              service->allocator, NULL) == DEFT_OK &&
            deft__store_key_of(keeper->store, &launch.server, &keeper->keys[i]);
        deft__launch_clear(&launch);
    }
}

typedef struct loading {
    deft__service *service;
    size_t        *places; // of the keys that are asked for
} loading;

static void manifest_found(void *context, size_t place, const deft__kept_manifest *kept)
{
    const loading *load    = context;
    deft__service *service = load->service;
    const size_t   at      = load->places[place];
    deft__known   *known   = &service->servers[at].known;
    const uint64_t now     = service->started_at;
    const uint64_t age_s   = now > kept->checked_at ? now - kept->checked_at : 0;
    known->manifest = deft__manifest_open(kept->text, kept->is_mapped ? service->image : NULL,
                                          service->allocator, NULL);
    known->is_fresh = known->manifest != NULL && age_s < service->settings->refresh_age_ms / 1000;
    service->keeper.checked_at[at] = kept->checked_at;
    service->is_touching |= now > kept->used_at && now - kept->used_at >= TOUCH_AGE_S;
}

// Those that can be asked for, with the texts that the image has of them. What cannot be read is
// learned again.
static void read_manifests(deft__service *service)
{
    const size_t     room   = service->server_count + 1;
    size_t          *places = deft__new(service->allocator, room * sizeof *places);
    deft__store_key *keys   = deft__new(service->allocator, room * sizeof *keys);
    deft_view       *texts  = deft__new(service->allocator, room * sizeof *texts);
    size_t           count  = 0;
    if (places != NULL && keys != NULL && texts != NULL) {
        for (size_t i = 0; i < service->server_count; i++) {
            if (service->keeper.has_keys[i]) {
                places[count] = i;
                keys[count]   = service->keeper.keys[i];
                texts[count]  = service->image != NULL
                                    ? deft__snapshot_image_text(service->image->view, i)
                                    : deft_view_make(NULL, 0);
                count++;
            }
        }
        loading load = {.service = service, .places = places};
        (void)deft__manifests_load(service->options->store, keys, count, texts, manifest_found,
                                   &load, NULL);
    }
    deft__free(service->allocator, places, room * sizeof *places);
    deft__free(service->allocator, keys, room * sizeof *keys);
    deft__free(service->allocator, texts, room * sizeof *texts);
}

static void use_found(void *context, deft_view name, uint64_t count)
{
    deft__service *service = context;
    deft_view      copy;
    if (deft__arena_copy(&service->usage_arena, name, &copy)) {
        deft__map_put(&service->usage, copy, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
    }
}

static void aside_found(void *context, deft_view name, uint64_t since)
{
    (void)since;
    deft__service *service = context;
    for (size_t i = 0; i < service->server_count; i++) {
        if (deft_view_equal(service->servers[i].config->name, name)) {
            service->servers[i].known.is_aside = true;
        }
    }
}

void deft__known_read(deft__service *service)
{
    make_keys(service);
    service->image = deft__keeper_load_image(&service->keeper);
    read_manifests(service);
    (void)deft__usage_load(service->options->store, use_found, service, NULL);
    (void)deft__quarantine_load(service->options->store, aside_found, service, NULL);
}

uint64_t deft__known_use_count(void *context, deft_view tool_id)
{
    const deft__service *service = context;
    uint32_t             count   = 0;
    deft__map_find(&service->usage, tool_id, &count);
    return count;
}

// --- Handing it over. -----------------------------------------------------------------------------

void deft__known_adopt(deft__service *service)
{
    for (size_t i = 0; i < service->server_count; i++) {
        deft__service_server *server = &service->servers[i];
        if (server->known.manifest != NULL) {
            deft__gateway_adopt(service->gateway, i, server->known.manifest,
                                server->known.is_fresh);
        }
        if (server->known.is_aside) {
            deft__link_set_quarantined(deft__gateway_link(service->gateway, i), true);
        }
        server->was_unknown = server->known.manifest == NULL && !server->config->is_disabled &&
                              !server->known.is_aside;
    }
    deft__known_clear(service);
    if (service->is_touching) {
        deft__keeper_touch(&service->keeper);
    }
    deft__gateway_start(service->gateway);
}

void deft__known_clear(deft__service *service)
{
    for (size_t i = 0; service->servers != NULL && i < service->server_count; i++) {
        deft__manifest_release(service->servers[i].known.manifest);
        service->servers[i].known.manifest = NULL;
    }
}
