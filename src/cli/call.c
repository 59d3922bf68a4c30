// deft call: one tool, called by a person or a script.
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/live.h"
#include "cli/report.h"
#include "json/writer.h"

#include <string.h>

#define ARGUMENTS_SIZE_MAX (16u * 1024 * 1024)

// The arguments from the words behind the tool's name, or from stdin for "-".
static deft_status read_arguments(const deft__cli *cli, deft_buffer *out, deft_error *error)
{
    const char *const *words = cli->invocation.operands + 1;
    const size_t       count = cli->invocation.operand_count - 1;
    if (count != 1 || strcmp(words[0], "-") != 0) {
        return deft__arguments_write(words, count, out, error);
    }
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_status status =
        deft__file_read("-", ARGUMENTS_SIZE_MAX, "the arguments as a JSON object", &text, error);
    if (status == DEFT_OK) {
        status = deft__arguments_write_json(deft_buffer_view(&text), out, error);
    }
    deft_buffer_clear(&text);
    return status;
}

static void write_params(const deft__cli *cli, deft_view arguments, deft_buffer *out)
{
    deft__json_writer json;
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "tool");
    deft__json_write_text(&json, cli->invocation.operands[0]);
    deft__json_name(&json, "arguments");
    deft__json_write_raw_line(&json, arguments);
    deft__json_end_object(&json);
}

static int call(deft__cli *cli, deft__live *live, deft_view params)
{
    deft__json_value answer;
    if (!deft__live_ask(live, "deft/call", params, &answer)) {
        return DEFT__EXIT_WRONG;
    }
    const deft__json_value result  = deft__json_member(answer, "result");
    const char            *failure = deft__call_failure(answer);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft_buffer text;
        deft_buffer_init(&text, NULL);
        deft_buffer_append(&text, deft__json_raw(result));
        deft__print_result(&cli->output, &text);
    } else {
        deft__report_call(&cli->output, result);
    }
    if (failure != NULL) {
        deft__note(&cli->output, "%s %s", cli->invocation.operands[0], failure);
    }
    return failure == NULL ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

int deft__command_call(deft__cli *cli)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer arguments;
    deft_buffer params;
    deft__live  live;
    int         exit_code = DEFT__EXIT_WRONG;
    deft_buffer_init(&arguments, NULL);
    deft_buffer_init(&params, NULL);
    if (read_arguments(cli, &arguments, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    } else if (deft__live_open(&live, cli, DEFT__LIVE_HERE)) {
        write_params(cli, deft_buffer_view(&arguments), &params);
        if (deft__live_has_servers(&live)) {
            exit_code = call(cli, &live, deft_buffer_view(&params));
        }
        deft__live_close(&live);
    }
    deft_buffer_clear(&arguments);
    deft_buffer_clear(&params);
    return exit_code;
}
