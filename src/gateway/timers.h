// timers.h - what is to happen when. Time is a number that the caller hands in; nothing here reads a
// clock. A timer lies inside the object it belongs to; setting, moving and stopping it is a matter of
// a few swaps in a binary heap, however many there are.
#ifndef DEFT_GATEWAY_TIMERS_H
#define DEFT_GATEWAY_TIMERS_H

#include "deft/allocator.h"
#include "deft/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct deft__timer {
    uint64_t at_ms;
    size_t   place; // private: in the heap, from 1; 0: not set
    uint64_t order; // private: equal times go off in the order they were set
    void (*ring)(void *context);
    void *context;
} deft__timer;

typedef struct deft__timers {
    deft__timer         **heap;
    size_t                count;
    size_t                capacity;
    size_t                reserved; // room promised: never above capacity
    uint64_t              order;
    uint64_t              now_ms; // as last told
    const deft_allocator *allocator;
} deft__timers;

void deft__timers_init(deft__timers *timers, uint64_t now_ms, const deft_allocator *allocator);
void deft__timers_clear(deft__timers *timers); // timers that are set are forgotten, not run

void deft__timer_init(deft__timer *timer, void (*ring)(void *context), void *context);

// Room for `count` more timers, beside what was reserved before, so that setting them cannot fail.
// Whoever owns timers reserves room for them and gives it back when they are gone. False: no memory.
bool deft__timers_reserve(deft__timers *timers, size_t count);
void deft__timers_release(deft__timers *timers, size_t count);

// Sets, or moves, a timer to `delay_ms` from now. It must have room: see reserve.
void deft__timer_set(deft__timers *timers, deft__timer *timer, uint64_t delay_ms);
void deft__timer_stop(deft__timers *timers, deft__timer *timer); // one that is not set is fine
bool deft__timer_is_set(const deft__timer *timer);

// Tells the time, which never goes back, and runs what is due, in order; what they set for now runs
// too, unless it was set during this call (it is then due at once in the next).
void deft__timers_advance(deft__timers *timers, uint64_t now_ms);

// When the next one is due; UINT64_MAX: none is set.
uint64_t deft__timers_next(const deft__timers *timers);

#endif
