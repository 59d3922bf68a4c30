// Answers that wait for the client to know its longer list. In style load the answer to a search says
// that tools have joined the list. A client that reads the notice of that and the answer at once asks
// its model again before it has fetched the list, and the model cannot call what it was told of. So the
// answer is held until the client has asked for the list, and for a moment at most. A client that does
// not ask is not waited for again, until it does.
#include "base/memory.h"
#include "gateway/private.h"

// opencode asks within 5 ms where it has a processor, and within 2 s where it has to share one.
#define HOLD_MS 2000

struct deft__held {
    deft__held *next;
    deft_buffer id; // raw, of the client's request
    deft_buffer line;
    uint64_t    until_ms;
};

static void free_held(deft__client *client, deft__held *held)
{
    deft_buffer_clear(&held->id);
    deft_buffer_clear(&held->line);
    deft__free(client->gateway->allocator, held, sizeof *held);
}

static void set_timer(deft__gateway *gateway, uint64_t until_ms)
{
    const uint64_t now = gateway->timers.now_ms;
    if (!deft__timer_is_set(&gateway->hold) || until_ms < gateway->hold.at_ms) {
        deft__timer_set(&gateway->timers, &gateway->hold, until_ms > now ? until_ms - now : 0);
    }
}

bool deft__client_hold_line(deft__client *client, deft_view id)
{
    deft__gateway *gateway = client->gateway;
    if (!client->is_listed || client->is_list_ignored || gateway->line.status != DEFT_OK) {
        return false;
    }
    deft__held *held = deft__new(gateway->allocator, sizeof *held);
    if (held == NULL) {
        return false;
    }
    deft_buffer_init(&held->id, gateway->allocator);
    deft_buffer_init(&held->line, gateway->allocator);
    deft_buffer_append(&held->id, id);
    deft_buffer_append(&held->line, deft_buffer_view(&gateway->line));
    if (held->id.status != DEFT_OK || held->line.status != DEFT_OK) {
        free_held(client, held);
        return false;
    }
    deft__held **end = &client->held;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end           = held;
    held->until_ms = gateway->timers.now_ms + HOLD_MS;
    set_timer(gateway, held->until_ms);
    return true;
}

static void send_first(deft__client *client)
{
    deft__gateway    *gateway = client->gateway;
    deft__held       *held    = client->held;
    const deft_buffer line    = gateway->line;
    client->held              = held->next;
    gateway->line             = held->line; // as if it had just been written
    held->line                = line;
    deft__client_send_line(client, deft_buffer_view(&held->id));
    free_held(client, held);
}

void deft__client_send_held(deft__client *client)
{
    client->is_list_ignored = false;
    while (client->held != NULL) {
        send_first(client);
    }
}

bool deft__client_cancel_held(deft__client *client, deft_view id)
{
    for (deft__held **at = &client->held; *at != NULL; at = &(*at)->next) {
        deft__held *held = *at;
        if (deft_view_equal(deft_buffer_view(&held->id), id)) {
            *at = held->next;
            free_held(client, held);
            return true;
        }
    }
    return false;
}

size_t deft__client_held_count(const deft__client *client)
{
    size_t count = 0;
    for (const deft__held *held = client->held; held != NULL; held = held->next) {
        count++;
    }
    return count;
}

void deft__client_clear_held(deft__client *client)
{
    while (client->held != NULL) {
        deft__held *held = client->held;
        client->held     = held->next;
        free_held(client, held);
    }
}

void deft__gateway_hold_ring(void *context)
{
    deft__gateway *gateway = context;
    const uint64_t now     = gateway->timers.now_ms;
    for (deft__client *client = gateway->clients; client != NULL; client = client->next) {
        while (client->held != NULL && client->held->until_ms <= now) {
            client->is_list_ignored = true;
            send_first(client);
        }
        if (client->held != NULL) {
            set_timer(gateway, client->held->until_ms);
        }
    }
}
