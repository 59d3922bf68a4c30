#include "serve/bearer.h"

#include "base/fail.h"
#include "base/memory.h"
#include "http/challenge.h"
#include "http/syntax.h"
#include "oauth/scope.h"
#include "oauth/url.h"
#include "serve/asker.h"
#include "store/keyring.h"
#include "store/logins.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// A token is renewed when this much is left of it, or a quarter where it does not last that long: a
// request on its way must still find it good.
#define MARGIN_S 60u

// Another process renews: how often we look whether it is done, and for how long.
#define LOOK_MS   50u
#define LOOKS_MAX 700u
// After a renewal for which nobody could be reached, the old token is used for so long before the next.
#define REST_MS 30000u

struct deft__bearer {
    deft__loop          *loop;
    deft__bearer_options options;
    deft_buffer          path; // with a NUL
    deft_buffer          name;
    deft_buffer          endpoint;
    deft_buffer          ca; // with a NUL; empty: none
    deft__kept_login     login;
    deft_buffer          outdated; // the refresh token in a file that we could not write; or empty
    uint32_t             number;   // of the token: another one, another number
    uint64_t             margin_s;
    bool                 is_loaded;
    deft_error           trouble; // with the file, that was told; DEFT_OK: none

    // Renewing.
    bool         is_renewing;
    unsigned     looks;
    int          lock;
    deft__oauth *oauth;
    deft__asker  asker;
    deft__alarm *alarm; // looks again
    deft__task   soon;  // tells
    uint64_t     rests_until_ms;
};

static uint64_t now_s(void)
{
    const time_t now = time(NULL);
    return now > 0 ? (uint64_t)now : 0;
}

// --- What is kept. --------------------------------------------------------------------------------

static void note(const deft__bearer *bearer, const char *clause)
{
    if (bearer->options.noted != NULL) {
        bearer->options.noted(bearer->options.context, deft_view_of(clause));
    }
}

// It is looked at with every request; what is wrong with it is told once.
static void note_trouble(deft__bearer *bearer, const char *what, const deft_error *error)
{
    char clause[DEFT_ERROR_MESSAGE_SIZE + 40];
    if (strcmp(bearer->trouble.message, error->message) != 0) {
        bearer->trouble = *error;
        (void)snprintf(clause, sizeof clause, "has a login that cannot be %s: %s", what,
                       error->message);
        note(bearer, clause);
    }
}

static void set_margin(deft__bearer *bearer)
{
    const uint64_t now  = now_s();
    const uint64_t left = bearer->login.expires_at_s > now ? bearer->login.expires_at_s - now : 0;
    bearer->margin_s    = left / 4 < MARGIN_S ? left / 4 : MARGIN_S;
}

static void save(deft__bearer *bearer)
{
    deft_error error = DEFT_ERROR_INIT;
    if (deft__logins_save(bearer->path.data, deft_buffer_view(&bearer->endpoint), &bearer->login,
                          &error) != DEFT_OK) {
        note_trouble(bearer, "kept", &error);
    } else {
        bearer->trouble = (deft_error)DEFT_ERROR_INIT;
        deft__kept_wipe(&bearer->outdated);
    }
}

// Whether the file is older than what we have: its refresh token is used up, and ours is the only one.
static bool is_outdated(const deft__bearer *bearer, const deft__kept_login *read)
{
    return bearer->outdated.size > 0 &&
           deft_view_equal(deft__kept_get(read, DEFT__KEPT_REFRESH_TOKEN),
                           deft_buffer_view(&bearer->outdated));
}

// True: the token is another than before.
static bool load(deft__bearer *bearer)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login read;
    deft__kept_init(&read, deft__loop_allocator(bearer->loop));
    const deft_status status =
        deft__logins_load(bearer->path.data, deft_buffer_view(&bearer->endpoint), &read, &error);
    if (status != DEFT_OK && status != DEFT_NOT_FOUND) {
        note_trouble(bearer, "read", &error);
        deft__kept_clear(&read);
        return false;
    }
    if (status == DEFT_OK && !deft__oauth_url_covers(deft__kept_get(&read, DEFT__KEPT_RESOURCE),
                                                     deft_buffer_view(&bearer->endpoint))) {
        deft__kept_drop_tokens(&read); // somebody has changed the file: it is for another server
    }
    if (is_outdated(bearer, &read)) {
        deft__kept_clear(&read);
        save(bearer); // perhaps it can be written now
        return false;
    }
    const bool is_new = !deft_view_equal(deft__kept_get(&read, DEFT__KEPT_ACCESS_TOKEN),
                                         deft__kept_get(&bearer->login, DEFT__KEPT_ACCESS_TOKEN));
    deft__kept_wipe(&bearer->outdated);
    deft__kept_clear(&bearer->login);
    bearer->login     = read;
    bearer->is_loaded = true;
    bearer->number += is_new ? 1 : 0;
    if (is_new) {
        set_margin(bearer);
        bearer->rests_until_ms = 0;
    }
    return is_new;
}

static bool has(const deft__bearer *bearer, deft__kept_text text)
{
    return deft__kept_get(&bearer->login, text).size > 0;
}

static bool is_old(const deft__bearer *bearer)
{
    return bearer->login.expires_at_s > 0 &&
           now_s() + bearer->margin_s >= bearer->login.expires_at_s;
}

// --- Renewing. ------------------------------------------------------------------------------------

static void tell(void *context)
{
    const deft__bearer *bearer = context;
    bearer->options.renewed(bearer->options.context);
}

static void finish(deft__bearer *bearer)
{
    deft__asker_clear(&bearer->asker);
    deft__oauth_free(bearer->oauth);
    bearer->oauth = NULL;
    deft__logins_unlock(bearer->lock);
    bearer->lock        = -1;
    bearer->is_renewing = false;
    deft__loop_defer(bearer->loop, &bearer->soon);
}

static void fail(deft__bearer *bearer, const char *sentence, bool is_refused)
{
    char clause[DEFT_ERROR_MESSAGE_SIZE + 64];
    (void)snprintf(clause, sizeof clause, "could not be given a new token: %s", sentence);
    note(bearer, clause);
    bearer->rests_until_ms = deft__loop_now_ms(bearer->loop) + REST_MS;
    if (is_refused) {
        // It will be refused again. The access token may still be good for a while.
        (void)deft__kept_set(&bearer->login, DEFT__KEPT_REFRESH_TOKEN, deft_view_of(NULL));
        save(bearer);
    }
    finish(bearer);
}

// Whether somebody has logged in or out since: they do not wait for us, and what they did counts.
static bool is_overtaken(const deft__bearer *bearer)
{
    deft__kept_login read;
    deft__kept_init(&read, deft__loop_allocator(bearer->loop));
    const deft_status status =
        deft__logins_load(bearer->path.data, deft_buffer_view(&bearer->endpoint), &read, NULL);
    const bool is_other =
        (status == DEFT_OK || status == DEFT_NOT_FOUND) && !is_outdated(bearer, &read) &&
        !deft_view_equal(deft__kept_get(&read, DEFT__KEPT_REFRESH_TOKEN),
                         deft__kept_get(&bearer->login, DEFT__KEPT_REFRESH_TOKEN));
    deft__kept_clear(&read);
    return is_other;
}

// Until it is saved the file has a token that is used up, where the new login has another.
static bool take_renewed(deft__bearer *bearer)
{
    const deft__kept_login *renewed = deft__oauth_login(bearer->oauth);
    const deft_view         old     = deft__kept_get(&bearer->login, DEFT__KEPT_REFRESH_TOKEN);
    if (bearer->outdated.size == 0 &&
        !deft_view_equal(old, deft__kept_get(renewed, DEFT__KEPT_REFRESH_TOKEN))) {
        deft_buffer_append(&bearer->outdated, old);
    }
    return bearer->outdated.status == DEFT_OK && deft__kept_copy(&bearer->login, renewed);
}

static void asker_stopped(void *context)
{
    deft__bearer *bearer     = context;
    bool          is_refused = false;
    if (is_overtaken(bearer)) {
        (void)load(bearer);
        finish(bearer);
    } else if (deft__oauth_step_of(bearer->oauth) != DEFT__OAUTH_DONE) {
        const char *sentence = deft__oauth_failure(bearer->oauth, &is_refused);
        fail(bearer, sentence, is_refused);
    } else if (!take_renewed(bearer)) {
        fail(bearer, "there is no memory", false);
    } else {
        bearer->number++;
        bearer->rests_until_ms = 0;
        set_margin(bearer);
        save(bearer);
        finish(bearer);
    }
}

static void ask(deft__bearer *bearer)
{
    deft_error error = DEFT_ERROR_INIT;
    bearer->oauth    = deft__oauth_new_renewal(&bearer->login, now_s(),
                                               deft__loop_allocator(bearer->loop), &error);
    if (bearer->oauth == NULL ||
        !deft__asker_init(&bearer->asker, bearer->loop, bearer->options.fetcher, asker_stopped,
                          bearer)) {
        fail(bearer, "there is no memory", false);
    } else {
        bearer->asker.ca       = bearer->ca.size > 0 ? bearer->ca.data : NULL;
        bearer->asker.endpoint = deft_buffer_view(&bearer->endpoint);
        deft__asker_go(&bearer->asker, bearer->oauth);
    }
}

// Waits for the right to renew. Whoever had it before may have done it for us.
static void look(void *context)
{
    deft__bearer *bearer = context;
    bearer->lock = deft__logins_lock(bearer->path.data, deft_buffer_view(&bearer->endpoint));
    if (bearer->lock == -1 && bearer->looks < LOOKS_MAX) {
        bearer->looks++;
        deft__alarm_set(bearer->alarm, LOOK_MS);
    } else if (bearer->lock == -1) {
        fail(bearer, "another process is at it and does not end", false);
    } else if ((load(bearer) && !is_old(bearer)) || !has(bearer, DEFT__KEPT_REFRESH_TOKEN)) {
        finish(bearer);
    } else {
        ask(bearer);
    }
}

static void renew(deft__bearer *bearer)
{
    if (!bearer->is_renewing) {
        bearer->is_renewing = true;
        bearer->looks       = 0;
        look(bearer);
    }
}

// --- The owner's side. ----------------------------------------------------------------------------

deft__bearer *deft__bearer_new(deft__loop *loop, const deft__bearer_options *options)
{
    const deft_allocator *allocator = deft__loop_allocator(loop);
    deft__bearer         *bearer    = deft__new(allocator, sizeof *bearer);
    if (bearer == NULL) {
        return NULL;
    }
    bearer->loop    = loop;
    bearer->options = *options;
    bearer->lock    = -1;
    deft_buffer_init(&bearer->path, allocator);
    deft_buffer_init(&bearer->name, allocator);
    deft_buffer_init(&bearer->endpoint, allocator);
    deft_buffer_init(&bearer->ca, allocator);
    deft_buffer_init(&bearer->outdated, allocator);
    deft__kept_init(&bearer->login, allocator);
    deft_buffer_append_text(&bearer->path, options->path);
    deft_buffer_append_byte(&bearer->path, '\0');
    deft_buffer_append(&bearer->name, options->name);
    deft_buffer_append(&bearer->endpoint, options->endpoint);
    if (options->ca.size > 0) {
        deft_buffer_append(&bearer->ca, options->ca);
        deft_buffer_append_byte(&bearer->ca, '\0');
    }
    deft__task_init(&bearer->soon, tell, bearer);
    bearer->alarm = deft__alarm_new(loop, look, bearer);
    if (bearer->alarm == NULL || bearer->path.status != DEFT_OK || bearer->name.status != DEFT_OK ||
        bearer->endpoint.status != DEFT_OK || bearer->ca.status != DEFT_OK) {
        deft__bearer_free(bearer);
        return NULL;
    }
    return bearer;
}

void deft__bearer_free(deft__bearer *bearer)
{
    if (bearer == NULL) {
        return;
    }
    deft__asker_clear(&bearer->asker);
    deft__oauth_free(bearer->oauth);
    deft__logins_unlock(bearer->lock);
    deft__alarm_free(bearer->alarm);
    deft__loop_undefer(bearer->loop, &bearer->soon);
    deft__kept_clear(&bearer->login);
    deft__kept_wipe(&bearer->outdated);
    deft__kept_wipe(&bearer->endpoint); // a URL may hold a key
    deft_buffer_clear(&bearer->name);
    deft_buffer_clear(&bearer->ca);
    deft_buffer_clear(&bearer->path);
    deft__free(deft__loop_allocator(bearer->loop), bearer, sizeof *bearer);
}

bool deft__bearer_token(deft__bearer *bearer, deft_view *token, uint32_t *number)
{
    if (bearer->is_renewing) {
        return false;
    }
    if (!bearer->is_loaded) {
        (void)load(bearer);
    }
    if (is_old(bearer) && has(bearer, DEFT__KEPT_REFRESH_TOKEN) &&
        deft__loop_now_ms(bearer->loop) >= bearer->rests_until_ms) {
        renew(bearer);
        return false;
    }
    *token  = deft__kept_get(&bearer->login, DEFT__KEPT_ACCESS_TOKEN);
    *number = bearer->number;
    return true;
}

// A parameter of the Bearer challenge; empty: none.
static void read_parameter(deft_view challenges, const char *name, deft_buffer *value)
{
    deft__http_challenge challenge;
    while (value->size == 0 && deft__http_challenge_next(&challenges, &challenge) == DEFT_OK) {
        if (deft__http_same_text(challenge.scheme, "Bearer")) {
            (void)deft__http_challenge_parameter(&challenge, name, value);
        }
    }
}

// Kept for the login to come, unless it is known; beside what others have kept meanwhile. Not while a
// renewal is under way, which looks for its own refresh token in the file.
static void want(deft__bearer *bearer, deft_view challenge)
{
    if (bearer->is_renewing) {
        return;
    }
    (void)load(bearer);
    if (!deft_view_equal(deft__kept_get(&bearer->login, DEFT__KEPT_WANTED), challenge) &&
        deft__kept_set(&bearer->login, DEFT__KEPT_WANTED, challenge) &&
        deft__kept_set(&bearer->login, DEFT__KEPT_ENDPOINT, deft_buffer_view(&bearer->endpoint))) {
        save(bearer);
    }
}

// More rights are asked for than the token has. Where they were asked for already, another login will
// not bring them, and a person who is sent from one to the next would never end.
static void refuse_scope(deft__bearer *bearer, deft_view challenge, deft_view scope,
                         deft_buffer *clause)
{
    deft__quoted name;
    deft__quoted words;
    const bool   is_hopeless =
        scope.size > 0 && has(bearer, DEFT__KEPT_ACCESS_TOKEN) &&
        deft__oauth_scope_has_all(deft__kept_get(&bearer->login, DEFT__KEPT_SCOPE), scope);
    deft_buffer_append_text(clause, "wants more rights than its login has");
    if (scope.size > 0) {
        deft_buffer_append_text(clause, " (scope ");
        deft_buffer_append_text(clause, deft__quote(&words, scope));
        deft_buffer_append_byte(clause, ')');
    }
    if (is_hopeless) {
        deft_buffer_append_text(clause, ", although it was asked for them: its owner has to grant "
                                        "them, another login would not help");
    } else {
        want(bearer, challenge);
        deft_buffer_append_text(clause, ": run 'deft login ");
        deft_buffer_append_text(clause, deft__quote(&name, deft_buffer_view(&bearer->name)));
        deft_buffer_append_byte(clause, '\'');
    }
}

bool deft__bearer_refused(deft__bearer *bearer, int status, deft_view challenge, uint32_t number,
                          bool is_last, deft_buffer *clause)
{
    deft_buffer cause;
    deft_buffer scope;
    if (!is_last && (bearer->is_renewing || number != bearer->number || load(bearer))) {
        // Another token is on its way, or there already.
        if (!bearer->is_renewing) {
            deft__loop_defer(bearer->loop, &bearer->soon);
        }
        return true;
    }
    deft_buffer_init(&cause, deft__loop_allocator(bearer->loop));
    deft_buffer_init(&scope, deft__loop_allocator(bearer->loop));
    read_parameter(challenge, "error", &cause);
    read_parameter(challenge, "scope", &scope);
    const bool is_about_scope =
        status == 403 && deft_view_equals(deft_buffer_view(&cause), "insufficient_scope");
    bool is_renewable = false;
    if (is_about_scope) {
        refuse_scope(bearer, challenge, deft_buffer_view(&scope), clause);
    } else if (!is_last && status == 401 && has(bearer, DEFT__KEPT_REFRESH_TOKEN) &&
               deft__loop_now_ms(bearer->loop) >= bearer->rests_until_ms) {
        is_renewable = true;
        renew(bearer);
    } else {
        want(bearer, challenge);
    }
    deft_buffer_clear(&cause);
    deft_buffer_clear(&scope);
    return is_renewable;
}

void deft__bearer_reload(deft__bearer *bearer)
{
    deft__keyring_ask_again(); // who has logged in may have unlocked it
    if (!bearer->is_renewing) {
        (void)load(bearer);
    }
}
