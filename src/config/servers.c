// One MCP server as any of the products writes it. Values of env, headers, args and url may be
// secret: no message shows them.
#include "config/read.h"

#include "base/glob.h"
#include "base/nearest.h"
#include "deft/catalog.h"

#include <stdio.h>

typedef enum server_member {
    MEMBER_COMMAND,
    MEMBER_ARGUMENTS,
    MEMBER_ENVIRONMENT,
    MEMBER_DIRECTORY,
    MEMBER_URL,
    MEMBER_CA,
    MEMBER_HEADERS,
    MEMBER_HEADER_VARIABLES, // header name to variable name
    MEMBER_BEARER_VARIABLE,  // the variable that holds the token
    MEMBER_TYPE,
    MEMBER_DISABLED,
    MEMBER_ENABLED,
    MEMBER_TOOLS,
    MEMBER_ENVIRONMENT_FILE,
    MEMBER_DEFER_TOOLS, // Copilot CLI: "never" is alwaysLoad
    MEMBER_LOGIN,
    MEMBER_COUNT,
    MEMBER_FOREIGN = MEMBER_COUNT // known, and of no consequence here
} server_member;

static const struct {
    const char   *name;
    server_member member;
} members[] = {
    {"command", MEMBER_COMMAND},
    {"args", MEMBER_ARGUMENTS},
    {"env", MEMBER_ENVIRONMENT},
    {"environment", MEMBER_ENVIRONMENT}, // opencode
    {"cwd", MEMBER_DIRECTORY},
    {"url", MEMBER_URL},
    {"httpUrl", MEMBER_URL},   // Gemini CLI, Qwen Code
    {"serverUrl", MEMBER_URL}, // Windsurf
    {"ca", MEMBER_CA},
    {"headers", MEMBER_HEADERS},
    {"http_headers", MEMBER_HEADERS}, // Codex
    {"env_http_headers", MEMBER_HEADER_VARIABLES},
    {"bearer_token_env_var", MEMBER_BEARER_VARIABLE},
    {"type", MEMBER_TYPE},
    {"transport", MEMBER_TYPE},
    {"disabled", MEMBER_DISABLED},
    {"enabled", MEMBER_ENABLED},
    {"tools", MEMBER_TOOLS},
    {"envFile", MEMBER_ENVIRONMENT_FILE},
    {"env_file", MEMBER_ENVIRONMENT_FILE},
    {"deferTools", MEMBER_DEFER_TOOLS},
    // Kiro, Cline, Roo, Cursor, Gemini CLI, VS Code
    {"trust", MEMBER_FOREIGN},
    {"name", MEMBER_FOREIGN},
    {"description", MEMBER_FOREIGN},
    {"version", MEMBER_FOREIGN},
    {"gallery", MEMBER_FOREIGN},
    {"dev", MEMBER_FOREIGN},
    {"oauth", MEMBER_LOGIN},
    {"oauthScopes", MEMBER_FOREIGN},
    {"authProviderType", MEMBER_FOREIGN},
    {"headersHelper", MEMBER_FOREIGN},
    {"source", MEMBER_FOREIGN},
    {"settings", MEMBER_FOREIGN},
    {"sandbox", MEMBER_FOREIGN},
    // Codex
    {"env_vars", MEMBER_FOREIGN},
    {"required", MEMBER_FOREIGN},
    {"default_tools_approval_mode", MEMBER_FOREIGN},
    {"scopes", MEMBER_FOREIGN},
    {"oauth_resource", MEMBER_FOREIGN},
};

#define NAME_COUNT (sizeof members / sizeof members[0])

static const char *const deferral_names[] = {"deferLoading", "alwaysLoad"};

// One server while it is read.
typedef struct server_draft {
    deft__reader       *reader;
    char                path[160]; // "mcpServers.github"
    deft__json_value    members[MEMBER_COUNT];
    deft__deferral      deferral;
    deft__server_use    use;
    deft__source_server result;
} server_draft;

static bool has(const server_draft *draft, server_member member)
{
    return draft->members[member].document != NULL;
}

// The value is of the wrong kind. Only the kind is told.
static deft_status fail_kind(server_draft *draft, const char *name, deft__json_value json,
                             const char *accepted)
{
    return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(json),
                             "%s.%s is %s; accepted: %s", draft->path, name,
                             deft__json_kind_name(deft__json_kind_of(json)), accepted);
}

// Every name that a member may have, by number; NULL behind the last.
static const char *known_name(size_t index)
{
    if (index < NAME_COUNT) {
        return members[index].name;
    } else if (index < NAME_COUNT + 2) {
        return deferral_names[index - NAME_COUNT];
    } else {
        return deft__server_use_name(index - NAME_COUNT - 2);
    }
}

static deft_status warn_unknown(server_draft *draft, deft_view name, size_t offset)
{
    const char  *nearest  = NULL;
    size_t       distance = deft__edit_distance_plausible(name.size) + 1;
    deft__quoted quoted;
    if (deft__reader_is_full(draft->reader)) {
        return DEFT_OK;
    }
    for (size_t i = 0; known_name(i) != NULL; i++) {
        const char  *known         = known_name(i);
        const size_t this_distance = deft__edit_distance(name, deft_view_of(known), distance);
        if (this_distance < distance) {
            distance = this_distance;
            nearest  = known;
        }
    }
    const char *shown = deft__reader_show(&quoted, name);
    if (nearest != NULL) {
        return deft__reader_warn(draft->reader, offset, "unknown key %s.%s; did you mean %s?",
                                 draft->path, shown, nearest);
    } else {
        return deft__reader_warn(draft->reader, offset, "unknown key %s.%s", draft->path, shown);
    }
}

static deft_status collect(server_draft *draft, deft__json_value object)
{
    deft_status         status = deft__reader_check_duplicates(draft->reader, object);
    deft__json_iterator i      = deft__json_iterate(object);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_view name = {NULL, 0};
        if (!deft__reader_string(draft->reader, i.name, &name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        size_t found = 0;
        while (found < NAME_COUNT && !deft_view_equals(name, members[found].name)) {
            found++;
        }
        if (found < NAME_COUNT && members[found].member != MEMBER_FOREIGN) {
            draft->members[members[found].member] = i.value;
        } else if (found == NAME_COUNT && !deft__deferral_take(&draft->deferral, name, i.value) &&
                   !deft__server_use_take(&draft->use, name, i.value)) {
            status = warn_unknown(draft, name, deft__json_offset(i.name));
        }
    }
    return status;
}

// A text that must not be empty.
static deft_status read_text(server_draft *draft, const char *name, deft__json_value json,
                             deft_view *text)
{
    if (!deft__json_is(json, DEFT__JSON_STRING)) {
        return fail_kind(draft, name, json, "a string");
    } else if (!deft__reader_string(draft->reader, json, text)) {
        return DEFT_OUT_OF_MEMORY;
    } else if (text->size == 0) {
        return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(json),
                                 "%s.%s is empty; accepted: a string", draft->path, name);
    } else {
        return DEFT_OK;
    }
}

// Numbers and booleans are fine where a program or a header wants text: they are what they look
// like.
static deft_status read_scalar(server_draft *draft, const char *name, deft__json_value json,
                               deft_view *text)
{
    switch (deft__json_kind_of(json)) {
    case DEFT__JSON_STRING:
        return deft__reader_string(draft->reader, json, text) ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    case DEFT__JSON_NUMBER:
    case DEFT__JSON_TRUE:
    case DEFT__JSON_FALSE:
        *text = deft__json_raw(json);
        return DEFT_OK;
    case DEFT__JSON_NONE:
    case DEFT__JSON_NULL:
    case DEFT__JSON_ARRAY:
    case DEFT__JSON_OBJECT:
        break;
    }
    return fail_kind(draft, name, json, "a string");
}

// The command, alone or with its arguments behind it in one array (opencode), and `args`.
static deft_status read_command(server_draft *draft)
{
    const deft__json_value command   = draft->members[MEMBER_COMMAND];
    const deft__json_value arguments = draft->members[MEMBER_ARGUMENTS];
    deft_server_config    *server    = &draft->result.server;
    if (has(draft, MEMBER_ARGUMENTS) && !deft__json_is(arguments, DEFT__JSON_ARRAY)) {
        return fail_kind(draft, "args", arguments, "an array of strings");
    }
    const size_t count = deft__json_count(command) + deft__json_count(arguments);
    deft_view   *items = deft__arena_array(&draft->reader->source->arena, count + 1, sizeof *items);
    if (items == NULL) {
        return deft__fail_memory(draft->reader->error);
    }
    deft_status         status = DEFT_OK;
    size_t              filled = 0;
    deft__json_iterator i      = deft__json_iterate(command);
    if (deft__json_is(command, DEFT__JSON_ARRAY)) {
        if (!deft__json_next(&i)) {
            return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(command),
                                     "%s.command is empty; accepted: a string", draft->path);
        }
        status = read_text(draft, "command", i.value, &server->command);
        while (status == DEFT_OK && deft__json_next(&i)) {
            status = read_scalar(draft, "command", i.value, &items[filled++]);
        }
    } else {
        status = read_text(draft, "command", command, &server->command);
    }
    i = deft__json_iterate(arguments);
    while (status == DEFT_OK && deft__json_next(&i)) {
        status = read_scalar(draft, "args", i.value, &items[filled++]);
    }
    server->arguments      = items;
    server->argument_count = filled;
    return status;
}

// Names with values. A null value is a name that is not there.
static deft_status read_pairs(server_draft *draft, const char *name, deft__json_value json,
                              deft_pair *pairs, size_t *count)
{
    if (json.document == NULL) {
        return DEFT_OK;
    }
    if (!deft__json_is(json, DEFT__JSON_OBJECT)) {
        return fail_kind(draft, name, json, "an object of strings");
    }
    deft_status         status = deft__reader_check_duplicates(draft->reader, json);
    deft__json_iterator i      = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        if (deft__json_is(i.value, DEFT__JSON_NULL)) {
            continue;
        }
        if (!deft__reader_string(draft->reader, i.name, &pairs[*count].name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        status = read_scalar(draft, name, i.value, &pairs[*count].value);
        *count += 1;
    }
    return status;
}

static deft_pair *new_pairs(server_draft *draft, size_t count)
{
    deft_pair *pairs = deft__arena_array(&draft->reader->source->arena, count + 1, sizeof *pairs);
    if (pairs == NULL) {
        deft__fail_memory(draft->reader->error);
    }
    return pairs;
}

static deft_status read_environment(server_draft *draft)
{
    const deft__json_value json  = draft->members[MEMBER_ENVIRONMENT];
    deft_pair             *pairs = new_pairs(draft, deft__json_count(json));
    if (pairs == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    draft->result.server.environment = pairs;
    return read_pairs(draft, "env", json, pairs, &draft->result.server.environment_count);
}

static bool is_variable_name(deft_view name)
{
    for (size_t i = 0; i < name.size; i++) {
        const char byte = name.data[i];
        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || byte == '_')) {
            return false;
        }
    }
    return name.size > 0;
}

// Codex names the variable that holds a header's value; that is `${NAME}` in our words.
static deft_status refer(server_draft *draft, const char *name, const char *prefix,
                         deft__json_value json, deft_view *value)
{
    deft_view variable = {NULL, 0};
    deft_view text     = {NULL, 0};
    if (!deft__json_is(json, DEFT__JSON_STRING)) {
        return fail_kind(draft, name, json, "the name of an environment variable");
    } else if (!deft__reader_string(draft->reader, json, &variable)) {
        return DEFT_OUT_OF_MEMORY;
    } else if (!is_variable_name(variable)) {
        return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(json),
                                 "%s.%s names no environment variable; accepted: letters, digits "
                                 "and _",
                                 draft->path, name);
    }
    deft_buffer buffer;
    deft_buffer_init(&buffer, draft->reader->source->arena.allocator);
    deft_buffer_append_text(&buffer, prefix);
    deft_buffer_append_text(&buffer, "${");
    deft_buffer_append(&buffer, variable);
    deft_buffer_append_byte(&buffer, '}');
    const bool is_done =
        buffer.status == DEFT_OK &&
        deft__arena_copy(&draft->reader->source->arena, deft_buffer_view(&buffer), &text);
    deft_buffer_clear(&buffer);
    if (!is_done) {
        return deft__fail_memory(draft->reader->error);
    }
    *value = text;
    return DEFT_OK;
}

static deft_status read_headers(server_draft *draft)
{
    const deft__json_value headers   = draft->members[MEMBER_HEADERS];
    const deft__json_value variables = draft->members[MEMBER_HEADER_VARIABLES];
    deft_server_config    *server    = &draft->result.server;
    deft_pair             *pairs =
        new_pairs(draft, deft__json_count(headers) + deft__json_count(variables) + 1);
    if (pairs == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    server->headers    = pairs;
    deft_status status = read_pairs(draft, "headers", headers, pairs, &server->header_count);
    if (status == DEFT_OK && has(draft, MEMBER_HEADER_VARIABLES) &&
        !deft__json_is(variables, DEFT__JSON_OBJECT)) {
        return fail_kind(draft, "env_http_headers", variables, "a table of variable names");
    }
    deft__json_iterator i = deft__json_iterate(variables);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_pair *pair = &pairs[server->header_count++];
        if (!deft__reader_string(draft->reader, i.name, &pair->name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        status = refer(draft, "env_http_headers", "", i.value, &pair->value);
    }
    if (status == DEFT_OK && has(draft, MEMBER_BEARER_VARIABLE)) {
        deft_pair *pair = &pairs[server->header_count++];
        pair->name      = deft_view_of("Authorization");
        status          = refer(draft, "bearer_token_env_var", "Bearer ",
                                draft->members[MEMBER_BEARER_VARIABLE], &pair->value);
    }
    return status;
}

static bool find_transport(deft_view word, deft_transport_kind *transport)
{
    static const struct {
        const char         *word;
        deft_transport_kind transport;
    } words[] = {{"stdio", DEFT_TRANSPORT_STDIO},
                 {"local", DEFT_TRANSPORT_STDIO},
                 {"http", DEFT_TRANSPORT_HTTP},
                 {"streamable-http", DEFT_TRANSPORT_HTTP},
                 {"streamable_http", DEFT_TRANSPORT_HTTP},
                 {"streamablehttp", DEFT_TRANSPORT_HTTP},
                 {"remote", DEFT_TRANSPORT_HTTP},
                 {"sse", DEFT_TRANSPORT_SSE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (deft__value_is_word(word, words[i].word)) {
            *transport = words[i].transport;
            return true;
        }
    }
    return false;
}

// How the server is reached: by its type, else by what is there.
static deft_status read_transport(server_draft *draft, size_t offset)
{
    const deft__json_value type   = draft->members[MEMBER_TYPE];
    deft_server_config    *server = &draft->result.server;
    deft_view              word   = {NULL, 0};
    deft__quoted           quoted;
    if (has(draft, MEMBER_TYPE)) {
        if (deft__json_is(type, DEFT__JSON_STRING) &&
            !deft__reader_string(draft->reader, type, &word)) {
            return DEFT_OUT_OF_MEMORY;
        }
        if (!find_transport(word, &server->transport)) {
            return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(type),
                                     "%s.type is %s; accepted: stdio, http, streamable-http or sse",
                                     draft->path, deft__reader_show(&quoted, deft__json_raw(type)));
        }
    } else if (has(draft, MEMBER_COMMAND) && has(draft, MEMBER_URL)) {
        return deft__reader_fail(
            draft->reader, DEFT_CONFLICT, deft__json_offset(draft->members[MEMBER_URL]),
            "%s has both command (line %zu) and url (line %zu); keep one of them, or add type",
            draft->path,
            deft__reader_line(draft->reader, deft__json_offset(draft->members[MEMBER_COMMAND])),
            deft__reader_line(draft->reader, deft__json_offset(draft->members[MEMBER_URL])));
    } else {
        server->transport = has(draft, MEMBER_URL) ? DEFT_TRANSPORT_HTTP : DEFT_TRANSPORT_STDIO;
    }

    const bool          is_stdio = server->transport == DEFT_TRANSPORT_STDIO;
    const server_member needed   = is_stdio ? MEMBER_COMMAND : MEMBER_URL;
    if (!has(draft, needed)) {
        return deft__reader_fail(draft->reader, DEFT_INVALID, offset, "%s has no %s; accepted: %s",
                                 draft->path, is_stdio ? "command" : "url",
                                 is_stdio ? "command and args, or url" : "url and headers");
    }
    return is_stdio ? read_command(draft)
                    : read_text(draft, "url", draft->members[MEMBER_URL], &server->url);
}

static deft_status read_switches(server_draft *draft)
{
    const deft__json_value disabled = draft->members[MEMBER_DISABLED];
    const deft__json_value enabled  = draft->members[MEMBER_ENABLED];
    const bool             is_off   = deft__json_is(disabled, DEFT__JSON_TRUE);
    const bool             is_on    = deft__json_is(enabled, DEFT__JSON_TRUE);
    if (has(draft, MEMBER_DISABLED) && !is_off && !deft__json_is(disabled, DEFT__JSON_FALSE)) {
        return fail_kind(draft, "disabled", disabled, "true or false");
    }
    if (has(draft, MEMBER_ENABLED) && !is_on && !deft__json_is(enabled, DEFT__JSON_FALSE)) {
        return fail_kind(draft, "enabled", enabled, "true or false");
    }
    if (has(draft, MEMBER_DISABLED) && has(draft, MEMBER_ENABLED) && is_off == is_on) {
        return deft__reader_fail(
            draft->reader, DEFT_CONFLICT, deft__json_offset(disabled),
            "%s: disabled (line %zu) and enabled (line %zu) contradict one another; keep one of "
            "them",
            draft->path, deft__reader_line(draft->reader, deft__json_offset(disabled)),
            deft__reader_line(draft->reader, deft__json_offset(enabled)));
    }
    draft->result.server.is_disabled = is_off || (has(draft, MEMBER_ENABLED) && !is_on);
    return DEFT_OK;
}

// Whether its tools are deferred: all of them, and one by one.
static deft_status read_deferral(server_draft *draft, size_t offset)
{
    const deft__json_value tools  = draft->members[MEMBER_TOOLS];
    deft_server_config    *server = &draft->result.server;
    char                   path[sizeof draft->path + 8];
    (void)snprintf(path, sizeof path, "%s.tools", draft->path);

    deft_status status = deft__deferral_read(draft->reader, draft->path, &draft->deferral,
                                             &server->is_defer_set, &server->is_deferred);
    if (!server->is_defer_set &&
        deft__json_string_equals(draft->members[MEMBER_DEFER_TOOLS], deft_view_of("never"))) {
        server->is_defer_set = true;
        server->is_deferred  = false;
    }
    if (status == DEFT_OK && deft__json_is(tools, DEFT__JSON_OBJECT)) {
        status = deft__read_rules(draft->reader, path, server->name, tools, &draft->result.rules,
                                  &draft->result.rule_count);
    } else if (status == DEFT_OK && has(draft, MEMBER_TOOLS) &&
               !deft__json_is(tools, DEFT__JSON_ARRAY)) {
        // An array is a list of tools that may be used: see server_use.c.
        status = fail_kind(draft, "tools", tools, "an object of tool names or patterns");
    }
    if (status == DEFT_OK && (server->is_defer_set || draft->result.rule_count > 0) &&
        deft__glob_is_pattern(server->name)) {
        status = deft__reader_fail(draft->reader, DEFT_INVALID, offset,
                                   "%s: a server with rules of its own has no * or ? in its name",
                                   draft->path);
    }
    return status;
}

static deft_status read_server(server_draft *draft, deft_view name, deft__json_iterator at)
{
    const size_t        offset = deft__json_offset(at.name);
    deft_server_config *server = &draft->result.server;
    server->name               = name;
    server->place              = draft->reader->source->name;
    server->line               = deft__reader_line(draft->reader, offset);
    server->raw = draft->reader->lines == NULL ? deft__json_raw(at.value) : deft_view_make(NULL, 0);

    deft_status status = collect(draft, at.value);
    if (status == DEFT_OK) {
        status = read_transport(draft, offset);
    }
    if (status == DEFT_OK) {
        status = read_environment(draft);
    }
    if (status == DEFT_OK) {
        status = read_headers(draft);
    }
    if (status == DEFT_OK && has(draft, MEMBER_DIRECTORY)) {
        status = read_text(draft, "cwd", draft->members[MEMBER_DIRECTORY], &server->directory);
    }
    if (status == DEFT_OK && has(draft, MEMBER_CA)) {
        status = read_text(draft, "ca", draft->members[MEMBER_CA], &server->ca);
    }
    if (status == DEFT_OK && deft__json_is(draft->members[MEMBER_LOGIN], DEFT__JSON_OBJECT)) {
        status = deft__server_login_read(draft->reader, draft->path, draft->members[MEMBER_LOGIN],
                                         &server->login);
    }
    if (status == DEFT_OK) {
        status = read_switches(draft);
    }
    if (status == DEFT_OK) {
        status = read_deferral(draft, offset);
    }
    if (status == DEFT_OK) {
        draft->use.type  = draft->members[MEMBER_TYPE];
        draft->use.tools = draft->members[MEMBER_TOOLS];
        status           = deft__server_use_read(draft->reader, draft->path, &draft->use, server);
    }
    if (status == DEFT_OK && has(draft, MEMBER_ENVIRONMENT_FILE)) {
        status = deft__reader_warn(
            draft->reader, deft__json_offset(draft->members[MEMBER_ENVIRONMENT_FILE]),
            "%s.envFile is not read; put its variables into env", draft->path);
    }
    return status;
}

// What the catalog can keep apart from other names: "::" stands between a server and a tool.
static bool is_server_name(deft_view name)
{
    bool is_good = name.size > 0 && name.size <= DEFT_NAME_SIZE_MAX;
    for (size_t i = 0; i < name.size; i++) {
        const unsigned char byte = (unsigned char)name.data[i];
        const bool is_separator  = byte == ':' && (i + 1 == name.size || name.data[i + 1] == ':');
        is_good                  = is_good && byte >= 0x20 && byte != 0x7F && !is_separator;
    }
    return is_good;
}

deft_status deft__read_servers(deft__reader *reader, const char *section, deft__json_value map)
{
    if (!deft__json_is(map, DEFT__JSON_OBJECT)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(map),
                                 "%s is %s; accepted: an object of servers", section,
                                 deft__json_kind_name(deft__json_kind_of(map)));
    }
    deft_status         status = deft__reader_check_duplicates(reader, map);
    deft__json_iterator i      = deft__json_iterate(map);
    while (status == DEFT_OK && deft__json_next(&i)) {
        server_draft draft = {.reader = reader};
        deft_view    name  = {NULL, 0};
        deft__quoted quoted;
        if (!deft__reader_string(reader, i.name, &name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        (void)snprintf(draft.path, sizeof draft.path, "%s.%s", section,
                       deft__reader_show(&quoted, name));
        if (reader->source->server_count == DEFT__CONFIG_SERVERS_MAX) {
            return deft__reader_fail(reader, DEFT_LIMIT, deft__json_offset(i.name),
                                     "more than %u servers", DEFT__CONFIG_SERVERS_MAX);
        } else if (!is_server_name(name)) {
            return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(i.name),
                                     "%s has a server called '%s'; accepted: 1 to %u bytes "
                                     "without :: and control characters",
                                     section, quoted.text, DEFT_NAME_SIZE_MAX);
        } else if (!deft__json_is(i.value, DEFT__JSON_OBJECT)) {
            return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(i.value),
                                     "%s is %s; accepted: an object", draft.path,
                                     deft__json_kind_name(deft__json_kind_of(i.value)));
        }
        status = read_server(&draft, name, i);
        if (status == DEFT_OK && !deft__source_add_server(reader->source, &draft.result)) {
            status = deft__fail_memory(reader->error);
        }
    }
    return status;
}
