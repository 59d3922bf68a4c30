// quarantine.h - servers that the user has put aside: neither searched nor called until let go.
#ifndef DEFT_STORE_QUARANTINE_H
#define DEFT_STORE_QUARANTINE_H

#include "store/store.h"

// Puts a server aside, or lets it go.
deft_status deft__quarantine_set(deft__store *store, deft_view name, bool is_quarantined,
                                 uint64_t now_s, deft_error *error);

// Calls `found` for each, by name. `since` is in seconds since 1970; 0: not known any more. Borrowed
// for the call.
typedef void (*deft__quarantine_found)(void *context, deft_view name, uint64_t since);
deft_status deft__quarantine_load(deft__store *store, deft__quarantine_found found, void *context,
                                  deft_error *error);

#endif
