// command.h - which file a command is, and why it cannot be run. The system says "No such file" for
// a missing command, a missing interpreter and a missing directory alike; people want to know which.
#ifndef DEFT_IO_COMMAND_H
#define DEFT_IO_COMMAND_H

#include "deft/error.h"

#include <limits.h>

typedef struct deft__command {
    char path[PATH_MAX]; // to be run from `directory`
} deft__command;

// Finds `name` in the PATH of `environment`, as execvp() would; a name with a slash is a path,
// relative to `directory` (NULL: ours). DEFT_NOT_FOUND or DEFT_INVALID with a sentence.
deft_status deft__command_find(const char *name, const char *const *environment,
                               const char *directory, deft__command *command, deft_error *error);

// The sentence for a command that was found and could not be started: `code` is the errno.
deft_status deft__command_fail(const deft__command *command, int code, deft_error *error);

#endif
