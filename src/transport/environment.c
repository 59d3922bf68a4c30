#include "transport/environment.h"

#include "base/fail.h"
#include "base/utf8.h"

#include <stdio.h>

// A shorter value would be found inside innocent words.
#define SECRET_SIZE_MIN 8

typedef struct launching {
    deft__launch             *launch;
    const deft_server_config *server;
    const char *const        *environment; // ours
    deft_buffer               scratch;
    deft_view                *secrets; // the launch's, to be added to
    deft_error               *error;
} launching;

// --- Our own environment. -------------------------------------------------------------------------

static deft_view name_of(const char *variable)
{
    return deft_view_make(variable, strcspn(variable, "="));
}

static deft_view look_up(void *context, deft_view name)
{
    const launching *now = context;
    for (const char *const *variable = now->environment; *variable != NULL; variable++) {
        if (deft_view_equal(name_of(*variable), name) && (*variable)[name.size] == '=') {
            return deft_view_of(*variable + name.size + 1);
        }
    }
    return deft_view_make(NULL, 0);
}

// --- One text of the configuration. ---------------------------------------------------------------

// Says where in the configuration the problem is; `what` is "env TOKEN", "args", ...
static deft_status fail_at(const launching *now, const char *what, const deft_error *cause)
{
    deft__quoted name;
    return deft__fail(now->error, cause->status, 0, "%s of server '%s': %s", what,
                      deft__quote(&name, now->server->name), cause->message);
}

// `prefix` and the expanded `text` as a string of the arena's; NULL on failure.
static const char *expand(launching *now, const char *what, deft_view prefix, deft_view text)
{
    deft_error cause = DEFT_ERROR_INIT;
    deft_buffer_reset(&now->scratch);
    deft_buffer_append(&now->scratch, prefix);
    deft_status status = deft_config_expand(text, look_up, now, &now->scratch, &cause);
    if (status == DEFT_OK && now->scratch.size > 0 &&
        memchr(now->scratch.data, '\0', now->scratch.size) != NULL) {
        deft__fail(&cause, DEFT_INVALID, 0, "holds a NUL, which no program can be given");
        status = cause.status;
    }
    deft_view copy = deft_view_make(NULL, 0);
    if (status != DEFT_OK) {
        fail_at(now, what, &cause);
    } else if (!deft__arena_copy(&now->launch->arena, deft_buffer_view(&now->scratch), &copy)) {
        deft__fail_memory(now->error);
    }
    return copy.data;
}

static const char *expand_whole(launching *now, const char *what, deft_view text)
{
    return expand(now, what, deft_view_make("", 0), text);
}

// --- The parts. -----------------------------------------------------------------------------------

static bool expand_arguments(launching *now)
{
    const deft_server_config *server = now->server;
    const char              **arguments =
        deft__arena_array(&now->launch->arena, server->argument_count + 2, sizeof *arguments);
    deft_view *views =
        deft__arena_array(&now->launch->arena, server->argument_count + 1, sizeof *views);
    if (arguments == NULL || views == NULL) {
        deft__fail_memory(now->error);
        return false;
    }
    arguments[0] = expand_whole(now, "command", server->command);
    if (arguments[0] == NULL) {
        return false;
    }
    for (size_t i = 0; i < server->argument_count; i++) {
        arguments[i + 1] = expand_whole(now, "args", server->arguments[i]);
        if (arguments[i + 1] == NULL) {
            return false;
        }
        views[i] = deft_view_of(arguments[i + 1]);
    }
    now->launch->arguments        = arguments;
    now->launch->server.command   = deft_view_of(arguments[0]);
    now->launch->server.arguments = views;
    return true;
}

static bool is_overridden(const deft_server_config *server, deft_view name)
{
    for (size_t i = 0; i < server->environment_count; i++) {
        if (deft_view_equal(server->environment[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool is_secret_name(deft_view name)
{
    static const char *const words[] = {"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        const size_t size = strlen(words[w]);
        for (size_t i = 0; i + size <= name.size; i++) {
            size_t same = 0;
            while (same < size && (name.data[i + same] & ~0x20) == words[w][same]) {
                same++;
            }
            if (same == size) {
                return true;
            }
        }
    }
    return false;
}

static const char *expand_variable(launching *now, const deft_pair *pair, deft_view *secrets)
{
    deft__quoted quoted;
    char         what[sizeof quoted.text + 8];
    snprintf(what, sizeof what, "env %s", deft__quote(&quoted, pair->name));
    if (pair->name.size == 0 || memchr(pair->name.data, '=', pair->name.size) != NULL) {
        const deft_error cause = {DEFT_INVALID, 0, "the name of a variable is empty or holds a ="};
        fail_at(now, what, &cause);
        return NULL;
    }
    char      prefix[256];
    const int size =
        snprintf(prefix, sizeof prefix, "%.*s=", (int)pair->name.size, pair->name.data);
    if (size >= (int)sizeof prefix) {
        const deft_error cause = {DEFT_LIMIT, 0, "the name of a variable has at most 254 bytes"};
        fail_at(now, what, &cause);
        return NULL;
    }
    const char *text = expand(now, what, deft_view_make(prefix, (size_t)size), pair->value);
    if (text != NULL && is_secret_name(pair->name)) {
        const deft_view value = deft_view_of(text + size);
        if (value.size >= SECRET_SIZE_MIN) {
            secrets[now->launch->secret_count++] = value;
        }
    }
    return text;
}

static bool expand_environment(launching *now)
{
    const deft_server_config *server = now->server;
    deft__launch             *launch = now->launch;
    size_t                    count  = 0;
    while (now->environment[count] != NULL) {
        count++;
    }
    const char **all =
        deft__arena_array(&launch->arena, count + server->environment_count + 1, sizeof *all);
    deft_view *secrets = deft__arena_array(
        &launch->arena, server->environment_count + 2 * server->header_count + 1, sizeof *secrets);
    deft_pair *pairs =
        deft__arena_array(&launch->arena, server->environment_count + 1, sizeof *pairs);
    if (all == NULL || secrets == NULL || pairs == NULL) {
        deft__fail_memory(now->error);
        return false;
    }
    launch->environment        = all;
    launch->secrets            = secrets;
    now->secrets               = secrets;
    launch->server.environment = pairs;
    for (size_t i = 0; i < count; i++) {
        if (!is_overridden(server, name_of(now->environment[i]))) {
            deft_view copy;
            if (!deft__arena_copy(&launch->arena, deft_view_of(now->environment[i]), &copy)) {
                deft__fail_memory(now->error);
                return false;
            }
            *all++ = copy.data;
        }
    }
    for (size_t i = 0; i < server->environment_count; i++) {
        *all = expand_variable(now, &server->environment[i], secrets);
        if (*all == NULL) {
            return false;
        }
        const deft_view name = name_of(*all);
        pairs[i]             = (deft_pair){name, deft_view_of(*all + name.size + 1)};
        all++;
    }
    return true;
}

// What a header says is nobody's business, nor is what stands behind "Bearer " in it.
static void keep_secret(deft__launch *launch, deft_view *secrets, deft_view value)
{
    const char     *blank   = value.size > 0 ? memchr(value.data, ' ', value.size) : NULL;
    const size_t    scheme  = blank != NULL ? (size_t)(blank - value.data) + 1 : 0;
    const deft_view parts[] = {value, deft_view_slice(value, scheme, value.size)};
    for (size_t i = 0; i < (blank != NULL ? 2 : 1); i++) {
        if (parts[i].size >= SECRET_SIZE_MIN) {
            secrets[launch->secret_count++] = parts[i];
        }
    }
}

static bool expand_address(launching *now)
{
    const deft_server_config *server = now->server;
    const char               *url    = expand_whole(now, "url", server->url);
    deft_pair                *headers =
        deft__arena_array(&now->launch->arena, server->header_count + 1, sizeof *headers);
    if (url == NULL) {
        return false;
    } else if (headers == NULL) {
        deft__fail_memory(now->error);
        return false;
    }
    if (server->ca.size > 0) {
        const char *ca = expand_whole(now, "ca", server->ca);
        if (ca == NULL) {
            return false;
        }
        now->launch->server.ca = deft_view_of(ca);
    }
    now->launch->server.url     = deft_view_of(url);
    now->launch->server.headers = headers;
    for (size_t i = 0; i < server->header_count; i++) {
        const char *value = expand_whole(now, "headers", server->headers[i].value);
        if (value == NULL) {
            return false;
        } else if (!deft__arena_copy(&now->launch->arena, server->headers[i].name,
                                     &headers[i].name)) {
            deft__fail_memory(now->error);
            return false;
        }
        headers[i].value = deft_view_of(value);
        keep_secret(now->launch, now->secrets, headers[i].value);
    }
    return true;
}

static bool expand_login(launching *now)
{
    const deft_server_login *from = &now->server->login;
    deft_server_login       *to   = &now->launch->server.login;
    const struct {
        deft_view  text;
        deft_view *expanded;
    } texts[] = {
        {from->client_id, &to->client_id},
        {from->client_secret, &to->client_secret},
        {from->issuer, &to->issuer},
        {from->scope, &to->scope},
        {from->metadata_url, &to->metadata_url},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text = expand_whole(now, "oauth", texts[i].text);
        if (text == NULL) {
            return false;
        }
        *texts[i].expanded = deft_view_of(text);
    }
    return true;
}

static bool expand_directory(launching *now)
{
    if (now->server->directory.size > 0) {
        now->launch->directory        = expand_whole(now, "cwd", now->server->directory);
        now->launch->server.directory = deft_view_of(now->launch->directory);
        return now->launch->directory != NULL;
    }
    return true;
}

deft_status deft__launch_init(deft__launch *launch, const deft_server_config *server,
                              const char *const *environment, const deft_allocator *allocator,
                              deft_error *error)
{
    *launch = (deft__launch){0};
    deft__arena_init(&launch->arena, allocator);

    deft_error cause = DEFT_ERROR_INIT;
    launching  now   = {
           .launch = launch, .server = server, .environment = environment, .error = &cause};
    deft_buffer_init(&now.scratch, allocator);
    launch->server     = *server;
    const bool is_done = expand_arguments(&now) && expand_environment(&now) &&
                         expand_address(&now) && expand_login(&now) && expand_directory(&now);
    deft_buffer_clear(&now.scratch);
    if (!is_done && error != NULL) {
        *error = cause;
    }
    return is_done ? DEFT_OK : cause.status;
}

void deft__launch_clear(deft__launch *launch)
{
    deft__arena_clear(&launch->arena);
    *launch = (deft__launch){.arena = launch->arena};
}

// --- What may be shown. ---------------------------------------------------------------------------

static size_t secret_at(const deft__launch *launch, deft_view text)
{
    size_t longest = 0;
    for (size_t i = 0; i < launch->secret_count; i++) {
        if (launch->secrets[i].size > longest && deft_view_starts_with(text, launch->secrets[i])) {
            longest = launch->secrets[i].size;
        }
    }
    return longest;
}

void deft__launch_write_safely(const deft__launch *launch, deft_view text, size_t size_max,
                               deft_buffer *out)
{
    const size_t start = out->size;
    size_t       at    = 0;
    while (at < text.size && out->size - start <= size_max) {
        const size_t secret = secret_at(launch, deft_view_slice(text, at, text.size));
        if (secret > 0) {
            deft_buffer_append_text(out, "[secret]");
            at += secret;
        } else {
            const unsigned char byte = (unsigned char)text.data[at++];
            deft_buffer_append_byte(out, byte < 0x20 || byte == 0x7F ? ' ' : (char)byte);
        }
    }
    if (out->status == DEFT_OK && out->size - start > size_max) {
        const deft_view written = deft_view_make(out->data + start, out->size - start);
        deft_buffer_truncate(out, start + deft__utf8_cut(written, size_max));
        deft_buffer_append_text(out, "...");
    }
}
