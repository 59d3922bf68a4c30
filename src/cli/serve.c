// deft serve: the gateway, at stdin and stdout of the agent that started it.
#include "serve/serve.h"

#include "cli/discovery.h"
#include "cli/files.h"
#include "cli/live.h"
#include "cli/model.h"
#include "cli/text.h"
#include "cli/token_list.h"
#include "io/handover.h"
#include "io/socket.h"
#include "serve/control.h"
#include "store/logins.h"

#include <stdio.h>
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

// What is served, beside the settings: over HTTP an address and tokens.
typedef struct site {
    deft__cli         *cli;
    deft__chosen_model model;
    deft_buffer        folder; // of control sockets, with a NUL; empty: none
    deft_buffer        logins; // the file of logins, with a NUL; empty: none

    // Over HTTP.
    char              address[DEFT__ADDRESS_SIZE];
    uint64_t          port;
    int               handed_over; // a socket, by the service manager; 0: none
    const char       *token_file;  // NULL: none
    deft__token_list  tokens;
    deft__token_watch watch;  // of the files that they are from
    deft_buffer       tls[3]; // names of files: certificate, key, client_ca
} site;

static void tell(void *context, deft_view line)
{
    const site *here = context;
    deft__note(&here->cli->output, "%.*s", (int)line.size, line.data);
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

static void init_site(site *here, deft__cli *cli)
{
    *here = (site){.cli = cli};
    deft_buffer_init(&here->folder, NULL);
    deft_buffer_init(&here->logins, NULL);
    deft__token_list_init(&here->tokens);
    for (size_t i = 0; i < 3; i++) {
        deft_buffer_init(&here->tls[i], NULL);
    }
}

static void clear_site(site *here)
{
    deft__chosen_model_close(&here->model);
    deft_buffer_clear(&here->folder);
    deft_buffer_clear(&here->logins);
    deft__token_list_clear(&here->tokens);
    for (size_t i = 0; i < 3; i++) {
        deft_buffer_clear(&here->tls[i]);
    }
}

// "127.0.0.1:8080", "[::1]:8080", ":8080" or "8080". False after complaining.
static bool read_address(site *here, deft_view text)
{
    size_t colon = text.size;
    while (colon > 0 && text.data[colon - 1] != ':') {
        colon--;
    }
    const deft_view port = deft_view_slice(text, colon, text.size);
    deft_view       host = deft_view_slice(text, 0, colon > 0 ? colon - 1 : 0);
    if (host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']') {
        host = deft_view_slice(host, 1, host.size - 2);
    }
    if (host.size == 0 || deft_view_equals(host, "localhost")) {
        host = deft_view_of("127.0.0.1");
    }
    if (!deft__parse_u64(port, &here->port) || here->port > 65535 ||
        host.size >= sizeof here->address) {
        deft__complain(&here->cli->output,
                       "--http '%.*s': an address and a port are wanted, such as "
                       "127.0.0.1:8080",
                       (int)text.size, text.data);
        return false;
    }
    memcpy(here->address, host.data, host.size);
    here->address[host.size] = '\0';
    return true;
}

static bool read_tokens(site *here, const deft_config *config)
{
    deft_error  error  = DEFT_ERROR_INIT;
    deft_status status = deft__token_list_add(&here->tokens, config, &error);
    if (status == DEFT_OK && here->token_file != NULL) {
        status = deft__token_list_read_file(&here->tokens, here->token_file, &error);
    }
    if (status == DEFT_OK) {
        status = deft__token_list_check(&here->tokens, &error);
    }
    if (status != DEFT_OK) {
        deft__complain(&here->cli->output, "%s", error.message);
    }
    return status == DEFT_OK;
}

// The flags for TLS are settings, too, and are among them by now. False after complaining.
static bool read_tls(site *here, const deft_settings *settings)
{
    const deft_view names[3] = {settings->http_tls_certificate, settings->http_tls_key,
                                settings->http_tls_client_ca};
    for (size_t i = 0; i < 3; i++) {
        deft_buffer_append(&here->tls[i], names[i]);
        if (names[i].size > 0) {
            deft_buffer_append_byte(&here->tls[i], '\0');
        }
        if (here->tls[i].status != DEFT_OK) {
            deft__complain(&here->cli->output, "out of memory");
            return false;
        }
    }
    return true;
}

// Asked every second. Files that cannot be read as they are now leave things as they were: a slip of
// the pen locks nobody out and lets nobody in.
static bool tokens_changed(void *context, const deft__token **tokens, size_t *count)
{
    site          *here     = context;
    const uint64_t settings = deft__config_signature(here->cli, NULL);
    if (!deft__token_watch_look(&here->watch, settings,
                                deft__config_signature(here->cli, here->token_file))) {
        return false;
    }
    deft__token_list before = here->tokens;
    deft_config     *config = deft__config_read(here->cli);
    deft__token_list_init(&here->tokens);
    const bool is_read = config != NULL && read_tokens(here, config);
    deft_config_free(config);
    if (!is_read) {
        deft__note(&here->cli->output, "the tokens stay as they were");
        deft__token_list_clear(&here->tokens);
        here->tokens = before;
        return false;
    }
    deft__token_list_clear(&before);
    *tokens = here->tokens.items;
    *count  = here->tokens.count;
    return true;
}

// A socket that the service manager hands over comes before any address. False after complaining.
static bool take_socket(site *here)
{
    deft_error  error      = DEFT_ERROR_INIT;
    uint16_t    port       = 0;
    int         descriptor = 0;
    deft_status status     = deft__handover_read(getenv("LISTEN_PID"), getenv("LISTEN_FDS"),
                                                 (uint64_t)getpid(), &descriptor, &error);
    // They are for this process and for none that it starts.
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (status == DEFT_NOT_FOUND) {
        return true;
    }
    if (status == DEFT_CONFLICT) {
        deft__note(&here->cli->output, "%s", error.message);
        return true;
    }
    if (status == DEFT_OK) {
        status = deft__socket_adopt(descriptor, here->address, &port, &error);
    }
    if (status != DEFT_OK) {
        deft__complain(&here->cli->output, "the service manager's socket: %s", error.message);
        return false;
    }
    here->handed_over = descriptor;
    here->port        = port;
    return true;
}

static bool read_http(site *here, const deft_config *config)
{
    const deft_view listen = deft_config_settings(config)->http_listen;
    if (!take_socket(here)) {
        return false;
    }
    if (listen.size == 0 && here->handed_over == 0) {
        deft__complain(&here->cli->output, "where? Give an address, such as --http "
                                           "127.0.0.1:8080, or set http.listen");
        return false;
    }
    here->token_file = deft__invocation_value(&here->cli->invocation, DEFT__FLAG_TOKEN_FILE);
    deft__token_watch_init(&here->watch, deft__config_signature(here->cli, NULL),
                           deft__config_signature(here->cli, here->token_file));
    return (here->handed_over != 0 || read_address(here, listen)) && read_tokens(here, config) &&
           read_tls(here, deft_config_settings(config));
}

static void tell_listening(void *context, uint16_t port)
{
    const site *here                           = context;
    char        where[DEFT__ADDRESS_SIZE + 40] = "";
    if (here->handed_over != 0) {
        snprintf(where, sizeof where, " of %s, handed over by the service manager", here->address);
    }
    deft__note(&here->cli->output, "listening on port %u%s: /mcp, /mcp/all, /mcp/SERVER",
               (unsigned)port, where);
}

// What both ways of serving need. False after complaining.
static bool prepare(site *here)
{
    deft_error error = DEFT_ERROR_INIT;
    if (!deft__chosen_model_open(&here->model, here->cli)) {
        return false;
    }
    if (!deft__control_directory(getenv("XDG_RUNTIME_DIR"), getenv("XDG_STATE_HOME"),
                                 getenv("HOME"), &here->folder)) {
        deft_buffer_clear(&here->folder);
    }
    if (!deft__logins_file(&here->logins)) {
        deft_buffer_clear(&here->logins);
    } else if (deft__logins_unseal(here->logins.data, &error) != DEFT_OK) {
        // A keyring may have to be unlocked, which takes a person: before anybody waits for us.
        deft__note(&here->cli->output, "%s", error.message);
    }
    return true;
}

static deft_status run(site *here, const deft_config *config, deft__store *store, deft_error *error)
{
    const deft__serve_options options = {
        .config            = config,
        .environment       = (const char *const *)environ,
        .model             = here->model.model,
        .store             = store,
        .logins            = here->logins.data,
        .note              = tell,
        .context           = here,
        .input             = STDIN_FILENO,
        .output            = STDOUT_FILENO,
        .control_directory = here->folder.data,
        .address           = here->address,
        .port              = (uint16_t)here->port,
        .handed_over       = here->handed_over,
        .tokens            = here->tokens.items,
        .token_count       = here->tokens.count,
        .is_token_needed   = here->token_file != NULL || deft_config_has_tokens(config),
        .tokens_changed    = tokens_changed,
        .tls_certificate   = here->tls[0].data,
        .tls_key           = here->tls[1].data,
        .tls_client_ca     = here->tls[2].data,
        .listening         = tell_listening,
    };
    return deft__invocation_has(&here->cli->invocation, DEFT__FLAG_HTTP)
               ? deft__serve_http(&options, error)
               : deft__serve_run(&options, error);
}

static int serve(deft__cli *cli, const deft_config *config)
{
    const bool  is_http = deft__invocation_has(&cli->invocation, DEFT__FLAG_HTTP);
    deft_error  error   = DEFT_ERROR_INIT;
    deft_status status  = DEFT_INVALID;
    site        here;
    init_site(&here, cli);
    if (enter(cli) && (!is_http || read_http(&here, config)) && prepare(&here)) {
        deft__store *store = deft__open_store(cli, config, 0);
        if (deft_config_server_count(config) == 0) {
            deft__note(&cli->output,
                       "no servers are configured: the agent will find no tools; put them "
                       "under mcpServers in ~/.config/deft/config.json");
        }
        status = run(&here, config, store, &error);
        if (status != DEFT_OK) {
            deft__complain(&cli->output, "%s", error.message);
        }
        // At the end, where nobody waits for it.
        (void)deft__store_prune(store, (uint64_t)time(NULL), NULL);
        deft__store_close(store);
    }
    clear_site(&here);
    return status == DEFT_OK ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

int deft__command_serve(deft__cli *cli)
{
    deft_config *config    = deft__config_read(cli);
    int          exit_code = DEFT__EXIT_WRONG;
    const bool   is_http   = deft__invocation_has(&cli->invocation, DEFT__FLAG_HTTP);
    if (config != NULL && !is_http && isatty(STDIN_FILENO) == 1) {
        explain(cli, config);
    } else if (config != NULL) {
        exit_code = serve(cli, config);
    }
    deft_config_free(config);
    return exit_code;
}
