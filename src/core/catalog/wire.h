// wire.h - names as they are written outside. Model APIs accept [A-Za-z0-9_-]{1,64} only, so a
// tool `server::tool` is called `server__tool` there. This is its wire name where it can be read
// back: no character had to be replaced, it fits, and the only `__` in it is the one in the
// middle. Otherwise a hash of the id is joined to it by `___`, which no plain wire name contains;
// so a tool cannot take another one's wire name, whatever it calls itself.
#ifndef DEFT_CORE_CATALOG_WIRE_H
#define DEFT_CORE_CATALOG_WIRE_H

#include "deft/view.h"

#include <stdint.h>

#define DEFT__WIRE_SIZE_MAX 64

// Names are at most this long, whatever is configured, so that an id fits on the stack.
#define DEFT__NAME_SIZE_MAX_OF_ALL 512
#define DEFT__ID_SIZE_MAX          (2 * DEFT__NAME_SIZE_MAX_OF_ALL + 2)

// Between the server and the tool in an id.
#define DEFT__ID_SEPARATOR "::"

typedef struct deft__wire_name {
    char   text[DEFT__WIRE_SIZE_MAX];
    size_t size;
} deft__wire_name;

// The wire name of the tool `local` of `server` (empty: none), whose id is `id`. `attempt` 0 gives
// the one that the tool has unless another tool's hash is the same; 1, 2, ... give longer and
// different hashes. Depends on nothing else, so it is the same in every catalog.
void deft__wire_name_make(deft__wire_name *wire, deft_view server, deft_view local, deft_view id,
                          unsigned attempt);

// Replaces every character outside [A-Za-z0-9_-] by `_`, as hosts do that write
// `mcp__server__tool`: one `_` for each UTF-16 unit. An id becomes `server__tool`. `out` has room
// for text.size bytes. Returns the size written.
size_t deft__wire_sanitize(deft_view text, char *out);

// Upper case to lower case, ASCII only. `out` has room for text.size bytes and may be text.data.
void deft__wire_fold(deft_view text, char *out);

// Whether two texts are the same but for upper and lower case.
bool deft__wire_equal_folded(deft_view a, deft_view b);

// The key under which a text is found loosely: sanitised, then folded. `text` is at most
// DEFT__ID_SIZE_MAX bytes.
typedef struct deft__loose_key {
    char   text[DEFT__ID_SIZE_MAX];
    size_t size;
} deft__loose_key;

deft_view deft__loose_key_make(deft__loose_key *key, deft_view text);

#endif
