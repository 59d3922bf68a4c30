// help.h - help and the manual page, printed from the tables of commands.h.
#ifndef DEFT_CLI_HELP_H
#define DEFT_CLI_HELP_H

#include "cli/commands.h"
#include "deft/buffer.h"

// `deft help`, and `deft help COMMAND`.
void deft__help_write(deft_buffer *out);
void deft__help_write_command(deft_buffer *out, const deft__command *command);

// Commands and flags as one JSON object.
void deft__help_write_json(deft_buffer *out);

// deft(1) in the man macros of roff.
void deft__manual_write(deft_buffer *out);

#endif
