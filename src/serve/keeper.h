// keeper.h - puts into the store what is learned while serving, without anyone waiting for a disk:
// manifests and journal lines gather here and are written by another thread, some at a time.
#ifndef DEFT_SERVE_KEEPER_H
#define DEFT_SERVE_KEEPER_H

#include "base/arena.h"
#include "gateway/gateway.h"
#include "io/loop.h"
#include "store/journal.h"
#include "store/manifests.h"

// Journal lines that may wait to be written, and what they may hold; more are dropped.
#define DEFT__KEEPER_LINES_MAX 10000u
#define DEFT__KEEPER_SIZE_MAX  (16u * 1024 * 1024)

// What a server said last, and when (seconds since 1970). Retained; NULL: nothing new.
typedef struct deft__keeper_manifest {
    deft__manifest *manifest;
    uint64_t        checked_at;
} deft__keeper_manifest;

typedef struct deft__keeper_batch {
    deft__record          *records; // their texts are in `arena`
    size_t                 record_count;
    size_t                 record_capacity;
    deft__keeper_manifest *manifests; // by server
    bool                   has_manifests;
    deft_buffer            image;         // a built index; empty: none
    uint64_t               image_version; // of its catalog
    deft__arena            arena;
} deft__keeper_batch;

typedef struct deft__keeper {
    deft__store          *store; // NULL: nothing is kept
    deft__loop           *loop;
    const deft_allocator *allocator;
    deft__alarm          *alarm;
    bool                  is_writing; // another thread has `written` and the store
    bool                  is_closing; // nothing more is begun
    deft__keeper_batch    gathered;
    deft__keeper_batch    written;

    size_t           server_count;
    deft__store_key *keys;       // by server
    bool            *has_keys;   // false: it cannot be started, so nothing is known of it
    uint64_t        *checked_at; // by server; seconds since 1970; 0: never
    deft_view       *names;
    char             variant[17];   // names indexes of these servers
    uint64_t         dropped_count; // journal lines

    void (*note)(void *context, deft_view line); // may be NULL
    void (*idle)(void *context);                 // nothing is being written any more
    void *context;
} deft__keeper;

// `loop` NULL until deft__keeper_begin(). False: no memory.
bool deft__keeper_init(deft__keeper *keeper, deft__store *store, size_t server_count,
                       const deft_allocator *allocator);
bool deft__keeper_begin(deft__keeper *keeper, deft__loop *loop);

// Writes what is left, here and now, and frees. No thread must be writing.
void deft__keeper_clear(deft__keeper *keeper);

// Nothing more is handed to the other thread; true: nothing is there either. Else `idle` tells.
bool deft__keeper_close(deft__keeper *keeper);

void deft__keeper_learn(deft__keeper *keeper, size_t server, deft__manifest *manifest);

// A built index (deft_index_save), in place of one that is not written yet. The bytes become the
// keeper's.
void deft__keeper_take_image(deft__keeper *keeper, uint64_t catalog_version, deft_buffer *image);

// Finds the newest index of these servers, for whatever catalog; nothing where there is none. Before
// anything is handed to the other thread, and when the keys are there.
void deft__keeper_load_image(deft__keeper *keeper, deft_buffer *image);

void deft__keeper_journal(deft__keeper *keeper, const deft__journal_entry *entry,
                          bool has_arguments);

#endif
