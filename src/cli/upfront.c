#include "cli/upfront.h"

#include "deft/tokens.h"

// The bridge's tools, in the order in which the model gets them; none where nothing is deferred.
static size_t bridge_tools(const deft_plan *plan, const deft_settings *settings,
                           deft_bridge_tool tools[DEFT_BRIDGE_TOOLS_MAX])
{
    return deft_plan_summary_of(plan)->is_active ? deft_bridge_tools(settings, tools) : 0;
}

deft_status deft__upfront_init(deft__upfront *upfront, const deft_plan *plan,
                               const deft_settings *settings)
{
    deft_bridge_tool tools[DEFT_BRIDGE_TOOLS_MAX] = {DEFT_BRIDGE_SEARCH};
    *upfront = (deft__upfront){.tool_count = bridge_tools(plan, settings, tools)};
    deft_buffer_init(&upfront->listing, NULL);
    deft_status status = deft_listing_write(plan, settings, &upfront->listing, &upfront->report);

    deft_buffer definition;
    deft_buffer_init(&definition, NULL);
    for (size_t i = 0; i < upfront->tool_count && status == DEFT_OK; i++) {
        deft_buffer_reset(&definition);
        status = deft_bridge_write_definition(settings, tools[i], settings->measured_form,
                                              deft_buffer_view(&upfront->listing), &definition);
        upfront->search_tokens +=
            deft_tokens_estimate(deft_buffer_view(&definition), settings->token_family);
    }
    deft_buffer_clear(&definition);

    const deft_plan_summary *summary = deft_plan_summary_of(plan);
    upfront->all_tokens              = summary->total.tokens;
    upfront->now_tokens = summary->total.tokens - summary->deferred.tokens + upfront->search_tokens;
    return status;
}

void deft__upfront_clear(deft__upfront *upfront)
{
    deft_buffer_clear(&upfront->listing);
}

int64_t deft__upfront_saved(const deft__upfront *upfront)
{
    return (int64_t)upfront->all_tokens - (int64_t)upfront->now_tokens;
}

deft_naming deft__naming_of(deft_form form)
{
    return form == DEFT_FORM_MCP ? DEFT_NAMING_PLAIN : DEFT_NAMING_WIRE;
}

deft_status deft__upfront_write(const deft__upfront *upfront, const deft_plan *plan,
                                const deft_settings *settings, deft_form form, deft_naming naming,
                                deft_buffer *out)
{
    const deft_catalog *catalog                      = deft_plan_catalog(plan);
    deft_status         status                       = DEFT_OK;
    bool                is_first                     = true;
    deft_bridge_tool    tools[DEFT_BRIDGE_TOOLS_MAX] = {DEFT_BRIDGE_SEARCH};
    const size_t        count                        = bridge_tools(plan, settings, tools);
    deft_buffer_append_text(out, "[");
    for (size_t i = 0; i < count && status == DEFT_OK; i++) {
        deft_buffer_append_text(out, is_first ? "\n" : ",\n");
        status   = deft_bridge_write_definition(settings, tools[i], form,
                                                deft_buffer_view(&upfront->listing), out);
        is_first = false;
    }
    for (uint32_t i = 0; i < deft_catalog_tool_count(catalog) && status == DEFT_OK; i++) {
        const deft_tool_id tool = {i};
        if (deft_plan_decision(plan, tool).place != DEFT_PLACE_DEFERRED) {
            deft_buffer_append_text(out, is_first ? "\n" : ",\n");
            status   = deft_catalog_write_tool(catalog, tool, form, naming, out);
            is_first = false;
        }
    }
    deft_buffer_append_text(out, "\n]");
    return status == DEFT_OK ? out->status : status;
}
