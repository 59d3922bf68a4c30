// deft search: one search over the whole catalog. A model's search leaves out what it sees already;
// a person's does not, since there is nothing that a person sees already.
#include "cli/model.h"
#include "cli/search_live.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/workspace.h"
#include "deft/index.h"

#include <stdio.h>

// What of a description tells hits apart; --json has all of it.
#define DESCRIPTION_WIDTH 100

// The operands with a space between, so that a query needs no quotes.
static void join_query(const deft__cli *cli, deft_buffer *out)
{
    for (size_t i = 0; i < cli->invocation.operand_count; i++) {
        deft_buffer_append_text(out, i == 0 ? "" : " ");
        deft_buffer_append_text(out, cli->invocation.operands[i]);
    }
}

static void print_table(deft__cli *cli, const deft__workspace *workspace, const deft_hit *hits,
                        size_t count)
{
    static const deft__column columns[] = {
        {"TOOL", false}, {"SCORE", true}, {"TOKENS", true}, {"DESCRIPTION", false}};

    deft__table table;
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++) {
        const deft_tool *tool = deft_catalog_tool(workspace->catalog, hits[i].tool);
        char             score[32];
        snprintf(score, sizeof score, "%.2f", (double)hits[i].score);
        deft__table_colored(&table, DEFT__COLOR_BOLD, tool->id);
        deft__table_text(&table, deft_view_of(score));
        deft__table_number(&table, deft_sizes_tool(workspace->sizes, hits[i].tool).tokens);
        deft__table_cut(&table, tool->description, DESCRIPTION_WIDTH);
    }
    if (deft__table_print(&table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__table_clear(&table);
}

static void print_json(deft__cli *cli, const deft__workspace *workspace, deft_view query,
                       const deft_hit *hits, size_t count)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "query");
    deft__json_write_string(&json, query);
    deft__json_name(&json, "ranking");
    deft__json_write_text(&json, deft_ranking_name(workspace->settings->ranking));
    deft__json_name(&json, "hits");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < count; i++) {
        const deft_tool *tool = deft_catalog_tool(workspace->catalog, hits[i].tool);
        deft__json_begin_object(&json);
        deft__json_name(&json, "id");
        deft__json_write_string(&json, tool->id);
        deft__json_name(&json, "server");
        deft__json_write_string(&json, deft_catalog_server(workspace->catalog, tool->server)->name);
        deft__json_name(&json, "name");
        deft__json_write_string(&json, tool->name);
        deft__json_name(&json, "score");
        deft__json_write_double(&json, (double)hits[i].score);
        deft__json_name(&json, "tokens");
        deft__json_write_uint64(&json, deft_sizes_tool(workspace->sizes, hits[i].tool).tokens);
        deft__json_name(&json, "description");
        deft__json_write_string(&json, tool->description);
        deft__json_end_object(&json);
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
}

static int search(deft__cli *cli, const deft__workspace *workspace, deft_searcher *searcher,
                  deft_view text)
{
    const deft_settings *settings = workspace->settings;
    const deft_query     query    = {
               .text    = text,
               .ranking = settings->ranking,
               .hits_max =
                   deft__invocation_number(&cli->invocation, DEFT__FLAG_LIMIT, settings->results_default),
    };
    deft_error error = DEFT_ERROR_INIT;
    if (deft_searcher_run(searcher, &query, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return DEFT__EXIT_WRONG;
    }
    size_t          count = 0;
    const deft_hit *hits  = deft_searcher_hits(searcher, &count);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, workspace, text, hits, count);
    } else if (count > 0) {
        print_table(cli, workspace, hits, count);
    } else {
        deft__note(&cli->output, "no tool matches '%.*s'", (int)text.size, text.data);
    }
    return count > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

int deft__search_with(deft__cli *cli, int (*run)(deft__cli *cli, const deft__workspace *workspace,
                                                 deft_searcher *searcher, deft_view query))
{
    deft__workspace    workspace;
    deft__chosen_model chosen;
    if (!deft__workspace_open(&workspace, cli)) {
        return DEFT__EXIT_WRONG;
    }
    if (!deft__chosen_model_open(&chosen, cli)) {
        deft__workspace_close(&workspace);
        return DEFT__EXIT_WRONG;
    }
    deft_error error     = DEFT_ERROR_INIT;
    int        exit_code = DEFT__EXIT_WRONG;
    // One search: only what its ranking needs.
    const deft_index_options options = {
        .rankings = DEFT_RANKING_BIT(workspace.settings->ranking),
        .language = workspace.settings->language,
        .model    = chosen.model,
    };
    deft_index    *index    = deft_index_new_with(workspace.catalog, &options, NULL, &error);
    deft_searcher *searcher = index != NULL ? deft_searcher_new(index, NULL, &error) : NULL;
    if (searcher != NULL) {
        deft_buffer query;
        deft_buffer_init(&query, NULL);
        join_query(cli, &query);
        exit_code = run(cli, &workspace, searcher, deft_buffer_view(&query));
        deft_buffer_clear(&query);
    } else {
        deft__complain(&cli->output, "%s", error.message);
    }
    deft_searcher_free(searcher);
    deft_index_free(index);
    deft__chosen_model_close(&chosen);
    deft__workspace_close(&workspace);
    return exit_code;
}

int deft__command_search(deft__cli *cli)
{
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_CATALOG)) {
        return deft__search_with(cli, search);
    }
    deft_buffer query;
    deft_buffer_init(&query, NULL);
    join_query(cli, &query);
    const int exit_code = deft__search_live(cli, deft_buffer_view(&query));
    deft_buffer_clear(&query);
    return exit_code;
}
