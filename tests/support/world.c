#include "support/world.h"

#include "io/socket.h"
#include "serve/control.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *const test_two_servers[] = {"alpha", "", "beta", "", NULL, NULL};
const char *const test_one_server[]  = {"alpha", "", NULL, NULL};

// --- A world: a folder, a configuration, a store. -------------------------------------------------

static void take_note(void *context, deft_view line)
{
    test_world  *all = context;
    const size_t at  = strlen(all->notes);
    snprintf(all->notes + at, sizeof all->notes - at, "%.*s\n", (int)line.size, line.data);
}

static void take_progress(void *context, size_t done, size_t total, deft_view server)
{
    test_world  *all = context;
    const size_t at  = strlen(all->progress);
    snprintf(all->progress + at, sizeof all->progress - at, "%zu/%zu %.*s\n", done, total,
             (int)server.size, server.data);
}

void test_world_configure(test_world *all, const char *settings, const char *const *servers)
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

void test_world_init(test_world *all, const char *settings, const char *const *servers)
{
    deft_error error = DEFT_ERROR_INIT;
    *all             = (test_world){0};
    test_folder_init(&all->folder);
    all->store = deft__store_open(test_folder_join(&all->folder, "deft.db"), NULL, &error);
    assert_non_null(all->store);
    all->options = (deft__serve_options){.environment = (const char *const *)environ,
                                         .store       = all->store,
                                         .note        = take_note,
                                         .progress    = take_progress,
                                         .context     = all};
    test_world_configure(all, settings, servers);
}

void test_world_clear(test_world *all)
{
    deft_config_free(all->config);
    deft__store_close(all->store);
    test_folder_clear(&all->folder);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
}

off_t test_world_starts(test_world *all)
{
    return test_file_size(test_folder_join(&all->folder, "starts"));
}

// --- An test_agent on a thread of its own. -------------------------------------------------------------

void test_agent_note(test_agent *one, const char *wanted, const char *got)
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

void test_agent_find_socket(const test_agent *one, char path[200])
{
    path[0] = '\0';
    deft__control_find(one->world->options.control_directory, found_socket, path);
}

static void ask_control(test_agent *one, const char *question, const char *wanted)
{
    char        path[200];
    char        method[40];
    deft_buffer result;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&result, NULL);
    test_agent_find_socket(one, path);
    const size_t size = strcspn(question, " ");
    snprintf(method, sizeof method, "%.*s", (int)size, question);
    const deft_status status = deft__control_ask(
        path, method, deft_view_of(question[size] != '\0' ? question + size + 1 : ""), &result,
        &error);
    deft_buffer_append_byte(&result, '\0');
    const char *answer = status == DEFT_OK ? result.data : error.message;
    if (answer == NULL || strstr(answer, wanted) == NULL) {
        test_agent_note(one, wanted, answer != NULL ? answer : "");
    }
    deft_buffer_clear(&result);
}

// Says a text to the control socket and hangs up; all that comes back must have `wanted`.
static void visit(test_agent *one, const char *text, const char *wanted)
{
    char path[200];
    char heard[4000] = "";
    test_agent_find_socket(one, path);
    const int peer = deft__socket_connect(path, NULL);
    size_t    size = 0;
    if (peer < 0 || write(peer, text, strlen(text)) < 0 || shutdown(peer, SHUT_WR) != 0) {
        test_agent_note(one, wanted, "nobody");
    }
    for (ssize_t more = 1; more > 0 && size + 1 < sizeof heard;) {
        more = read(peer, heard + size, sizeof heard - 1 - size);
        size += more > 0 ? (size_t)more : 0;
    }
    close(peer);
    if (strstr(heard, wanted) == NULL) {
        test_agent_note(one, wanted, heard);
    }
}

static void hang_up(test_agent *one)
{
    if (one->to[1] >= 0) {
        close(one->to[1]);
        one->to[1] = -1;
    }
}

static void say(test_agent *one, const char *line)
{
    if (strcmp(line, "!TERM") == 0) {
        kill(getpid(), SIGTERM);
    } else if (strcmp(line, "!HUP") == 0) {
        kill(getpid(), SIGHUP);
    } else if (strcmp(line, "!CROWD") == 0) {
        one->world->crowd(one);
    } else if (strcmp(line, "!EOF") == 0) {
        hang_up(one);
    } else if (strcmp(line, "!DEAF") == 0) {
        dup2(one->to[1], one->from[0]); // nobody reads what is written to it now
    } else {
        const size_t size = strlen(line);
        if (write(one->to[1], line, size) != (ssize_t)size || write(one->to[1], "\n", 1) != 1) {
            test_agent_note(one, "someone who listens", "");
        }
    }
}

static void *play(void *context)
{
    test_agent *one  = context;
    char       *line = NULL;
    size_t      room = 0;
    for (const test_step *now = one->steps; now->says != NULL || now->hears != NULL; now++) {
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
                test_agent_note(one, now->hears, "the end");
                break;
            } else if (strstr(line, "\"method\"") == NULL) { // not a notification
                if (strstr(line, now->hears) == NULL) {
                    test_agent_note(one, now->hears, line);
                }
                break;
            }
        }
    }
    hang_up(one);
    while (getline(&line, &room, one->input) >= 0) {
        if (strstr(line, "\"method\"") == NULL) {
            test_agent_note(one, "nothing more", line);
        }
    }
    free(line);
    return NULL;
}

// Serves an test_agent that goes through `steps`, and expects a clean end.
void test_world_serve(test_world *all, const test_step *steps)
{
    pthread_t  thread;
    test_agent one   = {.steps = steps, .world = all};
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
