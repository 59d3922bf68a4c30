// The control socket while a gateway runs: who may ask, what, how much, and where it is.
#include "serve/door.h"

#include "io/socket.h"
#include "serve/control.h"
#include "support/world.h"

#include <sys/socket.h>
#include <unistd.h>

static void is_left(void *context, const char *path, int process_id)
{
    (void)context;
    fail_msg("%s of %d is still there", path, process_id);
}

static void others_may_ask_while_it_runs(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", test_two_servers);
    all.options.control_directory = test_folder_join(&all.folder, "state/run");
    const test_step steps[]       = {
              {HELLO, "result"},
              {LIST, "tool_search"},
              {"?deft/status", "\"name\":\"tester\""},
              {"?deft/servers", "\"name\":\"alpha\",\"state\":"},
              {"?deft/servers {\"discover\":true}", "\"checkedAt\":"},
              {"?deft/search {\"query\":\"say again\",\"limit\":1}",
               "{\"hits\":[{\"id\":\"alpha::echo\",\"server\":\"alpha\",\"name\":\"echo\""},
              {"?deft/search {}", "params.query must be a string"},
              {"?deft/search {\"query\":\"x\",\"limit\":0}", "params.limit must be a number"},
              {"?deft/call {\"tool\":\"beta::echo\",\"arguments\":{\"text\":\"over\"}}",
               "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"text\\\":\\\"over\\\"}\"}]}"
                     "}"},
              {"?deft/call {\"tool\":\"beta::eco\"}", "echo"},
              {"?deft/call {\"tool\":\"beta::echo\",\"arguments\":[]}",
               "params.arguments must be an object, not an array"},
              {"?deft/call {}", "params.tool must be a string"},
              {"?deft/logs {\"server\":\"beta\"}", "{\"server\":\"beta\",\"text\":\"beta is here\\n"},
              {"?deft/logs {\"server\":\"gamma\"}", "there is no server 'gamma' in the configuration"},
              {"?deft/reset", "{}"},
              {"?deft/dance", "method 'deft/dance' is not known here"},
              {NULL, NULL},
    };
    test_world_serve(&all, steps);
    // The socket goes with its gateway, the directory is ours alone.
    assert_int_equal(deft__control_find(all.options.control_directory, is_left, NULL), 0);
    assert_int_equal(test_file_mode(test_folder_join(&all.folder, "state/run")), 0700);
    test_world_clear(&all);
}

static void visitors_of_every_kind(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", test_one_server);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const test_step steps[]       = {
              {HELLO, "result"},
              {"~", ""},
              {"~hello\n", "\"code\":-32700"},
              {"~{\"jsonrpc\":\"2.0\"}\n", "\"code\":-32600"},
              {"~{\"jsonrpc\":\"2.0\",\"method\":\"deft/reset\"}\n", ""},
              {"~{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"deft/reset\"}",
               "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}"},
              // It hangs up before the answer, and has it all the same.
              {"~{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"deft/call\",\"params\":{\"tool\":"
                     "\"alpha::later\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"deft/status\"}\n",
               "\"id\":1,\"result\":{\"result\":{\"content\""},
              {NULL, NULL},
    };
    test_world_serve(&all, steps);
    // One that asks and is still waiting when the gateway ends.
    const test_step late[] = {
        {HELLO, "result"}, {CALL("echo", "{\"text\":\"x\"}"), "x"}, {NULL, NULL}};
    test_world_serve(&all, late);
    test_world_clear(&all);
}

// More of everything than there may be. What they were refused is in `wrong`, or nothing is.
static void crowd(test_agent *one)
{
    static int visitors[DEFT__VISITORS_MAX + 1];
    char       path[200];
    char       heard[20000];
    size_t     size = 0;
    test_agent_find_socket(one, path);
    for (size_t i = 0; i < array_size(visitors); i++) {
        visitors[i] = deft__socket_connect(path, NULL);
    }
    // The last one finds the room full: the end is all that it gets.
    if (read(visitors[DEFT__VISITORS_MAX], heard, 1) != 0) {
        test_agent_note(one, "the end", heard);
    }
    // The first asks too much at once.
    static const char question[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"deft/call\","
                                   "\"params\":{\"tool\":\"alpha::never\"}}\n";
    for (size_t i = 0; i <= DEFT__VISITOR_REQUESTS_MAX; i++) {
        if (write(visitors[0], question, sizeof question - 1) < 0) {
            test_agent_note(one, "someone who listens", "");
        }
    }
    size                                  = (size_t)read(visitors[0], heard, sizeof heard - 1);
    heard[size < sizeof heard ? size : 0] = '\0';
    if (strstr(heard, "too many requests are open") == NULL) {
        test_agent_note(one, "too many requests", heard);
    }
    // The second says too much in one line.
    static char large[DEFT__VISITOR_LINE_MAX + 2];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\n';
    for (size_t sent = 0; sent < sizeof large;) {
        const ssize_t more = write(visitors[1], large + sent, sizeof large - sent);
        sent += more > 0 ? (size_t)more : sizeof large;
    }
    size                                  = (size_t)read(visitors[1], heard, sizeof heard - 1);
    heard[size < sizeof heard ? size : 0] = '\0';
    if (strstr(heard, "the message is too long") == NULL) {
        test_agent_note(one, "the message is too long", heard);
    }
    // The third leaves with something unread; the others are still there at the end.
    if (write(visitors[2], "{}\n", 3) == 3 && recv(visitors[2], heard, 1, MSG_PEEK) == 1) {
        close(visitors[2]);
    }
    for (size_t i = 3; i < array_size(visitors); i++) {
        if (i % 2 == 0) {
            close(visitors[i]);
        }
    }
    // (The others end with the process.)
}

static void visitors_have_limits(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", test_one_server);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    all.crowd                     = crowd;
    const test_step steps[]       = {{HELLO, "result"},
                                     {LIST, "tool_search"},
                                     {"!CROWD", NULL},
                                     {LIST, "tool_search"},
                                     {NULL, NULL}};
    test_world_serve(&all, steps);
    test_world_clear(&all);
}

static void a_control_directory_that_is_not_ours(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "", test_one_server);
    const char *path = test_folder_join(&all.folder, "run");
    test_file_put(path, deft_view_of("a file"));
    all.options.control_directory = path;
    const test_step steps[]       = {{HELLO, "result"}, {NULL, NULL}};
    test_world_serve(&all, steps);
    assert_non_null(strstr(all.notes, "is not a directory of ours alone"));
    test_world_clear(&all);
}

static void the_directory_of_the_socket_may_be_too_deep(void **state)
{
    (void)state;
    test_world all;
    char       path[5000];
    test_world_init(&all, "", test_one_server);
    memset(path, 'x', sizeof path);
    path[0]                       = '/';
    path[sizeof path - 1]         = '\0';
    const test_step steps[]       = {{HELLO, "result"}, {NULL, NULL}};
    all.options.control_directory = path;
    test_world_serve(&all, steps);
    assert_non_null(strstr(all.notes, "too long"));
    snprintf(path, sizeof path, "%s/%s", all.folder.path,
             "a-name-that-is-long-enough-to-make-the-path-of-a-socket-longer-than-the-system-"
             "allows-it-to-be");
    test_world_serve(&all, steps);
    assert_non_null(strstr(all.notes, "the path of a socket has at most"));
    all.options.control_directory = "/proc/deft";
    test_world_serve(&all, steps);
    assert_non_null(strstr(all.notes, "could not make the directory '/proc/deft'"));
    test_world_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_may_ask_while_it_runs),
        cmocka_unit_test(visitors_of_every_kind),
        cmocka_unit_test(visitors_have_limits),
        cmocka_unit_test(a_control_directory_that_is_not_ours),
        cmocka_unit_test(the_directory_of_the_socket_may_be_too_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
