// Which product a file belongs to is never asked: each top-level member is understood for itself,
// so a file may mix what five products write. Members that other programs are known to keep in
// the same file are passed over in silence; all else that is unknown is worth a warning.
#include "config/read.h"

#include "base/utf8.h"
#include "config/jsonc.h"

#include <stdarg.h>
#include <stdio.h>

size_t deft__reader_line(deft__reader *reader, size_t offset)
{
    if (!reader->has_lines) {
        return 0;
    }
    if (reader->lines != NULL) {
        size_t low  = 0;
        size_t high = reader->line_count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (reader->lines[middle].offset <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low > 0 ? reader->lines[low - 1].line : 1;
    }

    // Reading goes forward, so counting goes on from the last place; the few looks back (errors
    // and warnings) count from the start.
    const bool is_forward = offset >= reader->known_offset;
    size_t     at         = is_forward ? reader->known_offset : 0;
    size_t     line       = is_forward ? reader->known_line : 1;
    for (; at < offset && at < reader->text.size; at++) {
        line += reader->text.data[at] == '\n';
    }
    if (is_forward) {
        reader->known_offset = at;
        reader->known_line   = line;
    }
    return line;
}

// The end of a path says more than its start.
static const char *show_place(deft__quoted *quoted, deft_view name)
{
    const size_t size_max = 72;
    const size_t from     = name.size > size_max ? name.size - size_max : 0;
    return deft__quote(quoted, deft_view_slice(name, from, size_max));
}

const char *deft__reader_show(deft__quoted *quoted, deft_view text)
{
    const size_t size_max = 48;
    if (text.size <= size_max) {
        return deft__quote(quoted, text);
    }
    deft__quote(quoted, deft_view_slice(text, 0, deft__utf8_cut(text, size_max)));
    const size_t size = strlen(quoted->text);
    memcpy(quoted->text + size, "...", 4);
    return quoted->text;
}

deft_status deft__reader_fail(deft__reader *reader, deft_status status, size_t offset,
                              const char *format, ...)
{
    char         message[DEFT_ERROR_MESSAGE_SIZE];
    deft__quoted place;
    va_list      arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    const size_t line = deft__reader_line(reader, offset);
    if (reader->source->name.size == 0) {
        return deft__fail(reader->error, status, offset, "%s", message);
    } else if (line == 0) {
        return deft__fail(reader->error, status, offset, "%s: %s",
                          show_place(&place, reader->source->name), message);
    } else {
        return deft__fail(reader->error, status, offset, "%s:%zu: %s",
                          show_place(&place, reader->source->name), line, message);
    }
}

deft_status deft__reader_warn(deft__reader *reader, size_t offset, const char *format, ...)
{
    char    message[DEFT_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    if (!deft__source_warn(reader->source, deft__reader_line(reader, offset), message)) {
        return deft__fail_memory(reader->error);
    }
    return DEFT_OK;
}

bool deft__reader_is_full(const deft__reader *reader)
{
    return reader->source->warning_count > DEFT__WARNINGS_MAX;
}

bool deft__reader_string(deft__reader *reader, deft__json_value json, deft_view *text)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, reader->source->arena.allocator);
    const deft_view decoded = deft__json_string(json, &scratch);
    bool            is_done = scratch.status == DEFT_OK;
    if (is_done && scratch.size > 0) {
        is_done = deft__arena_copy(&reader->source->arena, decoded, text);
    } else if (is_done) {
        *text = decoded;
    }
    deft_buffer_clear(&scratch);
    if (!is_done) {
        deft__fail_memory(reader->error);
    }
    return is_done;
}

deft_status deft__reader_check_duplicates(deft__reader *reader, deft__json_value object)
{
    deft__json_value name;
    deft_status      status = DEFT_OK;
    deft__quoted     quoted;
    if (deft__json_find_duplicate(object, &name, &status)) {
        return deft__reader_warn(reader, deft__json_offset(name),
                                 "%s is there twice in one object; the last one counts",
                                 deft__reader_show(&quoted, deft__json_raw(name)));
    }
    return status == DEFT_OK ? DEFT_OK : deft__fail_memory(reader->error);
}

// The one of `names` that is `name`, or NULL.
static const char *find_name(deft_view name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (deft_view_equals(name, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

#define FIND_NAME(name, names) find_name((name), (names), sizeof(names) / sizeof((names)[0]))

static const char *const groups[]      = {"toolSearch", "tool_search"};
static const char *const server_maps[] = {"mcpServers", "servers", "mcp_servers",
                                          "context_servers"};

// What other programs keep at the top of the files that we read.
static const char *const foreign_members[] = {
    // any editor; VS Code
    "$schema",
    "inputs",
    // Claude Code
    "permissions",
    "hooks",
    "model",
    "apiKeyHelper",
    "statusLine",
    "outputStyle",
    "cleanupPeriodDays",
    "includeCoAuthoredBy",
    "attribution",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "disabledMcpjsonServers",
    "allowedMcpServers",
    "deniedMcpServers",
    "forceLoginMethod",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "alwaysThinkingEnabled",
    "sandbox",
    "language",
    "effortLevel",
    "projects",
    // Gemini CLI, Qwen Code
    "security",
    "privacy",
    "telemetry",
    "general",
    "ui",
    "ide",
    "tools",
    "context",
    "advanced",
    "experimental",
    "output",
    // opencode
    "autoupdate",
    "share",
    "small_model",
    "enabled_providers",
    "provider",
    "permission",
    "agent",
    "theme",
    "keybinds",
    "instructions",
    "formatter",
    "lsp",
};

static deft_status check_value_count(deft__reader *reader, size_t offset)
{
    if (reader->source->assignment_count >= DEFT__CONFIG_VALUES_MAX) {
        return deft__reader_fail(reader, DEFT_LIMIT, offset, "more than %u settings in one file",
                                 DEFT__CONFIG_VALUES_MAX);
    }
    return DEFT_OK;
}

// One value for a key; `path` names it as the file does.
static deft_status read_key(deft__reader *reader, deft__key_match match, deft_view path,
                            size_t object, deft__json_value json)
{
    const deft__key_info *info       = deft__key_info_of(match.key);
    const size_t          offset     = deft__json_offset(json);
    deft__assignment      assignment = {
             .rank   = DEFT__RANK_OWN,
             .line   = deft__reader_line(reader, offset),
             .name   = path,
             .object = object,
    };
    deft__quoted quoted_path;
    deft__quoted quoted_value;
    deft_status  status = check_value_count(reader, offset);
    if (status != DEFT_OK) {
        return status;
    }

    if (info->kind == DEFT__KIND_RULES && deft__json_is(json, DEFT__JSON_OBJECT)) {
        status = deft__read_rules(reader, info->name, deft_view_make(NULL, 0), json,
                                  &assignment.value.rules, &assignment.value.rule_count);
        if (status != DEFT_OK) {
            return status;
        }
    } else {
        status = deft__value_from_json(match.key, json, &reader->source->arena, &assignment.value);
    }
    if (status == DEFT_INVALID) {
        return deft__reader_fail(reader, DEFT_INVALID, offset, "%s is %s; accepted: %s",
                                 deft__reader_show(&quoted_path, path),
                                 deft__reader_show(&quoted_value, deft__json_raw(json)),
                                 info->accepts);
    } else if (status != DEFT_OK || !deft__source_add_value(reader->source, match, &assignment)) {
        return deft__fail_memory(reader->error);
    } else {
        return DEFT_OK;
    }
}

static deft_status warn_unknown(deft__reader *reader, deft__key_place place, deft_view name,
                                const char *group, size_t offset)
{
    if (deft__reader_is_full(reader)) {
        return DEFT_OK;
    }
    const char  *nearest = deft__key_nearest(place, name);
    deft__quoted quoted;
    const char  *shown = deft__reader_show(&quoted, name);
    if (nearest != NULL) {
        return deft__reader_warn(reader, offset, "unknown key %s%s; did you mean %s?", group, shown,
                                 nearest);
    } else {
        return deft__reader_warn(reader, offset, "unknown key %s%s", group, shown);
    }
}

static deft_status join_path(deft__reader *reader, deft_view group, deft_view name, deft_view *path)
{
    deft_buffer buffer;
    deft_buffer_init(&buffer, reader->source->arena.allocator);
    deft_buffer_append(&buffer, group);
    deft_buffer_append_byte(&buffer, '.');
    deft_buffer_append(&buffer, name);
    const bool is_done = buffer.status == DEFT_OK &&
                         deft__arena_copy(&reader->source->arena, deft_buffer_view(&buffer), path);
    deft_buffer_clear(&buffer);
    return is_done ? DEFT_OK : deft__fail_memory(reader->error);
}

// An object of keys inside another: `journal` at the top, `descriptions` in `toolSearch`. Under
// names that other programs use in their files, only what is nearly ours is worth a warning.
static deft_status read_keys(deft__reader *reader, deft__key_place place, deft_view group,
                             bool is_shared, deft__json_value json)
{
    const bool          is_inner = place == DEFT__PLACE_GROUP;
    deft_status         status   = deft__reader_check_duplicates(reader, json);
    deft__json_iterator i        = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft__key_match match;
        deft_view       member = {NULL, 0};
        deft_view       name   = {NULL, 0};
        deft_view       path   = {NULL, 0};
        if (!deft__reader_string(reader, i.name, &member)) {
            return DEFT_OUT_OF_MEMORY;
        }
        status = join_path(reader, group, member, &name);
        path   = name;
        if (status == DEFT_OK && is_inner) {
            status = join_path(reader, deft_view_of("toolSearch"), name, &path);
        }
        if (status != DEFT_OK) {
            return status;
        }
        if (deft_view_equals(name, "http.tokens")) {
            status = deft__read_tokens(reader, i.value);
        } else if (deft__key_find(place, name, &match)) {
            status = read_key(reader, match, path, deft__json_offset(json), i.value);
        } else if (deft__json_is(i.value, DEFT__JSON_OBJECT) && deft__key_is_group(place, name)) {
            status = read_keys(reader, place, name, is_shared, i.value); // http.tls; no deeper
        } else if (!is_shared || deft__key_nearest(place, name) != NULL) {
            status = warn_unknown(reader, place, name, is_inner ? "toolSearch." : "",
                                  deft__json_offset(i.name));
        }
    }
    return status;
}

// `toolSearch`: a bool, a word or an object of keys (E4).
static deft_status read_group(deft__reader *reader, deft_view group, deft__json_value json)
{
    if (!deft__json_is(json, DEFT__JSON_OBJECT)) {
        return read_key(reader, (deft__key_match){.key = DEFT__KEY_ENABLED}, group,
                        deft__json_offset(json), json);
    }
    reader->source->has_dictionary = true;
    deft_status         status     = deft__reader_check_duplicates(reader, json);
    deft__json_iterator i          = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft__key_match match;
        deft_view       name = {NULL, 0};
        deft_view       path = {NULL, 0};
        if (!deft__reader_string(reader, i.name, &name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        if (deft__key_find(DEFT__PLACE_GROUP, name, &match)) {
            status = join_path(reader, deft_view_of("toolSearch"), name, &path);
            if (status == DEFT_OK) {
                status = read_key(reader, match, path, deft__json_offset(json), i.value);
            }
        } else if (deft__key_is_group(DEFT__PLACE_GROUP, name) &&
                   deft__json_is(i.value, DEFT__JSON_OBJECT)) {
            status = read_keys(reader, DEFT__PLACE_GROUP, name, false, i.value);
        } else {
            status = warn_unknown(reader, DEFT__PLACE_GROUP, name, "toolSearch.",
                                  deft__json_offset(i.name));
        }
    }
    return status;
}

// One variable of Claude's `env` block. Variables that mean nothing to us are none of our
// business; their values may be secret.
static deft_status read_variable(deft__reader *reader, deft_view name, size_t object,
                                 deft__json_value json)
{
    deft__key_variable variable;
    if (!deft__key_find_variable(name, &variable)) {
        return DEFT_OK;
    }
    deft_view path = {NULL, 0};
    deft_view text = deft__json_raw(json);
    if (join_path(reader, deft_view_of("env"), name, &path) != DEFT_OK ||
        (deft__json_is(json, DEFT__JSON_STRING) && !deft__reader_string(reader, json, &text))) {
        return DEFT_OUT_OF_MEMORY;
    }
    if (text.size == 0) {
        return DEFT_OK;
    }
    const deft__key_info *info   = deft__key_info_of(variable.key);
    const size_t          offset = deft__json_offset(json);
    if (check_value_count(reader, offset) != DEFT_OK) {
        return DEFT_LIMIT;
    }
    deft__assignment assignment = {
        .rank   = variable.is_foreign ? 0 : DEFT__RANK_OWN,
        .line   = deft__reader_line(reader, offset),
        .name   = path,
        .object = object,
    };
    deft__quoted      quoted;
    const deft_status status = deft__value_from_text(variable.key, text, variable.is_true_on,
                                                     &reader->source->arena, &assignment.value);
    if (status == DEFT_INVALID) {
        return deft__reader_fail(reader, DEFT_INVALID, offset, "%.*s is %s; accepted: %s",
                                 (int)path.size, path.data,
                                 deft__reader_show(&quoted, deft__json_raw(json)), info->accepts);
    } else if (status != DEFT_OK ||
               !deft__source_add_value(reader->source, (deft__key_match){.key = variable.key},
                                       &assignment)) {
        return deft__fail_memory(reader->error);
    } else {
        return DEFT_OK;
    }
}

static deft_status read_environment(deft__reader *reader, deft__json_value json)
{
    deft_status         status = deft__reader_check_duplicates(reader, json);
    deft__json_iterator i      = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_view name = {NULL, 0};
        if (!i.is_object || !deft__reader_string(reader, i.name, &name)) {
            return i.is_object ? DEFT_OUT_OF_MEMORY : DEFT_OK;
        }
        status = read_variable(reader, name, deft__json_offset(json), i.value);
    }
    return status;
}

// `mcp` is VS Code's {"servers": ...} in its settings, opencode's map of servers, and something
// else in other programs.
static deft_status read_mcp(deft__reader *reader, deft__json_value json)
{
    const deft__json_value servers = deft__json_member(json, "servers");
    if (deft__json_is(servers, DEFT__JSON_OBJECT)) {
        return deft__read_servers(reader, "mcp.servers", servers);
    }
    deft__json_iterator i       = deft__json_iterate(json);
    bool                is_ours = false;
    while (deft__json_next(&i)) {
        const deft__json_value type = deft__json_member(i.value, "type");
        is_ours = is_ours || deft__json_string_equals(type, deft_view_of("local")) ||
                  deft__json_string_equals(type, deft_view_of("remote"));
    }
    return is_ours ? deft__read_servers(reader, "mcp", json) : DEFT_OK;
}

static bool has_dot(deft_view name)
{
    return name.size > 0 && memchr(name.data, '.', name.size) != NULL;
}

bool deft__is_claude_rule(deft_view text)
{
    static const char *const tools[] = {
        "Bash",  "Read",      "Edit",     "Write",     "MultiEdit",  "NotebookEdit", "NotebookRead",
        "Glob",  "Grep",      "LS",       "WebFetch",  "WebSearch",  "Task",         "Agent",
        "Skill", "TodoWrite", "TodoRead", "KillShell", "BashOutput", "SlashCommand", "ExitPlanMode",
    };
    return FIND_NAME(text, tools) != NULL || deft_view_starts_with(text, deft_view_of("mcp__")) ||
           (text.size > 0 && memchr(text.data, '(', text.size) != NULL);
}

bool deft__is_claude_allowing(deft__json_value permissions, size_t *own_count)
{
    static const char *const theirs[]  = {"ask", "defaultMode", "additionalDirectories",
                                          "disableBypassPermissionsMode"};
    bool                     is_theirs = false;
    *own_count                         = 0;
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++) {
        is_theirs =
            is_theirs || !deft__json_is(deft__json_member(permissions, theirs[i]), DEFT__JSON_NONE);
    }
    deft__json_iterator item = deft__json_iterate(deft__json_member(permissions, "allow"));
    while (deft__json_next(&item)) {
        const deft_view raw     = deft__json_raw(item.value);
        const deft_view text    = deft_view_slice(raw, 1, raw.size > 1 ? raw.size - 2 : 0);
        const bool      is_rule = deft__is_claude_rule(text);
        is_theirs               = is_theirs || is_rule;
        *own_count += is_rule ? 0 : 1;
    }
    return is_theirs;
}

// `permissions` at the top. What is denied is denied, whoever wrote it: a rule of Claude's fits no
// tool of a server. But what Claude allows would here shut out every tool there is.
static deft_status read_permissions(deft__reader *reader, deft__json_value json)
{
    const deft__json_value deny      = deft__json_member(json, "deny");
    size_t                 own_count = 0;
    deft_status            status    = DEFT_OK;
    if (!deft__is_claude_allowing(json, &own_count)) {
        return read_keys(reader, DEFT__PLACE_ROOT, deft_view_of("permissions"), true, json);
    }
    if (deft__json_is(deny, DEFT__JSON_ARRAY)) {
        status = read_key(reader, (deft__key_match){.key = DEFT__KEY_PERMISSIONS_DENY},
                          deft_view_of("permissions.deny"), deft__json_offset(json), deny);
    }
    if (status == DEFT_OK && own_count > 0) {
        // Better said than left to be believed.
        status = deft__reader_warn(reader, deft__json_offset(json),
                                   "permissions.allow is taken for Claude Code's and not read; put "
                                   "deft's into toolSearch.permissions");
    }
    return status;
}

// A member of PraisonAI's dictionary that stands at the top of a file.
static bool is_of_dictionary(deft_view name, deft__key key)
{
    return !has_dot(name) && key != DEFT__KEY_PRESET && key != DEFT__KEY_NO_MCP;
}

static deft_status read_member(deft__reader *reader, deft_view name, deft__json_iterator at,
                               size_t object)
{
    deft__key_match match;
    const char     *section = FIND_NAME(name, server_maps);
    if (FIND_NAME(name, groups) != NULL) {
        return read_group(reader, name, at.value);
    } else if (section != NULL) {
        return deft__read_servers(reader, section, at.value);
    } else if (deft_view_equals(name, "mcp")) {
        return read_mcp(reader, at.value);
    } else if (deft_view_equals(name, "env")) {
        return read_environment(reader, at.value);
    } else if (deft__key_find(DEFT__PLACE_ROOT, name, &match)) {
        reader->source->has_dictionary |= is_of_dictionary(name, match.key);
        return read_key(reader, match, name, object, at.value);
    } else if (deft__json_is(at.value, DEFT__JSON_OBJECT) &&
               deft__key_is_group(DEFT__PLACE_ROOT, name)) {
        return deft_view_equals(name, "permissions")
                   ? read_permissions(reader, at.value)
                   : read_keys(reader, DEFT__PLACE_ROOT, name, deft_view_equals(name, "hooks"),
                               at.value);
    } else if (FIND_NAME(name, foreign_members) != NULL || deft__reader_is_full(reader) ||
               (has_dot(name) && deft__key_nearest(DEFT__PLACE_ROOT, name) == NULL)) {
        // Dotted names are how Kiro and VS Code keep all of their settings in one file.
        return DEFT_OK;
    } else {
        return warn_unknown(reader, DEFT__PLACE_ROOT, name, "", deft__json_offset(at.name));
    }
}

// Containers that may be there twice; then the last one counts, as with any name.
static const char *const containers[] = {
    "toolSearch", "tool_search", "mcpServers", "servers", "context_servers", "mcp_servers", "mcp",
    "env",        "permissions", "hooks",      "journal", "gateway",         "http"};

#define CONTAINER_COUNT (sizeof containers / sizeof containers[0])

// Where the last one of each stands.
static void find_last_containers(deft__json_value root, size_t offsets[CONTAINER_COUNT])
{
    deft__json_iterator i = deft__json_iterate(root);
    while (deft__json_next(&i)) {
        for (size_t j = 0; j < CONTAINER_COUNT; j++) {
            if (deft__json_string_equals(i.name, deft_view_of(containers[j]))) {
                offsets[j] = deft__json_offset(i.value);
            }
        }
    }
}

static bool is_overridden(deft_view name, size_t offset, const size_t offsets[CONTAINER_COUNT])
{
    for (size_t j = 0; j < CONTAINER_COUNT; j++) {
        if (deft_view_equals(name, containers[j])) {
            return offset < offsets[j];
        }
    }
    return false;
}

static deft_status read_root(deft__reader *reader, deft__json_value root)
{
    if (!deft__json_is(root, DEFT__JSON_OBJECT)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(root),
                                 "the file holds %s; accepted: an object",
                                 deft__json_kind_name(deft__json_kind_of(root)));
    }
    size_t offsets[CONTAINER_COUNT] = {0};
    find_last_containers(root, offsets);
    deft_status         status = deft__reader_check_duplicates(reader, root);
    deft__json_iterator i      = deft__json_iterate(root);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_view name = {NULL, 0};
        if (!deft__reader_string(reader, i.name, &name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        if (!is_overridden(name, deft__json_offset(i.value), offsets)) {
            status = read_member(reader, name, i, deft__json_offset(root));
        }
    }
    return status;
}

static deft_status read_json(deft__reader *reader, bool is_value)
{
    const deft__json_limits limits = {.size_max   = 2 * DEFT__CONFIG_SIZE_MAX, // TOML may grow
                                      .depth_max  = DEFT__CONFIG_DEPTH_MAX,
                                      .tokens_max = DEFT__CONFIG_TOKENS_MAX};
    deft__json              document;
    deft_error              error = DEFT_ERROR_INIT;
    deft__json_init(&document, reader->source->arena.allocator);
    deft_status status = deft__json_parse(&document, reader->text, &limits, &error);
    if (status != DEFT_OK) {
        status = deft__reader_fail(reader, status, error.offset, "%s", error.message);
    } else if (is_value) {
        status = read_group(reader, deft_view_of("toolSearch"), deft__json_root(&document));
    } else {
        status = read_root(reader, deft__json_root(&document));
    }
    deft__json_clear(&document);
    return status;
}

static deft_status read_toml(deft__reader *reader, deft_view text)
{
    const deft_allocator *allocator = reader->source->arena.allocator;
    deft__toml_lines      lines     = {.allocator = allocator};
    deft_error            error     = DEFT_ERROR_INIT;
    deft_buffer           json;
    deft_buffer_init(&json, allocator);

    deft_status status = deft__toml_to_json(text, "mcp_servers", &json, &lines, &error);
    if (status != DEFT_OK) {
        reader->text = text; // for the line
        status       = deft__reader_fail(reader, status, error.offset, "%s", error.message);
    } else if (!deft__arena_copy(&reader->source->arena, deft_buffer_view(&json), &reader->text)) {
        status = deft__fail_memory(reader->error);
    } else {
        reader->lines      = lines.items;
        reader->line_count = lines.count;
        status             = read_json(reader, false);
    }
    deft_buffer_clear(&json);
    deft__toml_lines_clear(&lines);
    return status;
}

static bool is_blank(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (memchr(" \t\r\n", text.data[i], 4) == NULL) {
            return false;
        }
    }
    return true;
}

static bool is_named_toml(deft_view name)
{
    return name.size >= 5 && memcmp(name.data + name.size - 5, ".toml", 5) == 0;
}

deft_status deft__read(deft__source *source, deft_view text, bool is_value, deft_error *error)
{
    deft__reader reader = {
        .source = source, .error = error, .has_lines = !is_value, .text = text, .known_line = 1};
    if (text.size > DEFT__CONFIG_SIZE_MAX) {
        reader.has_lines = false;
        return deft__reader_fail(&reader, DEFT_LIMIT, 0, "%zu bytes, with a limit of %u", text.size,
                                 DEFT__CONFIG_SIZE_MAX);
    }
    if (!is_value && (is_named_toml(source->name) || deft__toml_is_likely(text))) {
        return read_toml(&reader, text);
    }

    char *copy = deft__arena_alloc(&source->arena, text.size + 1);
    if (copy == NULL) {
        return deft__fail_memory(error);
    }
    if (text.size > 0) {
        memcpy(copy, text.data, text.size);
    }
    reader.text = deft_view_make(copy, text.size);
    if (!is_value) {
        deft_error  comment = DEFT_ERROR_INIT;
        deft_status status  = deft__jsonc_blank(copy, text.size, &comment);
        if (status != DEFT_OK) {
            return deft__reader_fail(&reader, status, comment.offset, "%s", comment.message);
        } else if (is_blank(reader.text)) {
            return DEFT_OK; // an empty file sets nothing
        }
    }
    return read_json(&reader, is_value);
}
