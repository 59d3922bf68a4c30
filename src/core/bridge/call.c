// tool_call, unwrapped. Models get the wrapping wrong in a few well-known ways; each is taken off
// here, layer by layer, until a tool's name and its own arguments are left:
//
//     {"tool_name": "tool_call", "tool_args": {"tool_name": ...}}    the bridge through itself
//     {"tool_name": "x", "tool_args": "{\"a\": 1}"}                  arguments as a string
//     {"tool_name": "x", "a": 1}                                     arguments beside the name
//     {"tool_args": {"tool_name": "x", "a": 1}}                      the name among the arguments
//     {"x": {"a": 1}}                                                the name as the only member
#include "base/fail.h"
#include "base/utf8.h"
#include "core/bridge/answer.h"
#include "core/bridge/arguments.h"
#include "core/bridge/fit.h"
#include "core/bridge/names.h"
#include "core/session/session.h"
#include "json/writer.h"

// Layers that are taken off; each one is a misuse, so more than two are already odd.
#define LAYERS_MAX 8

typedef struct unwrapping {
    const deft_session  *session;
    const deft_settings *settings;
    deft__arguments     *arguments;
    deft_view            name;         // what is called, as far as is known
    deft_view            text;         // with which arguments, as JSON
    bool                 is_read_only; // the read-only call tool is among the layers
    bool                 is_refused;   // it was meant well, but that tool changes things
    bool                 is_found;     // there is a tool called `name`
} unwrapping;

#define ASKED_SIZE_MAX 256u

static const char *const name_words[]     = {"tool_name", "toolName", "tool_id", "tool", "name"};
static const char *const argument_words[] = {"tool_args", "toolArgs",   "arguments",
                                             "args",      "parameters", "input"};

// The first member that is there under one of `words`, and `which` of them; a null only where there
// is nothing else.
static deft__json_value find_member(deft__json_value object, const char *const *words, size_t count,
                                    const char **which)
{
    deft__json_value found = deft__json_member(object, words[0]);
    *which                 = words[0];
    for (size_t i = 1; i < count && !deft__arguments_has(found); i++) {
        const deft__json_value value = deft__json_member(object, words[i]);
        if (!deft__json_is(value, DEFT__JSON_NONE)) {
            found  = value;
            *which = words[i];
        }
    }
    return found;
}

static deft__json_value find_name(deft__json_value object, const char **which)
{
    return find_member(object, name_words, sizeof name_words / sizeof name_words[0], which);
}

static deft__json_value find_arguments(deft__json_value object)
{
    const char *which;
    return find_member(object, argument_words, sizeof argument_words / sizeof argument_words[0],
                       &which);
}

// One of our names, by itself or as a host prefixes it ("mcp__deft__tool_call").
static bool is_own_name(const unwrapping *call, deft_view name, deft_view own)
{
    if (deft_view_equal(name, own)) {
        return true;
    }
    deft_tool_id tool;
    return name.size > own.size + 2 &&
           deft_view_equal(deft_view_slice(name, name.size - own.size, own.size), own) &&
           deft_view_equals(deft_view_slice(name, name.size - own.size - 2, 2), "__") &&
           deft__names_find(call->session, name, &tool) != DEFT_OK;
}

static bool is_read_only_name(const unwrapping *call, deft_view name)
{
    return call->settings->call_tools == DEFT_CALL_TOOLS_BY_EFFECT &&
           is_own_name(call, name, call->settings->call_read_only_name);
}

static bool is_call_name(const unwrapping *call, deft_view name)
{
    return is_own_name(call, name, call->settings->call_name) || is_read_only_name(call, name);
}

// `object` without its members called `left_out`, as JSON in the arena.
static deft_status copy_without(unwrapping *call, deft__json_value object, const char *left_out,
                                deft_view *text)
{
    deft_buffer       out;
    deft__json_writer writer;
    deft_buffer_init(&out, call->arguments->arena.allocator);
    deft__json_writer_init(&writer, &out);
    deft__json_begin_object(&writer);
    deft__json_iterator i = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        if (!deft__json_string_equals(i.name, deft_view_of(left_out))) {
            deft_buffer_append_text(&out, writer.needs_comma ? "," : "");
            deft_buffer_append(&out, deft__json_raw(i.name));
            deft_buffer_append_byte(&out, ':');
            writer.needs_comma = false;
            deft__json_write_raw(&writer, deft__json_raw(i.value));
        }
    }
    deft__json_end_object(&writer);
    const bool is_done = out.status == DEFT_OK &&
                         deft__arena_copy(&call->arguments->arena, deft_buffer_view(&out), text);
    deft_buffer_clear(&out);
    return is_done ? DEFT_OK : DEFT_OUT_OF_MEMORY;
}

// Nobody says which tool: perhaps the only member's name is one.
static deft_status take_single_member(unwrapping *call, deft__json_value object, deft_error *error)
{
    deft__json_iterator i = deft__json_iterate(object);
    deft_tool_id        tool;
    deft_view           name = {NULL, 0};
    if (deft__json_count(object) == 1 && deft__json_next(&i)) {
        if (!deft__arguments_string(call->arguments, i.name, &name)) {
            return deft__fail_memory(error);
        }
        if (deft__names_find(call->session, name, &tool) == DEFT_OK) {
            call->name = name;
            call->text = deft__json_raw(i.value);
            return DEFT_OK;
        }
    }
    return deft__fail(error, DEFT_INVALID, 0, "'tool_name' was not given");
}

// Takes off one layer of the call tool.
static deft_status unwrap(unwrapping *call, deft_error *error)
{
    deft_status status = deft__arguments_read(call->arguments, call->text, error);
    if (status != DEFT_OK) {
        return status;
    }
    const deft__json_value object = call->arguments->object;
    const deft__json_value inner  = find_arguments(object);
    const char            *word   = NULL;
    const deft__json_value name   = find_name(object, &word);
    if (!deft__arguments_has(name)) {
        if (deft__arguments_has(inner)) {
            // The name must be further in; the next layer finds it or complains.
            call->text = deft__json_raw(inner);
            return DEFT_OK;
        }
        return take_single_member(call, object, error);
    }
    if (!deft__json_is(name, DEFT__JSON_STRING)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(name),
                          "'%s' is %s, it must be a string", word,
                          deft__json_kind_name(deft__json_kind_of(name)));
    }
    if (!deft__arguments_string(call->arguments, name, &call->name)) {
        return deft__fail_memory(error);
    }
    if (!deft__json_is(inner, DEFT__JSON_NONE)) {
        call->text = deft__json_raw(inner);
        return DEFT_OK;
    }
    status = copy_without(call, object, word, &call->text);
    return status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
}

static deft_status unwrap_all(unwrapping *call, deft_error *error)
{
    for (int layer = 0; is_call_name(call, call->name); layer++) {
        if (layer == LAYERS_MAX) {
            return deft__fail(error, DEFT_INVALID, 0,
                              "the call is wrapped more than %d times, or has no 'tool_name'",
                              LAYERS_MAX);
        }
        // Whoever may only read does not get further by wrapping the other call tool.
        call->is_read_only       = call->is_read_only || is_read_only_name(call, call->name);
        const deft_status status = unwrap(call, error);
        if (status != DEFT_OK) {
            return status;
        }
    }
    return DEFT_OK;
}

static bool has_parameter(const deft_tool *tool, const char *name)
{
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        if (deft_view_equals(tool->parameters[i].name, name)) {
            return true;
        }
    }
    return false;
}

// A tool called directly, but with the arguments of the bridge: {"tool_name": itself, "tool_args":
// {...}}. Taken off only where the tool cannot mean these names itself.
static deft_status unwrap_direct(unwrapping *call, deft_tool_id tool, deft_error *error)
{
    const deft_catalog    *catalog = deft_plan_catalog(deft_session_plan(call->session));
    const deft__json_value object  = call->arguments->object;
    const deft__json_value name    = deft__json_member(object, "tool_name");
    const deft__json_value inner   = deft__json_member(object, "tool_args");
    if (deft__json_count(object) != 2 || !deft__json_is(name, DEFT__JSON_STRING) ||
        !deft__arguments_has(inner) ||
        has_parameter(deft_catalog_tool(catalog, tool), "tool_args")) {
        return DEFT_OK;
    }
    deft_tool_id named;
    deft_view    text;
    if (!deft__arguments_string(call->arguments, name, &text)) {
        return deft__fail_memory(error);
    }
    if (deft__names_find(call->session, text, &named) != DEFT_OK || named.index != tool.index) {
        return DEFT_OK;
    }
    return deft__arguments_read(call->arguments, deft__json_raw(inner), error);
}

// Fills `call` and loads the tool; nothing has changed when it fails. Takes both buffers.
static deft_status finish(deft_session *session, deft_tool_id tool, deft_buffer *arguments,
                          deft_buffer *repaired, deft_call *call, deft_answer *answer,
                          deft_error *error)
{
    bool              is_new = false;
    const deft_status status = deft_session_load(session, tool, 0, &is_new, error);
    if (status != DEFT_OK) {
        deft_buffer_clear(arguments);
        deft_buffer_clear(repaired);
        return status;
    }
    deft_buffer_clear(&call->arguments);
    deft_buffer_clear(&call->repaired);
    call->arguments      = *arguments;
    call->repaired       = *repaired;
    call->tool           = tool;
    answer->found_count  = 1;
    answer->loaded_count = is_new ? 1 : 0;
    return DEFT_OK;
}

// The arguments are read; are they such that the tool can be called with them?
static deft_status check_and_finish(deft_session *session, const deft_settings *settings,
                                    deft_tool_id tool, deft_view arguments, deft_call *call,
                                    deft_answer *answer, deft_error *error)
{
    deft_buffer copy;
    deft_buffer repaired;
    deft_buffer_init(&copy, call->arguments.allocator);
    deft_buffer_init(&repaired, call->arguments.allocator);
    deft_buffer_append(&copy, arguments);
    const deft_status status =
        copy.status == DEFT_OK
            ? deft__fit_arguments(deft_plan_catalog(deft_session_plan(session)), settings, tool,
                                  &copy, &repaired, answer, error)
            : deft__fail_memory(error);
    if (status != DEFT_OK) {
        deft_buffer_clear(&copy);
        deft_buffer_clear(&repaired);
        return status;
    }
    return finish(session, tool, &copy, &repaired, call, answer, error);
}

// Tells the model what is wrong and returns `status`, or that there is no memory to tell.
static deft_status refuse(const unwrapping *call, deft_status status, const deft_error *reason,
                          deft_answer *answer, deft_error *error)
{
    if (status == DEFT_OUT_OF_MEMORY) {
        return deft__fail_memory(error);
    }
    deft_buffer     *out = &answer->text;
    deft_bridge_tool own;
    if (status == DEFT_NOT_FOUND || status == DEFT_CONFLICT) {
        deft__names_explain(call->session, call->name, status, out);
        if (status == DEFT_NOT_FOUND &&
            deft_plan_summary_of(deft_session_plan(call->session))->is_active) {
            deft_buffer_append_text(out, " Find tools with ");
            deft_buffer_append(out, call->settings->search_name);
            deft_buffer_append_byte(out, '.');
        }
    } else if (call->is_refused || (deft_bridge_from_name(call->settings, call->name, &own) &&
                                    own != DEFT_BRIDGE_CALL && own != DEFT_BRIDGE_CALL_READ_ONLY)) {
        deft__answer_append_message(answer, reason);
    } else {
        deft__answer_append_message(answer, reason);
        deft_buffer_append_text(out,
                                " Send {\"tool_name\": \"server::tool\", \"tool_args\": {...}}, "
                                "tool_args being an object.");
    }
    const deft_status told = deft__answer_finish_error(answer, NULL, error);
    if (told != DEFT_OK) {
        return told;
    }
    return deft__fail(error, status, reason->offset, "%s", reason->message);
}

// Through the read-only call tool only what says of itself that it changes nothing.
static deft_status check_effect(unwrapping *call, deft_tool_id id, deft_error *error)
{
    const deft_tool *tool =
        deft_catalog_tool(deft_plan_catalog(deft_session_plan(call->session)), id);
    if (!call->is_read_only || (tool->is_read_only && !tool->is_destructive)) {
        return DEFT_OK;
    }
    deft__quoted quoted;
    deft__quoted through;
    call->is_refused = true;
    return deft__fail(
        error, DEFT_INVALID, 0, "'%s' is not marked as read-only; call it through '%s'",
        deft__quote(&quoted, tool->id), deft__quote(&through, call->settings->call_name));
}

static deft_status find_tool(unwrapping *call, deft_tool_id *tool, deft_error *error)
{
    deft_status status = unwrap_all(call, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft_bridge_tool own;
    deft__quoted     quoted;
    if (deft_bridge_from_name(call->settings, call->name, &own)) {
        deft__quoted through;
        return deft__fail(error, DEFT_INVALID, 0, "'%s' is called directly, not through '%s'",
                          deft__quote(&quoted, call->name),
                          deft__quote(&through, call->settings->call_name));
    }
    status = deft__names_find(call->session, call->name, tool);
    if (status != DEFT_OK) {
        return deft__fail(error, status, 0,
                          status == DEFT_CONFLICT ? "several servers have a tool called '%s'"
                                                  : "no tool is called '%s'",
                          deft__quote(&quoted, call->name));
    }
    call->is_found = true;
    status         = check_effect(call, *tool, error);
    if (status == DEFT_OK) {
        status = deft__arguments_read(call->arguments, call->text, error);
    }
    return status == DEFT_OK ? unwrap_direct(call, *tool, error) : status;
}

static deft_status keep_asked(const unwrapping *wrapped, deft_tool_id tool, deft_buffer *asked,
                              deft_error *error)
{
    const deft_catalog *catalog = deft_plan_catalog(deft_session_plan(wrapped->session));
    deft_buffer_clear(asked);
    deft_buffer_append(asked, wrapped->is_found
                                  ? deft_catalog_tool(catalog, tool)->id
                                  : deft_view_slice(wrapped->name, 0,
                                                    deft__utf8_cut(wrapped->name, ASKED_SIZE_MAX)));
    return asked->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
}

deft_status deft_bridge_call(deft_session *session, const deft_settings *settings, deft_view name,
                             deft_view arguments, deft_call *call, deft_answer *answer,
                             deft_error *error)
{
    deft__answer_reset(answer);
    deft__arguments read;
    deft_error      reason = DEFT_ERROR_INIT;
    deft_tool_id    tool   = {0};
    deft__arguments_init(&read, answer->text.allocator);
    unwrapping  wrapped = {.session   = session,
                           .settings  = settings,
                           .arguments = &read,
                           .name      = name,
                           .text      = arguments};
    deft_status status  = find_tool(&wrapped, &tool, &reason);
    if (keep_asked(&wrapped, tool, &call->asked, error) != DEFT_OK) {
        status = DEFT_OUT_OF_MEMORY;
    } else if (status == DEFT_OK) {
        status = check_and_finish(session, settings, tool, deft__json_raw(read.object), call,
                                  answer, error);
    } else {
        status = refuse(&wrapped, status, &reason, answer, error);
    }
    deft__arguments_clear(&read);
    return status;
}

void deft_call_init(deft_call *call, const deft_allocator *allocator)
{
    *call = (deft_call){0};
    deft_buffer_init(&call->arguments, allocator);
    deft_buffer_init(&call->repaired, allocator);
    deft_buffer_init(&call->asked, allocator);
}

void deft_call_clear(deft_call *call)
{
    const deft_allocator *allocator = call->arguments.allocator;
    deft_buffer_clear(&call->arguments);
    deft_buffer_clear(&call->repaired);
    deft_buffer_clear(&call->asked);
    deft_call_init(call, allocator);
}
