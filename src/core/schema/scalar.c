// What can be said of one value without looking inside: its type, the values that are accepted, the
// limits of numbers and texts.
#include "core/schema/checker.h"

#include "base/nearest.h"
#include "base/utf8.h"

// Values, and names, that a message lists.
static const size_t shown_max = 12;

// --- Types. --------------------------------------------------------------------------------------

typedef enum type_word {
    TYPE_NULL,
    TYPE_BOOLEAN,
    TYPE_INTEGER,
    TYPE_NUMBER,
    TYPE_STRING,
    TYPE_ARRAY,
    TYPE_OBJECT,
    TYPE_COUNT
} type_word;

static const struct {
    const char *word;
    const char *shown;
} types[TYPE_COUNT] = {
    [TYPE_NULL]    = {"null", "null"},
    [TYPE_BOOLEAN] = {"boolean", "true or false"},
    [TYPE_INTEGER] = {"integer", "a whole number"},
    [TYPE_NUMBER]  = {"number", "a number"},
    [TYPE_STRING]  = {"string", "a string"},
    [TYPE_ARRAY]   = {"array", "an array"},
    [TYPE_OBJECT]  = {"object", "an object"},
};

static type_word find_type(deft__json_value word)
{
    size_t found = 0;
    while (found < TYPE_COUNT && !deft__json_string_equals(word, deft_view_of(types[found].word))) {
        found++;
    }
    return (type_word)found;
}

static bool is_kind(deft__json_kind kind, type_word type)
{
    switch (type) {
    case TYPE_NULL:
        return kind == DEFT__JSON_NULL;
    case TYPE_BOOLEAN:
        return kind == DEFT__JSON_TRUE || kind == DEFT__JSON_FALSE;
    case TYPE_INTEGER:
    case TYPE_NUMBER:
        return kind == DEFT__JSON_NUMBER;
    case TYPE_STRING:
        return kind == DEFT__JSON_STRING;
    case TYPE_ARRAY:
        return kind == DEFT__JSON_ARRAY;
    case TYPE_OBJECT:
        return kind == DEFT__JSON_OBJECT;
    case TYPE_COUNT:
        break;
    }
    return false;
}

static deft__fit fits_type(deft__json_value value, deft__json_value word)
{
    const type_word type   = find_type(word);
    int64_t         number = 0;
    if (type == TYPE_COUNT) {
        return DEFT__FIT_UNSURE; // no type of JSON Schema: "any", "file", "int"
    } else if (!is_kind(deft__json_kind_of(value), type)) {
        return DEFT__FIT_NO;
    } else if (type == TYPE_INTEGER && deft__json_int64(value, &number) == DEFT_INVALID) {
        return DEFT__FIT_NO; // it has a fraction; one that is too large for us is fine
    } else {
        return DEFT__FIT_YES;
    }
}

static void append_type(deft_buffer *out, deft__json_value word, size_t place, size_t count)
{
    const type_word type = find_type(word);
    if (place > 0) {
        deft_buffer_append_text(out, place + 1 == count ? " or " : ", ");
    }
    if (type < TYPE_COUNT) {
        deft_buffer_append_text(out, types[type].shown);
    } else {
        deft__append_value(out, word);
    }
}

static void tell_type(deft__checker *checker, deft__json_value type, deft__json_value value,
                      const deft__schema_place *place)
{
    deft_buffer *out = deft__problem_begin(checker);
    if (out == NULL) {
        return;
    }
    deft_buffer_append_text(out, "is ");
    if (deft__json_is(value, DEFT__JSON_NUMBER)) {
        deft__append_value(out, value); // 1.5 where a whole number is accepted
    } else {
        deft_buffer_append_text(out, deft__json_kind_name(deft__json_kind_of(value)));
    }
    deft_buffer_append_text(out, "; accepted: ");
    if (deft__json_is(type, DEFT__JSON_ARRAY)) {
        deft__json_iterator i     = deft__json_iterate(type);
        const size_t        count = deft__json_count(type);
        for (size_t at = 0; at < shown_max && deft__json_next(&i); at++) {
            append_type(out, i.value, at, count);
        }
    } else {
        append_type(out, type, 0, 1);
    }
    deft__problem_end(checker, place, deft_view_make(NULL, 0));
}

deft__fit deft__check_type(deft__checker *checker, const deft__keywords *keywords,
                           deft__json_value value, const deft__schema_place *place)
{
    const deft__json_value type = keywords->at[DEFT__KEYWORD_TYPE];
    deft__fit              fit  = DEFT__FIT_NO;
    if (!deft__keywords_has(keywords, DEFT__KEYWORD_TYPE)) {
        return DEFT__FIT_YES;
    } else if (deft__json_is(type, DEFT__JSON_STRING)) {
        fit = fits_type(value, type);
    } else if (deft__json_is(type, DEFT__JSON_ARRAY) && deft__json_count(type) > 0) {
        deft__json_iterator i = deft__json_iterate(type);
        if (!deft__checker_step(checker, deft__json_count(type))) {
            return DEFT__FIT_UNSURE;
        }
        while (deft__json_next(&i)) {
            fit = deft__fit_or(fit, fits_type(value, i.value));
        }
    } else {
        return DEFT__FIT_UNSURE;
    }
    if (fit == DEFT__FIT_NO) {
        tell_type(checker, type, value, place);
    }
    return fit;
}

// --- Equal values. -------------------------------------------------------------------------------

// How two numbers compare, where that can be told for sure.
typedef enum number_order {
    ORDER_LESS,
    ORDER_EQUAL,
    ORDER_GREATER,
    ORDER_UNSURE
} number_order;

static number_order compare_numbers(deft__json_value a, deft__json_value b)
{
    int64_t whole[2]  = {0, 0};
    double  number[2] = {0, 0};
    if (deft__json_int64(a, &whole[0]) == DEFT_OK && deft__json_int64(b, &whole[1]) == DEFT_OK) {
        return whole[0] < whole[1] ? ORDER_LESS
                                   : (whole[0] > whole[1] ? ORDER_GREATER : ORDER_EQUAL);
    }
    if (deft__json_double(a, &number[0]) != DEFT_OK ||
        deft__json_double(b, &number[1]) != DEFT_OK) {
        return ORDER_UNSURE;
    }
    if (number[0] < number[1]) {
        return ORDER_LESS;
    } else if (number[0] > number[1]) {
        return ORDER_GREATER;
    } else {
        // Digits that a double cannot hold may still tell them apart.
        return deft_view_equal(deft__json_raw(a), deft__json_raw(b)) ? ORDER_EQUAL : ORDER_UNSURE;
    }
}

static deft__fit equal_strings(deft__checker *checker, deft__json_value a, deft__json_value b)
{
    const size_t size = deft__json_raw(b).size;
    if (!deft__checker_step(checker, size / 64)) {
        return DEFT__FIT_UNSURE;
    }
    deft_buffer scratch;
    deft__fit   fit;
    deft_buffer_init(&scratch, checker->report->allocator);
    const deft_view text = deft__json_string(b, &scratch);
    if (scratch.status != DEFT_OK) {
        checker->status = DEFT_OUT_OF_MEMORY;
        fit             = DEFT__FIT_UNSURE;
    } else {
        fit = deft__json_string_equals(a, text) ? DEFT__FIT_YES : DEFT__FIT_NO;
    }
    deft_buffer_clear(&scratch);
    return fit;
}

static deft__fit equal_arrays(deft__checker *checker, deft__json_value a, deft__json_value b,
                              uint32_t depth_left)
{
    deft__fit           fit    = DEFT__FIT_YES;
    deft__json_iterator first  = deft__json_iterate(a);
    deft__json_iterator second = deft__json_iterate(b);
    while (fit != DEFT__FIT_NO && deft__json_next(&first) && deft__json_next(&second)) {
        fit = deft__fit_and(fit,
                            deft__schema_equal(checker, first.value, second.value, depth_left - 1));
    }
    return fit;
}

static deft__fit equal_objects(deft__checker *checker, deft__json_value a, deft__json_value b,
                               uint32_t depth_left)
{
    deft__fit           fit = DEFT__FIT_YES;
    deft__json_iterator i   = deft__json_iterate(a);
    while (fit != DEFT__FIT_NO && deft__json_next(&i)) {
        if (!deft__checker_step(checker, deft__json_count(b))) {
            return DEFT__FIT_UNSURE;
        }
        const deft_view name = deft__checker_decode(checker, i.name, &checker->other);
        if (checker->status != DEFT_OK) {
            return DEFT__FIT_UNSURE;
        }
        const deft__json_value other = deft__json_member_view(b, name);
        fit                          = deft__json_is(other, DEFT__JSON_NONE)
                                           ? DEFT__FIT_NO
                                           : deft__fit_and(fit, deft__schema_equal(checker, i.value, other, depth_left - 1));
    }
    return fit;
}

deft__fit deft__schema_equal(deft__checker *checker, deft__json_value a, deft__json_value b,
                             uint32_t depth_left)
{
    const deft__json_kind kind = deft__json_kind_of(a);
    if (!deft__checker_step(checker, 1) || depth_left == 0) {
        return DEFT__FIT_UNSURE;
    } else if (kind != deft__json_kind_of(b)) {
        return DEFT__FIT_NO;
    }
    number_order order;
    switch (kind) {
    case DEFT__JSON_NUMBER:
        order = compare_numbers(a, b);
        return order == ORDER_EQUAL ? DEFT__FIT_YES
                                    : (order == ORDER_UNSURE ? DEFT__FIT_UNSURE : DEFT__FIT_NO);
    case DEFT__JSON_STRING:
        return equal_strings(checker, a, b);
    case DEFT__JSON_ARRAY:
        return deft__json_count(a) == deft__json_count(b) ? equal_arrays(checker, a, b, depth_left)
                                                          : DEFT__FIT_NO;
    case DEFT__JSON_OBJECT:
        // A name that is there twice counts as two.
        return deft__json_count(a) == deft__json_count(b) ? equal_objects(checker, a, b, depth_left)
                                                          : DEFT__FIT_UNSURE;
    case DEFT__JSON_NONE:
    case DEFT__JSON_NULL:
    case DEFT__JSON_FALSE:
    case DEFT__JSON_TRUE:
        break;
    }
    return DEFT__FIT_YES;
}

// --- enum and const. -----------------------------------------------------------------------------

// The accepted text nearest to the one given: "opne" for "open".
static deft_view nearest_value(deft__checker *checker, deft__json_value choices,
                               deft__json_value value)
{
    const deft_view     text     = deft__checker_decode(checker, value, &checker->text);
    deft_view           nearest  = {NULL, 0};
    size_t              distance = deft__schema_slips_max(text) + 1;
    deft__json_iterator i        = deft__json_iterate(choices);
    if (!deft__json_is(value, DEFT__JSON_STRING) || checker->status != DEFT_OK) {
        return nearest;
    }
    while (deft__json_next(&i) && deft__checker_step(checker, 16)) {
        const deft_view raw = deft__json_raw(i.value);
        if (deft__json_is(i.value, DEFT__JSON_STRING)) {
            // What has escapes is no word that one mistypes.
            const deft_view choice        = deft_view_slice(raw, 1, raw.size - 2);
            const size_t    this_distance = deft__edit_distance(text, choice, distance);
            if (this_distance < distance) {
                distance = this_distance;
                nearest  = choice;
            }
        }
    }
    return nearest;
}

static void tell_choice(deft__checker *checker, deft__json_value choices, deft__json_value value,
                        const deft__schema_place *place)
{
    deft_buffer *out = deft__problem_begin(checker);
    if (out == NULL) {
        return;
    }
    const deft_view nearest = nearest_value(checker, choices, value);
    deft_buffer_append_text(out, "is ");
    deft__append_value(out, value);
    deft_buffer_append_text(out, "; accepted: ");
    deft__json_iterator i     = deft__json_iterate(choices);
    size_t              shown = 0;
    while (shown < shown_max && deft__json_next(&i)) {
        deft_buffer_append_text(out, shown++ > 0 ? ", " : "");
        deft__append_value(out, i.value);
    }
    if (deft__json_count(choices) > shown_max) {
        deft_buffer_append_text(out, " and ");
        deft_buffer_append_u64(out, deft__json_count(choices) - shown_max);
        deft_buffer_append_text(out, " more");
    }
    if (nearest.size > 0) {
        deft_buffer_append_text(out, "; did you mean ");
        deft__append_name(out, nearest);
        deft_buffer_append_byte(out, '?');
    }
    deft__problem_end(checker, place, nearest);
}

static deft__fit check_enum(deft__checker *checker, deft__json_value choices,
                            deft__json_value value, const deft__schema_place *place)
{
    deft__fit           fit = DEFT__FIT_NO;
    deft__json_iterator i   = deft__json_iterate(choices);
    if (!deft__json_is(choices, DEFT__JSON_ARRAY) || deft__json_count(choices) == 0) {
        return DEFT__FIT_UNSURE;
    }
    while (fit != DEFT__FIT_YES && deft__json_next(&i)) {
        fit = deft__fit_or(fit, deft__schema_equal(checker, value, i.value, DEFT_SCHEMA_DEPTH_MAX));
    }
    if (fit == DEFT__FIT_NO) {
        tell_choice(checker, choices, value, place);
    }
    return fit;
}

deft__fit deft__check_choice(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place)
{
    deft__fit fit = DEFT__FIT_YES;
    if (deft__keywords_has(keywords, DEFT__KEYWORD_ENUM)) {
        fit = check_enum(checker, keywords->at[DEFT__KEYWORD_ENUM], value, place);
    }
    if (!deft__keywords_has(keywords, DEFT__KEYWORD_CONST) || fit == DEFT__FIT_NO) {
        return fit;
    }
    const deft__json_value only  = keywords->at[DEFT__KEYWORD_CONST];
    const deft__fit        equal = deft__schema_equal(checker, value, only, DEFT_SCHEMA_DEPTH_MAX);
    deft_buffer           *out   = equal == DEFT__FIT_NO ? deft__problem_begin(checker) : NULL;
    if (out != NULL) {
        deft_buffer_append_text(out, "is ");
        deft__append_value(out, value);
        deft_buffer_append_text(out, "; accepted: ");
        deft__append_value(out, only);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return deft__fit_and(fit, equal);
}

// --- Numbers. ------------------------------------------------------------------------------------

typedef struct number_limit {
    deft__keyword keyword;
    deft__keyword exclusive; // what makes it exclusive in draft 4; COUNT: it is so by itself
    number_order  wrong;
    const char   *words;           // "is 5; at least 7 is accepted"
    const char   *exclusive_words; // where the limit itself is wrong, too
} number_limit;

static const number_limit number_limits[] = {
    {DEFT__KEYWORD_MINIMUM, DEFT__KEYWORD_EXCLUSIVE_MINIMUM, ORDER_LESS, "at least ", "more than "},
    {DEFT__KEYWORD_MAXIMUM, DEFT__KEYWORD_EXCLUSIVE_MAXIMUM, ORDER_GREATER, "at most ",
     "less than "},
    {DEFT__KEYWORD_EXCLUSIVE_MINIMUM, DEFT__KEYWORD_COUNT, ORDER_LESS, NULL, "more than "},
    {DEFT__KEYWORD_EXCLUSIVE_MAXIMUM, DEFT__KEYWORD_COUNT, ORDER_GREATER, NULL, "less than "},
};

static deft__fit check_limit(deft__checker *checker, const deft__keywords *keywords,
                             const number_limit *limit, deft__json_value value,
                             const deft__schema_place *place)
{
    const deft__json_value bound = keywords->at[limit->keyword];
    if (!deft__json_is(bound, DEFT__JSON_NUMBER)) {
        return DEFT__FIT_YES; // not there, or draft 4's true, which belongs to the other one
    }
    const bool is_exclusive = limit->exclusive == DEFT__KEYWORD_COUNT ||
                              deft__json_is(keywords->at[limit->exclusive], DEFT__JSON_TRUE);
    const number_order order = compare_numbers(value, bound);
    if (order == ORDER_UNSURE) {
        return DEFT__FIT_UNSURE;
    } else if (order != limit->wrong && !(is_exclusive && order == ORDER_EQUAL)) {
        return DEFT__FIT_YES;
    }
    deft_buffer *out = deft__problem_begin(checker);
    if (out != NULL) {
        deft_buffer_append_text(out, "is ");
        deft__append_value(out, value);
        deft_buffer_append_text(out, "; accepted: ");
        deft_buffer_append_text(out, is_exclusive ? limit->exclusive_words : limit->words);
        deft__append_value(out, bound);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return DEFT__FIT_NO;
}

// Only whole numbers can be divided for sure.
static deft__fit check_multiple(deft__checker *checker, deft__json_value factor,
                                deft__json_value value, const deft__schema_place *place)
{
    int64_t number  = 0;
    int64_t divisor = 0;
    if (factor.document == NULL) {
        return DEFT__FIT_YES;
    } else if (deft__json_int64(value, &number) != DEFT_OK ||
               deft__json_int64(factor, &divisor) != DEFT_OK || divisor <= 0) {
        return DEFT__FIT_UNSURE;
    } else if (number % divisor == 0) {
        return DEFT__FIT_YES;
    }
    deft_buffer *out = deft__problem_begin(checker);
    if (out != NULL) {
        deft_buffer_append_text(out, "is ");
        deft__append_value(out, value);
        deft_buffer_append_text(out, "; accepted: a multiple of ");
        deft__append_value(out, factor);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return DEFT__FIT_NO;
}

deft__fit deft__check_number(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place)
{
    deft__fit fit = check_multiple(checker, keywords->at[DEFT__KEYWORD_MULTIPLE_OF], value, place);
    for (size_t i = 0; i < sizeof number_limits / sizeof number_limits[0]; i++) {
        fit = deft__fit_and(fit, check_limit(checker, keywords, &number_limits[i], value, place));
    }
    return fit;
}

// --- Texts. --------------------------------------------------------------------------------------

// Steps of PCRE2 for one text; and what one match costs of ours, so that an array of texts, each of
// them nearly too costly, comes to its end.
static const uint32_t pattern_steps_max = 5000;
static const size_t   pattern_cost      = 250;
static const size_t   pattern_size_max  = 1000;

static bool is_ascii(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

// Makes the checker's pattern the one at `pattern`. False: it cannot be used.
static bool use_pattern(deft__checker *checker, deft__json_value pattern)
{
    const deft__pattern_options options = {
        .steps_max = pattern_steps_max, .depth_max = 250, .heap_kibi_max = 256, .is_ecma = true};
    const deft_view raw = deft__json_raw(pattern);
    if (checker->pattern.text == raw.data) {
        return checker->pattern.is_usable;
    }
    deft__pattern_clear(&checker->pattern.pattern);
    checker->pattern.text      = raw.data;
    checker->pattern.is_usable = false;
    if (raw.size > pattern_size_max) {
        return false;
    }
    const deft_view text = deft__checker_decode(checker, pattern, &checker->other);
    if (checker->status != DEFT_OK || text.size == 0) {
        return false;
    }
    const deft_status status = deft__pattern_init(&checker->pattern.pattern, text, &options,
                                                  checker->report->allocator, NULL);
    if (status == DEFT_OUT_OF_MEMORY) {
        checker->status = DEFT_OUT_OF_MEMORY;
    }
    checker->pattern.is_usable = status == DEFT_OK;
    return checker->pattern.is_usable;
}

// Dialects differ in what \w and \d are beyond ASCII, and in empty classes, so a text that has other
// characters, or a pattern that has such a class, is never told not to match.
deft__fit deft__check_pattern(deft__checker *checker, deft__json_value pattern, deft_view text)
{
    const deft_view raw      = deft__json_raw(pattern);
    bool            is_match = false;
    if (!deft__json_is(pattern, DEFT__JSON_STRING) ||
        !deft__checker_step(checker, pattern_cost + text.size / 64) ||
        !use_pattern(checker, pattern)) {
        return DEFT__FIT_UNSURE;
    }
    const deft_status status =
        deft__pattern_match(&checker->pattern.pattern, text, &is_match, NULL);
    if (status == DEFT_OUT_OF_MEMORY) {
        checker->status = DEFT_OUT_OF_MEMORY;
    } else if (status != DEFT_OK) {
        checker->pattern.is_usable = false; // too costly once is enough
        checker->report->is_cut    = true;
    } else if (is_match) {
        return DEFT__FIT_YES;
    }
    bool is_doubtful = status != DEFT_OK || !is_ascii(text) || !is_ascii(raw);
    for (size_t i = 0; i + 1 < raw.size; i++) {
        is_doubtful = is_doubtful ||
                      (raw.data[i] == '[' && (raw.data[i + 1] == ']' || raw.data[i + 1] == '^') &&
                       (raw.data[i + 1] == ']' || raw.data[i + 2] == ']'));
    }
    return is_doubtful ? DEFT__FIT_UNSURE : DEFT__FIT_NO;
}

static deft__fit check_length(deft__checker *checker, const deft__keywords *keywords,
                              deft_view text, const deft__schema_place *place)
{
    const deft__json_value least  = keywords->at[DEFT__KEYWORD_MIN_LENGTH];
    const deft__json_value most   = keywords->at[DEFT__KEYWORD_MAX_LENGTH];
    uint64_t               number = 0;
    if (least.document == NULL && most.document == NULL) {
        return DEFT__FIT_YES;
    } else if (!deft__checker_step(checker, text.size / 64)) {
        return DEFT__FIT_UNSURE;
    }
    const size_t length = deft__utf8_length(text);
    const bool   is_short =
        least.document != NULL && deft__json_uint64(least, &number) == DEFT_OK && length < number;
    const bool is_long =
        most.document != NULL && deft__json_uint64(most, &number) == DEFT_OK && length > number;
    deft_buffer *out = is_short || is_long ? deft__problem_begin(checker) : NULL;
    if (out != NULL) {
        deft_buffer_append_text(out, "has ");
        deft_buffer_append_u64(out, length);
        deft_buffer_append_text(out,
                                length == 1 ? " character; accepted: " : " characters; accepted: ");
        deft_buffer_append_text(out, is_short ? "at least " : "at most ");
        deft__append_value(out, is_short ? least : most);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return is_short || is_long ? DEFT__FIT_NO : DEFT__FIT_YES;
}

deft__fit deft__check_string(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place)
{
    const deft__json_value pattern = keywords->at[DEFT__KEYWORD_PATTERN];
    if (pattern.document == NULL && !deft__keywords_has(keywords, DEFT__KEYWORD_MIN_LENGTH) &&
        !deft__keywords_has(keywords, DEFT__KEYWORD_MAX_LENGTH)) {
        return DEFT__FIT_YES;
    }
    const deft_view text = deft__checker_decode(checker, value, &checker->text);
    if (checker->status != DEFT_OK) {
        return DEFT__FIT_UNSURE;
    }
    const deft__fit match =
        pattern.document != NULL ? deft__check_pattern(checker, pattern, text) : DEFT__FIT_YES;
    deft__fit    fit = deft__fit_and(match, check_length(checker, keywords, text, place));
    deft_buffer *out = match == DEFT__FIT_NO ? deft__problem_begin(checker) : NULL;
    if (out != NULL) {
        deft_buffer_append_text(out, "is ");
        deft__append_value(out, value);
        deft_buffer_append_text(out, "; accepted: what matches ");
        deft__append_value(out, pattern);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return fit;
}
