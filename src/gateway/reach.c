// What a client may reach. Tools are asked of its session, which the restriction was given to; this is
// for everything else: servers as such, prompts, resources, notices. A server that is hidden is not
// there, whatever way a client asks.
#include "base/fail.h"
#include "base/glob.h"
#include "gateway/private.h"

static bool copy_patterns(deft__arena *arena, const deft_view *patterns, size_t count,
                          const deft_view **copies)
{
    deft_view *made = count > 0 ? deft__arena_array(arena, count, sizeof *made) : NULL;
    *copies         = made;
    for (size_t i = 0; made != NULL && i < count; i++) {
        if (!deft__arena_copy(arena, patterns[i], &made[i])) {
            return false;
        }
    }
    return made != NULL || count == 0;
}

static bool fits_any(const deft_view *patterns, size_t count, deft_view text)
{
    for (size_t i = 0; i < count; i++) {
        if (deft__glob_match(patterns[i], text)) {
            return true;
        }
    }
    return false;
}

// Whether a pattern fits every tool of a server: one that ends in `*` and fits the empty tool
// "server::" fits whatever follows it.
static bool fits_whole(deft_view pattern, deft_view server)
{
    char prefix[DEFT_NAME_SIZE_MAX + 2]; // the configuration has no longer names
    if (pattern.size == 0 || pattern.data[pattern.size - 1] != '*' ||
        server.size > DEFT_NAME_SIZE_MAX) {
        return false;
    }
    memcpy(prefix, server.data, server.size);
    memcpy(prefix + server.size, "::", 2);
    return deft__glob_match(pattern, deft_view_make(prefix, server.size + 2));
}

static bool has_whole(const deft_view *patterns, size_t count, deft_view server)
{
    for (size_t i = 0; i < count; i++) {
        if (fits_whole(patterns[i], server)) {
            return true;
        }
    }
    return false;
}

// Whether a pattern may fit some tool of a server: what stands before its "::" does. One without may
// fit a tool of any.
static bool fits_some(deft_view pattern, deft_view server)
{
    for (size_t i = 0; i + 1 < pattern.size; i++) {
        if (pattern.data[i] == ':' && pattern.data[i + 1] == ':') {
            return deft__glob_match(deft_view_slice(pattern, 0, i), server);
        }
    }
    return true;
}

// Whether anything of the server may be used at all.
static bool shows_server(const deft_restriction *restriction, deft_view server)
{
    bool is_some = restriction->tool_count == 0;
    for (size_t i = 0; i < restriction->tool_count && !is_some; i++) {
        is_some = fits_some(restriction->tools[i], server);
    }
    return is_some &&
           (restriction->server_count == 0 ||
            fits_any(restriction->servers, restriction->server_count, server)) &&
           !has_whole(restriction->denied, restriction->denied_count, server);
}

bool deft__client_may_see(const deft__client *client, uint32_t server)
{
    return (!client->has_only || client->only == server) &&
           (!client->is_restricted ||
            shows_server(&client->restriction,
                         deft__link_name(client->gateway->slots[server].link)));
}

// A restriction speaks of tools; prompts and resources follow their server. Where only some tools of
// a server are allowed, nothing else of it is.
bool deft__client_may_reach(const deft__client *client, uint32_t server)
{
    const deft_restriction *restriction = &client->restriction;
    return deft__client_may_see(client, server) &&
           (!client->is_restricted || restriction->tool_count == 0 ||
            has_whole(restriction->tools, restriction->tool_count,
                      deft__link_name(client->gateway->slots[server].link)));
}

// The server of a client that has only one; what it may not see is answered as what is not there.
static deft_status find_only(deft__client *client, deft_view name,
                             const deft_restriction *restriction, deft_error *error)
{
    const deft__gateway *gateway = client->gateway;
    while (client->only < gateway->slot_count &&
           !deft_view_equal(deft__link_name(gateway->slots[client->only].link), name)) {
        client->only++;
    }
    if (client->only == gateway->slot_count ||
        (restriction != NULL && !shows_server(restriction, name))) {
        deft__quoted quoted;
        return deft__fail(error, DEFT_NOT_FOUND, 0, "no server is called '%s'",
                          deft__quote(&quoted, name));
    }
    client->has_only = true;
    return DEFT_OK;
}

// One server only is a restriction like any other, with one pattern, in place of those that it was
// found to fit.
deft_status deft__client_restrict(deft__client *client, const deft__client_options *options,
                                  deft_error *error)
{
    deft_restriction wanted = {.servers = NULL};
    client->is_person       = options->is_person;
    client->is_everything   = options->is_everything || options->server.size > 0;
    if (options->server.size > 0) {
        const deft_status status = find_only(client, options->server, options->restriction, error);
        if (status != DEFT_OK) {
            return status;
        }
    }
    if (options->restriction != NULL) {
        wanted = *options->restriction;
    }
    if (options->server.size > 0) {
        wanted.servers      = &options->server;
        wanted.server_count = 1;
    }
    client->restriction   = wanted;
    client->is_restricted = wanted.server_count + wanted.tool_count + wanted.denied_count > 0;
    return copy_patterns(&client->patterns, wanted.servers, wanted.server_count,
                         &client->restriction.servers) &&
                   copy_patterns(&client->patterns, wanted.tools, wanted.tool_count,
                                 &client->restriction.tools) &&
                   copy_patterns(&client->patterns, wanted.denied, wanted.denied_count,
                                 &client->restriction.denied)
               ? DEFT_OK
               : deft__fail_memory(error);
}

static const deft__offer *next_reachable(const deft__client *client, const deft__offers *offers,
                                         size_t *at)
{
    while (*at < offers->count) {
        const deft__offer *offer = &offers->items[(*at)++];
        if (deft__client_may_reach(client, offer->server)) {
            return offer;
        }
    }
    return NULL;
}

bool deft__client_sees_same(const deft__client *client, const deft__offers *a,
                            const deft__offers *b)
{
    size_t at_a = 0;
    size_t at_b = 0;
    for (;;) {
        const deft__offer *one   = next_reachable(client, a, &at_a);
        const deft__offer *other = next_reachable(client, b, &at_b);
        if (one == NULL || other == NULL) {
            return one == other;
        }
        if (one->server != other->server || !deft_view_equal(one->text, other->text)) {
            return false;
        }
    }
}

static bool allows_tool(const deft_restriction *restriction, deft_view server,
                        const deft_tool *tool)
{
    return (restriction->server_count == 0 ||
            fits_any(restriction->servers, restriction->server_count, server)) &&
           (restriction->tool_count == 0 ||
            fits_any(restriction->tools, restriction->tool_count, tool->name) ||
            fits_any(restriction->tools, restriction->tool_count, tool->id)) &&
           !fits_any(restriction->denied, restriction->denied_count, tool->name) &&
           !fits_any(restriction->denied, restriction->denied_count, tool->id);
}

static const deft_tool *next_allowed(const deft__client *client, const deft_catalog *catalog,
                                     uint32_t *at)
{
    while (*at < deft_catalog_tool_count(catalog)) {
        const deft_tool *tool   = deft_catalog_tool(catalog, (deft_tool_id){(*at)++});
        const deft_view  server = deft_catalog_server(catalog, tool->server)->name;
        if (allows_tool(&client->restriction, server, tool)) {
            return tool;
        }
    }
    return NULL;
}

bool deft__client_sees_same_tools(const deft__client *client, const deft_catalog *a,
                                  const deft_catalog *b)
{
    uint32_t at_a = 0;
    uint32_t at_b = 0;
    while (client->is_restricted) {
        const deft_tool *one   = next_allowed(client, a, &at_a);
        const deft_tool *other = next_allowed(client, b, &at_b);
        if (one == NULL || other == NULL) {
            return one == other;
        }
        if (!deft_view_equal(one->id, other->id) ||
            !deft_view_equal(one->definition, other->definition)) {
            return false;
        }
    }
    return false;
}
