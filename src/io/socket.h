// socket.h - a way in for other processes of the same user: a Unix socket, by its path.
#ifndef DEFT_IO_SOCKET_H
#define DEFT_IO_SOCKET_H

#include "io/loop.h"

typedef struct deft__listener deft__listener;

// Listens on `path`, readable and writable by its owner alone. A path that nobody answers on any
// more is taken over; DEFT_CONFLICT: someone does. `accepted` gets the descriptor of each peer that
// is of the same user, to keep or to close; others are turned away. New: close it. NULL on failure.
deft__listener *deft__listener_new(deft__loop *loop, const char                          *path,
                                   void (*accepted)(void *context, int descriptor), void *context,
                                   deft_error *error);
void            deft__listener_close(deft__listener *listener); // the path goes too. NULL is fine

// Connects. The descriptor, or -1; DEFT_NOT_FOUND: nobody listens there.
int deft__socket_connect(const char *path, deft_error *error);

#endif
