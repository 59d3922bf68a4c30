// A server as a child process: lines out, lines in, and one clause that says why it went.
#include "transport/child.h"

#include "support/allocator.h"
#include "support/waiting.h"

#include <stdlib.h>
#include <string.h>

static const char *const ours[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};

typedef struct server {
    deft__loop  *loop;
    deft__child *child;
    deft__ring   errors;
    deft_buffer  lines; // each with a | after it; long ones as their size
    size_t       line_count;
    size_t       overflows;
    size_t       wanted; // lines after which the loop stops
    bool         has_closed;
    bool         frees_on_line;
    char         reason[512];
} server;

static void received(void *context, deft_view line)
{
    server *one = context;
    if (line.size > 100) {
        deft_buffer_append_u64(&one->lines, line.size);
    } else {
        deft_buffer_append(&one->lines, line);
    }
    deft_buffer_append_byte(&one->lines, '|');
    one->line_count++;
    if (one->frees_on_line) {
        deft__child_free(one->child);
        one->child = NULL;
        deft__loop_stop(one->loop);
    } else if (one->line_count == one->wanted) {
        deft__loop_stop(one->loop);
    }
}

static void overflowed(void *context)
{
    server *one = context;
    one->overflows++;
}

static void closed(void *context, deft_view reason)
{
    server *one = context;
    assert_false(one->has_closed);
    one->has_closed = true;
    snprintf(one->reason, sizeof one->reason, "%.*s", (int)reason.size, reason.data);
    deft__child_free(one->child);
    one->child = NULL;
    deft__loop_stop(one->loop);
}

static void init(server *one)
{
    *one = (server){.loop = test_loop_new()};
    deft__ring_init(&one->errors, 0, NULL);
    deft_buffer_init(&one->lines, NULL);
}

static void clear(server *one)
{
    deft__child_free(one->child);
    deft_buffer_clear(&one->lines);
    deft__ring_clear(&one->errors);
    deft__loop_free(one->loop);
}

static const deft_pair secret[] = {{DEFT_VIEW_INIT("API_KEY"), DEFT_VIEW_INIT("s3cr3t-value")}};

static deft__child *try_start(server *one, const char *command, const char *script,
                              deft_error *error)
{
    const deft_view           arguments[] = {DEFT_VIEW_INIT("-c"), deft_view_of(script)};
    const deft_server_config  config      = {.name              = DEFT_VIEW_INIT("github"),
                                             .command           = deft_view_of(command),
                                             .arguments         = arguments,
                                             .argument_count    = script != NULL ? 2 : 0,
                                             .environment       = secret,
                                             .environment_count = 1};
    const deft__child_options options     = {.server        = &config,
                                             .environment   = ours,
                                             .errors        = &one->errors,
                                             .context       = one,
                                             .received      = received,
                                             .overflowed    = overflowed,
                                             .closed        = closed,
                                             .line_size_max = 1 << 20,
                                             .queue_max     = 4 << 20,
                                             .terminate_ms  = 50,
                                             .kill_ms       = 50};
    return deft__child_start(one->loop, &options, error);
}

static void start(server *one, const char *script)
{
    deft_error error = DEFT_ERROR_INIT;
    one->child       = try_start(one, "sh", script, &error);
    if (one->child == NULL) {
        fail_msg("%s", error.message);
    }
}

static const struct {
    const char *name;
    const char *script;
    const char *lines;
    size_t      overflows;
    const char *reason;
} cases[] = {
    {"lines of every kind", "printf 'a\\r\\n\\nb\\n'; printf c; printf 'd\\n'", "a|b|cd|", 0,
     "exited with status 0"},
    {"half a line at the end", "printf 'a\\n{\"b'", "a|{\"b|", 0, "exited with status 0"},
    {"the reason is the last line on stderr", "echo first >&2; echo no API key >&2; exit 1", "", 0,
     "exited with status 1: no API key"},
    {"a secret does not show", "echo bad key $API_KEY >&2; exit 1", "", 0,
     "exited with status 1: bad key [secret]"},
    {"a signal that nobody can foresee", "echo fine >&2; kill -9 $$", "", 0,
     "was killed by signal 9"},
    {"a signal of its own making", "echo assertion failed >&2; kill -6 $$", "", 0,
     "was killed by signal 6: assertion failed"},
    {"output closed", "exec >&-; read x", "", 0, "closed its output"},
    {"a line as long as it may be", "head -c 1048576 /dev/zero | tr '\\0' x; echo", "1048576|", 0,
     "exited with status 0"},
    {"a longer one is skipped", "head -c 1048577 /dev/zero | tr '\\0' x; echo; echo y", "y|", 1,
     "exited with status 0"},
    {"100 MB without an end", "head -c 100000000 /dev/zero | tr '\\0' x", "", 1,
     "exited with status 0"},
};

static void what_servers_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        server one;
        init(&one);
        start(&one, cases[i].script);
        test_loop_run(one.loop);
        assert_view_equal(deft_buffer_view(&one.lines), cases[i].lines);
        assert_int_equal(one.overflows, cases[i].overflows);
        assert_string_equal(one.reason, cases[i].reason);
        clear(&one);
    }
}

static void lines_go_both_ways(void **state)
{
    (void)state;
    server one;
    init(&one);
    one.wanted = 1002;
    start(&one, "cat");
    assert_true(deft__child_process_id(one.child) > 1);
    for (int i = 0; i < 1000; i++) {
        deft__child_send(one.child, deft_view_of("{}"));
    }
    char *const large = malloc(1000000);
    memset(large, 'x', 1000000);
    deft__child_send(one.child, deft_view_make(large, 1000000));
    deft__child_send(one.child, deft_view_of("end"));
    free(large);
    test_loop_run(one.loop);
    assert_int_equal(one.line_count, 1002);
    assert_view_equal(deft_view_slice(deft_buffer_view(&one.lines), 2997, 100), "{}|1000000|end|");
    deft__child_stop(one.child);
    test_loop_run(one.loop);
    assert_string_equal(one.reason, "exited with status 0");
    clear(&one);
}

static void a_server_that_does_not_read(void **state)
{
    (void)state;
    server one;
    init(&one);
    start(&one, "echo busy >&2; sleep 1000");
    char *const large = calloc(1, 1 << 20);
    for (int i = 0; i < 8; i++) {
        deft__child_send(one.child, deft_view_make(large, 1 << 20));
    }
    free(large);
    test_loop_run(one.loop);
    assert_true(strncmp(one.reason, "does not read its input", 23) == 0);
    clear(&one);
}

static void a_server_that_ignores_everything_is_killed(void **state)
{
    (void)state;
    server one;
    init(&one);
    one.wanted = 1;
    start(&one, "trap '' TERM; echo ready; while :; do sleep 1000; done");
    test_loop_run(one.loop);
    deft__child_stop(one.child);
    test_loop_run(one.loop);
    assert_string_equal(one.reason, "was killed by signal 9");
    clear(&one);
}

static void stopped_in_a_hurry(void **state)
{
    (void)state;
    for (int is_asked = 0; is_asked < 2; is_asked++) {
        server one;
        init(&one);
        one.wanted = 1;
        start(&one, "trap '' TERM; echo ready; while :; do sleep 1000; done");
        test_loop_run(one.loop);
        if (is_asked == 1) {
            deft__child_stop_within(one.child, 2 * TEST_PATIENCE_MS, 2 * TEST_PATIENCE_MS);
        }
        deft__child_stop_within(one.child, 1, 1);
        test_loop_run(one.loop);
        assert_string_equal(one.reason, "was killed by signal 9");
        clear(&one);
    }
}

static void killed_at_once(void **state)
{
    (void)state;
    server one;
    init(&one);
    start(&one, "sleep 1000");
    deft__child_kill(one.child);
    test_loop_run(one.loop);
    assert_string_equal(one.reason, "was killed by signal 9");
    clear(&one);
}

static void freed_while_it_talks(void **state)
{
    (void)state;
    for (int with_end = 0; with_end < 2; with_end++) {
        server one;
        init(&one);
        one.frees_on_line = true;
        start(&one, with_end == 1 ? "echo a; echo b; sleep 1000" : "printf a");
        test_loop_run(one.loop);
        assert_view_equal(deft_buffer_view(&one.lines), "a|");
        assert_false(one.has_closed);
        clear(&one);
    }
}

static void what_it_said_in_its_first_life(void **state)
{
    (void)state;
    server one;
    init(&one);
    start(&one, "echo first life >&2; exit 1");
    test_loop_run(one.loop);
    assert_string_equal(one.reason, "exited with status 1: first life");
    one.has_closed = false;
    start(&one, "exit 2");
    test_loop_run(one.loop);
    assert_string_equal(one.reason, "exited with status 2");
    deft_buffer log;
    deft_buffer_init(&log, NULL);
    deft__ring_copy(&one.errors, &log);
    assert_view_equal(deft_buffer_view(&log), "first life\n");
    deft_buffer_clear(&log);
    clear(&one);
}

static void what_cannot_be_started(void **state)
{
    (void)state;
    server     one;
    deft_error error = DEFT_ERROR_INIT;
    init(&one);
    assert_null(try_start(&one, "no-such-server", NULL, &error));
    assert_string_equal(
        error.message, "command 'no-such-server' was not found; install it, or give its full path");
    assert_null(try_start(&one, "/", NULL, &error));
    assert_string_equal(error.message, "command '/' is a directory, not a program");
    assert_null(try_start(&one, "${NODE}", NULL, &error));
    assert_string_equal(error.message, "command of server 'github': the variable NODE is not set; "
                                       "set it, or write ${NODE:-default}");
    clear(&one);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    server one = {.loop = deft__loop_new(allocator, NULL)};
    if (one.loop == NULL) {
        return false;
    }
    deft_error error = DEFT_ERROR_INIT;
    deft__ring_init(&one.errors, 0, allocator);
    deft_buffer_init(&one.lines, NULL);
    one.child = try_start(&one, "sh", "read x; echo $x", &error);
    if (one.child != NULL) {
        deft__child_send(one.child, deft_view_of("hello"));
        deft__loop_run(one.loop);
    }
    // Without memory for what is sent, it is given up; either way it is told how it went.
    const bool is_done = one.line_count == 1 && strcmp(one.reason, "exited with status 0") == 0;
    assert_true(one.has_closed || error.status == DEFT_OUT_OF_MEMORY);
    clear(&one);
    return is_done;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_servers_do),
        cmocka_unit_test(lines_go_both_ways),
        cmocka_unit_test(a_server_that_does_not_read),
        cmocka_unit_test(a_server_that_ignores_everything_is_killed),
        cmocka_unit_test(stopped_in_a_hurry),
        cmocka_unit_test(killed_at_once),
        cmocka_unit_test(freed_while_it_talks),
        cmocka_unit_test(what_it_said_in_its_first_life),
        cmocka_unit_test(what_cannot_be_started),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
