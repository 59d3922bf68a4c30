// deft logout: forgetting comes first, so that nothing that goes wrong later can keep a login here.
#include "base/fail.h"
#include "serve/asker.h"
#include "serve/login.h"
#include "store/logins.h"
#include "transport/environment.h"

#include <stdio.h>

typedef struct revoking {
    deft__loop    *loop;
    deft__fetcher *fetcher;
    deft__asker    asker;
    deft__oauth   *oauth;
} revoking;

static void stopped(void *context)
{
    const revoking *all = context;
    deft__loop_stop(all->loop);
}

static void caught(void *context, int number)
{
    (void)number;
    stopped(context);
}

static deft_status ask(revoking *all, const deft__serve_options *options,
                       const deft__launch *launch, const deft__kept_login *kept, deft_error *error)
{
    all->oauth   = deft__oauth_new_revocation(kept, NULL, error);
    all->loop    = all->oauth != NULL ? deft__loop_new(NULL, error) : NULL;
    all->fetcher = all->loop != NULL
                       ? deft__login_fetcher(all->loop, options, launch->server.ca, error)
                       : NULL;
    if (all->fetcher == NULL) {
        return DEFT_INVALID;
    }
    const deft_status status = deft__loop_catch_signals(all->loop, caught, all, error);
    if (status != DEFT_OK) {
        return status;
    }
    if (!deft__asker_init(&all->asker, all->loop, all->fetcher, stopped, all)) {
        return deft__fail_memory(error);
    }
    all->asker.ca       = launch->server.ca.size > 0 ? launch->server.ca.data : NULL;
    all->asker.endpoint = launch->server.url;
    deft__asker_go(&all->asker, all->oauth);
    deft__loop_run(all->loop);
    switch (deft__oauth_step_of(all->oauth)) {
    case DEFT__OAUTH_DONE:
        return DEFT_OK;
    case DEFT__OAUTH_FAILED:
        return deft__fail(error, DEFT_INVALID, 0, "%s", deft__oauth_failure(all->oauth, NULL));
    case DEFT__OAUTH_FETCH:
    case DEFT__OAUTH_SHOW:
    default:
        return deft__fail(error, DEFT_INVALID, 0, "the logout was stopped");
    }
}

// Tells the authorization server. What does not work out is told, and that is all.
static void revoke(const deft__serve_options *options, const deft__launch *launch,
                   const deft__kept_login *kept)
{
    revoking          all    = {.loop = NULL};
    deft_error        error  = DEFT_ERROR_INIT;
    const deft_status status = ask(&all, options, launch, kept, &error);
    const bool        had_tokens =
        kept->texts[DEFT__KEPT_ACCESS_TOKEN].size + kept->texts[DEFT__KEPT_REFRESH_TOKEN].size > 0;
    if (status != DEFT_OK && had_tokens && options->note != NULL) {
        char line[DEFT_ERROR_MESSAGE_SIZE + 100];
        snprintf(
            line, sizeof line,
            "the tokens are forgotten here, but not revoked, and stay good until they expire: %s",
            error.message);
        options->note(options->context, deft_view_of(line));
    }
    deft__asker_clear(&all.asker);
    deft__oauth_free(all.oauth);
    deft__fetcher_free(all.fetcher);
    deft__loop_free(all.loop);
}

deft_status deft__serve_logout(const deft__serve_options *options, deft_view server,
                               deft_error *error)
{
    const deft_server_config *config = NULL;
    deft__launch              launch;
    deft__kept_login          kept;
    deft__quoted              name;
    deft_status status = deft__login_find_server(options->config, server, &config, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft__kept_init(&kept, NULL);
    status = deft__launch_init(&launch, config, options->environment, NULL, error);
    if (status == DEFT_OK && options->logins != NULL) {
        status = deft__logins_load(options->logins, launch.server.url, &kept, error);
    } else if (status == DEFT_OK) {
        status = DEFT_NOT_FOUND;
    }
    if (status == DEFT_NOT_FOUND) {
        (void)deft__fail(error, status, 0, "there is no login for server '%s'",
                         deft__quote(&name, server));
    } else if (status == DEFT_OK) {
        status = deft__logins_save(options->logins, launch.server.url, NULL, error);
    }
    if (status == DEFT_OK) {
        revoke(options, &launch, &kept);
    }
    deft__kept_clear(&kept);
    deft__launch_clear(&launch);
    return status;
}
