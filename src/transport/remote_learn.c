// What passes by and matters to the transport itself: whether a request has its answer, which version
// the handshake agreed on, and which parameters of tools are to be sent as headers.
#include "base/fail.h"
#include "base/memory.h"
#include "mcp/era.h"
#include "transport/remote_private.h"

// What is known of tools that a server no longer has is forgotten when it grows beyond this.
#define ARENA_SIZE_MAX (1024u * 1024)

// --- Tools. ---------------------------------------------------------------------------------------

static void note(const deft__remote *remote, deft__json_value definition, const char *cause)
{
    deft_buffer  scratch;
    deft_error   error = DEFT_ERROR_INIT;
    deft__quoted name;
    deft_buffer_init(&scratch, remote->allocator);
    deft__quote(&name, deft__json_string(deft__json_member(definition, "name"), &scratch));
    deft_buffer_clear(&scratch);
    (void)deft__fail(&error, DEFT_INVALID, 0, "has a tool '%s' that is left out: %s", name.text,
                     cause);
    if (remote->options.noted != NULL) {
        remote->options.noted(remote->options.context, deft_view_of(error.message));
    }
}

// False: no memory.
static bool keep_tool(deft__remote *remote, deft_view name, const deft__mcp_mirror *mirrors,
                      size_t count)
{
    uint32_t  place;
    deft_view copy;
    if (deft__map_find(&remote->names, name, &place)) {
        remote->tools[place] = (deft__remote_tool){mirrors, count};
        return true;
    }
    if (count == 0) {
        return true;
    }
    if (!deft__grow(remote->allocator, (void **)&remote->tools, &remote->tool_capacity,
                    remote->tool_count, sizeof *remote->tools) ||
        !deft__arena_copy(&remote->arena, name, &copy) ||
        !deft__map_put(&remote->names, copy, (uint32_t)remote->tool_count)) {
        return false;
    }
    remote->tools[remote->tool_count++] = (deft__remote_tool){mirrors, count};
    return true;
}

// DEFT_INVALID or DEFT_LIMIT: this one must not be used.
static deft_status learn_tool(deft__remote *remote, deft__json_value definition, deft_error *error)
{
    const deft__mcp_mirror *mirrors = NULL;
    size_t                  count   = 0;
    deft_buffer             scratch;
    deft_status             status =
        deft__mcp_read_mirrors(definition, &remote->arena, &mirrors, &count, error);
    if (status == DEFT_OK) {
        deft_buffer_init(&scratch, remote->allocator);
        const deft_view name = deft__json_string(deft__json_member(definition, "name"), &scratch);
        if (scratch.status != DEFT_OK || !keep_tool(remote, name, mirrors, count)) {
            status = deft__fail_memory(error);
        }
        deft_buffer_clear(&scratch);
    }
    return status;
}

static void forget_tools(deft__remote *remote)
{
    deft__map_clear(&remote->names);
    deft__arena_clear(&remote->arena);
    remote->tool_count = 0;
    deft__map_init(&remote->names, deft__loop_now_ms(remote->loop) ^ (uintptr_t)remote,
                   remote->allocator);
}

bool deft__remote_learn_tools(deft__remote *remote, deft_view tools)
{
    deft_status status = DEFT_OK;
    if (tools.size > 0) {
        status = deft__json_parse(&remote->arriving.document, tools, NULL, NULL);
    }
    if (tools.size > 0 && status == DEFT_OK) {
        deft__json_iterator i = deft__json_iterate(deft__json_root(&remote->arriving.document));
        while (status != DEFT_OUT_OF_MEMORY && deft__json_next(&i)) {
            status = learn_tool(remote, i.value, NULL);
        }
    }
    return status != DEFT_OUT_OF_MEMORY;
}

const deft__remote_tool *deft__remote_find_tool(const deft__remote *remote, deft_view name)
{
    uint32_t place;
    return deft__map_find(&remote->names, name, &place) && remote->tools[place].count > 0
               ? &remote->tools[place]
               : NULL;
}

// Takes the tools that must not be used out of a list: `room` gets the text without them. Most lists
// stay as they are.
static void learn_list(const deft__flow *flow, deft__json_value result, deft_view *text,
                       deft_buffer *room)
{
    deft__remote          *remote = flow->remote;
    const deft__json_value tools  = deft__json_member(result, "tools");
    if (!deft__json_is(tools, DEFT__JSON_ARRAY)) {
        return;
    }
    if (flow->is_first && remote->arena.size > ARENA_SIZE_MAX) {
        forget_tools(remote);
    }
    deft_buffer         kept;
    bool                is_whole = true;
    deft__json_iterator i        = deft__json_iterate(tools);
    deft_buffer_init(&kept, remote->allocator);
    deft_buffer_append_byte(&kept, '[');
    while (deft__json_next(&i)) {
        deft_error error = DEFT_ERROR_INIT;
        if (learn_tool(remote, i.value, &error) == DEFT_OK) {
            deft_buffer_append_text(&kept, kept.size > 1 ? "," : "");
            deft_buffer_append(&kept, deft__json_raw(i.value));
        } else {
            is_whole = false;
            note(remote, i.value, error.message);
        }
    }
    deft_buffer_append_byte(&kept, ']');
    if (!is_whole) {
        const size_t start = deft__json_offset(tools);
        const size_t end   = start + deft__json_raw(tools).size;
        deft_buffer_append(room, deft_view_slice(*text, 0, start));
        deft_buffer_append(room, deft_buffer_view(&kept));
        deft_buffer_append(room, deft_view_slice(*text, end, SIZE_MAX));
        if (kept.status != DEFT_OK || room->status != DEFT_OK) {
            deft__remote_end_for_memory(remote);
        } else {
            *text = deft_buffer_view(room);
        }
    }
    deft_buffer_clear(&kept);
}

// --- Answers. -------------------------------------------------------------------------------------

static void learn_version(deft__remote *remote, deft__json_value result)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, remote->allocator);
    const deft_view version =
        deft__json_string(deft__json_member(result, "protocolVersion"), &scratch);
    deft_buffer_reset(&remote->version);
    // Any other the link will not accept.
    if (deft__mcp_speaks(DEFT__MCP_ERA_LEGACY, version)) {
        deft_buffer_append(&remote->version, version);
    }
    if (remote->version.status != DEFT_OK || scratch.status != DEFT_OK) {
        deft__remote_end_for_memory(remote);
    }
    deft_buffer_clear(&scratch);
}

void deft__flow_learn(deft__flow *flow, deft_view *text, deft_buffer *room)
{
    deft__remote     *remote  = flow->remote;
    deft__mcp_message message = {0};
    deft_status       status  = deft__mcp_reader_take(&remote->arriving, *text, NULL);
    while (status == DEFT_OK && !flow->is_answered) {
        status               = deft__mcp_reader_next(&remote->arriving, &message, NULL);
        const bool is_answer = message.kind == DEFT__MCP_RESULT || message.kind == DEFT__MCP_ERROR;
        if (status == DEFT_NOT_FOUND) {
            break;
        }
        if (status == DEFT_INVALID && deft_view_equal(message.id, flow->id)) {
            flow->is_answered = flow->is_request; // malformed, which is for the link to say
        } else if (status == DEFT_OK && is_answer && deft_view_equal(message.id, flow->id)) {
            flow->is_answered = true;
        }
        status = status == DEFT_INVALID ? DEFT_OK : status;
    }
    if (flow->is_answered && message.kind == DEFT__MCP_RESULT) {
        if (flow->role == DEFT__FLOW_INITIALIZE) {
            learn_version(remote, message.result);
        } else if (flow->role == DEFT__FLOW_LIST && flow->is_modern && !remote->arriving.is_batch) {
            const deft__json_value next = deft__json_member(message.result, "nextCursor");
            remote->is_list_new         = !deft__json_is(next, DEFT__JSON_STRING);
            learn_list(flow, message.result, text, room);
        }
    }
    // A long list leaves a long tape behind.
    const size_t tokens_max = 64 * 1024;
    if (remote->arriving.document.capacity > tokens_max) {
        deft__mcp_reader_clear(&remote->arriving);
    }
}
