#include "config/number.h"

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// A number as its digits and the power of ten behind them.
typedef struct decimal {
    uint64_t digits;
    int64_t  exponent;
    bool     is_full; // no further digit fits: those that follow only move the point
    bool     is_cut;  // one of them was not 0
} decimal;

static void add_digit(decimal *number, char byte, bool is_fraction)
{
    const uint64_t digit = (uint64_t)(byte - '0');
    number->is_full      = number->is_full || number->digits > (UINT64_MAX - digit) / 10;
    if (number->is_full) {
        number->is_cut = number->is_cut || digit != 0;
        number->exponent += is_fraction ? 0 : 1;
    } else {
        number->digits = number->digits * 10 + digit;
        number->exponent -= is_fraction ? 1 : 0;
    }
}

static bool read_exponent(deft_view text, size_t at, decimal *number)
{
    bool is_negative = false;
    if (at < text.size && (text.data[at] == '+' || text.data[at] == '-')) {
        is_negative = text.data[at++] == '-';
    }
    if (at == text.size) {
        return false;
    }
    int64_t exponent = 0;
    for (; at < text.size; at++) {
        if (!is_digit(text.data[at])) {
            return false;
        }
        // Past a million the answer is 0 or too large, whatever follows.
        exponent = exponent < 1000000 ? exponent * 10 + (text.data[at] - '0') : exponent;
    }
    number->exponent += is_negative ? -exponent : exponent;
    return true;
}

static bool read_decimal(deft_view text, decimal *number)
{
    size_t at = 0;
    for (; at < text.size && is_digit(text.data[at]); at++) {
        add_digit(number, text.data[at], false);
    }
    if (at == 0) {
        return false;
    }
    if (at < text.size && text.data[at] == '.') {
        const size_t first = ++at;
        for (; at < text.size && is_digit(text.data[at]); at++) {
            add_digit(number, text.data[at], true);
        }
        if (at == first) {
            return false;
        }
    }
    if (at < text.size && (text.data[at] == 'e' || text.data[at] == 'E')) {
        return read_exponent(text, at + 1, number);
    } else {
        return at == text.size;
    }
}

bool deft__number_parse(deft_view text, unsigned decimals, uint64_t *value, bool *is_whole)
{
    decimal number = {.digits = 0};
    if (!read_decimal(text, &number)) {
        return false;
    }
    bool     is_exact  = !number.is_cut;
    uint64_t last      = 0; // the digit that was dropped last decides the rounding
    int64_t  remaining = number.exponent + (int64_t)decimals;

    for (; remaining > 0 && number.digits > 0; remaining--) {
        if (number.is_full || number.digits > UINT64_MAX / 10) {
            return false;
        }
        number.digits *= 10;
    }
    for (; remaining < 0 && (number.digits > 0 || last > 0); remaining++) {
        last = number.digits % 10;
        is_exact &= last == 0;
        number.digits /= 10;
    }
    *value = number.digits + (last >= 5 ? 1 : 0);
    if (is_whole != NULL) {
        *is_whole = is_exact;
    }
    return true;
}

void deft__number_write(uint64_t value, unsigned decimals, deft_buffer *out)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++) {
        unit *= 10;
    }
    deft_buffer_append_u64(out, value / unit);

    uint64_t rest = value % unit;
    if (rest > 0) {
        deft_buffer_append_byte(out, '.');
    }
    while (rest > 0) {
        unit /= 10;
        deft_buffer_append_byte(out, (char)('0' + rest / unit));
        rest %= unit;
    }
}
