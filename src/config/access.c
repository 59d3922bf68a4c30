// Tokens of agents that come over HTTP, as http.tokens has them. What is wrong here would open a door
// or shut out someone, so nothing is guessed: a member that is not known is an error, and so is a
// list that allows nothing. Messages never show a digest.
#include "config/read.h"
#include "config/resolve.h"

#include <stdio.h>

#define NAME_SIZE_MAX    64u
#define PATTERN_SIZE_MAX 256u
#define LIMIT_MAX        1000000u

#define MEMBERS                                                                                    \
    "name, sha256, servers, tools, deny, callsPerMinute, concurrentCalls, sessions, expires"

// One token while it is read.
typedef struct token_draft {
    deft__reader     *reader;
    char              path[96]; // "http.tokens[2]"
    deft_token_config result;
    bool              has_digest;
} token_draft;

static deft_status fail_value(token_draft *draft, deft__json_value json, const char *member,
                              const char *accepted)
{
    return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(json),
                             "%s.%s: accepted: %s", draft->path, member, accepted);
}

static bool is_name(deft_view name)
{
    bool is_good = name.size > 0 && name.size <= NAME_SIZE_MAX;
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i];
        is_good      = is_good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
    }
    return is_good;
}

bool deft_token_name_is_valid(deft_view name)
{
    return is_name(name);
}

static deft_status read_name(token_draft *draft, deft__json_value json)
{
    if (!deft__json_is(json, DEFT__JSON_STRING)) {
        return fail_value(draft, json, "name", DEFT_TOKEN_NAME_ACCEPTS);
    }
    if (!deft__reader_string(draft->reader, json, &draft->result.name)) {
        return DEFT_OUT_OF_MEMORY;
    }
    return is_name(draft->result.name) ? DEFT_OK
                                       : fail_value(draft, json, "name", DEFT_TOKEN_NAME_ACCEPTS);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static deft_status read_digest(token_draft *draft, deft__json_value json)
{
    const deft_view raw = deft__json_raw(json);
    bool            is_good =
        deft__json_is(json, DEFT__JSON_STRING) && raw.size == 2 * sizeof draft->result.sha256 + 2;
    for (size_t i = 0; is_good && i < sizeof draft->result.sha256; i++) {
        const int high          = digit_of(raw.data[1 + 2 * i]);
        const int low           = digit_of(raw.data[2 + 2 * i]);
        is_good                 = high >= 0 && low >= 0;
        draft->result.sha256[i] = (uint8_t)(is_good ? high * 16 + low : 0);
    }
    draft->has_digest = is_good;
    return is_good ? DEFT_OK
                   : fail_value(draft, json, "sha256",
                                "the SHA-256 of the token, 64 hexadecimal digits; 'deft token "
                                "new' makes one");
}

static deft_status read_patterns(token_draft *draft, deft__json_value json, const char *member,
                                 const deft_view **patterns, size_t *count)
{
    static const char accepted[] = "an array of names or patterns with *; leave it out for all";
    deft_view        *items      = NULL;
    if (!deft__json_is(json, DEFT__JSON_ARRAY) || deft__json_count(json) == 0 ||
        deft__json_count(json) > DEFT__CONFIG_PATTERNS_MAX) {
        return fail_value(draft, json, member, accepted);
    }
    items = deft__arena_array(&draft->reader->source->arena, deft__json_count(json), sizeof *items);
    if (items == NULL) {
        return deft__fail_memory(draft->reader->error);
    }
    deft__json_iterator i = deft__json_iterate(json);
    for (*count = 0; deft__json_next(&i); (*count)++) {
        if (!deft__json_is(i.value, DEFT__JSON_STRING)) {
            return fail_value(draft, i.value, member, accepted);
        }
        if (!deft__reader_string(draft->reader, i.value, &items[*count])) {
            return DEFT_OUT_OF_MEMORY;
        }
        if (items[*count].size == 0 || items[*count].size > PATTERN_SIZE_MAX) {
            return fail_value(draft, i.value, member, accepted);
        }
    }
    *patterns = items;
    return DEFT_OK;
}

static deft_status read_limit(token_draft *draft, deft__json_value json, const char *member,
                              uint32_t *limit)
{
    int64_t number = 0;
    if (deft__json_int64(json, &number) != DEFT_OK || number < 1 || number > LIMIT_MAX) {
        return fail_value(draft, json, member,
                          "a whole number from 1 to 1000000; leave it out for no limit");
    }
    *limit = (uint32_t)number;
    return DEFT_OK;
}

// --- Dates. ---

static bool read_digits(deft_view text, size_t at, size_t count, int64_t *number)
{
    *number = 0;
    for (size_t i = at; i < at + count; i++) {
        if (i >= text.size || text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        *number = *number * 10 + (text.data[i] - '0');
    }
    return true;
}

// Days from 1970-01-01 to a day of the Gregorian calendar. Years begin in March here, so that the
// day that some of them have more is their last (Howard Hinnant, "chrono-compatible low-level date
// algorithms").
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2 ? 1 : 0;
    const int64_t era         = year / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

static int64_t days_in(int64_t year, int64_t month)
{
    static const int64_t days[]  = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool           is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

bool deft_config_parse_date(deft_view text, int64_t *seconds)
{
    int64_t    year   = 0;
    int64_t    month  = 0;
    int64_t    day    = 0;
    int64_t    hour   = 0;
    int64_t    minute = 0;
    int64_t    second = 0;
    const bool is_day = read_digits(text, 0, 4, &year) && text.size >= 10 && text.data[4] == '-' &&
                        read_digits(text, 5, 2, &month) && text.data[7] == '-' &&
                        read_digits(text, 8, 2, &day) && year >= 1970 && month >= 1 &&
                        month <= 12 && day >= 1 && day <= days_in(year, month);
    const bool is_moment = text.size == 20 && text.data[10] == 'T' && text.data[13] == ':' &&
                           text.data[16] == ':' && text.data[19] == 'Z' &&
                           read_digits(text, 11, 2, &hour) && read_digits(text, 14, 2, &minute) &&
                           read_digits(text, 17, 2, &second) && hour < 24 && minute < 60 &&
                           second < 60;
    if (!is_day || (text.size != 10 && !is_moment)) {
        return false;
    }
    *seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    return true;
}

static deft_status read_expiry(token_draft *draft, deft__json_value json)
{
    const deft_view raw = deft__json_raw(json);
    if (!deft__json_is(json, DEFT__JSON_STRING) || raw.size < 2 ||
        !deft_config_parse_date(deft_view_slice(raw, 1, raw.size - 2), &draft->result.expires_s)) {
        return fail_value(draft, json, "expires",
                          "a day, \"2027-01-31\", or a moment, \"2027-01-31T12:00:00Z\"");
    }
    return DEFT_OK;
}

// --- One token. ---

static deft_status read_member(token_draft *draft, deft_view name, deft__json_iterator at)
{
    deft_token_config *result = &draft->result;
    deft__quoted       quoted;
    if (deft_view_equals(name, "name")) {
        return read_name(draft, at.value);
    } else if (deft_view_equals(name, "sha256")) {
        return read_digest(draft, at.value);
    } else if (deft_view_equals(name, "servers")) {
        return read_patterns(draft, at.value, "servers", &result->servers, &result->server_count);
    } else if (deft_view_equals(name, "tools")) {
        return read_patterns(draft, at.value, "tools", &result->tools, &result->tool_count);
    } else if (deft_view_equals(name, "deny")) {
        return read_patterns(draft, at.value, "deny", &result->denied, &result->denied_count);
    } else if (deft_view_equals(name, "callsPerMinute")) {
        return read_limit(draft, at.value, "callsPerMinute", &result->calls_per_minute);
    } else if (deft_view_equals(name, "concurrentCalls")) {
        return read_limit(draft, at.value, "concurrentCalls", &result->concurrent_calls);
    } else if (deft_view_equals(name, "sessions")) {
        return read_limit(draft, at.value, "sessions", &result->sessions);
    } else if (deft_view_equals(name, "expires")) {
        return read_expiry(draft, at.value);
    } else {
        return deft__reader_fail(draft->reader, DEFT_INVALID, deft__json_offset(at.name),
                                 "%s: '%s' is not known; accepted: " MEMBERS, draft->path,
                                 deft__reader_show(&quoted, name));
    }
}

static deft_status read_token(token_draft *draft, deft__json_value json)
{
    deft__reader *reader = draft->reader;
    if (!deft__json_is(json, DEFT__JSON_OBJECT)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(json),
                                 "%s is %s; accepted: an object with " MEMBERS, draft->path,
                                 deft__json_kind_name(deft__json_kind_of(json)));
    }
    deft_status         status = deft__reader_check_duplicates(reader, json);
    deft__json_iterator i      = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_view name = {NULL, 0};
        if (!deft__reader_string(reader, i.name, &name)) {
            return DEFT_OUT_OF_MEMORY;
        }
        status = read_member(draft, name, i);
    }
    if (status == DEFT_OK && (draft->result.name.size == 0 || !draft->has_digest)) {
        status = deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(json),
                                   "%s needs a name and a sha256", draft->path);
    }
    return status;
}

deft_status deft__read_tokens(deft__reader *reader, deft__json_value list)
{
    deft__source *source = reader->source;
    source->has_tokens   = true;
    if (!deft__json_is(list, DEFT__JSON_ARRAY) ||
        deft__json_count(list) > DEFT__CONFIG_ACCESS_MAX) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(list),
                                 "http.tokens: accepted: an array of at most %u tokens",
                                 DEFT__CONFIG_ACCESS_MAX);
    }
    source->tokens =
        deft__arena_array(&source->arena, deft__json_count(list) + 1, sizeof *source->tokens);
    source->token_count = 0;
    if (source->tokens == NULL) {
        return deft__fail_memory(reader->error);
    }
    deft__json_iterator i = deft__json_iterate(list);
    while (deft__json_next(&i)) {
        token_draft draft = {
            .reader = reader,
            .result = {.place = source->name,
                       .line  = deft__reader_line(reader, deft__json_offset(i.value))}};
        (void)snprintf(draft.path, sizeof draft.path, "http.tokens[%zu]", source->token_count);
        const deft_status status = read_token(&draft, i.value);
        if (status != DEFT_OK) {
            return status;
        }
        for (size_t j = 0; j < source->token_count; j++) {
            if (deft_view_equal(source->tokens[j].name, draft.result.name)) {
                return deft__reader_fail(reader, DEFT_CONFLICT, deft__json_offset(i.value),
                                         "two tokens are called '%.*s'",
                                         (int)draft.result.name.size, draft.result.name.data);
            }
        }
        source->tokens[source->token_count++] = draft.result;
    }
    return DEFT_OK;
}

// --- All of them. ---

static deft_status check_digests(const deft_token_config *tokens, size_t count, deft_error *error)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (memcmp(tokens[i].sha256, tokens[j].sha256, sizeof tokens[i].sha256) == 0) {
                return deft__fail(
                    error, DEFT_CONFLICT, 0,
                    "the tokens '%.*s' and '%.*s' have the same sha256; which is meant "
                    "could not be told",
                    (int)tokens[i].name.size, tokens[i].name.data, (int)tokens[j].name.size,
                    tokens[j].name.data);
            }
        }
    }
    return DEFT_OK;
}

deft_status deft__resolve_tokens(deft__source *const *sources, size_t source_count,
                                 deft__resolved *resolved, deft_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < source_count; i++) {
        count += sources[i]->token_count;
        resolved->has_tokens = resolved->has_tokens || sources[i]->has_tokens;
    }
    deft_token_config *tokens = deft__arena_array(&resolved->arena, count + 1, sizeof *tokens);
    if (tokens == NULL) {
        return deft__fail_memory(error);
    }
    for (size_t i = 0; i < source_count; i++) {
        for (size_t j = 0; j < sources[i]->token_count; j++) {
            size_t place = 0;
            while (place < resolved->token_count &&
                   !deft_view_equal(tokens[place].name, sources[i]->tokens[j].name)) {
                place++;
            }
            if (place == DEFT__CONFIG_ACCESS_MAX) {
                return deft__fail(error, DEFT_LIMIT, 0, "more than %u tokens in all files together",
                                  DEFT__CONFIG_ACCESS_MAX);
            }
            resolved->token_count += place == resolved->token_count ? 1 : 0;
            tokens[place] = sources[i]->tokens[j];
        }
    }
    resolved->tokens = tokens;
    return check_digests(tokens, resolved->token_count, error);
}
