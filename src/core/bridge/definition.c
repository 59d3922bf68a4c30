// The definitions of the bridge's own tools, in the three forms.
#include "deft/bridge.h"

#include "base/fail.h"
#include "json/writer.h"

typedef struct fixed_part {
    const char *title;
    const char *hints;         // members of annotations, as JSON
    const char *search_hint;   // a few words for a host's own search
    const char *output_schema; // JSON; NULL: none
} fixed_part;

// Hints are what clients decide by whether to ask the user. A call may do anything that any tool
// does, so the one for all is said to be as bad as the worst.
#define HINTS_LOCAL     "\"readOnlyHint\":true,\"destructiveHint\":false,\"openWorldHint\":false"
#define HINTS_READ_ONLY "\"readOnlyHint\":true,\"destructiveHint\":false,\"openWorldHint\":true"
#define HINTS_ANY       "\"readOnlyHint\":false,\"destructiveHint\":true,\"openWorldHint\":true"

// By deft_bridge_tool.
static const fixed_part fixed_parts[] = {
    {"Search for tools", HINTS_LOCAL, "find tools of any kind",
     "{\"type\":\"object\",\"properties\":{"
     "\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
     "\"id\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},"
     "\"description\":{\"type\":\"string\"},"
     "\"parameters\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
     "\"name\":{\"type\":\"string\"},\"type\":{\"type\":\"string\"},"
     "\"required\":{\"type\":\"boolean\"}},\"required\":[\"name\",\"required\"]}},"
     "\"inputSchema\":{\"type\":\"object\"}},"
     "\"required\":[\"id\",\"name\",\"description\",\"parameters\"]}},"
     "\"loaded\":{\"type\":\"integer\"},\"message\":{\"type\":\"string\"}},"
     "\"required\":[\"tools\",\"loaded\"]}"},
    {"Describe tools", HINTS_LOCAL, "schema of a tool that was found",
     "{\"type\":\"object\",\"properties\":{"
     "\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
     "\"unknown\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
     "\"required\":[\"tools\",\"unknown\"]}"},
    {"Call a tool", HINTS_ANY, "call a tool that was found", NULL},
    {"Call a read-only tool", HINTS_READ_ONLY, "call a read-only tool that was found", NULL},
};

static bool is_bridge(const deft_settings *settings)
{
    return settings->style != DEFT_STYLE_LOAD;
}

static bool is_by_effect(const deft_settings *settings)
{
    return settings->call_tools == DEFT_CALL_TOOLS_BY_EFFECT;
}

// When to search, how, and what to do with what is found.
static void append_search_introduction(const deft_settings *settings, deft_buffer *out)
{
    deft_buffer_append_text(
        out, "Finds tools by keywords. Most tools are not in your list until you search for them: "
             "search before you say that something cannot be done. Say what you want to do in a "
             "few words, such as \"create github issue\".");
    if (settings->ranking != DEFT_RANKING_KEYWORD) {
        deft_buffer_append_text(out, " In a query, server:NAME asks for one server only, +word "
                                     "for tools that have the word.");
    }
    deft_buffer_append_text(out, " select:NAME,NAME asks for exactly these tools.");
    if (!is_bridge(settings)) {
        deft_buffer_append_text(out, " Tools that were found join your list; call them directly.");
        return;
    }
    deft_buffer_append_text(out, " Call a tool that was found with ");
    deft_buffer_append(out, settings->call_name);
    if (is_by_effect(settings)) {
        deft_buffer_append_text(out, ", or with ");
        deft_buffer_append(out, settings->call_read_only_name);
        deft_buffer_append_text(out, " where it is read-only");
    }
    deft_buffer_append_byte(out, '.');
}

static void append_call_introduction(const deft_settings *settings, deft_buffer *out)
{
    deft_buffer_append_text(out, "Calls a tool by its name. Find names and arguments with ");
    deft_buffer_append(out, settings->search_name);
    deft_buffer_append_text(out, ", whole schemas with ");
    deft_buffer_append(out, settings->describe_name);
    deft_buffer_append_byte(out, '.');
}

// What the settings say in place of our own words; empty: nothing.
static deft_view given_description(const deft_settings *settings, deft_bridge_tool tool)
{
    switch (tool) {
    case DEFT_BRIDGE_SEARCH:
        return settings->search_description;
    case DEFT_BRIDGE_DESCRIBE:
        return settings->describe_description;
    case DEFT_BRIDGE_CALL:
    case DEFT_BRIDGE_CALL_READ_ONLY:
        break;
    }
    return settings->call_description;
}

static void append_description(const deft_settings *settings, deft_bridge_tool tool,
                               deft_view listing, deft_buffer *out)
{
    const deft_view given = given_description(settings, tool);
    if (given.size > 0) {
        deft_buffer_append(out, given);
    } else if (tool == DEFT_BRIDGE_SEARCH) {
        append_search_introduction(settings, out);
    } else if (tool == DEFT_BRIDGE_DESCRIBE) {
        deft_buffer_append_text(out, "Gives the whole definition of one or several tools, with "
                                     "the schema of their arguments. Find their names with ");
        deft_buffer_append(out, settings->search_name);
        deft_buffer_append_byte(out, '.');
    } else {
        append_call_introduction(settings, out);
    }
    if (tool == DEFT_BRIDGE_CALL_READ_ONLY) {
        deft_buffer_append_text(out, " Only for tools that are read-only; for others use ");
        deft_buffer_append(out, settings->call_name);
        deft_buffer_append_byte(out, '.');
    }
    if (tool == DEFT_BRIDGE_SEARCH && listing.size > 0) {
        deft_buffer_append_text(out, "\n\nWhat can be found:\n");
        deft_buffer_append(out, listing);
    }
}

static void write_property(deft__json_writer *writer, const char *name, const char *type,
                           const char *description)
{
    deft__json_name(writer, name);
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, type);
    deft__json_name(writer, "description");
    deft__json_write_text(writer, description);
    deft__json_end_object(writer);
}

static void write_results_property(deft__json_writer *writer, const deft_settings *settings,
                                   const char *name)
{
    deft__json_name(writer, name);
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, "integer");
    deft__json_name(writer, "description");
    deft__json_write_text(writer, "How many tools to return at most.");
    deft__json_name(writer, "minimum");
    deft__json_write_uint64(writer, 1);
    deft__json_name(writer, "maximum");
    deft__json_write_uint64(writer, settings->results_max);
    deft__json_name(writer, "default");
    deft__json_write_uint64(writer, settings->results_default);
    deft__json_end_object(writer);
}

static void write_search_properties(deft__json_writer *writer, const deft_settings *settings)
{
    const unsigned shown    = settings->search_parameters;
    const bool     has_both = (shown & DEFT_PARAMETER_QUERY) && (shown & DEFT_PARAMETER_TOOL_ID);
    if (shown & DEFT_PARAMETER_QUERY) {
        write_property(writer, "query", "string",
                       has_both ? "Keywords for the tools you need. Give this or tool_id, not both."
                                : "Keywords for the tools you need.");
    }
    if (shown & DEFT_PARAMETER_TOOL_ID) {
        write_property(writer, "tool_id", "string",
                       has_both ? "The exact id of one tool, server::tool. Give this or query, not "
                                  "both."
                                : "The exact id of one tool, server::tool.");
    }
    if (shown & DEFT_PARAMETER_MAX_RESULTS) {
        write_results_property(writer, settings, "max_results");
    }
    if (shown & DEFT_PARAMETER_LIMIT) {
        write_results_property(writer, settings, "limit");
    }
}

// The parameter that a call cannot do without; NULL when there is a choice.
static const char *required_parameter(const deft_settings *settings, deft_bridge_tool tool)
{
    if (tool != DEFT_BRIDGE_SEARCH) {
        return "tool_name";
    } else if (!(settings->search_parameters & DEFT_PARAMETER_TOOL_ID)) {
        return "query";
    } else if (!(settings->search_parameters & DEFT_PARAMETER_QUERY)) {
        return "tool_id";
    } else {
        return NULL;
    }
}

static void write_input_schema(deft__json_writer *writer, const deft_settings *settings,
                               deft_bridge_tool tool)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, "object");
    deft__json_name(writer, "properties");
    deft__json_begin_object(writer);
    switch (tool) {
    case DEFT_BRIDGE_SEARCH:
        write_search_properties(writer, settings);
        break;
    case DEFT_BRIDGE_DESCRIBE:
        write_property(writer, "tool_name", "string",
                       "The tool's id or name; several separated by commas.");
        deft__json_name(writer, "form");
        deft__json_write_raw(writer,
                             deft_view_of("{\"type\":\"string\",\"enum\":[\"openai\","
                                          "\"mcp\",\"anthropic\"],\"default\":\"openai\"}"));
        break;
    case DEFT_BRIDGE_CALL:
    case DEFT_BRIDGE_CALL_READ_ONLY:
        write_property(writer, "tool_name", "string", "The tool's id or name.");
        write_property(writer, "tool_args", "object", "The tool's own arguments.");
        break;
    }
    deft__json_end_object(writer);
    const char *required = required_parameter(settings, tool);
    if (required != NULL) {
        deft__json_name(writer, "required");
        deft__json_begin_array(writer);
        deft__json_write_text(writer, required);
        deft__json_end_array(writer);
    }
    deft__json_end_object(writer);
}

static deft_view name_of(const deft_settings *settings, deft_bridge_tool tool)
{
    switch (tool) {
    case DEFT_BRIDGE_SEARCH:
        return settings->search_name;
    case DEFT_BRIDGE_DESCRIBE:
        return settings->describe_name;
    case DEFT_BRIDGE_CALL:
        return settings->call_name;
    case DEFT_BRIDGE_CALL_READ_ONLY:
        return settings->call_read_only_name;
    }
    return deft_view_make(NULL, 0);
}

// Members that only MCP has. These tools are how everything else is found, so a host that defers
// tools itself is asked to leave them alone; where it does not, its search gets a hint.
static void write_mcp_members(deft__json_writer *writer, deft_bridge_tool tool)
{
    const fixed_part *fixed = &fixed_parts[tool];
    deft_buffer      *out   = writer->out;
    if (fixed->output_schema != NULL) {
        deft__json_name(writer, "outputSchema");
        deft__json_write_raw(writer, deft_view_of(fixed->output_schema));
    }
    deft__json_name(writer, "annotations");
    deft__json_begin_object(writer);
    deft__json_name(writer, "title");
    deft__json_write_text(writer, fixed->title);
    deft_buffer_append_byte(out, ',');
    deft_buffer_append_text(out, fixed->hints);
    deft__json_end_object(writer);
    deft__json_name(writer, "_meta");
    deft__json_begin_object(writer);
    deft__json_name(writer, "anthropic/alwaysLoad");
    deft__json_write_bool(writer, true);
    deft__json_name(writer, "anthropic/searchHint");
    deft__json_write_text(writer, fixed->search_hint);
    deft__json_end_object(writer);
}

static const char *schema_member(deft_form form)
{
    switch (form) {
    case DEFT_FORM_OPENAI:
        return "parameters";
    case DEFT_FORM_ANTHROPIC:
        return "input_schema";
    case DEFT_FORM_MCP:
        break;
    }
    return "inputSchema";
}

deft_status deft_bridge_write_definition(const deft_settings *settings, deft_bridge_tool tool,
                                         deft_form form, deft_view listing, deft_buffer *out)
{
    const size_t start = out->size;
    deft_buffer  description;
    deft_buffer_init(&description, out->allocator);
    append_description(settings, tool, listing, &description);

    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    if (form == DEFT_FORM_OPENAI) {
        deft__json_name(&writer, "type");
        deft__json_write_text(&writer, "function");
        deft__json_name(&writer, "function");
        deft__json_begin_object(&writer);
    }
    deft__json_name(&writer, "name");
    deft__json_write_string(&writer, name_of(settings, tool));
    if (form == DEFT_FORM_MCP) {
        deft__json_name(&writer, "title");
        deft__json_write_text(&writer, fixed_parts[tool].title);
    }
    deft__json_name(&writer, "description");
    deft__json_write_string(&writer, deft_buffer_view(&description));
    deft__json_name(&writer, schema_member(form));
    write_input_schema(&writer, settings, tool);
    if (form == DEFT_FORM_MCP) {
        write_mcp_members(&writer, tool);
    } else if (form == DEFT_FORM_OPENAI) {
        deft__json_end_object(&writer);
    }
    deft__json_end_object(&writer);

    const deft_status status = description.status != DEFT_OK ? description.status : out->status;
    deft_buffer_clear(&description);
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}

// All of them but the second call tool, and that one where it is asked for.
static const deft_bridge_tool all_tools[DEFT_BRIDGE_TOOLS_MAX] = {
    DEFT_BRIDGE_SEARCH, DEFT_BRIDGE_DESCRIBE, DEFT_BRIDGE_CALL, DEFT_BRIDGE_CALL_READ_ONLY};

static size_t tool_count(const deft_settings *settings)
{
    return is_by_effect(settings) ? DEFT_BRIDGE_TOOLS_MAX : DEFT_BRIDGE_TOOLS_MAX - 1;
}

size_t deft_bridge_tools(const deft_settings *settings,
                         deft_bridge_tool     tools[DEFT_BRIDGE_TOOLS_MAX])
{
    const size_t count = is_bridge(settings) ? tool_count(settings) : 1;
    memcpy(tools, all_tools, count * sizeof *tools);
    return count;
}

bool deft_bridge_from_name(const deft_settings *settings, deft_view name, deft_bridge_tool *tool)
{
    const deft_bridge_tool *tools = all_tools;
    for (size_t i = 0; i < tool_count(settings); i++) {
        if (deft_view_equal(name_of(settings, tools[i]), name)) {
            *tool = tools[i];
            return true;
        }
    }
    return false;
}

// What to set to give one of the bridge's tools another name.
static const char *key_of(deft_bridge_tool tool)
{
    switch (tool) {
    case DEFT_BRIDGE_SEARCH:
        return "toolSearch.searchName";
    case DEFT_BRIDGE_DESCRIBE:
        return "toolSearch.describeName";
    case DEFT_BRIDGE_CALL_READ_ONLY:
        return "toolSearch.callReadOnlyName";
    case DEFT_BRIDGE_CALL:
        break;
    }
    return "toolSearch.callName";
}

static deft_status check_own_names(const deft_settings *settings, deft_error *error)
{
    for (size_t i = 0; i < tool_count(settings); i++) {
        const deft_view name = name_of(settings, all_tools[i]);
        for (size_t j = 0; j < i; j++) {
            deft__quoted quoted;
            if (deft_view_equal(name, name_of(settings, all_tools[j]))) {
                return deft__fail(error, DEFT_CONFLICT, 0,
                                  "two of the bridge's tools are called '%s'; set %s to another "
                                  "name",
                                  deft__quote(&quoted, name), key_of(all_tools[j]));
            }
        }
    }
    return DEFT_OK;
}

deft_status deft_bridge_check_names(const deft_settings *settings, const deft_plan *plan,
                                    deft_error *error)
{
    deft_status status = check_own_names(settings, error);
    if (status != DEFT_OK) {
        return status;
    }
    const deft_catalog *catalog = deft_plan_catalog(plan);
    for (uint32_t i = 0; i < deft_catalog_tool_count(catalog); i++) {
        const deft_tool_id id   = {i};
        const deft_tool   *tool = deft_catalog_tool(catalog, id);
        deft_bridge_tool   own;
        // In style load a deferred tool may join the list later.
        const bool may_be_seen =
            !is_bridge(settings) || deft_plan_decision(plan, id).place != DEFT_PLACE_DEFERRED;
        if (may_be_seen && (deft_bridge_from_name(settings, tool->name, &own) ||
                            deft_bridge_from_name(settings, tool->wire_name, &own))) {
            deft__quoted quoted;
            deft__quoted name;
            return deft__fail(error, DEFT_CONFLICT, 0,
                              "tool '%s' has the name of the bridge's tool '%s'; set %s to another "
                              "name",
                              deft__quote(&quoted, tool->id),
                              deft__quote(&name, name_of(settings, own)), key_of(own));
        }
    }
    return DEFT_OK;
}
