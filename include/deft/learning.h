// learning.h - what use teaches the search. A host that knows which tool was called after which
// query tells it; such tools are raised for similar queries, in ranking `hybrid`. The lift is at most
// a quarter of what a tool scores by its words, so words stay in charge: what has none of them is not
// found, no hit is lost, and a tool that the query names stays above all. Without data nothing
// changes. A learning is made once and never changes; threads may share it.
#ifndef DEFT_LEARNING_H
#define DEFT_LEARNING_H

#include "deft/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_learning deft_learning;

// One tool was called after one query.
typedef struct deft_use {
    deft_view query; // what was searched for
    deft_view tool;  // the id of the tool, "server::tool"
    uint32_t  count; // how often
} deft_use;

#define DEFT_LEARNING_USES_MAX     1000000u // more are DEFT_LIMIT
#define DEFT_LEARNING_LIFT_PERCENT 25u      // the most that a tool can gain

// Learns from `uses`, which may be freed then. `index` must outlive the learning. Uses of tools that
// the index does not have, and queries without a word of its own, teach nothing. New: free with
// deft_learning_free(). NULL on failure.
DEFT_API deft_learning *deft_learning_new(const deft_index *index, const deft_use *uses,
                                          size_t count, const deft_allocator *allocator,
                                          deft_error *error);
DEFT_API void           deft_learning_free(deft_learning *learning); // NULL is fine

// How many of the uses teach something.
DEFT_API size_t deft_learning_count(const deft_learning *learning);

// Lets all later runs of `searcher` use what was learned, or, with NULL, nothing. Borrowed: it must
// outlive the searcher or be replaced. DEFT_CONFLICT: it was learned for another index.
DEFT_API deft_status deft_searcher_learn(deft_searcher *searcher, const deft_learning *learning,
                                         deft_error *error);

#ifdef __cplusplus
}
#endif
#endif
