// child.h - an MCP server as a child process: a message is a line of its stdout or stdin, and what
// it says on stderr is kept for people.
#ifndef DEFT_TRANSPORT_CHILD_H
#define DEFT_TRANSPORT_CHILD_H

#include "deft/config.h"
#include "io/loop.h"
#include "transport/ring.h"

// The longest message of a peer.
#define DEFT__LINE_SIZE_MAX (64u * 1024 * 1024)

typedef struct deft__child deft__child;

typedef struct deft__child_options {
    const deft_server_config *server;      // only read during the call
    const char *const        *environment; // ours, "NAME=value", NULL last; likewise
    deft__ring               *errors;      // gets what it says on stderr; must outlive the child

    void *context;
    void (*received)(void *context, deft_view line); // borrowed for the call; without its end
    void (*overflowed)(void *context); // a line was too long (or there was no memory): skipped
    // Once, and never from within a call of this header: it is gone. `reason` is a clause: "exited
    // with status 1: no API key". Free the child then, or later.
    void (*closed)(void *context, deft_view reason);

    size_t   line_size_max; // 0: DEFT__LINE_SIZE_MAX
    size_t   queue_max;     // bytes that may wait for its stdin; 0: DEFT__STREAM_QUEUE_MAX
    uint64_t terminate_ms;  // as in deft__process_options, as is the next
    uint64_t kill_ms;
} deft__child_options;

// New: free it. NULL: it could not be started; the message is a clause that says why and what to do.
deft__child *deft__child_start(deft__loop *loop, const deft__child_options *options,
                               deft_error *error);

void deft__child_send(deft__child *child, deft_view line); // without its end; copied
void deft__child_stop(deft__child *child); // politely; `closed` tells when it is gone
// The same with other times, also for one that is being stopped already.
void deft__child_stop_within(deft__child *child, uint64_t terminate_ms, uint64_t kill_ms);
void deft__child_kill(deft__child *child);
void deft__child_free(
    deft__child *child); // kills what still runs; no callback any more. NULL is fine
int deft__child_process_id(const deft__child *child);

#endif
