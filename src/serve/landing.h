// landing.h - where a browser comes back to after a login: a port of this machine that knows one path,
// tells what came with it, and answers with a short page. Whatever else is asked for is not found.
#ifndef DEFT_SERVE_LANDING_H
#define DEFT_SERVE_LANDING_H

#include "deft/buffer.h"
#include "io/loop.h"

typedef struct deft__landing deft__landing;

// Listens at 127.0.0.1; `port` 0: any that is free. `came` gets the query of a request for the path and
// says whether it was the one that is waited for. New: free it. NULL on failure.
deft__landing *deft__landing_new(deft__loop *loop, uint16_t                          port,
                                 bool (*came)(void *context, deft_view query), void *context,
                                 deft_error *error);
void           deft__landing_free(deft__landing *landing); // NULL is fine

uint16_t deft__landing_port(const deft__landing *landing);

// "http://127.0.0.1:PORT/callback"
void deft__landing_write_url(const deft__landing *landing, deft_buffer *out);

#endif
