// A binary heap of pointers, earliest first; equal times by the order in which they were set. A
// timer knows its place in the heap, so it can be moved or taken out without being looked for.
#include "gateway/timers.h"

#include "base/memory.h"

#include <assert.h>

void deft__timers_init(deft__timers *timers, uint64_t now_ms, const deft_allocator *allocator)
{
    *timers = (deft__timers){.now_ms = now_ms, .allocator = allocator};
}

void deft__timers_clear(deft__timers *timers)
{
    for (size_t i = 0; i < timers->count; i++) {
        timers->heap[i]->place = 0;
    }
    deft__free(timers->allocator, timers->heap, timers->capacity * sizeof *timers->heap);
    deft__timers_init(timers, timers->now_ms, timers->allocator);
}

void deft__timer_init(deft__timer *timer, void (*ring)(void *context), void *context)
{
    *timer = (deft__timer){.ring = ring, .context = context};
}

bool deft__timers_reserve(deft__timers *timers, size_t count)
{
    size_t wanted = 0;
    size_t bytes  = 0;
    if (!deft__add_size(timers->reserved, count, &wanted)) {
        return false;
    }
    if (wanted > timers->capacity) {
        // Doubled, so that many small reservations do not move the heap many times.
        size_t capacity = timers->capacity > 0 ? timers->capacity : 16;
        while (capacity < wanted) {
            if (!deft__multiply_size(capacity, 2, &capacity)) {
                return false;
            }
        }
        if (!deft__multiply_size(capacity, sizeof *timers->heap, &bytes)) {
            return false;
        }
        deft__timer **heap = deft__resize(timers->allocator, timers->heap,
                                          timers->capacity * sizeof *timers->heap, bytes);
        if (heap == NULL) {
            return false;
        }
        timers->heap     = heap;
        timers->capacity = capacity;
    }
    timers->reserved = wanted;
    return true;
}

void deft__timers_release(deft__timers *timers, size_t count)
{
    assert(count <= timers->reserved);
    timers->reserved -= count;
}

static bool is_before(const deft__timer *a, const deft__timer *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void put(deft__timers *timers, size_t index, deft__timer *timer)
{
    timers->heap[index] = timer;
    timer->place        = index + 1;
}

// Finds the place of `timer`, from the hole at `index` towards the top.
static void rise(deft__timers *timers, size_t index, deft__timer *timer)
{
    while (index > 0) {
        deft__timer *parent = timers->heap[(index - 1) / 2];
        if (!is_before(timer, parent)) {
            break;
        }
        put(timers, index, parent);
        index = (index - 1) / 2;
    }
    put(timers, index, timer);
}

// The same towards the bottom.
static void sink(deft__timers *timers, size_t index, deft__timer *timer)
{
    for (;;) {
        size_t child = 2 * index + 1;
        if (child >= timers->count) {
            break;
        }
        if (child + 1 < timers->count && is_before(timers->heap[child + 1], timers->heap[child])) {
            child++;
        }
        if (!is_before(timers->heap[child], timer)) {
            break;
        }
        put(timers, index, timers->heap[child]);
        index = child;
    }
    put(timers, index, timer);
}

// Puts `timer` where it belongs, starting from the hole at `index`.
static void settle(deft__timers *timers, size_t index, deft__timer *timer)
{
    if (index > 0 && is_before(timer, timers->heap[(index - 1) / 2])) {
        rise(timers, index, timer);
    } else {
        sink(timers, index, timer);
    }
}

void deft__timer_set(deft__timers *timers, deft__timer *timer, uint64_t delay_ms)
{
    // UINT64_MAX stands for "never" in deft__timers_next.
    const uint64_t latest = UINT64_MAX - 1;
    timer->at_ms          = delay_ms < latest - timers->now_ms ? timers->now_ms + delay_ms : latest;
    timer->order          = timers->order++;
    if (timer->place > 0) {
        settle(timers, timer->place - 1, timer);
    } else {
        assert(timers->count < timers->capacity);
        rise(timers, timers->count++, timer);
    }
}

void deft__timer_stop(deft__timers *timers, deft__timer *timer)
{
    if (timer->place == 0) {
        return;
    }
    const size_t hole = timer->place - 1;
    timer->place      = 0;
    timers->count--;
    if (hole < timers->count) {
        settle(timers, hole, timers->heap[timers->count]);
    }
}

bool deft__timer_is_set(const deft__timer *timer)
{
    return timer->place > 0;
}

void deft__timers_advance(deft__timers *timers, uint64_t now_ms)
{
    if (now_ms > timers->now_ms) {
        timers->now_ms = now_ms;
    }
    // What is set from here on has a higher order, and no earlier time than what is due already.
    const uint64_t order = timers->order;
    while (timers->count > 0) {
        deft__timer *timer = timers->heap[0];
        if (timer->at_ms > timers->now_ms || timer->order >= order) {
            break;
        }
        deft__timer_stop(timers, timer);
        timer->ring(timer->context);
    }
}

uint64_t deft__timers_next(const deft__timers *timers)
{
    return timers->count > 0 ? timers->heap[0]->at_ms : UINT64_MAX;
}
