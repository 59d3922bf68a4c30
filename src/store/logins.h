// logins.h - the file in which logins to remote servers are kept: readable by its owner alone, replaced
// whole, and shared by every deft of this user. A refresh token may be good for one use only, so that
// one process renews a login while the others wait for it: there is a lock for each.
#ifndef DEFT_STORE_LOGINS_H
#define DEFT_STORE_LOGINS_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "oauth/kept.h"

// Where it is: `choice` (DEFT_LOGINS) where it is set, else deft/logins.json in `state_home`
// (XDG_STATE_HOME, where it is an absolute path), else .local/state/deft/logins.json in `home`. NULL and
// empty mean unset. Appends the path and a NUL; false: there shall be none (`choice` is "none"), there
// is no place for one, or no memory.
bool deft__logins_path(const char *choice, const char *state_home, const char *home,
                       deft_buffer *path);

// What is kept for the server at `endpoint`. DEFT_NOT_FOUND: nothing. DEFT_INVALID: the file cannot be
// read, or is none of ours; the message says which file, and why.
deft_status deft__logins_load(const char *path, deft_view endpoint, deft__kept_login *login,
                              deft_error *error);

// Keeps it, in place of what was kept for `endpoint`; with `login` NULL that is forgotten. Failures as
// above; then the file is as it was.
deft_status deft__logins_save(const char *path, deft_view endpoint, const deft__kept_login *login,
                              deft_error *error);

// The file may be sealed with a key of the system's keyring (keyring.h), and stays as it is then, or is
// not. This makes it so, or makes it plain; where there is no file, one that is sealed and empty.
// DEFT_NOT_FOUND: there is no keyring here. Failures leave the file as it was.
deft_status deft__logins_seal(const char *path, bool is_sealed, deft_error *error);
// Gets the key of a file that is sealed, which a person may have to unlock, so that nobody has to wait for
// that later. Failures as of deft__logins_load(), which will fail in the same way.
deft_status deft__logins_unseal(const char *path, deft_error *error);

// Tries to get the right to renew this login: a descriptor to give back, which also happens when the
// process ends. -1: somebody else has it; -2: there are no locks here, go on without.
int  deft__logins_lock(const char *path, deft_view endpoint);
void deft__logins_unlock(int descriptor); // any of these

#endif
