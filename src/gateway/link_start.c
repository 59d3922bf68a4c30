// From a name to a server that answers: which era it speaks, the handshake, and what happens when
// there is none. Most servers are legacy and answer server/discover with some error, with nothing,
// or by leaving: an end during the probe is no failure but a reason to start again without it.
#include "base/fail.h"
#include "gateway/link_private.h"

#include <assert.h>
#include <inttypes.h>

// --- Starting

void deft__link_start_again(deft__link *link)
{
    link->life++;
    link->phase          = DEFT__LINK_OPENING;
    link->era            = DEFT__MCP_ERA_UNKNOWN;
    link->is_probed      = false;
    link->has_discovered = false;
    link->is_used        = deft__link_open_count(link) > 0;
    link->handshake_id   = 0;
    link->probe_id       = 0;
    link->calling++;
    link->driver->start(link->driver->context, link, link->life);
    link->calling--;
}

void deft__link_start(deft__link *link)
{
    assert(link->phase == DEFT__LINK_DOWN);
    link->started_at_ms = link->timers->now_ms;
    link->is_legacy_now = false;
    deft__timer_set(link->timers, &link->start_timer, link->options.start_timeout_ms);
    link->state = DEFT__LINK_STARTING;
    deft__link_start_again(link);
    link->calling++;
    link->listener->changed(link->listener->context, link);
    link->calling--;
}

static bool is_legacy_expected(const deft__link *link)
{
    if (link->options.era != DEFT__MCP_ERA_UNKNOWN) {
        return link->options.era == DEFT__MCP_ERA_LEGACY;
    }
    // A modern verdict is asked for again at each start: that costs one round trip, and a server
    // that was replaced by an older one is then served all the same.
    return link->is_legacy_now || (link->manifest != NULL && link->is_fresh &&
                                   link->manifest->era == DEFT__MCP_ERA_LEGACY);
}

static void fail_for_memory(deft__link *link)
{
    deft_error   error;
    deft__quoted name;
    (void)deft__fail(&error, DEFT_OUT_OF_MEMORY, 0, "there is no memory to start server '%s'",
                     deft__quote(&name, deft__link_name(link)));
    deft__link_fail(link, error.message, true);
}

static void probe(deft__link *link)
{
    // The envelope is modern from here on, until an answer says otherwise.
    link->era           = DEFT__MCP_ERA_MODERN;
    link->phase         = DEFT__LINK_PROBING;
    link->is_probed     = true;
    const uint32_t life = link->life;
    const uint64_t sent = deft__link_send_own(link, "server/discover", deft_view_of(NULL));
    if (!deft__link_is_current(link, life)) {
        return;
    }
    if (sent == 0) {
        fail_for_memory(link);
        return;
    }
    link->handshake_id = sent;
    link->probe_id     = sent;
    if (link->options.era != DEFT__MCP_ERA_MODERN && !link->options.is_remote) {
        deft__timer_set(link->timers, &link->probe_timer, link->options.probe_timeout_ms);
    }
}

static void initialize(deft__link *link)
{
    deft_buffer params;
    deft_buffer_init(&params, link->allocator);
    deft_buffer_append_text(&params, "\"protocolVersion\":\"" DEFT__MCP_VERSION_LEGACY
                                     "\",\"capabilities\":");
    deft__mcp_write_client_capabilities(&params, link->capabilities, DEFT__MCP_ERA_LEGACY);
    deft_buffer_append_text(&params, ",\"clientInfo\":");
    deft_buffer_append(&params, deft__link_client_info(link));

    deft__timer_stop(link->timers, &link->probe_timer);
    link->era           = DEFT__MCP_ERA_LEGACY;
    link->phase         = DEFT__LINK_INITIALIZING;
    const uint32_t life = link->life;
    const uint64_t sent = params.status == DEFT_OK
                              ? deft__link_send_own(link, "initialize", deft_buffer_view(&params))
                              : 0;
    deft_buffer_clear(&params);
    if (!deft__link_is_current(link, life)) {
        return;
    }
    if (sent == 0) {
        fail_for_memory(link);
        return;
    }
    link->handshake_id = sent;
}

void deft__link_opened(deft__link *link, uint32_t life)
{
    if (!deft__link_is_current(link, life) || link->phase != DEFT__LINK_OPENING) {
        return;
    }
    if (link->calling > 0) {
        link->has_opened = true;
        link->told_life  = life;
        deft__timer_set(link->timers, &link->soon, 0);
    } else if (is_legacy_expected(link)) {
        initialize(link);
    } else {
        probe(link);
    }
}

void deft__link_probe_ring(void *context)
{
    initialize(context); // silence
}

// --- What the server says of itself

deft_view deft__link_hello_version(const deft__link *link)
{
    return deft_view_slice(deft_buffer_view(&link->hello.text), 0, link->hello.version_size);
}

deft_view deft__link_hello_capabilities(const deft__link *link)
{
    return deft_view_slice(deft_buffer_view(&link->hello.text), link->hello.version_size,
                           link->hello.capabilities_size);
}

deft_view deft__link_hello_server_info(const deft__link *link)
{
    const deft__link_hello *hello = &link->hello;
    return deft_view_slice(deft_buffer_view(&hello->text),
                           hello->version_size + hello->capabilities_size, hello->server_info_size);
}

deft_view deft__link_hello_instructions(const deft__link *link)
{
    const deft__link_hello *hello = &link->hello;
    return deft_view_slice(deft_buffer_view(&hello->text),
                           hello->version_size + hello->capabilities_size + hello->server_info_size,
                           hello->instructions_size);
}

static size_t keep_part(deft__link_hello *hello, deft__json_value value, deft__json_kind kind)
{
    const deft_view raw = deft__json_is(value, kind) ? deft__json_raw(value) : deft_view_of(NULL);
    deft_buffer_append(&hello->text, raw);
    return raw.size;
}

// `result` is of initialize or server/discover. False: no memory.
static bool keep_hello(deft__link *link, deft_view version, deft__json_value result,
                       deft__json_value server_info)
{
    deft__link_hello      *hello        = &link->hello;
    const deft__json_value capabilities = deft__json_member(result, "capabilities");
    const deft__json_value instructions = deft__json_member(result, "instructions");
    deft_buffer_reset(&hello->text);
    deft_buffer_append(&hello->text, version);
    hello->version_size      = version.size;
    hello->capabilities_size = keep_part(hello, capabilities, DEFT__JSON_OBJECT);
    hello->server_info_size  = keep_part(hello, server_info, DEFT__JSON_OBJECT);
    hello->instructions_size = keep_part(hello, instructions, DEFT__JSON_STRING);
    hello->capabilities      = deft__mcp_server_capabilities(capabilities);
    return hello->text.status == DEFT_OK;
}

// --- The handshake

static void become_ready(deft__link *link, deft__mcp_era era)
{
    const uint32_t life = link->life;
    deft__timer_stop(link->timers, &link->start_timer);
    deft__timer_stop(link->timers, &link->probe_timer);
    link->era          = era;
    link->phase        = DEFT__LINK_UP;
    link->handshake_id = 0;
    link->probe_id     = 0;
    link->used_at_ms   = link->timers->now_ms;
    deft__timer_set(link->timers, &link->idle_timer, deft__link_idle_limit(link));
    deft__link_set_state(link, DEFT__LINK_READY);
    if (deft__link_is_current(link, life)) {
        deft__link_pump(link);
    }
    if (deft__link_is_current(link, life)) {
        deft__link_listen(link);
    }
    if (deft__link_is_current(link, life)) {
        deft__link_lists_begin(link);
    }
    deft__link_deliver(link);
}

// The newest modern version in a list of versions that we speak too; NULL: none.
static const char *common_version(deft__json_value versions)
{
    size_t             count = 0;
    const char *const *ours  = deft__mcp_versions(DEFT__MCP_ERA_MODERN, &count);
    while (count > 0) {
        count--;
        deft__json_iterator i = deft__json_iterate(versions);
        while (deft__json_next(&i)) {
            if (deft__json_string_equals(i.value, deft_view_of(ours[count]))) {
                return ours[count];
            }
        }
    }
    return NULL;
}

// The version that an answer to server/discover leads to; NULL: the server is not modern.
static const char *discovered_version(const deft__mcp_message *message)
{
    deft__json_value versions = {0};
    if (message->kind == DEFT__MCP_RESULT) {
        versions = deft__json_member(message->result, "supportedVersions");
    } else if (message->error_code == DEFT__MCP_UNSUPPORTED_VERSION) {
        versions = deft__json_member(deft__json_member(message->error, "data"), "supported");
    }
    return deft__json_is(versions, DEFT__JSON_ARRAY) ? common_version(versions) : NULL;
}

static bool keep_discovered(deft__link *link, const char *version, const deft__mcp_message *message)
{
    const deft__json_value none   = {0};
    const deft__json_value result = message->kind == DEFT__MCP_RESULT ? message->result : none;
    deft__json_value       server_info =
        deft__json_member(message->meta, "io.modelcontextprotocol/serverInfo");
    if (!deft__json_is(server_info, DEFT__JSON_OBJECT)) {
        server_info = deft__json_member(result, "serverInfo"); // where an earlier draft had it
    }
    return keep_hello(link, deft_view_of(version), result, server_info);
}

static void take_discovered(deft__link *link, const deft__mcp_message *message)
{
    const char  *version = discovered_version(message);
    deft_error   error;
    deft__quoted name;
    if (version != NULL && keep_discovered(link, version, message)) {
        become_ready(link, DEFT__MCP_ERA_MODERN);
    } else if (version != NULL) {
        fail_for_memory(link);
    } else if (link->options.era == DEFT__MCP_ERA_MODERN) {
        (void)deft__fail(&error, DEFT_CONFLICT, 0,
                         "server '%s' does not speak " DEFT__MCP_VERSION_MODERN
                         "; set its \"era\" to \"auto\"",
                         deft__quote(&name, deft__link_name(link)));
        deft__link_fail(link, error.message, true);
    } else {
        initialize(link);
    }
}

static void take_refusal(deft__link *link, const deft__mcp_message *message)
{
    if (link->has_discovered) {
        // A modern server that was slow to say so.
        become_ready(link, DEFT__MCP_ERA_MODERN);
        return;
    }
    deft_error   error;
    deft__quoted name;
    deft__quoted text;
    if (deft__json_is(message->error, DEFT__JSON_NONE)) {
        (void)deft__fail(&error, DEFT_INVALID, 0,
                         "server '%s' answered initialize with a malformed message",
                         deft__quote(&name, deft__link_name(link)));
    } else {
        (void)deft__fail(&error, DEFT_CONFLICT, 0,
                         "server '%s' refused initialize: %s (%" PRId64 ")",
                         deft__quote(&name, deft__link_name(link)),
                         deft__quote(&text, message->error_message), message->error_code);
    }
    deft__link_fail(link, error.message, true);
}

// The one of our legacy versions that a JSON string names; NULL: none.
static const char *legacy_version(deft__json_value given)
{
    size_t             count = 0;
    const char *const *ours  = deft__mcp_versions(DEFT__MCP_ERA_LEGACY, &count);
    for (size_t i = 0; i < count; i++) {
        if (deft__json_string_equals(given, deft_view_of(ours[i]))) {
            return ours[i];
        }
    }
    return NULL;
}

static void accept_version(deft__link *link, const char *version, const deft__mcp_message *message)
{
    const uint32_t life    = link->life;
    bool           is_kept = keep_hello(link, deft_view_of(version), message->result,
                                        deft__json_member(message->result, "serverInfo"));
    if (is_kept) {
        deft_buffer_reset(&link->line);
        deft__mcp_write_notification(&link->line, "notifications/initialized", deft_view_of(NULL));
        is_kept = deft__link_send_line(link);
    }
    if (is_kept && deft__link_is_current(link, life)) {
        become_ready(link, DEFT__MCP_ERA_LEGACY);
    } else if (deft__link_is_current(link, life)) {
        fail_for_memory(link);
    }
}

static void take_initialized(deft__link *link, const deft__mcp_message *message)
{
    const deft__json_value given   = deft__json_member(message->result, "protocolVersion");
    const char            *version = legacy_version(given);
    deft_error             error;
    deft__quoted           name;
    deft__quoted           text;
    size_t                 count = 0;
    if (version != NULL) {
        accept_version(link, version, message);
        return;
    }
    (void)deft__fail(
        &error, DEFT_CONFLICT, 0,
        "server '%s' answered initialize with %s%s; deft speaks %s to " DEFT__MCP_VERSION_LEGACY
        " and " DEFT__MCP_VERSION_MODERN,
        deft__quote(&name, deft__link_name(link)),
        deft__json_is(given, DEFT__JSON_STRING) ? "protocol version " : "no protocol version",
        deft__json_is(given, DEFT__JSON_STRING) ? deft__quote(&text, deft__json_raw(given)) : "",
        deft__mcp_versions(DEFT__MCP_ERA_LEGACY, &count)[0]);
    deft__link_fail(link, error.message, true);
}

bool deft__link_take_handshake(deft__link *link, uint64_t id, const deft__mcp_message *message)
{
    if (link->phase == DEFT__LINK_PROBING) {
        // An error without an id is from a server that cannot make sense of our question.
        if (id == link->handshake_id || (id == 0 && message->kind == DEFT__MCP_ERROR)) {
            take_discovered(link, message);
            return true;
        }
    } else if (link->phase == DEFT__LINK_INITIALIZING && id != 0) {
        if (id == link->handshake_id && message->kind == DEFT__MCP_RESULT) {
            take_initialized(link, message);
            return true;
        } else if (id == link->handshake_id) {
            take_refusal(link, message);
            return true;
        } else if (id == link->probe_id) {
            const char *version  = discovered_version(message);
            link->has_discovered = version != NULL && keep_discovered(link, version, message);
            link->probe_id       = 0;
            return true;
        }
    }
    return false;
}
