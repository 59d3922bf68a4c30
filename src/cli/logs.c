// deft logs: what a server said on stderr, or what was searched for and called.
#include "cli/live.h"
#include "cli/table.h"
#include "cli/text.h"
#include "store/journal.h"
#include "json/writer.h"

#include <string.h>
#include <time.h>

#define LINES_DEFAULT 50

// --- What a server said. -------------------------------------------------------------------------

static int show_server(deft__cli *cli, deft__live *live, const char *server)
{
    deft__json_value  answer;
    deft_buffer       params;
    deft__json_writer json;
    int               exit_code = DEFT__EXIT_WRONG;
    if (live->process_id == 0) {
        deft__complain(&cli->output,
                       "no gateway runs, and only a running one knows what its servers "
                       "say; 'deft servers' shows why one failed last");
        return DEFT__EXIT_NOTHING;
    }
    deft_buffer_init(&params, NULL);
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    deft__json_name(&json, "server");
    deft__json_write_text(&json, server);
    deft__json_end_object(&json);
    if (deft__live_ask(live, "deft/logs", deft_buffer_view(&params), &answer)) {
        deft_buffer scratch;
        deft_buffer_init(&scratch, NULL);
        const deft_view text = deft__json_string(deft__json_member(answer, "text"), &scratch);
        exit_code            = text.size > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
        if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
            deft__print_result(&cli->output, &live->answer);
        } else if (text.size > 0) {
            deft__append_safe_text(&cli->output.text, text);
            deft__print(&cli->output, text.data[text.size - 1] == '\n' ? "" : "\n");
        } else {
            deft__note(&cli->output, "'%s' has said nothing on stderr", server);
        }
        deft_buffer_clear(&scratch);
    }
    deft_buffer_clear(&params);
    return exit_code;
}

// --- What was searched for and called. -----------------------------------------------------------

typedef struct calls {
    deft__table       table;
    deft__json_writer json;
    const char       *server; // NULL: all
    size_t            count;
} calls;

static bool is_of_server(const deft__record *record, const char *server)
{
    const deft_view name = deft_view_of(server);
    return server == NULL ||
           (deft_view_starts_with(record->tool, name) &&
            deft_view_starts_with(deft_view_slice(record->tool, name.size, record->tool.size),
                                  deft_view_of("::")));
}

// "client", or "client@token" where it came with one.
static void add_client(deft__table *table, const deft__record *record)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append(&text, record->client);
    if (record->token.size > 0) {
        deft_buffer_append_byte(&text, '@');
        deft_buffer_append(&text, record->token);
    }
    deft__table_text(table, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

static void add_row(deft__table *table, const deft__record *record)
{
    char         when[32] = "";
    struct tm    local;
    const time_t seconds = (time_t)(record->at_ms / 1000);
    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
    }
    deft__table_text(table, deft_view_of(when));
    add_client(table, record);
    deft__table_text(table, deft_view_of(deft__record_kind_name(record->kind)));
    deft__table_colored(table, DEFT__COLOR_BOLD, record->tool);
    deft__table_colored(
        table, deft_view_equals(record->outcome, "ok") ? DEFT__COLOR_GREEN : DEFT__COLOR_YELLOW,
        record->outcome);
    deft__table_number(table, record->duration_ms);
    deft__table_number(table, record->argument_size);
    deft__table_number(table, record->result_size);
    deft__table_text(table, record->reason.size > 0 ? record->reason : record->text);
}

static void write_record(deft__json_writer *json, const deft__record *record)
{
    const struct {
        const char *name;
        deft_view   text;
    } texts[] = {{"kind", deft_view_of(deft__record_kind_name(record->kind))},
                 {"client", record->client},
                 {"token", record->token},
                 {"tool", record->tool},
                 {"text", record->text},
                 {"outcome", record->outcome},
                 {"reason", record->reason}};
    const struct {
        const char *name;
        uint64_t    number;
    } numbers[] = {{"atMs", record->at_ms},
                   {"argumentBytes", record->argument_size},
                   {"resultBytes", record->result_size},
                   {"durationMs", record->duration_ms},
                   {"found", record->found_count}};
    deft__json_begin_object(json);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        deft__json_name(json, texts[i].name);
        deft__json_write_string(json, texts[i].text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        deft__json_name(json, numbers[i].name);
        deft__json_write_uint64(json, numbers[i].number);
    }
    deft__json_end_object(json);
}

static void add_record(void *context, const deft__record *record)
{
    calls *all = context;
    if (is_of_server(record, all->server)) {
        all->count++;
        add_row(&all->table, record);
        write_record(&all->json, record);
    }
}

static int show_calls(deft__cli *cli, deft__live *live, const char *server)
{
    static const deft__column columns[] = {{"TIME", false}, {"CLIENT", false},  {"WHAT", false},
                                           {"TOOL", false}, {"OUTCOME", false}, {"MS", true},
                                           {"IN", true},    {"OUT", true},      {"TEXT", false}};

    const size_t limit =
        (size_t)deft__invocation_number(&cli->invocation, DEFT__FLAG_LIMIT, LINES_DEFAULT);
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer json;
    calls       all = {.server = server};
    deft_buffer_init(&json, NULL);
    deft__json_writer_init(&all.json, &json);
    deft__table_init(&all.table, columns, sizeof columns / sizeof columns[0]);
    deft__json_begin_array(&all.json);
    const deft_status status =
        deft__journal_last(deft__live_store(live), limit, 0, add_record, &all, &error);
    deft__json_end_array(&all.json);
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    } else if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft__print_result(&cli->output, &json);
    } else if (all.count == 0) {
        deft__note(&cli->output, "the journal holds no searches or calls");
    } else if (deft__table_print(&all.table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__table_clear(&all.table);
    deft_buffer_clear(&json);
    if (status != DEFT_OK) {
        return DEFT__EXIT_WRONG;
    }
    return all.count > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

int deft__command_logs(deft__cli *cli)
{
    const char *server = cli->invocation.operand_count > 0 ? cli->invocation.operands[0] : NULL;
    const bool  is_of_calls = deft__invocation_has(&cli->invocation, DEFT__FLAG_CALLS);
    deft__live  live;
    if (server == NULL && !is_of_calls) {
        deft__complain(&cli->output,
                       "whose? Name a server for what it said on stderr, or --calls for searches "
                       "and calls");
        return DEFT__EXIT_WRONG;
    } else if (!deft__live_open(&live, cli, DEFT__LIVE_ANY)) {
        return DEFT__EXIT_WRONG;
    }
    const int exit_code =
        is_of_calls ? show_calls(cli, &live, server) : show_server(cli, &live, server);
    deft__live_close(&live);
    return exit_code;
}
