// deft context: what the definitions cost in the context window now, and what is saved.
#include "cli/table.h"
#include "cli/workspace.h"

// One line of the comparison.
static void add_row(deft__table *table, const char *name, bool has_count, uint64_t count,
                    uint64_t tokens, uint64_t window)
{
    deft__table_text(table, deft_view_of(name));
    if (has_count) {
        deft__table_number(table, count);
    } else {
        deft__table_empty(table);
    }
    deft__table_number(table, tokens);
    deft__table_percent(table, tokens, window);
}

static void print_table(deft__cli *cli, const deft__workspace *workspace)
{
    static const deft__column columns[] = {
        {"DEFINITIONS", false}, {"TOOLS", true}, {"TOKENS", true}, {"OF WINDOW", true}};

    const deft__upfront     *upfront = &workspace->upfront;
    const deft_plan_summary *summary = deft_plan_summary_of(workspace->plan);
    const uint64_t           window  = workspace->settings->context_window_tokens;
    const int64_t            saved   = deft__upfront_saved(upfront);
    const size_t             visible = summary->pinned_count + summary->visible_count;

    deft__table table;
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    add_row(&table, "all", true, visible + summary->deferred_count, upfront->all_tokens, window);
    add_row(&table, "visible", true, visible, upfront->now_tokens - upfront->search_tokens, window);
    add_row(&table, "tool search", true, upfront->tool_count, upfront->search_tokens, window);
    add_row(&table, "now", true, visible + upfront->tool_count, upfront->now_tokens, window);
    add_row(&table, saved >= 0 ? "saved" : "added", false, 0,
            (uint64_t)(saved >= 0 ? saved : -saved), window);

    deft__print_cause(cli, workspace->plan);
    deft__print(&cli->output, "\n");
    if (deft__table_print(&table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__table_clear(&table);
}

static void write_part(deft__json_writer *json, const char *name, uint64_t tools, int64_t tokens,
                       uint64_t window)
{
    deft__json_name(json, name);
    deft__json_begin_object(json);
    deft__json_name(json, "tools");
    deft__json_write_uint64(json, tools);
    deft__json_name(json, "tokens");
    deft__json_write_int64(json, tokens);
    deft__json_name(json, "percent");
    // To 1/100 percent: what an estimate can bear.
    const int64_t permyriad = (int64_t)((double)tokens * 10000.0 / (double)window);
    deft__json_write_double(json, (double)permyriad / 100.0);
    deft__json_end_object(json);
}

static void print_json(deft__cli *cli, const deft__workspace *workspace)
{
    const deft__upfront     *upfront = &workspace->upfront;
    const deft_plan_summary *summary = deft_plan_summary_of(workspace->plan);
    const uint64_t           window  = workspace->settings->context_window_tokens;
    const size_t             visible = summary->pinned_count + summary->visible_count;

    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__write_json_window(&json, workspace->settings);
    deft__write_json_cause(&json, workspace->plan);
    write_part(&json, "all", visible + summary->deferred_count, (int64_t)upfront->all_tokens,
               window);
    write_part(&json, "visible", visible, (int64_t)(upfront->now_tokens - upfront->search_tokens),
               window);
    write_part(&json, "search", upfront->tool_count, (int64_t)upfront->search_tokens, window);
    write_part(&json, "now", visible + upfront->tool_count, (int64_t)upfront->now_tokens, window);
    write_part(&json, "saved", summary->deferred_count, deft__upfront_saved(upfront), window);
    deft__json_name(&json, "listing");
    deft__json_begin_object(&json);
    deft__json_name(&json, "level");
    deft__json_write_text(&json, deft_listing_level_name(upfront->report.level));
    deft__json_name(&json, "tokens");
    deft__json_write_uint64(&json, upfront->report.tokens);
    deft__json_end_object(&json);
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
}

int deft__command_context(deft__cli *cli)
{
    deft__workspace workspace;
    if (!deft__workspace_open(&workspace, cli)) {
        return DEFT__EXIT_WRONG;
    }
    const bool is_empty = deft_catalog_tool_count(workspace.catalog) == 0;
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, &workspace);
    } else {
        print_table(cli, &workspace);
    }
    deft__workspace_close(&workspace);
    return is_empty ? DEFT__EXIT_NOTHING : DEFT__EXIT_FOUND;
}
