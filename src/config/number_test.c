// Numbers as people write them, without floating point. Proves a part of A2 and A4.
#include "config/number.h"

#include "support/test.h"

static const struct {
    const char *name;
    const char *text;
    unsigned    decimals;
    bool        is_number;
    uint64_t    value;
    bool        is_whole;
} cases[] = {
    {"nothing is nothing", "0", 0, true, 0, true},
    {"a whole number", "50000", 0, true, 50000, true},
    {"a percent in hundredths", "12.5", 2, true, 1250, true},
    {"a whole percent", "5", 2, true, 500, true},
    {"a needless fraction", "15.0", 0, true, 15, true},
    {"a fraction is rounded to the nearest", "33.336", 2, true, 3334, false},
    {"and down below the half", "33.334", 2, true, 3333, false},
    {"a real fraction of a whole number shows", "2.5", 0, true, 3, false},
    {"an exponent", "1e3", 0, true, 1000, true},
    {"an exponent with a sign", "1.5E+1", 0, true, 15, true},
    {"a negative exponent", "1500e-2", 0, true, 15, true},
    {"what is far too small is nothing", "1e-400", 3, true, 0, false},
    {"nothing stays nothing at any size", "0e999999999999", 0, true, 0, true},
    {"leading zeros are harmless", "007", 0, true, 7, true},
    {"the largest", "18446744073709551615", 0, true, UINT64_MAX, true},
    {"many digits after the point", "0.30000000000000004", 2, true, 30, false},
    {"more digits than fit, all zero", "1.00000000000000000000000", 0, true, 1, true},
    {"too large", "18446744073709551616", 0, false, 0, false},
    {"too large by its exponent", "1e20", 0, false, 0, false},
    {"too large by its digits", "99999999999999999999999", 0, false, 0, false},
    {"empty", "", 0, false, 0, false},
    {"a sign", "-1", 0, false, 0, false},
    {"a plus sign", "+1", 0, false, 0, false},
    {"a point without digits", "1.", 0, false, 0, false},
    {"digits only after the point", ".5", 0, false, 0, false},
    {"an exponent without digits", "1e", 0, false, 0, false},
    {"an exponent with only a sign", "1e-", 0, false, 0, false},
    {"letters in an exponent", "1ex", 0, false, 0, false},
    {"a word", "lots", 0, false, 0, false},
    {"a percent sign", "5%", 0, false, 0, false},
    {"white space", "5 ", 0, false, 0, false},
};

static void numbers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        uint64_t value    = 77;
        bool     is_whole = false;
        case_name(cases[i].name);
        assert_int_equal(
            deft__number_parse(deft_view_of(cases[i].text), cases[i].decimals, &value, &is_whole),
            cases[i].is_number);
        if (cases[i].is_number) {
            assert_int_equal(value, cases[i].value);
            assert_int_equal(is_whole, cases[i].is_whole);
        } else {
            assert_int_equal(value, 77);
        }
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 9, 10, 99, 100, 101, 1250, 10000, 1234567, UINT64_MAX};
    for (size_t i = 0; i < array_size(values); i++) {
        for (unsigned decimals = 0; decimals < 4; decimals++) {
            uint64_t    value = 0;
            deft_buffer text;
            deft_buffer_init(&text, NULL);
            deft__number_write(values[i], decimals, &text);
            assert_true(deft__number_parse(deft_buffer_view(&text), decimals, &value, NULL));
            assert_int_equal(value, values[i]);
            deft_buffer_clear(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(what_is_written_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
