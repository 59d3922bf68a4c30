// file.h - the store's file in the file system: made for its owner alone, moved aside when damaged.
//
// The file is never opened here while SQLite may have it open: closing any descriptor of it would
// drop the locks that SQLite holds (POSIX locks belong to the process, not to the descriptor).
#ifndef DEFT_STORE_FILE_H
#define DEFT_STORE_FILE_H

#include "deft/buffer.h"
#include "deft/error.h"

#include <stdbool.h>

// The path from the root, with a NUL. Empty on failure (errno).
void deft__store_file_absolute(const char *path, deft_buffer *out);

// Makes the folders above `path` (0700) where they are missing. 0, or an error number.
int deft__store_file_make_folders(const char *path);

// Makes the file (0600) where it is missing, and takes from others what they may do with a file of
// ours. 0, or an error number; EINVAL: it is no regular file.
int deft__store_file_prepare(const char *path);

bool deft__store_file_has_content(const char *path); // a regular file that is not empty

// One process at a time opens the store or moves it aside. A descriptor to give back; -1: others have
// held it all the time; -2: this file system knows no such locks, go on without.
int  deft__store_file_lock(const char *path, unsigned wait_ms);
void deft__store_file_unlock(int descriptor);

// Renames the file to PATH.damaged, in place of an older one, and removes its -wal and -shm. Under the
// lock, and with the file closed. 0, or an error number.
int deft__store_file_move_aside(const char *path);

#endif
