#include "io/tls_session.h"

#include "base/memory.h"
#include "io/tls_private.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/socket.h>

// The first byte of every TLS connection: a record of the handshake.
#define HANDSHAKE_RECORD 0x16

typedef enum session_state {
    SESSION_NEW,     // nothing has come yet
    SESSION_SHAKING, // hands
    SESSION_OPEN,
    SESSION_PLAIN, // the peer does not speak TLS: it has its answer, and is listened to till it goes
    SESSION_BROKEN // OpenSSL must not be asked any more
} session_state;

struct deft__tls_session {
    deft__loop   *loop;
    SSL          *ssl;
    deft__alarm  *handshake; // NULL: they have shaken hands
    int           descriptor;
    session_state state;
    bool          wants_to_write;
    bool          has_ended;    // we have said that nothing more comes
    deft_view     plain_answer; // borrowed
};

deft__tls_session *deft__tls_session_new(const deft__tls *tls, deft__loop *loop, int descriptor,
                                         void (*late)(void *context), void *context)
{
    deft__tls_session *session = deft__new(deft__loop_allocator(loop), sizeof *session);
    if (session == NULL) {
        return NULL;
    }
    *session = (deft__tls_session){.loop         = loop,
                                   .ssl          = SSL_new(tls->context),
                                   .handshake    = deft__alarm_new(loop, late, context),
                                   .descriptor   = descriptor,
                                   .plain_answer = tls->options.plain_answer};
    if (session->ssl == NULL || session->handshake == NULL ||
        SSL_set_fd(session->ssl, descriptor) != 1) {
        deft__tls_session_free(session);
        ERR_clear_error();
        return NULL;
    }
    SSL_set_accept_state(session->ssl);
    deft__alarm_set(session->handshake, tls->options.handshake_ms);
    return session;
}

void deft__tls_session_free(deft__tls_session *session)
{
    if (session != NULL) {
        deft__alarm_free(session->handshake);
        SSL_free(session->ssl);
        deft__free(deft__loop_allocator(session->loop), session, sizeof *session);
    }
}

bool deft__tls_session_wants_to_write(const deft__tls_session *session)
{
    return session->wants_to_write;
}

// What an operation of OpenSSL that did not succeed means: 0 for the end, or -1 and errno.
static ssize_t explain(deft__tls_session *session, int result)
{
    const int code = errno;
    const int kind = SSL_get_error(session->ssl, result);
    ERR_clear_error();
    switch (kind) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        session->wants_to_write = kind == SSL_ERROR_WANT_WRITE;
        errno                   = EAGAIN;
        return -1;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        session->state = SESSION_BROKEN;
        errno          = kind == SSL_ERROR_SYSCALL && code != 0 ? code : EPROTO;
        return -1;
    }
}

// Who speaks plain HTTP is told so. What it says is read, and not looked at, till it hangs up: closing
// before would take the answer away from it.
static ssize_t listen_plainly(deft__tls_session *session, char *data, size_t size)
{
    if (session->state != SESSION_PLAIN) {
        session->state       = SESSION_PLAIN;
        const deft_view text = session->plain_answer;
        // It is the first that is sent, and smaller than any socket's buffer.
        (void)!send(session->descriptor, text.data, text.size, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)shutdown(session->descriptor, SHUT_WR);
    }
    const ssize_t got = recv(session->descriptor, data, size, MSG_DONTWAIT);
    if (got > 0) {
        errno = EAGAIN;
        return -1;
    }
    return got;
}

ssize_t deft__tls_session_get(deft__tls_session *session, char *data, size_t size)
{
    if (session->state == SESSION_NEW) {
        unsigned char first = 0;
        const ssize_t got   = recv(session->descriptor, &first, 1, MSG_DONTWAIT | MSG_PEEK);
        if (got <= 0) {
            return got;
        }
        if (first >= 'A' && first <= 'Z' && session->plain_answer.size > 0) {
            return listen_plainly(session, data, size);
        }
        if (first != HANDSHAKE_RECORD) {
            session->state = SESSION_BROKEN;
        } else {
            session->state = SESSION_SHAKING;
        }
    }
    if (session->state == SESSION_PLAIN) {
        return listen_plainly(session, data, size);
    }
    if (session->state == SESSION_BROKEN) {
        errno = EPROTO;
        return -1;
    }
    ERR_clear_error();
    errno                   = 0;
    session->wants_to_write = false;
    const int     got    = SSL_read(session->ssl, data, size < INT32_MAX ? (int)size : INT32_MAX);
    const ssize_t result = got > 0 ? got : explain(session, got);
    if (session->state == SESSION_SHAKING && SSL_is_init_finished(session->ssl) == 1) {
        session->state = SESSION_OPEN;
        deft__alarm_free(session->handshake);
        session->handshake = NULL;
    }
    return result;
}

ssize_t deft__tls_session_put(deft__tls_session *session, const char *data, size_t size)
{
    if (session->state != SESSION_OPEN || session->has_ended) {
        errno = EPIPE; // there is nobody yet, or no longer, who could be told anything
        return -1;
    }
    ERR_clear_error();
    errno         = 0;
    const int put = SSL_write(session->ssl, data, size < INT32_MAX ? (int)size : INT32_MAX);
    if (put > 0) {
        return put;
    }
    const bool    wanted_to_write = session->wants_to_write;
    const ssize_t result          = explain(session, put);
    if (result < 0 && errno == EAGAIN && !session->wants_to_write) {
        errno = EPROTO; // it would have to read before: only a renegotiation does
    } else if (result == 0) {
        errno = EPIPE;
    }
    session->wants_to_write = wanted_to_write;
    return -1;
}

bool deft__tls_session_end(deft__tls_session *session)
{
    if (session->state != SESSION_OPEN || session->has_ended) {
        return true;
    }
    ERR_clear_error();
    const int result = SSL_shutdown(session->ssl);
    if (result < 0 && SSL_get_error(session->ssl, result) == SSL_ERROR_WANT_WRITE) {
        return false;
    }
    ERR_clear_error();
    session->has_ended = true;
    return true;
}
