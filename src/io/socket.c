#include "io/socket.h"

#include "base/fail.h"
#include "base/memory.h"
#include "deft/view.h"
#include "io/inside.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG     64
#define TCP_BACKLOG 4096 // what Linux allows by default

// Peers let in before the others have their turn. One at a time would let them wait in a crowd, where
// a turn of the loop is long.
#define ACCEPTS_MAX 64

// Where a peer cannot be let in (we are out of descriptors), the socket stays ready: asking again at
// once, and for ever, would take the whole processor.
#define PAUSE_MS 100

struct deft__listener {
    deft__loop  *loop;
    uv_poll_t    poll;
    int          descriptor;
    deft__alarm *pause;
    void (*accepted)(void *context, int descriptor);
    void              *context;
    struct sockaddr_un address; // empty: TCP
    uint16_t           port;
};

static deft_status make_address(const char *path, struct sockaddr_un *address, deft_error *error)
{
    *address          = (struct sockaddr_un){.sun_family = AF_UNIX};
    const size_t size = strlen(path);
    if (size >= sizeof address->sun_path) {
        deft__quoted quoted;
        return deft__fail(
            error, DEFT_LIMIT, 0, "the path of a socket has at most %zu bytes, this one %zu: '%s'",
            sizeof address->sun_path - 1, size, deft__quote(&quoted, deft_view_of(path)));
    }
    memcpy(address->sun_path, path, size + 1);
    return DEFT_OK;
}

static int connect_to(const struct sockaddr_un *address)
{
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 &&
        connect(descriptor, (const struct sockaddr *)address, sizeof *address) != 0) {
        const int code = errno;
        close(descriptor);
        errno = code;
        return -1;
    }
    return descriptor;
}

int deft__socket_connect(const char *path, deft_error *error)
{
    struct sockaddr_un address;
    if (make_address(path, &address, error) != DEFT_OK) {
        return -1;
    }
    const int descriptor = connect_to(&address);
    if (descriptor < 0) {
        const int    code = errno;
        deft__quoted quoted;
        char         what[160];
        snprintf(what, sizeof what, "could not connect to '%s'",
                 deft__quote(&quoted, deft_view_of(path)));
        deft__fail_system(error, code, what);
        if (error != NULL && (code == ENOENT || code == ECONNREFUSED)) {
            error->status = DEFT_NOT_FOUND;
        }
    }
    return descriptor;
}

// Binds, so that the path comes into being with its rights: Linux takes them from the socket.
static int bind_to(int descriptor, const struct sockaddr_un *address)
{
    if (fchmod(descriptor, 0600) != 0 ||
        bind(descriptor, (const struct sockaddr *)address, sizeof *address) != 0) {
        return errno;
    }
    return 0;
}

static int listen_on(int descriptor, const struct sockaddr_un *address)
{
    int code = bind_to(descriptor, address);
    if (code == EADDRINUSE) {
        const int peer = connect_to(address);
        if (peer >= 0) {
            close(peer);
            return EADDRINUSE;
        }
        // Nobody answers on a file that is no socket either, but that is not ours to remove.
        struct stat about;
        if (errno != ECONNREFUSED || lstat(address->sun_path, &about) != 0 ||
            !S_ISSOCK(about.st_mode)) {
            return EADDRINUSE;
        }
        unlink(address->sun_path);
        code = bind_to(descriptor, address);
    }
    if (code == 0 && (chmod(address->sun_path, 0600) != 0 || listen(descriptor, BACKLOG) != 0)) {
        code = errno;
    }
    return code;
}

static bool is_of_our_user(int descriptor)
{
    struct ucred peer = {0};
    socklen_t    size = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == geteuid();
}

static void let_in(const deft__listener *listener, int descriptor)
{
    if (listener->port != 0) {
        // Answers are small and written whole: nothing is gained by waiting for more.
        const int on = 1;
        (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        listener->accepted(listener->context, descriptor);
    } else if (is_of_our_user(descriptor)) {
        listener->accepted(listener->context, descriptor);
    } else {
        close(descriptor);
    }
}

static void accept_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    deft__listener *listener = poll->data;
    // At a path there are few, and who has left should be missed before the next one is counted.
    const int most = listener->port != 0 ? ACCEPTS_MAX : 1;
    for (int i = 0; i < most && !uv_is_closing((uv_handle_t *)poll); i++) {
        const int descriptor = accept4(listener->descriptor, NULL, NULL, SOCK_CLOEXEC);
        if (descriptor >= 0) {
            let_in(listener, descriptor);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            uv_poll_stop(&listener->poll);
            deft__alarm_set(listener->pause, PAUSE_MS);
            return;
        }
    }
}

static void start_accepting(void *context)
{
    deft__listener *listener = context;
    uv_poll_start(&listener->poll, UV_READABLE, accept_ready);
}

static void give_back(uv_handle_t *handle)
{
    deft__listener *listener = handle->data;
    deft__free(listener->loop->allocator, listener, sizeof *listener);
}

// A listener without its socket. NULL when there is no memory.
static deft__listener *new_listener(deft__loop *loop, void (*accepted)(void *, int), void *context,
                                    deft_error *error)
{
    deft__listener *listener = deft__new(loop->allocator, sizeof *listener);
    deft__alarm    *pause    = deft__alarm_new(loop, start_accepting, listener);
    if (listener == NULL || pause == NULL) {
        deft__fail_memory(error);
        deft__alarm_free(pause);
        deft__free(loop->allocator, listener, sizeof *listener);
        return NULL;
    }
    *listener = (deft__listener){
        .loop = loop, .pause = pause, .accepted = accepted, .context = context, .descriptor = -1};
    return listener;
}

// Puts it on the loop; `code` is what went wrong before, or 0. `what` names it in a message.
static deft__listener *finish_listener(deft__listener *listener, int code, const char *what,
                                       deft_error *error)
{
    if (code == 0) {
        code = -uv_poll_init(&listener->loop->uv, &listener->poll, listener->descriptor);
    }
    if (code != 0) {
        deft__quoted quoted;
        char         text[160];
        snprintf(text, sizeof text, "could not listen on '%s'",
                 deft__quote(&quoted, deft_view_of(what)));
        deft__fail_system(error, code, text);
        if (error != NULL && code == EADDRINUSE) {
            error->status = DEFT_CONFLICT;
        }
        if (listener->descriptor >= 0) {
            close(listener->descriptor);
        }
        deft__alarm_free(listener->pause);
        deft__free(listener->loop->allocator, listener, sizeof *listener);
        return NULL;
    }
    listener->poll.data = listener;
    start_accepting(listener);
    return listener;
}

deft__listener *deft__listener_new(deft__loop *loop, const char                          *path,
                                   void (*accepted)(void *context, int descriptor), void *context,
                                   deft_error *error)
{
    struct sockaddr_un address;
    if (make_address(path, &address, error) != DEFT_OK) {
        return NULL;
    }
    deft__listener *listener = new_listener(loop, accepted, context, error);
    if (listener == NULL) {
        return NULL;
    }
    listener->address    = address;
    listener->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int code = listener->descriptor < 0 ? errno : listen_on(listener->descriptor, &address);
    return finish_listener(listener, code, path, error);
}

// --- TCP. ---

// Where a TCP socket is bound. False: it is none, or is not; errno says why.
static bool find_bound(int descriptor, struct sockaddr_storage *bound, const void **host,
                       uint16_t *port)
{
    const struct sockaddr_in  *four = (const struct sockaddr_in *)(const void *)bound;
    const struct sockaddr_in6 *six  = (const struct sockaddr_in6 *)(const void *)bound;
    socklen_t                  size = sizeof *bound;
    memset(bound, 0, sizeof *bound);
    if (getsockname(descriptor, (struct sockaddr *)bound, &size) != 0) {
        return false;
    }
    const bool is_six = bound->ss_family == AF_INET6;
    *host             = is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr;
    *port             = ntohs(is_six ? six->sin6_port : four->sin_port);
    errno             = EAFNOSUPPORT;
    return is_six || bound->ss_family == AF_INET;
}

static int bind_tcp(deft__listener *listener, const struct addrinfo *address)
{
    const int               on = 1;
    struct sockaddr_storage bound;
    const void             *host;
    listener->descriptor =
        socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->descriptor < 0 ||
        setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listener->descriptor, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(listener->descriptor, TCP_BACKLOG) != 0 ||
        !find_bound(listener->descriptor, &bound, &host, &listener->port)) {
        return errno;
    }
    return 0;
}

deft__listener *deft__listener_new_tcp(deft__loop *loop, const char *address, uint16_t port,
                                       void (*accepted)(void *context, int descriptor),
                                       void *context, deft_error *error)
{
    const struct addrinfo hints = {.ai_flags    = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo      *found = NULL;
    char                  number[8];
    char                  what[120];
    snprintf(number, sizeof number, "%u", (unsigned)port);
    snprintf(what, sizeof what, "%s port %s", address, number);
    if (getaddrinfo(address, number, &hints, &found) != 0) {
        deft__quoted quoted;
        deft__fail(error, DEFT_INVALID, 0, "'%s' is not an address in numbers, such as 127.0.0.1",
                   deft__quote(&quoted, deft_view_of(address)));
        return NULL;
    }
    deft__listener *listener = new_listener(loop, accepted, context, error);
    if (listener != NULL) {
        listener = finish_listener(listener, bind_tcp(listener, found), what, error);
    }
    freeaddrinfo(found);
    return listener;
}

uint16_t deft__listener_port(const deft__listener *listener)
{
    return listener->port;
}

// Whether an option of a socket is this.
static bool has_option(int descriptor, int option, int wanted)
{
    int       value = -1;
    socklen_t size  = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 && value == wanted;
}

deft_status deft__socket_adopt(int descriptor, char address[DEFT__ADDRESS_SIZE], uint16_t *port,
                               deft_error *error)
{
    struct sockaddr_storage bound;
    const void             *host;
    if (fcntl(descriptor, F_GETFD) < 0) {
        return deft__fail(error, DEFT_INVALID, 0, "descriptor %d is not open", descriptor);
    }
    if (!find_bound(descriptor, &bound, &host, port) ||
        !has_option(descriptor, SO_TYPE, SOCK_STREAM) ||
        inet_ntop(bound.ss_family, host, address, DEFT__ADDRESS_SIZE) == NULL) {
        return deft__fail(error, DEFT_INVALID, 0, "descriptor %d is not a TCP socket", descriptor);
    }
    if (!has_option(descriptor, SO_ACCEPTCONN, 1)) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "descriptor %d is a TCP socket that does not listen", descriptor);
    }
    const int flags = fcntl(descriptor, F_GETFL);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) {
        return deft__fail_system(error, errno, "could not take the socket over");
    }
    return DEFT_OK;
}

deft__listener *deft__listener_new_adopted(deft__loop *loop, int descriptor, uint16_t port,
                                           void (*accepted)(void *context, int descriptor),
                                           void *context, deft_error *error)
{
    deft__listener *listener = new_listener(loop, accepted, context, error);
    if (listener == NULL) {
        close(descriptor);
        return NULL;
    }
    listener->descriptor = descriptor;
    listener->port       = port;
    return finish_listener(listener, 0, "the socket that was handed over", error);
}

void deft__listener_close(deft__listener *listener)
{
    if (listener != NULL) {
        if (listener->port == 0) {
            unlink(listener->address.sun_path);
        }
        deft__alarm_free(listener->pause);
        uv_close((uv_handle_t *)&listener->poll, give_back);
        close(listener->descriptor);
    }
}
