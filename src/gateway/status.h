// status.h - what goes on, in words.
#ifndef DEFT_GATEWAY_STATUS_H
#define DEFT_GATEWAY_STATUS_H

#include "gateway/private.h"

// Tool search as this client has it (D6), and the servers that are not as they should be.
void deft__client_write_status(deft__client *client, deft_buffer *out);

// One sentence that names the servers whose tools cannot be searched now and why, of those that
// `client` may reach (NULL: of all); nothing where there are none.
void deft__gateway_write_missing(const deft__gateway *gateway, const deft__client *client,
                                 deft_buffer *out);

// One sentence that names the servers whose tools `client` may reach and that are being learned for
// the first time; nothing where there are none.
void deft__gateway_write_starting(const deft__gateway *gateway, const deft__client *client,
                                  deft_buffer *out);

#endif
