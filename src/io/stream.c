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

// Memory of the queue that is kept for the next time, and bytes that may lie sent at its start.
#define QUEUE_KEPT_MAX (256u * 1024)

// Reads in a row for one stream, before the others have their turn.
#define READS_MAX 16

typedef enum access_kind {
    ACCESS_OWN,      // non-blocking by its own flag
    ACCESS_SOCKET,   // non-blocking by the flag of each call
    ACCESS_CAREFULLY // blocking, and not ours to change: asked before each use
} access_kind;

struct deft__stream {
    union {
        uv_handle_t handle;
        uv_poll_t   poll;
        uv_idle_t   idle; // of a file, which is always ready; never started
    } uv;
    deft__loop          *loop;
    deft__stream_options options;
    int                  descriptor; // -1: given up
    access_kind          access;
    deft__tls_session   *tls;       // NULL: bytes go as they are
    deft__alarm         *handshake; // set: the peer has to hurry
    int                  watched;   // UV_READABLE, UV_WRITABLE
    bool                 is_file;   // cannot be polled: always ready
    bool                 is_reading;
    bool                 is_blocked; // the peer takes no more at the moment
    bool                 is_finishing;
    bool                 has_ended;
    bool                 is_closed;      // by its owner
    bool                 is_handle_gone; // libuv has let go

    deft__chain unsent; // in the loop's list while something is gathered
    deft_buffer queue;
    size_t      queue_sent; // bytes at the start of the queue that are out

    deft__task       task; // a file's next read, or the news that the stream has failed
    deft__stream_end end;
    int              end_code;
};

static void poll_ready(uv_poll_t *poll, int status, int events);

// --- What is watched. -----------------------------------------------------------------------------

static void watch(deft__stream *stream)
{
    const int wanted =
        (stream->is_reading ? UV_READABLE : 0) | (stream->is_blocked ? UV_WRITABLE : 0);
    if (stream->is_file || stream->descriptor < 0 || wanted == stream->watched) {
        return;
    }
    stream->watched = wanted;
    if (wanted != 0) {
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
        deft__free(stream->loop->allocator, stream, sizeof *stream);
    }
}

static void stop_gathering(deft__stream *stream)
{
    deft__chain_remove(&stream->unsent);
    if (deft__chain_is_empty(&stream->loop->unsent)) {
        uv_unref((uv_handle_t *)&stream->loop->before_wait);
    }
}

static void start_gathering(deft__stream *stream)
{
    if (deft__chain_is_empty(&stream->unsent)) {
        if (deft__chain_is_empty(&stream->loop->unsent)) {
            // The loop has something to do now, even where it watches nothing.
            uv_ref((uv_handle_t *)&stream->loop->before_wait);
        }
        deft__chain_add(&stream->loop->unsent, &stream->unsent);
    }
}

// The descriptor goes; its handle first, since libuv would meddle with whoever gets the number next.
static void release_descriptor(deft__stream *stream)
{
    if (stream->descriptor < 0) {
        return;
    }
    stop_gathering(stream);
    if (stream->tls != NULL && deft__stream_queued(stream) == 0) {
        (void)deft__tls_session_end(stream->tls); // nothing was lost: an end, not a break
    }
    deft__tls_session_free(stream->tls);
    deft__alarm_free(stream->handshake);
    stream->tls       = NULL;
    stream->handshake = NULL;
    deft_buffer_clear(&stream->queue);
    stream->queue_sent = 0;
    stream->is_reading = false;
    stream->is_blocked = false;
    uv_close(&stream->uv.handle, handle_gone);
    if (!stream->options.is_inherited) {
        close(stream->descriptor);
    }
    stream->descriptor = -1;
}

// --- Ends. ----------------------------------------------------------------------------------------

static void tell_end(deft__stream *stream, deft__stream_end end, int code)
{
    if (!stream->has_ended) {
        stream->has_ended = true;
        stream->options.ended(stream->options.context, end, code);
    }
}

static void tell_failure(void *context)
{
    deft__stream *stream = context;
    tell_end(stream, stream->end, stream->end_code);
}

// Gives the peer up now and tells its owner in the next turn: this may be in the middle of a write.
static void fail(deft__stream *stream, deft__stream_end end, int code)
{
    release_descriptor(stream);
    stream->end      = end;
    stream->end_code = code;
    deft__loop_undefer(stream->loop, &stream->task);
    if (!stream->has_ended) {
        deft__task_init(&stream->task, tell_failure, stream);
        deft__loop_defer(stream->loop, &stream->task);
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
    deft_buffer *queue = &stream->queue;
    if (stream->queue_sent == queue->size) {
        if (queue->capacity > QUEUE_KEPT_MAX) {
            deft_buffer_clear(queue);
        } else {
            deft_buffer_reset(queue);
        }
        stream->queue_sent = 0;
    } else if (stream->queue_sent > QUEUE_KEPT_MAX && stream->queue_sent > queue->size / 2) {
        // Moving what is left only when less is left than is sent keeps the whole linear.
        memmove(queue->data, queue->data + stream->queue_sent, queue->size - stream->queue_sent);
        deft_buffer_truncate(queue, queue->size - stream->queue_sent);
        stream->queue_sent = 0;
    }
}

static void send_queue(deft__stream *stream)
{
    const deft_view queue = deft_buffer_view(&stream->queue);
    stream->is_blocked    = stream->tls != NULL && deft__tls_session_wants_to_write(stream->tls);
    stop_gathering(stream);
    const size_t sent = put_all(stream, deft_view_slice(queue, stream->queue_sent, queue.size));
    if (stream->descriptor < 0) {
        return; // it has failed
    }
    stream->queue_sent += sent;
    forget_sent(stream);
    if (stream->queue.size == 0 && stream->is_finishing) {
        show_end(stream);
    }
    watch(stream);
}

// The same from the loop, where the owner can be told.
static void send_queue_and_tell(deft__stream *stream)
{
    send_queue(stream);
    if (stream->descriptor >= 0 && deft__stream_queued(stream) == 0 && !stream->is_blocked &&
        stream->options.drained != NULL) {
        stream->options.drained(stream->options.context);
    }
}

void deft__streams_send(deft__loop *loop)
{
    while (!deft__chain_is_empty(&loop->unsent)) {
        deft__chain *first = loop->unsent.next;
        send_queue_and_tell(
            (deft__stream *)(void *)((char *)first - offsetof(deft__stream, unsent)));
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
    if (bytes.size > stream->options.queue_max - deft__stream_queued(stream)) {
        fail(stream, DEFT__STREAM_FULL, 0);
        return;
    }
    deft_buffer_append(&stream->queue, bytes);
    if (stream->queue.status != DEFT_OK) {
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
    return stream->queue.size - stream->queue_sent;
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

static ssize_t get_encrypted(deft__stream *stream)
{
    const ssize_t size =
        deft__tls_session_get(stream->tls, stream->loop->read_buffer, DEFT__READ_SIZE);
    if (stream->handshake != NULL && deft__tls_session_is_open(stream->tls)) {
        deft__alarm_free(stream->handshake);
        stream->handshake = NULL;
    }
    if (size < 0 && errno == EAGAIN && deft__tls_session_wants_to_write(stream->tls)) {
        stream->is_blocked = true;
    }
    return size;
}

static ssize_t get(deft__stream *stream)
{
    char *const data = stream->loop->read_buffer;
    if (stream->tls != NULL) {
        return get_encrypted(stream);
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
        stream->options.read(stream->options.context,
                             deft_view_make(stream->loop->read_buffer, (size_t)size));
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

static void read_file(void *context)
{
    deft__stream *stream = context;
    if (stream->is_reading) {
        read_once(stream);
    }
    if (stream->is_reading) {
        deft__loop_defer(stream->loop, &stream->task);
    }
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
static int put_on_loop(deft__stream *stream)
{
    const int flags = fcntl(stream->descriptor, F_GETFL);
    int       code  = uv_poll_init(&stream->loop->uv, &stream->uv.poll, stream->descriptor);
    if (code == UV_EPERM) {
        code            = uv_idle_init(&stream->loop->uv, &stream->uv.idle);
        stream->is_file = true;
    }
    if (stream->options.is_inherited && flags >= 0) {
        fcntl(stream->descriptor, F_SETFL, flags);
    }
    stream->uv.handle.data = stream;
    return code;
}

static void hurry(void *context)
{
    fail(context, DEFT__STREAM_BROKEN, ETIMEDOUT);
}

// What is to be encrypted is so from the first byte. False: no memory.
static bool encrypt(deft__stream *stream, deft__tls *tls)
{
    stream->tls       = deft__tls_session_new(tls, stream->descriptor, stream->loop->allocator);
    stream->handshake = deft__alarm_new(stream->loop, hurry, stream);
    if (stream->tls == NULL || stream->handshake == NULL) {
        return false;
    }
    deft__alarm_set(stream->handshake, deft__tls_session_handshake_ms(stream->tls));
    return true;
}

deft__stream *deft__stream_new(deft__loop *loop, int descriptor,
                               const deft__stream_options *options, deft_error *error)
{
    deft__stream *stream = deft__new(loop->allocator, sizeof *stream);
    if (stream == NULL) {
        deft__fail_memory(error);
        goto failed;
    }
    stream->loop       = loop;
    stream->options    = *options;
    stream->descriptor = descriptor;
    stream->access     = access_of(descriptor, options->is_inherited);
    if (options->queue_max == 0) {
        stream->options.queue_max = DEFT__STREAM_QUEUE_MAX;
    }
    deft__chain_init(&stream->unsent);
    deft_buffer_init(&stream->queue, loop->allocator);

    if (options->tls != NULL && !encrypt(stream, options->tls)) {
        deft__fail_memory(error);
        goto failed;
    }
    const int code = put_on_loop(stream);
    if (code != 0) {
        deft__fail_system(error, -code, "could not watch a descriptor");
        goto failed;
    }
    stream->is_reading = options->read != NULL;
    if (stream->is_file && stream->is_reading) {
        deft__task_init(&stream->task, read_file, stream);
        deft__loop_defer(loop, &stream->task);
    }
    watch(stream);
    return stream;

failed:
    if (stream != NULL) {
        deft__tls_session_free(stream->tls);
        deft__alarm_free(stream->handshake);
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
    deft__loop_undefer(stream->loop, &stream->task);
    release_descriptor(stream);
    if (stream->is_handle_gone) {
        deft__free(stream->loop->allocator, stream, sizeof *stream);
    }
}
