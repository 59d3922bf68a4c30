// Commands around calls: asked with JSON, answering with their exit status and a word on stderr.
#include "serve/hooks.h"

#include "support/allocator.h"
#include "support/waiting.h"

#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

typedef struct heard {
    deft__loop *loop;
    size_t      count;
    size_t      wanted;
    uint64_t    number;
    int         exit_code;
    char        message[DEFT__HOOK_MESSAGE_MAX + 100];
} heard;

static void finished(void *context, uint64_t number, int exit_code, deft_view message)
{
    heard *one     = context;
    one->number    = number;
    one->exit_code = exit_code;
    snprintf(one->message, sizeof one->message, "%.*s", (int)message.size,
             message.data != NULL ? message.data : "");
    if (++one->count == one->wanted) {
        deft__loop_stop(one->loop);
    }
}

static void init(deft__hooks *hooks, heard *one, const deft_allocator *allocator)
{
    *one = (heard){.loop = deft__loop_new(allocator, NULL), .wanted = 1};
    deft__hooks_init(hooks, one->loop, (const char *const *)environ);
    hooks->finished = finished;
    hooks->context  = one;
}

static void clear(deft__hooks *hooks, heard *one)
{
    deft__hooks_clear(hooks);
    deft__loop_free(one->loop);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static const struct {
    const char *name;
    const char *command;
    uint64_t    timeout_ms;
    int         exit_code;
    const char *message;
} cases[] = {
    {"it lets the call through", "true", 60000, 0, ""},
    {"it refuses with a word", "echo no >&2; exit 2", 60000, 2, "no"},
    {"it reads what it is asked", "grep -q '^{\"tool\":\"x\"}$' || exit 2", 60000, 0, ""},
    {"it does not read at all", "exec <&-; exit 2", 60000, 2, ""},
    {"what it prints does not matter", "echo yes; exit 1", 60000, 1, ""},
    {"it is not there", "/no/such/hook 2>/dev/null", 60000, 127, ""},
    {"it dies", "kill -9 $$", 60000, 128 + 9, ""},
    {"it takes too long", "echo wait >&2; sleep 1000", 30, -1, NULL},
    {"it closes its output and goes on", "exec >&-; sleep 0.2; exit 2", 60000, 2, ""},
    {"it says several lines", "printf 'a\\nb\\n\\n' >&2; exit 2", 60000, 2, "a\nb"},
};

static void what_hooks_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__hooks hooks;
        heard       one;
        init(&hooks, &one, NULL);
        const deft__hook hook = {.number     = 7,
                                 .command    = deft_view_of(cases[i].command),
                                 .input      = deft_view_of("{\"tool\":\"x\"}"),
                                 .timeout_ms = cases[i].timeout_ms};
        deft__hooks_run(&hooks, &hook);
        assert_int_equal(one.count, 0);
        test_loop_run(one.loop);
        assert_int_equal(one.number, 7);
        assert_int_equal(one.exit_code, cases[i].exit_code);
        if (cases[i].message != NULL) {
            assert_string_equal(one.message, cases[i].message);
        }
        clear(&hooks, &one);
    }
}

static void a_hook_that_talks_for_ever_is_cut(void **state)
{
    (void)state;
    deft__hooks hooks;
    heard       one;
    init(&hooks, &one, NULL);
    const deft__hook hook = {.command = DEFT_VIEW_INIT("head -c 100000 /dev/zero | tr '\\0' x >&2"),
                             .timeout_ms = 60000};
    deft__hooks_run(&hooks, &hook);
    test_loop_run(one.loop);
    assert_int_equal(one.exit_code, 0);
    assert_int_equal(strlen(one.message), DEFT__HOOK_MESSAGE_MAX);
    clear(&hooks, &one);
}

static void many_at_once_and_some_given_up(void **state)
{
    (void)state;
    deft__hooks hooks;
    heard       one;
    init(&hooks, &one, NULL);
    one.wanted = 5;
    for (uint64_t i = 0; i < 10; i++) {
        const deft__hook hook = {.number     = i,
                                 .command    = deft_view_of(i % 2 == 0 ? "true" : "sleep 1000"),
                                 .timeout_ms = 60000};
        deft__hooks_run(&hooks, &hook);
    }
    test_loop_run(one.loop);
    assert_int_equal(one.count, 5);
    clear(&hooks, &one);
    assert_int_equal(one.count, 5);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__hooks hooks;
    heard       one;
    init(&hooks, &one, allocator);
    if (one.loop == NULL) {
        return false;
    }
    const deft__hook hook = {
        .number = 3, .command = DEFT_VIEW_INIT("echo no >&2; exit 2"), .timeout_ms = 60000};
    deft__hooks_run(&hooks, &hook);
    deft__loop_run(one.loop);
    assert_int_equal(one.count, 1); // whatever happens, it is heard of
    assert_int_equal(one.number, 3);
    const bool is_done = one.exit_code == 2 && strcmp(one.message, "no") == 0;
    clear(&hooks, &one);
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
        cmocka_unit_test(what_hooks_do),
        cmocka_unit_test(a_hook_that_talks_for_ever_is_cut),
        cmocka_unit_test(many_at_once_and_some_given_up),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
