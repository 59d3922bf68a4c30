// door.h - the gateway's own side of the control socket: lets processes of the same user in, and
// answers what they ask (control.h).
#ifndef DEFT_SERVE_DOOR_H
#define DEFT_SERVE_DOOR_H

#include "serve/service.h"

// Visitors at once, and requests of one that are open; more are turned away.
#define DEFT__VISITORS_MAX         64u
#define DEFT__VISITOR_REQUESTS_MAX 64u

// One message of a visitor, and what may wait to be read by it.
#define DEFT__VISITOR_LINE_MAX  (4u * 1024 * 1024)
#define DEFT__VISITOR_QUEUE_MAX (128u * 1024 * 1024)

typedef struct deft__door deft__door;

// Opens the socket DIRECTORY/PID.sock, making the directory (0700) where it is missing. New: close
// it. NULL on failure: the gateway serves without it.
deft__door *deft__door_open(deft__service *service, const char *directory, deft_error *error);
void        deft__door_close(deft__door *door); // NULL is fine

#endif
