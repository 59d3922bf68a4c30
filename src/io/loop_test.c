// The loop: alarms, tasks, work on other threads, signals.
#include "io/loop.h"

#include "support/allocator.h"
#include "support/waiting.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

typedef struct notes {
    deft__loop *loop;
    char        text[64];
    size_t      size;
    size_t      wanted; // letters after which the loop stops
} notes;

static void note(notes *all, char letter)
{
    all->text[all->size++] = letter;
    all->text[all->size]   = '\0';
    if (all->size == all->wanted) {
        deft__loop_stop(all->loop);
    }
}

typedef struct letter {
    notes       *all;
    char         letter;
    deft__alarm *alarm;
    deft__task   task;
} letter;

static void write_letter(void *context)
{
    const letter *one = context;
    note(one->all, one->letter);
}

static void alarms_ring_by_time(void **state)
{
    (void)state;
    notes         all = {.loop = test_loop_new(), .wanted = 3};
    letter        a = {.all = &all, .letter = 'a'}, b = {.all = &all, .letter = 'b'};
    letter        c = {.all = &all, .letter = 'c'}, d = {.all = &all, .letter = 'd'};
    letter *const letters[] = {&a, &b, &c, &d};
    for (size_t i = 0; i < 4; i++) {
        letters[i]->alarm = deft__alarm_new(all.loop, write_letter, letters[i]);
    }
    const uint64_t before = deft__loop_now_ms(all.loop);
    deft__alarm_set(c.alarm, 20);
    deft__alarm_set(b.alarm, 10);
    deft__alarm_set(a.alarm, 100000);
    deft__alarm_set(a.alarm, 1); // moved
    deft__alarm_set(d.alarm, 5);
    deft__alarm_stop(d.alarm);
    test_loop_run(all.loop);
    assert_string_equal(all.text, "abc");
    assert_true(deft__loop_now_ms(all.loop) >= before + 20);
    for (size_t i = 0; i < 4; i++) {
        deft__alarm_free(letters[i]->alarm);
    }
    deft__alarm_free(NULL);
    deft__loop_free(all.loop);
}

static void free_own_alarm(void *context)
{
    letter *one = context;
    deft__alarm_free(one->alarm);
    note(one->all, one->letter);
}

static void an_alarm_may_free_itself(void **state)
{
    (void)state;
    notes  all = {.loop = test_loop_new(), .wanted = 1};
    letter one = {.all = &all, .letter = 'x'};
    one.alarm  = deft__alarm_new(all.loop, free_own_alarm, &one);
    deft__alarm_set(one.alarm, 0);
    test_loop_run(all.loop);
    deft__loop_free(all.loop);
}

// Writes its letter and, up to c, defers itself again under the next one.
static void climb(void *context)
{
    letter *one = context;
    note(one->all, one->letter);
    if (one->letter < 'c') {
        one->letter++;
        deft__loop_defer(one->all->loop, &one->task);
    }
}

static void tasks_run_in_order_and_later(void **state)
{
    (void)state;
    notes  all = {.loop = test_loop_new(), .wanted = 4};
    letter a = {.all = &all, .letter = 'a'}, x = {.all = &all, .letter = 'x'};
    letter never = {.all = &all, .letter = '!'};
    deft__task_init(&a.task, climb, &a);
    deft__task_init(&x.task, write_letter, &x);
    deft__task_init(&never.task, write_letter, &never);
    deft__loop_defer(all.loop, &a.task);
    deft__loop_defer(all.loop, &never.task);
    deft__loop_defer(all.loop, &x.task);
    deft__loop_defer(all.loop, &x.task); // it waits already
    deft__loop_undefer(all.loop, &never.task);
    deft__loop_undefer(all.loop, &never.task);
    assert_string_equal(all.text, "");
    test_loop_run(all.loop);
    assert_string_equal(all.text, "axbc"); // b was deferred by a, so it comes after x
    deft__loop_free(all.loop);
}

static void a_loop_without_anything_to_do_ends(void **state)
{
    (void)state;
    deft__loop *loop = test_loop_new();
    letter      one  = {0};
    deft__task_init(&one.task, write_letter, &one);
    deft__loop_defer(loop, &one.task);
    deft__loop_undefer(loop, &one.task);
    deft__loop_run(loop);
    assert_null(deft__loop_allocator(loop));
    deft__loop_free(loop);
    deft__loop_free(NULL);
}

typedef struct job {
    notes    *all;
    pthread_t ran_on;
    pthread_t done_on;
    int       result;
} job;

static void work(void *context)
{
    job *one    = context;
    one->ran_on = pthread_self();
    one->result = 42;
}

static void work_done(void *context)
{
    job *one     = context;
    one->done_on = pthread_self();
    note(one->all, 'w');
}

static void work_is_done_elsewhere_and_told_here(void **state)
{
    (void)state;
    notes all      = {.loop = test_loop_new(), .wanted = 20};
    job   jobs[20] = {0};
    for (size_t i = 0; i < array_size(jobs); i++) {
        jobs[i].all = &all;
        assert_true(deft__loop_work(all.loop, work, work_done, &jobs[i]));
    }
    test_loop_run(all.loop);
    for (size_t i = 0; i < array_size(jobs); i++) {
        assert_int_equal(jobs[i].result, 42);
        assert_true(pthread_equal(jobs[i].done_on, pthread_self()));
        assert_false(pthread_equal(jobs[i].ran_on, pthread_self()));
    }
    deft__loop_free(all.loop);
}

static void caught(void *context, int number)
{
    note(context, (char)('0' + number));
}

static void raise_next(void *context)
{
    (void)context;
    raise(SIGHUP);
    raise(SIGTERM);
}

static void signals_are_caught(void **state)
{
    (void)state;
    notes      all   = {.loop = test_loop_new(), .wanted = 2};
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__loop_catch_signals(all.loop, caught, &all, &error), error);
    assert_ok(deft__loop_catch_signals(all.loop, caught, &all, &error), error);
    deft__task task;
    deft__task_init(&task, raise_next, NULL);
    deft__loop_defer(all.loop, &task);
    test_loop_run(all.loop);
    assert_int_equal(all.size, 2);
    assert_non_null(strchr(all.text, '0' + SIGHUP));
    assert_non_null(strchr(all.text, '0' + SIGTERM));
    deft__loop_free(all.loop);
}

static void the_descriptor_limit_goes_up(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit low = {.rlim_cur = 256, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    deft__loop *loop = test_loop_new();
    deft__loop_raise_descriptor_limit(loop);
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    assert_true(now.rlim_cur == before.rlim_max);
    deft__loop_free(loop);
    setrlimit(RLIMIT_NOFILE, &before);
}

static void nothing(void *context)
{
    (void)context;
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_error  error = DEFT_ERROR_INIT;
    deft__loop *loop  = deft__loop_new(allocator, &error);
    if (loop == NULL) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        return false;
    }
    deft__alarm *alarm    = deft__alarm_new(loop, nothing, NULL);
    const bool   has_work = deft__loop_work(loop, nothing, nothing, NULL);
    deft__loop_run(loop);
    deft__alarm_free(alarm);
    deft__loop_free(loop);
    return alarm != NULL && has_work;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alarms_ring_by_time),
        cmocka_unit_test(an_alarm_may_free_itself),
        cmocka_unit_test(tasks_run_in_order_and_later),
        cmocka_unit_test(a_loop_without_anything_to_do_ends),
        cmocka_unit_test(work_is_done_elsewhere_and_told_here),
        cmocka_unit_test(signals_are_caught),
        cmocka_unit_test(the_descriptor_limit_goes_up),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
