// environment.h - how a server of the configuration is started: its command line, its environment
// and its directory, with every ${VAR} replaced by what our own environment holds.
#ifndef DEFT_TRANSPORT_ENVIRONMENT_H
#define DEFT_TRANSPORT_ENVIRONMENT_H

#include "base/arena.h"
#include "deft/buffer.h"
#include "deft/config.h"

typedef struct deft__launch {
    const char *const *arguments;   // the command first, NULL last
    const char *const *environment; // "NAME=value", NULL last
    const char        *directory;   // NULL: ours
    const deft_view   *secrets;     // values that must not show, by their names
    size_t             secret_count;
    deft_server_config
                server; // the same as a configuration without any ${VAR}; url, ca and headers too
    deft__arena arena;  // all of the above
} deft__launch;

// `environment` is ours ("NAME=value", NULL last); the server's own wins over it. Nothing of it is
// kept. DEFT_NOT_FOUND: a variable is not set; the message names it, the server, and where it is
// asked for, never a value. Clear it also after a failure.
deft_status deft__launch_init(deft__launch *launch, const deft_server_config *server,
                              const char *const *environment, const deft_allocator *allocator,
                              deft_error *error);
void        deft__launch_clear(deft__launch *launch);

// Appends a text of the server's on one line: values of headers, and of variables called like a key, a
// token or a password, are left out, control characters become blanks, and it is cut to `size_max` bytes.
void deft__launch_write_safely(const deft__launch *launch, deft_view text, size_t size_max,
                               deft_buffer *out);

#endif
