#include "cli/search_live.h"

#include "cli/catalogs.h"
#include "cli/live.h"
#include "cli/table.h"
#include "json/writer.h"

#include <stdio.h>

#define DESCRIPTION_WIDTH 100 // as in search.c

static void write_params(const deft__cli *cli, deft_view query, deft_buffer *out)
{
    deft__json_writer json;
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "query");
    deft__json_write_string(&json, query);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_LIMIT)) {
        deft__json_name(&json, "limit");
        deft__json_write_uint64(&json,
                                deft__invocation_number(&cli->invocation, DEFT__FLAG_LIMIT, 0));
    }
    deft__json_end_object(&json);
}

static void add_row(deft__table *table, deft__json_value hit, deft_buffer *scratch)
{
    double   score  = 0;
    uint64_t tokens = 0;
    char     text[32];
    (void)deft__json_double(deft__json_member(hit, "score"), &score);
    (void)deft__json_uint64(deft__json_member(hit, "tokens"), &tokens);
    snprintf(text, sizeof text, "%.2f", score);
    deft_buffer_reset(scratch); // what is decoded stays until the next text is
    deft__table_colored(table, DEFT__COLOR_BOLD,
                        deft__json_string(deft__json_member(hit, "id"), scratch));
    deft__table_text(table, deft_view_of(text));
    deft__table_number(table, tokens);
    deft__table_cut(table, deft__json_string(deft__json_member(hit, "description"), scratch),
                    DESCRIPTION_WIDTH);
}

static void print_table(deft__cli *cli, deft__json_value hits)
{
    static const deft__column columns[] = {
        {"TOOL", false}, {"SCORE", true}, {"TOKENS", true}, {"DESCRIPTION", false}};

    deft_buffer scratch;
    deft__table table;
    deft_buffer_init(&scratch, NULL);
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    deft__json_iterator i = deft__json_iterate(hits);
    while (deft__json_next(&i)) {
        add_row(&table, i.value, &scratch);
    }
    if (deft__table_print(&table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__table_clear(&table);
    deft_buffer_clear(&scratch);
}

// The same members as for a search over --catalog, and what was missing.
static void print_json(deft__cli *cli, deft_view query, deft__json_value answer)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "query");
    deft__json_write_string(&json, query);
    deft__json_iterator i = deft__json_iterate(answer);
    while (deft__json_next(&i)) {
        deft_buffer name;
        deft_buffer_init(&name, NULL);
        deft__json_name_view(&json, deft__json_string(i.name, &name));
        deft__json_write_raw(&json, deft__json_raw(i.value));
        deft_buffer_clear(&name);
    }
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
}

static int report(deft__cli *cli, deft_view query, deft__json_value answer)
{
    const deft__json_value hits  = deft__json_member(answer, "hits");
    const size_t           count = deft__json_count(hits);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, query, answer);
    } else if (count > 0) {
        print_table(cli, hits);
    } else {
        deft__note(&cli->output, "no tool matches '%.*s'", (int)query.size, query.data);
    }
    deft__live_tell_missing(cli, answer);
    return count > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

int deft__search_live(deft__cli *cli, deft_view query)
{
    deft__live       live;
    deft__json_value answer;
    deft_buffer      params;
    int              exit_code = DEFT__EXIT_WRONG;
    deft_buffer_init(&params, NULL);
    write_params(cli, query, &params);
    if (deft__live_open(&live, cli, DEFT__LIVE_HERE)) {
        if (live.process_id == 0 && deft_config_server_count(live.config) == 0) {
            deft__complain_no_catalog(cli);
        } else if (deft__live_ask(&live, "deft/search", deft_buffer_view(&params), &answer)) {
            exit_code = report(cli, query, answer);
        }
        deft__live_close(&live);
    }
    deft_buffer_clear(&params);
    return exit_code;
}
