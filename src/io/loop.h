// loop.h - where the program waits, and the only place where it does. A loop calls back when a
// descriptor is ready, a time has come, a signal arrived or work on another thread is done. It
// stands in front of libuv, whose names nobody else sees.
//
// A loop and all that belongs to it is of one thread. Callbacks may do anything but free the loop.
#ifndef DEFT_IO_LOOP_H
#define DEFT_IO_LOOP_H

#include "deft/allocator.h"
#include "deft/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__loop deft__loop;

// SIGPIPE is ignored from then on: writing to who has gone is an ordinary error. New: free with
// deft__loop_free(). NULL on failure.
deft__loop *deft__loop_new(const deft_allocator *allocator, deft_error *error);

// Everything on the loop must have been closed or freed before. NULL is fine.
void deft__loop_free(deft__loop *loop);

const deft_allocator *deft__loop_allocator(const deft__loop *loop);

// Runs until stop is called, or nothing is left that could happen.
void deft__loop_run(deft__loop *loop);
void deft__loop_stop(deft__loop *loop);

// Milliseconds since some moment; never goes back. One reading for each turn of the loop.
uint64_t deft__loop_now_ms(const deft__loop *loop);

// An alarm rings once, some time after it was set. Setting one that is set moves it. Freeing one,
// also while it rings, is fine, and so is NULL.
typedef struct deft__alarm deft__alarm;

deft__alarm *deft__alarm_new(deft__loop *loop, void (*ring)(void *context), void *context);
void         deft__alarm_free(deft__alarm *alarm);
void         deft__alarm_set(deft__alarm *alarm, uint64_t delay_ms);
void         deft__alarm_stop(deft__alarm *alarm);

// Something to do soon: in the next turn of the loop, not from within this call. It lies in the
// object that it belongs to, and must be taken back before that object goes.
typedef struct deft__task {
    void (*run)(void *context);
    void              *context;
    struct deft__task *next; // private, as are the others
    struct deft__task *previous;
    bool               is_waiting;
} deft__task;

void deft__task_init(deft__task *task, void (*run)(void *context), void *context);
void deft__loop_defer(deft__loop *loop, deft__task *task);   // one that waits already is fine
void deft__loop_undefer(deft__loop *loop, deft__task *task); // one that does not wait is fine

// Runs `work` on another thread and then `done` on the loop's. The loop does not end before. False:
// no memory; neither is called.
bool deft__loop_work(deft__loop *loop, void (*work)(void *context), void (*done)(void *context),
                     void       *context);

// Calls back for SIGINT, SIGTERM and SIGHUP instead of dying of them.
deft_status deft__loop_catch_signals(deft__loop *loop, void (*caught)(void *context, int number),
                                     void *context, deft_error *error);

// Allows as many open descriptors as the system lets us: each server takes four. Children start
// with the old limit, which they may rely on. What cannot be raised stays.
void deft__loop_raise_descriptor_limit(deft__loop *loop);

#endif
