// deft token: makes tokens for agents that come over HTTP, lists them and takes them away. A token is
// shown once, when it is made; the configuration keeps its SHA-256.
#include "base/fail.h"
#include "cli/discovery.h"
#include "cli/files.h"
#include "cli/table.h"
#include "cli/text.h"
#include "crypto/digest.h"
#include "json/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define PREFIX       "deft_" // so that scanners for secrets can know one
#define RANDOM_BYTES 32u
#define TOKEN_SIZE   (sizeof PREFIX - 1 + 2 * RANDOM_BYTES)
#define PATTERNS_MAX 64u

static void append_hex(char *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        out[2 * i]     = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

// --- Files. --------------------------------------------------------------------------------------

// Where a token goes: the file named with --config, else the user's, which every gateway reads.
static bool file_to_write(const deft__cli *cli, deft_buffer *path)
{
    const char *named = deft__invocation_value(&cli->invocation, DEFT__FLAG_CONFIG);
    if (named != NULL) {
        deft_buffer_append_text(path, named);
        deft_buffer_append_byte(path, '\0');
    } else if (!deft__user_file(path)) {
        deft__complain(&cli->output, "there is no home directory to write to; set HOME");
        return false;
    }
    return path->status == DEFT_OK;
}

static deft_status read_text(const char *path, deft_buffer *text, deft_error *error)
{
    const deft_status status =
        deft__file_read(path, DEFT__CONFIG_FILE_SIZE_MAX, "settings as JSON", text, error);
    return status == DEFT_NOT_FOUND || deft__file_is_empty(path) ? DEFT_OK : status;
}

// Puts the new text in place, if the file is understood with it.
static deft_status replace(const char *path, const deft_buffer *text, deft_error *error)
{
    const deft_status status = deft__config_check_text(path, deft_buffer_view(text), error);
    return status == DEFT_OK ? deft__file_replace(path, deft_buffer_view(text), error) : status;
}

// --- new -----------------------------------------------------------------------------------------

static size_t read_patterns(const deft__cli *cli, deft__flag_id flag,
                            deft_view patterns[PATTERNS_MAX])
{
    size_t      at    = 0;
    size_t      count = 0;
    const char *value;
    while (count < PATTERNS_MAX &&
           (value = deft__invocation_next(&cli->invocation, flag, &at)) != NULL) {
        patterns[count++] = deft_view_of(value);
    }
    return count;
}

static uint32_t read_limit(const deft__cli *cli, deft__flag_id flag)
{
    const char *value  = deft__invocation_value(&cli->invocation, flag);
    uint64_t    number = 0;
    (void)(value != NULL && deft__parse_u64(deft_view_of(value), &number));
    return (uint32_t)number; // its bounds were checked with the flag's
}

// "90d", or a date as the configuration has it, into `text`. False after complaining.
static bool read_expiry(const deft__cli *cli, char text[24], deft_view *expires)
{
    const char *value = deft__invocation_value(&cli->invocation, DEFT__FLAG_EXPIRES);
    *expires          = deft_view_of(value);
    if (value == NULL) {
        return true;
    }
    uint64_t     days = 0;
    int64_t      moment;
    const size_t size = strlen(value);
    if (size > 1 && value[size - 1] == 'd' &&
        deft__parse_u64(deft_view_make(value, size - 1), &days) && days > 0 && days <= 36500) {
        const time_t until = time(NULL) + (time_t)days * 86400;
        struct tm    parts;
        gmtime_r(&until, &parts);
        *expires = deft_view_make(text, strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &parts));
        return true;
    }
    if (deft_config_parse_date(*expires, &moment)) {
        return true;
    }
    deft__complain(&cli->output,
                   "--expires '%s': days such as 90d, or a date such as 2027-01-31, are wanted",
                   value);
    return false;
}

static bool make_token(char token[TOKEN_SIZE + 1], deft_token_config *config)
{
    unsigned char bytes[RANDOM_BYTES];
    deft__digest  digest;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    memcpy(token, PREFIX, sizeof PREFIX - 1);
    append_hex(token + sizeof PREFIX - 1, bytes, sizeof bytes);
    token[TOKEN_SIZE] = '\0';
    deft__wipe(bytes, sizeof bytes);
    if (!deft__sha256(deft_view_make(token, TOKEN_SIZE), &digest)) {
        return false;
    }
    memcpy(config->sha256, digest.bytes, sizeof config->sha256);
    return true;
}

static void print_made(deft__cli *cli, const char *name, const char *token, const char *path)
{
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft_buffer       text;
        deft__json_writer json;
        deft_buffer_init(&text, NULL);
        deft__json_writer_init(&json, &text);
        deft__json_begin_object(&json);
        deft__json_name(&json, "name");
        deft__json_write_text(&json, name);
        deft__json_name(&json, "token");
        deft__json_write_text(&json, token);
        deft__json_name(&json, "file");
        deft__json_write_text(&json, path);
        deft__json_end_object(&json);
        deft__print_result(&cli->output, &text);
    } else {
        deft__print(&cli->output, token);
        deft__print(&cli->output, "\n");
    }
    deft__note(&cli->output, "its SHA-256 is in %s; the token itself is shown this once", path);
}

// Into the file that is to be written, and then to whoever asked for it.
static int write_token(deft__cli *cli, deft_token_config *config, deft_view expires)
{
    char        token[TOKEN_SIZE + 1];
    deft_error  error  = DEFT_ERROR_INIT;
    deft_status status = DEFT_OK;
    deft_buffer path;
    deft_buffer before;
    deft_buffer after;
    deft_buffer_init(&path, NULL);
    deft_buffer_init(&before, NULL);
    deft_buffer_init(&after, NULL);
    const bool has_file = file_to_write(cli, &path); // or it has said why not
    if (has_file) {
        status = make_token(token, config)
                     ? read_text(path.data, &before, &error)
                     : deft__fail(&error, DEFT_INVALID, 0, "there is no randomness");
        if (status == DEFT_OK) {
            status =
                deft_config_add_token(deft_buffer_view(&before), config, expires, &after, &error);
        }
        if (status == DEFT_OK) {
            status = replace(path.data, &after, &error);
        }
        if (status == DEFT_OK) {
            print_made(cli, cli->invocation.operands[1], token, path.data);
        } else {
            deft__complain(&cli->output, "%s", error.message);
        }
        deft__wipe(token, sizeof token);
    }
    deft_buffer_clear(&after);
    deft_buffer_clear(&before);
    deft_buffer_clear(&path);
    return has_file && status == DEFT_OK ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

static int make(deft__cli *cli, const char *name)
{
    deft_view         servers[PATTERNS_MAX];
    deft_view         tools[PATTERNS_MAX];
    deft_view         denied[PATTERNS_MAX];
    char              until[24];
    deft_view         expires;
    deft_token_config config = {
        .name             = deft_view_of(name),
        .servers          = servers,
        .server_count     = read_patterns(cli, DEFT__FLAG_SERVER, servers),
        .tools            = tools,
        .tool_count       = read_patterns(cli, DEFT__FLAG_TOOL, tools),
        .denied           = denied,
        .denied_count     = read_patterns(cli, DEFT__FLAG_DENY, denied),
        .calls_per_minute = read_limit(cli, DEFT__FLAG_CALLS_PER_MINUTE),
        .concurrent_calls = read_limit(cli, DEFT__FLAG_CONCURRENT_CALLS),
        .sessions         = read_limit(cli, DEFT__FLAG_SESSIONS),
    };
    if (!deft_token_name_is_valid(config.name)) {
        deft__complain(&cli->output, "'%s' is no name for a token; accepted: %s", name,
                       DEFT_TOKEN_NAME_ACCEPTS);
        return DEFT__EXIT_WRONG;
    }
    if (!read_expiry(cli, until, &expires)) {
        return DEFT__EXIT_WRONG;
    }
    return write_token(cli, &config, expires);
}

// --- list ----------------------------------------------------------------------------------------

static void append_patterns(deft_buffer *out, const deft_view *patterns, size_t count,
                            const char *none)
{
    deft_buffer_reset(out);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(out, i > 0 ? "," : "");
        deft_buffer_append(out, patterns[i]);
    }
    deft_buffer_append_text(out, count == 0 ? none : "");
}

static void append_limit(deft_buffer *out, uint32_t limit)
{
    deft_buffer_reset(out);
    if (limit == 0) {
        deft_buffer_append_text(out, "-");
    } else {
        deft_buffer_append_u64(out, limit);
    }
}

static void append_expiry(deft_buffer *out, int64_t expires_s, int64_t now_s)
{
    char         text[24] = "never";
    const time_t until    = (time_t)expires_s;
    struct tm    parts;
    if (expires_s != 0) {
        gmtime_r(&until, &parts);
        (void)strftime(text, sizeof text, "%Y-%m-%d", &parts);
    }
    deft_buffer_reset(out);
    deft_buffer_append_text(out, text);
    deft_buffer_append_text(out, expires_s != 0 && expires_s <= now_s ? " (over)" : "");
}

static void write_patterns(deft__json_writer *json, const char *name, const deft_view *patterns,
                           size_t count)
{
    deft__json_name(json, name);
    deft__json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        deft__json_write_string(json, patterns[i]);
    }
    deft__json_end_array(json);
}

static void write_limit(deft__json_writer *json, const char *name, uint32_t limit)
{
    if (limit > 0) {
        deft__json_name(json, name);
        deft__json_write_uint64(json, limit);
    }
}

static void print_json(deft__cli *cli, const deft_config *config)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_array(&json);
    for (size_t i = 0; i < deft_config_token_count(config); i++) {
        const deft_token_config *token = deft_config_token(config, i);
        deft__json_begin_object(&json);
        deft__json_name(&json, "name");
        deft__json_write_string(&json, token->name);
        write_patterns(&json, "servers", token->servers, token->server_count);
        write_patterns(&json, "tools", token->tools, token->tool_count);
        write_patterns(&json, "deny", token->denied, token->denied_count);
        write_limit(&json, "callsPerMinute", token->calls_per_minute);
        write_limit(&json, "concurrentCalls", token->concurrent_calls);
        write_limit(&json, "sessions", token->sessions);
        if (token->expires_s != 0) {
            deft__json_name(&json, "expiresAt"); // seconds since 1970
            deft__json_write_int64(&json, token->expires_s);
        }
        deft__json_name(&json, "file");
        deft__json_write_string(&json, token->place);
        deft__json_name(&json, "line");
        deft__json_write_uint64(&json, token->line);
        deft__json_end_object(&json);
    }
    deft__json_end_array(&json);
    deft__print_result(&cli->output, &text);
}

static void print_table(deft__cli *cli, const deft_config *config)
{
    static const deft__column columns[] = {
        {"NAME", false},     {"SERVERS", false}, {"TOOLS", false},   {"DENIED", false},
        {"CALLS/MIN", true}, {"AT ONCE", true},  {"SESSIONS", true}, {"EXPIRES", false},
    };
    deft__table table;
    deft_buffer cell;
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    deft_buffer_init(&cell, NULL);
    for (size_t i = 0; i < deft_config_token_count(config); i++) {
        const deft_token_config *token = deft_config_token(config, i);
        deft__table_text(&table, token->name);
        append_patterns(&cell, token->servers, token->server_count, "all");
        deft__table_text(&table, deft_buffer_view(&cell));
        append_patterns(&cell, token->tools, token->tool_count, "all");
        deft__table_text(&table, deft_buffer_view(&cell));
        append_patterns(&cell, token->denied, token->denied_count, "-");
        deft__table_text(&table, deft_buffer_view(&cell));
        append_limit(&cell, token->calls_per_minute);
        deft__table_text(&table, deft_buffer_view(&cell));
        append_limit(&cell, token->concurrent_calls);
        deft__table_text(&table, deft_buffer_view(&cell));
        append_limit(&cell, token->sessions);
        deft__table_text(&table, deft_buffer_view(&cell));
        append_expiry(&cell, token->expires_s, (int64_t)time(NULL));
        deft__table_text(&table, deft_buffer_view(&cell));
    }
    if (deft__table_print(&table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft_buffer_clear(&cell);
    deft__table_clear(&table);
}

static int list(deft__cli *cli)
{
    deft_config *config = deft__config_read(cli);
    if (config == NULL) {
        return DEFT__EXIT_WRONG;
    }
    const bool is_some = deft_config_token_count(config) > 0;
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, config);
    } else if (is_some) {
        print_table(cli, config);
    } else {
        deft__note(&cli->output, "there are no tokens; 'deft token new NAME' makes one");
    }
    deft_config_free(config);
    return is_some ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

// --- remove --------------------------------------------------------------------------------------

// The file that a token is in, into `path`; false: in none.
static bool find_file(deft__cli *cli, deft_view name, deft_buffer *path)
{
    deft_config *config   = deft__config_read(cli);
    bool         is_found = false;
    deft_buffer_reset(path);
    for (size_t i = 0; config != NULL && i < deft_config_token_count(config) && !is_found; i++) {
        const deft_token_config *token = deft_config_token(config, i);
        if (deft_view_equal(token->name, name)) {
            deft_buffer_append(path, token->place);
            deft_buffer_append_byte(path, '\0');
            is_found = true;
        }
    }
    deft_config_free(config);
    return is_found;
}

static deft_status remove_from(const char *path, deft_view name, deft_error *error)
{
    deft_buffer before;
    deft_buffer after;
    deft_buffer_init(&before, NULL);
    deft_buffer_init(&after, NULL);
    deft_status status = read_text(path, &before, error);
    if (status == DEFT_OK) {
        status = deft_config_remove_token(deft_buffer_view(&before), name, &after, error);
    }
    if (status == DEFT_OK) {
        status = replace(path, &after, error);
    }
    deft_buffer_clear(&after);
    deft_buffer_clear(&before);
    return status;
}

// One name may stand in several files, of which the strongest counts: all of them are meant.
static int remove_token(deft__cli *cli, const char *name)
{
    deft_error  error     = DEFT_ERROR_INIT;
    int         exit_code = DEFT__EXIT_NOTHING;
    deft_buffer path;
    deft_buffer_init(&path, NULL);
    while (exit_code != DEFT__EXIT_WRONG && find_file(cli, deft_view_of(name), &path)) {
        if (remove_from(path.data, deft_view_of(name), &error) == DEFT_OK) {
            deft__note(&cli->output,
                       "removed '%s' from %s; running gateways close what it has open", name,
                       path.data);
            exit_code = DEFT__EXIT_FOUND;
        } else {
            deft__complain(&cli->output, "%s: %s", path.data, error.message);
            exit_code = DEFT__EXIT_WRONG;
        }
    }
    if (exit_code == DEFT__EXIT_NOTHING) {
        deft__complain(&cli->output, "there is no token '%s'; 'deft token list' shows them", name);
        exit_code = DEFT__EXIT_WRONG;
    }
    deft_buffer_clear(&path);
    return exit_code;
}

int deft__command_token(deft__cli *cli)
{
    const char *const *words = (const char *const *)cli->invocation.operands;
    const size_t       count = cli->invocation.operand_count;
    const char        *verb  = count > 0 ? words[0] : "list";
    if (strcmp(verb, "list") == 0 && count <= 1) {
        return list(cli);
    } else if (strcmp(verb, "new") == 0 && count == 2) {
        return make(cli, words[1]);
    } else if (strcmp(verb, "remove") == 0 && count == 2) {
        return remove_token(cli, words[1]);
    }
    deft__complain(&cli->output, "'deft token' takes: list, new NAME, or remove NAME");
    return DEFT__EXIT_WRONG;
}
