// keeper.h - puts into the store what is learned while serving, without anyone waiting for a disk:
// manifests, journal lines and images gather here and are written by another thread, some at a time.
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
    deft__snapshot        *snapshot; // an image of it is wanted; retained; NULL: none
    bool        is_used; // the store should know that what it has of our servers is in use
    deft__arena arena;
} deft__keeper_batch;

typedef struct deft__keeper {
    deft__store          *store; // NULL: nothing is kept
    deft__loop           *loop;
    const deft_allocator *allocator;
    deft__alarm          *alarm;
    const deft_settings  *settings;   // for images
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
bool deft__keeper_init(deft__keeper *keeper, deft__store *store, const deft_settings *settings,
                       size_t server_count, const deft_allocator *allocator);
bool deft__keeper_begin(deft__keeper *keeper, deft__loop *loop);

// Lends the store to somebody else's work on another thread: nothing is written until it is given back,
// on this one. Nothing must be written just then.
void deft__keeper_lend(deft__keeper *keeper);
void deft__keeper_give_back(deft__keeper *keeper);

// Writes what is left, here and now, and frees. No thread must be writing.
void deft__keeper_clear(deft__keeper *keeper);

// Nothing more is handed to the other thread; true: nothing is there either. Else `idle` tells.
bool deft__keeper_close(deft__keeper *keeper);

void deft__keeper_learn(deft__keeper *keeper, size_t server, deft__manifest *manifest);

// Keeps an image of a snapshot for the next start, in place of one that is not written yet. Retained.
void deft__keeper_image(deft__keeper *keeper, deft__snapshot *snapshot);

// Says that what is kept of our servers is in use, so that it is not forgotten. Once a day is enough.
void deft__keeper_touch(deft__keeper *keeper);

// The image of these servers, of whatever catalog; NULL: there is none. When the keys are there, before
// anything is handed to the other thread or while the store is lent. New: release it.
deft__bytes *deft__keeper_load_image(deft__keeper *keeper);

void deft__keeper_journal(deft__keeper *keeper, const deft__journal_entry *entry,
                          bool has_arguments);

#endif
