#include "core/bridge/fit.h"

#include "base/fail.h"
#include "core/bridge/answer.h"
#include "deft/schema.h"

bool deft__fit_schema(const deft_catalog *catalog, const deft_settings *settings, deft_tool_id tool,
                      deft__schema_size *known, uint64_t *tokens_left, deft_buffer *out)
{
    deft__schema_size found = known != NULL ? *known : (deft__schema_size){0};
    // Truncated rather than reset: a failure must outlive the tools that follow.
    const deft_view raw = deft_catalog_tool(catalog, tool)->input_schema;
    deft_buffer_truncate(out, 0);
    if (raw.size == 0) {
        return true;
    }
    if (found.is_known && found.tokens > *tokens_left) {
        return false;
    } else if (found.is_one_line) {
        deft_buffer_append(out, raw);
    } else {
        deft__json_writer writer;
        deft__json_writer_init(&writer, out);
        deft__json_write_raw_compact(&writer, raw);
    }
    const uint64_t tokens =
        found.is_known ? found.tokens
                       : deft_tokens_estimate(deft_buffer_view(out), settings->token_family);
    if (known != NULL && out->status == DEFT_OK && tokens <= UINT32_MAX) {
        *known = (deft__schema_size){
            .tokens = (uint32_t)tokens, .is_known = true, .is_one_line = out->size == raw.size};
    }
    if (tokens > *tokens_left) {
        deft_buffer_truncate(out, 0);
        return false;
    }
    *tokens_left -= tokens;
    return true;
}

static deft_status repair(deft_view schema, deft_buffer *arguments, deft_buffer *repaired,
                          deft_error *error)
{
    size_t      count = 0;
    deft_buffer fixed;
    deft_buffer_init(&fixed, arguments->allocator);
    const deft_status status =
        deft_schema_repair(schema, deft_buffer_view(arguments), &fixed, repaired, &count, error);
    if (status == DEFT_OK && count > 0) {
        deft_buffer_clear(arguments);
        *arguments = fixed;
    } else {
        deft_buffer_clear(&fixed);
    }
    return status;
}

static void write_problems(const deft_schema_report *report, deft__json_writer *writer)
{
    size_t                     count    = 0;
    const deft_schema_problem *problems = deft_schema_report_problems(report, &count);
    deft__json_name(writer, "problems");
    deft__json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        deft__json_begin_object(writer);
        deft__json_name(writer, "path");
        deft__json_write_string(writer, problems[i].path);
        deft__json_name(writer, "message");
        deft__json_write_string(writer, problems[i].message);
        if (problems[i].nearest.size > 0) {
            deft__json_name(writer, "nearest");
            deft__json_write_string(writer, problems[i].nearest);
        }
        deft__json_end_object(writer);
    }
    deft__json_end_array(writer);
}

// What is wrong, then the schema while the budget lasts.
static deft_status tell(const deft_catalog *catalog, const deft_settings *settings,
                        deft_tool_id tool, const deft_schema_report *report, deft_answer *answer,
                        deft_error *error)
{
    const deft_view id  = deft_catalog_tool(catalog, tool)->id;
    deft_buffer    *out = &answer->text;
    uint64_t        left =
        settings->result_budget_tokens > 0 ? settings->result_budget_tokens : UINT64_MAX;
    deft_buffer schema;
    deft_buffer_init(&schema, out->allocator);
    (void)deft__fit_schema(catalog, settings, tool, NULL, &left, &schema);
    if (schema.status != DEFT_OK) {
        deft_buffer_clear(&schema);
        return deft__fail_memory(error);
    }

    deft_buffer_append_text(out, "The arguments do not fit ");
    deft__append_ids(out, catalog, &tool, 1);
    deft_buffer_append_text(out, ". ");
    (void)deft_schema_report_write(report, out);
    deft_buffer_append_text(out, " The tool was not called; call it again with this set right.");
    deft__json_writer writer;
    deft_buffer_reset(&answer->structured);
    deft__json_writer_init(&writer, &answer->structured);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "error");
    deft__json_write_string(&writer, deft_buffer_view(out));
    deft__json_name(&writer, "tool");
    deft__json_write_string(&writer, id);
    write_problems(report, &writer);
    if (schema.size > 0) {
        deft_buffer_append_text(out, "\nInput schema: ");
        deft_buffer_append(out, deft_buffer_view(&schema));
        deft__json_name(&writer, "inputSchema");
        deft__json_write_raw(&writer, deft_buffer_view(&schema));
    } else {
        deft_buffer_append_text(out, " Its schema is too long for an answer; see ");
        deft_buffer_append(out, settings->describe_name);
        deft_buffer_append_byte(out, '.');
    }
    deft__json_end_object(&writer);
    answer->is_error = true;
    deft_buffer_clear(&schema);
    return deft__answer_finish(answer, error);
}

static deft_status check(const deft_catalog *catalog, const deft_settings *settings,
                         deft_tool_id tool, deft_view arguments, deft_answer *answer,
                         deft_error *error)
{
    const deft_tool    *called = deft_catalog_tool(catalog, tool);
    size_t              count  = 0;
    deft_schema_report *report =
        deft_schema_check(called->input_schema, arguments, NULL, answer->text.allocator, error);
    if (report == NULL) {
        return DEFT_OUT_OF_MEMORY; // the arguments were read before: it cannot be anything else
    }
    const deft_schema_problem *problems = deft_schema_report_problems(report, &count);
    deft_status                status   = DEFT_OK;
    if (count > 0) {
        status = tell(catalog, settings, tool, report, answer, error);
        if (status == DEFT_OK) {
            deft__quoted path;
            status = deft__fail(error, DEFT_INVALID, 0, "'%s' %.*s",
                                deft__quote(&path, problems[0].path), (int)problems[0].message.size,
                                problems[0].message.data);
        }
    }
    deft_schema_report_free(report);
    return status;
}

deft_status deft__fit_arguments(const deft_catalog *catalog, const deft_settings *settings,
                                deft_tool_id tool, deft_buffer *arguments, deft_buffer *repaired,
                                deft_answer *answer, deft_error *error)
{
    const deft_view schema = deft_catalog_tool(catalog, tool)->input_schema;
    deft_status     status = DEFT_OK;
    if (schema.size == 0) {
        return DEFT_OK;
    }
    if (settings->is_argument_repaired) {
        status = repair(schema, arguments, repaired, error);
    }
    if (status == DEFT_OK && settings->is_argument_checked) {
        status = check(catalog, settings, tool, deft_buffer_view(arguments), answer, error);
    }
    return status;
}
