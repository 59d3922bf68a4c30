// Child processes as they really behave: they exit, hang, hold pipes, ignore what they are told.
#include "io/process.h"

#include "deft/buffer.h"
#include "support/allocator.h"
#include "support/waiting.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct watched {
    deft__loop       *loop;
    deft__process    *process;
    deft_buffer       output;
    deft_buffer       errors;
    bool              has_ended;
    deft__process_end end;
    int               code;
    size_t           *running;  // the loop stops at 0
    const char       *stop_at;  // stopped politely when this is in its output
    bool              kills_at; // or killed
    size_t            wanted;   // the loop stops at this much output
} watched;

static bool has_text(const deft_buffer *buffer, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= buffer->size; i++) {
        if (memcmp(buffer->data + i, text, size) == 0) {
            return true;
        }
    }
    return false;
}

static void output(void *context, deft_view bytes)
{
    watched *one = context;
    deft_buffer_append(&one->output, bytes);
    if (one->stop_at != NULL && has_text(&one->output, one->stop_at)) {
        one->stop_at = NULL;
        if (one->kills_at) {
            deft__process_kill(one->process);
        } else {
            deft__process_stop(one->process);
        }
    }
    if (one->wanted > 0 && one->output.size >= one->wanted) {
        deft__loop_stop(one->loop);
    }
}

static void errors(void *context, deft_view bytes)
{
    watched *one = context;
    deft_buffer_append(&one->errors, bytes);
}

static void ended(void *context, deft__process_end end, int code)
{
    watched *one = context;
    assert_false(one->has_ended);
    one->has_ended = true;
    one->end       = end;
    one->code      = code;
    if (one->running == NULL || --*one->running == 0) {
        deft__loop_stop(one->loop);
    }
}

static bool is_by_signal; // all of this is played twice

// Short times, so that no test takes long; what is tested is the order of things.
static deft__process_options options_for(watched *one, const char *const *arguments)
{
    return (deft__process_options){.arguments     = arguments,
                                   .environment   = (const char *const *)environ,
                                   .context       = one,
                                   .output        = output,
                                   .errors        = errors,
                                   .ended         = ended,
                                   .terminate_ms  = 50,
                                   .kill_ms       = 50,
                                   .last_words_ms = 50,
                                   .exit_ms       = 50,
                                   .is_by_signal  = is_by_signal};
}

static void start_with(watched *one, deft__loop *loop, const deft__process_options *options)
{
    deft_error error = DEFT_ERROR_INIT;
    one->loop        = loop;
    deft_buffer_init(&one->output, NULL);
    deft_buffer_init(&one->errors, NULL);
    one->process = deft__process_start(loop, options, &error);
    if (one->process == NULL) {
        fail_msg("%s", error.message);
    }
}

static void start_shell(watched *one, deft__loop *loop, const char *script)
{
    const char *const           arguments[] = {"sh", "-c", script, NULL};
    const deft__process_options options     = options_for(one, arguments);
    start_with(one, loop, &options);
}

static void finish(watched *one)
{
    deft__process_free(one->process);
    deft_buffer_clear(&one->output);
    deft_buffer_clear(&one->errors);
}

static void expect_no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

// --- How they end. --------------------------------------------------------------------------------

#define LONG_MS 60000u

// Scripts; "ready" in the output is the sign to stop the process politely.
static const struct {
    const char       *name;
    const char       *script;
    bool              is_stopped;
    deft__process_end end;
    int               code;
    const char       *output;
    const char       *errors;
} cases[] = {
    {"it exits well", "echo hi", false, DEFT__PROCESS_EXITED, 0, "hi\n", ""},
    {"it fails and says why", "echo no key >&2; exit 3", false, DEFT__PROCESS_EXITED, 3, "",
     "no key\n"},
    {"it dies of a signal", "kill -9 $$", false, DEFT__PROCESS_KILLED, SIGKILL, "", ""},
    {"it closes its output and lives", "exec >&-; read x", false, DEFT__PROCESS_CLOSED_OUTPUT, 0,
     "", ""},
    {"a grandchild holds its output", "sleep 1000 & echo hi", false, DEFT__PROCESS_EXITED, 0,
     "hi\n", ""},
    {"a grandchild that hears no TERM holds its output",
     "(trap '' TERM; echo hi; sleep 1000; sleep 1000) & read x < /dev/null; sleep 0.1", false,
     DEFT__PROCESS_EXITED, 0, "hi\n", ""},
    {"a grandchild outside of the group holds its output", "setsid sleep 2 & echo hi", false,
     DEFT__PROCESS_EXITED, 0, "hi\n", ""},
    {"it ends with its input", "echo ready; read x; echo bye; exit 4", true, DEFT__PROCESS_EXITED,
     4, "ready\nbye\n", ""},
    {"it closes its output first, when stopped", "echo ready; read x; exec >&-; sleep 0.02; exit 5",
     true, DEFT__PROCESS_EXITED, 5, "ready\n", ""},
    {"it ignores the end of its input", "echo ready; sleep 1000", true, DEFT__PROCESS_KILLED,
     SIGTERM, "ready\n", ""},
    {"it ignores SIGTERM too", "trap '' TERM; echo ready; while :; do sleep 1000; done", true,
     DEFT__PROCESS_KILLED, SIGKILL, "ready\n", ""},
    {"it was stopped in its tracks", "echo ready; kill -STOP $$; sleep 1000", true,
     DEFT__PROCESS_KILLED, SIGTERM, "ready\n", ""},
    {"it cleans up at SIGTERM",
     "exec 2>/dev/null; trap 'echo done; exit 6' TERM; echo ready; while :; do sleep 0.01; done",
     true, DEFT__PROCESS_EXITED, 6, "ready\ndone\n", ""},
    {"a wrapper dies of it, its server does not",
     "sh -c 'trap \"\" TERM; echo ready; sleep 1000'; true", true, DEFT__PROCESS_KILLED, SIGTERM,
     "ready\n", ""},
};

static void endings(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__loop           *loop        = test_loop_new();
        watched               one         = {.stop_at = cases[i].is_stopped ? "ready\n" : NULL};
        const char *const     arguments[] = {"sh", "-c", cases[i].script, NULL};
        deft__process_options options     = options_for(&one, arguments);
        if (cases[i].is_stopped && cases[i].end == DEFT__PROCESS_EXITED) {
            // It ends by itself, and has all the time that it needs.
            options.kill_ms = LONG_MS;
            options.terminate_ms =
                strstr(cases[i].script, "TERM") == NULL ? LONG_MS : options.terminate_ms;
        }
        start_with(&one, loop, &options);
        test_loop_run(loop);
        assert_int_equal(one.end, cases[i].end);
        assert_int_equal(one.code, cases[i].code);
        assert_view_equal(deft_buffer_view(&one.output), cases[i].output);
        assert_view_equal(deft_buffer_view(&one.errors), cases[i].errors);
        finish(&one);
        deft__loop_free(loop);
        expect_no_children();
    }
}

static void killing_is_at_once(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    watched     one  = {.stop_at = "ready", .kills_at = true};
    start_shell(&one, loop, "trap '' TERM; echo ready; sleep 1000; sleep 1000");
    test_loop_run(loop);
    assert_int_equal(one.end, DEFT__PROCESS_KILLED);
    assert_int_equal(one.code, SIGKILL);
    finish(&one);
    deft__loop_free(loop);
    expect_no_children();
}

static void grandchildren_go_too(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    watched     one  = {0};
    // It holds no pipe of ours, so that only the kill of the group ends it.
    start_shell(&one, loop, "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!");
    test_loop_run(loop);
    deft_buffer_append_byte(&one.output, '\0');
    const pid_t grandchild = (pid_t)strtol(one.output.data, NULL, 10);
    assert_true(grandchild > 1);
    finish(&one);
    deft__loop_free(loop);
    // It is an orphan now, and reaped by init: we can only see that it does not run any more.
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)grandchild);
    for (bool is_running = true; is_running;) {
        FILE *file      = fopen(path, "r");
        char  text[256] = "";
        is_running =
            file != NULL && fgets(text, sizeof text, file) != NULL && strstr(text, ") Z ") == NULL;
        if (file != NULL) {
            fclose(file);
        }
    }
}

static void freeing_one_that_runs_kills_it(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    watched     one  = {.wanted = 6};
    start_shell(&one, loop, "trap '' TERM; echo ready; sleep 1000; sleep 1000");
    test_loop_run(loop);
    finish(&one);
    deft__loop_free(loop); // waits for it
    expect_no_children();
}

// --- What they are given. -------------------------------------------------------------------------

static void it_gets_what_is_written(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    watched     one  = {.wanted = 3u << 20};
    start_shell(&one, loop, "cat");
    char *const much = malloc(1 << 20);
    for (size_t i = 0; i < 1 << 20; i++) {
        much[i] = (char)(i * 31 + i / 255);
    }
    for (int i = 0; i < 3; i++) {
        deft__process_write(one.process, deft_view_make(much, 1 << 20));
    }
    test_loop_run(loop);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_equal(one.output.data + (i << 20), much, 1 << 20);
    }
    free(much);
    deft__process_stop_within(one.process, LONG_MS, LONG_MS); // it has all the time that it needs
    test_loop_run(loop);
    assert_int_equal(one.end, DEFT__PROCESS_EXITED);
    deft__process_write(one.process, deft_view_of("too late"));
    finish(&one);
    deft__loop_free(loop);
}

static void it_gets_its_environment_and_directory_and_nothing_else(void **state)
{
    (void)state;
    deft__loop       *loop          = test_loop_new();
    watched           one           = {0};
    const char *const arguments[]   = {"sh", "-c",
                                       "echo $GREETING; pwd; ls /proc/self/fd | wc -w; ulimit -n; "
                                         "kill -PIPE $$",
                                       NULL};
    const char *const environment[] = {"GREETING=hello", "PATH=/usr/bin:/bin", NULL};
    struct rlimit     before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit low = {.rlim_cur = 300, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    deft__loop_raise_descriptor_limit(loop);
    deft__process_options options = options_for(&one, arguments);
    options.environment           = environment;
    options.directory             = "/usr";
    const int extra               = dup(1); // not close-on-exec
    start_with(&one, loop, &options);
    struct rlimit now;
    getrlimit(RLIMIT_NOFILE, &now);
    assert_true(now.rlim_cur == before.rlim_max);
    test_loop_run(loop);
    // 0 to 2, and the one that ls reads the directory with. Signals are as by default.
    assert_view_equal(deft_buffer_view(&one.output), "hello\n/usr\n4\n300\n");
    assert_int_equal(one.end, DEFT__PROCESS_KILLED);
    assert_int_equal(one.code, SIGPIPE);
    close(extra);
    setrlimit(RLIMIT_NOFILE, &before);
    finish(&one);
    deft__loop_free(loop);
}

static void one_that_does_not_read_is_given_up(void **state)
{
    (void)state;
    deft__loop           *loop        = test_loop_new();
    watched               one         = {0};
    const char *const     arguments[] = {"sleep", "1000", NULL};
    deft__process_options options     = options_for(&one, arguments);
    options.queue_max                 = 1 << 20;
    start_with(&one, loop, &options);
    char *const much = calloc(1, 1 << 19);
    for (int i = 0; i < 4; i++) {
        deft__process_write(one.process, deft_view_make(much, 1 << 19));
    }
    free(much);
    test_loop_run(loop);
    assert_int_equal(one.end, DEFT__PROCESS_UNREAD_INPUT);
    finish(&one);
    deft__loop_free(loop);
    expect_no_children();
}

static void one_that_exits_while_we_write_has_its_last_words(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    watched     one  = {0};
    start_shell(&one, loop, "read x; echo last words; exit 7");
    char *const much = malloc(1 << 20);
    memset(much, '\n', 1 << 20);
    deft__process_write(one.process, deft_view_make(much, 1 << 20));
    free(much);
    test_loop_run(loop);
    assert_int_equal(one.end, DEFT__PROCESS_EXITED);
    assert_int_equal(one.code, 7);
    assert_view_equal(deft_buffer_view(&one.output), "last words\n");
    finish(&one);
    deft__loop_free(loop);
}

static void a_hundred_at_once(void **state)
{
    (void)state;
    static watched all[100];
    size_t         running = array_size(all);
    deft__loop    *loop    = test_loop_new();
    for (size_t i = 0; i < array_size(all); i++) {
        char script[64];
        snprintf(script, sizeof script, "read x; echo $x; exit %zu", i);
        all[i] = (watched){.running = &running};
        start_shell(&all[i], loop, script);
        deft__process_write(all[i].process, deft_view_of("hello\n"));
    }
    test_loop_run(loop);
    for (size_t i = 0; i < array_size(all); i++) {
        assert_int_equal(all[i].code, i);
        assert_view_equal(deft_buffer_view(&all[i].output), "hello\n");
        finish(&all[i]);
    }
    deft__loop_free(loop);
    expect_no_children();
}

// --- When they cannot be started. -----------------------------------------------------------------

static void a_failed_start_leaves_nothing(void **state)
{
    (void)state;
    deft__loop                 *loop        = test_loop_new();
    watched                     one         = {.loop = loop};
    const char *const           arguments[] = {"no-such-command-here", NULL};
    deft_error                  error       = DEFT_ERROR_INIT;
    const deft__process_options options     = options_for(&one, arguments);
    assert_null(deft__process_start(loop, &options, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    assert_string_equal(error.message, "command 'no-such-command-here' was not found; install it, "
                                       "or give its full path");
    deft__process_free(NULL);
    deft__loop_free(loop);
    expect_no_children();
}

static void without_descriptors_there_is_no_start(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int first = dup(0);
    close(first);
    deft__loop                 *loop        = test_loop_new();
    watched                     one         = {.loop = loop};
    const char *const           arguments[] = {"true", NULL};
    const deft__process_options options     = options_for(&one, arguments);
    // From none at all to enough: wherever it fails, nothing is left behind.
    deft__process *process = NULL;
    const int      lowest  = dup(0);
    close(lowest);
    for (int more = 0; process == NULL; more++) {
        deft_error          error = DEFT_ERROR_INIT;
        const struct rlimit low   = {.rlim_cur = (rlim_t)(lowest + more),
                                     .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        process = deft__process_start(loop, &options, &error);
        setrlimit(RLIMIT_NOFILE, &before);
        if (process == NULL) {
            assert_non_null(strstr(error.message, "too many open files"));
        }
        assert_true(more < 20);
    }
    deft__process_free(process);
    deft__loop_free(loop);
    expect_no_children();
    const int after = dup(0);
    assert_int_equal(after, first);
    close(after);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_error  error = DEFT_ERROR_INIT;
    deft__loop *loop  = deft__loop_new(allocator, &error);
    if (loop == NULL) {
        return false;
    }
    watched                     one         = {.loop = loop};
    const char *const           arguments[] = {"true", NULL};
    const deft__process_options options     = options_for(&one, arguments);
    one.process                             = deft__process_start(loop, &options, &error);
    const bool is_done                      = one.process != NULL;
    assert_true(is_done || error.status == DEFT_OUT_OF_MEMORY);
    deft__process_free(one.process);
    deft__loop_free(loop);
    return is_done;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 6);
    expect_no_children();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings),
        cmocka_unit_test(killing_is_at_once),
        cmocka_unit_test(grandchildren_go_too),
        cmocka_unit_test(freeing_one_that_runs_kills_it),
        cmocka_unit_test(it_gets_what_is_written),
        cmocka_unit_test(it_gets_its_environment_and_directory_and_nothing_else),
        cmocka_unit_test(one_that_does_not_read_is_given_up),
        cmocka_unit_test(one_that_exits_while_we_write_has_its_last_words),
        cmocka_unit_test(a_hundred_at_once),
        cmocka_unit_test(a_failed_start_leaves_nothing),
        cmocka_unit_test(without_descriptors_there_is_no_start),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    const int by_descriptor = cmocka_run_group_tests(tests, NULL, NULL);
    is_by_signal            = true;
    return by_descriptor + cmocka_run_group_tests(tests, NULL, NULL);
}
