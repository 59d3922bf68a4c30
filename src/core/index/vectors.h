// vectors.h - what a tool means: the sum of what its words mean, field by field, as one direction.
#ifndef DEFT_CORE_INDEX_VECTORS_H
#define DEFT_CORE_INDEX_VECTORS_H

#include "core/index/weigh.h"
#include "core/semantic/vector.h"

// Marks a word of a stream as an identifier whose parts came before it.
#define DEFT__WHOLE_BIT (UINT32_C(1) << 31)

// Where the words of tools are looked up.
typedef struct deft__vector_source {
    const deft_model *model;
    const uint32_t   *word_stems; // per word
    const deft_view  *stem_texts; // per stem
    const uint32_t   *stem_rows;  // per stem: its row of the model, DEFT__MODEL_ROW_NONE: none
} deft__vector_source;

// The direction of a tool whose words are in `stream`, field after field with `lengths` words each;
// a word is a number, wholes have DEFT__WHOLE_BIT.
void deft__tool_vector(const deft__vector_source *source, const uint32_t *stream,
                       const uint16_t lengths[DEFT__FIELD_COUNT], deft__vector *vector);

#endif
