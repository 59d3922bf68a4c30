// What a server's entry says of its use. Products agree on what to say and differ in words and units.
#include "config/number.h"
#include "config/read.h"

static const struct {
    const char      *name;
    deft__use_member member;
} names[] = {
    {"timeout", DEFT__USE_TIMEOUT},
    {"callTimeoutMs", DEFT__USE_CALL_TIMEOUT_MS},
    {"startTimeoutMs", DEFT__USE_START_TIMEOUT_MS},
    {"startup_timeout_ms", DEFT__USE_START_TIMEOUT_MS}, // Codex, as the next two
    {"startup_timeout_sec", DEFT__USE_START_TIMEOUT_SECONDS},
    {"tool_timeout_sec", DEFT__USE_CALL_TIMEOUT_SECONDS},
    {"era", DEFT__USE_ERA},
    {"includeTools", DEFT__USE_INCLUDED}, // Gemini CLI, Qwen Code
    {"excludeTools", DEFT__USE_EXCLUDED},
    {"enabled_tools", DEFT__USE_INCLUDED}, // Codex
    {"disabled_tools", DEFT__USE_EXCLUDED},
    {"disabledTools", DEFT__USE_EXCLUDED}, // Kiro
    {"autoApprove", DEFT__USE_APPROVALS},  // Cline, Kiro
    {"alwaysAllow", DEFT__USE_APPROVALS},  // Roo
};

#define NAME_COUNT  (sizeof names / sizeof names[0])
#define TIME_MS_MAX 1000000000000u

const char *deft__server_use_name(size_t index)
{
    return index < NAME_COUNT ? names[index].name : NULL;
}

bool deft__server_use_take(deft__server_use *use, deft_view name, deft__json_value value)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (deft_view_equals(name, names[i].name)) {
            use->members[names[i].member] = value;
            use->names[names[i].member]   = names[i].name;
            return true;
        }
    }
    return false;
}

// What is read, and how it is told.
typedef struct use_reader {
    deft__reader           *reader;
    const char             *path;
    const deft__server_use *use;
} use_reader;

static bool has(const use_reader *from, deft__use_member member)
{
    return from->use->members[member].document != NULL;
}

// A time in units of `unit_ms`; fractions are fine. Nothing changes where the member is not there.
static deft_status read_time(use_reader *from, deft__use_member member, uint64_t unit_ms,
                             uint64_t *time_ms)
{
    const deft__json_value json     = from->use->members[member];
    uint64_t               milli    = 0; // of a unit
    bool                   is_whole = false;
    if (!has(from, member)) {
        return DEFT_OK;
    }
    if (!deft__json_is(json, DEFT__JSON_NUMBER) ||
        !deft__number_parse(deft__json_raw(json), 3, &milli, &is_whole) || milli == 0 ||
        milli > TIME_MS_MAX) {
        return deft__reader_fail(from->reader, DEFT_INVALID, deft__json_offset(json),
                                 "%s.%s is no time; accepted: a number above 0", from->path,
                                 from->use->names[member]);
    }
    *time_ms = milli * unit_ms >= 1000 ? milli * unit_ms / 1000 : 1;
    return DEFT_OK;
}

// `timeout` is in seconds for Cline and Roo (an hour at most, and they keep their approvals beside
// it), in milliseconds for everyone else (Kiro, Gemini CLI, Qwen Code, Claude Code, opencode), where
// less than a second is no use to anyone. opencode means how long the server may take to show its
// tools, the others a call.
static deft_status read_timeout(use_reader *from, deft_server_config *server)
{
    const bool is_opencode = deft__json_string_equals(from->use->type, deft_view_of("local")) ||
                             deft__json_string_equals(from->use->type, deft_view_of("remote"));
    const uint64_t    seconds_max = has(from, DEFT__USE_APPROVALS) ? 3600 : 999;
    uint64_t          time        = 0;
    const deft_status status      = read_time(from, DEFT__USE_TIMEOUT, 1, &time);
    if (status != DEFT_OK) {
        return status;
    }
    const uint64_t time_ms = time <= seconds_max ? 1000 * time : time;
    if (is_opencode) {
        server->start_timeout_ms = time_ms;
    } else {
        server->call_timeout_ms = time_ms;
    }
    return DEFT_OK;
}

static deft_status read_times(use_reader *from, deft_server_config *server)
{
    const struct {
        deft__use_member member;
        uint64_t         unit_ms;
        uint64_t        *time_ms;
    } times[] = {
        {DEFT__USE_START_TIMEOUT_SECONDS, 1000, &server->start_timeout_ms},
        {DEFT__USE_START_TIMEOUT_MS, 1, &server->start_timeout_ms},
        {DEFT__USE_CALL_TIMEOUT_SECONDS, 1000, &server->call_timeout_ms},
        {DEFT__USE_CALL_TIMEOUT_MS, 1, &server->call_timeout_ms},
    };
    deft_status status = read_timeout(from, server);
    for (size_t i = 0; i < sizeof times / sizeof times[0] && status == DEFT_OK; i++) {
        status = read_time(from, times[i].member, times[i].unit_ms, times[i].time_ms);
    }
    return status;
}

static deft_status read_era(use_reader *from, deft_server_config *server)
{
    static const struct {
        const char *word;
        deft_era    era;
    } words[] = {{"auto", DEFT_ERA_AUTO}, {"legacy", DEFT_ERA_LEGACY}, {"modern", DEFT_ERA_MODERN}};

    const deft__json_value json = from->use->members[DEFT__USE_ERA];
    deft_view              word = {NULL, 0};
    deft__quoted           quoted;
    if (!has(from, DEFT__USE_ERA)) {
        return DEFT_OK;
    }
    if (deft__json_is(json, DEFT__JSON_STRING) && !deft__reader_string(from->reader, json, &word)) {
        return DEFT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (deft__value_is_word(word, words[i].word)) {
            server->era = words[i].era;
            return DEFT_OK;
        }
    }
    return deft__reader_fail(from->reader, DEFT_INVALID, deft__json_offset(json),
                             "%s.era is %s; accepted: auto, legacy or modern", from->path,
                             deft__reader_show(&quoted, deft__json_raw(json)));
}

static deft_status fail_names(use_reader *from, const char *name, deft__json_value json)
{
    return deft__reader_fail(from->reader, DEFT_INVALID, deft__json_offset(json),
                             "%s.%s has %s; accepted: an array of tool names or patterns",
                             from->path, name, deft__json_kind_name(deft__json_kind_of(json)));
}

// Names of tools. Gemini CLI may write name(arguments): the name is what counts.
static deft_status read_names(use_reader *from, const char *name, deft__json_value json,
                              const deft_view **list, size_t *count)
{
    if (!deft__json_is(json, DEFT__JSON_ARRAY)) {
        return fail_names(from, name, json);
    }
    deft__arena *arena  = &from->reader->source->arena;
    deft_view   *items  = deft__arena_array(arena, deft__json_count(json) + 1, sizeof *items);
    size_t       filled = 0;
    if (items == NULL) {
        return deft__fail_memory(from->reader->error);
    }
    deft__json_iterator i = deft__json_iterate(json);
    while (deft__json_next(&i)) {
        deft_view *item = &items[filled];
        if (!deft__json_is(i.value, DEFT__JSON_STRING)) {
            return fail_names(from, name, i.value);
        } else if (!deft__reader_string(from->reader, i.value, item)) {
            return DEFT_OUT_OF_MEMORY;
        }
        const char *open = item->size > 0 ? memchr(item->data, '(', item->size) : NULL;
        item->size       = open != NULL ? (size_t)(open - item->data) : item->size;
        filled += item->size > 0 ? 1 : 0;
    }
    *list  = items;
    *count = filled;
    return DEFT_OK;
}

// An array called `tools` is how Copilot lists what may be used.
static deft_status read_tool_lists(use_reader *from, deft_server_config *server)
{
    const deft__server_use *use    = from->use;
    deft_server_tools      *tools  = &server->tools;
    deft_status             status = DEFT_OK;
    tools->server                  = server->name;
    if (has(from, DEFT__USE_INCLUDED)) {
        tools->is_included_set = true;
        status = read_names(from, use->names[DEFT__USE_INCLUDED], use->members[DEFT__USE_INCLUDED],
                            &tools->included, &tools->included_count);
    } else if (deft__json_is(use->tools, DEFT__JSON_ARRAY)) {
        tools->is_included_set = true;
        status = read_names(from, "tools", use->tools, &tools->included, &tools->included_count);
    }
    if (status == DEFT_OK && has(from, DEFT__USE_EXCLUDED)) {
        status = read_names(from, use->names[DEFT__USE_EXCLUDED], use->members[DEFT__USE_EXCLUDED],
                            &tools->excluded, &tools->excluded_count);
    }
    return status;
}

deft_status deft__server_use_read(deft__reader *reader, const char *path,
                                  const deft__server_use *use, deft_server_config *server)
{
    use_reader  from   = {reader, path, use};
    deft_status status = read_times(&from, server);
    if (status == DEFT_OK) {
        status = read_era(&from, server);
    }
    return status == DEFT_OK ? read_tool_lists(&from, server) : status;
}
