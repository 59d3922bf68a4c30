// Numbers are text until someone asks; here is what they get.
#include "json/reader.h"

#include "json/tape.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// No double, and no middle between two doubles, has more significant digits than 767. Of digits
// beyond these it only matters whether one of them is not zero.
#define DIGITS_MAX 768

// A number taken apart: 0.ddd... * 10^scale. The digits neither start nor end with a zero.
typedef struct json_decimal {
    bool    is_negative;
    int64_t scale;
    size_t  size;               // how many digits there are; 0 for zero
    char    digits[DIGITS_MAX]; // the first of them
} json_decimal;

// The exponent behind the `e`. More than 2^40 is as good as 2^40: the digits around it are at
// most 2^30, so they cannot bring it back into any range.
static int64_t read_exponent(const char *at, const char *end)
{
    const int64_t most        = (int64_t)1 << 40;
    const bool    is_negative = *at == '-';
    int64_t       exponent    = 0;
    for (at += *at == '-' || *at == '+'; at < end; at++) {
        exponent = exponent < most ? exponent * 10 + (*at - '0') : most;
    }
    return is_negative ? -exponent : exponent;
}

static void read_decimal(deft_view number, json_decimal *decimal)
{
    const char *at             = number.data;
    const char *end            = at + number.size;
    bool        is_after_point = false;
    size_t      count          = 0; // significant digits so far, zeros at the end included

    decimal->is_negative = *at == '-';
    decimal->scale       = 0;
    decimal->size        = 0;
    for (at += decimal->is_negative; at < end; at++) {
        if (*at == '.') {
            is_after_point = true;
        } else if (*at == 'e' || *at == 'E') {
            decimal->scale += read_exponent(at + 1, end);
            break;
        } else if (*at == '0' && count == 0) {
            decimal->scale -= is_after_point;
        } else {
            if (count < DIGITS_MAX) {
                decimal->digits[count] = *at;
            }
            count++;
            decimal->size = *at != '0' ? count : decimal->size;
            decimal->scale += !is_after_point;
        }
    }
}

// The absolute value as an integer.
static deft_status read_magnitude(const json_decimal *decimal, uint64_t *magnitude)
{
    uint64_t result = 0;
    if (decimal->size == 0) {
        *magnitude = 0;
        return DEFT_OK;
    } else if (decimal->scale < (int64_t)decimal->size) {
        return DEFT_INVALID; // a digit behind the point
    } else if (decimal->scale > 20) {
        return DEFT_LIMIT; // 2^64 has twenty
    }
    for (size_t i = 0; i < (size_t)decimal->scale; i++) {
        const unsigned digit = i < decimal->size ? (unsigned)(decimal->digits[i] - '0') : 0;
        if (result > (UINT64_MAX - digit) / 10) {
            return DEFT_LIMIT;
        }
        result = result * 10 + digit;
    }
    *magnitude = result;
    return DEFT_OK;
}

deft_status deft__json_int64(deft__json_value value, int64_t *number)
{
    if (!deft__json_is(value, DEFT__JSON_NUMBER)) {
        return DEFT_INVALID;
    }
    json_decimal decimal;
    uint64_t     magnitude = 0;
    read_decimal(deft__json_raw(value), &decimal);
    const deft_status status = read_magnitude(&decimal, &magnitude);
    const uint64_t    most   = (uint64_t)INT64_MAX + (decimal.is_negative ? 1 : 0);
    if (status != DEFT_OK) {
        return status;
    } else if (magnitude > most) {
        return DEFT_LIMIT;
    }
    // Below zero by way of -1, since the smallest number has no positive counterpart.
    *number =
        decimal.is_negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return DEFT_OK;
}

deft_status deft__json_uint64(deft__json_value value, uint64_t *number)
{
    if (!deft__json_is(value, DEFT__JSON_NUMBER)) {
        return DEFT_INVALID;
    }
    json_decimal decimal;
    uint64_t     magnitude = 0;
    read_decimal(deft__json_raw(value), &decimal);
    const deft_status status = read_magnitude(&decimal, &magnitude);
    if (status != DEFT_OK) {
        return status;
    } else if (decimal.is_negative && magnitude > 0) {
        return DEFT_LIMIT;
    }
    *number = magnitude;
    return DEFT_OK;
}

// Clinger's fast path: an integer below 2^53 and a power of ten up to 10^22 are both exact as
// doubles, so one multiplication or division rounds once, which is to say correctly. False when
// the number is not of that form, or where the processor computes in more than double precision.
static bool read_double_fast(const json_decimal *decimal, double *magnitude)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t       exponent = decimal->scale - (int64_t)decimal->size;
    if (FLT_EVAL_METHOD != 0 || decimal->size > 19 || exponent < -22 || exponent > 22) {
        return false;
    }
    uint64_t mantissa = 0;
    for (size_t i = 0; i < decimal->size; i++) {
        mantissa = mantissa * 10 + (unsigned)(decimal->digits[i] - '0');
    }
    if (mantissa > (uint64_t)1 << 53) {
        return false;
    }
    *magnitude =
        exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    return true;
}

// All other numbers go through strtod, as digits and an exponent without a decimal point, which
// is the same in every locale.
static double read_double_slow(const json_decimal *decimal)
{
    const int64_t far    = 100000; // beyond every double, whatever the digits
    const bool    is_cut = decimal->size > DIGITS_MAX;
    const size_t  kept   = is_cut ? DIGITS_MAX : decimal->size;
    int64_t       scale  = decimal->scale;
    char          text[DIGITS_MAX + 32];

    scale = scale > far ? far : scale < -far ? -far : scale;
    memcpy(text, decimal->digits, kept);
    // A digit in place of all that were left out: it keeps a number off the middle.
    const int exponent = (int)scale - (int)kept - (is_cut ? 1 : 0);
    (void)snprintf(text + kept, sizeof text - kept, "%se%d", is_cut ? "1" : "", exponent);
    return strtod(text, NULL);
}

deft_status deft__json_double(deft__json_value value, double *number)
{
    if (!deft__json_is(value, DEFT__JSON_NUMBER)) {
        return DEFT_INVALID;
    }
    json_decimal decimal;
    double       magnitude = 0;
    read_decimal(deft__json_raw(value), &decimal);
    if (decimal.size > 0 && !read_double_fast(&decimal, &magnitude)) {
        magnitude = read_double_slow(&decimal);
    }
    if (isinf(magnitude)) {
        return DEFT_LIMIT;
    }
    *number = decimal.is_negative ? -magnitude : magnitude;
    return DEFT_OK;
}
