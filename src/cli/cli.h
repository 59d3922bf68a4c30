// cli.h - one run of the program: what was asked and where the answer goes. Every command gets it.
#ifndef DEFT_CLI_CLI_H
#define DEFT_CLI_CLI_H

#include "cli/commands.h"
#include "cli/invocation.h"
#include "cli/output.h"

struct deft__cli {
    deft__invocation invocation;
    deft__output     output;
};

#endif
