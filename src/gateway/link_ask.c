// What the server asks of us. Each request gets a number of ours; the owner answers under it, now
// or later, and the server's id is kept here meanwhile.
#include "base/memory.h"
#include "gateway/link_private.h"

static deft_view id_of(const deft__link_ask *ask)
{
    return deft_view_make(ask->id, ask->id_size);
}

static void remove_ask(deft__link *link, size_t index)
{
    deft__free(link->allocator, link->asks[index].id, link->asks[index].id_size);
    link->ask_count--;
    memmove(&link->asks[index], &link->asks[index + 1],
            (link->ask_count - index) * sizeof *link->asks);
    link->used_at_ms = link->timers->now_ms;
}

// False: no memory.
static bool add_ask(deft__link *link, deft_view id)
{
    void *grown = link->asks;
    if (!deft__grow(link->allocator, &grown, &link->ask_capacity, link->ask_count,
                    sizeof *link->asks)) {
        return false;
    }
    link->asks = grown;
    char *copy = deft__resize(link->allocator, NULL, 0, id.size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, id.data, id.size);
    link->asks[link->ask_count++] = (deft__link_ask){
        .number = ++link->last_ask, .id = copy, .id_size = id.size, .life = link->life};
    return true;
}

void deft__link_asks_clear(deft__link *link)
{
    while (link->ask_count > 0) {
        remove_ask(link, link->ask_count - 1);
    }
    deft__free(link->allocator, link->asks, link->ask_capacity * sizeof *link->asks);
    link->asks         = NULL;
    link->ask_capacity = 0;
}

static void send_refusal(deft__link *link, deft_view id, int64_t code, deft_view text)
{
    deft_buffer_reset(&link->line);
    deft__mcp_write_error(&link->line, id, code, text, deft_view_of(NULL));
    (void)deft__link_send_line(link);
}

void deft__link_take_request(deft__link *link, const deft__mcp_message *message)
{
    if (link->phase == DEFT__LINK_UP && link->era == DEFT__MCP_ERA_MODERN) {
        link->ignored_count++; // modern servers do not ask, and modern clients do not answer
        return;
    }
    if (deft_view_equals(message->method, "ping")) {
        deft_buffer_reset(&link->line);
        deft__mcp_write_result(&link->line, message->id, deft_view_of("{}"));
        (void)deft__link_send_line(link);
        return;
    }
    for (size_t i = 0; i < link->ask_count; i++) {
        if (deft_view_equal(id_of(&link->asks[i]), message->id)) {
            link->ignored_count++; // asked twice: one answer is all that fits the id
            return;
        }
    }
    if (link->ask_count >= DEFT__LINK_ASKS_MAX || message->id.size > DEFT__LINK_ASK_ID_SIZE_MAX ||
        !add_ask(link, message->id)) {
        send_refusal(link, message->id, DEFT__MCP_INTERNAL_ERROR,
                     deft_view_of("too many requests at once"));
        return;
    }
    link->calling++;
    link->listener->asked(link->listener->context, link, link->last_ask, deft__link_last_sent(link),
                          message);
    link->calling--;
}

static void unask(deft__link *link, size_t index)
{
    const uint64_t number = link->asks[index].number;
    remove_ask(link, index);
    link->calling++;
    link->listener->unasked(link->listener->context, link, number);
    link->calling--;
}

void deft__link_unask_all(deft__link *link)
{
    while (link->ask_count > 0) {
        unask(link, 0);
    }
}

void deft__link_take_cancelled(deft__link *link, const deft__mcp_message *message)
{
    const deft_view id = deft__json_raw(deft__mcp_param(message, "requestId"));
    if (deft__link_take_listen_end(link, deft__link_parse_id(id), NULL)) {
        return;
    }
    for (size_t i = 0; i < link->ask_count; i++) {
        if (deft_view_equal(id_of(&link->asks[i]), id)) {
            unask(link, i);
            return;
        }
    }
    link->ignored_count++;
}

// The place of an ask; ask_count: there is none of this number.
static size_t find_ask(const deft__link *link, uint64_t number)
{
    size_t i = 0;
    while (i < link->ask_count && link->asks[i].number != number) {
        i++;
    }
    return i;
}

// Sends what was written into `line`, unless it is for a life that is over.
static void send_answer(deft__link *link, size_t index)
{
    const uint32_t life = link->asks[index].life;
    remove_ask(link, index);
    if (deft__link_is_current(link, life)) {
        (void)deft__link_send_line(link);
    }
}

void deft__link_answer(deft__link *link, uint64_t ask, deft_view result)
{
    const size_t i = find_ask(link, ask);
    if (i < link->ask_count) {
        deft_buffer_reset(&link->line);
        deft__mcp_write_result(&link->line, id_of(&link->asks[i]), result);
        send_answer(link, i);
    }
}

void deft__link_refuse(deft__link *link, uint64_t ask, int64_t code, deft_view message)
{
    const size_t i = find_ask(link, ask);
    if (i < link->ask_count) {
        deft_buffer_reset(&link->line);
        deft__mcp_write_error(&link->line, id_of(&link->asks[i]), code, message,
                              deft_view_of(NULL));
        send_answer(link, i);
    }
}
