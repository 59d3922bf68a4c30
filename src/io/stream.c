// Readiness comes from uv_poll, reading and writing are our own: libuv's streams want every write
// allocated and answer each with a callback, where here many messages are one write and most often
// nothing waits.
#include "io/stream.h"

#include "base/fail.h"
#include "base/memory.h"
#include "deft/buffer.h"
#include "io/inside.h"
#include "io/tls_session.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// From this size on bytes are not gathered but written at once, uncopied where they can be.
#define WRITE_NOW_SIZE (64u * 1024)

// Bytes that may lie sent at the start of a queue.
#define QUEUE_SENT_MAX (256u * 1024)

// Outboxes that a loop keeps for the next who has something to send, and the memory of each.
#define SPARES_MAX     16
#define SPARE_SIZE_MAX (64u * 1024)

// Reads in a row for one stream, before the others have their turn.
#define READS_MAX 16

typedef enum access_kind {
    ACCESS_OWN,      // non-blocking by its own flag
    ACCESS_SOCKET,   // non-blocking by the flag of each call
    ACCESS_CAREFULLY // blocking, and not ours to change: asked before each use
} access_kind;

// What a stream has to send. Most have nothing most of the time, and then no outbox.
struct deft__outbox {
    deft__chain   unsent; // in the loop's list while something is gathered
    deft__stream *stream;
    deft_buffer   queue;
    size_t        sent;     // bytes at the start of the queue that are out
    uint64_t      moved_ms; // when the peer last took something, or it began to wait
    deft__outbox *next;     // of the loop's spare ones
};

// There may be thousands that do nothing, so it is kept small.
struct deft__stream {
    union {
        uv_handle_t handle;
        uv_poll_t   poll;
        uv_idle_t   idle; // of a file, which is always ready: started while it is read
    } uv;
    void *context; // this and the next three: as in the options
    void (*read)(void *context, deft_view bytes);
    void (*ended)(void *context, deft__stream_end end, int code);
    void (*drained)(void *context);
    union {
        deft__outbox *outbox;      // NULL: there is nothing to send
        deft__stream *next_failed; // once it has failed: in the loop's list, until that is told
    };
    deft__tls_session *tls; // NULL: bytes go as they are

    uint32_t queue_max;
    int      descriptor; // -1: given up
    int      end_code;
    unsigned end : 2;     // deft__stream_end, once it has failed
    unsigned access : 2;  // access_kind
    unsigned watched : 2; // UV_READABLE, UV_WRITABLE
    bool     is_inherited : 1;
    bool     is_file : 1; // cannot be polled: always ready
    bool     is_reading : 1;
    bool     is_blocked : 1; // the peer takes no more at the moment
    bool     is_finishing : 1;
    bool     has_failed : 1;     // and its owner is still to be told
    bool     has_ended : 1;      // its owner knows
    bool     is_closed : 1;      // by its owner
    bool     is_handle_gone : 1; // libuv has let go
};

static deft__loop *loop_of(const deft__stream *stream)
{
    return stream->uv.handle.loop->data;
}

static void poll_ready(uv_poll_t *poll, int status, int events);
static void read_file(uv_idle_t *idle);

// --- Outboxes. ------------------------------------------------------------------------------------

// Gives the stream an outbox, if it has none. False: no memory.
static bool need_outbox(deft__stream *stream)
{
    deft__loop *loop = loop_of(stream);
    if (stream->outbox != NULL) {
        return true;
    }
    deft__outbox *outbox = loop->spares;
    if (outbox != NULL) {
        loop->spares = outbox->next;
        loop->spare_count--;
    } else {
        outbox = deft__new(loop->allocator, sizeof *outbox);
        if (outbox == NULL) {
            return false;
        }
        deft__chain_init(&outbox->unsent);
        deft_buffer_init(&outbox->queue, loop->allocator);
    }
    outbox->stream   = stream;
    outbox->moved_ms = deft__loop_now_ms(loop);
    stream->outbox   = outbox;
    return true;
}

static void free_outbox(const deft__loop *loop, deft__outbox *outbox)
{
    deft_buffer_clear(&outbox->queue);
    deft__free(loop->allocator, outbox, sizeof *outbox);
}

static void stop_gathering(deft__stream *stream)
{
    deft__loop *loop = loop_of(stream);
    if (stream->outbox != NULL) {
        deft__chain_remove(&stream->outbox->unsent);
    }
    if (deft__chain_is_empty(&loop->unsent)) {
        uv_unref((uv_handle_t *)&loop->before_wait);
    }
}

static void drop_outbox(deft__stream *stream)
{
    deft__loop   *loop   = loop_of(stream);
    deft__outbox *outbox = stream->outbox;
    stop_gathering(stream);
    if (outbox == NULL) {
        return;
    }
    stream->outbox = NULL;
    if (loop->spare_count == SPARES_MAX || outbox->queue.capacity > SPARE_SIZE_MAX) {
        free_outbox(loop, outbox);
        return;
    }
    deft_buffer_reset(&outbox->queue);
    outbox->sent = 0;
    outbox->next = loop->spares;
    loop->spares = outbox;
    loop->spare_count++;
}

void deft__streams_clear(deft__loop *loop)
{
    while (loop->spares != NULL) {
        deft__outbox *outbox = loop->spares;
        loop->spares         = outbox->next;
        free_outbox(loop, outbox);
    }
}

// --- What is watched. -----------------------------------------------------------------------------

static void watch(deft__stream *stream)
{
    const int wanted =
        (stream->is_reading ? UV_READABLE : 0) | (stream->is_blocked ? UV_WRITABLE : 0);
    if (stream->descriptor < 0 || (unsigned)wanted == stream->watched) {
        return;
    }
    stream->watched = (unsigned)wanted & 3u;
    if (stream->is_file) {
        if (stream->is_reading) {
            uv_idle_start(&stream->uv.idle, read_file);
        } else {
            uv_idle_stop(&stream->uv.idle);
        }
    } else if (wanted != 0) {
        uv_poll_start(&stream->uv.poll, wanted, poll_ready);
    } else {
        uv_poll_stop(&stream->uv.poll);
    }
}

static void handle_gone(uv_handle_t *handle)
{
    deft__stream *stream   = handle->data;
    stream->is_handle_gone = true;
    if (stream->is_closed) {
        deft__free(loop_of(stream)->allocator, stream, sizeof *stream);
    }
}

static void start_gathering(deft__stream *stream)
{
    deft__loop  *loop   = loop_of(stream);
    deft__chain *unsent = &stream->outbox->unsent;
    if (deft__chain_is_empty(unsent)) {
        if (deft__chain_is_empty(&loop->unsent)) {
            // The loop has something to do now, even where it watches nothing.
            uv_ref((uv_handle_t *)&loop->before_wait);
        }
        deft__chain_add(&loop->unsent, unsent);
    }
}

// The descriptor goes; its handle first, since libuv would meddle with whoever gets the number next.
static void release_descriptor(deft__stream *stream)
{
    if (stream->descriptor < 0) {
        return;
    }
    if (stream->tls != NULL && deft__stream_queued(stream) == 0) {
        (void)deft__tls_session_end(stream->tls); // nothing was lost: an end, not a break
    }
    deft__tls_session_free(stream->tls);
    stream->tls = NULL;
    drop_outbox(stream);
    stream->is_reading = false;
    stream->is_blocked = false;
    uv_close(&stream->uv.handle, handle_gone);
    if (!stream->is_inherited) {
        close(stream->descriptor);
    }
    stream->descriptor = -1;
}

// --- Ends. ----------------------------------------------------------------------------------------

static void tell_end(deft__stream *stream, deft__stream_end end, int code)
{
    if (!stream->has_ended) {
        stream->has_ended = true;
        stream->ended(stream->context, end, code);
    }
}

// Gives the peer up now and tells its owner in the next turn: this may be in the middle of a write.
static void fail(deft__stream *stream, deft__stream_end end, int code)
{
    deft__loop *loop = loop_of(stream);
    release_descriptor(stream);
    stream->has_failed  = true;
    stream->end         = (unsigned)end & 3u;
    stream->end_code    = code;
    stream->next_failed = loop->failed;
    loop->failed        = stream;
    deft__loop_defer(loop, &loop->tell_failed);
}

static void forget_failure(deft__stream *stream)
{
    for (deft__stream **at = &loop_of(stream)->failed; *at != NULL; at = &(*at)->next_failed) {
        if (*at == stream) {
            *at = stream->next_failed;
            break;
        }
    }
    stream->has_failed = false;
    stream->outbox     = NULL;
}

void deft__streams_tell_failed(void *context)
{
    const deft__loop *loop = context;
    while (loop->failed != NULL) {
        deft__stream *stream = loop->failed;
        forget_failure(stream);
        tell_end(stream, (deft__stream_end)stream->end, stream->end_code);
    }
}

// --- Writing. -------------------------------------------------------------------------------------

// As write(2), and never blocks.
static ssize_t put(const deft__stream *stream, const char *data, size_t size)
{
    if (stream->tls != NULL) {
        return deft__tls_session_put(stream->tls, data, size);
    } else if (stream->access == ACCESS_SOCKET) {
        return send(stream->descriptor, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (stream->access == ACCESS_CAREFULLY && !stream->is_file) {
        // A pipe that is writable takes this much without blocking.
        struct pollfd ready = {.fd = stream->descriptor, .events = POLLOUT};
        if (poll(&ready, 1, 0) == 0) {
            errno = EAGAIN;
            return -1;
        }
        return write(stream->descriptor, data, size < PIPE_BUF ? size : PIPE_BUF);
    } else {
        return write(stream->descriptor, data, size);
    }
}

// Writes what the peer takes and returns how much that is. The stream may be blocked then, or have
// failed.
static size_t put_all(deft__stream *stream, deft_view bytes)
{
    size_t sent = 0;
    while (sent < bytes.size) {
        const ssize_t size = put(stream, bytes.data + sent, bytes.size - sent);
        if (size > 0) {
            sent += (size_t)size;
        } else if (size < 0 && errno == EINTR) {
            continue;
        } else if (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            fail(stream, DEFT__STREAM_BROKEN, errno);
            return sent;
        } else {
            stream->is_blocked = true;
            break;
        }
    }
    return sent;
}

static void show_end(deft__stream *stream)
{
    if (stream->tls != NULL && !deft__tls_session_end(stream->tls)) {
        stream->is_blocked = true; // tried again when the peer takes something
    } else if (stream->access == ACCESS_SOCKET) {
        shutdown(stream->descriptor, SHUT_WR);
    } else if (!stream->is_reading) {
        release_descriptor(stream);
    }
}

static void forget_sent(deft__stream *stream)
{
    deft__outbox *outbox = stream->outbox;
    deft_buffer  *queue  = &outbox->queue;
    if (outbox->sent == queue->size) {
        drop_outbox(stream);
    } else if (outbox->sent > QUEUE_SENT_MAX && outbox->sent > queue->size / 2) {
        // Moving what is left only when less is left than is sent keeps the whole linear.
        memmove(queue->data, queue->data + outbox->sent, queue->size - outbox->sent);
        deft_buffer_truncate(queue, queue->size - outbox->sent);
        outbox->sent = 0;
    }
}

static void send_queue(deft__stream *stream)
{
    stream->is_blocked = stream->tls != NULL && deft__tls_session_wants_to_write(stream->tls);
    stop_gathering(stream);
    if (stream->outbox != NULL) {
        const deft_view queue = deft_buffer_view(&stream->outbox->queue);
        const size_t    sent =
            put_all(stream, deft_view_slice(queue, stream->outbox->sent, queue.size));
        if (stream->descriptor < 0) {
            return; // it has failed
        }
        stream->outbox->sent += sent;
        if (sent > 0) {
            stream->outbox->moved_ms = deft__loop_now_ms(loop_of(stream));
        }
        forget_sent(stream);
    }
    if (stream->outbox == NULL && stream->is_finishing) {
        show_end(stream);
    }
    watch(stream);
}

// The same from the loop, where the owner can be told.
static void send_queue_and_tell(deft__stream *stream)
{
    send_queue(stream);
    if (stream->descriptor >= 0 && deft__stream_queued(stream) == 0 && !stream->is_blocked &&
        stream->drained != NULL) {
        stream->drained(stream->context);
    }
}

void deft__streams_send(deft__loop *loop)
{
    while (!deft__chain_is_empty(&loop->unsent)) {
        deft__outbox *first = (deft__outbox *)(void *)loop->unsent.next; // its first member
        send_queue_and_tell(first->stream);
    }
}

void deft__stream_write(deft__stream *stream, deft_view bytes)
{
    if (stream->descriptor < 0 || stream->is_finishing || bytes.size == 0) {
        return;
    }
    if (bytes.size >= WRITE_NOW_SIZE && !stream->is_blocked) {
        send_queue(stream); // what is before it
        if (!stream->is_blocked && stream->descriptor >= 0) {
            const size_t sent = put_all(stream, bytes);
            bytes             = deft_view_slice(bytes, sent, bytes.size);
        }
        if (stream->descriptor < 0 || bytes.size == 0) {
            return;
        }
        watch(stream);
    }
    if (bytes.size > stream->queue_max - deft__stream_queued(stream)) {
        fail(stream, DEFT__STREAM_FULL, 0);
        return;
    }
    if (need_outbox(stream)) {
        deft_buffer_append(&stream->outbox->queue, bytes);
    }
    if (stream->outbox == NULL || stream->outbox->queue.status != DEFT_OK) {
        fail(stream, DEFT__STREAM_FULL, ENOMEM);
    } else if (!stream->is_blocked) {
        start_gathering(stream);
        if (deft__stream_queued(stream) >= WRITE_NOW_SIZE) {
            send_queue(stream);
        }
    }
}

size_t deft__stream_queued(const deft__stream *stream)
{
    return stream->descriptor >= 0 && stream->outbox != NULL
               ? stream->outbox->queue.size - stream->outbox->sent
               : 0;
}

uint64_t deft__stream_stuck_ms(const deft__stream *stream)
{
    return deft__stream_queued(stream) > 0
               ? deft__loop_now_ms(loop_of(stream)) - stream->outbox->moved_ms
               : 0;
}

void deft__stream_finish(deft__stream *stream)
{
    if (stream->descriptor >= 0 && !stream->is_finishing) {
        stream->is_finishing = true;
        if (deft__stream_queued(stream) == 0) {
            show_end(stream);
            watch(stream);
        }
    }
}

// --- Reading. -------------------------------------------------------------------------------------

static ssize_t get(deft__stream *stream)
{
    char *const data = loop_of(stream)->read_buffer;
    if (stream->tls != NULL) {
        const ssize_t size = deft__tls_session_get(stream->tls, data, DEFT__READ_SIZE);
        stream->is_blocked = stream->is_blocked || deft__tls_session_wants_to_write(stream->tls);
        return size;
    } else if (stream->access == ACCESS_SOCKET) {
        return recv(stream->descriptor, data, DEFT__READ_SIZE, MSG_DONTWAIT);
    } else {
        return read(stream->descriptor, data, DEFT__READ_SIZE);
    }
}

static void stop_reading(deft__stream *stream)
{
    stream->is_reading = false;
    watch(stream);
}

// Hands on what is there; false when there is no more at the moment. The owner may close the stream
// in a callback: its memory stays until the loop's next turn.
static bool read_once(deft__stream *stream)
{
    const ssize_t size = get(stream);
    if (size > 0) {
        stream->read(stream->context, deft_view_make(loop_of(stream)->read_buffer, (size_t)size));
        // A pipe that gave less than was asked for is empty, most often; if not, the loop says so.
        return size == DEFT__READ_SIZE && stream->access != ACCESS_CAREFULLY;
    } else if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return false;
    } else if (size == 0 || errno == EIO) { // EIO: a terminal whose other side is gone
        stop_reading(stream);
        tell_end(stream, DEFT__STREAM_END, 0);
        return false;
    } else {
        const int code = errno;
        release_descriptor(stream);
        tell_end(stream, DEFT__STREAM_BROKEN, code);
        return false;
    }
}

static void poll_ready(uv_poll_t *poll, int status, int events)
{
    deft__stream *stream = poll->data;
    if (status < 0) {
        // The peer has hung up. libuv has stopped watching; the next call says what it is about.
        stream->watched = 0;
        events          = UV_READABLE | UV_WRITABLE;
    }
    if (stream->tls != NULL && deft__tls_session_wants_to_write(stream->tls)) {
        events |= UV_READABLE; // reading has to write before it can go on
    }
    if ((events & UV_READABLE) != 0) {
        for (int i = 0; i < READS_MAX && stream->is_reading; i++) {
            if (!read_once(stream)) {
                break;
            }
        }
    }
    if ((events & UV_WRITABLE) != 0 && stream->is_blocked) {
        send_queue_and_tell(stream);
    }
    if (!stream->is_closed) {
        watch(stream);
    }
}

static void read_file(uv_idle_t *idle)
{
    read_once(idle->data);
}

// --- Life. ----------------------------------------------------------------------------------------

static access_kind access_of(int descriptor, bool is_inherited)
{
    struct stat about;
    if (fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode)) {
        return ACCESS_SOCKET;
    }
    return is_inherited ? ACCESS_CAREFULLY : ACCESS_OWN;
}

// Registers the descriptor with libuv, which makes it non-blocking: undone where it is not ours.
static int put_on_loop(deft__stream *stream, deft__loop *loop)
{
    const int flags = fcntl(stream->descriptor, F_GETFL);
    int       code  = uv_poll_init(&loop->uv, &stream->uv.poll, stream->descriptor);
    if (code == UV_EPERM) {
        code            = uv_idle_init(&loop->uv, &stream->uv.idle);
        stream->is_file = true;
    }
    if (stream->is_inherited && flags >= 0) {
        fcntl(stream->descriptor, F_SETFL, flags);
    }
    stream->uv.handle.data = stream;
    return code;
}

static void hurry(void *context)
{
    fail(context, DEFT__STREAM_BROKEN, ETIMEDOUT);
}

deft__stream *deft__stream_new(deft__loop *loop, int descriptor,
                               const deft__stream_options *options, deft_error *error)
{
    deft__stream *stream = deft__new(loop->allocator, sizeof *stream);
    if (stream == NULL) {
        deft__fail_memory(error);
        goto failed;
    }
    const size_t queue_max = options->queue_max > 0 ? options->queue_max : DEFT__STREAM_QUEUE_MAX;
    stream->context        = options->context;
    stream->read           = options->read;
    stream->ended          = options->ended;
    stream->drained        = options->drained;
    stream->queue_max      = queue_max < UINT32_MAX ? (uint32_t)queue_max : UINT32_MAX;
    stream->is_inherited   = options->is_inherited;
    stream->descriptor     = descriptor;
    stream->access         = (unsigned)access_of(descriptor, options->is_inherited) & 3u;

    if (options->tls != NULL) {
        stream->tls = deft__tls_session_new(options->tls, loop, descriptor, hurry, stream);
        if (stream->tls == NULL) {
            deft__fail_memory(error);
            goto failed;
        }
    }
    const int code = put_on_loop(stream, loop);
    if (code != 0) {
        deft__fail_system(error, -code, "could not watch a descriptor");
        goto failed;
    }
    stream->is_reading = options->read != NULL;
    watch(stream);
    return stream;

failed:
    if (stream != NULL) {
        deft__tls_session_free(stream->tls);
    }
    deft__free(loop->allocator, stream, sizeof *stream);
    if (!options->is_inherited) {
        close(descriptor);
    }
    return NULL;
}

void deft__stream_close(deft__stream *stream)
{
    if (stream == NULL) {
        return;
    }
    assert(!stream->is_closed);
    stream->is_closed = true;
    stream->has_ended = true; // nobody is told any more
    if (stream->has_failed) {
        forget_failure(stream);
    }
    release_descriptor(stream);
    if (stream->is_handle_gone) {
        deft__free(loop_of(stream)->allocator, stream, sizeof *stream);
    }
}

void deft__stream_abandon(deft__stream *stream)
{
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    if (stream->descriptor >= 0 && stream->access == ACCESS_SOCKET) {
        (void)setsockopt(stream->descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
}
