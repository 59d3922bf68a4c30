#include "core/index/terms.h"

#include "base/utf8.h"
#include "core/index/fold.h"

typedef enum letter_kind {
    KIND_OTHER, // no part of a term
    KIND_DIGIT,
    KIND_LOWER, // also letters that know no case
    KIND_UPPER,
    KIND_IDEOGRAPH // a term by itself: these scripts write no spaces
} letter_kind;

typedef struct letter {
    letter_kind kind;
    uint32_t    code; // folded
    size_t      size; // bytes in the text
} letter;

static bool is_between(uint32_t code, uint32_t first, uint32_t last)
{
    return code >= first && code <= last;
}

static bool is_ideograph(uint32_t code)
{
    return is_between(code, 0x3041, 0x30FF) || is_between(code, 0x3400, 0x4DBF) ||
           is_between(code, 0x4E00, 0x9FFF) || is_between(code, 0xF900, 0xFAFF) ||
           is_between(code, 0x20000, 0x3FFFF);
}

// Punctuation and symbols outside ASCII, by block.
static bool is_symbol(uint32_t code)
{
    return (is_between(code, 0x80, 0xBF) && code != 0xAA && code != 0xB5 && code != 0xBA) ||
           code == 0xD7 || code == 0xF7 || is_between(code, 0x2000, 0x2BFF) ||
           is_between(code, 0x3000, 0x3040) || is_between(code, 0xE000, 0xF8FF) ||
           is_between(code, 0xFE00, 0xFE6F) || is_between(code, 0xFF00, 0xFF20) ||
           is_between(code, 0xFFF0, 0xFFFF) || code >= 0x1F000;
}

static letter_kind kind_of(uint32_t code)
{
    if (is_between(code, 'a', 'z')) {
        return KIND_LOWER;
    } else if (is_between(code, 'A', 'Z')) {
        return KIND_UPPER;
    } else if (is_between(code, '0', '9')) {
        return KIND_DIGIT;
    } else if (code < 0x80) {
        return KIND_OTHER;
    } else if (is_ideograph(code)) {
        return KIND_IDEOGRAPH;
    } else if (is_symbol(code)) {
        return KIND_OTHER;
    } else {
        return deft__fold_code(code) != code ? KIND_UPPER : KIND_LOWER;
    }
}

// The character at byte `at`; of kind OTHER and size 0 behind the end.
static letter letter_at(deft_view text, size_t at)
{
    if (at >= text.size) {
        return (letter){.kind = KIND_OTHER};
    }
    uint32_t     code = 0;
    const size_t size = deft__utf8_decode(text, at, &code);
    if (size == 0) {
        return (letter){.kind = KIND_OTHER, .size = 1};
    }
    return (letter){.kind = kind_of(code), .code = deft__fold_code(code), .size = size};
}

// Whether a term goes on from `last` to `next`, which stands at byte `at`.
static bool is_joined(deft_view text, letter_kind last, letter next, size_t at)
{
    if (last == KIND_DIGIT || next.kind == KIND_DIGIT) {
        return last == next.kind;
    } else if (next.kind != KIND_LOWER && next.kind != KIND_UPPER) {
        return false;
    } else if (last == KIND_LOWER) {
        return next.kind == KIND_LOWER;
    } else {
        // Inside capitals: the last one before a small letter starts the next word.
        return next.kind == KIND_LOWER || letter_at(text, at + next.size).kind != KIND_LOWER;
    }
}

void deft__terms_init(deft__terms *terms, deft_view text)
{
    terms->text = text;
    terms->at   = 0;
}

bool deft__terms_next(deft__terms *terms, deft_view *term)
{
    const deft_view text = terms->text;
    letter          next = letter_at(text, terms->at);
    while (next.kind == KIND_OTHER && next.size > 0) {
        terms->at += next.size;
        next = letter_at(text, terms->at);
    }
    if (next.size == 0) {
        return false;
    }

    size_t      size    = 0;
    bool        is_full = false;
    letter_kind last;
    do {
        char         bytes[4];
        const size_t encoded = deft__utf8_encode(next.code, bytes);
        is_full              = is_full || size + encoded > sizeof terms->term;
        if (!is_full) {
            memcpy(terms->term + size, bytes, encoded);
            size += encoded;
        }
        last = next.kind;
        terms->at += next.size;
        next = letter_at(text, terms->at);
    } while (last != KIND_IDEOGRAPH && is_joined(text, last, next, terms->at));

    *term = deft_view_make(terms->term, size);
    return true;
}
