// The gateway at work, with real processes: an agent plays on a thread of its own, over two pipes.
#include "serve/serve.h"

#include "io/socket.h"
#include "serve/control.h"
#include "serve/door.h"
#include "store/journal.h"
#include "store/quarantine.h"
#include "support/folder.h"
#include "support/test.h"
#include "support/thread_server.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// --- A world: a folder, a configuration, a store. -------------------------------------------------

typedef struct world {
    test_folder         folder;
    deft_config        *config;
    deft__store        *store;
    deft__serve_options options;
    char                notes[1000];
    char                progress[1000];
} world;

static void take_note(void *context, deft_view line)
{
    world       *all = context;
    const size_t at  = strlen(all->notes);
    snprintf(all->notes + at, sizeof all->notes - at, "%.*s\n", (int)line.size, line.data);
}

static void take_progress(void *context, size_t done, size_t total, deft_view server)
{
    world       *all = context;
    const size_t at  = strlen(all->progress);
    snprintf(all->progress + at, sizeof all->progress - at, "%zu/%zu %.*s\n", done, total,
             (int)server.size, server.data);
}

// `settings` are members of toolSearch; `servers` are names, each a server of ours, or members as they
// are from a { on.
static void world_configure(world *all, const char *settings, const char *const *servers)
{
    deft_buffer text;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "{\"toolSearch\":{");
    deft_buffer_append_text(&text, settings);
    deft_buffer_append_text(&text, "},\"mcpServers\":{");
    for (size_t i = 0; servers[i] != NULL; i += 2) {
        deft_buffer_append_text(&text, i > 0 ? ",\"" : "\"");
        deft_buffer_append_text(&text, servers[i]);
        deft_buffer_append_text(&text, "\":");
        if (servers[i + 1] != NULL && servers[i + 1][0] == '{') {
            deft_buffer_append_text(&text, servers[i + 1]);
        } else {
            char one[600];
            snprintf(one, sizeof one, "{\"command\":\"%s\",\"args\":[\"%s\",\"%s\"]}",
                     DEFT_TESTS_SERVER, servers[i], test_folder_join(&all->folder, "starts"));
            deft_buffer_append_text(&text, one);
        }
    }
    deft_buffer_append_text(&text, "}}");
    deft_config_free(all->config);
    all->config = deft_config_new(NULL, &error);
    assert_ok(deft_config_add_file(all->config, DEFT_LAYER_PROJECT_FILE, deft_view_of("test.json"),
                                   deft_buffer_view(&text), &error),
              error);
    assert_ok(deft_config_resolve(all->config, &error), error);
    deft_buffer_clear(&text);
    all->options.config = all->config;
}

static void world_init(world *all, const char *settings, const char *const *servers)
{
    deft_error error = DEFT_ERROR_INIT;
    *all             = (world){0};
    test_folder_init(&all->folder);
    all->store = deft__store_open(test_folder_join(&all->folder, "deft.db"), NULL, &error);
    assert_non_null(all->store);
    all->options = (deft__serve_options){.environment = (const char *const *)environ,
                                         .store       = all->store,
                                         .note        = take_note,
                                         .progress    = take_progress,
                                         .context     = all};
    world_configure(all, settings, servers);
}

static void world_clear(world *all)
{
    deft_config_free(all->config);
    deft__store_close(all->store);
    test_folder_clear(&all->folder);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
}

static off_t starts_size(world *all)
{
    return test_file_size(test_folder_join(&all->folder, "starts"));
}

// --- An agent on a thread of its own. -------------------------------------------------------------

typedef struct step {
    const char *says; // a line; NULL: nothing. "!TERM" sends the process a signal, "!EOF" hangs up,
                      // "?METHOD PARAMS" asks through the control socket
    const char *hears; // the next answer has this; NULL: none is waited for; "" any
} step;

typedef struct agent {
    const step *steps;
    int         to[2];   // what it writes
    int         from[2]; // what it reads
    world      *world;
    char        wrong[4000]; // what it expected and did not hear
    FILE       *input;
} agent;

static void note_wrong(agent *one, const char *wanted, const char *got)
{
    if (one->wrong[0] == '\0') {
        snprintf(one->wrong, sizeof one->wrong, "want %s\ngot  %s", wanted, got);
    }
}

static void found_socket(void *context, const char *path, int process_id)
{
    (void)process_id;
    snprintf(context, 200, "%s", path);
}

static void ask_control(agent *one, const char *question, const char *wanted)
{
    char        path[200] = "";
    char        method[40];
    deft_buffer result;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&result, NULL);
    deft__control_find(one->world->options.control_directory, found_socket, path);
    const size_t size = strcspn(question, " ");
    snprintf(method, sizeof method, "%.*s", (int)size, question);
    const deft_status status = deft__control_ask(
        path, method, deft_view_of(question[size] != '\0' ? question + size + 1 : ""), &result,
        &error);
    deft_buffer_append_byte(&result, '\0');
    const char *answer = status == DEFT_OK ? result.data : error.message;
    if (answer == NULL || strstr(answer, wanted) == NULL) {
        note_wrong(one, wanted, answer != NULL ? answer : "");
    }
    deft_buffer_clear(&result);
}

// Says a text to the control socket and hangs up; all that comes back must have `wanted`.
static void visit(agent *one, const char *text, const char *wanted)
{
    char path[200]   = "";
    char heard[4000] = "";
    deft__control_find(one->world->options.control_directory, found_socket, path);
    const int peer = deft__socket_connect(path, NULL);
    size_t    size = 0;
    if (peer < 0 || write(peer, text, strlen(text)) < 0 || shutdown(peer, SHUT_WR) != 0) {
        note_wrong(one, wanted, "nobody");
    }
    for (ssize_t more = 1; more > 0 && size + 1 < sizeof heard;) {
        more = read(peer, heard + size, sizeof heard - 1 - size);
        size += more > 0 ? (size_t)more : 0;
    }
    close(peer);
    if (strstr(heard, wanted) == NULL) {
        note_wrong(one, wanted, heard);
    }
}

static void hang_up(agent *one)
{
    if (one->to[1] >= 0) {
        close(one->to[1]);
        one->to[1] = -1;
    }
}

static void crowd(agent *one);

static void say(agent *one, const char *line)
{
    if (strcmp(line, "!TERM") == 0) {
        kill(getpid(), SIGTERM);
    } else if (strcmp(line, "!HUP") == 0) {
        kill(getpid(), SIGHUP);
    } else if (strcmp(line, "!CROWD") == 0) {
        crowd(one);
    } else if (strcmp(line, "!EOF") == 0) {
        hang_up(one);
    } else if (strcmp(line, "!DEAF") == 0) {
        dup2(one->to[1], one->from[0]); // nobody reads what is written to it now
    } else {
        const size_t size = strlen(line);
        if (write(one->to[1], line, size) != (ssize_t)size || write(one->to[1], "\n", 1) != 1) {
            note_wrong(one, "someone who listens", "");
        }
    }
}

static void *play(void *context)
{
    agent *one  = context;
    char  *line = NULL;
    size_t room = 0;
    for (const step *now = one->steps; now->says != NULL || now->hears != NULL; now++) {
        if (now->says != NULL && now->says[0] == '?') {
            ask_control(one, now->says + 1, now->hears);
            continue;
        } else if (now->says != NULL && now->says[0] == '~') {
            visit(one, now->says + 1, now->hears);
            continue;
        }
        if (now->says != NULL) {
            say(one, now->says);
        }
        while (now->hears != NULL) {
            if (getline(&line, &room, one->input) < 0) {
                note_wrong(one, now->hears, "the end");
                break;
            } else if (strstr(line, "\"method\"") == NULL) { // not a notification
                if (strstr(line, now->hears) == NULL) {
                    note_wrong(one, now->hears, line);
                }
                break;
            }
        }
    }
    hang_up(one);
    while (getline(&line, &room, one->input) >= 0) {
        if (strstr(line, "\"method\"") == NULL) {
            note_wrong(one, "nothing more", line);
        }
    }
    free(line);
    return NULL;
}

// Serves an agent that goes through `steps`, and expects a clean end.
static void serve(world *all, const step *steps)
{
    pthread_t  thread;
    agent      one   = {.steps = steps, .world = all};
    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(pipe(one.to), 0);
    assert_int_equal(pipe(one.from), 0);
    one.input           = fdopen(one.from[0], "r");
    all->options.input  = one.to[0];
    all->options.output = one.from[1];
    assert_int_equal(pthread_create(&thread, NULL, play, &one), 0);
    const deft_status status = deft__serve_run(&all->options, &error);
    close(one.from[1]);
    pthread_join(thread, NULL);
    close(one.to[0]);
    fclose(one.input);
    if (one.wrong[0] != '\0') {
        fail_msg("%s", one.wrong);
    }
    assert_ok(status, error);
}

#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"tester\",\"version\":\"1\"}}}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"
#define CALL(tool, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"" tool         \
    "\",\"arguments\":" arguments "}}"

static const char *const two_servers[]  = {"alpha", "", "beta", "", NULL, NULL};
static const char *const one_server[]   = {"alpha", "", NULL, NULL};
static const char *const sick_servers[] = {
    "missing", "{\"command\":\"no-such-command-here\"}",
    "unset",   "{\"command\":\"sh\",\"args\":[\"${NOT_SET_HERE}\"]}",
    "remote",  "{\"type\":\"http\",\"url\":\"http://127.0.0.1:9\"}",
    "alpha",   "",
    NULL,      NULL};

// --- What happens. --------------------------------------------------------------------------------

static void an_agent_calls_tools_of_two_servers(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", two_servers);
    const step steps[] = {
        {HELLO, "\"id\":1,\"result\""},
        {LIST, "alpha__echo"},
        {CALL("alpha__echo", "{\"text\":\"hi\"}"), "{\\\"text\\\":\\\"hi\\\"}"},
        {CALL("beta__later", "{\"x\":1}"), "\\\"x\\\":1"},
        {CALL("beta__fail", "{}"), "broke down"},
        {CALL("beta__echo", "{\"text\":\"again\"}"), "again"},
        {NULL, NULL},
    };
    serve(&all, steps);
    world_clear(&all);
}

static void what_was_learned_is_kept(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    const step first[]  = {{HELLO, "result"}, {LIST, "echo"}, {NULL, NULL}};
    const step second[] = {{HELLO, "result"}, {LIST, "echo"}, {"!EOF", NULL}, {NULL, NULL}};
    const step third[]  = {{CALL("echo", "{\"text\":\"x\"}"), "x"}, {NULL, NULL}};
    serve(&all, first);
    assert_string_equal(all.progress, "1/1 alpha\n");
    const off_t once = starts_size(&all);
    assert_true(once > 0);
    serve(&all, second);
    assert_int_equal(starts_size(&all), once); // nobody was woken
    serve(&all, third);
    assert_int_equal(starts_size(&all), 2 * once);
    world_clear(&all);
}

static void without_a_store_it_works_too(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    all.options.store  = NULL;
    const step steps[] = {{HELLO, "result"}, {CALL("echo", "{\"text\":\"x\"}"), "x"}, {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
}

static void a_signal_right_after_the_start(void **state)
{
    (void)state;
    world all;
    world_init(&all, "", two_servers);
    const step steps[] = {{HELLO, "result"}, {"!TERM", NULL}, {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
}

static void an_agent_that_says_nothing(void **state)
{
    (void)state;
    world all;
    world_init(&all, "", two_servers);
    const step steps[] = {{NULL, NULL}};
    serve(&all, steps);
    assert_int_equal(starts_size(&all), -1);
    world_clear(&all);
}

static void open_calls_are_still_answered(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    const step steps[] = {{HELLO, "result"},
                          {CALL("later", "{\"text\":\"x\"}"), NULL},
                          {"!EOF", "\"id\":3,\"result\""},
                          {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
}

static void a_call_that_never_ends_does_not_hold_the_end(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    all.options.grace_ms = 50;
    const step end[]     = {
            {HELLO, "result"}, {CALL("never", "{}"), NULL}, {"!EOF", NULL}, {NULL, NULL}};
    const step term[] = {
        {HELLO, "result"}, {CALL("never", "{}"), NULL}, {"!TERM", NULL}, {NULL, NULL}};
    serve(&all, end);
    serve(&all, term);
    world_clear(&all);
}

static void sick_servers_do_not_hold_the_others(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"on\"", sick_servers);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const step steps[]            = {
                   {HELLO, "result"},
                   {LIST, "tool_search"},
                   {CALL("alpha__echo", "{\"text\":\"x\"}"), "x"},
                   {"?deft/servers", "command 'no-such-command-here' was not found"},
                   {"?deft/servers", "the variable NOT_SET_HERE is not set"},
                   {"?deft/servers",
                    "server 'remote' could not be reached while starting: the connection was refused"},
                   {NULL, NULL},
    };
    serve(&all, steps);
    world_clear(&all);
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
    world all;
    world_init(&all, "\"enabled\":\"on\"", servers);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const step steps[]            = {
                   {HELLO, "result"},
                   {LIST, "tool_search"},
                   {"?deft/servers", "\"state\":\"unauthorized\",\"era\":\"unknown\",\"reason\":\"server "
                                                "'strict' wants a login (HTTP 401): run 'deft login strict'\""},
                   {"?deft/servers", "server 'open' could not be reached"},
                   {NULL, NULL},
    };
    serve(&all, steps);
    assert_non_null(strstr(all.notes, "server 'open' is spoken to over plain HTTP"));
    assert_null(strstr(all.notes, "server 'strict' is spoken to"));
    world_clear(&all);
    test_thread_server_stop(&server);
}

static void others_may_ask_while_it_runs(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"on\"", two_servers);
    all.options.control_directory = test_folder_join(&all.folder, "state/run");
    const step steps[]            = {
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
    serve(&all, steps);
    // The socket goes with its gateway, the directory is ours alone.
    char path[200] = "";
    assert_int_equal(deft__control_find(all.options.control_directory, found_socket, path), 0);
    assert_int_equal(test_file_mode(test_folder_join(&all.folder, "state/run")), 0700);
    world_clear(&all);
}

static void visitors_of_every_kind(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"on\"", one_server);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const step steps[]            = {
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
    serve(&all, steps);
    // One that asks and is still waiting when the gateway ends.
    const step late[] = {{HELLO, "result"}, {CALL("echo", "{\"text\":\"x\"}"), "x"}, {NULL, NULL}};
    serve(&all, late);
    world_clear(&all);
}

// More of everything than there may be. What they were refused is in `wrong`, or nothing is.
static void crowd(agent *one)
{
    static int visitors[DEFT__VISITORS_MAX + 1];
    char       path[200] = "";
    char       heard[20000];
    size_t     size = 0;
    deft__control_find(one->world->options.control_directory, found_socket, path);
    for (size_t i = 0; i < array_size(visitors); i++) {
        visitors[i] = deft__socket_connect(path, NULL);
    }
    // The last one finds the room full: the end is all that it gets.
    if (read(visitors[DEFT__VISITORS_MAX], heard, 1) != 0) {
        note_wrong(one, "the end", heard);
    }
    // The first asks too much at once.
    static const char question[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"deft/call\","
                                   "\"params\":{\"tool\":\"alpha::never\"}}\n";
    for (size_t i = 0; i <= DEFT__VISITOR_REQUESTS_MAX; i++) {
        if (write(visitors[0], question, sizeof question - 1) < 0) {
            note_wrong(one, "someone who listens", "");
        }
    }
    size                                  = (size_t)read(visitors[0], heard, sizeof heard - 1);
    heard[size < sizeof heard ? size : 0] = '\0';
    if (strstr(heard, "too many requests are open") == NULL) {
        note_wrong(one, "too many requests", heard);
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
        note_wrong(one, "the message is too long", heard);
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
    world all;
    world_init(&all, "\"enabled\":\"on\"", one_server);
    all.options.control_directory = test_folder_join(&all.folder, "run");
    const step steps[]            = {{HELLO, "result"},
                                     {LIST, "tool_search"},
                                     {"!CROWD", NULL},
                                     {LIST, "tool_search"},
                                     {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
}

static void a_control_directory_that_is_not_ours(void **state)
{
    (void)state;
    world all;
    world_init(&all, "", one_server);
    const char *path = test_folder_join(&all.folder, "run");
    test_file_put(path, deft_view_of("a file"));
    all.options.control_directory = path;
    const step steps[]            = {{HELLO, "result"}, {NULL, NULL}};
    serve(&all, steps);
    assert_non_null(strstr(all.notes, "is not a directory of ours alone"));
    world_clear(&all);
}

static void an_agent_that_is_gone(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    const step steps[] = {{HELLO, "result"},
                          {LIST, "echo"},
                          {"!DEAF", NULL},
                          {CALL("echo", "{\"text\":\"x\"}"), NULL},
                          {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
}

static void a_line_that_is_too_long(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"},\"gateway\":{\"messageBytesMax\":65536", one_server);
    char *const large = malloc(100000);
    memset(large, 'x', 99999);
    large[99999]       = '\0';
    const step steps[] = {
        {HELLO, "result"}, {large, "longer than the limit"}, {LIST, "echo"}, {NULL, NULL}};
    serve(&all, steps);
    free(large);
    world_clear(&all);
}

static void a_server_that_says_too_much(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"},\"gateway\":{\"messageBytesMax\":65536", one_server);
    const step steps[] = {{HELLO, "result"},
                          {CALL("huge", "{}"), "isError"},
                          {CALL("echo", "{\"text\":\"x\"}"), "x"},
                          {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
}

static void the_directory_of_the_socket_may_be_too_deep(void **state)
{
    (void)state;
    world all;
    char  path[5000];
    world_init(&all, "", one_server);
    memset(path, 'x', sizeof path);
    path[0]                       = '/';
    path[sizeof path - 1]         = '\0';
    const step steps[]            = {{HELLO, "result"}, {NULL, NULL}};
    all.options.control_directory = path;
    serve(&all, steps);
    assert_non_null(strstr(all.notes, "too long"));
    snprintf(path, sizeof path, "%s/%s", all.folder.path,
             "a-name-that-is-long-enough-to-make-the-path-of-a-socket-longer-than-the-system-"
             "allows-it-to-be");
    serve(&all, steps);
    assert_non_null(strstr(all.notes, "the path of a socket has at most"));
    all.options.control_directory = "/proc/deft";
    serve(&all, steps);
    assert_non_null(strstr(all.notes, "could not make the directory '/proc/deft'"));
    world_clear(&all);
}

static void a_server_put_aside(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", two_servers);
    assert_int_equal(deft__quarantine_set(all.store, deft_view_of("alpha"), true, 1000, NULL),
                     DEFT_OK);
    const step steps[] = {{HELLO, "result"},
                          {CALL("alpha__echo", "{\"text\":\"x\"}"), "error"},
                          {CALL("beta__echo", "{\"text\":\"x\"}"), "x"},
                          {NULL, NULL}};
    serve(&all, steps);
    assert_int_equal(starts_size(&all), strlen("beta\n"));
    world_clear(&all);
}

static void a_second_signal_ends_it_on_the_spot(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    const pid_t child = fork();
    if (child == 0) {
        all.options.grace_ms = 1000000;
        const step steps[]   = {{HELLO, "result"}, {CALL("never", "{}"), NULL},
                                {"!TERM", NULL},   {"!HUP", NULL},
                                {NULL, ""},        {NULL, NULL}};
        serve(&all, steps);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 128 + SIGTERM || WEXITSTATUS(status) == 128 + SIGHUP);
    world_clear(&all);
}

static void descriptors_that_are_not_open(void **state)
{
    (void)state;
    world      all;
    deft_error error = DEFT_ERROR_INIT;
    world_init(&all, "", one_server);
    all.options.input  = 1000000;
    all.options.output = 1000001;
    assert_int_equal(deft__serve_run(&all.options, &error), DEFT_INVALID);
    assert_string_equal(error.message, "could not watch a descriptor: bad file descriptor");
    world_clear(&all);
}

static void a_hook_is_asked(void **state)
{
    (void)state;
    world all;
    world_init(
        &all,
        "\"enabled\":\"off\",\"hooks\":{\"beforeCall\":\"grep -q secret && echo not that >&2 "
        "&& exit 2; exit 0\"}",
        one_server);
    const step steps[] = {{HELLO, "result"},
                          {CALL("echo", "{\"text\":\"fine\"}"), "fine"},
                          {CALL("echo", "{\"text\":\"secret\"}"), "not that"},
                          {NULL, NULL}};
    serve(&all, steps);
    world_clear(&all);
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
    world  all;
    size_t count = 0;
    world_init(&all, "\"enabled\":\"off\"", one_server);
    const step steps[] = {{HELLO, "result"},
                          {CALL("echo", "{\"text\":\"1\"}"), "1"},
                          {CALL("echo", "{\"text\":\"2\"}"), "2"},
                          {NULL, NULL}};
    serve(&all, steps);
    assert_int_equal(deft__journal_last(all.store, 100, 0, count_calls, &count, NULL), DEFT_OK);
    assert_int_equal(count, 2);
    // The next start knows what was used; with eras that need not be found out.
    char legacy[600];
    snprintf(legacy, sizeof legacy, "{\"command\":\"%s\",\"era\":\"legacy\"}", DEFT_TESTS_SERVER);
    const char *const old[] = {"alpha", legacy, "beta", "{\"command\":\"cat\",\"era\":\"modern\"}",
                               NULL,    NULL};
    const step        again[] = {
               {HELLO, "result"}, {CALL("alpha__echo", "{\"text\":\"3\"}"), "3"}, {NULL, NULL}};
    world_configure(&all, "\"enabled\":\"auto\",\"defer\":\"overflow\",\"minTokens\":10", old);
    serve(&all, again);
    world_clear(&all);
}

// --- Alone. ---------------------------------------------------------------------------------------

static void ask_alone(world *all, const char *method, const char *params, deft_status wanted,
                      const char *text)
{
    deft_buffer result;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&result, NULL);
    const deft_status status =
        deft__serve_alone(&all->options, method, deft_view_of(params), &result, &error);
    deft_buffer_append_byte(&result, '\0');
    const char *answer = status == DEFT_OK ? result.data : error.message;
    if (status != wanted || strstr(answer, text) == NULL) {
        fail_msg("%s: want %s, got %s", method, text, answer);
    }
    deft_buffer_clear(&result);
}

static void one_request_without_a_gateway(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"on\"", two_servers);
    ask_alone(&all, "deft/servers", "", DEFT_OK, "\"name\":\"alpha\",\"state\":\"configured\"");
    assert_int_equal(starts_size(&all), -1);
    // Only the server that the call is for is started.
    ask_alone(&all, "deft/call", "{\"tool\":\"beta::echo\",\"arguments\":{\"text\":\"x\"}}",
              DEFT_OK, "\\\"text\\\":\\\"x\\\"");
    assert_int_equal(starts_size(&all), strlen("beta\n"));
    // A search wants to know all of them.
    ask_alone(&all, "deft/search", "{\"query\":\"say again\"}", DEFT_OK, "\"id\":\"alpha::echo\"");
    assert_int_equal(starts_size(&all), strlen("beta\nalpha\n"));
    ask_alone(&all, "deft/search", "{\"query\":\"say again\"}", DEFT_OK, "\"id\":\"beta::echo\"");
    assert_int_equal(starts_size(&all), strlen("beta\nalpha\n")); // they are known now
    ask_alone(&all, "deft/status", "", DEFT_OK, "\"tools\":10");
    ask_alone(&all, "deft/call", "{\"tool\":\"gamma::echo\"}", DEFT_NOT_FOUND, "gamma");
    ask_alone(&all, "deft/call", "{\"tool\":\"gamma::echo\"}", DEFT_NOT_FOUND,
              "Find tools with 'deft search'.");
    ask_alone(&all, "deft/none", "", DEFT_NOT_FOUND, "not known");
    ask_alone(&all, "deft/call", "[", DEFT_INVALID, "");
    world_clear(&all);
}

static void servers_are_shown_as_they_are_left(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"enabled\":\"on\"", two_servers);
    ask_alone(&all, "deft/servers", "{\"discover\":true}", DEFT_OK,
              "\"name\":\"alpha\",\"state\":\"known\"");
    assert_int_equal(starts_size(&all), strlen("beta\nalpha\n"));
    world_clear(&all);
}

static void *end_when_started(void *context)
{
    while (starts_size(context) <= 0) {
        sched_yield();
    }
    kill(getpid(), SIGTERM);
    return NULL;
}

static void alone_and_interrupted(void **state)
{
    (void)state;
    world     all;
    pthread_t thread;
    world_init(&all, "\"enabled\":\"on\"", one_server);
    assert_int_equal(pthread_create(&thread, NULL, end_when_started, &all), 0);
    ask_alone(&all, "deft/call", "{\"tool\":\"alpha::never\"}", DEFT_INVALID,
              "stopped before there was an answer");
    pthread_join(thread, NULL);
    world_clear(&all);
}

static void no_servers_when_mcp_is_off(void **state)
{
    (void)state;
    world all;
    world_init(&all, "\"noMcp\":true", two_servers);
    ask_alone(&all, "deft/servers", "{\"discover\":true}", DEFT_OK, "{\"servers\":[]}");
    world_clear(&all);
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
        cmocka_unit_test(others_may_ask_while_it_runs),
        cmocka_unit_test(visitors_of_every_kind),
        cmocka_unit_test(visitors_have_limits),
        cmocka_unit_test(a_control_directory_that_is_not_ours),
        cmocka_unit_test(an_agent_that_is_gone),
        cmocka_unit_test(a_line_that_is_too_long),
        cmocka_unit_test(a_server_that_says_too_much),
        cmocka_unit_test(the_directory_of_the_socket_may_be_too_deep),
        cmocka_unit_test(a_server_put_aside),
        cmocka_unit_test(descriptors_that_are_not_open),
        cmocka_unit_test(a_hook_is_asked),
        cmocka_unit_test(calls_are_in_the_journal),
        cmocka_unit_test(one_request_without_a_gateway),
        cmocka_unit_test(servers_are_shown_as_they_are_left),
        cmocka_unit_test(alone_and_interrupted),
        cmocka_unit_test(no_servers_when_mcp_is_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
