// poll.h - a descriptor that someone else reads and writes: the loop only tells when that is possible.
// For libraries that do their own I/O, such as libcurl.
#ifndef DEFT_IO_POLL_H
#define DEFT_IO_POLL_H

#include "io/loop.h"

typedef struct deft__poll deft__poll;

// Of a descriptor that is broken all is told that was asked for: whoever then reads or writes finds out
// what is wrong, and reads what came before.
enum {
    DEFT__POLL_READABLE = 1 << 0,
    DEFT__POLL_WRITABLE = 1 << 1
};

// The descriptor stays its owner's, and must be open until deft__poll_free(), not longer. It becomes
// non-blocking. Nothing is told before deft__poll_watch(). New: free it. NULL: no memory, or the
// descriptor is none that can be waited for.
deft__poll *deft__poll_new(deft__loop *loop, int                                descriptor,
                           void (*ready)(void *context, unsigned events), void *context);

// From now on calls back while one of `events` is possible; 0: not at all.
void deft__poll_watch(deft__poll *poll, unsigned events);

void deft__poll_free(deft__poll *poll); // also from within `ready`; NULL is fine

#endif
