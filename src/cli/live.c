#include "cli/live.h"

#include "base/fail.h"
#include "cli/discovery.h"
#include "cli/model.h"
#include "serve/control.h"
#include "serve/serve.h"
#include "store/logins.h"
#include "json/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

// --- Which gateway. ------------------------------------------------------------------------------

// Whether this run has settings of its own.
static bool has_own_settings(const deft__cli *cli)
{
    static const deft__flag_id flags[] = {DEFT__FLAG_CONFIG, DEFT__FLAG_PRESET,
                                          DEFT__FLAG_SET,    DEFT__FLAG_CONTEXT_WINDOW,
                                          DEFT__FLAG_NO_MCP, DEFT__FLAG_RANKING};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (deft__invocation_has(&cli->invocation, flags[i])) {
            return true;
        }
    }
    return false;
}

typedef struct choosing {
    deft__live       *live;
    deft__live_choice choice;
    uint64_t          wanted_id; // 0: any
    char             *directory; // ours
    bool              is_here;   // the one that was chosen is
} choosing;

static bool runs_in(const char *path, const char *directory)
{
    deft__json  document;
    deft_buffer answer;
    deft_buffer_init(&answer, NULL);
    deft__json_init(&document, NULL);
    const bool is_here =
        deft__control_ask(path, "deft/status", deft_view_make("", 0), &answer, NULL) == DEFT_OK &&
        deft__json_parse(&document, deft_buffer_view(&answer), NULL, NULL) == DEFT_OK &&
        deft__json_string_equals(deft__json_member(deft__json_root(&document), "directory"),
                                 deft_view_of(directory));
    deft__json_clear(&document);
    deft_buffer_clear(&answer);
    return is_here;
}

static void consider(void *context, const char *path, int process_id)
{
    choosing   *work = context;
    deft__live *live = work->live;
    if (work->is_here || (work->wanted_id != 0 && work->wanted_id != (uint64_t)process_id)) {
        return;
    }
    const bool is_here = work->wanted_id != 0 || runs_in(path, work->directory);
    if (is_here || (work->choice == DEFT__LIVE_ANY && live->process_id == 0)) {
        deft_buffer_reset(&live->socket);
        deft_buffer_append_text(&live->socket, path);
        deft_buffer_append_byte(&live->socket, '\0');
        live->process_id = live->socket.status == DEFT_OK ? process_id : 0;
        work->is_here    = is_here;
    }
}

static bool find_folder(deft_buffer *folder)
{
    return deft__control_directory(getenv("XDG_RUNTIME_DIR"), getenv("XDG_STATE_HOME"),
                                   getenv("HOME"), folder);
}

// Looks through the gateways of this user, the newest first.
static void look_for_gateway(deft__live *live, choosing *work)
{
    deft_buffer folder;
    deft_buffer_init(&folder, NULL);
    work->directory = realpath(".", NULL);
    if (work->directory != NULL && find_folder(&folder)) {
        (void)deft__control_find(folder.data, consider, work);
    }
    free(work->directory);
    deft_buffer_clear(&folder);
    if (live->process_id != 0) {
        deft__detail(&live->cli->output, "asking the gateway with process id %d", live->process_id);
    }
}

static bool choose_gateway(deft__live *live, deft__live_choice choice)
{
    const deft__cli *cli   = live->cli;
    const char      *named = deft__invocation_value(&cli->invocation, DEFT__FLAG_GATEWAY);
    choosing         work  = {.live = live, .choice = choice};
    if (named != NULL && strcmp(named, "none") == 0) {
        return true;
    } else if (named != NULL &&
               (!deft__parse_u64(deft_view_of(named), &work.wanted_id) || work.wanted_id == 0)) {
        deft__complain(&cli->output, "--gateway takes the process id of a gateway, or none; 'deft "
                                     "status' shows which run");
        return false;
    } else if (named == NULL && has_own_settings(cli)) {
        return true;
    }
    look_for_gateway(live, &work);
    if (named != NULL && live->process_id == 0) {
        deft__complain(&cli->output, "no gateway with process id %s runs", named);
        return false;
    }
    return true;
}

// --- Opening. ------------------------------------------------------------------------------------

static bool start(deft__live *live, deft__cli *cli, deft_config *config, bool is_config_lent,
                  deft__live_choice choice)
{
    *live = (deft__live){.cli = cli, .config = config, .is_config_lent = is_config_lent};
    deft_buffer_init(&live->socket, NULL);
    deft_buffer_init(&live->answer, NULL);
    deft_buffer_init(&live->logins, NULL);
    deft__json_init(&live->document, NULL);
    if (config == NULL || !choose_gateway(live, choice)) {
        deft__live_close(live);
        return false;
    }
    return true;
}

bool deft__live_open(deft__live *live, deft__cli *cli, deft__live_choice choice)
{
    return start(live, cli, deft__config_read(cli), false, choice);
}

bool deft__live_lend(deft__live *live, deft__cli *cli, deft_config *config,
                     deft__live_choice choice)
{
    return start(live, cli, config, true, choice);
}

void deft__live_close(deft__live *live)
{
    deft__store_close(live->store);
    deft__json_clear(&live->document);
    deft_buffer_clear(&live->socket);
    deft_buffer_clear(&live->answer);
    deft_buffer_clear(&live->logins);
    if (!live->is_config_lent) {
        deft_config_free(live->config);
    }
    live->store  = NULL;
    live->config = NULL;
}

bool deft__live_has_servers(deft__live *live)
{
    if (live->process_id != 0 || deft_config_server_count(live->config) > 0) {
        return true;
    }
    deft__complain(&live->cli->output,
                   "no servers are configured; put them under mcpServers in deft.json here, or in "
                   "~/.config/deft/config.json: 'deft help serve' shows how");
    return false;
}

bool deft__logins_file(deft_buffer *path)
{
    return deft__logins_path(getenv("DEFT_LOGINS"), getenv("XDG_STATE_HOME"), getenv("HOME"), path);
}

// A command does one thing, and waits for a gateway that writes rather than not do it.
#define STORE_BUSY_MS 5000u

deft__store *deft__open_store(deft__cli *cli, const deft_config *config, uint32_t busy_ms)
{
    const deft__store_options options = {
        .busy_ms          = busy_ms,
        .journal_rows_max = deft_config_settings(config)->journal_rows_max,
    };
    deft_error   error = DEFT_ERROR_INIT;
    deft__store *store = NULL;
    deft_buffer  path;
    deft_buffer_init(&path, NULL);
    if (deft__store_path(getenv("DEFT_STORE"), getenv("XDG_CACHE_HOME"), getenv("HOME"), &path)) {
        store = deft__store_open(path.data, &options, &error);
        if (store == NULL) {
            deft__note(&cli->output, "%s", error.message);
        }
    }
    deft_buffer_clear(&path);
    return store;
}

deft__store *deft__live_store(deft__live *live)
{
    if (!live->is_store_tried) {
        live->is_store_tried = true;
        live->store          = deft__open_store(live->cli, live->config, STORE_BUSY_MS);
    }
    return live->store;
}

// --- Asking. -------------------------------------------------------------------------------------

static void tell(void *context, deft_view line)
{
    const deft__live *live = context;
    deft__note(&live->cli->output, "%.*s", (int)line.size, line.data);
}

// A few servers are learned before a bar would be read.
#define PROGRESS_MIN 3

static void step(void *context, size_t done, size_t total, deft_view server)
{
    deft__live *live = context;
    (void)server;
    if (live->progress.total == 0) {
        deft__progress_begin(&live->progress, &live->cli->output, deft_view_of("asking servers"),
                             total, PROGRESS_MIN);
    }
    for (; live->progress_done < done; live->progress_done++) {
        deft__progress_step(&live->progress);
    }
}

static deft_status ask_alone(deft__live *live, const char *method, deft_view params,
                             deft_error *error)
{
    deft__chosen_model model;
    if (!deft__chosen_model_open(&model, live->cli)) {
        return deft__fail(error, DEFT_INVALID, 0, "without a model of what words mean");
    }
    const deft__serve_options options = {
        .config      = live->config,
        .model       = model.model,
        .environment = (const char *const *)environ,
        .store       = deft__live_store(live),
        .logins =
            live->logins.size > 0 || deft__logins_file(&live->logins) ? live->logins.data : NULL,
        .note     = tell,
        .progress = step,
        .context  = live,
    };
    const deft_status status = deft__serve_alone(&options, method, params, &live->answer, error);
    deft__progress_end(&live->progress);
    deft__chosen_model_close(&model);
    for (deft_view note = deft__store_take_note(live->store); note.size > 0;
         note           = deft__store_take_note(live->store)) {
        tell(live, note);
    }
    return status;
}

bool deft__live_ask(deft__live *live, const char *method, deft_view params,
                    deft__json_value *answer)
{
    deft_error error = DEFT_ERROR_INIT;
    deft_buffer_reset(&live->answer);
    deft_status status = live->process_id != 0 ? deft__control_ask(live->socket.data, method,
                                                                   params, &live->answer, &error)
                                               : ask_alone(live, method, params, &error);
    if (status == DEFT_OK) {
        status  = deft__json_parse(&live->document, deft_buffer_view(&live->answer), NULL, &error);
        *answer = deft__json_root(&live->document);
    }
    if (status != DEFT_OK) {
        deft__complain(&live->cli->output, "%s", error.message);
    }
    return status == DEFT_OK;
}

typedef struct telling {
    const char *method;
    deft_view   params;
    size_t      agreed;
} telling;

static void tell_one(void *context, const char *path, int process_id)
{
    telling    *work = context;
    deft_buffer answer;
    (void)process_id;
    deft_buffer_init(&answer, NULL);
    work->agreed +=
        deft__control_ask(path, work->method, work->params, &answer, NULL) == DEFT_OK ? 1 : 0;
    deft_buffer_clear(&answer);
}

void deft__live_tell_all(const deft__cli *cli, const char *method, const char *server, bool is_on)
{
    deft__json_writer json;
    deft_buffer       params;
    deft_buffer       folder;
    deft_buffer_init(&params, NULL);
    deft_buffer_init(&folder, NULL);
    deft__json_writer_init(&json, &params);
    deft__json_begin_object(&json);
    deft__json_name(&json, "server");
    deft__json_write_text(&json, server);
    deft__json_name(&json, "on");
    deft__json_write_bool(&json, is_on);
    deft__json_end_object(&json);
    telling work = {.method = method, .params = deft_buffer_view(&params)};
    if (find_folder(&folder)) {
        (void)deft__control_find(folder.data, tell_one, &work);
    }
    deft__detail(&cli->output, "told %zu running %s", work.agreed,
                 work.agreed == 1 ? "gateway" : "gateways");
    deft_buffer_clear(&params);
    deft_buffer_clear(&folder);
}

void deft__live_tell_missing(const deft__cli *cli, deft__json_value answer)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, NULL);
    deft_view text = deft__json_string(deft__json_member(answer, "missing"), &scratch);
    while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '.')) {
        text.size--;
    }
    if (text.size > 0) {
        deft__note(&cli->output, "%.*s", (int)text.size, text.data);
    }
    deft_buffer_clear(&scratch);
}
