#include "serve/login.h"

#include "base/fail.h"
#include "crypto/digest.h"
#include "http/challenge.h"
#include "http/syntax.h"
#include "http/target.h"
#include "io/stream.h"
#include "serve/asker.h"
#include "serve/landing.h"
#include "serve/service.h"
#include "store/logins.h"
#include "transport/environment.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#define TIMEOUT_MS     600000u
#define PASTE_SIZE_MAX 16384u

typedef struct logging_in {
    const deft__login_options *options;
    deft__launch               launch; // the server, with its variables
    deft_buffer                challenge;
    deft__kept_login           kept;
    deft_buffer                redirect; // the landing's URL
    deft__loop                *loop;
    deft__fetcher             *fetcher;
    deft__asker                asker;
    deft__oauth               *oauth;
    deft__landing             *landing;
    deft__stream              *paste;
    deft_buffer                typed;
    deft__alarm               *alarm;
    deft__task                 over;
    deft_error                 error;
} logging_in;

// --- The server. ----------------------------------------------------------------------------------

deft_status deft__login_find_server(const deft_config *config, deft_view name,
                                    const deft_server_config **server, deft_error *error)
{
    deft__quoted quoted;
    deft__quote(&quoted, name);
    *server = NULL;
    for (size_t i = 0; i < deft_config_server_count(config); i++) {
        if (deft_view_equal(deft_config_server(config, i)->name, name)) {
            *server = deft_config_server(config, i);
        }
    }
    if (*server == NULL) {
        return deft__fail(error, DEFT_NOT_FOUND, 0,
                          "no server is called '%s'; 'deft servers' shows those there are",
                          quoted.text);
    }
    if ((*server)->transport == DEFT_TRANSPORT_STDIO) {
        return deft__fail(error, DEFT_CONFLICT, 0,
                          "server '%s' is a process of this machine: it takes its credentials from "
                          "its env",
                          quoted.text);
    }
    for (size_t i = 0; i < (*server)->header_count; i++) {
        if (deft__http_same_text((*server)->headers[i].name, "Authorization")) {
            return deft__fail(error, DEFT_CONFLICT, 0,
                              "server '%s' has an Authorization in its headers, which is used "
                              "instead of a login; take it out first",
                              quoted.text);
        }
    }
    return DEFT_OK;
}

// --- What the server wants. -----------------------------------------------------------------------

static void stop_when_known(void *context)
{
    deft__service         *service = context;
    const deft__link      *link    = deft__gateway_link(service->gateway, 0);
    const deft__link_state state   = deft__link_state_of(link);
    if (state == DEFT__LINK_UNAUTHORIZED || state == DEFT__LINK_FAILED ||
        state == DEFT__LINK_DISABLED || state == DEFT__LINK_QUARANTINED ||
        deft__link_manifest(link) != NULL) {
        deft__loop_stop(service->loop);
    }
}

static void stop_loop(void *context)
{
    const deft__service *service = context;
    deft__loop_stop(service->loop);
}

static void stop_by_signal(void *context, int number)
{
    (void)number;
    stop_loop(context);
}

// Speaks to the server without a token, as far as it lets us: what it says when it wants one tells where
// the login is. One that lets us in entirely may want one for its calls.
static deft_status probe(logging_in *all, deft_error *error)
{
    deft__serve_options options = *all->options->serve;
    deft__service       service;
    options.logins     = NULL;
    options.store      = NULL;
    options.progress   = NULL;
    deft_status status = deft__service_init(&service, &options, all->options->server, error);
    if (status == DEFT_OK) {
        status = deft__loop_catch_signals(service.loop, stop_by_signal, &service, error);
    }
    if (status == DEFT_OK) {
        deft__link *link = deft__gateway_link(service.gateway, 0);
        service.owner    = &service;
        service.settled  = stop_when_known;
        service.ended    = stop_loop;
        deft__service_enter(&service);
        deft__link_discover(link);
        deft__service_leave(&service);
        deft__loop_run(service.loop);
        if (deft__link_state_of(link) == DEFT__LINK_UNAUTHORIZED) {
            deft_buffer_append(&all->challenge, deft_buffer_view(&service.servers[0].challenge));
        } else if (deft__link_manifest(link) == NULL) {
            deft_view reason = deft__link_reason(link);
            if (reason.size == 0) {
                reason = deft_view_of("the server is disabled, or the login was stopped");
            }
            status = deft__fail(error, DEFT_INVALID, 0, "%.*s", (int)reason.size, reason.data);
        }
    }
    if (service.gateway != NULL) {
        service.settled = NULL;
        deft__service_end(&service);
        deft__loop_run(service.loop);
    }
    deft__service_clear(&service);
    return status;
}

// What is kept of the last login; and what it lacked, where a call has said so since.
static deft_status look_up(logging_in *all, deft_error *error)
{
    deft__http_challenge challenge;
    deft_buffer          cause;
    const deft_status    status =
        deft__logins_load(all->options->serve->logins, all->launch.server.url, &all->kept, error);
    if (status != DEFT_OK && status != DEFT_NOT_FOUND) {
        return status;
    }
    const deft_view wanted = deft__kept_get(&all->kept, DEFT__KEPT_WANTED);
    deft_view       rest   = wanted;
    deft_buffer_init(&cause, NULL);
    if (deft__http_challenge_next(&rest, &challenge) == DEFT_OK) {
        (void)deft__http_challenge_parameter(&challenge, "error", &cause);
    }
    if (all->challenge.size == 0 ||
        deft_view_equals(deft_buffer_view(&cause), "insufficient_scope")) {
        deft_buffer_reset(&all->challenge);
        deft_buffer_append(&all->challenge, wanted);
    }
    deft_buffer_clear(&cause);
    return all->challenge.status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
}

// --- The person. ----------------------------------------------------------------------------------

static void stop_soon(logging_in *all)
{
    deft__loop_defer(all->loop, &all->over); // the browser's answer goes out first
}

static void end_it(void *context)
{
    const logging_in *all = context;
    deft__loop_stop(all->loop);
}

static void stepped(void *context)
{
    logging_in *all = context;
    if (deft__oauth_step_of(all->oauth) == DEFT__OAUTH_SHOW) {
        all->options->show(all->options->context, deft__oauth_page(all->oauth));
    } else {
        stop_soon(all);
    }
}

static bool came_back(void *context, deft_view query)
{
    logging_in *all = context;
    if (deft__oauth_step_of(all->oauth) != DEFT__OAUTH_SHOW ||
        !deft__oauth_redirected(all->oauth, query)) {
        return false;
    }
    deft__asker_go(&all->asker, all->oauth);
    return true;
}

static void note(const logging_in *all, const char *line)
{
    const deft__serve_options *serve = all->options->serve;
    if (serve->note != NULL) {
        serve->note(serve->context, deft_view_of(line));
    }
}

static void take_line(logging_in *all, deft_view line)
{
    const char *mark  = line.size > 0 ? memchr(line.data, '?', line.size) : NULL;
    deft_view   query = deft__http_trim(
          mark != NULL ? deft_view_slice(line, (size_t)(mark - line.data) + 1, line.size) : line);
    const char *fragment = query.size > 0 ? memchr(query.data, '#', query.size) : NULL;
    query.size           = fragment != NULL ? (size_t)(fragment - query.data) : query.size;
    if (query.size > 0 && !came_back(all, query)) {
        note(all, "that is not the address that the browser was sent to; try again");
    }
}

static void typed(void *context, deft_view bytes)
{
    logging_in *all = context;
    deft_buffer_append(&all->typed, bytes);
    const char *end = all->typed.size > 0 ? memchr(all->typed.data, '\n', all->typed.size) : NULL;
    while (end != NULL) {
        const size_t size = (size_t)(end - all->typed.data);
        take_line(all, deft_view_make(all->typed.data, size));
        memmove(all->typed.data, end + 1, all->typed.size - size - 1);
        deft_buffer_truncate(&all->typed, all->typed.size - size - 1);
        end = all->typed.size > 0 ? memchr(all->typed.data, '\n', all->typed.size) : NULL;
    }
    if (all->typed.size > PASTE_SIZE_MAX) {
        deft_buffer_reset(&all->typed);
    }
}

static void typing_ended(void *context, deft__stream_end end, int code)
{
    logging_in *all = context;
    (void)end;
    (void)code;
    take_line(all, deft_buffer_view(&all->typed)); // a last line without its end
    deft_buffer_reset(&all->typed);
    if (deft__oauth_step_of(all->oauth) == DEFT__OAUTH_SHOW) {
        (void)deft__fail(&all->error, DEFT_INVALID, 0, "no address was pasted");
        stop_soon(all);
    }
}

static void time_is_up(void *context)
{
    logging_in *all = context;
    (void)deft__fail(&all->error, DEFT_LIMIT, 0, "nobody has logged in in time; try again");
    stop_soon(all);
}

static void caught(void *context, int number)
{
    logging_in *all = context;
    (void)number;
    (void)deft__fail(&all->error, DEFT_INVALID, 0, "the login was stopped");
    stop_soon(all);
}

// --- All of it. -----------------------------------------------------------------------------------

// The port of a redirect of ours; 0: another one.
static uint16_t port_of(deft_view url)
{
    bool                 is_https;
    deft__http_authority authority;
    deft_view            rest;
    return deft__http_read_url(url, &is_https, &authority, &rest) && authority.port > 0
               ? (uint16_t)authority.port
               : 0;
}

// A client that is registered has the port in its redirect, so that one is tried first.
static deft_status open_landing(logging_in *all, deft_error *error)
{
    const uint16_t configured = all->launch.server.login.callback_port;
    const uint16_t last       = port_of(deft__kept_get(&all->kept, DEFT__KEPT_REDIRECT));
    if (configured > 0) {
        all->landing = deft__landing_new(all->loop, configured, came_back, all, error);
    } else {
        all->landing = last > 0 ? deft__landing_new(all->loop, last, came_back, all, NULL) : NULL;
        if (all->landing == NULL) {
            all->landing = deft__landing_new(all->loop, 0, came_back, all, error);
        }
    }
    if (all->landing == NULL) {
        return DEFT_INVALID;
    }
    deft__landing_write_url(all->landing, &all->redirect);
    return all->redirect.status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
}

static deft_status make_oauth(logging_in *all, deft_error *error)
{
    const deft__login_options *options = all->options;
    const deft_server_login   *login   = &all->launch.server.login;
    char                       random[DEFT__OAUTH_RANDOM_SIZE];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return deft__fail(error, DEFT_INVALID, 0, "the system gives no randomness");
    }
    const deft__oauth_options wanted = {
        .endpoint      = all->launch.server.url,
        .challenge     = deft_buffer_view(&all->challenge),
        .scope         = options->scope.size > 0 ? options->scope : login->scope,
        .redirect_uri  = deft_buffer_view(&all->redirect),
        .client_id     = options->client_id.size > 0 ? options->client_id : login->client_id,
        .client_secret = options->client_id.size > 0 ? deft_view_of(NULL) : login->client_secret,
        .issuer        = login->issuer,
        .metadata_url  = login->metadata_url,
        .kept          = &all->kept,
        .random        = deft_view_make(random, sizeof random),
        .now_s         = (uint64_t)time(NULL),
    };
    all->oauth = deft__oauth_new(&wanted, NULL, error);
    deft__wipe(random, sizeof random);
    return all->oauth != NULL ? DEFT_OK : DEFT_INVALID;
}

static deft_status open_paste(logging_in *all, deft_error *error)
{
    const deft__stream_options options = {
        .context = all, .read = typed, .ended = typing_ended, .is_inherited = true};
    if (all->options->paste >= 0) {
        all->paste = deft__stream_new(all->loop, all->options->paste, &options, error);
        return all->paste != NULL ? DEFT_OK : DEFT_INVALID;
    }
    return DEFT_OK;
}

static deft_status talk(logging_in *all, deft_error *error)
{
    const uint64_t timeout_ms = all->options->timeout_ms;
    deft_status    status     = open_landing(all, error);
    if (status == DEFT_OK) {
        status = make_oauth(all, error);
    }
    if (status == DEFT_OK) {
        status = open_paste(all, error);
    }
    all->alarm = deft__alarm_new(all->loop, time_is_up, all);
    if (status == DEFT_OK &&
        (all->alarm == NULL ||
         !deft__asker_init(&all->asker, all->loop, all->fetcher, stepped, all))) {
        status = deft__fail_memory(error);
    }
    if (status != DEFT_OK) {
        return status;
    }
    all->asker.ca       = all->launch.server.ca.size > 0 ? all->launch.server.ca.data : NULL;
    all->asker.endpoint = all->launch.server.url;
    deft__alarm_set(all->alarm, timeout_ms > 0 ? timeout_ms : TIMEOUT_MS);
    deft__asker_go(&all->asker, all->oauth);
    deft__loop_run(all->loop);
    if (deft__oauth_step_of(all->oauth) == DEFT__OAUTH_DONE) {
        return deft__logins_save(all->options->serve->logins, all->launch.server.url,
                                 deft__oauth_login(all->oauth), error);
    }
    return deft__fail(error, DEFT_INVALID, 0, "%s",
                      deft__oauth_step_of(all->oauth) == DEFT__OAUTH_FAILED
                          ? deft__oauth_failure(all->oauth, NULL)
                          : all->error.message);
}

deft__fetcher *deft__login_fetcher(deft__loop *loop, const deft__serve_options *options,
                                   deft_view server_ca, deft_error *error)
{
    // Whoever signs for the server may sign for where one logs in to it, too.
    const deft_view ca =
        server_ca.size > 0 ? server_ca : deft_config_settings(options->config)->remote_ca;
    deft__fetcher *fetcher = deft__fetcher_new(loop, options->environment, 0, error);
    if (fetcher != NULL && ca.size > 0 && !deft__fetcher_trust(fetcher, ca)) {
        deft__fetcher_free(fetcher);
        (void)deft__fail_memory(error);
        return NULL;
    }
    return fetcher;
}

// Before there is anything to keep. Where no keyring is to be had the file is for its owner alone, as ever.
static deft_status choose_keyring(const logging_in *all, deft_error *error)
{
    const deft__serve_options *serve = all->options->serve;
    deft_error                 cause = DEFT_ERROR_INIT;
    if (all->options->keyring == DEFT__KEYRING_AS_IT_IS) {
        return DEFT_OK;
    }
    if (all->options->keyring == DEFT__KEYRING_UNUSED) {
        return deft__logins_seal(serve->logins, false, error);
    }
    // A keyring is there, and does not work. What is sealed already is no matter of a note.
    if (deft__logins_seal(serve->logins, true, &cause) == DEFT_INVALID &&
        deft__logins_unseal(serve->logins, NULL) == DEFT_OK) {
        char line[DEFT_ERROR_MESSAGE_SIZE + 80];
        (void)snprintf(line, sizeof line,
                       "%s: logins are kept as plain text that only you can read", cause.message);
        note(all, line);
    }
    return DEFT_OK;
}

static deft_status run(logging_in *all, deft_error *error)
{
    deft_status status = probe(all, error);
    if (status == DEFT_OK) {
        status = choose_keyring(all, error);
    }
    if (status == DEFT_OK) {
        status = look_up(all, error);
    }
    if (status != DEFT_OK) {
        return status;
    }
    all->loop    = deft__loop_new(NULL, error);
    all->fetcher = all->loop != NULL ? deft__login_fetcher(all->loop, all->options->serve,
                                                           all->launch.server.ca, error)
                                     : NULL;
    if (all->fetcher == NULL) {
        return DEFT_INVALID;
    }
    deft__task_init(&all->over, end_it, all);
    status = deft__loop_catch_signals(all->loop, caught, all, error);
    return status == DEFT_OK ? talk(all, error) : status;
}

static void clear(logging_in *all)
{
    deft__asker_clear(&all->asker);
    deft__oauth_free(all->oauth);
    deft__landing_free(all->landing);
    deft__stream_close(all->paste);
    deft__alarm_free(all->alarm);
    deft__fetcher_free(all->fetcher);
    if (all->loop != NULL) {
        deft__loop_undefer(all->loop, &all->over);
    }
    deft__loop_free(all->loop);
    deft__kept_clear(&all->kept);
    deft__kept_wipe(&all->typed);
    deft_buffer_clear(&all->challenge);
    deft_buffer_clear(&all->redirect);
    deft__launch_clear(&all->launch);
}

deft_status deft__serve_login(const deft__login_options *options, deft_error *error)
{
    const deft_server_config *server = NULL;
    logging_in                all    = {.options = options};
    deft_status               status =
        deft__login_find_server(options->serve->config, options->server, &server, error);
    if (status == DEFT_OK && options->serve->logins == NULL) {
        status = deft__fail(error, DEFT_CONFLICT, 0,
                            "there is no place to keep a login: set HOME, or DEFT_LOGINS=FILE");
    }
    if (status != DEFT_OK) {
        return status;
    }
    deft_buffer_init(&all.challenge, NULL);
    deft_buffer_init(&all.redirect, NULL);
    deft_buffer_init(&all.typed, NULL);
    deft__kept_init(&all.kept, NULL);
    status = deft__launch_init(&all.launch, server, options->serve->environment, NULL, error);
    if (status == DEFT_OK) {
        status = run(&all, error);
    }
    clear(&all);
    return status;
}
