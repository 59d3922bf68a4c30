// invocation.h - the words of a command line, sorted by the tables of commands.h. GNU style: flags
// stand anywhere, `--flag value` and `--flag=value` are the same, letters may be joined (-qv), and
// `--` ends the flags. The words are borrowed from main's argv.
#ifndef DEFT_CLI_INVOCATION_H
#define DEFT_CLI_INVOCATION_H

#include "cli/commands.h"
#include "deft/error.h"

typedef struct deft__given {
    deft__flag_id flag;
    const char   *value; // NULL for a flag without one
} deft__given;

typedef struct deft__invocation {
    const deft__command *command; // NULL: none was named
    deft__given         *given;   // flags in the order they were given
    size_t               given_count;
    const char         **operands;
    size_t               operand_count;
    size_t               capacity; // of both arrays: the number of words
} deft__invocation;

void deft__invocation_init(deft__invocation *invocation);
void deft__invocation_clear(deft__invocation *invocation);

// Sorts the `count` words after the program's name. On failure the message names the word, what is
// accepted and, where one is near, the word that was probably meant; what was understood so far
// stays, so that --quiet and --help before the mistake are still seen.
deft_status deft__invocation_parse(deft__invocation *invocation, size_t count,
                                   const char *const *words, deft_error *error);

bool        deft__invocation_has(const deft__invocation *invocation, deft__flag_id flag);
const char *deft__invocation_value(const deft__invocation *invocation,
                                   deft__flag_id           flag); // the last

// The number of a DEFT__VALUE_NUMBER flag, `otherwise` when it was not given.
uint64_t deft__invocation_number(const deft__invocation *invocation, deft__flag_id flag,
                                 uint64_t otherwise);

// Walks the values of a repeatable flag: start with *at = 0; NULL after the last.
const char *deft__invocation_next(const deft__invocation *invocation, deft__flag_id flag,
                                  size_t *at);

// A whole number in decimal, nothing else around it; false when it is not one or does not fit.
bool deft__parse_u64(deft_view text, uint64_t *number);

#endif
