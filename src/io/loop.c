#include "io/loop.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/inside.h"

#include <assert.h>
#include <signal.h>

static const int caught_signals[DEFT__SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

deft_status deft__fail_system(deft_error *error, int code, const char *what)
{
    char text[120];
    return deft__fail(error, DEFT_INVALID, 0, "%s: %s", what,
                      uv_strerror_r(uv_translate_sys_error(code), text, sizeof text));
}

// --- The loop. ------------------------------------------------------------------------------------

static void before_wait(uv_prepare_t *handle)
{
    deft__streams_send(handle->data);
}

static void after_wait(uv_check_t *handle)
{
    deft__streams_send(handle->data);
}

static void close_own_handles(deft__loop *loop)
{
    uv_close((uv_handle_t *)&loop->before_wait, NULL);
    uv_close((uv_handle_t *)&loop->after_wait, NULL);
    uv_close((uv_handle_t *)&loop->has_tasks, NULL);
    for (size_t i = 0; loop->has_signals && i < DEFT__SIGNALS; i++) {
        uv_close((uv_handle_t *)&loop->signals[i], NULL);
    }
}

deft__loop *deft__loop_new(const deft_allocator *allocator, deft_error *error)
{
    deft__loop *loop = deft__new(allocator, sizeof *loop);
    if (loop == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    const int code = uv_loop_init(&loop->uv);
    if (code != 0) {
        deft__fail(error, DEFT_INVALID, 0, "could not make an event loop: %s", uv_strerror(code));
        deft__free(allocator, loop, sizeof *loop);
        return NULL;
    }
    loop->uv.data   = loop;
    loop->allocator = allocator;
    deft__chain_init(&loop->unsent);
    deft__task_init(&loop->tell_failed, deft__streams_tell_failed, loop);
    loop->tasks.next     = &loop->tasks;
    loop->tasks.previous = &loop->tasks;

    // These never fail. They are for the loop itself, so they do not keep it running.
    uv_prepare_init(&loop->uv, &loop->before_wait);
    uv_check_init(&loop->uv, &loop->after_wait);
    uv_idle_init(&loop->uv, &loop->has_tasks);
    loop->before_wait.data = loop;
    loop->after_wait.data  = loop;
    loop->has_tasks.data   = loop;
    uv_prepare_start(&loop->before_wait, before_wait);
    uv_check_start(&loop->after_wait, after_wait);
    uv_unref((uv_handle_t *)&loop->before_wait);
    uv_unref((uv_handle_t *)&loop->after_wait);

    signal(SIGPIPE, SIG_IGN);
    return loop;
}

void deft__loop_free(deft__loop *loop)
{
    if (loop == NULL) {
        return;
    }
    assert(deft__chain_is_empty(&loop->unsent));
    close_own_handles(loop);
    // What was closed is given back by the loop itself, in its next turn.
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    const int code = uv_loop_close(&loop->uv);
    assert(code == 0); // something on the loop was not closed
    (void)code;
    deft__streams_clear(loop);
    deft__free(loop->allocator, loop, sizeof *loop);
}

const deft_allocator *deft__loop_allocator(const deft__loop *loop)
{
    return loop->allocator;
}

void deft__loop_run(deft__loop *loop)
{
    uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void deft__loop_stop(deft__loop *loop)
{
    uv_stop(&loop->uv);
}

uint64_t deft__loop_now_ms(const deft__loop *loop)
{
    return uv_now(&loop->uv);
}

// --- Alarms. --------------------------------------------------------------------------------------

struct deft__alarm {
    uv_timer_t  timer;
    deft__loop *loop;
    void (*ring)(void *context);
    void *context;
};

static void ring_alarm(uv_timer_t *timer)
{
    deft__alarm *alarm = timer->data;
    alarm->ring(alarm->context);
}

deft__alarm *deft__alarm_new(deft__loop *loop, void (*ring)(void *context), void *context)
{
    deft__alarm *alarm = deft__new(loop->allocator, sizeof *alarm);
    if (alarm != NULL) {
        alarm->loop    = loop;
        alarm->ring    = ring;
        alarm->context = context;
        uv_timer_init(&loop->uv, &alarm->timer);
        alarm->timer.data = alarm;
    }
    return alarm;
}

static void give_alarm_back(uv_handle_t *handle)
{
    deft__alarm *alarm = handle->data;
    deft__free(alarm->loop->allocator, alarm, sizeof *alarm);
}

void deft__alarm_free(deft__alarm *alarm)
{
    if (alarm != NULL) {
        uv_close((uv_handle_t *)&alarm->timer, give_alarm_back);
    }
}

void deft__alarm_set(deft__alarm *alarm, uint64_t delay_ms)
{
    uv_timer_start(&alarm->timer, ring_alarm, delay_ms, 0);
}

void deft__alarm_stop(deft__alarm *alarm)
{
    uv_timer_stop(&alarm->timer);
}

// --- Tasks. ---------------------------------------------------------------------------------------

void deft__task_init(deft__task *task, void (*run)(void *context), void *context)
{
    *task = (deft__task){.run = run, .context = context};
}

static void remove_task(deft__task *task)
{
    task->previous->next = task->next;
    task->next->previous = task->previous;
    task->is_waiting     = false;
}

// Runs what was deferred up to now; what these defer in turn is for the next turn of the loop.
static void run_tasks(uv_idle_t *handle)
{
    deft__loop       *loop = handle->data;
    deft__task *const head = &loop->tasks;
    deft__task        mark = {.next = head, .previous = head->previous};
    head->previous->next   = &mark;
    head->previous         = &mark;

    while (head->next != &mark) {
        deft__task *task = head->next;
        remove_task(task);
        task->run(task->context);
    }
    remove_task(&mark);
    if (head->next == head) {
        uv_idle_stop(&loop->has_tasks);
    }
}

void deft__loop_defer(deft__loop *loop, deft__task *task)
{
    if (!task->is_waiting) {
        deft__task *const head = &loop->tasks;
        task->is_waiting       = true;
        task->next             = head;
        task->previous         = head->previous;
        head->previous->next   = task;
        head->previous         = task;
        uv_idle_start(&loop->has_tasks, run_tasks);
    }
}

void deft__loop_undefer(deft__loop *loop, deft__task *task)
{
    if (task->is_waiting) {
        remove_task(task);
        if (loop->tasks.next == &loop->tasks) {
            uv_idle_stop(&loop->has_tasks);
        }
    }
}

// --- Work. ----------------------------------------------------------------------------------------

typedef struct work_item {
    uv_work_t   request;
    deft__loop *loop;
    void (*work)(void *context);
    void (*done)(void *context);
    void *context;
} work_item;

static void run_work(uv_work_t *request)
{
    work_item *item = request->data;
    item->work(item->context);
}

static void finish_work(uv_work_t *request, int code)
{
    (void)code; // it is never cancelled
    work_item *item                   = request->data;
    void (*const done)(void *context) = item->done;
    void *const context               = item->context;
    deft__free(item->loop->allocator, item, sizeof *item);
    done(context);
}

bool deft__loop_work(deft__loop *loop, void (*work)(void *context), void (*done)(void *context),
                     void       *context)
{
    work_item *item = deft__new(loop->allocator, sizeof *item);
    if (item == NULL) {
        return false;
    }
    item->loop         = loop;
    item->work         = work;
    item->done         = done;
    item->context      = context;
    item->request.data = item;
    uv_queue_work(&loop->uv, &item->request, run_work, finish_work); // fails only without `work`
    return true;
}

// --- Signals and limits. --------------------------------------------------------------------------

static void catch_signal(uv_signal_t *handle, int number)
{
    deft__loop *loop = handle->data;
    loop->caught(loop->caught_context, number);
}

deft_status deft__loop_catch_signals(deft__loop *loop, void (*caught)(void *context, int number),
                                     void *context, deft_error *error)
{
    loop->caught         = caught;
    loop->caught_context = context;
    if (loop->has_signals) {
        return DEFT_OK;
    }
    for (size_t i = 0; i < DEFT__SIGNALS; i++) {
        const int code = uv_signal_init(&loop->uv, &loop->signals[i]);
        if (code != 0) {
            assert(i == 0); // all of them share the pipe that could not be made
            return deft__fail(error, DEFT_INVALID, 0, "could not catch signals: %s",
                              uv_strerror(code));
        }
        loop->signals[i].data = loop;
        uv_unref((uv_handle_t *)&loop->signals[i]);
    }
    loop->has_signals = true;
    for (size_t i = 0; i < DEFT__SIGNALS; i++) {
        const int code = uv_signal_start(&loop->signals[i], catch_signal, caught_signals[i]);
        if (code != 0) {
            return deft__fail(error, DEFT_INVALID, 0, "could not catch signal %d: %s",
                              caught_signals[i], uv_strerror(code));
        }
    }
    return DEFT_OK;
}

void deft__loop_raise_descriptor_limit(deft__loop *loop)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            loop->is_limit_raised = true;
            loop->limit_before    = limit;
        }
    }
}
