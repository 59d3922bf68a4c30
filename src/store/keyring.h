// keyring.h - the one key that the file of logins is sealed with, in the system's keyring (GNOME Keyring, KWallet,
// KeePassXC): through libsecret, which is loaded when it is needed, and over D-Bus. A keyring that is
// locked asks its person; until then the call waits.
#ifndef DEFT_STORE_KEYRING_H
#define DEFT_STORE_KEYRING_H

#include "crypto/box.h"

// DEFT_NOT_FOUND: there is no keyring here, or no such key in it; with `may_make` one is made then.
// DEFT_INVALID: the keyring says no, and for half a minute it is not asked again, but to make one: each
// time a person may be asked to unlock it, for whom everybody waits. Once the key is known it is kept for
// as long as the process lives. Any thread may ask.
deft_status deft__keyring_key(bool may_make, deft__box_key *key, deft_error *error);

// After something that may have opened it: it is asked again at once.
void deft__keyring_ask_again(void);
// Forgets what is kept, so that the next one who asks gets what the keyring has by then.
void deft__keyring_forget(void);
// The same, and takes the key out of the keyring. What was sealed with it is lost.
deft_status deft__keyring_remove(deft_error *error);

#endif
