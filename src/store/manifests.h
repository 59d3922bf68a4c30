// manifests.h - what servers offer, from one start to the next.
#ifndef DEFT_STORE_MANIFESTS_H
#define DEFT_STORE_MANIFESTS_H

#include "store/key.h"

// A manifest as it is kept. Times are seconds since 1970.
typedef struct deft__kept_manifest {
    deft_view name;       // of the server, for people
    deft_view text;       // the manifest: bytes that the store does not look into
    deft_view era;        // which protocol it spoke, in the caller's word
    uint64_t  saved_at;   // since when it says this
    uint64_t  checked_at; // when it last said so
    uint64_t  used_at;    // when a gateway last had it; not used for saving
    bool      is_mapped;  // loaded: the text is one that the caller had
} deft__kept_manifest;

// Finds those of `count` keys that are kept, and calls `found` for each, with its place among the
// keys. The manifest is borrowed for the call. One whose bytes the disk has changed is not found.
// `texts` (NULL: none) are what the caller has from elsewhere (images.h), one for each key: where it is
// the text that is kept, that one is given, and the kept one is not even read.
typedef void (*deft__manifest_found)(void *context, size_t place,
                                     const deft__kept_manifest *manifest);
deft_status deft__manifests_load(deft__store *store, const deft__store_key *keys, size_t count,
                                 const deft_view *texts, deft__manifest_found found, void *context,
                                 deft_error *error);

// Keeps a manifest that a server gave at `checked_at`, in place of the one before; where it says the
// same, only the time is kept. `saved_at` is not used.
deft_status deft__manifest_save(deft__store *store, const deft__store_key *key,
                                const deft__kept_manifest *manifest, deft_error *error);

deft_status deft__manifest_forget(deft__store *store, const deft__store_key *key,
                                  deft_error *error);

// Says that these are in use, so that deft__store_prune() leaves them. Loading does not say so by
// itself, so that a start writes nothing; once a day is enough.
deft_status deft__manifests_touch(deft__store *store, const deft__store_key *keys, size_t count,
                                  uint64_t now_s, deft_error *error);

#endif
