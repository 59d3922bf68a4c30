#include "cli/commands.h"

static const char *const serve_examples[] = {
    "deft serve",
    "In a terminal: says how to put it into an agent's configuration",
    "{\"mcpServers\": {\"deft\": {\"command\": \"deft\", \"args\": [\"serve\"]}}}",
    "What an agent's configuration says",
    "deft serve --http 0.0.0.0:8443 --tls-certificate c.pem --tls-key k.pem",
    "For agents on other machines, in private; 'deft token new NAME' makes a token for each",
    NULL,
};

static const char *const status_examples[] = {
    "deft status",
    "What the gateway does, or what one would start with",
    NULL,
};

static const char *const servers_examples[] = {
    "deft servers --discover",
    "Every server, after those that are not known were asked what they offer",
    NULL,
};

static const char *const logs_examples[] = {
    "deft logs github",
    "What that server said on stderr",
    "deft logs --calls --limit 20",
    "The last 20 searches and calls, of all gateways that share the store",
    NULL,
};

static const char *const login_examples[] = {
    "deft login notes",
    "Opens a page of the server's, and keeps what comes of it",
    "deft login notes --paste",
    "On a machine without a browser",
    NULL,
};

static const char *const logout_examples[] = {
    "deft logout notes",
    "Forgets the login, here and in running gateways",
    NULL,
};

static const char *const call_examples[] = {
    "deft call weather::forecast city=Oslo days=3",
    "A value that is JSON is taken as that, anything else is a text",
    "deft call weather::forecast '{\"city\": \"Oslo\"}' --json",
    "Arguments as JSON, the result as the server gave it",
    NULL,
};

static const char *const quarantine_examples[] = {
    "deft quarantine add github",
    "Its tools are neither found nor called any more, here and in running gateways",
    NULL,
};

static const char *const token_examples[] = {
    "deft token new ci --server github --deny 'github::delete_*' --expires 90d",
    "For an agent that may reach one server, without what deletes",
    "deft token list",
    "Every token, what it may reach and its limits",
    "deft token remove ci",
    "It is turned away from now on, also by gateways that run",
    NULL,
};

static const char *const tool_search_examples[] = {
    "deft tool-search reset",
    "Measure and decide anew, and forget what was found",
    NULL,
};

static const char *const tools_examples[] = {
    "deft tools --catalog tools/ --servers",
    "What each server costs",
    "deft tools --catalog tools.json --definitions --form openai",
    "The definitions as the OpenAI API takes them",
    NULL,
};

static const char *const context_examples[] = {
    "deft context --catalog tools/ --context-window 128000",
    "What the tools cost in a window of 128,000 tokens, and what tool search saves",
    NULL,
};

static const char *const plan_examples[] = {
    "deft plan --catalog tools/ --preset claude-code",
    "What Claude Code would defer, and why",
    "deft plan --catalog tools/ 'github::*'",
    "The same question for some tools",
    NULL,
};

static const char *const listing_examples[] = {
    "deft listing --catalog tools/ --set toolSearch.listing=names",
    "Names only",
    "deft listing --catalog tools/ --definitions --form anthropic",
    "Every definition that the model starts with, search tool included",
    NULL,
};

static const char *const search_examples[] = {
    "deft search open a pull request",
    "What an agent would find among the tools of the configured servers",
    "deft search --catalog tools/ open a pull request",
    "The tools that a model would find with these words",
    "deft search --catalog tools/ --limit 1 --json 'send mail'",
    "The best one, for a program",
    NULL,
};

static const char *const explain_examples[] = {
    "deft explain --catalog tools/ open a pull request",
    "What each word gave each hit, through which field",
    "deft explain --catalog tools/ --tool github::create_issue report a bug",
    "Why this tool is found, or why it is not",
    NULL,
};

static const char *const eval_examples[] = {
    "deft eval sets/bfcl sets/azure-mcp",
    "How often the right tool is among the first hits",
    "deft eval --ranking hybrid --compare bm25 sets/bfcl",
    "What hybrid gains over bm25, and whether that is more than chance",
    NULL,
};

static const char *const model_examples[] = {
    "deft model info",
    "The model that is built in",
    "DEFT_MODEL=none deft search --catalog tools/ open a ticket",
    "A search by words alone",
    NULL,
};

static const char *const settings_examples[] = {
    "deft settings --origin",
    "Every setting, its value and where that came from",
    "deft settings toolSearch.minPct 5",
    "Set a key in the project's file, ./deft.json unless there is one above",
    "deft settings get toolSearch.minPct",
    "One value",
    NULL,
};

static const char *const demo_examples[] = {
    "deft demo",
    "Takes a second and needs nothing",
    NULL,
};

static const char *const completions_examples[] = {
    "source <(deft completions bash)",
    "Completion in this shell",
    NULL,
};

static const char *const help_examples[] = {
    "deft help --man | man -l -",
    "The manual page",
    NULL,
};

static const deft__command commands[] = {
    {
        .name     = "serve",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_MODEL) | DEFT__FLAG_BIT(DEFT__FLAG_HTTP) |
                 DEFT__FLAG_BIT(DEFT__FLAG_TOKEN_FILE) | DEFT__FLAG_BIT(DEFT__FLAG_HOST) |
                 DEFT__FLAG_BIT(DEFT__FLAG_ALLOW_ORIGIN) |
                 DEFT__FLAG_BIT(DEFT__FLAG_TLS_CERTIFICATE) | DEFT__FLAG_BIT(DEFT__FLAG_TLS_KEY) |
                 DEFT__FLAG_BIT(DEFT__FLAG_TLS_CLIENT_CA),
        .summary = "Run the gateway: one MCP server in front of all the others",
        .description =
            "Speaks MCP on stdin and stdout, for an agent that starts it. The servers behind it "
            "are "
            "those under mcpServers in deft.json or ~/.config/deft/config.json. They are found by "
            "search, started when one of their tools is called, and stopped when idle.\n\n"
            "What servers offer is kept in ~/.cache/deft/deft.db, so the next start asks nobody; "
            "DEFT_STORE=FILE or DEFT_STORE=none puts it elsewhere or nowhere.\n\n"
            "With --http it serves any number of agents: /mcp with tool search, /mcp/all with "
            "every "
            "tool listed, /mcp/SERVER for one server alone. An address that other machines can "
            "reach needs tokens: 'deft token new', or --token-file. With --tls-certificate and "
            "--tls-key it speaks TLS; both files are read again when they change.",
        .examples = serve_examples,
        .run      = deft__command_serve,
    },
    {
        .name     = "status",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary  = "Show what the gateway does and what its clients were given",
        .description =
            "Asks the gateway that was started in this directory, otherwise the newest one. Where "
            "none runs, it shows what one would start with, and ends with exit code 1.",
        .examples = status_examples,
        .run      = deft__command_status,
    },
    {
        .name     = "servers",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_DISCOVER) | DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary  = "Show the configured servers: state, protocol, tools, tokens, last error",
        .description =
            "A server is configured (known by name only), known (its tools are kept from last "
            "time), starting, ready, failed, disabled, quarantined or unauthorized. AGE is how "
            "long "
            "ago it last said what it offers.",
        .examples = servers_examples,
        .run      = deft__command_servers,
    },
    {
        .name              = "logs",
        .operands          = "[SERVER]",
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_CALLS) | DEFT__FLAG_BIT(DEFT__FLAG_LIMIT) |
                 DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary = "Show what a server said on stderr, or what was called",
        .description =
            "With a server: the newest 64 KiB of its stderr, from a gateway that runs. With "
            "--calls: "
            "the last searches and calls of the journal, 50 unless --limit says otherwise; with a "
            "server too, only those of its tools. IN and OUT are bytes.",
        .examples = logs_examples,
        .run      = deft__command_logs,
    },
    {
        .name              = "login",
        .operands          = "SERVER",
        .operand_count_min = 1,
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags = DEFT__FLAG_BIT(DEFT__FLAG_SCOPE) | DEFT__FLAG_BIT(DEFT__FLAG_CLIENT_ID) |
                 DEFT__FLAG_BIT(DEFT__FLAG_PASTE),
        .summary = "Log in to a remote server",
        .description =
            "Asks the server where its logins are (OAuth), shows the page there, and waits for ten "
            "minutes at a port of this machine until the browser comes back. With --paste the "
            "browser may be on another machine.\n\n"
            "What comes of it is kept in ~/.local/state/deft/logins.json, which only you can read, "
            "and renewed by itself; DEFT_LOGINS=FILE puts it elsewhere. Where the system has a "
            "keyring the file is sealed with a key from there; DEFT_KEYRING=off leaves it plain. "
            "Gateways that run take a login up at once.",
        .examples = login_examples,
        .run      = deft__command_login,
    },
    {
        .name              = "logout",
        .operands          = "SERVER",
        .operand_count_min = 1,
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .summary           = "Forget the login of a remote server",
        .description =
            "Forgets the tokens and, where deft has registered itself, the client. Then the "
            "authorization server is asked to revoke the tokens; where it does not, that is said.",
        .examples = logout_examples,
        .run      = deft__command_logout,
    },
    {
        .name              = "call",
        .operands          = "SERVER::TOOL [ARGUMENTS | - | NAME=VALUE...]",
        .operand_count_min = 1,
        .operand_count_max = SIZE_MAX,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary           = "Call a tool",
        .description =
            "ARGUMENTS is one JSON object, or - to read it from stdin. In NAME=VALUE a value that "
            "is "
            "JSON (7, true, [1]) is taken as that, and anything else is a text; NAME:=VALUE is "
            "always a text.\n\n"
            "Through the gateway that runs in this directory; otherwise the server is started and "
            "stopped again.\n\n"
            "Exit code 2 is for a tool that says that it failed, for one that was not called "
            "because "
            "its arguments do not fit or a hook refused it, and for one that gave no answer; "
            "stderr says which.",
        .examples = call_examples,
        .run      = deft__command_call,
    },
    {
        .name              = "quarantine",
        .operands          = "[add SERVER | remove SERVER]",
        .operand_count_max = 2,
        .operand_kind      = DEFT__OPERAND_QUARANTINE,
        .summary           = "Put a server aside, let it go, or list those that are",
        .description =
            "A server that is quarantined is neither searched nor called nor started, in gateways "
            "that run and in those to come, until it is removed from the list. Without more words "
            "the "
            "list is shown, with exit code 1 where it is empty. It is kept in the store.",
        .examples = quarantine_examples,
        .run      = deft__command_quarantine,
    },
    {
        .name              = "token",
        .operands          = "[list | new NAME | remove NAME]",
        .operand_count_max = 2,
        .operand_kind      = DEFT__OPERAND_TOKEN,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_SERVER) | DEFT__FLAG_BIT(DEFT__FLAG_TOOL) |
                 DEFT__FLAG_BIT(DEFT__FLAG_DENY) | DEFT__FLAG_BIT(DEFT__FLAG_CALLS_PER_MINUTE) |
                 DEFT__FLAG_BIT(DEFT__FLAG_CONCURRENT_CALLS) | DEFT__FLAG_BIT(DEFT__FLAG_SESSIONS) |
                 DEFT__FLAG_BIT(DEFT__FLAG_EXPIRES),
        .summary = "Make, list and remove tokens for agents that come over HTTP",
        .description =
            "new prints a token, this once, and writes its SHA-256 with what it may reach under "
            "http.tokens into the user's file, or into the one of --config. Without --server and "
            "--tool it may reach everything; --server, --tool and --deny may be given several "
            "times. All flags but --config are for new.\n\n"
            "Gateways that run look at their files every second: a new token works then, and one "
            "that was removed ends with all that it has open.",
        .examples = token_examples,
        .run      = deft__command_token,
    },
    {
        .name              = "tool-search",
        .operands          = "status | reset",
        .operand_count_min = 1,
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_TOOL_SEARCH,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary           = "Show what tool search does for each client, or start over",
        .description =
            "The same as the prompt tool-search that clients show as a slash command. status: what "
            "is deferred and loaded, and why. reset: measure and decide anew, and forget what was "
            "loaded.",
        .examples = tool_search_examples,
        .run      = deft__command_tool_search,
    },
    {
        .name     = "tools",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_SORT) | DEFT__FLAG_BIT(DEFT__FLAG_SERVER) |
                 DEFT__FLAG_BIT(DEFT__FLAG_SERVERS) | DEFT__FLAG_BIT(DEFT__FLAG_DEFINITIONS) |
                 DEFT__FLAG_BIT(DEFT__FLAG_FORM) | DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary = "Show what each tool and each server costs",
        .description =
            "Lists every tool with its place, its size in characters and its tokens, and what of "
            "it a model gets upfront: with tool search, nothing of a deferred tool.\n\n"
            "Tokens are estimated for the model family in toolSearch.tokenFamily.",
        .examples = tools_examples,
        .run      = deft__command_tools,
    },
    {
        .name     = "context",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary  = "Show what the definitions cost in the context window, and what is saved",
        .description =
            "Compares two starts of a session: with every definition in the context window, and "
            "with the visible ones, the search tools and their listing only.",
        .examples = context_examples,
        .run      = deft__command_context,
    },
    {
        .name              = "plan",
        .operands          = "[TOOL...]",
        .operand_count_max = SIZE_MAX,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_SERVER) | DEFT__FLAG_BIT(DEFT__FLAG_PLACE) |
                 DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary = "Show which tools are deferred, and why",
        .description =
            "Says first whether tool search is active and why, then for each tool its place "
            "(pinned, visible or deferred) and the rule that decided it. TOOL is a name, an id "
            "(server::tool) or a pattern with * and ?.",
        .examples = plan_examples,
        .run      = deft__command_plan,
    },
    {
        .name     = "listing",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_DEFINITIONS) | DEFT__FLAG_BIT(DEFT__FLAG_FORM) |
                 DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary = "Show what the model sees of the deferred tools",
        .description =
            "Prints the list of deferred tools as it stands in the search tool's description. Its "
            "level and its tokens go to stderr. Past its budget (toolSearch.listingBudgetTokens) "
            "the list says less, level by level.",
        .examples = listing_examples,
        .run      = deft__command_listing,
    },
    {
        .name              = "search",
        .operands          = "QUERY...",
        .operand_count_min = 1,
        .operand_count_max = SIZE_MAX,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_LIMIT) | DEFT__FLAG_BIT(DEFT__FLAG_RANKING) |
                 DEFT__FLAG_BIT(DEFT__FLAG_MODEL) | DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary = "Search the catalog, or the configured servers, as a model would",
        .description =
            "Runs one search in a fresh session and prints the hits, best first. Without "
            "--catalog it searches the tools of the configured servers.\n\n"
            "A query is a few words. select:NAME,NAME names tools exactly, +word makes "
            "a word required, and server:NAME narrows to a server.",
        .examples = search_examples,
        .run      = deft__command_search,
    },
    {
        .name              = "explain",
        .operands          = "QUERY...",
        .operand_count_min = 1,
        .operand_count_max = SIZE_MAX,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_LIMIT) | DEFT__FLAG_BIT(DEFT__FLAG_RANKING) |
                 DEFT__FLAG_BIT(DEFT__FLAG_MODEL) | DEFT__FLAG_BIT(DEFT__FLAG_TOOL) |
                 DEFT__FLAG_BIT(DEFT__FLAG_GATEWAY),
        .summary = "Show why a search finds what it finds",
        .description =
            "Runs one search as 'deft search' does and takes it apart: how many tools have each "
            "word, what was filtered and, for each hit, which word gave what share of its score "
            "through which field. The shares of a hit add up to its score.\n\n"
            "For a word that no tool has, the nearest words that tools have are named.",
        .examples = explain_examples,
        .run      = deft__command_explain,
    },
    {
        .name              = "eval",
        .operands          = "SETDIR...",
        .operand_count_min = 1,
        .operand_count_max = SIZE_MAX,
        .operand_kind      = DEFT__OPERAND_DIRECTORY,
        .flags = DEFT__FLAG_BIT(DEFT__FLAG_RANKING) | DEFT__FLAG_BIT(DEFT__FLAG_COMPARE) |
                 DEFT__FLAG_BIT(DEFT__FLAG_QUERIES) | DEFT__FLAG_BIT(DEFT__FLAG_EXTRA_TOOLS) |
                 DEFT__FLAG_BIT(DEFT__FLAG_STYLE) | DEFT__FLAG_BIT(DEFT__FLAG_RANKINGS) |
                 DEFT__FLAG_BIT(DEFT__FLAG_MODEL),
        .summary = "Measure how well a ranking finds the right tools",
        .description =
            "SETDIR holds tools.jsonl and queries.jsonl, and may hold further queries_NAME.jsonl, "
            "each of them possibly packed (.gz). A tool is a definition with an id. A query is "
            "{\"id\", \"query\", \"relevant\": [ids]}; optional are \"groups\" (lists of ids, any "
            "of which meets one need), \"grades\" (id to grade), \"partial\" (ids that are neither "
            "right nor wrong) and \"style\".\n\n"
            "R@k is the share of the needs that the first k hits meet, NDCG the same for the first "
            "ten with earlier ones counting more, MRR one over the rank of the first right hit, "
            "ALL@k the share of the queries whose needs are all met. Below each figure are the "
            "bounds between which 95 of 100 sets like this one would put it.\n\n"
            "--rankings writes a line {\"id\", \"ranked\": [ids]} for each query, at most 20 ids; "
            "with several files of queries all their lines, each with the name of its \"set\".",
        .examples = eval_examples,
        .run      = deft__command_eval,
    },
    {
        .name              = "model",
        .operands          = "[info]",
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_TEXT,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_MODEL),
        .summary           = "Show the model that finds tools by meaning",
        .description =
            "Prints the name, the version and the size of the model that searches use: the file of "
            "--model, else that of the variable DEFT_MODEL, else the one that is built in. 'none' "
            "in either place means words and synonyms alone.\n\n"
            "That is also how a program searches that was built without a model (-D "
            "DEFT_WITH_MODEL=OFF); --model and DEFT_MODEL bring one. The model counts in the "
            "ranking "
            "hybrid, and with English stems. A gateway takes it up where it is started, and 'deft "
            "status' names the one it has.",
        .examples = model_examples,
        .run      = deft__command_model,
    },
    {
        .name              = "settings",
        .operands          = "[get | set] [KEY [VALUE]]",
        .operand_count_max = 3,
        .operand_kind      = DEFT__OPERAND_SETTING,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_ORIGIN) | DEFT__FLAG_BIT(DEFT__FLAG_USER),
        .summary           = "Read and write settings",
        .description =
            "Without a key: every setting and its value. With a key: its value. With a key and a "
            "value: writes it to the project's file or, with --user, to the user's; comments and "
            "everything else in the file stay as they are.\n\n"
            "The command line wins over the environment, that over the project's file, that over "
            "the user's file, that over a preset, that over the default.",
        .examples = settings_examples,
        .run      = deft__command_settings,
    },
    {
        .name     = "demo",
        .operands = "",
        .flags    = DEFT__FLAG_BIT(DEFT__FLAG_MODEL),
        .summary  = "Show tool search on a catalog that comes with deft",
        .description =
            "Walks through what definitions cost, what is deferred, what the model sees in their "
            "place, three searches, and what is saved. The catalog is made up; the figures are "
            "computed.",
        .examples = demo_examples,
        .run      = deft__command_demo,
    },
    {
        .name              = "completions",
        .operands          = "bash | zsh | fish",
        .operand_count_min = 1,
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_SHELL,
        .summary           = "Write a completion script for a shell",
        .description       = "The script completes commands, flags, their values and the keys of "
                             "settings.",
        .examples          = completions_examples,
        .run               = deft__command_completions,
    },
    {
        .name              = "help",
        .operands          = "[COMMAND]",
        .operand_count_max = 1,
        .operand_kind      = DEFT__OPERAND_COMMAND,
        .flags             = DEFT__FLAG_BIT(DEFT__FLAG_MAN),
        .summary           = "Show help for deft or one of its commands",
        .description =
            "Without a command: all commands and the flags that every one of them takes.",
        .examples = help_examples,
        .run      = deft__command_help,
    },
    {
        .name        = "version",
        .operands    = "",
        .summary     = "Show the version",
        .description = "Prints the version of this program.",
        .run         = deft__command_version,
    },
};

const deft__command *deft__command_at(size_t index)
{
    return index < sizeof commands / sizeof commands[0] ? &commands[index] : NULL;
}

const deft__command *deft__command_named(deft_view name)
{
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        if (deft_view_equals(name, commands[i].name)) {
            return &commands[i];
        }
    }
    return NULL;
}

bool deft__command_takes(const deft__command *command, deft__flag_id id)
{
    return deft__flag_at(id)->is_global || (command->flags & DEFT__FLAG_BIT(id)) != 0;
}
