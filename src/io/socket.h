// socket.h - a way in for others: a Unix socket by its path, for processes of the same user, and a TCP
// port for whoever may reach it.
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

// The same at an address of this machine, "127.0.0.1" or "::1" or any other in numbers, and a port;
// 0: any that is free, which deft__listener_port tells. Whoever connects is let in.
deft__listener *deft__listener_new_tcp(deft__loop *loop, const char *address, uint16_t port,
                                       void (*accepted)(void *context, int descriptor),
                                       void *context, deft_error *error);
uint16_t        deft__listener_port(const deft__listener *listener);

// A TCP socket that listens already, opened by whoever started this process and kept open there. Makes
// it ours alone (children do not get it) and tells where it listens, in numbers. DEFT_INVALID: it is
// something else.
#define DEFT__ADDRESS_SIZE 64u
deft_status deft__socket_adopt(int descriptor, char address[DEFT__ADDRESS_SIZE], uint16_t *port,
                               deft_error *error);
// Lets in who comes there. The descriptor is the listener's, also when the call fails; closing it leaves
// the others' as they are, and who is not let in yet waits for them.
deft__listener *deft__listener_new_adopted(deft__loop *loop, int descriptor, uint16_t port,
                                           void (*accepted)(void *context, int descriptor),
                                           void *context, deft_error *error);

// Connects. The descriptor, or -1; DEFT_NOT_FOUND: nobody listens there.
int deft__socket_connect(const char *path, deft_error *error);

#endif
