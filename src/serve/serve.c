#include "serve/serve.h"

#include "base/fail.h"
#include "serve/answer.h"
#include "serve/door.h"
#include "transport/peer.h"

#include <signal.h>
#include <unistd.h>

#define GRACE_MS 5000

// After a signal: whoever sent it is likely to send a stronger one soon.
#define SIGNAL_GRACE_MS 500

// --- Serving an agent. ----------------------------------------------------------------------------

typedef enum phase {
    PHASE_SERVING,
    PHASE_FINISHING, // the agent says no more; what is open is still answered
    PHASE_STOPPING   // servers are being stopped
} phase;

typedef struct serving {
    deft__speaker speaker; // the agent's
    deft__service service;
    deft__peer   *agent;
    deft__client *client;
    deft__door   *door;
    deft__alarm  *grace;
    deft__task    stop;
    phase         phase;
    int           signal;     // that was caught; 0: none
    bool          has_looked; // at the names of the first tools
    deft_error    conflict;   // that was found there; DEFT_OK: none
} serving;

static void stopped(void *context)
{
    serving *all = context;
    deft__loop_stop(all->service.loop);
}

// Ends the conversation and stops all servers.
static void stop(void *context)
{
    serving *all = context;
    if (all->phase == PHASE_STOPPING) {
        return;
    }
    all->phase = PHASE_STOPPING;
    deft__alarm_stop(all->grace);
    deft__client_close(all->client);
    all->client = NULL;
    deft__door_close(all->door);
    all->door = NULL;
    deft__service_end(&all->service);
}

static bool is_all_answered(const serving *all)
{
    return deft__client_open_count(all->client) == 0 && deft__peer_queued(all->agent) == 0;
}

// Two tools of one name cannot both be called. The user is told at the start, rather than the model
// later; what servers bring while an agent works does not end it.
static void look_at_names(serving *all)
{
    const deft__snapshot *snapshot =
        all->has_looked ? NULL : deft__gateway_snapshot(all->service.gateway);
    if (snapshot == NULL) {
        return;
    }
    all->has_looked = true;
    if (snapshot->conflict.status != DEFT_OK && deft_plan_summary_of(snapshot->plan)->is_active) {
        all->conflict = snapshot->conflict;
        deft__loop_defer(all->service.loop, &all->stop);
    }
}

// From within callbacks of the gateway nothing may be closed: that is for the next turn.
static void stop_if_answered(void *context)
{
    serving *all = context;
    look_at_names(all);
    if (all->phase == PHASE_FINISHING && is_all_answered(all)) {
        deft__loop_defer(all->service.loop, &all->stop);
    }
}

static void finish_within(serving *all, uint64_t grace_ms)
{
    if (all->phase == PHASE_STOPPING) {
        return;
    }
    all->phase = PHASE_FINISHING;
    deft__alarm_set(all->grace, grace_ms);
    stop_if_answered(all);
}

static void agent_received(void *context, deft_view line)
{
    serving *all = context;
    if (all->phase != PHASE_STOPPING) {
        deft__service_enter(&all->service);
        deft__client_receive(all->client, line);
        deft__service_leave(&all->service);
    }
}

static void agent_overflowed(void *context)
{
    serving *all = context;
    if (all->phase != PHASE_STOPPING) {
        deft__service_enter(&all->service);
        deft__client_overflowed(all->client);
        deft__service_leave(&all->service);
    }
}

static void agent_finished(void *context)
{
    serving       *all      = context;
    const uint64_t grace_ms = all->service.options->grace_ms;
    finish_within(all, grace_ms > 0 ? grace_ms : GRACE_MS);
}

static void agent_gone(void *context)
{
    serving *all = context;
    deft__loop_defer(all->service.loop, &all->stop);
}

static void agent_hears(deft__speaker *speaker, deft_view line)
{
    serving *all = (serving *)(void *)speaker; // its first member
    deft__peer_send(all->agent, line);
}

static void signal_caught(void *context, int number)
{
    serving *all = context;
    if (all->signal != 0) {
        // Asked twice. What runs is killed, and nothing is waited for.
        deft__service_kill(&all->service);
        _exit(128 + number);
    }
    all->signal = number;
    if (all->phase != PHASE_STOPPING) {
        deft__service_enter(&all->service);
        deft__gateway_end_listens(all->service.gateway);
        deft__service_leave(&all->service);
    }
    finish_within(all, SIGNAL_GRACE_MS);
}

static deft_status open_all(serving *all, const deft__serve_options *options, deft_error *error)
{
    const deft__peer_options peer = {
        .context       = all,
        .received      = agent_received,
        .overflowed    = agent_overflowed,
        .finished      = agent_finished,
        .gone          = agent_gone,
        .drained       = stop_if_answered,
        .line_size_max = (size_t)all->service.settings->message_size_max,
    };
    deft__loop *loop   = all->service.loop;
    deft_error  why    = DEFT_ERROR_INIT;
    deft_status status = deft__loop_catch_signals(loop, signal_caught, all, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft__task_init(&all->stop, stop, all);
    all->grace   = deft__alarm_new(loop, stop, all);
    all->speaker = (deft__speaker){.hear = agent_hears};
    if (all->grace == NULL) {
        return deft__fail_memory(error);
    }
    const deft__client_options agent = {.tag = &all->speaker};
    all->client                      = deft__client_open(all->service.gateway, &agent, error);
    if (all->client == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    all->agent = deft__peer_new_agent(loop, options->input, options->output, &peer, error);
    if (all->agent == NULL) {
        return DEFT_INVALID;
    }
    if (options->control_directory != NULL) {
        all->door = deft__door_open(&all->service, options->control_directory, &why);
        if (all->door == NULL && options->note != NULL) {
            options->note(options->context, deft_view_of(why.message));
        }
    }
    return DEFT_OK;
}

deft_status deft__serve_run(const deft__serve_options *options, deft_error *error)
{
    serving     all    = {.phase = PHASE_SERVING};
    deft_status status = deft__service_init(&all.service, options, deft_view_make(NULL, 0), error);
    if (status == DEFT_OK) {
        all.service.owner   = &all;
        all.service.ended   = stopped;
        all.service.settled = stop_if_answered;
        status              = open_all(&all, options, error);
        if (status == DEFT_OK) {
            deft__service_start(&all.service);
        } else {
            all.phase = PHASE_STOPPING;
            if (all.client != NULL) {
                deft__client_close(all.client);
            }
            deft__service_end(&all.service);
        }
        deft__loop_run(all.service.loop);
        deft__door_close(all.door);
        deft__peer_free(all.agent);
        deft__alarm_free(all.grace);
        deft__loop_undefer(all.service.loop, &all.stop);
    }
    deft__service_clear(&all.service);
    if (status == DEFT_OK && all.conflict.status != DEFT_OK) {
        status = deft__fail(error, all.conflict.status, 0, "%s", all.conflict.message);
    }
    return status;
}

// --- Answering one request. -----------------------------------------------------------------------

typedef struct asking {
    deft__service service;
    deft__request request;
    bool          is_answered;
    bool          is_stopped; // by a signal
} asking;

static void asking_ended(void *context)
{
    asking *all = context;
    deft__loop_stop(all->service.loop);
}

static void asking_answered(void *context, deft__request *request)
{
    (void)request;
    asking *all      = context;
    all->is_answered = true;
    deft__loop_stop(all->service.loop);
}

static void asking_signal(void *context, int number)
{
    asking *all = context;
    if (all->is_stopped) {
        deft__service_kill(&all->service);
        _exit(128 + number);
    }
    all->is_stopped = true;
    deft__loop_stop(all->service.loop);
}

// The server in "server::tool", where that is what is called; empty: it could be any.
static deft_view server_of_call(const deft__serve_options *options, const char *method,
                                deft_view params, deft_buffer *scratch)
{
    deft__json document;
    deft_view  server = deft_view_make(NULL, 0);
    deft__json_init(&document, NULL);
    if (strcmp(method, "deft/call") == 0 &&
        deft__json_parse(&document, params, NULL, NULL) == DEFT_OK) {
        const deft__json_value tool = deft__json_member(deft__json_root(&document), "tool");
        const deft_view        id   = deft__json_string(tool, scratch);
        for (size_t i = 0; i < deft_config_server_count(options->config); i++) {
            const deft_view name = deft_config_server(options->config, i)->name;
            if (name.size + 2 <= id.size && deft_view_starts_with(id, name) &&
                id.data[name.size] == ':' && id.data[name.size + 1] == ':') {
                server = name;
            }
        }
    }
    deft__json_clear(&document);
    return server;
}

deft_status deft__serve_alone(const deft__serve_options *options, const char *method,
                              deft_view params, deft_buffer *result, deft_error *error)
{
    asking      all = {0};
    deft_buffer scratch;
    deft_buffer_init(&scratch, NULL);
    const deft_view only   = server_of_call(options, method, params, &scratch);
    deft_status     status = deft__service_init(&all.service, options, only, error);
    if (status == DEFT_OK) {
        status = deft__loop_catch_signals(all.service.loop, asking_signal, &all, error);
    }
    if (status == DEFT_OK) {
        all.service.owner    = &all;
        all.service.ended    = asking_ended;
        all.service.is_alone = true;
        all.request.answered = asking_answered;
        all.request.context  = &all;
        deft__service_start_now(&all.service);
        deft__request_start(&all.request, &all.service, deft_view_of(method), params, true);
        deft__loop_run(all.service.loop);
        if (!all.is_answered) {
            status = deft__fail(error, DEFT_INVALID, 0, "stopped before there was an answer");
        } else if (all.request.error.status != DEFT_OK) {
            status = all.request.error.status;
            if (error != NULL) {
                *error = all.request.error;
            }
        } else {
            deft_buffer_append(result, deft_buffer_view(&all.request.result));
            status = result->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
        }
        deft__request_clear(&all.request);
    }
    if (all.service.gateway != NULL) {
        deft__service_end(&all.service);
        deft__loop_run(all.service.loop);
    }
    deft__service_clear(&all.service);
    deft_buffer_clear(&scratch);
    return status;
}
