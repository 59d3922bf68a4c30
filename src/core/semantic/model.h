// model.h - rows of a model: which row a stem or a phrase has. The format, little-endian: a header,
// then these tables, each at a multiple of 64 bytes:
//
//     slots          uint32_t   a hash of stems: FNV-1a, looked through one after another
//     text starts    uint32_t   of each stem in the texts, and one more
//     texts          char
//     phrase slots   uint32_t   a hash of phrases
//     phrases        uint32_t   two stems each
//     scales         uint16_t   per row: what a step of its numbers is worth, in 2^-16
//     norms          uint16_t   per row: the length of its numbers, in 1/16
//     rows           int8_t     stems, then phrases, then buckets of letter groups
//
// Whole numbers only: the same vectors on every processor and compiler.
#ifndef DEFT_CORE_SEMANTIC_MODEL_H
#define DEFT_CORE_SEMANTIC_MODEL_H

#include "deft/model.h"

#include <stdbool.h>
#include <stddef.h>

#define DEFT__MODEL_MAGIC          UINT64_C(0x3143455654464544) // "DEFTVEC1"
#define DEFT__MODEL_VERSION        1u
#define DEFT__MODEL_NAME_SIZE      32u
#define DEFT__MODEL_FIELDS         8u
#define DEFT__MODEL_ROW_NONE       UINT32_MAX
#define DEFT__MODEL_DIMENSIONS_MAX 256u
#define DEFT__MODEL_SCALE_MAX      4096u

// Groups of letters of an unknown word that count.
#define DEFT__MODEL_GRAMS_MAX 14u

// Slots that are looked at for one stem. The writer keeps to it; it bounds what a lookup costs.
#define DEFT__MODEL_PROBES_MAX 64u

typedef struct deft__model_header {
    uint64_t magic;
    uint32_t version;
    uint32_t dimensions; // a multiple of 64
    uint32_t stem_count;
    uint32_t phrase_count;
    uint32_t bucket_count;
    uint32_t slot_count; // a power of two
    uint32_t phrase_slot_count;
    uint32_t text_size;
    uint16_t field_weights[DEFT__MODEL_FIELDS]; // by deft_field, in 1/256
    uint64_t checksum;                          // of all behind the header
    char     name[DEFT__MODEL_NAME_SIZE];       // ends in NUL
} deft__model_header;

struct deft_model {
    const deft_allocator     *allocator;
    char                     *copy; // of bytes that were not aligned
    size_t                    size;
    const deft__model_header *header;
    const uint32_t           *slots;
    const uint32_t           *text_starts;
    const char               *texts;
    const uint32_t           *phrase_slots;
    const uint32_t           *phrases;
    const uint16_t           *scales;
    const uint16_t           *norms;
    const int8_t             *rows;
    uint32_t                  dimensions;
    uint32_t                  row_count;
    uint32_t                  first_bucket; // row
};

// The row of a stem, or of two stems (given by their rows) that stand side by side;
// DEFT__MODEL_ROW_NONE when there is none.
uint32_t deft__model_find(const deft_model *model, deft_view stem);
uint32_t deft__model_find_phrase(const deft_model *model, uint32_t first, uint32_t second);

// Whether a stem says anything: more than a letter or a number.
bool deft__model_counts(deft_view stem);

// The rows that stand in for a stem without one; how many. None for what is not ASCII.
size_t deft__model_grams(const deft_model *model, deft_view stem,
                         uint32_t rows[DEFT__MODEL_GRAMS_MAX]);

static inline const int8_t *deft__model_row(const deft_model *model, uint32_t row)
{
    return model->rows + (size_t)row * model->dimensions;
}

#endif
