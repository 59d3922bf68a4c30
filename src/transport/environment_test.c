// How a server of the configuration is started: ${VAR}, env, args, cwd.
#include "transport/environment.h"

#include "support/allocator.h"
#include "support/test.h"

static const char *const ours[] = {"HOME=/home/me", "TOKEN=t0ps3cret", "EMPTY=", "PATH=/bin", NULL};

static void expect_texts(const char *const *texts, const char *joined)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    for (; *texts != NULL; texts++) {
        deft_buffer_append_text(&out, out.size > 0 ? "|" : "");
        deft_buffer_append_text(&out, *texts);
    }
    assert_view_equal(deft_buffer_view(&out), joined);
    deft_buffer_clear(&out);
}

static const deft_view full_arguments[]   = {DEFT_VIEW_INIT("--home=${HOME}"), DEFT_VIEW_INIT(""),
                                             DEFT_VIEW_INIT("${NONE:-x}")};
static const deft_pair full_environment[] = {
    {DEFT_VIEW_INIT("API_KEY"), DEFT_VIEW_INIT("key-${TOKEN}")},
    {DEFT_VIEW_INIT("HOME"), DEFT_VIEW_INIT("${env:HOME}/sub")},
    {DEFT_VIEW_INIT("EMPTY"), DEFT_VIEW_INIT("")},
};

static const deft_pair full_headers[] = {
    {DEFT_VIEW_INIT("Authorization"), DEFT_VIEW_INIT("Bearer ${TOKEN}")},
};

static deft_server_config full_server(void)
{
    return (deft_server_config){.name              = DEFT_VIEW_INIT("github"),
                                .command           = DEFT_VIEW_INIT("${HOME}/run"),
                                .arguments         = full_arguments,
                                .argument_count    = array_size(full_arguments),
                                .environment       = full_environment,
                                .environment_count = array_size(full_environment),
                                .directory         = DEFT_VIEW_INIT("${HOME}/work"),
                                .url               = DEFT_VIEW_INIT("https://${TOKEN}.example"),
                                .headers           = full_headers,
                                .header_count      = 1,
                                .ca                = DEFT_VIEW_INIT("${HOME}/ca.pem")};
}

static void everything_is_expanded(void **state)
{
    (void)state;
    const deft_server_config server = full_server();
    deft__launch             launch;
    deft_error               error = DEFT_ERROR_INIT;
    assert_ok(deft__launch_init(&launch, &server, ours, NULL, &error), error);
    expect_texts(launch.arguments, "/home/me/run|--home=/home/me||x");
    expect_texts(launch.environment,
                 "TOKEN=t0ps3cret|PATH=/bin|API_KEY=key-t0ps3cret|HOME=/home/me/sub|EMPTY=");
    assert_string_equal(launch.directory, "/home/me/work");
    assert_view_equal(launch.server.name, "github");
    assert_view_equal(launch.server.command, "/home/me/run");
    assert_view_equal(launch.server.arguments[0], "--home=/home/me");
    assert_view_equal(launch.server.environment[0].name, "API_KEY");
    assert_view_equal(launch.server.environment[0].value, "key-t0ps3cret");
    assert_view_equal(launch.server.directory, "/home/me/work");
    assert_view_equal(launch.server.url, "https://t0ps3cret.example");
    assert_view_equal(launch.server.ca, "/home/me/ca.pem");
    assert_view_equal(launch.server.headers[0].name, "Authorization");
    assert_view_equal(launch.server.headers[0].value, "Bearer t0ps3cret");
    deft__launch_clear(&launch);
}

static const struct {
    const char *name;
    const char *command;
    const char *argument;
    const char *variable;
    deft_view   value;
    const char *directory;
    deft_status status;
    const char *message;
} bad[] = {
    {"an unset variable in env", "x", "", "KEY", DEFT_VIEW_INIT("${GITHUB_TOKEN}"), "",
     DEFT_NOT_FOUND,
     "env KEY of server 'github': the variable GITHUB_TOKEN is not set; set it, or write "
     "${GITHUB_TOKEN:-default}"},
    {"an unset variable in the command", "${NODE}", "", "KEY", DEFT_VIEW_INIT(""), "",
     DEFT_NOT_FOUND,
     "command of server 'github': the variable NODE is not set; set it, or write "
     "${NODE:-default}"},
    {"an unset variable in an argument", "x", "a${B}", "KEY", DEFT_VIEW_INIT(""), "",
     DEFT_NOT_FOUND,
     "args of server 'github': the variable B is not set; set it, or write ${B:-default}"},
    {"an unset variable in the directory", "x", "", "KEY", DEFT_VIEW_INIT(""), "/${B}",
     DEFT_NOT_FOUND,
     "cwd of server 'github': the variable B is not set; set it, or write ${B:-default}"},
    {"an open brace", "x", "${", "KEY", DEFT_VIEW_INIT(""), "", DEFT_INVALID,
     "args of server 'github': ${ without its }"},
    {"a NUL", "x", "", "KEY", DEFT_VIEW_INIT("a\0b"), "", DEFT_INVALID,
     "env KEY of server 'github': holds a NUL, which no program can be given"},
    {"a variable without a name", "x", "", "", DEFT_VIEW_INIT("a"), "", DEFT_INVALID,
     "env  of server 'github': the name of a variable is empty or holds a ="},
    {"a variable that is an assignment", "x", "", "A=B", DEFT_VIEW_INIT("a"), "", DEFT_INVALID,
     "env A=B of server 'github': the name of a variable is empty or holds a ="},
};

static void what_cannot_be_expanded(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        case_name(bad[i].name);
        const deft_view          argument = deft_view_of(bad[i].argument);
        const deft_pair          pair     = {deft_view_of(bad[i].variable), bad[i].value};
        const deft_server_config server   = {.name              = DEFT_VIEW_INIT("github"),
                                             .command           = deft_view_of(bad[i].command),
                                             .arguments         = &argument,
                                             .argument_count    = 1,
                                             .environment       = &pair,
                                             .environment_count = 1,
                                             .directory         = deft_view_of(bad[i].directory)};
        deft__launch             launch;
        deft_error               error = DEFT_ERROR_INIT;
        assert_int_equal(deft__launch_init(&launch, &server, ours, NULL, &error), bad[i].status);
        assert_string_equal(error.message, bad[i].message);
        deft__launch_clear(&launch);
    }
}

static void a_name_may_be_too_long(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'N', sizeof name);
    const deft_pair          pair   = {deft_view_make(name, sizeof name), DEFT_VIEW_INIT("x")};
    const deft_server_config server = {
        .command = DEFT_VIEW_INIT("x"), .environment = &pair, .environment_count = 1};
    deft__launch launch;
    assert_int_equal(deft__launch_init(&launch, &server, ours, NULL, NULL), DEFT_LIMIT);
    deft__launch_clear(&launch);
}

static const struct {
    const char *name;
    const char *text;
    size_t      size_max;
    const char *safe;
} shown[] = {
    {"plain text", "cannot connect", 100, "cannot connect"},
    {"a secret", "bad key key-t0ps3cret!", 100, "bad key [secret]!"},
    {"secrets side by side", "key-t0ps3cretkey-t0ps3cret", 100, "[secret][secret]"},
    {"what a header says", "no: t0ps3cret, Bearer t0ps3cret", 100, "no: [secret], [secret]"},
    {"control characters", "a\tb\033[1mc\177", 100, "a b [1mc "},
    {"too long", "0123456789", 5, "01234..."},
    {"cut between characters", "012\xC3\xA9xyz", 4, "012..."},
    {"just as long", "01234", 5, "01234"},
};

static void what_is_shown_holds_no_secret(void **state)
{
    (void)state;
    const deft_server_config server = full_server();
    deft__launch             launch;
    deft_error               error = DEFT_ERROR_INIT;
    assert_ok(deft__launch_init(&launch, &server, ours, NULL, &error), error);
    // API_KEY, and Authorization whole and without its "Bearer". HOME is none, EMPTY is too short.
    assert_int_equal(launch.secret_count, 3);
    for (size_t i = 0; i < array_size(shown); i++) {
        case_name(shown[i].name);
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__launch_write_safely(&launch, deft_view_of(shown[i].text), shown[i].size_max, &out);
        assert_view_equal(deft_buffer_view(&out), shown[i].safe);
        deft_buffer_clear(&out);
    }
    deft__launch_clear(&launch);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    const deft_server_config server = full_server();
    deft__launch             launch;
    deft_error               error  = DEFT_ERROR_INIT;
    const deft_status        status = deft__launch_init(&launch, &server, ours, allocator, &error);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    assert_int_equal(status, error.status);
    deft__launch_clear(&launch);
    return status == DEFT_OK;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_expanded),  cmocka_unit_test(what_cannot_be_expanded),
        cmocka_unit_test(a_name_may_be_too_long),  cmocka_unit_test(what_is_shown_holds_no_secret),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
