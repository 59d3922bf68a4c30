// deft login and deft logout: getting into remote servers, and out again.
#include "serve/login.h"

#include "base/fail.h"
#include "cli/discovery.h"
#include "cli/live.h"
#include "store/logins.h"
#include "json/writer.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

typedef struct person {
    deft__cli *cli;
    bool       is_pasting;
} person;

static void tell(void *context, deft_view line)
{
    const person *one = context;
    deft__note(&one->cli->output, "%.*s", (int)line.size, line.data);
}

// The program that shows a page; NULL: there is no screen to show it on.
static const char *browser(void)
{
    const char *chosen = getenv("BROWSER");
    if (chosen != NULL && chosen[0] != '\0') {
        return chosen;
    }
#if defined(__APPLE__)
    return "open";
#else
    return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL ? "xdg-open" : NULL;
#endif
}

// No shell sees the address: a stranger has written parts of it.
static bool open_browser(const char *program, const char *page)
{
    posix_spawn_file_actions_t actions;
    pid_t                      child;
    char                      *name    = strdup(program);
    char                      *address = strdup(page);
    char *const                words[] = {name, address, NULL};
    bool                       is_open = false;
    if (name != NULL && address != NULL && posix_spawn_file_actions_init(&actions) == 0) {
        // What browsers say is not for our streams, and what is typed here is not for them.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
        is_open = posix_spawnp(&child, program, &actions, NULL, words, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    free(name);
    free(address);
    return is_open;
}

// The address is shown in any case, also with --quiet: without it nothing goes on.
static void show(void *context, deft_view url)
{
    const person *one     = context;
    const char   *program = one->is_pasting ? NULL : browser();
    deft_buffer   page;
    deft_buffer_init(&page, NULL);
    deft_buffer_append(&page, url);
    deft_buffer_append_byte(&page, '\0');
    if (page.status == DEFT_OK) {
        const bool is_open = program != NULL && open_browser(program, page.data);
        deft__note(&one->cli->output, is_open
                                          ? "log in in the browser; if none has opened, open this:"
                                          : "open this in a browser and log in:");
        (void)fprintf(stderr, "%s\n", page.data);
        if (one->is_pasting) {
            deft__note(
                &one->cli->output,
                "the browser will end up at an address that begins with http://127.0.0.1 and "
                "may not load: paste that address here");
        }
    }
    deft_buffer_clear(&page);
}

static void print(deft__cli *cli, const char *server, bool is_in)
{
    deft_buffer       text;
    deft__json_writer json;
    if (!deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft__note(&cli->output, is_in ? "logged in to '%s'" : "logged out of '%s'", server);
        return;
    }
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "server");
    deft__json_write_text(&json, server);
    deft__json_name(&json, "loggedIn");
    deft__json_write_bool(&json, is_in);
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
    deft_buffer_clear(&text);
}

// DEFT_KEYRING=off leaves the system's keyring alone.
static deft_status choose_keyring(deft__login_keyring *keyring, deft_error *error)
{
    const char *choice = getenv("DEFT_KEYRING");
    *keyring           = DEFT__KEYRING_USED;
    if (choice != NULL && strcmp(choice, "off") == 0) {
        *keyring = DEFT__KEYRING_UNUSED;
    } else if (choice != NULL && choice[0] != '\0' && strcmp(choice, "on") != 0) {
        deft__quoted quoted;
        return deft__fail(error, DEFT_INVALID, 0, "DEFT_KEYRING is '%s': it may be on or off",
                          deft__quote(&quoted, deft_view_of(choice)));
    }
    return DEFT_OK;
}

static deft_status run(deft__cli *cli, const deft__serve_options *serve, person *one, bool is_in,
                       deft_error *error)
{
    const deft__invocation *given = &cli->invocation;
    const deft_view         name  = deft_view_of(given->operands[0]);
    if (!is_in) {
        return deft__serve_logout(serve, name, error);
    }
    deft__login_keyring keyring;
    if (choose_keyring(&keyring, error) != DEFT_OK) {
        return DEFT_INVALID;
    }
    const deft__login_options options = {
        .serve     = serve,
        .server    = name,
        .scope     = deft_view_of(deft__invocation_value(given, DEFT__FLAG_SCOPE)),
        .client_id = deft_view_of(deft__invocation_value(given, DEFT__FLAG_CLIENT_ID)),
        .paste     = one->is_pasting ? STDIN_FILENO : -1,
        .keyring   = keyring,
        .show      = show,
        .context   = one,
    };
    return deft__serve_login(&options, error);
}

static int log_in_or_out(deft__cli *cli, bool is_in)
{
    deft_config *config = deft__config_read(cli);
    deft_error   error  = DEFT_ERROR_INIT;
    deft_buffer  path;
    if (config == NULL) {
        return DEFT__EXIT_WRONG;
    }
    deft_buffer_init(&path, NULL);
    person                    one       = {.cli = cli,
                                           .is_pasting = deft__invocation_has(&cli->invocation, DEFT__FLAG_PASTE)};
    const bool                has_place = deft__logins_file(&path);
    const deft__serve_options serve     = {
            .config      = config,
            .environment = (const char *const *)environ,
            .logins      = has_place ? path.data : NULL,
            .note        = tell,
            .context     = &one,
    };
    const deft_status status = run(cli, &serve, &one, is_in, &error);
    if (status == DEFT_OK) {
        deft__live_tell_all(cli, "deft/login", cli->invocation.operands[0], is_in);
        print(cli, cli->invocation.operands[0], is_in);
    } else {
        deft__complain(&cli->output, "%s", error.message);
    }
    deft_buffer_clear(&path);
    deft_config_free(config);
    return status == DEFT_OK ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

int deft__command_login(deft__cli *cli)
{
    return log_in_or_out(cli, true);
}

int deft__command_logout(deft__cli *cli)
{
    return log_in_or_out(cli, false);
}
