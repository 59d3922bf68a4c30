// deft quarantine: servers that a person does not trust for now.
#include "store/quarantine.h"

#include "cli/live.h"
#include "cli/table.h"
#include "cli/text.h"
#include "json/writer.h"

#include <string.h>
#include <time.h>

// --- The list. -----------------------------------------------------------------------------------

typedef struct listing {
    deft_buffer       text;
    deft__json_writer json;
    size_t            count;
} listing;

static void add_name(void *context, deft_view name, uint64_t since)
{
    listing *all = context;
    deft__append_safe_line(&all->text, name);
    deft_buffer_append_byte(&all->text, '\n');
    deft__json_begin_object(&all->json);
    deft__json_name(&all->json, "server");
    deft__json_write_string(&all->json, name);
    deft__json_name(&all->json, "since");
    deft__json_write_uint64(&all->json, since);
    deft__json_end_object(&all->json);
    all->count++;
}

static int list(deft__cli *cli, deft__store *store)
{
    deft_error  error = DEFT_ERROR_INIT;
    listing     all   = {.count = 0};
    deft_buffer json;
    deft_buffer_init(&all.text, NULL);
    deft_buffer_init(&json, NULL);
    deft__json_writer_init(&all.json, &json);
    deft__json_begin_array(&all.json);
    const deft_status status = deft__quarantine_load(store, add_name, &all, &error);
    deft__json_end_array(&all.json);
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
    } else if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft__print_result(&cli->output, &json);
    } else {
        deft_buffer_append(&cli->output.text, deft_buffer_view(&all.text));
    }
    deft_buffer_clear(&all.text);
    deft_buffer_clear(&json);
    if (status != DEFT_OK) {
        return DEFT__EXIT_WRONG;
    }
    return all.count > 0 ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

// --- Changing it. --------------------------------------------------------------------------------

static bool is_configured(const deft_config *config, const char *name)
{
    for (size_t i = 0; i < deft_config_server_count(config); i++) {
        if (deft_view_equals(deft_config_server(config, i)->name, name)) {
            return true;
        }
    }
    return false;
}

static int change(deft__cli *cli, deft__live *live, const char *name, bool is_quarantined)
{
    deft_error   error = DEFT_ERROR_INIT;
    deft__store *store = deft__live_store(live);
    if (is_quarantined && !is_configured(live->config, name)) {
        deft__note(&cli->output, "no server is called '%s' here; it is put aside wherever it is",
                   name);
    }
    if (store == NULL) {
        deft__complain(&cli->output,
                       "there is no store to keep it in; set \"disabled\": true at the "
                       "server instead");
        return DEFT__EXIT_WRONG;
    } else if (deft__quarantine_set(store, deft_view_of(name), is_quarantined, (uint64_t)time(NULL),
                                    &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return DEFT__EXIT_WRONG;
    } else {
        deft__live_tell_all(cli, "deft/quarantine", name, is_quarantined);
        return DEFT__EXIT_FOUND;
    }
}

int deft__command_quarantine(deft__cli *cli)
{
    const size_t count  = cli->invocation.operand_count;
    const char  *what   = count > 0 ? cli->invocation.operands[0] : "";
    const bool   is_add = strcmp(what, "add") == 0;
    if (count == 1 || (count == 2 && !is_add && strcmp(what, "remove") != 0)) {
        deft__complain(&cli->output,
                       "'%s' is not enough or not known; accepted: add SERVER, remove "
                       "SERVER, or nothing for the list",
                       what);
        return DEFT__EXIT_WRONG;
    }
    deft__live live;
    if (!deft__live_open(&live, cli, DEFT__LIVE_HERE)) {
        return DEFT__EXIT_WRONG;
    }
    const int exit_code = count == 0 ? list(cli, deft__live_store(&live))
                                     : change(cli, &live, cli->invocation.operands[1], is_add);
    deft__live_close(&live);
    return exit_code;
}
