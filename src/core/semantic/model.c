#include "core/semantic/model.h"

#include "base/fail.h"
#include "base/memory.h"

#include <string.h>

static const uint32_t rows_max = UINT32_C(1) << 22;

// --- opening -------------------------------------------------------------------------------------

// Two sums over 64-bit words, the second weighing each by its place: fast, and written the same way
// by the program that makes models.
static uint64_t checksum(const char *bytes, size_t size)
{
    uint64_t plain  = 0;
    uint64_t placed = 0;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, 8);
        plain += word;
        placed += word * (i / 8 + 1);
    }
    return plain ^ (placed << 32 | placed >> 32);
}

// The next table of `count` items; NULL when the bytes end before it does.
static const void *take(deft_view bytes, size_t *at, uint64_t count, size_t item_size)
{
    const size_t start = (*at + 63) / 64 * 64;
    if (start > bytes.size || count > (bytes.size - start) / item_size) {
        return NULL;
    }
    *at = start + (size_t)count * item_size;
    return bytes.data + start;
}

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool is_header_sound(const deft__model_header *header)
{
    return header->dimensions >= 64 && header->dimensions % 64 == 0 &&
           header->dimensions <= DEFT__MODEL_DIMENSIONS_MAX && header->stem_count <= rows_max &&
           header->phrase_count <= rows_max && header->bucket_count >= 1 &&
           header->bucket_count <= rows_max && is_power_of_two(header->slot_count) &&
           is_power_of_two(header->phrase_slot_count) &&
           header->name[DEFT__MODEL_NAME_SIZE - 1] == '\0';
}

static bool are_slots_sound(const uint32_t *slots, uint32_t slot_count, uint32_t item_count)
{
    for (uint32_t i = 0; i < slot_count; i++) {
        if (slots[i] != DEFT__MODEL_ROW_NONE && slots[i] >= item_count) {
            return false;
        }
    }
    return true;
}

static bool are_tables_sound(const deft_model *model)
{
    const deft__model_header *header = model->header;
    for (uint32_t i = 0; i < header->stem_count; i++) {
        if (model->text_starts[i] > model->text_starts[i + 1]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < 2 * header->phrase_count; i++) {
        if (model->phrases[i] >= header->stem_count) {
            return false;
        }
    }
    for (uint32_t i = 0; i < model->row_count; i++) {
        // Sums of rows stay within 32 bits as long as no scale is larger.
        if (model->scales[i] > DEFT__MODEL_SCALE_MAX) {
            return false;
        }
    }
    return model->text_starts[header->stem_count] <= header->text_size &&
           are_slots_sound(model->slots, header->slot_count, header->stem_count) &&
           are_slots_sound(model->phrase_slots, header->phrase_slot_count, header->phrase_count);
}

static deft_status find_tables(deft_model *model, deft_view bytes, deft_error *error)
{
    const deft__model_header *header = (const void *)bytes.data;
    if (bytes.size < sizeof *header || header->magic != DEFT__MODEL_MAGIC) {
        return deft__fail(error, DEFT_INVALID, 0, "this is not a model of deft's");
    }
    if (header->version != DEFT__MODEL_VERSION) {
        return deft__fail(error, DEFT_INVALID, offsetof(deft__model_header, version),
                          "the model has version %u and this deft reads %u",
                          (unsigned)header->version, DEFT__MODEL_VERSION);
    }
    size_t at           = sizeof *header;
    model->header       = header;
    model->size         = bytes.size;
    bool is_sound       = is_header_sound(header);
    model->dimensions   = header->dimensions;
    model->first_bucket = is_sound ? header->stem_count + header->phrase_count : 0;
    model->row_count    = is_sound ? model->first_bucket + header->bucket_count : 0;
    if (is_sound) {
        model->slots       = take(bytes, &at, header->slot_count, sizeof *model->slots);
        model->text_starts = take(bytes, &at, (uint64_t)header->stem_count + 1, sizeof(uint32_t));
        model->texts       = take(bytes, &at, header->text_size, 1);
        model->phrase_slots =
            take(bytes, &at, header->phrase_slot_count, sizeof *model->phrase_slots);
        model->phrases = take(bytes, &at, 2 * (uint64_t)header->phrase_count, sizeof(uint32_t));
        model->scales  = take(bytes, &at, model->row_count, sizeof *model->scales);
        model->norms   = take(bytes, &at, model->row_count, sizeof *model->norms);
        model->rows    = take(bytes, &at, (uint64_t)model->row_count * model->dimensions, 1);
    }
    is_sound =
        is_sound && model->slots != NULL && model->text_starts != NULL && model->texts != NULL &&
        model->phrase_slots != NULL && model->phrases != NULL && model->scales != NULL &&
        model->norms != NULL && model->rows != NULL && at == bytes.size &&
        header->checksum == checksum(bytes.data + sizeof *header, bytes.size - sizeof *header) &&
        are_tables_sound(model);
    return is_sound ? DEFT_OK : deft__fail(error, DEFT_INVALID, 0, "the model is damaged");
}

deft_model *deft_model_open(deft_view bytes, const deft_allocator *allocator, deft_error *error)
{
    deft_model *model = deft__new(allocator, sizeof *model);
    if (model == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    model->allocator = allocator;
    if ((uintptr_t)bytes.data % 8 != 0) {
        model->copy = deft__new(allocator, bytes.size);
        model->size = bytes.size;
        if (model->copy == NULL) {
            deft_model_free(model);
            deft__fail_memory(error);
            return NULL;
        }
        memcpy(model->copy, bytes.data, bytes.size);
        bytes.data = model->copy;
    }
    if (find_tables(model, bytes, error) != DEFT_OK) {
        model->size = bytes.size;
        deft_model_free(model);
        return NULL;
    }
    return model;
}

void deft_model_free(deft_model *model)
{
    if (model != NULL) {
        deft__free(model->allocator, model->copy, model->copy != NULL ? model->size : 0);
        deft__free(model->allocator, model, sizeof *model);
    }
}

deft_model_facts deft_model_tell(const deft_model *model)
{
    const deft__model_header *header = model->header;
    uint64_t                  fields = 0;
    for (uint32_t i = 0; i < DEFT__MODEL_FIELDS; i++) {
        fields = fields * 31 + header->field_weights[i];
    }
    return (deft_model_facts){
        .name         = deft_view_of(header->name),
        .version      = header->checksum ^ fields,
        .dimensions   = header->dimensions,
        .stem_count   = header->stem_count,
        .phrase_count = header->phrase_count,
        .bucket_count = header->bucket_count,
        .size         = model->size,
    };
}

// --- finding -------------------------------------------------------------------------------------

static uint32_t fnv1a(const char *bytes, size_t size)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT32_C(16777619);
    }
    return hash;
}

uint32_t deft__model_find(const deft_model *model, deft_view stem)
{
    const uint32_t mask = model->header->slot_count - 1;
    uint32_t       slot = fnv1a(stem.data, stem.size) & mask;
    for (uint32_t probe = 0; probe < DEFT__MODEL_PROBES_MAX; probe++) {
        const uint32_t row = model->slots[slot];
        if (row == DEFT__MODEL_ROW_NONE) {
            break;
        }
        const uint32_t start = model->text_starts[row];
        if (model->text_starts[row + 1] - start == stem.size &&
            memcmp(model->texts + start, stem.data, stem.size) == 0) {
            return row;
        }
        slot = (slot + 1) & mask;
    }
    return DEFT__MODEL_ROW_NONE;
}

uint32_t deft__model_find_phrase(const deft_model *model, uint32_t first, uint32_t second)
{
    const uint32_t mask = model->header->phrase_slot_count - 1;
    uint32_t       slot = (first * UINT32_C(2654435761) + second * UINT32_C(40503)) >> 7 & mask;
    for (uint32_t probe = 0; probe < DEFT__MODEL_PROBES_MAX; probe++) {
        const uint32_t phrase = model->phrase_slots[slot];
        if (phrase == DEFT__MODEL_ROW_NONE) {
            break;
        }
        if (model->phrases[2 * phrase] == first && model->phrases[2 * phrase + 1] == second) {
            return model->header->stem_count + phrase;
        }
        slot = (slot + 1) & mask;
    }
    return DEFT__MODEL_ROW_NONE;
}

bool deft__model_counts(deft_view stem)
{
    size_t digits = 0;
    while (digits < stem.size && stem.data[digits] >= '0' && stem.data[digits] <= '9') {
        digits++;
    }
    return stem.size > 1 && digits < stem.size;
}

size_t deft__model_grams(const deft_model *model, deft_view stem,
                         uint32_t rows[DEFT__MODEL_GRAMS_MAX])
{
    char         marked[256] = "<";
    const size_t size        = stem.size + 2;
    size_t       count       = 0;
    if (size > sizeof marked) {
        return 0;
    }
    for (size_t i = 0; i < stem.size; i++) {
        if ((unsigned char)stem.data[i] >= 0x80) {
            return 0;
        }
        marked[i + 1] = stem.data[i];
    }
    marked[size - 1] = '>';
    for (size_t length = 3; length <= 4; length++) {
        for (size_t i = 0; i + length <= size && count < DEFT__MODEL_GRAMS_MAX; i++) {
            rows[count++] =
                model->first_bucket + fnv1a(marked + i, length) % model->header->bucket_count;
        }
    }
    return count;
}
