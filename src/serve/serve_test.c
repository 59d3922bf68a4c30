// The gateway at work, with real processes: an agent plays on a thread of its own, over two pipes.
#include "serve/serve.h"

#include "store/journal.h"
#include "store/quarantine.h"
#include "support/thread_server.h"
#include "support/world.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const sick_servers[] = {
    "missing", "{\"command\":\"no-such-command-here\"}",
    "unset",   "{\"command\":\"sh\",\"args\":[\"${NOT_SET_HERE}\"]}",
    "remote",  "{\"type\":\"http\",\"url\":\"http://127.0.0.1:9\"}",
    "alpha",   "",
    NULL,      NULL};

static void an_agent_calls_tools_of_two_servers(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_two_servers);
    const test_step steps[] = {
        {HELLO, "\"id\":1,\"result\""},
        {LIST, "alpha__echo"},
        {CALL("alpha__echo", "{\"text\":\"hi\"}"), "{\\\"text\\\":\\\"hi\\\"}"},
        {CALL("beta__later", "{\"x\":1}"), "\\\"x\\\":1"},
        {CALL("beta__fail", "{}"), "broke down"},
        {CALL("beta__echo", "{\"text\":\"again\"}"), "again"},
        {NULL, NULL},
    };
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void what_was_learned_is_kept(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    const test_step first[]  = {{HELLO, "result"}, {LIST, "echo"}, {NULL, NULL}};
    const test_step second[] = {{HELLO, "result"}, {LIST, "echo"}, {"!EOF", NULL}, {NULL, NULL}};
    const test_step third[]  = {{CALL("echo", "{\"text\":\"x\"}"), "x"}, {NULL, NULL}};
    test_world_serve(&all, first);
    assert_string_equal(all.progress, "1/1 alpha\n");
    const off_t once = test_world_starts(&all);
    assert_true(once > 0);
    test_world_serve(&all, second);
    assert_int_equal(test_world_starts(&all), once); // nobody was woken
    test_world_serve(&all, third);
    assert_int_equal(test_world_starts(&all), 2 * once);
    test_world_clear(&all);
}

static void without_a_store_it_works_too(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    all.options.store       = NULL;
    const test_step steps[] = {
        {HELLO, "result"}, {CALL("echo", "{\"text\":\"x\"}"), "x"}, {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void a_signal_right_after_the_start(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "", test_two_servers);
    const test_step steps[] = {{HELLO, "result"}, {"!TERM", NULL}, {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void an_agent_that_says_nothing(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "", test_two_servers);
    const test_step steps[] = {{NULL, NULL}};
    test_world_serve(&all, steps);
    assert_int_equal(test_world_starts(&all), -1);
    test_world_clear(&all);
}

static void open_calls_are_still_answered(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    const test_step steps[] = {{HELLO, "result"},
                               {CALL("later", "{\"text\":\"x\"}"), NULL},
                               {"!EOF", "\"id\":3,\"result\""},
                               {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void a_call_that_never_ends_does_not_hold_the_end(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    all.options.grace_ms  = 50;
    const test_step end[] = {
        {HELLO, "result"}, {CALL("never", "{}"), NULL}, {"!EOF", NULL}, {NULL, NULL}};
    const test_step term[] = {
        {HELLO, "result"}, {CALL("never", "{}"), NULL}, {"!TERM", NULL}, {NULL, NULL}};
    test_world_serve(&all, end);
    test_world_serve(&all, term);
    test_world_clear(&all);
}

static void sick_servers_do_not_hold_the_others(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", sick_servers);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const test_step steps[]       = {
              {HELLO, "result"},
              {LIST, "tool_search"},
              {CALL("alpha__echo", "{\"text\":\"x\"}"), "x"},
              {"?deft/servers", "command 'no-such-command-here' was not found"},
              {"?deft/servers", "the variable NOT_SET_HERE is not set"},
              {"?deft/servers",
               "server 'remote' could not be reached while starting: the connection was refused"},
              {NULL, NULL},
    };
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void a_remote_server_may_want_a_login(void **state)
{
    (void)state;
    test_thread_server server = {
        .answer = DEFT_VIEW_INIT("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n"
                                 "Content-Length: 0\r\n\r\n")};
    test_thread_server_start(&server);
    char strict[200];
    snprintf(strict, sizeof strict, "{\"url\":\"http://127.0.0.1:%d/mcp\"}", server.port);
    const char *const servers[] = {
        "strict", strict, "open", "{\"type\":\"sse\",\"url\":\"http://127.0.0.2:1/sse\"}",
        NULL,     NULL};
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", servers);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const test_step steps[]       = {
              {HELLO, "result"},
              {LIST, "tool_search"},
              {"?deft/servers", "\"state\":\"unauthorized\",\"era\":\"unknown\",\"reason\":\"server "
                                      "'strict' wants a login (HTTP 401): run 'deft login strict'\""},
              {"?deft/servers", "server 'open' could not be reached"},
              {NULL, NULL},
    };
    test_world_serve(&all, steps);
    assert_non_null(strstr(all.notes, "server 'open' is spoken to over plain HTTP"));
    assert_null(strstr(all.notes, "server 'strict' is spoken to"));
    test_world_clear(&all);
    test_thread_server_stop(&server);
}

static void an_agent_that_is_gone(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    const test_step steps[] = {{HELLO, "result"},
                               {LIST, "echo"},
                               {"!DEAF", NULL},
                               {CALL("echo", "{\"text\":\"x\"}"), NULL},
                               {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void a_line_that_is_too_long(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"},\"gateway\":{\"messageBytesMax\":65536",
                    test_one_server);
    char *const large = malloc(100000);
    memset(large, 'x', 99999);
    large[99999]            = '\0';
    const test_step steps[] = {
        {HELLO, "result"}, {large, "longer than the limit"}, {LIST, "echo"}, {NULL, NULL}};
    test_world_serve(&all, steps);
    free(large);
    test_world_clear(&all);
}

static void a_server_that_says_too_much(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"},\"gateway\":{\"messageBytesMax\":65536",
                    test_one_server);
    const test_step steps[] = {{HELLO, "result"},
                               {CALL("huge", "{}"), "isError"},
                               {CALL("echo", "{\"text\":\"x\"}"), "x"},
                               {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void a_server_put_aside(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_two_servers);
    assert_int_equal(deft__quarantine_set(all.store, deft_view_of("alpha"), true, 1000, NULL),
                     DEFT_OK);
    const test_step steps[] = {{HELLO, "result"},
                               {CALL("alpha__echo", "{\"text\":\"x\"}"), "error"},
                               {CALL("beta__echo", "{\"text\":\"x\"}"), "x"},
                               {NULL, NULL}};
    test_world_serve(&all, steps);
    assert_int_equal(test_world_starts(&all), strlen("beta\n"));
    test_world_clear(&all);
}

static void a_second_signal_ends_it_on_the_spot(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    const pid_t child = fork();
    if (child == 0) {
        all.options.grace_ms    = 1000000;
        const test_step steps[] = {{HELLO, "result"}, {CALL("never", "{}"), NULL},
                                   {"!TERM", NULL},   {"!HUP", NULL},
                                   {NULL, ""},        {NULL, NULL}};
        test_world_serve(&all, steps);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 128 + SIGTERM || WEXITSTATUS(status) == 128 + SIGHUP);
    test_world_clear(&all);
}

static void descriptors_that_are_not_open(void **state)
{
    (void)state;
    test_world all;
    deft_error error = DEFT_ERROR_INIT;
    test_world_init(&all, "", test_one_server);
    all.options.input  = 1000000;
    all.options.output = 1000001;
    assert_int_equal(deft__serve_run(&all.options, &error), DEFT_INVALID);
    assert_string_equal(error.message, "could not watch a descriptor: bad file descriptor");
    test_world_clear(&all);
}

static void a_hook_is_asked(void **state)
{
    (void)state;
    test_world all;
    test_world_init(
        &all,
        "\"enabled\":\"off\",\"hooks\":{\"beforeCall\":\"grep -q secret && echo not that >&2 "
        "&& exit 2; exit 0\"}",
        test_one_server);
    const test_step steps[] = {{HELLO, "result"},
                               {CALL("echo", "{\"text\":\"fine\"}"), "fine"},
                               {CALL("echo", "{\"text\":\"secret\"}"), "not that"},
                               {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void count_calls(void *context, const deft__record *record)
{
    if (record->kind == DEFT__RECORD_CALL) {
        assert_view_equal(record->tool, "alpha::echo");
        assert_view_equal(record->client, "tester");
        assert_view_equal(record->outcome, "ok");
        assert_int_equal(record->text.size, 0); // arguments are private
        *(size_t *)context += 1;
    }
}

static void calls_are_in_the_journal(void **state)
{
    (void)state;
    test_world all;
    size_t     count = 0;
    test_world_init(&all, "\"enabled\":\"off\"", test_one_server);
    const test_step steps[] = {{HELLO, "result"},
                               {CALL("echo", "{\"text\":\"1\"}"), "1"},
                               {CALL("echo", "{\"text\":\"2\"}"), "2"},
                               {NULL, NULL}};
    test_world_serve(&all, steps);
    assert_int_equal(deft__journal_last(all.store, 100, 0, count_calls, &count, NULL), DEFT_OK);
    assert_int_equal(count, 2);
    // The next start knows what was used; with eras that need not be found out.
    char legacy[600];
    snprintf(legacy, sizeof legacy, "{\"command\":\"%s\",\"era\":\"legacy\"}", DEFT_TESTS_SERVER);
    const char *const old[] = {"alpha", legacy, "beta", "{\"command\":\"cat\",\"era\":\"modern\"}",
                               NULL,    NULL};
    const test_step   again[] = {
          {HELLO, "result"}, {CALL("alpha__echo", "{\"text\":\"3\"}"), "3"}, {NULL, NULL}};
    test_world_configure(&all, "\"enabled\":\"auto\",\"defer\":\"overflow\",\"minTokens\":10", old);
    test_world_serve(&all, again);
    test_world_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        // It forks, which must be before there are other threads.
        cmocka_unit_test(a_second_signal_ends_it_on_the_spot),
        cmocka_unit_test(an_agent_calls_tools_of_two_servers),
        cmocka_unit_test(what_was_learned_is_kept),
        cmocka_unit_test(without_a_store_it_works_too),
        cmocka_unit_test(a_signal_right_after_the_start),
        cmocka_unit_test(an_agent_that_says_nothing),
        cmocka_unit_test(open_calls_are_still_answered),
        cmocka_unit_test(a_call_that_never_ends_does_not_hold_the_end),
        cmocka_unit_test(sick_servers_do_not_hold_the_others),
        cmocka_unit_test(a_remote_server_may_want_a_login),
        cmocka_unit_test(an_agent_that_is_gone),
        cmocka_unit_test(a_line_that_is_too_long),
        cmocka_unit_test(a_server_that_says_too_much),
        cmocka_unit_test(a_server_put_aside),
        cmocka_unit_test(descriptors_that_are_not_open),
        cmocka_unit_test(a_hook_is_asked),
        cmocka_unit_test(calls_are_in_the_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
