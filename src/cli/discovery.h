// discovery.h - finds the files that hold settings and hands them, the environment and the flags to
// a deft_config, weakest first.
#ifndef DEFT_CLI_DISCOVERY_H
#define DEFT_CLI_DISCOVERY_H

#include "cli/cli.h"
#include "deft/config.h"

// The user's file, ended with NUL, into `out`: $XDG_CONFIG_HOME/deft/config.json, or the same under
// ~/.config. False when neither variable is set to an absolute path, or without memory.
bool deft__user_file(deft_buffer *out);

// The project's own file, ended with NUL, into `out`: the nearest deft.json or .deft.json in the
// current directory or above it, up to the one with .git or the home directory. False when there
// is none.
bool deft__project_file(deft_buffer *out);

// Every setting of this run: files, environment, flags, joined. New: free with deft_config_free().
// NULL after complaining.
deft_config *deft__config_read(deft__cli *cli);

// Changes when one of the files that deft__config_read() would read does, or `more` (NULL: none), or when
// one comes or goes.
uint64_t deft__config_signature(const deft__cli *cli, const char *more);

// Whether a whole file of this text would be understood; `path` is for messages.
deft_status deft__config_check_text(const char *path, deft_view text, deft_error *error);

// As deft__config_read() from the flags alone, with toolSearch.enabled set to `mode` unless that is NULL.
deft_config *deft__config_read_flags(deft__cli *cli, const char *mode);

#endif
