// schema.h - what tables there are, and how a file of an older deft becomes one of ours.
#ifndef DEFT_STORE_SCHEMA_H
#define DEFT_STORE_SCHEMA_H

#include "store/sql.h"

#define DEFT__STORE_SECRET_SIZE 32

// Step N makes version N out of version N - 1 (a new file has version 0). Steps are only ever
// appended: files of every version are out there.
extern const char *const deft__schema_steps[];
extern const size_t      deft__schema_version; // how many there are

// Codes of ours, beside SQLite's.
enum {
    DEFT__STORE_NEWER = 100000, // the file has a version that we do not know
    DEFT__STORE_FOREIGN,        // it is a database of another program
    DEFT__STORE_OLDER           // it has an older version, and cannot be changed
};

// Looks at a file without changing it: SQLITE_OK, a code of ours, or SQLite's. `version` is set
// for the first of these and for NEWER.
int deft__schema_look(sqlite3 *database, uint64_t *version);

// Brings the file to our version, in one transaction; several processes may try at once. Where it
// has no secret yet, `secret` becomes it.
int deft__schema_upgrade(sqlite3 *database, const unsigned char *secret);

// The file's secret: the key of the hashes that stand for configurations.
int deft__schema_secret(sqlite3 *database, unsigned char *secret);

#endif
