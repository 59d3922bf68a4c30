#include "deft/version.h"

#include "cli/cli.h"
#include "json/writer.h"

int deft__command_version(deft__cli *cli)
{
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft_buffer       text;
        deft__json_writer json;
        deft_buffer_init(&text, NULL);
        deft__json_writer_init(&json, &text);
        deft__json_begin_object(&json);
        deft__json_name(&json, "version");
        deft__json_write_text(&json, deft_version());
        deft__json_end_object(&json);
        deft__print_result(&cli->output, &text);
    } else {
        deft__print(&cli->output, "deft ");
        deft__print(&cli->output, deft_version());
        deft__print(&cli->output, "\n");
    }
    return DEFT__EXIT_FOUND;
}
