// search_live.h - a search over the tools of the configured servers.
#ifndef DEFT_CLI_SEARCH_LIVE_H
#define DEFT_CLI_SEARCH_LIVE_H

#include "cli/cli.h"

// Through the gateway that runs here, or alone. Returns the exit code.
int deft__search_live(deft__cli *cli, deft_view query);

#endif
