#include "quality/baselines/words.h"

#include "quality/baselines/corpus.h"

#include <stdlib.h>
#include <utf8proc.h>

const char nltk_stop_words[] =
    " i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself "
    "yourselves he him his himself she she's her hers herself it it's its itself they them their "
    "theirs themselves what which who whom this that that'll these those am is are was were be "
    "been being have has had having do does did doing a an the and but if or because as until "
    "while of at by for with about against between into through during before after above below "
    "to from up down in out on off over under again further then once here there when where why "
    "how all any both each few more most other some such no nor not only own same so than too "
    "very s t can will just don don't should should've now d ll m o re ve y ain aren aren't couldn "
    "couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn "
    "mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't weren weren't "
    "won won't wouldn wouldn't ";

void words_init(quality_words *words)
{
    memset(words, 0, sizeof *words);
    deft_buffer_init(&words->text, NULL);
}

void words_clear(quality_words *words)
{
    free(words->items);
    deft_buffer_clear(&words->text);
    words_init(words);
}

void words_reset(quality_words *words)
{
    words->count = 0;
    deft_buffer_reset(&words->text);
}

deft_view words_at(const quality_words *words, size_t index)
{
    return deft_view_make(words->text.data + words->items[index].offset, words->items[index].size);
}

// Makes a word of what was appended to the text from `offset` on.
static void end_word(quality_words *words, size_t offset)
{
    if (words->text.status != DEFT_OK) {
        must(NULL);
    }
    if (words->text.size > offset) {
        words->items =
            must_grow(words->items, &words->capacity, words->count, sizeof *words->items);
        words->items[words->count].offset = (uint32_t)offset;
        words->items[words->count].size   = (uint32_t)(words->text.size - offset);
        words->count++;
    }
}

void words_add(quality_words *words, deft_view word)
{
    const size_t offset = words->text.size;
    deft_buffer_append(&words->text, word);
    end_word(words, offset);
}

// --- Characters. ---------------------------------------------------------------------------------

// The code point at `at`; a byte that is not UTF-8 counts as one of its own.
static size_t decode(deft_view text, size_t at, utf8proc_int32_t *codepoint)
{
    const utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)text.data + at,
                                                   (utf8proc_ssize_t)(text.size - at), codepoint);
    if (size <= 0) {
        *codepoint = 0xFFFD;
        return 1;
    }
    return (size_t)size;
}

static void encode(deft_buffer *out, utf8proc_int32_t codepoint)
{
    utf8proc_uint8_t       bytes[4];
    const utf8proc_ssize_t size = utf8proc_encode_char(codepoint, bytes);
    deft_buffer_append(out, deft_view_make((const char *)bytes, (size_t)size));
}

void lower(deft_buffer *out, deft_view text)
{
    utf8proc_int32_t codepoint = 0;
    for (size_t at = 0; at < text.size;) {
        at += decode(text, at, &codepoint);
        encode(out, utf8proc_tolower(codepoint));
    }
}

void strip_accents(deft_buffer *out, deft_view text)
{
    utf8proc_uint8_t      *folded = NULL;
    const utf8proc_ssize_t size =
        utf8proc_map((const utf8proc_uint8_t *)text.data, (utf8proc_ssize_t)text.size, &folded,
                     UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK);
    if (size < 0) {
        deft_buffer_append(out, text); // not UTF-8: as it is
    } else {
        deft_buffer_append(out, deft_view_make((const char *)folded, (size_t)size));
        free(folded);
    }
}

static bool is_ascii_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static void add_lower(quality_words *words, deft_view word)
{
    const size_t offset = words->text.size;
    lower(&words->text, word);
    end_word(words, offset);
}

// --- Cutting. ------------------------------------------------------------------------------------

static void cut_ascii(quality_words *words, deft_view text, char more)
{
    for (size_t at = 0; at < text.size;) {
        const size_t start = at;
        while (at < text.size && (is_ascii_word(text.data[at]) || text.data[at] == more)) {
            at++;
        }
        add_lower(words, deft_view_slice(text, start, at - start));
        at += at == start;
    }
}

void words_ascii(quality_words *words, deft_view text)
{
    cut_ascii(words, text, 'a'); // which is one already
}

void words_ascii_underscore(quality_words *words, deft_view text)
{
    cut_ascii(words, text, '_');
}

void words_between(quality_words *words, deft_view text, const char *set)
{
    for (size_t at = 0; at < text.size;) {
        const size_t start = at;
        while (at < text.size && (text.data[at] == '\0' || strchr(set, text.data[at]) == NULL)) {
            at++;
        }
        add_lower(words, deft_view_slice(text, start, at - start));
        at += at == start;
    }
}

typedef enum kind {
    OTHER,
    LOWER,
    UPPER,
    DIGIT
} kind;

static kind kind_of(char c)
{
    if (c >= 'a' && c <= 'z') {
        return LOWER;
    } else if (c >= 'A' && c <= 'Z') {
        return UPPER;
    } else {
        return c >= '0' && c <= '9' ? DIGIT : OTHER;
    }
}

// parseHTTPResponse2 -> parse http response 2
void words_identifiers(quality_words *words, deft_view text)
{
    size_t start = 0;
    for (size_t at = 1; at <= text.size; at++) {
        const kind before = kind_of(text.data[at - 1]);
        const kind here   = at < text.size ? kind_of(text.data[at]) : OTHER;
        const kind after  = at + 1 < text.size ? kind_of(text.data[at + 1]) : OTHER;
        const bool is_cut =
            before != here ? !(before == UPPER && here == LOWER) : here == UPPER && after == LOWER;
        if (is_cut || before == OTHER) {
            if (before != OTHER) {
                add_lower(words, deft_view_slice(text, start, at - start));
            }
            start = at;
        }
    }
}

typedef enum word_class {
    BREAK,
    LETTER,
    NUMBER,
    JOIN,
    MID_LETTER,
    MID_NUMBER,
    MID_BOTH,
    ALONE
} word_class;

static bool is_alone(utf8proc_int32_t c)
{
    return (c >= 0x3040 && c <= 0x309F) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

static word_class class_of(utf8proc_int32_t c)
{
    if (c == '_') {
        return JOIN;
    } else if (c == '\'' || c == '.' || c == 0x2019 || c == 0x2018 || c == 0x2024) {
        return MID_BOTH;
    } else if (c == ':' || c == 0xB7) {
        return MID_LETTER;
    } else if (c == ',' || c == ';') {
        return MID_NUMBER;
    } else if (is_alone(c)) {
        return ALONE;
    }
    switch ((int)utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN: // marks stay with their letter
    case UTF8PROC_CATEGORY_MC:
        return LETTER;
    case UTF8PROC_CATEGORY_ND:
        return NUMBER;
    case UTF8PROC_CATEGORY_PC:
        return JOIN;
    default:
        return BREAK;
    }
}

// Whether a character between two others joins them.
static bool joins(word_class before, word_class middle, word_class after)
{
    if (before == LETTER && after == LETTER) {
        return middle == MID_LETTER || middle == MID_BOTH;
    } else if (before == NUMBER && after == NUMBER) {
        return middle == MID_NUMBER || middle == MID_BOTH;
    } else {
        return false;
    }
}

void words_unicode(quality_words *words, deft_view text)
{
    size_t     start   = 0;
    word_class before  = BREAK; // of the last character in the word
    bool       is_word = false; // has a letter or a digit: underscores alone are none
    size_t     at      = 0;
    while (at <= text.size) {
        utf8proc_int32_t here = 0, next = 0;
        const size_t     size = at < text.size ? decode(text, at, &here) : 1;
        word_class       now  = at < text.size ? class_of(here) : BREAK;
        if ((now == MID_LETTER || now == MID_NUMBER || now == MID_BOTH) && at + size < text.size) {
            decode(text, at + size, &next);
            now = joins(before, now, class_of(next)) ? before : BREAK;
        }
        if (now == LETTER || now == NUMBER || now == JOIN) {
            is_word = is_word || now != JOIN;
        } else {
            if (is_word) {
                add_lower(words, deft_view_slice(text, start, at - start));
            }
            if (now == ALONE) {
                add_lower(words, deft_view_slice(text, at, size));
            }
            start   = at + size;
            is_word = false;
        }
        before = now;
        at += size;
    }
}

// --- Changing. -----------------------------------------------------------------------------------

void words_drop(quality_words *words, size_t from, const char *list)
{
    char   padded[64] = " ";
    size_t kept       = from;
    for (size_t i = from; i < words->count; i++) {
        const deft_view word      = words_at(words, i);
        bool            is_listed = false;
        if (word.size + 3 <= sizeof padded) {
            memcpy(padded + 1, word.data, word.size);
            memcpy(padded + 1 + word.size, " ", 2);
            is_listed = strstr(list, padded) != NULL;
        }
        if (!is_listed) {
            words->items[kept++] = words->items[i];
        }
    }
    words->count = kept;
}

void words_stem(quality_words *words, struct sb_stemmer *stemmer)
{
    for (size_t i = 0; i < words->count; i++) {
        const deft_view  word   = words_at(words, i);
        const sb_symbol *stem   = must((void *)(uintptr_t)sb_stemmer_stem(
              stemmer, (const sb_symbol *)word.data, (int)word.size));
        const int        size   = sb_stemmer_length(stemmer);
        const size_t     offset = words->text.size;
        deft_buffer_append(&words->text, deft_view_make((const char *)stem, (size_t)size));
        if (words->text.status != DEFT_OK) {
            must(NULL);
        }
        words->items[i].offset = (uint32_t)offset;
        words->items[i].size   = (uint32_t)size;
    }
}

struct sb_stemmer *must_stemmer(const char *algorithm)
{
    return must(sb_stemmer_new(algorithm, NULL));
}
