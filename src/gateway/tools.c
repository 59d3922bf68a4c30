// What a client sees of tools, and what it calls: its list, byte-stable; the bridge's tools; and any
// tool by its name.
#include "base/memory.h"
#include "gateway/ask.h"
#include "gateway/private.h"
#include "gateway/relay.h"
#include "gateway/status.h"

// A found tool joins the list only where the list may change as an effect of a call: not in the
// modern era.
static bool is_loading(const deft__client *client)
{
    return client->gateway->settings->style == DEFT_STYLE_LOAD &&
           client->era != DEFT__MCP_ERA_MODERN;
}

// --- The list. ---

// Appends to `out`, which holds nothing or definitions, one more.
static void append_definition(deft__client *client, deft_view definition, deft_buffer *out)
{
    if (out->size > 0) {
        deft_buffer_append_byte(out, ',');
    }
    if (deft__mcp_write_definition_for(out, definition, client->era, NULL) != DEFT_OK) {
        out->status = DEFT_OUT_OF_MEMORY;
    }
}

static deft_plan *plan_of(const deft__client *client)
{
    const deft__snapshot *snapshot = client->gateway->snapshot;
    return client->is_everything ? snapshot->everything : snapshot->plan;
}

static bool is_shown(void *context, deft_tool_id tool)
{
    return deft_session_is_allowed(((const deft__client *)context)->session, tool);
}

// The settings as they hold for this client.
static deft_settings settings_of(const deft__client *client)
{
    deft_settings settings = *client->gateway->settings;
    if (!is_loading(client)) {
        settings.style = DEFT_STYLE_BRIDGE;
    }
    return settings;
}

// Writes the bridge's tools, with the listing of what they reach now. They stay as they are then.
static deft_status write_bridge(deft__client *client)
{
    const deft_settings    settings = settings_of(client);
    const deft_tool_filter filter   = {.is_shown = is_shown, .context = client};
    deft_buffer            listing;
    deft_buffer            one;
    deft_buffer_init(&listing, client->gateway->allocator);
    deft_buffer_init(&one, client->gateway->allocator);
    deft_buffer_reset(&client->shown->bridge);
    deft_status status = deft_listing_write_filtered(
        plan_of(client), &settings, client->is_restricted ? &filter : NULL, &listing, NULL);
    deft_bridge_tool tools[DEFT_BRIDGE_TOOLS_MAX];
    const size_t     count = deft_bridge_tools(&settings, tools);
    for (size_t i = 0; status == DEFT_OK && i < count; i++) {
        deft_buffer_reset(&one);
        status = deft_bridge_write_definition(&settings, tools[i], DEFT_FORM_MCP,
                                              deft_buffer_view(&listing), &one);
        if (status == DEFT_OK) {
            append_definition(client, deft_buffer_view(&one), &client->shown->bridge);
            status = client->shown->bridge.status;
        }
    }
    deft_buffer_clear(&one);
    deft_buffer_clear(&listing);
    return status;
}

static bool is_listable(const deft__client *client, const deft_seen_tool *seen)
{
    return seen->state == DEFT_SEEN_UPFRONT ||
           (seen->state == DEFT_SEEN_LOADED && is_loading(client));
}

// Appends what the session shows and the list does not have yet. `is_grown` tells whether it grew.
static deft_status extend_list(deft__client *client, bool *is_grown)
{
    deft__gateway        *gateway = client->gateway;
    size_t                count;
    const deft_seen_tool *visible = deft_session_visible(client->session, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t         place;
        const deft_tool *tool = deft_catalog_tool(visible[i].catalog, visible[i].tool);
        if (!is_listable(client, &visible[i]) ||
            deft__map_find(&client->shown->listed, tool->id, &place)) {
            continue;
        }
        deft_view id;
        deft_buffer_reset(&gateway->scratch);
        deft_status status = deft_catalog_write_tool(
            visible[i].catalog, visible[i].tool, DEFT_FORM_MCP,
            client->has_only ? DEFT_NAMING_PLAIN : gateway->naming, &gateway->scratch);
        const size_t size = client->shown->tools.size;
        if (status == DEFT_OK) {
            append_definition(client, deft_buffer_view(&gateway->scratch), &client->shown->tools);
            status = client->shown->tools.status;
        }
        if (status == DEFT_OK && (!deft__arena_copy(&client->shown->ids, tool->id, &id) ||
                                  !deft__map_put(&client->shown->listed, id, (uint32_t)i))) {
            status = DEFT_OUT_OF_MEMORY;
        }
        if (status != DEFT_OK) {
            deft_buffer_truncate(&client->shown->tools, size);
            client->shown->tools.status = DEFT_OK;
            return status;
        }
        *is_grown = true;
    }
    return DEFT_OK;
}

// Whether there is something that only a search can reach: deferred tools, or servers that are not
// known yet.
static bool needs_bridge(const deft__client *client)
{
    const deft__gateway *gateway = client->gateway;
    if (gateway->settings->mode == DEFT_MODE_OFF || client->is_everything) {
        return false;
    }
    for (size_t i = 0; i < gateway->slot_count; i++) {
        const deft__link_state state = deft__link_state_of(gateway->slots[i].link);
        if (deft__link_manifest(gateway->slots[i].link) == NULL && state != DEFT__LINK_DISABLED &&
            state != DEFT__LINK_QUARANTINED && deft__client_may_see(client, (uint32_t)i)) {
            return true;
        }
    }
    return deft_plan_summary_of(plan_of(client))->is_active;
}

// Brings the list up to date. It only ever grows, at its end.
static deft_status refresh_list(deft__client *client, bool *is_grown)
{
    *is_grown = false;
    if (client->shown == NULL) {
        return DEFT_OK; // nobody has asked for it yet
    }
    if (!client->has_bridge && needs_bridge(client)) {
        const deft_status status = write_bridge(client);
        if (status != DEFT_OK) {
            return status;
        }
        client->has_bridge = true;
        *is_grown          = true;
    }
    return extend_list(client, is_grown);
}

static deft__shown *new_shown(const deft__gateway *gateway)
{
    deft__shown *shown = deft__new(gateway->allocator, sizeof *shown);
    if (shown != NULL) {
        deft_buffer_init(&shown->bridge, gateway->allocator);
        deft_buffer_init(&shown->tools, gateway->allocator);
        deft__map_init(&shown->listed, gateway->seed, gateway->allocator);
        deft__arena_init(&shown->ids, gateway->allocator);
    }
    return shown;
}

static void clear_shown(deft__client *client)
{
    deft__shown *shown = client->shown;
    if (shown != NULL) {
        deft_buffer_clear(&shown->bridge);
        deft_buffer_clear(&shown->tools);
        deft__map_clear(&shown->listed);
        deft__arena_clear(&shown->ids);
        deft__free(client->gateway->allocator, shown, sizeof *shown);
    }
    client->shown      = NULL;
    client->has_bridge = false;
}

void deft__client_clear_session(deft__client *client)
{
    clear_shown(client);
    deft_session_free(client->session);
    client->session = NULL;
}

bool deft__client_ensure_session(deft__client *client)
{
    deft__gateway *gateway = client->gateway;
    if (client->session != NULL) {
        return true;
    }
    deft_error    error    = DEFT_ERROR_INIT;
    deft_settings settings = settings_of(client);
    client->session        = deft_session_new_restricted(
               plan_of(client), &settings, client->is_restricted ? &client->restriction : NULL,
               gateway->allocator, &error);
    return client->session != NULL;
}

// The list is written when it is first asked for: among thousands of tools that takes milliseconds, and
// a client that only calls needs none. Where found tools join it, it has to be there before they do: that
// it grew is told also to a client that has not asked for it.
static bool ensure_list(deft__client *client)
{
    bool is_grown;
    if (!deft__client_ensure_session(client)) {
        return false;
    }
    if (client->shown == NULL) {
        client->shown = new_shown(client->gateway);
        if (client->shown == NULL || refresh_list(client, &is_grown) != DEFT_OK) {
            clear_shown(client);
        }
    }
    return client->shown != NULL;
}

static void answer_no_memory(deft__client *client, deft_view id)
{
    deft__client_send_error(client, id, DEFT__MCP_INTERNAL_ERROR, "out of memory");
}

void deft__client_list_tools(deft__client *client, const deft__mcp_message *message)
{
    const deft__gateway *gateway = client->gateway;
    if (deft__json_is(deft__mcp_param(message, "cursor"), DEFT__JSON_STRING)) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "the list has one page; ask for it without a cursor");
        return;
    }
    if (!ensure_list(client)) {
        answer_no_memory(client, message->id);
        return;
    }
    if (client->has_bridge && gateway->snapshot->conflict.status != DEFT_OK) {
        // Which tool it is may be none of this client's business.
        deft__client_send_error(client, message->id, DEFT__MCP_INTERNAL_ERROR, "%s",
                                client->is_restricted
                                    ? "a tool has the name of one of the gateway's own; its owner "
                                      "has to set another"
                                    : gateway->snapshot->conflict.message);
        return;
    }
    deft_buffer      *line = deft__client_begin_result(client, message->id);
    deft__json_writer json;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "tools");
    deft_buffer_append_byte(line, '[');
    deft_buffer_append(line, deft_buffer_view(&client->shown->bridge));
    deft_buffer_append_text(
        line, client->shown->bridge.size > 0 && client->shown->tools.size > 0 ? "," : "");
    deft_buffer_append(line, deft_buffer_view(&client->shown->tools));
    deft_buffer_append_byte(line, ']');
    json.needs_comma = true;
    deft__client_write_tail(client, &json, &deft__list_caching);
    deft__json_end_object(&json);
    deft__client_finish_result(client, message->id);
    client->is_listed = true;
    deft__client_send_held(client);
}

void deft__client_update(deft__client *client, const deft__snapshot *old)
{
    const deft__snapshot *snapshot = client->gateway->snapshot;
    bool                  is_grown = false;
    // Without memory the session stays with what it has; the next snapshot tries again.
    if (client->session != NULL &&
        deft_session_update(client->session, plan_of(client), NULL) == DEFT_OK &&
        refresh_list(client, &is_grown) == DEFT_OK && is_grown && client->is_listed) {
        deft__client_tell_changed(client, DEFT__CHANGED_TOOLS);
    }
    if (old == NULL || client->gateway->is_patient) {
        return; // nothing was listed yet
    }
    if (client->session == NULL && client->listens != NULL &&
        !deft__client_sees_same_tools(client, old->catalog, snapshot->catalog)) {
        // It listens here and lists elsewhere, as over HTTP, where each request is a client's first.
        deft__client_tell_changed(client, DEFT__CHANGED_TOOLS);
    }
    if (!deft__client_sees_same(client, &old->prompts, &snapshot->prompts)) {
        deft__client_tell_changed(client, DEFT__CHANGED_PROMPTS);
    }
    if (!deft__client_sees_same(client, &old->resources, &snapshot->resources) ||
        !deft__client_sees_same(client, &old->templates, &snapshot->templates)) {
        deft__client_tell_changed(client, DEFT__CHANGED_RESOURCES);
    }
}

// A modern list may not change as an effect of a call, so there the reset forgets what was loaded
// and leaves the list.
void deft__client_reset(deft__client *client)
{
    bool is_grown;
    if (client->session == NULL ||
        deft_session_reset(client->session, plan_of(client), NULL) != DEFT_OK ||
        client->era == DEFT__MCP_ERA_MODERN) {
        return;
    }
    if (client->shown != NULL) {
        deft_buffer_reset(&client->shown->bridge);
        deft_buffer_reset(&client->shown->tools);
        deft__map_clear(&client->shown->listed);
        deft__arena_clear(&client->shown->ids);
    }
    client->has_bridge = false;
    (void)refresh_list(client, &is_grown);
    if (client->is_listed) {
        deft__client_tell_changed(client, DEFT__CHANGED_TOOLS);
    }
}

// --- The bridge's answers. ---

static void write_answer(deft__client *client, deft_view id, const deft_answer *answer,
                         bool is_held)
{
    deft_buffer      *line = deft__client_begin_result(client, id);
    deft__json_writer json;
    client->failure = answer->is_error ? "refused" : NULL;
    deft__json_writer_init(&json, line);
    deft__json_begin_object(&json);
    deft__json_name(&json, "content");
    deft__json_begin_array(&json);
    deft__json_begin_object(&json);
    deft__json_name(&json, "type");
    deft__json_write_text(&json, "text");
    deft__json_name(&json, "text");
    deft__json_write_string(&json, deft_buffer_view(&answer->text));
    deft__json_end_object(&json);
    deft__json_end_array(&json);
    // An error does not fit the output schema, and must not pretend to.
    if (!answer->is_error && answer->structured.size > 0) {
        deft__json_name(&json, "structuredContent");
        deft__json_write_raw_line(&json, deft_buffer_view(&answer->structured));
    }
    if (answer->is_error) {
        deft__json_name(&json, "isError");
        deft__json_write_bool(&json, true);
    }
    deft__client_write_tail(client, &json, NULL);
    deft__json_end_object(&json);
    deft_buffer_append_byte(line, '}');
    if (answer->text.status != DEFT_OK) {
        line->status = answer->text.status;
    }
    if (!is_held || !deft__client_hold_line(client, id)) {
        deft__client_send_line(client, id);
    }
}

// `tool` is empty for a search.
static void write_journal(deft__client *client, deft__journal_kind kind, deft_view tool,
                          deft_view arguments, const deft_answer *answer)
{
    const deft__gateway *gateway = client->gateway;
    if (gateway->host.journal == NULL) {
        return;
    }
    const deft__journal_entry entry = {
        .kind          = kind,
        .client        = deft__client_name(client),
        .tool          = tool,
        .token         = client->token,
        .text          = arguments,
        .argument_size = arguments.size,
        .result_size   = answer->text.size,
        .found_count   = (uint32_t)answer->found_count,
        .outcome       = answer->is_error          ? "refused"
                         : answer->found_count > 0 ? "ok"
                                                   : "not-found",
    };
    gateway->host.journal(gateway->host.context, &entry);
}

// A miss must not look like "there is no such tool" when a server was not there to be searched, and a
// hit not like the best there is when a better one is only a moment away. Some hosts show their model
// the structured answer alone, so it is said there, too.
static void add_notice(deft__client *client, deft_answer *answer)
{
    deft_buffer       notice;
    deft__json_writer json;
    deft_buffer_init(&notice, client->gateway->allocator);
    if (answer->found_count == 0) {
        deft__gateway_write_missing(client->gateway, client, &notice);
    } else {
        deft__gateway_write_starting(client->gateway, client, &notice);
    }
    if (notice.size > 0) {
        if (answer->text.size > 0 && answer->text.data[answer->text.size - 1] != '\n') {
            deft_buffer_append_byte(&answer->text, '\n');
        }
        deft_buffer_append(&answer->text, deft_buffer_view(&notice));
        if (answer->structured.size > 2) {
            deft_buffer_truncate(&answer->structured, answer->structured.size - 1);
            deft__json_writer_init(&json, &answer->structured);
            json.needs_comma = true;
            deft__json_name(&json, "notice");
            const size_t start = notice.data[0] == '\n' ? 1 : 0; // one line, without its ends
            deft__json_write_string(
                &json, deft_view_slice(deft_buffer_view(&notice), start, notice.size - start - 1));
            deft__json_end_object(&json);
        }
    }
    if (notice.status != DEFT_OK || answer->structured.status != DEFT_OK) {
        answer->text.status = DEFT_OUT_OF_MEMORY; // the writer then answers so
    }
    deft_buffer_clear(&notice);
}

// What a client that begins anew is told depends on nothing that is its own.
static bool is_answered_like_others(const deft__client *client)
{
    return client->session == NULL && client->era == DEFT__MCP_ERA_MODERN &&
           !client->is_restricted && !client->is_everything && !client->has_only;
}

// Says again what was said to the same question. False: it was not asked, or something has to be said
// now that may not hold in a moment.
static bool repeat_answer(deft__client *client, deft_view id, deft_view arguments)
{
    deft__gateway            *gateway = client->gateway;
    const deft__known_answer *known   = deft__answers_find(&gateway->answers, arguments);
    deft_answer               answer;
    if (known == NULL) {
        return false;
    }
    deft_answer_init(&answer, gateway->allocator);
    answer.found_count = known->found_count;
    add_notice(client, &answer);
    const bool is_same = answer.text.size == 0 && answer.text.status == DEFT_OK;
    if (is_same) {
        deft_buffer_append(deft__client_begin_result(client, id), deft__known_result(known));
        deft__client_finish_result(client, id);
        const deft__journal_entry entry = {.kind          = DEFT__JOURNAL_SEARCH,
                                           .client        = deft__client_name(client),
                                           .text          = arguments,
                                           .argument_size = arguments.size,
                                           .result_size   = known->text_size,
                                           .found_count   = known->found_count,
                                           .outcome = known->found_count > 0 ? "ok" : "not-found"};
        if (gateway->host.journal != NULL) {
            gateway->host.journal(gateway->host.context, &entry);
        }
    }
    deft_answer_clear(&answer);
    return is_same;
}

// The line that was sent, as far as it is the same for everybody.
static void keep_answer(deft__gateway *gateway, deft_view id, deft_view arguments,
                        const deft_answer *answer)
{
    const deft_view line  = deft_buffer_view(&gateway->line);
    const size_t    start = sizeof "{\"jsonrpc\":\"2.0\",\"id\":,\"result\":" - 1 + id.size;
    if (!answer->is_error && gateway->line.status == DEFT_OK && line.size > start) {
        deft__answers_keep(&gateway->answers, arguments,
                           deft_view_slice(line, start, line.size - start - 1), answer->found_count,
                           answer->text.size);
    }
}

static void run_search(deft__client *client, deft_view id, deft_view arguments, deft_answer *answer,
                       bool is_like_others)
{
    deft__gateway      *gateway  = client->gateway;
    const deft_settings settings = settings_of(client);
    bool                is_grown = false;
    if (deft_bridge_search(client->session, gateway->searcher, &settings, arguments, answer,
                           NULL) != DEFT_OK) {
        answer_no_memory(client, id);
        return;
    }
    // In style load the client hears of its longer list before the answer that made it so, and has
    // time to fetch it.
    if (is_loading(client) && refresh_list(client, &is_grown) == DEFT_OK && is_grown) {
        deft__client_tell_changed(client, DEFT__CHANGED_TOOLS);
    }
    const size_t size = answer->text.size;
    add_notice(client, answer);
    write_answer(client, id, answer, is_grown);
    if (is_like_others && answer->text.size == size) {
        keep_answer(gateway, id, arguments, answer);
    }
    write_journal(client, DEFT__JOURNAL_SEARCH, deft_view_make(NULL, 0), arguments, answer);
}

static void run_describe(deft__client *client, deft_view id, deft_view arguments,
                         deft_answer *answer)
{
    const deft_settings settings = settings_of(client);
    if (deft_bridge_describe(client->session, &settings, arguments, answer, NULL) != DEFT_OK) {
        answer_no_memory(client, id);
        return;
    }
    write_answer(client, id, answer, false);
    write_journal(client, DEFT__JOURNAL_DESCRIBE, deft_view_make(NULL, 0), arguments, answer);
}

// --- Calls. ---

static void start_call(deft__client *client, const deft__mcp_message *message,
                       const deft_call *call)
{
    const deft__snapshot *snapshot = client->gateway->snapshot;
    const deft_tool      *tool     = deft_catalog_tool(snapshot->catalog, call->tool);
    deft_buffer           members;
    deft__json_writer     json;
    bool                  is_grown = false;
    deft_buffer_init(&members, client->gateway->allocator);
    deft__json_writer_init(&json, &members);
    deft__json_name(&json, "name");
    deft__json_write_string(&json, tool->name);
    deft__json_name(&json, "arguments");
    deft__json_write_raw_line(&json, deft_buffer_view(&call->arguments));
    if (is_loading(client) && refresh_list(client, &is_grown) == DEFT_OK && is_grown) {
        deft__client_tell_changed(client, DEFT__CHANGED_TOOLS); // a direct call loads, too
    }
    if (deft__ask_resume(client, message, "tools/call",
                         deft__snapshot_server_of(snapshot, call->tool), tool->id, &members)) {
        deft_buffer_clear(&members);
        return;
    }
    if (members.status != DEFT_OK) {
        answer_no_memory(client, message->id);
    } else {
        const deft__relay_options options = {
            .kind      = DEFT__RELAY_CALL,
            .server    = deft__snapshot_server_of(snapshot, call->tool),
            .method    = "tools/call",
            .members   = deft_buffer_view(&members),
            .tool      = tool->id,
            .arguments = deft_buffer_view(&call->arguments),
        };
        deft__relay_start(client, message, &options);
    }
    deft_buffer_clear(&members);
}

static void run_call(deft__client *client, const deft__mcp_message *message, deft_view name,
                     deft_view arguments, deft_answer *answer)
{
    deft_settings    settings = settings_of(client);
    deft_error       error    = DEFT_ERROR_INIT;
    deft_bridge_tool bridge;
    deft_call        call;
    if (client->is_person) {
        settings.search_name = deft_view_of("'deft search'"); // in what is said, and nowhere else
    }
    deft_call_init(&call, client->gateway->allocator);
    const deft_status status =
        deft_bridge_call(client->session, &settings, name, arguments, &call, answer, &error);
    if (status == DEFT_OK) {
        start_call(client, message, &call);
    } else if (status == DEFT_OUT_OF_MEMORY) {
        answer_no_memory(client, message->id);
    } else {
        if (status == DEFT_NOT_FOUND) {
            add_notice(client, answer); // its server may only be starting
            while (answer->text.size > 0 && answer->text.data[answer->text.size - 1] == '\n') {
                deft_buffer_truncate(&answer->text, answer->text.size - 1);
            }
        }
        if (deft_bridge_from_name(&settings, name, &bridge) || status != DEFT_NOT_FOUND) {
            write_answer(client, message->id, answer, false);
        } else {
            deft_buffer *line = &client->gateway->line;
            deft_buffer_reset(line);
            deft__mcp_write_error(line, message->id, DEFT__MCP_INVALID_PARAMS,
                                  deft_buffer_view(&answer->text), deft_view_of(NULL));
            deft__client_send_line(client, message->id);
        }
        write_journal(client, DEFT__JOURNAL_CALL, deft_buffer_view(&call.asked), arguments, answer);
    }
    deft_call_clear(&call);
}

// The client knows one server, and calls its tools by their own names.
static void call_only(deft__client *client, const deft__mcp_message *message, deft_view name,
                      deft_view arguments, deft_answer *answer)
{
    deft_buffer id;
    deft_buffer_init(&id, client->gateway->allocator);
    deft_buffer_append(&id, deft__link_name(client->gateway->slots[client->only].link));
    deft_buffer_append_text(&id, "::");
    deft_buffer_append(&id, name);
    if (id.status == DEFT_OK) {
        run_call(client, message, deft_buffer_view(&id), arguments, answer);
    } else {
        answer_no_memory(client, message->id);
    }
    deft_buffer_clear(&id);
}

void deft__client_call_tool(deft__client *client, const deft__mcp_message *message)
{
    deft__gateway         *gateway   = client->gateway;
    const deft__json_value value     = deft__mcp_param(message, "name");
    const deft__json_value given     = deft__mcp_param(message, "arguments");
    const deft_view        arguments = deft__json_raw(given); // empty counts as {}
    deft_bridge_tool       bridge    = DEFT_BRIDGE_CALL;
    deft_buffer            name;
    deft_answer            answer;
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        deft__client_send_error(client, message->id, DEFT__MCP_INVALID_PARAMS,
                                "params.name must be a string: the name of a tool");
        return;
    }
    deft_buffer_init(&name, gateway->allocator);
    deft_answer_init(&answer, gateway->allocator);
    const deft_view called = deft__json_string(value, &name);
    const bool      is_bridge =
        !client->is_everything && deft_bridge_from_name(gateway->settings, called, &bridge);
    const bool is_search      = is_bridge && bridge == DEFT_BRIDGE_SEARCH;
    const bool is_like_others = is_search && is_answered_like_others(client);
    if (is_like_others && repeat_answer(client, message->id, arguments)) {
        // Nothing was left to do.
    } else if (!(is_loading(client) ? ensure_list(client) : deft__client_ensure_session(client))) {
        answer_no_memory(client, message->id);
    } else if (is_search) {
        run_search(client, message->id, arguments, &answer, is_like_others);
    } else if (is_bridge && bridge == DEFT_BRIDGE_DESCRIBE) {
        run_describe(client, message->id, arguments, &answer);
    } else if (client->has_only) {
        call_only(client, message, called, arguments, &answer);
    } else {
        run_call(client, message, called, arguments, &answer);
    }
    deft_answer_clear(&answer);
    deft_buffer_clear(&name);
}
