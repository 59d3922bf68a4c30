// explain.h - an explanation while it is made.
#ifndef DEFT_CORE_RANKING_EXPLAIN_H
#define DEFT_CORE_RANKING_EXPLAIN_H

#include "base/arena.h"
#include "core/ranking/searcher.h"
#include "deft/explain.h"

struct deft_explanation {
    const deft_allocator *allocator;
    deft__arena           arena;   // all below
    deft_catalog         *catalog; // retained
    deft_view             query;
    deft_ranking          ranking; // the one that was used
    size_t                hit_count;
    deft_filtering        filtering;
    deft_asked_word      *words;
    size_t                word_count;
    deft_account         *accounts;
    size_t                account_count;
};

// One run while it is explained. Expansions are those of the needs, or the one of the query's words.
typedef struct deft__explaining {
    deft_explanation *explanation;
    deft_searcher    *searcher;
    const deft_query *query;
    deft__expansion  *expansions; // their texts are the explanation's
    deft_view        *texts;      // what each expands
    size_t            expansion_count;
    bool              is_miss; // only what a miss is told is wanted
    bool              has_run; // the searcher has run the query last
    deft_error       *error;
} deft__explaining;

// The shares of one tool while they are gathered; equal ones become one.
typedef struct deft__shares {
    deft__arena          *arena; // of the texts, and in the end of the shares
    const deft_allocator *allocator;
    deft_share           *items;
    size_t                count;
    size_t                capacity;
} deft__shares;

void deft__shares_init(deft__shares *shares, deft_explanation *explanation);
void deft__shares_clear(deft__shares *shares);
bool deft__shares_add(void *shares, deft_share share); // copies the texts; false: no memory

// Puts them, largest first, and their sum into `account`. False: no memory.
bool deft__shares_finish(deft__shares *shares, deft_account *account);

// Makes the expansions of the run. DEFT_OUT_OF_MEMORY is the only failure.
deft_status deft__explain_expand(deft__explaining *x);

// What became of the query's words, and of the tools that match. The same.
deft_status deft__explain_words(deft__explaining *x);
deft_status deft__explain_filtering(deft__explaining *x);

// The parts of a tool's score. `account` has its tool, and its place where it is a hit.
deft_status deft__account_hybrid(deft__explaining *x, deft_account *account);
deft_status deft__account_plain(deft__explaining *x, deft_account *account);

// Explains why a query found nothing, and of that only what deft__explanation_write_miss() tells: it says
// so to a model that waits. `has_run`: the searcher has run the query last, or one that finds the same.
deft_explanation *deft__explanation_new_miss(deft_searcher *searcher, const deft_query *query,
                                             bool has_run, const deft_allocator *allocator,
                                             deft_error *error);

// Writes which words no tool has and what comes near, and what the query itself kept out, as
// sentences for a model; nothing when there is nothing to say. At most some hundred bytes.
void deft__explanation_write_miss(const deft_explanation *explanation, deft_buffer *out);

#endif
