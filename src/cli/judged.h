// judged.h - the directory of a judged set: tools.jsonl, queries.jsonl and further
// queries_NAME.jsonl, each of them possibly packed (.gz). See eval/set.h for what they hold.
#ifndef DEFT_CLI_JUDGED_H
#define DEFT_CLI_JUDGED_H

#include "cli/cli.h"
#include "deft/catalog.h"
#include "eval/set.h"

// One file of queries.
typedef struct deft__judged_queries {
    deft_view      name; // "bfcl", and "bfcl:short" for queries_short.jsonl
    deft__eval_set set;
} deft__judged_queries;

typedef struct deft__judged {
    deft_catalog         *catalog; // the set's tools, and those of --extra-tools
    deft__eval_tools      tools;
    uint32_t             *numbers; // of the catalog's tools among `tools`
    deft__judged_queries *queries;
    size_t                query_file_count;
    size_t                query_file_capacity;
    deft__arena           arena;
} deft__judged;

// Reads the set with the files of queries that --queries chooses; it may turn out to have none of
// them. False after complaining; there is nothing to close then.
bool deft__judged_open(deft__judged *judged, deft__cli *cli, const char *directory);
void deft__judged_close(deft__judged *judged);

#endif
