// catalogs.h - reads the files and folders behind --catalog into one catalog.
#ifndef DEFT_CLI_CATALOGS_H
#define DEFT_CLI_CATALOGS_H

#include "cli/cli.h"
#include "deft/catalog.h"
#include "deft/config.h"

// The catalog of all that --catalog names, or of the configured servers where it names nothing, without
// the tools of MCP servers where the settings say so. What could not be used is told on stderr, summed up or, with --verbose, one by one. Call
// deft_catalog_release() on it. NULL after complaining.
deft_catalog *deft__catalog_read(deft__cli *cli, deft_config *config);

// Complains that there is nothing to read, and says what to do.
void deft__complain_no_catalog(const deft__cli *cli);

// `catalog` (released) without its MCP servers; `left_out` counts their tools. NULL on failure.
deft_catalog *deft__catalog_without_mcp(deft_catalog *catalog, size_t *left_out, deft_error *error);

#endif
