// certificate.h - what a gateway over HTTP shows of itself: the files of its options, read at the start and
// again when they change, with a line for a person where something is wrong.
#ifndef DEFT_SERVE_CERTIFICATE_H
#define DEFT_SERVE_CERTIFICATE_H

#include "io/tls.h"
#include "serve/serve.h"

// `tls` becomes NULL where the options name no certificate. `options` must outlive it.
deft_status deft__certificate_open(const deft__serve_options *options,
                                   const deft_allocator *allocator, deft__tls **tls,
                                   deft_error *error);

// Certificates live for some weeks; a gateway may live longer. Call it now and then.
void deft__certificate_look(const deft__serve_options *options, deft__tls *tls);

#endif
