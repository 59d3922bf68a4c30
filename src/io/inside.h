// inside.h - what the files of this folder share, and nobody else sees: the loop with libuv in it.
#ifndef DEFT_IO_INSIDE_H
#define DEFT_IO_INSIDE_H

#include "deft/view.h"
#include "io/loop.h"

#include <sys/resource.h>
#include <uv.h>

// One read takes this much at most: what a pipe holds.
#define DEFT__READ_SIZE (64u * 1024)

#define DEFT__SIGNALS 3

// A ring of things that can be taken out without looking for them; an empty one points to itself.
typedef struct deft__chain {
    struct deft__chain *next;
    struct deft__chain *previous;
} deft__chain;

typedef struct deft__outbox deft__outbox; // stream.c

struct deft__loop {
    uv_loop_t             uv; // its data is this
    const deft_allocator *allocator;

    // What streams have to send is gathered while callbacks run and goes out before the loop waits
    // again, so that many small messages are one write.
    uv_prepare_t before_wait;
    uv_check_t   after_wait;
    deft__chain  unsent;

    deft__outbox *spares; // that no stream needs at the moment
    unsigned      spare_count;

    struct deft__stream *failed; // their owners are still to be told
    deft__task           tell_failed;

    uv_idle_t  has_tasks; // active while something was deferred: the loop then does not wait
    deft__task tasks;     // the head of a ring

    uv_signal_t signals[DEFT__SIGNALS];
    bool        has_signals;
    void (*caught)(void *context, int number);
    void *caught_context;

    bool          is_limit_raised;
    struct rlimit limit_before;

    char read_buffer[DEFT__READ_SIZE]; // for one read at a time, whichever stream it is
};

static inline void deft__chain_init(deft__chain *chain)
{
    chain->next     = chain;
    chain->previous = chain;
}

static inline bool deft__chain_is_empty(const deft__chain *chain)
{
    return chain->next == chain;
}

static inline void deft__chain_add(deft__chain *head, deft__chain *link)
{
    link->next           = head;
    link->previous       = head->previous;
    head->previous->next = link;
    head->previous       = link;
}

static inline void deft__chain_remove(deft__chain *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    deft__chain_init(link);
}

// stream.c: sends what waits in `loop->unsent`.
void deft__streams_send(deft__loop *loop);
// Tells what waits in `loop->failed`.
void deft__streams_tell_failed(void *context);
// Frees what it keeps for streams.
void deft__streams_clear(deft__loop *loop);

// "could not listen: Permission denied": what failed, in the words of the system.
deft_status deft__fail_system(deft_error *error, int code, const char *what);

#endif
