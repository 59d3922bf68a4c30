// address.h - where a remote server is: its URL, and which other URLs belong to the same place. What
// we know of a server, credentials first of all, goes to its own origin and nowhere else.
#ifndef DEFT_TRANSPORT_ADDRESS_H
#define DEFT_TRANSPORT_ADDRESS_H

#include "deft/buffer.h"
#include "deft/error.h"

// DEFT_INVALID: not http or https, no host, or with a user name; the message is a clause. `is_open`:
// it goes over a network without TLS.
deft_status deft__address_check(deft_view url, bool *is_open, deft_error *error);

// Whether scheme, host and port are the same. False where one is not well formed.
bool deft__address_is_same_origin(deft_view a, deft_view b);

// Appends what `reference` means on a page at `base` (RFC 3986, section 5). False: it means nothing, or
// there is no memory.
bool deft__address_resolve(deft_view base, deft_view reference, deft_buffer *out);

// Appends "https://host:port", for messages: paths and queries may hold secrets.
void deft__address_write_origin(deft_view url, deft_buffer *out);

#endif
