#include "core/index/vectors.h"

#include <string.h>

// Words of a field that count. What comes later says less, and the model was trained so.
static const uint16_t words_max[DEFT__FIELD_COUNT] = {
    [DEFT_FIELD_NAME]                   = 32,
    [DEFT_FIELD_TITLE]                  = 32,
    [DEFT_FIELD_SERVER]                 = 16,
    [DEFT_FIELD_DESCRIPTION]            = 96,
    [DEFT_FIELD_PARAMETER_NAMES]        = 48,
    [DEFT_FIELD_PARAMETER_DESCRIPTIONS] = 96,
};

// Adds the words of one field.
static void add_field(const deft__vector_source *source, const uint32_t *stream, size_t count,
                      deft__sum *sum)
{
    const deft_model *model    = source->model;
    uint32_t          previous = DEFT__MODEL_ROW_NONE;
    for (size_t i = 0; i < count; i++) {
        const uint32_t  stem = source->word_stems[stream[i] & ~DEFT__WHOLE_BIT];
        const uint32_t  row  = source->stem_rows[stem];
        const deft_view text = source->stem_texts[stem];
        if (!deft__model_counts(text)) {
            continue;
        } else if (row != DEFT__MODEL_ROW_NONE) {
            deft__sum_add_row(sum, model, row);
        } else if ((stream[i] & DEFT__WHOLE_BIT) == 0) {
            deft__sum_add_grams(sum, model, text);
        }
        if ((stream[i] & DEFT__WHOLE_BIT) != 0) {
            continue;
        }
        if (row != DEFT__MODEL_ROW_NONE && previous != DEFT__MODEL_ROW_NONE) {
            const uint32_t phrase = deft__model_find_phrase(model, previous, row);
            if (phrase != DEFT__MODEL_ROW_NONE) {
                deft__sum_add_row(sum, model, phrase);
            }
        }
        previous = row;
    }
}

void deft__tool_vector(const deft__vector_source *source, const uint32_t *stream,
                       const uint16_t lengths[DEFT__FIELD_COUNT], deft__vector *vector)
{
    const deft_model *model = source->model;
    deft__sum         sum   = {{0}};
    size_t            at    = 0;
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        const uint32_t weight = model->header->field_weights[f];
        const size_t   count  = lengths[f] < words_max[f] ? lengths[f] : words_max[f];
        if (weight > 0 && count > 0) {
            deft__sum field = {{0}};
            add_field(source, stream + at, count, &field);
            deft__sum_merge(&sum, &field, weight, model->dimensions);
        }
        at += lengths[f];
    }
    deft__vector_from(vector, &sum, model->dimensions);
}
