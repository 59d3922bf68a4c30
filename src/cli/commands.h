// commands.h - the commands and flags of deft as two tables. The parser, the help, the man page and
// the completions are all printed from them, so they cannot disagree. To add a flag: one id here,
// one row in flags.c, and its bit in the commands of commands.c that take it.
#ifndef DEFT_CLI_COMMANDS_H
#define DEFT_CLI_COMMANDS_H

#include "deft/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct deft__cli deft__cli;

// What deft ends with, as in grep: scripts can tell "nothing" from "wrong".
enum {
    DEFT__EXIT_FOUND   = 0,
    DEFT__EXIT_NOTHING = 1,
    DEFT__EXIT_WRONG   = 2
};

typedef enum deft__flag_id {
    // Everywhere.
    DEFT__FLAG_CATALOG,
    DEFT__FLAG_CONFIG,
    DEFT__FLAG_PRESET,
    DEFT__FLAG_SET,
    DEFT__FLAG_CONTEXT_WINDOW,
    DEFT__FLAG_NO_MCP,
    DEFT__FLAG_JSON,
    DEFT__FLAG_QUIET,
    DEFT__FLAG_VERBOSE,
    DEFT__FLAG_HELP,
    DEFT__FLAG_VERSION,
    // Of some commands.
    DEFT__FLAG_SORT,
    DEFT__FLAG_SERVER,
    DEFT__FLAG_SERVERS,
    DEFT__FLAG_DEFINITIONS,
    DEFT__FLAG_FORM,
    DEFT__FLAG_PLACE,
    DEFT__FLAG_ORIGIN,
    DEFT__FLAG_USER,
    DEFT__FLAG_LIMIT,
    DEFT__FLAG_RANKING,
    DEFT__FLAG_MODEL,
    DEFT__FLAG_TOOL,
    DEFT__FLAG_COMPARE,
    DEFT__FLAG_QUERIES,
    DEFT__FLAG_EXTRA_TOOLS,
    DEFT__FLAG_STYLE,
    DEFT__FLAG_RANKINGS,
    DEFT__FLAG_MAN,
    DEFT__FLAG_GATEWAY,
    DEFT__FLAG_DISCOVER,
    DEFT__FLAG_CALLS,
    DEFT__FLAG_HTTP,
    DEFT__FLAG_TOKEN_FILE,
    DEFT__FLAG_HOST,
    DEFT__FLAG_ALLOW_ORIGIN,
    DEFT__FLAG_TLS_CERTIFICATE,
    DEFT__FLAG_TLS_KEY,
    DEFT__FLAG_TLS_CLIENT_CA,
    DEFT__FLAG_DENY,
    DEFT__FLAG_CALLS_PER_MINUTE,
    DEFT__FLAG_CONCURRENT_CALLS,
    DEFT__FLAG_SESSIONS,
    DEFT__FLAG_EXPIRES,
    DEFT__FLAG_SCOPE,
    DEFT__FLAG_CLIENT_ID,
    DEFT__FLAG_PASTE,
    DEFT__FLAG_COUNT
} deft__flag_id;

#define DEFT__FLAG_BIT(id) (UINT64_C(1) << (id))

typedef enum deft__value_kind {
    DEFT__VALUE_NONE,   // the flag is only there or not
    DEFT__VALUE_FILE,   // the name of a file
    DEFT__VALUE_PATH,   // the name of a file or a directory
    DEFT__VALUE_TEXT,   // anything but nothing
    DEFT__VALUE_PAIR,   // KEY=VALUE
    DEFT__VALUE_NUMBER, // a whole number from number_min to number_max
    DEFT__VALUE_CHOICE  // one of `choices`
} deft__value_kind;

typedef struct deft__flag {
    const char        *name;       // without its dashes
    const char        *value_name; // "FILE"; NULL for DEFT__VALUE_NONE
    const char        *help;       // one line, no full stop
    const char *const *choices;    // ends in NULL
    uint64_t           number_min;
    uint64_t           number_max;
    deft__value_kind   kind;
    char               letter;            // 0: there is only the long form
    bool               is_global;         // every command takes it
    bool               is_repeatable;     // each one counts; otherwise the last one does
    bool               is_value_optional; // without one it is the empty text
} deft__flag;

// Words that an operand may be, for completions.
typedef enum deft__operand_kind {
    DEFT__OPERAND_NONE,
    DEFT__OPERAND_TEXT,
    DEFT__OPERAND_COMMAND,
    DEFT__OPERAND_SHELL,
    DEFT__OPERAND_TOOL_SEARCH, // status or reset
    DEFT__OPERAND_QUARANTINE,  // add or remove
    DEFT__OPERAND_TOKEN,       // list, new or remove
    DEFT__OPERAND_SETTING,
    DEFT__OPERAND_DIRECTORY
} deft__operand_kind;

typedef struct deft__command {
    const char        *name;
    const char        *operands; // as help shows them: "[KEY [VALUE]]"; "" for none
    size_t             operand_count_min;
    size_t             operand_count_max;
    deft__operand_kind operand_kind;
    uint64_t           flags;       // DEFT__FLAG_BIT of those it takes beside the global ones
    const char        *summary;     // one line, no full stop
    const char        *description; // paragraphs, an empty line between them
    const char *const *examples;    // command lines, each followed by what it does; ends in NULL
    int (*run)(deft__cli *cli);
} deft__command;

const deft__flag    *deft__flag_at(deft__flag_id id);
const deft__command *deft__command_at(size_t index); // NULL past the last one
const deft__command *deft__command_named(deft_view name);
bool                 deft__command_takes(const deft__command *command, deft__flag_id id);

int deft__command_call(deft__cli *cli);
int deft__command_completions(deft__cli *cli);
int deft__command_context(deft__cli *cli);
int deft__command_demo(deft__cli *cli);
int deft__command_explain(deft__cli *cli);
int deft__command_eval(deft__cli *cli);
int deft__command_help(deft__cli *cli);
int deft__command_listing(deft__cli *cli);
int deft__command_login(deft__cli *cli);
int deft__command_logout(deft__cli *cli);
int deft__command_logs(deft__cli *cli);
int deft__command_model(deft__cli *cli);
int deft__command_plan(deft__cli *cli);
int deft__command_quarantine(deft__cli *cli);
int deft__command_search(deft__cli *cli);
int deft__command_serve(deft__cli *cli);
int deft__command_servers(deft__cli *cli);
int deft__command_settings(deft__cli *cli);
int deft__command_status(deft__cli *cli);
int deft__command_token(deft__cli *cli);
int deft__command_tool_search(deft__cli *cli);
int deft__command_tools(deft__cli *cli);
int deft__command_version(deft__cli *cli);

#endif
