// Which words carry a need, and which mean nearly the same. Proves parts of C9.
#include "core/analysis/thesaurus.h"
#include "core/analysis/words.h"

#include "support/test.h"

static void words_that_carry_no_need_weigh_little(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        unsigned    weight;
    } cases[] = {
        {"the", DEFT__WORD_WEIGHT_FUNCTION},        {"a", DEFT__WORD_WEIGHT_FUNCTION},
        {"yourselves", DEFT__WORD_WEIGHT_FUNCTION}, {"please", DEFT__WORD_WEIGHT_POLITE},
        {"find", DEFT__WORD_WEIGHT_POLITE},         {"also", DEFT__WORD_WEIGHT_POLITE},
        {"wants", DEFT__WORD_WEIGHT_POLITE},        {"delete", DEFT__WORD_WEIGHT_FULL},
        {"issue", DEFT__WORD_WEIGHT_FULL},          {"th", DEFT__WORD_WEIGHT_FULL},
        {"thee", DEFT__WORD_WEIGHT_FULL},           {"", DEFT__WORD_WEIGHT_FULL},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].word);
        assert_int_equal(deft__word_weight(deft_view_of(cases[i].word)), cases[i].weight);
    }
}

static void every_group_has_at_least_two_entries(void **state)
{
    (void)state;
    assert_true(deft__thesaurus_count() > 100);
    for (size_t i = 0; i < deft__thesaurus_count(); i++) {
        deft_view rest  = deft__thesaurus_group(i);
        deft_view entry = {NULL, 0};
        size_t    count = 0;
        while (deft__thesaurus_next(&rest, &entry)) {
            assert_true(entry.data[0] != ' ' && entry.data[entry.size - 1] != ' ');
            count++;
        }
        assert_true(count >= 2);
    }
}

static void entries_come_off_one_by_one(void **state)
{
    (void)state;
    deft_view rest = deft_view_of("ticket, work item,bug");
    deft_view entry;
    assert_true(deft__thesaurus_next(&rest, &entry));
    assert_view_equal(entry, "ticket");
    assert_true(deft__thesaurus_next(&rest, &entry));
    assert_view_equal(entry, "work item");
    assert_true(deft__thesaurus_next(&rest, &entry));
    assert_view_equal(entry, "bug");
    assert_false(deft__thesaurus_next(&rest, &entry));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_carry_no_need_weigh_little),
        cmocka_unit_test(every_group_has_at_least_two_entries),
        cmocka_unit_test(entries_come_off_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
