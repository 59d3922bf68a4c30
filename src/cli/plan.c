// deft plan: whether tool search is active, and why each tool is where it is.
#include "base/glob.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/workspace.h"

// Whether the tool is one of those asked for: by name, id or pattern, by server, by place.
static bool is_chosen(const deft__cli *cli, const deft__workspace *workspace, deft_tool_id id)
{
    const deft_tool *tool  = deft_catalog_tool(workspace->catalog, id);
    const char      *place = deft__invocation_value(&cli->invocation, DEFT__FLAG_PLACE);
    if (!deft__is_server_chosen(cli, deft_catalog_server(workspace->catalog, tool->server))) {
        return false;
    }
    if (place != NULL &&
        strcmp(place, deft_place_name(deft_plan_decision(workspace->plan, id).place)) != 0) {
        return false;
    }
    bool is_named = cli->invocation.operand_count == 0;
    for (size_t i = 0; i < cli->invocation.operand_count && !is_named; i++) {
        const deft_view pattern = deft_view_of(cli->invocation.operands[i]);
        is_named = deft__glob_match(pattern, tool->id) || deft__glob_match(pattern, tool->name);
    }
    return is_named;
}

static size_t count_chosen(const deft__cli *cli, const deft__workspace *workspace)
{
    size_t count = 0;
    for (uint32_t i = 0; i < deft_catalog_tool_count(workspace->catalog); i++) {
        count += is_chosen(cli, workspace, (deft_tool_id){i}) ? 1 : 0;
    }
    return count;
}

static void explain(deft_buffer *out, const deft_plan *plan, deft_tool_id tool)
{
    deft_buffer_reset(out);
    if (deft_plan_explain(plan, tool, out) != DEFT_OK) {
        out->status = DEFT_OUT_OF_MEMORY;
    }
}

static void print_summary(deft__cli *cli, const deft__workspace *workspace)
{
    const deft_plan_summary *summary = deft_plan_summary_of(workspace->plan);
    deft_buffer             *out     = &cli->output.text;
    deft__print_cause(cli, workspace->plan);
    deft__append_count(out, deft_catalog_tool_count(workspace->catalog), "tool", "tools");
    deft_buffer_append_text(out, ": ");
    deft__append_number(out, summary->pinned_count);
    deft_buffer_append_text(out, " pinned, ");
    deft__append_number(out, summary->visible_count);
    deft_buffer_append_text(out, " visible, ");
    deft__append_number(out, summary->deferred_count);
    deft_buffer_append_text(out, " deferred\n");
}

static void print_table(deft__cli *cli, const deft__workspace *workspace)
{
    static const deft__column columns[] = {
        {"TOOL", false}, {"PLACE", false}, {"TOKENS", true}, {"WHY", false}};

    deft__table table;
    deft_buffer why;
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    deft_buffer_init(&why, NULL);
    for (uint32_t i = 0; i < deft_catalog_tool_count(workspace->catalog); i++) {
        const deft_tool_id id = {i};
        if (is_chosen(cli, workspace, id)) {
            const deft_place place = deft_plan_decision(workspace->plan, id).place;
            explain(&why, workspace->plan, id);
            deft__table_text(&table, deft_catalog_tool(workspace->catalog, id)->id);
            deft__table_colored(&table, deft__place_color(place),
                                deft_view_of(deft_place_name(place)));
            deft__table_number(&table, deft_plan_size(workspace->plan, id).tokens);
            deft__table_text(&table, deft_buffer_view(&why));
        }
    }
    print_summary(cli, workspace);
    if (table.cell_count > 0) {
        deft__print(&cli->output, "\n");
        if (deft__table_print(&table, &cli->output) != DEFT_OK) {
            cli->output.text.status = DEFT_OUT_OF_MEMORY;
        }
    }
    deft_buffer_clear(&why);
    deft__table_clear(&table);
}

static void write_tool(deft__json_writer *json, const deft__workspace *workspace, deft_tool_id id,
                       deft_buffer *why)
{
    const deft_tool    *tool     = deft_catalog_tool(workspace->catalog, id);
    const deft_decision decision = deft_plan_decision(workspace->plan, id);
    explain(why, workspace->plan, id);
    deft__json_begin_object(json);
    deft__json_name(json, "id");
    deft__json_write_string(json, tool->id);
    deft__json_name(json, "place");
    deft__json_write_text(json, deft_place_name(decision.place));
    deft__json_name(json, "reason");
    deft__json_write_text(json, deft_reason_name(decision.reason));
    deft__json_name(json, "rule");
    if (decision.rule.size > 0) {
        deft__json_write_string(json, decision.rule);
    } else {
        deft__json_write_null(json);
    }
    deft__json_name(json, "why");
    deft__json_write_string(json, deft_buffer_view(why));
    deft__json_name(json, "tokens");
    deft__json_write_uint64(json, deft_plan_size(workspace->plan, id).tokens);
    deft__json_end_object(json);
}

static void write_number(deft__json_writer *json, const char *name, uint64_t number)
{
    deft__json_name(json, name);
    deft__json_write_uint64(json, number);
}

static void print_json(deft__cli *cli, const deft__workspace *workspace)
{
    const deft_plan_summary *summary = deft_plan_summary_of(workspace->plan);
    deft_buffer              text;
    deft_buffer              why;
    deft__json_writer        json;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&why, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__write_json_window(&json, workspace->settings);
    deft__write_json_cause(&json, workspace->plan);
    write_number(&json, "deferrable", summary->deferrable_count);
    write_number(&json, "pinned", summary->pinned_count);
    write_number(&json, "visible", summary->visible_count);
    write_number(&json, "deferred", summary->deferred_count);
    write_number(&json, "measuredCharacters", summary->measured.characters);
    write_number(&json, "measuredTokens", summary->measured.tokens);
    write_number(&json, "deferredTokens", summary->deferred.tokens);
    deft__json_name(&json, "tools");
    deft__json_begin_array(&json);
    for (uint32_t i = 0; i < deft_catalog_tool_count(workspace->catalog); i++) {
        if (is_chosen(cli, workspace, (deft_tool_id){i})) {
            write_tool(&json, workspace, (deft_tool_id){i}, &why);
        }
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    deft_buffer_clear(&why);
    deft__print_result(&cli->output, &text);
}

// Says what was not found, with the nearest names where a single tool was asked for.
static void complain_nothing(const deft__cli *cli, const deft__workspace *workspace)
{
    const deft__invocation *invocation = &cli->invocation;
    deft_error              error      = DEFT_ERROR_INIT;
    deft_tool_id            tool       = {0};
    if (invocation->operand_count == 1 &&
        !deft__glob_is_pattern(deft_view_of(invocation->operands[0])) &&
        deft_catalog_resolve(workspace->catalog, deft_view_of(invocation->operands[0]), &tool,
                             &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    } else if (deft_catalog_tool_count(workspace->catalog) > 0) {
        deft__complain(&cli->output, "no tool is what was asked for");
    }
}

int deft__command_plan(deft__cli *cli)
{
    deft__workspace workspace;
    if (!deft__workspace_open(&workspace, cli)) {
        return DEFT__EXIT_WRONG;
    }
    const size_t count = count_chosen(cli, &workspace);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, &workspace);
    } else {
        print_table(cli, &workspace);
    }
    if (count == 0) {
        complain_nothing(cli, &workspace);
    }
    deft__workspace_close(&workspace);
    return count > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}
