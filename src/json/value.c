// Reading a tape: kinds, slices, members and strings.
#include "json/reader.h"

#include "base/utf8.h"
#include "json/tape.h"

static const deft__json_value no_value = {.document = NULL, .token = 0};

deft__json_value deft__json_root(const deft__json *document)
{
    return (deft__json_value){.document = document, .token = 0};
}

deft__json_kind deft__json_kind_of(deft__json_value value)
{
    const deft__json_token *token = deft__tape_token(value);
    return token != NULL ? deft__tape_kind(token) : DEFT__JSON_NONE;
}

const char *deft__json_kind_name(deft__json_kind kind)
{
    static const char *const names[] = {
        [DEFT__JSON_NONE] = "nothing",    [DEFT__JSON_NULL] = "null",
        [DEFT__JSON_FALSE] = "false",     [DEFT__JSON_TRUE] = "true",
        [DEFT__JSON_NUMBER] = "a number", [DEFT__JSON_STRING] = "a string",
        [DEFT__JSON_ARRAY] = "an array",  [DEFT__JSON_OBJECT] = "an object",
    };
    return names[kind];
}

bool deft__json_is(deft__json_value value, deft__json_kind kind)
{
    return deft__json_kind_of(value) == kind;
}

deft_view deft__json_raw(deft__json_value value)
{
    const deft__json_token *token = deft__tape_token(value);
    if (token == NULL) {
        return deft_view_make(NULL, 0);
    }
    return deft_view_make(value.document->text.data + token->start, token->size);
}

size_t deft__json_offset(deft__json_value value)
{
    const deft__json_token *token = deft__tape_token(value);
    return token != NULL ? token->start : 0;
}

size_t deft__json_count(deft__json_value value)
{
    const deft__json_kind kind = deft__json_kind_of(value);
    if (kind != DEFT__JSON_ARRAY && kind != DEFT__JSON_OBJECT) {
        return 0;
    }
    return deft__tape_token(value)->info >> DEFT__TAPE_KIND_BITS;
}

deft__json_iterator deft__json_iterate(deft__json_value container)
{
    return (deft__json_iterator){
        .name      = no_value,
        .value     = {.document = container.document, .token = container.token},
        .next      = container.token + 1,
        .left      = (uint32_t)deft__json_count(container),
        .is_object = deft__json_is(container, DEFT__JSON_OBJECT),
    };
}

bool deft__json_next(deft__json_iterator *iterator)
{
    if (iterator->left == 0) {
        iterator->name  = no_value;
        iterator->value = no_value;
        return false;
    }
    if (iterator->is_object) {
        iterator->name =
            (deft__json_value){.document = iterator->value.document, .token = iterator->next};
        iterator->next++;
    }
    iterator->value.token = iterator->next;
    iterator->next        = iterator->value.document->tokens[iterator->next].next;
    iterator->left--;
    return true;
}

deft__json_value deft__json_member(deft__json_value object, const char *name)
{
    return deft__json_member_view(object, deft_view_of(name));
}

deft__json_value deft__json_member_view(deft__json_value object, deft_view name)
{
    deft__json_value    found = no_value;
    deft__json_iterator i     = deft__json_iterate(object);
    while (i.is_object && deft__json_next(&i)) {
        if (deft__json_string_equals(i.name, name)) {
            found = i.value;
        }
    }
    return found;
}

// The inside of a string: what is between its quotes.
static deft_view inside_of(const deft__json *document, const deft__json_token *string)
{
    return deft_view_make(document->text.data + string->start + 1, string->size - 2);
}

// The four hex digits of `\uXXXX`, of which the reader knows that they are there.
static uint32_t escaped_unit(const char *escape)
{
    uint32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        unit = unit << 4 | deft__tape_hex_digit(escape[i]);
    }
    return unit;
}

// Decodes the escape at `at` into UTF-8; returns behind it. Two escapes that are a surrogate pair
// are one character; half a pair becomes U+FFFD.
static const char *decode_escape(const char *at, const char *end, char out[4], size_t *out_size)
{
    *out_size = 1;
    switch (at[1]) {
    case 'b':
        out[0] = '\b';
        return at + 2;
    case 'f':
        out[0] = '\f';
        return at + 2;
    case 'n':
        out[0] = '\n';
        return at + 2;
    case 'r':
        out[0] = '\r';
        return at + 2;
    case 't':
        out[0] = '\t';
        return at + 2;
    case 'u':
        break;
    default: // a quote, a backslash, a slash
        out[0] = at[1];
        return at + 2;
    }

    uint32_t code = escaped_unit(at);
    at += 6;
    if (code >= 0xD800 && code <= 0xDBFF && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        const uint32_t low = escaped_unit(at);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        }
    }
    *out_size = deft__utf8_encode(code, out);
    return at;
}

// Decodes all of `inside` to `out`, which has room for inside.size bytes: an escape is never
// shorter than what it stands for. Returns the size.
static size_t decode_string(deft_view inside, char *out)
{
    const char *at   = inside.data;
    const char *end  = at + inside.size;
    size_t      size = 0;
    while (at < end) {
        const char  *escape = memchr(at, '\\', (size_t)(end - at));
        const size_t plain  = (size_t)((escape != NULL ? escape : end) - at);
        memcpy(out + size, at, plain);
        size += plain;
        at += plain;
        if (escape != NULL) {
            char   bytes[4];
            size_t bytes_size = 0;
            at                = decode_escape(at, end, bytes, &bytes_size);
            memcpy(out + size, bytes, bytes_size);
            size += bytes_size;
        }
    }
    return size;
}

deft_view deft__json_string(deft__json_value value, deft_buffer *scratch)
{
    const deft__json_token *token = deft__tape_token(value);
    if (token == NULL || deft__tape_kind(token) != DEFT__JSON_STRING) {
        return deft_view_make(NULL, 0);
    }
    const deft_view inside = inside_of(value.document, token);
    if ((token->info & DEFT__TAPE_HAS_ESCAPE) == 0) {
        return inside;
    }
    if (!deft_buffer_reserve(scratch, inside.size)) {
        return deft_view_make(NULL, 0);
    }
    char        *out  = scratch->data + scratch->size;
    const size_t size = decode_string(inside, out);
    scratch->size += size;
    return deft_view_make(out, size);
}

bool deft__json_string_equals(deft__json_value value, deft_view text)
{
    const deft__json_token *token = deft__tape_token(value);
    if (token == NULL || deft__tape_kind(token) != DEFT__JSON_STRING) {
        return false;
    }
    const deft_view inside = inside_of(value.document, token);
    if ((token->info & DEFT__TAPE_HAS_ESCAPE) == 0) {
        return deft_view_equal(inside, text);
    }

    const char *at      = inside.data;
    const char *end     = at + inside.size;
    size_t      matched = 0;
    while (at < end) {
        char   bytes[4]   = {*at};
        size_t bytes_size = 1;
        at                = *at == '\\' ? decode_escape(at, end, bytes, &bytes_size) : at + 1;
        if (text.size - matched < bytes_size ||
            memcmp(text.data + matched, bytes, bytes_size) != 0) {
            return false;
        }
        matched += bytes_size;
    }
    return matched == text.size;
}
