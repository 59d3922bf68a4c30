// database.h - the connection behind a store, and what becomes of its failures. All that reads or
// writes goes through deft__store_read() and deft__store_write(), so that a damaged file, a full disk
// or a lock is met in one place.
#ifndef DEFT_STORE_DATABASE_H
#define DEFT_STORE_DATABASE_H

#include "store/schema.h"
#include "store/store.h"

typedef enum deft__trouble {
    DEFT__TROUBLE_DAMAGED,
    DEFT__TROUBLE_FULL,
    DEFT__TROUBLE_UNWRITABLE,
    DEFT__TROUBLE_BUSY,
    DEFT__TROUBLE_OTHER,
    DEFT__TROUBLE_COUNT
} deft__trouble;

struct deft__store {
    sqlite3            *database; // NULL: lost; the next call tries to open it again
    char               *path;     // absolute
    deft__store_options options;  // filled in
    bool                is_read_only;
    bool                has_secret; // it was read from the file, and survives a new one
    unsigned char       secret[DEFT__STORE_SECRET_SIZE];
    unsigned            told;    // bits: troubles that were noted
    unsigned            waiting; // bits: those of them that nobody has taken yet
    char                notes[DEFT__TROUBLE_COUNT][DEFT_ERROR_MESSAGE_SIZE];
};

// Work on the database: a code of SQLite's. It may be run twice, the second time over a new file.
typedef int (*deft__store_work)(deft__store *store, void *context);

// Runs `work`. A file that is found damaged is moved aside and begun anew, and work is run again.
// Other failures are noted, and returned: DEFT_CONFLICT, locked by another process for now;
// DEFT_LIMIT, the disk is full; DEFT_INVALID, nothing can be read or written; DEFT_OUT_OF_MEMORY.
deft_status deft__store_read(deft__store *store, deft__store_work work, void *context,
                             deft_error *error);
// In one transaction: all of it happens, or nothing.
deft_status deft__store_write(deft__store *store, deft__store_work work, void *context,
                              deft_error *error);

// Opens the file, after closing it where it was open and was found damaged (`code`) or moved. A code
// of SQLite's or of schema.h.
int  deft__store_connect(deft__store *store, int code);
void deft__store_disconnect(deft__store *store);

// What a code means, in a sentence for the caller and, with `is_noted`, once for the person.
deft_status deft__store_fail(deft__store *store, int code, bool is_noted, deft_error *error);

// Notes a trouble that `work` has found by itself.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void deft__store_note(deft__store *store, deft__trouble trouble, const char *format, ...);

#endif
