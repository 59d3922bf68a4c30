// The model that is built in, and what is no model. Proves a part of C9.
#include "core/semantic/model.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

#include <stdlib.h>

static deft_model *open_builtin(void)
{
    deft_error error = DEFT_ERROR_INIT;
    if (deft_model_builtin().size == 0) {
        skip(); // built without
    }
    deft_model *model = deft_model_open(deft_model_builtin(), NULL, &error);
    assert_ok(error.status, error);
    assert_non_null(model);
    return model;
}

static void a_model_tells_what_it_is(void **state)
{
    (void)state;
    deft_model            *model = open_builtin();
    const deft_model_facts facts = deft_model_tell(model);
    assert_true(deft_view_starts_with(facts.name, deft_view_of("tools-256-")));
    assert_int_equal(facts.dimensions, 256);
    assert_int_equal(facts.stem_count, 20000);
    assert_int_equal(facts.phrase_count, 4000);
    assert_int_equal(facts.bucket_count, 4096);
    assert_int_equal(facts.size, deft_model_builtin().size);
    assert_true(facts.size <= 8000000);
    deft_model_free(model);
    deft_model_free(NULL);
}

static void stems_and_phrases_have_rows(void **state)
{
    (void)state;
    deft_model *model = open_builtin();
    static const struct {
        const char *stem;
        bool        is_known;
    } cases[] = {
        {"issu", true},       {"ticket", true}, {"github", true},  {"forecast", true},
        {"incidencia", true}, {"天気", true},   {"xyzzyq", false}, {"", false},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].stem);
        const uint32_t row = deft__model_find(model, deft_view_of(cases[i].stem));
        assert_int_equal(row != DEFT__MODEL_ROW_NONE, cases[i].is_known);
    }
    const uint32_t pull    = deft__model_find(model, deft_view_of("pull"));
    const uint32_t request = deft__model_find(model, deft_view_of("request"));
    const uint32_t phrase  = deft__model_find_phrase(model, pull, request);
    assert_in_range(phrase, 20000, 23999);
    assert_int_equal(deft__model_find_phrase(model, request, pull), DEFT__MODEL_ROW_NONE);
    deft_model_free(model);
}

static void letters_stand_in_for_unknown_words(void **state)
{
    (void)state;
    deft_model *model = open_builtin();
    uint32_t    rows[DEFT__MODEL_GRAMS_MAX];
    assert_int_equal(deft__model_grams(model, deft_view_of("ab"), rows), 3); // <ab ab> <ab>
    assert_in_range(rows[0], model->first_bucket, model->row_count - 1);
    assert_int_equal(deft__model_grams(model, deft_view_of("forceastings"), rows), 14);
    assert_int_equal(deft__model_grams(model, deft_view_of("天気"), rows), 0);
    char long_word[300];
    memset(long_word, 'a', sizeof long_word);
    assert_int_equal(deft__model_grams(model, deft_view_make(long_word, 300), rows), 0);

    assert_true(deft__model_counts(deft_view_of("s3")));
    assert_false(deft__model_counts(deft_view_of("s")));
    assert_false(deft__model_counts(deft_view_of("2024")));
    deft_model_free(model);
}

// A small model, to be damaged: one stem, one phrase of it with itself, one bucket, 64 numbers.
typedef struct small_model {
    _Alignas(8) char bytes[2048];
    size_t size;
} small_model;

static void put(small_model *small, const void *table, size_t size)
{
    small->size = (small->size + 63) / 64 * 64;
    memcpy(small->bytes + small->size, table, size);
    small->size += size;
}

static void seal(small_model *small)
{
    deft__model_header *header = (void *)small->bytes;
    uint64_t            plain  = 0;
    uint64_t            placed = 0;
    for (size_t i = sizeof *header; i + 8 <= small->size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, small->bytes + i, 8);
        plain += word;
        placed += word * ((i - sizeof *header) / 8 + 1);
    }
    header->checksum = plain ^ (placed << 32 | placed >> 32);
}

static void make_small(small_model *small)
{
    const deft__model_header header = {
        .magic             = DEFT__MODEL_MAGIC,
        .version           = DEFT__MODEL_VERSION,
        .dimensions        = 64,
        .stem_count        = 1,
        .phrase_count      = 1,
        .bucket_count      = 1,
        .slot_count        = 1,
        .phrase_slot_count = 1,
        .text_size         = 2,
        .name              = "small",
    };
    const uint32_t slot[1]     = {0};
    const uint32_t starts[2]   = {0, 2};
    const uint32_t phrase[2]   = {0, 0};
    const uint16_t scales[3]   = {100, 100, 100};
    const int8_t   rows[3][64] = {{1}, {2}, {3}};
    memset(small, 0, sizeof *small);
    memcpy(small->bytes, &header, sizeof header);
    small->size = sizeof header;
    put(small, slot, sizeof slot);
    put(small, starts, sizeof starts);
    put(small, "go", 2);
    put(small, slot, sizeof slot);
    put(small, phrase, sizeof phrase);
    put(small, scales, sizeof scales);
    put(small, scales, sizeof scales);
    put(small, rows, sizeof rows);
    seal(small);
}

static void break_magic(small_model *small)
{
    small->bytes[0] = 'X';
}

static void break_version(small_model *small)
{
    ((deft__model_header *)(void *)small->bytes)->version = 9;
}

static void break_dimensions(small_model *small)
{
    ((deft__model_header *)(void *)small->bytes)->dimensions = 65;
}

static void break_counts(small_model *small)
{
    ((deft__model_header *)(void *)small->bytes)->stem_count = UINT32_MAX;
}

static void break_row(small_model *small)
{
    small->bytes[small->size - 9] = 7; // and does not seal it
}

static void break_slot(small_model *small)
{
    small->bytes[128] = 5; // the first table lies there
    seal(small);
}

static void break_starts(small_model *small)
{
    small->bytes[192] = 9;
    seal(small);
}

static void break_phrase(small_model *small)
{
    small->bytes[384] = 3;
    seal(small);
}

static void break_scale(small_model *small)
{
    small->bytes[449] = 127;
    seal(small);
}

static void break_size(small_model *small)
{
    small->size -= 1;
}

static void break_header(small_model *small)
{
    small->size = sizeof(deft__model_header) - 1;
}

static const struct {
    const char *name;
    void (*damage)(small_model *small);
    const char *message;
} damages[] = {
    {"other bytes", break_magic, "this is not a model of deft's"},
    {"less than a header", break_header, "this is not a model of deft's"},
    {"another version", break_version, "the model has version 9 and this deft reads 1"},
    {"a number of dimensions that no loop can take", break_dimensions, "the model is damaged"},
    {"more stems than bytes", break_counts, "the model is damaged"},
    {"a changed row", break_row, "the model is damaged"},
    {"a slot for no stem", break_slot, "the model is damaged"},
    {"texts that end before they begin", break_starts, "the model is damaged"},
    {"a phrase of no stem", break_phrase, "the model is damaged"},
    {"a scale that sums could not hold", break_scale, "the model is damaged"},
    {"a byte too few", break_size, "the model is damaged"},
};

static void what_is_damaged_is_refused(void **state)
{
    (void)state;
    small_model small;
    make_small(&small);
    deft_model *model = deft_model_open(deft_view_make(small.bytes, small.size), NULL, NULL);
    assert_non_null(model);
    assert_int_equal(deft__model_find(model, deft_view_of("go")), 0);
    assert_int_equal(deft__model_find(model, deft_view_of("come")), DEFT__MODEL_ROW_NONE);
    assert_int_equal(deft__model_find_phrase(model, 0, 0), 1);
    deft_model_free(model);
    for (size_t i = 0; i < array_size(damages); i++) {
        deft_error error = DEFT_ERROR_INIT;
        case_name(damages[i].name);
        make_small(&small);
        damages[i].damage(&small);
        // At the end of a page, so that reading on would be noticed.
        test_guard      guard;
        const deft_view bytes = test_guard_copy(&guard, deft_view_make(small.bytes, small.size));
        assert_null(deft_model_open(bytes, NULL, &error));
        assert_int_equal(error.status, DEFT_INVALID);
        assert_string_equal(error.message, damages[i].message);
        test_guard_clear(&guard);
    }
}

static bool open_anywhere(const deft_allocator *allocator, void *context)
{
    const small_model *small = context;
    char               shifted[sizeof small->bytes + 8];
    char *odd = shifted + 1 + (8 - (uintptr_t)shifted % 8) % 8; // never a multiple of 8
    memcpy(odd, small->bytes, small->size);
    deft_error  error = DEFT_ERROR_INIT;
    deft_model *model = deft_model_open(deft_view_make(odd, small->size), allocator, &error);
    if (model == NULL) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        return false;
    }
    memset(shifted, 0, sizeof shifted); // it has its own copy
    assert_int_equal(deft__model_find(model, deft_view_of("go")), 0);
    deft_model_free(model);
    return true;
}

static void bytes_may_lie_anywhere(void **state)
{
    (void)state;
    small_model small;
    make_small(&small);
    assert_int_equal(test_every_allocation_fails(open_anywhere, &small), 2);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_model_tells_what_it_is),
        cmocka_unit_test(stems_and_phrases_have_rows),
        cmocka_unit_test(letters_stand_in_for_unknown_words),
        cmocka_unit_test(what_is_damaged_is_refused),
        cmocka_unit_test(bytes_may_lie_anywhere),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
