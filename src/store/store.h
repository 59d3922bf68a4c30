// store.h - the file in which deft keeps what it would otherwise have to learn again: what servers
// offer (manifests.h), built indexes (images.h), a journal of searches and calls (journal.h) and
// which servers are quarantined (quarantine.h). It is a cache and a journal: memory is the truth,
// and every query is answered without it. So nothing here is fatal. Every call takes a NULL store:
// it then finds nothing, keeps nothing, and succeeds.
//
// Several processes may use one file. One store object belongs to one thread at a time, as do the
// calls of the other headers here, which wait for the disk and briefly for other processes: a server
// uses it from a worker thread. Time comes in as an argument.
#ifndef DEFT_STORE_STORE_H
#define DEFT_STORE_STORE_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__store deft__store;

// Zero in a field means the default.
typedef struct deft__store_options {
    uint64_t size_max;         // bytes of the file; 1 GiB. Beyond it nothing more is kept
    uint32_t busy_ms;          // how long a write waits for another process; 250
    uint64_t journal_rows_max; // 50,000; the oldest go
    uint64_t journal_size_max; // bytes; 16 MiB; the oldest go
    uint32_t journal_text_max; // bytes kept of a query, of arguments, of a reason; 2,048
    bool     is_unmapped; // images are read, as they are anyway on other machines' file systems
} deft__store_options;

// Where the store is: `choice` (DEFT_STORE) where it is set, else deft/deft.db in `cache_home`
// (XDG_CACHE_HOME, where it is an absolute path), else .cache/deft/deft.db in `home`. NULL and empty
// mean unset. Appends the path and a NUL; false: there shall be no store (`choice` is "none"), there
// is no place for one, or no memory.
bool deft__store_path(const char *choice, const char *cache_home, const char *home,
                      deft_buffer *path);

// Opens the store, making the file (0600) and the folders above it (0700) where they are missing,
// and bringing an older one up to date. A damaged file is moved to PATH.damaged and begun anew. Where
// nothing can be written, what is there is read. `options` may be NULL. New: close it. NULL: work
// without one, and tell the person why: DEFT_CONFLICT, it is of a newer deft or of another program
// and was left as it is, or another process has it locked; DEFT_LIMIT, the disk is full;
// DEFT_INVALID, it can be neither written nor read.
deft__store *deft__store_open(const char *path, const deft__store_options *options,
                              deft_error *error);
void         deft__store_close(deft__store *store); // NULL is fine

const char *deft__store_path_of(const deft__store *store); // absolute; borrowed; "" for NULL
bool        deft__store_is_read_only(const deft__store *store);

// The next thing that a person should know: the file was damaged, the disk is full, and so on; each
// kind of trouble once in the life of a store, however often it happens. One sentence. Borrowed until
// close; empty: there is nothing new.
deft_view deft__store_take_note(deft__store *store);

// Forgets manifests and usage that nobody has asked for in 90 days. For once a day, or a start.
#define DEFT__STORE_KEPT_S (90u * 24 * 60 * 60)
deft_status deft__store_prune(deft__store *store, uint64_t now_s, deft_error *error);

#endif
