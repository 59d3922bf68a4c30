// deft serve: the gateway, at stdin and stdout of the agent that started it.
#include "serve/serve.h"

#include "cli/discovery.h"
#include "cli/live.h"
#include "cli/text.h"
#include "serve/control.h"

#include <stdlib.h>
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

static int serve(deft__cli *cli, const deft_config *config)
{
    if (!enter(cli)) {
        return DEFT__EXIT_WRONG;
    }
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer folder;
    deft_buffer_init(&folder, NULL);
    const bool has_folder = deft__control_directory(
        getenv("XDG_RUNTIME_DIR"), getenv("XDG_STATE_HOME"), getenv("HOME"), &folder);
    deft__store              *store   = deft__open_store(cli, config);
    const deft__serve_options options = {
        .config            = config,
        .environment       = (const char *const *)environ,
        .store             = store,
        .note              = tell,
        .context           = cli,
        .input             = STDIN_FILENO,
        .output            = STDOUT_FILENO,
        .control_directory = has_folder ? folder.data : NULL,
    };
    if (deft_config_server_count(config) == 0) {
        deft__note(&cli->output,
                   "no servers are configured: the agent will find no tools; put them "
                   "under mcpServers in ~/.config/deft/config.json");
    }
    const deft_status status = deft__serve_run(&options, &error);
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    }
    deft__store_close(store);
    deft_buffer_clear(&folder);
    return status == DEFT_OK ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

int deft__command_serve(deft__cli *cli)
{
    deft_config *config    = deft__config_read(cli);
    int          exit_code = DEFT__EXIT_WRONG;
    if (config != NULL && isatty(STDIN_FILENO) == 1) {
        explain(cli, config);
    } else if (config != NULL) {
        exit_code = serve(cli, config);
    }
    deft_config_free(config);
    return exit_code;
}
