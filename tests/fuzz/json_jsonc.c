// Our reader against json-c at its strictest: what we take json-c takes too, with the same values;
// what only json-c takes is on the list here.
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "json/reader.h"

#include <json-c/json.h>

// Reasons of ours for refusing what json-c takes even with JSON_TOKENER_STRICT.
static const struct {
    const char *reason; // how our message starts
    const char *text;   // how the text starts at the place of the error
    const char *why;
} only_theirs[] = {
    {"control character in a string", "", "raw control characters pass"},
    {"a string that is not UTF-8", "", "overlong forms and surrogates as bytes pass"},
    {"a number with a 0 in front", "", "00 passes"},
    {"a digit expected after the decimal point", "", "1. passes"},
    {"a digit expected", ".", "-.5 passes"},
    {"a value expected", "NaN", "NaN passes"},
    {"a value expected", "Infinity", "Infinity passes"},
    {"a digit expected", "Infinity", "-Infinity passes"},
    {"too many arrays and objects", "", "its depth counts scalars too, so it is given more"},
};

static const char *why_only_theirs(const deft_error *error, deft_view text)
{
    const deft_view message = deft_view_of(error->message);
    const deft_view rest    = deft_view_slice(text, error->offset, text.size);
    for (size_t i = 0; i < sizeof only_theirs / sizeof only_theirs[0]; i++) {
        if (deft_view_starts_with(message, deft_view_of(only_theirs[i].reason)) &&
            deft_view_starts_with(rest, deft_view_of(only_theirs[i].text))) {
            return only_theirs[i].why;
        }
    }
    return NULL;
}

static void check_same(deft__json_value ours, json_object *theirs);

// Difference: json-c takes a character whose low sixteen bits look like a surrogate, U+1D800 to
// U+1DFFF and the same in each plane above, for one and reads U+FFFD when it comes as escapes.
static bool has_surrogate_lookalike(deft_view text)
{
    for (size_t at = 0; at < text.size;) {
        uint32_t code = 0;
        at += deft__utf8_decode(text, at, &code);
        if (code > 0xFFFF && (code & 0xF800) == 0xD800) {
            return true;
        }
    }
    return false;
}

// Difference: json-c cuts a name at a NUL.
static bool has_nul(deft_view text)
{
    return text.size > 0 && memchr(text.data, 0, text.size) != NULL;
}

static void check_string(deft__json_value ours, json_object *theirs)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, NULL);
    check(json_object_is_type(theirs, json_type_string));
    const deft_view text = deft__json_string(ours, &scratch);
    const deft_view read =
        deft_view_make(json_object_get_string(theirs), (size_t)json_object_get_string_len(theirs));
    check(deft_view_equal(text, read) || has_surrogate_lookalike(text));
    deft_buffer_clear(&scratch);
}

static void check_object(deft__json_value ours, json_object *theirs)
{
    size_t      shadowed   = 0;
    bool        is_misread = false; // some name is another one to json-c
    deft_buffer scratch;
    deft_buffer_init(&scratch, NULL);
    check(json_object_is_type(theirs, json_type_object));
    check(deft__json_is(ours, DEFT__JSON_OBJECT));

    deft__json_iterator i = deft__json_iterate(ours);
    while (deft__json_next(&i)) {
        deft_buffer_reset(&scratch);
        const deft_view        name = deft__json_string(i.name, &scratch);
        const deft__json_value last = deft__json_member_view(ours, name);
        shadowed += last.token != i.value.token;
        is_misread |= has_nul(name) || has_surrogate_lookalike(name);
    }
    deft_buffer_clear(&scratch);

    if (!is_misread) {
        check(deft__json_count(ours) == (size_t)json_object_object_length(theirs) + shadowed);
        json_object_object_foreach(theirs, name, value)
        {
            check_same(deft__json_member(ours, name), value);
        }
    }
}

static void check_number(deft__json_value ours, json_object *theirs)
{
    check(deft__json_is(ours, DEFT__JSON_NUMBER));
    if (json_object_is_type(theirs, json_type_int)) {
        int64_t           whole    = 0;
        uint64_t          positive = 0;
        const deft_status i64      = deft__json_int64(ours, &whole);
        const deft_status u64      = deft__json_uint64(ours, &positive);
        // Difference: beyond 64 bits json-c clamps, where we say DEFT_LIMIT.
        check(i64 != DEFT_INVALID);
        if (i64 == DEFT_OK) {
            check(json_object_get_int64(theirs) == whole);
        } else if (u64 == DEFT_OK) {
            check(json_object_get_uint64(theirs) == positive);
        }
    } else {
        double       real     = 0;
        const double expected = json_object_get_double(theirs);
        check(json_object_is_type(theirs, json_type_double));
        // Difference: 1e400 is infinity in json-c and DEFT_LIMIT here.
        const deft_status status = deft__json_double(ours, &real);
        check(status == DEFT_OK || (status == DEFT_LIMIT && expected - expected != 0));
        check(status != DEFT_OK || memcmp(&real, &expected, sizeof real) == 0);
    }
}

static void check_same(deft__json_value ours, json_object *theirs)
{
    switch (deft__json_kind_of(ours)) {
    case DEFT__JSON_OBJECT:
        check_object(ours, theirs);
        break;
    case DEFT__JSON_ARRAY: {
        check(json_object_is_type(theirs, json_type_array));
        check(deft__json_count(ours) == json_object_array_length(theirs));
        size_t              index = 0;
        deft__json_iterator i     = deft__json_iterate(ours);
        while (deft__json_next(&i)) {
            check_same(i.value, json_object_array_get_idx(theirs, index++));
        }
        break;
    }
    case DEFT__JSON_STRING:
        check_string(ours, theirs);
        break;
    case DEFT__JSON_NUMBER:
        check_number(ours, theirs);
        break;
    case DEFT__JSON_TRUE:
    case DEFT__JSON_FALSE:
        check(json_object_is_type(theirs, json_type_boolean));
        check(json_object_get_boolean(theirs) == deft__json_is(ours, DEFT__JSON_TRUE));
        break;
    case DEFT__JSON_NULL:
        check(theirs == NULL);
        break;
    case DEFT__JSON_NONE:
        check(false);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // Difference: a NUL ends the text for json-c, and what follows goes unseen.
    if (size > 0 && memchr(data, 0, size) != NULL) {
        return 0;
    }
    const deft_view text  = deft_view_make((const char *)data, size);
    deft_error      error = DEFT_ERROR_INIT;
    deft__json      ours;
    deft__json_init(&ours, NULL);
    const bool is_ours = deft__json_parse(&ours, text, NULL, &error) == DEFT_OK;

    // With a NUL behind it, which is how json-c knows that a number at the end is whole.
    char *copy = malloc(size + 1);
    check(copy != NULL);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size]                   = '\0';
    struct json_tokener *tokener = json_tokener_new_ex(200);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *theirs    = json_tokener_parse_ex(tokener, copy, (int)size + 1);
    const bool   is_theirs = json_tokener_get_error(tokener) == json_tokener_success;

    if (is_ours) {
        check(is_theirs);
        check_same(deft__json_root(&ours), theirs);
    } else if (is_theirs) {
        check(why_only_theirs(&error, text) != NULL);
    }
    json_object_put(theirs);
    json_tokener_free(tokener);
    free(copy);
    deft__json_clear(&ours);
    return 0;
}
