// Revisions and what peers can do. Names of revisions are dates, and each belongs to one era.
#include "mcp/era.h"

#include "json/writer.h"

#include <limits.h>

static const char *const era_names[] = {
    [DEFT__MCP_ERA_UNKNOWN] = "unknown",
    [DEFT__MCP_ERA_LEGACY]  = "legacy",
    [DEFT__MCP_ERA_MODERN]  = "modern",
};

#define ERA_COUNT (sizeof era_names / sizeof era_names[0])

static const char *const legacy_versions[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                              DEFT__MCP_VERSION_LEGACY};
static const char *const modern_versions[] = {DEFT__MCP_VERSION_MODERN};

const char *deft__mcp_era_name(deft__mcp_era era)
{
    return era_names[era];
}

bool deft__mcp_era_from_name(deft_view name, deft__mcp_era *era)
{
    for (size_t i = 0; i < ERA_COUNT; i++) {
        if (deft_view_equals(name, era_names[i])) {
            *era = (deft__mcp_era)i;
            return true;
        }
    }
    return false;
}

const char *const *deft__mcp_versions(deft__mcp_era era, size_t *count)
{
    switch (era) {
    case DEFT__MCP_ERA_LEGACY:
        *count = sizeof legacy_versions / sizeof legacy_versions[0];
        return legacy_versions;
    case DEFT__MCP_ERA_MODERN:
        *count = sizeof modern_versions / sizeof modern_versions[0];
        return modern_versions;
    case DEFT__MCP_ERA_UNKNOWN:
        break;
    }
    *count = 0;
    return legacy_versions;
}

// The version in our own words; NULL when we do not speak it.
static const char *find_version(deft__mcp_era era, deft_view version)
{
    size_t                   count    = 0;
    const char *const *const versions = deft__mcp_versions(era, &count);
    for (size_t i = 0; i < count; i++) {
        if (deft_view_equals(version, versions[i])) {
            return versions[i];
        }
    }
    return NULL;
}

bool deft__mcp_speaks(deft__mcp_era era, deft_view version)
{
    return find_version(era, version) != NULL;
}

const char *deft__mcp_agree(deft_view requested)
{
    const char *version = find_version(DEFT__MCP_ERA_LEGACY, requested);
    return version != NULL ? version : DEFT__MCP_VERSION_LEGACY;
}

// A capability is there when its member is an object, and a detail of it when that is true.
static bool has(deft__json_value capabilities, const char *name)
{
    return deft__json_is(deft__json_member(capabilities, name), DEFT__JSON_OBJECT);
}

static bool has_detail(deft__json_value capabilities, const char *name, const char *detail)
{
    const deft__json_value capability = deft__json_member(capabilities, name);
    return deft__json_is(deft__json_member(capability, detail), DEFT__JSON_TRUE);
}

unsigned deft__mcp_client_capabilities(deft__json_value capabilities)
{
    const deft__json_value sampling    = deft__json_member(capabilities, "sampling");
    const deft__json_value elicitation = deft__json_member(capabilities, "elicitation");
    unsigned               bits        = 0;
    if (has(capabilities, "roots")) {
        bits |= DEFT__MCP_CLIENT_ROOTS;
        bits |=
            has_detail(capabilities, "roots", "listChanged") ? DEFT__MCP_CLIENT_ROOTS_CHANGED : 0;
    }
    if (deft__json_is(sampling, DEFT__JSON_OBJECT)) {
        bits |= DEFT__MCP_CLIENT_SAMPLING;
        bits |= has(sampling, "tools") ? DEFT__MCP_CLIENT_SAMPLING_TOOLS : 0;
    }
    if (deft__json_is(elicitation, DEFT__JSON_OBJECT)) {
        // Forms came first and need no mention: {} means them.
        const bool has_url = has(elicitation, "url");
        bits |= has_url ? DEFT__MCP_CLIENT_ELICITATION_URL : 0;
        bits |= has(elicitation, "form") || !has_url ? DEFT__MCP_CLIENT_ELICITATION : 0;
    }
    return bits;
}

static const struct {
    const char *name;
    const char *detail; // NULL: the capability itself
    unsigned    bit;
} server_rows[] = {
    {"tools", NULL, DEFT__MCP_SERVER_TOOLS},
    {"tools", "listChanged", DEFT__MCP_SERVER_TOOLS_CHANGED},
    {"prompts", NULL, DEFT__MCP_SERVER_PROMPTS},
    {"prompts", "listChanged", DEFT__MCP_SERVER_PROMPTS_CHANGED},
    {"resources", NULL, DEFT__MCP_SERVER_RESOURCES},
    {"resources", "subscribe", DEFT__MCP_SERVER_RESOURCES_SUBSCRIBE},
    {"resources", "listChanged", DEFT__MCP_SERVER_RESOURCES_CHANGED},
    {"completions", NULL, DEFT__MCP_SERVER_COMPLETIONS},
    {"logging", NULL, DEFT__MCP_SERVER_LOGGING},
};

#define SERVER_ROWS (sizeof server_rows / sizeof server_rows[0])

unsigned deft__mcp_server_capabilities(deft__json_value capabilities)
{
    unsigned bits = 0;
    for (size_t i = 0; i < SERVER_ROWS; i++) {
        const bool is_there =
            server_rows[i].detail == NULL
                ? has(capabilities, server_rows[i].name)
                : has_detail(capabilities, server_rows[i].name, server_rows[i].detail);
        bits |= is_there ? server_rows[i].bit : 0;
    }
    return bits;
}

static void write_empty(deft__json_writer *writer, const char *name, bool is_wanted)
{
    if (is_wanted) {
        deft__json_name(writer, name);
        deft__json_begin_object(writer);
        deft__json_end_object(writer);
    }
}

void deft__mcp_write_client_capabilities(deft_buffer *out, unsigned bits, deft__mcp_era era)
{
    const unsigned    sampling    = DEFT__MCP_CLIENT_SAMPLING | DEFT__MCP_CLIENT_SAMPLING_TOOLS;
    const unsigned    elicitation = DEFT__MCP_CLIENT_ELICITATION | DEFT__MCP_CLIENT_ELICITATION_URL;
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    if ((bits & DEFT__MCP_CLIENT_ROOTS) != 0) {
        deft__json_name(&writer, "roots");
        deft__json_begin_object(&writer);
        // Modern clients have no notifications to send.
        if ((bits & DEFT__MCP_CLIENT_ROOTS_CHANGED) != 0 && era != DEFT__MCP_ERA_MODERN) {
            deft__json_name(&writer, "listChanged");
            deft__json_write_bool(&writer, true);
        }
        deft__json_end_object(&writer);
    }
    if ((bits & sampling) != 0) {
        deft__json_name(&writer, "sampling");
        deft__json_begin_object(&writer);
        write_empty(&writer, "tools", (bits & DEFT__MCP_CLIENT_SAMPLING_TOOLS) != 0);
        deft__json_end_object(&writer);
    }
    if ((bits & elicitation) != 0) {
        deft__json_name(&writer, "elicitation");
        deft__json_begin_object(&writer);
        write_empty(&writer, "form", (bits & DEFT__MCP_CLIENT_ELICITATION) != 0);
        write_empty(&writer, "url", (bits & DEFT__MCP_CLIENT_ELICITATION_URL) != 0);
        deft__json_end_object(&writer);
    }
    deft__json_end_object(&writer);
}

void deft__mcp_write_server_capabilities(deft_buffer *out, unsigned bits)
{
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    // A capability's own row comes first, its details behind it.
    for (size_t i = 0; i < SERVER_ROWS; i++) {
        if (server_rows[i].detail != NULL || (bits & server_rows[i].bit) == 0) {
            continue;
        }
        deft__json_name(&writer, server_rows[i].name);
        deft__json_begin_object(&writer);
        for (size_t j = i + 1; j < SERVER_ROWS && server_rows[j].detail != NULL; j++) {
            if ((bits & server_rows[j].bit) != 0) {
                deft__json_name(&writer, server_rows[j].detail);
                deft__json_write_bool(&writer, true);
            }
        }
        deft__json_end_object(&writer);
    }
    deft__json_end_object(&writer);
}

static unsigned needed_for_elicitation(deft__json_value params)
{
    const deft__json_value mode = deft__json_member(params, "mode");
    if (deft__json_is(mode, DEFT__JSON_NONE) ||
        deft__json_string_equals(mode, deft_view_of("form"))) {
        return DEFT__MCP_CLIENT_ELICITATION;
    } else if (deft__json_string_equals(mode, deft_view_of("url"))) {
        return DEFT__MCP_CLIENT_ELICITATION_URL;
    } else {
        return UINT_MAX;
    }
}

unsigned deft__mcp_needed_capability(deft_view method, deft__json_value params)
{
    if (deft_view_equals(method, "ping")) {
        return 0;
    } else if (deft_view_equals(method, "roots/list")) {
        return DEFT__MCP_CLIENT_ROOTS;
    } else if (deft_view_equals(method, "sampling/createMessage")) {
        const bool has_tools =
            !deft__json_is(deft__json_member(params, "tools"), DEFT__JSON_NONE) ||
            !deft__json_is(deft__json_member(params, "toolChoice"), DEFT__JSON_NONE);
        return DEFT__MCP_CLIENT_SAMPLING | (has_tools ? DEFT__MCP_CLIENT_SAMPLING_TOOLS : 0u);
    } else if (deft_view_equals(method, "elicitation/create")) {
        return needed_for_elicitation(params);
    } else {
        return UINT_MAX;
    }
}
