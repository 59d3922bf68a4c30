// deft listing: what the model sees upfront of what is deferred.
#include "deft/listing.h"

#include "cli/text.h"
#include "cli/workspace.h"

static void print_text(deft__cli *cli, const deft__workspace *workspace)
{
    const deft_listing_report *report = &workspace->upfront.report;
    deft__append_safe_text(&cli->output.text, deft_buffer_view(&workspace->upfront.listing));
    deft__note(&cli->output, "level %s: %zu of %zu deferred tools named, %llu tokens",
               deft_listing_level_name(report->level), report->named_count, report->tool_count,
               (unsigned long long)report->tokens);
}

static void print_json(deft__cli *cli, const deft__workspace *workspace)
{
    const deft__upfront *upfront = &workspace->upfront;
    deft_buffer          text;
    deft__json_writer    json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "active");
    deft__json_write_bool(&json, deft_plan_summary_of(workspace->plan)->is_active);
    deft__json_name(&json, "level");
    deft__json_write_text(&json, deft_listing_level_name(upfront->report.level));
    deft__json_name(&json, "tokens");
    deft__json_write_uint64(&json, upfront->report.tokens);
    deft__json_name(&json, "budgetTokens");
    deft__json_write_uint64(&json, workspace->settings->listing_budget_tokens);
    deft__json_name(&json, "deferred");
    deft__json_write_uint64(&json, upfront->report.tool_count);
    deft__json_name(&json, "named");
    deft__json_write_uint64(&json, upfront->report.named_count);
    deft__json_name(&json, "text");
    deft__json_write_string(&json, deft_buffer_view(&upfront->listing));
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
}

static void print_definitions(deft__cli *cli, const deft__workspace *workspace)
{
    const char *word = deft__invocation_value(&cli->invocation, DEFT__FLAG_FORM);
    deft_form   form = DEFT_FORM_MCP;
    deft_form_from_name(deft_view_of(word != NULL ? word : "mcp"), &form);

    deft_buffer text;
    deft_buffer_init(&text, NULL);
    if (deft__upfront_write(&workspace->upfront, workspace->plan, workspace->settings, form,
                            deft__naming_of(form), &text) != DEFT_OK) {
        text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__print_result(&cli->output, &text);
}

int deft__command_listing(deft__cli *cli)
{
    const bool is_whole = deft__invocation_has(&cli->invocation, DEFT__FLAG_DEFINITIONS);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_FORM) && !is_whole) {
        deft__complain(&cli->output, "--form says how --definitions are written; add that flag");
        return DEFT__EXIT_WRONG;
    }
    deft__workspace workspace;
    if (!deft__workspace_open(&workspace, cli)) {
        return DEFT__EXIT_WRONG;
    }
    const bool is_active = deft_plan_summary_of(workspace.plan)->is_active;
    if (is_whole) {
        print_definitions(cli, &workspace);
    } else if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, &workspace);
    } else if (is_active) {
        print_text(cli, &workspace);
    } else {
        deft_buffer why;
        deft_buffer_init(&why, NULL);
        if (deft_plan_explain_cause(workspace.plan, &why) == DEFT_OK) {
            deft__note(&cli->output, "nothing is deferred, so there is no listing: %.*s",
                       (int)why.size, why.data);
        }
        deft_buffer_clear(&why);
    }
    deft__workspace_close(&workspace);
    return is_whole || is_active ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}
