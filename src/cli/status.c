// deft status and deft tool-search: how the gateway is, what its clients were given, and starting over.
#include "cli/live.h"
#include "cli/report.h"
#include "cli/text.h"
#include "store/journal.h"
#include "json/writer.h"

#include <string.h>
#include <time.h>

static void print_text(deft__output *output, deft__json_value answer)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, NULL);
    deft__append_safe_text(&output->text,
                           deft__json_string(deft__json_member(answer, "text"), &scratch));
    if (output->text.size > 0 && output->text.data[output->text.size - 1] != '\n') {
        deft__print(output, "\n");
    }
    deft_buffer_clear(&scratch);
}

static void print_search(deft__output *output, deft__json_value status)
{
    const deft__json_value search = deft__json_member(status, "search");
    deft_buffer            ranking;
    deft_buffer            model;
    deft_buffer_init(&ranking, NULL);
    deft_buffer_init(&model, NULL);
    // A gateway of an older version does not say.
    if (deft__json_is(search, DEFT__JSON_OBJECT)) {
        deft__report_search(output,
                            deft__json_string(deft__json_member(search, "ranking"), &ranking),
                            deft__json_string(deft__json_member(search, "model"), &model));
    }
    deft_buffer_clear(&ranking);
    deft_buffer_clear(&model);
}

static void print_gateway(deft__output *output, const deft__live *live, deft__json_value answer)
{
    uint64_t       started_at = 0;
    const uint64_t now        = (uint64_t)time(NULL);
    deft_buffer    scratch;
    deft_buffer_init(&scratch, NULL);
    if (live->process_id == 0) {
        deft__print(output, "No gateway runs here; this is what one would start with.\n");
    } else {
        deft__print(output, "Gateway ");
        deft_buffer_append_u64(&output->text, (uint64_t)live->process_id);
        deft__print(output, ", in ");
        deft__append_safe_line(&output->text,
                               deft__json_string(deft__json_member(answer, "directory"), &scratch));
        if (deft__json_uint64(deft__json_member(answer, "startedAt"), &started_at) == DEFT_OK &&
            started_at <= now) {
            deft__print(output, ", since ");
            deft__append_age(&output->text, now - started_at);
        }
        deft__print(output, "\n");
    }
    deft_buffer_clear(&scratch);
}

// --- What is in the journal. ---------------------------------------------------------------------

typedef struct outcomes {
    deft_buffer       text; // "12 ok, 1 timeout"
    deft__json_writer json;
} outcomes;

static void add_outcome(void *context, deft_view name, uint64_t count)
{
    outcomes *all = context;
    deft_buffer_append_text(&all->text, all->text.size > 0 ? ", " : "");
    deft__append_number(&all->text, count);
    deft_buffer_append_byte(&all->text, ' ');
    deft__append_safe_line(&all->text, name);
    deft__json_name_view(&all->json, name);
    deft__json_write_uint64(&all->json, count);
}

static void print_store(deft__output *output, deft__store *store, const outcomes *all)
{
    deft__print(output, "Store: ");
    deft__append_safe_line(&output->text,
                           deft_view_of(store != NULL ? deft__store_path_of(store) : "none"));
    deft__print(output, "\n");
    if (all->text.size > 0) {
        deft__print(output, "Journal: ");
        deft_buffer_append(&output->text, deft_buffer_view(&all->text));
        deft__print(output, "\n");
    }
}

static void print_json(deft__output *output, deft__live *live, deft__store *store,
                       deft_view outcomes_json)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "running");
    deft__json_write_bool(&json, live->process_id != 0);
    deft__json_name(&json, "gateway");
    deft__json_write_raw(&json, deft_buffer_view(&live->answer));
    deft__json_name(&json, "store");
    if (store != NULL) {
        deft__json_write_text(&json, deft__store_path_of(store));
    } else {
        deft__json_write_null(&json);
    }
    deft__json_name(&json, "outcomes");
    deft__json_write_raw(&json, outcomes_json);
    deft__json_end_object(&json);
    deft__print_result(output, &text);
}

static void report(deft__cli *cli, deft__live *live, deft__json_value answer)
{
    deft__output *output = &cli->output;
    deft__store  *store  = deft__live_store(live);
    outcomes      all;
    deft_buffer   json;
    deft_buffer_init(&all.text, NULL);
    deft_buffer_init(&json, NULL);
    deft__json_writer_init(&all.json, &json);
    deft__json_begin_object(&all.json);
    (void)deft__journal_count(store, DEFT__COUNT_BY_OUTCOME, add_outcome, &all, NULL);
    deft__json_end_object(&all.json);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(output, live, store, deft_buffer_view(&json));
    } else {
        print_gateway(output, live, answer);
        print_text(output, answer);
        print_search(output, deft__json_member(answer, "status"));
        deft__report_server_states(
            output, deft__json_member(deft__json_member(answer, "status"), "servers"));
        print_store(output, store, &all);
    }
    deft_buffer_clear(&all.text);
    deft_buffer_clear(&json);
}

int deft__command_status(deft__cli *cli)
{
    deft__live       live;
    deft__json_value answer;
    int              exit_code = DEFT__EXIT_WRONG;
    if (!deft__live_open(&live, cli, DEFT__LIVE_ANY)) {
        return DEFT__EXIT_WRONG;
    }
    if (deft__live_has_servers(&live) &&
        deft__live_ask(&live, "deft/status", deft_view_make("", 0), &answer)) {
        report(cli, &live, answer);
        exit_code = live.process_id != 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
    }
    deft__live_close(&live);
    return exit_code;
}

// --- deft tool-search. ---------------------------------------------------------------------------

static int show(deft__cli *cli, deft__live *live)
{
    deft__json_value answer;
    if (!deft__live_ask(live, "deft/status", deft_view_make("", 0), &answer)) {
        return DEFT__EXIT_WRONG;
    }
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft__print_result(&cli->output, &live->answer);
    } else {
        print_text(&cli->output, answer);
    }
    return DEFT__EXIT_FOUND;
}

static int reset(deft__cli *cli, deft__live *live)
{
    deft__json_value answer;
    if (live->process_id == 0) {
        deft__complain(&cli->output, "no gateway runs; there is nothing to reset");
        return DEFT__EXIT_NOTHING;
    } else if (!deft__live_ask(live, "deft/reset", deft_view_make("", 0), &answer)) {
        return DEFT__EXIT_WRONG;
    } else {
        deft__note(&cli->output, "measured and decided anew; what clients had found is forgotten");
        return DEFT__EXIT_FOUND;
    }
}

int deft__command_tool_search(deft__cli *cli)
{
    const char *what      = cli->invocation.operands[0];
    const bool  is_reset  = strcmp(what, "reset") == 0;
    int         exit_code = DEFT__EXIT_WRONG;
    deft__live  live;
    if (!is_reset && strcmp(what, "status") != 0) {
        deft__complain(&cli->output, "'%s' is neither status nor reset", what);
        return DEFT__EXIT_WRONG;
    } else if (!deft__live_open(&live, cli, DEFT__LIVE_ANY)) {
        return DEFT__EXIT_WRONG;
    }
    if (is_reset) {
        exit_code = reset(cli, &live);
    } else if (deft__live_has_servers(&live)) {
        exit_code = show(cli, &live);
    }
    deft__live_close(&live);
    return exit_code;
}
