// What a word says through a field, and that an index can be taken apart again. Proves a part of C9.
#include "core/index/weigh.h"

#include "core/index/fields.h"
#include "core/index/index.h"
#include "support/searching.h"
#include "support/test.h"

static void worth_grows_with_repeats_and_falls_with_length(void **state)
{
    (void)state;
    const deft__field_total total = {.words = 300, .tools = 30};
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        const deft_field field = (deft_field)f;
        const uint64_t   once  = deft__field_worth(field, &total, 1, 10);
        assert_true(deft__field_worth(field, &total, 0, 10) == 0);
        assert_true(deft__field_worth(field, &total, 2, 10) > once);
        assert_true(deft__field_worth(field, &total, 1, 20) < once);
        assert_true(deft__field_worth(field, &total, 9, 10) ==
                    deft__field_worth(field, &total, 3, 10));
    }
    assert_true(deft__field_worth(DEFT_FIELD_NAME, &total, 1, 10) >
                deft__field_worth(DEFT_FIELD_DESCRIPTION, &total, 1, 10));
    assert_int_equal(deft__field_worth(DEFT_FIELD_NAME, &(deft__field_total){0, 0}, 1, 1), 0);
    assert_int_equal(deft__impact_from(0), 1);
    assert_true(deft__impact_from(100000000) >= 254);
}

#define TERMS_MAX 512

typedef struct reading {
    const deft__image *image;
    deft_analyzer     *analyzer;
    uint32_t           lengths[DEFT__FIELD_COUNT];
    uint32_t           repeats[TERMS_MAX][DEFT__FIELD_COUNT];
} reading;

static bool read_text(void *context, deft_field field, deft_view text)
{
    reading         *r     = context;
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(r->analyzer, text, SIZE_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        const deft__word *word = &r->image->words[deft__image_find_word(r->image, terms[i].word)];
        r->repeats[word->stem][field]++;
        if (word->form != word->stem) {
            r->repeats[word->form][field]++;
        }
    }
    r->lengths[field] += (uint32_t)count;
    return true;
}

// Every impact of an index is what the tool's texts give with the totals in its header.
static void impacts_can_be_taken_apart(void **state)
{
    (void)state;
    test_random    random = {3};
    test_searching searching;
    test_searching_init_random(&searching, &random, 50);
    const deft__image *image    = &searching.index->image;
    deft_analyzer     *analyzer = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    deft__field_reader fields;
    deft__field_reader_init(&fields, NULL);
    assert_true(image->term_count <= TERMS_MAX);
    for (uint32_t tool = 0; tool < 50; tool++) {
        reading r = {.image = image, .analyzer = analyzer};
        assert_int_equal(deft__fields_visit(&fields, searching.scene.catalog, (deft_tool_id){tool},
                                            read_text, &r),
                         DEFT_OK);
        for (uint32_t term = 0; term < image->term_count; term++) {
            uint64_t worth = 0;
            bool     has   = false;
            for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
                worth += deft__field_worth((deft_field)f, &image->header->fields[f],
                                           r.repeats[term][f], r.lengths[f]);
                has = has || r.repeats[term][f] > 0;
            }
            assert_int_equal(deft__image_impact(image, term, tool),
                             has ? deft__impact_from(worth) : 0);
        }
    }
    deft__field_reader_clear(&fields);
    deft_analyzer_free(analyzer);
    test_searching_clear(&searching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worth_grows_with_repeats_and_falls_with_length),
        cmocka_unit_test(impacts_can_be_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
