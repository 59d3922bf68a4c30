#include "transport/peer.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/stream.h"
#include "transport/child.h"
#include "json/lines.h"

struct deft__peer {
    const deft_allocator *allocator;
    deft__peer_options    options;
    deft__stream         *input;
    deft__stream         *output; // of a socket: the same
    deft__lines           lines;
    bool                  is_freed;
    bool                  is_busy; // a callback of the owner runs
};

static void give_back(deft__peer *peer)
{
    deft__lines_clear(&peer->lines);
    deft__free(peer->allocator, peer, sizeof *peer);
}

static void begin(deft__peer *peer)
{
    peer->is_busy = true;
}

// False: the owner has freed the peer meanwhile, and it is gone now.
static bool end(deft__peer *peer)
{
    peer->is_busy = false;
    if (peer->is_freed) {
        give_back(peer);
        return false;
    }
    return true;
}

static void read_bytes(void *context, deft_view bytes)
{
    deft__peer *peer   = context;
    deft_view   line   = deft_view_make(NULL, 0);
    deft_status status = DEFT_OK;
    deft__lines_feed(&peer->lines, bytes);
    begin(peer);
    while (!peer->is_freed && (status = deft__lines_next(&peer->lines, &line)) != DEFT_NOT_FOUND) {
        if (status == DEFT_OK) {
            peer->options.received(peer->options.context, line);
        } else {
            peer->options.overflowed(peer->options.context);
        }
    }
    end(peer);
}

static void input_ended(void *context, deft__stream_end how, int code)
{
    (void)code;
    deft__peer     *peer = context;
    const deft_view rest = deft__lines_rest(&peer->lines);
    begin(peer);
    if (rest.size > 0) {
        peer->options.received(peer->options.context, rest);
    }
    if (!peer->is_freed && how == DEFT__STREAM_END) {
        peer->options.finished(peer->options.context);
    } else if (!peer->is_freed) {
        peer->options.gone(peer->options.context);
    }
    end(peer);
}

static void output_ended(void *context, deft__stream_end how, int code)
{
    (void)how;
    (void)code;
    deft__peer *peer = context;
    begin(peer);
    peer->options.gone(peer->options.context);
    end(peer);
}

static void drained(void *context)
{
    deft__peer *peer = context;
    if (peer->options.drained != NULL) {
        begin(peer);
        peer->options.drained(peer->options.context);
        end(peer);
    }
}

static deft__peer *peer_new(deft__loop *loop, const deft__peer_options *options, deft_error *error)
{
    deft__peer *peer = deft__new(deft__loop_allocator(loop), sizeof *peer);
    if (peer == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    peer->allocator = deft__loop_allocator(loop);
    peer->options   = *options;
    deft__lines_init(&peer->lines,
                     options->line_size_max > 0 ? options->line_size_max : DEFT__LINE_SIZE_MAX,
                     peer->allocator);
    return peer;
}

deft__peer *deft__peer_new_agent(deft__loop *loop, int input, int output,
                                 const deft__peer_options *options, deft_error *error)
{
    deft__peer *peer = peer_new(loop, options, error);
    if (peer == NULL) {
        return NULL;
    }
    const deft__stream_options from_agent = {
        .context = peer, .read = read_bytes, .ended = input_ended, .is_inherited = true};
    const deft__stream_options to_agent = {.context      = peer,
                                           .ended        = output_ended,
                                           .drained      = drained,
                                           .queue_max    = options->queue_max,
                                           .is_inherited = true};
    peer->input                         = deft__stream_new(loop, input, &from_agent, error);
    peer->output = peer->input != NULL ? deft__stream_new(loop, output, &to_agent, error) : NULL;
    if (peer->output == NULL) {
        deft__peer_free(peer);
        return NULL;
    }
    return peer;
}

deft__peer *deft__peer_new_socket(deft__loop *loop, int descriptor,
                                  const deft__peer_options *options, deft_error *error)
{
    deft__peer                *peer   = peer_new(loop, options, error);
    const deft__stream_options both   = {.context   = peer,
                                         .read      = read_bytes,
                                         .ended     = input_ended,
                                         .drained   = drained,
                                         .queue_max = options->queue_max};
    deft__stream              *stream = deft__stream_new(loop, descriptor, &both, error);
    if (peer == NULL || stream == NULL) {
        deft__stream_close(stream);
        deft__peer_free(peer);
        return NULL;
    }
    peer->input  = stream;
    peer->output = stream;
    return peer;
}

void deft__peer_send(deft__peer *peer, deft_view line)
{
    deft__stream_write(peer->output, line);
    deft__stream_write(peer->output, deft_view_make("\n", 1));
}

size_t deft__peer_queued(const deft__peer *peer)
{
    return deft__stream_queued(peer->output);
}

void deft__peer_free(deft__peer *peer)
{
    if (peer != NULL) {
        if (peer->output != peer->input) {
            deft__stream_close(peer->output);
        }
        deft__stream_close(peer->input);
        peer->is_freed = true;
        if (!peer->is_busy) {
            give_back(peer);
        }
    }
}
