#include "cli/workspace.h"

#include "base/glob.h"
#include "base/nearest.h"
#include "cli/catalogs.h"
#include "cli/discovery.h"
#include "cli/text.h"

#include <stdio.h>

bool deft__workspace_take(deft__workspace *workspace, deft__cli *cli, deft_config *config,
                          deft_catalog *catalog)
{
    deft_error error = DEFT_ERROR_INIT;
    *workspace       = (deft__workspace){
              .config = config, .settings = deft_config_settings(config), .catalog = catalog};
    const deft_settings *settings = workspace->settings;

    workspace->sizes =
        deft_sizes_new(catalog, settings->measured_form, settings->token_family, NULL, &error);
    if (workspace->sizes != NULL) {
        workspace->plan = deft_plan_new(catalog, workspace->sizes, settings, NULL, NULL, &error);
    }
    deft_status status = workspace->plan != NULL ? DEFT_OK : error.status;
    if (status == DEFT_OK) {
        status = deft_bridge_check_names(settings, workspace->plan, &error);
    }
    if (status == DEFT_OK) {
        status = deft__upfront_init(&workspace->upfront, workspace->plan, settings);
        if (status != DEFT_OK) {
            snprintf(error.message, sizeof error.message, "%s", deft_status_name(status));
        }
    }
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        deft__workspace_close(workspace);
    }
    return status == DEFT_OK;
}

bool deft__workspace_open(deft__workspace *workspace, deft__cli *cli)
{
    *workspace          = (deft__workspace){.config = NULL};
    deft_config *config = deft__config_read(cli);
    if (config == NULL) {
        return false;
    }
    deft_catalog *catalog = deft__catalog_read(cli, config);
    if (catalog == NULL) {
        deft_config_free(config);
        return false;
    }
    if (!deft__workspace_take(workspace, cli, config, catalog)) {
        return false;
    }
    if (deft_catalog_tool_count(catalog) == 0) {
        deft__note(&cli->output, "the catalog holds no tools");
    }
    return true;
}

void deft__workspace_close(deft__workspace *workspace)
{
    deft__upfront_clear(&workspace->upfront);
    deft_plan_release(workspace->plan);
    deft_sizes_free(workspace->sizes);
    deft_catalog_release(workspace->catalog);
    deft_config_free(workspace->config);
    *workspace = (deft__workspace){.config = NULL};
}

deft_view deft__server_label(const deft_server *server)
{
    return server->name.size > 0 ? server->name : deft_view_of("(no server)");
}

bool deft__is_server_chosen(const deft__cli *cli, const deft_server *server)
{
    const char *pattern = deft__invocation_value(&cli->invocation, DEFT__FLAG_SERVER);
    return pattern == NULL || deft__glob_match(deft_view_of(pattern), server->name);
}

void deft__complain_server(const deft__cli *cli, const deft_catalog *catalog)
{
    const char     *pattern  = deft__invocation_value(&cli->invocation, DEFT__FLAG_SERVER);
    const deft_view word     = deft_view_of(pattern);
    deft_view       nearest  = {NULL, 0};
    size_t          distance = deft__edit_distance_plausible(word.size) + 1;
    for (uint32_t i = 0; i < deft_catalog_server_count(catalog); i++) {
        const deft_view name  = deft_catalog_server(catalog, (deft_server_id){i})->name;
        const size_t    edits = deft__edit_distance(word, name, distance);
        if (edits < distance) {
            distance = edits;
            nearest  = name;
        }
    }
    if (nearest.size > 0) {
        deft__complain(&cli->output, "no server is called '%s'; did you mean '%.*s'?", pattern,
                       (int)nearest.size, nearest.data);
    } else {
        deft__complain(&cli->output, "no server is called '%s'; 'deft tools --servers' lists them",
                       pattern);
    }
}

void deft__print_cause(deft__cli *cli, const deft_plan *plan)
{
    deft_buffer why;
    deft_buffer_init(&why, NULL);
    if (deft_plan_explain_cause(plan, &why) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__print(&cli->output, "Tool search is ");
    deft__append_safe_line(&cli->output.text, deft_buffer_view(&why));
    deft__print(&cli->output, "\n");
    deft_buffer_clear(&why);
}

void deft__write_json_window(deft__json_writer *json, const deft_settings *settings)
{
    deft__json_name(json, "family");
    deft__json_write_text(json, deft_token_family_name(settings->token_family));
    deft__json_name(json, "window");
    deft__json_write_uint64(json, settings->context_window_tokens);
}

void deft__write_json_cause(deft__json_writer *json, const deft_plan *plan)
{
    const deft_plan_summary *summary = deft_plan_summary_of(plan);
    deft_buffer              why;
    deft_buffer_init(&why, NULL);
    if (deft_plan_explain_cause(plan, &why) != DEFT_OK) {
        json->out->status = DEFT_OUT_OF_MEMORY;
    }
    deft__json_name(json, "active");
    deft__json_write_bool(json, summary->is_active);
    deft__json_name(json, "cause");
    deft__json_write_text(json, deft_cause_name(summary->cause));
    deft__json_name(json, "why");
    deft__json_write_string(json, deft_buffer_view(&why));
    deft_buffer_clear(&why);
}

deft__color deft__place_color(deft_place place)
{
    switch (place) {
    case DEFT_PLACE_PINNED:
        return DEFT__COLOR_GREEN;
    case DEFT_PLACE_VISIBLE:
        return DEFT__COLOR_CYAN;
    case DEFT_PLACE_DEFERRED:
        return DEFT__COLOR_YELLOW;
    }
    return DEFT__COLOR_NONE;
}
