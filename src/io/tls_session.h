// tls_session.h - one encrypted conversation on a descriptor, for stream.c alone: reading and writing
// as recv(2) and send(2) do, errno included, with the bytes in between encrypted.
//
// OpenSSL reads and writes the descriptor itself. The other way, memory between the two, costs two
// more copies of every byte, and a second queue with a limit of its own for what is encrypted and
// not yet sent. So there is one queue, of plain bytes, and its limit is that of every stream.
#ifndef DEFT_IO_TLS_SESSION_H
#define DEFT_IO_TLS_SESSION_H

#include "io/loop.h"
#include "io/tls.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct deft__tls_session deft__tls_session;

// For a descriptor that does not block. `late` is called, from the loop, when the peer takes too long
// to shake hands. New: free it. NULL: no memory.
deft__tls_session *deft__tls_session_new(const deft__tls *tls, deft__loop *loop, int descriptor,
                                         void (*late)(void *context), void *context);
void               deft__tls_session_free(deft__tls_session *session); // NULL is fine

// Plain bytes of the peer. 0: it says no more. -1: errno is EAGAIN, EPROTO for what is not TLS, or
// that of the system. It shakes hands on the way. `size` holds a record at least, 16 KiB, so that
// nothing stays behind where nobody would look for it.
ssize_t deft__tls_session_get(deft__tls_session *session, char *data, size_t size);

// It is writing that get waits for.
bool deft__tls_session_wants_to_write(const deft__tls_session *session);

// Takes plain bytes. After EAGAIN the next call must begin with the same bytes.
ssize_t deft__tls_session_put(deft__tls_session *session, const char *data, size_t size);

// Says that nothing more will be said. False: not yet, the peer takes nothing at the moment.
bool deft__tls_session_end(deft__tls_session *session);

#endif
