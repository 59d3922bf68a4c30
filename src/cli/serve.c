// deft serve: the gateway, at stdin and stdout of the agent that started it.
#include "serve/serve.h"

#include "cli/discovery.h"
#include "cli/files.h"
#include "cli/live.h"
#include "cli/model.h"
#include "cli/text.h"
#include "cli/token_list.h"
#include "serve/control.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// --- For a person who runs it by hand. -----------------------------------------------------------

static const char explanation[] =
    "'deft serve' speaks MCP on stdin and stdout: it is for an agent to start, not for a person.\n"
    "\n"
    "Put it into the agent's configuration as its only MCP server.\n"
    "\n"
    "Claude Code (.mcp.json), Claude Desktop, Gemini CLI, Qwen Code (settings.json):\n"
    "\n"
    "  {\"mcpServers\": {\"deft\": {\"command\": \"deft\", \"args\": [\"serve\"]}}}\n"
    "\n"
    "VS Code (.vscode/mcp.json):\n"
    "\n"
    "  {\"servers\": {\"deft\": {\"command\": \"deft\", \"args\": [\"serve\"]}}}\n"
    "\n"
    "Codex (~/.codex/config.toml):\n"
    "\n"
    "  [mcp_servers.deft]\n"
    "  command = \"deft\"\n"
    "  args = [\"serve\"]\n"
    "\n"
    "opencode (opencode.json):\n"
    "\n"
    "  {\"mcp\": {\"deft\": {\"type\": \"local\", \"command\": [\"deft\", \"serve\"]}}}\n"
    "\n"
    "The servers themselves go into deft's own file, ~/.config/deft/config.json, or deft.json in "
    "a\n"
    "project, in the form that they have now:\n"
    "\n"
    "  {\"mcpServers\": {\"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"...\"]}}}\n"
    "\n"
    "By hand, try:\n"
    "\n"
    "  deft servers --discover      ask every server what it offers\n"
    "  deft search open an issue    what an agent would find\n"
    "  deft call SERVER::TOOL a=1   call a tool\n"
    "  deft status                  what a running gateway does\n";

static void explain(deft__cli *cli, const deft_config *config)
{
    const size_t count = deft_config_server_count(config);
    deft__print(&cli->output, explanation);
    if (count == 0) {
        deft__print(&cli->output, "\nNo server is configured here yet.\n");
    } else {
        deft__print(&cli->output, "\nConfigured here:");
        for (size_t i = 0; i < count; i++) {
            deft__print(&cli->output, i == 0 ? " " : ", ");
            deft__append_safe_line(&cli->output.text, deft_config_server(config, i)->name);
        }
        deft__print(&cli->output, ".\n");
    }
}

// --- For an agent. -------------------------------------------------------------------------------

static void tell(void *context, deft_view line)
{
    const deft__cli *cli = context;
    deft__note(&cli->output, "%.*s", (int)line.size, line.data);
}

// A gateway may stand behind another one that has other servers. A third is a circle: each would
// start the next one without end.
#define DEPTH_MAX 2

// Counts gateways inside one another, through a variable that servers inherit. False after complaining.
static bool enter(const deft__cli *cli)
{
    const char *variable = getenv("DEFT_DEPTH");
    uint64_t    depth    = 0;
    if (variable != NULL && deft__parse_u64(deft_view_of(variable), &depth) && depth >= DEPTH_MAX) {
        deft__complain(&cli->output, "a gateway behind a gateway behind a gateway: is 'deft serve' "
                                     "among its own servers?");
        return false;
    }
    return setenv("DEFT_DEPTH", depth == 0 ? "1" : "2", 1) == 0;
}

// --- Over HTTP. ----------------------------------------------------------------------------------

typedef struct http_flags {
    char             address[64];
    uint64_t         port;
    deft__token_list tokens;
    deft_view        hosts[16];
    size_t           host_count;
    deft_view        origins[16];
    size_t           origin_count;
    deft_buffer      tls[3]; // names of files: certificate, key, client_ca
} http_flags;

static void init_http_flags(http_flags *http)
{
    *http = (http_flags){.port = 0};
    deft__token_list_init(&http->tokens);
    for (size_t i = 0; i < 3; i++) {
        deft_buffer_init(&http->tls[i], NULL);
    }
}

static void clear_http_flags(http_flags *http)
{
    deft__token_list_clear(&http->tokens);
    for (size_t i = 0; i < 3; i++) {
        deft_buffer_clear(&http->tls[i]);
    }
}

// "127.0.0.1:8080", "[::1]:8080", ":8080" or "8080". False after complaining.
static bool read_address(const deft__cli *cli, const char *text, http_flags *http)
{
    const char *colon = strrchr(text, ':');
    const char *port  = colon != NULL ? colon + 1 : text;
    deft_view   host =
        colon != NULL ? deft_view_make(text, (size_t)(colon - text)) : deft_view_of(NULL);
    if (host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']') {
        host = deft_view_slice(host, 1, host.size - 2);
    }
    if (host.size == 0 || deft_view_equals(host, "localhost")) {
        host = deft_view_of("127.0.0.1");
    }
    if (!deft__parse_u64(deft_view_of(port), &http->port) || http->port > 65535 ||
        host.size >= sizeof http->address) {
        deft__complain(&cli->output,
                       "--http '%s': an address and a port are wanted, such as "
                       "127.0.0.1:8080",
                       text);
        return false;
    }
    memcpy(http->address, host.data, host.size);
    http->address[host.size] = '\0';
    return true;
}

static size_t read_names(const deft__cli *cli, deft__flag_id flag, deft_view names[16])
{
    size_t      at    = 0;
    size_t      count = 0;
    const char *value;
    while (count < 16 && (value = deft__invocation_next(&cli->invocation, flag, &at)) != NULL) {
        names[count++] = deft_view_of(value);
    }
    return count;
}

// The flags for TLS are settings, too, and are among them by now. False after complaining.
static bool read_tls(const deft__cli *cli, const deft_settings *settings, http_flags *http)
{
    const deft_view names[3] = {settings->http_tls_certificate, settings->http_tls_key,
                                settings->http_tls_client_ca};
    for (size_t i = 0; i < 3; i++) {
        deft_buffer_append(&http->tls[i], names[i]);
        if (names[i].size > 0) {
            deft_buffer_append_byte(&http->tls[i], '\0');
        }
        if (http->tls[i].status != DEFT_OK) {
            deft__complain(&cli->output, "out of memory");
            return false;
        }
    }
    return true;
}

static bool read_http_flags(const deft__cli *cli, const deft_settings *settings,
                            const char *address, http_flags *http)
{
    const char *path   = deft__invocation_value(&cli->invocation, DEFT__FLAG_TOKEN_FILE);
    http->host_count   = read_names(cli, DEFT__FLAG_HOST, http->hosts);
    http->origin_count = read_names(cli, DEFT__FLAG_ALLOW_ORIGIN, http->origins);
    deft_error error   = DEFT_ERROR_INIT;
    if (!read_address(cli, address, http)) {
        return false;
    }
    if (path != NULL && deft__token_list_read_file(&http->tokens, path, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return false;
    }
    return read_tls(cli, settings, http);
}

static void tell_listening(void *context, uint16_t port)
{
    const deft__cli *cli = context;
    deft__note(&cli->output, "listening on port %u: /mcp, /mcp/all, /mcp/SERVER", (unsigned)port);
}

static int serve(deft__cli *cli, const deft_config *config)
{
    const char *address = deft__invocation_value(&cli->invocation, DEFT__FLAG_HTTP);
    http_flags  http;
    init_http_flags(&http);
    if (!enter(cli) ||
        (address != NULL && !read_http_flags(cli, deft_config_settings(config), address, &http))) {
        clear_http_flags(&http);
        return DEFT__EXIT_WRONG;
    }
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer folder;
    deft_buffer_init(&folder, NULL);
    const bool has_folder = deft__control_directory(
        getenv("XDG_RUNTIME_DIR"), getenv("XDG_STATE_HOME"), getenv("HOME"), &folder);
    deft__chosen_model model;
    if (!deft__chosen_model_open(&model, cli)) {
        deft_buffer_clear(&folder);
        clear_http_flags(&http);
        return DEFT__EXIT_WRONG;
    }
    deft_buffer logins;
    deft_buffer_init(&logins, NULL);
    const bool                has_logins = deft__logins_file(&logins);
    deft__store              *store      = deft__open_store(cli, config);
    const deft__serve_options options    = {
           .config            = config,
           .environment       = (const char *const *)environ,
           .model             = model.model,
           .store             = store,
           .logins            = has_logins ? logins.data : NULL,
           .note              = tell,
           .context           = cli,
           .input             = STDIN_FILENO,
           .output            = STDOUT_FILENO,
           .control_directory = has_folder ? folder.data : NULL,
           .address           = http.address,
           .port              = (uint16_t)http.port,
           .hosts             = http.hosts,
           .host_count        = http.host_count,
           .origins           = http.origins,
           .origin_count      = http.origin_count,
           .tokens            = http.tokens.items,
           .token_count       = http.tokens.count,
           .tls_certificate   = http.tls[0].data,
           .tls_key           = http.tls[1].data,
           .tls_client_ca     = http.tls[2].data,
           .listening         = tell_listening,
    };
    if (deft_config_server_count(config) == 0) {
        deft__note(&cli->output,
                   "no servers are configured: the agent will find no tools; put them "
                   "under mcpServers in ~/.config/deft/config.json");
    }
    const deft_status status =
        address != NULL ? deft__serve_http(&options, &error) : deft__serve_run(&options, &error);
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    }
    // At the end, where nobody waits for it.
    (void)deft__store_prune(store, (uint64_t)time(NULL), NULL);
    deft__store_close(store);
    deft__chosen_model_close(&model);
    deft_buffer_clear(&folder);
    deft_buffer_clear(&logins);
    clear_http_flags(&http);
    return status == DEFT_OK ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

int deft__command_serve(deft__cli *cli)
{
    deft_config *config    = deft__config_read(cli);
    int          exit_code = DEFT__EXIT_WRONG;
    const bool   is_http   = deft__invocation_value(&cli->invocation, DEFT__FLAG_HTTP) != NULL;
    if (config != NULL && !is_http && isatty(STDIN_FILENO) == 1) {
        explain(cli, config);
    } else if (config != NULL) {
        exit_code = serve(cli, config);
    }
    deft_config_free(config);
    return exit_code;
}
