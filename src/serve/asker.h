// asker.h - does the requests of a login (oauth/login.h), one after the other, until it wants something
// else: a person, or nothing any more.
#ifndef DEFT_SERVE_ASKER_H
#define DEFT_SERVE_ASKER_H

#include "deft/buffer.h"
#include "io/loop.h"
#include "oauth/login.h"
#include "transport/fetch.h"

typedef struct deft__asker {
    deft__loop    *loop;
    deft__fetcher *fetcher;
    deft__oauth   *oauth; // borrowed, while it is asked for
    deft__fetch   *fetch;
    deft__alarm   *alarm;  // a request takes too long
    deft__task     soon;   // tells, or goes on
    deft_allocator wiping; // for the answer, which may hold tokens
    deft_buffer    answer;
    int            status;
    // Where the configuration says which certificates the server has (a file; NULL: it does not), that
    // holds for what is asked at the server's own origin. Set after init; borrowed.
    const char *ca;
    deft_view   endpoint;
    // Its step is not FETCH any more. Not from within a call of this header.
    void (*stopped)(void *context);
    void *context;
} deft__asker;

// False: no memory. Clear it also then.
bool deft__asker_init(deft__asker *asker, deft__loop *loop, deft__fetcher *fetcher,
                      void (*stopped)(void *context), void *context);
void deft__asker_clear(deft__asker *asker); // breaks off; safe on zeros

// Does what `oauth` wants, beginning with its next step.
void deft__asker_go(deft__asker *asker, deft__oauth *oauth);

#endif
