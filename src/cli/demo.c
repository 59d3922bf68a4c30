// deft demo: tool search from the model's side, on a catalog that comes with the program. First
// everything is computed, then it is told, for a person or as JSON.
#include "cli/demo.h"

#include "cli/discovery.h"
#include "cli/model.h"
#include "cli/report.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/workspace.h"
#include "deft/bridge.h"
#include "deft/session.h"

// What agents ask for: a few words, and not the words of the definition.
static const char *const queries[] = {
    "give a customer their money back",
    "error log lines of a service",
    "when are we all free for a meeting",
};

#define QUERY_COUNT (sizeof queries / sizeof queries[0])
#define HITS_MAX    3

typedef struct found {
    deft_tool_id hits[HITS_MAX];
    size_t       hit_count;
    uint64_t     tokens; // of the answer and, where tools join the list, of their definitions
} found;

typedef struct demo {
    deft__workspace    workspace;
    deft__chosen_model chosen;
    deft_index        *index;
    deft_searcher     *searcher;
    deft_session      *session;
    found              searches[QUERY_COUNT];
    uint64_t           found_tokens; // of all three
    bool               is_forced;    // the settings left tool search off
} demonstration;

// --- Computing. ----------------------------------------------------------------------------------

static deft_catalog *build_catalog(deft_error *error)
{
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, error);
    deft_catalog         *catalog = NULL;
    deft_status           status  = builder != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    for (size_t i = 0; i < deft__demo_source_count && status == DEFT_OK; i++) {
        const deft__demo_source *file   = &deft__demo_sources[i];
        const deft_source        source = {.label = deft_view_of(file->name)};
        const deft_view          text   = deft_view_make((const char *)file->data, file->size);
        status                          = deft_catalog_builder_add(builder, &source, text, error);
    }
    if (status == DEFT_OK) {
        catalog = deft_catalog_builder_finish(builder, error);
    }
    deft_catalog_builder_free(builder);
    return catalog;
}

// Flags only: a demonstration shows the same to everybody. `mode` NULL leaves it to them.
static bool open_workspace(deft__cli *cli, demonstration *demo, const char *mode)
{
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = deft__config_read_flags(cli, mode);
    if (config == NULL) {
        return false;
    }
    deft_catalog *catalog = build_catalog(&error);
    if (catalog == NULL) {
        deft__complain(&cli->output, "%s", error.message);
        deft_config_free(config);
        return false;
    }
    return deft__workspace_take(&demo->workspace, cli, config, catalog);
}

static void take_hits(demonstration *demo, found *search, uint32_t number)
{
    size_t                count   = 0;
    const deft_seen_tool *visible = deft_session_visible(demo->session, &count);
    for (size_t i = 0; i < count && search->hit_count < HITS_MAX; i++) {
        if (visible[i].state == DEFT_SEEN_LOADED && visible[i].search == number) {
            search->hits[search->hit_count++] = visible[i].tool;
            if (demo->workspace.settings->style == DEFT_STYLE_LOAD) {
                search->tokens += deft_sizes_tool(demo->workspace.sizes, visible[i].tool).tokens;
            }
        }
    }
}

static deft_status run_search(demonstration *demo, size_t i, deft_answer *answer, deft_error *error)
{
    const deft_settings *settings = demo->workspace.settings;
    deft_buffer          arguments;
    deft__json_writer    json;
    deft_buffer_init(&arguments, NULL);
    deft__json_writer_init(&json, &arguments);
    deft__json_begin_object(&json);
    deft__json_name(&json, "query");
    deft__json_write_text(&json, queries[i]);
    deft__json_name(&json, "max_results");
    deft__json_write_uint64(&json, HITS_MAX);
    deft__json_end_object(&json);
    const deft_status status = deft_bridge_search(demo->session, demo->searcher, settings,
                                                  deft_buffer_view(&arguments), answer, error);
    deft_buffer_clear(&arguments);
    if (status == DEFT_OK) {
        demo->searches[i].tokens =
            deft_tokens_estimate(deft_buffer_view(&answer->text), settings->token_family);
        take_hits(demo, &demo->searches[i], (uint32_t)i + 1);
        demo->found_tokens += demo->searches[i].tokens;
    }
    return status;
}

static bool run_searches(deft__cli *cli, demonstration *demo)
{
    deft_error             error     = DEFT_ERROR_INIT;
    const deft__workspace *workspace = &demo->workspace;
    if (!deft__chosen_model_open(&demo->chosen, cli)) {
        return false;
    }
    const deft_index_options options = {.language = workspace->settings->language,
                                        .model    = demo->chosen.model};
    demo->index = deft_index_new_with(workspace->catalog, &options, NULL, &error);
    if (demo->index != NULL) {
        demo->searcher = deft_searcher_new(demo->index, NULL, &error);
        demo->session  = deft_session_new(workspace->plan, workspace->settings, NULL, &error);
    }
    deft_status status = demo->searcher != NULL && demo->session != NULL ? DEFT_OK : error.status;
    deft_answer answer;
    deft_answer_init(&answer, NULL);
    for (size_t i = 0; i < QUERY_COUNT && status == DEFT_OK; i++) {
        status = run_search(demo, i, &answer, &error);
    }
    deft_answer_clear(&answer);
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    }
    return status == DEFT_OK;
}

static uint64_t used_tokens(const demonstration *demo)
{
    return demo->workspace.upfront.now_tokens + demo->found_tokens;
}

// --- Telling a person. ---------------------------------------------------------------------------

static void print_heading(deft__output *output, const char *text)
{
    deft__print(output, "\n");
    deft__print_colored(output, DEFT__COLOR_BOLD, deft_view_of(text));
    deft__print(output, "\n\n");
}

static void print_table(deft__output *output, const deft__table *table)
{
    if (deft__table_print(table, output) != DEFT_OK) {
        output->text.status = DEFT_OUT_OF_MEMORY;
    }
}

static void print_cost(deft__output *output, const deft__workspace *workspace)
{
    static const deft__column columns[] = {
        {"SERVER", false}, {"TOOLS", true}, {"TOKENS", true}, {"ABOUT", false}};

    deft__table table;
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < deft_catalog_server_count(workspace->catalog); i++) {
        const deft_server_id id     = {i};
        const deft_server   *server = deft_catalog_server(workspace->catalog, id);
        deft__table_text(&table, server->name);
        deft__table_number(&table, server->tool_count);
        deft__table_number(&table, deft_sizes_server(workspace->sizes, id).tokens);
        deft__table_text(&table, server->title);
    }
    print_heading(output, "1. What the definitions cost");
    print_table(output, &table);
    deft__table_clear(&table);

    const deft_plan_summary *summary = deft_plan_summary_of(workspace->plan);
    const uint64_t           window  = workspace->settings->context_window_tokens;
    deft__print(output, "\nAll of them together: ");
    deft__append_number(&output->text, summary->total.tokens);
    deft__print(output, " tokens, ");
    deft__append_percent(&output->text, summary->total.tokens, window);
    deft__print(output, " of a window of ");
    deft__append_number(&output->text, window);
    deft__print(output, ", before a model has read its task.\n");
}

static void print_plan(deft__cli *cli, const demonstration *demo)
{
    deft__output            *output  = &cli->output;
    const deft_plan_summary *summary = deft_plan_summary_of(demo->workspace.plan);
    print_heading(output, "2. What is deferred");
    if (demo->is_forced) {
        deft__print(output, "These settings leave tool search off; for this demonstration it is "
                            "on.\n");
    }
    deft__print_cause(cli, demo->workspace.plan);
    deft__append_count(&output->text, summary->deferred_count, "tool is", "tools are");
    deft__print(output, " withheld until a search finds them; ");
    deft__append_count(&output->text, summary->pinned_count + summary->visible_count, "stays",
                       "stay");
    deft__print(output, " visible.\n");
}

// The first lines of the listing: enough to see what it looks like.
static void print_listing(deft__output *output, const deft__workspace *workspace)
{
    const size_t    lines_max = 6;
    const deft_view listing   = deft_buffer_view(&workspace->upfront.listing);
    size_t          at        = 0;
    for (size_t i = 0; i < lines_max && at < listing.size; i++) {
        const char  *end  = memchr(listing.data + at, '\n', listing.size - at);
        const size_t size = end != NULL ? (size_t)(end - listing.data) - at : listing.size - at;
        deft__print(output, "    ");
        deft__append_cut_line(&output->text, deft_view_slice(listing, at, size), 92);
        deft__print(output, "\n");
        at += size + 1;
    }
    if (at < listing.size) {
        deft__print(output, "    ...\n");
    }
}

static void print_upfront(deft__output *output, const deft__workspace *workspace)
{
    const deft__upfront *upfront  = &workspace->upfront;
    const deft_settings *settings = workspace->settings;
    print_heading(output, "3. What the model sees in their place");
    deft_buffer_append(&output->text, settings->search_name);
    if (upfront->tool_count > 1) {
        deft__print(output, ", ");
        deft_buffer_append(&output->text, settings->describe_name);
        deft__print(output, " and ");
        deft_buffer_append(&output->text, settings->call_name);
    }
    deft__print(output, ", with a list of what can be found (level ");
    deft__print(output, deft_listing_level_name(upfront->report.level));
    deft__print(output, "): ");
    deft__append_number(&output->text, upfront->search_tokens);
    deft__print(output, " tokens.\n\n");
    print_listing(output, workspace);
}

static void print_search(deft__output *output, const demonstration *demo, size_t i)
{
    const found *search = &demo->searches[i];
    deft__print(output, i == 0 ? "" : "\n");
    deft__print_colored(output, DEFT__COLOR_CYAN, deft_view_of(queries[i]));
    deft__print(output, "\n");
    for (size_t j = 0; j < search->hit_count; j++) {
        const deft_tool *tool = deft_catalog_tool(demo->workspace.catalog, search->hits[j]);
        deft__print(output, "    ");
        const size_t start = output->text.size;
        deft_buffer_append(&output->text, tool->id);
        for (size_t k = output->text.size - start; k < 30; k++) {
            deft__print(output, " ");
        }
        deft__print(output, "  ");
        deft__append_cut_line(&output->text, tool->description, 60);
        deft__print(output, "\n");
    }
    deft__print(output, search->hit_count > 0 ? "    Found and ready to call, for "
                                              : "    Nothing found, for ");
    deft__append_number(&output->text, search->tokens);
    deft__print(output, " tokens.\n");
}

static void add_sum(deft__table *table, const char *name, uint64_t tokens, uint64_t all)
{
    deft__table_text(table, deft_view_of(name));
    deft__table_number(table, tokens);
    deft__table_percent(table, tokens, all);
}

static void print_savings(deft__output *output, const demonstration *demo)
{
    static const deft__column columns[] = {{"", false}, {"TOKENS", true}, {"OF ALL", true}};

    const uint64_t all  = demo->workspace.upfront.all_tokens;
    const uint64_t used = used_tokens(demo);
    deft__table    table;
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    add_sum(&table, "every definition upfront", all, all);
    add_sum(&table, "tool search upfront", demo->workspace.upfront.now_tokens, all);
    add_sum(&table, "three searches", demo->found_tokens, all);
    add_sum(&table, "saved", all > used ? all - used : 0, all);
    print_heading(output, "5. What was saved");
    print_table(output, &table);
    deft__table_clear(&table);
}

static void print_demo(deft__cli *cli, const demonstration *demo)
{
    deft__output       *output  = &cli->output;
    const deft_catalog *catalog = demo->workspace.catalog;
    deft__print(output, "Tool search on a made-up catalog: ");
    deft__append_count(&output->text, deft_catalog_tool_count(catalog), "tool", "tools");
    deft__print(output, " of ");
    deft__append_count(&output->text, deft_catalog_server_count(catalog), "server", "servers");
    deft__print(output, ".\n");
    print_cost(output, &demo->workspace);
    print_plan(cli, demo);
    print_upfront(output, &demo->workspace);
    print_heading(output, "4. Three searches");
    deft__report_search(output, deft_view_of(deft_ranking_name(demo->workspace.settings->ranking)),
                        deft__chosen_model_name(&demo->chosen, demo->workspace.settings));
    deft__print(output, "\n");
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        print_search(output, demo, i);
    }
    print_savings(output, demo);
    print_heading(output, "What to try next");
    deft__print(
        output,
        "    deft context --catalog FILE|DIR       the same sums for your own tools\n"
        "    deft plan --catalog FILE|DIR          which of them are deferred, and why\n"
        "    deft search --catalog FILE|DIR WORDS  what a model would find\n"
        "    deft settings                         everything that can be set\n"
        "    deft serve                            how to put it before an agent's servers\n");
}

// --- Telling a program. --------------------------------------------------------------------------

static void write_number(deft__json_writer *json, const char *name, uint64_t number)
{
    deft__json_name(json, name);
    deft__json_write_uint64(json, number);
}

static void write_model(deft__json_writer *json, const demonstration *demo)
{
    const deft_view name = deft__chosen_model_name(&demo->chosen, demo->workspace.settings);
    deft__json_name(json, "model");
    if (name.size > 0) {
        deft__json_write_string(json, name);
    } else {
        deft__json_write_null(json);
    }
}

static void write_searches(deft__json_writer *json, const demonstration *demo)
{
    deft__json_name(json, "searches");
    deft__json_begin_array(json);
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        deft__json_begin_object(json);
        deft__json_name(json, "query");
        deft__json_write_text(json, queries[i]);
        deft__json_name(json, "hits");
        deft__json_begin_array(json);
        for (size_t j = 0; j < demo->searches[i].hit_count; j++) {
            const deft_tool_id hit = demo->searches[i].hits[j];
            deft__json_write_string(json, deft_catalog_tool(demo->workspace.catalog, hit)->id);
        }
        deft__json_end_array(json);
        write_number(json, "tokens", demo->searches[i].tokens);
        deft__json_end_object(json);
    }
    deft__json_end_array(json);
}

static void print_json(deft__output *output, const demonstration *demo)
{
    const deft__workspace *workspace = &demo->workspace;
    deft_buffer            text;
    deft__json_writer      json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__write_json_window(&json, workspace->settings);
    deft__write_json_cause(&json, workspace->plan);
    write_number(&json, "servers", deft_catalog_server_count(workspace->catalog));
    write_number(&json, "tools", deft_catalog_tool_count(workspace->catalog));
    write_number(&json, "deferred", deft_plan_summary_of(workspace->plan)->deferred_count);
    write_number(&json, "allTokens", workspace->upfront.all_tokens);
    write_number(&json, "upfrontTokens", workspace->upfront.now_tokens);
    write_model(&json, demo);
    write_searches(&json, demo);
    write_number(&json, "usedTokens", used_tokens(demo));
    deft__json_end_object(&json);
    deft__print_result(output, &text);
}

int deft__command_demo(deft__cli *cli)
{
    demonstration demo      = {.is_forced = false};
    int           exit_code = DEFT__EXIT_WRONG;
    bool          is_open   = open_workspace(cli, &demo, NULL);
    if (is_open && !deft_plan_summary_of(demo.workspace.plan)->is_active) {
        deft__workspace_close(&demo.workspace);
        demo.is_forced = true;
        is_open        = open_workspace(cli, &demo, "on");
    }
    if (is_open && run_searches(cli, &demo)) {
        if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
            print_json(&cli->output, &demo);
        } else {
            print_demo(cli, &demo);
        }
        exit_code = DEFT__EXIT_FOUND;
    }
    deft_session_free(demo.session);
    deft_searcher_free(demo.searcher);
    deft_index_free(demo.index);
    deft__chosen_model_close(&demo.chosen);
    deft__workspace_close(&demo.workspace);
    return exit_code;
}
