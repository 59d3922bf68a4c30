// Our reader against jansson: both take a text or both refuse it, and the values are the same,
// save for the differences named here.
#include "fuzz/fuzz.h"
#include "json/reader.h"

#include <jansson.h>

static bool is_surrogate(uint32_t code)
{
    return code >= 0xD800 && code <= 0xDFFF;
}

// Whether some string holds half a surrogate pair as an escape. Looks at the text alone, as
// everything else here that explains a difference: were it to ask the reader, it would excuse it.
static bool has_lone_surrogate(deft_view text)
{
    for (size_t at = 0; at + 1 < text.size; at++) {
        unsigned first  = 0;
        unsigned second = 0;
        if (text.data[at] != '\\') {
            continue;
        }
        at++; // what is escaped, so that \\u is a backslash and a letter
        if (text.data[at] != 'u' || at + 4 >= text.size) {
            continue;
        }
        char digits[5] = {0};
        memcpy(digits, text.data + at + 1, 4);
        first = (unsigned)strtoul(digits, NULL, 16);
        if (first >= 0xD800 && first <= 0xDBFF && at + 10 < text.size &&
            text.data[at + 5] == '\\' && text.data[at + 6] == 'u') {
            memcpy(digits, text.data + at + 7, 4);
            second = (unsigned)strtoul(digits, NULL, 16);
        }
        if (first >= 0xD800 && first <= 0xDBFF && second >= 0xDC00 && second <= 0xDFFF) {
            at += 10;
        } else if (is_surrogate(first)) {
            return true;
        }
    }
    return false;
}

// What we take and jansson refuses. NULL: it should not have.
static const char *why_only_ours(const json_error_t *error, deft_view text)
{
    const enum json_error_code code = json_error_code(error);
    if (code == json_error_numeric_overflow) {
        return "a number beyond int64 or double; we keep numbers as text";
    } else if (code == json_error_null_byte_in_key) {
        return "a NUL in a name; we keep it";
    } else if (code == json_error_invalid_syntax && has_lone_surrogate(text)) {
        return "half a surrogate pair; we read U+FFFD";
    } else {
        return NULL;
    }
}

// What jansson takes and we refuse. NULL: we should not have.
static const char *why_only_theirs(const deft_error *error, deft_view text)
{
    if (error->status == DEFT_LIMIT) {
        return "deeper than 128; jansson stops at 2048";
    } else if (error->offset < text.size && text.data[error->offset] == '\0' &&
               strcmp(error->message, "control character in a string") != 0) {
        return "a NUL behind a number; jansson does not see it";
    } else {
        return NULL;
    }
}

static void check_string(deft__json_value value, const char *text, size_t size)
{
    check(deft__json_is(value, DEFT__JSON_STRING));
    check(deft__json_string_equals(value, deft_view_make(text, size)));
}

static void check_same(deft__json_value ours, const json_t *theirs)
{
    int64_t whole = 0;
    double  real  = 0;
    switch (json_typeof(theirs)) {
    case JSON_OBJECT: {
        const char *name;
        json_t     *value;
        size_t      shadowed = 0;
        check(deft__json_is(ours, DEFT__JSON_OBJECT));
        // Both take the last of two members with one name; jansson then has only that one.
        deft__json_iterator i = deft__json_iterate(ours);
        while (deft__json_next(&i)) {
            deft_buffer scratch;
            deft_buffer_init(&scratch, NULL);
            const deft_view        text = deft__json_string(i.name, &scratch);
            const deft__json_value last = deft__json_member_view(ours, text);
            shadowed += last.token != i.value.token;
            deft_buffer_clear(&scratch);
        }
        check(deft__json_count(ours) == json_object_size(theirs) + shadowed);
        void *it = json_object_iter((json_t *)(uintptr_t)theirs);
        while (it != NULL) {
            name  = json_object_iter_key(it);
            value = json_object_iter_value(it);
            check_same(deft__json_member(ours, name), value);
            it = json_object_iter_next((json_t *)(uintptr_t)theirs, it);
        }
        break;
    }
    case JSON_ARRAY: {
        check(deft__json_is(ours, DEFT__JSON_ARRAY));
        check(deft__json_count(ours) == json_array_size(theirs));
        deft__json_iterator i     = deft__json_iterate(ours);
        size_t              index = 0;
        while (deft__json_next(&i)) {
            check_same(i.value, json_array_get(theirs, index++));
        }
        break;
    }
    case JSON_STRING:
        check_string(ours, json_string_value(theirs), json_string_length(theirs));
        break;
    case JSON_INTEGER:
        check(deft__json_int64(ours, &whole) == DEFT_OK && whole == json_integer_value(theirs));
        break;
    case JSON_REAL: {
        const double expected = json_real_value(theirs);
        check(deft__json_double(ours, &real) == DEFT_OK);
        check(memcmp(&real, &expected, sizeof real) == 0);
        break;
    }
    case JSON_TRUE:
        check(deft__json_is(ours, DEFT__JSON_TRUE));
        break;
    case JSON_FALSE:
        check(deft__json_is(ours, DEFT__JSON_FALSE));
        break;
    case JSON_NULL:
        check(deft__json_is(ours, DEFT__JSON_NULL));
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view text  = deft_view_make((const char *)data, size);
    deft_error      error = DEFT_ERROR_INIT;
    deft__json      ours;
    deft__json_init(&ours, NULL);
    const bool is_ours = deft__json_parse(&ours, text, NULL, &error) == DEFT_OK;

    json_error_t jansson_error;
    json_t *theirs = json_loadb(size > 0 ? text.data : "", size, JSON_DECODE_ANY | JSON_ALLOW_NUL,
                                &jansson_error);
    if (is_ours && theirs != NULL) {
        check_same(deft__json_root(&ours), theirs);
    } else if (is_ours) {
        check(why_only_ours(&jansson_error, text) != NULL);
    } else if (theirs != NULL) {
        check(why_only_theirs(&error, text) != NULL);
    }
    json_decref(theirs);
    deft__json_clear(&ours);
    return 0;
}
