// The headers of a request. Those of the configuration come first; what the protocol says of itself is
// not theirs to change. Values are secrets: they go to the server, and nowhere else.
#include "http/headers.h"
#include "http/syntax.h"
#include "mcp/era.h"
#include "oauth/kept.h"
#include "transport/remote_private.h"

// Of ours, beside those of a tool's parameters.
#define OWN_HEADERS_MAX 9u

typedef struct heading {
    deft__arena *arena;
    deft_pair   *pairs;
    size_t       count;
    bool         has_failed;
} heading;

static void add(heading *head, const char *name, deft_view value)
{
    deft_pair *pair  = &head->pairs[head->count++];
    head->has_failed = head->has_failed ||
                       !deft__arena_copy(head->arena, deft_view_of(name), &pair->name) ||
                       !deft__arena_copy(head->arena, value, &pair->value);
}

// A text that may hold anything, as the protocol wants it in a header.
static void add_encoded(heading *head, const char *name, deft_view text)
{
    deft_buffer value;
    deft_buffer_init(&value, head->arena->allocator);
    deft__http_mcp_encode(&value, text);
    head->has_failed = head->has_failed || value.status != DEFT_OK;
    add(head, name, deft_buffer_view(&value));
    deft_buffer_clear(&value);
}

static bool is_ours(deft_view name)
{
    static const char *const names[]  = {"Accept",          "Connection",       "Content-Length",
                                         "Content-Type",    "Expect",           "Last-Event-ID",
                                         "Accept-Encoding", "Transfer-Encoding"};
    bool                     is_found = deft__http_same_text(deft_view_slice(name, 0, 4), "Mcp-");
    for (size_t i = 0; !is_found && i < sizeof names / sizeof names[0]; i++) {
        is_found = deft__http_same_text(name, names[i]);
    }
    return is_found;
}

static void add_configured(heading *head, const deft_server_config *server)
{
    for (size_t i = 0; i < server->header_count; i++) {
        if (!is_ours(server->headers[i].name)) {
            head->pairs[head->count++] = server->headers[i]; // lives as long as the remote
        }
    }
}

// The parameter of a request that says what it is about.
static const char *name_of(deft_view method)
{
    static const struct {
        const char *method;
        const char *parameter;
    } names[] = {
        {"tools/call", "name"},  {"prompts/get", "name"},    {"resources/read", "uri"},
        {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (deft_view_equals(method, names[i].method)) {
            return names[i].parameter;
        }
    }
    return NULL;
}

static void add_mirrors(heading *head, const deft__remote_tool *tool, deft__json_value arguments)
{
    char        name[200];
    deft_buffer value;
    deft_buffer_init(&value, head->arena->allocator);
    for (size_t i = 0; i < tool->count; i++) {
        const deft_view header = tool->mirrors[i].header;
        deft_buffer_reset(&value);
        if (header.size < sizeof name - sizeof "Mcp-Param-" &&
            deft__mcp_mirror_value(&tool->mirrors[i], arguments, &value)) {
            memcpy(name, "Mcp-Param-", sizeof "Mcp-Param-" - 1);
            memcpy(name + sizeof "Mcp-Param-" - 1, header.data, header.size);
            name[sizeof "Mcp-Param-" - 1 + header.size] = '\0';
            head->has_failed = head->has_failed || value.status != DEFT_OK;
            add_encoded(head, name, deft_buffer_view(&value));
        }
    }
    deft_buffer_clear(&value);
}

static void add_modern(heading *head, const deft__flow *flow, const deft__mcp_message *message,
                       const deft__remote_tool *tool)
{
    add(head, "MCP-Protocol-Version", deft_buffer_view(&flow->remote->modern));
    if (message->method.size > 0) {
        add_encoded(head, "Mcp-Method", message->method);
        const char *parameter = name_of(message->method);
        if (parameter != NULL) {
            deft_buffer scratch;
            deft_buffer_init(&scratch, head->arena->allocator);
            add_encoded(head, "Mcp-Name",
                        deft__json_string(deft__mcp_param(message, parameter), &scratch));
            head->has_failed = head->has_failed || scratch.status != DEFT_OK;
            deft_buffer_clear(&scratch);
        }
    }
    if (tool != NULL) {
        add_mirrors(head, tool, deft__mcp_param(message, "arguments"));
    }
}

// Until the handshake is through there is nothing to say.
static void add_legacy(heading *head, const deft__flow *flow)
{
    const deft__remote *remote = flow->remote;
    if (flow->role != DEFT__FLOW_INITIALIZE && remote->version.size > 0) {
        add(head, "MCP-Protocol-Version", deft_buffer_view(&remote->version));
    }
    if (flow->role != DEFT__FLOW_INITIALIZE && remote->session.size > 0) {
        add(head, "Mcp-Session-Id", deft_buffer_view(&remote->session));
    }
    if (flow->last_id.size > 0) {
        add(head, "Last-Event-ID", deft_buffer_view(&flow->last_id));
    }
}

static void add_token(heading *head, const deft__remote *remote)
{
    deft_buffer value;
    if (remote->token.size > 0) {
        deft_buffer_init(&value, head->arena->allocator);
        deft_buffer_reserve(&value, remote->token.size + 8);
        deft_buffer_append_text(&value, "Bearer ");
        deft_buffer_append(&value, deft_buffer_view(&remote->token));
        head->has_failed = head->has_failed || value.status != DEFT_OK;
        add(head, "Authorization", deft_buffer_view(&value));
        deft__kept_wipe(&value);
    }
}

// The tool that a call is of, where it has mirrors; NULL: none.
static const deft__remote_tool *tool_of(const deft__flow *flow, const deft__mcp_message *message)
{
    if (flow->role != DEFT__FLOW_CALL || !flow->is_modern) {
        return NULL;
    }
    deft_buffer scratch;
    deft_buffer_init(&scratch, flow->remote->allocator);
    const deft__remote_tool *tool = deft__remote_find_tool(
        flow->remote, deft__json_string(deft__mcp_param(message, "name"), &scratch));
    deft_buffer_clear(&scratch);
    return tool;
}

bool deft__flow_headers(const deft__flow *flow, const deft__mcp_message *message,
                        deft__arena *arena, const deft_pair **headers, size_t *count)
{
    const deft_server_config *server = &flow->remote->launch.server;
    const deft__remote_tool  *tool   = message != NULL ? tool_of(flow, message) : NULL;
    const size_t room = server->header_count + OWN_HEADERS_MAX + (tool != NULL ? tool->count : 0);
    heading head = {.arena = arena, .pairs = deft__arena_array(arena, room, sizeof(deft_pair))};
    if (head.pairs == NULL) {
        return false;
    }
    add_configured(&head, server);
    add_token(&head, flow->remote);
    if (flow->kind == DEFT__FLOW_MESSAGE && !flow->is_resuming) {
        add(&head, "Content-Type", deft_view_of("application/json"));
        add(&head, "Accept", deft_view_of("application/json, text/event-stream"));
    } else if (flow->kind != DEFT__FLOW_GOODBYE) {
        add(&head, "Accept", deft_view_of("text/event-stream"));
    }
    if (flow->is_modern && message != NULL) {
        add_modern(&head, flow, message, tool);
    } else {
        add_legacy(&head, flow);
    }
    *headers = head.pairs;
    *count   = head.count;
    return !head.has_failed;
}
