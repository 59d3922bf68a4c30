#include "cli/discovery.h"

#include "cli/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static const char expected_config[] = "settings as JSON, with toolSearch or mcpServers";

// --- Where files are. ----------------------------------------------------------------------------

static const char *absolute_variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] == '/' ? value : NULL;
}

bool deft__user_file(deft_buffer *out)
{
    const char *config = absolute_variable("XDG_CONFIG_HOME");
    const char *home   = absolute_variable("HOME");
    if (config != NULL) {
        deft__path_join(out, config, "deft/config.json");
    } else if (home != NULL) {
        deft__path_join(out, home, ".config/deft/config.json");
    } else {
        return false;
    }
    return out->status == DEFT_OK;
}

// `directory` is "." or a chain of "..": what a person recognises in a message.
static bool find_in(const char *directory, deft_buffer *out)
{
    static const char *const names[] = {"deft.json", ".deft.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(directory, ".") == 0) {
            deft_buffer_reset(out);
            deft_buffer_append_text(out, names[i]);
            deft_buffer_append_byte(out, '\0');
        } else {
            deft__path_join(out, directory, names[i]);
        }
        if (out->status == DEFT_OK && deft__file_is_regular(out->data)) {
            return true;
        }
    }
    return false;
}

static bool has_git(const char *directory, deft_buffer *scratch)
{
    deft__path_join(scratch, directory, ".git");
    return scratch->status == DEFT_OK && deft__file_exists(scratch->data);
}

// The last step of a path dropped; false at the root.
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || path[1] == '\0') {
        return false;
    }
    slash[slash == path ? 1 : 0] = '\0';
    return true;
}

bool deft__project_file(deft_buffer *out)
{
    const char *home = absolute_variable("HOME");
    char       *path = realpath(".", NULL);
    deft_buffer relative;
    deft_buffer scratch;
    deft_buffer_init(&relative, NULL);
    deft_buffer_init(&scratch, NULL);
    deft_buffer_append(&relative, deft_view_make(".", 2)); // with its NUL
    bool is_found = false;
    bool is_last  = path == NULL;
    while (!is_last && !is_found && relative.status == DEFT_OK) {
        is_found = find_in(relative.data, out);
        is_last =
            has_git(path, &scratch) || (home != NULL && strcmp(path, home) == 0) || !go_up(path);
        const bool is_first = strcmp(relative.data, ".") == 0;
        deft_buffer_truncate(&relative, is_first ? 0 : relative.size - 1);
        deft_buffer_append_text(&relative, is_first ? ".." : "/..");
        deft_buffer_append_byte(&relative, '\0');
    }
    free(path);
    deft_buffer_clear(&relative);
    deft_buffer_clear(&scratch);
    return is_found;
}

// --- What they hold. -----------------------------------------------------------------------------

static bool add_file(deft__cli *cli, deft_config *config, deft_layer layer, const char *path)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_status status =
        deft__file_read(path, DEFT__CONFIG_FILE_SIZE_MAX, expected_config, &text, &error);
    if (status == DEFT_OK) {
        deft__detail(&cli->output, "reading settings from %s", path);
        status = deft_config_add_file(config, layer, deft_view_of(path), deft_buffer_view(&text),
                                      &error);
    }
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    }
    deft_buffer_clear(&text);
    return status == DEFT_OK;
}

static bool add_user_file(deft__cli *cli, deft_config *config)
{
    deft_buffer path;
    deft_buffer_init(&path, NULL);
    bool is_fine = true;
    if (deft__user_file(&path) && deft__file_is_regular(path.data)) {
        is_fine = add_file(cli, config, DEFT_LAYER_USER_FILE, path.data);
    }
    deft_buffer_clear(&path);
    return is_fine;
}

// Named files stand in the place of those that would be found. Of those, deft's own comes last,
// because a later file wins over an earlier one.
static bool add_project_files(deft__cli *cli, deft_config *config)
{
    bool is_fine = true;
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_CONFIG)) {
        size_t      at   = 0;
        const char *path = NULL;
        while (is_fine &&
               (path = deft__invocation_next(&cli->invocation, DEFT__FLAG_CONFIG, &at))) {
            is_fine = add_file(cli, config, DEFT_LAYER_PROJECT_FILE, path);
        }
        return is_fine;
    }
    if (deft__file_is_regular(".mcp.json")) {
        is_fine = add_file(cli, config, DEFT_LAYER_PROJECT_FILE, ".mcp.json");
    }
    deft_buffer path;
    deft_buffer_init(&path, NULL);
    if (is_fine && deft__project_file(&path)) {
        is_fine = add_file(cli, config, DEFT_LAYER_PROJECT_FILE, path.data);
    }
    deft_buffer_clear(&path);
    return is_fine;
}

static bool add_environment(deft__cli *cli, deft_config *config)
{
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *equals = strchr(*variable, '=');
        deft_error  error  = DEFT_ERROR_INIT;
        if (equals != NULL) {
            const deft_view name = deft_view_make(*variable, (size_t)(equals - *variable));
            if (deft_config_add_variable(config, name, deft_view_of(equals + 1), &error) !=
                DEFT_OK) {
                deft__complain(&cli->output, "%s", error.message);
                return false;
            }
        }
    }
    return true;
}

static bool set(deft__cli *cli, deft_config *config, deft_view key, deft_view value,
                const char *place)
{
    deft_error error = DEFT_ERROR_INIT;
    if (deft_config_set(config, DEFT_LAYER_COMMAND_LINE, key, value, deft_view_of(place), &error) !=
        DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return false;
    }
    return true;
}

// The flags that stand for a key.
static const struct {
    deft__flag_id flag;
    const char   *key;
    const char   *place;
} flag_keys[] = {
    {DEFT__FLAG_PRESET, "preset", "--preset"},
    {DEFT__FLAG_CONTEXT_WINDOW, "toolSearch.contextWindow", "--context-window"},
    {DEFT__FLAG_RANKING, "toolSearch.ranking", "--ranking"},
    {DEFT__FLAG_HTTP, "http.listen", "--http"},
    {DEFT__FLAG_TLS_CERTIFICATE, "http.tls.certificate", "--tls-certificate"},
    {DEFT__FLAG_TLS_KEY, "http.tls.key", "--tls-key"},
    {DEFT__FLAG_TLS_CLIENT_CA, "http.tls.clientCa", "--tls-client-ca"},
};

// The flags that may be given several times, and are one list together.
static const struct {
    deft__flag_id flag;
    const char   *key;
    const char   *place;
} flag_lists[] = {
    {DEFT__FLAG_HOST, "http.allowHosts", "--host"},
    {DEFT__FLAG_ALLOW_ORIGIN, "http.allowOrigins", "--allow-origin"},
};

static bool add_flag_lists(deft__cli *cli, deft_config *config)
{
    bool        is_fine = true;
    deft_buffer list;
    deft_buffer_init(&list, NULL);
    for (size_t i = 0; is_fine && i < sizeof flag_lists / sizeof flag_lists[0]; i++) {
        size_t      at = 0;
        const char *value;
        deft_buffer_reset(&list);
        while ((value = deft__invocation_next(&cli->invocation, flag_lists[i].flag, &at)) != NULL) {
            deft_buffer_append_text(&list, list.size > 0 ? "," : "");
            deft_buffer_append_text(&list, value);
        }
        is_fine = list.size == 0 || set(cli, config, deft_view_of(flag_lists[i].key),
                                        deft_buffer_view(&list), flag_lists[i].place);
    }
    deft_buffer_clear(&list);
    return is_fine;
}

static bool add_flags(deft__cli *cli, deft_config *config)
{
    for (size_t i = 0; i < sizeof flag_keys / sizeof flag_keys[0]; i++) {
        const char *value = deft__invocation_value(&cli->invocation, flag_keys[i].flag);
        if (value != NULL && value[0] != '\0' &&
            !set(cli, config, deft_view_of(flag_keys[i].key), deft_view_of(value),
                 flag_keys[i].place)) {
            return false;
        }
    }
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_NO_MCP) &&
        !set(cli, config, deft_view_of("noMcp"), deft_view_of("true"), "--no-mcp")) {
        return false;
    }
    if (!add_flag_lists(cli, config)) {
        return false;
    }
    size_t      at   = 0;
    const char *pair = NULL;
    while ((pair = deft__invocation_next(&cli->invocation, DEFT__FLAG_SET, &at)) != NULL) {
        const char     *equals = strchr(pair, '='); // the parser saw to it that there is one
        const deft_view key    = deft_view_make(pair, (size_t)(equals - pair));
        if (!set(cli, config, key, deft_view_of(equals + 1), "--set")) {
            return false;
        }
    }
    return true;
}

static void tell_warnings(const deft__cli *cli, const deft_config *config)
{
    for (size_t i = 0; i < deft_config_warning_count(config); i++) {
        const deft_warning *warning = deft_config_warning(config, i);
        if (warning->line > 0) {
            deft__note(&cli->output, "%.*s:%zu: %.*s", (int)warning->place.size,
                       warning->place.data, warning->line, (int)warning->message.size,
                       warning->message.data);
        } else {
            deft__note(&cli->output, "%.*s", (int)warning->message.size, warning->message.data);
        }
    }
}

static deft_config *new_config(const deft__cli *cli)
{
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = deft_config_new(NULL, &error);
    if (config == NULL) {
        deft__complain(&cli->output, "%s", error.message);
    }
    return config;
}

// Joins the layers of a config that could be filled; frees one that could not.
static deft_config *finish_config(const deft__cli *cli, deft_config *config, bool is_fine)
{
    deft_error error = DEFT_ERROR_INIT;
    if (is_fine && deft_config_resolve(config, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        is_fine = false;
    }
    if (is_fine) {
        tell_warnings(cli, config);
        return config;
    } else {
        deft_config_free(config);
        return NULL;
    }
}

deft_config *deft__config_read(deft__cli *cli)
{
    deft_config *config  = new_config(cli);
    const bool   is_fine = config != NULL && add_user_file(cli, config) &&
                         add_project_files(cli, config) && add_environment(cli, config) &&
                         add_flags(cli, config);
    return finish_config(cli, config, is_fine);
}

deft_config *deft__config_read_flags(deft__cli *cli, const char *mode)
{
    deft_config *config  = new_config(cli);
    const bool   is_fine = config != NULL && add_flags(cli, config) &&
                         (mode == NULL || set(cli, config, deft_view_of("toolSearch.enabled"),
                                              deft_view_of(mode), "deft demo"));
    return finish_config(cli, config, is_fine);
}

// --- Whether they have changed. ------------------------------------------------------------------

static void mix(uint64_t *signature, uint64_t value)
{
    *signature = (*signature ^ value) * UINT64_C(0x100000001B3); // FNV-1a, a word at a time
    *signature ^= *signature >> 29;
}

static void mix_file(uint64_t *signature, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        mix(signature, (uint64_t)about.st_ino);
        mix(signature, (uint64_t)about.st_size);
        mix(signature, (uint64_t)about.st_mtim.tv_sec);
        mix(signature, (uint64_t)about.st_mtim.tv_nsec);
    } else {
        mix(signature, 1);
    }
}

uint64_t deft__config_signature(const deft__cli *cli, const char *more)
{
    uint64_t    signature = UINT64_C(0xCBF29CE484222325);
    size_t      at        = 0;
    const char *named;
    deft_buffer path;
    deft_buffer_init(&path, NULL);
    if (deft__user_file(&path)) {
        mix_file(&signature, path.data);
    }
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_CONFIG)) {
        while ((named = deft__invocation_next(&cli->invocation, DEFT__FLAG_CONFIG, &at)) != NULL) {
            mix_file(&signature, named);
        }
    } else {
        mix_file(&signature, ".mcp.json");
        deft_buffer_reset(&path);
        if (deft__project_file(&path)) {
            mix_file(&signature, path.data);
        }
    }
    if (more != NULL) {
        mix_file(&signature, more);
    }
    deft_buffer_clear(&path);
    return signature;
}

deft_status deft__config_check_text(const char *path, deft_view text, deft_error *error)
{
    deft_config *config = deft_config_new(NULL, error);
    if (config == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    deft_status status =
        deft_config_add_file(config, DEFT_LAYER_PROJECT_FILE, deft_view_of(path), text, error);
    if (status == DEFT_OK) {
        status = deft_config_resolve(config, error);
    }
    deft_config_free(config);
    return status;
}
