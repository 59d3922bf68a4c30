// process.h - a child process on the loop: started without forking our memory, in a process group of
// its own, talked to through three pipes, and ended politely, then less so, with everything it has
// started. It is over when it has exited and its output has been read to the end, whichever comes
// first; neither is waited for without a limit.
#ifndef DEFT_IO_PROCESS_H
#define DEFT_IO_PROCESS_H

#include "deft/view.h"
#include "io/loop.h"

typedef struct deft__process deft__process;

// How it ended. What it said on its way out has been handed on before.
typedef enum deft__process_end {
    DEFT__PROCESS_EXITED,        // `code` is its status
    DEFT__PROCESS_KILLED,        // `code` is the signal
    DEFT__PROCESS_CLOSED_OUTPUT, // it lives, or lived a moment ago, but can say nothing any more
    DEFT__PROCESS_UNREAD_INPUT,  // it does not read: too much was waiting for it
    DEFT__PROCESS_UNKNOWN        // it is gone and someone else was told how
} deft__process_end;

typedef struct deft__process_options {
    const char *const *arguments; // the command first, NULL last
    const char *const
               *environment; // "NAME=value", NULL last. Its PATH is where the command is sought
    const char *directory;   // NULL: ours

    void *context;
    void (*output)(void *context, deft_view bytes); // from its stdout; borrowed, as is the next
    void (*errors)(void *context, deft_view bytes); // from its stderr
    // Once, and never from within a call of this header. Free it then, or later.
    void (*ended)(void *context, deft__process_end end, int code);

    size_t   queue_max;    // bytes that may wait for its stdin; 0: DEFT__STREAM_QUEUE_MAX
    uint64_t terminate_ms; // from closing its stdin to SIGTERM; 0: 2,000
    uint64_t kill_ms;      // from there to SIGKILL; 0: 3,000
    uint64_t
        last_words_ms; // from its exit to the end of its output, which a grandchild may hold; 0: 500
    uint64_t exit_ms;  // from the end of its output to its exit; 0: 100
    // Follow it by SIGCHLD, as is done anyway where the system has no descriptors of processes: before
    // Linux 5.3, and in sandboxes that do not let us ask for one.
    bool is_by_signal;
} deft__process_options;

// Starts it. DEFT_NOT_FOUND: there is no such command, or directory; DEFT_INVALID: it is there but
// cannot be run. The message says what to do about it. New: free it. NULL on failure.
deft__process *deft__process_start(deft__loop *loop, const deft__process_options *options,
                                   deft_error *error);

// To its stdin. Copied, unless the pipe takes it at once.
void deft__process_write(deft__process *process, deft_view bytes);

// Closes its stdin, when what waits is written; if it does not exit, SIGTERM and then SIGKILL go to
// its group. `ended` tells when it is over.
void deft__process_stop(deft__process *process);
// The same with other times than its options have; also for one that is being stopped already.
void deft__process_stop_within(deft__process *process, uint64_t terminate_ms, uint64_t kill_ms);
void deft__process_kill(deft__process *process); // SIGKILL at once, to its group

// What still runs of it is killed; it is waited for in the background. No callback comes any more.
// NULL is fine.
void deft__process_free(deft__process *process);

int deft__process_id(const deft__process *process);

#endif
