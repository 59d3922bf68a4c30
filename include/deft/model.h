// model.h - what words mean: a table of vectors, one per stem, in which words that are used alike lie
// close together. An index that is given a model finds tools that share no word with a query. A model
// never changes; threads may share it. It works over bytes in memory: a mapped file, or the one that
// is built in.
#ifndef DEFT_MODEL_H
#define DEFT_MODEL_H

#include "deft/allocator.h"
#include "deft/error.h"
#include "deft/export.h"
#include "deft/view.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_model deft_model;

// The bytes of the model that this library was built with; empty when it was built without one.
DEFT_API deft_view deft_model_builtin(void);

// A model in `bytes`, which are borrowed: they must stay until deft_model_free(). At an address that
// is a multiple of 8 they are used where they are, elsewhere they are copied. Any bytes are safe.
// New: free with deft_model_free(). NULL on failure. DEFT_INVALID: the bytes are no model, damaged, or
// of another version of the format.
DEFT_API deft_model *deft_model_open(deft_view bytes, const deft_allocator *allocator,
                                     deft_error *error);
DEFT_API void        deft_model_free(deft_model *model); // NULL is fine

typedef struct deft_model_facts {
    deft_view name;         // borrowed from the model
    uint64_t  version;      // differs between models: a checksum of all that matters
    uint32_t  dimensions;   // of a vector
    uint32_t  stem_count;   // words with a vector of their own
    uint32_t  phrase_count; // pairs of words with one
    uint32_t  bucket_count; // groups of letters that stand in for unknown words
    size_t    size;         // bytes
} deft_model_facts;

DEFT_API deft_model_facts deft_model_tell(const deft_model *model);

#ifdef __cplusplus
}
#endif
#endif
