#include "serve/hooks.h"

#include "base/fail.h"
#include "base/memory.h"
#include "deft/buffer.h"
#include "io/process.h"

struct deft__hook_run {
    deft__hook_run  *next;
    deft__hook_run **link; // what points to it
    deft__hooks     *hooks;
    uint64_t         number;
    deft__process   *process; // NULL: it could not be started
    deft__alarm     *alarm;   // its time is up, or the news that it could not be started
    deft_buffer      message;
};

static void forget(deft__hook_run *run)
{
    const deft_allocator *allocator = deft__loop_allocator(run->hooks->loop);
    *run->link                      = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    deft__process_free(run->process);
    deft__alarm_free(run->alarm);
    deft_buffer_clear(&run->message);
    deft__free(allocator, run, sizeof *run);
}

static void finish(deft__hook_run *run, int exit_code)
{
    deft__hooks *hooks = run->hooks;
    hooks->finished(hooks->context, run->number, exit_code, deft_buffer_view(&run->message));
    forget(run);
}

static void say_nothing(void *context, deft_view bytes)
{
    (void)context;
    (void)bytes;
}

static void take_message(void *context, deft_view bytes)
{
    deft__hook_run *run  = context;
    const size_t    room = DEFT__HOOK_MESSAGE_MAX - run->message.size;
    deft_buffer_append(&run->message, deft_view_slice(bytes, 0, room));
}

static void ended(void *context, deft__process_end end, int code)
{
    deft__hook_run *run = context;
    // The line end behind a message is the shell's, not the hook's.
    while (run->message.size > 0 && run->message.data[run->message.size - 1] == '\n') {
        deft_buffer_truncate(&run->message, run->message.size - 1);
    }
    finish(run, end == DEFT__PROCESS_EXITED ? code : 128 + code);
}

static void time_is_up(void *context)
{
    deft__hook_run *run = context;
    finish(run, run->process != NULL ? -1 : 127); // 127: what a shell says of a missing command
}

static void start(deft__hook_run *run, const deft__hook *hook)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer command;
    deft_buffer_init(&command, deft__loop_allocator(run->hooks->loop));
    deft_buffer_append(&command, hook->command);
    deft_buffer_append_byte(&command, '\0');
    if (command.status == DEFT_OK) {
        const char *const           arguments[] = {"/bin/sh", "-c", command.data, NULL};
        const deft__process_options options     = {
                .arguments   = arguments,
                .environment = run->hooks->environment,
                .context     = run,
                .output      = say_nothing,
                .errors      = take_message,
                .ended       = ended,
                // It has all of its time: closing its output early says nothing.
                .terminate_ms = hook->timeout_ms + 1000,
                .exit_ms      = hook->timeout_ms + 1000,
        };
        run->process = deft__process_start(run->hooks->loop, &options, &error);
    }
    deft_buffer_clear(&command);
    if (run->process != NULL) {
        deft__process_write(run->process, hook->input);
        deft__process_write(run->process, deft_view_make("\n", 1));
        deft__process_stop(run->process); // its input ends there
    } else {
        deft_buffer_append_text(&run->message, error.message);
    }
    deft__alarm_set(run->alarm, run->process != NULL ? hook->timeout_ms : 0);
}

static void refuse_all(void *context)
{
    deft__hooks *hooks = context;
    while (hooks->refused_count > 0) {
        const uint64_t number = hooks->refused[--hooks->refused_count];
        hooks->finished(hooks->context, number, 127, deft_view_of("out of memory"));
    }
}

static void refuse(deft__hooks *hooks, uint64_t number)
{
    if (hooks->refused_count < DEFT__HOOKS_REFUSED_MAX) {
        hooks->refused[hooks->refused_count++] = number;
        deft__loop_defer(hooks->loop, &hooks->refuse);
    }
}

void deft__hooks_init(deft__hooks *hooks, deft__loop *loop, const char *const *environment)
{
    *hooks = (deft__hooks){.loop = loop, .environment = environment};
    deft__task_init(&hooks->refuse, refuse_all, hooks);
}

void deft__hooks_run(deft__hooks *hooks, const deft__hook *hook)
{
    const deft_allocator *allocator = deft__loop_allocator(hooks->loop);
    deft__hook_run       *run       = deft__new(allocator, sizeof *run);
    if (run == NULL) {
        refuse(hooks, hook->number);
        return;
    }
    run->hooks  = hooks;
    run->number = hook->number;
    run->next   = hooks->runs;
    run->link   = &hooks->runs;
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    hooks->runs = run;
    deft_buffer_init(&run->message, allocator);
    run->alarm = deft__alarm_new(hooks->loop, time_is_up, run);
    if (run->alarm == NULL) {
        forget(run);
        refuse(hooks, hook->number);
    } else {
        start(run, hook);
    }
}

void deft__hooks_clear(deft__hooks *hooks)
{
    while (hooks->runs != NULL) {
        forget(hooks->runs);
    }
    if (hooks->loop != NULL) {
        deft__loop_undefer(hooks->loop, &hooks->refuse);
    }
}
