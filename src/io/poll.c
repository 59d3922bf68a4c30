#include "io/poll.h"

#include "base/memory.h"
#include "io/inside.h"

struct deft__poll {
    uv_poll_t   handle;
    deft__loop *loop;
    void (*ready)(void *context, unsigned events);
    void *context;
    int   wanted; // events of libuv's
};

static void tell(uv_poll_t *handle, int status, int events)
{
    deft__poll *poll = handle->data;
    if (status < 0) {
        events = poll->wanted;
        uv_poll_start(handle, poll->wanted, tell); // libuv stops at an error
    }
    poll->ready(poll->context, ((events & UV_READABLE) != 0 ? DEFT__POLL_READABLE : 0u) |
                                   ((events & UV_WRITABLE) != 0 ? DEFT__POLL_WRITABLE : 0u));
}

deft__poll *deft__poll_new(deft__loop *loop, int                                descriptor,
                           void (*ready)(void *context, unsigned events), void *context)
{
    deft__poll *poll = deft__new(loop->allocator, sizeof *poll);
    if (poll == NULL) {
        return NULL;
    }
    poll->loop    = loop;
    poll->ready   = ready;
    poll->context = context;
    if (uv_poll_init(&loop->uv, &poll->handle, descriptor) != 0) {
        deft__free(loop->allocator, poll, sizeof *poll);
        return NULL;
    }
    poll->handle.data = poll;
    return poll;
}

void deft__poll_watch(deft__poll *poll, unsigned events)
{
    poll->wanted = ((events & DEFT__POLL_READABLE) != 0 ? UV_READABLE : 0) |
                   ((events & DEFT__POLL_WRITABLE) != 0 ? UV_WRITABLE : 0);
    if (poll->wanted == 0) {
        uv_poll_stop(&poll->handle);
    } else {
        uv_poll_start(&poll->handle, poll->wanted, tell);
    }
}

static void give_back(uv_handle_t *handle)
{
    deft__poll *poll = handle->data;
    deft__free(poll->loop->allocator, poll, sizeof *poll);
}

void deft__poll_free(deft__poll *poll)
{
    if (poll != NULL) {
        uv_close((uv_handle_t *)&poll->handle, give_back);
    }
}
