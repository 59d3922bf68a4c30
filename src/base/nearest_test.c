// "Did you mean": distances between words.
#include "base/nearest.h"

#include "support/random.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *a;
    const char *b;
    size_t      distance;
} cases[] = {
    {"the same", "threshold", "threshold", 0},
    {"upper and lower case are equal", "maxResults", "MAXRESULTS", 0},
    {"dashes and underscores are equal", "max-results", "max_results", 0},
    {"a letter missing", "treshold", "threshold", 1},
    {"a letter too many", "threshhold", "threshold", 1},
    {"another letter", "thresholt", "threshold", 1},
    {"two neighbours swapped", "thershold", "threshold", 1},
    {"swapped at the start", "htreshold", "threshold", 1},
    {"nothing and a word", "", "pin", 3},
    {"a word and nothing", "pin", "", 3},
    {"nothing and nothing", "", "", 0},
    {"the textbook's example", "kitten", "sitting", 3},
    {"a swap is not edited once more", "ca", "abc", 3},
    {"all different", "abc", "xyz", 3},
};

static void edits_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const deft_view a = deft_view_of(cases[i].a);
        const deft_view b = deft_view_of(cases[i].b);
        assert_int_equal(deft__edit_distance(a, b, 10), cases[i].distance);
        assert_int_equal(deft__edit_distance(b, a, 10), cases[i].distance);
    }
}

static void beyond_the_limit_is_one_more_than_it(void **state)
{
    (void)state;
    const deft_view a = deft_view_of("kitten");
    const deft_view b = deft_view_of("sitting");
    assert_int_equal(deft__edit_distance(a, b, 3), 3);
    assert_int_equal(deft__edit_distance(a, b, 2), 3);
    assert_int_equal(deft__edit_distance(a, b, 0), 1);
}

static void a_limit_changes_nothing_below_it(void **state)
{
    (void)state;
    test_random random = {.state = 1};
    for (size_t i = 0; i < 20000; i++) {
        char         a[10];
        char         b[10];
        const size_t a_size = test_random_below(&random, sizeof a + 1);
        const size_t b_size = test_random_below(&random, sizeof b + 1);
        for (size_t j = 0; j < sizeof a; j++) {
            a[j] = (char)('a' + test_random_below(&random, 3));
            b[j] = (char)('a' + test_random_below(&random, 3));
        }
        const deft_view x        = deft_view_make(a, a_size);
        const deft_view y        = deft_view_make(b, b_size);
        const size_t    limit    = test_random_below(&random, 6);
        const size_t    distance = deft__edit_distance(x, y, 100);
        assert_int_equal(deft__edit_distance(x, y, limit),
                         distance <= limit ? distance : limit + 1);
    }
}

// The whole table, as in a textbook.
static size_t plain_distance(deft_view a, deft_view b)
{
    size_t table[11][11];
    for (size_t i = 0; i <= a.size; i++) {
        for (size_t j = 0; j <= b.size; j++) {
            size_t best = i == 0 ? j : i;
            if (i > 0 && j > 0) {
                const size_t change = table[i - 1][j - 1] + (a.data[i - 1] != b.data[j - 1]);
                const size_t gap =
                    table[i - 1][j] < table[i][j - 1] ? table[i - 1][j] + 1 : table[i][j - 1] + 1;
                best = change < gap ? change : gap;
            }
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1] && table[i - 2][j - 2] + 1 < best) {
                best = table[i - 2][j - 2] + 1;
            }
            table[i][j] = best;
        }
    }
    return table[a.size][b.size];
}

static void what_is_left_out_would_not_matter(void **state)
{
    (void)state;
    test_random random = {.state = 2};
    for (size_t i = 0; i < 50000; i++) {
        char         a[10];
        char         b[10];
        const size_t letters = 1 + test_random_below(&random, 4);
        for (size_t j = 0; j < sizeof a; j++) {
            a[j] = (char)('a' + test_random_below(&random, letters));
            b[j] = test_random_once_in(&random, 3)
                       ? (char)('a' + test_random_below(&random, letters))
                       : a[j];
        }
        const deft_view x        = deft_view_make(a, test_random_below(&random, sizeof a + 1));
        const deft_view y        = deft_view_make(b, test_random_below(&random, sizeof b + 1));
        const size_t    limit    = test_random_below(&random, 6);
        const size_t    distance = plain_distance(x, y);
        assert_int_equal(deft__edit_distance(x, y, limit),
                         distance <= limit ? distance : limit + 1);
    }
}

static void long_words_are_compared_by_their_start(void **state)
{
    (void)state;
    char a[1000];
    char b[1000];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    b[DEFT__NEAREST_SIZE_MAX] = 'y';
    assert_int_equal(
        deft__edit_distance(deft_view_make(a, sizeof a), deft_view_make(b, sizeof b), 9), 0);
    b[DEFT__NEAREST_SIZE_MAX - 1] = 'y';
    assert_int_equal(
        deft__edit_distance(deft_view_make(a, sizeof a), deft_view_make(b, sizeof b), 9), 1);
    assert_int_equal(deft__edit_distance(deft_view_make(a, sizeof a), deft_view_of("x"), 100),
                     DEFT__NEAREST_SIZE_MAX - 1);
}

static void longer_words_may_differ_more(void **state)
{
    (void)state;
    assert_int_equal(deft__edit_distance_plausible(0), 1);
    assert_int_equal(deft__edit_distance_plausible(5), 1);
    assert_int_equal(deft__edit_distance_plausible(6), 2);
    assert_int_equal(deft__edit_distance_plausible(9), 2);
    assert_int_equal(deft__edit_distance_plausible(10), 3);
    assert_int_equal(deft__edit_distance_plausible(1000), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(beyond_the_limit_is_one_more_than_it),
        cmocka_unit_test(a_limit_changes_nothing_below_it),
        cmocka_unit_test(what_is_left_out_would_not_matter),
        cmocka_unit_test(long_words_are_compared_by_their_start),
        cmocka_unit_test(longer_words_may_differ_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
