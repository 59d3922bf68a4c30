#include "core/listing/clean.h"

#include "base/utf8.h"

static const deft_view ellipsis = DEFT_VIEW_INIT("\xE2\x80\xA6"); // U+2026

typedef enum character_kind {
    CHARACTER_KEPT,
    CHARACTER_SPACE,
    CHARACTER_DROPPED
} character_kind;

static character_kind kind_of(uint32_t code)
{
    if (code <= 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0x1680 ||
        (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
        code == 0x205F || code == 0x3000) {
        return CHARACTER_SPACE; // controls, spaces, line and paragraph separators
    } else if (code == 0x200B || code == 0x200E || code == 0x200F || code == 0xFEFF ||
               (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
               (code >= 0xE0000 && code <= 0xE0FFF)) {
        // Zero width, reordering, and the tag characters in which text can be hidden from people
        // but not from models. Joiners (U+200C, U+200D) are parts of words and stay.
        return CHARACTER_DROPPED;
    } else {
        return CHARACTER_KEPT;
    }
}

// The character at `at`, U+FFFD for a byte that is not UTF-8. Returns how many bytes it took.
static size_t read_character(deft_view text, size_t at, uint32_t *code)
{
    const size_t size = deft__utf8_decode(text, at, code);
    if (size == 0) {
        *code = 0xFFFD;
        return 1;
    }
    return size;
}

static bool is_plain(char byte)
{
    return byte > 0x20 && byte < 0x7F;
}

// Bytes from `at` on, at most `size_max`, that stay as they are: letters, digits and signs of ASCII, and
// single spaces between them.
static size_t plain_size(deft_view text, size_t at, size_t size_max)
{
    const deft_view rest = deft_view_slice(text, at, size_max);
    size_t          size = 0;
    while (size < rest.size &&
           (is_plain(rest.data[size]) || (rest.data[size] == ' ' && size > 0 &&
                                          size + 1 < rest.size && is_plain(rest.data[size + 1])))) {
        size++;
    }
    return size;
}

void deft__clean_append(deft_buffer *out, deft_view text, size_t size_max)
{
    const size_t start        = out->size;
    size_t       size         = 0; // bytes appended
    size_t       cut          = 0; // the last of these after which an ellipsis still fits
    bool         is_space_due = false;

    for (size_t at = 0; at < text.size;) {
        // Most text is words of ASCII, which are taken together as long as an ellipsis fits behind them.
        const size_t space = is_space_due ? 1 : 0;
        const size_t least = size + space + ellipsis.size;
        const size_t plain = least < size_max ? plain_size(text, at, size_max - least) : 0;
        if (plain > 0) {
            deft_buffer_append(out, deft_view_make(" ", space));
            deft_buffer_append(out, deft_view_slice(text, at, plain));
            at += plain;
            size += space + plain;
            cut          = size;
            is_space_due = false;
            continue;
        }
        uint32_t code = 0;
        at += read_character(text, at, &code);
        const character_kind kind = kind_of(code);
        if (kind == CHARACTER_SPACE) {
            is_space_due = size > 0;
        } else if (kind == CHARACTER_KEPT) {
            char         bytes[5] = {' '};
            const size_t added    = space + deft__utf8_encode(code, bytes + space);
            if (added > size_max - size) {
                if (size_max >= ellipsis.size) {
                    deft_buffer_truncate(out, start + cut);
                    deft_buffer_append(out, ellipsis);
                }
                return;
            }
            deft_buffer_append(out, deft_view_make(bytes, added));
            size += added;
            is_space_due = false;
            if (size_max >= ellipsis.size && size <= size_max - ellipsis.size) {
                cut = size;
            }
        }
    }
}

// Up to the first empty line: what follows is usually about arguments and examples.
static deft_view first_paragraph(deft_view text)
{
    bool   has_text  = false;
    size_t line_ends = 0;
    size_t size      = 0;
    for (; size < text.size && line_ends < 2; size++) {
        const char byte = text.data[size];
        if (byte == '\n') {
            line_ends += has_text;
        } else if (byte != ' ' && byte != '\t' && byte != '\r') {
            has_text  = true;
            line_ends = 0;
        }
    }
    return deft_view_slice(text, 0, size);
}

// Whether the full stop at `at` belongs to an abbreviation: "e.g.", "J. Smith".
static bool is_abbreviation(deft_view text, size_t at)
{
    size_t start = at;
    while (start > 0 && text.data[start - 1] != ' ' && text.data[start - 1] != '(') {
        start--;
    }
    const deft_view word = deft_view_slice(text, start, at - start);
    return word.size <= 1 || memchr(word.data, '.', word.size) != NULL ||
           deft_view_equals(word, "etc") || deft_view_equals(word, "vs");
}

// Where the first sentence of a cleaned text ends, without its full stop; text.size when it has no
// end.
static size_t sentence_size(deft_view text)
{
    static const deft_view ideographic_stop = DEFT_VIEW_INIT("\xE3\x80\x82"); // U+3002
    for (size_t at = 0; at < text.size; at++) {
        const char byte    = text.data[at];
        const bool is_last = at + 1 == text.size || text.data[at + 1] == ' ';
        if (byte == '.' && is_last && !is_abbreviation(text, at)) {
            return at;
        } else if ((byte == '!' || byte == '?') && is_last) {
            return at + 1;
        } else if (deft_view_starts_with(deft_view_slice(text, at, text.size), ideographic_stop)) {
            return at;
        }
    }
    return text.size;
}

// Bytes of the first words that make at most `length_max` characters. A word longer than a quarter
// of that is cut in two, as is text in scripts without spaces.
static size_t words_size(deft_view text, size_t length_max)
{
    size_t size = 0;
    for (size_t length = 0; length < length_max && size < text.size; length++) {
        uint32_t code = 0;
        size += read_character(text, size, &code);
    }
    for (size_t at = size; at > 0 && size - at < length_max / 4; at--) {
        if (text.data[at] == ' ') {
            return at;
        }
    }
    return size;
}

void deft__clean_append_short(deft_buffer *out, deft_view text, size_t size_max)
{
    // Enough bytes for the longest short text and a character that shows there is more.
    const size_t wanted = 4 * (DEFT__CLEAN_SHORT_LENGTH_MAX + 2);
    const size_t start  = out->size;
    deft__clean_append(out, first_paragraph(text), size_max < wanted ? size_max : wanted);

    const deft_view cleaned  = deft_view_slice(deft_buffer_view(out), start, out->size);
    const deft_view sentence = deft_view_slice(cleaned, 0, sentence_size(cleaned));
    if (deft__utf8_length(sentence) <= DEFT__CLEAN_SHORT_LENGTH_MAX) {
        deft_buffer_truncate(out, start + sentence.size);
    } else {
        // Three characters less, so that the ellipsis takes no more bytes than what it replaces.
        deft_buffer_truncate(out, start + words_size(sentence, DEFT__CLEAN_SHORT_LENGTH_MAX - 3));
        deft_buffer_append(out, ellipsis);
    }
}
