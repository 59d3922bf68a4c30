// Modern servers tell of changes only where they were asked to: with one request that stays open,
// subscriptions/listen. When it ends it is opened again, after a pause that grows, and since changes
// may have been missed meanwhile the lists are then fetched again.
#include "gateway/link_private.h"

static const struct {
    unsigned             capability;
    const char          *member;
    deft__link_list_kind kind;
} topics[] = {
    {DEFT__MCP_SERVER_TOOLS_CHANGED, "\"toolsListChanged\":true", DEFT__LINK_TOOLS},
    {DEFT__MCP_SERVER_PROMPTS_CHANGED, "\"promptsListChanged\":true", DEFT__LINK_PROMPTS},
    {DEFT__MCP_SERVER_RESOURCES_CHANGED, "\"resourcesListChanged\":true", DEFT__LINK_RESOURCES},
};
#define TOPIC_COUNT (sizeof topics / sizeof topics[0])

// After a pause; it grows like that before a start.
static void listen_later(deft__link *link)
{
    uint64_t pause = link->options.backoff_min_ms;
    for (uint32_t i = 0; i < link->listen_failures && pause < link->options.backoff_max_ms / 2;
         i++) {
        pause *= 2;
    }
    link->listen_id = 0;
    link->listen_failures += link->listen_failures < 32 ? 1 : 0;
    link->is_listen_late = true;
    deft__timer_set(link->timers, &link->listen_timer, pause);
}

void deft__link_listen(deft__link *link)
{
    bool        is_wanted = false;
    deft_buffer members;
    deft_buffer_init(&members, link->allocator);
    deft_buffer_append_text(&members, "\"notifications\":{");
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        if (link->hello.capabilities & topics[i].capability) {
            deft_buffer_append_text(&members, is_wanted ? "," : "");
            deft_buffer_append_text(&members, topics[i].member);
            is_wanted = true;
        }
    }
    deft_buffer_append_byte(&members, '}');
    if (is_wanted && link->era == DEFT__MCP_ERA_MODERN) {
        const uint32_t life = link->life;
        const uint64_t sent =
            members.status == DEFT_OK
                ? deft__link_send_own(link, "subscriptions/listen", deft_buffer_view(&members))
                : 0;
        if (deft__link_is_current(link, life)) {
            link->listen_id = sent;
            if (sent == 0) {
                listen_later(link);
            }
        }
    }
    deft_buffer_clear(&members);
}

void deft__link_listen_ring(void *context)
{
    deft__link_listen(context);
}

bool deft__link_take_listen_end(deft__link *link, uint64_t id, const deft__mcp_message *message)
{
    if (id == 0 || id != link->listen_id) {
        return false;
    }
    link->listen_id = 0;
    // A server that does not know the method will not learn it.
    if (message == NULL || message->kind == DEFT__MCP_RESULT ||
        message->error_code != DEFT__MCP_METHOD_NOT_FOUND) {
        listen_later(link);
    }
    return true;
}

bool deft__link_take_acknowledged(deft__link *link, const deft__mcp_message *message)
{
    const deft__json_value id =
        deft__json_member(message->meta, "io.modelcontextprotocol/subscriptionId");
    if (link->listen_id == 0 || deft__link_parse_id(deft__json_raw(id)) != link->listen_id) {
        return false;
    }
    link->listen_failures = 0;
    if (link->is_listen_late) {
        link->is_listen_late = false;
        for (size_t i = 0; i < TOPIC_COUNT; i++) {
            if (link->hello.capabilities & topics[i].capability) {
                deft__link_list_changed(link, topics[i].kind);
            }
        }
        if (link->hello.capabilities & DEFT__MCP_SERVER_RESOURCES_CHANGED) {
            deft__link_list_changed(link, DEFT__LINK_TEMPLATES);
        }
    }
    return true;
}
