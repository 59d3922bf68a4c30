// stream.h - bytes that come and go without anyone waiting: a pipe or a socket on the loop. What
// arrives is handed out at once. What is to be sent is gathered and goes out in one write before the
// loop waits again; what the peer does not take yet waits in a queue that has a limit, for a peer
// that never reads must not cost more than that.
#ifndef DEFT_IO_STREAM_H
#define DEFT_IO_STREAM_H

#include "deft/view.h"
#include "io/loop.h"
#include "io/tls.h"

// Bytes that may wait for one peer: two of the largest messages.
#define DEFT__STREAM_QUEUE_MAX (128u * 1024 * 1024)

typedef struct deft__stream deft__stream;

typedef enum deft__stream_end {
    DEFT__STREAM_END,    // the peer sends no more; writing may go on
    DEFT__STREAM_BROKEN, // the peer is gone; so is what waited for it. `code` is the errno
    DEFT__STREAM_FULL    // the peer does not read, and the queue is full (or there is no memory)
} deft__stream_end;

typedef struct deft__stream_options {
    void *context;
    void (*read)(void *context, deft_view bytes); // borrowed for the call; NULL: nothing is read
    // Once at most, and never from within a call of this header.
    void (*ended)(void *context, deft__stream_end end, int code);
    void (*drained)(void *context); // the queue is empty again; may be NULL. From the loop, too
    size_t queue_max;               // 0: DEFT__STREAM_QUEUE_MAX
    // A descriptor that others may hold too, such as our stdin: it is neither made non-blocking
    // nor closed.
    bool is_inherited;
    // A socket whose bytes are encrypted on their way. Used for the call only. A peer that does not
    // shake hands in time, or speaks something else, is BROKEN. NULL: they go as they are.
    deft__tls *tls;
} deft__stream_options;

// Puts a descriptor on the loop: a pipe, a socket, a terminal or, for a start by hand, a file. It
// is the stream's, also when the call fails. New: close it. NULL on failure.
deft__stream *deft__stream_new(deft__loop *loop, int descriptor,
                               const deft__stream_options *options, deft_error *error);

// Drops what is not yet sent. No callback comes any more, also while one runs. NULL is fine.
void deft__stream_close(deft__stream *stream);
// When it is closed the system, too, drops what it still keeps for the peer, who is told of a reset: for one
// that takes nothing. Of no effect where it is no socket.
void deft__stream_abandon(deft__stream *stream);

// Copied, unless it can be sent at once. After the end, or finish, it is dropped.
void   deft__stream_write(deft__stream *stream, deft_view bytes);
size_t deft__stream_queued(const deft__stream *stream); // bytes
// For how long the peer has taken nothing of what waits for it, in milliseconds; 0: nothing waits.
uint64_t deft__stream_stuck_ms(const deft__stream *stream);

// Nothing more is to be sent: when the queue is empty the peer sees the end.
void deft__stream_finish(deft__stream *stream);

#endif
