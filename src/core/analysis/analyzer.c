// Text to words, in one pass over characters.
//
// A run is a stretch of letters and digits; everything else separates. Inside a run, parts begin
// where the kind of character changes: lower to upper (createIssue), before the last capital of an
// acronym (HTTPResponse), between letters and digits (sha256). Plural acronyms (PRs, URLs) stay in
// one piece. A run of more than one part is also a word as a whole: people write "github" and
// descriptions "GitHub", and the split alone would keep them apart (realcatalog recall@5 .650
// without, .675 with).
#include "deft/analyzer.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <libstemmer.h>
#include <utf8proc.h>

typedef enum kind {
    KIND_SEPARATOR,
    KIND_LOWER, // letters without case count as lower
    KIND_UPPER,
    KIND_DIGIT,
    KIND_MARK, // an accent of its own: belongs to the letter before, and is dropped
    KIND_PAIR  // written without spaces: indexed as pairs
} kind;

// A term while the text buffer may still move.
typedef struct pending_term {
    uint32_t offset;
    uint32_t size;
    uint32_t position;
    bool     is_whole;
} pending_term;

struct deft_analyzer {
    const deft_allocator *allocator;
    struct sb_stemmer    *stemmer; // NULL: words are their own stems
    char                  language[DEFT_LANGUAGE_SIZE_MAX + 1];
    char                 *text; // the folded words, one after another
    size_t                text_size;
    size_t                text_capacity;
    pending_term         *pending;
    size_t                pending_count;
    size_t                pending_capacity;
    deft_term            *terms;
    size_t                terms_capacity;
    bool                  is_out_of_memory;

    // The run being read.
    size_t   run_start;  // in text
    size_t   part_start; // in text
    size_t   run_parts;
    uint32_t position;
    uint32_t run_position;
    size_t   terms_max;
};

deft_analyzer *deft_analyzer_new(deft_view language, const deft_allocator *allocator,
                                 deft_error *error)
{
    char name[DEFT_LANGUAGE_SIZE_MAX + 1] = "english";
    if (language.size >= sizeof name) {
        deft__fail(error, DEFT_NOT_FOUND, 0, "no stemmer has a name that long");
        return NULL;
    }
    if (language.size > 0) {
        memcpy(name, language.data, language.size);
        name[language.size] = '\0';
    }

    deft_analyzer *analyzer = deft__new(allocator, sizeof *analyzer);
    if (analyzer == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    analyzer->allocator = allocator;
    memcpy(analyzer->language, name, sizeof name);
    if (strcmp(name, "none") != 0) {
        analyzer->stemmer = sb_stemmer_new(name, "UTF_8");
        if (analyzer->stemmer == NULL) {
            deft__quoted quoted;
            deft__fail(error, DEFT_NOT_FOUND, 0,
                       "no stemmer for the language '%s'; examples: english, german, none",
                       deft__quote(&quoted, language));
            deft_analyzer_free(analyzer);
            return NULL;
        }
    }
    return analyzer;
}

void deft_analyzer_free(deft_analyzer *analyzer)
{
    if (analyzer == NULL) {
        return;
    }
    if (analyzer->stemmer != NULL) {
        sb_stemmer_delete(analyzer->stemmer);
    }
    deft__free(analyzer->allocator, analyzer->text, analyzer->text_capacity);
    deft__free(analyzer->allocator, analyzer->pending,
               analyzer->pending_capacity * sizeof *analyzer->pending);
    deft__free(analyzer->allocator, analyzer->terms,
               analyzer->terms_capacity * sizeof *analyzer->terms);
    deft__free(analyzer->allocator, analyzer, sizeof *analyzer);
}

deft_view deft_analyzer_language(const deft_analyzer *analyzer)
{
    return deft_view_of(analyzer->language);
}

static bool is_pair_script(uint32_t code)
{
    return (code >= 0x3041 && code <= 0x30FF) || // Hiragana, Katakana
           (code >= 0x3400 && code <= 0x4DBF) || (code >= 0x4E00 && code <= 0x9FFF) || // Han
           (code >= 0xAC00 && code <= 0xD7A3) ||                                       // Hangul
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3FFFD);
}

static bool is_small_letter(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

// The kind of a character below 0x80, which nearly all are.
static kind kind_of_ascii(uint32_t code)
{
    if (code >= 'a' && code <= 'z') {
        return KIND_LOWER;
    } else if (code >= 'A' && code <= 'Z') {
        return KIND_UPPER;
    } else if (code >= '0' && code <= '9') {
        return KIND_DIGIT;
    } else {
        return KIND_SEPARATOR;
    }
}

static kind kind_of(uint32_t code)
{
    if (code < 0x80) {
        return kind_of_ascii(code);
    }
    if (is_pair_script(code)) {
        return KIND_PAIR;
    }
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
    if (category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT) {
        return KIND_UPPER;
    } else if (category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LM ||
               category == UTF8PROC_CATEGORY_LO) {
        return KIND_LOWER;
    } else if (category == UTF8PROC_CATEGORY_ND) {
        return KIND_DIGIT;
    } else if (category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
               category == UTF8PROC_CATEGORY_ME) {
        return KIND_MARK;
    } else {
        return KIND_SEPARATOR;
    }
}

// Room for `size` more bytes of text. False: no memory.
static bool reserve_text(deft_analyzer *analyzer, size_t size)
{
    if (analyzer->text_capacity - analyzer->text_size < size) {
        const size_t capacity = analyzer->text_capacity * 2 + size + 256;
        char        *text =
            deft__resize(analyzer->allocator, analyzer->text, analyzer->text_capacity, capacity);
        if (text == NULL) {
            analyzer->is_out_of_memory = true;
            return false;
        }
        analyzer->text          = text;
        analyzer->text_capacity = capacity;
    }
    return true;
}

static void append_bytes(deft_analyzer *analyzer, const char *bytes, size_t size)
{
    if (!reserve_text(analyzer, size)) {
        return;
    }
    memcpy(analyzer->text + analyzer->text_size, bytes, size);
    analyzer->text_size += size;
}

// Appends a character in lower case and without accents; some become several (the German sharp s)
// or none.
static void append_folded(deft_analyzer *analyzer, uint32_t code)
{
    if (code < 0x80) {
        const char byte = (char)(code >= 'A' && code <= 'Z' ? code - 'A' + 'a' : code);
        append_bytes(analyzer, &byte, 1);
        return;
    }
    utf8proc_int32_t       folded[32]; // the longest compatibility decomposition has 18
    int                    boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char((utf8proc_int32_t)code, folded, 32,
                                UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                    UTF8PROC_STRIPMARK | UTF8PROC_IGNORE,
                                &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < 32; i++) {
        char         bytes[4];
        const size_t size = deft__utf8_encode((uint32_t)folded[i], bytes);
        append_bytes(analyzer, bytes, size);
    }
}

// Appends the small letters a to z at `at`, as many as there are; they stay as they are.
static size_t append_small_letters(deft_analyzer *analyzer, deft_view text, size_t at)
{
    size_t end = at;
    while (end < text.size && is_small_letter(text.data[end])) {
        end++;
    }
    append_bytes(analyzer, text.data + at, end - at);
    return end;
}

static void push_term(deft_analyzer *analyzer, size_t start, size_t end, uint32_t position,
                      bool is_whole)
{
    if (start == end || analyzer->pending_count >= analyzer->terms_max ||
        analyzer->is_out_of_memory) {
        return;
    }
    if (analyzer->pending_count == analyzer->pending_capacity) {
        void *items = analyzer->pending;
        if (!deft__grow(analyzer->allocator, &items, &analyzer->pending_capacity,
                        analyzer->pending_count, sizeof *analyzer->pending)) {
            analyzer->is_out_of_memory = true;
            return;
        }
        analyzer->pending = items;
    }
    const deft_view word = deft_view_make(analyzer->text + start, end - start);
    analyzer->pending[analyzer->pending_count++] = (pending_term){
        .offset   = (uint32_t)start,
        .size     = (uint32_t)deft__utf8_cut(word, DEFT_WORD_SIZE_MAX),
        .position = position,
        .is_whole = is_whole,
    };
}

static void end_part(deft_analyzer *analyzer)
{
    if (analyzer->text_size > analyzer->part_start) {
        push_term(analyzer, analyzer->part_start, analyzer->text_size, analyzer->position++, false);
        analyzer->run_parts++;
        analyzer->part_start = analyzer->text_size;
    }
}

static void end_run(deft_analyzer *analyzer)
{
    // Longer wholes are hardly ever typed by anyone.
    const size_t whole_size_max = 24;
    end_part(analyzer);
    if (analyzer->run_parts > 1 && analyzer->text_size - analyzer->run_start <= whole_size_max) {
        push_term(analyzer, analyzer->run_start, analyzer->text_size, analyzer->run_position, true);
    }
    analyzer->run_start    = analyzer->text_size;
    analyzer->part_start   = analyzer->text_size;
    analyzer->run_parts    = 0;
    analyzer->run_position = analyzer->position;
}

// Pairs of neighbours: each character is written once, and a pair is a view over two of them.
static size_t read_pairs(deft_analyzer *analyzer, deft_view text, size_t at)
{
    size_t previous = analyzer->text_size; // where the character before began
    size_t count    = 0;
    while (at < text.size) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(text, at, &code);
        if (size == 0 || kind_of(code) != KIND_PAIR) {
            break;
        }
        const size_t start = analyzer->text_size;
        append_bytes(analyzer, text.data + at, size);
        if (count > 0) {
            push_term(analyzer, previous, analyzer->text_size, analyzer->position++, false);
        }
        previous = start;
        at += size;
        count++;
    }
    if (count == 1) {
        push_term(analyzer, previous, analyzer->text_size, analyzer->position++, false);
    }
    analyzer->run_start    = analyzer->text_size;
    analyzer->part_start   = analyzer->text_size;
    analyzer->run_position = analyzer->position;
    return at;
}

// The kind of the character at `at`, past the end: a separator.
static kind peek(deft_view text, size_t at, uint32_t *code, size_t *size)
{
    *code = 0;
    *size = 0;
    if (at >= text.size) {
        return KIND_SEPARATOR;
    }
    const unsigned char first = (unsigned char)text.data[at];
    if (first < 0x80) {
        *code = first;
        *size = 1;
        return kind_of_ascii(first);
    }
    *size = deft__utf8_decode(text, at, code);
    if (*size == 0) {
        *size = 1;
        return KIND_SEPARATOR;
    }
    return kind_of(*code);
}

static bool is_apostrophe(uint32_t code)
{
    return code == '\'' || code == 0x2019;
}

// Whether what follows an apostrophe is just an s: "server's" is about a server.
static bool is_possessive(deft_view text, size_t at)
{
    uint32_t code = 0;
    size_t   size = 0;
    (void)peek(text, at, &code, &size);
    if (code != 's' && code != 'S') {
        return false;
    }
    const kind next = peek(text, at + size, &code, &size);
    return next == KIND_SEPARATOR;
}

// Whether a new part begins at a character of kind `now`, after one of kind `last` and before one
// of kind `after`.
static bool is_part_start(kind last, kind now, kind after, bool is_plural_acronym)
{
    if (last == KIND_LOWER) {
        return now == KIND_UPPER || now == KIND_DIGIT;
    } else if (last == KIND_UPPER) {
        return now == KIND_DIGIT ||
               (now == KIND_UPPER && after == KIND_LOWER && !is_plural_acronym);
    } else if (last == KIND_DIGIT) {
        return now != KIND_DIGIT;
    } else {
        return false;
    }
}

static void read_text(deft_analyzer *analyzer, deft_view text)
{
    size_t at   = 0;
    kind   last = KIND_SEPARATOR;

    while (at < text.size && !analyzer->is_out_of_memory &&
           analyzer->pending_count < analyzer->terms_max) {
        uint32_t code = 0;
        size_t   size = 0;
        kind     now  = peek(text, at, &code, &size);

        if (now == KIND_MARK) {
            at += size;
            continue;
        }
        if (now == KIND_SEPARATOR || now == KIND_PAIR) {
            end_run(analyzer);
            if (now == KIND_PAIR) {
                at = read_pairs(analyzer, text, at);
            } else if (is_apostrophe(code) && last != KIND_SEPARATOR &&
                       is_possessive(text, at + size)) {
                at += size + 1;
            } else {
                at += size;
            }
            last = KIND_SEPARATOR;
            continue;
        }

        if (now == KIND_UPPER && last == KIND_UPPER) {
            // PRs, URLs: the last capital of an acronym, an s, and nothing after it.
            uint32_t   next_code = 0;
            size_t     next_size = 0;
            const kind after     = peek(text, at + size, &next_code, &next_size);
            uint32_t   end_code  = 0;
            size_t     end_size  = 0;
            const kind end       = peek(text, at + size + next_size, &end_code, &end_size);
            const bool is_plural = next_code == 's' && end == KIND_SEPARATOR;
            if (is_part_start(last, now, after, is_plural)) {
                end_part(analyzer);
            }
        } else if (is_part_start(last, now, KIND_SEPARATOR, false)) {
            end_part(analyzer);
        }
        last = now;
        if (now == KIND_LOWER && code < 0x80) {
            at = append_small_letters(analyzer, text, at);
        } else {
            append_folded(analyzer, code);
            at += size;
        }
    }
    end_run(analyzer);
}

const deft_term *deft_analyzer_run(deft_analyzer *analyzer, deft_view text, size_t terms_max,
                                   size_t *count)
{
    static const deft_term none;
    *count                     = 0;
    analyzer->text_size        = 0;
    analyzer->pending_count    = 0;
    analyzer->is_out_of_memory = false;
    analyzer->run_start        = 0;
    analyzer->part_start       = 0;
    analyzer->run_parts        = 0;
    analyzer->position         = 0;
    analyzer->run_position     = 0;
    analyzer->terms_max        = terms_max;

    // Offsets are 32 bits wide; folding can make a text some times longer.
    read_text(analyzer, deft_view_slice(text, 0, UINT32_MAX / 64));

    if (!analyzer->is_out_of_memory && analyzer->terms_capacity < analyzer->pending_count) {
        deft_term *terms = deft__resize(analyzer->allocator, analyzer->terms,
                                        analyzer->terms_capacity * sizeof *terms,
                                        analyzer->pending_capacity * sizeof *terms);
        if (terms == NULL) {
            analyzer->is_out_of_memory = true;
        } else {
            analyzer->terms          = terms;
            analyzer->terms_capacity = analyzer->pending_capacity;
        }
    }
    if (analyzer->is_out_of_memory) {
        return NULL;
    }
    for (size_t i = 0; i < analyzer->pending_count; i++) {
        const pending_term *pending = &analyzer->pending[i];
        analyzer->terms[i]          = (deft_term){
                     .word     = deft_view_make(analyzer->text + pending->offset, pending->size),
                     .position = pending->position,
                     .is_whole = pending->is_whole,
        };
    }
    *count = analyzer->pending_count;
    return *count > 0 ? analyzer->terms : &none;
}

deft_view deft_analyzer_stem(deft_analyzer *analyzer, deft_view word)
{
    if (analyzer->stemmer == NULL || word.size == 0) {
        return word;
    }
    const sb_symbol *stem =
        sb_stemmer_stem(analyzer->stemmer, (const sb_symbol *)word.data, (int)word.size);
    const int size = sb_stemmer_length(analyzer->stemmer);
    // Without memory the stemmer gives nothing; the word itself is then the best stem there is.
    return stem != NULL && size > 0 ? deft_view_make((const char *)stem, (size_t)size) : word;
}
