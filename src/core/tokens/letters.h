// letters.h - what kind of character a tokenizer sees. A rough Unicode: the ranges follow the
// general categories (letter, number, space, the rest) closely enough to cut text where o200k's
// regular expression cuts it, in a table small enough to read.
#ifndef DEFT_CORE_TOKENS_LETTERS_H
#define DEFT_CORE_TOKENS_LETTERS_H

#include "deft/view.h"

#include <stdint.h>

// In this order: blanks come first, see deft__letter_is_blank().
enum {
    DEFT__LETTER_NEWLINE,
    DEFT__LETTER_SPACE,
    DEFT__LETTER_DIGIT,
    DEFT__LETTER_UPPER,
    DEFT__LETTER_LOWER,
    DEFT__LETTER_OTHER, // a letter without case, or a mark that belongs to one
    DEFT__LETTER_SIGN   // everything else, bytes that are not UTF-8 too
};

// Scripts whose tokens differ in length. Of languages we hold no text in, DEFT__SCRIPT_REST.
enum {
    DEFT__SCRIPT_LATIN,
    DEFT__SCRIPT_GREEK,
    DEFT__SCRIPT_CYRILLIC,
    DEFT__SCRIPT_HEBREW,
    DEFT__SCRIPT_ARABIC,
    DEFT__SCRIPT_INDIC, // Devanagari to Oriya
    DEFT__SCRIPT_DRAVIDIAN,
    DEFT__SCRIPT_THAI, // and its neighbours, which write without spaces
    DEFT__SCRIPT_GEORGIAN,
    DEFT__SCRIPT_KANA,
    DEFT__SCRIPT_HANGUL,
    DEFT__SCRIPT_HAN,
    DEFT__SCRIPT_REST,
    DEFT__SCRIPT_COUNT
};

typedef struct deft__letter {
    uint32_t code;
    uint8_t  size;   // bytes, 1 to 4
    uint8_t  kind;   // DEFT__LETTER_...
    uint8_t  script; // DEFT__SCRIPT_..., of letters only
} deft__letter;

// Kinds of the 128 ASCII characters.
extern const uint8_t deft__letter_ascii[128];

// The character at byte `at` (< text.size) when it is not ASCII. A byte that is not UTF-8 is taken
// for U+FFFD, as decoders show it.
deft__letter deft__letter_beyond_ascii(deft_view text, size_t at);

static inline deft__letter deft__letter_at(deft_view text, size_t at)
{
    const uint8_t byte = (uint8_t)text.data[at];
    if (byte >= 0x80) {
        return deft__letter_beyond_ascii(text, at);
    }
    return (deft__letter){byte, 1, deft__letter_ascii[byte], DEFT__SCRIPT_LATIN};
}

static inline bool deft__letter_is_letter(deft__letter letter)
{
    return letter.kind >= DEFT__LETTER_UPPER && letter.kind <= DEFT__LETTER_OTHER;
}

static inline bool deft__letter_is_blank(deft__letter letter)
{
    return letter.kind <= DEFT__LETTER_SPACE;
}

#endif
