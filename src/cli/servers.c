// deft servers: what is configured, and how each of them is.
#include "cli/live.h"
#include "cli/report.h"

#include <time.h>

int deft__command_servers(deft__cli *cli)
{
    deft__live       live;
    deft__json_value answer;
    if (!deft__live_open(&live, cli, DEFT__LIVE_HERE)) {
        return DEFT__EXIT_WRONG;
    }
    int             exit_code = DEFT__EXIT_WRONG;
    const deft_view params    = deft_view_of(
           deft__invocation_has(&cli->invocation, DEFT__FLAG_DISCOVER) ? "{\"discover\":true}" : "{}");
    if (deft__live_has_servers(&live) && deft__live_ask(&live, "deft/servers", params, &answer)) {
        if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
            deft__print_result(&cli->output, &live.answer);
        } else {
            (void)deft__report_servers(&cli->output, deft__json_member(answer, "servers"),
                                       (uint64_t)time(NULL));
        }
        exit_code = DEFT__EXIT_FOUND;
    }
    deft__live_close(&live);
    return exit_code;
}
