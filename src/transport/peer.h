// peer.h - someone who talks to us in lines: the agent at our stdin and stdout, or a process at the
// control socket.
#ifndef DEFT_TRANSPORT_PEER_H
#define DEFT_TRANSPORT_PEER_H

#include "deft/view.h"
#include "io/loop.h"

typedef struct deft__peer deft__peer;

typedef struct deft__peer_options {
    void *context;
    void (*received)(void *context, deft_view line); // borrowed for the call; without its end
    void (*overflowed)(void *context); // a line was too long (or there was no memory): skipped
    // The peer sends no more; it may still read. Once at most, as is the next. A line without its
    // end has been handed on before.
    void (*finished)(void *context);
    // It is gone, or does not read what we send: there is no use in sending any more.
    void (*gone)(void *context);
    void (*drained)(void *context); // all that was to be sent is out; may be NULL
    size_t line_size_max;           // 0: DEFT__LINE_SIZE_MAX
    size_t queue_max;               // bytes that may wait for it; 0: DEFT__STREAM_QUEUE_MAX
} deft__peer_options;

// The agent that started us: reads `input` and writes `output`, which are not ours alone (0 and 1)
// and keep their flags. New: free it. NULL on failure.
deft__peer *deft__peer_new_agent(deft__loop *loop, int input, int output,
                                 const deft__peer_options *options, deft_error *error);

// A peer at a socket, which becomes the peer's, also when the call fails.
deft__peer *deft__peer_new_socket(deft__loop *loop, int descriptor,
                                  const deft__peer_options *options, deft_error *error);

void   deft__peer_send(deft__peer *peer, deft_view line); // without its end; copied
size_t deft__peer_queued(const deft__peer *peer);         // bytes that wait for it
void   deft__peer_free(deft__peer *peer); // no callback any more, also while one runs. NULL is fine

#endif
