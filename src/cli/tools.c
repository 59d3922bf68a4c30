// deft tools: what each tool and each server costs, with and without deferral.
#include "base/memory.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/workspace.h"

#include <stdlib.h>

// One server or tool, with what it may be sorted by.
typedef struct item {
    uint32_t  index; // in the catalog
    uint64_t  tokens;
    deft_view name;
} item;

typedef struct ordered {
    item  *servers; // those that were asked for
    size_t server_count;
    item  *tools; // by catalog index of the server's first tool: each server's in its order
    size_t tool_count;
} ordered;

static int compare_views(deft_view a, deft_view b)
{
    const size_t size  = a.size < b.size ? a.size : b.size;
    const int    order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// Catalog order decides what the wanted order leaves open, so the output is always the same.
static int by_catalog(const void *a, const void *b)
{
    const item *left  = a;
    const item *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

static int by_name(const void *a, const void *b)
{
    const int order = compare_views(((const item *)a)->name, ((const item *)b)->name);
    return order != 0 ? order : by_catalog(a, b);
}

static int by_tokens(const void *a, const void *b)
{
    const item *left  = a;
    const item *right = b;
    const int   order = (left->tokens < right->tokens) - (left->tokens > right->tokens);
    return order != 0 ? order : by_catalog(a, b);
}

typedef int (*comparison)(const void *a, const void *b);

static comparison chosen_order(const deft__cli *cli)
{
    const char *word = deft__invocation_value(&cli->invocation, DEFT__FLAG_SORT);
    if (word == NULL || strcmp(word, "tokens") == 0) {
        return by_tokens;
    } else {
        return strcmp(word, "name") == 0 ? by_name : by_catalog;
    }
}

static void ordered_clear(ordered *order, const deft_catalog *catalog)
{
    const size_t servers = deft_catalog_server_count(catalog);
    deft__free(NULL, order->servers, servers * sizeof order->servers[0]);
    deft__free(NULL, order->tools, order->tool_count * sizeof order->tools[0]);
}

static bool ordered_init(ordered *order, const deft__cli *cli, const deft__workspace *workspace)
{
    const deft_catalog *catalog = workspace->catalog;
    const size_t        servers = deft_catalog_server_count(catalog);
    const comparison    compare = chosen_order(cli);
    *order                      = (ordered){.tool_count = deft_catalog_tool_count(catalog)};
    if (order->tool_count == 0) {
        return true;
    }
    order->servers = deft__new(NULL, servers * sizeof order->servers[0]);
    order->tools   = deft__new(NULL, order->tool_count * sizeof order->tools[0]);
    if (order->servers == NULL || order->tools == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < order->tool_count; i++) {
        const deft_tool_id id = {i};
        order->tools[i]       = (item){.index  = i,
                                       .tokens = deft_sizes_tool(workspace->sizes, id).tokens,
                                       .name   = deft_catalog_tool(catalog, id)->name};
    }
    for (uint32_t i = 0; i < servers; i++) {
        const deft_server_id id     = {i};
        const deft_server   *server = deft_catalog_server(catalog, id);
        if (server->tool_count > 0 && deft__is_server_chosen(cli, server)) {
            const uint64_t tokens = deft_sizes_server(workspace->sizes, id).tokens;
            order->servers[order->server_count++] =
                (item){.index = i, .tokens = tokens, .name = server->name};
            qsort(order->tools + server->first_tool.index, server->tool_count,
                  sizeof order->tools[0], compare);
        }
    }
    if (order->server_count > 0) {
        qsort(order->servers, order->server_count, sizeof order->servers[0], compare);
    }
    return true;
}

// What is added up for a server, and for all of them.
typedef struct sums {
    uint64_t tools;
    uint64_t characters;
    uint64_t tokens;
    uint64_t visible_tokens; // of the tools that are not deferred
    uint64_t deferred;       // tools
} sums;

static void add_tool(sums *total, const deft__workspace *workspace, deft_tool_id tool)
{
    const deft_size size   = deft_sizes_tool(workspace->sizes, tool);
    const bool is_deferred = deft_plan_decision(workspace->plan, tool).place == DEFT_PLACE_DEFERRED;
    total->tools++;
    total->characters += size.characters;
    total->tokens += size.tokens;
    total->visible_tokens += is_deferred ? 0 : size.tokens;
    total->deferred += is_deferred ? 1 : 0;
}

static sums sums_of(const deft__workspace *workspace, const deft_server *server)
{
    sums total = {0};
    for (uint32_t i = 0; i < server->tool_count; i++) {
        add_tool(&total, workspace, (deft_tool_id){server->first_tool.index + i});
    }
    return total;
}

static void add_sums(sums *total, sums other)
{
    total->tools += other.tools;
    total->characters += other.characters;
    total->tokens += other.tokens;
    total->visible_tokens += other.visible_tokens;
    total->deferred += other.deferred;
}

// --- For people. ---------------------------------------------------------------------------------

static void add_tool_row(deft__table *table, const deft__workspace *workspace, deft_tool_id tool)
{
    const deft_place place = deft_plan_decision(workspace->plan, tool).place;
    const deft_size  size  = deft_sizes_tool(workspace->sizes, tool);
    deft__table_indented(table, deft_catalog_tool(workspace->catalog, tool)->name);
    deft__table_colored(table, deft__place_color(place), deft_view_of(deft_place_name(place)));
    deft__table_number(table, size.characters);
    deft__table_number(table, size.tokens);
    deft__table_number(table, place == DEFT_PLACE_DEFERRED ? 0 : size.tokens);
}

static void add_sums_row(deft__table *table, deft_view name, sums total)
{
    deft_buffer count;
    deft_buffer_init(&count, NULL);
    deft__append_count(&count, total.tools, "tool", "tools");
    deft__table_colored(table, DEFT__COLOR_BOLD, name);
    deft__table_text(table, deft_buffer_view(&count));
    deft__table_number(table, total.characters);
    deft__table_number(table, total.tokens);
    deft__table_number(table, total.visible_tokens);
    deft_buffer_clear(&count);
}

// The search tools belong to no server, so they are counted where all are.
static void add_search_rows(deft__table *table, const deft__workspace *workspace, sums total)
{
    const deft__upfront *upfront = &workspace->upfront;
    if (upfront->tool_count > 0) {
        deft_buffer count;
        deft_buffer_init(&count, NULL);
        deft__append_count(&count, upfront->tool_count, "tool", "tools");
        deft__table_colored(table, DEFT__COLOR_BOLD, deft_view_of("(tool search)"));
        deft__table_text(table, deft_buffer_view(&count));
        deft__table_empty(table);
        deft__table_empty(table);
        deft__table_number(table, upfront->search_tokens);
        deft_buffer_clear(&count);
        total.visible_tokens += upfront->search_tokens;
    }
    add_sums_row(table, deft_view_of("total"), total);
}

static void print_table(deft__cli *cli, const deft__workspace *workspace, const ordered *order)
{
    static const deft__column columns[] = {{"TOOL", false},
                                           {"PLACE", false},
                                           {"CHARACTERS", true},
                                           {"TOKENS", true},
                                           {"UPFRONT", true}};

    const bool  is_short = deft__invocation_has(&cli->invocation, DEFT__FLAG_SERVERS);
    deft__table table;
    sums        total = {0};
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < order->server_count; i++) {
        const deft_server_id id     = {order->servers[i].index};
        const deft_server   *server = deft_catalog_server(workspace->catalog, id);
        const sums           of_it  = sums_of(workspace, server);
        add_sums_row(&table, deft__server_label(server), of_it);
        add_sums(&total, of_it);
        for (uint32_t j = 0; j < server->tool_count && !is_short; j++) {
            const item *tool = &order->tools[server->first_tool.index + j];
            add_tool_row(&table, workspace, (deft_tool_id){tool->index});
        }
    }
    add_search_rows(&table, workspace, total);
    if (deft__table_print(&table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__table_clear(&table);
}

// --- For programs. -------------------------------------------------------------------------------

static void write_sums(deft__json_writer *json, sums total)
{
    deft__json_name(json, "tools");
    deft__json_write_uint64(json, total.tools);
    deft__json_name(json, "characters");
    deft__json_write_uint64(json, total.characters);
    deft__json_name(json, "tokens");
    deft__json_write_uint64(json, total.tokens);
    deft__json_name(json, "visibleTokens");
    deft__json_write_uint64(json, total.visible_tokens);
    deft__json_name(json, "deferred");
    deft__json_write_uint64(json, total.deferred);
}

static void write_tool(deft__json_writer *json, const deft__workspace *workspace, deft_tool_id id)
{
    const deft_tool *tool = deft_catalog_tool(workspace->catalog, id);
    const deft_size  size = deft_sizes_tool(workspace->sizes, id);
    deft__json_begin_object(json);
    deft__json_name(json, "id");
    deft__json_write_string(json, tool->id);
    deft__json_name(json, "name");
    deft__json_write_string(json, tool->name);
    deft__json_name(json, "characters");
    deft__json_write_uint64(json, size.characters);
    deft__json_name(json, "tokens");
    deft__json_write_uint64(json, size.tokens);
    deft__json_name(json, "place");
    deft__json_write_text(json, deft_place_name(deft_plan_decision(workspace->plan, id).place));
    deft__json_end_object(json);
}

static void write_server(deft__json_writer *json, const deft__cli *cli,
                         const deft__workspace *workspace, const ordered *order,
                         const deft_server *server, sums of_it)
{
    deft__json_begin_object(json);
    deft__json_name(json, "server");
    deft__json_write_string(json, server->name);
    write_sums(json, of_it);
    if (!deft__invocation_has(&cli->invocation, DEFT__FLAG_SERVERS)) {
        deft__json_name(json, "definitions");
        deft__json_begin_array(json);
        for (uint32_t i = 0; i < server->tool_count; i++) {
            const item *tool = &order->tools[server->first_tool.index + i];
            write_tool(json, workspace, (deft_tool_id){tool->index});
        }
        deft__json_end_array(json);
    }
    deft__json_end_object(json);
}

static void print_json(deft__cli *cli, const deft__workspace *workspace, const ordered *order)
{
    deft_buffer       text;
    deft__json_writer json;
    sums              total = {0};
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__write_json_window(&json, workspace->settings);
    deft__json_name(&json, "servers");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < order->server_count; i++) {
        const deft_server_id id     = {order->servers[i].index};
        const deft_server   *server = deft_catalog_server(workspace->catalog, id);
        const sums           of_it  = sums_of(workspace, server);
        write_server(&json, cli, workspace, order, server, of_it);
        add_sums(&total, of_it);
    }
    deft__json_end_array(&json);
    deft__json_name(&json, "search");
    deft__json_begin_object(&json);
    deft__json_name(&json, "tools");
    deft__json_write_uint64(&json, workspace->upfront.tool_count);
    deft__json_name(&json, "tokens");
    deft__json_write_uint64(&json, workspace->upfront.search_tokens);
    deft__json_end_object(&json);
    deft__json_name(&json, "total");
    deft__json_begin_object(&json);
    write_sums(&json, total);
    deft__json_end_object(&json);
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
}

static void print_definitions(deft__cli *cli, const deft__workspace *workspace,
                              const ordered *order)
{
    const char *word = deft__invocation_value(&cli->invocation, DEFT__FLAG_FORM);
    deft_form   form = DEFT_FORM_MCP;
    deft_form_from_name(deft_view_of(word != NULL ? word : "mcp"), &form);

    deft_buffer text;
    bool        is_first = true;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[");
    for (size_t i = 0; i < order->server_count; i++) {
        const deft_server_id id     = {order->servers[i].index};
        const deft_server   *server = deft_catalog_server(workspace->catalog, id);
        for (uint32_t j = 0; j < server->tool_count; j++) {
            const deft_tool_id tool = {order->tools[server->first_tool.index + j].index};
            deft_buffer_append_text(&text, is_first ? "\n" : ",\n");
            is_first = false;
            if (deft_catalog_write_tool(workspace->catalog, tool, form, deft__naming_of(form),
                                        &text) != DEFT_OK) {
                text.status = DEFT_OUT_OF_MEMORY;
            }
        }
    }
    deft_buffer_append_text(&text, "\n]");
    deft__print_result(&cli->output, &text);
}

static int print_tools(deft__cli *cli, const deft__workspace *workspace, const ordered *order)
{
    const bool is_json = deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_DEFINITIONS)) {
        print_definitions(cli, workspace, order);
    } else if (is_json) {
        print_json(cli, workspace, order);
    } else if (order->server_count > 0) {
        print_table(cli, workspace, order);
    }
    if (order->tool_count > 0 && order->server_count == 0) {
        deft__complain_server(cli, workspace->catalog);
    }
    return order->server_count > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

int deft__command_tools(deft__cli *cli)
{
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_FORM) &&
        !deft__invocation_has(&cli->invocation, DEFT__FLAG_DEFINITIONS)) {
        deft__complain(&cli->output, "--form says how --definitions are written; add that flag");
        return DEFT__EXIT_WRONG;
    }
    deft__workspace workspace;
    if (!deft__workspace_open(&workspace, cli)) {
        return DEFT__EXIT_WRONG;
    }
    int     exit_code = DEFT__EXIT_WRONG;
    ordered order;
    if (ordered_init(&order, cli, &workspace)) {
        exit_code = print_tools(cli, &workspace, &order);
    } else {
        deft__complain(&cli->output, "out of memory");
    }
    ordered_clear(&order, workspace.catalog);
    deft__workspace_close(&workspace);
    return exit_code;
}
