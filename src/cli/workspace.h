// workspace.h - what most commands start from: the settings, the catalog, what it costs, and the
// plan that follows from them.
#ifndef DEFT_CLI_WORKSPACE_H
#define DEFT_CLI_WORKSPACE_H

#include "cli/cli.h"
#include "cli/upfront.h"
#include "deft/config.h"
#include "deft/index.h"
#include "deft/policy.h"
#include "json/writer.h"

typedef struct deft__workspace {
    deft_config         *config;
    const deft_settings *settings; // borrowed from config
    deft_catalog        *catalog;
    deft_sizes          *sizes;
    deft_plan           *plan;
    deft__upfront        upfront;
} deft__workspace;

// Reads settings and --catalog. False after complaining; the workspace is then empty.
bool deft__workspace_open(deft__workspace *workspace, deft__cli *cli);

// The same with a config and a catalog at hand; both become the workspace's, also on failure.
bool deft__workspace_take(deft__workspace *workspace, deft__cli *cli, deft_config *config,
                          deft_catalog *catalog);

void deft__workspace_close(deft__workspace *workspace);

// Opens the workspace and a searcher over its catalog, joins the operands into a query, and lets
// `run` do the rest. Returns the exit code.
int deft__search_with(deft__cli *cli, int (*run)(deft__cli *cli, const deft__workspace *workspace,
                                                 deft_searcher *searcher, deft_view query));

// The server's name as shown: tools without a server get a word for it.
deft_view deft__server_label(const deft_server *server);

// Whether a server is meant by --server; always, when the flag is not there.
bool deft__is_server_chosen(const deft__cli *cli, const deft_server *server);

// Complains that --server fits nothing, with the nearest name.
void deft__complain_server(const deft__cli *cli, const deft_catalog *catalog);

// Prints whether tool search is active and why, as one line.
void deft__print_cause(deft__cli *cli, const deft_plan *plan);

// Members that several commands write the same way.
void deft__write_json_window(deft__json_writer *json, const deft_settings *settings);
void deft__write_json_cause(deft__json_writer *json, const deft_plan *plan);

deft__color deft__place_color(deft_place place);

#endif
