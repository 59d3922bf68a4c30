// deft explain: why a search finds what it finds, term by term.
#include "deft/explain.h"
#include "cli/text.h"
#include "cli/workspace.h"

// The tool of --tool; false after complaining when there is no such tool. NULL: every hit.
static bool find_tool(deft__cli *cli, const deft_catalog *catalog, deft_tool_id *tool,
                      const deft_tool_id **chosen)
{
    const char *name  = deft__invocation_value(&cli->invocation, DEFT__FLAG_TOOL);
    deft_error  error = DEFT_ERROR_INIT;
    *chosen           = name != NULL ? tool : NULL;
    if (name != NULL &&
        deft_catalog_resolve(catalog, deft_view_of(name), tool, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return false;
    }
    return true;
}

static void print_explanation(deft__cli *cli, const deft_explanation *explanation)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        if (deft_explanation_write_json(explanation, &text) != DEFT_OK) {
            cli->output.text.status = DEFT_OUT_OF_MEMORY;
        }
        deft__print_result(&cli->output, &text);
    } else {
        if (deft_explanation_write(explanation, &text) != DEFT_OK) {
            cli->output.text.status = DEFT_OUT_OF_MEMORY;
        }
        deft__append_safe_text(&cli->output.text, deft_buffer_view(&text));
        deft_buffer_clear(&text);
    }
}

static int explain(deft__cli *cli, const deft__workspace *workspace, deft_searcher *searcher,
                   deft_view text)
{
    const deft_settings *settings = workspace->settings;
    const deft_query     query    = {
               .text    = text,
               .ranking = settings->ranking,
               .hits_max =
                   deft__invocation_number(&cli->invocation, DEFT__FLAG_LIMIT, settings->results_default),
    };
    deft_tool_id        tool   = {0};
    const deft_tool_id *chosen = NULL;
    deft_error          error  = DEFT_ERROR_INIT;
    if (!find_tool(cli, workspace->catalog, &tool, &chosen)) {
        return DEFT__EXIT_WRONG;
    }
    deft_explanation *explanation = deft_explanation_new(searcher, &query, chosen, NULL, &error);
    if (explanation == NULL) {
        deft__complain(&cli->output, "%s", error.message);
        return DEFT__EXIT_WRONG;
    }
    size_t              count    = 0;
    const deft_account *accounts = deft_explanation_accounts(explanation, &count);
    const bool          is_found = count > 0 && accounts[0].outcome == DEFT_OUTCOME_HIT;
    print_explanation(cli, explanation);
    deft_explanation_free(explanation);
    return is_found ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

int deft__command_explain(deft__cli *cli)
{
    return deft__search_with(cli, explain);
}
