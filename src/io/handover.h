// handover.h - a listening socket that a service manager opens and hands to the processes it starts, one
// after the other: it stays open in the manager, so that nobody is refused while one takes the place of
// another. The convention is systemd's (sd_listen_fds): descriptors from 3 on, in two variables.
#ifndef DEFT_IO_HANDOVER_H
#define DEFT_IO_HANDOVER_H

#include "deft/error.h"

#include <stdint.h>

// What LISTEN_PID and LISTEN_FDS (NULL: not set) say to the process `self`: the descriptor of the one
// socket. DEFT_NOT_FOUND: none is handed over. DEFT_CONFLICT: it is for another process. DEFT_INVALID:
// the values mean nothing, or there is more than one. The message says which, but for DEFT_NOT_FOUND.
deft_status deft__handover_read(const char *listen_pid, const char *listen_fds, uint64_t self,
                                int *descriptor, deft_error *error);

#endif
