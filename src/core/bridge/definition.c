// The definitions of the bridge's own tools, in the three forms.
#include "deft/bridge.h"

#include "base/fail.h"
#include "json/writer.h"

typedef struct fixed_part {
    const char *title;
    bool        is_read_only;
    const char *output_schema; // JSON; NULL: none
} fixed_part;

// By deft_bridge_tool.
static const fixed_part fixed_parts[] = {
    {"Search for tools", true,
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
    {"Describe tools", true,
     "{\"type\":\"object\",\"properties\":{"
     "\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
     "\"unknown\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
     "\"required\":[\"tools\",\"unknown\"]}"},
    {"Call a tool", false, NULL},
};

static bool is_bridge(const deft_settings *settings)
{
    return settings->style != DEFT_STYLE_LOAD;
}

static void append_search_description(const deft_settings *settings, deft_view listing,
                                      deft_buffer *out)
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
    if (is_bridge(settings)) {
        deft_buffer_append_text(out, " Call a tool that was found with ");
        deft_buffer_append(out, settings->call_name);
        deft_buffer_append_byte(out, '.');
    } else {
        deft_buffer_append_text(out, " Tools that were found join your list; call them directly.");
    }
    if (listing.size > 0) {
        deft_buffer_append_text(out, "\n\nWhat can be found:\n");
        deft_buffer_append(out, listing);
    }
}

static void append_description(const deft_settings *settings, deft_bridge_tool tool,
                               deft_view listing, deft_buffer *out)
{
    switch (tool) {
    case DEFT_BRIDGE_SEARCH:
        append_search_description(settings, listing, out);
        break;
    case DEFT_BRIDGE_DESCRIBE:
        deft_buffer_append_text(out, "Gives the whole definition of one or several tools, with "
                                     "the schema of their arguments. Find their names with ");
        deft_buffer_append(out, settings->search_name);
        deft_buffer_append_byte(out, '.');
        break;
    case DEFT_BRIDGE_CALL:
        deft_buffer_append_text(out, "Calls a tool by its name. Find names and arguments with ");
        deft_buffer_append(out, settings->search_name);
        deft_buffer_append_text(out, ", whole schemas with ");
        deft_buffer_append(out, settings->describe_name);
        deft_buffer_append_byte(out, '.');
        break;
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
    }
    return deft_view_make(NULL, 0);
}

// Members that only MCP has. The search tool is how everything else is found, so it must itself
// never be deferred by a host that does such things.
static void write_mcp_members(deft__json_writer *writer, deft_bridge_tool tool)
{
    const fixed_part *fixed = &fixed_parts[tool];
    if (fixed->output_schema != NULL) {
        deft__json_name(writer, "outputSchema");
        deft__json_write_raw(writer, deft_view_of(fixed->output_schema));
    }
    deft__json_name(writer, "annotations");
    deft__json_begin_object(writer);
    deft__json_name(writer, "title");
    deft__json_write_text(writer, fixed->title);
    deft__json_name(writer, "readOnlyHint");
    deft__json_write_bool(writer, fixed->is_read_only);
    deft__json_end_object(writer);
    deft__json_name(writer, "_meta");
    deft__json_write_raw(writer, deft_view_of("{\"anthropic/alwaysLoad\":true}"));
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

bool deft_bridge_from_name(const deft_settings *settings, deft_view name, deft_bridge_tool *tool)
{
    static const deft_bridge_tool tools[] = {DEFT_BRIDGE_SEARCH, DEFT_BRIDGE_DESCRIBE,
                                             DEFT_BRIDGE_CALL};
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
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
    case DEFT_BRIDGE_CALL:
        break;
    }
    return "toolSearch.callName";
}

static deft_status check_own_names(const deft_settings *settings, deft_error *error)
{
    deft__quoted    quoted;
    const deft_view search = settings->search_name;
    if (deft_view_equal(search, settings->describe_name) ||
        deft_view_equal(search, settings->call_name)) {
        return deft__fail(error, DEFT_CONFLICT, 0,
                          "two of the bridge's tools are called '%s'; set %s to another name",
                          deft__quote(&quoted, search), key_of(DEFT_BRIDGE_SEARCH));
    }
    if (deft_view_equal(settings->describe_name, settings->call_name)) {
        return deft__fail(error, DEFT_CONFLICT, 0,
                          "two of the bridge's tools are called '%s'; set %s to another name",
                          deft__quote(&quoted, settings->call_name), key_of(DEFT_BRIDGE_CALL));
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
